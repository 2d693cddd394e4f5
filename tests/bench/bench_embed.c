/* SPDX-License-Identifier: MIT
 * cairn bench embed: streaming embedding beside SMACOF, incremental PCA, FastMap, landmark MDS and the thesis's form. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cairn/embed.h"
#include "cairn/fastmap.h"
#include "cairn/incremental_pca.h"
#include "exit_code.h"
#include "memory.h"
#include "output.h"
#include "stopwatch.h"
#include "subspace.h"

static const args_help_t help = {
    "cairn bench embed", "[OPTION...]",
    "Streams the thesis's data (k random unit vectors in R^d, coefficients uniform in [-1, 1], noise .1 in every\n"
    "dimension, n = 5000) through embed, and compares errors with slow and linear methods.\n",
    "errors are the thesis's scaled error, means of 5 samples of 1000 points\n"
    "parts\n"
    "  cells     R: random policy, R+S: with the smoother, after 1 and 2 passes; SMACOF on the first 1500 points; "
    "iPCA:\n"
    "            incremental PCA in batches of 100; FastMap; LMDS: landmark MDS; literal: the thesis's form (first "
    "seed).\n"
    "            Limits: R 1.12 and R+S 1.08 x SMACOF, both below the linear methods, pass 2 not above pass 1\n"
    "  order     streams sorted by cluster within 1.1 x of shuffled ones\n"
    "  outliers  10 % of all distances tripled, robust option, within 1.15 x of clean\n"
    "  growth    errors for n = 10000, 30000, 90000 within 5 %; time linear in n, l, d; memory as the macro says\n"
    "  speed     n = 5000, d = 500, k = 30, l = 300: one pass 3 x, two passes 1.5 x as fast as incremental PCA\n"
    "Exit code 1 when a row falls short.\n"};

static const char *const part_names[] = {"all", "cells", "order", "outliers", "growth", "speed", NULL};
enum { PART_ALL, PART_CELLS, PART_ORDER, PART_OUTLIERS, PART_GROWTH, PART_SPEED };
enum { N_POINTS = 5000, N_SMACOF = 1500, BATCH = 100, GUARD = 16 };

typedef struct cell {
    size_t d;
    size_t k;
    size_t l;
} cell_t;

static const cell_t cells[] = {{500, 30, 500}, {500, 30, 300}, {500, 30, 150}, {100, 30, 500},
                               {100, 5, 500},  {100, 5, 100},  {500, 50, 500}};

/* An embed object with memory of its own. */
typedef struct job {
    cairn_embed_cfg_t cfg;
    cairn_embed_memory_t memory;
    cairn_embed_t embed;
    double start_s; /* until the landmarks had their places */
    int n_passes;
    bool afresh; /* later passes place anew: the places of the first one are not worth keeping */
    bool intact; /* nothing was written beyond the memory it asked for */
} job_t;

static void job_begin(job_t *self, const cell_t *cell, const cairn_embed_policy_t *policy, uint64_t seed)
{
    memset(self, 0, sizeof *self);
    self->cfg = cairn_embed_cfg_default;
    self->cfg.n_features = (uint16_t)cell->d;
    self->cfg.dim = (uint16_t)cell->k;
    self->cfg.n_landmarks = (uint16_t)cell->l;
    self->cfg.policy = policy;
    self->cfg.store_distances = true;
    self->cfg.metric = &cairn_metric_euclidean_dot;
    self->cfg.seed = seed;
}

static bool job_open(job_t *self)
{
    size_t n = cairn_embed_reals(&self->cfg);
    self->memory.reals = memory_zeroed(n + GUARD, sizeof(cairn_real));
    self->memory.n_reals = n;
    self->memory.nearest = memory_zeroed(self->cfg.n_landmarks, sizeof(uint16_t));
    self->memory.n_nearest = self->cfg.n_landmarks;
    for (size_t i = 0; i < GUARD; i++) {
        self->memory.reals[n + i] = (cairn_real)(i + 1);
    }
    return cairn_embed_init(&self->embed, &self->cfg, &self->memory) == CAIRN_OK;
}

