/* SPDX-License-Identifier: MIT
 * Golden hashes of locate: places, deviations and states of whole networks, among them forty nodes on 16 KB of RAM. */
#include "oracle/world.h"

/* Locates the drawn world with a loss, from nothing or from starts, and prints the hash of what came out. */
static void golden(const char *name, const cairn_loss_t *loss, bool with_starts)
{
    cairn_locate_cfg_t cfg = cairn_locate_cfg_default;
    cfg.loss = loss;
    world_build();
    if (with_starts) {
        world_add_starts((cairn_real)0.5);
    }
    cairn_status status = world_locate(&cfg, 3000u);
    uint32_t hash = hash_u32(world_hash(), (uint32_t)(int32_t)status);
    hash = hash_u32(hash, cairn_locate_get_sweeps(&world_job));
    golden_line(name, hash_float(hash, (float)cairn_locate_get_cost(&world_job)));
}

int port_main(void)
{
    world_draw(16u, 4u, 2u, 6, (cairn_real)0.125, 1u);
    golden("locate-squared", NULL, false);
    golden("locate-absolute", &cairn_loss_absolute, false);
    golden("locate-huber", &cairn_loss_huber, false);
    golden("locate-redescend", &cairn_loss_redescend, false);
    golden("locate-started", NULL, true);
    world_draw(12u, 3u, 1u, 5, (cairn_real)0.125, 2u);
    golden("locate-1d", NULL, false);
    world_draw(16u, 6u, 3u, 9, (cairn_real)0.125, 3u);
    golden("locate-3d", NULL, false);
    world_draw(40u, 6u, 2u, (cairn_real)3.6, (cairn_real)0.125, 4u);
    golden("locate-forty", NULL, false);
    return 0;
}
