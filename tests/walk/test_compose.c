/* SPDX-License-Identifier: MIT
 * Tests of composed walks: two similarities in turn, beside the product of both matrices in double. needs ram: 32768 */
#include "cairn/compose.h"
#include "cairn/pic.h"
#include "cairn/power.h"
#include "cairn/spread.h"
#include "support/test.h"
#include "walk/club.h"

#include <string.h>

enum { NODES = CLUB_NODES, CLASSES = 2 };

static uint32_t start[2][NODES + 1];
static uint16_t other[2][CLUB_LINKS];
static cairn_real weight[2][CLUB_LINKS];
static const cairn_half_t half[2] = {{NODES, start[0], other[0], NULL, weight[0]},
                                     {NODES, start[1], other[1], NULL, weight[1]}};
static cairn_walk_t part[2];
static cairn_real scratch[CAIRN_COMPOSE_REALS(NODES, 1)];
static cairn_compose_t compose;
static cairn_walk_t walk;
static double step[NODES][NODES]; /* W = D2^-1 A2 D1^-1 A1 */
static uint8_t seed[NODES];
static cairn_spread_cfg_t cfg;

CAIRN_SPREAD_DEFINE(spread, NODES, CLASSES, 1);

/* The club, and a ring with chords. */
static void build(int which)
{
    uint32_t a[CLUB_LINKS];
    uint32_t b[CLUB_LINKS];
    uint32_t n = CLUB_LINKS;
    memset(start[which], 0, sizeof start[which]);
    for (uint32_t e = 0; e < CLUB_LINKS && which == 0; ++e) {
        a[e] = club_links[e][0];
        b[e] = club_links[e][1];
    }
    if (which == 1) {
        n = 2 * NODES;
        for (uint32_t i = 0; i < NODES; ++i) {
            a[i] = i;
            b[i] = (i + 1) % NODES;
            a[NODES + i] = i;
            b[NODES + i] = (i + 2) % NODES;
        }
    }
    CHECK_EQ(cairn_half_count(start[which], NODES, a, b, n), CAIRN_OK);
    cairn_half_starts(start[which], NODES);
    cairn_half_fill(start[which], a, b, n, other[which], NULL);
    for (uint32_t e = 0; e < n; ++e) {
        weight[which][e] = (cairn_real)(1 + e % 4);
    }
    CHECK_EQ(cairn_half_walk(&half[which], &part[which]), CAIRN_OK);
}

static void form(int which, double matrix[NODES][NODES])
{
    double degree[NODES] = {0};
    memset(matrix, 0, NODES * sizeof matrix[0]);
    for (uint32_t i = 0; i < NODES; ++i) {
        for (uint32_t e = start[which][i]; e < start[which][i + 1]; ++e) {
            matrix[i][other[which][e]] += (double)weight[which][e];
            matrix[other[which][e]][i] += (double)weight[which][e];
            degree[i] += (double)weight[which][e];
            degree[other[which][e]] += (double)weight[which][e];
        }
    }
    for (uint32_t i = 0; i < NODES; ++i) {
        for (uint32_t j = 0; j < NODES; ++j) {
            matrix[i][j] /= degree[i];
        }
    }
}

static void begin(cairn_compose_way way)
{
    double one[NODES][NODES];
    double two[NODES][NODES];
    build(0);
    build(1);
    form(0, one);
    form(1, two);
    memset(step, 0, sizeof step);
    for (uint32_t i = 0; i < NODES; ++i) {
        for (uint32_t k = 0; k < NODES; ++k) {
            for (uint32_t j = 0; j < NODES; ++j) {
                step[i][j] += two[i][k] * one[k][j];
            }
        }
    }
    memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
    seed[0] = 0;
    seed[4] = 0;
    seed[19] = 1;
    CHECK_EQ(cairn_compose_walk(&compose, &part[0], &part[1], way, scratch, CAIRN_COMPOSE_REALS(NODES, 1), 1, &walk),
             CAIRN_OK);
}

