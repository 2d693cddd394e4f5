/* SPDX-License-Identifier: MIT
 * Localization from a cold start beside what the ranges allow: range-only least squares from the truth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "bench.h"
#include "exit_code.h"
#include "progress.h"
#include "trial.h"

enum { NETWORKS_MAX = 1000, RATIO_FAR_MOST = 2, SEED_SETS = 2, SEEDS_APART = 1000 };

static const double ratio_far = 1.3;
static const double percent_off_most = 2; /* placed sensors off by more than 4 deviations */
static const double nees_least = .7;      /* squared error per dimension over squared deviation, placed sensors */
static const double nees_most = 1.4;

/* What the error is set in relation to. */
typedef enum reference {
    REFERENCE_LIMIT, /* least squares from the truth, same ranges */
    REFERENCE_CLEAN, /* the same network without tripled ranges, squared loss */
    REFERENCE_COLD,  /* the same network without starts */
    REFERENCE_NONE
} reference_t;

/* A setting and its bounds; a bound of 0 is none. */
typedef struct cell {
    const char *name;
    trial_cfg_t trial; /* without the seed */
    size_t n_networks;
    reference_t reference;
    double ratio_most;  /* median over the networks */
    double core_most_m; /* mean over the networks */
    double all_most_m;
    bool far_counts; /* at most RATIO_FAR_MOST networks above ratio_far */
    bool honest;     /* percent_off_most, nees_least and nees_most hold */
    bool large;      /* only with --large */
} cell_t;

/* n_nodes, n_anchors, dim, radius_m, noise_rel, move_m, inside */
#define NETWORK(...) .trial.network = {__VA_ARGS__, 0}

/* Cells without a bound report what is reached. */
static const cell_t cells[] = {
    {.name = "cold 1000",
     NETWORK(1000, 20, 2, .06, .1, .1, true),
     .n_networks = 20,
     .reference = REFERENCE_LIMIT,
     .ratio_most = 1,
     .far_counts = true,
     .honest = true},
    {.name = "cold 4000",
     NETWORK(4000, 20, 2, .035, .1, .1, true),
     .n_networks = 6,
     .reference = REFERENCE_LIMIT,
     .ratio_most = .85,
     .honest = true},
    {.name = "cold 20000",
     NETWORK(20000, 20, 2, .018, .1, .1, true),
     .n_networks = 2,
     .reference = REFERENCE_LIMIT,
     .ratio_most = .85,
     .honest = true,
     .large = true},
    {.name = "cold 120000",
     NETWORK(120000, 20, 2, .008, .1, .1, true),
     .n_networks = 1,
     .reference = REFERENCE_LIMIT,
     .ratio_most = .90,
     .core_most_m = 6e-4,
     .honest = true,
     .large = true},
    {.name = "start .01",
     NETWORK(1000, 20, 2, .06, .1, .01, true),
     .trial.give_starts = true,
     .n_networks = 20,
     .reference = REFERENCE_COLD,
     .ratio_most = 1,
     .core_most_m = .0038,
     .honest = true},
    {.name = "start .03",
     NETWORK(1000, 20, 2, .06, .1, .03, true),
     .trial.give_starts = true,
     .n_networks = 20,
     .reference = REFERENCE_COLD,
     .ratio_most = 1,
     .core_most_m = .0052,
     .honest = true},
    {.name = "start .1",
     NETWORK(1000, 20, 2, .06, .1, .1, true),
     .trial.give_starts = true,
     .n_networks = 20,
     .reference = REFERENCE_COLD,
     .ratio_most = 1,
     .core_most_m = .0055,
     .all_most_m = .018,
     .honest = true},
    {.name = "missing 2%",
     NETWORK(4000, 20, 2, .035, .1, .1, true),
     .trial.missing = .02,
     .n_networks = 6,
     .reference = REFERENCE_NONE,
     .core_most_m = .0024,
     .honest = true},
    {.name = "missing 10%",
     NETWORK(4000, 20, 2, .035, .1, .1, true),
     .trial.missing = .1,
     .n_networks = 6,
     .reference = REFERENCE_NONE,
     .core_most_m = .0028,
     .honest = true},
    {.name = "missing 30%",
     NETWORK(4000, 20, 2, .035, .1, .1, true),
     .trial.missing = .3,
     .n_networks = 6,
     .reference = REFERENCE_NONE,
     .core_most_m = .0040,
     .honest = true},
    {.name = "tripled 10%",
     NETWORK(1000, 20, 2, .06, .1, .1, true),
     .trial.tripled = .1,
     .trial.loss = &cairn_loss_redescend,
     .n_networks = 10,
     .reference = REFERENCE_CLEAN,
     .ratio_most = 1.5},
    {.name = "sigma .01", NETWORK(1000, 20, 2, .06, .01, .1, true), .n_networks = 6, .reference = REFERENCE_LIMIT},
    {.name = "sigma .3", NETWORK(1000, 20, 2, .06, .3, .1, true), .n_networks = 6, .reference = REFERENCE_LIMIT},
    {.name = "m=5",
     NETWORK(1000, 5, 2, .06, .1, .1, true),
     .n_networks = 6,
     .reference = REFERENCE_LIMIT,
     .honest = true},
    {.name =
         "m=5 R=.1", /* between five anchors errors are those of the whole map: the nees of a network spreads by .2 */
     NETWORK(1000, 5, 2, .1, .1, .1, true),
     .n_networks = 20,
     .reference = REFERENCE_LIMIT,
     .honest = true},
    {.name = "m=50", NETWORK(1000, 50, 2, .06, .1, .1, true), .n_networks = 6, .reference = REFERENCE_LIMIT},
    {.name = "R=.05",
     NETWORK(1000, 20, 2, .05, .1, .1, true),
     .n_networks = 6,
     .reference = REFERENCE_LIMIT,
     .honest = true},
    {.name = "free edge", NETWORK(1000, 20, 2, .06, .1, .1, false), .n_networks = 6, .reference = REFERENCE_LIMIT},
    {.name = "3-D R=.2", NETWORK(1000, 20, 3, .2, .1, .1, true), .n_networks = 4, .reference = REFERENCE_LIMIT},
};

