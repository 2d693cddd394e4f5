/* SPDX-License-Identifier: MIT
 * Tracking: a place from the last ranges alone, for start and re-lock. Several starts (linear solution, centre, points
 * round it) are polished by Gauss-Newton, with Cauchy weights at the end; the lowest Cauchy cost wins. */
#include "locate/track_internal.h"

#define PLAIN_ROUNDS 3
#define ROUNDS       8
#define RING         6 /* starts on a circle of the mean range round the anchors' centre, in 3-D above and below */
#define CAUCHY       0.25f
#define AGREE2       9
#define MIRROR_COST  1 /* a rival whose cost is within this may be the truth */
#define RIVAL_SIGMA2 9
#define DAMPING      1e-3f
#define LN_2         0.69314718f

void cairn_track_view(track_view_t *view, const cairn_track_links_t *links, const cairn_track_t *track, uint32_t t_us)
{
    cairn_real std = 0;

    view->links = links;
    view->cfg = track->cfg;
    view->scale = 1 + cairn_track_get_scale(track, &std);
    view->var_scale = std * std;
    view->bias_m = cairn_track_get_bias(track, &std);
    view->var_bias_m2 = std * std;
    view->t_us = t_us;
}

bool cairn_track_view_range(const track_view_t *view, size_t link, cairn_real *range_m, cairn_real *var_m2)
{
    const cairn_track_cfg_t *cfg = view->cfg;
    const cairn_track_link_t *last = &view->links->link[link];
    const uint32_t age_us = view->t_us - last->t_us;
    const cairn_real age_s = (cairn_real)(age_us <= UINT32_C(0x7FFFFFFF) ? age_us : 0u - age_us) * 1e-6f;
    cairn_real bias_m = view->bias_m;
    cairn_real var = cfg->noise_m * cfg->noise_m + view->var_bias_m2;

    if (!(last->range_m > 0) || age_s > cfg->fresh_s) {
        return false;
    }
    if (view->links->bias != NULL) {
        bias_m += view->links->bias[link].bias_m;
        var += view->links->bias[link].var_m2;
    }
    const cairn_real range = cairn_max((last->range_m - bias_m) / view->scale, 0);
    const cairn_real moved_m = cfg->speed_typical * age_s;
    *range_m = range;
    *var_m2 = var + moved_m * moved_m + (view->var_scale + cfg->noise_rel * cfg->noise_rel) * range * range;
    return true;
}

size_t cairn_track_view_fresh(const track_view_t *view)
{
    size_t n_fresh = 0;
    cairn_real range_m, var_m2;

    for (size_t link = 0; link < view->links->n_links; ++link) {
        n_fresh += cairn_track_view_range(view, link, &range_m, &var_m2) ? 1u : 0u;
    }
    return n_fresh;
}

/* Natural logarithm of x >= 1 to about 1e-5, the same on all targets: power of two, then the series of atanh. */
static cairn_real logarithm(cairn_real x)
{
    cairn_real sum = 0;

    for (int i = 0; i < 128 && x >= 2; ++i) {
        x *= 0.5f;
        sum += LN_2;
    }
    const cairn_real z = (x - 1) / (x + 1), z2 = z * z;
    return sum + 2 * z * (1 + z2 * (1.0f / 3 + z2 * (0.2f + z2 * (1.0f / 7))));
}

static const cairn_real *anchor(const track_view_t *view, size_t link)
{
    return view->links->place_m + link * view->cfg->dim;
}

cairn_real cairn_track_view_cost(const track_view_t *view, const cairn_real *place_m)
{
    cairn_real cost = 0;
    cairn_real range_m, var_m2;

    for (size_t link = 0; link < view->links->n_links; ++link) {
        if (cairn_track_view_range(view, link, &range_m, &var_m2)) {
            const cairn_real error_m = cairn_distance(place_m, anchor(view, link), view->cfg->dim) - range_m;
            cost += logarithm(1 + CAUCHY * error_m * error_m / var_m2);
        }
    }
    return cost;
}

size_t cairn_track_view_agree(const track_view_t *view, const cairn_real *place_m, cairn_real extra_m2)
{
    size_t n_agree = 0;
    cairn_real range_m, var_m2;

    for (size_t link = 0; link < view->links->n_links; ++link) {
        if (cairn_track_view_range(view, link, &range_m, &var_m2)) {
            const cairn_real error_m = cairn_distance(place_m, anchor(view, link), view->cfg->dim) - range_m;
            n_agree += error_m * error_m < AGREE2 * (var_m2 + extra_m2) ? 1u : 0u;
        }
    }
    return n_agree;
}

