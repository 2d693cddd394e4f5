/* SPDX-License-Identifier: MIT
 * What a localization prints: the table of places, the drawing, the summary, and why the library refused. */
#include "locate_report.h"

#include <math.h>

#include "csv.h"
#include "map.h"

#define NEAR_SHARE 0.1 /* of the mean range: starts nearer than this are never too far to begin from */

typedef struct node_counts {
    size_t n_sensors;
    size_t n_with_place;
    size_t n_flips;
} node_counts_t;

static node_counts_t count_nodes(const locate_files_t *files, const locate_answer_t *answer)
{
    node_counts_t counts = {0, 0, 0};
    for (size_t i = 0; i < files->nodes.ids.n_ids; i++) {
        if (files->known[i] != KNOWN_ANCHOR) {
            counts.n_sensors++;
            counts.n_with_place += answer->has_place[i];
            counts.n_flips += answer->has_place[i] && answer->state[i] == CAIRN_NODE_FLIP_POSSIBLE;
        }
    }
    return counts;
}

/* Decimals that resolve a millionth of the mean range, about what float holds. */
static int choose_decimals(const range_table_t *ranges)
{
    double decimals = 6 - floor(log10(range_table_mean_m(ranges)));
    return decimals < 2 ? 2 : decimals > 15 ? 15 : (int)decimals;
}

static const char *state_name(const locate_files_t *files, const locate_answer_t *answer, size_t node)
{
    if (files->known[node] == KNOWN_ANCHOR) {
        return "anchor";
    }
    if (!answer->has_place[node]) {
        return "unplaced";
    }
    return answer->state[node] == CAIRN_NODE_FLIP_POSSIBLE ? "flip_possible" : "placed";
}

static void print_place(output_t *out, const locate_files_t *files, const locate_answer_t *answer, size_t node,
                        int decimals)
{
    output_print(out, "%lu", (unsigned long)files->nodes.id[node]);
    bool anchor = files->known[node] == KNOWN_ANCHOR;
    const double *place_m = anchor ? &files->known_m[node * files->dim] : &answer->place_m[node * files->dim];
    for (size_t k = 0; k < files->dim; k++) {
        if (anchor || answer->has_place[node]) {
            output_print(out, ",%.*f", decimals, place_m[k]);
        } else {
            output_print(out, ",");
        }
    }
    if (anchor || answer->has_place[node]) {
        output_print(out, ",%.4g", anchor ? 0.0 : answer->std_m[node]);
    } else {
        output_print(out, ",");
    }
    output_print(out, ",%s\n", state_name(files, answer, node));
}

output_result_t report_places(const char *path, const locate_files_t *files, const locate_answer_t *answer)
{
    output_t out;
    if (!output_open(&out, path)) {
        return OUTPUT_FAILED;
    }
    int decimals = choose_decimals(&files->ranges);
    output_print(&out, "id,x_m,y_m%s,std_m,state\n", files->dim == 3 ? ",z_m" : "");
    for (size_t i = 0; i < files->nodes.ids.n_ids; i++) {
        print_place(&out, files, answer, i, decimals);
    }
    return output_close(&out);
}

output_result_t report_map(const char *path, const locate_files_t *files, const locate_answer_t *answer)
{
    char title[120];
    char subtitle[240];
    output_t out;
    if (!output_open(&out, path)) {
        return OUTPUT_FAILED;
    }
    node_counts_t counts = count_nodes(files, answer);
    locate_problem_t problem = locate_files_problem(files);
    snprintf(title, sizeof title, "%zu of %zu sensors placed by %lu ranges and %zu anchors", counts.n_with_place,
             counts.n_sensors, (unsigned long)answer->n_pairs, files->n_anchors);
    if (files->truth_m != NULL) {
        locate_error_t error;
        locate_answer_compare(&problem, answer, files->truth_m, files->has_truth, &error);
        snprintf(subtitle, sizeof subtitle,
                 "RMSE %.4g m over %zu sensors, largest error %.4g m, %lu iterations, %.3g s", error.rmse_m,
                 error.n_compared, error.max_m, (unsigned long)answer->n_iterations, answer->wall_s);
    } else {
        snprintf(subtitle, sizeof subtitle, "%lu iterations, %.3g s, cost per range %.3g",
                 (unsigned long)answer->n_iterations, answer->wall_s,
                 answer->cost / (double)(answer->n_pairs > 0 ? answer->n_pairs : 1));
    }
    map_scene_t scene = {&problem, answer, files->nodes.id, files->truth_m, files->has_truth, title, subtitle};
    map_draw(&out, &scene);
    return output_close(&out);
}

