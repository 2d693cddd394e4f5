/* SPDX-License-Identifier: MIT
 * Tests of the fine last stage of the cold start: the cost that judges its steps is the one whose slope they follow,
 * and steps of Newton end it. */
#include "locate/coldstart_internal.h"

#define WORLD_NODES      20
#define WORLD_RANGES     190
#define WORLD_REALS      40
#define WORLD_WORK_WORDS (CAIRN_COLDSTART_WORDS(WORLD_NODES, 2, 1) + COLD_CANARIES)
#include "oracle/cold.h"

static double before_m[WORLD_REALS];
static double downhill[WORLD_REALS];

/* Against the slopes at both ends of a step, which tell its gain but for the third order. Returns what it should gain. */
static double expect_gain(void)
{
    const cairn_real *now = cairn_coldstart_vector(&cold_job, 0);
    double gain = 0;
    for (uint32_t i = world.dim * world.n_anchors; i < world.dim * world.n_nodes; ++i) {
        gain += 0.5 * (downhill[i] + (double)now[i]) * ((double)world_place[i] - before_m[i]);
    }
    return gain;
}

static void remember(void)
{
    for (uint32_t i = 0; i < world.dim * world.n_nodes; ++i) {
        before_m[i] = (double)world_place[i];
        downhill[i] = (double)cairn_coldstart_vector(&cold_job, 0)[i];
    }
}

/* Cost and gradient of a step of the last stage have just been judged, and the step stands. */
static bool has_judged(uint32_t phase_before)
{
    return cold_job.stage == CAIRN_COLDSTART_FINAL && phase_before <= PHASE_DAMP && cold_job.phase > PHASE_UNDO &&
           !(cold_job.newton && cold_job.again);
}

/* Adds to sums: how far gains are from what slopes tell, the gains, and steps. */
static void follow(double *off, double *gained, uint32_t *n_steps)
{
    double cost = -1;
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        const uint32_t phase = cold_job.phase;
        status = cairn_coldstart_step(&cold_job, 1u);
        if (status == CAIRN_MORE && has_judged(phase) && !cold_job.newton) {
            if (cost >= 0) {
                const double gain = expect_gain();
                const double difference = gain - (cost - (double)cold_job.cost);
                *off += difference > 0 ? difference : -difference;
                *gained += gain;
                ++*n_steps;
            }
            cost = (double)cold_job.cost;
            remember();
        }
    }
    CHECK_EQ(status, CAIRN_OK);
}

TEST(test_steps_of_a_fine_last_stage_should_gain_what_their_slopes_tell_when_noise_grows_with_the_distance)
{
    double off = 0, gained = 0;
    uint32_t n_steps = 0;
    for (uint32_t seed = 0; seed < TEST_SEEDS(8u); ++seed) {
        draw(WORLD_NODES, 4u, 2u, 20, 1, seed);
        world.cfg.noise_rel = (cairn_real)0.2;
        world.cfg.noise_abs_m = (cairn_real)0.01;
        world_begin();
        world_add_anchors();
        world_add_ranges();
        cold_cfg.fine = 1;
        test_context("seed", seed);
        REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
        follow(&off, &gained, &n_steps);
    }
    CHECK(n_steps >= 2u * TEST_SEEDS(8u));
    CHECK(off < 0.1 * gained);
}

/* Adds to sums the slopes along a step where it began and where it ends. */
static void add_slopes(double *first, double *last)
{
    const cairn_real *now = cairn_coldstart_vector(&cold_job, 0);
    double from = 0, to = 0;
    for (uint32_t i = world.dim * world.n_anchors; i < world.dim * world.n_nodes; ++i) {
        from += downhill[i] * ((double)world_place[i] - before_m[i]);
        to += (double)now[i] * ((double)world_place[i] - before_m[i]);
    }
    *first += from;
    *last += to > 0 ? to : -to;
}

/* The same over the steps of Newton of a job. */
static void follow_newton(double *first, double *last, uint32_t *n_steps)
{
    bool begun = false;
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        const uint32_t phase = cold_job.phase;
        const bool at_end = cold_job.stage == CAIRN_COLDSTART_FINAL && phase <= PHASE_DAMP;
        status = cairn_coldstart_step(&cold_job, 1u);
        if (at_end && begun && (cold_job.stage != CAIRN_COLDSTART_FINAL || has_judged(phase))) {
            add_slopes(first, last);
            ++*n_steps;
        }
        begun = begun && cold_job.newton;
        if (has_judged(phase) && cold_job.newton) {
            begun = true;
            remember();
        }
    }
    CHECK_EQ(status, CAIRN_OK);
    CHECK(!cold_job.newton); /* the deviations take the other Hessian */
}

TEST(test_steps_of_newton_should_end_where_the_cost_is_level_along_them_when_few_ranges_hold_a_sensor)
{
    double first = 0, last = 0;
    uint32_t n_steps = 0;
    for (uint32_t seed = 0; seed < TEST_SEEDS(16u); ++seed) {
        draw(WORLD_NODES, 4u, 2u, 4, (cairn_real)0.1, seed);
        world.cfg.noise_rel = (cairn_real)0.1;
        world_begin();
        world_add_anchors();
        world_add_ranges();
        world_add_starts((cairn_real)0.7);
        cold_cfg.locate.start_std_m = 1;
        cold_cfg.fine = 1;
        test_context("seed", seed);
        REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
        follow_newton(&first, &last, &n_steps);
    }
    test_context("n", n_steps);
    CHECK(n_steps >= TEST_SEEDS(16u));
    CHECK(last < 0.1 * first);
}

/* The largest rise of the cost from one accepted step of Newton to the next. */
static double rise_most(void)
{
    double rise = 0, before = -1;
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        const uint32_t phase = cold_job.phase;
        status = cairn_coldstart_step(&cold_job, 1u);
        if (!cold_job.newton) {
            before = -1;
        } else if (has_judged(phase)) {
            const double cost = (double)cold_job.cost;
            rise = before >= 0 && cost - before > rise ? cost - before : rise;
            before = cost;
        }
    }
    return rise;
}

TEST(test_steps_of_newton_should_not_raise_the_cost_when_no_walls_are_asked_for)
{
    for (uint32_t i = 0; i < 17u; i += TEST_STRIDE) {
        const uint32_t seed = i < 9u ? 72u + i : 183u + i; /* about the two of 400 where it once did */
        draw(WORLD_NODES, 4u, 2u, (cairn_real)2.5, (cairn_real)0.02, seed);
        world_begin();
        world_add_anchors();
        world_add_ranges();
        world_add_starts((cairn_real)1.5);
        cold_cfg.locate.radio_range_m = 4;
        cold_cfg.locate.start_std_m = (cairn_real)1.5;
        cold_cfg.fine = 1;
        cold_cfg.push = 0;
        test_context("seed", seed);
        REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
        CHECK(rise_most() < 0.01);
    }
}

TEST_MAIN(
    TEST_CASE(test_steps_of_a_fine_last_stage_should_gain_what_their_slopes_tell_when_noise_grows_with_the_distance),
    TEST_CASE(test_steps_of_newton_should_end_where_the_cost_is_level_along_them_when_few_ranges_hold_a_sensor),
    TEST_CASE(test_steps_of_newton_should_not_raise_the_cost_when_no_walls_are_asked_for))
