/* SPDX-License-Identifier: MIT
 * Tests of locate: bad arguments, and networks at the edge of what can be placed; see test_jobs.c too. */
#include "oracle/world.h"

static const cairn_locate_cfg_t exact_cfg = {NULL, 1000, 10, (cairn_real)1e-6, 0, 0};
#define EXACT 1e-4 /* as derived in test_locate.c */

/* Twelve nodes with exact ranges, and nobody known yet. */
static void begin_unknown(void)
{
    world_draw(12u, 4u, 2u, 7, 0, 1u);
    world_begin();
    world_add_ranges();
}

static cairn_status init(size_t n_words)
{
    return cairn_locate_init(&world_job, &exact_cfg, &world_net, world_work, n_words);
}

static size_t enough(void) { return CAIRN_LOCATE_WORDS(world.n_nodes, world.dim); }

TEST(test_init_should_refuse_when_no_place_is_known)
{
    begin_unknown(); /* the cold start makes a map of its own then */
    CHECK_EQ(init(enough()), CAIRN_ERR_ANCHORS);
    CHECK(!world_net.sealed);
}

TEST(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad)
{
    static const struct {
        cairn_locate_cfg_t cfg;
        cairn_status status;
    } cases[] = {
        {{NULL, 0, 10, 0, 0, 0}, CAIRN_ERR_ARG},
        {{NULL, 10, 10, -1, 0, 0}, CAIRN_ERR_ARG},
        {{NULL, 10, 10, 0, -1, 0}, CAIRN_ERR_ARG},
        {{NULL, 10, 10, 0, 0, -1}, CAIRN_ERR_ARG},
        {{NULL, 10, 10, (cairn_real)NAN, 0, 0}, CAIRN_ERR_NONFINITE},
        {{NULL, 10, 10, 0, (cairn_real)INFINITY, 0}, CAIRN_ERR_NONFINITE},
        {{NULL, 10, 10, 0, 0, (cairn_real)NAN}, CAIRN_ERR_NONFINITE},
    };
    begin_unknown();
    world_add_anchors();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_context("case", (uint32_t)i);
        CHECK_EQ(cairn_locate_init(&world_job, &cases[i].cfg, &world_net, world_work, enough()), cases[i].status);
    }
    CHECK_EQ(cairn_locate_init(NULL, &exact_cfg, &world_net, world_work, enough()), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_locate_init(&world_job, NULL, &world_net, world_work, enough()), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_locate_init(&world_job, &exact_cfg, NULL, world_work, enough()), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_locate_init(&world_job, &exact_cfg, &world_net, NULL, enough()), CAIRN_ERR_ARG);
    CHECK_EQ(init(enough() - 1u), CAIRN_ERR_SIZE);
    CHECK_EQ(init(0u), CAIRN_ERR_SIZE);
    cairn_word_t *odd = (cairn_word_t *)(void *)((uint8_t *)world_work + 1);
    CHECK_EQ(cairn_locate_init(&world_job, &exact_cfg, &world_net, odd, enough()), CAIRN_ERR_ALIGN);
    CHECK_EQ(cairn_locate_step(NULL, 1u), CAIRN_ERR_ARG);
    CHECK(!world_net.sealed); /* none of these has closed it */
}

TEST(test_locate_should_stay_within_its_work_array_when_it_has_just_enough)
{
    begin_unknown();
    world_add_anchors();
    for (size_t i = 0; i < 4u; ++i) {
        world_work[enough() + i].index = 0xC0FFEE00u + (uint32_t)i;
    }
    CHECK_EQ(world_locate(&exact_cfg, 1000u), CAIRN_OK);
    for (size_t i = 0; i < 4u; ++i) {
        CHECK_EQ(world_work[enough() + i].index, 0xC0FFEE00u + (uint32_t)i);
    }
}

static void check_honest(void)
{
    world_check_honest();
    CHECK(cairn_isfinite(cairn_locate_get_cost(&world_job)));
}