/* One pass over the points; the first landmarks get their places when they have them. */
static void job_pass(job_t *self, const cairn_real *points, const uint32_t *order, size_t n, cairn_real *places)
{
    size_t d = self->cfg.n_features;
    size_t k = self->cfg.dim;
    double begin_s = stopwatch_processor_s();
    for (size_t i = 0; i < n; i++) {
        size_t at = order != NULL ? order[i] : i;
        if (self->n_passes > 0 && !self->afresh) {
            (void)!cairn_embed_revise(&self->embed, points + at * d, places + at * k);
            continue;
        }
        if (cairn_embed_push(&self->embed, points + at * d, places + at * k) != CAIRN_MORE) {
            continue;
        }
        while (cairn_embed_step(&self->embed, 100000) == CAIRN_MORE) {
        }
        self->start_s = stopwatch_processor_s() - begin_s;
        for (size_t j = 0; j <= i; j++) {
            size_t landmark = order != NULL ? order[j] : j;
            (void)!cairn_embed_get_landmark(&self->embed, j, places + landmark * k);
        }
    }
    self->n_passes++;
}

static void job_close(job_t *self)
{
    self->intact = true;
    for (size_t i = 0; i < GUARD; i++) {
        self->intact =
            self->intact && !(fabsf((float)self->memory.reals[self->memory.n_reals + i] - (float)(i + 1)) > 0);
    }
    free(self->memory.reals);
    free(self->memory.nearest);
}

/* Fit and transform, as one does with it; returns processor seconds. */
static double run_pca(const cairn_real *points, size_t n, size_t d, size_t k, cairn_real *places)
{
    cairn_incremental_pca_t pca;
    size_t n_reals = CAIRN_INCREMENTAL_PCA_REALS(d, k, BATCH);
    cairn_real *reals = memory_zeroed(n_reals, sizeof *reals);
    double begin_s = stopwatch_processor_s();
    bool good = cairn_incremental_pca_init(&pca, d, k, BATCH, reals, n_reals) == CAIRN_OK;
    for (size_t i = 0; i < n && good; i++) {
        good = cairn_incremental_pca_add(&pca, points + i * d) == CAIRN_OK;
    }
    for (size_t i = 0; i < n && good; i++) {
        good = cairn_incremental_pca_place(&pca, points + i * d, places + i * k) == CAIRN_OK;
    }
    free(reals);
    return good ? stopwatch_processor_s() - begin_s : HUGE_VAL;
}

static void run_fastmap(const cairn_real *points, size_t n, const cell_t *cell, cairn_real *places)
{
    cairn_fastmap_t map;
    size_t n_reals = CAIRN_FASTMAP_REALS(cell->l, cell->k);
    cairn_real *reals = memory_zeroed(n_reals, sizeof *reals);
    uint16_t *pivot = memory_zeroed(2 * cell->k, sizeof *pivot);
    if (cairn_fastmap_init(&map, NULL, points, cell->l, cell->d, cell->k, reals, n_reals, pivot, 1) == CAIRN_OK) {
        for (size_t i = 0; i < n; i++) {
            (void)!cairn_fastmap_place(&map, points + i * cell->d, places + i * cell->k);
        }
    }
    free(reals);
    free(pivot);
}

enum { R1, R2, S1, S2, SMACOF, PCA, FASTMAP, LMDS, LITERAL, N_METHODS };

