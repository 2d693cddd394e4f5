/* SPDX-License-Identifier: MIT
 * Ten million offers to a reservoir: the same bytes, at most two draws an offer, and as uniform as at the beginning. */
#include "cairn/reservoir.h"
#include "support/test.h"

enum { N = 10000000, SIZE = 10, N_BINS = 20, N_STREAMS = 40 };

/* How often the generator went from one state to the other; more than `most` gives most + 1. */
static int count_draws(cairn_rng_t before, const cairn_rng_t *after, int most)
{
    int n = 0;
    while (n <= most && before.state != after->state) {
        (void)cairn_rng_next(&before);
        ++n;
    }
    return n;
}

TEST(test_fault_18_reservoir_should_take_constant_work_when_ten_million_items_come)
{
    cairn_reservoir_t reservoir;
    uint32_t slot;
    int worst = 0;
    uint32_t n_kept = 0;
    CHECK_EQ(cairn_reservoir_init(&reservoir, SIZE, 77), CAIRN_OK);
    for (uint32_t i = 0; i < N; ++i) {
        const cairn_rng_t before = reservoir.rng;
        n_kept += cairn_reservoir_offer(&reservoir, &slot) == CAIRN_OK ? 1u : 0u;
        const int n_draws = count_draws(before, &reservoir.rng, 20);
        worst = n_draws > worst ? n_draws : worst;
    }
    CHECK_EQ(cairn_reservoir_get_offered(&reservoir), N);
    /* a draw is thrown away with probability below N / 2^32 = .0023: three in a row once in 10^8 offers */
    CHECK(worst <= 4);
    /* 10 (1 + ln(10^6)) = 148 are kept, +- 12 */
    CHECK(n_kept > 148 - 5 * 12 && n_kept < 148 + 5 * 12);
}

TEST(test_fault_13_reservoir_should_be_uniform_when_ten_million_items_were_skipped_through)
{
    int hits[N_BINS] = {0};
    double sum = 0;
    for (uint64_t seed = 1; seed <= N_STREAMS; ++seed) {
        cairn_reservoir_t reservoir;
        uint64_t held[SIZE] = {0}, n_passed = 0;
        uint32_t slot = 0;
        CHECK_EQ(cairn_reservoir_init(&reservoir, SIZE, seed), CAIRN_OK);
        for (uint64_t at = 0; at < N;) {
            const cairn_status status = cairn_reservoir_skip(&reservoir, N - at, &n_passed, &slot);
            at += n_passed;
            if (status == CAIRN_OK) {
                held[slot] = at++;
            }
        }
        for (int i = 0; i < SIZE; ++i) {
            ++hits[held[i] / (N / N_BINS)];
        }
    }
    for (int i = 0; i < N_BINS; ++i) { /* 400 items in 20 bins: 19 degrees of freedom, 45.3 at 6e-4 */
        sum += (hits[i] - 20.0) * (hits[i] - 20.0) / 20.0;
    }
    CHECK(sum < 45.3);
}

TEST_MAIN(TEST_CASE(test_fault_18_reservoir_should_take_constant_work_when_ten_million_items_come),
          TEST_CASE(test_fault_13_reservoir_should_be_uniform_when_ten_million_items_were_skipped_through))
