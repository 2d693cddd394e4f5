/* SPDX-License-Identifier: MIT
 * Tests of lift: exact places from random starts, no anchors, flat anchors and sides, biases, slices, refusals. */
#include "cairn/lift.h"
#include "cairn/rigid.h"
#include "cairn/scalar.h"
#include "oracle/world.h"

static cairn_lift_t job;
static cairn_bias_t bias;
static cairn_real values[22];

/* Stops when a sweep moves less than 1e-6 of the mean range (7): linear convergence at .9 or faster leaves ten times that,
 * and rounding 64 units of 10. */
static const cairn_lift_cfg_t exact_cfg = {NULL, NULL, 1, 2, 20, 60, 2000, (cairn_real)1e-6};
#define EXACT 2e-4

static cairn_status run(const cairn_lift_cfg_t *cfg, cairn_bias_t *with, uint32_t budget)
{
    cairn_status status =
        cairn_lift_init(&job, cfg, &world_net, with, world_work, CAIRN_LIFT_WORDS(world.n_nodes, world.dim));
    if (status != CAIRN_OK) {
        return status;
    }
    do {
        status = cairn_lift_step(&job, budget);
    } while (status == CAIRN_MORE);
    return status;
}

/* Largest error of the sensors, and how many are in a state. */
static double worst(void)
{
    double most = 0.0;
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        double error = (double)world_error(i);
        most = error < 0 || error > most ? (error < 0 ? 1e9 : error) : most;
    }
    return most;
}

static uint32_t n_in_state(cairn_node_state state)
{
    uint32_t n = 0;
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        n += cairn_network_get_state(&world_net, i) == state ? 1u : 0u;
    }
    return n;
}

/* Root mean square distance to the truth after the best rigid motion, reflections allowed. */
static double rigid_rms(void)
{
    static cairn_real places[16 * WORLD_DIM]; /* of the smaller networks below */
    cairn_rigid_t motion;
    cairn_real rms = -1;
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        cairn_status status = cairn_network_get_place(&world_net, i, places + i * world.dim, NULL);
        CHECK(status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE);
    }
    CHECK(cairn_rigid_fit(&motion, places, world.truth, NULL, world.n_nodes, world.dim, true, &rms) >= 0);
    return (double)rms;
}

TEST(test_lift_should_find_exact_places_when_ranges_are_exact)
{
    for (uint32_t dim = 1; dim <= 3u; ++dim) {
        test_context("dim", dim);
        world_draw(14u, 5u + dim, dim, 20, 0, dim);
        world_build();
        CHECK_EQ(cairn_network_set_start(&world_net, 13u, world_truth(0u)), CAIRN_OK); /* wrong, and not used */
        CHECK_EQ(run(&exact_cfg, NULL, 1000u), CAIRN_OK);
        world_check_honest();
        CHECK(worst() < EXACT);
        CHECK(n_in_state(CAIRN_NODE_PLACED) == world.n_nodes - world.n_anchors);
        CHECK_EQ(cairn_lift_get_stage(&job), CAIRN_LIFT_DONE);
    }
}

TEST(test_lift_should_find_the_same_map_when_starts_differ)
{
    /* one wide network with much noise: every seed ends in the cheapest map */
    cairn_lift_cfg_t cfg = cairn_lift_cfg_default;
    double least = 1e9, most = 0.0;
    for (uint32_t seed = 1; seed <= (TEST_STRIDE == 1u ? 3u : 2u); ++seed) {
        world_draw(22u, 4u, 2u, 20, 1, 5u);
        world_build();
        cfg.seed = seed;
        CHECK(run(&cfg, NULL, 1000u) >= 0);
        double cost = (double)cairn_lift_get_cost(&job);
        least = cost < least ? cost : least;
        most = cost > most ? cost : most;
    }
    CHECK(most < least * 1.001);
    CHECK(least < 300.0); /* 225 ranges between 22 nodes: about one each */
}

