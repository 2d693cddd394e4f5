/* SPDX-License-Identifier: MIT
 * cairn locate: places of sensors from measured ranges and a few anchors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "csv.h"
#include "exit_code.h"
#include "locate_bias.h"
#include "locate_report.h"
#include "output.h"
#include "parse.h"

static const char *const loss_names[] = {"squared", "absolute", "huber", "redescend", "log", NULL};
static const cairn_loss_t *const losses[] = {&cairn_loss_squared, &cairn_loss_absolute, &cairn_loss_huber,
                                             &cairn_loss_redescend, &cairn_loss_log};
static const char *const method_names[] = {"auto", "light", "cold", "lift", NULL};
static const char method_help[] = "light: paths and relaxation, least work; cold: the map as good as the\n"
                                  "ranges allow, with folds undone; both any size, and in turns with the\n"
                                  "biases when --bias is given; lift: sweeps through one extra dimension,\n"
                                  "small networks. auto (default): lift with --loss log; also for up to 250\n"
                                  "nodes without --start, of which 99 of 100 pairs have a range, with a --bias\n"
                                  "other than link; else cold. With anchors in one plane (or three, or in 2-D with\n"
                                  "--side on one line) cold makes a map without them and lays it on them; where\n"
                                  "that leaves all unplaced, auto goes on to lift";
static const char *const bias_names[] = {"none", "common", "scale", "link", "device", NULL};

static const args_help_t help = {
    "cairn locate", "--ranges FILE [--anchors FILE] [OPTION...]",
    "Finds the place of every node from measured ranges between pairs of nodes and the places of a few anchors. "
    "Without\n"
    "anchors and starts the map has a frame of its own: it is right up to a turn, a shift and a mirror image. With\n"
    "anchors in one plane in 3-D it may be the mirror image in that plane, unless --side says where the sensors are.\n",
    "columns\n"
    "  ranges               a,b,range_m[,std_m]; where std_m is empty or 0, --noise-rel and --noise-abs count\n"
    "  anchors start truth  id,x_m,y_m[,z_m]; start is where sensors were before, or a guess\n"
    "  out                  id,x_m,y_m[,z_m],std_m,state in ascending order of id. std_m is the deviation per\n"
    "                       coordinate (root of the mean of the axis variances); state is anchor, placed,\n"
    "                       flip_possible (a mirror image fits as well) or unplaced (the other fields are\n"
    "                       empty). A result can be the --start of the next run\n"
    "treatment\n"
    "  nodes                every id in ranges, anchors or start; an id only in ranges is a sensor. True places\n"
    "                       of other ids are ignored\n"
    "  repeated, reversed   rows of one pair are folded into their weighted mean, and counted: ranges_folded\n"
    "  range zero, negative, nan, inf, above --range-max, or from a node to itself; std_m negative, nan, inf\n"
    "                       refused with its line; with --skip-bad left out and counted: ranges_skipped\n"
    "  an id twice          in anchors, start or truth: refused with both lines\n"
    "  empty coordinates    the row is left out\n"
    "  start of an anchor   ignored and counted: starts_ignored\n"
    "  start without range  the place stays the start: a device that is switched off tells nothing\n"
    "  coordinates          of any size up to 1e12 m, within 1e9 m of the anchor with the lowest id, relative to\n"
    "                       which all is computed\n"
    "summary (standard error stream)\n"
    "  sensors anchors ranges ranges_folded ranges_skipped starts starts_ignored\n"
    "  starts_without_range (among starts: of sensors that no range names) start_std_m start_std_given_m (where\n"
    "  that was not used) placed flip_possible unplaced; with --truth compared (sensors with a true place and a\n"
    "  place) rmse_m max_error_m compared_placed rmse_placed_m (of those in state placed); method used; frame\n"
    "  (where the anchors do not fix it: errors in an own frame are those of the true places laid on the map);\n"
    "  bias_mean_m bias_rms_m, or bias_ln_mean bias_ln_rms (ln of distance over range); residual_rms (residuals over\n"
    "  their deviation); cost iterations converged seconds (to solve, without reading and writing). placed counts\n"
    "  flip_possible ones as well. Lines with suspect: exchanged anchors, one id on two devices, one-sided\n"
    "  residuals, outliers, wrong units, wherever the residuals point at them\n"
    "example\n"
    "  cairn simulate network --n 200 --radius 0.15 --out net\n"
    "  cairn locate --ranges net/ranges.csv --anchors net/anchors.csv --truth net/truth.csv --svg map.svg\n" CSV_HELP};

enum { LOSS_LOG = 4 };
static const double bias_ln_most = 10; /* as the library takes it */

