/* SPDX-License-Identifier: MIT
 * Tests of labels by simulated walkers: scores of the exact walk, fair samples, slicing, refusals. */
#include "cairn/walkers.h"
#include "support/test.h"
#include "walk/club.h"

#include <string.h>

enum { NODES = CLUB_NODES + 1, ENDS = 2 * CLUB_LINKS, SLOTS = 31 };

static uint32_t half_start[NODES + 1];
static uint16_t half_other[CLUB_LINKS];
static cairn_real half_weight[CLUB_LINKS];
static const cairn_half_t half = {NODES, half_start, half_other, NULL, half_weight};
static cairn_walk_t walk;
static uint8_t seed[NODES];

static uint32_t start[NODES + 1];
static uint32_t other[ENDS];
static cairn_real sum[ENDS];
static uint32_t visits[NODES];
static uint8_t slot[NODES * SLOTS];
static cairn_walkers_memory_t memory;
static cairn_walkers_cfg_t cfg;
static cairn_walkers_t walkers;

/* The club, weights 1 to 3, and one node without links. */
static void begin(bool weighted)
{
    uint32_t a[CLUB_LINKS];
    uint32_t b[CLUB_LINKS];
    const cairn_walkers_memory_t all = {start, other, weighted ? sum : NULL, visits, slot, NODES, ENDS};
    memset(half_start, 0, sizeof half_start);
    for (uint32_t e = 0; e < CLUB_LINKS; ++e) {
        a[e] = club_links[e][0];
        b[e] = club_links[e][1];
    }
    CHECK_EQ(cairn_half_count(half_start, NODES, a, b, CLUB_LINKS), CAIRN_OK);
    cairn_half_starts(half_start, NODES);
    cairn_half_fill(half_start, a, b, CLUB_LINKS, half_other, NULL);
    for (uint32_t e = 0; e < CLUB_LINKS; ++e) {
        half_weight[e] = weighted ? (cairn_real)(1 + e % 3) : 1;
    }
    CHECK_EQ(cairn_half_walk(&half, &walk), CAIRN_OK);
    memset(seed, CAIRN_WALKERS_UNKNOWN, sizeof seed);
    seed[0] = 0;
    seed[19] = 1;
    memory = all;
    cfg.n_slots = SLOTS;
    cfg.alpha = 0.15f;
    cfg.seed = 3;
}

/* Scores of the walk with restart at a node, by plain iteration. */
static void solve(uint32_t from, double v[NODES])
{
    double degree[NODES] = {0};
    for (uint32_t i = 0; i < NODES; ++i) {
        v[i] = 0;
        for (uint32_t e = half_start[i]; e < half_start[i + 1]; ++e) {
            degree[i] += (double)half_weight[e];
            degree[half_other[e]] += (double)half_weight[e];
        }
    }
    for (int round = 0; round < 200; ++round) {
        double next[NODES] = {0};
        next[from] = 0.15;
        for (uint32_t i = 0; i < NODES; ++i) {
            for (uint32_t e = half_start[i]; e < half_start[i + 1]; ++e) {
                const uint32_t b = half_other[e];
                next[b] += 0.85 * (double)half_weight[e] * v[i] / degree[i];
                next[i] += 0.85 * (double)half_weight[e] * v[b] / degree[b];
            }
        }
        memcpy(v, next, sizeof next);
    }
}

/* Chance that at least `least` of SLOTS draws, each with probability p, are of a class. */
static double at_least(uint32_t least, double p)
{
    double chance[SLOTS + 1] = {1};
    double total = 0;
    for (uint32_t n = 0; n < SLOTS; ++n) {
        for (uint32_t k = n + 1; k-- > 0;) {
            chance[k + 1] += chance[k] * p;
            chance[k] *= 1 - p;
        }
    }
    for (uint32_t k = least; k <= SLOTS; ++k) {
        total += chance[k];
    }
    return total;
}

/* A node remembers a fair sample of its visits, which are as the exact scores say: the chance of each label follows, and
 * so does, within five deviations, how often it comes out over many runs. */
TEST(test_walkers_should_label_as_often_as_the_exact_walk_says_when_repeated)
{
    enum { RUNS = TEST_SEEDS(60) };
    for (int weighted = 0; weighted < 2; ++weighted) {
        double v[2][NODES];
        double expected = 0;
        double variance = 0;
        uint32_t n_first = 0;
        begin(weighted != 0);
        solve(0, v[0]);
        solve(19, v[1]);
        for (uint64_t run = 0; run < RUNS; ++run) {
            cfg.seed = run;
            CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 2), CAIRN_OK);
            CHECK_EQ(cairn_walkers_step(&walkers, 10000), CAIRN_OK);
            for (uint32_t i = 0; i < CLUB_NODES; ++i) {
                const uint8_t label = cairn_walkers_get_label(&walkers, i);
                CHECK(label < 2);
                n_first += label == 0 ? 1u : 0u;
            }
        }
        for (uint32_t i = 0; i < CLUB_NODES; ++i) {
            const double p = at_least(SLOTS / 2 + 1, v[0][i] / (v[0][i] + v[1][i])); /* no ties */
            expected += RUNS * p;
            variance += RUNS * p * (1 - p);
        }
        CHECK(((double)n_first - expected) * ((double)n_first - expected) <= 25 * variance);
        CHECK_EQ(cairn_walkers_get_label(&walkers, CLUB_NODES), CAIRN_WALKERS_UNKNOWN);
        CHECK_EQ(cairn_walkers_get_label(&walkers, UINT32_MAX), CAIRN_WALKERS_UNKNOWN);
    }
}

