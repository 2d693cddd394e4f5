/* SPDX-License-Identifier: MIT
 * Incremental PCA: the leading k directions of a stream of vectors, a batch at a time, in fixed memory. A baseline for
 * embed: linear, Euclidean, and it needs to see data before it can project them. */
#ifndef CAIRN_INCREMENTAL_PCA_H
#define CAIRN_INCREMENTAL_PCA_H

#include "cairn/status.h"
#include "cairn/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Rows of the matrix that a batch decomposes. */
#define CAIRN_INCREMENTAL_PCA_ROWS(k, batch) ((size_t)(k) + (size_t)(batch) + 1u)

/** Reals of memory for d features, k directions and a batch of vectors. A constant expression. */
#define CAIRN_INCREMENTAL_PCA_REALS(d, k, batch)                                                                       \
    (((size_t)(k) + CAIRN_INCREMENTAL_PCA_ROWS(k, batch) + 2u) * (size_t)(d) +                                         \
     CAIRN_INCREMENTAL_PCA_ROWS(k, batch) * (2u * CAIRN_INCREMENTAL_PCA_ROWS(k, batch) + 3u) + (size_t)(k))

/** State. Private; holds pointers to the caller's array only. */
typedef struct cairn_incremental_pca {
    cairn_real *rows;     /* [rows x d]: directions times singular values, batch, mean correction */
    cairn_real *axes;     /* [k x d] directions */
    cairn_real *mean;     /* [d] of all whole batches */
    cairn_real *batch;    /* [d] mean of the batch */
    cairn_real *gram;     /* [rows x rows] */
    cairn_real *vectors;  /* [rows x rows] */
    cairn_real *values;   /* [rows] and [2 rows] work */
    cairn_real *singular; /* [k] */
    uint64_t n_seen;      /* vectors in whole batches */
    uint16_t d;
    uint16_t k;
    uint16_t n_batch;
    uint16_t n_waiting;
    uint16_t n_axes; /* found so far, <= k */
} cairn_incremental_pca_t;

/**
 * Start.
 *
 * self     out, every field is written
 * d        features, 1 to 65535
 * k        directions, 1 to d
 * n_batch  vectors a batch, k to 65534 - k
 * reals    [n_reals] caller's, kept; need not be cleared
 * n_reals  >= CAIRN_INCREMENTAL_PCA_REALS(d, k, n_batch)
 *
 * CAIRN_OK         ready
 * CAIRN_ERR_ARG    NULL, or a number out of range
 * CAIRN_ERR_SIZE   reals too short
 * CAIRN_ERR_ALIGN  reals misaligned
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_incremental_pca_init(cairn_incremental_pca_t *self, size_t d, size_t k,
                                                         size_t n_batch, cairn_real *reals, size_t n_reals);

/**
 * Take a vector; the last of a batch starts the update.
 *
 * self      initialised object
 * features  [d]
 *
 * CAIRN_OK             taken
 * CAIRN_ERR_ARG        NULL
 * CAIRN_ERR_NONFINITE  a feature is not finite
 * CAIRN_NOT_CONVERGED  the batch was dropped: its eigenvalues did not converge
 *
 * Work: d; with the last of a batch, m = k + n_batch + 1, m^2 d / 2 + 6 m^3 + k m d.
 * Source: Ross, Lim, Lin and Yang, IJCV 77 (2008) 125; the singular vectors come from the Gram matrix of the rows.
 */
CAIRN_MUST_CHECK cairn_status cairn_incremental_pca_add(cairn_incremental_pca_t *self, const cairn_real *features);

/**
 * Project a vector.
 *
 * self      object with at least one whole batch
 * features  [d]
 * place     [k] out
 *
 * CAIRN_OK             written
 * CAIRN_ERR_ARG        NULL
 * CAIRN_ERR_NONFINITE  a feature or a coordinate of the place is not finite
 * CAIRN_ERR_STATE      no batch yet
 *
 * Work: k d.
 */
CAIRN_MUST_CHECK cairn_status cairn_incremental_pca_place(const cairn_incremental_pca_t *self,
                                                          const cairn_real *features, cairn_real *place);

#ifdef __cplusplus
}
#endif
#endif
