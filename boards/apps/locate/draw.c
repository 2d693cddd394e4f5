/* SPDX-License-Identifier: MIT */
/* The map as SVG, written by the board itself, element after element: links, errors, anchors, sensors, scale. */
#include "apps/locate/app.h"

enum { SIZE_PX = 720, MARGIN_PX = 40, TITLE_PX = 64, LEGEND_PX = 56, GRID_LINES = 10 };

/* From local metres to the picture's pixels. */
typedef struct {
    writer_t *out;
    double low_m[DIM], high_m[DIM];
    double px_a_m;
    double width_px, height_px; /* of the field */
} picture_t;

static double x_px(const picture_t *picture, double x_m)
{
    return MARGIN_PX + (x_m - picture->low_m[0]) * picture->px_a_m;
}

static double y_px(const picture_t *picture, double y_m)
{
    return TITLE_PX + picture->height_px - (y_m - picture->low_m[1]) * picture->px_a_m;
}

/* name="value" */
static void attribute(const picture_t *picture, const char *name, double value_px)
{
    writer_text(picture->out, " ");
    writer_text(picture->out, name);
    writer_text(picture->out, "=\"");
    writer_real(picture->out, value_px, 1u, 0);
    writer_text(picture->out, "\"");
}

/* Letter and coordinates of a path. */
static void path_to(const picture_t *picture, const char *letter, double x, double y)
{
    writer_text(picture->out, letter);
    writer_real(picture->out, x, 1u, 0);
    writer_text(picture->out, " ");
    writer_real(picture->out, y, 1u, 0);
}

static void path_to_node(const picture_t *picture, const char *letter, const cairn_real *local_m)
{
    path_to(picture, letter, x_px(picture, (double)local_m[0]), y_px(picture, (double)local_m[1]));
}

static bool get_place(const app_t *app, uint32_t node, cairn_real *local_m)
{
    cairn_status status = cairn_network_get_place(app->network, node, local_m, NULL);
    return status == CAIRN_OK || status == CAIRN_FLIP_POSSIBLE;
}

static void plan(const app_t *app, picture_t *picture)
{
    extent_t extent;
    double side_m = 0.0;
    extent_compute(app, &extent);
    for (size_t k = 0; k < DIM; ++k) {
        double length_m = (double)extent.high_m[k] - (double)extent.low_m[k];
        side_m = length_m > side_m ? length_m : side_m;
    }
    side_m = side_m > 0.0 ? side_m : 1.0;
    for (size_t k = 0; k < DIM; ++k) {
        picture->low_m[k] = (double)extent.low_m[k] - 0.03 * side_m;
        picture->high_m[k] = (double)extent.high_m[k] + 0.03 * side_m;
    }
    picture->px_a_m = SIZE_PX / (1.06 * side_m);
    picture->width_px = (picture->high_m[0] - picture->low_m[0]) * picture->px_a_m;
    picture->height_px = (picture->high_m[1] - picture->low_m[1]) * picture->px_a_m;
}

static void text_at(const picture_t *picture, double x, double y, const char *style)
{
    writer_text(picture->out, "<text");
    attribute(picture, "x", x);
    attribute(picture, "y", y);
    writer_text(picture->out, style);
    writer_text(picture->out, ">");
}

static void draw_title(const app_t *app, const picture_t *picture, const errors_t *errors)
{
    writer_t *out = picture->out;
    double width_px = picture->width_px < 560.0 ? 560.0 : picture->width_px; /* of title and legend at least */
    writer_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    attribute(picture, "width", width_px + 2 * MARGIN_PX);
    attribute(picture, "height", picture->height_px + TITLE_PX + LEGEND_PX);
    writer_text(out, " font-family=\"system-ui,sans-serif\" font-size=\"12\" fill=\"#33404d\">\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    text_at(picture, MARGIN_PX, 28.0, " font-size=\"18\" font-weight=\"600\"");
    writer_text(out, "Located on " BOARD_NAME "</text>\n");
    text_at(picture, MARGIN_PX, 48.0, "");
    writer_unsigned(out, errors->n_sensors, 0);
    writer_text(out, " sensors, ");
    writer_unsigned(out, app->n_anchors, 0);
    writer_text(out, " anchors, ");
    writer_unsigned(out, app->network->n_ranges, 0);
    writer_text(out, " ranges");
    if (errors->n_judged > 0u) {
        writer_text(out, "; error: rmse ");
        writer_real(out, errors->rmse_m, 2u, 0);
        writer_text(out, " m, median ");
        writer_real(out, errors->median_m, 2u, 0);
        writer_text(out, " m, largest ");
        writer_real(out, errors->max_m, 2u, 0);
        writer_text(out, " m");
    }
    if (errors->n_unplaced > 0u) {
        writer_text(out, "; not placed: ");
        writer_unsigned(out, errors->n_unplaced, 0);
    }
    writer_text(out, "</text>\n<rect fill=\"#f7f9fb\"");
    attribute(picture, "x", MARGIN_PX);
    attribute(picture, "y", TITLE_PX);
    attribute(picture, "width", picture->width_px);
    attribute(picture, "height", picture->height_px);
    writer_text(out, "/>\n");
}

