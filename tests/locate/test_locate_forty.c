/* SPDX-License-Identifier: MIT
 * Forty nodes and up to 250 ranges in the memory of the smallest board; golden_locate hashes the same network. */
#include "oracle/world.h"

TEST(test_locate_should_place_forty_nodes_to_the_accuracy_of_their_ranges_when_on_16_kb)
{
    uint32_t n_placed = 0;
    world_draw(40u, 6u, 2u, (cairn_real)3.6, (cairn_real)0.125, 4u);
    world_build();
    CHECK(world_net.n_ranges > 200u && world_net.n_ranges <= WORLD_RANGES);
    CHECK_EQ(world_net.counters.n_full, 0);
    CHECK(world_locate(&cairn_locate_cfg_default, 1000u) >= 0);
    /* 34 sensors, 10 or more neighbours each: better than a range, at least than its deviation times sqrt(2) */
    double rmse = world_rmse(&n_placed);
    CHECK(n_placed >= 30u);
    CHECK(rmse < 0.125 * 1.4143);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) { /* ten deviations would be a fold */
        test_context("node", i);
        CHECK(world_error(i) < (cairn_real)1.25 || cairn_network_get_state(&world_net, i) != CAIRN_NODE_PLACED);
    }
    print_text("forty ");
    print_hex(world_hash());
    print_text("\n");
}

TEST_MAIN(TEST_CASE(test_locate_should_place_forty_nodes_to_the_accuracy_of_their_ranges_when_on_16_kb))
