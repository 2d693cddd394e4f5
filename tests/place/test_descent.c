/* SPDX-License-Identifier: MIT
 * Tests of place: the theorem. The cost never rises, over all spaces, losses and methods; and where it stops is a
 * minimum. */
#include "oracle/instance.h"

static instance_t instance;

enum { N_COMBINATIONS = INSTANCE_N_SPACES * ORACLE_N_LOSSES * 2, N_PER_COMBINATION = 12, N_ROUNDS = 4 };

static void select_combination(uint32_t combination)
{
    instance_set(&instance, combination / 2u % INSTANCE_N_SPACES, combination / 2u / INSTANCE_N_SPACES,
                 (combination & 1u) != 0 ? CAIRN_PLACE_ALTERNATE : CAIRN_PLACE_NEWTON);
}

TEST(test_place_should_never_raise_the_cost_when_any_space_loss_method_and_weights_are_used)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 101u, 1u);
    for (uint32_t run = 0; run < (uint32_t)N_COMBINATIONS * N_PER_COMBINATION; ++run) {
        test_context("run", run);
        select_combination(run % N_COMBINATIONS);
        instance_draw(&instance, &rng, run >= N_COMBINATIONS);
        instance_check_descent(&instance, N_ROUNDS);
    }
}

TEST(test_place_should_not_cost_more_and_take_the_same_way_when_given_more_rounds)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 102u, 1u);
    for (uint32_t run = 0; run < N_COMBINATIONS; run += 3u) {
        cairn_real start[ORACLE_DIM_MAX], single[ORACLE_DIM_MAX];
        cairn_place_result_t result, last = {CAIRN_REAL_MAX, 0, 0};
        test_context("run", run);
        select_combination(run);
        instance_draw(&instance, &rng, true);
        memcpy(start, instance.x, sizeof start);
        memcpy(single, start, sizeof single);
        for (uint16_t rounds = 1; rounds <= 6u; ++rounds) {
            memcpy(instance.x, single, sizeof single);
            cairn_status one = instance_place(&instance, 1u, NULL);
            memcpy(single, instance.x, sizeof single);
            memcpy(instance.x, start, sizeof start);
            cairn_status all = instance_place(&instance, rounds, &result);
            if (one == CAIRN_UNPLACED) {
                CHECK_EQ(all, CAIRN_UNPLACED);
                break;
            }
            CHECK_MEM(instance.x, single, instance.problem.dim * sizeof single[0]); /* k rounds are k times one */
            CHECK(result.cost <= last.cost);
            CHECK(result.n_rounds <= rounds);
            last = result;
        }
    }
}

/* Whether a step of a given length stays on one side of every neighbour: on a neighbour the distance has a kink, and
 * the cost a hump of its own. */
static bool is_apart(double length)
{
    for (size_t j = 0; j < instance.problem.n_neighbours; ++j) {
        cairn_space_metric_t metric = instance.space.metric(&instance.space, instance.x, instance.neighbours[j].place,
                                                            instance.problem.dim, 0u, instance.work);
        if (!((double)metric.distance > length)) {
            return false;
        }
    }
    return true;
}

/* At a minimum no short step in any direction of a cross lowers the cost by more than its rounding at either end. */
static bool is_minimum(void)
{
    bool minimum = true;
    double bound = 0.0;
    double cost = instance_cost(&instance, &bound);
    double x[ORACLE_DIM_MAX] = {0.0};
    size_t dim = instance.problem.dim;
    oracle_widen(instance.x, dim, x);
    for (size_t i = 0; i < 2u * dim; ++i) {
        double step[ORACLE_DIM_MAX] = {0.0};
        double at[ORACLE_DIM_MAX];
        double at_bound = 0.0;
        step[i / 2u] = 1e-3 * (double)instance.size * ((i & 1u) != 0 ? 1.0 : -1.0);
        double normal = instance.problem.radius > 0.0 ? oracle_dot(step, x, dim) / oracle_dot(x, x, dim) : 0.0;
        for (size_t k = 0; k < dim; ++k) {
            step[k] -= normal * x[k];
        }
        oracle_move(x, step, dim, instance.problem.radius, at);
        double there = oracle_cost(&instance.problem, at, &at_bound);
        minimum = minimum && there >= cost - bound - at_bound;
    }
    return minimum;
}

