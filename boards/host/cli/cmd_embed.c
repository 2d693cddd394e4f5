/* SPDX-License-Identifier: MIT
 * cairn embed: a stream of feature vectors becomes points that keep their distances. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cairn/embed.h"
#include "cairn/kmeans.h"
#include "cairn/projection.h"
#include "command.h"
#include "csv.h"
#include "exit_code.h"
#include "memory.h"
#include "metric_parts.h"
#include "output.h"
#include "scatter.h"
#include "stopwatch.h"

#define SPREAD_LEAST 1e-13f /* root mean square distance of landmarks' places from their centre */

enum { KMEANS_PASSES = 10 };
enum { POLICY_RANDOM, POLICY_MAXMIN, POLICY_KMEANS, POLICY_FIXED };

static const char *const policy_names[] = {"random", "maxmin", "kmeans", "fixed", NULL};
static const cairn_embed_policy_t *const policies[] = {&cairn_embed_random, &cairn_embed_maxmin, NULL, NULL};
static const char *const loss_names[] = {"squared", "redescend", NULL};
static const char *const metric_names[] = {"euclidean", "cosine", "chi2", "hellinger", NULL};
static const cairn_metric_t *const metrics[] = {&cairn_metric_euclidean, &cairn_metric_angle, &cairn_metric_chi_square,
                                                &cairn_metric_hellinger};

static const char *const space_names[] = {"euclidean", "sphere", NULL};

static const args_help_t help = {
    "cairn embed", "--points FILE [OPTION...]",
    "Places feature vectors in K dimensions so that their distances are kept, as they come: the first L are embedded\n"
    "among themselves, each later one by its distances to L landmarks. One pass without --svg keeps nothing else, so\n"
    "the standard input may go on for ever.\n",
    "columns\n"
    "  points   one row a vector; every column is a feature but the one named by --label. With --raw D instead of "
    "CSV:\n"
    "           float32 of this machine, D a vector\n"
    "  out      [label,]x1,x2,... in the order of the input\n"
    "treatment\n"
    "  rows that cannot be placed (no angle, negative in a histogram, too far away) are refused with their line; so "
    "are\n"
    "  vectors all nearer to one another than 1e-12: scale them\n"
    "  parts of a mix: --parts chi2:1-8,euclidean:9-12:0.5 is the chi-square distance of features 1 to 8 and half the\n"
    "  Euclidean one of the others\n"
    "  on a sphere no landmarks are used: a random projection to K + 1 coordinates of length 1, which keeps angles "
    "the\n"
    "  better the larger K; some tens are needed\n"
    "summary (standard error stream)\n"
    "  points features landmarks replaced residual (root mean square, of the last point) seconds\n"
    "example\n"
    "  printf 'wet,warm,bright\\n1,2,3\\n2,2,1\\n4,0,2\\n3,1,1\\n' | cairn embed --points - --landmarks 4\n" CSV_HELP};

typedef struct embed_arguments {
    const char *points;
    const char *label;
    const char *out;
    const char *svg;
    const char *parts;
    uint64_t dim;
    uint64_t n_landmarks;
    uint64_t n_passes;
    uint64_t n_rounds;
    uint64_t n_raw;
    uint64_t seed;
    size_t policy;
    size_t loss;
    size_t metric;
    size_t space;
    bool smooth;
} embed_arguments_t;

/* Where vectors come from. */
typedef struct source {
    const embed_arguments_t *v;
    csv_reader_t *csv;
    FILE *raw;
    csv_column_t label;
    size_t d;
    uint64_t n_read;
    uint64_t at;          /* where the present vector is: its line, its number where --raw has no lines; 0: none */
    bool bad;             /* said so */
    bool differs;         /* the vectors are not all the same */
    cairn_real *features; /* [d] the present one */
    cairn_real *first;    /* [d] */
    const char *text;     /* its label, or "" */
} source_t;

