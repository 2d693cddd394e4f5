/* SPDX-License-Identifier: MIT
 * Localization of moving networks with a start, beside the figures published for PLACEMENT in the thesis "Geometric
 * Methods in Machine Learning and Data Mining" (2012), chapter 5: RMSE and seconds, mean of six networks. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "bench.h"
#include "exit_code.h"
#include "generator.h"
#include "locate_job.h"
#include "memory.h"

enum { DIM = 2, N_NETWORKS = 6 };

static const double speed_factor = 10; /* published seconds are of 2012: a tenth of them is to be reached */

typedef enum cell_set { SET_BASIC, SET_LARGE, SET_ANCHORS } cell_set_t;

static const char *const set_names[] = {"basic", "large", "anchors", NULL};

typedef struct cell {
    cell_set_t set;
    size_t n_nodes;
    size_t n_anchors;
    double radius_m;
    double noise_rel;
    double move_m;
    double published_rmse_m;
    double published_s; /* 0: not published */
} cell_t;

static const cell_t cells[] = {
    /* clang-format off */
    {SET_BASIC, 1000, 20, .06, .1, .01, 5.65e-3, .73},
    {SET_BASIC, 1000, 20, .06, .1, .1, 3.09e-2, 1.93},
    {SET_BASIC, 1000, 20, .06, .1, .2, 3.82e-2, 3.47},
    {SET_BASIC, 1000, 20, .06, .3, .1, 3.38e-2, 1.11},
    {SET_BASIC, 2000, 20, .05, .1, .01, 6.28e-3, 2.09},
    {SET_BASIC, 2000, 20, .05, .1, .1, 2.12e-2, 6.73},
    {SET_BASIC, 2000, 20, .05, .1, .2, 3.02e-2, 10.1},
    {SET_BASIC, 2000, 20, .05, .3, .1, 2.52e-2, 7.01},
    {SET_BASIC, 4000, 20, .035, .1, .01, 2.69e-3, 1.78},
    {SET_BASIC, 4000, 20, .035, .1, .1, 1.75e-2, 15.9},
    {SET_BASIC, 4000, 20, .035, .1, .2, 2.44e-2, 21.1},
    {SET_BASIC, 4000, 20, .035, .3, .1, 1.69e-2, 12.5},
    {SET_LARGE, 20000, 20, .018, .1, .01, 1.8e-3, 13},
    {SET_LARGE, 20000, 20, .018, .1, .1, 1.1e-2, 87},
    {SET_LARGE, 40000, 20, .015, .1, .01, 1.3e-3, 50},
    {SET_LARGE, 40000, 20, .015, .1, .1, 8.4e-3, 305},
    {SET_LARGE, 80000, 20, .010, .1, .01, 1.4e-3, 125},
    {SET_LARGE, 80000, 20, .010, .1, .1, 8.3e-3, 729},
    {SET_LARGE, 120000, 20, .008, .1, .01, 1.4e-3, 202},
    {SET_LARGE, 120000, 20, .008, .1, .1, 8.0e-3, 1085},
    {SET_ANCHORS, 1000, 5, .10, .1, .1, 1.40e-2, 0},
    {SET_ANCHORS, 1000, 50, .15, .1, .1, 3.5e-3, 0},
    {SET_ANCHORS, 1000, 200, .15, .1, .1, 2.9e-3, 0},
    {SET_ANCHORS, 4000, 5, .10, .1, .1, 4.9e-4, 0},
    /* clang-format on */
};

static const args_help_t help = {
    "cairn bench locate", "[OPTION...]",
    "Draws the thesis's networks (sensors moved once by eta N(0,1) within the unit square, range noise\n"
    "sigma) and locates the sensors from the ranges after the move and the places before it.\n",
    "columns\n"
    "  rmse_m    root mean square error over all sensors, mean of the networks\n"
    "  thesis    the published rmse_m\n"
    "  s         processor seconds a network, without drawing it\n"
    "  limit_s   a tenth of the published seconds; 0: none published, no limit\n"
    "  worst_m   the largest rmse_m of the networks\n"
    "  lost      sensors without a place, all networks; any makes the cell fall short\n"
    "  verdict   ok when rmse_m is below thesis and s below limit_s, with no tolerance\n"
    "Exit code 1 when a cell falls short.\n"};

