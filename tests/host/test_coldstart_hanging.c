/* SPDX-License-Identifier: MIT
 * Cold starts of dense bodies that hang on two anchors: too large for a repair to turn, so that only the states can tell that
 * the mirror image would fit as well. */
#define WORLD_NODES      72
#define WORLD_RANGES     2556
#define WORLD_REALS      144
#define WORLD_WORK_WORDS (CAIRN_COLDSTART_WORDS(WORLD_NODES, 2, 0) + COLD_CANARIES)
#include "oracle/cold.h"
#include "oracle/random.h"

enum { HELD = 8, BODY = WORLD_NODES - 4 - HELD, SEEDS = 12 };

/* Four anchors; eight sensors below the line between the first two, which hear them all; a body above it that hears only
 * these two. */
static void build(uint32_t seed)
{
    static const cairn_real anchors[4][2] = {{0, 0}, {10, 0}, {(cairn_real)1.5, -8}, {9, -7}};
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, 9);
    draw(WORLD_NODES, 4u, 2u, 10, (cairn_real)0.0625, seed);
    cold_cfg.push = 0; /* many pairs in range have none */
    memcpy(world.truth, anchors, sizeof anchors);
    for (uint32_t i = 4u; i < WORLD_NODES; ++i) {
        world.truth[2u * i] = random_between(&rng, 0, 10);
        world.truth[2u * i + 1u] = i < 4u + HELD ? random_between(&rng, -8, 0) : random_between(&rng, 1, 9);
    }
    world_begin();
    world_add_anchors();
    for (uint32_t b = 4u; b < WORLD_NODES; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            const bool across = b >= 4u + HELD && a >= 2u && a < 4u + HELD;
            const cairn_real range_m = cairn_distance(world_truth(a), world_truth(b), 2u);
            if (range_m < world.radius && !across) {
                const cairn_real measured_m = range_m * (1 + random_between(&rng, -1, 1) / 64);
                CHECK_EQ(cairn_network_add_range(&world_net, a, b, measured_m, 0), CAIRN_OK);
            }
        }
    }
}

TEST(test_states_should_be_flip_possible_when_a_large_body_hangs_on_two_anchors)
{
    for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
        uint32_t n_placed = 0;
        test_context("seed", seed);
        build(seed);
        CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
        for (uint32_t i = WORLD_NODES - BODY; i < WORLD_NODES; ++i) {
            n_placed += cairn_network_get_state(&world_net, i) == CAIRN_NODE_PLACED ? 1u : 0u;
        }
        CHECK_EQ(n_placed, 0);
    }
}

TEST_MAIN(TEST_CASE(test_states_should_be_flip_possible_when_a_large_body_hangs_on_two_anchors))
