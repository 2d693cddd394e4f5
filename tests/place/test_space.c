/* SPDX-License-Identifier: MIT
 * Tests of space: metric, move and project of R^1..R^5 and S^1..S^4 against double precision. */
#include "cairn/space.h"
#include "oracle/place.h"
#include "oracle/random.h"
#include "support/test.h"

enum { DIM_MAX = ORACLE_DIM_MAX };

/* The spaces under test: R^1 .. R^5, then spheres in R^2 .. R^5 with radii 1, 2.5, 0.1 and 100. */
enum { N_SPACES = 9 };

typedef struct {
    cairn_space_t space;
    size_t dim;
    double radius;
    double size; /* of the region that random points fill */
} subject_t;

static subject_t get_subject(uint32_t index)
{
    static const double radii[4] = {1.0, 2.5, 0.1, 100.0};
    subject_t subject;
    test_context("space", index);
    subject.space = cairn_space_euclidean;
    subject.dim = index + 1u;
    subject.radius = 0.0;
    subject.size = 10.0;
    if (index >= 5u) {
        subject.dim = index - 3u;
        subject.radius = radii[index - 5u];
        subject.size = subject.radius;
        CHECK_EQ(cairn_space_sphere(&subject.space, (cairn_real)subject.radius), CAIRN_OK);
        subject.radius = (double)subject.space.radius;
    }
    return subject;
}

static void draw(cairn_rng_t *rng, const subject_t *subject, cairn_real *x)
{
    random_point(rng, subject->dim, (cairn_real)subject->size, (cairn_real)subject->radius, x);
}

static cairn_real length_of(const cairn_real *x, size_t dim) { return cairn_sqrt(cairn_dot(x, x, dim)); }

/* Roundings of a vector of dim coordinates that went through a handful of sums of dim products. */
static double few_units(const subject_t *subject) { return ORACLE_UNIT * (6.0 * (double)subject->dim + 32.0); }

TEST(test_metric_should_agree_with_double_when_points_are_random)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 1u, 1u);
    for (uint32_t s = 0; s < N_SPACES; ++s) {
        subject_t subject = get_subject(s);
        for (int run = 0; run < 25; ++run) {
            cairn_real x[DIM_MAX], y[DIM_MAX], gradient[DIM_MAX];
            double x_wide[DIM_MAX], y_wide[DIM_MAX];
            draw(&rng, &subject, x);
            draw(&rng, &subject, y);
            oracle_widen(x, subject.dim, x_wide);
            oracle_widen(y, subject.dim, y_wide);
            double distance = oracle_distance(x_wide, y_wide, subject.dim, subject.radius);
            cairn_space_metric_t there = subject.space.metric(&subject.space, x, y, subject.dim, 3u, gradient);
            cairn_space_metric_t back = subject.space.metric(&subject.space, y, x, subject.dim, 5u, gradient);
            double bound = oracle_distance_bound(distance, subject.dim, subject.radius);
            CHECK_NEAR(there.distance, distance, bound);
            CHECK_NEAR(back.distance, distance, bound);
            CHECK(there.distance >= 0 && there.distance <= subject.space.distance_max * (1 + 8 * CAIRN_REAL_EPSILON));
        }
    }
}

/* First and second derivative of the distance along the geodesic from x in a direction, by central differences. The
 * error of the second is h^2/12 times the fourth derivative, which is below 24/f^3 (or 24/(z sin)^3). */
static void differentiate(const subject_t *subject, const double *x, const double *y, const double *direction, double h,
                          double *first, double *second)
{
    double f[3];
    for (int k = -1; k <= 1; ++k) {
        double step[DIM_MAX], at[DIM_MAX];
        for (size_t i = 0; i < subject->dim; ++i) {
            step[i] = (double)k * h * direction[i];
        }
        oracle_move(x, step, subject->dim, subject->radius, at);
        f[k + 1] = oracle_distance(at, y, subject->dim, subject->radius);
    }
    *first = (f[2] - f[0]) / (2.0 * h);
    *second = (f[2] - 2.0 * f[1] + f[0]) / (h * h);
}

