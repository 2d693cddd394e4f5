/* SPDX-License-Identifier: MIT
 * Cold start: entry, order of the stages and getters. First places from paths, then a maximum-likelihood map: Gauss-
 * Newton with two-level preconditioned conjugate gradients (Marquardt 1963; Hestenes and Stiefel 1952), pushes between
 * nodes without a range, repair of folds in between. One file a stage. */
#include "locate/coldstart_internal.h"

#define SOFT         0.1f   /* least relative noise before the last stage: sharp ranges make folds hard to leave */
#define REPAIRS_FEW  10000u /* nodes per repair */
#define MISSING_SOME 0.01f  /* share of missing ranges below which the disc counts as perfect */
#define MISSING_MANY 0.05f  /* from here on pushes are weaker */
#define PUSH_MANY    0.3f   /* of cfg->push */
#define PUSH_GUESSED 1      /* at most, where the radio range is a guess */
#define PUSH_FIRM    4      /* of cfg->push (measured 4 to 16: flat; from a cold start folds would be held) */
#define PUSH_BEFORE  0.03f  /* pushes before the last stage: this over the missing share, at most 1 */
#define FAR_STD      2      /* deviations beyond the radio range: next to no range of a disc is longer */
#define FAR_SHARE    0.01f  /* of the ranges; a disc has less than .005 up to a relative noise of .5 (integrated) */
#define DENSE_SHARE  0.25f  /* of the pairs measured: from here on the edge of the map cuts the discs */
#define CAP_MOST     7.0f   /* of the cost of a pair, where ranges are not missed: -log(.001) */
#define CAP_LEAST    0.3f

const cairn_coldstart_cfg_t cairn_coldstart_cfg_default = {{NULL, 60, 10, 1e-3f, 0, 0}, 10, 4, 0};

/* Stages: push, isotropy, damping, soft, stop, gain, tolerance, iterations, outer, coarse. */
static const coldstart_plan_t plans[] = {
    {0, 0.5f, 0.1f, SOFT, 0.01f, 0, 0.05f, 6, 4,
     false}, /* iron: jitter first, the coarse level would answer it with slides */
    {1, 0.1f, 0.05f, SOFT, 0.01f, 0, 0.15f, 15, 6, true},  /* global */
    {1, 0.1f, 0.05f, SOFT, 0.01f, 0, 0.1f, 12, 3, true},   /* settle */
    {10, 0, 0.01f, 0, 0.005f, 1, 0.1f, 30, 12, true},      /* final */
    {0, 0, 0, 0, 0, 0, 0.01f, 400, 1, true},               /* probes */
    {10, 0, 0.01f, 0, 1e-4f, 0.1f, 3e-3f, 200, 100, true}, /* final, fine */
    {10, 0, 1e-4f, 0, 1e-4f, 0.1f, 1e-3f, 400, 8, true},   /* final, soft */
    {10, 0, 0, 0, 3e-5f, 0, 1e-3f, 400, 250, true},        /* final, fine, steps of Newton */
};

/* With starts the map is near the truth when the last stage comes. */
bool cairn_coldstart_is_fine(const cairn_coldstart_t *self) { return self->cfg->fine != 0 || self->prior_weight > 0; }

bool cairn_coldstart_ends_finely(const cairn_coldstart_t *self)
{
    return self->stage == CAIRN_COLDSTART_FINAL && cairn_coldstart_is_fine(self);
}

const coldstart_plan_t *cairn_coldstart_plan(const cairn_coldstart_t *self)
{
    switch (self->stage) {
    case CAIRN_COLDSTART_IRON: return &plans[0];
    case CAIRN_COLDSTART_GLOBAL: return &plans[1];
    case CAIRN_COLDSTART_FINAL:
        return &plans[self->newton ? 7 : cairn_coldstart_is_fine(self) ? 5 : self->soft > 1u ? 6 : 3];
    case CAIRN_COLDSTART_PROBES: return &plans[4];
    default: return &plans[2];
    }
}

/* From roots: the same bits everywhere. */
cairn_real cairn_coldstart_minus_log(cairn_real x)
{
    const cairn_real root = cairn_sqrt(cairn_sqrt(cairn_sqrt(cairn_sqrt(cairn_max(x, 1e-6f)))));
    const cairn_real ratio = (1 - root) / (1 + root); /* at most .41 */
    const cairn_real ratio2 = ratio * ratio;

    return 32 * ratio * (1 + ratio2 / 3 + ratio2 * ratio2 / 5);
}

