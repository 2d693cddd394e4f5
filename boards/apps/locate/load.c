/* SPDX-License-Identifier: MIT */
/* The network's files, read twice: first which nodes there are, then what is known of them. */
#include "apps/locate/app.h"
#include "apps/locate/sample.h"

#include "apps/common/decimal.h"

#include <string.h>

#if LOCATE_NODES >= 200 && LOCATE_RANGES >= 1146
#define SAMPLE sample_large
#else
#define SAMPLE sample_small
#endif

#define QUOTE_TEXT(x) #x
#define QUOTE(x)      QUOTE_TEXT(x)

#define BOARD_FILE "boards/" BOARD_NAME "/board.mk"

#define LENGTH_MAX_M 1e9 /* coordinates and ranges; what is printed with 4 decimals stays exact */

enum { PATH_BYTES = PORT_ARGUMENTS_BYTES_MAX + 16 };
enum { ID = 0, X_M = 1, Y_M = 2, Z_M = 3, PLACE_COLUMNS = 4 };
enum { A = 0, B = 1, RANGE_M = 2, STD_M = 3, RANGE_COLUMNS = 4 };

static const char *const place_columns[PLACE_COLUMNS] = {"id", "x_m", "y_m", "z_m"};
static const char *const range_columns[RANGE_COLUMNS] = {"a", "b", "range_m", "std_m"};

/* Takes one row; 0, or an exit code after a message. */
typedef int (*row_fn)(app_t *app, const size_t *columns);

/* `file:line: what, value` */
static int fail(app_t *app, const char *what, const char *value)
{
    writer_t *out = &app->console;
    writer_text(out, app->csv.name);
    writer_text(out, ":");
    writer_unsigned(out, app->csv.line, 0);
    writer_text(out, ": ");
    writer_text(out, what);
    if (value != NULL) {
        writer_text(out, ", ");
        writer_text(out, value);
    }
    writer_text(out, "\n");
    return EXIT_DATA;
}

static int check_columns(app_t *app, const char *const *names, const size_t *columns)
{
    for (size_t i = 0; i < 3u; ++i) {
        if (columns[i] == CSV_NO_COLUMN) {
            return fail(app, "column missing", names[i]);
        }
    }
    if (names == place_columns && columns[Z_M] != CSV_NO_COLUMN) {
        return fail(app, "places in space, this firmware locates in the plane", names[Z_M]);
    }
    return EXIT_DONE;
}

/* All rows of an open text through a function. */
static int read_rows(app_t *app, const char *const *names, row_fn row)
{
    size_t columns[4];
    csv_status_t status = csv_read_header(&app->csv, names, 4u, columns);
    if (status != CSV_OK) {
        return fail(app, csv_reason(status), NULL);
    }
    int code = check_columns(app, names, columns);
    while (code == EXIT_DONE) {
        status = csv_next(&app->csv);
        if (status == CSV_END) {
            break;
        }
        code = status == CSV_OK ? row(app, columns) : fail(app, csv_reason(status), NULL);
    }
    return code;
}

/* Open a file of the folder, or the sample's text; false when the file is not there. */
static bool open_part(app_t *app, const char *name, const char *const *pieces)
{
    static char path[PATH_BYTES];
    const char *folder = app->options.folder != NULL ? app->options.folder : SAMPLE.name;
    size_t length = strlen(folder);
    memcpy(path, folder, length);
    path[length] = '/';
    strcpy(path + length + 1u, name);
    if (app->options.folder == NULL) {
        csv_open_text(&app->csv, pieces, path);
        return pieces != NULL;
    }
    return csv_open_file(&app->csv, path) == CSV_OK;
}

/* All rows of a file; one that is not needed may be missing. */
static int read_part(app_t *app, const char *name, const char *const *pieces, bool needed, row_fn row)
{
    if (!open_part(app, name, pieces)) {
        return needed ? fail(app, csv_reason(CSV_ERR_OPEN), NULL) : EXIT_DONE;
    }
    int code = read_rows(app, pieces == SAMPLE.ranges ? range_columns : place_columns, row);
    csv_close(&app->csv);
    return code;
}

