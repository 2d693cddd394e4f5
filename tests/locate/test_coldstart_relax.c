/* SPDX-License-Identifier: MIT
 * Tests of the steps of Newton that end the fine last stage of a cold start, where few ranges hold the nodes: the places are
 * at rest by an oracle of the cost, relaxation brings slow nodes to theirs, dampings do what they say. */
#include "locate/coldstart_newton.h"

#define WORLD_NODES      20
#define WORLD_RANGES     100
#define WORLD_REALS      60
#define WORLD_WORK_WORDS (CAIRN_COLDSTART_WORDS(WORLD_NODES, 3, 1) + COLD_CANARIES)
#include "oracle/cold.h"
#include "oracle/fine.h"

#define SHORT_SHARE 3e-5 /* of the radio range: root mean square step at which the stage ends, at most */
#define LEFT_SHARE  0.01 /* of a slope, by a step */
#define REST_SHARE  1e-5 /* of the radio range: step of a slow node at which relaxation ends */

/* Every range drawn with a deviation of its own, and every second one without. */
static void add_sparse_ranges(uint32_t most, bool own)
{
    uint8_t degrees[WORLD_NODES] = {0};
    cairn_rng_t rng;
    cairn_rng_init(&rng, world.seed, 4u);
    for (uint32_t b = world.n_anchors; b < world.n_nodes; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            const cairn_real distance_m = cairn_distance(world_truth(a), world_truth(b), world.dim);
            const cairn_real range_m = distance_m + world.noise * random_normal(&rng);
            if (distance_m < world.radius && range_m > 0 && degrees[b] < most &&
                (a < world.n_anchors || degrees[a] < most)) {
                const cairn_real std_m = own && (a + b) % 2u == 0 ? (cairn_real)0.2 : 0;
                REQUIRE(cairn_network_add_range(&world_net, a, b, range_m, std_m) == CAIRN_OK);
                ++degrees[a];
                ++degrees[b];
            }
        }
    }
}

/* Twenty nodes with two to five ranges each, some with none. Kinds by the seed: dimension, radio range, noise, starts. */
static void build_sparse(uint32_t seed)
{
    static const cairn_real start_std_m[4] = {(cairn_real)0.5, 1, (cairn_real)2.2, 5};
    const uint32_t dim = seed % 8u == 7u ? 3u : 2u;
    const cairn_real radius = (cairn_real)2.5 + (cairn_real)0.5 * (cairn_real)(seed % 3u) + (dim == 3u ? 2 : 0);
    const cairn_real std_m = start_std_m[seed / 2u % 4u];
    draw(WORLD_NODES, 4u, dim, radius, (cairn_real)0.08, seed);
    world.cfg.noise_rel = seed % 2u == 0 ? (cairn_real)0.15 : 0;
    world_begin();
    world_add_anchors();
    add_sparse_ranges(seed % 5u == 0 ? 2u : 5u, seed % 4u == 3u);
    world_add_starts(std_m);
    cold_cfg.locate.start_std_m = std_m;
    cold_cfg.locate.radio_range_m = seed % 3u == 1u ? (cairn_real)1.3 * radius : radius;
    cold_cfg.fine = 1;
    test_context("seed", seed);
}

/* The settings of the last stage as it was left; the places and the cost are those of its end. */
static cairn_status finish_and_look(fine_t *fine, double *cost)
{
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        const bool final = cold_job.stage == CAIRN_COLDSTART_FINAL;
        if (final) {
            *fine = fine_of(&cold_job);
        }
        status = cairn_coldstart_step(&cold_job, 1u);
        if (final && cold_job.stage != CAIRN_COLDSTART_FINAL) {
            *cost = fine_cost(fine);
        }
    }
    return status;
}

/* The last step was no longer than `SHORT_SHARE` in the mean, so none was longer than sqrt n times that, and led down from a
 * slope of no more than the Hessian times it. Newton's step leaves of that what the Hessian changes along the step, .5 % where
 * nodes are a tenth of the radio range apart, and what the conjugate gradients leave, .1 %; relaxation what it calls rest. (A
 * wall that only the last step touched could leave more: not once in 4800 seeds.) */
