/* SPDX-License-Identifier: MIT
 * Clustering of half rows with more plain links than a field of 16 bits counts: fields are emptied in time, so labels and
 * cut are those of links that weigh 1. */
enum { LONG_ROWS = 3, LONG = 131069, SHORT = 25000, CROSSING = 3 };

#define PLAIN_NODES 16u
#define PLAIN_K_MAX 4
#define PLAIN_LINKS (LONG_ROWS * (LONG + LONG_ROWS) + PLAIN_NODES * SHORT)
#include "oracle/plain.h"

/* Groups are i mod k; one link in CROSSING crosses. The long rows have two full fields less a link, two, and two and a
 * link. The last nodes have no one of their group above them. */
static void draw_rows(uint64_t draw, uint32_t k)
{
    uint32_t n_links = 0;
    cairn_rng_t rng;
    cairn_rng_init(&rng, draw, 11);
    for (uint32_t i = 0; i < PLAIN_NODES; ++i) {
        const uint32_t n = i < LONG_ROWS ? LONG + i : i + k < PLAIN_NODES ? (uint32_t)SHORT : 0u;
        plain_start[i] = n_links;
        while (n_links < plain_start[i] + n) {
            const uint32_t other = i + 1u + cairn_rng_below(&rng, PLAIN_NODES - 1u - i);
            if ((other % k != i % k) == (cairn_rng_below(&rng, CROSSING) == 0)) {
                plain_set(n_links++, other);
            }
        }
    }
    plain_start[PLAIN_NODES] = n_links;
}

TEST(test_pic_should_count_links_as_weights_of_one_when_a_row_has_more_than_a_field_holds)
{
    for (uint32_t k = 2; k <= PLAIN_K_MAX; ++k) {
        uint32_t n_moves = 0;
        test_context("clusters", k);
        for (uint64_t draw = 0; draw < PLAIN_DRAWS; ++draw) {
            draw_rows(draw, k);
            n_moves += plain_check_forms(k, draw);
        }
        CHECK(n_moves > 0); /* the draws show moves */
    }
}

TEST_MAIN(TEST_CASE(test_pic_should_count_links_as_weights_of_one_when_a_row_has_more_than_a_field_holds))
