/* SPDX-License-Identifier: MIT
 * Tests of anchors: publicly reported failing inputs with their right answers, mirror traps, degenerate layouts. */
#include "cairn/anchors.h"
#include "oracle/place.h"
#include "oracle/random.h"
#include "support/test.h"

enum { N_MAX = 8, DIM_MAX = 3 };

/* One fix: anchors, ranges, weights, and what came out. */
static struct {
    cairn_real places[N_MAX * DIM_MAX];
    cairn_real ranges[N_MAX];
    cairn_real weights[N_MAX];
    size_t n, dim;
    cairn_anchors_cfg_t cfg;
    cairn_real place[DIM_MAX];
    cairn_anchors_result_t result;
} fix;

static cairn_status run(void)
{
    cairn_real work[CAIRN_ANCHORS_WORK_REALS(DIM_MAX) + 2u];
    cairn_neighbour_arrays_t arrays = {fix.places, fix.ranges, fix.weights, NULL, fix.dim};
    size_t n_work = CAIRN_ANCHORS_WORK_REALS(fix.dim);
    work[0] = 123, work[1u + n_work] = 456;
    cairn_status status = cairn_anchors_fix(&fix.cfg, cairn_neighbour_from_arrays, &arrays, fix.n, fix.dim, work + 1,
                                            n_work, fix.place, &fix.result);
    CHECK(work[0] == 123 && work[1u + n_work] == 456);
    if (status >= 0) {
        CHECK(cairn_all_finite(fix.place, fix.dim));
        CHECK(fix.result.cost <= fix.result.mirror_cost);
    }
    return status;
}

/* n anchors from numbers, exact ranges to target (rounded to cairn_real), deviation std each. */
static void set(size_t n, size_t dim, const double *places, const double *target, double std)
{
    fix.cfg = cairn_anchors_cfg_default;
    fix.n = n;
    fix.dim = dim;
    for (size_t j = 0; j < n; ++j) {
        fix.ranges[j] = (cairn_real)oracle_distance(places + j * dim, target, dim, 0.0);
        fix.weights[j] = (cairn_real)(1.0 / (std * std));
        for (size_t i = 0; i < dim; ++i) {
            fix.places[j * dim + i] = (cairn_real)places[j * dim + i];
        }
    }
    for (size_t i = 0; i < DIM_MAX; ++i) {
        fix.place[i] = -77;
    }
}

static void check_place(double x, double y, double z, double tolerance)
{
    double expected[DIM_MAX];
    expected[0] = x, expected[1] = y, expected[2] = z;
    for (size_t i = 0; i < fix.dim; ++i) {
        CHECK_NEAR(fix.place[i], expected[i], tolerance);
    }
}

/* Lengths about 10 and directions that fix every axis well: a range is known to a few units, a place to a few more. */
#define WELL (64.0 * ORACLE_UNIT * 10.0)

TEST(test_fix_should_find_the_truth_when_lemmingapex_34_trapped_the_centroid_start)
{
    static const double anchors[] = {0, 0, 10, 0, -7, -4.2};
    static const double target[] = {5, 5};
    set(3u, 2u, anchors, target, 0.1);
    CHECK_EQ(run(), CAIRN_OK);
    check_place(5, 5, 0, WELL);
    /* the trap near (6.58, -5.20) costs 4.71 at weight 1 */
    CHECK(fix.result.mirror_cost > 400);
    CHECK_NEAR(fix.result.cost, 0.0, 1e-4);
}

TEST(test_fix_should_say_flip_possible_and_give_either_point_when_lemmingapex_7_is_symmetric)
{
    static const double anchors[] = {1, 1, 1, 1, -1, 1, -1, -1, 1};
    static const double target[] = {0, 0, 0};
    set(3u, 3u, anchors, target, 0.1);
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE);
    check_place(0, 0, fix.place[2] > 1 ? 2 : 0, WELL);
    CHECK_NEAR(fix.result.mirror_cost, 0.0, 1e-4);
}

TEST(test_fix_should_work_in_local_coordinates_when_lemmingapex_2_has_mercator_coordinates)
{
    /* anchors near (4.6e6, 1.6e7), 8.6 m apart, at one height; differences are taken before rounding to cairn_real */
    static const double mercator[] = {4600000.0, 16000000.0, 3.0,        4600007.0, 16000005.0,
                                      3.0,       4600002.0,  16000008.0, 3.0};
    static const double target[] = {3.0, 4.0, 1.5};
    double local[9];
    for (int i = 0; i < 9; ++i) {
        local[i] = mercator[i] - mercator[i % 3] + (i % 3 == 2 ? 3.0 : 0.0);
    }
    set(3u, 3u, local, target, 0.1);
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE);
    check_place(3, 4, fix.place[2] > 3 ? 4.5 : 1.5, 4.0 * WELL);
}

