/* SPDX-License-Identifier: MIT
 * Golden hashes of the bounded graph, clustering, spreading and the thesis's form: + - * / and the square root only. */
#include "cairn/graph.h"
#include "cairn/kernel.h"
#include "cairn/pic.h"
#include "cairn/power.h"
#include "cairn/spread.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 40, LINKS = 160, K = 4 };

CAIRN_GRAPH_ROWS_DEFINE(rows, NODES, LINKS);
CAIRN_GRAPH_LIST_DEFINE(list, NODES, LINKS);
CAIRN_PIC_DEFINE(pic, NODES, K, 4);
CAIRN_SPREAD_DEFINE(spread, NODES, K, 0);

static cairn_graph_cfg_t graph_cfg;

/* A stream of links among four groups, with nodes that come and go. */
static cairn_graph_t *stream(cairn_graph_policy policy)
{
    bool is_list = policy >= CAIRN_GRAPH_RESERVOIR;
    cairn_graph_t *graph = is_list ? &list : &rows;
    cairn_rng_t rng;
    memset(&graph_cfg, 0, sizeof graph_cfg);
    graph_cfg.policy = policy;
    graph_cfg.half_life = 300;
    graph_cfg.node_half_life = 400;
    graph_cfg.seed = 5;
    cairn_rng_init(&rng, 1234u, policy);
    if (cairn_graph_init(graph, &graph_cfg, is_list ? &list_memory : &rows_memory) != CAIRN_OK) {
        return NULL;
    }
    for (uint32_t i = 0; i < 1500; ++i) {
        uint32_t a = cairn_rng_below(&rng, 44);
        uint32_t b =
            cairn_rng_below(&rng, 5) == 0 ? cairn_rng_below(&rng, 44) : cairn_rng_below(&rng, 11) * 4u + a % 4u;
        (void)!(cairn_graph_add(graph, a, b, 1 + cairn_rng_uniform(&rng)) >= 0);
    }
    return graph;
}

static uint32_t hash_graph(const cairn_walk_t *walk)
{
    uint32_t hash = HASH_START;
    cairn_run_t run;
    for (uint32_t part = 0; part < walk->n_parts; ++part) {
        walk->run(walk, part, &run);
        for (uint32_t e = 0; e < run.n; ++e) {
            hash = hash_u32(hash, cairn_run_node(&run, e) << 16 | cairn_run_other(&run, e));
            hash = hash_float(hash, (float)cairn_run_weight(&run, e));
        }
    }
    return hash;
}

static uint32_t hash_pic(const cairn_walk_t *walk)
{
    uint32_t hash = HASH_START;
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cfg.n_clusters = K;
    if (cairn_pic_init(&pic, &cfg, &pic_memory, NODES) != CAIRN_OK || cairn_pic_begin(&pic, walk) != CAIRN_OK) {
        return 0;
    }
    while (cairn_pic_step(&pic, 1000) == CAIRN_MORE) {
    }
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        hash = hash_u32(hash, cairn_pic_get_label(&pic, i));
        for (uint32_t c = 0; c < 4; ++c) {
            hash = hash_float(hash, (float)cairn_pic_get_place(&pic, i)[c]);
        }
    }
    return hash;
}

static uint32_t hash_spread(const cairn_walk_t *walk, const cairn_spread_cfg_t *base)
{
    uint32_t hash = HASH_START;
    uint8_t seed[NODES];
    cairn_spread_cfg_t cfg = *base;
    cfg.n_classes = K;
    memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
    for (uint8_t c = 0; c < K; ++c) {
        seed[c] = c;
    }
    if (cairn_spread_init(&spread, &cfg, &spread_memory, NODES) != CAIRN_OK ||
        cairn_spread_begin(&spread, walk, seed, NULL, false) != CAIRN_OK) {
        return 0;
    }
    while (cairn_spread_step(&spread, 1000) == CAIRN_MORE) {
    }
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        hash = hash_u32(hash, cairn_spread_get_label(&spread, i));
        hash = hash_float(hash, (float)cairn_spread_get_margin(&spread, i));
    }
    return hash;
}

static uint32_t hash_power(const cairn_walk_t *walk)
{
    static cairn_real work[CAIRN_POWER_REALS(NODES)];
    uint32_t hash = HASH_START;
    cairn_power_t power;
    if (cairn_power_begin(&power, &cairn_power_cfg_default, walk, work, CAIRN_POWER_REALS(NODES)) != CAIRN_OK) {
        return 0;
    }
    while (cairn_power_step(&power, 1000) == CAIRN_MORE) {
    }
    hash = hash_u32(hash, power.n_steps);
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        hash = hash_float(hash, (float)cairn_power_get_literal(&power, i));
    }
    return hash;
}

static uint32_t hash_bins(void)
{
    uint32_t hash = HASH_START;
    for (int i = 0; i < 50; ++i) {
        uint16_t feature[16];
        cairn_real x[3] = {(cairn_real)i * 0.37f, (cairn_real)(i * i) * 0.01f, -(cairn_real)i};
        (void)!(cairn_kernel_bins(x, 3, 0.7f, 9, 16, 1000, feature) == CAIRN_OK);
        for (int g = 0; g < 16; ++g) {
            hash = hash_u32(hash, feature[g]);
        }
    }
    return hash;
}

int port_main(void)
{
    static const char *const names[] = {"graph-rows-random", "graph-rows-oldest", "graph-rows-sample",
                                        "graph-reservoir",   "graph-window",      "graph-priority"};
    for (int policy = 0; policy <= CAIRN_GRAPH_PRIORITY; ++policy) {
        cairn_walk_t walk;
        const cairn_graph_t *graph = stream((cairn_graph_policy)policy);
        if (graph == NULL || cairn_graph_walk(graph, &walk) != CAIRN_OK) {
            return 1;
        }
        golden_line(names[policy], hash_graph(&walk));
        if (policy == CAIRN_GRAPH_ROWS_RANDOM) {
            golden_line("pic", hash_pic(&walk));
            golden_line("mrw", hash_spread(&walk, &cairn_spread_cfg_default));
            golden_line("hf", hash_spread(&walk, &cairn_spread_cfg_harmonic));
            golden_line("power", hash_power(&walk));
        }
    }
    golden_line("kernel-bins", hash_bins());
    return 0;
}
