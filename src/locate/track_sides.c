/* SPDX-License-Identifier: MIT
 * Tracking with too few links: up to as many as dimensions leave mirror images, or a whole circle, which a linear filter
 * would not know. */
#include "locate/track_links_internal.h"

#define CROSS_SIGMA2 9     /* nearer to the line of anchors than 3 deviations: the side is open */
#define SAGITTA      0.75f /* mean square of y^2 / (2 d) for normal y, times d^2 / variance^2 */
#define BEARING_MOST 3.3f  /* variance of a bearing of which nothing is known, a third of pi^2 */
#define HEADING_VAR  0.2f  /* a heading known better than this carries the sensor across lines of anchors */
#define LINE_NOISES2 25    /* anchors off the line of others by less than 5 noises of a range, together, are on it */
#define LINE_SHARE   0.5f  /* of a direction: what such anchors leave open */
#define SPREAD_LOOK  16u   /* ranges between two looks at the same number of well spread anchors */

static bool heading_known(const cairn_track_t *track)
{
    const size_t first = track->cfg->dim + 2u, second = track->cfg->dim > 1u ? first + 2u : 0; /* on a line: the same */
    const cairn_real *own = track_covariance_const(track) + track_row(first) + first;

    return track->cfg->motion == CAIRN_TRACK_ODOMETRY && own[0] + own[second] < HEADING_VAR;
}

static void subtract(const cairn_real *a, const cairn_real *b, size_t n, cairn_real *out)
{
    for (size_t i = 0; i < n; ++i) {
        out[i] = a[i] - b[i];
    }
}

/* Raise the variance along an axis, not of unit length, to at least `least_m2`. */
static void raise(cairn_track_t *track, const cairn_real *axis, cairn_real least_m2)
{
    const size_t dim = track->cfg->dim;
    cairn_real *covariance = track_covariance(track);
    cairn_real column[CAIRN_LOCATE_DIM_MAX];
    const cairn_real square = cairn_dot(axis, axis, dim);
    const cairn_real own = cairn_track_product(covariance, dim, axis, dim, column) - least_m2 * square;

    if (own < 0 && square * square > 0) { /* a shorter axis has no direction */
        cairn_track_apply(track_states(track), covariance, dim, axis, own / (square * square), 0);
    }
}

/* The range is on a circle, not on a line: what it seemed to tell of the place across the line of sight is taken back, and
 * what the circle bends away over the deviation across is a variance along. */
static void keep_circle(cairn_track_t *track, const cairn_real *u, const cairn_track_innovation_t *innovation)
{
    const size_t dim = track->cfg->dim;
    cairn_real *covariance = track_covariance(track);
    cairn_real lost[CAIRN_LOCATE_DIM_MAX];
    const cairn_real d2 = cairn_max(cairn_dot(u, u, dim), TRACK_FLOOR_M2);
    const cairn_real share = cairn_dot(u, innovation->cov_m2, dim) / d2;

    size_t i = 0;

    do {
        lost[i] = innovation->cov_m2[i] - share * u[i];
    } while (++i < dim);
    cairn_track_apply(track_states(track), covariance, dim, lost, -innovation->weight / innovation->var_m2, 0);
    const cairn_real along_m2 = cairn_track_product(covariance, dim, u, dim, lost) / d2;
    const cairn_real bearing = cairn_min((cairn_track_trace(covariance, dim) - along_m2) / d2, BEARING_MOST);
    raise(track, u, SAGITTA * bearing * bearing * d2);
}

/* Across the line or plane through the anchor of a link and the other fresh ones: what is left of the way from there to the
 * place when all directions between the anchors are taken out, each as far as it is longer than the noise. The order of
 * the anchors does not matter. Returns the square of the height over them, -1 if they are spread in all directions. */
static cairn_real find_across(const cairn_track_links_t *links, const cairn_track_t *track, size_t link,
                              cairn_real *across_m)
{
    const size_t dim = track->cfg->dim;
    const cairn_real *own_m = links->place_m + link * dim;
    const cairn_real on_it_m2 = LINE_NOISES2 * track->cfg->noise_m * track->cfg->noise_m;
    cairn_real state[CAIRN_LOCATE_DIM_MAX + CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)] = {0}, u[CAIRN_LOCATE_DIM_MAX];
    cairn_real *projector = state + dim;

    cairn_track_add_noise(projector, 0, dim, 1);
    for (size_t other = 0; other < links->n_links; ++other) {
        if (cairn_track_link_m2(links, track->cfg, other, track->t_us) > 0) {
            subtract(links->place_m + other * dim, own_m, dim, u);
            const cairn_real own_m2 = cairn_track_product(projector, dim, u, dim, across_m);
            cairn_track_apply(state, projector, dim, across_m, 1 / (own_m2 + on_it_m2), 0);
        }
    }
    if (cairn_track_trace(projector, dim) < LINE_SHARE) {
        return -1;
    }
    subtract(track_states_const(track), own_m, dim, u);
    return cairn_track_product(projector, dim, u, dim, across_m);
}

