/* SPDX-License-Identifier: MIT
 * Trial places, one evaluation a round: the mirror image of a node in its neighbours' axis, and a fix from neighbours
 * that know where they are. */
#include "node/node_internal.h"

#define MIRROR_STEPS 5u /* the last one only evaluates */
#define FIX_STEPS    6u
#define FIX_PLACES   3u   /* mean of the neighbours, and the two meeting points of two circles */
#define CHEAPER      2.0f /* by which another place must win */
#define CHEAPER_FAR  5.0f /* ... when near neighbours are left out */
#define SKIP_NEAR    0.4f /* R */
#define APART        0.2f /* R: nearer than this it is the same place */
#define STEP_MAX     0.5f /* R */

static bool is_sure(const cairn_node_neighbour_t *neighbour)
{
    return cairn_node_usable(neighbour) && neighbour->stage >= CAIRN_STAGE_PLACED;
}

void cairn_node_begin_mirror(cairn_node_t *self)
{
    cairn_real sums[6] = {0, 0, 0, 0, 0, 0}; /* x, y, xx, xy, yy, n */
    cairn_real axis[2];

    for (uint8_t i = 0; i < self->memory.n_neighbours; ++i) {
        cairn_real at_m[2];
        if (cairn_node_usable(&self->memory.neighbours[i])) {
            cairn_node_to_metres(self, self->memory.neighbours[i].place, at_m);
            cairn_node_scatter(self, at_m, sums);
        }
    }
    if (!cairn_node_axis(sums, 1, axis)) {
        return;
    }
    self->trial.place_m[0] = self->place_m[0];
    self->trial.place_m[1] = self->place_m[1];
    sums[0] += self->place_m[0];
    sums[1] += self->place_m[1];
    cairn_node_reflect(sums, axis, self->trial.place_m);
    self->trial.kind = TRIAL_MIRROR;
    self->trial.candidate = FIX_PLACES;
    self->trial.steps_left = MIRROR_STEPS;
    self->trial.best_cost = CAIRN_REAL_MAX;
}

static void mean_place(const cairn_node_t *self, cairn_real *place_m)
{
    cairn_real n = 0;

    place_m[0] = 0;
    place_m[1] = 0;
    for (uint8_t i = 0; i < self->memory.n_neighbours; ++i) {
        cairn_real at_m[2];
        if (is_sure(&self->memory.neighbours[i])) {
            cairn_node_to_metres(self, self->memory.neighbours[i].place, at_m);
            n += 1;
            place_m[0] += (at_m[0] - place_m[0]) / n;
            place_m[1] += (at_m[1] - place_m[1]) / n;
        }
    }
}

/* A pair of sure neighbours whose circles meet: the first by turns, so that no bad one spoils every fix; the second the
 * farthest from it. */
static bool find_pair(const cairn_node_t *self, const cairn_node_neighbour_t **pair)
{
    const uint8_t n = self->memory.n_neighbours;
    cairn_real farthest2 = 0;

    pair[0] = NULL;
    pair[1] = NULL;
    for (uint8_t k = 0; k < n && !(farthest2 > 0); ++k) {
        const cairn_node_neighbour_t *a = &self->memory.neighbours[(uint8_t)(self->trial.turn + k) % n];
        for (uint8_t j = 0; j < n && is_sure(a); ++j) {
            const cairn_node_neighbour_t *b = &self->memory.neighbours[j];
            const cairn_real x = self->cfg->grid_m * ((cairn_real)a->place[0] - (cairn_real)b->place[0]);
            const cairn_real y = self->cfg->grid_m * ((cairn_real)a->place[1] - (cairn_real)b->place[1]);
            const cairn_real d2 = x * x + y * y;
            const cairn_real sum_m = a->range_m + b->range_m;
            const cairn_real difference_m = a->range_m - b->range_m;
            if (is_sure(b) && d2 > farthest2 && d2 < sum_m * sum_m && d2 > difference_m * difference_m) {
                farthest2 = d2;
                pair[0] = a;
                pair[1] = b;
            }
        }
    }
    return pair[0] != NULL && pair[1] != NULL;
}

