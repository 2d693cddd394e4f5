/* SPDX-License-Identifier: MIT
 * Reservoir: a uniform sample of a stream of unknown length, by slot numbers; the caller keeps the items. */
#ifndef CAIRN_RESERVOIR_H
#define CAIRN_RESERVOIR_H

#include "cairn/rng.h"
#include "cairn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A reservoir. Private, read by the functions below; 32 bytes, no arrays. Copy it to save it. */
typedef struct cairn_reservoir {
    cairn_rng_t rng;
    uint64_t n_offered; /* items decided about, over all passes */
    uint32_t size;      /* slots */
} cairn_reservoir_t;

/** In `from` of cairn_reservoir_merge: the slot keeps its own item. */
#define CAIRN_RESERVOIR_OWN UINT32_MAX

/**
 * Start empty.
 *
 * self  out, every field is written
 * size  slots, 1 to 2^32 - 2
 * seed  any value
 *
 * CAIRN_OK       ready
 * CAIRN_ERR_ARG  self is NULL, or size out of range
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_reservoir_init(cairn_reservoir_t *self, uint32_t size, uint64_t seed);

/**
 * Decide about the next item: it is kept with probability size / (items so far), exactly.
 *
 * self  initialised reservoir
 * slot  out: where to keep the item, in place of what is there; written only with CAIRN_OK
 *
 * CAIRN_OK        keep it in `slot`
 * CAIRN_REJECTED  drop it
 * CAIRN_ERR_ARG   NULL
 * CAIRN_ERR_STATE 2^64 - 1 items have been offered
 *
 * Work: at most 128 draws, 1 on average. Source: Waterman's Algorithm R (Vitter, ACM TOMS 11 (1985) 37).
 */
CAIRN_MUST_CHECK cairn_status cairn_reservoir_offer(cairn_reservoir_t *self, uint32_t *slot);

/**
 * Decide about many coming items at once: how many of them can be passed over unseen. May be mixed with
 * cairn_reservoir_offer at will; the sample is as uniform.
 *
 * self     initialised reservoir
 * n_most   items that may be decided about, >= 1
 * n_passed out: items passed over
 * slot     out: written only with CAIRN_OK
 *
 * CAIRN_OK        pass over n_passed (< n_most) items and keep the next one in `slot`
 * CAIRN_REJECTED  pass over n_passed (1 to n_most) items; call again for those that follow
 * CAIRN_ERR_ARG   NULL or n_most 0
 * CAIRN_ERR_STATE the count would pass 2^64 - 1
 *
 * Work: at most 64 + 192 draws, whatever n_passed. Derivation: a geometric gap at the present probability, whose
 * binary digits are independent, proposes the next item; it is then kept with the share by which the probability
 * has fallen meanwhile (thinning). Only + - * / are used, and no rounding piles up.
 */
CAIRN_MUST_CHECK cairn_status cairn_reservoir_skip(cairn_reservoir_t *self, uint64_t n_most, uint64_t *n_passed,
                                                   uint32_t *slot);

/**
 * Merge the sample of another stream into this one: the result is a uniform sample of both streams together.
 *
 * self    initialised reservoir; afterwards it counts both streams
 * other   a reservoir of the same size with another seed; not changed; not self
 * from    [n_from] out: for each filled slot of the result CAIRN_RESERVOIR_OWN, or the slot of `other` to copy
 * n_from  >= size
 *
 * CAIRN_OK        copy the items that `from` names
 * CAIRN_ERR_ARG   NULL, other equal to self, or different sizes
 * CAIRN_ERR_SIZE  from is too short
 * CAIRN_ERR_STATE the two counts together pass 2^64 - 1
 *
 * Work: 3 size draws on average. Derivation: the number taken from each stream is hypergeometric; which of them, by
 * selection sampling (Fan, Muller and Rezucha 1962).
 */
CAIRN_MUST_CHECK cairn_status cairn_reservoir_merge(cairn_reservoir_t *self, const cairn_reservoir_t *other,
                                                    uint32_t *from, size_t n_from);

/**
 * Slots that hold an item.
 *
 * self  initialised reservoir
 *
 * Returns the smaller of size and items offered. Work: O(1).
 */
uint32_t cairn_reservoir_get_held(const cairn_reservoir_t *self);

/**
 * Items decided about so far.
 *
 * self  initialised reservoir
 *
 * Returns the count. Work: O(1).
 */
uint64_t cairn_reservoir_get_offered(const cairn_reservoir_t *self);

#ifdef __cplusplus
}
#endif
#endif
