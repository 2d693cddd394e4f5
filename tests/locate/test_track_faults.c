/* SPDX-License-Identifier: MIT
 * Faults 1 to 11 of tracking: ranges, anchors, places, each from every step of a scripted run on. What is refused changes
 * nothing but counters, what is taken has a bounded effect, and the tracker comes back and is honest. */
#include "oracle/track_faults.h"

static void bad_range(uint32_t step)
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
    const fault_t fault = {bad_range, 0, 0, 0};
    check_fault(&fault, ALL_FORMS);
}

/* Refused as they were measured, though what the bias of the link leaves of them would pass. */
TEST(test_fault_1_range_should_be_refused_when_only_the_bias_of_its_link_makes_it_one)
{
    static const cairn_real nan_m = (cairn_real)NAN;
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    drive_init(&drive, 2u, 1u);
    tag_init(&tag, &cfg, &drive, true);
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
    for (size_t link = 0; link < DRIVE_ANCHORS; ++link) {
        tag.bias[link].bias_m = -1;
    }
    tag_copy(&copy, &tag);
    CHECK_EQ(tag_range(&copy, 0, 0, drive.t_us), CAIRN_ERR_RANGE);
    CHECK_EQ(tag_range(&copy, 1, (cairn_real)-0.5, drive.t_us), CAIRN_ERR_RANGE);
    CHECK_EQ(tag_range(&copy, 2, nan_m, drive.t_us), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_track_bias_range(copy.bias, &copy.links, &copy.object.track, 3, 5, nan_m, drive.t_us, NULL),
             CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_track_get_refused(&copy.object.track), 4);
    CHECK_MEM(copy.object.state, tag.object.state, sizeof tag.object.state);
    CHECK_MEM(copy.bias, tag.bias, sizeof tag.bias);
    CHECK_MEM(copy.link, tag.link, sizeof tag.link);
}

/* A wild range has the gain of its weight, 4 / (4 + t2), so the place moves at most by deviation x t / (1 + t2 / 4), which
 * is largest at t = 2: one deviation of the place along the way it moves, at most the root of its whole variance. */
static void wild_once(uint32_t step)
{
    cairn_real std_m = 0, place_m[3], moved_m[3];
    const cairn_real range_m = drive_range(&drive_copy);
    (void)step;
    tag_copy(&before, &copy);
    CHECK(cairn_track_get_place(&before.object.track, place_m, &std_m) >= 0);
    for (uint32_t factor = 10; factor <= 100u; factor *= 10u) {
        tag_copy(&copy, &before);
        CHECK_EQ(tag_range(&copy, drive_link(&drive), range_m * (cairn_real)factor, drive.t_us), CAIRN_REJECTED);
        CHECK(cairn_track_get_place(&copy.object.track, moved_m, NULL) >= 0);
        CHECK(cairn_distance(place_m, moved_m, drive.dim) < std_m * cairn_sqrt((cairn_real)drive.dim));
    }
}

TEST(test_fault_2_place_should_move_less_than_its_deviation_when_a_range_is_wild)
{
    const fault_t fault = {wild_once, SETTLED, 16, 1};
    check_fault(&fault, ALL_FORMS);
}

static void wild_five(uint32_t step)
{
    for (uint32_t k = 0; k < 5u; ++k) {
        step_oddly((step + k) % drive.n_anchors, 10, 0);
    }
}

TEST(test_fault_2_tracker_should_be_back_in_40_ranges_when_five_in_a_row_are_wild)
{
    const fault_t fault = {wild_five, 0, 40, 1};
    check_fault(&fault, ALL_FORMS);
}

TEST(test_fault_2_tracker_should_be_back_in_150_ranges_when_fifty_in_a_row_are_wild)
{
    const fault_t fault = {wild_fifty, SETTLED, 150, 1};
    check_fault(&fault, STEERED_IN_PLANE);
}

