/* SPDX-License-Identifier: MIT
 * Tests of node: a tag among anchors and a chain of tags; every refusal, ages, eviction, anchors that vanish, duplicate
 * ids, re-lock, rogues. */
#include "node/node_internal.h"
#include "oracle/node.h"

static copy_t before;

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
    cairn_real *const numbers[] = {&cfg.grid_m, &cfg.radius_m,  &cfg.noise_rel,   &cfg.noise_abs_m, &cfg.range_max_m,
                                   &cfg.move_m, &cfg.move_keep, &cfg.anchor_m[0], &cfg.anchor_m[1]};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        test_context("number", (uint32_t)i);
        begin();
        *numbers[i] = (cairn_real)NAN;
        CHECK_EQ(cairn_node_init(&node, &cfg, &memory, 1), CAIRN_ERR_NONFINITE);
        *numbers[i] = (cairn_real)-INFINITY;
        CHECK_EQ(cairn_node_init(&node, &cfg, &memory, 1), CAIRN_ERR_NONFINITE);
    }
    const struct {
        cairn_real *setting;
        cairn_real value;
    } wrong[] = {{&cfg.anchor_m[1], 400}, /* beyond the grid */
                 {&cfg.move_m, 41},       /* beyond the radio range */
                 {&cfg.radius_m, 0},      {&cfg.radius_m, (cairn_real)2e6}, {&cfg.range_max_m, (cairn_real)2e6},
                 {&cfg.move_keep, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        test_context("setting", (uint32_t)i);
        begin();
        *wrong[i].setting = wrong[i].value;
        CHECK_EQ(cairn_node_init(&node, &cfg, &memory, 1), CAIRN_ERR_ARG);
    }
    begin();
    cfg.radius_m = (cairn_real)5e-7;
    cfg.grid_m = cfg.noise_abs_m = cfg.move_m = (cairn_real)1e-8;
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
    /* one that is nearer knows nothing of the one whose room it takes */
    CHECK_EQ(cairn_node_on_range(&tag, 998, 1, now_us), CAIRN_OK);
    for (int k = 0; k < NEIGHBOURS; ++k) {
        CHECK(tag_neighbours[k].id != 998 ||
              ((tag_neighbours[k].flags & ~NEIGHBOUR_HALF) == 0 && tag_neighbours[k].stage == 0));
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
    for (; round < 30 && error_m() > (cairn_real)0.1; ++round) {
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

/* fault: others restart, their numbers jump. */
TEST(test_neighbour_should_not_be_taken_for_two_when_it_restarts_now_and_then)
{
    settle();
    for (int restart = 0; restart < 6; ++restart) {
        sequence = (uint8_t)(sequence + 131);
        for (int round = 0; round < 10; ++round) {
            play(0, ANCHORS);
            CHECK_EQ(tag_neighbours[0].sequence, sequence);
        }
    }
    CHECK_EQ(cairn_node_get_counters(&tag)->n_duplicates, 0);
}

TEST(test_neighbour_should_be_believed_again_after_3_rounds_when_it_restarts_with_numbers_that_look_late)
{
    settle();
    sequence = (uint8_t)(sequence - 20);
    for (int round = 0; round < 4; ++round) {
        play(0, ANCHORS);
    }
    CHECK_EQ(tag_neighbours[0].sequence, sequence);
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

/* Nearly on a line, loose neighbours show two places; one of them is clearly better. */
TEST(test_node_should_leave_the_mirror_image_of_its_place_when_all_its_neighbours_are_loose)
{
    static const cairn_real loose_m[4][2] = {{0, 2}, {10, -2}, {20, 3}, {30, 0}};
    static const cairn_real image_m[2] = {11, -5};
    begin();
    cfg.noise_abs_m = (cairn_real)0.8;
    CHECK_EQ(cairn_node_set_place(&tag, image_m, 0), CAIRN_OK);
    for (int round = 0; round < 40; ++round) {
        ++sequence;
        now_us += ROUND_US;
        for (uint16_t i = 0; i < 4; ++i) {
            hear((uint16_t)(i + 1), loose_m[i], CAIRN_STAGE_LOOSE, cairn_distance(loose_m[i], truth_m, 2));
        }
        CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
    }
    CHECK_EQ(cairn_node_get_counters(&tag)->n_relocks, 0);
    CHECK_EQ(cairn_node_get_counters(&tag)->n_mirrors, 1);
    CHECK(error_m() < (cairn_real)0.05);
}

/* A round in which anchors 1 to 3 are ranged, heard or not, and neighbour `teller` tells where they are, all off by
 * `off_m`, if that is known (1), and the length of the ways there, twice R. */
static void play_told(uint16_t teller, bool heard, cairn_real off_m, uint8_t known)
{
    static const cairn_real teller_m[2] = {20, 10};
    cairn_beacon_t beacon;
    ++sequence;
    now_us += ROUND_US;
    memset(&beacon, 0, sizeof beacon);
    for (uint16_t i = 0; i < 3; ++i) {
        cairn_beacon_path_t *path = &beacon.path[i];
        path->id = (uint16_t)(i + 1);
        path->place[0] = (int16_t)((anchor_m[i][0] + off_m) / cfg.grid_m);
        path->place[1] = (int16_t)(anchor_m[i][1] / cfg.grid_m);
        path->length = 1024;
        path->flags = known;
        if (heard) {
            hear(path->id, anchor_m[i], CAIRN_STAGE_ANCHOR, anchor_range(i));
        } else {
            CHECK_EQ(cairn_node_on_range(&tag, path->id, anchor_range(i), now_us), CAIRN_OK);
        }
    }
    beacon.network = 1;
    beacon.id = teller;
    beacon.sequence = sequence;
    beacon.stage = CAIRN_STAGE_LOOSE;
    beacon.kind = CAIRN_BEACON_KIND_PATHS;
    beacon.n_entries = 3;
    beacon.deviation = 200;
    CHECK_EQ(cairn_node_on_range(&tag, teller, cairn_distance(teller_m, truth_m, 2), now_us), CAIRN_OK);
    beacon.place[0] = (int16_t)(teller_m[0] / cfg.grid_m);
    beacon.place[1] = (int16_t)(teller_m[1] / cfg.grid_m);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, cairn_beacon_encode(&beacon, frame, sizeof frame), now_us), CAIRN_OK);
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
}

static uint16_t two_tellers(void) { return (uint16_t)(50u + sequence % 2u); }

TEST(test_node_should_build_on_anchors_that_it_ranges_but_does_not_hear_when_two_tell_their_places)
{
    cairn_real place_m[2];
    cairn_real std_m = 0;
    begin();
    for (int round = 0; round < STEPS; ++round) {
        play_told(two_tellers(), false, 0, 1);
    }
    CHECK(error_m() < 2 * cfg.grid_m);
    CHECK_EQ(cairn_node_get_place(&tag, place_m, &std_m), CAIRN_OK);
    CHECK(std_m < 2 * cfg.noise_abs_m);
}

TEST(test_anchor_should_be_believed_before_others_when_it_is_heard)
{
    begin();
    for (int round = 0; round < STEPS; ++round) {
        play_told(two_tellers(), true, 5, 1);
    }
    CHECK(error_m() < 2 * cfg.grid_m);
}

/* fault: a rogue neighbour. Beside it, another one tells the truth, `honest` of 10 rounds. */
TEST(test_anchor_should_neither_be_made_nor_moved_by_others_when_two_do_not_agree)
{
    for (uint16_t honest = 0; honest < 10; honest = (uint16_t)(honest + 5)) {
        begin();
        for (int round = 0; round < STEPS; ++round) {
            const bool lies = round % 10 >= honest;
            play_told(lies ? 50 : 51, false, lies ? 3 : 0, 1);
        }
        for (size_t i = 0; i < NEIGHBOURS; ++i) {
            CHECK(tag_neighbours[i].stage != CAIRN_STAGE_ANCHOR);
        }
    }
    for (int round = 0; round < STEPS; ++round) {
        play_told(two_tellers(), false, 0, 1);
    }
    CHECK(error_m() < 2 * cfg.grid_m);
    for (int round = 0; round < STEPS; ++round) {
        play_told(50, false, 3, 1);
    }
    CHECK(error_m() < 2 * cfg.grid_m);
}

/* fault: a rogue neighbour that says to be at an anchor, and that elsewhere; others would repeat it. */
TEST(test_node_should_not_pass_on_a_false_place_of_an_anchor_when_it_hears_the_anchor)
{
    cairn_beacon_t lie = {.network = 1, .id = 50, .stage = CAIRN_STAGE_LOOSE, .kind = CAIRN_BEACON_KIND_PATHS};
    lie.n_entries = 1;
    lie.path[0].id = 1;
    lie.path[0].place[0] = -8000;
    lie.path[0].flags = 1;
    begin();
    for (int round = 0; round < STEPS; ++round) {
        play(0, ANCHORS);
        lie.sequence = sequence;
        CHECK_EQ(cairn_node_on_range(&tag, lie.id, 3, now_us), CAIRN_OK);
        CHECK_EQ(cairn_node_on_beacon(&tag, frame, cairn_beacon_encode(&lie, frame, sizeof frame), now_us), CAIRN_OK);
        for (size_t i = 0; i < WAYS; ++i) {
            CHECK(tag_ways[i].id != 1 || tag_ways[i].place[0] != lie.path[0].place[0]);
        }
    }
}

/* fault: a rogue neighbour. */
TEST(test_neighbour_should_stay_where_it_said_when_it_falls_silent_and_another_tells_it_elsewhere)
{
    begin();
    for (int round = 0; round < 60; ++round) {
        play_told(two_tellers(), true, 0, 1);
    }
    CHECK(error_m() < (cairn_real)0.05);
    for (int round = 0; round < 60; ++round) {
        play_told(two_tellers(), false, 3, 1);
    }
    CHECK(error_m() < (cairn_real)0.05);
}

TEST(test_anchors_should_be_kept_when_a_node_is_lost_that_hears_them_but_ranges_them_seldom)
{
    uint32_t n_heard = 0;
    settle();
    for (int round = 0; round < 8; ++round) {
        ++sequence;
        now_us += ROUND_US;
        for (int i = 0; i < ANCHORS; ++i) {
            const size_t length = make_frame((uint16_t)(i + 1), anchor_m[i], CAIRN_STAGE_ANCHOR);
            CHECK_EQ(cairn_node_on_beacon(&tag, frame, length, now_us), CAIRN_OK);
        }
        CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
    }
    cairn_node_lose(&tag);
    for (size_t i = 0; i < NEIGHBOURS; ++i) {
        n_heard += tag_neighbours[i].used != 0 ? 1u : 0u;
    }
    CHECK_EQ(n_heard, ANCHORS);
}

TEST(test_node_should_take_nobody_for_an_anchor_when_there_is_none_or_its_place_is_not_known)
{
    for (uint8_t known = 0; known < 2; ++known) {
        begin();
        cfg.options = known ? CAIRN_NODE_NO_ANCHORS : 0;
        for (int round = 0; round < STEPS; ++round) {
            play_told(two_tellers(), false, 0, known);
        }
        for (size_t i = 0; i < NEIGHBOURS; ++i) {
            CHECK(tag_neighbours[i].stage != CAIRN_STAGE_ANCHOR);
        }
    }
}

/* fault: clock wrap; and a node that starts late. */
TEST(test_node_should_go_on_when_the_clock_wraps)
{
    begin();
    now_us = UINT32_MAX - 20u * ROUND_US;
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
    CHECK_EQ(cairn_node_tick(&tag, now_us + UINT32_MAX / 2u + 1u), CAIRN_ERR_STALE); /* so far ahead is the past */
    for (int round = 0; round < 40; ++round) {
        play(0, ANCHORS);
    }
    CHECK(error_m() < (cairn_real)0.05);
}

static cairn_status call(int which, uint32_t t_us)
{
    switch (which) {
    case 0: return cairn_node_on_range(&tag, 1, 12, t_us);
    case 1: return cairn_node_on_beacon(&tag, frame, make_frame(1, anchor_m[0], CAIRN_STAGE_ANCHOR), t_us);
    default: return cairn_node_tick(&tag, t_us);
    }
}

/* fault: stale time, and a clock that starts anywhere: the first round starts it. */
TEST(test_calls_should_be_taken_at_any_time_before_the_first_round_and_refused_when_stale)
{
    const uint32_t start_us = 0x90000000u;
    for (int first = 0; first < 3; ++first) {
        test_context("call", (uint32_t)first);
        begin();
        CHECK_EQ(call(first, start_us), CAIRN_OK);
        CHECK_EQ(tag.t_us, start_us);
        if (first < 2) { /* no round yet: back, and on again */
            CHECK_EQ(call(first, start_us - 7), first == 0 ? CAIRN_OK : CAIRN_REJECTED); /* the same frame twice */
            CHECK_EQ(tag.t_us, start_us - 7);
            CHECK_EQ(call(2, start_us), CAIRN_OK);
        }
        CHECK_EQ(cairn_node_get_counters(&tag)->n_stale, 0);
        keep(&before);
        for (int which = 0; which < 3; ++which) {
            CHECK_EQ(call(which, start_us - 1), CAIRN_ERR_STALE);
            CHECK_EQ(call(which, start_us - 0x7FFFFFFFu), CAIRN_ERR_STALE);
        }
        CHECK(is_kept(&before));
        CHECK_EQ(cairn_node_get_counters(&tag)->n_stale, 6);
        CHECK_EQ(call(2, start_us + 0x7FFFFFFFu), CAIRN_OK);
    }
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

/* Saved and loaded at any step, the run goes on bit for bit. */
/* One round of a tag that steps by (x, y): the anchors are heard at half the step. */
static void walk(cairn_real x_m, cairn_real y_m)
{
    ++sequence;
    for (int half = 0; half < 2; ++half) {
        now_us += ROUND_US / 2;
        truth_m[0] += x_m / 2;
        truth_m[1] += y_m / 2;
        for (int i = 0; i < ANCHORS && half == 0; ++i) {
            hear((uint16_t)(i + 1), anchor_m[i], CAIRN_STAGE_ANCHOR, anchor_range(i));
        }
    }
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
}

static void begin_moving(cairn_real share)
{
    begin();
    cfg.move_m = 1;
    cfg.move_keep = share;
    for (int round = 0; round < 20; ++round) {
        walk(0, 0);
    }
}

TEST(test_place_should_keep_up_when_a_node_moves_on_steadily)
{
    begin_moving((cairn_real)0.95);
    for (int round = 0; round < 20; ++round) {
        walk((cairn_real)0.8, (cairn_real)0.6);
        CHECK(error_m() < (round < 10 ? 1 : (cairn_real)0.1));
    }
    for (int round = 0; round < 20; ++round) {
        walk(0, 0);
    }
    CHECK(error_m() < (cairn_real)0.1);
}

TEST(test_place_should_have_no_velocity_when_a_movement_does_not_go_on)
{
    begin_moving(0);
    walk((cairn_real)0.8, (cairn_real)0.6);
    walk(0, 0);
    walk(0, 0);
    CHECK(error_m() < (cairn_real)0.05);
}

/* What neighbours share does not average out while they move. */
TEST(test_deviation_should_be_no_smaller_than_that_of_the_neighbours_when_nodes_move)
{
    cairn_real std_m[2];
    for (int moving = 0; moving < 2; ++moving) {
        begin();
        cfg.move_m = (cairn_real)0.1 * (cairn_real)moving;
        for (int round = 0; round < 40; ++round) {
            ++sequence;
            now_us += ROUND_US;
            for (int i = 0; i < ANCHORS; ++i) {
                hear((uint16_t)(i + 1), anchor_m[i], CAIRN_STAGE_PLACED, anchor_range(i));
            }
            CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
        }
        std_m[moving] = tag.std_m;
    }
    CHECK(std_m[0] < (cairn_real)0.9 * (cairn_real)0.0005 * cfg.radius_m * cairn_beacon_deviation(20));
    CHECK(std_m[1] > (cairn_real)0.0005 * cfg.radius_m * cairn_beacon_deviation(20));
}

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
        memset(&tag, 0xA5, sizeof tag);
        memset(tag_neighbours, 0xA5, sizeof tag_neighbours);
        memset(tag_far, 0xA5, sizeof tag_far);
        memset(tag_ways, 0xA5, sizeof tag_ways);
        restore(&before);
        for (int round = step; round < STEPS; ++round) {
            play(0, ANCHORS);
        }
        CHECK(is_kept(&end));
    }
}

TEST_MAIN(
    TEST_CASE(test_node_should_fit_in_1600_bytes_when_it_has_16_neighbours_and_4_ways),
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
    TEST_CASE(test_neighbour_should_not_be_taken_for_two_when_it_restarts_now_and_then),
    TEST_CASE(test_neighbour_should_be_believed_again_after_3_rounds_when_it_restarts_with_numbers_that_look_late),
    TEST_CASE(test_place_should_hold_when_a_neighbour_lies),
    TEST_CASE(test_node_should_leave_the_mirror_image_of_its_place_when_all_its_neighbours_are_loose),
    TEST_CASE(test_node_should_build_on_anchors_that_it_ranges_but_does_not_hear_when_two_tell_their_places),
    TEST_CASE(test_anchor_should_be_believed_before_others_when_it_is_heard),
    TEST_CASE(test_anchor_should_neither_be_made_nor_moved_by_others_when_two_do_not_agree),
    TEST_CASE(test_node_should_not_pass_on_a_false_place_of_an_anchor_when_it_hears_the_anchor),
    TEST_CASE(test_neighbour_should_stay_where_it_said_when_it_falls_silent_and_another_tells_it_elsewhere),
    TEST_CASE(test_anchors_should_be_kept_when_a_node_is_lost_that_hears_them_but_ranges_them_seldom),
    TEST_CASE(test_node_should_take_nobody_for_an_anchor_when_there_is_none_or_its_place_is_not_known),
    TEST_CASE(test_node_should_go_on_when_the_clock_wraps),
    TEST_CASE(test_calls_should_be_taken_at_any_time_before_the_first_round_and_refused_when_stale),
    TEST_CASE(test_node_should_not_pretend_when_it_hears_too_little),
    TEST_CASE(test_place_should_keep_up_when_a_node_moves_on_steadily),
    TEST_CASE(test_place_should_have_no_velocity_when_a_movement_does_not_go_on),
    TEST_CASE(test_deviation_should_be_no_smaller_than_that_of_the_neighbours_when_nodes_move),
    TEST_CASE(test_node_should_go_on_bit_for_bit_when_saved_and_loaded_at_any_step))
