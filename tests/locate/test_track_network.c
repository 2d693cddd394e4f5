/* SPDX-License-Identifier: MIT
 * Tests of whole networks that move: set after set, in slices, without anchors, wide movements, refusals. */
#include "cairn/rigid.h"
#include "cairn/track_network.h"
#include "oracle/world.h"

enum { NODES = 14, SETS = 4, MANY_NODES = 24 };

static cairn_word_t words[CAIRN_TRACK_NETWORK_WORDS(MANY_NODES, 2)];
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

/* Sensors that start at the truth. */
static void begin(const cairn_track_network_cfg_t *settings, uint32_t n_nodes, uint32_t n_anchors, cairn_real radius_m)
{
    world_draw(n_nodes, 4u, 2u, radius_m, (cairn_real)0.1, 3u);
    world.n_anchors = n_anchors;
    world_begin();
    world_add_anchors();
    for (uint32_t i = n_anchors; i < n_nodes; ++i) {
        CHECK_EQ(cairn_network_set_start(&world_net, i, world_truth(i)), CAIRN_OK);
    }
    CHECK_EQ(cairn_track_network_init(&track, settings, &world_net, words, sizeof words / sizeof words[0]), CAIRN_OK);
}

static void follow(uint32_t set, uint32_t budget)
{
    move(set);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        status = cairn_track_network_step(&track, budget);
    }
    CHECK(status >= 0);
}

/* All sets in slices of a budget; returns the hash of the places and the last error. */
static uint32_t run(uint32_t n_anchors, uint32_t budget, double *rmse_m)
{
    uint32_t n_placed = 0;
    begin(&cfg, NODES, n_anchors, 6);
    for (uint32_t set = 0; set < SETS; ++set) {
        follow(set, budget);
    }
    *rmse_m = world_rmse(&n_placed);
    return world_hash();
}

static void get_places(cairn_real *place_m)
{
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        const cairn_status status = cairn_network_get_place(&world_net, i, place_m + 2u * i, NULL);
        CHECK(status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE);
    }
}

TEST(test_network_should_be_followed_when_all_sensors_move)
{
    double rmse_m = 0.0;
    (void)run(4u, 100000u, &rmse_m);
    CHECK(rmse_m > 0.0 &&
          rmse_m < 0.4); /* four ranges or more of deviation .1 each, and loose nodes by their movement */
}

/* No range tells where the map lies as a whole: the priors hold it, so that its sensors move by 0 on average and do not
 * turn. The truth drifts from that by the mean of the movements only. */
TEST(test_network_should_keep_its_frame_when_there_are_no_anchors)
{
    cairn_real before_m[2 * MANY_NODES], after_m[2 * MANY_NODES];
    const uint32_t n_sets = TEST_SEEDS(20u);
    const cairn_real drift_m = 3 * cfg.motion_m * cairn_sqrt((cairn_real)n_sets / MANY_NODES); /* 3 deviations */
    cairn_rigid_t motion;
    cairn_real rms_m = 1;
    begin(&cfg, MANY_NODES, 0u, 6);
    for (uint32_t set = 0; set < n_sets; ++set) {
        memcpy(before_m, world.truth, sizeof before_m);
        if (set > 0) {
            get_places(before_m);
        }
        follow(set, 100000u);
        get_places(after_m);
        CHECK_EQ(cairn_rigid_fit(&motion, before_m, after_m, NULL, MANY_NODES, 2, true, NULL), CAIRN_OK);
        CHECK(!motion.mirrored);
        CHECK_NEAR(motion.to[0], motion.from[0], 0.005);
        CHECK_NEAR(motion.to[1], motion.from[1], 0.005);
        CHECK_NEAR(motion.turn[1], 0, 0.005);
    }
    CHECK_EQ(cairn_rigid_fit(&motion, after_m, world.truth, NULL, MANY_NODES, 2, true, &rms_m), CAIRN_OK);
    CHECK(rms_m < 0.1f); /* the deviation of a range, of which a sensor has nine or more */
    CHECK(!motion.mirrored);
    CHECK_NEAR(motion.to[0], motion.from[0], (double)drift_m);
    CHECK_NEAR(motion.to[1], motion.from[1], (double)drift_m);
    CHECK_NEAR(motion.turn[1], 0, (double)drift_m / 3); /* the sensors are 3 m and more from their centre */
}

