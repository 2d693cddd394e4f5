/* SPDX-License-Identifier: MIT
 * Faults of tracking, each at every step of a scripted run: what is refused changes nothing but counters, what is taken
 * has a bounded effect, and the tracker comes back. */
#include "oracle/drive.h"

enum { STEPS = 60, SETTLED = 16, RECOVERY = 40 };

static tag_t tag, copy, before;
static drive_t drive, drive_copy;

/* Runs the script; calls a fault after every step, on a copy. */
static void at_every_step(const cairn_track_cfg_t *cfg, void (*fault)(uint32_t step))
{
    drive_init(&drive, cfg->dim, 11u);
    tag_init(&tag, cfg, &drive, false);
    for (uint32_t k = 0; k < STEPS; ++k) {
        tag_step(&tag, &drive);
        tag_copy(&copy, &tag);
        drive_copy = drive;
        test_context("step", k);
        fault(k);
    }
}

static void at_every_step_of_all(void (*fault)(uint32_t step))
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    at_every_step(&cfg, fault);
    cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    at_every_step(&cfg, fault);
    cfg = tag_cfg(3u, CAIRN_TRACK_DECAY);
    at_every_step(&cfg, fault);
}

static bool is_placed(const tag_t *self)
{
    cairn_real place_m[3];
    return cairn_track_get_place(&self->object.track, place_m, NULL) != CAIRN_UNPLACED;
}

/* All bytes but the counters of refused calls and of other clocks are as before; n_refused has grown by 1. */
static void check_untouched(void)
{
    CHECK_EQ(cairn_track_get_refused(&copy.object.track), cairn_track_get_refused(&before.object.track) + 1);
    copy.object.track.n_refused = before.object.track.n_refused;
    copy.object.track.counts = before.object.track.counts;
    before.links.link = copy.links.link;
    CHECK_MEM(&copy, &before, sizeof copy);
}

static void check_refused(size_t link, cairn_real range_m, cairn_real std_m, uint32_t t_us, cairn_status expected)
{
    cairn_track_innovation_t innovation = {7, 7, 7, {7}};
    tag_copy(&before, &copy);
    CHECK_EQ(cairn_track_links_range(&copy.links, &copy.object.track, link, range_m, std_m, t_us, &innovation),
             expected);
    CHECK(innovation.weight == 7);
    check_untouched();
}

/* Every number of the state is finite and the variances are not negative. */
static void check_sound(const tag_t *self)
{
    const cairn_track_cfg_t *cfg = self->object.track.cfg;
    const size_t n = CAIRN_TRACK_STATES(cfg->dim, cfg->motion, cfg->n_link_biases);
    CHECK(cairn_all_finite(self->object.state, CAIRN_TRACK_REALS(n)));
    for (size_t i = 0; i < n; ++i) {
        CHECK(self->object.state[n + i * (i + 1u) / 2u + i] >= 0);
    }
}

/* Within n more steps the error is explained by the stated deviation, and small. */
static void check_recovery(uint32_t n_steps, cairn_real limit_m)
{
    cairn_real std_m = 0;
    for (uint32_t k = 0; k < n_steps; ++k) {
        tag_step(&copy, &drive_copy);
    }
    check_sound(&copy);
    const cairn_real error_m = tag_error(&copy, &drive_copy, &std_m);
    CHECK(error_m >= 0 && error_m < limit_m);
}

static void fault_bad_range(uint32_t step)
{
    const size_t link = step % drive.n_anchors;
    check_refused(link, 0, 0, drive.t_us, CAIRN_ERR_RANGE);
    check_refused(link, (cairn_real)-0.0, 0, drive.t_us, CAIRN_ERR_RANGE);
    check_refused(link, -3, 0, drive.t_us, CAIRN_ERR_RANGE);
    check_refused(link, (cairn_real)NAN, 0, drive.t_us, CAIRN_ERR_NONFINITE);
    check_refused(link, (cairn_real)INFINITY, 0, drive.t_us, CAIRN_ERR_NONFINITE);
    check_refused(link, (cairn_real)-INFINITY, 0, drive.t_us, CAIRN_ERR_NONFINITE);
    check_refused(link, CAIRN_REAL_MAX, 0, drive.t_us, CAIRN_ERR_RANGE);
    check_refused(link, 5, (cairn_real)NAN, drive.t_us, CAIRN_ERR_NONFINITE);
}

