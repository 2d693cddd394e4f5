/* SPDX-License-Identifier: MIT
 * Tests of projection: the matrix that unit vectors show is the one that is used, angles are kept as the number of
 * coordinates promises, refusals. */
#include "cairn/projection.h"
#include "oracle/random.h"
#include "support/test.h"

enum { D = 100, K_MAX = 63, N = 12 };

static cairn_real features[N][D], place[N][K_MAX + 1];
static cairn_rng_t rng;

static void draw_features(size_t i)
{
    for (size_t a = 0; a < D; ++a) {
        features[i][a] = random_between(&rng, -1, 1);
    }
}

static double angle(const cairn_real *p, const cairn_real *q, size_t n)
{
    double pp = 0, qq = 0, pq = 0;
    for (size_t a = 0; a < n; ++a) {
        pp += (double)p[a] * (double)p[a];
        qq += (double)q[a] * (double)q[a];
        pq += (double)p[a] * (double)q[a];
    }
    return acos(pq / sqrt(pp * qq));
}

TEST(test_projection_should_use_one_matrix_when_vectors_differ)
{
    enum { K = 20 };
    static signed char column[D][K + 1];
    const cairn_projection_t projection = {11, D, K};
    int n_plus = 0;
    cairn_rng_init(&rng, 1, 1);
    for (size_t i = 0; i < D; ++i) {
        cairn_real unit[D] = {0};
        unit[i] = 5;
        CHECK_EQ(cairn_projection_place(&projection, unit, place[0]), CAIRN_OK);
        for (size_t a = 0; a <= K; ++a) {
            CHECK_NEAR(fabs((double)place[0][a]), 1 / sqrt(K + 1.0), 1e-6);
            column[i][a] = place[0][a] > 0 ? 1 : -1;
            n_plus += column[i][a] > 0 ? 1 : 0;
        }
    }
    /* 2,100 fair signs: 1050 +- 23 */
    CHECK(n_plus > 1050 - 5 * 23 && n_plus < 1050 + 5 * 23);
    for (size_t n = 0; n < N; ++n) {
        double sums[K + 1], square = 0;
        draw_features(n);
        CHECK_EQ(cairn_projection_place(&projection, features[n], place[n]), CAIRN_OK);
        for (size_t a = 0; a <= K; ++a) {
            sums[a] = 0;
            for (size_t i = 0; i < D; ++i) {
                sums[a] += column[i][a] * (double)features[n][i];
            }
            square += sums[a] * sums[a];
        }
        for (size_t a = 0; a <= K; ++a) {
            CHECK_NEAR(place[n][a], sums[a] / sqrt(square), 1e-5); /* sums of 100 shares: 100 roundings of 6e-8 of 20 */
        }
    }
}

/* Root mean square relative error of angles of N vectors. */
static double angle_error(uint16_t k, uint64_t seed)
{
    const cairn_projection_t projection = {seed, D, k};
    double sum = 0;
    int n_pairs = 0;
    for (size_t i = 0; i < N; ++i) {
        CHECK_EQ(cairn_projection_place(&projection, features[i], place[i]), CAIRN_OK);
        for (size_t j = 0; j < i; ++j) {
            const double kept = angle(place[i], place[j], k + 1u) / angle(features[i], features[j], D) - 1;
            /* the deviation is sin(angle) / angle / root of k + 1, .64 / root for the right angles that most are */
            CHECK(fabs(kept) < 5 * 0.75 / sqrt(k + 1.0));
            sum += kept * kept;
            ++n_pairs;
        }
    }
    return sqrt(sum / n_pairs);
}

TEST(test_projection_should_keep_angles_better_when_there_are_more_coordinates)
{
    double few = 0, many = 0;
    cairn_rng_init(&rng, 2, 1);
    for (size_t i = 0; i < N; ++i) {
        draw_features(i);
    }
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        few += angle_error(3, seed) / 4;
        many += angle_error(K_MAX, seed) / 4;
    }
    CHECK(many > 0.8 * 0.64 / 8 && many < 1.2 * 0.64 / 8); /* of 264 pairs: known to 5 % */
    CHECK(few / many > 2.5 && few / many < 6);             /* 4 */
}

