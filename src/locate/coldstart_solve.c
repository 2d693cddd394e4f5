/* SPDX-License-Identifier: MIT
 * Outer steps of the solver (Levenberg 1944, Marquardt 1963): list the pairs, cost and gradient, a step by conjugate
 * gradients. A step that raised the cost is halved, at most three times, and the damping grows. */
#include "locate/coldstart_internal.h"

#define HALVINGS_MAX   3u
#define DAMPING_GROWTH 4
#define DAMPING_LEAST  1e-3f
#define STEP_MAX       0.5f /* of the radio range, a node and step */
#define STOP_NOISE     0.05f /* deviations of a range as long as the radio range: where that is sharp, steps still tell */
#define GAIN_SHARE     1e-3f
#define COARSE_EVERY   8u    /* outer steps between two assemblies of the coarse level */
#define STRETCH_LENGTH 1.1f  /* relative variance of a range, beside that of one as long as the radio range */
#define STRETCH_NOISE  0.1f  /* of relative variance: as far as the expansion holds */
#define STRETCH_FREE   0.5f  /* free nodes a range: with more no place errs on its own */
#define SIGMA_WIDE     0.25f /* from this noise on a range says little of how short the distance may be */

void cairn_coldstart_set_noise(cairn_coldstart_t *self, cairn_real soft, cairn_real push)
{
    const cairn_network_cfg_t *cfg = self->network->cfg;
    const cairn_real sigma = cfg->noise_rel;
    const cairn_real least = 1 / (1 + 3 * sigma);
    const cairn_real most = sigma < SIGMA_WIDE ? 1 / (1 - 2 * sigma) : 2;
    const bool fine = cairn_coldstart_is_fine(self) && self->stage >= CAIRN_COLDSTART_FINAL;
    const cairn_real floor_m = (fine ? COLDSTART_SHORT_FINE : COLDSTART_SHORT) * self->radio_range_m;

    self->noise.soft2 = soft * soft;
    self->noise.abs2 = cfg->noise_abs_m * cfg->noise_abs_m;
    self->noise.rel2 = cairn_max(sigma * sigma, self->noise.soft2);
    self->noise.least2 = least * least;
    self->noise.most2 = most * most;
    self->noise.floor2 = floor_m * floor_m;
    self->unit_weight =
        1 / cairn_max(self->unit_variance, self->noise.soft2 * self->radio_range_m * self->radio_range_m);
    self->push_weight = push * self->unit_weight;
}

/* Places that err on their own are farther apart than the true ones, by v^2 / (2 d) for an error v across: fitted to the
 * ranges, the map as a whole comes out smaller by that (.1 to .2 %, which decides the error of a large map between few
 * anchors). A node with n links has v^2 = dim variance / n along each axis. The variance is that of the residuals of the
 * stage before, at most the declared one. */
static cairn_real stretch(const cairn_coldstart_t *self)
{
    const cairn_network_t *network = self->network;
    const cairn_real dim = (cairn_real)coldstart_dim(self);
    const cairn_real n_free = (cairn_real)(network->n_nodes - network->n_anchors);
    const cairn_real n_ranges = (cairn_real)network->n_ranges;
    const cairn_real declared = STRETCH_LENGTH * self->unit_variance / (self->radio_range_m * self->radio_range_m);
    const cairn_real found = STRETCH_LENGTH * 2 * self->cost / cairn_max(n_ranges - dim * n_free, 1) /
                             (self->unit_weight * self->radio_range_m * self->radio_range_m);

    return 1 + 0.5f * dim * (dim - 1) * cairn_min(cairn_min(found, declared), STRETCH_NOISE) *
                   cairn_min(n_free / n_ranges, STRETCH_FREE);
}

