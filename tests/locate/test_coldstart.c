/* SPDX-License-Identifier: MIT
 * Tests of the cold start: bad arguments, slicing, exact answers, starts, losses. */
#include "oracle/cold.h"

/* Bad arguments; test_jobs.c has what else is refused */

/* Twelve nodes with exact ranges, and nobody known yet. */
static void begin_unknown(void)
{
    draw_small(0, 1u);
    world_begin();
    world_add_ranges();
}

/* Bytes of everything an init may touch. */
static uint32_t bytes_now(void) { return hash_bytes(world_bytes(), &cold_job, sizeof cold_job); }

static void check_refused(const cairn_coldstart_cfg_t *cfg, cairn_word_t *work, size_t n_words, cairn_status expected)
{
    memset(&cold_job, 0x5A, sizeof cold_job);
    const uint32_t before = bytes_now();
    CHECK_EQ(cairn_coldstart_init(&cold_job, cfg, &world_net, work, n_words), expected);
    CHECK_EQ(bytes_now(), before);
}

/* The same for a network with anchors and for one without. */
static void check_bad_arguments(void)
{
    static const struct {
        cairn_coldstart_cfg_t cfg;
        cairn_status status;
    } cases[] = {
        {{{NULL, 10, 10, 0, -1, 0}, 10, 4, 0}, CAIRN_ERR_ARG},
        {{{NULL, 10, 10, 0, 0, -1}, 10, 4, 0}, CAIRN_ERR_ARG},
        {{{NULL, 10, 10, 0, (cairn_real)2e9, 0}, 10, 4, 0}, CAIRN_ERR_ARG},
        {{{NULL, 10, 10, 0, 0, (cairn_real)2e9}, 10, 4, 0}, CAIRN_ERR_ARG},
        {{{NULL, 10, 10, 0, 0, 0}, -1, 4, 0}, CAIRN_ERR_ARG},
        {{{NULL, 10, 10, 0, 0, 0}, 10, 101, 0}, CAIRN_ERR_ARG},
        {{{NULL, 10, 10, 0, 0, 0}, 10, 4, 2}, CAIRN_ERR_ARG},
        {{{NULL, 10, 10, 0, (cairn_real)INFINITY, 0}, 10, 4, 0}, CAIRN_ERR_NONFINITE},
        {{{NULL, 10, 10, 0, 0, (cairn_real)NAN}, 10, 4, 0}, CAIRN_ERR_NONFINITE},
        {{{NULL, 10, 10, 0, 0, 0}, (cairn_real)NAN, 4, 0}, CAIRN_ERR_NONFINITE},
        {{{NULL, 10, 10, 0, 0, 0}, (cairn_real)INFINITY, 4, 0}, CAIRN_ERR_NONFINITE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_context("case", (uint32_t)i);
        check_refused(&cases[i].cfg, world_work, cold_words(), cases[i].status);
    }
    test_context("case", UINT32_MAX);
    for (size_t offset = 1; offset < sizeof(cairn_real); ++offset) {
        check_refused(&cold_cfg, (cairn_word_t *)(void *)((uint8_t *)world_work + offset), cold_words(),
                      CAIRN_ERR_ALIGN);
    }
    check_refused(&cold_cfg, world_work, cold_words() - 1u, CAIRN_ERR_SIZE);
    check_refused(&cold_cfg, world_work, 0u, CAIRN_ERR_SIZE);
    check_refused(NULL, world_work, cold_words(), CAIRN_ERR_ARG);
    check_refused(&cold_cfg, NULL, cold_words(), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_coldstart_init(NULL, &cold_cfg, &world_net, world_work, cold_words()), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_coldstart_init(&cold_job, &cold_cfg, NULL, world_work, cold_words()), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_coldstart_step(NULL, 1u), CAIRN_ERR_ARG);
    CHECK(!world_net.sealed);
}

TEST(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad)
{
    begin_unknown();
    world_add_anchors();
    check_bad_arguments();
}

TEST(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad_and_nothing_is_known)
{
    begin_unknown();
    check_bad_arguments();
}

TEST(test_words_should_be_as_documented_when_there_are_starts_or_none)
{
    CHECK_EQ(CAIRN_COLDSTART_WORDS(100, 1, 0), 10u * 100u + 512u);
    CHECK_EQ(CAIRN_COLDSTART_WORDS(100, 2, 0), 14u * 100u + 576u);
    CHECK_EQ(CAIRN_COLDSTART_WORDS(100, 3, 0), 21u * 100u + 640u);
    CHECK_EQ(CAIRN_COLDSTART_WORDS(100, 1, 1), 12u * 100u + 512u);
    CHECK_EQ(CAIRN_COLDSTART_WORDS(100, 2, 1), 18u * 100u + 576u);
    CHECK_EQ(CAIRN_COLDSTART_WORDS(100, 3, 1), 27u * 100u + 640u);
}

static void put_canaries(void)
{
    for (size_t i = 0; i < COLD_CANARIES; ++i) {
        world_work[cold_words() + i].index = 0xC0FFEE00u + (uint32_t)i;
    }
}

static void check_canaries(size_t n_words)
{
    for (size_t i = 0; i < COLD_CANARIES; ++i) {
        CHECK_EQ(world_work[n_words + i].index, 0xC0FFEE00u + (uint32_t)i);
    }
}

TEST(test_coldstart_should_stay_within_its_work_array_when_it_has_just_enough)
{
    static const struct {
        uint32_t n_nodes, n_anchors, dim;
        cairn_real radius;
        bool starts;
    } cases[] = {{12, 4, 2, 7, false}, {12, 4, 2, 7, true},  {12, 0, 2, 7, false}, {5, 0, 2, 12, false},
                 {12, 3, 1, 5, true},  {12, 0, 1, 5, false}, {14, 6, 3, 9, true},  {14, 0, 3, 9, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        test_context("case", (uint32_t)i);
        draw(cases[i].n_nodes, cases[i].n_anchors, cases[i].dim, cases[i].radius, (cairn_real)0.1, 1u);
        world_build();
        if (cases[i].starts) {
            world_add_starts((cairn_real)0.5);
        }
        const size_t n_words = cold_words();
        put_canaries();
        CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
        check_canaries(n_words);
        cold_check_honest();
    }
}

/* On a line the sensors between the outer anchors hang on one another: the search for chains reaches each from both sides. */
TEST(test_coldstart_should_stay_within_its_work_array_when_chains_run_along_a_line)
{
    for (uint32_t seed = 1; seed <= TEST_SEEDS(5u); ++seed) {
        test_context("seed", seed);
        draw(40u, 2u, 1u, (cairn_real)1.5, (cairn_real)0.01, seed);
        for (uint32_t i = 0; i < world.n_nodes; ++i) {
            world.truth[i] = i < 2u ? (cairn_real)i * 10 : ((cairn_real)i - 1) * (cairn_real)0.25;
        }
        world_build();
        put_canaries();
        CHECK_EQ(cold_locate(&cold_cfg, 1000u), CAIRN_OK);
        check_canaries(cold_words());
        cold_check_honest();
        uint32_t n_placed = 0;
        CHECK(world_rmse(&n_placed) < 0.05);
        CHECK(n_placed >= 36u);
    }
}

/* Determinism */

/* A noisy small network: with anchors, with starts as well, or with nothing known. */
static void build_kind(uint32_t kind)
{
    draw(12u, kind == 2u ? 0u : 4u, 2u, 7, (cairn_real)0.1, 5u);
    world_build();
    if (kind == 1u) {
        world_add_starts(1);
    }
}

TEST(test_coldstart_should_give_the_same_bits_when_sliced_by_any_budget)
{
    static const uint32_t budgets[] = {UINT32_MAX, 1u, 0u, 7u, 1000u};
    for (uint32_t kind = 0; kind < 3u; ++kind) {
        uint32_t whole = 0;
        test_context("kind", kind);
        for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; ++i) {
            build_kind(kind);
            const uint32_t hash = cold_hash(cold_locate(&cold_cfg, budgets[i]));
            whole = i == 0 ? hash : whole;
            CHECK_EQ(hash, whole);
        }
    }
}

TEST(test_coldstart_should_give_the_same_bits_when_memory_held_other_bytes)
{
    for (uint32_t kind = 0; kind < 3u; ++kind) {
        uint32_t hash[2];
        test_context("kind", kind);
        for (int i = 0; i < 2; ++i) {
            const int fill = i == 0 ? 0x00 : 0xA5;
            memset(world_work, fill, sizeof world_work);
            memset(world_links, fill, sizeof world_links);
            memset(&cold_job, fill, sizeof cold_job);
            build_kind(kind);
            hash[i] = cold_hash(cold_locate(&cold_cfg, 1000u));
        }
        CHECK_EQ(hash[0], hash[1]);
    }
}

/* Deviations of an earlier job lie where the probes keep their squares; two ranges and starts hold the nodes, which come
 * to rest at once. */
TEST(test_coldstart_should_give_the_same_bits_when_deviations_were_left_from_before)
{
    for (uint32_t seed = 1; seed <= TEST_SEEDS(40u); ++seed) {
        uint32_t hash[2];
        test_context("seed", seed);
        for (uint32_t i = 0; i < 2u; ++i) {
            draw(18u, 5u, 2u, 2, (cairn_real)0.05, seed);
            world_begin();
            world_add_anchors();
            world_add_starts((cairn_real)0.1);
            CHECK_EQ(cairn_network_add_range(&world_net, 6u, 7u, 2, 0), CAIRN_OK);
            CHECK_EQ(cairn_network_add_range(&world_net, 8u, 9u, 2, 0), CAIRN_OK);
            for (uint32_t k = world.n_anchors; k < world.n_nodes; ++k) {
                world_std[k] = (cairn_real)(1000u * i);
            }
            hash[i] = cold_hash(cold_locate(&cold_cfg, 1000u));
        }
        CHECK_EQ(hash[0], hash[1]);
    }
}

/* Swap the ends of an open range, and two ranges. */
static void shuffle_ranges(cairn_rng_t *rng)
{
    for (uint32_t k = world_net.n_ranges; k-- > 1u;) {
        const uint32_t other = cairn_rng_below(rng, k + 1u);
        for (uint32_t end = 0; end < 2u; ++end) {
            const cairn_link_t kept = world_links[2u * k + end];
            world_links[2u * k + end] = world_links[2u * other + end];
            world_links[2u * other + end] = kept;
        }
    }
}

TEST(test_coldstart_should_give_the_same_bits_when_ranges_arrive_in_another_order)
{
    for (uint32_t kind = 0; kind < 3u; ++kind) {
        uint32_t first = 0;
        cairn_rng_t rng;
        cairn_rng_init(&rng, 31u, kind);
        for (uint32_t order = 0; order < 3u; ++order) {
            test_context("kind and order", 10u * kind + order);
            build_kind(kind);
            if (order > 0) {
                shuffle_ranges(&rng);
            }
            const uint32_t hash = cold_hash(cold_locate(&cold_cfg, 1000u));
            first = order == 0 ? hash : first;
            CHECK_EQ(hash, first);
        }
    }
}

TEST(test_coldstart_should_report_progress_that_never_falls_when_stepped)
{
    for (uint32_t seed = 1; seed <= 3u; ++seed) {
        cairn_real progress = 0;
        uint32_t iterations = 0;
        uint32_t repairs = 0;
        cairn_status status = CAIRN_MORE;
        test_context("seed", seed);
        draw_small((cairn_real)0.1, seed);
        world_build();
        CHECK_EQ(cold_init(&cold_cfg), CAIRN_OK);
        CHECK(cairn_coldstart_get_cost(&cold_job) == 0);
        for (int steps = 0; status == CAIRN_MORE && steps < 100000; ++steps) {
            status = cairn_coldstart_step(&cold_job, 20u);
            CHECK(cairn_coldstart_get_progress(&cold_job) >= progress);
            CHECK(cairn_coldstart_get_iterations(&cold_job) >= iterations);
            CHECK(cairn_coldstart_get_repairs(&cold_job) >= repairs);
            progress = cairn_coldstart_get_progress(&cold_job);
            iterations = cairn_coldstart_get_iterations(&cold_job);
            repairs = cairn_coldstart_get_repairs(&cold_job);
        }
        CHECK_EQ(status, CAIRN_OK);
        CHECK(progress == 1);
        CHECK_EQ(cairn_coldstart_get_stage(&cold_job), CAIRN_COLDSTART_DONE);
        const uint32_t hash = cold_hash(status);
        CHECK_EQ(cairn_coldstart_step(&cold_job, 1000u), status); /* done stays done */
        CHECK_EQ(cold_hash(status), hash);
    }
}

/* Accuracy */

/* Sensors that say they are placed are, to what the last step leaves; nine of ten say so. */
static void check_exact(void)
{
    uint32_t n_placed = 0;
    CHECK(world_rmse(&n_placed) < STOP * (double)world.radius);
    CHECK(10u * n_placed >= 9u * (world.n_nodes - world.n_anchors));
    cold_check_honest();
}

TEST(test_coldstart_should_find_exact_places_when_forty_nodes_have_exact_ranges)
{
    for (uint32_t seed = 1; seed <= 2u; ++seed) {
        test_context("seed", seed);
        draw(40u, 4u, 2u, (cairn_real)3.6, 0, seed);
        world_build();
        CHECK_EQ(world_net.counters.n_full, 0);
        CHECK_EQ(cold_locate(&cold_cfg, 1000u), CAIRN_OK);
        check_exact();
    }
}

TEST(test_coldstart_should_find_exact_places_when_ranges_are_exact_in_1d)
{
    for (uint32_t seed = 1; seed <= 3u; ++seed) {
        test_context("seed", seed);
        draw(16u, 4u, 1u, 4, 0, seed);
        world_build();
        CHECK_EQ(cold_locate(&cold_cfg, 1000u), CAIRN_OK);
        check_exact();
    }
}

TEST(test_coldstart_should_find_exact_places_when_ranges_are_exact_in_3d)
{
    for (uint32_t seed = 1; seed <= 2u; ++seed) {
        test_context("seed", seed);
        draw(18u, 8u, 3u, 9, 0, seed);
        world_build();
        CHECK_EQ(cold_locate(&cold_cfg, 1000u), CAIRN_OK);
        check_exact();
    }
}

TEST(test_coldstart_should_reach_the_accuracy_of_the_ranges_when_forty_nodes_are_noisy)
{
    /* eight neighbours or more fix a place better than two ranges of its own would: rmse below the noise times
     * sqrt(2); the same network as in test_locate_forty */
    uint32_t n_placed = 0;
    double chi = 0.0;
    draw(40u, 6u, 2u, (cairn_real)3.6, (cairn_real)0.125, 4u);
    world_build();
    CHECK_EQ(world_net.counters.n_full, 0);
    CHECK_EQ(cold_locate(&cold_cfg, 1000u), CAIRN_OK);
    CHECK(world_rmse(&n_placed) < 0.125 * 1.4143);
    CHECK(n_placed >= 30u);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        cairn_real place[2], std;
        REQUIRE(cairn_network_get_place(&world_net, i, place, &std) >= 0 && std > 0);
        chi += (double)(world_error(i) * world_error(i)) / (2.0 * (double)std * (double)std * 34.0);
    }
    /* declared deviations are those of the errors, within a factor of two below and three above */
    CHECK(chi < 4.0 && chi > 1.0 / 9.0);
    cold_check_honest();
    /* half of one a range when the declared noise is right, less what 68 coordinates absorb; twice that allowed */
    CHECK(cairn_coldstart_get_cost(&cold_job) < (cairn_real)world_net.n_ranges);
}

