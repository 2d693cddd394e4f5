/* SPDX-License-Identifier: MIT
 * Reference of the fix of track in double: climbs from the corners round the last range by shrinking steps, agreement,
 * rivals. */
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
    double place_m[3], score, rival;
} oracle_fix_t;

static inline void oracle_links_init(oracle_links_t *self, const double *place_m, size_t n)
{
    memset(self, 0, sizeof *self);
    self->place_m = place_m;
    self->n = n;
}

/* Variance of a fresh range, grown by what the sensor may have moved; false for others. */
static inline bool oracle_view_range(const oracle_view_t *view, size_t link, double *var_m2)
{
    const double age_s = fabs(view->t_s - view->links->t_s[link]), range_m = view->links->range_m[link];
    *var_m2 = view->noise_m * view->noise_m + view->speed * age_s * view->speed * age_s +
              view->noise_rel * range_m * view->noise_rel * range_m;
    return range_m > 0.0 && !(age_s > view->fresh_s);
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
    double var;
    for (size_t link = 0; link < view->links->n; ++link) {
        n += oracle_view_range(view, link, &var);
    }
    return n;
}

static inline double oracle_agreement(const oracle_view_t *view, const double *place_m, double extra)
{
    double score = 0.0, var;
    for (size_t link = 0; link < view->links->n; ++link) {
        if (oracle_view_range(view, link, &var)) {
            const double distance = oracle_view_distance(view, link, place_m);
            const double error = view->links->range_m[link] - view->gain * distance - view->bias_m;
            var += extra + view->var_bias_m2 + view->var_scale * distance * distance;
            score += 1.0 / (1.0 + error * error / (4.0 * var));
        }
    }
    return score;
}

/* Try a step along an axis; keep it if more links agree. */
static inline void oracle_try(const oracle_view_t *view, oracle_fix_t *fix, size_t axis, double step, double *best)
{
    oracle_fix_t moved = *fix;
    moved.place_m[axis] += step;
    const double score = oracle_agreement(view, moved.place_m, step * step);
    if (score > *best) {
        *best = score;
        *fix = moved;
    }
}

static inline void oracle_climb(const oracle_view_t *view, double step, oracle_fix_t *fix)
{
    for (; step > view->noise_m / 4.0; step *= 0.75) {
        double best = oracle_agreement(view, fix->place_m, step * step);
        for (size_t axis = 0; axis < view->dim; ++axis) {
            oracle_try(view, fix, axis, step, &best);
            oracle_try(view, fix, axis, -step, &best);
        }
    }
    fix->score = oracle_agreement(view, fix->place_m, 0.0);
}

static inline bool oracle_apart(const oracle_view_t *view, const oracle_fix_t *fix, const oracle_fix_t *other)
{
    double distance2 = 0.0;
    for (size_t i = 0; i < view->dim; ++i) {
        distance2 += (fix->place_m[i] - other->place_m[i]) * (fix->place_m[i] - other->place_m[i]);
    }
    return distance2 > 36.0 * view->noise_m * view->noise_m;
}

/* Best of the starts round the anchor of a link, and how good the best other place is. */
static inline void oracle_fix(const oracle_view_t *view, size_t link, oracle_fix_t *fix)
{
    const double *anchor_m = view->links->place_m + link * view->dim;
    const double range = view->links->range_m[link];
    memset(fix, 0, sizeof *fix);
    for (size_t start = 0; start < (size_t)1 << view->dim; ++start) {
        oracle_fix_t trial;
        for (size_t i = 0; i < view->dim; ++i) {
            trial.place_m[i] = anchor_m[i] + (((start >> i) & 1u) != 0 ? range : -range);
        }
        oracle_climb(view, range / 2.0, &trial);
        if ((trial.place_m[view->dim - 1u] - anchor_m[view->dim - 1u]) * view->side < 0.0) {
            continue;
        }
        const double worse = trial.score < fix->score ? trial.score : fix->score;
        if (worse > fix->rival && oracle_apart(view, fix, &trial)) {
            fix->rival = worse;
        }
        if (trial.score > fix->score) {
            trial.rival = fix->rival;
            *fix = trial;
        }
    }
}

#endif
