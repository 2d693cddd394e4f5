/* SPDX-License-Identifier: MIT
 * Target spaces of the PLACE family: how far, in which direction, and how to move. */
#ifndef CAIRN_SPACE_H
#define CAIRN_SPACE_H

#include "cairn/status.h"
#include "cairn/real.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_space cairn_space_t;

/**
 * What `metric` of a space reports besides the gradient of the distance f(x, y), all at x: the distance itself, and its
 * curvature c, the second derivative of f across the direction of y, so that the Hessian of f in the tangent space
 * is c (I - u u^T) with u the gradient: 1/f in R^k, cot(f/z)/z on the sphere.
 */
typedef struct cairn_space_metric {
    cairn_real distance;  /* f(x, y), >= 0 */
    cairn_real curvature; /* may be negative on the sphere; 0 where x and y coincide */
} cairn_space_metric_t;

/**
 * A space, as data: the PLACE step knows nothing else of it. Use `cairn_space_euclidean` or fill one in with
 * `cairn_space_sphere`; an own space sets the functions to its own (they are called for every neighbour in every round,
 * must not keep state and must not call back into Cairn objects in use).
 */
struct cairn_space {
    /**
     * Distance and its gradient.
     *
     * space     this object
     * x, y      [dim] points of the space
     * dim       number of coordinates (for the sphere S^k in R^(k+1): k + 1)
     * tie       chooses the direction when x and y coincide (or are antipodal), so that two points in one place part
     * gradient  [dim] out: unit tangent vector at x, pointing away from y (shorter for chords)
     *
     * Returns distance and curvature. Work: O(dim).
     */
    cairn_space_metric_t (*metric)(const cairn_space_t *space, const cairn_real *x, const cairn_real *y, size_t dim,
                                   uint32_t tie, cairn_real *gradient);
    /**
     * Follow the geodesic from x along a tangent vector, by its length.
     *
     * space  this object
     * x      [dim] start; may equal out
     * step   [dim] tangent vector at x; a part normal to the space is taken out first
     * dim    number of coordinates
     * out    [dim] end point
     *
     * Work: O(dim).
     */
    void (*move)(const cairn_space_t *space, const cairn_real *x, const cairn_real *step, size_t dim, cairn_real *out);
    cairn_real distance_max; /* no two points are farther apart; larger wanted distances are clamped to it */
    cairn_real radius;       /* z of the sphere; 0 in R^k */
};

/** R^k with the Euclidean distance; only + - * / and sqrt, the same bits on every target. */
extern const cairn_space_t cairn_space_euclidean;

/** Radii of spheres: their squares stay well inside a float. */
#define CAIRN_SPHERE_RADIUS_MIN 1e-15f
#define CAIRN_SPHERE_RADIUS_MAX 1e15f

/**
 * The sphere with the geodesic (great circle) distance z * angle. Points have dim = k + 1 coordinates and length z.
 * Source: place-family, section 2 (the thesis's triangle formula, rewritten).
 *
 * self    out, every field is written
 * radius  z, CAIRN_SPHERE_RADIUS_MIN to CAIRN_SPHERE_RADIUS_MAX
 *
 * CAIRN_OK            written
 * CAIRN_ERR_ARG       self is NULL or radius out of range
 * CAIRN_ERR_NONFINITE radius is NaN or infinite
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_space_sphere(cairn_space_t *self, cairn_real radius);

/**
 * The sphere with the chord as distance: the straight line through the ball, z times 2 sin(angle / 2), at most 2 z. Its
 * gradient along the sphere has length cos(angle / 2).
 *
 * self    out, every field is written
 * radius  z, as there
 *
 * Returns as cairn_space_sphere. Work: O(1). Source: thesis chapter 3 (chordal costs).
 */
CAIRN_MUST_CHECK cairn_status cairn_space_sphere_chord(cairn_space_t *self, cairn_real radius);

/**
 * The projection of PLACE: the point at the wanted distance from a neighbour on the geodesic from it through x.
 *
 * space  the space
 * x      [dim] present point
 * y      [dim] the neighbour
 * dim    number of coordinates, >= 1
 * range  wanted distance, >= 0; above space->distance_max it is clamped
 * tie    as for metric
 * out    [dim] the projected point; must not overlap x or y
 *
 * CAIRN_OK            written
 * CAIRN_ERR_ARG       NULL, dim 0, a negative range, or out equal to x or y
 * CAIRN_ERR_NONFINITE a coordinate or the range is not finite
 *
 * Work: O(dim). Source: thesis chapter 2; place-family section 2.
 */
CAIRN_MUST_CHECK cairn_status cairn_space_project(const cairn_space_t *space, const cairn_real *x, const cairn_real *y,
                                                  size_t dim, cairn_real range, uint32_t tie, cairn_real *out);

#ifdef __cplusplus
}
#endif
#endif
