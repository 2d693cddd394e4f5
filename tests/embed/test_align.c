/* SPDX-License-Identifier: MIT
 * Tests of align: known motions found again, the best of many turns, mirror images only where they are allowed, maps of fewer
 * dimensions, landmark sets of two embeddings. */
#include "cairn/align.h"
#include "oracle/stream.h"

enum { N = 40, K_MAX = 6 };

static cairn_real from[N * K_MAX], to[N * K_MAX], rotation[K_MAX * K_MAX], shift[K_MAX];
static cairn_real work[CAIRN_ALIGN_REALS(K_MAX)];

static void draw_points(size_t k)
{
    for (size_t i = 0; i < N * k; ++i) {
        from[i] = random_between(&rng, -2, 2) * (cairn_real)(1 + i % k);
    }
}

/* to = a product of plane turns of from, mirrored in the last axis if wanted, and shifted; with noise. */
static void move_points(size_t k, bool mirror, cairn_real noise)
{
    for (size_t i = 0; i < N; ++i) {
        cairn_real *y = to + i * k;
        memcpy(y, from + i * k, k * sizeof *y);
        y[k - 1] = mirror ? -y[k - 1] : y[k - 1];
        for (size_t a = 0; a + 1 < k; ++a) {
            const cairn_real c = (cairn_real)0.6, s = (cairn_real)0.8, before = y[a];
            y[a] = c * before - s * y[a + 1];
            y[a + 1] = s * before + c * y[a + 1];
        }
        for (size_t a = 0; a < k; ++a) {
            y[a] += (cairn_real)(a + 3) + random_between(&rng, -noise, noise);
        }
    }
}

/* Sum of squares that a motion leaves, in double. */
static double left_over(const cairn_real *turn, const double *move, size_t k)
{
    double sum = 0;
    for (size_t i = 0; i < N; ++i) {
        for (size_t a = 0; a < k; ++a) {
            double y = move[a];
            for (size_t b = 0; b < k; ++b) {
                y += (double)turn[a * k + b] * (double)from[i * k + b];
            }
            sum += (y - (double)to[i * k + a]) * (y - (double)to[i * k + a]);
        }
    }
    return sum;
}

static double left_by_fit(size_t k)
{
    double move[K_MAX];
    for (size_t a = 0; a < k; ++a) {
        move[a] = (double)shift[a];
    }
    return left_over(rotation, move, k);
}

/* Largest departure of rotation rotation^T from the identity. */
static double skewness(size_t k)
{
    double worst = 0;
    for (size_t a = 0; a < k; ++a) {
        for (size_t b = 0; b < k; ++b) {
            double product = a == b ? -1 : 0;
            for (size_t c = 0; c < k; ++c) {
                product += (double)rotation[a * k + c] * (double)rotation[b * k + c];
            }
            worst = fabs(product) > worst ? fabs(product) : worst;
        }
    }
    return worst;
}

static double determinant(const cairn_real *m, size_t k)
{
    double a[K_MAX][K_MAX], product = 1;
    for (size_t i = 0; i < k * k; ++i) {
        a[i / k][i % k] = (double)m[i];
    }
    for (size_t c = 0; c < k; ++c) {
        size_t best = c;
        for (size_t r = c; r < k; ++r) {
            best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
        }
        for (size_t j = 0; j < k; ++j) {
            const double swapped = a[c][j];
            a[c][j] = a[best][j];
            a[best][j] = swapped;
        }
        product *= best != c ? -a[c][c] : a[c][c];
        for (size_t r = c + 1; r < k; ++r) {
            for (size_t j = k; j-- > c;) {
                a[r][j] -= a[r][c] / a[c][c] * a[c][j];
            }
        }
    }
    return product;
}

static cairn_status fit(size_t k, bool mirror)
{
    return cairn_align_fit(from, to, N, k, mirror, rotation, shift, work, CAIRN_ALIGN_REALS(k));
}

TEST(test_align_should_find_a_motion_again_when_it_is_exact)
{
    cairn_rng_init(&rng, 3, 1);
    for (size_t k = 1; k <= K_MAX; ++k) {
        for (int mirrored = 0; mirrored < 2; ++mirrored) {
            test_context("k", (uint32_t)k);
            draw_points(k);
            move_points(k, mirrored != 0, 0);
            CHECK_EQ(fit(k, true), CAIRN_OK);
            CHECK(skewness(k) < 1e-5);
            CHECK_NEAR(determinant(rotation, k), mirrored != 0 ? -1 : 1, 1e-4);
            CHECK(left_by_fit(k) < 1e-6 * N); /* coordinates up to 12: rounding is 1e-6 each */
        }
    }
}

