/* SPDX-License-Identifier: MIT
 * Tests of real and vector: finiteness by bits, sums in fixed order, the symmetric solver against double. */
#include "cairn/rng.h"
#include "cairn/vector.h"
#include "oracle/solve.h"
#include "support/test.h"

enum { N_MAX = 6 };

static cairn_real from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (cairn_real)value;
}

TEST(test_isfinite_should_tell_nan_and_infinity_when_given_every_special_pattern)
{
    static const uint32_t finite[] = {0x00000000u, 0x80000000u, 0x00000001u, 0x80000001u, 0x007FFFFFu, 0x807FFFFFu,
                                      0x00800000u, 0x7F7FFFFFu, 0xFF7FFFFFu, 0x3F800000u, 0x7F000000u};
    static const uint32_t not_finite[] = {0x7F800000u, 0xFF800000u, 0x7FC00000u, 0xFFC00000u,
                                          0x7FFFFFFFu, 0xFFFFFFFFu, 0x7FC00001u};
    for (size_t i = 0; i < sizeof finite / sizeof finite[0]; ++i) {
        test_context("bits", finite[i]);
        CHECK(cairn_isfinite(from_bits(finite[i])));
    }
    for (size_t i = 0; i < sizeof not_finite / sizeof not_finite[0]; ++i) {
        test_context("bits", not_finite[i]);
        CHECK(!cairn_isfinite(from_bits(not_finite[i])));
    }
}

TEST(test_isfinite_should_tell_signalling_nan_when_it_lies_in_memory)
{
    cairn_real value;
#ifdef CAIRN_REAL_DOUBLE
    uint64_t bits = UINT64_C(0x7FF0000000000001);
#else
    uint32_t bits = 0x7F800001u;
#endif
    memcpy(&value, &bits, sizeof value);
    CHECK(!cairn_all_finite(&value, 1u));
}

TEST(test_all_finite_should_find_it_when_one_element_of_any_position_is_not)
{
    cairn_real a[N_MAX];
    for (size_t n = 1; n <= N_MAX; ++n) {
        for (size_t at = 0; at < n; ++at) {
            for (size_t i = 0; i < n; ++i) {
                a[i] = (cairn_real)i;
            }
            CHECK(cairn_all_finite(a, n));
            a[at] = from_bits(0x7FC00000u);
            CHECK(!cairn_all_finite(a, n));
            CHECK(cairn_all_finite(a, at)); /* does not look beyond n */
            a[at] = from_bits(0xFF800000u);
            CHECK(!cairn_all_finite(a, n));
        }
    }
    CHECK(cairn_all_finite(a, 0u));
}

TEST(test_abs_min_max_should_be_exact_when_compared)
{
    CHECK(cairn_abs((cairn_real)-2.5) == (cairn_real)2.5);
    CHECK(cairn_abs((cairn_real)2.5) == (cairn_real)2.5);
    CHECK(cairn_abs((cairn_real)0) == 0);
    CHECK(cairn_min(1, 2) == 1 && cairn_min(2, 1) == 1 && cairn_min(-1, -1) == -1);
    CHECK(cairn_max(1, 2) == 2 && cairn_max(2, 1) == 2 && cairn_max(-1, -1) == -1);
    CHECK(cairn_sqrt((cairn_real)2.25) == (cairn_real)1.5);
}

TEST(test_dot_should_sum_from_the_first_element_when_rounding_depends_on_order)
{
    /* 1 is lost against 2^24 in float (2^53 in double): only one order of summation gives each value */
    cairn_real big = 2 / CAIRN_REAL_EPSILON;
    cairn_real ones[3] = {1, 1, 1};
    cairn_real a[3];
    a[0] = big, a[1] = 1, a[2] = -big;
    CHECK(cairn_dot(a, ones, 3u) == 0);
    a[0] = big, a[1] = -big, a[2] = 1;
    CHECK(cairn_dot(a, ones, 3u) == 1);
    CHECK(cairn_dot(a, ones, 0u) == 0);
}

static cairn_real between(cairn_rng_t *rng, cairn_real low, cairn_real high)
{
    return low + (high - low) * cairn_rng_uniform(rng);
}

