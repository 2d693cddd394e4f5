/* SPDX-License-Identifier: MIT
 * Tests of recenter: losses against their definitions, the fold against numerical derivatives, the kink correction. */
#include "cairn/recenter.h"
#include "oracle/place.h"
#include "oracle/random.h"
#include "support/test.h"

enum { DIM_MAX = ORACLE_DIM_MAX, N_NEIGHBOURS = 6 };

/* Losses by oracle_loss_kind; L_1.5 stands for the power family. */
static cairn_loss_t get_loss(uint32_t kind, cairn_real p)
{
    static const cairn_loss_t *const losses[] = {&cairn_loss_squared, &cairn_loss_absolute,
                                                 &cairn_loss_squared_distances, &cairn_loss_huber,
                                                 &cairn_loss_redescend};
    cairn_loss_t loss = cairn_loss_squared;
    test_context("loss", kind);
    if (kind == (uint32_t)ORACLE_POWER) {
        CHECK_EQ(cairn_loss_power(&loss, p), CAIRN_OK);
        return loss;
    }
    return *losses[kind];
}

static const cairn_real distances[] = {0, (cairn_real)0.001, (cairn_real)0.25, 1, (cairn_real)1.5, 4, 17, 1000};
static const cairn_real scales[] = {(cairn_real)0.01, 1, 30};
enum { N_DISTANCES = sizeof distances / sizeof distances[0], N_SCALES = sizeof scales / sizeof scales[0] };

TEST(test_loss_should_have_the_error_and_weight_of_its_definition_when_on_a_grid)
{
    for (uint32_t kind = 0; kind < ORACLE_N_LOSSES; ++kind) {
        cairn_loss_t loss = get_loss(kind, (cairn_real)1.5);
        for (int i = 0; i < N_DISTANCES * N_DISTANCES * N_SCALES; ++i) {
            cairn_real f = distances[i % N_DISTANCES];
            cairn_real r = distances[i / N_DISTANCES % N_DISTANCES];
            cairn_real s = scales[i / (N_DISTANCES * N_DISTANCES)];
            cairn_loss_value_t value = loss.evaluate(&loss, f, r, s);
            double error = oracle_error((oracle_loss_kind)kind, 1.5, (double)f, (double)r, (double)s);
            CHECK(cairn_isfinite(value.error) && cairn_isfinite(value.weight));
            CHECK(value.error >= 0 && value.weight >= 0);
            /* residual and sum round once each; at most 8 operations follow; pow is taken to be good to 4 units */
            CHECK_NEAR(value.error, error, 12.0 * ORACLE_UNIT * error);
            if (f != r) {
                double weight = oracle_weight((oracle_loss_kind)kind, 1.5, (double)f, (double)r, (double)s);
                CHECK_NEAR(value.weight, weight, 16.0 * ORACLE_UNIT * weight);
            }
        }
    }
}

TEST(test_loss_should_be_majorised_by_its_weighted_square_when_on_a_grid)
{
    /* Err(d') <= Err(d) + w (d'^2 - d^2) for all d': what makes re-weighted least squares go down. For |f^2 - r^2| and
     * f < r it holds up to f' = r only, as |f^2 - r^2| is steeper beyond: there place needs its safeguard */
    for (uint32_t kind = 0; kind < ORACLE_N_LOSSES; ++kind) {
        cairn_loss_t loss = get_loss(kind, (cairn_real)1.5);
        for (int i = 0; i < N_DISTANCES * N_DISTANCES * N_SCALES; ++i) {
            cairn_real f = distances[i % N_DISTANCES];
            cairn_real r = distances[i / N_DISTANCES % N_DISTANCES];
            double s = (double)scales[i / (N_DISTANCES * N_DISTANCES)];
            double wide = (double)r;
            double here = (double)f - wide;
            double weight = (double)loss.evaluate(&loss, f, r, (cairn_real)s).weight;
            double error = oracle_error((oracle_loss_kind)kind, 1.5, (double)f, wide, s);
            for (int j = 0; j < 40 && f != r; ++j) { /* at a kink the weight is a stand-in */
                double other_f = (double)(j * j) * 0.005 * (oracle_abs(here) + wide);
                double there = other_f - wide;
                double other = oracle_error((oracle_loss_kind)kind, 1.5, other_f, wide, s);
                double size = error + other + weight * (there * there + here * here);
                if (kind == (uint32_t)ORACLE_SQUARED_DISTANCES && f < r && there > 0.0) {
                    continue;
                }
                /* the lifted slope overtakes r^2 - f'^2 by at most the square of the lift */
                double lift = kind == (uint32_t)ORACLE_SQUARED_DISTANCES ? 1e-6 * wide * wide : 0.0;
                CHECK(other - error <= weight * (there * there - here * here) + 16.0 * ORACLE_UNIT * size + lift);
            }
        }
    }
}

