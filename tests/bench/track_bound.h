/* SPDX-License-Identifier: MIT
 * How well a sensor of a moving network with few ranges can be told: its place given all its ranges so far, how far
 * sensors move, which pairs have no range, and the true places of all others. A tracker is told no more than that, and
 * of the others only where they seem to be; neither knows of walls. */
#ifndef BENCH_TRACK_BOUND_H
#define BENCH_TRACK_BOUND_H

#include "generator.h"

enum { TRACK_BOUND_NODES = 1000, TRACK_BOUND_FEW = 2, TRACK_BOUND_POINTS = 64, TRACK_BOUND_TRIALS = 1024 };

/* Large: static, or on the heap. */
typedef struct track_bound {
    cairn_rng_t rng;
    uint8_t
        n_ranges[TRACK_BOUND_NODES]; /* of the last set; above TRACK_BOUND_FEW: that or more, its place is given away */
    double error_m2[TRACK_BOUND_NODES]; /* mean square to expect at best, of those with TRACK_BOUND_FEW or fewer */
    double point_m[TRACK_BOUND_NODES][TRACK_BOUND_POINTS][2]; /* where it may be, alike probable */
} track_bound_t;

/* Begin at the true places. The network is in the plane, has TRACK_BOUND_NODES nodes at most. */
void track_bound_init(track_bound_t *self, const generator_t *world);

/* The sensors have moved and been measured. */
void track_bound_step(track_bound_t *self, const generator_t *world);

#endif
