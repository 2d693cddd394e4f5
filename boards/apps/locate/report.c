/* SPDX-License-Identifier: MIT */
/* What the firmware says: the network and its memory, the error table, the worst sensors, and the places as CSV. */
#include "apps/locate/app.h"

#include <string.h>

enum { WORST_ROWS = 10, VALUE_COLUMN = 9 };

#define MARKER_BEGIN "-----BEGIN PLACES-----\n"
#define MARKER_END   "-----END PLACES-----\n"

static void begin_line(writer_t *out, const char *name)
{
    writer_text(out, name);
    writer_to_column(out, VALUE_COLUMN);
}

static void print_memory(app_t *app)
{
    writer_t *out = &app->console;
    size_t network = CAIRN_NETWORK_BYTES(LOCATE_NODES, LOCATE_RANGES, DIM);
    size_t work = CAIRN_LOCATE_WORDS(LOCATE_NODES, DIM) * sizeof(cairn_word_t);
    size_t rest = sizeof *app + sizeof *app->network;
    size_t all = network + work + app_ids_bytes + rest;
    begin_line(out, "memory");
    writer_unsigned(out, all, 0);
    if (all <= BOARD_RAM_BYTES) { /* the host has more than it says */
        writer_text(out, " of ");
        writer_unsigned(out, BOARD_RAM_BYTES, 0);
    }
    writer_text(out, " bytes: ");
    writer_unsigned(out, network, 0);
    writer_text(out, " network, ");
    writer_unsigned(out, work, 0);
    writer_text(out, " work, ");
    writer_unsigned(out, app_ids_bytes, 0);
    writer_text(out, " ids, ");
    writer_unsigned(out, rest, 0);
    writer_text(out, " app\n");
    writer_to_column(out, VALUE_COLUMN);
    writer_text(out, "room for ");
    writer_unsigned(out, LOCATE_NODES, 0);
    writer_text(out, " nodes and ");
    writer_unsigned(out, LOCATE_RANGES, 0);
    writer_text(out, " ranges; no heap\n");
}

static void print_network(app_t *app)
{
    writer_t *out = &app->console;
    begin_line(out, "network");
    writer_text(out, app->source);
    writer_text(out, app->options.folder == NULL ? ", compiled in: " : ": ");
    writer_unsigned(out, app->n_nodes - app->n_anchors, 0);
    writer_text(out, " sensors, ");
    writer_unsigned(out, app->n_anchors, 0);
    writer_text(out, " anchors, ");
    writer_unsigned(out, app->n_rows, 0);
    writer_text(out, " ranges\n");
    writer_to_column(out, VALUE_COLUMN);
    writer_real(out, 2.0 * app->n_rows / app->n_nodes, 1u, 0);
    writer_text(out, " ranges a node, ");
    if (app->n_starts == 0u) {
        writer_text(out, "no starts (cold)\n");
    } else {
        writer_unsigned(out, app->n_starts, 0);
        writer_text(out, " starts\n");
    }
}

void report_begin(app_t *app)
{
    writer_t *out = &app->console;
    writer_text(out, "Cairn locate on " BOARD_NAME "\n");
    writer_repeat(out, '=', 76);
    writer_text(out, "\n");
    print_network(app);
    begin_line(out, "noise");
    writer_real(out, app->options.noise_rel * 100.0, 1u, 0);
    writer_text(out, " % of the range and ");
    writer_real(out, app->options.noise_abs_m, 2u, 0);
    writer_text(out, " m where there is no std_m; loss ");
    writer_text(out, app->options.loss_name);
    writer_text(out, "\n");
    print_memory(app);
}

static void print_slices(app_t *app)
{
    static const struct {
        const char *name;
        cairn_locate_stage stage;
    } stages[] = {
        {"judge ", CAIRN_LOCATE_JUDGE},   {", paths ", CAIRN_LOCATE_PATHS},     {", discover ", CAIRN_LOCATE_DISCOVER},
        {", sweep ", CAIRN_LOCATE_SWEEP}, {", quality ", CAIRN_LOCATE_QUALITY},
    };
    writer_t *out = &app->console;
    writer_text(out, "\n");
    begin_line(out, "slices");
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; ++i) {
        writer_text(out, stages[i].name);
        writer_unsigned(out, app->effort.n_slices[stages[i].stage], 0);
    }
    writer_text(out, "\n");
    writer_to_column(out, VALUE_COLUMN);
    writer_text(out, "of ");
    writer_unsigned(out, app->options.slice, 0);
    writer_text(out, " operations; one is a look at one link\n");
    if (port_stack_used() > 0u) {
        begin_line(out, "stack");
        writer_unsigned(out, port_stack_used(), 0);
        writer_text(out, " bytes at most so far\n");
    }
    if (app->network->counters.n_merged > 0u) {
        begin_line(out, "merged");
        writer_unsigned(out, app->network->counters.n_merged, 0);
        writer_text(out, " repeated or reversed pairs\n");
    }
    if (app->n_ignored > 0u) {
        begin_line(out, "ignored");
        writer_unsigned(out, app->n_ignored, 0);
        writer_text(out, " rows of start.csv and truth.csv about nodes that have no range\n");
    }
}

static void print_pair(app_t *app, const cairn_real *local_m, size_t width)
{
    for (size_t k = 0; k < DIM; ++k) {
        writer_text(&app->console, " ");
        writer_real(&app->console, app->origin_m[k] + (double)local_m[k], 2u, width - 1u);
    }
}