TEST(test_fix_should_give_the_least_squares_point_when_lemmingapex_10_has_circles_that_do_not_meet)
{
    /* symmetric in x = y = t: the least of (sqrt2 t - 1)^2 + 2 (|(t, t) - (10, 0)| - 1)^2, searched in double */
    static const double anchors[] = {0, 0, 10, 0, 0, 10};
    static const double target[] = {0, 0};
    double best = 1e9, best_t = 0.0;
    set(3u, 2u, anchors, target, 1.0);
    fix.ranges[0] = fix.ranges[1] = fix.ranges[2] = 1;
    for (int i = 0; i <= 2000; ++i) {
        double t = 10.0 * i / 2000.0;
        double near = oracle_sqrt(2.0) * t - 1.0;
        double far = oracle_sqrt(t * t + (10.0 - t) * (10.0 - t)) - 1.0;
        double cost = near * near + 2.0 * far * far;
        best_t = cost < best ? t : best_t;
        best = cost < best ? cost : best;
    }
    CHECK(run() >= 0);
    check_place(best_t, best_t, 0, 0.02); /* the cost is flat: stops within sqrt(units of cost 90), grid .0025 */
    CHECK_NEAR(fix.result.cost, best, 1e-4 * best);
}

TEST(test_fix_should_give_one_of_both_heights_when_ardupilot_11060_has_all_beacons_at_one_height)
{
    static const double beacons[] = {0, 0, 2.1, 10, 0, 2.1, 10, 8, 2.1, 0, 8, 2.1};
    static const double target[] = {4, 3, 0.4};
    set(4u, 3u, beacons, target, 0.1);
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE);
    check_place(4, 3, fix.place[2] > 2 ? 3.8 : 0.4, 4.0 * WELL);
    cairn_real first[3];
    memcpy(first, fix.place, sizeof first);
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE);
    CHECK_MEM(fix.place, first, sizeof first); /* the same at each power-up */
}

TEST(test_fix_should_take_the_side_of_a_prior_when_the_height_is_not_resolved)
{
    static const double beacons[] = {0, 0, 2.1, 10, 0, 2.1, 10, 8, 2.1, 0, 8, 2.1, 4, 3, 0};
    static const double target[] = {4, 3, 0.4};
    for (int side = 0; side < 2; ++side) {
        set(5u, 3u, beacons, target, 0.1);
        fix.ranges[4] = 0; /* a prior: deviation 1 m, at the floor or at the ceiling */
        fix.weights[4] = 1;
        fix.places[14] = side == 0 ? 0 : 4;
        CHECK(run() >= 0);
        CHECK_NEAR(fix.place[2], side == 0 ? 0.4 : 3.8, 0.1);
    }
}

/* Smallest eigenvalue of sum u u^T, from below: determinant over the largest the others can be. */
static double stiffness(const double *target)
{
    double m[9] = {0.0};
    double trace = 0.0;
    size_t dim = fix.dim;
    for (size_t j = 0; j < fix.n; ++j) {
        double y[DIM_MAX], u[DIM_MAX];
        oracle_widen(fix.places + j * dim, dim, y);
        double distance = oracle_distance(target, y, dim, 0.0);
        for (size_t i = 0; i < dim; ++i) {
            u[i] = (target[i] - y[i]) / distance;
        }
        for (size_t i = 0; i < dim * dim; ++i) {
            m[i] += u[i / dim] * u[i % dim];
        }
    }
    for (size_t i = 0; i < dim; ++i) {
        trace += m[i * dim + i];
    }
    if (dim == 1u) {
        return m[0];
    }
    if (dim == 2u) {
        return (m[0] * m[3] - m[1] * m[2]) / trace;
    }
    double det =
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
    return 4.0 * det / (trace * trace);
}