static const args_help_t help = {
    "cairn bench limit", "[OPTION...]",
    "Draws networks in the unit square or cube and locates them from a cold start, without or with the places before "
    "the\n"
    "sensors' last move. The core are the sensors from which three paths (in space four) lead to as many anchors, no\n"
    "two of them through the same sensor: what fewer join to all others turns about them, or has a mirror image.\n",
    "columns\n"
    "  core_m   root mean square error of the core, mean of the networks\n"
    "  all_m    the same of all sensors\n"
    "  ref_m    the reference: least squares from the truth (limit), the same network without outliers (clean) or\n"
    "           without starts (cold)\n"
    "  ratio    median of core_m / ref_m; far: networks above 1.3\n"
    "  nees     squared error per dimension over squared deviation, mean of the sensors said to be placed\n"
    "  off%     of these, the share that is off by more than 4 deviations\n"
    "  placed%  share of the sensors that are said to be placed\n"
    "  s        processor seconds a network, mean\n"
    "The row `never worse` compares with starts to without, network by network, on two sets of seeds 1000 apart: the\n"
    "error, which has a bound, and the misfit to ranges and starts. Where the error is above but the misfit is not, "
    "what\n"
    "was measured points away from the truth.\n"
    "Exit code 1 when a bound is missed; there is no tolerance.\n"};

typedef struct limit_arguments {
    const char *cell;
    bool large;
    uint64_t n_networks; /* 0: the cell's own number */
    uint64_t seed;       /* of the first network */
} limit_arguments_t;

