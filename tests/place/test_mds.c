/* SPDX-License-Identifier: MIT
 * Tests of mds: exact tables, spheres, missing entries, slices and copies, stress against a plain recount, refusals. */
#include "cairn/mds.h"
#include "oracle/random.h"
#include "support/test.h"

enum { N = 10, DIM_MAX = 4, N_WORK = N * (DIM_MAX + 2) + DIM_MAX * 6 + DIM_MAX * (DIM_MAX + 1) / 2 + 3 * DIM_MAX };

static struct {
    size_t n;
    cairn_real distance[N * N];
    cairn_real weight[N * N];
    bool weighted;
} table;
static cairn_real truth[N * DIM_MAX];
static cairn_real place[N * DIM_MAX];
static cairn_real work[N_WORK + 2];

static void get_row(const void *context, size_t i, size_t n, cairn_real *distance, cairn_real *weight)
{
    (void)context;
    memcpy(distance, table.distance + i * n, n * sizeof *distance);
    if (weight != NULL) {
        memcpy(weight, table.weight + i * n, n * sizeof *weight);
    }
}

static cairn_real distance_of(const cairn_space_t *space, const cairn_real *points, size_t dim, size_t i, size_t j)
{
    cairn_real gradient[DIM_MAX];
    return space->metric(space, points + i * dim, points + j * dim, dim, 0, gradient).distance;
}

/* Points and their distances, with noise relative to them. */
static void draw_table(uint64_t seed, const cairn_space_t *space, size_t dim, cairn_real noise)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, 4);
    table.n = N;
    for (size_t i = 0; i < N; ++i) {
        cairn_real square = 0;
        for (size_t a = 0; a < dim; ++a) {
            truth[i * dim + a] = random_between(&rng, -5, 5);
            square += truth[i * dim + a] * truth[i * dim + a];
        }
        for (size_t a = 0; a < dim && space->radius > 0; ++a) {
            truth[i * dim + a] *= space->radius / cairn_sqrt(square);
        }
    }
    for (size_t i = 0; i < N; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            cairn_real d =
                j == i ? 0 : distance_of(space, truth, dim, i, j) * (1 + random_between(&rng, -noise, noise));
            table.distance[i * N + j] = table.distance[j * N + i] = d;
            table.weight[i * N + j] = table.weight[j * N + i] = 1;
        }
    }
}

static cairn_mds_cfg_t make_cfg(void)
{
    cairn_mds_cfg_t cfg = cairn_mds_cfg_default;
    cfg.row = get_row;
    return cfg;
}

static cairn_status begin(cairn_mds_t *mds, const cairn_mds_cfg_t *cfg, size_t dim)
{
    return cairn_mds_init(mds, cfg, table.n, dim, place, table.n * dim, work + 1, CAIRN_MDS_REALS(table.n, dim));
}

static cairn_status run(cairn_mds_t *mds, const cairn_mds_cfg_t *cfg, size_t dim, uint32_t slice)
{
    size_t n_work = CAIRN_MDS_REALS(table.n, dim);
    work[0] = 12, work[1 + n_work] = 34;
    cairn_status status = begin(mds, cfg, dim);
    if (status == CAIRN_OK) {
        do {
            status = cairn_mds_step(mds, slice);
        } while (status == CAIRN_MORE);
    }
    CHECK(work[0] == 12 && work[1 + n_work] == 34);
    return status;
}

static double stress_of(const cairn_space_t *space, size_t dim)
{
    double error = 0, square = 0;
    for (size_t i = 0; i < table.n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            double d = (double)table.distance[i * table.n + j], w = (double)table.weight[i * table.n + j];
            double f = (double)distance_of(space, place, dim, i, j);
            error += w * (f - d) * (f - d);
            square += w * d * d;
        }
    }
    return square > 0 ? sqrt(error / square) : 0;
}

