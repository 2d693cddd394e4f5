/* SPDX-License-Identifier: MIT
 * Tests of the thesis's clustering: parity with its literal form in double, the failure of that form in float, starts,
 * stops, periodic and regular graphs. */
#include "cairn/power.h"
#include "support/test.h"
#include "walk/club.h"

#include <string.h>

enum { NODES = 40, LINKS = NODES * (NODES - 1) / 2 };

static uint32_t start[NODES + 1];
static uint16_t other[LINKS];
static cairn_real weights[LINKS];
static cairn_half_t half = {0, start, other, NULL, weights};
static cairn_walk_t walk;
static cairn_real work[CAIRN_POWER_REALS(NODES)];
static cairn_power_t power;
static cairn_power_cfg_t cfg;
static double degree[NODES];

/* Rows from a function that gives the weight of each pair. */
static void build(uint32_t n, double (*weight)(uint32_t i, uint32_t j))
{
    uint32_t e = 0;
    memset(degree, 0, sizeof degree);
    for (uint32_t i = 0; i < n; ++i) {
        start[i] = e;
        for (uint32_t j = i + 1; j < n; ++j) {
            double w = weight(i, j);
            if (w > 0) {
                other[e] = (uint16_t)j;
                weights[e++] = (cairn_real)w;
                degree[i] += (double)(cairn_real)w;
                degree[j] += (double)(cairn_real)w;
            }
        }
    }
    start[n] = e;
    half.n_nodes = n;
    CHECK_EQ(cairn_half_walk(&half, &walk), CAIRN_OK);
    cfg = cairn_power_cfg_default;
}

static cairn_status run(uint32_t operations)
{
    cairn_status status = cairn_power_begin(&power, &cfg, &walk, work, CAIRN_POWER_REALS(half.n_nodes));
    CHECK_EQ(status, CAIRN_OK);
    while ((status = cairn_power_step(&power, operations)) == CAIRN_MORE) {
    }
    return status;
}

static double club_weight(uint32_t i, uint32_t j)
{
    for (int e = 0; e < CLUB_LINKS; ++e) {
        if ((club_links[e][0] == i && club_links[e][1] == j) || (club_links[e][0] == j && club_links[e][1] == i)) {
            return 1;
        }
    }
    return 0;
}

/* All pairs much alike: what cosines of positive features look like. */
static double dense_weight(uint32_t i, uint32_t j) { return (i < NODES / 2) == (j < NODES / 2) ? 1.0 : 0.8; }

/* One step of the literal form, in double or, with `single`, rounded to float wherever it stores a number. */
static void literal_step(double *v, bool single)
{
    double next[NODES];
    double sum = 0;
    for (uint32_t i = 0; i < half.n_nodes; ++i) {
        next[i] = 0;
    }
    for (uint32_t i = 0; i < half.n_nodes; ++i) {
        for (uint32_t e = start[i]; e < start[i + 1]; ++e) {
            next[i] += (double)weights[e] * v[other[e]];
            next[other[e]] += (double)weights[e] * v[i];
            if (single) {
                next[i] = (double)(float)next[i];
                next[other[e]] = (double)(float)next[other[e]];
            }
        }
    }
    for (uint32_t i = 0; i < half.n_nodes; ++i) {
        next[i] = next[i] / degree[i];
        next[i] = single ? (double)(float)next[i] : next[i];
        sum += next[i];
        sum = single ? (double)(float)sum : sum;
    }
    for (uint32_t i = 0; i < half.n_nodes; ++i) {
        v[i] = single ? (double)(float)(next[i] / sum) : next[i] / sum;
    }
}

static double magnitude(double x) { return x < 0 ? -x : x; }

/* The thesis's loop; returns its number of steps. */
static uint32_t literal_run(double *v, bool single, uint32_t steps_max)
{
    double before[NODES];
    double change[NODES];
    memset(change, 0, sizeof change);
    for (uint32_t t = 1; t <= steps_max; ++t) {
        double largest = 0;
        memcpy(before, v, sizeof before);
        literal_step(v, single);
        for (uint32_t i = 0; i < half.n_nodes; ++i) {
            double now = v[i] - before[i];
            largest = magnitude(now - change[i]) > largest ? magnitude(now - change[i]) : largest;
            change[i] = now;
        }
        if (t >= 2 && largest <= 1e-5 / half.n_nodes) {
            return t;
        }
    }
    return steps_max;
}

