/* SPDX-License-Identifier: MIT
 * Cleaning before the solver: a node that is far from more than a third of its neighbours is taken to the mean of the
 * others; one such node in a wrong corner would ruin the conjugate gradients for all. Nodes that the paths left without
 * a place take the mean of their neighbours with one; the last rounds are for those alone, until no node with a place
 * has a neighbour without: the solver would pull at it as if it were at the origin. */
#include "locate/coldstart_internal.h"

#define FAR_RANGES        2.0f /* radio ranges */
#define FAR_INVERSE_SHARE 3u   /* of the neighbours */

static cairn_word_t *marks(const cairn_coldstart_t *self) { return coldstart_words(self, 0); }

static uint32_t count_far(const cairn_coldstart_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const uint32_t degree = network_degree(network, node);
    uint32_t n_far = 0;

    for (uint32_t j = 0; j < degree; ++j) {
        const uint32_t other = cairn_link_node(network_link(network, node, j));
        const cairn_real distance_m =
            cairn_distance(network_place(network, node), network_place(network, other), coldstart_dim(self));
        n_far += network_is_known(network, other) && distance_m > FAR_RANGES * self->radio_range_m ? 1u : 0u;
    }
    return n_far;
}

static void mark_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const cairn_network_t *network = self->network;

    for (uint32_t i = begin; i < end; ++i) {
        const bool far = self->round < COLDSTART_CLEANINGS && coldstart_is_free(self, i) &&
                         FAR_INVERSE_SHARE * count_far(self, i) > network_degree(network, i);
        marks(self)[i].index = far || !network_is_known(network, i) ? 1 : 0;
    }
}

/* The mean after its n-th place. */
static void move_mean(cairn_real *mean_m, const cairn_real *place_m, size_t dim, cairn_real n)
{
    for (size_t k = 0; k < dim; ++k) {
        mean_m[k] += (place_m[k] - mean_m[k]) / n;
    }
}

/* Move a marked node to the mean of its unmarked neighbours. */
static void move_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    cairn_network_t *network = self->network;
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t degree = marks(self)[i].index != 0 ? network_degree(network, i) : 0;
        cairn_real mean_m[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real n_met = 0;
        for (uint32_t j = 0; j < degree; ++j) {
            const uint32_t other = cairn_link_node(network_link(network, i, j));
            if (marks(self)[other].index == 0) {
                n_met += 1;
                move_mean(mean_m, network_place(network, other), dim, n_met);
            }
        }
        if (n_met > 0) {
            memcpy(network_place(network, i), mean_m, dim * sizeof *mean_m);
            ++self->n_changed;
            if (!network_is_known(network, i)) {
                network->memory.flags[i] = CAIRN_NODE_FLIP_POSSIBLE;
            }
        }
    }
}

bool cairn_coldstart_clean(cairn_coldstart_t *self, int32_t *operations)
{
    enum { MARK, MOVE };

    if (self->phase == MARK) {
        self->phase = cairn_coldstart_pass(self, operations, 4, mark_run) ? MOVE : MARK;
        return false;
    }
    if (!cairn_coldstart_pass(self, operations, 1, move_run)) {
        return false;
    }
    self->phase = MARK;
    ++self->round;
    if (self->n_changed == 0) {
        if (self->round > COLDSTART_CLEANINGS) {
            return true;
        }
        self->round = COLDSTART_CLEANINGS;
    }
    self->n_changed = 0;
    return false;
}
