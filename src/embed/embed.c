/* SPDX-License-Identifier: MIT
 * PLACE-RANDOM: entry, placing of vectors and getters. Source: thesis chapter 4; place-family section 5. What we changed:
 * landmarks are embedded among themselves first, a vector starts from linear triangulation and takes one preconditioned
 * step instead of sixty plain ones (a place solved exactly would fit the noise of its l distances), replaced landmarks are
 * settled among the others, and the u-th vector is kept with probability l/u, which makes the sample uniform. */
#include "embed/embed_internal.h"
#include "embed/metric_internal.h"

#define DIM_MAX        1024
#define LANDMARKS_MAX  65520
#define SCALE_INTERVAL 32 /* vectors between updates of the triangulation's factor */
#define SCALE_LEAST    0.7f
#define SCALE_MOST     2.5f
#define FIT_SHARE      1.5f /* k/l above the cost of a fitted place: what the middle of two costs that noise parts */

const cairn_embed_cfg_t cairn_embed_cfg_default = {
    &cairn_metric_euclidean, &cairn_embed_random, 0, 0, 0, 1, 3, false, NULL, NULL, 1};

static bool is_valid(const cairn_embed_cfg_t *cfg)
{
    return cfg != NULL && cfg->metric != NULL && cfg->n_features > 0 && cfg->dim > 0 && cfg->dim <= DIM_MAX &&
           cfg->n_landmarks >= 2 && cfg->n_landmarks <= LANDMARKS_MAX &&
           (cfg->rounds > 0 || (cfg->policy == NULL && cfg->robust == NULL && cfg->smoother == NULL));
}

size_t cairn_embed_reals(const cairn_embed_cfg_t *cfg)
{
    uint64_t n;
    uint32_t l;
    uint32_t k;

    if (!is_valid(cfg)) {
        return 0;
    }
    l = cfg->n_landmarks;
    k = cfg->dim;
    n = (uint64_t)l * embed_row(cfg) + (uint32_t)CAIRN_EMBED_PADDED(l) * (2u * k + 3u) + k * (k + 1u + N_VECTORS);
    n += cfg->store_distances ? l * (l - 1u) / 2u : 0;
    n += cfg->policy != NULL ? l * cfg->policy->reals_each : 0;
    n += cfg->robust != NULL ? cfg->robust->reals(l) : 0;
    n += cfg->smoother != NULL ? cfg->smoother->reals(cfg->n_features, k) : 0;
    return n > SIZE_MAX / sizeof(cairn_real) ? 0 : (size_t)n;
}

/* The next n reals of the caller's memory. */
static cairn_real *take(cairn_real **next, size_t n)
{
    cairn_real *taken = *next;

    *next += n;
    return taken;
}

/* What is left at next is the policy's. */
static void divide_memory(cairn_embed_t *self, cairn_real **next)
{
    const cairn_embed_cfg_t *cfg = self->cfg;
    const size_t l = cfg->n_landmarks;
    const size_t k = self->dim;
    const size_t n = self->padded;

    self->source = take(next, l * embed_row(cfg));
    self->image = take(next, k * n);
    self->second = take(next, k * n);
    self->inverse = take(next, k * k);
    self->centre = take(next, k);
    self->vectors = take(next, N_VECTORS * k);
    self->square = take(next, n);
    self->weight = take(next, n);
    self->range = take(next, n);
    self->along = self->second;
    self->stored = cfg->store_distances ? take(next, CAIRN_EMBED_STORED_REALS(l)) : NULL;
    self->sorting = cfg->robust != NULL ? take(next, cfg->robust->reals(l)) : NULL;
    self->learned = cfg->smoother != NULL ? take(next, cfg->smoother->reals(cfg->n_features, k)) : NULL;
}

