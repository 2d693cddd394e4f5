/* SPDX-License-Identifier: MIT */
/* The map in characters, two times as tall as wide; row after row, so that no picture is held in memory. */
#include "apps/locate/app.h"

#include <string.h>

enum { CONSOLE_COLUMNS = 76 };
enum { COLUMNS_MAX = 66, ROWS_MAX = 33, COLUMNS_MIN = 12, ROWS_MIN = 6, LABEL_COLUMNS = 8 };
enum { TICKS_WANTED = 5 };

#define TICK_LIMIT 1e15 /* above it a coordinate in ticks does not fit its integer */

/* Later characters hide earlier ones. */
static const char glyphs[] = " +.oO@?A";
enum { NO_GLYPH = 0, TRUTH_GLYPH = 1, FINE_GLYPH = 2, WORST_GLYPH = 5, FLIP_GLYPH = 6, ANCHOR_GLYPH = 7 };

typedef struct {
    float low_m[DIM];
    float cell_m[DIM];    /* of a character, across and up */
    float step_m;         /* errors below it are fine; each glyph more is twice that */
    double corner_m[DIM]; /* low_m in the frame of the files */
    double tick_m;
    int n_columns, n_rows;
    uint32_t n_truths; /* true places marked */
} map_t;

static int clamp(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

static void plan(const app_t *app, const errors_t *errors, map_t *map)
{
    extent_t extent;
    extent_compute(app, &extent);
    float width_m = extent.high_m[0] - extent.low_m[0];
    float height_m = extent.high_m[1] - extent.low_m[1];
    float cell_m = width_m / (float)COLUMNS_MAX;
    if (cell_m * (float)(2 * ROWS_MAX) < height_m) {
        cell_m = height_m / (float)(2 * ROWS_MAX);
    }
    cell_m = cell_m > 0.0f ? cell_m * 1.0001f : 1.0f; /* the largest coordinate falls inside */
    map->cell_m[0] = cell_m;
    map->cell_m[1] = cell_m * 2.0f;
    map->n_columns = clamp((int)(width_m / map->cell_m[0]) + 1, COLUMNS_MIN, COLUMNS_MAX);
    map->n_rows = clamp((int)(height_m / map->cell_m[1]) + 1, ROWS_MIN, ROWS_MAX);
    for (size_t k = 0; k < DIM; ++k) {
        map->low_m[k] = extent.low_m[k];
        map->corner_m[k] = app->origin_m[k] + (double)extent.low_m[k];
    }
    map->tick_m = extent_round_up((double)(width_m > height_m ? width_m : height_m) / TICKS_WANTED * 0.999);
    double typical_m = errors->median_m;
    if (!app->has_truth) { /* the median of the deviations */
        uint32_t n = errors->n_sensors - errors->n_unplaced;
        typical_m = n > 0u ? (double)errors_of(app, errors_worst(app, n / 2u)) : 0.0;
    }
    map->step_m = (float)extent_round_up(typical_m);
}

/* Glyph of a node at its estimate. */
static int glyph_of(const app_t *app, const map_t *map, uint32_t node)
{
    cairn_node_state state = cairn_network_get_state(app->network, node);
    if (state == CAIRN_NODE_ANCHOR) {
        return ANCHOR_GLYPH;
    }
    if (state == CAIRN_NODE_FLIP_POSSIBLE) {
        return FLIP_GLYPH;
    }
    int glyph = FINE_GLYPH;
    for (float limit_m = map->step_m; glyph < WORST_GLYPH && errors_of(app, node) >= limit_m; limit_m *= 2.0f) {
        ++glyph;
    }
    return glyph;
}

static bool mark(const map_t *map, const cairn_real *local_m, int row, int glyph, char *cells)
{
    int i = clamp((int)(((float)local_m[0] - map->low_m[0]) / map->cell_m[0]), 0, map->n_columns - 1);
    int j = clamp((int)(((float)local_m[1] - map->low_m[1]) / map->cell_m[1]), 0, map->n_rows - 1);
    bool marked = j == row && glyph > cells[i];
    if (marked) {
        cells[i] = (char)glyph;
    }
    return marked;
}

/* All that is in one row, as indices of glyphs. */
static void fill(const app_t *app, map_t *map, int row, char *cells)
{
    memset(cells, NO_GLYPH, COLUMNS_MAX);
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        cairn_real local_m[DIM];
        cairn_status status = cairn_network_get_place(app->network, node, local_m, NULL);
        if (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) {
            continue;
        }
        int glyph = glyph_of(app, map, node);
        (void)mark(map, local_m, row, glyph, cells);
        if ((glyph == WORST_GLYPH || glyph == FLIP_GLYPH) && errors_get_truth(app, node, local_m)) {
            map->n_truths += mark(map, local_m, row, TRUTH_GLYPH, cells) ? 1u : 0u;
        }
    }
}

