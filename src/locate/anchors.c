/* SPDX-License-Identifier: MIT
 * Fix of one node from known neighbours: linear solution and mirror image. Source: thesis chapter 5 (FINDMOREANCHORS);
 * the two starts are place-family section 6. */
#include "cairn/anchors.h"

#include "locate/trilaterate_internal.h"

#define RIDGE 1e-5f          /* of the trace, towards the centre of the neighbours: for exactly collinear ones */
#define SIDE_LEAST 0.1f      /* of the mean range: how far off a line of neighbours the two candidates start */
#define SAME_PLACE 1e-3f     /* of the mean range: candidates that end nearer than this are one */

const cairn_anchors_cfg_t cairn_anchors_cfg_default = {{NULL, NULL, CAIRN_PLACE_NEWTON, 20, 0, 1}, 9, 0.02f};

/* The neighbours as a whole. */
typedef struct surroundings {
    cairn_real centre[TRILATERATE_DIM_MAX];
    cairn_real normal[TRILATERATE_DIM_MAX]; /* of their principal line or plane */
    cairn_real flatness;                    /* smallest over largest variance, 0 to 1 */
    cairn_real mean_range;
    bool spread;                            /* not all in one point */
} surroundings_t;

static bool counts(const cairn_neighbour_t *neighbour)
{
    return neighbour->weight > 0 && neighbour->range > 0 && neighbour->side == CAIRN_SIDE_BOTH;
}

static cairn_status find_centre(surroundings_t *self, cairn_neighbour_fn neighbours, const void *context,
                                size_t n_neighbours, size_t dim)
{
    cairn_real n_counted = 0;

    memset(self, 0, sizeof *self);
    for (size_t j = 0; j < n_neighbours; ++j) {
        cairn_neighbour_t neighbour;
        neighbours(context, j, &neighbour);
        if (counts(&neighbour)) {
            n_counted += 1;
            for (size_t k = 0; k < dim; ++k) {
                self->centre[k] += (neighbour.place[k] - self->centre[k]) / n_counted;
            }
            self->mean_range += (neighbour.range - self->mean_range) / n_counted;
        }
    }
    return n_counted > 0 ? CAIRN_OK : CAIRN_ERR_ANCHORS;
}

/* Axes of the neighbours, and the linear solution relative to their centre. */
static cairn_status solve_linear(surroundings_t *self, cairn_neighbour_fn neighbours, const void *context,
                                 size_t n_neighbours, size_t dim, cairn_real *solution)
{
    cairn_real sums[TRILATERATE_REALS(TRILATERATE_DIM_MAX)] = {0};
    cairn_real scatter[CAIRN_SYMMETRIC_REALS(TRILATERATE_DIM_MAX)] = {0};
    cairn_real variances[TRILATERATE_DIM_MAX];
    cairn_real axes[TRILATERATE_DIM_MAX * TRILATERATE_DIM_MAX];

    for (size_t j = 0; j < n_neighbours; ++j) {
        cairn_neighbour_t neighbour;
        cairn_real relative[TRILATERATE_DIM_MAX];
        neighbours(context, j, &neighbour);
        if (counts(&neighbour)) {
            /* the square of a range of deviation s deviates by 2 r s */
            const cairn_real weight = neighbour.weight / (neighbour.range * neighbour.range);
            size_t element = 0;
            for (size_t k = 0; k < dim; ++k) {
                relative[k] = neighbour.place[k] - self->centre[k];
                for (size_t l = 0; l <= k; ++l) {
                    scatter[element++] += relative[k] * relative[l];
                }
            }
            trilaterate_add(sums, dim, relative, neighbour.range, weight);
        }
    }
    principal_axes(scatter, dim, variances, axes);
    memcpy(self->normal, axes, dim * sizeof *axes);
    self->spread = variances[dim - 1u] > 0;
    self->flatness = self->spread ? cairn_max(variances[0], 0) / variances[dim - 1u] : 0;
    if (!self->spread || !trilaterate_solve(sums, dim, RIDGE, solution)) {
        return CAIRN_ERR_GEOMETRY;
    }
    return CAIRN_OK;
}