/* The place is taken for its image beyond the line through two anchors. */
static void mirror(uint32_t step)
{
    const cairn_real *a = drive.anchor_m, *b = a + drive.dim;
    cairn_real place_m[3], along[3] = {0, 0, 0};
    cairn_real share = 0, length2 = 0;
    (void)step;
    memcpy(place_m, drive.place_m, sizeof place_m);
    for (size_t i = 0; i < 2u; ++i) {
        along[i] = b[i] - a[i];
        length2 += along[i] * along[i];
        share += along[i] * (place_m[i] - a[i]);
    }
    for (size_t i = 0; i < 2u; ++i) {
        place_m[i] = 2 * (a[i] + along[i] * share / length2) - place_m[i];
    }
    CHECK_EQ(cairn_track_set_place(&copy.object.track, place_m, (cairn_real)0.5, drive.t_us), CAIRN_OK);
}

TEST(test_fault_3_tracker_should_be_back_in_40_ranges_when_it_was_put_in_its_mirror_image)
{
    const fault_t fault = {mirror, 0, 40, 1};
    check_fault(&fault, IN_PLANE | IN_SPACE);
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
    CHECK_EQ(cairn_track_set_place(&tag.object.track, place_m, 1, drive.t_us), CAIRN_OK); /* somebody says which */
    CHECK_EQ(cairn_track_get_place(&tag.object.track, place_m, NULL), CAIRN_OK);
}

static void run_flat(int side, cairn_real height_m, cairn_real *place_m, cairn_track_state *state)
{
    static const cairn_real flat_m[12] = {-10, -10, 2, 10, -9, 2, 9, 10, 2, -10, 8, 2};
    cairn_track_cfg_t cfg = tag_cfg(3u, CAIRN_TRACK_STILL);
    cfg.scale_std = 0;
    cfg.side = (int8_t)side;
    cfg.noise_motion = (cairn_real)0.02;
    cfg.bias_std_m = (cairn_real)0.25; /* the same as a height */
    drive_init(&drive, 3u, 1u);
    drive.anchor_m = flat_m;
    drive.n_anchors = 4;
    drive.place_m[2] = height_m;
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
    run_flat(0, -2, place_m, &state);
    CHECK(state == CAIRN_TRACK_MIRROR || state == CAIRN_TRACK_HEIGHT);
    CHECK_NEAR(place_m[0], drive.place_m[0], 1);
    CHECK_NEAR(place_m[1], drive.place_m[1], 1);
    run_flat(0, -2, again_m, &state);
    CHECK_MEM(again_m, place_m, sizeof place_m); /* the same answer each time */
    run_flat(-1, -2, place_m, &state);
    CHECK(place_m[2] < 2);
    run_flat(1, -2, place_m, &state); /* the caller is wrong, and taken at his word */
    CHECK(place_m[2] > 2);
    run_flat(-1, (cairn_real)1.75, place_m, &state); /* next to the plane: one place, of no height */
    CHECK_EQ(state, CAIRN_TRACK_HEIGHT);
}

/* For 6 s all anchors have one height: of the height little is known, and the deviation says so. */
static void flat(uint32_t step)
{
    static cairn_real flat_m[DRIVE_ANCHORS * 3];
    for (size_t i = 0; i < DRIVE_ANCHORS * 3u; ++i) {
        flat_m[i] = i % 3u == 2u ? 2 : drive.anchor_m[i];
    }
    (void)step;
    drive_copy.anchor_m = copy.links.place_m = flat_m;
    for (uint32_t k = 0; k < 24u; ++k) {
        tag_step(&copy, &drive_copy);
    }
    CHECK(tag_normalized(&copy, &drive_copy) < explained);
    drive_copy.anchor_m = copy.links.place_m = drive.anchor_m;
}

