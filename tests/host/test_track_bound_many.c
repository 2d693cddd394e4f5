/* SPDX-License-Identifier: MIT
 * How well a sensor with few ranges can be told, beside how well the bound's own points do. */
#include "bench/track_bound.h"
#include "support/test.h"

#include <math.h>

enum { N_NODES = 120 };

static track_bound_t bound;
static generator_t world;

static void begin(size_t n_nodes, double radius_m, double noise_rel, double move_m)
{
    const generator_cfg_t cfg = {n_nodes, 0, 2, radius_m, noise_rel, move_m, false, 7};
    generator_init(&world, &cfg);
    track_bound_init(&bound, &world);
}

static void step(void)
{
    generator_move(&world);
    REQUIRE(generator_measure(&world));
    track_bound_step(&bound, &world);
}

TEST(test_bound_should_grow_by_the_movement_when_a_sensor_is_alone)
{
    begin(1, .1, .1, .01);
    for (uint32_t k = 1; k <= 4; k++) {
        step();
        test_context("step", k);
        CHECK(bound.n_ranges[0] == 0);
        /* 64 points have the square that they should to an eighth, each time anew: 3 deviations */
        CHECK_NEAR(bound.error_m2[0], 2e-4 * k, .35 * 2e-4 * k);
    }
    generator_free(&world);
}

/* Returns the mean square of sensors without ranges in the first set. */
static double compare(double noise_rel, double move_m)
{
    double found_m2[TRACK_BOUND_FEW + 1] = {0}, told_m2[TRACK_BOUND_FEW + 1] = {0};
    double alone_m2 = 0;
    size_t n_sensors[TRACK_BOUND_FEW + 1] = {0};
    begin(N_NODES, .065, noise_rel, move_m);
    for (uint32_t k = 0; k < 3; k++) {
        step();
        for (size_t i = 0; i < N_NODES; i++) {
            const size_t n = bound.n_ranges[i];
            double mean_m[2] = {0, 0};
            for (size_t p = 0; p < TRACK_BOUND_POINTS; p++) {
                mean_m[0] += bound.point_m[i][p][0] / TRACK_BOUND_POINTS;
                mean_m[1] += bound.point_m[i][p][1] / TRACK_BOUND_POINTS;
            }
            const double x_m = mean_m[0] - world.place_m[2 * i], y_m = mean_m[1] - world.place_m[2 * i + 1];
            if (n > TRACK_BOUND_FEW) {
                CHECK(bound.error_m2[i] == 0 && fabs(x_m) + fabs(y_m) < 1e-9);
                continue;
            }
            found_m2[n] += x_m * x_m + y_m * y_m;
            told_m2[n] += bound.error_m2[i];
            n_sensors[n]++;
        }
        if (k == 0) {
            alone_m2 = told_m2[0] / (double)n_sensors[0];
        }
    }
    for (uint32_t n = 0; n <= TRACK_BOUND_FEW; n++) { /* each of so many squares deviates by about as much as it is */
        test_context("ranges", n);
        CHECK(n_sensors[n] > 60);
        CHECK_NEAR(found_m2[n] / told_m2[n], 1, 3 * sqrt(2 / (double)n_sensors[n]) + .02);
    }
    /* a range takes half of what is not known and more, a second one some of the rest */
    CHECK(told_m2[1] / (double)n_sensors[1] < .75 * told_m2[0] / (double)n_sensors[0]);
    CHECK(told_m2[2] / (double)n_sensors[2] < .75 * told_m2[1] / (double)n_sensors[1]);
    generator_free(&world);
    return alone_m2;
}

TEST(test_bound_should_be_the_error_of_its_own_points_when_there_are_few_ranges)
{
    const double far_m = .03, near_m = .01;
    CHECK(compare(.05, far_m) < .9 * 2 * far_m * far_m); /* that nobody else is near says something */
    (void)compare(.2, near_m);
}

TEST_MAIN(TEST_CASE(test_bound_should_grow_by_the_movement_when_a_sensor_is_alone),
          TEST_CASE(test_bound_should_be_the_error_of_its_own_points_when_there_are_few_ranges))