/* Whether a multiple of the tick falls into the i-th column (k = 0) or row (k = 1), and which. */
static bool has_tick(const map_t *map, size_t k, int i, double *tick_m)
{
    double low = (map->corner_m[k] + (double)map->cell_m[k] * i) / map->tick_m;
    double high = (map->corner_m[k] + (double)map->cell_m[k] * (i + 1)) / map->tick_m;
    if (!(low > -TICK_LIMIT && high < TICK_LIMIT)) {
        return false;
    }
    int64_t n = (int64_t)low;
    n += (double)n < low ? 1 : 0;
    *tick_m = (double)n * map->tick_m;
    return (double)n < high;
}

static unsigned decimals_for(double step) { return step < 0.1 ? 2u : step < 1.0 ? 1u : 0u; }

static void print_border(writer_t *out, const map_t *map)
{
    double tick_m;
    writer_repeat(out, ' ', LABEL_COLUMNS);
    writer_text(out, "+");
    for (int i = 0; i < map->n_columns; ++i) {
        writer_text(out, has_tick(map, 0, i, &tick_m) ? "+" : "-");
    }
    writer_text(out, "+\n");
}

/* Characters of a number, at most. */
static size_t label_columns(double value, unsigned n_decimals)
{
    size_t n = 2u + n_decimals + (value < 0.0 ? 1u : 0u) - (n_decimals == 0u ? 1u : 0u);
    for (double magnitude = value < 0.0 ? -value : value; magnitude >= 10.0; magnitude /= 10.0) {
        ++n;
    }
    return n;
}

static void print_x_labels(writer_t *out, const map_t *map)
{
    double tick_m;
    unsigned n_decimals = decimals_for(map->tick_m);
    writer_right(out, "metres", LABEL_COLUMNS - 1);
    for (int i = 0; i < map->n_columns; ++i) {
        if (has_tick(map, 0, i, &tick_m)) {
            size_t n = label_columns(tick_m, n_decimals);
            size_t column = (size_t)(LABEL_COLUMNS + 1 + i) - n / 2u;
            if (out->column < column && column + n <= CONSOLE_COLUMNS) {
                writer_to_column(out, column);
                writer_real(out, tick_m, n_decimals, 0);
            }
        }
    }
    writer_text(out, "\n");
}

static void print_legend(writer_t *out, const map_t *map, bool has_truth, uint32_t n_flip)
{
    writer_to_column(out, LABEL_COLUMNS);
    writer_text(out, "A anchor   sensors by ");
    writer_text(out, has_truth ? "error: " : "deviation: ");
    for (int glyph = FINE_GLYPH, times = 1; glyph < WORST_GLYPH; ++glyph, times *= 2) {
        writer_repeat(out, glyphs[glyph], 1);
        writer_text(out, " <");
        writer_real(out, (double)map->step_m * times, decimals_for((double)map->step_m), 0);
        writer_text(out, " m   ");
    }
    writer_text(out, "@ more\n");
    if (map->n_truths > 0u || n_flip > 0u) {
        writer_to_column(out, LABEL_COLUMNS);
        writer_text(out, n_flip > 0u ? "? another place fits about as well   " : "");
        writer_text(out, map->n_truths > 0u ? "+ where a @ or ? really is" : "");
        writer_text(out, "\n");
    }
}

void map_print(app_t *app, const errors_t *errors)
{
    char cells[COLUMNS_MAX];
    map_t map;
    writer_t *out = &app->console;
    plan(app, errors, &map);
    map.n_truths = 0;
    writer_text(out, "\n");
    print_border(out, &map);
    for (int row = map.n_rows - 1; row >= 0; --row) {
        double tick_m;
        bool tick = has_tick(&map, 1, row, &tick_m);
        if (tick) {
            writer_real(out, tick_m, decimals_for(map.tick_m), LABEL_COLUMNS - 1);
        }
        writer_to_column(out, LABEL_COLUMNS);
        writer_text(out, tick ? "+" : "|");
        fill(app, &map, row, cells);
        for (int i = 0; i < map.n_columns; ++i) {
            writer_repeat(out, glyphs[(unsigned char)cells[i]], 1);
        }
        writer_text(out, "|\n");
    }
    print_border(out, &map);
    print_x_labels(out, &map);
    print_legend(out, &map, app->has_truth, errors->n_flip);
}
