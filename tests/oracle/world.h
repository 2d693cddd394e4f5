/* SPDX-License-Identifier: MIT
 * Simulated networks with known truth, over static arrays that fit 16 KB of RAM: 40 nodes, 250 ranges, up to 3-D. */
#ifndef CAIRN_ORACLE_WORLD_H
#define CAIRN_ORACLE_WORLD_H

#include "cairn/locate.h"
#include "cairn/vector.h"
#include "oracle/random.h"
#include "support/test.h"

/* A test that needs other sizes, or has other arrays, says so before it includes this. */
#ifndef WORLD_NODES
#define WORLD_NODES 40
#endif
#ifndef WORLD_RANGES
#define WORLD_RANGES 250
#endif
#ifndef WORLD_DIM
#define WORLD_DIM 3
#endif
#ifndef WORLD_REALS
#define WORLD_REALS (WORLD_NODES * WORLD_DIM) /* coordinates */
#endif
#ifndef WORLD_WORK_WORDS
#define WORLD_WORK_WORDS CAIRN_LOCATE_WORDS(WORLD_NODES, WORLD_DIM)
#endif

/* What to simulate: nodes uniform in a cube, the first n_anchors of them known. */
typedef struct world {
    uint32_t n_nodes;
    uint32_t n_anchors;
    uint32_t dim;
    cairn_real size;   /* side of the cube, metres */
    cairn_real radius; /* pairs nearer than this are measured, metres */
    cairn_real noise;  /* deviation of a measured range, metres */
    uint32_t seed;
    cairn_network_cfg_t cfg;
    cairn_real truth[WORLD_REALS];
} world_t;

static world_t world;
static cairn_network_t world_net;
static cairn_locate_t world_job;
static cairn_link_t world_links[2 * WORLD_RANGES];
static uint32_t world_rows[2 * (WORLD_NODES + 1)];
static cairn_real world_place[WORLD_REALS];
static cairn_real world_std[WORLD_NODES];
static uint8_t world_flags[WORLD_NODES];
static cairn_word_t world_work[WORLD_WORK_WORDS];

static inline const cairn_real *world_truth(uint32_t node) { return world.truth + (size_t)node * world.dim; }

/* Anchors stand in the corners of the middle 80 %, then anywhere. */
static inline void world_draw(uint32_t n_nodes, uint32_t n_anchors, uint32_t dim, cairn_real radius, cairn_real noise,
                              uint32_t seed)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, 1u);
    world.n_nodes = n_nodes;
    world.n_anchors = n_anchors;
    world.dim = dim;
    world.size = 10;
    world.radius = radius;
    world.noise = noise;
    world.seed = seed;
    world.cfg.dim = (uint8_t)dim;
    world.cfg.noise_rel = 0;
    world.cfg.noise_abs_m = noise > 0 ? noise : (cairn_real)0.01;
    world.cfg.range_max_m = 0;
    for (uint32_t i = 0; i < n_nodes * dim; ++i) {
        uint32_t node = i / dim;
        bool corner = node < n_anchors && node < 1u << dim;
        world.truth[i] = corner ? ((node >> (i % dim) & 1u) != 0 ? (cairn_real)9.125 : (cairn_real)1.25)
                                : world.size * cairn_rng_uniform(&rng);
    }
}

/* Empty network for the drawn nodes, without anchors and ranges. */
static inline void world_begin(void)
{
    cairn_network_memory_t memory = {world_links, 2 * WORLD_RANGES, world_rows,  2 * (WORLD_NODES + 1), world_place,
                                     WORLD_REALS, world_std,        WORLD_NODES, world_flags,           WORLD_NODES};
    CHECK_EQ(cairn_network_init(&world_net, &world.cfg, &memory, world.n_nodes), CAIRN_OK);
}

static inline void world_add_anchors(void)
{
    for (uint32_t i = 0; i < world.n_anchors; ++i) {
        CHECK_EQ(cairn_network_set_anchor(&world_net, i, world_truth(i)), CAIRN_OK);
    }
}

/* All ranges within the radius, except between anchors; stops quietly when the arrays are full. */
static inline void world_add_ranges(void)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, world.seed, 2u);
    for (uint32_t b = world.n_anchors; b < world.n_nodes; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            cairn_real distance = cairn_distance(world_truth(a), world_truth(b), world.dim);
            cairn_real range = distance + world.noise * random_normal(&rng);
            if (distance <= world.radius && range > 0) {
                cairn_status status = cairn_network_add_range(&world_net, a, b, range, 0);
                CHECK(status == CAIRN_OK || status == CAIRN_FULL);
            }
        }
    }
}

/* Starts at the true places, each coordinate off by a normal deviate. */
static inline void world_add_starts(cairn_real std_m)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, world.seed, 3u);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        cairn_real start_m[WORLD_DIM];
        for (uint32_t k = 0; k < world.dim; ++k) {
            start_m[k] = world_truth(i)[k] + std_m * random_normal(&rng);
        }
        CHECK_EQ(cairn_network_set_start(&world_net, i, start_m), CAIRN_OK);
    }
}

