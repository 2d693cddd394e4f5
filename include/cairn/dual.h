/* SPDX-License-Identifier: MIT
 * Walks between features: what an endless stream of feature vectors says, in memory that does not grow with it. */
#ifndef CAIRN_DUAL_H
#define CAIRN_DUAL_H

#include "cairn/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_DUAL_FEATURES_MAX 4096u

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_dual_cfg {
    cairn_factor_kind
        kind; /* BIPARTITE: exact in one pass; INNER and COSINE need the sum of all rows, see cairn_dual_fix */
    uint32_t n_features;  /* 1 to CAIRN_DUAL_FEATURES_MAX */
    cairn_real half_life; /* rows after which a row counts half, >= 1; 0: for ever */
} cairn_dual_cfg_t;

/** Reals of work memory, a constant expression: weights between features, their sums, a row. 16 features: 672 bytes. */
#define CAIRN_DUAL_REALS(features) ((size_t)(features) * ((size_t)(features) + 1u) / 2u + 2u * (size_t)(features))

/** Reals of the weights that cairn_dual_walk writes, a constant expression. */
#define CAIRN_DUAL_WEIGHTS(features) ((size_t)(features) * ((size_t)(features) + 1u) / 2u)

/** What the rows so far say. Private; holds pointers to the caller's cfg and memory only. */
typedef struct cairn_dual {
    const cairn_dual_cfg_t *cfg;
    cairn_real *work;
    uint32_t n_rows;    /* good rows since init or fix, saturates */
    uint32_t n_refused; /* rows with a value that is NaN, infinite or negative, saturates */
    bool fixed;         /* the sums of all rows are known */
} cairn_dual_t;

/** A walk on the features. Private; kept by the walk. */
typedef struct cairn_dual_walk {
    const cairn_real *weight; /* [CAIRN_DUAL_WEIGHTS(n_features)] rows of the upper triangle, half the diagonal first */
    uint32_t n_features;
} cairn_dual_walk_t;

/**
 * Start without rows.
 *
 * self    out, every field is written
 * cfg     settings, kept by self
 * work    [n_work] caller's, kept by self; need not be cleared
 * n_work  >= CAIRN_DUAL_REALS(cfg->n_features)
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL, or a setting out of range
 * CAIRN_ERR_NONFINITE  half_life is NaN or infinite
 * CAIRN_ERR_SIZE       work is too short
 * CAIRN_ERR_ALIGN      work is misaligned
 *
 * Work: n_features^2 / 2 writes.
 */
CAIRN_MUST_CHECK cairn_status cairn_dual_init(cairn_dual_t *self, const cairn_dual_cfg_t *cfg, cairn_real *work,
                                              size_t n_work);

/**
 * Take one row of the stream. Values below 0 have no walk.
 *
 * self  initialised
 * row   [n_features] >= 0
 *
 * CAIRN_OK             taken
 * CAIRN_REJECTED       the row is all 0: it has no similarity with any other
 * CAIRN_ERR_ARG        NULL
 * CAIRN_ERR_NONFINITE  a value is NaN or infinite
 * CAIRN_ERR_RANGE      a value is below 0
 *
 * Work: n_features^2 / 2 multiply-adds.
 */
CAIRN_MUST_CHECK cairn_status cairn_dual_add(cairn_dual_t *self, const cairn_real *row);

/**
 * Fix the sums of all rows and forget the weights between features. INNER and COSINE divide a row by its similarity with
 * all rows, which is known only at the end: a first pass, this call and a second pass give exactly what the walk between
 * all rows gives. Without it rows are divided by what was known when they came: take a warm-up block, fix, go on.
 *
 * self  initialised
 *
 * CAIRN_OK         fixed
 * CAIRN_ERR_ARG    self is NULL
 * CAIRN_ERR_STATE  no row was taken
 *
 * Work: n_features^2 / 2 writes.
 */
CAIRN_MUST_CHECK cairn_status cairn_dual_fix(cairn_dual_t *self);

/**
 * See the features as a graph: two of them are linked by the rows that have both. Its walk is the walk between all rows
 * so far, seen from the features: power iteration, harmonic scores and walks with restart have the same values at rows,
 * which are means over the features of a row (cairn_dual_links).
 *
 * self    initialised
 * memory  out, kept by walk
 * weight  [n_weight] out, kept by walk
 * n_weight  >= CAIRN_DUAL_WEIGHTS(n_features)
 * walk    out, every field is written; nodes are features
 *
 * CAIRN_OK        ready
 * CAIRN_ERR_ARG   NULL
 * CAIRN_ERR_SIZE  weight is too short
 *
 * Work: one multiply-add a weight.
 */
CAIRN_MUST_CHECK cairn_status cairn_dual_walk(const cairn_dual_t *self, cairn_dual_walk_t *memory, cairn_real *weight,
                                              size_t n_weight, cairn_walk_t *walk);

/**
 * A row as links to features, for cairn_pic_extend: its coordinates are the mean of theirs with these weights. A walk
 * with restart at a row restarts at its features in proportion to the weights.
 *
 * self    initialised
 * row     [n_features] >= 0
 * nodes   [n_features] out: features of the row
 * weights [n_features] out: > 0
 * n_links out: how many
 *
 * CAIRN_OK             written
 * CAIRN_ERR_ARG        NULL
 * CAIRN_ERR_NONFINITE  a value is NaN or infinite
 * CAIRN_ERR_RANGE      a value is below 0
 *
 * Work: n_features multiply-adds.
 */
CAIRN_MUST_CHECK cairn_status cairn_dual_links(const cairn_dual_t *self, const cairn_real *row, uint32_t *nodes,
                                               cairn_real *weights, size_t *n_links);

#ifdef __cplusplus
}
#endif
#endif
