/* SPDX-License-Identifier: MIT
 * K-means over a stream: Lloyd passes that hold no points, or one pass with running means. */
#ifndef CAIRN_KMEANS_H
#define CAIRN_KMEANS_H

#include "cairn/status.h"
#include "cairn/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How centres follow the points. */
typedef enum cairn_kmeans_method {
    CAIRN_KMEANS_LLOYD = 0,   /* centres stand during a pass and become the means at its end (Lloyd 1982) */
    CAIRN_KMEANS_ONE_PASS = 1 /* each point pulls its centre at once: running means (MacQueen 1967) */
} cairn_kmeans_method_t;

/** Largest coordinate: squared distances stay a float in 65535 dimensions. */
#define CAIRN_KMEANS_COORDINATE_MAX 1e16f

/** Reals of caller memory for k centres in d dimensions: centres, means of the pass, the farthest point. */
#define CAIRN_KMEANS_REALS(k, d) (2u * (size_t)(k) * (size_t)(d) + (size_t)(d))

/** A clustering. Private, read by the functions below; holds pointers to the caller's arrays only. */
typedef struct cairn_kmeans {
    cairn_real *centre;   /* [k x d] */
    cairn_real *mean;     /* [k x d] of this pass */
    cairn_real *farthest; /* [d] the point of this pass farthest from its centre */
    uint32_t *count;      /* [k] points of this pass; one-pass: of all */
    cairn_kmeans_method_t method;
    uint16_t k;
    uint16_t d;
    uint16_t n_centres; /* distinct starts found so far, <= k */
    cairn_real farthest_square;
    cairn_real inertia;        /* mean squared distance to the nearest centre, of the running pass */
    cairn_real inertia_passed; /* of the last whole pass */
    uint64_t n_points;         /* in this pass */
    uint32_t n_passes;
    uint32_t n_moved_empty; /* centres without points that took the farthest point, since init */
} cairn_kmeans_t;

/**
 * Start without centres: the first k distinct points become them.
 *
 * self     out, every field is written
 * method   as described there
 * k, d     centres and dimensions, 1 to 65535
 * reals    [n_reals] caller's, kept; need not be cleared
 * n_reals  >= CAIRN_KMEANS_REALS(k, d)
 * count    [k] caller's, kept; need not be cleared
 *
 * CAIRN_OK         ready
 * CAIRN_ERR_ARG    NULL, or k, d or method out of range
 * CAIRN_ERR_SIZE   reals too short
 * CAIRN_ERR_ALIGN  an array is misaligned
 *
 * Work: O(k d).
 */
CAIRN_MUST_CHECK cairn_status cairn_kmeans_init(cairn_kmeans_t *self, cairn_kmeans_method_t method, size_t k, size_t d,
                                                cairn_real *reals, size_t n_reals, uint32_t *count);

/**
 * Take the next point.
 *
 * self     initialised clustering
 * point    [d]; points so near to each other that the squared distance vanishes count as one
 * cluster  out, nullable: the nearest centre, ties to the lowest index
 *
 * CAIRN_OK             taken. While fewer than k distinct points have come, a new one becomes a centre and its own cluster
 * CAIRN_ERR_ARG        self or point is NULL
 * CAIRN_ERR_NONFINITE  a coordinate is not finite
 * CAIRN_ERR_RANGE      one is beyond +-CAIRN_KMEANS_COORDINATE_MAX
 * CAIRN_ERR_STATE      2^32 - 1 points in this pass
 *
 * Work: 3 k d.
 */
CAIRN_MUST_CHECK cairn_status cairn_kmeans_add(cairn_kmeans_t *self, const cairn_real *point, uint32_t *cluster);

/**
 * End a pass over the data. Lloyd: centres become the means of their points. A centre without points takes the place of
 * the point that was farthest from its own centre; when several are empty, the first does, and the others stay.
 *
 * self     initialised clustering
 * inertia  out, nullable: mean squared distance of the pass's points to their centres
 *
 * CAIRN_OK         ended
 * CAIRN_ERR_ARG    self is NULL
 * CAIRN_ERR_STATE  no point has come since the last pass
 *
 * Work: O(k d).
 */
CAIRN_MUST_CHECK cairn_status cairn_kmeans_end_pass(cairn_kmeans_t *self, cairn_real *inertia);

/**
 * The centres: [n x d] row-major, n being cairn_kmeans_get_count.
 *
 * self  initialised clustering
 *
 * Returns the caller's array. Work: O(1).
 */
const cairn_real *cairn_kmeans_get_centres(const cairn_kmeans_t *self);

/**
 * Number of centres: k, or the number of distinct points while fewer have come.
 *
 * self  initialised clustering
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_kmeans_get_count(const cairn_kmeans_t *self);

#ifdef __cplusplus
}
#endif
#endif
