/* SPDX-License-Identifier: MIT
 * Cold starts of simulated networks, over the arrays of world.h with the work that a cold start needs: forty nodes in
 * the plane, with starts, on 16 KB of RAM, and twenty in space. */
#ifndef CAIRN_ORACLE_COLD_H
#define CAIRN_ORACLE_COLD_H

#include "cairn/coldstart.h"

#ifndef WORLD_NODES
#define WORLD_NODES      40
#define WORLD_RANGES     235
#define WORLD_REALS      80
#define WORLD_WORK_WORDS (CAIRN_COLDSTART_WORDS(WORLD_NODES, 2, 1) + COLD_CANARIES)
#endif
#define COLD_CANARIES 4u /* words behind the work */

#include "oracle/world.h"

static cairn_coldstart_t cold_job;

/* The last stage ends when the root mean square step of a node is below .005 radio ranges; on a rigid network Gauss-
 * Newton leaves less than its last step. */
#define STOP 0.005

static cairn_coldstart_cfg_t cold_cfg;

/* The radio range is given: on so few nodes, most of them at the rim, an estimate would be some tenths off. */
static inline void draw(uint32_t n_nodes, uint32_t n_anchors, uint32_t dim, cairn_real radius, cairn_real noise,
                        uint32_t seed)
{
    world_draw(n_nodes, n_anchors, dim, radius, noise, seed);
    cold_cfg = cairn_coldstart_cfg_default;
    cold_cfg.locate.radio_range_m = radius;
}

static inline void draw_small(cairn_real noise, uint32_t seed) { draw(12u, 4u, 2u, 7, noise, seed); }

static inline size_t cold_words(void)
{
    return CAIRN_COLDSTART_WORDS(world.n_nodes, world.dim, world_net.n_starts > 0);
}

static inline cairn_status cold_init(const cairn_coldstart_cfg_t *cfg)
{
    return cairn_coldstart_init(&cold_job, cfg, &world_net, world_work, cold_words());
}

static inline cairn_status cold_finish(uint32_t budget)
{
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        status = cairn_coldstart_step(&cold_job, budget);
    }
    return status;
}

static inline cairn_status cold_locate(const cairn_coldstart_cfg_t *cfg, uint32_t budget)
{
    const cairn_status status = cold_init(cfg);
    return status == CAIRN_OK ? cold_finish(budget) : status;
}

static inline void cold_check_honest(void)
{
    world_check_honest();
    CHECK(cairn_isfinite(cairn_coldstart_get_cost(&cold_job)));
    CHECK(cairn_coldstart_get_missing(&cold_job) >= 0 && cairn_coldstart_get_missing(&cold_job) <= 1);
}

/* Root mean square error of all sensors with a place, whatever their state; CHECKs that each has one. */
static inline double cold_rmse_all(void)
{
    double sum = 0.0;
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        const double error = (double)world_error(i);
        CHECK(error >= 0.0);
        sum += error * error;
    }
    return oracle_sqrt(sum / (double)(world.n_nodes - world.n_anchors));
}

/* world_hash, and what the job says of itself. */
static inline uint32_t cold_hash(cairn_status status)
{
    uint32_t hash = hash_u32(world_hash(), (uint32_t)(int32_t)status);
    hash = hash_u32(hash, cairn_coldstart_get_iterations(&cold_job));
    hash = hash_u32(hash, cairn_coldstart_get_repairs(&cold_job));
    return hash_float(hash, (float)cairn_coldstart_get_cost(&cold_job));
}

/* Anchors 0 to 4; nodes 5 to 9 in a clump at (20, 5) that hears one another and anchors 1 and 3, which it can be mirrored
 * at, and, when it is joined to it, anchor 4. */
static inline void cold_build_clump(bool joined)
{
    static const cairn_real places[10][2] = {{0, 0},  {10, 0}, {0, 10}, {10, 10}, {2, 5},
                                             {20, 2}, {20, 8}, {23, 5}, {18, 5},  {19, 3}};
    draw(10u, 5u, 2u, 15, (cairn_real)0.05, 1u);
    memcpy(world.truth, places, sizeof places);
    world.truth[8] = joined ? 13 : 2;
    world_begin();
    world_add_anchors();
    for (uint32_t b = 5u; b < 10u; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            const cairn_real range_m = cairn_distance(world_truth(a), world_truth(b), 2u);
            if (range_m < world.radius) {
                CHECK_EQ(cairn_network_add_range(&world_net, a, b, range_m, 0), CAIRN_OK);
            }
        }
    }
}

#endif
