/* SPDX-License-Identifier: MIT
 * Power iteration clustering with one vector. Source: Lin (2012), 2.3 to 2.6 and 9.2. What we changed: the part of the
 * vector along 1 does not change (pi^T W = pi^T), so it is kept as a number and the rest is walked alone, at full
 * resolution; the thesis's vector, its changes and its rule follow from both without cancellation. */
#include "cairn/power.h"

#include "walk/sort_internal.h"

#define STEPS_MAX     0x1000000u
#define SKEWED_NODES  32
#define SCALE_LEAST   5.9604645e-08f /* 2^-24 */
#define SCALE_BACK    16777216.0f    /* 2^24 */
#define SCALE_BITS    24
#define UNKNOWN_LABEL 255u
#define STATIONARY    (8 * CAIRN_REAL_EPSILON) /* a start that differs less from a constant is one */

typedef enum power_stage { POWER_DEGREE = 0, POWER_WALK, POWER_DONE } power_stage;

const cairn_power_cfg_t cairn_power_cfg_default = {
    CAIRN_POWER_UNIFORM, CAIRN_POWER_ACCELERATION, 1000, 1e-5f, false, 0};

static cairn_status check(const cairn_power_cfg_t *cfg, const cairn_walk_t *walk, const cairn_real *work)
{
    if (!cairn_isfinite(cfg->tolerance)) {
        return CAIRN_ERR_NONFINITE;
    }
    if ((unsigned)cfg->start > CAIRN_POWER_GIVEN || (unsigned)cfg->stop > CAIRN_POWER_STEPS || cfg->steps_max < 1 ||
        cfg->steps_max > STEPS_MAX || cfg->tolerance < 0) {
        return CAIRN_ERR_ARG;
    }
    for (uint32_t i = 0; i < walk->n_nodes && cfg->start == CAIRN_POWER_GIVEN; ++i) {
        if (!cairn_isfinite(work[i])) {
            return CAIRN_ERR_NONFINITE;
        }
        if (work[i] < 0) {
            return CAIRN_ERR_ARG;
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_power_begin(cairn_power_t *self, const cairn_power_cfg_t *cfg, const cairn_walk_t *walk,
                               cairn_real *work, size_t n_work)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || walk == NULL || work == NULL || walk->multiply == NULL || walk->stochastic) {
        return CAIRN_ERR_ARG;
    }
    if (n_work < CAIRN_POWER_REALS(walk->n_nodes)) {
        return CAIRN_ERR_SIZE;
    }
    status = check(cfg, walk, work);
    if (status != CAIRN_OK) {
        return status;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->walk = *walk;
    self->vector = work;
    self->degree = work + walk->n_nodes;
    self->product = work + 2u * (size_t)walk->n_nodes;
    self->change = work + 3u * (size_t)walk->n_nodes;
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        self->degree[i] = 0;
        self->product[i] = 0;
        self->change[i] = 1; /* what the degrees are the product of */
    }
    return CAIRN_OK;
}

static uint64_t hashed(const cairn_power_t *self, uint32_t node)
{
    const uint32_t id = self->walk.id != NULL ? self->walk.id[node] : node;
    uint64_t mixed = id + UINT64_C(0x9E3779B97F4A7C15) * (self->cfg->seed + 1u);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

/* 1 at the node of highest degree, 1/2 at the next, down to 2^-31. */
static void start_skewed(cairn_power_t *self)
{
    cairn_real value = 1;

    memset(self->vector, 0, self->walk.n_nodes * sizeof *self->vector);
    for (int rank = 0; rank < SKEWED_NODES; ++rank) {
        uint32_t top = self->walk.n_nodes;
        for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
            if (!(self->vector[i] > 0) && (top == self->walk.n_nodes || self->degree[i] > self->degree[top])) {
                top = i;
            }
        }
        if (top == self->walk.n_nodes) {
            break;
        }
        self->vector[top] = value;
        value *= 0.5f;
    }
}

static void draw_start(cairn_power_t *self)
{
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        const uint32_t bits = (uint32_t)(hashed(self, i) >> 40);
        switch (self->cfg->start) {
        case CAIRN_POWER_UNIFORM: self->vector[i] = (cairn_real)bits * (cairn_real)(1.0f / 16777216.0f); break;
        case CAIRN_POWER_NORMAL: self->vector[i] = (bits & 1u) != 0 ? (cairn_real)1 : (cairn_real)-1; break;
        case CAIRN_POWER_DEGREE: self->vector[i] = self->degree[i]; break;
        default: break;
        }
    }
    if (self->cfg->start == CAIRN_POWER_SKEWED) {
        start_skewed(self);
    }
}

