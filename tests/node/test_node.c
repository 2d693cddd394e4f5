/* SPDX-License-Identifier: MIT
 * Tests of node: a tag among anchors and a chain of tags; every refusal, ages, eviction, anchors that vanish, duplicate
 * ids, re-lock, rogues, authentication; and every fault at every step of a scripted run. */
#include "cairn/node.h"
#include "cairn/rng.h"
#include "support/test.h"

enum { NEIGHBOURS = 8, WAYS = 4, ANCHORS = 5, STEPS = 60, ROUND_US = 1000000, RECOVERY_ROUNDS = 30 };

CAIRN_NODE_DEFINE(tag, NEIGHBOURS, WAYS);

typedef struct copy {
    cairn_node_t node;
    cairn_node_neighbour_t neighbours[NEIGHBOURS];
    cairn_node_far_t far[CAIRN_NODE_FAR(NEIGHBOURS)];
    cairn_node_way_t ways[WAYS];
} copy_t;

static copy_t before;
static uint32_t now_us;
static uint8_t frame[CAIRN_BEACON_BYTES_MAX];
static uint8_t sent[CAIRN_BEACON_BYTES_MAX];
static cairn_node_cfg_t cfg;
static uint8_t sequence;
static cairn_real anchor_m[ANCHORS][2] = {{0, 0}, {30, 0}, {0, 30}, {30, 30}, {12, -9}};
static cairn_real truth_m[2];

static void keep(copy_t *copy)
{
    memcpy(&copy->node, &tag, sizeof tag);
    memcpy(copy->neighbours, tag_neighbours, sizeof tag_neighbours);
    memcpy(copy->far, tag_far, sizeof tag_far);
    memcpy(copy->ways, tag_ways, sizeof tag_ways);
}

/* Everything but the counters is as it was. */
static bool is_kept(const copy_t *copy)
{
    cairn_node_t same = tag;
    same.counters = copy->node.counters;
    return memcmp(&same, &copy->node, sizeof same) == 0 &&
           memcmp(copy->neighbours, tag_neighbours, sizeof tag_neighbours) == 0 &&
           memcmp(copy->far, tag_far, sizeof tag_far) == 0 && memcmp(copy->ways, tag_ways, sizeof tag_ways) == 0;
}

static void begin(void)
{
    memset(&cfg, 0, sizeof cfg);
    cfg.id = 100;
    cfg.network = 1;
    cfg.grid_m = (cairn_real)0.01;
    cfg.radius_m = 40;
    cfg.noise_abs_m = (cairn_real)0.1;
    cfg.range_max_m = 100;
    now_us = 0;
    sequence = 0;
    truth_m[0] = 11;
    truth_m[1] = 7;
    test_check_eq(cairn_node_init(&tag, &cfg, &tag_memory, 1), CAIRN_OK, __FILE__, __LINE__, "init");
}

static cairn_real anchor_range(int i)
{
    const cairn_real x = anchor_m[i][0] - truth_m[0];
    const cairn_real y = anchor_m[i][1] - truth_m[1];
    return cairn_sqrt(x * x + y * y);
}

static size_t make_frame(uint16_t id, const cairn_real *place_m, uint8_t stage)
{
    cairn_beacon_t beacon;
    memset(&beacon, 0, sizeof beacon);
    beacon.network = 1;
    beacon.id = id;
    beacon.sequence = sequence;
    beacon.stage = stage;
    beacon.kind = CAIRN_BEACON_KIND_PEERS;
    beacon.deviation = stage == CAIRN_STAGE_ANCHOR ? 0 : 20;
    beacon.place[0] = (int16_t)(place_m[0] * 100);
    beacon.place[1] = (int16_t)(place_m[1] * 100);
    return cairn_beacon_encode(&beacon, frame, sizeof frame);
}

static void hear(uint16_t id, const cairn_real *place_m, uint8_t stage, cairn_real range_m)
{
    cairn_status ignored = cairn_node_on_range(&tag, id, range_m, now_us);
    const size_t length = make_frame(id, place_m, stage);
    ignored = cairn_node_on_beacon(&tag, frame, length, now_us);
    (void)ignored;
}

