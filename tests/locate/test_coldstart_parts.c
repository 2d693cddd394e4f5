/* SPDX-License-Identifier: MIT
 * Tests of the cold start: networks in parts, without anchors, of any lengths. */
#include "cairn/rigid.h"
#include "oracle/cold.h"

/* Parts; see test_jobs.c too */

TEST(test_coldstart_should_place_one_part_when_nothing_is_known_and_there_are_two)
{
    draw(12u, 0u, 2u, 15, 0, 1u);
    world_begin();
    world_add_two_parts(8u);
    CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
    cold_check_honest();
    world_check_unplaced_from(8u); /* the part of the node with most ranges is the map */
    CHECK_EQ(world_net.n_anchors, 0);
}

/* A chain of the nodes 4 .. n - 1, three metres a link, that no anchor hears; node 4 has a start. */
static void build_started_chain(bool chain)
{
    cairn_real start[2] = {100, 100};
    draw(24u, 4u, 2u, 4, 0, 1u);
    for (uint32_t i = 4u; i < 24u; ++i) {
        world.truth[2u * i] = 100 + 3 * (cairn_real)(i - 4u);
        world.truth[2u * i + 1u] = 100;
    }
    world_begin();
    world_add_anchors();
    CHECK_EQ(cairn_network_set_start(&world_net, 4u, start), CAIRN_OK);
    for (uint32_t i = 5u; i < 24u && chain; ++i) {
        CHECK_EQ(cairn_network_add_range(&world_net, i - 1u, i, 3, 0), CAIRN_OK);
    }
}

TEST(test_coldstart_should_not_pull_placed_nodes_to_nodes_without_a_place_when_a_chain_is_long)
{
    build_started_chain(true);
    cold_cfg.locate.start_std_m = 1;
    CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
    cold_check_honest();
    /* no link is longer than its range, to what the last step leaves at both ends */
    for (uint32_t i = 5u; i < 24u; ++i) {
        cairn_real a[2], b[2];
        test_context("node", i);
        REQUIRE(cairn_network_get_place(&world_net, i - 1u, a, NULL) == CAIRN_FLIP_POSSIBLE || i == 5u);
        REQUIRE(cairn_network_get_place(&world_net, i, b, NULL) == CAIRN_FLIP_POSSIBLE);
        CHECK(cairn_distance(a, b, 2u) < (cairn_real)(3.0 + 2.0 * STOP * 4.0));
    }
    CHECK(world_error(4u) < 1); /* where its start is */
}

/* No anchors */

/* Error of the map after the best rigid motion, reflection allowed. */
static double congruence(void)
{
    cairn_rigid_t motion;
    cairn_real rms = -1;
    CHECK(cairn_rigid_fit(&motion, world_place, world.truth, NULL, world.n_nodes, world.dim, true, &rms) >= 0);
    return (double)rms;
}

TEST(test_coldstart_should_give_a_congruent_map_when_nothing_is_known)
{
    static const struct {
        uint32_t n_nodes, dim;
        cairn_real radius;
    } cases[] = {{12, 1, 5}, {24, 2, 5}, {12, 2, 15}, {18, 3, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_context("case", (uint32_t)i);
        draw(cases[i].n_nodes, 0u, cases[i].dim, cases[i].radius, 0, 3u);
        world_build();
        CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
        cold_check_honest();
        CHECK(congruence() < STOP * (double)world.radius);
        CHECK_EQ(world_net.n_anchors, 0); /* landmarks were anchors for a while only */
        for (uint32_t k = 0; k < world.n_nodes; ++k) {
            CHECK(cairn_network_get_state(&world_net, k) != CAIRN_NODE_ANCHOR);
            CHECK(cairn_network_get_state(&world_net, k) != CAIRN_NODE_UNPLACED);
        }
    }
}

/* Everybody without a place, nothing left of the landmarks. */
static void check_nobody(void)
{
    CHECK_EQ(cold_locate(&cold_cfg, 1000u), CAIRN_NOT_CONVERGED);
    CHECK(cairn_coldstart_get_progress(&cold_job) == 1);
    CHECK_EQ(world_net.n_anchors, 0);
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        test_context("node", i);
        CHECK_EQ(cairn_network_get_state(&world_net, i), CAIRN_NODE_UNPLACED);
    }
}

