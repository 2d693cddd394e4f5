/* SPDX-License-Identifier: MIT
 * cairn bench mds: stress on classic tables, robust and spherical costs, and a table too large to hold. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "args.h"
#include "cairn/mds.h"
#include "exit_code.h"
#include "memory.h"
#include "output.h"
#include "stopwatch.h"
#include "tables.h"

static const args_help_t help = {
    "cairn bench mds", "[OPTION...]", "Multidimensional scaling beside published and reference stresses.\n",
    "parts\n"
    "  tables   stress-1 in 2-D on classic tables, best of 10 starts, at most .5 % above the reference best\n"
    "  robust   absolute cost after rMDS below that after fMDS from the same start, 10 seeds, 4 shares of bad entries\n"
    "  sphere   cost below that of sweeps that project the centroid, chords squared and angles absolute\n"
    "  large    n = 50000, d = 200: one sweep without the n^2 table; takes minutes\n"
    "Exit code 1 when a row falls short; tables whose data are not there are skipped.\n"};

static const char *const part_names[] = {"all", "tables", "robust", "sphere", "large", NULL};
enum { PART_ALL, PART_TABLES, PART_ROBUST, PART_SPHERE, PART_LARGE };

typedef struct known_table {
    const char *name;
    const char *file;
    table_kind_t kind;
    double offset;
    double stress; /* the lowest that any reference method reached */
} known_table_t;

static const known_table_t known_tables[] = {
    {"eurodist", "mds_classic/eurodist.csv", TABLE_DISTANCES, 0, 0.0722},
    {"ekman", "mds_classic/ekman_similarity.csv", TABLE_SIMILARITIES, 1, 0.1312},
    {"UScitiesD", "mds_classic/UScitiesD.csv", TABLE_DISTANCES, 0, 0.0017},
    {"iris", "iris/iris.csv", TABLE_POINTS, 0, 0.0327},
    {"polbooks", "polbooks/edges.csv", TABLE_LINKS, 0, 0.1937},
    {"karate", "karate/edges.csv", TABLE_LINKS, 0, 0.1994},
};
static const double stress_margin = 1.005;

static void table_row(const void *context, size_t i, size_t n, cairn_real *distance, cairn_real *weight)
{
    const table_t *table = context;
    (void)weight;
    for (size_t j = 0; j < n; j++) {
        distance[j] = (cairn_real)table->distance[i * n + j];
    }
}

static cairn_status run_mds(cairn_mds_t *mds, const cairn_mds_cfg_t *cfg, size_t n, size_t dim, cairn_real *place)
{
    cairn_real *work = memory_zeroed(CAIRN_MDS_REALS(n, dim), sizeof *work);
    cairn_status status = cairn_mds_init(mds, cfg, n, dim, place, n * dim, work, CAIRN_MDS_REALS(n, dim));
    while (status == CAIRN_OK || status == CAIRN_MORE) {
        status = cairn_mds_step(mds, 1000000);
        if (status != CAIRN_MORE) {
            break;
        }
    }
    free(work);
    return status;
}

/* Stress-1 in double, from the places alone. */
static double stress_of(const table_t *table, const cairn_real *place, size_t dim)
{
    double error = 0;
    double square = 0;
    for (size_t i = 0; i < table->n; i++) {
        for (size_t j = i + 1; j < table->n; j++) {
            double f = 0;
            double d = (double)table->distance[i * table->n + j];
            for (size_t a = 0; a < dim; a++) {
                double difference = (double)place[i * dim + a] - (double)place[j * dim + a];
                f += difference * difference;
            }
            error += (sqrt(f) - d) * (sqrt(f) - d);
            square += d * d;
        }
    }
    return sqrt(error / square);
}

