/* SPDX-License-Identifier: MIT
 * Power iteration clustering: stages, slicing and getters. Source: Lin (2012), chapter 2. What we changed, all measured:
 * a block of columns instead of one vector; at steps 2, 4, 8 ... each prefix of the block is clustered and the labels
 * with the smallest normalised cut are kept, a later checkpoint winning a near tie; the walk is regularised by a share of
 * the mean link. One setting then serves networks, cosine and kernel graphs. The thesis's own form is in power.c. */
#include "cairn/pic.h"

#include "walk/pic_internal.h"

#define DOUBLINGS_MAX   20
#define PATIENCE_MAX    20
#define STARTS_MAX      20
#define TAU_MAX         1000
#define NEAR_TIE        1.01f /* measured: takes the worst of 200 starts on polblogs from NMI .71 to .74; nothing worse */
#define SAME_SCORE      1e-6f
#define STEPS_LEAST     8u
#define STEPS_THIN      4u /* at least, after steps on a part of the links; the first checkpoint */
#define STEPS_THIN_LOG2 2u
#define FEW             64u   /* at most one node in so many */
#define CONVERGED       1e-4f /* what is left of the columns that do not count */
#define THIN_ERROR      2.83f /* root of PIC_THIN_SHARE: how much faster the noise of fewer links shrinks less */

const cairn_pic_cfg_t cairn_pic_cfg_default = {2,     4,     11,   1,     3, 3, 50, 10, 1, CAIRN_PIC_NCUT,
                                               false, false, 0.6f, 1.25f, 0};
const cairn_pic_cfg_t cairn_pic_cfg_small = {2, 3, 11, 3, 0, 2, 8, 10, 1, CAIRN_PIC_NCUT, true, false, 0.6f, 1.25f, 0};

static cairn_status check_cfg(const cairn_pic_cfg_t *cfg)
{
    if (!cairn_isfinite(cfg->tau) || !cairn_isfinite(cfg->hysteresis)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (cfg->n_clusters < 1 || cfg->n_vectors < 1 || cfg->n_vectors > CAIRN_WALK_COLUMNS_MAX ||
        cfg->doublings_first < 1 || cfg->doublings_first > cfg->doublings_max || cfg->doublings_max > DOUBLINGS_MAX ||
        cfg->patience > PATIENCE_MAX || cfg->n_starts < 1 || cfg->n_starts > STARTS_MAX || cfg->rounds_max < 1 ||
        (unsigned)cfg->objective > CAIRN_PIC_MODULARITY || cfg->tau < 0 || cfg->tau > TAU_MAX || cfg->hysteresis < 0) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

cairn_status cairn_pic_init(cairn_pic_t *self, const cairn_pic_cfg_t *cfg, const cairn_pic_memory_t *memory,
                            size_t capacity)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || memory == NULL || memory->work == NULL || memory->label == NULL ||
        capacity == 0 || capacity > WALK_CAPACITY_MAX) {
        return CAIRN_ERR_ARG;
    }
    status = check_cfg(cfg);
    if (status == CAIRN_OK) {
        status =
            walk_check_memory(memory->work, memory->n_work, CAIRN_PIC_REALS(capacity, cfg->n_clusters, cfg->n_vectors),
                              memory->n_label, CAIRN_PIC_LABELS(capacity));
    }
    if (status != CAIRN_OK) {
        return status;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->memory = *memory;
    self->capacity = (uint32_t)capacity;
    for (size_t i = 0; i < CAIRN_PIC_LABELS(capacity); ++i) {
        memory->label[i] = CAIRN_PIC_UNKNOWN;
    }
    return CAIRN_OK;
}

static void enter(cairn_pic_t *self, pic_stage stage)
{
    self->stage = (uint8_t)stage;
    self->cursor = 0;
}

cairn_status cairn_pic_begin(cairn_pic_t *self, const cairn_walk_t *walk)
{
    if (self == NULL || walk == NULL || walk->multiply == NULL || walk->stochastic) {
        return CAIRN_ERR_ARG;
    }
    if (walk->n_nodes > self->capacity) {
        return CAIRN_ERR_SIZE;
    }
    self->walk = *walk;
    self->t = 0;
    self->t_best = 0;
    self->t_kept = 0;
    self->prefix = 0;
    self->best_prefix = 0;
    self->lane = 0;
    self->moves = 0;
    self->thin = 0;
    self->n_columns = 1;
    self->reason = CAIRN_PIC_RUNNING;
    self->n_walked = 0;
    self->score_before = CAIRN_REAL_MAX;
    self->score_least = CAIRN_REAL_MAX;
    self->score_kept = 0;
    memset(self->ritz, 0, sizeof self->ritz);
    cairn_rng_init(&self->rng, self->cfg->seed, 1);
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        pic_columns(self)[i] = 1;
        pic_scratch(self)[i] = 0;
    }
    enter(self, PIC_DEGREE);
    return CAIRN_OK;
}

