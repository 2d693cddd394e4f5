/* SPDX-License-Identifier: MIT
 * Golden hashes of the cold start: places, deviations and states of whole networks. */
#include "oracle/cold.h"

static void golden(const char *name, const cairn_loss_t *loss, bool with_starts)
{
    cold_cfg.locate.loss = loss;
    world_build();
    if (with_starts) {
        world_add_starts((cairn_real)0.5);
    }
    golden_line(name, cold_hash(cold_locate(&cold_cfg, 3000u)));
}

int port_main(void)
{
    draw(16u, 4u, 2u, 6, (cairn_real)0.125, 1u);
    golden("coldstart-squared", NULL, false);
    golden("coldstart-absolute", &cairn_loss_absolute, false);
    golden("coldstart-huber", &cairn_loss_huber, false);
    golden("coldstart-redescend", &cairn_loss_redescend, false);
    golden("coldstart-started", NULL, true);
    draw(12u, 3u, 1u, 5, (cairn_real)0.125, 2u);
    golden("coldstart-1d", NULL, false);
    draw(16u, 6u, 3u, 9, (cairn_real)0.125, 3u);
    golden("coldstart-3d", NULL, false);
    draw(24u, 0u, 2u, 5, (cairn_real)0.125, 3u);
    golden("coldstart-no-anchors", NULL, false);
    draw(40u, 6u, 2u, (cairn_real)3.6, (cairn_real)0.125, 4u);
    golden("coldstart-forty", NULL, false);
    return 0;
}
