/* SPDX-License-Identifier: MIT
 * Table from arbitrary 32-bit ids to dense indices 0, 1, 2 ... in order of arrival, over caller arrays. */
#ifndef CAIRN_IDS_H
#define CAIRN_IDS_H

#include "cairn/real.h"
#include "cairn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Index returned for an id that is not in the table; larger than any index. */
#define CAIRN_IDS_NONE UINT32_MAX

/** Slots for n ids: twice n keeps the probe length short (about 2.5 looks for a miss when full). */
#define CAIRN_IDS_SLOTS(n) ((size_t)(n)*2u + 1u)

/** Open-addressing hash table. Private; the arrays are the caller's. */
typedef struct cairn_ids {
    uint32_t *id;   /* [capacity] by index */
    uint32_t *slot; /* [n_slots] index + 1, or 0 */
    uint32_t capacity;
    uint32_t n_slots;
    uint32_t n_ids;
} cairn_ids_t;

/**
 * Start an empty table.
 *
 * self       out, every field is written
 * id         [capacity] caller's, kept by self, need not be cleared
 * capacity   1 to 2^24
 * slot       [n_slots] caller's, kept by self, is cleared
 * n_slots    >= CAIRN_IDS_SLOTS(capacity)
 *
 * CAIRN_OK         ready
 * CAIRN_ERR_ARG    NULL, or capacity out of range
 * CAIRN_ERR_SIZE   slot too short
 * CAIRN_ERR_ALIGN  an array is misaligned
 *
 * Work: n_slots writes. Memory: 4 capacity + 4 n_slots bytes.
 */
CAIRN_MUST_CHECK cairn_status cairn_ids_init(cairn_ids_t *self, uint32_t *id, size_t capacity, uint32_t *slot,
                                             size_t n_slots);

/**
 * Find an id.
 *
 * self  initialised table
 * id    any value
 *
 * Returns its index, or CAIRN_IDS_NONE. Work: n_slots looks at most, about 2 on average.
 */
uint32_t cairn_ids_find(const cairn_ids_t *self, uint32_t id);

/**
 * Find an id, and give it the next index when it is new.
 *
 * self   initialised table
 * id     any value
 * index  out; written only when CAIRN_OK is returned
 *
 * CAIRN_OK       found or added
 * CAIRN_FULL     new, and the table is full; nothing has changed
 * CAIRN_ERR_ARG  NULL
 *
 * Work: as find.
 */
CAIRN_MUST_CHECK cairn_status cairn_ids_add(cairn_ids_t *self, uint32_t id, uint32_t *index);

/**
 * Give an index to another id: the old id is forgotten, so that a full table can go on.
 *
 * self   initialised table
 * index  < number of ids added
 * id     not in the table, or the one that has this index already
 *
 * CAIRN_OK        done
 * CAIRN_ERR_ARG   NULL, index not in use, or id already has another index
 *
 * Work: n_slots moves at most, about 3 on average (the entries after a hole move up, so nothing slows down with time).
 */
CAIRN_MUST_CHECK cairn_status cairn_ids_replace(cairn_ids_t *self, uint32_t index, uint32_t id);

#ifdef __cplusplus
}
#endif
#endif
