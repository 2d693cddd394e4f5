/* SPDX-License-Identifier: MIT
 * Tests of steered walks: gradients against differences in double, weights that pairs teach, places around pinned ones. */
#include "cairn/pic.h"
#include "cairn/rng.h"
#include "cairn/steer.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { NODES = 24, LINKS = 90, KINDS = 3, PAIRS = 6 };

static uint32_t start[KINDS][NODES + 1];
static uint16_t other[KINDS][LINKS];
static cairn_real weight[KINDS][LINKS];
static cairn_half_t half[KINDS];
static cairn_walk_t part[KINDS];
static const cairn_walk_t *const kinds[KINDS] = {&part[0], &part[1], &part[2]};
static cairn_steer_t steer;
static cairn_real work[CAIRN_STEER_LEARN_REALS(NODES, KINDS)];
static cairn_real scratch[CAIRN_STEER_REALS(NODES, 4)];
static const uint32_t must_a[PAIRS] = {0, 2, 4, 1, 3, 5};
static const uint32_t must_b[PAIRS] = {6, 8, 10, 7, 9, 11};
static const uint32_t cannot_a[PAIRS] = {0, 2, 4, 6, 8, 10};
static const uint32_t cannot_b[PAIRS] = {1, 3, 5, 7, 9, 11};
static const cairn_steer_pairs_t pairs = {must_a, must_b, PAIRS, cannot_a, cannot_b, PAIRS};

CAIRN_PIC_DEFINE(pic, NODES, 2, 4);

/* Groups are the even and the odd nodes. Links of kind 0 stay inside, of kind 1 go anywhere, of kind 2 cross. */
static void begin(void)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 7, 3);
    for (uint32_t k = 0; k < KINDS; ++k) {
        uint32_t a[LINKS];
        uint32_t b[LINKS];
        memset(start[k], 0, sizeof start[k]);
        for (uint32_t e = 0; e < LINKS; ++e) {
            do {
                a[e] = e < NODES ? e : cairn_rng_below(&rng, NODES);
                b[e] = cairn_rng_below(&rng, NODES);
            } while (a[e] == b[e] || (k == 0 && (a[e] + b[e]) % 2 != 0) || (k == 2 && (a[e] + b[e]) % 2 == 0));
            weight[k][e] = 0.5f + cairn_rng_uniform(&rng);
        }
        CHECK_EQ(cairn_half_count(start[k], NODES, a, b, LINKS), CAIRN_OK);
        cairn_half_starts(start[k], NODES);
        cairn_half_fill(start[k], a, b, LINKS, other[k], NULL);
        half[k].n_nodes = NODES;
        half[k].start = start[k];
        half[k].other16 = other[k];
        half[k].weight = weight[k];
        CHECK_EQ(cairn_half_walk(&half[k], &part[k]), CAIRN_OK);
    }
    CHECK_EQ(cairn_steer_init(&steer, kinds, KINDS), CAIRN_OK);
}

/* The objective, the plain way: v = W^t v0 in double. The start comes from a walk of the library of which one step is
 * undone by no one: it is read where the library has put it, before the first step. */
static double objective(const double *start_vector, const double *log_weight, uint32_t n_steps)
{
    static double matrix[NODES][NODES];
    double v[NODES];
    double mean = 0;
    double variance = 0;
    double sum = 0;
    memset(matrix, 0, sizeof matrix);
    for (uint32_t k = 0; k < KINDS; ++k) {
        for (uint32_t i = 0; i < NODES; ++i) {
            for (uint32_t e = start[k][i]; e < start[k][i + 1]; ++e) {
                matrix[i][other[k][e]] += exp(log_weight[k]) * (double)weight[k][e];
                matrix[other[k][e]][i] += exp(log_weight[k]) * (double)weight[k][e];
            }
        }
    }
    memcpy(v, start_vector, sizeof v);
    for (uint32_t t = 0; t < n_steps; ++t) {
        double next[NODES];
        for (uint32_t i = 0; i < NODES; ++i) {
            double degree = 0;
            next[i] = 0;
            for (uint32_t j = 0; j < NODES; ++j) {
                next[i] += matrix[i][j] * v[j];
                degree += matrix[i][j];
            }
            next[i] /= degree;
        }
        memcpy(v, next, sizeof v);
    }
    for (uint32_t i = 0; i < NODES; ++i) {
        mean += v[i] / NODES;
    }
    for (uint32_t i = 0; i < NODES; ++i) {
        variance += (v[i] - mean) * (v[i] - mean) / NODES;
    }
    for (uint32_t p = 0; p < PAIRS; ++p) {
        sum += (v[must_a[p]] - v[must_b[p]]) * (v[must_a[p]] - v[must_b[p]]) / PAIRS;
        sum -= (v[cannot_a[p]] - v[cannot_b[p]]) * (v[cannot_a[p]] - v[cannot_b[p]]) / PAIRS;
    }
    return sum / variance;
}

