/* SPDX-License-Identifier: MIT
 * Cold starts of many networks, and of many nodes: what only one in some dozens shows, and what small ones have not. */
#define WORLD_NODES      700
#define WORLD_RANGES     2000
#define WORLD_REALS      1400
#define WORLD_WORK_WORDS (CAIRN_COLDSTART_WORDS(WORLD_NODES, 2, 0) + COLD_CANARIES)
#include "oracle/pairs.h"

#define RAISED_MOST 1e-3 /* of the cost: what float sums in another order may differ by, and more */

/* Operation by operation, so that no judgement of a step is missed. Returns the status and, in *raised, the share of the
 * cost that the last step of the last stage added to it; negative when it lowered it. */
static cairn_status run_and_watch(double *raised)
{
    cairn_status status = CAIRN_MORE;
    *raised = 0;
    while (status == CAIRN_MORE) {
        const bool last_stage = cairn_coldstart_get_stage(&cold_job) == CAIRN_COLDSTART_FINAL;
        const cairn_real before = cold_job.cost_before; /* of the step before; at the begin of a stage there is none */
        status = cairn_coldstart_step(&cold_job, 1u);
        if (last_stage && before < CAIRN_REAL_MAX && !(cold_job.cost_before == before)) {
            *raised = (double)(cold_job.cost_before / before - 1);
        }
    }
    return status;
}

TEST(test_coldstart_should_not_end_on_a_step_that_raised_its_cost_when_a_step_gains_little)
{
    uint32_t n_converged = 0;
    for (uint32_t seed = 1; seed <= 60u; ++seed) {
        double raised = 0;
        draw(100u, 8u, 2u, (cairn_real)1.7, (cairn_real)0.05, seed);
        world_build();
        test_context("seed", seed);
        CHECK_EQ(world_net.counters.n_full, 0);
        REQUIRE(cold_init(&cold_cfg) == CAIRN_OK);
        if (run_and_watch(&raised) == CAIRN_OK) {
            ++n_converged;
            CHECK(raised <= RAISED_MOST);
        }
    }
    CHECK(n_converged >= 45u);
}

/* Nodes FIRST_BARE to SECOND_PART - 1 have no range and no place: the list steps over them in more than one word. */
enum { FIRST_BARE = 30, SECOND_PART = 640 };

static bool is_bare(uint32_t node) { return node >= FIRST_BARE && node < SECOND_PART; }

static void build_with_gap(void)
{
    draw(WORLD_NODES, 6u, 2u, 3, (cairn_real)0.125, 1u);
    world_begin();
    world_add_anchors();
    for (uint32_t b = world.n_anchors; b < world.n_nodes; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            const cairn_real range_m = cairn_distance(world_truth(a), world_truth(b), 2u);
            if (range_m <= world.radius && !is_bare(a) && !is_bare(b)) {
                CHECK_EQ(cairn_network_add_range(&world_net, a, b, range_m, 0), CAIRN_OK);
            }
        }
    }
}

/* Cost of all pairs that the list should hold, for a weight of 1. */
static double expected_cost(void)
{
    double sum = 0;
    for (uint32_t a = world.n_anchors; a < world.n_nodes; ++a) {
        for (uint32_t b = 0; b < a; ++b) {
            const double short_m =
                (double)(cold_job.radio_range_m - cairn_distance(world_place + 2u * a, world_place + 2u * b, 2u));
            sum += short_m > 0 && !is_bare(a) && !is_bare(b) && !pairs_are_linked(a, b) ? short_m * short_m / 2 : 0;
        }
    }
    return sum;
}

TEST(test_pairs_should_be_listed_once_each_when_hundreds_of_nodes_lie_between)
{
    uint32_t n_listed = 0;
    build_with_gap();
    REQUIRE(cold_locate(&cold_cfg, 1000u) >= 0);
    cold_job.radio_range_m *= (cairn_real)1.125; /* farther than any range was measured */
    n_listed = pairs_list_and_check();
    CHECK(n_listed > 60u);
    CHECK_EQ(cold_job.pair_words, n_listed + (SECOND_PART - FIRST_BARE) / PAIR_ADVANCE_MAX);
    cold_job.push_weight = 1;
    cold_job.cap = 0;
    cold_job.row = 0;
    cold_job.total.sum = cold_job.total.rest = 0;
    cairn_coldstart_clear_run(&cold_job, 0, world.n_nodes);
    cairn_coldstart_pushes_run(&cold_job, 0, cold_job.pair_words);
    CHECK_NEAR(cold_job.total.sum, expected_cost(), 1e-3 * expected_cost());
}

TEST_MAIN(TEST_CASE(test_coldstart_should_not_end_on_a_step_that_raised_its_cost_when_a_step_gains_little),
          TEST_CASE(test_pairs_should_be_listed_once_each_when_hundreds_of_nodes_lie_between))