/* One round: anchors first .. last - 1 are heard, then the node ticks and speaks. */
static void play(int first, int last)
{
    ++sequence;
    now_us += ROUND_US;
    for (int i = first; i < last; ++i) {
        hear((uint16_t)(i + 1), anchor_m[i], CAIRN_STAGE_ANCHOR, anchor_range(i));
    }
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
    CHECK(cairn_node_beacon(&tag, sent, sizeof sent, now_us) >= CAIRN_BEACON_HEADER);
}

static cairn_real error_m(void)
{
    cairn_real place_m[2] = {1000, 1000};
    (void)(cairn_node_get_place(&tag, place_m, NULL) == CAIRN_OK);
    place_m[0] -= truth_m[0];
    place_m[1] -= truth_m[1];
    return cairn_sqrt(place_m[0] * place_m[0] + place_m[1] * place_m[1]);
}

static void settle(void)
{
    begin();
    for (int round = 0; round < 40; ++round) {
        play(0, ANCHORS);
    }
    CHECK_EQ(cairn_node_get_stage(&tag), CAIRN_STAGE_PLACED);
    CHECK(error_m() < (cairn_real)0.05);
}

TEST(test_node_should_fit_in_1600_bytes_when_it_has_16_neighbours_and_4_ways)
{
    CHECK(CAIRN_NODE_BYTES(16, 4) <= 1600);
    CHECK(CAIRN_NODE_BYTES(24, 8) <= 1600);
}

TEST(test_init_should_write_every_byte_when_memory_is_dirty)
{
    begin();
    keep(&before);
    memset(&tag, 0xA5, sizeof tag);
    memset(tag_neighbours, 0xA5, sizeof tag_neighbours);
    memset(tag_far, 0xA5, sizeof tag_far);
    memset(tag_ways, 0xA5, sizeof tag_ways);
    begin();
    CHECK_EQ(memcmp(&before.node, &tag, sizeof tag), 0);
    CHECK_EQ(memcmp(before.neighbours, tag_neighbours, sizeof tag_neighbours), 0);
}

TEST(test_init_should_refuse_when_a_setting_or_size_is_wrong)
{
    cairn_node_memory_t memory = tag_memory;
    cairn_node_t node;
    begin();
    CHECK_EQ(cairn_node_init(NULL, &cfg, &memory, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_node_init(&node, NULL, &memory, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_node_init(&node, &cfg, NULL, 1), CAIRN_ERR_ARG);
    memory.n_neighbours = 2;
    CHECK_EQ(cairn_node_init(&node, &cfg, &memory, 1), CAIRN_ERR_SIZE);
    memory.n_neighbours = 33;
    CHECK_EQ(cairn_node_init(&node, &cfg, &memory, 1), CAIRN_ERR_SIZE);
    memory = tag_memory;
    memory.n_ways = 2;
    CHECK_EQ(cairn_node_init(&node, &cfg, &memory, 1), CAIRN_ERR_SIZE);
    memory = tag_memory;
    cfg.radius_m = 0;
    CHECK_EQ(cairn_node_init(&node, &cfg, &memory, 1), CAIRN_ERR_ARG);
    cfg.radius_m = (cairn_real)NAN;
    CHECK_EQ(cairn_node_init(&node, &cfg, &memory, 1), CAIRN_ERR_NONFINITE);
    begin();
    cfg.anchor_m[1] = 400; /* beyond the grid */
    CHECK_EQ(cairn_node_init(&node, &cfg, &memory, 1), CAIRN_ERR_ARG);
}

TEST(test_node_should_find_its_place_when_it_hears_anchors)
{
    cairn_real place_m[2] = {77, 77};
    begin();
    CHECK_EQ(cairn_node_get_place(&tag, place_m, NULL), CAIRN_UNPLACED);
    CHECK_EQ(place_m[0], 77);
    settle();
}

/* fault: zero, negative, NaN, infinite and huge ranges; unknown time. The state stays, a counter moves. */
TEST(test_node_should_be_unchanged_when_input_is_refused)
{
    static const cairn_real bad[] = {0, -1, 1000};
    settle();
    keep(&before);
    for (size_t i = 0; i < 3; ++i) {
        CHECK_EQ(cairn_node_on_range(&tag, 1, bad[i], now_us), CAIRN_ERR_RANGE);
    }
    CHECK_EQ(cairn_node_on_range(&tag, 1, (cairn_real)NAN, now_us), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_node_on_range(&tag, 1, (cairn_real)INFINITY, now_us), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_node_on_range(&tag, cfg.id, 5, now_us), CAIRN_ERR_SELF);
    CHECK_EQ(cairn_node_on_range(&tag, 1, 5, now_us - 1), CAIRN_ERR_STALE);
    CHECK_EQ(cairn_node_on_range(NULL, 1, 5, now_us), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_node_tick(&tag, now_us - 1), CAIRN_ERR_STALE);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, 5, now_us), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_node_on_beacon(&tag, NULL, 5, now_us), CAIRN_ERR_ARG);
    frame[11] ^= 1u;
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, CAIRN_BEACON_HEADER, now_us), CAIRN_ERR_FORMAT);
    CHECK(is_kept(&before));
    CHECK_EQ(cairn_node_get_counters(&tag)->n_range, 3);
    CHECK_EQ(cairn_node_get_counters(&tag)->n_nonfinite, 2);
    CHECK_EQ(cairn_node_get_counters(&tag)->n_damaged, 2);
    CHECK_EQ(cairn_node_get_counters(&tag)->n_stale, 2);
}