static const char *state_name(cairn_node_state state)
{
    switch (state) {
    case CAIRN_NODE_ANCHOR: return "anchor";
    case CAIRN_NODE_PLACED: return "placed";
    case CAIRN_NODE_FLIP_POSSIBLE: return "flip_possible";
    case CAIRN_NODE_STARTED: return "started";
    case CAIRN_NODE_UNPLACED:
    default: return "unplaced";
    }
}

static void print_worst(app_t *app)
{
    writer_t *out = &app->console;
    writer_text(out, "\nThe worst sensors:");
    writer_text(out, "\n    sensor      x_m      y_m");
    writer_text(out, app->has_truth ? "   true x   true y error_m" : "");
    writer_text(out, "  std_m links  state\n");
    for (uint32_t j = 0; j < WORST_ROWS && j < app->n_nodes; ++j) {
        uint32_t node = errors_worst(app, j);
        cairn_real place_m[DIM], truth_m[DIM], std_m;
        cairn_status status = cairn_network_get_place(app->network, node, place_m, &std_m);
        if (errors_of(app, node) < 0.0f || (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE)) {
            break;
        }
        writer_unsigned(out, app->id[node], 10);
        print_pair(app, place_m, 9);
        if (errors_get_truth(app, node, truth_m)) {
            print_pair(app, truth_m, 9);
            writer_real(out, (double)errors_of(app, node), 2u, 8);
        }
        writer_real(out, (double)std_m, 2u, 7);
        writer_unsigned(out, cairn_network_degree(app->network, node), 6);
        writer_text(out, "  ");
        writer_text(out, status == CAIRN_FLIP_POSSIBLE ? "flip?" : "placed");
        writer_text(out, "\n");
    }
}

/* By the stated noise, the misfit follows chi-squared: as large as there are ranges, less fitted coordinates. */
static void print_misfit(app_t *app, const errors_t *errors)
{
    writer_t *out = &app->console;
    uint32_t n_ranges = app->network->n_ranges;
    uint32_t n_fitted = DIM * errors->n_sensors;
    if (app->n_starts > 0u || errors->n_unplaced > 0u || n_fitted >= n_ranges) {
        return;
    }
    writer_text(out, "misfit ");
    writer_real(out, errors->misfit / n_ranges, 2u, 0);
    writer_text(out, " a range; about ");
    writer_real(out, (double)(n_ranges - n_fitted) / n_ranges, 2u, 0);
    writer_text(out, " is expected when the stated noise is right\n");
}

static void print_errors(app_t *app, const errors_t *errors)
{
    writer_t *out = &app->console;
    double cost = (double)cairn_locate_get_cost(&app->job) / app->network->n_ranges;
    writer_text(out, "\nsensors placed flip unplaced rmse_m median_m max_error_m cost/range sweeps\n");
    writer_unsigned(out, errors->n_sensors, 7);
    writer_unsigned(out, errors->n_placed, 7);
    writer_unsigned(out, errors->n_flip, 5);
    writer_unsigned(out, errors->n_unplaced, 9);
    if (errors->n_judged > 0u) {
        writer_real(out, errors->rmse_m, 3u, 7);
        writer_real(out, errors->median_m, 3u, 9);
        writer_real(out, errors->max_m, 3u, 12);
    } else {
        writer_text(out, "      -        -           -");
    }
    writer_real(out, cost, 3u, 11);
    writer_unsigned(out, cairn_locate_get_sweeps(&app->job), 7);
    writer_text(out, "\n");
    if (errors->n_judged > 0u) {
        writer_text(out, "errors inside the 95 % circle that the board claims for itself: ");
        writer_real(out, 100.0 * errors->n_within / errors->n_judged, 0u, 0);
        writer_text(out, " %\n");
    }
    print_misfit(app, errors);
    if (app->effort.outcome == CAIRN_NOT_CONVERGED) {
        writer_text(out, "not converged: stopped at --sweeps ");
        writer_unsigned(out, app->options.sweeps_max, 0);
        writer_text(out, "\n");
    }
}

void report_end(app_t *app, const errors_t *errors)
{
    print_slices(app);
    print_worst(app);
    print_errors(app, errors);
    writer_text(&app->console, "places_hash: ");
    writer_hex(&app->console, errors_places_hash(app));
    writer_text(&app->console, "\n");
}

static void write_places(const app_t *app, writer_t *out)
{
    writer_text(out, "id,x_m,y_m,std_m,state\n");
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        cairn_real place_m[DIM], std_m;
        cairn_status status = cairn_network_get_place(app->network, node, place_m, &std_m);
        writer_unsigned(out, app->id[node], 0);
        if (status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE) {
            for (size_t k = 0; k < DIM; ++k) {
                writer_text(out, ",");
                writer_real(out, app->origin_m[k] + (double)place_m[k], 4u, 0);
            }
            writer_text(out, ",");
            writer_real(out, (double)std_m, 4u, 0);
        } else {
            writer_text(out, ",,,");
        }
        writer_text(out, ",");
        writer_text(out, state_name(cairn_network_get_state(app->network, node)));
        writer_text(out, "\n");
    }
}

bool report_places(app_t *app)
{
    const char *path = app->options.places_path;
    if (path == NULL) {
        return true;
    }
    if (strcmp(path, "-") == 0) {
        writer_text(&app->console, MARKER_BEGIN);
        write_places(app, &app->console);
        writer_text(&app->console, MARKER_END);
        return true;
    }
    bool written = writer_open(&app->file, path);
    if (written) {
        write_places(app, &app->file);
        written = writer_close(&app->file);
    }
    writer_text(&app->console, written ? "places: " : "places cannot be written: ");
    writer_text(&app->console, path);
    writer_text(&app->console, "\n");
    return written;
}
