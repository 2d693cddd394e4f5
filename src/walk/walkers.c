/* SPDX-License-Identifier: MIT
 * Uniform sampling of many walks. Source: Lin (2012), 9.9 and algorithm 11. Each node keeps a uniform reservoir of the
 * classes whose walkers visited it, not the most frequent so far, which would favour early and short paths. What we
 * changed: neighbours decide a tie, which is common among few visits. */
#include "cairn/walkers.h"

static cairn_status check(const cairn_walkers_cfg_t *cfg, const cairn_walkers_memory_t *memory,
                          const cairn_walk_t *walk)
{
    if (!cairn_isfinite(cfg->alpha)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (cfg->n_slots < 1 || cfg->n_slots > CAIRN_WALKERS_SLOTS_MAX || !(cfg->alpha > 0) || cfg->alpha > 1 ||
        walk->run == NULL || walk->n_nodes == 0 || memory->start == NULL || memory->other == NULL ||
        memory->visits == NULL || memory->slot == NULL) {
        return CAIRN_ERR_ARG;
    }
    return memory->n_nodes < walk->n_nodes ? CAIRN_ERR_SIZE : CAIRN_OK;
}

/* One end of a link of weight w: counted in the first pass, put into its place in the second. */
static void take_end(const cairn_walkers_memory_t *m, uint32_t node, uint32_t other, cairn_real w, bool counting)
{
    if (counting) {
        ++m->start[node];
        return;
    }
    --m->start[node];
    m->other[m->start[node]] = other;
    if (m->sum != NULL) {
        m->sum[m->start[node]] = w;
    }
}

static void take_links(const cairn_walkers_memory_t *m, const cairn_walk_t *walk, bool counting)
{
    cairn_run_t run;

    for (uint32_t part = 0; part < walk->n_parts; ++part) {
        walk->run(walk, part, &run);
        for (uint32_t e = 0; e < run.n; ++e) {
            const uint32_t a = cairn_run_node(&run, e);
            const uint32_t b = cairn_run_other(&run, e);
            const cairn_real w = cairn_run_weight(&run, e);
            if (w > 0) {
                take_end(m, a, b, w, counting);
                take_end(m, b, a, w, counting);
            }
        }
    }
}

/* Sort the ends by node; weights of a node are added up, so that a draw is a search. */
static cairn_status sort_links(const cairn_walkers_memory_t *m, const cairn_walk_t *walk)
{
    const uint32_t n = walk->n_nodes;

    memset(m->start, 0, ((size_t)n + 1u) * sizeof *m->start);
    take_links(m, walk, true);
    for (uint32_t i = 1; i < n; ++i) {
        m->start[i] += m->start[i - 1u];
    }
    m->start[n] = m->start[n - 1u];
    if (m->start[n] > m->n_ends) {
        return CAIRN_ERR_SIZE;
    }
    take_links(m, walk, false);
    for (uint32_t i = 0; i < n && m->sum != NULL; ++i) {
        for (uint32_t e = m->start[i] + 1u; e < m->start[i + 1u]; ++e) {
            m->sum[e] += m->sum[e - 1u];
        }
    }
    return CAIRN_OK;
}

static uint32_t count_seeds(const cairn_walkers_t *self, uint32_t class_index)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < self->n_nodes; ++i) {
        n += self->seed[i] == class_index ? 1u : 0u;
    }
    return n;
}

/* The walker of the present class goes to one of its seeds. */
static void restart(cairn_walkers_t *self)
{
    uint32_t left = cairn_rng_below(&self->rng, self->class_seeds);

    for (uint32_t i = 0; i < self->n_nodes; ++i) {
        if (self->seed[i] == self->class_now && left-- == 0) {
            self->node = i;
            return;
        }
    }
}

/* The next class that has seeds takes its turn: a walk until it would go back to a seed. Walks take turns, so no class
 * is there before the others, and no class needs a place to be kept. */
static void begin_turn(cairn_walkers_t *self)
{
    self->class_seeds = 0;
    while (self->class_seeds == 0) { /* there is a seed */
        self->class_now = self->class_now + 1u < self->n_classes ? self->class_now + 1u : 0u;
        self->class_seeds = count_seeds(self, self->class_now);
    }
    restart(self);
}