TEST(test_projection_should_ignore_length_when_direction_is_the_same)
{
    const cairn_projection_t projection = {3, D, 7};
    cairn_rng_init(&rng, 3, 1);
    draw_features(0);
    CHECK_EQ(cairn_projection_place(&projection, features[0], place[0]), CAIRN_OK);
    for (size_t a = 0; a < D; ++a) {
        features[1][a] = features[0][a] * (cairn_real)0x1p-100;
    }
    CHECK_EQ(cairn_projection_place(&projection, features[1], place[1]), CAIRN_OK);
    CHECK_MEM(place[0], place[1], 8 * sizeof place[0][0]);
    for (size_t a = 0; a < D; ++a) {
        features[1][a] = features[0][a] * (cairn_real)0x1p120;
    }
    CHECK_EQ(cairn_projection_place(&projection, features[1], place[1]), CAIRN_OK);
    CHECK_MEM(place[0], place[1], 8 * sizeof place[0][0]);
}

TEST(test_projection_should_take_the_first_axis_when_the_vector_is_orthogonal_to_the_subspace)
{
    cairn_real pair[2], at[2];
    int n_met = 0;
    for (uint64_t seed = 1; seed <= 64;
         ++seed) { /* a quarter of the matrices have twice the same or the opposite sign */
        const cairn_projection_t projection = {seed, 2, 1};
        pair[0] = 1;
        pair[1] = 1;
        CHECK_EQ(cairn_projection_place(&projection, pair, at), CAIRN_OK);
        CHECK_NEAR((double)at[0] * (double)at[0] + (double)at[1] * (double)at[1], 1, 1e-6);
        n_met += at[0] > 0 && !(at[1] > 0 || at[1] < 0) ? 1 : 0;
    }
    CHECK(n_met > 8);
}

TEST(test_fault_5_projection_should_refuse_and_write_nothing_when_input_is_bad)
{
    const cairn_real bad[] = {(cairn_real)NAN, (cairn_real)INFINITY, -(cairn_real)INFINITY};
    cairn_projection_t projection = {3, D, 7};
    cairn_rng_init(&rng, 5, 1);
    place[0][0] = 77;
    for (size_t a = 0; a < D; ++a) {
        for (int i = 0; i < 3; ++i) {
            draw_features(0);
            features[0][a] = bad[i];
            CHECK_EQ(cairn_projection_place(&projection, features[0], place[0]), CAIRN_ERR_NONFINITE);
        }
    }
    memset(features[0], 0, sizeof features[0]);
    CHECK_EQ(cairn_projection_place(&projection, features[0], place[0]), CAIRN_ERR_RANGE);
    draw_features(0);
    CHECK_EQ(cairn_projection_place(NULL, features[0], place[0]), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_projection_place(&projection, NULL, place[0]), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_projection_place(&projection, features[0], NULL), CAIRN_ERR_ARG);
    projection.n_features = 0;
    CHECK_EQ(cairn_projection_place(&projection, features[0], place[0]), CAIRN_ERR_ARG);
    projection.n_features = D;
    projection.dim = 0;
    CHECK_EQ(cairn_projection_place(&projection, features[0], place[0]), CAIRN_ERR_ARG);
    projection.dim = UINT16_MAX;
    CHECK_EQ(cairn_projection_place(&projection, features[0], place[0]), CAIRN_ERR_ARG);
    CHECK_NEAR(place[0][0], 77, 0);
}

TEST_MAIN(TEST_CASE(test_projection_should_use_one_matrix_when_vectors_differ),
          TEST_CASE(test_projection_should_keep_angles_better_when_there_are_more_coordinates),
          TEST_CASE(test_projection_should_ignore_length_when_direction_is_the_same),
          TEST_CASE(test_projection_should_take_the_first_axis_when_the_vector_is_orthogonal_to_the_subspace),
          TEST_CASE(test_fault_5_projection_should_refuse_and_write_nothing_when_input_is_bad))