/* Every measured pair, once. */
static void draw_links(const app_t *app, const picture_t *picture)
{
    writer_text(picture->out, "<path fill=\"none\" stroke=\"#c9d3dd\" stroke-width=\"0.7\" d=\"");
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        cairn_real from_m[DIM], to_m[DIM];
        for (uint32_t j = 0; j < cairn_network_degree(app->network, node); ++j) {
            uint32_t other = cairn_link_node(cairn_network_link(app->network, node, j));
            if (other > node && get_place(app, node, from_m) && get_place(app, other, to_m)) {
                path_to_node(picture, "M", from_m);
                path_to_node(picture, "L", to_m);
            }
        }
    }
    writer_text(picture->out, "\"/>\n");
}

/* A line from each true place to the estimate. */
static void draw_errors(const app_t *app, const picture_t *picture)
{
    writer_text(picture->out, "<path fill=\"none\" stroke=\"#d1495b\" stroke-width=\"1.6\" d=\"");
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        cairn_real place_m[DIM], truth_m[DIM];
        if (errors_of(app, node) >= 0.0f && get_place(app, node, place_m) && errors_get_truth(app, node, truth_m)) {
            path_to_node(picture, "M", truth_m);
            path_to_node(picture, "L", place_m);
        }
    }
    writer_text(picture->out, "\"/>\n");
}

static void draw_circle(const picture_t *picture, double x, double y, double radius_px, const char *style)
{
    writer_text(picture->out, "<circle");
    attribute(picture, "cx", x);
    attribute(picture, "cy", y);
    attribute(picture, "r", radius_px);
    writer_text(picture->out, style);
    writer_text(picture->out, "/>\n");
}

static const char style_truth[] = " fill=\"none\" stroke=\"#d1495b\"";
static const char style_placed[] = " fill=\"#2a6f97\"";
static const char style_flip[] = " fill=\"#edae49\" stroke=\"#2a6f97\"";

static void draw_anchor(const picture_t *picture, double x, double y)
{
    writer_text(picture->out, "<path fill=\"#1d2733\" d=\"");
    path_to(picture, "M", x, y - 7.0);
    path_to(picture, "L", x + 6.5, y + 5.0);
    path_to(picture, "L", x - 6.5, y + 5.0);
    writer_text(picture->out, "Z\"/>\n");
}

static void draw_nodes(const app_t *app, const picture_t *picture)
{
    for (uint32_t node = 0; node < app->n_nodes; ++node) {
        cairn_real local_m[DIM];
        cairn_node_state state = cairn_network_get_state(app->network, node);
        if (state != CAIRN_NODE_ANCHOR && errors_get_truth(app, node, local_m)) {
            double x = x_px(picture, (double)local_m[0]), y = y_px(picture, (double)local_m[1]);
            draw_circle(picture, x, y, 3.5, style_truth);
        }
        if (!get_place(app, node, local_m)) {
            continue;
        }
        double x = x_px(picture, (double)local_m[0]), y = y_px(picture, (double)local_m[1]);
        if (state == CAIRN_NODE_ANCHOR) {
            draw_anchor(picture, x, y);
        } else {
            draw_circle(picture, x, y, 3.0, state == CAIRN_NODE_FLIP_POSSIBLE ? style_flip : style_placed);
        }
    }
}

/* Symbols explained, and a bar of a round length. */
static void draw_legend(const app_t *app, const picture_t *picture)
{
    writer_t *out = picture->out;
    double y = TITLE_PX + picture->height_px + 26.0;
    double bar_m = extent_round_up((picture->high_m[0] - picture->low_m[0]) / GRID_LINES);
    double at = MARGIN_PX + 6.0;
    draw_anchor(picture, at, y - 4.0);
    text_at(picture, at + 12.0, y, "");
    writer_text(out, "anchor</text>\n");
    draw_circle(picture, at + 80.0, y - 4.0, 3.0, style_placed);
    text_at(picture, at + 90.0, y, "");
    writer_text(out, "sensor</text>\n");
    draw_circle(picture, at + 150.0, y - 4.0, 3.0, style_flip);
    text_at(picture, at + 160.0, y, "");
    writer_text(out, "flip possible</text>\n");
    if (app->has_truth) {
        draw_circle(picture, at + 255.0, y - 4.0, 3.5, style_truth);
        text_at(picture, at + 265.0, y, "");
        writer_text(out, "truth, and error</text>\n");
    }
    writer_text(out, "<path stroke=\"#33404d\" stroke-width=\"2\" d=\"");
    path_to(picture, "M", at + 385.0, y - 4.0);
    path_to(picture, "L", at + 385.0 + bar_m * picture->px_a_m, y - 4.0);
    writer_text(out, "\"/>\n");
    text_at(picture, at + 393.0 + bar_m * picture->px_a_m, y, "");
    writer_real(out, bar_m, bar_m < 1.0 ? 2u : 0u, 0);
    writer_text(out, " m</text>\n");
}

bool draw_svg(app_t *app, const errors_t *errors)
{
    const char *path = app->options.svg_path;
    picture_t picture;
    if (path == NULL) {
        return true;
    }
    picture.out = &app->file;
    bool written = writer_open(&app->file, path);
    if (written) {
        plan(app, &picture);
        draw_title(app, &picture, errors);
        draw_links(app, &picture);
        draw_errors(app, &picture);
        draw_nodes(app, &picture);
        draw_legend(app, &picture);
        writer_text(&app->file, "</svg>\n");
        written = writer_close(&app->file);
    }
    writer_text(&app->console, written ? "picture: " : "picture cannot be written: ");
    writer_text(&app->console, path);
    writer_text(&app->console, "\n");
    return written;
}
