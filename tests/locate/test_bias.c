/* SPDX-License-Identifier: MIT
 * Tests of bias: each model finds its values when alternated with the map, corrects ranges both ways, and refuses. */
#include "cairn/bias.h"
#include "cairn/lift.h"
#include "cairn/scalar.h"
#include "oracle/world.h"

static cairn_bias_t bias;
static cairn_bias_cfg_t cfg;
static cairn_real values[WORLD_RANGES];
static cairn_lift_t job;

/* Three in four nodes know their place: ranges of 14 nodes, wrong as the model says by the `wrong` of the devices. */
static void build(cairn_bias_model_t model, const cairn_real *wrong, cairn_real noise)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 11u, 1u);
    world_draw(14u, 8u, 2u, 20, noise, 3u);
    world_begin();
    world_add_anchors();
    for (uint32_t b = 8u; b < 14u; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            cairn_real range = cairn_distance(world_truth(a), world_truth(b), 2u) + noise * random_normal(&rng);
            switch (model) {
            case CAIRN_BIAS_COMMON: range += wrong[0]; break;
            case CAIRN_BIAS_SCALE: range *= cairn_exp(-wrong[0]); break;
            case CAIRN_BIAS_DEVICE: range += wrong[a] + wrong[b]; break;
            default: range *= cairn_exp(-wrong[a] - wrong[b]); break;
            }
            CHECK_EQ(cairn_network_add_range(&world_net, a, b, range, 0), CAIRN_OK);
        }
    }
    CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
}

static void locate(cairn_bias_model_t model, cairn_real std)
{
    cairn_lift_cfg_t lift_cfg = cairn_lift_cfg_default;
    lift_cfg.flat_sweeps = 2000;
    lift_cfg.tolerance = (cairn_real)1e-6;
    cfg.model = model, cfg.mean = 0, cfg.std = std, cfg.bend = 0;
    CHECK_EQ(cairn_bias_init(&bias, &cfg, &world_net, values, WORLD_RANGES), CAIRN_OK);
    CHECK_EQ(cairn_lift_init(&job, &lift_cfg, &world_net, &bias, world_work, CAIRN_LIFT_WORDS(14, 2)), CAIRN_OK);
    cairn_status status;
    do {
        status = cairn_lift_step(&job, 10000u);
    } while (status == CAIRN_MORE);
    CHECK_EQ(status, CAIRN_OK);
}

static double worst(void)
{
    double most = 0.0;
    for (uint32_t i = 8u; i < 14u; ++i) {
        double error = (double)world_error(i);
        most = error < 0 || error > most ? (error < 0 ? 1e9 : error) : most;
    }
    return most;
}

TEST(test_fault_15_common_bias_should_be_found_with_the_map_when_all_ranges_have_it)
{
    static const cairn_real wrong[1] = {(cairn_real)2.8}; /* as on a mower's beacons */
    build(CAIRN_BIAS_COMMON, wrong, 0);
    locate(CAIRN_BIAS_COMMON, 10);
    /* exact ranges, noise declared .01, expectation 0 +- 10: pulled by 2.8 (.01 / 10)^2, and by the sweeps' end */
    CHECK_NEAR(cairn_bias_get(&bias, 0), 2.8, 2e-3);
    CHECK(worst() < 2e-3);
}

TEST(test_fault_15_scale_should_be_found_with_the_map_when_all_ranges_have_it)
{
    static const cairn_real wrong[1] = {(cairn_real)-0.07};
    build(CAIRN_BIAS_SCALE, wrong, 0);
    locate(CAIRN_BIAS_SCALE, 1);
    CHECK_NEAR(cairn_bias_get(&bias, 0), -0.07, 5e-4);
    CHECK(worst() < 5e-3);
}

TEST(test_fault_15_offsets_should_be_found_with_the_map_when_each_device_has_one)
{
    static const cairn_real wrong[14] = {
        (cairn_real)0.3, (cairn_real)0.1, (cairn_real)-0.2, (cairn_real)0.4, (cairn_real)-0.1, 0,
        (cairn_real)0.5, (cairn_real)0.2, (cairn_real)-0.3, (cairn_real)0.1, (cairn_real)0.2,  (cairn_real)-0.4,
        (cairn_real)0.3, (cairn_real)0.1};
    build(CAIRN_BIAS_DEVICE, wrong, 0);
    locate(CAIRN_BIAS_DEVICE, 10);
    for (uint32_t i = 0; i < 14u; ++i) {
        test_context("node", i);
        CHECK_NEAR(cairn_bias_get(&bias, i), (double)wrong[i], 5e-3);
    }
    CHECK(worst() < 5e-3);
}

