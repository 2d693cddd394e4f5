/* SPDX-License-Identifier: MIT
 * Locate, shared by its stages: layout of the work array, passes over nodes, a node's neighbours. */
#ifndef CAIRN_LOCATE_INTERNAL_H
#define CAIRN_LOCATE_INTERNAL_H

#include "cairn/anchors.h"
#include "cairn/locate.h"
#include "cairn/place.h"
#include "locate/network_internal.h"
#include "locate/paths_internal.h"

#define ROUNDS_OF_QUALITY 5 /* Gauss-Seidel rounds of the covariances: converged (measured) */

/* Layout of the work array, in words: three per node for path searches (distance, next, previous, side by side), the starts, the
 * sums of trilateration and the heads of the path queue. After the paths, the second n words hold the marks of discovery
 * and the sums hold the covariances. */
static inline cairn_word_t *locate_marks(const cairn_locate_t *self) { return self->work + self->network->n_nodes; }

static inline cairn_real *locate_start(const cairn_locate_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;

    return &self->work[3 * (size_t)self->network->n_nodes + dim * node].real;
}

static inline size_t locate_sum_reals(size_t dim) { return (dim + 1u) * (dim + 4u) / 2u; }

static inline cairn_real *locate_sums(const cairn_locate_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;

    return &self->work[(3 + dim) * (size_t)self->network->n_nodes + locate_sum_reals(dim) * node].real;
}

static inline cairn_word_t *locate_heads(const cairn_locate_t *self)
{
    const size_t dim = self->network->cfg->dim;

    return self->work + (3 + dim + locate_sum_reals(dim)) * (size_t)self->network->n_nodes;
}

/* Scratch of a node's visit, once the paths are done: the queue's heads are then free. */
#define LOCATE_SCRATCH_REALS CAIRN_ANCHORS_WORK_REALS(CAIRN_LOCATE_DIM_MAX)
typedef char locate_scratch_fits[LOCATE_SCRATCH_REALS <= PATHS_BUCKETS ? 1 : -1];

static inline cairn_real *locate_scratch(const cairn_locate_t *self) { return &locate_heads(self)->real; }

static inline bool locate_has_start(const cairn_locate_t *self, uint32_t node)
{
    return network_state(self->network, node) == CAIRN_NODE_STARTED;
}

/* Visit one node; returns the operations it took. */
typedef uint32_t (*locate_visit_fn)(cairn_locate_t *self, uint32_t node);

/* Go on with a pass over all nodes. Returns true when it is complete; the cursor is then back at the first node. */
bool cairn_locate_pass(cairn_locate_t *self, int32_t *operations, locate_visit_fn visit);

/* Whether settings are in range. */
cairn_status cairn_locate_check_cfg(const cairn_locate_cfg_t *cfg);

/* Enter a stage at its first phase, pass and node. */
void cairn_locate_enter(cairn_locate_t *self, cairn_locate_stage stage);

/* The neighbours of a node as PLACE sees them: its links, weighted at its present place, and its start, if any. */
typedef struct locate_neighbours {
    const cairn_locate_t *locate;
    uint32_t node;
    uint32_t degree;
    bool marked_only; /* discovery: links to marked nodes only */
} locate_neighbours_t;

size_t cairn_locate_neighbours_begin(locate_neighbours_t *self, const cairn_locate_t *locate, uint32_t node);
void cairn_locate_neighbour(const void *context, size_t j, cairn_neighbour_t *neighbour);

/* The stages: each does work until the budget is spent or its stage ends. */
void cairn_locate_judge(cairn_locate_t *self, int32_t *operations);
void cairn_locate_paths(cairn_locate_t *self, int32_t *operations);
void cairn_locate_discover(cairn_locate_t *self, int32_t *operations);
void cairn_locate_sweep(cairn_locate_t *self, int32_t *operations);
#define LOCATE_QUALITY_STATE 2u /* phase of it in which the covariances are complete */
void cairn_locate_quality(cairn_locate_t *self, int32_t *operations);

#endif
