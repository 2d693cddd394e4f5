/* SPDX-License-Identifier: MIT
 * The descent of a node: one Newton step on its local cost a round, with momentum while nodes stay. A node that moves
 * descends only at first; then it follows its ranges, and a round takes a part of the step. */
#include "node/node_internal.h"

#define PRIOR_INFORMATION 0.25f /* of 1/R^2 */
#define STEP_MAX          0.5f  /* R */
#define FIRST_ROUNDS      4u
#define FAST_ROUNDS       20u
#define MOMENTUM_FIRST    0.7f
#define MOMENTUM          0.9f
#define STEP_FAST         0.6f
#define TOLD_DRIFT        0.7f  /* of the velocity, into the drift of told places: */
#define DRIFT_RATE        0.1f  /* a mean of the last rounds, of which the present one counts so much */
#define TOLD              0.85f /* share of what neighbours tell: codes round deviations up */
#define DOUBT_ROUNDS      16u
#define DOUBT_COST        2.5f /* a node that settles no better than this ... */
#define ASTRAY_COST       2.5f /* a node that follows its ranges and fits them so badly descends all the same ... */
#define REFIT             0.6f /* ... and one that fits them by this share of a step: far nodes push, too */
#define DOUBT_STD         0.2f /* R: ... does not pull those that have settled */

/* Deviation per coordinate, and the variance along the worst axis: what the neighbours' own deviations allow. A bound
 * that ignores correlation; each neighbour enters once a round with its present value, never summed over rounds. While
 * nodes move, errors that neighbours share have no time to die away: the mean of their variances is added, so that who
 * is near an anchor pulls the others. */
static void find_deviation(cairn_node_t *self, const cairn_node_sums_t *sums)
{
    const cairn_real prior = PRIOR_INFORMATION / (self->cfg->radius_m * self->cfg->radius_m);
    const cairn_real xx = sums->information[0] + prior;
    const cairn_real yy = sums->information[2] + prior;
    const cairn_real xy = sums->information[1];
    const cairn_real half = 0.5f * (xx + yy);
    const cairn_real det = cairn_max(xx * yy - xy * xy, prior * half); /* as it is at least: a line rounds to nothing */
    const cairn_real spread = cairn_sqrt(0.25f * (xx - yy) * (xx - yy) + xy * xy);
    cairn_real variance_m2 = half / det;

    if (cairn_node_follows(self)) {
        variance_m2 = 0.5f * (self->covariance_m2[0] + self->covariance_m2[2] + TOLD * sums->told / half);
    }
    self->std_m = cairn_sqrt(variance_m2);
    self->spread_m2 = (half + spread) / det; /* 1 / smaller eigenvalue */
    if (self->rounds_loose > DOUBT_ROUNDS && self->stage == CAIRN_STAGE_LOOSE && self->cost > DOUBT_COST) {
        self->std_m = cairn_max(self->std_m, DOUBT_STD * self->cfg->radius_m);
    }
}

/* The velocity after a step: momentum that dies away, or motion that lasts. Momentum is for errors that many nodes share;
 * anchors have none. */
static void move(cairn_node_t *self, const cairn_node_sums_t *sums, const cairn_real *step_m)
{
    const cairn_real share = (cairn_real)sums->n_free / (cairn_real)sums->n_used;
    const bool plain = (self->cfg->options & CAIRN_NODE_MONOTONE) != 0;
    const bool fast = self->rounds_loose > FAST_ROUNDS;
    cairn_real keep = share * (fast ? MOMENTUM : MOMENTUM_FIRST);
    cairn_real gain = fast ? 1 - (1 - STEP_FAST) * share : 1;

    if (plain || self->rounds_loose < FIRST_ROUNDS || cairn_node_moves(self)) {
        keep = 0;
        gain = plain ? 0.5f : 1;
    }
    for (size_t k = 0; k < 2; ++k) {
        self->velocity_m[k] = keep * self->velocity_m[k] + gain * step_m[k];
    }
    cairn_node_clip(self->velocity_m, STEP_MAX * self->cfg->radius_m);
    cairn_node_shift(self->place_m, 1, self->velocity_m);
    if (self->axis) { /* the second node of an agreed frame stays on its axis */
        self->place_m[1] = 0;
        self->velocity_m[1] = 0;
    }
    cairn_node_shift(self->drift_m, -DRIFT_RATE, self->drift_m);
    cairn_node_shift(self->drift_m, DRIFT_RATE * TOLD_DRIFT, self->velocity_m);
}

void cairn_node_descend(cairn_node_t *self)
{
    cairn_node_sums_t sums;
    cairn_real step_m[2];

    cairn_node_evaluate(self, self->place_m, PART_ALL, &sums);
    cairn_node_newton(self, &sums, STEP_MAX * self->cfg->radius_m, step_m);
    self->cost = 2 * sums.cost / (cairn_real)(sums.n_used + 1);
    if (sums.n_used > 0 && cairn_all_finite(step_m, 2)) {
        if (!cairn_node_follows(self)) {
            move(self, &sums, step_m);
        } else if (!self->axis) {
            cairn_node_shift(self->place_m, self->cost > ASTRAY_COST ? 1 : REFIT, step_m);
        }
    }
    find_deviation(self, &sums);
    cairn_node_judge(self, &sums, step_m);
}
