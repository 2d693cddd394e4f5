/* SPDX-License-Identifier: MIT
 * The core of a network: what more than two sensors (in space, three) join to the anchors. Less turns about those, or has a
 * mirror image that fits as well: a map is unique, in general, only where nothing of the kind is left, though that is not
 * enough for it (Hendrickson 1992). By Menger's theorem it is so where dim + 1 paths to as many anchors share no sensor. */
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "memory.h"

/* The search for one more path goes along ranges, and back along the paths found so far. A node that is on a path has two
 * sides: a search that comes to it along a range may go on only back along its path; one that has come back along the path
 * from the next node, which thereby is cut off, may leave by any range. */
enum { SIDE_IN, SIDE_OUT, N_SIDES };

static const size_t none = (size_t)-1;

typedef struct search {
    const generator_t *network;
    const bool *core;
    size_t *row_begin; /* [n_nodes + 1] ranges of a node: range_of[row_begin[i]] and on */
    size_t *range_of;
    size_t source;
    size_t *on_path_of; /* [n_nodes] the source, if a node is on one of its paths, and then the one before it */
    size_t *before;
    size_t *seen; /* [n_nodes x N_SIDES] number of the last search that came here, and from where */
    size_t *from;
    size_t n_searches;
    size_t *queue; /* [n_nodes x N_SIDES] */
    size_t n_queued;
} search_t;

void limit_list_ranges(const generator_t *network, size_t **row_begin, size_t **range_of)
{
    const range_table_t *ranges = &network->ranges;
    size_t n_nodes = network->cfg.n_nodes;
    size_t *begin = memory_zeroed(n_nodes + 2, sizeof *begin);
    *range_of = memory_zeroed(2 * ranges->n_rows + 1, sizeof **range_of);
    for (size_t k = 0; k < ranges->n_rows; k++) {
        begin[ranges->row[k].a + 2]++;
        begin[ranges->row[k].b + 2]++;
    }
    for (size_t i = 2; i < n_nodes + 2; i++) {
        begin[i] += begin[i - 1];
    }
    for (size_t k = 0; k < ranges->n_rows; k++) { /* moves each begin, one place on, to the end of its row */
        (*range_of)[begin[ranges->row[k].a + 1]++] = k;
        (*range_of)[begin[ranges->row[k].b + 1]++] = k;
    }
    *row_begin = begin;
}

static void search_init(search_t *self, const generator_t *network, const bool *core)
{
    size_t n_nodes = network->cfg.n_nodes;
    memset(self, 0, sizeof *self);
    self->network = network;
    self->core = core;
    limit_list_ranges(network, &self->row_begin, &self->range_of);
    self->on_path_of = memory_zeroed(n_nodes, sizeof *self->on_path_of);
    self->before = memory_zeroed(n_nodes, sizeof *self->before);
    self->seen = memory_zeroed(n_nodes * N_SIDES, sizeof *self->seen);
    self->from = memory_zeroed(n_nodes * N_SIDES, sizeof *self->from);
    self->queue = memory_zeroed(n_nodes * N_SIDES, sizeof *self->queue);
}

static void search_free(search_t *self)
{
    free(self->row_begin);
    free(self->range_of);
    free(self->on_path_of);
    free(self->before);
    free(self->seen);
    free(self->from);
    free(self->queue);
}

static bool is_anchor(const search_t *self, size_t node) { return node < self->network->cfg.n_anchors; }

static bool is_on_path(const search_t *self, size_t node) { return self->on_path_of[node] == self->source; }

static void come(search_t *self, size_t node, size_t side, size_t from)
{
    size_t state = node * N_SIDES + side;
    if (self->seen[state] != self->n_searches) {
        self->seen[state] = self->n_searches;
        self->from[state] = from;
        self->queue[self->n_queued++] = state;
    }
}

/* Leave a node along its ranges; returns an anchor that no path ends at yet, none if there is none. */
static size_t leave(search_t *self, size_t state)
{
    size_t node = state / N_SIDES;
    for (size_t at = self->row_begin[node]; at < self->row_begin[node + 1]; at++) {
        const range_row_t *row = &self->network->ranges.row[self->range_of[at]];
        size_t other = row->a == node ? row->b : row->a;
        bool taken = is_on_path(self, other);
        if (is_anchor(self, other) && !taken) {
            self->from[other * N_SIDES + SIDE_IN] = state;
            return other;
        }
        if ((taken || self->core[other]) && other != self->source) {
            come(self, other, taken ? SIDE_IN : SIDE_OUT, state);
        }
    }
    return none;
}

static void go_back(search_t *self, size_t state)
{
    size_t node = state / N_SIDES;
    if (state % N_SIDES == SIDE_OUT) {
        come(self, node, SIDE_IN, state);
    } else if (self->before[node] != self->source) {
        come(self, self->before[node], SIDE_OUT, state);
    }
}

/* Join what the search has gone through to the paths, from its end. */
static void add_path(search_t *self, size_t anchor)
{
    size_t state = anchor * N_SIDES + SIDE_IN;
    size_t source_state = self->source * N_SIDES + SIDE_OUT;
    while (state != source_state) {
        size_t earlier = self->from[state];
        size_t node = state / N_SIDES;
        size_t last = earlier / N_SIDES;
        if (last == node) { /* gone back through: no longer on a path */
            self->on_path_of[node] = none;
        } else if (earlier % N_SIDES == SIDE_OUT) {
            self->before[node] = last;
            self->on_path_of[node] = self->source;
        }
        state = earlier;
    }
}

/* Look for one more path from the source that shares no sensor with the others. */
static bool find_path(search_t *self)
{
    self->n_searches++;
    self->n_queued = 0;
    come(self, self->source, SIDE_OUT, none);
    for (size_t k = 0; k < self->n_queued; k++) {
        size_t state = self->queue[k];
        if (state % N_SIDES == SIDE_OUT) {
            size_t anchor = leave(self, state);
            if (anchor != none) {
                add_path(self, anchor);
                return true;
            }
        }
        if (is_on_path(self, state / N_SIDES)) {
            go_back(self, state);
        }
    }
    return false;
}

static bool is_held(search_t *self, size_t node)
{
    size_t n_paths = 0;
    self->source = node;
    while (n_paths <= self->network->cfg.dim && find_path(self)) {
        n_paths++;
    }
    return n_paths > self->network->cfg.dim;
}

size_t limit_find_core(const generator_t *network, bool *core)
{
    size_t n_core = network->cfg.n_nodes - network->cfg.n_anchors;
    size_t n_before;
    search_t search;
    for (size_t i = 0; i < network->cfg.n_nodes; i++) {
        core[i] = i >= network->cfg.n_anchors;
    }
    search_init(&search, network, core);
    do { /* what has gone holds others no more */
        n_before = n_core;
        memset(search.on_path_of, 0xFF, network->cfg.n_nodes * sizeof *search.on_path_of);
        for (size_t i = network->cfg.n_anchors; i < network->cfg.n_nodes; i++) {
            if (core[i] && !is_held(&search, i)) {
                core[i] = false;
                n_core--;
            }
        }
    } while (n_core < n_before);
    search_free(&search);
    return n_core;
}
