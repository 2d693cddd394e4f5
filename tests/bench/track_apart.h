/* SPDX-License-Identifier: MIT
 * How far the places of a tracked network in float are from those in double. */
#ifndef BENCH_TRACK_APART_H
#define BENCH_TRACK_APART_H

#include "generator.h"

#define TRACK_APART_MOST_M 1e-3

enum { TRACK_APART_SHAKES = 4 };

/* Sensors in a set, PLACED by both, each set begun by both from float's places. Of those beyond, some are undetermined:
 * double's own place moves as far when the ranges are off by no more than half the last place of a float, in one of
 * TRACK_APART_SHAKES draws. The rest is unsettled, or at another minimum. */
typedef struct track_apart {
    size_t n;
    size_t n_open; /* sets that float says have not converged */
    double most_m;
    size_t n_beyond; /* farther apart than TRACK_APART_MOST_M */
    size_t n_undetermined;
    size_t n_unsettled; /* no longer beyond when double goes on from both maps: one of them was not at its minimum */
    size_t n_sets;      /* with sensors beyond: double goes on from both maps, and is shaken */
    double cost;        /* sum over those sets of float's cost minus that of double, in double, at the minima */
    double cost2;       /* sum of its squares */
    double cost_most;   /* its largest magnitude */
    size_t n_shaken;    /* sensors that double itself moves beyond in those sets, in any of the draws */
    double shaken_most_m;
} track_apart_t;

/* So many sets of ranges. False: the library refused. */
bool track_apart_run(const generator_cfg_t *cfg, unsigned n_sets, track_apart_t *result);

#endif
