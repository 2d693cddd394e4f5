/* SPDX-License-Identifier: MIT
 * FastMap: k coordinates from 2 k pivots, any distance, in fixed memory; a cheap baseline for embed. */
#ifndef CAIRN_FASTMAP_H
#define CAIRN_FASTMAP_H

#include "cairn/metric.h"
#include "cairn/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reals of memory for a sample of n vectors and k coordinates. A constant expression. */
#define CAIRN_FASTMAP_REALS(n, k) ((size_t)(n) * ((size_t)(k) + 1u) + (size_t)(k))

/** State. Private; holds pointers to caller arrays only. */
typedef struct cairn_fastmap {
    const cairn_metric_t *metric;
    const cairn_real *sample; /* [n x d] the caller's */
    cairn_real *place;        /* [n x k] of the sample */
    cairn_real *square;       /* [n] one row of squared distances */
    cairn_real *length;       /* [k] between the pivots of an axis; 0: there is no such axis */
    uint16_t *pivot;          /* [2 k] */
    uint32_t n;
    uint16_t d;
    uint16_t k;
} cairn_fastmap_t;

/**
 * Choose pivots from a sample: the two ends of the longest line that five jumps to the farthest find, axis by axis.
 *
 * self     out, every field is written
 * metric   kept; NULL: cairn_metric_euclidean
 * sample   [n x d] caller's, kept; finite
 * n        vectors of the sample, 2 to 65535
 * d        features, 1 to 65535
 * k        coordinates, 1 to 65535
 * reals    [n_reals] caller's, kept
 * n_reals  >= CAIRN_FASTMAP_REALS(n, k)
 * pivot    [2 k] caller's, kept
 * seed     of the jumps' beginnings
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL, or a number out of range
 * CAIRN_ERR_SIZE       reals too short
 * CAIRN_ERR_ALIGN      an array is misaligned
 * CAIRN_ERR_NONFINITE  the sample is not finite, or a distance of it, or there is none
 * CAIRN_ERR_RANGE      a feature is negative, which the metric does not take
 *
 * Work: 7 k n distances and 7 k^2 n. Source: Faloutsos and Lin, SIGMOD 1995.
 */
CAIRN_MUST_CHECK cairn_status cairn_fastmap_init(cairn_fastmap_t *self, const cairn_metric_t *metric,
                                                 const cairn_real *sample, size_t n, size_t d, size_t k,
                                                 cairn_real *reals, size_t n_reals, uint16_t *pivot, uint64_t seed);

/**
 * Place a vector.
 *
 * self      initialised object
 * features  [d]
 * place     [k] out
 *
 * CAIRN_OK             written
 * CAIRN_ERR_ARG        NULL
 * CAIRN_ERR_NONFINITE  a feature or a distance is not finite, or there is none
 * CAIRN_ERR_RANGE      a feature is negative, which the metric does not take
 *
 * Work: 2 k distances and 2 k^2.
 */
CAIRN_MUST_CHECK cairn_status cairn_fastmap_place(const cairn_fastmap_t *self, const cairn_real *features,
                                                  cairn_real *place);

#ifdef __cplusplus
}
#endif
#endif
