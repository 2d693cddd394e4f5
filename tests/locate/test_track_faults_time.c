/* SPDX-License-Identifier: MIT
 * Faults 13 to 23 of tracking: clocks, ids, biases, units, floods of nonsense, odometry, copies, each from every step of a
 * scripted run on. */
#include "oracle/track_faults.h"

static void other_times(uint32_t step)
{
    const cairn_real range_m = drive_range(&drive_copy);
    (void)step;
    check_refused(0, 5, 0, drive.t_us - 600000u, CAIRN_ERR_STATE);           /* late by more than late_s */
    check_refused_for(1, 0, 5, 0, drive.t_us + 121000000u, CAIRN_ERR_STATE); /* the future */
    check_refused_for(1, 0, 5, 0, drive.t_us + 0x80000000u, CAIRN_ERR_STATE);
    CHECK(tag_range(&copy, drive_link(&drive), range_m, drive.t_us) >= 0);           /* twice the same time */
    CHECK(tag_range(&copy, drive_link(&drive), range_m, drive.t_us - 400000u) >= 0); /* a little late */
    CHECK_EQ(copy.object.track.t_us, drive.t_us);
}

TEST(test_fault_13_range_should_be_refused_when_its_time_is_stale_or_of_the_future)
{
    const fault_t fault = {other_times, SETTLED, 8, 1};
    check_fault(&fault, ALL_FORMS);
}

TEST(test_fault_13_track_should_differ_only_in_its_clock_when_the_clock_wraps)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    for (uint32_t wrap = 0; wrap < STEPS; wrap += TEST_STRIDE) {
        drive_init(&drive, 2u, 3u);
        drive_copy = drive;
        drive_copy.t_us = 0u - (wrap + 1u) * DRIVE_STEP_US; /* reaches 0 at step wrap */
        tag_init(&tag, &cfg, &drive, false);
        tag_init(&copy, &cfg, &drive, false);
        for (uint32_t k = 0; k < STEPS; ++k) {
            tag_step(&tag, &drive);
            tag_step(&copy, &drive_copy);
        }
        test_context("wrap", wrap);
        CHECK_MEM(copy.object.state, tag.object.state, sizeof tag.object.state);
    }
}

static void other_clock(uint32_t step)
{
    (void)step;
    for (uint32_t k = 0; k < 7u; ++k) { /* not often enough */
        CHECK_EQ(tag_range(&copy, 0, 5, drive_copy.t_us + 1000000000u + k), CAIRN_ERR_STATE);
    }
    tag_step(&copy, &drive_copy);
    drive_copy.t_us += 1000000000u;
    for (uint32_t k = 0; k < 8u; ++k) {
        CHECK(is_placed(&copy));
        CHECK_EQ(tag_range(&copy, 0, 5, drive_copy.t_us + k), CAIRN_ERR_STATE);
    }
    CHECK(!is_placed(&copy));
}

TEST(test_fault_13_tracker_should_start_anew_when_another_clock_insists)
{
    const fault_t fault = {other_clock, SETTLED, 40, 1};
    check_fault(&fault, ALL_FORMS);
}

/* Two pairs of the six anchors have their ids swapped for 12 s: most ranges disagree, and the tracker says so. */
static void swapped_ids(uint32_t step)
{
    uint32_t n_doubtful = 0;
    (void)step;
    for (uint32_t k = 0; k < 48u; ++k) {
        const size_t link = (drive_copy.step + 1u) % drive.n_anchors;
        step_oddly(link < 4u ? link ^ 1u : link, 1, 0);
        n_doubtful += cairn_track_get_state(&copy.object.track, &copy.links, drive_copy.t_us) == CAIRN_TRACK_DOUBTFUL;
    }
    CHECK(n_doubtful > 0);
}

TEST(test_fault_14_doubt_should_be_reported_when_two_anchors_are_swapped)
{
    const fault_t fault = {swapped_ids, SETTLED, 40, 1};
    check_fault(&fault, STEERED_IN_PLANE);
}

TEST(test_fault_15_bias_should_be_found_when_one_link_has_it)
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    cfg.scale_std = cfg.bias_std_m = 0;
    cfg.link_std_m = 1;
    drive_init(&drive, 2u, 3u);
    tag_init(&tag, &cfg, &drive, true);
    for (uint32_t k = 0; k < 300u; ++k) {
        drive_step(&drive);
        CHECK_EQ(cairn_track_odometry(&tag.object.track, drive.forward_m, drive.turn_rad, drive.t_us), CAIRN_OK);
        const cairn_real bias_m = drive_link(&drive) == 1u ? 1 : 0;
        CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive) + bias_m, drive.t_us) >= 0);
    }
    CHECK_NEAR(tag.bias[1].bias_m, 1, 0.5);
    CHECK(tag_error(&tag, &drive, NULL) < 1);
}

