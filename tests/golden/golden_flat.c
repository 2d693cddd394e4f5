/* SPDX-License-Identifier: MIT
 * Golden hashes of cold starts with anchors in one plane, with a side and without. */
#include "cairn/flat.h"

#define WORLD_NODES      22
#define WORLD_RANGES     225
#define WORLD_REALS      66
#define WORLD_WORK_WORDS CAIRN_FLAT_WORDS(WORLD_NODES, 3, 6)
#include "oracle/cold.h"

static void golden(const char *name, const cairn_real *side_m)
{
    static cairn_flat_cfg_t cfg;
    static cairn_flat_t job;
    cairn_status status;
    uint32_t hash;
    cfg.cold = cold_cfg;
    cfg.side_m = side_m;
    world_build();
    status = cairn_flat_init(&job, &cfg, &world_net, world_work, WORLD_WORK_WORDS);
    if (status == CAIRN_OK) {
        do {
            status = cairn_flat_step(&job, 3000u);
        } while (status == CAIRN_MORE);
    }
    hash = hash_u32(world_hash(), (uint32_t)(int32_t)status);
    hash = hash_u32(hash, cairn_coldstart_get_iterations(cairn_flat_get_cold(&job)));
    golden_line(name, hash_float(hash, (float)cairn_coldstart_get_cost(cairn_flat_get_cold(&job))));
}

int port_main(void)
{
    static const cairn_real side[3] = {0, 0, 0};
    draw(22u, 6u, 3u, 10, (cairn_real)0.125, 3u);
    for (uint32_t i = 0; i < world.n_anchors; ++i) {
        world.truth[3u * i + 2u] = (cairn_real)9.5;
    }
    golden("flat-side", side);
    golden("flat-unresolved", NULL);
    return 0;
}
