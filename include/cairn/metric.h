/* SPDX-License-Identifier: MIT
 * Distances between feature vectors, as data: supplied ones and the caller's. */
#ifndef CAIRN_METRIC_H
#define CAIRN_METRIC_H

#include "cairn/status.h"
#include "cairn/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_metric cairn_metric_t;

/**
 * The caller's distance between two vectors; symmetric.
 *
 * context  the caller's
 * p, q     [d] finite vectors
 * d        features
 *
 * Returns the distance >= 0; anything else says that there is none.
 */
typedef cairn_real (*cairn_metric_fn)(const void *context, const cairn_real *p, const cairn_real *q, size_t d);

/** One part of a weighted mix: a stretch of the features with a distance of its own. */
typedef struct cairn_metric_part {
    const cairn_metric_t *metric; /* of this part; not a mix itself, nor one that keeps */
    uint16_t first;               /* feature the part begins at */
    uint16_t n;                   /* features of the part, >= 1 */
    cairn_real weight;            /* > 0 */
} cairn_metric_part_t;

/** A distance. Use a supplied object, or fill one in with a function below. */
struct cairn_metric {
    /**
     * Distances of one vector to many.
     *
     * metric  this object
     * p       [d]
     * rows    n vectors, `stride` reals from one to the next
     * n       how many
     * stride  >= d
     * d       features
     * out     [n] distances; NaN, infinite or negative where there is none
     */
    void (*distances)(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n,
                      size_t stride, size_t d, cairn_real *out);
    cairn_metric_fn between;          /* of the caller's */
    const void *context;              /* passed to it */
    const cairn_metric_part_t *parts; /* of a mix */
    uint16_t n_parts;
    bool nonnegative; /* features must be >= 0 */
    /* NULL, or the number that `distances` wants at rows[d], behind the features: only embed takes such a metric */
    cairn_real (*keep)(const cairn_real *row, size_t d);
};

extern const cairn_metric_t cairn_metric_euclidean; /* |p - q| */
/** The same from inner products and stored squares, for embed with many features (a hundred or more): a third less work.
 * Where |p - q|^2 is below 1/8 of |p|^2 + |q|^2 it takes differences instead: centre features that share an offset. */
extern const cairn_metric_t cairn_metric_euclidean_dot;
extern const cairn_metric_t cairn_metric_chi_square; /* sum 2 (p - q)^2 / (p + q), 0/0 = 0; features >= 0 */
extern const cairn_metric_t cairn_metric_hellinger;  /* root of sum (root p - root q)^2 / 2; features >= 0 */
/** Angle between p and q in radians, whatever their lengths (> 0); exact for small angles. */
extern const cairn_metric_t cairn_metric_angle;

/**
 * A distance that the caller computes.
 *
 * self     out, every field is written
 * between  the function, kept
 * context  passed to it, kept
 *
 * CAIRN_OK       written
 * CAIRN_ERR_ARG  self or between is NULL
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_metric_own(cairn_metric_t *self, cairn_metric_fn between, const void *context);

/**
 * A weighted sum of distances of parts of the vector, such as several histograms and a few plain features. Where a part has
 * no distance the sum has none.
 *
 * self     out, every field is written
 * parts    [n_parts] kept
 * n_parts  1 to 65535
 * d        features of the vectors: no part may go beyond
 *
 * CAIRN_OK             written
 * CAIRN_ERR_ARG        NULL, no parts, a part without a metric, with a mix or with one that keeps a number, an empty part,
 *                      a weight not above 0
 * CAIRN_ERR_SIZE       a part goes beyond d
 * CAIRN_ERR_NONFINITE  a weight is not finite
 *
 * Work: O(n_parts). Source: thesis chapter 4 (weighted sum of chi-square and Euclidean parts).
 */
CAIRN_MUST_CHECK cairn_status cairn_metric_mix(cairn_metric_t *self, const cairn_metric_part_t *parts, size_t n_parts,
                                               size_t d);

#ifdef __cplusplus
}
#endif
#endif
