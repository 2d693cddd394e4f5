/* SPDX-License-Identifier: MIT
 * Max-min: a spread-out sample of a stream; a new point that lies farther from all kept ones than the closest two of
 * them from each other replaces one of those two. */
#ifndef CAIRN_MAXMIN_H
#define CAIRN_MAXMIN_H

#include "cairn/rng.h"
#include "cairn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Distance between two kept items, in whichever space the sample is to be spread: of the sources or of their images.
 *
 * context  the caller's
 * i, j     slots, different
 *
 * Returns the distance, finite, >= 0, equal for (i, j) and (j, i).
 */
typedef cairn_real (*cairn_maxmin_fn)(const void *context, size_t i, size_t j);

/** A sample. Private, read by the functions below; holds pointers to the caller's arrays only. */
typedef struct cairn_maxmin {
    cairn_rng_t rng;
    cairn_real *distance; /* [size] of each item to its nearest */
    uint16_t *nearest;    /* [size] */
    uint16_t size;
    uint16_t n_held;
} cairn_maxmin_t;

/**
 * Start empty.
 *
 * self      out, every field is written
 * distance  [size] caller's, kept; need not be cleared
 * nearest   [size] caller's, kept; need not be cleared
 * size      slots, 2 to 65535
 * seed      any value: decides ties and which of the closest two goes
 *
 * CAIRN_OK         ready
 * CAIRN_ERR_ARG    NULL or size out of range
 * CAIRN_ERR_ALIGN  an array is misaligned
 *
 * Work: O(size). Memory: 6 bytes a slot with float.
 */
CAIRN_MUST_CHECK cairn_status cairn_maxmin_init(cairn_maxmin_t *self, cairn_real *distance, uint16_t *nearest,
                                                size_t size, uint64_t seed);

/**
 * Decide about the next item.
 *
 * self      initialised sample
 * to_held   [n_held] distance of the item to each kept one, finite, >= 0
 * between   distance between kept items; called when an item is replaced, for those whose nearest it was
 * context   passed to `between`
 * slot      out: where to keep the item; written only with CAIRN_OK
 *
 * CAIRN_OK             keep it in `slot`. The distances of the slot are those of the new item from now on; `between` is
 *                      not called for it before this returns
 * CAIRN_REJECTED       drop it
 * CAIRN_ERR_ARG        NULL or a negative distance
 * CAIRN_ERR_NONFINITE  a distance is not finite
 *
 * Among several closest pairs, and between the two of a pair, each is equally likely. Work: 3 n_held, and n_held calls of
 * `between` for each item whose nearest was replaced: at most n_held^2, typically n_held.
 * Source: thesis chapter 4 (max-min policy); nearest neighbours are kept in place of its queue of all pairs.
 */
CAIRN_MUST_CHECK cairn_status cairn_maxmin_offer(cairn_maxmin_t *self, const cairn_real *to_held,
                                                 cairn_maxmin_fn between, const void *context, uint32_t *slot);

/**
 * Find all nearest neighbours anew, after items have moved.
 *
 * self     initialised sample
 * between  distance between kept items
 * context  passed to `between`
 *
 * CAIRN_OK       done
 * CAIRN_ERR_ARG  NULL
 *
 * Work: n_held^2 calls of `between`.
 */
CAIRN_MUST_CHECK cairn_status cairn_maxmin_refresh(cairn_maxmin_t *self, cairn_maxmin_fn between, const void *context);

/**
 * Distance of the closest two.
 *
 * self  initialised sample
 *
 * Returns the distance; 0 with fewer than two items. Work: O(n_held).
 */
cairn_real cairn_maxmin_get_closest(const cairn_maxmin_t *self);

#ifdef __cplusplus
}
#endif
#endif
