/* SPDX-License-Identifier: MIT
 * Tracking: time that wraps, and what it does to the state. Decaying velocity: Ornstein-Uhlenbeck, integrated exactly
 * but for the exponential, which is rational so that all targets agree. */
#include "locate/track_internal.h"

#define SECOND_US   1e-6f
#define SHORT_SHARE 0.05f /* of tau: below, the integral cancels in float and its leading term is used */

cairn_status cairn_track_refuse(cairn_track_t *self, cairn_status status)
{
    track_count_refused(self);
    return status;
}

cairn_real cairn_track_elapsed_s(const cairn_track_t *self, uint32_t t_us)
{
    const uint32_t ahead = t_us - self->t_us;

    return ahead <= UINT32_C(0x7FFFFFFF) ? (cairn_real)ahead * SECOND_US : (cairn_real)(0u - ahead) * -SECOND_US;
}

/* Another clock has spoken often enough: what was known of place and motion belongs to another time. */
static void restart(cairn_track_t *self, uint32_t t_us)
{
    self->flags = 0;
    self->counts = 0;
    self->t_us = t_us;
}

cairn_status cairn_track_check_time(cairn_track_t *self, uint32_t t_us, cairn_real *dt_s)
{
    const cairn_real elapsed_s = cairn_track_elapsed_s(self, t_us);

    if ((self->flags & TRACK_PLACED) == 0) {
        *dt_s = 0;
        self->t_us = t_us; /* without a place there is nothing that a time could be too late for */
        return CAIRN_OK;
    }
    if (elapsed_s >= -self->cfg->late_s && elapsed_s <= self->cfg->gap_s) {
        self->counts &= TRACK_COUNT_MAX;
        *dt_s = elapsed_s;
        return CAIRN_OK;
    }
    if (cairn_abs(elapsed_s) > self->cfg->gap_s) {
        self->counts = (uint8_t)(self->counts + TRACK_COUNT_MAX + 1u);
        if (self->counts / (TRACK_COUNT_MAX + 1u) >= TRACK_ASTRAY) {
            restart(self, t_us);
        }
    }
    return cairn_track_refuse(self, CAIRN_ERR_STATE);
}

/* Decay of the velocity over a step, and the noise it brings. */
typedef struct decay {
    cairn_real keep;  /* share of the velocity left */
    cairn_real reach; /* place moves by reach x velocity */
    cairn_real q_pp, q_pv, q_vv;
} decay_t;

static void decay_over(const cairn_track_cfg_t *cfg, cairn_real dt_s, cairn_real kappa, decay_t *decay)
{
    const cairn_real tau_s = cfg->tau_s;
    const cairn_real z = dt_s / tau_s;
    const cairn_real keep = 1 / (1 + z * (1 + z * (0.5f + z * (1.0f / 6))));
    const cairn_real reach_s = tau_s * (1 - keep);
    const cairn_real q2 = cfg->noise_motion * cfg->noise_motion * kappa;
    const cairn_real half = 0.5f * tau_s * (1 - keep * keep);

    decay->keep = keep;
    decay->reach = reach_s;
    decay->q_vv = q2 * half;
    decay->q_pv = 0.5f * q2 * reach_s * reach_s;
    decay->q_pp =
        z < SHORT_SHARE ? q2 * dt_s * dt_s * dt_s * (1.0f / 3) : q2 * tau_s * tau_s * (dt_s - 2 * reach_s + half);
}

/* p += reach v, v *= keep, on one column of the covariance outside of both, or on the state. */
static inline void decay_pair(cairn_real *place, cairn_real *velocity, const decay_t *decay)
{
    *place += decay->reach * *velocity;
    *velocity *= decay->keep;
}

