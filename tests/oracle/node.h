/* SPDX-License-Identifier: MIT
 * A tag among five anchors, round by round: what the tests of node share. */
#ifndef CAIRN_ORACLE_NODE_H
#define CAIRN_ORACLE_NODE_H

#include "cairn/node.h"
#include "cairn/vector.h"
#include "support/test.h"

enum { NEIGHBOURS = 8, WAYS = 4, ANCHORS = 5, STEPS = 60, ROUND_US = 1000000 };

CAIRN_NODE_DEFINE(tag, NEIGHBOURS, WAYS);

typedef struct copy {
    cairn_node_t node;
    cairn_node_neighbour_t neighbours[NEIGHBOURS];
    cairn_node_far_t far[CAIRN_NODE_FAR(NEIGHBOURS)];
    cairn_node_way_t ways[WAYS];
} copy_t;

static uint32_t now_us;
static uint8_t frame[CAIRN_BEACON_BYTES_MAX];
static uint8_t sent[CAIRN_BEACON_BYTES_MAX];
static cairn_node_cfg_t cfg;
static uint8_t sequence;
static cairn_real anchor_m[ANCHORS][2] = {{0, 0}, {30, 0}, {0, 30}, {30, 30}, {12, -9}};
static cairn_real truth_m[2];

static inline void keep(copy_t *copy)
{
    memcpy(&copy->node, &tag, sizeof tag);
    memcpy(copy->neighbours, tag_neighbours, sizeof tag_neighbours);
    memcpy(copy->far, tag_far, sizeof tag_far);
    memcpy(copy->ways, tag_ways, sizeof tag_ways);
}

static inline void restore(const copy_t *copy)
{
    memcpy(&tag, &copy->node, sizeof tag);
    memcpy(tag_neighbours, copy->neighbours, sizeof tag_neighbours);
    memcpy(tag_far, copy->far, sizeof tag_far);
    memcpy(tag_ways, copy->ways, sizeof tag_ways);
}

/* Everything but the counters is as it was. */
static inline bool is_kept(const copy_t *copy)
{
    cairn_node_t same = tag;
    same.counters = copy->node.counters;
    return memcmp(&same, &copy->node, sizeof same) == 0 &&
           memcmp(copy->neighbours, tag_neighbours, sizeof tag_neighbours) == 0 &&
           memcmp(copy->far, tag_far, sizeof tag_far) == 0 && memcmp(copy->ways, tag_ways, sizeof tag_ways) == 0;
}

static inline void begin(void)
{
    memset(&cfg, 0, sizeof cfg);
    cfg.id = 100;
    cfg.network = 1;
    cfg.grid_m = (cairn_real)0.01;
    cfg.radius_m = 40;
    cfg.noise_abs_m = (cairn_real)0.1;
    cfg.range_max_m = 100;
    now_us = 0;
    sequence = 0;
    truth_m[0] = 11;
    truth_m[1] = 7;
    test_check_eq(cairn_node_init(&tag, &cfg, &tag_memory, 1), CAIRN_OK, __FILE__, __LINE__, "init");
}

static inline cairn_real anchor_range(int i)
{
    const cairn_real x = anchor_m[i][0] - truth_m[0];
    const cairn_real y = anchor_m[i][1] - truth_m[1];
    return cairn_sqrt(x * x + y * y);
}

static inline size_t make_frame(uint16_t id, const cairn_real *place_m, uint8_t stage)
{
    cairn_beacon_t beacon;
    memset(&beacon, 0, sizeof beacon);
    beacon.network = 1;
    beacon.id = id;
    beacon.sequence = sequence;
    beacon.stage = stage;
    beacon.kind = CAIRN_BEACON_KIND_PEERS;
    beacon.deviation = stage == CAIRN_STAGE_ANCHOR ? 0 : 20;
    beacon.place[0] = (int16_t)(place_m[0] * 100);
    beacon.place[1] = (int16_t)(place_m[1] * 100);
    return cairn_beacon_encode(&beacon, frame, sizeof frame);
}

static inline void hear(uint16_t id, const cairn_real *place_m, uint8_t stage, cairn_real range_m)
{
    cairn_status ignored = cairn_node_on_range(&tag, id, range_m, now_us);
    const size_t length = make_frame(id, place_m, stage);
    ignored = cairn_node_on_beacon(&tag, frame, length, now_us);
    (void)ignored;
}

/* One round: anchors first .. last - 1 are heard, then the node ticks and speaks. */
static inline void play(int first, int last)
{
    ++sequence;
    now_us += ROUND_US;
    for (int i = first; i < last; ++i) {
        hear((uint16_t)(i + 1), anchor_m[i], CAIRN_STAGE_ANCHOR, anchor_range(i));
    }
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
    CHECK(cairn_node_beacon(&tag, sent, sizeof sent, now_us) >= CAIRN_BEACON_HEADER);
}

static inline cairn_real error_m(void)
{
    cairn_real place_m[2] = {1000, 1000};
    (void)(cairn_node_get_place(&tag, place_m, NULL) == CAIRN_OK);
    place_m[0] -= truth_m[0];
    place_m[1] -= truth_m[1];
    return cairn_sqrt(place_m[0] * place_m[0] + place_m[1] * place_m[1]);
}

/* A tag that knows where it is. */
static inline void settle(void)
{
    begin();
    for (int round = 0; round < 40; ++round) {
        play(0, ANCHORS);
    }
    CHECK_EQ(cairn_node_get_stage(&tag), CAIRN_STAGE_PLACED);
    CHECK(error_m() < (cairn_real)0.05);
}
#endif
