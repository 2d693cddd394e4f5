/* SPDX-License-Identifier: MIT
 * Tests of a node that moves: how its place and its doubt go on with time, and how far a range corrects them, against the
 * filter's equations in double. */
#include "oracle/node.h"

#define MOVE_M 2.0
#define KEEP   0.5
#define CLOSE  2e-5 /* of a place of some ten metres in float: a few of its last places */

enum { FOLLOWING_ROUNDS = 12, PEER = 7 };

static const cairn_real east_m[2] = {30, 0};

/* A node at (10, 0) that follows its ranges, with a velocity and a doubt of its own, in the middle of a round. */
static void begin_at(cairn_real xx, cairn_real xy, cairn_real yy)
{
    begin();
    cfg.move_m = (cairn_real)MOVE_M;
    cfg.move_keep = (cairn_real)KEEP;
    tag.stage = CAIRN_STAGE_PLACED;
    tag.rounds = 20;
    tag.rounds_loose = FOLLOWING_ROUNDS;
    tag.round_us = ROUND_US;
    tag.place_m[0] = 10;
    tag.covariance_m2[0] = xx;
    tag.covariance_m2[1] = xy;
    tag.covariance_m2[2] = yy;
    sequence = 1;
}

static void check_state(double x_m, double y_m, double east_m_round, double north_m_round)
{
    CHECK_NEAR(tag.place_m[0], x_m, CLOSE);
    CHECK_NEAR(tag.place_m[1], y_m, CLOSE);
    CHECK_NEAR(tag.velocity_m[0], east_m_round, CLOSE);
    CHECK_NEAR(tag.velocity_m[1], north_m_round, CLOSE);
}

static void check_doubt(double xx, double xy, double yy)
{
    CHECK_NEAR(tag.covariance_m2[0], xx, CLOSE);
    CHECK_NEAR(tag.covariance_m2[1], xy, CLOSE);
    CHECK_NEAR(tag.covariance_m2[2], yy, CLOSE);
}

/* Time passes and nothing is heard. */
static void tick_after(uint32_t us)
{
    now_us += us;
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
}

/* The same, without a change of how long a round is taken to be. */
static void wait_for(uint32_t us)
{
    tag.ticked_us = now_us + us - ROUND_US;
    tick_after(us);
}

/* What one range does to a neighbour that lies in the direction (u, v); all of it in double. */
static void check_correction(double distance_m, double u, double v, uint8_t stage, double range_m)
{
    const cairn_real at_m[2] = {(cairn_real)(10 + distance_m * u), (cairn_real)(distance_m * v)};
    const double xx = (double)tag.covariance_m2[0];
    const double xy = (double)tag.covariance_m2[1];
    const double yy = (double)tag.covariance_m2[2];
    const double toward_x = xx * u + xy * v;
    const double toward_y = xy * u + yy * v;
    const double own2 = toward_x * u + toward_y * v;
    const double noise_at_m = distance_m > 0.35 * 40 ? distance_m : 0.35 * 40;
    const double told_m = stage == CAIRN_STAGE_ANCHOR ? 0 : 0.0005 * 40 * (double)cairn_beacon_deviation(20);
    const double jump = stage == CAIRN_STAGE_ANCHOR ? 0.35 : 0.7; /* only one of the two moves, or both */
    const double noise2 = 0.01 * noise_at_m * noise_at_m + 0.01 + told_m * told_m + jump * MOVE_M * MOVE_M;
    const double residual_m = range_m - distance_m; /* directions point away from the neighbour */
    const double all2 = own2 + noise2 * (1 + residual_m * residual_m / (9 * (own2 + noise2)));
    const double gain = -residual_m / all2;
    cfg.noise_rel = (cairn_real)0.1;
    hear(PEER, at_m, stage, (cairn_real)range_m);
    check_state(10 + 1.4 * gain * toward_x, 1.4 * gain * toward_y, 0.2 * gain * toward_x, 0.2 * gain * toward_y);
    check_doubt(xx - toward_x * toward_x / all2, xy - toward_x * toward_y / all2, yy - toward_y * toward_y / all2);
}

