/* SPDX-License-Identifier: MIT
 * Drawing of a located network: places, true places, errors, anchors, ranges, deviations, legend and scale.
 * Colours are those of Okabe and Ito (2008), told apart with every common kind of colour vision. */
#include "map.h"

#include <stdlib.h>
#include <string.h>

#include "map_view.h"
#include "memory.h"
#include "svg.h"

enum {
    PLOT_LEFT_PX = 116,
    PLOT_TOP_PX = 76,
    PLOT_SIDE_PX = 860,
    LEGEND_GAP_PX = 28,
    LEGEND_WIDTH_PX = 248,
    LEGEND_ROW_PX = 26,
    BOTTOM_PX = 56,
    LINKS_DRAWN_MAX = 200000,
    TRUTH_DRAWN_MAX = 20000, /* nodes; above it true places would hide the estimates */
    TOOLTIPS_MAX = 5000,     /* nodes; above it tooltips would make the file too large */
    LABELS_MAX = 60,         /* nodes; above it ids would hide the map */
    ANCHOR_LABELS_MAX = 30,
    HEIGHTS = 5 /* shades */
};

static const char style[] =
    "text{font-family:'DejaVu Sans',Verdana,Arial,sans-serif;fill:#222}\n"
    ".title{font-size:20px;font-weight:bold}.subtitle{font-size:14px;fill:#444}\n"
    ".tick{font-size:12px;fill:#555}.label{font-size:13px}\n"
    ".name{font-size:11px;fill:#222;stroke:#fff;stroke-width:2.5;paint-order:stroke;stroke-linejoin:round}\n"
    ".grid line{stroke:#e9e9e9;stroke-width:1}.frame{fill:none;stroke:#888;stroke-width:1}\n"
    ".link{fill:none;stroke:#808080}\n"
    ".deviation{fill:#56b4e9;fill-opacity:.13;stroke:#56b4e9;stroke-opacity:.55;stroke-width:.6}\n"
    ".error{fill:none;stroke:#d55e00;stroke-linecap:round}\n"
    ".truth{fill:#fff;fill-opacity:.65;stroke:#333}\n"
    ".placed{fill:#0072b2}.flip{fill:#e69f00;stroke:#5a3d00;stroke-width:.8}\n"
    ".h0{fill:#84cdf0}.h1{fill:#3fa2d9}.h2{fill:#0072b2}.h3{fill:#00497a}.h4{fill:#001c3a}\n"
    ".unplaced{fill:none;stroke:#a0327d;stroke-width:2}\n"
    ".anchor{fill:#000;stroke:#fff;stroke-width:1.2}.scale{stroke:#222;stroke-width:2}\n";

/* A scene with its view, sizes of marks, and what was counted for the legend. */
typedef struct map {
    const map_scene_t *scene;
    map_view_t view;
    double mark_px;
    double lowest_m; /* estimates, in 3-D */
    double highest_m;
    size_t n_anchors;
    size_t n_placed;
    size_t n_flips;
    size_t n_unplaced;
    size_t n_truth;
    size_t n_outside;
} map_t;

static const double *place_of(const map_scene_t *scene, size_t node)
{
    return &scene->answer->place_m[node * scene->problem->dim];
}

static bool has_truth(const map_scene_t *scene, size_t node)
{
    return scene->truth_m != NULL && (scene->has_truth == NULL || scene->has_truth[node]);
}

static const double *truth_of(const map_scene_t *scene, size_t node)
{
    return &scene->truth_m[node * scene->problem->dim];
}

static bool draws_truth(const map_scene_t *scene) { return scene->problem->n_nodes <= TRUTH_DRAWN_MAX; }

static bool is_anchor(const map_scene_t *scene, size_t node) { return scene->problem->known[node] == KNOWN_ANCHOR; }

static bool is_flip(const map_scene_t *scene, size_t node)
{
    return scene->answer->state[node] == CAIRN_NODE_FLIP_POSSIBLE;
}

static int compare_reals(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b ? 1 : 0;
}

