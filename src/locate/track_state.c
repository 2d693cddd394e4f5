/* SPDX-License-Identifier: MIT
 * Tracking: the passes over state and packed covariance that everything else is made of. A measurement is a product and an
 * application of one row (Kalman 1960); a motion is a step of two states at a time, congruent on the covariance. */
#include "locate/track_internal.h"

size_t cairn_track_n_motion(const cairn_track_cfg_t *cfg)
{
    const size_t dim = cfg->dim;

    return cfg->motion == CAIRN_TRACK_STILL ? 0u : cfg->motion == CAIRN_TRACK_DECAY || dim == 1u ? dim : 2u;
}

size_t cairn_track_n_states(const cairn_track_t *self)
{
    const cairn_track_cfg_t *cfg = self->cfg;

    return cfg->dim + 2u + cairn_track_n_motion(cfg) + cfg->n_link_biases;
}

cairn_real *cairn_track_covariance(cairn_track_t *self) { return track_states(self) + cairn_track_n_states(self); }

const cairn_real *cairn_track_covariance_const(const cairn_track_t *self)
{
    return track_states_const(self) + cairn_track_n_states(self);
}

cairn_real cairn_track_trace(const cairn_track_t *self)
{
    const cairn_real *covariance = cairn_track_covariance_const(self);
    cairn_real trace = 0;

    for (size_t i = 0; i < self->cfg->dim; covariance += ++i) {
        trace += covariance[i];
    }
    return trace;
}

cairn_real cairn_track_product(const cairn_real *packed, size_t n, const cairn_real *vector, cairn_real *out)
{
    cairn_real total = 0;

    for (size_t i = 0; i < n; packed += ++i) { /* each element serves its mirror image as well */
        const cairn_real own = vector[i];
        cairn_real sum = packed[i] * own;
        for (size_t j = 0; j < i; ++j) {
            sum += packed[j] * vector[j];
            out[j] += packed[j] * own;
        }
        out[i] = sum;
    }
    for (size_t i = 0; i < n; ++i) {
        total += vector[i] * out[i];
    }
    return total;
}

void cairn_track_apply(cairn_real *x, cairn_real *packed, size_t n, const cairn_real *column, cairn_real gain,
                       cairn_real difference)
{
    for (size_t i = 0; i < n; packed += ++i) {
        const cairn_real scaled = gain * column[i];
        x[i] += scaled * difference;
        for (size_t j = 0; j <= i; ++j) {
            packed[j] -= scaled * column[j];
        }
        if (packed[i] < TRACK_FLOOR_M2 && cairn_abs(column[i]) > 0) {
            packed[i] = TRACK_FLOOR_M2;
        }
    }
}

static inline void step_pair(const track_pair_t *pair, cairn_real *a, cairn_real *b)
{
    const cairn_real before = *a;

    *a = pair->aa * before + pair->ab * *b;
    *b = pair->ba * before + pair->bb * *b;
}

void cairn_track_mix(cairn_track_t *self, size_t a, size_t b, const track_pair_t *pair)
{
    const size_t n = cairn_track_n_states(self);
    cairn_real *x = track_states(self);
    cairn_real *row_a = x + n + track_row(a), *row_b = x + n + track_row(b);
    cairn_real *var_a = row_a + a, *cross = row_b + a, *var_b = row_b + b;
    cairn_real mirror = *cross; /* the covariance of the two as an element of row a */

    step_pair(pair, &x[a], &x[b]);
    for (size_t j = 0; j < n; ++j) {
        if (j != a && j != b) {
            step_pair(pair, row_a, row_b);
        }
        row_a += j < a ? 1u : j + 1u;
        row_b += j < b ? 1u : j + 1u;
    }
    step_pair(pair, var_a, cross); /* rows, then columns */
    step_pair(pair, &mirror, var_b);
    step_pair(pair, var_a, &mirror);
    step_pair(pair, cross, var_b);
}

void cairn_track_set_state(cairn_track_t *self, size_t state, cairn_real value, cairn_real variance)
{
    const size_t n = cairn_track_n_states(self);
    cairn_real *x = track_states(self);
    cairn_real *element = x + n + track_row(state), *own = element + state;

    x[state] = value;
    for (size_t j = 0; j < n; ++j) {
        *element = 0;
        element += j < state ? 1u : j + 1u;
    }
    *own = variance;
}

void cairn_track_add_noise(cairn_track_t *self, cairn_real place_m2)
{
    cairn_real *covariance = cairn_track_covariance(self);

    for (size_t i = 0; i < self->cfg->dim; covariance += ++i) {
        covariance[i] += place_m2;
    }
}