TEST(test_place_should_go_on_with_its_velocity_when_a_part_of_a_round_passes)
{
    begin_at(1, (cairn_real)0.25, 2);
    tag.velocity_m[0] = 1;
    tag.velocity_m[1] = -2;
    wait_for(ROUND_US / 2);
    check_state(10 + 0.5, -1, KEEP, -2 * KEEP);
}

/* A share of the movement goes on in the next round, into however many parts the ranges divide it. */
TEST(test_velocity_should_fade_by_its_share_once_a_round_when_ranges_come_within_it)
{
    static const double share[] = {0, 0.5, 0.875};
    for (size_t i = 0; i < sizeof share / sizeof share[0]; ++i) {
        for (int n_ranges = 0; n_ranges <= 8; n_ranges += 4) {
            begin_at(1, 0, 1);
            cfg.move_keep = (cairn_real)share[i];
            tag.velocity_m[1] = 4;
            for (int k = 0; k < n_ranges; ++k) {
                now_us += ROUND_US / 8;
                ++sequence;
                const double north_m = 0.5 * (k + 1); /* by then: what it hears changes nothing */
                hear(PEER, east_m, CAIRN_STAGE_ANCHOR, cairn_sqrt((cairn_real)(400 + north_m * north_m)));
            }
            tag_neighbours[0].used = 0; /* nothing pulls at the tick */
            wait_for(ROUND_US - (uint32_t)n_ranges * (ROUND_US / 8));
            check_state(10, 4, 0, 4 * share[i]);
        }
    }
}

TEST(test_doubt_should_grow_with_time_along_both_axes_when_nothing_is_heard)
{
    begin_at(1, (cairn_real)0.25, 2);
    wait_for(ROUND_US / 4);
    check_doubt(1 + 0.5 * MOVE_M * MOVE_M, 0.25, 2 + 0.5 * MOVE_M * MOVE_M);
    wait_for(3 * (ROUND_US / 4));
    check_doubt(1 + 2.0 * MOVE_M * MOVE_M, 0.25, 2 + 2.0 * MOVE_M * MOVE_M);
}

TEST(test_time_should_count_a_round_at_most_when_a_clock_leaps_or_stands)
{
    begin_at(1, 0, 1);
    tag.velocity_m[0] = 1;
    tick_after(50 * ROUND_US);
    check_state(11, 0, 0.5, 0);
    check_doubt(1 + 2.0 * MOVE_M * MOVE_M, 0, 1 + 2.0 * MOVE_M * MOVE_M);
    /* it has always stood: a round has no length, and each tick counts as one */
    begin_at(1, 0, 1);
    tag.velocity_m[0] = 1;
    tag.round_us = 0;
    tick_after(0);
    check_state(11, 0, 0.5, 0);
}

TEST(test_round_should_be_as_long_as_ticks_are_apart_when_the_first_comes_at_any_time)
{
    begin();
    now_us = 4000000000u;
    tick_after(0);
    CHECK_EQ(tag.round_us, 0); /* how long ago the round before it was, nobody knows */
    tick_after(ROUND_US);
    CHECK_EQ(tag.round_us, ROUND_US);
    for (int round = 0; round < 200; ++round) {
        tick_after(ROUND_US);
        CHECK_NEAR(tag.round_us, ROUND_US, 20);
    }
}

TEST(test_round_should_be_the_mean_of_the_first_gaps_when_they_differ)
{
    static const uint32_t gap_us[] = {400000, 1600000, 1300000, 700000, 250000, 1750000};
    uint32_t sum_us = 0;
    begin();
    tick_after(7);
    for (uint32_t k = 0; k < 6; ++k) {
        tick_after(gap_us[k]);
        sum_us += gap_us[k];
        CHECK_NEAR(tag.round_us, sum_us / (k + 1), 6);
    }
    for (int round = 0; round < 200; ++round) { /* then it forgets */
        tick_after(3 * ROUND_US);
    }
    CHECK_NEAR(tag.round_us, 3 * ROUND_US, 60);
}

