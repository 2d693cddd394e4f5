/* SPDX-License-Identifier: MIT
 * R^k, and the projection that every space shares. */
#include "cairn/space.h"

#include "cairn/vector.h"

/* A fixed unit direction where two points coincide: an axis and a sign chosen by `tie`. */
static void coincident_direction(size_t dim, uint32_t tie, cairn_real *gradient)
{
    for (size_t i = 0; i < dim; ++i) {
        gradient[i] = 0;
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): every caller has refused dim 0 */
    gradient[(tie >> 1) % dim] = (tie & 1u) != 0 ? -1.0f : 1.0f;
}

static cairn_space_metric_t euclidean_metric(const cairn_space_t *space, const cairn_real *x, const cairn_real *y,
                                             size_t dim, uint32_t tie, cairn_real *gradient)
{
    cairn_space_metric_t metric = {0, 0};
    cairn_real sum = 0;

    (void)space;
    for (size_t i = 0; i < dim; ++i) {
        gradient[i] = x[i] - y[i];
        sum += gradient[i] * gradient[i];
    }
    metric.distance = cairn_sqrt(sum);
    metric.curvature = 1 / metric.distance;
    if (!cairn_isfinite(metric.curvature)) { /* coincident, or so close that the direction is lost */
        metric.distance = 0;
        metric.curvature = 0;
        coincident_direction(dim, tie, gradient);
        return metric;
    }
    for (size_t i = 0; i < dim; ++i) {
        gradient[i] *= metric.curvature;
    }
    return metric;
}

static void euclidean_move(const cairn_space_t *space, const cairn_real *x, const cairn_real *step, size_t dim,
                           cairn_real *out)
{
    (void)space;
    for (size_t i = 0; i < dim; ++i) {
        out[i] = x[i] + step[i];
    }
}

const cairn_space_t cairn_space_euclidean = {euclidean_metric, euclidean_move, CAIRN_REAL_MAX, 0};

cairn_status cairn_space_project(const cairn_space_t *space, const cairn_real *x, const cairn_real *y, size_t dim,
                                 cairn_real range, uint32_t tie, cairn_real *out)
{
    cairn_space_metric_t metric;
    cairn_real wanted;

    if (space == NULL || x == NULL || y == NULL || out == NULL || out == x || out == y || dim == 0 || range < 0) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(range) || !cairn_all_finite(x, dim) || !cairn_all_finite(y, dim)) {
        return CAIRN_ERR_NONFINITE;
    }
    /* The geodesic from x along the gradient leads away from y: go the missing distance (back, when negative). */
    wanted = cairn_min(range, space->distance_max);
    metric = space->metric(space, x, y, dim, tie, out);
    for (size_t i = 0; i < dim; ++i) {
        out[i] *= wanted - metric.distance;
    }
    space->move(space, x, out, dim, out);
    return CAIRN_OK;
}
