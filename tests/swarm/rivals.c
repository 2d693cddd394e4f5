/* SPDX-License-Identifier: MIT
 * Maps that fit a network's ranges better than least squares from the truth: from the library's cold start of the whole
 * network, and from the swarm's own map. */
#include "swarm/rivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/coldstart.h"
#include "memory.h"
#include "network_arrays.h"

static const double within = 1.3;        /* of the reference's error: the same map */
static const double solver_leaves = .01; /* of a cost, by limit.h */
static const double middle_m = .5;
static const uint32_t slice_operations = 1000000;

/* A cold start of the whole network. */
typedef struct central {
    cairn_network_cfg_t network_cfg;
    cairn_coldstart_cfg_t cfg;
    cairn_network_memory_t memory;
    cairn_network_t network;
    cairn_coldstart_t job;
    cairn_word_t *work;
    size_t work_len;
} central_t;

static void allocate(central_t *self, const generator_t *world)
{
    size_t n_nodes = world->cfg.n_nodes;
    memset(self, 0, sizeof *self);
    network_arrays_allocate(&self->memory, n_nodes, world->ranges.n_rows, 2);
    self->work_len = CAIRN_COLDSTART_WORDS(n_nodes, 2, false);
    self->work = memory_zeroed(self->work_len, sizeof *self->work);
}

static void release(central_t *self)
{
    network_arrays_free(&self->memory);
    free(self->work);
}

static cairn_status fill(central_t *self, const generator_t *world)
{
    cairn_status status = cairn_network_init(&self->network, &self->network_cfg, &self->memory, world->cfg.n_nodes);
    for (size_t i = 0; i < world->cfg.n_anchors && status == CAIRN_OK; i++) {
        const cairn_real place_m[2] = {(cairn_real)world->place_m[2 * i], (cairn_real)world->place_m[2 * i + 1]};
        status = cairn_network_set_anchor(&self->network, (uint32_t)i, place_m);
    }
    for (size_t k = 0; k < world->ranges.n_rows && status == CAIRN_OK; k++) {
        const range_row_t *row = &world->ranges.row[k];
        status = cairn_network_add_range(&self->network, row->a, row->b, (cairn_real)row->range_m, 0);
    }
    return status;
}

/* Places from the cold start; nodes without one in the middle of the map. False: it failed. */
static bool start_cold(const generator_t *world, double *place_m)
{
    central_t self;
    allocate(&self, world);
    self.network_cfg.dim = 2;
    self.network_cfg.noise_rel = (cairn_real)world->cfg.noise_rel;
    self.cfg = cairn_coldstart_cfg_default;
    self.cfg.locate.radio_range_m = (cairn_real)world->cfg.radius_m;
    cairn_status status = fill(&self, world);
    if (status == CAIRN_OK) {
        status = cairn_coldstart_init(&self.job, &self.cfg, &self.network, self.work, self.work_len);
    }
    if (status == CAIRN_OK) {
        do {
            status = cairn_coldstart_step(&self.job, slice_operations);
        } while (status == CAIRN_MORE);
    }
    for (size_t i = 0; i < world->cfg.n_nodes && status >= 0; i++) {
        cairn_real local_m[2] = {0, 0};
        cairn_real origin_m[2] = {0, 0};
        cairn_status known = cairn_network_get_local(&self.network, (uint32_t)i, local_m, origin_m);
        bool has_place = known >= 0 && known != CAIRN_UNPLACED;
        for (size_t k = 0; k < 2; k++) {
            place_m[2 * i + k] = has_place ? (double)origin_m[k] + (double)local_m[k] : middle_m;
        }
    }
    release(&self);
    return status >= 0;
}

static void start_swarm(swarm_t *swarm, double *place_m)
{
    for (size_t i = 0; i < swarm->cfg.world.n_nodes; i++) {
        int stage;
        place_m[2 * i] = middle_m;
        place_m[2 * i + 1] = middle_m;
        (void)swarm->agents.place(swarm, i, place_m + 2 * i, &stage);
    }
}

/* Least squares from a start; *cheapest is that of all maps so far. Returns its error, by the reference's. */
static double try_start(const swarm_t *swarm, double *start_m, const limit_t *reference, limit_t *cheapest)
{
    limit_t found;
    limit_solve_from(&swarm->world, swarm->core, start_m, &found);
    *cheapest = found.cost < cheapest->cost - solver_leaves ? found : *cheapest;
    return found.rmse_core_m / reference->rmse_core_m;
}

static bool is_other(const limit_t *map, const limit_t *reference)
{
    return map->rmse_core_m > within * reference->rmse_core_m;
}

rivals_t rivals_find(swarm_t *swarm, const limit_t *reference)
{
    double *start_m = memory_zeroed(2 * swarm->cfg.world.n_nodes, sizeof *start_m);
    rivals_t rivals = {false, false, HUGE_VAL};
    limit_t cheapest = *reference;
    bool by_central;
    if (start_cold(&swarm->world, start_m)) {
        rivals.central = try_start(swarm, start_m, reference, &cheapest);
    }
    by_central = is_other(&cheapest, reference);
    if ((swarm->cfg.options & CAIRN_NODE_NO_ANCHORS) == 0) {
        start_swarm(swarm, start_m);
        (void)try_start(swarm, start_m, reference, &cheapest);
    }
    rivals.found = is_other(&cheapest, reference);
    rivals.by_swarm = rivals.found && !by_central;
    free(start_m);
    return rivals;
}
