/* SPDX-License-Identifier: MIT
 * Lift, shared by its stages: layout of the work array, and a node's neighbours. */
#ifndef CAIRN_LIFT_INTERNAL_H
#define CAIRN_LIFT_INTERNAL_H

#include "cairn/anchors.h"
#include "cairn/lift.h"
#include "locate/network_internal.h"

#define LIFT_DIM_MAX (CAIRN_LOCATE_DIM_MAX + 1)

/* Layout of the work array: places with one coordinate more, component labels, covariances, scratch. */
static inline size_t lift_stride(const cairn_lift_t *self) { return self->network->cfg->dim + 1u; }

static inline cairn_real *lift_place(const cairn_lift_t *self, uint32_t node)
{
    return &self->work[lift_stride(self) * node].real;
}

static inline cairn_word_t *lift_labels(const cairn_lift_t *self)
{
    return self->work + lift_stride(self) * self->network->n_nodes;
}

static inline cairn_real *lift_covariance(const cairn_lift_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;

    return &self->work[(lift_stride(self) + 1u) * (size_t)self->network->n_nodes + CAIRN_SYMMETRIC_REALS(dim) * node]
                .real;
}

#define LIFT_SCRATCH_REALS 64
typedef char lift_scratch_fits[CAIRN_ANCHORS_WORK_REALS(CAIRN_LOCATE_DIM_MAX) <= LIFT_SCRATCH_REALS &&
                                       CAIRN_PLACE_WORK_REALS(LIFT_DIM_MAX) <= LIFT_SCRATCH_REALS
                                   ? 1
                                   : -1];

static inline cairn_real *lift_scratch(const cairn_lift_t *self)
{
    return lift_covariance(self, self->network->n_nodes);
}

#define LIFT_OUTSIDE UINT32_MAX /* label of nodes that the map cannot reach */

static inline bool lift_is_reached(const cairn_lift_t *self, uint32_t node)
{
    return lift_labels(self)[node].index != LIFT_OUTSIDE;
}

/* The neighbours of a node: its links without their bias, weighted at its present place, and the far point of the side. */
typedef struct lift_neighbours {
    const cairn_lift_t *lift;
    uint32_t node;
    uint32_t degree;
    size_t dim; /* coordinates in use */
} lift_neighbours_t;

size_t cairn_lift_neighbours_begin(lift_neighbours_t *self, const cairn_lift_t *lift, uint32_t node, size_t dim);
void cairn_lift_neighbour(const void *context, size_t j, cairn_neighbour_t *neighbour);

/* How far the anchors span, the box of the starts, the far point of the side. */
void cairn_lift_survey(cairn_lift_t *self);

/* Visits: of one node, returning the operations they took. */
uint32_t cairn_lift_draw(cairn_lift_t *self, uint32_t node);
uint32_t cairn_lift_raised(cairn_lift_t *self, uint32_t node);
uint32_t cairn_lift_flat(cairn_lift_t *self, uint32_t node);
uint32_t cairn_lift_cost(cairn_lift_t *self, uint32_t node);
uint32_t cairn_lift_cover(cairn_lift_t *self, uint32_t node);
uint32_t cairn_lift_judge(cairn_lift_t *self, uint32_t node);

#endif