TEST(test_mds_should_fit_exactly_when_distances_are_those_of_points)
{
    for (uint32_t seed = 0; seed < 12u; ++seed) {
        cairn_mds_cfg_t cfg = make_cfg();
        cairn_mds_t mds;
        size_t dim = 1u + seed % 4u;
        test_context("seed", seed);
        draw_table(seed, &cairn_space_euclidean, dim, 0);
        CHECK_EQ(run(&mds, &cfg, dim, 1000), CAIRN_OK);
        CHECK(cairn_mds_get_stress(&mds) < 1e-4f); /* cost is quadratic in the error: flat below the root of epsilon */
        CHECK(!(cairn_mds_get_progress(&mds) < 1));
    }
}

TEST(test_mds_should_fit_spheres_when_distances_are_angles_or_chords)
{
    for (uint32_t variant = 0; variant < 4u; ++variant) {
        cairn_space_t space;
        cairn_mds_cfg_t cfg = make_cfg();
        cairn_mds_t mds;
        size_t dim = 3u + variant / 2u;
        cairn_status made = variant % 2u != 0 ? cairn_space_sphere_chord(&space, 3) : cairn_space_sphere(&space, 3);
        test_context("variant", variant);
        CHECK_EQ(made, CAIRN_OK);
        draw_table(20u + variant, &space, dim, 0);
        cfg.space = &space;
        cfg.sweeps_max = 1000;
        CHECK_EQ(run(&mds, &cfg, dim, 1000), CAIRN_OK);
        CHECK(cairn_mds_get_stress(&mds) < 1e-3f);
        for (size_t i = 0; i < N; ++i) {
            CHECK_NEAR(cairn_sqrt(cairn_dot(place + i * dim, place + i * dim, dim)), 3, 1e-5);
        }
    }
}

TEST(test_fault_1_mds_should_return_the_stress_of_its_places_when_starts_compete)
{
    static const cairn_loss_t *const losses[] = {&cairn_loss_squared, &cairn_loss_absolute,
                                                 &cairn_loss_squared_distances, &cairn_loss_huber};
    for (uint32_t run_number = 0; run_number < 8u; ++run_number) {
        cairn_mds_cfg_t cfg = make_cfg();
        cairn_mds_t mds;
        cfg.starts_max = 4;
        cfg.sweeps_max = 30;
        cfg.loss = losses[run_number % 4u];
        cfg.seed = run_number;
        test_context("run", run_number);
        draw_table(40u + run_number, &cairn_space_euclidean, 3, (cairn_real)0.4);
        CHECK(run(&mds, &cfg, 2, 50) >= 0);
        double stress = stress_of(&cairn_space_euclidean, 2);
        /* f is known to 3 roundings, residuals are not below a tenth of the distances here */
        CHECK_NEAR(cairn_mds_get_stress(&mds), stress, 30 * (double)CAIRN_REAL_EPSILON * stress);
    }
}

TEST(test_fault_2_mds_should_never_raise_the_cost_when_it_sweeps_more)
{
    static cairn_loss_t power;
    static const cairn_loss_t *const losses[] = {&cairn_loss_squared, &cairn_loss_absolute,
                                                 &cairn_loss_squared_distances, &cairn_loss_redescend, &power};
    CHECK_EQ(cairn_loss_power(&power, (cairn_real)1.5), CAIRN_OK);
    for (uint32_t kind = 0; kind < 10u; ++kind) {
        cairn_real last = CAIRN_REAL_MAX;
        cairn_rng_t rng;
        cairn_rng_init(&rng, kind, 9);
        draw_table(60u + kind, &cairn_space_euclidean, 3, (cairn_real)0.4);
        for (size_t i = 0; i < N * N && kind > 4u; ++i) {
            table.weight[i] = table.weight[i % N * N + i / N] = (cairn_real)(cairn_rng_next(&rng) % 4u);
        }
        for (uint16_t sweeps = 1; sweeps < 12u; ++sweeps) {
            cairn_mds_cfg_t cfg = make_cfg();
            cairn_mds_t mds;
            cfg.loss = losses[kind % 5u];
            cfg.weighted = true;
            cfg.smooth_sweeps = 0;
            cfg.sweeps_max = sweeps;
            cfg.tolerance = 0;
            CHECK(run(&mds, &cfg, 2, 1000) >= 0);
            CHECK(cairn_mds_get_cost(&mds) <= last * (1 + 8 * CAIRN_REAL_EPSILON));
            last = cairn_mds_get_cost(&mds);
        }
    }
}

