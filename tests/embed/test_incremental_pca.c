/* SPDX-License-Identifier: MIT
 * Tests of the incremental PCA: the plane that data lie in, agreement with the covariance in double, data of fewer dimensions,
 * refusals. */
#include "cairn/incremental_pca.h"
#include "oracle/random.h"
#include "support/test.h"

enum { D = 7, K = 4, BATCH = 10, N = 60 };

static cairn_real reals[CAIRN_INCREMENTAL_PCA_REALS(D, K, BATCH)], data[N][D];
static cairn_incremental_pca_t pca;
static cairn_rng_t rng;

/* Vectors of a given number of hidden dimensions, each of half the deviation of the one before, and noise. */
static void draw(int n_hidden, cairn_real noise)
{
    for (int i = 0; i < N; ++i) {
        for (int a = 0; a < D; ++a) {
            data[i][a] = 20 + random_between(&rng, -noise, noise);
        }
        for (int h = 0; h < n_hidden; ++h) {
            const cairn_real u = random_between(&rng, -8, 8) / (cairn_real)(1 << h);
            data[i][2 * h % D] += u;
            data[i][(2 * h + 3) % D] -= u / 2;
        }
    }
}

static void run(size_t k)
{
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, k, BATCH, reals, sizeof reals / sizeof reals[0]), CAIRN_OK);
    for (int i = 0; i < N; ++i) {
        CHECK_EQ(cairn_incremental_pca_add(&pca, data[i]), CAIRN_OK);
    }
}

/* Axis a by what unit vectors are projected to. */
static void read_axis(size_t a, double *axis)
{
    cairn_real unit[D] = {0}, zero[D] = {0}, at[K], base[K];
    CHECK_EQ(cairn_incremental_pca_place(&pca, zero, base), CAIRN_OK);
    for (size_t i = 0; i < D; ++i) {
        unit[i] = 1;
        CHECK_EQ(cairn_incremental_pca_place(&pca, unit, at), CAIRN_OK);
        axis[i] = (double)at[a] - (double)base[a];
        unit[i] = 0;
    }
}

TEST(test_pca_should_keep_distances_when_data_lie_in_as_many_dimensions)
{
    cairn_rng_init(&rng, 1, 5);
    draw(2, 0);
    run(2);
    double sum[2] = {0, 0};
    for (int i = 0; i < N; ++i) { /* places are about the mean of all batches */
        cairn_real place[2];
        CHECK_EQ(cairn_incremental_pca_place(&pca, data[i], place), CAIRN_OK);
        sum[0] += (double)place[0];
        sum[1] += (double)place[1];
    }
    CHECK_NEAR(sum[0] / N, 0, 1e-3);
    CHECK_NEAR(sum[1] / N, 0, 1e-3);
    for (int i = 1; i < N; ++i) {
        cairn_real p[2], q[2];
        double wanted = 0, got = 0;
        CHECK_EQ(cairn_incremental_pca_place(&pca, data[i], p), CAIRN_OK);
        CHECK_EQ(cairn_incremental_pca_place(&pca, data[i - 1], q), CAIRN_OK);
        for (int a = 0; a < D; ++a) {
            wanted += ((double)data[i][a] - (double)data[i - 1][a]) * ((double)data[i][a] - (double)data[i - 1][a]);
        }
        for (int a = 0; a < 2; ++a) {
            got += ((double)p[a] - (double)q[a]) * ((double)p[a] - (double)q[a]);
        }
        CHECK_NEAR(sqrt(got), sqrt(wanted), 1e-3); /* of distances up to 20 */
    }
}

TEST(test_pca_should_hold_as_much_variance_as_the_best_plane_when_there_is_noise)
{
    double covariance[D][D] = {{0}}, mean[D] = {0};
    cairn_rng_init(&rng, 2, 5);
    draw(3, (cairn_real)0.3);
    run(K);
    for (int i = 0; i < N; ++i) {
        for (int a = 0; a < D; ++a) {
            mean[a] += (double)data[i][a] / N;
        }
    }
    for (int i = 0; i < N * D * D; ++i) {
        const int a = i / D % D, b = i % D;
        covariance[a][b] += ((double)data[i / D / D][a] - mean[a]) * ((double)data[i / D / D][b] - mean[b]) / N;
    }
    for (size_t a = 0; a < 3;
         ++a) { /* each axis solves C v = (v C v) v nearly, for axes are only merged batch by batch */
        double axis[D], held = 0, product[D], rest = 0;
        read_axis(a, axis);
        for (int i = 0; i < D; ++i) {
            product[i] = 0;
            for (int j = 0; j < D; ++j) {
                product[i] += covariance[i][j] * axis[j];
            }
            held += product[i] * axis[i];
        }
        for (int i = 0; i < D; ++i) {
            rest += (product[i] - held * axis[i]) * (product[i] - held * axis[i]);
        }
        CHECK(sqrt(rest) < 0.03 * held);
    }
}

TEST(test_fault_6_pca_should_leave_axes_at_zero_when_data_have_fewer_dimensions)
{
    for (int n_hidden = 0; n_hidden < K; ++n_hidden) {
        double axis[K][D];
        cairn_rng_init(&rng, 3, 5);
        draw(n_hidden, 0);
        run(K);
        for (size_t a = 0; a < K; ++a) {
            read_axis(a, axis[a]);
            for (size_t b = 0; b <= a; ++b) {
                double product = 0;
                for (int i = 0; i < D; ++i) {
                    product += axis[a][i] * axis[b][i];
                }
                test_context("hidden", (uint32_t)n_hidden);
                CHECK_NEAR(product, a == b && (int)a < n_hidden ? 1 : 0, 1e-3);
            }
        }
        cairn_real place[K];
        CHECK_EQ(cairn_incremental_pca_place(&pca, data[5], place), CAIRN_OK);
        for (int a = n_hidden; a < K; ++a) {
            CHECK_NEAR(place[a], 0, 0);
        }
    }
}

