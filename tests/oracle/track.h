/* SPDX-License-Identifier: MIT
 * Reference of track: full matrices in double, every prediction as F P F' + Q, every update by the textbook formula, the
 * fix by brute loops. Slow and plain; shares nothing with the library but its settings. */
#ifndef CAIRN_ORACLE_TRACK_H
#define CAIRN_ORACLE_TRACK_H

#include <math.h>

#include "cairn/track.h"
#include "oracle/track_fix.h"

enum { ORACLE_TRACK_STATES = 12 };

typedef double oracle_matrix_t[ORACLE_TRACK_STATES][ORACLE_TRACK_STATES];

typedef struct oracle_track {
    const cairn_track_cfg_t *cfg;
    size_t n, dim, motion; /* motion: first motion state */
    double t_s;
    double x[ORACLE_TRACK_STATES];
    oracle_matrix_t p;
    double kappa;
    int bad;
    int n_astray;
    bool placed, mirror, heading_given;
    double seen[ORACLE_TRACK_STATES]; /* of the last range: covariance with the difference, its variance and weight */
    double seen_var, seen_weight;
    oracle_links_t links;
    double relock_s;
    unsigned n_relocks, n_starts, n_ranges;
} oracle_track_t;

static inline void oracle_track_state(oracle_track_t *self, size_t i, double value, double variance)
{
    for (size_t j = 0; j < self->n; ++j) {
        self->p[i][j] = self->p[j][i] = 0.0;
    }
    self->p[i][i] = variance;
    self->x[i] = value;
}

static inline double oracle_square(double x) { return x * x; }

static inline void oracle_track_still(oracle_track_t *self)
{
    size_t end = self->n - self->cfg->n_link_biases;
    for (size_t i = self->motion; i < end; ++i) {
        oracle_track_state(self, i, 0.0, oracle_square((double)self->cfg->start_motion));
    }
}

/* Scale and common bias as at the start. */
static inline void oracle_track_unlearn(oracle_track_t *self)
{
    oracle_track_state(self, self->dim, 0.0, oracle_square((double)self->cfg->scale_std));
    oracle_track_state(self, self->dim + 1u, (double)self->cfg->bias_m, oracle_square((double)self->cfg->bias_std_m));
}

static inline void oracle_track_init(oracle_track_t *self, const cairn_track_cfg_t *cfg, const double *anchors_m,
                                     size_t n_anchors)
{
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->dim = cfg->dim;
    self->motion = self->dim + 2u;
    self->n = CAIRN_TRACK_STATES(cfg->dim, cfg->motion, cfg->n_link_biases);
    self->kappa = 1.0;
    oracle_track_still(self);
    oracle_track_unlearn(self);
    for (size_t i = self->n - cfg->n_link_biases; i < self->n; ++i) {
        oracle_track_state(self, i, (double)cfg->link_m, oracle_square((double)cfg->link_std_m));
    }
    oracle_links_init(&self->links, anchors_m, n_anchors);
}

static inline void oracle_track_adopt(oracle_track_t *self, const double *place_m, double var_m2)
{
    for (size_t i = 0; i < self->dim; ++i) {
        oracle_track_state(self, i, place_m[i], var_m2);
    }
    if (self->placed || !self->heading_given) {
        oracle_track_still(self);
    }
    self->placed = true;
    self->heading_given = false;
    self->mirror = false;
    self->bad = 0;
}

static inline void oracle_track_set_place(oracle_track_t *self, const double *place_m, double std_m, double t_s)
{
    oracle_track_adopt(self, place_m, std_m * std_m);
    self->t_s = t_s;
    self->n_astray = 0;
}

/* x = F x, P = F P F'. */
static inline void oracle_track_move(oracle_track_t *self, oracle_matrix_t f)
{
    oracle_matrix_t half;
    double x[ORACLE_TRACK_STATES] = {0.0};
    for (size_t i = 0; i < self->n; ++i) {
        x[i] = 0.0;
        for (size_t j = 0; j < self->n; ++j) {
            x[i] += f[i][j] * self->x[j];
            half[i][j] = 0.0;
            for (size_t k = 0; k < self->n; ++k) {
                half[i][j] += f[i][k] * self->p[k][j];
            }
        }
    }
    memcpy(self->x, x, sizeof x);
    for (size_t i = 0; i < self->n; ++i) {
        for (size_t j = 0; j < self->n; ++j) {
            self->p[i][j] = 0.0;
            for (size_t k = 0; k < self->n; ++k) {
                self->p[i][j] += half[i][k] * f[j][k];
            }
        }
    }
}

