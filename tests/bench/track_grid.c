/* SPDX-License-Identifier: MIT
 * The thesis's moving networks: n = 1000, every sensor moves by eta N(0,1) before each of 20 sets of ranges; each set starts
 * from the last estimate, the first one from the true places. From that gift the error of any estimator rises to that of
 * starts as good as its own estimates (sets 1-5 are printed); growth is judged from set 6 on. Beside it, for the last set:
 * a cold start without any start, and what the ranges allow. That limit is judged on the core of the network, the sensors
 * that keep three links when the others are taken out again and again: it is a least-squares map that begins at the truth,
 * and sensors that the ranges do not hold stay there, without error. The errors of all sensors are printed as well. */
#include "track_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/track_network.h"
#include "generator.h"
#include "limit.h"
#include "memory.h"
#include "stopwatch.h"

enum { N = 1000, DIM = 2, N_SETS = 20, N_EDGE = 5 };

typedef struct cell {
    bool inside;
    size_t n_anchors;
    double radius_m, sigma, eta;
} cell_t;

typedef struct cell_result {
    double rmse_m, gift_m, first_m, last_m, end_m, cold_m, limit_m, core_m, core_limit_m, seconds;
    bool failed;
} cell_result_t;

typedef struct arrays {
    cairn_network_memory_t memory;
    cairn_word_t *work;
    size_t n_words;
} arrays_t;

static arrays_t make_arrays(size_t n_ranges)
{
    arrays_t a = {{memory_zeroed(2 * n_ranges, sizeof(cairn_link_t)), 2 * n_ranges,
                   memory_zeroed(2 * (N + 1), sizeof(uint32_t)), 2 * (N + 1),
                   memory_zeroed(N * DIM, sizeof(cairn_real)), N * DIM, memory_zeroed(N, sizeof(cairn_real)), N,
                   memory_zeroed(N, 1), N},
                  memory_zeroed(CAIRN_TRACK_NETWORK_WORDS(N, DIM), sizeof(cairn_word_t)),
                  CAIRN_TRACK_NETWORK_WORDS(N, DIM)};
    return a;
}

static void free_arrays(arrays_t *a)
{
    free(a->memory.links);
    free(a->memory.rows);
    free(a->memory.place_m);
    free(a->memory.std_m);
    free(a->memory.flags);
    free(a->work);
}

static bool give_places(cairn_network_t *network, const generator_t *world, bool starts)
{
    bool good = true;
    for (uint32_t i = 0; i < N && good; i++) {
        const cairn_real place_m[DIM] = {(cairn_real)world->place_m[DIM * i], (cairn_real)world->place_m[DIM * i + 1]};
        if (i < world->cfg.n_anchors) {
            good = cairn_network_set_anchor(network, i, place_m) == CAIRN_OK;
        } else if (starts) {
            good = cairn_network_set_start(network, i, place_m) == CAIRN_OK;
        }
    }
    return good;
}

static bool give_ranges(cairn_network_t *network, const generator_t *world)
{
    bool good = cairn_network_clear_ranges(network) == CAIRN_OK;
    for (size_t i = 0; i < world->ranges.n_rows && good; i++) {
        const range_row_t *row = &world->ranges.row[i];
        good = cairn_network_add_range(network, row->a, row->b, (cairn_real)row->range_m, 0) == CAIRN_OK;
    }
    return good;
}

/* Over all sensors, or those of the core. */
static double rmse_of(const cairn_network_t *network, const generator_t *world, const bool *core)
{
    double sum_m2 = 0;
    size_t n = 0;
    for (uint32_t i = (uint32_t)world->cfg.n_anchors; i < N; i++) {
        cairn_real place_m[DIM];
        if (core != NULL && !core[i]) {
            continue;
        }
        n++;
        const cairn_status status = cairn_network_get_place(network, i, place_m, NULL);
        for (size_t k = 0; k < DIM; k++) { /* a lost sensor is as wrong as the square is wide */
            const double e = status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE
                                 ? (double)place_m[k] - world->place_m[DIM * i + k]
                                 : 1;
            sum_m2 += e * e;
        }
    }
    return sqrt(sum_m2 / (double)n);
}

static bool run_set(cairn_track_network_t *track, cairn_network_t *network, generator_t *world)
{
    generator_move(world);
    if (!generator_measure(world) || !give_ranges(network, world) || cairn_track_network_begin(track) != CAIRN_OK) {
        return false;
    }
    cairn_status status = CAIRN_MORE;
    while (status == CAIRN_MORE) {
        status = cairn_track_network_step(track, 1000000);
    }
    return status >= 0;
}

/* The last set once more, from its ranges alone. */
static double cold_rmse(const cairn_network_cfg_t *cfg, arrays_t *arrays, const generator_t *world)
{
    static cairn_coldstart_t job;
    cairn_network_t network;
    cairn_coldstart_cfg_t cold = cairn_coldstart_cfg_default;
    cold.locate.radio_range_m = (cairn_real)world->cfg.radius_m;
    if (cairn_network_init(&network, cfg, &arrays->memory, N) != CAIRN_OK || !give_places(&network, world, false) ||
        !give_ranges(&network, world) ||
        cairn_coldstart_init(&job, &cold, &network, arrays->work, arrays->n_words) != CAIRN_OK) {
        return (double)NAN;
    }
    while (cairn_coldstart_step(&job, 1000000) == CAIRN_MORE) {
    }
    return rmse_of(&network, world, NULL);
}