typedef struct bench_arguments {
    const char *cell;
    uint64_t n_networks;
    uint64_t first_seed;
    size_t set;
} bench_arguments_t;

typedef struct cell_result {
    double rmse_m;
    double worst_m;
    double seconds;
    size_t n_lost;
    bool failed; /* the library refused */
} cell_result_t;

static void name_cell(const cell_t *cell, char *name, size_t name_bytes)
{
    snprintf(name, name_bytes, "%zu/%g/%g", cell->n_nodes, cell->noise_rel, cell->move_m);
}

/* A cell is chosen by its whole name or by the leading parts of it. */
static bool is_chosen(const cell_t *cell, const bench_arguments_t *values)
{
    char name[64];
    if ((size_t)cell->set != values->set || values->cell == NULL) {
        return (size_t)cell->set == values->set;
    }
    name_cell(cell, name, sizeof name);
    size_t length = strlen(values->cell);
    return strncmp(name, values->cell, length) == 0 && (name[length] == '\0' || name[length] == '/');
}

static locate_problem_t make_problem(const generator_t *network, const uint8_t *known, const double *before_m)
{
    static const double origin_m[DIM] = {0, 0};
    locate_problem_t problem = {
        network->cfg.n_nodes, DIM, network->ranges.row, network->ranges.n_rows, known, before_m, origin_m};
    return problem;
}

static cairn_status run_network(const cell_t *cell, uint64_t seed, locate_answer_t *answer, locate_error_t *error)
{
    generator_t network;
    generator_cfg_t cfg = {cell->n_nodes,   cell->n_anchors, DIM,  cell->radius_m,
                           cell->noise_rel, cell->move_m,    true, seed};
    locate_options_t options = {
        cell->noise_rel, 0, cell->radius_m, 0, &cairn_loss_squared, LOCATE_LIGHT, LOCATE_BIAS_NONE, 0, 0, NULL, 0};
    generator_init(&network, &cfg);
    size_t place_bytes = cfg.n_nodes * DIM * sizeof(double);
    double *before_m = memory_zeroed(1, place_bytes);
    uint8_t *known = memory_zeroed(cfg.n_nodes, sizeof *known);
    memcpy(before_m, network.place_m, place_bytes);
    for (size_t i = 0; i < cfg.n_nodes; i++) {
        known[i] = i < cell->n_anchors ? KNOWN_ANCHOR : KNOWN_START;
    }
    generator_move(&network);
    cairn_status status = CAIRN_ERR_SIZE;
    if (generator_measure(&network)) {
        locate_problem_t problem = make_problem(&network, known, before_m);
        status = locate_job_run(&problem, &options, NULL, answer);
        if (status >= 0) {
            locate_answer_compare(&problem, answer, network.place_m, NULL, error);
        }
    }
    free(before_m);
    free(known);
    generator_free(&network);
    return status;
}

static cell_result_t run_cell(const cell_t *cell, uint64_t first_seed, uint64_t n_networks, progress_t *progress,
                              double share_before, double share)
{
    cell_result_t result;
    memset(&result, 0, sizeof result);
    for (uint64_t i = 0; i < n_networks && !result.failed; i++) {
        const uint64_t seed = first_seed + i;
        locate_answer_t answer;
        locate_error_t error;
        cairn_status status = run_network(cell, seed, &answer, &error);
        progress_update(progress, share_before + share * (double)(i + 1) / (double)n_networks, "networks");
        if (status < 0) {
            fprintf(stderr, "cairn bench locate: seed %llu: %s\n", (unsigned long long)seed, cairn_status_name(status));
            result.failed = true;
            continue;
        }
        result.rmse_m += error.rmse_m / (double)n_networks;
        result.worst_m = error.rmse_m > result.worst_m ? error.rmse_m : result.worst_m;
        result.seconds += answer.processor_s / (double)n_networks;
        result.n_lost += cell->n_nodes - cell->n_anchors - error.n_compared;
        locate_answer_free(&answer);
    }
    return result;
}