TEST(test_loss_should_be_finite_when_residual_is_zero_tiny_or_huge)
{
    static const cairn_real values[] = {0, (cairn_real)1e-30, (cairn_real)1e-10, 1, (cairn_real)1e6, (cairn_real)1e9};
    for (uint32_t kind = 0; kind < ORACLE_N_LOSSES; ++kind) {
        cairn_loss_t loss = get_loss(kind, 1);
        for (int i = 0; i < 36; ++i) {
            for (int s = 0; s < N_SCALES; ++s) {
                cairn_loss_value_t value = loss.evaluate(&loss, values[i / 6], values[i % 6], scales[s]);
                CHECK(cairn_isfinite(value.error) && value.error >= 0);
                CHECK(cairn_isfinite(value.weight) && value.weight >= 0);
            }
        }
    }
}

TEST(test_loss_power_should_meet_its_ends_when_p_is_1_and_2)
{
    cairn_loss_t one = get_loss(ORACLE_POWER, 1);
    cairn_loss_t two = get_loss(ORACLE_POWER, 2);
    CHECK(one.singular && !two.singular);
    for (int i = 0; i < N_DISTANCES; ++i) {
        double d = (double)distances[i];
        cairn_loss_value_t value = one.evaluate(&one, distances[i], 0, 1);
        CHECK_NEAR(value.error, d, 8.0 * ORACLE_UNIT * d);
        value = two.evaluate(&two, distances[i], 0, 1);
        CHECK_NEAR(value.error, d * d, 8.0 * ORACLE_UNIT * d * d);
        CHECK_NEAR(value.weight, 1.0, 8.0 * ORACLE_UNIT);
    }
}

