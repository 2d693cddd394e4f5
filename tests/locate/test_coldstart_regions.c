/* SPDX-License-Identifier: MIT
 * Tests of the cold start: regions that lie elsewhere are brought back: by their mirror image, an anchor, another map,
 * their starts, a turn. Each begins with a finished map and moves a part of it away by hand. */
#include "oracle/pairs.h"

#define CLUMP 5u /* its first node; nodes 5 to 9 */

static cairn_real *place_of(uint32_t node) { return world_place + 2u * node; }

/* The true places in the map's own coordinates; the job goes on from there at the beginning of a stage. */
static void put_back_to(cairn_coldstart_stage stage)
{
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        for (uint32_t k = 0; k < 2u; ++k) {
            place_of(i)[k] = world_truth(i)[k] - world_net.origin_m[k];
        }
    }
    cairn_coldstart_enter(&cold_job, stage);
}

static void check_clump(void)
{
    for (uint32_t i = CLUMP; i < world.n_nodes; ++i) {
        test_context("node", i);
        CHECK(world_error(i) < 1);
    }
}

/* Mirrored at x = 10, where two anchors stand, the clump fits its ranges as well, but lies among anchors that do not hear
 * it. */
static void mirror_clump(void)
{
    for (uint32_t i = CLUMP; i < world.n_nodes; ++i) {
        place_of(i)[0] = 20 - world_truth(i)[0] - world_net.origin_m[0];
    }
    CHECK(world_error(CLUMP) > 10);
}

TEST(test_repair_should_mirror_a_part_back_when_it_lies_among_nodes_that_do_not_hear_it)
{
    int32_t operations = INT32_MAX;
    cold_build_clump(false);
    REQUIRE(cold_locate(&cold_cfg, 1000u) >= 0);
    put_back_to(CAIRN_COLDSTART_REPAIR);
    mirror_clump();
    while (!cairn_coldstart_repair(&cold_job, &operations)) {
    }
    CHECK(cold_job.n_accepted > 0);
    check_clump();
}

/* A clump that only one anchor hears. */
static void build_hanging_clump(void)
{
    static const cairn_real places[5][2] = {{14, -3}, {15, -1}, {14, 0}, {13, -4}, {12, -2}};
    cold_build_clump(false);
    world.radius = 6;
    cold_cfg.locate.radio_range_m = 6;
    memcpy(world.truth + 2u * CLUMP, places, sizeof places);
    world_begin();
    world_add_anchors();
    for (uint32_t b = CLUMP; b < world.n_nodes; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            const cairn_real range_m = cairn_distance(world_truth(a), world_truth(b), 2u);
            if (range_m < world.radius) {
                CHECK(a >= CLUMP || a == 1u);
                CHECK_EQ(cairn_network_add_range(&world_net, a, b, range_m, 0), CAIRN_OK);
            }
        }
    }
}

/* Turn the clump about the anchor by right angles, mirrored before or not. */
static void turn_clump(uint32_t n_quarters, bool mirrored)
{
    const cairn_real *hinge_m = world_truth(1);
    for (uint32_t i = CLUMP; i < world.n_nodes; ++i) {
        cairn_real x_m = world_truth(i)[0] - hinge_m[0];
        cairn_real y_m = mirrored ? hinge_m[1] - world_truth(i)[1] : world_truth(i)[1] - hinge_m[1];
        for (uint32_t k = 0; k < n_quarters; ++k) {
            const cairn_real before_m = x_m;
            x_m = -y_m;
            y_m = before_m;
        }
        world_flags[i] = CAIRN_NODE_STARTED;
        place_of(i)[0] = hinge_m[0] + x_m - world_net.origin_m[0];
        place_of(i)[1] = hinge_m[1] + y_m - world_net.origin_m[1];
    }
    CHECK(world_error(CLUMP) > 3);
}

/* Mirrored and turned by three quarters it would be nearly where it was. */
TEST(test_repair_should_turn_a_part_to_its_starts_when_it_hangs_on_one_node)
{
    for (uint32_t way = 1; way < 7u; ++way) {
        int32_t operations = INT32_MAX;
        test_context("way", way);
        build_hanging_clump();
        world_add_starts(0);
        REQUIRE(cold_locate(&cold_cfg, 1000u) >= 0);
        put_back_to(CAIRN_COLDSTART_REPAIR);
        cairn_coldstart_set_prior(&cold_job, 3);
        turn_clump(way % 4u, way > 3u);
        while (!cairn_coldstart_repair(&cold_job, &operations)) {
        }
        CHECK(cold_job.n_accepted > 0);
        check_clump();
    }
}