/* Values of the command line, with their defaults. */
typedef struct locate_arguments {
    locate_paths_t paths;
    const char *out;
    const char *svg;
    uint64_t dim; /* 0: as the anchors */
    uint64_t seed;
    size_t loss;
    size_t bias;
    size_t method;
    const char *side;
    double side_m[PLACES_DIM_MAX];
    bool quiet;
    locate_options_t options;
    range_rules_t rules;
} locate_arguments_t;

static locate_arguments_t default_arguments(void)
{
    locate_arguments_t values;
    memset(&values, 0, sizeof values);
    values.out = "-";
    values.options.noise_rel = 0.1;
    values.options.noise_abs_m = 0.01;
    values.rules.range_max_m = RANGE_LIMIT_M;
    return values;
}

static int count_standard(const char *path) { return path != NULL && strcmp(path, "-") == 0; }

/* A mistyped --out must not replace what was measured. The start may be replaced: it is read before. */
static bool spares_inputs(const locate_paths_t *paths, const char *option, const char *output)
{
    const struct {
        const char *option, *path;
    } inputs[] = {{"--ranges", paths->ranges}, {"--anchors", paths->anchors}, {"--truth", paths->truth}};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (count_standard(output) == 0 && output_is_same(output, inputs[i].path)) {
            args_usage_error(help.command, "%s would replace the file of %s", option, inputs[i].option);
            return false;
        }
    }
    return true;
}

static bool fits_bias(const locate_options_t *options)
{
    if (options->bias == LOCATE_BIAS_NONE && (options->bias_std > 0 || fabs(options->bias_mean) > 0)) {
        args_usage_error(help.command, "--bias-mean and --bias-std need --bias");
        return false;
    }
    if (locate_bias_is_share(options) && fabs(options->bias_mean) > bias_ln_most) {
        args_usage_error(help.command,
                         "--bias-mean %g: this --bias is a factor, and its natural logarithm must be from -10 to 10",
                         options->bias_mean);
        return false;
    }
    return true;
}

static bool check_arguments(const locate_arguments_t *values)
{
    const locate_paths_t *paths = &values->paths;
    int n_standard = count_standard(paths->ranges) + count_standard(paths->anchors) + count_standard(paths->start) +
                     count_standard(paths->truth);
    if (n_standard > 1) {
        args_usage_error(help.command, "only one file can be the standard input");
        return false;
    }
    if (values->loss == LOSS_LOG && (values->method == LOCATE_LIGHT || values->method == LOCATE_COLD)) {
        args_usage_error(help.command, "--loss log needs --method lift or auto");
        return false;
    }
    if (values->side != NULL && values->method == LOCATE_LIGHT) {
        args_usage_error(help.command, "--side needs --method cold, lift or auto");
        return false;
    }
    if (output_is_same(values->svg, values->out)) {
        args_usage_error(help.command, "--out and --svg are the same file");
        return false;
    }
    return fits_bias(&values->options) && spares_inputs(paths, "--out", values->out) &&
           spares_inputs(paths, "--svg", values->svg);
}

/* Write what was asked for, the drawing also when the reader of the places goes away early; the summary only when all
 * of it is written. */
