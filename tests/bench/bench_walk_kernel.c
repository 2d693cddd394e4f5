/* SPDX-License-Identifier: MIT
 * Kernel features beside the kernel itself (Lin 2012, 8.6, with made-up sets of the same kinds): two Gaussian clouds, and
 * two parallel random walks, whose classes only a local similarity tells apart. MultiRankWalk, one point in twenty
 * known; each kernel at the best of its widths. Nothing is judged: which features serve depends on the data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/factor.h"
#include "cairn/kernel.h"
#include "cairn/rng.h"
#include "cairn/spread.h"
#include "memory.h"
#include "walk_rows.h"

enum {
    N_POINTS = 200,
    N_SETS = 12,
    N_SEEDS = 5,
    DEGREE = 4,
    TAYLOR = 15,
    FOURIER = 16,
    GRIDS = 16,
    CELLS = 2048,
    UNKNOWN = 255
};

typedef enum kernel { EXACT, TAYLOR_FEATURES, FOURIER_FEATURES, BINS, N_KERNELS } kernel_t;

static const double widths[] = {.03, .06, .12, .25, .5, 1};
enum { N_WIDTHS = sizeof widths / sizeof widths[0] };

static double uniform(cairn_rng_t *rng) { return ((double)cairn_rng_next(rng) + .5) / 4294967296.0; }

static double normal(cairn_rng_t *rng)
{
    double radius = sqrt(-2 * log(uniform(rng)));
    return radius * cos(6.283185307179586 * uniform(rng));
}

/* Points of both classes in turn, centred on their mean. */
static void draw_set(graphset_t *set, bool walks, uint64_t seed)
{
    cairn_rng_t rng;
    double mean[2] = {0, 0};
    memset(set, 0, sizeof *set);
    set->n_nodes = N_POINTS;
    set->k = 2;
    set->dim = 2;
    set->truth = memory_zeroed(N_POINTS, 1);
    set->point = memory_zeroed((size_t)N_POINTS * 2, sizeof *set->point);
    cairn_rng_init(&rng, seed, 83);
    double turn = 6.283185307179586 * uniform(&rng);
    double centre[2][2] = {{uniform(&rng), uniform(&rng)}, {uniform(&rng), uniform(&rng)}};
    double at[2] = {0, 0};
    for (size_t i = 0; i < N_POINTS; i++) {
        size_t c = i % 2;
        double *x = set->point + 2 * i;
        set->truth[i] = (uint8_t)c;
        if (!walks) {
            x[0] = centre[c][0] + .15 * normal(&rng);
            x[1] = centre[c][1] + .15 * normal(&rng);
        } else {
            if (c == 0) { /* both walk the same way, side by side */
                at[0] += .02 * cos(turn) + .02 * normal(&rng);
                at[1] += .02 * sin(turn) + .02 * normal(&rng);
            }
            x[0] = at[0] - (c == 0 ? 0 : .3) * sin(turn);
            x[1] = at[1] + (c == 0 ? 0 : .3) * cos(turn);
        }
        mean[0] += x[0] / N_POINTS;
        mean[1] += x[1] / N_POINTS;
    }
    for (size_t i = 0; i < (size_t)N_POINTS * 2; i++) {
        set->point[i] -= mean[i % 2];
    }
}

static double spread_f1(const graphset_t *set, const cairn_walk_t *walk, uint64_t draw)
{
    static cairn_real work[CAIRN_SPREAD_REALS(N_POINTS, 2, 0)];
    static uint8_t label[N_POINTS];
    const cairn_spread_memory_t memory = {work, CAIRN_SPREAD_REALS(N_POINTS, 2, 0), label, N_POINTS};
    cairn_spread_t spread;
    uint8_t seed[N_POINTS];
    cairn_rng_t rng;
    double sum = 0;
    cairn_rng_init(&rng, draw, 89);
    memset(seed, UNKNOWN, sizeof seed);
    for (unsigned n = 0; n < 2 * N_SEEDS;) {
        uint32_t i = cairn_rng_below(&rng, N_POINTS);
        if (set->truth[i] == n % 2 && seed[i] == UNKNOWN) {
            seed[i] = (uint8_t)(n++ % 2);
        }
    }
    if (cairn_spread_init(&spread, &cairn_spread_cfg_default, &memory, N_POINTS) != CAIRN_OK ||
        cairn_spread_begin(&spread, walk, seed, NULL, false) != CAIRN_OK) {
        abort();
    }
    while (cairn_spread_step(&spread, UINT32_MAX) == CAIRN_MORE) {
    }
    for (unsigned c = 0; c < 2; c++) {
        double hits = 0;
        double all = 0;
        for (size_t i = 0; i < N_POINTS; i++) {
            if (seed[i] == UNKNOWN) {
                hits += set->truth[i] == c && label[i] == c;
                all += (set->truth[i] == c) + (label[i] == c);
            }
        }
        sum += all > 0 ? hits / all : 0;
    }
    return sum;
}

