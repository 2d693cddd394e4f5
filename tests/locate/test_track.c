/* SPDX-License-Identifier: MIT
 * Tests of track: agreement with the double reference in every form, start, heading, scale, bias, calibration, settings. */
#include "oracle/drive.h"
#include "oracle/track.h"

enum { STEPS = 120 };

static tag_t tag, other;
static oracle_track_t oracle;
static drive_t drive;
static double anchors_m[DRIVE_ANCHORS * 3];

static void begin(const cairn_track_cfg_t *cfg, uint32_t seed)
{
    drive_init(&drive, cfg->dim, seed);
    tag_init(&tag, cfg, &drive, false);
    for (size_t i = 0; i < DRIVE_ANCHORS * cfg->dim; ++i) {
        anchors_m[i] = (double)drive.anchor_m[i];
    }
    oracle_track_init(&oracle, cfg, anchors_m, DRIVE_ANCHORS);
}

/* Feed both; returns how far the places are apart, 0 while neither is placed. */
static double step_both(void)
{
    drive_step(&drive);
    const cairn_real range_m = drive_range(&drive);
    const double t_s = (double)drive.t_us * 1e-6;
    cairn_real place_m[3];
    if (tag.object.track.cfg->motion == CAIRN_TRACK_ODOMETRY) {
        CHECK_EQ(cairn_track_odometry(&tag.object.track, drive.forward_m, drive.turn_rad, drive.t_us), CAIRN_OK);
        CHECK(oracle_track_odometry(&oracle, (double)drive.forward_m, (double)drive.turn_rad, t_s));
    }
    CHECK(tag_range(&tag, drive_link(&drive), range_m, drive.t_us) >= 0);
    (void)oracle_track_range(&oracle, drive_link(&drive), (double)range_m, 0.0, t_s);
    const bool placed = cairn_track_get_place(&tag.object.track, place_m, NULL) != CAIRN_UNPLACED;
    CHECK_EQ(placed, oracle.placed);
    double sum = 0.0;
    for (size_t i = 0; placed && i < drive.dim; ++i) {
        sum += oracle_square((double)place_m[i] - oracle.x[i]);
    }
    return oracle_sqrt(sum);
}

/* Float has 24 bits: on places of 30 m and covariances whose condition is about 1e4, 2^-24 * 30 * 1e4 is 2e-2 at worst;
 * in fact errors of single updates are forgotten, and the stated bound of 1e-3 m is what users get. */
#define ORACLE_M 1e-3

static void check_form(size_t dim, cairn_track_motion motion, uint8_t n_link_biases)
{
    cairn_track_cfg_t cfg = tag_cfg(dim, motion);
    cfg.n_link_biases = n_link_biases;
    cfg.link_walk = (cairn_real)0.02;
    begin(&cfg, 3u + (uint32_t)dim);
    drive.n_anchors = n_link_biases > 0 ? n_link_biases : DRIVE_ANCHORS;
    double worst = 0.0;
    for (int k = 0; k < STEPS; ++k) {
        const double apart = step_both();
        worst = apart > worst ? apart : worst;
    }
    test_context("form", (uint32_t)(dim * 100u + motion * 10u + n_link_biases));
    CHECK(oracle.placed);
    CHECK(worst < ORACLE_M);
    cairn_real std_m = 0;
    const cairn_real error_m = tag_error(&tag, &drive, &std_m);
    CHECK(error_m < 5 * std_m * cairn_sqrt((cairn_real)dim));
    CHECK_NEAR(std_m, oracle_sqrt(oracle_track_trace(&oracle) / (double)dim), 1e-3);
}

TEST(test_track_should_follow_the_reference_when_on_a_line)
{
    check_form(1u, CAIRN_TRACK_STILL, 0);
    check_form(1u, CAIRN_TRACK_DECAY, 0);
    check_form(1u, CAIRN_TRACK_ODOMETRY, 0);
    check_form(1u, CAIRN_TRACK_ODOMETRY, 3);
}

