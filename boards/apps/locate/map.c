/* SPDX-License-Identifier: MIT */
/* The map in characters, two times as tall as wide; row after row, so that no picture is held in memory. */
#include "apps/locate/app.h"

#include <string.h>

enum { COLUMNS_MAX = 67, ROWS_MAX = 34, COLUMNS_MIN = 12, ROWS_MIN = 6, LABEL_COLUMNS = 7 };
enum { ROWS_A_LABEL = 8, COLUMNS_A_LABEL = 16 };

/* Later characters hide earlier ones. */
static const char glyphs[] = " +.oO@?A";
enum { NO_GLYPH = 0, TRUTH_GLYPH = 1, FINE_GLYPH = 2, WORST_GLYPH = 5, FLIP_GLYPH = 6, ANCHOR_GLYPH = 7 };

typedef struct {
    float low_m[DIM];
    float cell_m[DIM]; /* of a character, across and up */
    float step_m;      /* errors below it are fine; each glyph more is twice that */
    int n_columns, n_rows;
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
    memcpy(map->low_m, extent.low_m, sizeof map->low_m);
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

static void mark(const map_t *map, const cairn_real *local_m, int row, int glyph, char *cells)
{
    int i = clamp((int)(((float)local_m[0] - map->low_m[0]) / map->cell_m[0]), 0, map->n_columns - 1);
    int j = clamp((int)(((float)local_m[1] - map->low_m[1]) / map->cell_m[1]), 0, map->n_rows - 1);
    if (j == row && glyph > cells[i]) {
        cells[i] = (char)glyph;
    }
}

/* All that is in one row, as indices of glyphs. */
static void fill(const app_t *app, const map_t *map, int row, char *cells)
{
    memset(cells, NO_GLYPH, COLUMNS_MAX);
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        cairn_real local_m[DIM];
        cairn_status status = cairn_network_get_place(app->network, node, local_m, NULL);
        if (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) {
            continue;
        }
        int glyph = glyph_of(app, map, node);
        mark(map, local_m, row, glyph, cells);
        if ((glyph == WORST_GLYPH || glyph == FLIP_GLYPH) && errors_get_truth(app, node, local_m)) {
            mark(map, local_m, row, TRUTH_GLYPH, cells);
        }
    }
}

static void print_border(writer_t *out, const map_t *map)
{
    writer_repeat(out, ' ', LABEL_COLUMNS);
    writer_text(out, "+");
    for (int i = 0; i < map->n_columns; ++i) {
        writer_text(out, i % COLUMNS_A_LABEL == 0 ? "+" : "-");
    }
    writer_text(out, "+\n");
}

static void print_x_labels(app_t *app, const map_t *map)
{
    writer_t *out = &app->console;
    for (int i = 0; i < map->n_columns; i += COLUMNS_A_LABEL) {
        double x_m = app->origin_m[0] + (double)map->low_m[0] + (double)map->cell_m[0] * i;
        writer_to_column(out, (size_t)(LABEL_COLUMNS + 1 + i));
        writer_real(out, x_m, 0u, 0);
    }
    writer_text(out, " m\n");
}

static void print_legend(writer_t *out, const map_t *map, bool has_truth, uint32_t n_flip)
{
    unsigned n_decimals = map->step_m < 0.1f ? 2u : map->step_m < 1.0f ? 1u : 0u;
    writer_text(out, "        A anchor   sensors, by ");
    writer_text(out, has_truth ? "error" : "deviation");
    writer_text(out, ":  . below ");
    for (int glyph = FINE_GLYPH, times = 1; glyph <= WORST_GLYPH; ++glyph, times *= 2) {
        if (glyph > FINE_GLYPH) {
            writer_text(out, "   ");
            writer_repeat(out, glyphs[glyph], 1);
            writer_text(out, " ");
        }
        if (glyph < WORST_GLYPH) {
            writer_real(out, (double)map->step_m * times, n_decimals, 0);
            writer_text(out, " m");
        } else {
            writer_text(out, "more\n");
        }
    }
    if (has_truth) {
        writer_text(out, "        + where a @ or ? really is");
    }
    if (n_flip > 0u) {
        writer_text(out, has_truth ? "   " : "        ");
        writer_text(out, "? another place fits about as well");
    }
    writer_text(out, "\n");
}

void map_print(app_t *app, const errors_t *errors)
{
    char cells[COLUMNS_MAX];
    map_t map;
    writer_t *out = &app->console;
    plan(app, errors, &map);
    writer_text(out, "\n");
    print_border(out, &map);
    for (int row = map.n_rows - 1; row >= 0; --row) {
        if (row % ROWS_A_LABEL == 0) {
            double y_m = app->origin_m[1] + (double)map.low_m[1] + (double)map.cell_m[1] * row;
            writer_real(out, y_m, 0u, LABEL_COLUMNS - 1);
        }
        writer_to_column(out, LABEL_COLUMNS);
        writer_text(out, row % ROWS_A_LABEL == 0 ? "+" : "|");
        fill(app, &map, row, cells);
        for (int i = 0; i < map.n_columns; ++i) {
            writer_repeat(out, glyphs[(unsigned char)cells[i]], 1);
        }
        writer_text(out, "|\n");
    }
    print_border(out, &map);
    print_x_labels(app, &map);
    print_legend(out, &map, app->has_truth, errors->n_flip);
}
