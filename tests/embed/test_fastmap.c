/* SPDX-License-Identifier: MIT
 * Tests of FastMap: exact in as many dimensions as data have, pivots as published, refusals. */
#include "cairn/fastmap.h"
#include "oracle/random.h"
#include "support/test.h"

enum { D = 5, K = 3, N = 25 };

static cairn_real sample[N * D], reals[CAIRN_FASTMAP_REALS(N, K)];
static uint16_t pivot[2 * K];
static cairn_fastmap_t map;
static cairn_rng_t rng;

static void draw(cairn_real *features, int n_hidden)
{
    memset(features, 0, D * sizeof *features);
    for (int h = 0; h < n_hidden; ++h) {
        const cairn_real u = random_between(&rng, -3, 3);
        features[h] += u;
        features[(h + 2) % D] += u / 2;
    }
}

static cairn_status begin(int n_hidden, size_t k)
{
    for (int i = 0; i < N; ++i) {
        draw(sample + i * D, n_hidden);
    }
    return cairn_fastmap_init(&map, NULL, sample, N, D, k, reals, sizeof reals / sizeof reals[0], pivot, 3);
}

static double distance(const cairn_real *p, const cairn_real *q, size_t n)
{
    double sum = 0;
    for (size_t a = 0; a < n; ++a) {
        sum += ((double)p[a] - (double)q[a]) * ((double)p[a] - (double)q[a]);
    }
    return sqrt(sum);
}

TEST(test_fastmap_should_keep_distances_when_data_have_as_many_dimensions)
{
    cairn_rng_init(&rng, 1, 8);
    for (int k = 1; k <= K; ++k) {
        cairn_real features[2][D], place[2][K];
        CHECK_EQ(begin(k, (size_t)k), CAIRN_OK);
        for (int i = 0; i < 50; ++i) {
            draw(features[i % 2], k);
            CHECK_EQ(cairn_fastmap_place(&map, features[i % 2], place[i % 2]), CAIRN_OK);
            if (i > 0) { /* squares of up to 60 are subtracted k times: roots of 4e-6 each where little is left */
                CHECK_NEAR(distance(place[0], place[1], (size_t)k), distance(features[0], features[1], D), 0.02);
            }
        }
    }
}

TEST(test_fastmap_should_put_each_axis_through_its_pivots_when_placed_again)
{
    cairn_rng_init(&rng, 2, 8);
    CHECK_EQ(begin(4, K), CAIRN_OK);
    for (size_t a = 0; a < K; ++a) {
        cairn_real first[K], second[K];
        const cairn_real *p = sample + pivot[2 * a] * D, *q = sample + pivot[2 * a + 1] * D;
        CHECK_EQ(cairn_fastmap_place(&map, p, first), CAIRN_OK);
        CHECK_EQ(cairn_fastmap_place(&map, q, second), CAIRN_OK);
        const double wanted2 =
            distance(p, q, D) * distance(p, q, D) - distance(first, second, a) * distance(first, second, a);
        CHECK_NEAR(first[a], 0, 1e-3);
        CHECK_NEAR(second[a], sqrt(wanted2), 1e-3);
    }
}

TEST(test_fault_4_fastmap_should_stay_finite_when_vectors_are_identical)
{
    cairn_real place[K];
    memset(sample, 0, sizeof sample);
    CHECK_EQ(cairn_fastmap_init(&map, NULL, sample, N, D, K, reals, sizeof reals / sizeof reals[0], pivot, 3),
             CAIRN_OK);
    CHECK_EQ(cairn_fastmap_place(&map, sample, place), CAIRN_OK);
    for (int a = 0; a < K; ++a) {
        CHECK_NEAR(place[a], 0, 0);
    }
}

