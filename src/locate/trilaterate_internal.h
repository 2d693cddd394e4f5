/* SPDX-License-Identifier: MIT
 * Linear trilateration and the axes of a set of points, for dim 1 to 3. */
#ifndef CAIRN_TRILATERATE_INTERNAL_H
#define CAIRN_TRILATERATE_INTERNAL_H

#include "cairn/vector.h"

/* Reals of the sums of a linear trilateration: an upper triangle in (z, x), row by row, and its right side, z = |x|^2. */
#define TRILATERATE_REALS(dim) ((((size_t)(dim) + 1u) * ((size_t)(dim) + 4u)) / 2u)
#define TRILATERATE_DIM_MAX    3

/* Add the row -2 A.x + z = range^2 - |A|^2 with a weight; A relative to a nearby centre, for the digits. */
void cairn_trilaterate_add(cairn_real *sums, size_t dim, const cairn_real *anchor, cairn_real range, cairn_real weight);

/* Solve the sums for x. `ridge`, a share of the trace, pulls towards the centre what the rows leave open.
 * Returns false when the sums hold no two different anchors. */
bool cairn_trilaterate_solve(const cairn_real *sums, size_t dim, cairn_real ridge, cairn_real *x);

/* Eigenvalues, ascending, and eigenvectors (rows of axes [dim x dim]) of a packed symmetric matrix: cyclic Jacobi. The
 * matrix is overwritten. */
void cairn_principal_axes(cairn_real *matrix, size_t dim, cairn_real *values, cairn_real *axes);

#endif
