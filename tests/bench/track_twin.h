/* SPDX-License-Identifier: MIT
 * The library's tracking of whole networks in the plane, in float and, with a library of its own, in double. */
#ifndef BENCH_TRACK_TWIN_H
#define BENCH_TRACK_TWIN_H

#include <stdbool.h>
#include <stddef.h>

#include "generator.h"

typedef struct track_twin track_twin_t;

/* A node between two sets. */
typedef struct track_twin_node {
    double place_m[2];
    double std_m;
    unsigned char flags; /* of the network */
    bool placed;
} track_twin_node_t;

/* Settings, places and ranges given to either are rounded to float first. */
typedef struct track_twin_kind {
    /* A network at its true places, before the first set. Release with free. NULL: the library refused. */
    track_twin_t *(*begin)(const generator_t *world, size_t n_ranges_most);
    /* One set of ranges, each off by at most `shake` of itself, as drawn from a stream. from [n_nodes]: where it begins;
     * NULL: where the last one ended. False: refused. */
    bool (*run_set)(track_twin_t *self, const generator_t *world, const track_twin_node_t *from, double shake,
                    uint64_t stream);
    bool (*converged)(const track_twin_t *self);                     /* the last set, says the library */
    void (*read)(const track_twin_t *self, track_twin_node_t *node); /* [n_nodes] */
    /* The last stage of the set once more, from other places: they become those of a minimum. Returns its cost, minus the
     * logarithm of the likelihood. */
    double (*descend)(track_twin_t *self, track_twin_node_t *node);
    void (*free)(track_twin_t *self);
} track_twin_kind_t;

extern const track_twin_kind_t track_twin_float;
extern const track_twin_kind_t track_twin_double;

#endif
