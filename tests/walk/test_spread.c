/* SPDX-License-Identifier: MIT
 * Tests of spreading labels, k-walks and clustering of links, against plain double products. */
#include "cairn/edges.h"
#include "cairn/kwalks.h"
#include "cairn/spread.h"
#include "support/test.h"
#include "walk/club.h"

#include <string.h>

enum { NODES = CLUB_NODES + 2, CLASSES = 3 }; /* one node without links, one that nothing reaches: an island of two */

CAIRN_SPREAD_DEFINE(spread, NODES, CLASSES, 1);
CAIRN_PIC_DEFINE(pic, NODES, CLASSES, 4);

static uint32_t start[NODES + 1];
static uint16_t other[CLUB_LINKS];
static cairn_real weights[CLUB_LINKS];
static cairn_half_t half = {NODES, start, other, NULL, weights};
static cairn_walk_t walk;
static cairn_spread_cfg_t cfg;
static uint8_t seed[NODES];

static void begin(void)
{
    uint32_t a[CLUB_LINKS];
    uint32_t b[CLUB_LINKS];
    for (int e = 0; e < CLUB_LINKS; ++e) {
        a[e] = club_links[e][0];
        b[e] = club_links[e][1];
        weights[e] = 1;
    }
    memset(start, 0, sizeof start);
    CHECK_EQ(cairn_half_count(start, NODES, a, b, CLUB_LINKS), CAIRN_OK);
    cairn_half_starts(start, NODES);
    cairn_half_fill(start, a, b, CLUB_LINKS, other, NULL);
    CHECK_EQ(cairn_half_walk(&half, &walk), CAIRN_OK);
    memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
    seed[0] = 0;
    seed[19] = 1;
    cfg = cairn_spread_cfg_default;
    cfg.n_classes = CLASSES;
}

static cairn_status run(uint32_t operations, bool warm)
{
    cairn_status status = cairn_spread_begin(&spread, &walk, seed, NULL, warm);
    CHECK_EQ(status, CAIRN_OK);
    while ((status = cairn_spread_step(&spread, operations)) == CAIRN_MORE) {
    }
    return status;
}

/* y = A x and degrees, in double, from the list of links. */
static void multiply(const double *x, double *y, double *degree)
{
    for (int i = 0; i < NODES; ++i) {
        y[i] = 0;
        degree[i] = 0;
    }
    for (int e = 0; e < CLUB_LINKS; ++e) {
        int a = club_links[e][0];
        int b = club_links[e][1];
        y[a] += x[b];
        y[b] += x[a];
        degree[a] += 1;
        degree[b] += 1;
    }
}

/* Scores of a class after many rounds, from the equation. */
static void walk_double(uint8_t c, double beta, double *v)
{
    double x[NODES];
    double y[NODES];
    double degree[NODES];
    for (int i = 0; i < NODES; ++i) {
        v[i] = seed[i] == c ? 1 : 0;
    }
    multiply(v, y, degree);
    for (int round = 0; round < 400; ++round) {
        for (int i = 0; i < NODES; ++i) {
            x[i] = degree[i] > 0 ? v[i] / degree[i] : 0;
        }
        multiply(x, y, degree);
        for (int i = 0; i < NODES; ++i) {
            v[i] = (0.95 - beta) * y[i] + (seed[i] == c ? 0.05 : 0) + beta / NODES;
        }
    }
}

TEST(test_mrw_should_agree_with_a_double_oracle_when_converged)
{
    for (int anywhere = 1; anywhere >= 0; --anywhere) {
        begin();
        cfg.tolerance = 0;
        cfg.rounds_max = 400;
        cfg.beta = anywhere ? 0.125f : 0;
        REQUIRE(cairn_spread_init(&spread, &cfg, &spread_memory, NODES) == CAIRN_OK);
        CHECK(run(UINT32_MAX, false) >= 0);
        for (uint8_t c = 0; c < 2; ++c) {
            double v[NODES];
            double sum = 0;
            walk_double(c, (double)cfg.beta, v);
            for (uint32_t i = 0; i < NODES; ++i) {
                double score = (double)cairn_spread_get_score(&spread, i, c);
                CHECK_NEAR(score, v[i], 2e-6); /* about 400 roundings of 6e-8, contracted by .95: 20 of them count */
                sum += score;
            }
            CHECK(anywhere || (sum > 1 - 1e-5 && sum < 1 + 1e-5)); /* a walk loses nothing but at nodes without links */
        }
    }
    for (uint32_t i = 0; i < CLUB_NODES; ++i) {
        CHECK_EQ(cairn_spread_get_label(&spread, i), i < 10 ? 0 : 1);
        CHECK(cairn_spread_get_margin(&spread, i) > 0 && cairn_spread_get_margin(&spread, i) <= 1);
    }
    CHECK_EQ(cairn_spread_get_label(&spread, 20), CAIRN_SPREAD_UNKNOWN); /* no links */
    CHECK_EQ(cairn_spread_get_label(&spread, UINT32_MAX), CAIRN_SPREAD_UNKNOWN);
}