TEST(test_coldstart_should_be_no_worse_with_starts_than_without_when_they_are_good_or_bad)
{
    /* good, usable, and as bad as a radio range; what they may add to the error is what the last step leaves */
    static const cairn_real stds[] = {(cairn_real)0.1, (cairn_real)0.7, 5};
    for (uint32_t seed = 1; seed <= 4u; ++seed) {
        draw(20u, 5u, 2u, 5, (cairn_real)0.1, seed);
        world_build();
        CHECK(cold_locate(&cold_cfg, 100000u) >= 0);
        const double without = cold_rmse_all();
        for (size_t k = 0; k < sizeof stds / sizeof stds[0]; ++k) {
            test_context("seed and starts", 10u * seed + (uint32_t)k);
            world_build();
            world_add_starts(stds[k]);
            CHECK(cold_locate(&cold_cfg, 100000u) >= 0);
            CHECK(cold_rmse_all() <= without + STOP * (double)world.radius);
            cold_check_honest();
        }
    }
}

TEST(test_coldstart_should_give_the_same_local_answer_when_coordinates_are_those_of_a_map)
{
    cairn_real local[24];
    draw_small(0, 1u);
    for (uint32_t i = 0; i < world.n_nodes * 2u; ++i) { /* anchors on whole metres stay exact */
        world.truth[i] = (cairn_real)(int32_t)world.truth[i] + (i < world.n_anchors * 2u ? 0 : (cairn_real)0.375);
    }
    for (int k = 0; k < 3; ++k) {
        const cairn_real offset_m = k == 0 ? 0 : k == 1 ? (cairn_real)1e5 : (cairn_real)3e5;
        world_begin();
        for (uint32_t i = 0; i < world.n_anchors; ++i) {
            world_set_anchor(i, world_truth(i)[0] + offset_m, world_truth(i)[1] - offset_m);
        }
        world_add_ranges();
        CHECK_EQ(cold_locate(&cold_cfg, 100000u), CAIRN_OK);
        for (uint32_t i = 0; i < world.n_nodes; ++i) {
            cairn_real place[2], origin[2];
            CHECK(cairn_network_get_local(&world_net, i, place, origin) >= 0);
            if (k == 0) {
                memcpy(local + 2u * i, place, sizeof place);
            }
            CHECK_MEM(place, local + 2u * i, sizeof place); /* the job never sees the offset */
        }
    }
}