TEST(test_locate_should_find_exact_places_when_all_starts_are_in_one_point)
{
    cairn_real point[2] = {5, 5};
    begin_unknown();
    world_add_anchors();
    for (uint32_t i = 4u; i < 12u; ++i) {
        CHECK_EQ(cairn_network_set_start(&world_net, i, point), CAIRN_OK);
    }
    CHECK(world_locate(&exact_cfg, 1000u) >= 0);
    check_honest();
    for (uint32_t i = 4u; i < 12u; ++i) { /* starts 3 m off keep pulling a little: within the deviation they imply */
        CHECK(world_error(i) < (cairn_real)0.05);
    }
}

TEST(test_locate_should_place_all_in_one_point_when_all_are_there)
{
    /* four anchors, six sensors that stand on one spot, a millimetre apart by their ranges */
    world_draw(10u, 4u, 2u, 20, 0, 1u);
    for (uint32_t i = 4u; i < world.n_nodes; ++i) {
        world.truth[2u * i] = 4, world.truth[2u * i + 1u] = 5;
    }
    world_begin();
    world_add_anchors();
    for (uint32_t b = 4u; b < world.n_nodes; ++b) {
        for (uint32_t a = 0; a < b; ++a) {
            cairn_real range = a < 4u ? cairn_distance(world_truth(a), world_truth(b), 2u) : (cairn_real)0.001;
            CHECK_EQ(cairn_network_add_range(&world_net, a, b, range, 0), CAIRN_OK);
        }
    }
    CHECK(world_locate(&exact_cfg, 1000u) >= 0);
    check_honest();
    for (uint32_t i = 4u; i < world.n_nodes; ++i) {
        CHECK(world_error(i) >= 0 && world_error(i) < (cairn_real)0.01);
    }
}

TEST(test_locate_should_place_a_sensor_that_stands_on_an_anchor_when_its_range_is_tiny)
{
    world_draw(12u, 4u, 2u, 7, 0, 1u);
    world.truth[8] = world.truth[0], world.truth[9] = world.truth[1]; /* node 4 on anchor 0 */
    world_begin();
    world_add_anchors();
    CHECK_EQ(cairn_network_add_range(&world_net, 0u, 4u, (cairn_real)1e-6, 0), CAIRN_OK);
    world_add_ranges(); /* skips the range of 0 */
    CHECK(world_locate(&exact_cfg, 1000u) >= 0);
    check_honest();
    CHECK_NEAR(world_error(4u), 0.0, EXACT);
}

TEST(test_locate_should_work_from_starts_alone_when_there_is_no_anchor)
{
    cairn_rng_t rng;
    cairn_locate_cfg_t cfg = exact_cfg;
    cfg.tolerance = (cairn_real)1e-4;
    cfg.start_std_m = (cairn_real)0.3;
    begin_unknown();
    world.cfg.noise_abs_m = (cairn_real)0.1; /* not so stiff that the frame as a whole would settle slowly */
    world.n_anchors = 0;
    cairn_rng_init(&rng, 21u, 1u);
    for (uint32_t i = 0; i < 12u; ++i) {
        cairn_real start[2];
        start[0] = world_truth(i)[0] + cfg.start_std_m * random_normal(&rng);
        start[1] = world_truth(i)[1] + cfg.start_std_m * random_normal(&rng);
        CHECK_EQ(cairn_network_set_start(&world_net, i, start), CAIRN_OK);
    }
    CHECK(world_locate(&cfg, 1000u) >= 0);
    check_honest();
    double sum = 0.0;
    for (uint32_t i = 0; i < 12u; ++i) {
        CHECK_EQ(cairn_network_get_state(&world_net, i), CAIRN_NODE_PLACED);
        sum += (double)world_error(i) * (double)world_error(i);
    }
    CHECK_EQ(init(enough()), CAIRN_ERR_ANCHORS); /* the starts are used up */
    /* the shape is exact; what is left is the frame: 3 of the 24 coordinates' worth of the starts' variance.
     * rms .3 x sqrt(2 x 3/24) = .15, twice that allowed */
    CHECK(oracle_sqrt(sum / 12.0) < 0.3);
}

