/* SPDX-License-Identifier: MIT
 * Bounded graph: entry of links and getters. One file each for rows, lists, ageing and merging. Source: Lin, "Scalable
 * Methods for Graph-Based Unsupervised and Semi-Supervised Learning" (2012), 9.9 for the reservoir. What we changed:
 * rows a node as the default, because they keep every node connected and follow changes; decay by forward scaling, so
 * that a stored weight is never touched as it ages. */
#include "cairn/graph.h"

#include "walk/graph_internal.h"

#define MIX_1 UINT64_C(0xBF58476D1CE4E5B9) /* finaliser of splitmix64 (Steele, Lea, Flood 2014) */
#define MIX_2 UINT64_C(0x94D049BB133111EB)

static cairn_status check_cfg(const cairn_graph_cfg_t *cfg)
{
    if (!cairn_isfinite(cfg->repeat_gain) || !cairn_isfinite(cfg->half_life) || !cairn_isfinite(cfg->node_half_life)) {
        return CAIRN_ERR_NONFINITE;
    }
    if ((unsigned)cfg->policy > CAIRN_GRAPH_DENSE || cfg->repeat_gain < 0 || cfg->repeat_gain > 1 ||
        (cfg->half_life != 0 && !(cfg->half_life >= 1)) || (cfg->node_half_life != 0 && !(cfg->node_half_life >= 1)) ||
        (cfg->half_life > 0 && cfg->repeat_gain > 0)) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

static bool is_list(const cairn_graph_cfg_t *cfg)
{
    return cfg->policy >= CAIRN_GRAPH_RESERVOIR && cfg->policy <= CAIRN_GRAPH_PRIORITY;
}

static bool has_arrays(const cairn_graph_cfg_t *cfg, const cairn_graph_memory_t *memory)
{
    const bool rows = cfg->policy <= CAIRN_GRAPH_ROWS_SAMPLE;

    return memory->id != NULL && memory->slot != NULL && memory->seen != NULL && memory->weight != NULL &&
           (memory->heard != NULL || !(cfg->node_half_life > 0)) &&
           ((memory->fill != NULL && memory->offers != NULL) || !rows) && (memory->one != NULL || !is_list(cfg)) &&
           (memory->other != NULL || cfg->policy == CAIRN_GRAPH_DENSE) &&
           (memory->key != NULL || cfg->policy != CAIRN_GRAPH_PRIORITY);
}

static cairn_status check_memory(const cairn_graph_cfg_t *cfg, const cairn_graph_memory_t *memory)
{
    const size_t n_nodes = memory->n_nodes;
    const size_t nodes_max =
        cfg->policy == CAIRN_GRAPH_DENSE ? CAIRN_GRAPH_DENSE_NODES_MAX : (size_t)CAIRN_GRAPH_NODES_MAX;
    const size_t least = cfg->policy == CAIRN_GRAPH_DENSE ? (n_nodes < 2        ? 1
                                                             : n_nodes % 2 == 0 ? n_nodes / 2 * (n_nodes - 1)
                                                                                : (n_nodes - 1) / 2 * n_nodes)
                         : is_list(cfg)                   ? 1
                                                          : n_nodes;

    if (!has_arrays(cfg, memory) || n_nodes == 0 || n_nodes > nodes_max) {
        return CAIRN_ERR_ARG;
    }
    if (memory->n_slots < CAIRN_IDS_SLOTS(n_nodes) || memory->n_links < least) {
        return CAIRN_ERR_SIZE;
    }
    if (!cairn_aligned(memory->id, sizeof(uint32_t)) || !cairn_aligned(memory->slot, sizeof(uint32_t)) ||
        !cairn_aligned(memory->seen, sizeof(cairn_real)) || !cairn_aligned(memory->heard, sizeof(uint32_t)) ||
        !cairn_aligned(memory->fill, sizeof(uint16_t)) || !cairn_aligned(memory->offers, sizeof(uint16_t)) ||
        !cairn_aligned(memory->one, sizeof(uint16_t)) || !cairn_aligned(memory->other, sizeof(uint16_t)) ||
        !cairn_aligned(memory->weight, sizeof(cairn_real)) || !cairn_aligned(memory->key, sizeof(cairn_real))) {
        return CAIRN_ERR_ALIGN;
    }
    return CAIRN_OK;
}

static void clear_nodes(cairn_graph_t *self)
{
    const cairn_graph_memory_t *memory = &self->memory;

    for (size_t i = 0; i < memory->n_nodes; ++i) {
        memory->seen[i] = 0;
        if (memory->heard != NULL) {
            memory->heard[i] = 0;
        }
        if (graph_has_rows(self)) {
            memory->fill[i] = 0;
            memory->offers[i] = 0;
        }
    }
    for (size_t e = 0; e < memory->n_links && graph_is_dense(self); ++e) {
        memory->weight[e] = 0;
    }
}

cairn_status cairn_graph_init(cairn_graph_t *self, const cairn_graph_cfg_t *cfg, const cairn_graph_memory_t *memory)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || memory == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = check_cfg(cfg);
    if (status == CAIRN_OK) {
        status = check_memory(cfg, memory);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->memory = *memory;
    self->octave = 1;
    status = cairn_ids_init(&self->ids, memory->id, memory->n_nodes, memory->slot, memory->n_slots);
    if (self->memory.n_links > UINT32_MAX / 2) {
        self->memory.n_links = (size_t)(UINT32_MAX / 2);
    }
    self->row_slots = (uint32_t)(self->memory.n_links / memory->n_nodes);
    self->row_slots = self->row_slots < UINT16_MAX ? self->row_slots : UINT16_MAX;
    cairn_rng_init(&self->rng, cfg->seed, 0);
    clear_nodes(self);
    return status;
}

cairn_real cairn_graph_hash(const cairn_graph_t *self, uint32_t node_a, uint32_t node_b)
{
    const uint32_t a = self->memory.id[node_a];
    const uint32_t b = self->memory.id[node_b];
    uint64_t mixed = ((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a)) + self->cfg->seed * MIX_2;

    mixed = (mixed ^ (mixed >> 30)) * MIX_1;
    mixed = (mixed ^ (mixed >> 27)) * MIX_2;
    mixed ^= mixed >> 31;
    return (cairn_real)((uint32_t)(mixed >> 40) + 1u) * (cairn_real)(1.0f / 16777216.0f);
}

cairn_real cairn_graph_scale(const cairn_graph_t *self)
{
    return self->cfg->half_life > 0 ? self->octave * (1 + (cairn_real)self->phase / self->cfg->half_life)
                                    : (cairn_real)1;
}

cairn_real cairn_graph_repeat(const cairn_graph_t *self, cairn_real stored, cairn_real weight)
{
    const cairn_real gain = self->cfg->repeat_gain;
    const cairn_real sum = gain > 0 ? stored + gain * (weight - stored) : stored + weight;

    return cairn_min(sum, CAIRN_REAL_MAX); /* a sum of finite weights that overflows stays at the largest */
}

static cairn_status check_link(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight)
{
    if (!cairn_isfinite(weight)) {
        ++self->counters.n_nonfinite;
        return CAIRN_ERR_NONFINITE;
    }
    if (!(weight > 0)) {
        ++self->counters.n_range;
        return CAIRN_ERR_RANGE;
    }
    if (a == b) {
        ++self->counters.n_self;
        return CAIRN_ERR_SELF;
    }
    return CAIRN_OK;
}

/* Whether both ends are known or can become so. */
static bool has_room(const cairn_graph_t *self, uint32_t a, uint32_t b)
{
    const uint32_t n_new = (cairn_ids_find(&self->ids, a) == CAIRN_IDS_NONE ? 1u : 0u) +
                           (cairn_ids_find(&self->ids, b) == CAIRN_IDS_NONE ? 1u : 0u);

    return self->ids.n_ids + n_new <= self->ids.capacity || (self->cfg->node_half_life > 0 && self->ids.capacity >= 2);
}

static void advance(cairn_graph_t *self)
{
    ++self->arrivals;
    if (self->cfg->half_life > 0 && (cairn_real)++self->phase >= self->cfg->half_life) {
        self->phase = 0;
        self->octave *= 2;
        cairn_graph_rescale(self);
    }
}

cairn_status cairn_graph_add(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight)
{
    cairn_status status;
    cairn_real scaled;
    uint32_t i;
    uint32_t j;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = check_link(self, a, b, weight);
    if (status != CAIRN_OK) {
        return status;
    }
    if (!has_room(self, a, b)) {
        ++self->counters.n_node_full;
        return CAIRN_FULL;
    }
    advance(self);
    i = cairn_graph_admit(self, a, cairn_ids_find(&self->ids, b));
    j = cairn_graph_admit(self, b, i);
    scaled = cairn_min(weight * cairn_graph_scale(self), CAIRN_REAL_MAX);
    scaled = scaled > 0 ? scaled : CAIRN_REAL_EPSILON;
    cairn_graph_touch(self, i, scaled);
    cairn_graph_touch(self, j, scaled);
    if (graph_has_rows(self)) {
        return cairn_graph_add_row(self, i, j, scaled);
    }
    return graph_is_dense(self) ? cairn_graph_add_dense(self, i, j, scaled) : cairn_graph_add_list(self, i, j, scaled);
}

cairn_status cairn_graph_add_dense(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight)
{
    const uint32_t low = a < b ? a : b;
    cairn_real *place = self->memory.weight + graph_dense_row(self, low) + ((a < b ? b : a) - low - 1u);

    if (*place > 0) {
        ++self->counters.n_repeated;
        *place = cairn_graph_repeat(self, *place, weight);
        return CAIRN_OK;
    }
    *place = weight;
    ++self->n_links;
    return CAIRN_OK;
}

cairn_status cairn_graph_clear_node(cairn_graph_t *self, uint32_t id)
{
    uint32_t node;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    node = cairn_ids_find(&self->ids, id);
    if (node == CAIRN_IDS_NONE) {
        return CAIRN_ERR_UNKNOWN_ID;
    }
    cairn_graph_clear_index(self, node);
    return CAIRN_OK;
}

static void row_run(const cairn_walk_t *walk, uint32_t part, cairn_run_t *run)
{
    const cairn_graph_t *self = walk->context;
    const size_t first = (size_t)part * self->row_slots;

    run->n = self->memory.fill[part];
    run->node = part;
    run->first = 0;
    run->node16 = NULL;
    run->other16 = self->memory.other + first;
    run->other32 = NULL;
    run->weight = self->memory.weight + first;
    run->degree = NULL;
    run->threshold = 0;
}

static void list_run(const cairn_walk_t *walk, uint32_t part, cairn_run_t *run)
{
    const cairn_graph_t *self = walk->context;
    const uint32_t first = part * GRAPH_PART;
    const uint32_t left = self->n_links - first;

    memset(run, 0, sizeof *run);
    run->n = left < GRAPH_PART ? left : GRAPH_PART;
    run->node16 = self->memory.one + first;
    run->other16 = self->memory.other + first;
    run->weight = self->memory.weight + first;
    if (self->cfg->policy == CAIRN_GRAPH_PRIORITY) {
        run->degree = self->memory.seen;
        run->threshold = self->total > 0 ? self->threshold / graph_mean_degree(self) : (cairn_real)0;
    }
}

static void dense_run(const cairn_walk_t *walk, uint32_t part, cairn_run_t *run)
{
    const cairn_graph_t *self = walk->context;

    memset(run, 0, sizeof *run);
    run->n = self->ids.n_ids - part - 1u;
    run->node = part;
    run->first = part + 1u;
    run->weight = self->memory.weight + graph_dense_row(self, part);
}

cairn_status cairn_graph_walk(const cairn_graph_t *self, cairn_walk_t *walk)
{
    if (self == NULL || walk == NULL) {
        return CAIRN_ERR_ARG;
    }
    memset(walk, 0, sizeof *walk);
    walk->n_nodes = self->ids.n_ids;
    walk->n_parts = self->ids.n_ids;
    walk->n_links = (cairn_real)self->n_links;
    walk->context = self;
    walk->id = self->memory.id;
    walk->multiply = cairn_walk_multiply_runs;
    walk->run = graph_has_rows(self) ? row_run : graph_is_dense(self) ? dense_run : list_run;
    if (walk->run == list_run) {
        walk->n_parts = (self->n_links + GRAPH_PART - 1u) / GRAPH_PART;
    }
    return CAIRN_OK;
}

uint32_t cairn_graph_find(const cairn_graph_t *self, uint32_t id) { return cairn_ids_find(&self->ids, id); }

uint32_t cairn_graph_get_nodes(const cairn_graph_t *self) { return self->ids.n_ids; }

uint32_t cairn_graph_get_links(const cairn_graph_t *self) { return self->n_links; }
