/* SPDX-License-Identifier: MIT
 * Tracking: what the tracker knows. */
#include "locate/track_internal.h"

cairn_status cairn_track_get_place(const cairn_track_t *self, cairn_real *place_m, cairn_real *std_m)
{
    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if ((self->flags & TRACK_PLACED) == 0) {
        return CAIRN_UNPLACED;
    }
    const cairn_real *x = track_states_const(self);
    const cairn_real *covariance = x + track_n_states(self->cfg);
    cairn_real trace_m2 = 0;
    for (size_t i = 0; i < self->cfg->dim; ++i) {
        place_m[i] = x[i];
        trace_m2 += covariance[track_row(i) + i];
    }
    if (std_m != NULL) {
        *std_m = cairn_sqrt(trace_m2 / (cairn_real)self->cfg->dim);
    }
    return (self->flags & TRACK_MIRROR) != 0 ? CAIRN_FLIP_POSSIBLE : CAIRN_OK;
}

cairn_status cairn_track_get_covariance(const cairn_track_t *self, cairn_real *cov_m2)
{
    if (self == NULL || cov_m2 == NULL) {
        return CAIRN_ERR_ARG;
    }
    if ((self->flags & TRACK_PLACED) == 0) {
        return CAIRN_UNPLACED;
    }
    const cairn_real *covariance = track_states_const(self) + track_n_states(self->cfg);
    for (size_t i = 0; i < CAIRN_SYMMETRIC_REALS(self->cfg->dim); ++i) {
        cov_m2[i] = covariance[i];
    }
    return CAIRN_OK;
}

cairn_status cairn_track_get_motion(const cairn_track_t *self, cairn_real *motion)
{
    if (self == NULL || motion == NULL) {
        return CAIRN_ERR_ARG;
    }
    const size_t n_motion = track_n_motion(self->cfg);
    const cairn_real *x = track_states_const(self) + self->cfg->dim + 2u;
    for (size_t i = 0; i < n_motion; ++i) {
        motion[i] = x[i];
    }
    return n_motion > 0 ? CAIRN_OK : CAIRN_ERR_STATE;
}

static cairn_real get_state(const cairn_track_t *self, size_t state, cairn_real *std)
{
    const cairn_real *x = track_states_const(self);

    if (std != NULL) {
        *std = cairn_sqrt(x[track_n_states(self->cfg) + track_row(state) + state]);
    }
    return x[state];
}

cairn_real cairn_track_get_scale(const cairn_track_t *self, cairn_real *std)
{
    return get_state(self, self->cfg->dim, std);
}

cairn_real cairn_track_get_bias(const cairn_track_t *self, cairn_real *std_m)
{
    return get_state(self, self->cfg->dim + 1u, std_m);
}

cairn_real cairn_track_get_link_bias(const cairn_track_t *self, uint8_t link, cairn_real *std_m)
{
    const size_t first = track_n_states(self->cfg) - self->cfg->n_link_biases;

    if (link >= self->cfg->n_link_biases) {
        if (std_m != NULL) {
            *std_m = 0;
        }
        return 0;
    }
    return get_state(self, first + link, std_m);
}

cairn_real cairn_track_get_kappa(const cairn_track_t *self, uint8_t *clamped)
{
    if (clamped != NULL) {
        *clamped = (uint8_t)(self->flags >> TRACK_FLAG_BITS);
    }
    return self->kappa;
}

uint16_t cairn_track_get_refused(const cairn_track_t *self) { return self->n_refused; }
