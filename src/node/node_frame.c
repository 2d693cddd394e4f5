/* SPDX-License-Identifier: MIT
 * A frame without anchors: when the ways to the lowest ids are quiet, the lowest id is the origin, the next one lies on
 * the x axis, the third above it; the others follow as if these were anchors. The first keeps still, the second stays on
 * its axis, all else is free. */
#include "node/node_internal.h"

#define CLAIM_QUIET 6u    /* rounds without a change of the ways */
#define CLAIM_FROM  12u   /* rounds before anybody claims */
#define SHRINK      0.95f /* a path is longer than the straight line */
#define CLAIM_STD   0.8f  /* R */

/* Ways to ids below this node's, the lowest two of them in order; returns how many there are. */
static uint8_t lower_ids(const cairn_node_t *self, const cairn_node_way_t **lowest)
{
    uint8_t n_lower = 0;

    lowest[0] = NULL;
    lowest[1] = NULL;
    for (size_t i = 0; i < self->memory.n_ways; ++i) {
        const cairn_node_way_t *way = &self->memory.ways[i];
        if (way->age == NODE_FREE || way->id >= self->id) {
            continue;
        }
        ++n_lower;
        if (lowest[0] == NULL || way->id < lowest[0]->id) {
            lowest[1] = lowest[0];
            lowest[0] = way;
        } else if (lowest[1] == NULL || way->id < lowest[1]->id) {
            lowest[1] = way;
        }
    }
    return n_lower;
}

static bool somebody_is_placed(const cairn_node_t *self)
{
    for (size_t i = 0; i < self->memory.n_neighbours; ++i) {
        if (cairn_node_usable(&self->memory.neighbours[i])) {
            return true;
        }
    }
    return false;
}

/* The third node: above the axis, by its ways to both. */
static void place_third(cairn_node_t *self, const cairn_node_way_t *const *lowest)
{
    cairn_real base_m[2];
    const cairn_real a_m = cairn_node_length(self, lowest[0], SHRINK);
    const cairn_real b_m = cairn_node_length(self, lowest[1], SHRINK);
    cairn_real x;

    cairn_node_to_metres(self, lowest[1]->place, base_m);
    base_m[0] = cairn_max(base_m[0], self->cfg->grid_m);
    x = 0.5f * (base_m[0] + (a_m * a_m - b_m * b_m) / base_m[0]);
    x = cairn_node_clamp(x, -a_m, a_m);
    self->place_m[0] = x;
    self->place_m[1] = cairn_sqrt(cairn_max(a_m * a_m - x * x, self->cfg->grid_m));
}

void cairn_node_claim(cairn_node_t *self)
{
    const cairn_node_way_t *lowest[2];
    const uint8_t rank = lower_ids(self, lowest);

    if (self->quiet < CLAIM_QUIET || self->rounds < CLAIM_FROM) {
        return;
    }
    self->place_m[0] = 0;
    self->place_m[1] = 0;
    if (rank == 0 && !somebody_is_placed(self)) {
        self->std_m = 0;
        cairn_node_set_stage(self, CAIRN_STAGE_ANCHOR);
        return;
    }
    if (rank == 1 && node_has_place(lowest[0])) {
        self->place_m[0] = cairn_node_length(self, lowest[0], SHRINK);
        self->axis = true;
    } else if (rank == 2 && node_has_place(lowest[0]) && node_has_place(lowest[1])) {
        place_third(self, lowest);
    } else {
        return;
    }
    self->std_m = CLAIM_STD * self->cfg->radius_m;
    cairn_node_set_stage(self, CAIRN_STAGE_LOOSE);
}
