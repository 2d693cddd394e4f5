/* SPDX-License-Identifier: MIT
 * Tests of power iteration clustering on half rows without weights: their links are counted, several clusterings in a
 * word, and labels and cut have to be those of links that weigh 1. needs ram: 65536 */
#define PLAIN_NODES 96
#define PLAIN_LINKS 900
#define PLAIN_K_MAX 17
#include "oracle/plain.h"

enum { CROSSING = 12 };

/* Groups are i mod k; one link in CROSSING crosses. */
static void draw_rows(uint64_t draw, uint32_t k)
{
    static uint32_t a[PLAIN_LINKS];
    static uint32_t b[PLAIN_LINKS];
    cairn_rng_t rng;
    cairn_rng_init(&rng, draw, 10);
    for (uint32_t e = 0; e < PLAIN_LINKS;) {
        a[e] = cairn_rng_below(&rng, PLAIN_NODES);
        b[e] = cairn_rng_below(&rng, PLAIN_NODES);
        e += a[e] != b[e] && (a[e] % k != b[e] % k) == (cairn_rng_below(&rng, CROSSING) == 0) ? 1u : 0u;
    }
    plain_fill(a, b, PLAIN_LINKS);
}

/* Labels of 1, 2, 2, 4 and 8 bits; ties of all nodes at once up to 5 clusters. */
TEST(test_pic_should_count_links_as_weights_of_one_when_they_have_none)
{
    static const uint32_t ks[] = {2, 3, 4, 5, 17};
    for (uint32_t i = 0; i < sizeof ks / sizeof ks[0]; ++i) {
        uint32_t n_moves = 0;
        test_context("clusters", ks[i]);
        for (uint64_t draw = PLAIN_FIRST; draw < PLAIN_DRAWS; ++draw) {
            draw_rows(draw, ks[i]);
            n_moves += plain_check_forms(ks[i], draw);
        }
        CHECK(n_moves > 0 || ks[i] == 17); /* the draws show moves */
    }
}

TEST_MAIN(TEST_CASE(test_pic_should_count_links_as_weights_of_one_when_they_have_none))
