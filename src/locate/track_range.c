/* SPDX-License-Identifier: MIT
 * Tracking: one range as a scalar Kalman update with a Cauchy weight. Only the prefix place, scale, bias of the state and
 * at most one link bias is seen by a range, so no matrix product is larger than the covariance itself. */
#include "locate/track_internal.h"

#define DISTANCE_FLOOR_M 1e-3f
#define NOISE_FLOOR_M2   1e-6f /* of a stated deviation: (1 mm)^2 */
#define NOISE_FLOOR_REL2 1e-8f
#define CAUCHY           0.25f  /* 1 / 2^2: a range 2 deviations off has half the weight */
#define WILD2            9      /* square of the deviations beyond which a range is disbelieved */
#define MEDIAN2          0.455f /* of chi-square with one degree of freedom */
#define SAGITTA          0.75f  /* mean square of y^2 / (2 d) for normal y, times d^2 / variance^2 */
#define BEARING_MOST     3.3f   /* variance of a bearing of which nothing is known, a third of pi^2 */
#define RAMP             4      /* inverse half width of the ramp about it */
#define KAPPA_SHIFT      5      /* a step is 1/32 */

/* One range, seen from the predicted state. */
typedef struct sight {
    cairn_real slope[CAIRN_LOCATE_DIM_MAX + 2u]; /* of the predicted range in place, scale, bias */
    cairn_real column[CAIRN_TRACK_STATES_MAX];   /* covariance times slope */
    cairn_real difference_m;
    cairn_real var_m2;
} sight_t;

/* Direction and squared distance from the other end; two in one place part along an axis. */
static cairn_real look(const cairn_real *place_m, const cairn_track_peer_t *peer, size_t dim, cairn_real *u)
{
    cairn_real d2 = 0;

    for (size_t i = 0; i < dim; ++i) {
        u[i] = place_m[i] - peer->place_m[i];
        d2 += u[i] * u[i];
    }
    if (d2 < DISTANCE_FLOOR_M * DISTANCE_FLOOR_M) {
        for (size_t i = 0; i < dim; ++i) {
            u[i] = peer->tie % dim == i ? DISTANCE_FLOOR_M : 0;
        }
        d2 = DISTANCE_FLOOR_M * DISTANCE_FLOOR_M;
    }
    return d2;
}

/* u' C u for a packed C. */
static cairn_real quadratic(const cairn_real *packed, const cairn_real *u, size_t dim)
{
    cairn_real sum = 0;

    for (size_t i = 0; i < dim; ++i) {
        cairn_real row = 0;
        for (size_t j = 0; j < i; ++j) {
            row += packed[j] * u[j];
        }
        sum += u[i] * (2 * row + packed[i] * u[i]);
        packed += i + 1u;
    }
    return sum;
}

/* Variance of the range itself: noise, the neighbour's own doubt, and what bending of the circle adds. */
static cairn_real noise_m2(const cairn_track_t *self, const cairn_track_peer_t *peer, const cairn_real *u,
                           cairn_real d2, cairn_real std_m)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t dim = cfg->dim;
    const cairn_real *covariance = track_states_const(self) + track_n_states(cfg);
    const cairn_real own_m2 = cfg->noise_m * cfg->noise_m + cfg->noise_rel * cfg->noise_rel * d2;
    cairn_real var_m2 = cairn_max(std_m > 0 ? std_m * std_m : own_m2, NOISE_FLOOR_M2 + NOISE_FLOOR_REL2 * d2);
    cairn_real across_m2 = -quadratic(covariance, u, dim) / d2;

    for (size_t i = 0; i < dim; ++i) {
        across_m2 += covariance[track_row(i) + i];
    }
    if (peer->cov_m2 != NULL) {
        var_m2 += cfg->peer_factor * cairn_max(quadratic(peer->cov_m2, u, dim) / d2, 0);
    }
    const cairn_real excess_m2 = across_m2 - 0.25f * d2;
    if (excess_m2 > 0) {
        var_m2 += excess_m2 * excess_m2 / (2 * (d2 + excess_m2));
    }
    return var_m2;
}