TEST(test_fault_4_deviation_should_say_so_when_all_anchors_come_to_have_one_height)
{
    const fault_t fault = {flat, SETTLED, 24, 1};
    const cairn_track_cfg_t cfg = tag_cfg(3u, CAIRN_TRACK_DECAY);
    check_form(&fault, &cfg, 0);
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

static void one_anchor(uint32_t step)
{
    (void)step;
    step_hearing(24, 1);
    CHECK(tag_normalized(&copy, &drive_copy) < explained);
}

TEST(test_fault_5_deviation_should_explain_the_error_when_only_one_anchor_is_heard)
{
    const fault_t fault = {one_anchor, 0, 32, 1}, space_fault = {one_anchor, 0, 64, 1};
    check_fault(&fault, IN_PLANE | ON_LINE);
    check_fault(&space_fault, IN_SPACE);
}

static void on_anchor(uint32_t step)
{
    cairn_real place_m[3];
    (void)step;
    CHECK_EQ(cairn_track_set_place(&copy.object.track, drive.anchor_m, (cairn_real)0.1, drive.t_us), CAIRN_OK);
    tag_copy(&before, &copy);
    CHECK(tag_range(&before, 0, (cairn_real)0.5, drive.t_us) >= 0); /* away from it, though nobody says where to */
    CHECK(cairn_track_get_place(&before.object.track, place_m, NULL) >= 0);
    CHECK(cairn_distance(place_m, drive.anchor_m, drive.dim) > 0);
    for (uint32_t k = 0; k < 4u; ++k) {
        drive_copy.t_us += 1000u;
        const cairn_status status = tag_range(&copy, 0, (cairn_real)0.01, drive_copy.t_us);
        CHECK(status >= 0 || (copy.biased && status == CAIRN_ERR_RANGE)); /* a bias may leave nothing of so little */
        check_sound(&copy);
    }
    memcpy(drive_copy.place_m, drive.anchor_m, drive.dim * sizeof *drive.anchor_m);
}

TEST(test_fault_6_tracking_should_go_on_when_the_sensor_is_on_an_anchor)
{
    const fault_t fault = {on_anchor, 0, 16, 2};
    check_fault(&fault, ALL_FORMS);
}

static void far_away(uint32_t step)
{
    const cairn_real far_m[3] = {1e7f, 0, 0};
    const cairn_track_peer_t peer = {far_m, NULL, 0, 0};
    (void)step;
    tag_copy(&before, &copy);
    CHECK_EQ(cairn_track_range(&copy.object.track, &peer, 5, 0, drive.t_us, NULL), CAIRN_ERR_RESOLUTION);
    check_untouched();
    CHECK_EQ(cairn_track_set_place(&copy.object.track, far_m, 1, drive.t_us), CAIRN_ERR_RESOLUTION);
    CHECK_EQ(cairn_track_calibrate(&copy.object.track, far_m, 1, drive.t_us), CAIRN_ERR_RESOLUTION);
    CHECK_MEM(&copy.object, &before.object, sizeof copy.object);
}

TEST(test_fault_7_place_should_be_refused_when_a_float_cannot_resolve_it)
{
    const fault_t fault = {far_away, 0, 0, 0};
    check_fault(&fault, sizeof(cairn_real) == 4u ? ALL_FORMS : 0);
}

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

TEST(test_fault_7_place_should_be_refused_when_a_float_cannot_hold_the_square_of_its_deviation)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    drive_init(&drive, 2u, 1u);
    tag_init(&tag, &cfg, &drive, false);
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, CAIRN_REAL_MAX, 0), CAIRN_ERR_RESOLUTION);
    CHECK(!is_placed(&tag));
}

/* Three, two, one, no anchors for 3 s each, and all are back. */
static void vanish(uint32_t step)
{
    cairn_real std_m = 0, starved_m = 0;
    (void)step;
    step_hearing(12, 3);
    (void)tag_error(&copy, &drive_copy, &std_m);
    step_hearing(12, 2);
    step_hearing(12, 1);
    step_hearing(12, 0);
    (void)tag_error(&copy, &drive_copy, &starved_m);
    CHECK(starved_m > std_m);
    CHECK(tag_normalized(&copy, &drive_copy) < explained);
    CHECK_EQ(cairn_track_get_state(&copy.object.track, &copy.links, drive_copy.t_us + 6000000u), CAIRN_TRACK_STARVED);
}

TEST(test_fault_8_deviation_should_grow_when_anchors_vanish_and_tracking_go_on_when_they_return)
{
    const fault_t fault = {vanish, SETTLED, 32, 1};
    check_fault(&fault, ALL_FORMS);
}

