/* SPDX-License-Identifier: MIT
 * Tests of the logarithm and the exponential against each other and against identities, without libm; of power, sine,
 * cosine and arc tangent against libm in double. */
#include "cairn/scalar.h"
#include "oracle/random.h"
#include "oracle/solve.h"
#include "support/test.h"

#define UNIT ((double)CAIRN_REAL_EPSILON)

/* ln x in double: halved by roots until near 1, then the series of 2 atanh. */
static double reference_log(double x)
{
    double factor = 1.0;
    while (x > 1.01 || x < 0.99) {
        x = oracle_sqrt(x);
        factor *= 2.0;
    }
    double t = (x - 1.0) / (x + 1.0);
    return factor * 2.0 * t * (1.0 + t * t / 3.0 + t * t * t * t / 5.0 + t * t * t * t * t * t / 7.0);
}

TEST(test_log_should_be_within_its_bound_when_arguments_span_the_range)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 1u, 1u);
    for (uint32_t i = 0; i < 400u; ++i) {
        cairn_real x = random_between(&rng, (cairn_real)0.5, 2);
        for (uint32_t k = 0; k < i % 40u; ++k) {
            x *= i % 2u == 0 ? (cairn_real)7.5 : (cairn_real)0.13;
        }
        double expected = reference_log((double)x);
        double size = oracle_abs(expected) > 1.0 ? oracle_abs(expected) : 1.0;
        test_context("i", i);
        /* the reference itself is good to 2^40 units of double */
        CHECK_NEAR(cairn_log(x), expected, 4.0 * UNIT * size + 1e-10);
    }
    CHECK(cairn_log(1) >= 0 && cairn_log(1) <= 0);
}

TEST(test_exp_should_undo_log_when_arguments_span_the_range)
{
    for (int i = -60; i <= 60; ++i) {
        cairn_real x = (cairn_real)i * (cairn_real)0.731;
        double size = oracle_abs((double)x) > 1.0 ? oracle_abs((double)x) : 1.0;
        CHECK_NEAR(cairn_log(cairn_exp(x)), (double)x, 9.0 * UNIT * size);
    }
    CHECK_NEAR(cairn_exp(1), 2.718281828459045, 4.0 * UNIT * 2.72);
    CHECK(cairn_exp(0) >= 1 && cairn_exp(0) <= 1);
}

TEST(test_both_should_stay_finite_when_arguments_are_outside_the_range)
{
    CHECK(cairn_isfinite(cairn_exp(CAIRN_REAL_MAX)));
    CHECK(cairn_exp(-CAIRN_REAL_MAX) > 0);
    CHECK(cairn_isfinite(cairn_log(0)));
    CHECK(cairn_isfinite(cairn_log(-1)));
    CHECK(cairn_isfinite(cairn_log(CAIRN_REAL_MAX)));
}

/* The reference rounds once, which counts where the reals are double. */
TEST(test_power_should_be_within_its_bound_when_bases_span_the_range)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 2u, 1u);
    for (uint32_t i = 0; i < 2000u; ++i) {
        cairn_real x = random_between(&rng, (cairn_real)0.5, 2);
        cairn_real p = i % 7u == 0 ? (cairn_real)(int)(i % 3u) - 1 : random_between(&rng, -1, 1);
        for (uint32_t k = 0; k < i % 41u; ++k) {
            x *= i % 2u == 0 ? 8 : (cairn_real)0.125;
        }
        double expected = pow((double)x, (double)p);
        test_context("i", i);
        CHECK_NEAR(cairn_power(x, p), expected, 4.5 * UNIT * expected);
        CHECK(p != 0 || (cairn_power(x, p) >= 1 && cairn_power(x, p) <= 1));
    }
}

TEST(test_power_should_hold_at_the_ends_when_bases_are_extreme_or_out_of_range)
{
    const double least = (double)CAIRN_REAL_LEAST;
    CHECK_NEAR(cairn_power(CAIRN_REAL_LEAST, -1), 1.0 / least, 4.0 * UNIT / least);
    CHECK_NEAR(cairn_power(CAIRN_REAL_LEAST, 1), least, 4.0 * UNIT * least);
    CHECK_NEAR(cairn_power(CAIRN_REAL_MAX / 2, 1), (double)CAIRN_REAL_MAX / 2.0, 2.0 * UNIT * (double)CAIRN_REAL_MAX);
    CHECK(cairn_power(CAIRN_REAL_MAX, -1) > 0);
    CHECK(cairn_power(0, 1) == 0 && cairn_power(-1, 1) == 0 && cairn_power((cairn_real)NAN, 1) == 0);
    CHECK(cairn_power(2, (cairn_real)NAN) == 0 && cairn_power(2, (cairn_real)1.001) == 0);
}

