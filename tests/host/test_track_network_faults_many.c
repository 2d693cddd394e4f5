/* SPDX-License-Identifier: MIT
 * Faults of networks that move, each in every set of a scripted run: ranges, anchors, sensors, calls. What is refused
 * changes nothing but counters, what is taken is answered with finite numbers, and the network is back in the sets that
 * each case states. */
#include "oracle/moving.h"

static void give_bad_ones_too(uint32_t a, uint32_t b, cairn_real range_m)
{
    static const cairn_real bad_m[] = {0, (cairn_real)-0.0, -3, CAIRN_REAL_MAX, (cairn_real)NAN, (cairn_real)INFINITY};
    const size_t n_bad = sizeof bad_m / sizeof bad_m[0];
    for (size_t i = 0; i < n_bad && (a + b) % 8u == 0; ++i) {
        const cairn_network_counters_t counters = world_net.counters;
        const uint32_t before = all_bytes();
        CHECK_EQ(cairn_network_add_range(&world_net, a, b, bad_m[i], 0),
                 i < n_bad - 2u ? CAIRN_ERR_RANGE : CAIRN_ERR_NONFINITE);
        CHECK_EQ(world_net.counters.n_range + world_net.counters.n_nonfinite,
                 counters.n_range + counters.n_nonfinite + 1u);
        world_net.counters = counters;
        CHECK_EQ(all_bytes(), before);
    }
    give_plainly(a, b, range_m);
}

/* The sets after the first are begun from the same bits, so the places are the same in each. */
static void bad_ranges(uint32_t set)
{
    const uint32_t seed = world.seed;
    follow(set, give_bad_ones_too);
    const uint32_t hash = world_hash();
    run_until(set + 1u, seed);
    CHECK_EQ(world_hash(), hash);
}

TEST(test_fault_1_set_should_be_the_same_when_ranges_that_are_none_were_refused)
{
    const fault_t fault = {bad_ranges, FORMS, 0};
    check_fault(&fault);
}

static cairn_real factor; /* of the wild range */

/* The first range of the last sensor. */
static void give_one_wild(uint32_t a, uint32_t b, cairn_real range_m)
{
    give_plainly(a, b, b + 1u == world.n_nodes ? factor * range_m : range_m);
    factor = b + 1u == world.n_nodes ? 1 : factor;
}

static void wild(uint32_t set)
{
    CHECK(set == 0 || !is_suspect());
    factor = 10;
    follow(set, give_one_wild);
    CHECK(is_suspect());
}

TEST(test_fault_2_network_should_be_back_in_2_sets_when_a_range_was_ten_times_too_long)
{
    const fault_t fault = {wild, FORMS, 2};
    check_fault(&fault);
}

static void wilder(uint32_t set)
{
    factor = 100;
    follow(set, give_one_wild);
    CHECK(is_suspect());
}

TEST(test_fault_2_network_should_be_back_in_4_sets_when_a_range_was_a_hundred_times_too_long)
{
    const fault_t fault = {wilder, FORMS, 4};
    check_fault(&fault);
}

static cairn_real mean_std_m(void)
{
    cairn_real sum_m = 0;
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        sum_m += world_std[i] / (cairn_real)(world.n_nodes - world.n_anchors);
    }
    return sum_m;
}

static void give_without_first(uint32_t a, uint32_t b, cairn_real range_m)
{
    if (a > 0) {
        give_plainly(a, b, range_m);
    }
}

static void give_without_anchors(uint32_t a, uint32_t b, cairn_real range_m)
{
    if (a >= world.n_anchors) {
        give_plainly(a, b, range_m);
    }
}

/* One anchor is not missed; without any, the last places hold the map, and each set adds to its deviation. */
static void silence(uint32_t set)
{
    follow(set, give_without_first);
    CHECK(error_m() < back_m);
    const cairn_real std_m = mean_std_m();
    follow(set, give_without_anchors);
    CHECK(error_m() < back_m);
    CHECK(mean_std_m() > std_m);
}

TEST(test_fault_8_network_should_be_back_in_1_set_when_anchors_vanish_one_or_all)
{
    const fault_t fault = {silence, ANCHORED_FORMS, 1};
    check_fault(&fault);
}

