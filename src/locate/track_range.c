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
#define RAMP             4      /* inverse half width of the ramp about it */
#define KAPPA_STEP       (1.0f / 32)
#define CLAMPED_MAX      31u

/* One range, seen from the predicted state. */
typedef struct sight {
    cairn_real slope[CAIRN_LOCATE_DIM_MAX + 2u]; /* of the predicted range in place, scale, bias */
    cairn_real column[CAIRN_TRACK_STATES_MAX];   /* covariance times slope */
    cairn_real difference_m;
    cairn_real var_m2;
} sight_t;

cairn_real cairn_track_quadratic(const cairn_real *packed, const cairn_real *u, size_t dim)
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

/* Direction from the other end, squared distance, and the variance of the place across that direction; two sensors in one
 * place part along an axis. */
static cairn_real look(const cairn_track_t *self, const cairn_track_peer_t *peer, size_t n, cairn_real *u,
                       cairn_real *across_m2)
{
    const size_t dim = self->cfg->dim;
    const cairn_real *x = track_states_const(self);
    const cairn_real *row = x + n;
    cairn_real d2 = 0, trace = 0, along = 0;

    for (size_t i = 0; i < dim; row += ++i) {
        const cairn_real difference = x[i] - peer->place_m[i];
        cairn_real sum = 0;
        for (size_t j = 0; j < i; ++j) {
            sum += row[j] * u[j];
        }
        u[i] = difference;
        d2 += difference * difference;
        trace += row[i];
        along += difference * (2 * sum + row[i] * difference);
    }
    if (d2 < DISTANCE_FLOOR_M * DISTANCE_FLOOR_M) {
        d2 = DISTANCE_FLOOR_M * DISTANCE_FLOOR_M;
        for (size_t i = 0; i < dim; ++i) {
            u[i] = peer->tie % dim == i ? DISTANCE_FLOOR_M : 0;
        }
        along = cairn_track_quadratic(x + n, u, dim);
    }
    *across_m2 = trace - along / d2;
    return d2;
}

/* Variance of the range itself: noise, the neighbour's own doubt, and what bending of the circle adds. */
static cairn_real noise_m2(const cairn_track_cfg_t *cfg, const cairn_track_peer_t *peer, const cairn_real *u,
                           cairn_real d2, cairn_real across_m2, cairn_real std_m)
{
    const cairn_real own_m2 = cfg->noise_m * cfg->noise_m + cfg->noise_rel * cfg->noise_rel * d2;
    const cairn_real excess_m2 = across_m2 - 0.25f * d2;
    cairn_real var_m2 = cairn_max(std_m > 0 ? std_m * std_m : own_m2, NOISE_FLOOR_M2 + NOISE_FLOOR_REL2 * d2);

    if (peer->cov_m2 != NULL) {
        var_m2 += cfg->peer_factor * cairn_max(cairn_track_quadratic(peer->cov_m2, u, cfg->dim) / d2, 0);
    }
    if (excess_m2 > 0) {
        var_m2 += excess_m2 * excess_m2 / (2 * (d2 + excess_m2));
    }
    return var_m2;
}

/* Covariance times slope; returns slope times that. */
static cairn_real multiply(const cairn_real *row, size_t n, const cairn_real *slope, size_t n_seen, cairn_real *column)
{
    cairn_real total = 0;

    for (size_t i = 0; i < n_seen; row += ++i) { /* seen by the range: each element serves its mirror image as well */
        const cairn_real own = slope[i];
        cairn_real sum = row[i] * own;
        for (size_t j = 0; j < i; ++j) {
            const cairn_real element = row[j];
            sum += element * slope[j];
            column[j] += element * own;
        }
        column[i] = sum;
    }
    for (size_t i = 0; i < n_seen; ++i) {
        total += slope[i] * column[i];
    }
    for (size_t i = n_seen; i < n; row += ++i) {
        cairn_real sum = row[0] * slope[0];
        for (size_t j = 1; j < n_seen; ++j) {
            sum += row[j] * slope[j];
        }
        column[i] = sum;
    }
    return total;
}

/* A bias of the link in the state has slope 1; returns what it adds to the variance. */
static cairn_real add_link(const cairn_real *covariance, size_t n, size_t link, const cairn_real *slope, size_t n_seen,
                           cairn_real *column)
{
    const cairn_real var_m2 = cairn_dot(covariance + track_row(link), slope, n_seen);

    for (size_t i = 0; i < n; ++i) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): multiply has written all n */
        column[i] += covariance[i >= link ? track_row(i) + link : track_row(link) + i];
    }
    return var_m2 + column[link];
}

static CAIRN_NOINLINE void see(const cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
                               cairn_real std_m, sight_t *sight)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t dim = cfg->dim, n = track_n_states(cfg);
    const cairn_real *x = track_states_const(self);
    cairn_real across_m2;
    const cairn_real d2 = look(self, peer, n, sight->slope, &across_m2);
    const cairn_real distance_m = cairn_sqrt(d2);
    const cairn_real stretch = 1 + x[dim];
    const cairn_real gain = stretch / distance_m;
    cairn_real expected_m = stretch * distance_m + x[dim + 1u];

    sight->var_m2 = noise_m2(cfg, peer, sight->slope, d2, across_m2, std_m);
    for (size_t i = 0; i < dim; ++i) {
        sight->slope[i] *= gain;
    }
    sight->slope[dim] = distance_m;
    sight->slope[dim + 1u] = 1;
    sight->var_m2 += multiply(x + n, n, sight->slope, dim + 2u, sight->column);
    if (cfg->n_link_biases > 0) {
        const size_t link = n - cfg->n_link_biases + peer->link;
        sight->var_m2 += add_link(x + n, n, link, sight->slope, dim + 2u, sight->column);
        expected_m += x[link];
    }
    if (peer->bias != NULL) {
        sight->var_m2 += peer->bias->var_m2;
        expected_m += peer->bias->bias_m;
    }
    sight->difference_m = range_m - expected_m;
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
    const cairn_real kappa = self->kappa * (1 + KAPPA_STEP * slope);
    const unsigned bad = track_bad(self), clamped = (unsigned)self->flags >> TRACK_FLAG_BITS;

    self->kappa = cairn_max(1, cairn_min(kappa, TRACK_KAPPA_MAX));
    if (kappa < TRACK_KAPPA_MAX) {
        self->flags &= (1u << TRACK_FLAG_BITS) - 1u;
    } else if (clamped < CLAMPED_MAX) {
        self->flags = (uint8_t)(self->flags + (1u << TRACK_FLAG_BITS));
    }
    if (t2 > WILD2) {
        track_set_bad(self, bad < TRACK_COUNT_MAX ? bad + 1u : bad);
    } else if (bad > 0) {
        track_set_bad(self, bad - 1u);
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
    cairn_track_apply(self, sight.column, gain, sight.difference_m);
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

cairn_status cairn_track_check_range(const cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
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
    cairn_status status = cairn_track_check_range(self, peer, range_m, std_m);
    if (status != CAIRN_OK) {
        return cairn_track_refuse(self, status);
    }
    status = cairn_track_predict(self, t_us);
    if (status != CAIRN_OK) {
        return status;
    }
    if ((self->flags & TRACK_PLACED) == 0) {
        return CAIRN_UNPLACED;
    }
    return fold(self, peer, range_m, std_m, innovation);
}
