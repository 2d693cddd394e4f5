/* SPDX-License-Identifier: MIT
 * Tests of walks between features: the same values as walks between all rows, in double, for all three similarities.
 * needs ram: 32768 */
#include "cairn/dual.h"
#include "cairn/pic.h"
#include "cairn/rng.h"
#include "cairn/spread.h"
#include "support/test.h"

#include <string.h>

enum { ROWS = 24, FEATURES = 6, STEPS = 7 };

/* Relative: a rounding for each row that a weight sums up and for each multiply-add of each step. */
#define TOLERANCE ((ROWS + STEPS * (FEATURES + 2)) / 16777216.0)

static cairn_real row[ROWS][FEATURES];
static cairn_real work[CAIRN_DUAL_REALS(FEATURES)];
static cairn_real weight[CAIRN_DUAL_WEIGHTS(FEATURES)];
static cairn_dual_cfg_t cfg;
static cairn_dual_t dual;
static cairn_dual_walk_t features;
static cairn_walk_t walk;
static double matrix[ROWS][ROWS];
static double degree[ROWS];

CAIRN_PIC_DEFINE(pic, FEATURES, 2, 3);
CAIRN_SPREAD_DEFINE(spread, FEATURES, 1, 0);

static double root(double x)
{
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 60; ++i) {
        r = 0.5 * (r + x / r);
    }
    return r;
}

/* Two groups of rows: the first half of the features, the second half, and a little of all. */
static void draw_rows(void)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 5, 1);
    for (uint32_t i = 0; i < ROWS; ++i) {
        for (uint32_t j = 0; j < FEATURES; ++j) {
            const bool strong = (i % 2 == 0) == (j < FEATURES / 2);
            const bool none = !strong && cairn_rng_below(&rng, 2) == 0;
            row[i][j] = none ? 0 : (strong ? 2 : 0.3f) * (0.2f + cairn_rng_uniform(&rng));
        }
    }
}

/* The matrix of all rows, diagonal kept, in double. */
static void form_matrix(cairn_factor_kind kind)
{
    double column[FEATURES] = {0};
    for (uint32_t i = 0; i < ROWS; ++i) {
        for (uint32_t j = 0; j < FEATURES; ++j) {
            column[j] += (double)row[i][j];
        }
    }
    for (uint32_t i = 0; i < ROWS; ++i) {
        degree[i] = 0;
        for (uint32_t h = 0; h < ROWS; ++h) {
            double sum = 0;
            double one = 0;
            double two = 0;
            for (uint32_t j = 0; j < FEATURES; ++j) {
                const double product = (double)row[i][j] * (double)row[h][j];
                sum += kind == CAIRN_FACTOR_BIPARTITE ? product / column[j] : product;
                one += (double)row[i][j] * (double)row[i][j];
                two += (double)row[h][j] * (double)row[h][j];
            }
            matrix[i][h] = kind == CAIRN_FACTOR_COSINE ? sum / root(one * two) : sum;
            degree[i] += matrix[i][h];
        }
    }
}

static void begin(cairn_factor_kind kind)
{
    memset(&cfg, 0, sizeof cfg);
    cfg.kind = kind;
    cfg.n_features = FEATURES;
    CHECK_EQ(cairn_dual_init(&dual, &cfg, work, CAIRN_DUAL_REALS(FEATURES)), CAIRN_OK);
}

/* All rows, twice where the sums have to be known first. */
static void stream(cairn_factor_kind kind)
{
    begin(kind);
    for (int pass = 0; pass < (kind == CAIRN_FACTOR_BIPARTITE ? 1 : 2); ++pass) {
        CHECK_EQ(pass == 0 ? CAIRN_OK : cairn_dual_fix(&dual), CAIRN_OK);
        for (uint32_t i = 0; i < ROWS; ++i) {
            CHECK_EQ(cairn_dual_add(&dual, row[i]), CAIRN_OK);
        }
    }
    CHECK_EQ(cairn_dual_walk(&dual, &features, weight, CAIRN_DUAL_WEIGHTS(FEATURES), &walk), CAIRN_OK);
}

/* Mean over the features of a row of something each feature has. */
static double mean_over(uint32_t i, const double *x)
{
    uint32_t nodes[FEATURES];
    cairn_real weights[FEATURES];
    size_t n = 0;
    double sum = 0;
    double total = 0;
    CHECK_EQ(cairn_dual_links(&dual, row[i], nodes, weights, &n), CAIRN_OK);
    for (size_t e = 0; e < n; ++e) {
        sum += (double)weights[e] * x[nodes[e]];
        total += (double)weights[e];
    }
    return sum / total;
}

