/* SPDX-License-Identifier: MIT */
/* The sensor node's firmware: the same image for every node; who it is stands in page 0 of its memory. Without that page
   it shows itself: five anchors around it, made up here. */
#include "apps/node/air.h"

#include "cairn/snapshot.h"
#include "apps/common/writer.h"
#include "port.h"

#include <string.h>

enum { NEIGHBOURS = 24, WAYS = 8, SAVE_EVERY = 16, FRAMES_PER_ROUND_MAX = 64 };

CAIRN_NODE_DEFINE(node, NEIGHBOURS, WAYS);
static cairn_node_cfg_t cfg;
static uint8_t page[PORT_PAGE_BYTES];
static uint8_t frame[PORT_FRAME_BYTES_MAX + 1];

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; ++i, value >>= 8) {
        at[i] = (uint8_t)(value & 0xFFu);
    }
}

static cairn_real get_real(const uint8_t *at)
{
    uint32_t bits = get_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (cairn_real)value;
}

static void put_real(uint8_t *at, cairn_real real)
{
    float value = (float)real;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(at, bits);
}

static int read_page(void *ctx, unsigned at, uint8_t *bytes)
{
    (void)ctx;
    return port_page_read(at, bytes) == PORT_OK ? 0 : -1;
}

static int erase_page(void *ctx, unsigned at)
{
    (void)ctx;
    return port_page_erase(at) == PORT_OK ? 0 : -1;
}

static int write_page(void *ctx, unsigned at, const uint8_t *bytes)
{
    (void)ctx;
    return port_page_write(at, bytes) == PORT_OK ? 0 : -1;
}

static const cairn_snapshot_store_t store = {read_page,     erase_page,      write_page, NULL,
                                             PAGE_SNAPSHOT, PORT_PAGE_BYTES, 1,          0};

/* Settings from page 0; false: there are none. */
static bool read_who(uint32_t *seed)
{
    if (port_page_read(PAGE_WHO, page) != PORT_OK || get_u32(page) != WHO_MAGIC) {
        return false;
    }
    cfg.id = (uint16_t)(page[4] | page[5] << 8);
    cfg.network = page[6];
    cfg.options = page[7];
    *seed = get_u32(page + 8);
    cfg.grid_m = get_real(page + 12);
    cfg.radius_m = get_real(page + 16);
    cfg.noise_rel = get_real(page + 20);
    cfg.noise_abs_m = get_real(page + 24);
    cfg.range_max_m = get_real(page + 28);
    cfg.move_m = get_real(page + 32);
    cfg.move_keep = get_real(page + 36);
    cfg.anchor_m[0] = get_real(page + 40);
    cfg.anchor_m[1] = get_real(page + 44);
    return true;
}

static void report(void)
{
    cairn_real place_m[2] = {0, 0};
    cairn_real std_m = 0;
    frame[0] = AIR_PLACE;
    frame[1] = (uint8_t)cairn_node_get_stage(&node);
    if (cairn_node_get_place(&node, place_m, &std_m) == CAIRN_UNPLACED) {
        std_m = 0;
    }
    put_real(frame + 2, place_m[0]);
    put_real(frame + 6, place_m[1]);
    put_real(frame + 10, std_m);
    (void)port_radio_send(frame, 14u);
}

static void play_round(uint32_t t_us, unsigned *n_rounds)
{
    if (cairn_node_tick(&node, t_us) != CAIRN_OK) {
        return;
    }
    size_t length = cairn_node_beacon(&node, page, sizeof page, t_us);
    frame[0] = AIR_BEACON;
    memcpy(frame + 1, page, length);
    (void)port_radio_send(frame, length + 1u);
    report();
    if (++*n_rounds % SAVE_EVERY == 0u && cairn_snapshot_save_node(&store, &node, page) != CAIRN_OK) {
        return; /* the older snapshot stays */
    }
}

/* One message of the radio; false: the end. */
static bool take(size_t length, uint32_t *t_us, unsigned *n_rounds)
{
    cairn_status ignored = CAIRN_OK;
    if (frame[0] == AIR_ROUND && length == 5u) {
        *t_us = get_u32(frame + 1);
        play_round(*t_us, n_rounds);
    } else if (frame[0] == AIR_BEACON) {
        ignored = cairn_node_on_beacon(&node, frame + 1, length - 1u, *t_us);
    } else if (frame[0] == AIR_RANGE && length == 11u) {
        *t_us = get_u32(frame + 7);
        ignored = cairn_node_on_range(&node, (uint16_t)(frame[1] | frame[2] << 8), get_real(frame + 3), *t_us);
    }
    (void)ignored; /* the node counts what it refuses */
    return frame[0] != AIR_STOP;
}

