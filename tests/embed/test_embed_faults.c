/* SPDX-License-Identifier: MIT
 * Faults that people report of embeddings, each as a test: buffers at any offset, images damaged in storage, values that
 * fade away. */
#include "cairn/embed.h"
#include "cairn/snapshot.h"
#include "oracle/random.h"
#include "support/test.h"

enum { L = 12, D = 4, K = 2, N_REALS = 500, GUARD = 4 };
enum { PAGE = 256, PER_SLOT = 10 };

static struct {
    cairn_embed_t embed;
    cairn_real reals[CAIRN_EMBED_REALS(L, D, K)];
} world, loaded;
static union {
    cairn_real reals[N_REALS];
    unsigned char bytes[N_REALS * sizeof(cairn_real)];
} room;
static uint16_t nearest[L + 2 * GUARD];
static uint8_t flash[2 * PER_SLOT][PAGE];
static cairn_embed_cfg_t cfg;
static cairn_rng_t rng;

static void set_cfg(const cairn_embed_policy_t *policy)
{
    cfg = cairn_embed_cfg_default;
    cfg.n_features = D;
    cfg.dim = K;
    cfg.n_landmarks = L;
    cfg.policy = policy;
    cairn_rng_init(&rng, 31, 2);
}

static void draw(cairn_real *features, cairn_real size)
{
    const cairn_real u = size * random_between(&rng, -3, 3), v = size * random_between(&rng, -2, 2);
    for (int a = 0; a < D; ++a) {
        features[a] =
            u * (cairn_real)(a - 1) + v * (cairn_real)(a % 2) + size * random_between(&rng, 0, (cairn_real)0.2);
    }
}

static cairn_status push(cairn_embed_t *embed, const cairn_real *features, cairn_real *place)
{
    const cairn_status status = cairn_embed_push(embed, features, place);
    while (status == CAIRN_MORE && cairn_embed_step(embed, 50) == CAIRN_MORE) {
    }
    return status;
}

static void begin_world(void)
{
    const cairn_embed_memory_t memory = {world.reals, sizeof world.reals / sizeof world.reals[0], NULL, 0};
    memset(&world, 0, sizeof world);
    CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory), CAIRN_OK);
}

static void push_world(int n, cairn_real size)
{
    cairn_real features[D], place[K];
    for (int i = 0; i < n; ++i) {
        draw(features, size);
        CHECK(push(&world.embed, features, place) >= 0);
    }
}

TEST(test_fault_19_embed_should_refuse_buffers_when_they_are_misaligned_or_short)
{
    set_cfg(&cairn_embed_maxmin);
    const size_t n = cairn_embed_reals(&cfg);
    REQUIRE(n + 2 <= N_REALS);
    for (size_t offset = 0; offset < 8; ++offset) {
        cairn_embed_memory_t memory = {(cairn_real *)(void *)(room.bytes + offset), n, nearest, L};
        const bool aligned = offset % sizeof(cairn_real) == 0;
        CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory), aligned ? CAIRN_OK : CAIRN_ERR_ALIGN);
        memory.n_reals = n - 1;
        CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory), CAIRN_ERR_SIZE);
        memory.n_reals = n;
        memory.reals = room.reals;
        memory.nearest = (uint16_t *)(void *)((unsigned char *)nearest + offset);
        CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory), offset % 2 == 0 ? CAIRN_OK : CAIRN_ERR_ALIGN);
        memory.nearest = nearest;
        memory.n_nearest = L - 1;
        CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory), CAIRN_ERR_SIZE);
    }
}

TEST(test_fault_19_embed_should_write_nothing_outside_when_memory_is_as_short_as_may_be)
{
    for (int options = 0; options < 16; ++options) {
        set_cfg(options % 2 != 0 ? &cairn_embed_maxmin : &cairn_embed_random);
        cfg.store_distances = options / 2 % 2 != 0;
        cfg.robust = options / 4 % 2 != 0 ? &cairn_embed_robust : NULL;
        cfg.smoother = options / 8 != 0 ? &cairn_embed_smoother : NULL;
        cfg.metric = options % 3 == 0 ? &cairn_metric_euclidean_dot : &cairn_metric_euclidean;
        const size_t n = cairn_embed_reals(&cfg);
        cairn_embed_memory_t memory = {room.reals + GUARD, n, nearest + GUARD, L};
        REQUIRE(n + 2 * GUARD <= N_REALS);
        for (size_t i = 0; i < N_REALS; ++i) {
            room.reals[i] = (cairn_real)(i + 1);
        }
        memset(nearest, 0x3C, sizeof nearest);
        CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory), CAIRN_OK);
        for (int i = 0; i < 450; ++i) {
            cairn_real features[D], place[3] = {0, 0, 55};
            draw(features, 1);
            CHECK(push(&world.embed, features, place) >= 0);
            CHECK_NEAR(place[K], 55, 0);
        }
        test_context("options", (uint32_t)options);
        for (size_t i = 0; i < N_REALS; ++i) {
            CHECK((i >= GUARD && i < GUARD + n) ||
                  !(room.reals[i] > (cairn_real)(i + 1) || room.reals[i] < (cairn_real)(i + 1)));
        }
        for (size_t i = 0; i < GUARD; ++i) {
            CHECK_EQ(nearest[i], 0x3C3C);
            CHECK_EQ(nearest[GUARD + L + i], 0x3C3C);
        }
    }
}

