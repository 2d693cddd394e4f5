/* SPDX-License-Identifier: MIT
 * Regions tried elsewhere when there are starts: where the map made without them has them, or shifted as a whole upon their
 * starts. Smoothed, and kept when that is cheaper, large ones clearly; loose nodes one by one. */
#include "locate/coldstart_internal.h"

#define DIFFERENT   0.3f /* radio ranges between the places of a node on two maps */
#define DIFFERS_TOO 0.1f /* of nodes about it */
#define OFFSET_SURE                                                                                                    \
    25.0f                /* square of the mean offset of a node and its neighbours from their starts, over its
                             variance */
#define OFFSET_FELT 0.4f /* of the offset that a region is taken about: nodes that share less of it stay out */
#define GAIN_LEAST  0.1f /* of cost, to keep a change: more than rounding */
#define WHOLE       20u  /* nodes of a region that starts of guessed deviation may have bent: it is kept only when */
#define GAIN_WHOLE  10   /* it is cheaper by this much than on the map without them */
#define LINKS_LEAST 4u   /* fewer nodes say nothing of an offset */
#define STEPS_LOOSE 8
#define TRY_WORK    2000 /* looks at links, per link of a node, that a region takes */

static bool differs(const cairn_coldstart_t *self, uint32_t node, cairn_real ranges)
{
    return coldstart_is_free(self, node) &&
           cairn_distance(network_place(self->network, node), coldstart_other(self, node), coldstart_dim(self)) >
               ranges * self->radio_range_m;
}

/* Whether a node belongs to the region that is being taken; `offset_m` as of the node it is taken about. */
typedef bool (*belongs_fn)(const cairn_coldstart_t *self, uint32_t node, const cairn_real *offset_m);

static bool differs_too(const cairn_coldstart_t *self, uint32_t node, const cairn_real *offset_m)
{
    (void)offset_m;
    return differs(self, node, DIFFERS_TOO);
}

/* A node and whatever belongs to it, from neighbour to neighbour. */
static void grow_region(cairn_coldstart_t *self, uint32_t node, uint32_t most, belongs_fn belongs,
                        const cairn_real *offset_m)
{
    const cairn_network_t *network = self->network;

    self->n_members = 0;
    cairn_coldstart_add_member(self, node);
    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t member = coldstart_members(self)[i];
        for (uint32_t j = 0; j < network_degree(network, member); ++j) {
            const uint32_t other = cairn_link_node(network_link(network, member, j));
            if (self->n_members < most && coldstart_mark(self, other) == 0 && belongs(self, other, offset_m)) {
                cairn_coldstart_add_member(self, other);
            }
        }
    }
}

/* Put the members where the other map has them and keep them there when that is cheap enough. */
static void swap(cairn_coldstart_t *self)
{
    const cairn_real before = cairn_coldstart_set_cost(self);
    const cairn_real gain = self->cfg->fine != 0 || self->n_members < WHOLE ? GAIN_LEAST : -GAIN_WHOLE;

    for (uint32_t k = 0; k < self->n_members; ++k) {
        const uint32_t member = coldstart_members(self)[k];
        cairn_coldstart_grid_move(self, member, coldstart_other(self, member));
    }
    if (!cairn_coldstart_settle_set(self, before - gain)) {
        cairn_coldstart_leave_set(self, true);
    }
}

/* Take what the other map has about a node that lies elsewhere there: the node, a few, the whole region. */
static bool try_other(cairn_coldstart_t *self, uint32_t node)
{
    static const uint32_t sizes[] = {1u, 8u, COLDSTART_SET_MAX};
    bool tried = false;

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && differs(self, node, DIFFERENT); ++k) {
        grow_region(self, node, sizes[k], differs_too, NULL);
        swap(self);
        tried = true;
    }
    return tried;
}

