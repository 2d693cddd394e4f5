/* SPDX-License-Identifier: MIT
 * Runs the library's clustering on a graph with known groups. pic_double.c compiles this file a second time. */
#include "pic_run.h"

#include <stdlib.h>

#include "cairn/pic.h"
#include "memory.h"
#include "stopwatch.h"

#ifndef PIC_RUN
#define PIC_RUN pic_run_float
#endif

typedef struct rows {
    cairn_half_t half;
    uint32_t *start;
    uint16_t *other16;
    uint32_t *other32;
    cairn_real *weight;
} rows_t;

static void free_rows(rows_t *self)
{
    free(self->start);
    free(self->other16);
    free(self->other32);
    free(self->weight);
}

/* Rows that are larger than the caches are filled in by blocks. */
static bool fill_rows(rows_t *self, const graphset_t *graph)
{
    enum { LARGE_BYTES = 100000000, WORK_SHARE = 8 };
    size_t link_bytes = self->other16 != NULL ? sizeof *self->other16 : sizeof *self->other32;
    uint32_t n_nodes = (uint32_t)graph->n_nodes;
    if (graph->n_links < LARGE_BYTES / link_bytes) {
        cairn_half_fill(self->start, graph->a, graph->b, graph->n_links, self->other16, self->other32);
        return true;
    }
    size_t n_work = cairn_half_blocks_words(n_nodes) + graph->n_links / WORK_SHARE;
    uint32_t *work = memory_zeroed(n_work, sizeof *work);
    cairn_status status = cairn_half_fill_blocks(self->start, n_nodes, graph->a, graph->b, graph->n_links, work, n_work,
                                                 self->other16, self->other32);
    free(work);
    return status == CAIRN_OK;
}

static bool build_rows(rows_t *self, const graphset_t *graph)
{
    bool narrow = graph->n_nodes <= 65536;
    uint32_t n_nodes = (uint32_t)graph->n_nodes;
    self->start = memory_zeroed(graph->n_nodes + 1, sizeof *self->start);
    self->other16 = narrow ? memory_zeroed(graph->n_links, sizeof *self->other16) : NULL;
    self->other32 = narrow ? NULL : memory_zeroed(graph->n_links, sizeof *self->other32);
    self->weight = NULL;
    if (cairn_half_count(self->start, n_nodes, graph->a, graph->b, graph->n_links) != CAIRN_OK) {
        return false;
    }
    cairn_half_starts(self->start, n_nodes);
    if (!fill_rows(self, graph)) {
        return false;
    }
    if (graph->weighted) { /* links of a graphset are sorted by row, so weights have the order of the rows */
        self->weight = memory_zeroed(graph->n_links, sizeof *self->weight);
        for (size_t e = 0; e < graph->n_links; e++) {
            self->weight[e] = (cairn_real)graph->weight[e];
        }
    }
    self->half.n_nodes = n_nodes;
    self->half.start = self->start;
    self->half.other16 = self->other16;
    self->half.other32 = self->other32;
    self->half.weight = self->weight;
    return true;
}

static bool cluster(const cairn_half_t *half, const graphset_t *graph, const pic_run_options_t *options, uint8_t *label,
                    pic_run_result_t *result)
{
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cairn_pic_t pic;
    cairn_walk_t walk;
    cairn_pic_result_t found;
    cfg.n_clusters = (uint8_t)graph->k;
    cfg.n_vectors = (uint8_t)options->n_vectors;
    cfg.doublings_max = (uint8_t)options->doublings_max;
    cfg.patience = (uint8_t)options->patience;
    cfg.n_walks = graph->k >= 8 ? 5 : 1;
    cfg.seed = options->seed;
    cairn_pic_memory_t memory = {NULL, CAIRN_PIC_REALS(graph->n_nodes, graph->k, options->n_vectors), NULL,
                                 CAIRN_PIC_LABELS(graph->n_nodes)};
    memory.work = memory_zeroed(memory.n_work, sizeof *memory.work);
    memory.label = memory_zeroed(memory.n_label, sizeof *memory.label);
    cairn_status status = cairn_pic_init(&pic, &cfg, &memory, graph->n_nodes);
    if (status == CAIRN_OK && cairn_half_walk(half, &walk) == CAIRN_OK && cairn_pic_begin(&pic, &walk) == CAIRN_OK) {
        while ((status = cairn_pic_step(&pic, UINT32_MAX)) == CAIRN_MORE) {
        }
        status = cairn_pic_get_result(&pic, &found);
    }
    if (status == CAIRN_OK) {
        for (size_t i = 0; i < graph->n_nodes; i++) {
            label[i] = cairn_pic_get_label(&pic, (uint32_t)i);
        }
        result->score = (double)found.score;
        result->ritz2 = (double)found.ritz[0];
        result->n_steps = found.n_steps;
        result->best_step = found.best_step;
        result->prefix = found.prefix;
    }
    free(memory.work);
    free(memory.label);
    return status == CAIRN_OK;
}

bool PIC_RUN(const graphset_t *graph, const pic_run_options_t *options, uint8_t *label, pic_run_result_t *result)
{
    rows_t rows;
    double begin_s = stopwatch_processor_s();
    bool done = build_rows(&rows, graph);
    result->build_s = stopwatch_processor_s() - begin_s;
    begin_s = stopwatch_processor_s();
    done = done && cluster(&rows.half, graph, options, label, result);
    result->cluster_s = stopwatch_processor_s() - begin_s;
    free_rows(&rows);
    return done;
}