TEST(test_coldstart_should_place_nobody_when_nothing_is_known_and_the_network_spans_too_little)
{
    draw(12u, 0u, 2u, 4, 0, 1u);
    world_begin(); /* a pair */
    CHECK_EQ(cairn_network_add_range(&world_net, 0u, 1u, 3, 0), CAIRN_OK);
    check_nobody();
    world_begin(); /* a chain: its paths lie on a line */
    for (uint32_t i = 1; i < 6u; ++i) {
        CHECK_EQ(cairn_network_add_range(&world_net, i - 1u, i, 3, 0), CAIRN_OK);
    }
    check_nobody();
}

TEST(test_coldstart_should_end_when_nothing_is_known_and_ranges_are_as_long_as_is_allowed)
{
    draw(12u, 0u, 2u, 0, 0, 1u);
    world_begin();
    for (uint32_t b = 1; b < 12u; ++b) { /* a mesh some ten ranges long: too far out for places */
        CHECK_EQ(cairn_network_add_range(&world_net, b - 1u, b, CAIRN_NETWORK_LENGTH_MOST, 0), CAIRN_OK);
        if (b > 1u) {
            CHECK_EQ(cairn_network_add_range(&world_net, b - 2u, b, CAIRN_NETWORK_LENGTH_MOST, 0), CAIRN_OK);
        }
    }
    check_nobody();
}

/* fault: a call that does not return. Chains of ranges that join a part to the rest exchange their ends where they cross;
 * here some of their nodes then follow one another in a ring, which no end leads to. */
