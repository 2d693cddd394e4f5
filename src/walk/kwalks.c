/* SPDX-License-Identifier: MIT
 * k-walks, the form with distributions. Source: Lin (2012), 9.8 and algorithm 10. Groups do not share nodes, so one
 * vector holds all their distributions, and one pass over the links that stay inside a group walks in all of them. */
#include "cairn/kwalks.h"

#include "walk/spread_internal.h"

#define PAGE_ROUNDS 30 /* of PageRank: .85^30 = .8 % is left of where it began */

typedef enum kwalks_stage {
    KWALKS_IDLE = 0,
    KWALKS_SPREAD,
    KWALKS_DEGREE, /* pass: degrees inside the groups */
    KWALKS_PAGE,   /* pass: a step of PageRank inside the groups */
    KWALKS_DONE
} kwalks_stage;

/* Behind the spreading's own work: the distributions; behind its labels: the groups they belong to. */
static cairn_real *distribution(const cairn_kwalks_t *self)
{
    return self->spread.memory.work + CAIRN_SPREAD_REALS(self->spread.capacity, 1, 0);
}

static uint8_t *group(const cairn_kwalks_t *self) { return self->spread.memory.label + self->spread.capacity; }

cairn_status cairn_kwalks_init(cairn_kwalks_t *self, const cairn_spread_cfg_t *cfg, cairn_real teleport,
                               uint16_t rounds_max, const cairn_spread_memory_t *memory, size_t capacity)
{
    cairn_kwalks_t ready;
    cairn_spread_memory_t own;
    cairn_status status;

    if (self == NULL || cfg == NULL || memory == NULL || cfg->method != CAIRN_SPREAD_MRW || rounds_max == 0) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(teleport)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!(teleport > 0) || teleport > 1) {
        return CAIRN_ERR_ARG;
    }
    if (memory->n_work < CAIRN_KWALKS_REALS(capacity) || memory->n_label < CAIRN_KWALKS_LABELS(capacity)) {
        return CAIRN_ERR_SIZE;
    }
    memset(&ready, 0, sizeof ready);
    own = *memory;
    own.n_work = CAIRN_SPREAD_REALS(capacity, 1, 0);
    status = cairn_spread_init(&ready.spread, cfg, &own, capacity);
    if (status == CAIRN_OK) {
        ready.teleport = teleport;
        ready.rounds_max = rounds_max;
        ready.spread.kept = false;
        *self = ready;
    }
    return status;
}