/* Normal equations of the fresh links at a place: information packed, right side. */
static void collect(const track_view_t *view, const cairn_real *place_m, bool robust, cairn_real *information,
                    cairn_real *right)
{
    const size_t dim = view->cfg->dim;
    cairn_real range_m, var_m2, u[CAIRN_LOCATE_DIM_MAX];

    memset(information, 0, CAIRN_SYMMETRIC_REALS(dim) * sizeof *information);
    memset(right, 0, dim * sizeof *right);
    for (size_t link = 0; link < view->links->n_links; ++link) {
        if (!cairn_track_view_range(view, link, &range_m, &var_m2)) {
            continue;
        }
        const cairn_real *other = anchor(view, link);
        const cairn_real distance_m = cairn_distance(place_m, other, dim);
        const cairn_real inverse = 1 / cairn_max(distance_m, 1e-3f);
        const cairn_real error_m = range_m - distance_m;
        const cairn_real weight = 1 / (robust ? var_m2 + CAUCHY * error_m * error_m : var_m2);
        cairn_real *row = information;
        for (size_t i = 0; i < dim; ++i) {
            u[i] = (place_m[i] - other[i]) * inverse;
            right[i] += weight * error_m * u[i];
            for (size_t j = 0; j <= i; ++j) {
                row[j] += weight * u[i] * u[j];
            }
            row += i + 1u;
        }
    }
}

/* What all starts share. */
typedef struct layout {
    cairn_real centre_m[CAIRN_LOCATE_DIM_MAX]; /* of the fresh anchors */
    cairn_real reach_m;                        /* mean range */
    size_t n_fresh;
} layout_t;

static void survey(const track_view_t *view, layout_t *layout)
{
    cairn_real range_m, var_m2;

    memset(layout, 0, sizeof *layout);
    for (size_t link = 0; link < view->links->n_links; ++link) {
        if (cairn_track_view_range(view, link, &range_m, &var_m2)) {
            const cairn_real share = 1 / (cairn_real)++layout->n_fresh;
            layout->reach_m += (range_m - layout->reach_m) * share;
            for (size_t i = 0; i < view->cfg->dim; ++i) {
                layout->centre_m[i] += (anchor(view, link)[i] - layout->centre_m[i]) * share;
            }
        }
    }
    layout->reach_m = cairn_max(layout->reach_m, view->cfg->noise_m);
}

/* Add a little to the diagonal: the share of its trace, and a prior as wide as the ranges. */
static void damp(cairn_real *information, size_t dim, cairn_real share, cairn_real prior)
{
    cairn_real trace = 0;

    for (size_t i = 0; i < dim; ++i) {
        trace += information[track_row(i) + i];
    }
    for (size_t i = 0; i < dim; ++i) {
        information[track_row(i) + i] += share * trace + prior;
    }
}

/* Difference of squared ranges is linear in the place (Smith and Abel 1987). */
static void start_linear(const track_view_t *view, const layout_t *layout, cairn_real *place_m)
{
    const size_t dim = view->cfg->dim;
    cairn_real range_m, var_m2, a[CAIRN_LOCATE_DIM_MAX];
    cairn_real matrix[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)] = {0};

    memset(place_m, 0, dim * sizeof *place_m);
    for (size_t link = 0; link < view->links->n_links; ++link) {
        if (!cairn_track_view_range(view, link, &range_m, &var_m2)) {
            continue;
        }
        cairn_real *row = matrix;
        cairn_real value = -range_m * range_m;
        for (size_t i = 0; i < dim; ++i) {
            a[i] = anchor(view, link)[i] - layout->centre_m[i];
            value += a[i] * a[i];
        }
        for (size_t i = 0; i < dim; row += ++i) {
            place_m[i] += 0.5f * value * a[i];
            for (size_t j = 0; j <= i; ++j) {
                row[j] += a[i] * a[j];
            }
        }
    }
    damp(matrix, dim, 1e-6f, 0);
    const bool solved = cairn_symmetric_solve(matrix, place_m, dim);
    for (size_t i = 0; i < dim; ++i) {
        place_m[i] = layout->centre_m[i] + (solved ? place_m[i] : 0);
    }
}

/* The start of a number: 0 linear, 1 the centre, then the ring. */
static void start_place(const track_view_t *view, const layout_t *layout, size_t number, cairn_real *place_m)
{
    static const cairn_real ring[RING][2] = {{1, 0},  {0.5f, 0.8660254f},   {-0.5f, 0.8660254f},
                                             {-1, 0}, {-0.5f, -0.8660254f}, {0.5f, -0.8660254f}};
    const size_t dim = view->cfg->dim;

    if (number == 0) {
        start_linear(view, layout, place_m);
        return;
    }
    for (size_t i = 0; i < dim; ++i) {
        cairn_real offset = 0;
        if (number > 1u && dim == 1u) {
            offset = number == 2u ? 1.0f : -1.0f;
        } else if (number > 1u && i < 2u) {
            offset = ring[(number - 2u) % RING][i];
        } else if (number > 1u) {
            offset = number - 2u < RING ? 0.5f : -0.5f;
        }
        place_m[i] = layout->centre_m[i] + offset * layout->reach_m;
    }
}