TEST(test_sine_cosine_should_be_within_their_bound_when_angles_span_the_range)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 3u, 1u);
    for (uint32_t i = 0; i < 4000u; ++i) {
        static const cairn_real sizes[] = {(cairn_real)1e-6, (cairn_real)0.1, 1, 4, 100, 65536};
        cairn_real size = sizes[i % 6u];
        cairn_real x = random_between(&rng, -size, size);
        cairn_real sine;
        cairn_real cosine;
        cairn_sine_cosine(x, &sine, &cosine);
        test_context("i", i);
        CHECK_NEAR(sine, sin((double)x), 2.5 * UNIT);
        CHECK_NEAR(cosine, cos((double)x), 2.5 * UNIT);
        CHECK_NEAR(sine, sin((double)x), size <= 1 ? 2.5 * UNIT * oracle_abs((double)x) : 2.5 * UNIT);
    }
}

TEST(test_sine_cosine_should_turn_by_quarters_when_angles_are_multiples_of_them)
{
    for (int quarter = -8; quarter <= 8; ++quarter) {
        static const int sines[] = {0, 1, 0, -1};
        cairn_real sine;
        cairn_real cosine;
        cairn_sine_cosine((cairn_real)((double)quarter * 1.57079632679489661923), &sine, &cosine);
        /* the multiple itself is off by half a unit of 4 pi */
        CHECK_NEAR(sine, (double)sines[(quarter + 8) % 4], 10.0 * UNIT);
        CHECK_NEAR(cosine, (double)sines[(quarter + 9) % 4], 10.0 * UNIT);
    }
}

TEST(test_sine_cosine_should_count_as_no_turn_when_the_angle_is_too_large_or_none)
{
    const cairn_real angles[] = {65537, -CAIRN_REAL_MAX, (cairn_real)INFINITY, (cairn_real)NAN};
    for (size_t i = 0; i < 4u; ++i) {
        cairn_real sine;
        cairn_real cosine;
        cairn_sine_cosine(angles[i], &sine, &cosine);
        CHECK(sine == 0 && cosine == 1);
    }
}

TEST(test_arc_tangent_should_be_within_its_bound_when_points_are_all_around)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 4u, 1u);
    for (uint32_t i = 0; i < 4000u; ++i) {
        static const cairn_real heights[] = {1, (cairn_real)0.01, (cairn_real)1e-6, 100, (cairn_real)1e6};
        cairn_real y = heights[i % 5u] * random_between(&rng, 0, 1);
        cairn_real x = random_between(&rng, -1, 1);
        double expected = atan2((double)y, (double)x);
        test_context("i", i);
        CHECK_NEAR(cairn_arc_tangent(y, x), expected, 4.5 * UNIT * (expected < 0.785 ? expected : 1.0));
    }
    CHECK(cairn_arc_tangent(0, 0) == 0 && cairn_arc_tangent(0, 1) == 0);
    CHECK_NEAR(cairn_arc_tangent(0, -1), 3.14159265358979323846, 2.0 * UNIT);
    CHECK_NEAR(cairn_arc_tangent(CAIRN_REAL_MAX, CAIRN_REAL_MAX), 0.78539816339744830962, 4.0 * UNIT);
}

TEST_MAIN(TEST_CASE(test_log_should_be_within_its_bound_when_arguments_span_the_range),
          TEST_CASE(test_exp_should_undo_log_when_arguments_span_the_range),
          TEST_CASE(test_power_should_be_within_its_bound_when_bases_span_the_range),
          TEST_CASE(test_power_should_hold_at_the_ends_when_bases_are_extreme_or_out_of_range),
          TEST_CASE(test_sine_cosine_should_be_within_their_bound_when_angles_span_the_range),
          TEST_CASE(test_sine_cosine_should_turn_by_quarters_when_angles_are_multiples_of_them),
          TEST_CASE(test_sine_cosine_should_count_as_no_turn_when_the_angle_is_too_large_or_none),
          TEST_CASE(test_arc_tangent_should_be_within_its_bound_when_points_are_all_around),
          TEST_CASE(test_both_should_stay_finite_when_arguments_are_outside_the_range))
