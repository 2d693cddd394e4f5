/* SPDX-License-Identifier: MIT
 * Tests of what both jobs on a network, locate and the cold start, do alike: refusals that change nothing, and networks
 * that can be placed only in part or not at all. */
#include "oracle/cold.h"

static const cairn_locate_cfg_t exact_cfg = {NULL, 1000, 10, (cairn_real)1e-6, 0, 0};

static cairn_status locate_init(void)
{
    return cairn_locate_init(&world_job, &exact_cfg, &world_net, world_work,
                             CAIRN_LOCATE_WORDS(world.n_nodes, world.dim));
}

static cairn_status locate_run(void) { return world_locate(&exact_cfg, 1000u); }

static void locate_check_honest(void)
{
    world_check_honest();
    CHECK(cairn_isfinite(cairn_locate_get_cost(&world_job)));
}

static cairn_status coldstart_init(void) { return cold_init(&cold_cfg); }

static cairn_status coldstart_run(void) { return cold_locate(&cold_cfg, 1000u); }

static const struct job {
    cairn_status (*init)(void);
    cairn_status (*run)(void); /* to its end */
    void (*check_honest)(void);
    double exact_m; /* error that exact ranges leave at a radio range of 7 m: see test_locate.c, cold.h */
} jobs[] = {
    {locate_init, locate_run, locate_check_honest, 1e-4},
    {coldstart_init, coldstart_run, cold_check_honest, STOP * 7.0},
};

static const struct job *job; /* the one under test */

/* Runs a case with each of the jobs. */
static void with_each_job(void (*check)(void))
{
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; ++i) {
        test_context("job", (uint32_t)i);
        job = &jobs[i];
        check();
    }
}

/* Twelve nodes with exact ranges, and nobody known yet. */
static void begin_unknown(void)
{
    draw_small(0, 1u);
    world_begin();
    world_add_ranges();
}

/* Bytes of everything an init may touch. */
static uint32_t bytes_now(void)
{
    return hash_bytes(hash_bytes(world_bytes(), &world_job, sizeof world_job), &cold_job, sizeof cold_job);
}

/* A refusal leaves the job, the network and its arrays as they were, ranges still open. */
static void check_refused(cairn_status expected)
{
    memset(&world_job, 0x5A, sizeof world_job);
    memset(&cold_job, 0x5A, sizeof cold_job);
    const uint32_t before = bytes_now();
    CHECK_EQ(job->init(), expected);
    CHECK_EQ(bytes_now(), before);
    CHECK(!world_net.sealed);
}

/* Refusals */

static void check_few_places(void)
{
    begin_unknown();
    world_set_anchor(0u, 1, 1);
    check_refused(CAIRN_ERR_ANCHORS);
    world_set_anchor(1u, 9, 1);
    check_refused(CAIRN_ERR_ANCHORS); /* dim */
    world_set_anchor(2u, 1, 9);
    CHECK_EQ(job->init(), CAIRN_OK); /* dim + 1 */
}

TEST(test_init_should_refuse_when_some_but_fewer_than_dim_plus_1_places_are_known) { with_each_job(check_few_places); }

static void check_nothing_at_all(void)
{
    draw_small(0, 1u);
    world_begin();
    check_refused(CAIRN_ERR_ANCHORS);
    CHECK_EQ(cairn_network_add_range(&world_net, 0u, 1u, 1, 0), CAIRN_OK); /* still open */
}

TEST(test_init_should_refuse_when_nothing_is_known_and_there_are_no_ranges) { with_each_job(check_nothing_at_all); }

static void check_collinear(void)
{
    const cairn_real start[2] = {5, 5};
    begin_unknown();
    world_set_anchor(0u, 1, 1), world_set_anchor(1u, 5, 3), world_set_anchor(2u, 9, 5), world_set_anchor(3u, 3, 2);
    check_refused(CAIRN_ERR_GEOMETRY);
    world_set_anchor(0u, 2, 2), world_set_anchor(1u, 2, 2), world_set_anchor(2u, 2, 2), world_set_anchor(3u, 2, 2);
    check_refused(CAIRN_ERR_GEOMETRY);
    CHECK_EQ(cairn_network_set_start(&world_net, 7u, start), CAIRN_OK);
    CHECK_EQ(job->init(), CAIRN_OK); /* a start chooses the side */
}

