/* SPDX-License-Identifier: MIT
 * Drawing of a track. Colours are those of Okabe and Ito (2008), told apart with every common kind of colour vision. */
#include "track_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map_view.h"
#include "memory.h"
#include "svg.h"

enum {
    BAND_PX = 12,
    POINTS_MAX = 20000,
    LEFT_PX = 90,
    TOP_PX = 76,
    SIDE_PX = 860,
    CHART_PX = 190,
    GAP_PX = 64,
    BOTTOM_PX = 54,
    HALF_PX = 8, /* of the chart, over which a value is a mean to either side */
    ROW_PX = 26  /* of a legend */
};
enum { LEGEND_PX = 230, TITLE_LETTER_PX = 12 /* about, of 20 px bold */ };

static const char style[] =
    "text{font-family:'DejaVu Sans',Verdana,Arial,sans-serif;fill:#222}\n"
    ".title{font-size:20px;font-weight:bold}.subtitle{font-size:14px;fill:#444}\n"
    ".tick{font-size:12px;fill:#555}.label{font-size:13px}\n"
    ".grid line{stroke:#e9e9e9;stroke-width:1}.frame{fill:none;stroke:#888;stroke-width:1}\n"
    ".band{fill:none;stroke:#56b4e9;opacity:.3;stroke-linecap:round}\n"
    ".path{fill:none;stroke:#0072b2;stroke-width:1.6;stroke-linejoin:round}\n"
    ".truth{fill:none;stroke:#222;stroke-width:1.2;stroke-dasharray:5 3}\n"
    ".wild{stroke:#d55e00;stroke-width:1.5;fill:none}.error{fill:none;stroke:#d55e00;stroke-width:1.2}\n"
    ".std{fill:none;stroke:#0072b2;stroke-width:1.2}\n"
    ".anchor{fill:#000;stroke:#fff;stroke-width:1.2}.scale{stroke:#222;stroke-width:2}\n";

void track_path_add(track_path_t *self, const track_point_t *point)
{
    self->stride = self->stride == 0 ? 1 : self->stride;
    if (self->n_points == POINTS_MAX) {
        for (size_t i = 0; i < POINTS_MAX / 2; i++) {
            self->point[i] = self->point[2 * i];
        }
        self->n_points = POINTS_MAX / 2;
        self->stride *= 2;
    }
    if (self->n_offered++ % self->stride == 0) {
        self->point = memory_grow(self->point, &self->capacity, self->n_points + 1, sizeof *point);
        self->point[self->n_points++] = *point;
    }
}

void track_path_free(track_path_t *self)
{
    free(self->point);
    memset(self, 0, sizeof *self);
}

static void widen(double *low_m, double *high_m, const double *place_m)
{
    for (size_t k = 0; k < 2; k++) {
        low_m[k] = place_m[k] < low_m[k] ? place_m[k] : low_m[k];
        high_m[k] = place_m[k] > high_m[k] ? place_m[k] : high_m[k];
    }
}

static void choose_view(map_view_t *view, const track_path_t *path, const place_table_t *anchors)
{
    const double *first_m = path->n_points > 0 ? path->point[0].place_m : anchors->row[0].place_m;
    double low_m[2] = {first_m[0], first_m[1]}, high_m[2] = {first_m[0], first_m[1]};
    for (size_t i = 0; i < anchors->n_rows; i++) {
        widen(low_m, high_m, anchors->row[i].place_m);
    }
    for (size_t i = 0; i < path->n_points; i++) {
        widen(low_m, high_m, path->point[i].place_m);
        if (path->point[i].error_m >= 0) {
            widen(low_m, high_m, path->point[i].truth_m);
        }
    }
    map_view_fit(view, low_m, high_m, LEFT_PX, TOP_PX, SIDE_PX, SIDE_PX * 3 / 4);
}

static bool is_joined(const track_point_t *a, const track_point_t *b) { return a->id == b->id; }

