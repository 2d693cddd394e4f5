/* SPDX-License-Identifier: MIT
 * Tests of a node's first place: two anchors that it hears, at the same distance, leave two sides; ways to two others,
 * which a neighbour tells, say which. */
#include "oracle/node.h"

enum { ABOVE_M = 60, HEARD = 2, TOLD = 2, ROUNDS = 6, TELLER = 50 };

static const cairn_real heard_m[HEARD][2] = {{0, 0}, {100, 0}};
static const cairn_real told_m[TOLD][2] = {{250, 0}, {50, 100}};

/* The last n of the ways that are told. */
static void tell_ways(int n, const cairn_real *length_m)
{
    cairn_beacon_t beacon;
    memset(&beacon, 0, sizeof beacon);
    beacon.network = 1;
    beacon.id = TELLER;
    beacon.sequence = sequence;
    beacon.kind = CAIRN_BEACON_KIND_PATHS;
    beacon.n_entries = (uint8_t)n;
    for (int i = 0; i < n; ++i) {
        const int way = TOLD - n + i;
        beacon.path[i].id = (uint16_t)(HEARD + way + 1);
        beacon.path[i].place[0] = (int16_t)(100 * told_m[way][0]);
        beacon.path[i].place[1] = (int16_t)(100 * told_m[way][1]);
        beacon.path[i].length = (uint16_t)(length_m[way] / cfg.radius_m * 512);
        beacon.path[i].flags = 1;
    }
    CHECK_EQ(cairn_node_on_range(&tag, TELLER, 1, now_us), CAIRN_OK);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, cairn_beacon_encode(&beacon, frame, sizeof frame), now_us), CAIRN_OK);
}

/* Where a node first places itself that is above and hears two anchors, at range_m from both: the second coordinate. */
static cairn_real start_at(uint8_t options, int n, cairn_real range_m, const cairn_real *length_m)
{
    cairn_real place_m[2] = {0, 0};
    begin();
    cfg.options = options;
    cfg.radius_m = 100;
    cfg.range_max_m = 200;
    truth_m[0] = 50;
    truth_m[1] = ABOVE_M;
    for (int round = 0; round < ROUNDS; ++round) {
        ++sequence;
        now_us += ROUND_US;
        for (int i = 0; i < HEARD; ++i) {
            hear((uint16_t)(i + 1), heard_m[i], CAIRN_STAGE_ANCHOR, range_m);
        }
        tell_ways(n, length_m);
        CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
    }
    CHECK_EQ(cairn_node_get_place(&tag, place_m, NULL), CAIRN_NOT_CONVERGED);
    CHECK(cairn_abs(place_m[0] - truth_m[0]) < 20);
    return place_m[1];
}

static cairn_real start_from(uint8_t options, const cairn_real *length_m)
{
    return start_at(options, TOLD, cairn_sqrt(50 * 50 + ABOVE_M * ABOVE_M), length_m);
}

TEST(test_start_should_be_where_the_lengths_say_when_they_are_nearly_straight)
{
    static const cairn_real straight_m[TOLD] = {215, 41};
    CHECK(cairn_abs(start_from(0, straight_m) - ABOVE_M) < 10);
}

/* fault: a path around a hole, longer than any place explains that suits the others. */
TEST(test_start_should_keep_to_the_other_ways_when_one_is_a_detour)
{
    static const cairn_real detour_m[TOLD] = {700, 41};
    CHECK(cairn_abs(start_from(0, detour_m) - ABOVE_M) < 15);
}

/* fault: a path around a hole, just as long as if the node were on the other side. */
TEST(test_start_should_be_among_the_anchors_when_a_detour_suits_the_side_beyond_them)
{
    static const cairn_real beyond_m[TOLD] = {215, 165};
    CHECK(start_from(0, beyond_m) > ABOVE_M / 2);
    /* lowest ids are anywhere: nothing says that the others are among them */
    CHECK(start_from(CAIRN_NODE_NO_ANCHORS, beyond_m) < -40);
}

/* fault: a place that is nearer to an anchor than the range to it, which is no path and so no detour. */
TEST(test_start_should_hold_to_the_ranges_when_a_path_draws_it_nearer_to_the_anchors)
{
    static const cairn_real drawn_m[TOLD] = {215, 100};
    CHECK(start_from(0, drawn_m) > ABOVE_M / 2);
}

TEST(test_start_should_be_drawn_to_the_anchors_no_more_when_there_are_three_ways_than_with_four)
{
    static const cairn_real beyond_m[TOLD] = {0, 160};
    CHECK(start_at(0, 1, 78, beyond_m) > 46);
}

/* Far ways weigh more where there are no anchors: the path to the near one yields. */
TEST(test_start_should_be_where_the_far_ways_say_when_there_are_no_anchors)
{
    static const cairn_real turned_m[TOLD] = {215, 120};
    CHECK(start_from(0, turned_m) > ABOVE_M / 2);
    CHECK(start_from(CAIRN_NODE_NO_ANCHORS, turned_m) < -ABOVE_M / 2);
}

TEST_MAIN(TEST_CASE(test_start_should_be_where_the_lengths_say_when_they_are_nearly_straight),
          TEST_CASE(test_start_should_keep_to_the_other_ways_when_one_is_a_detour),
          TEST_CASE(test_start_should_be_among_the_anchors_when_a_detour_suits_the_side_beyond_them),
          TEST_CASE(test_start_should_hold_to_the_ranges_when_a_path_draws_it_nearer_to_the_anchors),
          TEST_CASE(test_start_should_be_drawn_to_the_anchors_no_more_when_there_are_three_ways_than_with_four),
          TEST_CASE(test_start_should_be_where_the_far_ways_say_when_there_are_no_anchors))
