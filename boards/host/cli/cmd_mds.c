/* SPDX-License-Identifier: MIT
 * cairn mds: places of objects from a square table of their distances. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cairn/mds.h"
#include "command.h"
#include "csv.h"
#include "exit_code.h"
#include "memory.h"
#include "output.h"
#include "parse.h"
#include "progress.h"
#include "scatter.h"
#include "stopwatch.h"

static const char *const loss_names[] = {"squared", "absolute", "squared-distances", "huber", "redescend", NULL};
static const cairn_loss_t *const losses[] = {&cairn_loss_squared, &cairn_loss_absolute, &cairn_loss_squared_distances,
                                             &cairn_loss_huber, &cairn_loss_redescend};
static const char *const space_names[] = {"euclidean", "sphere", "sphere-chord", NULL};

static const args_help_t help = {
    "cairn mds", "--distances FILE [OPTION...]",
    "Multidimensional scaling: places whose distances are those of a table, as nearly as the loss allows.\n",
    "columns\n"
    "  distances  first column names (any header), then one column an object, in the order of the rows; an empty\n"
    "             entry is missing; the two halves of the table must agree, and the diagonal be 0 or empty\n"
    "  out        name,x1,x2,...; on a sphere --dim counts the dimensions of its surface, out has one more\n"
    "summary (standard error stream)\n"
    "  objects stress1 cost sweeps converged seconds\n"
    "example\n"
    "  printf 'name,p,q,r\\np,0,3,4\\nq,3,0,5\\nr,4,5,0\\n' | cairn mds --distances - --svg places.svg\n" CSV_HELP};

typedef struct mds_arguments {
    const char *distances;
    const char *out;
    const char *svg;
    uint64_t dim;
    uint64_t n_starts;
    uint64_t n_sweeps;
    uint64_t seed;
    double radius;
    size_t loss;
    size_t space;
    bool quiet;
} mds_arguments_t;

typedef struct mds_table {
    size_t n;
    float *distance; /* [n x n] */
    float *weight;
    char **name;
} mds_table_t;

static void get_row(const void *context, size_t i, size_t n, cairn_real *distance, cairn_real *weight)
{
    const mds_table_t *table = context;
    for (size_t j = 0; j < n; j++) {
        distance[j] = (cairn_real)table->distance[i * n + j];
        weight[j] = (cairn_real)table->weight[i * n + j];
    }
}

static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = memory_zeroed(bytes, 1);
    memcpy(copy, text, bytes);
    return copy;
}

static bool read_row(csv_reader_t *csv, mds_table_t *table, size_t row)
{
    csv_column_t column = {"distance", false, 0};
    table->name[row] = copy_text(csv_text(csv, &column)); /* the first column */
    for (size_t j = 0; j < table->n; j++) {
        double value = 0;
        column.index = (int)j + 1;
        bool missing = csv_text(csv, &column)[0] == '\0';
        if (!missing && parse_real(csv_text(csv, &column), &value) != PARSE_OK) {
            csv_error(csv, "a distance is not a finite number", csv_text(csv, &column),
                      "give a decimal number, like 3.21, or leave the entry empty where it is missing");
            return false;
        }
        if (value < 0) {
            csv_error(csv, "a distance is negative", csv_text(csv, &column), "give distances of 0 or more");
            return false;
        }
        if (value > (double)CAIRN_MDS_DISTANCE_MAX) {
            csv_error(csv, "a distance is above 1e11", csv_text(csv, &column), "give distances in a larger unit");
            return false;
        }
        table->distance[row * table->n + j] = (float)value;
        table->weight[row * table->n + j] = missing ? 0 : 1;
    }
    return true;
}