TEST(test_fault_1_range_should_be_refused_when_it_is_zero_negative_or_not_finite)
{
    at_every_step_of_all(fault_bad_range);
}

/* A wild range has the gain of its weight, 4 / (4 + t2), so the place moves at most by deviation x t / (1 + t2 / 4), which
 * is largest at t = 2: one deviation of the place. */
static void fault_wild_once(uint32_t step)
{
    cairn_real std_m = 0, place_m[3], moved_m[3];
    if (!is_placed(&copy) || step < SETTLED) {
        return;
    }
    const cairn_real range_m = drive_range(&drive_copy);
    tag_copy(&before, &copy);
    CHECK_EQ(cairn_track_predict(&before.object.track, drive.t_us), CAIRN_OK);
    CHECK(cairn_track_get_place(&before.object.track, place_m, &std_m) >= 0);
    for (uint32_t factor = 10; factor <= 100u; factor *= 10u) {
        tag_copy(&copy, &before);
        CHECK_EQ(tag_range(&copy, drive_link(&drive), range_m * (cairn_real)factor, drive.t_us), CAIRN_REJECTED);
        CHECK(cairn_track_get_place(&copy.object.track, moved_m, NULL) >= 0);
        CHECK(cairn_distance(place_m, moved_m, drive.dim) < std_m * 2);
    }
    check_recovery(RECOVERY, 2);
}

TEST(test_fault_2_place_should_move_less_than_its_deviation_when_a_range_is_wild)
{
    at_every_step_of_all(fault_wild_once);
}

static void fault_wild_five(uint32_t step)
{
    for (uint32_t k = 0; k < 5u && step > SETTLED; ++k) {
        drive_step(&drive_copy);
        if (copy.object.track.cfg->motion == CAIRN_TRACK_ODOMETRY) {
            CHECK_EQ(
                cairn_track_odometry(&copy.object.track, drive_copy.forward_m, drive_copy.turn_rad, drive_copy.t_us),
                CAIRN_OK);
        }
        CHECK(tag_range(&copy, drive_link(&drive_copy), 10 * drive_range(&drive_copy), drive_copy.t_us) >= 0);
    }
    check_recovery(RECOVERY, 3);
}

TEST(test_fault_2_tracker_should_be_back_in_40_ranges_when_five_in_a_row_are_wild)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    at_every_step(&cfg, fault_wild_five);
}

/* Two anchors alone: either side of their line. */
TEST(test_fault_3_mirror_should_be_reported_when_all_anchors_are_on_a_line)
{
    static const cairn_real line_m[6] = {-10, 0, 0, 0, 12, 0};
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_STILL);
    cfg.bias_std_m = cfg.scale_std = 0;
    drive_init(&drive, 2u, 1u);
    drive.anchor_m = line_m;
    drive.n_anchors = 3;
    tag_init(&tag, &cfg, &drive, false);
    for (uint32_t k = 0; k < 12u; ++k) {
        drive.step = k;
        drive.t_us += DRIVE_STEP_US;
        CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive), drive.t_us) >= 0);
    }
    CHECK_EQ(cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us), CAIRN_TRACK_MIRROR);
    cairn_real place_m[2];
    CHECK_EQ(cairn_track_get_place(&tag.object.track, place_m, NULL), CAIRN_FLIP_POSSIBLE);
    CHECK_NEAR(place_m[0], drive.place_m[0], 1);
    CHECK_NEAR(cairn_abs(place_m[1]), drive.place_m[1], 1);
}