TEST(test_fault_7_align_should_lock_the_hand_when_mirror_images_are_not_allowed)
{
    cairn_rng_init(&rng, 4, 1);
    for (size_t k = 1; k <= K_MAX; ++k) {
        draw_points(k);
        move_points(k, true, 0);
        CHECK_EQ(fit(k, false), CAIRN_OK);
        CHECK(skewness(k) < 1e-5);
        CHECK_NEAR(determinant(rotation, k), 1, 1e-4);
        const double locked = left_by_fit(k);
        CHECK_EQ(fit(k, true), CAIRN_OK);
        CHECK_NEAR(determinant(rotation, k), -1, 1e-4);
        CHECK(left_by_fit(k) < 1e-3 * locked);
    }
}

TEST(test_align_should_leave_less_than_any_turned_fit_when_points_are_noisy)
{
    cairn_rng_init(&rng, 5, 1);
    for (size_t k = 2; k <= K_MAX; ++k) {
        for (int mirror = 0; mirror < 2; ++mirror) {
            draw_points(k);
            move_points(k, true, (cairn_real)0.5);
            CHECK_EQ(fit(k, mirror != 0), CAIRN_OK);
            const double least = left_by_fit(k);
            for (int trial = 0; trial < (int)TEST_SEEDS(200u);
                 ++trial) { /* small and large turns of the fit, about the centre */
                cairn_real turned[K_MAX * K_MAX];
                double move[K_MAX];
                const size_t a = cairn_rng_below(&rng, (uint32_t)k),
                             b = (a + 1 + cairn_rng_below(&rng, (uint32_t)k - 1)) % k;
                const cairn_real t = random_between(&rng, -1, 1) * (trial % 2 != 0 ? (cairn_real)0.02 : 2);
                const cairn_real c = (1 - t * t) / (1 + t * t), s = 2 * t / (1 + t * t);
                memcpy(turned, rotation, sizeof turned);
                for (size_t i = 0; i < k; ++i) {
                    turned[a * k + i] = c * rotation[a * k + i] - s * rotation[b * k + i];
                    turned[b * k + i] = s * rotation[a * k + i] + c * rotation[b * k + i];
                }
                for (size_t i = 0; i < k; ++i) { /* the best shift of that turn */
                    move[i] = 0;
                    for (size_t n = 0; n < N; ++n) {
                        move[i] += (double)to[n * k + i] / N;
                        for (size_t j = 0; j < k; ++j) {
                            move[i] -= (double)turned[i * k + j] * (double)from[n * k + j] / N;
                        }
                    }
                }
                CHECK(left_over(turned, move, k) >= least * (1 - 1e-5));
            }
        }
    }
}

TEST(test_fault_6_align_should_say_that_the_hand_is_open_when_points_span_fewer_dimensions)
{
    cairn_rng_init(&rng, 6, 1);
    for (size_t n_flat = 1; n_flat <= 4; ++n_flat) {
        const size_t k = 4;
        draw_points(k);
        for (size_t i = 0; i < N; ++i) {
            for (size_t a = k - n_flat; a < k; ++a) {
                from[i * k + a] = 7;
            }
        }
        move_points(k, true, 0);
        CHECK_EQ(fit(k, true), CAIRN_FLIP_POSSIBLE);
        CHECK(skewness(k) < 1e-5);
        CHECK_NEAR(determinant(rotation, k), 1, 1e-4);
        CHECK(left_by_fit(k) < 1e-5 * N);
    }
}

TEST(test_fault_5_align_should_refuse_and_write_nothing_when_input_is_bad)
{
    const cairn_real bad[] = {(cairn_real)NAN, (cairn_real)INFINITY};
    cairn_rng_init(&rng, 7, 1);
    draw_points(2);
    move_points(2, false, 0);
    rotation[0] = 77;
    shift[0] = 78;
    for (int i = 0; i < 2; ++i) {
        for (size_t at = 0; at < 8; ++at) {
            cairn_real *where = at % 2 != 0 ? &to[at] : &from[at];
            const cairn_real before = *where;
            *where = bad[i];
            CHECK_EQ(fit(2, true), CAIRN_ERR_NONFINITE);
            *where = before;
        }
    }
    from[0] = CAIRN_REAL_MAX;
    CHECK_EQ(fit(2, true), CAIRN_ERR_NONFINITE);
    from[0] = 0;
    CHECK_EQ(cairn_align_fit(NULL, to, N, 2, true, rotation, shift, work, CAIRN_ALIGN_REALS(2)), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_align_fit(from, NULL, N, 2, true, rotation, shift, work, CAIRN_ALIGN_REALS(2)), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_align_fit(from, to, 0, 2, true, rotation, shift, work, CAIRN_ALIGN_REALS(2)), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_align_fit(from, to, N, 0, true, rotation, shift, work, CAIRN_ALIGN_REALS(2)), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_align_fit(from, to, N, 2, true, rotation, shift, work, CAIRN_ALIGN_REALS(2) - 1), CAIRN_ERR_SIZE);
    CHECK_NEAR(rotation[0], 77, 0);
    CHECK_NEAR(shift[0], 78, 0);
}

