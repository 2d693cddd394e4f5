/* SPDX-License-Identifier: MIT
 * Taylor features of the Gaussian kernel. Source: Lin (2012), 8.4. What we changed: one feature a multiset of
 * coordinates instead of one a tuple, exp(-|x|^2 / 2 s^2) prod (x_i / s)^a_i / sqrt(a_i!), which halves their number and
 * more. */
#include "cairn/scalar.h"
#include "walk/kernel_internal.h"

#define EXPONENT_MOST 80 /* e^-80 is nothing beside 1 */

uint32_t cairn_kernel_taylor_count(uint32_t dim, uint32_t degree)
{
    uint32_t count = 1;

    if (dim < 1 || dim > CAIRN_KERNEL_DIM_MAX || degree > CAIRN_KERNEL_DEGREE_MAX) {
        return 0;
    }
    for (uint32_t k = 1; k <= degree; ++k) {
        count = count * (dim + k) / k;
    }
    return count;
}

/* The next exponent vector whose sum is at most degree, counting up; false after the last. */
static bool next_powers(uint8_t *power, uint32_t dim, uint32_t degree)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < dim; ++i) {
        sum += power[i];
    }
    for (uint32_t i = 0; i < dim; ++i) {
        if (sum < degree) {
            ++power[i];
            return true;
        }
        sum -= power[i];
        power[i] = 0;
    }
    return false;
}

cairn_status cairn_kernel_taylor(const cairn_real *x, uint32_t dim, uint32_t degree, cairn_real sigma,
                                 cairn_real *features)
{
    cairn_status status = kernel_check(x, dim, sigma);
    uint8_t power[CAIRN_KERNEL_DIM_MAX] = {0};
    cairn_real square = 0;
    cairn_real factor;
    size_t n = 0;

    if (features == NULL || cairn_kernel_taylor_count(dim, degree) == 0) {
        return CAIRN_ERR_ARG;
    }
    if (status != CAIRN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < dim; ++i) {
        square += (x[i] / sigma) * (x[i] / sigma);
    }
    factor = square <= 2 * EXPONENT_MOST ? cairn_exp(-0.5f * square) : (cairn_real)0;
    do {
        cairn_real product = factor;
        for (uint32_t i = 0; i < dim; ++i) {
            for (uint32_t a = 1; a <= power[i]; ++a) {
                product *= x[i] / sigma / cairn_sqrt((cairn_real)a);
            }
        }
        features[n++] =
            cairn_isfinite(product) ? product : (cairn_real)0; /* 0 x infinity: far outliers have no links */
    } while (next_powers(power, dim, degree));
    return CAIRN_OK;
}
