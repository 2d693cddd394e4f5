/* SPDX-License-Identifier: MIT
 * Faults that people report of embeddings, each as a test: buffers at any offset, images damaged in storage, values that
 * fade away. */
#include "cairn/snapshot.h"
#include "oracle/stream.h"
#include "port.h"
#include "support/flash.h"

enum { PAGE = 256, PER_SLOT = 10, N_KEPT = CAIRN_EMBED_REALS(L, D, K) };

/* What is stored: a state and its arrays. */
typedef struct image {
    cairn_embed_t embed;
    cairn_real reals[N_KEPT];
} image_t;

static image_t image, loaded;
static uint8_t pages[2 * PER_SLOT][PAGE];
static flash_t flash;

TEST(test_fault_20_embed_should_stay_within_the_stack_that_is_promised_when_all_options_are_on)
{
    const uint32_t before = port_stack_used();
    if (before == 0) {
        SKIP("the host does not know how deep its stack was");
    }
    cairn_real features[D], place[K];
    set_cfg(&cairn_embed_random);
    cfg.robust = &cairn_embed_robust;
    cfg.smoother = &cairn_embed_smoother;
    cfg.metric = &cairn_metric_angle;
    CHECK_EQ(begin(), CAIRN_OK);
    push_drawn(L + 410, (cairn_real)0.5); /* the smoother has its map from the 400th on */
    draw(features, 1);
    CHECK_EQ(cairn_embed_place(&world.embed, features, place), CAIRN_OK);
    CHECK_EQ(cairn_embed_revise(&world.embed, features, place), CAIRN_OK);
    CHECK(port_stack_used() <= before + 768u);
}

/* Root mean square of what the distances of a place to the images of landmarks differ by from what is wanted. */
static double recount(const cairn_real *features, const cairn_real *place, const cairn_real *images,
                      const cairn_real *sources)
{
    double sum = 0;
    for (int j = 0; j < L; ++j) {
        double f2 = 0, d2 = 0;
        for (int a = 0; a < K; ++a) {
            const double difference = (double)place[a] - (double)images[j * K + a];
            f2 += difference * difference;
        }
        for (int a = 0; a < D; ++a) {
            const double difference = (double)features[a] - (double)sources[j * D + a];
            d2 += difference * difference;
        }
        sum += (sqrt(f2) - sqrt(d2)) * (sqrt(f2) - sqrt(d2));
    }
    return sqrt(sum / L);
}

TEST(test_fault_1_embed_should_give_the_residual_of_the_place_it_returns_when_that_is_smoothed_or_revised)
{
    static cairn_real images[L * K], sources[L * D];
    for (int variant = 0; variant < 4; ++variant) {
        set_cfg(&cairn_embed_random);
        cfg.smoother = variant / 2 != 0 ? &cairn_embed_smoother : NULL;
        CHECK_EQ(begin(), CAIRN_OK);
        push_drawn(cfg.smoother != NULL ? L + 410 : L, (cairn_real)0.5);
        for (int i = 0; i < 60;
             ++i) { /* every now and then a landmark is replaced or moved, after the place is found */
            cairn_real features[D], place[K];
            draw(features, (cairn_real)0.5);
            CHECK_EQ(cairn_embed_place(&world.embed, features, place), CAIRN_OK);
            place[0] += (cairn_real)0.05; /* of a pass before */
            for (size_t j = 0; j < L; ++j) {
                CHECK_EQ(cairn_embed_get_landmark(&world.embed, j, images + j * K), CAIRN_OK);
                memcpy(sources + j * D, cairn_embed_get_source(&world.embed, j), D * sizeof *sources);
            }
            CHECK_EQ(variant % 2 != 0 ? cairn_embed_revise(&world.embed, features, place)
                                      : cairn_embed_push(&world.embed, features, place),
                     CAIRN_OK);
            test_context("variant", (uint32_t)variant);
            /* both distances, of up to 10, are known to some roundings; residuals are not below a hundredth of them */
            const double expected = recount(features, place, images, sources);
            CHECK_NEAR(cairn_embed_get_residual(&world.embed), expected, 30 * (double)CAIRN_REAL_EPSILON * expected);
        }
    }
}