/* Whether no pair nearer than the radio range is without a range, and the map began from starts: then pushes decide
 * what they cut off, and hold no fold. A network that moves keeps the usual ones. */
static bool pushes_are_firm(const cairn_coldstart_t *self)
{
    return self->sure_disc && self->prior_weight > 0 && self->cfg->fine == 0 && self->missing <= MISSING_SOME;
}

cairn_real cairn_coldstart_push(const cairn_coldstart_t *self)
{
    const cairn_real most = self->pulls ? self->cfg->push : cairn_min(self->cfg->push, PUSH_GUESSED);
    const cairn_real wanted = cairn_coldstart_plan(self)->push;

    if (self->stage == CAIRN_COLDSTART_FINAL || self->n_finals > 0) {
        return most * (pushes_are_firm(self) ? PUSH_FIRM : self->missing > MISSING_MANY ? PUSH_MANY : 1);
    }
    return cairn_min(cairn_min(wanted, most), self->missing > 0 ? PUSH_BEFORE / self->missing : 1);
}

/* A pair can cost no more than the improbability of a missing range; half of that where many are missing. */
cairn_real cairn_coldstart_cap(const cairn_coldstart_t *self)
{
    if (self->stage != CAIRN_COLDSTART_FINAL && self->n_finals == 0) {
        return 0;
    }
    return self->missing > MISSING_SOME ? cairn_max(0.5f * cairn_coldstart_minus_log(self->missing), CAP_LEAST)
                                        : CAP_MOST;
}

/* Repair and settling take turns: their rounds share the bar between the stages around them, and what follows a last
 * stage goes on from there. */
static cairn_real progress_of(const cairn_coldstart_t *self)
{
    cairn_real stage = (cairn_real)self->stage;

    if (self->stage == CAIRN_COLDSTART_REPAIR || self->stage == CAIRN_COLDSTART_SETTLE) {
        stage = (cairn_real)CAIRN_COLDSTART_REPAIR +
                2 * (cairn_real)self->round / cairn_max((cairn_real)self->cfg->repair_rounds, 1);
    }
    if (self->n_finals > 0 && self->stage < CAIRN_COLDSTART_PROBES) {
        stage = (cairn_real)CAIRN_COLDSTART_FINAL + 0.5f;
    }
    return stage / (cairn_real)CAIRN_COLDSTART_DONE;
}

void cairn_coldstart_enter(cairn_coldstart_t *self, cairn_coldstart_stage stage)
{
    self->stage = stage;
    self->phase = 0;
    self->cursor = 0;
    self->n_changed = 0;
    self->newton = false;
    self->progress = cairn_max(self->progress, progress_of(self));
    switch (stage) {
    case CAIRN_COLDSTART_CLEAN: self->round = 0; break;
    case CAIRN_COLDSTART_IRON:
    case CAIRN_COLDSTART_GLOBAL:
        self->round = 0;
        cairn_coldstart_solve_begin(self);
        break;
    case CAIRN_COLDSTART_SETTLE:
    case CAIRN_COLDSTART_FINAL: cairn_coldstart_solve_begin(self); break;
    case CAIRN_COLDSTART_STARTS: cairn_coldstart_starts_begin(self); break;
    case CAIRN_COLDSTART_REPAIR:
        cairn_coldstart_grid_begin(self);
        self->n_accepted = 0;
        break;
    case CAIRN_COLDSTART_PROBES: cairn_coldstart_probes_begin(self); break;
    case CAIRN_COLDSTART_STATES:
        cairn_coldstart_set_noise(self, 0, cairn_min(self->cfg->push, 1));
        cairn_coldstart_grid_begin(self);
        break;
    default: break;
    }
}

/* Mean variance of a range as long as the radio range. */
static cairn_real unit_variance_m2(const cairn_network_t *network, cairn_real radio_range_m)
{
    cairn_real mean_m2 = 0;

    for (uint32_t k = 0; k < network->n_ranges; ++k) {
        const cairn_real variance = cairn_network_variance(network, upper_links(network) + k, radio_range_m);
        mean_m2 += (variance - mean_m2) / (cairn_real)(k + 1u);
    }
    return network->n_ranges > 0 ? mean_m2 : 1;
}