/* Errors of all methods on one data set. */
static void run_cell(const cell_t *cell, uint64_t seed, double error[N_METHODS], bool with_literal)
{
    subspace_cfg_t data = {N_POINTS, cell->d, cell->k, 0.1, 0, seed};
    cairn_real *points = subspace_draw(&data);
    cairn_real *places = memory_zeroed(N_POINTS * cell->k, sizeof *places);
    job_t job;
    for (int smooth = 0; smooth < 2; smooth++) {
        job_begin(&job, cell, &cairn_embed_random, seed);
        job.cfg.smoother = smooth != 0 ? &cairn_embed_smoother : NULL;
        for (int pass = job_open(&job) ? 0 : 2; pass < 2; pass++) {
            job_pass(&job, points, NULL, N_POINTS, places);
            error[2 * smooth + pass] = subspace_measure(points, N_POINTS, cell->d, places, cell->k, seed).scaled;
        }
        job_close(&job);
    }
    (void)run_pca(points, N_POINTS, cell->d, cell->k, places);
    error[PCA] = subspace_measure(points, N_POINTS, cell->d, places, cell->k, seed).scaled;
    (void)subspace_smacof(points, N_SMACOF, cell->d, places, cell->k);
    error[SMACOF] = subspace_measure(points, N_SMACOF, cell->d, places, cell->k, seed).scaled;
    run_fastmap(points, N_POINTS, cell, places);
    error[FASTMAP] = subspace_measure(points, N_POINTS, cell->d, places, cell->k, seed).scaled;
    job_begin(&job, cell, NULL, seed);
    job.cfg.rounds = 0;
    if (job_open(&job)) {
        job_pass(&job, points, NULL, N_POINTS, places);
    }
    job_close(&job);
    error[LMDS] = subspace_measure(points, N_POINTS, cell->d, places, cell->k, seed).scaled;
    if (with_literal) {
        subspace_literal(points, N_POINTS, cell->d, cell->l, 2, places, cell->k);
        error[LITERAL] = subspace_measure(points, N_POINTS, cell->d, places, cell->k, seed).scaled;
    }
    free(points);
    free(places);
}

static const char *judge(const double *e)
{
    double linear = fmin(e[PCA], fmin(e[FASTMAP], e[LMDS]));
    return e[R2] > 1.12 * e[SMACOF]         ? "falls short: R over SMACOF"
           : e[S2] > 1.08 * e[SMACOF]       ? "falls short: R+S over SMACOF"
           : fmax(e[R2], e[S2]) >= linear   ? "falls short: above a linear method"
           : e[R2] > e[R1] || e[S2] > e[S1] ? "falls short: pass 2 above pass 1"
                                            : "ok";
}

static size_t run_cells(output_t *out, uint64_t first, uint64_t n_seeds, uint64_t only)
{
    size_t n_short = 0;
    output_print(out,
                 "  d   k   l  seed   R T=1   R T=2  R+S T=1  R+S T=2  SMACOF   R/SM  R+S/SM    iPCA  FastMap    LMDS  "
                 "literal  verdict\n");
    for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++) {
        for (uint64_t seed = first; seed < first + n_seeds && (only == 0 || only == c + 1) && out->error == 0; seed++) {
            double e[N_METHODS] = {0};
            run_cell(&cells[c], seed, e, seed == first);
            const char *verdict = judge(e);
            n_short += strcmp(verdict, "ok") != 0;
            output_print(out, "%3zu  %2zu %3zu %4llu  %.4f  %.4f   %.4f   %.4f   %.4f  %.3f   %.3f  %.4f   %.4f  %.4f",
                         cells[c].d, cells[c].k, cells[c].l, (unsigned long long)seed, e[R1], e[R2], e[S1], e[S2],
                         e[SMACOF], e[R2] / e[SMACOF], e[S2] / e[SMACOF], e[PCA], e[FASTMAP], e[LMDS]);
            if (seed == first) {
                output_print(out, "   %.4f  %s\n", e[LITERAL], verdict);
            } else {
                output_print(out, "           %s\n", verdict);
            }
            output_flush(out);
        }
    }
    return n_short;
}

static uint32_t *draw_order(size_t n, bool shuffle, uint64_t seed)
{
    cairn_rng_t rng;
    uint32_t *order = memory_zeroed(n, sizeof *order);
    cairn_rng_init(&rng, seed, 104);
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
    }
    for (size_t i = n; shuffle && i-- > 1;) {
        size_t j = cairn_rng_below(&rng, (uint32_t)i + 1);
        uint32_t swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
    return order;
}

