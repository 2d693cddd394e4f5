/* SPDX-License-Identifier: MIT
 * One case for each kind of bad or odd graph: what clustering and spreading of labels make of it is defined, ends, and
 * holds no number that is not finite. */
#include "cairn/factor.h"
#include "cairn/graph.h"
#include "cairn/pic.h"
#include "cairn/spread.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 24, LINKS = 24 * 12, K_MAX = 6, FEATURES = 3 };

CAIRN_GRAPH_ROWS_DEFINE(graph, NODES, LINKS);
CAIRN_PIC_DEFINE(pic, NODES, K_MAX, 4);
CAIRN_SPREAD_DEFINE(spread, NODES, 2, 1);

static cairn_graph_cfg_t graph_cfg;
static cairn_pic_cfg_t pic_cfg;
static cairn_spread_cfg_t spread_cfg;
static uint8_t seed[NODES];

static void begin(void)
{
    memset(&graph_cfg, 0, sizeof graph_cfg);
    CHECK_EQ(cairn_graph_init(&graph, &graph_cfg, &graph_memory), CAIRN_OK);
}

static void link(uint32_t a, uint32_t b) { CHECK_EQ(cairn_graph_add(&graph, a, b, 1), CAIRN_OK); }

static uint8_t label_of(uint32_t id) { return cairn_pic_get_label(&pic, cairn_graph_find(&graph, id)); }

/* Every node has a label below k, or none if it has no links; places are finite. */
static void cluster(const cairn_walk_t *walk, unsigned k, bool small)
{
    cairn_pic_result_t result;
    pic_cfg = small ? cairn_pic_cfg_small : cairn_pic_cfg_default;
    pic_cfg.n_clusters = (uint8_t)k;
    CHECK_EQ(cairn_pic_init(&pic, &pic_cfg, &pic_memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&pic, walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_step(&pic, UINT32_MAX), CAIRN_OK);
    CHECK_EQ(cairn_pic_get_result(&pic, &result), CAIRN_OK);
    CHECK(result.reason != CAIRN_PIC_RUNNING && cairn_isfinite(result.score));
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        const cairn_real *place = cairn_pic_get_place(&pic, i);
        CHECK(cairn_pic_get_label(&pic, i) < k || cairn_pic_get_label(&pic, i) == CAIRN_PIC_UNKNOWN);
        for (unsigned c = 0; c < result.n_columns; ++c) {
            CHECK(cairn_isfinite(place[c]));
        }
    }
}

/* The first node is a seed of class 0, the last of class 1. */
static void spread_labels(const cairn_walk_t *walk, cairn_spread_method method)
{
    spread_cfg = method == CAIRN_SPREAD_MRW ? cairn_spread_cfg_default : cairn_spread_cfg_harmonic;
    memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
    if (walk->n_nodes > 0) {
        seed[0] = 0;
        seed[walk->n_nodes - 1u] = 1;
    }
    CHECK_EQ(cairn_spread_init(&spread, &spread_cfg, &spread_memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_spread_begin(&spread, walk, seed, NULL, false), CAIRN_OK);
    CHECK(cairn_spread_step(&spread, UINT32_MAX) >= 0);
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        const uint8_t label = cairn_spread_get_label(&spread, i);
        CHECK(label < 2 || label == CAIRN_SPREAD_UNKNOWN);
        CHECK(cairn_isfinite(cairn_spread_get_score(&spread, i, 0)));
        CHECK(cairn_isfinite(cairn_spread_get_margin(&spread, i)));
    }
}

static void run_all(unsigned k)
{
    cairn_walk_t walk;
    CHECK_EQ(cairn_graph_walk(&graph, &walk), CAIRN_OK);
    spread_labels(&walk, CAIRN_SPREAD_MRW);
    spread_labels(&walk, CAIRN_SPREAD_HF);
    cluster(&walk, k, true);
    cluster(&walk, k, false);
}

TEST(test_walks_should_end_when_the_graph_is_empty)
{
    begin();
    run_all(3);
    CHECK_EQ(pic.reason, CAIRN_PIC_TRIVIAL);
    CHECK_EQ(cairn_pic_get_label(&pic, 0), CAIRN_PIC_UNKNOWN);
}

TEST(test_walks_should_leave_a_node_unknown_when_it_is_isolated)
{
    begin();
    link(50, 51);
    for (uint32_t i = 0; i < 5; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            link(i, j);
            link(10 + i, 10 + j);
        }
    }
    link(0, 10);
    CHECK_EQ(cairn_graph_clear_node(&graph, 50), CAIRN_OK);
    run_all(2);
    CHECK_EQ(label_of(50), CAIRN_PIC_UNKNOWN);
    CHECK_EQ(label_of(51), CAIRN_PIC_UNKNOWN);
    CHECK(label_of(3) < 2 && label_of(13) < 2 && label_of(3) != label_of(13));
    CHECK_EQ(cairn_spread_get_label(&spread, cairn_graph_find(&graph, 51)), CAIRN_SPREAD_UNKNOWN);
}