/* Random layouts with exact ranges: the truth, or, when the library says so itself, its mirror image. */
static void check_layouts(size_t dim, size_t n, uint32_t n_runs, uint64_t seed)
{
    cairn_rng_t rng;
    uint32_t n_unique = 0;
    cairn_rng_init(&rng, seed, dim);
    for (uint32_t r = 0; r < n_runs; ++r) {
        double anchors[N_MAX * DIM_MAX], target[DIM_MAX];
        for (size_t i = 0; i < n * dim; ++i) {
            anchors[i] = (double)random_between(&rng, -10, 10);
        }
        for (size_t i = 0; i < dim; ++i) {
            target[i] = (double)random_between(&rng, -10, 10);
        }
        set(n, dim, anchors, target, 0.01);
        fix.cfg.place.rounds_max = 100;
        test_context("layout", r);
        double stiff = stiffness(target);
        cairn_status status = run();
        /* ranges are rounded once and distances computed: residuals up to delta each move the place by up to
         * sqrt(n) delta / sqrt(stiff), and the search stops where the cost is of that size */
        double delta = 36.0 * ORACLE_UNIT * ((double)dim + 6.0);
        double tolerance = 4.0 * oracle_sqrt((double)n) * delta / oracle_sqrt(stiff);
        double x[DIM_MAX];
        if (stiff < 0.02) {
            continue; /* the target is nearly in line with all anchors */
        }
        oracle_widen(fix.place, dim, x);
        double error = oracle_distance(x, target, dim, 0.0);
        CHECK(status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE);
        if (status == CAIRN_OK) {
            ++n_unique;
            CHECK_NEAR(error, 0.0, tolerance);
        }
        CHECK((double)fix.result.cost <= 1e4 * 16.0 * (double)n * delta * delta + (error > tolerance ? 9.0 : 0.0));
    }
    CHECK(n_unique * 10u >= n_runs * 8u);
}

TEST(test_fix_should_find_the_truth_when_layouts_are_random_in_1d)
{
    check_layouts(1u, 2u, 40u, 31u);
    check_layouts(1u, 4u, 40u, 32u);
}

TEST(test_fix_should_find_the_truth_when_layouts_are_random_in_2d)
{
    check_layouts(2u, 3u, 100u, 33u);
    check_layouts(2u, 5u, 60u, 34u);
}

TEST(test_fix_should_find_the_truth_when_layouts_are_random_in_3d)
{
    check_layouts(3u, 4u, 60u, 35u);
    check_layouts(3u, 7u, 40u, 36u);
}

TEST(test_fix_should_say_flip_possible_when_the_mirror_image_costs_hardly_more)
{
    /* three anchors 1.5 m off a line of 10 m: the mirror image misfits by decimetres */
    static const double anchors[] = {0, 0, 10, 0, 5, 1.5};
    static const double target[] = {4, 3};
    set(3u, 2u, anchors, target, 0.01);
    CHECK_EQ(run(), CAIRN_OK); /* centimetre ranges tell them apart */
    double mirror_cost = (double)fix.result.mirror_cost;
    check_place(4, 3, 0, 4.0 * WELL);
    set(3u, 2u, anchors, target, 1.0);
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE); /* metre ranges do not */
    CHECK_NEAR(fix.result.mirror_cost, mirror_cost / 1e4, 0.01 * mirror_cost / 1e4);
    fix.cfg.flip_cost = 0;
    CHECK_EQ(run(), CAIRN_OK); /* unless the caller wants a guess */
}

TEST(test_fix_should_need_a_single_round_when_the_linear_solution_is_exact)
{
    static const double anchors[] = {0, 0, 10, 0, -7, -4.2, 3, 9};
    static const double target[] = {5, 5};
    set(4u, 2u, anchors, target, 0.1);
    fix.cfg.place.rounds_max = 1;
    CHECK(run() >= 0);
    /* exact but for a ridge of 1e-5; Newton's damping of 1e-4 leaves as much of 5 m x 1e-5 */
    check_place(5, 5, 0, 4.0 * WELL + 1e-8 * 5.0 * 4.0);
}

TEST(test_fix_should_say_flip_possible_with_equal_costs_when_anchors_are_collinear)
{
    static const double flat[] = {0, 0, 5, 0, 10, 0};
    static const double slanted[] = {1, 1, 4, 5, 7, 9}; /* along (3, 4) */
    static const double target[] = {3, 4};
    static const double target_slanted[] = {1 - 4, 1 + 3}; /* 5 off the line at its first anchor */
    set(3u, 2u, flat, target, 0.1);
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE);
    check_place(3, fix.place[1] > 0 ? 4 : -4, 0, 4.0 * WELL);
    CHECK_NEAR(fix.result.mirror_cost, fix.result.cost, 1e-4);
    set(3u, 2u, slanted, target_slanted, 0.1);
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE);
    check_place(fix.place[0] < 1 ? -3 : 5, fix.place[0] < 1 ? 4 : -2, 0, 4.0 * WELL);
    set(2u, 2u, flat, target, 0.1); /* two anchors are always collinear */
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE);
    check_place(3, fix.place[1] > 0 ? 4 : -4, 0, 4.0 * WELL);
}

