/* SPDX-License-Identifier: MIT
 * Tracking: time that wraps, and what it does to the state. Decaying velocity: Ornstein-Uhlenbeck, integrated exactly
 * but for the exponential, which is rational so that all targets agree. */
#include "locate/track_internal.h"

#define SECOND_US   1e-6f
#define SHORT_SHARE 0.05f /* of tau: below, the integral cancels in float and its leading term is used */

cairn_status cairn_track_refuse(cairn_track_t *self, cairn_status status)
{
    self->n_refused = (uint16_t)(self->n_refused + (self->n_refused < UINT16_MAX ? 1u : 0u));
    return status;
}

/* Velocities decay and places move on with them; noise of the velocity has time to move the place. */
static void decay(cairn_real *x, size_t n, size_t dim, cairn_real tau_s, cairn_real dt_s, cairn_real q2)
{
    const cairn_real z = dt_s / tau_s;
    const cairn_real keep = 1 / (1 + z * (1 + z * (0.5f + z * (1.0f / 6))));
    const cairn_real reach_s = tau_s * (1 - keep);
    const cairn_real half_s = 0.5f * tau_s * (1 - keep * keep);
    const cairn_real place_m2 =
        q2 * (z < SHORT_SHARE ? dt_s * dt_s * dt_s * (1.0f / 3) : tau_s * tau_s * (dt_s - 2 * reach_s + half_s));
    const cairn_real both = 0.5f * q2 * reach_s * reach_s, velocity = q2 * half_s;
    cairn_real *own = x + n, *row = own + track_row(dim + 2u);

    for (size_t i = 0; i < dim; ++i) {
        cairn_track_mix(x, n, i, dim + 2u + i, 1, reach_s, 0, keep);
        *own += place_m2;
        row[i] += both;
        row[dim + 2u + i] += velocity;
        own += i + 2u;
        row += dim + 3u + i;
    }
}

static void advance(cairn_track_t *self, cairn_real dt_s)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t dim = cfg->dim, n = cairn_track_n_states(self);
    const cairn_real rate = cfg->motion == CAIRN_TRACK_ODOMETRY ? cfg->odometry_rest : cfg->noise_motion;
    const cairn_real q2 = rate * rate * self->kappa;
    cairn_real *x = track_states(self), *covariance = x + n;

    if (cfg->motion == CAIRN_TRACK_DECAY) {
        decay(x, n, dim, cfg->tau_s, dt_s, q2);
    } else {
        cairn_track_add_noise(covariance, dim, q2 * dt_s);
    }
    for (size_t i = n - cfg->n_link_biases; i < n; ++i) {
        covariance[track_row(i) + i] += cfg->link_walk * cfg->link_walk * dt_s;
    }
}

cairn_status cairn_track_predict(cairn_track_t *self, uint32_t t_us)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    const uint32_t ahead_us = t_us - self->t_us;
    const bool back = ahead_us > UINT32_C(0x7FFFFFFF);
    const cairn_real apart_s = (cairn_real)(back ? 0u - ahead_us : ahead_us) * SECOND_US;

    if (!track_is_placed(self)) {
        self->t_us = t_us; /* without a place there is nothing that a time could be too late for */
        return CAIRN_OK;
    }
    if (apart_s <= (back ? self->cfg->late_s : self->cfg->gap_s)) {
        self->counts &= TRACK_COUNT_MAX;
        if (!back && ahead_us > 0) {
            self->t_us = t_us;
            advance(self, apart_s);
        }
        return CAIRN_OK;
    }
    if (apart_s > self->cfg->gap_s) {
        self->counts = (uint8_t)(self->counts + TRACK_COUNT_MAX + 1u);
        if (self->counts / (TRACK_COUNT_MAX + 1u) >= TRACK_ASTRAY) {
            /* what was known of place and motion belongs to another time */
            self->flags = 0;
            self->counts = 0;
            self->t_us = t_us;
        }
    }
    return cairn_track_refuse(self, CAIRN_ERR_STATE);
}