TEST(test_slopes_should_be_level_and_cost_be_the_oracles_when_a_job_on_a_sparse_network_says_ok)
{
    uint32_t n_ok = 0, n_thinned = 0;
    for (uint32_t seed = 0; seed < TEST_SEEDS(120u); ++seed) {
        fine_t fine = {0};
        double cost = 0;
        build_sparse(seed);
        REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
        const cairn_status status = finish_and_look(&fine, &cost);
        REQUIRE(status == CAIRN_OK || status == CAIRN_NOT_CONVERGED);
        n_ok += status == CAIRN_OK ? 1u : 0u;
        if (cold_job.pair_share != COLDSTART_SHARE_ALL) {
            ++n_thinned;
            continue;
        }
        CHECK_NEAR(cold_job.cost, cost, 1e-4 * cost + 1e-5 + fine_kinks);
        for (uint32_t i = world.n_anchors; i < world.n_nodes && status == CAIRN_OK; ++i) {
            const double most =
                (LEFT_SHARE * SHORT_SHARE * oracle_sqrt(world.n_nodes) + REST_SHARE) * fine.radio_range_m;
            CHECK(fine_pull(i) <= most * fine_stiffness[i]);
        }
    }
    CHECK(n_ok >= TEST_SEEDS(120u) - TEST_SEEDS(120u) / 20u);
    CHECK(n_thinned <= 1u + TEST_SEEDS(120u) / 20u);
}

/* What the step of the map is to take in: where nodes were before the first sweep, and the step at that time. */
static double entered_m[WORLD_REALS];
static double entered_step_m[WORLD_REALS];

static void enter_sweeps(void)
{
    for (uint32_t k = 0; k < world.dim * world.n_nodes; ++k) {
        entered_m[k] = (double)world_place[k];
        entered_step_m[k] = (double)cairn_coldstart_vector(&cold_job, 3)[k];
    }
}

static bool is_damped(uint32_t node)
{
    return coldstart_is_free(&cold_job, node) && coldstart_damping(&cold_job, node) > COLDSTART_HIDDEN;
}

/* Few ranges, or damped, or a neighbour of one that is damped: in networks this small the patches have room for all. */
static bool is_relaxed(uint32_t node)
{
    bool relaxed = network_degree(&world_net, node) <= world.dim || is_damped(node);
    for (uint32_t j = 0; j < network_degree(&world_net, node); ++j) {
        relaxed = relaxed || is_damped(cairn_link_node(network_link(&world_net, node, j)));
    }
    return relaxed && coldstart_is_free(&cold_job, node);
}

/* All sweeps over loose nodes are done; before, the cost was that. The last step was shorter than `REST_SHARE`. */
static void check_relaxed(const fine_t *fine, double cost_before)
{
    const double cost = fine_cost(fine);
    CHECK_EQ(cold_job.n_changed, 0u); /* the last sweep found all at rest */
    CHECK(cost <= cost_before + 1e-6 * cost_before);
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        if (is_relaxed(i)) {
            CHECK(fine_pull(i) <= 2 * REST_SHARE * fine->radio_range_m * fine_stiffness[i]);
        }
        for (uint32_t k = world.dim * i; k < world.dim * (i + 1u); ++k) {
            const double step_m = (double)cairn_coldstart_vector(&cold_job, 3)[k] - entered_step_m[k];
            const double way_m = (double)world_place[k] - entered_m[k];
            CHECK_NEAR(step_m, way_m, 1e-4);
        }
    }
}

/* Run the job; after each relaxation in the steps of Newton look at it. `n_damped` nodes from the
 * seventh on are damped at first. Returns how many. */
static uint32_t follow_relaxations(uint32_t n_damped)
{
    cairn_status status = CAIRN_MORE;
    uint32_t n_relaxed = 0;
    double cost_before = 0;
    while (status == CAIRN_MORE) {
        const uint32_t phase = cold_job.phase;
        const bool newton = cold_job.stage == CAIRN_COLDSTART_FINAL && cold_job.newton;
        status = cairn_coldstart_step(&cold_job, 1u);
        if (!newton || cold_job.stage != CAIRN_COLDSTART_FINAL) {
            continue;
        }
        const fine_t fine = fine_of(&cold_job);
        if (phase == PHASE_APPLY && cold_job.phase == PHASE_GRID && cold_job.outer == 1u) {
            for (uint32_t i = 6u; i < 6u + n_damped; ++i) {
                coldstart_set_damping(&cold_job, i, (cairn_real)0.1 * cold_job.unit_weight);
            }
        }
        if (phase == PHASE_GRID && cold_job.phase == PHASE_LOOSE && cold_job.n_sweeps == 0) {
            cost_before = fine_cost(&fine);
            enter_sweeps();
        } else if (phase == PHASE_LOOSE && cold_job.phase == PHASE_REFILL) {
            check_relaxed(&fine, cost_before);
            ++n_relaxed;
        }
    }
    CHECK_EQ(status, CAIRN_OK);
    return n_relaxed;
}