static size_t run_tables(output_t *out, uint64_t first)
{
    size_t n_short = 0;
    output_print(out, "table        n   stress  from places  reference   limit  good starts  verdict\n");
    for (size_t t = 0; t < sizeof known_tables / sizeof known_tables[0]; t++) {
        const known_table_t *known = &known_tables[t];
        double best = HUGE_VAL;
        double own = 0;
        int n_good = 0;
        table_t table;
        if (!table_read(&table, known->file, known->kind, known->offset)) {
            output_print(out, "%-10s skipped: no %s in the folder of measured data, $CAIRN_DATA\n", known->name,
                         known->file);
            continue;
        }
        cairn_real *place = memory_zeroed(table.n * 2, sizeof *place);
        for (uint64_t seed = 0; seed < 10; seed++) {
            cairn_mds_t mds;
            cairn_mds_cfg_t cfg = cairn_mds_cfg_default;
            cfg.row = table_row;
            cfg.context = &table;
            cfg.seed = first - 1 + seed;
            cfg.start = seed == 0 ? CAIRN_MDS_CLASSICAL : CAIRN_MDS_RANDOM;
            cfg.sweeps_max = 1000;
            cfg.tolerance = 1e-6f;
            if (run_mds(&mds, &cfg, table.n, 2, place) < 0) {
                continue;
            }
            double stress = stress_of(&table, place, 2);
            n_good += stress <= stress_margin * known->stress;
            if (stress < best) {
                best = stress;
                own = (double)cairn_mds_get_stress(&mds);
            }
        }
        double limit = stress_margin * known->stress;
        bool good = best <= limit && fabs(own - best) <= 1e-4 * best;
        n_short += !good;
        output_print(out, "%-10s %3zu  %.5f      %.5f     %.4f  %.5f     %2d of 10  %s\n", known->name, table.n, own,
                     best, known->stress, limit, n_good, good ? "ok" : "falls short");
        output_flush(out);
        free(place);
        free(table.distance);
    }
    return n_short;
}

static double draw_uniform(cairn_rng_t *rng) { return (double)cairn_rng_uniform(rng); }

static double draw_normal(cairn_rng_t *rng)
{
    return sqrt(-2 * log(1 - draw_uniform(rng))) * cos(6.283185307179586 * draw_uniform(rng));
}

/* Points near a k-dimensional subspace of R^d with 30 % noise in every dimension, and their distances, a share of which
 * is replaced by others drawn from the same range. */
static table_t draw_table(size_t n, size_t d, size_t k, double share, uint64_t seed)
{
    table_t table = {n, memory_zeroed(n * n, sizeof *table.distance)};
    double *basis = memory_zeroed(k * d, sizeof *basis);
    double *point = memory_zeroed(n * d, sizeof *point);
    double largest = 0;
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, 77);
    for (size_t i = 0; i < k * d; i++) {
        basis[i] = draw_normal(&rng) / sqrt((double)d);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < k; a++) {
            double coefficient = 2 * draw_uniform(&rng) - 1;
            for (size_t b = 0; b < d; b++) {
                point[i * d + b] += coefficient * basis[a * d + b];
            }
        }
        for (size_t b = 0; b < d; b++) {
            point[i * d + b] += 0.3 * sqrt((double)k / 3 / (double)d) * draw_normal(&rng);
        }
    }
    for (size_t i = 0; i < n * n; i++) {
        double square = 0;
        for (size_t b = 0; b < d; b++) {
            double difference = point[i / n * d + b] - point[i % n * d + b];
            square += difference * difference;
        }
        table.distance[i] = (float)sqrt(square);
        largest = fmax(largest, sqrt(square));
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double other = largest * draw_uniform(&rng);
            if (draw_uniform(&rng) < share) {
                table.distance[i * n + j] = table.distance[j * n + i] = (float)other;
            }
        }
    }
    free(basis);
    free(point);
    return table;
}

static double absolute_cost(const table_t *table, const cairn_real *place, size_t dim)
{
    double cost = 0;
    for (size_t i = 0; i < table->n; i++) {
        for (size_t j = 0; j < i; j++) {
            double square = 0;
            for (size_t a = 0; a < dim; a++) {
                double difference = (double)place[i * dim + a] - (double)place[j * dim + a];
                square += difference * difference;
            }
            cost += fabs(sqrt(square) - (double)table->distance[i * table->n + j]);
        }
    }
    return cost;
}

