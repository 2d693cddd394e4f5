/* SPDX-License-Identifier: MIT
 * Reference of the fix of track in double: starts on the sphere of the last range, Gauss-Newton by normal equations with
 * Cauchy weights whose scale shrinks, agreement, rivals. */
#ifndef CAIRN_ORACLE_TRACK_FIX_H
#define CAIRN_ORACLE_TRACK_FIX_H

#include <math.h>
#include <string.h>

#include "oracle/solve.h"

enum { ORACLE_LINKS = 16 };

typedef struct oracle_bias {
    double bias_m, var_m2;
} oracle_bias_t;

typedef struct oracle_links {
    const double *place_m; /* [n x dim] */
    size_t n;
    double range_m[ORACLE_LINKS]; /* 0: none */
    double t_s[ORACLE_LINKS];
} oracle_links_t;

typedef struct oracle_view {
    const oracle_links_t *links;
    size_t dim;
    double t_s, gain, bias_m, var_scale, var_bias_m2, noise_m, noise_rel, fresh_s, speed;
    int side;
} oracle_view_t;

typedef struct oracle_fix {
    double place_m[3], cov[3][3], score, rival;
} oracle_fix_t;

static inline void oracle_links_init(oracle_links_t *self, const double *place_m, size_t n)
{
    memset(self, 0, sizeof *self);
    self->place_m = place_m;
    self->n = n;
}

static inline bool oracle_view_range(const oracle_view_t *view, size_t link, double *range_m, double *var_m2)
{
    const double age_s = fabs(view->t_s - view->links->t_s[link]);
    if (!(view->links->range_m[link] > 0.0) || age_s > view->fresh_s) {
        return false;
    }
    const double range = (view->links->range_m[link] - view->bias_m) / view->gain;
    *range_m = range > 0.0 ? range : 0.0;
    *var_m2 = view->noise_m * view->noise_m + view->var_bias_m2 + view->speed * age_s * view->speed * age_s +
              (view->var_scale + view->noise_rel * view->noise_rel) * *range_m * *range_m;
    return true;
}

static inline double oracle_view_distance(const oracle_view_t *view, size_t link, const double *place_m)
{
    double sum = 0.0;
    for (size_t i = 0; i < view->dim; ++i) {
        const double difference = place_m[i] - view->links->place_m[link * view->dim + i];
        sum += difference * difference;
    }
    return sqrt(sum);
}

static inline size_t oracle_fresh(const oracle_view_t *view)
{
    size_t n = 0;
    double range, var;
    for (size_t link = 0; link < view->links->n; ++link) {
        n += oracle_view_range(view, link, &range, &var);
    }
    return n;
}

static inline double oracle_agreement(const oracle_view_t *view, const double *place_m, double extra)
{
    double score = 0.0, range, var;
    for (size_t link = 0; link < view->links->n; ++link) {
        if (oracle_view_range(view, link, &range, &var)) {
            const double error = oracle_view_distance(view, link, place_m) - range;
            score += 1.0 / (1.0 + error * error / (4.0 * (var + extra)));
        }
    }
    return score;
}

/* Solve m x = b and invert m. */
static inline bool oracle_invert(double m[3][3], size_t dim, double *b, double inverse[3][3])
{
    double wide[3 * 7] = {0.0};
    const size_t width = 2u * dim + 1u;
    for (size_t i = 0; i < dim; ++i) {
        for (size_t j = 0; j < dim; ++j) {
            wide[i * width + j] = m[i][j];
            wide[i * width + dim + j] = i == j ? 1.0 : 0.0;
        }
        wide[i * width + 2u * dim] = b[i];
    }
    if (!oracle_gauss_jordan(wide, dim, dim + 1u)) {
        return false;
    }
    for (size_t i = 0; i < dim; ++i) {
        b[i] = wide[i * width + 2u * dim];
        for (size_t j = 0; j < dim; ++j) {
            inverse[i][j] = wide[i * width + dim + j];
        }
    }
    return true;
}

/* Normal equations at a place. */
static inline void oracle_normal(const oracle_view_t *view, const double *place_m, double extra, double m[3][3],
                                 double *right)
{
    double range, var;
    memset(right, 0, 3 * sizeof(double));
    for (size_t i = 0; i < 3u; ++i) { /* what no link measures stays where it is */
        for (size_t j = 0; j < 3u; ++j) {
            m[i][j] = i == j ? 1.0 / (1e4 * view->noise_m * view->noise_m) : 0.0;
        }
    }
    for (size_t link = 0; link < view->links->n; ++link) {
        if (!oracle_view_range(view, link, &range, &var)) {
            continue;
        }
        double distance = oracle_view_distance(view, link, place_m);
        const double error = range - distance, weight = 1.0 / (var * (1.0 + error * error / (4.0 * (var + extra))));
        distance = distance > 1e-3 ? distance : 1e-3;
        for (size_t i = 0; i < view->dim; ++i) {
            const double u_i = (place_m[i] - view->links->place_m[link * view->dim + i]) / distance;
            right[i] += weight * error * u_i;
            for (size_t j = 0; j < view->dim; ++j) {
                m[i][j] += weight * u_i * (place_m[j] - view->links->place_m[link * view->dim + j]) / distance;
            }
        }
    }
}

static inline void oracle_polish(const oracle_view_t *view, double extra, oracle_fix_t *fix)
{
    double m[3][3], right[3];
    for (int round = 0; round < 8; ++round) {
        oracle_normal(view, fix->place_m, extra, m, right);
        if (!oracle_invert(m, view->dim, right, fix->cov)) {
            fix->score = 0.0;
            return;
        }
        for (size_t i = 0; i < view->dim; ++i) {
            fix->place_m[i] += right[i];
        }
        extra /= 16.0;
    }
    fix->score = oracle_agreement(view, fix->place_m, 0.0);
}

static inline bool oracle_apart(const oracle_fix_t *fix, const oracle_fix_t *other, size_t dim)
{
    double trace = 0.0, distance2 = 0.0;
    for (size_t i = 0; i < dim; ++i) {
        trace += fix->cov[i][i];
        distance2 += (fix->place_m[i] - other->place_m[i]) * (fix->place_m[i] - other->place_m[i]);
    }
    return distance2 > 9.0 * trace;
}

/* Best of the starts round the anchor of a link, and how good the best other place is. */
static inline void oracle_fix(const oracle_view_t *view, size_t link, oracle_fix_t *fix)
{
    const size_t n_starts = view->dim == 1u ? 3u : view->dim == 2u ? 9u : 27u;
    const double *anchor_m = view->links->place_m + link * view->dim;
    const double range = view->links->range_m[link];
    fix->score = fix->rival = 0.0;
    for (size_t start = 0; start < n_starts; ++start) {
        const size_t digit[3] = {start % 3u, start / 3u % 3u, start / 9u};
        oracle_fix_t trial;
        trial.rival = fix->rival;
        for (size_t i = 0; i < view->dim; ++i) {
            trial.place_m[i] = anchor_m[i] + ((double)digit[i] - 1.0) * range;
        }
        oracle_polish(view, range * range, &trial);
        if ((trial.place_m[view->dim - 1u] - anchor_m[view->dim - 1u]) * view->side < 0.0) {
            continue;
        }
        if (trial.score > fix->score) {
            if (fix->score > 0.0 && fix->score > trial.rival && oracle_apart(&trial, fix, view->dim)) {
                trial.rival = fix->score;
            }
            *fix = trial;
        } else if (trial.score > fix->rival && oracle_apart(fix, &trial, view->dim)) {
            fix->rival = trial.score;
        }
    }
}

#endif
