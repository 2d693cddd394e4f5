/* SPDX-License-Identifier: MIT
 * Beacons. Byte 0: version in bits 4-7, sealed in bit 3, kind in bits 0-2. 1: network. 2-3: id. 4: sequence. 5: stage in
 * bits 0-2, flags in bits 3-7. 6-9: place. 10: deviation, or, with flag 16, its upper 4 bits and
 * the lift in 4 bits. 11: CRC-8 (polynomial 7) of all other bytes but the seal.
 * Then the payload; a sealed frame ends with the upper
 * 16 bits of the counter and the tag. The replay window is that of RFC 4303, 3.4.3, with 8 bits. */
#include "cairn/beacon.h"

#define SEALED         0x08u
#define KIND_MASK      0x07u
#define STAGE_MASK     0x07u
#define PATH_BYTES     10u
#define PEER_BYTES     6u
#define PROPOSE_BYTES  8u
#define VOTE_BYTES     5u
#define COMMIT_BYTES   1u
#define RADIUS_MAX     8u    /* 1/4 radio range */
#define LEFT           0x80u /* side, in the radius byte */
#define LIFTED         0x80u /* of the stage byte */
#define LIFT_STEP      4     /* of the lift */
#define CRC_AT         11u
#define CRC_FIRST      0xFFu
#define CRC_POLYNOMIAL 0x07u
#define WINDOW         8u
#define COUNTER_MAX    UINT32_C(0xFFFFFF)
#define OCTAVE         8u /* codes of a doubling */

/* 2^(k/8) */
static const cairn_real octave_part[OCTAVE] = {1.0f,        1.09050773f, 1.18920712f, 1.29683955f,
                                               1.41421356f, 1.54221083f, 1.68179283f, 1.83400809f};

static uint8_t *put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value & 0xFFu);
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint16_t get_u16(const uint8_t *at) { return (uint16_t)(at[0] | (uint16_t)(at[1] << 8)); }

/* Two's complement by arithmetic, whatever the machine's own */
static int16_t get_i16(const uint8_t *at)
{
    const int32_t value = get_u16(at);
    return (int16_t)(value >= INT32_C(0x8000) ? value - INT32_C(0x10000) : value);
}

static int8_t get_i8(const uint8_t *at) { return (int8_t)(*at >= 0x80u ? (int)*at - 0x100 : (int)*at); }

static uint8_t crc_of(const uint8_t *frame, size_t length)
{
    unsigned crc = CRC_FIRST;

    for (size_t i = 0; i < length; ++i) {
        crc ^= i == CRC_AT ? 0u : frame[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc << 1 ^ ((crc & 0x80u) != 0 ? CRC_POLYNOMIAL : 0u)) & 0xFFu;
        }
    }
    return (uint8_t)crc;
}

/* Lift in its coarse steps: -8 to 7, rounded towards 0. */
static int lift_steps(int8_t lift)
{
    const int steps = lift / LIFT_STEP;

    return steps < -8 ? -8 : steps > 7 ? 7 : steps;
}

static uint8_t *put_place(uint8_t *at, const int16_t *place)
{
    return put_u16(put_u16(at, (uint16_t)place[0]), (uint16_t)place[1]);
}

static void get_place(const uint8_t *at, int16_t *place)
{
    place[0] = get_i16(at);
    place[1] = get_i16(at + 2);
}

static size_t payload_bytes(uint8_t kind, size_t n_entries)
{
    switch (kind) {
    case CAIRN_BEACON_KIND_PATHS: return n_entries * PATH_BYTES;
    case CAIRN_BEACON_KIND_PEERS: return n_entries * PEER_BYTES;
    case CAIRN_BEACON_KIND_PROPOSE: return PROPOSE_BYTES;
    case CAIRN_BEACON_KIND_VOTE: return VOTE_BYTES;
    default: return COMMIT_BYTES;
    }
}

