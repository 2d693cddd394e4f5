/* SPDX-License-Identifier: MIT
 * Implicit manifolds: walks on the similarity of all pairs of feature vectors, without forming it. */
#ifndef CAIRN_FACTOR_H
#define CAIRN_FACTOR_H

#include "cairn/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Similarity of two rows of F. */
typedef enum cairn_factor_kind {
    CAIRN_FACTOR_INNER = 0,    /* their inner product: F F^T; also path folding */
    CAIRN_FACTOR_COSINE = 1,   /* of rows of length 1; for measurements and documents */
    CAIRN_FACTOR_BIPARTITE = 2 /* a step to a feature and back: F C^-1 F^T, C column sums; for counts, F >= 0 */
} cairn_factor_kind;

/** Settings and data; the caller keeps them alive and constant while walks on them are in use. */
typedef struct cairn_factor {
    cairn_factor_kind kind;
    uint32_t n_rows;
    uint32_t n_features;
    const cairn_real *value; /* dense: [n_rows x n_features]; sparse: [start[n_rows]] */
    const uint32_t *start;   /* sparse: [n_rows + 1] where rows begin; NULL: dense */
    const uint16_t *feature; /* sparse: [start[n_rows]] below n_features */
    bool keep_self;          /* leave the similarity of a row with itself in, as in the thesis; false: take it out */
} cairn_factor_t;

/** Reals of scratch, a constant expression; columns: of the widest product. */
#define CAIRN_FACTOR_REALS(rows, features, columns) ((size_t)(rows)*2u + (size_t)(features) * ((size_t)(columns) + 1u))

/** What a walk on factors needs between products. Private; holds pointers to the caller's data. */
typedef struct cairn_factor_walk {
    const cairn_factor_t *factor;
    cairn_real *scale;   /* [n_rows] 1 / length of a row; 1 */
    cairn_real *self;    /* [n_rows] similarity with itself */
    cairn_real *inverse; /* [n_features] 1 / column sum; 1 */
    cairn_real *z;       /* [n_features x columns] */
} cairn_factor_walk_t;

/**
 * Make a walk on factors. Similarities that come out below 0 (a cosine of vectors with negative parts, random Fourier
 * features) make degrees that are not above 0; such rows count as nodes without links.
 *
 * self       out, kept by walk
 * factor     the data, kept by self: values finite; bipartite: >= 0
 * scratch    [n_scratch] caller's, kept by self; one walk at a time uses it
 * n_scratch  >= CAIRN_FACTOR_REALS(n_rows, n_features, columns of the widest product)
 * columns    of the widest product, 1 to CAIRN_WALK_COLUMNS_MAX
 * walk       out
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL, no rows or features, an unknown kind, or a negative value where kind is bipartite
 * CAIRN_ERR_NONFINITE  a value is NaN or infinite
 * CAIRN_ERR_SIZE       scratch too short
 *
 * Work: two passes over the values. Each product: two passes, 2 columns multiply-adds a value.
 */
CAIRN_MUST_CHECK cairn_status cairn_factor_walk(cairn_factor_walk_t *self, const cairn_factor_t *factor,
                                                cairn_real *scratch, size_t n_scratch, size_t columns,
                                                cairn_walk_t *walk);

#ifdef __cplusplus
}
#endif
#endif
