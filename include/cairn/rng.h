/* SPDX-License-Identifier: MIT
 * Seeded random numbers (PCG32, O'Neill 2014): 16 bytes of state, the same stream on every target. */
#ifndef CAIRN_RNG_H
#define CAIRN_RNG_H

#include "cairn/real.h"

#ifdef __cplusplus
extern "C" {
#endif

/** State of one stream. Private; 16 bytes. Copy it to fork the stream. */
typedef struct cairn_rng {
    uint64_t state;
    uint64_t increment;
} cairn_rng_t;

/**
 * Start a stream.
 *
 * self      out, every field is written
 * seed      any value. The first draws of streams whose seeds count up in equal steps are not quite independent of each
 *           other: the mean of one draw over 400 such seeds scatters with 0.5 to 1.5 times the variance it should have.
 *           Where results of many seeds are averaged, draw the seeds, 64 bits each, from one further stream
 * sequence  any value; small numbers give different streams for one seed, and do not replace drawn seeds
 *
 * Work: O(1).
 */
void cairn_rng_init(cairn_rng_t *self, uint64_t seed, uint64_t sequence);

/**
 * Next 32 random bits.
 *
 * self  initialised stream
 *
 * Returns a uniform value. Work: O(1).
 */
uint32_t cairn_rng_next(cairn_rng_t *self);

/**
 * Unbiased integer below a bound (rejection of the incomplete last interval, no modulo bias).
 *
 * self   initialised stream
 * bound  > 0; 0 is taken as 2^32
 *
 * Returns a value in [0, bound). Work: at most 2 draws on average; gives up after 64 (probability below 2^-64).
 */
uint32_t cairn_rng_below(cairn_rng_t *self, uint32_t bound);

/**
 * Uniform number in [0, 1) with 24 random bits.
 *
 * self  initialised stream
 *
 * Returns the number; exact arithmetic, the same bits on every target. Work: O(1).
 */
cairn_real cairn_rng_uniform(cairn_rng_t *self);

#ifdef __cplusplus
}
#endif
#endif
