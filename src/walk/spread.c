/* SPDX-License-Identifier: MIT
 * Spreading of labels: stages, slicing and getters. Classes are independent, so one at a time needs the memory of one;
 * only the best and second best score of each node are kept. */
#include "cairn/spread.h"

#include "walk/spread_internal.h"
#include "walk/walk_internal.h"

typedef enum spread_stage { SPREAD_IDLE = 0, SPREAD_DEGREE, SPREAD_WALK, SPREAD_DONE } spread_stage;

const cairn_spread_cfg_t cairn_spread_cfg_default = {CAIRN_SPREAD_MRW, 2, 200, 0.05f, 0, 1e-4f, 0, false};
const cairn_spread_cfg_t cairn_spread_cfg_harmonic = {CAIRN_SPREAD_HF, 2, 10, 0.05f, 0, 0, 0, true};

static cairn_status check_cfg(const cairn_spread_cfg_t *cfg)
{
    if (!cairn_isfinite(cfg->alpha) || !cairn_isfinite(cfg->beta) || !cairn_isfinite(cfg->tolerance) ||
        !cairn_isfinite(cfg->seed_weight)) {
        return CAIRN_ERR_NONFINITE;
    }
    if ((unsigned)cfg->method > CAIRN_SPREAD_HF || cfg->n_classes < 1 || cfg->rounds_max < 1 || !(cfg->alpha > 0) ||
        cfg->alpha > 1 || cfg->beta < 0 || cfg->beta > 1 - cfg->alpha || cfg->tolerance < 0 || cfg->seed_weight < 0) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

cairn_status cairn_spread_init(cairn_spread_t *self, const cairn_spread_cfg_t *cfg, const cairn_spread_memory_t *memory,
                               size_t capacity)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || memory == NULL || memory->work == NULL || memory->label == NULL ||
        capacity == 0 || capacity > WALK_CAPACITY_MAX) {
        return CAIRN_ERR_ARG;
    }
    status = check_cfg(cfg);
    if (status == CAIRN_OK) {
        status = walk_check_memory(memory->work, memory->n_work, CAIRN_SPREAD_REALS(capacity, cfg->n_classes, 0),
                                   memory->n_label, capacity);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->memory = *memory;
    self->capacity = (uint32_t)capacity;
    self->kept = memory->n_work >= CAIRN_SPREAD_REALS(capacity, cfg->n_classes, 1);
    memset(memory->label, CAIRN_SPREAD_UNKNOWN, capacity);
    for (size_t i = 0; i < capacity * (self->kept ? cfg->n_classes : 1u); ++i) {
        spread_scores(self, 0)[i] = 0;
    }
    return CAIRN_OK;
}