TEST(test_link_bias_should_shrink_by_its_odds_when_one_frame_is_all_there_is)
{
    /* a range e beyond the distance, noise s, expectation m +- P: the bias is m + (e - m) P^2 / (P^2 + s^2) */
    static const cairn_real a_m[2] = {0, 0}, b_m[2] = {3, 4};
    world_draw(2u, 2u, 2u, 20, (cairn_real)0.3, 1u);
    world_begin();
    CHECK_EQ(cairn_network_set_anchor(&world_net, 0, a_m), CAIRN_OK);
    CHECK_EQ(cairn_network_set_anchor(&world_net, 1u, b_m), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&world_net, 0, 1u, (cairn_real)5.6, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
    cfg.model = CAIRN_BIAS_LINK, cfg.mean = (cairn_real)0.2, cfg.std = (cairn_real)0.4, cfg.bend = 0;
    CHECK_EQ(cairn_bias_init(&bias, &cfg, &world_net, values, 1u), CAIRN_OK);
    cairn_bias_update(&bias, 0);
    cairn_bias_update(&bias, 1u);
    CHECK_NEAR(cairn_bias_get(&bias, 0), 0.2 + 0.4 * 0.16 / (0.16 + 0.09), 1e-5);
    CHECK_NEAR(cairn_bias_correct(&bias, 0, 0), 5.6 - 0.456, 1e-5);
    CHECK_NEAR(cairn_bias_correct(&bias, 1u, 0), 5.6 - 0.456, 1e-5);
    CHECK_NEAR(cairn_bias_get_cost(&bias), 0.256 * 0.256 / 0.16, 1e-4);
}

TEST(test_correct_should_be_the_same_from_both_ends_when_links_have_values_of_their_own)
{
    world_draw(14u, 4u, 2u, 8, (cairn_real)0.25, 5u);
    world_build();
    CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
    cfg.model = CAIRN_BIAS_LINK, cfg.mean = 0, cfg.std = 1, cfg.bend = 0;
    CHECK_EQ(cairn_bias_init(&bias, &cfg, &world_net, values, WORLD_RANGES), CAIRN_OK);
    for (uint32_t k = 0; k < world_net.n_ranges; ++k) {
        values[k] = (cairn_real)k / 1024; /* each its own */
    }
    for (uint32_t i = 0; i < 14u; ++i) {
        for (uint32_t j = 0; j < cairn_network_degree(&world_net, i); ++j) {
            uint32_t other = cairn_link_node(cairn_network_link(&world_net, i, j));
            for (uint32_t m = 0; m < cairn_network_degree(&world_net, other); ++m) {
                if (cairn_link_node(cairn_network_link(&world_net, other, m)) == i) {
                    CHECK_NEAR(cairn_bias_correct(&bias, i, j), (double)cairn_bias_correct(&bias, other, m), 0.0);
                }
            }
        }
    }
}

TEST(test_correct_should_stay_above_zero_when_the_bias_exceeds_the_range)
{
    world_draw(6u, 4u, 2u, 20, 0, 5u);
    world_build();
    CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
    cfg.model = CAIRN_BIAS_COMMON, cfg.mean = 1000, cfg.std = 1, cfg.bend = 0;
    CHECK_EQ(cairn_bias_init(&bias, &cfg, &world_net, values, 1u), CAIRN_OK);
    CHECK(cairn_bias_correct(&bias, 0, 0) > 0);
}

static void check_refused(size_t n_values, cairn_status status)
{
    cairn_bias_t before;
    memset(&bias, 0x5A, sizeof bias);
    memcpy(&before, &bias, sizeof before);
    CHECK_EQ(cairn_bias_init(&bias, &cfg, &world_net, values, n_values), status);
    CHECK_MEM(&bias, &before, sizeof before);
}

TEST(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad)
{
    static const uint32_t nan_bits = 0x7FC00000u;
    float nan_float;
    memcpy(&nan_float, &nan_bits, sizeof nan_float);
    world_draw(6u, 4u, 2u, 20, 0, 5u);
    world_build();
    cfg.model = CAIRN_BIAS_DEVICE, cfg.mean = 0, cfg.std = 1, cfg.bend = 0;
    check_refused(6u, CAIRN_ERR_STATE);
    CHECK_EQ(cairn_network_seal(&world_net), CAIRN_OK);
    check_refused(5u, CAIRN_ERR_SIZE);
    cfg.model = CAIRN_BIAS_LINK;
    check_refused(world_net.n_ranges - 1u, CAIRN_ERR_SIZE);
    cfg.std = 0;
    check_refused(WORLD_RANGES, CAIRN_ERR_ARG);
    cfg.std = 1, cfg.bend = -1;
    check_refused(WORLD_RANGES, CAIRN_ERR_ARG);
    cfg.bend = 0, cfg.mean = (cairn_real)nan_float;
    check_refused(WORLD_RANGES, CAIRN_ERR_NONFINITE);
    cfg.mean = 11, cfg.model = CAIRN_BIAS_GAIN;
    check_refused(WORLD_RANGES, CAIRN_ERR_ARG);
    CHECK_EQ(cairn_bias_init(&bias, NULL, &world_net, values, WORLD_RANGES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_bias_init(&bias, &cfg, NULL, values, WORLD_RANGES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_bias_init(&bias, &cfg, &world_net, NULL, WORLD_RANGES), CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_fault_15_common_bias_should_be_found_with_the_map_when_all_ranges_have_it),
          TEST_CASE(test_fault_15_scale_should_be_found_with_the_map_when_all_ranges_have_it),
          TEST_CASE(test_fault_15_offsets_should_be_found_with_the_map_when_each_device_has_one),
          TEST_CASE(test_link_bias_should_shrink_by_its_odds_when_one_frame_is_all_there_is),
          TEST_CASE(test_correct_should_be_the_same_from_both_ends_when_links_have_values_of_their_own),
          TEST_CASE(test_correct_should_stay_above_zero_when_the_bias_exceeds_the_range),
          TEST_CASE(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad))