/* One link is 1 m too long from now on, and nobody told the tracker that links have biases. */
static void biased_link(uint32_t step)
{
    (void)step;
    for (uint32_t k = 0; k < 36u; ++k) {
        const size_t link = (drive_copy.step + 1u) % drive.n_anchors;
        step_oddly(link, 1, link == 1u ? 1 : 0);
    }
    CHECK(tag_error(&copy, &drive_copy, NULL) < 1);
}

TEST(test_fault_15_error_should_stay_below_the_bias_when_one_link_has_it_and_no_state)
{
    const fault_t fault = {biased_link, 0, 24, 1};
    check_fault(&fault, IN_PLANE);
}

static void millimetres(uint32_t step) { check_refused(step % drive.n_anchors, 15000, 0, drive.t_us, CAIRN_ERR_RANGE); }

TEST(test_fault_16_range_should_be_refused_when_it_is_given_in_millimetres)
{
    const fault_t fault = {millimetres, 0, 0, 0};
    check_fault(&fault, ALL_FORMS);
}

/* Ranges to two places in turn, ten to each, 20 a second: either would be a re-lock after eight of them. */
static void two_places(uint32_t step)
{
    const uint32_t n_before = copy.links.n_found[1];
    (void)step;
    for (uint32_t k = 0; k < 60u; ++k) { /* 3 s */
        drive_copy.step = k;
        drive_copy.t_us += 50000u;
        drive_copy.place_m[0] = k / 10u % 2u == 0 ? -9 : 9;
        CHECK(tag_range(&copy, drive_link(&drive_copy), drive_range(&drive_copy), drive_copy.t_us) >= 0);
    }
    CHECK(copy.links.n_found[1] - n_before <= 2u); /* at most one in 2 s */
}

TEST(test_fault_18_relocks_should_be_rare_when_two_sensors_share_an_id)
{
    const fault_t fault = {two_places, 0, 40, 1};
    check_fault(&fault, ALL_FORMS);
}

static void nonsense(uint32_t step)
{
    const uint32_t n_before = copy.links.n_found[1];
    (void)step;
    for (uint32_t k = 0; k < 40u; ++k) { /* 10 s */
        drive_copy.t_us += DRIVE_STEP_US;
        const size_t link = k % drive.n_anchors;
        CHECK(tag_range(&copy, link, (cairn_real)(5u + 9u * ((k / 6u + link) % 4u)), drive_copy.t_us) >= 0);
    }
    CHECK(copy.links.n_found[1] - n_before <= 6u); /* at most one in 2 s */
}

TEST(test_fault_18_relocks_should_be_rare_when_the_input_is_bad_for_good)
{
    const fault_t fault = {nonsense, 0, 32, 1};
    check_fault(&fault, IN_PLANE | ON_LINE);
}

/* The odometry of a left turn is given as one of a right turn, for 10 s. */
static void negated_turns(uint32_t step)
{
    (void)step;
    for (uint32_t k = 0; k < 40u; ++k) {
        drive_step(&drive_copy);
        CHECK_EQ(cairn_track_odometry(&copy.object.track, drive_copy.forward_m, -drive_copy.turn_rad, drive_copy.t_us),
                 CAIRN_OK);
        CHECK(tag_range(&copy, drive_link(&drive_copy), drive_range(&drive_copy), drive_copy.t_us) >= 0);
    }
    CHECK(cairn_track_get_kappa(&copy.object.track, NULL) > cairn_track_get_kappa(&tag.object.track, NULL));
}

TEST(test_fault_19_tracker_should_be_back_in_40_ranges_when_turns_were_negated)
{
    const fault_t fault = {negated_turns, SETTLED, 40, 1};
    check_fault(&fault, STEERED_TURNING);
}

TEST(test_fault_19_motion_should_be_doubted_when_turns_of_the_odometry_are_negated)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    uint8_t clamped = 0, most = 0;
    drive_init(&drive, 2u, 3u);
    tag_init(&tag, &cfg, &drive, false);
    for (uint32_t k = 0; k < 600u; ++k) {
        drive_step(&drive);
        CHECK_EQ(cairn_track_odometry(&tag.object.track, drive.forward_m, -drive.turn_rad, drive.t_us), CAIRN_OK);
        CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive), drive.t_us) >= 0);
        (void)cairn_track_get_kappa(&tag.object.track, &clamped);
        most = clamped > most ? clamped : most;
    }
    CHECK(most >= 30u);
}

