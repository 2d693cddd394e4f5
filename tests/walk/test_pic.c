/* SPDX-License-Identifier: MIT
 * Tests of power iteration clustering: groups found, slicing, repeatability, degenerate graphs, stable labels. */
#include "cairn/graph.h"
#include "cairn/pic.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 40, LINKS = 240, K_MAX = 8, VECTORS = 4 };

CAIRN_GRAPH_ROWS_DEFINE(graph, NODES, LINKS);
CAIRN_PIC_DEFINE(pic, NODES, K_MAX, VECTORS);

static cairn_graph_cfg_t graph_cfg;
static cairn_pic_cfg_t cfg;

/* A copy of the job's arrays. */
static cairn_real work[sizeof pic_work / sizeof pic_work[0]];
static uint8_t label[sizeof pic_label];

static void begin(unsigned k)
{
    memset(&graph_cfg, 0, sizeof graph_cfg);
    cfg = cairn_pic_cfg_default;
    cfg.n_clusters = (uint8_t)k;
    CHECK_EQ(cairn_graph_init(&graph, &graph_cfg, &graph_memory), CAIRN_OK);
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &pic_memory, NODES), CAIRN_OK);
}

static void link(uint32_t a, uint32_t b, cairn_real weight)
{
    CHECK(cairn_graph_add(&graph, a, b, weight) == CAIRN_OK);
}

static cairn_status cluster(uint32_t operations)
{
    cairn_walk_t walk;
    cairn_status status;
    uint32_t n_slices = 0;
    CHECK_EQ(cairn_graph_walk(&graph, &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&pic, &walk), CAIRN_OK);
    while ((status = cairn_pic_step(&pic, operations)) == CAIRN_MORE && n_slices < 10000000u) {
        ++n_slices;
    }
    return status;
}

static uint8_t label_of(uint32_t id) { return cairn_pic_get_label(&pic, cairn_graph_find(&graph, id)); }

/* k groups of `size` nodes, all linked inside; one link from each group to the next. */
static void add_cliques(uint32_t k, uint32_t size)
{
    for (uint32_t c = 0; c < k; ++c) {
        for (uint32_t i = 0; i < size; ++i) {
            for (uint32_t j = 0; j < i; ++j) {
                link(100u * c + i, 100u * c + j, 1);
            }
        }
        if (k > 1) {
            link(100u * c, 100u * ((c + 1u) % k) + 1u, 1);
        }
    }
}

static void check_cliques(uint32_t k, uint32_t size)
{
    uint32_t seen = 0;
    for (uint32_t c = 0; c < k; ++c) {
        uint8_t first = label_of(100u * c);
        CHECK(first < k);
        seen |= UINT32_C(1) << first;
        for (uint32_t i = 0; i < size; ++i) {
            CHECK_EQ(label_of(100u * c + i), first);
        }
    }
    CHECK_EQ(seen, (UINT32_C(1) << k) - 1u);
}

TEST(test_pic_should_find_groups_when_they_are_clear)
{
    for (unsigned k = 2; k <= K_MAX; ++k) {
        for (uint64_t seed = 0; seed < 3; ++seed) {
            cairn_pic_result_t result;
            test_context("k", k);
            begin(k);
            cfg.seed = seed;
            add_cliques(k, 5);
            CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
            check_cliques(k, 5);
            CHECK_EQ(cairn_pic_get_result(&pic, &result), CAIRN_OK);
            CHECK_EQ(result.n_clusters, k);
            CHECK(result.reason != CAIRN_PIC_RUNNING && result.n_steps >= 8);
            CHECK(result.ritz[0] > 0 && result.ritz[0] < 1);
            for (unsigned c = 1; c < result.n_columns; ++c) {
                CHECK(result.ritz[c] <= result.ritz[c - 1]);
            }
        }
    }
}