TEST(test_range_should_correct_place_velocity_and_doubt_as_the_filter_says_when_it_comes)
{
    begin_at(2, (cairn_real)0.5, 1);
    check_correction(20, 1, 0, CAIRN_STAGE_ANCHOR, 19);
    begin_at(2, (cairn_real)0.5, 1);
    check_correction(20, 0, -1, CAIRN_STAGE_ANCHOR, 21.5);
    begin_at(2, (cairn_real)-0.5, 1);
    check_correction(20, 0.6, 0.8, CAIRN_STAGE_ANCHOR, 18);
}

TEST(test_range_should_correct_less_when_the_neighbour_is_in_doubt_itself)
{
    begin_at(2, (cairn_real)0.5, 1);
    check_correction(20, 0.8, 0.6, CAIRN_STAGE_PLACED, 19);
}

TEST(test_range_should_have_the_noise_of_its_distance_when_it_is_not_short)
{
    begin_at(2, (cairn_real)0.5, 1);
    check_correction(34, 0.6, 0.8, CAIRN_STAGE_ANCHOR, 33);
    begin_at(2, (cairn_real)0.5, 1);
    check_correction(5, 0.6, 0.8, CAIRN_STAGE_ANCHOR, 4);
}

/* A range weighs the less the worse it fits: its pull stops growing. */
TEST(test_range_should_weigh_less_when_it_fits_badly)
{
    static const double range_m[3] = {33, 24, 15};
    cairn_real step_m[3];
    for (int k = 0; k < 3; ++k) {
        begin_at(1, 0, 1);
        check_correction(34, 1, 0, CAIRN_STAGE_ANCHOR, range_m[k]);
        step_m[k] = tag.place_m[0] - 10;
    }
    CHECK(step_m[1] < 8 * step_m[0]);
    CHECK(step_m[2] < (cairn_real)1.3 * step_m[1]);
}

TEST(test_place_should_go_on_before_it_is_corrected_when_a_range_comes_within_a_round)
{
    begin_at(2, (cairn_real)0.5, 1);
    tag.velocity_m[1] = 4;
    now_us += ROUND_US / 2;
    hear(PEER, east_m, CAIRN_STAGE_ANCHOR, cairn_sqrt(20 * 20 + 2 * 2)); /* fits by then */
    CHECK_NEAR(tag.place_m[1], 2, 1e-3);
    CHECK_EQ(tag.moved_us, now_us);
}

TEST(test_doubt_should_begin_as_what_is_broadcast_when_a_node_begins_to_follow)
{
    begin_at(0, 5, 7);
    tag.std_m = 3;
    wait_for(ROUND_US);
    check_doubt(9 + 2.0 * MOVE_M * MOVE_M, 0, 9 + 2.0 * MOVE_M * MOVE_M);
}

TEST(test_place_should_follow_once_when_a_range_and_a_beacon_of_a_round_have_come)
{
    cairn_node_t before;
    begin_at(1, 0, 1);
    CHECK_EQ(cairn_node_on_range(&tag, PEER, 15, now_us), CAIRN_OK);
    check_state(10, 0, 0, 0);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, make_frame(PEER, east_m, CAIRN_STAGE_ANCHOR), now_us), CAIRN_OK);
    CHECK(tag.place_m[0] > 11);
    memcpy(&before, &tag, sizeof before);
    ++sequence;
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, make_frame(PEER, east_m, CAIRN_STAGE_ANCHOR), now_us), CAIRN_OK);
    CHECK_MEM(tag.place_m, before.place_m, sizeof before.place_m); /* its range is still to come */
    CHECK_EQ(cairn_node_on_range(&tag, PEER, 15, now_us), CAIRN_OK);
    CHECK(tag.place_m[0] > before.place_m[0]);
    /* the next range comes, its beacon a round later: they do not belong together */
    CHECK_EQ(cairn_node_on_range(&tag, PEER, 15, now_us), CAIRN_OK);
    tag_neighbours[0].range_age = 1;
    ++sequence;
    memcpy(&before, &tag, sizeof before);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, make_frame(PEER, east_m, CAIRN_STAGE_ANCHOR), now_us), CAIRN_OK);
    CHECK_MEM(tag.place_m, before.place_m, sizeof before.place_m);
}

