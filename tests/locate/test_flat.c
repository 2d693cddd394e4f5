/* SPDX-License-Identifier: MIT
 * Tests of cold starts with anchors in one plane: what is said, what a side settles, what is refused. */
#include "cairn/flat.h"

#define NODES            22u
#define ANCHORS          6u
#define WORLD_NODES      22
#define WORLD_RANGES     225
#define WORLD_REALS      66
#define WORLD_WORK_WORDS (CAIRN_FLAT_WORDS(WORLD_NODES, 3, ANCHORS) + COLD_CANARIES)
#include "oracle/cold.h"

#define NOISE ((cairn_real)0.01)
#define EXACT ((cairn_real)0.05) /* five deviations of a range */

static const cairn_real above[3] = {5, 5, 100};
static const cairn_real below[3] = {5, 5, -100};
static cairn_flat_t job;
static cairn_flat_cfg_t cfg;

static size_t words(void) { return CAIRN_FLAT_WORDS(world.n_nodes, world.dim, world.n_anchors); }

static cairn_status init(void) { return cairn_flat_init(&job, &cfg, &world_net, world_work, words()); }

static cairn_status run(uint32_t budget)
{
    cairn_status status = init();
    cairn_real progress = 0;
    if (status == CAIRN_OK) {
        do {
            status = cairn_flat_step(&job, budget);
            CHECK(cairn_flat_get_progress(&job) >= progress && cairn_flat_get_progress(&job) <= 1);
            progress = cairn_flat_get_progress(&job);
            if (cairn_flat_get_stage(&job) == CAIRN_FLAT_FINISH &&
                cairn_coldstart_get_stage(cairn_flat_get_cold(&job)) == CAIRN_COLDSTART_GLOBAL) {
                CHECK(progress < (cairn_real)0.75);
            }
        } while (status == CAIRN_MORE);
        CHECK(cairn_flat_get_stage(&job) == CAIRN_FLAT_DONE && progress >= 1);
    }
    return status;
}

/* Anchors in a tilted plane (in 2-D: on a tilted line), sensors on both sides of it, three of four above. */
static cairn_real plane_at(uint32_t node)
{
    return 2 + world_truth(node)[0] / 8 + (world.dim == 3u ? world_truth(node)[1] / 4 : 0);
}

static void draw_flat(uint32_t dim, uint32_t seed)
{
    const uint32_t last = dim - 1u;
    draw(NODES, ANCHORS, dim, dim == 3u ? 10 : 7, 0, seed);
    for (uint32_t i = 0; i < ANCHORS; ++i) {
        world.truth[dim * i + last] = plane_at(i);
    }
    for (uint32_t i = ANCHORS; i < NODES; ++i) {
        world.truth[dim * i + last] = plane_at(i) + (i % 4u == 0 ? -1 : 1) * (1 + world_truth(i)[last] / 2);
    }
    world.noise = NOISE;
    world.cfg.noise_abs_m = NOISE;
    cfg = cairn_flat_cfg_default;
    cfg.cold = cold_cfg;
}

/* Mirror the true place in the plane. */
static void mirror_truth(uint32_t node)
{
    const cairn_real slope[3] = {(cairn_real)-0.125, world.dim == 3u ? (cairn_real)-0.25 : 1, 1};
    const cairn_real height = world_truth(node)[world.dim - 1u] - plane_at(node);
    const cairn_real share = 2 * height / cairn_dot(slope, slope, world.dim);
    for (uint32_t k = 0; k < world.dim; ++k) {
        world.truth[world.dim * node + k] -= share * slope[k];
    }
}

static void check_places(cairn_node_state state)
{
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        test_context("node", i);
        CHECK(i < world.n_anchors || cairn_network_get_state(&world_net, i) == state);
        CHECK(i < world.n_anchors
                  ? cairn_network_get_state(&world_net, i) == CAIRN_NODE_ANCHOR && world_error(i) < (cairn_real)1e-5
                  : world_error(i) < EXACT);
    }
}

TEST(test_flat_should_place_all_when_a_side_is_given)
{
    for (uint32_t seed = 1; seed <= TEST_SEEDS(4u); ++seed) {
        for (uint32_t dim = 2; dim <= 3u; ++dim) {
            test_context("seed", seed);
            draw_flat(dim, seed);
            cfg.side_m = dim == 3u ? above : above + 1;
            world_build();
            CHECK_EQ(run(1000u), CAIRN_OK);
            check_places(CAIRN_NODE_PLACED);
            cfg.side_m = dim == 3u ? below : below + 1;
            world_build();
            for (uint32_t i = ANCHORS; i < NODES; ++i) {
                mirror_truth(i);
            }
            CHECK_EQ(run(1000u), CAIRN_OK);
            check_places(CAIRN_NODE_PLACED);
        }
    }
}

