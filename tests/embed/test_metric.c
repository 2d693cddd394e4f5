/* SPDX-License-Identifier: MIT
 * Tests of metric: each distance against its definition in double, mixes, the caller's own, distances by inner products. */
#include "cairn/fastmap.h"
#include "cairn/metric.h"
#include "oracle/random.h"
#include "support/test.h"

enum { D_MAX = 37, N = 9, STRIDE = 40 };

static cairn_real p[D_MAX], rows[N * STRIDE], out[N + 1];
static cairn_rng_t rng;

static void draw(size_t d, cairn_real low, cairn_real high)
{
    for (size_t i = 0; i < STRIDE * N; ++i) {
        rows[i] = i % STRIDE < d ? random_between(&rng, low, high) : 12345;
    }
    for (size_t a = 0; a < d; ++a) {
        p[a] = random_between(&rng, low, high);
    }
}

static double plain(const cairn_metric_t *metric, const cairn_real *x, const cairn_real *y, size_t d)
{
    double sum = 0, xx = 0, yy = 0, xy = 0;
    for (size_t a = 0; a < d; ++a) {
        const double u = (double)x[a], v = (double)y[a];
        xx += u * u;
        yy += v * v;
        xy += u * v;
        sum += metric == &cairn_metric_chi_square  ? (u + v > 0 ? 2 * (u - v) * (u - v) / (u + v) : 0)
               : metric == &cairn_metric_hellinger ? (sqrt(u) - sqrt(v)) * (sqrt(u) - sqrt(v)) / 2
                                                   : (u - v) * (u - v);
    }
    return metric == &cairn_metric_chi_square ? sum
           : metric == &cairn_metric_angle    ? acos(xy / sqrt(xx * yy))
                                              : sqrt(sum);
}

TEST(test_metric_should_be_its_definition_when_vectors_are_of_any_length)
{
    static const cairn_metric_t *const metrics[] = {&cairn_metric_euclidean, &cairn_metric_chi_square,
                                                    &cairn_metric_hellinger, &cairn_metric_angle};
    cairn_rng_init(&rng, 1, 9);
    for (int m = 0; m < 4; ++m) {
        for (size_t d = 1; d <= D_MAX; d += d < 12 ? 1 : 5) {
            for (size_t n = 1; n <= N; ++n) { /* below, at and above eight rows at a time */
                test_context("d", (uint32_t)d);
                draw(d, metrics[m]->nonnegative || d == 1 ? 0 : -2, 2);
                if (d > 2 && metrics[m]->nonnegative) { /* 0/0 */
                    p[1] = 0;
                    rows[1] = 0;
                }
                out[n] = 77;
                metrics[m]->distances(metrics[m], p, rows, n, STRIDE, d, out);
                for (size_t j = 0; j < n; ++j) { /* a root of rounding is what acos itself knows */
                    const double tolerance = metrics[m] == &cairn_metric_angle ? 1e-3 : 1e-5;
                    CHECK_NEAR(out[j], plain(metrics[m], p, rows + j * STRIDE, d), tolerance);
                }
                CHECK_NEAR(out[n], 77, 0);
            }
        }
    }
}

TEST(test_metric_should_give_the_angle_when_squares_leave_the_range_of_a_float)
{
    static const cairn_real lengths[] = {1e-40f, 1e-30f, 1e-16f, 1e16f, 1e30f};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; ++k) {
        const cairn_real x[2] = {lengths[k], 0};
        const cairn_real y[4] = {1, 1, lengths[k], lengths[k]};
        test_context("length", (uint32_t)k);
        cairn_metric_angle.distances(&cairn_metric_angle, x, y, 2, 2, 2, out);
        CHECK_NEAR(out[0], 0.7853981634, 1e-6);
        CHECK_NEAR(out[1], 0.7853981634, 1e-6);
    }
}

TEST(test_fault_10_metric_should_know_small_angles_when_vectors_are_nearly_parallel)
{
    for (double turn = 1e-2; turn > 1e-6; turn /= 10) {
        const cairn_real x[2] = {3, 0}, y[2] = {(cairn_real)(5 * cos(turn)), (cairn_real)(5 * sin(turn))};
        cairn_metric_angle.distances(&cairn_metric_angle, x, y, 1, 2, 2, out);
        CHECK_NEAR(out[0], turn, 1e-5 * turn + 1e-7);
    }
    const cairn_real zero[2] = {0, 0}, one[2] = {1, 0};
    cairn_metric_angle.distances(&cairn_metric_angle, one, zero, 1, 2, 2, out);
    CHECK(out[0] < 0); /* there is none */
}

TEST(test_fault_10_metric_by_inner_products_should_be_as_exact_when_vectors_share_an_offset)
{
    cairn_rng_init(&rng, 2, 9);
    for (double offset = 0; offset < 2e6; offset = 10 * offset + 1) {
        draw(D_MAX - 1, -1, 1);
        for (size_t a = 0; a + 1 < D_MAX; ++a) { /* multiples of 1/8 are exact at a million */
            p[a] = (cairn_real)((int)(8 * p[a]) / 8.0 + offset);
            for (size_t j = 0; j < N; ++j) {
                cairn_real *entry = &rows[j * STRIDE + a];
                *entry = j == 0 ? p[a] : (cairn_real)((int)(8 * *entry) / 8.0 + offset);
            }
        }
        for (size_t j = 0; j < N; ++j) {
            rows[j * STRIDE + D_MAX - 1] = cairn_metric_euclidean_dot.keep(rows + j * STRIDE, D_MAX - 1);
        }
        cairn_metric_euclidean_dot.distances(&cairn_metric_euclidean_dot, p, rows, N, STRIDE, D_MAX - 1, out);
        CHECK_NEAR(out[0], 0, 0); /* the same vector */
        for (size_t j = 1; j < N; ++j) {
            const double distance = plain(&cairn_metric_euclidean, p, rows + j * STRIDE, D_MAX - 1);
            CHECK_NEAR(out[j], distance, 1e-5 * distance); /* three digits lost of sums of 36: 8 * 9 * 6e-8 */
        }
    }
}