/* Losses */

TEST(test_coldstart_should_reach_the_accuracy_of_the_ranges_when_the_loss_is_any)
{
    static const cairn_loss_t *const losses[] = {&cairn_loss_squared, &cairn_loss_absolute, &cairn_loss_huber,
                                                 &cairn_loss_redescend};
    uint32_t plain = 0;
    draw(20u, 5u, 2u, 5, (cairn_real)0.1, 1u);
    for (size_t k = 0; k < 4u; ++k) {
        uint32_t n_placed = 0;
        test_context("loss", (uint32_t)k);
        cold_cfg.locate.loss = losses[k];
        world_build();
        const cairn_status status = cold_locate(&cold_cfg, 1000u);
        CHECK(status >= 0);
        CHECK(world_rmse(&n_placed) < 0.1 * 2.0); /* as squared, or its efficiency for normal noise, 64 %, or better */
        CHECK(n_placed >= 12u);
        cold_check_honest();
        if (k == 0) {
            plain = cold_hash(status);
            cold_cfg.locate.loss = NULL;
            world_build();
            CHECK_EQ(cold_hash(cold_locate(&cold_cfg, 1000u)), plain); /* NULL is squared */
        } else {
            CHECK(cold_hash(status) != plain);
        }
    }
}

/* What a range that is ten times too long does to the worst sensor. */
static double worst_error_with_a_wild_range(const cairn_loss_t *loss)
{
    double worst = 0.0;
    draw(12u, 4u, 2u, 8, (cairn_real)0.05, 3u);
    cold_cfg.locate.loss = loss;
    world_build();
    for (size_t i = 0; i < 2u * world_net.n_ranges; i += 2u) {
        if (world_links[i].range_m > 2 && world_links[i + 1u].node_and_std == 6u) {
            world_links[i].range_m *= 10; /* as a radio would have delivered it */
            break;
        }
    }
    CHECK(cold_locate(&cold_cfg, 1000u) >= 0);
    cold_check_honest();
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        worst = (double)world_error(i) > worst ? (double)world_error(i) : worst;
    }
    return worst;
}