/* Six anchors; two or three sensors with one or two ranges each, which lean on those that they have none to. */
TEST(test_linkage_should_come_to_its_least_cost_when_it_is_relaxed)
{
    uint32_t n_relaxed = 0;
    for (uint32_t seed = 0; seed < TEST_SEEDS(60u); ++seed) {
        draw(8u + seed % 2u, 6u, 2u, 5, (cairn_real)0.05, seed);
        world.cfg.noise_rel = seed % 3u == 0 ? (cairn_real)0.1 : 0;
        world_begin();
        world_add_anchors();
        add_sparse_ranges(2u, false);
        world_add_starts(1);
        cold_cfg.locate.start_std_m = 1;
        cold_cfg.fine = 1;
        test_context("seed", seed);
        if (world_net.n_ranges > 0) {
            REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
            n_relaxed += follow_relaxations(0);
        }
    }
    CHECK(n_relaxed >= TEST_SEEDS(60u));
}

/* Relax all there is, from a grid of its own. Returns the operations that took. */
static int32_t relax(void)
{
    int32_t operations = INT32_MAX;
    cairn_coldstart_grid_begin(&cold_job);
    CHECK(cairn_coldstart_grid_fill(&cold_job, &operations));
    operations = INT32_MAX;
    cold_job.n_changed = 0;
    CHECK(cairn_coldstart_relax(&cold_job, &operations));
    return INT32_MAX - operations;
}

/* Four anchors, a sensor that two of them hear, and one that has but its start, far from all. */
TEST(test_patches_at_rest_should_be_looked_at_once_when_nothing_moves_them)
{
    static const cairn_real anchors_m[4][2] = {{0, 0}, {3, 0}, {0, 7}, {9, 9}};
    static const cairn_real heard_m[2] = {(cairn_real)1.5, -2}, lone_m[2] = {30, 30};
    const int32_t n_nodes = 6, look = 16;
    draw((uint32_t)n_nodes, 4u, 2u, 4, 0, 1u);
    world_begin();
    for (uint32_t i = 0; i < 4u; ++i) {
        REQUIRE(cairn_network_set_anchor(&world_net, i, anchors_m[i]) == CAIRN_OK);
    }
    REQUIRE(cairn_network_set_start(&world_net, 4u, heard_m) == CAIRN_OK);
    REQUIRE(cairn_network_set_start(&world_net, 5u, lone_m) == CAIRN_OK);
    REQUIRE(cairn_network_add_range(&world_net, 0u, 4u, (cairn_real)2.4, 0) == CAIRN_OK);
    REQUIRE(cairn_network_add_range(&world_net, 1u, 4u, (cairn_real)2.6, 0) == CAIRN_OK);
    cold_cfg.locate.start_std_m = 1;
    cold_cfg.fine = 1;
    REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
    while (!cold_job.newton || cold_job.phase != PHASE_LOOSE) {
        REQUIRE(cairn_coldstart_step(&cold_job, 1u) == CAIRN_MORE);
    }
    (void)relax();
    (void)relax();
    CHECK_EQ(relax(), n_nodes + 2 * look);
    CHECK_EQ(cold_job.n_changed, 0u);
}

/* Four nodes that all hear each other, one of them a fifth as well, which alone hears anchors: three ranges each. */
static void build_hanging(uint32_t seed)
{
    draw(9u, 4u, 2u, 5, (cairn_real)0.05, seed);
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, 5u);
    for (uint32_t k = 0; k < 10u; ++k) {
        world.truth[8u + k] = (k < 2u ? 4 : k % 2u == 0 ? 7 : 3) + (cairn_real)1.5 * cairn_rng_uniform(&rng);
    }
    world_begin();
    world_add_anchors();
    for (uint32_t b = 4u; b < 9u; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            if (a >= 5u || (b == 4u && a < 4u) || (b == 5u && a == 4u)) {
                const cairn_real range_m = cairn_distance(world_truth(a), world_truth(b), 2u);
                REQUIRE(cairn_network_add_range(&world_net, a, b, range_m, 0) == CAIRN_OK);
            }
        }
    }
    world_add_starts((cairn_real)0.7);
    cold_cfg.locate.start_std_m = (cairn_real)0.7;
    cold_cfg.fine = 1;
    test_context("seed", seed);
}

