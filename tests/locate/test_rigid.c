/* SPDX-License-Identifier: MIT
 * Tests of the rigid fit: known motions are found, both hands, weights, noise, what the points leave open, refusals. */
#include "cairn/rigid.h"
#include "cairn/vector.h"
#include "oracle/random.h"
#include "oracle/solve.h"
#include "support/test.h"

enum { POINTS = 12, DIM = CAIRN_RIGID_DIM_MAX };

static cairn_real from[POINTS * DIM];
static cairn_real to[POINTS * DIM];
static cairn_rigid_t motion;

/* Coordinates up to 10 and rotations of a few units each: a few tens of units of 10. */
#define EXACT (64.0 * (double)CAIRN_REAL_EPSILON * 10.0)

/* Points in a cube of 10, moved by a random rotation, reflected or not, and a shift. Returns the hand. */
static bool draw(cairn_rng_t *rng, size_t dim, bool mirrored)
{
    double rotation[DIM * DIM];
    static const double shift[DIM] = {3.0, -2.0, 1.0};
    double determinant;
    random_rotation(rng, dim, rotation);
    const double *r = rotation;
    determinant = dim == 1   ? r[0]
                  : dim == 2 ? r[0] * r[3] - r[1] * r[2]
                             : r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                                   r[2] * (r[3] * r[7] - r[4] * r[6]);
    for (size_t k = 0; k < dim && (determinant < 0) != mirrored; ++k) {
        rotation[k] = -rotation[k];
    }
    for (size_t i = 0; i < POINTS * dim; ++i) {
        from[i] = random_between(rng, 0, 10);
    }
    for (size_t i = 0; i < POINTS; ++i) {
        random_apply(rotation, shift, dim, from + i * dim, to + i * dim);
    }
    return mirrored;
}

TEST(test_fit_should_find_the_motion_when_points_are_exact)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 7u, 1u);
    for (uint32_t trial = 0; trial < 60u; ++trial) {
        size_t dim = 1u + trial % 3u;
        bool mirrored = draw(&rng, dim, trial % 2u == 1u);
        cairn_real rms = -1;
        cairn_real moved[DIM];
        test_context("trial", trial);
        CHECK_EQ(cairn_rigid_fit(&motion, from, to, NULL, POINTS, dim, true, &rms), CAIRN_OK);
        CHECK_EQ(motion.mirrored, mirrored);
        CHECK_NEAR(rms, 0.0, EXACT);
        for (size_t i = 0; i < POINTS; ++i) {
            cairn_rigid_apply(&motion, from + i * dim, moved);
            CHECK_NEAR(cairn_distance(moved, to + i * dim, dim), 0.0, EXACT);
        }
    }
}

TEST(test_fit_should_not_reflect_when_it_is_not_allowed_and_the_set_is_mirrored)
{
    /* fault: reflection let through in a rigid fit */
    cairn_rng_t rng;
    cairn_rng_init(&rng, 8u, 1u);
    for (uint32_t trial = 0; trial < 20u; ++trial) {
        size_t dim = 2u + trial % 2u;
        cairn_real rms = -1;
        draw(&rng, dim, true);
        CHECK_EQ(cairn_rigid_fit(&motion, from, to, NULL, POINTS, dim, false, &rms), CAIRN_OK);
        CHECK(!motion.mirrored);
        CHECK(rms > (cairn_real)0.5); /* a mirrored cloud of size 10 does not fit */
        const cairn_real *t = motion.turn;
        cairn_real determinant = dim == 2 ? t[0] * t[3] - t[1] * t[2]
                                          : t[0] * (t[4] * t[8] - t[5] * t[7]) - t[1] * (t[3] * t[8] - t[5] * t[6]) +
                                                t[2] * (t[3] * t[7] - t[4] * t[6]);
        CHECK_NEAR(determinant, 1.0, 64.0 * (double)CAIRN_REAL_EPSILON);
    }
}