static bool make_features(const double *point, kernel_t kernel, double width, cairn_real *value, uint16_t *feature)
{
    cairn_real x[2] = {(cairn_real)point[0], (cairn_real)point[1]};
    cairn_real size = (cairn_real)width;
    cairn_status status = kernel == TAYLOR_FEATURES    ? cairn_kernel_taylor(x, 2, DEGREE, size, value)
                          : kernel == FOURIER_FEATURES ? cairn_kernel_fourier(x, 2, size, 1, value, FOURIER)
                                                       : cairn_kernel_bins(x, 2, size, 1, GRIDS, CELLS, feature);
    return status == CAIRN_OK;
}

static double features_f1(const graphset_t *set, kernel_t kernel, double width, uint64_t draw)
{
    static cairn_real value[N_POINTS * 16];
    static uint16_t feature[N_POINTS * GRIDS];
    static uint32_t start[N_POINTS + 1];
    static cairn_real scratch[CAIRN_FACTOR_REALS(N_POINTS, CELLS, 1)];
    uint32_t n = kernel == TAYLOR_FEATURES ? TAYLOR : kernel == FOURIER_FEATURES ? FOURIER : GRIDS;
    cairn_factor_t factor = {CAIRN_FACTOR_INNER, N_POINTS, kernel == BINS ? CELLS : n, value, NULL, NULL, false};
    cairn_factor_walk_t memory;
    cairn_walk_t walk;
    for (uint32_t i = 0; i < N_POINTS; i++) {
        start[i + 1] = (i + 1) * n;
        for (uint32_t j = 0; j < n && kernel == BINS; j++) {
            value[i * n + j] = 1;
        }
        if (!make_features(set->point + (size_t)i * 2, kernel, width, value + (size_t)i * n, feature + (size_t)i * n)) {
            abort();
        }
    }
    factor.start = kernel == BINS ? start : NULL;
    factor.feature = kernel == BINS ? feature : NULL;
    if (cairn_factor_walk(&memory, &factor, scratch, sizeof scratch / sizeof scratch[0], 1, &walk) != CAIRN_OK) {
        abort();
    }
    return spread_f1(set, &walk, draw);
}

static double exact_f1(graphset_t *set, double width, uint64_t draw)
{
    walk_rows_t rows;
    set->n_links = 0;
    graphset_gaussian(set, width, 1e-12);
    walk_rows_build(&rows, set);
    double f1 = spread_f1(set, &rows.walk, draw);
    walk_rows_free(&rows);
    return f1;
}

void walk_bench_kernel(pic_bench_t *bench)
{
    static const char *const names[] = {"two clouds", "two walks"};
    for (int walks = 0; walks < 2; walks++) {
        double mean[N_KERNELS][N_WIDTHS] = {{0}};
        double best[N_KERNELS] = {0};
        for (uint64_t draw = 1; draw <= N_SETS; draw++) {
            graphset_t set;
            draw_set(&set, walks != 0, draw);
            for (size_t w = 0; w < N_WIDTHS; w++) {
                mean[EXACT][w] += exact_f1(&set, widths[w], draw) / N_SETS;
                for (kernel_t kernel = TAYLOR_FEATURES; kernel < N_KERNELS; kernel++) {
                    mean[kernel][w] += features_f1(&set, kernel, widths[w], draw) / N_SETS;
                }
            }
            graphset_free(&set);
        }
        for (size_t k = 0; k < N_KERNELS; k++) {
            for (size_t w = 0; w < N_WIDTHS; w++) {
                best[k] = mean[k][w] > best[k] ? mean[k][w] : best[k];
            }
        }
        output_print(bench->out, "features, %-10s kernel %.3f  taylor %.3f  fourier %.3f  bins %.3f\n", names[walks],
                     best[EXACT], best[TAYLOR_FEATURES], best[FOURIER_FEATURES], best[BINS]);
        output_flush(bench->out);
    }
}