static void give_without_last(uint32_t a, uint32_t b, cairn_real range_m)
{
    if (b + 1u < world.n_nodes) {
        give_plainly(a, b, range_m);
    }
}

/* It stays where it was, about as deviant as it may have moved (that nobody hears it tells a little), and the others are as
 * good as ever. */
static void silent_sensor(uint32_t set)
{
    const uint32_t last = world.n_nodes - 1u;
    follow(set, give_without_last);
    CHECK(world_std[last] > (cairn_real)0.75 * cfgs[form].motion_m);
    CHECK(error_m() < back_m);
}

TEST(test_fault_10_sensor_should_stay_as_deviant_as_it_may_have_moved_when_a_set_has_no_range_of_it)
{
    const fault_t fault = {silent_sensor, FORMS, 1};
    check_fault(&fault);
}

/* Nobody is anywhere else, it is said that nothing is known, and the next set begins there. */
static void lost_set(uint32_t set)
{
    cairn_real before_m[WORLD_REALS];
    memcpy(before_m, world_place, sizeof before_m);
    move(set);
    CHECK_EQ(cairn_network_clear_ranges(&world_net), CAIRN_OK);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    CHECK_EQ(finish(100000u), CAIRN_NOT_CONVERGED);
    world_check_honest();
    CHECK_MEM(world_place, before_m, world.n_nodes * world.dim * sizeof before_m[0]);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        CHECK_EQ(cairn_network_get_state(&world_net, i), CAIRN_NODE_FLIP_POSSIBLE);
        CHECK(world_std[i] > world.radius);
    }
}

TEST(test_fault_10_network_should_be_back_in_1_set_when_all_ranges_of_a_set_are_lost)
{
    const fault_t fault = {lost_set, FORMS, 1};
    check_fault(&fault);
}

static bool reversed; /* the first of the two */

static void give_twice(uint32_t a, uint32_t b, cairn_real range_m)
{
    if ((a + b) % 3u == 0) {
        give_plainly(reversed ? b : a, reversed ? a : b, range_m);
        give_plainly(reversed ? a : b, reversed ? b : a, range_m);
    } else {
        give_plainly(a, b, range_m);
    }
}

static void repeats(uint32_t set)
{
    const uint32_t seed = world.seed;
    reversed = false;
    follow(set, give_twice);
    CHECK(world_net.counters.n_merged > 0);
    const uint32_t hash = world_hash();
    run_until(set, seed);
    reversed = true;
    follow(set, give_twice);
    CHECK_EQ(world_hash(), hash);
}

TEST(test_fault_14_network_should_be_tracked_when_ranges_come_twice)
{
    const fault_t fault = {repeats, FORMS, 0};
    check_fault(&fault);
}

static void give_swapped(uint32_t a, uint32_t b, cairn_real range_m) { give_plainly(a < 2u ? 1u - a : a, b, range_m); }

static void swapped_anchors(uint32_t set)
{
    follow(set, give_swapped);
    CHECK(is_suspect());
}

TEST(test_fault_14_network_should_be_suspect_and_back_in_3_sets_when_two_anchors_were_swapped)
{
    const fault_t fault = {swapped_anchors, ANCHORED_FORMS, 3};
    check_fault(&fault);
}

/* A call that is refused, and leaves every byte as it was. */
static void check_refused(cairn_status (*call)(void))
{
    const uint32_t before = all_bytes();
    CHECK_EQ(call(), CAIRN_ERR_STATE);
    CHECK_EQ(all_bytes(), before);
}

static cairn_status begin_again(void) { return cairn_track_network_begin(&track); }
static cairn_status step_once(void) { return cairn_track_network_step(&track, 1u); }
static cairn_status add_late(void) { return cairn_network_add_range(&world_net, 0u, 1u, 1, 0); }

