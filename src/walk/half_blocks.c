/* SPDX-License-Identifier: MIT
 * Half rows of a graph that is larger than the caches. Put into its row by itself, each link costs a line of memory. So
 * many links at a time are first sorted by blocks of rows in the caller's work memory, one word each: the place of the row
 * in its block, and the other end. The rows of one block, and their open ends, then fit in a cache. */
#include "cairn/walk.h"

#define BLOCKS_LOG2    8u  /* measured on 50,000 to a million nodes: 6 to 9 are within a fifth of each other */
#define NODES_MAX_LOG2 24u /* leaves 8 bits for the row */
#define WORD_BITS      32u

typedef struct layout {
    uint32_t row_bits;   /* of a block: 2^this rows */
    uint32_t other_bits; /* of the other end, below those of the row */
    uint32_t n_blocks;
} layout_t;

static layout_t lay_out(uint32_t n_nodes)
{
    layout_t layout = {0, 1, 0};

    while (((n_nodes - 1u) >> layout.other_bits) > 0) {
        ++layout.other_bits;
    }
    layout.row_bits = layout.other_bits > BLOCKS_LOG2 ? layout.other_bits - BLOCKS_LOG2 : 0;
    if (layout.row_bits > WORD_BITS - layout.other_bits) {
        layout.row_bits = WORD_BITS - layout.other_bits;
    }
    layout.n_blocks = ((n_nodes - 1u) >> layout.row_bits) + 1u;
    return layout;
}

size_t cairn_half_blocks_words(uint32_t n_nodes)
{
    if (n_nodes == 0 || n_nodes > UINT32_C(1) << NODES_MAX_LOG2) {
        return 0;
    }
    return 2u * (size_t)lay_out(n_nodes).n_blocks; /* their ends, and as many links: passes over the ends stay few */
}

/* Sort n links by blocks, keeping their order; block k ends at end[k]. */
static void sort_links(const layout_t *layout, const uint32_t *a, const uint32_t *b, size_t n, uint32_t *end,
                       uint32_t *word)
{
    const uint32_t row_mask = (UINT32_C(1) << layout->row_bits) - 1u;
    uint32_t begin = 0;

    memset(end, 0, layout->n_blocks * sizeof *end);
    for (size_t e = 0; e < n; ++e) {
        ++end[(a[e] < b[e] ? a[e] : b[e]) >> layout->row_bits];
    }
    for (uint32_t k = 0; k < layout->n_blocks; ++k) {
        const uint32_t n_block = end[k];
        end[k] = begin;
        begin += n_block;
    }
    for (size_t e = 0; e < n; ++e) {
        const uint32_t low = a[e] < b[e] ? a[e] : b[e];
        const uint32_t high = a[e] < b[e] ? b[e] : a[e];
        word[end[low >> layout->row_bits]++] = (low & row_mask) << layout->other_bits | high;
    }
}

/* Put the n sorted links of one block into its rows, the last one first. */
static void fill_block(const layout_t *layout, const uint32_t *word, uint32_t n, uint32_t *start, uint16_t *other16,
                       uint32_t *other32)
{
    const uint32_t other_mask = (UINT32_C(1) << layout->other_bits) - 1u;

    if (other16 != NULL) {
        for (uint32_t e = n; e-- > 0;) {
            other16[--start[word[e] >> layout->other_bits]] = (uint16_t)(word[e] & other_mask);
        }
    } else {
        for (uint32_t e = n; e-- > 0;) {
            other32[--start[word[e] >> layout->other_bits]] = word[e] & other_mask;
        }
    }
}

cairn_status cairn_half_fill_blocks(uint32_t *start, uint32_t n_nodes, const uint32_t *a, const uint32_t *b,
                                    size_t n_links, uint32_t *work, size_t n_work, uint16_t *other16, uint32_t *other32)
{
    const size_t least = cairn_half_blocks_words(n_nodes);
    layout_t layout;

    if (start == NULL || work == NULL || least == 0 || ((a == NULL || b == NULL) && n_links > 0) ||
        (other16 == NULL) == (other32 == NULL) || (other16 != NULL && n_nodes > UINT16_MAX + 1u)) {
        return CAIRN_ERR_ARG;
    }
    if (n_work < least) {
        return CAIRN_ERR_SIZE;
    }
    layout = lay_out(n_nodes);
    while (n_links > 0) { /* from the last ones on, as rows fill from their ends */
        const size_t room = n_work - layout.n_blocks;
        const size_t n = n_links < room ? n_links : room;
        const uint32_t *word = work + layout.n_blocks;
        n_links -= n;
        sort_links(&layout, a + n_links, b + n_links, n, work, work + layout.n_blocks);
        for (uint32_t k = 0; k < layout.n_blocks; ++k) {
            const uint32_t begin = k > 0 ? work[k - 1u] : 0;
            fill_block(&layout, word + begin, work[k] - begin, start + ((size_t)k << layout.row_bits), other16,
                       other32);
        }
    }
    return CAIRN_OK;
}
