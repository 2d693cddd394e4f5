/* SPDX-License-Identifier: MIT
 * Tests of locate: exact answers, slicing, invariances, refusals, networks that cannot be placed. */
#include "oracle/world.h"

/* Exact ranges: everything is known to a few units of 10 m (8 x 6e-7 m); a well-connected network of n nodes passes
 * an error on enlarged by its size, sqrt(n) = 5 at most; and the sweeps stop at steps of 1e-6 of the mean range, which
 * leaves ten times that if they shrink by a tenth each. Together below 1e-4 m. */
#define EXACT 1e-4

/* With noise s the cost of a node is about its degree and its stiffness half that over s^2: a search that stops within
 * 16 units of the cost leaves s sqrt(32 units) per node, enlarged by the network as above. */
#define NOISY(noise) (5.0 * (noise)*oracle_sqrt(32.0 * (double)CAIRN_REAL_EPSILON))

static const cairn_locate_cfg_t exact_cfg = {NULL, 1000, 10, (cairn_real)1e-6, 0, 0};

/* 12 nodes in the plane, four anchors, about 40 ranges: small enough for a processor without floating point. */
static void draw_small(cairn_real noise, uint32_t seed) { world_draw(12u, 4u, 2u, 7, noise, seed); }

static void check_exact(void)
{
    uint32_t n_placed = 0;
    double rmse = world_rmse(&n_placed);
    CHECK_NEAR(rmse, 0.0, EXACT);
    CHECK(n_placed * 10u >= (world.n_nodes - world.n_anchors) * 8u);
}

TEST(test_locate_should_find_exact_places_when_ranges_are_exact_in_2d)
{
    for (uint32_t seed = 1; seed <= 2u; ++seed) {
        test_context("seed", seed);
        draw_small(0, seed);
        world_build();
        CHECK_EQ(world_locate(&exact_cfg, 100000u), CAIRN_OK);
        check_exact();
    }
}

TEST(test_locate_should_find_exact_places_when_ranges_are_exact_in_1d)
{
    world_draw(12u, 3u, 1u, 5, 0, 2u);
    world_build();
    CHECK_EQ(world_locate(&exact_cfg, 100000u), CAIRN_OK);
    check_exact();
}

TEST(test_locate_should_find_exact_places_when_ranges_are_exact_in_3d)
{
    world_draw(18u, 8u, 3u, 9, 0, 3u);
    world_build();
    CHECK_EQ(world_locate(&exact_cfg, 100000u), CAIRN_OK);
    check_exact();
}

TEST(test_locate_should_reach_the_accuracy_of_the_ranges_when_they_are_noisy)
{
    /* each of 10 neighbours or so fixes a place better than one range would: rmse below the noise times sqrt(2) */
    uint32_t n_placed = 0;
    double chi = 0.0;
    world_draw(20u, 5u, 2u, 5, (cairn_real)0.1, 1u);
    world_build();
    CHECK(world_locate(&cairn_locate_cfg_default, 100000u) >= 0);
    double rmse = world_rmse(&n_placed);
    CHECK(rmse < 0.1 * 1.4143);
    CHECK(n_placed >= 13u);
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        cairn_real place[2], std;
        REQUIRE(cairn_network_get_place(&world_net, i, place, &std) >= 0);
        if (cairn_network_get_state(&world_net, i) == CAIRN_NODE_PLACED) {
            double error = (double)world_error(i);
            CHECK(std > 0);
            chi += error * error / (2.0 * (double)std * (double)std);
        } else {
            CHECK(i >= world.n_anchors || std == 0);
        }
    }
    /* the declared deviations are those of the errors, within a factor of two (squares: four) below; above, they may be
     * three times as large, as the deviations of the neighbours are added as if each told something of its own */
    CHECK(chi / n_placed < 4.0);
    CHECK(chi / n_placed > 1.0 / 9.0);
    CHECK(cairn_locate_get_cost(&world_job) < 2 * (cairn_real)world_net.n_ranges);
}

