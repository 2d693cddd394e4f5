/* SPDX-License-Identifier: MIT
 * Tracking: one range as a scalar Kalman update with a Cauchy weight. */
#include "locate/track_internal.h"

#define DISTANCE_FLOOR_M  1e-3f
#define DISTANCE_FLOOR_M2 NOISE_FLOOR_M2
#define NOISE_FLOOR_M2    1e-6f /* of a stated deviation: (1 mm)^2 */
#define NOISE_FLOOR_REL2  1e-8f
#define WILD2             9      /* square of the deviations beyond which a range is disbelieved */
#define USUAL2            0.375f /* of t2 = chi-square(1): where the mean of (t2 - USUAL2) / (t2 + USUAL2) is 0 */
#define KAPPA_STEP        (1.0f / 32)
#define CLAMPED_MAX       (31u << TRACK_FLAG_BITS)

/* A range, then what it says, seen from the place: on the stack of the caller, so that of the update may be reused. */
typedef struct view {
    cairn_real slope[CAIRN_LOCATE_DIM_MAX + 2]; /* of the range by place, scale and bias; by motion it is 0 */
    cairn_real range_m[2];                      /* and its deviation; then: less what was expected, its variance */
} view_t;

/* The variance of the range is noise, the neighbour's own doubt, and what bending of the circle adds. Two sensors in one
 * place part along an axis. */
static CAIRN_NOINLINE void look(const cairn_track_t *self, const cairn_track_peer_t *peer, view_t *view)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t dim = cfg->dim;
    const cairn_real *x = track_states_const(self), *covariance = track_covariance_const(self);
    cairn_real *u = view->slope, scratch[CAIRN_LOCATE_DIM_MAX];
    cairn_real d2 = 0, std_m = view->range_m[1];
    size_t i = 0;

    do {
        u[i] = x[i] - peer->place_m[i];
        d2 += u[i] * u[i];
    } while (++i < dim);
    if (d2 < DISTANCE_FLOOR_M2) {
        d2 = DISTANCE_FLOOR_M2;
        u[dim > peer->tie ? peer->tie : 0] = DISTANCE_FLOOR_M;
    }
    if (!(std_m > 0)) {
        std_m = cfg->noise_m;
    }
    cairn_real var_m2 = std_m * std_m + NOISE_FLOOR_M2 + (cfg->noise_rel * cfg->noise_rel + NOISE_FLOOR_REL2) * d2;
    if (peer->cov_m2 != NULL) {
        var_m2 += cfg->peer_factor * cairn_track_product(peer->cov_m2, dim, u, dim, scratch) / d2;
    }
    const cairn_real trace_m2 = cairn_track_trace(covariance, dim);
    var_m2 += TRACK_RESOLVED * trace_m2;
    /* of the variance across the line of sight, what is over a quarter of the distance squared */
    cairn_real excess_m2 = trace_m2 - 0.25f * d2;
    if (excess_m2 > 0) {
        excess_m2 -= cairn_track_product(covariance, dim, u, dim, scratch) / d2;
        if (excess_m2 > 0) {
            var_m2 += excess_m2 * (excess_m2 / (2 * (d2 + excess_m2)));
        }
    }
    view->range_m[1] = var_m2;
    const cairn_real distance_m = cairn_sqrt(d2), stretch = 1 + x[dim];
    view->range_m[0] -= stretch * distance_m + x[dim + 1u];
    do {
        *u++ *= stretch / distance_m;
    } while (--i > 0);
    u[0] = distance_m;
    u[1] = 1;
}

/* The process-noise factor follows the squared residuals by a bounded, smooth step, which fewer than half of the ranges
 * cannot run away with. A leaky counter notes disbelieved ranges. */