TEST(test_hf_should_agree_with_a_double_oracle_when_it_makes_ten_rounds)
{
    double v[NODES];
    double y[NODES];
    double degree[NODES];
    for (int adsorb = 0; adsorb < 2; ++adsorb) {
        begin();
        cfg = cairn_spread_cfg_harmonic;
        cfg.n_classes = CLASSES;
        cfg.seed_weight = adsorb ? 2 : 0;
        REQUIRE(cairn_spread_init(&spread, &cfg, &spread_memory, NODES) == CAIRN_OK);
        CHECK_EQ(run(UINT32_MAX, false), CAIRN_OK);
        for (uint8_t c = 0; c < 2; ++c) {
            for (int i = 0; i < NODES; ++i) {
                v[i] = seed[i] == c ? 1 : 0;
            }
            for (int round = 0; round < 10; ++round) {
                multiply(v, y, degree);
                for (int i = 0; i < NODES; ++i) {
                    double pull = seed[i] == c ? 1 : 0;
                    v[i] = degree[i] > 0 ? y[i] / degree[i] : 0;
                    if (seed[i] != CAIRN_SPREAD_UNKNOWN) {
                        v[i] = adsorb ? (y[i] + 2 * pull) / (degree[i] + 2) : pull;
                    }
                }
            }
            for (uint32_t i = 0; i < NODES; ++i) {
                CHECK_NEAR(cairn_spread_get_score(&spread, i, c), v[i], 2e-6);
            }
        }
    }
}

TEST(test_spread_should_give_the_same_bits_when_sliced)
{
    static cairn_real work[sizeof spread_work / sizeof spread_work[0]];
    static const uint32_t budgets[] = {UINT32_MAX, 1u, 13u, 200u};
    for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; ++b) {
        begin();
        memset(spread_work, b % 2 == 0 ? 0xA5 : 0, sizeof spread_work);
        REQUIRE(cairn_spread_init(&spread, &cfg, &spread_memory, NODES) == CAIRN_OK);
        CHECK_EQ(run(budgets[b], false), CAIRN_OK);
        if (b == 0) {
            memcpy(work, spread_work, sizeof work);
        }
        CHECK_MEM(spread_work, work, sizeof work);
    }
}

TEST(test_spread_should_need_few_rounds_when_it_begins_warm)
{
    uint8_t label[NODES];
    uint32_t cold;
    begin();
    weights[CLUB_LINKS - 1] = 0.5f;
    REQUIRE(cairn_spread_init(&spread, &cfg, &spread_memory, NODES) == CAIRN_OK);
    CHECK_EQ(run(UINT32_MAX, false), CAIRN_OK);
    cold = cairn_spread_get_rounds(&spread);
    weights[CLUB_LINKS - 1] = 1; /* the graph has changed a little */
    CHECK_EQ(run(UINT32_MAX, true), CAIRN_OK);
    CHECK(cairn_spread_get_rounds(&spread) < cold);
    memcpy(label, spread_label, sizeof label);
    CHECK_EQ(run(UINT32_MAX, false), CAIRN_OK);
    CHECK_MEM(label, spread_label, sizeof label);
}

/* One warm round after a seed has changed its class: its neighbours hear the new class at once. */
TEST(test_hf_should_begin_with_the_new_seeds_when_it_begins_warm)
{
    double before[CLASSES][NODES];
    begin();
    cfg = cairn_spread_cfg_harmonic;
    cfg.n_classes = CLASSES;
    REQUIRE(cairn_spread_init(&spread, &cfg, &spread_memory, NODES) == CAIRN_OK);
    CHECK_EQ(run(UINT32_MAX, false), CAIRN_OK);
    seed[0] = 1;
    seed[5] = 0;
    for (uint8_t c = 0; c < 2; ++c) {
        for (uint32_t i = 0; i < NODES; ++i) {
            const double score = (double)cairn_spread_get_score(&spread, i, c);
            before[c][i] = seed[i] == CAIRN_SPREAD_UNKNOWN ? score : seed[i] == c ? 1 : 0;
        }
    }
    cfg.rounds_max = 1;
    CHECK_EQ(run(UINT32_MAX, true), CAIRN_OK);
    for (uint8_t c = 0; c < 2; ++c) {
        double y[NODES];
        double degree[NODES];
        multiply(before[c], y, degree);
        for (uint32_t i = 0; i < CLUB_NODES; ++i) {
            const double mean = seed[i] == CAIRN_SPREAD_UNKNOWN ? y[i] / degree[i] : seed[i] == c ? 1 : 0;
            CHECK_NEAR(cairn_spread_get_score(&spread, i, c), mean, 1e-6);
        }
    }
}

