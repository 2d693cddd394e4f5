/* SPDX-License-Identifier: MIT
 * Which sensors the benches judge: the core of a network. */
#include "bench/limit.h"
#include "support/test.h"

#include <string.h>

enum { N_ANCHORS = 4, CLIQUE = 5, LONE = N_ANCHORS + 2 * CLIQUE, N_NODES };

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

TEST(test_core_should_hold_a_part_without_anchors_when_ranges_join_it_to_one_that_has_them)
{
    begin(2);
    add_clique(N_ANCHORS, 0);
    add_clique(N_ANCHORS + CLIQUE, 3);
    join(N_ANCHORS, N_ANCHORS + CLIQUE);
    CHECK(end() == 2 * CLIQUE);
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

TEST_MAIN(TEST_CASE(test_core_should_hold_a_part_when_it_has_ranges_to_one_anchor_more_than_dimensions),
          TEST_CASE(test_core_should_judge_parts_apart_when_they_share_an_anchor_only),
          TEST_CASE(test_core_should_hold_a_part_without_anchors_when_ranges_join_it_to_one_that_has_them),
          TEST_CASE(test_core_should_not_hold_a_sensor_nor_what_it_joins_when_it_has_two_ranges))