static size_t entries_max(uint8_t kind)
{
    return kind == CAIRN_BEACON_KIND_PATHS   ? CAIRN_BEACON_PATHS
           : kind == CAIRN_BEACON_KIND_PEERS ? CAIRN_BEACON_PEERS
                                             : 0;
}

static void put_group(const cairn_beacon_t *beacon, uint8_t *at)
{
    const cairn_beacon_group_t *group = &beacon->group;

    *at++ = group->number;
    if (beacon->kind == CAIRN_BEACON_KIND_PROPOSE) {
        *at++ = (uint8_t)(group->radius | (group->left ? LEFT : 0u));
        at = put_place(at, group->axis);
        *at++ = (uint8_t)group->direction[0];
        *at = (uint8_t)group->direction[1];
    } else if (beacon->kind == CAIRN_BEACON_KIND_VOTE) {
        at = put_u16(at, group->proposer);
        (void)put_u16(at, (uint16_t)group->difference);
    }
}

static void put_payload(const cairn_beacon_t *beacon, uint8_t *at)
{
    if (beacon->kind >= CAIRN_BEACON_KIND_PROPOSE) {
        put_group(beacon, at);
        return;
    }
    for (size_t i = 0; i < beacon->n_entries; ++i) {
        if (beacon->kind == CAIRN_BEACON_KIND_PATHS) {
            const cairn_beacon_path_t *path = &beacon->path[i];
            at = put_u16(put_place(put_u16(at, path->id), path->place), path->length);
            *at++ = path->age;
            *at++ = path->flags;
        } else {
            at = put_place(put_u16(at, beacon->peer[i].id), beacon->peer[i].place);
        }
    }
}

size_t cairn_beacon_encode(const cairn_beacon_t *beacon, uint8_t *frame, size_t capacity)
{
    size_t length;
    int lift;

    if (beacon == NULL || frame == NULL || beacon->kind > CAIRN_BEACON_KIND_COMMIT ||
        beacon->stage > CAIRN_STAGE_ANCHOR || beacon->flags > CAIRN_BEACON_FLAGS ||
        beacon->n_entries > entries_max(beacon->kind)) {
        return 0;
    }
    length = CAIRN_BEACON_HEADER + payload_bytes(beacon->kind, beacon->n_entries);
    if (length > capacity) {
        return 0;
    }
    frame[0] = (uint8_t)(CAIRN_BEACON_VERSION << 4 | beacon->kind);
    frame[1] = beacon->network;
    (void)put_u16(frame + 2, beacon->id);
    frame[4] = beacon->sequence;
    frame[5] = (uint8_t)(beacon->stage | beacon->flags << 3);
    (void)put_place(frame + 6, beacon->place);
    frame[10] = beacon->deviation;
    lift = lift_steps(beacon->lift);
    if (lift != 0) {
        frame[5] |= LIFTED;
        frame[10] = (uint8_t)((beacon->deviation & 0xF0u) | (unsigned)(lift + 16) % 16u);
    }
    put_payload(beacon, frame + CAIRN_BEACON_HEADER);
    frame[CRC_AT] = crc_of(frame, length);
    return length;
}

/* Number of entries of a payload, or `none` when its length fits no number of them. */
static size_t count_entries(uint8_t kind, size_t length, size_t none)
{
    const size_t bytes = kind == CAIRN_BEACON_KIND_PATHS ? PATH_BYTES : PEER_BYTES;

    if (kind >= CAIRN_BEACON_KIND_PROPOSE) {
        return length == payload_bytes(kind, 0) ? 0 : none;
    }
    return length % bytes == 0 ? length / bytes : none;
}