static void run_flat(int side, cairn_real *place_m, cairn_track_state *state)
{
    static const cairn_real flat_m[12] = {-10, -10, 2, 10, -9, 2, 9, 10, 2, -10, 8, 2};
    cairn_track_cfg_t cfg = tag_cfg(3u, CAIRN_TRACK_STILL);
    cfg.scale_std = 0;
    cfg.side = (int8_t)side;
    drive_init(&drive, 3u, 1u);
    drive.anchor_m = flat_m;
    drive.n_anchors = 4;
    drive.place_m[2] = -2;
    tag_init(&tag, &cfg, &drive, false);
    for (uint32_t k = 0; k < 16u; ++k) {
        drive.step = k;
        drive.t_us += DRIVE_STEP_US;
        CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive), drive.t_us) >= 0);
    }
    CHECK(cairn_track_get_place(&tag.object.track, place_m, NULL) >= 0);
    *state = cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us);
}

TEST(test_fault_4_height_should_be_doubted_when_all_anchors_have_one_height)
{
    cairn_real place_m[3], again_m[3];
    cairn_track_state state;
    run_flat(0, place_m, &state);
    CHECK(state == CAIRN_TRACK_MIRROR || state == CAIRN_TRACK_HEIGHT);
    CHECK_NEAR(place_m[0], drive.place_m[0], 1);
    CHECK_NEAR(place_m[1], drive.place_m[1], 1);
    run_flat(0, again_m, &state);
    CHECK_MEM(again_m, place_m, sizeof place_m); /* the same answer each time */
    run_flat(-1, place_m, &state);
    CHECK(place_m[2] < 2);
}

TEST(test_fault_5_tracker_should_stay_unplaced_when_anchors_are_too_few_or_in_one_point)
{
    static const cairn_real point_m[8] = {3, 3, 3, 3, 3, 3, 3, 3};
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    cairn_real std_m;
    drive_init(&drive, 2u, 1u);
    drive.n_anchors = 2;
    tag_init(&tag, &cfg, &drive, false);
    for (uint32_t k = 0; k < 20u; ++k) {
        tag_step(&tag, &drive);
    }
    CHECK(!is_placed(&tag));
    drive_init(&drive, 2u, 1u);
    drive.n_anchors = 4;
    drive.anchor_m = point_m;
    tag_init(&tag, &cfg, &drive, false);
    for (uint32_t k = 0; k < 20u; ++k) {
        tag_step(&tag, &drive);
    }
    check_sound(&tag);
    CHECK(!is_placed(&tag) || tag_error(&tag, &drive, &std_m) < 5 * std_m || (tag.object.track.flags & 2u) != 0);
}

static void fault_on_anchor(uint32_t step)
{
    (void)step;
    const uint32_t t_us = drive.t_us + 1000u;
    CHECK_EQ(cairn_track_set_place(&copy.object.track, drive.anchor_m, (cairn_real)0.1, t_us), CAIRN_OK);
    for (uint32_t k = 0; k < 4u; ++k) {
        CHECK(tag_range(&copy, 0, (cairn_real)0.01, t_us + k * 1000u) >= 0);
        check_sound(&copy);
    }
}

TEST(test_fault_6_state_should_stay_finite_when_the_sensor_is_on_an_anchor) { at_every_step_of_all(fault_on_anchor); }

TEST(test_fault_7_place_should_be_refused_when_coordinates_cannot_be_resolved)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    const cairn_real limit_m = cfg.noise_m / 10 / CAIRN_REAL_EPSILON;
    cairn_real far_m[2] = {limit_m * 2, 0};
    drive_init(&drive, 2u, 1u);
    tag_init(&tag, &cfg, &drive, false);
    CHECK_EQ(cairn_track_set_place(&tag.object.track, far_m, 1, 0), CAIRN_ERR_RESOLUTION);
    cairn_track_peer_t peer = {far_m, NULL, 0, 0};
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, 0), CAIRN_OK);
    CHECK_EQ(cairn_track_range(&tag.object.track, &peer, 5, 0, 0, NULL), CAIRN_ERR_RESOLUTION);
    far_m[0] = limit_m / 2;
    CHECK_EQ(cairn_track_set_place(&tag.object.track, far_m, 1, 0), CAIRN_OK);
    far_m[1] = (cairn_real)NAN;
    CHECK_EQ(cairn_track_set_place(&tag.object.track, far_m, 1, 0), CAIRN_ERR_NONFINITE);
}

