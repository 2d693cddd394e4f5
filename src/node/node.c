/* SPDX-License-Identifier: MIT
 * A sensor node: start, rounds, and what it knows. After "Geometric Methods in Machine Learning and Data Mining" (2012),
 * chapter 5: each node places itself against its neighbours; here with Newton steps, momentum and one broadcast a
 * round. */
#include "node/node_internal.h"

#define SLOTS_MAX       32u
#define NOISE_MAX       1.0f
#define LENGTH_LEAST_M  1e-6f /* fourth powers of lengths lie well within float */
#define LENGTH_MOST_M   1e6f
#define VARIANCE_FLOOR  1.0e-6f /* R^2: a declared noise of zero is taken as a thousandth of R */
#define SEED_STD        0.8f    /* R */
#define REPORTED_STD    1.6f    /* of the broadcast deviation: correlations are not in it */
#define RESTORED_STD2   0.01f   /* R^2 added to a snapshot's variance */
#define TRIAL_EVERY     8u      /* rounds */
#define MOVING_ROUNDS   12u     /* rounds in which ways spread between nodes that move: they are never quiet */
#define HASTE           3u      /* steps of a trial in a round without descent */
#define HASH_MULTIPLIER UINT32_C(0x9E3779B1)

int16_t cairn_node_grid_step(cairn_real steps)
{
    const cairn_real bounded = cairn_node_clamp(steps, -GRID_MAX, GRID_MAX);

    return (int16_t)(bounded + (bounded < 0 ? -0.5f : 0.5f));
}

/* The slot that comes next, by turns. */
uint8_t cairn_node_turn(uint8_t slot, uint8_t n_slots) { return (uint8_t)(slot + 1u < n_slots ? slot + 1u : 0); }

void cairn_node_to_grid(const cairn_node_t *self, const cairn_real *place_m, int16_t *place)
{
    place[0] = cairn_node_grid_step(place_m[0] / self->cfg->grid_m);
    place[1] = cairn_node_grid_step(place_m[1] / self->cfg->grid_m);
}

void cairn_node_to_metres(const cairn_node_t *self, const int16_t *place, cairn_real *place_m)
{
    place_m[0] = self->cfg->grid_m * (cairn_real)place[0];
    place_m[1] = self->cfg->grid_m * (cairn_real)place[1];
}

cairn_real cairn_node_variance(const cairn_node_t *self, cairn_real distance_m)
{
    const cairn_real relative_m = self->cfg->noise_rel * distance_m;
    const cairn_real variance = relative_m * relative_m + self->cfg->noise_abs_m * self->cfg->noise_abs_m;

    return cairn_max(variance, VARIANCE_FLOOR * self->cfg->radius_m * self->cfg->radius_m);
}

bool cairn_node_moves(const cairn_node_t *self) { return self->cfg->move_m > 0; }

/* The numbers lie side by side. */
typedef char numbers_lie_side_by_side
    [offsetof(cairn_node_cfg_t, tag) == offsetof(cairn_node_cfg_t, anchor_m) + 2 * sizeof(cairn_real) ? 1 : -1];

enum {
    N_NUMBERS = (offsetof(cairn_node_cfg_t, tag) - offsetof(cairn_node_cfg_t, grid_m)) / sizeof(cairn_real),
    N_LENGTHS = N_NUMBERS - 2 /* those before the anchor's place */
};

/* All numbers finite, those before the anchor's place not negative. */
static cairn_status check_numbers(const cairn_node_cfg_t *cfg)
{
    const cairn_real *number =
        (const cairn_real *)(const void *)((const uint8_t *)cfg + offsetof(cairn_node_cfg_t, grid_m));

    if (!cairn_all_finite(number, N_NUMBERS)) {
        return CAIRN_ERR_NONFINITE;
    }
    for (size_t i = 0; i < N_LENGTHS; ++i) {
        if (number[i] < 0) {
            return CAIRN_ERR_ARG;
        }
    }
    return CAIRN_OK;
}

static CAIRN_NOINLINE bool is_on_grid(const cairn_node_cfg_t *cfg, const cairn_real *place_m)
{
    const cairn_real reach_m = GRID_MAX * cfg->grid_m;

    return cairn_abs(place_m[0]) <= reach_m && cairn_abs(place_m[1]) <= reach_m;
}

static bool is_valid_cfg(const cairn_node_cfg_t *cfg)
{
    return cfg->grid_m > 0 && cfg->radius_m > 4 * cfg->grid_m && cfg->radius_m >= LENGTH_LEAST_M &&
           cfg->radius_m <= LENGTH_MOST_M && cfg->noise_rel <= NOISE_MAX && cfg->noise_abs_m <= cfg->radius_m &&
           cfg->range_max_m > 0 && cfg->range_max_m <= LENGTH_MOST_M && cfg->move_m <= cfg->radius_m &&
           cfg->move_keep < 1 && is_on_grid(cfg, cfg->anchor_m);
}

static bool is_valid_size(uint8_t n, uint8_t least) { return n >= least && n <= 2 * SLOTS_MAX; }

static void clear_memory(const cairn_node_memory_t *memory)
{
    memset(memory->neighbours, 0, memory->n_neighbours * sizeof *memory->neighbours);
    memset(memory->far, NODE_FREE, memory->n_far * sizeof *memory->far);
    memset(memory->ways, NODE_FREE, memory->n_ways * sizeof *memory->ways);
}

