/* SPDX-License-Identifier: MIT
 * Tests of place: exact answers, invariances, refusals that change nothing, what the callback may rely on. */
#include "oracle/instance.h"

static instance_t instance;

/* Four anchors of a 2-D problem with ranges to (3, 4) that are exact in float. */
static const cairn_real corners[] = {0, 0, 6, 8, 3, 0, 0, 4};
static const cairn_real corner_ranges[] = {5, 5, 4, 3};

static cairn_status place_arrays(const cairn_place_cfg_t *cfg, const cairn_neighbour_arrays_t *arrays, size_t n,
                                 cairn_real *x, cairn_place_result_t *result)
{
    cairn_real work[CAIRN_PLACE_WORK_REALS(3)];
    return cairn_place(cfg, cairn_neighbour_from_arrays, arrays, n, x, arrays->dim, work,
                       CAIRN_PLACE_WORK_REALS(arrays->dim), result);
}

TEST(test_place_should_find_the_point_when_ranges_are_exact)
{
    static const cairn_loss_t *const losses[] = {&cairn_loss_squared, &cairn_loss_huber, &cairn_loss_redescend};
    const cairn_neighbour_arrays_t arrays = {corners, corner_ranges, NULL, NULL, 2u};
    for (int i = 0; i < 3; ++i) {
        cairn_place_cfg_t cfg = cairn_place_cfg_default;
        cairn_real x[2] = {(cairn_real)2.5, 5};
        cairn_place_result_t result;
        cfg.loss = losses[i];
        cfg.rounds_max = 50;
        CHECK_EQ(place_arrays(&cfg, &arrays, 4u, x, &result), CAIRN_OK);
        /* each residual can be known to half a unit of the distance (6 at most) times the roundings of a distance
         * in 2-D (3.5); the directions at (3, 4) fix each axis with at least one neighbour of its own */
        CHECK_NEAR(x[0], 3.0, 8.0 * ORACLE_UNIT * 5.0 * 3.5);
        CHECK_NEAR(x[1], 4.0, 8.0 * ORACLE_UNIT * 5.0 * 3.5);
        CHECK(result.n_rounds <= 10);
        CHECK_EQ(result.n_clamped, 0);
    }
}

TEST(test_place_should_be_the_weighted_mean_when_a_line_has_a_range_and_a_prior)
{
    /* the prior is a neighbour at range 0: x = (w_range 7 + w_prior 5) / (w_range + w_prior) */
    static const cairn_real places[] = {0, 5};
    static const cairn_real ranges[] = {7, 0};
    static const cairn_real weights[] = {3, 1};
    const cairn_neighbour_arrays_t arrays = {places, ranges, weights, NULL, 1u};
    for (int method = 0; method < 2; ++method) {
        cairn_place_cfg_t cfg = cairn_place_cfg_default;
        cairn_real x = 1;
        cairn_place_result_t result;
        cfg.method = method == 0 ? CAIRN_PLACE_NEWTON : CAIRN_PLACE_ALTERNATE;
        CHECK(place_arrays(&cfg, &arrays, 2u, &x, &result) >= 0);
        /* near its minimum the cost is flat: it stops where a step changes it by less than its rounding */
        double cost = 3.0 * 0.25 + 2.25;
        CHECK_NEAR(x, 6.5, oracle_sqrt(16.0 * ORACLE_UNIT * cost / 4.0));
        CHECK_NEAR(result.cost, cost, 32.0 * ORACLE_UNIT * cost);
    }
}

TEST(test_place_should_sit_on_the_prior_when_there_is_nothing_else)
{
    static const cairn_real prior[] = {2, -3, 4};
    static const cairn_real zero = 0;
    const cairn_neighbour_arrays_t arrays = {prior, &zero, NULL, NULL, 3u};
    cairn_real x[3] = {10, 10, 10};
    cairn_place_result_t result;
    CHECK_EQ(place_arrays(&cairn_place_cfg_default, &arrays, 1u, x, &result), CAIRN_OK);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(x[i], prior[i], 8.0 * ORACLE_UNIT * 14.0);
    }
    CHECK_EQ(place_arrays(&cairn_place_cfg_default, &arrays, 1u, x, &result), CAIRN_OK); /* from the prior itself */
    CHECK(cairn_all_finite(x, 3u));
}

