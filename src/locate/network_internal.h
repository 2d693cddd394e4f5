/* SPDX-License-Identifier: MIT
 * Direct access to a network's arrays for the solvers of this folder, and the layout of the links.
 *
 * Open: range number k is the pair of links 2k = {b, range}, 2k+1 = {a, unused}.
 * Sealed, with R distinct pairs: links [0, R) are the upper rows (node i's links to nodes above i), links [R, 2R) the
 * lower rows (to nodes below i); `rows` holds the starts of the upper rows, then those of the lower rows. A node's
 * neighbours in ascending order are its lower row, then its upper row. */
#ifndef CAIRN_NETWORK_INTERNAL_H
#define CAIRN_NETWORK_INTERNAL_H

#include "cairn/network.h"

#define LINK_NODE_MASK 0xFFFFFFu
#define LINK_STD_SHIFT 24

/* Code of a deviation > 0, 1 to 255, for bits 24-31 of a link. */
uint32_t cairn_network_encode_std(cairn_real std_m);

static inline const uint32_t *upper_rows(const cairn_network_t *self) { return self->memory.rows; }

static inline const uint32_t *lower_rows(const cairn_network_t *self) { return self->memory.rows + self->n_nodes + 1u; }

static inline const cairn_link_t *upper_links(const cairn_network_t *self) { return self->memory.links; }

static inline const cairn_link_t *lower_links(const cairn_network_t *self)
{
    return self->memory.links + self->n_ranges;
}

static inline uint32_t network_degree(const cairn_network_t *self, uint32_t node)
{
    const uint32_t *upper = upper_rows(self) + node;
    const uint32_t *lower = lower_rows(self) + node;

    return upper[1] - upper[0] + lower[1] - lower[0];
}

static inline const cairn_link_t *network_link(const cairn_network_t *self, uint32_t node, uint32_t j)
{
    const uint32_t *lower = lower_rows(self) + node;
    const uint32_t n_lower = lower[1] - lower[0];

    return j < n_lower ? lower_links(self) + lower[0] + j : upper_links(self) + upper_rows(self)[node] + (j - n_lower);
}

static inline cairn_real *network_place(const cairn_network_t *self, uint32_t node)
{
    return self->memory.place_m + (size_t)node * self->cfg->dim;
}

static inline cairn_node_state network_state(const cairn_network_t *self, uint32_t node)
{
    return (cairn_node_state)self->memory.flags[node];
}

static inline bool network_is_anchor(const cairn_network_t *self, uint32_t node)
{
    return self->memory.flags[node] == CAIRN_NODE_ANCHOR;
}

/* Operations of a slice, as the jobs count them down: a slice does some work, and what it overdraws is not overflow. */
static inline int32_t network_budget(uint32_t operations)
{
    return operations == 0 ? 1 : operations < INT32_MAX ? (int32_t)operations : INT32_MAX;
}

/* A new state for a node; a start that is used up no longer counts. */
static inline void network_set_state(cairn_network_t *self, uint32_t node, cairn_node_state state)
{
    self->n_starts -= network_state(self, node) == CAIRN_NODE_STARTED ? 1u : 0u;
    self->memory.flags[node] = (uint8_t)state;
}

static inline bool network_is_known(const cairn_network_t *self, uint32_t node)
{
    return self->memory.flags[node] != CAIRN_NODE_UNPLACED;
}

#endif
