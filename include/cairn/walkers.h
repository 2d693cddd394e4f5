/* SPDX-License-Identifier: MIT
 * Labels spread by simulated walkers: for many classes, memory that does not grow with their number. */
#ifndef CAIRN_WALKERS_H
#define CAIRN_WALKERS_H

#include "cairn/rng.h"
#include "cairn/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_WALKERS_UNKNOWN   255u /* label of a node that no walker has visited; class of a node that is no seed */
#define CAIRN_WALKERS_SLOTS_MAX 64u

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_walkers_cfg {
    uint8_t n_slots;  /* visits that a node remembers, 1 to CAIRN_WALKERS_SLOTS_MAX; 16 is near the exact scores */
    cairn_real alpha; /* probability of going back to a seed at each step, above 0, at most 1 */
    uint64_t seed;    /* of the walks */
} cairn_walkers_cfg_t;

/** Caller arrays. */
typedef struct cairn_walkers_memory {
    uint32_t *start;  /* [n_nodes + 1] where the ends of a node's links begin */
    uint32_t *other;  /* [2 n_links] */
    cairn_real *sum;  /* [2 n_links] weights of a node's links, added up; NULL: all weights alike */
    uint32_t *visits; /* [n_nodes] */
    uint8_t *slot;    /* [n_nodes x n_slots] */
    size_t n_nodes;
    size_t n_ends; /* length of other and sum */
} cairn_walkers_memory_t;

/** A job. Private, read by the functions below; holds pointers to the caller's data only. */
typedef struct cairn_walkers {
    const cairn_walkers_cfg_t *cfg;
    cairn_walkers_memory_t memory;
    const uint8_t *seed; /* [n_nodes] of the caller */
    cairn_rng_t rng;
    uint32_t n_nodes;
    uint32_t n_classes;
    uint32_t class_now;
    uint32_t class_seeds; /* of the present class */
    uint32_t node;        /* where its walker is */
} cairn_walkers_t;

/**
 * Begin: links are sorted by node once, then walkers draw from them.
 *
 * self       out, every field is written
 * cfg        settings, kept by self
 * memory     caller's arrays, kept by self; need not be cleared
 * walk       links to look at (run is not NULL); read here only
 * seed       [walk->n_nodes] class of each node, below n_classes, or CAIRN_WALKERS_UNKNOWN; kept by self
 * n_classes  1 to 255, any number costs the same memory
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL where an array is needed, no links to look at, a setting or a class out of range, no seed
 * CAIRN_ERR_NONFINITE  alpha is NaN or infinite
 * CAIRN_ERR_SIZE       an array is too short for the nodes or the links
 *
 * Work: two passes over the links, two over the nodes.
 */
CAIRN_MUST_CHECK cairn_status cairn_walkers_begin(cairn_walkers_t *self, const cairn_walkers_cfg_t *cfg,
                                                  const cairn_walkers_memory_t *memory, const cairn_walk_t *walk,
                                                  const uint8_t *seed, uint32_t n_classes);

/**
 * Walk on. Classes take turns, a walk from a seed each; every node keeps a uniform sample of its visits. More steps give
 * better labels; any number may follow. How they are sliced does not matter.
 *
 * self     begun
 * n_steps  steps of single walkers
 *
 * CAIRN_OK        walked
 * CAIRN_ERR_ARG   NULL
 *
 * Work: n_steps x (1, or log2 of the links of a node with weights); for each walk, 1 / alpha steps in the mean, two looks
 * at each node.
 */
CAIRN_MUST_CHECK cairn_status cairn_walkers_step(cairn_walkers_t *self, uint32_t n_steps);

/**
 * Label of a node: the class that most of the visits it remembers were of. In a tie, the one that its neighbours
 * remember more of; then the lowest.
 *
 * self  begun
 * node  index of the node
 *
 * Returns the class; CAIRN_WALKERS_UNKNOWN when no walker came by or the index is not known. Work: n_slots^2; in a tie up to
 * 2 n_slots^2 a link of the node more.
 */
uint8_t cairn_walkers_get_label(const cairn_walkers_t *self, uint32_t node);

#ifdef __cplusplus
}
#endif
#endif
