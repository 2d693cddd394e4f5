/* SPDX-License-Identifier: MIT
 * Seal: from stored pairs to rows, in place. The pairs are heap sorted (Knuth 5.2.3) by (a, b, range), so that the rows
 * do not depend on the order of arrival; repeated pairs are folded; the upper half rows are closed up to the front
 * and their transpose, the lower half rows, is counted into the room behind. */
#include "locate/network_internal.h"

#define RESOLUTION_SHARE 0.01f /* of the mean range that one step of cairn_real may span */

/* One stored range: link {b, range} and link {a, unused}. */
typedef struct pair {
    cairn_link_t upper;
    cairn_link_t lower;
} pair_t;

static pair_t get_pair(const cairn_link_t *links, size_t k)
{
    const pair_t pair = {links[2 * k], links[2 * k + 1]};
    return pair;
}

static void put_pair(cairn_link_t *links, size_t k, const pair_t *pair)
{
    links[2 * k] = pair->upper;
    links[2 * k + 1] = pair->lower;
}

static bool comes_before(const pair_t *x, const pair_t *y)
{
    const uint32_t xa = x->lower.node_and_std;
    const uint32_t ya = y->lower.node_and_std;
    const uint32_t xb = cairn_link_node(&x->upper);
    const uint32_t yb = cairn_link_node(&y->upper);

    if (xa != ya) {
        return xa < ya;
    }
    if (xb != yb) {
        return xb < yb;
    }
    if (x->upper.range_m < y->upper.range_m || y->upper.range_m < x->upper.range_m) {
        return x->upper.range_m < y->upper.range_m;
    }
    return x->upper.node_and_std < y->upper.node_and_std;
}

/* Let `pair` sink from the hole at `root` of a heap of n. */
static void sift_down(cairn_link_t *links, size_t root, size_t n, pair_t pair)
{
    for (size_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        pair_t larger = get_pair(links, child);
        if (child + 1 < n) {
            const pair_t other = get_pair(links, child + 1);
            if (comes_before(&larger, &other)) {
                larger = other;
                ++child;
            }
        }
        if (!comes_before(&pair, &larger)) {
            break;
        }
        put_pair(links, root, &larger);
        root = child;
    }
    put_pair(links, root, &pair);
}

static void sort_pairs(cairn_link_t *links, size_t n)
{
    for (size_t root = n / 2; root-- > 0;) {
        sift_down(links, root, n, get_pair(links, root));
    }
    for (size_t last = n; last-- > 1;) {
        const pair_t displaced = get_pair(links, last);
        const pair_t largest = get_pair(links, 0);
        sift_down(links, 0, last, displaced);
        put_pair(links, last, &largest);
    }
}

/* Fold the run of equal pairs that starts at k into one link; returns where the next run starts. */
static size_t fold_run(const cairn_network_t *self, size_t k, cairn_link_t *folded)
{
    const pair_t first = get_pair(self->memory.links, k);
    cairn_real weight_sum = 0;
    cairn_real range_sum = 0;
    size_t end = k;

    for (; end < self->n_ranges; ++end) {
        const pair_t pair = get_pair(self->memory.links, end);
        cairn_real weight;
        if (pair.lower.node_and_std != first.lower.node_and_std ||
            cairn_link_node(&pair.upper) != cairn_link_node(&first.upper)) {
            break;
        }
        weight = 1 / cairn_network_variance(self, &pair.upper, pair.upper.range_m);
        weight_sum += weight;
        range_sum += weight * pair.upper.range_m;
    }
    *folded = first.upper;
    if (end - k > 1) {
        folded->range_m = range_sum / weight_sum;
        folded->node_and_std = cairn_link_node(&first.upper) | cairn_network_encode_std(1 / cairn_sqrt(weight_sum))
                                                                   << LINK_STD_SHIFT;
    }
    return end;
}

/* Close the sorted pairs up to upper rows at the front of the links; returns the number of distinct pairs. */
static uint32_t close_upper_rows(cairn_network_t *self)
{
    uint32_t *rows = self->memory.rows;
    uint32_t n_distinct = 0;
    uint32_t row = 0;

    for (size_t k = 0; k < self->n_ranges;) {
        const uint32_t a = self->memory.links[2 * k + 1].node_and_std;
        cairn_link_t folded;
        k = fold_run(self, k, &folded);
        while (row <= a) {
            rows[row++] = n_distinct;
        }
        self->memory.links[n_distinct++] = folded; /* n_distinct < 2 k: only pairs already read are overwritten */
    }
    while (row <= self->n_nodes) {
        rows[row++] = n_distinct;
    }
    return n_distinct;
}

/* Transpose the upper rows into the lower rows behind them. Counting backwards through each row's end leaves the
 * starts in place; filling from the last row down keeps each lower row in ascending order. */
static void fill_lower_rows(cairn_network_t *self)
{
    const uint32_t *upper = self->memory.rows;
    uint32_t *lower = self->memory.rows + self->n_nodes + 1u;
    cairn_link_t *links = self->memory.links;

    for (uint32_t i = 0; i <= self->n_nodes; ++i) {
        lower[i] = 0;
    }
    for (uint32_t k = 0; k < self->n_ranges; ++k) {
        ++lower[cairn_link_node(&links[k])];
    }
    for (uint32_t i = 1; i <= self->n_nodes; ++i) {
        lower[i] += lower[i - 1u]; /* the end of row i */
    }
    for (uint32_t a = self->n_nodes; a-- > 0;) {
        for (uint32_t k = upper[a + 1u]; k-- > upper[a];) {
            const uint32_t b = cairn_link_node(&links[k]);
            cairn_link_t *mirror = &links[self->n_ranges + --lower[b]];
            mirror->node_and_std = a | (links[k].node_and_std & ~LINK_NODE_MASK);
            mirror->range_m = links[k].range_m;
        }
    }
}

/* Of an open or a sealed network. */
static cairn_real mean_range_m(const cairn_network_t *self)
{
    const cairn_link_t *link = self->memory.links;
    cairn_real sum_m = 0;

    for (uint32_t k = 0; k < self->n_ranges; ++k) {
        sum_m += link->range_m / (cairn_real)self->n_ranges;
        link += self->sealed ? 1 : 2;
    }
    return sum_m;
}

cairn_status cairn_network_seal(cairn_network_t *self)
{
    uint32_t n_distinct;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->n_ranges > 0 && self->coordinate_max_m * CAIRN_REAL_EPSILON > RESOLUTION_SHARE * mean_range_m(self)) {
        return CAIRN_ERR_RESOLUTION;
    }
    if (self->sealed) {
        return CAIRN_OK;
    }
    sort_pairs(self->memory.links, self->n_ranges);
    n_distinct = close_upper_rows(self);
    self->counters.n_merged += self->n_ranges - n_distinct;
    self->n_ranges = n_distinct;
    fill_lower_rows(self);
    self->sealed = true;
    return CAIRN_OK;
}