/* Too few anchors for a map of their own: it begins at the last places, however far the sensors may have gone. */
TEST(test_network_should_be_followed_when_anchors_are_few_and_the_movement_may_be_wide)
{
    const cairn_track_network_cfg_t wide = {9, 5};
    for (uint32_t n_anchors = 0; n_anchors < 3u; n_anchors += 2u) {
        cairn_real place_m[2 * MANY_NODES];
        cairn_rigid_t motion;
        cairn_real rms_m = 1;
        begin(&wide, MANY_NODES, n_anchors, 5);
        for (uint32_t set = 0; set < SETS; ++set) {
            follow(set, 100000u);
        }
        get_places(place_m);
        CHECK_EQ(cairn_rigid_fit(&motion, place_m, world.truth, NULL, MANY_NODES, 2, true, &rms_m), CAIRN_OK);
        CHECK(rms_m < cfg.motion_m); /* a map left where it was is off by the movements of all sets */
        CHECK(!motion.mirrored);
    }
}

TEST(test_prior_should_count_what_was_stated_when_a_set_begins)
{
    cairn_real sum_m2 = 0;
    begin(&cfg, NODES, 4u, 6);
    follow(0, 100000u);
    CHECK_NEAR(track.solver_cfg.locate.start_std_m, cfg.motion_m, 1e-6);
    world_std[NODES - 1] = 50; /* of a lost one no more than two movements count */
    for (uint32_t i = 4; i < NODES; ++i) {
        cairn_real place_m[2], std_m = 0;
        CHECK(cairn_network_get_place(&world_net, i, place_m, &std_m) >= 0);
        sum_m2 += cairn_min(std_m * std_m, 4 * cfg.motion_m * cfg.motion_m) / (cairn_real)(NODES - 4);
    }
    /* whoever has stated it: a cold start counts as well */
    CHECK_EQ(cairn_track_network_init(&track, &cfg, &world_net, words, sizeof words / sizeof words[0]), CAIRN_OK);
    follow(1, 100000u);
    CHECK_NEAR(track.solver_cfg.locate.start_std_m, cairn_sqrt(cfg.motion_m * cfg.motion_m + sum_m2), 1e-6);
}

/* The map of a set begins at the last places; or one is made without them, to be compared with one from them or to be the
 * map, of which they decide what it leaves open. */
typedef enum maps { HELD, COMPARED, AFRESH } maps_t;

static maps_t make_maps(cairn_real motion_m)
{
    const cairn_track_network_cfg_t settings = {motion_m, 4};
    bool afresh = false;
    begin(&settings, MANY_NODES, 4u, 4);
    move(0);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    while (cairn_track_network_step(&track, 1u) == CAIRN_MORE) {
        afresh = afresh || cairn_coldstart_get_stage(&track.solver) == CAIRN_COLDSTART_STARTS;
    }
    return !afresh ? HELD : track.solver.far_starts ? AFRESH : COMPARED;
}

/* At .65 and at one radio range. */
TEST(test_last_places_should_hold_the_map_less_when_sensors_move_farther)
{
    CHECK_EQ(make_maps((cairn_real)2.5), HELD);
    CHECK_EQ(make_maps((cairn_real)2.7), COMPARED);
    CHECK_EQ(make_maps((cairn_real)3.9), COMPARED);
    CHECK_EQ(make_maps((cairn_real)4.1), AFRESH);
}

/* Two sensors after a small movement: one above three anchors on a line, which may be below it, begun at this height; one
 * with a single range, next to which its last place tells where it is. */