TEST(test_fault_5_pca_should_refuse_and_stay_when_input_is_bad)
{
    cairn_real place[K] = {7}, bad[D] = {0};
    cairn_rng_init(&rng, 4, 5);
    draw(2, 1);
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, K, BATCH, reals, sizeof reals / sizeof reals[0]), CAIRN_OK);
    CHECK_EQ(cairn_incremental_pca_place(&pca, data[0], place), CAIRN_ERR_STATE);
    const cairn_incremental_pca_t before = pca;
    for (int a = 0; a < D; ++a) {
        bad[a] = a % 2 != 0 ? (cairn_real)NAN : (cairn_real)INFINITY;
        CHECK_EQ(cairn_incremental_pca_add(&pca, bad), CAIRN_ERR_NONFINITE);
        CHECK_EQ(cairn_incremental_pca_place(&pca, bad, place), CAIRN_ERR_NONFINITE);
        bad[a] = 0;
    }
    CHECK_EQ(cairn_incremental_pca_add(NULL, bad), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_incremental_pca_add(&pca, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_incremental_pca_place(&pca, NULL, place), CAIRN_ERR_ARG);
    CHECK_MEM(&pca, &before, sizeof pca);
    CHECK_NEAR(place[0], 7, 0);
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, D + 1, BATCH, reals, 10000), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, K, K - 1, reals, 10000), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, K, 65535 - K, reals, 10000), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_incremental_pca_init(&pca, 65535, 65535, 65536, reals, SIZE_MAX), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, K, 65534 - K, reals, 10000), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, K, BATCH, reals, sizeof reals / sizeof reals[0] - 1), CAIRN_ERR_SIZE);
}

TEST(test_fault_15_pca_should_go_by_whole_batches_when_the_stream_ends_early)
{
    cairn_real place[K], batch[K] = {0};
    cairn_rng_init(&rng, 5, 5);
    draw(3, 1);
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, K, BATCH, reals, sizeof reals / sizeof reals[0]), CAIRN_OK);
    for (int n = 0; n < 3 * BATCH; ++n) {
        const cairn_status status = cairn_incremental_pca_place(&pca, data[N - 1], place);
        CHECK_EQ(status, n < BATCH ? CAIRN_ERR_STATE : CAIRN_OK);
        if (n >= BATCH && n % BATCH != 0) {
            CHECK_MEM(place, batch, sizeof place); /* those that wait have no part in it */
        } else if (n >= BATCH) {
            CHECK(memcmp(place, batch, sizeof place) != 0);
            memcpy(batch, place, sizeof place);
        }
        CHECK_EQ(cairn_incremental_pca_add(&pca, data[n]), CAIRN_OK);
    }
}

TEST(test_fault_19_pca_should_refuse_or_keep_to_its_memory_when_that_is_misaligned_or_short)
{
    enum { N_REALS = CAIRN_INCREMENTAL_PCA_REALS(D, K, BATCH), GUARD = 4 };
    static cairn_real room[N_REALS + 2 * GUARD];
    for (size_t offset = 0; offset < 8; ++offset) {
        cairn_real *shifted = (cairn_real *)(void *)((unsigned char *)(room + GUARD) + offset);
        CHECK_EQ(cairn_incremental_pca_init(&pca, D, K, BATCH, shifted, N_REALS),
                 offset % sizeof(cairn_real) == 0 ? CAIRN_OK : CAIRN_ERR_ALIGN);
    }
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, K, BATCH, room + GUARD, N_REALS - 1), CAIRN_ERR_SIZE);
    for (size_t i = 0; i < N_REALS + 2 * GUARD; ++i) {
        room[i] = (cairn_real)(i + 1);
    }
    CHECK_EQ(cairn_incremental_pca_init(&pca, D, K, BATCH, room + GUARD, N_REALS), CAIRN_OK);
    cairn_rng_init(&rng, 6, 5);
    draw(3, 1);
    for (int i = 0; i < N; ++i) {
        CHECK_EQ(cairn_incremental_pca_add(&pca, data[i]), CAIRN_OK);
    }
    for (size_t i = 0; i < GUARD; ++i) {
        CHECK_NEAR(room[i], i + 1, 0);
        CHECK_NEAR(room[GUARD + N_REALS + i], GUARD + N_REALS + i + 1, 0);
    }
}

TEST_MAIN(TEST_CASE(test_pca_should_keep_distances_when_data_lie_in_as_many_dimensions),
          TEST_CASE(test_pca_should_hold_as_much_variance_as_the_best_plane_when_there_is_noise),
          TEST_CASE(test_fault_6_pca_should_leave_axes_at_zero_when_data_have_fewer_dimensions),
          TEST_CASE(test_fault_5_pca_should_refuse_and_stay_when_input_is_bad),
          TEST_CASE(test_fault_15_pca_should_go_by_whole_batches_when_the_stream_ends_early),
          TEST_CASE(test_fault_19_pca_should_refuse_or_keep_to_its_memory_when_that_is_misaligned_or_short))