TEST(test_track_should_follow_the_reference_when_in_the_plane)
{
    check_form(2u, CAIRN_TRACK_STILL, 0);
    check_form(2u, CAIRN_TRACK_DECAY, 0);
    check_form(2u, CAIRN_TRACK_ODOMETRY, 0);
    check_form(2u, CAIRN_TRACK_STILL, 4);
    check_form(2u, CAIRN_TRACK_ODOMETRY, 3);
    check_form(2u, CAIRN_TRACK_DECAY, 3);
}

TEST(test_track_should_follow_the_reference_when_in_space)
{
    check_form(3u, CAIRN_TRACK_STILL, 0);
    check_form(3u, CAIRN_TRACK_DECAY, 0);
    check_form(3u, CAIRN_TRACK_ODOMETRY, 0);
    check_form(3u, CAIRN_TRACK_STILL, 4);
}

TEST(test_track_should_follow_the_reference_when_the_other_end_moves)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_STILL);
    static const cairn_real cov_m2[3] = {(cairn_real)0.25, (cairn_real)0.125, (cairn_real)0.5};
    static const double cov[3] = {0.25, 0.125, 0.5};
    begin(&cfg, 9u);
    const double start[3] = {-6.0, 4.0, 0.0};
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
    oracle_track_set_place(&oracle, start, 1.0, (double)drive.t_us * 1e-6);
    for (int k = 0; k < STEPS; ++k) {
        drive_step(&drive);
        const cairn_real *from_m = drive.anchor_m + 2u * drive_link(&drive);
        const cairn_real peer_m[2] = {from_m[0] + (cairn_real)k / 32, from_m[1] - (cairn_real)k / 16};
        const double oracle_peer_m[2] = {(double)peer_m[0], (double)peer_m[1]};
        const cairn_real range_m = cairn_distance(drive.place_m, peer_m, 2) + drive.noise_m * random_normal(&drive.rng);
        const cairn_track_peer_t peer = {peer_m, cov_m2, 0, 0};
        cairn_track_innovation_t innovation;
        CHECK(cairn_track_range(&tag.object.track, &peer, range_m, (cairn_real)0.25, drive.t_us, &innovation) >= 0);
        CHECK(oracle_track_predict(&oracle, (double)drive.t_us * 1e-6));
        const double difference = oracle_track_fold(&oracle, oracle_peer_m, cov, 0, (double)range_m, 0.25, NULL);
        CHECK_NEAR(innovation.difference_m, difference, ORACLE_M);
        CHECK_NEAR(innovation.var_m2, oracle.seen_var, 1e-4);
        CHECK_NEAR(innovation.weight, oracle.seen_weight, 1e-3);
        CHECK_NEAR(innovation.cov_m2[0], oracle.seen[0], 1e-4);
        CHECK_NEAR(innovation.cov_m2[1], oracle.seen[1], 1e-4);
    }
}

TEST(test_biases_of_links_should_follow_the_reference_when_they_are_estimated_beside_the_state)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    static oracle_bias_t oracle_bias[DRIVE_ANCHORS];
    begin(&cfg, 10u);
    tag.biased = true;
    const double start[3] = {-6.0, 4.0, 0.0};
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
    oracle_track_set_place(&oracle, start, 1.0, (double)drive.t_us * 1e-6);
    for (size_t link = 0; link < DRIVE_ANCHORS; ++link) {
        oracle_bias[link].bias_m = 0.0;
        oracle_bias[link].var_m2 = oracle_square((double)cfg.link_std_m);
    }
    for (int k = 0; k < STEPS; ++k) {
        drive_step(&drive);
        const size_t link = drive_link(&drive);
        const cairn_real range_m = drive_range(&drive) + (link == 1u ? (cairn_real)0.25 : 0);
        CHECK(tag_range(&tag, link, range_m, drive.t_us) >= 0);
        CHECK(oracle_track_predict(&oracle, (double)drive.t_us * 1e-6));
        const double difference =
            oracle_track_fold(&oracle, anchors_m + 2u * link, NULL, 0, (double)range_m, 0.0, &oracle_bias[link]);
        oracle.links.range_m[link] = (double)range_m;
        oracle.links.t_s[link] = (double)drive.t_us * 1e-6;
        oracle_track_sides(&oracle, link, oracle.mirror, difference);
        CHECK_NEAR(tag.bias[link].bias_m, oracle_bias[link].bias_m, ORACLE_M);
        CHECK_NEAR(tag.bias[link].var_m2, oracle_bias[link].var_m2, 1e-4);
    }
    CHECK_NEAR(tag.bias[1].bias_m, 0.25, 0.2);
}