/* Covariance times slope; returns slope times that. A link bias has slope 1 and is not in the sum. */
static cairn_real multiply(const cairn_real *covariance, size_t n, const cairn_real *slope, size_t n_seen, size_t link,
                           cairn_real *column)
{
    const cairn_real *row = covariance;
    cairn_real total = 0;

    for (size_t i = 0; i < n_seen; ++i) { /* seen by the range: the rest of the row is the column below */
        cairn_real sum = 0;
        for (size_t j = 0; j <= i; ++j) {
            sum += row[j] * slope[j];
        }
        row += i + 1u;
        const cairn_real *below = row + i;
        for (size_t j = i + 1u; j < n_seen; below += ++j) {
            sum += *below * slope[j];
        }
        column[i] = sum;
        total += slope[i] * sum;
    }
    for (size_t i = n_seen; i < n; row += ++i) {
        cairn_real sum = 0;
        for (size_t j = 0; j < n_seen; ++j) {
            sum += row[j] * slope[j];
        }
        column[i] = sum;
    }
    for (size_t i = 0; i < n && link < n; ++i) {
        column[i] += covariance[i >= link ? track_row(i) + link : track_row(link) + i];
    }
    return total;
}

static void see(const cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m, cairn_real std_m,
                sight_t *sight)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t dim = cfg->dim, n = track_n_states(cfg);
    const size_t link = cfg->n_link_biases > 0 ? n - cfg->n_link_biases + peer->link : n;
    const cairn_real *x = track_states_const(self);
    const cairn_real d2 = look(x, peer, dim, sight->slope);
    const cairn_real var_m2 = noise_m2(self, peer, sight->slope, d2, std_m);
    const cairn_real distance_m = cairn_sqrt(d2);
    const cairn_real gain = (1 + x[dim]) / distance_m;
    cairn_real expected = (1 + x[dim]) * distance_m + x[dim + 1u];

    for (size_t i = 0; i < dim; ++i) {
        sight->slope[i] *= gain;
    }
    sight->slope[dim] = distance_m;
    sight->slope[dim + 1u] = 1;
    sight->var_m2 = var_m2 + multiply(x + n, n, sight->slope, dim + 2u, link, sight->column);
    if (link < n) {
        for (size_t i = 0; i < dim + 2u; ++i) {
            sight->var_m2 += sight->slope[i] * x[n + track_row(link) + i];
        }
        sight->var_m2 += sight->column[link];
        expected += x[link];
    }
    if (peer->bias != NULL) {
        sight->var_m2 += peer->bias->var_m2;
        expected += peer->bias->bias_m;
    }
    sight->difference_m = range_m - expected;
}

void cairn_track_apply(cairn_track_t *self, const cairn_real *column, cairn_real gain, cairn_real difference)
{
    const size_t n = track_n_states(self->cfg);
    cairn_real *x = track_states(self);
    cairn_real *row = x + n;

    for (size_t i = 0; i < n; ++i) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): callers write all n */
        const cairn_real scaled = gain * column[i];
        x[i] += scaled * difference;
        for (size_t j = 0; j <= i; ++j) {
            row[j] -= scaled * column[j];
        }
        if (row[i] < TRACK_FLOOR_M2 && cairn_abs(column[i]) > 0) {
            row[i] = TRACK_FLOOR_M2;
        }
        row += i + 1u;
    }
}

/* The process-noise factor follows the median of the squared residuals, which fewer than half of the ranges cannot run
 * away with; its step is a ramp near the median, so that rounding of a residual cannot turn it round. A leaky counter
 * notes disbelieved ranges. */
static void learn(cairn_track_t *self, cairn_real t2)
{
    const cairn_real slope = cairn_max(-1, cairn_min((t2 - MEDIAN2) * RAMP, 1));
    const int32_t step = (int32_t)(slope * (cairn_real)(self->kappa >> KAPPA_SHIFT));
    const int32_t kappa = self->kappa + step;

    self->kappa = (uint16_t)(kappa < KAPPA_ONE ? KAPPA_ONE : kappa > KAPPA_MAX ? KAPPA_MAX : kappa);
    self->clamped = (uint8_t)(self->kappa < KAPPA_MAX ? 0 : self->clamped + (self->clamped < UINT8_MAX ? 1 : 0));
    if (t2 > WILD2) {
        self->bad = (uint8_t)(self->bad + (self->bad < UINT8_MAX ? 1 : 0));
    } else {
        self->bad = (uint8_t)(self->bad - (self->bad > 0 ? 1 : 0));
    }
}