static inline void oracle_identity(oracle_matrix_t f)
{
    for (size_t i = 0; i < ORACLE_TRACK_STATES; ++i) {
        for (size_t j = 0; j < ORACLE_TRACK_STATES; ++j) {
            f[i][j] = i == j ? 1.0 : 0.0;
        }
    }
}

static inline void oracle_track_decay(oracle_track_t *self, double dt_s, double kappa)
{
    const double tau = (double)self->cfg->tau_s, z = dt_s / tau;
    const double keep = 27.0 / ((3.0 + z) * (3.0 + z) * (3.0 + z)); /* the model's exponential */
    const double reach = tau * (1.0 - keep), half = tau / 2.0 * (1.0 - keep * keep);
    const double q2 = oracle_square((double)self->cfg->noise_motion) * kappa;
    const double q_pp = q2 * dt_s * reach * reach * 0.5; /* the model's integral */
    oracle_matrix_t f;
    oracle_identity(f);
    for (size_t i = 0; i < self->dim; ++i) {
        f[i][self->motion + i] = reach;
        f[self->motion + i][self->motion + i] = keep;
    }
    oracle_track_move(self, f);
    for (size_t i = 0; i < self->dim; ++i) {
        size_t v = self->motion + i;
        self->p[i][i] += q_pp;
        self->p[i][v] += q2 * reach * reach / 2.0;
        self->p[v][i] += q2 * reach * reach / 2.0;
        self->p[v][v] += q2 * half;
    }
}

static inline void oracle_track_advance(oracle_track_t *self, double t_s)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const double dt_s = t_s - self->t_s, kappa = self->kappa;
    if (!(dt_s > 0.0)) {
        return;
    }
    self->t_s = t_s;
    if (cfg->motion == CAIRN_TRACK_DECAY) {
        oracle_track_decay(self, dt_s, kappa);
    } else {
        double rate = (double)(cfg->motion == CAIRN_TRACK_STILL ? cfg->noise_motion : cfg->odometry_rest);
        for (size_t i = 0; i < self->dim; ++i) {
            self->p[i][i] += kappa * rate * rate * dt_s;
        }
    }
    for (size_t i = self->n - cfg->n_link_biases; i < self->n; ++i) {
        self->p[i][i] += oracle_square((double)cfg->link_walk) * dt_s;
    }
}

/* Whether a time is taken. */
static inline bool oracle_track_time(oracle_track_t *self, double t_s)
{
    const double elapsed_s = t_s - self->t_s;
    if (!self->placed) {
        self->t_s = t_s;
        return true;
    }
    if (elapsed_s >= -(double)self->cfg->late_s && elapsed_s <= (double)self->cfg->gap_s) {
        self->n_astray = 0;
        return true;
    }
    if (fabs(elapsed_s) > (double)self->cfg->gap_s && ++self->n_astray >= 8) {
        self->placed = self->mirror = self->heading_given = false;
        self->bad = self->n_astray = 0;
        self->t_s = t_s;
    }
    return false;
}

static inline bool oracle_track_predict(oracle_track_t *self, double t_s)
{
    const bool taken = oracle_track_time(self, t_s);
    if (taken) {
        oracle_track_advance(self, t_s);
    }
    return taken;
}

static inline bool oracle_track_odometry(oracle_track_t *self, double forward_m, double turn_rad, double t_s)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t h = self->motion;
    oracle_matrix_t f;
    if (!oracle_track_time(self, t_s)) {
        return false;
    }
    const double dt_s = t_s > self->t_s ? t_s - self->t_s : 0.0, kappa = self->kappa;
    oracle_track_advance(self, t_s);
    oracle_identity(f);
    if (self->dim == 1u) {
        f[0][h] = forward_m;
    } else {
        f[0][h] = f[1][h + 1u] = forward_m * cos(turn_rad / 2.0);
        f[1][h] = forward_m * sin(turn_rad / 2.0);
        f[0][h + 1u] = -f[1][h];
        f[h][h] = f[h + 1u][h + 1u] = cos(turn_rad);
        f[h + 1u][h] = sin(turn_rad);
        f[h][h + 1u] = -sin(turn_rad);
    }
    oracle_track_move(self, f);
    for (size_t i = 0; i < self->dim; ++i) {
        self->p[i][i] += kappa * oracle_square((double)cfg->odometry_forward) * fabs(forward_m);
    }
    if (self->dim > 1u) {
        const double turn = kappa * (oracle_square((double)cfg->odometry_turn) * fabs(forward_m) +
                                     oracle_square((double)cfg->odometry_drift) * dt_s);
        const double across[2] = {-self->x[h + 1u], self->x[h]};
        for (size_t i = 0; i < 2u; ++i) {
            for (size_t j = 0; j < 2u; ++j) {
                self->p[h + i][h + j] += turn * across[i] * across[j];
            }
        }
    }
    return true;
}