TEST(test_locate_should_give_the_same_bits_when_sliced_by_any_budget)
{
    static const uint32_t budgets[] = {UINT32_MAX, 1u, 0u, 7u, 500u};
    uint32_t hash[sizeof budgets / sizeof budgets[0]];
    cairn_locate_cfg_t cfg = cairn_locate_cfg_default;
    cfg.sweeps_max = 4;
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; ++i) {
        test_context("budget", budgets[i]);
        draw_small((cairn_real)0.1, 5u);
        world_build();
        CHECK(world_locate(&cfg, budgets[i]) >= 0);
        hash[i] = world_hash();
        CHECK_EQ(hash[i], hash[0]);
    }
}

TEST(test_locate_should_give_the_same_bits_when_memory_held_other_bytes)
{
    uint32_t hash[2];
    cairn_locate_cfg_t cfg = cairn_locate_cfg_default;
    cfg.sweeps_max = 4;
    for (int i = 0; i < 2; ++i) {
        int fill = i == 0 ? 0x00 : 0xA5;
        draw_small((cairn_real)0.1, 6u);
        memset(world_work, fill, sizeof world_work);
        memset(world_links, fill, sizeof world_links);
        memset(&world_job, fill, sizeof world_job);
        world_build();
        CHECK(world_locate(&cfg, 1000u) >= 0);
        hash[i] = world_hash();
    }
    CHECK_EQ(hash[0], hash[1]);
}

TEST(test_locate_should_report_stage_and_progress_that_never_fall_when_stepped)
{
    cairn_real progress = 0;
    cairn_locate_stage stage = CAIRN_LOCATE_JUDGE;
    cairn_status status = CAIRN_MORE;
    uint32_t sweeps = 0;
    draw_small((cairn_real)0.1, 7u);
    world_build();
    CHECK_EQ(cairn_locate_init(&world_job, &cairn_locate_cfg_default, &world_net, world_work,
                               CAIRN_LOCATE_WORDS(world.n_nodes, world.dim)),
             CAIRN_OK);
    CHECK(cairn_locate_get_cost(&world_job) == 0);
    for (int steps = 0; status == CAIRN_MORE && steps < 20000; ++steps) {
        status = cairn_locate_step(&world_job, 20u);
        CHECK(cairn_locate_get_progress(&world_job) >= progress);
        CHECK(cairn_locate_get_stage(&world_job) >= stage);
        CHECK(cairn_locate_get_sweeps(&world_job) >= sweeps);
        progress = cairn_locate_get_progress(&world_job);
        stage = cairn_locate_get_stage(&world_job);
        sweeps = cairn_locate_get_sweeps(&world_job);
    }
    CHECK(status == CAIRN_OK || status == CAIRN_NOT_CONVERGED);
    CHECK(progress == 1);
    CHECK_EQ(stage, CAIRN_LOCATE_DONE);
    CHECK(sweeps > 0);
    uint32_t hash = world_hash();
    CHECK_EQ(cairn_locate_step(&world_job, 1000u), status); /* done stays done */
    CHECK_EQ(world_hash(), hash);
}

TEST(test_locate_should_say_not_converged_when_sweeps_are_limited)
{
    cairn_locate_cfg_t cfg = exact_cfg;
    cfg.sweeps_max = 1;
    draw_small((cairn_real)0.1, 5u);
    world_build();
    CHECK_EQ(world_locate(&cfg, 100000u), CAIRN_NOT_CONVERGED);
    CHECK_EQ(cairn_locate_get_sweeps(&world_job), 6); /* one relaxed, five plain */
}

/* Locates the same noisy world under a change of frame or of names; places are compared with what `expected` holds. */
static cairn_real located[WORLD_NODES * WORLD_DIM];

static void locate_converged(void)
{
    cairn_locate_cfg_t cfg = exact_cfg;
    world_build();
    CHECK(world_locate(&cfg, 100000u) >= 0);
}

static void keep_places(void)
{
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        CHECK(cairn_network_get_place(&world_net, i, located + (size_t)i * world.dim, NULL) >= 0);
    }
}

