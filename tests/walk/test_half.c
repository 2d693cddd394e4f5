/* SPDX-License-Identifier: MIT
 * Tests of half rows: filled by blocks they are those filled link by link, on any number of nodes and with any work memory.
 * needs ram: 49152 */
#include "cairn/rng.h"
#include "cairn/walk.h"
#include "support/test.h"

#include <string.h>

enum { NODES_MAX = 1100, LINKS = 1200, WORK = 1300, CANARY = 3 };

static uint32_t a[LINKS];
static uint32_t b[LINKS];
static uint32_t counted[NODES_MAX + 1];
static uint32_t start[2][NODES_MAX + 1];
static uint32_t work[WORK + CANARY];
static uint32_t other[2][LINKS];

static void draw_links(uint32_t n_nodes)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, n_nodes, 21);
    for (uint32_t e = 0; e < LINKS;) {
        a[e] = cairn_rng_below(&rng, n_nodes);
        b[e] = cairn_rng_below(&rng, n_nodes);
        e += a[e] != b[e] ? 1u : 0u;
    }
    memset(counted, 0, sizeof counted);
    CHECK_EQ(cairn_half_count(counted, n_nodes, a, b, LINKS), CAIRN_OK);
    cairn_half_starts(counted, n_nodes);
}

static void restart(uint32_t which)
{
    memcpy(start[which], counted, sizeof counted);
    memset(other[which], 0xA5, sizeof other[which]);
}

/* Rows of 2 (wide: 4) bytes a link, filled in two calls, beside those filled link by link. */
static void check_fill(uint32_t n_nodes, size_t n_work, bool wide)
{
    const size_t first = LINKS / 3;
    uint16_t *narrow[2] = {wide ? NULL : (uint16_t *)other[0], wide ? NULL : (uint16_t *)other[1]};
    uint32_t *full[2] = {wide ? other[0] : NULL, wide ? other[1] : NULL};
    restart(0);
    restart(1);
    memset(work, 0xA5, sizeof work);
    cairn_half_fill(start[0], a, b, first, narrow[0], full[0]);
    cairn_half_fill(start[0], a + first, b + first, LINKS - first, narrow[0], full[0]);
    CHECK_EQ(cairn_half_fill_blocks(start[1], n_nodes, a, b, first, work, n_work, narrow[1], full[1]), CAIRN_OK);
    CHECK_EQ(cairn_half_fill_blocks(start[1], n_nodes, a + first, b + first, LINKS - first, work, n_work, narrow[1],
                                    full[1]),
             CAIRN_OK);
    CHECK_MEM(start[1], start[0], sizeof start[0]);
    CHECK_MEM(other[1], other[0], sizeof other[0]);
    for (size_t i = n_work; i < sizeof work / sizeof work[0]; ++i) {
        CHECK_EQ(work[i], 0xA5A5A5A5u);
    }
}

TEST(test_half_fill_blocks_should_give_the_same_rows_when_links_are_sorted_first)
{
    static const uint32_t sizes[] = {2, 3, 16, 255, 256, 257, 512, 513, 1024, 1025, NODES_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        const size_t least = cairn_half_blocks_words(sizes[i]);
        const size_t works[] = {least, least + 1, least + 100, WORK};
        test_context("nodes", sizes[i]);
        draw_links(sizes[i]);
        for (size_t w = 0; w < sizeof works / sizeof works[0]; ++w) {
            check_fill(sizes[i], works[w], false);
            check_fill(sizes[i], works[w], true);
        }
    }
}

/* 20 bits of an id and 12 of a row fill the word. Only rows of the first block are touched, so start need not be whole. */
TEST(test_half_fill_blocks_should_keep_ids_whole_when_they_are_large)
{
    const uint32_t n_nodes = UINT32_C(1) << 20;
    memset(start, 0, sizeof start);
    a[0] = 1023;
    b[0] = n_nodes - 1;
    a[1] = n_nodes - 2;
    b[1] = 7;
    start[0][7] = 1;
    start[0][1023] = 2;
    CHECK_EQ(cairn_half_fill_blocks(start[0], n_nodes, a, b, 2, work, WORK, NULL, other[0]), CAIRN_OK);
    CHECK_EQ(start[0][7], 0);
    CHECK_EQ(start[0][1023], 1);
    CHECK_EQ(other[0][0], n_nodes - 2);
    CHECK_EQ(other[0][1], n_nodes - 1);
}

TEST(test_half_fill_blocks_should_change_nothing_when_it_refuses)
{
    uint16_t *narrow = (uint16_t *)other[1];
    draw_links(100);
    restart(0);
    restart(1);
    CHECK_EQ(cairn_half_blocks_words(0), 0);
    CHECK_EQ(cairn_half_blocks_words((UINT32_C(1) << 24) + 1u), 0);
    CHECK_EQ(cairn_half_blocks_words(UINT32_C(1) << 20), 512);
    CHECK_EQ(cairn_half_blocks_words(UINT32_C(1) << 24), 131072);
    CHECK_EQ(cairn_half_fill_blocks(NULL, 100, a, b, LINKS, work, WORK, NULL, other[1]), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_half_fill_blocks(start[1], 100, NULL, b, LINKS, work, WORK, NULL, other[1]), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_half_fill_blocks(start[1], 100, a, NULL, LINKS, work, WORK, NULL, other[1]), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_half_fill_blocks(start[1], 100, a, b, LINKS, NULL, WORK, NULL, other[1]), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_half_fill_blocks(start[1], 100, a, b, LINKS, work, WORK, NULL, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_half_fill_blocks(start[1], 100, a, b, LINKS, work, WORK, narrow, other[1]), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_half_fill_blocks(start[1], 0, a, b, LINKS, work, WORK, NULL, other[1]), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_half_fill_blocks(start[1], 65537, a, b, LINKS, work, WORK, narrow, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(
        cairn_half_fill_blocks(start[1], 100, a, b, LINKS, work, cairn_half_blocks_words(100) - 1u, NULL, other[1]),
        CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_half_fill_blocks(start[1], 100, NULL, NULL, 0, work, WORK, NULL, other[1]), CAIRN_OK);
    CHECK_MEM(start[1], start[0], sizeof start[0]);
    CHECK_MEM(other[1], other[0], sizeof other[0]);
}

TEST(test_half_count_should_refuse_when_a_link_is_none)
{
    a[0] = 3;
    b[0] = 3;
    memset(counted, 0, sizeof counted);
    CHECK_EQ(cairn_half_count(counted, 4, a, b, 1), CAIRN_ERR_SELF);
    b[0] = 4;
    CHECK_EQ(cairn_half_count(counted, 4, a, b, 1), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(cairn_half_count(NULL, 4, a, b, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_half_count(counted, 4, NULL, NULL, 0), CAIRN_OK);
}

TEST_MAIN(TEST_CASE(test_half_fill_blocks_should_give_the_same_rows_when_links_are_sorted_first),
          TEST_CASE(test_half_fill_blocks_should_keep_ids_whole_when_they_are_large),
          TEST_CASE(test_half_fill_blocks_should_change_nothing_when_it_refuses),
          TEST_CASE(test_half_count_should_refuse_when_a_link_is_none))