static size_t run_robust(output_t *out, uint64_t first)
{
    enum { N = 300, D = 200, K = 10, DIM = 2, N_SEEDS = 10 };
    static const double shares[] = {0.02, 0.1, 0.3, 0.9};
    size_t n_short = 0;
    output_print(out, "\nn = %d, d = %d, k = %d, 2-D: mean absolute error of a pair, mean of %d seeds\n", N, D, K,
                 N_SEEDS);
    output_print(out, "disturbed     fMDS     rMDS  rMDS lower  verdict\n");
    cairn_real *place = memory_zeroed(N * DIM, sizeof *place);
    for (int s = 0; s < 4; s++) {
        double mean[2] = {0, 0};
        int n_lower = 0;
        for (uint64_t seed = first; seed < first + N_SEEDS; seed++) {
            double cost[2];
            table_t table = draw_table(N, D, K, shares[s], seed);
            for (int robust = 0; robust < 2; robust++) {
                cairn_mds_t mds;
                cairn_mds_cfg_t cfg = cairn_mds_cfg_default;
                cfg.row = table_row;
                cfg.context = &table;
                cfg.loss = robust ? &cairn_loss_absolute : &cairn_loss_squared;
                (void)!run_mds(&mds, &cfg, N, DIM, place);
                cost[robust] = absolute_cost(&table, place, DIM) / (0.5 * N * (N - 1));
                mean[robust] += cost[robust] / N_SEEDS;
            }
            n_lower += cost[1] < cost[0];
            free(table.distance);
        }
        n_short += n_lower < N_SEEDS;
        output_print(out, "%8.0f %%  %.5f  %.5f    %2d of %d  %s\n", 100 * shares[s], mean[0], mean[1], n_lower,
                     N_SEEDS, n_lower == N_SEEDS ? "ok" : "falls short");
        output_flush(out);
    }
    free(place);
    return n_short;
}

/* Distances on the unit sphere in double: chords or angles. */
static double sphere_distance(const double *x, const double *y, size_t dim, bool chord)
{
    double minus = 0;
    double plus = 0;
    for (size_t a = 0; a < dim; a++) {
        minus += (x[a] - y[a]) * (x[a] - y[a]);
        plus += (x[a] + y[a]) * (x[a] + y[a]);
    }
    return chord ? sqrt(minus) : 2 * atan2(sqrt(minus), sqrt(plus));
}

static double sphere_cost(const table_t *table, const double *place, size_t dim, bool chord, bool absolute)
{
    double cost = 0;
    for (size_t i = 0; i < table->n; i++) {
        for (size_t j = 0; j < i; j++) {
            double e = sphere_distance(place + i * dim, place + j * dim, dim, chord) -
                       (double)table->distance[i * table->n + j];
            cost += absolute ? fabs(e) : e * e;
        }
    }
    return cost;
}

/* Add where the neighbour's sphere is met on the way to x. */
static void add_projection(const double *x, const double *y, size_t dim, double angle, double weight, double *sum)
{
    double tangent[8];
    double along = 0;
    double length = 0;
    for (size_t a = 0; a < dim; a++) {
        along += x[a] * y[a];
    }
    for (size_t a = 0; a < dim; a++) {
        tangent[a] = x[a] - along * y[a];
        length += tangent[a] * tangent[a];
    }
    length = sqrt(length);
    for (size_t a = 0; a < dim && length > 1e-12; a++) {
        sum[a] += weight * (cos(angle) * y[a] + sin(angle) * tangent[a] / length);
    }
}

/* The thesis's cheap form: x becomes the centroid of its projections, put back onto the sphere. */
static void centroid_sweep(const table_t *table, double *place, size_t dim, bool chord, bool absolute)
{
    for (size_t i = 0; i < table->n; i++) {
        double *x = place + i * dim;
        double sum[8] = {0};
        double length = 0;
        for (size_t j = 0; j < table->n; j++) {
            const double *y = place + j * dim;
            double d = (double)table->distance[i * table->n + j];
            double angle = chord ? 2 * asin(fmin(1, d / 2)) : fmin(d, 3.14159265358979);
            double e = fabs(sphere_distance(x, y, dim, chord) - d);
            if (j != i) {
                add_projection(x, y, dim, angle, absolute ? 1 / fmax(e, 1e-9) : 1, sum);
            }
        }
        for (size_t a = 0; a < dim; a++) {
            length += sum[a] * sum[a];
        }
        for (size_t a = 0; a < dim; a++) {
            x[a] = length > 0 ? sum[a] / sqrt(length) : x[a];
        }
    }
}

