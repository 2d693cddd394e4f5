/* SPDX-License-Identifier: MIT
 * Four robots ranging each other: every frame located by itself, without anchors, one bias per link learned on the way.
 * The rigid fit lays each frame's map on the true places; the biases in use are those of earlier frames only. */
#include "real_robots.h"

#include <math.h>
#include <stdlib.h>

#include "cairn/calibrate.h"
#include "cairn/lift.h"
#include "cairn/rigid.h"
#include "csv.h"
#include "memory.h"
#include "real_data.h"

enum { ROBOTS = 4, PAIRS = 6, DIM = 2, COLUMNS = PAIRS + ROBOTS * DIM };

static const double goal_m = 0.17;
static const double noise_m = 0.1; /* of one range beside its bias */

typedef struct frame {
    double value[COLUMNS]; /* ranges of the pairs in ascending order, places of the robots */
} frame_t;

typedef struct frames {
    frame_t *frame;
    size_t n_frames;
    size_t capacity;
    double bias_m[PAIRS]; /* mean error of each pair, known only to the last row of the table */
} frames_t;

typedef enum treatment { AS_GIVEN, FIXED, LEARNED, KNOWN } treatment_t;

typedef struct robots_case {
    const char *name;
    treatment_t treatment;
    cairn_calibrate_cfg_t cfg;
    bool judged;
} robots_case_t;

static const robots_case_t cases[] = {
    {"as given", AS_GIVEN, {0, 1, 0, 1, 0}, false},
    {"fixed .3 for all", FIXED, {(cairn_real)0.3, 1, 0, 1, 0}, false},
    {"learned, .3 +- .2 expected", LEARNED, {(cairn_real)0.3, (cairn_real)0.2, 0, 100, 0}, true},
    {"learned, .2 +- .3 expected", LEARNED, {(cairn_real)0.2, (cairn_real)0.3, 0, 100, 0}, false},
    {"learned, common 0 +- .3, links +- .1", LEARNED, {0, (cairn_real)0.1, (cairn_real)0.3, 100, 0}, false},
    {"mean of each pair, from the truth", KNOWN, {0, 1, 0, 1, 0}, false},
};

CAIRN_NETWORK_DEFINE(net, ROBOTS, PAIRS, DIM);
static cairn_word_t work[CAIRN_LIFT_WORDS(ROBOTS, DIM)];
static cairn_real calibrate_work[CAIRN_CALIBRATE_REALS(ROBOTS, DIM)];

static bool read_frames(frames_t *self, const char *path)
{
    csv_column_t column[COLUMNS] = {{"r13_m", true, -1}, {"r14_m", true, -1}, {"r15_m", true, -1}, {"r34_m", true, -1},
                                    {"r35_m", true, -1}, {"r45_m", true, -1}, {"x1", true, -1},    {"y1", true, -1},
                                    {"x3", true, -1},    {"y3", true, -1},    {"x4", true, -1},    {"y4", true, -1},
                                    {"x5", true, -1},    {"y5", true, -1}};
    csv_reader_t *csv = csv_open(path);
    bool good = csv != NULL && csv_read_header(csv, column, COLUMNS);
    csv_result_t row = CSV_END;
    while (good && (row = csv_read_row(csv)) == CSV_ROW) {
        self->frame = memory_grow(self->frame, &self->capacity, self->n_frames + 1, sizeof *self->frame);
        for (size_t k = 0; k < COLUMNS && good; k++) {
            good = csv_get_real(csv, &column[k], &self->frame[self->n_frames].value[k]);
        }
        self->n_frames++;
    }
    csv_close(csv);
    return good && row == CSV_END && self->n_frames > 0;
}

static size_t pair_of(size_t a, size_t b) { return a * ROBOTS - a * (a + 1) / 2 + (b - a - 1); }

static void average_errors(frames_t *self)
{
    for (size_t a = 0; a < ROBOTS; a++) {
        for (size_t b = a + 1; b < ROBOTS; b++) {
            double sum_m = 0;
            size_t n = 0;
            for (size_t i = 0; i < self->n_frames; i++) {
                const double *value = self->frame[i].value;
                const double *place = value + PAIRS;
                double range_m = value[pair_of(a, b)];
                sum_m +=
                    range_m > 0 ? range_m - hypot(place[2 * a] - place[2 * b], place[2 * a + 1] - place[2 * b + 1]) : 0;
                n += range_m > 0;
            }
            self->bias_m[pair_of(a, b)] = sum_m / (double)(n > 0 ? n : 1);
        }
    }
}

static bool is_complete(const frame_t *frame)
{
    for (size_t k = 0; k < PAIRS; k++) {
        if (!(frame->value[k] > 0)) {
            return false; /* 0 means missing */
        }
    }
    return true;
}

