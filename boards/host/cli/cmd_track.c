/* SPDX-License-Identifier: MIT
 * cairn track: paths of moving sensors from a log of ranges, row by row. */
#include <math.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "csv.h"
#include "exit_code.h"
#include "stopwatch.h"
#include "track_chart.h"
#include "track_job.h"
#include "track_stream.h"
#include "track_truth.h"

enum { BIAS_NONE, BIAS_COMMON, BIAS_SCALE, BIAS_BOTH, BIAS_LINK, BIAS_SCALE_LINK };

static const char *const bias_names[] = {"none", "common", "scale", "both", "link", "scale-link", NULL};
static const char *const side_names[] = {"unknown", "above", "below", NULL};

static const args_help_t help = {
    "cairn track", "--log FILE --anchors FILE [OPTION...]",
    "Tracks moving sensors, one range at a time: place, motion, range scale and bias, with their deviation. A sensor\n"
    "finds its start from its first ranges unless one is given, and finds itself again when it is lost. Rows are\n"
    "answered as they come: the log may be an endless pipe.\n",
    "input\n"
    "  log       t_s,a,b,range_m[,std_m]; one end is an anchor, or both are sensors\n"
    "  odometry  t_s,id,forward_m,turn_rad since the id's previous row; taken up to the time of each range\n"
    "  anchors   id,x_m,y_m[,z_m]; start: the same and heading_rad, counter-clockwise from +x; truth: t_s first\n"
    "output\n"
    "  t_s,id,x_m,y_m[,z_m],std_m,state after each row of the log; std_m per coordinate; state placed, doubtful (too\n"
    "  many ranges disagree), starved (too few links), flip_possible, height (3-D: not resolved), unplaced\n"
    "Ranges that are not above zero, too large, late by more than half a second or of another clock are left out and\n"
    "counted; so are ranges between anchors.\n"
    "summary (standard error stream)\n"
    "  sensors anchors ranges; ranges by what became of them: used, disbelieved (used with a small weight), waiting\n"
    "  (kept for a start), refused, without_sensor (between anchors, or to a sensor without a place); odometry_rows\n"
    "  odometry_refused (late, of another clock, or no numbers of a movement); starts_ignored (of anchors)\n"
    "  starts_without_range (of sensors that are not in the log);\n"
    "  starts relocks (places found from ranges: at first, again). Of a single sensor, at the end: scale bias_m,\n"
    "  with --bias link or scale-link bias_of_ID_m; noise_factor (1 to 30, of the motion's noise) motion_disagrees\n"
    "  (yes: the factor has long been at its end). compared (rows with a true place and a place); with --truth rmse_m\n"
    "  max_error_m normalized_error (squared, per dimension; 1: the deviations are honest); seconds\n"
    "example\n"
    "  cairn simulate network --n 60 --radius 0.4 --eta 0.01 --sigma 0 --steps 20 --out net\n"
    "  cairn track --log net/log.csv --anchors net/anchors.csv --noise-abs 0.01 --noise-motion 0.01 --svg "
    "paths.svg\n" CSV_HELP};

typedef struct track_arguments {
    const char *log, *anchors, *odometry, *start, *truth, *out, *svg;
    uint64_t dim;
    size_t bias, side;
    double noise_rel, noise_abs_m, noise_motion, tau_s, range_max_m, start_std_m;
    bool quiet;
} track_arguments_t;

typedef struct track_counts {
    size_t n_rows, n_result[TRACK_ROW_NO_PEER + 1], n_odometry, n_odometry_refused, n_starts_ignored, n_compared;
    double square_m2, max_m, nees;
} track_counts_t;

typedef struct track_session {
    const track_arguments_t *arguments;
    place_table_t anchors, starts;
    track_truth_t truth;
    track_job_t job;
    track_path_t path;
    track_counts_t counts;
    output_t out;
} track_session_t;

static bool has_link_biases(const track_arguments_t *v) { return v->bias == BIAS_LINK || v->bias == BIAS_SCALE_LINK; }

static cairn_track_cfg_t make_cfg(const track_arguments_t *v, size_t dim)
{
    cairn_track_cfg_t cfg = cairn_track_cfg_default;
    cfg.dim = (uint8_t)dim;
    cfg.motion = v->odometry != NULL ? CAIRN_TRACK_ODOMETRY : CAIRN_TRACK_DECAY;
    cfg.noise_m = (cairn_real)v->noise_abs_m;
    cfg.noise_rel = (cairn_real)v->noise_rel;
    cfg.noise_motion = (cairn_real)v->noise_motion;
    cfg.tau_s = (cairn_real)v->tau_s;
    cfg.range_max_m = (cairn_real)v->range_max_m;
    cfg.side = (int8_t)(v->side == 1 ? 1 : v->side == 2 ? -1 : 0);
    if (v->bias != BIAS_SCALE && v->bias != BIAS_BOTH && v->bias != BIAS_SCALE_LINK) {
        cfg.scale_std = 0;
    }
    if (v->bias != BIAS_COMMON && v->bias != BIAS_BOTH) {
        cfg.bias_std_m = 0;
    }
    return cfg;
}

