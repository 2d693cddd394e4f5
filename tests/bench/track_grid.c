/* SPDX-License-Identifier: MIT
 * The thesis's moving networks: n = 1000, every sensor moves by eta N(0,1) before each of 20 sets of ranges; each set starts
 * from the last estimate, the first one from the true places. From that gift the error of any estimator rises to that of
 * starts as good as its own estimates (sets 1-5 are printed); growth is judged from set 6 on. Where a few folds make most
 * of the error, six networks tell their growth to a fifth only, and often show none: there more are tracked, until it is
 * known well enough.
 * Beside it, over sets 16-20 like its own figure: a cold start of each set without any start, and what the ranges allow.
 * That limit is judged on the core of the network, the sensors that the ranges hold (limit.h): it is a least-squares map
 * that begins at the truth, and sensors that the ranges do not hold stay there, without error. Inside the boundary, sensors
 * with few ranges in a set are shown for themselves as well, beside how well they can be told. */
#include "track_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/track_network.h"
#include "generator.h"
#include "limit.h"
#include "memory.h"
#include "stopwatch.h"
#include "track_apart.h"
#include "track_bound.h"

enum { N = 1000, DIM = 2, N_SETS = 20, N_EDGE = 5, N_LEAST = 24, N_MOST = 96 };

static const double growth_most = 1.1;
static const double growth_std = .05; /* networks are added until the growth is known to this, or there are N_MOST */

typedef struct cell {
    bool inside;
    size_t n_anchors;
    double radius_m, sigma, eta;
} cell_t;

/* RMSE over all sensors or those of the core. */
typedef struct compared {
    double track_m, cold_m, limit_m;
} compared_t;

/* Sensors with three ranges or more, and with fewer, in five sets of each network. */
typedef struct window {
    double held_m;                      /* RMSE of the former */
    double n_few, few_m2, few_bound_m2; /* sums over the latter */
} window_t;

/* Sums over networks of the mean RMSE of sets 6-10 and 16-20, their squares and product. */
typedef struct growth {
    double n, early_m, late_m, early_m2, late_m2, both_m2;
} growth_t;