typedef struct cell_result {
    double core_m;
    double all_m;
    double reference_m;
    double ratio; /* median */
    size_t n_far;
    size_t n_worse;  /* networks above the reference */
    size_t n_dearer; /* networks whose map fits ranges and starts worse than the reference's */
    double worst;    /* largest ratio */
    double nees;
    double percent_off;
    double percent_placed;
    double seconds;
    size_t n_lost;
    size_t n_loose; /* limits that did not converge */
    bool refused;
} cell_result_t;

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Error of the core of the reference; 0: there is none. dearer: whether the map fits worse than the reference's. */
static double run_reference(const cell_t *cell, trial_cfg_t cfg, const trial_t *trial, bool *dearer)
{
    trial_t other;
    *dearer = false;
    if (cell->reference == REFERENCE_LIMIT || cell->reference == REFERENCE_NONE) {
        return trial->limit_m;
    }
    cfg.give_starts = false;
    if (cell->reference == REFERENCE_CLEAN) {
        cfg.tripled = 0;
        cfg.loss = NULL;
    }
    trial_run(&cfg, false, &other);
    *dearer = trial->misfit > other.misfit;
    return other.rmse_core_m;
}

static cell_result_t run_cell(const cell_t *cell, size_t n_networks, uint64_t seed, progress_t *progress)
{
    static double ratios[NETWORKS_MAX];
    cell_result_t result;
    size_t n_placed = 0;
    size_t n_sensors = n_networks * (cell->trial.network.n_nodes - cell->trial.network.n_anchors);
    memset(&result, 0, sizeof result);
    for (size_t k = 0; k < n_networks && !result.refused; k++) {
        trial_t trial;
        trial_cfg_t cfg = cell->trial;
        cfg.network.seed = seed + k;
        trial_run(&cfg, cell->reference == REFERENCE_LIMIT, &trial);
        progress_update(progress, (double)(k + 1) / (double)n_networks, cell->name);
        bool dearer;
        double reference_m = run_reference(cell, cfg, &trial, &dearer);
        ratios[k] = reference_m > 0 ? trial.rmse_core_m / reference_m : 0;
        result.refused = trial.status < 0;
        result.core_m += trial.rmse_core_m / (double)n_networks;
        result.all_m += trial.rmse_m / (double)n_networks;
        result.reference_m += reference_m / (double)n_networks;
        result.n_far += ratios[k] > ratio_far;
        result.n_worse += ratios[k] > 1;
        result.n_dearer += dearer;
        result.worst = fmax(result.worst, ratios[k]);
        result.nees += trial.nees * (double)trial.n_placed;
        result.percent_off += 100 * (double)trial.n_off;
        n_placed += trial.n_placed;
        result.seconds += trial.seconds / (double)n_networks;
        result.n_lost += trial.n_lost;
        result.n_loose += cell->reference == REFERENCE_LIMIT && !trial.limit_converged;
    }
    qsort(ratios, n_networks, sizeof ratios[0], compare_reals);
    result.ratio = (ratios[(n_networks - 1) / 2] + ratios[n_networks / 2]) / 2;
    result.nees /= n_placed > 0 ? (double)n_placed : 1;
    result.percent_off /= n_placed > 0 ? (double)n_placed : 1;
    result.percent_placed = 100 * (double)n_placed / (double)n_sensors;
    return result;
}

static bool within(double value, double bound) { return !(bound > 0) || value <= bound; }

/* Print the row of a cell; returns whether it is good. */
static bool print_row(output_t *out, const cell_t *cell, const cell_result_t *result)
{
    static const char *const references[] = {"limit", "clean", "cold", "-"};
    const char *missed = result->refused                                          ? "refused"
                         : !within(result->core_m, cell->core_most_m)             ? "falls short: core_m"
                         : !within(result->all_m, cell->all_most_m)               ? "falls short: all_m"
                         : !within(result->ratio, cell->ratio_most)               ? "falls short: ratio"
                         : cell->far_counts && result->n_far > RATIO_FAR_MOST     ? "falls short: far"
                         : cell->honest && result->percent_off > percent_off_most ? "falls short: off%"
                         : cell->honest && !(result->nees >= nees_least)          ? "falls short: nees, too cautious"
                         : cell->honest && result->nees > nees_most               ? "falls short: nees, too sure"
                                                                                  : NULL;
    output_print(out, "%-12s %9.3e %9.3e %-5s %9.3e %6.3f %3zu %5.2f %5.2f %7.2f %4zu %8.3f  %s%s\n", cell->name,
                 result->core_m, result->all_m, references[cell->reference], result->reference_m, result->ratio,
                 result->n_far, result->nees, result->percent_off, result->percent_placed, result->n_lost,
                 result->seconds, missed != NULL ? missed : "ok",
                 result->n_loose > 0 ? " (a limit has not converged)" : "");
    output_flush(out);
    return missed == NULL;
}