/* Operations that a part is, in the mean. */
static uint32_t cost_of_part(const cairn_pic_t *self, bool thin)
{
    const cairn_real n_links = thin ? self->walk.n_links / (cairn_real)PIC_THIN_SHARE : self->walk.n_links;
    const cairn_real each = self->walk.n_parts > 0 ? n_links / (cairn_real)self->walk.n_parts : (cairn_real)0;

    return each < 1 ? 1u : each > 1e9f ? 1000000000u : (uint32_t)each;
}

/* Go on with a pass over the parts. Returns true when it is complete. */
static bool pass(cairn_pic_t *self, int64_t *operations)
{
    const uint32_t n_parts = self->walk.n_parts;
    const bool thin = self->stage == PIC_WALK && self->thin > 0;
    const uint32_t cost = cost_of_part(self, thin);

    while (*operations > 0 && self->cursor < n_parts) {
        const int64_t want = *operations / cost + 1;
        const uint32_t left = n_parts - self->cursor;
        const uint32_t end = self->cursor + (want < (int64_t)left ? (uint32_t)want : left);
        *operations -= (int64_t)(end - self->cursor) * cost;
        if (self->stage == PIC_SCORE || self->stage == PIC_MOVED) {
            cairn_pic_add_inner(self, self->cursor, end);
        } else if (self->stage == PIC_MOVE) {
            cairn_pic_add_ties(self, self->cursor, end);
        } else if (self->stage == PIC_STABLE) {
            cairn_pic_add_stays(self, self->cursor, end);
        } else if (thin) {
            cairn_pic_add_thin(self, self->cursor, end);
        } else {
            self->walk.multiply(&self->walk, self->cursor, end, self->n_columns, pic_columns(self), pic_scratch(self));
        }
        self->cursor = end;
    }
    return self->cursor >= n_parts;
}

/* What a step over all nodes costs. */
static void charge(const cairn_pic_t *self, int64_t *operations)
{
    *operations -= (int64_t)self->walk.n_nodes * self->n_columns / 2 + 1;
}

static void finish(cairn_pic_t *self)
{
    enter(self, PIC_STABLE);
    if (!cairn_pic_number(self) || !(self->cfg->hysteresis > 0) || self->walk.run == NULL) {
        cairn_pic_settle(self);
        enter(self, PIC_DONE);
    }
}

static void take_degrees(cairn_pic_t *self)
{
    const uint32_t n = self->walk.n_nodes;
    pic_sum_t volume = {0, 0, 0};
    const uint32_t vectors = self->cfg->n_vectors;

    self->n_active = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const cairn_real degree = pic_scratch(self)[i];
        pic_degree(self)[i] = degree > 0 ? degree : (cairn_real)0;
        pic_sum_add(&volume, pic_degree(self)[i]);
        self->n_active += degree > 0 ? 1u : 0u;
        pic_best(self)[i] = degree > 0 ? (uint8_t)0 : (uint8_t)CAIRN_PIC_UNKNOWN;
    }
    self->volume = pic_sum_get(&volume);
    self->tau = self->cfg->tau * 0.5f * self->volume / cairn_max(self->walk.n_links, 1);
    if (self->n_active < 2 || self->cfg->n_clusters < 2) {
        self->reason = CAIRN_PIC_TRIVIAL;
        finish(self);
        return;
    }
    self->n_columns = (uint8_t)(vectors < self->n_active ? vectors : self->n_active - 1u);
    memset(pic_scratch(self), 0, (size_t)n * self->n_columns * sizeof(cairn_real));
    memset(pic_trial(self), 0, n);
    self->thin = cairn_pic_begins_thin(self) ? PIC_THIN_STEPS : 0;
    cairn_pic_draw_columns(self);
    enter(self, PIC_WALK);
}

