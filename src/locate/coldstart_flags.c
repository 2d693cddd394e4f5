/* SPDX-License-Identifier: MIT
 * States after a cold start: a node is placed when it hangs on enough others, fits its ranges, and neither its own mirror
 * image nor that of it and its neighbours fits nearly as well, and the region about it fits as the rest of the map does:
 * a wide fold spreads what contradicts it over ranges that are no outliers one by one. */
#include "locate/coldstart_internal.h"

#define MIRROR_COST       6.0f /* a mirror image that costs less more than this may be the truth */
#define MIRROR_FLAT       0.3f /* neighbours rounder than this, and many, have no mirror image that fits */
#define MIRROR_DEGREE     8u
#define STEPS_MIRROR      8
#define HELD              0.5f /* radio ranges; a start of less deviation tells more than joints do */
#define FLAP_DEGREE       0.8f /* of the mean degree, or FLAP_DEGREE_LEAST: nodes with more have no flaps about them */
#define FLAP_DEGREE_LEAST 8.0f
#define FLAP_MEAN_MOST    15.0f
#define FLAP_FLAT         0.15f
#define SWEEPS_FLAP       10
#define REGION_COST       0.9f /* mean normalised cost of a region, expected .6 with a deviation of .09, that fits */
#define REGION_SHARE      1.5f /* of the mean of the map; where all ranges are worse than declared, no region stands out */

/* Phases of the stage. */
enum {
    FLAGS_GRID,
    FLAGS_COSTS,
    FLAGS_JOINTS,
    FLAGS_SIDE,
    FLAGS_GRID_AGAIN,
    FLAGS_WEAK,
    FLAGS_SMOOTH,
    FLAGS_FIND,
    FLAGS_STATES
};

/* The mirror image of a node in the line of its neighbours, and how flat they lie; negative when they span no line. */
static CAIRN_NOINLINE cairn_real mirror_image(const cairn_coldstart_t *self, uint32_t node, cairn_real *image_m)
{
    coldstart_line_t line;

    if (!cairn_coldstart_line_of_neighbours(self, node, &line)) {
        return -1;
    }
    cairn_coldstart_mirror(&line, coldstart_dim(self), network_place(self->network, node), image_m);
    return line.flatness;
}

/* Whether a near start holds a node: then it needs no chains, and no line to be told from its mirror image. */
static bool is_held(const cairn_coldstart_t *self, uint32_t node)
{
    return self->prior_weight > 0 && self->locate.start_std_m < HELD * self->radio_range_m &&
           network_state(self->network, node) == CAIRN_NODE_STARTED;
}

static void weak_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        const bool told = self->alpha > MIRROR_COST && !cairn_coldstart_is_weak(self, i);
        coldstart_weak(self)[i].index = told || is_held(self, i) ? 0 : 1u;
        if (coldstart_is_free(self, i)) {
            coldstart_add(&self->total, coldstart_costs(self)[i].real);
            ++self->n_changed;
        }
    }
}

/* Costs averaged over a node and its neighbours, in the words of the joints. */
static cairn_word_t *smoothed(const cairn_coldstart_t *self) { return self->work; }

static cairn_real mean_about(const cairn_coldstart_t *self, const cairn_word_t *costs, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const uint32_t degree = network_degree(network, node);
    cairn_real sum = costs[node].real;
    uint32_t n_nodes = 1;

    for (uint32_t j = 0; j < degree; ++j) {
        const uint32_t other = cairn_link_node(network_link(network, node, j));
        if (coldstart_is_free(self, other)) {
            sum += costs[other].real;
            ++n_nodes;
        }
    }
    return sum / (cairn_real)n_nodes;
}

static void smooth_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        smoothed(self)[i].real = coldstart_is_free(self, i) ? mean_about(self, coldstart_costs(self), i) : 0;
    }
}

/* Whether the nodes up to two links away fit badly, all in all. */
static bool region_misfits(const cairn_coldstart_t *self, uint32_t node)
{
    return mean_about(self, smoothed(self), node) > self->beta;
}

/* Whether the mirror image of a node alone fits nearly as well. */
static CAIRN_NOINLINE bool is_doubtful(const cairn_coldstart_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const uint32_t degree = network_degree(network, node);
    cairn_real image_m[CAIRN_LOCATE_DIM_MAX];
    const cairn_real flatness = mirror_image(self, node, image_m);
    cairn_real cost;
    cairn_real gain;

    if (flatness < 0) {
        return !is_held(self, node);
    }
    cost = cairn_coldstart_own_cost(self, node, 1);
    if (degree > MIRROR_DEGREE && flatness > MIRROR_FLAT) {
        return false;
    }
    return cairn_coldstart_polish(self, node, STEPS_MIRROR, image_m, &gain) < cost + MIRROR_COST &&
           cairn_distance(image_m, network_place(network, node), coldstart_dim(self)) >
               COLDSTART_AWAY * self->radio_range_m;
}