/* Two sensors that hear nobody but each other have nothing to tell. */
TEST(test_fault_21_sensors_should_stay_unplaced_when_they_see_only_each_other)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    cairn_real place_m[2] = {7, 7}, cov_m2[3] = {7, 7, 7}, std_m = 7;
    const cairn_track_peer_t peer = {place_m, cov_m2, 0, 0};
    drive_init(&drive, 2u, 1u);
    tag_init(&tag, &cfg, &drive, false);
    tag_init(&copy, &cfg, &drive, false);
    for (uint32_t k = 0; k < 20u; ++k) {
        CHECK_EQ(cairn_track_get_place(&copy.object.track, place_m, &std_m), CAIRN_UNPLACED);
        CHECK_EQ(cairn_track_get_covariance(&copy.object.track, cov_m2), CAIRN_UNPLACED);
        CHECK_EQ(cairn_track_range(&tag.object.track, &peer, 5, 0, k * DRIVE_STEP_US, NULL), CAIRN_UNPLACED);
    }
    CHECK(place_m[0] == 7 && cov_m2[2] == 7 && std_m == 7);
    CHECK_EQ(cairn_track_get_state(&tag.object.track, NULL, 0), CAIRN_TRACK_UNPLACED);
}

/* Eight ranges, each told with an absurd deviation. */
static void absurd_deviation(uint32_t step)
{
    static const cairn_real std_m[4] = {(cairn_real)1e-30, (cairn_real)1e-6, (cairn_real)1e6, (cairn_real)1e-30};
    for (uint32_t k = 0; k < 8u; ++k) {
        tag_move(&copy, &drive_copy);
        CHECK(cairn_track_links_range(&copy.links, &copy.object.track, drive_link(&drive_copy),
                                      drive_range(&drive_copy), std_m[(step + k) % 4u], drive_copy.t_us, NULL) >= 0);
        check_sound(&copy);
    }
}

TEST(test_fault_22_tracker_should_be_back_in_40_ranges_when_stated_deviations_are_absurd)
{
    const fault_t fault = {absurd_deviation, 0, 40, 1};
    check_fault(&fault, ALL_FORMS);
}

/* A range is no better than its floor, whatever is stated: 1 mm and a ten-thousandth, over 40 of them. */
TEST(test_fault_22_deviation_should_not_fall_below_the_floor_when_none_is_stated)
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_STILL);
    cairn_real std_m = 0;
    cfg.noise_motion = cfg.scale_std = cfg.bias_std_m = 0;
    drive_init(&drive, 2u, 3u);
    drive.noise_m = 0;
    tag_init(&tag, &cfg, &drive, false);
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
    for (uint32_t k = 0; k < 40u; ++k) {
        drive.step = k;
        drive.t_us += DRIVE_STEP_US;
        CHECK(cairn_track_links_range(&tag.links, &tag.object.track, drive_link(&drive), drive_range(&drive),
                                      (cairn_real)1e-30, drive.t_us, NULL) >= 0);
    }
    CHECK(tag_error(&tag, &drive, &std_m) < (cairn_real)1e-3);
    CHECK(std_m > (cairn_real)2e-4); /* 2.6 mm a range, 20 of them an axis: .6 mm */
}

/* A copy goes on as the tracker itself: placed, and while it looks for its place. */
static void copied(uint32_t step)
{
    static tag_t loaded;
    static drive_t drive_loaded;
    for (uint32_t lost = 0; lost < 2u; ++lost) {
        for (uint32_t k = 0; k < lost * (step % 12u); ++k) {
            drive_copy.place_m[0] += k == 0 ? 14 : 0;
            tag_step(&copy, &drive_copy);
        }
        tag_copy(&loaded, &copy);
        drive_loaded = drive_copy;
        memset(&before, 0xA5, sizeof before); /* other memory in between */
        for (uint32_t k = 0; k < 8u; ++k) {
            tag_step(&copy, &drive_copy);
        }
        for (uint32_t k = 0; k < 8u; ++k) {
            tag_step(&loaded, &drive_loaded);
        }
        CHECK_EQ(tag_hash(&loaded), tag_hash(&copy));
        CHECK_MEM(&loaded.object, &copy.object, sizeof copy.object);
        CHECK_MEM(loaded.bias, copy.bias, sizeof copy.bias);
        CHECK_MEM(loaded.link, copy.link, sizeof copy.link);
        CHECK_EQ(loaded.links.relock_us, copy.links.relock_us);
    }
}

TEST(test_fault_23_copy_should_go_on_bit_for_bit_when_taken_at_any_range)
{
    const fault_t fault = {copied, 0, 0, 0};
    check_fault(&fault, ALL_FORMS);
}