static void end_step(cairn_pic_t *self)
{
    const uint32_t first = cairn_pic_begins_thin(self) && self->cfg->doublings_first < STEPS_THIN_LOG2
                               ? STEPS_THIN_LOG2
                               : self->cfg->doublings_first;

    if (self->thin > 0) {
        cairn_pic_scale_thin(self);
        cairn_pic_finish_step(self);
        --self->thin;
        enter(self, PIC_WALK);
        return;
    }
    cairn_pic_finish_step(self);
    ++self->t;
    enter(self, PIC_WALK);
    if (((self->t + 1u) >> first) > 0 && ((self->t + 1u) & self->t) == 0) {
        cairn_pic_orthogonalise(self);
        enter(self, PIC_RITZ);
    }
}

static void begin_candidates(cairn_pic_t *self)
{
    cairn_pic_rotate(self);
    ++self->t;
    self->prefix = 0;
    self->lane = 0;
    self->start = 0;
    self->round = 0;
    self->score_here = CAIRN_REAL_MAX;
    enter(self, PIC_LABEL);
}

/* One piece of labelling: the exact split, or one round of one start. */
static void label(cairn_pic_t *self)
{
    const unsigned lane = self->lane;
    bool complete = true;

    if (self->start == 0 && self->round == 0) {
        ++self->prefix;
        self->spread_least = CAIRN_REAL_MAX;
    }
    if (self->prefix == 1) {
        cairn_pic_split(self, lane);
    } else {
        if (self->round == 0) {
            cairn_pic_choose_centres(self, lane);
        }
        if (cairn_pic_round(self, lane)) {
            self->round = 0;
            ++self->start;
        }
        complete = self->start == self->cfg->n_starts + (cairn_pic_has_sample(self) ? 1u : 0u);
        if (complete) {
            cairn_pic_take_best_centres(self, lane);
        }
    }
    if (complete) {
        self->start = 0;
        ++self->lane;
        if (self->prefix == self->n_columns || self->lane == pic_lanes(self)) {
            cairn_pic_clear_inner(self);
            enter(self, PIC_SCORE);
        }
    }
}

static void keep(cairn_pic_t *self, unsigned lane, cairn_real score)
{
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        pic_best(self)[i] = pic_is_active(self, i) ? pic_get_trial(self, i, lane) : (uint8_t)CAIRN_PIC_UNKNOWN;
    }
    memcpy(pic_inner_kept(self), pic_inner(self, lane), self->cfg->n_clusters * sizeof(cairn_real));
    self->score_kept = score;
}

/* Whether the columns that tell the clusters apart have outlived all others, so that walking on changes nothing: (how
 * fast the others shrink / last eigenvalue that counts)^t is small. Known when there is a column more than needed. Of
 * steps on a part of the links one counts: what their noise has brought in is about so large. */
static bool has_converged(const cairn_pic_t *self)
{
    const size_t k = self->cfg->n_clusters;
    cairn_real left = 1;
    cairn_real ratio;

    if (self->n_columns < k || !(self->rest < self->ritz[k - 2])) {
        return false;
    }
    ratio = self->rest / self->ritz[k - 2];
    if (cairn_pic_begins_thin(self)) {
        left = THIN_ERROR * ratio;
    }
    for (uint32_t t = 1; t < self->t; t *= 2) { /* t is a power of two */
        ratio *= ratio;
    }
    return left * ratio < CONVERGED;
}

static void resume_walk(cairn_pic_t *self)
{
    memset(pic_scratch(self), 0, (size_t)self->walk.n_nodes * self->n_columns * sizeof(cairn_real));
    enter(self, PIC_WALK);
}