static void print_errors(const locate_files_t *files, const locate_answer_t *answer)
{
    locate_error_t error;
    locate_problem_t problem = locate_files_problem(files);
    locate_answer_compare(&problem, answer, files->truth_m, files->has_truth, &error);
    fprintf(stderr, "compared: %zu\n", error.n_compared);
    if (error.n_compared > 0) {
        fprintf(stderr, "rmse_m: %.6g\nmax_error_m: %.6g\n", error.rmse_m, error.max_m);
    }
    fprintf(stderr, "compared_placed: %zu\n", error.n_placed);
    if (error.n_placed > 0) {
        fprintf(stderr, "rmse_placed_m: %.6g\n", error.rmse_placed_m);
    }
}

static void print_outcome(const locate_answer_t *answer)
{
    static const char *const methods[] = {"auto", "light", "cold", "lift"};
    fprintf(stderr, "method: %s\n", methods[answer->method]);
    if (answer->own_frame) {
        fputs("frame: own, no anchors: places are right up to a turn, a shift and a mirror image\n", stderr);
    } else if (answer->outcome == CAIRN_HEIGHT_UNRESOLVED) {
        fputs("frame: mirror image in the anchors' plane possible, give --side\n", stderr);
    } else if (answer->outcome == CAIRN_RELATIVE) {
        fputs("frame: relative, too few anchors: places are right among themselves\n", stderr);
    }
    if (answer->has_bias) {
        fprintf(stderr,
                answer->bias_is_factor ? "bias_ln_mean: %.6g\nbias_ln_rms: %.6g\n"
                                       : "bias_mean_m: %.6g\nbias_rms_m: %.6g\n",
                answer->bias_mean, answer->bias_rms);
    }
    fprintf(stderr, "residual_rms: %.4g\n", (double)answer->check.residual.rms);
}

/* The cold start may know better than --start-std; then it must not look as if that had counted. */
static void print_start_std(const locate_files_t *files, const locate_options_t *options, const locate_answer_t *answer)
{
    const double given_m = options->start_std_m;
    fprintf(stderr, "start_std_m: %.4g\n", answer->start_std_m);
    if (answer->start_std_m > 0 && given_m > 0 && fabs(given_m - answer->start_std_m) > 0.01 * given_m) {
        fprintf(stderr, "start_std_given_m: %.4g, not used: %s\n", given_m,
                given_m < NEAR_SHARE * range_table_mean_m(&files->ranges)
                    ? "starts hold no firmer than to 0.02 of the radio range"
                    : "with starts that far off the map is made without them, and tells how far they are");
    }
}

void report_summary(const locate_files_t *files, const locate_options_t *options, const locate_answer_t *answer)
{
    node_counts_t counts = count_nodes(files, answer);
    fprintf(stderr, "sensors: %zu\nanchors: %zu\n", counts.n_sensors, files->n_anchors);
    fprintf(stderr, "ranges: %lu\n", (unsigned long)answer->n_pairs);
    fprintf(stderr, "ranges_folded: %zu\n", files->ranges.n_rows - answer->n_pairs);
    fprintf(stderr, "ranges_skipped: %zu\n", files->ranges.n_skipped);
    fprintf(stderr, "starts: %zu\nstarts_ignored: %zu\n", files->n_starts, files->n_starts_ignored);
    fprintf(stderr, "starts_without_range: %zu\n", files->n_starts_alone);
    if (files->n_starts > 0) {
        print_start_std(files, options, answer);
    }
    fprintf(stderr, "placed: %zu\nflip_possible: %zu\n", counts.n_with_place, counts.n_flips);
    fprintf(stderr, "unplaced: %zu\n", counts.n_sensors - counts.n_with_place);
    if (files->truth_m != NULL) {
        print_errors(files, answer);
    }
    print_outcome(answer);
    fprintf(stderr, "cost: %.6g\niterations: %lu\n", answer->cost, (unsigned long)answer->n_iterations);
    fprintf(stderr, "converged: %s\nseconds: %.4f\n", answer->outcome != CAIRN_NOT_CONVERGED ? "yes" : "no",
            answer->wall_s);
    locate_check_print(&answer->check, files->nodes.id, files->origin_m, files->dim);
}