TEST(test_loss_power_should_refuse_and_change_nothing_when_p_is_bad)
{
    cairn_loss_t loss, before;
    memset(&loss, 0xA5, sizeof loss);
    memcpy(&before, &loss, sizeof loss);
    CHECK_EQ(cairn_loss_power(NULL, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_loss_power(&loss, (cairn_real)0.999), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_loss_power(&loss, (cairn_real)2.001), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_loss_power(&loss, -1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_loss_power(&loss, (cairn_real)NAN), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_loss_power(&loss, (cairn_real)INFINITY), CAIRN_ERR_NONFINITE);
    CHECK_MEM(&loss, &before, sizeof loss);
}

/* One random instance: neighbours, a point, and where the fold leaves its sums. */
typedef struct {
    cairn_space_t space;
    cairn_loss_t loss;
    oracle_problem_t problem;
    cairn_neighbour_t neighbours[N_NEIGHBOURS];
    cairn_real places[N_NEIGHBOURS * DIM_MAX];
    cairn_real x[DIM_MAX];
    cairn_real gradient[DIM_MAX];
    cairn_real hessian[CAIRN_SYMMETRIC_REALS(DIM_MAX)];
    cairn_real direction[DIM_MAX];
    cairn_real work[CAIRN_RECENTER_WORK_REALS(DIM_MAX)];
    cairn_recenter_t sums;
} instance_t;

static instance_t instance;

static void fold(bool with_hessian)
{
    const size_t dim = instance.problem.dim;
    memset(instance.gradient, 0xA5, sizeof instance.gradient);
    memset(instance.hessian, 0xA5, sizeof instance.hessian);
    memset(&instance.sums, 0xA5, sizeof instance.sums);
    cairn_recenter_begin(&instance.sums, &instance.space, &instance.loss, instance.x, dim, instance.work, with_hessian);
    for (size_t j = 0; j < instance.problem.n_neighbours; ++j) {
        cairn_recenter_add(&instance.sums, &instance.neighbours[j]);
    }
    memcpy(instance.gradient, instance.sums.gradient, dim * sizeof(cairn_real));
    if (with_hessian) {
        memcpy(instance.hessian, instance.sums.hessian, CAIRN_SYMMETRIC_REALS(dim) * sizeof(cairn_real));
    }
}

/* reach: ranges are drawn from [0, reach] x size. On the sphere (space >= 5) dim is space - 3. */
static void draw_instance(cairn_rng_t *rng, uint32_t space, uint32_t kind, cairn_real reach)
{
    oracle_problem_t *problem = &instance.problem;
    problem->dim = space < 5u ? space + 1u : space - 3u;
    problem->radius = space < 5u ? 0.0 : 2.0;
    problem->kind = (oracle_loss_kind)kind;
    problem->p = 1.5;
    problem->neighbours = instance.neighbours;
    problem->n_neighbours = N_NEIGHBOURS;
    instance.loss = get_loss(kind, (cairn_real)1.5);
    instance.space = cairn_space_euclidean;
    if (problem->radius > 0.0) {
        CHECK_EQ(cairn_space_sphere(&instance.space, 2), CAIRN_OK);
    }
    random_point(rng, problem->dim, 2, (cairn_real)problem->radius, instance.x);
    for (size_t j = 0; j < N_NEIGHBOURS; ++j) {
        cairn_neighbour_t *neighbour = &instance.neighbours[j];
        cairn_real *place = instance.places + j * DIM_MAX;
        cairn_space_metric_t metric;
        do { /* directions and curvatures lose digits near the neighbour and its antipode */
            random_point(rng, problem->dim, 2, (cairn_real)problem->radius, place);
            metric = instance.space.metric(&instance.space, instance.x, place, problem->dim, 0u, instance.direction);
        } while (!(metric.distance > (cairn_real)0.4 && cairn_abs(metric.curvature) < 3));
        neighbour->place = place;
        neighbour->range = random_between(rng, 0, reach) * 2;
        neighbour->weight = random_between(rng, (cairn_real)0.1, 2);
        neighbour->scale = random_between(rng, (cairn_real)0.2, 2);
        neighbour->tie = (uint32_t)j;
        neighbour->side = CAIRN_SIDE_BOTH;
    }
}

/* Cost at the end of a step along a unit tangent vector. */
static double cost_along(const double *v, double length)
{
    double x[DIM_MAX] = {0.0}, step[DIM_MAX], at[DIM_MAX];
    oracle_widen(instance.x, instance.problem.dim, x);
    for (size_t i = 0; i < instance.problem.dim; ++i) {
        step[i] = v[i] * length;
    }
    oracle_move(x, step, instance.problem.dim, instance.problem.radius, at);
    return oracle_cost(&instance.problem, at, NULL);
}

static void draw_tangent(cairn_rng_t *rng, double *v)
{
    size_t dim = instance.problem.dim;
    double x[DIM_MAX];
    double square = 0.0;
    oracle_widen(instance.x, dim, x);
    while (!(square > 0.01)) {
        for (size_t i = 0; i < dim; ++i) {
            v[i] = (double)random_between(rng, -1, 1);
        }
        double normal = instance.problem.radius > 0.0 ? oracle_dot(v, x, dim) / oracle_dot(x, x, dim) : 0.0;
        for (size_t i = 0; i < dim; ++i) {
            v[i] -= normal * x[i];
        }
        square = oracle_dot(v, v, dim);
    }
    for (size_t i = 0; i < dim; ++i) {
        v[i] /= oracle_sqrt(square);
    }
}

/* What rounding may do to the half gradient: each term w d u with w d off by (w + |d w'|) delta, bounded by three
 * times w delta for these losses, u by a few units over the sine, which is above .1 by construction. */
static double gradient_bound(void)
{
    double sum = 0.0;
    double units = ORACLE_UNIT * (6.0 * (double)instance.problem.dim + 32.0) * 10.0;
    for (size_t j = 0; j < instance.problem.n_neighbours; ++j) {
        const cairn_neighbour_t *n = &instance.neighbours[j];
        cairn_space_metric_t metric =
            instance.space.metric(&instance.space, instance.x, n->place, instance.problem.dim, 0u, instance.direction);
        double range = oracle_range(&instance.problem, n);
        double size = oracle_abs((double)metric.distance - range);
        double w = oracle_weight(instance.problem.kind, 1.5, (double)metric.distance, range, (double)n->scale);
        double delta = oracle_distance_bound((double)metric.distance, instance.problem.dim, instance.problem.radius);
        sum += (double)n->weight * w * (size * units + 3.0 * (delta + ORACLE_UNIT * range));
    }
    return sum;
}

/* Smallest residual of the instance: central differences must not cross a kink or bend. */
static bool is_smooth(double margin)
{
    for (size_t j = 0; j < instance.problem.n_neighbours; ++j) {
        const cairn_neighbour_t *n = &instance.neighbours[j];
        cairn_space_metric_t metric =
            instance.space.metric(&instance.space, instance.x, n->place, instance.problem.dim, 0u, instance.direction);
        double size = oracle_abs((double)metric.distance - oracle_range(&instance.problem, n));
        if (size < margin || oracle_abs(size - 1.345 * (double)n->scale) < margin) {
            return false;
        }
    }
    return true;
}

TEST(test_fold_gradient_and_cost_should_agree_with_differences_of_the_double_cost_when_random)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 11u, 1u);
    for (uint32_t space = 0; space < 9u; ++space) {
        for (uint32_t kind = 0; kind < ORACLE_N_LOSSES; ++kind) {
            double v[DIM_MAX], g[DIM_MAX], x[DIM_MAX], bound;
            do {
                draw_instance(&rng, space, kind, 2);
            } while (!is_smooth(0.02));
            test_context("loss + 10 space", kind + 10u * space);
            draw_tangent(&rng, v);
            fold(false);
            oracle_widen(instance.gradient, instance.problem.dim, g);
            oracle_widen(instance.x, instance.problem.dim, x);
            double coarse = (cost_along(v, 2e-3) - cost_along(v, -2e-3)) / 4e-3;
            double fine = (cost_along(v, 1e-3) - cost_along(v, -1e-3)) / 2e-3;
            /* central differences: the finer one is off by a third of what halving changed; half gradient */
            double differences = oracle_abs(coarse - fine) * 0.5;
            CHECK_NEAR(oracle_dot(g, v, instance.problem.dim), 0.5 * fine, gradient_bound() + differences + 1e-12);
            double cost = oracle_cost(&instance.problem, x, &bound);
            CHECK_NEAR(instance.sums.cost, cost, bound);
            CHECK_EQ(instance.sums.stuck_weight != 0, 0);
        }
    }
}

