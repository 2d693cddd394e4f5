/* SPDX-License-Identifier: MIT
 * Reservoir. Algorithm R for single items; gaps by binary digits of a geometric variable and thinning, so that neither
 * logarithms nor an accumulated threshold (Algorithm L) are needed: each item's probability is exact in itself. */
#include "cairn/reservoir.h"

#define DRAWS_MAX 64 /* each rejection has probability below 1/2 */
#define GAP_BITS  64

static uint64_t draw_u64(cairn_rng_t *rng)
{
    const uint64_t high = cairn_rng_next(rng);

    return (high << 32) | cairn_rng_next(rng);
}

/* Unbiased below a bound > 0 of any size. */
static uint64_t draw_below(cairn_rng_t *rng, uint64_t bound)
{
    uint64_t threshold;
    uint64_t draw = 0;

    if (bound <= UINT32_MAX) {
        return cairn_rng_below(rng, (uint32_t)bound);
    }
    threshold = (UINT64_MAX - bound + 1u) % bound;
    for (int i = 0; i < DRAWS_MAX; ++i) {
        draw = draw_u64(rng);
        if (draw >= threshold) {
            break;
        }
    }
    return draw % bound;
}

cairn_status cairn_reservoir_init(cairn_reservoir_t *self, uint32_t size, uint64_t seed)
{
    if (self == NULL || size == 0 || size == UINT32_MAX) {
        return CAIRN_ERR_ARG;
    }
    memset(self, 0, sizeof *self);
    cairn_rng_init(&self->rng, seed, size);
    self->size = size;
    return CAIRN_OK;
}

cairn_status cairn_reservoir_offer(cairn_reservoir_t *self, uint32_t *slot)
{
    uint64_t at;

    if (self == NULL || slot == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->n_offered == UINT64_MAX) {
        return CAIRN_ERR_STATE;
    }
    ++self->n_offered;
    at = self->n_offered <= self->size ? self->n_offered - 1u : draw_below(&self->rng, self->n_offered);
    if (at >= self->size) {
        return CAIRN_REJECTED;
    }
    *slot = (uint32_t)at;
    return CAIRN_OK;
}

/* Failures before the first success of trials with probability p, saturating. Digit b of the count is 1 with probability
 * Q/(1 + Q), Q = (1 - p)^(2^b), independently of the others; 1 - Q is what is carried, exact also when p is tiny. */
static uint64_t draw_gap(cairn_rng_t *rng, cairn_real p)
{
    uint64_t gap = 0;

    for (unsigned b = 0; b < GAP_BITS && p < 1; ++b) {
        const uint64_t draw = draw_u64(rng) >> 40; /* 24 bits */
        if ((cairn_real)draw * (2 - p) < (1 - p) * (cairn_real)(UINT32_C(1) << 24)) {
            gap |= UINT64_C(1) << b;
        }
        p = p * (2 - p);
    }
    return gap;
}

cairn_status cairn_reservoir_skip(cairn_reservoir_t *self, uint64_t n_most, uint64_t *n_passed, uint32_t *slot)
{
    uint64_t gap;
    uint64_t next;

    if (self == NULL || n_passed == NULL || slot == NULL || n_most == 0) {
        return CAIRN_ERR_ARG;
    }
    if (n_most > UINT64_MAX - self->n_offered) {
        return CAIRN_ERR_STATE;
    }
    *n_passed = 0;
    if (self->n_offered < self->size) {
        *slot = (uint32_t)self->n_offered++;
        return CAIRN_OK;
    }
    next = self->n_offered + 1u;
    gap = draw_gap(&self->rng, (cairn_real)self->size / (cairn_real)next);
    if (gap >= n_most) { /* none of these is proposed; a geometric gap has no memory */
        self->n_offered += n_most;
        *n_passed = n_most;
        return CAIRN_REJECTED;
    }
    self->n_offered += gap + 1u;
    if (draw_below(&self->rng, self->n_offered) >= next) {
        *n_passed = gap + 1u;
        return CAIRN_REJECTED;
    }
    *n_passed = gap;
    *slot = cairn_rng_below(&self->rng, self->size);
    return CAIRN_OK;
}

/* Walks through n slots and chooses k of them, uniformly. */
typedef struct chooser {
    uint32_t n_left;
    uint32_t k_left;
} chooser_t;

static bool choose_next(chooser_t *self, cairn_rng_t *rng)
{
    const bool chosen = cairn_rng_below(rng, self->n_left) < self->k_left;

    --self->n_left;
    self->k_left -= chosen ? 1u : 0u;
    return chosen;
}

/* How many of `size` items drawn from both streams come from the first. */
static uint32_t draw_share(cairn_rng_t *rng, uint64_t n_first, uint64_t n_second, uint32_t size)
{
    uint32_t n_taken = 0;

    for (uint32_t i = 0; i < size; ++i) {
        if (draw_below(rng, n_first + n_second) < n_first) {
            --n_first;
            ++n_taken;
        } else {
            --n_second;
        }
    }
    return n_taken;
}

cairn_status cairn_reservoir_merge(cairn_reservoir_t *self, const cairn_reservoir_t *other, uint32_t *from,
                                   size_t n_from)
{
    chooser_t keep;
    chooser_t take;
    uint64_t n_offered;
    uint32_t n_filled;
    uint32_t other_slot = 0;

    if (self == NULL || other == NULL || from == NULL || self == other || self->size != other->size) {
        return CAIRN_ERR_ARG;
    }
    if (n_from < self->size) {
        return CAIRN_ERR_SIZE;
    }
    if (other->n_offered > UINT64_MAX - self->n_offered) {
        return CAIRN_ERR_STATE;
    }
    n_offered = self->n_offered + other->n_offered;
    n_filled = n_offered < self->size ? (uint32_t)n_offered : self->size;
    keep.n_left = cairn_reservoir_get_held(self);
    keep.k_left = draw_share(&self->rng, self->n_offered, other->n_offered, n_filled);
    take.n_left = cairn_reservoir_get_held(other);
    take.k_left = n_filled - keep.k_left;
    for (uint32_t slot = 0; slot < n_filled; ++slot) {
        from[slot] = CAIRN_RESERVOIR_OWN;
        if (keep.n_left > 0 && choose_next(&keep, &self->rng)) {
            continue;
        }
        while (!choose_next(&take, &self->rng)) {
            ++other_slot;
        }
        from[slot] = other_slot++;
    }
    self->n_offered = n_offered;
    return CAIRN_OK;
}

uint32_t cairn_reservoir_get_held(const cairn_reservoir_t *self)
{
    return self->n_offered < self->size ? (uint32_t)self->n_offered : self->size;
}

uint64_t cairn_reservoir_get_offered(const cairn_reservoir_t *self) { return self->n_offered; }