/* A random unit tangent vector at x. */
static void random_tangent(cairn_rng_t *rng, const subject_t *subject, const double *x, double *v)
{
    double square = 0.0;
    while (!(square > 0.01)) {
        for (size_t i = 0; i < subject->dim; ++i) {
            v[i] = (double)random_between(rng, -1, 1);
        }
        double normal = subject->radius > 0.0 ? oracle_dot(v, x, subject->dim) / oracle_dot(x, x, subject->dim) : 0.0;
        for (size_t i = 0; i < subject->dim; ++i) {
            v[i] -= normal * x[i];
        }
        square = oracle_dot(v, v, subject->dim);
    }
    for (size_t i = 0; i < subject->dim; ++i) {
        v[i] /= oracle_sqrt(square);
    }
}

static void check_derivatives(cairn_rng_t *rng, const subject_t *subject)
{
    cairn_real x[DIM_MAX], y[DIM_MAX], gradient[DIM_MAX];
    double x_wide[DIM_MAX], y_wide[DIM_MAX], v[DIM_MAX], u[DIM_MAX];
    double first, second, distance, across;
    do { /* away from where the distance has no derivative */
        draw(rng, subject, x);
        draw(rng, subject, y);
        oracle_widen(x, subject->dim, x_wide);
        oracle_widen(y, subject->dim, y_wide);
        distance = oracle_distance(x_wide, y_wide, subject->dim, subject->radius);
        across = subject->radius > 0.0 ? subject->radius * sin(distance / subject->radius) : distance;
    } while (!(across > 0.2 * subject->size));
    double h = 1e-3 * subject->size;
    cairn_space_metric_t metric = subject->space.metric(&subject->space, x, y, subject->dim, 0u, gradient);
    random_tangent(rng, subject, x_wide, v);
    differentiate(subject, x_wide, y_wide, v, h, &first, &second);
    oracle_widen(gradient, subject->dim, u);
    double along = oracle_dot(u, v, subject->dim);
    /* float part: direction is good to few_units / sine; difference part as stated above */
    double rounding = few_units(subject) * subject->size / across;
    CHECK_NEAR(oracle_dot(u, u, subject->dim), 1.0, 2.0 * rounding);
    CHECK_NEAR(along, first, rounding + h * h / (across * across));
    CHECK_NEAR((double)metric.curvature * (1.0 - along * along), second,
               4.0 * rounding / across + 2.0 * h * h / (across * across * across));
    if (subject->radius > 0.0) { /* tangent */
        CHECK_NEAR(oracle_dot(u, x_wide, subject->dim) / subject->radius, 0.0, rounding);
    }
}

TEST(test_metric_gradient_and_curvature_should_be_derivatives_of_the_distance_when_compared_with_differences)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 2u, 1u);
    for (uint32_t s = 0; s < N_SPACES; ++s) {
        subject_t subject = get_subject(s);
        for (int run = 0; run < 12; ++run) {
            check_derivatives(&rng, &subject);
        }
    }
}

TEST(test_metric_should_give_a_unit_direction_chosen_by_tie_when_points_coincide_or_are_antipodal)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 3u, 1u);
    for (uint32_t s = 0; s < N_SPACES; ++s) {
        subject_t subject = get_subject(s);
        for (uint32_t tie = 0; tie < 12u; ++tie) {
            cairn_real x[DIM_MAX], y[DIM_MAX], gradient[DIM_MAX], other[DIM_MAX];
            int antipodal = subject.radius > 0.0 && (tie & 1u) != 0;
            draw(&rng, &subject, x);
            for (size_t i = 0; i < subject.dim; ++i) {
                y[i] = antipodal ? -x[i] : x[i];
            }
            cairn_space_metric_t metric = subject.space.metric(&subject.space, x, y, subject.dim, tie, gradient);
            double distance = antipodal ? ORACLE_PI * subject.radius : 0.0;
            CHECK_NEAR(metric.distance, distance, oracle_distance_bound(distance, subject.dim, subject.radius));
            CHECK(cairn_isfinite(metric.curvature));
            CHECK_NEAR(length_of(gradient, subject.dim), 1.0, few_units(&subject));
            if (subject.radius > 0.0) {
                CHECK_NEAR(cairn_dot(gradient, x, subject.dim) / (cairn_real)subject.radius, 0.0, few_units(&subject));
            } else {
                CHECK(metric.curvature == 0);
            }
            (void)subject.space.metric(&subject.space, x, y, subject.dim, tie, other);
            CHECK_MEM(gradient, other, subject.dim * sizeof gradient[0]); /* fixed, not random */
        }
    }
}