/* A sensor that has come near the line or plane of its anchors may leave it on either side: from then on the deviation
 * across is at least the distance from it, until other anchors are heard. So it is if the side was open before. A heading
 * that is known carries the sensor across, but does not tell on which side it was; with ranges to many anchors it will
 * soon, unless the deviation across keeps the heading from being found. */
static void keep_mirror(cairn_track_t *track, const cairn_real *across_m, cairn_real height_m2, bool open, bool many)
{
    const size_t dim = track->cfg->dim;
    const bool known = heading_known(track);
    cairn_real column[CAIRN_LOCATE_DIM_MAX];

    if (open || (!known && height_m2 * height_m2 <= CROSS_SIGMA2 * cairn_track_product(track_covariance(track), dim,
                                                                                       across_m, dim, column))) {
        track->flags |= TRACK_MIRROR;
    }
    if ((track->flags & TRACK_MIRROR) != 0 && !known && !(many && track->cfg->motion == CAIRN_TRACK_ODOMETRY)) {
        raise(track, across_m, height_m2);
    }
}

size_t cairn_track_n_fresh(const cairn_track_links_t *links, const cairn_track_cfg_t *cfg, uint32_t t_us)
{
    size_t n = 0;

    for (size_t link = 0; link < links->n_links; ++link) {
        n += cairn_track_link_m2(links, cfg, link, t_us) > 0 ? 1u : 0u;
    }
    return n;
}

/* Ranges too few for a fix disagree: the place is at least as uncertain as they say. */
static void widen(cairn_track_t *track, cairn_real difference_m)
{
    const cairn_real least_m2 = difference_m * difference_m;
    cairn_real *covariance = track_covariance(track);

    if (cairn_track_trace(covariance, track->cfg->dim) < least_m2) {
        cairn_track_add_noise(covariance, 0, track->cfg->dim, least_m2);
    }
    track_set_bad(track, 0);
    track->flags |= TRACK_MIRROR;
}

/* After a range of a placed tracker: keep open what few links, or many of one line or plane, do not tell. */
static void keep_sides(cairn_track_links_t *links, cairn_track_t *track, size_t link, bool open,
                       const cairn_track_innovation_t *innovation)
{
    const size_t dim = track->cfg->dim, n_fresh = cairn_track_n_fresh(links, track->cfg, track->t_us);
    cairn_real u[CAIRN_LOCATE_DIM_MAX];

    if (n_fresh <= dim) {
        if (track_bad(track) >= TRACK_DOUBT) {
            widen(track, innovation->difference_m);
        }
        if (dim > 1u && !heading_known(track)) {
            subtract(track_states(track), links->place_m + link * dim, dim, u);
            keep_circle(track, u, innovation);
        }
    }
    const int8_t side = track->cfg->side;
    const cairn_real above_m = track_states(track)[dim - 1u] - links->place_m[link * dim + dim - 1u];
    if (n_fresh < dim || above_m * (cairn_real)side > 0) {
        return; /* where the caller says it is */
    }
    open = open || side != 0;
    if (open || n_fresh != links->n_spread || links->n_ranges % SPREAD_LOOK == 0) {
        const cairn_real height_m2 = find_across(links, track, link, u);
        links->n_spread = 0;
        if (height_m2 < 0) {
            links->n_spread = (uint8_t)n_fresh;
        } else {
            keep_mirror(track, u, height_m2, open, n_fresh > dim);
        }
    }
}

cairn_status cairn_track_links_range(cairn_track_links_t *self, cairn_track_t *track, size_t link, cairn_real range_m,
                                     cairn_real std_m, uint32_t t_us, cairn_track_innovation_t *innovation)
{
    cairn_track_innovation_t here;

    if (self == NULL || track == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (innovation == NULL) {
        innovation = &here;
    }
    /* a place found from the last ranges, the first or a better one, may lie on either side */
    const uint32_t n_found =
        track_is_placed(track) && (track->flags & TRACK_MIRROR) == 0 ? self->n_found[1] : UINT32_MAX;
    const cairn_status status = cairn_track_lock_range(self, track, link, range_m, std_m, t_us, innovation);
    if (status >= 0 && track_is_placed(track)) { /* it may have given its place up */
        keep_sides(self, track, link, self->n_found[1] != n_found, innovation);
    }
    return status;
}