/* Converged to steps of 1e-6 of the mean range, both runs: as EXACT, twice. */
static void check_places(double tolerance)
{
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        cairn_real place[WORLD_DIM];
        CHECK(cairn_network_get_place(&world_net, i, place, NULL) >= 0);
        CHECK_NEAR(cairn_distance(place, located + (size_t)i * world.dim, world.dim), 0.0, tolerance);
    }
}

TEST(test_locate_should_move_with_the_frame_when_it_is_rotated_and_shifted)
{
    double rotation[4];
    const double shift[2] = {-31.5, 44.25};
    cairn_rng_t rng;
    draw_small((cairn_real)0.05, 8u);
    locate_converged();
    keep_places();
    cairn_rng_init(&rng, 9u, 9u);
    random_rotation(&rng, 2u, rotation);
    world_begin();
    for (uint32_t i = 0; i < world.n_anchors; ++i) {
        cairn_real moved[2];
        random_apply(rotation, shift, 2u, world_truth(i), moved);
        CHECK_EQ(cairn_network_set_anchor(&world_net, i, moved), CAIRN_OK);
    }
    world_add_ranges();
    CHECK(world_locate(&exact_cfg, 100000u) >= 0);
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        cairn_real moved[2];
        random_apply(rotation, shift, 2u, located + 2u * i, moved);
        memcpy(located + 2u * i, moved, sizeof moved);
    }
    check_places(4.0 * EXACT + 2.0 * NOISY(0.05)); /* coordinates up to 60 m: units four times as large */
}

TEST(test_locate_should_give_the_same_local_answer_when_coordinates_are_large)
{
    static const cairn_real offsets[] = {(cairn_real)1e5, (cairn_real)1e6, (cairn_real)1e7};
    draw_small(0, 1u);
    for (uint32_t i = 0; i < world.n_nodes * 2u; ++i) { /* anchors on whole metres stay exact at any of the offsets */
        world.truth[i] = (cairn_real)(int32_t)world.truth[i] + (i < world.n_anchors * 2u ? 0 : (cairn_real)0.375);
    }
    for (int k = 0; k < 3; ++k) {
        world_begin();
        for (uint32_t i = 0; i < world.n_anchors; ++i) {
            cairn_real moved[2];
            moved[0] = world_truth(i)[0] + offsets[k], moved[1] = world_truth(i)[1] - offsets[k];
            CHECK_EQ(cairn_network_set_anchor(&world_net, i, moved), CAIRN_OK);
        }
        world_add_ranges();
        cairn_status status = world_locate(&exact_cfg, 100000u);
        if (status == CAIRN_ERR_RESOLUTION && CAIRN_REAL_EPSILON * offsets[k] > (cairn_real)0.01) {
            continue; /* the spacing of the coordinates is about 1 % of the ranges */
        }
        CHECK_EQ(status, CAIRN_OK);
        for (uint32_t i = 0; i < world.n_nodes; ++i) {
            cairn_real local[2], origin[2];
            CHECK(cairn_network_get_local(&world_net, i, local, origin) >= 0);
            for (size_t d = 0; d < 2u; ++d) {
                CHECK_NEAR((double)local[d] + (double)world_truth(0)[d], world_truth(i)[d], EXACT);
            }
        }
    }
}

/* Anchors as in lemmingapex/trilateration#2. */
static void move_to_mercator(void)
{
    for (uint32_t i = 0; i < world.n_anchors; ++i) {
        cairn_real moved[2];
        moved[0] = world_truth(i)[0] + (cairn_real)4.6e6, moved[1] = world_truth(i)[1] + (cairn_real)1.6e7;
        CHECK_EQ(cairn_network_set_anchor(&world_net, i, moved), CAIRN_OK);
    }
}

TEST(test_locate_should_refuse_when_mercator_coordinates_are_too_coarse_for_the_ranges)
{
    if (sizeof(cairn_real) > 4u) {
        SKIP("double resolves them");
    }
    draw_small(0, 1u);
    world_begin();
    move_to_mercator();
    world_add_ranges();
    CHECK_EQ(world_locate(&exact_cfg, 100000u), CAIRN_ERR_RESOLUTION);
}

