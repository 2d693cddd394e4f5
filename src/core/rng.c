/* SPDX-License-Identifier: MIT
 * PCG32 (XSH RR 64/32). Source: O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms
 * for Random Number Generation", 2014. Integers only, so the stream is the same on every target. */
#include "cairn/rng.h"

#define PCG_MULTIPLIER UINT64_C(6364136223846793005)
#define DRAWS_MAX      64 /* each rejection has probability below 1/2 */

void cairn_rng_init(cairn_rng_t *self, uint64_t seed, uint64_t sequence)
{
    self->state = 0;
    self->increment = (sequence << 1) | 1u;
    (void)cairn_rng_next(self);
    self->state += seed;
    (void)cairn_rng_next(self);
}

uint32_t cairn_rng_next(cairn_rng_t *self)
{
    const uint64_t state = self->state;
    const uint32_t mixed = (uint32_t)(((state >> 18) ^ state) >> 27);
    const uint32_t rotation = (uint32_t)(state >> 59);

    self->state = state * PCG_MULTIPLIER + self->increment;
    return (mixed >> rotation) | (mixed << ((32u - rotation) & 31u));
}

uint32_t cairn_rng_below(cairn_rng_t *self, uint32_t bound)
{
    uint32_t threshold;
    uint32_t draw = 0;

    if (bound == 0) {
        return cairn_rng_next(self);
    }
    threshold = (UINT32_MAX - bound + 1u) % bound; /* 2^32 mod bound: draws below it would favour small results */
    for (int i = 0; i < DRAWS_MAX; ++i) {
        draw = cairn_rng_next(self);
        if (draw >= threshold) {
            break;
        }
    }
    return draw % bound;
}

cairn_real cairn_rng_uniform(cairn_rng_t *self)
{
    return (cairn_real)(cairn_rng_next(self) >> 8) * (cairn_real)(1.0f / 16777216.0f);
}