/* Nothing but the mirror image in their plane is left open by anchors as few as dimensions; one that hangs on as many
 * sensors may itself be mirrored, and the map with it. */
TEST(test_flat_should_place_sensors_when_anchors_are_as_few_as_dimensions_and_held_fast)
{
    for (uint32_t dim = 2; dim <= 3u; ++dim) {
        for (uint32_t pass = 0; pass < 2u; ++pass) {
            test_context("pass", pass);
            draw_flat(dim, 1u);
            world.n_anchors = dim;
            for (uint32_t i = dim; i < ANCHORS; ++i) { /* sensors now */
                world.truth[dim * i] = 1 + (cairn_real)i;
                world.truth[dim * i + dim - 1u] = plane_at(i) + 2 + (cairn_real)(i % 3u);
            }
            cfg.side_m = dim == 3u ? above : above + 1;
            world_begin();
            world_add_anchors();
            for (uint32_t b = dim; b < NODES; ++b) {
                for (uint32_t a = 0; a < b; ++a) {
                    const cairn_real range_m = cairn_distance(world_truth(a), world_truth(b), dim);
                    if (range_m < world.radius && (pass == 0 || a > 0 || b > NODES - 1u - dim)) {
                        CHECK_EQ(cairn_network_add_range(&world_net, a, b, range_m, 0), CAIRN_OK);
                    }
                }
            }
            CHECK_EQ(run(1000u), CAIRN_OK);
            uint32_t n_placed = 0;
            for (uint32_t i = dim; i < NODES; ++i) {
                n_placed += cairn_network_get_state(&world_net, i) == CAIRN_NODE_PLACED ? 1u : 0u;
                CHECK(pass > 0 || world_error(i) < EXACT);
            }
            CHECK(pass > 0 ? n_placed == 0 : n_placed + dim + 1u >= NODES); /* one hangs on neighbours in a line */
        }
    }
}

TEST(test_flat_should_leave_the_mirror_image_open_when_few_anchors_lie_nearly_on_a_line)
{
    draw_flat(3u, 1u);
    world.n_anchors = 3u;
    world.truth[6] = (world.truth[0] + world.truth[3]) / 2;
    world.truth[7] = (world.truth[1] + world.truth[4]) / 2 + (cairn_real)0.5;
    world.truth[8] = plane_at(2u);
    cfg.side_m = above;
    world_build();
    CHECK_EQ(run(1000u), CAIRN_OK);
    for (uint32_t i = 3u; i < NODES; ++i) {
        CHECK_EQ(cairn_network_get_state(&world_net, i), CAIRN_NODE_FLIP_POSSIBLE);
    }
}

TEST(test_flat_should_say_that_the_height_is_unresolved_when_no_side_is_given)
{
    static const cairn_real in_plane[3] = {0, 0, 2};
    for (uint32_t pass = 0; pass < 2u; ++pass) {
        draw_flat(3u, 2u);
        cfg.side_m = pass == 0 ? NULL : in_plane;
        world_build();
        if (pass > 0) { /* a plane along the axes: the height of the side is 0 to the bit */
            for (uint32_t i = 0; i < ANCHORS; ++i) {
                world.truth[3u * i + 2u] = 2;
            }
            world_add_anchors();
        }
        CHECK_EQ(run(1000u), CAIRN_HEIGHT_UNRESOLVED);
        for (uint32_t i = ANCHORS; i < NODES; ++i) {
            CHECK_EQ(cairn_network_get_state(&world_net, i), CAIRN_NODE_FLIP_POSSIBLE);
        }
    }
}

TEST(test_flat_should_say_that_the_height_is_unresolved_when_the_side_lies_in_the_tilted_plane)
{
    for (uint32_t dim = 2; dim <= 3u; ++dim) {
        for (uint32_t pass = 0; pass < 2u; ++pass) { /* in it up to rounding, a little above */
            cairn_real side_m[3] = {7, 1, 0};
            test_context("pass", pass);
            draw_flat(dim, 3u);
            side_m[dim - 1u] = 2 + side_m[0] / 8 + (dim == 3u ? side_m[1] / 4 : 0);
            side_m[dim - 1u] += pass == 0 ? 0 : (cairn_real)0.001;
            cfg.side_m = side_m;
            world_build();
            CHECK_EQ(run(1000u), CAIRN_HEIGHT_UNRESOLVED);
        }
    }
}

TEST(test_flat_should_give_the_map_or_its_mirror_image_as_a_whole_when_no_side_is_given)
{
    draw_flat(3u, 3u);
    world_build();
    CHECK_EQ(run(1000u), CAIRN_HEIGHT_UNRESOLVED);
    if (!(world_error(ANCHORS) < EXACT)) {
        for (uint32_t i = ANCHORS; i < NODES; ++i) {
            mirror_truth(i);
        }
    }
    check_places(CAIRN_NODE_FLIP_POSSIBLE);
}