static void follow_from_height(cairn_real height_m, cairn_real motion_m)
{
    static const cairn_real truth_m[] = {0, 0, 2, 0, 4, 0, 2, -8, 2, (cairn_real)1.5, 2, -11};
    const cairn_real start_m[] = {2, height_m};
    const cairn_track_network_cfg_t settings = {motion_m, 6};
    cairn_status status = CAIRN_MORE;
    world_draw(6u, 4u, 2u, 6, (cairn_real)0.1, 3u);
    memcpy(world.truth, truth_m, sizeof truth_m);
    world_begin();
    world_add_anchors();
    CHECK_EQ(cairn_network_set_start(&world_net, 4u, start_m), CAIRN_OK);
    CHECK_EQ(cairn_network_set_start(&world_net, 5u, world_truth(5u)), CAIRN_OK);
    world_add_ranges();
    CHECK_EQ(cairn_track_network_init(&track, &settings, &world_net, words, sizeof words / sizeof words[0]), CAIRN_OK);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    while (status == CAIRN_MORE) {
        status = cairn_track_network_step(&track, 100000u);
    }
    CHECK(status >= 0);
    CHECK_EQ(cairn_network_get_state(&world_net, 5u), CAIRN_NODE_PLACED);
}

TEST(test_sensor_should_be_flip_possible_when_its_last_place_is_as_near_to_its_mirror_image)
{
    follow_from_height((cairn_real)0.125, 2); /* less than half the radio range: the last places hold the map */
    CHECK_EQ(cairn_network_get_state(&world_net, 4u), CAIRN_NODE_FLIP_POSSIBLE);
    follow_from_height((cairn_real)1.25, (cairn_real)0.5);
    CHECK_EQ(cairn_network_get_state(&world_net, 4u), CAIRN_NODE_PLACED);
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
    const size_t n_words = CAIRN_TRACK_NETWORK_WORDS(NODES, 2);
    CHECK_EQ(cairn_track_network_init(&track, &cfg, &world_net, words, n_words - 1u), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_track_network_init(&track, &cfg, &world_net, NULL, n_words), CAIRN_ERR_ARG);
    bad.motion_m = 0;
    CHECK_EQ(cairn_track_network_init(&track, &bad, &world_net, words, n_words), CAIRN_ERR_ARG);
    bad.motion_m = (cairn_real)NAN;
    CHECK_EQ(cairn_track_network_init(&track, &bad, &world_net, words, n_words), CAIRN_ERR_NONFINITE);
}

/* Neither anchors nor starts nor ranges: there is nothing to begin with, before a first set or after one. */
TEST(test_job_should_stay_as_it_was_when_a_set_cannot_begin)
{
    unsigned char before[sizeof track];
    double rmse_m = 0.0;
    for (int sets = 0; sets < 2; ++sets) {
        if (sets > 0) {
            (void)run(4u, 1000000u, &rmse_m);
        }
        world_draw(NODES, 4u, 2u, 6, (cairn_real)0.1, 3u);
        world_begin();
        if (sets == 0) {
            CHECK_EQ(cairn_track_network_init(&track, &cfg, &world_net, words, sizeof words / sizeof words[0]),
                     CAIRN_OK);
        }
        memcpy(before, &track, sizeof before);
        CHECK_EQ(cairn_track_network_begin(&track), CAIRN_ERR_ANCHORS);
        CHECK_EQ(memcmp(before, &track, sizeof before), 0);
    }
}

TEST_MAIN(TEST_CASE(test_network_should_be_followed_when_all_sensors_move),
          TEST_CASE(test_network_should_keep_its_frame_when_there_are_no_anchors),
          TEST_CASE(test_network_should_be_followed_when_anchors_are_few_and_the_movement_may_be_wide),
          TEST_CASE(test_prior_should_count_what_was_stated_when_a_set_begins),
          TEST_CASE(test_last_places_should_hold_the_map_less_when_sensors_move_farther),
          TEST_CASE(test_sensor_should_be_flip_possible_when_its_last_place_is_as_near_to_its_mirror_image),
          TEST_CASE(test_track_network_should_give_the_same_bits_when_run_in_slices),
          TEST_CASE(test_network_should_refuse_when_settings_or_stage_are_wrong),
          TEST_CASE(test_job_should_stay_as_it_was_when_a_set_cannot_begin))
