/* SPDX-License-Identifier: MIT
 * Tests of the bounded graph: every policy against plain lists, faults, full tables, wrap of counters, merge. */
#include "cairn/graph.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 12, LINKS = 48, PAIRS = NODES * (NODES - 1) / 2, N_POLICIES = CAIRN_GRAPH_DENSE + 1 };

/* One set of arrays that fits every policy, and a second one for merging. */
typedef struct arrays {
    uint32_t id[NODES];
    uint32_t slot[CAIRN_IDS_SLOTS(NODES)];
    cairn_real seen[NODES];
    uint32_t heard[NODES];
    uint16_t fill[NODES];
    uint16_t offers[NODES];
    uint16_t one[LINKS];
    uint16_t other[LINKS];
    cairn_real weight[PAIRS];
    cairn_real key[LINKS];
} arrays_t;

static arrays_t arrays;
static arrays_t arrays_2;
static cairn_graph_cfg_t cfg;
static cairn_graph_t graph;

static cairn_graph_memory_t memory_of(arrays_t *a, cairn_graph_policy policy, size_t n_nodes, size_t n_links)
{
    cairn_graph_memory_t memory = {
        a->id,     n_nodes, a->slot, CAIRN_IDS_SLOTS(n_nodes), a->seen, a->heard, a->fill, a->offers, a->one, a->other,
        a->weight, a->key,  n_links};
    if (policy == CAIRN_GRAPH_DENSE) {
        memory.n_links = n_nodes * (n_nodes - 1) / 2;
    }
    return memory;
}

static cairn_status begin(cairn_graph_policy policy, size_t n_nodes, size_t n_links)
{
    cairn_graph_memory_t memory = memory_of(&arrays, policy, n_nodes, n_links);
    cfg.policy = policy;
    return cairn_graph_init(&graph, &cfg, &memory);
}

static void reset_cfg(void) { memset(&cfg, 0, sizeof cfg); }

/* Weight of a pair of ids as the walk sees it; -1: none. */
static double weight_of(const cairn_graph_t *self, uint32_t a, uint32_t b)
{
    cairn_walk_t walk;
    cairn_run_t run;
    uint32_t i = cairn_graph_find(self, a);
    uint32_t j = cairn_graph_find(self, b);
    double found = -1;
    if (cairn_graph_walk(self, &walk) != CAIRN_OK) {
        return -2;
    }
    for (uint32_t part = 0; part < walk.n_parts; ++part) {
        walk.run(&walk, part, &run);
        for (uint32_t e = 0; e < run.n; ++e) {
            uint32_t u = cairn_run_node(&run, e);
            uint32_t v = cairn_run_other(&run, e);
            if (((u == i && v == j) || (u == j && v == i)) && cairn_run_weight(&run, e) > 0) {
                CHECK(found < 0); /* no pair twice */
                found = (double)cairn_run_weight(&run, e);
            }
        }
    }
    return found;
}

/* Links the walk shows. */
static uint32_t count_links(const cairn_graph_t *self)
{
    cairn_walk_t walk;
    cairn_run_t run;
    uint32_t n = 0;
    CHECK_EQ(cairn_graph_walk(self, &walk), CAIRN_OK);
    for (uint32_t part = 0; part < walk.n_parts; ++part) {
        walk.run(&walk, part, &run);
        for (uint32_t e = 0; e < run.n; ++e) {
            CHECK(cairn_run_node(&run, e) < walk.n_nodes && cairn_run_other(&run, e) < walk.n_nodes);
            CHECK(cairn_run_node(&run, e) != cairn_run_other(&run, e));
            n += cairn_run_weight(&run, e) > 0;
        }
    }
    return n;
}

TEST(test_graph_should_keep_all_links_when_they_fit)
{
    reset_cfg();
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        test_context("policy", (uint32_t)policy);
        REQUIRE(begin((cairn_graph_policy)policy, NODES, LINKS) == CAIRN_OK);
        for (uint32_t i = 0; i < NODES; ++i) { /* a ring */
            uint32_t next = (i + 1u) % NODES;
            CHECK_EQ(cairn_graph_add(&graph, 1000u + i * 77u, 1000u + next * 77u, (cairn_real)(i + 1u)), CAIRN_OK);
        }
        CHECK_EQ(cairn_graph_get_links(&graph), NODES);
        CHECK_EQ(cairn_graph_get_nodes(&graph), NODES);
        CHECK_EQ(count_links(&graph), NODES);
        for (uint32_t i = 0; i < NODES; ++i) {
            CHECK_NEAR(weight_of(&graph, 1000u + i * 77u, 1000u + ((i + 1u) % NODES) * 77u), i + 1, 0);
        }
    }
}