TEST(test_coldstart_should_end_when_chains_that_cross_leave_a_ring)
{
    static const struct {
        uint32_t seed;
        cairn_real radius;
    } cases[] = {{459, (cairn_real)2.25}, {832, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_context("case", (uint32_t)i);
        draw(40u, 4u, 2u, cases[i].radius, (cairn_real)0.1, cases[i].seed);
        world_build();
        CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
        cold_check_honest();
    }
}

/* Anything */

/* A length of any size that is allowed: mostly metres, else 1e-9 to 1e9. */
static cairn_real draw_length(cairn_rng_t *rng)
{
    cairn_real length = 10 * (1 - cairn_rng_uniform(rng));
    if (cairn_rng_below(rng, 3u) == 0) {
        length = CAIRN_NETWORK_LENGTH_LEAST;
        for (uint32_t tens = cairn_rng_below(rng, 18u); tens > 0; --tens) {
            length *= 10;
        }
    }
    return cairn_max(length, CAIRN_NETWORK_LENGTH_LEAST);
}

/* A network whose lengths have nothing to do with each other. */
static void draw_nonsense(cairn_rng_t *rng)
{
    static const cairn_loss_t *const losses[] = {NULL, &cairn_loss_absolute, &cairn_loss_huber, &cairn_loss_redescend};
    const bool unknown = cairn_rng_below(rng, 4u) == 0;
    draw(3u + cairn_rng_below(rng, 9u), 0, 1u + cairn_rng_below(rng, WORLD_DIM), 0, 0, 1u);
    world.cfg.noise_abs_m = cairn_rng_below(rng, 2u) == 0 ? 0 : draw_length(rng);
    cold_cfg.locate.loss = losses[cairn_rng_below(rng, 4u)];
    cold_cfg.locate.start_std_m = cairn_rng_below(rng, 2u) == 0 ? 0 : draw_length(rng);
    cold_cfg.locate.radio_range_m = cairn_rng_below(rng, 2u) == 0 ? 0 : draw_length(rng);
    world_begin();
    for (uint32_t n = cairn_rng_below(rng, 40u); n > 0; --n) {
        const uint32_t a = cairn_rng_below(rng, world.n_nodes);
        const uint32_t b = cairn_rng_below(rng, world.n_nodes);
        const cairn_real std = cairn_rng_below(rng, 2u) == 0 ? 0 : draw_length(rng);
        CHECK_EQ(cairn_network_add_range(&world_net, a, b, draw_length(rng), std), a == b ? CAIRN_ERR_SELF : CAIRN_OK);
    }
    for (uint32_t i = 0; i < world.n_nodes && !unknown; ++i) {
        const uint32_t kind = i <= world.dim ? 0 : cairn_rng_below(rng, 4u);
        cairn_real place[WORLD_DIM];
        for (uint32_t k = 0; k < world.dim; ++k) {
            place[k] = cairn_rng_below(rng, 2u) == 0 ? draw_length(rng) : -draw_length(rng);
        }
        if (kind < 2u) {
            CHECK_EQ((kind == 0 ? cairn_network_set_anchor : cairn_network_set_start)(&world_net, i, place), CAIRN_OK);
        }
    }
}

/* On a line, millimetres of a declared noise of 1e9 m, and a start without a range. */
TEST(test_deviations_should_be_finite_when_the_declared_noise_is_as_large_as_is_allowed)
{
    const cairn_real start_m = (cairn_real)0.00813;
    cairn_real place_m;
    cairn_real std_m = -1;
    draw(6u, 0, 1u, 0, 0, 1u);
    world.cfg.noise_abs_m = CAIRN_NETWORK_LENGTH_MOST;
    cold_cfg.push = 0;
    cold_cfg.locate.radio_range_m = (cairn_real)0.00303;
    world_begin();
    for (uint32_t i = 0; i < 5u; ++i) {
        const cairn_real anchor_m = (cairn_real)0.00313 + (cairn_real)0.0003 * (cairn_real)i;
        CHECK_EQ(cairn_network_set_anchor(&world_net, i, &anchor_m), CAIRN_OK);
    }
    CHECK_EQ(cairn_network_set_start(&world_net, 5u, &start_m), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&world_net, 1u, 4u, (cairn_real)0.00045, (cairn_real)7e-8), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&world_net, 3u, 4u, (cairn_real)0.00051, 0), CAIRN_OK);
    CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
    CHECK(cairn_network_get_place(&world_net, 5u, &place_m, &std_m) >= 0);
    CHECK(cairn_isfinite(std_m) && std_m > 0);
}

TEST(test_coldstart_should_stay_finite_when_lengths_are_as_extreme_as_is_allowed)
{
    cairn_rng_t rng;
    uint32_t n_located = 0;
    cairn_rng_init(&rng, 22u, 1u);
    for (uint32_t i = 0; i < TEST_SEEDS(200u); ++i) {
        test_context("network", i);
        draw_nonsense(&rng);
        if (cold_locate(&cold_cfg, 1000u) >= 0) {
            cold_check_honest();
            ++n_located;
        }
    }
    CHECK(n_located >= TEST_SEEDS(200u) / 4u);
}

TEST_MAIN(TEST_CASE(test_coldstart_should_place_one_part_when_nothing_is_known_and_there_are_two),
          TEST_CASE(test_coldstart_should_not_pull_placed_nodes_to_nodes_without_a_place_when_a_chain_is_long),
          TEST_CASE(test_coldstart_should_give_a_congruent_map_when_nothing_is_known),
          TEST_CASE(test_coldstart_should_place_nobody_when_nothing_is_known_and_the_network_spans_too_little),
          TEST_CASE(test_coldstart_should_end_when_chains_that_cross_leave_a_ring),
          TEST_CASE(test_coldstart_should_end_when_nothing_is_known_and_ranges_are_as_long_as_is_allowed),
          TEST_CASE(test_deviations_should_be_finite_when_the_declared_noise_is_as_large_as_is_allowed),
          TEST_CASE(test_coldstart_should_stay_finite_when_lengths_are_as_extreme_as_is_allowed))