/* What two entries about the same objects must have in common; a distance at all. */
static bool check_table(const char *path, const mds_table_t *table)
{
    char what[240];
    size_t n_distances = 0;
    for (size_t i = 0; i < table->n * table->n; i++) {
        size_t row = i / table->n;
        size_t column = i % table->n;
        size_t mirrored = column * table->n + row;
        float difference = table->distance[i] - table->distance[mirrored];
        if (row == column && table->distance[i] > 0) {
            snprintf(what, sizeof what, "%.40s is at distance %g from itself", table->name[row],
                     (double)table->distance[i]);
            csv_error_at(path, 0, what, NULL, "write 0 on the diagonal, or leave it empty");
            return false;
        }
        if (difference > 1e-5f * table->distance[i] || (table->weight[i] > 0) != (table->weight[mirrored] > 0)) {
            snprintf(what, sizeof what, "the distance of %.40s and %.40s differs from that of %.40s and %.40s",
                     table->name[row], table->name[column], table->name[column], table->name[row]);
            csv_error_at(path, 0, what, NULL, "make the table symmetric");
            return false;
        }
        n_distances += row != column && table->weight[i] > 0;
    }
    if (table->n > 1 && n_distances == 0) {
        csv_error_at(path, 0, "there is no distance in the table", NULL, "give some");
    }
    return table->n < 2 || n_distances > 0;
}

static bool read_table(const char *path, mds_table_t *table)
{
    csv_reader_t *csv = csv_open(path);
    csv_result_t result = CSV_BAD;
    size_t row = 0;
    memset(table, 0, sizeof *table);
    if (csv != NULL && csv_read_header(csv, NULL, 0)) {
        table->n = csv_count_columns(csv) - 1;
        table->distance = memory_zeroed(table->n * table->n, sizeof *table->distance);
        table->weight = memory_zeroed(table->n * table->n, sizeof *table->weight);
        table->name = memory_zeroed(table->n + 1, sizeof *table->name);
        while ((result = csv_read_row(csv)) == CSV_ROW && row < table->n && read_row(csv, table, row)) {
            row++;
        }
    }
    bool done = result == CSV_END && row == table->n && row > 0;
    if (result == CSV_END && !done) {
        csv_error_at(path, 0, "the table is not square", NULL,
                     "give a row of distances for each column after the first");
    } else if (result == CSV_ROW && row == table->n) {
        csv_error(csv, "there are more rows than columns of distances", NULL, "give a square table");
    }
    csv_close(csv);
    return done && check_table(path, table);
}

static void free_table(mds_table_t *table)
{
    for (size_t i = 0; i < table->n && table->name != NULL; i++) {
        free(table->name[i]);
    }
    free(table->name);
    free(table->distance);
    free(table->weight);
}

static output_result_t write_places(const char *path, const mds_table_t *table, const cairn_real *place, size_t dim)
{
    output_t out;
    if (!output_open(&out, path)) {
        return OUTPUT_FAILED;
    }
    output_print(&out, "name");
    for (size_t a = 0; a < dim; a++) {
        output_print(&out, ",x%zu", a + 1);
    }
    for (size_t i = 0; i < table->n; i++) {
        output_print(&out, "\n");
        output_field(&out, table->name[i]);
        for (size_t a = 0; a < dim; a++) {
            output_print(&out, ",%.7g", (double)place[i * dim + a]);
        }
    }
    output_print(&out, "\n");
    return output_close(&out);
}

static output_result_t write_drawing(const char *path, const mds_table_t *table, const cairn_real *place, size_t dim,
                                     double stress)
{
    char subtitle[120];
    output_t out;
    scatter_t scene = {(const float *)place,       table->n, dim, NULL, (const char *const *)table->name,
                       "Multidimensional scaling", subtitle};
    if (!output_open(&out, path)) {
        return OUTPUT_FAILED;
    }
    snprintf(subtitle, sizeof subtitle, "%zu objects, stress-1 %.4f", table->n, stress);
    scatter_draw(&out, &scene);
    return output_close(&out);
}

