/* SPDX-License-Identifier: MIT
 * Snapshots: two slots, each a header and the content over whole pages. Header, little-endian: magic 4, version 1,
 * kind 1, owner 1, spare 1, generation 2, length 2, CRC-32 4 (over everything but itself). The first page of a slot,
 * with the header, is written last. Generations compare modulo 2^16. CRC-32: IEEE 802.3, bit by bit, no table. */
#include "cairn/snapshot.h"

#include "node/node_internal.h"
#include "node/wire.h"

#define MAGIC        UINT32_C(0x4E524143) /* "CARN" */
#define VERSION      1u
#define POLYNOMIAL   UINT32_C(0xEDB88320)
#define HEADER       CAIRN_SNAPSHOT_HEADER
#define CRC_AT       12u
#define NO_SLOT      2u
#define FRAMES_SKIP  4096u
#define COUNTER_MASK UINT32_C(0xFFFFFF)

static uint32_t crc_add(uint32_t crc, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ (POLYNOMIAL & (0u - (crc & 1u)));
        }
    }
    return crc;
}

static bool is_valid(const cairn_snapshot_store_t *store)
{
    return store != NULL && store->read != NULL && store->erase != NULL && store->write != NULL &&
           store->page_bytes > HEADER && store->pages_per_slot > 0;
}

static size_t capacity(const cairn_snapshot_store_t *store)
{
    const size_t bytes = (size_t)store->page_bytes * store->pages_per_slot - HEADER;

    return bytes < UINT16_MAX ? bytes : UINT16_MAX;
}

static unsigned page_of(const cairn_snapshot_store_t *store, unsigned slot, unsigned page)
{
    return store->first_page + slot * store->pages_per_slot + page;
}

/* Part of the content that lies on a page: where in the page it starts, and how long it is. */
static size_t part_of(const cairn_snapshot_store_t *store, unsigned page, size_t length, size_t *start)
{
    const size_t from = page == 0 ? 0 : (size_t)page * store->page_bytes - HEADER;
    const size_t room = page == 0 ? (size_t)store->page_bytes - HEADER : store->page_bytes;

    *start = page == 0 ? HEADER : 0;
    if (from >= length) {
        return 0;
    }
    return length - from < room ? length - from : room;
}

/* Whether a slot holds a good image of this kind and length; its content is copied out unless bytes is NULL. */
static bool read_slot(const cairn_snapshot_store_t *store, unsigned slot, uint8_t kind, size_t length, uint8_t *bytes,
                      uint8_t *scratch, uint32_t *generation)
{
    uint32_t expected = 0;
    uint32_t crc = UINT32_MAX;
    size_t done = 0;

    for (unsigned page = 0; page < store->pages_per_slot; ++page) {
        size_t start;
        const size_t part = part_of(store, page, length, &start);
        if (page > 0 && part == 0) {
            break;
        }
        if (store->read(store->ctx, page_of(store, slot, page), scratch) != 0) {
            return false;
        }
        if (page == 0) {
            if (wire_get_u32(scratch) != MAGIC || scratch[4] != VERSION || scratch[5] != kind ||
                scratch[6] != store->owner || wire_get_u16(scratch + 10) != length) {
                return false;
            }
            *generation = wire_get_u16(scratch + 8);
            expected = wire_get_u32(scratch + CRC_AT);
            crc = crc_add(crc, scratch, CRC_AT);
        }
        crc = crc_add(crc, scratch + start, part);
        if (bytes != NULL) {
            memcpy(bytes + done, scratch + start, part);
        }
        done += part;
    }
    return crc == expected;
}

/* The slot with the newest good image; NO_SLOT: none. */
static unsigned newest_slot(const cairn_snapshot_store_t *store, uint8_t kind, size_t length, uint8_t *scratch,
                            uint32_t *generation)
{
    uint32_t found[2] = {0, 0};
    bool good[2];

    for (unsigned slot = 0; slot < 2; ++slot) {
        good[slot] = read_slot(store, slot, kind, length, NULL, scratch, &found[slot]);
    }
    *generation = 0;
    if (!good[0] && !good[1]) {
        return NO_SLOT;
    }
    {
        const bool second = good[1] && (!good[0] || (uint16_t)(found[1] - found[0]) - 1u < UINT16_MAX / 2u);
        *generation = found[second ? 1 : 0];
        return second ? 1 : 0;
    }
}

static uint32_t crc_of(const uint8_t *header, const uint8_t *bytes, size_t length)
{
    return crc_add(crc_add(UINT32_MAX, header, CRC_AT), bytes, length);
}

static bool write_page(const cairn_snapshot_store_t *store, unsigned slot, unsigned page, const uint8_t *bytes,
                       size_t length, uint8_t *scratch)
{
    size_t start;
    const size_t part = part_of(store, page, length, &start);
    const size_t from = page == 0 ? 0 : (size_t)page * store->page_bytes - HEADER;

    memset(scratch + start, 0xFF, store->page_bytes - start);
    if (part > 0) {
        memcpy(scratch + start, bytes + from, part);
    }
    return (page > 0 && part == 0) || store->write(store->ctx, page_of(store, slot, page), scratch) == 0;
}

