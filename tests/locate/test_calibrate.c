/* SPDX-License-Identifier: MIT
 * Tests of calibrate: biases of links are found over frames of moving nodes, with and without anchors; refusals. */
#include "cairn/calibrate.h"
#include "cairn/lift.h"
#include "oracle/random.h"
#include "oracle/solve.h"
#include "support/test.h"

enum { NODES = 6, DIM = 2, PAIRS = 15 };

CAIRN_NETWORK_DEFINE(net, NODES, PAIRS, DIM);
static cairn_word_t work[CAIRN_LIFT_WORDS(NODES, DIM)];
static cairn_real reals[CAIRN_CALIBRATE_REALS(NODES, DIM) + 1u];
static cairn_real truth[NODES * DIM];
static cairn_real bias[PAIRS];
static cairn_calibrate_t calibrate;
static const cairn_network_cfg_t net_cfg = {DIM, 0, (cairn_real)0.02, 0};
static const cairn_calibrate_cfg_t expected = {(cairn_real)0.2, (cairn_real)0.3, 0, 1, 0};

static uint32_t pair(uint32_t a, uint32_t b) { return a * NODES - a * (a + 1u) / 2u + (b - a - 1u); }

static void draw_biases(cairn_rng_t *rng)
{
    for (uint32_t k = 0; k < PAIRS; ++k) {
        bias[k] = (cairn_real)0.2 + (cairn_real)0.2 * random_normal(rng);
    }
}

/* A frame: nodes anywhere in a square of 8, all ranges with bias and noise, the learned bias subtracted. */
static void measure(cairn_rng_t *rng, uint32_t n_anchors, uint32_t n_nodes)
{
    for (uint32_t i = 0; i < NODES * DIM; ++i) {
        truth[i] = random_between(rng, 0, 8);
    }
    CHECK_EQ(cairn_network_init(&net, &net_cfg, &net_memory, NODES), CAIRN_OK);
    for (uint32_t a = 0; a < n_nodes; ++a) {
        for (uint32_t b = a + 1u; b < n_nodes; ++b) {
            cairn_real learned = 0;
            cairn_real range = cairn_distance(truth + a * DIM, truth + b * DIM, DIM) + bias[pair(a, b)] +
                               (cairn_real)0.02 * random_normal(rng);
            CHECK_EQ(cairn_calibrate_get(&calibrate, b, a, &learned), CAIRN_OK);
            cairn_status status = cairn_network_add_range(&net, a, b, range - learned, 0);
            CHECK(status == CAIRN_OK || range <= learned);
        }
    }
    for (uint32_t i = 0; i < n_anchors; ++i) {
        CHECK_EQ(cairn_network_set_anchor(&net, i, truth + i * DIM), CAIRN_OK);
    }
}

static void locate(void)
{
    cairn_lift_t lift;
    cairn_status status =
        cairn_lift_init(&lift, &cairn_lift_cfg_default, &net, NULL, work, CAIRN_LIFT_WORDS(NODES, DIM));
    CHECK_EQ(status, CAIRN_OK);
    do {
        status = cairn_lift_step(&lift, 100000u);
    } while (status == CAIRN_MORE);
    CHECK(status >= 0);
}

static double bias_rms(void)
{
    double sum = 0.0;
    for (uint32_t a = 0; a < NODES; ++a) {
        for (uint32_t b = a + 1u; b < NODES; ++b) {
            cairn_real learned = 0;
            CHECK_EQ(cairn_calibrate_get(&calibrate, a, b, &learned), CAIRN_OK);
            double error = (double)learned - (double)bias[pair(a, b)];
            sum += error * error;
        }
    }
    return oracle_sqrt(sum / PAIRS);
}

static double learn(uint32_t n_anchors, uint32_t n_frames)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 5u, n_anchors);
    draw_biases(&rng);
    CHECK_EQ(cairn_calibrate_init(&calibrate, &expected, NODES, DIM, reals, CAIRN_CALIBRATE_REALS(NODES, DIM)),
             CAIRN_OK);
    for (uint32_t k = 0; k < n_frames; ++k) {
        test_context("frame", k);
        measure(&rng, n_anchors, NODES);
        locate();
        CHECK_EQ(cairn_calibrate_learn(&calibrate, &net), CAIRN_OK);
    }
    CHECK_EQ(cairn_calibrate_get_frames(&calibrate), n_frames);
    return bias_rms();
}

TEST(test_fault_15_biases_should_be_found_when_each_link_has_its_own_and_no_node_is_known)
{
    /* 15 ranges for 9 unknowns of shape; the expectation alone leaves .2 */
    CHECK(learn(0, 40u) < 0.07);
}

TEST(test_fault_15_biases_should_be_found_when_four_of_six_nodes_are_known)
{
    /* 9 ranges with a free end for 4 unknowns; the ranges between anchors tell their bias at once: .02 / sqrt(40) */
    CHECK(learn(4u, 40u) < 0.02);
}

