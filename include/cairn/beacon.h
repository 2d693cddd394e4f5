/* SPDX-License-Identifier: MIT
 * Radio beacons of sensor nodes: a versioned little-endian frame, its authentication tag, and the window against
 * replays. */
#ifndef CAIRN_BEACON_H
#define CAIRN_BEACON_H

#include "cairn/real.h"
#include "cairn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_BEACON_VERSION     1u
#define CAIRN_BEACON_HEADER      12u                /* bytes before the payload */
#define CAIRN_BEACON_BYTES       24u                /* a beacon in operation, at most */
#define CAIRN_BEACON_BYTES_MAX   127u               /* any frame, at most: IEEE 802.15.4 */
#define CAIRN_BEACON_SEAL        8u                 /* authentication: upper counter 2, tag 6 */
#define CAIRN_BEACON_TAG         6u                 /* bytes of the truncated tag */
#define CAIRN_BEACON_COUNTER_MAX UINT32_C(0xFFFFFF) /* of the frames that one key may seal */
#define CAIRN_BEACON_PATHS       8u                 /* path entries of a start-up frame, at most */
#define CAIRN_BEACON_PEERS       8u                 /* neighbours in one beacon, at most; 2 in operation */
#define CAIRN_BEACON_OFFSET      64                 /* steps of a peer's offset in one radio range */
#define CAIRN_BEACON_ASKED       INT8_MIN           /* in place of an offset: asks for it */
#define CAIRN_BEACON_RANGE       128                /* steps of a peer's range in one radio range */

/** What a beacon carries after its header. */
typedef enum cairn_beacon_kind {
    CAIRN_BEACON_KIND_PATHS = 0, /* ways to anchors: one in operation, up to CAIRN_BEACON_PATHS at start-up */
    CAIRN_BEACON_KIND_PEERS =
        1 /* neighbours, their places and ranges: two in operation, up to CAIRN_BEACON_PEERS at start-up; and nodes
             whose places are asked for, or told because they were */
} cairn_beacon_kind;

/** What the sender knows about its place, in bits 0-2 of the frame's sixth byte. */
typedef enum cairn_node_stage {
    CAIRN_STAGE_UNPLACED = 0, /* no place: the place fields mean nothing */
    CAIRN_STAGE_SEED = 1,     /* a first place from path lengths */
    CAIRN_STAGE_LOOSE = 2,    /* descending, or fallen behind */
    CAIRN_STAGE_PLACED = 3,   /* settled: ranges agree */
    CAIRN_STAGE_ANCHOR = 4    /* place given */
} cairn_node_stage;

/** Flags of a beacon, bits 3-7 of the frame's sixth byte, here shifted down. */
enum {
    CAIRN_BEACON_RESTORED = 1,  /* place from a snapshot, not confirmed yet */
    CAIRN_BEACON_FLIP = 2,      /* a mirror image is not excluded */
    CAIRN_BEACON_MOVING = 4,    /* the sender moves */
    CAIRN_BEACON_DUPLICATE = 8, /* the sender has heard its own id */
    CAIRN_BEACON_FLAGS = 15     /* all of them */
};

/** Way to an anchor, 10 bytes on air. */
typedef struct cairn_beacon_path {
    uint16_t id;      /* anchor */
    int16_t place[2]; /* of the anchor, grid steps */
    uint16_t length;  /* shortest sum of ranges, 1/512 radio range; saturates */
    uint8_t age;      /* rounds since the anchor itself spoke, saturates */
    uint8_t flags;    /* of the sender's choice: see node */
} cairn_beacon_path_t;

/** A neighbour of the sender, or a node that it knows from others, 5 bytes on air. Where the first offset is
 * CAIRN_BEACON_ASKED, the rest 0, the sender ranges the node and asks for its place. */
typedef struct cairn_beacon_peer {
    uint16_t id;
    int8_t offset[2]; /* its place less the sender's, 1/CAIRN_BEACON_OFFSET radio range */
    uint8_t range;    /* between them, 1/CAIRN_BEACON_RANGE radio range, saturates; 255 of a node from others */
} cairn_beacon_peer_t;

/** A beacon, decoded; 104 bytes. Fields that the kind does not carry are 0. */
typedef struct cairn_beacon {
    uint16_t id;       /* sender */
    uint8_t network;   /* frames of other networks are not ours */
    uint8_t sequence;  /* lower 8 bits of the sender's counter */
    uint8_t kind;      /* cairn_beacon_kind */
    uint8_t stage;     /* cairn_node_stage */
    uint8_t flags;     /* CAIRN_BEACON_RESTORED and so on */
    uint8_t deviation; /* code of the sender's deviation, see cairn_beacon_deviation; 0: anchor */
    int16_t place[2];  /* sender, grid steps */
    uint8_t n_entries; /* of path or peer */
    cairn_beacon_path_t path[CAIRN_BEACON_PATHS];
    cairn_beacon_peer_t peer[CAIRN_BEACON_PEERS];
} cairn_beacon_t;

