/* SPDX-License-Identifier: MIT
 * Reference of the fix of track in double: starts, Gauss-Newton, Cauchy cost, rivals. */
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
    double place_m[3], cov[3][3], cost;
    bool mirror;
} oracle_fix_t;

static inline void oracle_links_init(oracle_links_t *self, const double *place_m, size_t n, size_t dim)
{
    memset(self, 0, sizeof *self);
    self->place_m = place_m;
    self->n = n;
    (void)dim;
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

static inline double oracle_cost(const oracle_view_t *view, const double *place_m)
{
    double cost = 0.0, range, var;
    for (size_t link = 0; link < view->links->n; ++link) {
        if (oracle_view_range(view, link, &range, &var)) {
            const double error = oracle_view_distance(view, link, place_m) - range;
            cost += log(1.0 + error * error / (4.0 * var));
        }
    }
    return cost;
}

static inline size_t oracle_agree(const oracle_view_t *view, const double *place_m, double extra)
{
    size_t n = 0;
    double range, var;
    for (size_t link = 0; link < view->links->n; ++link) {
        if (oracle_view_range(view, link, &range, &var)) {
            const double error = oracle_view_distance(view, link, place_m) - range;
            n += error * error < 9.0 * (var + extra);
        }
    }
    return n;
}

/* Solve m x = b, or invert, with `share` of the trace and `prior` added to the diagonal. */
static inline bool oracle_damped(double m[3][3], size_t dim, double share, double prior, double *b,
                                 double inverse[3][3])
{
    double wide[3 * 7] = {0.0};
    double trace = 0.0;
    const size_t width = 2u * dim + 1u;
    for (size_t i = 0; i < dim; ++i) {
        trace += m[i][i];
    }
    for (size_t i = 0; i < dim; ++i) {
        for (size_t j = 0; j < dim; ++j) {
            wide[i * width + j] = m[i][j] + (i == j ? share * trace + prior : 0.0);
            wide[i * width + dim + j] = i == j ? 1.0 : 0.0;
        }
        wide[i * width + 2u * dim] = b != NULL ? b[i] : 0.0;
    }
    if (!oracle_gauss_jordan(wide, dim, dim + 1u)) {
        return false;
    }
    for (size_t i = 0; i < dim; ++i) {
        if (b != NULL) {
            b[i] = wide[i * width + 2u * dim];
        }
        for (size_t j = 0; inverse != NULL && j < dim; ++j) {
            inverse[i][j] = wide[i * width + dim + j];
        }
    }
    return true;
}

static inline void oracle_normal(const oracle_view_t *view, const double *place_m, bool robust, double m[3][3],
                                 double *right)
{
    double range, var;
    memset(m, 0, 9 * sizeof(double));
    memset(right, 0, 3 * sizeof(double));
    for (size_t link = 0; link < view->links->n; ++link) {
        if (!oracle_view_range(view, link, &range, &var)) {
            continue;
        }
        double distance = oracle_view_distance(view, link, place_m);
        const double error = range - distance, weight = 1.0 / (var + (robust ? error * error / 4.0 : 0.0));
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

/* Centre of the fresh anchors and mean range. */
static inline void oracle_survey(const oracle_view_t *view, double *centre_m, double *reach_m)
{
    double range, var, n = (double)oracle_fresh(view);
    memset(centre_m, 0, 3 * sizeof(double));
    *reach_m = 0.0;
    for (size_t link = 0; link < view->links->n; ++link) {
        if (oracle_view_range(view, link, &range, &var)) {
            *reach_m += range / n;
            for (size_t i = 0; i < view->dim; ++i) {
                centre_m[i] += view->links->place_m[link * view->dim + i] / n;
            }
        }
    }
    *reach_m = *reach_m > view->noise_m ? *reach_m : view->noise_m;
}

static inline void oracle_linear(const oracle_view_t *view, const double *centre_m, double *place_m)
{
    double m[3][3] = {{0.0}}, range, var;
    memset(place_m, 0, 3 * sizeof(double));
    for (size_t link = 0; link < view->links->n; ++link) {
        if (oracle_view_range(view, link, &range, &var)) {
            double value = -range * range, a[3];
            for (size_t i = 0; i < view->dim; ++i) {
                a[i] = view->links->place_m[link * view->dim + i] - centre_m[i];
                value += a[i] * a[i];
            }
            for (size_t i = 0; i < view->dim; ++i) {
                place_m[i] += value / 2.0 * a[i];
                for (size_t j = 0; j < view->dim; ++j) {
                    m[i][j] += a[i] * a[j];
                }
            }
        }
    }
    if (!oracle_damped(m, view->dim, 1e-6, 0.0, place_m, NULL)) {
        memset(place_m, 0, 3 * sizeof(double));
    }
    for (size_t i = 0; i < view->dim; ++i) {
        place_m[i] += centre_m[i];
    }
}

static inline size_t oracle_n_starts(size_t dim) { return dim == 1u ? 4u : dim == 2u ? 8u : 14u; }

static inline void oracle_start(const oracle_view_t *view, const double *centre_m, double reach_m, size_t number,
                                double *place_m)
{
    if (number == 0) {
        oracle_linear(view, centre_m, place_m);
        return;
    }
    const double angle = 1.0471975511965976 * (double)((number - 2u) % 6u);
    for (size_t i = 0; i < view->dim; ++i) {
        double offset = i == 0 ? cos(angle) : i == 1u ? sin(angle) : number < 8u ? 0.5 : -0.5;
        offset = view->dim == 1u ? (number == 2u ? 1.0 : -1.0) : offset;
        place_m[i] = centre_m[i] + (number > 1u ? offset * reach_m : 0.0);
    }
}

/* Start `number`, polished; false when it ran away or is on the wrong side. */
static inline bool oracle_polished(const oracle_view_t *view, size_t number, double *place_m)
{
    double centre_m[3], reach_m, m[3][3], right[3];
    oracle_survey(view, centre_m, &reach_m);
    oracle_start(view, centre_m, reach_m, number, place_m);
    for (int round = 0; round < 8; ++round) {
        oracle_normal(view, place_m, round >= 3, m, right);
        if (!oracle_damped(m, view->dim, 1e-3, 0.0, right, NULL)) {
            return false;
        }
        for (size_t i = 0; i < view->dim; ++i) {
            place_m[i] += right[i];
            if (!(fabs(place_m[i] - centre_m[i]) < 100.0 * reach_m)) {
                return false;
            }
        }
    }
    return view->side == 0 || view->dim < 3u || (place_m[2] - centre_m[2]) * view->side > 0.0;
}

static inline bool oracle_fix(const oracle_view_t *view, oracle_fix_t *fix)
{
    double place_m[3], centre_m[3], reach_m, m[3][3], right[3], trace = 0.0;
    fix->cost = 1e300;
    if (oracle_fresh(view) < view->dim + 1u) {
        return false;
    }
    for (size_t number = 0; number < oracle_n_starts(view->dim); ++number) {
        if (oracle_polished(view, number, place_m) && oracle_cost(view, place_m) < fix->cost) {
            fix->cost = oracle_cost(view, place_m);
            memcpy(fix->place_m, place_m, sizeof place_m);
        }
    }
    if (!(fix->cost < 1e300)) {
        return false;
    }
    oracle_survey(view, centre_m, &reach_m);
    oracle_normal(view, fix->place_m, true, m, right);
    if (!oracle_damped(m, view->dim, 0.0, 1.0 / (reach_m * reach_m), NULL, fix->cov)) {
        return false;
    }
    for (size_t i = 0; i < view->dim; ++i) {
        for (size_t j = 0; j < view->dim; ++j) {
            fix->cov[i][j] = 2.0 * fix->cov[i][j] + (i == j ? view->noise_m * view->noise_m : 0.0);
        }
        trace += fix->cov[i][i];
    }
    fix->mirror = false;
    for (size_t number = 0; number < oracle_n_starts(view->dim) && !fix->mirror; ++number) {
        if (oracle_polished(view, number, place_m) && oracle_cost(view, place_m) < fix->cost + 1.0) {
            double distance2 = 0.0;
            for (size_t i = 0; i < view->dim; ++i) {
                distance2 += (place_m[i] - fix->place_m[i]) * (place_m[i] - fix->place_m[i]);
            }
            fix->mirror = distance2 > 9.0 * trace;
        }
    }
    return true;
}

#endif