/* Three, two, one, no anchors for 12 ranges each, and back. */
TEST(test_fault_8_deviation_should_grow_when_anchors_vanish_and_shrink_when_they_return)
{
    for (cairn_track_motion motion = CAIRN_TRACK_STILL; motion <= CAIRN_TRACK_ODOMETRY; ++motion) {
        const cairn_track_cfg_t cfg = tag_cfg(2u, motion);
        cairn_real std_m = 0, starved_m = 0;
        drive_init(&drive, 2u, 5u);
        tag_init(&tag, &cfg, &drive, false);
        for (uint32_t k = 0; k < 120u; ++k) {
            tag_step(&tag, &drive);
        }
        (void)tag_error(&tag, &drive, &std_m);
        for (uint32_t k = 0; k < 60u; ++k) {
            cairn_real last_m = starved_m;
            drive_step(&drive);
            if (motion == CAIRN_TRACK_ODOMETRY) {
                CHECK_EQ(cairn_track_odometry(&tag.object.track, drive.forward_m, drive.turn_rad, drive.t_us),
                         CAIRN_OK);
            }
            CHECK_EQ(cairn_track_predict(&tag.object.track, drive.t_us), CAIRN_OK);
            (void)tag_error(&tag, &drive, &starved_m);
            CHECK(motion == CAIRN_TRACK_ODOMETRY || starved_m >= last_m);
        }
        CHECK(starved_m > std_m);
        CHECK_EQ(cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us), CAIRN_TRACK_STARVED);
        for (uint32_t k = 0; k < 40u; ++k) {
            tag_step(&tag, &drive);
        }
        CHECK(tag_error(&tag, &drive, &std_m) < 6 * std_m);
        CHECK(std_m < starved_m);
    }
}

static void fault_teleport(uint32_t step)
{
    if (step < SETTLED) {
        return;
    }
    drive_copy.place_m[0] += drive_copy.place_m[0] > 0 ? -14 : 14;
    drive_copy.place_m[1] += drive_copy.place_m[1] > 0 ? -9 : 9;
    check_recovery(RECOVERY, 3);
}

TEST(test_fault_9_tracker_should_lock_again_in_40_ranges_when_it_is_moved_away)
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    at_every_step(&cfg, fault_teleport);
    cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    at_every_step(&cfg, fault_teleport);
}

static void fault_silent_anchor(uint32_t step)
{
    (void)step;
    for (uint32_t k = 0; k < RECOVERY; ++k) {
        drive_step(&drive_copy);
        if (copy.object.track.cfg->motion == CAIRN_TRACK_ODOMETRY) {
            CHECK_EQ(
                cairn_track_odometry(&copy.object.track, drive_copy.forward_m, drive_copy.turn_rad, drive_copy.t_us),
                CAIRN_OK);
        }
        if (drive_link(&drive_copy) != 2u) {
            CHECK(tag_range(&copy, drive_link(&drive_copy), drive_range(&drive_copy), drive_copy.t_us) >= 0);
        }
    }
    check_sound(&copy);
    CHECK(tag_error(&copy, &drive_copy, NULL) < 2);
}

TEST(test_fault_10_tracking_should_go_on_when_one_anchor_is_silent)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    at_every_step(&cfg, fault_silent_anchor);
}

static void fault_unknown_link(uint32_t step)
{
    (void)step;
    check_refused(drive.n_anchors, 5, 0, drive.t_us, CAIRN_ERR_UNKNOWN_ID);
    check_refused(drive.n_anchors + 1u, 5, 0, drive.t_us, CAIRN_ERR_UNKNOWN_ID);
    check_refused(2u * drive.n_anchors, 5, 0, drive.t_us, CAIRN_ERR_UNKNOWN_ID);
    check_refused((size_t)-1, 5, 0, drive.t_us, CAIRN_ERR_UNKNOWN_ID);
}