typedef struct cell_result {
    window_t early, late;
    growth_t growth, core_growth;
    double rmse_m, gift_m, first_m, core_share, seconds;
    compared_t all, core, end_core; /* the last: of the last set alone */
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

/* A lost sensor is as wrong as the square is wide. */
static double error_m2(const cairn_network_t *network, const generator_t *world, uint32_t node)
{
    cairn_real place_m[DIM];
    const cairn_status status = cairn_network_get_place(network, node, place_m, NULL);
    double sum_m2 = 0;
    if (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) {
        return DIM;
    }
    for (size_t k = 0; k < DIM; k++) {
        const double e = (double)place_m[k] - world->place_m[DIM * node + k];
        sum_m2 += e * e;
    }
    return sum_m2;
}

/* Over all sensors, or those that are marked. */
static double rmse_of(const cairn_network_t *network, const generator_t *world, const bool *marked)
{
    double sum_m2 = 0;
    size_t n = 0;
    for (uint32_t i = (uint32_t)world->cfg.n_anchors; i < N; i++) {
        if (marked == NULL || marked[i]) {
            sum_m2 += error_m2(network, world, i);
            n++;
        }
    }
    return sqrt(sum_m2 / (double)n);
}

static void note_few(const cairn_network_t *network, const generator_t *world, const track_bound_t *bound, double share,
                     window_t *window)
{
    static bool held[N];
    for (uint32_t i = (uint32_t)world->cfg.n_anchors; i < N; i++) {
        held[i] = bound->n_ranges[i] > TRACK_BOUND_FEW;
        if (!held[i]) {
            window->n_few += 1;
            window->few_m2 += error_m2(network, world, i);
            window->few_bound_m2 += bound->error_m2[i];
        }
    }
    window->held_m += share / N_EDGE * rmse_of(network, world, held);
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

static void note_growth(growth_t *self, double early_m, double late_m)
{
    self->n += 1;
    self->early_m += early_m;
    self->late_m += late_m;
    self->early_m2 += early_m * early_m;
    self->late_m2 += late_m * late_m;
    self->both_m2 += early_m * late_m;
}

static double growth_of(const growth_t *self) { return self->late_m / self->early_m; }

/* Standard deviation of the growth, a ratio of means (Cochran 1977, section 2.11). One network does not tell it. */
static double growth_std_of(const growth_t *self)
{
    if (self->n < 2) {
        return HUGE_VAL;
    }
    const double growth = growth_of(self);
    const double rest_m2 = self->late_m2 - 2 * growth * self->both_m2 + growth * growth * self->early_m2;
    return sqrt(fmax(rest_m2, 0) * self->n / (self->n - 1)) / self->early_m;
}

static bool is_known(const growth_t *self) { return self->n >= N_LEAST && growth_std_of(self) <= growth_std; }

/* The same set from its ranges alone. */
static bool run_cold(cairn_network_t *network, const cairn_network_cfg_t *cfg, const arrays_t *arrays,
                     const generator_t *world)
{
    static cairn_coldstart_t job;
    cairn_coldstart_cfg_t cold = cairn_coldstart_cfg_default;
    cold.locate.radio_range_m = (cairn_real)world->cfg.radius_m;
    if (cairn_network_init(network, cfg, &arrays->memory, N) != CAIRN_OK || !give_places(network, world, false) ||
        !give_ranges(network, world) ||
        cairn_coldstart_init(&job, &cold, network, arrays->work, arrays->n_words) != CAIRN_OK) {
        return false;
    }
    while (cairn_coldstart_step(&job, 1000000) == CAIRN_MORE) {
    }
    return true;
}

/* Over all sensors, or those of the core. */
static void compare(const cairn_network_t *network, const cairn_network_t *cold, const generator_t *world,
                    const bool *core, double limit_m, double share, compared_t *sum)
{
    sum->track_m += share * rmse_of(network, world, core);
    sum->cold_m += share * rmse_of(cold, world, core);
    sum->limit_m += share * limit_m;
}

/* Add a set to the means of the last ones. */
static bool compare_set(const cairn_network_t *network, const arrays_t *spare, const generator_t *world,
                        const bool *core, double share, bool is_end, cell_result_t *result)
{
    cairn_network_t cold;
    limit_t limit;
    if (!run_cold(&cold, network->cfg, spare, world)) {
        return false;
    }
    limit_solve(world, core, &limit);
    result->core_share += share / N_EDGE * (double)limit.n_core / (double)(N - world->cfg.n_anchors);
    compare(network, &cold, world, NULL, limit.rmse_m, share / N_EDGE, &result->all);
    compare(network, &cold, world, core, limit.rmse_core_m, share / N_EDGE, &result->core);
    if (is_end) {
        compare(network, &cold, world, core, limit.rmse_core_m, share, &result->end_core);
    }
    return true;
}

static bool is_early(int set) { return set >= N_EDGE && set < 2 * N_EDGE; }

static bool is_late(int set) { return set >= N_SETS - N_EDGE; }

/* All that is printed of a set but the growth. */
static bool note_set(const cairn_network_t *network, const arrays_t *spare, const generator_t *world,
                     const track_bound_t *bound, const bool *core, int set, double share, cell_result_t *result)
{
    const double rmse_m = rmse_of(network, world, NULL);
    if (world->cfg.inside && (is_early(set) || is_late(set))) {
        note_few(network, world, bound, share, is_early(set) ? &result->early : &result->late);
    }
    result->rmse_m += share * rmse_m / N_SETS;
    result->gift_m += set < N_EDGE ? share * rmse_m / N_EDGE : 0;
    result->first_m += is_early(set) ? share * rmse_m / N_EDGE : 0;
    return !is_late(set) || compare_set(network, spare, world, core, share, set == N_SETS - 1, result);
}

/* A share of 0: of this network only the growth counts. */
static bool run_sets(cairn_track_network_t *track, cairn_network_t *network, const arrays_t *spare, generator_t *world,
                     double share, cell_result_t *result)
{
    static bool core[N];
    static track_bound_t bound;
    double all_m[2] = {0, 0}, core_m[2] = {0, 0}; /* early, late */
    track_bound_init(&bound, world);
    for (int set = 0; set < N_SETS; set++) {
        const double begun_s = stopwatch_processor_s();
        if (!run_set(track, network, world)) {
            return false;
        }
        result->seconds += share * (stopwatch_processor_s() - begun_s) / N_SETS;
        if (is_early(set) || is_late(set)) {
            limit_find_core(world, core);
            all_m[is_late(set)] += rmse_of(network, world, NULL) / N_EDGE;
            core_m[is_late(set)] += rmse_of(network, world, core) / N_EDGE;
        }
        if (share > 0 && world->cfg.inside) {
            track_bound_step(&bound, world);
        }
        if (share > 0 && !note_set(network, spare, world, &bound, core, set, share, result)) {
            return false;
        }
    }
    note_growth(&result->growth, all_m[0], all_m[1]);
    note_growth(&result->core_growth, core_m[0], core_m[1]);
    return true;
}

static generator_cfg_t draw_of(const cell_t *cell, uint64_t seed)
{
    const generator_cfg_t draw = {N, cell->n_anchors, DIM, cell->radius_m, cell->sigma, cell->eta, cell->inside, seed};
    return draw;
}

static void run_network(const cell_t *cell, uint64_t seed, double share, cell_result_t *result)
{
    static cairn_track_network_t track;
    generator_t world;
    cairn_network_t network;
    const generator_cfg_t draw = draw_of(cell, seed);
    const cairn_track_network_cfg_t cfg = {(cairn_real)cell->eta, (cairn_real)cell->radius_m};
    const size_t n_ranges = (size_t)N * 60; /* 35 links a node at R = .15 with both ends counted, and more */
    cairn_network_cfg_t network_cfg;
    memset(&network_cfg, 0, sizeof network_cfg);
    network_cfg.dim = DIM;
    network_cfg.noise_rel = (cairn_real)cell->sigma;
    network_cfg.noise_abs_m = 1e-5f;
    generator_init(&world, &draw);
    arrays_t arrays = make_arrays(n_ranges), spare = make_arrays(n_ranges);
    const bool good = cairn_network_init(&network, &network_cfg, &arrays.memory, N) == CAIRN_OK &&
                      give_places(&network, &world, true) &&
                      cairn_track_network_init(&track, &cfg, &network, arrays.work, arrays.n_words) == CAIRN_OK &&
                      run_sets(&track, &network, &spare, &world, share, result);
    result->failed = result->failed || !good;
    free_arrays(&arrays);
    free_arrays(&spare);
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

/* Track more networks until the growth inside the boundary is known; nothing else is asked of them. */
static void run_more(const cell_t *cell, uint64_t seed, cell_result_t *result)
{
    while (cell->inside && !result->failed && result->growth.n < N_MOST &&
           !(is_known(&result->growth) && is_known(&result->core_growth))) {
        run_network(cell, seed++, 0, result);
    }
}

/* Growth of the sensors with three ranges or more; of the others error and bound, early and late. */
static void print_few(output_t *out, const cell_result_t *result)
{
    const window_t *window[] = {&result->early, &result->late};
    if (!(result->early.held_m > 0)) {
        output_print(out, "  %5s", "-");
    } else {
        output_print(out, "  %5.3f", result->late.held_m / result->early.held_m);
    }
    for (size_t i = 0; i < 2; i++) {
        if (window[i]->n_few > 0) {
            output_print(out, "  %9.3e  %9.3e", sqrt(window[i]->few_m2 / window[i]->n_few),
                         sqrt(window[i]->few_bound_m2 / window[i]->n_few));
        } else {
            output_print(out, "  %9s  %9s", "-", "-");
        }
    }
}

/* Of minima that float and double choose differently, float's are not to be the worse ones, beyond the two deviations that
 * costs as unlike as these, with either sign by chance, would sum to. A map that is at no minimum falls short. */
static void judge_apart(verdict_t *verdict, bool ran, const track_apart_t *apart, char *text, size_t n_bytes)
{
    judge(verdict, ran && apart->n_unsettled == 0, "double", text, n_bytes);
    judge(verdict, ran && apart->cost <= 2 * sqrt(apart->cost2), "minima", text, n_bytes);
    judge(verdict, ran && apart->n_open == 0, "not converged", text, n_bytes);
}

static void print_apart(output_t *out, const track_apart_t *apart)
{
    output_print(out, "%6zu  %8.2e %6zu %8zu %5zu %6zu  %+7.2f %7.2f  %8.2e %6zu  %4zu", apart->n, apart->most_m,
                 apart->n_beyond, apart->n_undetermined, apart->n_unsettled,
                 apart->n_beyond - apart->n_undetermined - apart->n_unsettled,
                 apart->n_sets > 0 ? apart->cost / (double)apart->n_sets : 0, apart->cost_most, apart->shaken_most_m,
                 apart->n_shaken, apart->n_open);
}

static void print_cell(verdict_t *verdict, const cell_t *cell, const cell_result_t *result, uint64_t seed)
{
    char text[160] = "";
    track_apart_t apart;
    const generator_cfg_t draw = draw_of(cell, seed);
    const bool ran = track_apart_run(&draw, N_SETS, &apart);
    judge(verdict, !result->failed && result->all.track_m <= result->all.cold_m, "cold start", text, sizeof text);
    judge(verdict, !result->failed && result->core.track_m <= result->core.cold_m, "cold start (core)", text,
          sizeof text);
    if (cell->inside) {
        const bool few_grow = result->late.held_m <= growth_most * result->early.held_m;
        judge(verdict, growth_of(&result->growth) <= growth_most, few_grow ? "grows (0-2 ranges)" : "grows", text,
              sizeof text);
        judge(verdict, growth_of(&result->core_growth) <= growth_most, "grows (core)", text, sizeof text);
    }
    if (cell->eta < .02) {
        judge(verdict, result->core.track_m < result->core.limit_m, "limit", text, sizeof text);
    }
    output_print(verdict->out,
                 "%-6s %3zu  %4.2f  %4.2f  %4.2f  %9.3e  %9.3e  %9.3e  %9.3e  %9.3e  %5.1f  %9.3e  %9.3e  %9.3e  "
                 "%5.3f  %5.3f  %6.3f  %5.3f +-%4.2f %5.3f +-%4.2f %4.0f  %7.4f",
                 cell->inside ? "inside" : "free", cell->n_anchors, cell->radius_m, cell->sigma, cell->eta,
                 result->rmse_m, result->gift_m, result->first_m, result->all.track_m, result->all.cold_m,
                 100 * result->core_share, result->core.track_m, result->core.cold_m, result->core.limit_m,
                 result->core.track_m / result->core.limit_m, result->end_core.track_m / result->end_core.limit_m,
                 result->all.track_m / result->all.limit_m, growth_of(&result->core_growth),
                 growth_std_of(&result->core_growth), growth_of(&result->growth), growth_std_of(&result->growth),
                 result->growth.n, result->seconds);
    judge_apart(verdict, ran, &apart, text, sizeof text);
    print_few(verdict->out, result);
    output_print(verdict->out, "  ");
    print_apart(verdict->out, &apart);
    output_print(verdict->out, "  %s\n", text[0] != '\0' ? text : "ok");
    output_flush(verdict->out);
}

static cell_t cell_at(unsigned i)
{
    static const double radius_m[] = {.06, .1, .15}, sigma[] = {.01, .1}, eta[] = {.01, .05};
    static const size_t n_anchors[] = {5, 20};
    const cell_t cell = {i < 24, n_anchors[i / 12 % 2], radius_m[i / 4 % 3], sigma[i / 2 % 2], eta[i % 2]};
    return cell;
}

void track_grid_run_double(verdict_t *verdict, uint64_t seed, unsigned only_cell)
{
    output_print(
        verdict->out,
        "                               float from double         not de-    minima     costs apart       double "
        "shaken  sets\n"
        "bounds   m     R   sigma  eta       n  most     beyond termined  same  other     mean    most  most     beyond"
        "  open  verdict\n");
    for (unsigned i = 0; i < TRACK_GRID_CELLS; i++) {
        const cell_t cell = cell_at(i);
        const generator_cfg_t draw = draw_of(&cell, seed);
        track_apart_t apart;
        if (only_cell == 0 || only_cell == i + 1) {
            char text[120] = "";
            const bool ran = track_apart_run(&draw, N_SETS, &apart);
            judge_apart(verdict, ran, &apart, text, sizeof text);
            output_print(verdict->out, "%-6s %3zu  %4.2f  %4.2f  %4.2f  ", cell.inside ? "inside" : "free",
                         cell.n_anchors, cell.radius_m, cell.sigma, cell.eta);
            print_apart(verdict->out, &apart);
            output_print(verdict->out, "  %s\n", text[0] != '\0' ? text : "ok");
            output_flush(verdict->out);
        }
    }
}

void track_grid_run(verdict_t *verdict, unsigned n_seeds, uint64_t first_seed, unsigned only_cell)
{
    output_print(
        verdict->out,
        "                               all sensors, sets                            cold       core, sets 16-20"
        "                       of the limit          growth                                  3+     0-2 ranges, sets  "
        "                          float from double         not de-    minima     costs apart"
        "       double shaken  sets\n"
        "bounds   m     R   sigma  eta  1-20       1-5        6-10       16-20      start      %% of n tracked  "
        "  cold start limit      core   set 20 all     core         all          of n s a set  ranges 6-10       bound"
        "      16-20      bound           n  most     beyond termined  same  other     mean    most  most     beyond  "
        "open  verdict\n");
    for (unsigned i = 0; i < TRACK_GRID_CELLS; i++) {
        const cell_t cell = cell_at(i);
        cell_result_t result;
        if (only_cell != 0 && only_cell != i + 1) {
            continue;
        }
        memset(&result, 0, sizeof result);
        for (unsigned k = 0; k < n_seeds; k++) {
            run_network(&cell, first_seed + k, 1.0 / n_seeds, &result);
        }
        run_more(&cell, first_seed + n_seeds, &result);
        print_cell(verdict, &cell, &result, first_seed);
    }
}