/* W^t v between rows: the start seen from the features, t - 1 steps there, then the mean over a row's features. */
TEST(test_dual_should_walk_as_all_rows_do_when_they_have_streamed_by)
{
    draw_rows();
    for (int kind = 0; kind <= CAIRN_FACTOR_BIPARTITE; ++kind) {
        cairn_real x[FEATURES] = {0};
        cairn_real mass[FEATURES] = {0};
        cairn_real ones[FEATURES];
        double v[ROWS];
        double place[FEATURES];
        test_context("kind", (uint32_t)kind);
        stream((cairn_factor_kind)kind);
        form_matrix((cairn_factor_kind)kind);
        for (uint32_t i = 0; i < ROWS; ++i) {
            uint32_t nodes[FEATURES];
            cairn_real weights[FEATURES];
            size_t n = 0;
            double total = 0;
            v[i] = (double)((i * 37u) % 11u) - 3;
            CHECK_EQ(cairn_dual_links(&dual, row[i], nodes, weights, &n), CAIRN_OK);
            for (size_t e = 0; e < n; ++e) {
                total += (double)weights[e];
            }
            for (size_t e = 0; e < n; ++e) { /* a feature's value is the mean over its rows, by their degree */
                const double share = (double)weights[e] / total * (kind == CAIRN_FACTOR_BIPARTITE ? total : degree[i]);
                x[nodes[e]] += (cairn_real)(share * v[i]);
                mass[nodes[e]] += (cairn_real)share;
            }
        }
        for (uint32_t j = 0; j < FEATURES; ++j) {
            x[j] /= mass[j];
            ones[j] = 1;
        }
        for (int t = 0; t < STEPS; ++t) {
            double next[ROWS];
            for (uint32_t i = 0; i < ROWS; ++i) {
                next[i] = 0;
                for (uint32_t h = 0; h < ROWS; ++h) {
                    next[i] += matrix[i][h] * v[h] / degree[i];
                }
            }
            memcpy(v, next, sizeof v);
            if (t > 0) {
                cairn_real y[FEATURES] = {0};
                cairn_real d[FEATURES] = {0};
                walk.multiply(&walk, 0, walk.n_parts, 1, x, y);
                walk.multiply(&walk, 0, walk.n_parts, 1, ones, d);
                for (uint32_t j = 0; j < FEATURES; ++j) {
                    x[j] = y[j] / d[j];
                }
            }
            for (uint32_t j = 0; j < FEATURES; ++j) {
                place[j] = (double)x[j];
            }
            for (uint32_t i = 0; i < ROWS; ++i) {
                CHECK_NEAR(mean_over(i, place), v[i], 7 * TOLERANCE); /* values begin at -3 to 7 */
            }
        }
    }
}

TEST(test_dual_should_group_rows_when_their_features_are_clustered)
{
    draw_rows();
    for (int kind = 0; kind <= CAIRN_FACTOR_BIPARTITE; ++kind) {
        cairn_pic_cfg_t pic_cfg = cairn_pic_cfg_default;
        uint8_t first = 0;
        test_context("kind", (uint32_t)kind);
        stream((cairn_factor_kind)kind);
        pic_cfg.n_vectors = 3;
        CHECK_EQ(cairn_pic_init(&pic, &pic_cfg, &pic_memory, FEATURES), CAIRN_OK);
        CHECK_EQ(cairn_pic_begin(&pic, &walk), CAIRN_OK);
        CHECK_EQ(cairn_pic_step(&pic, UINT32_MAX), CAIRN_OK);
        for (uint32_t i = 0; i < ROWS; ++i) {
            uint32_t nodes[FEATURES];
            cairn_real weights[FEATURES];
            size_t n = 0;
            uint8_t label = 9;
            CHECK_EQ(cairn_dual_links(&dual, row[i], nodes, weights, &n), CAIRN_OK);
            CHECK_EQ(cairn_pic_extend(&pic, nodes, weights, n, &label, NULL), CAIRN_OK);
            first = i == 0 ? label : first;
            CHECK_EQ(label, i % 2 == 0 ? first : 1 - first);
        }
    }
}

/* MultiRankWalk from one seed row: (1 - alpha) P v + alpha r between rows, in double, beside the walk between features. */
TEST(test_dual_should_spread_as_all_rows_do_when_a_row_is_a_seed)
{
    cairn_spread_cfg_t spread_cfg = cairn_spread_cfg_default;
    uint8_t seed[FEATURES];
    cairn_real share[FEATURES];
    uint32_t nodes[FEATURES];
    cairn_real weights[FEATURES];
    double v[ROWS] = {0};
    double score[FEATURES];
    size_t n = 0;
    draw_rows();
    stream(CAIRN_FACTOR_BIPARTITE);
    form_matrix(CAIRN_FACTOR_BIPARTITE);
    spread_cfg.n_classes = 1;
    spread_cfg.alpha = 0.25f;
    spread_cfg.tolerance = 1e-7f;
    CHECK_EQ(cairn_dual_links(&dual, row[3], nodes, weights, &n), CAIRN_OK);
    memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
    for (size_t e = 0; e < n; ++e) {
        seed[nodes[e]] = 0;
        share[nodes[e]] = weights[e];
    }
    CHECK_EQ(cairn_spread_init(&spread, &spread_cfg, &spread_memory, FEATURES), CAIRN_OK);
    CHECK_EQ(cairn_spread_begin(&spread, &walk, seed, share, false), CAIRN_OK);
    CHECK_EQ(cairn_spread_step(&spread, UINT32_MAX), CAIRN_OK);
    for (int round = 0; round < 200; ++round) {
        double next[ROWS];
        for (uint32_t i = 0; i < ROWS; ++i) {
            next[i] = i == 3 ? 0.25 : 0;
            for (uint32_t h = 0; h < ROWS; ++h) {
                next[i] += 0.75 * matrix[i][h] * v[h] / degree[h];
            }
        }
        memcpy(v, next, sizeof v);
    }
    for (uint32_t j = 0; j < FEATURES; ++j) {
        double d = 0;
        for (uint32_t i = 0; i < ROWS; ++i) {
            d += (double)row[i][j];
        }
        score[j] = (double)cairn_spread_get_score(&spread, j, 0) / d;
    }
    for (uint32_t i = 0; i < ROWS; ++i) { /* v = (1 - alpha) F C^-1 z, and alpha more at the seed */
        CHECK_NEAR(0.75 * mean_over(i, score) * degree[i] + (i == 3 ? 0.25 : 0), v[i], TOLERANCE * v[i]);
    }
}