TEST(test_cluster_on_one_node_should_come_to_its_least_cost_when_it_is_damped)
{
    for (uint32_t seed = 0; seed < TEST_SEEDS(30u); ++seed) {
        build_hanging(seed);
        REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
        CHECK(follow_relaxations(1u + seed % 3u) > 0);
    }
}

/* A job in the steps of Newton, whose vectors hold nothing any more that a test may not write over. */
static void begin_newton(void)
{
    draw(WORLD_NODES, 4u, 2u, 4, (cairn_real)0.1, 3u);
    world_begin();
    world_add_anchors();
    add_sparse_ranges(4u, false);
    world_add_starts((cairn_real)0.7);
    cold_cfg.locate.start_std_m = (cairn_real)0.7;
    cold_cfg.fine = 1;
    REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
    while (!cold_job.newton || cold_job.phase <= PHASE_DAMP) {
        REQUIRE(cairn_coldstart_step(&cold_job, 1u) == CAIRN_MORE);
    }
    for (uint32_t i = 0; i < world.n_nodes; ++i) { /* every third sensor has a start that is hidden */
        world_std[i] = i < world.n_anchors ? 7 : (i % 3u == 0 ? -1 : 1) * (cairn_real)0.25 * (cairn_real)(i % 4u);
        world_std[i] = i >= world.n_anchors && i % 12u == 0 ? -COLDSTART_HIDDEN : world_std[i];
    }
}

/* Ways of all nodes along both axes, and what stands against them: what node i contributes is shares[i]. */
static void set_parts(size_t way, size_t against, const double *shares)
{
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        const double x = 0.1 + 0.02 * (double)(i % 7u), y = -0.3 + 0.05 * (double)(i % 5u);
        cairn_coldstart_vector(&cold_job, way)[2u * i] = (cairn_real)x;
        cairn_coldstart_vector(&cold_job, way)[2u * i + 1u] = (cairn_real)y;
        cairn_coldstart_vector(&cold_job, against)[2u * i] = (cairn_real)(shares[i] / (x * x + y * y) * x);
        cairn_coldstart_vector(&cold_job, against)[2u * i + 1u] = (cairn_real)(shares[i] / (x * x + y * y) * y);
    }
}

static double way2(size_t way, uint32_t node)
{
    const double x = (double)cairn_coldstart_vector(&cold_job, way)[2u * node];
    const double y = (double)cairn_coldstart_vector(&cold_job, way)[2u * node + 1u];
    return x * x + y * y;
}

static double damping_before[WORLD_NODES];

/* Let the dampings change; of each sensor's the sign stays, and of anchors all. */
static void change_dampings(coldstart_damp damp)
{
    cairn_real std_before[WORLD_NODES];
    memcpy(std_before, world_std, sizeof std_before);
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        damping_before[i] = (double)coldstart_damping(&cold_job, i);
    }
    cairn_coldstart_damp_begin(&cold_job, damp == COLDSTART_DAMP_FORM ? damp : COLDSTART_DAMP_BACK);
    cairn_coldstart_shares_run(&cold_job, 0, 13u);
    cairn_coldstart_shares_run(&cold_job, 13u, world.n_nodes);
    cold_job.damp = (uint8_t)damp;
    cairn_coldstart_damp_run(&cold_job, 0, world.n_nodes);
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        test_context("node", i);
        CHECK(std_before[i] < 0 ? world_std[i] < 0 : world_std[i] >= 0);
        CHECK(i >= world.n_anchors || world_std[i] == std_before[i]);
    }
}

static double added(uint32_t node) { return (double)coldstart_damping(&cold_job, node) - damping_before[node]; }

/* Three sensors spoil a form that is negative, a fourth a little. */
static void spoil(double *shares)
{
    for (uint32_t i = 0; i < WORLD_NODES; ++i) {
        shares[i] = i < world.n_anchors ? -1000 : i == 6u ? -20 : i == 9u ? -7 : i == 10u ? -1 : i == 13u ? -0.01 : 1;
    }
}

