/* SPDX-License-Identifier: MIT
 * Half rows: each link of a large batch graph once, in the row of its lower end, 2 or 4 bytes a link. Built in two
 * passes over the links (count, fill) without a second copy of them. */
#include "cairn/walk.h"

/* A row without weights, one column; wide is a constant where it is called. */
static inline void plain_row1(const cairn_half_t *self, uint32_t node, bool wide, const cairn_real *restrict x,
                              cairn_real *restrict y)
{
    const uint32_t end = self->start[node + 1u];
    const cairn_real own = x[node];
    cairn_real sum = 0;

    for (uint32_t e = self->start[node]; e < end; ++e) {
        const uint32_t other = wide ? self->other32[e] : self->other16[e];
        sum += x[other];
        y[other] += own;
    }
    y[node] += sum;
}

/* Four columns, written out: compilers then use one vector register for them. */
static inline void plain_row4(const cairn_half_t *self, uint32_t node, bool wide, const cairn_real *restrict x,
                              cairn_real *restrict y)
{
    const uint32_t end = self->start[node + 1u];
    const cairn_real own[4] = {x[4u * (size_t)node], x[4u * (size_t)node + 1u], x[4u * (size_t)node + 2u],
                               x[4u * (size_t)node + 3u]};
    cairn_real sum[4] = {0, 0, 0, 0};
    cairn_real *mine = y + 4u * (size_t)node;

    for (uint32_t e = self->start[node]; e < end; ++e) {
        const size_t at = 4u * (size_t)(wide ? self->other32[e] : self->other16[e]);
        const cairn_real *from = x + at;
        cairn_real *to = y + at;
        sum[0] += from[0];
        sum[1] += from[1];
        sum[2] += from[2];
        sum[3] += from[3];
        to[0] += own[0];
        to[1] += own[1];
        to[2] += own[2];
        to[3] += own[3];
    }
    mine[0] += sum[0];
    mine[1] += sum[1];
    mine[2] += sum[2];
    mine[3] += sum[3];
}

static void multiply(const cairn_walk_t *walk, uint32_t begin, uint32_t end, size_t n_columns, const cairn_real *x,
                     cairn_real *y)
{
    const cairn_half_t *self = walk->context;
    const bool wide = self->other32 != NULL;

    if (self->weight != NULL || (n_columns != 1 && n_columns != 4)) {
        cairn_walk_multiply_runs(walk, begin, end, n_columns, x, y);
        return;
    }
    for (uint32_t node = begin; node < end; ++node) {
        if (n_columns == 1) {
            wide ? plain_row1(self, node, true, x, y) : plain_row1(self, node, false, x, y);
        } else {
            wide ? plain_row4(self, node, true, x, y) : plain_row4(self, node, false, x, y);
        }
    }
}

static void half_run(const cairn_walk_t *walk, uint32_t part, cairn_run_t *run)
{
    const cairn_half_t *self = walk->context;
    const uint32_t first = self->start[part];

    memset(run, 0, sizeof *run);
    run->n = self->start[part + 1u] - first;
    run->node = part;
    run->other16 = self->other16 != NULL ? self->other16 + first : NULL;
    run->other32 = self->other32 != NULL ? self->other32 + first : NULL;
    run->weight = self->weight != NULL ? self->weight + first : NULL;
}

cairn_status cairn_half_walk(const cairn_half_t *self, cairn_walk_t *walk)
{
    if (self == NULL || walk == NULL || self->start == NULL || (self->other16 == NULL && self->other32 == NULL)) {
        return CAIRN_ERR_ARG;
    }
    memset(walk, 0, sizeof *walk);
    walk->n_nodes = self->n_nodes;
    walk->n_parts = self->n_nodes;
    walk->n_links = (cairn_real)self->start[self->n_nodes];
    walk->context = self;
    walk->run = half_run;
    walk->multiply = multiply;
    return CAIRN_OK;
}

cairn_status cairn_half_count(uint32_t *start, uint32_t n_nodes, const uint32_t *a, const uint32_t *b, size_t n_links)
{
    if (start == NULL || ((a == NULL || b == NULL) && n_links > 0)) {
        return CAIRN_ERR_ARG;
    }
    for (size_t e = 0; e < n_links; ++e) {
        if (a[e] >= n_nodes || b[e] >= n_nodes) {
            return CAIRN_ERR_UNKNOWN_ID;
        }
        if (a[e] == b[e]) {
            return CAIRN_ERR_SELF;
        }
        ++start[a[e] < b[e] ? a[e] : b[e]];
    }
    return CAIRN_OK;
}

void cairn_half_starts(uint32_t *start, uint32_t n_nodes)
{
    for (uint32_t i = 1; i < n_nodes; ++i) {
        start[i] += start[i - 1u];
    }
    start[n_nodes] = n_nodes > 0 ? start[n_nodes - 1u] : 0;
}

void cairn_half_fill(uint32_t *start, const uint32_t *a, const uint32_t *b, size_t n_links, uint16_t *other16,
                     uint32_t *other32)
{
    for (size_t e = n_links; e-- > 0;) { /* rows fill from their ends: backwards keeps the order of the links */
        const uint32_t low = a[e] < b[e] ? a[e] : b[e];
        const uint32_t place = --start[low];
        if (other16 != NULL) {
            other16[place] = (uint16_t)(a[e] < b[e] ? b[e] : a[e]);
        } else {
            other32[place] = a[e] < b[e] ? b[e] : a[e];
        }
    }
}
