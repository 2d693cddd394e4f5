/* SPDX-License-Identifier: MIT
 * Double-precision references of spaces, losses and the cost of a place, with bounds on what float may differ. */
#ifndef CAIRN_ORACLE_PLACE_H
#define CAIRN_ORACLE_PLACE_H

#include "cairn/place.h"
#include "oracle/solve.h"

#define ORACLE_DIM_MAX 5
#define ORACLE_PI      3.14159265358979323846
#define ORACLE_UNIT    ((double)CAIRN_REAL_EPSILON / 2.0) /* largest relative rounding error of one operation */

typedef enum oracle_loss_kind {
    ORACLE_SQUARED = 0,
    ORACLE_ABSOLUTE = 1,
    ORACLE_SQUARED_DISTANCES = 2,
    ORACLE_HUBER = 3,
    ORACLE_REDESCEND = 4,
    ORACLE_POWER = 5,
    ORACLE_N_LOSSES = 6
} oracle_loss_kind;

/* What a cost is a function of, besides the place. radius 0: Euclidean, else the sphere of that radius. */
typedef struct oracle_problem {
    const cairn_neighbour_t *neighbours;
    size_t n_neighbours;
    size_t dim;
    double radius;
    oracle_loss_kind kind;
    double p; /* of ORACLE_POWER */
} oracle_problem_t;

static inline double oracle_dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static inline void oracle_widen(const cairn_real *a, size_t n, double *out)
{
    for (size_t i = 0; i < n; ++i) {
        out[i] = (double)a[i];
    }
}

/* Distance of the definition: |x - y|, or radius times the angle, by the half-angle formula (Kahan), which needs no
 * points of exact length. */
static inline double oracle_distance(const double *x, const double *y, size_t dim, double radius)
{
    double minus = 0.0;
    double plus = 0.0;
    double x_length = radius > 0.0 ? oracle_sqrt(oracle_dot(x, x, dim)) : 1.0;
    double y_length = radius > 0.0 ? oracle_sqrt(oracle_dot(y, y, dim)) : 1.0;
    for (size_t i = 0; i < dim; ++i) {
        double d = x[i] / x_length - y[i] / y_length;
        double s = x[i] / x_length + y[i] / y_length;
        minus += d * d;
        plus += s * s;
    }
    return radius > 0.0 ? 2.0 * radius * atan2(oracle_sqrt(minus), oracle_sqrt(plus)) : oracle_sqrt(minus);
}

/* How far cairn_real's distance may be from the above.
 * Euclidean: each difference, square and sum rounds once, the root halves: (dim + 3)/2 + 1 units, relative.
 * Sphere: sine and cosine are each sums of dim products (dim + 1 units) of points whose length is off by a few units,
 * the tangent takes another dot product: 3 dim + 16 units of the radius, absolute. */
static inline double oracle_distance_bound(double distance, size_t dim, double radius)
{
    double n = (double)dim;
    return ORACLE_UNIT * (radius > 0.0 ? radius * (3.0 * n + 16.0) : distance * ((n + 3.0) / 2.0 + 1.0));
}

/* Err by its definition; the bends are those of the header: Huber 1.345 scales, redescending 3 scales. */
static inline double oracle_error(oracle_loss_kind kind, double p, double distance, double range, double scale)
{
    double size = oracle_abs(distance - range);
    double bend = (kind == ORACLE_HUBER ? 1.345 : 3.0) * scale;
    switch (kind) {
    case ORACLE_SQUARED: return size * size;
    case ORACLE_ABSOLUTE: return size;
    case ORACLE_SQUARED_DISTANCES: return oracle_abs(distance * distance - range * range);
    case ORACLE_HUBER: return size <= bend ? size * size : bend * (2.0 * size - bend);
    case ORACLE_REDESCEND: return size * size * bend * bend / (bend * bend + size * size);
    case ORACLE_POWER: return p == 1.5 ? size * oracle_sqrt(size) : size > 0.0 ? pow(size, p) : 0.0;
    case ORACLE_N_LOSSES: break;
    }
    return 0.0;
}