static cairn_real blocks(const void *context, const cairn_real *x, const cairn_real *y, size_t d)
{
    cairn_real sum = 0;
    for (size_t a = 0; a < d; ++a) {
        sum += *(const cairn_real *)context * cairn_abs(x[a] - y[a]);
    }
    return sum;
}

TEST(test_metric_should_be_the_callers_or_a_mix_when_made_so)
{
    const cairn_real scale = 3;
    cairn_metric_t own, mix;
    CHECK_EQ(cairn_metric_own(&own, blocks, &scale), CAIRN_OK);
    const cairn_metric_part_t parts[] = {
        {&cairn_metric_chi_square, 0, 5, 2}, {&cairn_metric_euclidean, 5, 9, (cairn_real)0.5}, {&own, 14, 1, 1}};
    CHECK_EQ(cairn_metric_mix(&mix, parts, 3, 15), CAIRN_OK);
    cairn_rng_init(&rng, 3, 9);
    draw(15, 0, 2);
    mix.distances(&mix, p, rows, N, STRIDE, 15, out);
    for (size_t j = 0; j < N; ++j) {
        const cairn_real *row = rows + j * STRIDE;
        const double expected = 2 * plain(&cairn_metric_chi_square, p, row, 5) +
                                0.5 * plain(&cairn_metric_euclidean, p + 5, row + 5, 9) +
                                3 * fabs((double)p[14] - (double)row[14]);
        CHECK_NEAR(out[j], expected, 1e-5);
    }
}

TEST(test_fault_5_metric_should_have_no_distance_when_a_part_has_none)
{
    const cairn_metric_part_t parts[] = {
        {&cairn_metric_chi_square, 0, 2, 1}, {&cairn_metric_angle, 2, 2, 1}, {&cairn_metric_euclidean, 4, 1, 1}};
    const cairn_real row[] = {3, 1, 1, 2, 100};
    cairn_metric_t mix;
    CHECK_EQ(cairn_metric_mix(&mix, parts, 3, 5), CAIRN_OK);
    cairn_real vector[] = {1, 2, 2, 1, -50};
    mix.distances(&mix, vector, row, 1, 5, 5, out);
    CHECK(out[0] > 150);
    vector[0] = -1; /* not a histogram, though the formula gives a number */
    mix.distances(&mix, vector, row, 1, 5, 5, out);
    CHECK(out[0] < 0);
    vector[0] = 1, vector[2] = vector[3] = 0; /* no angle */
    mix.distances(&mix, vector, row, 1, 5, 5, out);
    CHECK(out[0] < 0);
}

TEST(test_fault_24_metric_should_refuse_parts_when_they_are_beyond_their_limits)
{
    cairn_metric_t mix, nested;
    cairn_metric_part_t part = {&cairn_metric_euclidean, 0, 5, 1};
    cairn_fastmap_t map;
    uint16_t pivot[2];
    memset(&mix, 0x5A, sizeof mix);
    nested = mix;
    CHECK_EQ(cairn_metric_mix(&mix, NULL, 1, 5), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_metric_mix(NULL, &part, 1, 5), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_metric_mix(&mix, &part, 0, 5), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_metric_mix(&mix, &part, 1, 4), CAIRN_ERR_SIZE);
    part.first = 1;
    CHECK_EQ(cairn_metric_mix(&mix, &part, 1, 5), CAIRN_ERR_SIZE);
    part.n = 0;
    CHECK_EQ(cairn_metric_mix(&mix, &part, 1, 5), CAIRN_ERR_ARG);
    part.n = 4;
    part.weight = 0;
    CHECK_EQ(cairn_metric_mix(&mix, &part, 1, 5), CAIRN_ERR_ARG);
    part.weight = (cairn_real)NAN;
    CHECK_EQ(cairn_metric_mix(&mix, &part, 1, 5), CAIRN_ERR_NONFINITE);
    part.weight = 1;
    part.metric = &cairn_metric_euclidean_dot; /* wants a number behind its rows, where others have features */
    CHECK_EQ(cairn_metric_mix(&mix, &part, 1, 5), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_fastmap_init(&map, &cairn_metric_euclidean_dot, rows, 4, 5, 1, out, N, pivot, 1), CAIRN_ERR_ARG);
    CHECK_MEM(&mix, &nested, sizeof mix);
    part.metric = &cairn_metric_euclidean;
    CHECK_EQ(cairn_metric_mix(&mix, &part, 1, 5), CAIRN_OK);
    part.metric = &mix;
    CHECK_EQ(cairn_metric_mix(&nested, &part, 1, 5), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_metric_own(&mix, NULL, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_metric_own(NULL, blocks, NULL), CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_metric_should_be_its_definition_when_vectors_are_of_any_length),
          TEST_CASE(test_metric_should_give_the_angle_when_squares_leave_the_range_of_a_float),
          TEST_CASE(test_fault_10_metric_should_know_small_angles_when_vectors_are_nearly_parallel),
          TEST_CASE(test_fault_10_metric_by_inner_products_should_be_as_exact_when_vectors_share_an_offset),
          TEST_CASE(test_metric_should_be_the_callers_or_a_mix_when_made_so),
          TEST_CASE(test_fault_5_metric_should_have_no_distance_when_a_part_has_none),
          TEST_CASE(test_fault_24_metric_should_refuse_parts_when_they_are_beyond_their_limits))
