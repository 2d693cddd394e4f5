/* SPDX-License-Identifier: MIT
 * What the ranges of a network allow: range-only least squares from the truth, in double, plain and slow. */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include "generator.h"

/* Outcome of the reference. */
typedef struct limit {
    double rmse_core_m; /* over the core */
    double rmse_m;      /* over all sensors */
    size_t n_core;
    size_t n_steps;    /* Gauss-Newton steps */
    size_t n_products; /* of the conjugate gradients */
    bool converged;
    double cost; /* sum of squared weighted residuals, all ranges */
} limit_t;

/* Ranges of each node: range_of[row_begin[i]] to range_of[row_begin[i + 1] - 1]. Release both with free. */
void limit_list_ranges(const generator_t *network, size_t **row_begin, size_t **range_of);

/* Mark the core: the sensors that dim + 1 paths join to as many anchors, paths along ranges, through sensors of the core
 * alone, none of which is on two of them. Others can, in general, turn, or have a mirror image that fits as well.
 * core [n_nodes]. Returns how many sensors it holds. */
size_t limit_find_core(const generator_t *network, bool *core);

/* Minimise sum ((d - range) / (sigma d_true))^2 from the true places until ten steps gain less than .01, and
 * compare with the truth. */
void limit_solve(const generator_t *network, const bool *core, limit_t *result);

/* As limit_solve from other places [n_nodes x dim]; anchors at their true ones. The places found are written back. */
void limit_solve_from(const generator_t *network, const bool *core, double *place_m, limit_t *result);

#endif