TEST(test_locate_should_bound_the_harm_of_a_wild_range_when_the_loss_is_robust)
{
    static const cairn_loss_t *const losses[] = {&cairn_loss_redescend, &cairn_loss_huber, &cairn_loss_absolute};
    for (size_t k = 0; k < 3u; ++k) {
        cairn_locate_cfg_t cfg = cairn_locate_cfg_default;
        cfg.loss = losses[k];
        test_context("loss", (uint32_t)k);
        world_draw(12u, 4u, 2u, 8, (cairn_real)0.05, 3u);
        world_build();
        for (size_t i = 0; i < 2u * world_net.n_ranges; i += 2u) {
            if (world_links[i].range_m > 2 && world_links[i + 1u].node_and_std == 6u) {
                world_links[i].range_m *= 10; /* as a radio would have delivered it */
                break;
            }
        }
        CHECK(world_locate(&cfg, 1000u) >= 0);
        check_honest();
        for (uint32_t i = 4u; i < 12u; ++i) { /* ten deviations; plain least squares is off by metres */
            CHECK(world_error(i) < (cairn_real)0.5);
        }
    }
}

TEST(test_locate_should_give_each_its_own_result_when_two_jobs_are_interleaved)
{
    /* two networks of 12 nodes in the halves of the arrays */
    static cairn_network_t nets[2];
    static cairn_locate_t jobs[2];
    uint32_t hash[2][2];
    world_draw(12u, 4u, 2u, 7, (cairn_real)0.1, 4u);
    for (int interleaved = 0; interleaved < 2; ++interleaved) {
        for (uint32_t k = 0; k < 2u; ++k) {
            const cairn_network_memory_t memory = {world_links + k * 200u, 200u, world_rows + k * 26u, 26u,
                                                   world_place + k * 24u,  24u,  world_std + k * 12u,  12u,
                                                   world_flags + k * 12u,  12u};
            world.seed = 40u + k;
            CHECK_EQ(cairn_network_init(&nets[k], &world.cfg, &memory, 12u), CAIRN_OK);
            world_net = nets[k];
            world_add_anchors();
            world_add_ranges();
            nets[k] = world_net;
            CHECK_EQ(cairn_locate_init(&jobs[k], &cairn_locate_cfg_default, &nets[k],
                                       world_work + k * CAIRN_LOCATE_WORDS(12, 2), CAIRN_LOCATE_WORDS(12, 2)),
                     CAIRN_OK);
            while (interleaved == 0 && cairn_locate_step(&jobs[k], 50u) == CAIRN_MORE) {
            }
        }
        bool more = true;
        while (more) {
            more = false;
            for (uint32_t k = 0; k < 2u; ++k) {
                more = cairn_locate_step(&jobs[k], 30u + 40u * k) == CAIRN_MORE || more;
            }
        }
        for (uint32_t k = 0; k < 2u; ++k) {
            world_net = nets[k];
            hash[interleaved][k] = world_hash();
        }
    }
    CHECK_EQ(hash[1][0], hash[0][0]);
    CHECK_EQ(hash[1][1], hash[0][1]);
    CHECK(hash[0][0] != hash[0][1]);
}

/* A length of any size that is allowed: mostly metres, else 1e-9 to 1e9. */
static cairn_real draw_length(cairn_rng_t *rng)
{
    const cairn_real share = cairn_rng_uniform(rng);
    cairn_real length = 10 * (1 - share);
    if (cairn_rng_below(rng, 3u) == 0) {
        length = CAIRN_NETWORK_LENGTH_LEAST;
        for (uint32_t tens = cairn_rng_below(rng, 18u); tens > 0; --tens) {
            length *= 10;
        }
    }
    return cairn_max(length, CAIRN_NETWORK_LENGTH_LEAST);
}