TEST(test_init_should_refuse_when_anchors_are_collinear_or_coincident_and_nothing_has_a_start)
{
    with_each_job(check_collinear);
}

static void check_coplanar(void)
{
    draw(10u, 4u, 3u, 12, 0, 1u);
    world_begin();
    world_add_ranges();
    for (uint32_t i = 0; i < 4u; ++i) { /* four beacons at one height: ArduPilot#11060 as a network */
        cairn_real place[3] = {0, 0, (cairn_real)2.1};
        place[0] = (i & 1u) != 0 ? (cairn_real)10 : 0;
        place[1] = (i & 2u) != 0 ? (cairn_real)8 : 0;
        CHECK_EQ(cairn_network_set_anchor(&world_net, i, place), CAIRN_OK);
    }
    check_refused(CAIRN_ERR_GEOMETRY);
}

TEST(test_init_should_refuse_when_anchors_are_coplanar_in_3d) { with_each_job(check_coplanar); }

static void check_coarse(void)
{
    begin_unknown();
    for (uint32_t i = 0; i < world.n_anchors; ++i) { /* lemmingapex/trilateration#2 */
        world_set_anchor(i, world_truth(i)[0] + (cairn_real)4.6e6, world_truth(i)[1] + (cairn_real)1.6e7);
    }
    check_refused(CAIRN_ERR_RESOLUTION);
}

TEST(test_init_should_refuse_when_coordinates_are_too_coarse_for_the_ranges)
{
    if (sizeof(cairn_real) > 4u) {
        SKIP("double resolves them");
    }
    with_each_job(check_coarse);
}

/* Parts */

static void check_isolated(void)
{
    uint32_t n_placed = 0;
    draw_small(0, 1u);
    world_build_isolated(9u);
    CHECK(job->run() >= 0);
    job->check_honest();
    world_check_unplaced_from(9u);
    CHECK_NEAR(world_rmse(&n_placed), 0.0, job->exact_m);
    CHECK(n_placed >= 4u);
}

TEST(test_job_should_say_unplaced_when_nodes_are_isolated) { with_each_job(check_isolated); }

static void check_part_apart(void)
{
    draw(12u, 4u, 2u, 15, 0, 1u);
    world_begin();
    world_add_anchors();
    world_add_two_parts(8u);
    CHECK(job->run() >= 0);
    job->check_honest();
    world_check_unplaced_from(8u);
}

TEST(test_job_should_say_unplaced_when_a_part_has_no_way_to_an_anchor) { with_each_job(check_part_apart); }

static void check_anchors_alone(void)
{
    draw_small(0, 1u);
    world_begin();
    world_add_anchors();
    CHECK(job->run() >= 0);
    job->check_honest();
    world_check_unplaced_from(4u);
}

TEST(test_job_should_place_nobody_when_there_are_no_ranges) { with_each_job(check_anchors_alone); }

static void check_starts_alone(void)
{
    draw_small(0, 1u);
    world_begin();
    world.n_anchors = 0;
    world_add_starts(0);
    CHECK(job->run() >= 0);
    job->check_honest();
    for (uint32_t i = 0; i < 12u; ++i) {
        CHECK_NEAR(world_error(i), 0.0, 1e-5); /* units of 10 m */
        CHECK(world_std[i] > 0);
    }
}

TEST(test_job_should_keep_starts_with_a_finite_deviation_when_there_are_no_ranges)
{
    with_each_job(check_starts_alone);
}

TEST_MAIN(TEST_CASE(test_init_should_refuse_when_some_but_fewer_than_dim_plus_1_places_are_known),
          TEST_CASE(test_init_should_refuse_when_nothing_is_known_and_there_are_no_ranges),
          TEST_CASE(test_init_should_refuse_when_anchors_are_collinear_or_coincident_and_nothing_has_a_start),
          TEST_CASE(test_init_should_refuse_when_anchors_are_coplanar_in_3d),
          TEST_CASE(test_init_should_refuse_when_coordinates_are_too_coarse_for_the_ranges),
          TEST_CASE(test_job_should_say_unplaced_when_nodes_are_isolated),
          TEST_CASE(test_job_should_say_unplaced_when_a_part_has_no_way_to_an_anchor),
          TEST_CASE(test_job_should_place_nobody_when_there_are_no_ranges),
          TEST_CASE(test_job_should_keep_starts_with_a_finite_deviation_when_there_are_no_ranges))
