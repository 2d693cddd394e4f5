/* SPDX-License-Identifier: MIT
 * Tests of residuals and suspicions: exchanged anchors, one id on two devices, blocked sight, bias, units, and silence
 * when nothing is wrong. */
#include "cairn/bias.h"
#include "cairn/lift.h"
#include "cairn/residual.h"
#include "cairn/suspect.h"
#include "oracle/world.h"

static cairn_residual_t residual;
static cairn_suspect_t costs;
static cairn_triangles_t triangles;
static cairn_lift_t job;
static cairn_real scratch[CAIRN_SUSPECT_WORK_REALS(3)];
#define N_SCRATCH (sizeof scratch / sizeof scratch[0])

/* The exchange that gains most. */
static cairn_status find_swap(uint32_t *a, uint32_t *b)
{
    cairn_suspect_t best = {0, 0, 0};
    uint32_t i = 0, j = 0;
    bool found = false;
    while (cairn_suspect_next_pair(&world_net, &i, &j)) {
        cairn_suspect_t one;
        cairn_status status = cairn_suspect_swap(&world_net, i, j, scratch, N_SCRATCH, &one);
        CHECK(i < j && status >= 0);
        if (status == CAIRN_REJECTED && (!found || one.as_is - one.otherwise > best.as_is - best.otherwise)) {
            found = true;
            best = one;
            *a = i;
            *b = j;
        }
    }
    costs = best;
    return found ? CAIRN_REJECTED : CAIRN_OK;
}

static void locate(const cairn_loss_t *loss)
{
    cairn_lift_cfg_t cfg = cairn_lift_cfg_default;
    cairn_status status;
    cfg.loss = loss;
    CHECK_EQ(cairn_lift_init(&job, &cfg, &world_net, NULL, world_work, CAIRN_LIFT_WORDS(world.n_nodes, world.dim)),
             CAIRN_OK);
    do {
        status = cairn_lift_step(&job, 100000u);
    } while (status == CAIRN_MORE);
    CHECK(status >= 0);
}

/* Six anchors and sensors that hear everything, noise .125 m. */
static void draw(uint32_t n_nodes, uint32_t seed) { world_draw(n_nodes, 6u, 2u, 20, (cairn_real)0.125, seed); }

TEST(test_judge_should_be_silent_when_the_noise_is_as_declared)
{
    for (uint32_t seed = 1; seed <= TEST_SEEDS(20u); ++seed) {
        test_context("seed", seed);
        uint32_t a = 99u, b = 99u;
        draw(14u, seed);
        world_build();
        locate(NULL);
        CHECK_EQ(cairn_residual_of_network(&world_net, &residual), CAIRN_OK);
        CHECK_EQ(residual.n, world_net.n_ranges);
        CHECK_EQ(cairn_residual_judge(&residual), 0);
        CHECK(residual.rms > (cairn_real)0.5 && residual.rms < (cairn_real)1.2);
        CHECK_EQ(find_swap(&a, &b), CAIRN_OK);
        CHECK(a == 99u && b == 99u);
        for (uint32_t i = 0; i < 14u; ++i) {
            cairn_real both[4];
            CHECK_EQ(cairn_suspect_double(&world_net, i, scratch, N_SCRATCH, both, &costs), CAIRN_OK);
        }
        CHECK_EQ(cairn_residual_triangles(&world_net, &triangles), CAIRN_OK);
        CHECK_EQ(triangles.n, 8 * 15);
        CHECK(triangles.n_broken <= 1u && triangles.ratio > 1 && triangles.ratio < 5);
    }
}