TEST(test_lift_should_complete_the_distance_matrix_when_there_is_no_anchor)
{
    for (uint32_t dim = 2; dim <= 3u; ++dim) {
        test_context("dim", dim);
        world_draw(16u, 0u, dim, 9, 0, 3u); /* about two thirds of the pairs */
        world_build();
        CHECK(world_net.n_ranges < 110u);
        CHECK_EQ(run(&exact_cfg, NULL, 1000u), CAIRN_RELATIVE);
        CHECK(rigid_rms() < EXACT);
    }
}

TEST(test_lift_should_give_the_same_answer_up_to_a_rigid_motion_when_anchors_are_taken_away)
{
    static cairn_real with[20 * 2];
    static cairn_real without[20 * 2];
    cairn_rigid_t motion;
    cairn_real rms = -1;
    for (int pass = 0; pass < 2; ++pass) {
        world_draw(20u, 0u, 2u, 20, (cairn_real)0.25, 9u);
        world_begin();
        world_add_ranges();
        for (uint32_t i = 0; i < 3u && pass == 0; ++i) { /* three anchors from the free map: no tension */
            CHECK_EQ(cairn_network_set_anchor(&world_net, i, world_truth(i)), CAIRN_OK);
        }
        CHECK_EQ(run(&exact_cfg, NULL, 1000u), pass == 0 ? CAIRN_OK : CAIRN_RELATIVE);
        for (uint32_t i = 0; i < 20u; ++i) {
            cairn_real *place = (pass == 0 ? with : without) + 2u * i;
            CHECK(cairn_network_get_place(&world_net, i, place, NULL) >= 0);
        }
    }
    /* the three exact anchors bend the map by about a deviation of a place, 2 s / sqrt(n) = .115 */
    CHECK(cairn_rigid_fit(&motion, without, with, NULL, 20u, 2u, true, &rms) >= 0);
    CHECK(rms < (cairn_real)0.2);
}

/* Beacons of one height, as in ArduPilot#11060, and two vehicles on one side. */
static void build_flat(cairn_real height, cairn_real beacon_height)
{
    static const cairn_real corner[8] = {0, 0, 10, 0, 10, 8, 0, 8};
    world_draw(6u, 4u, 3u, 30, 0, 1u);
    for (uint32_t i = 0; i < 6u; ++i) {
        world.truth[3u * i] = i < 4u ? corner[2u * i] : i == 4u ? 4 : 7;
        world.truth[3u * i + 1u] = i < 4u ? corner[2u * i + 1u] : i == 4u ? 3 : 5;
        world.truth[3u * i + 2u] = i < 4u ? beacon_height : height;
    }
    world_build();
}

TEST(test_fault_4_height_should_be_unresolved_when_all_beacons_are_at_one_height)
{
    build_flat((cairn_real)0.4, (cairn_real)2.1);
    CHECK_EQ(run(&exact_cfg, NULL, 1000u), CAIRN_HEIGHT_UNRESOLVED);
    CHECK_EQ(n_in_state(CAIRN_NODE_FLIP_POSSIBLE), 2);
    for (uint32_t i = 4u; i < 6u; ++i) { /* one of both heights, and the right point below or above */
        cairn_real place[3];
        CHECK_EQ(cairn_network_get_place(&world_net, i, place, NULL), CAIRN_FLIP_POSSIBLE);
        CHECK_NEAR(place[0], world_truth(i)[0], EXACT);
        CHECK_NEAR(place[1], world_truth(i)[1], EXACT);
        CHECK_NEAR(cairn_abs(place[2] - (cairn_real)2.1), 1.7, 4 * EXACT);
    }
}

TEST(test_fault_4_height_should_be_settled_when_a_side_is_given)
{
    for (uint32_t seed = 1; seed <= (TEST_STRIDE == 1u ? 4u : 2u); ++seed) {
        cairn_lift_cfg_t cfg = exact_cfg;
        static const cairn_real below[3] = {0, 0, 0};
        static const cairn_real above[3] = {5, 5, 9};
        test_context("seed", seed);
        cfg.seed = seed;
        cfg.side_m = seed % 2u == 0 ? above : below;
        build_flat(seed % 2u == 0 ? (cairn_real)3.8 : (cairn_real)0.4, (cairn_real)2.1);
        CHECK_EQ(run(&cfg, NULL, 1000u), CAIRN_OK);
        CHECK(worst() < 4 * EXACT);
        CHECK_EQ(n_in_state(CAIRN_NODE_PLACED), 2);
        cfg.attempts = 1; /* no second start to choose from */
        build_flat(seed % 2u == 0 ? (cairn_real)3.8 : (cairn_real)0.4, (cairn_real)2.1);
        CHECK_EQ(run(&cfg, NULL, 1000u), CAIRN_OK);
        CHECK(worst() < 4 * EXACT);
    }
}