TEST(test_graph_should_fold_repeats_when_links_come_again_or_reversed)
{
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        test_context("policy", (uint32_t)policy);
        reset_cfg();
        REQUIRE(begin((cairn_graph_policy)policy, NODES, LINKS) == CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&graph, 5, 9, 1), CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&graph, 9, 5, 2), CAIRN_OK);
        CHECK_EQ(cairn_graph_get_links(&graph), 1);
        CHECK_EQ(graph.counters.n_repeated, 1);
        CHECK_NEAR(weight_of(&graph, 5, 9), 3, 0);
        cfg.repeat_gain = 0.25f;
        REQUIRE(begin((cairn_graph_policy)policy, NODES, LINKS) == CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&graph, 5, 9, 1), CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&graph, 9, 5, 2), CAIRN_OK);
        CHECK_NEAR(weight_of(&graph, 5, 9), 1.25, 0);
    }
    reset_cfg();
}

static void check_refused(uint32_t a, uint32_t b, cairn_real weight, cairn_status expected)
{
    static arrays_t before;
    cairn_graph_t self_before = graph;
    cairn_graph_counters_t zero;
    cairn_graph_t after;
    memset(&zero, 0, sizeof zero);
    memcpy(&before, &arrays, sizeof before);
    CHECK_EQ(cairn_graph_add(&graph, a, b, weight), expected);
    CHECK_MEM(&arrays, &before, sizeof before);
    after = graph;
    after.counters = zero;
    self_before.counters = zero;
    CHECK_MEM(&after, &self_before, sizeof after);
}

TEST(test_graph_should_refuse_and_keep_every_byte_when_a_link_is_bad)
{
    const cairn_real huge = CAIRN_REAL_MAX;
    const cairn_real infinite = huge * 10;
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        test_context("policy", (uint32_t)policy);
        REQUIRE(begin((cairn_graph_policy)policy, 3, 9) == CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&graph, 1, 2, 1), CAIRN_OK);
        check_refused(1, 2, 0, CAIRN_ERR_RANGE);
        check_refused(1, 2, -1, CAIRN_ERR_RANGE);
        check_refused(1, 2, infinite, CAIRN_ERR_NONFINITE);
        check_refused(1, 2, infinite - infinite, CAIRN_ERR_NONFINITE);
        check_refused(7, 7, 1, CAIRN_ERR_SELF);
        CHECK_EQ(cairn_graph_add(&graph, 2, 3, 1), CAIRN_OK);
        check_refused(1, 4, 1, CAIRN_FULL); /* capacity + 1 nodes */
        check_refused(4, 5, 1, CAIRN_FULL);
        CHECK_EQ(graph.counters.n_node_full, 2);
        CHECK_EQ(graph.counters.n_self, 1);
        CHECK_EQ(graph.counters.n_range, 2);
        CHECK_EQ(graph.counters.n_nonfinite, 2);
    }
    CHECK_EQ(cairn_graph_add(NULL, 1, 2, 1), CAIRN_ERR_ARG);
}