cairn_status cairn_kwalks_begin(cairn_kwalks_t *self, const cairn_walk_t *walk, const uint8_t *seed)
{
    cairn_status status;

    if (self == NULL || walk == NULL || walk->run == NULL || seed == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = cairn_spread_begin(&self->spread, walk, seed, NULL, false);
    if (status != CAIRN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        group(self)[i] = seed[i];
        distribution(self)[i] = 1;
    }
    self->spread.seed = group(self);
    self->spread.seed_weight = distribution(self);
    self->round = 0;
    self->cursor = 0;
    self->converged = false;
    self->stage = KWALKS_SPREAD;
    return CAIRN_OK;
}

/* Walk along the links that stay inside a group: degrees first, then the masses over the degrees. */
static void walk_inside(cairn_kwalks_t *self, uint32_t part)
{
    const uint8_t *own = group(self);
    const cairn_real *x = self->stage == KWALKS_DEGREE ? NULL : spread_scores(&self->spread, 0);
    cairn_real *y = self->stage == KWALKS_DEGREE ? spread_degree(&self->spread) : spread_product(&self->spread);
    cairn_run_t run;

    self->spread.walk.run(&self->spread.walk, part, &run);
    for (uint32_t e = 0; e < run.n; ++e) {
        const uint32_t a = cairn_run_node(&run, e);
        const uint32_t b = cairn_run_other(&run, e);
        const cairn_real weight = cairn_run_weight(&run, e);
        if (own[a] == own[b] && own[a] != CAIRN_SPREAD_UNKNOWN) {
            y[a] += weight * (x != NULL ? x[b] : (cairn_real)1);
            y[b] += weight * (x != NULL ? x[a] : (cairn_real)1);
        }
    }
}

/* Divide by the degree inside; a node without links inside keeps its mass. */
static cairn_real over_degree(const cairn_kwalks_t *self, uint32_t node, cairn_real mass)
{
    const cairn_real degree = spread_degree(&self->spread)[node];

    return degree > 0 ? mass / degree : (cairn_real)0;
}

static void begin_page(cairn_kwalks_t *self)
{
    cairn_real *x = spread_scores(&self->spread, 0);

    for (uint32_t i = 0; i < self->spread.walk.n_nodes; ++i) {
        x[i] = over_degree(self, i, 1);
        spread_product(&self->spread)[i] = 0;
    }
    self->page_round = 0;
    self->stage = KWALKS_PAGE;
}

/* Each node restarts with 1: the sum over a group is its size, which spreading divides by. */
static void end_page(cairn_kwalks_t *self)
{
    cairn_real *x = spread_scores(&self->spread, 0);
    cairn_real *y = spread_product(&self->spread);
    const bool last = ++self->page_round == PAGE_ROUNDS;

    for (uint32_t i = 0; i < self->spread.walk.n_nodes; ++i) {
        const cairn_real mass = self->teleport + (1 - self->teleport) * y[i];
        x[i] = over_degree(self, i, mass);
        y[i] = 0;
        distribution(self)[i] = last ? mass : distribution(self)[i];
    }
    if (last) {
        const cairn_status status =
            cairn_spread_begin(&self->spread, &self->spread.walk, group(self), distribution(self), false);
        self->stage = status == CAIRN_OK ? KWALKS_SPREAD : KWALKS_DONE; /* the seeds are ours, and good */
    }
}

static void end_spread(cairn_kwalks_t *self)
{
    uint32_t n_changed = 0;
    uint8_t *own = group(self);

    for (uint32_t i = 0; i < self->spread.walk.n_nodes; ++i) {
        n_changed += own[i] != self->spread.memory.label[i] ? 1u : 0u;
        own[i] = self->spread.memory.label[i];
        spread_degree(&self->spread)[i] = 0;
    }
    ++self->round;
    self->converged = n_changed == 0;
    self->stage = self->converged || self->round >= self->rounds_max ? KWALKS_DONE : KWALKS_DEGREE;
}

static void end_pass(cairn_kwalks_t *self)
{
    self->cursor = 0;
    if (self->stage == KWALKS_DEGREE) {
        begin_page(self);
    } else {
        end_page(self);
    }
}

/* A slice of spreading: a known part of the budget at a time. */
static void spread_slice(cairn_kwalks_t *self, int64_t *left)
{
    const cairn_status status = cairn_spread_step(&self->spread, (uint32_t)(*left < UINT32_MAX ? *left : UINT32_MAX));

    if (status == CAIRN_MORE) {
        *left = 0;
    } else {
        *left /= 2;
        end_spread(self);
    }
}

cairn_status cairn_kwalks_step(cairn_kwalks_t *self, uint32_t operations)
{
    int64_t left = operations > 0 ? (int64_t)operations : 1;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage == KWALKS_IDLE) {
        return CAIRN_ERR_STATE;
    }
    while (left > 0 && self->stage != KWALKS_DONE) {
        const uint32_t n_parts = self->spread.walk.n_parts;
        if (self->stage == KWALKS_SPREAD) {
            spread_slice(self, &left);
        } else if (self->cursor < n_parts) {
            walk_inside(self, self->cursor++);
            left -= 1 + (int64_t)(self->spread.walk.n_links / (cairn_real)n_parts);
        } else {
            end_pass(self);
            left -= self->spread.walk.n_nodes;
        }
    }
    if (self->stage != KWALKS_DONE) {
        return CAIRN_MORE;
    }
    return self->converged ? CAIRN_OK : CAIRN_NOT_CONVERGED;
}

uint8_t cairn_kwalks_get_label(const cairn_kwalks_t *self, uint32_t node)
{
    return node < self->spread.capacity ? group(self)[node] : (uint8_t)CAIRN_SPREAD_UNKNOWN;
}
