/* SPDX-License-Identifier: MIT
 * PLACECENTER: PLACE of each object against all others, until a sweep brings nothing. Source: thesis chapter 3;
 * place-family section 4. Rows of distances come from a callback, so memory is O(n). The cost that decides the end is the
 * one that the sweep itself sees; the one returned is taken anew from the final places. */
#include "place/mds_internal.h"

const cairn_mds_cfg_t cairn_mds_cfg_default = {
    NULL, NULL, NULL, NULL, false, CAIRN_MDS_CLASSICAL, 1, 30, 200, 200, 1, CAIRN_PLACE_NEWTON, 1, 1e-5f, 1};

/* One object's view of the others. */
typedef struct view {
    const cairn_mds_t *mds;
    uint32_t object;
} view_t;

static void get_neighbour(const void *context, size_t j, cairn_neighbour_t *neighbour)
{
    const view_t *view = context;
    const cairn_mds_t *self = view->mds;

    neighbour->place = mds_place(self, j);
    neighbour->range = self->distance[j];
    neighbour->weight = self->weight[j];
    neighbour->scale = 1;
    neighbour->tie = 2 * (uint32_t)j + (j < view->object ? 1u : 0u);
    neighbour->side = CAIRN_SIDE_BOTH;
}

void cairn_mds_read_row(const cairn_mds_t *self, size_t i)
{
    self->cfg->row(self->cfg->context, i, self->n, self->distance, self->cfg->weighted ? self->weight : NULL);
    for (size_t j = 0; j < self->n && !self->cfg->weighted; ++j) {
        self->weight[j] = 1;
    }
    self->distance[i] = 0;
    self->weight[i] = 0;
}

