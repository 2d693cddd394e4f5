/* SPDX-License-Identifier: MIT
 * Maps that fit a network's ranges better than least squares from the truth: from the library's cold start of the whole
 * network, and from the swarm's own map. */
#include "swarm/rivals.h"

#include <math.h>
#include <stdlib.h>

#include "bench/coldstart_run.h"
#include "memory.h"

static const double within = 1.3;        /* of the reference's error: the same map */
static const double solver_leaves = .01; /* of a cost, by limit.h */
static const double middle_m = .5;

/* Places from the cold start; nodes without one in the middle of the map. False: it failed. */
static bool start_cold(const generator_t *world, double *place_m)
{
    coldstart_run_t self;
    cairn_status status = coldstart_run_init(&self, world, NULL, NULL);
    if (status == CAIRN_OK) {
        status = coldstart_run_solve(&self);
    }
    for (size_t i = 0; i < world->cfg.n_nodes && status >= 0; i++) {
        place_m[2 * i] = middle_m;
        place_m[2 * i + 1] = middle_m;
        (void)coldstart_run_get_place(&self, i, place_m + 2 * i);
    }
    coldstart_run_free(&self);
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