TEST(test_place_should_leave_and_reach_the_circle_when_it_starts_on_a_neighbour)
{
    static const cairn_real place[] = {1, 1};
    static const cairn_real range = 2;
    const cairn_neighbour_arrays_t arrays = {place, &range, NULL, NULL, 2u};
    for (uint32_t kind = 0; kind < ORACLE_N_LOSSES; ++kind) {
        cairn_real x[2] = {1, 1};
        cairn_place_result_t result;
        instance_set(&instance, 1u, kind, CAIRN_PLACE_NEWTON);
        test_context("loss", kind);
        CHECK(place_arrays(&instance.cfg, &arrays, 1u, x, &result) >= 0);
        CHECK_NEAR(cairn_distance(x, place, 2u), 2.0, 1e-3);
    }
}

TEST(test_place_should_flip_and_scale_with_its_input_when_that_is_exact)
{
    /* a change of sign of an axis, and of all lengths by a power of two, commute with every rounding */
    cairn_rng_t rng;
    cairn_rng_init(&rng, 111u, 1u);
    for (uint32_t run = 0; run < 4u * ORACLE_N_LOSSES; ++run) {
        cairn_real start[ORACLE_DIM_MAX], expected[ORACLE_DIM_MAX];
        const cairn_real factor = 8;
        uint32_t kind = run % ORACLE_N_LOSSES;
        if (kind == (uint32_t)ORACLE_POWER) {
            continue; /* pow need not scale exactly */
        }
        test_context("run", run);
        instance_set(&instance, run / ORACLE_N_LOSSES, kind, CAIRN_PLACE_NEWTON);
        instance_draw(&instance, &rng, false);
        size_t dim = instance.problem.dim;
        memcpy(start, instance.x, sizeof start);
        cairn_status status = instance_place(&instance, 10u, NULL);
        memcpy(expected, instance.x, sizeof expected);
        for (size_t i = 0; i < dim; ++i) {
            instance.x[i] = (i == 0 ? -factor : factor) * start[i];
            expected[i] *= i == 0 ? -factor : factor;
        }
        for (size_t j = 0; j < instance.problem.n_neighbours; ++j) {
            instance.neighbours[j].range *= factor;
            instance.neighbours[j].scale *= factor;
            for (size_t i = 0; i < dim; ++i) {
                instance.places[j * dim + i] *= i == 0 ? -factor : factor;
            }
        }
        CHECK_EQ(instance_place(&instance, 10u, NULL), status);
        CHECK_MEM(instance.x, expected, dim * sizeof expected[0]);
    }
}