/* Extent of the estimates along an axis without the wildest: the middle 98 %, widened by a quarter on each side. */
static void find_usual_extent(const map_scene_t *scene, int axis, double *low_m, double *high_m)
{
    size_t n_values = 0;
    double *value = memory_zeroed(scene->problem->n_nodes, sizeof *value);
    for (size_t i = 0; i < scene->problem->n_nodes; i++) {
        if (scene->answer->has_place[i]) {
            value[n_values] = place_of(scene, i)[axis];
            n_values++;
        }
    }
    *low_m = 0;
    *high_m = 0;
    if (n_values > 0) {
        qsort(value, n_values, sizeof *value, compare_reals);
        double first = value[n_values / 100];
        double last = value[n_values - 1 - n_values / 100];
        double margin_m = 0.25 * (last - first);
        *low_m = value[0] < first - margin_m ? first - margin_m : value[0];
        *high_m = value[n_values - 1] > last + margin_m ? last + margin_m : value[n_values - 1];
    }
    free(value);
}

static void widen(double *low_m, double *high_m, double value_m)
{
    *low_m = value_m < *low_m ? value_m : *low_m;
    *high_m = value_m > *high_m ? value_m : *high_m;
}

static void choose_view(map_t *map)
{
    const map_scene_t *scene = map->scene;
    double low_m[2];
    double high_m[2];
    for (int axis = 0; axis < 2; axis++) {
        find_usual_extent(scene, axis, &low_m[axis], &high_m[axis]);
        for (size_t i = 0; i < scene->problem->n_nodes; i++) {
            if (is_anchor(scene, i)) {
                widen(&low_m[axis], &high_m[axis], place_of(scene, i)[axis]);
            }
            if (has_truth(scene, i)) {
                widen(&low_m[axis], &high_m[axis], truth_of(scene, i)[axis]);
            }
        }
    }
    map_view_fit(&map->view, low_m, high_m, PLOT_LEFT_PX, PLOT_TOP_PX, PLOT_SIDE_PX, PLOT_SIDE_PX);
    if (scene->problem->dim == 3) {
        find_usual_extent(scene, 2, &map->lowest_m, &map->highest_m);
    }
    double room_px = sqrt(map->view.width_px * map->view.height_px / (double)scene->problem->n_nodes);
    map->mark_px = fmin(6.0, fmax(0.8, 0.1 * room_px));
}

static void count_nodes(map_t *map)
{
    const map_scene_t *scene = map->scene;
    for (size_t i = 0; i < scene->problem->n_nodes; i++) {
        bool placed = scene->answer->has_place[i];
        map->n_truth += !is_anchor(scene, i) && has_truth(scene, i);
        map->n_outside += placed && !map_view_contains(&map->view, place_of(scene, i));
        if (is_anchor(scene, i)) {
            map->n_anchors++;
        } else if (!placed) {
            map->n_unplaced++;
        } else if (is_flip(scene, i)) {
            map->n_flips++;
        } else {
            map->n_placed++;
        }
    }
}

static double x_px(const map_t *map, const double *place_m) { return map_view_x_px(&map->view, place_m[0]); }

static double y_px(const map_t *map, const double *place_m) { return map_view_y_px(&map->view, place_m[1]); }

static bool draws_links(const map_t *map) { return map->scene->problem->n_ranges <= LINKS_DRAWN_MAX; }

static bool draws_link(const map_scene_t *scene, const range_row_t *range)
{
    return scene->answer->has_place[range->a] && scene->answer->has_place[range->b];
}

/* The more of the plot the links cover, the paler they are. */
static double choose_link_opacity(const map_t *map, double width_px)
{
    static const double most = 0.42;
    static const double least = 0.08;
    static const double covered_share = 0.14; /* of the plot, from which on they fade */
    const map_scene_t *scene = map->scene;
    double length_px = 0;
    for (size_t i = 0; i < scene->problem->n_ranges; i++) {
        const range_row_t *range = &scene->problem->range[i];
        if (draws_link(scene, range)) {
            const double *a_m = place_of(scene, range->a);
            const double *b_m = place_of(scene, range->b);
            length_px += hypot(a_m[0] - b_m[0], a_m[1] - b_m[1]) * map->view.px_per_m;
        }
    }
    double covered = length_px * width_px / (map->view.width_px * map->view.height_px);
    return covered <= covered_share ? most : fmax(least, most * sqrt(covered_share / covered));
}