static int read_id(app_t *app, size_t column, const char *name, uint32_t *id)
{
    const char *text = app->csv.field[column];
    if (decimal_parse_unsigned(text, strlen(text), id) != DECIMAL_OK) {
        return fail(app, name, text);
    }
    return EXIT_DONE;
}

static int read_real(app_t *app, size_t column, const char *name, double *value)
{
    const char *text = app->csv.field[column];
    switch (decimal_parse(text, strlen(text), value)) {
    case DECIMAL_OK:
        return *value >= -LENGTH_MAX_M && *value <= LENGTH_MAX_M ? EXIT_DONE
                                                                 : fail(app, "above 1e9 m: not a place on Earth", text);
    case DECIMAL_ERR_DIGITS: return fail(app, "at most 15 digits, or 19 with a point among them, needed", text);
    case DECIMAL_ERR_RANGE: return fail(app, "power of ten out of range", text);
    case DECIMAL_ERR_SYNTAX:
    default: return fail(app, name, text);
    }
}

/* Index of a node, which gets one when it is new. */
static int add_node(app_t *app, size_t column, const char *name)
{
    uint32_t id = 0;
    uint32_t index = 0;
    int code = read_id(app, column, name, &id);
    if (code == EXIT_DONE && cairn_ids_add(&app->ids, id, &index) != CAIRN_OK) {
        code = fail(app, "more than " QUOTE(LOCATE_NODES) " nodes: raise LOCATE_NODES in " BOARD_FILE,
                    app->csv.field[column]);
    }
    return code;
}

static int read_place(app_t *app, const size_t *columns, double *place_m)
{
    int code = read_real(app, columns[X_M], "x_m must be a number", &place_m[0]);
    return code != EXIT_DONE ? code : read_real(app, columns[Y_M], "y_m must be a number", &place_m[1]);
}

/* The place relative to the first anchor, subtracted in double: that of a map in UTM keeps its millimetres. */
static int read_local(app_t *app, const size_t *columns, cairn_real *local_m)
{
    double place_m[DIM];
    int code = read_place(app, columns, place_m);
    for (size_t k = 0; k < DIM && code == EXIT_DONE; ++k) {
        local_m[k] = (cairn_real)(place_m[k] - app->origin_m[k]);
    }
    return code;
}

/* First reading. */

static int count_anchor(app_t *app, const size_t *columns)
{
    int code = add_node(app, columns[ID], "id must be an integer from 0 to 4294967295");
    if (code == EXIT_DONE && app->n_anchors++ == 0u) {
        code = read_place(app, columns, app->origin_m);
    }
    return code;
}

static int count_range(app_t *app, const size_t *columns)
{
    int code = add_node(app, columns[A], "a must be an integer from 0 to 4294967295");
    if (code == EXIT_DONE) {
        code = add_node(app, columns[B], "b must be an integer from 0 to 4294967295");
    }
    if (code == EXIT_DONE && ++app->n_rows > LOCATE_RANGES) {
        code = fail(app, "more than " QUOTE(LOCATE_RANGES) " ranges: raise LOCATE_RANGES in " BOARD_FILE,
                    app->csv.field[columns[RANGE_M]]);
    }
    return code;
}

/* Second reading. */

static int refuse(app_t *app, cairn_status status, const char *value)
{
    return status == CAIRN_OK ? EXIT_DONE : fail(app, cairn_status_name(status), value);
}