static double bias_of(const frames_t *frames, const robots_case_t *which, const cairn_calibrate_t *calibrate, size_t a,
                      size_t b)
{
    cairn_real learned_m = 0;
    switch (which->treatment) {
    case AS_GIVEN: return 0;
    case FIXED: return (double)which->cfg.mean_m;
    case KNOWN: return frames->bias_m[pair_of(a, b)];
    default:
        return cairn_calibrate_get(calibrate, (uint32_t)a, (uint32_t)b, &learned_m) == CAIRN_OK ? (double)learned_m : 0;
    }
}

static cairn_status locate_frame(const frames_t *frames, const robots_case_t *which, size_t i,
                                 const cairn_calibrate_t *calibrate)
{
    static const cairn_network_cfg_t cfg = {DIM, 0, (cairn_real)0.1, 0};
    cairn_lift_cfg_t lift_cfg = cairn_lift_cfg_default;
    cairn_lift_t lift;
    cairn_status status = cairn_network_init(&net, &cfg, &net_memory, ROBOTS);
    for (size_t a = 0; a < ROBOTS && status == CAIRN_OK; a++) {
        for (size_t b = a + 1; b < ROBOTS && status == CAIRN_OK; b++) {
            double range_m = frames->frame[i].value[pair_of(a, b)] - bias_of(frames, which, calibrate, a, b);
            status = cairn_network_add_range(&net, (uint32_t)a, (uint32_t)b, (cairn_real)fmax(range_m, noise_m), 0);
        }
    }
    lift_cfg.seed = (uint32_t)i;
    if (status == CAIRN_OK) {
        status = cairn_lift_init(&lift, &lift_cfg, &net, NULL, work, sizeof work / sizeof work[0]);
    }
    if (status < 0) {
        return status;
    }
    do {
        status = cairn_lift_step(&lift, 100000);
    } while (status == CAIRN_MORE);
    return status;
}

/* Mean squared distance to the truth after the rigid fit. */
static double compare(const frame_t *frame)
{
    cairn_real place_m[ROBOTS * DIM];
    cairn_real truth_m[ROBOTS * DIM];
    cairn_rigid_t motion;
    cairn_real rms_m = 0;
    for (size_t i = 0; i < ROBOTS; i++) {
        if (cairn_network_get_place(&net, (uint32_t)i, place_m + i * DIM, NULL) < 0) {
            return HUGE_VAL;
        }
        truth_m[DIM * i] = (cairn_real)frame->value[PAIRS + DIM * i];
        truth_m[DIM * i + 1] = (cairn_real)frame->value[PAIRS + DIM * i + 1];
    }
    if (cairn_rigid_fit(&motion, place_m, truth_m, NULL, ROBOTS, DIM, true, &rms_m) < 0) {
        return HUGE_VAL;
    }
    return (double)rms_m * (double)rms_m;
}

static bool run_case(output_t *out, const frames_t *frames, const robots_case_t *which)
{
    cairn_calibrate_t calibrate;
    double sum_m2 = 0;
    size_t n = 0;
    size_t n_refused = 0;
    if (cairn_calibrate_init(&calibrate, &which->cfg, ROBOTS, DIM, calibrate_work,
                             sizeof calibrate_work / sizeof calibrate_work[0]) != CAIRN_OK) {
        return false;
    }
    for (size_t i = 0; i < frames->n_frames; i++) {
        if (!is_complete(&frames->frame[i])) {
            continue;
        }
        if (locate_frame(frames, which, i, &calibrate) != CAIRN_RELATIVE) {
            n_refused++;
            continue;
        }
        sum_m2 += compare(&frames->frame[i]);
        n++;
        n_refused += which->treatment == LEARNED && cairn_calibrate_learn(&calibrate, &net) != CAIRN_OK;
    }
    double rmse_m = n > 0 ? sqrt(sum_m2 / (double)n) : HUGE_VAL;
    bool good = rmse_m <= goal_m && n_refused == 0;
    output_print(out, "%-38s %6zu  %7zu  %7.4f  %6.2f  %s\n", which->name, n, n_refused, rmse_m,
                 which->judged ? goal_m : 0.0,
                 !which->judged ? "-"
                 : good         ? "ok"
                                : "falls short");
    return good || !which->judged;
}

int real_robots(output_t *out)
{
    char path[REAL_DATA_PATH_BYTES];
    frames_t frames = {NULL, 0, 0, {0}};
    int n_short = 0;
    if (!real_data_path(path, "tiers-4robots/frames.csv")) {
        output_print(out, "robots: skipped, no data\n");
        return 0;
    }
    if (!read_frames(&frames, path)) {
        free(frames.frame);
        return 1;
    }
    average_errors(&frames);
    output_print(out, "robots, 4 moving, 6 ranges a frame, no anchors; each frame by itself, rigidly fitted\n"
                      "bias of a link                         frames  refused   rmse_m    goal  verdict\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        n_short += !run_case(out, &frames, &cases[i]);
        output_flush(out);
    }
    free(frames.frame);
    return n_short;
}
