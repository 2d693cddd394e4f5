/* SPDX-License-Identifier: MIT
 * The cold start's list of pairs that have no range, beside what it should hold. */
#ifndef CAIRN_ORACLE_PAIRS_H
#define CAIRN_ORACLE_PAIRS_H

#include "locate/coldstart_internal.h"
#include "oracle/cold.h"

/* The grid that the list is made from. */
static inline void pairs_fill_grid(void)
{
    int32_t operations = INT32_MAX;
    cairn_coldstart_grid_begin(&cold_job);
    while (!cairn_coldstart_grid_fill(&cold_job, &operations)) {
    }
    cold_job.cursor = 0;
}

/* How often the list holds a pair of nodes, either first. */
static inline uint32_t pairs_times_listed(uint32_t a, uint32_t b)
{
    uint32_t n_times = 0;
    uint32_t row = 0;
    for (uint32_t word = 0; word < cold_job.pair_words; ++word) {
        const uint32_t code = world_work[word].index;
        const uint32_t other = code & LINK_NODE_MASK;
        if (code >> PAIR_ADVANCE_SHIFT == PAIR_ADVANCE_ONLY) { /* no pair */
            row += PAIR_ADVANCE_MAX;
            continue;
        }
        row += code >> PAIR_ADVANCE_SHIFT;
        n_times += (row == a && other == b) || (row == b && other == a) ? 1u : 0u;
    }
    return n_times;
}

static inline bool pairs_are_linked(uint32_t a, uint32_t b)
{
    bool linked = false;
    for (uint32_t j = 0; j < network_degree(&world_net, a); ++j) {
        linked = linked || cairn_link_node(network_link(&world_net, a, j)) == b;
    }
    return linked;
}

/* List the pairs at the present places in the plane: those that are near and have no range, once each, and no others.
 * Returns how many they are. */
static inline uint32_t pairs_list_and_check(void)
{
    int32_t operations = INT32_MAX;
    uint32_t n_wanted = 0;
    pairs_fill_grid();
    cold_job.pair_share = COLDSTART_SHARE_ALL;
    cairn_coldstart_pairs_begin(&cold_job);
    CHECK(cairn_coldstart_list_pairs(&cold_job, &operations));
    for (uint32_t a = 0; a < world.n_nodes; ++a) {
        for (uint32_t b = 0; b < a; ++b) {
            const bool near = cairn_distance(world_place + 2u * a, world_place + 2u * b, 2u) < cold_job.radio_range_m;
            const bool known = network_is_known(&world_net, a) && network_is_known(&world_net, b);
            const bool wanted = near && known && !pairs_are_linked(a, b) && a >= world.n_anchors;
            test_context("node", a);
            CHECK_EQ(pairs_times_listed(a, b), wanted ? 1 : 0);
            n_wanted += wanted ? 1u : 0u;
        }
    }
    return n_wanted;
}

#endif