/* Variance of the bearing from the other end, times dim - 1, and the line to it. */
static cairn_real bearing_var(const cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real *u, cairn_real *d2)
{
    const size_t dim = self->cfg->dim;
    const cairn_real *x = track_states_const(self);
    const cairn_real *covariance = x + track_n_states(self->cfg);
    cairn_real across_m2 = 0;

    *d2 = look(x, peer, dim, u);
    for (size_t i = 0; i < dim; ++i) {
        across_m2 += covariance[track_row(i) + i];
    }
    return cairn_max(across_m2 - quadratic(covariance, u, dim) / *d2, 0) / *d2;
}

/* Ranges to one anchor alone tell nothing about the bearing from it: its variance must not have fallen. And the sensor is
 * on a circle, not on a line: what the circle bends away over the deviation across is a variance along. */
static CAIRN_NOINLINE void keep_bearing(cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real least_var)
{
    const size_t dim = self->cfg->dim;
    cairn_real *covariance = track_states(self) + track_n_states(self->cfg);
    cairn_real u[CAIRN_LOCATE_DIM_MAX] = {0}, d2;
    const cairn_real bearing = bearing_var(self, peer, u, &d2);
    const cairn_real along_m2 = quadratic(covariance, u, dim) / d2;
    const cairn_real bend_m2 = SAGITTA * least_var * least_var * d2;

    if (dim < 2u) {
        return;
    }
    const cairn_real across = cairn_max(least_var - bearing, 0) * d2 / (cairn_real)(dim - 1u);
    const cairn_real along = cairn_max(bend_m2 - along_m2, 0);
    for (size_t i = 0; i < dim; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            covariance[track_row(i) + j] += (i == j ? across : 0) + (along - across) * u[i] * u[j] / d2;
        }
    }
}

/* Fold in a checked range, at the time of the state. Kept out of the caller for its locals. */
static CAIRN_NOINLINE cairn_status fold(cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
                                        cairn_real std_m, cairn_track_innovation_t *innovation)
{
    sight_t sight;

    see(self, peer, range_m, std_m, &sight);
    const cairn_real t2 = sight.difference_m * sight.difference_m / sight.var_m2;
    const cairn_real weight = 1 / (1 + CAUCHY * t2);
    const cairn_real gain = weight / sight.var_m2;
    const bool alone = (self->flags & TRACK_ALONE) != 0;
    cairn_real u[CAIRN_LOCATE_DIM_MAX], d2;
    const cairn_real bearing = alone ? bearing_var(self, peer, u, &d2) : 0;
    cairn_track_apply(self, sight.column, gain, sight.difference_m);
    if (alone) {
        keep_bearing(self, peer, cairn_min(bearing, BEARING_MOST));
    }
    if (peer->bias != NULL) {
        const cairn_real share = gain * peer->bias->var_m2;
        peer->bias->bias_m += share * sight.difference_m;
        peer->bias->var_m2 -= share * peer->bias->var_m2;
    }
    learn(self, t2);
    if (innovation != NULL) {
        innovation->difference_m = sight.difference_m;
        innovation->var_m2 = sight.var_m2;
        innovation->weight = weight;
    }
    return t2 > WILD2 ? CAIRN_REJECTED : CAIRN_OK;
}

static cairn_status check_range(const cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
                                cairn_real std_m)
{
    if (!cairn_isfinite(range_m) || !cairn_isfinite(std_m)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!(range_m > 0) || range_m > self->cfg->range_max_m) {
        return CAIRN_ERR_RANGE;
    }
    if (peer->cov_m2 != NULL && !cairn_all_finite(peer->cov_m2, CAIRN_SYMMETRIC_REALS(self->cfg->dim))) {
        return CAIRN_ERR_NONFINITE;
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
    status = cairn_track_check_time(self, t_us);
    if (status != CAIRN_OK) {
        return status;
    }
    if ((self->flags & TRACK_PLACED) == 0) {
        return CAIRN_UNPLACED;
    }
    cairn_track_advance(self, t_us);
    return fold(self, peer, range_m, std_m, innovation);
}