TEST(test_place_should_move_with_its_input_when_that_is_rotated_and_shifted)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 112u, 1u);
    for (uint32_t run = 0; run < 24u; ++run) {
        double rotation[ORACLE_DIM_MAX * ORACLE_DIM_MAX], shift[ORACLE_DIM_MAX];
        double bound, bound_moved;
        test_context("run", run);
        instance_set(&instance, 1u + run % 3u, ORACLE_SQUARED, CAIRN_PLACE_NEWTON);
        do {
            instance_draw(&instance, &rng, false);
        } while (instance.problem.n_neighbours < 6u);
        size_t dim = instance.problem.dim;
        (void)!instance_place(&instance, 20u, NULL); /* into a basin, from where both go on */
        cairn_real start[ORACLE_DIM_MAX], moved[ORACLE_DIM_MAX];
        memcpy(start, instance.x, sizeof start);
        random_rotation(&rng, dim, rotation);
        for (size_t i = 0; i < dim; ++i) {
            shift[i] = (double)random_between(&rng, -20, 20);
        }
        CHECK(instance_place(&instance, 100u, NULL) >= 0);
        double cost = instance_cost(&instance, &bound);
        random_apply(rotation, shift, dim, start, moved);
        memcpy(instance.x, moved, sizeof moved);
        for (size_t j = 0; j < instance.problem.n_neighbours; ++j) {
            random_apply(rotation, shift, dim, instance.places + j * dim, moved);
            memcpy(instance.places + j * dim, moved, dim * sizeof moved[0]);
        }
        CHECK(instance_place(&instance, 100u, NULL) >= 0);
        double cost_moved = instance_cost(&instance, &bound_moved);
        /* coordinates below 40 + 23 moved by half a unit each change a range by as much, and the least cost by that
         * times the sum of |residuals| (twice), to first order: sqrt(n cost) bounds the sum */
        double jitter = ORACLE_UNIT * 64.0 * oracle_sqrt((double)dim);
        double sum = oracle_sqrt((double)instance.problem.n_neighbours * cost);
        CHECK_NEAR(cost_moved, cost, bound + bound_moved + 2.0 * 2.0 * jitter * sum + 8.0 * jitter * jitter);
    }
}

TEST(test_place_should_give_the_same_bits_when_a_missing_neighbour_is_left_out)
{
    static const cairn_real places[] = {0, 0, 100, 100, 6, 8, 3, 0};
    static const cairn_real ranges[] = {5, 1, 5, (cairn_real)4.5};
    static const cairn_real weights[] = {1, 0, 1, 1};
    static const cairn_real places_left[] = {0, 0, 6, 8, 3, 0};
    static const cairn_real ranges_left[] = {5, 5, (cairn_real)4.5};
    const cairn_neighbour_arrays_t with = {places, ranges, weights, NULL, 2u};
    const cairn_neighbour_arrays_t without = {places_left, ranges_left, NULL, NULL, 2u};
    for (uint32_t kind = 0; kind < ORACLE_N_LOSSES; ++kind) {
        cairn_real a[2] = {1, 1}, b[2] = {1, 1};
        cairn_place_result_t result_a, result_b;
        instance_set(&instance, 1u, kind, CAIRN_PLACE_NEWTON);
        CHECK_EQ(place_arrays(&instance.cfg, &with, 4u, a, &result_a),
                 place_arrays(&instance.cfg, &without, 3u, b, &result_b));
        CHECK_MEM(a, b, sizeof a);
        CHECK(result_a.cost == result_b.cost && result_a.n_rounds == result_b.n_rounds);
    }
}

TEST(test_place_should_say_unplaced_and_stay_when_no_neighbour_has_a_weight)
{
    static const cairn_real zeros[] = {0, 0, 0, 0};
    const cairn_neighbour_arrays_t arrays = {corners, corner_ranges, zeros, NULL, 2u};
    cairn_real x[2] = {1, 2};
    CHECK_EQ(place_arrays(&cairn_place_cfg_default, &arrays, 4u, x, NULL), CAIRN_UNPLACED);
    CHECK_EQ(place_arrays(&cairn_place_cfg_default, &arrays, 0u, x, NULL), CAIRN_UNPLACED);
    CHECK(x[0] == 1 && x[1] == 2);
}

TEST(test_place_should_say_ok_and_stay_when_all_neighbours_are_one_sided_and_content)
{
    cairn_place_result_t result = {-1, 9, 9};
    cairn_rng_t rng;
    cairn_rng_init(&rng, 113u, 1u);
    instance_set(&instance, 1u, ORACLE_SQUARED, CAIRN_PLACE_NEWTON);
    instance_draw(&instance, &rng, false);
    for (size_t j = 0; j < instance.problem.n_neighbours; ++j) {
        instance.neighbours[j].side = (j & 1u) != 0 ? CAIRN_SIDE_AT_MOST : CAIRN_SIDE_AT_LEAST;
        instance.neighbours[j].range = (j & 1u) != 0 ? 1000 : 0;
    }
    cairn_real before[2] = {instance.x[0], instance.x[1]};
    CHECK_EQ(instance_place(&instance, 5u, &result), CAIRN_OK);
    CHECK_MEM(instance.x, before, sizeof before);
    CHECK(result.cost == 0);
}