TEST(test_fault_23_height_should_be_the_same_bits_when_run_again)
{
    build_flat((cairn_real)0.4, (cairn_real)2.1);
    CHECK_EQ(run(&exact_cfg, NULL, 1000u), CAIRN_HEIGHT_UNRESOLVED);
    uint32_t first = world_hash();
    memset(world_work, 0xA5, sizeof world_work);
    build_flat((cairn_real)0.4, (cairn_real)2.1);
    CHECK_EQ(run(&exact_cfg, NULL, 7u), CAIRN_HEIGHT_UNRESOLVED);
    CHECK_EQ(world_hash(), first);
}

TEST(test_fault_5_sides_should_be_unresolved_when_anchors_are_collinear_in_2d)
{
    static const cairn_real side[2] = {0, 7};
    cairn_lift_cfg_t cfg = exact_cfg;
    for (int pass = 0; pass < 2; ++pass) {
        world_draw(9u, 4u, 2u, 20, 0, 6u);
        for (uint32_t i = 0; i < 4u; ++i) {
            world.truth[2u * i] = (cairn_real)(1 + 2 * (int)i);
            world.truth[2u * i + 1u] = 0; /* sensors lie above */
        }
        world_build();
        cfg.side_m = pass == 0 ? NULL : side;
        CHECK_EQ(run(&cfg, NULL, 1000u), pass == 0 ? CAIRN_HEIGHT_UNRESOLVED : CAIRN_OK);
        CHECK(n_in_state(pass == 0 ? CAIRN_NODE_FLIP_POSSIBLE : CAIRN_NODE_PLACED) == 5u);
        CHECK(pass == 0 || worst() < 4 * EXACT);
    }
}

TEST(test_fault_5_places_should_be_relative_when_two_anchors_in_3d_leave_a_rotation)
{
    world_draw(10u, 2u, 3u, 30, 0, 4u);
    world_build();
    CHECK_EQ(run(&exact_cfg, NULL, 1000u), CAIRN_RELATIVE);
    CHECK(rigid_rms() < 4 * EXACT);
}

TEST(test_fault_7_answer_should_be_the_same_locally_when_coordinates_are_large)
{
    static const cairn_real offsets[] = {100000, 1000000};
    uint32_t k = 0;
    for (; k < 2u; ++k) {
        test_context("offset", k);
        world_draw(14u, 6u, 2u, 20, 0, 2u);
        for (uint32_t i = 0; i < 28u; ++i) { /* anchors on a grid that float holds exactly at the offset */
            world.truth[i] = (cairn_real)((int)(world.truth[i] * 8)) / 8;
        }
        world_begin();
        world_add_ranges();
        for (uint32_t i = 0; i < 6u; ++i) {
            cairn_real place[2];
            place[0] = world_truth(i)[0] + offsets[k];
            place[1] = world_truth(i)[1] - offsets[k];
            CHECK_EQ(cairn_network_set_anchor(&world_net, i, place), CAIRN_OK);
        }
        cairn_status status = run(&exact_cfg, NULL, 1000u);
        CHECK(status == CAIRN_OK || (k == 1u && status == CAIRN_ERR_RESOLUTION)); /* .06 m steps at 1e6 in float */
        for (uint32_t i = 6u; i < 14u && status == CAIRN_OK; ++i) {
            cairn_real local[2];
            CHECK_EQ(cairn_network_get_local(&world_net, i, local, NULL), CAIRN_OK);
            CHECK_NEAR(local[0], world_truth(i)[0] - world_truth(0u)[0], EXACT);
            CHECK_NEAR(local[1], world_truth(i)[1] - world_truth(0u)[1], EXACT);
        }
    }
}

