/* SPDX-License-Identifier: MIT
 * Made-up feature vectors near a random subspace, errors of an embedding of them, and slow references. */
#include "subspace.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { N_SAMPLES = 5, SAMPLE = 1000, STEPS_MAX = 1000, LITERAL_ROUNDS = 10 };

static double draw_uniform(cairn_rng_t *rng) { return ((double)cairn_rng_next(rng) + 0.5) / 4294967296.0; }

static double draw_normal(cairn_rng_t *rng)
{
    return sqrt(-2 * log(draw_uniform(rng))) * cos(6.283185307179586 * draw_uniform(rng));
}

static double *draw_basis(const subspace_cfg_t *cfg, cairn_rng_t *rng)
{
    double *basis = memory_zeroed(cfg->k * cfg->d, sizeof *basis);
    for (size_t a = 0; a < cfg->k; a++) {
        double square = 0;
        for (size_t b = 0; b < cfg->d; b++) {
            basis[a * cfg->d + b] = draw_normal(rng);
            square += basis[a * cfg->d + b] * basis[a * cfg->d + b];
        }
        for (size_t b = 0; b < cfg->d; b++) {
            basis[a * cfg->d + b] /= sqrt(square);
        }
    }
    return basis;
}

cairn_real *subspace_draw(const subspace_cfg_t *cfg)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, cfg->seed, 101);
    double *basis = draw_basis(cfg, &rng);
    double *centre = memory_zeroed(cfg->n_clusters * cfg->k + 1, sizeof *centre);
    double *row = memory_zeroed(cfg->d, sizeof *row);
    cairn_real *points = memory_zeroed(cfg->n * cfg->d, sizeof *points);
    for (size_t i = 0; i < cfg->n_clusters * cfg->k; i++) {
        centre[i] = 2 * draw_uniform(&rng) - 1;
    }
    for (size_t i = 0; i < cfg->n; i++) {
        memset(row, 0, cfg->d * sizeof *row);
        for (size_t a = 0; a < cfg->k; a++) {
            double coefficient = 2 * draw_uniform(&rng) - 1;
            if (cfg->n_clusters > 0) {
                coefficient = centre[i * cfg->n_clusters / cfg->n * cfg->k + a] + 0.3 * coefficient;
            }
            for (size_t b = 0; b < cfg->d; b++) {
                row[b] += coefficient * basis[a * cfg->d + b];
            }
        }
        for (size_t b = 0; b < cfg->d; b++) {
            points[i * cfg->d + b] = (cairn_real)(row[b] + cfg->sigma * draw_normal(&rng));
        }
    }
    free(basis);
    free(centre);
    free(row);
    return points;
}

static double square_between(const cairn_real *p, const cairn_real *q, size_t d)
{
    double lanes[4] = {0, 0, 0, 0};
    size_t a = 0;
    for (; a + 4 <= d; a += 4) {
        for (size_t l = 0; l < 4; l++) {
            double difference = (double)p[a + l] - (double)q[a + l];
            lanes[l] += difference * difference;
        }
    }
    for (; a < d; a++) {
        double difference = (double)p[a] - (double)q[a];
        lanes[0] += difference * difference;
    }
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/* Sums over the pairs of one sample. */
static void measure_sample(const cairn_real *points, size_t d, const cairn_real *places, size_t k, const size_t *id,
                           subspace_error_t *error)
{
    size_t n_pairs = (size_t)SAMPLE * (SAMPLE - 1) / 2;
    double *pair = memory_zeroed(2 * n_pairs, sizeof *pair);
    double ratio = 0, ratio_square = 0, scaled = 0, plain = 0, square = 0;
    size_t p = 0;
    for (size_t i = 0; i < SAMPLE; i++) {
        for (size_t j = 0; j < i; j++, p++) {
            double dd = square_between(points + id[i] * d, points + id[j] * d, d);
            double ff = square_between(places + id[i] * k, places + id[j] * k, k);
            pair[2 * p] = sqrt(dd);
            pair[2 * p + 1] = sqrt(ff);
            ratio += dd > 0 ? sqrt(ff / dd) : 0;
            ratio_square += dd > 0 ? ff / dd : 0;
        }
    }
    for (p = 0; p < n_pairs; p++) {
        double e = pair[2 * p] - ratio / ratio_square * pair[2 * p + 1];
        scaled += 2 * e * e;
        plain += (pair[2 * p] - pair[2 * p + 1]) * (pair[2 * p] - pair[2 * p + 1]);
        square += pair[2 * p] * pair[2 * p];
    }
    error->scaled += sqrt(scaled) / SAMPLE / N_SAMPLES;
    error->stress += sqrt(plain / square) / N_SAMPLES;
    free(pair);
}

subspace_error_t subspace_measure(const cairn_real *points, size_t n, size_t d, const cairn_real *places, size_t k,
                                  uint64_t seed)
{
    subspace_error_t error = {0, 0};
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, 102);
    for (int sample = 0; sample < N_SAMPLES; sample++) {
        size_t id[SAMPLE];
        for (size_t i = 0; i < SAMPLE; i++) {
            id[i] = cairn_rng_below(&rng, (uint32_t)n);
        }
        measure_sample(points, d, places, k, id, &error);
    }
    return error;
}