static void draw_links(output_t *out, const map_t *map)
{
    const map_scene_t *scene = map->scene;
    if (!draws_links(map)) {
        return;
    }
    double width_px = fmin(1.2, fmax(0.4, 0.3 * map->mark_px));
    svg_group_begin(out, "link", "plot");
    output_print(out, "<g stroke-width=\"%.2f\" stroke-opacity=\"%.2f\">\n", width_px,
                 choose_link_opacity(map, width_px));
    svg_segments_begin(out);
    for (size_t i = 0; i < scene->problem->n_ranges; i++) {
        const range_row_t *range = &scene->problem->range[i];
        if (draws_link(scene, range)) {
            const double *a_m = place_of(scene, range->a);
            const double *b_m = place_of(scene, range->b);
            svg_segment(out, x_px(map, a_m), y_px(map, a_m), x_px(map, b_m), y_px(map, b_m));
        }
    }
    svg_segments_end(out);
    svg_group_end(out);
    svg_group_end(out);
}

static void draw_deviations(output_t *out, const map_t *map)
{
    const map_scene_t *scene = map->scene;
    svg_group_begin(out, "deviation", "plot");
    for (size_t i = 0; i < scene->problem->n_nodes; i++) {
        double radius_px = scene->answer->std_m[i] * map->view.px_per_m;
        if (!is_anchor(scene, i) && scene->answer->has_place[i] && radius_px > map->mark_px) {
            const double *place_m = place_of(scene, i);
            svg_circle(out, x_px(map, place_m), y_px(map, place_m), fmin(radius_px, 2.0 * PLOT_SIDE_PX), NULL);
        }
    }
    svg_group_end(out);
}

static void draw_errors(output_t *out, const map_t *map)
{
    const map_scene_t *scene = map->scene;
    svg_group_begin(out, "error", "plot");
    output_print(out, "<g stroke-width=\"%.2f\">\n", fmin(2.0, fmax(0.6, 0.45 * map->mark_px)));
    svg_segments_begin(out);
    for (size_t i = 0; i < scene->problem->n_nodes; i++) {
        if (!is_anchor(scene, i) && has_truth(scene, i) && scene->answer->has_place[i]) {
            const double *place_m = place_of(scene, i);
            const double *truth_m = truth_of(scene, i);
            svg_segment(out, x_px(map, truth_m), y_px(map, truth_m), x_px(map, place_m), y_px(map, place_m));
        }
    }
    svg_segments_end(out);
    svg_group_end(out);
    svg_group_end(out);
}

/* What a node is drawn as. */
typedef enum mark { MARK_TRUTH, MARK_UNPLACED, MARK_PLACED, MARK_FLIP, MARK_ANCHOR, N_MARKS } mark_t;

static const char *const mark_class[N_MARKS] = {"truth", "unplaced", "placed", "flip", "anchor"};

static double mark_radius_px(const map_t *map, mark_t mark)
{
    static const double share[N_MARKS] = {1.15, 1.1, 1.0, 1.8, 1.9};
    double radius_px = map->mark_px * share[mark];
    return mark == MARK_ANCHOR ? fmax(radius_px, 6.5) : mark == MARK_FLIP ? fmax(radius_px, 2.5) : radius_px;
}

static void draw_mark(output_t *out, mark_t mark, double x, double y, double radius_px, const char *tooltip)
{
    switch (mark) {
    case MARK_ANCHOR: svg_triangle(out, x, y, radius_px, tooltip); break;
    case MARK_FLIP: svg_diamond(out, x, y, radius_px, tooltip); break;
    case MARK_UNPLACED: svg_cross(out, x, y, radius_px, tooltip); break;
    default: svg_circle(out, x, y, radius_px, tooltip);
    }
}

/* Where a node is drawn with a mark, or NULL. */
static const double *mark_place(const map_scene_t *scene, size_t node, mark_t mark)
{
    bool placed = scene->answer->has_place[node];
    if (is_anchor(scene, node)) {
        return mark == MARK_ANCHOR ? place_of(scene, node) : NULL;
    }
    switch (mark) {
    case MARK_TRUTH: return placed && has_truth(scene, node) && draws_truth(scene) ? truth_of(scene, node) : NULL;
    case MARK_UNPLACED: return !placed && has_truth(scene, node) ? truth_of(scene, node) : NULL;
    case MARK_PLACED: return placed && !is_flip(scene, node) ? place_of(scene, node) : NULL;
    case MARK_FLIP: return placed && is_flip(scene, node) ? place_of(scene, node) : NULL;
    default: return NULL;
    }
}

