/* SPDX-License-Identifier: MIT
 * Tracking of one sensor: settings, start, calibration, what is known. */
#include "locate/track_internal.h"

#define LINK_BIASES_MAX 4u
#define GAP_MAX_S       1000  /* half of what 32 bits of microseconds tell apart */
#define DIRECTION_ERROR 0.02f /* of the squared length */
#define ALONG_VAR       1e-4f
#define HEADING_STD_MAX 3
#define MOVED_SIGMA2    25   /* a calibration farther off than 5 deviations moves the tracker */
#define RESOLUTION      0.1f /* last bit of a coordinate as a share of the noise */

const cairn_track_cfg_t cairn_track_cfg_default = {
    .dim = 2,
    .motion = CAIRN_TRACK_DECAY,
    .noise_m = 0.6f,
    .range_max_m = 1e4f,
    .noise_motion = 0.4f,
    .tau_s = 6,
    .odometry_forward = 0.05f,
    .odometry_rest = 0.01f,
    .odometry_turn = 0.004f,
    .odometry_drift = 0.002f,
    .start_motion = 0.7f,
    .scale_std = 0.1f,
    .bias_std_m = 0.5f,
    .link_std_m = 0.3f,
    .peer_factor = 2,
    .late_s = 0.5f,
    .gap_s = 120,
    .fresh_s = 6,
    .speed_typical = 1,
};

static bool settings_finite(const cairn_track_cfg_t *cfg)
{
    return cairn_all_finite(
        &cfg->noise_m,
        (offsetof(cairn_track_cfg_t, speed_typical) - offsetof(cairn_track_cfg_t, noise_m)) / sizeof(cairn_real) + 1u);
}

static bool deviations_valid(const cairn_track_cfg_t *cfg)
{
    const cairn_real least[] = {cfg->noise_rel,     cfg->noise_motion,   cfg->odometry_forward, cfg->odometry_rest,
                                cfg->odometry_turn, cfg->odometry_drift, cfg->start_motion,     cfg->scale_std,
                                cfg->bias_std_m,    cfg->link_std_m,     cfg->link_walk,        cfg->peer_factor,
                                cfg->late_s,        cfg->speed_typical};

    for (size_t i = 0; i < sizeof least / sizeof least[0]; ++i) {
        if (!(least[i] >= 0)) {
            return false;
        }
    }
    return true;
}

static bool settings_valid(const cairn_track_cfg_t *cfg)
{
    return cfg->dim >= 1u && cfg->dim <= CAIRN_LOCATE_DIM_MAX && cfg->motion <= CAIRN_TRACK_ODOMETRY &&
           cfg->n_link_biases <= LINK_BIASES_MAX && cfg->side >= -1 && cfg->side <= 1;
}

static bool scales_valid(const cairn_track_cfg_t *cfg)
{
    return cfg->noise_m > 0 && cfg->range_max_m > 0 && cfg->tau_s > 0 && cfg->gap_s > 0 && cfg->gap_s <= GAP_MAX_S &&
           cfg->fresh_s > 0 && cfg->fresh_s <= GAP_MAX_S;
}

/* Motion states as at the start: standing, or heading anywhere. */
static void start_motion(cairn_track_t *self)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t first = cfg->dim + 2u;

    for (size_t i = first; i < first + track_n_motion(cfg); ++i) {
        cairn_track_clear_state(self, i, 0, cfg->start_motion * cfg->start_motion);
    }
}

cairn_status cairn_track_init(cairn_track_t *self, size_t bytes, const cairn_track_cfg_t *cfg)
{
    if (self == NULL || cfg == NULL || !settings_valid(cfg)) {
        return CAIRN_ERR_ARG;
    }
    if (!settings_finite(cfg)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!deviations_valid(cfg) || !scales_valid(cfg)) {
        return CAIRN_ERR_ARG;
    }
    const size_t n = track_n_states(cfg);
    if (bytes < sizeof *self + CAIRN_TRACK_REALS(n) * sizeof(cairn_real)) {
        return CAIRN_ERR_SIZE;
    }
    memset(self, 0, bytes);
    self->cfg = cfg;
    self->kappa = 1;
    start_motion(self);
    cairn_track_clear_state(self, cfg->dim, 0, cfg->scale_std * cfg->scale_std);
    cairn_track_clear_state(self, cfg->dim + 1u, cfg->bias_m, cfg->bias_std_m * cfg->bias_std_m);
    for (size_t i = n - cfg->n_link_biases; i < n; ++i) {
        cairn_track_clear_state(self, i, cfg->link_m, cfg->link_std_m * cfg->link_std_m);
    }
    return CAIRN_OK;
}

void cairn_track_clear_state(cairn_track_t *self, size_t state, cairn_real value, cairn_real variance)
{
    const size_t n = track_n_states(self->cfg);
    cairn_real *x = track_states(self);
    cairn_real *covariance = x + n;

    for (size_t j = 0; j < state; ++j) {
        covariance[track_row(state) + j] = 0;
    }
    for (size_t i = state; i < n; ++i) {
        covariance[track_row(i) + state] = 0;
    }
    covariance[track_row(state) + state] = variance;
    x[state] = value;
}