static size_t run_order(output_t *out, uint64_t first, uint64_t n_seeds)
{
    static const cell_t order_cells[] = {{100, 5, 100}, {500, 30, 150}};
    static const char *const names[] = {"fixed", "random", "max-min"};
    static const cairn_embed_policy_t *const policies[] = {NULL, &cairn_embed_random, &cairn_embed_maxmin};
    size_t n_short = 0;
    output_print(out, "\n10 clusters, one after another and shuffled, T = 2, mean of %llu seeds\n",
                 (unsigned long long)n_seeds);
    output_print(out, "  d   k   l  policy   shuffled  sorted  ratio  verdict\n");
    for (int c = 0; c < 2; c++) {
        const cell_t *cell = &order_cells[c];
        for (int policy = 0; policy < 3; policy++) {
            double mean[2] = {0, 0};
            for (uint64_t seed = 2 * first - 1; seed < 2 * (first + n_seeds) - 1; seed++) {
                bool shuffle = seed % 2 != 0;
                subspace_cfg_t data = {N_POINTS, cell->d, cell->k, 0.1, 10, (seed + 1) / 2};
                cairn_real *points = subspace_draw(&data);
                cairn_real *places = memory_zeroed(N_POINTS * cell->k, sizeof *places);
                uint32_t *order = draw_order(N_POINTS, shuffle, seed);
                job_t job;
                job_begin(&job, cell, policies[policy], seed);
                job.afresh = true;
                for (int pass = job_open(&job) ? 0 : 2; pass < 2; pass++) {
                    job_pass(&job, points, order, N_POINTS, places);
                }
                job_close(&job);
                mean[shuffle ? 0 : 1] +=
                    subspace_measure(points, N_POINTS, cell->d, places, cell->k, seed).scaled / (double)n_seeds;
                free(points);
                free(places);
                free(order);
            }
            bool good = policy == 0 || mean[1] <= 1.1 * mean[0];
            n_short += !good;
            output_print(out, "%3zu  %2zu %3zu  %-7s    %.4f  %.4f  %.3f  %s\n", cell->d, cell->k, cell->l,
                         names[policy], mean[0], mean[1], mean[1] / mean[0],
                         policy == 0 ? "(no limit)"
                         : good      ? "ok"
                                     : "falls short");
            output_flush(out);
        }
    }
    return n_short;
}

/* Euclidean, but a tenth of all pairs, by a hash of both, come out three times too long. */
static cairn_real spoiled(const void *context, const cairn_real *p, const cairn_real *q, size_t d)
{
    uint32_t a;
    uint32_t b;
    cairn_real distance;
    float first_p = (float)p[0];
    float first_q = (float)q[0];
    (void)context;
    memcpy(&a, &first_p, sizeof a);
    memcpy(&b, &first_q, sizeof b);
    uint32_t mixed = (a ^ b) * 2654435761u;
    mixed = (mixed ^ (mixed >> 15)) * 2246822519u;
    mixed ^= mixed >> 13;
    cairn_metric_euclidean.distances(&cairn_metric_euclidean, p, q, 1, d, d, &distance);
    return mixed % 10 == 0 ? 3 * distance : distance;
}

static size_t run_outliers(output_t *out, uint64_t first, uint64_t n_seeds)
{
    static const cell_t outlier_cells[] = {{500, 30, 500}, {100, 30, 500}, {100, 5, 500}, {500, 50, 500}};
    size_t n_short = 0;
    output_print(out, "\n10 %% of all distances, also between landmarks, tripled; T = 2, mean of %llu seeds\n",
                 (unsigned long long)n_seeds);
    output_print(out, "  d   k   l   clean  squared  redescend  ratio  verdict\n");
    for (int c = 0; c < 4; c++) {
        const cell_t *cell = &outlier_cells[c];
        double mean[3] = {0, 0, 0};
        for (uint64_t seed = 3 * first - 2; seed < 3 * (first + n_seeds) - 2; seed++) {
            int variant = (int)(seed % 3); /* clean least squares, spoiled least squares, spoiled robust */
            subspace_cfg_t data = {N_POINTS, cell->d, cell->k, 0.1, 0, (seed + 2) / 3};
            cairn_real *points = subspace_draw(&data);
            cairn_real *places = memory_zeroed(N_POINTS * cell->k, sizeof *places);
            cairn_metric_t metric;
            job_t job;
            job_begin(&job, cell, &cairn_embed_random, seed);
            (void)!cairn_metric_own(&metric, spoiled, NULL);
            job.cfg.metric = variant > 0 ? &metric : job.cfg.metric;
            job.cfg.robust = variant == 2 ? &cairn_embed_robust : NULL;
            for (int pass = job_open(&job) ? 0 : 2; pass < 2; pass++) {
                job_pass(&job, points, NULL, N_POINTS, places);
            }
            job_close(&job);
            mean[variant] +=
                subspace_measure(points, N_POINTS, cell->d, places, cell->k, seed).scaled / (double)n_seeds;
            free(points);
            free(places);
        }
        bool good = mean[2] <= 1.15 * mean[0];
        n_short += !good;
        output_print(out, "%3zu  %2zu %3zu  %.4f   %.4f     %.4f  %.3f  %s\n", cell->d, cell->k, cell->l, mean[0],
                     mean[1], mean[2], mean[2] / mean[0], good ? "ok" : "falls short");
        output_flush(out);
    }
    return n_short;
}