TEST(test_fault_6_place_should_be_found_when_points_coincide)
{
    world_draw(12u, 5u, 2u, 20, 0, 8u);
    world.truth[2u * 7u] = world.truth[0]; /* a sensor on an anchor, two sensors in one place */
    world.truth[2u * 7u + 1u] = world.truth[1];
    world.truth[2u * 9u] = world.truth[2u * 8u];
    world.truth[2u * 9u + 1u] = world.truth[2u * 8u + 1u];
    world_build(); /* the ranges of 0 are left out by the test world, and refused by the network */
    CHECK_EQ(run(&exact_cfg, NULL, 1000u), CAIRN_OK);
    CHECK(worst() < EXACT);
}

TEST(test_lift_should_say_unplaced_when_a_part_has_no_way_to_an_anchor)
{
    world_draw(12u, 4u, 2u, 20, 0, 3u);
    world_begin();
    world_add_anchors();
    for (uint32_t b = 0; b < 12u; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            if ((a < 9u) == (b < 9u) && b != 8u) { /* node 8 alone, 9 to 11 among themselves */
                cairn_real range = cairn_distance(world_truth(a), world_truth(b), 2u);
                CHECK_EQ(cairn_network_add_range(&world_net, a, b, range, 0), CAIRN_OK);
            }
        }
    }
    CHECK_EQ(run(&exact_cfg, NULL, 1000u), CAIRN_OK);
    CHECK_EQ(n_in_state(CAIRN_NODE_UNPLACED), 4);
    CHECK_EQ(n_in_state(CAIRN_NODE_PLACED), 4);
    for (uint32_t i = 4u; i < 8u; ++i) {
        CHECK(world_error(i) < (cairn_real)EXACT);
    }
}

TEST(test_fault_15_gains_should_be_found_with_the_map_when_each_device_has_one)
{
    static const cairn_bias_cfg_t cfg = {CAIRN_BIAS_GAIN, 0, (cairn_real)0.2, 0};
    cairn_lift_cfg_t lift_cfg = cairn_lift_cfg_default;
    cairn_rng_t rng;
    static cairn_real gain[22];
    double rms[2];
    for (int pass = 0; pass < 2; ++pass) {
        world_draw(22u, 6u, 2u, 20, 0, 12u);
        world.cfg.noise_rel = (cairn_real)0.05;
        world_begin();
        world_add_anchors();
        cairn_rng_init(&rng, 3u, 1u);
        for (uint32_t i = 0; i < 22u; ++i) {
            gain[i] = (cairn_real)0.2 * random_normal(&rng);
        }
        for (uint32_t b = 6u; b < 22u; ++b) {
            for (uint32_t a = 0; a < b; ++a) {
                cairn_real range = cairn_distance(world_truth(a), world_truth(b), 2u);
                range *= cairn_exp((cairn_real)0.05 * random_normal(&rng) - gain[a] - gain[b]);
                CHECK_EQ(cairn_network_add_range(&world_net, a, b, range, 0), CAIRN_OK);
            }
        }
        CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
        CHECK_EQ(cairn_bias_init(&bias, &cfg, &world_net, values, 22u), CAIRN_OK);
        lift_cfg.loss = &cairn_loss_log;
        CHECK(run(&lift_cfg, pass == 0 ? &bias : NULL, 1000u) >= 0);
        uint32_t n_placed = 0;
        rms[pass] = world_rmse(&n_placed);
        CHECK(n_placed >= 12u);
        for (uint32_t i = 0; i < 22u && pass == 0; ++i) {
            test_context("node", i);
            CHECK_NEAR(cairn_bias_get(&bias, i), (double)gain[i], 0.1); /* .05 / sqrt(16), and the map's own error */
        }
    }
    CHECK(rms[0] < 0.25); /* 2 x 5 m x .05 / sqrt(21) = .11, with room for the gains */
    CHECK(rms[1] > 2.0 * rms[0]);
}

