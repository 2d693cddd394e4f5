/* SPDX-License-Identifier: MIT
 * Static localization of measured networks: 44 office devices by signal strength, four robots by single frames of UWB. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "bench.h"
#include "cairn/lift.h"
#include "exit_code.h"
#include "locate_files.h"
#include "memory.h"
#include "network_arrays.h"
#include "output.h"
#include "real_data.h"
#include "real_robots.h"
#include "stopwatch.h"

static const double goal_office_m = 2.30;
static const double office_noise = 0.47; /* of the range: signal strength deviation over path loss, as published */

/* One way to treat the office: what is compared, and the one that is judged. */
typedef struct office_case {
    const char *name;
    const cairn_loss_t *loss;
    bool gains;
    bool judged;
} office_case_t;

static const office_case_t office_cases[] = {
    {"log, gain per device", &cairn_loss_log, true, true},
    {"log, no bias", &cairn_loss_log, false, false},
    {"squared, gain per device", &cairn_loss_squared, true, false},
    {"squared, no bias", &cairn_loss_squared, false, false},
};

/* Arrays of one localization. */
typedef struct office {
    locate_files_t files;
    cairn_network_cfg_t cfg;
    cairn_network_memory_t memory;
    cairn_network_t network;
    cairn_real *values;
    cairn_word_t *work;
    size_t work_len;
} office_t;

static void allocate(office_t *self)
{
    size_t n_nodes = self->files.nodes.ids.n_ids;
    network_arrays_allocate(&self->memory, n_nodes, self->files.ranges.n_rows, self->files.dim);
    self->values = memory_zeroed(n_nodes, sizeof *self->values);
    self->work_len = CAIRN_LIFT_WORDS(n_nodes, self->files.dim);
    self->work = memory_zeroed(self->work_len, sizeof *self->work);
}

static void release(office_t *self)
{
    network_arrays_free(&self->memory);
    free(self->values);
    free(self->work);
    locate_files_free(&self->files);
}

/* The ranges' own deviation column is left out: they all deviate by one share. */
static cairn_status fill(office_t *self)
{
    cairn_status status = cairn_network_init(&self->network, &self->cfg, &self->memory, self->files.nodes.ids.n_ids);
    for (size_t i = 0; i < self->files.ranges.n_rows && status == CAIRN_OK; i++) {
        const range_row_t *row = &self->files.ranges.row[i];
        status = cairn_network_add_range(&self->network, row->a, row->b, (cairn_real)row->range_m, 0);
    }
    for (size_t i = 0; i < self->files.nodes.ids.n_ids && status == CAIRN_OK; i++) {
        if (self->files.known[i] == KNOWN_ANCHOR) {
            cairn_real place_m[2];
            place_m[0] = (cairn_real)self->files.known_m[2 * i];
            place_m[1] = (cairn_real)self->files.known_m[2 * i + 1];
            status = cairn_network_set_anchor(&self->network, (uint32_t)i, place_m);
        }
    }
    return status == CAIRN_OK ? cairn_network_seal(&self->network) : status;
}

static cairn_status solve(office_t *self, const office_case_t *which, uint32_t seed, double *cost)
{
    static const cairn_bias_cfg_t gains = {CAIRN_BIAS_GAIN, 0, (cairn_real)0.2, (cairn_real)1.5};
    cairn_lift_cfg_t cfg = cairn_lift_cfg_default;
    cairn_bias_t bias;
    cairn_lift_t lift;
    cfg.loss = which->loss;
    cfg.seed = seed;
    cairn_status status = cairn_bias_init(&bias, &gains, &self->network, self->values, self->files.nodes.ids.n_ids);
    if (status == CAIRN_OK) {
        status = cairn_lift_init(&lift, &cfg, &self->network, which->gains ? &bias : NULL, self->work, self->work_len);
    }
    if (status < 0) {
        return status;
    }
    do {
        status = cairn_lift_step(&lift, 1000000);
    } while (status == CAIRN_MORE);
    *cost = (double)cairn_lift_get_cost(&lift);
    return status;
}