/* Noisy distances of points on the unit sphere, some of them impossible. */
static table_t draw_sphere_table(size_t n, size_t dim, bool chord, uint64_t seed)
{
    table_t table = {n, memory_zeroed(n * n, sizeof *table.distance)};
    double *point = memory_zeroed(n * dim, sizeof *point);
    cairn_rng_t rng;
    cairn_rng_init(&rng, seed, 78);
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t a = 0; a < dim; a++) {
            point[i * dim + a] = draw_normal(&rng);
            square += point[i * dim + a] * point[i * dim + a];
        }
        for (size_t a = 0; a < dim; a++) {
            point[i * dim + a] /= sqrt(square);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double d = sphere_distance(point + i * dim, point + j * dim, dim, chord) * (1 + 0.3 * draw_normal(&rng));
            table.distance[i * n + j] = table.distance[j * n + i] = (float)fmin(fabs(d), chord ? 2 : 3.1415926);
        }
    }
    free(point);
    return table;
}

static size_t run_sphere(output_t *out, uint64_t first)
{
    enum { N = 100, N_SEEDS = 5, N_SWEEPS = 300 };
    size_t n_short = 0;
    output_print(out, "\nunit sphere, n = %d, 30 %% noise, mean cost of a pair, %d seeds\n", N, N_SEEDS);
    output_print(out, "space   loss       dim  centroid      ours  ours lower  verdict\n");
    for (int variant = 0; variant < 8; variant++) {
        bool chord = (variant & 1) != 0;
        bool absolute = (variant & 2) != 0;
        size_t dim = (variant & 4) != 0 ? 5 : 3;
        double mean[2] = {0, 0};
        int n_lower = 0;
        for (uint64_t seed = first; seed < first + N_SEEDS; seed++) {
            cairn_mds_t mds;
            cairn_space_t space;
            cairn_mds_cfg_t cfg = cairn_mds_cfg_default;
            table_t table = draw_sphere_table(N, dim, chord, seed);
            cairn_real place[N * 5];
            double exact[N * 5];
            double cost[2];
            (void)!(chord ? cairn_space_sphere_chord(&space, 1) : cairn_space_sphere(&space, 1));
            cfg.row = table_row;
            cfg.context = &table;
            cfg.space = &space;
            cfg.loss = absolute ? &cairn_loss_absolute : &cairn_loss_squared;
            cfg.sweeps_max = 1;
            (void)!run_mds(&mds, &cfg, N, dim, place); /* the same start for both: one sweep of ours */
            for (size_t i = 0; i < N * dim; i++) {
                exact[i] = (double)place[i];
            }
            cost[0] = HUGE_VAL;
            for (int sweep = 0; sweep < N_SWEEPS; sweep++) {
                centroid_sweep(&table, exact, dim, chord, absolute);
                cost[0] = fmin(cost[0], sphere_cost(&table, exact, dim, chord, absolute));
            }
            cfg.start = CAIRN_MDS_GIVEN;
            cfg.sweeps_max = N_SWEEPS;
            (void)!run_mds(&mds, &cfg, N, dim, place);
            for (size_t i = 0; i < N * dim; i++) {
                exact[i] = (double)place[i];
            }
            cost[1] = sphere_cost(&table, exact, dim, chord, absolute);
            n_lower += cost[1] < cost[0] * (1 + 1e-6); /* the places are floats */
            mean[0] += cost[0] / (0.5 * N * (N - 1)) / N_SEEDS;
            mean[1] += cost[1] / (0.5 * N * (N - 1)) / N_SEEDS;
            free(table.distance);
        }
        n_short += n_lower < N_SEEDS;
        output_print(out, "%-7s %-9s   %zu   %.6f  %.6f     %d of %d  %s\n", chord ? "chord" : "angle",
                     absolute ? "absolute" : "squared", dim, mean[0], mean[1], n_lower, N_SEEDS,
                     n_lower == N_SEEDS ? "ok" : "falls short");
    }
    return n_short;
}

typedef struct cloud {
    size_t d;
    cairn_real *point;
} cloud_t;