TEST(test_fault_5_fastmap_should_refuse_when_input_is_bad)
{
    cairn_real place[K];
    cairn_rng_init(&rng, 3, 8);
    CHECK_EQ(begin(2, 2), CAIRN_OK);
    sample[7] = (cairn_real)NAN;
    CHECK_EQ(cairn_fastmap_place(&map, sample + D, place), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_fastmap_init(&map, NULL, sample, N, D, K, reals, 1000, pivot, 3), CAIRN_ERR_NONFINITE);
    sample[7] = 0;
    CHECK_EQ(cairn_fastmap_init(&map, NULL, sample, N, D, K, reals, CAIRN_FASTMAP_REALS(N, K) - 1, pivot, 3),
             CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_fastmap_init(&map, NULL, sample, 1, D, K, reals, 1000, pivot, 3), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_fastmap_init(&map, NULL, NULL, N, D, K, reals, 1000, pivot, 3), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_fastmap_place(&map, NULL, place), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_fastmap_place(NULL, sample, place), CAIRN_ERR_ARG);
    for (int i = 0; i < N * D; ++i) {
        sample[i] = cairn_rng_uniform(&rng) + (cairn_real)0.1;
    }
    cairn_real other[D] = {0};
    CHECK_EQ(cairn_fastmap_init(&map, &cairn_metric_angle, sample, N, D, 2, reals, 1000, pivot, 3), CAIRN_OK);
    CHECK_EQ(cairn_fastmap_place(&map, other, place), CAIRN_ERR_NONFINITE); /* it has no angle */
    CHECK_EQ(cairn_fastmap_init(&map, &cairn_metric_chi_square, sample, N, D, 2, reals, 1000, pivot, 3), CAIRN_OK);
    CHECK_EQ(cairn_fastmap_place(&map, other, place), CAIRN_OK);
    other[D - 1] = -1;
    CHECK_EQ(cairn_fastmap_place(&map, other, place), CAIRN_ERR_RANGE);
    sample[D] = -1;
    CHECK_EQ(cairn_fastmap_init(&map, &cairn_metric_chi_square, sample, N, D, 2, reals, 1000, pivot, 3),
             CAIRN_ERR_RANGE);
}

/* From any offset on, the array named. */
static cairn_status begin_from(size_t offset, int which)
{
    static cairn_real room[CAIRN_FASTMAP_REALS(N, 2) + 2], points[N * D + 2];
    static uint16_t pivots[4 + 4];
    unsigned char *place[3] = {(unsigned char *)points, (unsigned char *)room, (unsigned char *)pivots};
    place[which] += offset;
    return cairn_fastmap_init(&map, NULL, (cairn_real *)(void *)place[0], N, D, 2, (cairn_real *)(void *)place[1],
                              CAIRN_FASTMAP_REALS(N, 2), (uint16_t *)(void *)place[2], 3);
}

/* All of one direction: the axis has no length, and a vector of zeros no angle. */
TEST(test_fault_5_fastmap_should_refuse_when_a_vector_has_no_distance_and_the_axis_no_length)
{
    static const cairn_real zeros[D] = {0};
    cairn_real place = 7;
    memset(sample, 0, sizeof sample);
    for (int i = 0; i < N; ++i) {
        sample[i * D] = (cairn_real)(i + 1);
    }
    CHECK_EQ(
        cairn_fastmap_init(&map, &cairn_metric_angle, sample, N, D, 1, reals, sizeof reals / sizeof reals[0], pivot, 3),
        CAIRN_OK);
    CHECK_EQ(cairn_fastmap_place(&map, zeros, &place), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_fastmap_place(&map, sample, &place), CAIRN_OK);
    CHECK(place == 0);
}

TEST(test_fault_19_fastmap_should_refuse_or_keep_to_its_memory_when_that_is_misaligned_or_short)
{
    enum { N_REALS = CAIRN_FASTMAP_REALS(N, K), GUARD = 4 };
    static cairn_real room[N_REALS + 2 * GUARD];
    for (size_t offset = 0; offset < 8; ++offset) {
        for (int which = 0; which < 3; ++which) {
            const size_t unit = which < 2 ? sizeof(cairn_real) : sizeof(uint16_t);
            CHECK_EQ(begin_from(offset, which), offset % unit == 0 ? CAIRN_OK : CAIRN_ERR_ALIGN);
        }
    }
    for (size_t i = 0; i < N_REALS + 2 * GUARD; ++i) {
        room[i] = (cairn_real)(i + 1);
    }
    cairn_rng_init(&rng, 4, 8);
    for (int i = 0; i < N; ++i) {
        draw(sample + i * D, 3);
    }
    CHECK_EQ(cairn_fastmap_init(&map, NULL, sample, N, D, K, room + GUARD, N_REALS - 1, pivot, 3), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_fastmap_init(&map, NULL, sample, N, D, K, room + GUARD, N_REALS, pivot, 3), CAIRN_OK);
    for (size_t i = 0; i < GUARD; ++i) {
        CHECK_NEAR(room[i], i + 1, 0);
        CHECK_NEAR(room[GUARD + N_REALS + i], GUARD + N_REALS + i + 1, 0);
    }
}

TEST_MAIN(TEST_CASE(test_fastmap_should_keep_distances_when_data_have_as_many_dimensions),
          TEST_CASE(test_fastmap_should_put_each_axis_through_its_pivots_when_placed_again),
          TEST_CASE(test_fault_4_fastmap_should_stay_finite_when_vectors_are_identical),
          TEST_CASE(test_fault_5_fastmap_should_refuse_when_input_is_bad),
          TEST_CASE(test_fault_5_fastmap_should_refuse_when_a_vector_has_no_distance_and_the_axis_no_length),
          TEST_CASE(test_fault_19_fastmap_should_refuse_or_keep_to_its_memory_when_that_is_misaligned_or_short))
