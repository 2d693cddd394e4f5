/* SPDX-License-Identifier: MIT
 * A graph with known groups as half rows to walk on. */
#include "walk_rows.h"

#include <stdlib.h>
#include <string.h>

#include "cairn/rng.h"
#include "memory.h"

void walk_rows_build(walk_rows_t *self, const graphset_t *graph)
{
    uint32_t n_nodes = (uint32_t)graph->n_nodes;
    self->start = memory_zeroed(graph->n_nodes + 1, sizeof *self->start);
    self->other = memory_zeroed(graph->n_links, sizeof *self->other);
    self->weight = NULL;
    if (cairn_half_count(self->start, n_nodes, graph->a, graph->b, graph->n_links) != CAIRN_OK) {
        abort();
    }
    cairn_half_starts(self->start, n_nodes);
    cairn_half_fill(self->start, graph->a, graph->b, graph->n_links, NULL, self->other);
    if (graph->weighted) { /* links of a graphset are sorted by row, so weights have the order of the rows */
        self->weight = memory_zeroed(graph->n_links, sizeof *self->weight);
        for (size_t e = 0; e < graph->n_links; e++) {
            self->weight[e] = (cairn_real)graph->weight[e];
        }
    }
    self->half.n_nodes = n_nodes;
    self->half.start = self->start;
    self->half.other16 = NULL;
    self->half.other32 = self->other;
    self->half.weight = self->weight;
    if (cairn_half_walk(&self->half, &self->walk) != CAIRN_OK) {
        abort();
    }
}

void walk_rows_free(walk_rows_t *self)
{
    free(self->start);
    free(self->other);
    free(self->weight);
}

void walk_rows_seed(const graphset_t *graph, unsigned m, uint64_t draw, uint8_t *seed)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, draw, 41);
    memset(seed, WALK_ROWS_UNKNOWN, graph->n_nodes);
    for (unsigned c = 0; c < graph->k; c++) {
        for (unsigned n = 0; n < m;) {
            uint32_t i = cairn_rng_below(&rng, (uint32_t)graph->n_nodes);
            if (graph->truth[i] == c && seed[i] == WALK_ROWS_UNKNOWN) {
                seed[i] = (uint8_t)c;
                n++;
            }
        }
    }
}

double walk_rows_f1(const graphset_t *graph, const uint8_t *seed, const uint8_t *label)
{
    double sum = 0;
    for (unsigned c = 0; c < graph->k; c++) {
        double hits = 0;
        double all = 0;
        for (size_t i = 0; i < graph->n_nodes; i++) {
            if (seed[i] == WALK_ROWS_UNKNOWN) {
                hits += graph->truth[i] == c && label[i] == c;
                all += (graph->truth[i] == c) + (label[i] == c);
            }
        }
        sum += all > 0 ? 2 * hits / all : 0;
    }
    return sum / graph->k;
}