/* Everything of a run. */
typedef struct embed_job {
    const embed_arguments_t *v;
    source_t source;
    output_t out;
    cairn_embed_cfg_t cfg;
    cairn_embed_memory_t memory;
    cairn_embed_t embed;
    cairn_metric_t mix;
    cairn_metric_part_t parts[METRIC_PARTS_MAX];
    cairn_real *points; /* [n x d], when all are kept */
    cairn_real *place;  /* [n x dim], when all are kept; else of the landmarks */
    char **label;       /* the same */
    uint64_t *at;       /* the same */
    size_t n;
    size_t n_points_room;
    size_t n_place_room;
    size_t n_label_room;
    size_t n_at_room;
    bool keep;
} embed_job_t;

static bool open_source(source_t *self, const embed_arguments_t *v)
{
    memset(self, 0, sizeof *self);
    self->v = v;
    self->text = "";
    self->label.name = v->label != NULL ? v->label : "label";
    self->label.required = v->label != NULL;
    self->label.index = -1;
    if (v->n_raw > 0) {
        self->d = (size_t)v->n_raw;
        self->raw = strcmp(v->points, "-") == 0 ? stdin : fopen(v->points, "rb");
        if (self->raw == NULL) {
            csv_error_at(v->points, 0, "cannot be opened", strerror(errno), "check the name");
        }
    } else {
        self->csv = csv_open(v->points);
        if (self->csv == NULL || !csv_read_header(self->csv, &self->label, v->label != NULL ? 1 : 0)) {
            return false;
        }
        self->d = csv_count_columns(self->csv) - (v->label != NULL ? 1 : 0);
    }
    self->features = memory_zeroed(self->d + 1, sizeof *self->features);
    self->first = memory_zeroed(self->d + 1, sizeof *self->first);
    if (self->d == 0) {
        csv_error_at(v->points, 1, "there is no column of features", NULL, "give one beside the label");
    }
    return self->d > 0 && (self->raw != NULL || self->csv != NULL);
}

static csv_result_t next_raw(source_t *self)
{
    size_t n = fread(self->features, sizeof *self->features, self->d, self->raw);
    if (n == self->d) {
        self->at = ++self->n_read;
        return CSV_ROW;
    }
    if (ferror(self->raw)) {
        csv_error_at(self->v->points, 0, "cannot be read", strerror(errno), "check the name");
        return CSV_BAD;
    }
    if (n > 0) {
        fprintf(stderr,
                "%s: the last vector is cut off after %zu of %zu numbers: copy the file again, or correct --raw\n",
                self->v->points, n, self->d);
        return CSV_BAD;
    }
    return CSV_END;
}

static csv_result_t read_vector(source_t *self)
{
    csv_column_t column = {"feature", true, 0};
    csv_result_t result;
    size_t a = 0;
    if (self->raw != NULL) {
        return next_raw(self);
    }
    result = csv_read_row(self->csv);
    for (size_t c = 0; result == CSV_ROW && a < self->d; c++) {
        double value;
        column.index = (int)c;
        if ((int)c == self->label.index) {
            continue;
        }
        if (!csv_get_real(self->csv, &column, &value)) {
            return CSV_BAD;
        }
        self->features[a] = (cairn_real)value;
        a++;
    }
    if (result == CSV_ROW) {
        self->text = csv_text(self->csv, &self->label);
        self->at = csv_line(self->csv);
        self->n_read++;
    }
    return result;
}

static csv_result_t next_vector(source_t *self)
{
    csv_result_t result = read_vector(self);
    self->bad = result == CSV_BAD;
    if (result == CSV_ROW && self->n_read == 1) {
        memcpy(self->first, self->features, self->d * sizeof *self->first);
    } else if (result == CSV_ROW && !self->differs) {
        self->differs = memcmp(self->first, self->features, self->d * sizeof *self->first) != 0;
    }
    return result;
}

static void print_place(embed_job_t *self, const char *label, const cairn_real *place)
{
    if (self->v->label != NULL) {
        output_field(&self->out, label);
        output_print(&self->out, ",");
    }
    for (size_t a = 0; a < self->cfg.dim; a++) {
        output_print(&self->out, a == 0 ? "%.7g" : ",%.7g", (double)place[a]);
    }
    output_print(&self->out, "\n");
}