static void begin_with_starts(void)
{
    cold_build_clump(false);
    world_add_starts(0);
    REQUIRE(cold_locate(&cold_cfg, 1000u) >= 0);
    put_back_to(CAIRN_COLDSTART_STARTS);
    for (uint32_t i = CLUMP; i < world.n_nodes; ++i) {
        world_flags[i] = CAIRN_NODE_STARTED;
    }
    cairn_coldstart_set_prior(&cold_job, 1);
}

TEST(test_regions_should_be_taken_from_the_other_map_when_they_are_cheaper_there)
{
    int32_t operations = INT32_MAX;
    begin_with_starts();
    cold_job.two_maps = true;
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        memcpy(coldstart_other(&cold_job, i), place_of(i), 2u * sizeof *world_place);
    }
    mirror_clump();
    pairs_fill_grid();
    CHECK(cairn_coldstart_try_regions(&cold_job, &operations));
    CHECK(cold_job.n_accepted > 0);
    check_clump();
}

TEST(test_regions_should_stay_when_the_other_map_is_dearer)
{
    int32_t operations = INT32_MAX;
    begin_with_starts();
    cold_job.two_maps = true;
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        memcpy(coldstart_other(&cold_job, i), place_of(i), 2u * sizeof *world_place);
        coldstart_other(&cold_job, i)[1] += i >= CLUMP ? 20 : 0;
    }
    pairs_fill_grid();
    CHECK(cairn_coldstart_try_regions(&cold_job, &operations));
    CHECK_EQ(cold_job.n_accepted, 0);
    check_clump();
}

TEST(test_regions_should_be_shifted_to_their_starts_when_they_are_surely_off)
{
    int32_t operations = INT32_MAX;
    begin_with_starts();
    cold_job.two_maps = false;
    for (uint32_t i = CLUMP; i < world.n_nodes; ++i) {
        place_of(i)[0] += 30;
    }
    pairs_fill_grid();
    CHECK(cairn_coldstart_try_regions(&cold_job, &operations));
    CHECK_EQ(cold_job.n_accepted, 1u);
    check_clump();
}

/* A node with one range and no other hint: at its range on the wrong side of its neighbour. */
TEST(test_repair_should_put_a_node_to_its_start_when_that_fits_better)
{
    int32_t operations = INT32_MAX;
    draw(5u, 4u, 2u, 6, (cairn_real)0.125, 1u);
    world.truth[8] = (cairn_real)-0.75, world.truth[9] = (cairn_real)-0.25; /* 2.5 from anchor 0 */
    world_begin();
    world_add_anchors();
    world_add_starts(0);
    CHECK_EQ(cairn_network_add_range(&world_net, 0, 4, cairn_distance(world_truth(0), world_truth(4), 2u), 0),
             CAIRN_OK);
    REQUIRE(cold_locate(&cold_cfg, 1000u) >= 0);
    put_back_to(CAIRN_COLDSTART_REPAIR);
    world_flags[4] = CAIRN_NODE_STARTED;
    cairn_coldstart_set_prior(&cold_job, 1);
    place_of(4)[0] = 2 * world_truth(0)[0] - world_truth(4)[0] - world_net.origin_m[0];
    place_of(4)[1] = 2 * world_truth(0)[1] - world_truth(4)[1] - world_net.origin_m[1];
    while (!cairn_coldstart_repair(&cold_job, &operations)) {
    }
    CHECK(world_error(4) < 0.1f);
}

/* The surroundings of anchor 0 fit it `away` radio ranges beside where it is. */
static bool finds_misfit(cairn_real away)
{
    int32_t operations = INT32_MAX;
    draw(40u, 8u, 2u, (cairn_real)3.25, 0, 1u);
    world_build();
    CHECK(cold_locate(&cold_cfg, 1000000u) >= 0);
    put_back_to(CAIRN_COLDSTART_REPAIR);
    place_of(0)[0] -= away * world.radius;
    pairs_fill_grid();
    return cairn_coldstart_next_misfit(&cold_job, &operations);
}

TEST(test_shift_should_bring_the_map_to_an_anchor_when_that_would_fit_beside_its_place)
{
    const cairn_real away = (cairn_real)0.75;
    REQUIRE(finds_misfit(away));
    CHECK_EQ(cold_job.cursor, 1u); /* it is anchor 0 */
    CHECK_NEAR(cold_job.shift_m[0], -away * world.radius, 0.01);
    CHECK_NEAR(cold_job.shift_m[1], 0, 0.01);
    cairn_coldstart_shift_run(&cold_job, 0, world.n_nodes);
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        const double share = i < world.n_anchors ? (i == 0 ? 1 : 0)
                                                 : 1 - (double)cairn_distance(world_truth(i), world_truth(0), 2u) /
                                                           (8 * (double)world.radius);
        test_context("node", i);
        CHECK_NEAR(place_of(i)[0] + world_net.origin_m[0],
                   (double)world_truth(i)[0] - (share > 0 ? share : 0) * (double)(away * world.radius), 0.02);
    }
}

