/* SPDX-License-Identifier: MIT
 * Tracking: with as many fresh links as dimensions, the mirror image in the line (plane) of their anchors fits as well. A
 * sensor without odometry that comes near that line may leave it on either side, and a linear filter would be sure of one:
 * the deviation across the line is kept as large as the distance from it until another link decides. With one link alone
 * its bearing is unobservable: the variance of it must not fall, and the place is on a circle, not on a tangent: what the
 * circle bends away over the deviation across is a variance along. */
#include "locate/track_internal.h"

#define CROSS_SIGMA2 9     /* nearer to the line than 3 deviations: the side is open */
#define SAGITTA      0.75f /* mean square of y^2 / (2 d) for normal y, times d^2 / variance^2 */
#define BEARING_MOST 3.3f  /* variance of a bearing of which nothing is known, a third of pi^2 */
#define HEADING_VAR  0.2f  /* a heading known better than this carries the sensor across */

/* The first dim fresh anchors; false when there are fewer. */
static bool find_anchors(const track_view_t *view, const cairn_real **anchor)
{
    cairn_real range_m, var_m2;
    size_t n = 0;

    for (size_t link = 0; link < view->links->n_links && n < view->cfg->dim; ++link) {
        if (cairn_track_view_range(view, link, &range_m, &var_m2)) {
            anchor[n++] = view->links->place_m + link * view->cfg->dim;
        }
    }
    return n == view->cfg->dim;
}

/* Across the line through two points, or the plane through three; not of unit length. */
static void find_normal(const cairn_real *const *anchor, size_t dim, cairn_real *normal)
{
    const cairn_real *a = anchor[0], *b = anchor[1], *c = anchor[2];

    if (dim == 1u) {
        normal[0] = 1;
    } else if (dim == 2u) {
        normal[0] = a[1] - b[1];
        normal[1] = b[0] - a[0];
    } else {
        normal[0] = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
        normal[1] = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
        normal[2] = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    }
}

/* Unit normal of the line or plane through the fresh anchors and distance of the place from it; false when they do not
 * span one. */
static bool normal_of(const track_view_t *view, const cairn_real *place_m, cairn_real *normal, cairn_real *height_m)
{
    const size_t dim = view->cfg->dim;
    const cairn_real *anchor[3] = {place_m, place_m, place_m};

    if (!find_anchors(view, anchor)) {
        return false;
    }
    find_normal(anchor, dim, normal);
    const cairn_real length = cairn_sqrt(cairn_dot(normal, normal, dim));
    if (!(length > 0)) {
        return false;
    }
    *height_m = 0;
    for (size_t i = 0; i < dim; ++i) {
        normal[i] /= length;
        *height_m += normal[i] * (place_m[i] - anchor[0][i]);
    }
    return true;
}

static bool heading_known(const cairn_track_t *track)
{
    const size_t first = track->cfg->dim + 2u;
    const cairn_real *covariance = track_states_const(track) + track_n_states(track->cfg);

    return track->cfg->motion == CAIRN_TRACK_ODOMETRY && track->cfg->dim > 1u &&
           covariance[track_row(first) + first] + covariance[track_row(first + 1u) + first + 1u] < HEADING_VAR;
}

/* Raise the variance along an axis to at least `least_m2`. */
static void raise(cairn_track_t *track, const cairn_real *axis, cairn_real have_m2, cairn_real least_m2)
{
    cairn_real *covariance = track_states(track) + track_n_states(track->cfg);

    for (size_t i = 0; i < track->cfg->dim && least_m2 > have_m2; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            covariance[track_row(i) + j] += (least_m2 - have_m2) * axis[i] * axis[j];
        }
    }
}

/* As many links as dimensions: two mirror images. */
static void keep_mirror(const track_view_t *view, cairn_track_t *track)
{
    cairn_real normal[CAIRN_LOCATE_DIM_MAX] = {0}, height_m = 0;

    if (!normal_of(view, track_states(track), normal, &height_m)) {
        return;
    }
    const cairn_real across_m2 =
        cairn_track_quadratic(track_states(track) + track_n_states(track->cfg), normal, track->cfg->dim);
    if (height_m * height_m < CROSS_SIGMA2 * across_m2) {
        track->flags |= TRACK_MIRROR;
    }
    if ((track->flags & TRACK_MIRROR) != 0) {
        raise(track, normal, across_m2, height_m * height_m);
    }
}

void cairn_track_keep_sides(const cairn_track_links_t *links, cairn_track_t *track)
{
    track_view_t view;

    cairn_track_view(&view, links, track, track->t_us);
    if (cairn_track_view_fresh(&view) == track->cfg->dim && !heading_known(track)) {
        keep_mirror(&view, track);
    }
}

bool cairn_track_is_alone(const cairn_track_links_t *links, const cairn_track_t *track, size_t link, uint32_t t_us)
{
    track_view_t view;
    cairn_real range_m, var_m2;

    cairn_track_view(&view, links, track, t_us);
    return cairn_track_view_fresh(&view) == (cairn_track_view_range(&view, link, &range_m, &var_m2) ? 1u : 0u) &&
           !heading_known(track) && track->cfg->dim > 1u;
}

/* Line from a point to the place, its squared length, and the variance along it. */
static cairn_real line_from(const cairn_track_t *track, const cairn_real *peer_m, cairn_real *u, cairn_real *d2)
{
    const size_t dim = track->cfg->dim;
    const cairn_real *x = track_states_const(track);

    *d2 = 0;
    for (size_t i = 0; i < dim; ++i) {
        u[i] = x[i] - peer_m[i];
        *d2 += u[i] * u[i];
    }
    *d2 = cairn_max(*d2, TRACK_FLOOR_M2);
    return cairn_track_quadratic(x + track_n_states(track->cfg), u, dim) / *d2;
}

cairn_real cairn_track_bearing_var(const cairn_track_t *track, const cairn_real *peer_m)
{
    cairn_real u[CAIRN_LOCATE_DIM_MAX] = {0}, d2, across_m2 = 0;
    const cairn_real *covariance = track_states_const(track) + track_n_states(track->cfg);
    const cairn_real along_m2 = line_from(track, peer_m, u, &d2);

    for (size_t i = 0; i < track->cfg->dim; ++i) {
        across_m2 += covariance[track_row(i) + i];
    }
    return cairn_max(across_m2 - along_m2, 0) / d2;
}

void cairn_track_keep_bearing(cairn_track_t *track, const cairn_real *peer_m, cairn_real least_var)
{
    const size_t dim = track->cfg->dim;
    cairn_real *covariance = track_states(track) + track_n_states(track->cfg);
    cairn_real u[CAIRN_LOCATE_DIM_MAX] = {0}, d2;
    const cairn_real least = cairn_min(least_var, BEARING_MOST);
    const cairn_real lost = cairn_max(least - cairn_track_bearing_var(track, peer_m), 0);
    const cairn_real along_m2 = line_from(track, peer_m, u, &d2);
    const cairn_real across = lost * d2 / (cairn_real)(dim - 1u);
    const cairn_real along = cairn_max(SAGITTA * least * least * d2 - along_m2, 0);

    for (size_t i = 0; i < dim; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            covariance[track_row(i) + j] += (i == j ? across : 0) + (along - across) * u[i] * u[j] / d2;
        }
    }
}