/* Two anchors are left; the sensor goes to their line, waits there and leaves on either side: the ranges do not tell. */
static void cross(cairn_real across_m, cairn_real *error_m, cairn_real *std_m)
{
    static cairn_track_cfg_t cfg; /* the tag keeps it */
    cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    drive_init(&drive, 2u, 5u);
    tag_init(&tag, &cfg, &drive, false);
    for (uint32_t k = 0; k < 60u; ++k) {
        tag_step(&tag, &drive);
    }
    drive.n_anchors = 2;
    for (uint32_t k = 0; k < 280u; ++k) { /* 70 s */
        const cairn_real line_m = -15 - (drive.place_m[0] + 20) * 3 / 42;
        const cairn_real left_m = (k < 160u ? line_m : across_m) - drive.place_m[1];
        ++drive.step;
        drive.t_us += DRIVE_STEP_US;
        drive.place_m[1] += left_m > 0 ? cairn_min(left_m, (cairn_real)0.25) : cairn_max(left_m, (cairn_real)-0.25);
        CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive), drive.t_us) >= 0);
    }
    *error_m = tag_error(&tag, &drive, std_m);
}

/* One anchor on a line, and odometry: nothing behind the states is read, whose heading is a single number there. */
TEST(test_fault_8_memory_behind_the_states_should_not_matter_when_one_anchor_is_heard_on_a_line)
{
    const cairn_track_cfg_t cfg = tag_cfg(1u, CAIRN_TRACK_ODOMETRY);
    drive_init(&drive, 1u, 1u);
    tag_init(&tag, &cfg, &drive, false);
    tag_init(&copy, &cfg, &drive, false);
    const size_t n = CAIRN_TRACK_REALS(CAIRN_TRACK_STATES(1, CAIRN_TRACK_ODOMETRY, 0));
    for (size_t i = n; i < CAIRN_TRACK_REALS(9); ++i) {
        copy.object.state[i] = 100;
    }
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
    CHECK_EQ(cairn_track_set_place(&copy.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
    for (uint32_t k = 0; k < 160u; ++k) {
        drive_step(&drive);
        const cairn_real range_m = cairn_max(cairn_abs(drive.place_m[0] + 5), (cairn_real)0.05);
        CHECK_EQ(cairn_track_odometry(&tag.object.track, drive.forward_m, 0, drive.t_us), CAIRN_OK);
        CHECK_EQ(cairn_track_odometry(&copy.object.track, drive.forward_m, 0, drive.t_us), CAIRN_OK);
        CHECK(tag_range(&tag, 5, range_m, drive.t_us) >= 0);
        CHECK(tag_range(&copy, 5, range_m, drive.t_us) >= 0);
    }
    CHECK_EQ(copy.object.track.flags, tag.object.track.flags);
    CHECK_MEM(copy.object.state, tag.object.state, n * sizeof(cairn_real));
}

TEST(test_fault_8_mirror_should_be_reported_when_two_anchors_are_left_and_their_line_is_crossed)
{
    cairn_real error_m, std_m;
    for (int across_m = -31; across_m <= -1; across_m += 30) { /* their line is at about -16 */
        test_context("side", across_m < -16 ? 1u : 0u);
        cross((cairn_real)across_m, &error_m, &std_m);
        CHECK(error_m < 4 * std_m);
        CHECK_EQ(cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us), CAIRN_TRACK_MIRROR);
    }
}

static void teleport(uint32_t step)
{
    (void)step;
    drive_copy.place_m[0] += drive_copy.place_m[0] > 0 ? -14 : 14;
    drive_copy.place_m[1] += drive_copy.place_m[1] > 0 ? -9 : 9;
}

TEST(test_fault_9_tracker_should_lock_again_in_40_ranges_when_it_is_moved_away)
{
    const fault_t fault = {teleport, 0, 40, 2};
    check_fault(&fault, ALL_FORMS);
}

static void silent_anchor(uint32_t step)
{
    (void)step;
    step_hearing(30, drive.n_anchors - 1u);
    CHECK(tag_error(&copy, &drive_copy, NULL) < 2);
    CHECK(tag_normalized(&copy, &drive_copy) < explained);
}

TEST(test_fault_10_tracking_should_go_on_when_one_anchor_is_silent)
{
    const fault_t fault = {silent_anchor, 0, 8, 1};
    check_fault(&fault, ALL_FORMS);
}

/* The ranges of a start are 1 s apart, and the sensor moves 3 m between them: its deviation says so. */
TEST(test_fault_10_start_should_know_its_error_when_the_ranges_are_of_different_times)
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    cfg.speed_typical = 3;
    for (uint32_t seed = 0; seed < 20u; ++seed) {
        cairn_real std_m = 0;
        drive_init(&drive, 2u, seed);
        tag_init(&tag, &cfg, &drive, false);
        for (uint32_t k = 0; k < 8u && !is_placed(&tag); ++k) {
            drive.step = k;
            drive.t_us += 1000000u;
            drive.place_m[0] += 3;
            CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive), drive.t_us) >= 0);
        }
        test_context("seed", seed);
        CHECK(is_placed(&tag));
        CHECK(tag_error(&tag, &drive, &std_m) < 3 * std_m);
    }
}

