/* SPDX-License-Identifier: MIT
 * Losses with + - * / only. `weight` is Err'(d)/(2 d), so that weighted least squares majorises each of them
 * (Huber 1981; Geman and McClure 1985). For r2MDS that is f/|f - r|: it majorises for f > r/2, and near the wanted range
 * below; elsewhere the safeguard of PLACE holds the cost. */
#include "place/recenter_internal.h"

#define HUBER_BEND CAIRN_REAL_C(1.345) /* scales; 95 % efficient for normal noise (Huber 1981) */
/* Of the range: the slope at distance 0, where it vanishes, so that a pair parts. */
#define SQUARED_DISTANCES_LEAST CAIRN_REAL_C(1e-3)
#define REDESCEND_BEND          3.0f /* scales; ranges within the noise keep at least a quarter of their weight */

static cairn_loss_value_t squared(const cairn_loss_t *loss, cairn_real distance, cairn_real range, cairn_real scale)
{
    const cairn_real residual = distance - range;
    const cairn_loss_value_t value = {residual * residual, 1};

    (void)loss;
    (void)scale;
    return value;
}

static cairn_loss_value_t absolute(const cairn_loss_t *loss, cairn_real distance, cairn_real range, cairn_real scale)
{
    const cairn_real size = cairn_abs(distance - range);
    const cairn_loss_value_t value = {size, 0.5f / cairn_max(size, residual_floor(distance, range))};

    (void)loss;
    (void)scale;
    return value;
}

static cairn_loss_value_t squared_distances(const cairn_loss_t *loss, cairn_real distance, cairn_real range,
                                            cairn_real scale)
{
    const cairn_real size = cairn_abs(distance - range);
    const cairn_real slope = cairn_max(distance, SQUARED_DISTANCES_LEAST * range);
    const cairn_loss_value_t value = {size * (distance + range),
                                      slope / cairn_max(size, residual_floor(distance, range))};

    (void)loss;
    (void)scale;
    return value;
}

static cairn_loss_value_t huber(const cairn_loss_t *loss, cairn_real distance, cairn_real range, cairn_real scale)
{
    const cairn_real bend = loss->parameter * scale;
    const cairn_real size = cairn_abs(distance - range);
    cairn_loss_value_t value = {size * size, 1};

    if (size > bend) {
        value.error = bend * (2 * size - bend);
        value.weight = bend / size;
    }
    return value;
}

static cairn_loss_value_t redescend(const cairn_loss_t *loss, cairn_real distance, cairn_real range, cairn_real scale)
{
    const cairn_real bend = loss->parameter * scale;
    const cairn_real residual = distance - range;
    const cairn_real ratio = residual / bend;
    const cairn_real share = 1 / (1 + ratio * ratio);
    /* two forms of one value: the first keeps its digits at small residuals, the second does not overflow at large */
    const cairn_loss_value_t value = {share > 0.5f ? residual * share * residual : bend * bend * (1 - share),
                                      share * share};

    (void)loss;
    return value;
}

const cairn_loss_t cairn_loss_squared = {squared, 0, false};
const cairn_loss_t cairn_loss_absolute = {absolute, 0, true};
const cairn_loss_t cairn_loss_squared_distances = {squared_distances, 0, true};
const cairn_loss_t cairn_loss_huber = {huber, HUBER_BEND, false};
const cairn_loss_t cairn_loss_redescend = {redescend, REDESCEND_BEND, false};