TEST(test_fault_2_mds_should_stop_equally_when_distances_are_scaled)
{
    for (uint32_t seed = 0; seed < 4u; ++seed) {
        uint32_t n_sweeps = 0;
        for (int scale = 0; scale < 3; ++scale) {
            static const cairn_real factors[] = {1, 1024, 0.0009765625f};
            cairn_mds_cfg_t cfg = make_cfg();
            cairn_mds_t mds;
            draw_table(70u + seed, &cairn_space_euclidean, 3, (cairn_real)0.3);
            for (size_t i = 0; i < N * N; ++i) {
                table.distance[i] *= factors[scale];
            }
            CHECK_EQ(run(&mds, &cfg, 2, 1000), CAIRN_OK);
            CHECK(scale == 0 || cairn_mds_get_sweeps(&mds) == n_sweeps);
            n_sweeps = cairn_mds_get_sweeps(&mds);
        }
    }
}

/* One sweep from the classical start of an exact table leaves next to nothing; from a random one it leaves much. */
TEST(test_fault_22_mds_should_start_as_well_when_weights_and_distances_are_far_from_1)
{
    static const cairn_real weights[] = {1, (cairn_real)1e-6, (cairn_real)1e-3, (cairn_real)1e3, CAIRN_MDS_WEIGHT_MAX};
    static const cairn_real scales[] = {1, (cairn_real)1e-12, (cairn_real)1e-9, (cairn_real)1e4, (cairn_real)5e9};
    for (uint32_t variant = 0; variant < 25u; ++variant) {
        cairn_mds_cfg_t cfg = make_cfg();
        cairn_mds_t mds;
        test_context("variant", variant);
        draw_table(60u + variant, &cairn_space_euclidean, 2, 0);
        for (size_t i = 0; i < N * N; ++i) {
            table.distance[i] *= scales[variant / 5u];
            table.weight[i] = weights[variant % 5u];
        }
        cfg.weighted = true;
        cfg.sweeps_max = 1;
        CHECK(run(&mds, &cfg, 2, 1000) >= 0);
        CHECK(cairn_mds_get_stress(&mds) < 1e-3f && cairn_mds_get_stress(&mds) > 0);
    }
}

TEST(test_fault_3_mds_should_leave_local_minima_when_starts_compete)
{
    const int n_seeds = (int)TEST_SEEDS(20u);
    int n_good[2] = {0, 0};
    for (uint32_t seed = 1; seed <= (uint32_t)n_seeds; ++seed) {
        for (int several = 0; several < 2; ++several) {
            cairn_mds_cfg_t cfg = make_cfg();
            cairn_mds_t mds;
            cfg.start = CAIRN_MDS_RANDOM;
            cfg.starts_max = several != 0 ? 20 : 1;
            cfg.seed = seed;
            draw_table(200u + seed, &cairn_space_euclidean, 2, 0);
            CHECK(run(&mds, &cfg, 2, 1000) >= 0);
            n_good[several] += cairn_mds_get_stress(&mds) < 1e-3f ? 1 : 0;
        }
    }
    test_context("good", (uint32_t)n_good[0]);
    CHECK(n_good[0] < n_seeds || n_seeds < 20); /* one start is trapped now and then */
    CHECK_EQ(n_good[1], n_seeds);
}