/* v0(i) = ((7919 i + 13) mod 1000) / 1000, over its sum. */
static void give_start(double *v)
{
    double sum = 0;
    for (uint32_t i = 0; i < half.n_nodes; ++i) {
        work[i] = (cairn_real)((7919u * i + 13u) % 1000u) / 1000;
        v[i] = (double)work[i];
        sum += v[i];
    }
    for (uint32_t i = 0; i < half.n_nodes; ++i) {
        v[i] /= sum;
    }
    cfg.start = CAIRN_POWER_GIVEN;
}

TEST(test_power_should_walk_as_the_literal_form_when_that_is_in_double)
{
    double v[NODES];
    build(CLUB_NODES, club_weight);
    give_start(v);
    uint32_t steps = literal_run(v, false, 1000);
    CHECK_EQ(run(UINT32_MAX), CAIRN_OK);
    CHECK_EQ(power.n_steps, steps);
    for (uint32_t i = 0; i < CLUB_NODES; ++i) {
        CHECK_NEAR(CLUB_NODES * (double)cairn_power_get_literal(&power, i), CLUB_NODES * v[i], 3e-7);
    }
}

TEST(test_power_should_give_the_same_bits_when_sliced)
{
    cairn_real first[NODES];
    double v[NODES];
    for (uint32_t budget = 1; budget != 0; budget = budget == 1 ? UINT32_MAX : 0u) {
        build(CLUB_NODES, club_weight);
        give_start(v);
        CHECK_EQ(run(budget), CAIRN_OK);
        if (budget == 1) {
            memcpy(first, work, sizeof first);
        }
        CHECK_MEM(work, first, CLUB_NODES * sizeof first[0]);
    }
}

/* The fault that the deviation cures: differences of the literal vector fall below what a float can show. */
TEST(test_power_should_find_groups_when_the_literal_form_in_float_fails)
{
    double v[NODES];
    uint8_t label[NODES];
    build(NODES, dense_weight);
    give_start(v);
    for (int t = 0; t < 6; ++t) {
        literal_step(v, true);
    }
    uint32_t n_wrong = 0;
    double mean[2] = {0, 0};
    for (uint32_t i = 0; i < NODES; ++i) {
        mean[i / (NODES / 2)] += v[i] / (NODES / 2);
    }
    for (uint32_t i = 0; i < NODES; ++i) { /* even told the groups' means, it cannot tell the nodes */
        bool second = magnitude(v[i] - mean[1]) < magnitude(v[i] - mean[0]);
        n_wrong += second != (i >= NODES / 2);
    }
    CHECK(n_wrong >= NODES / 8);
    cfg.stop = CAIRN_POWER_STEPS;
    for (uint32_t steps = 8; steps <= 150; steps += 37) {
        give_start(v);
        cfg.steps_max = steps;
        CHECK_EQ(run(UINT32_MAX), CAIRN_NOT_CONVERGED);
        CHECK_EQ(cairn_power_split(&power, label), CAIRN_OK);
        for (uint32_t i = 0; i < NODES; ++i) {
            CHECK_EQ(label[i], i < NODES / 2 ? label[0] : 1 - label[0]);
        }
    }
}

TEST(test_power_should_split_the_club_when_it_begins_anywhere)
{
    static const cairn_power_start starts[] = {CAIRN_POWER_UNIFORM, CAIRN_POWER_NORMAL, CAIRN_POWER_SKEWED};
    for (size_t s = 0; s < 3; ++s) {
        for (int stop = 0; stop < 2; ++stop) {
            uint32_t n_wrong = 0;
            uint8_t label[NODES];
            build(CLUB_NODES, club_weight);
            cfg.start = starts[s];
            cfg.stop = stop == 0 ? CAIRN_POWER_ACCELERATION : CAIRN_POWER_MOVED;
            cfg.seed = 4;
            CHECK_EQ(run(UINT32_MAX), CAIRN_OK);
            CHECK_EQ(cairn_power_split(&power, label), CAIRN_OK);
            for (uint32_t i = 0; i < CLUB_NODES; ++i) {
                n_wrong += label[i] != (i < 10 ? label[0] : 1 - label[0]);
            }
            CHECK(n_wrong <= 2);
        }
    }
}

