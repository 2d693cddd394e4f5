/* SPDX-License-Identifier: MIT
 * Shared by the losses and the fold: below which residual a singular loss counts as zero. */
#ifndef CAIRN_RECENTER_INTERNAL_H
#define CAIRN_RECENTER_INTERNAL_H

#include "cairn/recenter.h"

#define RESIDUAL_FLOOR_EPSILONS 8 /* rounding of distance and range leaves a residual of a few epsilons */
#define RESIDUAL_FLOOR_LEAST    1e-30f

static inline cairn_real residual_floor(cairn_real distance, cairn_real range)
{
    return (cairn_real)RESIDUAL_FLOOR_EPSILONS * CAIRN_REAL_EPSILON * (distance + range) + RESIDUAL_FLOOR_LEAST;
}

#endif