static double quadratic_form(const double *v)
{
    double sum = 0.0;
    size_t at = 0;
    for (size_t i = 0; i < instance.problem.dim; ++i) {
        for (size_t j = 0; j <= i; ++j, ++at) {
            sum += (i == j ? 1.0 : 2.0) * (double)instance.hessian[at] * v[i] * v[j];
        }
    }
    return sum;
}

TEST(test_fold_hessian_should_agree_with_second_differences_when_all_residuals_are_positive)
{
    /* squared loss, ranges shorter than all distances: d c > 0 where the curvature is, so nothing is cut off */
    cairn_rng_t rng;
    cairn_rng_init(&rng, 12u, 1u);
    for (uint32_t run = 0; run < 60u; ++run) {
        double v[DIM_MAX];
        uint32_t space = run % 9u;
        draw_instance(&rng, space, ORACLE_SQUARED, (cairn_real)0.19);
        for (size_t j = 0; j < N_NEIGHBOURS; ++j) { /* beyond a quarter of the sphere the curvature is negative */
            const cairn_real *place = instance.neighbours[j].place;
            cairn_space_metric_t metric =
                instance.space.metric(&instance.space, instance.x, place, instance.problem.dim, 0u, instance.direction);
            if (metric.curvature < 0) {
                instance.neighbours[j].weight = 0;
            }
        }
        test_context("run", run);
        draw_tangent(&rng, v);
        fold(true);
        double h = 1e-3;
        double fine = (cost_along(v, h) - 2.0 * cost_along(v, 0.0) + cost_along(v, -h)) / (h * h);
        double coarse = (cost_along(v, 2.0 * h) - 2.0 * cost_along(v, 0.0) + cost_along(v, -2.0 * h)) / (4.0 * h * h);
        double size = 0.0;
        for (size_t j = 0; j < N_NEIGHBOURS; ++j) {
            size += (double)instance.neighbours[j].weight;
        }
        /* entries are below weight x (1 + residual x curvature <= 1 + 8 x 3); directions as in gradient_bound */
        double units = ORACLE_UNIT * (6.0 * (double)instance.problem.dim + 32.0) * 10.0;
        CHECK_NEAR(quadratic_form(v), 0.5 * fine, 25.0 * units * size + 0.5 * oracle_abs(fine - coarse) + 1e-7 * size);
    }
}

