/* SPDX-License-Identifier: MIT
 * Beacons. Byte 0: version in bits 4-7, sealed in bit 3, kind in bits 0-2. 1: network. 2-3: id. 4: sequence. 5: stage in
 * bits 0-2, flags in bits 3-7. 6-9: place. 10: deviation. 11: CRC-8 (polynomial 7) of all other bytes but the seal.
 * Then the payload; a sealed frame ends with the upper 16 bits of the counter and the tag. The replay window is that of
 * RFC 4303, 3.4.3, with 8 bits. */
#include "cairn/beacon.h"

#include "node/wire.h"

#define SEALED         0x08u
#define KIND_MASK      0x07u
#define STAGE_MASK     0x07u
#define CRC_AT         11u
#define CRC_FIRST      0xFFu
#define CRC_POLYNOMIAL 0x07u
#define WINDOW         8u
#define TWO            0x80u          /* of a field: two bytes */
#define MANTISSA_BITS  20             /* of a float, below the three that a deviation keeps */
#define EXPONENT_BIAS  UINT32_C(1016) /* of 1.0: 127 << 3 */

/* A field of a record: where it lies in its struct, and TWO if it has two bytes. */
#define FIELD(type, name)      (uint8_t) offsetof(type, name)
#define FIELD_16(type, name)   (uint8_t)(TWO | offsetof(type, name))
#define FIELD_16_1(type, name) (uint8_t)(TWO | (offsetof(type, name) + 2u))
#define FIELD_8_1(type, name)  (uint8_t)(offsetof(type, name) + 1u)

/* The records of a frame, fields in the order of the air: the header from its network on, a way, a neighbour. */
static const uint8_t header_fields[] = {FIELD(cairn_beacon_t, network),  FIELD_16(cairn_beacon_t, id),
                                        FIELD(cairn_beacon_t, sequence), FIELD(cairn_beacon_t, stage),
                                        FIELD_16(cairn_beacon_t, place), FIELD_16_1(cairn_beacon_t, place),
                                        FIELD(cairn_beacon_t, deviation)};
static const uint8_t path_fields[] = {FIELD_16(cairn_beacon_path_t, id),      FIELD_16(cairn_beacon_path_t, place),
                                      FIELD_16_1(cairn_beacon_path_t, place), FIELD_16(cairn_beacon_path_t, length),
                                      FIELD(cairn_beacon_path_t, age),        FIELD(cairn_beacon_path_t, flags)};
static const uint8_t peer_fields[] = {FIELD_16(cairn_beacon_peer_t, id), FIELD(cairn_beacon_peer_t, offset),
                                      FIELD_8_1(cairn_beacon_peer_t, offset), FIELD(cairn_beacon_peer_t, range)};

/* Entries of each kind of payload. */
typedef struct entries {
    const uint8_t *fields;
    uint8_t n_fields;
    uint8_t bytes; /* on air */
    uint8_t most;
    uint8_t stride; /* in the beacon */
    uint8_t first;
} entries_t;

static const entries_t entries_of[] = {{path_fields, sizeof path_fields, 10, CAIRN_BEACON_PATHS,
                                        sizeof(cairn_beacon_path_t), offsetof(cairn_beacon_t, path)},
                                       {peer_fields, sizeof peer_fields, 5, CAIRN_BEACON_PEERS,
                                        sizeof(cairn_beacon_peer_t), offsetof(cairn_beacon_t, peer)}};

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

/* Copy a record between its struct and the air. Lower bytes go first on air: the machine swaps them both ways, or
 * neither. */
static void copy_record(const uint8_t *fields, size_t n_fields, bool from_air, const uint8_t *from, uint8_t *to)
{
    size_t on_air = 0;

    for (size_t k = 0; k < n_fields; ++k) {
        const size_t in_struct = fields[k] & ~TWO;
        const uint8_t *source = from + (from_air ? on_air : in_struct);
        uint8_t *target = to + (from_air ? in_struct : on_air);
        ++on_air;
        if ((fields[k] & TWO) != 0) {
            uint16_t value;
            memcpy(&value, source, sizeof value);
            wire_put_u16(target, value);
            ++on_air;
        } else {
            *target = *source;
        }
    }
}

/* Copy all records between a beacon and its frame. */
static void copy_records(const entries_t *entries, size_t n_entries, bool from_air, const uint8_t *from, uint8_t *to)
{
    copy_record(header_fields, sizeof header_fields, from_air, from + (from_air ? 1 : 0), to + (from_air ? 0 : 1));
    for (size_t i = 0; i < n_entries; ++i) {
        const size_t on_air = CAIRN_BEACON_HEADER + i * entries->bytes;
        const size_t in_struct = entries->first + i * entries->stride;
        copy_record(entries->fields, entries->n_fields, from_air, from + (from_air ? on_air : in_struct),
                    to + (from_air ? in_struct : on_air));
    }
}