static const char *make_tooltip(const map_scene_t *scene, size_t node, char *text, size_t text_bytes)
{
    if (scene->problem->n_nodes > TOOLTIPS_MAX) {
        return NULL;
    }
    if (scene->problem->dim == 3 && scene->answer->has_place[node]) {
        snprintf(text, text_bytes, "%lu, height %.4g m, std %.3g m", (unsigned long)scene->id[node],
                 place_of(scene, node)[2], scene->answer->std_m[node]);
        return text;
    }
    snprintf(text, text_bytes, "%lu, std %.3g m", (unsigned long)scene->id[node], scene->answer->std_m[node]);
    return text;
}

/* Seen from above, the darker the higher. In the plane all are the same. */
static int shade_of(const map_t *map, const double *place_m)
{
    double extent_m = map->highest_m - map->lowest_m;
    if (map->scene->problem->dim < 3 || !(extent_m > 0)) {
        return HEIGHTS / 2;
    }
    return (int)fmin(HEIGHTS - 1, fmax(0, floor(HEIGHTS * (place_m[2] - map->lowest_m) / extent_m)));
}

/* Those of one shade; -1: of all. */
static void draw_shade(output_t *out, const map_t *map, mark_t mark, int shade)
{
    char text[120];
    for (size_t i = 0; i < map->scene->problem->n_nodes; i++) {
        const double *at_m = mark_place(map->scene, i, mark);
        if (at_m != NULL && (shade < 0 || shade_of(map, at_m) == shade)) {
            draw_mark(out, mark, x_px(map, at_m), y_px(map, at_m), mark_radius_px(map, mark),
                      make_tooltip(map->scene, i, text, sizeof text));
        }
    }
}

static void draw_marks(output_t *out, const map_t *map, mark_t mark)
{
    svg_group_begin(out, mark_class[mark], "plot");
    if (mark == MARK_PLACED && map->scene->problem->dim == 3) {
        for (int shade = 0; shade < HEIGHTS; shade++) {
            output_print(out, "<g class=\"h%d\">\n", shade);
            draw_shade(out, map, mark, shade);
            svg_group_end(out);
        }
    } else {
        if (mark == MARK_TRUTH) {
            output_print(out, "<g stroke-width=\"%.2f\">\n", fmin(1.0, fmax(0.2, 0.3 * map->mark_px)));
        } else {
            output_print(out, "<g>\n");
        }
        draw_shade(out, map, mark, -1);
        svg_group_end(out);
    }
    svg_group_end(out);
}

static void draw_names(output_t *out, const map_t *map)
{
    char text[16];
    const map_scene_t *scene = map->scene;
    bool all = scene->problem->n_nodes <= LABELS_MAX;
    svg_group_begin(out, "names", "plot");
    for (size_t i = 0; i < scene->problem->n_nodes; i++) {
        bool named = all || (is_anchor(scene, i) && map->n_anchors <= ANCHOR_LABELS_MAX);
        if (named && scene->answer->has_place[i]) {
            const double *place_m = place_of(scene, i);
            snprintf(text, sizeof text, "%lu", (unsigned long)scene->id[i]);
            svg_text(out, "name", x_px(map, place_m) + 8, y_px(map, place_m) - 6, SVG_START, text);
        }
    }
    svg_group_end(out);
}

/* The legend is written row by row from the top. */
typedef struct legend {
    output_t *out;
    double left_px;
    double y_px;
} legend_t;

static void legend_text(legend_t *self, const char *text, size_t count)
{
    char line[120];
    if (count > 0) {
        snprintf(line, sizeof line, "%s (%zu)", text, count);
    } else {
        snprintf(line, sizeof line, "%s", text);
    }
    svg_text(self->out, "label", self->left_px + 40, self->y_px + 4, SVG_START, line);
    self->y_px += LEGEND_ROW_PX;
}

static void legend_mark(legend_t *self, mark_t mark, const char *text, size_t count)
{
    if (count == 0) {
        return;
    }
    svg_group_begin(self->out, mark_class[mark], NULL);
    draw_mark(self->out, mark, self->left_px + 14, self->y_px,
              mark == MARK_ANCHOR ? 8
              : mark == MARK_FLIP ? 7
                                  : 5,
              NULL);
    svg_group_end(self->out);
    legend_text(self, text, count);
}