TEST(test_range_should_be_held_against_an_outlier_when_it_comes_once_and_replaced_when_it_stays)
{
    settle();
    CHECK_EQ(cairn_node_on_range(&tag, 1, 90, now_us), CAIRN_REJECTED);
    CHECK_EQ(cairn_node_on_range(&tag, 1, 90, now_us), CAIRN_REJECTED);
    CHECK_EQ(cairn_node_on_range(&tag, 1, 90, now_us), CAIRN_OK);
    CHECK_EQ(cairn_node_get_counters(&tag)->n_outliers, 2);
}

/* fault: fixed table overrun. Nearer neighbours replace farther ones, anchors stay. */
TEST(test_table_should_keep_the_nearest_when_it_is_full)
{
    settle();
    for (uint16_t i = 0; i < 3 * NEIGHBOURS; ++i) {
        const cairn_real far_m[2] = {truth_m[0] + 20 - (cairn_real)i / 2, truth_m[1]};
        hear((uint16_t)(200 + i), far_m, CAIRN_STAGE_PLACED, 20 - (cairn_real)i / 2);
    }
    CHECK(cairn_node_get_counters(&tag)->n_evicted > 0);
    for (int i = 0; i < ANCHORS; ++i) {
        bool found = false;
        for (int k = 0; k < NEIGHBOURS; ++k) {
            found = found || (tag_neighbours[k].used != 0 && tag_neighbours[k].id == i + 1);
        }
        CHECK(found);
    }
    const cairn_real far_m[2] = {truth_m[0] + 39, truth_m[1]};
    CHECK_EQ(cairn_node_on_range(&tag, 999, 39, now_us), CAIRN_FULL);
    hear(999, far_m, CAIRN_STAGE_PLACED, 39);
    CHECK_EQ(cairn_node_get_counters(&tag)->n_full > 0, true);
}

/* fault: anchors vanish, then return. The place stays; a node never heard again is forgotten, but not an anchor. */
TEST(test_place_should_stay_when_anchors_vanish_and_return)
{
    settle();
    for (int left = 3; left >= 0; --left) {
        for (int round = 0; round < 40; ++round) {
            play(0, left);
            CHECK(error_m() < (cairn_real)0.1);
        }
    }
    for (int round = 0; round < 10; ++round) {
        play(0, ANCHORS);
    }
    CHECK_EQ(cairn_node_get_stage(&tag), CAIRN_STAGE_PLACED);
    CHECK(error_m() < (cairn_real)0.05);
}