static const char never_worse[] = "never worse";

/* With starts never worse than without, network by network, on two sets of seeds; prints the row, returns whether it is
 * good. */
static bool run_never_worse(output_t *out, const limit_arguments_t *values, progress_t *progress)
{
    size_t n_networks = 0;
    size_t n_worse = 0;
    size_t n_dearer = 0;
    double worst = 0;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        for (uint64_t set = 0; set < SEED_SETS && cells[i].reference == REFERENCE_COLD; set++) {
            size_t n = values->n_networks > 0 ? (size_t)values->n_networks : cells[i].n_networks;
            cell_result_t result = run_cell(&cells[i], n, values->seed + set * SEEDS_APART, progress);
            n_networks += n;
            n_worse += result.n_worse;
            n_dearer += result.n_dearer;
            worst = fmax(worst, result.worst);
        }
    }
    output_print(
        out,
        "%-12s core_m with starts above that without in %zu of %zu networks, ratio at most %.3f; misfit in %zu  "
        "%s\n",
        never_worse, n_worse, n_networks, worst, n_dearer, n_worse > 0 ? "falls short" : "ok");
    output_flush(out);
    return n_worse == 0;
}

static bool is_chosen(const limit_arguments_t *values, const char *name, bool large)
{
    return values->cell != NULL ? strncmp(name, values->cell, strlen(values->cell)) == 0 : values->large || !large;
}

static int run_cells(const limit_arguments_t *values)
{
    output_t out;
    progress_t progress;
    size_t n_run = 0;
    size_t n_short = 0;
    if (!output_open(&out, "-")) {
        return CLI_BAD_DATA;
    }
    output_print(
        &out,
        "cell            core_m     all_m ref       ref_m  ratio far  nees  off%% placed%% lost        s  verdict\n");
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        if (is_chosen(values, cells[i].name, cells[i].large)) {
            size_t n_networks = values->n_networks > 0 ? (size_t)values->n_networks : cells[i].n_networks;
            progress_begin(&progress, true);
            cell_result_t result = run_cell(&cells[i], n_networks, values->seed, &progress);
            progress_end(&progress);
            n_run++;
            n_short += !print_row(&out, &cells[i], &result);
        }
    }
    if (is_chosen(values, never_worse, false)) {
        progress_begin(&progress, true);
        bool good = run_never_worse(&out, values, &progress);
        progress_end(&progress);
        n_run++;
        n_short += !good;
    }
    output_print(&out, "%zu of %zu cells ok\n", n_run - n_short, n_run);
    output_result_t written = output_close(&out);
    return written == OUTPUT_FAILED || n_short > 0 || n_run == 0 ? CLI_BAD_DATA : CLI_DONE;
}

static int run(int argc, char **argv)
{
    limit_arguments_t v = {NULL, false, 0, 1};
    args_option_t options[] = {
        args_text("--cell", &v.cell, "NAME", "only the cells whose name begins so, for example cold"),
        args_count("--seeds", &v.n_networks, "K", 1, NETWORKS_MAX, "networks a cell, default: each cell's own number"),
        args_count("--seed", &v.seed, "N", 0, UINT32_MAX,
                   "seed of a cell's first network, default 1; others follow it"),
        args_flag("--large", &v.large, "also 20000 and 120000 nodes; their limits take minutes"),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    return args_parse(&help, argc, argv, options, n_options, &code) ? run_cells(&v) : code;
}

const bench_t bench_limit = {"limit", "localization from a cold start, beside what the ranges allow", run};