/* Mark the members of the set that have moved to another place. */
static CAIRN_NOINLINE void mark_moved(cairn_coldstart_t *self)
{
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t member = coldstart_members(self)[i];
        const cairn_real moved_m =
            cairn_distance(network_place(self->network, member), coldstart_saved_m(self) + dim * i, dim);
        if (moved_m > COLDSTART_AWAY * self->radio_range_m) {
            coldstart_weak(self)[member].index = 1;
        }
    }
}

/* Whether nothing but anchors, which span their plane, lies around the set: it can be mirrored in that only. */
static CAIRN_NOINLINE bool hangs_on_anchors(const cairn_coldstart_t *self)
{
    const cairn_network_t *network = self->network;
    coldstart_wedge_t wedge = {NULL, NULL, 0, 0};
    uint32_t n_others = 0;

    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t degree = network_degree(network, coldstart_members(self)[i]);
        for (uint32_t j = 0; j < degree; ++j) {
            const uint32_t other = cairn_link_node(network_link(network, coldstart_members(self)[i], j));
            if (network_is_anchor(network, other)) {
                cairn_coldstart_widen(&wedge, network_place(network, other), coldstart_dim(self));
            } else if (coldstart_mark(self, other) == 0) {
                ++n_others;
            }
        }
    }
    return n_others == 0 && cairn_coldstart_is_wide(&wedge, coldstart_dim(self));
}

/* Mark the members of a flap that fits mirrored nearly as well, but for the image that the side excludes. */
static CAIRN_NOINLINE void mark_flap(cairn_coldstart_t *self, uint32_t node)
{
    cairn_coldstart_take_set(self, node, 0);
    if (!(self->sided && hangs_on_anchors(self)) && cairn_coldstart_mirror_flap(self, FLAP_FLAT, &self->alpha)) {
        if (cairn_coldstart_sweep_set(self, SWEEPS_FLAP, self->alpha + MIRROR_COST)) {
            mark_moved(self);
        }
    }
    cairn_coldstart_leave_set(self, true);
}

static void flags_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const cairn_network_t *network = self->network;
    const cairn_real mean_degree = 2 * (cairn_real)network->n_ranges / (cairn_real)network->n_nodes;
    const cairn_real most = cairn_max(FLAP_DEGREE * cairn_min(mean_degree, FLAP_MEAN_MOST), FLAP_DEGREE_LEAST);

    for (uint32_t i = begin; i < end; ++i) {
        if (!coldstart_is_free(self, i)) {
            continue;
        }
        if (coldstart_weak(self)[i].index == 0 &&
            ((region_misfits(self, i) && !is_held(self, i)) || is_doubtful(self, i))) {
            coldstart_weak(self)[i].index = 1;
        }
        if ((cairn_real)network_degree(network, i) <= most) {
            mark_flap(self, i);
        }
    }
}

static void states_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    cairn_network_t *network = self->network;

    for (uint32_t i = begin; i < end; ++i) {
        const cairn_node_state before = network_state(network, i);
        const bool weak = coldstart_weak(self)[i].index != 0;
        if (coldstart_is_free(self, i) && before != CAIRN_NODE_FLIP_POSSIBLE) {
            network_set_state(network, i, weak ? CAIRN_NODE_FLIP_POSSIBLE : CAIRN_NODE_PLACED);
        }
    }
}

/* Go on with the present phase; returns true when it is complete. */
static bool run_phase(cairn_coldstart_t *self, int32_t *operations)
{
    const int32_t degree = (int32_t)(2u * self->network->n_ranges / self->network->n_nodes) + 1;

    switch (self->phase) {
    case FLAGS_GRID:
    case FLAGS_GRID_AGAIN: return cairn_coldstart_grid_fill(self, operations); /* on a line joints lie over it */
    case FLAGS_COSTS: return cairn_coldstart_pass(self, operations, 2 * degree, cairn_coldstart_costs_run);
    case FLAGS_JOINTS: return cairn_coldstart_joints(self, operations);
    case FLAGS_SIDE: return cairn_coldstart_side(self, operations);
    case FLAGS_WEAK: return cairn_coldstart_pass(self, operations, 1, weak_run);
    case FLAGS_SMOOTH: return cairn_coldstart_pass(self, operations, degree, smooth_run);
    case FLAGS_FIND: return cairn_coldstart_pass(self, operations, 4 * degree, flags_run);
    default: return cairn_coldstart_pass(self, operations, 1, states_run);
    }
}

bool cairn_coldstart_states(cairn_coldstart_t *self, int32_t *operations)
{
    if (run_phase(self, operations)) {
        ++self->phase;
        if (self->phase == FLAGS_JOINTS) {
            cairn_coldstart_joints_begin(self);
        } else if (self->phase == FLAGS_SIDE) {
            cairn_coldstart_side_begin(self);
        } else if (self->phase == FLAGS_GRID_AGAIN) {
            cairn_coldstart_grid_begin(self);
            self->total = coldstart_zero();
            self->n_changed = 0;
        } else if (self->phase == FLAGS_FIND) {
            self->beta =
                cairn_max(REGION_COST, REGION_SHARE * self->total.sum / cairn_max((cairn_real)self->n_changed, 1));
        }
    }
    return self->phase > FLAGS_STATES;
}