/* A link is not heard for a while, the others are: its bias wanders on. What is known of it after the next range tells what
 * was before. */
TEST(test_bias_should_have_wandered_when_its_link_was_silent)
{
    static const cairn_real silent_s[5] = {1, 5, 7, 30, 120};
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    cfg.link_std_m = 1;
    cfg.link_walk = (cairn_real)0.125;
    for (uint32_t i = 0; i < 5u; ++i) {
        cairn_track_innovation_t said = {0, 0, 0, {0}};
        begin(&cfg, 11u);
        tag.biased = true;
        CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
        for (int k = 0; k < STEPS; ++k) {
            tag_step(&tag, &drive);
        }
        const uint32_t last_us = tag.link[1].t_us;
        const cairn_real var_m2 = tag.bias[1].var_m2;
        while (drive.t_us - last_us < (uint32_t)silent_s[i] * 1000000u) {
            drive_step(&drive);
            if (drive_link(&drive) != 1u) {
                CHECK(tag_range(&tag, drive_link(&drive), drive_range(&drive), drive.t_us) >= 0);
            }
        }
        CHECK_EQ(tag.bias[1].var_m2 == var_m2, 1);
        const cairn_real range_m = cairn_distance(drive.place_m, drive.anchor_m + 2, 2);
        const cairn_real age_s = (cairn_real)(drive.t_us - last_us) / 1000000;
        CHECK(cairn_track_bias_range(tag.bias, &tag.links, &tag.object.track, 1, range_m, 0, drive.t_us, &said) >= 0);
        const cairn_real before_m2 = cairn_min(var_m2 + age_s / 64, 1);
        test_context("silence", i);
        CHECK_NEAR(tag.bias[1].var_m2, before_m2 - said.weight * before_m2 * before_m2 / said.var_m2, 1e-4);
    }
}

/* What grows with the distance counts once, whether a deviation is stated or not. */
TEST(test_noise_should_be_that_without_a_bias_when_the_bias_beside_the_state_is_known)
{
    static const cairn_real std_m[2] = {0, 2};
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    cfg.noise_rel = (cairn_real)0.1;
    cfg.link_std_m = 0;
    for (uint32_t i = 0; i < 2u; ++i) {
        cairn_track_innovation_t said = {0, 0, 0, {0}}, expected = {0, 0, 0, {0}};
        begin(&cfg, 3u);
        tag_init(&other, &cfg, &drive, false);
        const cairn_real range_m = cairn_distance(drive.place_m, drive.anchor_m, 2);
        CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
        CHECK_EQ(cairn_track_set_place(&other.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
        CHECK(cairn_track_bias_range(tag.bias, &tag.links, &tag.object.track, 0, range_m, std_m[i], drive.t_us,
                                     &said) >= 0);
        CHECK(cairn_track_links_range(&other.links, &other.object.track, 0, range_m, std_m[i], drive.t_us, &expected) >=
              0);
        CHECK(expected.var_m2 > range_m * range_m / 100);
        CHECK_NEAR(said.var_m2, expected.var_m2, 1e-5 * (double)expected.var_m2);
    }
}

TEST(test_range_should_be_refused_when_only_its_bias_makes_it_short_enough)
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    cfg.link_m = 1;
    begin(&cfg, 3u);
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, 1, drive.t_us), CAIRN_OK);
    const cairn_real before_m2 = tag.bias[0].var_m2;
    CHECK_EQ(cairn_track_bias_range(tag.bias, &tag.links, &tag.object.track, 0, cfg.range_max_m + (cairn_real)0.5, 0,
                                    drive.t_us, NULL),
             CAIRN_ERR_RANGE);
    CHECK(tag.bias[0].bias_m == 1 && tag.bias[0].var_m2 == before_m2);
}

