/* SPDX-License-Identifier: MIT
 * Small dense vectors and packed symmetric matrices, in fixed order of operations. */
#ifndef CAIRN_VECTOR_H
#define CAIRN_VECTOR_H

#include "cairn/real.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Number of reals of a packed symmetric n x n matrix: lower triangle, row by row. n as a constant gives a constant. */
#define CAIRN_SYMMETRIC_REALS(n) ((size_t)(n) * ((size_t)(n) + 1u) / 2u)

/**
 * Inner product.
 *
 * a, b  [n] vectors, may be equal
 * n     length
 *
 * Returns sum a_i b_i, summed from i = 0. Work: n multiply-adds.
 */
cairn_real cairn_dot(const cairn_real *a, const cairn_real *b, size_t n);

/**
 * Euclidean distance.
 *
 * a, b  [n] points, may be equal
 * n     length
 *
 * Returns |a - b|. Work: n multiply-adds and one root.
 */
cairn_real cairn_distance(const cairn_real *a, const cairn_real *b, size_t n);

/**
 * Whether every number is finite, by bits.
 *
 * a  [n] vector
 * n  length
 *
 * Returns true when all are. Work: n.
 */
bool cairn_all_finite(const cairn_real *a, size_t n);

/**
 * Solve A x = b for a symmetric positive definite A by LDL^T (Golub and Van Loan, 4.1.2).
 *
 * a  [CAIRN_SYMMETRIC_REALS(n)] packed lower triangle; overwritten by its factors
 * x  [n] in: b; out: the solution, meaningful only when true is returned; must not overlap a
 * n  order, >= 1
 *
 * Returns false when a pivot is not above 8 n machine epsilons of its diagonal entry: the matrix is not positive
 * definite to working precision (a NaN pivot fails as well). Work: n^3 / 6 + n^2 multiply-adds. No scratch.
 */
CAIRN_MUST_CHECK bool cairn_symmetric_solve(cairn_real *a, cairn_real *x, size_t n);

#ifdef __cplusplus
}
#endif
#endif