TEST(test_shift_should_not_be_when_anchors_fit_or_are_wrong_ones)
{
    CHECK(!finds_misfit(0));
    CHECK(!finds_misfit(3));
}

/* Starts that are off by a radio range tell nothing of nodes that their ranges hold; nor do those of nodes without a
 * range, though their places lie in the midst of the map. */
TEST(test_coldstart_should_give_the_same_map_when_starts_are_far_off)
{
    static cairn_real without[2u * WORLD_NODES];
    draw(30u, 6u, 2u, 5, (cairn_real)0.125, 2u);
    world_build_isolated(27u);
    REQUIRE(cold_locate(&cold_cfg, 1000u) >= 0);
    memcpy(without, world_place, sizeof without);
    world_build_isolated(27u);
    world_add_starts(5);
    REQUIRE(cold_locate(&cold_cfg, 1000u) >= 0);
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        test_context("node", i);
        CHECK(network_degree(&world_net, i) <= 2u || memcmp(without + 2u * i, place_of(i), 2u * sizeof *without) == 0);
        CHECK(i < world.n_anchors || cairn_network_get_state(&world_net, i) == CAIRN_NODE_PLACED ||
              cairn_network_get_state(&world_net, i) == CAIRN_NODE_FLIP_POSSIBLE);
    }
}

/* Places that err on their own are farther apart: by (d - 1) d / 2 of a range's relative variance (1.1 of that of one as
 * long as the radio range) times free nodes a range, no more. */
static double stretch_at_the_end(uint32_t dim, cairn_real noise)
{
    draw(dim == 1u ? 12u : 40u, 6u, dim, (cairn_real)3.25, 0, 3u);
    world.noise = 0;
    world_build();
    world.cfg.noise_abs_m = 0;
    world.cfg.noise_rel = noise;
    CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
    cold_job.cost = 10 * (cairn_real)world_net.n_ranges; /* misfits more than declared */
    cairn_coldstart_enter(&cold_job, CAIRN_COLDSTART_FINAL);
    return (double)cold_job.stretch;
}

TEST(test_stretch_should_be_what_errors_add_to_distances_when_they_lie_across)
{
    const double s = 0.125;
    const double stretch = stretch_at_the_end(2u, (cairn_real)s);
    CHECK_NEAR(stretch, 1 + 1.1 * s * s * 34.0 / (double)world_net.n_ranges, 1e-5);
    CHECK(stretch_at_the_end(1u, (cairn_real)s) == 1); /* nothing is across a line */
    cold_job.cost = 0;                                 /* everything fits: nothing errs */
    cairn_coldstart_enter(&cold_job, CAIRN_COLDSTART_FINAL);
    CHECK(cold_job.stretch == 1);
    CHECK(stretch_at_the_end(2u, 0) - 1 < 1e-4);
}

/* Short, stiff pairs make folds hard to leave; a map that had starts has none left when the last stage comes. */
TEST(test_final_should_trust_short_ranges_when_starts_were_used_or_it_is_asked_for)
{
    for (uint32_t pass = 0; pass < 3u; ++pass) {
        cairn_coldstart_cfg_t cfg;
        const cairn_real shortest = pass == 0 ? COLDSTART_SHORT : COLDSTART_SHORT_FINE;
        test_context("pass", pass);
        draw_small((cairn_real)0.125, 1u);
        cfg = cold_cfg;
        cfg.fine = pass == 1u ? 1 : 0;
        world_build();
        if (pass == 2u) {
            world_add_starts((cairn_real)0.5);
        }
        REQUIRE(cold_locate(&cfg, 1000u) >= 0);
        cairn_coldstart_enter(&cold_job, CAIRN_COLDSTART_FINAL);
        CHECK_NEAR(cold_job.noise.floor2, (double)(shortest * shortest * world.radius * world.radius), 1e-5);
        CHECK(cairn_coldstart_plan(&cold_job)->outer_max > (pass == 0 ? 0 : 12));
    }
}

/* The push of the last stage, in ranges; at loose nodes no sharper than a wall may be there. Each of the five conditions in
 * turn does not hold, in pass 0 none of that. */