TEST(test_fold_hessian_should_keep_only_the_part_along_when_residuals_are_negative)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 13u, 1u);
    for (uint32_t space = 0; space < 5u; ++space) {
        double v[DIM_MAX], expected = 0.0, size = 0.0;
        draw_instance(&rng, space, ORACLE_SQUARED, 1);
        draw_tangent(&rng, v);
        for (size_t j = 0; j < N_NEIGHBOURS; ++j) {
            double u[DIM_MAX];
            instance.neighbours[j].range = 20; /* farther than any pair */
            (void)instance.space.metric(&instance.space, instance.x, instance.neighbours[j].place, instance.problem.dim,
                                        0u, instance.direction);
            oracle_widen(instance.direction, instance.problem.dim, u);
            double along = oracle_dot(u, v, instance.problem.dim);
            expected += (double)instance.neighbours[j].weight * along * along;
            size += (double)instance.neighbours[j].weight;
        }
        fold(true);
        CHECK_NEAR(quadratic_form(v), expected, 32.0 * ORACLE_UNIT * size * (double)instance.problem.dim);
    }
}

TEST(test_fold_hessian_should_be_positive_semidefinite_when_anything)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 14u, 1u);
    for (uint32_t run = 0; run < 108u; ++run) {
        draw_instance(&rng, run % 9u, run % ORACLE_N_LOSSES, 3);
        fold(true);
        for (int k = 0; k < 5; ++k) {
            double v[DIM_MAX];
            draw_tangent(&rng, v);
            double size = oracle_abs((double)instance.hessian[0]);
            for (size_t i = 0; i < CAIRN_SYMMETRIC_REALS(instance.problem.dim); ++i) {
                size = oracle_max(size, oracle_abs((double)instance.hessian[i]));
            }
            CHECK(quadratic_form(v) >= -64.0 * ORACLE_UNIT * size * (double)instance.problem.dim);
        }
    }
}

TEST(test_fold_should_give_the_same_sums_when_the_hessian_is_not_wanted)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 15u, 1u);
    for (uint32_t run = 0; run < 54u; ++run) {
        cairn_real gradient[DIM_MAX];
        draw_instance(&rng, run % 9u, run % ORACLE_N_LOSSES, 2);
        fold(true);
        memcpy(gradient, instance.gradient, sizeof gradient);
        cairn_real cost = instance.sums.cost;
        cairn_real weight = instance.sums.weight;
        fold(false);
        CHECK_MEM(instance.gradient, gradient, instance.problem.dim * sizeof gradient[0]);
        CHECK(instance.sums.cost == cost && instance.sums.weight == weight);
    }
}

TEST(test_step_should_be_the_mean_of_the_projections_when_squared_and_euclidean)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 16u, 1u);
    for (uint32_t space = 0; space < 5u; ++space) {
        cairn_real step[DIM_MAX], projection[DIM_MAX];
        double mean[DIM_MAX] = {0.0}, weight = 0.0;
        size_t dim = space + 1u;
        draw_instance(&rng, space, ORACLE_SQUARED, 2);
        fold(false);
        CHECK(cairn_recenter_step(&instance.sums, step));
        for (size_t j = 0; j < N_NEIGHBOURS; ++j) {
            const cairn_neighbour_t *n = &instance.neighbours[j];
            CHECK_EQ(cairn_space_project(&instance.space, instance.x, n->place, dim, n->range, n->tie, projection),
                     CAIRN_OK);
            for (size_t i = 0; i < dim; ++i) {
                mean[i] += (double)n->weight * (double)projection[i];
            }
            weight += (double)n->weight;
        }
        for (size_t i = 0; i < dim; ++i) { /* displacements of up to 10, a dozen roundings each */
            CHECK_NEAR(instance.x[i] + step[i], mean[i] / weight, ORACLE_UNIT * 10.0 * (16.0 + 2.0 * (double)dim));
        }
        CHECK(cairn_recenter_step(&instance.sums, instance.gradient)); /* step may be the gradient */
        CHECK_MEM(instance.gradient, step, dim * sizeof step[0]);
    }
}