/* Reflect a place in the neighbours' line or plane. */
static void mirror(const surroundings_t *self, const cairn_real *place, size_t dim, cairn_real *image)
{
    cairn_real height = 0;

    for (size_t k = 0; k < dim; ++k) {
        height += (place[k] - self->centre[k]) * self->normal[k];
    }
    for (size_t k = 0; k < dim; ++k) {
        image[k] = place[k] - 2 * height * self->normal[k];
    }
}

/* Move a place off the neighbours' line, to the side it is on, where the linear solution cannot tell the height. */
static void leave_line(const surroundings_t *self, size_t dim, cairn_real *place)
{
    cairn_real height = 0;
    cairn_real wanted = SIDE_LEAST * self->mean_range;

    for (size_t k = 0; k < dim; ++k) {
        height += (place[k] - self->centre[k]) * self->normal[k];
    }
    if (cairn_abs(height) < wanted) {
        wanted = height < 0 ? -wanted : wanted;
        for (size_t k = 0; k < dim; ++k) {
            place[k] += (wanted - height) * self->normal[k];
        }
    }
}

static cairn_status check(const cairn_anchors_cfg_t *cfg, cairn_neighbour_fn neighbours, size_t dim,
                          const cairn_real *work, size_t work_reals, const cairn_real *place)
{
    if (cfg == NULL || neighbours == NULL || work == NULL || place == NULL || dim < 1 || dim > TRILATERATE_DIM_MAX ||
        (cfg->place.space != NULL && cfg->place.space != &cairn_space_euclidean)) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_aligned(work, sizeof *work) || !cairn_aligned(place, sizeof *place)) {
        return CAIRN_ERR_ALIGN;
    }
    if (work_reals < CAIRN_ANCHORS_WORK_REALS(dim)) {
        return CAIRN_ERR_SIZE;
    }
    if (!cairn_isfinite(cfg->flip_cost) || !cairn_isfinite(cfg->collinear_ratio)) {
        return CAIRN_ERR_NONFINITE;
    }
    return cfg->flip_cost >= 0 && cfg->collinear_ratio >= 0 && cfg->collinear_ratio <= 1 ? CAIRN_OK : CAIRN_ERR_ARG;
}

cairn_status cairn_anchors_fix(const cairn_anchors_cfg_t *cfg, cairn_neighbour_fn neighbours, const void *context,
                               size_t n_neighbours, size_t dim, cairn_real *work, size_t work_reals, cairn_real *place,
                               cairn_anchors_result_t *result)
{
    surroundings_t around;
    cairn_place_result_t placed[2] = {{0, 0, 0}, {0, 0, 0}};
    cairn_real *candidate[2];
    cairn_real *scratch;
    cairn_status status = check(cfg, neighbours, dim, work, work_reals, place);
    size_t better;
    bool same;

    if (status == CAIRN_OK) {
        status = find_centre(&around, neighbours, context, n_neighbours, dim);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    candidate[0] = work;
    candidate[1] = work + dim;
    scratch = work + 2 * dim;
    status = solve_linear(&around, neighbours, context, n_neighbours, dim, candidate[0]);
    if (status != CAIRN_OK) {
        return status;
    }
    for (size_t k = 0; k < dim; ++k) {
        candidate[0][k] += around.centre[k];
    }
    leave_line(&around, dim, candidate[0]);
    for (size_t c = 0; c < 2; ++c) {
        if (c == 1) {
            mirror(&around, candidate[0], dim, candidate[1]);
        }
        status = cairn_place(&cfg->place, neighbours, context, n_neighbours, candidate[c], dim, scratch,
                             CAIRN_PLACE_WORK_REALS(dim), &placed[c]);
        if (status < 0) {
            return status;
        }
    }
    better = placed[1].cost < placed[0].cost ? 1 : 0;
    same = cairn_distance(candidate[0], candidate[1], dim) < SAME_PLACE * around.mean_range;
    memcpy(place, candidate[better], dim * sizeof *place);
    if (result != NULL) {
        result->cost = placed[better].cost;
        result->mirror_cost = placed[1 - better].cost;
    }
    if (around.flatness < cfg->collinear_ratio && !same) {
        return CAIRN_FLIP_POSSIBLE;
    }
    return !same && placed[1 - better].cost - placed[better].cost < cfg->flip_cost ? CAIRN_FLIP_POSSIBLE : CAIRN_OK;
}
