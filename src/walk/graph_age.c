/* SPDX-License-Identifier: MIT
 * Bounded graph, ageing: decaying counts of nodes, eviction, and bringing forward-scaled weights back. Powers of two
 * are interpolated linearly, so that no logarithm or exponential is needed; they are exact at whole half lives. */
#include "walk/graph_internal.h"

#define HALVINGS_MAX  60                     /* a count that old is nothing */
#define SEEN_MAX      8388608.0f             /* 2^23: one more still changes a float */
#define OCTAVE_MAX    1099511627776.0f       /* 2^40 */
#define OCTAVE_BACK   9.094947017729282e-13f /* 2^-40 */
#define WEIGHT_LEAST  1e-24f                 /* 80 half lives below the newest: gone */
#define HALVE_PERIOD  0xFFFFFu    /* arrivals: sums of weights are halved before they swallow the next weight */
#define SETTLE_PERIOD 0x7FFFFFFFu /* arrivals: before ages wrap, all counts are brought up to now */

static cairn_real halved(cairn_real value, cairn_real halvings)
{
    if (!(halvings < HALVINGS_MAX)) {
        return 0;
    }
    for (int n = (int)halvings; n > 0; --n) {
        value *= 0.5f;
    }
    return value * (1 - 0.5f * (halvings - (cairn_real)(int)halvings));
}

cairn_real cairn_graph_count(const cairn_graph_t *self, uint32_t node)
{
    const cairn_real half_life = self->cfg->node_half_life;

    if (!(half_life > 0)) {
        return self->memory.seen[node];
    }
    return halved(self->memory.seen[node], (cairn_real)(self->arrivals - self->memory.heard[node]) / half_life);
}

static void settle(cairn_graph_t *self)
{
    for (uint32_t i = 0; i < self->ids.n_ids; ++i) {
        self->memory.seen[i] = cairn_graph_count(self, i);
        self->memory.heard[i] = self->arrivals;
    }
}

static void halve_counts(cairn_graph_t *self)
{
    for (uint32_t i = 0; i < self->ids.n_ids; ++i) {
        self->memory.seen[i] *= 0.5f;
    }
    self->total *= 0.5f;
}

void cairn_graph_touch(cairn_graph_t *self, uint32_t node, cairn_real weight)
{
    if (self->cfg->node_half_life > 0) {
        if ((self->arrivals & SETTLE_PERIOD) == 0) {
            settle(self);
        }
        self->memory.seen[node] = cairn_graph_count(self, node);
        self->memory.heard[node] = self->arrivals;
    }
    if (self->cfg->policy != CAIRN_GRAPH_PRIORITY) {
        self->memory.seen[node] += 1;
        if (self->memory.seen[node] >= SEEN_MAX) {
            halve_counts(self);
        }
        return;
    }
    self->memory.seen[node] = cairn_min(self->memory.seen[node] + weight, CAIRN_REAL_MAX);
    self->total = cairn_min(self->total + 0.5f * weight, CAIRN_REAL_MAX);
    if ((self->arrivals & HALVE_PERIOD) == 0) {
        halve_counts(self); /* so that the next weights still count beside the sum */
    }
}

/* The node that counts least; ties go to the lowest index. */
static uint32_t least_node(const cairn_graph_t *self, uint32_t keep)
{
    uint32_t least = keep == 0 ? 1u : 0u;
    cairn_real least_count = cairn_graph_count(self, least);

    for (uint32_t i = least + 1u; i < self->ids.n_ids; ++i) {
        const cairn_real count = cairn_graph_count(self, i);
        if (count < least_count && i != keep) {
            least = i;
            least_count = count;
        }
    }
    return least;
}

static void clear_rows(cairn_graph_t *self, uint32_t node)
{
    self->n_links -= self->memory.fill[node];
    self->memory.fill[node] = 0;
    for (uint32_t i = 0; i < self->ids.n_ids; ++i) {
        const uint16_t *row = self->memory.other + (size_t)i * self->row_slots;
        for (uint32_t slot = self->memory.fill[i]; slot-- > 0;) {
            if (row[slot] == node) {
                cairn_graph_drop_row_slot(self, i, slot);
            }
        }
    }
}

static void clear_dense(cairn_graph_t *self, uint32_t node)
{
    for (uint32_t i = 0; i < self->ids.n_ids; ++i) {
        const uint32_t low = i < node ? i : node;
        if (i != node) {
            cairn_real *place = self->memory.weight + graph_dense_row(self, low) + ((i < node ? node : i) - low - 1u);
            self->n_links -= *place > 0 ? 1u : 0u;
            *place = 0;
        }
    }
}

