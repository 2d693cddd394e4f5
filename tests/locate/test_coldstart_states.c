/* SPDX-License-Identifier: MIT
 * Tests of what a cold start says of itself: deviations beside the exact covariance, parts that hang on too few nodes.
 * Exact covariances are large: needs ram: 32768 */
#include "locate/coldstart_internal.h"
#include "oracle/cold.h"

enum { SENSORS = 8, UNKNOWNS = 2 * SENSORS, PROBES = 4, SEEDS = TEST_SEEDS(10) };

static double information[UNKNOWNS][UNKNOWNS];
static double covariance[UNKNOWNS][UNKNOWNS];

/* Add weight u u^T at and between the sensors of a pair of nodes. */
static void add_pair(uint32_t a, uint32_t b, double weight)
{
    double unit[2];
    double distance = 0;
    for (uint32_t k = 0; k < 2u; ++k) {
        unit[k] = (double)world_place[2u * a + k] - (double)world_place[2u * b + k];
        distance += unit[k] * unit[k];
    }
    distance = oracle_sqrt(distance);
    for (uint32_t i = 0; i < 4u; ++i) {
        for (uint32_t j = 0; j < 4u; ++j) {
            const uint32_t node_i = i < 2u ? a : b;
            const uint32_t node_j = j < 2u ? a : b;
            const double share = weight * unit[i % 2u] * unit[j % 2u] / (distance * distance);
            if (node_i >= world.n_anchors && node_j >= world.n_anchors) {
                information[2u * (node_i - world.n_anchors) + i % 2u][2u * (node_j - world.n_anchors) + j % 2u] +=
                    node_i == node_j ? share : -share;
            }
        }
    }
}

/* Gauss-Jordan without pivots: the matrix is positive definite. */
static void invert(void)
{
    for (uint32_t i = 0; i < UNKNOWNS; ++i) {
        for (uint32_t j = 0; j < UNKNOWNS; ++j) {
            covariance[i][j] = i == j;
        }
    }
    for (uint32_t k = 0; k < UNKNOWNS; ++k) {
        const double pivot = information[k][k];
        for (uint32_t j = 0; j < UNKNOWNS; ++j) {
            information[k][j] /= pivot;
            covariance[k][j] /= pivot;
        }
        for (uint32_t i = 0; i < UNKNOWNS; ++i) {
            const double factor = i == k ? 0 : information[i][k];
            for (uint32_t j = 0; j < UNKNOWNS; ++j) {
                information[i][j] -= factor * information[k][j];
                covariance[i][j] -= factor * covariance[k][j];
            }
        }
    }
}

/* The exact covariance of the linearised map: ranges of one deviation, and the weak pull of two radio ranges. */
static void find_covariance(double std_m)
{
    const double prior_m = 2.0 * (double)world.radius;
    memset(information, 0, sizeof information);
    for (uint32_t i = 0; i < UNKNOWNS; ++i) {
        information[i][i] = 1 / (prior_m * prior_m);
    }
    for (uint32_t b = world.n_anchors; b < world.n_nodes; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            if (cairn_distance(world_truth(a), world_truth(b), 2u) < world.radius) {
                add_pair(a, b, 1 / (std_m * std_m));
            }
        }
    }
    invert();
}

/* The sum of what the probes find has mean tr C and variance <= 2 tr C^2 / PROBES. */
TEST(test_deviations_should_be_those_of_the_exact_covariance_when_probed)
{
    double found = 0;
    double exact = 0;
    double variance = 0;
    for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
        draw_small((cairn_real)0.05, seed);
        world_begin();
        world_add_anchors();
        world_add_ranges();
        CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
        find_covariance(0.05);
        for (uint32_t i = 0; i < UNKNOWNS; ++i) {
            exact += covariance[i][i];
            for (uint32_t j = 0; j < UNKNOWNS; ++j) {
                variance += 2 * covariance[i][j] * covariance[j][i] / PROBES;
            }
        }
        for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
            found += 2 * (double)world_std[i] * (double)world_std[i];
        }
    }
    CHECK_NEAR(found, exact, 4 * oracle_sqrt(variance));
}

TEST(test_states_should_be_flip_possible_when_a_part_hangs_on_two_nodes)
{
    cold_build_clump(false);
    CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
    for (uint32_t i = 5u; i < 10u; ++i) {
        CHECK_EQ(cairn_network_get_state(&world_net, i), CAIRN_NODE_FLIP_POSSIBLE);
    }
}

TEST(test_states_should_be_placed_when_a_part_hangs_on_three_nodes)
{
    cold_build_clump(true);
    CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
    for (uint32_t i = 5u; i < 10u; ++i) {
        CHECK_EQ(cairn_network_get_state(&world_net, i), CAIRN_NODE_PLACED);
        CHECK(world_error(i) < 1);
    }
}

