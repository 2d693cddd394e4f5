/* SPDX-License-Identifier: MIT
 * cairn simulate: made-up data with known truth, as files of the formats that the other commands read. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "cairn/network.h"
#include "command.h"
#include "exit_code.h"
#include "bench/generator.h"
#include "memory.h"

enum { PATH_BYTES = 4096, ANCHORS_USUAL = 20 };

static const char *const boundary_names[] = {"inside", "free", NULL};

static const args_help_t help_all = {"cairn simulate", "network [OPTION...]",
                                     "  network  sensors, anchors and ranges in the unit square or cube\n", NULL};

static const args_help_t help_network = {
    "cairn simulate network", "--out DIR [OPTION...]",
    "Draws a network: nodes uniform in the unit square (cube with --dim 3), ids 0 to N-1, the first M are anchors.\n"
    "Sensors then move T steps of ETA x N(0,1) a coordinate; anchors stay. Two nodes have a range when they are\n"
    "nearer than R: distance x (1 + SIGMA x N(0,1)); ranges that come out <= 0 are lost. Units are metres.\n",
    "files in DIR, which is made when it is missing\n"
    "  ranges.csv   a,b,range_m        after the last step\n"
    "  anchors.csv  id,x_m,y_m[,z_m]\n"
    "  start.csv    id,x_m,y_m[,z_m]   sensors before the first step\n"
    "  truth.csv    id,x_m,y_m[,z_m]   sensors after the last step\n"
    "with two steps or more also\n"
    "  log.csv           t_s,a,b,range_m      of every step, t_s = 1, 2 ...\n"
    "  track_truth.csv   t_s,id,x_m,y_m[,z_m]\n"
    "summary (standard error stream)\n"
    "  sensors anchors ranges ranges_lost mean_degree\n"
    "example\n"
    "  cairn simulate network --n 200 --radius 0.15 --out net\n"
    "The same seed gives the same first places for every ETA, SIGMA and R.\n"};

typedef struct simulate_arguments {
    uint64_t n_nodes;
    uint64_t n_anchors;
    uint64_t dim;
    uint64_t n_steps;
    uint64_t seed;
    size_t boundary;
    double radius_m;
    double noise_rel;
    double move_m;
    double anchor_height_m; /* below 0: not given */
    const char *directory;
} simulate_arguments_t;

/* The files that are open while the network moves. */
typedef struct logs {
    bool wanted;
    output_t ranges;
    output_t truth;
    char ranges_path[PATH_BYTES];
    char truth_path[PATH_BYTES];
} logs_t;

static bool make_directory(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
        return true;
    }
    fprintf(stderr, "%s: the directory cannot be made, %s: choose another\n", path, strerror(errno));
    return false;
}

static bool open_in(output_t *out, char *path, const char *directory, const char *name)
{
    if (snprintf(path, PATH_BYTES, "%s/%s", directory, name) >= PATH_BYTES) {
        fprintf(stderr, "%s: the name is too long: choose a shorter one\n", directory);
        return false;
    }
    return output_open(out, path);
}

static void print_place(output_t *out, const generator_t *network, size_t node)
{
    output_print(out, "%zu", node);
    for (size_t k = 0; k < network->cfg.dim; k++) {
        output_print(out, ",%.9g", network->place_m[node * network->cfg.dim + k]);
    }
    output_print(out, "\n");
}

static const char *place_columns(const generator_t *network)
{
    return network->cfg.dim == 3 ? "id,x_m,y_m,z_m" : "id,x_m,y_m";
}

static bool write_places(const generator_t *network, const char *directory, const char *name, size_t first, size_t end)
{
    output_t out;
    char path[PATH_BYTES];
    if (!open_in(&out, path, directory, name)) {
        return false;
    }
    output_print(&out, "%s\n", place_columns(network));
    for (size_t node = first; node < end; node++) {
        print_place(&out, network, node);
    }
    return output_close(&out) == OUTPUT_DONE;
}

static bool write_ranges(const generator_t *network, const char *directory)
{
    output_t out;
    char path[PATH_BYTES];
    if (!open_in(&out, path, directory, "ranges.csv")) {
        return false;
    }
    output_print(&out, "a,b,range_m\n");
    for (size_t i = 0; i < network->ranges.n_rows; i++) {
        const range_row_t *row = &network->ranges.row[i];
        output_print(&out, "%lu,%lu,%.9g\n", (unsigned long)row->a, (unsigned long)row->b, row->range_m);
    }
    return output_close(&out) == OUTPUT_DONE;
}

static bool open_logs(logs_t *logs, const generator_t *network, const char *directory)
{
    if (!logs->wanted) {
        return true;
    }
    if (!open_in(&logs->ranges, logs->ranges_path, directory, "log.csv")) {
        return false;
    }
    if (!open_in(&logs->truth, logs->truth_path, directory, "track_truth.csv")) {
        (void)output_close(&logs->ranges);
        return false;
    }
    output_print(&logs->ranges, "t_s,a,b,range_m\n");
    output_print(&logs->truth, "t_s,%s\n", place_columns(network));
    return true;
}

static void log_step(logs_t *logs, const generator_t *network, uint64_t step)
{
    for (size_t i = 0; i < network->ranges.n_rows; i++) {
        const range_row_t *row = &network->ranges.row[i];
        output_print(&logs->ranges, "%llu,%lu,%lu,%.9g\n", (unsigned long long)step, (unsigned long)row->a,
                     (unsigned long)row->b, row->range_m);
    }
    for (size_t node = network->cfg.n_anchors; node < network->cfg.n_nodes; node++) {
        output_print(&logs->truth, "%llu,", (unsigned long long)step);
        print_place(&logs->truth, network, node);
    }
}

