/* SPDX-License-Identifier: MIT
 * The loss |d|^p, 1 <= p <= 2. Needs pow of libm: a file of its own. */
#include "place/recenter_internal.h"

#ifdef CAIRN_REAL_DOUBLE
#define POW pow
#else
#define POW powf
#endif

static cairn_loss_value_t power(const cairn_loss_t *loss, cairn_real distance, cairn_real range, cairn_real scale)
{
    const cairn_real p = loss->parameter;
    const cairn_real size = cairn_abs(distance - range);
    const cairn_real floored = cairn_max(size, residual_floor(distance, range));
    const cairn_loss_value_t value = {size > 0 ? POW(size, p) : 0, 0.5f * p * POW(floored, p - 2)};

    (void)scale;
    return value;
}

cairn_status cairn_loss_power(cairn_loss_t *self, cairn_real p)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(p)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!(p >= 1 && p <= 2)) {
        return CAIRN_ERR_ARG;
    }
    self->evaluate = power;
    self->parameter = p;
    self->singular = p < 2;
    return CAIRN_OK;
}