/* Keep the present vector, its label and room for its place. */
static void keep_vector(embed_job_t *self)
{
    size_t d = self->source.d;
    size_t bytes = strlen(self->source.text) + 1;
    self->label = memory_grow(self->label, &self->n_label_room, self->n + 1, sizeof *self->label);
    self->label[self->n] = memory_zeroed(bytes, 1);
    memcpy(self->label[self->n], self->source.text, bytes);
    self->at = memory_grow(self->at, &self->n_at_room, self->n + 1, sizeof *self->at);
    self->at[self->n] = self->source.at;
    self->place = memory_grow(self->place, &self->n_place_room, (self->n + 1) * self->cfg.dim, sizeof *self->place);
    if (self->keep) {
        self->points = memory_grow(self->points, &self->n_points_room, (self->n + 1) * d, sizeof *self->points);
        memcpy(self->points + self->n * d, self->source.features, d * sizeof *self->points);
    }
    self->n++;
}

/* Why a vector has no place among others, as far as it shows by itself; NULL: a centre. */
static const char *why_unplaceable(const embed_job_t *self, const cairn_real *features, const char **remedy)
{
    bool negative = false;
    bool zero = features != NULL;
    for (size_t a = 0; a < self->source.d && features != NULL; a++) {
        negative = negative || features[a] < 0;
        zero = zero && !(fabs((double)features[a]) > 0);
    }
    if (negative && self->cfg.metric->nonnegative) {
        *remedy = "chi2 and hellinger want features of 0 or more";
        return "cannot be placed: a feature is negative";
    }
    if (zero && (self->cfg.metric == &cairn_metric_angle || self->v->space > 0)) {
        *remedy = "leave it out, or take another --metric";
        return "cannot be placed: all features are 0, which makes no angle";
    }
    if (self->v->parts != NULL) {
        *remedy = "chi2 and hellinger want features of 0 or more, cosine parts that are not 0; scale large ones";
        return "cannot be placed: a part has no distance to others, or one above 1e11";
    }
    *remedy = "scale the features";
    return "cannot be placed: a distance to others is above 1e11";
}

/* The vector that self->source.at tells. */
static bool refuse(const embed_job_t *self, const cairn_real *features, cairn_status status)
{
    const char *remedy = "leave it out, or scale the features";
    const char *what = status == CAIRN_ERR_RANGE       ? why_unplaceable(self, features, &remedy)
                       : status == CAIRN_ERR_NONFINITE ? "cannot be placed: a feature is too large for float32"
                                                       : cairn_status_name(status);
    char vector[120];
    snprintf(vector, sizeof vector, "vector %llu %s", (unsigned long long)self->source.at, what);
    bool has_lines = self->source.csv != NULL;
    csv_error_at(self->v->points, has_lines ? self->source.at : 0, has_lines ? what : vector, NULL, remedy);
    return false;
}

/* Embed the landmarks; their places go to the first rows of self->place, and out when nothing is kept. */
static void settle_landmarks(embed_job_t *self)
{
    while (cairn_embed_step(&self->embed, 100000) == CAIRN_MORE) {
    }
    for (size_t i = 0; i < self->n && self->v->policy != POLICY_KMEANS; i++) {
        (void)!cairn_embed_get_landmark(&self->embed, i, self->place + i * self->cfg.dim);
        if (!self->keep) {
            print_place(self, self->label[i], self->place + i * self->cfg.dim);
        }
    }
}

/* One vector of an endless stream. */
static bool stream_vector(embed_job_t *self)
{
    cairn_real place[1024];
    cairn_status status = cairn_embed_push(&self->embed, self->source.features, place);
    if (status == CAIRN_OK) {
        print_place(self, self->source.text, place);
    } else if (status > 0) {
        keep_vector(self);
        if (status == CAIRN_MORE) {
            settle_landmarks(self);
            output_flush(&self->out);
        }
    }
    return status >= 0 ? true : refuse(self, self->source.features, status);
}

static bool finish_short(embed_job_t *self)
{
    if (self->embed.stage == CAIRN_EMBED_COLLECT && cairn_embed_close(&self->embed) == CAIRN_MORE) {
        settle_landmarks(self);
    }
    return self->source.n_read > 0;
}

