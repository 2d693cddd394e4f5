/* SPDX-License-Identifier: MIT
 * How far the places of a tracked network in float are from those in double. */
#ifndef BENCH_TRACK_APART_H
#define BENCH_TRACK_APART_H

#include "generator.h"

#define TRACK_APART_MOST_M 1e-3

/* Sensors in a set, PLACED by both, each set begun by both from float's places. */
typedef struct track_apart {
    size_t n;
    size_t n_open;      /* sets that float says have not converged */
    size_t n_beyond;    /* farther apart than TRACK_APART_MOST_M */
    size_t n_unsettled; /* of them, no longer when double goes on from both maps: one of them was not at its minimum */
    double most_m;
    size_t n_sets;        /* with sensors beyond: double goes on from both maps */
    double cost;          /* sum over those sets of float's cost minus that of double, in double, at the minima */
    double cost_most;     /* its largest magnitude */
    size_t n_shaken;      /* as n_beyond, of double beside double with ranges off by the rounding of a float */
    double shaken_most_m; /* as most_m, of the same */
} track_apart_t;

/* So many sets of ranges. False: the library refused. */
bool track_apart_run(const generator_cfg_t *cfg, unsigned n_sets, track_apart_t *result);

#endif