TEST(test_track_should_find_heading_scale_and_bias_when_none_is_known)
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    cairn_real heading[2], std = 0;
    cfg.scale_std = (cairn_real)0.1;
    cfg.bias_std_m = (cairn_real)0.5;
    begin(&cfg, 5u);
    drive.scale = (cairn_real)0.05;
    drive.bias_m = (cairn_real)0.25;
    for (int k = 0; k < 400; ++k) {
        tag_step(&tag, &drive);
    }
    CHECK_EQ(cairn_track_get_motion(&tag.object.track, heading), CAIRN_OK);
    CHECK(heading[0] * drive.heading[0] + heading[1] * drive.heading[1] > (cairn_real)0.95);
    const cairn_real scale = cairn_track_get_scale(&tag.object.track, &std);
    CHECK_NEAR(scale, 0.05, 4 * std);
    CHECK(std < (cairn_real)0.02);
    const cairn_real bias_m = cairn_track_get_bias(&tag.object.track, &std);
    CHECK_NEAR(bias_m, 0.25, 4 * std);
    CHECK(tag_error(&tag, &drive, NULL) < (cairn_real)0.3);
    CHECK_EQ(cairn_track_get_state(&tag.object.track, &tag.links, drive.t_us), CAIRN_TRACK_PLACED);
}

/* A track that follows ranges too long by a share of the distance, and believes them. */
static void begin_scaled(cairn_real scale)
{
    static cairn_track_cfg_t cfg;
    cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    cfg.scale_std = (cairn_real)0.05;
    cfg.bias_std_m = 0;
    begin(&cfg, 12u);
    drive.scale = scale;
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, (cairn_real)0.5, drive.t_us), CAIRN_OK);
    for (int k = 0; k < STEPS; ++k) {
        tag_step(&tag, &drive);
    }
    CHECK_NEAR(cairn_track_get_scale(&tag.object.track, NULL), scale, 0.02);
    CHECK_EQ(tag.links.n_found[0], 0); /* without doubt a large scale is believed */
}

/* Then some ranges are wild; how often the track has started after. */
static uint32_t count_starts(cairn_real scale, int n_wild)
{
    begin_scaled(scale);
    for (int k = 0; k < STEPS; ++k) {
        drive.bias_m = k < n_wild ? 40 : 0;
        tag_step(&tag, &drive);
    }
    CHECK(tag_error(&tag, &drive, NULL) < (tag.links.n_found[0] > 0 ? 5 : 1)); /* it is far beyond what is expected */
    return tag.links.n_found[0];
}

TEST(test_track_should_start_anew_when_five_ranges_are_disbelieved_and_its_scale_is_beyond_two_deviations)
{
    CHECK_EQ(count_starts((cairn_real)0.15, 5), 1);
    CHECK_EQ(count_starts((cairn_real)-0.15, 5), 1);
    CHECK_EQ(count_starts((cairn_real)0.15, 4), 0);
    CHECK_EQ(count_starts((cairn_real)0.09, 5), 0);
}

/* What is left is what cairn_track_lock_range leaves: nothing is known of a place whose sides could be kept. */
TEST(test_links_range_should_keep_no_side_when_it_gives_the_place_up)
{
    cairn_track_innovation_t innovation = {0, 0, 0, {0}}, expected = {0, 0, 0, {0}};
    cairn_real place_m[2];
    begin_scaled((cairn_real)0.15);
    drive.bias_m = 40;
    for (int k = 1; k <= 5; ++k) {
        const cairn_status status = k < 5 ? CAIRN_REJECTED : CAIRN_UNPLACED;
        tag_move(&tag, &drive);
        tag_copy(&other, &tag);
        const size_t link = drive_link(&drive);
        const cairn_real range_m = drive_range(&drive);
        CHECK_EQ(cairn_track_lock_range(&other.links, &other.object.track, link, range_m, 0, drive.t_us, &expected),
                 status);
        CHECK_EQ(cairn_track_links_range(&tag.links, &tag.object.track, link, range_m, 0, drive.t_us, &innovation),
                 status);
        CHECK_MEM(&innovation, &expected, sizeof innovation);
    }
    CHECK_MEM(&tag.object, &other.object, sizeof tag.object);
    CHECK_MEM(tag.link, other.link, sizeof tag.link);
    CHECK_EQ(cairn_track_get_place(&tag.object.track, place_m, NULL), CAIRN_UNPLACED);
}

