/* SPDX-License-Identifier: MIT
 * Streams of links through a bounded graph. stream_double.c compiles this file a second time. */
#include "stream_run.h"

#include <stdlib.h>
#include <string.h>

#include "cairn/graph.h"
#include "cairn/pic.h"

#ifndef STREAM_RUN
#define STREAM_RUN stream_run_float
#endif

enum { VECTORS = 3 };

CAIRN_GRAPH_ROWS_DEFINE(rows, STREAM_NODES, STREAM_LINKS_MAX);
CAIRN_GRAPH_LIST_DEFINE(list, STREAM_NODES, STREAM_LINKS_MAX);
CAIRN_PIC_DEFINE(pic, STREAM_NODES, STREAM_GROUPS, VECTORS);

static cairn_graph_cfg_t graph_cfg;
static cairn_pic_cfg_t pic_cfg;
static cairn_graph_t *graph;

static void begin(const stream_options_t *options)
{
    bool is_list = options->policy >= CAIRN_GRAPH_RESERVOIR;
    cairn_graph_memory_t memory = is_list ? list_memory : rows_memory;
    memset(&graph_cfg, 0, sizeof graph_cfg);
    graph_cfg.policy = (cairn_graph_policy)options->policy;
    graph_cfg.half_life = (cairn_real)options->half_life;
    graph_cfg.distinct = options->distinct;
    graph_cfg.seed = options->seed;
    memory.n_links = options->n_links;
    pic_cfg = cairn_pic_cfg_small;
    pic_cfg.n_clusters = STREAM_GROUPS;
    graph = is_list ? &list : &rows;
    if (cairn_graph_init(graph, &graph_cfg, &memory) != CAIRN_OK ||
        cairn_pic_init(&pic, &pic_cfg, &pic_memory, STREAM_NODES) != CAIRN_OK) {
        abort();
    }
}

static void add(uint32_t a, uint32_t b, float weight)
{
    if (cairn_graph_add(graph, a, b, weight) < 0) {
        abort();
    }
}

static void cluster(uint64_t seed, uint8_t *label)
{
    cairn_walk_t walk;
    pic_cfg.seed = seed;
    if (cairn_graph_walk(graph, &walk) != CAIRN_OK || cairn_pic_begin(&pic, &walk) != CAIRN_OK) {
        abort();
    }
    while (cairn_pic_step(&pic, UINT32_MAX) == CAIRN_MORE) {
    }
    for (uint32_t id = 0; id < STREAM_NODES; id++) {
        label[id] = cairn_pic_get_label(&pic, cairn_graph_find(graph, id));
    }
}

const stream_run_t STREAM_RUN = {begin, add, cluster};