/* Four objects at once: each coordinate of the point is loaded once, and the sums are independent. */
static void cloud_row(const void *context, size_t i, size_t n, cairn_real *distance, cairn_real *weight)
{
    const cloud_t *cloud = context;
    const cairn_real *p = cloud->point + i * cloud->d;
    (void)weight;
    for (size_t j = 0; j < n; j++) {
        const cairn_real *q = cloud->point + j * cloud->d;
        cairn_real sums[8] = {0};
        for (size_t a = 0; a + 8 <= cloud->d; a += 8) {
            for (size_t b = 0; b < 8; b++) {
                cairn_real difference = p[a + b] - q[a + b];
                sums[b] += difference * difference;
            }
        }
        distance[j] =
            cairn_sqrt(((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])));
    }
}

static size_t run_large(output_t *out, size_t n)
{
    enum { D = 200, DIM = 2 };
    struct rusage usage;
    cloud_t cloud = {D, memory_zeroed(n * D, sizeof *cloud.point)};
    cairn_real *place = memory_zeroed(n * DIM, sizeof *place);
    cairn_mds_t mds;
    cairn_mds_cfg_t cfg = cairn_mds_cfg_default;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 1, 79);
    for (size_t i = 0; i < n * D; i++) {
        cairn_real centre = i % D < DIM ? 3 * cairn_rng_uniform(&rng) : 0;
        cloud.point[i] = centre + 0.1f * cairn_rng_uniform(&rng);
    }
    for (size_t i = 0; i < n * DIM; i++) { /* the start: the first two coordinates, blurred */
        place[i] = cloud.point[i / DIM * D + i % DIM] + 0.5f * cairn_rng_uniform(&rng);
    }
    cfg.row = cloud_row;
    cfg.context = &cloud;
    cfg.start = CAIRN_MDS_GIVEN;
    cfg.sweeps_max = 1;
    double begin_s = stopwatch_processor_s();
    cairn_status status = run_mds(&mds, &cfg, n, DIM, place);
    double seconds = stopwatch_processor_s() - begin_s;
    (void)getrusage(RUSAGE_SELF, &usage);
    double table_mb = (double)n * (double)n * sizeof(cairn_real) / 1e6;
    double peak_mb = (double)usage.ru_maxrss / 1e3;
    bool good = status == CAIRN_NOT_CONVERGED && peak_mb < table_mb / 10;
    output_print(out,
                 "\nn = %zu, d = %d: one sweep and its stress, %.5f, in %.0f s; peak memory %.0f MB, of which points "
                 "%.0f MB; the table would take %.0f MB  %s\n",
                 n, D, (double)cairn_mds_get_stress(&mds), seconds, peak_mb, (double)n * D * sizeof(cairn_real) / 1e6,
                 table_mb, good ? "ok" : "falls short");
    free(cloud.point);
    free(place);
    return good ? 0 : 1;
}

static int run(int argc, char **argv)
{
    size_t part = 0;
    size_t n_short = 0;
    uint64_t n_large = 50000;
    uint64_t first = 1;
    output_t out;
    args_option_t options[] = {
        args_choice("--part", &part, part_names, "all (default), tables, robust, sphere, large"),
        args_count("--first", &first, "N", 1, 1000000,
                   "first seed of starts and data sets, default 1; others follow it"),
        args_count("--n", &n_large, "N", 1000, 1000000, "objects of the large part, default 50000"),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    if (!args_parse(&help, argc, argv, options, n_options, &code)) {
        return code;
    }
    if (!output_open(&out, "-")) {
        return CLI_USAGE;
    }
    n_short += part == PART_ALL || part == PART_TABLES ? run_tables(&out, first) : 0;
    n_short += part == PART_ALL || part == PART_ROBUST ? run_robust(&out, first) : 0;
    n_short += part == PART_ALL || part == PART_SPHERE ? run_sphere(&out, first) : 0;
    n_short += part == PART_ALL || part == PART_LARGE ? run_large(&out, (size_t)n_large) : 0;
    output_print(&out, "\n%s\n", n_short == 0 ? "all rows ok" : "some rows fall short");
    return output_close(&out) == OUTPUT_FAILED || n_short > 0 ? CLI_BAD_DATA : CLI_DONE;
}

const bench_t bench_mds = {"mds", "multidimensional scaling: classic tables, robust and spherical costs, large n", run};