TEST(test_metric_should_part_the_ends_of_a_pair_when_they_coincide_and_ties_differ)
{
    for (uint32_t s = 0; s < N_SPACES; ++s) {
        subject_t subject = get_subject(s);
        cairn_real x[DIM_MAX] = {0};
        cairn_real a[DIM_MAX], b[DIM_MAX];
        x[0] = (cairn_real)subject.size;
        (void)subject.space.metric(&subject.space, x, x, subject.dim, 0u, a);
        (void)subject.space.metric(&subject.space, x, x, subject.dim, 1u, b);
        CHECK(cairn_distance(a, b, subject.dim) > (cairn_real)0.5);
    }
}

TEST(test_move_should_follow_the_geodesic_by_the_length_of_the_step_when_tangent)
{
    static const double lengths[] = {0.0, 1e-6, 0.01, 0.5, 1.5, 3.0};
    cairn_rng_t rng;
    cairn_rng_init(&rng, 4u, 1u);
    for (uint32_t s = 0; s < N_SPACES; ++s) {
        subject_t subject = get_subject(s);
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; ++l) {
            cairn_real x[DIM_MAX], step[DIM_MAX], out[DIM_MAX];
            double x_wide[DIM_MAX], v[DIM_MAX], expected[DIM_MAX];
            draw(&rng, &subject, x);
            oracle_widen(x, subject.dim, x_wide);
            random_tangent(&rng, &subject, x_wide, v);
            for (size_t i = 0; i < subject.dim; ++i) {
                step[i] = (cairn_real)(v[i] * lengths[l] * subject.size);
                v[i] = (double)step[i];
            }
            oracle_move(x_wide, v, subject.dim, subject.radius, expected);
            subject.space.move(&subject.space, x, step, subject.dim, out);
            for (size_t i = 0; i < subject.dim; ++i) {
                CHECK_NEAR(out[i], expected[i], few_units(&subject) * subject.size);
            }
            subject.space.move(&subject.space, x, step, subject.dim, x); /* out may be x */
            CHECK_MEM(x, out, subject.dim * sizeof x[0]);
        }
    }
}

TEST(test_move_should_ignore_the_normal_part_of_a_step_when_on_the_sphere)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 5u, 1u);
    for (uint32_t s = 5u; s < N_SPACES; ++s) {
        subject_t subject = get_subject(s);
        cairn_real x[DIM_MAX], step[DIM_MAX], out[DIM_MAX], out_normal[DIM_MAX];
        double x_wide[DIM_MAX], v[DIM_MAX];
        draw(&rng, &subject, x);
        oracle_widen(x, subject.dim, x_wide);
        random_tangent(&rng, &subject, x_wide, v);
        for (size_t i = 0; i < subject.dim; ++i) {
            step[i] = (cairn_real)(v[i] * 0.5 * subject.size);
        }
        subject.space.move(&subject.space, x, step, subject.dim, out);
        for (size_t i = 0; i < subject.dim; ++i) {
            step[i] += x[i] / 2;
        }
        subject.space.move(&subject.space, x, step, subject.dim, out_normal);
        for (size_t i = 0; i < subject.dim; ++i) {
            CHECK_NEAR(out[i], out_normal[i], few_units(&subject) * subject.size);
        }
        CHECK_NEAR(length_of(out_normal, subject.dim), subject.radius, few_units(&subject) * subject.size);
    }
}

TEST(test_move_should_stay_on_the_sphere_when_repeated_a_thousand_times)
{
    /* rounding must not pile up: a thousand moves that each lost half a unit would be far outside */
    cairn_rng_t rng;
    cairn_rng_init(&rng, 55u, 1u);
    for (uint32_t s = 5u; s < N_SPACES; ++s) {
        subject_t subject = get_subject(s);
        cairn_real x[DIM_MAX], step[DIM_MAX];
        draw(&rng, &subject, x);
        for (size_t i = 0; i < subject.dim; ++i) {
            step[i] = random_between(&rng, -1, 1) * (cairn_real)subject.size / 7;
        }
        for (int run = 0; run < 1000; ++run) {
            subject.space.move(&subject.space, x, step, subject.dim, x);
        }
        CHECK_NEAR(length_of(x, subject.dim), subject.radius, few_units(&subject) * subject.size);
    }
}