cairn_status cairn_walkers_begin(cairn_walkers_t *self, const cairn_walkers_cfg_t *cfg,
                                 const cairn_walkers_memory_t *memory, const cairn_walk_t *walk, const uint8_t *seed,
                                 uint32_t n_classes)
{
    cairn_status status;
    uint32_t n_seeds = 0;

    if (self == NULL || cfg == NULL || memory == NULL || walk == NULL || seed == NULL || n_classes < 1 ||
        n_classes > CAIRN_WALKERS_UNKNOWN) {
        return CAIRN_ERR_ARG;
    }
    status = check(cfg, memory, walk);
    for (uint32_t i = 0; status == CAIRN_OK && i < walk->n_nodes; ++i) {
        n_seeds += seed[i] != CAIRN_WALKERS_UNKNOWN ? 1u : 0u;
        status = seed[i] != CAIRN_WALKERS_UNKNOWN && seed[i] >= n_classes ? CAIRN_ERR_ARG : status;
    }
    if (status == CAIRN_OK) {
        status = n_seeds > 0 ? sort_links(memory, walk) : CAIRN_ERR_ARG;
    }
    if (status != CAIRN_OK) {
        return status;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->memory = *memory;
    self->seed = seed;
    self->n_nodes = walk->n_nodes;
    self->n_classes = n_classes;
    self->class_now = n_classes - 1u;
    memset(memory->visits, 0, walk->n_nodes * sizeof *memory->visits);
    memset(memory->slot, CAIRN_WALKERS_UNKNOWN, (size_t)walk->n_nodes * cfg->n_slots);
    cairn_rng_init(&self->rng, cfg->seed, 0);
    begin_turn(self);
    return CAIRN_OK;
}

/* The first end whose added-up weight is above a uniform draw. */
static uint32_t draw_neighbour(cairn_walkers_t *self)
{
    const cairn_walkers_memory_t *m = &self->memory;
    uint32_t low = m->start[self->node];
    uint32_t high = m->start[self->node + 1u] - 1u;
    cairn_real at;

    if (m->sum == NULL) {
        return m->other[low + cairn_rng_below(&self->rng, high - low + 1u)];
    }
    at = cairn_rng_uniform(&self->rng) * m->sum[high];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2u;
        if (m->sum[middle] > at) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    return m->other[low];
}

/* Visit number i is kept with probability slots / i and then replaces any of those that are there. */
static void leave_label(cairn_walkers_t *self)
{
    uint32_t *visits = &self->memory.visits[self->node];
    const uint32_t n_slots = self->cfg->n_slots;
    uint32_t place;

    *visits += *visits < UINT32_MAX ? 1u : 0u;
    place = *visits <= n_slots ? *visits - 1u : cairn_rng_below(&self->rng, *visits);
    if (place < n_slots) {
        self->memory.slot[(size_t)self->node * n_slots + place] = (uint8_t)self->class_now;
    }
}

cairn_status cairn_walkers_step(cairn_walkers_t *self, uint32_t n_steps)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    for (uint32_t step = 0; step < n_steps; ++step) {
        const bool stuck = self->memory.start[self->node] == self->memory.start[self->node + 1u];
        leave_label(self);
        if (stuck || cairn_rng_uniform(&self->rng) < self->cfg->alpha) {
            begin_turn(self);
        } else {
            self->node = draw_neighbour(self);
        }
    }
    return CAIRN_OK;
}

/* Visits of a class among those that a node remembers. */
static uint32_t count_visits(const cairn_walkers_t *self, uint32_t node, uint8_t class_index)
{
    const uint8_t *slots = self->memory.slot + (size_t)node * self->cfg->n_slots;
    uint32_t count = 0;

    for (uint32_t s = 0; s < self->cfg->n_slots; ++s) {
        count += slots[s] == class_index ? 1u : 0u;
    }
    return count;
}

/* The same among those of its neighbours, through whom walkers come. */
static uint32_t count_around(const cairn_walkers_t *self, uint32_t node, uint8_t class_index)
{
    uint32_t count = 0;

    for (uint32_t e = self->memory.start[node]; e < self->memory.start[node + 1u]; ++e) {
        count += count_visits(self, self->memory.other[e], class_index);
    }
    return count;
}

/* Between two classes with as many visits. */
static bool goes_first(const cairn_walkers_t *self, uint32_t node, uint8_t class_index, uint8_t other)
{
    const uint32_t around = count_around(self, node, class_index);
    const uint32_t around_other = count_around(self, node, other);

    return around != around_other ? around > around_other : class_index < other;
}

uint8_t cairn_walkers_get_label(const cairn_walkers_t *self, uint32_t node)
{
    uint8_t label = CAIRN_WALKERS_UNKNOWN;
    uint32_t most = 0;

    for (uint32_t s = 0; node < self->n_nodes && s < self->cfg->n_slots; ++s) {
        const uint8_t here = self->memory.slot[(size_t)node * self->cfg->n_slots + s];
        const uint32_t count = here != label ? count_visits(self, node, here) : 0u;
        if (here != CAIRN_WALKERS_UNKNOWN &&
            (count > most || (count > 0 && count == most && goes_first(self, node, here, label)))) {
            most = count;
            label = here;
        }
    }
    return label;
}