/* As tags do that range with beacons only: nothing ties the side of one to that of another. The last ranges with two: it
 * may be anywhere on a circle. */
TEST(test_flat_should_bring_each_sensor_to_the_side_when_they_range_with_anchors_only)
{
    draw_flat(3u, 1u);
    world_begin();
    world_add_anchors();
    for (uint32_t i = ANCHORS; i < NODES; ++i) {
        if (world_truth(i)[2] < plane_at(i)) {
            mirror_truth(i);
        }
        for (uint32_t a = 0; a < (i + 1u < NODES ? ANCHORS : 2u); ++a) {
            CHECK_EQ(cairn_network_add_range(&world_net, a, i, cairn_distance(world_truth(a), world_truth(i), 3u), 0),
                     CAIRN_OK);
        }
    }
    cfg.side_m = above;
    cfg.cold.locate.radio_range_m = 0; /* they do not hear one another: no disc */
    cfg.cold.push = 0;
    CHECK_EQ(run(1000u), CAIRN_OK);
    CHECK_EQ(cairn_network_get_state(&world_net, NODES - 1u), CAIRN_NODE_FLIP_POSSIBLE);
    --world.n_nodes;
    check_places(CAIRN_NODE_PLACED);
}

TEST(test_flat_should_be_the_same_bits_when_sliced_and_over_dirty_memory)
{
    uint32_t first = 0;
    for (uint32_t pass = 0; pass < 2u; ++pass) {
        draw_flat(3u, 4u);
        cfg.side_m = above;
        memset(world_work, pass == 0 ? 0 : 0xA5, sizeof world_work);
        memset(&job, pass == 0 ? 0 : 0xA5, sizeof job);
        world_build();
        CHECK_EQ(run(pass == 0 ? UINT32_MAX : 1u), CAIRN_OK);
        const uint32_t hash = hash_u32(world_hash(), cairn_coldstart_get_iterations(cairn_flat_get_cold(&job)));
        first = pass == 0 ? hash : first;
        CHECK_EQ(hash, first);
    }
}

TEST(test_flat_should_keep_to_its_work_when_it_is_as_long_as_asked_for)
{
    draw_flat(3u, 1u);
    world_build();
    memset(world_work, 0xA5, sizeof world_work);
    CHECK(run(1000u) >= 0);
    CHECK(words() < WORLD_WORK_WORDS);
    CHECK_EQ(world_work[words()].index, 0xA5A5A5A5u);
}

/* Coordinates of a map, far away in steps that are exact there: the same bits relative to the origin. */
TEST(test_fault_map_sized_coordinates_should_not_matter_when_anchors_are_flat)
{
    static cairn_real near_m[WORLD_REALS];
    for (uint32_t pass = 0; pass < 2u; ++pass) {
        const cairn_real far_m = pass == 0 ? 0 : 65536;
        const cairn_real side[3] = {far_m, 0, 100};
        draw_flat(3u, 2u);
        cfg.side_m = side;
        world_begin();
        for (uint32_t i = 0; i < ANCHORS; ++i) {
            cairn_real place_m[3];
            world.truth[3u * i] = (cairn_real)(int32_t)(2 * world_truth(i)[0]) / 2;
            world.truth[3u * i + 2u] = plane_at(i);
            memcpy(place_m, world_truth(i), sizeof place_m);
            place_m[0] += far_m;
            CHECK_EQ(cairn_network_set_anchor(&world_net, i, place_m), CAIRN_OK);
        }
        world_add_ranges();
        CHECK_EQ(run(1000u), CAIRN_OK);
        CHECK(world_net.origin_m[0] >= far_m);
        CHECK(pass == 0 || memcmp(near_m, world_place, sizeof near_m) == 0);
        memcpy(near_m, world_place, sizeof near_m);
    }
}

/* The part of the network that hangs together holds no anchor, then two; then it is a chain, which makes no frame. The
 * anchors are as they were. */
TEST(test_flat_should_leave_sensors_unplaced_when_the_map_holds_too_few_anchors)
{
    for (uint32_t pass = 0; pass < 3u; ++pass) {
        test_context("pass", pass);
        draw_flat(3u, 1u);
        world_begin();
        world_add_anchors();
        for (uint32_t b = ANCHORS + 1u; b < NODES; ++b) {
            for (uint32_t a = pass == 0 ? ANCHORS : pass == 1u ? ANCHORS - 2u : b - 1u; a < b; ++a) {
                CHECK_EQ(
                    cairn_network_add_range(&world_net, a, b, cairn_distance(world_truth(a), world_truth(b), 3u), 0),
                    CAIRN_OK);
            }
        }
        CHECK_EQ(run(1000u), CAIRN_NOT_CONVERGED);
        CHECK_EQ(world_net.n_anchors, ANCHORS);
        world_check_unplaced_from(ANCHORS);
        for (uint32_t i = 0; i < ANCHORS; ++i) {
            CHECK(world_error(i) < (cairn_real)1e-5);
        }
    }
}

