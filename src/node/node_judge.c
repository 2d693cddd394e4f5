/* SPDX-License-Identifier: MIT
 * What a node thinks of its place: settled, loose, or lost; and which neighbours it distrusts. */
#include "node/node_internal.h"

#define GOOD_COST    2.5f
#define GOOD_SPREAD  0.25f /* R^2: variance along the worst axis */
#define GOOD_STEP    0.1f  /* R */
#define GOOD_ENOUGH  4u
#define GOOD_MAX     12u
#define WORSE_COST   4.0f
#define WORSE_ROUNDS 10u
#define BAD_COST     25.0f
#define BAD_ROUNDS   5u
#define ALONE_ROUNDS 20u
#define LOST_AGE     4u /* neighbours older than this are dropped by a lost node */
#define LOST_WAY_AGE 20u
#define SUSPECT_MAX  15u
#define AGREE_MIN    4u
#define FIX_STD      0.2f /* R */

void cairn_node_set_stage(cairn_node_t *self, uint8_t stage)
{
    if (stage == CAIRN_STAGE_LOOSE && self->stage < CAIRN_STAGE_LOOSE) {
        self->rounds_loose = 0;
    }
    if (stage < CAIRN_STAGE_LOOSE || self->stage < CAIRN_STAGE_LOOSE) {
        self->velocity_m[0] = 0;
        self->velocity_m[1] = 0;
        self->covariance_m2[0] = 0;
        self->drift_m[0] = 0;
        self->drift_m[1] = 0;
        self->good = 0;
        self->bad = 0;
        self->worse = 0;
        self->alone = 0;
    }
    self->stage = stage;
}

/* Jump to a place that a trial has found. */
void cairn_node_land(cairn_node_t *self, const cairn_real *place_m)
{
    self->place_m[0] = place_m[0];
    self->place_m[1] = place_m[1];
    self->velocity_m[0] = 0;
    self->velocity_m[1] = 0;
    self->covariance_m2[0] = 0;
    if (self->stage < CAIRN_STAGE_LOOSE) {
        cairn_node_set_stage(self, CAIRN_STAGE_LOOSE);
        self->std_m = FIX_STD * self->cfg->radius_m;
    }
    self->rounds_loose = FLAT_ROUNDS;
}

/* Give the place up: what old neighbours and ways say may be of where the node was. */
void cairn_node_lose(cairn_node_t *self)
{
    cairn_node_count(&self->counters.n_relocks);
    cairn_node_set_stage(self, CAIRN_STAGE_UNPLACED);
    self->axis = false; /* it may have been carried off it */
    self->trial.steps_left = 0;
    self->flags &= (uint8_t) ~(CAIRN_BEACON_FLIP | CAIRN_BEACON_RESTORED);
    for (size_t i = 0; i < self->memory.n_far; ++i) {
        self->memory.far[i].age = NODE_FREE;
    }
    for (size_t i = 0; i < self->memory.n_ways; ++i) {
        self->memory.ways[i].age = self->memory.ways[i].age > LOST_WAY_AGE ? NODE_FREE : self->memory.ways[i].age;
    }
    for (size_t i = 0; i < self->memory.n_neighbours; ++i) {
        cairn_node_neighbour_t *neighbour = &self->memory.neighbours[i];
        const bool anchor = node_is_anchor(neighbour); /* it is where it was, heard or not */
        const uint8_t age = anchor && neighbour->range_age < neighbour->age ? neighbour->range_age : neighbour->age;
        neighbour->suspect &= 0xF0u;
        neighbour->used = age > LOST_AGE ? 0 : neighbour->used;
    }
}

/* A neighbour that disagrees while four others agree is ignored until it agrees again. */
static void suspect(cairn_node_t *self, const cairn_node_sums_t *sums)
{
    for (size_t i = 0; i < self->memory.n_neighbours; ++i) {
        cairn_node_neighbour_t *neighbour = &self->memory.neighbours[i];
        uint8_t count = neighbour->suspect & 0xFu;
        if ((sums->odd >> i & 1u) == 0) {
            count = (uint8_t)(count - (count > 0));
        } else if (sums->n_agree >= AGREE_MIN) {
            count = (uint8_t)(count + 2u < SUSPECT_MAX ? count + 2u : SUSPECT_MAX);
        }
        neighbour->suspect = (uint8_t)((neighbour->suspect & 0xF0u) | count);
    }
}

static void judge_loss(cairn_node_t *self)
{
    const bool bad = self->cost > BAD_COST;
    const bool worse = self->cost > WORSE_COST;

    self->bad = (uint8_t)(bad ? self->bad + 1u : 0);
    self->worse = (uint8_t)(worse ? self->worse + 1 : self->worse - (self->worse > 0));
    if (self->bad >= BAD_ROUNDS || self->alone >= ALONE_ROUNDS) {
        cairn_node_lose(self);
    } else if (self->worse >= WORSE_ROUNDS) {
        self->worse = 0;
        cairn_node_begin_trial(self);
    }
}

void cairn_node_judge(cairn_node_t *self, const cairn_node_sums_t *sums, const cairn_real *step_m)
{
    const cairn_real radius2 = self->cfg->radius_m * self->cfg->radius_m;
    const cairn_real step2 = cairn_dot(step_m, step_m, 2);
    const bool good = sums->n_used >= 3 && self->spread_m2 < GOOD_SPREAD * radius2 && self->cost < GOOD_COST &&
                      step2 < GOOD_STEP * GOOD_STEP * radius2;

    self->good =
        (uint8_t)(good ? self->good + (self->good < GOOD_MAX) : self->good - (self->good > 0) - (self->good > 1));
    self->alone = (uint8_t)(sums->n_used == 0 ? self->alone + 1u : 0);
    if (self->alone > 0) {
        self->good = 0;
    }
    if (self->good >= GOOD_ENOUGH) {
        self->flags &= (uint8_t)~CAIRN_BEACON_RESTORED;
        cairn_node_set_stage(self, CAIRN_STAGE_PLACED);
    } else {
        cairn_node_set_stage(self, CAIRN_STAGE_LOOSE);
    }
    if (self->rounds_loose > SETTLED_ROUNDS && !cairn_node_moves(self)) {
        suspect(self, sums);
    }
    judge_loss(self);
}