static void legend_line(legend_t *self, const char *css_class, const char *width, const char *text, size_t count)
{
    output_print(self->out, "<g stroke-width=\"%s\">\n", width);
    svg_group_begin(self->out, css_class, NULL);
    svg_line(self->out, self->left_px, self->y_px, self->left_px + 28, self->y_px);
    svg_group_end(self->out);
    svg_group_end(self->out);
    legend_text(self, text, count);
}

/* The shades from the lowest to the highest, and how high these are. */
static void legend_heights(legend_t *self, const map_t *map)
{
    char text[80];
    legend_text(self, "seen from above; height:", 0);
    for (int shade = 0; shade < HEIGHTS; shade++) {
        output_print(self->out, "<g class=\"h%d\">\n", shade);
        svg_circle(self->out, self->left_px + 6 + 13 * shade, self->y_px - 4, 5, NULL);
        svg_group_end(self->out);
    }
    snprintf(text, sizeof text, "%.3g to %.3g m", map->lowest_m, map->highest_m);
    svg_text(self->out, "label", self->left_px + 6 + 13 * HEIGHTS, self->y_px, SVG_START, text);
    self->y_px += LEGEND_ROW_PX;
}

static void draw_legend(output_t *out, const map_t *map)
{
    const locate_problem_t *problem = map->scene->problem;
    legend_t legend = {out, map->view.left_px + map->view.width_px + LEGEND_GAP_PX, map->view.top_px + 10};
    legend_mark(&legend, MARK_ANCHOR, "anchor", map->n_anchors);
    legend_mark(&legend, MARK_PLACED, "estimated place", map->n_placed);
    legend_mark(&legend, MARK_FLIP, "flip possible", map->n_flips);
    svg_group_begin(out, "deviation", NULL);
    svg_circle(out, legend.left_px + 14, legend.y_px, 10, NULL);
    svg_group_end(out);
    legend_text(&legend, "one deviation (std_m)", 0);
    if (map->n_truth > 0) {
        if (draws_truth(map->scene)) {
            legend_mark(&legend, MARK_TRUTH, "true place", map->n_truth);
        }
        legend_line(&legend, "error", "2", "error, truth to estimate", 0);
        legend_mark(&legend, MARK_UNPLACED, "unplaced, true place", map->n_unplaced);
    } else if (map->n_unplaced > 0) {
        legend_text(&legend, "unplaced, not drawn", map->n_unplaced);
    }
    if (draws_links(map)) {
        legend_line(&legend, "link", "1.5", "measured range", problem->n_ranges);
    } else {
        legend_text(&legend, "ranges, not drawn", problem->n_ranges);
    }
    if (map->n_outside > 0) {
        legend_text(&legend, "outside the drawing", map->n_outside);
    }
    if (problem->dim == 3) {
        legend_heights(&legend, map);
    }
    map_view_draw_scale(out, &map->view, legend.left_px, legend.y_px + 16, LEGEND_WIDTH_PX - 60);
}

void map_draw(output_t *out, const map_scene_t *scene)
{
    map_t map;
    memset(&map, 0, sizeof map);
    map.scene = scene;
    choose_view(&map);
    count_nodes(&map);
    const map_view_t *view = &map.view;
    svg_begin(out, view->left_px + view->width_px + LEGEND_GAP_PX + LEGEND_WIDTH_PX,
              view->top_px + view->height_px + BOTTOM_PX, style, scene->title);
    svg_clip_rectangle(out, "plot", view->left_px, view->top_px, view->width_px, view->height_px);
    svg_text(out, "title", view->left_px, 32, SVG_START, scene->title);
    svg_text(out, "subtitle", view->left_px, 56, SVG_START, scene->subtitle);
    map_view_draw_grid(out, view);
    draw_links(out, &map);
    draw_deviations(out, &map);
    draw_errors(out, &map);
    for (int mark = 0; mark < N_MARKS; mark++) {
        draw_marks(out, &map, (mark_t)mark);
    }
    draw_names(out, &map);
    draw_legend(out, &map);
    svg_end(out);
}
