/* SPDX-License-Identifier: MIT
 * Bounded graph, lists: uniform reservoir (Vitter's algorithm R, as Lin's algorithm 11), window, and priority sampling
 * (Duffield, Lund, Thorup 2007: keep the largest weight / draw) with the degree factor 1/d_u + 1/d_v, which stands in
 * for a link's effective resistance. The keys of a priority sample form a heap with the smallest on top. */
#include "walk/graph_internal.h"

static uint32_t find_link(const cairn_graph_t *self, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b;
    const uint32_t high = a < b ? b : a;
    uint32_t e = 0;

    if (self->cfg->distinct) {
        return self->n_links;
    }
    while (e < self->n_links && (self->memory.one[e] != low || self->memory.other[e] != high)) {
        ++e;
    }
    return e;
}

static void put_link(cairn_graph_t *self, uint32_t e, uint32_t a, uint32_t b, cairn_real weight)
{
    self->memory.one[e] = (uint16_t)(a < b ? a : b);
    self->memory.other[e] = (uint16_t)(a < b ? b : a);
    self->memory.weight[e] = weight;
}

static void copy_link(cairn_graph_t *self, uint32_t to, uint32_t from)
{
    self->memory.one[to] = self->memory.one[from];
    self->memory.other[to] = self->memory.other[from];
    self->memory.weight[to] = self->memory.weight[from];
    if (self->cfg->policy == CAIRN_GRAPH_PRIORITY) {
        self->memory.key[to] = self->memory.key[from];
    }
}

static void swap_links(cairn_graph_t *self, uint32_t i, uint32_t j)
{
    const cairn_graph_memory_t *m = &self->memory;
    const uint16_t one = m->one[i];
    const uint16_t other = m->other[i];
    const cairn_real weight = m->weight[i];
    const cairn_real key = m->key[i];

    copy_link(self, i, j);
    m->one[j] = one;
    m->other[j] = other;
    m->weight[j] = weight;
    m->key[j] = key;
}

static void sift_down(cairn_graph_t *self, uint32_t at)
{
    for (uint32_t child = 2 * at + 1; child < self->n_links; child = 2 * at + 1) {
        if (child + 1 < self->n_links && self->memory.key[child + 1] < self->memory.key[child]) {
            ++child;
        }
        if (!(self->memory.key[child] < self->memory.key[at])) {
            break;
        }
        swap_links(self, at, child);
        at = child;
    }
}

static void sift_up(cairn_graph_t *self, uint32_t at)
{
    while (at > 0 && self->memory.key[at] < self->memory.key[(at - 1) / 2]) {
        swap_links(self, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

void cairn_graph_restore_heap(cairn_graph_t *self)
{
    if (self->cfg->policy == CAIRN_GRAPH_PRIORITY) {
        for (uint32_t e = self->n_links / 2; e-- > 0;) {
            sift_down(self, e);
        }
    }
}

void cairn_graph_drop_list(cairn_graph_t *self, uint32_t e)
{
    const uint32_t last = --self->n_links;

    if (self->cfg->policy == CAIRN_GRAPH_WINDOW) { /* keeps the order of arrival, oldest first once unrolled */
        for (uint32_t i = e; i < last; ++i) {
            copy_link(self, i, i + 1);
        }
        self->cursor -= e < self->cursor ? 1u : 0u;
        return;
    }
    if (e != last) {
        copy_link(self, e, last);
    }
}

/* Priority of a link before its draw. Degrees are relative to the mean one: early links, when all degrees are small, do
 * not count more than late ones. */
static cairn_real worth(const cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight)
{
    const cairn_real mean = graph_mean_degree(self);

    return weight * (mean / self->memory.seen[a] + mean / self->memory.seen[b]);
}

cairn_status cairn_graph_add_priority(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight, cairn_real draw)
{
    const uint32_t capacity = (uint32_t)self->memory.n_links;
    const cairn_real key = cairn_min(worth(self, a, b, weight) / draw, CAIRN_REAL_MAX);

    if (self->n_links < capacity) {
        put_link(self, self->n_links, a, b, weight);
        self->memory.key[self->n_links++] = key;
        sift_up(self, self->n_links - 1);
        return CAIRN_OK;
    }
    ++self->counters.n_replaced;
    if (key <= self->memory.key[0]) {
        self->threshold = cairn_max(self->threshold, key);
        return CAIRN_REJECTED;
    }
    self->threshold = cairn_max(self->threshold, self->memory.key[0]);
    put_link(self, 0, a, b, weight);
    self->memory.key[0] = key;
    sift_down(self, 0);
    return CAIRN_OK;
}

static cairn_status add_reservoir(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight)
{
    const uint32_t capacity = (uint32_t)self->memory.n_links;
    uint32_t e = self->n_links;

    self->n_distinct += self->n_distinct < UINT32_MAX ? 1u : 0u;
    if (self->n_links == capacity) {
        ++self->counters.n_replaced;
        e = cairn_rng_below(&self->rng, self->n_distinct);
        if (e >= capacity) {
            return CAIRN_REJECTED;
        }
    } else {
        ++self->n_links;
    }
    put_link(self, e, a, b, weight);
    return CAIRN_OK;
}

static cairn_status add_window(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight)
{
    const uint32_t capacity = (uint32_t)self->memory.n_links;

    self->cursor = self->cursor < capacity ? self->cursor : 0;
    if (self->n_links < capacity) {
        /* fill up in order: what was dropped left a gap at the end */
        self->cursor = self->n_links++;
    } else {
        ++self->counters.n_replaced;
    }
    put_link(self, self->cursor++, a, b, weight);
    return CAIRN_OK;
}

cairn_status cairn_graph_add_list(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight)
{
    const uint32_t e = find_link(self, a, b);
    cairn_real *stored = self->memory.weight + e;

    if (e < self->n_links && self->cfg->policy == CAIRN_GRAPH_PRIORITY) {
        /* the draw of a link is a hash of its ends, so a repeat is the same decision with a larger weight */
        const cairn_real before = *stored;
        ++self->counters.n_repeated;
        *stored = cairn_graph_repeat(self, before, weight);
        self->memory.key[e] = cairn_min(worth(self, a, b, *stored) / cairn_graph_hash(self, a, b), CAIRN_REAL_MAX);
        sift_up(self, e);
        sift_down(self, e);
        return CAIRN_OK;
    }
    if (e < self->n_links) {
        ++self->counters.n_repeated;
        *stored = cairn_graph_repeat(self, *stored, weight);
        return CAIRN_OK;
    }
    switch (self->cfg->policy) {
    case CAIRN_GRAPH_RESERVOIR: return add_reservoir(self, a, b, weight);
    case CAIRN_GRAPH_WINDOW: return add_window(self, a, b, weight);
    default: return cairn_graph_add_priority(self, a, b, weight, cairn_graph_hash(self, a, b));
    }
}