TEST(test_fault_7_align_should_keep_places_when_a_new_landmark_set_is_laid_on_the_old)
{
    enum { SHARED = 20 };
    static cairn_real shared[SHARED * D];
    double moved[2] = {0, 0};
    for (int set = 0; set < 2; ++set) { /* the second set comes in axes of its own */
        set_cfg(&cairn_embed_random);
        cfg.seed = (uint64_t)set + 5u;
        cairn_rng_init(&rng, 8, (uint64_t)set);
        CHECK_EQ(begin(), CAIRN_OK);
        push_drawn(L, (cairn_real)0.1);
        for (int i = 0; i < SHARED; ++i) {
            if (set == 0) {
                draw(shared + i * D, 0);
            }
            CHECK_EQ(cairn_embed_place(&world.embed, shared + i * D, (set == 0 ? to : from) + i * K), CAIRN_OK);
        }
    }
    CHECK_EQ(cairn_align_fit(from, to, SHARED, K, true, rotation, shift, work, CAIRN_ALIGN_REALS(K)), CAIRN_OK);
    CHECK_EQ(cairn_embed_move(&world.embed, rotation, shift), CAIRN_OK);
    for (int i = 0; i < SHARED; ++i) {
        cairn_real place[K];
        CHECK_EQ(cairn_embed_place(&world.embed, shared + i * D, place), CAIRN_OK);
        for (int a = 0; a < K; ++a) {
            moved[0] += ((double)place[a] - (double)to[i * K + a]) * ((double)place[a] - (double)to[i * K + a]);
            moved[1] += (double)to[i * K + a] * (double)to[i * K + a];
        }
    }
    CHECK(sqrt(moved[0] / moved[1]) < 0.05);
}

TEST(test_fault_19_align_should_refuse_or_keep_to_its_memory_when_that_is_misaligned_or_short)
{
    enum { N_WORK = CAIRN_ALIGN_REALS(3) };
    static cairn_real room[N_WORK + 2 * GUARD];
    cairn_real *const arrays[5] = {from, to, rotation, shift, room + GUARD};
    cairn_rng_init(&rng, 9, 1);
    draw_points(3);
    move_points(3, true, (cairn_real)0.1);
    for (size_t offset = 0; offset < sizeof(cairn_real); ++offset) {
        for (int which = 0; which < 5; ++which) {
            cairn_real *at[5];
            memcpy(at, arrays, sizeof at);
            at[which] = (cairn_real *)(void *)((unsigned char *)arrays[which] + offset);
            CHECK_EQ(cairn_align_fit(at[0], at[1], N, 3, true, at[2], at[3], at[4], N_WORK),
                     offset == 0 ? CAIRN_OK : CAIRN_ERR_ALIGN);
        }
    }
    for (size_t i = 0; i < N_WORK + 2 * GUARD; ++i) {
        room[i] = (cairn_real)(i + 1);
    }
    CHECK_EQ(cairn_align_fit(from, to, N, 3, true, rotation, shift, room + GUARD, N_WORK), CAIRN_OK);
    for (size_t i = 0; i < GUARD; ++i) {
        CHECK_NEAR(room[i], i + 1, 0);
        CHECK_NEAR(room[GUARD + N_WORK + i], GUARD + N_WORK + i + 1, 0);
    }
}

TEST_MAIN(TEST_CASE(test_align_should_find_a_motion_again_when_it_is_exact),
          TEST_CASE(test_fault_7_align_should_lock_the_hand_when_mirror_images_are_not_allowed),
          TEST_CASE(test_align_should_leave_less_than_any_turned_fit_when_points_are_noisy),
          TEST_CASE(test_fault_6_align_should_say_that_the_hand_is_open_when_points_span_fewer_dimensions),
          TEST_CASE(test_fault_5_align_should_refuse_and_write_nothing_when_input_is_bad),
          TEST_CASE(test_fault_7_align_should_keep_places_when_a_new_landmark_set_is_laid_on_the_old),
          TEST_CASE(test_fault_19_align_should_refuse_or_keep_to_its_memory_when_that_is_misaligned_or_short))