static bool is_plain(const cairn_coldstart_t *self)
{
    const cairn_loss_t *loss = self->cfg->locate.loss;
    bool plain = loss == NULL || loss == &cairn_loss_squared;

    for (uint32_t k = 0; k < self->network->n_ranges; ++k) {
        plain = plain && upper_links(self->network)[k].node_and_std >> LINK_STD_SHIFT == 0;
    }
    return plain;
}

/* All but `locate`, which has its own entry. */
static void clear(cairn_coldstart_t *self, const cairn_coldstart_cfg_t *cfg, cairn_network_t *network,
                  cairn_word_t *work)
{
    memset(self, 0, offsetof(cairn_coldstart_t, locate));
    self->cfg = cfg;
    self->network = network;
    self->work = work;
    self->end = CAIRN_COLDSTART_DONE;
    self->has_starts = network->n_starts > 0;
    self->pair_share = COLDSTART_SHARE_ALL;
}

/* The mean distance from a centre in a ball is dim / (dim + 1) of its radius. */
static cairn_real estimated_range_m(const cairn_coldstart_t *self)
{
    const cairn_real dim = (cairn_real)coldstart_dim(self);

    return (dim + 1) / dim * self->locate.mean_range_m;
}

/* Whether the ranges look like those of neighbours in a ball, so that the estimate of the radio range holds. */
static bool looks_like_balls(const cairn_coldstart_t *self)
{
    const cairn_network_t *network = self->network;
    const cairn_real n_nodes = (cairn_real)network->n_nodes;
    const cairn_real n_ranges = (cairn_real)network->n_ranges;
    uint32_t n_far = 0;

    for (uint32_t k = 0; k < network->n_ranges; ++k) {
        const cairn_link_t *link = upper_links(network) + k;
        const cairn_real over_m = link->range_m - self->radio_range_m;
        const cairn_real variance = cairn_network_variance(network, link, self->radio_range_m);
        n_far += over_m > 0 && over_m * over_m > FAR_STD * FAR_STD * variance ? 1u : 0u;
    }
    return (cairn_real)n_far <= FAR_SHARE * n_ranges && 2 * n_ranges < DENSE_SHARE * n_nodes * n_nodes;
}

static void enter_places(cairn_coldstart_t *self)
{
    const bool known = self->cfg->locate.radio_range_m > 0;
    bool balls;

    self->radio_range_m = known ? self->locate.radio_range_m : estimated_range_m(self);
    balls = looks_like_balls(self);
    self->sure_disc = known && balls;
    self->pulls = known || balls;
    self->unit_variance = unit_variance_m2(self->network, self->radio_range_m);
    self->plain = is_plain(self);
    self->stretch = 1;
    cairn_coldstart_enter(self, self->network->n_ranges > 0 ? CAIRN_COLDSTART_PLACES : CAIRN_COLDSTART_PROBES);
}

/* Begin with known places; locate does not touch itself before all is well. */
static cairn_status begin_places(cairn_coldstart_t *self, const cairn_coldstart_cfg_t *cfg, cairn_network_t *network,
                                 cairn_word_t *work)
{
    const cairn_status status = cairn_locate_init(&self->locate, &cfg->locate, network, work,
                                                  CAIRN_LOCATE_WORDS(network->n_nodes, network->cfg->dim));

    if (status == CAIRN_OK) {
        clear(self, cfg, network, work);
        enter_places(self);
    }
    return status;
}

void cairn_coldstart_begin_loose(cairn_coldstart_t *self, const cairn_coldstart_cfg_t *cfg, cairn_network_t *network,
                                 cairn_word_t *work)
{
    clear(self, cfg, network, work);
    memset(&self->locate, 0, sizeof self->locate);
    for (uint32_t k = 0; k < network->n_ranges; ++k) {
        self->locate.longest_m = cairn_max(self->locate.longest_m, upper_links(network)[k].range_m);
    }
    cairn_coldstart_enter(self, CAIRN_COLDSTART_GAUGE);
}

/* Begin without any known place. */
static cairn_status begin_gauge(cairn_coldstart_t *self, const cairn_coldstart_cfg_t *cfg, cairn_network_t *network,
                                cairn_word_t *work)
{
    const cairn_status status = network->n_ranges > 0 ? cairn_network_seal(network) : CAIRN_ERR_ANCHORS;

    if (status == CAIRN_OK) {
        cairn_coldstart_begin_loose(self, cfg, network, work);
    }
    return status;
}