/**
 * Authentication: compute a tag over a frame with a key that the caller keeps, for example AES-CMAC by the radio.
 *
 * ctx     the caller's
 * frame   [length] bytes
 * length  CAIRN_BEACON_HEADER to CAIRN_BEACON_BYTES_MAX - CAIRN_BEACON_TAG
 * tag     [CAIRN_BEACON_TAG] out: all of it must depend on every bit of the frame and of the key
 *
 * Called once for each frame sent and once for each received. Must not call back into the node.
 */
typedef void (*cairn_beacon_tag_fn)(void *ctx, const uint8_t *frame, size_t length, uint8_t *tag);

/**
 * Write a beacon into a frame.
 *
 * beacon    kind, stage, flags and n_entries within their ranges
 * frame     [capacity] out
 * capacity  CAIRN_BEACON_BYTES is enough except for start-up frames (12 + 10 n)
 *
 * Returns the length, 0 when NULL, a field is out of range, or the frame does not fit. Work: O(length).
 */
size_t cairn_beacon_encode(const cairn_beacon_t *beacon, uint8_t *frame, size_t capacity);

/**
 * Read a frame. Total: any byte string gives a beacon or a code, and no byte beyond length is read.
 *
 * frame   [length] bytes; a sealed frame is read without its seal, which cairn_beacon_check has verified
 * length  any
 * beacon  out; written only with CAIRN_OK
 *
 * CAIRN_OK          a beacon: encoding it again gives the same frame (without its seal)
 * CAIRN_ERR_ARG     NULL
 * CAIRN_ERR_SIZE    shorter than its kind needs, or longer than it may be
 * CAIRN_ERR_FORMAT  another version, an unknown kind or stage, a wrong check byte, or values that are never sent
 *
 * Work: O(length).
 */
CAIRN_MUST_CHECK cairn_status cairn_beacon_decode(const uint8_t *frame, size_t length, cairn_beacon_t *beacon);

/**
 * Append counter and tag to an encoded frame.
 *
 * frame     [capacity] in: an encoded frame of `length` bytes; out: the sealed frame, or as it was if 0 is returned
 * length    its length
 * capacity  >= length + CAIRN_BEACON_SEAL
 * counter   of the sender's frames, 1 to CAIRN_BEACON_COUNTER_MAX, never repeated with one key; its lower 8 bits
 *           replace the sequence, and the check byte follows
 * tag       the caller's function, not NULL
 * ctx       for it
 *
 * Returns the length of the sealed frame; 0 when NULL, it does not fit, the frame is sealed already, or the counter is
 * out of range. Work: O(length) and one tag.
 */
size_t cairn_beacon_seal(uint8_t *frame, size_t length, size_t capacity, uint32_t counter, cairn_beacon_tag_fn tag,
                         void *ctx);

/**
 * Verify the tag of a sealed frame; the comparison takes the same time whatever differs.
 *
 * frame    [length] bytes
 * length   any
 * tag      the caller's function, not NULL
 * ctx      for it
 * counter  out, written only with CAIRN_OK: the sender's 24-bit counter
 *
 * CAIRN_OK          authentic
 * CAIRN_ERR_ARG     NULL
 * CAIRN_ERR_SIZE    too short or too long for a sealed frame
 * CAIRN_ERR_FORMAT  not sealed, or the tag is wrong
 *
 * Work: O(length) and one tag.
 */
CAIRN_MUST_CHECK cairn_status cairn_beacon_check(const uint8_t *frame, size_t length, cairn_beacon_tag_fn tag,
                                                 void *ctx, uint32_t *counter);

/**
 * Let a counter pass a replay window once: 8 frames may arrive out of order.
 *
 * window   in and out: 0 before the first frame; highest counter in bits 8-31, the 8 before it as a mask in bits 0-7
 * counter  1 to CAIRN_BEACON_COUNTER_MAX, of an authentic frame
 *
 * CAIRN_OK         new: the window has moved
 * CAIRN_ERR_ARG    NULL, or a counter out of range
 * CAIRN_ERR_STALE  seen before, or older than the window; the window is as it was
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_beacon_accept(uint32_t *window, uint32_t counter);

/**
 * Deviation of a code, in units of the smallest: (1 + (code % 8)/8) 2^(code / 8), so that a step is 6 to 12 %.
 *
 * code  any; 0 gives 0, that of an anchor
 *
 * Returns the factor, up to 4.03e9. Work: O(1).
 */
cairn_real cairn_beacon_deviation(uint8_t code);

/**
 * The code whose deviation is nearest from above.
 *
 * factor  deviation / unit, finite, >= 0
 *
 * Returns 1 to 255; deviations that are too large saturate. Work: O(1).
 */
uint8_t cairn_beacon_deviation_code(cairn_real factor);

#ifdef __cplusplus
}
#endif
#endif
