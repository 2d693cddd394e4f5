/* SPDX-License-Identifier: MIT
 * Faults of networks that move, each in every set of a scripted run: places, layouts, sizes, settings. Ranges, anchors and
 * calls have a file of their own, test_track_network_faults_many. */
#include "oracle/moving.h"

static uint32_t last(void) { return world.n_nodes - 1u; }

static void put(cairn_real *place_m, uint32_t axis, cairn_real value_m)
{
    place_m[(size_t)last() * world.dim + axis] = value_m;
}

/* Of the last sensor the last place is its mirror image in the middle of the world. */
static void mirrored_sensor(uint32_t set)
{
    put(world_place, 0, world.size - world_place[(size_t)last() * world.dim]);
    follow(set, give_plainly);
}

TEST(test_fault_3_network_should_be_back_in_1_set_when_a_sensor_was_put_in_its_mirror_image)
{
    const fault_t fault = {mirrored_sensor, FORMS, 1};
    check_fault(&fault);
}

/* Whole scripts, in worlds that are changed before they begin. */
static void check_scripts(void (*change)(void), uint32_t n_forms)
{
    for (form = 0; form < n_forms; ++form) {
        for (uint32_t seed = 1; seed <= TEST_SEEDS(3u); ++seed) {
            test_context("form and seed", 10u * form + seed);
            draw(seed);
            change();
            begin_drawn();
            for (uint32_t set = 0; set < SETS; ++set) {
                follow(set, give_plainly);
                CHECK(error_m() < back_m);
            }
        }
    }
}

/* Anchors on a line, or in a plane, cannot tell on which side of it the sensors are: their last places do. */
static void flatten_anchors(void)
{
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        cairn_real *height_m = &world.truth[(size_t)i * world.dim + world.dim - 1u];
        *height_m = i < world.n_anchors ? 0 : 1 + *height_m;
    }
}

TEST(test_fault_4_and_5_sensors_should_stay_on_their_side_when_all_anchors_are_on_a_line_or_in_a_plane)
{
    check_scripts(flatten_anchors, ANCHORED_FORMS);
}

/* The last sensor on the one before, that one on the first node. No range is 0: they have none. */
static void same_places(uint32_t set)
{
    const size_t bytes = world.dim * sizeof world.truth[0];
    move(set);
    memcpy(&world.truth[(size_t)last() * world.dim], world_truth(0), bytes);
    memcpy(&world.truth[((size_t)last() - 1u) * world.dim], world_truth(0), bytes);
    memcpy(&world_place[(size_t)last() * world.dim], world_place, bytes);
    memcpy(&world_place[((size_t)last() - 1u) * world.dim], world_place, bytes);
    locate(set, give_plainly);
    CHECK(error_m() < back_m);
}

TEST(test_fault_6_network_should_be_tracked_when_three_nodes_are_in_one_place)
{
    const fault_t fault = {same_places, FORMS, 1};
    check_fault(&fault);
}

static cairn_real shift_m;

static void shift(void)
{
    for (uint32_t i = 0; i < world.n_nodes * world.dim; ++i) {
        world.truth[i] += shift_m;
    }
}

/* At 1e5 m a float resolves 8 mm. */
TEST(test_fault_7_network_should_be_tracked_when_coordinates_are_large)
{
    for (shift_m = 1e4f; shift_m < 2e5f; shift_m *= 10) {
        check_scripts(shift, FORMS);
    }
}

/* The last sensor is carried to the other end of the world. */
static void teleport(uint32_t set)
{
    move(set);
    put(world.truth, 0, world_truth(last())[0] < world.size / 2 ? world.size : 0);
    locate(set, give_plainly);
}

TEST(test_fault_9_network_should_be_back_in_2_sets_when_a_sensor_was_carried_away)
{
    const fault_t fault = {teleport, FORMS, 2};
    check_fault(&fault);
}