/* Print the row of a cell; returns whether it is good. */
static bool print_row(output_t *out, const cell_t *cell, const cell_result_t *result)
{
    double limit_s = cell->published_s / speed_factor;
    bool accurate = !result->failed && result->n_lost == 0 && result->rmse_m < cell->published_rmse_m;
    bool fast = !result->failed && (!(limit_s > 0) || result->seconds < limit_s);
    const char *verdict = result->failed     ? "refused"
                          : accurate && fast ? "ok"
                          : accurate         ? "falls short: seconds"
                          : fast             ? "falls short: rmse_m"
                                             : "falls short: both";
    output_print(out, "%6zu  %4zu  %5.3f  %5.2f  %5.2f  %9.3e  %9.3e  %8.3f  %8.3f  %9.3e  %5zu  %s\n", cell->n_nodes,
                 cell->n_anchors, cell->radius_m, cell->noise_rel, cell->move_m, result->rmse_m, cell->published_rmse_m,
                 result->seconds, limit_s, result->worst_m, result->n_lost, verdict);
    return accurate && fast;
}

static int run_cells(const bench_arguments_t *values)
{
    output_t out;
    progress_t progress;
    size_t n_all = sizeof cells / sizeof cells[0];
    size_t n_run = 0;
    size_t n_short = 0;
    size_t n_chosen = 0;
    for (size_t i = 0; i < n_all; i++) {
        n_chosen += is_chosen(&cells[i], values);
    }
    if (n_chosen == 0) {
        return args_usage_error(help.command, "there is no cell '%s'", values->cell);
    }
    if (!output_open(&out, "-")) {
        return CLI_BAD_DATA;
    }
    output_print(&out, "     n     m      R  sigma    eta     rmse_m     thesis         s   limit_s    worst_m   lost  "
                       "verdict\n");
    for (size_t i = 0; i < n_all && out.error == 0; i++) {
        if (is_chosen(&cells[i], values)) {
            progress_begin(&progress, true);
            cell_result_t result = run_cell(&cells[i], values->first_seed, values->n_networks, &progress,
                                            (double)n_run / (double)n_chosen, 1.0 / (double)n_chosen);
            progress_end(&progress);
            n_run++;
            n_short += !print_row(&out, &cells[i], &result);
            output_flush(&out);
        }
    }
    output_print(&out, "%zu of %zu cells ok, %llu networks each%s\n", n_run - n_short, n_run,
                 (unsigned long long)values->n_networks,
                 values->n_networks == N_NETWORKS ? "" : " (the published figures are means of 6)");
    output_result_t written = output_close(&out);
    return written == OUTPUT_FAILED || n_short > 0 ? CLI_BAD_DATA : CLI_DONE;
}

static int run(int argc, char **argv)
{
    bench_arguments_t v = {NULL, N_NETWORKS, 1, SET_BASIC};
    args_option_t options[] = {
        args_text("--cell", &v.cell, "N[/SIGMA[/ETA]]", "only these cells, for example 1000/0.1/0.01"),
        args_count("--seeds", &v.n_networks, "K", 1, 1000, "networks a cell, default 6"),
        args_count("--seed", &v.first_seed, "N", 0, UINT32_MAX,
                   "seed of a cell's first network, default 1; others follow it"),
        args_choice("--set", &v.set, set_names,
                    "basic (default), large (n = 20000 to 120000), anchors (5 to 200 anchors, denser networks)"),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    return args_parse(&help, argc, argv, options, n_options, &code) ? run_cells(&v) : code;
}

const bench_t bench_locate = {"locate", "localization of moving networks, beside the thesis's figures", run};