/* Sum of squares after a small extra turn of the fitted motion about each axis: none may be smaller. */
static double cost_after(size_t dim, size_t p, size_t q, double angle)
{
    double sum = 0.0;
    for (size_t i = 0; i < POINTS; ++i) {
        cairn_real moved[DIM];
        double turned[DIM];
        cairn_rigid_apply(&motion, from + i * dim, moved);
        for (size_t k = 0; k < dim; ++k) {
            turned[k] = (double)moved[k] - (double)motion.to[k];
        }
        double a = turned[p], b = turned[q];
        turned[p] = a * (1.0 - angle * angle / 2.0) - b * angle;
        turned[q] = b * (1.0 - angle * angle / 2.0) + a * angle;
        for (size_t k = 0; k < dim; ++k) {
            double error = turned[k] + (double)motion.to[k] - (double)to[i * dim + k];
            sum += error * error;
        }
    }
    return sum;
}

TEST(test_fit_should_be_least_when_points_are_noisy)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 9u, 1u);
    for (uint32_t trial = 0; trial < 20u; ++trial) {
        size_t dim = 2u + trial % 2u;
        draw(&rng, dim, trial % 3u == 0);
        for (size_t i = 0; i < POINTS * dim; ++i) {
            to[i] += (cairn_real)0.5 * random_normal(&rng);
        }
        cairn_real rms = -1;
        CHECK_EQ(cairn_rigid_fit(&motion, from, to, NULL, POINTS, dim, true, &rms), CAIRN_OK);
        CHECK_NEAR((double)rms * (double)rms * POINTS, cost_after(dim, 0, 1, 0.0), 1e-3);
        for (size_t q = 1; q < dim; ++q) {
            CHECK(cost_after(dim, 0, q, 0.01) > cost_after(dim, 0, q, 0.0));
            CHECK(cost_after(dim, 0, q, -0.01) > cost_after(dim, 0, q, 0.0));
        }
    }
}

TEST(test_fit_should_ignore_points_without_weight_when_they_are_wild)
{
    cairn_real weight[POINTS];
    cairn_rng_t rng;
    cairn_rng_init(&rng, 10u, 1u);
    draw(&rng, 2u, false);
    for (size_t i = 0; i < POINTS; ++i) {
        weight[i] = i == 3u || i == 7u ? 0 : (cairn_real)2.5;
    }
    to[6] += 1000;
    to[15] -= 1000;
    cairn_real rms = -1;
    CHECK_EQ(cairn_rigid_fit(&motion, from, to, weight, POINTS, 2u, true, &rms), CAIRN_OK);
    CHECK_NEAR(rms, 0.0, EXACT);
}

TEST(test_fit_should_say_flip_possible_when_points_lie_in_a_line_or_plane)
{
    cairn_rng_t rng;
    cairn_real rms = -1;
    cairn_rng_init(&rng, 11u, 1u);
    draw(&rng, 3u, false);
    for (size_t i = 0; i < POINTS; ++i) {
        from[3u * i + 2u] = 0;
        for (size_t k = 0; k < 3u; ++k) {
            to[3u * i + k] = from[3u * i + (k + 1u) % 3u] + 5;
        }
    }
    CHECK_EQ(cairn_rigid_fit(&motion, from, to, NULL, POINTS, 3u, true, &rms), CAIRN_FLIP_POSSIBLE);
    CHECK(!motion.mirrored);
    CHECK_NEAR(rms, 0.0, EXACT);
    CHECK_EQ(cairn_rigid_fit(&motion, from, to, NULL, POINTS, 3u, false, &rms), CAIRN_OK);
    for (size_t i = 0; i < POINTS; ++i) { /* collinear in 2-D */
        from[2u * i] = (cairn_real)i;
        from[2u * i + 1u] = 0;
        to[2u * i] = 1;
        to[2u * i + 1u] = (cairn_real)i;
    }
    CHECK_EQ(cairn_rigid_fit(&motion, from, to, NULL, POINTS, 2u, true, &rms), CAIRN_FLIP_POSSIBLE);
    CHECK_NEAR(rms, 0.0, EXACT);
}