static void dropped_doubled_and_exchanged(uint32_t step)
{
    (void)step;
    drive_step(&drive_copy); /* a range and its odometry are lost */
    tag_step(&copy, &drive_copy);
    const cairn_real range_m = drive_range(&drive_copy);
    const size_t link = drive_link(&drive_copy);
    CHECK(tag_range(&copy, link, range_m, drive_copy.t_us) >= 0); /* another one of the same time */
    tag_step(&copy, &drive_copy);
    CHECK(tag_range(&copy, link, range_m, drive_copy.t_us - DRIVE_STEP_US) >= 0); /* and it comes again, too late */
}

TEST(test_tracking_should_go_on_when_steps_are_dropped_doubled_and_exchanged)
{
    const fault_t fault = {dropped_doubled_and_exchanged, 0, 24, 1};
    check_fault(&fault, ALL_FORMS);
}

static void bad_odometry(uint32_t step)
{
    cairn_track_t *track = &copy.object.track;
    (void)step;
    tag_copy(&before, &copy);
    CHECK_EQ(cairn_track_odometry(track, 2e4f, 0, drive.t_us), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_track_odometry(track, 0, 4, drive.t_us), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_track_odometry(NULL, 0, 0, drive.t_us), CAIRN_ERR_ARG);
    CHECK_MEM(&copy.object, &before.object, sizeof copy.object);
    CHECK_EQ(cairn_track_odometry(track, (cairn_real)NAN, 0, drive.t_us), CAIRN_ERR_NONFINITE);
    check_untouched();
    tag_copy(&before, &copy);
    CHECK_EQ(cairn_track_odometry(track, 0, (cairn_real)INFINITY, drive.t_us), CAIRN_ERR_NONFINITE);
    check_untouched();
}

/* The heading is as well known as before: with a place, and without, where any time is taken. */
TEST(test_odometry_should_pass_no_time_when_its_time_goes_back)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    for (int placed = 0; placed < 2; ++placed) {
        test_context("placed", (uint32_t)placed);
        drive_init(&drive, 2u, 1u);
        tag_init(&tag, &cfg, &drive, false);
        CHECK_EQ(cairn_track_predict(&tag.object.track, drive.t_us), CAIRN_OK);
        CHECK_EQ(cairn_track_set_heading(&tag.object.track, drive.heading, (cairn_real)0.1), CAIRN_OK);
        if (placed != 0) {
            CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
        }
        tag_copy(&before, &tag);
        CHECK_EQ(cairn_track_odometry(&tag.object.track, 0, 0, drive.t_us - 200000u), CAIRN_OK);
        CHECK_MEM(tag.object.state, before.object.state, sizeof tag.object.state);
    }
}

TEST(test_odometry_should_be_refused_when_it_is_not_finite_or_too_large)
{
    const fault_t fault = {bad_odometry, 0, 0, 0};
    check_fault(&fault, STEERED);
}

TEST_MAIN(TEST_CASE(test_fault_13_range_should_be_refused_when_its_time_is_stale_or_of_the_future),
          TEST_CASE(test_fault_13_track_should_differ_only_in_its_clock_when_the_clock_wraps),
          TEST_CASE(test_fault_13_tracker_should_start_anew_when_another_clock_insists),
          TEST_CASE(test_fault_14_doubt_should_be_reported_when_two_anchors_are_swapped),
          TEST_CASE(test_fault_15_bias_should_be_found_when_one_link_has_it),
          TEST_CASE(test_fault_15_error_should_stay_below_the_bias_when_one_link_has_it_and_no_state),
          TEST_CASE(test_fault_16_range_should_be_refused_when_it_is_given_in_millimetres),
          TEST_CASE(test_fault_18_relocks_should_be_rare_when_two_sensors_share_an_id),
          TEST_CASE(test_fault_18_relocks_should_be_rare_when_the_input_is_bad_for_good),
          TEST_CASE(test_fault_19_tracker_should_be_back_in_40_ranges_when_turns_were_negated),
          TEST_CASE(test_fault_19_motion_should_be_doubted_when_turns_of_the_odometry_are_negated),
          TEST_CASE(test_fault_21_sensors_should_stay_unplaced_when_they_see_only_each_other),
          TEST_CASE(test_fault_22_tracker_should_be_back_in_40_ranges_when_stated_deviations_are_absurd),
          TEST_CASE(test_fault_22_deviation_should_not_fall_below_the_floor_when_none_is_stated),
          TEST_CASE(test_fault_23_copy_should_go_on_bit_for_bit_when_taken_at_any_range),
          TEST_CASE(test_tracking_should_go_on_when_steps_are_dropped_doubled_and_exchanged),
          TEST_CASE(test_odometry_should_pass_no_time_when_its_time_goes_back),
          TEST_CASE(test_odometry_should_be_refused_when_it_is_not_finite_or_too_large))
