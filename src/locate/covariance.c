/* SPDX-License-Identifier: MIT
 * Small packed covariances of places. */
#include "locate/covariance_internal.h"

#include "cairn/vector.h"

cairn_real cairn_covariance_form(const cairn_real *packed, const cairn_real *u, size_t dim)
{
    cairn_real sum = 0;

    for (size_t k = 0; k < dim; ++k) {
        for (size_t l = 0; l < k; ++l) {
            sum += 2 * *packed++ * u[k] * u[l];
        }
        sum += *packed++ * u[k] * u[k];
    }
    return sum;
}

void cairn_covariance_add(cairn_real *information, const cairn_real *u, size_t dim, cairn_real weight)
{
    for (size_t k = 0; k < dim; ++k) {
        for (size_t l = 0; l <= k; ++l) {
            *information++ += weight * u[k] * u[l];
        }
    }
}

void cairn_covariance_invert(const cairn_real *information, size_t dim, cairn_real floor, cairn_real *covariance)
{
    cairn_real factors[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)];
    cairn_real column[CAIRN_LOCATE_DIM_MAX];

    for (size_t l = 0; l < dim; ++l) {
        size_t diagonal = 0;
        memcpy(factors, information, CAIRN_SYMMETRIC_REALS(dim) * sizeof *factors);
        for (size_t k = 0; k < dim; ++k) {
            factors[diagonal] += floor;
            diagonal += k + 2u;
            column[k] = k == l ? 1.0f : 0.0f;
        }
        if (!cairn_symmetric_solve(factors, column, dim)) {
            return; /* keeps the covariance of the round before */
        }
        for (size_t k = l; k < dim; ++k) {
            covariance[k * (k + 1u) / 2u + l] = column[k];
        }
    }
}