/* Mean offset of a node and its neighbours from their starts; returns how many have one. */
static uint32_t mean_offset(const cairn_coldstart_t *self, uint32_t node, cairn_real *offset_m)
{
    const cairn_network_t *network = self->network;
    const size_t dim = coldstart_dim(self);
    const uint32_t degree = network_degree(network, node);
    uint32_t n_starts = 0;

    memset(offset_m, 0, dim * sizeof *offset_m);
    for (uint32_t j = 0; j <= degree; ++j) {
        const uint32_t other = j < degree ? cairn_link_node(network_link(network, node, j)) : node;
        if (!locate_has_start(&self->locate, other)) {
            continue;
        }
        ++n_starts;
        for (size_t k = 0; k < dim; ++k) {
            const cairn_real off_m = locate_start(&self->locate, other)[k] - network_place(network, other)[k];
            offset_m[k] += (off_m - offset_m[k]) / (cairn_real)n_starts;
        }
    }
    return n_starts;
}

static bool is_off_too(const cairn_coldstart_t *self, uint32_t node, const cairn_real *offset_m)
{
    const size_t dim = coldstart_dim(self);
    cairn_real own_m[CAIRN_LOCATE_DIM_MAX];

    return locate_has_start(&self->locate, node) && mean_offset(self, node, own_m) >= LINKS_LEAST &&
           cairn_dot(own_m, offset_m, dim) > OFFSET_FELT * cairn_dot(offset_m, offset_m, dim);
}

/* Shift the region as a whole to where its starts are. */
static CAIRN_NOINLINE void shift_region(cairn_coldstart_t *self)
{
    const size_t dim = coldstart_dim(self);
    cairn_real shift_m[CAIRN_LOCATE_DIM_MAX] = {0};

    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t member = coldstart_members(self)[i];
        for (size_t k = 0; k < dim; ++k) {
            shift_m[k] += (locate_start(&self->locate, member)[k] - network_place(self->network, member)[k]) /
                          (cairn_real)self->n_members;
        }
    }
    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t member = coldstart_members(self)[i];
        cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
        for (size_t k = 0; k < dim; ++k) {
            place_m[k] = network_place(self->network, member)[k] + shift_m[k];
        }
        cairn_coldstart_grid_move(self, member, place_m);
    }
}

/* Shift the region about a node whose neighbourhood is surely off its starts; whether that is better is seen when the map
 * about it has followed. */
static CAIRN_NOINLINE bool try_starts(cairn_coldstart_t *self, uint32_t node)
{
    cairn_real offset_m[CAIRN_LOCATE_DIM_MAX];
    const uint32_t n_starts = locate_has_start(&self->locate, node) ? mean_offset(self, node, offset_m) : 0;

    if (n_starts < LINKS_LEAST ||
        !((cairn_real)n_starts * cairn_dot(offset_m, offset_m, coldstart_dim(self)) * self->prior_weight >
          OFFSET_SURE)) {
        return false;
    }
    grow_region(self, node, COLDSTART_SET_MAX, is_off_too, offset_m);
    shift_region(self);
    cairn_coldstart_leave_set(self, false);
    ++self->n_accepted;
    return true;
}

bool cairn_coldstart_try_regions(cairn_coldstart_t *self, int32_t *operations)
{
    const int32_t degree = (int32_t)(2u * self->network->n_ranges / self->network->n_nodes) + 1;

    for (; self->cursor<self->network->n_nodes && * operations> 0; ++self->cursor) {
        const bool tried = self->two_maps ? try_other(self, self->cursor) : try_starts(self, self->cursor);
        *operations -= tried ? TRY_WORK * degree : degree;
    }
    return self->cursor == self->network->n_nodes;
}

void cairn_coldstart_loose_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = begin; i < end; ++i) {
        cairn_real places_m[2][CAIRN_LOCATE_DIM_MAX];
        cairn_real costs[2];
        cairn_real gain;
        if (!locate_has_start(&self->locate, i) || !coldstart_is_loose(self, i)) {
            continue;
        }
        memcpy(places_m[0], network_place(self->network, i), dim * sizeof(cairn_real));
        memcpy(places_m[1], locate_start(&self->locate, i), dim * sizeof(cairn_real));
        for (size_t k = 0; k < 2; ++k) {
            costs[k] = cairn_coldstart_polish(self, i, STEPS_LOOSE, places_m[k], &gain);
        }
        cairn_coldstart_grid_move(self, i, places_m[costs[1] < costs[0] ? 1 : 0]);
    }
}