static void unknown_link(uint32_t step)
{
    (void)step;
    check_refused(drive.n_anchors, 5, 0, drive.t_us, CAIRN_ERR_UNKNOWN_ID);
    check_refused(drive.n_anchors + 1u, 5, 0, drive.t_us, CAIRN_ERR_UNKNOWN_ID);
    check_refused(2u * drive.n_anchors, 5, 0, drive.t_us, CAIRN_ERR_UNKNOWN_ID);
    check_refused((size_t)-1, 5, 0, drive.t_us, CAIRN_ERR_UNKNOWN_ID);
}

TEST(test_fault_11_link_should_be_refused_when_it_is_beyond_the_table)
{
    const fault_t fault = {unknown_link, 0, 0, 0};
    check_fault(&fault, ALL_FORMS);
}

TEST_MAIN(TEST_CASE(test_fault_1_range_should_be_refused_when_it_is_zero_negative_or_not_finite),
          TEST_CASE(test_fault_1_range_should_be_refused_when_only_the_bias_of_its_link_makes_it_one),
          TEST_CASE(test_fault_2_place_should_move_less_than_its_deviation_when_a_range_is_wild),
          TEST_CASE(test_fault_2_tracker_should_be_back_in_40_ranges_when_five_in_a_row_are_wild),
          TEST_CASE(test_fault_2_tracker_should_be_back_in_150_ranges_when_fifty_in_a_row_are_wild),
          TEST_CASE(test_fault_3_tracker_should_be_back_in_40_ranges_when_it_was_put_in_its_mirror_image),
          TEST_CASE(test_fault_3_mirror_should_be_reported_when_all_anchors_are_on_a_line),
          TEST_CASE(test_fault_4_height_should_be_doubted_when_all_anchors_have_one_height),
          TEST_CASE(test_fault_4_deviation_should_say_so_when_all_anchors_come_to_have_one_height),
          TEST_CASE(test_fault_5_tracker_should_stay_unplaced_when_anchors_are_too_few_or_in_one_point),
          TEST_CASE(test_fault_5_deviation_should_explain_the_error_when_only_one_anchor_is_heard),
          TEST_CASE(test_fault_6_tracking_should_go_on_when_the_sensor_is_on_an_anchor),
          TEST_CASE(test_fault_7_place_should_be_refused_when_a_float_cannot_resolve_it),
          TEST_CASE(test_fault_7_place_should_be_refused_when_coordinates_cannot_be_resolved),
          TEST_CASE(test_fault_7_place_should_be_refused_when_a_float_cannot_hold_the_square_of_its_deviation),
          TEST_CASE(test_fault_8_deviation_should_grow_when_anchors_vanish_and_tracking_go_on_when_they_return),
          TEST_CASE(test_fault_8_memory_behind_the_states_should_not_matter_when_one_anchor_is_heard_on_a_line),
          TEST_CASE(test_fault_8_mirror_should_be_reported_when_two_anchors_are_left_and_their_line_is_crossed),
          TEST_CASE(test_fault_9_tracker_should_lock_again_in_40_ranges_when_it_is_moved_away),
          TEST_CASE(test_fault_10_tracking_should_go_on_when_one_anchor_is_silent),
          TEST_CASE(test_fault_10_start_should_know_its_error_when_the_ranges_are_of_different_times),
          TEST_CASE(test_fault_11_link_should_be_refused_when_it_is_beyond_the_table))
