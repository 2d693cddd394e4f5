/* SPDX-License-Identifier: MIT
 * Snapshots: two slots, each an image over whole pages: a header, then the content. Header, little-endian: magic 4,
 * version 1, kind 1, owner 1, spare 1, generation 2, length 2, CRC-32 4 (over everything but itself: half an image of one
 * kind and half of another are none). Generations compare modulo 2^16. CRC-32: IEEE 802.3, bit by bit, no table. */
#include "cairn/snapshot.h"

#include "node/node_internal.h"
#include "node/wire.h"

#define MAGIC         UINT32_C(0x4E524143) /* "CARN" */
#define VERSION       1u
#define POLYNOMIAL    UINT32_C(0xEDB88320)
#define HEADER        CAIRN_SNAPSHOT_HEADER
#define GENERATION_AT 8u
#define LENGTH_AT     10u
#define CRC_AT        12u
#define NONE          (-1)
#define FRAMES_SKIP   4096u

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

/* An image that is looked for or made. */
typedef struct image {
    const cairn_snapshot_store_t *store;
    uint8_t *scratch;
    uint32_t size;          /* header and content */
    uint8_t header[CRC_AT]; /* as it must be; the generation is that of the slot read last */
} image_t;

static cairn_status describe(image_t *image, const cairn_snapshot_store_t *store, uint8_t kind, const uint8_t *bytes,
                             size_t length, uint8_t *scratch)
{
    if (store == NULL || store->read == NULL || store->erase == NULL || store->write == NULL ||
        store->page_bytes <= HEADER || store->pages_per_slot == 0 || bytes == NULL || scratch == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (length > UINT16_MAX || (uint32_t)length + HEADER > (uint32_t)store->page_bytes * store->pages_per_slot) {
        return CAIRN_ERR_SIZE;
    }
    image->store = store;
    image->scratch = scratch;
    image->size = HEADER + (uint32_t)length;
    wire_put_u32(image->header, MAGIC);
    image->header[4] = VERSION;
    image->header[5] = kind;
    image->header[6] = store->owner;
    image->header[7] = 0;
    wire_put_u16(image->header + LENGTH_AT, (uint32_t)length);
    return CAIRN_OK;
}

static unsigned first_page(const image_t *image, unsigned slot)
{
    return image->store->first_page + slot * image->store->pages_per_slot;
}

/* Bytes of the image on the page that starts `at` bytes into it. */
static size_t part_of(const image_t *image, uint32_t at)
{
    return image->size - at < image->store->page_bytes ? (size_t)(image->size - at) : image->store->page_bytes;
}

/* The generation of a slot, NONE if it holds no such image; its content is copied out unless bytes is NULL. */
static int32_t read_slot(image_t *image, unsigned slot, uint8_t *bytes)
{
    uint8_t *scratch = image->scratch;
    uint32_t expected = 0;
    uint32_t crc = UINT32_MAX;
    size_t start = HEADER; /* of the content on a page */
    unsigned page = first_page(image, slot);

    for (uint32_t at = 0; at < image->size; at += image->store->page_bytes) {
        const size_t part = part_of(image, at) - start;
        if (image->store->read(image->store->ctx, page++, scratch) != 0) {
            return NONE;
        }
        if (at == 0) {
            memcpy(image->header + GENERATION_AT, scratch + GENERATION_AT, 2);
            if (memcmp(image->header, scratch, CRC_AT) != 0) {
                return NONE;
            }
            expected = wire_get_u32(scratch + CRC_AT);
            crc = crc_add(crc, scratch, CRC_AT);
        }
        crc = crc_add(crc, scratch + start, part);
        if (bytes != NULL) {
            memcpy(bytes, scratch + start, part);
            bytes += part;
        }
        start = 0;
    }
    return crc == expected ? (int32_t)wire_get_u16(image->header + GENERATION_AT) : NONE;
}

/* The slot with the newest good image; when there is none the second one, and NONE for its generation. */
static unsigned newest_slot(image_t *image, int32_t *generation)
{
    const int32_t first = read_slot(image, 0, NULL);
    const int32_t second = read_slot(image, 1, NULL);
    const bool is_second = first == NONE || (second != NONE && (uint16_t)(first - second) > UINT16_MAX / 2u);

    *generation = is_second ? second : first;
    return is_second ? 1 : 0;
}

cairn_status cairn_snapshot_save(const cairn_snapshot_store_t *store, uint8_t kind, const uint8_t *bytes, size_t length,
                                 uint8_t *scratch)
{
    image_t image;
    const cairn_status status = describe(&image, store, kind, bytes, length, scratch);
    size_t start = HEADER; /* of the content on a page */
    int32_t generation;
    unsigned page;

    if (status != CAIRN_OK) {
        return status;
    }
    page = first_page(&image, 1u - newest_slot(&image, &generation));
    for (uint32_t at = 0; at < image.size; at += store->page_bytes) {
        memset(scratch, 0xFF, store->page_bytes);
        memcpy(scratch + start, bytes + (at + start - HEADER), part_of(&image, at) - start);
        if (at == 0) {
            wire_put_u16(image.header + GENERATION_AT, (uint32_t)generation + 1u);
            memcpy(scratch, image.header, CRC_AT);
            wire_put_u32(scratch + CRC_AT, crc_add(crc_add(UINT32_MAX, scratch, CRC_AT), bytes, length));
        }
        if (store->erase(store->ctx, page) != 0 || store->write(store->ctx, page++, scratch) != 0) {
            return CAIRN_ERR_STATE;
        }
        start = 0;
    }
    return CAIRN_OK;
}

cairn_status cairn_snapshot_load(const cairn_snapshot_store_t *store, uint8_t kind, uint8_t *bytes, size_t length,
                                 uint8_t *scratch, uint32_t *generation)
{
    image_t image;
    const cairn_status status = describe(&image, store, kind, bytes, length, scratch);
    int32_t found;
    unsigned slot;

    if (status != CAIRN_OK) {
        return status;
    }
    slot = newest_slot(&image, &found);
    if (found == NONE || read_slot(&image, slot, bytes) == NONE) {
        return CAIRN_ERR_FORMAT;
    }
    if (generation != NULL) {
        *generation = (uint32_t)found;
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

static cairn_status restore_place(cairn_node_t *node, const uint8_t *image)
{
    const uint32_t bits = wire_get_u32(image + 12);
    int16_t place[2];
    cairn_real place_m[2];
    float std_m;

    for (size_t k = 0; k < 2; ++k) {
        const uint16_t step = wire_get_u16(image + 8 + 2 * k);
        memcpy(&place[k], &step, sizeof step); /* two's complement, as int16_t is everywhere */
    }
    cairn_node_to_metres(node, place, place_m);
    memcpy(&std_m, &bits, sizeof std_m);
    return cairn_node_set_place(node, place_m, (cairn_real)std_m);
}

cairn_status cairn_snapshot_load_node(const cairn_snapshot_store_t *store, cairn_node_t *node, uint8_t *scratch)
{
    uint8_t image[CAIRN_SNAPSHOT_NODE_BYTES];
    cairn_status status;
    uint32_t sent;

    if (node == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = cairn_snapshot_load(store, CAIRN_SNAPSHOT_NODE, image, sizeof image, scratch, NULL);
    if (status != CAIRN_OK) {
        return status;
    }
    if (!is_of_node(node, image)) {
        return CAIRN_ERR_FORMAT;
    }
    if (image[3] < CAIRN_STAGE_LOOSE || image[3] >= CAIRN_STAGE_ANCHOR || node->stage == CAIRN_STAGE_ANCHOR) {
        status = CAIRN_UNPLACED;
    } else if (restore_place(node, image) != CAIRN_OK) {
        return CAIRN_ERR_FORMAT; /* a deviation that is none */
    }
    sent = wire_get_u32(image + 16);
    node->sent =
        sent < UINT32_MAX - FRAMES_SKIP ? sent + FRAMES_SKIP : sent; /* mute already, however often it starts */
    return status;
}
