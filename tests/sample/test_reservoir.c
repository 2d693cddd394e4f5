/* SPDX-License-Identifier: MIT
 * Tests of reservoir: uniform by chi-square, by single offers, by skips and after merges; counters; refusals. */
#include "cairn/reservoir.h"
#include "support/test.h"

enum { N_STREAM = 24, SIZE_MAX_TESTED = 10, N_TRIALS = 1500 };

typedef enum { BY_OFFER, BY_SKIP, BY_MERGE, N_WAYS } way_t;

static uint32_t hits[N_STREAM];
static uint32_t items[2][SIZE_MAX_TESTED];

/* The items [first, first + n) of a stream into items[which]. */
static void feed(cairn_reservoir_t *reservoir, int which, uint32_t first, uint32_t n, bool skip)
{
    uint32_t end = first + n;
    for (uint32_t item = first; item < end; ++item) {
        uint64_t n_passed = 0;
        uint32_t slot = 0;
        cairn_status status = skip ? cairn_reservoir_skip(reservoir, end - item, &n_passed, &slot)
                                   : cairn_reservoir_offer(reservoir, &slot);
        if (status == CAIRN_OK) {
            item += (uint32_t)n_passed;
            REQUIRE(item < end);
            items[which][slot] = item;
        } else {
            CHECK_EQ(status, CAIRN_REJECTED);
            item += n_passed > 0 ? (uint32_t)n_passed - 1u : 0u;
        }
    }
}

static void run_trial(way_t way, uint32_t size, uint64_t seed)
{
    cairn_reservoir_t first, second;
    uint32_t from[SIZE_MAX_TESTED];
    uint32_t n_first = way == BY_MERGE ? 1u + (uint32_t)(seed % (N_STREAM - 1u)) : N_STREAM;
    CHECK_EQ(cairn_reservoir_init(&first, size, seed), CAIRN_OK);
    feed(&first, 0, 0, n_first, way == BY_SKIP);
    if (way == BY_MERGE) {
        CHECK_EQ(cairn_reservoir_init(&second, size, seed + 1000000u), CAIRN_OK);
        feed(&second, 1, n_first, N_STREAM - n_first, false);
        CHECK_EQ(cairn_reservoir_merge(&first, &second, from, size), CAIRN_OK);
        for (uint32_t slot = 0; slot < size; ++slot) {
            items[0][slot] = from[slot] == CAIRN_RESERVOIR_OWN ? items[0][slot] : items[1][from[slot]];
        }
    }
    CHECK_EQ(cairn_reservoir_get_offered(&first), N_STREAM);
    CHECK_EQ(cairn_reservoir_get_held(&first), size);
    for (uint32_t slot = 0; slot < size; ++slot) {
        REQUIRE(items[0][slot] < N_STREAM);
        ++hits[items[0][slot]];
    }
}

/* Pearson's statistic of how often each position is held; inclusions of a sample without replacement have variance
 * p (1 - p) and covariance - p (1 - p) / (n - 1), so it is divided by 1 - p and times (n - 1) / n. */
static double chi_square(uint32_t size)
{
    double p = (double)size / N_STREAM, expected = N_TRIALS * p, sum = 0;
    for (int i = 0; i < N_STREAM; ++i) {
        sum += ((double)hits[i] - expected) * ((double)hits[i] - expected) / expected;
    }
    return sum / (1 - p) * (N_STREAM - 1) / N_STREAM;
}

TEST(test_fault_13_reservoir_should_be_uniform_when_sampling_any_way)
{
    static const uint32_t sizes[] = {1, 2, 10};
    for (int s = 0; s < 3; ++s) {
        for (int way = 0; way < N_WAYS; ++way) {
            memset(hits, 0, sizeof hits);
            for (uint64_t trial = 0; trial < N_TRIALS; ++trial) {
                run_trial((way_t)way, sizes[s], 7u + 13u * trial);
            }
            test_context("way", (uint32_t)way);
            /* 23 degrees of freedom: above 58.6 with probability 6e-5, below 4.5 with 1e-5 */
            CHECK(chi_square(sizes[s]) < 58.6);
            CHECK(chi_square(sizes[s]) > 4.5);
            double spread = 5 * sqrt(N_TRIALS * (double)sizes[s] / N_STREAM);
            double expected = (double)N_TRIALS * sizes[s] / N_STREAM;
            CHECK_NEAR(hits[0], expected, spread); /* the first, items l and l + 1, and the last in particular */
            CHECK_NEAR(hits[sizes[s] - 1u], expected, spread);
            CHECK_NEAR(hits[sizes[s]], expected, spread);
            CHECK_NEAR(hits[N_STREAM - 1], expected, spread);
        }
    }
}

TEST(test_reservoir_should_keep_everything_when_the_stream_is_short)
{
    cairn_reservoir_t reservoir;
    uint32_t slot = 99;
    CHECK_EQ(cairn_reservoir_init(&reservoir, 5, 1), CAIRN_OK);
    CHECK_EQ(cairn_reservoir_get_held(&reservoir), 0);
    for (uint32_t i = 0; i < 5u; ++i) {
        uint64_t n_passed = 7;
        CHECK_EQ(i % 2u != 0 ? cairn_reservoir_offer(&reservoir, &slot)
                             : cairn_reservoir_skip(&reservoir, 9, &n_passed, &slot),
                 CAIRN_OK);
        CHECK_EQ(slot, i);
        CHECK_EQ(cairn_reservoir_get_held(&reservoir), i + 1u);
    }
}