/* A finished map, its states found again with these costs of nodes left and right of the middle. */
static void find_states(cairn_real left, cairn_real right)
{
    cairn_coldstart_enter(&cold_job, CAIRN_COLDSTART_STATES);
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        world_flags[i] = i < world.n_anchors ? CAIRN_NODE_ANCHOR : CAIRN_NODE_PLACED;
    }
    do {
        for (uint32_t i = 0; i < world.n_nodes; ++i) {
            coldstart_costs(&cold_job)[i].real = world_truth(i)[0] < 5 ? left : right;
        }
    } while (cairn_coldstart_step(&cold_job, 1u) == CAIRN_MORE);
}

/* Costs below those of a node that does not fit by itself. */
TEST(test_states_should_name_a_region_when_it_fits_worse_than_the_rest_of_the_map)
{
    static uint8_t fitting[WORLD_NODES];
    uint32_t n_named = 0;
    draw(40u, 6u, 2u, (cairn_real)2.75, (cairn_real)0.0625, 4u);
    world_build();
    REQUIRE(cold_locate(&cold_cfg, 1000u) >= 0);
    find_states((cairn_real)0.5, (cairn_real)0.5);
    memcpy(fitting, world_flags, sizeof fitting);
    find_states(2, 2); /* all ranges are worse than declared */
    CHECK(memcmp(fitting, world_flags, sizeof fitting) == 0);
    find_states(2, (cairn_real)0.25);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        test_context("node", i);
        n_named += fitting[i] == CAIRN_NODE_PLACED && world_flags[i] == CAIRN_NODE_FLIP_POSSIBLE ? 1u : 0u;
        CHECK(world_truth(i)[0] > 2 || world_flags[i] == CAIRN_NODE_FLIP_POSSIBLE);
        CHECK(world_truth(i)[0] < 8 || world_flags[i] == fitting[i]);
    }
    CHECK(n_named >= 4u);
}

/* dim anchors at height 0, sensors above, all within reach of all; the first n_started of these have starts. */
static void build_on_anchors(uint32_t dim, uint32_t n_started, cairn_real start_std_m, uint32_t seed)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, dim);
    draw(dim + 13u, dim, dim, 15, (cairn_real)0.03125, seed);
    cold_cfg.locate.start_std_m = start_std_m;
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        world.truth[dim * i + dim - 1u] = i < dim ? 0 : random_between(&rng, 3, 8);
    }
    world_begin();
    world_add_anchors();
    world_add_ranges();
    for (uint32_t i = dim; i < dim + n_started; ++i) {
        CHECK_EQ(cairn_network_set_start(&world_net, i, world_truth(i)), CAIRN_OK);
    }
    CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
}

static uint32_t count_placed(void)
{
    uint32_t n_placed = 0;
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        n_placed += cairn_network_get_state(&world_net, i) == CAIRN_NODE_PLACED ? 1u : 0u;
    }
    return n_placed;
}

/* Now and then such a map settles mirrored, or a sensor's own mirror image fits as well. */
TEST(test_states_should_be_placed_when_starts_tell_the_side_of_dim_anchors)
{
    for (uint32_t dim = 2; dim <= 3u; ++dim) {
        uint32_t n_placed = 0;
        for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
            build_on_anchors(dim, 13u, 8, seed);
            n_placed += count_placed();
        }
        test_context("dim", dim);
        CHECK(n_placed > SEEDS * 13u * 3u / 4u);
    }
}

static void check_nobody_placed(uint32_t n_started, cairn_real start_std_m)
{
    for (uint32_t dim = 2; dim <= 3u; ++dim) {
        for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
            test_context("seed", seed);
            build_on_anchors(dim, n_started, start_std_m, seed);
            CHECK_EQ(count_placed(), 0);
        }
    }
}

TEST(test_states_should_be_flip_possible_when_starts_are_too_vague_to_tell_the_side_of_dim_anchors)
{
    check_nobody_placed(13u, 40);
}

TEST(test_states_should_be_flip_possible_when_one_vague_start_is_all_that_tells_the_side_of_dim_anchors)
{
    check_nobody_placed(1u, 8);
}

TEST_MAIN(TEST_CASE(test_deviations_should_be_those_of_the_exact_covariance_when_probed),
          TEST_CASE(test_states_should_be_flip_possible_when_a_part_hangs_on_two_nodes),
          TEST_CASE(test_states_should_be_placed_when_a_part_hangs_on_three_nodes),
          TEST_CASE(test_states_should_name_a_region_when_it_fits_worse_than_the_rest_of_the_map),
          TEST_CASE(test_states_should_be_placed_when_starts_tell_the_side_of_dim_anchors),
          TEST_CASE(test_states_should_be_flip_possible_when_starts_are_too_vague_to_tell_the_side_of_dim_anchors),
          TEST_CASE(test_states_should_be_flip_possible_when_one_vague_start_is_all_that_tells_the_side_of_dim_anchors))