static bool read_files(track_session_t *self)
{
    const track_arguments_t *v = self->arguments;
    if (!places_read(&self->anchors, v->anchors, (size_t)v->dim)) {
        return false;
    }
    if (self->anchors.n_rows == 0 || self->anchors.n_rows > 255) {
        csv_error_at(v->anchors, 0, self->anchors.n_rows == 0 ? "no anchors" : "more than 255 anchors", NULL,
                     "give 1 to 255");
        return false;
    }
    if (v->start != NULL && !places_read_headings(&self->starts, v->start, self->anchors.dim)) {
        return false;
    }
    return v->truth == NULL || track_truth_read(&self->truth, v->truth, self->anchors.dim);
}

/* Starts of sensors that no row of the log names: nothing tells where they have gone. */
static size_t count_without_range(const track_session_t *self)
{
    size_t n = 0;
    for (size_t i = 0; i < self->job.n_sensors; i++) {
        n += self->job.sensor[i]->started && !self->job.sensor[i]->ranged;
    }
    return n;
}

static bool begin(track_session_t *self)
{
    const track_arguments_t *v = self->arguments;
    const cairn_track_cfg_t cfg = make_cfg(v, self->anchors.dim);
    track_job_init(&self->job, &cfg, has_link_biases(v), &self->anchors);
    for (size_t i = 0; i < self->starts.n_rows; i++) {
        const place_row_t *row = &self->starts.row[i];
        if (track_job_is_anchor(&self->job, row->id)) {
            self->counts.n_starts_ignored++;
            continue;
        }
        const cairn_status status =
            track_job_start(&self->job, row->id, row->place_m, v->start_std_m, row->heading_rad);
        if (status != CAIRN_OK) {
            csv_error_at(v->start, row->line, cairn_status_name(status), NULL,
                         "give a start near the anchors, and noise that fits the size of the coordinates");
            return false;
        }
    }
    return true;
}

/* Compare a place with the truth, when there is one. */
static void compare(track_session_t *self, track_point_t *point, const cairn_real *cov_m2)
{
    const size_t dim = self->anchors.dim;
    double square_m2 = 0, nees = 0;
    point->error_m = -1;
    if (!track_truth_find(&self->truth, point->id, point->t_s, dim, point->truth_m)) {
        return;
    }
    cairn_real packed[6], e[PLACES_DIM_MAX];
    memcpy(packed, cov_m2, sizeof packed);
    for (size_t k = 0; k < dim; k++) {
        const double difference = point->place_m[k] - point->truth_m[k];
        square_m2 += difference * difference;
        e[k] = (cairn_real)difference;
    }
    if (cairn_symmetric_solve(packed, e, dim)) {
        for (size_t k = 0; k < dim; k++) {
            nees += (double)e[k] * (point->place_m[k] - point->truth_m[k]) / (double)dim;
        }
    }
    point->error_m = sqrt(square_m2);
    self->counts.n_compared++;
    self->counts.square_m2 += square_m2;
    self->counts.nees += nees;
    self->counts.max_m = point->error_m > self->counts.max_m ? point->error_m : self->counts.max_m;
}

static void print_point(track_session_t *self, const track_point_t *point, bool placed, const char *state)
{
    output_print(&self->out, "%.6f,%lu", point->t_s, (unsigned long)point->id);
    for (size_t k = 0; k < self->anchors.dim; k++) {
        if (placed) {
            output_print(&self->out, ",%.4f", point->place_m[k]);
        } else {
            output_print(&self->out, ",");
        }
    }
    if (placed) {
        output_print(&self->out, ",%.4g,%s\n", point->std_m, state);
    } else {
        output_print(&self->out, ",,%s\n", state);
    }
    output_flush(&self->out);
}

static void take_range(track_session_t *self, const track_row_t *row)
{
    track_sensor_t *sensor;
    cairn_real cov_m2[6] = {0};
    track_point_t point;
    memset(&point, 0, sizeof point);
    const track_row_result_t result =
        track_job_range(&self->job, row->t_s, row->a, row->b, row->range_m, row->std_m, &sensor);
    self->counts.n_rows++;
    self->counts.n_result[result]++;
    if (sensor == NULL) {
        return;
    }
    point.id = sensor->id;
    point.t_s = row->t_s;
    point.disbelieved = result == TRACK_ROW_DISBELIEVED;
    const bool placed = track_job_place(&self->job, sensor, row->t_s, point.place_m, &point.std_m, cov_m2);
    if (placed && result != TRACK_ROW_REFUSED) {
        compare(self, &point, cov_m2);
        if (self->arguments->svg != NULL) {
            track_path_add(&self->path, &point);
        }
    }
    print_point(self, &point, placed, track_job_state(&self->job, sensor, row->t_s));
}

