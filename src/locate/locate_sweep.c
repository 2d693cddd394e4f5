/* SPDX-License-Identifier: MIT
 * PLACE sweeps (thesis chapter 5, PLACEMENT): every sensor in turn is placed among all its neighbours and its start. The
 * steps are over-relaxed until the map stands; a few plain sweeps then settle what the relaxation keeps in motion. */
#include "locate/locate_internal.h"

#define PLAIN_SWEEPS 5

static uint32_t sweep_visit(cairn_locate_t *self, uint32_t node)
{
    cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    locate_neighbours_t context;
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
    size_t n_neighbours;

    if (network_is_anchor(network, node) || !network_is_known(network, node)) {
        return 1;
    }
    n_neighbours = cairn_locate_neighbours_begin(&context, self, node);
    memcpy(place_m, network_place(network, node), dim * sizeof place_m[0]);
    if (cairn_place(&self->sweep, cairn_locate_neighbour, &context, n_neighbours, place_m, dim, locate_scratch(self),
                    LOCATE_SCRATCH_REALS, NULL) >= 0) {
        const cairn_real step_m = cairn_distance(place_m, network_place(network, node), dim);
        memcpy(network_place(network, node), place_m, dim * sizeof place_m[0]);
        self->sum += step_m * step_m;
        ++self->n_changed;
    }
    return 3u * (uint32_t)n_neighbours + 1u; /* two to six passes over the neighbours */
}

/* Add up the cost of the links to nodes above and of the start. */
static uint32_t cost_visit(cairn_locate_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const cairn_loss_t *loss = self->cfg->loss != NULL ? self->cfg->loss : &cairn_loss_squared;
    const size_t dim = network->cfg->dim;
    locate_neighbours_t context;
    const size_t n_neighbours = cairn_locate_neighbours_begin(&context, self, node);
    const uint32_t n_lower = lower_rows(network)[node + 1u] - lower_rows(network)[node];

    for (size_t j = n_lower; j < n_neighbours && network_is_known(network, node); ++j) {
        cairn_neighbour_t neighbour;
        cairn_locate_neighbour(&context, j, &neighbour);
        if (neighbour.weight > 0) {
            const cairn_real distance_m = cairn_distance(network_place(network, node), neighbour.place, dim);
            self->sum += neighbour.weight * loss->evaluate(loss, distance_m, neighbour.range, neighbour.scale).error;
        }
    }
    return (uint32_t)n_neighbours + 1u;
}

void cairn_locate_sweep(cairn_locate_t *self, int32_t *operations)
{
    enum { RELAXED, PLAIN, COST };
    const cairn_real tolerance_m = self->cfg->tolerance * self->mean_range_m;

    if (self->phase == COST) {
        if (cairn_locate_pass(self, operations, cost_visit)) {
            self->cost = self->sum;
            cairn_locate_enter(self, CAIRN_LOCATE_QUALITY);
        }
        return;
    }
    if (!cairn_locate_pass(self, operations, sweep_visit)) {
        return;
    }
    ++self->n_sweeps;
    ++self->pass;
    if (self->phase == RELAXED) {
        self->converged = self->sum <= tolerance_m * tolerance_m * (cairn_real)self->n_changed;
        if (self->converged || self->pass >= self->cfg->sweeps_max) {
            self->sweep.relaxation = 1;
            self->source = self->pass + PLAIN_SWEEPS;
            self->phase = PLAIN;
        }
    } else if (self->pass >= self->source) {
        self->phase = COST;
    }
    self->sum = 0;
    self->n_changed = 0;
}