static void run_network(const cell_t *cell, uint64_t seed, double share, cell_result_t *result)
{
    static cairn_track_network_t track;
    static bool core[N];
    generator_t world;
    limit_t limit;
    cairn_network_t network;
    const generator_cfg_t draw = {N, cell->n_anchors, DIM, cell->radius_m, cell->sigma, cell->eta, cell->inside, seed};
    const cairn_track_network_cfg_t cfg = {(cairn_real)cell->eta, (cairn_real)cell->radius_m};
    cairn_network_cfg_t network_cfg;
    memset(&network_cfg, 0, sizeof network_cfg);
    network_cfg.dim = DIM;
    network_cfg.noise_rel = (cairn_real)cell->sigma;
    network_cfg.noise_abs_m = 1e-5f;
    generator_init(&world, &draw);
    arrays_t arrays = make_arrays((size_t)N * 60); /* 35 links a node at R = .15 with both ends counted, and more */
    bool good = cairn_network_init(&network, &network_cfg, &arrays.memory, N) == CAIRN_OK &&
                give_places(&network, &world, true) &&
                cairn_track_network_init(&track, &cfg, &network, arrays.work, arrays.n_words) == CAIRN_OK;
    for (int set = 0; set < N_SETS && good; set++) {
        const double begun_s = stopwatch_processor_s();
        good = run_set(&track, &network, &world);
        result->seconds += share * (stopwatch_processor_s() - begun_s) / N_SETS;
        const double rmse_m = rmse_of(&network, &world, NULL);
        result->rmse_m += share * rmse_m / N_SETS;
        result->end_m += set == N_SETS - 1 ? share * rmse_m : 0;
        result->gift_m += set < N_EDGE ? share * rmse_m / N_EDGE : 0;
        result->first_m += set >= N_EDGE && set < 2 * N_EDGE ? share * rmse_m / N_EDGE : 0;
        result->last_m += set >= N_SETS - N_EDGE ? share * rmse_m / N_EDGE : 0;
    }
    limit_find_core(&world, core);
    result->core_m += share * rmse_of(&network, &world, core);
    result->cold_m += share * cold_rmse(&network_cfg, &arrays, &world);
    limit_solve(&world, core, &limit);
    result->limit_m += share * limit.rmse_m;
    result->core_limit_m += share * limit.rmse_core_m;
    result->failed = result->failed || !good;
    free_arrays(&arrays);
    generator_free(&world);
}

static bool judge(verdict_t *verdict, bool good, const char *what, char *text, size_t text_bytes)
{
    verdict->n_figures++;
    verdict->n_short += !good;
    if (!good) {
        const size_t length = strlen(text);
        snprintf(text + length, text_bytes - length, "%s%s", length > 0 ? ", " : "falls short: ", what);
    }
    return good;
}

static void print_cell(verdict_t *verdict, const cell_t *cell, const cell_result_t *result)
{
    char text[120] = "";
    judge(verdict, !result->failed && result->end_m <= result->cold_m, "cold start", text, sizeof text);
    if (cell->inside) {
        judge(verdict, result->last_m <= 1.1 * result->first_m, "grows", text, sizeof text);
    }
    if (cell->eta < .02) {
        judge(verdict, result->core_m < result->core_limit_m, "limit", text, sizeof text);
    }
    char all[24] = "-";
    if (cell->eta < .02) { /* the same over all sensors, those that the ranges do not hold included */
        snprintf(all, sizeof all, "%s %4.2f", result->end_m < result->limit_m ? "ok   " : "short",
                 result->end_m / result->limit_m);
    }
    output_print(verdict->out,
                 "%-6s %3zu  %4.2f  %4.2f  %4.2f  %9.3e  %9.3e  %9.3e  %9.3e  %9.3e  %9.3e  %9.3e  %9.3e  %9.3e  %7.4f "
                 " %-10s  %s\n",
                 cell->inside ? "inside" : "free", cell->n_anchors, cell->radius_m, cell->sigma, cell->eta,
                 result->rmse_m, result->gift_m, result->first_m, result->last_m, result->end_m, result->cold_m,
                 result->limit_m, result->core_m, result->core_limit_m, result->seconds, all,
                 text[0] != '\0' ? text : "ok");
    output_flush(verdict->out);
}

void track_grid_run(verdict_t *verdict, unsigned n_seeds)
{
    static const double radius_m[] = {.06, .1, .15}, sigma[] = {.01, .1}, eta[] = {.01, .05};
    static const size_t n_anchors[] = {5, 20};
    output_print(
        verdict->out,
        "bounds   m     R   sigma  eta   rmse_m     sets 1-5   6-10       16-20      last set   cold       limit      "
        "core       its limit  s a set  of limit    verdict\n");
    for (unsigned i = 0; i < 48; i++) {
        const cell_t cell = {i < 24, n_anchors[i / 12 % 2], radius_m[i / 4 % 3], sigma[i / 2 % 2], eta[i % 2]};
        cell_result_t result;
        memset(&result, 0, sizeof result);
        for (unsigned seed = 1; seed <= n_seeds; seed++) {
            run_network(&cell, seed, 1.0 / n_seeds, &result);
        }
        print_cell(verdict, &cell, &result);
    }
}
