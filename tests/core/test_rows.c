/* SPDX-License-Identifier: MIT
 * Tests of rows: every length and number of rows against sums in double, nothing beside them is read or written. */
#include "core/rows_internal.h"
#include "oracle/random.h"
#include "support/test.h"

enum { N_MAX = 19, D_MAX = 21, STRIDE = 23 };

static cairn_real p[D_MAX + 1], rows[N_MAX * STRIDE], out[N_MAX + 1];

TEST(test_rows_should_be_their_sums_when_lengths_and_numbers_vary)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 1, 2);
    for (size_t d = 0; d <= D_MAX; ++d) {
        for (size_t n = 0; n <= N_MAX; ++n) {
            for (size_t i = 0; i < N_MAX * STRIDE; ++i) {
                rows[i] = i / STRIDE < n && i % STRIDE < d ? random_between(&rng, -2, 2) : (cairn_real)NAN;
            }
            for (size_t i = 0; i <= D_MAX; ++i) {
                p[i] = i < d ? random_between(&rng, -2, 2) : (cairn_real)NAN;
            }
            for (int squared = 0; squared < 2; ++squared) {
                out[n] = 77;
                if (squared != 0) {
                    cairn_rows_square(p, rows, n, STRIDE, d, out);
                } else {
                    cairn_rows_dot(p, rows, n, STRIDE, d, out);
                }
                for (size_t j = 0; j < n; ++j) {
                    double sum = 0;
                    for (size_t i = 0; i < d; ++i) {
                        const double x = (double)p[i], y = (double)rows[j * STRIDE + i];
                        sum += squared != 0 ? (x - y) * (x - y) : x * y;
                    }
                    test_context("d", (uint32_t)d);
                    CHECK_NEAR(out[j], sum, 2e-5); /* sums of 21 terms up to 16 */
                }
                CHECK_NEAR(out[n], 77, 0);
            }
        }
    }
}

TEST(test_rows_should_change_each_number_when_added_or_rooted)
{
    for (size_t d = 0; d <= D_MAX; ++d) {
        for (size_t i = 0; i <= D_MAX; ++i) {
            p[i] = (cairn_real)(i * i);
            rows[i] = (cairn_real)i;
        }
        cairn_rows_root(p, d);
        cairn_rows_add(p, 2, rows, d);
        for (size_t i = 0; i <= D_MAX; ++i) {
            CHECK_NEAR(p[i], i < d ? 3 * i : i * i, 0);
        }
    }
}

TEST_MAIN(TEST_CASE(test_rows_should_be_their_sums_when_lengths_and_numbers_vary),
          TEST_CASE(test_rows_should_change_each_number_when_added_or_rooted))