/* Mean of u in the stationary distribution. */
static cairn_real mean_of(const cairn_power_t *self, const cairn_real *u)
{
    cairn_real sum = 0;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        sum += self->degree[i] * u[i];
    }
    return sum / self->volume;
}

/* Take the mean out of u and give it length 1; returns the length. */
static cairn_real normalise(cairn_power_t *self)
{
    const cairn_real mean = mean_of(self, self->vector);
    cairn_real square = 0;
    cairn_real length;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        self->vector[i] = self->degree[i] > 0 ? self->vector[i] - mean : (cairn_real)0;
        square += self->degree[i] * self->vector[i] * self->vector[i];
    }
    length = cairn_sqrt(square / self->volume);
    self->sum_u = 0;
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        self->vector[i] = length > 0 ? self->vector[i] / length : (cairn_real)0;
        self->sum_u += self->vector[i];
    }
    return length;
}

/* 2^exponent scale: 0 when it is below what a real can hold. */
static cairn_real true_scale(const cairn_power_t *self)
{
    cairn_real scale = self->scale;

    for (int32_t e = self->exponent; e < 0 && scale > 0; e += SCALE_BITS) {
        scale *= SCALE_LEAST;
    }
    return scale;
}

static void begin_walk(cairn_power_t *self)
{
    cairn_real total = 0;

    self->n_active = 0;
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        self->volume += self->degree[i];
        self->n_active += self->degree[i] > 0 ? 1u : 0u;
    }
    draw_start(self);
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        total += self->degree[i] > 0 ? cairn_abs(self->vector[i]) : (cairn_real)0;
    }
    self->stage = POWER_DONE;
    self->stopped = true;
    if (self->n_active < 2 || !(total > 0)) {
        return;
    }
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        self->vector[i] /= total;
        self->change[i] = 0;
    }
    self->constant = mean_of(self, self->vector);
    self->scale = normalise(self);
    self->sum = (cairn_real)self->n_active * self->constant + self->scale * self->sum_u;
    if (self->scale > STATIONARY * cairn_abs(self->constant)) {
        self->stage = POWER_WALK;
        self->stopped = false;
    } else { /* the degrees of a regular graph: what is left is rounding */
        memset(self->vector, 0, self->walk.n_nodes * sizeof *self->vector);
        self->scale = 0;
    }
}

/* Largest change of change, and half the sum of changes (signed, as the thesis's text has it: a
 * vector that swings does not count as still), between the step before (old_*) and now; keeps the change.
 * delta = g u / S - g' u' / S' + c (S' - S) / (S S'), the difference of sums without their common part. */
static bool is_still(cairn_power_t *self, cairn_real old_scale, cairn_real old_sum, cairn_real old_sum_u)
{
    const cairn_real scale = true_scale(self);
    const cairn_real shift = self->constant * (old_scale * old_sum_u - scale * self->sum_u) / (self->sum * old_sum);
    const cairn_real limit = self->cfg->tolerance / (cairn_real)self->n_active;
    cairn_real largest = 0;
    cairn_real moved = 0;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        if (self->degree[i] > 0) { /* product still holds the vector of the step before */
            const cairn_real change =
                scale * self->vector[i] / self->sum - old_scale * self->product[i] / old_sum + shift;
            largest = cairn_max(largest, cairn_abs(change - self->change[i]));
            moved += 0.5f * cairn_abs(change);
            self->change[i] = change;
        }
    }
    if (self->cfg->stop == CAIRN_POWER_STEPS || self->n_steps < 2) {
        return false;
    }
    return self->cfg->stop == CAIRN_POWER_MOVED ? moved <= limit : largest <= limit;
}

