/* SPDX-License-Identifier: MIT
 * Tests of the logarithm and the exponential against each other and against identities, without libm. */
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

TEST_MAIN(TEST_CASE(test_log_should_be_within_its_bound_when_arguments_span_the_range),
          TEST_CASE(test_exp_should_undo_log_when_arguments_span_the_range),
          TEST_CASE(test_both_should_stay_finite_when_arguments_are_outside_the_range))
