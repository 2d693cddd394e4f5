/* SPDX-License-Identifier: MIT
 * Tracking: the passes over state and packed covariance that everything else is made of. A measurement is a product and an
 * application of one row (Kalman 1960); a motion is a step of two states at a time, congruent on the covariance. */
#include "locate/track_internal.h"

size_t cairn_track_n_states(const cairn_track_t *self)
{
    const cairn_track_cfg_t *cfg = self->cfg;

    return cfg->dim + 2u + track_n_motion(cfg) + cfg->n_link_biases;
}

cairn_real *cairn_track_covariance(cairn_track_t *self) { return track_states(self) + cairn_track_n_states(self); }

const cairn_real *cairn_track_covariance_const(const cairn_track_t *self)
{
    return track_states_const(self) + cairn_track_n_states(self);
}

cairn_real cairn_track_trace(const cairn_real *packed, size_t n)
{
    cairn_real trace = 0;

    for (size_t i = 0; i < n; packed += ++i) {
        trace += packed[i];
    }
    return trace;
}

cairn_real cairn_track_product(const cairn_real *packed, size_t n, const cairn_real *vector, cairn_real *out)
{
    cairn_real total = 0;

    for (size_t i = 0; i < n; ++i) { /* each element serves its mirror image as well */
        const cairn_real own = vector[i];
        cairn_real sum = 0;
        for (size_t j = 0; j < i; ++j) {
            const cairn_real element = *packed++;
            sum += element * vector[j];
            out[j] += element * own;
        }
        const cairn_real diagonal = *packed++ * own;
        out[i] = sum + diagonal;
        total += own * (sum + out[i]);
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

/* (a, b) becomes (aa a + ab b, ba a + bb b). */
static inline void step_pair(cairn_real *a, cairn_real *b, cairn_real aa, cairn_real ab, cairn_real ba, cairn_real bb)
{
    const cairn_real before_a = *a, before_b = *b;

    *a = aa * before_a + ab * before_b;
    *b = ba * before_a + bb * before_b;
}

void cairn_track_mix(cairn_real *x, size_t n, size_t a, size_t b, cairn_real aa, cairn_real ab, cairn_real ba,
                     cairn_real bb)
{
    cairn_real *row_a = x + n + track_row(a), *row_b = x + n + track_row(b);
    cairn_real *own_a = row_a + a, *cross = row_b + a, *own_b = row_b + b;
    const cairn_real var_a = *own_a, both = *cross, var_b = *own_b;
    const cairn_real left = aa * var_a + ab * both, right = aa * both + ab * var_b;
    size_t j = 0;

    step_pair(&x[a], &x[b], aa, ab, ba, bb);
    *own_a = aa * left + ab * right;
    *cross = ba * left + bb * right;
    *own_b = ba * (ba * var_a + bb * both) + bb * (ba * both + bb * var_b);
    for (; j < a; ++j) { /* both along their rows */
        step_pair(row_a++, row_b++, aa, ab, ba, bb);
    }
    for (++j, ++row_b; j < b; ++j) { /* down from the diagonal, along the row */
        row_a += j;
        step_pair(row_a, row_b++, aa, ab, ba, bb);
    }
    for (row_a += j; ++j < n;) { /* both down */
        row_a += j;
        row_b += j;
        step_pair(row_a, row_b, aa, ab, ba, bb);
    }
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

void cairn_track_add_noise(cairn_real *packed, size_t n, cairn_real var)
{
    for (size_t i = 0; i < n; packed += ++i) {
        packed[i] += var;
    }
}