static int serve(void)
{
    uint32_t t_us = 0;
    unsigned n_rounds = 0;
    for (;;) {
        size_t length;
        port_status_t status = port_radio_receive(frame, sizeof frame, &length);
        if (status == PORT_OK && !take(length, &t_us, &n_rounds)) {
            return 0;
        }
        if (status < 0) {
            return 1;
        }
        if (status == PORT_EMPTY) {
            port_idle();
        }
    }
}

/* --- alone ----------------------------------------------------------------------------------------------------------- */

enum { ANCHORS = 5, ALONE_ROUNDS = 40 };

static const cairn_real anchor_m[ANCHORS][2] = {{0, 0}, {30, 0}, {0, 30}, {30, 30}, {12, -9}};
static const cairn_real true_m[2] = {11, 7};
/* what an ultra-wideband radio would measure, 10 cm off */
static const cairn_real error_m[ANCHORS] = {(cairn_real)0.1, (cairn_real)-0.1, (cairn_real)0.05, (cairn_real)-0.12, 0};

static void hear_anchor(uint16_t i, uint8_t sequence, uint32_t t_us)
{
    cairn_beacon_t beacon;
    memset(&beacon, 0, sizeof beacon);
    beacon.network = cfg.network;
    beacon.id = (uint16_t)(i + 1u);
    beacon.sequence = sequence;
    beacon.stage = CAIRN_STAGE_ANCHOR;
    beacon.kind = CAIRN_BEACON_KIND_PEERS;
    beacon.place[0] = (int16_t)(anchor_m[i][0] / cfg.grid_m);
    beacon.place[1] = (int16_t)(anchor_m[i][1] / cfg.grid_m);
    cairn_real x = anchor_m[i][0] - true_m[0];
    cairn_real y = anchor_m[i][1] - true_m[1];
    cairn_status ignored = cairn_node_on_range(&node, beacon.id, cairn_sqrt(x * x + y * y) + error_m[i], t_us);
    size_t length = cairn_beacon_encode(&beacon, frame, sizeof frame);
    ignored = cairn_node_on_beacon(&node, frame, length, t_us);
    (void)ignored;
}

static int show_alone(void)
{
    writer_t out;
    cairn_real place_m[2] = {0, 0};
    cairn_real std_m = 0;
    size_t n_bytes = 0;
    for (uint8_t round = 0; round < ALONE_ROUNDS; ++round) {
        const uint32_t t_us = round * 1000000u;
        for (uint16_t i = 0; i < ANCHORS; ++i) {
            hear_anchor(i, round, t_us);
        }
        if (cairn_node_tick(&node, t_us) != CAIRN_OK) {
            return 1;
        }
        n_bytes += cairn_node_beacon(&node, page, sizeof page, t_us);
    }
    cairn_status status = cairn_node_get_place(&node, place_m, &std_m);
    cairn_real x = place_m[0] - true_m[0];
    cairn_real y = place_m[1] - true_m[1];
    writer_console(&out);
    writer_text(&out, "node alone, five anchors: ");
    writer_text(&out, cairn_status_name(status));
    writer_text(&out, "\nplace ");
    writer_real(&out, (double)place_m[0], 2, 0);
    writer_text(&out, " ");
    writer_real(&out, (double)place_m[1], 2, 0);
    writer_text(&out, " m, error ");
    writer_real(&out, (double)cairn_sqrt(x * x + y * y), 3, 0);
    writer_text(&out, " m, stated deviation ");
    writer_real(&out, (double)std_m, 3, 0);
    writer_text(&out, " m\nbytes: node ");
    writer_unsigned(&out, CAIRN_NODE_BYTES(NEIGHBOURS, WAYS), 0);
    writer_text(&out, ", a beacon ");
    writer_unsigned(&out, n_bytes / ALONE_ROUNDS, 0);
    writer_text(&out, ", stack used ");
    writer_unsigned(&out, port_stack_used(), 0);
    writer_text(&out, "\n");
    writer_flush(&out);
    return status == CAIRN_OK && x * x + y * y < (cairn_real)0.09 ? 0 : 1;
}

int port_main(void)
{
    uint32_t seed = 1;
    bool known = strstr(port_arguments(), "serve") != NULL && read_who(&seed);
    if (!known) {
        const cairn_node_cfg_t alone = {.id = 9,
                                        .network = 1,
                                        .grid_m = (cairn_real)0.01,
                                        .radius_m = 40,
                                        .noise_abs_m = (cairn_real)0.1,
                                        .range_max_m = 100};
        cfg = alone;
    }
    if (cairn_node_init(&node, &cfg, &node_memory, seed) != CAIRN_OK) {
        return 2;
    }
    if (!known) {
        return show_alone();
    }
    frame[0] = AIR_READY;
    frame[1] = cairn_snapshot_load_node(&store, &node, page) == CAIRN_OK ? 1u : 0u;
    (void)port_radio_send(frame, 2u);
    return serve();
}