TEST(test_place_should_push_out_to_the_range_when_a_one_sided_neighbour_is_too_near)
{
    instance_set(&instance, 1u, ORACLE_SQUARED, CAIRN_PLACE_NEWTON);
    instance.problem.n_neighbours = 1u;
    instance.places[0] = 0, instance.places[1] = 0;
    instance.neighbours[0] = (cairn_neighbour_t){instance.places, 2, 1, 1, 0u, CAIRN_SIDE_AT_LEAST};
    instance.x[0] = (cairn_real)0.3, instance.x[1] = (cairn_real)0.4;
    CHECK(instance_place(&instance, 20u, NULL) >= 0);
    CHECK_NEAR(cairn_distance(instance.x, instance.places, 2u), 2.0, 1e-3);
    /* nothing holds the direction: a rounding of the gradient (4 units of 1.5 m) over the damping of Newton's system,
     * 1e-4, may turn it by 4e-3 of the distance in a round, and there are two or three */
    CHECK_NEAR(instance.x[1] / instance.x[0], 4.0 / 3.0, 2e-2);
}

TEST(test_place_should_report_rounds_and_not_converged_when_limited)
{
    const cairn_neighbour_arrays_t arrays = {corners, corner_ranges, NULL, NULL, 2u};
    cairn_place_cfg_t cfg = cairn_place_cfg_default;
    cairn_place_result_t result;
    cairn_real x[2] = {-5, 20};
    cfg.rounds_max = 1;
    CHECK_EQ(place_arrays(&cfg, &arrays, 4u, x, &result), CAIRN_NOT_CONVERGED);
    CHECK_EQ(result.n_rounds, 1);
    cfg.rounds_max = 100;
    cfg.tolerance = 1000; /* the first step is shorter */
    CHECK_EQ(place_arrays(&cfg, &arrays, 4u, x, &result), CAIRN_OK);
    CHECK_EQ(result.n_rounds, 1);
    cfg.tolerance = 0;
    CHECK_EQ(place_arrays(&cfg, &arrays, 4u, x, &result), CAIRN_OK);
    CHECK(result.n_rounds > 1 && result.n_rounds < 100);
}

TEST(test_place_should_use_euclidean_and_squared_when_cfg_names_none)
{
    const cairn_neighbour_arrays_t arrays = {corners, corner_ranges, NULL, NULL, 2u};
    cairn_place_cfg_t cfg = cairn_place_cfg_default;
    cairn_real a[2] = {1, 1}, b[2] = {1, 1};
    CHECK_EQ(cfg.rounds_max, 20);
    CHECK(cfg.tolerance == 0 && cfg.method == CAIRN_PLACE_NEWTON);
    cfg.space = NULL, cfg.loss = NULL;
    cairn_status status = place_arrays(&cfg, &arrays, 4u, a, NULL);
    cfg.space = &cairn_space_euclidean, cfg.loss = &cairn_loss_squared;
    CHECK_EQ(place_arrays(&cfg, &arrays, 4u, b, NULL), status);
    CHECK_MEM(a, b, sizeof a);
}

TEST(test_neighbour_from_arrays_should_fill_every_field_when_arrays_are_missing)
{
    static const cairn_real weights[] = {4, 3, 2, 1};
    static const cairn_real scales[] = {8, 7, 6, 5};
    cairn_neighbour_arrays_t arrays = {corners, corner_ranges, NULL, NULL, 2u};
    cairn_neighbour_t neighbour;
    memset(&neighbour, 0xA5, sizeof neighbour);
    cairn_neighbour_from_arrays(&arrays, 2u, &neighbour);
    CHECK(neighbour.place == corners + 4 && neighbour.range == 4);
    CHECK(neighbour.weight == 1 && neighbour.scale == 1);
    CHECK_EQ(neighbour.side, CAIRN_SIDE_BOTH);
    arrays.weight = weights, arrays.scale = scales;
    cairn_neighbour_from_arrays(&arrays, 3u, &neighbour);
    CHECK(neighbour.weight == 1 && neighbour.scale == 5);
}