TEST(test_pic_should_give_the_same_bits_when_sliced)
{
    static const uint32_t budgets[] = {UINT32_MAX, 1u, 7u, 100u, 2500u};
    for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; ++b) {
        test_context("budget", budgets[b]);
        begin(3);
        add_cliques(3, 6);
        memset(pic_work, b % 2 == 0 ? 0xA5 : 0x00, sizeof pic_work);
        CHECK_EQ(cluster(budgets[b]), CAIRN_OK);
        if (b == 0) {
            memcpy(label, pic_label, sizeof label);
            memcpy(work, pic_work, sizeof work);
        }
        CHECK_MEM(pic_label, label, sizeof label);
        CHECK_MEM(pic_work, work, 18u * VECTORS * sizeof work[0]); /* the columns of 18 nodes */
    }
}

TEST(test_pic_should_go_on_the_same_when_saved_and_loaded)
{
    cairn_pic_t saved;
    cairn_walk_t walk;
    uint32_t n_steps = 0;
    begin(4);
    add_cliques(4, 5);
    CHECK_EQ(cairn_graph_walk(&graph, &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&pic, &walk), CAIRN_OK);
    while (cairn_pic_step(&pic, 50) == CAIRN_MORE) {
        if (++n_steps % 16u == 0) { /* into other memory and back */
            saved = pic;
            memcpy(work, pic_work, sizeof work);
            memcpy(label, pic_label, sizeof label);
            memset(pic_work, 0x5A, sizeof pic_work);
            memset(pic_label, 0x5A, sizeof pic_label);
            memset(&pic, 0x5A, sizeof pic);
            pic = saved;
            memcpy(pic_work, work, sizeof work);
            memcpy(pic_label, label, sizeof label);
        }
    }
    CHECK(n_steps > 32);
    check_cliques(4, 5);
}

TEST(test_pic_should_answer_when_the_graph_is_empty_or_tiny)
{
    begin(3);
    CHECK_EQ(cairn_pic_step(&pic, 1), CAIRN_ERR_STATE); /* a query before anything */
    CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
    CHECK_EQ(pic.reason, CAIRN_PIC_TRIVIAL);
    CHECK_EQ(cairn_pic_get_label(&pic, 0), CAIRN_PIC_UNKNOWN);
    CHECK_EQ(cairn_pic_get_label(&pic, UINT32_MAX), CAIRN_PIC_UNKNOWN);
    link(7, 9, 1); /* two nodes, three clusters */
    CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
    CHECK(label_of(7) < 3 && label_of(9) < 3);
    begin(1); /* one cluster */
    add_cliques(2, 4);
    CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
    CHECK_EQ(pic.reason, CAIRN_PIC_TRIVIAL);
    CHECK_EQ(label_of(0), 0);
    CHECK_EQ(label_of(103), 0);
}

TEST(test_pic_should_leave_isolated_nodes_unknown_when_others_are_linked)
{
    begin(2);
    link(777, 778, 1);
    add_cliques(2, 6);
    CHECK_EQ(cairn_graph_clear_node(&graph, 777), CAIRN_OK);
    CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
    CHECK_EQ(label_of(777), CAIRN_PIC_UNKNOWN);
    CHECK_EQ(label_of(778), CAIRN_PIC_UNKNOWN);
    check_cliques(2, 6);
}

TEST(test_pic_should_separate_components_when_the_graph_is_disconnected)
{
    begin(3);
    for (uint32_t c = 0; c < 3; ++c) {
        for (uint32_t i = 1; i < 7; ++i) {
            link(100u * c + i, 100u * c + i - 1u, 1); /* three paths */
        }
    }
    CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
    check_cliques(3, 7);
}

/* Path of 3, star, even cycle, K(5,5), complete graph, each with several k: ends, says why, labels every node. */
static void add_named(int name)
{
    for (uint32_t i = 0; i < 10; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            bool linked = name == 0   ? i < 3 && i == j + 1u
                          : name == 1 ? j == 0
                          : name == 2 ? i == j + 1u || (j == 0 && i == 9)
                          : name == 3 ? (i + j) % 2u == 1u
                                      : true;
            if (linked) {
                link(i, j, 1);
            }
        }
    }
}