static bool close_logs(logs_t *logs)
{
    if (!logs->wanted) {
        return true;
    }
    bool ranges_done = output_close(&logs->ranges) == OUTPUT_DONE;
    return (output_close(&logs->truth) == OUTPUT_DONE) && ranges_done;
}

static bool measure(generator_t *network)
{
    if (generator_measure(network)) {
        return true;
    }
    fputs("cairn simulate network: more than 20000000 ranges: give a smaller --radius or --n\n", stderr);
    return false;
}

/* Move, measure and log all steps. The ranges of the last one stay in the network. */
static bool run_steps(generator_t *network, const char *directory, uint64_t n_steps)
{
    logs_t logs = {.wanted = n_steps > 1};
    if (!open_logs(&logs, network, directory)) {
        return false;
    }
    bool done = n_steps > 0 || measure(network);
    for (uint64_t step = 1; step <= n_steps && done; step++) {
        generator_move(network);
        done = measure(network);
        if (done && logs.wanted) {
            log_step(&logs, network, step);
        }
    }
    return close_logs(&logs) && done;
}

/* Anchors in one plane, in 2-D on one line. */
static void flatten_anchors(generator_t *network, double height_m)
{
    const size_t dim = network->cfg.dim;
    for (size_t i = 0; i < network->cfg.n_anchors && height_m >= 0; i++) {
        network->place_m[i * dim + dim - 1] = height_m;
    }
}

static bool simulate_network(const simulate_arguments_t *values)
{
    generator_t network;
    generator_cfg_t cfg = {
        (size_t)values->n_nodes, (size_t)values->n_anchors, (size_t)values->dim, values->radius_m, values->noise_rel,
        values->move_m,          values->boundary == 0,     values->seed};
    if (!make_directory(values->directory)) {
        return false;
    }
    generator_init(&network, &cfg);
    flatten_anchors(&network, values->anchor_height_m);
    bool done = write_places(&network, values->directory, "anchors.csv", 0, cfg.n_anchors) &&
                write_places(&network, values->directory, "start.csv", cfg.n_anchors, cfg.n_nodes) &&
                run_steps(&network, values->directory, values->n_steps) &&
                write_places(&network, values->directory, "truth.csv", cfg.n_anchors, cfg.n_nodes) &&
                write_ranges(&network, values->directory);
    if (done) {
        fprintf(stderr, "sensors: %zu\nanchors: %zu\nranges: %zu\nranges_lost: %zu\nmean_degree: %.3g\n",
                cfg.n_nodes - cfg.n_anchors, cfg.n_anchors, network.ranges.n_rows, network.n_lost,
                2.0 * (double)network.ranges.n_rows / (double)cfg.n_nodes);
    }
    generator_free(&network);
    return done;
}

static int command_network(int argc, char **argv)
{
    simulate_arguments_t v = {1000, UINT64_MAX, 2, 1, 1, 0, 0.06, 0.1, 0.1, -1, NULL};
    args_option_t options[] = {
        args_count("--n", &v.n_nodes, "N", 1, CAIRN_NETWORK_NODES_MAX, "nodes, anchors included; default 1000"),
        args_count("--anchors", &v.n_anchors, "M", 0, CAIRN_NETWORK_NODES_MAX,
                   "anchors; default 20, or half of fewer than 40 nodes"),
        args_real("--anchor-height", &v.anchor_height_m, "H", 0, 1,
                  "last coordinate of all anchors, 0 to 1 m: in one plane, in 2-D on one line;\n"
                  "default: anchors lie anywhere"),
        args_real("--radius", &v.radius_m, "R", 0, 1e6, "radio range, default 0.06 m"),
        args_real("--sigma", &v.noise_rel, "SIGMA", 0, 10, "deviation of a range as a share of it, default 0.1"),
        args_real("--eta", &v.move_m, "ETA", 0, 1e6, "movement a step and coordinate, default 0.1 m"),
        args_count("--steps", &v.n_steps, "T", 0, 1000000, "steps, default 1"),
        args_choice("--boundary", &v.boundary, boundary_names,
                    "inside (default): the border reflects sensors; free: they leave"),
        args_count("--dim", &v.dim, "2|3", 2, 3, "dimensions, default 2"),
        args_count("--seed", &v.seed, "N", 0, UINT64_MAX, "default 1"),
        args_required(args_text("--out", &v.directory, "DIR", "where the files go")),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    if (!args_parse(&help_network, argc, argv, options, n_options, &code)) {
        return code;
    }
    if (v.n_anchors == UINT64_MAX) { /* not given */
        v.n_anchors = v.n_nodes < 2 * ANCHORS_USUAL ? v.n_nodes / 2 : ANCHORS_USUAL;
    }
    if (v.n_anchors > v.n_nodes) {
        return args_usage_error(help_network.command, "--anchors is more than --n");
    }
    return simulate_network(&v) ? CLI_DONE : CLI_BAD_DATA;
}

int command_simulate(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "network") == 0) {
        return command_network(argc - 1, argv + 1);
    }
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        return args_print_help(&help_all, NULL, 0);
    }
    return args_usage_error(help_all.command, argc > 0 ? "there is no simulation '%s'" : "which simulation%s?",
                            argc > 0 ? argv[0] : "");
}
