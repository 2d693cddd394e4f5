/* SPDX-License-Identifier: MIT
 * Faults 3, 5 and 8 of tracking: anchors, however many, that are all on one line or plane, and a sensor that comes to it. */
#include "oracle/track_faults.h"

/* Anchors on one line, in space in one plane, up to off_m beside it. The sensor comes to it, waits there, and leaves on
 * either side: the ranges do not tell which. */
typedef struct flat_run {
    size_t dim, n_anchors;
    cairn_real off_m, leave; /* leave: 1 back, -1 beyond */
    bool known;              /* the start */
    int8_t side;             /* that the caller states */
} flat_run_t;

/* At every step, where it says PLACED, or HEIGHT, the deviation explains the error. Returns the state at the end. */
static cairn_track_state pass(const flat_run_t *run)
{
    static const cairn_real line_m[5] = {-24, 20, -8, 9, 1},
                            plane_m[4][2] = {{-24, -15}, {20, -18}, {22, 16}, {-21, 17}};
    static cairn_real at_m[5 * 3];
    static cairn_track_cfg_t cfg; /* the tag keeps it */
    cfg = tag_cfg(run->dim, CAIRN_TRACK_DECAY);
    cfg.side = run->side;
    drive_init(&drive, run->dim, 4u);
    for (size_t i = 0; i < run->n_anchors; ++i) {
        cairn_real *own_m = at_m + i * run->dim;
        own_m[0] = run->dim == 2u ? line_m[i] : plane_m[i][0];
        own_m[1] = plane_m[i % 4u][1];
        own_m[run->dim - 1u] = i == 1u ? run->off_m : 0;
    }
    drive.anchor_m = at_m;
    drive.n_anchors = run->n_anchors;
    cairn_real *height_m = &drive.place_m[run->dim - 1u];
    *height_m = 5;
    tag_init(&tag, &cfg, &drive, false);
    if (run->known) {
        CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, (cairn_real)0.5, drive.t_us), CAIRN_OK);
    }
    cairn_track_state state = CAIRN_TRACK_UNPLACED;
    for (uint32_t k = 0; k < 160u; ++k) { /* down in 12 s, on it for 8 s, away in 15 s; along it to and fro */
        cairn_real std_m = 0;
        ++drive.step;
        drive.t_us += DRIVE_STEP_US;
        drive.place_m[0] += k / 40u % 2u == 0 ? (cairn_real)0.125 : (cairn_real)-0.125;
        *height_m += k < 48u ? (cairn_real)(-5.0 / 48) : k < 80u ? 0 : run->leave * (cairn_real)0.0625;
        CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive), drive.t_us) >= 0);
        state = cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us);
        if (state == CAIRN_TRACK_PLACED || state == CAIRN_TRACK_HEIGHT) {
            CHECK(tag_error(&tag, &drive, &std_m) < 4 * std_m);
        }
        if (k == 16u && run->side == 0 &&
            !(run->known && run->dim == 3u)) { /* a height may be near, for what is known of it */
            CHECK_EQ(state, run->known ? CAIRN_TRACK_PLACED : CAIRN_TRACK_MIRROR);
        }
    }
    return state;
}

static void check_pass(size_t dim, size_t n_anchors, cairn_real off_m)
{
    for (uint32_t i = 0; i < 4u; ++i) {
        const flat_run_t run = {dim, n_anchors, off_m, i < 2u ? 1 : -1, i % 2u == 0, 0};
        test_context("run", (uint32_t)n_anchors * 10u + i);
        CHECK_EQ(pass(&run), CAIRN_TRACK_MIRROR);
        CHECK(tag_normalized(&tag, &drive) < explained);
    }
}

TEST(test_fault_3_mirror_should_be_reported_when_a_line_of_many_anchors_is_met)
{
    check_pass(2u, 3, 0);
    check_pass(2u, 5, 0);
}

TEST(test_fault_3_mirror_should_be_reported_when_an_anchor_is_beside_the_line_of_others_by_two_noises)
{
    check_pass(2u, 3, (cairn_real)0.3);
    check_pass(2u, 5, (cairn_real)0.3);
}

TEST(test_fault_5_mirror_should_be_reported_when_a_plane_of_four_anchors_is_met)
{
    check_pass(3u, 4, 0);
    check_pass(3u, 4, (cairn_real)0.3);
}

/* The tracker may leave on the other side, and says so; it does not where it is on the side that it was told. */
TEST(test_fault_5_mirror_should_be_reported_when_a_place_is_on_the_other_side_than_the_caller_says)
{
    for (uint32_t i = 0; i < 2u; ++i) {
        const flat_run_t run = {3u, 4, 0, 1, i == 0, 1};
        test_context("run", i);
        const cairn_track_state state = pass(&run);
        CHECK_EQ(state == CAIRN_TRACK_MIRROR, tag.object.state[2] < 0);
        CHECK(tag_normalized(&tag, &drive) < explained);
    }
}

/* Of six anchors those remain that are on one line: the side is known until it is met. */
TEST(test_fault_8_mirror_should_be_reported_when_three_anchors_of_a_line_are_left_and_it_is_crossed)
{
    static const cairn_real at_m[12] = {-20, -15, 1, -15, 18, -15, -24, 17, 1, 30, 22, 16};
    for (int beyond = 0; beyond < 2; ++beyond) {
        cairn_real std_m = 0;
        const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
        drive_init(&drive, 2u, 5u);
        drive.anchor_m = at_m;
        tag_init(&tag, &cfg, &drive, false);
        for (uint32_t k = 0; k < 60u; ++k) {
            tag_step(&tag, &drive);
        }
        test_context("beyond", (uint32_t)beyond);
        CHECK_EQ(cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us), CAIRN_TRACK_PLACED);
        drive.n_anchors = 3;
        for (uint32_t k = 0; k < 280u; ++k) { /* 70 s */
            const cairn_real left_m = (k < 160u || beyond == 0 ? (k < 160u ? -15 : 0) : -30) - drive.place_m[1];
            ++drive.step;
            drive.t_us += DRIVE_STEP_US;
            drive.place_m[1] += left_m > 0 ? cairn_min(left_m, (cairn_real)0.25) : cairn_max(left_m, (cairn_real)-0.25);
            CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive), drive.t_us) >= 0);
        }
        CHECK(tag_error(&tag, &drive, &std_m) < 4 * std_m);
        CHECK_EQ(cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us), CAIRN_TRACK_MIRROR);
        drive.n_anchors = DRIVE_ANCHORS; /* the others are heard again, for 12 s: one place */
        for (uint32_t k = 0; k < 48u; ++k) {
            ++drive.step;
            drive.t_us += DRIVE_STEP_US;
            CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive), drive.t_us) >= 0);
        }
        CHECK(tag_error(&tag, &drive, NULL) < 1);
        CHECK_EQ(cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us), CAIRN_TRACK_PLACED);
    }
}

TEST_MAIN(TEST_CASE(test_fault_3_mirror_should_be_reported_when_a_line_of_many_anchors_is_met),
          TEST_CASE(test_fault_3_mirror_should_be_reported_when_an_anchor_is_beside_the_line_of_others_by_two_noises),
          TEST_CASE(test_fault_5_mirror_should_be_reported_when_a_plane_of_four_anchors_is_met),
          TEST_CASE(test_fault_5_mirror_should_be_reported_when_a_place_is_on_the_other_side_than_the_caller_says),
          TEST_CASE(test_fault_8_mirror_should_be_reported_when_three_anchors_of_a_line_are_left_and_it_is_crossed))
