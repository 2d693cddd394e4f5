/* SPDX-License-Identifier: MIT
 * The theorem of place on a hundred thousand random problems: what takes too long for a board. */
#include "oracle/instance.h"

static instance_t instance;

enum { N_COMBINATIONS = INSTANCE_N_SPACES * ORACLE_N_LOSSES * 2 };

TEST(test_place_should_never_raise_the_cost_when_tried_on_100000_problems)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 201u, 1u);
    for (uint32_t run = 0; run < 100000u; ++run) {
        uint32_t combination = run % N_COMBINATIONS;
        test_context("run", run);
        instance_set(&instance, combination / 2u % INSTANCE_N_SPACES, combination / 2u / INSTANCE_N_SPACES,
                     (combination & 1u) != 0 ? CAIRN_PLACE_ALTERNATE : CAIRN_PLACE_NEWTON);
        instance.cfg.relaxation = run % 5u == 0 ? (cairn_real)1.7 : 1;
        instance_draw(&instance, &rng, run % 3u != 0);
        instance_check_descent(&instance, 12);
    }
}

TEST_MAIN(TEST_CASE(test_place_should_never_raise_the_cost_when_tried_on_100000_problems))
