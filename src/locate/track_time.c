/* SPDX-License-Identifier: MIT
 * Tracking: time that wraps, and what it does to the state. Decaying velocity: Ornstein-Uhlenbeck, integrated exactly
 * but for the exponential, which is rational so that all targets agree. */
#include "locate/track_internal.h"

#define SECOND_US 1e-6f

/* Velocities decay and places move on with them; noise of the velocity has time to move the place: its integral but for
 * 8 %, without the cancellation. */
static CAIRN_NOINLINE void decay(cairn_track_t *self, cairn_real dt_s, cairn_real q2)
{
    const size_t dim = self->cfg->dim;
    const cairn_real tau_s = self->cfg->tau_s;
    const cairn_real z = dt_s / tau_s;
    const cairn_real third = 3 / (3 + z);
    const cairn_real keep = third * third * third;
    const cairn_real reach_s = tau_s * (1 - keep);
    const cairn_real half_s = 0.5f * q2 * reach_s, both = half_s * reach_s;
    const track_flow_t flow = {reach_s, keep, both * dt_s, both, half_s * (1 + keep)};
    size_t i = 0;

    do {
        cairn_track_flow(self, i, dim + 2u + i, &flow);
    } while (++i < dim);
}

static void advance(cairn_track_t *self, cairn_real dt_s)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t n_links = cfg->n_link_biases;
    const cairn_real rate = cfg->motion == CAIRN_TRACK_ODOMETRY ? cfg->odometry_rest : cfg->noise_motion;
    const cairn_real q2 = rate * rate * self->kappa;
    cairn_real *covariance = track_covariance(self);

    if (n_links > 0) {
        cairn_track_add_noise(covariance, track_n_states(self) - n_links, n_links,
                              cfg->link_walk * cfg->link_walk * dt_s);
    }
    if (cfg->motion == CAIRN_TRACK_DECAY) {
        decay(self, dt_s, q2);
    } else {
        cairn_track_add_noise(covariance, 0, cfg->dim, q2 * dt_s);
    }
}

cairn_status cairn_track_predict(cairn_track_t *self, uint32_t t_us)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    const cairn_track_cfg_t *cfg = self->cfg;
    const int32_t ahead_us = (int32_t)(t_us - self->t_us);
    const cairn_real ahead_s = (cairn_real)ahead_us * SECOND_US;

    if (!track_is_placed(self)) {
        self->t_us = t_us; /* without a place there is nothing that a time could be too late for */
        return CAIRN_OK;
    }
    const bool astray = cairn_abs(ahead_s) > cfg->gap_s;
    if (astray) {
        self->counts = (uint8_t)(self->counts + TRACK_COUNT_MAX + 1u);
        if (self->counts / (TRACK_COUNT_MAX + 1u) >= TRACK_ASTRAY) {
            /* what was known of place and motion belongs to another time */
            self->flags = 0;
            self->counts = 0;
            self->t_us = t_us;
        }
    }
    if (astray || ahead_s < -cfg->late_s) {
        return cairn_track_refuse(self, CAIRN_ERR_STATE);
    }
    self->counts &= TRACK_COUNT_MAX;
    if (ahead_us > 0) {
        self->t_us = t_us;
        advance(self, ahead_s);
    }
    return CAIRN_OK;
}