static void get_entries(cairn_beacon_t *beacon, const uint8_t *at)
{
    for (size_t i = 0; i < beacon->n_entries; ++i) {
        if (beacon->kind == CAIRN_BEACON_KIND_PATHS) {
            beacon->path[i].id = get_u16(at);
            get_place(at + 2, beacon->path[i].place);
            beacon->path[i].length = get_u16(at + 6);
            beacon->path[i].age = at[8];
            beacon->path[i].flags = at[9];
            at += PATH_BYTES;
        } else {
            beacon->peer[i].id = get_u16(at);
            get_place(at + 2, beacon->peer[i].place);
            at += PEER_BYTES;
        }
    }
}

static void get_group(cairn_beacon_t *beacon, const uint8_t *at)
{
    cairn_beacon_group_t *group = &beacon->group;

    group->number = at[0];
    if (beacon->kind == CAIRN_BEACON_KIND_PROPOSE) {
        group->radius = at[1] & (uint8_t)~LEFT;
        group->left = at[1] / LEFT;
        get_place(at + 2, group->axis);
        group->direction[0] = get_i8(at + 6);
        group->direction[1] = get_i8(at + 7);
    } else if (beacon->kind == CAIRN_BEACON_KIND_VOTE) {
        group->proposer = get_u16(at + 1);
        group->difference = get_i16(at + 3);
    }
}

static void get_header(cairn_beacon_t *beacon, const uint8_t *frame)
{
    memset(beacon, 0, sizeof *beacon);
    beacon->kind = frame[0] & KIND_MASK;
    beacon->network = frame[1];
    beacon->id = get_u16(frame + 2);
    beacon->sequence = frame[4];
    beacon->stage = frame[5] & STAGE_MASK;
    beacon->flags = frame[5] >> 3 & CAIRN_BEACON_FLAGS;
    get_place(frame + 6, beacon->place);
    beacon->deviation = frame[10];
    if ((frame[5] & LIFTED) != 0) {
        const int lift = frame[10] & 0xF;
        beacon->deviation = frame[10] & 0xF0u;
        beacon->lift = (int8_t)(LIFT_STEP * (lift >= 8 ? lift - 16 : lift));
    }
}

/* Whether header and payload of a frame mean something; its length is known to fit. */
static bool is_meaningful(const uint8_t *frame, uint8_t kind)
{
    if ((frame[5] & LIFTED) != 0 && (frame[10] & 0xFu) == 0) {
        return false;
    }
    if (kind == CAIRN_BEACON_KIND_PROPOSE) {
        const uint8_t radius = frame[CAIRN_BEACON_HEADER + 1u] & (uint8_t)~LEFT;
        return radius > 0 && radius <= RADIUS_MAX;
    }
    return true;
}

