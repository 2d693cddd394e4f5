/* SPDX-License-Identifier: MIT
 * Faults 13 to 23 of tracking: clocks, ids, biases, units, floods of nonsense, odometry, copies. */
#include "oracle/track_faults.h"

static void fault_clock(uint32_t step)
{
    (void)step;
    if (!is_placed(&copy)) {
        return;
    }
    check_refused(0, 5, 0, drive.t_us - 600000u, CAIRN_ERR_STATE);    /* late by more than late_s */
    check_refused(0, 5, 0, drive.t_us + 121000000u, CAIRN_ERR_STATE); /* the future */
    check_refused(0, 5, 0, drive.t_us + 0x80000000u, CAIRN_ERR_STATE);
    const cairn_real range_m = drive_range(&drive_copy);
    CHECK(tag_range(&copy, drive_link(&drive), range_m, drive.t_us) >= 0);           /* twice the same time */
    CHECK(tag_range(&copy, drive_link(&drive), range_m, drive.t_us - 400000u) >= 0); /* a little late */
    CHECK_EQ(copy.object.track.t_us, drive.t_us);
}

TEST(test_fault_13_range_should_be_refused_when_its_time_is_stale_or_of_the_future)
{
    at_every_step_of_all(fault_clock);
}

TEST(test_fault_13_track_should_differ_only_in_its_clock_when_the_clock_wraps)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    for (uint32_t wrap = 0; wrap < STEPS; ++wrap) {
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

static void fault_other_clock(uint32_t step)
{
    if (step < SETTLED) {
        return;
    }
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
    check_recovery(RECOVERY, 2);
}

TEST(test_fault_13_tracker_should_start_anew_when_another_clock_insists)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    at_every_step(&cfg, fault_other_clock);
}

/* Two anchors' ids swapped: ranges to both disagree for good, and the tracker says so. */
TEST(test_fault_14_doubt_should_be_reported_when_two_anchors_are_swapped)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    uint32_t n_doubtful = 0;
    drive_init(&drive, 2u, 3u);
    tag_init(&tag, &cfg, &drive, false);
    for (uint32_t k = 0; k < 200u; ++k) {
        drive_step(&drive);
        CHECK_EQ(cairn_track_odometry(&tag.object.track, drive.forward_m, drive.turn_rad, drive.t_us), CAIRN_OK);
        const size_t link = drive_link(&drive);
        CHECK(tag_range(&tag, link < 4u ? link ^ 1u : link, drive_range(&drive), drive.t_us) >= 0);
        const cairn_track_state state = cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us);
        n_doubtful += state == CAIRN_TRACK_DOUBTFUL;
    }
    check_sound(&tag);
    CHECK(n_doubtful > 20u);
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

static void fault_units(uint32_t step)
{
    check_refused(step % drive.n_anchors, 15000, 0, drive.t_us, CAIRN_ERR_RANGE); /* millimetres */
}

TEST(test_fault_16_range_should_be_refused_when_it_is_given_in_millimetres) { at_every_step_of_all(fault_units); }

/* Ranges to two places in turn, ten to each, 20 a second: either would be a re-lock after eight of them. */
static void fault_two_places(uint32_t step)
{
    (void)step;
    const uint32_t n_before = copy.links.n_found[1];
    for (uint32_t k = 0; k < 200u; ++k) { /* 10 s */
        drive_copy.step = k;
        drive_copy.t_us += 50000u;
        drive_copy.place_m[0] = k / 10u % 2u == 0 ? -9 : 9;
        CHECK(tag_range(&copy, drive_link(&drive_copy), drive_range(&drive_copy), drive_copy.t_us) >= 0);
    }
    check_sound(&copy);
    CHECK(copy.links.n_found[1] - n_before <= 6u); /* at most one in 2 s */
}

TEST(test_fault_18_relocks_should_be_rare_when_two_sensors_share_an_id)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    at_every_step(&cfg, fault_two_places);
}

static void fault_reset_storm(uint32_t step)
{
    (void)step;
    const uint32_t n_before = copy.links.n_found[1];
    for (uint32_t k = 0; k < 40u; ++k) { /* 10 s of nonsense: two places in turn */
        drive_copy.t_us += DRIVE_STEP_US;
        const size_t link = k % drive.n_anchors;
        CHECK(tag_range(&copy, link, (cairn_real)(5u + 9u * ((k / 6u + link) % 4u)), drive_copy.t_us) >= 0);
    }
    check_sound(&copy);
    CHECK(copy.links.n_found[1] - n_before <= 6u); /* at most one in 2 s */
}

TEST(test_fault_18_relocks_should_be_rare_when_the_input_is_bad_for_good)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    at_every_step(&cfg, fault_reset_storm);
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

static void fault_no_noise(uint32_t step)
{
    if (!is_placed(&copy)) {
        return;
    }
    static const cairn_real std_m[3] = {(cairn_real)1e-30, (cairn_real)1e-6, (cairn_real)1e6};
    for (size_t i = 0; i < 3u; ++i) {
        tag_copy(&copy, &tag);
        const cairn_status status = cairn_track_links_range(&copy.links, &copy.object.track, step % drive.n_anchors, 10,
                                                            std_m[i], drive.t_us, NULL);
        CHECK(status == CAIRN_OK || status == CAIRN_REJECTED);
        check_sound(&copy);
    }
}

