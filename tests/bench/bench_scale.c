/* SPDX-License-Identifier: MIT
 * Time and memory of a cold start over the size of the network. */
#include <string.h>

#include "args.h"
#include "bench.h"
#include "exit_code.h"
#include "trial.h"

static const double bytes_a_node = 80;
static const double bytes_a_range = 16;

typedef struct cell {
    size_t n_nodes;
    double radius_m;
    double seconds_most; /* 0: none */
    double core_most_m;  /* 0: none */
    bool large;          /* only with --large */
} cell_t;

static const cell_t cells[] = {
    {1000, .06, .04, 0, false},     {4000, .035, 0, 0, false},   {20000, .018, 1.5, 0, false},
    {120000, .008, 9, 6e-4, false}, {1000000, .003, 0, 0, true},
};

static const args_help_t help = {
    "cairn bench scale", "[OPTION...]", "Locates networks of 20 anchors and sigma .1 from a cold start, on one core.\n",
    "columns\n"
    "  s         processor seconds, the least of the runs; entering the ranges is not counted\n"
    "  B/node    bytes of network, work and objects a node, beyond 16 a range; at most 80\n"
    "  core_m    root mean square error of the core\n"
    "Exit code 1 when a bound is missed; there is no tolerance.\n"};

typedef struct scale_arguments {
    bool large;
    uint64_t n_runs;
} scale_arguments_t;

static bool run_cell(output_t *out, const cell_t *cell, size_t n_runs)
{
    trial_cfg_t cfg = {{cell->n_nodes, 20, 2, cell->radius_m, .1, .1, true, 1}, 0, 0, false, NULL};
    trial_t trial;
    double least_s = 0;
    for (size_t run = 0; run < n_runs; run++) {
        trial_run(&cfg, false, &trial);
        least_s = run == 0 || trial.seconds < least_s ? trial.seconds : least_s;
    }
    double fixed_bytes = (double)trial.bytes - bytes_a_range * (double)trial.n_ranges;
    bool fast = !(cell->seconds_most > 0) || least_s <= cell->seconds_most;
    bool small = fixed_bytes <= bytes_a_node * (double)cell->n_nodes;
    bool accurate =
        trial.status >= 0 && trial.n_lost == 0 && (!(cell->core_most_m > 0) || trial.rmse_core_m <= cell->core_most_m);
    output_print(out, "%8zu %6.3f %9zu %9.3f %8.3f %7.2f %12zu %9.3e %5zu  %s\n", cell->n_nodes, cell->radius_m,
                 trial.n_ranges, least_s, cell->seconds_most, fixed_bytes / (double)cell->n_nodes, trial.bytes,
                 trial.rmse_core_m, trial.n_lost,
                 !accurate ? "falls short: core_m"
                 : !fast   ? "falls short: seconds"
                 : !small  ? "falls short: memory"
                           : "ok");
    output_flush(out);
    return accurate && fast && small;
}

static int run_cells(const scale_arguments_t *values)
{
    output_t out;
    size_t n_short = 0;
    if (!output_open(&out, "-")) {
        return CLI_BAD_DATA;
    }
    output_print(&out, "       n      R    ranges         s  limit_s  B/node        bytes    core_m  lost  verdict\n");
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        if (values->large || !cells[i].large) {
            n_short += !run_cell(&out, &cells[i], (size_t)values->n_runs);
        }
    }
    output_result_t written = output_close(&out);
    return written == OUTPUT_FAILED || n_short > 0 ? CLI_BAD_DATA : CLI_DONE;
}

static int run(int argc, char **argv)
{
    scale_arguments_t v = {false, 3};
    args_option_t options[] = {
        args_flag("--large", &v.large, "also 1000000 nodes"),
        args_count("--runs", &v.n_runs, "K", 1, 100, "runs a size, default 3"),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    return args_parse(&help, argc, argv, options, n_options, &code) ? run_cells(&v) : code;
}

const bench_t bench_scale = {"scale", "time and memory of a cold start over the size of the network", run};