/* Where the circles around a pair meet, on one side. */
static bool meet(const cairn_node_t *self, bool left, cairn_real *place_m)
{
    const cairn_node_neighbour_t *pair[2];
    cairn_real a_m[2];
    cairn_real b_m[2];
    cairn_real d2;
    cairn_real along;
    cairn_real across;

    if (!find_pair(self, pair)) {
        return false;
    }
    cairn_node_to_metres(self, pair[0]->place, a_m);
    cairn_node_to_metres(self, pair[1]->place, b_m);
    b_m[0] -= a_m[0];
    b_m[1] -= a_m[1];
    d2 = b_m[0] * b_m[0] + b_m[1] * b_m[1];
    along = 0.5f * (1 + (pair[0]->range_m * pair[0]->range_m - pair[1]->range_m * pair[1]->range_m) / d2);
    across = cairn_sqrt(cairn_max(0, pair[0]->range_m * pair[0]->range_m / d2 - along * along));
    across = left ? across : -across;
    place_m[0] = a_m[0] + along * b_m[0] - across * b_m[1];
    place_m[1] = a_m[1] + along * b_m[1] + across * b_m[0];
    return true;
}

/* The next starting place of a fix; skips those that do not exist. */
static bool next_candidate(cairn_node_t *self)
{
    cairn_node_trial_t *trial = &self->trial;

    while (trial->candidate < FIX_PLACES) {
        const uint8_t candidate = trial->candidate++;
        trial->steps_left = FIX_STEPS;
        if (candidate == 0) {
            mean_place(self, trial->place_m);
            return true;
        }
        if (meet(self, candidate == 1, trial->place_m)) {
            return true;
        }
    }
    return false;
}

void cairn_node_begin_fix(cairn_node_t *self)
{
    if (cairn_node_count_placed(self) < 3) {
        return;
    }
    self->trial.kind = TRIAL_FIX;
    ++self->trial.turn;
    self->trial.candidate = 0;
    self->trial.best_cost = CAIRN_REAL_MAX;
    (void)next_candidate(self);
}

/* The trial has ended: compare its best place with the present one, both with the neighbours of this round. */
static void decide(cairn_node_t *self, const node_terms_t *terms)
{
    const cairn_node_trial_t *trial = &self->trial;
    const cairn_real x = trial->best_m[0] - self->place_m[0];
    const cairn_real y = trial->best_m[1] - self->place_m[1];
    const bool apart = x * x + y * y > APART * APART * self->cfg->radius_m * self->cfg->radius_m;
    const bool mirror = trial->kind == TRIAL_MIRROR;
    const cairn_real margin = terms->skip_m > 0 ? CHEAPER_FAR : CHEAPER;
    node_sums_t now;

    self->trial.kind = TRIAL_NONE;
    if (self->stage < CAIRN_STAGE_LOOSE) {
        cairn_node_land(self, trial->best_m);
        return;
    }
    cairn_node_evaluate(self, self->place_m, terms, &now);
    if (apart && trial->best_cost < now.cost - margin) {
        node_count(mirror ? &self->counters.n_mirrors : &self->counters.n_relocks);
        cairn_node_land(self, trial->best_m);
    }
    if (mirror) {
        const bool open = apart && trial->best_cost < now.cost + CHEAPER;
        self->flags = (uint8_t)((self->flags & ~CAIRN_BEACON_FLIP) | (open ? CAIRN_BEACON_FLIP : 0));
    }
}

void cairn_node_step_trial(cairn_node_t *self)
{
    cairn_node_trial_t *trial = &self->trial;
    node_terms_t terms;
    node_sums_t sums;
    cairn_real step_m[2];

    if (trial->kind == TRIAL_NONE) {
        return;
    }
    cairn_node_terms(self, &terms);
    terms.push = NODE_PUSH;
    terms.lift_m = 0;
    terms.skip_m = trial->kind == TRIAL_FIX && trial->turn % 2 == 0 ? SKIP_NEAR * self->cfg->radius_m : 0;
    cairn_node_evaluate(self, trial->place_m, &terms, &sums);
    if (trial->steps_left > 1) {
        cairn_node_newton(self, &sums, STEP_MAX * self->cfg->radius_m, step_m);
        trial->place_m[0] += step_m[0];
        trial->place_m[1] += step_m[1];
        --trial->steps_left;
        return;
    }
    if (sums.cost < trial->best_cost) {
        trial->best_cost = sums.cost;
        trial->best_m[0] = trial->place_m[0];
        trial->best_m[1] = trial->place_m[1];
    }
    if (!next_candidate(self)) {
        decide(self, &terms);
    }
}
