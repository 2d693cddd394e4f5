/* SPDX-License-Identifier: MIT
 * Tracking: what the tracker knows. */
#include "locate/track_internal.h"

cairn_status cairn_track_get_place(const cairn_track_t *self, cairn_real *place_m, cairn_real *std_m)
{
    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!track_is_placed(self)) {
        return CAIRN_UNPLACED;
    }
    const size_t dim = self->cfg->dim;
    memcpy(place_m, track_states_const(self), dim * sizeof *place_m);
    if (std_m != NULL) {
        *std_m = cairn_sqrt(cairn_track_trace(track_covariance_const(self), dim) / (cairn_real)dim);
    }
    return (self->flags & TRACK_MIRROR) != 0 ? CAIRN_FLIP_POSSIBLE : CAIRN_OK;
}

cairn_status cairn_track_get_covariance(const cairn_track_t *self, cairn_real *cov_m2)
{
    if (self == NULL || cov_m2 == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!track_is_placed(self)) {
        return CAIRN_UNPLACED;
    }
    memcpy(cov_m2, track_covariance_const(self), CAIRN_SYMMETRIC_REALS(self->cfg->dim) * sizeof *cov_m2);
    return CAIRN_OK;
}

cairn_status cairn_track_get_motion(const cairn_track_t *self, cairn_real *motion)
{
    if (self == NULL || motion == NULL) {
        return CAIRN_ERR_ARG;
    }
    const size_t n_motion = track_n_motion(self->cfg);
    memcpy(motion, track_states_const(self) + self->cfg->dim + 2u, n_motion * sizeof *motion);
    return n_motion > 0 ? CAIRN_OK : CAIRN_ERR_STATE;
}

static cairn_real get_state(const cairn_track_t *self, size_t state, cairn_real *std)
{
    if (std != NULL) {
        *std = cairn_sqrt(track_covariance_const(self)[track_row(state) + state]);
    }
    return track_states_const(self)[state];
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
    if (link < self->cfg->n_link_biases) {
        return get_state(self, track_n_states(self) - self->cfg->n_link_biases + link, std_m);
    }
    if (std_m != NULL) {
        *std_m = 0;
    }
    return 0;
}

cairn_real cairn_track_get_kappa(const cairn_track_t *self, uint8_t *clamped)
{
    if (clamped != NULL) {
        *clamped = (uint8_t)(self->flags >> TRACK_FLAG_BITS);
    }
    return self->kappa;
}

uint16_t cairn_track_get_refused(const cairn_track_t *self) { return self->n_refused; }