TEST(test_graph_init_should_refuse_when_settings_or_memory_are_bad)
{
    cairn_graph_memory_t memory = memory_of(&arrays, CAIRN_GRAPH_ROWS_RANDOM, NODES, LINKS);
    cairn_graph_t before;
    reset_cfg();
    memset(&graph, 0x5A, sizeof graph);
    before = graph;
    CHECK_EQ(cairn_graph_init(NULL, &cfg, &memory), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_graph_init(&graph, NULL, &memory), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_graph_init(&graph, &cfg, NULL), CAIRN_ERR_ARG);
    memory.n_links = NODES - 1;
    CHECK_EQ(cairn_graph_init(&graph, &cfg, &memory), CAIRN_ERR_SIZE);
    memory = memory_of(&arrays, CAIRN_GRAPH_ROWS_RANDOM, NODES, LINKS);
    memory.n_slots -= 1;
    CHECK_EQ(cairn_graph_init(&graph, &cfg, &memory), CAIRN_ERR_SIZE);
    memory = memory_of(&arrays, CAIRN_GRAPH_ROWS_RANDOM, NODES, LINKS);
    memory.fill = NULL;
    CHECK_EQ(cairn_graph_init(&graph, &cfg, &memory), CAIRN_ERR_ARG);
    memory = memory_of(&arrays, CAIRN_GRAPH_ROWS_RANDOM, NODES, LINKS);
    memory.n_nodes = 65536;
    CHECK_EQ(cairn_graph_init(&graph, &cfg, &memory), CAIRN_ERR_ARG);
    memory = memory_of(&arrays, CAIRN_GRAPH_ROWS_RANDOM, NODES, LINKS);
    memory.other = (uint16_t *)(void *)((char *)arrays.other + 1);
    CHECK_EQ(cairn_graph_init(&graph, &cfg, &memory), CAIRN_ERR_ALIGN);
    memory = memory_of(&arrays, CAIRN_GRAPH_ROWS_RANDOM, NODES, LINKS);
    cfg.repeat_gain = 1.5f;
    CHECK_EQ(cairn_graph_init(&graph, &cfg, &memory), CAIRN_ERR_ARG);
    cfg.repeat_gain = 0;
    cfg.half_life = 0.5f;
    CHECK_EQ(cairn_graph_init(&graph, &cfg, &memory), CAIRN_ERR_ARG);
    reset_cfg();
    cfg.node_half_life = CAIRN_REAL_MAX * 10;
    CHECK_EQ(cairn_graph_init(&graph, &cfg, &memory), CAIRN_ERR_NONFINITE);
    reset_cfg();
    CHECK_MEM(&graph, &before, sizeof graph);
}

/* Many links of random pairs: bounds, counts and no duplicates, through all policies. */
TEST(test_graph_should_stay_within_its_arrays_when_the_stream_is_long)
{
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        cairn_rng_t rng;
        test_context("policy", (uint32_t)policy);
        reset_cfg();
        cfg.node_half_life = 100;
        cfg.half_life = 50; /* 1500 arrivals: 30 half lives; the octave stays below its limit */
        REQUIRE(begin((cairn_graph_policy)policy, NODES, NODES * 2u) == CAIRN_OK);
        cairn_rng_init(&rng, 3, 4);
        for (int step = 0; step < 1500; ++step) {
            uint32_t a = cairn_rng_below(&rng, 20) * 0x10001u;
            uint32_t b = cairn_rng_below(&rng, 20) * 0x10001u;
            cairn_status status = cairn_graph_add(&graph, a, b, 1 + cairn_rng_uniform(&rng));
            CHECK(status == CAIRN_OK || status == CAIRN_REJECTED || (a == b && status == CAIRN_ERR_SELF));
            if (step % 100 == 99) {
                CHECK_EQ(count_links(&graph), cairn_graph_get_links(&graph));
            }
        }
        CHECK_EQ(cairn_graph_get_nodes(&graph), NODES);
        CHECK(graph.counters.n_evicted > 0);
        if (policy != CAIRN_GRAPH_DENSE) {
            CHECK(cairn_graph_get_links(&graph) <= NODES * 2u);
        }
        for (uint32_t i = 0; i < NODES; ++i) {
            for (uint32_t j = 0; j < i; ++j) {
                (void)weight_of(&graph, arrays.id[i], arrays.id[j]); /* checks that no pair is there twice */
            }
        }
    }
    reset_cfg();
}