TEST(test_neighbour_should_be_forgotten_when_it_falls_silent)
{
    const cairn_real place_m[2] = {20, 7};
    settle();
    hear(50, place_m, CAIRN_STAGE_PLACED, 9);
    for (int round = 0; round < 11; ++round) {
        play(0, ANCHORS);
    }
    CHECK_EQ(tag_neighbours[5].used != 0 && tag_neighbours[5].id == 50, true);
    play(0, ANCHORS);
    play(0, ANCHORS);
    CHECK_EQ(tag_neighbours[5].used, 0);
}

/* fault: gate locks out the truth; the node is carried off. */
TEST(test_node_should_lock_again_when_it_is_carried_off)
{
    int round = 0;
    settle();
    truth_m[0] = 25;
    truth_m[1] = 28;
    for (; round < RECOVERY_ROUNDS && error_m() > (cairn_real)0.1; ++round) {
        play(0, ANCHORS);
    }
    CHECK(error_m() < (cairn_real)0.1);
}

/* fault: duplicate ids. */
TEST(test_duplicate_should_be_flagged_when_two_nodes_have_one_id)
{
    static const cairn_real here_m[2] = {20, 7};
    static const cairn_real there_m[2] = {5, 20};
    settle();
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, make_frame(cfg.id, here_m, CAIRN_STAGE_PLACED), now_us), CAIRN_ERR_SELF);
    CHECK(cairn_node_get_flags(&tag) & CAIRN_BEACON_DUPLICATE);
    for (int round = 0; round < 20; ++round) {
        play(0, ANCHORS);
        hear(60, here_m, CAIRN_STAGE_PLACED, 9);
        sequence = (uint8_t)(sequence + 100);
        hear(60, there_m, CAIRN_STAGE_PLACED, 9);
        sequence = (uint8_t)(sequence - 100);
    }
    CHECK(cairn_node_get_counters(&tag)->n_duplicates > 1);
    CHECK(error_m() < (cairn_real)0.1);
}

/* A neighbour with a false place and range is outvoted. */
TEST(test_place_should_hold_when_a_neighbour_lies)
{
    static const cairn_real false_m[2] = {30, 20};
    settle();
    for (int round = 0; round < 150; ++round) {
        play(0, ANCHORS);
        hear(70, false_m, CAIRN_STAGE_PLACED, 6);
    }
    CHECK(error_m() < (cairn_real)0.15);
}

/* fault: clock wrap. */
TEST(test_node_should_go_on_when_the_clock_wraps)
{
    begin();
    now_us = UINT32_MAX - 20u * ROUND_US;
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_ERR_STALE); /* more than half the clock ahead is the past */
    tag.t_us = now_us;
    for (int round = 0; round < 40; ++round) {
        play(0, ANCHORS);
    }
    CHECK(error_m() < (cairn_real)0.05);
}

TEST(test_node_should_not_pretend_when_it_hears_too_little)
{
    cairn_real place_m[2];
    begin();
    for (int round = 0; round < 100; ++round) {
        play(0, 2);
        CHECK_EQ(cairn_node_get_place(&tag, place_m, NULL), CAIRN_UNPLACED);
        CHECK_EQ(sent[5] & 7u, CAIRN_STAGE_UNPLACED);
    }
}

static void toy_tag(void *ctx, const uint8_t *bytes, size_t length, uint8_t *code)
{
    uint32_t hash = *(const uint32_t *)ctx;
    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ bytes[i]) * 16777619u;
        hash ^= hash >> 15;
    }
    for (int i = 0; i < 6; ++i) {
        code[i] = (uint8_t)(hash >> (4 * i) & 0xFFu);
    }
}

