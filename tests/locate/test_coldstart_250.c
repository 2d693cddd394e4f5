/* SPDX-License-Identifier: MIT
 * The cold start of 250 nodes in the memory of a gateway; needs ram: 65536 bytes. */
#define WORLD_NODES      250
#define WORLD_RANGES     1400
#define WORLD_REALS      500
#define WORLD_WORK_WORDS (CAIRN_COLDSTART_WORDS(WORLD_NODES, 2, 0) + COLD_CANARIES)
#include "oracle/cold.h"

/* What a gateway of 64 KB holds: the job and its work, the network and its arrays, and 8 KB for everything else. */
enum { BYTES_NETWORK = CAIRN_NETWORK_BYTES(WORLD_NODES, WORLD_RANGES, 2), BYTES_64K = 65536 };

TEST(test_coldstart_should_reach_the_accuracy_of_the_ranges_when_250_nodes_are_on_64_kb)
{
    uint32_t n_placed = 0;
    if (sizeof(cairn_real) == 4u) {
        CHECK(BYTES_NETWORK + sizeof world_net + sizeof cold_job + 4u * CAIRN_COLDSTART_WORDS(WORLD_NODES, 2, 0) +
                  8192u <=
              BYTES_64K);
    }
    draw(250u, 10u, 2u, (cairn_real)1.25, (cairn_real)0.05, 1u);
    world_build();
    CHECK_EQ(world_net.counters.n_full, 0);
    CHECK(cold_locate(&cold_cfg, 20000u) >= 0);
    cold_check_honest();
    /* Eight neighbours at known places, as at the rim, leave a variance of 4/8 of the noise's; that they are as uncertain
     * themselves doubles it, and the soft waves of a map make that .75 log(nodes / anchors) = 2.4 times as much. */
    CHECK(world_rmse(&n_placed) < 0.05 * oracle_sqrt(2.4));
    CHECK(n_placed >= 192u); /* eight of ten */
}

TEST_MAIN(TEST_CASE(test_coldstart_should_reach_the_accuracy_of_the_ranges_when_250_nodes_are_on_64_kb))