TEST(test_graph_should_forget_old_links_when_weights_decay)
{
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        test_context("policy", (uint32_t)policy);
        reset_cfg();
        cfg.half_life = 10;
        REQUIRE(begin((cairn_graph_policy)policy, NODES, LINKS) == CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&graph, 1, 2, 8), CAIRN_OK);
        for (int i = 0; i < 30; ++i) {
            CHECK_EQ(cairn_graph_add(&graph, 3, 4, 1), CAIRN_OK);
        }
        double older = weight_of(&graph, 1, 2);
        CHECK_EQ(cairn_graph_add(&graph, 5, 6, 1), CAIRN_OK);
        CHECK_NEAR(older / weight_of(&graph, 5, 6), 1, 0.11); /* 8 after three half lives; 31 arrivals: 1.1 of them */
        for (int i = 0; i < 1400; ++i) {
            CHECK_EQ(cairn_graph_add(&graph, 3, 4, 1), CAIRN_OK);
        }
        CHECK_NEAR(weight_of(&graph, 1, 2), -1, 0); /* gone after 140 half lives */
        CHECK(weight_of(&graph, 3, 4) > 0 && cairn_isfinite((cairn_real)weight_of(&graph, 3, 4)));
    }
    reset_cfg();
}

TEST(test_graph_should_reuse_a_node_cleanly_when_its_id_is_evicted)
{
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        test_context("policy", (uint32_t)policy);
        reset_cfg();
        cfg.node_half_life = 20;
        REQUIRE(begin((cairn_graph_policy)policy, 4, 12) == CAIRN_OK);
        for (int i = 0; i < 20; ++i) {
            CHECK_EQ(cairn_graph_add(&graph, 1, 2, 1), CAIRN_OK);
            CHECK_EQ(cairn_graph_add(&graph, 2, 3, 1), CAIRN_OK);
        }
        CHECK_EQ(cairn_graph_add(&graph, 4, 1, 1), CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&graph, 5, 3, 1), CAIRN_OK); /* 4 has been heard least */
        CHECK_EQ(graph.counters.n_evicted, 1);
        CHECK_EQ(cairn_graph_find(&graph, 4), CAIRN_IDS_NONE);
        CHECK_EQ(cairn_graph_find(&graph, 5), 3);
        CHECK_NEAR(weight_of(&graph, 5, 1), -1, 0);
        CHECK_NEAR(weight_of(&graph, 5, 3), 1, 0);
        CHECK_NEAR(weight_of(&graph, 1, 2), 20, 0);
        CHECK_EQ(cairn_graph_get_links(&graph), 3);
        CHECK_EQ(cairn_graph_clear_node(&graph, 2), CAIRN_OK);
        CHECK_EQ(count_links(&graph), 1);
        CHECK_EQ(cairn_graph_clear_node(&graph, 4), CAIRN_ERR_UNKNOWN_ID);
        CHECK_EQ(cairn_graph_clear_node(NULL, 4), CAIRN_ERR_ARG);
    }
    reset_cfg();
}

TEST(test_graph_should_go_on_when_counters_wrap)
{
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        test_context("policy", (uint32_t)policy);
        reset_cfg();
        cfg.node_half_life = 50;
        REQUIRE(begin((cairn_graph_policy)policy, 6, 12) == CAIRN_OK);
        graph.arrivals = UINT32_MAX - 5u; /* as after 2^32 - 6 arrivals */
        graph.n_distinct = UINT32_MAX;    /* stays there */
        for (uint32_t i = 0; i < 6; ++i) {
            graph.memory.heard[i] = graph.arrivals;
        }
        for (uint32_t i = 0; i < 40; ++i) {
            cairn_status status = cairn_graph_add(&graph, i % 6u, (i + 1u + i % 4u) % 6u, 1);
            CHECK(status == CAIRN_OK || status == CAIRN_REJECTED);
        }
        CHECK_EQ(graph.arrivals, 34);
        CHECK_EQ(graph.n_distinct, UINT32_MAX);
        for (uint32_t i = 0; i < 6; ++i) {
            CHECK(graph.memory.seen[i] > 1 && graph.memory.seen[i] < 40);
        }
        if (policy == CAIRN_GRAPH_PRIORITY) {
            continue; /* counts weights, without a limit */
        }
        cfg.node_half_life = 0;
        graph.memory.seen[0] = 8388607; /* the count of a node is at its limit */
        CHECK_EQ(cairn_graph_add(&graph, 0, 1, 1) >= 0, 1);
        CHECK(graph.memory.seen[0] < 8388608);
    }
    reset_cfg();
}