/* Guttman transform of x into y; returns the raw stress of x. */
static double guttman(const double *distance, const double *x, double *y, size_t n, size_t k)
{
    double stress = 0;
    memset(y, 0, n * k * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double square = 0;
            const double *p = x + i * k;
            const double *q = x + j * k;
            for (size_t a = 0; a < k; a++) {
                square += (p[a] - q[a]) * (p[a] - q[a]);
            }
            double f = sqrt(square);
            double d = distance[i * n + j];
            double factor = f > 0 ? d / f / (double)n : 0;
            stress += (f - d) * (f - d);
            for (size_t a = 0; a < k; a++) {
                double move = factor * (p[a] - q[a]);
                y[i * k + a] += move;
                y[j * k + a] -= move;
            }
        }
    }
    return stress;
}

size_t subspace_smacof(const cairn_real *points, size_t n, size_t d, cairn_real *places, size_t k)
{
    double *distance = memory_zeroed(n * n, sizeof *distance);
    double *x = memory_zeroed(n * k, sizeof *x);
    double *y = memory_zeroed(n * k, sizeof *y);
    double last = HUGE_VAL;
    size_t step = 0;
    for (size_t i = 0; i < n * n; i++) {
        distance[i] = i % n < i / n ? sqrt(square_between(points + i / n * d, points + i % n * d, d)) : 0;
    }
    for (size_t i = 0; i < n * k; i++) {
        x[i] = (double)places[i];
    }
    for (bool done = false; step < STEPS_MAX && !done; step++) {
        double stress = guttman(distance, x, y, n, k);
        done = step > 5 && step % 5 == 0 && last - stress < 1e-7 * stress;
        last = stress;
        for (size_t i = 0; i < n * k; i++) { /* relaxed, but each fifth step plain, so that the scale settles */
            x[i] = done ? x[i] : step % 5 == 4 ? y[i] : 2 * y[i] - x[i];
        }
    }
    for (size_t i = 0; i < n * k; i++) {
        places[i] = (cairn_real)x[i];
    }
    free(distance);
    free(x);
    free(y);
    return step;
}

/* Ten rounds of projecting on the landmarks' spheres and taking the centre. */
static void place_literal(const cairn_real *range, const cairn_real *image, size_t l, size_t k, cairn_real *x)
{
    double sum[128];
    size_t nearest = 0;
    for (size_t j = 0; j < l; j++) {
        nearest = range[j] < range[nearest] ? j : nearest;
    }
    memcpy(x, image + nearest * k, k * sizeof *x);
    for (int round = 0; round < LITERAL_ROUNDS; round++) {
        memset(sum, 0, sizeof sum);
        for (size_t j = 0; j < l; j++) {
            const cairn_real *y = image + j * k;
            double f = sqrt(square_between(x, y, k));
            double factor = f > 0 ? (double)range[j] / f : 0;
            for (size_t a = 0; a < k; a++) {
                sum[a] += (double)y[a] + factor * (double)(x[a] - y[a]);
            }
        }
        for (size_t a = 0; a < k; a++) {
            x[a] = (cairn_real)(sum[a] / (double)l);
        }
    }
}

void subspace_literal(const cairn_real *points, size_t n, size_t d, size_t l, size_t n_passes, cairn_real *places,
                      size_t k)
{
    cairn_real *source = memory_zeroed(l * d, sizeof *source);
    cairn_real *image = memory_zeroed(l * k, sizeof *image);
    cairn_real *range = memory_zeroed(l, sizeof *range);
    uint64_t n_offered = l;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 1, 103);
    memcpy(source, points, l * d * sizeof *source);
    for (size_t a = 0; a < k; a++) {
        for (size_t b = 0; b < d; b++) {
            double entry = draw_normal(&rng) / sqrt((double)k);
            for (size_t j = 0; j < l; j++) {
                image[j * k + a] += (cairn_real)(entry * (double)points[j * d + b]);
            }
        }
    }
    for (size_t i = 0; i < n * n_passes; i++) {
        const cairn_real *p = points + i % n * d;
        cairn_real *x = places + i % n * k;
        for (size_t j = 0; j < l; j++) {
            range[j] = (cairn_real)sqrt(square_between(p, source + j * d, d));
        }
        place_literal(range, image, l, k, x);
        n_offered++;
        size_t slot = cairn_rng_below(&rng, (uint32_t)n_offered);
        if (slot < l) {
            memcpy(source + slot * d, p, d * sizeof *p);
            memcpy(image + slot * k, x, k * sizeof *x);
        }
    }
    free(source);
    free(image);
    free(range);
}