static size_t n_starts(size_t dim) { return dim == 1u ? 4u : dim == 2u ? 2u + RING : 2u + 2u * RING; }

/* Polish a start; false when it ran away. */
static CAIRN_NOINLINE bool polish(const track_view_t *view, const layout_t *layout, cairn_real *place_m)
{
    const size_t dim = view->cfg->dim;
    const cairn_real limit_m = 100 * layout->reach_m;
    cairn_real information[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)], step_m[CAIRN_LOCATE_DIM_MAX];

    for (int round = 0; round < ROUNDS; ++round) {
        collect(view, place_m, round >= PLAIN_ROUNDS, information, step_m);
        damp(information, dim, DAMPING, 0);
        if (!cairn_symmetric_solve(information, step_m, dim)) {
            return false;
        }
        for (size_t i = 0; i < dim; ++i) {
            place_m[i] += step_m[i];
            if (!(cairn_abs(place_m[i] - layout->centre_m[i]) < limit_m)) {
                return false;
            }
        }
    }
    return true;
}

/* 2 x the inverse of the information, and the noise of a range on top. */
static bool spread(const track_view_t *view, const layout_t *layout, track_fix_t *fix)
{
    const size_t dim = view->cfg->dim;
    const cairn_real noise_m2 = view->cfg->noise_m * view->cfg->noise_m;
    cairn_real information[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)], column[CAIRN_LOCATE_DIM_MAX];

    for (size_t i = 0; i < dim; ++i) {
        collect(view, fix->place_m, true, information, column);
        damp(information, dim, 0, 1 / (layout->reach_m * layout->reach_m));
        memset(column, 0, sizeof column);
        column[i] = 1;
        if (!cairn_symmetric_solve(information, column, dim)) {
            return false;
        }
        for (size_t j = 0; j <= i; ++j) {
            fix->cov_m2[track_row(i) + j] = 2 * column[j] + (i == j ? noise_m2 : 0);
        }
    }
    return true;
}

/* Whether two places are more than 3 deviations of the first apart. */
static bool apart(const track_view_t *view, const cairn_real *cov_m2, const cairn_real *a, const cairn_real *b)
{
    const cairn_real distance_m = cairn_distance(a, b, view->cfg->dim);
    cairn_real trace_m2 = 0;

    for (size_t i = 0; i < view->cfg->dim; ++i) {
        trace_m2 += cov_m2[track_row(i) + i];
    }
    return distance_m * distance_m > RIVAL_SIGMA2 * trace_m2;
}

/* Whether a place is on the side that the caller has named. */
static bool on_side(const track_view_t *view, const layout_t *layout, const cairn_real *place_m)
{
    return view->cfg->side == 0 || view->cfg->dim < 3u ||
           (place_m[view->cfg->dim - 1u] - layout->centre_m[view->cfg->dim - 1u]) * (cairn_real)view->cfg->side > 0;
}

bool cairn_track_fix(const track_view_t *view, track_fix_t *fix)
{
    layout_t layout;
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];

    survey(view, &layout);
    fix->cost = CAIRN_REAL_MAX;
    if (layout.n_fresh < view->cfg->dim + 1u) {
        return false;
    }
    for (size_t number = 0; number < n_starts(view->cfg->dim); ++number) {
        start_place(view, &layout, number, place_m);
        if (polish(view, &layout, place_m) && on_side(view, &layout, place_m)) {
            const cairn_real cost = cairn_track_view_cost(view, place_m);
            if (cost < fix->cost) {
                fix->cost = cost;
                memcpy(fix->place_m, place_m, sizeof place_m);
            }
        }
    }
    if (!(fix->cost < CAIRN_REAL_MAX) || !spread(view, &layout, fix)) {
        return false;
    }
    /* a second look for rivals, now that it is known what counts as another place */
    fix->mirror = false;
    for (size_t number = 0; number < n_starts(view->cfg->dim) && !fix->mirror; ++number) {
        start_place(view, &layout, number, place_m);
        fix->mirror = polish(view, &layout, place_m) && on_side(view, &layout, place_m) &&
                      cairn_track_view_cost(view, place_m) < fix->cost + MIRROR_COST &&
                      apart(view, fix->cov_m2, fix->place_m, place_m);
    }
    return true;
}