/* All rows. False: bad data, or nobody reads any more. */
static bool run_rows(track_session_t *self)
{
    track_stream_t stream;
    track_row_t row;
    csv_result_t result = CSV_BAD;
    output_print(&self->out, "t_s,id,x_m,y_m%s,std_m,state\n", self->anchors.dim == 3 ? ",z_m" : "");
    if (track_stream_open(&stream, self->arguments->log, self->arguments->odometry)) {
        while (self->out.error == 0 && (result = track_stream_next(&stream, &row)) == CSV_ROW) {
            if (row.is_odometry) {
                const bool taken =
                    track_job_odometry(&self->job, row.a, row.t_s, row.forward_m, row.turn_rad) == CAIRN_OK;
                *(taken ? &self->counts.n_odometry : &self->counts.n_odometry_refused) += 1;
            } else {
                take_range(self, &row);
            }
        }
    }
    track_stream_close(&stream);
    if (result == CSV_END && self->counts.n_rows == 0) {
        csv_error_at(self->arguments->log, 0, "there are no ranges", NULL, "give a row each, behind a header");
        return false;
    }
    return result != CSV_BAD;
}

static void print_summary(track_session_t *self, double seconds)
{
    const track_counts_t *c = &self->counts;
    unsigned long n_starts = 0, n_relocks = 0;
    for (size_t i = 0; i < self->job.n_sensors; i++) {
        n_starts += self->job.sensor[i]->links.n_found[0];
        n_relocks += self->job.sensor[i]->links.n_found[1];
    }
    fprintf(stderr, "sensors: %zu\nanchors: %zu\nranges: %zu\n", self->job.n_sensors, self->anchors.n_rows, c->n_rows);
    fprintf(stderr, "used: %zu\ndisbelieved: %zu\nwaiting: %zu\n", c->n_result[TRACK_ROW_USED],
            c->n_result[TRACK_ROW_DISBELIEVED], c->n_result[TRACK_ROW_WAITING]);
    fprintf(stderr, "refused: %zu\nwithout_sensor: %zu\n", c->n_result[TRACK_ROW_REFUSED],
            c->n_result[TRACK_ROW_NO_PEER]);
    fprintf(stderr, "odometry_rows: %zu\nodometry_refused: %zu\n", c->n_odometry, c->n_odometry_refused);
    fprintf(stderr, "starts_ignored: %zu\nstarts_without_range: %zu\n", c->n_starts_ignored, count_without_range(self));
    fprintf(stderr, "starts: %lu\nrelocks: %lu\n", n_starts, n_relocks);
    if (self->job.n_sensors == 1) {
        const cairn_track_t *track = &self->job.sensor[0]->object.track;
        uint8_t clamped = 0;
        fprintf(stderr, "scale: %.5f\nbias_m: %.4f\n", (double)cairn_track_get_scale(track, NULL),
                (double)cairn_track_get_bias(track, NULL));
        for (size_t i = 0; has_link_biases(self->arguments) && i < self->anchors.n_rows; i++) {
            fprintf(stderr, "bias_of_%lu_m: %.4f\n", (unsigned long)self->anchors.row[i].id,
                    track_job_link_bias(self->job.sensor[0], i));
        }
        fprintf(stderr, "noise_factor: %.3f\n", (double)cairn_track_get_kappa(track, &clamped));
        fprintf(stderr, "motion_disagrees: %s\n", clamped >= 30 ? "yes" : "no");
    }
    fprintf(stderr, "compared: %zu\n", c->n_compared);
    if (c->n_compared > 0) {
        fprintf(stderr, "rmse_m: %.6g\nmax_error_m: %.6g\nnormalized_error: %.4g\n",
                sqrt(c->square_m2 / (double)c->n_compared), c->max_m, c->nees / (double)c->n_compared);
    }
    fprintf(stderr, "seconds: %.4f\n", seconds);
}

