/* SPDX-License-Identifier: MIT
 * Tracking: what somebody knows already: the heading, or the place while scale and biases are to be learned. */
#include "locate/track_internal.h"

#define DIRECTION_ERROR 0.02f /* of the squared length */
#define ALONG_VAR       1e-4f
#define HEADING_STD_MAX 3
#define MOVED_SIGMA2    25 /* a calibration farther off than 5 deviations moves the tracker */

cairn_status cairn_track_set_heading(cairn_track_t *self, const cairn_real *direction, cairn_real std_rad)
{
    if (self == NULL || direction == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->cfg->motion != CAIRN_TRACK_ODOMETRY || self->cfg->dim < 2u) {
        return CAIRN_ERR_STATE;
    }
    if (!cairn_all_finite(direction, 2) || !cairn_isfinite(std_rad)) {
        return CAIRN_ERR_NONFINITE;
    }
    const cairn_real x = direction[0], y = direction[1];
    if (cairn_abs(x * x + y * y - 1) > DIRECTION_ERROR || std_rad < 0 || std_rad > HEADING_STD_MAX) {
        return CAIRN_ERR_ARG;
    }
    const size_t first = self->cfg->dim + 2u;
    const cairn_real across = cairn_max(std_rad * std_rad, TRACK_FLOOR_M2);
    cairn_track_set_state(self, first, x, ALONG_VAR * x * x + across * y * y);
    cairn_track_set_state(self, first + 1u, y, ALONG_VAR * y * y + across * x * x);
    track_covariance(self)[track_row(first + 1u) + first] = (ALONG_VAR - across) * x * y;
    self->flags |= TRACK_HEADING;
    return CAIRN_OK;
}

/* Whether a place is more than 5 deviations of some axis away. */
static bool is_far(const cairn_track_t *self, const cairn_real *place_m, cairn_real var_m2)
{
    const cairn_real *x = track_states_const(self);
    const cairn_real *covariance = track_covariance_const(self);

    for (size_t i = 0; i < self->cfg->dim; covariance += ++i) {
        const cairn_real difference_m = place_m[i] - x[i];
        if (difference_m * difference_m > MOVED_SIGMA2 * (covariance[i] + var_m2)) {
            return true;
        }
    }
    return false;
}

/* One coordinate after the other is measured: a row each, whose product with the covariance is a column of it. */
static void measure_place(cairn_track_t *self, const cairn_real *place_m, cairn_real var_m2)
{
    const size_t n = track_n_states(self);
    cairn_real *x = track_states(self);

    for (size_t axis = 0; axis < self->cfg->dim; ++axis) {
        cairn_real slope[CAIRN_LOCATE_DIM_MAX] = {0}, column[CAIRN_TRACK_STATES_MAX] = {0};
        slope[axis] = 1;
        const cairn_real own_m2 = cairn_track_product(x + n, n, slope, axis + 1u, column);
        cairn_track_apply(x, x + n, n, column, 1 / (own_m2 + TRACK_RESOLVED * own_m2 + var_m2),
                          place_m[axis] - x[axis]);
    }
}

cairn_status cairn_track_calibrate(cairn_track_t *self, const cairn_real *place_m, cairn_real std_m, uint32_t t_us)
{
    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    cairn_status status = std_m <= 0 ? CAIRN_ERR_ARG : cairn_track_check_place(self->cfg, place_m, std_m);
    if (status == CAIRN_OK) {
        status = cairn_track_predict(self, t_us);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    const cairn_real var_m2 = cairn_max(std_m * std_m, TRACK_FLOOR_M2);
    if (!track_is_placed(self) || is_far(self, place_m, var_m2)) {
        return cairn_track_set_place(self, place_m, std_m, self->t_us);
    }
    measure_place(self, place_m, var_m2);
    self->flags &= (uint8_t)~TRACK_MIRROR;
    track_set_bad(self, 0);
    return CAIRN_OK;
}