/* Counts calls and checks their order. */
typedef struct {
    const cairn_neighbour_arrays_t *arrays;
    size_t n;
    size_t *n_calls;
    bool *in_order;
} counting_t;

static void count(const void *context, size_t j, cairn_neighbour_t *neighbour)
{
    const counting_t *self = context;
    *self->in_order = *self->in_order && j == *self->n_calls % self->n;
    ++*self->n_calls;
    cairn_neighbour_from_arrays(self->arrays, j, neighbour);
}

TEST(test_place_should_ask_for_neighbours_in_order_and_no_oftener_than_promised_when_counted)
{
    const cairn_neighbour_arrays_t arrays = {corners, corner_ranges, NULL, NULL, 2u};
    for (uint16_t rounds = 1; rounds < 30u; rounds = (uint16_t)(rounds * 3u)) {
        cairn_place_cfg_t cfg = cairn_place_cfg_default;
        cairn_real x[2] = {50, -20};
        cairn_real work[CAIRN_PLACE_WORK_REALS(2)];
        size_t n_calls = 0;
        bool in_order = true;
        const counting_t counting = {&arrays, 4u, &n_calls, &in_order};
        cfg.rounds_max = rounds;
        cfg.loss = &cairn_loss_absolute;
        CHECK(cairn_place(&cfg, count, &counting, 4u, x, 2u, work, CAIRN_PLACE_WORK_REALS(2), NULL) >= 0);
        CHECK(in_order);
        CHECK(n_calls <= 4u * (rounds * 3u + 1u));
    }
}

/* A call with everything right but for what a case spoils. */
typedef struct {
    cairn_place_cfg_t cfg;
    cairn_neighbour_fn neighbours;
    cairn_real *x;
    size_t dim;
    cairn_real *work;
    size_t work_reals;
} call_t;

static cairn_real call_x[3], call_work[CAIRN_PLACE_WORK_REALS(2) + 2u];

static call_t good_call(void)
{
    call_t call = {cairn_place_cfg_default, cairn_neighbour_from_arrays, call_x, 2u,
                   call_work + 1,           CAIRN_PLACE_WORK_REALS(2)};
    return call;
}

/* x, result and the canaries beside work stay as they were. */
static void check_call(const call_t *call, cairn_status expected)
{
    static const cairn_neighbour_arrays_t arrays = {corners, corner_ranges, NULL, NULL, 2u};
    cairn_place_result_t result, result_before;
    cairn_real x_before[3];
    memset(&result, 0x5A, sizeof result);
    memcpy(&result_before, &result, sizeof result);
    memcpy(x_before, call_x, sizeof x_before);
    call_work[0] = 123, call_work[1u + CAIRN_PLACE_WORK_REALS(2)] = 456;
    CHECK_EQ(cairn_place(&call->cfg, call->neighbours, &arrays, 4u, call->x, call->dim, call->work, call->work_reals,
                         &result),
             expected);
    if (expected < 0) {
        CHECK_MEM(&result, &result_before, sizeof result);
        CHECK_MEM(call_x, x_before, sizeof x_before);
    }
    CHECK(call_work[0] == 123 && call_work[1u + CAIRN_PLACE_WORK_REALS(2)] == 456);
}