static cairn_status check_memory(const cairn_embed_cfg_t *cfg, const cairn_embed_memory_t *memory, size_t n_reals)
{
    if (memory->reals == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (n_reals == 0 || memory->n_reals < n_reals) {
        return CAIRN_ERR_SIZE;
    }
    if (!cairn_aligned(memory->reals, sizeof(cairn_real))) {
        return CAIRN_ERR_ALIGN;
    }
    return cfg->policy != NULL ? cfg->policy->check(cfg, memory) : CAIRN_OK;
}

cairn_status cairn_embed_init(cairn_embed_t *self, const cairn_embed_cfg_t *cfg, const cairn_embed_memory_t *memory)
{
    size_t n_reals;
    cairn_status status;
    cairn_embed_memory_t rest;

    if (self == NULL || memory == NULL || !is_valid(cfg)) {
        return CAIRN_ERR_ARG;
    }
    n_reals = cairn_embed_reals(cfg);
    status = check_memory(cfg, memory, n_reals);
    if (status != CAIRN_OK) {
        return status;
    }
    memset(self, 0, sizeof *self);
    memset(memory->reals, 0, n_reals * sizeof *memory->reals);
    self->cfg = cfg;
    self->dim = cfg->dim;
    self->n_landmarks = cfg->n_landmarks;
    self->padded = (uint16_t)CAIRN_EMBED_PADDED(cfg->n_landmarks);
    self->scale = 1;
    rest = *memory;
    divide_memory(self, &rest.reals);
    cairn_rng_init(&self->rng, cfg->seed, 2);
    if (cfg->policy != NULL) {
        cfg->policy->begin(self, &rest);
    }
    return CAIRN_OK;
}

cairn_status cairn_embed_attach(cairn_embed_t *self, const cairn_embed_cfg_t *cfg, const cairn_embed_memory_t *memory)
{
    cairn_status status;
    cairn_embed_memory_t rest;

    if (self == NULL || memory == NULL || !is_valid(cfg)) {
        return CAIRN_ERR_ARG;
    }
    status = check_memory(cfg, memory, cairn_embed_reals(cfg));
    if (status != CAIRN_OK) {
        return status;
    }
    if (self->dim != cfg->dim || self->n_landmarks != cfg->n_landmarks) {
        return CAIRN_ERR_STATE;
    }
    self->cfg = cfg;
    rest = *memory;
    divide_memory(self, &rest.reals);
    if (cfg->policy != NULL && cfg->policy->attach != NULL) {
        cfg->policy->attach(self, &rest);
    }
    return CAIRN_OK;
}

/* Distances to all landmarks into self->range; to itself while there are none, which finds vectors that have none. */
static cairn_status measure(cairn_embed_t *self, const cairn_real *features)
{
    const size_t d = self->cfg->n_features;
    const size_t n = self->n_held > 0 ? self->n_held : 1;

    if (!cairn_all_finite(features, d)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!metric_takes(self->cfg->metric, features, d)) {
        return CAIRN_ERR_RANGE;
    }
    if (self->n_held == 0) {
        cairn_embed_set_source(self, 0, features);
    }
    cairn_embed_measure(self, features, 0, n, self->range);
    for (const cairn_real *range = self->range, *end = range + n; range < end; ++range) {
        if (!(*range >= 0 && *range <= CAIRN_EMBED_DISTANCE_MAX)) {
            return CAIRN_ERR_RANGE;
        }
    }
    return CAIRN_OK;
}

/* Triangulation and steps; returns the cost. */
static cairn_real descend(cairn_embed_t *self)
{
    cairn_real *x = embed_vector(self, VECTOR_X);
    cairn_real cost = 0;

    cairn_embed_triangulate(self, self->scale, x);
    memcpy(embed_vector(self, VECTOR_FIRST), x, self->dim * sizeof *x);
    if (self->cfg->rounds == 0) {
        cost = cairn_embed_find_cost(self, x);
    }
    for (uint16_t round = 0; round < self->cfg->rounds; ++round) {
        cost = cairn_embed_descend(self);
    }
    return cost;
}

/* From the cost of the place at hand. */
static void set_residual(cairn_embed_t *self, cairn_real cost)
{
    self->residual = cairn_sqrt(cost / cairn_max(self->weight_sum, 1));
}

/* Place the vector whose ranges are at hand. Returns the cost of the place that they alone say. */
static cairn_real settle(cairn_embed_t *self, const cairn_real *features)
{
    const cairn_real cost = self->cfg->robust != NULL ? self->cfg->robust->settle(self) : descend(self);

    set_residual(self, cost);
    memcpy(embed_vector(self, VECTOR_TRIAL), embed_vector(self, VECTOR_X), self->dim * sizeof *features);
    if (self->smoothing) {
        self->cfg->smoother->apply(self, features);
        set_residual(self, cairn_embed_find_cost(self, embed_vector(self, VECTOR_X)));
    }
    return cost;
}

/* Nothing more is asked of the vector at hand: its distances' weights go. */
static void release(cairn_embed_t *self)
{
    if (self->cfg->robust != NULL) {
        cairn_embed_set_all(self);
    }
}

void cairn_embed_set_scale(cairn_embed_t *self)
{
    const cairn_real ratio = self->ratio_den > 0 ? self->ratio_num / self->ratio_den : 1;
    const cairn_real scale = self->scale * (cairn_isfinite(ratio) ? ratio : 1);

    self->scale = cairn_min(cairn_max(scale, SCALE_LEAST), SCALE_MOST);
    self->ratio_num = 0;
    self->ratio_den = 0;
    self->n_scaled = 0;
}

/* Keep the factor of the triangulation current: how far vectors moved from their starts. */
static void follow_scale(cairn_embed_t *self)
{
    const cairn_real *x = embed_vector(self, VECTOR_TRIAL);
    const cairn_real *first = embed_vector(self, VECTOR_FIRST);

    for (size_t a = 0; a < self->dim; ++a) {
        const cairn_real tried = first[a] - self->centre[a];
        self->ratio_num += tried * (x[a] - self->centre[a]);
        self->ratio_den += tried * tried;
    }
    if (++self->n_scaled == SCALE_INTERVAL) {
        cairn_embed_set_scale(self);
    }
}

static void count_refusal(cairn_embed_t *self, cairn_status status)
{
    self->counters.n_nonfinite += status == CAIRN_ERR_NONFINITE ? 1u : 0u;
    self->counters.n_unplaceable += status == CAIRN_ERR_RANGE ? 1u : 0u;
}

/* A vector has been placed: pass it on, and let the policy have it. */
static void finish(cairn_embed_t *self, const cairn_real *features, cairn_real *place)
{
    release(self);
    memcpy(place, embed_vector(self, VECTOR_X), self->dim * sizeof *place);
    if (self->cfg->robust == NULL && self->cfg->rounds > 0) {
        follow_scale(self);
    }
    if (self->cfg->smoother != NULL) {
        self->cfg->smoother->learn(self, features);
    }
    if (self->cfg->policy != NULL) {
        self->cfg->policy->offer(self, features);
    }
}

cairn_status cairn_embed_push(cairn_embed_t *self, const cairn_real *features, cairn_real *place)
{
    cairn_status status;

    if (self == NULL || features == NULL || place == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage != CAIRN_EMBED_COLLECT && self->stage != CAIRN_EMBED_READY) {
        return CAIRN_ERR_STATE;
    }
    status = measure(self, features);
    if (status != CAIRN_OK) {
        count_refusal(self, status);
        return status;
    }
    if (self->stage == CAIRN_EMBED_COLLECT) {
        return cairn_embed_collect(self, features);
    }
    (void)settle(self, features);
    finish(self, features, place);
    return CAIRN_OK;
}

/* Meet an earlier place half way, where that fits the ranges at hand about as well as the one just found, of a given cost. */
static void meet(cairn_embed_t *self, const cairn_real *place, cairn_real cost)
{
    const cairn_real allowed = 1 + FIT_SHARE * (cairn_real)self->dim / (cairn_real)self->n_held;
    cairn_real *x = embed_vector(self, VECTOR_X);
    cairn_real *middle = embed_vector(self, VECTOR_U);
    cairn_real met;

    for (size_t a = 0; a < self->dim; ++a) {
        middle[a] = 0.5f * (x[a] + place[a]);
    }
    met = cairn_embed_find_cost(self, middle);
    if (met <= allowed * cost) {
        memcpy(x, middle, self->dim * sizeof *x);
        set_residual(self, met);
    }
}

cairn_status cairn_embed_revise(cairn_embed_t *self, const cairn_real *features, cairn_real *place)
{
    cairn_status status;

    if (self == NULL || features == NULL || place == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage != CAIRN_EMBED_READY) {
        return CAIRN_ERR_STATE;
    }
    status = cairn_all_finite(place, self->dim) ? measure(self, features) : CAIRN_ERR_NONFINITE;
    if (status != CAIRN_OK) {
        count_refusal(self, status);
        return status;
    }
    meet(self, place, settle(self, features));
    finish(self, features, place);
    return CAIRN_OK;
}

cairn_status cairn_embed_place(cairn_embed_t *self, const cairn_real *features, cairn_real *place)
{
    cairn_status status;
    uint32_t n_plain_steps;
    cairn_real residual;

    if (self == NULL || features == NULL || place == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage != CAIRN_EMBED_READY) {
        return CAIRN_ERR_STATE;
    }
    status = measure(self, features);
    if (status == CAIRN_OK) {
        n_plain_steps = self->counters.n_plain_steps;
        residual = self->residual;
        (void)settle(self, features);
        release(self);
        self->counters.n_plain_steps = n_plain_steps;
        self->residual = residual;
        memcpy(place, embed_vector(self, VECTOR_X), self->dim * sizeof *place);
    }
    return status;
}

cairn_status cairn_embed_close(cairn_embed_t *self)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage != CAIRN_EMBED_COLLECT || self->n_held == 0) {
        return CAIRN_ERR_STATE;
    }
    cairn_embed_begin_start(self);
    return CAIRN_MORE;
}

