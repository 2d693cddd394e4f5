/* SPDX-License-Identifier: MIT
 * Anchor discovery (thesis chapter 5, FINDMOREANCHORS): a node that hears dim +
 * 2 known nodes or more, and fits them in one place only, becomes known itself;
 * those that hear most go first. */
#include "cairn/anchors.h"
#include "locate/locate_internal.h"

#define COST_MOST                                                                                                      \
    3.0f /* per range beyond the first dim: a worse fit is not trusted           \
          (chi-square, one in a thousand) */

static uint32_t mark_visit(cairn_locate_t *self, uint32_t node)
{
    locate_marks(self)[node].index = network_is_anchor(self->network, node) ? 1 : 0;
    return 1;
}

static uint32_t count_heard(const cairn_locate_t *self, uint32_t node)
{
    const uint32_t degree = network_degree(self->network, node);
    uint32_t n_heard = 0;

    for (uint32_t j = 0; j < degree; ++j) {
        n_heard += locate_marks(self)[cairn_link_node(network_link(self->network, node, j))].index;
    }
    return n_heard;
}

/* Find the largest number of anchors that any sensor hears. */
static uint32_t level_visit(cairn_locate_t *self, uint32_t node)
{
    if (!network_is_anchor(self->network, node)) {
        const uint32_t n_heard = count_heard(self, node);
        self->source = n_heard > self->source ? n_heard : self->source;
    }
    return network_degree(self->network, node) + 1u;
}

static uint32_t discover_visit(cairn_locate_t *self, uint32_t node)
{
    cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    const uint32_t degree = network_degree(network, node);
    cairn_anchors_result_t result;
    locate_neighbours_t context;
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
    uint32_t n_heard;

    if (locate_marks(self)[node].index != 0) {
        return 1;
    }
    n_heard = count_heard(self, node);
    if (n_heard < self->source) {
        return degree + 1u;
    }
    (void)cairn_locate_neighbours_begin(&context, self, node);
    context.marked_only = true;
    if (cairn_anchors_fix(&self->fix, cairn_locate_neighbour, &context, degree, dim, locate_scratch(self),
                          LOCATE_SCRATCH_REALS, place_m, &result) == CAIRN_OK &&
        result.cost <= COST_MOST * (cairn_real)(n_heard - dim)) {
        memcpy(network_place(network, node), place_m, dim * sizeof place_m[0]);
        locate_marks(self)[node].index = 1;
        ++self->n_changed;
        if (!locate_has_start(self, node)) {
            network->memory.flags[node] = CAIRN_NODE_PLACED;
        }
    }
    return 24u * degree + 1u; /* about as many looks as two short placements take */
}

void cairn_locate_discover(cairn_locate_t *self, int32_t *operations)
{
    enum { MARK, LEVEL, DISCOVER };
    const uint32_t least = self->network->cfg->dim + 2u;

    switch (self->phase) {
    case MARK:
        if (cairn_locate_pass(self, operations, mark_visit)) {
            self->source = least;
            self->phase = self->cfg->discovery_max > 0 ? LEVEL : MARK;
            if (self->phase == MARK) {
                cairn_locate_enter(self, CAIRN_LOCATE_SWEEP);
            }
        }
        break;
    case LEVEL: self->phase = cairn_locate_pass(self, operations, level_visit) ? DISCOVER : LEVEL; break;
    default:
        if (cairn_locate_pass(self, operations, discover_visit)) {
            const bool exhausted = self->source <= least && self->n_changed == 0;
            self->source = self->source / 2u > least ? self->source / 2u : least;
            self->n_changed = 0;
            if (++self->pass >= self->cfg->discovery_max || exhausted) {
                cairn_locate_enter(self, CAIRN_LOCATE_SWEEP);
            }
        }
        break;
    }
}