/* The library's start: splitmix64 of node and seed, upper 24 bits, -1 to 1. */
static void draw_start(uint64_t seed, double *v)
{
    for (uint32_t i = 0; i < NODES; ++i) {
        uint64_t z = i + UINT64_C(0x9E3779B97F4A7C15) * (seed + 1u);
        z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        z ^= z >> 31;
        v[i] = ((double)(z >> 40) - 8388608) / 8388608;
    }
}

TEST(test_steer_gradient_should_equal_differences_when_taken_in_double)
{
    for (uint64_t seed = 0; seed < 5; ++seed) {
        double v[NODES];
        double at[KINDS];
        cairn_real cost = 0;
        cairn_real gradient[KINDS];
        begin();
        draw_start(seed, v);
        for (uint32_t k = 0; k < KINDS; ++k) {
            steer.log_weight[k] = (cairn_real)k * 0.5f - 0.25f;
            at[k] = (double)steer.log_weight[k];
        }
        CHECK_EQ(
            cairn_steer_learn(&steer, &pairs, 6, seed, 0, work, CAIRN_STEER_LEARN_REALS(NODES, KINDS), &cost, gradient),
            CAIRN_OK);
        CHECK_NEAR(cost, objective(v, at, 6), 1e-4);
        for (uint32_t k = 0; k < KINDS; ++k) {
            const double h = 1e-5;
            double up = 0;
            at[k] += h;
            up = objective(v, at, 6);
            at[k] -= 2 * h;
            CHECK_NEAR(gradient[k], (up - objective(v, at, 6)) / (2 * h), 1e-3);
            at[k] += h;
        }
    }
}

/* The same descent in double, its gradient from differences. */
TEST(test_steer_should_descend_as_in_double_when_it_learns)
{
    double v[NODES];
    double at[KINDS] = {0};
    begin();
    draw_start(1, v);
    for (int round = 0; round < 12; ++round) {
        double slope[KINDS];
        double square = 0;
        CHECK_EQ(cairn_steer_learn(&steer, &pairs, 8, 1, 0.1f, work, CAIRN_STEER_LEARN_REALS(NODES, KINDS), NULL, NULL),
                 CAIRN_OK);
        for (uint32_t k = 0; k < KINDS; ++k) {
            double to[KINDS];
            memcpy(to, at, sizeof to);
            to[k] = at[k] + 1e-5;
            slope[k] = objective(v, to, 8);
            to[k] = at[k] - 1e-5;
            slope[k] = (slope[k] - objective(v, to, 8)) / 2e-5;
            square += slope[k] * slope[k];
        }
        for (uint32_t k = 0; k < KINDS; ++k) {
            at[k] -= 0.1 * slope[k] / sqrt(square);
            CHECK_NEAR(steer.log_weight[k], at[k], 1e-4); /* steps of .1 in a direction good to 1e-3 */
        }
    }
}

