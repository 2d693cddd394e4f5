/* SPDX-License-Identifier: MIT
 * Snapshots in non-volatile memory: two slots of pages written in turn, so that power may fail at any moment. */
#ifndef CAIRN_SNAPSHOT_H
#define CAIRN_SNAPSHOT_H

#include "cairn/node.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_SNAPSHOT_HEADER 16u /* bytes: magic, kind and owner, generation, length, checksum */

/** Kinds of content; one's image is refused as another. */
typedef enum cairn_snapshot_kind {
    CAIRN_SNAPSHOT_NODE = 1,    /* of cairn_snapshot_save_node */
    CAIRN_SNAPSHOT_TRACK = 2,   /* the caller's copy of a tracker and its arrays */
    CAIRN_SNAPSHOT_NETWORK = 3, /* the caller's copy of a network and its arrays */
    CAIRN_SNAPSHOT_OTHER = 4
} cairn_snapshot_kind;

/** Non-volatile memory, page by page. */
typedef struct cairn_snapshot_store {
    /* Read a page into bytes [page_bytes]; 0: done. */
    int (*read)(void *ctx, unsigned page, uint8_t *bytes);
    /* Erase a page to 0xFF; 0: done. */
    int (*erase)(void *ctx, unsigned page);
    /* Write bytes [page_bytes] to an erased page; 0: done. */
    int (*write)(void *ctx, unsigned page, const uint8_t *bytes);
    void *ctx;
    unsigned first_page;    /* slots: first_page .. first_page + 2 x pages_per_slot - 1 */
    uint16_t page_bytes;    /* > CAIRN_SNAPSHOT_HEADER */
    uint8_t pages_per_slot; /* >= 1 */
    uint8_t owner;          /* told apart from images of other uses; any value */
} cairn_snapshot_store_t;

/** Content bytes that fit into a slot. */
#define CAIRN_SNAPSHOT_CAPACITY(page_bytes, pages_per_slot)                                                            \
    ((uint32_t)(page_bytes) * (uint32_t)(pages_per_slot)-CAIRN_SNAPSHOT_HEADER)

/** Bytes of a node's snapshot. */
#define CAIRN_SNAPSHOT_NODE_BYTES 20u

/**
 * Save content. The slot that does not hold the newest good image is erased and written: whenever power fails, the image
 * before it can still be loaded, or already the new one.
 *
 * store    memory
 * kind     of the content
 * bytes    [length] content
 * length   <= CAIRN_SNAPSHOT_CAPACITY and 65535
 * scratch  [store->page_bytes] overwritten
 *
 * CAIRN_OK          saved
 * CAIRN_ERR_ARG     NULL, or a store that makes no sense
 * CAIRN_ERR_SIZE    too long for a slot
 * CAIRN_ERR_STATE   the memory failed; the newest good image is as it was
 *
 * Work: reads and writes of at most 3 slots, O(bytes). Stack: no page.
 */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_save(const cairn_snapshot_store_t *store, uint8_t kind,
                                                  const uint8_t *bytes, size_t length, uint8_t *scratch);

/**
 * Load the newest good content.
 *
 * store       memory
 * kind        expected
 * bytes       [length] out; undefined unless CAIRN_OK
 * length      expected: an image of another length is refused
 * scratch     [store->page_bytes] overwritten
 * generation  out, nullable: number of the saves before it, modulo 2^16
 *
 * CAIRN_OK          loaded
 * CAIRN_ERR_ARG     NULL, or a store that makes no sense
 * CAIRN_ERR_SIZE    too long for a slot
 * CAIRN_ERR_FORMAT  no good image: erased, damaged, half written, of another version, kind, owner or length
 *
 * Work: reads of at most 3 slots.
 */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_load(const cairn_snapshot_store_t *store, uint8_t kind, uint8_t *bytes,
                                                  size_t length, uint8_t *scratch, uint32_t *generation);

/**
 * Save what a node needs to be back at once: its place, deviation, and the counter of its frames. Save at least every
 * 4096 frames: loading skips so many, so that no counter is used twice. With a key, each load so takes 4096 of its 2^24
 * frames; when none is left, the node falls silent (see cairn_node_counters_t) until the key is changed: give a node with
 * a new key its place by cairn_node_set_place, not its snapshot.
 *
 * store    memory, a slot >= CAIRN_SNAPSHOT_HEADER + CAIRN_SNAPSHOT_NODE_BYTES
 * node     any stage
 * scratch  [store->page_bytes]
 *
 * CAIRN_OK        saved
 * others          as cairn_snapshot_save
 *
 * Work: as cairn_snapshot_save.
 */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_save_node(const cairn_snapshot_store_t *store, const cairn_node_t *node,
                                                       uint8_t *scratch);

/**
 * Give a freshly started node its snapshot. Where that fails, the counter of its frames begins anew: give it another key if
 * it has sealed frames with this one.
 *
 * store    memory
 * node     after cairn_node_init with the same id, network and grid as when saved
 * scratch  [store->page_bytes]
 *
 * CAIRN_OK          the node goes on from its old place
 * CAIRN_UNPLACED    it had no place, or is an anchor: only the counter of frames is taken over
 * CAIRN_ERR_FORMAT  no good image of this node; the node is unchanged
 * others            as cairn_snapshot_load; the node is unchanged
 *
 * Work: as cairn_snapshot_load.
 */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_load_node(const cairn_snapshot_store_t *store, cairn_node_t *node,
                                                       uint8_t *scratch);

#ifdef __cplusplus
}
#endif
#endif