TEST(test_fit_should_shift_when_all_points_coincide)
{
    static const cairn_real one[DIM] = {1, 2, 3};
    static const cairn_real other[DIM] = {4, 5, 6};
    cairn_real rms = -1;
    cairn_real moved[DIM];
    for (size_t dim = 1; dim <= DIM; ++dim) {
        CHECK_EQ(cairn_rigid_fit(&motion, one, other, NULL, 1u, dim, true, &rms), CAIRN_FLIP_POSSIBLE);
        cairn_rigid_apply(&motion, one, moved);
        CHECK_NEAR(cairn_distance(moved, other, dim), 0.0, EXACT);
    }
}

static void check_refused(cairn_status status, cairn_status expected)
{
    cairn_rigid_t marked;
    memset(&marked, 0x5A, sizeof marked);
    CHECK_EQ(status, expected);
    CHECK_MEM(&motion, &marked, sizeof motion);
    memset(&motion, 0x5A, sizeof motion);
}

TEST(test_fit_should_refuse_and_change_nothing_when_an_argument_is_bad)
{
    static const uint32_t nan_bits = 0x7FC00000u;
    float nan_float;
    cairn_real weight[POINTS];
    cairn_rng_t rng;
    memcpy(&nan_float, &nan_bits, sizeof nan_float);
    cairn_rng_init(&rng, 12u, 1u);
    draw(&rng, 2u, false);
    for (size_t i = 0; i < POINTS; ++i) {
        weight[i] = 0;
    }
    memset(&motion, 0x5A, sizeof motion);
    CHECK_EQ(cairn_rigid_fit(NULL, from, to, NULL, POINTS, 2u, true, NULL), CAIRN_ERR_ARG);
    check_refused(cairn_rigid_fit(&motion, NULL, to, NULL, POINTS, 2u, true, NULL), CAIRN_ERR_ARG);
    check_refused(cairn_rigid_fit(&motion, from, NULL, NULL, POINTS, 2u, true, NULL), CAIRN_ERR_ARG);
    check_refused(cairn_rigid_fit(&motion, from, to, NULL, 0, 2u, true, NULL), CAIRN_ERR_ARG);
    check_refused(cairn_rigid_fit(&motion, from, to, NULL, POINTS, 0, true, NULL), CAIRN_ERR_ARG);
    check_refused(cairn_rigid_fit(&motion, from, to, NULL, POINTS, DIM + 1u, true, NULL), CAIRN_ERR_ARG);
    check_refused(cairn_rigid_fit(&motion, from, to, weight, POINTS, 2u, true, NULL), CAIRN_ERR_ARG);
    weight[1] = -1;
    check_refused(cairn_rigid_fit(&motion, from, to, weight, POINTS, 2u, true, NULL), CAIRN_ERR_ARG);
    weight[1] = (cairn_real)nan_float;
    check_refused(cairn_rigid_fit(&motion, from, to, weight, POINTS, 2u, true, NULL), CAIRN_ERR_NONFINITE);
    to[5] = (cairn_real)nan_float;
    check_refused(cairn_rigid_fit(&motion, from, to, NULL, POINTS, 2u, true, NULL), CAIRN_ERR_NONFINITE);
}

TEST_MAIN(TEST_CASE(test_fit_should_find_the_motion_when_points_are_exact),
          TEST_CASE(test_fit_should_not_reflect_when_it_is_not_allowed_and_the_set_is_mirrored),
          TEST_CASE(test_fit_should_be_least_when_points_are_noisy),
          TEST_CASE(test_fit_should_ignore_points_without_weight_when_they_are_wild),
          TEST_CASE(test_fit_should_say_flip_possible_when_points_lie_in_a_line_or_plane),
          TEST_CASE(test_fit_should_shift_when_all_points_coincide),
          TEST_CASE(test_fit_should_refuse_and_change_nothing_when_an_argument_is_bad))