TEST(test_spread_should_let_a_wrong_seed_be_outvoted_when_it_adsorbs)
{
    begin();
    seed[5] = 1; /* in the group of 0 */
    seed[1] = 0;
    seed[2] = 0;
    cfg = cairn_spread_cfg_harmonic;
    REQUIRE(cairn_spread_init(&spread, &cfg, &spread_memory, NODES) == CAIRN_OK);
    CHECK_EQ(run(UINT32_MAX, false), CAIRN_OK);
    CHECK_EQ(cairn_spread_get_label(&spread, 5), 1); /* clamped */
    cfg.seed_weight = 0.1f;
    REQUIRE(cairn_spread_init(&spread, &cfg, &spread_memory, NODES) == CAIRN_OK);
    CHECK_EQ(run(UINT32_MAX, false), CAIRN_OK);
    CHECK_EQ(cairn_spread_get_label(&spread, 5), 0);
}

TEST(test_spread_should_refuse_when_an_argument_is_bad)
{
    cairn_spread_memory_t memory = spread_memory;
    begin();
    CHECK_EQ(cairn_spread_init(NULL, &cfg, &memory, NODES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_spread_init(&spread, NULL, &memory, NODES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_spread_init(&spread, &cfg, &memory, 0), CAIRN_ERR_ARG);
    memory.n_work = CAIRN_SPREAD_REALS(NODES, CLASSES, 0) - 1;
    CHECK_EQ(cairn_spread_init(&spread, &cfg, &memory, NODES), CAIRN_ERR_SIZE);
    cfg.alpha = 0;
    CHECK_EQ(cairn_spread_init(&spread, &cfg, &spread_memory, NODES), CAIRN_ERR_ARG);
    cfg.alpha = CAIRN_REAL_MAX * 10;
    CHECK_EQ(cairn_spread_init(&spread, &cfg, &spread_memory, NODES), CAIRN_ERR_NONFINITE);
    cfg.alpha = 0.05f;
    memory = spread_memory;
    memory.n_work = CAIRN_SPREAD_REALS(NODES, CLASSES, 0);
    REQUIRE(cairn_spread_init(&spread, &cfg, &memory, NODES) == CAIRN_OK);
    CHECK_EQ(cairn_spread_step(&spread, 1), CAIRN_ERR_STATE);
    CHECK_EQ(cairn_spread_begin(&spread, &walk, seed, NULL, true), CAIRN_ERR_ARG); /* nothing kept to begin from */
    seed[3] = CLASSES;
    CHECK_EQ(cairn_spread_begin(&spread, &walk, seed, NULL, false), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_spread_step(NULL, 1), CAIRN_ERR_ARG);
}

TEST(test_spread_should_leave_all_unknown_when_there_are_no_seeds)
{
    begin();
    memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
    REQUIRE(cairn_spread_init(&spread, &cfg, &spread_memory, NODES) == CAIRN_OK);
    CHECK_EQ(run(UINT32_MAX, false), CAIRN_OK);
    for (uint32_t i = 0; i < NODES; ++i) {
        CHECK_EQ(cairn_spread_get_label(&spread, i), CAIRN_SPREAD_UNKNOWN);
    }
}

TEST(test_kwalks_should_find_groups_when_centres_are_in_different_ones)
{
    static cairn_real work[CAIRN_KWALKS_REALS(NODES)];
    static uint8_t label[CAIRN_KWALKS_LABELS(NODES)];
    cairn_spread_memory_t memory = {work, CAIRN_KWALKS_REALS(NODES), label, CAIRN_KWALKS_LABELS(NODES)};
    for (uint32_t budget = 1; budget != 0; budget = budget == 1 ? 1000000u : 0u) {
        cairn_kwalks_t job;
        cairn_status status;
        begin();
        memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
        seed[9] = 0;
        seed[15] = 1;
        cfg.n_classes = 2;
        REQUIRE(cairn_kwalks_init(&job, &cfg, 0.15f, 10, &memory, NODES) == CAIRN_OK);
        CHECK_EQ(cairn_kwalks_step(&job, 1), CAIRN_ERR_STATE);
        REQUIRE(cairn_kwalks_begin(&job, &walk, seed) == CAIRN_OK);
        while ((status = cairn_kwalks_step(&job, budget)) == CAIRN_MORE) {
        }
        CHECK_EQ(status, CAIRN_OK);
        for (uint32_t i = 0; i < CLUB_NODES; ++i) {
            CHECK_EQ(cairn_kwalks_get_label(&job, i), i < 10 ? 0 : 1);
        }
        CHECK_EQ(cairn_kwalks_get_label(&job, 20), CAIRN_SPREAD_UNKNOWN);
        CHECK_EQ(cairn_kwalks_init(&job, &cfg, 0, 10, &memory, NODES), CAIRN_ERR_ARG);
    }
}

TEST(test_edges_should_give_a_bridge_both_groups_when_its_links_go_both_ways)
{
    static cairn_real work[CAIRN_EDGES_REALS(CLASSES, 4)];
    static uint16_t count[CAIRN_EDGES_COUNTS(NODES, CLASSES)];
    size_t n_work = sizeof work / sizeof work[0];
    size_t n_count = sizeof count / sizeof count[0];
    cairn_pic_cfg_t pic_cfg = cairn_pic_cfg_default;
    cairn_edges_t edges;
    begin();
    REQUIRE(cairn_pic_init(&pic, &pic_cfg, &pic_memory, NODES) == CAIRN_OK);
    REQUIRE(cairn_pic_begin(&pic, &walk) == CAIRN_OK);
    CHECK_EQ(cairn_edges_begin(&edges, &pic, 20, work, n_work, count, n_count), CAIRN_ERR_STATE);
    CHECK_EQ(cairn_pic_step(&pic, UINT32_MAX), CAIRN_OK);
    CHECK_EQ(cairn_edges_begin(&edges, &pic, 20, work, 1, count, n_count), CAIRN_ERR_SIZE);
    REQUIRE(cairn_edges_begin(&edges, &pic, 20, work, n_work, count, n_count) == CAIRN_OK);
    while (cairn_edges_step(&edges, 5) == CAIRN_MORE) {
    }
    uint8_t one = cairn_edges_get_label(&edges, 0, 1);
    uint8_t two = cairn_edges_get_label(&edges, 19, 10);
    CHECK(one < 2 && two < 2 && one != two);
    CHECK_EQ(cairn_edges_get_groups(&edges, 4, 0.2f), UINT32_C(1) << one);
    CHECK_EQ(cairn_edges_get_groups(&edges, 13, 0.2f), UINT32_C(1) << two);
    CHECK_EQ(cairn_edges_get_groups(&edges, 4, 2), UINT32_C(1) << one);
    CHECK_EQ(cairn_edges_get_groups(&edges, 20, 0), 0);
    CHECK_EQ(cairn_edges_get_label(&edges, 0, NODES), CAIRN_PIC_UNKNOWN);
    uint32_t n_both = 0;
    for (uint32_t i = 0; i < CLUB_NODES; ++i) { /* links that cross belong to one group: an end of them has both */
        uint32_t all = cairn_edges_get_groups(&edges, i, 0);
        uint32_t some = cairn_edges_get_groups(&edges, i, 0.2f);
        CHECK_EQ(some & all, some);
        n_both += all == 3u;
    }
    CHECK(n_both >= 4 && n_both <= 5);
}

TEST_MAIN(TEST_CASE(test_mrw_should_agree_with_a_double_oracle_when_converged),
          TEST_CASE(test_hf_should_agree_with_a_double_oracle_when_it_makes_ten_rounds),
          TEST_CASE(test_spread_should_give_the_same_bits_when_sliced),
          TEST_CASE(test_spread_should_need_few_rounds_when_it_begins_warm),
          TEST_CASE(test_hf_should_begin_with_the_new_seeds_when_it_begins_warm),
          TEST_CASE(test_spread_should_let_a_wrong_seed_be_outvoted_when_it_adsorbs),
          TEST_CASE(test_spread_should_refuse_when_an_argument_is_bad),
          TEST_CASE(test_spread_should_leave_all_unknown_when_there_are_no_seeds),
          TEST_CASE(test_kwalks_should_find_groups_when_centres_are_in_different_ones),
          TEST_CASE(test_edges_should_give_a_bridge_both_groups_when_its_links_go_both_ways))
