/* SPDX-License-Identifier: MIT
 * Tests of kmeans: means, falling inertia, empty clusters, fewer distinct points than centres, refusals. */
#include "cairn/kmeans.h"
#include "oracle/random.h"
#include "support/test.h"

enum { K = 4, D = 3, N = 60 };

static cairn_real points[N * D];
static cairn_real reals[CAIRN_KMEANS_REALS(K, D)];
static uint32_t count[K];

static void draw_points(uint64_t seed)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, 3);
    for (int i = 0; i < N * D; ++i) {
        points[i] = cairn_rng_uniform(&rng) + (cairn_real)(5 * ((i / D) % K));
    }
}

TEST(test_kmeans_should_lower_the_inertia_and_end_in_means_when_passes_repeat)
{
    cairn_kmeans_t clusters;
    cairn_real inertia = CAIRN_REAL_MAX;
    draw_points(1);
    CHECK_EQ(cairn_kmeans_init(&clusters, CAIRN_KMEANS_LLOYD, K, D, reals, CAIRN_KMEANS_REALS(K, D), count), CAIRN_OK);
    uint32_t cluster[N];
    for (int pass = 0; pass < 10; ++pass) {
        cairn_real now;
        for (int i = 0; i < N; ++i) {
            CHECK_EQ(cairn_kmeans_add(&clusters, points + i * D, &cluster[i]), CAIRN_OK);
        }
        CHECK_EQ(cairn_kmeans_end_pass(&clusters, &now), CAIRN_OK);
        if (pass > 1) { /* the first pass has no centres to begin with */
            CHECK(now <= inertia * (1 + 64 * CAIRN_REAL_EPSILON));
        }
        inertia = now;
    }
    for (uint32_t c = 0; c < K; ++c) {
        double mean = 0;
        int n = 0;
        for (int i = 0; i < N; ++i) {
            mean += cluster[i] == c ? (double)points[i * D] : 0;
            n += cluster[i] == c ? 1 : 0;
        }
        /* a running mean of n values below 20 rounds each of them twice */
        CHECK_NEAR(cairn_kmeans_get_centres(&clusters)[c * D], mean / n, 2 * n * 20 * (double)CAIRN_REAL_EPSILON);
    }
}

TEST(test_kmeans_should_run_means_when_in_one_pass)
{
    cairn_kmeans_t clusters;
    draw_points(2);
    CHECK_EQ(cairn_kmeans_init(&clusters, CAIRN_KMEANS_ONE_PASS, 1, D, reals, CAIRN_KMEANS_REALS(1, D), count),
             CAIRN_OK);
    double mean = 0;
    for (int i = 0; i < N; ++i) {
        CHECK_EQ(cairn_kmeans_add(&clusters, points + i * D, NULL), CAIRN_OK);
        mean += (double)points[i * D] / N;
    }
    CHECK_NEAR(cairn_kmeans_get_centres(&clusters)[0], mean, 2 * N * 20 * (double)CAIRN_REAL_EPSILON);
    CHECK_EQ(cairn_kmeans_end_pass(&clusters, NULL), CAIRN_OK);
    CHECK_EQ(cairn_kmeans_end_pass(&clusters, NULL), CAIRN_ERR_STATE);
}

TEST(test_fault_12_kmeans_should_have_as_many_centres_as_distinct_points_when_k_is_above)
{
    static const cairn_real few[] = {1, 1, 1, 2, 2, 2, 1, 1, 1};
    cairn_kmeans_t clusters;
    uint32_t cluster = 9;
    CHECK_EQ(cairn_kmeans_init(&clusters, CAIRN_KMEANS_LLOYD, K, D, reals, CAIRN_KMEANS_REALS(K, D), count), CAIRN_OK);
    for (int pass = 0; pass < 4; ++pass) {
        for (int i = 0; i < 3; ++i) {
            CHECK_EQ(cairn_kmeans_add(&clusters, few + i * D, &cluster), CAIRN_OK);
            CHECK_EQ(cluster, i == 1 ? 1 : 0);
        }
        cairn_real inertia = 1;
        CHECK_EQ(cairn_kmeans_end_pass(&clusters, &inertia), CAIRN_OK);
        CHECK_NEAR(inertia, 0, 0);
    }
    CHECK_EQ(cairn_kmeans_get_count(&clusters), 2);
}

