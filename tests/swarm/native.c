/* SPDX-License-Identifier: MIT
 * Nodes of a swarm that run in this process. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "swarm/swarm.h"

static const double grid_m = 1.0 / 30000;

static uint8_t table_size(uint8_t given, uint8_t usual) { return given > 0 ? given : usual; }

static void start_node(swarm_t *self, size_t i)
{
    uint8_t n_neighbours = table_size(self->cfg.n_neighbours, 24);
    uint8_t n_ways = table_size(self->cfg.n_ways, 8);
    size_t n_far = CAIRN_NODE_FAR(n_neighbours);
    const cairn_node_memory_t memory = {self->neighbours + i * n_neighbours,
                                        self->far + i * n_far,
                                        self->ways + i * n_ways,
                                        n_neighbours,
                                        (uint8_t)n_far,
                                        n_ways};
    uint32_t seed = cairn_rng_next(&self->rng);
    if (cairn_node_init(&self->node[i], &self->node_cfg[i], &memory, seed) != CAIRN_OK) {
        abort();
    }
}

static void set_up(swarm_t *self, size_t i)
{
    cairn_node_cfg_t *cfg = &self->node_cfg[i];
    double told_m = self->cfg.told_move_m > 0 ? self->cfg.told_move_m : self->cfg.move_m;
    memset(cfg, 0, sizeof *cfg);
    cfg->id = (uint16_t)i;
    cfg->network = 1;
    cfg->options = self->cfg.options;
    cfg->grid_m = (cairn_real)grid_m;
    cfg->radius_m = (cairn_real)self->cfg.world.radius_m;
    cfg->noise_rel = (cairn_real)self->cfg.world.noise_rel;
    cfg->range_max_m = 4 * cfg->radius_m;
    cfg->move_m = (cairn_real)told_m;
    cfg->move_keep = (cairn_real)self->cfg.move_memory;
    if (i < self->cfg.world.n_anchors && (self->cfg.options & CAIRN_NODE_NO_ANCHORS) == 0) {
        cfg->options |= CAIRN_NODE_IS_ANCHOR;
        cfg->anchor_m[0] = (cairn_real)self->world.place_m[2 * i];
        cfg->anchor_m[1] = (cairn_real)self->world.place_m[2 * i + 1];
    }
}

void swarm_native_init(swarm_t *self)
{
    size_t n_nodes = self->cfg.world.n_nodes;
    uint8_t n_neighbours = table_size(self->cfg.n_neighbours, 24);
    uint8_t n_ways = table_size(self->cfg.n_ways, 8);
    self->agents = swarm_native;
    self->node = memory_zeroed(n_nodes, sizeof *self->node);
    self->node_cfg = memory_zeroed(n_nodes, sizeof *self->node_cfg);
    self->neighbours = memory_zeroed(n_nodes * n_neighbours, sizeof *self->neighbours);
    self->far = memory_zeroed(n_nodes * CAIRN_NODE_FAR(n_neighbours), sizeof *self->far);
    self->ways = memory_zeroed(n_nodes * n_ways, sizeof *self->ways);
    for (size_t i = 0; i < n_nodes; i++) {
        set_up(self, i);
        start_node(self, i);
    }
}

static size_t speak(swarm_t *self, size_t node, uint32_t t_us, uint8_t *frame)
{
    if (cairn_node_tick(&self->node[node], t_us) != CAIRN_OK) {
        abort();
    }
    return cairn_node_beacon(&self->node[node], frame, CAIRN_BEACON_BYTES_MAX, t_us);
}

static void hear(swarm_t *self, size_t node, const uint8_t *frame, size_t length, uint32_t t_us)
{
    cairn_status ignored = cairn_node_on_beacon(&self->node[node], frame, length, t_us);
    (void)ignored;
}

static void range(swarm_t *self, size_t node, uint16_t peer, double range_m, uint32_t t_us)
{
    cairn_status ignored = cairn_node_on_range(&self->node[node], peer, (cairn_real)range_m, t_us);
    (void)ignored;
}

static bool place(swarm_t *self, size_t node, double *place_m, int *stage)
{
    cairn_real at[2];
    *stage = (int)cairn_node_get_stage(&self->node[node]);
    if (cairn_node_get_place(&self->node[node], at, NULL) == CAIRN_UNPLACED) {
        return false;
    }
    place_m[0] = (double)at[0];
    place_m[1] = (double)at[1];
    return true;
}

static void restart(swarm_t *self, size_t node, bool snapshot)
{
    cairn_real at[2];
    cairn_real std_m = 0;
    cairn_status kept = cairn_node_get_place(&self->node[node], at, &std_m);
    start_node(self, node);
    self->node[node].t_us = self->t_us;
    if (snapshot && kept != CAIRN_UNPLACED && node >= self->cfg.world.n_anchors &&
        cairn_node_set_place(&self->node[node], at, std_m) != CAIRN_OK) {
        abort();
    }
}

const swarm_agents_t swarm_native = {speak, hear, range, place, restart};

void swarm_restart(swarm_t *self, size_t node, bool snapshot) { self->agents.restart(self, node, snapshot); }
