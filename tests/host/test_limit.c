/* SPDX-License-Identifier: MIT
 * Which sensors the benches judge: the core of a network. */
#include "bench/limit.h"
#include "cairn/rng.h"
#include "support/test.h"

#include <string.h>

enum { N_ANCHORS = 4, CLIQUE = 5, LONE = N_ANCHORS + 2 * CLIQUE, N_NODES, N_DRAWN = 22 };

static generator_t network;

static void begin(size_t dim)
{
    memset(&network, 0, sizeof network);
    network.cfg.n_nodes = N_NODES;
    network.cfg.n_anchors = N_ANCHORS;
    network.cfg.dim = dim;
}

static void join(size_t a, size_t b)
{
    const range_row_t row = {(uint32_t)a, (uint32_t)b, 1, 0};
    range_table_add(&network.ranges, row);
}

/* Sensors first .. first + CLIQUE - 1 have ranges to each other, and to anchors 0 .. n_anchors - 1, by turns. */
static void add_clique(size_t first, size_t n_anchors)
{
    for (size_t a = first; a < first + CLIQUE; a++) {
        for (size_t b = a + 1; b < first + CLIQUE; b++) {
            join(a, b);
        }
        if (n_anchors > 0) {
            join((a - first) % n_anchors, a);
        }
    }
}

static size_t end(void)
{
    bool core[N_NODES];
    const size_t n_core = limit_find_core(&network, core);
    size_t n_marked = 0;
    for (size_t i = 0; i < N_NODES; i++) {
        n_marked += core[i];
    }
    CHECK(n_marked == n_core && !core[0]);
    range_table_free(&network.ranges);
    return n_core;
}

TEST(test_core_should_hold_a_part_when_it_has_ranges_to_one_anchor_more_than_dimensions)
{
    for (uint32_t dim = 2; dim <= 3; dim++) {
        for (uint32_t n_anchors = 0; n_anchors <= N_ANCHORS; n_anchors++) {
            test_context("dim", dim);
            test_context("anchors", n_anchors);
            begin(dim);
            add_clique(N_ANCHORS, n_anchors);
            CHECK(end() == (n_anchors > dim ? CLIQUE : 0));
        }
    }
}

TEST(test_core_should_judge_parts_apart_when_they_share_an_anchor_only)
{
    begin(2);
    add_clique(N_ANCHORS, 3);
    add_clique(N_ANCHORS + CLIQUE, 1);
    CHECK(end() == CLIQUE);
}

TEST(test_core_should_hold_a_part_without_anchors_when_ranges_of_one_sensor_more_than_dimensions_join_it)
{
    for (uint32_t dim = 2; dim <= 3; dim++) {
        for (uint32_t n_joins = 0; n_joins <= dim + 1; n_joins++) {
            test_context("dim", dim);
            test_context("ranges", n_joins);
            begin(dim);
            add_clique(N_ANCHORS, 0);
            add_clique(N_ANCHORS + CLIQUE, N_ANCHORS);
            for (size_t k = 0; k < n_joins; k++) {
                join(N_ANCHORS + k, N_ANCHORS + CLIQUE + k);
            }
            CHECK(end() == (n_joins > dim ? 2 * CLIQUE : CLIQUE));
        }
    }
}

TEST(test_core_should_not_hold_a_part_when_all_that_joins_it_is_one_sensor)
{
    begin(2);
    add_clique(N_ANCHORS, 0);
    add_clique(N_ANCHORS + CLIQUE, N_ANCHORS);
    for (size_t k = 0; k < CLIQUE; k++) {
        join(N_ANCHORS + k, N_ANCHORS + CLIQUE);
    }
    CHECK(end() == CLIQUE);
}

TEST(test_core_should_not_hold_a_sensor_nor_what_it_joins_when_it_has_two_ranges)
{
    begin(2);
    add_clique(N_ANCHORS, 3);
    add_clique(N_ANCHORS + CLIQUE, 0);
    join(N_ANCHORS, LONE);
    join(N_ANCHORS + CLIQUE, LONE);
    CHECK(end() == CLIQUE);
}

/* Whether a sensor still comes to an anchor, through the core alone, with some nodes taken out. */
static bool reaches_anchor(size_t sensor, const bool *core, const bool *out)
{
    bool reached[N_DRAWN] = {false};
    bool changed = true;
    reached[sensor] = true;
    while (changed) {
        changed = false;
        for (size_t k = 0; k < network.ranges.n_rows; k++) {
            const size_t end[2] = {network.ranges.row[k].a, network.ranges.row[k].b};
            for (size_t e = 0; e < 2; e++) {
                size_t to = end[1 - e];
                if (!reached[end[e]] || out[to]) {
                    continue;
                }
                if (to < network.cfg.n_anchors) {
                    return true;
                }
                changed = changed || (core[to] && !reached[to]);
                reached[to] = reached[to] || core[to];
            }
        }
    }
    return false;
}

