/* SPDX-License-Identifier: MIT
 * Golden hashes of node: every frame of a small swarm with lossy beacons and noisy ranges, from the cold start on: with
 * anchors, without, moving, and after restarts. */
#include "cairn/node.h"
#include "oracle/random.h"
#include "support/test.h"

enum { NODES = 8, NEIGHBOURS = 7, WAYS = 4, ANCHORS = 3, ROUNDS = 70, ROUND_US = 1000000, RESTART_ROUND = 45 };

static cairn_node_t node[NODES];
static cairn_node_cfg_t cfg[NODES];
static cairn_node_neighbour_t neighbours[NODES][NEIGHBOURS];
static cairn_node_far_t far[NODES][CAIRN_NODE_FAR(NEIGHBOURS)];
static cairn_node_way_t ways[NODES][WAYS];
static cairn_real place_m[NODES][2];
static cairn_rng_t rng;
static const cairn_real radius_m = 20;

/* Uniform within -1 and 1. */
static cairn_real draw(void) { return (cairn_real)cairn_rng_below(&rng, 20001) * (cairn_real)1e-4 - 1; }

static void start(unsigned i)
{
    const cairn_node_memory_t memory = {neighbours[i], far[i], ways[i], NEIGHBOURS, CAIRN_NODE_FAR(NEIGHBOURS), WAYS};
    cairn_status ignored = cairn_node_init(&node[i], &cfg[i], &memory, cairn_rng_next(&rng));
    (void)ignored;
}

static void begin(uint8_t options, cairn_real move_m)
{
    cairn_rng_init(&rng, 4321u, 1u);
    memset(cfg, 0, sizeof cfg);
    for (unsigned i = 0; i < NODES; ++i) {
        place_m[i][0] = 12 * (cairn_real)(i % 3u) + 3 * draw();
        place_m[i][1] = 12 * (cairn_real)(i / 3u) + 3 * draw();
        cfg[i].id = (uint16_t)(10u + i);
        cfg[i].network = 1;
        cfg[i].grid_m = (cairn_real)0.01;
        cfg[i].radius_m = radius_m;
        cfg[i].noise_rel = (cairn_real)0.03;
        cfg[i].range_max_m = 100;
        cfg[i].move_m = move_m;
        cfg[i].options = options;
        if (i < ANCHORS && options == 0) {
            cfg[i].options = CAIRN_NODE_IS_ANCHOR;
            cfg[i].anchor_m[0] = place_m[i * 2u][0]; /* three corners: they swap places with others */
            cfg[i].anchor_m[1] = place_m[i * 2u][1];
            place_m[i * 2u][0] = place_m[i][0];
            place_m[i * 2u][1] = place_m[i][1];
            place_m[i][0] = cfg[i].anchor_m[0];
            place_m[i][1] = cfg[i].anchor_m[1];
        }
        start(i);
    }
}

/* Node i ranges and is heard by those in reach, a fifth of the frames lost. */
static void speak(unsigned i, const uint8_t *frame, size_t length, uint32_t t_us)
{
    for (unsigned j = 0; j < NODES; ++j) {
        const cairn_real x = place_m[i][0] - place_m[j][0];
        const cairn_real y = place_m[i][1] - place_m[j][1];
        const cairn_real d_m = cairn_sqrt(x * x + y * y);
        if (j != i && d_m < radius_m && cairn_rng_below(&rng, 5) != 0) {
            cairn_status ignored =
                cairn_node_on_range(&node[j], cfg[i].id, d_m * (1 + (cairn_real)0.05 * draw()), t_us);
            ignored = cairn_node_on_beacon(&node[j], frame, length, t_us);
            (void)ignored;
        }
    }
}

static uint32_t run(uint8_t options, cairn_real move_m, bool restart)
{
    uint8_t frame[CAIRN_BEACON_BYTES_MAX];
    uint32_t hash = HASH_START;
    begin(options, move_m);
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        if (restart && round == RESTART_ROUND) {
            cairn_real at_m[2] = {0, 0};
            cairn_status ignored = cairn_node_get_place(&node[4], at_m, NULL);
            start(4);
            ignored = cairn_node_set_place(&node[4], at_m, 1);
            start(6);
            (void)ignored;
        }
        for (unsigned i = 0; i < NODES; ++i) {
            const uint32_t t_us = round * ROUND_US + i;
            place_m[i][0] += i < ANCHORS ? 0 : move_m * draw();
            cairn_status ignored = cairn_node_tick(&node[i], t_us);
            const size_t length = cairn_node_beacon(&node[i], frame, sizeof frame, t_us);
            for (size_t k = 0; k < length; ++k) {
                hash = hash_u32(hash, frame[k]);
            }
            speak(i, frame, length, t_us);
            (void)ignored;
        }
    }
    for (unsigned i = 0; i < NODES; ++i) {
        hash = hash_float(hash, (float)node[i].place_m[0]);
        hash = hash_float(hash, (float)node[i].std_m);
        hash = hash_u32(hash, node[i].stage);
    }
    return hash;
}

int port_main(void)
{
    golden_line("node-anchors", run(0, 0, false));
    golden_line("node-restart", run(0, 0, true));
    golden_line("node-moving", run(0, (cairn_real)0.2, false));
    golden_line("node-no-anchors", run(CAIRN_NODE_NO_ANCHORS, 0, false));
    golden_line("node-monotone", run(CAIRN_NODE_MONOTONE, 0, false));
    return 0;
}