cairn_status cairn_coldstart_check(const cairn_coldstart_t *self, const cairn_coldstart_cfg_t *cfg,
                                   const cairn_network_t *network, const cairn_word_t *work, size_t work_len)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || network == NULL || work == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(cfg->push)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (cfg->push < 0 || cfg->repair_rounds > COLDSTART_REPAIR_ROUNDS_MAX || cfg->fine > 1u) {
        return CAIRN_ERR_ARG;
    }
    status = cairn_locate_check_cfg(&cfg->locate);
    if (status != CAIRN_OK) {
        return status;
    }
    if (!cairn_aligned(work, sizeof(cairn_real))) {
        return CAIRN_ERR_ALIGN;
    }
    if (work_len < CAIRN_COLDSTART_WORDS(network->n_nodes, network->cfg->dim, network->n_starts > 0)) {
        return CAIRN_ERR_SIZE;
    }
    return CAIRN_OK;
}

cairn_status cairn_coldstart_init(cairn_coldstart_t *self, const cairn_coldstart_cfg_t *cfg, cairn_network_t *network,
                                  cairn_word_t *work, size_t work_len)
{
    const cairn_status status = cairn_coldstart_check(self, cfg, network, work, work_len);

    if (status != CAIRN_OK) {
        return status;
    }
    return network->n_anchors + network->n_starts > 0 ? begin_places(self, cfg, network, work)
                                                      : begin_gauge(self, cfg, network, work);
}

/* Phases of the first places. */
enum { PLACES_FIND, PLACES_HIDE };

static void judge_starts(cairn_coldstart_t *self, int32_t *operations)
{
    cairn_locate_judge(&self->locate, operations);
    if (self->locate.stage != CAIRN_LOCATE_JUDGE) {
        cairn_coldstart_choose_starts(self);
        self->phase = cairn_coldstart_begins_at_starts(self) ? PLACES_FIND : PLACES_HIDE;
    }
}

static bool places(cairn_coldstart_t *self, int32_t *operations)
{
    if (self->phase == PLACES_HIDE) {
        if (cairn_coldstart_pass(self, operations, 1, cairn_coldstart_hide_run)) {
            self->phase = PLACES_FIND;
            self->locate.starts_used = false;
            cairn_locate_enter(&self->locate, CAIRN_LOCATE_PATHS);
        }
        return false;
    }
    if (self->locate.stage == CAIRN_LOCATE_JUDGE) {
        judge_starts(self, operations);
        return false;
    }
    if (self->locate.stage == CAIRN_LOCATE_PATHS) {
        cairn_locate_paths(&self->locate, operations);
    }
    if (self->locate.stage <= CAIRN_LOCATE_PATHS) {
        return false;
    }
    if (cairn_coldstart_begins_at_starts(self)) {
        cairn_coldstart_set_prior(self, self->locate.start_std_m);
    }
    cairn_coldstart_free_landmarks(self);
    return true;
}

/* A large map with next to no repairs needs no more of them, nor to be smoothed after them. */
static bool repairs_pay(const cairn_coldstart_t *self, uint32_t n_repairs)
{
    return self->cfg->repair_rounds > 0 && REPAIRS_FEW * (uint64_t)n_repairs > self->network->n_nodes;
}

/* The last stage, unless near starts have not had their say. */
static cairn_coldstart_stage before_final(const cairn_coldstart_t *self)
{
    return self->two_maps && !self->starts_done ? CAIRN_COLDSTART_STARTS : CAIRN_COLDSTART_FINAL;
}

/* The deviations, unless far starts have not had their say. */
static cairn_coldstart_stage before_probes(const cairn_coldstart_t *self)
{
    return self->far_starts && !self->starts_done && !self->two_maps ? CAIRN_COLDSTART_STARTS : CAIRN_COLDSTART_PROBES;
}

/* After a round of repair: smooth what it changed. */
static cairn_coldstart_stage after_repair(cairn_coldstart_t *self)
{
    const bool changed = repairs_pay(self, self->n_accepted);

    ++self->round;
    if (self->n_finals > 0) {
        return changed ? CAIRN_COLDSTART_FINAL : before_probes(self);
    }
    return changed ? CAIRN_COLDSTART_SETTLE : before_final(self);
}

