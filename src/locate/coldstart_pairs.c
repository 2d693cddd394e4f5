/* SPDX-License-Identifier: MIT
 * Pairs without a range: a grid of cells over the present places, and the list of unmeasured pairs nearer than the radio
 * range, one word a pair in the order of the first node. When there are more than the list holds, an evenly spread share
 * of them is kept. */
#include "locate/coldstart_internal.h"

#define SHARE_MARGIN 0.9f /* of the room that a thinned list aims at */

bool cairn_coldstart_pass(cairn_coldstart_t *self, int32_t *operations, int32_t per_node, coldstart_run_fn run)
{
    const uint32_t n_nodes = self->network->n_nodes;
    const uint32_t *rows = upper_rows(self->network);

    while (*operations > 0 && self->cursor < n_nodes) {
        const uint32_t begin = self->cursor;
        const uint32_t end = n_nodes - begin > COLDSTART_CHUNK ? begin + COLDSTART_CHUNK : n_nodes;
        run(self, begin, end);
        *operations -= (int32_t)(rows[end] - rows[begin]) + (int32_t)(end - begin) * per_node;
        self->cursor = end;
    }
    if (self->cursor < n_nodes) {
        return false;
    }
    self->cursor = 0;
    return true;
}

bool cairn_coldstart_pairs_pass(cairn_coldstart_t *self, int32_t *operations, coldstart_run_fn run)
{
    if (self->cursor == 0) {
        self->row = 0;
    }
    while (self->cursor<self->pair_words && * operations> 0) {
        const uint32_t begin = self->cursor;
        const uint32_t end = self->pair_words - begin > COLDSTART_CHUNK ? begin + COLDSTART_CHUNK : self->pair_words;
        run(self, begin, end);
        *operations -= (int32_t)(end - begin);
        self->cursor = end;
    }
    if (self->cursor < self->pair_words) {
        return false;
    }
    self->cursor = 0;
    return true;
}

static void extent_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = begin; i < end; ++i) {
        const cairn_real *place_m = network_place(self->network, i);
        for (size_t k = 0; k < dim && network_is_known(self->network, i); ++k) {
            self->low_m[k] = cairn_min(self->low_m[k], place_m[k]);
            self->high_m[k] = cairn_max(self->high_m[k], place_m[k]);
        }
    }
}

/* Cells as wide as the radio range, wider when there would be more cells than nodes. */
static void choose_cells(cairn_coldstart_t *self)
{
    const size_t dim = coldstart_dim(self);
    const uint32_t n_nodes = self->network->n_nodes;
    bool fits = false;

    self->cell_m = self->radio_range_m;
    for (int doubling = 0; doubling < 64 && !fits; ++doubling) {
        cairn_real n_all = 1;
        for (size_t k = 0; k < dim; ++k) {
            n_all *= (cairn_real)(int32_t)cairn_min((self->high_m[k] - self->low_m[k]) / self->cell_m, 1e6f) + 1;
        }
        fits = n_all <= (cairn_real)n_nodes;
        self->cell_m *= fits ? 1 : 1.25f;
    }
    for (size_t k = 0; k < CAIRN_LOCATE_DIM_MAX; ++k) {
        self->n_cells[k] = 1;
        if (k < dim && fits) {
            self->n_cells[k] = (uint32_t)((self->high_m[k] - self->low_m[k]) / self->cell_m) + 1u;
        }
    }
}

static uint32_t cell_along(const cairn_coldstart_t *self, size_t k, cairn_real coordinate)
{
    const cairn_real cell = (coordinate - self->low_m[k]) / self->cell_m;
    const cairn_real last = (cairn_real)(self->n_cells[k] - 1u);

    return (uint32_t)cairn_min(cairn_max(cell, 0), last);
}

uint32_t cairn_coldstart_cell_of(const cairn_coldstart_t *self, const cairn_real *place_m)
{
    uint32_t cell = 0;

    for (size_t k = 0; k < coldstart_dim(self); ++k) {
        cell = cell * self->n_cells[k] + cell_along(self, k, place_m[k]);
    }
    return cell;
}

static void insert_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    cairn_word_t *heads = cairn_coldstart_heads(self);
    cairn_word_t *next = coldstart_next(self);

    for (uint32_t i = begin; i < end; ++i) {
        coldstart_set_mark(self, i, 0);
        if (network_is_known(self->network, i)) {
            cairn_word_t *head = &heads[cairn_coldstart_cell_of(self, network_place(self->network, i))];
            next[i].index = head->index;
            head->index = i;
        }
    }
}

void cairn_coldstart_grid_begin(cairn_coldstart_t *self)
{
    for (size_t k = 0; k < CAIRN_LOCATE_DIM_MAX; ++k) {
        self->low_m[k] = CAIRN_REAL_MAX;
        self->high_m[k] = -CAIRN_REAL_MAX;
    }
    self->cell_m = 0;
    self->cursor = 0;
}

bool cairn_coldstart_grid_fill(cairn_coldstart_t *self, int32_t *operations)
{
    if (!(self->cell_m > 0)) {
        if (!cairn_coldstart_pass(self, operations, 1, extent_run)) {
            return false;
        }
        choose_cells(self);
        for (uint32_t i = 0; i < self->network->n_nodes; ++i) {
            cairn_coldstart_heads(self)[i].index = PATHS_NONE;
        }
        *operations -= (int32_t)(self->network->n_nodes / 16u);
    }
    return cairn_coldstart_pass(self, operations, 1, insert_run);
}