cairn_status cairn_embed_step(cairn_embed_t *self, uint32_t pairs)
{
    uint32_t left = pairs;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage == CAIRN_EMBED_COLLECT) {
        return CAIRN_ERR_STATE;
    }
    while (self->stage != CAIRN_EMBED_READY) {
        cairn_embed_start_row(self);
        if (left <= self->n_held) {
            break;
        }
        left -= self->n_held;
    }
    return self->stage == CAIRN_EMBED_READY ? CAIRN_OK : CAIRN_MORE;
}

cairn_status cairn_embed_get_landmark(const cairn_embed_t *self, size_t i, cairn_real *place)
{
    if (self == NULL || place == NULL || i >= self->n_held) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage != CAIRN_EMBED_READY) {
        return CAIRN_ERR_STATE;
    }
    cairn_embed_get_image(self, i, place);
    return CAIRN_OK;
}

cairn_status cairn_embed_move(cairn_embed_t *self, const cairn_real *rotation, const cairn_real *shift)
{
    const size_t k = self != NULL ? self->dim : 0;
    cairn_real *x;

    if (self == NULL || rotation == NULL || shift == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->stage != CAIRN_EMBED_READY) {
        return CAIRN_ERR_STATE;
    }
    if (!cairn_all_finite(rotation, k * k) || !cairn_all_finite(shift, k)) {
        return CAIRN_ERR_NONFINITE;
    }
    x = embed_vector(self, VECTOR_X);
    for (size_t i = 0; i < self->n_held; ++i) {
        cairn_embed_get_image(self, i, x);
        for (size_t a = 0; a < k; ++a) {
            self->image[a * self->padded + i] = cairn_dot(rotation + a * k, x, k) + shift[a];
        }
    }
    cairn_embed_renew(self);
    self->relax_tries = 0; /* a step that waits to be judged is of the frame before */
    self->ratio_num = 0;
    self->ratio_den = 0;
    self->n_scaled = 0;
    self->n_learned = 0;
    self->smoothing = false;
    return CAIRN_OK;
}

uint32_t cairn_embed_get_held(const cairn_embed_t *self) { return self->n_held; }

const cairn_real *cairn_embed_get_source(const cairn_embed_t *self, size_t i)
{
    return i < self->n_held ? embed_source(self, i) : NULL;
}

cairn_real cairn_embed_get_residual(const cairn_embed_t *self) { return self->residual; }

cairn_embed_counters_t cairn_embed_get_counters(const cairn_embed_t *self) { return self->counters; }