TEST(test_fault_4_mds_should_share_a_place_when_objects_are_identical)
{
    cairn_mds_cfg_t cfg = make_cfg();
    cairn_mds_t mds;
    draw_table(80, &cairn_space_euclidean, 2, 0);
    memset(table.distance, 0, sizeof table.distance);
    CHECK(run(&mds, &cfg, 2, 1000) >= 0); /* all of them */
    CHECK(cairn_all_finite(place, N * 2));
    CHECK_NEAR(cairn_mds_get_cost(&mds), 0, 1e-6);
    draw_table(81, &cairn_space_euclidean, 2, 0);
    for (size_t j = 0; j < N; ++j) { /* the first two */
        table.distance[j] = j == 1 ? 0 : table.distance[N + j];
        table.distance[j * N] = table.distance[j];
    }
    table.distance[0] = 0;
    CHECK_EQ(run(&mds, &cfg, 2, 1000), CAIRN_OK);
    CHECK_NEAR(cairn_distance(place, place + 2, 2), 0, 2e-3);
    for (size_t i = 0; i < N * N; ++i) { /* all equally far: no such points in the plane */
        table.distance[i] = i % (N + 1) == 0 ? 0 : 1;
    }
    CHECK(run(&mds, &cfg, 2, 1000) >= 0);
    CHECK(cairn_all_finite(place, N * 2));
    CHECK(cairn_mds_get_stress(&mds) < 0.5f);
}

TEST(test_fault_5_mds_should_refuse_and_stay_when_a_distance_is_bad)
{
    static const cairn_real bad[] = {(cairn_real)NAN,       (cairn_real)INFINITY, -1,
                                     -(cairn_real)INFINITY, (cairn_real)1.001e11, (cairn_real)3e38};
    for (size_t at = 1; at < N; ++at) {
        for (size_t b = 0; b < 6u; ++b) {
            cairn_mds_cfg_t cfg = make_cfg();
            cairn_mds_t mds, before;
            cairn_real good;
            cfg.weighted = b % 2u == 0;
            draw_table(90, &cairn_space_euclidean, 2, 0);
            CHECK_EQ(begin(&mds, &cfg, 2), CAIRN_OK);
            before = mds;
            cairn_real *entry = (cfg.weighted && at % 2u == 0 ? table.weight : table.distance) + at;
            good = *entry;
            *entry = bad[b];
            cairn_status expected = b == 2u || b > 3u ? CAIRN_ERR_RANGE : CAIRN_ERR_NONFINITE;
            CHECK_EQ(cairn_mds_step(&mds, 100000), expected);
            CHECK_MEM(&mds, &before, sizeof mds);
            *entry = good;
            CHECK(cairn_mds_step(&mds, 100000) >= 0); /* and goes on when the entry is put right */
        }
    }
}

TEST(test_mds_should_stay_finite_when_distances_and_weights_are_as_large_as_is_allowed)
{
    static const cairn_loss_t *const losses[] = {&cairn_loss_squared, &cairn_loss_absolute,
                                                 &cairn_loss_squared_distances, &cairn_loss_huber,
                                                 &cairn_loss_redescend};
    for (uint32_t l = 0; l < 5u; ++l) {
        cairn_mds_cfg_t cfg = make_cfg();
        cairn_mds_t mds;
        test_context("loss", l);
        cfg.loss = losses[l];
        cfg.weighted = true;
        for (size_t i = 0; i < N * N; ++i) { /* all far, two of them near each other */
            table.distance[i] = i % (N + 1) == 0 ? 0 : i % N + i / N == 1 ? 1 : CAIRN_MDS_DISTANCE_MAX;
            table.weight[i] = CAIRN_MDS_WEIGHT_MAX;
        }
        CHECK(run(&mds, &cfg, 2, 1000) >= 0);
        CHECK(cairn_all_finite(place, N * 2) && cairn_isfinite(cairn_mds_get_stress(&mds)));
        CHECK(cairn_isfinite(cairn_mds_get_cost(&mds)));
    }
}

