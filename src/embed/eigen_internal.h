/* SPDX-License-Identifier: MIT
 * All eigenvalues and vectors of a symmetric matrix. */
#ifndef CAIRN_EIGEN_INTERNAL_H
#define CAIRN_EIGEN_INTERNAL_H

#include "cairn/real.h"

/* matrix [n x n] symmetric, destroyed; vectors [n x n] out, one a row; values [n] out, in no order; work [2 n]. Householder
 * tridiagonalisation, then implicit QL with at most 30 rounds a value; false when one does not converge.
 * Work: about 6 n^3. */
bool cairn_eigen_symmetric(cairn_real *matrix, size_t n, cairn_real *vectors, cairn_real *values, cairn_real *work);

#endif