static void give_beyond(uint32_t a, uint32_t b, cairn_real range_m)
{
    const cairn_network_counters_t counters = world_net.counters;
    const uint32_t before = all_bytes();
    CHECK_EQ(cairn_network_add_range(&world_net, a, world.n_nodes, range_m, 0), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(cairn_network_add_range(&world_net, 2u * world.n_nodes, b, range_m, 0), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(world_net.counters.n_unknown_id, counters.n_unknown_id + 2u);
    world_net.counters = counters;
    CHECK_EQ(all_bytes(), before);
    give_plainly(a, b, range_m);
}

/* After the ranges of the set the same again, until the table is full. */
static void overfull(uint32_t set)
{
    move(set);
    CHECK_EQ(cairn_network_clear_ranges(&world_net), CAIRN_OK);
    measure(set, give_beyond);
    const cairn_real range_m = cairn_distance(world_truth(0), world_truth(last()), world.dim);
    while (cairn_network_add_range(&world_net, 0u, last(), range_m, 0) == CAIRN_OK) {
    }
    const uint32_t before = all_bytes();
    CHECK_EQ(cairn_network_add_range(&world_net, 0u, last(), range_m, 0), CAIRN_FULL);
    CHECK_EQ(world_net.counters.n_full, 2u);
    world_net.counters.n_full -= 1u;
    CHECK_EQ(all_bytes(), before);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    CHECK(finish(100000u) >= 0);
    world_check_honest();
    CHECK(error_m() < back_m);
}

TEST(test_fault_11_set_should_be_solved_when_more_ranges_came_than_the_table_holds)
{
    const fault_t fault = {overfull, FORMS, 1};
    check_fault(&fault);
}

static const cairn_real bias_m = 1;

static void give_biased(uint32_t a, uint32_t b, cairn_real range_m)
{
    give_plainly(a, b, a == 0 && b == last() ? range_m + bias_m : range_m);
}

static void biased_link(uint32_t set)
{
    for (uint32_t k = 0; k < SETS; ++k) {
        follow(100u + 10u * set + k, give_biased);
        CHECK(error_m() < back_m);
        CHECK(world.n_anchors == 0 || world_error(last()) < bias_m);
    }
}

TEST(test_fault_15_error_should_stay_below_the_bias_when_one_link_has_it)
{
    const fault_t fault = {biased_link, FORMS, 1};
    check_fault(&fault);
}

static void give_millimetres(uint32_t a, uint32_t b, cairn_real range_m)
{
    CHECK_EQ(cairn_network_add_range(&world_net, a, b, 1000 * range_m, 0), CAIRN_ERR_RANGE);
}

/* No range of 20 m or more is one. */
static void millimetres(uint32_t set)
{
    world.cfg.range_max_m = 20;
    move(set);
    CHECK_EQ(cairn_network_clear_ranges(&world_net), CAIRN_OK);
    measure(set, give_millimetres);
    measure(set, give_plainly);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    CHECK(finish(100000u) >= 0);
    CHECK(error_m() < back_m);
}

TEST(test_fault_16_ranges_should_be_refused_when_they_are_in_millimetres)
{
    const fault_t fault = {millimetres, FORMS, 0};
    check_fault(&fault);
}

static void give_wild(uint32_t a, uint32_t b, cairn_real range_m)
{
    give_plainly(a, b, (a + b) % 4u == 0 ? 100 * range_m : range_m);
}

static void storm(uint32_t set)
{
    for (uint32_t k = 0; k < SETS; ++k) {
        follow(100u + 10u * set + k, give_wild);
        CHECK(is_suspect());
    }
}

TEST(test_fault_18_network_should_be_back_in_8_sets_when_a_quarter_of_the_ranges_was_wild_for_long)
{
    const fault_t fault = {storm, ANCHORED_FORMS, 8};
    check_fault(&fault);
}

static void give_pair_alone(uint32_t a, uint32_t b, cairn_real range_m)
{
    if (b + 2u < world.n_nodes || a + 2u == world.n_nodes) {
        give_plainly(a, b, range_m);
    }
}

/* They may be anywhere they can have moved to, and turn. */
static void lonely_pair(uint32_t set)
{
    follow(set, give_pair_alone);
    CHECK(world_std[last()] > (cairn_real)0.5 * cfgs[form].motion_m);
    CHECK(world_std[last() - 1u] > (cairn_real)0.5 * cfgs[form].motion_m);
    CHECK(error_m() < back_m);
}

TEST(test_fault_21_pair_should_stay_as_deviant_as_it_may_have_moved_when_it_hears_only_itself)
{
    const fault_t fault = {lonely_pair, FORMS, 1};
    check_fault(&fault);
}

static cairn_real stated_m;

static void give_stated(uint32_t a, uint32_t b, cairn_real range_m)
{
    CHECK_EQ(cairn_network_add_range(&world_net, a, b, range_m, stated_m), CAIRN_OK);
}

static void absurd_deviations(uint32_t set)
{
    stated_m = (cairn_real)1e-6;
    follow(set, give_stated);
    CHECK(error_m() < back_m);
    stated_m = (cairn_real)1e6;
    follow(100u + set, give_stated);
}

TEST(test_fault_22_network_should_be_back_in_1_set_when_stated_deviations_are_absurd)
{
    const fault_t fault = {absurd_deviations, FORMS, 1};
    check_fault(&fault);
}

TEST_MAIN(TEST_CASE(test_fault_3_network_should_be_back_in_1_set_when_a_sensor_was_put_in_its_mirror_image),
          TEST_CASE(test_fault_4_and_5_sensors_should_stay_on_their_side_when_all_anchors_are_on_a_line_or_in_a_plane),
          TEST_CASE(test_fault_6_network_should_be_tracked_when_three_nodes_are_in_one_place),
          TEST_CASE(test_fault_7_network_should_be_tracked_when_coordinates_are_large),
          TEST_CASE(test_fault_9_network_should_be_back_in_2_sets_when_a_sensor_was_carried_away),
          TEST_CASE(test_fault_11_set_should_be_solved_when_more_ranges_came_than_the_table_holds),
          TEST_CASE(test_fault_15_error_should_stay_below_the_bias_when_one_link_has_it),
          TEST_CASE(test_fault_16_ranges_should_be_refused_when_they_are_in_millimetres),
          TEST_CASE(test_fault_18_network_should_be_back_in_8_sets_when_a_quarter_of_the_ranges_was_wild_for_long),
          TEST_CASE(test_fault_21_pair_should_stay_as_deviant_as_it_may_have_moved_when_it_hears_only_itself),
          TEST_CASE(test_fault_22_network_should_be_back_in_1_set_when_stated_deviations_are_absurd))