TEST(test_fault_19_embed_should_refuse_buffers_when_they_are_misaligned_or_short)
{
    set_cfg(&cairn_embed_maxmin);
    const cairn_embed_memory_t good = get_memory(&world);
    for (size_t offset = 0; offset < 8; ++offset) {
        cairn_embed_memory_t memory = good;
        memory.reals = (cairn_real *)(void *)((unsigned char *)good.reals + offset);
        CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory),
                 offset % sizeof(cairn_real) == 0 ? CAIRN_OK : CAIRN_ERR_ALIGN);
        memory.n_reals = good.n_reals - 1;
        CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory), CAIRN_ERR_SIZE);
        memory = good;
        memory.nearest = (uint16_t *)(void *)((unsigned char *)good.nearest + offset);
        CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory), offset % 2 == 0 ? CAIRN_OK : CAIRN_ERR_ALIGN);
        memory.nearest = good.nearest;
        memory.n_nearest = L - 1;
        CHECK_EQ(cairn_embed_init(&world.embed, &cfg, &memory), CAIRN_ERR_SIZE);
    }
}

TEST(test_fault_19_embed_should_write_nothing_outside_when_memory_is_as_short_as_may_be)
{
    for (int options = 0; options < 16; ++options) {
        set_cfg(policies[options % N_POLICIES]);
        cfg.store_distances = options % 2 != 0;
        cfg.robust = options / 2 % 2 != 0 ? &cairn_embed_robust : NULL;
        cfg.smoother = options / 4 % 2 != 0 ? &cairn_embed_smoother : NULL;
        cfg.metric = options / 8 % 2 != 0 ? &cairn_metric_euclidean_dot : &cairn_metric_euclidean;
        CHECK_EQ(begin(), CAIRN_OK);
        const int n_vectors = cfg.smoother != NULL ? L + 430 : 100; /* its first map comes at the 400th */
        for (int i = 0; i < n_vectors; ++i) {
            cairn_real features[D], place[K + 1] = {0, 0, 55};
            draw(features, (cairn_real)0.1);
            CHECK(push(&world.embed, features, place) >= 0);
            CHECK_NEAR(place[K], 55, 0);
        }
        test_context("options", (uint32_t)options);
        check_guards();
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
    const int n_nothing = (int)TEST_SEEDS(2500u);
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        const cairn_real nothing[D] = {0};
        cairn_real place[K];
        set_cfg(policies[policy]);
        CHECK_EQ(begin(), CAIRN_OK);
        push_drawn(30, (cairn_real)0.1);
        for (int i = 0; i < n_nothing; ++i) {
            CHECK_EQ(push(&world.embed, nothing, place), CAIRN_OK);
            CHECK(cairn_all_finite(place, K));
        }
        CHECK_EQ(count_subnormal(world.reals + GUARD, cairn_embed_reals(&cfg)), 0);
        CHECK_EQ(count_subnormal(place, K), 0);
        push_drawn(200, (cairn_real)0.1); /* and it is there again when the stream is */
        cairn_real features[D];
        draw(features, (cairn_real)0.1);
        CHECK_EQ(cairn_embed_place(&world.embed, features, place), CAIRN_OK);
        CHECK(cairn_all_finite(place, K));
    }
}

static const cairn_snapshot_store_t store = {flash_read, flash_erase, flash_write, &flash, 0, PAGE, PER_SLOT, 1};

static void take_image(image_t *self)
{
    self->embed = world.embed;
    memcpy(self->reals, world.reals + GUARD, sizeof self->reals);
}

/* Sums of the third power of distances are the largest numbers there are in embed. */
TEST(test_fault_22_embed_should_place_finitely_or_refuse_when_distances_are_large)
{
    set_cfg(&cairn_embed_random);
    CHECK_EQ(begin(), CAIRN_OK);
    for (int i = 0; i < 2 * L; ++i) {
        cairn_real features[D], place[K] = {0};
        draw(features, (cairn_real)0.5);
        for (size_t a = 0; a < D; ++a) {
            features[a] *= (cairn_real)1e9;
        }
        cairn_status status = cairn_embed_push(&world.embed, features, place);
        while (status == CAIRN_MORE) {
            status = cairn_embed_step(&world.embed, 1000);
        }
        CHECK(status == CAIRN_OK || status == CAIRN_UNPLACED);
        CHECK(cairn_all_finite(place, K));
        features[0] = (cairn_real)1.1 * CAIRN_EMBED_DISTANCE_MAX;
        CHECK_EQ(cairn_embed_push(&world.embed, features, place), CAIRN_ERR_RANGE);
    }
    CHECK(cairn_isfinite(cairn_embed_get_residual(&world.embed)));
}