/* A set in which each slice is followed by calls that are out of order. */
static void out_of_order(uint32_t set)
{
    const uint32_t seed = world.seed;
    cairn_status status = CAIRN_MORE;
    move(set);
    check_refused(step_once);
    CHECK_EQ(cairn_network_clear_ranges(&world_net), CAIRN_OK);
    measure(set, give_plainly);
    check_refused(step_once);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    while (status == CAIRN_MORE) {
        check_refused(begin_again);
        check_refused(add_late);
        status = cairn_track_network_step(&track, 1500u);
    }
    check_refused(step_once);
    const uint32_t hash = world_hash();
    run_until(set + 1u, seed);
    CHECK_EQ(world_hash(), hash);
}

TEST(test_fault_19_set_should_be_the_same_when_calls_out_of_order_were_refused)
{
    const fault_t fault = {out_of_order, FORMS, 0};
    check_fault(&fault);
}

/* All that a set in progress consists of. */
static struct saved {
    cairn_network_t network;
    cairn_track_network_t track;
    cairn_link_t links[2 * WORLD_RANGES];
    uint32_t rows[2 * (WORLD_NODES + 1)];
    cairn_real place_m[WORLD_REALS], std_m[WORLD_NODES];
    uint8_t flags[WORLD_NODES];
    cairn_word_t work[WORLD_WORK_WORDS];
} saved;

static void exchange(void *array, void *copy, size_t bytes, bool load)
{
    memcpy(load ? array : copy, load ? copy : array, bytes);
    memset(load ? copy : array, 0xA5, bytes);
}

/* What it is taken from is lost. */
static void save_or_load(bool load)
{
    exchange(&world_net, &saved.network, sizeof world_net, load);
    exchange(&track, &saved.track, sizeof track, load);
    exchange(world_links, saved.links, sizeof world_links, load);
    exchange(world_rows, saved.rows, sizeof world_rows, load);
    exchange(world_place, saved.place_m, sizeof world_place, load);
    exchange(world_std, saved.std_m, sizeof world_std, load);
    exchange(world_flags, saved.flags, sizeof world_flags, load);
    exchange(world_work, saved.work, sizeof world_work, load);
}

static void interrupted(uint32_t set)
{
    const uint32_t seed = world.seed;
    uint32_t n_slices = 0;
    cairn_status status = CAIRN_MORE;
    move(set);
    CHECK_EQ(cairn_network_clear_ranges(&world_net), CAIRN_OK);
    measure(set, give_plainly);
    CHECK_EQ(cairn_track_network_begin(&track), CAIRN_OK);
    for (; status == CAIRN_MORE; ++n_slices) {
        save_or_load(false);
        save_or_load(true);
        status = cairn_track_network_step(&track, 1500u);
    }
    CHECK(n_slices > 5u);
    const uint32_t hash = world_hash();
    run_until(set + 1u, seed);
    CHECK_EQ(world_hash(), hash);
}

TEST(test_fault_23_set_should_be_the_same_when_it_is_saved_and_loaded_at_every_slice)
{
    const fault_t fault = {interrupted, FORMS, 0};
    check_fault(&fault);
}

TEST_MAIN(TEST_CASE(test_fault_1_set_should_be_the_same_when_ranges_that_are_none_were_refused),
          TEST_CASE(test_fault_2_network_should_be_back_in_2_sets_when_a_range_was_ten_times_too_long),
          TEST_CASE(test_fault_2_network_should_be_back_in_4_sets_when_a_range_was_a_hundred_times_too_long),
          TEST_CASE(test_fault_8_network_should_be_back_in_1_set_when_anchors_vanish_one_or_all),
          TEST_CASE(test_fault_10_sensor_should_stay_as_deviant_as_it_may_have_moved_when_a_set_has_no_range_of_it),
          TEST_CASE(test_fault_10_network_should_be_back_in_1_set_when_all_ranges_of_a_set_are_lost),
          TEST_CASE(test_fault_14_network_should_be_tracked_when_ranges_come_twice),
          TEST_CASE(test_fault_14_network_should_be_suspect_and_back_in_3_sets_when_two_anchors_were_swapped),
          TEST_CASE(test_fault_19_set_should_be_the_same_when_calls_out_of_order_were_refused),
          TEST_CASE(test_fault_23_set_should_be_the_same_when_it_is_saved_and_loaded_at_every_slice))