/* Begin to sum up the ties of the first block. */
static void begin_blocks(cairn_pic_t *self, bool voting)
{
    self->voting = voting;
    self->block = 0;
    self->n_movers = 0;
    cairn_pic_clear_ties(self);
    enter(self, PIC_MOVE);
}

/* Whether there may be one more round of moves. */
static bool can_move(const cairn_pic_t *self)
{
    return self->moves < self->cfg->moves_max && self->walk.run != NULL && cairn_pic_block_nodes(self) > 0;
}

static void begin_moves(cairn_pic_t *self)
{
    if (!can_move(self)) {
        finish(self);
        return;
    }
    begin_blocks(self, false);
}

static void begin_cut(cairn_pic_t *self, unsigned n_lanes)
{
    self->lane = (uint8_t)n_lanes;
    cairn_pic_clear_inner(self);
    enter(self, PIC_MOVED);
}

/* All nodes have had their move. A walk without patience ends when next to none would go. */
static void end_round(cairn_pic_t *self)
{
    const uint32_t few = self->n_active / FEW;

    if (self->reason == CAIRN_PIC_RUNNING) {
        if (self->n_movers > few) {
            resume_walk(self);
            return;
        }
        self->reason = CAIRN_PIC_SETTLED;
    }
    if (self->n_movers == 0) {
        finish(self);
    } else if (self->moves == 0 && self->n_movers <= few && pic_lanes(self) > 1) {
        begin_blocks(self, true);
    } else {
        begin_cut(self, 1);
    }
}

static void end_block(cairn_pic_t *self)
{
    self->n_movers += self->voting ? cairn_pic_vote(self, 1) : cairn_pic_move(self);
    ++self->block;
    if (self->block * cairn_pic_block_nodes(self) < self->walk.n_nodes) {
        cairn_pic_clear_ties(self);
        enter(self, PIC_MOVE);
    } else if (self->voting) {
        begin_cut(self, self->n_movers > 0 ? 2 : 1);
    } else {
        end_round(self);
    }
}

/* The first round has to be worth more than a near tie; once it was, rounds go on while the cut falls. Where the first
 * one is not, and only a few nodes would move, those move whose own links decide: a walk ends near its groups, and then
 * the links of a node say more than its place. */
static void judge_moves(cairn_pic_t *self)
{
    const cairn_real score = cairn_pic_score(self, 0);
    const cairn_real bar = self->moves == 0 ? self->score_kept / NEAR_TIE : self->score_kept - SAME_SCORE;
    const bool voted = self->lane == 2;

    self->lane = 0;
    if (!(score < bar)) {
        if (voted) {
            keep(self, 1, cairn_pic_score(self, 1));
        }
        finish(self);
        return;
    }
    ++self->moves;
    keep(self, 0, score);
    begin_moves(self);
}

/* Whether the walk ends here. */
static cairn_pic_reason reason_to_end(const cairn_pic_t *self)
{
    const unsigned patience = self->cfg->patience > 0 ? self->cfg->patience : 1u;

    if (self->t < (cairn_pic_begins_thin(self) ? STEPS_THIN : STEPS_LEAST)) {
        return CAIRN_PIC_RUNNING;
    }
    return (self->t >> patience) >= self->t_best                ? CAIRN_PIC_PATIENCE
           : has_converged(self)                                ? CAIRN_PIC_CONVERGED
           : self->t >= UINT32_C(1) << self->cfg->doublings_max ? CAIRN_PIC_LIMIT
                                                                : CAIRN_PIC_RUNNING;
}

/* Whether a checkpoint asks if nodes would move. */
static bool is_probing(const cairn_pic_t *self)
{
    return self->cfg->patience == 0 && self->t >= STEPS_LEAST && can_move(self);
}

/* From another start; its labels have to be better than those of the walks before. */
static void walk_again(cairn_pic_t *self)
{
    ++self->n_walked;
    self->t = 0;
    self->t_best = 0;
    self->score_before = self->score_kept;
    self->score_least = CAIRN_REAL_MAX;
    self->reason = CAIRN_PIC_RUNNING;
    self->thin = cairn_pic_begins_thin(self) ? PIC_THIN_STEPS : 0;
    cairn_pic_draw_columns(self);
    resume_walk(self);
}