TEST(test_pic_should_end_with_a_reason_when_the_graph_is_periodic_or_regular)
{
    for (int name = 0; name < 5; ++name) {
        for (unsigned k = 2; k <= 5; ++k) {
            for (int lazy = 0; lazy < 2; ++lazy) {
                cairn_pic_result_t result;
                test_context("graph, k", (uint32_t)name * 100u + k);
                begin(k);
                cfg.lazy = lazy != 0;
                cfg.doublings_max = 8;
                add_named(name);
                CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
                CHECK_EQ(cairn_pic_get_result(&pic, &result), CAIRN_OK);
                CHECK(result.reason != CAIRN_PIC_RUNNING);
                CHECK(cairn_isfinite(result.score) && cairn_isfinite(result.ritz[0]));
                for (uint32_t i = 0; i < cairn_graph_get_nodes(&graph); ++i) {
                    const cairn_real *place = cairn_pic_get_place(&pic, i);
                    REQUIRE(place != NULL);
                    CHECK(cairn_pic_get_label(&pic, i) < k);
                    for (unsigned c = 0; c < result.n_columns; ++c) {
                        CHECK(cairn_isfinite(place[c]));
                    }
                }
            }
        }
    }
}

TEST(test_pic_should_end_when_clusters_outnumber_distinct_nodes)
{
    begin(8);
    add_named(3); /* K(5,5): two kinds of nodes, and rounding */
    CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
    for (uint32_t i = 0; i < 10; ++i) {
        CHECK(label_of(i) < 8);
    }
}

TEST(test_pic_should_find_groups_when_weights_are_huge_or_tiny)
{
    static const float scales[] = {1e-30f, 1e-10f, 1e10f, 1e30f};
    for (size_t s = 0; s < 4; ++s) {
        begin(2);
        for (uint32_t c = 0; c < 2; ++c) {
            for (uint32_t i = 0; i < 6; ++i) {
                for (uint32_t j = 0; j < i; ++j) {
                    link(100u * c + i, 100u * c + j, (cairn_real)scales[s]);
                }
            }
        }
        link(0, 101, (cairn_real)scales[s]);
        CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
        check_cliques(2, 6);
    }
}

TEST(test_pic_labels_should_stay_when_the_graph_changes_little)
{
    uint8_t before[NODES];
    for (uint64_t seed = 0; seed < 10; ++seed) {
        begin(3);
        add_cliques(3, 7);
        CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
        memcpy(before, pic_label, sizeof before);
        cfg.seed = seed + 100; /* another start: other numbers from k-means */
        link(3, 205, 1);
        CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
        CHECK_MEM(pic_label, before, sizeof before);
    }
}

/* Node 50 has links of 3 to the first group, then of `weight` to the second. */
static bool goes_over(cairn_real hysteresis, cairn_real weight)
{
    bool was_first;
    begin(2);
    cfg.hysteresis = hysteresis;
    add_cliques(2, 6);
    for (uint32_t i = 2; i < 5; ++i) {
        link(50, i, 1);
    }
    CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
    was_first = label_of(50) == label_of(0);
    for (uint32_t i = 2; i < 5; ++i) {
        link(50, 100u + i, weight / 3);
    }
    CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
    CHECK(was_first && label_of(0) != label_of(100));
    return label_of(50) == label_of(100);
}

/* 1.25 times 3 and half a mean link of about 1 are 4.2 to 4.3. */
TEST(test_pic_label_should_change_when_links_clearly_speak_for_it)
{
    CHECK(goes_over(0, 3.9f));
    CHECK(!goes_over(1.25f, 3.9f));
    CHECK(goes_over(1.25f, 4.6f));
    CHECK(!goes_over(2, 4.6f));
}