TEST(test_lift_should_give_the_same_bits_when_sliced_by_any_budget)
{
    static const uint32_t budgets[] = {1u, 17u, 333u, 1000000u};
    static const cairn_bias_cfg_t cfg = {CAIRN_BIAS_COMMON, 0, (cairn_real)0.5, (cairn_real)1.5};
    uint32_t expected = 0;
    for (uint32_t k = 0; k < 4u; k += TEST_STRIDE == 1u ? 1u : 3u) { /* boards: the least and the largest */
        world_draw(12u, 4u, 2u, 20, (cairn_real)0.5, 4u);
        world_build();
        memset(world_work, k % 2u == 0 ? 0xA5 : 0, sizeof world_work);
        CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
        CHECK_EQ(cairn_bias_init(&bias, &cfg, &world_net, values, 22u), CAIRN_OK);
        CHECK(run(&cairn_lift_cfg_default, &bias, budgets[k]) >= 0);
        uint32_t hash = hash_float(world_hash(), (float)cairn_bias_get(&bias, 0));
        expected = k == 0 ? hash : expected;
        CHECK_EQ(hash, expected);
    }
}

TEST(test_lift_should_continue_bit_for_bit_when_saved_and_loaded_at_any_step)
{
    static cairn_lift_t saved;
    static cairn_word_t saved_work[CAIRN_LIFT_WORDS(10, 2)];
    world_draw(10u, 4u, 2u, 20, (cairn_real)0.5, 4u);
    world_build();
    CHECK(run(&cairn_lift_cfg_default, NULL, 500u) >= 0);
    uint32_t expected = world_hash();
    world_build();
    CHECK_EQ(cairn_lift_init(&job, &cairn_lift_cfg_default, &world_net, NULL, world_work, CAIRN_LIFT_WORDS(10, 2)),
             CAIRN_OK);
    while (cairn_lift_step(&job, 500u) == CAIRN_MORE) {
        memcpy(&saved, &job, sizeof job);
        memcpy(saved_work, world_work, sizeof saved_work);
        memset(&job, 0x5A, sizeof job);
        memset(world_work, 0x5A, sizeof saved_work);
        memcpy(&job, &saved, sizeof job);
        memcpy(world_work, saved_work, sizeof saved_work);
    }
    CHECK_EQ(world_hash(), expected);
}

TEST(test_progress_should_never_fall_when_stepped)
{
    cairn_real before = 0;
    world_draw(10u, 4u, 2u, 20, (cairn_real)0.5, 4u);
    world_build();
    CHECK_EQ(cairn_lift_init(&job, &cairn_lift_cfg_default, &world_net, NULL, world_work, CAIRN_LIFT_WORDS(10, 2)),
             CAIRN_OK);
    cairn_status status;
    do {
        status = cairn_lift_step(&job, 100u);
        CHECK(cairn_lift_get_progress(&job) >= before);
        before = cairn_lift_get_progress(&job);
    } while (status == CAIRN_MORE);
    CHECK(before >= 1 && before <= 1);
    CHECK(cairn_lift_get_sweeps(&job) >= 160u);
}

static void check_refused(const cairn_lift_cfg_t *cfg, size_t n_words, cairn_status expected)
{
    static cairn_lift_t before;
    memset(&job, 0x5A, sizeof job);
    memcpy(&before, &job, sizeof job);
    CHECK_EQ(cairn_lift_init(&job, cfg, &world_net, NULL, world_work, n_words), expected);
    CHECK_MEM(&job, &before, sizeof job);
}

