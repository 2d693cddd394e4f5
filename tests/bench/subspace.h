/* SPDX-License-Identifier: MIT
 * Made-up feature vectors near a random subspace, errors of an embedding of them, and slow references. */
#ifndef BENCH_SUBSPACE_H
#define BENCH_SUBSPACE_H

#include <stddef.h>
#include <stdint.h>

#include "cairn/rng.h"

typedef struct subspace_cfg {
    size_t n;
    size_t d;
    size_t k;     /* random unit-norm basis vectors, coefficients uniform in [-1, 1] */
    double sigma; /* N(0, sigma^2) in every dimension */
    size_t
        n_clusters; /* 0: none; else coefficients are a cluster's own plus .3 of the uniform ones, one after another */
    uint64_t seed;
} subspace_cfg_t;

/* [n x d]; release with free. */
cairn_real *subspace_draw(const subspace_cfg_t *cfg);

/* Error of an embedding: the thesis's scaled error and plain relative stress, means of 5 samples of 1000 of n points that
 * the seed alone decides. */
typedef struct subspace_error {
    double scaled;
    double stress;
} subspace_error_t;

subspace_error_t subspace_measure(const cairn_real *points, size_t n, size_t d, const cairn_real *places, size_t k,
                                  uint64_t seed);

/* SMACOF in double on the first n points from the start in places, relaxed Guttman steps (de Leeuw and Heiser 1980), until
 * a step lowers the stress by less than 1e-7 of itself. Returns the steps. */
size_t subspace_smacof(const cairn_real *points, size_t n, size_t d, cairn_real *places, size_t k);

/* PLACE-RANDOM as the thesis prints it: images of the first l by random projection, ten plain rounds a point from the
 * nearest landmark's image, reservoir. */
void subspace_literal(const cairn_real *points, size_t n, size_t d, size_t l, size_t n_passes, cairn_real *places,
                      size_t k);

#endif
