/* SPDX-License-Identifier: MIT
 * Faults 3, 5 and 8 of tracking: anchors, however many, that are all on one line or plane, and a sensor that comes to it. */
#include "oracle/track.h"
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
    for (uint32_t i = 0; i < 4u; i += TEST_STRIDE == 1u ? 1u : 3u) {
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

/* That of a float grows by the ratio of the variances where anchors come back after a silence; a double shows what is left. */
#define ROUNDING (sizeof(cairn_real) == 4u ? 3e-2 : 1e-5)

/* A script of what is heard: which anchors, a bit each, in each part of 30 steps; in part `wild`, ranges too long. */
typedef struct script {
    size_t dim;
    cairn_track_motion motion;
    int8_t side;
    bool flat; /* anchors: on one line, in space in one plane; but for one */
    uint8_t wild;
    uint8_t heard[6];
} script_t;

static void step_script(const script_t *script, oracle_track_t *oracle, uint32_t k)
{
    const uint32_t part = k / 30u;
    const double t_s = (double)drive.t_us * 1e-6;
    if (script->motion == CAIRN_TRACK_ODOMETRY) {
        CHECK(oracle_track_odometry(oracle, (double)drive.forward_m, (double)drive.turn_rad, t_s));
    }
    if ((script->heard[part] >> drive_link(&drive) & 1u) == 0) {
        CHECK_EQ(cairn_track_predict(&tag.object.track, drive.t_us), CAIRN_OK);
        CHECK(oracle_track_predict(oracle, t_s) || !oracle->placed);
        return;
    }
    const cairn_real range_m = drive_range(&drive) + (part == script->wild && k % 30u < 12u ? 9 : 0);
    CHECK(tag_range(&tag, drive_link(&drive), range_m, drive.t_us) >= 0);
    (void)oracle_track_range(oracle, drive_link(&drive), (double)range_m, 0.0, t_s);
}

/* Place, deviations and state are those of the reference at every step. start_std_m: of a start that is known; 0: none. */
static void follow(const script_t *script, uint32_t seed, cairn_real off_m, cairn_real start_std_m)
{
    static oracle_track_t oracle;
    static cairn_real at_m[DRIVE_ANCHORS * 3];
    static double anchors_m[DRIVE_ANCHORS * 3];
    cairn_track_cfg_t cfg = tag_cfg(script->dim, script->motion);
    cfg.side = script->side;
    drive_init(&drive, script->dim, seed);
    for (size_t i = 0; i < DRIVE_ANCHORS * script->dim; ++i) {
        const bool last = i % script->dim == script->dim - 1u;
        at_m[i] = script->flat && last ? (i / script->dim == 1u ? off_m : 0) : drive.anchor_m[i];
        anchors_m[i] = (double)at_m[i];
    }
    drive.anchor_m = at_m;
    tag_init(&tag, &cfg, &drive, false);
    oracle_track_init(&oracle, &cfg, anchors_m, DRIVE_ANCHORS);
    if (start_std_m > 0) {
        const double start_m[3] = {(double)drive.place_m[0], (double)drive.place_m[1], (double)drive.place_m[2]};
        CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, start_std_m, drive.t_us), CAIRN_OK);
        oracle_track_set_place(&oracle, start_m, (double)start_std_m, (double)drive.t_us * 1e-6);
    }
    for (uint32_t k = 0; k < 180u; ++k) {
        cairn_real cov_m2[6];
        tag_move(&tag, &drive);
        step_script(script, &oracle, k);
        test_context("seed and step", seed * 1000u + k);
        CHECK_EQ(is_placed(&tag), oracle.placed);
        CHECK_EQ((tag.object.track.flags & 2u) != 0, oracle.mirror);
        if (!oracle.placed || cairn_track_get_covariance(&tag.object.track, cov_m2) != CAIRN_OK) {
            continue;
        }
        const double trace_m2 = oracle_track_trace(&oracle);
        for (size_t i = 0; i < script->dim; ++i) {
            CHECK_NEAR(tag.object.state[i], oracle.x[i], ROUNDING * (1.0 + oracle_sqrt(trace_m2)));
            CHECK_NEAR(cov_m2[i * (i + 3u) / 2u], oracle.p[i][i], ROUNDING * trace_m2);
        }
    }
}