TEST(test_fault_6_mds_should_stay_finite_when_eigenvalues_vanish_or_are_negative)
{
    cairn_mds_cfg_t cfg = make_cfg();
    cairn_mds_t mds;
    draw_table(95, &cairn_space_euclidean, 1, 0); /* a line, wanted in 4 dimensions */
    CHECK(run(&mds, &cfg, 4, 1000) >= 0);
    CHECK(cairn_mds_get_stress(&mds) < 2e-3f);
    for (size_t i = 0; i < N; ++i) { /* two far groups whose members are farther from each other than from the others */
        for (size_t j = 0; j < N; ++j) {
            table.distance[i * N + j] = i == j ? 0 : (i + j) % 2u == 0 ? 10 : 1;
        }
    }
    CHECK(run(&mds, &cfg, 3, 1000) >= 0);
    CHECK(cairn_all_finite(place, N * 3));
    CHECK_NEAR(cairn_mds_get_stress(&mds), stress_of(&cairn_space_euclidean, 3), 1e-5);
    CHECK(cairn_mds_get_stress(&mds) < 1);
}

TEST(test_mds_should_do_without_missing_entries_when_weights_are_zero)
{
    cairn_mds_cfg_t cfg = make_cfg();
    cairn_mds_t mds;
    cfg.weighted = true;
    cfg.sweeps_max = 1000;
    draw_table(98, &cairn_space_euclidean, 2, 0);
    for (size_t i = 0; i < N; ++i) { /* a fifth is missing, and what stands there is nonsense */
        for (size_t j = 0; j < N; ++j) {
            if ((i + j) % 5u == 0 && i != j) {
                table.weight[i * N + j] = 0;
                table.distance[i * N + j] = 1000;
            }
        }
    }
    CHECK_EQ(run(&mds, &cfg, 2, 1000), CAIRN_OK);
    CHECK(stress_of(&cairn_space_euclidean, 2) < 2e-3);
}

TEST(test_fault_16_mds_should_give_the_same_bits_when_sliced_or_copied)
{
    static cairn_real expected[N * 2];
    cairn_mds_cfg_t cfg = make_cfg();
    cairn_mds_t mds, copy;
    cfg.starts_max = 2;
    cfg.loss = &cairn_loss_absolute;
    draw_table(99, &cairn_space_euclidean, 3, (cairn_real)0.3);
    CHECK(run(&mds, &cfg, 2, UINT32_MAX) >= 0);
    memcpy(expected, place, sizeof expected);
    CHECK_EQ(begin(&mds, &cfg, 2), CAIRN_OK);
    cairn_status status;
    do { /* one row at a time, from a copy of state and arrays that were elsewhere in between */
        static cairn_real saved_place[N * DIM_MAX], saved_work[N_WORK + 2];
        copy = mds;
        memcpy(saved_place, place, sizeof place);
        memcpy(saved_work, work, sizeof work);
        memset(&mds, 0xA5, sizeof mds);
        memset(place, 0xA5, sizeof place);
        memset(work, 0xA5, sizeof work);
        mds = copy;
        memcpy(place, saved_place, sizeof place);
        memcpy(work, saved_work, sizeof work);
        status = cairn_mds_step(&mds, 1);
    } while (status == CAIRN_MORE);
    CHECK_MEM(place, expected, sizeof expected);
}

TEST(test_fault_17_mds_should_refuse_sizes_when_they_overflow_or_fall_short)
{
    cairn_mds_cfg_t cfg = make_cfg();
    cairn_mds_t mds;
    size_t n_work = CAIRN_MDS_REALS(N, 2);
    CHECK_EQ(cairn_mds_init(&mds, &cfg, N, 2, place, N * 2 - 1, work, n_work), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_mds_init(&mds, &cfg, N, 2, place, N * 2, work, n_work - 1), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_mds_init(&mds, &cfg, UINT32_MAX - 1u, 65535, place, N * 2, work, n_work), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_mds_init(&mds, &cfg, 0, 2, place, N * 2, work, n_work), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_mds_init(&mds, &cfg, N, 0, place, N * 2, work, n_work), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_mds_init(&mds, &cfg, N, 65536, place, N * 2, work, n_work), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_mds_init(&mds, &cfg, N, 2, (cairn_real *)(void *)((char *)place + 1), N * 2, work, n_work),
             CAIRN_ERR_ALIGN);
    CHECK_EQ(cairn_mds_step(NULL, 1), CAIRN_ERR_ARG);
}