TEST(test_fault_22_state_should_stay_sound_when_a_stated_deviation_is_absurd) { at_every_step_of_all(fault_no_noise); }

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

/* The same while the tracker looks for a place again. */
static void fault_save_load_lost(uint32_t step)
{
    static tag_t loaded;
    static drive_t drive_loaded;
    drive_copy.place_m[0] += drive_copy.place_m[0] > 0 ? -14 : 14;
    for (uint32_t k = 0; k < step % 16u; ++k) {
        tag_step(&copy, &drive_copy);
    }
    tag_copy(&loaded, &copy);
    drive_loaded = drive_copy;
    for (uint32_t k = 0; k < 30u; ++k) {
        tag_step(&copy, &drive_copy);
    }
    for (uint32_t k = 0; k < 30u; ++k) {
        tag_step(&loaded, &drive_loaded);
    }
    CHECK_MEM(&loaded.object, &copy.object, sizeof copy.object);
}

TEST(test_fault_23_copy_should_go_on_bit_for_bit_when_taken_while_the_place_is_lost)
{
    at_every_step_of_all(fault_save_load_lost);
}

static void fault_save_load(uint32_t step)
{
    static tag_t loaded;
    static drive_t drive_loaded;
    (void)step;
    tag_copy(&loaded, &copy);
    drive_loaded = drive_copy;
    memset(&before, 0xA5, sizeof before); /* other memory in between */
    for (uint32_t k = 0; k < 12u; ++k) {
        tag_step(&copy, &drive_copy);
    }
    for (uint32_t k = 0; k < 12u; ++k) {
        tag_step(&loaded, &drive_loaded);
    }
    CHECK_EQ(tag_hash(&loaded), tag_hash(&copy));
    CHECK_MEM(&loaded.object, &copy.object, sizeof copy.object);
}

TEST(test_fault_23_copy_should_go_on_bit_for_bit_when_taken_at_any_range) { at_every_step_of_all(fault_save_load); }

static void fault_drop_duplicate(uint32_t step)
{
    if (step < SETTLED) {
        return;
    }
    drive_step(&drive_copy); /* a range and its odometry are lost */
    tag_step(&copy, &drive_copy);
    CHECK(tag_range(&copy, drive_link(&drive_copy), drive_range(&drive_copy), drive_copy.t_us) >= 0); /* twice */
    check_recovery(RECOVERY, 2);
}

TEST(test_tracking_should_go_on_when_a_step_is_dropped_and_one_is_doubled)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    at_every_step(&cfg, fault_drop_duplicate);
}

TEST(test_odometry_should_be_refused_when_it_is_not_finite_or_too_large)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    cairn_track_t *track = &tag.object.track;
    drive_init(&drive, 2u, 1u);
    tag_init(&tag, &cfg, &drive, false);
    tag_copy(&before, &tag);
    CHECK_EQ(cairn_track_odometry(track, (cairn_real)NAN, 0, 1u), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_track_odometry(track, 0, (cairn_real)INFINITY, 1u), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_track_odometry(track, 2e4f, 0, 1u), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_track_odometry(track, 0, 4, 1u), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_track_odometry(NULL, 0, 0, 1u), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_track_get_refused(track), 2);
    CHECK_MEM(tag.object.state, before.object.state, sizeof tag.object.state);
}

TEST_MAIN(TEST_CASE(test_fault_13_range_should_be_refused_when_its_time_is_stale_or_of_the_future),
          TEST_CASE(test_fault_13_track_should_differ_only_in_its_clock_when_the_clock_wraps),
          TEST_CASE(test_fault_13_tracker_should_start_anew_when_another_clock_insists),
          TEST_CASE(test_fault_14_doubt_should_be_reported_when_two_anchors_are_swapped),
          TEST_CASE(test_fault_15_bias_should_be_found_when_one_link_has_it),
          TEST_CASE(test_fault_16_range_should_be_refused_when_it_is_given_in_millimetres),
          TEST_CASE(test_fault_18_relocks_should_be_rare_when_the_input_is_bad_for_good),
          TEST_CASE(test_fault_18_relocks_should_be_rare_when_two_sensors_share_an_id),
          TEST_CASE(test_fault_19_motion_should_be_doubted_when_turns_of_the_odometry_are_negated),
          TEST_CASE(test_fault_21_sensors_should_stay_unplaced_when_they_see_only_each_other),
          TEST_CASE(test_fault_22_state_should_stay_sound_when_a_stated_deviation_is_absurd),
          TEST_CASE(test_fault_22_deviation_should_not_fall_below_the_floor_when_none_is_stated),
          TEST_CASE(test_fault_23_copy_should_go_on_bit_for_bit_when_taken_at_any_range),
          TEST_CASE(test_fault_23_copy_should_go_on_bit_for_bit_when_taken_while_the_place_is_lost),
          TEST_CASE(test_tracking_should_go_on_when_a_step_is_dropped_and_one_is_doubled),
          TEST_CASE(test_odometry_should_be_refused_when_it_is_not_finite_or_too_large))