TEST(test_fix_should_say_flip_possible_when_anchors_are_collinear_in_3d)
{
    static const double line[] = {0, 0, 0, 5, 0, 0, 10, 0, 0, 2, 0, 0};
    static const double target[] = {3, 4, 0};
    set(4u, 3u, line, target, 0.1);
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE);
    CHECK_NEAR(fix.place[0], 3.0, 4.0 * WELL); /* anywhere on the circle round the line */
    CHECK_NEAR(cairn_sqrt(fix.place[1] * fix.place[1] + fix.place[2] * fix.place[2]), 4.0, 4.0 * WELL);
}

TEST(test_fix_should_say_flip_possible_when_one_dimension_has_a_single_anchor)
{
    static const double anchor = 2, target = 5;
    set(1u, 1u, &anchor, &target, 0.1);
    CHECK_EQ(run(), CAIRN_FLIP_POSSIBLE);
    check_place(fix.place[0] > 2 ? 5 : -1, 0, 0, WELL);
}

TEST(test_fix_should_refuse_and_change_nothing_when_all_anchors_are_in_one_point)
{
    static const double point[] = {3, -4, 3, -4, 3, -4};
    static const double target[] = {0, 0};
    for (size_t n = 1; n <= 3u; ++n) {
        set(n, 2u, point, target, 0.1);
        CHECK_EQ(run(), CAIRN_ERR_GEOMETRY);
        CHECK(fix.place[0] == -77 && fix.place[1] == -77);
    }
}

TEST(test_fix_should_find_the_anchor_itself_when_the_node_stands_on_one)
{
    static const double anchors[] = {1, 2, 9, 1, 4, 8, -3, 6};
    static const double target[] = {1, 2};
    set(4u, 2u, anchors, target, 0.1);
    fix.ranges[0] = (cairn_real)1e-6; /* what a network would accept for it, and wrong by as much */
    CHECK_EQ(run(), CAIRN_OK);
    check_place(1, 2, 0, WELL + 1e-6);
    fix.ranges[0] = 0; /* and a measured 0 is a prior there */
    CHECK_EQ(run(), CAIRN_OK);
    check_place(1, 2, 0, WELL);
}

TEST(test_fix_should_ignore_anchors_without_weight_when_they_are_wild)
{
    static const double anchors[] = {0, 0, 10, 0, -7, -4.2, 1000, 1000};
    static const double target[] = {5, 5};
    set(4u, 2u, anchors, target, 0.1);
    fix.weights[3] = 0;
    fix.ranges[3] = 1;
    CHECK_EQ(run(), CAIRN_OK);
    check_place(5, 5, 0, WELL);
}

TEST(test_fix_should_refuse_when_no_neighbour_has_a_weight)
{
    static const double anchors[] = {0, 0, 10, 0, -7, -4.2};
    static const double target[] = {5, 5};
    set(3u, 2u, anchors, target, 0.1);
    fix.weights[0] = fix.weights[1] = fix.weights[2] = 0;
    CHECK_EQ(run(), CAIRN_ERR_ANCHORS);
    fix.n = 0;
    CHECK_EQ(run(), CAIRN_ERR_ANCHORS);
    CHECK(fix.place[0] == -77 && fix.place[1] == -77);
}

static cairn_status run_with(const cairn_anchors_cfg_t *cfg, size_t dim, cairn_real *work, size_t n_work)
{
    const cairn_neighbour_arrays_t arrays = {fix.places, fix.ranges, fix.weights, NULL, 2u};
    cairn_status status =
        cairn_anchors_fix(cfg, cairn_neighbour_from_arrays, &arrays, 3u, dim, work, n_work, fix.place, &fix.result);
    CHECK(fix.place[0] == -77 && fix.place[1] == -77 && fix.result.cost == -5);
    return status;
}

static cairn_status run_with_cfg(cairn_real flip_cost, cairn_real ratio)
{
    cairn_real work[CAIRN_ANCHORS_WORK_REALS(2)];
    cairn_anchors_cfg_t cfg = cairn_anchors_cfg_default;
    cfg.flip_cost = flip_cost;
    cfg.collinear_ratio = ratio;
    return run_with(&cfg, 2u, work, CAIRN_ANCHORS_WORK_REALS(2));
}