void cairn_coldstart_box_begin(const cairn_coldstart_t *self, const cairn_real *place_m, coldstart_box_t *box)
{
    memset(box, 0, sizeof *box);
    for (size_t k = 0; k < coldstart_dim(self); ++k) {
        box->low[k] = cell_along(self, k, place_m[k] - self->radio_range_m);
        box->high[k] = cell_along(self, k, place_m[k] + self->radio_range_m);
        box->at[k] = box->low[k];
    }
}

bool cairn_coldstart_box_run(const cairn_coldstart_t *self, coldstart_box_t *box)
{
    const size_t along = coldstart_dim(self) - 1u;
    uint32_t row = 0;

    if (box->last) {
        return false;
    }
    for (size_t k = 0; k < along; ++k) {
        row = (row + box->at[k]) * self->n_cells[k + 1u];
    }
    box->cell = row + box->low[along];
    box->end = row + box->high[along] + 1u;
    for (size_t k = along; k-- > 0;) {
        if (++box->at[k] <= box->high[k]) {
            return true;
        }
        box->at[k] = box->low[k];
    }
    box->last = true;
    return true;
}

/* Store a pair; counts it even when it finds no room. */
static void store_pair(cairn_coldstart_t *self, uint32_t node, uint32_t other)
{
    cairn_word_t *pairs = coldstart_pairs(self);
    const uint32_t room = coldstart_pairs_max(self);
    uint32_t advance = node - self->row;

    ++self->n_pairs;
    if (!coldstart_keeps_pair(self, node, other)) {
        return;
    }
    for (; advance > PAIR_ADVANCE_MAX && self->pair_words < room; advance -= PAIR_ADVANCE_MAX) {
        pairs[self->pair_words++].index = PAIR_ADVANCE_ONLY << PAIR_ADVANCE_SHIFT;
    }
    if (self->pair_words < room) {
        pairs[self->pair_words].index = other | advance << PAIR_ADVANCE_SHIFT;
        self->row = node;
    }
    ++self->pair_words; /* above the room: too many */
}

/* List the pairs of a node with the nodes of a cell from `first` on; those come first in its list. */
COLDSTART_PASS void list_cell(cairn_coldstart_t *self, uint32_t node, uint32_t cell, uint32_t first, size_t dim)
{
    const cairn_network_t *network = self->network;
    const cairn_real *places_m = coldstart_places(self);
    const cairn_real reach2 = self->radio_range_m * self->radio_range_m;
    const cairn_word_t *marks = coldstart_marks(self);
    const cairn_word_t *next = coldstart_next(self);

    for (uint32_t j = cairn_coldstart_heads(self)[cell].index; j != PATHS_NONE && j >= first; j = next[j].index) {
        cairn_real distance2 = 0;
        COLDSTART_UNROLL
        for (size_t k = 0; k < dim; ++k) {
            const cairn_real delta = places_m[dim * node + k] - places_m[dim * j + k];
            distance2 += delta * delta;
        }
        if (distance2 < reach2 && !coldstart_is_stamped(marks[j].index, node) &&
            !(network_is_anchor(network, node) && network_is_anchor(network, j))) {
            self->n_near += distance2 < COLDSTART_NEAR * COLDSTART_NEAR * reach2 ? 1u : 0u;
            store_pair(self, node, j);
        }
    }
}

/* Stamp the other ends of a row of links. */
static inline void stamp_row(const cairn_coldstart_t *self, const cairn_link_t *links, const uint32_t *row,
                             uint32_t node)
{
    cairn_word_t *marks = coldstart_marks(self);
    const cairn_link_t *end = links + row[1];

    for (const cairn_link_t *link = links + row[0]; link < end; ++link) {
        marks[cairn_link_node(link)].index = coldstart_stamp(node);
    }
}

COLDSTART_PASS void pairs_of(cairn_coldstart_t *self, uint32_t begin, uint32_t end, size_t dim)
{
    const cairn_network_t *network = self->network;

    for (uint32_t i = begin; i < end; ++i) {
        coldstart_box_t box;
        uint32_t own;
        uint32_t cell;
        if (!network_is_known(network, i)) {
            continue;
        }
        stamp_row(self, lower_links(network), lower_rows(network) + i, i);
        stamp_row(self, upper_links(network), upper_rows(network) + i, i);
        own = cairn_coldstart_cell_of(self, network_place(network, i));
        cairn_coldstart_box_begin(self, network_place(network, i), &box);
        while ((cell = coldstart_box_next(self, &box)) != PATHS_NONE) {
            if (cell >= own) { /* each pair once: from the earlier cell, in one cell from the earlier node */
                list_cell(self, i, cell, cell == own ? i + 1u : 0, dim);
            }
        }
    }
}

static void pairs_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end) { COLDSTART_BY_DIM(pairs_of); }

void cairn_coldstart_pairs_begin(cairn_coldstart_t *self)
{
    self->pair_words = 0;
    self->n_pairs = 0;
    self->n_near = 0;
    self->row = 0;
    self->cursor = 0;
}

bool cairn_coldstart_list_pairs(cairn_coldstart_t *self, int32_t *operations)
{
    const uint32_t room = coldstart_pairs_max(self);

    if (!cairn_coldstart_pass(self, operations, 8, pairs_run)) {
        return false;
    }
    if (self->pair_words > room) {
        const cairn_real share = SHARE_MARGIN * (cairn_real)room / (cairn_real)self->pair_words;
        self->pair_share = (uint32_t)(share * (cairn_real)self->pair_share);
        cairn_coldstart_pairs_begin(self);
        return self->pair_share == 0;
    }
    return true;
}