TEST(test_residual_of_link_should_be_the_miss_over_its_deviation_when_both_ends_are_known)
{
    static const cairn_real a_m[2] = {0, 0}, b_m[2] = {3, 4};
    world_draw(3u, 2u, 2u, 20, (cairn_real)0.5, 1u);
    world_begin();
    CHECK_EQ(cairn_network_set_anchor(&world_net, 0, a_m), CAIRN_OK);
    CHECK_EQ(cairn_network_set_anchor(&world_net, 1u, b_m), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&world_net, 0, 1u, 6, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&world_net, 0, 2u, 6, 0), CAIRN_OK);
    CHECK_EQ(cairn_residual_of_network(&world_net, &residual), CAIRN_ERR_STATE);
    CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
    CHECK_NEAR(cairn_residual_of_link(&world_net, 0, 0), 2.0, 1e-5);
    CHECK_NEAR(cairn_residual_of_link(&world_net, 1u, 0), 2.0, 1e-5);
    CHECK_NEAR(cairn_residual_of_link(&world_net, 0, 1u), 0.0, 0.0); /* no place */
    CHECK_NEAR(cairn_residual_of_link(&world_net, 0, 9u), 0.0, 0.0); /* no link */
    CHECK_EQ(cairn_residual_of_node(&world_net, 0, &residual), CAIRN_OK);
    CHECK_EQ(residual.n, 1);
    CHECK_NEAR(residual.rms, 2.0, 1e-5);
    CHECK_EQ(residual.worst_b, 1);
    CHECK_EQ(cairn_residual_of_node(&world_net, 3u, &residual), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(cairn_residual_of_node(&world_net, 0, NULL), CAIRN_ERR_ARG);
}

TEST(test_fault_14_exchanged_anchors_should_be_found_when_their_ids_are_swapped)
{
    for (uint32_t seed = 1; seed <= TEST_SEEDS(20u); ++seed) {
        test_context("seed", seed);
        uint32_t first = seed % 6u, second = (seed / 6u + first + 1u) % 6u, a = 99u, b = 99u;
        if (first == second) {
            continue;
        }
        draw(12u, seed);
        world_begin();
        for (uint32_t i = 0; i < 6u; ++i) {
            uint32_t stated = i == first ? second : i == second ? first : i;
            CHECK_EQ(cairn_network_set_anchor(&world_net, i, world_truth(stated)), CAIRN_OK);
        }
        world_add_ranges();
        locate(NULL);
        if (cairn_distance(world_truth(first), world_truth(second), 2u) < 1) {
            continue; /* nearly in one place: nothing to see */
        }
        CHECK_EQ(cairn_residual_of_network(&world_net, &residual), CAIRN_OK);
        CHECK((cairn_residual_judge(&residual) & CAIRN_SUSPECT_NOISE) != 0);
        CHECK_EQ(find_swap(&a, &b), CAIRN_REJECTED);
        CHECK_EQ(a < b ? a : b, first < second ? first : second);
        CHECK_EQ(a < b ? b : a, first < second ? second : first);
        CHECK(costs.otherwise < (cairn_real)0.25 * costs.as_is);
    }
}

TEST(test_fault_14_exchanged_anchors_should_be_found_when_anchors_range_each_other)
{
    uint32_t a = 99u, b = 99u;
    draw(7u, 3u);
    world_begin();
    for (uint32_t i = 0; i < 6u; ++i) {
        CHECK_EQ(cairn_network_set_anchor(&world_net, i, world_truth(i == 1u ? 4u : i == 4u ? 1u : i)), CAIRN_OK);
        for (uint32_t j = 0; j < i; ++j) {
            cairn_real range = cairn_distance(world_truth(i), world_truth(j), 2u);
            CHECK_EQ(cairn_network_add_range(&world_net, i, j, range, 0), CAIRN_OK);
        }
    }
    world_add_ranges();
    locate(NULL);
    CHECK_EQ(find_swap(&a, &b), CAIRN_REJECTED);
    CHECK_EQ(a, 1);
    CHECK_EQ(b, 4);
}

/* Node n_nodes - 1 is two devices: half of its ranges are those of `other`. */
static void build_double(uint32_t node, const cairn_real *other)
{
    world_begin();
    world_add_anchors();
    cairn_rng_t rng;
    cairn_rng_init(&rng, world.seed, 9u);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            uint32_t rest = i == node ? j : i;
            bool moved = (i == node || j == node) && rest % 2u == 1u;
            const cairn_real *p = moved ? other : world_truth(node);
            cairn_real range = i == node || j == node ? cairn_distance(world_truth(rest), p, 2u)
                                                      : cairn_distance(world_truth(i), world_truth(j), 2u);
            range += world.noise * random_normal(&rng);
            CHECK(cairn_network_add_range(&world_net, i, j, range > 0 ? range : (cairn_real)0.01, 0) == CAIRN_OK);
        }
    }
}