static double ring_weight(uint32_t i, uint32_t j) { return j == i + 1 || (i == 0 && j == 9) ? 1 : 0; }

static double star_weight(uint32_t i, uint32_t j)
{
    (void)j;
    return i == 0 ? 1 : 0;
}

static double sides_weight(uint32_t i, uint32_t j) { return (i + j) % 2 == 1 ? 1 : 0; }

TEST(test_power_should_end_when_the_graph_has_two_sides)
{
    double (*const graphs[])(uint32_t, uint32_t) = {ring_weight, star_weight, sides_weight};
    for (size_t g = 0; g < 3; ++g) {
        test_context("graph", (uint32_t)g);
        build(10, graphs[g]);
        cfg.steps_max = 200;
        CHECK_EQ(run(UINT32_MAX), CAIRN_NOT_CONVERGED); /* swings for ever */
        CHECK_EQ(power.n_steps, 200);
        cfg.lazy = true;
        cfg.steps_max = 1000;
        CHECK_EQ(run(UINT32_MAX), CAIRN_OK);
        for (uint32_t i = 0; i < 10; ++i) {
            CHECK(cairn_isfinite(power.vector[i]));
        }
    }
}

TEST(test_power_should_end_at_once_when_a_regular_graph_begins_with_degrees)
{
    uint8_t label[NODES];
    build(10, ring_weight);
    cfg.start = CAIRN_POWER_DEGREE;
    CHECK_EQ(run(UINT32_MAX), CAIRN_OK);
    CHECK_EQ(power.n_steps, 0);
    CHECK_EQ(cairn_power_split(&power, label), CAIRN_OK);
    for (uint32_t i = 0; i < 10; ++i) {
        CHECK_EQ(label[i], label[0]);
    }
}

static double no_weight(uint32_t i, uint32_t j)
{
    (void)i;
    (void)j;
    return 0;
}

TEST(test_power_should_refuse_or_end_when_there_is_nothing_to_walk_for)
{
    uint8_t label[NODES];
    double v[NODES];
    build(5, no_weight);
    CHECK_EQ(run(UINT32_MAX), CAIRN_OK);
    CHECK_EQ(cairn_power_split(&power, label), CAIRN_UNPLACED);
    CHECK_EQ(label[4], 255);
    build(CLUB_NODES, club_weight);
    CHECK_EQ(cairn_power_begin(&power, &cfg, &walk, work, CAIRN_POWER_REALS(CLUB_NODES) - 1), CAIRN_ERR_SIZE);
    give_start(v);
    work[3] = -1;
    CHECK_EQ(cairn_power_begin(&power, &cfg, &walk, work, CAIRN_POWER_REALS(CLUB_NODES)), CAIRN_ERR_ARG);
    work[3] = CAIRN_REAL_MAX * 10;
    CHECK_EQ(cairn_power_begin(&power, &cfg, &walk, work, CAIRN_POWER_REALS(CLUB_NODES)), CAIRN_ERR_NONFINITE);
    cfg.steps_max = 0;
    CHECK_EQ(cairn_power_begin(&power, &cfg, &walk, work, CAIRN_POWER_REALS(CLUB_NODES)), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_power_step(NULL, 1), CAIRN_ERR_ARG);
}

TEST_MAIN(TEST_CASE(test_power_should_walk_as_the_literal_form_when_that_is_in_double),
          TEST_CASE(test_power_should_give_the_same_bits_when_sliced),
          TEST_CASE(test_power_should_find_groups_when_the_literal_form_in_float_fails),
          TEST_CASE(test_power_should_split_the_club_when_it_begins_anywhere),
          TEST_CASE(test_power_should_end_when_the_graph_has_two_sides),
          TEST_CASE(test_power_should_end_at_once_when_a_regular_graph_begins_with_degrees),
          TEST_CASE(test_power_should_refuse_or_end_when_there_is_nothing_to_walk_for))