/* An anchor in the plane, wherever the truth is. */
static inline void world_set_anchor(uint32_t node, cairn_real x, cairn_real y)
{
    cairn_real place[2];
    place[0] = x, place[1] = y;
    CHECK_EQ(cairn_network_set_anchor(&world_net, node, place), CAIRN_OK);
}

/* Ranges between nodes on the same side of `second`, the first node of the second part, whatever their distance. */
static inline void world_add_two_parts(uint32_t second)
{
    for (uint32_t b = world.n_anchors > 0 ? world.n_anchors : 1u; b < world.n_nodes; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            if ((a >= second) == (b >= second)) {
                const cairn_real range = cairn_distance(world_truth(a), world_truth(b), world.dim);
                CHECK_EQ(cairn_network_add_range(&world_net, a, b, range, 0), CAIRN_OK);
            }
        }
    }
}

/* A world whose last nodes have no range. */
static inline void world_build_isolated(uint32_t n_linked)
{
    const uint32_t n_nodes = world.n_nodes;
    world_begin();
    world_add_anchors();
    world.n_nodes = n_linked;
    world_add_ranges();
    world.n_nodes = n_nodes;
}

/* The sensors from `first` on, and only they, have no place. */
static inline void world_check_unplaced_from(uint32_t first)
{
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        CHECK((cairn_network_get_state(&world_net, i) == CAIRN_NODE_UNPLACED) == (i >= first));
    }
}

/* Everything, sealed by locate. */
static inline void world_build(void)
{
    world_begin();
    world_add_anchors();
    world_add_ranges();
}

static inline cairn_status world_locate(const cairn_locate_cfg_t *cfg, uint32_t budget)
{
    cairn_status status =
        cairn_locate_init(&world_job, cfg, &world_net, world_work, CAIRN_LOCATE_WORDS(world.n_nodes, world.dim));
    if (status != CAIRN_OK) {
        return status;
    }
    do {
        status = cairn_locate_step(&world_job, budget);
    } while (status == CAIRN_MORE);
    return status;
}

/* Distance of a node's estimated place from the truth; -1 without a place. */
static inline cairn_real world_error(uint32_t node)
{
    cairn_real place[WORLD_DIM];
    cairn_status status = cairn_network_get_place(&world_net, node, place, NULL);
    if (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) {
        return -1;
    }
    return cairn_distance(place, world_truth(node), world.dim);
}

/* Root mean square error of the sensors that say PLACED; n_placed out. */
static inline double world_rmse(uint32_t *n_placed)
{
    double sum = 0.0;
    *n_placed = 0;
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        if (cairn_network_get_state(&world_net, i) == CAIRN_NODE_PLACED) {
            double error = (double)world_error(i);
            sum += error * error;
            ++*n_placed;
        }
    }
    return *n_placed > 0 ? oracle_sqrt(sum / (double)*n_placed) : 0.0;
}

/* FNV-1a over the bits of all places, deviations and states. */
static inline uint32_t world_hash(void)
{
    uint32_t hash = HASH_START;
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        cairn_real place[WORLD_DIM] = {0};
        cairn_real std = -1;
        cairn_status status = cairn_network_get_place(&world_net, i, place, &std);
        hash = hash_u32(hash, (uint32_t)(int32_t)status);
        for (uint32_t k = 0; k < world.dim; ++k) {
            hash = hash_float(hash, (float)place[k]);
        }
        hash = hash_float(hash, (float)std);
    }
    return hash;
}

/* FNV-1a over all that a job on the network may touch but itself. */
static inline uint32_t world_bytes(void)
{
    uint32_t hash = hash_bytes(HASH_START, &world_net, sizeof world_net);
    hash = hash_bytes(hash, world_links, sizeof world_links);
    hash = hash_bytes(hash, world_rows, sizeof world_rows);
    hash = hash_bytes(hash, world_place, sizeof world_place);
    hash = hash_bytes(hash, world_std, sizeof world_std);
    hash = hash_bytes(hash, world_flags, sizeof world_flags);
    return hash_bytes(hash, world_work, sizeof world_work);
}

/* Everything that a network says after a job is finite, a node without a place says so, and no start is left over. */
static inline void world_check_honest(void)
{
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        cairn_real place_m[WORLD_DIM], std_m = 0;
        const cairn_status status = cairn_network_get_place(&world_net, i, place_m, &std_m);
        const cairn_node_state state = cairn_network_get_state(&world_net, i);
        CHECK((status == CAIRN_UNPLACED) == (state == CAIRN_NODE_UNPLACED));
        CHECK((status == CAIRN_FLIP_POSSIBLE) == (state == CAIRN_NODE_FLIP_POSSIBLE));
        CHECK(state != CAIRN_NODE_STARTED);
        if (status != CAIRN_UNPLACED) {
            CHECK(cairn_all_finite(place_m, world.dim));
            CHECK(cairn_isfinite(std_m) && std_m >= 0);
        }
    }
    CHECK_EQ(world_net.n_starts, 0u);
}

#endif