TEST(test_fault_11_link_should_be_refused_when_it_is_beyond_the_table) { at_every_step_of_all(fault_unknown_link); }

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
        n_doubtful += state == CAIRN_TRACK_DOUBTFUL || state == CAIRN_TRACK_UNPLACED || state == CAIRN_TRACK_MIRROR;
    }
    check_sound(&tag);
    CHECK(n_doubtful > 20u || cairn_track_get_kappa(&tag.object.track, NULL) > 5);
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

static void fault_reset_storm(uint32_t step)
{
    (void)step;
    const uint32_t n_before = copy.links.n_relocks;
    for (uint32_t k = 0; k < 40u; ++k) { /* 10 s of nonsense: two places in turn */
        drive_copy.t_us += DRIVE_STEP_US;
        const size_t link = k % drive.n_anchors;
        CHECK(tag_range(&copy, link, (cairn_real)(5u + 9u * ((k / 6u + link) % 4u)), drive_copy.t_us) >= 0);
    }
    check_sound(&copy);
    CHECK(copy.links.n_relocks - n_before <= 6u); /* at most one in 2 s */
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
    CHECK(most >= 30u || cairn_track_get_kappa(&tag.object.track, NULL) > 10);
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

TEST_MAIN(TEST_CASE(test_fault_1_range_should_be_refused_when_it_is_zero_negative_or_not_finite),
          TEST_CASE(test_fault_2_place_should_move_less_than_its_deviation_when_a_range_is_wild),
          TEST_CASE(test_fault_2_tracker_should_be_back_in_40_ranges_when_five_in_a_row_are_wild),
          TEST_CASE(test_fault_3_mirror_should_be_reported_when_all_anchors_are_on_a_line),
          TEST_CASE(test_fault_4_height_should_be_doubted_when_all_anchors_have_one_height),
          TEST_CASE(test_fault_5_tracker_should_stay_unplaced_when_anchors_are_too_few_or_in_one_point),
          TEST_CASE(test_fault_6_state_should_stay_finite_when_the_sensor_is_on_an_anchor),
          TEST_CASE(test_fault_7_place_should_be_refused_when_coordinates_cannot_be_resolved),
          TEST_CASE(test_fault_8_deviation_should_grow_when_anchors_vanish_and_shrink_when_they_return),
          TEST_CASE(test_fault_9_tracker_should_lock_again_in_40_ranges_when_it_is_moved_away),
          TEST_CASE(test_fault_10_tracking_should_go_on_when_one_anchor_is_silent),
          TEST_CASE(test_fault_11_link_should_be_refused_when_it_is_beyond_the_table),
          TEST_CASE(test_fault_13_range_should_be_refused_when_its_time_is_stale_or_of_the_future),
          TEST_CASE(test_fault_13_track_should_differ_only_in_its_clock_when_the_clock_wraps),
          TEST_CASE(test_fault_13_tracker_should_start_anew_when_another_clock_insists),
          TEST_CASE(test_fault_14_doubt_should_be_reported_when_two_anchors_are_swapped),
          TEST_CASE(test_fault_15_bias_should_be_found_when_one_link_has_it),
          TEST_CASE(test_fault_16_range_should_be_refused_when_it_is_given_in_millimetres),
          TEST_CASE(test_fault_18_relocks_should_be_rare_when_the_input_is_bad_for_good),
          TEST_CASE(test_fault_19_motion_should_be_doubted_when_turns_of_the_odometry_are_negated),
          TEST_CASE(test_fault_22_state_should_stay_sound_when_a_stated_deviation_is_absurd),
          TEST_CASE(test_fault_23_copy_should_go_on_bit_for_bit_when_taken_at_any_range),
          TEST_CASE(test_tracking_should_go_on_when_a_step_is_dropped_and_one_is_doubled),
          TEST_CASE(test_odometry_should_be_refused_when_it_is_not_finite_or_too_large))