TEST(test_learn_should_keep_the_expectation_when_a_frame_has_no_more_ranges_than_unknowns)
{
    static cairn_real before[CAIRN_CALIBRATE_REALS(NODES, DIM)];
    cairn_calibrate_t as_before;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 6u, 1u);
    draw_biases(&rng);
    CHECK_EQ(cairn_calibrate_init(&calibrate, &expected, NODES, DIM, reals, CAIRN_CALIBRATE_REALS(NODES, DIM)),
             CAIRN_OK);
    measure(&rng, 0, 3u); /* a triangle */
    locate();
    memcpy(&as_before, &calibrate, sizeof calibrate);
    memcpy(before, reals, sizeof before);
    CHECK_EQ(cairn_calibrate_learn(&calibrate, &net), CAIRN_REJECTED);
    CHECK_MEM(&calibrate, &as_before, sizeof calibrate);
    cairn_real learned = 0;
    CHECK_EQ(cairn_calibrate_get(&calibrate, 0, 1u, &learned), CAIRN_OK);
    CHECK_NEAR(learned, 0.2, 1e-7);
}

TEST(test_learn_should_move_all_together_when_only_a_common_part_is_open)
{
    static const cairn_calibrate_cfg_t common = {0, (cairn_real)0.001, (cairn_real)0.5, 1, 0};
    cairn_rng_t rng;
    cairn_rng_init(&rng, 7u, 1u);
    for (uint32_t k = 0; k < PAIRS; ++k) {
        bias[k] = (cairn_real)0.25;
    }
    CHECK_EQ(cairn_calibrate_init(&calibrate, &common, NODES, DIM, reals, CAIRN_CALIBRATE_REALS(NODES, DIM)), CAIRN_OK);
    for (uint32_t k = 0; k < 20u; ++k) {
        measure(&rng, 0, NODES);
        locate();
        CHECK_EQ(cairn_calibrate_learn(&calibrate, &net), CAIRN_OK);
    }
    CHECK(bias_rms() < 0.03);
}

TEST(test_get_and_init_should_refuse_when_an_argument_is_bad)
{
    static const uint32_t nan_bits = 0x7FC00000u;
    float nan_float;
    memcpy(&nan_float, &nan_bits, sizeof nan_float);
    cairn_calibrate_cfg_t cfg = expected;
    cairn_calibrate_t before;
    cairn_real value = 0;
    size_t enough = CAIRN_CALIBRATE_REALS(NODES, DIM);
    CHECK_EQ(cairn_calibrate_init(&calibrate, &cfg, NODES, DIM, reals, enough), CAIRN_OK);
    memcpy(&before, &calibrate, sizeof before);
    CHECK_EQ(cairn_calibrate_get(&calibrate, NODES, 0, &value), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(cairn_calibrate_get(&calibrate, 1u, 1u, &value), CAIRN_ERR_SELF);
    CHECK_EQ(cairn_calibrate_get(&calibrate, 1u, 0, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_calibrate_get(NULL, 1u, 0, &value), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_calibrate_init(&calibrate, &cfg, NODES, DIM, reals, enough - 1u), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_calibrate_init(&calibrate, &cfg, 1u, DIM, reals, enough), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_calibrate_init(&calibrate, &cfg, NODES, 0, reals, enough), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_calibrate_init(&calibrate, NULL, NODES, DIM, reals, enough), CAIRN_ERR_ARG);
    cfg.std_m = 0;
    CHECK_EQ(cairn_calibrate_init(&calibrate, &cfg, NODES, DIM, reals, enough), CAIRN_ERR_ARG);
    cfg = expected, cfg.repeats = 0;
    CHECK_EQ(cairn_calibrate_init(&calibrate, &cfg, NODES, DIM, reals, enough), CAIRN_ERR_ARG);
    cfg = expected, cfg.mean_m = (cairn_real)nan_float;
    CHECK_EQ(cairn_calibrate_init(&calibrate, &cfg, NODES, DIM, reals, enough), CAIRN_ERR_NONFINITE);
    CHECK_MEM(&calibrate, &before, sizeof before);
    CHECK_EQ(cairn_network_init(&net, &net_cfg, &net_memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_calibrate_learn(&calibrate, &net), CAIRN_ERR_STATE);
    CHECK_EQ(cairn_network_init(&net, &net_cfg, &net_memory, NODES - 1u), CAIRN_OK);
    CHECK_EQ(cairn_calibrate_learn(&calibrate, &net), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_calibrate_learn(&calibrate, NULL), CAIRN_ERR_ARG);
    CHECK_MEM(&calibrate, &before, sizeof before);
}

TEST(test_calibrate_should_stay_within_its_work_array_when_it_has_just_enough)
{
    reals[CAIRN_CALIBRATE_REALS(NODES, DIM)] = (cairn_real)12345;
    CHECK(learn(0, 3u) < 0.3);
    CHECK(reals[CAIRN_CALIBRATE_REALS(NODES, DIM)] >= 12345 && reals[CAIRN_CALIBRATE_REALS(NODES, DIM)] <= 12345);
}

TEST_MAIN(TEST_CASE(test_fault_15_biases_should_be_found_when_each_link_has_its_own_and_no_node_is_known),
          TEST_CASE(test_fault_15_biases_should_be_found_when_four_of_six_nodes_are_known),
          TEST_CASE(test_learn_should_keep_the_expectation_when_a_frame_has_no_more_ranges_than_unknowns),
          TEST_CASE(test_learn_should_move_all_together_when_only_a_common_part_is_open),
          TEST_CASE(test_get_and_init_should_refuse_when_an_argument_is_bad),
          TEST_CASE(test_calibrate_should_stay_within_its_work_array_when_it_has_just_enough))
