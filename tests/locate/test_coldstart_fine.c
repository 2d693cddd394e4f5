/* SPDX-License-Identifier: MIT
 * Tests of the fine last stage of the cold start: the cost that judges its steps is the one whose slope they follow. */
#include "locate/coldstart_internal.h"

#define WORLD_NODES      20
#define WORLD_RANGES     190
#define WORLD_REALS      40
#define WORLD_WORK_WORDS (CAIRN_COLDSTART_WORDS(WORLD_NODES, 2, 0) + COLD_CANARIES)
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
    return cold_job.stage == CAIRN_COLDSTART_FINAL && phase_before <= PHASE_PUSHES && cold_job.phase > PHASE_UNDO;
}

/* Adds to sums: how far gains are from what slopes tell, the gains, and steps. */
static void follow(double *off, double *gained, uint32_t *n_steps)
{
    double cost = -1;
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        const uint32_t phase = cold_job.phase;
        status = cairn_coldstart_step(&cold_job, 1u);
        if (status == CAIRN_MORE && has_judged(phase)) {
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
    for (uint32_t seed = 0; seed < 8u; ++seed) {
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
    CHECK(n_steps >= 16u);
    CHECK(off < 0.1 * gained);
}

TEST_MAIN(
    TEST_CASE(test_steps_of_a_fine_last_stage_should_gain_what_their_slopes_tell_when_noise_grows_with_the_distance))