size_t cairn_beacon_encode(const cairn_beacon_t *beacon, uint8_t *frame, size_t capacity)
{
    const entries_t *entries;
    size_t length;

    if (beacon == NULL || frame == NULL || beacon->kind > CAIRN_BEACON_KIND_PEERS ||
        beacon->stage > CAIRN_STAGE_ANCHOR || beacon->flags > CAIRN_BEACON_FLAGS) {
        return 0;
    }
    entries = &entries_of[beacon->kind];
    length = CAIRN_BEACON_HEADER + (size_t)beacon->n_entries * entries->bytes;
    if (beacon->n_entries > entries->most || length > capacity) {
        return 0;
    }
    frame[0] = (uint8_t)(CAIRN_BEACON_VERSION << 4 | beacon->kind);
    copy_records(entries, beacon->n_entries, false, (const uint8_t *)beacon, frame);
    frame[5] |= (uint8_t)(beacon->flags << 3);
    frame[CRC_AT] = crc_of(frame, length);
    return length;
}

cairn_status cairn_beacon_decode(const uint8_t *frame, size_t length, cairn_beacon_t *beacon)
{
    const entries_t *entries;
    size_t payload;

    if (frame == NULL || beacon == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (length < CAIRN_BEACON_HEADER || length > CAIRN_BEACON_BYTES_MAX) {
        return CAIRN_ERR_SIZE;
    }
    if (frame[0] >> 4 != CAIRN_BEACON_VERSION || (frame[0] & KIND_MASK) > CAIRN_BEACON_KIND_PEERS ||
        (frame[5] & STAGE_MASK) > CAIRN_STAGE_ANCHOR || frame[5] >> 3 > CAIRN_BEACON_FLAGS) {
        return CAIRN_ERR_FORMAT;
    }
    entries = &entries_of[frame[0] & KIND_MASK];
    length -= (frame[0] & SEALED) != 0 ? CAIRN_BEACON_SEAL : 0;
    payload = length - CAIRN_BEACON_HEADER; /* wraps to a large number when there is no room for the seal */
    if (payload > (size_t)entries->most * entries->bytes || payload % entries->bytes != 0) {
        return CAIRN_ERR_SIZE;
    }
    if (crc_of(frame, length) != frame[CRC_AT]) {
        return CAIRN_ERR_FORMAT;
    }
    memset(beacon, 0, sizeof *beacon);
    beacon->n_entries = (uint8_t)(payload / entries->bytes);
    copy_records(entries, beacon->n_entries, true, frame, (uint8_t *)beacon);
    beacon->kind = frame[0] & KIND_MASK;
    beacon->flags = (uint8_t)(beacon->stage >> 3);
    beacon->stage &= STAGE_MASK;
    return CAIRN_OK;
}

static bool is_counter(uint32_t counter) { return counter - 1u < CAIRN_BEACON_COUNTER_MAX; }

size_t cairn_beacon_seal(uint8_t *frame, size_t length, size_t capacity, uint32_t counter, cairn_beacon_tag_fn tag,
                         void *ctx)
{
    if (frame == NULL || tag == NULL || length < CAIRN_BEACON_HEADER ||
        length > CAIRN_BEACON_BYTES_MAX - CAIRN_BEACON_SEAL || capacity < length + CAIRN_BEACON_SEAL ||
        (frame[0] & SEALED) != 0 || !is_counter(counter)) {
        return 0;
    }
    frame[0] |= SEALED;
    frame[4] = (uint8_t)(counter & 0xFFu);
    frame[CRC_AT] = crc_of(frame, length);
    wire_put_u16(frame + length, (uint16_t)(counter >> 8));
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
    *counter = (uint32_t)wire_get_u16(frame + signed_bytes - 2u) << 8 | frame[4];
    return CAIRN_OK;
}

cairn_status cairn_beacon_accept(uint32_t *window, uint32_t counter)
{
    uint32_t highest;
    uint32_t mask;

    if (window == NULL || !is_counter(counter)) {
        return CAIRN_ERR_ARG;
    }
    highest = *window >> 8;
    mask = *window & 0xFFu;
    if (counter > highest) {
        /* the former highest becomes a bit of the mask; that of the counter 0, which never comes, does not matter */
        const uint32_t moved = counter - highest;
        mask = moved <= WINDOW ? (mask << moved | UINT32_C(1) << (moved - 1u)) & 0xFFu : 0;
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

/* A deviation code is the upper part of a float: exponent and three bits of the mantissa. */
cairn_real cairn_beacon_deviation(uint8_t code)
{
    const uint32_t bits = (code + EXPONENT_BIAS) << MANTISSA_BITS;
    float factor;

    memcpy(&factor, &bits, sizeof factor);
    return code == 0 ? 0 : (cairn_real)factor;
}

uint8_t cairn_beacon_deviation_code(cairn_real factor)
{
    const float value = (float)factor;
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits &= INT32_MAX;                                                    /* of a zero that is negative, too */
    bits = (bits + (UINT32_C(1) << MANTISSA_BITS) - 1u) >> MANTISSA_BITS; /* rounded up */
    if (bits <= EXPONENT_BIAS) {
        return 1;
    }
    return (uint8_t)(bits - EXPONENT_BIAS < 255u ? bits - EXPONENT_BIAS : 255u);
}
