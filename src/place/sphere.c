/* SPDX-License-Identifier: MIT
 * The sphere of radius z with its geodesic distance or its chords. Source: place-family section 2. Angles come from
 * the arc tangent, never from acos, whose argument rounding would push out of its domain. */
#include "cairn/space.h"

#include "cairn/scalar.h"
#include "cairn/vector.h"

#define PI CAIRN_REAL_C(3.14159265358979323846)

/* Take the normal part out of v at x (|x| about z), and return the length of what is left. */
static cairn_real make_tangent(const cairn_real *x, size_t dim, cairn_real *v)
{
    const cairn_real normal = cairn_dot(x, v, dim) / cairn_dot(x, x, dim);

    for (size_t i = 0; i < dim; ++i) {
        v[i] -= normal * x[i];
    }
    return cairn_sqrt(cairn_dot(v, v, dim));
}

/* Coincident or antipodal: every tangent direction is as good. Take an axis chosen by `tie` that is not along x. */
static void any_tangent(const cairn_real *x, size_t dim, uint32_t tie, cairn_real *gradient)
{
    cairn_real length = 0;

    for (size_t attempt = 0; attempt < dim && !(length > 0.5f); ++attempt) {
        for (size_t i = 0; i < dim; ++i) {
            gradient[i] = 0;
        }
        gradient[((tie >> 1) + attempt) % dim] = (tie & 1u) != 0 ? -1.0f : 1.0f;
        length = make_tangent(x, dim, gradient);
    }
    for (size_t i = 0; i < dim; ++i) {
        gradient[i] = length > 0 ? gradient[i] / length : 0;
    }
}

static cairn_space_metric_t sphere_metric(const cairn_space_t *space, const cairn_real *x, const cairn_real *y,
                                          size_t dim, uint32_t tie, cairn_real *gradient)
{
    const cairn_real z = space->radius;
    const cairn_real cosine = cairn_dot(x, y, dim) / (z * z);
    cairn_space_metric_t metric = {0, 0};
    cairn_real sine;

    /* The tangent at x away from y is the part of -y across x, of length z sin(angle). Subtracting x first keeps the
     * digits of a small difference. */
    for (size_t i = 0; i < dim; ++i) {
        gradient[i] = cosine > 0 ? x[i] - y[i] : -x[i] - y[i];
    }
    sine = make_tangent(x, dim, gradient) / z;
    metric.distance = z * cairn_arc_tangent(sine, cosine);
    if (!(sine > CAIRN_REAL_EPSILON)) {
        any_tangent(x, dim, tie, gradient);
        return metric;
    }
    for (size_t i = 0; i < dim; ++i) {
        gradient[i] /= sine * z;
    }
    metric.curvature = cosine / (sine * z);
    return metric;
}

static void sphere_move(const cairn_space_t *space, const cairn_real *x, const cairn_real *step, size_t dim,
                        cairn_real *out)
{
    const cairn_real z = space->radius;
    const cairn_real normal = cairn_dot(x, step, dim) / cairn_dot(x, x, dim);
    cairn_real length = 0;
    cairn_real along;
    cairn_real across;
    cairn_real norm = 0;

    for (size_t i = 0; i < dim; ++i) {
        const cairn_real tangent = step[i] - normal * x[i];
        length += tangent * tangent;
    }
    length = cairn_sqrt(length);
    cairn_sine_cosine(length / z, &across, &along);
    across = length > 0 ? z * across / length : 1;
    for (size_t i = 0; i < dim; ++i) {
        out[i] = along * x[i] + across * (step[i] - normal * x[i]);
        norm += out[i] * out[i];
    }
    norm = z / cairn_sqrt(norm); /* back onto the sphere: rounding must not pile up */
    for (size_t i = 0; i < dim; ++i) {
        out[i] *= norm;
    }
}

/* Along a chord the tangent component of the gradient is cos(angle / 2): the gradient is not a unit vector here. */
static cairn_space_metric_t chord_metric(const cairn_space_t *space, const cairn_real *x, const cairn_real *y,
                                         size_t dim, uint32_t tie, cairn_real *gradient)
{
    const cairn_real diameter = 2 * space->radius;
    cairn_space_metric_t metric = sphere_metric(space, x, y, dim, tie, gradient);
    cairn_real slope;

    metric.distance = cairn_min(cairn_distance(x, y, dim), diameter);
    slope = metric.distance / diameter; /* sine of half the angle */
    slope = cairn_sqrt(cairn_max(0, (1 - slope) * (1 + slope)));
    for (size_t i = 0; i < dim; ++i) {
        gradient[i] *= slope;
    }
    metric.curvature *= slope;
    return metric;
}

static cairn_status set_sphere(cairn_space_t *self, cairn_real radius)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(radius)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!(radius >= CAIRN_SPHERE_RADIUS_MIN && radius <= CAIRN_SPHERE_RADIUS_MAX)) {
        return CAIRN_ERR_ARG;
    }
    self->metric = sphere_metric;
    self->move = sphere_move;
    self->distance_max = PI * radius;
    self->radius = radius;
    return CAIRN_OK;
}

cairn_status cairn_space_sphere(cairn_space_t *self, cairn_real radius) { return set_sphere(self, radius); }

cairn_status cairn_space_sphere_chord(cairn_space_t *self, cairn_real radius)
{
    const cairn_status status = set_sphere(self, radius);

    if (status == CAIRN_OK) {
        self->metric = chord_metric;
        self->distance_max = 2 * radius;
    }
    return status;
}
