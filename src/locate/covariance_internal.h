/* SPDX-License-Identifier: MIT
 * Small packed covariances of places, shared by the solvers' estimates of deviation. dim <= CAIRN_LOCATE_DIM_MAX. */
#ifndef CAIRN_COVARIANCE_INTERNAL_H
#define CAIRN_COVARIANCE_INTERNAL_H

#include "cairn/real.h"

/* u^T C u for a packed symmetric C. */
cairn_real cairn_covariance_form(const cairn_real *packed, const cairn_real *u, size_t dim);

/* information += weight u u^T. */
void cairn_covariance_add(cairn_real *information, const cairn_real *u, size_t dim, cairn_real weight);

/* Invert the packed information column by column; the floor keeps what no neighbour measures finite. Without an inverse
 * the covariance stays as it is. */
void cairn_covariance_invert(const cairn_real *information, size_t dim, cairn_real floor, cairn_real *covariance);

#endif
