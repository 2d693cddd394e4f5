/* SPDX-License-Identifier: MIT
 * Drawing of points in the plane, coloured by a label. Colours are those of Okabe and Ito (2008). */
#include "scatter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "map_view.h"
#include "svg.h"

enum {
    LEFT_PX = 90,
    TOP_PX = 76,
    SIDE_PX = 760,
    LEGEND_PX = 210,
    MARGIN_PX = 40,
    N_COLOURS = 8,
    TOOLTIPS_MAX = 5000,
    NAMES_MAX = 60
};

static const char style[] =
    "text{font-family:'DejaVu Sans',Verdana,Arial,sans-serif;fill:#222}\n"
    ".title{font-size:20px;font-weight:bold}.subtitle{font-size:14px;fill:#444}\n"
    ".tick{font-size:12px;fill:#555}.label{font-size:13px}.name{font-size:11px}\n"
    ".grid line{stroke:#e9e9e9;stroke-width:1}.frame{fill:none;stroke:#888;stroke-width:1}\n"
    ".c0{fill:#0072b2}.c1{fill:#d55e00}.c2{fill:#009e73}.c3{fill:#cc79a7}.c4{fill:#e69f00}.c5{fill:#56b4e9}\n"
    ".c6{fill:#8a7a00}.c7{fill:#777}.c0,.c1,.c2,.c3,.c4,.c5,.c6,.c7{fill-opacity:.75}\n";

#define CHARACTER_PX 6.4 /* mean width in a name */

/* Distinct labels in order of appearance; those beyond share the last colour. */
typedef struct legend {
    const char *label[N_COLOURS];
    size_t n;
    bool more;
} legend_t;

static size_t find_colour(legend_t *legend, const char *label)
{
    for (size_t c = 0; c < legend->n; c++) {
        if (strcmp(legend->label[c], label) == 0) {
            return c;
        }
    }
    if (legend->n < N_COLOURS) {
        legend->label[legend->n] = label;
        legend->n++;
    } else {
        legend->more = true;
    }
    return legend->n - 1;
}

static void get_point(const scatter_t *scene, size_t i, double point[2])
{
    point[0] = (double)scene->place[i * scene->dim];
    point[1] = scene->dim > 1 ? (double)scene->place[i * scene->dim + 1] : 0;
}

static map_view_t choose_view(const scatter_t *scene)
{
    double low[2] = {HUGE_VAL, HUGE_VAL};
    double high[2] = {-HUGE_VAL, -HUGE_VAL};
    map_view_t view;
    for (size_t i = 0; i < scene->n; i++) {
        double point[2];
        get_point(scene, i, point);
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], point[axis]);
            high[axis] = fmax(high[axis], point[axis]);
        }
    }
    map_view_fit(&view, low, high, LEFT_PX, TOP_PX, SIDE_PX, SIDE_PX);
    view.plain_units = true;
    return view;
}

static void draw_colour(output_t *out, const scatter_t *scene, const map_view_t *view, legend_t *legend, size_t colour)
{
    char class_name[32];
    double radius = fmin(5, fmax(1.2, 110 / sqrt((double)scene->n)));
    snprintf(class_name, sizeof class_name, "c%zu", colour);
    svg_group_begin(out, class_name, NULL);
    for (size_t i = 0; i < scene->n; i++) {
        double point[2];
        if (scene->label != NULL ? find_colour(legend, scene->label[i]) != colour : colour != 0) {
            continue;
        }
        get_point(scene, i, point);
        const char *tooltip = scene->name != NULL ? scene->name[i] : scene->label != NULL ? scene->label[i] : NULL;
        svg_circle(out, map_view_x_px(view, point[0]), map_view_y_px(view, point[1]), radius,
                   scene->n <= TOOLTIPS_MAX ? tooltip : NULL);
    }
    svg_group_end(out);
}

static void draw_legend(output_t *out, const scatter_t *scene, const legend_t *legend, double x_px)
{
    for (size_t c = 0; scene->label != NULL && c < legend->n; c++) {
        char class_name[32];
        double y_px = TOP_PX + 16 + 26 * (double)c;
        snprintf(class_name, sizeof class_name, "c%zu", c);
        svg_group_begin(out, class_name, NULL);
        svg_circle(out, x_px, y_px, 6, NULL);
        svg_group_end(out);
        svg_text(out, "label", x_px + 16, y_px + 5, SVG_START,
                 c == N_COLOURS - 1 && legend->more ? "others"
                 : legend->label[c][0] == '\0'      ? "(empty)"
                                                    : legend->label[c]);
    }
}

void scatter_draw(output_t *out, const scatter_t *scene)
{
    legend_t legend = {{NULL}, 0, false};
    map_view_t view = choose_view(scene);
    double right_px = LEFT_PX + view.width_px;
    double width_px = right_px + (scene->label != NULL ? LEGEND_PX : MARGIN_PX);
    for (size_t i = 0; i < scene->n && scene->label != NULL; i++) {
        (void)find_colour(&legend, scene->label[i]);
    }
    svg_begin(out, width_px < 560 ? 560 : width_px, TOP_PX + view.height_px + 56, style, scene->title);
    svg_text(out, "title", LEFT_PX, 34, SVG_START, scene->title);
    svg_text(out, "subtitle", LEFT_PX, 58, SVG_START, scene->subtitle);
    map_view_draw_grid(out, &view);
    for (size_t c = 0; c < (scene->label != NULL ? legend.n : 1); c++) {
        draw_colour(out, scene, &view, &legend, c);
    }
    for (size_t i = 0; i < scene->n && scene->name != NULL && scene->n <= NAMES_MAX; i++) {
        double point[2];
        get_point(scene, i, point);
        double x_px = map_view_x_px(&view, point[0]);
        double name_px = CHARACTER_PX * (double)strlen(scene->name[i]) + 7;
        bool is_right = x_px + name_px > right_px && x_px - name_px > LEFT_PX; /* to the right it leaves the frame */
        svg_text(out, "name", is_right ? x_px - 7 : x_px + 7, map_view_y_px(&view, point[1]) + 4,
                 is_right ? SVG_END : SVG_START, scene->name[i]);
    }
    draw_legend(out, scene, &legend, right_px + 28);
    svg_end(out);
}
