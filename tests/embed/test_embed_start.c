/* SPDX-License-Identifier: MIT
 * Tests of how landmarks are embedded among themselves before the first step: classical scaling, by triangulation alone. */
#include "oracle/stream.h"

/* Pushes L vectors and embeds them by the classical part alone. */
static void start(const cairn_real *vectors)
{
    cairn_real place[K];
    cfg.rounds = 0;
    CHECK_EQ(begin(), CAIRN_OK);
    for (int i = 0; i < L; ++i) {
        CHECK_EQ(push(&world.embed, vectors + i * D, place), i + 1 < L ? CAIRN_UNPLACED : CAIRN_MORE);
    }
    for (size_t i = 0; i < L; ++i) {
        CHECK_EQ(cairn_embed_get_landmark(&world.embed, i, place), CAIRN_OK);
        CHECK(cairn_all_finite(place, K));
    }
    check_guards();
}

static double image_distance(size_t i, size_t j)
{
    cairn_real p[K], q[K];
    CHECK_EQ(cairn_embed_get_landmark(&world.embed, i, p), CAIRN_OK);
    CHECK_EQ(cairn_embed_get_landmark(&world.embed, j, q), CAIRN_OK);
    return (double)cairn_distance(p, q, K);
}

TEST(test_embed_start_should_find_all_distances_again_when_they_are_of_a_plane)
{
    static cairn_real vectors[L * D];
    for (int scale = 0; scale < 3; ++scale) { /* of the features; places have the same */
        static const cairn_real factors[] = {(cairn_real)1e-6, 1, (cairn_real)1e6};
        double worst = 0, largest = 0;
        set_cfg(NULL);
        cfg.store_distances = scale == 1;
        for (int i = 0; i < L; ++i) {
            draw(vectors + i * D, 0);
            for (int a = 0; a < D; ++a) {
                vectors[i * D + a] *= factors[scale];
            }
        }
        start(vectors);
        for (size_t i = 0; i < L; ++i) {
            for (size_t j = 0; j < i; ++j) {
                const double wanted = (double)cairn_distance(vectors + i * D, vectors + j * D, D);
                const double error = fabs(image_distance(i, j) - wanted);
                worst = error > worst ? error : worst;
                largest = wanted > largest ? wanted : largest;
            }
        }
        test_context("scale", (uint32_t)scale);
        /* what is not of the plane is halved by each of 10 rounds: 1/1024 of two landmarks' draws is left at most */
        CHECK(worst < largest * 2 / 1024);
    }
}

/* Two axes and a third that shortens distances: its eigenvalue is negative. */
static cairn_real shortened(const void *context, const cairn_real *p, const cairn_real *q, size_t d)
{
    cairn_real square = 0;
    (void)context;
    for (size_t a = 0; a < d; ++a) {
        const cairn_real difference = p[a] - q[a];
        square += a == 2 ? -difference * difference : difference * difference;
    }
    return cairn_sqrt(cairn_max(square, 0));
}

TEST(test_embed_start_should_leave_an_axis_out_when_its_eigenvalue_is_negative_and_larger)
{
    static cairn_real vectors[L * D];
    cairn_metric_t metric;
    double worst = 0;
    set_cfg(NULL);
    CHECK_EQ(cairn_metric_own(&metric, shortened, NULL), CAIRN_OK);
    cfg.metric = &metric;
    for (int i = 0; i < L; ++i) { /* three orthogonal axes, eigenvalues 3060, 16, and -31 */
        vectors[i * D] = (cairn_real)(3 * i);
        vectors[i * D + 1] = (i + 1) / 2 % 2 == 0 ? 1 : -1;
        vectors[i * D + 2] = (i + 2) / 4 % 2 == 0 ? (cairn_real)1.4 : (cairn_real)-1.4;
    }
    start(vectors);
    for (size_t i = 0; i < L; ++i) {
        for (size_t j = 0; j < i; ++j) {
            const double error =
                fabs(image_distance(i, j) - (double)cairn_distance(vectors + i * D, vectors + j * D, 2));
            worst = error > worst ? error : worst;
        }
    }
    CHECK(worst < 0.1); /* neighbours are sqrt(9 + 4) apart; the third axis in place of the second makes it 3 or 4.1 */
}

TEST_MAIN(TEST_CASE(test_embed_start_should_find_all_distances_again_when_they_are_of_a_plane),
          TEST_CASE(test_embed_start_should_leave_an_axis_out_when_its_eigenvalue_is_negative_and_larger))
