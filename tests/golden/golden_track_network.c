/* SPDX-License-Identifier: MIT
 * Golden hashes of networks whose sensors all move: places, deviations and states after every one of a few sets. */
#include "cairn/track_network.h"
#include "oracle/cold.h"

enum { SETS = 3 };

static cairn_track_network_t track;

/* Anchors stay; everybody else goes `motion_m` along each axis, give or take. */
static void move(uint32_t set, cairn_real motion_m)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 100u + set, 5u);
    for (uint32_t i = world.n_anchors * world.dim; i < world.n_nodes * world.dim; ++i) {
        world.truth[i] += motion_m * random_normal(&rng);
    }
    world.seed = 200u + set;
    CHECK_EQ(cairn_network_clear_ranges(&world_net), CAIRN_OK);
    world_add_ranges();
}

static cairn_status finish(uint32_t budget)
{
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        status = cairn_track_network_step(&track, budget);
    }
    return status;
}

/* Drawn before; starts half a movement off. The radio range is told or to be estimated from each set. */
static void golden(const char *name, cairn_real motion_m, bool radio_range_told)
{
    const cairn_track_network_cfg_t cfg = {motion_m, radio_range_told ? world.radius : 0};
    uint32_t hash = HASH_START;
    world_begin();
    world_add_anchors();
    world_add_starts(motion_m / 2);
    CHECK_EQ(cairn_track_network_init(&track, &cfg, &world_net, world_work, WORLD_WORK_WORDS - COLD_CANARIES),
             CAIRN_OK);
    for (uint32_t set = 0; set < SETS; ++set) {
        move(set, motion_m);
        CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
        hash = hash_u32(hash, (uint32_t)(int32_t)finish(3000u));
        hash = hash_u32(hash, world_hash());
    }
    golden_line(name, hash);
}

int port_main(void)
{
    draw(16u, 4u, 2u, 6, (cairn_real)0.125, 1u);
    golden("track-network", (cairn_real)0.25, true);
    draw(16u, 4u, 2u, 6, (cairn_real)0.125, 1u);
    golden("track-network-estimated", (cairn_real)0.25, false);
    draw(24u, 0u, 2u, 5, (cairn_real)0.125, 3u);
    golden("track-network-no-anchors", (cairn_real)0.25, true);
    draw(24u, 4u, 2u, 4, (cairn_real)0.125, 3u);
    golden("track-network-compared", 3, true); /* .75 radio ranges: a map without the priors as well */
    draw(24u, 4u, 2u, 4, (cairn_real)0.125, 3u);
    golden("track-network-afresh", 5, true); /* the ranges decide */
    draw(12u, 3u, 1u, 5, (cairn_real)0.125, 2u);
    golden("track-network-1d", (cairn_real)0.25, true);
    draw(16u, 6u, 3u, 9, (cairn_real)0.125, 3u);
    golden("track-network-3d", (cairn_real)0.25, true);
    draw(16u, 0u, 3u, 9, (cairn_real)0.125, 3u);
    golden("track-network-3d-no-anchors", (cairn_real)0.25, true);
    return 0;
}