/* The range that starts a track says nothing, nor do those before it. */
TEST(test_innovation_should_not_be_written_when_a_range_meets_no_place)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    cairn_track_innovation_t innovation = {7, 7, 7, {7}}, links_innovation = {7, 7, 7, {7}};
    cairn_real place_m[2];
    drive_init(&drive, 2u, 2u);
    tag_init(&tag, &cfg, &drive, true);
    tag_init(&other, &cfg, &drive, false);
    while (cairn_track_get_place(&tag.object.track, place_m, NULL) == CAIRN_UNPLACED && drive.step < STEPS) {
        CHECK_EQ(innovation.var_m2, 7);
        drive_step(&drive);
        const size_t link = drive_link(&drive);
        const cairn_real range_m = drive_range(&drive);
        CHECK(cairn_track_bias_range(tag.bias, &tag.links, &tag.object.track, link, range_m, 0, drive.t_us,
                                     &innovation) >= 0);
        CHECK(cairn_track_links_range(&other.links, &other.object.track, link, range_m, 0, drive.t_us,
                                      &links_innovation) >= 0);
    }
    CHECK(drive.step < STEPS);
    CHECK_EQ(innovation.var_m2, 7);
    CHECK_EQ(links_innovation.var_m2, 7);
    CHECK(cairn_track_bias_range(tag.bias, &tag.links, &tag.object.track, 0, drive_range(&drive), 0, drive.t_us,
                                 &innovation) >= 0);
    CHECK(innovation.var_m2 != 7);
}

TEST(test_heading_should_be_used_when_it_is_stated)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    begin(&cfg, 6u);
    CHECK_EQ(cairn_track_set_heading(&tag.object.track, drive.heading, (cairn_real)0.01), CAIRN_OK);
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, (cairn_real)0.05, drive.t_us), CAIRN_OK);
    for (int k = 0; k < 20; ++k) { /* no ranges at all: dead reckoning over 5 m */
        drive_step(&drive);
        CHECK_EQ(cairn_track_odometry(&tag.object.track, drive.forward_m, drive.turn_rad, drive.t_us), CAIRN_OK);
    }
    CHECK(tag_error(&tag, &drive, NULL) < (cairn_real)1e-3);
    const cairn_real wrong[2] = {2, 0};
    CHECK_EQ(cairn_track_set_heading(&tag.object.track, wrong, 0), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_track_set_heading(&tag.object.track, drive.heading, 4), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_track_set_heading(&tag.object.track, NULL, 0), CAIRN_ERR_ARG);
}

TEST(test_calibrate_should_teach_the_biases_of_links_when_the_place_is_known)
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_STILL);
    cfg.n_link_biases = 4;
    cfg.bias_std_m = cfg.scale_std = 0;
    cfg.link_std_m = (cairn_real)0.5;
    begin(&cfg, 7u);
    drive.n_anchors = 4u;
    static const cairn_real bias_m[4] = {(cairn_real)0.5, (cairn_real)-0.25, 0, (cairn_real)0.375};
    for (uint32_t k = 0; k < 64u; ++k) { /* standing still */
        drive.step = k;
        drive.t_us += DRIVE_STEP_US;
        CHECK_EQ(cairn_track_calibrate(&tag.object.track, drive.place_m, (cairn_real)0.01, drive.t_us), CAIRN_OK);
        CHECK(tag_range(&tag, k % 4u, drive_range(&drive) + bias_m[k % 4u], drive.t_us) >= 0);
    }
    for (uint8_t link = 0; link < 4u; ++link) { /* 16 ranges each: deviation .125 / 4 */
        cairn_real std_m;
        CHECK_NEAR(cairn_track_get_link_bias(&tag.object.track, link, &std_m), bias_m[link], 5 * 0.125 / 4);
        CHECK(std_m < (cairn_real)0.08);
    }
    CHECK(tag_error(&tag, &drive, NULL) < (cairn_real)0.05);
}

