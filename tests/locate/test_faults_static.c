/* SPDX-License-Identifier: MIT
 * Faults that users of localization libraries report, as far as they touch networks that stand still; each case is named
 * after its kind. Kinds 4, 5, 6, 7, 14, 15, 16 and 23 have theirs in test_lift, test_bias, test_calibrate, test_residual. */
#include "cairn/anchors.h"
#include "cairn/lift.h"
#include "cairn/residual.h"
#include "oracle/world.h"

static cairn_lift_t job;

static cairn_status lift(const cairn_loss_t *loss, uint32_t seed)
{
    cairn_lift_cfg_t cfg = cairn_lift_cfg_default;
    cfg.loss = loss;
    cfg.seed = seed;
    cairn_status status =
        cairn_lift_init(&job, &cfg, &world_net, NULL, world_work, CAIRN_LIFT_WORDS(world.n_nodes, world.dim));
    if (status < 0) {
        return status;
    }
    do {
        status = cairn_lift_step(&job, 10000u);
    } while (status == CAIRN_MORE);
    return status;
}

static double worst(void)
{
    double most = 0.0;
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        double error = (double)world_error(i);
        most = error < 0 || error > most ? (error < 0 ? 1e9 : error) : most;
    }
    return most;
}

static double rms(void)
{
    double sum = 0.0;
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        sum += (double)world_error(i) * (double)world_error(i);
    }
    return oracle_sqrt(sum / (double)(world.n_nodes - world.n_anchors));
}

TEST(test_fault_1_network_should_be_the_same_when_zero_and_negative_ranges_were_refused)
{
    static const cairn_real bad[] = {0, (cairn_real)-0.0, -3, 2000};
    uint32_t hash = 0;
    for (int pass = 0; pass < 2; ++pass) {
        world_draw(12u, 5u, 2u, 20, (cairn_real)0.125, 3u);
        world.cfg.range_max_m = 1000;
        world_begin();
        world_add_anchors();
        for (size_t k = 0; k < 4u && pass == 1; ++k) {
            CHECK_EQ(cairn_network_add_range(&world_net, 6u, 7u, bad[k], 0), CAIRN_ERR_RANGE);
        }
        world_add_ranges();
        CHECK_EQ(lift(NULL, 1u), CAIRN_OK);
        hash = pass == 0 ? world_hash() : hash;
        CHECK_EQ(world_hash(), hash);
    }
}

TEST(test_fault_2_harm_should_be_bounded_when_one_range_is_ten_or_a_hundred_times_too_long)
{
    for (uint32_t pass = 0; pass < 4u; ++pass) {
        static const cairn_real factor[] = {1, 10, 100, 1000};
        test_context("pass", pass);
        world_draw(16u, 5u, 2u, 20, (cairn_real)0.125, 4u);
        world_begin();
        world_add_anchors();
        cairn_rng_t rng;
        cairn_rng_init(&rng, 4u, 2u);
        for (uint32_t b = 5u; b < 16u; ++b) {
            for (uint32_t a = 0; a < b; ++a) {
                cairn_real range = cairn_distance(world_truth(a), world_truth(b), 2u);
                range += world.noise * random_normal(&rng);
                CHECK(cairn_network_add_range(&world_net, a, b, range * (a == 2u && b == 9u ? factor[pass] : 1), 0) ==
                      CAIRN_OK);
            }
        }
        CHECK(lift(&cairn_loss_redescend, 1u) >= 0);
        CHECK(worst() < 0.3); /* 2 s / sqrt(n) is .065 root mean square; the worst of 11 */
    }
}

TEST(test_fault_3_network_should_not_be_mirrored_when_the_start_was_random)
{
    /* lemmingapex#34: the layout whose centroid start ends in a mirror trap, once for every start */
    static const cairn_real layout[8] = {0, 0, 10, 0, -7, (cairn_real)-4.2, 5, 5};
    for (uint32_t seed = 1; seed <= TEST_SEEDS(30u); ++seed) {
        test_context("seed", seed);
        world_draw(4u, 3u, 2u, 30, 0, 1u);
        memcpy(world.truth, layout, sizeof layout);
        world_build();
        CHECK_EQ(lift(NULL, seed), CAIRN_OK);
        CHECK(worst() < 0.01);
    }
}