TEST(test_fault_23_embed_should_go_on_equally_or_be_refused_when_its_image_is_stored)
{
    static uint8_t scratch[PAGE];
    const cairn_embed_memory_t elsewhere = {loaded.reals, N_KEPT, NULL, 0};
    unsigned n_refused = 0, n_bytes = 0;
    REQUIRE(sizeof image <= CAIRN_SNAPSHOT_CAPACITY(PAGE, PER_SLOT));
    flash_init(&flash, pages[0], 2 * PER_SLOT, PAGE, 0xFF);
    set_cfg(&cairn_embed_random);
    CHECK_EQ(begin(), CAIRN_OK);
    push_drawn(40, (cairn_real)0.1);
    take_image(&image);
    CHECK_EQ(cairn_snapshot_save(&store, CAIRN_SNAPSHOT_OTHER, (const uint8_t *)&image, sizeof image, scratch),
             CAIRN_OK);
    memset(&loaded, 0xA5, sizeof loaded);
    CHECK_EQ(cairn_snapshot_load(&store, CAIRN_SNAPSHOT_OTHER, (uint8_t *)&loaded, sizeof loaded, scratch, NULL),
             CAIRN_OK);
    CHECK_MEM(&image, &loaded, sizeof image);
    CHECK_EQ(cairn_embed_attach(&loaded.embed, &cfg, &elsewhere), CAIRN_OK);
    for (int i = 0; i < 60; ++i) {
        cairn_real features[D], expected[K], place[K];
        draw(features, (cairn_real)0.1);
        CHECK_EQ(push(&world.embed, features, expected), CAIRN_OK);
        CHECK_EQ(push(&loaded.embed, features, place), CAIRN_OK);
        CHECK_MEM(place, expected, sizeof place);
    }
    CHECK_EQ(cairn_snapshot_load(&store, CAIRN_SNAPSHOT_OTHER, (uint8_t *)&loaded, sizeof loaded - 1, scratch, NULL),
             CAIRN_ERR_FORMAT);
    CHECK_EQ(cairn_snapshot_load(&store, CAIRN_SNAPSHOT_TRACK, (uint8_t *)&loaded, sizeof loaded, scratch, NULL),
             CAIRN_ERR_FORMAT);
    for (size_t at = 0; at < CAIRN_SNAPSHOT_HEADER + sizeof image; at += 7) { /* one byte wrong */
        uint8_t *byte = &pages[at / PAGE][at % PAGE];
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

TEST(test_fault_23_embed_should_not_be_attached_when_memory_or_settings_do_not_fit)
{
    cairn_embed_memory_t memory = {loaded.reals, N_KEPT, NULL, 0};
    set_cfg(&cairn_embed_random);
    CHECK_EQ(begin(), CAIRN_OK);
    push_drawn(20, (cairn_real)0.1);
    take_image(&image);
    CHECK_EQ(cairn_embed_attach(NULL, &cfg, &memory), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_embed_attach(&world.embed, NULL, &memory), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_embed_attach(&world.embed, &cfg, NULL), CAIRN_ERR_ARG);
    memory.n_reals = N_KEPT - 1;
    CHECK_EQ(cairn_embed_attach(&world.embed, &cfg, &memory), CAIRN_ERR_SIZE);
    memory.n_reals = N_KEPT;
    memory.reals = (cairn_real *)(void *)((unsigned char *)loaded.reals + 1);
    CHECK_EQ(cairn_embed_attach(&world.embed, &cfg, &memory), CAIRN_ERR_ALIGN);
    memory.reals = loaded.reals;
    cfg.n_landmarks = L - 1; /* fewer than are held, and the same rows */
    CHECK_EQ(cairn_embed_attach(&world.embed, &cfg, &memory), CAIRN_ERR_STATE);
    world.embed.n_held = L - 1; /* as many as are held while they are collected */
    CHECK_EQ(cairn_embed_attach(&world.embed, &cfg, &memory), CAIRN_ERR_STATE);
    world.embed.n_held = L;
    cfg.n_landmarks = L;
    CHECK_MEM(&world.embed, &image.embed, sizeof image.embed);
}

TEST_MAIN(
    TEST_CASE(test_fault_20_embed_should_stay_within_the_stack_that_is_promised_when_all_options_are_on),

    TEST_CASE(test_fault_1_embed_should_give_the_residual_of_the_place_it_returns_when_that_is_smoothed_or_revised),
    TEST_CASE(test_fault_19_embed_should_refuse_buffers_when_they_are_misaligned_or_short),
    TEST_CASE(test_fault_19_embed_should_write_nothing_outside_when_memory_is_as_short_as_may_be),
    TEST_CASE(test_fault_22_embed_should_hold_no_subnormal_when_the_stream_fades_to_nothing),
    TEST_CASE(test_fault_22_embed_should_place_finitely_or_refuse_when_distances_are_large),
    TEST_CASE(test_fault_23_embed_should_go_on_equally_or_be_refused_when_its_image_is_stored),
    TEST_CASE(test_fault_23_embed_should_not_be_attached_when_memory_or_settings_do_not_fit))