/* Next point of the same sensor, n_points when there is none. */
static size_t next_of(const track_path_t *path, size_t i)
{
    size_t j = i + 1;
    while (j < path->n_points && !is_joined(&path->point[i], &path->point[j])) {
        j++;
    }
    return j;
}

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_up(double least)
{
    const double power = pow(10, floor(log10(least)));
    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

static int compare_reals(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* High enough for all but the highest hundredth. */
static double choose_height(const track_path_t *path)
{
    double *value = memory_zeroed(path->n_points, sizeof *value);
    for (size_t i = 0; i < path->n_points; i++) {
        const track_point_t *point = &path->point[i];
        value[i] = point->error_m > 2 * point->std_m ? point->error_m : 2 * point->std_m;
    }
    qsort(value, path->n_points, sizeof *value, compare_reals);
    const double high = path->n_points > 0 ? value[path->n_points - 1 - path->n_points / 100] : 1;
    free(value);
    return round_up(high > 1e-6 ? high : 1e-6);
}

/* How wide the band is at most: a sensor that nobody hears for a while would hide all else. */
static double choose_band(const map_view_t *view, double height_m)
{
    return fmin(height_m, round_up(BAND_PX / view->px_per_m));
}

/* The band: the path drawn as wide as 2 deviations on either side. */
static void draw_band(output_t *out, const map_view_t *view, const track_path_t *path, double most_m)
{
    svg_group_begin(out, "band", "plot");
    for (size_t i = 0; i < path->n_points; i++) {
        const track_point_t *a = &path->point[i];
        const size_t j = next_of(path, i);
        const track_point_t *b = j < path->n_points ? &path->point[j] : a;
        const double half_m = 2 * a->std_m < most_m ? 2 * a->std_m : most_m;
        output_print(out, "<path stroke-width=\"%.1f\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", 2 * half_m * view->px_per_m,
                     map_view_x_px(view, a->place_m[0]), map_view_y_px(view, a->place_m[1]),
                     map_view_x_px(view, b->place_m[0]), map_view_y_px(view, b->place_m[1]));
    }
    svg_group_end(out);
}

static void draw_lines(output_t *out, const map_view_t *view, const track_path_t *path, bool truth)
{
    svg_group_begin(out, truth ? "truth" : "path", "plot");
    svg_segments_begin(out);
    for (size_t i = 0; i < path->n_points; i++) {
        const size_t j = next_of(path, i);
        const track_point_t *a = &path->point[i], *b = &path->point[j < path->n_points ? j : i];
        if (!truth) {
            svg_segment(out, map_view_x_px(view, a->place_m[0]), map_view_y_px(view, a->place_m[1]),
                        map_view_x_px(view, b->place_m[0]), map_view_y_px(view, b->place_m[1]));
        } else if (a->error_m >= 0 && b->error_m >= 0) {
            svg_segment(out, map_view_x_px(view, a->truth_m[0]), map_view_y_px(view, a->truth_m[1]),
                        map_view_x_px(view, b->truth_m[0]), map_view_y_px(view, b->truth_m[1]));
        }
    }
    svg_segments_end(out);
    svg_group_end(out);
}

static void draw_anchors(output_t *out, const map_view_t *view, const place_table_t *anchors)
{
    char name[32];
    svg_group_begin(out, "anchor", NULL);
    for (size_t i = 0; i < anchors->n_rows; i++) {
        const double *place_m = anchors->row[i].place_m;
        snprintf(name, sizeof name, "%lu", (unsigned long)anchors->row[i].id);
        svg_triangle(out, map_view_x_px(view, place_m[0]), map_view_y_px(view, place_m[1]), 8, name);
    }
    svg_group_end(out);
    for (size_t i = 0; i < anchors->n_rows; i++) {
        snprintf(name, sizeof name, "%lu", (unsigned long)anchors->row[i].id);
        svg_text(out, "label", map_view_x_px(view, anchors->row[i].place_m[0]) + 11,
                 map_view_y_px(view, anchors->row[i].place_m[1]) + 4, SVG_START, name);
    }
}

/* The lower chart: time to the right, metres up. */
typedef struct chart {
    double left_px, top_px, width_px, t_low_s, t_high_s, m_high;
    double half_s; /* a value stands for its sensor's rows so long before and after */
} chart_t;

static double chart_x(const chart_t *chart, double t_s)
{
    return chart->left_px + (t_s - chart->t_low_s) / (chart->t_high_s - chart->t_low_s) * chart->width_px;
}

static double chart_y(const chart_t *chart, double m)
{
    const double share = m / chart->m_high;
    return chart->top_px + CHART_PX * (1 - (share < 1 ? share : 1));
}

static void draw_chart_grid(output_t *out, const chart_t *chart)
{
    char text[80];
    const double step_s = round_up((chart->t_high_s - chart->t_low_s) / 8);
    svg_group_begin(out, "grid", NULL);
    for (int i = 0; i <= 4; i++) {
        const double y = chart_y(chart, chart->m_high * i / 4);
        svg_line(out, chart->left_px, y, chart->left_px + chart->width_px, y);
    }
    svg_group_end(out);
    for (int i = 0; i <= 4; i++) {
        snprintf(text, sizeof text, "%g", chart->m_high * i / 4);
        svg_text(out, "tick", chart->left_px - 8, chart_y(chart, chart->m_high * i / 4) + 4, SVG_END, text);
    }
    for (int i = 0; i <= 16 && chart->t_low_s + step_s * i <= chart->t_high_s; i++) {
        snprintf(text, sizeof text, "%g", step_s * i);
        svg_text(out, "tick", chart_x(chart, chart->t_low_s + step_s * i), chart->top_px + CHART_PX + 18, SVG_MIDDLE,
                 text);
    }
    snprintf(text, sizeof text, "seconds since the first row; values are means over %.2g s", 2 * chart->half_s);
    svg_text(out, "label", chart->left_px + chart->width_px, chart->top_px + CHART_PX + 38, SVG_END, text);
    svg_rectangle(out, "frame", chart->left_px, chart->top_px, chart->width_px, CHART_PX);
}

/* Root mean square of a sensor's errors or double deviations about a point. Ranges to anchors in turn pull the place to
 * and fro: row by row the curve would be a comb. */
static double level_m(const chart_t *chart, const track_path_t *path, size_t i, bool error)
{
    const track_point_t *at = &path->point[i];
    double square_m2 = 0;
    size_t n = 0, j = i;
    while (j > 0 && fabs(path->point[j - 1].t_s - at->t_s) <= chart->half_s) {
        j--;
    }
    for (; j < path->n_points && (j <= i || fabs(path->point[j].t_s - at->t_s) <= chart->half_s); j++) {
        const track_point_t *point = &path->point[j];
        if (point->id == at->id && (!error || point->error_m >= 0)) {
            const double value_m = error ? point->error_m : 2 * point->std_m;
            square_m2 += value_m * value_m;
            n++;
        }
    }
    return sqrt(square_m2 / (double)n); /* the point itself is one of them */
}

static void draw_series(output_t *out, const chart_t *chart, const track_path_t *path, bool error)
{
    svg_group_begin(out, error ? "error" : "std", "chart");
    svg_segments_begin(out);
    for (size_t i = 0; i < path->n_points; i++) {
        const size_t j = next_of(path, i), k = j < path->n_points ? j : i;
        const track_point_t *a = &path->point[i], *b = &path->point[k];
        if (!error || (a->error_m >= 0 && b->error_m >= 0)) {
            svg_segment(out, chart_x(chart, a->t_s), chart_y(chart, level_m(chart, path, i, error)),
                        chart_x(chart, b->t_s), chart_y(chart, level_m(chart, path, k, error)));
        }
    }
    svg_segments_end(out);
    svg_group_end(out);
}

/* Returns whether there are any. */
static bool draw_wild(output_t *out, const chart_t *chart, const track_path_t *path)
{
    bool any = false;
    svg_group_begin(out, "wild", NULL);
    svg_segments_begin(out);
    for (size_t i = 0; i < path->n_points; i++) {
        if (path->point[i].disbelieved) {
            const double x = chart_x(chart, path->point[i].t_s);
            svg_segment(out, x, chart->top_px - 9, x, chart->top_px - 2);
            any = true;
        }
    }
    svg_segments_end(out);
    svg_group_end(out);
    return any;
}

static void legend_line(output_t *out, double x, double y, const char *css_class, const char *text)
{
    svg_group_begin(out, css_class, NULL);
    output_print(out, "<path d=\"M%.0f %.0fL%.0f %.0f\"%s/>\n", x, y, x + 30, y,
                 strcmp(css_class, "band") == 0 ? " stroke-width=\"14\"" : "");
    svg_group_end(out);
    svg_text(out, "label", x + 42, y + 4, SVG_START, text);
}

/* What is on the map. */
static void draw_legend(output_t *out, double x, double y, bool path, bool truth, double most_m)
{
    char text[64];
    y += 20;
    if (path) {
        snprintf(text, sizeof text, "2 deviations, up to %g m", most_m);
        legend_line(out, x, y, "path", "estimated path");
        legend_line(out, x, y + ROW_PX, "band", text);
        y += 2 * ROW_PX;
    }
    if (truth) {
        legend_line(out, x, y, "truth", "true path");
        y += ROW_PX;
    }
    svg_group_begin(out, "anchor", NULL);
    svg_triangle(out, x + 15, y, 8, NULL);
    svg_group_end(out);
    svg_text(out, "label", x + 42, y + 4, SVG_START, "anchor");
}

static void draw_chart(output_t *out, const map_view_t *view, const track_path_t *path, double top_px, bool truth,
                       double m_high)
{
    const double last_s = path->point[path->n_points - 1].t_s;
    chart_t chart = {LEFT_PX, top_px, view->width_px, path->point[0].t_s, last_s, m_high, 0};
    chart.t_high_s = last_s > chart.t_low_s ? last_s : chart.t_low_s + 1;
    chart.half_s = (chart.t_high_s - chart.t_low_s) * HALF_PX / chart.width_px;
    svg_clip_rectangle(out, "chart", chart.left_px, chart.top_px, chart.width_px, CHART_PX);
    draw_chart_grid(out, &chart);
    draw_series(out, &chart, path, false);
    if (truth) {
        draw_series(out, &chart, path, true);
    }
    const bool wild = draw_wild(out, &chart, path);
    const double x = LEFT_PX + view->width_px + 28;
    double y = top_px + 20;
    legend_line(out, x, y, "std", "2 stated deviations, m");
    if (truth) {
        legend_line(out, x, y += ROW_PX, "error", "error, m");
    }
    if (wild) {
        legend_line(out, x, y + ROW_PX, "wild", "above: disbelieved ranges");
    }
}

void track_chart_draw(output_t *out, const track_path_t *path, const place_table_t *anchors, const char *title,
                      const char *subtitle)
{
    map_view_t view;
    bool truth = false;
    for (size_t i = 0; i < path->n_points; i++) {
        truth = truth || path->point[i].error_m >= 0;
    }
    choose_view(&view, path, anchors);
    const double chart_top_px = TOP_PX + view.height_px + GAP_PX, m_high = choose_height(path);
    const double title_px = LEFT_PX + TITLE_LETTER_PX * (double)(strlen(title) + 1);
    svg_begin(out, fmax(LEFT_PX + view.width_px + 28 + LEGEND_PX, title_px), chart_top_px + CHART_PX + BOTTOM_PX, style,
              title);
    svg_text(out, "title", LEFT_PX, 32, SVG_START, title);
    svg_text(out, "subtitle", LEFT_PX, 56, SVG_START, subtitle);
    svg_clip_rectangle(out, "plot", view.left_px, view.top_px, view.width_px, view.height_px);
    map_view_draw_grid(out, &view);
    const double band_m = choose_band(&view, m_high);
    draw_band(out, &view, path, band_m);
    if (truth) {
        draw_lines(out, &view, path, true);
    }
    draw_lines(out, &view, path, false);
    draw_anchors(out, &view, anchors);
    draw_legend(out, LEFT_PX + view.width_px + 28, TOP_PX, path->n_points > 0, truth, band_m);
    map_view_draw_scale(out, &view, LEFT_PX + view.width_px + 28, TOP_PX + 140, 160);
    if (path->n_points > 0) {
        draw_chart(out, &view, path, chart_top_px, truth, m_high);
    }
    svg_end(out);
}