static cairn_status check_cfg(const cairn_mds_cfg_t *cfg)
{
    if (!cairn_isfinite(cfg->relaxation) || !cairn_isfinite(cfg->tolerance)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (cfg->row == NULL || cfg->starts_max == 0 || cfg->power_rounds == 0 || cfg->sweeps_max == 0 ||
        cfg->place_rounds == 0 || cfg->start > CAIRN_MDS_RANDOM || cfg->method > CAIRN_PLACE_ALTERNATE ||
        cfg->tolerance < 0 || !(cfg->relaxation > 0 && cfg->relaxation < 2)) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

static cairn_status check_arrays(size_t n, size_t dim, size_t n_place, size_t n_work)
{
    const size_t scratch = CAIRN_MDS_REALS(0, dim);

    if (n_place / dim < n || scratch / dim < dim / 2u || n_work < scratch || (n_work - scratch) / (dim + 2u) < n) {
        return CAIRN_ERR_SIZE;
    }
    return CAIRN_OK;
}

/* Places so far out would cost more than a float holds. */
static cairn_status check_given(const cairn_real *place, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (!cairn_isfinite(place[i])) {
            return CAIRN_ERR_NONFINITE;
        }
        if (cairn_abs(place[i]) > CAIRN_MDS_DISTANCE_MAX) {
            return CAIRN_ERR_RANGE;
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_mds_init(cairn_mds_t *self, const cairn_mds_cfg_t *cfg, size_t n, size_t dim, cairn_real *place,
                            size_t n_place, cairn_real *work, size_t n_work)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || place == NULL || work == NULL || n == 0 || dim == 0 || dim > UINT16_MAX ||
        n >= UINT32_MAX || (cfg->space != NULL && cfg->space->radius > 0 && dim < 2)) {
        return CAIRN_ERR_ARG;
    }
    status = check_cfg(cfg);
    if (status == CAIRN_OK && (!cairn_aligned(place, sizeof *place) || !cairn_aligned(work, sizeof *work))) {
        status = CAIRN_ERR_ALIGN;
    }
    status = status == CAIRN_OK ? check_arrays(n, dim, n_place, n_work) : status;
    status = status == CAIRN_OK && cfg->start == CAIRN_MDS_GIVEN ? check_given(place, n * dim) : status;
    if (status != CAIRN_OK) {
        return status;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->sweep = cairn_place_cfg_default;
    self->sweep.space = cfg->space;
    self->sweep.method = cfg->method;
    self->sweep.rounds_max = cfg->place_rounds;
    self->sweep.relaxation = cfg->relaxation;
    self->place = place;
    self->second = work;
    self->distance = self->second + n * dim;
    self->weight = self->distance + n;
    self->scratch = self->weight + n;
    self->axes = self->scratch + CAIRN_PLACE_WORK_REALS(dim);
    self->n = (uint32_t)n;
    self->dim = (uint16_t)dim;
    cairn_rng_init(&self->rng, cfg->seed, n);
    memset(work, 0, CAIRN_MDS_REALS(n, dim) * sizeof *work);
    return CAIRN_OK;
}

static cairn_status check_row(const cairn_mds_t *self)
{
    for (size_t j = 0; j < self->n; ++j) {
        if (!cairn_isfinite(self->distance[j]) || !cairn_isfinite(self->weight[j])) {
            return CAIRN_ERR_NONFINITE;
        }
        if (self->distance[j] < 0 || self->weight[j] < 0 || self->distance[j] > CAIRN_MDS_DISTANCE_MAX ||
            self->weight[j] > CAIRN_MDS_WEIGHT_MAX) {
            return CAIRN_ERR_RANGE;
        }
    }
    return CAIRN_OK;
}

static void measure_row(cairn_mds_t *self, size_t i)
{
    for (size_t j = i + 1u; j < self->n; ++j) {
        mds_add(&self->squares, &self->squares_rest, self->weight[j] * self->distance[j] * self->distance[j]);
        mds_add(&self->sum, &self->sum_rest, self->weight[j]);
    }
}

static cairn_real distance_between(const cairn_mds_t *self, size_t i, size_t j)
{
    const cairn_space_t *space = mds_space(self);

    return space->metric(space, mds_place(self, i), mds_place(self, j), self->dim, 0, self->axes).distance;
}

/* Sums for the best common factor of the start. */
static void scale_row(cairn_mds_t *self, size_t i)
{
    for (size_t j = i + 1u; j < self->n; ++j) {
        const cairn_real f = distance_between(self, i, j);
        mds_add(&self->sum, &self->sum_rest, self->weight[j] * f * f);
        mds_add(&self->cross, &self->shift, self->weight[j] * f * self->distance[j]);
    }
}

static void scale_end(cairn_mds_t *self)
{
    const cairn_real factor = self->sum > 0 ? self->cross / self->sum : 1;
    const bool scalable = !(mds_space(self)->radius > 0) && cairn_isfinite(factor) && factor > 0;

    for (size_t i = 0; i < (size_t)self->n * self->dim && scalable; ++i) {
        self->place[i] *= factor;
    }
}

static void sweep_row(cairn_mds_t *self, size_t i)
{
    const view_t view = {self, (uint32_t)i};
    cairn_place_result_t result = {0, 0, 0};
    const cairn_status status = cairn_place(&self->sweep, get_neighbour, &view, self->n, mds_place(self, i), self->dim,
                                            self->scratch, CAIRN_PLACE_WORK_REALS(self->dim), &result);

    if (status >= 0) {
        mds_add(&self->sum, &self->sum_rest, result.cost);
        self->n_clamped += result.n_clamped;
    }
}

/* Choose the loss of the sweeps to come. */
static void set_smooth(cairn_mds_t *self, bool smooth)
{
    self->smooth = smooth;
    self->sweep.loss = smooth ? &cairn_loss_squared : self->cfg->loss;
    self->pass = 0;
    self->last = CAIRN_REAL_MAX;
}

/* Whether another sweep is wanted. */
static bool sweep_end(cairn_mds_t *self)
{
    const cairn_real before = self->last;

    ++self->n_sweeps;
    self->last = self->sum;
    self->converged = self->pass > 0 && !(before - self->last > self->cfg->tolerance * self->last);
    ++self->pass;
    if (self->smooth && (self->converged || self->pass >= self->cfg->smooth_sweeps)) {
        set_smooth(self, false);
        return true;
    }
    return !self->converged && self->pass < self->cfg->sweeps_max;
}

static void score_row(cairn_mds_t *self, size_t i)
{
    const cairn_loss_t *loss = self->cfg->loss != NULL ? self->cfg->loss : &cairn_loss_squared;
    const cairn_real most = mds_space(self)->distance_max;

    for (size_t j = i + 1u; j < self->n; ++j) {
        const cairn_real f = distance_between(self, i, j);
        const cairn_real range = cairn_min(self->distance[j], most);
        const cairn_real error = self->weight[j] > 0 ? loss->evaluate(loss, f, range, 1).error : 0;
        mds_add(&self->sum, &self->sum_rest, self->weight[j] * error);
        mds_add(&self->cross, &self->shift, self->weight[j] * (f - self->distance[j]) * (f - self->distance[j]));
    }
}

/* Keep the better of these places and the best so far; begin another start or end. */
static void score_end(cairn_mds_t *self)
{
    const size_t bytes = (size_t)self->n * self->dim * sizeof *self->place;
    const bool better = self->n_started == 1 || self->sum < self->cost;

    if (better) {
        self->cost = self->sum;
        self->stress = self->squares > 0 ? cairn_sqrt(self->cross / self->squares) : 0;
        self->best_converged = self->converged;
        memcpy(self->second, self->place, bytes);
    }
    if (self->n_started < self->cfg->starts_max) {
        cairn_mds_begin_start(self);
        return;
    }
    memcpy(self->place, self->second, bytes);
    self->stage = CAIRN_MDS_DONE;
}

static void visit_row(cairn_mds_t *self, size_t i)
{
    switch (self->stage) {
    case CAIRN_MDS_MEASURE: measure_row(self, i); break;
    case CAIRN_MDS_POWER: cairn_mds_power_row(self, i); break;
    case CAIRN_MDS_SCALE: scale_row(self, i); break;
    case CAIRN_MDS_SWEEP: sweep_row(self, i); break;
    default: score_row(self, i); break;
    }
}

static void begin_pass(cairn_mds_t *self)
{
    if (self->stage == CAIRN_MDS_SWEEP && self->n_begun != self->n_started) {
        self->n_begun = self->n_started;
        set_smooth(self, self->cfg->loss != NULL && self->cfg->loss->singular && self->cfg->smooth_sweeps > 0);
    }
    self->cursor = 0;
    self->sum = 0;
    self->sum_rest = 0;
    self->n_clamped = self->stage == CAIRN_MDS_SWEEP ? 0 : self->n_clamped;
    if (self->stage == CAIRN_MDS_SCALE || self->stage == CAIRN_MDS_SCORE) {
        self->cross = 0;
        self->shift = 0;
    }
}

static void end_pass(cairn_mds_t *self)
{
    switch (self->stage) {
    case CAIRN_MDS_MEASURE:
        self->weights = self->sum;
        cairn_mds_begin_start(self);
        break;
    case CAIRN_MDS_POWER: self->stage = cairn_mds_power_end(self) ? CAIRN_MDS_SCALE : CAIRN_MDS_POWER; break;
    case CAIRN_MDS_SCALE:
        scale_end(self);
        self->stage = CAIRN_MDS_SWEEP;
        break;
    case CAIRN_MDS_SWEEP: self->stage = sweep_end(self) ? CAIRN_MDS_SWEEP : CAIRN_MDS_SCORE; break;
    default: score_end(self); break;
    }
    begin_pass(self);
}

cairn_status cairn_mds_step(cairn_mds_t *self, uint32_t pairs)
{
    uint32_t left = pairs;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    while (self->stage != CAIRN_MDS_DONE) {
        cairn_status status;
        cairn_mds_read_row(self, self->cursor);
        status = self->stage == CAIRN_MDS_MEASURE ? check_row(self) : CAIRN_OK;
        if (status != CAIRN_OK) {
            return status;
        }
        visit_row(self, self->cursor++);
        if (self->cursor == self->n) {
            end_pass(self);
        }
        if (left <= self->n) {
            break;
        }
        left -= self->n;
    }
    if (self->stage != CAIRN_MDS_DONE) {
        return CAIRN_MORE;
    }
    return self->best_converged ? CAIRN_OK : CAIRN_NOT_CONVERGED;
}

cairn_real cairn_mds_get_cost(const cairn_mds_t *self) { return self->stage == CAIRN_MDS_DONE ? self->cost : 0; }

cairn_real cairn_mds_get_stress(const cairn_mds_t *self) { return self->stage == CAIRN_MDS_DONE ? self->stress : 0; }

uint32_t cairn_mds_get_sweeps(const cairn_mds_t *self) { return self->n_sweeps; }

uint32_t cairn_mds_get_clamped(const cairn_mds_t *self) { return self->n_clamped; }

/* A start is taken to need half its sweeps. */
cairn_real cairn_mds_get_progress(const cairn_mds_t *self)
{
    const cairn_real most = 0.5f * (cairn_real)self->cfg->sweeps_max;
    cairn_real share = 0;

    if (self->stage == CAIRN_MDS_DONE) {
        return 1;
    }
    if (self->stage == CAIRN_MDS_SWEEP) {
        share = cairn_min((cairn_real)self->pass / most, 1);
    }
    share = self->stage == CAIRN_MDS_SCORE ? 1 : share;
    return self->n_started == 0 ? 0 : ((cairn_real)(self->n_started - 1u) + share) / (cairn_real)self->cfg->starts_max;
}