/* Update with slope h: difference and expected variance known; weight below 1 shrinks the gain and the loss of variance. */
static inline void oracle_track_update(oracle_track_t *self, const double *slope, double difference, double var,
                                       double weight)
{
    double column[ORACLE_TRACK_STATES] = {0.0};
    for (size_t i = 0; i < self->n; ++i) {
        for (size_t j = 0; j < self->n; ++j) {
            column[i] += self->p[i][j] * slope[j];
        }
    }
    for (size_t i = 0; i < self->n; ++i) {
        self->x[i] += weight / var * column[i] * difference;
        for (size_t j = 0; j < self->n; ++j) {
            self->p[i][j] -= weight / var * column[i] * column[j];
        }
    }
}

static inline double oracle_track_quadratic(const oracle_track_t *self, const double *slope)
{
    double sum = 0.0;
    for (size_t i = 0; i < self->n; ++i) {
        for (size_t j = 0; j < self->n; ++j) {
            sum += slope[i] * self->p[i][j] * slope[j];
        }
    }
    return sum;
}

/* Fold one range in; returns the difference. link: of the state's biases. cov: the neighbour's covariance or NULL. */
static inline double oracle_track_fold(oracle_track_t *self, const double *peer_m, const double *cov, size_t link,
                                       double range_m, double std_m, oracle_bias_t *bias)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    double slope[ORACLE_TRACK_STATES] = {0.0};
    double d2 = 0.0, along = 0.0, trace = 0.0, peer_var = 0.0;
    for (size_t i = 0; i < self->dim; ++i) {
        d2 += oracle_square(self->x[i] - peer_m[i]);
        trace += self->p[i][i];
    }
    for (size_t i = 0; i < self->dim; ++i) {
        for (size_t j = 0; j < self->dim; ++j) {
            const double uu = (self->x[i] - peer_m[i]) * (self->x[j] - peer_m[j]) / d2;
            along += uu * self->p[i][j];
            peer_var += cov != NULL ? uu * cov[i >= j ? i * (i + 1u) / 2u + j : j * (j + 1u) / 2u + i] : 0.0;
        }
    }
    const double d = sqrt(d2), gain = 1.0 + self->x[self->dim];
    for (size_t i = 0; i < self->dim; ++i) {
        slope[i] = gain * (self->x[i] - peer_m[i]) / d;
    }
    slope[self->dim] = d;
    slope[self->dim + 1u] = 1.0;
    double expected = gain * d + self->x[self->dim + 1u];
    if (cfg->n_link_biases > 0) {
        slope[self->n - cfg->n_link_biases + link] = 1.0;
        expected += self->x[self->n - cfg->n_link_biases + link];
    }
    double var = oracle_square(std_m > 0.0 ? std_m : (double)cfg->noise_m) + oracle_square((double)cfg->noise_rel) * d2;
    var += 1e-6 + 1e-8 * d2 + 1e-6 * trace;
    var += (double)cfg->peer_factor * peer_var;
    const double excess = trace - along - d2 / 4.0;
    var += excess > 0.0 ? excess * excess / (2.0 * (d2 + excess)) : 0.0;
    var += oracle_track_quadratic(self, slope);
    if (bias != NULL) {
        var += bias->var_m2;
        expected += bias->bias_m;
    }
    const double difference = range_m - expected, t2 = difference * difference / var;
    const double weight = 1.0 / (1.0 + t2 / 4.0);
    for (size_t i = 0; i < self->n; ++i) {
        self->seen[i] = 0.0;
        for (size_t j = 0; j < self->n; ++j) {
            self->seen[i] += self->p[i][j] * slope[j];
        }
    }
    self->seen_var = var;
    self->seen_weight = weight;
    oracle_track_update(self, slope, difference, var, weight);
    if (bias != NULL) {
        const double share = weight / var * bias->var_m2;
        bias->bias_m += share * difference;
        bias->var_m2 -= share * bias->var_m2;
    }
    self->kappa *= 1.0 + (t2 - 0.375) / (t2 + 0.375) / 32.0;
    self->kappa = self->kappa < 1.0 ? 1.0 : self->kappa > 30.0 ? 30.0 : self->kappa;
    self->bad += t2 > 9.0 ? 1 : self->bad > 0 ? -1 : 0;
    return difference;
}