/* The cold start serves anchors in one plane, and with a side those on a line in 2-D. */
static void refuse_geometry(const char *path, size_t dim, const locate_options_t *options)
{
    bool light = options->method == LOCATE_LIGHT;
    bool beyond_side = !light && (dim == 3 || options->side_m != NULL);
    const char *where = dim == 3 && light         ? "in one plane"
                        : dim == 2 && beyond_side ? "at one point"
                                                  : "on one line or at one point";
    char what[120];
    snprintf(what, sizeof what, "the anchors lie %s, %s", where,
             beyond_side ? "which no --side makes up for" : "which leaves mirror images");
    csv_error_at(path, 0, what, NULL,
                 beyond_side ? "add an anchor elsewhere, or give --start"
                 : light     ? "add an anchor elsewhere, or give --start, or leave --method out and give --side"
                             : "add an anchor elsewhere, or give --start or --side");
}

/* Where the known place comes from that is farthest from the first one. */
static const char *file_of_farthest(const locate_paths_t *paths, const locate_files_t *files, const char *known)
{
    double most_m = 0;
    for (size_t i = 0; i < files->nodes.ids.n_ids * files->dim; i++) {
        const size_t node = i / files->dim;
        const double off_m = fabs(files->known_m[i] - files->origin_m[i % files->dim]);
        if (files->known[node] != KNOWN_NOTHING && off_m > most_m) {
            most_m = off_m;
            known = files->known[node] == KNOWN_START ? paths->start : paths->anchors;
        }
    }
    return known;
}

/* What to give where known places are too few. */
static const char *few_places_remedy(size_t dim, locate_method_t method)
{
    if (method == LOCATE_LIGHT) {
        return dim == 2
                   ? "give at least 3; without --method light 2 and --side do, or none for a map in a frame of its own"
                   : "give at least 4; without --method light 3 and --side do, or none for a map in a frame of its "
                     "own";
    }
    return dim == 2 ? "give at least 3, or 2 and --side, or leave --anchors out for a map in a frame of its own"
                    : "give at least 4, or 3 and --side, or pass --dim 2, or leave --anchors out for a map "
                      "in a frame of its own";
}

void report_refusal(const locate_paths_t *paths, const locate_files_t *files, const locate_options_t *options,
                    cairn_status status)
{
    char what[160];
    const char *known = paths->anchors != NULL ? paths->anchors : paths->start != NULL ? paths->start : paths->ranges;
    switch (status) {
    case CAIRN_ERR_ANCHORS:
        snprintf(what, sizeof what, "%zu anchors and %zu starts are too few for %zu dimensions", files->n_anchors,
                 files->n_starts, files->dim);
        csv_error_at(known, 0, what, NULL, few_places_remedy(files->dim, options->method));
        break;
    case CAIRN_ERR_GEOMETRY: refuse_geometry(known, files->dim, options); break;
    case CAIRN_ERR_RANGE: /* of places: ranges were checked when they were read */
    case CAIRN_ERR_RESOLUTION:
        csv_error_at(file_of_farthest(paths, files, known), 0,
                     "the places are spread so widely that single precision cannot resolve the ranges", NULL,
                     "check the units of places and ranges, or split the network");
        break;
    case CAIRN_ERR_NONFINITE:
        csv_error_at(paths->ranges, 0, "a place came out that is not finite", NULL,
                     "look for extreme ranges and std_m, and report the files as a bug");
        break;
    default:
        snprintf(what, sizeof what, "the library refuses the network, %s", cairn_status_name(status));
        csv_error_at(paths->ranges, 0, what, NULL, "check the files for values far out of the ordinary");
    }
}