TEST(test_coldstart_should_bound_the_harm_of_a_wild_range_when_the_loss_is_robust)
{
    static const cairn_loss_t *const losses[] = {&cairn_loss_absolute, &cairn_loss_huber, &cairn_loss_redescend};
    const double plain = worst_error_with_a_wild_range(NULL);
    CHECK(plain > 0.5);
    for (size_t k = 0; k < 3u; ++k) {
        test_context("loss", (uint32_t)k);
        CHECK(worst_error_with_a_wild_range(losses[k]) < 0.5); /* ten deviations */
    }
}

TEST_MAIN(TEST_CASE(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad),
          TEST_CASE(test_init_should_refuse_and_change_nothing_when_an_argument_is_bad_and_nothing_is_known),
          TEST_CASE(test_words_should_be_as_documented_when_there_are_starts_or_none),
          TEST_CASE(test_coldstart_should_stay_within_its_work_array_when_it_has_just_enough),
          TEST_CASE(test_coldstart_should_stay_within_its_work_array_when_chains_run_along_a_line),
          TEST_CASE(test_coldstart_should_give_the_same_bits_when_sliced_by_any_budget),
          TEST_CASE(test_coldstart_should_give_the_same_bits_when_memory_held_other_bytes),
          TEST_CASE(test_coldstart_should_give_the_same_bits_when_deviations_were_left_from_before),
          TEST_CASE(test_coldstart_should_give_the_same_bits_when_ranges_arrive_in_another_order),
          TEST_CASE(test_coldstart_should_report_progress_that_never_falls_when_stepped),
          TEST_CASE(test_coldstart_should_find_exact_places_when_forty_nodes_have_exact_ranges),
          TEST_CASE(test_coldstart_should_find_exact_places_when_ranges_are_exact_in_1d),
          TEST_CASE(test_coldstart_should_find_exact_places_when_ranges_are_exact_in_3d),
          TEST_CASE(test_coldstart_should_reach_the_accuracy_of_the_ranges_when_forty_nodes_are_noisy),
          TEST_CASE(test_coldstart_should_be_no_worse_with_starts_than_without_when_they_are_good_or_bad),
          TEST_CASE(test_coldstart_should_give_the_same_local_answer_when_coordinates_are_those_of_a_map),
          TEST_CASE(test_coldstart_should_reach_the_accuracy_of_the_ranges_when_the_loss_is_any),
          TEST_CASE(test_coldstart_should_bound_the_harm_of_a_wild_range_when_the_loss_is_robust))
