/* SPDX-License-Identifier: MIT
 * Tests of rng: the published vectors of PCG32, absence of bias, exactness of the uniform numbers. */
#include "cairn/rng.h"
#include "support/test.h"

TEST(test_rng_should_give_the_published_vectors_when_seeded_as_in_the_pcg_demo)
{
    /* O'Neill, pcg32-demo, round 1: seed 42, sequence 54 */
    static const uint32_t expected[] = {0xa15c02b7u, 0x7b47f409u, 0xba1d3330u, 0x83d2f293u, 0xbfa4784bu, 0xcbed606eu};
    cairn_rng_t rng;
    cairn_rng_init(&rng, 42u, 54u);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        CHECK_EQ(cairn_rng_next(&rng), expected[i]);
    }
}

TEST(test_rng_should_write_every_field_when_initialised_over_old_bytes)
{
    cairn_rng_t a;
    cairn_rng_t b;
    memset(&a, 0xA5, sizeof a);
    memset(&b, 0, sizeof b);
    cairn_rng_init(&a, UINT64_C(0x0123456789ABCDEF), UINT64_C(0xFEDCBA9876543210));
    cairn_rng_init(&b, UINT64_C(0x0123456789ABCDEF), UINT64_C(0xFEDCBA9876543210));
    CHECK_MEM(&a, &b, sizeof a);
}

TEST(test_rng_should_continue_the_stream_when_its_state_is_copied)
{
    cairn_rng_t a;
    cairn_rng_init(&a, 7u, 3u);
    for (int i = 0; i < 10; ++i) {
        (void)cairn_rng_next(&a);
    }
    cairn_rng_t b = a;
    for (int i = 0; i < 100; ++i) {
        CHECK_EQ(cairn_rng_next(&a), cairn_rng_next(&b));
    }
}

TEST(test_rng_should_give_other_streams_when_seed_or_sequence_differ)
{
    cairn_rng_t rng[4];
    unsigned n_equal = 0;
    cairn_rng_init(&rng[0], 1u, 1u);
    cairn_rng_init(&rng[1], 2u, 1u);
    cairn_rng_init(&rng[2], 1u, 2u);
    cairn_rng_init(&rng[3], 1u, (UINT64_C(1) << 40) + 1u); /* the upper half of the sequence counts */
    for (int i = 0; i < 1000; ++i) {
        uint32_t x[4];
        for (int j = 0; j < 4; ++j) {
            x[j] = cairn_rng_next(&rng[j]);
            for (int k = 0; k < j; ++k) {
                n_equal += x[j] == x[k] ? 1u : 0u;
            }
        }
    }
    CHECK(n_equal <= 1u); /* 6000 pairs, each equal with probability 2^-32 */
}

/*
 * Chi-square of 7 to 16 cells over n draws. Bounds: the upper 1e-6 quantile of chi-square with 15 degrees is 54.5,
 * with fewer it is smaller; a correct generator with a fixed seed passes once and then always.
 */
static double chi_square(uint32_t bound, uint32_t n_cells, uint32_t n, uint64_t seed)
{
    uint32_t count[16] = {0};
    cairn_rng_t rng;
    double sum = 0.0;
    cairn_rng_init(&rng, seed, 1u);
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t value = cairn_rng_below(&rng, bound);
        CHECK(value < bound);
        uint32_t cell = (uint32_t)((uint64_t)value * n_cells / bound);
        count[cell < n_cells ? cell : 0u]++;
    }
    for (uint32_t i = 0; i < n_cells; ++i) {
        /* cells hold floor or ceiling of bound / n_cells values: exact shares */
        uint64_t first = ((uint64_t)i * bound + n_cells - 1u) / n_cells;
        uint64_t next = ((uint64_t)(i + 1u) * bound + n_cells - 1u) / n_cells;
        double expected = (double)n * (double)(next - first) / (double)bound;
        double d = (double)count[i] - expected;
        sum += d * d / expected;
    }
    return sum;
}

TEST(test_rng_below_should_be_unbiased_when_the_bound_is_small)
{
    static const uint32_t bounds[] = {2u, 3u, 7u, 10u, 16u};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; ++i) {
        test_context("bound", bounds[i]);
        CHECK(chi_square(bounds[i], bounds[i], 8000u, 11u + i) < 54.5);
    }
}