/* Processor seconds of one pass, without those until the landmarks had their places. */
static double time_pass(const cell_t *cell, size_t n, const cairn_embed_policy_t *policy, double *error)
{
    subspace_cfg_t data = {n, cell->d, cell->k, 0.1, 0, 1};
    cairn_real *points = subspace_draw(&data);
    cairn_real *places = memory_zeroed(n * cell->k, sizeof *places);
    double seconds = HUGE_VAL;
    job_t job;
    job_begin(&job, cell, policy, 1);
    double begin_s = stopwatch_processor_s();
    if (job_open(&job)) {
        job_pass(&job, points, NULL, n, places);
        seconds = stopwatch_processor_s() - begin_s - job.start_s;
    }
    job_close(&job);
    *error = subspace_measure(points, n, cell->d, places, cell->k, 1).scaled;
    free(points);
    free(places);
    return job.intact ? seconds : HUGE_VAL;
}

/* Twice as much takes twice as long; a part of the work does not depend on one of the three, and caches are finite. */
static size_t run_doubling(output_t *out)
{
    enum { N = 4000, N_REPEATS = 5, N_SHAPES = 4 };
    static const char *const names[] = {"", "points", "landmarks", "features"};
    static const cell_t shapes[] = {{400, 10, 200}, {400, 10, 200}, {400, 10, 400}, {800, 10, 200}};
    double least_s[N_SHAPES] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double unused;
    size_t n_short = 0;
    for (int repeat = 0; repeat < N_REPEATS; repeat++) { /* in turn: a slow moment of the machine meets all */
        for (int i = 0; i < N_SHAPES; i++) {
            size_t n = (size_t)(i == 1 ? 2 * N : N) + shapes[i].l;
            least_s[i] = fmin(least_s[i], time_pass(&shapes[i], n, NULL, &unused));
        }
    }
    for (int i = 1; i < N_SHAPES; i++) {
        double ratio = least_s[i] / least_s[0];
        bool good = ratio > 1.5 && ratio < 2.5;
        n_short += !good;
        output_print(out, "time for twice the %-9s %.2f x  %s\n", names[i], ratio, good ? "ok" : "falls short");
    }
    return n_short;
}

static size_t judge_memory(output_t *out)
{
    cairn_embed_cfg_t cfg = cairn_embed_cfg_default;
    cfg.n_features = 12;
    cfg.dim = 2;
    cfg.n_landmarks = 32;
    size_t bare = cairn_embed_reals(&cfg);
    cfg.store_distances = true;
    size_t stored = cairn_embed_reals(&cfg);
    bool good = bare == CAIRN_EMBED_REALS(32, 12, 2) && stored == bare + CAIRN_EMBED_STORED_REALS(32) &&
                bare * sizeof(float) <= 3072 && stored * sizeof(float) <= 4608;
    output_print(
        out,
        "memory of 32 landmarks, d = 12, k = 2: %zu bytes, limit 3072; %zu with stored distances, limit 4608; the "
        "macros say the same as the function, and runs above stayed inside  %s\n",
        bare * sizeof(float), stored * sizeof(float), good ? "ok" : "falls short");
    return good ? 0 : 1;
}

