/* SPDX-License-Identifier: MIT
 * Shared by the files of track: layout of the state, and the passes over it. */
#ifndef CAIRN_TRACK_INTERNAL_H
#define CAIRN_TRACK_INTERNAL_H

#include "cairn/track.h"

#define TRACK_PLACED    1u /* flags */
#define TRACK_MIRROR    2u
#define TRACK_HEADING   4u /* the heading was stated */
#define TRACK_BAD       8u /* disbelieved ranges, leaky count, at which the place is doubted */
#define TRACK_DOUBT     4u
#define TRACK_ASTRAY    8u /* times of another clock in a row that restart the track */
#define TRACK_FLOOR_M2  1e-8f
#define TRACK_KAPPA_MAX 30
#define TRACK_COUNT_MAX 15u /* of each half of counts */
#define TRACK_FLAG_BITS 3

/* Order of the states: place [dim], scale, bias, motion, link biases: what a range sees is a prefix. */

/* The states lie behind the head in the same object; a pointer to its first member points to the object as well. */
static inline cairn_real *track_states(cairn_track_t *self)
{
    return (cairn_real *)(void *)((unsigned char *)self + sizeof *self);
}

static inline const cairn_real *track_states_const(const cairn_track_t *self)
{
    return (const cairn_real *)(const void *)((const unsigned char *)self + sizeof *self);
}

static inline uint8_t track_bad(const cairn_track_t *self) { return self->counts & TRACK_COUNT_MAX; }

static inline void track_set_bad(cairn_track_t *self, unsigned bad)
{
    self->counts = (uint8_t)((self->counts & ~TRACK_COUNT_MAX) | bad);
}

static inline size_t track_row(size_t i) { return i * (i + 1u) / 2u; }

static inline size_t track_n_motion(const cairn_track_cfg_t *cfg)
{
    return cfg->motion == CAIRN_TRACK_DECAY   ? cfg->dim
           : cfg->motion == CAIRN_TRACK_STILL ? 0u
           : cfg->dim == 1u                   ? 1u
                                              : 2u;
}

static inline size_t track_n_states(const cairn_track_cfg_t *cfg)
{
    return cfg->dim + 2u + track_n_motion(cfg) + cfg->n_link_biases;
}

static inline void track_count_refused(cairn_track_t *self)
{
    self->n_refused = (uint16_t)(self->n_refused + (self->n_refused < UINT16_MAX ? 1u : 0u));
}

/* Refuse a call: count it and pass the reason on. */
cairn_status cairn_track_refuse(cairn_track_t *self, cairn_status status);

/* Seconds from the state to t_us, negative when it is earlier. */
cairn_real cairn_track_elapsed_s(const cairn_track_t *self, uint32_t t_us);

/* Whether a time is acceptable, and how far ahead of the state; counts, and restarts the track when another clock
 * insists. */
cairn_status cairn_track_check_time(cairn_track_t *self, uint32_t t_us, cairn_real *dt_s);

/* Whether places are finite and resolved. */
cairn_status cairn_track_check_place(const cairn_track_cfg_t *cfg, const cairn_real *place_m);

/* Numbers of a range, without its time. */
cairn_status cairn_track_check_range(const cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
                                     cairn_real std_m);

/* u' C u for a packed C. */
cairn_real cairn_track_quadratic(const cairn_real *packed, const cairn_real *u, size_t dim);

/* Move the state to an acceptable time, dt_s ahead; nothing when that is not above 0. */
void cairn_track_advance(cairn_track_t *self, uint32_t t_us, cairn_real dt_s);

/* Variances of a state and of all its pairs become 0, then its own becomes `variance`. */
void cairn_track_clear_state(cairn_track_t *self, size_t state, cairn_real value, cairn_real variance);

/* Place known from a fix: cov_m2 packed; motion starts anew, the heading unless it was stated and kept is set. */
void cairn_track_adopt(cairn_track_t *self, const cairn_real *place_m, const cairn_real *cov_m2, bool keep_heading);

/* Scalar update with gain `gain` times covariance column `column`; floors the diagonal. */
void cairn_track_apply(cairn_track_t *self, const cairn_real *column, cairn_real gain, cairn_real difference);

/* Rotation by an angle within -pi to pi, without libm: cosine and sine, an exact rotation to rounding. */
void cairn_track_rotation(cairn_real angle_rad, cairn_real *cosine, cairn_real *sine);

/* A place fitted to the fresh links. */
typedef struct track_fix {
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real cov_m2[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)];
    cairn_real cost;
    bool mirror; /* another place fits as well */
} track_fix_t;

/* What fix needs besides the table. */
typedef struct track_view {
    const cairn_track_links_t *links;
    const cairn_track_cfg_t *cfg;
    cairn_real scale, bias_m, var_scale, var_bias_m2;
    uint32_t t_us;
} track_view_t;

void cairn_track_view(track_view_t *view, const cairn_track_links_t *links, const cairn_track_t *track, uint32_t t_us);

/* Range of a link freed of scale and bias, and its variance with age; false when it is missing or not fresh. */
bool cairn_track_view_range(const track_view_t *view, size_t link, cairn_real *range_m, cairn_real *var_m2);

size_t cairn_track_view_fresh(const track_view_t *view);

/* Sum of log(1 + e^2 / (4 var)) over the fresh links, as the logarithm base 2 times log 2 of the product. */
cairn_real cairn_track_view_cost(const track_view_t *view, const cairn_real *place_m);

/* Fresh links within 3 deviations of a place whose own variance is extra_m2. */
size_t cairn_track_view_agree(const track_view_t *view, const cairn_real *place_m, cairn_real extra_m2);

/* Whether no anchor but this one has been heard lately and no odometry tells the direction: its bearing is unobservable. */
bool cairn_track_is_alone(const cairn_track_links_t *links, const cairn_track_t *track, size_t link, uint32_t t_us);

/* Variance of the bearing from a point, times dim - 1; least_var as it was before a range to that point alone. */
cairn_real cairn_track_bearing_var(const cairn_track_t *track, const cairn_real *peer_m);
void cairn_track_keep_bearing(cairn_track_t *track, const cairn_real *peer_m, cairn_real least_var);

/* Keep both sides of the anchors' line open when the links do not tell them apart. */
void cairn_track_keep_sides(const cairn_track_links_t *links, cairn_track_t *track);

/* Fit a place; false when the links do not determine one. */
bool cairn_track_fix(const track_view_t *view, track_fix_t *fix);

#endif