TEST(test_sides_should_follow_the_reference_when_few_anchors_are_heard_or_all_are_flat)
{
    static const script_t scripts[] = {{2, CAIRN_TRACK_DECAY, 0, false, 9, {0x3F, 0x03, 0x01, 0x07, 0x3F, 0x03}},
                                       {2, CAIRN_TRACK_ODOMETRY, 0, false, 9, {0x3F, 0x03, 0x01, 0x07, 0x3F, 0x03}},
                                       {2, CAIRN_TRACK_STILL, 0, false, 2, {0x3F, 0x03, 0x03, 0x01, 0x3F, 0x07}},
                                       {2, CAIRN_TRACK_DECAY, 0, false, 2, {0x3F, 0x03, 0x01, 0x01, 0x3F, 0x07}},
                                       {2, CAIRN_TRACK_DECAY, 0, true, 9, {0x3F, 0x07, 0x03, 0x3F, 0x3F, 0x3F}},
                                       {2, CAIRN_TRACK_ODOMETRY, 0, true, 9, {0x3F, 0x07, 0x03, 0x3F, 0x3F, 0x3F}},
                                       {2, CAIRN_TRACK_ODOMETRY, 0, true, 9, {0x03, 0x03, 0x03, 0x07, 0x03, 0x01}},
                                       {3, CAIRN_TRACK_DECAY, 0, false, 9, {0x3F, 0x07, 0x03, 0x0F, 0x3F, 0x07}},
                                       {3, CAIRN_TRACK_DECAY, 0, true, 9, {0x3F, 0x0F, 0x07, 0x3F, 0x03, 0x3F}},
                                       {3, CAIRN_TRACK_ODOMETRY, 1, true, 9, {0x3F, 0x0F, 0x07, 0x3F, 0x03, 0x3F}},
                                       {3, CAIRN_TRACK_DECAY, -1, true, 9, {0x3F, 0x0F, 0x07, 0x3F, 0x03, 0x3F}},
                                       {3, CAIRN_TRACK_STILL, 1, true, 2, {0x3F, 0x0F, 0x07, 0x3F, 0x03, 0x3F}},
                                       {1, CAIRN_TRACK_DECAY, 0, false, 2, {0x3F, 0x01, 0x01, 0x03, 0x3F, 0x01}},
                                       {1, CAIRN_TRACK_ODOMETRY, 0, false, 9, {0x3F, 0x01, 0x01, 0x03, 0x3F, 0x01}}};
    for (uint32_t i = 0; i < sizeof scripts / sizeof scripts[0]; ++i) {
        for (uint32_t turn = 0; turn < TEST_SEEDS(10u); ++turn) {
            const uint32_t seed = (i + turn) % 10u; /* beside the line by 2 noises, and by 7 */
            follow(&scripts[i], i * 100u + seed, seed % 2u == 0 ? (cairn_real)0.3 : 1, 0);
        }
    }
}

/* From a known start: two anchors alone leave both sides open; after a silence, four of a line where four before were spread. */
TEST(test_sides_should_follow_the_reference_when_the_anchors_heard_come_to_be_of_one_line)
{
    static const script_t scripts[] = {{2, CAIRN_TRACK_ODOMETRY, 0, true, 9, {0x03, 0x03, 0x03, 0x3F, 0x03, 0x03}},
                                       {2, CAIRN_TRACK_DECAY, 0, true, 9, {0x0F, 0x00, 0x00, 0x0D, 0x1D, 0x1D}}};
    for (uint32_t i = 0; i < sizeof scripts / sizeof scripts[0]; ++i) {
        for (uint32_t seed = 0; seed < TEST_SEEDS(10u); ++seed) {
            follow(&scripts[i], i * 100u + seed, 1, (cairn_real)0.5);
        }
    }
}