/* Wrong key, unsealed, replayed and re-ordered frames, a spoofed anchor. */
TEST(test_authenticated_node_should_ignore_frames_when_they_are_forged_or_replayed)
{
    static uint32_t key = 7;
    static uint32_t wrong = 8;
    static const cairn_real place_m[2] = {3, 4};
    size_t length;
    begin();
    cfg.tag = toy_tag;
    cfg.tag_ctx = &key;
    length = make_frame(1, place_m, CAIRN_STAGE_ANCHOR);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, length, now_us), CAIRN_ERR_FORMAT);
    CHECK_EQ(cairn_beacon_seal(frame, length, sizeof frame, 9, toy_tag, &wrong), length + 8);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, length + 8, now_us), CAIRN_ERR_FORMAT);
    CHECK_EQ(cairn_node_get_counters(&tag)->n_forged, 2);
    (void)make_frame(1, place_m, CAIRN_STAGE_ANCHOR);
    CHECK_EQ(cairn_beacon_seal(frame, length, sizeof frame, 9, toy_tag, &key), length + 8);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, length + 8, now_us), CAIRN_OK);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, length + 8, now_us), CAIRN_ERR_STALE);
    (void)make_frame(1, place_m, CAIRN_STAGE_ANCHOR);
    CHECK_EQ(cairn_beacon_seal(frame, length, sizeof frame, 8, toy_tag, &key), length + 8);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, length + 8, now_us), CAIRN_REJECTED); /* late, not replayed */
    CHECK_EQ(cairn_node_beacon(&tag, sent, sizeof sent, now_us), CAIRN_BEACON_HEADER + 8);
    cfg.tag = NULL;
}

/* Saved and loaded at any step, the run goes on bit for bit. */
TEST(test_node_should_go_on_bit_for_bit_when_saved_and_loaded_at_any_step)
{
    static copy_t end;
    for (int step = 1; step < STEPS; step += 7) {
        begin();
        for (int round = 0; round < STEPS; ++round) {
            play(0, ANCHORS);
        }
        keep(&end);
        begin();
        for (int round = 0; round < step; ++round) {
            play(0, ANCHORS);
        }
        keep(&before);
        memset(&tag, 0, sizeof tag);
        memset(tag_neighbours, 0, sizeof tag_neighbours);
        tag = before.node;
        memcpy(tag_neighbours, before.neighbours, sizeof tag_neighbours);
        for (int round = step; round < STEPS; ++round) {
            play(0, ANCHORS);
        }
        CHECK(is_kept(&end));
    }
}

enum {
    FAULT_DROP,
    FAULT_DUPLICATE,
    FAULT_SWAP,
    FAULT_CORRUPT,
    FAULT_STALE,
    FAULT_NAN,
    FAULT_ZERO,
    FAULT_HUGE,
    FAULT_UNKNOWN,
    FAULT_FULL,
    FAULT_RESET,
    FAULT_WRAP,
    N_FAULTS
};

