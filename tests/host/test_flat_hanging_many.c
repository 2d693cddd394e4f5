/* SPDX-License-Identifier: MIT
 * Anchors on a line, the side of which is told, and a dense body that hangs on two sensors: the side tells nothing of its
 * mirror image in the line through these. */
#include "cairn/flat.h"

enum { ANCHORS = 6, HELD = 8, BODY = 60, FIRST_CUT = ANCHORS + 2, SECOND_CUT = ANCHORS + 5, SEEDS = 12 };

#define WORLD_NODES      74
#define WORLD_RANGES     2701
#define WORLD_REALS      148
#define WORLD_WORK_WORDS (CAIRN_FLAT_WORDS(WORLD_NODES, 2, ANCHORS) + COLD_CANARIES)
#include "oracle/cold.h"
#include "oracle/random.h"

static cairn_flat_t job;

static bool is_cut(uint32_t node) { return node == FIRST_CUT || node == SECOND_CUT; }

static void set_truth(uint32_t node, cairn_real x_m, cairn_real y_m)
{
    world.truth[2u * node] = x_m;
    world.truth[2u * node + 1u] = y_m;
}

static void build(uint32_t seed)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, 13);
    draw(WORLD_NODES, ANCHORS, 2u, 2, (cairn_real)0.0625, seed);
    for (uint32_t i = 0; i < WORLD_NODES; ++i) {
        if (i < ANCHORS) {
            set_truth(i, (cairn_real)i, 0);
        } else if (i < ANCHORS + HELD) {
            set_truth(i, (cairn_real)(i - ANCHORS) * 5 / 8 + random_between(&rng, 0, 1) / 4,
                      random_between(&rng, 1, 2) * 5 / 8);
        } else {
            set_truth(i, random_between(&rng, 6, 9), random_between(&rng, 1, 3));
        }
    }
    set_truth(FIRST_CUT, 5, 1);
    set_truth(SECOND_CUT, (cairn_real)6.5, 1);
    world_begin();
    world_add_anchors();
    for (uint32_t b = ANCHORS; b < WORLD_NODES; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            const bool across = b >= ANCHORS + HELD && a < ANCHORS + HELD && !is_cut(a);
            const cairn_real range_m = cairn_distance(world_truth(a), world_truth(b), 2u);
            if (range_m < world.radius && !across) {
                const cairn_real measured_m = range_m * (1 + random_between(&rng, -1, 1) / 16);
                CHECK_EQ(cairn_network_add_range(&world_net, a, b, measured_m, 0), CAIRN_OK);
            }
        }
    }
}

TEST(test_states_should_be_flip_possible_when_a_body_hangs_on_two_sensors_and_the_side_of_the_anchors_is_told)
{
    static const cairn_real side_m[2] = {2, 3};
    for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
        cairn_flat_cfg_t cfg = cairn_flat_cfg_default;
        cairn_status status = CAIRN_MORE;
        uint32_t n_placed = 0;
        test_context("seed", seed);
        build(seed);
        cfg.side_m = side_m;
        cfg.cold.push = 0; /* many pairs in range have none */
        REQUIRE(cairn_flat_init(&job, &cfg, &world_net, world_work, CAIRN_FLAT_WORDS(WORLD_NODES, 2, ANCHORS)) ==
                CAIRN_OK);
        while (status == CAIRN_MORE) {
            status = cairn_flat_step(&job, 100000u);
        }
        CHECK(status >= 0);
        for (uint32_t i = ANCHORS + HELD; i < WORLD_NODES; ++i) {
            n_placed += cairn_network_get_state(&world_net, i) == CAIRN_NODE_PLACED ? 1u : 0u;
        }
        CHECK_EQ(n_placed, 0);
    }
}

TEST_MAIN(
    TEST_CASE(test_states_should_be_flip_possible_when_a_body_hangs_on_two_sensors_and_the_side_of_the_anchors_is_told))