TEST(test_fault_3_both_points_should_be_said_possible_when_lemmingapex_7_is_symmetric)
{
    static const cairn_real layout[12] = {1, 1, 1, 1, -1, 1, -1, -1, 1, 0, 0, 0};
    world_draw(4u, 3u, 3u, 30, 0, 1u);
    memcpy(world.truth, layout, sizeof layout);
    world_build();
    CHECK_EQ(lift(NULL, 1u), CAIRN_HEIGHT_UNRESOLVED);
    cairn_real place[3];
    CHECK_EQ(cairn_network_get_place(&world_net, 3u, place, NULL), CAIRN_FLIP_POSSIBLE);
    CHECK_NEAR(place[0], 0.0, 0.01);
    CHECK_NEAR(place[1], 0.0, 0.01);
    CHECK_NEAR(cairn_abs(place[2] - 1), 1.0, 0.01);
}

TEST(test_fault_3_place_should_be_the_best_compromise_when_circles_do_not_meet)
{
    /* lemmingapex#10; the minimum is searched along the diagonal of symmetry in double */
    static const cairn_real layout[8] = {0, 0, 10, 0, 0, 10, 0, 0};
    double best = 1e9, best_t = 0.0;
    world_draw(4u, 3u, 2u, 30, 1, 1u);
    memcpy(world.truth, layout, sizeof layout);
    world_begin();
    world_add_anchors();
    for (uint32_t a = 0; a < 3u; ++a) {
        CHECK_EQ(cairn_network_add_range(&world_net, a, 3u, 1, 0), CAIRN_OK);
    }
    for (int i = 0; i <= 2000; ++i) {
        double t = 10.0 * i / 2000.0;
        double near = oracle_sqrt(2.0) * t - 1.0;
        double far = oracle_sqrt(t * t + (10.0 - t) * (10.0 - t)) - 1.0;
        double cost = near * near + 2.0 * far * far;
        best_t = cost < best ? t : best_t;
        best = cost < best ? cost : best;
    }
    CHECK(lift(NULL, 1u) >= 0);
    cairn_real place[2];
    CHECK(cairn_network_get_place(&world_net, 3u, place, NULL) >= 0);
    CHECK_NEAR(place[0], best_t, 0.02); /* grid of .0025, flat minimum, end of the sweeps */
    CHECK_NEAR(place[1], best_t, 0.02);
    cairn_residual_t residual;
    CHECK_EQ(cairn_residual_of_network(&world_net, &residual), CAIRN_OK);
    CHECK((cairn_residual_judge(&residual) & CAIRN_SUSPECT_NOISE) != 0); /* and it is said that they do not meet */
}

TEST(test_fault_8_10_deviation_should_grow_when_anchors_vanish_and_place_should_return_with_them)
{
    /* anchors heard by one sensor: 5, 3, 2, 1, 0 and 5 again, the ranges of one fix being a partial set */
    static const uint32_t heard[] = {5u, 3u, 2u, 1u, 0u, 5u};
    double before = 0.0;
    for (uint32_t k = 0; k < 6u; ++k) {
        test_context("anchors", heard[k]);
        world_draw(6u, 5u, 2u, 30, 0, 6u);
        world_begin();
        world_add_anchors();
        CHECK_EQ(cairn_network_add_range(&world_net, 0u, 1u, cairn_distance(world_truth(0u), world_truth(1u), 2u), 0),
                 CAIRN_OK);
        for (uint32_t a = 0; a < heard[k]; ++a) {
            cairn_real range = cairn_distance(world_truth(a), world_truth(5u), 2u);
            CHECK_EQ(cairn_network_add_range(&world_net, a, 5u, range, 0), CAIRN_OK);
        }
        CHECK(lift(NULL, 1u) >= 0);
        cairn_real place[2];
        cairn_real std = 0;
        cairn_status status = cairn_network_get_place(&world_net, 5u, place, &std);
        CHECK_EQ(status, heard[k] >= 3u ? CAIRN_OK : heard[k] > 0 ? CAIRN_FLIP_POSSIBLE : CAIRN_UNPLACED);
        CHECK(heard[k] < 3u || worst() < 0.01);
        CHECK(k == 5u || status == CAIRN_UNPLACED || (double)std > before);
        before = (double)std;
    }
}

