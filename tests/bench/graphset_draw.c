/* SPDX-License-Identifier: MIT
 * Graphs with known groups: made-up ones. */
#include "graphset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/rng.h"
#include "memory.h"

static double uniform(cairn_rng_t *rng) { return (double)cairn_rng_next(rng) / 4294967296.0; }

static double normal(cairn_rng_t *rng)
{
    double radius = sqrt(-2 * log(1 - uniform(rng)));
    return radius * cos(6.283185307179586 * uniform(rng));
}

static void begin_points(graphset_t *self, size_t n_nodes, unsigned k)
{
    memset(self, 0, sizeof *self);
    self->n_nodes = n_nodes;
    self->k = k;
    self->dim = 2;
    self->truth = memory_zeroed(n_nodes, sizeof *self->truth);
    self->point = memory_zeroed(n_nodes * 2, sizeof *self->point);
}

void graphset_circles(graphset_t *self, uint64_t seed)
{
    static const double radius[] = {.2, 1, 2};
    static const size_t size[] = {40, 100, 160};
    cairn_rng_t rng;
    size_t i = 0;
    begin_points(self, 300, 3);
    cairn_rng_init(&rng, seed, 11);
    for (uint8_t c = 0; c < 3; c++) {
        for (size_t j = 0; j < size[c]; j++, i++) {
            double angle = 6.283185307179586 * uniform(&rng);
            self->truth[i] = c;
            self->point[2 * i] = radius[c] * cos(angle) + .05 * normal(&rng);
            self->point[2 * i + 1] = radius[c] * sin(angle) + .05 * normal(&rng);
        }
    }
    graphset_gaussian(self, .2, 1e-12);
}

void graphset_blobs(graphset_t *self, size_t n_nodes, unsigned k, double spread, uint64_t seed)
{
    cairn_rng_t rng;
    begin_points(self, n_nodes, k);
    cairn_rng_init(&rng, seed, 13);
    for (size_t i = 0; i < n_nodes; i++) {
        double angle = 6.283185307179586 * (double)(i % k) / k;
        self->truth[i] = (uint8_t)(i % k);
        self->point[2 * i] = cos(angle) + spread * normal(&rng);
        self->point[2 * i + 1] = sin(angle) + spread * normal(&rng);
    }
}

/* Groups are interleaved: node i is in group i mod k. */
static void draw_link(cairn_rng_t *rng, size_t n_nodes, unsigned k, double e, uint32_t *a, uint32_t *b)
{
    uint32_t groups = (uint32_t)(n_nodes / k);
    *a = cairn_rng_below(rng, (uint32_t)n_nodes);
    unsigned group = *a % k;
    if (uniform(rng) < e) {
        group = (group + 1 + cairn_rng_below(rng, k - 1)) % k;
    }
    *b = cairn_rng_below(rng, groups) * k + group;
}

void graphset_planted(graphset_t *self, size_t n_nodes, unsigned k, size_t n_links, double e, uint64_t seed)
{
    cairn_rng_t rng;
    memset(self, 0, sizeof *self);
    cairn_rng_init(&rng, seed, 17);
    self->n_nodes = n_nodes;
    self->k = k;
    self->truth = memory_zeroed(n_nodes, sizeof *self->truth);
    for (size_t i = 0; i < n_nodes; i++) {
        self->truth[i] = (uint8_t)(i % k);
    }
    for (size_t i = 0; i < n_links; i++) {
        uint32_t a = 0;
        uint32_t b = 0;
        do {
            draw_link(&rng, n_nodes, k, e, &a, &b);
        } while (a == b);
        graphset_add(self, a, b, -1);
    }
    graphset_fold(self);
}

void graphset_planted_fast(graphset_t *self, size_t n_nodes, size_t n_links, double e, uint64_t seed)
{
    cairn_rng_t rng;
    memset(self, 0, sizeof *self);
    cairn_rng_init(&rng, seed, 19);
    self->n_nodes = n_nodes;
    self->k = 2;
    self->n_links = n_links;
    self->a = memory_zeroed(n_links, sizeof *self->a);
    self->b = memory_zeroed(n_links, sizeof *self->b);
    self->truth = memory_zeroed(n_nodes, sizeof *self->truth);
    for (size_t i = 0; i < n_nodes; i++) {
        self->truth[i] = (uint8_t)(i % 2);
    }
    for (size_t i = 0; i < n_links; i++) {
        uint32_t a = 0;
        uint32_t b = 0;
        do {
            draw_link(&rng, n_nodes, 2, e, &a, &b);
        } while (a == b);
        self->a[i] = a < b ? a : b;
        self->b[i] = a < b ? b : a;
    }
}