/* Turn a full ring round so that its oldest link is the first. */
static void unroll_window(cairn_graph_t *self)
{
    const cairn_graph_memory_t *m = &self->memory;
    const uint32_t n = self->n_links;
    uint32_t shift = self->cursor < n ? self->cursor : 0;

    for (; shift > 0; --shift) { /* rare: a node is evicted while the ring is full */
        const uint16_t one = m->one[0];
        const uint16_t other = m->other[0];
        const cairn_real weight = m->weight[0];
        memmove(m->one, m->one + 1, (n - 1u) * sizeof *m->one);
        memmove(m->other, m->other + 1, (n - 1u) * sizeof *m->other);
        memmove(m->weight, m->weight + 1, (n - 1u) * sizeof *m->weight);
        m->one[n - 1u] = one;
        m->other[n - 1u] = other;
        m->weight[n - 1u] = weight;
    }
    self->cursor = n;
}

static void clear_list(cairn_graph_t *self, uint32_t node)
{
    uint32_t kept = 0;
    const cairn_graph_memory_t *m = &self->memory;

    if (self->cfg->policy == CAIRN_GRAPH_WINDOW) {
        unroll_window(self);
    }
    for (uint32_t e = 0; e < self->n_links; ++e) {
        if (m->one[e] != node && m->other[e] != node) {
            m->one[kept] = m->one[e];
            m->other[kept] = m->other[e];
            m->weight[kept] = m->weight[e];
            if (self->cfg->policy == CAIRN_GRAPH_PRIORITY) {
                m->key[kept] = m->key[e];
            }
            ++kept;
        }
    }
    self->n_links = kept;
    self->cursor = kept;
    cairn_graph_restore_heap(self);
}

void cairn_graph_clear_index(cairn_graph_t *self, uint32_t node)
{
    if (graph_has_rows(self)) {
        clear_rows(self, node);
    } else if (graph_is_dense(self)) {
        clear_dense(self, node);
    } else {
        clear_list(self, node);
    }
    self->total = cairn_max(self->total - 0.5f * self->memory.seen[node], 0);
    self->memory.seen[node] = 0;
}

uint32_t cairn_graph_admit(cairn_graph_t *self, uint32_t id, uint32_t keep)
{
    uint32_t node = CAIRN_IDS_NONE;

    if (cairn_ids_add(&self->ids, id, &node) == CAIRN_OK) {
        return node;
    }
    node = least_node(self, keep);
    cairn_graph_clear_index(self, node);
    if (cairn_ids_replace(&self->ids, node, id) != CAIRN_OK) {
        return CAIRN_IDS_NONE; /* cannot be: the id is not in the table */
    }
    self->memory.heard[node] = self->arrivals;
    ++self->counters.n_evicted;
    return node;
}

/* Drop links whose weight has decayed to nothing. */
static void drop_weak(cairn_graph_t *self)
{
    if (graph_is_dense(self)) {
        for (size_t e = 0; e < self->memory.n_links; ++e) {
            if (self->memory.weight[e] > 0 && self->memory.weight[e] < WEIGHT_LEAST) {
                self->memory.weight[e] = 0;
                --self->n_links;
            }
        }
        return;
    }
    if (!graph_has_rows(self)) {
        for (uint32_t e = self->n_links; e-- > 0;) {
            if (self->memory.weight[e] < WEIGHT_LEAST) {
                cairn_graph_drop_list(self, e);
            }
        }
        cairn_graph_restore_heap(self);
        return;
    }
    for (uint32_t i = 0; i < self->ids.n_ids; ++i) {
        const cairn_real *row = self->memory.weight + (size_t)i * self->row_slots;
        for (uint32_t slot = self->memory.fill[i]; slot-- > 0;) {
            if (row[slot] < WEIGHT_LEAST) {
                cairn_graph_drop_row_slot(self, i, slot);
            }
        }
    }
}

static void scale_weights(cairn_graph_t *self)
{
    const size_t n_list = graph_is_dense(self) ? self->memory.n_links : self->n_links;

    for (uint32_t i = 0; i < self->ids.n_ids && graph_has_rows(self); ++i) {
        for (uint32_t slot = 0; slot < self->memory.fill[i]; ++slot) {
            self->memory.weight[(size_t)i * self->row_slots + slot] *= OCTAVE_BACK;
        }
    }
    for (size_t e = 0; e < n_list && !graph_has_rows(self); ++e) {
        self->memory.weight[e] *= OCTAVE_BACK;
        if (self->cfg->policy == CAIRN_GRAPH_PRIORITY) {
            self->memory.key[e] *= OCTAVE_BACK;
        }
    }
}

void cairn_graph_rescale(cairn_graph_t *self)
{
    if (self->octave < OCTAVE_MAX) {
        return;
    }
    self->octave *= OCTAVE_BACK;
    self->threshold *= OCTAVE_BACK;
    if (self->cfg->policy == CAIRN_GRAPH_PRIORITY) {
        self->total *= OCTAVE_BACK;
        for (uint32_t i = 0; i < self->ids.n_ids; ++i) {
            self->memory.seen[i] *= OCTAVE_BACK;
        }
    }
    scale_weights(self);
    if (self->cfg->policy == CAIRN_GRAPH_WINDOW) {
        unroll_window(self);
    }
    drop_weak(self);
}