/* Weight by its definition, Err'(d) / (2 d), from the derivative written out; size must not be 0. */
static inline double oracle_weight(oracle_loss_kind kind, double p, double distance, double range, double scale)
{
    double size = oracle_abs(distance - range);
    double bend = (kind == ORACLE_HUBER ? 1.345 : 3.0) * scale;
    double sum = bend * bend + size * size;
    switch (kind) {
    case ORACLE_SQUARED: return 1.0;
    case ORACLE_ABSOLUTE: return 1.0 / (2.0 * size);
    /* the slope at 0 is lifted to a thousandth of the range, so that a coincident pair parts */
    case ORACLE_SQUARED_DISTANCES: return (distance > 1e-3 * range ? distance : 1e-3 * range) / size;
    case ORACLE_HUBER: return size <= bend ? 1.0 : bend / size;
    case ORACLE_REDESCEND: return bend * bend * bend * bend / (sum * sum);
    case ORACLE_POWER: return 0.5 * p * pow(size, p - 2.0);
    case ORACLE_N_LOSSES: break;
    }
    return 0.0;
}

static inline bool oracle_counts(const cairn_neighbour_t *neighbour, double distance, double range)
{
    return neighbour->weight > 0 && !(neighbour->side == CAIRN_SIDE_AT_LEAST && distance >= range) &&
           !(neighbour->side == CAIRN_SIDE_AT_MOST && distance <= range);
}

static inline double oracle_range(const oracle_problem_t *problem, const cairn_neighbour_t *neighbour)
{
    double range = (double)neighbour->range;
    double most = ORACLE_PI * problem->radius;
    return problem->radius > 0.0 && range > most ? most : range;
}

static inline double oracle_max(double a, double b) { return a > b ? a : b; }

/* Largest change of Err when the residual is off by at most delta: Err grows with |residual|. */
static inline double oracle_error_bound(const oracle_problem_t *problem, double distance, double range, double scale,
                                        double delta)
{
    double error = oracle_error(problem->kind, problem->p, distance, range, scale);
    double below = oracle_error(problem->kind, problem->p, distance - delta, range, scale);
    double above = oracle_error(problem->kind, problem->p, distance + delta, range, scale);
    if (oracle_abs(distance - range) <= delta) {
        return oracle_max(error, oracle_max(below, above)); /* the residual may be 0 */
    }
    return oracle_max(oracle_abs(below - error), oracle_abs(above - error));
}

/*
 * Cost at x in double. bound: out, nullable; how far a cost computed in cairn_real may be from it: the distance is off
 * by oracle_distance_bound and half a unit of the residual, Err itself takes at most 8 operations (and pow is taken to
 * be good to 4 units), the sum n more.
 */
static inline double oracle_cost(const oracle_problem_t *problem, const double *x, double *bound)
{
    double cost = 0.0;
    double rounding = 0.0;
    for (size_t j = 0; j < problem->n_neighbours; ++j) {
        const cairn_neighbour_t *neighbour = &problem->neighbours[j];
        double y[ORACLE_DIM_MAX];
        double range = oracle_range(problem, neighbour);
        double scale = (double)neighbour->scale;
        oracle_widen(neighbour->place, problem->dim, y);
        double distance = oracle_distance(x, y, problem->dim, problem->radius);
        double clamped = range < (double)neighbour->range ? 2.0 * range : 0.0; /* to pi as cairn_real knows it */
        double delta = oracle_distance_bound(distance, problem->dim, problem->radius) +
                       ORACLE_UNIT * (2.0 * oracle_abs(distance - range) + clamped);
        double error = oracle_error(problem->kind, problem->p, distance, range, scale);
        if (neighbour->weight > 0 && bound != NULL) {
            rounding += (double)neighbour->weight * oracle_error_bound(problem, distance, range, scale, delta);
        }
        if (oracle_counts(neighbour, distance, range)) {
            cost += (double)neighbour->weight * error;
        }
    }
    if (bound != NULL) {
        *bound = rounding + ORACLE_UNIT * (12.0 + (double)problem->n_neighbours) * cost;
    }
    return cost;
}

/* Follows the geodesic from x along the tangent vector step, both of length dim. */
static inline void oracle_move(const double *x, const double *step, size_t dim, double radius, double *out)
{
    double length = oracle_sqrt(oracle_dot(step, step, dim));
    double angle = radius > 0.0 ? length / radius : 0.0;
    for (size_t i = 0; i < dim; ++i) {
        out[i] = radius > 0.0 ? cos(angle) * x[i] + (length > 0.0 ? radius * sin(angle) * step[i] / length : 0.0)
                              : x[i] + step[i];
    }
}

#endif