static cairn_status check(const cairn_snapshot_store_t *store, const uint8_t *bytes, size_t length,
                          const uint8_t *scratch)
{
    if (!is_valid(store) || bytes == NULL || scratch == NULL) {
        return CAIRN_ERR_ARG;
    }
    return length > capacity(store) ? CAIRN_ERR_SIZE : CAIRN_OK;
}

cairn_status cairn_snapshot_save(const cairn_snapshot_store_t *store, uint8_t kind, const uint8_t *bytes, size_t length,
                                 uint8_t *scratch)
{
    const cairn_status status = check(store, bytes, length, scratch);
    uint32_t generation;
    unsigned slot;

    if (status != CAIRN_OK) {
        return status;
    }
    slot = newest_slot(store, kind, length, scratch, &generation) == 0 ? 1 : 0;
    for (unsigned page = 0; page < store->pages_per_slot; ++page) {
        if (store->erase(store->ctx, page_of(store, slot, page)) != 0) {
            return CAIRN_ERR_STATE;
        }
    }
    for (unsigned page = store->pages_per_slot; page-- > 0;) {
        if (page == 0) {
            wire_put_u32(scratch, MAGIC);
            scratch[4] = VERSION;
            scratch[5] = kind;
            scratch[6] = store->owner;
            scratch[7] = 0;
            wire_put_u16(scratch + 8, (generation + 1u) & 0xFFFFu);
            wire_put_u16(scratch + 10, (uint32_t)length);
            wire_put_u32(scratch + CRC_AT, crc_of(scratch, bytes, length));
        }
        if (!write_page(store, slot, page, bytes, length, scratch)) {
            return CAIRN_ERR_STATE;
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_snapshot_load(const cairn_snapshot_store_t *store, uint8_t kind, uint8_t *bytes, size_t length,
                                 uint8_t *scratch, uint32_t *generation)
{
    const cairn_status status = check(store, bytes, length, scratch);
    uint32_t found;
    unsigned slot;

    if (status != CAIRN_OK) {
        return status;
    }
    slot = newest_slot(store, kind, length, scratch, &found);
    if (slot == NO_SLOT || !read_slot(store, slot, kind, length, bytes, scratch, &found)) {
        return CAIRN_ERR_FORMAT;
    }
    if (generation != NULL) {
        *generation = found;
    }
    return CAIRN_OK;
}

static uint32_t bits_of(cairn_real real)
{
    const float value = (float)real;
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The image of a node, little-endian: id 2, network 1, stage 1, grid 4, place 2 x 2, deviation 4 as float bits, frames 4. */
cairn_status cairn_snapshot_save_node(const cairn_snapshot_store_t *store, const cairn_node_t *node, uint8_t *scratch)
{
    uint8_t image[CAIRN_SNAPSHOT_NODE_BYTES];
    int16_t place[2];

    if (node == NULL) {
        return CAIRN_ERR_ARG;
    }
    wire_put_u16(image, node->id);
    image[2] = node->cfg->network;
    image[3] = node->stage;
    wire_put_u32(image + 4, bits_of(node->cfg->grid_m));
    cairn_node_to_grid(node, node->place_m, place);
    wire_put_u16(image + 8, (uint16_t)place[0]);
    wire_put_u16(image + 10, (uint16_t)place[1]);
    wire_put_u32(image + 12, bits_of(node->std_m));
    wire_put_u32(image + 16, node->sent);
    return cairn_snapshot_save(store, CAIRN_SNAPSHOT_NODE, image, sizeof image, scratch);
}

static bool is_of_node(const cairn_node_t *node, const uint8_t *image)
{
    return wire_get_u16(image) == node->id && image[2] == node->cfg->network &&
           wire_get_u32(image + 4) == bits_of(node->cfg->grid_m);
}

cairn_status cairn_snapshot_load_node(const cairn_snapshot_store_t *store, cairn_node_t *node, uint8_t *scratch)
{
    uint8_t image[CAIRN_SNAPSHOT_NODE_BYTES];
    cairn_status status;
    int16_t place[2];
    cairn_real place_m[2];
    float std_m;
    uint32_t bits;

    if (node == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = cairn_snapshot_load(store, CAIRN_SNAPSHOT_NODE, image, sizeof image, scratch, NULL);
    if (status != CAIRN_OK) {
        return status;
    }
    bits = wire_get_u32(image + 12);
    memcpy(&std_m, &bits, sizeof std_m);
    if (!is_of_node(node, image) || !cairn_isfinite((cairn_real)std_m) || std_m < 0) {
        return CAIRN_ERR_FORMAT;
    }
    node->sent = (wire_get_u32(image + 16) + FRAMES_SKIP) & COUNTER_MASK;
    if (image[3] < CAIRN_STAGE_LOOSE || image[3] >= CAIRN_STAGE_ANCHOR || node->stage == CAIRN_STAGE_ANCHOR) {
        return CAIRN_UNPLACED;
    }
    for (size_t k = 0; k < 2; ++k) {
        const uint16_t step = wire_get_u16(image + 8 + 2 * k);
        memcpy(&place[k], &step, sizeof step); /* two's complement, as int16_t is everywhere */
    }
    cairn_node_to_metres(node, place, place_m);
    return cairn_node_set_place(node, place_m, (cairn_real)std_m);
}