TEST(test_fix_should_refuse_and_change_nothing_when_an_argument_is_bad)
{
    static const double anchors[] = {0, 0, 10, 0, -7, -4.2};
    static const double target[] = {5, 5};
    cairn_real work[CAIRN_ANCHORS_WORK_REALS(3) + 1u];
    const size_t n_work = CAIRN_ANCHORS_WORK_REALS(2);
    cairn_anchors_cfg_t cfg = cairn_anchors_cfg_default;
    cairn_space_t sphere;
    set(3u, 2u, anchors, target, 0.1);
    fix.result.cost = -5;
    CHECK_EQ(run_with(NULL, 2u, work, n_work), CAIRN_ERR_ARG);
    CHECK_EQ(run_with(&cfg, 0u, work, n_work), CAIRN_ERR_ARG);
    CHECK_EQ(run_with(&cfg, 4u, work, n_work), CAIRN_ERR_ARG);
    CHECK_EQ(run_with(&cfg, 2u, NULL, n_work), CAIRN_ERR_ARG);
    CHECK_EQ(run_with(&cfg, 2u, work, n_work - 1u), CAIRN_ERR_SIZE);
    CHECK_EQ(run_with(&cfg, 2u, (cairn_real *)((uintptr_t)work + 1u), n_work), CAIRN_ERR_ALIGN);
    CHECK_EQ(run_with_cfg((cairn_real)NAN, 0), CAIRN_ERR_NONFINITE);
    CHECK_EQ(run_with_cfg(9, (cairn_real)INFINITY), CAIRN_ERR_NONFINITE);
    CHECK_EQ(run_with_cfg(-1, 0), CAIRN_ERR_ARG);
    CHECK_EQ(run_with_cfg(9, (cairn_real)1.5), CAIRN_ERR_ARG);
    CHECK_EQ(run_with_cfg(9, -1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_sphere(&sphere, 10), CAIRN_OK);
    cfg.place.space = &sphere;
    CHECK_EQ(run_with(&cfg, 2u, work, n_work), CAIRN_ERR_ARG);
    cfg = cairn_anchors_cfg_default, cfg.place.rounds_max = 0;
    CHECK_EQ(run_with(&cfg, 2u, work, n_work), CAIRN_ERR_ARG);
    cfg = cairn_anchors_cfg_default, cfg.place.tolerance = (cairn_real)NAN;
    CHECK_EQ(run_with(&cfg, 2u, work, n_work), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_anchors_fix(&cairn_anchors_cfg_default, NULL, NULL, 3u, 2u, work, n_work, fix.place, NULL),
             CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_fix_should_find_the_truth_when_lemmingapex_34_trapped_the_centroid_start),
          TEST_CASE(test_fix_should_say_flip_possible_and_give_either_point_when_lemmingapex_7_is_symmetric),
          TEST_CASE(test_fix_should_work_in_local_coordinates_when_lemmingapex_2_has_mercator_coordinates),
          TEST_CASE(test_fix_should_give_the_least_squares_point_when_lemmingapex_10_has_circles_that_do_not_meet),
          TEST_CASE(test_fix_should_give_one_of_both_heights_when_ardupilot_11060_has_all_beacons_at_one_height),
          TEST_CASE(test_fix_should_take_the_side_of_a_prior_when_the_height_is_not_resolved),
          TEST_CASE(test_fix_should_find_the_truth_when_layouts_are_random_in_1d),
          TEST_CASE(test_fix_should_find_the_truth_when_layouts_are_random_in_2d),
          TEST_CASE(test_fix_should_find_the_truth_when_layouts_are_random_in_3d),
          TEST_CASE(test_fix_should_say_flip_possible_when_the_mirror_image_costs_hardly_more),
          TEST_CASE(test_fix_should_need_a_single_round_when_the_linear_solution_is_exact),
          TEST_CASE(test_fix_should_say_flip_possible_with_equal_costs_when_anchors_are_collinear),
          TEST_CASE(test_fix_should_say_flip_possible_when_anchors_are_collinear_in_3d),
          TEST_CASE(test_fix_should_say_flip_possible_when_one_dimension_has_a_single_anchor),
          TEST_CASE(test_fix_should_refuse_and_change_nothing_when_all_anchors_are_in_one_point),
          TEST_CASE(test_fix_should_find_the_anchor_itself_when_the_node_stands_on_one),
          TEST_CASE(test_fix_should_ignore_anchors_without_weight_when_they_are_wild),
          TEST_CASE(test_fix_should_refuse_when_no_neighbour_has_a_weight),
          TEST_CASE(test_fix_should_refuse_and_change_nothing_when_an_argument_is_bad))
