/* SPDX-License-Identifier: MIT
 * Lift: entry, slicing, order of the stages. Every sensor starts at random in the anchors' box, raised into one
 * dimension more; sweeps of placements run free there, then a growing weight presses the height down, and folds undo
 * themselves on the way (rd-track section 8). Two starts are compared by cost. What we changed: weights of the height
 * relative to a node's own, twice the sweeps, the cheaper of several starts, sides and biases as data. */
#include "cairn/lift.h"

#include "cairn/scalar.h"
#include "locate/bias_internal.h"
#include "locate/lift_internal.h"

#define SWEEPS_MAX       10000
#define ATTEMPTS_MAX     100
#define BIAS_AFTER       3       /* sweeps: the first places say nothing of biases */
#define PRESS_FIRST      0.0025f /* of a node's weights: does not hold a fold */
#define PRESS_GROWTH     3000    /* to the last pressing sweep: leaves no height */
#define ROUNDS_OF_COVERS 5       /* Gauss-Seidel rounds of the covariances */

const cairn_lift_cfg_t cairn_lift_cfg_default = {NULL, NULL, 1, 2, 20, 60, 200, 1e-4f};

typedef uint32_t (*visit_fn)(cairn_lift_t *self, uint32_t node);

/* Go on with a pass over all nodes. Returns true when it is complete. */
static bool pass(cairn_lift_t *self, int32_t *operations, visit_fn visit)
{
    const uint32_t n_nodes = self->network->n_nodes;

    while (*operations > 0 && self->cursor < n_nodes) {
        *operations -= (int32_t)visit(self, self->cursor++);
    }
    if (self->cursor < n_nodes) {
        return false;
    }
    self->cursor = 0;
    return true;
}

static void enter(cairn_lift_t *self, cairn_lift_stage stage)
{
    self->stage = stage;
    self->cursor = 0;
    self->sweep = 0;
    self->n_changed = 0;
    self->sum = 0;
}

static cairn_status check_cfg(const cairn_lift_cfg_t *cfg, size_t dim)
{
    if (!cairn_isfinite(cfg->tolerance) || (cfg->side_m != NULL && !cairn_all_finite(cfg->side_m, dim))) {
        return CAIRN_ERR_NONFINITE;
    }
    if (cfg->tolerance < 0 || cfg->attempts < 1 || cfg->attempts > ATTEMPTS_MAX || cfg->free_sweeps < 1 ||
        cfg->free_sweeps > SWEEPS_MAX || cfg->press_sweeps < 2 || cfg->press_sweeps > SWEEPS_MAX ||
        cfg->flat_sweeps < 1 || cfg->flat_sweeps > SWEEPS_MAX) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

static cairn_status check(const cairn_lift_cfg_t *cfg, const cairn_network_t *network, const cairn_bias_t *bias,
                          const cairn_word_t *work, size_t work_len)
{
    cairn_status status;

    if (cfg == NULL || network == NULL || work == NULL || (bias != NULL && bias->network != network)) {
        return CAIRN_ERR_ARG;
    }
    status = check_cfg(cfg, network->cfg->dim);
    if (status != CAIRN_OK) {
        return status;
    }
    if (!cairn_aligned(work, sizeof(cairn_real))) {
        return CAIRN_ERR_ALIGN;
    }
    if (work_len < CAIRN_LIFT_WORDS(network->n_nodes, network->cfg->dim)) {
        return CAIRN_ERR_SIZE;
    }
    return network->n_ranges > 0 ? CAIRN_OK : CAIRN_ERR_STATE;
}

static void number_labels(const cairn_lift_t *self)
{
    cairn_word_t *labels = lift_labels(self);

    for (uint32_t i = 0; i < self->network->n_nodes; ++i) {
        labels[i].index = i;
    }
}

cairn_status cairn_lift_init(cairn_lift_t *self, const cairn_lift_cfg_t *cfg, cairn_network_t *network,
                             cairn_bias_t *bias, cairn_word_t *work, size_t work_len)
{
    cairn_lift_t begun;
    cairn_status status = self != NULL ? check(cfg, network, bias, work, work_len) : CAIRN_ERR_ARG;

    if (status == CAIRN_OK) {
        status = cairn_network_seal(network);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    memset(&begun, 0, sizeof begun);
    begun.cfg = cfg;
    begun.network = network;
    begun.bias = bias;
    begun.work = work;
    begun.fix = cairn_anchors_cfg_default;
    begun.fix.place.loss = cfg->loss;
    begun.step = begun.fix.place;
    begun.step.rounds_max = 1; /* its neighbours will move again */
    cairn_lift_survey(&begun);
    number_labels(&begun);
    enter(&begun, CAIRN_LIFT_REACH);
    *self = begun;
    return CAIRN_OK;
}

/* The lowest number among the nodes that hang together becomes the label of all. */
static uint32_t label_visit(cairn_lift_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    cairn_word_t *labels = lift_labels(self);
    const uint32_t degree = network_degree(network, node);
    uint32_t least = labels[node].index;

    for (uint32_t j = 0; j < degree; ++j) {
        const uint32_t other = labels[cairn_link_node(network_link(network, node, j))].index;
        least = other < least ? other : least;
    }
    self->n_changed += least < labels[node].index ? 1u : 0u;
    labels[node].index = least;
    return degree + 1u;
}

/* A component without an anchor cannot be placed; where there is no anchor at all, the one with the most linked node is
 * the map. */
static uint32_t reach_visit(cairn_lift_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    cairn_word_t *labels = lift_labels(self);
    bool reached = network->n_anchors == 0 && labels[node].index == self->best;

    for (uint32_t i = 0; i < network->n_nodes && !reached; ++i) {
        reached = network_is_anchor(network, i) && labels[i].index == labels[node].index;
    }
    if (!reached) {
        labels[node].index = LIFT_OUTSIDE;
    }
    return network->n_nodes / 8u + 1u;
}

static uint32_t most_linked_label(const cairn_lift_t *self)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < self->network->n_nodes; ++i) {
        most = network_degree(self->network, i) > network_degree(self->network, most) ? i : most;
    }
    return lift_labels(self)[most].index;
}