void cairn_coldstart_solve_begin(cairn_coldstart_t *self)
{
    const coldstart_plan_t *plan = cairn_coldstart_plan(self);

    self->stretch = self->stage == CAIRN_COLDSTART_FINAL ? stretch(self) : 1;

    cairn_coldstart_set_noise(self, plan->soft, cairn_coldstart_push(self));
    self->cap = cairn_coldstart_cap(self);
    self->isotropy = plan->isotropy;
    self->damping = coldstart_dim(self) > 1 || self->stage < CAIRN_COLDSTART_FINAL ? plan->damping : 0; /* straight */
    self->coarse_ready = false;
    self->pair_share = COLDSTART_SHARE_ALL; /* a map that has unfolded has fewer pairs */
    self->outer = 0;
    self->halvings = 0;
    self->converged = false;
    self->phase = PHASE_GRID;
    self->cost_before = CAIRN_REAL_MAX;
    cairn_coldstart_grid_begin(self);
}

/* Take back a share of the last step. */
static void undo_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    cairn_real *places_m = coldstart_places(self);
    cairn_real *step_m = cairn_coldstart_vector(self, 3);

    for (size_t k = dim * begin; k < dim * end; ++k) {
        step_m[k] *= 0.5f;
        places_m[k] -= step_m[k];
    }
}

static void apply_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real most_m = STEP_MAX * self->radio_range_m;

    for (uint32_t i = begin; i < end; ++i) {
        cairn_real *step_m = cairn_coldstart_vector(self, 3) + dim * i;
        cairn_real length2 = cairn_dot(step_m, step_m, dim);
        cairn_real share = 1;
        if (!coldstart_is_free(self, i)) {
            length2 = 0;
            share = 0;
        } else if (length2 > most_m * most_m) {
            share = most_m / cairn_sqrt(length2);
            length2 = most_m * most_m;
        }
        for (size_t k = 0; k < dim; ++k) {
            step_m[k] = share > 0 ? share * step_m[k] : 0;
            network_place(self->network, i)[k] += step_m[k];
        }
        coldstart_add(&self->total, length2);
    }
}

/* Whether the last step lowered the cost, but by less than `gain`, and the cost is so high that this is little of it: where
 * ranges are better than declared, the map may be so as well. */
static bool gains_little(const cairn_coldstart_t *self, cairn_real gain)
{
    const cairn_real gained = self->cost_before - self->cost;

    return self->outer > 0 && gained >= 0 && gained < cairn_min(gain, GAIN_SHARE * self->cost);
}

/* Where a step of the last stage took all the iterations it may, soft waves through the map have not settled. */
static void look_for_softness(cairn_coldstart_t *self)
{
    if (self->stage == CAIRN_COLDSTART_FINAL && self->soft == 0 && self->outer > 0 &&
        self->iteration >= cairn_coldstart_plan(self)->iterations_max) {
        self->soft = 1u;
    }
}

/* Whether the last stage goes on, with more iterations. A fine one has steps enough. */
static bool goes_on_softly(cairn_coldstart_t *self)
{
    if (self->stage != CAIRN_COLDSTART_FINAL || self->soft != 1u || cairn_coldstart_is_fine(self)) {
        return false;
    }
    self->soft = 2u;
    self->damping = cairn_coldstart_plan(self)->damping;
    self->outer = 0;
    self->converged = false;
    return true;
}

/* The cost at the new places is known: keep them or halve the step. Returns true when the stage is over. */
static bool judge(cairn_coldstart_t *self)
{
    const coldstart_plan_t *plan = cairn_coldstart_plan(self);

    self->cost = cairn_isfinite(self->total.sum) ? self->total.sum : CAIRN_REAL_MAX; /* lengths of 1e9 and 1e-9 */
    if (self->cost > self->cost_before && self->halvings < HALVINGS_MAX) {
        ++self->halvings;
        self->phase = PHASE_UNDO;
        return false;
    }
    if (self->outer > 0) {
        self->damping = self->halvings > 0 ? DAMPING_GROWTH * self->damping + DAMPING_LEAST : 0.5f * self->damping;
    }
    look_for_softness(self);
    self->halvings = 0;
    self->converged = self->converged || gains_little(self, plan->gain);
    self->cost_before = self->cost;
    if ((self->converged || self->outer >= plan->outer_max) && !goes_on_softly(self)) {
        if (self->n_finals == 0 && self->n_near + self->n_changed > 0) {
            self->missing = (cairn_real)self->n_near / ((cairn_real)self->n_near + (cairn_real)self->n_changed);
        }
        return true;
    }
    plan = cairn_coldstart_plan(self); /* perhaps another one now */
    self->phase =
        plan->coarse && self->outer % COARSE_EVERY == 0 ? cairn_coldstart_coarse_choose(self) : (uint32_t)PHASE_BLOCKS;
    return false;
}