static cairn_status check_seeds(const cairn_spread_t *self, uint32_t n_nodes, const uint8_t *seed,
                                const cairn_real *weight)
{
    for (uint32_t i = 0; i < n_nodes; ++i) {
        if (seed[i] != CAIRN_SPREAD_UNKNOWN && weight != NULL && !cairn_isfinite(weight[i])) {
            return CAIRN_ERR_NONFINITE;
        }
        if (seed[i] != CAIRN_SPREAD_UNKNOWN &&
            (seed[i] >= self->cfg->n_classes || (weight != NULL && !(weight[i] > 0)))) {
            return CAIRN_ERR_ARG;
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_spread_begin(cairn_spread_t *self, const cairn_walk_t *walk, const uint8_t *seed,
                                const cairn_real *seed_weight, bool warm)
{
    cairn_status status;

    if (self == NULL || walk == NULL || walk->multiply == NULL || seed == NULL || (warm && !self->kept)) {
        return CAIRN_ERR_ARG;
    }
    if (walk->n_nodes > self->capacity) {
        return CAIRN_ERR_SIZE;
    }
    status = check_seeds(self, walk->n_nodes, seed, seed_weight);
    if (status != CAIRN_OK) {
        return status;
    }
    self->walk = *walk;
    self->seed = seed;
    self->seed_weight = seed_weight;
    self->warm = warm;
    self->converged = true;
    self->class_now = 0;
    self->rounds_most = 0;
    self->cursor = 0;
    self->stage = SPREAD_DEGREE;
    self->seeds_all = 0;
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        spread_degree(self)[i] = 0;
        spread_product(self)[i] = 1;
        spread_best(self)[i] = 0;
        spread_second(self)[i] = 0;
        self->memory.label[i] = CAIRN_SPREAD_UNKNOWN;
        self->seeds_all += seed[i] != CAIRN_SPREAD_UNKNOWN ? spread_seed_weight(self, i) : (cairn_real)0;
    }
    return CAIRN_OK;
}

/* Go on with a pass over the parts. Returns true when it is complete. */
static bool pass(cairn_spread_t *self, int64_t *operations)
{
    const uint32_t n_parts = self->walk.n_parts;
    const cairn_real each = n_parts > 0 ? self->walk.n_links / (cairn_real)n_parts : (cairn_real)0;
    const uint32_t cost = each < 1 ? 1u : each > 1e9f ? 1000000000u : (uint32_t)each;
    const bool degrees = self->stage == SPREAD_DEGREE;

    while (*operations > 0 && self->cursor < n_parts) {
        const int64_t want = *operations / cost + 1;
        const uint32_t left = n_parts - self->cursor;
        const uint32_t end = self->cursor + (want < (int64_t)left ? (uint32_t)want : left);
        *operations -= (int64_t)(end - self->cursor) * cost;
        self->walk.multiply(&self->walk, self->cursor, end, 1,
                            degrees ? spread_product(self) : spread_scores(self, self->class_now),
                            degrees ? spread_degree(self) : spread_product(self));
        self->cursor = end;
    }
    return self->cursor >= n_parts;
}

/* Begin with the next class that has seeds; done when there is none. */
static void begin_class(cairn_spread_t *self)
{
    self->cursor = 0;
    self->round = 0;
    for (; self->class_now < self->cfg->n_classes; ++self->class_now) {
        self->seeds_total = 0;
        for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
            self->seeds_total += self->seed[i] == self->class_now ? spread_seed_weight(self, i) : (cairn_real)0;
        }
        if (self->seeds_total > 0) {
            break;
        }
    }
    self->stage = self->class_now < self->cfg->n_classes ? SPREAD_WALK : SPREAD_DONE;
    if (self->stage == SPREAD_WALK) {
        self->cfg->method == CAIRN_SPREAD_MRW ? cairn_spread_mrw_begin(self) : cairn_spread_hf_begin(self);
    }
}

static void end_degrees(cairn_spread_t *self)
{
    for (uint32_t i = 0; i < self->walk.n_nodes && self->walk.stochastic; ++i) {
        spread_degree(self)[i] = spread_degree(self)[i] > 0 ? (cairn_real)1 : (cairn_real)0;
    }
    begin_class(self);
}

/* Compare the class with the best so far, node by node. The lowest class wins a tie. */
static void end_class(cairn_spread_t *self)
{
    const cairn_real *scores = spread_scores(self, self->class_now);
    cairn_real factor = 1;

    if (self->cfg->method == CAIRN_SPREAD_MRW) {
        cairn_spread_mrw_end(self);
    } else if (self->cfg->mass) {
        factor = cairn_spread_hf_factor(self);
    }
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        const cairn_real score = scores[i] * factor;
        if (score > spread_best(self)[i]) {
            spread_second(self)[i] = spread_best(self)[i];
            spread_best(self)[i] = score;
            self->memory.label[i] = self->class_now;
        } else if (score > spread_second(self)[i]) {
            spread_second(self)[i] = score;
        }
    }
    ++self->class_now;
    begin_class(self);
}

static void end_round(cairn_spread_t *self)
{
    const bool walks = self->cfg->method == CAIRN_SPREAD_MRW;
    const cairn_real change = walks ? cairn_spread_mrw_round(self) : cairn_spread_hf_round(self);
    const bool settled = change <= self->cfg->tolerance;

    self->cursor = 0;
    ++self->round;
    self->rounds_most = self->round > self->rounds_most ? self->round : self->rounds_most;
    if (settled || self->round >= self->cfg->rounds_max) {
        self->converged = self->converged && (settled || !walks);
        end_class(self);
    }
}

cairn_status cairn_spread_step(cairn_spread_t *self, uint32_t operations)
{
    int64_t left = operations > 0 ? (int64_t)operations : 1;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage == SPREAD_IDLE) {
        return CAIRN_ERR_STATE;
    }
    while (left > 0 && self->stage != SPREAD_DONE) {
        if (pass(self, &left)) {
            self->stage == SPREAD_DEGREE ? end_degrees(self) : end_round(self);
            left -= self->walk.n_nodes / 2u + 1u;
        }
    }
    if (self->stage != SPREAD_DONE) {
        return CAIRN_MORE;
    }
    return self->converged ? CAIRN_OK : CAIRN_NOT_CONVERGED;
}

uint8_t cairn_spread_get_label(const cairn_spread_t *self, uint32_t node)
{
    return node < self->capacity ? self->memory.label[node] : (uint8_t)CAIRN_SPREAD_UNKNOWN;
}

cairn_real cairn_spread_get_margin(const cairn_spread_t *self, uint32_t node)
{
    if (node >= self->walk.n_nodes || !(spread_best(self)[node] > 0)) {
        return 0;
    }
    return 1 - spread_second(self)[node] / spread_best(self)[node];
}

cairn_real cairn_spread_get_score(const cairn_spread_t *self, uint32_t node, uint8_t class_index)
{
    if (node >= self->walk.n_nodes || class_index >= self->cfg->n_classes) {
        return 0;
    }
    return spread_scores(self, class_index)[node];
}

uint32_t cairn_spread_get_rounds(const cairn_spread_t *self) { return self->rounds_most; }