/* While a range is folded in, the bias of its link is part of the common one: what is left of that afterwards is rounding. */
TEST(test_common_bias_should_stay_known_when_only_links_have_one)
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    cairn_real std_m = -1;
    cfg.n_link_biases = 2;
    cfg.bias_std_m = 0;
    drive_init(&drive, 2u, 3u);
    tag_init(&tag, &cfg, &drive, false);
    for (int k = 0; k < 300; ++k) {
        tag_step(&tag, &drive);
        CHECK_NEAR(cairn_track_get_bias(&tag.object.track, &std_m), 0, 1e-4);
        CHECK(cairn_isfinite(std_m) && std_m < (cairn_real)1e-2);
    }
}

TEST(test_calibrate_should_move_the_tracker_when_it_is_far_away)
{
    const cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    begin(&cfg, 8u);
    const cairn_real away_m[2] = {50, 50};
    CHECK_EQ(cairn_track_set_place(&tag.object.track, drive.place_m, (cairn_real)0.1, drive.t_us), CAIRN_OK);
    CHECK_EQ(cairn_track_calibrate(&tag.object.track, away_m, (cairn_real)0.1, drive.t_us + 1000u), CAIRN_OK);
    cairn_real place_m[2];
    CHECK_EQ(cairn_track_get_place(&tag.object.track, place_m, NULL), CAIRN_OK);
    CHECK_NEAR(place_m[0], 50, 1e-6);
    CHECK_NEAR(place_m[1], 50, 1e-6);
}

TEST(test_init_should_write_every_byte_when_the_memory_is_dirty)
{
    const cairn_track_cfg_t cfg = tag_cfg(3u, CAIRN_TRACK_DECAY);
    memset(&tag, 0xA5, sizeof tag);
    memset(&other, 0, sizeof other);
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, &cfg), CAIRN_OK);
    CHECK_EQ(cairn_track_init(&other.object.track, sizeof other.object, &cfg), CAIRN_OK);
    CHECK_MEM(&tag.object, &other.object, sizeof tag.object);
}

TEST(test_init_should_refuse_when_the_object_is_one_byte_short)
{
    cairn_track_cfg_t cfg = tag_cfg(3u, CAIRN_TRACK_DECAY);
    cairn_track_3d_t space;
    CHECK_EQ(cairn_track_init(&space.track, sizeof space, &cfg), CAIRN_OK);
    CHECK_EQ(
        cairn_track_init(&space.track, sizeof(cairn_track_t) + CAIRN_TRACK_REALS(8) * sizeof(cairn_real) - 1u, &cfg),
        CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_track_init(&space.track, sizeof(cairn_track_2d_t), &cfg), CAIRN_ERR_SIZE);
    cfg.n_link_biases = 1;
    CHECK_EQ(cairn_track_init(&space.track, sizeof space, &cfg), CAIRN_ERR_SIZE);
}

static void check_setting(cairn_track_cfg_t *cfg, cairn_real *field, cairn_real bad)
{
    const cairn_real good = *field;
    *field = bad;
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, cfg), CAIRN_ERR_ARG);
    *field = (cairn_real)NAN;
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, cfg), CAIRN_ERR_NONFINITE);
    *field = (cairn_real)INFINITY;
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, cfg), CAIRN_ERR_NONFINITE);
    *field = good;
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, cfg), CAIRN_OK);
}