static void apply_done(cairn_coldstart_t *self)
{
    const coldstart_plan_t *plan = cairn_coldstart_plan(self);
    const cairn_real stop_m =
        cairn_min(plan->stop * self->radio_range_m, STOP_NOISE * cairn_sqrt(1 / self->unit_weight));

    ++self->outer;
    self->converged = self->total.sum <= stop_m * stop_m * (cairn_real)self->network->n_nodes;
    self->phase = PHASE_GRID;
    cairn_coldstart_grid_begin(self);
}

/* The list needs the grid, the coarse level what the grid finds of the extent. Without pushes the list is made at the end
 * only, to count what is missing. */
static void fill_grid(cairn_coldstart_t *self, int32_t *operations)
{
    const coldstart_plan_t *plan = cairn_coldstart_plan(self);
    const bool listed = self->push_weight > 0 || self->outer >= plan->outer_max;

    if ((listed || plan->coarse) && !cairn_coldstart_grid_fill(self, operations)) {
        return;
    }
    self->phase = listed ? PHASE_PAIRS : PHASE_CLEAR;
    cairn_coldstart_pairs_begin(self);
    self->total = coldstart_zero();
    self->n_changed = 0;
}

/* Phases before the gradients; returns true when the stage is over. */
static bool prepare(cairn_coldstart_t *self, int32_t *operations)
{
    switch (self->phase) {
    case PHASE_GRID: fill_grid(self, operations); break;
    case PHASE_PAIRS:
        if (cairn_coldstart_list_pairs(self, operations)) {
            self->phase = PHASE_CLEAR;
            self->total = coldstart_zero();
            self->n_changed = 0;
        }
        break;
    case PHASE_CLEAR:
        self->phase = cairn_coldstart_pass(self, operations, 1, cairn_coldstart_clear_run) ? PHASE_LINKS : PHASE_CLEAR;
        break;
    case PHASE_LINKS:
        self->phase = cairn_coldstart_pass(self, operations, 1, cairn_coldstart_links_run) ? PHASE_PUSHES : PHASE_LINKS;
        break;
    default:
        if (cairn_coldstart_pairs_pass(self, operations, cairn_coldstart_pushes_run)) {
            return judge(self);
        }
        break;
    }
    return false;
}

/* Assemble the coarse level. */
void cairn_coldstart_assemble(cairn_coldstart_t *self, int32_t *operations)
{
    bool complete;

    if (self->phase == PHASE_COARSE_CLEAR) {
        complete = cairn_coldstart_coarse_clear(self, operations);
    } else if (self->phase == PHASE_COARSE_ADD) {
        complete = cairn_coldstart_pass(self, operations, 8, cairn_coldstart_coarse_run);
    } else {
        complete = cairn_coldstart_coarse_factor(self, operations);
    }
    self->phase += complete ? 1u : 0u;
}

bool cairn_coldstart_solve(cairn_coldstart_t *self, int32_t *operations)
{
    if (self->phase <= PHASE_PUSHES) {
        return prepare(self, operations);
    }
    if (self->phase == PHASE_UNDO) {
        if (cairn_coldstart_pass(self, operations, 1, undo_run)) {
            self->phase = PHASE_GRID;
            cairn_coldstart_grid_begin(self);
        }
    } else if (self->phase <= PHASE_COARSE_FACTOR) {
        cairn_coldstart_assemble(self, operations);
    } else if (self->phase == PHASE_APPLY) {
        if (cairn_coldstart_pass(self, operations, 1, apply_run)) {
            apply_done(self);
        }
    } else {
        cairn_coldstart_gradients(self, operations);
    }
    return false;
}