TEST(test_dual_should_forget_when_rows_have_a_half_life)
{
    cairn_real one[FEATURES] = {1, 1, 0, 0, 0, 0};
    cairn_real two[FEATURES] = {0, 0, 0, 0, 1, 1};
    begin(CAIRN_FACTOR_BIPARTITE);
    cfg.half_life = 20;
    for (int i = 0; i < 1000; ++i) {
        CHECK_EQ(cairn_dual_add(&dual, one), CAIRN_OK);
    }
    for (int i = 0; i < 20; ++i) {
        CHECK_EQ(cairn_dual_add(&dual, two), CAIRN_OK);
    }
    CHECK_EQ(cairn_dual_walk(&dual, &features, weight, CAIRN_DUAL_WEIGHTS(FEATURES), &walk), CAIRN_OK);
    CHECK_NEAR(weight[1] / weight[CAIRN_DUAL_WEIGHTS(FEATURES) - 2], 1, 2e-5); /* half old, half new */
}

TEST(test_dual_should_refuse_and_keep_every_byte_when_a_row_is_bad)
{
    static const float bad[] = {-1, -1e-30f};
    cairn_real before[CAIRN_DUAL_REALS(FEATURES)];
    cairn_real test[FEATURES] = {1, 2, 0, 0, 0, 1};
    draw_rows();
    stream(CAIRN_FACTOR_COSINE);
    memcpy(before, work, sizeof work);
    for (size_t b = 0; b < 2; ++b) {
        test[2] = (cairn_real)bad[b];
        CHECK_EQ(cairn_dual_add(&dual, test), CAIRN_ERR_RANGE);
    }
    test[2] = CAIRN_REAL_MAX * 10;
    CHECK_EQ(cairn_dual_add(&dual, test), CAIRN_ERR_NONFINITE);
    test[2] = test[2] - test[2];
    CHECK_EQ(cairn_dual_add(&dual, test), CAIRN_ERR_NONFINITE);
    CHECK_MEM(work, before, sizeof work);
    CHECK_EQ(dual.n_refused, 4);
    memset(test, 0, sizeof test);
    CHECK_EQ(cairn_dual_add(&dual, test), CAIRN_REJECTED);
    CHECK_EQ(cairn_dual_add(&dual, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_dual_init(&dual, &cfg, work, CAIRN_DUAL_REALS(FEATURES) - 1), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_dual_init(&dual, &cfg, (cairn_real *)(void *)((char *)work + 1), CAIRN_DUAL_REALS(FEATURES)),
             CAIRN_ERR_ALIGN);
    CHECK_EQ(cairn_dual_walk(&dual, &features, weight, CAIRN_DUAL_WEIGHTS(FEATURES) - 1, &walk), CAIRN_ERR_SIZE);
    cfg.n_features = 0;
    CHECK_EQ(cairn_dual_init(&dual, &cfg, work, CAIRN_DUAL_REALS(FEATURES)), CAIRN_ERR_ARG);
    begin(CAIRN_FACTOR_COSINE);
    CHECK_EQ(cairn_dual_fix(&dual), CAIRN_ERR_STATE);
    test[0] = CAIRN_REAL_MAX; /* lengths do not overflow */
    test[1] = CAIRN_REAL_MAX;
    CHECK_EQ(cairn_dual_add(&dual, test), CAIRN_OK);
    for (size_t e = 0; e < CAIRN_DUAL_REALS(FEATURES); ++e) {
        CHECK(cairn_isfinite(work[e]));
    }
}

TEST_MAIN(TEST_CASE(test_dual_should_walk_as_all_rows_do_when_they_have_streamed_by),
          TEST_CASE(test_dual_should_group_rows_when_their_features_are_clustered),
          TEST_CASE(test_dual_should_spread_as_all_rows_do_when_a_row_is_a_seed),
          TEST_CASE(test_dual_should_forget_when_rows_have_a_half_life),
          TEST_CASE(test_dual_should_refuse_and_keep_every_byte_when_a_row_is_bad))