TEST(test_fault_11_nodes_and_ranges_beyond_capacity_should_be_refused_when_the_arrays_are_full)
{
    world_draw(12u, 5u, 2u, 20, 0, 3u);
    world_begin();
    uint32_t n = 0;
    while (cairn_network_add_range(&world_net, n % 11u, 11u, 1, 0) == CAIRN_OK) {
        ++n;
    }
    CHECK_EQ(n, WORLD_RANGES);
    CHECK_EQ(cairn_network_add_range(&world_net, 0u, 1u, 1, 0), CAIRN_FULL);
    CHECK_EQ(cairn_network_add_range(&world_net, 0u, 12u, 1, 0), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(world_net.counters.n_full, 2);
}

TEST(test_fault_19_misfit_should_be_told_when_residuals_rise)
{
    double before = 0.0;
    for (uint32_t k = 0; k < 3u; ++k) { /* noise as declared, 4 and 16 times that */
        world_draw(14u, 5u, 2u, 20, k == 0 ? (cairn_real)0.05 : k == 1u ? (cairn_real)0.2 : (cairn_real)0.8, 5u);
        world.cfg.noise_abs_m = (cairn_real)0.05;
        world_build();
        CHECK(lift(NULL, 1u) >= 0);
        cairn_residual_t residual;
        CHECK_EQ(cairn_residual_of_network(&world_net, &residual), CAIRN_OK);
        CHECK((double)residual.rms > 2.0 * before);
        CHECK_EQ((cairn_residual_judge(&residual) & CAIRN_SUSPECT_NOISE) != 0, k > 0);
        before = (double)residual.rms;
    }
}

TEST(test_fault_20_cost_should_not_rise_when_flat_sweeps_go_on)
{
    /* more sweeps of the same start never cost more; weights are those of the declared absolute noise */
    cairn_lift_cfg_t cfg = cairn_lift_cfg_default;
    double before = 1e30;
    cfg.attempts = 1;
    cfg.tolerance = 0;
    for (uint16_t sweeps = 1; sweeps <= 64u; sweeps = (uint16_t)(2u * sweeps)) {
        world_draw(14u, 4u, 2u, 7, (cairn_real)0.5, 6u);
        world_build();
        cfg.flat_sweeps = sweeps;
        CHECK_EQ(cairn_lift_init(&job, &cfg, &world_net, NULL, world_work, CAIRN_LIFT_WORDS(14, 2)), CAIRN_OK);
        while (cairn_lift_step(&job, 10000u) == CAIRN_MORE) {
        }
        double cost = (double)cairn_lift_get_cost(&job);
        CHECK(cost <= before * (1.0 + 64.0 * (double)CAIRN_REAL_EPSILON));
        before = cost;
    }
}

TEST(test_fault_21_map_should_be_found_when_all_starts_were_in_one_point)
{
    static const cairn_real origin[2] = {0, 0};
    world_draw(14u, 4u, 2u, 7, 0, 8u);
    world_begin();
    world_add_anchors();
    for (uint32_t i = 4u; i < 14u; ++i) {
        CHECK_EQ(cairn_network_set_start(&world_net, i, origin), CAIRN_OK);
    }
    world_add_ranges();
    CHECK_EQ(lift(NULL, 1u), CAIRN_OK);
    CHECK(worst() < 0.02);
}

TEST(test_fault_22_map_should_stay_finite_and_right_when_the_declared_noise_is_absurd)
{
    static const cairn_real declared[] = {0, (cairn_real)1e-6, (cairn_real)0.125, 1000000};
    for (uint32_t k = 0; k < 4u; ++k) {
        test_context("k", k);
        world_draw(14u, 5u, 2u, 20, (cairn_real)0.125, 7u);
        world.cfg.noise_abs_m = declared[k];
        world_build();
        CHECK(lift(NULL, 1u) >= 0);
        /* n ranges of deviation s fix a place to 2 s / sqrt(n); without noise the floor weighs by 1 / distance^2, which
         * leaves a few of the 13 at worst one to each direction */
        CHECK(rms() < 2.0 * 0.125);
    }
}

TEST(test_fault_24_map_should_be_found_when_noise_breaks_the_triangle_rule)
{
    /* noise of a tenth of the square breaks many triangles; classical scaling then has negative eigenvalues */
    world_draw(22u, 4u, 2u, 20, 1, 9u);
    world_build();
    uint32_t n_broken = 0;
    CHECK(lift(NULL, 1u) >= 0);
    for (uint32_t i = 4u; i < 22u; ++i) {
        cairn_real r01 = cairn_network_link(&world_net, i, 0)->range_m;
        cairn_real r02 = cairn_network_link(&world_net, i, 1u)->range_m;
        n_broken += r01 + r02 < cairn_distance(world_truth(0u), world_truth(1u), 2u) ? 1u : 0u;
    }
    CHECK(n_broken > 0);
    CHECK(rms() < 1.5 * 2.0 / oracle_sqrt(21.0)); /* 2 s / sqrt(n), and the neighbours' own errors */
}

TEST(test_fault_24_line_should_be_found_when_the_network_is_collinear)
{
    world_draw(12u, 0u, 2u, 4, 0, 10u);
    for (uint32_t i = 0; i < 12u; ++i) {
        world.truth[2u * i + 1u] = world.truth[2u * i] / 2;
    }
    world_begin();
    world_add_ranges();
    CHECK_EQ(lift(NULL, 1u), CAIRN_RELATIVE);
    for (uint32_t i = 0; i < 12u; ++i) { /* a line is flat to first order, so its width converges as the root */
        for (uint32_t j = 0; j < cairn_network_degree(&world_net, i); ++j) {
            const cairn_link_t *link = cairn_network_link(&world_net, i, j);
            cairn_real a[2] = {0, 0}, b[2] = {0, 0};
            CHECK(cairn_network_get_place(&world_net, i, a, NULL) >= 0);
            CHECK(cairn_network_get_place(&world_net, cairn_link_node(link), b, NULL) >= 0);
            CHECK_NEAR(cairn_distance(a, b, 2u), (double)link->range_m, 0.05);
        }
    }
}

TEST_MAIN(TEST_CASE(test_fault_1_network_should_be_the_same_when_zero_and_negative_ranges_were_refused),
          TEST_CASE(test_fault_2_harm_should_be_bounded_when_one_range_is_ten_or_a_hundred_times_too_long),
          TEST_CASE(test_fault_3_network_should_not_be_mirrored_when_the_start_was_random),
          TEST_CASE(test_fault_3_both_points_should_be_said_possible_when_lemmingapex_7_is_symmetric),
          TEST_CASE(test_fault_3_place_should_be_the_best_compromise_when_circles_do_not_meet),
          TEST_CASE(test_fault_8_10_deviation_should_grow_when_anchors_vanish_and_place_should_return_with_them),
          TEST_CASE(test_fault_11_nodes_and_ranges_beyond_capacity_should_be_refused_when_the_arrays_are_full),
          TEST_CASE(test_fault_19_misfit_should_be_told_when_residuals_rise),
          TEST_CASE(test_fault_20_cost_should_not_rise_when_flat_sweeps_go_on),
          TEST_CASE(test_fault_21_map_should_be_found_when_all_starts_were_in_one_point),
          TEST_CASE(test_fault_22_map_should_stay_finite_and_right_when_the_declared_noise_is_absurd),
          TEST_CASE(test_fault_24_map_should_be_found_when_noise_breaks_the_triangle_rule),
          TEST_CASE(test_fault_24_line_should_be_found_when_the_network_is_collinear))
