/* SPDX-License-Identifier: MIT
 * Outer steps of the solver (Levenberg 1944, Marquardt 1963): list the pairs, cost and gradient, a step by conjugate
 * gradients. A step that raised the cost is halved, at most three times, and the damping grows.
 *
 * Where few ranges hold a sensor that has a start, these steps come to rest slowly: their Hessian is stiffer than the cost,
 * and the damping that a sensor in front of a wall (a sensor out of range must not be nearer than the radio range) calls for
 * holds all. A fine last stage therefore ends with steps of Newton. After each, the nodes that few ranges hold come to rest
 * on their own; a step that raised the cost even so is taken back and solved again, with more damping of the nodes that
 * spoiled it. */
#include "locate/coldstart_newton.h"

#define HALVINGS_MAX   3u
#define DAMPING_GROWTH 4
#define DAMPING_LEAST  1e-3f
#define ROUNDING       (2 * FLT_EPSILON) /* of the cost: what a sum in float leaves open */
#define RISE_MOST      0.02f             /* of the cost, a step of Newton */
#define SWEEPS_MAX     8u                /* over loose nodes, after a step of Newton */
#define OVERSHOT_SOME  0.1f /* of the slope of a step, led back to at its end: kept, but with more damping */
#define STOP_NOISE     0.05f /* deviations of a range as long as the radio range: where that is sharp, steps still tell */
#define GAIN_SHARE     1e-3f
#define COARSE_EVERY   8u    /* outer steps between two assemblies of the coarse level */
#define STRETCH_LENGTH 1.1f  /* relative variance of a range, beside that of one as long as the radio range */
#define STRETCH_NOISE  0.1f  /* of relative variance: as far as the expansion holds */
#define STRETCH_FREE   0.5f  /* free nodes a range: with more no place errs on its own */
#define SIGMA_WIDE     0.25f /* from this noise on a range says little of how short the distance may be */

/* Ranges may be sharp, walls around loose nodes are not in a fine last stage: steps do not see a wall before they are in it,
 * and among walls as sharp as ranges of 1 % a map of many loose sensors does not come to rest (12 of 20 did not). Between
 * nodes that ranges hold walls stay sharp: there they keep folds out, and tell places (2 % of the error, where softer). */
void cairn_coldstart_set_noise(cairn_coldstart_t *self, cairn_real soft, cairn_real push)
{
    const cairn_network_cfg_t *cfg = self->network->cfg;
    const cairn_real sigma = cfg->noise_rel;
    const cairn_real least = 1 / (1 + 3 * sigma);
    const cairn_real most = sigma < SIGMA_WIDE ? 1 / (1 - 2 * sigma) : 2;
    const bool fine = cairn_coldstart_is_fine(self) && self->stage >= CAIRN_COLDSTART_FINAL;
    const cairn_real floor_m = (fine ? COLDSTART_SHORT_FINE : COLDSTART_SHORT) * self->radio_range_m;
    const cairn_real wall_m = COLDSTART_WALL * self->radio_range_m;

    self->noise.soft2 = soft * soft;
    self->noise.abs2 = cfg->noise_abs_m * cfg->noise_abs_m;
    self->noise.rel2 = cairn_max(sigma * sigma, self->noise.soft2);
    self->noise.least2 = least * least;
    self->noise.most2 = most * most;
    self->noise.floor2 = floor_m * floor_m;
    self->unit_weight =
        1 / cairn_max(self->unit_variance, self->noise.soft2 * self->radio_range_m * self->radio_range_m);
    self->push_weight = push * self->unit_weight;
    self->loose_push_weight = push * (fine ? cairn_min(self->unit_weight, 1 / (wall_m * wall_m)) : self->unit_weight);
}

cairn_real cairn_coldstart_push_weight(const cairn_coldstart_t *self, uint32_t node, uint32_t other)
{
    const cairn_network_t *network = self->network;
    const bool held = !(self->loose_push_weight < self->push_weight) ||
                      ((network_is_anchor(network, node) || !coldstart_is_loose(self, node)) &&
                       (network_is_anchor(network, other) || !coldstart_is_loose(self, other)));

    return held ? self->push_weight : self->loose_push_weight;
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
    self->n_sweeps = 0;
    self->again = false;
    self->converged = false;
    self->phase = PHASE_GRID;
    self->cost_before = CAIRN_REAL_MAX;
    cairn_coldstart_grid_begin(self);
}

/* Share of the last step to take back. */
static cairn_real taken_back(const cairn_coldstart_t *self) { return self->again ? 1 : 0.5f; }

static void undo_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    cairn_real *places_m = coldstart_places(self);
    cairn_real *step_m = cairn_coldstart_vector(self, 3);
    const cairn_real share = taken_back(self);

    for (size_t k = dim * begin; k < dim * end; ++k) {
        const cairn_real back_m = share * step_m[k];
        places_m[k] -= back_m;
        step_m[k] -= back_m;
    }
}

