/* SPDX-License-Identifier: MIT
 * Trial places, half an evaluation a round: from the mean of the neighbours that it can build on, and from a mirror image of
 * the present place. The cheaper one is taken if it is clearly cheaper than the present place. */
#include "node/node_internal.h"

#define TRIAL_STEPS 9u   /* of a candidate: its start, then half evaluations; the last two move it no more */
#define CANDIDATES  2u   /* the mean, a mirror image */
#define CHEAPER     1.0f /* by which another place must win */
#define APART       0.2f /* R: nearer than this it is the same place */
#define STEP_MAX    0.5f /* R */

static uint8_t mean_place(const cairn_node_t *self, cairn_real *mean_m)
{
    uint8_t n = 0;

    mean_m[0] = 0;
    mean_m[1] = 0;
    for (size_t i = 0; i < self->memory.n_neighbours; ++i) {
        cairn_real at_m[2];
        if (cairn_node_supports(self, &self->memory.neighbours[i])) {
            cairn_node_to_metres(self, self->memory.neighbours[i].place, at_m);
            ++n;
            cairn_node_subtract(at_m, mean_m);
            cairn_node_shift(mean_m, 1 / (cairn_real)n, at_m);
        }
    }
    return n;
}

/* The mirror image in a line through the neighbours' mean, which the trial stands at, and one of them, of each by turns: a
 * node on the wrong side of those that hold it comes from one of these places to the right one. */
static void reflect(cairn_node_t *self)
{
    const cairn_node_neighbour_t *neighbour;
    cairn_real *image_m = self->trial.place_m;
    cairn_real along_m[2];
    cairn_real offset_m[2] = {self->place_m[0], self->place_m[1]};

    do {
        self->trial.pivot = cairn_node_turn(self->trial.pivot, self->memory.n_neighbours);
        neighbour = &self->memory.neighbours[self->trial.pivot];
    } while (!cairn_node_supports(self, neighbour));
    cairn_node_to_metres(self, neighbour->place, along_m);
    (void)cairn_node_direction(self, neighbour->id, along_m, image_m, along_m);
    cairn_node_subtract(offset_m, image_m);
    cairn_node_subtract(image_m, offset_m);
    cairn_node_shift(image_m, 2 * cairn_dot(offset_m, along_m, 2), along_m);
}

void cairn_node_begin_trial(cairn_node_t *self)
{
    if (self->trial.steps_left == 0) {
        self->trial.steps_left = TRIAL_STEPS;
        self->trial.candidate = 0;
        self->trial.best_cost = CAIRN_REAL_MAX;
    }
}

/* The start of a candidate; false: too few neighbours to build on. A node without a place goes on from the first one: what
 * it comes from is farther off. */
static bool start_candidate(cairn_node_t *self)
{
    cairn_node_trial_t *trial = &self->trial;

    if (trial->candidate > 0 && self->stage < CAIRN_STAGE_LOOSE) {
        return true;
    }
    if (mean_place(self, trial->place_m) < 3) {
        return false;
    }
    if (trial->candidate > 0) {
        reflect(self);
    }
    return true;
}

/* Keep a candidate that is the best so far, and not where the node is already. */
static void keep_best(cairn_node_t *self, cairn_real cost)
{
    cairn_node_trial_t *trial = &self->trial;
    cairn_real way_m[2] = {trial->place_m[0], trial->place_m[1]};
    bool apart;

    cairn_node_subtract(way_m, self->place_m);
    apart = cairn_dot(way_m, way_m, 2) > APART * APART * self->cfg->radius_m * self->cfg->radius_m;
    if (cost < trial->best_cost && (apart || self->stage < CAIRN_STAGE_LOOSE)) {
        trial->best_cost = cost;
        trial->best_m[0] = trial->place_m[0];
        trial->best_m[1] = trial->place_m[1];
    }
}

/* The trial has ended: its best place against the present one of this round. */
static void decide(cairn_node_t *self, cairn_real now)
{
    const cairn_node_trial_t *trial = &self->trial;

    self->flags &= (uint8_t)~CAIRN_BEACON_FLIP;
    if (self->stage < CAIRN_STAGE_LOOSE || trial->best_cost < now - CHEAPER) {
        cairn_node_count(&self->counters.n_mirrors);
        cairn_node_land(self, trial->best_m);
    } else if (trial->best_cost < now + CHEAPER) {
        self->flags |= CAIRN_BEACON_FLIP;
    }
}

void cairn_node_step_trial(cairn_node_t *self)
{
    cairn_node_trial_t *trial = &self->trial;
    cairn_real step_m[2];

    if (trial->steps_left == 0) {
        return;
    }
    --trial->steps_left;
    if (trial->steps_left == TRIAL_STEPS - 1u) {
        trial->steps_left = start_candidate(self) ? trial->steps_left : 0;
        return;
    }
    cairn_node_evaluate(self, trial->place_m, trial->steps_left % 2 != 0 ? PART_FIRST : PART_SECOND, &trial->sums);
    if (trial->steps_left % 2 != 0) {
        return;
    }
    if (trial->steps_left > 0) {
        cairn_node_newton(self, &trial->sums, STEP_MAX * self->cfg->radius_m, step_m);
        cairn_node_shift(trial->place_m, 1, step_m);
        return;
    }
    keep_best(self, trial->sums.cost);
    if (++trial->candidate < CANDIDATES) {
        trial->steps_left = TRIAL_STEPS;
        return;
    }
    decide(self, 0.5f * self->cost * (cairn_real)(trial->sums.n_used + 1));
}