static inline oracle_view_t oracle_track_view(const oracle_track_t *self)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    oracle_view_t view = {&self->links,
                          self->dim,
                          self->t_s,
                          1.0 + self->x[self->dim],
                          self->x[self->dim + 1u],
                          self->p[self->dim][self->dim],
                          self->p[self->dim + 1u][self->dim + 1u],
                          (double)cfg->noise_m,
                          (double)cfg->noise_rel,
                          (double)cfg->fresh_s,
                          (double)cfg->speed_typical,
                          cfg->side};
    return view;
}

static inline double oracle_track_trace(const oracle_track_t *self)
{
    double trace = 0.0;
    for (size_t i = 0; i < self->dim; ++i) {
        trace += self->p[i][i];
    }
    return trace;
}

/* Look for a place with which enough links agree, and more by `gain` than with the present one; tell it their ranges. */
static inline void oracle_track_find(oracle_track_t *self, size_t link, double gain)
{
    const oracle_view_t view = oracle_track_view(self);
    const bool placed = self->placed;
    double var;
    oracle_fix_t fix;
    if (placed) {
        gain += oracle_agreement(&view, self->x, self->bad >= 5 ? oracle_track_trace(self) : 0.0);
    }
    oracle_fix(&view, link, &fix);
    if (fix.score > gain && fix.score > (double)self->dim + 0.25) {
        oracle_track_adopt(self, fix.place_m, oracle_square(7.0 * (double)self->cfg->noise_m));
        for (size_t i = 0; i < self->links.n; ++i) {
            if (oracle_view_range(&view, i, &var)) {
                (void)oracle_track_fold(self, &self->links.place_m[i * self->dim], NULL, i, self->links.range_m[i],
                                        oracle_sqrt(var), NULL);
            }
        }
        if (!placed) {
            oracle_track_unlearn(self);
        }
        self->n_starts += !placed;
        self->n_relocks += placed;
        self->relock_s = self->t_s;
    } else if (self->bad >= 5) {
        self->bad = self->bad >= 8 ? 4 : self->bad;
        return;
    }
    self->mirror = fix.rival > fix.score - 0.5;
}

static inline void oracle_track_widen(oracle_track_t *self, double difference)
{
    const bool wider = oracle_track_trace(self) < difference * difference;
    for (size_t i = 0; i < self->dim && wider; ++i) {
        self->p[i][i] += difference * difference;
    }
    self->bad = 0;
    self->mirror = true;
}

static inline bool oracle_track_heading_known(const oracle_track_t *self)
{
    const size_t h = self->motion;
    return self->cfg->motion == CAIRN_TRACK_ODOMETRY &&
           self->p[h][h] + (self->dim > 1u ? self->p[h + 1u][h + 1u] : 0.0) < 0.2;
}

/* What is left of the way from the anchor of a link to the place without its parts along directions between the fresh
 * anchors that are longer than 5 noises: (1 + S / (25 noise^2))^-1 of it, S the sum of their squares. Returns whether half a
 * direction or more is left, and the square of the height. */
static inline bool oracle_track_across(const oracle_track_t *self, size_t link, double *across, double *height2)
{
    const oracle_view_t view = oracle_track_view(self);
    const double *own_m = self->links.place_m + link * self->dim;
    double var, m[3 * 6] = {0.0}, trace = 0.0;
    const size_t dim = self->dim, width = 2u * dim;
    for (size_t i = 0; i < dim; ++i) {
        m[i * width + i] = m[i * width + dim + i] = 1.0;
    }
    for (size_t k = 0; k < dim * dim * self->links.n; ++k) {
        const size_t other = k / (dim * dim), i = k / dim % dim, j = k % dim;
        const double *other_m = self->links.place_m + other * dim;
        if (oracle_view_range(&view, other, &var)) {
            m[i * width + j] +=
                (other_m[i] - own_m[i]) * (other_m[j] - own_m[j]) / (25.0 * view.noise_m * view.noise_m);
        }
    }
    (void)oracle_gauss_jordan(m, dim, dim);
    *height2 = 0.0;
    for (size_t i = 0; i < dim; ++i) {
        trace += m[i * width + dim + i];
        across[i] = 0.0;
        for (size_t j = 0; j < dim; ++j) {
            across[i] += m[i * width + dim + j] * (self->x[j] - own_m[j]);
        }
        *height2 += across[i] * (self->x[i] - own_m[i]);
    }
    return trace >= 0.5;
}