TEST(test_rng_below_should_be_unbiased_when_the_bound_does_not_divide_the_word)
{
    /* a plain modulo gives values below 2^30 twice as often under a bound of 3 x 2^30: chi-square near n / 8 */
    static const uint32_t bounds[] = {0xC0000000u, 0x80000001u, 0xFFFFFFFFu, 0x60000001u, 1000003u};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; ++i) {
        test_context("bound", bounds[i]);
        CHECK(chi_square(bounds[i], 12u, 8000u, 21u + i) < 54.5);
    }
}

TEST(test_rng_below_should_be_zero_when_the_bound_is_one)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 5u, 5u);
    for (int i = 0; i < 100; ++i) {
        CHECK_EQ(cairn_rng_below(&rng, 1u), 0);
    }
}

TEST(test_rng_below_should_give_whole_words_when_the_bound_is_zero)
{
    cairn_rng_t rng;
    uint32_t ones = 0;
    uint32_t zeros = 0;
    cairn_rng_init(&rng, 5u, 5u);
    for (int i = 0; i < 100; ++i) {
        uint32_t x = cairn_rng_below(&rng, 0u);
        ones |= x;
        zeros |= ~x;
    }
    CHECK_EQ(ones, 0xFFFFFFFFu);
    CHECK_EQ(zeros, 0xFFFFFFFFu);
}

TEST(test_rng_uniform_should_be_a_multiple_of_2_to_minus_24_below_one_when_drawn)
{
    cairn_rng_t rng;
    double sum = 0.0;
    double sum_squares = 0.0;
    enum { N = 20000 };
    uint32_t ones = 0;
    uint32_t zeros = 0;
    cairn_rng_init(&rng, 77u, 1u);
    for (int i = 0; i < N; ++i) {
        cairn_real u = cairn_rng_uniform(&rng);
        REQUIRE(u >= 0 && u < 1);
        double word = (double)u * 16777216.0;
        uint32_t bits = (uint32_t)word;
        REQUIRE((double)bits == word);
        ones |= bits;
        zeros |= ~bits;
        sum += (double)u;
        sum_squares += (double)u * (double)u;
    }
    CHECK_EQ(ones, 0xFFFFFFu); /* every one of the 24 bits is used */
    CHECK_EQ(zeros, 0xFFFFFFFFu);
    /* five standard errors: deviation of u is sqrt(1/12), of u^2 sqrt(4/45) */
    CHECK_NEAR(sum / N, 0.5, 5.0 * 0.28868 / 141.42);
    CHECK_NEAR(sum_squares / N, 1.0 / 3.0, 5.0 * 0.29814 / 141.42);
}

TEST(test_rng_uniform_should_fill_the_interval_evenly_when_counted)
{
    uint32_t count[16] = {0};
    cairn_rng_t rng;
    double sum = 0.0;
    cairn_rng_init(&rng, 78u, 2u);
    for (int i = 0; i < 16000; ++i) {
        count[(int)(cairn_rng_uniform(&rng) * 16) & 15]++;
    }
    for (int i = 0; i < 16; ++i) {
        double d = (double)count[i] - 1000.0;
        sum += d * d / 1000.0;
    }
    CHECK(sum < 54.5); /* as above: 15 degrees of freedom, 1e-6 */
}

TEST_MAIN(TEST_CASE(test_rng_should_give_the_published_vectors_when_seeded_as_in_the_pcg_demo),
          TEST_CASE(test_rng_should_write_every_field_when_initialised_over_old_bytes),
          TEST_CASE(test_rng_should_continue_the_stream_when_its_state_is_copied),
          TEST_CASE(test_rng_should_give_other_streams_when_seed_or_sequence_differ),
          TEST_CASE(test_rng_below_should_be_unbiased_when_the_bound_is_small),
          TEST_CASE(test_rng_below_should_be_unbiased_when_the_bound_does_not_divide_the_word),
          TEST_CASE(test_rng_below_should_be_zero_when_the_bound_is_one),
          TEST_CASE(test_rng_below_should_give_whole_words_when_the_bound_is_zero),
          TEST_CASE(test_rng_uniform_should_be_a_multiple_of_2_to_minus_24_below_one_when_drawn),
          TEST_CASE(test_rng_uniform_should_fill_the_interval_evenly_when_counted))
