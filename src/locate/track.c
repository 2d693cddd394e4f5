/* SPDX-License-Identifier: MIT
 * Tracking of one sensor: settings, start at a known place. */
#include "locate/track_internal.h"

#define LINK_BIASES_MAX 4u
#define TIME_MAX_S      1000 /* half of what 32 bits of microseconds tell apart */
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

/* The reals of the settings are one array, ordered by what they may be. */
enum {
    FIRST_POSITIVE = (offsetof(cairn_track_cfg_t, noise_m) - offsetof(cairn_track_cfg_t, bias_m)) / sizeof(cairn_real),
    FIRST_ANY_SIZE =
        (offsetof(cairn_track_cfg_t, noise_rel) - offsetof(cairn_track_cfg_t, bias_m)) / sizeof(cairn_real),
    FIRST_TIME = (offsetof(cairn_track_cfg_t, gap_s) - offsetof(cairn_track_cfg_t, bias_m)) / sizeof(cairn_real),
    N_REALS = (sizeof(cairn_track_cfg_t) - offsetof(cairn_track_cfg_t, bias_m)) / sizeof(cairn_real)
};

static cairn_status check_settings(const cairn_track_cfg_t *cfg)
{
    const cairn_real *value =
        (const cairn_real *)(const void *)((const unsigned char *)cfg + offsetof(cairn_track_cfg_t, bias_m));

    if (cfg->dim < 1u || cfg->dim > CAIRN_LOCATE_DIM_MAX || cfg->motion > CAIRN_TRACK_ODOMETRY ||
        cfg->n_link_biases > LINK_BIASES_MAX || cfg->side < -1 || cfg->side > 1) {
        return CAIRN_ERR_ARG;
    }
    for (size_t i = 0; i < N_REALS; ++i) {
        if (!cairn_isfinite(value[i])) {
            return CAIRN_ERR_NONFINITE;
        }
        if ((i >= FIRST_ANY_SIZE && value[i] < 0) || (i >= FIRST_POSITIVE && !(value[i] > 0)) ||
            (i >= FIRST_TIME && value[i] > TIME_MAX_S)) {
            return CAIRN_ERR_ARG;
        }
    }
    return CAIRN_OK;
}

/* States from `first` on have a start value and deviation. */
static void start_states(cairn_track_t *self, size_t first, size_t n, cairn_real value, cairn_real std)
{
    for (size_t i = first; i < first + n; ++i) {
        cairn_track_set_state(self, i, value, std * std);
    }
}

/* Motion states as at the start: standing, or heading anywhere. */
static void start_motion(cairn_track_t *self)
{
    const cairn_track_cfg_t *cfg = self->cfg;

    start_states(self, cfg->dim + 2u, track_n_motion(cfg), 0, cfg->start_motion);
}

cairn_status cairn_track_init(cairn_track_t *self, size_t bytes, const cairn_track_cfg_t *cfg)
{
    if (self == NULL || cfg == NULL) {
        return CAIRN_ERR_ARG;
    }
    const cairn_status status = check_settings(cfg);
    if (status != CAIRN_OK) {
        return status;
    }
    const size_t dim = cfg->dim;
    const size_t n = CAIRN_TRACK_STATES(dim, cfg->motion, cfg->n_link_biases);
    if (bytes < sizeof *self + CAIRN_TRACK_REALS(n) * sizeof(cairn_real)) {
        return CAIRN_ERR_SIZE;
    }
    memset(self, 0, bytes);
    self->cfg = cfg;
    self->kappa = 1;
    start_motion(self);
    start_states(self, dim, 1u, 0, cfg->scale_std);
    start_states(self, dim + 1u, 1u, cfg->bias_m, cfg->bias_std_m);
    start_states(self, n - cfg->n_link_biases, cfg->n_link_biases, cfg->link_m, cfg->link_std_m);
    return CAIRN_OK;
}

void cairn_track_adopt(cairn_track_t *self, const cairn_real *place_m, bool keep_heading)
{
    for (size_t i = 0; i < self->cfg->dim; ++i) {
        cairn_track_set_state(self, i, place_m[i], 0);
    }
    if (!(keep_heading && (self->flags & TRACK_HEADING) != 0)) {
        start_motion(self);
    }
    self->flags = (uint8_t)((self->flags | TRACK_PLACED) & ~(TRACK_MIRROR | TRACK_HEADING));
    track_set_bad(self, 0);
}

cairn_status cairn_track_check_place(const cairn_track_cfg_t *cfg, const cairn_real *place_m)
{
    const cairn_real limit_m = cfg->noise_m * (RESOLUTION / CAIRN_REAL_EPSILON);

    for (size_t i = 0; i < cfg->dim; ++i) {
        if (!cairn_isfinite(place_m[i])) {
            return CAIRN_ERR_NONFINITE;
        }
        if (cairn_abs(place_m[i]) > limit_m) {
            return CAIRN_ERR_RESOLUTION;
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_track_set_place(cairn_track_t *self, const cairn_real *place_m, cairn_real std_m, uint32_t t_us)
{
    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(std_m)) {
        return CAIRN_ERR_NONFINITE;
    }
    const cairn_status status = std_m > 0 ? cairn_track_check_place(self->cfg, place_m) : CAIRN_ERR_ARG;
    if (status != CAIRN_OK) {
        return status;
    }
    cairn_track_adopt(self, place_m, !track_is_placed(self));
    cairn_track_add_noise(cairn_track_covariance(self), self->cfg->dim, cairn_max(std_m * std_m, TRACK_FLOOR_M2));
    self->t_us = t_us;
    self->counts &= TRACK_COUNT_MAX;
    return CAIRN_OK;
}
