/* SPDX-License-Identifier: MIT
 * Tracking: a piece of odometry. With the heading as a free vector h, p += forward R(turn / 2) h and h = R(turn) h are
 * linear in the state: no heading hypothesis, no linearisation. */
#include "locate/track_internal.h"

#define TURN_MAX_RAD 3.1415928f

static CAIRN_NOINLINE void shear(cairn_track_t *self, size_t to, size_t from, cairn_real gain)
{
    const track_flow_t flow = {gain, 1, 0, 0, 0};

    cairn_track_flow(self, to, from, &flow);
}

/* Turn the heading by half a turn, without libm: the tangent of a quarter of it, within pi / 4, by a continued fraction
 * (error 4e-4 there, 1e-7 for a turn of half a radian); any tangent gives a rotation, which is three shears. */
static void turn_half(cairn_track_t *self, size_t first, cairn_real turn_rad)
{
    const cairn_real quarter = 0.25f * turn_rad;
    const cairn_real square = quarter * quarter;
    const cairn_real tangent = quarter * (15 - square) / (15 - 6 * square);

    shear(self, first, first + 1u, -tangent);
    shear(self, first + 1u, first, 2 * tangent / (1 + tangent * tangent));
    shear(self, first, first + 1u, -tangent);
}

/* Noise of the heading turns it and so acts across it. */
static void drift(const cairn_real *h, cairn_real *own, size_t first, cairn_real var)
{
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
    const size_t dim = cfg->dim, first = dim + 2u, n = track_n_states(self);
    const cairn_real driven_m = cairn_abs(forward_m) * self->kappa;
    cairn_real *x = track_states(self), *covariance = x + n;
    if (dim > 1u) { /* half of the turn, the way, the other half */
        turn_half(self, first, turn_rad);
        shear(self, 1u, first + 1u, forward_m);
    }
    shear(self, 0, first, forward_m);
    if (dim > 1u) {
        /* without a place the time may have gone back */
        const cairn_real passed_s = cairn_max((cairn_real)(int32_t)(self->t_us - before_us) * 1e-6f, 0);
        turn_half(self, first, turn_rad);
        drift(x + first, covariance + track_row(first) + first, first,
              driven_m * cfg->odometry_turn * cfg->odometry_turn +
                  self->kappa * passed_s * cfg->odometry_drift * cfg->odometry_drift);
    }
    cairn_track_add_noise(covariance, 0, dim, driven_m * cfg->odometry_forward * cfg->odometry_forward);
    return CAIRN_OK;
}
