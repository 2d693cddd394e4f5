/* SPDX-License-Identifier: MIT
 * Shared by the files of track: layout of the state, and the passes over it. */
#ifndef CAIRN_TRACK_INTERNAL_H
#define CAIRN_TRACK_INTERNAL_H

#include "cairn/track.h"

#define TRACK_PLACED   1u /* flags */
#define TRACK_MIRROR   2u
#define TRACK_HEADING  4u /* the heading was stated */
#define TRACK_BAD      8u /* disbelieved ranges, leaky count, at which the place is doubted */
#define TRACK_DOUBT    4u
#define TRACK_ASTRAY   8u /* times of another clock in a row that restart the track */
#define TRACK_FLOOR_M2 1e-8f
#define TRACK_RESOLVED                                                                                                 \
    1e-6f /* of a variance: what a measurement leaves of it at least, so that rounding does not show */
#define TRACK_REAL_MAX  1e6f /* of settings and deviations, so that a float holds all that their squares make up */
#define TRACK_HALF2     4    /* square of the deviations at which a range has half the weight (Cauchy) */
#define TRACK_KAPPA_MAX 30u
#define TRACK_COUNT_MAX 15u /* of each half of counts */
#define TRACK_FLAG_BITS 3

/* Order of the states: place [dim], scale, bias, motion, link biases. Their packed covariance follows them; its first rows
 * are the covariance of the place. */

/* The states lie behind the head in the same object; a pointer to its first member points to the object as well. */
static inline cairn_real *track_states(cairn_track_t *self)
{
    return (cairn_real *)(void *)((unsigned char *)self + sizeof *self);
}

static inline const cairn_real *track_states_const(const cairn_track_t *self)
{
    return (const cairn_real *)(const void *)((const unsigned char *)self + sizeof *self);
}

static inline size_t track_n_states(const cairn_track_t *self) { return self->n_states; }

/* Packed covariance of the states. */
static inline cairn_real *track_covariance(cairn_track_t *self) { return track_states(self) + track_n_states(self); }

static inline const cairn_real *track_covariance_const(const cairn_track_t *self)
{
    return track_states_const(self) + track_n_states(self);
}

static inline uint8_t track_bad(const cairn_track_t *self) { return self->counts & TRACK_COUNT_MAX; }

static inline void track_set_bad(cairn_track_t *self, unsigned bad)
{
    self->counts = (uint8_t)((self->counts & ~TRACK_COUNT_MAX) | bad);
}

static inline bool track_is_placed(const cairn_track_t *self) { return (self->flags & TRACK_PLACED) != 0; }

static inline size_t track_row(size_t i) { return i * (i + 1u) / 2u; }

static inline size_t track_n_motion(const cairn_track_cfg_t *cfg)
{
    return cfg->motion == CAIRN_TRACK_DECAY || (cfg->motion == CAIRN_TRACK_ODOMETRY && cfg->dim == 1u) ? cfg->dim
                                                                                                       : cfg->motion;
}

/* Sum of the first n variances of a packed covariance. */
cairn_real cairn_track_trace(const cairn_real *packed, size_t n);

/* out [n] = C v for a packed C [n x n] and a v of which only the first n_vector are not 0; returns v' C v, not
 * negative. */
cairn_real cairn_track_product(const cairn_real *packed, size_t n, const cairn_real *vector, size_t n_vector,
                               cairn_real *out);

/* x += gain difference column, C -= gain column column'; the diagonal stays positive. */
void cairn_track_apply(cairn_real *x, cairn_real *packed, size_t n, const cairn_real *column, cairn_real gain,
                       cairn_real difference);

/* One state flows into another: x[to] += gain x[from], then x[from] *= keep, and their covariance with all; then noise. */
typedef struct track_flow {
    cairn_real gain, keep;
    cairn_real var_to, var_both, var_from;
} track_flow_t;

/* All motion is made of such steps. */
void cairn_track_flow(cairn_track_t *self, size_t to, size_t from, const track_flow_t *flow);

/* A state becomes `value` and independent of the others, with a variance. */
void cairn_track_set_state(cairn_track_t *self, size_t state, cairn_real value, cairn_real variance);

/* States from `first` to before `end`, none of the place, as at the start. Motion: standing, or heading anywhere. */
void cairn_track_start_states(cairn_track_t *self, size_t first, size_t end);

/* Add to n variances of a packed covariance, from that of state `first` on. */
void cairn_track_add_noise(cairn_real *packed, size_t first, size_t n, cairn_real var);

/* Refuse a call: count it and pass the reason on. */
cairn_status cairn_track_refuse(cairn_track_t *self, cairn_status status);

/* CAIRN_ERR_NONFINITE where a number is not finite, `larger` where it exceeds a limit in size. */
cairn_status cairn_track_check(const cairn_real *number, size_t n, cairn_real limit, cairn_status larger);

/* Whether a place is resolved, and a deviation no larger than TRACK_REAL_MAX. */
cairn_status cairn_track_check_place(const cairn_track_cfg_t *cfg, const cairn_real *place_m, cairn_real std_m);

/* Place known but for a variance, and independent of all; motion starts anew, the heading unless it was stated before the
 * first place. */
void cairn_track_adopt(cairn_track_t *self, const cairn_real *place_m, cairn_real var_m2);

#endif