/* x = (3, 4) sits exactly on the circle of the first neighbour, which holds it along u = (.6, .8) with half the slope
 * of its kink, eta. The other neighbour pulls with half slope `pull` from the direction (dx, dy). */
static void fold_stuck(const cairn_loss_t *loss, cairn_real pull, cairn_real dx, cairn_real dy)
{
    static cairn_real places[4];
    instance.space = cairn_space_euclidean;
    instance.loss = *loss;
    instance.problem.dim = 2u;
    instance.problem.n_neighbours = 2u;
    instance.x[0] = 3, instance.x[1] = 4;
    places[0] = 0, places[1] = 0;
    places[2] = 3 + dx, places[3] = 4 + dy;
    for (size_t j = 0; j < 2u; ++j) {
        instance.neighbours[j].place = places + 2u * j;
        instance.neighbours[j].range = j == 0 ? 5 : 2;
        instance.neighbours[j].weight = j == 0 ? 1 : pull;
        instance.neighbours[j].scale = 1;
        instance.neighbours[j].tie = 0;
        instance.neighbours[j].side = CAIRN_SIDE_BOTH;
    }
    fold(false);
    CHECK(instance.sums.stuck_weight > 0);
    cairn_recenter_release(&instance.sums);
    for (size_t j = 0; j < 2u; ++j) {
        cairn_recenter_add(&instance.sums, &instance.neighbours[j]);
    }
}

/* What is left of the pull of a unit of weight from (dx, dy)/10, both along u and across it. */
static void check_left(cairn_real pull, cairn_real dx, cairn_real dy, double along, double across)
{
    cairn_real step[2];
    fold_stuck(&cairn_loss_absolute, pull, dx, dy);
    const cairn_real *gradient = instance.sums.gradient;
    CHECK_NEAR(instance.sums.stuck_weight, 0.5, 8.0 * ORACLE_UNIT);
    CHECK_NEAR(0.6 * (double)gradient[0] + 0.8 * (double)gradient[1], along, 32.0 * ORACLE_UNIT);
    CHECK_NEAR(-0.8 * (double)gradient[0] + 0.6 * (double)gradient[1], across, 32.0 * ORACLE_UNIT);
    CHECK(cairn_recenter_step(&instance.sums, step));
    for (int i = 0; i < 2; ++i) {
        CHECK_NEAR(step[i], -(double)gradient[i] / (double)instance.sums.weight, 64.0 * ORACLE_UNIT * 10.0);
    }
}

TEST(test_release_should_take_out_the_part_along_the_radius_when_the_kink_is_stronger)
{
    /* half slopes: absolute loss pulls with pull/2 towards (dx, dy); the kink holds with 1/2 */
    check_left((cairn_real)0.5, 6, 8, 0.0, 0.0);                        /* straight out, weaker: stays */
    check_left((cairn_real)0.5, -6, -8, 0.0, 0.0);                      /* straight in */
    check_left((cairn_real)0.5, -8, 6, 0.0, -0.25);                     /* along the circle: slides */
    check_left((cairn_real)0.5, -2, 14, 0.0, -0.25 * oracle_sqrt(0.5)); /* at 45 degrees: only the slide is left */
}

TEST(test_release_should_leave_what_exceeds_the_kink_when_the_others_pull_harder)
{
    check_left(2, 6, 8, -0.5, 0.0);
    check_left(2, -6, -8, 0.5, 0.0);
    check_left(4, -2, 14, 0.5 - 2.0 * oracle_sqrt(0.5), -2.0 * oracle_sqrt(0.5));
}

TEST(test_release_should_hold_with_half_the_slope_of_its_loss_when_singular)
{
    cairn_loss_t power = get_loss(ORACLE_POWER, 1);
    fold_stuck(&power, 1, 6, 8);
    CHECK_NEAR(instance.sums.stuck_weight, 0.5, 16.0 * ORACLE_UNIT);
    fold_stuck(&cairn_loss_squared_distances, 1, 6, 8); /* slope of |f^2 - 25| at f = 5 is 10 */
    CHECK_NEAR(instance.sums.stuck_weight, 5.0, 32.0 * ORACLE_UNIT * 5.0);
}

