/* SPDX-License-Identifier: MIT
 * The loss |d|^p, 1 <= p <= 2. Below the floor of the residual its slope is that at the floor: it would not end. */
#include "cairn/scalar.h"
#include "place/recenter_internal.h"

static cairn_loss_value_t power(const cairn_loss_t *loss, cairn_real distance, cairn_real range, cairn_real scale)
{
    const cairn_real p = loss->parameter;
    const cairn_real size = cairn_abs(distance - range);
    const cairn_real floored = cairn_max(size, residual_floor(distance, range));
    const cairn_real factor = cairn_power(floored, p - 2);
    const cairn_real cost = size < floored ? size * cairn_power(size, p - 1) : size * factor * size;
    const cairn_loss_value_t value = {cost, 0.5f * p * factor};

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
