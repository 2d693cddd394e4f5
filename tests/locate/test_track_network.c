/* SPDX-License-Identifier: MIT
 * Tests of whole networks that move: set after set, in slices, without anchors, refusals. */
#include "cairn/track_network.h"
#include "oracle/world.h"

enum { NODES = 14, SETS = 4 };

static cairn_word_t words[CAIRN_TRACK_NETWORK_WORDS(NODES, 2)];
static cairn_track_network_t track;
static const cairn_track_network_cfg_t cfg = {(cairn_real)0.2, 6};

static void move(uint32_t set)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 100u + set, 5u);
    for (uint32_t i = world.n_anchors * world.dim; i < world.n_nodes * world.dim; ++i) {
        world.truth[i] += (cairn_real)0.2 * random_normal(&rng);
    }
    world.seed = 200u + set;
    CHECK_EQ(cairn_network_clear_ranges(&world_net), CAIRN_OK);
    world_add_ranges();
}

/* All sets in slices of a budget; returns the hash of the places and the last error. */
static uint32_t run(uint32_t n_anchors, uint32_t budget, double *rmse_m)
{
    uint32_t n_placed = 0;
    world_draw(NODES, 4u, 2u, 6, (cairn_real)0.1, 3u);
    world.n_anchors = n_anchors;
    world_begin();
    world_add_anchors();
    for (uint32_t i = n_anchors; i < NODES; ++i) {
        CHECK_EQ(cairn_network_set_start(&world_net, i, world_truth(i)), CAIRN_OK);
    }
    CHECK_EQ(cairn_track_network_init(&track, &cfg, &world_net, words, sizeof words / sizeof words[0]), CAIRN_OK);
    for (uint32_t set = 0; set < SETS; ++set) {
        move(set);
        CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
        cairn_status status = CAIRN_MORE;
        while (status == CAIRN_MORE) {
            status = cairn_track_network_step(&track, budget);
        }
        CHECK(status >= 0);
    }
    *rmse_m = world_rmse(&n_placed);
    return world_hash();
}

TEST(test_network_should_be_followed_when_all_sensors_move)
{
    double rmse_m = 0.0;
    (void)run(4u, 100000u, &rmse_m);
    CHECK(rmse_m > 0.0 &&
          rmse_m < 0.4); /* four ranges or more of deviation .1 each, and loose nodes by their movement */
}

TEST(test_network_should_keep_its_frame_when_there_are_no_anchors)
{
    double rmse_m = 0.0;
    (void)run(0u, 100000u, &rmse_m);
    CHECK(rmse_m > 0.0 && rmse_m < 0.6);
}

TEST(test_track_network_should_give_the_same_bits_when_run_in_slices)
{
    double rmse_m = 0.0;
    const uint32_t whole = run(4u, 1000000u, &rmse_m);
    CHECK_EQ(run(4u, 1u, &rmse_m), whole);
    CHECK_EQ(run(4u, 137u, &rmse_m), whole);
}

TEST(test_network_should_refuse_when_settings_or_stage_are_wrong)
{
    cairn_track_network_cfg_t bad = cfg;
    double rmse_m = 0.0;
    (void)run(4u, 1000000u, &rmse_m);
    CHECK_EQ(cairn_track_network_step(&track, 1u), CAIRN_ERR_STATE);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_ERR_STATE);
    CHECK_EQ(cairn_track_network_begin(NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_track_network_step(NULL, 1u), CAIRN_ERR_ARG);
    const size_t n_words = sizeof words / sizeof words[0];
    CHECK_EQ(cairn_track_network_init(&track, &cfg, &world_net, words, n_words - 1u), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_track_network_init(&track, &cfg, &world_net, NULL, n_words), CAIRN_ERR_ARG);
    bad.motion_m = 0;
    CHECK_EQ(cairn_track_network_init(&track, &bad, &world_net, words, n_words), CAIRN_ERR_ARG);
    bad.motion_m = (cairn_real)NAN;
    CHECK_EQ(cairn_track_network_init(&track, &bad, &world_net, words, n_words), CAIRN_ERR_NONFINITE);
}

TEST_MAIN(TEST_CASE(test_network_should_be_followed_when_all_sensors_move),
          TEST_CASE(test_network_should_keep_its_frame_when_there_are_no_anchors),
          TEST_CASE(test_track_network_should_give_the_same_bits_when_run_in_slices),
          TEST_CASE(test_network_should_refuse_when_settings_or_stage_are_wrong))