static int report(const locate_arguments_t *values, const locate_files_t *files, const locate_answer_t *answer)
{
    output_result_t places = report_places(values->out, files, answer);
    output_result_t map = OUTPUT_DONE;
    if (places != OUTPUT_FAILED && values->svg != NULL) {
        map = report_map(values->svg, files, answer);
    }
    if (places == OUTPUT_DONE && map == OUTPUT_DONE) {
        report_summary(files, &values->options, answer);
    }
    return output_exit_code(map != OUTPUT_DONE ? map : places);
}

/* --side as X,Y[,Z]. */
static bool read_side(locate_arguments_t *values, size_t dim)
{
    char part[64];
    const char *text = values->side;
    size_t n = 0;
    while (text != NULL && n < PLACES_DIM_MAX) {
        const char *comma = strchr(text, ',');
        size_t length = comma != NULL ? (size_t)(comma - text) : strlen(text);
        if (length >= sizeof part) {
            break;
        }
        memcpy(part, text, length);
        part[length] = '\0';
        if (parse_real(part, &values->side_m[n]) != PARSE_OK) {
            break;
        }
        n++;
        text = comma != NULL ? comma + 1 : NULL;
    }
    if (text != NULL || n != dim) {
        args_usage_error(help.command, "--side '%s' is not a place of %zu coordinates", values->side, dim);
        return false;
    }
    values->options.side_m = values->side_m;
    return true;
}

/* An empty file of anchors is taken for a mistake where a frame is wanted; without the option there is none. */
static bool lacks_anchors(const locate_arguments_t *values, const locate_files_t *files)
{
    return values->paths.anchors != NULL && files->n_anchors + files->n_starts == 0 &&
           values->options.method != LOCATE_LIFT;
}

/* Settings that leave nothing of these ranges. Returns true when that has been said. */
static bool undoes_ranges(const locate_arguments_t *values, const range_table_t *ranges)
{
    const locate_options_t *options = &values->options;
    const char *path = values->paths.ranges;
    char what[160];
    size_t n_plain = range_table_count_plain(ranges);
    double mean_m = range_table_mean_m(ranges);
    if (!(options->noise_abs_m > 0) && !(options->noise_rel > 0) && n_plain > 0) {
        snprintf(what, sizeof what, "%zu of %zu ranges would be exact: they have no std_m, and both noises are 0",
                 n_plain, ranges->n_rows);
        csv_error_at(path, 0, what, NULL, "give --noise-abs or --noise-rel, be it little");
        return true;
    }
    if (options->bias != LOCATE_BIAS_NONE && !locate_bias_is_share(options) && options->bias_mean >= mean_m) {
        snprintf(what, sizeof what, "--bias-mean %g m leaves nothing of ranges of %.4g m on average",
                 options->bias_mean, mean_m);
        csv_error_at(path, 0, what, NULL, "give how much longer than the distance a range is, in metres");
        return true;
    }
    return false;
}

static int locate(locate_arguments_t *values)
{
    locate_files_t files;
    locate_answer_t answer;
    progress_t progress;
    int code = CLI_BAD_DATA;
    bool read = locate_files_read(&files, &values->paths, (size_t)values->dim, &values->rules);
    if (read && values->side != NULL && !read_side(values, files.dim)) {
        code = CLI_USAGE;
    } else if (read && lacks_anchors(values, &files)) {
        report_refusal(&values->paths, &files, &values->options, CAIRN_ERR_ANCHORS);
    } else if (read && !undoes_ranges(values, &files.ranges)) {
        locate_problem_t problem = locate_files_problem(&files);
        progress_begin(&progress, !values->quiet);
        cairn_status status = locate_job_run(&problem, &values->options, &progress, &answer);
        progress_end(&progress);
        if (status < 0) {
            report_refusal(&values->paths, &files, &values->options, status);
        } else {
            if (answer.own_frame && files.truth_m != NULL) {
                locate_files_lay_truth(&files, &answer);
            }
            code = report(values, &files, &answer);
            locate_answer_free(&answer);
        }
    }
    locate_files_free(&files);
    return code;
}