static bool run_stream(embed_job_t *self)
{
    csv_result_t result = CSV_ROW;
    while (self->out.error == 0 && (result = next_vector(&self->source)) == CSV_ROW) {
        if (!stream_vector(self)) {
            return false;
        }
    }
    return result != CSV_BAD && finish_short(self);
}

/* Centres of ten Lloyd passes become the landmarks. */
static bool push_centres(embed_job_t *self)
{
    size_t d = self->source.d;
    self->source.at = 0; /* a centre is no row */
    cairn_kmeans_t means;
    cairn_real place[1024];
    size_t n_reals = CAIRN_KMEANS_REALS(self->cfg.n_landmarks, d);
    cairn_real *reals = memory_zeroed(n_reals, sizeof *reals);
    uint32_t *count = memory_zeroed(self->cfg.n_landmarks, sizeof *count);
    cairn_status status =
        cairn_kmeans_init(&means, CAIRN_KMEANS_LLOYD, self->cfg.n_landmarks, d, reals, n_reals, count);
    for (int pass = 0; pass < KMEANS_PASSES && status == CAIRN_OK; pass++) {
        for (size_t i = 0; i < self->n && status == CAIRN_OK; i++) {
            status = cairn_kmeans_add(&means, self->points + i * d, NULL);
        }
        status = status == CAIRN_OK ? cairn_kmeans_end_pass(&means, NULL) : status;
    }
    for (size_t c = 0; status >= 0 && c < cairn_kmeans_get_count(&means); c++) {
        status = cairn_embed_push(&self->embed, cairn_kmeans_get_centres(&means) + c * d, place);
    }
    if (status == CAIRN_UNPLACED) {
        status = cairn_embed_close(&self->embed);
    }
    if (status == CAIRN_MORE) {
        settle_landmarks(self);
    }
    free(reals);
    free(count);
    return status >= 0 ? true : refuse(self, NULL, status);
}

static bool run_kept(embed_job_t *self)
{
    csv_result_t result;
    size_t d = self->source.d;
    while ((result = next_vector(&self->source)) == CSV_ROW) {
        keep_vector(self);
    }
    size_t n = self->n;
    if (result == CSV_BAD || n == 0 || (self->v->policy == POLICY_KMEANS && !push_centres(self))) {
        return false;
    }
    for (uint64_t pass = 0; pass < self->v->n_passes; pass++) {
        for (size_t i = 0; i < n; i++) {
            cairn_real *place = self->place + i * self->cfg.dim;
            self->source.at = self->at[i];
            cairn_status status = pass == 0 ? cairn_embed_push(&self->embed, self->points + i * d, place)
                                            : cairn_embed_revise(&self->embed, self->points + i * d, place);
            self->n = status == CAIRN_MORE ? i + 1 : n;
            if (status == CAIRN_MORE) {
                settle_landmarks(self);
            } else if (status < 0) {
                return refuse(self, self->points + i * d, status);
            }
        }
        self->n = n;
        (void)finish_short(self);
    }
    for (size_t i = 0; i < n; i++) {
        print_place(self, self->label[i], self->place + i * self->cfg.dim);
    }
    return true;
}

/* Each vector by itself, onto a sphere. */
static bool run_sphere(embed_job_t *self)
{
    cairn_projection_t projection = {self->v->seed, (uint16_t)self->source.d, (uint16_t)self->v->dim};
    cairn_real place[1025];
    csv_result_t result = CSV_ROW;
    while (self->out.error == 0 && (result = next_vector(&self->source)) == CSV_ROW) {
        cairn_status status = cairn_projection_place(&projection, self->source.features, place);
        if (status < 0) {
            return refuse(self, self->source.features, status);
        }
        if (self->keep) {
            keep_vector(self);
            memcpy(self->place + (self->n - 1) * self->cfg.dim, place, self->cfg.dim * sizeof *place);
        }
        print_place(self, self->source.text, place);
    }
    return result != CSV_BAD && self->source.n_read > 0;
}

