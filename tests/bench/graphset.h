/* SPDX-License-Identifier: MIT
 * Graphs with known groups: data sets, when they are there, and made-up ones. Independent of cairn_real. */
#ifndef BENCH_GRAPHSET_H
#define BENCH_GRAPHSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct graphset {
    size_t n_nodes;
    size_t n_links;
    size_t capacity;
    uint32_t *a; /* [n_links] each pair once, a < b */
    uint32_t *b;
    double *weight; /* [n_links] */
    bool weighted;  /* false: all links count 1 */
    uint8_t *truth; /* [n_nodes] */
    unsigned k;
    double *point; /* [n_nodes x dim], NULL: links were given */
    size_t dim;
} graphset_t;

void graphset_free(graphset_t *self);
/* Add a link; a weight below 0: plain. */
void graphset_add(graphset_t *self, uint32_t a, uint32_t b, double weight);

/* Sort links by (a, b) and fold repeats into one (weights are not added). */
void graphset_fold(graphset_t *self);

/* Data sets; false: the file is not there. */
bool graphset_points(graphset_t *self, const char *name);               /* "iris", "pendigits": points and truth only */
bool graphset_links(graphset_t *self, const char *name, bool weighted); /* "karate", "polbooks", "polblogs" */

/* Keep the largest connected component. */
void graphset_keep_giant(graphset_t *self);

/* Choose some points, by index. */
graphset_t graphset_choose(const graphset_t *self, const size_t *index, size_t n);

/* Links from points: all pairs by cosine; all pairs by Gaussian above least; the n nearest of each, either way. */
void graphset_cosine(graphset_t *self);
void graphset_gaussian(graphset_t *self, double sigma, double least);
void graphset_nearest(graphset_t *self, size_t n_nearest);

/* Made-up graphs. */
void graphset_circles(graphset_t *self, uint64_t seed);
void graphset_blobs(graphset_t *self, size_t n_nodes, unsigned k, double spread, uint64_t seed);
/* k equal groups, `n_links` distinct links, a share e of them between groups. */
void graphset_planted(graphset_t *self, size_t n_nodes, unsigned k, size_t n_links, double e, uint64_t seed);
/* The same with repeats allowed, for huge graphs: no folding, nodes shuffled over the groups. */
void graphset_planted_fast(graphset_t *self, size_t n_nodes, size_t n_links, double e, uint64_t seed);

#endif