TEST(test_walks_should_keep_components_apart_when_the_graph_is_disconnected)
{
    begin();
    for (uint32_t i = 1; i < 8; ++i) {
        link(i - 1, i);
        link(100 + i - 1, 100 + i);
    }
    run_all(2);
    for (uint32_t i = 0; i < 8; ++i) {
        CHECK_EQ(label_of(i), label_of(0));
        CHECK_EQ(label_of(100 + i), label_of(100));
        CHECK_EQ(cairn_spread_get_label(&spread, cairn_graph_find(&graph, i)), 0);
        CHECK_EQ(cairn_spread_get_label(&spread, cairn_graph_find(&graph, 100 + i)), 1);
    }
    CHECK(label_of(0) != label_of(100));
}

/* Labels, and bits of the places, as without the bad links. */
TEST(test_walks_should_not_change_when_bad_links_are_refused)
{
    static cairn_real places[NODES * 4];
    for (int bad = 0; bad < 2; ++bad) {
        begin();
        for (uint32_t i = 0; i < 12; ++i) {
            link(i, (i + 1) % 12);
            link(i, i % 2 == 0 ? (i + 3) % 12 : (i + 5) % 12);
            if (bad > 0) {
                CHECK_EQ(cairn_graph_add(&graph, i, i, 1), CAIRN_ERR_SELF);
                CHECK_EQ(cairn_graph_add(&graph, i, (i + 2) % 12, -1), CAIRN_ERR_RANGE);
                CHECK_EQ(cairn_graph_add(&graph, i, (i + 2) % 12, 0), CAIRN_ERR_RANGE);
                CHECK_EQ(cairn_graph_add(&graph, i, (i + 2) % 12, CAIRN_REAL_MAX * 10), CAIRN_ERR_NONFINITE);
                CHECK_EQ(cairn_graph_add(&graph, i, 99, CAIRN_REAL_MAX * 10 - CAIRN_REAL_MAX * 10),
                         CAIRN_ERR_NONFINITE);
            }
        }
        CHECK_EQ(cairn_graph_get_nodes(&graph), 12);
        run_all(3);
        if (bad == 0) {
            memcpy(places, pic_work, 12 * 4 * sizeof places[0]);
        }
        CHECK_MEM(pic_work, places, 12 * 4 * sizeof places[0]);
    }
}

/* A link heard five times is one link of weight five. */
TEST(test_walks_should_count_a_link_by_its_weight_when_it_is_repeated)
{
    static cairn_real places[NODES * 4];
    for (int way = 0; way < 2; ++way) {
        begin();
        for (uint32_t i = 0; i < 10; ++i) {
            const uint32_t j = (3 * i + 1) % 10;
            for (int again = 0; again < 5 && way == 0 && i != j; ++again) {
                link(again % 2 == 0 ? i : j, again % 2 == 0 ? j : i);
            }
            CHECK(i == j || way == 0 || cairn_graph_add(&graph, i, j, 5) == CAIRN_OK);
            link(i, (i + 1) % 10);
        }
        run_all(2);
        if (way == 0) {
            memcpy(places, pic_work, 10 * 4 * sizeof places[0]);
        }
        CHECK_MEM(pic_work, places, 10 * 4 * sizeof places[0]);
    }
}

/* Even ring (also regular), star, K(4,4), path of three: eigenvalue -1. */
TEST(test_walks_should_end_when_the_graph_is_bipartite_or_regular)
{
    for (int name = 0; name < 4; ++name) {
        begin();
        test_context("graph", (uint32_t)name);
        for (uint32_t i = 0; i < 8; ++i) {
            for (uint32_t j = 0; j < i; ++j) {
                const bool linked = name == 0   ? i == j + 1u || (j == 0 && i == 7)
                                    : name == 1 ? j == 0
                                    : name == 2 ? (i + j) % 2u == 1u
                                                : i < 3 && i == j + 1u;
                if (linked) {
                    link(i, j);
                }
            }
        }
        for (unsigned k = 2; k <= 4; ++k) {
            run_all(k);
        }
    }
}

