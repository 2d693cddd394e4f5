/* SPDX-License-Identifier: MIT
 * Lift from many random starts: every one ends in the cheapest map. */
#include "cairn/lift.h"
#include "oracle/world.h"

static cairn_lift_t job;

static cairn_status run(const cairn_lift_cfg_t *cfg)
{
    cairn_status status =
        cairn_lift_init(&job, cfg, &world_net, NULL, world_work, CAIRN_LIFT_WORDS(world.n_nodes, world.dim));
    CHECK_EQ(status, CAIRN_OK);
    do {
        status = cairn_lift_step(&job, 1000000u);
    } while (status == CAIRN_MORE);
    return status;
}

TEST(test_lift_should_find_the_same_map_when_a_hundred_starts_differ)
{
    for (uint32_t network = 1; network <= 5u; ++network) {
        double least = 1e30, most = 0.0;
        for (uint32_t seed = 1; seed <= 100u; ++seed) {
            cairn_lift_cfg_t cfg = cairn_lift_cfg_default;
            world_draw(22u, 4u, 2u, 20, 1, network);
            world_build();
            cfg.seed = seed;
            CHECK(run(&cfg) >= 0);
            double cost = (double)cairn_lift_get_cost(&job);
            least = cost < least ? cost : least;
            most = cost > most ? cost : most;
        }
        test_context("network", network);
        CHECK(most < least * 1.001);
    }
}

TEST(test_fault_3_lemmingapex_34_should_end_at_the_truth_when_a_hundred_starts_differ)
{
    static const cairn_real layout[8] = {0, 0, 10, 0, -7, (cairn_real)-4.2, 5, 5};
    for (uint32_t seed = 1; seed <= 100u; ++seed) {
        cairn_lift_cfg_t cfg = cairn_lift_cfg_default;
        world_draw(4u, 3u, 2u, 30, 0, 1u);
        memcpy(world.truth, layout, sizeof layout);
        world_build();
        cfg.seed = seed;
        test_context("seed", seed);
        CHECK_EQ(run(&cfg), CAIRN_OK);
        CHECK(world_error(3u) < (cairn_real)0.01);
    }
}

TEST_MAIN(TEST_CASE(test_lift_should_find_the_same_map_when_a_hundred_starts_differ),
          TEST_CASE(test_fault_3_lemmingapex_34_should_end_at_the_truth_when_a_hundred_starts_differ))
