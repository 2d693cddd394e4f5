/* SPDX-License-Identifier: MIT
 * Tests of the symmetric eigenvalue problem: residuals in double, known spectra, repeated and vanishing values. */
#include "embed/eigen_internal.h"
#include "oracle/random.h"
#include "support/test.h"

enum { N_MAX = 12 };

static cairn_real given[N_MAX * N_MAX], matrix[N_MAX * N_MAX], vectors[N_MAX * N_MAX], values[N_MAX], work[2 * N_MAX];

/* Every pair solves its equation, vectors are orthonormal, to rounding of the largest entry. */
static void check_solution(size_t n, double size)
{
    memcpy(matrix, given, n * n * sizeof *matrix);
    REQUIRE(cairn_eigen_symmetric(matrix, n, vectors, values, work));
    for (size_t v = 0; v < n; ++v) {
        for (size_t i = 0; i < n; ++i) {
            double residual = -(double)values[v] * (double)vectors[v * n + i], along = 0;
            for (size_t j = 0; j < n; ++j) {
                residual += (double)given[i * n + j] * (double)vectors[v * n + j];
                along += (double)vectors[v * n + j] * (double)vectors[i * n + j];
            }
            CHECK_NEAR(residual, 0, 1e-5 * size * (double)n);
            CHECK_NEAR(along, i == v ? 1 : 0, 1e-5 * (double)n);
        }
    }
}

TEST(test_eigen_should_solve_when_matrices_are_drawn)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 4, 4);
    for (size_t n = 1; n <= N_MAX; ++n) {
        for (int trial = 0; trial < 10; ++trial) {
            const double size = trial % 2 != 0 ? 1e10 : 1e-10;
            for (size_t i = 0; i < n; ++i) {
                for (size_t j = 0; j <= i; ++j) {
                    given[i * n + j] = given[j * n + i] = (cairn_real)size * random_between(&rng, -1, 1);
                }
            }
            check_solution(n, size);
        }
    }
}

TEST(test_fault_6_eigen_should_solve_when_values_repeat_or_vanish)
{
    for (size_t n = 1; n <= N_MAX; ++n) {
        memset(given, 0, sizeof given);
        check_solution(n, 1);
        for (size_t i = 0; i < n; ++i) { /* all equal: n and zeros */
            for (size_t j = 0; j < n; ++j) {
                given[i * n + j] = 1;
            }
        }
        check_solution(n, (double)n);
        double sum = 0, largest = 0;
        for (size_t i = 0; i < n; ++i) {
            sum += (double)values[i];
            largest = (double)values[i] > largest ? (double)values[i] : largest;
        }
        CHECK_NEAR(sum, n, 1e-4);
        CHECK_NEAR(largest, n, 1e-4);
        memset(given, 0, sizeof given);
        for (size_t i = 0; i < n; ++i) {
            given[i * n + i] = (cairn_real)(i / 3); /* diagonal, in threes */
        }
        check_solution(n, (double)n);
        memset(given, 0, sizeof given);
        for (size_t i = 0; i + 1 < n; ++i) { /* a path: 2 cos(pi v / (n + 1)) */
            given[i * n + i + 1] = given[(i + 1) * n + i] = 1;
        }
        check_solution(n, 2);
    }
}

TEST_MAIN(TEST_CASE(test_eigen_should_solve_when_matrices_are_drawn),
          TEST_CASE(test_fault_6_eigen_should_solve_when_values_repeat_or_vanish))
