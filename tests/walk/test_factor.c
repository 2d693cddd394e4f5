/* SPDX-License-Identifier: MIT
 * Tests of walks on factors and of kernel features, against the matrix of all pairs in double. */
#include "cairn/factor.h"
#include "cairn/kernel.h"
#include "cairn/pic.h"
#include "cairn/rng.h"
#include "oracle/solve.h"
#include "support/test.h"

#include <string.h>

enum { ROWS = 18, FEATURES = 5, COLUMNS = 3, FREQUENCIES = 400, GRIDS = 1000 };

static cairn_real dense[ROWS * FEATURES];
static cairn_real value[ROWS * FEATURES];
static uint32_t start[ROWS + 1];
static uint16_t feature[ROWS * FEATURES];
static cairn_real scratch[CAIRN_FACTOR_REALS(ROWS, FEATURES, 4)];
static double matrix[ROWS * ROWS];
static cairn_factor_t factor;

/* Features of two points; no test needs both kinds, and a small board has room for one. */
static union {
    cairn_real wave[2][FREQUENCIES];
    uint16_t bin[2][GRIDS];
} features;

/* Two groups of rows that point different ways; a third of the values is 0. */
static void begin(cairn_factor_kind kind, bool sparse, bool keep_self)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 1, 2);
    uint32_t n = 0;
    for (uint32_t i = 0; i < ROWS; ++i) {
        start[i] = n;
        for (uint32_t j = 0; j < FEATURES; ++j) {
            bool strong = (i < ROWS / 2) == (j < 2);
            cairn_real x = cairn_rng_below(&rng, 3) == 0 ? 0 : (strong ? 2 : 0.2f) * (0.5f + cairn_rng_uniform(&rng));
            x = j == (i < ROWS / 2 ? 0u : 4u) ? 2 : x; /* no row is all 0 */
            dense[i * FEATURES + j] = x;
            if (x > 0) {
                value[n] = x;
                feature[n++] = (uint16_t)j;
            }
        }
    }
    start[ROWS] = n;
    factor.kind = kind;
    factor.n_rows = ROWS;
    factor.n_features = FEATURES;
    factor.value = sparse ? value : dense;
    factor.start = sparse ? start : NULL;
    factor.feature = sparse ? feature : NULL;
    factor.keep_self = keep_self;
}

static void form_matrix(void)
{
    double length[ROWS];
    double column[FEATURES];
    for (int j = 0; j < FEATURES; ++j) {
        column[j] = 0;
        for (int i = 0; i < ROWS; ++i) {
            column[j] += (double)dense[i * FEATURES + j];
        }
        column[j] = factor.kind == CAIRN_FACTOR_BIPARTITE ? column[j] : 1;
    }
    for (int i = 0; i < ROWS; ++i) {
        length[i] = 0;
        for (int j = 0; j < FEATURES; ++j) {
            length[i] += (double)dense[i * FEATURES + j] * (double)dense[i * FEATURES + j];
        }
        length[i] = factor.kind == CAIRN_FACTOR_COSINE ? oracle_sqrt(length[i]) : 1;
    }
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < ROWS; ++k) {
            double sum = 0;
            for (int j = 0; j < FEATURES; ++j) {
                sum += (double)dense[i * FEATURES + j] * (double)dense[k * FEATURES + j] / column[j];
            }
            matrix[i * ROWS + k] = i == k && !factor.keep_self ? 0 : sum / length[i] / length[k];
        }
    }
}