/* Overdetermined and noisy, started near the truth: 6 neighbours, all heard. */
static void draw_solvable(cairn_rng_t *rng)
{
    do {
        instance_draw(&instance, rng, false);
    } while (instance.problem.n_neighbours < 6u);
}

TEST(test_place_should_stop_at_a_minimum_when_it_says_ok_and_the_loss_is_smooth)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 103u, 1u);
    unsigned n_checked = 0;
    for (uint32_t run = 0; run < N_COMBINATIONS; run += 2u) { /* Newton */
        test_context("run", run);
        select_combination(run);
        draw_solvable(&rng);
        if (instance.problem.kind == ORACLE_ABSOLUTE || instance.problem.kind == ORACLE_SQUARED_DISTANCES) {
            continue;
        }
        if (instance_place(&instance, 200u, NULL) == CAIRN_OK && is_apart(2e-3 * (double)instance.size)) {
            ++n_checked;
            CHECK(is_minimum());
        }
    }
    CHECK(n_checked >= N_COMBINATIONS / 2 * 2 / 3 * 9 / 10);
}

TEST(test_place_should_nearly_always_stop_at_a_minimum_when_the_loss_has_kinks)
{
    /* where spheres cross, a descent along one of them may end early: measured 9 of 1961 for |d|, 26 of 1949 for
     * |f^2 - r^2|; Vardi and Zhang's correction for points, which does not know spheres, leaves 24 of 100 */
    cairn_rng_t rng;
    uint32_t n_ok = 0, n_minimum = 0;
    cairn_rng_init(&rng, 105u, 1u);
    for (uint32_t run = 0; run < 28u; ++run) {
        test_context("run", run);
        instance_set(&instance, run % INSTANCE_N_SPACES, (run & 1u) != 0 ? ORACLE_ABSOLUTE : ORACLE_SQUARED_DISTANCES,
                     CAIRN_PLACE_NEWTON);
        draw_solvable(&rng);
        if (instance_place(&instance, 100u, NULL) == CAIRN_OK && is_apart(2e-3 * (double)instance.size)) {
            ++n_ok;
            n_minimum += is_minimum() ? 1u : 0u;
        }
    }
    CHECK(n_ok > (sizeof(cairn_real) > 4u ? 4u : 23u)); /* double goes on finding a lower cost for longer */
    CHECK(n_ok - n_minimum <= 1u);
}

TEST(test_newton_should_reach_the_cost_of_the_alternation_in_fewer_rounds_when_started_alike)
{
    cairn_rng_t rng;
    uint32_t rounds[2] = {0, 0};
    cairn_rng_init(&rng, 104u, 1u);
    for (uint32_t run = 0; run < 14u; ++run) {
        cairn_real start[ORACLE_DIM_MAX];
        double cost[2], bound[2];
        uint32_t space = run % INSTANCE_N_SPACES;
        test_context("run", run);
        instance_set(&instance, space, ORACLE_SQUARED, CAIRN_PLACE_NEWTON);
        draw_solvable(&rng);
        memcpy(start, instance.x, sizeof start);
        /* the same basin for both: begin where the alternation has settled after a few rounds */
        instance.cfg.method = CAIRN_PLACE_ALTERNATE;
        (void)!instance_place(&instance, 10u, NULL);
        memcpy(start, instance.x, sizeof start);
        for (int method = 0; method < 2; ++method) {
            cairn_place_result_t result;
            memcpy(instance.x, start, sizeof start);
            instance.cfg.method = method == 0 ? CAIRN_PLACE_NEWTON : CAIRN_PLACE_ALTERNATE;
            CHECK(instance_place(&instance, 300u, &result) >= 0);
            cost[method] = instance_cost(&instance, &bound[method]);
            rounds[method] += result.n_rounds;
        }
        CHECK(cost[0] <= cost[1] + bound[0] + bound[1]);
    }
    CHECK(2u * rounds[0] < rounds[1]);
}

TEST_MAIN(TEST_CASE(test_place_should_never_raise_the_cost_when_any_space_loss_method_and_weights_are_used),
          TEST_CASE(test_place_should_not_cost_more_and_take_the_same_way_when_given_more_rounds),
          TEST_CASE(test_place_should_stop_at_a_minimum_when_it_says_ok_and_the_loss_is_smooth),
          TEST_CASE(test_place_should_nearly_always_stop_at_a_minimum_when_the_loss_has_kinks),
          TEST_CASE(test_newton_should_reach_the_cost_of_the_alternation_in_fewer_rounds_when_started_alike))
