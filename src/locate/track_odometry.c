/* SPDX-License-Identifier: MIT
 * Tracking: a piece of odometry. With the heading as a free vector h, p += forward R(turn / 2) h and h = R(turn) h are
 * linear in the state: no heading hypothesis, no linearisation. */
#include "locate/track_internal.h"

#define TURN_MAX_RAD 3.1415928f

/* Rotation by half a turn, without libm: the tangent of a quarter of it, within pi / 4, by a continued fraction (error
 * 4e-4 there, 1e-7 for a turn of half a radian); any tangent gives a rotation. */
static void rotate_half(track_pair_t *pair, cairn_real turn_rad)
{
    const cairn_real quarter = 0.25f * turn_rad;
    const cairn_real square = quarter * quarter;
    const cairn_real tangent = quarter * (15 - square) / (15 - 6 * square);
    const cairn_real scale = 2 / (1 + tangent * tangent);

    pair->aa = pair->bb = scale - 1;
    pair->ba = tangent * scale;
    pair->ab = -pair->ba;
}

/* Noise of the heading turns it and so acts across it. */
static void drift(cairn_track_t *self, cairn_real var)
{
    const size_t first = self->cfg->dim + 2u;
    const cairn_real *h = track_states(self) + first;
    cairn_real *own = cairn_track_covariance(self) + track_row(first) + first;

    own[0] += var * h[1] * h[1];
    own[first + 1u] -= var * h[0] * h[1];
    own[first + 2u] += var * h[0] * h[0];
}

static cairn_status check_odometry(cairn_track_t *self, cairn_real forward_m, cairn_real turn_rad)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->cfg->motion != CAIRN_TRACK_ODOMETRY) {
        return CAIRN_ERR_STATE;
    }
    if (!cairn_isfinite(forward_m) || !cairn_isfinite(turn_rad)) {
        return cairn_track_refuse(self, CAIRN_ERR_NONFINITE);
    }
    return cairn_abs(forward_m) > self->cfg->range_max_m || cairn_abs(turn_rad) > TURN_MAX_RAD ? CAIRN_ERR_ARG
                                                                                               : CAIRN_OK;
}

cairn_status cairn_track_odometry(cairn_track_t *self, cairn_real forward_m, cairn_real turn_rad, uint32_t t_us)
{
    cairn_status status = check_odometry(self, forward_m, turn_rad);

    if (status != CAIRN_OK) {
        return status;
    }
    const uint32_t before_us = self->t_us;
    status = cairn_track_predict(self, t_us);
    if (status != CAIRN_OK) {
        return status;
    }
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t first = cfg->dim + 2u;
    const bool turns = cfg->dim > 1u;
    const track_pair_t step = {1, forward_m, 0, 1};
    track_pair_t turn;
    if (turns) { /* half of the turn, the way, the other half */
        rotate_half(&turn, turn_rad);
        cairn_track_mix(self, first, first + 1u, &turn);
        cairn_track_mix(self, 1u, first + 1u, &step);
    }
    cairn_track_mix(self, 0, first, &step);
    const cairn_real driven_m = cairn_abs(forward_m);
    const cairn_real passed_s = (cairn_real)(self->t_us - before_us) * 1e-6f;
    cairn_track_add_noise(self, self->kappa * driven_m * cfg->odometry_forward * cfg->odometry_forward);
    if (turns) {
        cairn_track_mix(self, first, first + 1u, &turn);
        drift(self, self->kappa * (driven_m * cfg->odometry_turn * cfg->odometry_turn +
                                   passed_s * cfg->odometry_drift * cfg->odometry_drift));
    }
    return CAIRN_OK;
}
