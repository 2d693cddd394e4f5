/* SPDX-License-Identifier: MIT
 * Random Fourier features: sqrt(2 / l) cos(omega x + b). Source: Lin (2012), 8.3; Rahimi and Recht (2007). */
#include "cairn/scalar.h"
#include "walk/kernel_internal.h"

#define FIELD_MEAN      131070
#define FIELD_DEVIATION 37837.0f /* of the sum of four 16-bit fields */
#define TWO_PI          6.28318531f
#define PHASE_MOST      65536.0f /* beyond, the last place of a phase is a hundredth and more */

/* Normal deviate, variance 1. */
static cairn_real normal(uint64_t mixed)
{
    const int32_t sum = (int32_t)(mixed & 0xFFFFu) + (int32_t)((mixed >> 16) & 0xFFFFu) +
                        (int32_t)((mixed >> 32) & 0xFFFFu) + (int32_t)(mixed >> 48);

    return (cairn_real)(sum - FIELD_MEAN) / FIELD_DEVIATION;
}

cairn_status cairn_kernel_fourier(const cairn_real *x, uint32_t dim, cairn_real sigma, uint64_t seed,
                                  cairn_real *features, uint32_t n_features)
{
    cairn_status status = kernel_check(x, dim, sigma);
    cairn_real factor;

    if (features == NULL || n_features == 0) {
        return CAIRN_ERR_ARG;
    }
    if (status != CAIRN_OK) {
        return status;
    }
    factor = cairn_sqrt(2 / (cairn_real)n_features);
    for (uint32_t j = 0; j < n_features; ++j) {
        cairn_real sine;
        cairn_real cosine;
        cairn_real phase = TWO_PI * kernel_uniform(kernel_mix(seed, j, dim));
        for (uint32_t i = 0; i < dim; ++i) {
            phase += normal(kernel_mix(seed, j, i)) * (x[i] / sigma);
        }
        cairn_sine_cosine(phase, &sine, &cosine);
        features[j] = cairn_abs(phase) <= PHASE_MOST ? factor * cosine : (cairn_real)0;
    }
    return CAIRN_OK;
}