static CAIRN_NOINLINE void reach(cairn_lift_t *self, int32_t *operations)
{
    enum { LABEL, REACH };

    if (self->sweep == LABEL) {
        if (pass(self, operations, label_visit)) {
            self->sweep = self->n_changed == 0 ? REACH : LABEL;
            self->n_changed = 0;
            self->best = most_linked_label(self);
        }
    } else if (pass(self, operations, reach_visit)) {
        self->best = 0;
        enter(self, CAIRN_LIFT_DRAW);
    }
}

/* A node's turn: place it, then its share of the biases. */
static uint32_t raised_visit(cairn_lift_t *self, uint32_t node)
{
    const uint32_t operations = cairn_lift_raised(self, node);

    if (self->bias != NULL && self->sweep >= BIAS_AFTER) {
        cairn_bias_update_at(self->bias, node, lift_place(self, 0), lift_stride(self), lift_stride(self),
                             lift_is_reached(self, node));
    }
    return operations;
}

static uint32_t flat_visit(cairn_lift_t *self, uint32_t node)
{
    const uint32_t operations = cairn_lift_flat(self, node);

    if (self->bias != NULL) {
        cairn_bias_update_at(self->bias, node, lift_place(self, 0), lift_stride(self), self->network->cfg->dim,
                             lift_is_reached(self, node));
    }
    return operations;
}

static CAIRN_NOINLINE void draw(cairn_lift_t *self, int32_t *operations)
{
    if (self->cursor == 0) {
        cairn_rng_init(&self->rng, self->cfg->seed, self->attempt);
        if (self->bias != NULL) {
            cairn_bias_restart(self->bias);
        }
    }
    if (pass(self, operations, cairn_lift_draw)) {
        self->press = 0;
        enter(self, CAIRN_LIFT_RAISED);
    }
}

static CAIRN_NOINLINE void raised(cairn_lift_t *self, int32_t *operations)
{
    const cairn_lift_cfg_t *cfg = self->cfg;

    if (!pass(self, operations, raised_visit)) {
        return;
    }
    ++self->n_sweeps;
    ++self->sweep;
    if (self->sweep == cfg->free_sweeps) {
        self->press = PRESS_FIRST;
    } else if (self->sweep > cfg->free_sweeps) {
        self->press *= cairn_exp(cairn_log(PRESS_GROWTH) / (cairn_real)(cfg->press_sweeps - 1));
    }
    if (self->sweep >= (uint32_t)cfg->free_sweeps + cfg->press_sweeps) {
        enter(self, CAIRN_LIFT_FLAT);
    }
}