int command_locate(int argc, char **argv)
{
    locate_arguments_t v = default_arguments();
    locate_options_t *o = &v.options;
    args_option_t options[] = {
        args_required(args_text("--ranges", &v.paths.ranges, "FILE", "measured ranges")),
        args_text("--anchors", &v.paths.anchors, "FILE",
                  "known places: none; with --side (or in 3-D) as many as dimensions at least;\nelse one more"),
        args_text("--start", &v.paths.start, "FILE", "earlier or guessed places of sensors"),
        args_text("--truth", &v.paths.truth, "FILE", "true places: errors are printed and drawn"),
        args_count("--dim", &v.dim, "2|3", 2, 3,
                   "dimensions; default: 3 when the anchors (without any: the starts) have\n"
                   "z_m, else 2"),
        args_real("--noise-rel", &o->noise_rel, "SHARE", 0, 10, "deviation of a range as a share of it, default 0.1"),
        args_real("--noise-abs", &o->noise_abs_m, "M", 0, 1e6,
                  "deviation that does not grow with the range, default 0.01 m"),
        args_real("--radius", &o->radius_m, "M", 0, RANGE_LIMIT_M,
                  "pairs nearer than this hear each other; default 0: estimated from\nthe ranges"),
        args_real("--start-std", &o->start_std_m, "M", 0, RANGE_LIMIT_M,
                  "deviation of the starts per coordinate; default 0: estimated from\n"
                  "the ranges. Where cold measures it all the same, it says so"),
        args_real("--range-max", &v.rules.range_max_m, "M", 1e-9, RANGE_LIMIT_M,
                  "larger ranges are implausible, default 1e7 m"),
        args_flag("--skip-bad", &v.rules.skip_bad, "leave unusable ranges out instead of refusing the file"),
        args_choice("--loss", &v.loss, loss_names,
                    "what a wrong range costs: squared (default); absolute, huber, redescend\n"
                    "resist outliers; log: ranges made from signal strength, which lift takes\n"
                    "for squared when biases are shares"),
        args_choice("--bias", &v.bias, bias_names,
                    "what is wrong with ranges beside noise, estimated with the map: none\n"
                    "(default); common, a length; scale, a share; link, a length for each\n"
                    "pair; device, for each node a share with --noise-rel 0.2 or more or\n"
                    "--loss log, else a length"),
        args_real("--bias-mean", &o->bias_mean, "B", -1e6, 1e6,
                  "expected bias, m, or natural logarithm of distance over range, default 0"),
        args_real("--bias-std", &o->bias_std, "B", 0, 1e6, "how far biases are from it; default 0: wide"),
        args_choice("--method", &v.method, method_names, method_help),
        args_text("--side", &v.side, "X,Y[,Z]",
                  "a place on the sensors' side of anchors in one plane (2-D: line). Without it\n"
                  "such a map may be its mirror image in that plane"),
        args_count("--seed", &v.seed, "N", 0, UINT32_MAX,
                   "of the random starts of lift, default 0; the others draw nothing"),
        args_text("--out", &v.out, "FILE", "places; default the standard output"),
        args_text("--svg", &v.svg, "FILE", "drawing"),
        args_flag("--quiet", &v.quiet, "no progress bar"),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    if (!args_parse(&help, argc, argv, options, n_options, &code)) {
        return code;
    }
    v.options.loss = losses[v.loss];
    v.options.method = (locate_method_t)v.method;
    v.options.bias = (locate_bias_t)v.bias;
    v.options.seed = v.seed;
    if (!check_arguments(&v)) {
        return CLI_USAGE;
    }
    return locate(&v);
}
