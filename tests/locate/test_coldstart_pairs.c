/* SPDX-License-Identifier: MIT
 * Tests of the cold start's list of unmeasured pairs, when there are more of them than it holds. */
#include "locate/coldstart_internal.h"
#include "oracle/cold.h"

#define EVER 1000000

static uint32_t n_listed;
static uint8_t listed[WORLD_NODES][WORLD_NODES / 8]; /* a bit a pair, under its lower node */

/* List the pairs of the present places. */
static void list_pairs(void)
{
    int32_t operations = EVER;
    n_listed = 0;
    memset(listed, 0, sizeof listed);
    cairn_coldstart_grid_begin(&cold_job);
    REQUIRE(cairn_coldstart_grid_fill(&cold_job, &operations));
    cairn_coldstart_pairs_begin(&cold_job);
    while (!cairn_coldstart_list_pairs(&cold_job, &operations)) {
        REQUIRE(operations > 0);
    }
    cold_job.row = 0;
    for (uint32_t word = 0; word < cold_job.pair_words; ++word) {
        const uint32_t code = coldstart_pairs(&cold_job)[word].index;
        const uint32_t other = code & LINK_NODE_MASK;
        cold_job.row += code >> PAIR_ADVANCE_SHIFT;
        const uint32_t low = cold_job.row < other ? cold_job.row : other;
        const uint32_t high = cold_job.row < other ? other : cold_job.row;
        listed[low][high / 8u] = (uint8_t)(listed[low][high / 8u] | 1u << high % 8u);
        ++n_listed;
    }
}

static void begin_global(void)
{
    REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
    while (cold_job.stage < CAIRN_COLDSTART_GLOBAL) {
        REQUIRE(cairn_coldstart_step(&cold_job, 1u) == CAIRN_MORE);
    }
}

/* Forty nodes, in a chain of ranges: most pairs have none. */
static void begin_chain(void)
{
    draw(40u, 4u, 2u, 8, 0, 1u);
    world_begin();
    world_add_anchors();
    for (uint32_t i = 1; i < world.n_nodes; ++i) {
        REQUIRE(cairn_network_add_range(&world_net, i - 1u, i, 1, 0) == CAIRN_OK);
    }
    begin_global();
}

/* A crumpled map, so that the list is thinned; the last node is what the corner of the grid depends on. */
TEST(test_thinned_list_should_keep_the_same_pairs_when_the_grid_shifts)
{
    static uint8_t first[WORLD_NODES][WORLD_NODES / 8];
    begin_chain();
    for (uint32_t i = 0; i + 1u < world.n_nodes; ++i) {
        world_place[2u * i] = (cairn_real)0.3 * (cairn_real)i;
        world_place[2u * i + 1u] = (cairn_real)(i * 7u % 13u);
    }
    for (uint32_t shift = 0; shift < 8u; ++shift) {
        world_place[2u * (world.n_nodes - 1u)] = -30 - (cairn_real)1.1 * (cairn_real)shift;
        world_place[2u * (world.n_nodes - 1u) + 1u] = -3 - (cairn_real)0.7 * (cairn_real)shift;
        test_context("shift", shift);
        list_pairs();
        CHECK(n_listed > world.n_nodes / 2u);
        CHECK(cold_job.pair_share < COLDSTART_SHARE_ALL);
        if (shift == 0) {
            memcpy(first, listed, sizeof first);
        }
        CHECK(memcmp(first, listed, sizeof first) == 0);
    }
}

TEST(test_list_should_be_whole_again_when_a_stage_begins_after_one_that_thinned_it)
{
    draw(40u, 4u, 2u, 6, 0, 1u);
    world_build();
    begin_global();
    cold_job.pair_share = COLDSTART_SHARE_ALL / 4u;
    while (cold_job.stage != CAIRN_COLDSTART_FINAL || cold_job.phase <= PHASE_PAIRS) {
        REQUIRE(cairn_coldstart_step(&cold_job, 1u) == CAIRN_MORE);
    }
    CHECK(cold_job.n_pairs <= coldstart_pairs_max(&cold_job));
    CHECK_EQ(cold_job.pair_share, COLDSTART_SHARE_ALL);
}

/* Starts so wrong that a step of Newton leads to more walls than the list holds: it is given up, as its cost cannot be told. */
TEST(test_list_should_stay_whole_when_a_step_of_newton_meets_too_many_walls)
{
    bool given_up = false;
    for (uint32_t i = 0; i < TEST_SEEDS(2u); ++i) {
        const uint32_t seed = i == 0 ? 1118u : 1141u; /* their lists are too long, in float and in double */
        uint32_t share = 0;
        draw(40u, 4u, 2u, (cairn_real)2.5, (cairn_real)0.1, seed);
        world_begin();
        world_add_anchors();
        world_add_ranges();
        world_add_starts(1);
        cold_cfg.locate.radio_range_m = (cairn_real)3.5;
        cold_cfg.locate.start_std_m = 1;
        cold_cfg.fine = 1;
        test_context("seed", seed);
        REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
        while (cairn_coldstart_step(&cold_job, 1u) == CAIRN_MORE) {
            const bool kept = cold_job.phase > PHASE_UNDO && !cold_job.again;
            share = cold_job.newton && share > 0 ? share : cold_job.pair_share;
            CHECK(!cold_job.newton || !kept || cold_job.pair_share == share);
            given_up = given_up || (cold_job.newton && cold_job.pair_share < share);
        }
    }
    CHECK(given_up);
}

TEST_MAIN(TEST_CASE(test_thinned_list_should_keep_the_same_pairs_when_the_grid_shifts),
          TEST_CASE(test_list_should_stay_whole_when_a_step_of_newton_meets_too_many_walls),
          TEST_CASE(test_list_should_be_whole_again_when_a_stage_begins_after_one_that_thinned_it))
