/* SPDX-License-Identifier: MIT
 * The loss of ranges made from signal strength: their logarithm is what is measured, with one deviation for all. The
 * weight is Err'(f) / (2 (f - r)) = ln(f/r) / (f (f - r)), which lies between 1/f^2 and 1/(f r). */
#include "cairn/scalar.h"
#include "place/recenter_internal.h"

#define DISTANCE_LEAST 1e-3f /* of the range: the loss is unbounded at distance 0, where points must be able to part */
#define NEAR           1e-2f /* relative residual below which the series is exact to rounding and the quotient is not */

static cairn_loss_value_t logarithmic(const cairn_loss_t *loss, cairn_real distance, cairn_real range, cairn_real scale)
{
    const cairn_real floored = cairn_max(distance, DISTANCE_LEAST * range);
    const cairn_real residual = floored - range;
    const cairn_real share = residual / floored; /* -ln(1 - share) = ln(f/r) */
    cairn_loss_value_t value = {0, 0};
    cairn_real ratio;

    (void)loss;
    (void)scale;
    if (!(range > 0) || !(floored > 0)) {
        return value; /* no information in a range of 0 */
    }
    ratio = cairn_abs(share) < NEAR ? share * (1 + share * (0.5f + share * (1 / 3.0f + share * 0.25f)))
                                    : cairn_log(floored / range);
    value.error = ratio * ratio;
    value.weight = cairn_abs(residual) > 0 ? ratio / (floored * residual) : 1 / (floored * floored);
    return value;
}

const cairn_loss_t cairn_loss_log = {logarithmic, 0, false};