static int solve(const mds_arguments_t *v, const mds_table_t *table)
{
    cairn_mds_t mds;
    cairn_space_t space;
    progress_t progress;
    cairn_mds_cfg_t cfg = cairn_mds_cfg_default;
    size_t dim = (size_t)v->dim + (v->space > 0 ? 1 : 0);
    cairn_real *place = memory_zeroed(table->n * dim, sizeof *place);
    cairn_real *work = memory_zeroed(CAIRN_MDS_REALS(table->n, dim), sizeof *work);
    cairn_status status = v->space == 0   ? CAIRN_OK
                          : v->space == 1 ? cairn_space_sphere(&space, (cairn_real)v->radius)
                                          : cairn_space_sphere_chord(&space, (cairn_real)v->radius);
    double begin_s = stopwatch_processor_s();
    cfg.space = v->space > 0 ? &space : NULL;
    cfg.loss = losses[v->loss];
    cfg.row = get_row;
    cfg.context = table;
    cfg.weighted = true;
    cfg.starts_max = (uint16_t)v->n_starts;
    cfg.sweeps_max = (uint16_t)v->n_sweeps;
    cfg.seed = v->seed;
    progress_begin(&progress, !v->quiet);
    if (status == CAIRN_OK) {
        status = cairn_mds_init(&mds, &cfg, table->n, dim, place, table->n * dim, work, CAIRN_MDS_REALS(table->n, dim));
    }
    for (bool more = status == CAIRN_OK; more; more = status == CAIRN_MORE) {
        status = cairn_mds_step(&mds, 1000000);
        progress_update(&progress, (double)cairn_mds_get_progress(&mds), "sweeps");
    }
    progress_end(&progress);
    output_result_t written = OUTPUT_FAILED;
    double stress = 0;
    if (status < 0) {
        csv_error_at(v->distances, 0, cairn_status_name(status), NULL, "check the table");
    } else {
        stress = (double)cairn_mds_get_stress(&mds);
        written = write_places(v->out, table, place, dim);
    }
    if (written != OUTPUT_FAILED && v->svg != NULL) {
        output_result_t drawn = write_drawing(v->svg, table, place, dim, stress);
        written = drawn != OUTPUT_DONE ? drawn : written;
    }
    if (written == OUTPUT_DONE) {
        fprintf(stderr, "objects: %zu\nstress1: %.6g\ncost: %.6g\nsweeps: %lu\nconverged: %s\nseconds: %.3f\n",
                table->n, stress, (double)cairn_mds_get_cost(&mds), (unsigned long)cairn_mds_get_sweeps(&mds),
                status == CAIRN_OK ? "yes" : "no", stopwatch_processor_s() - begin_s);
    }
    free(place);
    free(work);
    return output_exit_code(written);
}

int command_mds(int argc, char **argv)
{
    mds_arguments_t v = {NULL, "-", NULL, 2, 1, 500, 1, 1, 0, 0, false};
    mds_table_t table;
    args_option_t options[] = {
        args_required(args_text("--distances", &v.distances, "FILE", "square table")),
        args_count("--dim", &v.dim, "K", 1, 1000, "dimensions, default 2"),
        args_choice("--loss", &v.loss, loss_names,
                    "squared (default), absolute (resists wrong entries),\nsquared-distances, huber, redescend"),
        args_choice("--space", &v.space, space_names,
                    "euclidean (default); sphere: great circles, sphere-chord: straight\nlines through the ball"),
        args_real("--radius", &v.radius, "R", 1e-9, 1e9, "of the sphere, default 1"),
        args_count("--starts", &v.n_starts, "N", 1, 65535,
                   "the first is classical, others random; the best counts; default 1"),
        args_count("--sweeps", &v.n_sweeps, "N", 1, 65535, "at most, a start; default 500"),
        args_count("--seed", &v.seed, "N", 0, UINT64_MAX, "default 1"),
        args_text("--out", &v.out, "FILE", "places; default the standard output"),
        args_text("--svg", &v.svg, "FILE", "drawing of the first two coordinates"),
        args_flag("--quiet", &v.quiet, "no progress bar"),
    };
    size_t n_options = sizeof options / sizeof options[0];
    int code;
    if (!args_parse(&help, argc, argv, options, n_options, &code)) {
        return code;
    }
    code = read_table(v.distances, &table) ? solve(&v, &table) : CLI_BAD_DATA;
    free_table(&table);
    return code;
}
