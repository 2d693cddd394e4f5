/* SPDX-License-Identifier: MIT
 * Whether starts tell a map from its mirror image. On dim anchors or fewer a map fits its ranges as well mirrored in the
 * plane (2-D: line) through them; with fewer, through them and along what is started. Starts at heights g over that plane
 * of nodes at heights h cost (h + g)^2 - (h - g)^2 = 4 h g variances / 2 more when the map is mirrored. */
#include "locate/coldstart_internal.h"

#include "locate/covariance_internal.h"
#include "locate/trilaterate_internal.h"

#define ANCHORED 1e4f /* weight of an anchor beside all started nodes: the plane goes through it */

/* Passes, in outer. */
enum { SIDE_CENTRE, SIDE_SCATTER, SIDE_HEIGHTS };

/* In the words of a set: centre, sum of what has been added to it, normal, scatter. */
static cairn_real *centre_m(const cairn_coldstart_t *self) { return coldstart_saved_m(self); }

static cairn_real *normal(const cairn_coldstart_t *self) { return coldstart_saved_m(self) + CAIRN_LOCATE_DIM_MAX; }

static cairn_real *scatter(const cairn_coldstart_t *self) { return coldstart_saved_m(self) + 2 * CAIRN_LOCATE_DIM_MAX; }

/* Nodes that decide, and whose place is told by a start. */
static bool is_started(const cairn_coldstart_t *self, uint32_t node)
{
    return coldstart_has_prior(self, node) && !cairn_coldstart_is_weak(self, node);
}

/* Of the anchors, or, where there are none, of what is started. */
static void centre_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        if (self->network->n_anchors > 0 ? network_is_anchor(self->network, i) : is_started(self, i)) {
            ++self->n_changed;
            for (size_t k = 0; k < coldstart_dim(self); ++k) {
                centre_m(self)[k] +=
                    (network_place(self->network, i)[k] - centre_m(self)[k]) / (cairn_real)self->n_changed;
            }
        }
    }
}

static void scatter_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const cairn_real share = 1 / (cairn_real)self->network->n_nodes;

    for (uint32_t i = begin; i < end; ++i) {
        const bool anchored = network_is_anchor(self->network, i);
        cairn_real away_m[CAIRN_LOCATE_DIM_MAX] = {0};
        for (size_t k = 0; k < coldstart_dim(self); ++k) {
            away_m[k] = network_place(self->network, i)[k] - centre_m(self)[k];
        }
        if (anchored || is_started(self, i)) {
            cairn_covariance_add(scatter(self), away_m, coldstart_dim(self), anchored ? ANCHORED : share);
        }
    }
}

static void heights_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real centre = cairn_dot(centre_m(self), normal(self), dim);

    for (uint32_t i = begin; i < end; ++i) {
        if (is_started(self, i)) {
            const cairn_real height_m = cairn_dot(network_place(self->network, i), normal(self), dim) - centre;
            const cairn_real start_m = cairn_dot(locate_start(&self->locate, i), normal(self), dim) - centre;
            coldstart_add(&self->total, height_m * start_m);
        }
    }
}

/* The plane is known: its normal is the axis of least variance. */
static CAIRN_NOINLINE void find_normal(cairn_coldstart_t *self)
{
    cairn_real variances[CAIRN_LOCATE_DIM_MAX];
    cairn_real axes[CAIRN_LOCATE_DIM_MAX * CAIRN_LOCATE_DIM_MAX];

    cairn_principal_axes(scatter(self), coldstart_dim(self), variances, axes);
    memcpy(normal(self), axes, coldstart_dim(self) * sizeof *axes);
}

void cairn_coldstart_side_begin(cairn_coldstart_t *self)
{
    memset(coldstart_saved_m(self), 0,
           (2 * CAIRN_LOCATE_DIM_MAX + CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)) * sizeof(cairn_real));
    self->total = coldstart_zero();
    self->n_changed = 0;
    self->alpha = CAIRN_REAL_MAX;
    self->outer = self->has_starts && !self->sided && self->network->n_anchors <= coldstart_dim(self)
                      ? SIDE_CENTRE
                      : SIDE_HEIGHTS + 1;
}

bool cairn_coldstart_side(cairn_coldstart_t *self, int32_t *operations)
{
    static const coldstart_run_fn runs[] = {centre_run, scatter_run, heights_run};

    if (self->outer <= SIDE_HEIGHTS && cairn_coldstart_pass(self, operations, 1, runs[self->outer])) {
        if (self->outer == SIDE_SCATTER) {
            find_normal(self);
        } else if (self->outer == SIDE_HEIGHTS) {
            self->alpha = 2 * self->prior_weight * self->total.sum;
        }
        ++self->outer;
    }
    return self->outer > SIDE_HEIGHTS;
}