/* Whether a sensor comes to an anchor whichever `n` others, from the first on, are taken out. */
static bool is_held(size_t sensor, const bool *core, bool *out, size_t first, size_t n)
{
    bool held = n > 0 || reaches_anchor(sensor, core, out);
    for (size_t i = first; i < network.cfg.n_nodes && n > 0 && held; i++) {
        if (i != sensor) {
            out[i] = true;
            held = is_held(sensor, core, out, i + 1, n - 1);
            out[i] = false;
        }
    }
    return held;
}

static void find_core_by_cuts(bool *core)
{
    bool changed = true;
    for (size_t i = 0; i < network.cfg.n_nodes; i++) {
        core[i] = i >= network.cfg.n_anchors;
    }
    while (changed) {
        changed = false;
        for (size_t i = network.cfg.n_anchors; i < network.cfg.n_nodes; i++) {
            bool out[N_DRAWN] = {false};
            if (core[i] && !is_held(i, core, out, 0, network.cfg.dim)) {
                core[i] = false;
                changed = true;
            }
        }
    }
}

static size_t check_by_cuts(void)
{
    bool core[N_DRAWN];
    bool expected[N_DRAWN];
    const size_t n_core = limit_find_core(&network, core);
    find_core_by_cuts(expected);
    CHECK_MEM(core, expected, sizeof core);
    return n_core;
}

/* Nodes in a row with ranges to some of those near them: one in ten thousand such networks needs a path that goes back
 * along two ranges of another. These do. */
TEST(test_core_should_hold_sensors_when_a_path_has_to_go_back_along_two_ranges_of_another)
{
    static const struct {
        size_t n_ranges;
        uint32_t reach;
        uint64_t seed;
    } drawn[] = {{92, 7, 298}, {100, 6, 2602}, {108, 6, 3448}};
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
        cairn_rng_t rng;
        cairn_rng_init(&rng, drawn[i].seed, 1);
        test_context("network", (uint32_t)i);
        begin(3);
        network.cfg.n_nodes = N_DRAWN;
        for (size_t k = 0; k < drawn[i].n_ranges; k++) {
            const size_t a = cairn_rng_below(&rng, N_DRAWN);
            const size_t b = a + 1 + cairn_rng_below(&rng, drawn[i].reach);
            if (b < N_DRAWN) {
                join(a, b);
            }
        }
        CHECK(check_by_cuts() > 0);
        range_table_free(&network.ranges);
    }
}

TEST(test_core_should_be_what_no_cut_of_as_many_nodes_as_dimensions_parts_from_the_anchors_when_networks_are_drawn)
{
    size_t n_held = 0;
    size_t n_loose = 0;
    for (uint32_t seed = 1; seed <= 400; seed++) {
        const size_t dim = 2 + seed % 2;
        const double radius_m = (dim == 2 ? .3 : .45) + .01 * (seed % 10);
        const generator_cfg_t cfg = {N_DRAWN, 3 + seed % 4, dim, radius_m, .01, 0, true, seed};
        size_t n_core;
        test_context("seed", seed);
        generator_init(&network, &cfg);
        REQUIRE(generator_measure(&network));
        n_core = check_by_cuts();
        n_held += n_core;
        n_loose += N_DRAWN - cfg.n_anchors - n_core;
        generator_free(&network);
    }
    test_context("held", (uint32_t)n_held);
    CHECK(n_held > 200 && n_loose > 200); /* both kinds are many */
}

TEST_MAIN(
    TEST_CASE(test_core_should_hold_a_part_when_it_has_ranges_to_one_anchor_more_than_dimensions),
    TEST_CASE(test_core_should_judge_parts_apart_when_they_share_an_anchor_only),
    TEST_CASE(test_core_should_hold_a_part_without_anchors_when_ranges_of_one_sensor_more_than_dimensions_join_it),
    TEST_CASE(test_core_should_not_hold_a_part_when_all_that_joins_it_is_one_sensor),
    TEST_CASE(test_core_should_not_hold_a_sensor_nor_what_it_joins_when_it_has_two_ranges),
    TEST_CASE(test_core_should_hold_sensors_when_a_path_has_to_go_back_along_two_ranges_of_another),
    TEST_CASE(
        test_core_should_be_what_no_cut_of_as_many_nodes_as_dimensions_parts_from_the_anchors_when_networks_are_drawn))