static void end_step(cairn_power_t *self)
{
    const cairn_real old_scale = true_scale(self);
    const cairn_real old_sum = self->sum;
    const cairn_real old_sum_u = self->sum_u;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) { /* swap: product becomes the vector of the step before */
        const cairn_real before = self->vector[i];
        cairn_real next = self->degree[i] > 0 ? self->product[i] / self->degree[i] : (cairn_real)0;
        next = self->cfg->lazy ? 0.5f * (next + before) : next;
        self->vector[i] = next;
        self->product[i] = before;
    }
    self->scale *= normalise(self);
    if (self->scale > 0 && self->scale < SCALE_LEAST) {
        self->scale *= SCALE_BACK;
        self->exponent -= SCALE_BITS;
    }
    self->sum = (cairn_real)self->n_active * self->constant + true_scale(self) * self->sum_u;
    ++self->n_steps;
    self->stopped = is_still(self, old_scale, old_sum, old_sum_u) || !(self->scale > 0);
    memset(self->product, 0, self->walk.n_nodes * sizeof *self->product);
    if (self->stopped || self->n_steps >= self->cfg->steps_max) {
        self->stage = POWER_DONE;
    }
}

cairn_status cairn_power_step(cairn_power_t *self, uint32_t operations)
{
    int64_t left = operations > 0 ? (int64_t)operations : 1;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    while (left > 0 && self->stage != POWER_DONE) {
        const bool degrees = self->stage == POWER_DEGREE;
        if (self->cursor < self->walk.n_parts) {
            self->walk.multiply(&self->walk, self->cursor, self->cursor + 1u, 1, degrees ? self->change : self->vector,
                                degrees ? self->degree : self->product);
            ++self->cursor;
            left -= 1 + (int64_t)(self->walk.n_links / (cairn_real)self->walk.n_parts);
            continue;
        }
        self->cursor = 0;
        left -= self->walk.n_nodes;
        degrees ? begin_walk(self) : end_step(self);
    }
    if (self->stage != POWER_DONE) {
        return CAIRN_MORE;
    }
    return self->stopped ? CAIRN_OK : CAIRN_NOT_CONVERGED;
}

cairn_real cairn_power_get_literal(const cairn_power_t *self, uint32_t node)
{
    return (self->constant + true_scale(self) * self->vector[node]) / self->sum;
}

/* Where the two groups of sorted numbers part: the prefix sums whose squares over sizes are largest. */
static cairn_real best_threshold(const cairn_real *x, size_t n)
{
    cairn_real total = 0;
    cairn_real sum = 0;
    cairn_real most = -1;
    cairn_real threshold = x[0];

    for (size_t i = 0; i < n; ++i) {
        total += x[i];
    }
    for (size_t i = 0; i + 1 < n; ++i) {
        cairn_real gain;
        sum += x[i];
        gain = sum * sum / (cairn_real)(i + 1) + (total - sum) * (total - sum) / (cairn_real)(n - 1 - i);
        if (gain > most) {
            most = gain;
            threshold = x[i] + 0.5f * (x[i + 1] - x[i]);
        }
    }
    return threshold;
}

cairn_status cairn_power_split(cairn_power_t *self, uint8_t *label)
{
    cairn_real *sorted;
    cairn_real threshold = CAIRN_REAL_MAX;
    size_t n = 0;

    if (self == NULL || label == NULL) {
        return CAIRN_ERR_ARG;
    }
    sorted = self->product;
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        if (self->degree[i] > 0) {
            sorted[n++] = self->vector[i];
        }
    }
    cairn_walk_sort(sorted, n);
    threshold = n >= 2 ? best_threshold(sorted, n) : threshold;
    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        label[i] = self->degree[i] > 0 ? (uint8_t)(self->vector[i] > threshold ? 1 : 0) : (uint8_t)UNKNOWN_LABEL;
    }
    return n >= 2 ? CAIRN_OK : CAIRN_UNPLACED;
}
