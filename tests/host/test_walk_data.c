/* SPDX-License-Identifier: MIT
 * Walks on data sets, beside values computed in double elsewhere; skipped where the data are not there. */
#include "bench/graphset.h"
#include "bench/walk_rows.h"
#include "cairn/power.h"
#include "cairn/spread.h"
#include "memory.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

enum { KARATE = 34 };

static graphset_t graph;
static walk_rows_t rows;

static bool begin_karate(void)
{
    if (!graphset_links(&graph, "karate", false)) {
        return false;
    }
    walk_rows_build(&rows, &graph);
    return true;
}

static void end(void)
{
    walk_rows_free(&rows);
    graphset_free(&graph);
}

TEST(test_power_should_reach_known_values_when_it_walks_on_karate)
{
    static cairn_real work[CAIRN_POWER_REALS(KARATE)];
    static const double entries[] = {.99984619, .99992689, 1.00001643, .99990628}; /* 34 v[0..3] */
    cairn_power_cfg_t cfg = cairn_power_cfg_default;
    cairn_power_t power;
    if (!begin_karate()) {
        SKIP("the data set is not there");
    }
    for (uint32_t i = 0; i < KARATE; ++i) {
        work[i] = (cairn_real)((7919u * i + 13u) % 1000u) / 1000;
    }
    cfg.start = CAIRN_POWER_GIVEN;
    REQUIRE(cairn_power_begin(&power, &cfg, &rows.walk, work, CAIRN_POWER_REALS(KARATE)) == CAIRN_OK);
    CHECK_EQ(cairn_power_step(&power, UINT32_MAX), CAIRN_OK);
    CHECK_EQ(power.n_steps, 37); /* the thesis's rule */
    CHECK_NEAR(power.constant, .02802302, 1e-8);
    for (uint32_t i = 0; i < 4; ++i) {
        CHECK_NEAR(KARATE * (double)cairn_power_get_literal(&power, i), entries[i], 2.5e-7);
    }
    end();
}

TEST(test_spread_should_reach_known_scores_when_it_walks_on_karate)
{
    static const double walk[2][4] = {{.266374, .064888, .054948, .046231}, {.048188, .032364, .046994, .018801}};
    static const double field[] = {1, .677793, .507851, .726571};
    static cairn_real work[CAIRN_SPREAD_REALS(KARATE, 2, 1)];
    static uint8_t label[KARATE];
    cairn_spread_memory_t memory = {work, CAIRN_SPREAD_REALS(KARATE, 2, 1), label, KARATE};
    uint8_t seed[KARATE];
    cairn_spread_t spread;
    if (!begin_karate()) {
        SKIP("the data set is not there");
    }
    memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
    seed[0] = 0;
    seed[33] = 1;
    for (int method = 0; method < 2; ++method) {
        cairn_spread_cfg_t cfg = method == 0 ? cairn_spread_cfg_default : cairn_spread_cfg_harmonic;
        uint32_t n_right = 0;
        cfg.alpha = .15f;
        cfg.tolerance = method == 0 ? 1e-7f : 0;
        cfg.rounds_max = 2000;
        REQUIRE(cairn_spread_init(&spread, &cfg, &memory, KARATE) == CAIRN_OK);
        REQUIRE(cairn_spread_begin(&spread, &rows.walk, seed, NULL, false) == CAIRN_OK);
        while (cairn_spread_step(&spread, UINT32_MAX) == CAIRN_MORE) {
        }
        for (uint32_t i = 0; i < 4; ++i) {
            CHECK_NEAR(cairn_spread_get_score(&spread, i, 0), method == 0 ? walk[0][i] : field[i], 2e-6);
            if (method == 0) {
                CHECK_NEAR(cairn_spread_get_score(&spread, i, 1), walk[1][i], 2e-6);
            }
        }
        for (uint32_t i = 0; i < KARATE; ++i) {
            n_right += label[i] == (graph.truth[i] == graph.truth[0] ? 0 : 1);
        }
        CHECK_EQ(n_right, 33);
        CHECK(label[8] == 0 || graph.truth[8] == graph.truth[0]);
    }
    end();
}

/* Loss of precision: cosines of irises, the deviation stays right from step 2 to 150. */
TEST(test_power_should_stay_right_when_irises_walk_far)
{
    graphset_t iris;
    walk_rows_t all;
    cairn_power_cfg_t cfg = cairn_power_cfg_default;
    cairn_power_t power;
    if (!graphset_points(&iris, "iris")) {
        SKIP("the data set is not there");
    }
    graphset_cosine(&iris);
    walk_rows_build(&all, &iris);
    cairn_real *work = memory_zeroed(CAIRN_POWER_REALS(150), sizeof *work);
    cfg.start = CAIRN_POWER_DEGREE;
    cfg.stop = CAIRN_POWER_STEPS;
    for (uint32_t steps = 5; steps <= 150; steps += 29) {
        uint8_t label[150];
        uint32_t n_wrong = 0;
        test_context("steps", steps);
        cfg.steps_max = steps;
        REQUIRE(cairn_power_begin(&power, &cfg, &all.walk, work, CAIRN_POWER_REALS(150)) == CAIRN_OK);
        CHECK_EQ(cairn_power_step(&power, UINT32_MAX), CAIRN_NOT_CONVERGED);
        CHECK_EQ(cairn_power_split(&power, label), CAIRN_OK);
        for (int i = 0; i < 150; ++i) { /* two groups: setosa and the others */
            n_wrong += label[i] != (i < 50 ? label[0] : 1 - label[0]);
        }
        CHECK(n_wrong <= 1);
    }
    free(work);
    walk_rows_free(&all);
    graphset_free(&iris);
}

TEST_MAIN(TEST_CASE(test_power_should_reach_known_values_when_it_walks_on_karate),
          TEST_CASE(test_spread_should_reach_known_scores_when_it_walks_on_karate),
          TEST_CASE(test_power_should_stay_right_when_irises_walk_far))