TEST(test_fault_14_reservoir_should_keep_its_rate_when_counts_pass_powers_of_two)
{
    /* at a count u a reservoir of l = u / 4 keeps a quarter of what comes: counts that wrap would keep all or none */
    static const uint64_t counts[] = {UINT64_C(65534), UINT64_C(4294967294), UINT64_C(9223372036854775806)};
    for (int c = 0; c < 3; ++c) {
        cairn_reservoir_t reservoir;
        uint32_t size = counts[c] / 4u < UINT32_MAX - 1u ? (uint32_t)(counts[c] / 4u) : UINT32_MAX - 1u;
        double p = (double)size / (double)counts[c];
        uint32_t n_kept = 0, n_trials = 2000;
        CHECK_EQ(cairn_reservoir_init(&reservoir, size, 3), CAIRN_OK);
        reservoir.n_offered = counts[c];
        for (uint32_t i = 0; i < n_trials; ++i) {
            uint32_t slot;
            n_kept += cairn_reservoir_offer(&reservoir, &slot) == CAIRN_OK ? 1u : 0u;
        }
        CHECK_NEAR(n_kept, n_trials * p, 5 * sqrt(n_trials * p * (1 - p)));
        CHECK(cairn_reservoir_get_offered(&reservoir) == counts[c] + n_trials);
    }
}

TEST(test_fault_14_reservoir_should_skip_far_when_the_count_is_beyond_2_to_63)
{
    /* the gap at count u with l slots has mean u / l: the mean of 300 gaps within 5 of its deviations (5 u/l/sqrt 300) */
    cairn_reservoir_t reservoir;
    double mean = 0, expected = 9.223372036854775806e18 / 4294967294.0;
    for (uint32_t i = 0; i < 300u; ++i) {
        uint64_t n_passed;
        uint32_t slot;
        cairn_status status;
        CHECK_EQ(cairn_reservoir_init(&reservoir, UINT32_MAX - 1u, i), CAIRN_OK);
        reservoir.n_offered = UINT64_C(9223372036854775806);
        do { /* thinning rejects hardly any: the probability falls by 1e-9 over a gap */
            status = cairn_reservoir_skip(&reservoir, UINT64_C(1) << 60, &n_passed, &slot);
            mean += (double)n_passed / 300;
        } while (status == CAIRN_REJECTED);
        CHECK_EQ(status, CAIRN_OK);
    }
    CHECK_NEAR(mean, expected, 5 * expected / sqrt(300.0));
}

TEST(test_reservoir_should_refuse_and_stay_when_arguments_are_wrong)
{
    cairn_reservoir_t reservoir, other, before;
    uint64_t n_passed = 5;
    uint32_t slot = 5, from[4];
    CHECK_EQ(cairn_reservoir_init(NULL, 4, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_reservoir_init(&reservoir, 0, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_reservoir_init(&reservoir, UINT32_MAX, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_reservoir_init(&reservoir, 4, 1), CAIRN_OK);
    CHECK_EQ(cairn_reservoir_init(&other, 3, 1), CAIRN_OK);
    reservoir.n_offered = UINT64_MAX;
    before = reservoir;
    CHECK_EQ(cairn_reservoir_offer(&reservoir, &slot), CAIRN_ERR_STATE);
    CHECK_EQ(cairn_reservoir_offer(NULL, &slot), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_reservoir_offer(&reservoir, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_reservoir_skip(&reservoir, 1, &n_passed, &slot), CAIRN_ERR_STATE);
    CHECK_EQ(cairn_reservoir_skip(&reservoir, 0, &n_passed, &slot), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_reservoir_merge(&reservoir, &reservoir, from, 4), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_reservoir_merge(&reservoir, &other, from, 4), CAIRN_ERR_ARG);
    other.size = 4;
    CHECK_EQ(cairn_reservoir_merge(&reservoir, &other, from, 3), CAIRN_ERR_SIZE);
    other.n_offered = 1;
    CHECK_EQ(cairn_reservoir_merge(&reservoir, &other, from, 4), CAIRN_ERR_STATE);
    CHECK_EQ(slot, 5);
    CHECK_EQ(n_passed, 5);
    CHECK_MEM(&reservoir, &before, sizeof before);
}

TEST(test_fault_23_reservoir_should_go_on_equally_when_copied)
{
    cairn_reservoir_t reservoir, copy;
    CHECK_EQ(cairn_reservoir_init(&reservoir, 3, 9), CAIRN_OK);
    for (uint32_t i = 0; i < 200u; ++i) {
        uint32_t a = 0, b = 0;
        copy = reservoir;
        CHECK_EQ(cairn_reservoir_offer(&reservoir, &a), cairn_reservoir_offer(&copy, &b));
        CHECK_EQ(a, b);
        CHECK_MEM(&reservoir, &copy, sizeof copy);
    }
}

TEST_MAIN(TEST_CASE(test_fault_13_reservoir_should_be_uniform_when_sampling_any_way),
          TEST_CASE(test_reservoir_should_keep_everything_when_the_stream_is_short),
          TEST_CASE(test_fault_14_reservoir_should_keep_its_rate_when_counts_pass_powers_of_two),
          TEST_CASE(test_fault_14_reservoir_should_skip_far_when_the_count_is_beyond_2_to_63),
          TEST_CASE(test_reservoir_should_refuse_and_stay_when_arguments_are_wrong),
          TEST_CASE(test_fault_23_reservoir_should_go_on_equally_when_copied))