static CAIRN_NOINLINE void flat(cairn_lift_t *self, int32_t *operations)
{
    const cairn_real tolerance_m = self->cfg->tolerance * self->mean_range_m;

    if (!pass(self, operations, flat_visit)) {
        return;
    }
    ++self->n_sweeps;
    ++self->sweep;
    self->converged = self->sum <= tolerance_m * tolerance_m * (cairn_real)self->n_changed;
    if (self->converged || self->sweep >= self->cfg->flat_sweeps) {
        enter(self, CAIRN_LIFT_COST);
    }
    self->sum = 0;
    self->n_changed = 0;
}

/* Add up the cost; keep the cheapest start and come back to it, which needs no memory for a second map. */
static CAIRN_NOINLINE void compare(cairn_lift_t *self, int32_t *operations)
{
    bool last;

    if (!pass(self, operations, cairn_lift_cost)) {
        return;
    }
    self->cost = self->sum + (self->bias != NULL ? cairn_bias_get_cost(self->bias) : 0);
    if (!self->final && (self->attempt == 0 || self->cost < self->best_cost)) {
        self->best_cost = self->cost;
        self->best = self->attempt;
    }
    last = self->attempt + 1u >= self->cfg->attempts;
    if (self->final || (last && self->best == self->attempt)) {
        enter(self, CAIRN_LIFT_QUALITY);
        return;
    }
    self->final = last;
    self->attempt = last ? self->best : self->attempt + 1u;
    enter(self, CAIRN_LIFT_DRAW);
}

static CAIRN_NOINLINE void quality(cairn_lift_t *self, int32_t *operations)
{
    if (self->sweep <= ROUNDS_OF_COVERS) {
        self->sweep += pass(self, operations, cairn_lift_cover) ? 1u : 0u;
    } else if (pass(self, operations, cairn_lift_judge)) {
        enter(self, CAIRN_LIFT_DONE);
    }
}

static cairn_status outcome(const cairn_lift_t *self)
{
    const size_t dim = self->network->cfg->dim;

    if (self->spanned + 1u < dim || self->network->n_anchors == 0) {
        return CAIRN_RELATIVE;
    }
    if (self->spanned < dim && !self->hinted) {
        return CAIRN_HEIGHT_UNRESOLVED;
    }
    return self->converged ? CAIRN_OK : CAIRN_NOT_CONVERGED;
}

/* Work on the present stage until it ends or the budget is spent. */
static void work_on_stage(cairn_lift_t *self, int32_t *operations)
{
    switch (self->stage) {
    case CAIRN_LIFT_REACH: reach(self, operations); break;
    case CAIRN_LIFT_DRAW: draw(self, operations); break;
    case CAIRN_LIFT_RAISED: raised(self, operations); break;
    case CAIRN_LIFT_FLAT: flat(self, operations); break;
    case CAIRN_LIFT_COST: compare(self, operations); break;
    default: quality(self, operations); break;
    }
}

cairn_status cairn_lift_step(cairn_lift_t *self, uint32_t operations)
{
    int32_t left = network_budget(operations);

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    while (left > 0 && self->stage != CAIRN_LIFT_DONE) {
        work_on_stage(self, &left);
    }
    return self->stage != CAIRN_LIFT_DONE ? CAIRN_MORE : outcome(self);
}

cairn_lift_stage cairn_lift_get_stage(const cairn_lift_t *self) { return self->stage; }

uint32_t cairn_lift_get_sweeps(const cairn_lift_t *self) { return self->n_sweeps; }

cairn_real cairn_lift_get_cost(const cairn_lift_t *self) { return self->cost; }

/* A start is counted as if it took all its sweeps; the one that may be repeated counts as one more. */
cairn_real cairn_lift_get_progress(const cairn_lift_t *self)
{
    const cairn_lift_cfg_t *cfg = self->cfg;
    const cairn_real raised_sweeps = (cairn_real)cfg->free_sweeps + (cairn_real)cfg->press_sweeps;
    const cairn_real sweeps = raised_sweeps + (cairn_real)cfg->flat_sweeps;
    const cairn_real begun = self->final ? (cairn_real)cfg->attempts : (cairn_real)self->attempt;
    cairn_real share;

    switch (self->stage) {
    case CAIRN_LIFT_REACH: return 0;
    case CAIRN_LIFT_DRAW: share = 0; break;
    case CAIRN_LIFT_RAISED: share = (cairn_real)self->sweep / sweeps; break;
    case CAIRN_LIFT_FLAT: share = (raised_sweeps + (cairn_real)self->sweep) / sweeps; break;
    case CAIRN_LIFT_COST: share = 1; break;
    default: return 1;
    }
    return (begun + share) / ((cairn_real)cfg->attempts + 1);
}