static bool set_metric(embed_job_t *self)
{
    const char *text = self->v->parts;
    size_t n_parts = 0;
    self->cfg.metric = metrics[self->v->metric];
    if (text != NULL) {
        n_parts = metric_parts_read(text, metric_names, metrics, self->source.d, self->parts);
        self->cfg.metric = &self->mix;
    }
    return text == NULL ||
           (n_parts > 0 && cairn_metric_mix(&self->mix, self->parts, n_parts, self->source.d) == CAIRN_OK);
}

static bool open_job(embed_job_t *self, const embed_arguments_t *v)
{
    memset(self, 0, sizeof *self);
    self->v = v;
    if (!open_source(&self->source, v)) {
        return false;
    }
    self->cfg = cairn_embed_cfg_default;
    if (!set_metric(self)) {
        return false;
    }
    self->cfg.n_features = (uint16_t)self->source.d;
    self->cfg.dim = (uint16_t)v->dim;
    self->cfg.n_landmarks = (uint16_t)v->n_landmarks;
    self->cfg.policy = policies[v->policy];
    self->cfg.rounds = (uint16_t)v->n_rounds;
    self->cfg.store_distances = true;
    self->cfg.robust = v->loss == 1 ? &cairn_embed_robust : NULL;
    self->cfg.smoother = v->smooth ? &cairn_embed_smoother : NULL;
    self->cfg.seed = v->seed;
    self->keep = v->svg != NULL || v->n_passes > 1 || v->policy == POLICY_KMEANS;
    if (v->space > 0) {
        self->cfg.dim++; /* coordinates */
        self->keep = v->svg != NULL;
        return output_open(&self->out, v->out);
    }
    self->memory.n_reals = cairn_embed_reals(&self->cfg);
    self->memory.reals = memory_zeroed(self->memory.n_reals, sizeof(cairn_real));
    self->memory.n_nearest = self->cfg.n_landmarks;
    self->memory.nearest = memory_zeroed(self->memory.n_nearest, sizeof(uint16_t));
    return cairn_embed_init(&self->embed, &self->cfg, &self->memory) == CAIRN_OK && output_open(&self->out, v->out);
}

/* Different vectors of one direction are at angle 0. */
static bool has_angles(const cairn_metric_t *metric)
{
    bool found = metric == &cairn_metric_angle;
    for (size_t i = 0; i < metric->n_parts; i++) {
        found = found || metric->parts[i].metric == &cairn_metric_angle;
    }
    return found;
}

/* Squares and third powers of such distances are zero in float32, and all vectors come to lie in one place. */
static bool has_collapsed(const embed_job_t *self)
{
    bool collapsed = self->v->space == 0 && !has_angles(self->cfg.metric) && self->source.differs &&
                     self->embed.spread2 < SPREAD_LEAST * SPREAD_LEAST;
    if (collapsed) {
        csv_error_at(self->v->points, 0, "the vectors are nearer to one another than 1e-12, which float32 cannot place",
                     NULL, "scale the features");
    }
    return collapsed;
}

static output_result_t draw(const embed_job_t *self)
{
    output_t out;
    char subtitle[160];
    scatter_t scene = {(const float *)self->place,
                       self->n,
                       self->cfg.dim,
                       self->v->label != NULL ? (const char *const *)self->label : NULL,
                       NULL,
                       "Embedding",
                       subtitle};
    if (self->v->svg == NULL) {
        return OUTPUT_DONE;
    }
    if (!output_open(&out, self->v->svg)) {
        return OUTPUT_FAILED;
    }
    if (self->v->space > 0) {
        snprintf(subtitle, sizeof subtitle, "%zu points of %zu features on a sphere in %u coordinates", self->n,
                 self->source.d, (unsigned)self->cfg.dim);
    } else {
        snprintf(subtitle, sizeof subtitle, "%zu points of %zu features, %lu landmarks (%s), %s", self->n,
                 self->source.d, (unsigned long)cairn_embed_get_held(&self->embed), policy_names[self->v->policy],
                 self->v->parts != NULL ? self->v->parts : metric_names[self->v->metric]);
    }
    scatter_draw(&out, &scene);
    return output_close(&out);
}

