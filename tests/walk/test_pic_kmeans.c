/* SPDX-License-Identifier: MIT
 * Tests of power iteration clustering from inside: the best start of k-means is the one that labels come from, and a walk
 * that has converged has. needs ram: 32768 */
#include "cairn/graph.h"
#include "cairn/pic.h"
#include "support/test.h"
#include "walk/pic_internal.h"

#include <math.h>
#include <string.h>

enum { NODES = 64, LINKS = NODES * 8, GROUPS = 5, VECTORS = 4, N_DRAWS = TEST_SEEDS(8) };

CAIRN_GRAPH_ROWS_DEFINE(graph, NODES, LINKS);
CAIRN_PIC_DEFINE(job, NODES, GROUPS, VECTORS);

static cairn_graph_cfg_t graph_cfg;
static cairn_pic_cfg_t cfg;

/* Groups are i mod k; one link in `crossing` crosses. */
static void begin(uint64_t draw, uint32_t k, uint32_t crossing)
{
    cairn_rng_t rng;
    cairn_walk_t walk;
    memset(&graph_cfg, 0, sizeof graph_cfg);
    cairn_rng_init(&rng, draw, 14);
    REQUIRE(cairn_graph_init(&graph, &graph_cfg, &graph_memory) == CAIRN_OK);
    for (uint32_t e = 0; e < 300;) {
        const uint32_t a = cairn_rng_below(&rng, NODES);
        const uint32_t b = cairn_rng_below(&rng, NODES);
        if (a != b && (a % k != b % k) == (cairn_rng_below(&rng, crossing) == 0)) {
            CHECK(cairn_graph_add(&graph, a, b, 1) >= 0);
            ++e;
        }
    }
    cfg.n_clusters = (uint8_t)k;
    cfg.n_vectors = VECTORS;
    cfg.seed = draw;
    REQUIRE(cairn_graph_walk(&graph, &walk) == CAIRN_OK);
    REQUIRE(cairn_pic_init(&job, &cfg, &job_memory, NODES) == CAIRN_OK);
    REQUIRE(cairn_pic_begin(&job, &walk) == CAIRN_OK);
}

static double squared_distance_to(uint32_t node, unsigned c)
{
    double sum = 0;
    for (uint32_t q = 0; q < job.n_columns; ++q) {
        const double apart =
            (double)pic_columns(&job)[node * job.n_columns + q] - (double)pic_centres(&job, 2)[c * job.n_columns + q];
        sum += apart * apart;
    }
    return sum;
}

/* Each node is with the nearest of the best centres, after the last candidate of a checkpoint. */
static void check_labels(void)
{
    const unsigned lane = (job.n_columns - 1u) % pic_lanes(&job);
    double sum = 0;
    for (uint32_t i = 0; i < NODES; ++i) {
        double least = 1e30;
        for (unsigned c = 0; c < GROUPS; ++c) {
            least = fmin(least, squared_distance_to(i, c));
        }
        CHECK(squared_distance_to(i, pic_get_trial(&job, i, lane)) <= least * (1 + 1e-5) + 1e-9);
        sum += least;
    }
    CHECK_NEAR(sum, job.spread_least, 1e-4 * sum);
}

TEST(test_pic_should_label_by_the_best_start_when_it_is_not_the_last)
{
    uint32_t n_earlier = 0;
    for (uint64_t draw = 0; draw < N_DRAWS; ++draw) {
        uint32_t n_checked = 0;
        test_context("draw", (uint32_t)draw);
        cfg = cairn_pic_cfg_default;
        begin(draw, GROUPS, 3);
        while (cairn_pic_step(&job, 1) == CAIRN_MORE) {
            if (job.stage == PIC_SCORE && job.cursor == 0 && job.prefix == VECTORS && job.t > n_checked) {
                n_checked = job.t;
                n_earlier += job.spread > job.spread_least ? 1u : 0u;
                check_labels();
            }
        }
        CHECK(n_checked > 0);
    }
    CHECK(n_earlier > 0);
}

/* What is left of the columns that clusters do not need: at most 1e-4. */
TEST(test_pic_should_have_outlived_the_rest_when_it_says_converged)
{
    uint32_t n_converged = 0;
    for (uint64_t draw = 0; draw < N_DRAWS; ++draw) {
        cairn_pic_result_t result;
        test_context("draw", (uint32_t)draw);
        cfg = cairn_pic_cfg_default;
        cfg.patience = 20;
        begin(draw, 2, 8);
        CHECK_EQ(cairn_pic_step(&job, UINT32_MAX), CAIRN_OK);
        CHECK_EQ(cairn_pic_get_result(&job, &result), CAIRN_OK);
        if (result.reason == CAIRN_PIC_CONVERGED) {
            const double ratio = (double)(job.rest / result.ritz[0]);
            ++n_converged;
            CHECK(pow(ratio, result.n_steps) < 1.001e-4);
            CHECK(pow(ratio, result.n_steps / 2) > 1e-5); /* and not much longer */
        }
    }
    CHECK(n_converged > N_DRAWS / 2);
}

TEST_MAIN(TEST_CASE(test_pic_should_label_by_the_best_start_when_it_is_not_the_last),
          TEST_CASE(test_pic_should_have_outlived_the_rest_when_it_says_converged))