TEST(test_dot_and_distance_should_agree_with_double_when_vectors_are_random)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 3u, 1u);
    for (uint32_t run = 0; run < 200u; ++run) {
        cairn_real a[N_MAX];
        cairn_real b[N_MAX];
        size_t n = 1u + run % N_MAX;
        double dot = 0.0, dot_abs = 0.0, squares = 0.0;
        test_context("run", run);
        for (size_t i = 0; i < n; ++i) {
            a[i] = between(&rng, -10, 10);
            b[i] = between(&rng, -10, 10);
            double product = (double)a[i] * (double)b[i];
            double d = (double)a[i] - (double)b[i];
            dot += product;
            dot_abs += product < 0.0 ? -product : product;
            squares += d * d;
        }
        /* n rounded products, n - 1 sums: (n + 1) half epsilons of the absolute sum; the distance is a sum of
         * non-negative terms, each with 3 roundings, halved by the root, plus that of the root itself */
        double unit = (double)CAIRN_REAL_EPSILON / 2.0;
        CHECK_NEAR(cairn_dot(a, b, n), dot, (double)(n + 1u) * unit * dot_abs);
        double distance = oracle_sqrt(squares);
        CHECK_NEAR(cairn_distance(a, b, n), distance, ((double)n + 4.0) * unit * distance);
        CHECK(cairn_distance(a, a, n) == 0);
        CHECK(cairn_distance(a, b, n) == cairn_distance(b, a, n));
    }
}

/* Fills a packed positive definite matrix B B^T + shift I, scaled by s_i s_j. */
static void random_matrix(cairn_rng_t *rng, size_t n, cairn_real shift, const cairn_real *scale, cairn_real *packed)
{
    cairn_real b[N_MAX * N_MAX];
    for (size_t i = 0; i < n * n; ++i) {
        b[i] = between(rng, -1, 1);
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            cairn_real sum = cairn_dot(b + i * n, b + j * n, n) + (i == j ? shift : 0);
            *packed++ = sum * scale[i] * scale[j];
        }
    }
}

TEST(test_symmetric_solve_should_agree_with_double_elimination_when_positive_definite)
{
    static const cairn_real scale[N_MAX] = {1, 1, 1, 1, 1, 1};
    cairn_rng_t rng;
    cairn_rng_init(&rng, 5u, 1u);
    for (uint32_t run = 0; run < 120u; ++run) {
        cairn_real a[CAIRN_SYMMETRIC_REALS(N_MAX)];
        cairn_real x[N_MAX];
        double x_oracle[N_MAX];
        size_t n = 1u + run % N_MAX;
        double condition = 0.0, norm = 0.0;
        test_context("run", run);
        random_matrix(&rng, n, (cairn_real)0.1, scale, a);
        for (size_t i = 0; i < n; ++i) {
            x[i] = between(&rng, -1, 1);
            x_oracle[i] = (double)x[i];
        }
        REQUIRE(oracle_solve_packed(a, x_oracle, n, &condition));
        REQUIRE(cairn_symmetric_solve(a, x, n));
        for (size_t i = 0; i < n; ++i) {
            norm = x_oracle[i] > norm ? x_oracle[i] : -x_oracle[i] > norm ? -x_oracle[i] : norm;
        }
        /* Higham, Accuracy and Stability, theorem 10.4: backward error at most (3n + 1) u n |A|, in the norm; the
         * forward error is that times the condition number */
        double unit = (double)CAIRN_REAL_EPSILON / 2.0;
        double tolerance = (3.0 * (double)n + 1.0) * (double)n * unit * condition * norm;
        for (size_t i = 0; i < n; ++i) {
            CHECK_NEAR(x[i], x_oracle[i], tolerance);
        }
    }
}

