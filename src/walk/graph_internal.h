/* SPDX-License-Identifier: MIT
 * The bounded graph, shared by its files: slots, ages, removal. */
#ifndef CAIRN_GRAPH_INTERNAL_H
#define CAIRN_GRAPH_INTERNAL_H

#include "cairn/graph.h"

#define GRAPH_PART 64u /* links of a list that are one part of a walk */

static inline bool graph_has_rows(const cairn_graph_t *self) { return self->cfg->policy <= CAIRN_GRAPH_ROWS_SAMPLE; }

static inline bool graph_is_dense(const cairn_graph_t *self) { return self->cfg->policy == CAIRN_GRAPH_DENSE; }

/* Where a dense row begins: node i goes to the nodes above it. */
static inline size_t graph_dense_row(const cairn_graph_t *self, uint32_t i)
{
    return (size_t)i * self->memory.n_nodes - (size_t)i * (i + 1u) / 2u;
}

/* Uniform in (0, 1] from a pair of ids, in either order, and a seed: the same on every device. */
cairn_real cairn_graph_hash(const cairn_graph_t *self, uint32_t node_a, uint32_t node_b);

/* What is left of a node's count after its age. */
cairn_real cairn_graph_count(const cairn_graph_t *self, uint32_t node);

/* How much larger the weight of a link is stored than it is, because older ones have decayed. */
cairn_real cairn_graph_scale(const cairn_graph_t *self);

/* New weight of a link that is stored already. */
cairn_real cairn_graph_repeat(const cairn_graph_t *self, cairn_real stored, cairn_real weight);

/* One policy each: store a link between two known nodes. */
cairn_status cairn_graph_add_row(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight);
cairn_status cairn_graph_add_list(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight);
cairn_status cairn_graph_add_dense(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight);
/* Priority: the same with the draw in (0, 1] given; merge uses the draw that a link had. */
cairn_status cairn_graph_add_priority(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight, cairn_real draw);

/* Take links out. */
void cairn_graph_drop_row_slot(cairn_graph_t *self, uint32_t node, uint32_t slot);
void cairn_graph_drop_list(cairn_graph_t *self, uint32_t e);
void cairn_graph_restore_heap(cairn_graph_t *self);
void cairn_graph_clear_index(cairn_graph_t *self, uint32_t node);

/* Index of an id that may be new, or CAIRN_IDS_NONE when there is no room; `keep` is a node that must stay. */
uint32_t cairn_graph_admit(cairn_graph_t *self, uint32_t id, uint32_t keep);

/* Bring stored weights back by a power of two, and drop what has decayed to nothing. */
void cairn_graph_rescale(cairn_graph_t *self);

/* Count an arrival at one of its ends. */
void cairn_graph_touch(cairn_graph_t *self, uint32_t node, cairn_real weight);

/* PRIORITY: mean weighted degree of the nodes. */
static inline cairn_real graph_mean_degree(const cairn_graph_t *self)
{
    return 2 * self->total / (cairn_real)self->ids.n_ids;
}

#endif
