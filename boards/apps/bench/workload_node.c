/* SPDX-License-Identifier: MIT */
/* The node: its ticks from the cold start on, with 16 neighbours, 4 of them anchors, 24 far nodes and 8 ways; a lap is a
 * tick. Once among nodes that stay, once as if they moved: then a place follows its ranges. */
#include "apps/bench/bench.h"
#include "cairn/node.h"
#include "cairn/rng.h"

#include <stdbool.h>
#include <string.h>

enum { NEIGHBOURS = 16, ANCHORS = 4, WAYS = 8, FAR = CAIRN_NODE_FAR(NEIGHBOURS), ROUNDS = 160, ROUND_US = 1000000 };

CAIRN_NODE_DEFINE(tag, NEIGHBOURS, WAYS);

static cairn_node_cfg_t cfg = {.id = 100,
                               .network = 1,
                               .grid_m = 0.01f,
                               .radius_m = 40.0f,
                               .noise_rel = 0.05f,
                               .noise_abs_m = 0.1f,
                               .range_max_m = 100.0f};
static const float tag_m[2] = {3.0f, -2.0f};
static float place_m[NEIGHBOURS][2];
static float far_m[FAR][2]; /* from the tag */
static cairn_rng_t rng;
static int wrong;

static int8_t offset_of(float offset_m)
{
    const float steps = offset_m * (CAIRN_BEACON_OFFSET / 40.0f);
    return (int8_t)(steps < -127.0f ? -127.0f : steps > 127.0f ? 127.0f : steps);
}

static float draw(float half) { return half * ((float)cairn_rng_below(&rng, 2001u) / 1000.0f - 1.0f); }

static void begin(float move_m, float move_keep)
{
    cfg.move_m = move_m;
    cfg.move_keep = move_keep;
    cairn_rng_init(&rng, 5u, 1u);
    wrong = cairn_node_init(&tag, &cfg, &tag_memory, 1u) != CAIRN_OK;
    for (int i = 0; i < NEIGHBOURS; ++i) {
        place_m[i][0] = tag_m[0] + draw(27.0f);
        place_m[i][1] = tag_m[1] + draw(27.0f);
    }
    for (int i = 0; i < FAR;) { /* 0.9 to 1.6 radio ranges off: some push */
        far_m[i][0] = draw(64.0f);
        far_m[i][1] = draw(64.0f);
        const float d2 = far_m[i][0] * far_m[i][0] + far_m[i][1] * far_m[i][1];
        i += d2 > 36.0f * 36.0f && d2 < 64.0f * 64.0f;
    }
}

static void set_up(void) { begin(0.0f, 0.0f); }

static void set_up_moving(void) { begin(0.8f, 0.95f); }

/* What neighbour i sends in a round: ways to anchors farther on until the map stands, then far nodes by turns. */
static void fill(cairn_beacon_t *beacon, int i, int round)
{
    memset(beacon, 0, sizeof *beacon);
    beacon->network = 1;
    beacon->id = (uint16_t)i;
    beacon->sequence = (uint8_t)round;
    beacon->stage = i < ANCHORS ? CAIRN_STAGE_ANCHOR : round < 12 ? CAIRN_STAGE_LOOSE : CAIRN_STAGE_PLACED;
    beacon->deviation = i < ANCHORS ? 0u : 60u;
    beacon->place[0] = (int16_t)(place_m[i][0] * 100.0f);
    beacon->place[1] = (int16_t)(place_m[i][1] * 100.0f);
    beacon->kind = round < 8 ? CAIRN_BEACON_KIND_PATHS : CAIRN_BEACON_KIND_PEERS;
    beacon->n_entries = 2;
    for (int k = 0; k < 2; ++k) {
        const int at = (2 * (i + round) + k) % FAR;
        const int anchor = 50 + at % (WAYS - ANCHORS);
        beacon->path[k].id = (uint16_t)anchor;
        beacon->path[k].place[0] = (int16_t)(anchor % 2 == 0 ? 9000 : -9000);
        beacon->path[k].place[1] = (int16_t)(anchor < 52 ? 9000 : -9000);
        beacon->path[k].length = 1400;
        beacon->path[k].flags = 1;
        beacon->peer[k].id = (uint16_t)(200 + at);
        beacon->peer[k].offset[0] = offset_of(tag_m[0] + far_m[at][0] - place_m[i][0]);
        beacon->peer[k].offset[1] = offset_of(tag_m[1] + far_m[at][1] - place_m[i][1]);
        beacon->peer[k].range = 100;
    }
}

static void hear(int i, int round, uint32_t t_us)
{
    uint8_t frame[CAIRN_BEACON_BYTES_MAX];
    cairn_beacon_t beacon;
    const float x = place_m[i][0] - tag_m[0];
    const float y = place_m[i][1] - tag_m[1];

    fill(&beacon, i, round);
    wrong |= cairn_node_on_range(&tag, beacon.id, cairn_sqrt(x * x + y * y) + draw(0.5f), t_us) != CAIRN_OK;
    wrong |= cairn_node_on_beacon(&tag, frame, cairn_beacon_encode(&beacon, frame, sizeof frame), t_us) < 0;
}

static void run(void)
{
    for (int round = 0; round < ROUNDS; ++round) {
        const uint32_t t_us = (uint32_t)round * ROUND_US;
        for (int i = 0; i < NEIGHBOURS; ++i) {
            hear(i, round, t_us);
        }
        bench_lap();
        const cairn_status status = cairn_node_tick(&tag, t_us);
        bench_lap();
        wrong |= status != CAIRN_OK;
    }
}

/* The tag is about where it is. */
static int check(void)
{
    float at_m[2] = {0.0f, 0.0f};
    const cairn_status status = cairn_node_get_place(&tag, at_m, NULL);
    const float x = at_m[0] - tag_m[0];
    const float y = at_m[1] - tag_m[1];
    return wrong != 0 || status < 0 || !(x * x + y * y < 9.0f);
}

extern const bench_workload_t workload_node_tick;
const bench_workload_t workload_node_tick = {"node_tick", ROUNDS, "tick", set_up, run, check};
extern const bench_workload_t workload_node_tick_moving;
const bench_workload_t workload_node_tick_moving = {"node_tick_moving", ROUNDS, "tick", set_up_moving, run, check};