/* |f - r| = f(x, xh), and xh is r away from y: the two properties that define the projection. */
static void check_projection(const subject_t *subject, const cairn_real *x, const cairn_real *y, cairn_real range,
                             uint32_t tie)
{
    cairn_real out[DIM_MAX];
    double x_wide[DIM_MAX], y_wide[DIM_MAX], out_wide[DIM_MAX];
    double wanted = (double)range;
    REQUIRE(cairn_space_project(&subject->space, x, y, subject->dim, range, tie, out) == CAIRN_OK);
    if (subject->radius > 0.0 && wanted > ORACLE_PI * subject->radius) {
        wanted = ORACLE_PI * subject->radius;
    }
    oracle_widen(x, subject->dim, x_wide);
    oracle_widen(y, subject->dim, y_wide);
    oracle_widen(out, subject->dim, out_wide);
    double distance = oracle_distance(x_wide, y_wide, subject->dim, subject->radius);
    /* a displacement as long as the sphere's size turns an error of direction into as much of place; the direction is
     * good to few_units / sine, so that close pairs and antipodes lose digits */
    double sine = subject->radius > 0.0 ? oracle_abs(sin(distance / subject->radius)) : 1.0;
    double lost = sine > 0.0 && distance > 0.0 ? 1.0 / sine : 1.0;
    double size = distance + wanted + 2.0 * subject->size;
    double bound = few_units(subject) * size * (lost < 8.0 ? lost : 8.0);
    CHECK_NEAR(oracle_distance(out_wide, y_wide, subject->dim, subject->radius), wanted, bound);
    CHECK_NEAR(oracle_distance(out_wide, x_wide, subject->dim, subject->radius), oracle_abs(distance - wanted), bound);
}

TEST(test_project_should_lie_on_the_sphere_and_as_far_as_the_residual_when_points_are_random)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 6u, 1u);
    for (uint32_t s = 0; s < N_SPACES; ++s) {
        subject_t subject = get_subject(s);
        for (int run = 0; run < 20; ++run) {
            cairn_real x[DIM_MAX], y[DIM_MAX], gradient[DIM_MAX];
            draw(&rng, &subject, x);
            draw(&rng, &subject, y);
            cairn_real range = random_between(&rng, 0, 3) * (cairn_real)subject.size;
            cairn_space_metric_t metric = subject.space.metric(&subject.space, x, y, subject.dim, 0u, gradient);
            if (subject.radius > 0.0 && oracle_abs(sin((double)metric.distance / subject.radius)) < 0.125) {
                continue; /* near coincidence and near the antipode: next test */
            }
            check_projection(&subject, x, y, range, 1u);
            check_projection(&subject, x, y, metric.distance, 1u);
            check_projection(&subject, x, y, 0, 1u);
        }
    }
}

TEST(test_project_should_lie_on_the_sphere_when_points_coincide_or_are_antipodal)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 7u, 1u);
    for (uint32_t s = 0; s < N_SPACES; ++s) {
        subject_t subject = get_subject(s);
        for (uint32_t tie = 0; tie < 10u; ++tie) {
            cairn_real x[DIM_MAX], y[DIM_MAX];
            draw(&rng, &subject, x);
            for (size_t i = 0; i < subject.dim; ++i) {
                y[i] = subject.radius > 0.0 && (tie & 2u) != 0 ? -x[i] : x[i];
            }
            check_projection(&subject, x, y, (cairn_real)(0.75 * subject.size), tie);
            check_projection(&subject, x, x, 0, tie);
        }
    }
}

TEST(test_project_should_be_the_textbook_formula_when_euclidean)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 8u, 1u);
    for (uint32_t s = 0; s < 5u; ++s) {
        subject_t subject = get_subject(s);
        for (int run = 0; run < 10; ++run) {
            cairn_real x[DIM_MAX], y[DIM_MAX], out[DIM_MAX];
            double x_wide[DIM_MAX], y_wide[DIM_MAX];
            draw(&rng, &subject, x);
            draw(&rng, &subject, y);
            cairn_real range = random_between(&rng, 0, 20);
            oracle_widen(x, subject.dim, x_wide);
            oracle_widen(y, subject.dim, y_wide);
            double distance = oracle_distance(x_wide, y_wide, subject.dim, 0.0);
            REQUIRE(cairn_space_project(&subject.space, x, y, subject.dim, range, 0u, out) == CAIRN_OK);
            for (size_t i = 0; i < subject.dim; ++i) {
                double expected = y_wide[i] + (double)range * (x_wide[i] - y_wide[i]) / distance;
                CHECK_NEAR(out[i], expected, few_units(&subject) * ((double)range + 2.0 * distance + 10.0));
            }
        }
    }
}