static void run(uint32_t operations)
{
    cairn_status status;
    CHECK_EQ(cairn_spread_init(&spread, &cfg, &spread_memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_spread_begin(&spread, &walk, seed, NULL, false), CAIRN_OK);
    while ((status = cairn_spread_step(&spread, operations)) == CAIRN_MORE) {
    }
    CHECK(status >= 0);
}

TEST(test_compose_should_spread_as_the_product_of_both_walks_when_masses_restart)
{
    begin(CAIRN_COMPOSE_WALKERS);
    cfg = cairn_spread_cfg_default;
    cfg.alpha = 0.15f;
    cfg.tolerance = 1e-6f;
    run(UINT32_MAX);
    for (uint8_t c = 0; c < CLASSES; ++c) {
        double v[NODES] = {0};
        double mass = 0;
        for (int round = 0; round < 200; ++round) {
            double next[NODES];
            for (uint32_t i = 0; i < NODES; ++i) {
                next[i] = seed[i] == c ? 0.15 / (c == 0 ? 2 : 1) : 0;
                for (uint32_t j = 0; j < NODES; ++j) {
                    next[i] += 0.85 * step[j][i] * v[j];
                }
            }
            memcpy(v, next, sizeof v);
        }
        for (uint32_t i = 0; i < NODES; ++i) {
            CHECK_NEAR(cairn_spread_get_score(&spread, i, c), v[i], 2e-6);
            mass += (double)cairn_spread_get_score(&spread, i, c);
        }
        CHECK_NEAR(mass, 1, 1e-5); /* nothing is lost on the way */
    }
}

TEST(test_compose_should_give_means_of_the_product_when_scores_spread)
{
    begin(CAIRN_COMPOSE_SCORES);
    cfg = cairn_spread_cfg_harmonic;
    run(UINT32_MAX);
    for (uint8_t c = 0; c < CLASSES; ++c) {
        double f[NODES];
        for (uint32_t i = 0; i < NODES; ++i) {
            f[i] = seed[i] == c ? 1 : 0;
        }
        for (int round = 0; round < 10; ++round) {
            double next[NODES];
            for (uint32_t i = 0; i < NODES; ++i) {
                next[i] = 0;
                for (uint32_t j = 0; j < NODES; ++j) {
                    next[i] += step[i][j] * f[j];
                }
                next[i] = seed[i] != CAIRN_SPREAD_UNKNOWN ? (seed[i] == c ? 1 : 0) : next[i];
            }
            memcpy(f, next, sizeof f);
        }
        for (uint32_t i = 0; i < NODES; ++i) {
            CHECK_NEAR(cairn_spread_get_score(&spread, i, c), f[i], 2e-6);
        }
    }
}

TEST(test_compose_should_give_the_same_bits_when_sliced)
{
    cairn_real first[sizeof spread_work / sizeof spread_work[0]];
    for (uint32_t budget = 1; budget <= 300; budget += 13) {
        begin(CAIRN_COMPOSE_WALKERS);
        cfg = cairn_spread_cfg_default;
        cfg.rounds_max = 12;
        run(budget == 1 ? UINT32_MAX : budget);
        if (budget == 1) {
            memcpy(first, spread_work, sizeof first);
        }
        CHECK_MEM(spread_work, first, sizeof first);
    }
}

TEST(test_compose_should_refuse_when_an_argument_is_bad)
{
    static cairn_real work[CAIRN_POWER_REALS(NODES)];
    static cairn_real pic_work[CAIRN_PIC_REALS(NODES, 2, 4)];
    static uint8_t pic_label[CAIRN_PIC_LABELS(NODES)];
    const cairn_pic_memory_t memory = {pic_work, CAIRN_PIC_REALS(NODES, 2, 4), pic_label, CAIRN_PIC_LABELS(NODES)};
    const size_t n = CAIRN_COMPOSE_REALS(NODES, 1);
    cairn_compose_t again;
    cairn_walk_t small;
    cairn_walk_t out;
    cairn_pic_t pic;
    cairn_power_t power;
    begin(CAIRN_COMPOSE_SCORES);
    small = part[1];
    small.n_nodes = NODES - 1;
    CHECK_EQ(cairn_compose_walk(NULL, &part[0], &part[1], CAIRN_COMPOSE_SCORES, scratch, n, 1, &out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_compose_walk(&again, &part[0], &small, CAIRN_COMPOSE_SCORES, scratch, n, 1, &out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_compose_walk(&again, &part[0], &walk, CAIRN_COMPOSE_SCORES, scratch, n, 1, &out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_compose_walk(&again, &part[0], &part[1], (cairn_compose_way)2, scratch, n, 1, &out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_compose_walk(&again, &part[0], &part[1], CAIRN_COMPOSE_SCORES, scratch, n, 9, &out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_compose_walk(&again, &part[0], &part[1], CAIRN_COMPOSE_SCORES, scratch, n - 1, 1, &out),
             CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_pic_init(&pic, &cairn_pic_cfg_default, &memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&pic, &walk), CAIRN_ERR_ARG); /* no symmetric matrix: nothing to cluster */
    CHECK_EQ(cairn_power_begin(&power, &cairn_power_cfg_default, &walk, work, CAIRN_POWER_REALS(NODES)), CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_compose_should_spread_as_the_product_of_both_walks_when_masses_restart),
          TEST_CASE(test_compose_should_give_means_of_the_product_when_scores_spread),
          TEST_CASE(test_compose_should_give_the_same_bits_when_sliced),
          TEST_CASE(test_compose_should_refuse_when_an_argument_is_bad))