static void apply_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real most_m = COLDSTART_STEP_MAX * self->radio_range_m;

    for (uint32_t i = begin; i < end; ++i) {
        cairn_real *step_m = cairn_coldstart_vector(self, 3) + dim * i;
        cairn_real length2 = cairn_dot(step_m, step_m, dim);
        cairn_real share = 1;
        if (!coldstart_is_free(self, i)) {
            length2 = 0;
            share = 0;
        } else if (length2 > most_m * most_m) {
            share = most_m / cairn_sqrt(length2);
            self->slope = 0; /* of what is left of the step it is not known: it must not lead back at all */
        }
        length2 *= share * share;
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

/* Whether the last stage goes on: a fine one with steps of Newton, others, where they are soft, with more iterations. */
static bool goes_on(cairn_coldstart_t *self)
{
    const bool fine = cairn_coldstart_is_fine(self);

    if (self->stage != CAIRN_COLDSTART_FINAL || (fine ? self->newton : self->soft != 1u)) {
        return false;
    }
    self->newton = fine;
    self->soft = fine ? self->soft : 2u;
    self->damping = cairn_coldstart_plan(self)->damping;
    self->outer = 0;
    self->converged = false;
    return true;
}

/* Whether a step of Newton raised the cost, or met more walls than the list holds, so that it cannot be told. They gain
 * less than a sum in float can tell: unless the cost says that they are good, the slope must not lead back more steeply than
 * it led on. Nor must the cost jump, as it does where walls lie deep. */
static bool has_risen(const cairn_coldstart_t *self)
{
    const cairn_real rounding = ROUNDING * self->cost_before;

    return self->pair_share < self->share_before || self->cost > self->cost_before + RISE_MOST + rounding ||
           (!self->converged && self->total.sum < -self->slope && self->cost > self->cost_before - rounding);
}

/* The phase in which the next step begins. */
static uint32_t next_step(cairn_coldstart_t *self)
{
    return cairn_coldstart_plan(self)->coarse && self->outer % COARSE_EVERY == 0 ? cairn_coldstart_coarse_choose(self)
                                                                                 : (uint32_t)PHASE_BLOCKS;
}

/* The first last stage tells which share of the pairs much nearer than the radio range has no range. */
static bool end_stage(cairn_coldstart_t *self)
{
    if (self->n_finals == 0 && self->n_near + self->n_changed > 0) {
        self->missing = (cairn_real)self->n_near / ((cairn_real)self->n_near + (cairn_real)self->n_changed);
    }
    return true;
}

/* What a step of Newton that is kept says about the dampings; before the first one they are cleared. */
static uint8_t damp_of_kept(const cairn_coldstart_t *self)
{
    if (self->outer == 0) {
        return COLDSTART_DAMP_CLEAR;
    }
    return self->total.sum < -OVERSHOT_SOME * self->slope ? COLDSTART_DAMP_BACK : COLDSTART_DAMP_EASE;
}

/* The step is kept. Returns true when the stage is over. */
static bool keep(cairn_coldstart_t *self)
{
    const coldstart_plan_t *plan = cairn_coldstart_plan(self);

    look_for_softness(self);
    self->halvings = 0;
    self->converged = self->converged || gains_little(self, plan->gain);
    self->cost_before = self->cost;
    self->share_before = self->pair_share;
    if ((self->converged || self->outer >= plan->outer_max) && !goes_on(self)) {
        return end_stage(self);
    }
    if (self->newton) {
        self->damp = damp_of_kept(self);
        self->phase = PHASE_DAMP;
    } else {
        self->phase = next_step(self);
    }
    return false;
}

/* The cost at the new places is known: keep them, or take back half of the step. Returns true when the stage is over. */
static bool judge(cairn_coldstart_t *self)
{
    if (self->cost > self->cost_before && self->halvings < HALVINGS_MAX) {
        ++self->halvings;
        self->phase = PHASE_UNDO;
        return false;
    }
    if (self->outer > 0) {
        self->damping = self->halvings > 0 ? DAMPING_GROWTH * self->damping + DAMPING_LEAST : 0.5f * self->damping;
    }
    return keep(self);
}

/* Whether the step is the last one, by the sum of its squares. */
static bool is_short(const cairn_coldstart_t *self, cairn_real length2)
{
    const cairn_real length_m = cairn_min(cairn_coldstart_plan(self)->stop * self->radio_range_m,
                                          STOP_NOISE * cairn_sqrt(1 / self->unit_weight));

    return length2 <= length_m * length_m * (cairn_real)self->network->n_nodes;
}

/* The same of a step of Newton and what relaxation has added to it: keep both, or take them back. */
static bool judge_newton(cairn_coldstart_t *self)
{
    self->converged = is_short(self, self->moved2);
    if (!has_risen(self)) {
        return keep(self);
    }
    self->damp = self->total.sum < -self->slope ? COLDSTART_DAMP_BACK : COLDSTART_DAMP_LONG;
    self->again = true;
    self->converged = false;
    self->phase = PHASE_DAMP;
    return false;
}

/* The nodes' own dampings have changed: solve the present step again, take the last one back, or begin the next. */
static void go_on(cairn_coldstart_t *self)
{
    if (self->damp == COLDSTART_DAMP_FORM) {
        ++self->outer; /* of steps that are given up there may be no more than of others */
        self->again = true;
        self->phase = PHASE_GRID;
        cairn_coldstart_grid_begin(self);
    } else {
        self->phase = self->again ? (uint32_t)PHASE_UNDO : next_step(self);
    }
}

static void apply_done(cairn_coldstart_t *self)
{
    ++self->outer;
    self->again = false;
    self->converged = is_short(self, self->total.sum);
    self->phase = PHASE_GRID;
    cairn_coldstart_grid_begin(self);
}

/* The list needs the grid, the coarse level what the grid finds of the extent. Without pushes the list is made at the end
 * only, to count what is missing. */
static void fill_grid(cairn_coldstart_t *self, int32_t *operations)
{
    const coldstart_plan_t *plan = cairn_coldstart_plan(self);
    const bool listed = self->push_weight > 0 || self->outer >= plan->outer_max;
    const bool relaxes = self->newton && self->phase == PHASE_GRID;

    if ((listed || plan->coarse) && !cairn_coldstart_grid_fill(self, operations)) {
        return;
    }
    self->phase = relaxes ? PHASE_LOOSE : listed ? PHASE_PAIRS : PHASE_CLEAR;
    cairn_coldstart_pairs_begin(self);
    self->total = coldstart_zero();
    self->n_changed = 0;
}

/* Loose nodes have been relaxed: once more, as long as that moves any, as they touch each other. */
static void end_sweep(cairn_coldstart_t *self)
{
    const bool once_more = self->n_changed > 0 && self->n_sweeps + 1u < SWEEPS_MAX;

    self->n_sweeps = (uint8_t)(once_more ? self->n_sweeps + 1u : 0u);
    self->phase = once_more ? PHASE_GRID : PHASE_REFILL;
    cairn_coldstart_grid_begin(self);
}

/* Cost and slopes are known. Returns true when the stage is over. */
static bool note_cost(cairn_coldstart_t *self)
{
    self->cost = cairn_isfinite(self->total.sum) ? self->total.sum : CAIRN_REAL_MAX; /* lengths of 1e9 and 1e-9 */
    if (self->again) {
        self->cost_before = self->cost;
        self->share_before = self->pair_share;
        self->phase = PHASE_BLOCKS;
        return self->outer >= cairn_coldstart_plan(self)->outer_max && end_stage(self);
    }
    if (self->newton) {
        cairn_coldstart_damp_begin(self, COLDSTART_DAMP_BACK);
        return false;
    }
    return judge(self);
}

/* Phases before the cost. */
static void prepare(cairn_coldstart_t *self, int32_t *operations)
{
    switch (self->phase) {
    case PHASE_LOOSE:
        if (cairn_coldstart_relax(self, operations)) {
            end_sweep(self);
        }
        break;
    case PHASE_PAIRS:
        if (cairn_coldstart_list_pairs(self, operations)) {
            self->phase = PHASE_CLEAR;
            self->total = coldstart_zero();
            self->n_changed = 0;
        }
        break;
    default: fill_grid(self, operations); break;
    }
}

/* Cost and slopes; returns true when the stage is over. */
static bool sum_up(cairn_coldstart_t *self, int32_t *operations)
{
    switch (self->phase) {
    case PHASE_CLEAR:
        self->phase = cairn_coldstart_pass(self, operations, 1, cairn_coldstart_clear_run) ? PHASE_LINKS : PHASE_CLEAR;
        return false;
    case PHASE_LINKS:
        self->phase = cairn_coldstart_pass(self, operations, 1, cairn_coldstart_links_run) ? PHASE_PUSHES : PHASE_LINKS;
        return false;
    default: return cairn_coldstart_pairs_pass(self, operations, cairn_coldstart_pushes_run) && note_cost(self);
    }
}

/* The nodes' own dampings; returns true when the stage is over. */
static bool damp(cairn_coldstart_t *self, int32_t *operations)
{
    if (self->phase == PHASE_DAMP) {
        if (cairn_coldstart_pass(self, operations, 1, cairn_coldstart_damp_run)) {
            go_on(self);
        }
        return false;
    }
    if (!cairn_coldstart_pass(self, operations, 1, cairn_coldstart_shares_run)) {
        return false;
    }
    self->phase = PHASE_DAMP;
    return self->damp != COLDSTART_DAMP_FORM && judge_newton(self);
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
    if (self->phase <= PHASE_PAIRS) {
        prepare(self, operations);
        return false;
    }
    if (self->phase <= PHASE_PUSHES) {
        return sum_up(self, operations);
    }
    if (self->phase <= PHASE_DAMP) {
        return damp(self, operations);
    }
    if (self->phase == PHASE_UNDO) {
        if (cairn_coldstart_pass(self, operations, 1, undo_run)) {
            self->phase = PHASE_GRID;
            self->pair_share = self->newton ? self->share_before : self->pair_share;
            self->total = coldstart_zero();
            self->slope *= 1 - taken_back(self);
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