TEST(test_project_should_refuse_and_change_nothing_when_an_argument_is_bad)
{
    static const cairn_real x[2] = {1, 2};
    static const cairn_real y[2] = {4, 6};
    cairn_real bad[2] = {1, 2};
    cairn_real out[2] = {77, 78};
    const cairn_space_t *space = &cairn_space_euclidean;
    CHECK_EQ(cairn_space_project(NULL, x, y, 2u, 1, 0u, out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_project(space, NULL, y, 2u, 1, 0u, out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_project(space, x, NULL, 2u, 1, 0u, out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_project(space, x, y, 2u, 1, 0u, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_project(space, x, y, 0u, 1, 0u, out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_project(space, bad, y, 2u, 1, 0u, bad), CAIRN_ERR_ARG); /* out over x, or over y */
    CHECK_EQ(cairn_space_project(space, x, bad, 2u, 1, 0u, bad), CAIRN_ERR_ARG);
    CHECK(bad[0] == 1 && bad[1] == 2);
    CHECK_EQ(cairn_space_project(space, x, y, 2u, -1, 0u, out), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_project(space, x, y, 2u, (cairn_real)NAN, 0u, out), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_space_project(space, x, y, 2u, (cairn_real)INFINITY, 0u, out), CAIRN_ERR_NONFINITE);
    for (int i = 0; i < 2; ++i) {
        bad[i] = (cairn_real)NAN;
        CHECK_EQ(cairn_space_project(space, bad, y, 2u, 1, 0u, out), CAIRN_ERR_NONFINITE);
        CHECK_EQ(cairn_space_project(space, x, bad, 2u, 1, 0u, out), CAIRN_ERR_NONFINITE);
        bad[i] = (cairn_real)-INFINITY;
        CHECK_EQ(cairn_space_project(space, bad, y, 2u, 1, 0u, out), CAIRN_ERR_NONFINITE);
        CHECK_EQ(cairn_space_project(space, x, bad, 2u, 1, 0u, out), CAIRN_ERR_NONFINITE);
        bad[i] = x[i];
    }
    CHECK(out[0] == 77 && out[1] == 78);
}

TEST(test_sphere_should_refuse_and_change_nothing_when_the_radius_is_bad)
{
    cairn_space_t space;
    cairn_space_t before;
    memset(&space, 0xA5, sizeof space);
    memcpy(&before, &space, sizeof space);
    CHECK_EQ(cairn_space_sphere(NULL, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_sphere(&space, 0), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_sphere(&space, -1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_sphere(&space, (cairn_real)0.99 * CAIRN_SPHERE_RADIUS_MIN), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_sphere_chord(&space, (cairn_real)1.01 * CAIRN_SPHERE_RADIUS_MAX), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_space_sphere(&space, (cairn_real)NAN), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_space_sphere(&space, (cairn_real)INFINITY), CAIRN_ERR_NONFINITE);
    CHECK_MEM(&space, &before, sizeof space);
    CHECK_EQ(cairn_space_sphere(&space, 3), CAIRN_OK);
    CHECK(space.radius == 3);
    CHECK_NEAR(space.distance_max, 3.0 * ORACLE_PI, 6.0 * ORACLE_PI * ORACLE_UNIT);
}

TEST_MAIN(
    TEST_CASE(test_metric_should_agree_with_double_when_points_are_random),
    TEST_CASE(test_metric_gradient_and_curvature_should_be_derivatives_of_the_distance_when_compared_with_differences),
    TEST_CASE(test_metric_should_give_a_unit_direction_chosen_by_tie_when_points_coincide_or_are_antipodal),
    TEST_CASE(test_metric_should_part_the_ends_of_a_pair_when_they_coincide_and_ties_differ),
    TEST_CASE(test_move_should_follow_the_geodesic_by_the_length_of_the_step_when_tangent),
    TEST_CASE(test_move_should_ignore_the_normal_part_of_a_step_when_on_the_sphere),
    TEST_CASE(test_move_should_stay_on_the_sphere_when_repeated_a_thousand_times),
    TEST_CASE(test_project_should_lie_on_the_sphere_and_as_far_as_the_residual_when_points_are_random),
    TEST_CASE(test_project_should_lie_on_the_sphere_when_points_coincide_or_are_antipodal),
    TEST_CASE(test_project_should_be_the_textbook_formula_when_euclidean),
    TEST_CASE(test_project_should_refuse_and_change_nothing_when_an_argument_is_bad),
    TEST_CASE(test_sphere_should_refuse_and_change_nothing_when_the_radius_is_bad))