/* Few links that disagree widen the deviation, and the count of ranges that were bad begins anew: on two sides, not in doubt. */
TEST(test_fault_8_deviation_should_grow_when_ranges_to_as_few_anchors_as_dimensions_disagree)
{
    for (size_t dim = 1; dim <= 3u; ++dim) {
        const cairn_track_cfg_t cfg = tag_cfg(dim, CAIRN_TRACK_DECAY);
        uint32_t n_mirror = 0;
        drive_init(&drive, dim, 3u);
        drive.n_anchors = dim;
        tag_init(&tag, &cfg, &drive, false);
        CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, (cairn_real)0.1, drive.t_us), CAIRN_OK);
        for (uint32_t k = 0; k < 40u; ++k) {
            cairn_real std_m = 0;
            tag_move(&tag, &drive);
            CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive) + (k < 12u ? 0 : 9), drive.t_us) >= 0);
            test_context("dim and step", (uint32_t)dim * 100u + k);
            const cairn_track_state state = cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us);
            CHECK(state != CAIRN_TRACK_DOUBTFUL);
            n_mirror += state == CAIRN_TRACK_MIRROR ? 1u : 0u;
            (void)tag_error(&tag, &drive, &std_m);
            if (k == 20u) {
                CHECK(std_m > 5);
            }
        }
        CHECK(n_mirror > 0);
    }
}

TEST(test_circle_should_follow_the_reference_when_nothing_is_known_of_the_bearing)
{
    static const script_t scripts[] = {{2, CAIRN_TRACK_DECAY, 0, false, 9, {0x01, 0x03, 0x01, 0x01, 0x03, 0x01}},
                                       {3, CAIRN_TRACK_DECAY, 0, false, 9, {0x01, 0x03, 0x01, 0x01, 0x07, 0x01}}};
    for (uint32_t seed = 0; seed < (TEST_STRIDE == 1u ? 4u : 2u); ++seed) {
        follow(&scripts[seed % 2u], seed, 0, 60);
    }
}

/* A heading that is known carries a sensor on: then a range to a single anchor tells what it tells a linear filter. */
TEST(test_heading_should_be_known_when_its_deviation_is_below_the_root_of_a_fifth)
{
    for (uint32_t i = 0; i < 4u; ++i) {
        const cairn_track_cfg_t cfg = tag_cfg(2u + i % 2u, CAIRN_TRACK_ODOMETRY);
        drive_init(&drive, cfg.dim, 2u);
        tag_init(&tag, &cfg, &drive, false);
        CHECK_EQ(cairn_track_set_heading(&tag.object.track, drive.heading, i < 2u ? (cairn_real)0.4 : (cairn_real)0.5),
                 CAIRN_OK);
        CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 30, drive.t_us), CAIRN_OK);
        tag_copy(&copy, &tag);
        const cairn_real range_m = drive_range(&drive);
        CHECK_EQ(cairn_track_links_range(&tag.links, &tag.object.track, 0, range_m, 0, drive.t_us, NULL), CAIRN_OK);
        CHECK_EQ(cairn_track_lock_range(&copy.links, &copy.object.track, 0, range_m, 0, drive.t_us, NULL), CAIRN_OK);
        test_context("form", i);
        CHECK_EQ(memcmp(tag.object.state, copy.object.state, sizeof tag.object.state) == 0, i < 2u);
    }
}

TEST_MAIN(TEST_CASE(test_sides_should_follow_the_reference_when_few_anchors_are_heard_or_all_are_flat),
          TEST_CASE(test_sides_should_follow_the_reference_when_the_anchors_heard_come_to_be_of_one_line),
          TEST_CASE(test_fault_8_deviation_should_grow_when_ranges_to_as_few_anchors_as_dimensions_disagree),
          TEST_CASE(test_circle_should_follow_the_reference_when_nothing_is_known_of_the_bearing),
          TEST_CASE(test_heading_should_be_known_when_its_deviation_is_below_the_root_of_a_fifth),
          TEST_CASE(test_fault_3_mirror_should_be_reported_when_a_line_of_many_anchors_is_met),
          TEST_CASE(test_fault_3_mirror_should_be_reported_when_an_anchor_is_beside_the_line_of_others_by_two_noises),
          TEST_CASE(test_fault_5_mirror_should_be_reported_when_a_plane_of_four_anchors_is_met),
          TEST_CASE(test_fault_5_mirror_should_be_reported_when_a_place_is_on_the_other_side_than_the_caller_says),
          TEST_CASE(test_fault_8_mirror_should_be_reported_when_three_anchors_of_a_line_are_left_and_it_is_crossed))