/* After what the starts told: a second map is made from them, or what they changed is smoothed. */
static cairn_coldstart_stage after_starts(const cairn_coldstart_t *self)
{
    if (!self->starts_done) {
        return self->far_starts ? CAIRN_COLDSTART_GLOBAL : CAIRN_COLDSTART_IRON;
    }
    if (!self->two_maps) {
        return CAIRN_COLDSTART_PROBES;
    }
    return self->n_accepted > 0 ? CAIRN_COLDSTART_SETTLE : CAIRN_COLDSTART_FINAL;
}

/* The stage after a finished one. */
static cairn_coldstart_stage next_stage(cairn_coldstart_t *self)
{
    const bool rounds_left = self->round < self->cfg->repair_rounds;

    switch (self->stage) {
    case CAIRN_COLDSTART_GLOBAL:
    case CAIRN_COLDSTART_SETTLE: return rounds_left ? CAIRN_COLDSTART_REPAIR : before_final(self);
    case CAIRN_COLDSTART_STARTS: return after_starts(self);
    case CAIRN_COLDSTART_REPAIR: return after_repair(self);
    case CAIRN_COLDSTART_FINAL:
        ++self->n_finals;
        return self->n_finals == 1u && repairs_pay(self, self->n_repairs + 1u) ? CAIRN_COLDSTART_REPAIR
                                                                               : before_probes(self);
    default: return (cairn_coldstart_stage)(self->stage + 1);
    }
}

/* Work on the present stage; returns true when it is finished. */
static bool run_stage(cairn_coldstart_t *self, int32_t *operations)
{
    switch (self->stage) {
    case CAIRN_COLDSTART_GAUGE: return cairn_coldstart_gauge(self, operations);
    case CAIRN_COLDSTART_PLACES: return places(self, operations);
    case CAIRN_COLDSTART_CLEAN: return cairn_coldstart_clean(self, operations);
    case CAIRN_COLDSTART_STARTS: return cairn_coldstart_starts(self, operations);
    case CAIRN_COLDSTART_REPAIR: return cairn_coldstart_repair(self, operations);
    case CAIRN_COLDSTART_PROBES: return cairn_coldstart_probes(self, operations);
    case CAIRN_COLDSTART_STATES: return cairn_coldstart_states(self, operations);
    default: return cairn_coldstart_solve(self, operations);
    }
}

static void slice(cairn_coldstart_t *self, int32_t *operations)
{
    if (!run_stage(self, operations)) {
        return;
    }
    if (self->stage == CAIRN_COLDSTART_GAUGE) {
        if (cairn_locate_init(&self->locate, &self->cfg->locate, self->network, self->work,
                              CAIRN_LOCATE_WORDS(self->network->n_nodes, coldstart_dim(self))) == CAIRN_OK) {
            enter_places(self);
        } else { /* landmarks on a line, too far apart or too few: nothing is placed */
            cairn_coldstart_drop_landmarks(self);
            cairn_coldstart_enter(self, CAIRN_COLDSTART_DONE);
        }
    } else {
        cairn_coldstart_enter(self, next_stage(self));
    }
}

cairn_status cairn_coldstart_step(cairn_coldstart_t *self, uint32_t operations)
{
    int32_t left = network_budget(operations);

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    while (left > 0 && self->stage < self->end) {
        slice(self, &left);
    }
    if (self->stage < self->end) {
        return CAIRN_MORE;
    }
    return self->converged ? CAIRN_OK : CAIRN_NOT_CONVERGED;
}

cairn_coldstart_stage cairn_coldstart_get_stage(const cairn_coldstart_t *self) { return self->stage; }

uint32_t cairn_coldstart_get_iterations(const cairn_coldstart_t *self) { return self->n_iterations; }

uint32_t cairn_coldstart_get_repairs(const cairn_coldstart_t *self) { return self->n_repairs; }

cairn_real cairn_coldstart_get_cost(const cairn_coldstart_t *self) { return self->cost; }

cairn_real cairn_coldstart_get_missing(const cairn_coldstart_t *self) { return self->missing; }

cairn_real cairn_coldstart_get_progress(const cairn_coldstart_t *self) { return self->progress; }