TEST(test_place_should_refuse_and_change_nothing_when_an_argument_is_bad)
{
    call_t call = good_call();
    call_x[0] = 1, call_x[1] = 1, call_x[2] = 99;
    CHECK_EQ(cairn_place(NULL, call.neighbours, NULL, 0u, call_x, 2u, call_work, 14u, NULL), CAIRN_ERR_ARG);
    call.neighbours = NULL, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.x = NULL, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.work = NULL, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.dim = 0u, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.cfg.rounds_max = 0, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.cfg.tolerance = -1, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.cfg.method = (cairn_place_method_t)7, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.work_reals -= 1u, check_call(&call, CAIRN_ERR_SIZE);
    call = good_call(), call.work_reals = 0u, check_call(&call, CAIRN_ERR_SIZE);
    call = good_call(), call.dim = SIZE_MAX / 4u + 1u, check_call(&call, CAIRN_ERR_SIZE);
    call = good_call(), call.cfg.tolerance = (cairn_real)NAN, check_call(&call, CAIRN_ERR_NONFINITE);
    call = good_call(), call.cfg.tolerance = (cairn_real)INFINITY, check_call(&call, CAIRN_ERR_NONFINITE);
    call = good_call(), call.cfg.relaxation = 0, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.cfg.relaxation = -1, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.cfg.relaxation = 2, check_call(&call, CAIRN_ERR_ARG);
    call = good_call(), call.cfg.relaxation = (cairn_real)NAN, check_call(&call, CAIRN_ERR_NONFINITE);
    call = good_call(), call_x[1] = (cairn_real)NAN, check_call(&call, CAIRN_ERR_NONFINITE);
    call_x[1] = (cairn_real)-INFINITY, check_call(&call, CAIRN_ERR_NONFINITE);
    call_x[1] = CAIRN_REAL_MAX, check_call(&call, CAIRN_ERR_NONFINITE); /* the cost overflows */
    call_x[1] = 1, check_call(&call, CAIRN_OK);
    CHECK(call_x[2] == 99);
}

TEST(test_place_should_refuse_when_x_or_work_is_misaligned)
{
    call_t call = good_call();
    call_x[0] = 1, call_x[1] = 1;
    for (uintptr_t offset = 1; offset < sizeof(cairn_real); ++offset) {
        call = good_call(), call.x = (cairn_real *)((uintptr_t)call_x + offset), check_call(&call, CAIRN_ERR_ALIGN);
        call = good_call(), call.work = (cairn_real *)((uintptr_t)(call_work + 1) + offset);
        check_call(&call, CAIRN_ERR_ALIGN);
    }
}

TEST_MAIN(TEST_CASE(test_place_should_find_the_point_when_ranges_are_exact),
          TEST_CASE(test_place_should_be_the_weighted_mean_when_a_line_has_a_range_and_a_prior),
          TEST_CASE(test_place_should_sit_on_the_prior_when_there_is_nothing_else),
          TEST_CASE(test_place_should_leave_and_reach_the_circle_when_it_starts_on_a_neighbour),
          TEST_CASE(test_place_should_flip_and_scale_with_its_input_when_that_is_exact),
          TEST_CASE(test_place_should_move_with_its_input_when_that_is_rotated_and_shifted),
          TEST_CASE(test_place_should_give_the_same_bits_when_a_missing_neighbour_is_left_out),
          TEST_CASE(test_place_should_say_unplaced_and_stay_when_no_neighbour_has_a_weight),
          TEST_CASE(test_place_should_say_ok_and_stay_when_all_neighbours_are_one_sided_and_content),
          TEST_CASE(test_place_should_push_out_to_the_range_when_a_one_sided_neighbour_is_too_near),
          TEST_CASE(test_place_should_report_rounds_and_not_converged_when_limited),
          TEST_CASE(test_place_should_use_euclidean_and_squared_when_cfg_names_none),
          TEST_CASE(test_neighbour_from_arrays_should_fill_every_field_when_arrays_are_missing),
          TEST_CASE(test_place_should_ask_for_neighbours_in_order_and_no_oftener_than_promised_when_counted),
          TEST_CASE(test_place_should_refuse_and_change_nothing_when_an_argument_is_bad),
          TEST_CASE(test_place_should_refuse_when_x_or_work_is_misaligned))
