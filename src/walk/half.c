/* SPDX-License-Identifier: MIT
 * Half rows: each link of a large batch graph once, in the row of its lower end, 2 or 4 bytes a link. Built in two
 * passes over the links (count, fill) without a second copy of them. */
#include "cairn/walk.h"

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
    walk->multiply = cairn_walk_multiply_runs;
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
