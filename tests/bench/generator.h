/* SPDX-License-Identifier: MIT
 * Made-up networks: uniform places in the unit square or cube, movement, disc graph, noisy ranges. */
#ifndef BENCH_GENERATOR_H
#define BENCH_GENERATOR_H

#include "cairn/rng.h"
#include "range_table.h"

#define GENERATOR_RANGES_MAX ((size_t)20000000)

typedef struct generator_cfg {
    size_t n_nodes;   /* anchors included; nodes 0 .. n_anchors-1 are the anchors */
    size_t n_anchors; /* <= n_nodes */
    size_t dim;       /* 2 or 3 */
    double radius_m;  /* two nodes have a range when nearer than this */
    double noise_rel; /* sigma: range = distance x (1 + sigma N(0,1)) */
    double move_m;    /* eta: a step moves each coordinate of a sensor by eta N(0,1); anchors stay */
    bool inside;      /* reflect sensors back into the unit square or cube */
    uint64_t seed;
} generator_cfg_t;

/* A network; places and movement do not depend on noise_rel, nor the first places on move_m. */
typedef struct generator {
    generator_cfg_t cfg;
    double *place_m;      /* [n_nodes x dim] present true places */
    range_table_t ranges; /* of the last measurement; a < b are indices of nodes */
    size_t n_lost;        /* of it, ranges that noise made <= 0: left out */
    cairn_rng_t move_rng;
    cairn_rng_t noise_rng;
} generator_t;

/* Draw the first places. Release with generator_free. */
void generator_init(generator_t *self, const generator_cfg_t *cfg);

/* Move the sensors by one step. */
void generator_move(generator_t *self);

/* Measure all ranges. False: more than GENERATOR_RANGES_MAX of them. */
bool generator_measure(generator_t *self);

void generator_free(generator_t *self);

#endif