TEST(test_fault_14_two_devices_should_be_found_when_they_share_one_id)
{
    static const cairn_real first_m[2] = {2, 3}, second_m[2] = {8, 6};
    for (uint32_t seed = 1; seed <= TEST_SEEDS(10u); ++seed) {
        cairn_real both[4] = {0, 0, 0, 0};
        test_context("seed", seed);
        draw(16u, seed);
        world.truth[30] = first_m[0], world.truth[31] = first_m[1];
        build_double(15u, second_m);
        locate(&cairn_loss_redescend);
        CHECK_EQ(cairn_residual_of_node(&world_net, 15u, &residual), CAIRN_OK);
        CHECK((cairn_residual_judge(&residual) & CAIRN_SUSPECT_NOISE) != 0);
        CHECK_EQ(cairn_suspect_double(&world_net, 15u, scratch, N_SCRATCH, both, &costs), CAIRN_REJECTED);
        bool order = cairn_distance(both, first_m, 2u) < cairn_distance(both + 2, first_m, 2u);
        CHECK(cairn_distance(order ? both : both + 2, first_m, 2u) < (cairn_real)0.5);
        CHECK(cairn_distance(order ? both + 2 : both, second_m, 2u) < (cairn_real)0.5);
    }
}

TEST(test_fault_14_two_devices_should_be_found_when_they_share_the_id_of_an_anchor)
{
    static const cairn_real second_m[2] = {(cairn_real)5.5, 5};
    cairn_real both[4] = {0, 0, 0, 0};
    draw(16u, 2u);
    build_double(0u, second_m); /* anchor 0, in a corner */
    locate(&cairn_loss_redescend);
    CHECK_EQ(cairn_suspect_double(&world_net, 0u, scratch, N_SCRATCH, both, &costs), CAIRN_REJECTED);
    bool order = cairn_distance(both, second_m, 2u) < cairn_distance(both + 2, second_m, 2u);
    CHECK(cairn_distance(order ? both : both + 2, second_m, 2u) < (cairn_real)0.5);
    CHECK(cairn_distance(order ? both + 2 : both, world_truth(0u), 2u) < (cairn_real)0.5);
}

TEST(test_fault_15_residuals_should_be_one_sided_when_sight_is_blocked)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 3u, 3u);
    draw(20u, 4u);
    world_begin();
    world_add_anchors();
    for (uint32_t b = 6u; b < 20u; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            cairn_real range = cairn_distance(world_truth(a), world_truth(b), 2u);
            range += world.noise * random_normal(&rng) + (cairn_rng_below(&rng, 8u) == 0 ? 2 : 0);
            CHECK(cairn_network_add_range(&world_net, a, b, range > 0 ? range : (cairn_real)0.01, 0) == CAIRN_OK);
        }
    }
    locate(&cairn_loss_redescend);
    CHECK_EQ(cairn_residual_of_network(&world_net, &residual), CAIRN_OK);
    CHECK((cairn_residual_judge(&residual) & CAIRN_SUSPECT_ONE_SIDED) != 0);
    CHECK((cairn_residual_judge(&residual) & CAIRN_SUSPECT_OUTLIERS) != 0);
    CHECK(residual.n_long > 10u && residual.n_short < 4u);
}

TEST(test_fault_15_residuals_should_be_one_sided_when_all_ranges_have_a_bias)
{
    draw(12u, 5u);
    world.noise = 0;
    world_begin();
    world_add_anchors();
    for (uint32_t b = 6u; b < 12u; ++b) {
        for (uint32_t a = 0; a < 6u; ++a) {
            cairn_real range = cairn_distance(world_truth(a), world_truth(b), 2u) + (cairn_real)0.5;
            CHECK_EQ(cairn_network_add_range(&world_net, a, b, range, 0), CAIRN_OK);
        }
    }
    locate(NULL);
    CHECK_EQ(cairn_residual_of_network(&world_net, &residual), CAIRN_OK);
    CHECK((cairn_residual_judge(&residual) & CAIRN_SUSPECT_ONE_SIDED) != 0);
    CHECK(residual.mean > 1);
}