static cairn_status learn(cairn_track_t *self, cairn_real t2)
{
    const cairn_real kappa = self->kappa + self->kappa * (KAPPA_STEP * (t2 - USUAL2) / (t2 + USUAL2));
    const unsigned whole = (unsigned)kappa;
    const unsigned bad = track_bad(self);

    self->kappa = whole < 1u ? 1 : kappa;
    if (whole >= TRACK_KAPPA_MAX) {
        self->kappa = TRACK_KAPPA_MAX;
        if (self->flags < CLAMPED_MAX) {
            self->flags = (uint8_t)(self->flags + (1u << TRACK_FLAG_BITS));
        }
    } else if (whole < TRACK_KAPPA_MAX / 2) {
        self->flags &= (1u << TRACK_FLAG_BITS) - 1u;
    }
    if (t2 > WILD2) {
        self->counts = (uint8_t)(self->counts + (bad < TRACK_COUNT_MAX ? 1u : 0u));
        return CAIRN_REJECTED;
    }
    self->counts = (uint8_t)(self->counts - (bad > 0 ? 1u : 0u));
    return CAIRN_OK;
}

/* Fold in what was looked at. */
static CAIRN_NOINLINE cairn_status fold(cairn_track_t *self, view_t *view, cairn_track_innovation_t *innovation)
{
    cairn_real column[CAIRN_TRACK_STATES_MAX];
    const cairn_real var_m2 =
        cairn_track_product(track_covariance(self), track_n_states(self), view->slope, self->cfg->dim + 2u, column) +
        view->range_m[1];
    const cairn_real difference_m = view->range_m[0];
    const cairn_real t2 = difference_m * difference_m / var_m2;
    const cairn_real weight = TRACK_HALF2 / (TRACK_HALF2 + t2);

    if (innovation != NULL) {
        innovation->difference_m = difference_m;
        innovation->var_m2 = var_m2;
        innovation->weight = weight;
        memcpy(innovation->cov_m2, column, sizeof innovation->cov_m2);
    }
    view->range_m[1] = t2; /* kept there: registers would cost stack */
    cairn_track_apply(track_states(self), track_covariance(self), track_n_states(self), column, weight / var_m2,
                      difference_m);
    return learn(self, view->range_m[1]);
}

/* While a range is folded in, the bias of its link is part of the common one. */
static void add_link_bias(cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real sign)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const track_flow_t flow = {sign, 1, 0, 0, 0};

    if (peer->link < cfg->n_link_biases) {
        cairn_track_flow(self, cfg->dim + 1u, track_n_states(self) - cfg->n_link_biases + peer->link, &flow);
    }
}

static cairn_status check_range(const cairn_track_t *self, const cairn_track_peer_t *peer, const view_t *view)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    cairn_status status = cairn_track_check(view->range_m, 1u, cfg->range_max_m, CAIRN_ERR_RANGE);

    if (status == CAIRN_OK && peer->cov_m2 != NULL) {
        status = cairn_track_check(peer->cov_m2, CAIRN_SYMMETRIC_REALS(cfg->dim),
                                   (cairn_real)TRACK_REAL_MAX * TRACK_REAL_MAX, CAIRN_ERR_RESOLUTION);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    return view->range_m[0] > 0 ? cairn_track_check_place(cfg, peer->place_m, view->range_m[1]) : CAIRN_ERR_RANGE;
}

cairn_status cairn_track_range(cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
                               cairn_real std_m, uint32_t t_us, cairn_track_innovation_t *innovation)
{
    view_t view;

    if (self == NULL || peer == NULL || peer->place_m == NULL || std_m < 0) {
        return CAIRN_ERR_ARG;
    }
    view.range_m[0] = range_m;
    view.range_m[1] = std_m;
    cairn_status status = check_range(self, peer, &view);
    if (status != CAIRN_OK) {
        return cairn_track_refuse(self, status);
    }
    status = cairn_track_predict(self, t_us);
    if (status != CAIRN_OK) {
        return status;
    }
    if (!track_is_placed(self)) {
        return CAIRN_UNPLACED;
    }
    add_link_bias(self, peer, 1);
    look(self, peer, &view);
    status = fold(self, &view, innovation);
    add_link_bias(self, peer, -1);
    return status;
}