/* Root mean square error of the sensors, and mean over them of the squared error a dimension over the variance. */
static double compare(const office_t *self, double *nees)
{
    double sum = 0;
    double sum_ratio = 0;
    size_t n = 0;
    for (size_t i = 0; i < self->files.nodes.ids.n_ids; i++) {
        cairn_real place_m[2] = {0, 0};
        cairn_real std_m = 0;
        if (self->files.known[i] == KNOWN_ANCHOR || !self->files.has_truth[i] ||
            cairn_network_get_place(&self->network, (uint32_t)i, place_m, &std_m) < 0) {
            continue;
        }
        double x_m = (double)place_m[0] - self->files.truth_m[2 * i];
        double y_m = (double)place_m[1] - self->files.truth_m[2 * i + 1];
        sum += x_m * x_m + y_m * y_m;
        sum_ratio += (x_m * x_m + y_m * y_m) / (2 * (double)std_m * (double)std_m);
        n++;
    }
    *nees = sum_ratio / (double)(n > 0 ? n : 1);
    return n > 0 ? sqrt(sum / (double)n) : HUGE_VAL;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* One row; returns whether it is good. */
static bool run_office_case(output_t *out, office_t *self, const office_case_t *which, uint64_t n_starts)
{
    double *rmse_m = memory_zeroed(n_starts, sizeof *rmse_m);
    double nees = 0;
    double cost = 0;
    double begin_s = stopwatch_processor_s();
    for (uint64_t k = 0; k < n_starts; k++) {
        cairn_status status = solve(self, which, (uint32_t)(k + 1), &cost);
        double nees_one = 0;
        rmse_m[k] = status < 0 ? HUGE_VAL : compare(self, &nees_one);
        nees += nees_one / (double)n_starts;
    }
    double seconds = (stopwatch_processor_s() - begin_s) / (double)n_starts;
    qsort(rmse_m, n_starts, sizeof *rmse_m, by_value);
    bool good = rmse_m[n_starts - 1] <= goal_office_m;
    output_print(out, "%-26s %6llu  %7.3f  %7.3f  %7.3f  %6.2f  %6.2f  %6.3f  %s\n", which->name,
                 (unsigned long long)n_starts, rmse_m[0], rmse_m[n_starts / 2], rmse_m[n_starts - 1],
                 which->judged ? goal_office_m : 0.0, nees, seconds,
                 !which->judged ? "-"
                 : good         ? "ok"
                                : "falls short");
    free(rmse_m);
    return good || !which->judged;
}

static int run_office(output_t *out, uint64_t n_starts)
{
    office_t self;
    char ranges[REAL_DATA_PATH_BYTES];
    char anchors[REAL_DATA_PATH_BYTES];
    char truth[REAL_DATA_PATH_BYTES];
    locate_paths_t paths = {ranges, anchors, NULL, truth};
    range_rules_t rules = {RANGE_LIMIT_M, false};
    int n_short = 0;
    memset(&self, 0, sizeof self);
    if (!real_data_path(ranges, "patwari-utah-cir/ranges.csv") ||
        !real_data_path(anchors, "patwari-utah-cir/anchors.csv") ||
        !real_data_path(truth, "patwari-utah-cir/truth.csv")) {
        output_print(out, "office: skipped, no data\n");
        return 0;
    }
    if (!locate_files_read(&self.files, &paths, 2, &rules)) {
        return 1;
    }
    self.cfg.dim = 2;
    self.cfg.noise_rel = (cairn_real)office_noise;
    allocate(&self);
    output_print(out,
                 "office, 44 devices, 4 of them anchors, 946 ranges from signal strength; every start is random\n"
                 "treatment                  starts   best_m  median_m  worst_m    goal    nees       s  verdict\n");
    if (fill(&self) == CAIRN_OK) {
        for (size_t i = 0; i < sizeof office_cases / sizeof office_cases[0]; i++) {
            n_short += !run_office_case(out, &self, &office_cases[i], n_starts);
            output_flush(out);
        }
    } else {
        n_short = 1;
    }
    release(&self);
    return n_short;
}

static const args_help_t help = {
    "cairn bench real-static", "[OPTION...]",
    "Locates measured static networks from the ranges alone.\n" REAL_DATA_HELP,
    "columns\n"
    "  best_m median_m worst_m  root mean square error of a map, over the starts\n"
    "  goal                     worst_m must not be above\n"
    "  nees                     mean squared error per dimension over stated variance, 1 when the deviations are "
    "right\n"
    "Exit code 1 when a row falls short.\n"};

static int run(int argc, char **argv)
{
    uint64_t n_starts = 20;
    output_t out;
    args_option_t options[] = {
        args_count("--starts", &n_starts, "K", 1, 10000, "random starts of the office, default 20")};
    int code;
    if (!args_parse(&help, argc, argv, options, 1, &code)) {
        return code;
    }
    if (!output_open(&out, "-")) {
        return CLI_BAD_DATA;
    }
    int n_short = run_office(&out, n_starts);
    n_short += real_robots(&out);
    output_result_t written = output_close(&out);
    return written == OUTPUT_FAILED || n_short > 0 ? CLI_BAD_DATA : CLI_DONE;
}

const bench_t bench_real_static = {"real-static", "static localization of measured networks", run};