static double push_at_the_end(uint32_t pass)
{
    cairn_coldstart_cfg_t cfg;
    draw_small((cairn_real)0.125, 1u);
    cfg = cold_cfg;
    world_build();
    CHECK(cold_locate(&cfg, 1000u) >= 0);
    cfg.fine = pass == 1u ? 1 : 0;
    cold_job.sure_disc = pass != 2u;
    cold_job.missing = pass == 3u ? (cairn_real)0.02 : (cairn_real)0.005;
    cairn_coldstart_set_prior(&cold_job, 1);
    cold_job.prior_weight = pass == 4u ? 0 : cold_job.prior_weight;
    cold_job.n_finals = 0;
    cairn_coldstart_enter(&cold_job, pass == 5u ? CAIRN_COLDSTART_SETTLE : CAIRN_COLDSTART_FINAL);
    const cairn_real wall_m = pass < 4u ? COLDSTART_WALL * cold_job.radio_range_m : 0; /* those end finely */
    const cairn_real soft = 1 / cairn_max(wall_m * wall_m * cold_job.unit_weight, 1);
    CHECK_NEAR(cold_job.loose_push_weight, (double)(soft * cold_job.push_weight), 1e-4 * (double)cold_job.push_weight);
    return (double)(cold_job.push_weight / cold_job.unit_weight);
}

TEST(test_final_should_push_firmly_when_starts_were_used_and_no_pair_is_missing)
{
    CHECK_NEAR(push_at_the_end(0), 40, 1e-4);
    for (uint32_t pass = 1; pass <= 5u; ++pass) {
        test_context("pass", pass);
        CHECK_NEAR(push_at_the_end(pass), pass == 5u ? 1 : 10, 1e-4);
    }
}

/* Ranges within the given radius, among sensors only: a disc, unless every tenth is three times too long. */
static bool takes_for_disc(bool spoilt, cairn_real given)
{
    draw(WORLD_NODES, 4u, 2u, 2, 0, 1u);
    world_begin();
    world_add_anchors();
    for (uint32_t b = world.n_anchors; b < world.n_nodes; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            const cairn_real range_m = cairn_distance(world_truth(a), world_truth(b), 2u);
            const cairn_real factor = spoilt && (a + b) % 10u == 0 ? 3 : 1;
            if (range_m < world.radius) {
                CHECK_EQ(cairn_network_add_range(&world_net, a, b, factor * range_m, 0), CAIRN_OK);
            }
        }
    }
    cold_cfg.locate.radio_range_m = given;
    CHECK_EQ(cold_init(&cold_cfg), CAIRN_OK);
    return cold_job.sure_disc;
}

TEST(test_disc_should_be_sure_when_its_radius_is_given_and_the_ranges_look_like_it)
{
    CHECK(takes_for_disc(false, 2));
    CHECK(!takes_for_disc(true, 2));
    CHECK(!takes_for_disc(false, 0));
    CHECK(!takes_for_disc(false, 1));
}

TEST(test_pairs_should_be_listed_once_each_when_they_are_near_and_have_no_range)
{
    uint32_t n_listed = 0;
    draw(40u, 6u, 2u, 3, (cairn_real)0.125, 1u);
    world_build();
    REQUIRE(cold_locate(&cold_cfg, 1000u) >= 0);
    cold_job.radio_range_m *= (cairn_real)1.125; /* farther than any range was measured */
    n_listed = pairs_list_and_check();
    CHECK(n_listed > 20u && cold_job.n_cells[0] > 2u);
    CHECK_EQ(cold_job.pair_words, n_listed);
}

TEST_MAIN(TEST_CASE(test_repair_should_mirror_a_part_back_when_it_lies_among_nodes_that_do_not_hear_it),
          TEST_CASE(test_repair_should_turn_a_part_to_its_starts_when_it_hangs_on_one_node),
          TEST_CASE(test_regions_should_be_taken_from_the_other_map_when_they_are_cheaper_there),
          TEST_CASE(test_regions_should_stay_when_the_other_map_is_dearer),
          TEST_CASE(test_regions_should_be_shifted_to_their_starts_when_they_are_surely_off),
          TEST_CASE(test_repair_should_put_a_node_to_its_start_when_that_fits_better),
          TEST_CASE(test_shift_should_bring_the_map_to_an_anchor_when_that_would_fit_beside_its_place),
          TEST_CASE(test_shift_should_not_be_when_anchors_fit_or_are_wrong_ones),
          TEST_CASE(test_coldstart_should_give_the_same_map_when_starts_are_far_off),
          TEST_CASE(test_stretch_should_be_what_errors_add_to_distances_when_they_lie_across),
          TEST_CASE(test_final_should_trust_short_ranges_when_starts_were_used_or_it_is_asked_for),
          TEST_CASE(test_final_should_push_firmly_when_starts_were_used_and_no_pair_is_missing),
          TEST_CASE(test_disc_should_be_sure_when_its_radius_is_given_and_the_ranges_look_like_it),
          TEST_CASE(test_pairs_should_be_listed_once_each_when_they_are_near_and_have_no_range))
