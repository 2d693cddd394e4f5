/* SPDX-License-Identifier: MIT
 * Tracking: one range as a scalar Kalman update with a Cauchy weight. */
#include "locate/track_internal.h"

#define DISTANCE_FLOOR_M 1e-3f
#define NOISE_FLOOR_M2   1e-6f /* of a stated deviation: (1 mm)^2 */
#define NOISE_FLOOR_REL2 1e-8f
#define WILD2            9      /* square of the deviations beyond which a range is disbelieved */
#define USUAL2           0.375f /* of t2 = chi-square(1): where the mean of (t2 - USUAL2) / (t2 + USUAL2) is 0 */
#define KAPPA_STEP       (1.0f / 32)
#define CLAMPED_MAX      (31u << TRACK_FLAG_BITS)

/* Direction from the other end, not of unit length, and its square; two sensors in one place part along an axis. */
static cairn_real look(const cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real *u)
{
    const size_t dim = self->cfg->dim;
    const cairn_real *x = track_states_const(self), *other_m = peer->place_m;
    cairn_real d2 = 0;

    for (size_t i = 0; i < dim; ++i) {
        const cairn_real along_m = x[i] - other_m[i];
        u[i] = along_m;
        d2 += along_m * along_m;
    }
    if (d2 < DISTANCE_FLOOR_M * DISTANCE_FLOOR_M) {
        d2 = DISTANCE_FLOOR_M * DISTANCE_FLOOR_M;
        u[dim > peer->tie ? peer->tie : 0] = DISTANCE_FLOOR_M;
    }
    return d2;
}

/* Variance of the range itself: noise, the neighbour's own doubt, and what bending of the circle adds. */
static cairn_real noise_m2(const cairn_track_cfg_t *cfg, const cairn_real *covariance, const cairn_track_peer_t *peer,
                           const cairn_real *u, cairn_real d2, cairn_real std_m, cairn_real *scratch)
{
    const cairn_real own_m2 =
        std_m > 0 ? std_m * std_m : cfg->noise_m * cfg->noise_m + cfg->noise_rel * cfg->noise_rel * d2;
    cairn_real excess_m2 = cairn_track_trace(covariance, cfg->dim) - 0.25f * d2;
    cairn_real var_m2 = cairn_max(own_m2, NOISE_FLOOR_M2 + NOISE_FLOOR_REL2 * d2);

    if (peer->cov_m2 != NULL) {
        var_m2 += cfg->peer_factor * cairn_max(cairn_track_product(peer->cov_m2, cfg->dim, u, scratch) / d2, 0);
    }
    if (excess_m2 > 0) { /* of the variance across the line of sight, over a quarter of the distance squared */
        excess_m2 = cairn_max(excess_m2 - cairn_track_product(covariance, cfg->dim, u, scratch) / d2, 0);
        var_m2 += excess_m2 * excess_m2 / (2 * (d2 + excess_m2));
    }
    return var_m2;
}

/* The process-noise factor follows the squared residuals by a bounded, smooth step, which fewer than half of the ranges
 * cannot run away with. A leaky counter notes disbelieved ranges. */
static void learn(cairn_track_t *self, cairn_real t2)
{
    const cairn_real kappa = self->kappa * (1 + KAPPA_STEP * (t2 - USUAL2) / (t2 + USUAL2));
    const unsigned bad = track_bad(self);

    if (kappa < TRACK_KAPPA_MAX) {
        self->kappa = cairn_max(kappa, 1);
        if (kappa < (cairn_real)TRACK_KAPPA_MAX / 2) {
            self->flags &= (1u << TRACK_FLAG_BITS) - 1u;
        }
    } else {
        self->kappa = TRACK_KAPPA_MAX;
        self->flags = (uint8_t)(self->flags + (self->flags < CLAMPED_MAX ? 1u << TRACK_FLAG_BITS : 0u));
    }
    if (t2 > WILD2) {
        self->counts = (uint8_t)(self->counts + (bad < TRACK_COUNT_MAX ? 1u : 0u));
    } else {
        self->counts = (uint8_t)(self->counts - (bad > 0 ? 1u : 0u));
    }
}

/* Fold in a checked range, at the time of the state. Kept out of the caller for its locals. */
static CAIRN_NOINLINE cairn_status fold(cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
                                        cairn_real std_m, cairn_track_innovation_t *innovation)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t dim = cfg->dim, n = cairn_track_n_states(self);
    cairn_real *x = track_states(self);
    cairn_real slope[CAIRN_TRACK_STATES_MAX], column[CAIRN_TRACK_STATES_MAX];
    const cairn_real d2 = look(self, peer, slope);
    const cairn_real distance_m = cairn_sqrt(d2);
    const cairn_real stretch = 1 + x[dim];
    cairn_real var_m2 = noise_m2(cfg, x + n, peer, slope, d2, std_m, column);
    cairn_real difference_m = range_m - stretch * distance_m - x[dim + 1u];

    size_t i = 0;

    const cairn_real gain = stretch / distance_m;
    const cairn_real none = distance_m - distance_m; /* not a constant: a call of memset would take longer */

    for (; i < dim; ++i) {
        slope[i] *= gain;
    }
    slope[i++] = distance_m;
    slope[i++] = 1;
    while (i < n) {
        slope[i++] = none;
    }
    if (cfg->n_link_biases > 0) {
        const size_t link = n - cfg->n_link_biases + peer->link;
        slope[link] = 1;
        difference_m -= x[link];
    }
    var_m2 += cairn_track_product(x + n, n, slope, column);
    const cairn_real t2 = difference_m * difference_m / var_m2;
    const cairn_real weight = 1 / (1 + TRACK_CAUCHY * t2);
    cairn_track_apply(x, x + n, n, column, weight / var_m2, difference_m);
    learn(self, t2);
    if (innovation != NULL) {
        innovation->difference_m = difference_m;
        innovation->var_m2 = var_m2;
        innovation->weight = weight;
        memcpy(innovation->cov_m2, column, sizeof innovation->cov_m2);
    }
    return t2 > WILD2 ? CAIRN_REJECTED : CAIRN_OK;
}

static cairn_status check_range(const cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
                                cairn_real std_m)
{
    if (!cairn_isfinite(range_m) || !cairn_isfinite(std_m) ||
        (peer->cov_m2 != NULL && !cairn_all_finite(peer->cov_m2, CAIRN_SYMMETRIC_REALS(self->cfg->dim)))) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!(range_m > 0) || range_m > self->cfg->range_max_m) {
        return CAIRN_ERR_RANGE;
    }
    return cairn_track_check_place(self->cfg, peer->place_m);
}

cairn_status cairn_track_range(cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
                               cairn_real std_m, uint32_t t_us, cairn_track_innovation_t *innovation)
{
    if (self == NULL || peer == NULL || peer->place_m == NULL || std_m < 0 ||
        (self->cfg->n_link_biases > 0 && peer->link >= self->cfg->n_link_biases)) {
        return CAIRN_ERR_ARG;
    }
    cairn_status status = check_range(self, peer, range_m, std_m);
    if (status != CAIRN_OK) {
        return cairn_track_refuse(self, status);
    }
    status = cairn_track_predict(self, t_us);
    if (status != CAIRN_OK) {
        return status;
    }
    return track_is_placed(self) ? fold(self, peer, range_m, std_m, innovation) : CAIRN_UNPLACED;
}