void cairn_track_adopt(cairn_track_t *self, const cairn_real *place_m, const cairn_real *cov_m2, bool keep_heading)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    cairn_real *covariance = track_states(self) + track_n_states(cfg);

    for (size_t i = 0; i < cfg->dim; ++i) {
        cairn_track_clear_state(self, i, place_m[i], 0);
    }
    for (size_t i = 0; i < CAIRN_SYMMETRIC_REALS(cfg->dim); ++i) {
        covariance[i] = cov_m2[i];
    }
    if (!(keep_heading && (self->flags & TRACK_HEADING) != 0)) {
        start_motion(self);
    }
    self->flags = (uint8_t)((self->flags | TRACK_PLACED) & ~(TRACK_MIRROR | TRACK_HEADING));
    track_set_bad(self, 0);
}

cairn_status cairn_track_check_place(const cairn_track_cfg_t *cfg, const cairn_real *place_m)
{
    const cairn_real limit = cfg->noise_m * (RESOLUTION / CAIRN_REAL_EPSILON);

    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < cfg->dim; ++i) {
        if (!cairn_isfinite(place_m[i])) {
            return CAIRN_ERR_NONFINITE;
        }
        status = cairn_abs(place_m[i]) > limit ? CAIRN_ERR_RESOLUTION : status;
    }
    return status;
}

static cairn_status check_known_place(const cairn_track_t *self, const cairn_real *place_m, cairn_real std_m)
{
    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(std_m)) {
        return CAIRN_ERR_NONFINITE;
    }
    return std_m > 0 ? cairn_track_check_place(self->cfg, place_m) : CAIRN_ERR_ARG;
}

cairn_status cairn_track_set_place(cairn_track_t *self, const cairn_real *place_m, cairn_real std_m, uint32_t t_us)
{
    cairn_real cov_m2[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)] = {0};
    const cairn_status status = check_known_place(self, place_m, std_m);

    if (status != CAIRN_OK) {
        return status;
    }
    for (size_t i = 0; i < self->cfg->dim; ++i) {
        cov_m2[track_row(i) + i] = cairn_max(std_m * std_m, TRACK_FLOOR_M2);
    }
    cairn_track_adopt(self, place_m, cov_m2, (self->flags & TRACK_PLACED) == 0);
    self->t_us = t_us;
    self->counts &= TRACK_COUNT_MAX;
    return CAIRN_OK;
}

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
    cairn_real *covariance = track_states(self) + track_n_states(self->cfg);
    cairn_track_clear_state(self, first, x, ALONG_VAR * x * x + across * y * y);
    cairn_track_clear_state(self, first + 1u, y, ALONG_VAR * y * y + across * x * x);
    covariance[track_row(first + 1u) + first] = (ALONG_VAR - across) * x * y;
    self->flags |= TRACK_HEADING;
    return CAIRN_OK;
}

/* Whether a place is more than 5 deviations of some axis away. */
static bool is_far(const cairn_track_t *self, const cairn_real *place_m, cairn_real var_m2)
{
    const cairn_real *x = track_states_const(self);
    const cairn_real *covariance = x + track_n_states(self->cfg);

    for (size_t i = 0; i < self->cfg->dim; ++i) {
        const cairn_real difference = place_m[i] - x[i];
        if (difference * difference > MOVED_SIGMA2 * (covariance[track_row(i) + i] + var_m2)) {
            return true;
        }
    }
    return false;
}

cairn_status cairn_track_calibrate(cairn_track_t *self, const cairn_real *place_m, cairn_real std_m, uint32_t t_us)
{
    cairn_real column[CAIRN_TRACK_STATES_MAX] = {0};
    cairn_status status = check_known_place(self, place_m, std_m);

    if (status != CAIRN_OK) {
        return status;
    }
    if ((self->flags & TRACK_PLACED) == 0) {
        return cairn_track_set_place(self, place_m, std_m, t_us);
    }
    cairn_real dt_s;
    status = cairn_track_check_time(self, t_us, &dt_s);
    if (status != CAIRN_OK) {
        return status;
    }
    cairn_track_advance(self, t_us, dt_s);
    const cairn_real var_m2 = cairn_max(std_m * std_m, TRACK_FLOOR_M2);
    if (is_far(self, place_m, var_m2)) {
        return cairn_track_set_place(self, place_m, std_m, self->t_us);
    }
    const size_t n = track_n_states(self->cfg);
    const cairn_real *x = track_states(self);
    for (size_t axis = 0; axis < self->cfg->dim; ++axis) {
        const cairn_real *covariance = x + n;
        for (size_t i = 0; i < n; ++i) {
            column[i] = covariance[i >= axis ? track_row(i) + axis : track_row(axis) + i];
        }
        cairn_track_apply(self, column, 1 / (column[axis] + var_m2), place_m[axis] - x[axis]);
    }
    self->flags &= (uint8_t)~TRACK_MIRROR;
    track_set_bad(self, 0);
    return CAIRN_OK;
}