TEST(test_pic_should_label_a_new_node_when_its_links_are_known)
{
    uint32_t nodes[3];
    cairn_real weights[3] = {1, 1, 3};
    cairn_real place[VECTORS];
    uint8_t found = 77;
    begin(2);
    add_cliques(2, 6);
    CHECK_EQ(cairn_pic_extend(&pic, nodes, NULL, 0, &found, NULL), CAIRN_ERR_STATE);
    CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
    nodes[0] = cairn_graph_find(&graph, 2);
    nodes[1] = cairn_graph_find(&graph, 3);
    nodes[2] = cairn_graph_find(&graph, 102);
    CHECK_EQ(cairn_pic_extend(&pic, nodes, NULL, 3, &found, place), CAIRN_OK);
    CHECK_EQ(found, label_of(2));
    CHECK_EQ(cairn_pic_extend(&pic, nodes, weights, 3, &found, place), CAIRN_OK);
    CHECK_EQ(found, label_of(102));
    CHECK_NEAR(place[0],
               (cairn_pic_get_place(&pic, nodes[0])[0] + cairn_pic_get_place(&pic, nodes[1])[0] +
                3 * cairn_pic_get_place(&pic, nodes[2])[0]) /
                   5,
               1e-6);
    CHECK_EQ(cairn_pic_extend(&pic, nodes, weights, 0, &found, place), CAIRN_UNPLACED);
    CHECK_EQ(found, CAIRN_PIC_UNKNOWN);
    weights[1] = -1;
    CHECK_EQ(cairn_pic_extend(&pic, nodes, weights, 3, &found, place), CAIRN_ERR_ARG);
    nodes[0] = 99;
    CHECK_EQ(cairn_pic_extend(&pic, nodes, weights, 3, &found, place), CAIRN_ERR_UNKNOWN_ID);
}

/* The regularised cut of the present labels, in double. */
static double cut_of(unsigned k)
{
    double inner[K_MAX] = {0};
    double mass[K_MAX] = {0};
    double size[K_MAX] = {0};
    double all = 0;
    double volume = 0;
    double cut = 0;
    cairn_walk_t walk;
    cairn_run_t run;
    CHECK_EQ(cairn_graph_walk(&graph, &walk), CAIRN_OK);
    for (uint32_t part = 0; part < walk.n_parts; ++part) {
        walk.run(&walk, part, &run);
        for (uint32_t e = 0; e < run.n; ++e) {
            const double w = (double)cairn_run_weight(&run, e);
            const uint8_t a = cairn_pic_get_label(&pic, cairn_run_node(&run, e));
            const uint8_t b = cairn_pic_get_label(&pic, cairn_run_other(&run, e));
            mass[a] += w;
            mass[b] += w;
            inner[a] += a == b ? 2 * w : 0;
            volume += w;
        }
    }
    for (uint32_t i = 0; i < walk.n_nodes; ++i) {
        size[cairn_pic_get_label(&pic, i)] += 1;
        all += 1;
    }
    for (unsigned c = 0; c < k; ++c) {
        const double tau = (double)cfg.tau * volume / cairn_graph_get_links(&graph);
        cut += size[c] > 0 ? 1 - (inner[c] + tau * size[c] * size[c] / all) / (mass[c] + tau * size[c]) : 1;
    }
    return cut;
}

/* One column finds four groups only now and then: the best of four walks is never worse than the first of them. */
TEST(test_pic_should_keep_the_smallest_cut_when_it_walks_several_times)
{
    uint32_t n_better = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        double cut[2];
        for (int way = 0; way < 3; ++way) {
            begin(4);
            cfg.seed = seed;
            cfg.n_vectors = 1;
            cfg.hysteresis = 0;
            cfg.moves_max = 0;
            cfg.n_walks = way == 0 ? 1 : 4;
            add_cliques(4, 8);
            for (uint32_t i = 0; i < 8; ++i) {
                link(i, 100u + (3u * i) % 8u, 1);
            }
            CHECK_EQ(cluster(way < 2 ? UINT32_MAX : 40), CAIRN_OK);
            if (way < 2) {
                cut[way] = cut_of(4);
                memcpy(label, pic_label, NODES);
            }
            CHECK_MEM(pic_label, label, NODES); /* slicing changes nothing */
        }
        CHECK(cut[1] <= cut[0] + 1e-6);
        n_better += cut[1] < cut[0] - 1e-3 ? 1u : 0u;
    }
    CHECK(n_better > 0);
}