TEST(test_form_should_be_positive_along_the_same_direction_when_those_that_spoil_it_are_damped)
{
    double shares[WORLD_NODES], form = 0;
    begin_newton();
    spoil(shares);
    set_parts(1, 2, shares);
    change_dampings(COLDSTART_DAMP_FORM);
    CHECK_NEAR(cold_job.total.sum, 12 - 28.01, 1e-3);
    CHECK_NEAR(cold_job.back, 28.01, 1e-3);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        CHECK((added(i) > 0) == (shares[i] <= -1));
        form += shares[i] + added(i) * way2(1, i);
    }
    CHECK(form > 0);
}

/* With the damping as one more spring, the slope at the end of the step is what it would be. */
TEST(test_slope_at_the_end_of_a_step_should_be_none_when_those_that_led_back_are_damped)
{
    double shares[WORLD_NODES], moved2 = 0;
    begin_newton();
    spoil(shares);
    set_parts(3, 0, shares);
    change_dampings(COLDSTART_DAMP_BACK);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        /* a thousandth of a range's weight is taken to hold a node beside its damping */
        const double whole = 1 + damping_before[i] / (1e-3 * (double)cold_job.unit_weight);
        moved2 += way2(3, i) * whole * whole;
    }
    CHECK_NEAR(cold_job.moved2, moved2, 1e-4 * moved2);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        CHECK((added(i) > 0) == (shares[i] <= -1));
        if (shares[i] <= -1) {
            CHECK_NEAR(shares[i] + added(i) * way2(3, i), 0, 1e-4 * -shares[i]);
        }
    }
}

TEST(test_longest_steps_alone_should_be_damped_when_a_step_was_too_long)
{
    double shares[WORLD_NODES];
    begin_newton();
    spoil(shares);
    set_parts(3, 0, shares);
    cairn_coldstart_vector(&cold_job, 3)[2u * 11u] = 3;
    cairn_coldstart_vector(&cold_job, 3)[2u * 12u] = (cairn_real)1.6;
    cairn_coldstart_vector(&cold_job, 3)[2u * 14u] = (cairn_real)1.4;
    cairn_coldstart_vector(&cold_job, 3)[0] = 50; /* an anchor's is none */
    change_dampings(COLDSTART_DAMP_LONG);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        CHECK((added(i) > 1e-6) == (i == 11u || i == 12u));
    }
}

TEST(test_dampings_should_be_quartered_until_they_are_none_when_they_are_eased_and_at_once_when_cleared)
{
    double shares[WORLD_NODES];
    begin_newton();
    spoil(shares);
    set_parts(3, 0, shares);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        world_std[i] *= cold_job.unit_weight;
    }
    change_dampings(COLDSTART_DAMP_EASE);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        CHECK_NEAR(coldstart_damping(&cold_job, i), 0.25 * damping_before[i], 1e-6 * damping_before[i] + 1e-20);
    }
    for (int times = 0; times < 8; ++times) {
        change_dampings(COLDSTART_DAMP_EASE);
    }
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        CHECK(coldstart_damping(&cold_job, i) <= COLDSTART_HIDDEN);
        CHECK((world_std[i] < 0) == (i % 3u == 0 && (i % 4u != 0 || i % 12u == 0)));
        coldstart_set_damping(&cold_job, i, 1);
    }
    change_dampings(COLDSTART_DAMP_CLEAR);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        CHECK(coldstart_damping(&cold_job, i) <= COLDSTART_HIDDEN);
    }
}

/* Far starts, which are hidden in a first last stage, and near ones, of which a second map is made: shown again they all
 * are. Returns how many sensors had a start in the last last stage. */
static uint32_t count_shown(void)
{
    uint32_t n_shown = 0;
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        if (cold_job.stage == CAIRN_COLDSTART_STARTS && cold_job.prior_weight > 0) {
            n_shown = 0;
            for (uint32_t i = 0; i < world.n_nodes; ++i) {
                n_shown += cairn_network_get_state(&world_net, i) == CAIRN_NODE_STARTED ? 1u : 0u;
            }
        }
        status = cairn_coldstart_step(&cold_job, 1u);
    }
    return n_shown;
}