/* The block place-place; needs the blocks of the velocity as they were. */
static void decay_place(cairn_real *covariance, size_t dim, const decay_t *decay)
{
    const size_t first = dim + 2u;
    const cairn_real reach = decay->reach;
    const cairn_real *velocity_i = covariance + track_row(first);
    cairn_real *place_i = covariance;

    for (size_t i = 0; i < dim; place_i += i + 1u, velocity_i += first + i + 1u, ++i) {
        const cairn_real *velocity_j = covariance + track_row(first);
        for (size_t j = 0; j <= i; velocity_j += first + j + 1u, ++j) {
            place_i[j] += reach * (velocity_i[j] + velocity_j[i] + reach * velocity_i[first + j]);
        }
        place_i[i] += decay->q_pp;
    }
}

/* Rows of the velocity, from the first on: each still finds the later ones as they were. */
static void decay_velocity(cairn_real *covariance, size_t dim, const decay_t *decay)
{
    const size_t first = dim + 2u;
    const cairn_real keep = decay->keep, reach = decay->reach;
    cairn_real *scale = covariance + track_row(dim), *bias = scale + dim + 1u;
    cairn_real *row = covariance + track_row(first);

    for (size_t i = 0; i < dim; row += first + i + 1u, ++i) {
        cairn_real *own = row + first;
        for (size_t j = 0; j < i; ++j) {
            row[j] = keep * (row[j] + reach * own[j]);
            own[j] *= keep * keep;
        }
        const cairn_real *below = own + i;
        for (size_t j = i; j < dim; below += first + ++j) {
            row[j] = keep * (row[j] + reach * *below);
        }
        own[i] = keep * keep * own[i] + decay->q_vv;
        row[i] += decay->q_pv;
        decay_pair(&scale[i], &row[dim], decay);
        decay_pair(&bias[i], &row[dim + 1u], decay);
    }
}

static void advance_decay(cairn_track_t *self, cairn_real dt_s)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t dim = cfg->dim, first = dim + 2u, n = first + dim + cfg->n_link_biases;
    cairn_real *x = track_states(self);
    cairn_real *covariance = x + n;
    decay_t decay;

    decay_over(cfg, dt_s, self->kappa, &decay);
    decay_place(covariance, dim, &decay);
    decay_velocity(covariance, dim, &decay);
    for (size_t i = 0; i < dim; ++i) {
        decay_pair(&x[i], &x[first + i], &decay);
        for (size_t j = first + dim; j < n; ++j) {
            decay_pair(&covariance[track_row(j) + i], &covariance[track_row(j) + first + i], &decay);
        }
    }
}

/* Noise of a place that wanders. */
static void wander(cairn_track_t *self, cairn_real var_m2)
{
    cairn_real *covariance = track_states(self) + track_n_states(self->cfg);

    for (size_t i = 0; i < self->cfg->dim; ++i) {
        covariance[track_row(i) + i] += var_m2;
    }
}

static void walk_links(cairn_track_t *self, cairn_real dt_s)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t n = track_n_states(cfg);
    cairn_real *covariance = track_states(self) + n;

    for (size_t i = n - cfg->n_link_biases; i < n; ++i) {
        covariance[track_row(i) + i] += cfg->link_walk * cfg->link_walk * dt_s;
    }
}

void cairn_track_advance(cairn_track_t *self, uint32_t t_us, cairn_real dt_s)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const cairn_real kappa = self->kappa;

    if (!(dt_s > 0)) {
        return;
    }
    self->t_us = t_us;
    if (cfg->motion == CAIRN_TRACK_DECAY) {
        advance_decay(self, dt_s);
    } else {
        const cairn_real rate = cfg->motion == CAIRN_TRACK_STILL ? cfg->noise_motion : cfg->odometry_rest;
        wander(self, kappa * rate * rate * dt_s);
    }
    if (cfg->n_link_biases > 0) {
        walk_links(self, dt_s);
    }
}

cairn_status cairn_track_predict(cairn_track_t *self, uint32_t t_us)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    cairn_real dt_s;
    const cairn_status status = cairn_track_check_time(self, t_us, &dt_s);
    if (status == CAIRN_OK) {
        cairn_track_advance(self, t_us, dt_s);
    }
    return status;
}