cairn_status cairn_node_init(cairn_node_t *self, const cairn_node_cfg_t *cfg, const cairn_node_memory_t *memory,
                             uint32_t seed)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || memory == NULL || memory->neighbours == NULL || memory->far == NULL ||
        memory->ways == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = check_numbers(cfg);
    if (status != CAIRN_OK) {
        return status;
    }
    if (!is_valid_cfg(cfg)) {
        return CAIRN_ERR_ARG;
    }
    if (!is_valid_size(memory->n_neighbours, 3) || memory->n_neighbours > SLOTS_MAX ||
        !is_valid_size(memory->n_far, 1) || !is_valid_size(memory->n_ways, 3)) {
        return CAIRN_ERR_SIZE;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->memory = *memory;
    clear_memory(memory);
    self->id = cfg->id;
    self->sent = ((seed ^ cfg->id) * HASH_MULTIPLIER) >> 24; /* a restart is seen as one */
    self->loss = 1;
    self->std_m = SEED_STD * cfg->radius_m;
    self->spread_m2 = cfg->radius_m * cfg->radius_m;
    if ((cfg->options & CAIRN_NODE_IS_ANCHOR) != 0) {
        self->place_m[0] = cfg->anchor_m[0];
        self->place_m[1] = cfg->anchor_m[1];
        self->std_m = 0;
        self->stage = CAIRN_STAGE_ANCHOR;
        self->rounds_loose = FLAT_ROUNDS; /* an anchor does not descend: few neighbours in a beacon */
    }
    return CAIRN_OK;
}

/* A node without a place: neighbours that are sure, else the lengths of ways. */
static void seek(cairn_node_t *self)
{
    self->rounds_loose = FLAT_ROUNDS; /* what a trial reckons with */
    cairn_node_begin_trial(self);
    for (unsigned k = 0; k < HASTE; ++k) { /* nothing else to compute in this round */
        cairn_node_step_trial(self);
    }
    if (self->trial.steps_left > 0 || self->stage >= CAIRN_STAGE_LOOSE) {
        return;
    }
    if (cairn_node_seed(self)) {
        const bool ready = self->quiet >= QUIET_ROUNDS || (cairn_node_moves(self) && self->rounds > MOVING_ROUNDS);
        self->std_m = SEED_STD * self->cfg->radius_m;
        cairn_node_set_stage(self, ready ? CAIRN_STAGE_LOOSE : CAIRN_STAGE_SEED);
    } else if ((self->cfg->options & CAIRN_NODE_NO_ANCHORS) != 0) {
        cairn_node_claim(self);
    }
}

static void settle(cairn_node_t *self)
{
    cairn_node_descend(self);
    self->rounds_loose = (uint16_t)(self->rounds_loose + (self->rounds_loose < UINT16_MAX));
    /* a trial takes longer than a place of a moving node lasts */
    if (!cairn_node_moves(self) && self->rounds_loose > SPRING_ROUNDS && (self->rounds + self->id) % TRIAL_EVERY == 0) {
        cairn_node_begin_trial(self);
    }
    cairn_node_step_trial(self);
}

/* Whether the time of a call goes back; counted. Before the first round there is none that it could go back to. */
bool cairn_node_is_stale(cairn_node_t *self, uint32_t t_us)
{
    if (self->rounds > 0 && t_us - self->t_us > UINT32_MAX / 2u) {
        cairn_node_count(&self->counters.n_stale);
        return true;
    }
    return false;
}

cairn_status cairn_node_tick(cairn_node_t *self, uint32_t t_us)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (cairn_node_is_stale(self, t_us)) {
        return CAIRN_ERR_STALE;
    }
    self->t_us = t_us;
    self->rounds = (uint16_t)(self->rounds + (self->rounds < UINT16_MAX));
    cairn_node_age(self);
    cairn_node_begin_round(self);
    if (self->stage <= CAIRN_STAGE_SEED) {
        seek(self);
    } else if (self->stage != CAIRN_STAGE_ANCHOR) {
        settle(self);
    }
    self->quiet = node_older(self->quiet);
    return CAIRN_OK;
}

cairn_status cairn_node_get_place(const cairn_node_t *self, cairn_real *place_m, cairn_real *std_m)
{
    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage == CAIRN_STAGE_UNPLACED) {
        return CAIRN_UNPLACED;
    }
    place_m[0] = self->place_m[0];
    place_m[1] = self->place_m[1];
    if (std_m != NULL) {
        *std_m = REPORTED_STD * self->std_m;
    }
    if (self->stage < CAIRN_STAGE_PLACED) {
        return CAIRN_NOT_CONVERGED;
    }
    return (self->flags & CAIRN_BEACON_FLIP) != 0 ? CAIRN_FLIP_POSSIBLE : CAIRN_OK;
}

cairn_node_stage cairn_node_get_stage(const cairn_node_t *self) { return (cairn_node_stage)self->stage; }

uint8_t cairn_node_get_flags(const cairn_node_t *self) { return self->flags; }

const cairn_node_counters_t *cairn_node_get_counters(const cairn_node_t *self) { return &self->counters; }

cairn_real cairn_node_get_cost(const cairn_node_t *self) { return self->cost; }

cairn_status cairn_node_set_place(cairn_node_t *self, const cairn_real *place_m, cairn_real std_m)
{
    if (self == NULL || place_m == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_all_finite(place_m, 2) || !cairn_isfinite(std_m)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!(std_m >= 0 && std_m <= LENGTH_MOST_M && is_on_grid(self->cfg, place_m))) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage == CAIRN_STAGE_ANCHOR) {
        return CAIRN_ERR_STATE;
    }
    self->trial.steps_left = 0;
    cairn_node_set_stage(self, CAIRN_STAGE_UNPLACED);
    cairn_node_land(self, place_m);
    self->std_m = cairn_sqrt(4 * std_m * std_m + RESTORED_STD2 * self->cfg->radius_m * self->cfg->radius_m);
    self->flags |= CAIRN_BEACON_RESTORED;
    return CAIRN_OK;
}