TEST(test_deviations_should_not_be_negative_and_starts_be_shown_again_when_dampings_lay_over_what_hides_them)
{
    uint32_t n_far = 0, n_two = 0;
    for (uint32_t seed = 0; seed < TEST_SEEDS(40u); ++seed) {
        const cairn_real std_m = (seed % 2u == 0 ? 6 : (cairn_real)3.2);
        draw(WORLD_NODES, 4u, 2u, 4, (cairn_real)0.1, seed);
        world_begin();
        world_add_anchors();
        add_sparse_ranges(4u, false);
        world_add_starts(std_m);
        cold_cfg.locate.start_std_m = std_m;
        cold_cfg.fine = 1;
        test_context("seed", seed);
        REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
        cairn_word_t *behind = world_work + cold_words();
        memset(behind, 0x5A, COLD_CANARIES * sizeof *behind);
        CHECK_EQ(count_shown(), world.n_nodes - world.n_anchors);
        n_far += cold_job.far_starts ? 1u : 0u;
        n_two += cold_job.two_maps && !cold_job.far_starts ? 1u : 0u;
        cold_check_honest();
        for (uint32_t i = 0; i < COLD_CANARIES; ++i) {
            CHECK_EQ(behind[i].index, 0x5A5A5A5Au);
        }
    }
    CHECK(n_far > 0 && n_far + n_two == TEST_SEEDS(40u));
    CHECK(TEST_SEEDS(40u) < 2u || n_two > 0);
}

/* Distances below, within and beyond the bounds of the weight, of short ranges and of long ones. Besides, what sixteen parts
 * leave open at those bounds. */
TEST(test_cost_of_a_range_should_be_the_integral_of_its_slope_when_the_distance_is_anywhere)
{
    static const cairn_real noises[4] = {0, (cairn_real)0.05, (cairn_real)0.15, (cairn_real)0.3};
    static const cairn_real ranges_m[3] = {(cairn_real)0.2, 1, (cairn_real)3.7};
    static const cairn_real ratios[9] = {(cairn_real)0.05,
                                         (cairn_real)0.3,
                                         (cairn_real)0.6,
                                         (cairn_real)0.8,
                                         (cairn_real)0.97,
                                         (cairn_real)1.02,
                                         (cairn_real)1.3,
                                         2,
                                         5};
    begin_newton();
    for (uint32_t n = 0; n < 4u * 3u * 9u; ++n) {
        const cairn_link_t link = {0, ranges_m[n / 9u % 3u]};
        const cairn_real distance_m = link.range_m * ratios[n % 9u], range_m = cold_job.stretch * link.range_m;
        world.cfg.noise_rel = noises[n / 27u];
        world.cfg.noise_abs_m = (cairn_real)0.02;
        cairn_coldstart_set_noise(&cold_job, 0, 1);
        const fine_t fine = fine_of(&cold_job);
        const double weight =
            (double)coldstart_weight(&cold_job.noise, &world_net, true, &link, distance_m * distance_m);
        const double off_m = (double)distance_m - (double)range_m;
        const double factor = (double)coldstart_integral(&cold_job.noise, &world_net, true, &link, distance_m, range_m);
        fine_kinks = 0;
        const double integral = fine_integral(&fine, &link, (double)distance_m);
        test_context("n", n);
        CHECK_NEAR(0.5 * weight * off_m * off_m * factor, integral, 1e-4 * integral + fine_kinks);
    }
}

TEST(test_slices_should_give_the_same_bits_when_slow_nodes_are_relaxed)
{
    for (uint32_t i = 0; i < TEST_SEEDS(24u); ++i) {
        const uint32_t seed = 5u * i; /* two ranges each */
        build_sparse(seed);
        const cairn_status in_slices = cold_locate(&cold_cfg, 1u);
        const uint32_t hash = cold_hash(in_slices);
        build_sparse(seed);
        CHECK_EQ(cold_hash(cold_locate(&cold_cfg, UINT32_MAX)), hash);
    }
}