TEST(test_fault_24_mds_should_refuse_settings_when_they_are_beyond_their_limits)
{
    cairn_mds_t mds;
    draw_table(1, &cairn_space_euclidean, 2, 0);
    for (int i = 0; i < 9; ++i) {
        cairn_mds_cfg_t cfg = make_cfg();
        cfg.row = i == 0 ? NULL : cfg.row;
        cfg.starts_max = i == 1 ? 0 : 1;
        cfg.sweeps_max = i == 2 ? 0 : 1;
        cfg.power_rounds = i == 3 ? 0 : 1;
        cfg.place_rounds = i == 4 ? 0 : 1;
        cfg.tolerance = i == 5 ? -1 : 0;
        cfg.relaxation = i == 6 ? 2 : i == 7 ? 0 : i == 8 ? (cairn_real)NAN : 1;
        CHECK_EQ(begin(&mds, &cfg, 2), i == 8 ? CAIRN_ERR_NONFINITE : CAIRN_ERR_ARG);
    }
    cairn_mds_cfg_t cfg = make_cfg();
    cfg.start = CAIRN_MDS_GIVEN;
    memset(place, 0, sizeof place);
    place[3] = (cairn_real)NAN;
    CHECK_EQ(begin(&mds, &cfg, 2), CAIRN_ERR_NONFINITE);
    place[3] = -CAIRN_MDS_DISTANCE_MAX;
    CHECK_EQ(begin(&mds, &cfg, 2), CAIRN_OK);
    place[3] *= (cairn_real)1.001;
    CHECK_EQ(begin(&mds, &cfg, 2), CAIRN_ERR_RANGE);
}

TEST(test_fault_15_mds_should_place_one_or_two_objects_when_there_are_no_more)
{
    for (size_t n = 1; n < 3; ++n) {
        cairn_mds_cfg_t cfg = make_cfg();
        cairn_mds_t mds;
        table.n = n;
        table.distance[0] = 0, table.distance[1] = 4, table.distance[2] = 4, table.distance[3] = 0;
        CHECK(run(&mds, &cfg, 2, 7) >= 0);
        CHECK(cairn_all_finite(place, n * 2));
        if (n == 2) {
            CHECK_NEAR(cairn_distance(place, place + 2, 2), 4, 1e-4);
        }
    }
}

TEST_MAIN(TEST_CASE(test_mds_should_fit_exactly_when_distances_are_those_of_points),
          TEST_CASE(test_mds_should_fit_spheres_when_distances_are_angles_or_chords),
          TEST_CASE(test_fault_1_mds_should_return_the_stress_of_its_places_when_starts_compete),
          TEST_CASE(test_fault_2_mds_should_never_raise_the_cost_when_it_sweeps_more),
          TEST_CASE(test_fault_2_mds_should_stop_equally_when_distances_are_scaled),
          TEST_CASE(test_fault_22_mds_should_start_as_well_when_weights_and_distances_are_far_from_1),
          TEST_CASE(test_fault_3_mds_should_leave_local_minima_when_starts_compete),
          TEST_CASE(test_fault_4_mds_should_share_a_place_when_objects_are_identical),
          TEST_CASE(test_fault_5_mds_should_refuse_and_stay_when_a_distance_is_bad),
          TEST_CASE(test_mds_should_stay_finite_when_distances_and_weights_are_as_large_as_is_allowed),
          TEST_CASE(test_fault_6_mds_should_stay_finite_when_eigenvalues_vanish_or_are_negative),
          TEST_CASE(test_mds_should_do_without_missing_entries_when_weights_are_zero),
          TEST_CASE(test_fault_16_mds_should_give_the_same_bits_when_sliced_or_copied),
          TEST_CASE(test_fault_17_mds_should_refuse_sizes_when_they_overflow_or_fall_short),
          TEST_CASE(test_fault_24_mds_should_refuse_settings_when_they_are_beyond_their_limits),
          TEST_CASE(test_fault_15_mds_should_place_one_or_two_objects_when_there_are_no_more))