static void swap_anchors(cairn_real *a, cairn_real *b)
{
    for (int k = 0; k < 2; ++k) {
        const cairn_real kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

static void inject(int fault)
{
    cairn_status ignored = CAIRN_OK;
    switch (fault) {
    case FAULT_DROP: play(0, 0); break;
    case FAULT_DUPLICATE:
        --sequence;
        play(0, ANCHORS);
        break;
    case FAULT_SWAP: /* two anchors' places swapped for a round */
        swap_anchors(anchor_m[0], anchor_m[3]);
        play(0, ANCHORS);
        swap_anchors(anchor_m[0], anchor_m[3]);
        break;
    case FAULT_CORRUPT:
        for (size_t bit = 0; bit < 8 * CAIRN_BEACON_HEADER; ++bit) {
            const size_t length = make_frame(1, anchor_m[0], CAIRN_STAGE_ANCHOR);
            frame[bit / 8] = (uint8_t)(frame[bit / 8] ^ 1u << bit % 8);
            ignored = cairn_node_on_beacon(&tag, frame, length, now_us);
            CHECK(ignored != CAIRN_OK);
        }
        break;
    case FAULT_STALE: CHECK_EQ(cairn_node_on_range(&tag, 1, 5, now_us - 5), CAIRN_ERR_STALE); break;
    case FAULT_NAN: CHECK_EQ(cairn_node_on_range(&tag, 1, (cairn_real)NAN, now_us), CAIRN_ERR_NONFINITE); break;
    case FAULT_ZERO: CHECK_EQ(cairn_node_on_range(&tag, 1, 0, now_us), CAIRN_ERR_RANGE); break;
    case FAULT_HUGE: ignored = cairn_node_on_range(&tag, 1, 99, now_us); break;
    case FAULT_UNKNOWN: ignored = cairn_node_on_range(&tag, 4711, 12, now_us); break;
    case FAULT_FULL:
        for (uint16_t i = 0; i < 2 * NEIGHBOURS; ++i) {
            ignored = cairn_node_on_range(&tag, (uint16_t)(300 + i), 20, now_us);
        }
        break;
    case FAULT_RESET: CHECK_EQ(cairn_node_init(&tag, &cfg, &tag_memory, 5), CAIRN_OK); break;
    default: now_us += UINT32_MAX / 2u - 3u * ROUND_US; break; /* a long silence of the clock */
    }
}

/* Every fault at every step: what is said is finite, and 30 rounds later the place is right. */
TEST(test_node_should_recover_within_30_rounds_when_any_fault_comes_at_any_step)
{
    for (int fault = 0; fault < N_FAULTS; ++fault) {
        for (int step = 0; step < STEPS; ++step) {
            test_context("fault x 100 + step", (uint32_t)(100 * fault + step));
            begin();
            for (int round = 0; round < step; ++round) {
                play(0, ANCHORS);
            }
            inject(fault);
            if (fault == FAULT_RESET) {
                tag.t_us = now_us;
            }
            for (int round = 0; round < RECOVERY_ROUNDS; ++round) {
                cairn_real place_m[2] = {0, 0};
                cairn_real std_m = 0;
                play(0, ANCHORS);
                CHECK(cairn_node_get_place(&tag, place_m, &std_m) >= 0);
                CHECK(cairn_isfinite(place_m[0]) && cairn_isfinite(place_m[1]) && cairn_isfinite(std_m));
            }
            CHECK(error_m() < (cairn_real)0.1);
        }
    }
}

TEST_MAIN(TEST_CASE(test_node_should_fit_in_1600_bytes_when_it_has_16_neighbours_and_4_ways),
          TEST_CASE(test_init_should_write_every_byte_when_memory_is_dirty),
          TEST_CASE(test_init_should_refuse_when_a_setting_or_size_is_wrong),
          TEST_CASE(test_node_should_find_its_place_when_it_hears_anchors),
          TEST_CASE(test_node_should_be_unchanged_when_input_is_refused),
          TEST_CASE(test_range_should_be_held_against_an_outlier_when_it_comes_once_and_replaced_when_it_stays),
          TEST_CASE(test_table_should_keep_the_nearest_when_it_is_full),
          TEST_CASE(test_place_should_stay_when_anchors_vanish_and_return),
          TEST_CASE(test_neighbour_should_be_forgotten_when_it_falls_silent),
          TEST_CASE(test_node_should_lock_again_when_it_is_carried_off),
          TEST_CASE(test_duplicate_should_be_flagged_when_two_nodes_have_one_id),
          TEST_CASE(test_place_should_hold_when_a_neighbour_lies),
          TEST_CASE(test_node_should_go_on_when_the_clock_wraps),
          TEST_CASE(test_node_should_not_pretend_when_it_hears_too_little),
          TEST_CASE(test_authenticated_node_should_ignore_frames_when_they_are_forged_or_replayed),
          TEST_CASE(test_node_should_go_on_bit_for_bit_when_saved_and_loaded_at_any_step),
          TEST_CASE(test_node_should_recover_within_30_rounds_when_any_fault_comes_at_any_step))