TEST(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad)
{
    static const uint32_t nan_bits = 0x7FC00000u;
    float nan_float;
    memcpy(&nan_float, &nan_bits, sizeof nan_float);
    cairn_real side[2];
    cairn_lift_cfg_t cfg = cairn_lift_cfg_default;
    side[0] = (cairn_real)nan_float, side[1] = 0;
    world_draw(10u, 4u, 2u, 20, 0, 4u);
    world_begin();
    check_refused(&cfg, CAIRN_LIFT_WORDS(10, 2), CAIRN_ERR_STATE); /* no ranges */
    world_build();
    check_refused(&cfg, CAIRN_LIFT_WORDS(10, 2) - 1u, CAIRN_ERR_SIZE);
    check_refused(NULL, CAIRN_LIFT_WORDS(10, 2), CAIRN_ERR_ARG);
    cfg.side_m = side;
    check_refused(&cfg, CAIRN_LIFT_WORDS(10, 2), CAIRN_ERR_NONFINITE);
    cfg = cairn_lift_cfg_default, cfg.tolerance = (cairn_real)nan_float;
    check_refused(&cfg, CAIRN_LIFT_WORDS(10, 2), CAIRN_ERR_NONFINITE);
    cfg = cairn_lift_cfg_default, cfg.tolerance = -1;
    check_refused(&cfg, CAIRN_LIFT_WORDS(10, 2), CAIRN_ERR_ARG);
    cfg = cairn_lift_cfg_default, cfg.attempts = 0;
    check_refused(&cfg, CAIRN_LIFT_WORDS(10, 2), CAIRN_ERR_ARG);
    cfg = cairn_lift_cfg_default, cfg.press_sweeps = 1;
    check_refused(&cfg, CAIRN_LIFT_WORDS(10, 2), CAIRN_ERR_ARG);
    cfg = cairn_lift_cfg_default, cfg.free_sweeps = 0;
    check_refused(&cfg, CAIRN_LIFT_WORDS(10, 2), CAIRN_ERR_ARG);
    cfg = cairn_lift_cfg_default, cfg.flat_sweeps = 0;
    check_refused(&cfg, CAIRN_LIFT_WORDS(10, 2), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_lift_init(NULL, &cairn_lift_cfg_default, &world_net, NULL, world_work, CAIRN_LIFT_WORDS(10, 2)),
             CAIRN_ERR_ARG);
    CHECK_EQ(cairn_lift_step(NULL, 1u), CAIRN_ERR_ARG);
}

TEST(test_lift_should_stay_within_its_work_array_when_it_has_just_enough)
{
    size_t n_words = CAIRN_LIFT_WORDS(12, 3);
    world_draw(12u, 6u, 3u, 20, (cairn_real)0.25, 4u);
    world_build();
    for (size_t k = n_words; k < sizeof world_work / sizeof world_work[0]; ++k) {
        world_work[k].index = 0xDEADBEEFu;
    }
    CHECK(run(&cairn_lift_cfg_default, NULL, 1000u) >= 0);
    for (size_t k = n_words; k < sizeof world_work / sizeof world_work[0]; ++k) {
        CHECK(world_work[k].index == 0xDEADBEEFu);
    }
}

TEST_MAIN(TEST_CASE(test_lift_should_find_exact_places_when_ranges_are_exact),
          TEST_CASE(test_lift_should_find_the_same_map_when_starts_differ),
          TEST_CASE(test_lift_should_complete_the_distance_matrix_when_there_is_no_anchor),
          TEST_CASE(test_lift_should_give_the_same_answer_up_to_a_rigid_motion_when_anchors_are_taken_away),
          TEST_CASE(test_fault_4_height_should_be_unresolved_when_all_beacons_are_at_one_height),
          TEST_CASE(test_fault_4_height_should_be_settled_when_a_side_is_given),
          TEST_CASE(test_fault_23_height_should_be_the_same_bits_when_run_again),
          TEST_CASE(test_fault_5_sides_should_be_unresolved_when_anchors_are_collinear_in_2d),
          TEST_CASE(test_fault_5_places_should_be_relative_when_two_anchors_in_3d_leave_a_rotation),
          TEST_CASE(test_fault_7_answer_should_be_the_same_locally_when_coordinates_are_large),
          TEST_CASE(test_fault_6_place_should_be_found_when_points_coincide),
          TEST_CASE(test_lift_should_say_unplaced_when_a_part_has_no_way_to_an_anchor),
          TEST_CASE(test_fault_15_gains_should_be_found_with_the_map_when_each_device_has_one),
          TEST_CASE(test_lift_should_give_the_same_bits_when_sliced_by_any_budget),
          TEST_CASE(test_lift_should_continue_bit_for_bit_when_saved_and_loaded_at_any_step),
          TEST_CASE(test_progress_should_never_fall_when_stepped),
          TEST_CASE(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad),
          TEST_CASE(test_lift_should_stay_within_its_work_array_when_it_has_just_enough))