TEST(test_fault_12_kmeans_should_move_an_empty_centre_to_the_farthest_point_when_a_pass_ends)
{
    /* the first three points come in the first pass only: the third centre is then empty, and 9 is farthest off */
    static const cairn_real first[] = {0, 0, 0, 5, 5, 5, 100, 100, 100};
    static const cairn_real later[] = {0, 0, 0, 5, 5, 5, 9, 9, 9};
    cairn_kmeans_t clusters;
    CHECK_EQ(cairn_kmeans_init(&clusters, CAIRN_KMEANS_LLOYD, 3, D, reals, CAIRN_KMEANS_REALS(3, D), count), CAIRN_OK);
    for (int i = 0; i < 3; ++i) {
        CHECK_EQ(cairn_kmeans_add(&clusters, first + i * D, NULL), CAIRN_OK);
    }
    CHECK_EQ(cairn_kmeans_end_pass(&clusters, NULL), CAIRN_OK);
    for (int i = 0; i < 3; ++i) {
        CHECK_EQ(cairn_kmeans_add(&clusters, later + i * D, NULL), CAIRN_OK);
    }
    CHECK_EQ(cairn_kmeans_end_pass(&clusters, NULL), CAIRN_OK);
    CHECK_NEAR(cairn_kmeans_get_centres(&clusters)[2 * D], 9, 0);
    CHECK_EQ(clusters.n_moved_empty, 1);
}

TEST(test_fault_5_kmeans_should_refuse_and_stay_when_input_is_bad)
{
    cairn_kmeans_t clusters, before;
    cairn_real point[D] = {1, 2, 3};
    size_t n = CAIRN_KMEANS_REALS(K, D);
    CHECK_EQ(cairn_kmeans_init(&clusters, CAIRN_KMEANS_LLOYD, 0, D, reals, n, count), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_kmeans_init(&clusters, CAIRN_KMEANS_LLOYD, K, 65536, reals, n, count), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_kmeans_init(&clusters, CAIRN_KMEANS_LLOYD, K, D, reals, n - 1, count), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_kmeans_init(&clusters, CAIRN_KMEANS_LLOYD, K, D, reals, 0, count), CAIRN_ERR_SIZE);
    CHECK_EQ(
        cairn_kmeans_init(&clusters, CAIRN_KMEANS_LLOYD, K, D, (cairn_real *)(void *)((char *)reals + 2), n, count),
        CAIRN_ERR_ALIGN);
    CHECK_EQ(cairn_kmeans_init(&clusters, CAIRN_KMEANS_LLOYD, K, D, reals, n, count), CAIRN_OK);
    before = clusters;
    for (int i = 0; i < D; ++i) {
        cairn_real good = point[i];
        point[i] = (cairn_real)NAN;
        CHECK_EQ(cairn_kmeans_add(&clusters, point, NULL), CAIRN_ERR_NONFINITE);
        point[i] = (cairn_real)INFINITY;
        CHECK_EQ(cairn_kmeans_add(&clusters, point, NULL), CAIRN_ERR_NONFINITE);
        point[i] = (cairn_real)-1.001 * CAIRN_KMEANS_COORDINATE_MAX;
        CHECK_EQ(cairn_kmeans_add(&clusters, point, NULL), CAIRN_ERR_RANGE);
        point[i] = good;
    }
    CHECK_EQ(cairn_kmeans_add(&clusters, NULL, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_kmeans_end_pass(&clusters, NULL), CAIRN_ERR_STATE);
    CHECK_MEM(&clusters, &before, sizeof before);
}

TEST_MAIN(TEST_CASE(test_kmeans_should_lower_the_inertia_and_end_in_means_when_passes_repeat),
          TEST_CASE(test_kmeans_should_run_means_when_in_one_pass),
          TEST_CASE(test_fault_12_kmeans_should_have_as_many_centres_as_distinct_points_when_k_is_above),
          TEST_CASE(test_fault_12_kmeans_should_move_an_empty_centre_to_the_farthest_point_when_a_pass_ends),
          TEST_CASE(test_fault_5_kmeans_should_refuse_and_stay_when_input_is_bad))