/* Chi-square of how often each of 66 pairs is in a reservoir of 24, first and last included. */
TEST(test_graph_reservoir_should_be_fair_when_all_pairs_stream_by)
{
    static uint16_t kept[PAIRS];
    double square = 0;
    memset(kept, 0, sizeof kept);
    for (uint32_t run = 0; run < 300; ++run) {
        uint32_t pair = 0;
        reset_cfg();
        cfg.seed = run;
        cfg.distinct = true;
        REQUIRE(begin(CAIRN_GRAPH_RESERVOIR, NODES, 24) == CAIRN_OK);
        for (uint32_t i = 0; i < NODES; ++i) {
            for (uint32_t j = 0; j < i; ++j) {
                CHECK(cairn_graph_add(&graph, i, j, (cairn_real)(++pair)) >= 0);
            }
        }
        for (uint32_t e = 0; e < graph.n_links; ++e) {
            ++kept[(uint32_t)arrays.weight[e] - 1u];
        }
    }
    for (int pair = 0; pair < PAIRS; ++pair) {
        double expected = 300.0 * 24 / PAIRS;
        square += (kept[pair] - expected) * (kept[pair] - expected) / (expected * (1 - 24.0 / PAIRS));
    }
    /* 65 degrees of freedom: mean 65, deviation 11.4; five deviations */
    CHECK(square < 65 + 57);
    CHECK(square > 65 - 46);
    reset_cfg();
}

TEST(test_graph_priority_should_keep_sums_when_it_drops_links)
{
    double sum = 0;
    double all = 0;
    for (uint32_t run = 0; run < 200; ++run) {
        cairn_rng_t rng;
        cairn_walk_t walk;
        cairn_run_t part;
        reset_cfg();
        cfg.seed = run;
        cfg.distinct = true;
        cairn_rng_init(&rng, run, 9);
        REQUIRE(begin(CAIRN_GRAPH_PRIORITY, NODES, 24) == CAIRN_OK);
        for (uint32_t i = 0; i < NODES; ++i) {
            uint32_t index;
            CHECK_EQ(cairn_ids_add(&graph.ids, i, &index), CAIRN_OK);
        }
        for (uint32_t i = 0; i < NODES; ++i) { /* degrees first: the estimator is unbiased for final ones */
            graph.memory.seen[i] = 1000;
        }
        graph.total = 500 * NODES;
        for (uint32_t i = 0; i < NODES; ++i) {
            for (uint32_t j = 0; j < i; ++j) {
                cairn_real u = cairn_rng_uniform(&rng);
                cairn_real weight = u * u * u + 0.001f;
                all += (double)weight;
                CHECK(cairn_graph_add(&graph, i, j, weight) >= 0);
            }
        }
        CHECK_EQ(cairn_graph_walk(&graph, &walk), CAIRN_OK);
        for (uint32_t p = 0; p < walk.n_parts; ++p) {
            walk.run(&walk, p, &part);
            for (uint32_t e = 0; e < part.n; ++e) {
                sum += (double)cairn_run_weight(&part, e);
            }
        }
    }
    CHECK_NEAR(sum / all, 1, 0.03); /* 200 x 24 draws, share of a link's deviation below 1: 1.4 % a deviation */
    reset_cfg();
}

TEST(test_graph_merge_should_hold_both_streams_when_they_fit)
{
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        static cairn_graph_t other;
        cairn_graph_memory_t memory = memory_of(&arrays_2, (cairn_graph_policy)policy, NODES, LINKS);
        test_context("policy", (uint32_t)policy);
        reset_cfg();
        REQUIRE(begin((cairn_graph_policy)policy, NODES, LINKS) == CAIRN_OK);
        REQUIRE(cairn_graph_init(&other, &cfg, &memory) == CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&graph, 1, 2, 1), CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&graph, 2, 3, 2), CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&other, 3, 2, 4), CAIRN_OK);
        CHECK_EQ(cairn_graph_add(&other, 3, 9, 8), CAIRN_OK);
        CHECK_EQ(cairn_graph_merge(&graph, &other), CAIRN_OK);
        CHECK_NEAR(weight_of(&graph, 1, 2), 1, 0);
        CHECK_NEAR(weight_of(&graph, 2, 3), 6, 0);
        CHECK_NEAR(weight_of(&graph, 3, 9), 8, 0);
        CHECK_EQ(cairn_graph_get_nodes(&graph), 4);
        CHECK_EQ(cairn_graph_merge(&graph, &graph), CAIRN_ERR_ARG);
        CHECK_EQ(cairn_graph_merge(NULL, &other), CAIRN_ERR_ARG);
    }
}