/* Of the neighbours of node 1 only node 0 remembers visits. */
TEST(test_walkers_label_should_follow_the_neighbours_when_visits_tie)
{
    static const struct {
        uint8_t own[3], around[3], label;
    } sets[] = {{{0, 1, CAIRN_WALKERS_UNKNOWN}, {1, 1, 0}, 1},
                {{0, 1, CAIRN_WALKERS_UNKNOWN}, {0, 0, 1}, 0},
                {{1, 0, CAIRN_WALKERS_UNKNOWN}, {0, 1, 2}, 0},
                {{1, 2, 0}, {2, 0, 2}, 2},
                {{2, 0, 0}, {2, 2, 2}, 0}};
    begin(false);
    cfg.n_slots = 3;
    seed[1] = 2;
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 3), CAIRN_OK);
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; ++s) {
        test_context("set", (uint32_t)s);
        memset(slot, CAIRN_WALKERS_UNKNOWN, sizeof slot);
        memcpy(slot, sets[s].around, 3);
        memcpy(slot + 3, sets[s].own, 3);
        CHECK_EQ(cairn_walkers_get_label(&walkers, 1), sets[s].label);
    }
}

/* With one class visits are a Monte Carlo estimate of the walk with restart. */
TEST(test_walkers_should_visit_as_the_exact_walk_says_when_weights_differ)
{
    const uint32_t n_steps = 400000;
    double v[NODES];
    begin(true);
    solve(0, v);
    seed[19] = CAIRN_WALKERS_UNKNOWN;
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 1), CAIRN_OK);
    CHECK_EQ(cairn_walkers_step(&walkers, n_steps), CAIRN_OK);
    for (uint32_t i = 0; i < CLUB_NODES; ++i) {
        /* visits come in walks of 1 / alpha steps: five deviations of so many fewer draws */
        const double expected = v[i] * n_steps;
        const double square = ((double)visits[i] - expected) * ((double)visits[i] - expected);
        CHECK(square <= 25 * 2 * expected / 0.15 + 25);
    }
}

/* Each visit is as likely to be among those remembered: early ones no less and no more than late ones. */
TEST(test_walkers_should_remember_fairly_when_visits_are_many)
{
    uint32_t n_first = 0;
    begin(false);
    memset(seed, CAIRN_WALKERS_UNKNOWN, sizeof seed);
    seed[CLUB_NODES] = 0; /* a node without links: its walkers stay, and all classes visit it in turn */
    cfg.n_slots = 4;
    for (uint64_t s = 0; s < 500; ++s) {
        cfg.seed = s;
        CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 1), CAIRN_OK);
        CHECK_EQ(cairn_walkers_step(&walkers, 20), CAIRN_OK);
        walkers.class_now = 1; /* from now on as if another class came by */
        walkers.n_classes = 1;
        for (int visit = 0; visit < 20; ++visit) {
            walkers.class_now = 1;
            walkers.node = CLUB_NODES;
            CHECK_EQ(cairn_walkers_step(&walkers, 1), CAIRN_OK);
        }
        for (uint32_t k = 0; k < 4; ++k) {
            n_first += slot[CLUB_NODES * 4 + k] == 0 ? 1u : 0u;
        }
    }
    CHECK(n_first > 1000 - 112 && n_first < 1000 + 112); /* half of 2000, five deviations */
}

TEST(test_walkers_should_be_the_same_when_sliced_or_counters_are_full)
{
    uint8_t first[sizeof slot];
    for (uint32_t slice = 1; slice <= 5000; slice += 4999) {
        begin(true);
        CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 2), CAIRN_OK);
        for (uint32_t done = 0; done < 5000; done += slice) {
            CHECK_EQ(cairn_walkers_step(&walkers, slice), CAIRN_OK);
        }
        if (slice == 1) {
            memcpy(first, slot, sizeof slot);
        }
        CHECK_MEM(slot, first, sizeof slot);
    }
    for (uint32_t i = 0; i < NODES; ++i) {
        visits[i] = UINT32_MAX - 2u;
    }
    CHECK_EQ(cairn_walkers_step(&walkers, 5000), CAIRN_OK);
    for (uint32_t i = 0; i < CLUB_NODES; ++i) {
        CHECK(visits[i] >= UINT32_MAX - 2u);
        CHECK(cairn_walkers_get_label(&walkers, i) < 2);
    }
}

TEST(test_walkers_should_refuse_when_an_argument_is_bad)
{
    begin(true);
    CHECK_EQ(cairn_walkers_begin(NULL, &cfg, &memory, &walk, seed, 2), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 0), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 256), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 1), CAIRN_ERR_ARG); /* class 1 is none */
    memory.n_ends = ENDS - 1;
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 2), CAIRN_ERR_SIZE);
    begin(true);
    memory.n_nodes = NODES - 1;
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 2), CAIRN_ERR_SIZE);
    begin(true);
    memset(seed, CAIRN_WALKERS_UNKNOWN, sizeof seed);
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 2), CAIRN_ERR_ARG);
    begin(true);
    cfg.alpha = 0;
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 2), CAIRN_ERR_ARG);
    cfg.alpha = CAIRN_REAL_MAX * 10;
    CHECK_EQ(cairn_walkers_begin(&walkers, &cfg, &memory, &walk, seed, 2), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_walkers_step(NULL, 1), CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_walkers_should_label_as_often_as_the_exact_walk_says_when_repeated),
          TEST_CASE(test_walkers_label_should_follow_the_neighbours_when_visits_tie),
          TEST_CASE(test_walkers_should_visit_as_the_exact_walk_says_when_weights_differ),
          TEST_CASE(test_walkers_should_remember_fairly_when_visits_are_many),
          TEST_CASE(test_walkers_should_be_the_same_when_sliced_or_counters_are_full),
          TEST_CASE(test_walkers_should_refuse_when_an_argument_is_bad))
