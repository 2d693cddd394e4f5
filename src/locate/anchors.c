/* SPDX-License-Identifier: MIT
 * Fix of one node from known neighbours: linear solution and mirror image.
 * Source: thesis chapter 5 (FINDMOREANCHORS); the two starts are place-family
 * section 6. */
#include "cairn/anchors.h"

#include "locate/covariance_internal.h"
#include "locate/trilaterate_internal.h"

#define RIDGE                                                                                                          \
    1e-5f /* of the trace, towards the centre of the neighbours: for exactly     \
           collinear ones */
#define SIDE_LEAST                                                                                                     \
    0.1f                 /* of the mean range: how far off a line of neighbours the two          \
          candidates start */
#define SAME_PLACE 1e-3f /* of the mean range: candidates that end nearer than this are one */

const cairn_anchors_cfg_t cairn_anchors_cfg_default = {{NULL, NULL, CAIRN_PLACE_NEWTON, 20, 0, 1}, 9, 1e-3f};

/* What is kept of the neighbours as a whole. */
typedef struct shape {
    cairn_real flatness; /* smallest over largest variance, 0 to 1 */
    cairn_real mean_range;
} shape_t;

/* The neighbours as a whole. */
typedef struct surroundings {
    cairn_real *centre; /* [dim], in the caller's work, as is the next */
    cairn_real *normal; /* [dim] of their principal line or plane */
    shape_t shape;
} surroundings_t;

static bool counts(const cairn_neighbour_t *neighbour)
{
    return neighbour->weight > 0 && neighbour->range > 0 && neighbour->side == CAIRN_SIDE_BOTH;
}

static cairn_status find_centre(surroundings_t *self, cairn_neighbour_fn neighbours, const void *context,
                                size_t n_neighbours, size_t dim)
{
    cairn_real n_counted = 0;

    for (size_t k = 0; k < dim; ++k) {
        self->centre[k] = 0;
    }
    self->shape.mean_range = 0;
    for (size_t j = 0; j < n_neighbours; ++j) {
        cairn_neighbour_t neighbour;
        neighbours(context, j, &neighbour);
        if (counts(&neighbour)) {
            n_counted += 1;
            for (size_t k = 0; k < dim; ++k) {
                self->centre[k] += (neighbour.place[k] - self->centre[k]) / n_counted;
            }
            self->shape.mean_range += (neighbour.range - self->shape.mean_range) / n_counted;
        }
    }
    return n_counted > 0 ? CAIRN_OK : CAIRN_ERR_ANCHORS;
}

/* Add one neighbour, relative to the centre, to the scatter and to the linear system. */
static void add_neighbour(const cairn_neighbour_t *neighbour, const cairn_real *centre, size_t dim, cairn_real *sums,
                          cairn_real *scatter, cairn_real *relative)
{
    /* the square of a range of deviation s deviates by 2 r s */
    const cairn_real weight = neighbour->weight / (neighbour->range * neighbour->range);

    for (size_t k = 0; k < dim; ++k) {
        relative[k] = neighbour->place[k] - centre[k];
    }
    cairn_covariance_add(scatter, relative, dim, 1);
    cairn_trilaterate_add(sums, dim, relative, neighbour->range, weight);
}

/* Axes of the neighbours, and the linear solution relative to their centre. */
static cairn_status solve_linear(surroundings_t *self, cairn_neighbour_fn neighbours, const void *context,
                                 size_t n_neighbours, size_t dim, cairn_real *work, cairn_real *solution)
{
    cairn_real *sums = work;
    cairn_real *scatter = sums + TRILATERATE_REALS(dim);
    cairn_real *variances = scatter + CAIRN_SYMMETRIC_REALS(dim);
    cairn_real *axes = variances + dim;
    cairn_real *relative = axes; /* until the axes are known */
    bool spread;                 /* not all in one point */

    for (cairn_real *element = sums; element < variances; ++element) {
        *element = 0;
    }
    for (size_t j = 0; j < n_neighbours; ++j) {
        cairn_neighbour_t neighbour;
        neighbours(context, j, &neighbour);
        if (counts(&neighbour)) {
            add_neighbour(&neighbour, self->centre, dim, sums, scatter, relative);
        }
    }
    cairn_principal_axes(scatter, dim, variances, axes);
    self->normal = axes;
    spread = variances[dim - 1u] > 0;
    self->shape.flatness = spread ? cairn_max(variances[0], 0) / variances[dim - 1u] : 0;
    if (!spread && dim == 1) { /* a single anchor on a line: at its range, on either side */
        solution[0] = self->shape.mean_range;
        return CAIRN_OK;
    }
    return spread && cairn_trilaterate_solve(sums, dim, RIDGE, solution) ? CAIRN_OK : CAIRN_ERR_GEOMETRY;
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

/* Move a place off the neighbours' line, to the side it is on, where the linear
 * solution cannot tell the height. */
static void leave_line(const surroundings_t *self, size_t dim, cairn_real *place)
{
    cairn_real height = 0;
    cairn_real wanted = SIDE_LEAST * self->shape.mean_range;

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

/* Where the two placements start: the linear solution, off the line of the neighbours, and its mirror image. */
static CAIRN_NOINLINE cairn_status find_candidates(cairn_neighbour_fn neighbours, const void *context,
                                                   size_t n_neighbours, size_t dim, cairn_real *candidates,
                                                   shape_t *shape)
{
    surroundings_t around;
    cairn_status status;

    around.centre = candidates + 2 * dim;
    status = find_centre(&around, neighbours, context, n_neighbours, dim);
    if (status == CAIRN_OK) {
        status = solve_linear(&around, neighbours, context, n_neighbours, dim, candidates + 3 * dim, candidates);
    }
    if (status == CAIRN_OK) {
        for (size_t k = 0; k < dim; ++k) {
            candidates[k] += around.centre[k];
        }
        leave_line(&around, dim, candidates);
        mirror(&around, candidates, dim, candidates + dim);
        *shape = around.shape;
    }
    return status;
}

cairn_status cairn_anchors_fix(const cairn_anchors_cfg_t *cfg, cairn_neighbour_fn neighbours, const void *context,
                               size_t n_neighbours, size_t dim, cairn_real *work, size_t work_reals, cairn_real *place,
                               cairn_anchors_result_t *result)
{
    cairn_real costs[2];
    shape_t shape = {0, 0};
    size_t better;
    bool same;
    cairn_status status = check(cfg, neighbours, dim, work, work_reals, place);

    if (status == CAIRN_OK) {
        status = find_candidates(neighbours, context, n_neighbours, dim, work, &shape);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    for (size_t c = 0; c < 2; ++c) {
        cairn_place_result_t placed;
        status = cairn_place(&cfg->place, neighbours, context, n_neighbours, work + c * dim, dim, work + 2 * dim,
                             CAIRN_PLACE_WORK_REALS(dim), &placed);
        if (status < 0) {
            return status;
        }
        costs[c] = placed.cost;
    }
    better = costs[1] < costs[0] ? 1u : 0u;
    same = cairn_distance(work, work + dim, dim) < SAME_PLACE * shape.mean_range;
    memcpy(place, work + better * dim, dim * sizeof *place);
    if (result != NULL) {
        result->cost = costs[better];
        result->mirror_cost = costs[1u - better];
    }
    return !same && (shape.flatness < cfg->collinear_ratio || costs[1u - better] - costs[better] < cfg->flip_cost)
               ? CAIRN_FLIP_POSSIBLE
               : CAIRN_OK;
}