TEST(test_graph_merge_should_be_fair_when_reservoirs_overflow)
{
    uint32_t n_mine = 0;
    for (uint32_t run = 0; run < 200; ++run) { /* 66 links here, 33 there, into 24: two to one */
        static cairn_graph_t other;
        cairn_graph_memory_t memory = memory_of(&arrays_2, CAIRN_GRAPH_RESERVOIR, NODES, 24);
        uint32_t pair = 0;
        reset_cfg();
        cfg.seed = run;
        cfg.distinct = true;
        REQUIRE(begin(CAIRN_GRAPH_RESERVOIR, NODES, 24) == CAIRN_OK);
        REQUIRE(cairn_graph_init(&other, &cfg, &memory) == CAIRN_OK);
        for (uint32_t i = 0; i < NODES; ++i) {
            for (uint32_t j = 0; j < i; ++j) {
                CHECK(cairn_graph_add(&graph, i, j, 1) >= 0);
                CHECK(++pair % 2u == 0 || cairn_graph_add(&other, i, j, 2) >= 0);
            }
        }
        CHECK_EQ(cairn_graph_merge(&graph, &other), CAIRN_OK);
        CHECK_EQ(cairn_graph_get_links(&graph), 24);
        CHECK_EQ(graph.n_distinct, 99);
        for (uint32_t e = 0; e < 24; ++e) {
            n_mine += arrays.weight[e] < 1.5f;
        }
    }
    CHECK_NEAR(n_mine / (200.0 * 24), 2.0 / 3, 0.03); /* deviation below .006 */
    reset_cfg();
}

TEST(test_graph_should_be_the_same_when_saved_and_loaded)
{
    static arrays_t saved;
    for (int policy = 0; policy < N_POLICIES; ++policy) {
        cairn_graph_t state;
        cairn_rng_t rng;
        test_context("policy", (uint32_t)policy);
        reset_cfg();
        cfg.half_life = 9;
        cfg.node_half_life = 40;
        memset(&arrays, policy % 2 == 0 ? 0xA5 : 0, sizeof arrays);
        REQUIRE(begin((cairn_graph_policy)policy, 6, 12) == CAIRN_OK);
        for (int part = 0; part < 3; ++part) { /* once to the middle, on to the end, and again from the middle */
            cairn_rng_init(&rng, 5, part == 0 ? 0u : 1u);
            if (part == 2) {
                arrays_2 = arrays;
                arrays = saved;
                graph = state;
            }
            for (int i = 0; i < 100; ++i) {
                uint32_t a = cairn_rng_below(&rng, 9);
                CHECK(cairn_graph_add(&graph, a, a + 1u + cairn_rng_below(&rng, 8), 1) >= 0);
            }
            if (part == 0) {
                saved = arrays;
                state = graph;
            }
        }
        CHECK_MEM(&arrays, &arrays_2, sizeof arrays);
    }
    reset_cfg();
}

TEST_MAIN(TEST_CASE(test_graph_should_keep_all_links_when_they_fit),
          TEST_CASE(test_graph_should_fold_repeats_when_links_come_again_or_reversed),
          TEST_CASE(test_graph_should_refuse_and_keep_every_byte_when_a_link_is_bad),
          TEST_CASE(test_graph_init_should_refuse_when_settings_or_memory_are_bad),
          TEST_CASE(test_graph_should_stay_within_its_arrays_when_the_stream_is_long),
          TEST_CASE(test_graph_should_forget_old_links_when_weights_decay),
          TEST_CASE(test_graph_should_reuse_a_node_cleanly_when_its_id_is_evicted),
          TEST_CASE(test_graph_should_go_on_when_counters_wrap),
          TEST_CASE(test_graph_reservoir_should_be_fair_when_all_pairs_stream_by),
          TEST_CASE(test_graph_priority_should_keep_sums_when_it_drops_links),
          TEST_CASE(test_graph_merge_should_hold_both_streams_when_they_fit),
          TEST_CASE(test_graph_merge_should_be_fair_when_reservoirs_overflow),
          TEST_CASE(test_graph_should_be_the_same_when_saved_and_loaded))