TEST(test_pic_small_should_find_groups_when_they_are_clear)
{
    for (unsigned k = 2; k <= K_MAX; ++k) {
        cairn_pic_result_t result;
        test_context("k", k);
        begin(k);
        cfg = cairn_pic_cfg_small;
        cfg.n_clusters = (uint8_t)k;
        add_cliques(k, 5);
        CHECK_EQ(cluster(UINT32_MAX), CAIRN_OK);
        check_cliques(k, 5);
        CHECK_EQ(cairn_pic_get_result(&pic, &result), CAIRN_OK);
        CHECK(result.reason != CAIRN_PIC_RUNNING && (k > 4 || result.n_steps == 8));
    }
}

/* What the header and README promise for two sizes, in bytes with float and pointers of four. */
TEST(test_pic_and_graph_should_fit_when_memory_is_small)
{
    static const struct {
        size_t nodes, links, clusters, vectors, limit;
    } sets[] = {{64, 512, 4, 4, 8192}, {256, 2048, 16, 3, 30720}}; /* clusters: and fewer */
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; ++s) {
        const size_t n = sets[s].nodes;
        const size_t links = 6 * sets[s].links + n * (4 + 4 + 4 + 2 + 2) + 4 * CAIRN_IDS_SLOTS(n) + sizeof graph;
        for (size_t k = 1; k <= sets[s].clusters; ++k) {
            const size_t job = 4 * CAIRN_PIC_REALS(n, k, sets[s].vectors) + CAIRN_PIC_LABELS(n) + sizeof pic;
            test_context("links", (uint32_t)sets[s].links);
            CHECK(links + job <= sets[s].limit);
        }
    }
}

TEST(test_pic_init_should_refuse_when_an_argument_is_bad)
{
    cairn_pic_memory_t memory = pic_memory;
    begin(2);
    CHECK_EQ(cairn_pic_init(NULL, &cfg, &memory, NODES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_pic_init(&pic, NULL, &memory, NODES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_pic_init(&pic, &cfg, NULL, NODES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &memory, 0), CAIRN_ERR_ARG);
    memory.n_work = CAIRN_PIC_REALS(NODES, 2, 4) - 1;
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &memory, NODES), CAIRN_ERR_SIZE);
    memory = pic_memory;
    memory.n_label = CAIRN_PIC_LABELS(NODES) - 1;
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &memory, NODES), CAIRN_ERR_SIZE);
    memory = pic_memory;
    memory.work = (cairn_real *)(void *)((char *)pic_work + 1);
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &memory, NODES), CAIRN_ERR_ALIGN);
    cfg.n_vectors = 9;
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &pic_memory, NODES), CAIRN_ERR_ARG);
    begin(2);
    cfg.tau = -1;
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &pic_memory, NODES), CAIRN_ERR_ARG);
    cfg.tau = CAIRN_REAL_MAX * 10;
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &pic_memory, NODES), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_pic_begin(&pic, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_pic_step(NULL, 1), CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_pic_should_find_groups_when_they_are_clear),
          TEST_CASE(test_pic_should_give_the_same_bits_when_sliced),
          TEST_CASE(test_pic_should_go_on_the_same_when_saved_and_loaded),
          TEST_CASE(test_pic_should_answer_when_the_graph_is_empty_or_tiny),
          TEST_CASE(test_pic_should_leave_isolated_nodes_unknown_when_others_are_linked),
          TEST_CASE(test_pic_should_separate_components_when_the_graph_is_disconnected),
          TEST_CASE(test_pic_should_end_with_a_reason_when_the_graph_is_periodic_or_regular),
          TEST_CASE(test_pic_should_end_when_clusters_outnumber_distinct_nodes),
          TEST_CASE(test_pic_should_find_groups_when_weights_are_huge_or_tiny),
          TEST_CASE(test_pic_labels_should_stay_when_the_graph_changes_little),
          TEST_CASE(test_pic_label_should_change_when_links_clearly_speak_for_it),
          TEST_CASE(test_pic_should_label_a_new_node_when_its_links_are_known),
          TEST_CASE(test_pic_should_keep_the_smallest_cut_when_it_walks_several_times),
          TEST_CASE(test_pic_small_should_find_groups_when_they_are_clear),
          TEST_CASE(test_pic_and_graph_should_fit_when_memory_is_small),
          TEST_CASE(test_pic_init_should_refuse_when_an_argument_is_bad))