/* One range, and a place off by 1 m along it: 2/5 of the Newton step, which the ridge in every direction shortens. */
TEST(test_place_should_go_a_part_of_the_step_at_a_tick_when_a_node_follows)
{
    const double variance = 0.01 + 0.2 * MOVE_M * MOVE_M; /* it was heard a round ago */
    const double weight = 9 / (9 + 1 / variance) / variance;
    const double ridge = 1.15 * 0.01 / 3 / 0.01;
    begin_at(1, 0, 1);
    hear(PEER, east_m, CAIRN_STAGE_ANCHOR, 20);
    tag.place_m[0] = 11;
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
    CHECK(tag.cost < 2);
    check_state(11 - 0.6 * weight / (weight + ridge), 0, 0, 0);
}

TEST(test_place_should_stay_between_ticks_when_a_node_does_not_follow)
{
    for (int why = 0; why < 5; ++why) {
        test_context("why", (uint32_t)why);
        begin_at(1, 0, 1);
        tag.velocity_m[0] = 1;
        tag.round_us = 0; /* each call would count a round */
        cfg.move_m = why == 0 ? 0 : cfg.move_m;
        tag.rounds_loose = why == 1 ? FOLLOWING_ROUNDS - 1 : FOLLOWING_ROUNDS;
        tag.stage = why == 2 ? CAIRN_STAGE_SEED : why == 3 ? CAIRN_STAGE_ANCHOR : CAIRN_STAGE_LOOSE;
        hear(PEER, east_m, why == 4 ? CAIRN_STAGE_UNPLACED : CAIRN_STAGE_ANCHOR, 15);
        check_state(10, 0, 1, 0);
        check_doubt(1, 0, 1);
    }
    begin_at(1, 0, 1);
    tag.stage = CAIRN_STAGE_LOOSE;
    hear(PEER, east_m, CAIRN_STAGE_ANCHOR, 15);
    CHECK(tag.place_m[0] > 11);
}

TEST(test_place_should_stay_on_the_axis_when_the_node_holds_it)
{
    static const cairn_real aside_m[2] = {26, 12};
    for (int axis = 0; axis < 2; ++axis) {
        begin_at(1, 0, 1);
        tag.axis = axis == 1;
        tag.velocity_m[1] = axis == 1 ? 1 : 0;
        hear(PEER, aside_m, CAIRN_STAGE_ANCHOR, 15);
        CHECK(tag.place_m[0] > (cairn_real)10.5);
        CHECK_EQ(tag.place_m[1] > 0, axis == 0);
        CHECK_EQ(tag.velocity_m[1] > 0, axis == 0);
    }
}

TEST_MAIN(TEST_CASE(test_place_should_go_on_with_its_velocity_when_a_part_of_a_round_passes),
          TEST_CASE(test_velocity_should_fade_by_its_share_once_a_round_when_ranges_come_within_it),
          TEST_CASE(test_doubt_should_grow_with_time_along_both_axes_when_nothing_is_heard),
          TEST_CASE(test_time_should_count_a_round_at_most_when_a_clock_leaps_or_stands),
          TEST_CASE(test_round_should_be_as_long_as_ticks_are_apart_when_the_first_comes_at_any_time),
          TEST_CASE(test_round_should_be_the_mean_of_the_first_gaps_when_they_differ),
          TEST_CASE(test_range_should_correct_place_velocity_and_doubt_as_the_filter_says_when_it_comes),
          TEST_CASE(test_range_should_correct_less_when_the_neighbour_is_in_doubt_itself),
          TEST_CASE(test_range_should_have_the_noise_of_its_distance_when_it_is_not_short),
          TEST_CASE(test_range_should_weigh_less_when_it_fits_badly),
          TEST_CASE(test_place_should_go_on_before_it_is_corrected_when_a_range_comes_within_a_round),
          TEST_CASE(test_doubt_should_begin_as_what_is_broadcast_when_a_node_begins_to_follow),
          TEST_CASE(test_place_should_follow_once_when_a_range_and_a_beacon_of_a_round_have_come),
          TEST_CASE(test_place_should_go_a_part_of_the_step_at_a_tick_when_a_node_follows),
          TEST_CASE(test_place_should_stay_between_ticks_when_a_node_does_not_follow),
          TEST_CASE(test_place_should_stay_on_the_axis_when_the_node_holds_it))