TEST(test_locate_should_refuse_when_anchors_of_a_sealed_network_move_to_mercator_coordinates)
{
    if (sizeof(cairn_real) > 4u) {
        SKIP("double resolves them");
    }
    draw_small(0, 1u);
    world_build();
    CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
    move_to_mercator();
    CHECK_EQ(world_locate(&exact_cfg, 100000u), CAIRN_ERR_RESOLUTION);
}

TEST(test_locate_should_agree_within_convergence_when_nodes_are_renamed)
{
    uint32_t n = 12u;
    draw_small((cairn_real)0.05, 8u);
    locate_converged();
    keep_places();
    /* node i becomes (5 i + 3) mod 12: places, anchors and ranges are renamed; ranges keep their noise */
    cairn_rng_t rng;
    cairn_rng_init(&rng, world.seed, 2u);
    world_begin();
    for (uint32_t i = 0; i < world.n_anchors; ++i) {
        CHECK_EQ(cairn_network_set_anchor(&world_net, (5u * i + 3u) % n, world_truth(i)), CAIRN_OK);
    }
    for (uint32_t b = world.n_anchors; b < n; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            cairn_real distance = cairn_distance(world_truth(a), world_truth(b), 2u);
            cairn_real range = distance + world.noise * random_normal(&rng);
            if (distance <= world.radius && range > 0) {
                CHECK_EQ(cairn_network_add_range(&world_net, (5u * b + 3u) % n, (5u * a + 3u) % n, range, 0), CAIRN_OK);
            }
        }
    }
    CHECK(world_locate(&exact_cfg, 100000u) >= 0);
    for (uint32_t i = 0; i < n; ++i) {
        cairn_real place[2];
        CHECK(cairn_network_get_place(&world_net, (5u * i + 3u) % n, place, NULL) >= 0);
        CHECK_NEAR(cairn_distance(place, located + 2u * i, 2u), 0.0, 2.0 * (EXACT + NOISY(0.05)));
    }
}

/* Sum of the squares the header defines, in double: ranges by their deviation, starts by theirs; and the rounding it
 * may have in cairn_real: each residual is known to a few units of 14 m. */
static double world_cost(const cairn_real *starts, double start_std, double *bound)
{
    double cost = 0.0, sum = 0.0;
    double std = (double)world.cfg.noise_abs_m;
    for (uint32_t a = 0; a < world.n_nodes; ++a) {
        cairn_real x[2], y[2];
        CHECK(cairn_network_get_place(&world_net, a, x, NULL) >= 0);
        for (uint32_t j = 0; j < cairn_network_degree(&world_net, a); ++j) {
            const cairn_link_t *link = cairn_network_link(&world_net, a, j);
            if (cairn_link_node(link) > a) {
                CHECK(cairn_network_get_place(&world_net, cairn_link_node(link), y, NULL) >= 0);
                double dx = (double)x[0] - (double)y[0], dy = (double)x[1] - (double)y[1];
                double d = oracle_sqrt(dx * dx + dy * dy) - (double)link->range_m;
                cost += d * d / (std * std);
                sum += oracle_abs(d) / (std * std);
            }
        }
        if (starts != NULL && a >= world.n_anchors) {
            double dx = (double)x[0] - (double)starts[2u * a], dy = (double)x[1] - (double)starts[2u * a + 1u];
            cost += (dx * dx + dy * dy) / (start_std * start_std);
            sum += (oracle_abs(dx) + oracle_abs(dy)) / (start_std * start_std);
        }
    }
    *bound = 2.0 * 14.0 * 8.0 * (double)CAIRN_REAL_EPSILON * sum + 300.0 * (double)CAIRN_REAL_EPSILON * cost;
    return cost;
}

