/* SPDX-License-Identifier: MIT
 * Full spectral clustering in double, the slow way: k leading eigenvectors of the walk by block iteration until they no
 * longer turn, then k-means with many starts. The oracle of the ten-class graphs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/rng.h"
#include "memory.h"
#include "pic_bench.h"

enum { ROUNDS_MAX = 20000, STARTS = 10, LLOYD = 200 };

typedef struct spectral {
    const graphset_t *graph;
    double *degree;
    double *x; /* [k][n] orthonormal, of D^-1/2 A D^-1/2 */
    double *y;
    size_t n;
    size_t k;
} spectral_t;

/* y = (I + D^-1/2 A D^-1/2) x / 2: eigenvalues from 0 to 1. */
static void multiply(const spectral_t *self, const double *x, double *y)
{
    const graphset_t *graph = self->graph;
    for (size_t i = 0; i < self->n; i++) {
        y[i] = 0.5 * x[i];
    }
    for (size_t e = 0; e < graph->n_links; e++) {
        uint32_t a = graph->a[e];
        uint32_t b = graph->b[e];
        double weight = 0.5 * (graph->weighted ? graph->weight[e] : 1) / sqrt(self->degree[a] * self->degree[b]);
        y[a] += weight * x[b];
        y[b] += weight * x[a];
    }
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* Gram-Schmidt; returns how far the block has turned: 1 - the smallest |cosine| of old and new columns. */
static void orthonormalise(spectral_t *self)
{
    size_t n = self->n;
    for (size_t c = 0; c < self->k; c++) {
        for (int twice = 0; twice < 2; twice++) {
            for (size_t d = 0; d < c; d++) {
                double along = dot(self->x + c * n, self->x + d * n, n);
                for (size_t i = 0; i < n; i++) {
                    self->x[c * n + i] -= along * self->x[d * n + i];
                }
            }
        }
        double length = sqrt(dot(self->x + c * n, self->x + c * n, n));
        for (size_t i = 0; i < n; i++) {
            self->x[c * n + i] /= length;
        }
    }
}

static void iterate(spectral_t *self, cairn_rng_t *rng)
{
    size_t n = self->n;
    double before = 0;
    for (size_t i = 0; i < n * self->k; i++) {
        self->x[i] = (double)cairn_rng_uniform(rng) - .5;
    }
    for (size_t i = 0; i < n; i++) {
        self->x[i] = sqrt(self->degree[i]);
    }
    orthonormalise(self);
    for (int round = 0; round < ROUNDS_MAX; round++) {
        double trace = 0;
        for (size_t c = 0; c < self->k; c++) {
            multiply(self, self->x + c * n, self->y + c * n);
            trace += dot(self->x + c * n, self->y + c * n, n);
        }
        memcpy(self->x, self->y, n * self->k * sizeof *self->x);
        orthonormalise(self);
        if (round % 50 == 49) {
            if (fabs(trace - before) < 1e-10) {
                break;
            }
            before = trace;
        }
    }
}

static double nearest(const spectral_t *self, const double *centre, size_t i, uint8_t *label)
{
    double least = HUGE_VAL;
    for (size_t c = 0; c < self->k; c++) {
        double sum = 0;
        for (size_t d = 0; d < self->k; d++) {
            double difference = self->y[i * self->k + d] - centre[c * self->k + d];
            sum += difference * difference;
        }
        if (sum < least) {
            least = sum;
            *label = (uint8_t)c;
        }
    }
    return least;
}

static void plus_plus(const spectral_t *self, cairn_rng_t *rng, double *centre, double *square)
{
    size_t k = self->k;
    for (size_t c = 0; c < k; c++) {
        double total = 0;
        for (size_t i = 0; i < self->n; i++) {
            square[i] = c == 0 ? 1 : square[i];
            total += square[i];
        }
        double left = (double)cairn_rng_uniform(rng) * total;
        size_t chosen = 0;
        for (size_t i = 0; i < self->n && left >= 0; i++) {
            left -= square[i];
            chosen = i;
        }
        memcpy(centre + c * k, self->y + chosen * k, k * sizeof *centre);
        for (size_t i = 0; i < self->n; i++) {
            double sum = 0;
            for (size_t d = 0; d < k; d++) {
                double difference = self->y[i * k + d] - centre[c * k + d];
                sum += difference * difference;
            }
            square[i] = c == 0 || sum < square[i] ? sum : square[i];
        }
    }
}

static double lloyd(const spectral_t *self, double *centre, uint8_t *label)
{
    size_t k = self->k;
    double spread = HUGE_VAL;
    double *sum = memory_zeroed(k * (k + 1), sizeof *sum);
    for (int round = 0; round < LLOYD; round++) {
        double now = 0;
        memset(sum, 0, k * (k + 1) * sizeof *sum);
        for (size_t i = 0; i < self->n; i++) {
            now += nearest(self, centre, i, &label[i]);
            sum[k * k + label[i]] += 1;
            for (size_t d = 0; d < k; d++) {
                sum[label[i] * k + d] += self->y[i * k + d];
            }
        }
        for (size_t c = 0; c < k * k; c++) {
            centre[c] = sum[k * k + c / k] > 0 ? sum[c] / sum[k * k + c / k] : centre[c];
        }
        if (!(now < spread)) {
            break;
        }
        spread = now;
    }
    free(sum);
    return spread;
}

double spectral_nmi(const graphset_t *graph, uint64_t seed)
{
    spectral_t self = {graph, NULL, NULL, NULL, graph->n_nodes, graph->k};
    cairn_rng_t rng;
    agreement_t agreement = {0, 0, 0, 0, 0};
    size_t n = self.n;
    cairn_rng_init(&rng, seed, 31);
    self.degree = memory_zeroed(n, sizeof *self.degree);
    self.x = memory_zeroed(n * self.k, sizeof *self.x);
    self.y = memory_zeroed(n * self.k, sizeof *self.y);
    for (size_t e = 0; e < graph->n_links; e++) {
        double weight = graph->weighted ? graph->weight[e] : 1;
        self.degree[graph->a[e]] += weight;
        self.degree[graph->b[e]] += weight;
    }
    iterate(&self, &rng);
    for (size_t i = 0; i < n; i++) { /* eigenvectors of the walk, a row a node; the first is constant */
        for (size_t c = 0; c < self.k; c++) {
            self.y[i * self.k + c] = self.x[c * n + i] / sqrt(self.degree[i]);
        }
    }
    uint8_t *label = memory_zeroed(n, 1);
    uint8_t *best = memory_zeroed(n, 1);
    double *centre = memory_zeroed(self.k * self.k, sizeof *centre);
    double *square = memory_zeroed(n, sizeof *square);
    double least = HUGE_VAL;
    for (int start = 0; start < STARTS; start++) {
        plus_plus(&self, &rng, centre, square);
        double spread = lloyd(&self, centre, label);
        if (spread < least) {
            least = spread;
            memcpy(best, label, n);
        }
    }
    agreement_measure(graph, best, &agreement);
    free(label);
    free(best);
    free(centre);
    free(square);
    free(self.degree);
    free(self.x);
    free(self.y);
    return agreement.nmi;
}
