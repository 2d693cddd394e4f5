/* SPDX-License-Identifier: MIT
 * A graph with known groups as half rows to walk on. */
#ifndef BENCH_WALK_ROWS_H
#define BENCH_WALK_ROWS_H

#include "cairn/walk.h"
#include "graphset.h"
#include "pic_bench.h"

typedef struct walk_rows {
    cairn_half_t half;
    cairn_walk_t walk;
    uint32_t *start;
    uint32_t *other;
    cairn_real *weight; /* NULL: plain */
} walk_rows_t;

void walk_rows_build(walk_rows_t *self, const graphset_t *graph);
void walk_rows_free(walk_rows_t *self);

/* Mixed membership: clustering of links beside clustering of nodes. */
void walk_bench_mixed(pic_bench_t *bench);

/* Kernel features beside the kernel itself. */
void walk_bench_kernel(pic_bench_t *bench);

/* Walkers, features of a stream, composed and steered walks. */
void walk_bench_forms(pic_bench_t *bench);

enum { WALK_ROWS_UNKNOWN = 255 };

/* `m` known nodes of each class, drawn; the others are WALK_ROWS_UNKNOWN. */
void walk_rows_seed(const graphset_t *graph, unsigned m, uint64_t draw, uint8_t *seed);

/* Macro-F1 over nodes that are no seeds; a node without a label is wrong. */
double walk_rows_f1(const graphset_t *graph, const uint8_t *seed, const uint8_t *label);

#endif