TEST(test_locate_should_not_cost_more_than_its_start_and_report_its_cost_when_starts_are_given)
{
    cairn_rng_t rng;
    cairn_locate_cfg_t cfg = cairn_locate_cfg_default;
    double bound_start = 0.0, bound = 0.0;
    cfg.start_std_m = (cairn_real)0.5;
    for (uint32_t seed = 11; seed <= 12u; ++seed) {
        test_context("seed", seed);
        draw_small((cairn_real)0.1, seed);
        world_build();
        cairn_rng_init(&rng, seed, 3u);
        for (uint32_t i = 0; i < 2u * world.n_nodes; ++i) {
            located[i] = world.truth[i] + cfg.start_std_m * random_normal(&rng);
        }
        for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
            CHECK_EQ(cairn_network_set_start(&world_net, i, located + 2u * i), CAIRN_OK);
        }
        CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
        double before = world_cost(located, 0.5, &bound_start);
        CHECK(world_locate(&cfg, 1000u) >= 0);
        double after = world_cost(located, 0.5, &bound);
        CHECK(after <= before + bound_start + bound);
        CHECK(after < 0.5 * before); /* starts half a metre off, ranges good to a decimetre */
        CHECK_NEAR(cairn_locate_get_cost(&world_job), after, bound);
        CHECK(cairn_locate_get_start_std(&world_job) == cfg.start_std_m);
    }
}

TEST(test_locate_should_move_nothing_far_when_it_is_continued_from_its_own_answer)
{
    draw_small(0, 2u);
    world_build();
    CHECK_EQ(world_locate(&exact_cfg, 100000u), CAIRN_OK);
    keep_places();
    CHECK_EQ(cairn_network_clear_ranges(&world_net), CAIRN_OK); /* places become starts */
    CHECK_EQ(cairn_network_get_state(&world_net, 9u), CAIRN_NODE_STARTED);
    world_add_ranges();
    CHECK(world_locate(&exact_cfg, 100000u) >= 0);
    check_places(2.0 * EXACT);
}

/* Residuals far below what the stated noise allows tell nothing of the starts; taken for exact, they would stay where they
 * are, with deviations of next to nothing. */
TEST(test_locate_should_not_trust_starts_when_the_stated_noise_is_far_too_large)
{
    for (uint32_t seed = 1; seed <= TEST_SEEDS(5u); ++seed) {
        const cairn_real off_m = (cairn_real)0.5;
        test_context("seed", seed);
        draw_small((cairn_real)0.1, seed);
        world.cfg.noise_abs_m = 5;
        world_build();
        world_add_starts(off_m);
        CHECK(world_locate(&cairn_locate_cfg_default, 1000u) >= 0);
        CHECK(cairn_locate_get_start_std(&world_job) > off_m / 2 && cairn_locate_get_start_std(&world_job) < 2 * off_m);
    }
}

TEST_MAIN(TEST_CASE(test_locate_should_find_exact_places_when_ranges_are_exact_in_2d),
          TEST_CASE(test_locate_should_find_exact_places_when_ranges_are_exact_in_1d),
          TEST_CASE(test_locate_should_find_exact_places_when_ranges_are_exact_in_3d),
          TEST_CASE(test_locate_should_reach_the_accuracy_of_the_ranges_when_they_are_noisy),
          TEST_CASE(test_locate_should_give_the_same_bits_when_sliced_by_any_budget),
          TEST_CASE(test_locate_should_give_the_same_bits_when_memory_held_other_bytes),
          TEST_CASE(test_locate_should_report_stage_and_progress_that_never_fall_when_stepped),
          TEST_CASE(test_locate_should_say_not_converged_when_sweeps_are_limited),
          TEST_CASE(test_locate_should_move_with_the_frame_when_it_is_rotated_and_shifted),
          TEST_CASE(test_locate_should_give_the_same_local_answer_when_coordinates_are_large),
          TEST_CASE(test_locate_should_refuse_when_mercator_coordinates_are_too_coarse_for_the_ranges),
          TEST_CASE(test_locate_should_refuse_when_anchors_of_a_sealed_network_move_to_mercator_coordinates),
          TEST_CASE(test_locate_should_agree_within_convergence_when_nodes_are_renamed),
          TEST_CASE(test_locate_should_not_cost_more_than_its_start_and_report_its_cost_when_starts_are_given),
          TEST_CASE(test_locate_should_move_nothing_far_when_it_is_continued_from_its_own_answer),
          TEST_CASE(test_locate_should_not_trust_starts_when_the_stated_noise_is_far_too_large))