/* What the last range, to an anchor, told across the line of sight is taken back; along it the circle bends. */
static inline void oracle_track_circle(oracle_track_t *self, const double *peer_m)
{
    double u[3], lost[3], d2 = 0.0, seen = 0.0, along = 0.0;
    for (size_t i = 0; i < self->dim; ++i) {
        u[i] = self->x[i] - peer_m[i];
        d2 += u[i] * u[i];
        seen += u[i] * self->seen[i];
    }
    for (size_t i = 0; i < self->dim; ++i) {
        lost[i] = self->seen[i] - seen / d2 * u[i];
    }
    for (size_t i = 0; i < self->dim; ++i) {
        for (size_t j = 0; j < self->dim; ++j) {
            self->p[i][j] += self->seen_weight / self->seen_var * lost[i] * lost[j];
        }
    }
    for (size_t i = 0; i < self->dim; ++i) {
        for (size_t j = 0; j < self->dim; ++j) {
            along += u[i] * self->p[i][j] * u[j] / d2;
        }
    }
    double bearing = (oracle_track_trace(self) - along) / d2;
    bearing = bearing < 3.3 ? bearing : 3.3;
    const double bend = 0.75 * bearing * bearing * d2;
    for (size_t i = 0; i < self->dim && bend > along; ++i) {
        for (size_t j = 0; j < self->dim; ++j) {
            self->p[i][j] += (bend - along) * u[i] * u[j] / d2;
        }
    }
}

/* The side is open: as it was before, or since a place was found; or the place is within 3 deviations of the line. */
static inline void oracle_track_mirror(oracle_track_t *self, size_t link, bool open, bool many)
{
    const bool known = oracle_track_heading_known(self);
    const bool kept = known || (many && self->cfg->motion == CAIRN_TRACK_ODOMETRY);
    double across[3], height2, length2 = 0.0, var = 0.0;
    if (!oracle_track_across(self, link, across, &height2)) {
        return;
    }
    for (size_t i = 0; i < self->dim; ++i) {
        length2 += across[i] * across[i];
        for (size_t j = 0; j < self->dim; ++j) {
            var += across[i] * self->p[i][j] * across[j];
        }
    }
    self->mirror = self->mirror || open || (!known && height2 * height2 <= 9.0 * var);
    const double more = (height2 - var / length2) / length2;
    for (size_t i = 0; i < self->dim && self->mirror && !kept && more > 0.0; ++i) {
        for (size_t j = 0; j < self->dim; ++j) {
            self->p[i][j] += more * across[i] * across[j];
        }
    }
}

static inline void oracle_track_sides(oracle_track_t *self, size_t link, bool open, double difference)
{
    const oracle_view_t view = oracle_track_view(self);
    const size_t n_fresh = oracle_fresh(&view);
    if (n_fresh <= self->dim && self->bad >= 4) {
        oracle_track_widen(self, difference);
    }
    if (n_fresh <= self->dim && self->dim > 1u && !oracle_track_heading_known(self)) {
        oracle_track_circle(self, self->links.place_m + link * self->dim);
    }
    const double above_m = self->x[self->dim - 1u] - self->links.place_m[link * self->dim + self->dim - 1u];
    if (n_fresh >= self->dim && !(above_m * self->cfg->side > 0.0)) { /* not where the caller says it is */
        oracle_track_mirror(self, link, open || self->cfg->side != 0, n_fresh > self->dim);
    }
}

/* A range to an anchor of the table; false when it is refused or there is no place yet. */
static inline bool oracle_track_range(oracle_track_t *self, size_t link, double range_m, double std_m, double t_s)
{
    if (!oracle_track_time(self, t_s)) {
        return false;
    }
    const bool placed = self->placed, mirror = self->mirror;
    const unsigned n_relocks = self->n_relocks;
    double difference = 0.0;
    if (placed) {
        oracle_track_advance(self, t_s);
        difference = oracle_track_fold(self, &self->links.place_m[link * self->dim], NULL, link, range_m, std_m, NULL);
    }
    self->links.range_m[link] = range_m;
    self->links.t_s[link] = t_s;
    ++self->n_ranges;
    if (self->bad >= 5 && fabs(self->x[self->dim]) > 2.0 * (double)self->cfg->scale_std) {
        oracle_track_unlearn(self);
        self->placed = self->mirror = self->heading_given = false;
        memset(self->links.range_m, 0, sizeof self->links.range_m);
    } else if (!placed) {
        oracle_track_find(self, link, 0.0);
    } else if ((self->bad >= 5 || (self->mirror && self->n_ranges % 8u == 0)) && self->t_s - self->relock_s >= 2.0) {
        oracle_track_find(self, link, self->bad >= 5 && self->bad < 8 ? 2.5 : 0.75);
    }
    if (self->placed) {
        oracle_track_sides(self, link, !placed || mirror || self->n_relocks != n_relocks, difference);
    }
    return self->placed;
}

#endif
