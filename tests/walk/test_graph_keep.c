/* SPDX-License-Identifier: MIT
 * Tests of the bounded graph: which end keeps a link, and what a merge makes of counts and of weights that decay. */
#include "cairn/graph.h"
#include "support/test.h"
#include "walk/graph_internal.h"

#include <string.h>

enum { NODES = 4, ROW = 256, SHORT_ROW = 4, SMALL = 8 };

CAIRN_GRAPH_ROWS_DEFINE(rows, NODES, NODES *ROW);
CAIRN_GRAPH_ROWS_DEFINE(narrow, NODES, NODES *SHORT_ROW);
CAIRN_GRAPH_LIST_DEFINE(list, SMALL, NODES *SMALL);
CAIRN_GRAPH_LIST_DEFINE(small, SMALL, SMALL);

static cairn_graph_cfg_t cfg;

static void add(cairn_graph_t *graph, uint32_t a, uint32_t b, uint32_t times)
{
    for (uint32_t i = 0; i < times; ++i) {
        CHECK(cairn_graph_add(graph, a, b, 1) >= 0);
    }
}

/* Links in the row of a node. */
static uint32_t links_of(const cairn_graph_t *graph, uint32_t id)
{
    cairn_walk_t walk;
    cairn_run_t run;
    CHECK_EQ(cairn_graph_walk(graph, &walk), CAIRN_OK);
    for (uint32_t part = 0; part < walk.n_parts; ++part) {
        walk.run(&walk, part, &run);
        if (run.node == cairn_graph_find(graph, id)) {
            return run.n;
        }
    }
    return 0;
}

/* Else all links of a node that was silent for long would go to its own row, and those of its neighbours would age. */
TEST(test_graph_rows_should_not_have_to_catch_up_when_a_node_was_silent)
{
    memset(&cfg, 0, sizeof cfg);
    cfg.distinct = true;
    REQUIRE(cairn_graph_init(&rows, &cfg, &rows_memory) == CAIRN_OK);
    add(&rows, 10, 11, 1);
    add(&rows, 11, 12, 2000); /* 1,000 to each row */
    add(&rows, 10, 11, 200);  /* 64 to make up for, then half of them */
    CHECK(links_of(&rows, 10) >= 130 && links_of(&rows, 10) <= 136);
}

TEST(test_graph_rows_oldest_should_use_a_free_slot_when_one_end_has_it)
{
    memset(&cfg, 0, sizeof cfg);
    cfg.policy = CAIRN_GRAPH_ROWS_OLDEST;
    cfg.distinct = true;
    REQUIRE(cairn_graph_init(&narrow, &cfg, &narrow_memory) == CAIRN_OK);
    add(&narrow, 10, 12, SHORT_ROW * 2 + 1); /* both rows are full */
    add(&narrow, 11, 12, 20);
    REQUIRE(cairn_graph_clear_node(&narrow, 12) == CAIRN_OK);
    add(&narrow, 10, 12, SHORT_ROW); /* the row of 10 is full, that of 11 has been offered more and is empty */
    CHECK_EQ(links_of(&narrow, 10), SHORT_ROW);
    const uint32_t n_replaced = narrow.counters.n_replaced;
    add(&narrow, 10, 11, 1);
    CHECK_EQ(narrow.counters.n_replaced, n_replaced);
    CHECK_EQ(links_of(&narrow, 11), 1);
}

/* A threshold is a weight of its own stream's time. */
TEST(test_graph_merge_should_bring_a_threshold_to_its_own_time_when_weights_decay)
{
    memset(&cfg, 0, sizeof cfg);
    cfg.policy = CAIRN_GRAPH_PRIORITY;
    cfg.half_life = 50;
    REQUIRE(cairn_graph_init(&list, &cfg, &list_memory) == CAIRN_OK);
    REQUIRE(cairn_graph_init(&small, &cfg, &small_memory) == CAIRN_OK);
    add(&list, 0, 1, 400);
    for (uint32_t a = 0; a < SMALL; ++a) {
        for (uint32_t b = 0; b < a; ++b) {
            add(&small, a, b, 1);
        }
    }
    CHECK(list.threshold < 1e-30f && small.threshold > 0.1f);
    REQUIRE(cairn_graph_merge(&list, &small) == CAIRN_OK);
    CHECK(cairn_graph_scale(&list) > 100 * cairn_graph_scale(&small));
    CHECK_NEAR(list.threshold / cairn_graph_scale(&list) / (small.threshold / cairn_graph_scale(&small)), 1, 1e-5);
}

TEST(test_graph_merge_should_saturate_when_streams_are_longer_than_32_bits_together)
{
    memset(&cfg, 0, sizeof cfg);
    cfg.policy = CAIRN_GRAPH_RESERVOIR;
    REQUIRE(cairn_graph_init(&list, &cfg, &list_memory) == CAIRN_OK);
    REQUIRE(cairn_graph_init(&small, &cfg, &small_memory) == CAIRN_OK);
    for (uint32_t a = 0; a < SMALL; ++a) {
        for (uint32_t b = 0; b < a; ++b) {
            add(a + 1 < SMALL ? &list : &small, a, b, 1);
        }
    }
    const uint32_t n_mine = list.n_links;
    list.n_distinct = 4200000000u; /* a slot in 22 goes to the other one */
    small.n_distinct = 200000000u;
    REQUIRE(cairn_graph_merge(&list, &small) == CAIRN_OK);
    CHECK_EQ(list.n_distinct, UINT32_MAX);
    CHECK(list.n_links >= n_mine && list.n_links < n_mine + small.n_links);
}

TEST_MAIN(TEST_CASE(test_graph_rows_should_not_have_to_catch_up_when_a_node_was_silent),
          TEST_CASE(test_graph_rows_oldest_should_use_a_free_slot_when_one_end_has_it),
          TEST_CASE(test_graph_merge_should_bring_a_threshold_to_its_own_time_when_weights_decay),
          TEST_CASE(test_graph_merge_should_saturate_when_streams_are_longer_than_32_bits_together))
