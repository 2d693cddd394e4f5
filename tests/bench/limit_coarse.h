/* SPDX-License-Identifier: MIT
 * Coarse level of the limit's preconditioner: displacements interpolated from the corners of wide cells, the matrix of
 * the ranges upon them factored. Soft modes of large networks, which a diagonal leaves to thousands of products, are
 * nearly of that kind (Nicolaides 1987). */
#ifndef BENCH_LIMIT_COARSE_H
#define BENCH_LIMIT_COARSE_H

#include "generator.h"

typedef struct limit_coarse {
    const generator_t *network;
    size_t dim;
    size_t n_cells;   /* along each axis */
    size_t stride[3]; /* between corners */
    size_t n_rows;
    size_t band; /* entries of a row, the diagonal the last */
    double low_m[3];
    double cell_m;
    double *matrix; /* [n_rows x band] lower triangle, then its factor */
    double *vector; /* [n_rows] */
} limit_coarse_t;

/* Cells at least as wide as the radio range, over the true places. */
void limit_coarse_init(limit_coarse_t *self, const generator_t *network);
void limit_coarse_free(limit_coarse_t *self);

/* Factor the Gauss-Newton matrix at places [n_nodes x dim], with weights [n_ranges] and what damping adds to the diagonal
 * [n_nodes x dim]. */
void limit_coarse_factor(limit_coarse_t *self, const double *place_m, const double *weight, const double *diagonal,
                         double damping);

/* result += interpolated solution for the restricted residual, both [n_nodes x dim]; anchors are left out. */
void limit_coarse_add(limit_coarse_t *self, const double *residual, double *result);

#endif