/* A node's places to both sides on the circle about another must cost more. */
static void check_turned(const fine_t *fine, uint32_t node, const cairn_real *centre_m)
{
    cairn_real *place_m = network_place(&world_net, node);
    const cairn_real before_m[2] = {place_m[0], place_m[1]};
    const double cost = fine_cost(fine);
    for (int side = -1; side <= 1; side += 2) {
        const cairn_real angle = (cairn_real)side * (cairn_real)1e-3, cosine = 1 - angle * angle / 2;
        const cairn_real east_m = before_m[0] - centre_m[0], north_m = before_m[1] - centre_m[1];
        place_m[0] = centre_m[0] + cosine * east_m - angle * north_m;
        place_m[1] = centre_m[1] + cosine * north_m + angle * east_m;
        CHECK(fine_cost(fine) > cost);
    }
    place_m[0] = before_m[0];
    place_m[1] = before_m[1];
}

/* Four anchors, a sensor that two of them hear, and the last, which a third hears. Its start is nearer than the radio range to
 * the first two; the next place on the circle of its range that is not is where that meets the second one's. The start pulls
 * it some way into the wall. */
TEST(test_sensor_should_rest_where_its_range_meets_a_wall_when_its_start_is_behind_it)
{
    static const cairn_real anchors_m[4][2] = {{0, 0}, {3, 0}, {0, (cairn_real)7.2}, {9, 9}};
    static const cairn_real heard_m[2] = {(cairn_real)1.5, -2}, start_m[2] = {(cairn_real)1.6, 2};
    cairn_real place_m[2];
    cairn_status status = CAIRN_MORE;
    draw(6u, 4u, 2u, 4, 0, 1u);
    world_begin();
    for (uint32_t i = 0; i < 4u; ++i) {
        CHECK_EQ(cairn_network_set_anchor(&world_net, i, anchors_m[i]), CAIRN_OK);
    }
    CHECK_EQ(cairn_network_set_start(&world_net, 4u, heard_m), CAIRN_OK);
    CHECK_EQ(cairn_network_set_start(&world_net, 5u, start_m), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&world_net, 0u, 4u, (cairn_real)2.5, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&world_net, 1u, 4u, (cairn_real)2.5, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&world_net, 2u, 5u, (cairn_real)3.9, 0), CAIRN_OK);
    cold_cfg.locate.start_std_m = 1;
    cold_cfg.fine = 1;
    REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
    while (status == CAIRN_MORE) {
        const fine_t fine = fine_of(&cold_job);
        const bool final = cold_job.stage == CAIRN_COLDSTART_FINAL;
        status = cairn_coldstart_step(&cold_job, 1u);
        if (final && cold_job.stage != CAIRN_COLDSTART_FINAL) {
            check_turned(&fine, 5u, anchors_m[2]);
        }
    }
    CHECK_EQ(status, CAIRN_OK);
    CHECK(cairn_network_get_place(&world_net, 5u, place_m, NULL) >= 0);
    CHECK_NEAR(cairn_distance(place_m, anchors_m[2], 2), 3.9, 0.01);
    CHECK(cairn_distance(place_m, anchors_m[0], 2) > (cairn_real)3.85);
    CHECK(cairn_distance(place_m, anchors_m[1], 2) > (cairn_real)3.85);
}

TEST_MAIN(
    TEST_CASE(test_sensor_should_rest_where_its_range_meets_a_wall_when_its_start_is_behind_it),
    TEST_CASE(test_slopes_should_be_level_and_cost_be_the_oracles_when_a_job_on_a_sparse_network_says_ok),
    TEST_CASE(test_linkage_should_come_to_its_least_cost_when_it_is_relaxed),
    TEST_CASE(test_patches_at_rest_should_be_looked_at_once_when_nothing_moves_them),
    TEST_CASE(test_cluster_on_one_node_should_come_to_its_least_cost_when_it_is_damped),
    TEST_CASE(test_form_should_be_positive_along_the_same_direction_when_those_that_spoil_it_are_damped),
    TEST_CASE(test_slope_at_the_end_of_a_step_should_be_none_when_those_that_led_back_are_damped),
    TEST_CASE(test_longest_steps_alone_should_be_damped_when_a_step_was_too_long),
    TEST_CASE(test_dampings_should_be_quartered_until_they_are_none_when_they_are_eased_and_at_once_when_cleared),
    TEST_CASE(test_deviations_should_not_be_negative_and_starts_be_shown_again_when_dampings_lay_over_what_hides_them),
    TEST_CASE(test_cost_of_a_range_should_be_the_integral_of_its_slope_when_the_distance_is_anywhere),
    TEST_CASE(test_slices_should_give_the_same_bits_when_slow_nodes_are_relaxed))