/* All rows of features alike: one place, finite, one label for all that k-means sees as one. */
TEST(test_walks_should_give_identical_points_one_label_when_all_are_alike)
{
    cairn_real value[NODES * FEATURES];
    static cairn_real scratch[CAIRN_FACTOR_REALS(NODES, FEATURES, 4)];
    cairn_factor_t factor = {CAIRN_FACTOR_COSINE, NODES, FEATURES, value, NULL, NULL, false};
    cairn_factor_walk_t memory;
    cairn_walk_t walk;
    for (int kind = 0; kind <= CAIRN_FACTOR_BIPARTITE; ++kind) {
        factor.kind = (cairn_factor_kind)kind;
        for (uint32_t i = 0; i < NODES * FEATURES; ++i) { /* first all alike, then two kinds of points */
            value[i] = (cairn_real)(1 + i % FEATURES);
        }
        CHECK_EQ(cairn_factor_walk(&memory, &factor, scratch, CAIRN_FACTOR_REALS(NODES, FEATURES, 4), 4, &walk),
                 CAIRN_OK);
        cluster(&walk, K_MAX, false);
        spread_labels(&walk, CAIRN_SPREAD_MRW);
        for (uint32_t i = NODES / 2 * FEATURES; i < NODES * FEATURES; ++i) {
            value[i] = (cairn_real)(FEATURES - i % FEATURES) * (i % FEATURES == 0 ? 4 : 0.1f);
        }
        CHECK_EQ(cairn_factor_walk(&memory, &factor, scratch, CAIRN_FACTOR_REALS(NODES, FEATURES, 4), 4, &walk),
                 CAIRN_OK);
        cluster(&walk, 2, false);
        for (uint32_t i = 0; i < NODES; ++i) {
            CHECK_EQ(cairn_pic_get_label(&pic, i),
                     i < NODES / 2 ? cairn_pic_get_label(&pic, 0) : 1 - cairn_pic_get_label(&pic, 0));
        }
        cluster(&walk, K_MAX, false); /* more clusters than distinct points */
    }
}

TEST(test_walks_should_go_on_when_tables_are_full_and_ids_come_again)
{
    for (int evicts = 0; evicts < 2; ++evicts) {
        begin();
        graph_cfg.node_half_life = evicts > 0 ? 200 : 0;
        CHECK_EQ(cairn_graph_init(&graph, &graph_cfg, &graph_memory), CAIRN_OK);
        for (uint32_t round = 0; round < 40; ++round) {
            for (uint32_t i = 0; i < NODES; ++i) { /* ids move on, and come back after 8 rounds */
                const uint32_t id = (round % 8u) * 5u + i;
                const cairn_status status = cairn_graph_add(&graph, id, (round % 8u) * 5u + (i + 2) % NODES, 1);
                CHECK(status == CAIRN_OK || (evicts == 0 && status == CAIRN_FULL));
            }
        }
        CHECK_EQ(cairn_graph_get_nodes(&graph), NODES);
        CHECK(evicts > 0 ? graph.counters.n_evicted > 0 : graph.counters.n_node_full > 0);
        run_all(4);
    }
}

/* Arrivals and links of a node near the end of their counters. */
TEST(test_walks_should_go_on_when_four_billion_links_have_come)
{
    begin();
    graph.arrivals = UINT32_MAX - 20u;
    graph.n_distinct = UINT32_MAX - 20u;
    for (uint32_t i = 0; i < 200; ++i) { /* two groups of ten, each node linked to the next three */
        const uint32_t first = i % 20u < 10u ? 0u : 10u;
        link(first + i % 10u, first + (i + 1u + i / 20u % 3u) % 10u);
    }
    link(3, 13);
    CHECK(graph.arrivals < 1000); /* it has wrapped */
    run_all(2);
    for (uint32_t i = 0; i < 20; ++i) {
        CHECK_EQ(label_of(i), i < 10 ? label_of(0) : 1 - label_of(0));
    }
}

TEST_MAIN(TEST_CASE(test_walks_should_end_when_the_graph_is_empty),
          TEST_CASE(test_walks_should_leave_a_node_unknown_when_it_is_isolated),
          TEST_CASE(test_walks_should_keep_components_apart_when_the_graph_is_disconnected),
          TEST_CASE(test_walks_should_not_change_when_bad_links_are_refused),
          TEST_CASE(test_walks_should_count_a_link_by_its_weight_when_it_is_repeated),
          TEST_CASE(test_walks_should_end_when_the_graph_is_bipartite_or_regular),
          TEST_CASE(test_walks_should_give_identical_points_one_label_when_all_are_alike),
          TEST_CASE(test_walks_should_go_on_when_tables_are_full_and_ids_come_again),
          TEST_CASE(test_walks_should_go_on_when_four_billion_links_have_come))