static int set_anchor(app_t *app, const size_t *columns)
{
    uint32_t id = 0;
    cairn_real local_m[DIM];
    int code = read_id(app, columns[ID], "id", &id);
    if (code == EXIT_DONE) {
        code = read_local(app, columns, local_m);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    uint32_t node = cairn_ids_find(&app->ids, id);
    if (cairn_network_get_state(app->network, node) == CAIRN_NODE_ANCHOR) {
        return fail(app, "anchor given twice", app->csv.field[columns[ID]]);
    }
    return refuse(app, cairn_network_set_anchor(app->network, node, local_m), app->csv.field[columns[ID]]);
}

static int add_range(app_t *app, const size_t *columns)
{
    uint32_t a = 0, b = 0;
    double range_m = 0.0, std_m = 0.0;
    const char *text = app->csv.field[columns[RANGE_M]];
    (void)read_id(app, columns[A], "a", &a); /* both were read before */
    (void)read_id(app, columns[B], "b", &b);
    int code = read_real(app, columns[RANGE_M], "range_m must be a number", &range_m);
    if (code == EXIT_DONE && columns[STD_M] != CSV_NO_COLUMN && app->csv.field[columns[STD_M]][0] != '\0') {
        code = read_real(app, columns[STD_M], "std_m must be a number", &std_m);
        if (code == EXIT_DONE && !(std_m >= 0.0)) {
            code = fail(app, "std_m must not be negative", app->csv.field[columns[STD_M]]);
        }
    }
    if (code != EXIT_DONE) {
        return code;
    }
    if (a == b) {
        return fail(app, "range from a node to itself", app->csv.field[columns[A]]);
    }
    if (!(range_m > 0.0)) {
        return fail(app, "range_m must be above 0", text);
    }
    return refuse(app,
                  cairn_network_add_range(app->network, cairn_ids_find(&app->ids, a), cairn_ids_find(&app->ids, b),
                                          (cairn_real)range_m, (cairn_real)std_m),
                  text);
}

/* Node and place of a row of start or truth; CAIRN_IDS_NONE for a node that nothing was measured of. */
static int read_known(app_t *app, const size_t *columns, uint32_t *node, cairn_real *local_m)
{
    uint32_t id = 0;
    int code = read_id(app, columns[ID], "id must be an integer from 0 to 4294967295", &id);
    if (code == EXIT_DONE) {
        code = read_local(app, columns, local_m);
    }
    *node = cairn_ids_find(&app->ids, id);
    app->n_ignored += code == EXIT_DONE && *node == CAIRN_IDS_NONE ? 1u : 0u;
    return code;
}

static int set_start(app_t *app, const size_t *columns)
{
    uint32_t node = 0;
    cairn_real local_m[DIM];
    int code = read_known(app, columns, &node, local_m);
    if (code != EXIT_DONE || node == CAIRN_IDS_NONE) {
        return code;
    }
    if (cairn_network_get_state(app->network, node) == CAIRN_NODE_STARTED) {
        return fail(app, "start given twice", app->csv.field[columns[ID]]);
    }
    cairn_status status = cairn_network_set_start(app->network, node, local_m);
    app->n_starts += status == CAIRN_OK ? 1u : 0u;
    return status == CAIRN_REJECTED ? EXIT_DONE : refuse(app, status, app->csv.field[columns[ID]]);
}

static int set_truth(app_t *app, const size_t *columns)
{
    uint32_t node = 0;
    cairn_real local_m[DIM], before_m[DIM];
    int code = read_known(app, columns, &node, local_m);
    if (code != EXIT_DONE || node == CAIRN_IDS_NONE) {
        return code;
    }
    if (errors_get_truth(app, node, before_m)) {
        return fail(app, "true place given twice", app->csv.field[columns[ID]]);
    }
    errors_set_truth(app, node, local_m);
    return EXIT_DONE;
}

int load_network(app_t *app)
{
    app->source = app->options.folder != NULL ? app->options.folder : SAMPLE.name;
    int code = read_part(app, "anchors.csv", SAMPLE.anchors, true, count_anchor);
    if (code == EXIT_DONE) {
        code = read_part(app, "ranges.csv", SAMPLE.ranges, true, count_range);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    if (app->n_rows == 0u) {
        return fail(app, "no ranges", NULL);
    }
    app->n_nodes = app->ids.n_ids;
    cairn_status status = cairn_network_init(app->network, &app->network_cfg, app->memory, app->n_nodes);
    if (status != CAIRN_OK) {
        return fail(app, cairn_status_name(status), NULL);
    }
    code = read_part(app, "anchors.csv", SAMPLE.anchors, true, set_anchor);
    if (code == EXIT_DONE) {
        code = read_part(app, "ranges.csv", SAMPLE.ranges, true, add_range);
    }
    return code != EXIT_DONE ? code : read_part(app, "start.csv", NULL, false, set_start);
}

int load_truth(app_t *app)
{
    errors_clear_truth(app);
    return read_part(app, "truth.csv", SAMPLE.truth, false, set_truth);
}