TEST(test_factor_products_should_agree_with_the_matrix_when_formed)
{
    for (int form = 0; form < 12; ++form) {
        static cairn_real x[ROWS * COLUMNS];
        static cairn_real y[ROWS * COLUMNS];
        cairn_factor_walk_t state;
        cairn_walk_t walk;
        cairn_rng_t rng;
        test_context("form", (uint32_t)form);
        begin((cairn_factor_kind)(form / 4), form % 2 != 0, form / 2 % 2 != 0);
        form_matrix();
        REQUIRE(cairn_factor_walk(&state, &factor, scratch, CAIRN_FACTOR_REALS(ROWS, FEATURES, 4), 4, &walk) ==
                CAIRN_OK);
        cairn_rng_init(&rng, 3, 4);
        for (size_t i = 0; i < ROWS * COLUMNS; ++i) {
            x[i] = cairn_rng_uniform(&rng) - 0.5f;
            y[i] = 0;
        }
        for (uint32_t part = 0; part < walk.n_parts; ++part) { /* in pieces */
            walk.multiply(&walk, part, part + 1, COLUMNS, x, y);
        }
        for (int i = 0; i < ROWS; ++i) {
            for (int c = 0; c < COLUMNS; ++c) {
                double sum = 0;
                for (int k = 0; k < ROWS; ++k) {
                    sum += matrix[i * ROWS + k] * (double)x[k * COLUMNS + c];
                }
                /* 18 x 5 products of at most 9: 2 units in the last place of a hundred */
                CHECK_NEAR(y[i * COLUMNS + c], sum, 3e-5);
            }
        }
    }
}

TEST(test_pic_should_find_groups_of_vectors_when_it_walks_on_factors)
{
    CAIRN_PIC_DEFINE(pic, ROWS, 2, 4);
    for (int form = 0; form < 12; ++form) {
        cairn_factor_walk_t state;
        cairn_walk_t walk;
        cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
        test_context("form", (uint32_t)form);
        begin((cairn_factor_kind)(form / 4), form % 2 != 0, form / 2 % 2 != 0);
        REQUIRE(cairn_factor_walk(&state, &factor, scratch, CAIRN_FACTOR_REALS(ROWS, FEATURES, 4), 4, &walk) ==
                CAIRN_OK);
        REQUIRE(cairn_pic_init(&pic, &cfg, &pic_memory, ROWS) == CAIRN_OK);
        REQUIRE(cairn_pic_begin(&pic, &walk) == CAIRN_OK);
        while (cairn_pic_step(&pic, 40) == CAIRN_MORE) {
        }
        for (uint32_t i = 0; i < ROWS; ++i) {
            CHECK_EQ(cairn_pic_get_label(&pic, i), i < ROWS / 2 ? 0 : 1);
        }
    }
}

TEST(test_factor_walk_should_refuse_when_data_are_bad)
{
    cairn_factor_walk_t state;
    cairn_walk_t walk;
    size_t n = CAIRN_FACTOR_REALS(ROWS, FEATURES, 4);
    begin(CAIRN_FACTOR_BIPARTITE, false, true);
    CHECK_EQ(cairn_factor_walk(NULL, &factor, scratch, n, 4, &walk), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_factor_walk(&state, &factor, scratch, n - 1, 4, &walk), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_factor_walk(&state, &factor, scratch, n, 9, &walk), CAIRN_ERR_ARG);
    dense[7] = -1;
    CHECK_EQ(cairn_factor_walk(&state, &factor, scratch, n, 4, &walk), CAIRN_ERR_ARG);
    dense[7] = CAIRN_REAL_MAX * 10;
    CHECK_EQ(cairn_factor_walk(&state, &factor, scratch, n, 4, &walk), CAIRN_ERR_NONFINITE);
    begin(CAIRN_FACTOR_COSINE, true, true);
    feature[3] = FEATURES;
    CHECK_EQ(cairn_factor_walk(&state, &factor, scratch, n, 4, &walk), CAIRN_ERR_ARG);
}