static size_t run_growth(output_t *out)
{
    static const size_t sizes[] = {10000, 30000, 90000};
    const cell_t cell = {100, 10, 100};
    double most = 0;
    double least = HUGE_VAL;
    output_print(out, "\nd = %zu, k = %zu, l = %zu, random policy, one pass\n     n   error  seconds\n", cell.d, cell.k,
                 cell.l);
    for (int i = 0; i < 3; i++) {
        double error;
        double seconds = time_pass(&cell, sizes[i], &cairn_embed_random, &error);
        most = fmax(most, error);
        least = fmin(least, error);
        output_print(out, "%6zu  %.4f    %.3f\n", sizes[i], error, seconds);
    }
    bool even = most <= 1.05 * least;
    output_print(out, "spread of the errors %.1f %%  %s\n", 100 * (most / least - 1), even ? "ok" : "falls short");
    return (even ? 0u : 1u) + run_doubling(out) + judge_memory(out);
}

static size_t run_speed(output_t *out)
{
    const cell_t cell = {500, 30, 300};
    subspace_cfg_t data = {N_POINTS, cell.d, cell.k, 0.1, 0, 1};
    cairn_real *points = subspace_draw(&data);
    cairn_real *places = memory_zeroed(N_POINTS * cell.k, sizeof *places);
    double least_s[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    for (int repeat = 0; repeat < 5; repeat++) {
        for (int n_passes = 1; n_passes <= 2; n_passes++) {
            job_t job;
            job_begin(&job, &cell, &cairn_embed_random, 1);
            double begin_s = stopwatch_processor_s();
            for (int pass = job_open(&job) ? 0 : 2; pass < n_passes; pass++) {
                job_pass(&job, points, NULL, N_POINTS, places);
            }
            least_s[n_passes] = fmin(least_s[n_passes], stopwatch_processor_s() - begin_s);
            job_close(&job);
        }
        least_s[0] = fmin(least_s[0], run_pca(points, N_POINTS, cell.d, cell.k, places));
    }
    bool one = least_s[0] >= 3 * least_s[1];
    bool two = least_s[0] >= 1.5 * least_s[2];
    output_print(out, "\nn = %d, d = %zu, k = %zu, l = %zu, least processor seconds of 5, start included\n", N_POINTS,
                 cell.d, cell.k, cell.l);
    output_print(out, "incremental PCA %.3f; one pass %.3f, %.2f x  %s; two passes %.3f, %.2f x  %s\n", least_s[0],
                 least_s[1], least_s[0] / least_s[1], one ? "ok" : "falls short", least_s[2], least_s[0] / least_s[2],
                 two ? "ok" : "falls short");
    free(points);
    free(places);
    return (one ? 0u : 1u) + (two ? 0u : 1u);
}

static int run(int argc, char **argv)
{
    size_t part = 0;
    size_t n_short = 0;
    uint64_t n_seeds = 3;
    uint64_t only = 0;
    uint64_t first = 1;
    output_t out;
    args_option_t options[] = {
        args_choice("--part", &part, part_names, "all (default), cells, order, outliers, growth, speed"),
        args_count("--first", &first, "N", 1, 1000000, "seed of the first data set, default 1; others follow it"),
        args_count("--seeds", &n_seeds, "K", 1, 100, "data sets, default 3"),
        args_count("--cell", &only, "I", 0, sizeof cells / sizeof cells[0], "only the I-th cell; default 0: all"),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    if (!args_parse(&help, argc, argv, options, n_options, &code)) {
        return code;
    }
    if (!output_open(&out, "-")) {
        return CLI_USAGE;
    }
    n_short += part == PART_ALL || part == PART_CELLS ? run_cells(&out, first, n_seeds, only) : 0;
    n_short += part == PART_ALL || part == PART_ORDER ? run_order(&out, first, n_seeds) : 0;
    n_short += part == PART_ALL || part == PART_OUTLIERS ? run_outliers(&out, first, n_seeds) : 0;
    n_short += part == PART_ALL || part == PART_GROWTH ? run_growth(&out) : 0;
    n_short += part == PART_ALL || part == PART_SPEED ? run_speed(&out) : 0;
    output_print(&out, "\n%s\n", n_short == 0 ? "all rows ok" : "some rows fall short");
    return output_close(&out) == OUTPUT_FAILED || n_short > 0 ? CLI_BAD_DATA : CLI_DONE;
}

const bench_t bench_embed = {"embed", "streaming embedding beside SMACOF, linear methods and the thesis's form", run};