/* exp(8) is what its series is good for. */
TEST(test_steer_should_keep_weights_in_range_when_steps_are_wide)
{
    cairn_real most = 0;
    begin();
    for (int round = 0; round < 3; ++round) {
        CHECK_EQ(cairn_steer_learn(&steer, &pairs, 8, 1, 30, work, CAIRN_STEER_LEARN_REALS(NODES, KINDS), NULL, NULL),
                 CAIRN_OK);
        for (uint32_t k = 0; k < KINDS; ++k) {
            most = steer.log_weight[k] > most ? steer.log_weight[k] : most;
            most = -steer.log_weight[k] > most ? -steer.log_weight[k] : most;
        }
    }
    CHECK(most == 8);
}

TEST(test_steer_should_weigh_links_that_agree_with_pairs_when_it_learns)
{
    cairn_walk_t all;
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cairn_real first = 0;
    cairn_real last = 0;
    uint32_t n_wrong = 0;
    begin();
    for (int round = 0; round < 40; ++round) {
        CHECK_EQ(cairn_steer_learn(&steer, &pairs, 8, 1, 0.1f, work, CAIRN_STEER_LEARN_REALS(NODES, KINDS),
                                   round == 0 ? &first : &last, NULL),
                 CAIRN_OK);
    }
    CHECK(last < first);
    CHECK_EQ(cairn_steer_walk(&steer, scratch, CAIRN_STEER_REALS(NODES, 4), 4, &all), CAIRN_OK);
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &pic_memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&pic, &all), CAIRN_OK);
    CHECK_EQ(cairn_pic_step(&pic, UINT32_MAX), CAIRN_OK);
    for (uint32_t i = 0; i < NODES; ++i) {
        n_wrong += cairn_pic_get_label(&pic, i) !=
                           (i % 2 == 0 ? cairn_pic_get_label(&pic, 0) : 1 - cairn_pic_get_label(&pic, 0))
                       ? 1u
                       : 0u;
    }
    CHECK_EQ(n_wrong, 0);
}

/* The sum of kinds is what a graph with all links is, in whatever slices. */
TEST(test_steer_walk_should_add_up_kinds_when_multiplied)
{
    static const uint32_t slices[] = {1, 5, NODES, 1000};
    cairn_walk_t all;
    cairn_real x[NODES];
    begin();
    steer.log_weight[1] = 1;
    steer.log_weight[2] = -8;
    CHECK_EQ(cairn_steer_walk(&steer, scratch, CAIRN_STEER_REALS(NODES, 4), 4, &all), CAIRN_OK);
    CHECK_EQ(all.n_parts, KINDS * NODES);
    for (uint32_t i = 0; i < NODES; ++i) {
        x[i] = (cairn_real)i - 7;
    }
    for (size_t s = 0; s < sizeof slices / sizeof slices[0]; ++s) {
        cairn_real y[NODES] = {0};
        double expected[NODES] = {0};
        for (uint32_t at = 0; at < all.n_parts; at += slices[s]) {
            const uint32_t stop = at + slices[s] < all.n_parts ? at + slices[s] : all.n_parts;
            all.multiply(&all, at, stop, 1, x, y);
        }
        for (uint32_t k = 0; k < KINDS; ++k) {
            for (uint32_t i = 0; i < NODES; ++i) {
                for (uint32_t e = start[k][i]; e < start[k][i + 1]; ++e) {
                    const double w = exp((double)steer.log_weight[k]) * (double)weight[k][e];
                    expected[i] += w * (double)x[other[k][e]];
                    expected[other[k][e]] += w * (double)x[i];
                }
            }
        }
        for (uint32_t i = 0; i < NODES; ++i) {
            CHECK_NEAR(y[i], expected[i], 1e-3);
        }
    }
}