static void end_checkpoint(cairn_pic_t *self)
{
    if (self->score_here < self->score_least - SAME_SCORE) {
        self->score_least = self->score_here;
        self->t_best = self->t;
    }
    self->reason = reason_to_end(self);
    if (self->reason != CAIRN_PIC_RUNNING && self->n_walked + 1u < self->cfg->n_walks) {
        walk_again(self);
    } else if (self->reason != CAIRN_PIC_RUNNING || is_probing(self)) {
        begin_moves(self);
    } else {
        resume_walk(self);
    }
}

/* Judge the candidates of a pass; the smaller prefix wins a tie. */
static void judge(cairn_pic_t *self)
{
    for (unsigned lane = 0; lane < self->lane; ++lane) {
        const cairn_real score = cairn_pic_score(self, lane);
        const unsigned prefix = self->prefix - self->lane + lane + 1u;
        if (score < self->score_here - SAME_SCORE) {
            self->score_here = score;
            if (score < NEAR_TIE * self->score_least && score < self->score_before) {
                keep(self, lane, score);
                self->best_prefix = (uint8_t)prefix;
                self->t_kept = self->t;
            }
        }
    }
    self->lane = 0;
    if (self->prefix < self->n_columns) {
        enter(self, PIC_LABEL);
        return;
    }
    end_checkpoint(self);
}

static void end_pass(cairn_pic_t *self)
{
    switch (self->stage) {
    case PIC_DEGREE: take_degrees(self); break;
    case PIC_WALK: end_step(self); break;
    case PIC_RITZ: begin_candidates(self); break;
    case PIC_SCORE: judge(self); break;
    case PIC_MOVE: end_block(self); break;
    case PIC_MOVED: judge_moves(self); break;
    default:
        cairn_pic_settle(self);
        enter(self, PIC_DONE);
        break;
    }
}

cairn_status cairn_pic_step(cairn_pic_t *self, uint32_t operations)
{
    int64_t left = operations > 0 ? (int64_t)operations : 1;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage == PIC_IDLE) {
        return CAIRN_ERR_STATE;
    }
    while (left > 0 && self->stage != PIC_DONE) {
        if (self->stage == PIC_LABEL) {
            label(self);
            charge(self, &left);
        } else if (pass(self, &left)) {
            end_pass(self);
            charge(self, &left);
        }
    }
    return self->stage == PIC_DONE ? CAIRN_OK : CAIRN_MORE;
}

uint8_t cairn_pic_get_label(const cairn_pic_t *self, uint32_t node)
{
    return node < self->capacity ? pic_label(self)[node] : (uint8_t)CAIRN_PIC_UNKNOWN;
}

const cairn_real *cairn_pic_get_place(const cairn_pic_t *self, uint32_t node)
{
    return self->stage == PIC_DONE && node < self->walk.n_nodes ? pic_columns(self) + (size_t)node * self->n_columns
                                                                : NULL;
}

cairn_status cairn_pic_get_result(const cairn_pic_t *self, cairn_pic_result_t *result)
{
    if (self == NULL || result == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage != PIC_DONE) {
        return CAIRN_ERR_STATE;
    }
    memset(result, 0, sizeof *result);
    result->reason = self->reason;
    result->n_steps = self->t;
    result->best_step = self->t_kept;
    result->n_columns = self->n_columns;
    result->prefix = self->best_prefix;
    result->n_moves = self->moves;
    result->score = self->score_kept;
    memcpy(result->ritz, self->ritz, sizeof self->ritz);
    for (unsigned c = 0; c < self->cfg->n_clusters; ++c) {
        uint32_t i = 0;
        while (i < self->walk.n_nodes && pic_label(self)[i] != c) {
            ++i;
        }
        result->n_clusters = (uint8_t)(result->n_clusters + (i < self->walk.n_nodes ? 1u : 0u));
    }
    return CAIRN_OK;
}