/* Refused, with every byte as it was. */
static void check_refused(cairn_status want, size_t n_words)
{
    const uint8_t *bytes = (const uint8_t *)&job;
    const uint32_t hash = world_hash();
    const cairn_network_t network = world_net;
    memset(&job, 0x5A, sizeof job);
    CHECK_EQ(cairn_flat_init(&job, &cfg, &world_net, world_work, n_words), want);
    for (size_t k = 0; k < sizeof job; ++k) {
        CHECK_EQ(bytes[k], 0x5A);
    }
    CHECK_EQ(world_hash(), hash);
    CHECK_EQ(world_net.n_anchors, network.n_anchors);
    CHECK(memcmp(world_net.origin_m, network.origin_m, sizeof network.origin_m) == 0);
}

static void build_flat(void)
{
    draw_flat(3u, 1u);
    world_build();
    CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
}

TEST(test_init_should_refuse_when_anchors_are_not_in_one_plane)
{
    build_flat();
    world.truth[2] += 3; /* one above the others */
    world_add_anchors();
    check_refused(CAIRN_ERR_GEOMETRY, words());
    for (uint32_t i = 0; i < ANCHORS; ++i) { /* on a line */
        world.truth[3u * i + 1u] = world.truth[3u * i];
        world.truth[3u * i + 2u] = world.truth[3u * i];
    }
    world_add_anchors();
    check_refused(CAIRN_ERR_GEOMETRY, words());
}

TEST(test_init_should_refuse_when_anchors_ranges_or_memory_are_missing)
{
    build_flat();
    check_refused(CAIRN_ERR_SIZE, words() - 1u);
    world_add_starts(0);
    check_refused(CAIRN_ERR_STATE, words());
    draw_flat(3u, 1u);
    world_begin();
    world_add_anchors();
    check_refused(CAIRN_ERR_STATE, words());
    draw_flat(3u, 1u);
    world.n_anchors = 2u;
    world_build();
    check_refused(CAIRN_ERR_ANCHORS, words());
}

TEST(test_init_should_refuse_when_settings_are_out_of_range)
{
    static cairn_real side[3] = {0, 0, 0};
    build_flat();
    side[1] = (cairn_real)NAN;
    cfg.side_m = side;
    check_refused(CAIRN_ERR_NONFINITE, words());
    cfg.side_m = NULL;
    cfg.cold.push = -1; /* found by the cold start */
    check_refused(CAIRN_ERR_ARG, words());
    world_net.sealed = false; /* nor is an open network sealed then */
    check_refused(CAIRN_ERR_ARG, words());
    CHECK(!world_net.sealed);
    world_net.sealed = true;
    cfg.cold.push = 1;
    CHECK_EQ(cairn_flat_init(NULL, &cfg, &world_net, world_work, words()), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_flat_init(&job, NULL, &world_net, world_work, words()), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_flat_init(&job, &cfg, NULL, world_work, words()), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_flat_init(&job, &cfg, &world_net, NULL, words()), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_flat_step(NULL, 1u), CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_flat_should_place_all_when_a_side_is_given),
          TEST_CASE(test_flat_should_place_sensors_when_anchors_are_as_few_as_dimensions_and_held_fast),
          TEST_CASE(test_flat_should_leave_the_mirror_image_open_when_few_anchors_lie_nearly_on_a_line),
          TEST_CASE(test_flat_should_say_that_the_height_is_unresolved_when_no_side_is_given),
          TEST_CASE(test_flat_should_say_that_the_height_is_unresolved_when_the_side_lies_in_the_tilted_plane),
          TEST_CASE(test_flat_should_give_the_map_or_its_mirror_image_as_a_whole_when_no_side_is_given),
          TEST_CASE(test_flat_should_bring_each_sensor_to_the_side_when_they_range_with_anchors_only),
          TEST_CASE(test_flat_should_be_the_same_bits_when_sliced_and_over_dirty_memory),
          TEST_CASE(test_flat_should_keep_to_its_work_when_it_is_as_long_as_asked_for),
          TEST_CASE(test_fault_map_sized_coordinates_should_not_matter_when_anchors_are_flat),
          TEST_CASE(test_flat_should_leave_sensors_unplaced_when_the_map_holds_too_few_anchors),
          TEST_CASE(test_init_should_refuse_when_anchors_are_not_in_one_plane),
          TEST_CASE(test_init_should_refuse_when_anchors_ranges_or_memory_are_missing),
          TEST_CASE(test_init_should_refuse_when_settings_are_out_of_range))