TEST(test_init_should_refuse_when_a_setting_is_out_of_range)
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    check_setting(&cfg, &cfg.noise_m, 0);
    check_setting(&cfg, &cfg.noise_m, (cairn_real)1e-30);
    check_setting(&cfg, &cfg.noise_m, (cairn_real)0.9e-6);
    check_setting(&cfg, &cfg.noise_rel, -1);
    check_setting(&cfg, &cfg.range_max_m, 0);
    check_setting(&cfg, &cfg.noise_motion, -1);
    check_setting(&cfg, &cfg.tau_s, 0);
    check_setting(&cfg, &cfg.odometry_forward, -1);
    check_setting(&cfg, &cfg.odometry_drift, -1);
    check_setting(&cfg, &cfg.start_motion, -1);
    check_setting(&cfg, &cfg.scale_std, -1);
    check_setting(&cfg, &cfg.bias_std_m, -1);
    check_setting(&cfg, &cfg.link_std_m, -1);
    check_setting(&cfg, &cfg.peer_factor, -1);
    check_setting(&cfg, &cfg.late_s, -1);
    check_setting(&cfg, &cfg.gap_s, 1001);
    check_setting(&cfg, &cfg.fresh_s, 0);
    check_setting(&cfg, &cfg.speed_typical, -1);
    cfg.dim = 0;
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, &cfg), CAIRN_ERR_ARG);
    cfg.dim = 4;
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, &cfg), CAIRN_ERR_ARG);
    cfg.dim = 2;
    cfg.motion = 3;
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, &cfg), CAIRN_ERR_ARG);
    cfg.motion = 1;
    cfg.n_link_biases = 5;
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, &cfg), CAIRN_ERR_ARG);
    cfg.n_link_biases = 0;
    CHECK_EQ(cairn_track_init(NULL, sizeof tag.object, &cfg), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_track_init(&tag.object.track, sizeof tag.object, NULL), CAIRN_ERR_ARG);
}

TEST(test_size_should_be_within_128_and_192_bytes_when_pointers_have_four)
{
    CHECK(sizeof(void *) > 4u || sizeof(cairn_real) > 4u || sizeof(cairn_track_2d_t) <= 128u);
    CHECK(sizeof(void *) > 4u || sizeof(cairn_real) > 4u || sizeof(cairn_track_3d_t) <= 192u);
    CHECK(sizeof(cairn_track_link_t) == 8u || sizeof(cairn_real) > 4u);
}

TEST_MAIN(
    TEST_CASE(test_track_should_follow_the_reference_when_on_a_line),
    TEST_CASE(test_track_should_follow_the_reference_when_in_the_plane),
    TEST_CASE(test_track_should_follow_the_reference_when_in_space),
    TEST_CASE(test_track_should_follow_the_reference_when_the_other_end_moves),
    TEST_CASE(test_biases_of_links_should_follow_the_reference_when_they_are_estimated_beside_the_state),
    TEST_CASE(test_bias_should_have_wandered_when_its_link_was_silent),
    TEST_CASE(test_noise_should_be_that_without_a_bias_when_the_bias_beside_the_state_is_known),
    TEST_CASE(test_range_should_be_refused_when_only_its_bias_makes_it_short_enough),
    TEST_CASE(test_track_should_find_heading_scale_and_bias_when_none_is_known),
    TEST_CASE(test_track_should_start_anew_when_five_ranges_are_disbelieved_and_its_scale_is_beyond_two_deviations),
    TEST_CASE(test_links_range_should_keep_no_side_when_it_gives_the_place_up),
    TEST_CASE(test_innovation_should_not_be_written_when_a_range_meets_no_place),
    TEST_CASE(test_heading_should_be_used_when_it_is_stated),
    TEST_CASE(test_calibrate_should_teach_the_biases_of_links_when_the_place_is_known),
    TEST_CASE(test_common_bias_should_stay_known_when_only_links_have_one),
    TEST_CASE(test_calibrate_should_move_the_tracker_when_it_is_far_away),
    TEST_CASE(test_init_should_write_every_byte_when_the_memory_is_dirty),
    TEST_CASE(test_init_should_refuse_when_the_object_is_one_byte_short),
    TEST_CASE(test_init_should_refuse_when_a_setting_is_out_of_range),
    TEST_CASE(test_size_should_be_within_128_and_192_bytes_when_pointers_have_four))