TEST(test_taylor_should_equal_the_cut_series_when_multiplied)
{
    static const double exp_table[] = {0.36787944117144233, 0.60653065971263342}; /* e^-1, e^-1/2 */
    cairn_real x[2] = {1, 1};
    cairn_real y[2] = {0, 1};
    cairn_real f[CAIRN_KERNEL_DEGREE_MAX * 8];
    cairn_real g[CAIRN_KERNEL_DEGREE_MAX * 8];
    CHECK_EQ(cairn_kernel_taylor_count(2, 4), 15);
    CHECK_EQ(cairn_kernel_taylor_count(3, 4), 35);
    CHECK_EQ(cairn_kernel_taylor_count(3, 2), 10);
    CHECK_EQ(cairn_kernel_taylor_count(9, 2), 0);
    for (uint32_t degree = 0; degree <= 8; degree += 2) {
        double sum = 0;
        double series = 0;
        double term = 1;
        uint32_t n = cairn_kernel_taylor_count(2, degree);
        CHECK_EQ(cairn_kernel_taylor(x, 2, degree, 1, f), CAIRN_OK);
        CHECK_EQ(cairn_kernel_taylor(y, 2, degree, 1, g), CAIRN_OK);
        for (uint32_t j = 0; j < n; ++j) {
            sum += (double)f[j] * (double)g[j];
        }
        for (uint32_t k = 0; k <= degree; ++k) { /* x.y = 1: sum of 1 / k! */
            series += term;
            term /= (double)(k + 1u);
        }
        CHECK_NEAR(sum, series * exp_table[0] * exp_table[1], 1e-6);
    }
    CHECK_EQ(cairn_kernel_taylor(x, 2, 4, 0, f), CAIRN_ERR_ARG);
    x[0] = CAIRN_REAL_MAX;
    CHECK_EQ(cairn_kernel_taylor(x, 2, 4, 1, f), CAIRN_OK); /* a far outlier: similar to nothing */
    CHECK(f[0] == 0 && f[14] == 0);
    x[0] *= 10;
    CHECK_EQ(cairn_kernel_taylor(x, 2, 4, 1, f), CAIRN_ERR_NONFINITE);
}

TEST(test_fourier_should_approach_the_kernel_when_there_are_many)
{
    cairn_real *f = features.wave[0];
    cairn_real *g = features.wave[1];
    cairn_real x[2] = {0.3f, -0.2f};
    cairn_real y[2] = {1.3f, -0.2f}; /* distance 1 */
    double sum = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        CHECK_EQ(cairn_kernel_fourier(x, 2, 1, seed, f, FREQUENCIES), CAIRN_OK);
        CHECK_EQ(cairn_kernel_fourier(y, 2, 1, seed, g, FREQUENCIES), CAIRN_OK);
        for (int j = 0; j < FREQUENCIES; ++j) {
            sum += (double)f[j] * (double)g[j] / 20;
        }
    }
    CHECK_NEAR(sum, 0.60653, 0.04); /* deviation of the mean of 8000 products of size 2/FREQUENCIES: .011 */
    CHECK_EQ(cairn_kernel_fourier(x, 2, -1, 0, f, FREQUENCIES), CAIRN_ERR_ARG);
}

TEST(test_bins_should_be_shared_as_the_kernel_says_when_points_are_apart)
{
    uint16_t *f = features.bin[0];
    uint16_t *g = features.bin[1];
    cairn_real x[1] = {0.3f};
    cairn_real y[1] = {1.3f};
    uint32_t same = 0;
    CHECK_EQ(cairn_kernel_bins(x, 1, 1, 5, GRIDS, 65536, f), CAIRN_OK);
    CHECK_EQ(cairn_kernel_bins(y, 1, 1, 5, GRIDS, 65536, g), CAIRN_OK);
    for (int j = 0; j < GRIDS; ++j) {
        same += f[j] == g[j];
    }
    CHECK_NEAR(same / (double)GRIDS, 0.36788, 0.061); /* e^-1; four deviations of .0153 */
    y[0] = x[0];
    CHECK_EQ(cairn_kernel_bins(y, 1, 1, 5, GRIDS, 65536, g), CAIRN_OK);
    CHECK_MEM(f, g, sizeof features.bin[0]);
    CHECK_EQ(cairn_kernel_bins(y, 1, 1, 5, GRIDS, 0, g), CAIRN_ERR_ARG);
    y[0] = CAIRN_REAL_MAX; /* far beyond all cells: still a cell */
    CHECK_EQ(cairn_kernel_bins(y, 1, 1e-30f, 5, GRIDS, 100, g), CAIRN_OK);
    for (int j = 0; j < GRIDS; ++j) {
        CHECK(g[j] < 100);
    }
}

TEST_MAIN(TEST_CASE(test_factor_products_should_agree_with_the_matrix_when_formed),
          TEST_CASE(test_pic_should_find_groups_of_vectors_when_it_walks_on_factors),
          TEST_CASE(test_factor_walk_should_refuse_when_data_are_bad),
          TEST_CASE(test_taylor_should_equal_the_cut_series_when_multiplied),
          TEST_CASE(test_fourier_should_approach_the_kernel_when_there_are_many),
          TEST_CASE(test_bins_should_be_shared_as_the_kernel_says_when_points_are_apart))