/* Numbers other than 0 below the smallest normal one. */
static int count_subnormal(const cairn_real *reals, size_t n)
{
    int n_subnormal = 0;
    for (size_t i = 0; i < n; ++i) {
        const double size = fabs((double)reals[i]);
        n_subnormal += size > 0 && size < (double)FLT_MIN ? 1 : 0;
    }
    return n_subnormal;
}

TEST(test_fault_22_embed_should_hold_no_subnormal_when_the_stream_fades_to_nothing)
{
    for (int policy = 0; policy < 2; ++policy) {
        const cairn_real nothing[D] = {0};
        cairn_real place[K];
        set_cfg(policy != 0 ? &cairn_embed_random : NULL);
        begin_world();
        push_world(30, 1);
        for (int i = 0; i < 2000; ++i) {
            CHECK_EQ(push(&world.embed, nothing, place), CAIRN_OK);
            CHECK(cairn_all_finite(place, K));
        }
        CHECK_EQ(count_subnormal(world.reals, sizeof world.reals / sizeof world.reals[0]), 0);
        CHECK_EQ(count_subnormal(place, K), 0);
        push_world(200, 1); /* and it is there again when the stream is */
        cairn_real features[D];
        draw(features, 1);
        CHECK_EQ(cairn_embed_place(&world.embed, features, place), CAIRN_OK);
        CHECK(cairn_all_finite(place, K));
    }
}

static int flash_read(void *ctx, unsigned page, uint8_t *bytes)
{
    (void)ctx;
    memcpy(bytes, flash[page], PAGE);
    return 0;
}

static int flash_erase(void *ctx, unsigned page)
{
    (void)ctx;
    memset(flash[page], 0xFF, PAGE);
    return 0;
}

static int flash_write(void *ctx, unsigned page, const uint8_t *bytes)
{
    (void)ctx;
    memcpy(flash[page], bytes, PAGE);
    return 0;
}

static const cairn_snapshot_store_t store = {flash_read, flash_erase, flash_write, NULL, 0, PAGE, PER_SLOT, 1};

TEST(test_fault_23_embed_should_go_on_equally_or_be_refused_when_its_image_is_stored)
{
    static uint8_t scratch[PAGE];
    cairn_real features[D], expected[K], place[K];
    unsigned n_refused = 0, n_bytes = 0;
    REQUIRE(sizeof world <= CAIRN_SNAPSHOT_CAPACITY(PAGE, PER_SLOT));
    memset(flash, 0xFF, sizeof flash);
    set_cfg(&cairn_embed_random);
    begin_world();
    push_world(40, 1);
    CHECK_EQ(cairn_snapshot_save(&store, CAIRN_SNAPSHOT_OTHER, (const uint8_t *)&world, sizeof world, scratch),
             CAIRN_OK);
    loaded = world;
    draw(features, 1);
    CHECK_EQ(push(&world.embed, features, expected), CAIRN_OK);
    memset(&world, 0xA5, sizeof world);
    CHECK_EQ(cairn_snapshot_load(&store, CAIRN_SNAPSHOT_OTHER, (uint8_t *)&world, sizeof world, scratch, NULL),
             CAIRN_OK);
    CHECK_MEM(&world, &loaded, sizeof world);
    CHECK_EQ(push(&world.embed, features, place), CAIRN_OK);
    CHECK_MEM(place, expected, sizeof place);
    CHECK_EQ(cairn_snapshot_load(&store, CAIRN_SNAPSHOT_OTHER, (uint8_t *)&loaded, sizeof loaded - 1, scratch, NULL),
             CAIRN_ERR_FORMAT);
    CHECK_EQ(cairn_snapshot_load(&store, CAIRN_SNAPSHOT_TRACK, (uint8_t *)&loaded, sizeof loaded, scratch, NULL),
             CAIRN_ERR_FORMAT);
    for (size_t at = 0; at < CAIRN_SNAPSHOT_HEADER + sizeof world; at += 7) { /* one byte wrong */
        uint8_t *byte = &flash[at / PAGE][at % PAGE];
        *byte ^= 0x10;
        n_refused += cairn_snapshot_load(&store, CAIRN_SNAPSHOT_OTHER, (uint8_t *)&loaded, sizeof loaded, scratch,
                                         NULL) == CAIRN_ERR_FORMAT
                         ? 1u
                         : 0u;
        *byte ^= 0x10;
        ++n_bytes;
    }
    CHECK_EQ(n_refused, n_bytes);
}

TEST_MAIN(TEST_CASE(test_fault_19_embed_should_refuse_buffers_when_they_are_misaligned_or_short),
          TEST_CASE(test_fault_19_embed_should_write_nothing_outside_when_memory_is_as_short_as_may_be),
          TEST_CASE(test_fault_22_embed_should_hold_no_subnormal_when_the_stream_fades_to_nothing),
          TEST_CASE(test_fault_23_embed_should_go_on_equally_or_be_refused_when_its_image_is_stored))