TEST(test_fault_16_units_should_be_suspect_when_one_range_is_in_millimetres)
{
    draw(12u, 6u);
    world_begin();
    world_add_anchors();
    world_add_ranges();
    /* one more range, between sensors that have none yet, as the world leaves pairs of anchors free: anchor to anchor */
    cairn_real range = 1000 * cairn_distance(world_truth(0u), world_truth(3u), 2u);
    CHECK_EQ(cairn_network_add_range(&world_net, 0u, 3u, range, 0), CAIRN_OK);
    locate(NULL);
    CHECK_EQ(cairn_residual_of_network(&world_net, &residual), CAIRN_OK);
    CHECK((cairn_residual_judge(&residual) & CAIRN_SUSPECT_UNITS) != 0);
    CHECK_EQ(residual.ratio_a, 0);
    CHECK_EQ(residual.ratio_b, 3);
    CHECK_NEAR(residual.ratio, 1000.0, 1.0);
}

TEST(test_fault_16_triangles_should_break_when_all_ranges_are_in_millimetres)
{
    draw(12u, 7u);
    world_begin();
    world_add_anchors();
    for (uint32_t b = 6u; b < 12u; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            cairn_real range = 1000 * cairn_distance(world_truth(a), world_truth(b), 2u);
            CHECK_EQ(cairn_network_add_range(&world_net, a, b, range, 0), CAIRN_OK);
        }
    }
    CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
    CHECK_EQ(cairn_residual_triangles(&world_net, &triangles), CAIRN_OK);
    CHECK(2u * triangles.n_broken > triangles.n);
    CHECK(triangles.ratio > 500 && triangles.ratio < 5000);
}

TEST(test_suspect_should_refuse_and_write_nothing_when_an_argument_is_bad)
{
    cairn_real both[4] = {7, 7, 7, 7};
    cairn_suspect_t before;
    draw(10u, 8u);
    world_build();
    memset(&costs, 0x5A, sizeof costs);
    memcpy(&before, &costs, sizeof costs);
    uint32_t a = 0, b = 0;
    CHECK_EQ(cairn_suspect_swap(&world_net, 0, 1u, scratch, N_SCRATCH, &costs), CAIRN_ERR_STATE);
    CHECK(!cairn_suspect_next_pair(&world_net, &a, &b));
    CHECK(!cairn_suspect_next_pair(NULL, &a, &b));
    locate(NULL);
    CHECK_EQ(cairn_suspect_swap(&world_net, 0, 0, scratch, N_SCRATCH, &costs), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_suspect_swap(&world_net, 0, 7u, scratch, N_SCRATCH, &costs), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_suspect_swap(&world_net, 0, 10u, scratch, N_SCRATCH, &costs), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(cairn_suspect_swap(&world_net, 0, 1u, scratch, CAIRN_SUSPECT_WORK_REALS(2) - 1u, &costs), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_suspect_swap(&world_net, 0, 1u, NULL, N_SCRATCH, &costs), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_suspect_double(&world_net, 10u, scratch, N_SCRATCH, both, &costs), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(cairn_suspect_double(&world_net, 7u, scratch, N_SCRATCH, NULL, &costs), CAIRN_ERR_ARG);
    CHECK_MEM(&costs, &before, sizeof costs);
    CHECK(both[0] >= 7 && both[0] <= 7);
    CHECK_EQ(cairn_residual_triangles(&world_net, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_residual_of_network(NULL, &residual), CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_judge_should_be_silent_when_the_noise_is_as_declared),
          TEST_CASE(test_residual_of_link_should_be_the_miss_over_its_deviation_when_both_ends_are_known),
          TEST_CASE(test_fault_14_exchanged_anchors_should_be_found_when_their_ids_are_swapped),
          TEST_CASE(test_fault_14_exchanged_anchors_should_be_found_when_anchors_range_each_other),
          TEST_CASE(test_fault_14_two_devices_should_be_found_when_they_share_one_id),
          TEST_CASE(test_fault_14_two_devices_should_be_found_when_they_share_the_id_of_an_anchor),
          TEST_CASE(test_fault_15_residuals_should_be_one_sided_when_sight_is_blocked),
          TEST_CASE(test_fault_15_residuals_should_be_one_sided_when_all_ranges_have_a_bias),
          TEST_CASE(test_fault_16_units_should_be_suspect_when_one_range_is_in_millimetres),
          TEST_CASE(test_fault_16_triangles_should_break_when_all_ranges_are_in_millimetres),
          TEST_CASE(test_suspect_should_refuse_and_write_nothing_when_an_argument_is_bad))
