/* SPDX-License-Identifier: MIT
 * Tracking of one sensor: settings, start at a known place. */
#include "locate/track_internal.h"

#define LINK_BIASES_MAX 4u
#define POSITIVE_MIN    1e-6f /* the square of the noise is not 0, and a climb ends */
#define TIME_MAX_S      1000  /* half of what 32 bits of microseconds tell apart */
#define RESOLUTION      0.1f  /* last bit of a coordinate as a share of the noise */

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

/* The real at an offset of the settings, and those behind it. */
static const cairn_real *setting(const cairn_track_cfg_t *cfg, size_t offset)
{
    return (const cairn_real *)(const void *)((const unsigned char *)cfg + offset);
}

static cairn_status check_settings(const cairn_track_cfg_t *cfg)
{
    const cairn_real *value = setting(cfg, offsetof(cairn_track_cfg_t, bias_m));

    if (cfg->dim < 1u || cfg->dim > CAIRN_LOCATE_DIM_MAX || cfg->motion > CAIRN_TRACK_ODOMETRY ||
        cfg->n_link_biases > LINK_BIASES_MAX) {
        return CAIRN_ERR_ARG;
    }
    const cairn_status status = cairn_track_check(value, N_REALS, TRACK_REAL_MAX, CAIRN_ERR_ARG);
    if (status != CAIRN_OK) {
        return status;
    }
    for (size_t i = FIRST_ANY_SIZE; i < N_REALS; ++i) {
        if (value[i] < (i < FIRST_POSITIVE ? 0 : POSITIVE_MIN)) {
            return CAIRN_ERR_ARG;
        }
    }
    return cairn_track_check(value + FIRST_TIME, N_REALS - FIRST_TIME, TIME_MAX_S, CAIRN_ERR_ARG);
}

void cairn_track_start_states(cairn_track_t *self, size_t first, size_t end)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t first_link = track_n_states(self) - cfg->n_link_biases;

    for (; first < end; ++first) { /* standing, or heading anywhere; the others have an expected value */
        const size_t after_place = first - cfg->dim;
        cairn_real value = 0, std = cfg->start_motion;
        if (first >= first_link) {
            value = cfg->link_m;
            std = cfg->link_std_m;
        } else if (after_place == 0) {
            std = cfg->scale_std;
        } else if (after_place == 1u) {
            value = cfg->bias_m;
            std = cfg->bias_std_m;
        }
        cairn_track_set_state(self, first, value, std * std);
    }
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
    const size_t n = dim + 2u + track_n_motion(cfg) + cfg->n_link_biases;
    if (bytes < sizeof *self + CAIRN_TRACK_REALS(n) * sizeof(cairn_real)) {
        return CAIRN_ERR_SIZE;
    }
    memset(self, 0, bytes);
    self->cfg = cfg;
    self->kappa = 1;
    self->n_states = (uint8_t)n;
    cairn_track_start_states(self, dim, n);
    return CAIRN_OK;
}

void cairn_track_adopt(cairn_track_t *self, const cairn_real *place_m, cairn_real var_m2)
{
    size_t i = 0;

    do {
        cairn_track_set_state(self, i, place_m[i], var_m2);
    } while (++i < self->cfg->dim);
    if ((self->flags & (TRACK_PLACED | TRACK_HEADING)) != TRACK_HEADING) {
        cairn_track_start_states(self, self->cfg->dim + 2u, track_n_states(self) - self->cfg->n_link_biases);
    }
    self->flags = (uint8_t)((self->flags | TRACK_PLACED) & ~(TRACK_MIRROR | TRACK_HEADING));
    self->counts = 0;
}

cairn_status cairn_track_check(const cairn_real *number, size_t n, cairn_real limit, cairn_status larger)
{
    do {
        const cairn_real value = *number++;
        if (!(cairn_abs(value) <= limit)) {
            return cairn_isfinite(value) ? larger : CAIRN_ERR_NONFINITE;
        }
    } while (--n > 0);
    return CAIRN_OK;
}

cairn_status cairn_track_check_place(const cairn_track_cfg_t *cfg, const cairn_real *place_m, cairn_real std_m)
{
    const cairn_status status = cairn_track_check(&std_m, 1u, TRACK_REAL_MAX, CAIRN_ERR_RESOLUTION);

    return status != CAIRN_OK ? status
                              : cairn_track_check(place_m, cfg->dim, cfg->noise_m * (RESOLUTION / CAIRN_REAL_EPSILON),
                                                  CAIRN_ERR_RESOLUTION);
}

cairn_status cairn_track_refuse(cairn_track_t *self, cairn_status status)
{
    self->n_refused = (uint8_t)(self->n_refused + (self->n_refused < UINT8_MAX ? 1u : 0u));
    return status;
}

cairn_status cairn_track_set_place(cairn_track_t *self, const cairn_real *place_m, cairn_real std_m, uint32_t t_us)
{
    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    const cairn_status status = std_m <= 0 ? CAIRN_ERR_ARG : cairn_track_check_place(self->cfg, place_m, std_m);
    if (status != CAIRN_OK) {
        return status;
    }
    cairn_track_adopt(self, place_m, std_m * std_m + TRACK_FLOOR_M2);
    self->t_us = t_us;
    return CAIRN_OK;
}
