/* SPDX-License-Identifier: MIT */
/* Workloads of clustering: one whole query of a bounded graph with four planted groups. */
#include "apps/bench/bench.h"

#include "cairn/graph.h"
#include "cairn/pic.h"
#include "cairn/rng.h"

#include <stddef.h>

#if BOARD_RAM_BYTES <= 16384
enum { NODES = 64, LINKS = 512, VECTORS = 4 };
#else
enum { NODES = 256, LINKS = 2048, VECTORS = 3 };
#endif

enum { GROUPS = 4 };

CAIRN_GRAPH_ROWS_DEFINE(cluster_links, NODES, LINKS);
CAIRN_PIC_DEFINE(cluster_pic, NODES, GROUPS, VECTORS);

static const cairn_graph_cfg_t graph_cfg = {CAIRN_GRAPH_ROWS_RANDOM, 0, 0, 0, false, 1};
static cairn_pic_cfg_t pic_cfg;
static cairn_rng_t rng;

static void set_up(void)
{
    pic_cfg = cairn_pic_cfg_small;
    pic_cfg.n_clusters = GROUPS;
    pic_cfg.n_vectors = VECTORS;
    cairn_rng_init(&rng, 3, 0);
    (void)!(cairn_graph_init(&cluster_links, &graph_cfg, &cluster_links_memory) == CAIRN_OK);
    (void)!(cairn_pic_init(&cluster_pic, &pic_cfg, &cluster_pic_memory, NODES) == CAIRN_OK);
    for (uint32_t e = 0; e < 4u * LINKS; ++e) {
        const uint32_t a = cairn_rng_below(&rng, NODES);
        const bool crosses = cairn_rng_below(&rng, 5) == 0;
        uint32_t b;
        do {
            b = cairn_rng_below(&rng, NODES);
        } while (a == b || (a % GROUPS != b % GROUPS) != crosses);
        (void)!(cairn_graph_add(&cluster_links, a, b, 1) >= 0);
    }
}

static void run(void)
{
    cairn_walk_t walk;
    if (cairn_graph_walk(&cluster_links, &walk) == CAIRN_OK && cairn_pic_begin(&cluster_pic, &walk) == CAIRN_OK) {
        while (cairn_pic_step(&cluster_pic, UINT32_MAX) == CAIRN_MORE) {
        }
    }
}

/* All nodes but one in twenty are with their group. */
static int check(void)
{
    uint32_t n_wrong = 0;
    for (uint32_t i = GROUPS; i < NODES; ++i) {
        n_wrong += cairn_pic_get_label(&cluster_pic, cairn_graph_find(&cluster_links, i)) !=
                           cairn_pic_get_label(&cluster_pic, cairn_graph_find(&cluster_links, i % GROUPS))
                       ? 1u
                       : 0u;
    }
    return n_wrong * 20u <= NODES ? 0 : 1;
}

extern const bench_workload_t workload_cluster;

const bench_workload_t workload_cluster = {"cluster", 1u, "query", set_up, run, check};
