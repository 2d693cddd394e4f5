/* SPDX-License-Identifier: MIT
 * Hashed random numbers of the kernel features, and the checks they share. */
#ifndef CAIRN_KERNEL_INTERNAL_H
#define CAIRN_KERNEL_INTERNAL_H

#include "cairn/kernel.h"

static inline uint64_t kernel_mix(uint64_t seed, uint32_t a, uint32_t b)
{
    uint64_t mixed = ((uint64_t)a << 32 | b) + UINT64_C(0x9E3779B97F4A7C15) * (seed + 1u);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

/* In (0, 1], from the upper bits. */
static inline cairn_real kernel_uniform(uint64_t mixed)
{
    return (cairn_real)((uint32_t)(mixed >> 40) + 1u) * (cairn_real)(1.0f / 16777216.0f);
}

static inline cairn_status kernel_check(const cairn_real *x, uint32_t dim, cairn_real width)
{
    if (x == NULL || dim == 0) {
        return CAIRN_ERR_ARG;
    }
    for (uint32_t i = 0; i < dim; ++i) {
        if (!cairn_isfinite(x[i])) {
            return CAIRN_ERR_NONFINITE;
        }
    }
    if (!cairn_isfinite(width)) {
        return CAIRN_ERR_NONFINITE;
    }
    return width > 0 ? CAIRN_OK : CAIRN_ERR_ARG;
}

#endif