static int embed(const embed_arguments_t *v)
{
    static embed_job_t job;
    double begin_s = stopwatch_processor_s();
    if (!open_job(&job, v)) {
        return CLI_BAD_DATA;
    }
    output_print(&job.out, v->label != NULL ? "label" : "x1");
    for (size_t a = v->label != NULL ? 0 : 1; a < job.cfg.dim; a++) {
        output_print(&job.out, ",x%zu", a + 1);
    }
    output_print(&job.out, "\n");
    bool done = v->space > 0 ? run_sphere(&job) : job.keep ? run_kept(&job) : run_stream(&job);
    if (!done && job.source.n_read == 0 && !job.source.bad) {
        csv_error_at(v->points, 0, "there are no vectors", NULL, "give a row of numbers each, behind a header");
    }
    done = done && !has_collapsed(&job);
    output_result_t written = OUTPUT_FAILED;
    if (done || job.out.error != 0) {
        written = output_close(&job.out);
    } else {
        output_drop(&job.out);
    }
    output_result_t drawn = done && written == OUTPUT_DONE ? draw(&job) : OUTPUT_DONE;
    if (done && written == OUTPUT_DONE && drawn == OUTPUT_DONE) {
        fprintf(stderr, "points: %llu\nfeatures: %zu\nlandmarks: %lu\nreplaced: %lu\nresidual: %.6g\nseconds: %.3f\n",
                (unsigned long long)job.source.n_read, job.source.d, (unsigned long)cairn_embed_get_held(&job.embed),
                (unsigned long)cairn_embed_get_counters(&job.embed).n_replaced,
                (double)cairn_embed_get_residual(&job.embed), stopwatch_processor_s() - begin_s);
    }
    return !done ? CLI_BAD_DATA : output_exit_code(drawn != OUTPUT_DONE ? drawn : written);
}

int command_embed(int argc, char **argv)
{
    embed_arguments_t v = {NULL, NULL, "-", NULL, NULL, 2, 100, 1, 1, 0, 1, 0, 0, 0, 0, false};
    args_option_t options[] = {
        args_required(args_text("--points", &v.points, "FILE", "feature vectors; - is the standard input")),
        args_count("--dim", &v.dim, "K", 1, 1024, "coordinates, default 2"),
        args_count("--landmarks", &v.n_landmarks, "L", 2, 65520, "default 100; 5 K or more is advised"),
        args_choice("--policy", &v.policy, policy_names,
                    "landmarks: random (default, a uniform sample), maxmin (spread out),\n"
                    "kmeans (centres, the file is kept), fixed (the first L)"),
        args_count("--passes", &v.n_passes, "T", 1, 1000, "passes over the points, default 1"),
        args_count("--rounds", &v.n_rounds, "N", 1, 65535, "steps a vector, default 1; more for exact data"),
        args_choice("--loss", &v.loss, loss_names, "squared (default), or redescend, which resists wrong distances"),
        args_choice("--metric", &v.metric, metric_names, "euclidean (default), cosine (the angle), chi2, hellinger"),
        args_text("--parts", &v.parts, "PARTS", "a weighted sum of distances of parts of the features"),
        args_choice("--space", &v.space, space_names, "euclidean (default), or sphere: a random projection"),
        args_flag("--smooth", &v.smooth, "learn the linear map as well: less noise for Euclidean features"),
        args_text("--label", &v.label, "NAME", "column that is a label: passed on, and coloured"),
        args_count("--raw", &v.n_raw, "D", 1, 65535, "points are float32, D a vector, not CSV"),
        args_count("--seed", &v.seed, "N", 0, UINT64_MAX, "default 1"),
        args_text("--out", &v.out, "FILE", "places; default the standard output"),
        args_text("--svg", &v.svg, "FILE", "drawing of the first two coordinates"),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    if (!args_parse(&help, argc, argv, options, n_options, &code)) {
        return code;
    }
    if (v.label != NULL && v.n_raw > 0) {
        return args_usage_error(help.command, "--label needs CSV, not --raw");
    }
    if (v.space > 0 && (v.parts != NULL || v.smooth || v.metric > 0 || v.loss > 0 || v.policy > 0)) {
        return args_usage_error(help.command,
                                "--space sphere keeps angles by itself: it takes none of --metric, --parts,\n"
                                "--policy, --loss and --smooth");
    }
    return embed(&v);
}