/* A chain whose ends are pinned: free nodes end evenly between them; a node without links stays. */
TEST(test_steer_settle_should_place_free_nodes_between_when_ends_are_pinned)
{
    enum { CHAIN = 9 };
    static const uint32_t a[] = {0, 1, 2, 3, 4, 5, 6};
    static const uint32_t b[] = {1, 2, 3, 4, 5, 6, 7};
    uint32_t from[CHAIN + 1] = {0};
    uint16_t to[7];
    const cairn_half_t rows = {CHAIN, from, to, NULL, NULL};
    uint8_t pinned[CHAIN] = {1, 0, 0, 0, 0, 0, 0, 1, 0};
    cairn_real place[CHAIN * 2] = {0};
    cairn_walk_t chain;
    CHECK_EQ(cairn_half_count(from, CHAIN, a, b, 7), CAIRN_OK);
    cairn_half_starts(from, CHAIN);
    cairn_half_fill(from, a, b, 7, to, NULL);
    CHECK_EQ(cairn_half_walk(&rows, &chain), CAIRN_OK);
    place[14] = 7;
    place[15] = -14;
    place[16] = 3;
    CHECK_EQ(cairn_steer_settle(&chain, pinned, 1, 2, place, work, sizeof work / sizeof work[0]), CAIRN_OK);
    CHECK_NEAR(place[12], 3.5, 1e-6); /* one step: half way to the pinned neighbour */
    CHECK_EQ(cairn_steer_settle(&chain, pinned, 600, 2, place, work, sizeof work / sizeof work[0]), CAIRN_OK);
    for (uint32_t i = 0; i < 8; ++i) {
        CHECK_NEAR(place[2 * i], i, 1e-4);
        CHECK_NEAR(place[2 * i + 1], -2.0 * i, 2e-4);
    }
    CHECK_NEAR(place[16], 3, 0);
    place[4] = CAIRN_REAL_MAX * 10;
    CHECK_EQ(cairn_steer_settle(&chain, pinned, 1, 2, place, work, sizeof work / sizeof work[0]), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_steer_settle(&chain, pinned, 1, 2, place, work, CHAIN * 3 - 1), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_steer_settle(&chain, pinned, 0, 2, place, work, sizeof work / sizeof work[0]), CAIRN_ERR_ARG);
}

TEST(test_steer_should_refuse_and_keep_weights_when_an_argument_is_bad)
{
    const size_t n = CAIRN_STEER_LEARN_REALS(NODES, KINDS);
    const cairn_steer_pairs_t none = {NULL, NULL, 0, NULL, NULL, 0};
    static const uint32_t far[] = {NODES};
    const cairn_steer_pairs_t unknown = {far, far, 1, NULL, NULL, 0};
    cairn_steer_t before;
    cairn_walk_t all;
    begin();
    before = steer;
    CHECK_EQ(cairn_steer_learn(&steer, &none, 6, 0, 0.1f, work, n, NULL, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_steer_learn(&steer, &unknown, 6, 0, 0.1f, work, n, NULL, NULL), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(cairn_steer_learn(&steer, &pairs, 0, 0, 0.1f, work, n, NULL, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_steer_learn(&steer, &pairs, 65, 0, 0.1f, work, n, NULL, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_steer_learn(&steer, &pairs, 6, 0, -1, work, n, NULL, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_steer_learn(&steer, &pairs, 6, 0, CAIRN_REAL_MAX * 10, work, n, NULL, NULL), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_steer_learn(&steer, &pairs, 6, 0, 0.1f, work, n - 1, NULL, NULL), CAIRN_ERR_SIZE);
    CHECK_MEM(&steer, &before, sizeof steer);
    CHECK_EQ(cairn_steer_walk(&steer, scratch, CAIRN_STEER_REALS(NODES, 4) - 1, 4, &all), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_steer_init(&steer, kinds, 0), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_steer_init(&steer, kinds, CAIRN_STEER_KINDS_MAX + 1), CAIRN_ERR_ARG);
    part[1].n_nodes = NODES - 1;
    CHECK_EQ(cairn_steer_init(&steer, kinds, KINDS), CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_steer_gradient_should_equal_differences_when_taken_in_double),
          TEST_CASE(test_steer_should_descend_as_in_double_when_it_learns),
          TEST_CASE(test_steer_should_keep_weights_in_range_when_steps_are_wide),
          TEST_CASE(test_steer_should_weigh_links_that_agree_with_pairs_when_it_learns),
          TEST_CASE(test_steer_walk_should_add_up_kinds_when_multiplied),
          TEST_CASE(test_steer_settle_should_place_free_nodes_between_when_ends_are_pinned),
          TEST_CASE(test_steer_should_refuse_and_keep_weights_when_an_argument_is_bad))
