/* SPDX-License-Identifier: MIT
 * Tests of the logarithmic loss: value, weight as the slope over twice the residual, and the edges. */
#include "cairn/recenter.h"
#include "oracle/solve.h"
#include "support/test.h"

/* ln x in double by roots and the series of 2 atanh. */
static double reference_log(double x)
{
    double factor = 1.0;
    while (x > 1.01 || x < 0.99) {
        x = oracle_sqrt(x);
        factor *= 2.0;
    }
    double t = (x - 1.0) / (x + 1.0);
    return factor * 2.0 * t * (1.0 + t * t / 3.0 + t * t * t * t / 5.0);
}

TEST(test_log_loss_should_be_the_squared_log_ratio_when_distances_span_six_digits)
{
    for (int k = -60; k <= 60; ++k) {
        double distance = 5.0, range = 5.0;
        for (int i = 0; i < (k < 0 ? -k : k); ++i) {
            distance *= k < 0 ? 0.9 : 1.1;
        }
        cairn_loss_value_t value = cairn_loss_log.evaluate(&cairn_loss_log, (cairn_real)distance, (cairn_real)range, 1);
        double ratio = reference_log((double)(cairn_real)distance / range);
        test_context("k", (uint32_t)(k + 60));
        CHECK_NEAR(value.error, ratio * ratio, 1e-5 * ratio * ratio + 1e-12);
        double slope = 2.0 * ratio / distance;
        double expected = k == 0 ? 1.0 / (range * range) : slope / (2.0 * (distance - range));
        CHECK_NEAR(value.weight, expected, 1e-5 * expected);
    }
}

TEST(test_log_loss_should_be_smooth_when_the_residual_is_small)
{
    for (int k = -40; k <= 40; ++k) { /* across the change from series to logarithm at 1 % */
        double distance = 8.0 * (1.0 + k / 2048.0);
        cairn_loss_value_t value = cairn_loss_log.evaluate(&cairn_loss_log, (cairn_real)distance, 8, 1);
        double ratio = reference_log(distance / 8.0);
        CHECK_NEAR(value.error, ratio * ratio, 2e-5 * ratio * ratio);
        CHECK(value.weight > (cairn_real)(0.96 / 64.0) && value.weight < (cairn_real)(1.04 / 64.0));
    }
}

TEST(test_log_loss_should_be_finite_and_push_apart_when_the_distance_is_zero)
{
    cairn_loss_value_t value = cairn_loss_log.evaluate(&cairn_loss_log, 0, 8, 1);
    CHECK(value.error > 40 && cairn_isfinite(value.error)); /* ln(1000)^2 */
    CHECK(value.weight > 0 && cairn_isfinite(value.weight));
    value = cairn_loss_log.evaluate(&cairn_loss_log, 3, 0, 1);
    CHECK(value.error >= 0 && value.error <= 0 && value.weight >= 0 && value.weight <= 0);
}

TEST_MAIN(TEST_CASE(test_log_loss_should_be_the_squared_log_ratio_when_distances_span_six_digits),
          TEST_CASE(test_log_loss_should_be_smooth_when_the_residual_is_small),
          TEST_CASE(test_log_loss_should_be_finite_and_push_apart_when_the_distance_is_zero))