static output_result_t draw(track_session_t *self)
{
    char title[120], subtitle[200];
    output_t out;
    const track_counts_t *c = &self->counts;
    if (!output_open(&out, self->arguments->svg)) {
        return OUTPUT_FAILED;
    }
    snprintf(title, sizeof title, "%zu %s tracked by %zu ranges to %zu anchors%s", self->job.n_sensors,
             self->job.n_sensors == 1 ? "sensor" : "sensors", c->n_rows, self->anchors.n_rows,
             self->arguments->odometry != NULL ? " and odometry" : "");
    int length =
        snprintf(subtitle, sizeof subtitle, "%zu ranges used, %zu disbelieved, %zu refused",
                 c->n_result[TRACK_ROW_USED], c->n_result[TRACK_ROW_DISBELIEVED], c->n_result[TRACK_ROW_REFUSED]);
    if (c->n_compared > 0) {
        snprintf(subtitle + length, sizeof subtitle - (size_t)length, ", RMSE %.3g m, largest error %.3g m",
                 sqrt(c->square_m2 / (double)c->n_compared), c->max_m);
    }
    track_chart_draw(&out, &self->path, &self->anchors, title, subtitle);
    return output_close(&out);
}

static int track(const track_arguments_t *arguments)
{
    track_session_t self;
    memset(&self, 0, sizeof self);
    self.arguments = arguments;
    int code = CLI_BAD_DATA;
    const double begun_s = stopwatch_wall_s();
    if (read_files(&self) && begin(&self) && output_open(&self.out, arguments->out)) {
        const bool good = run_rows(&self);
        output_result_t written = OUTPUT_FAILED;
        if (good) {
            written = output_close(&self.out);
        } else {
            output_drop(&self.out);
        }
        const output_result_t drawn = good && arguments->svg != NULL ? draw(&self) : OUTPUT_DONE;
        if (good && written == OUTPUT_DONE && drawn == OUTPUT_DONE) {
            print_summary(&self, stopwatch_wall_s() - begun_s);
        }
        code = output_exit_code(drawn != OUTPUT_DONE ? drawn : written);
    }
    track_job_free(&self.job);
    track_path_free(&self.path);
    track_truth_free(&self.truth);
    places_free(&self.anchors);
    places_free(&self.starts);
    return code;
}

static int count_standard(const char *path) { return path != NULL && strcmp(path, "-") == 0; }

static bool check_arguments(const track_arguments_t *v)
{
    if (count_standard(v->log) + count_standard(v->anchors) + count_standard(v->odometry) + count_standard(v->start) +
            count_standard(v->truth) >
        1) {
        args_usage_error(help.command, "only one file can be the standard input");
        return false;
    }
    if (v->svg != NULL && strcmp(v->svg, v->out) == 0) {
        args_usage_error(help.command, "--out and --svg are the same file");
        return false;
    }
    return true;
}

int command_track(int argc, char **argv)
{
    track_arguments_t v = {NULL, NULL, NULL, NULL, NULL, "-", NULL, 0, BIAS_BOTH, 0, 0, .6, .4, 6, 1e4, .5, false};
    args_option_t options[] = {
        args_required(args_text("--log", &v.log, "FILE", "measured ranges over time; - is the standard input")),
        args_required(args_text("--anchors", &v.anchors, "FILE", "known places")),
        args_text("--odometry", &v.odometry, "FILE", "pieces of path; without it the velocity is estimated"),
        args_text("--start", &v.start, "FILE", "start places, and headings where known"),
        args_text("--truth", &v.truth, "FILE", "true places over time: errors are printed and drawn"),
        args_choice("--bias", &v.bias, bias_names,
                    "what of the ranges is estimated, the rest being taken as right:\nnone, common (an offset), scale, "
                    "both (default), link (an offset\nper anchor, no scale), scale-link (those and the scale)"),
        args_count("--dim", &v.dim, "2|3", 2, 3, "dimensions; default: 3 when the anchors have z_m, else 2"),
        args_choice("--side", &v.side, side_names, "3-D, of all anchors: unknown (default), above, below"),
        args_real("--noise-abs", &v.noise_abs_m, "M", 1e-6, 1e6, "deviation of a range, default 0.6 m"),
        args_real("--noise-rel", &v.noise_rel, "SHARE", 0, 10, "further deviation as a share of it, default 0"),
        args_real("--noise-motion", &v.noise_motion, "Q", 0, 1e6,
                  "without odometry: how fast the velocity changes, default 0.4\nm/s^1.5"),
        args_real("--tau", &v.tau_s, "S", 1e-3, 1e6, "without odometry: the velocity decays in this time, default 6 s"),
        args_real("--start-std", &v.start_std_m, "M", 1e-6, 1e6, "deviation of the starts, default 0.5 m"),
        args_real("--range-max", &v.range_max_m, "M", 1e-6, 1e6, "larger ranges are implausible, default 1e4 m"),
        args_text("--out", &v.out, "FILE", "the paths; default the standard output"),
        args_text("--svg", &v.svg, "FILE", "drawing"),
        args_flag("--quiet", &v.quiet, "accepted for scripts; there is no progress bar"),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    if (!args_parse(&help, argc, argv, options, n_options, &code)) {
        return code;
    }
    return check_arguments(&v) ? track(&v) : CLI_USAGE;
}
