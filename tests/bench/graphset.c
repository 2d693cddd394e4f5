/* SPDX-License-Identifier: MIT
 * Graphs with known groups: tables of links, folding, components, and links from points. */
#include "graphset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void graphset_free(graphset_t *self)
{
    free(self->a);
    free(self->b);
    free(self->weight);
    free(self->truth);
    free(self->point);
    memset(self, 0, sizeof *self);
}

void graphset_add(graphset_t *self, uint32_t a, uint32_t b, double weight)
{
    size_t capacity = self->capacity;
    self->a = memory_grow(self->a, &capacity, self->n_links + 1, sizeof *self->a);
    capacity = self->capacity;
    self->b = memory_grow(self->b, &capacity, self->n_links + 1, sizeof *self->b);
    self->weight = memory_grow(self->weight, &self->capacity, self->n_links + 1, sizeof *self->weight);
    self->a[self->n_links] = a < b ? a : b;
    self->b[self->n_links] = a < b ? b : a;
    self->weight[self->n_links] = weight < 0 ? 1 : weight;
    self->weighted = self->weighted || !(weight < 0);
    self->n_links++;
}

typedef struct link {
    uint64_t key;
    double weight;
} link_t;

static int compare_links(const void *left, const void *right)
{
    uint64_t a = ((const link_t *)left)->key;
    uint64_t b = ((const link_t *)right)->key;
    return a < b ? -1 : a > b ? 1 : 0;
}

void graphset_fold(graphset_t *self)
{
    link_t *links = memory_zeroed(self->n_links, sizeof *links);
    for (size_t e = 0; e < self->n_links; e++) {
        links[e].key = (uint64_t)self->a[e] << 32 | self->b[e];
        links[e].weight = self->weight[e];
    }
    qsort(links, self->n_links, sizeof *links, compare_links);
    size_t kept = 0;
    for (size_t e = 0; e < self->n_links; e++) {
        if (e > 0 && links[e].key == links[e - 1].key) {
            continue;
        }
        self->a[kept] = (uint32_t)(links[e].key >> 32);
        self->b[kept] = (uint32_t)links[e].key;
        self->weight[kept] = links[e].weight;
        kept++;
    }
    self->n_links = kept;
    free(links);
}

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

void graphset_keep_giant(graphset_t *self)
{
    uint32_t *parent = memory_zeroed(self->n_nodes, sizeof *parent);
    uint32_t *size = memory_zeroed(self->n_nodes, sizeof *size);
    uint32_t *index = memory_zeroed(self->n_nodes, sizeof *index);
    for (uint32_t i = 0; i < self->n_nodes; i++) {
        parent[i] = i;
    }
    for (size_t e = 0; e < self->n_links; e++) {
        parent[find_root(parent, self->a[e])] = find_root(parent, self->b[e]);
    }
    uint32_t giant = 0;
    for (uint32_t i = 0; i < self->n_nodes; i++) {
        size[find_root(parent, i)]++;
    }
    for (uint32_t i = 0; i < self->n_nodes; i++) {
        giant = size[i] > size[giant] ? i : giant;
    }
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < self->n_nodes; i++) {
        if (find_root(parent, i) == giant) {
            index[i] = n_kept;
            self->truth[n_kept++] = self->truth[i];
        }
    }
    size_t kept = 0;
    for (size_t e = 0; e < self->n_links; e++) {
        if (find_root(parent, self->a[e]) == giant) {
            self->a[kept] = index[self->a[e]];
            self->b[kept] = index[self->b[e]];
            self->weight[kept] = self->weight[e];
            kept++;
        }
    }
    self->n_links = kept;
    self->n_nodes = n_kept;
    free(parent);
    free(size);
    free(index);
}

graphset_t graphset_choose(const graphset_t *self, const size_t *index, size_t n)
{
    graphset_t chosen = {0};
    chosen.n_nodes = n;
    chosen.dim = self->dim;
    chosen.k = self->k;
    chosen.truth = memory_zeroed(n, sizeof *chosen.truth);
    chosen.point = memory_zeroed(n * self->dim, sizeof *chosen.point);
    for (size_t i = 0; i < n; i++) {
        chosen.truth[i] = self->truth[index[i]];
        memcpy(chosen.point + i * self->dim, self->point + index[i] * self->dim, self->dim * sizeof(double));
    }
    return chosen;
}

static double dot(const graphset_t *self, size_t i, size_t j)
{
    double sum = 0;
    for (size_t c = 0; c < self->dim; c++) {
        sum += self->point[i * self->dim + c] * self->point[j * self->dim + c];
    }
    return sum;
}

static double square(const graphset_t *self, size_t i, size_t j)
{
    double sum = 0;
    for (size_t c = 0; c < self->dim; c++) {
        double difference = self->point[i * self->dim + c] - self->point[j * self->dim + c];
        sum += difference * difference;
    }
    return sum;
}

void graphset_cosine(graphset_t *self)
{
    for (uint32_t i = 0; i < self->n_nodes; i++) {
        for (uint32_t j = i + 1; j < self->n_nodes; j++) {
            double weight = dot(self, i, j) / sqrt(dot(self, i, i) * dot(self, j, j));
            if (weight > 0) {
                graphset_add(self, i, j, weight);
            }
        }
    }
}

void graphset_gaussian(graphset_t *self, double sigma, double least)
{
    for (uint32_t i = 0; i < self->n_nodes; i++) {
        for (uint32_t j = i + 1; j < self->n_nodes; j++) {
            double weight = exp(-square(self, i, j) / (2 * sigma * sigma));
            if (weight >= least && weight > 0) {
                graphset_add(self, i, j, weight);
            }
        }
    }
}

void graphset_nearest(graphset_t *self, size_t n_nearest)
{
    double *best = memory_zeroed(n_nearest + 1, sizeof *best);
    uint32_t *who = memory_zeroed(n_nearest + 1, sizeof *who);
    for (uint32_t i = 0; i < self->n_nodes; i++) {
        size_t n = 0;
        for (uint32_t j = 0; j < self->n_nodes; j++) {
            double d = square(self, i, j);
            if (j == i || (n == n_nearest && !(d < best[n - 1]))) {
                continue;
            }
            size_t at = n < n_nearest ? n++ : n - 1;
            for (; at > 0 && best[at - 1] > d; at--) {
                best[at] = best[at - 1];
                who[at] = who[at - 1];
            }
            best[at] = d;
            who[at] = j;
        }
        for (size_t c = 0; c < n; c++) {
            graphset_add(self, i, who[c], -1);
        }
    }
    free(best);
    free(who);
    graphset_fold(self);
}
