/* SPDX-License-Identifier: MIT
 * Power iteration clustering as the thesis has it: one vector, stopped when it no longer speeds up. */
#ifndef CAIRN_POWER_H
#define CAIRN_POWER_H

#include "cairn/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where the walk begins. */
typedef enum cairn_power_start {
    CAIRN_POWER_UNIFORM = 0, /* hashed, uniform in [0, 1) */
    CAIRN_POWER_NORMAL = 1,  /* hashed, +1 or -1: the zero mean and unit variance of a normal deviate in one bit */
    CAIRN_POWER_DEGREE = 2,  /* the degree; does not move at all where all degrees are alike */
    CAIRN_POWER_SKEWED = 3,  /* 1, 1/2, 1/4 ... at the nodes of highest degree, 0 elsewhere */
    CAIRN_POWER_GIVEN = 4    /* what the caller wrote into `vector` */
} cairn_power_start;

/** When the walk ends. */
typedef enum cairn_power_stop {
    CAIRN_POWER_ACCELERATION = 0, /* no entry's change changes by more than tolerance / n: the thesis's rule */
    CAIRN_POWER_MOVED = 1,        /* earth mover's distance between steps below tolerance / n */
    CAIRN_POWER_STEPS = 2         /* steps_max */
} cairn_power_stop;

/** Settings. */
typedef struct cairn_power_cfg {
    cairn_power_start start;
    cairn_power_stop stop;
    uint32_t steps_max;   /* 1 to 2^24, default 1000 */
    cairn_real tolerance; /* >= 0, default 1e-5 */
    bool lazy;            /* half speed: for graphs with two sides, where the vector swings for ever */
    uint64_t seed;
} cairn_power_cfg_t;

/** The thesis's settings. */
extern const cairn_power_cfg_t cairn_power_cfg_default;

/** Reals of work memory, a constant expression. */
#define CAIRN_POWER_REALS(nodes) ((size_t)(nodes)*4u)

/** A job. Private, but for the results, which may be read. */
typedef struct cairn_power {
    const cairn_power_cfg_t *cfg;
    cairn_walk_t walk;
    cairn_real *vector;  /* [n] u: the thesis's vector is (constant + 2^exponent scale u) / its sum */
    cairn_real *degree;  /* [n] */
    cairn_real *product; /* [n] */
    cairn_real *change;  /* [n] of the last step */
    uint32_t n_active;   /* nodes with links */
    uint32_t n_steps;    /* done */
    uint32_t cursor;
    uint8_t stage;
    bool stopped; /* the rule was met */
    cairn_real volume;
    cairn_real constant; /* the part that never changes */
    cairn_real scale;    /* of u, with exponent: a power of two that keeps it from underflow */
    int32_t exponent;
    cairn_real sum; /* of the vector before it is divided by it: S */
    cairn_real sum_u;
} cairn_power_t;

/**
 * Begin to walk.
 *
 * self    out, every field is written
 * cfg     settings, kept by self
 * walk    the graph, copied
 * work    [n_work] caller's, kept by self; with CAIRN_POWER_GIVEN its first n_nodes reals are the start, finite, >= 0
 * n_work  >= CAIRN_POWER_REALS(walk->n_nodes)
 *
 * CAIRN_OK             begun
 * CAIRN_ERR_ARG        NULL, a setting out of range, or a start below 0
 * CAIRN_ERR_NONFINITE  a setting or a start is NaN or infinite
 * CAIRN_ERR_SIZE       work too short
 *
 * Work: a few writes a node.
 */
CAIRN_MUST_CHECK cairn_status cairn_power_begin(cairn_power_t *self, const cairn_power_cfg_t *cfg,
                                                const cairn_walk_t *walk, cairn_real *work, size_t n_work);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self        begun job
 * operations  budget; one operation is one look at one link
 *
 * CAIRN_MORE           work is left
 * CAIRN_OK             done: the rule was met, or there is nothing to walk for
 * CAIRN_NOT_CONVERGED  done: steps_max was reached (always so with CAIRN_POWER_STEPS)
 * CAIRN_ERR_ARG        self is NULL
 *
 * Work: operations + a part of the graph or 12 multiply-adds a node.
 */
CAIRN_MUST_CHECK cairn_status cairn_power_step(cairn_power_t *self, uint32_t operations);

/**
 * Entry of the thesis's vector, which sums to 1. In float its entries differ by less than they can show where the walk
 * mixes fast; `vector` holds the same without the constant part, and is what to cluster.
 *
 * self  begun job
 * node  < walk->n_nodes
 *
 * Returns the entry. Work: O(1).
 */
cairn_real cairn_power_get_literal(const cairn_power_t *self, uint32_t node);

/**
 * Split the vector into two groups, exactly (k-means with k = 2 on u).
 *
 * self   done job; its product and change are overwritten
 * label  [n_nodes] out: 0 or 1, 255 for nodes without links
 *
 * CAIRN_OK        done
 * CAIRN_UNPLACED  fewer than two nodes with links: label is written, all 0 or 255
 * CAIRN_ERR_ARG   NULL
 *
 * Work: n log2 n comparisons.
 */
CAIRN_MUST_CHECK cairn_status cairn_power_split(cairn_power_t *self, uint8_t *label);

#ifdef __cplusplus
}
#endif
#endif