/* A network whose lengths have nothing to do with each other. */
static void draw_nonsense(cairn_rng_t *rng, cairn_locate_cfg_t *cfg)
{
    static const cairn_loss_t *const losses[] = {NULL, &cairn_loss_absolute, &cairn_loss_huber, &cairn_loss_redescend};
    world_draw(3u + cairn_rng_below(rng, 9u), 0, 1u + cairn_rng_below(rng, WORLD_DIM), 0, 0, 1u);
    world.cfg.noise_abs_m = cairn_rng_below(rng, 2u) == 0 ? 0 : draw_length(rng);
    cfg->loss = losses[cairn_rng_below(rng, 4u)];
    cfg->start_std_m = cairn_rng_below(rng, 2u) == 0 ? 0 : draw_length(rng);
    cfg->radio_range_m = cairn_rng_below(rng, 2u) == 0 ? 0 : draw_length(rng);
    world_begin();
    for (uint32_t n = cairn_rng_below(rng, 40u); n > 0; --n) {
        const uint32_t a = cairn_rng_below(rng, world.n_nodes);
        const uint32_t b = cairn_rng_below(rng, world.n_nodes);
        const cairn_real std = cairn_rng_below(rng, 2u) == 0 ? 0 : draw_length(rng);
        CHECK_EQ(cairn_network_add_range(&world_net, a, b, draw_length(rng), std), a == b ? CAIRN_ERR_SELF : CAIRN_OK);
    }
    for (uint32_t i = 0; i < world.n_nodes; ++i) {
        const uint32_t kind = i <= world.dim ? 0 : cairn_rng_below(rng, 4u);
        cairn_real place[WORLD_DIM];
        for (uint32_t k = 0; k < world.dim; ++k) {
            place[k] = cairn_rng_below(rng, 2u) == 0 ? draw_length(rng) : -draw_length(rng);
        }
        if (kind < 2u) {
            CHECK_EQ((kind == 0 ? cairn_network_set_anchor : cairn_network_set_start)(&world_net, i, place), CAIRN_OK);
        }
    }
}

TEST(test_locate_should_stay_finite_when_lengths_are_as_extreme_as_is_allowed)
{
    cairn_rng_t rng;
    cairn_locate_cfg_t cfg = cairn_locate_cfg_default;
    uint32_t n_located = 0;
    cairn_rng_init(&rng, 22u, 1u);
    for (uint32_t i = 0; i < 300u; ++i) {
        test_context("network", i);
        draw_nonsense(&rng, &cfg);
        if (world_locate(&cfg, 1000u) >= 0) {
            check_honest();
            ++n_located;
        }
    }
    CHECK(n_located >= 100u);
}

TEST_MAIN(TEST_CASE(test_init_should_refuse_when_no_place_is_known),
          TEST_CASE(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad),
          TEST_CASE(test_locate_should_stay_within_its_work_array_when_it_has_just_enough),
          TEST_CASE(test_locate_should_stay_finite_when_lengths_are_as_extreme_as_is_allowed),
          TEST_CASE(test_locate_should_find_exact_places_when_all_starts_are_in_one_point),
          TEST_CASE(test_locate_should_place_all_in_one_point_when_all_are_there),
          TEST_CASE(test_locate_should_place_a_sensor_that_stands_on_an_anchor_when_its_range_is_tiny),
          TEST_CASE(test_locate_should_work_from_starts_alone_when_there_is_no_anchor),
          TEST_CASE(test_locate_should_bound_the_harm_of_a_wild_range_when_the_loss_is_robust),
          TEST_CASE(test_locate_should_give_each_its_own_result_when_two_jobs_are_interleaved))
