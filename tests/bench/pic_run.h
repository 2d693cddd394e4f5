/* SPDX-License-Identifier: MIT
 * Runs the library's clustering on a graph with known groups, in float and, from a second copy of it, in double. */
#ifndef BENCH_PIC_RUN_H
#define BENCH_PIC_RUN_H

#include "graphset.h"

typedef struct pic_run_options {
    unsigned n_vectors;
    unsigned doublings_max;
    unsigned patience;
    uint64_t seed;
} pic_run_options_t;

typedef struct pic_run_result {
    double score;
    double ritz2; /* second eigenvalue */
    unsigned n_steps;
    unsigned best_step;
    unsigned prefix;
    double build_s; /* processor seconds */
    double cluster_s;
} pic_run_result_t;

/* Labels [n_nodes]; false: the library refused. */
bool pic_run_float(const graphset_t *graph, const pic_run_options_t *options, uint8_t *label, pic_run_result_t *result);
bool pic_run_double(const graphset_t *graph, const pic_run_options_t *options, uint8_t *label,
                    pic_run_result_t *result);

#endif