TEST(test_symmetric_solve_should_succeed_when_rows_are_badly_scaled)
{
    /* pivots are judged against their own diagonal, so scaling by powers of two changes neither verdict nor bits */
    static const cairn_real plain[3] = {1, 1, 1};
    static const cairn_real scale[3] = {1024, 1, (cairn_real)1 / 4096};
    cairn_real a[6], b[6];
    cairn_real x[3] = {1, 2, 3};
    cairn_real y[3];
    cairn_rng_t rng;
    cairn_rng_init(&rng, 9u, 1u);
    random_matrix(&rng, 3u, (cairn_real)0.5, plain, a);
    cairn_rng_init(&rng, 9u, 1u);
    random_matrix(&rng, 3u, (cairn_real)0.5, scale, b);
    for (int i = 0; i < 3; ++i) {
        y[i] = x[i] * scale[i];
    }
    REQUIRE(cairn_symmetric_solve(a, x, 3u));
    REQUIRE(cairn_symmetric_solve(b, y, 3u));
    for (int i = 0; i < 3; ++i) {
        CHECK(y[i] * scale[i] == x[i]);
    }
}

static bool solve_2(cairn_real a00, cairn_real a10, cairn_real a11)
{
    cairn_real a[3];
    cairn_real x[2] = {1, 1};
    a[0] = a00, a[1] = a10, a[2] = a11;
    return cairn_symmetric_solve(a, x, 2u);
}

TEST(test_symmetric_solve_should_return_false_when_singular_or_indefinite)
{
    cairn_real zero = 0;
    cairn_real minus = -1;
    cairn_real x = 1;
    CHECK(!cairn_symmetric_solve(&zero, &x, 1u));
    CHECK(!cairn_symmetric_solve(&minus, &x, 1u));
    CHECK(!solve_2(0, 0, 0));
    CHECK(!solve_2(1, 1, 1));
    CHECK(!solve_2(1, 2, 1));
    CHECK(!solve_2(1, 0, 0));
    CHECK(!solve_2(0, 0, 1));
    CHECK(!solve_2(-1, 0, -1));
    CHECK(!solve_2((cairn_real)1e-20, (cairn_real)1e-20, (cairn_real)1e-20));
    CHECK(!solve_2((cairn_real)1e20, (cairn_real)1e20, (cairn_real)1e20));
    /* the limit is 8 n epsilons = 16: 4 below it fail, 64 above it pass */
    CHECK(!solve_2(1, 1, 1 + 4 * CAIRN_REAL_EPSILON));
    CHECK(solve_2(1, 1, 1 + 64 * CAIRN_REAL_EPSILON));
}

TEST(test_symmetric_solve_should_return_false_when_an_entry_is_nan)
{
    for (size_t at = 0; at < 6u; ++at) {
        cairn_real a[6] = {4, 1, 3, 1, 1, 2};
        cairn_real x[3] = {1, 1, 1};
        a[at] = from_bits(0x7FC00000u);
        test_context("at", (uint32_t)at);
        CHECK(!cairn_symmetric_solve(a, x, 3u));
    }
}

TEST(test_symmetric_reals_should_be_a_constant_expression_when_n_is)
{
    static cairn_real array[CAIRN_SYMMETRIC_REALS(4)];
    CHECK_EQ(sizeof array / sizeof array[0], 10);
    CHECK_EQ(CAIRN_SYMMETRIC_REALS(1), 1);
    CHECK_EQ(CAIRN_SYMMETRIC_REALS(3), 6);
}

TEST_MAIN(TEST_CASE(test_isfinite_should_tell_nan_and_infinity_when_given_every_special_pattern),
          TEST_CASE(test_isfinite_should_tell_signalling_nan_when_it_lies_in_memory),
          TEST_CASE(test_all_finite_should_find_it_when_one_element_of_any_position_is_not),
          TEST_CASE(test_abs_min_max_should_be_exact_when_compared),
          TEST_CASE(test_dot_should_sum_from_the_first_element_when_rounding_depends_on_order),
          TEST_CASE(test_dot_and_distance_should_agree_with_double_when_vectors_are_random),
          TEST_CASE(test_symmetric_solve_should_agree_with_double_elimination_when_positive_definite),
          TEST_CASE(test_symmetric_solve_should_succeed_when_rows_are_badly_scaled),
          TEST_CASE(test_symmetric_solve_should_return_false_when_singular_or_indefinite),
          TEST_CASE(test_symmetric_solve_should_return_false_when_an_entry_is_nan),
          TEST_CASE(test_symmetric_reals_should_be_a_constant_expression_when_n_is))
