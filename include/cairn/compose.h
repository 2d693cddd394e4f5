/* SPDX-License-Identifier: MIT
 * Composed walks: a step along one kind of similarity, then a step along another. */
#ifndef CAIRN_COMPOSE_H
#define CAIRN_COMPOSE_H

#include "cairn/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which way values go. */
typedef enum cairn_compose_way {
    CAIRN_COMPOSE_SCORES = 0, /* values: each node takes the mean of where it steps to; for harmonic fields */
    CAIRN_COMPOSE_WALKERS = 1 /* masses: each node sends its mass along; for walks with restart (MultiRankWalk) */
} cairn_compose_way;

/** Reals of scratch, a constant expression; columns: of the widest product. */
#define CAIRN_COMPOSE_REALS(nodes, columns) ((size_t)(nodes) * (2u + 2u * (size_t)(columns)))

/** What a composed walk needs between products. Private; holds pointers to the caller's data. */
typedef struct cairn_compose {
    cairn_walk_t first;
    cairn_walk_t second;
    cairn_compose_way way;
    cairn_real *inverse_first;  /* [n_nodes] 1 / degree */
    cairn_real *inverse_second; /* [n_nodes] */
    cairn_real *before;         /* [n_nodes x columns] */
    cairn_real *between;        /* [n_nodes x columns] */
} cairn_compose_t;

/**
 * Compose two walks on the same nodes: W = D2^-1 A2 D1^-1 A1, as scores or, transposed, as walkers. It is no symmetric
 * matrix any more: for cairn_spread_begin, not for clustering.
 *
 * self       out, kept by walk
 * first      a walk; copied, what it refers to is kept
 * second     another one on as many nodes
 * way        what it is for: SCORES with CAIRN_SPREAD_HF, WALKERS with CAIRN_SPREAD_MRW
 * scratch    [n_scratch] caller's, kept by self; one walk at a time uses it
 * n_scratch  >= CAIRN_COMPOSE_REALS(n_nodes, columns of the widest product)
 * columns    1 to CAIRN_WALK_COLUMNS_MAX
 * walk       out
 *
 * CAIRN_OK        ready
 * CAIRN_ERR_ARG   NULL, an unknown way, walks of different sizes, or a composed walk among them
 * CAIRN_ERR_SIZE  scratch too short
 *
 * Work: one product with each walk; each product after that: one with each.
 */
CAIRN_MUST_CHECK cairn_status cairn_compose_walk(cairn_compose_t *self, const cairn_walk_t *first,
                                                 const cairn_walk_t *second, cairn_compose_way way, cairn_real *scratch,
                                                 size_t n_scratch, size_t columns, cairn_walk_t *walk);

#ifdef __cplusplus
}
#endif
#endif