cairn_status cairn_beacon_decode(const uint8_t *frame, size_t length, cairn_beacon_t *beacon)
{
    size_t bytes = CAIRN_BEACON_HEADER;
    size_t n_entries;
    uint8_t kind;

    if (frame == NULL || beacon == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (length < CAIRN_BEACON_HEADER || length > CAIRN_BEACON_BYTES_MAX) {
        return CAIRN_ERR_SIZE;
    }
    kind = frame[0] & KIND_MASK;
    if (frame[0] >> 4 != CAIRN_BEACON_VERSION || kind > CAIRN_BEACON_KIND_COMMIT ||
        (frame[5] & STAGE_MASK) > CAIRN_STAGE_ANCHOR) {
        return CAIRN_ERR_FORMAT;
    }
    bytes += (frame[0] & SEALED) != 0 ? CAIRN_BEACON_SEAL : 0;
    n_entries = length < bytes ? length : count_entries(kind, length - bytes, length);
    if (n_entries > entries_max(kind)) {
        return CAIRN_ERR_SIZE;
    }
    if (!is_meaningful(frame, kind) || crc_of(frame, length - (bytes - CAIRN_BEACON_HEADER)) != frame[CRC_AT]) {
        return CAIRN_ERR_FORMAT;
    }
    get_header(beacon, frame);
    beacon->n_entries = (uint8_t)n_entries;
    if (kind >= CAIRN_BEACON_KIND_PROPOSE) {
        get_group(beacon, frame + CAIRN_BEACON_HEADER);
    } else {
        get_entries(beacon, frame + CAIRN_BEACON_HEADER);
    }
    return CAIRN_OK;
}

size_t cairn_beacon_seal(uint8_t *frame, size_t length, size_t capacity, uint32_t counter, cairn_beacon_tag_fn tag,
                         void *ctx)
{
    if (frame == NULL || tag == NULL || length < CAIRN_BEACON_HEADER ||
        length > CAIRN_BEACON_BYTES_MAX - CAIRN_BEACON_SEAL || capacity < length + CAIRN_BEACON_SEAL) {
        return 0;
    }
    frame[0] |= SEALED;
    frame[4] = (uint8_t)(counter & 0xFFu);
    frame[CRC_AT] = crc_of(frame, length);
    (void)put_u16(frame + length, (uint16_t)(counter >> 8 & 0xFFFFu));
    tag(ctx, frame, length + 2u, frame + length + 2u);
    return length + CAIRN_BEACON_SEAL;
}

cairn_status cairn_beacon_check(const uint8_t *frame, size_t length, cairn_beacon_tag_fn tag, void *ctx,
                                uint32_t *counter)
{
    uint8_t expected[CAIRN_BEACON_TAG] = {0};
    uint8_t difference = 0;
    size_t signed_bytes;

    if (frame == NULL || tag == NULL || counter == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (length < CAIRN_BEACON_HEADER + CAIRN_BEACON_SEAL || length > CAIRN_BEACON_BYTES_MAX) {
        return CAIRN_ERR_SIZE;
    }
    if ((frame[0] & SEALED) == 0) {
        return CAIRN_ERR_FORMAT;
    }
    signed_bytes = length - CAIRN_BEACON_TAG;
    tag(ctx, frame, signed_bytes, expected);
    for (size_t i = 0; i < CAIRN_BEACON_TAG; ++i) {
        difference = (uint8_t)(difference | (expected[i] ^ frame[signed_bytes + i]));
    }
    if (difference != 0) {
        return CAIRN_ERR_FORMAT;
    }
    *counter = (uint32_t)get_u16(frame + signed_bytes - 2u) << 8 | frame[4];
    return CAIRN_OK;
}

cairn_status cairn_beacon_accept(uint32_t *window, uint32_t counter)
{
    uint32_t highest;
    uint32_t mask;

    if (window == NULL || counter == 0 || counter > COUNTER_MAX) {
        return CAIRN_ERR_ARG;
    }
    highest = *window >> 8;
    mask = *window & 0xFFu;
    if (counter > highest) {
        /* the former highest becomes a bit of the mask, unless there was none */
        const uint32_t moved = counter - highest;
        mask = moved <= WINDOW && *window != 0 ? (mask << moved | UINT32_C(1) << (moved - 1u)) & 0xFFu : 0;
        *window = counter << 8 | mask;
        return CAIRN_OK;
    }
    highest -= counter; /* now: how far back */
    if (highest == 0 || highest > WINDOW || (mask >> (highest - 1u) & 1u) != 0) {
        return CAIRN_ERR_STALE;
    }
    *window |= UINT32_C(1) << (highest - 1u);
    return CAIRN_OK;
}

cairn_real cairn_beacon_deviation(uint8_t code)
{
    return code == 0 ? 0 : octave_part[code % OCTAVE] * (cairn_real)(UINT32_C(1) << (code / OCTAVE));
}

uint8_t cairn_beacon_deviation_code(cairn_real factor)
{
    cairn_real octave = 1;
    unsigned code = 0;

    while (code + OCTAVE < 256u && factor > 2 * octave) {
        octave *= 2;
        code += OCTAVE;
    }
    for (size_t k = 0; k < OCTAVE && factor > octave * octave_part[k] && code < 255u; ++k) {
        ++code;
    }
    return (uint8_t)(code == 0 ? 1 : code);
}