TEST(test_step_should_be_zero_and_false_when_nobody_pulls)
{
    cairn_real step[2] = {9, 9};
    const cairn_real x[2] = {1, 2};
    cairn_real work[4];
    cairn_recenter_t sums;
    cairn_recenter_begin(&sums, &cairn_space_euclidean, &cairn_loss_squared, x, 2u, work, false);
    CHECK(!cairn_recenter_step(&sums, step));
    CHECK(step[0] == 0 && step[1] == 0);
    CHECK(sums.cost == 0 && sums.weight == 0 && sums.n_clamped == 0);
}

TEST(test_fold_should_ignore_a_neighbour_when_its_weight_is_zero_or_its_side_does_not_count)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 17u, 1u);
    for (uint32_t kind = 0; kind < ORACLE_N_LOSSES; ++kind) {
        draw_instance(&rng, 1u, kind, 2);
        instance.problem.n_neighbours = 1u;
        for (int c = 0; c < 5; ++c) {
            static const cairn_side_t sides[5] = {CAIRN_SIDE_BOTH, CAIRN_SIDE_AT_LEAST, CAIRN_SIDE_AT_MOST,
                                                  CAIRN_SIDE_AT_LEAST, CAIRN_SIDE_AT_MOST};
            bool counts = c >= 3;
            instance.neighbours[0].weight = c == 0 ? 0 : 1;
            instance.neighbours[0].side = sides[c];
            /* at most 6 apart: 20 is farther, 0 is nearer */
            instance.neighbours[0].range = c == 1 || c == 4 ? 0 : 20;
            fold(true);
            CHECK((instance.sums.cost > 0) == counts);
            CHECK((instance.sums.weight > 0) == counts);
            CHECK((instance.gradient[0] != 0 || instance.gradient[1] != 0) == counts);
        }
    }
}

TEST(test_fold_should_clamp_and_count_when_a_range_exceeds_the_sphere)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 18u, 1u);
    draw_instance(&rng, 6u, ORACLE_SQUARED, 1);
    instance.neighbours[0].range = 100;
    instance.neighbours[1].range = instance.space.distance_max * 2;
    instance.neighbours[2].range = instance.space.distance_max; /* exactly there is not above */
    fold(true);
    CHECK_EQ(instance.sums.n_clamped, 2);
    double x[DIM_MAX], bound;
    oracle_widen(instance.x, instance.problem.dim, x);
    double cost = oracle_cost(&instance.problem, x, &bound);
    CHECK_NEAR(instance.sums.cost, cost, bound);
}

TEST_MAIN(TEST_CASE(test_loss_should_have_the_error_and_weight_of_its_definition_when_on_a_grid),
          TEST_CASE(test_loss_should_be_majorised_by_its_weighted_square_when_on_a_grid),
          TEST_CASE(test_loss_should_be_finite_when_residual_is_zero_tiny_or_huge),
          TEST_CASE(test_loss_power_should_meet_its_ends_when_p_is_1_and_2),
          TEST_CASE(test_loss_power_should_refuse_and_change_nothing_when_p_is_bad),
          TEST_CASE(test_fold_gradient_and_cost_should_agree_with_differences_of_the_double_cost_when_random),
          TEST_CASE(test_fold_hessian_should_agree_with_second_differences_when_all_residuals_are_positive),
          TEST_CASE(test_fold_hessian_should_keep_only_the_part_along_when_residuals_are_negative),
          TEST_CASE(test_fold_hessian_should_be_positive_semidefinite_when_anything),
          TEST_CASE(test_fold_should_give_the_same_sums_when_the_hessian_is_not_wanted),
          TEST_CASE(test_step_should_be_the_mean_of_the_projections_when_squared_and_euclidean),
          TEST_CASE(test_release_should_take_out_the_part_along_the_radius_when_the_kink_is_stronger),
          TEST_CASE(test_release_should_leave_what_exceeds_the_kink_when_the_others_pull_harder),
          TEST_CASE(test_release_should_hold_with_half_the_slope_of_its_loss_when_singular),
          TEST_CASE(test_step_should_be_zero_and_false_when_nobody_pulls),
          TEST_CASE(test_fold_should_ignore_a_neighbour_when_its_weight_is_zero_or_its_side_does_not_count),
          TEST_CASE(test_fold_should_clamp_and_count_when_a_range_exceeds_the_sphere))
