/* SPDX-License-Identifier: MIT
 * A cold start of a made-up network by the library. */
#ifndef BENCH_COLDSTART_RUN_H
#define BENCH_COLDSTART_RUN_H

#include "cairn/coldstart.h"
#include "generator.h"

/* Do not move it: its parts point to one another. */
typedef struct coldstart_run {
    cairn_network_cfg_t network_cfg;
    cairn_coldstart_cfg_t cfg;
    cairn_network_memory_t memory;
    cairn_network_t network;
    cairn_coldstart_t job;
    cairn_word_t *work;
    size_t work_len;
} coldstart_run_t;

/* Enter a world's anchors and ranges and, unless start_m is NULL, the starts of its sensors (in the order of its places).
 * Release it with coldstart_run_free, whatever is returned. */
cairn_status coldstart_run_init(coldstart_run_t *self, const generator_t *world, const double *start_m,
                                const cairn_loss_t *loss);

/* From init to the end of the job. */
cairn_status coldstart_run_solve(coldstart_run_t *self);

/* A node's place as the job left it, in double; returns its status, below 0 or CAIRN_UNPLACED without a place (then
 * place_m is left alone). */
cairn_status coldstart_run_get_place(const coldstart_run_t *self, size_t node, double *place_m);

/* Memory of the caller and of the job. */
size_t coldstart_run_bytes(const coldstart_run_t *self);

void coldstart_run_free(coldstart_run_t *self);

#endif
