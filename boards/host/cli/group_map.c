/* SPDX-License-Identifier: MIT
 * Drawing of a clustered graph. Coordinates are blended with their ranks, which spreads crowded groups over the free
 * space and keeps their order (Lin 2012, 9.3, leaves the rule open). */
#include "group_map.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "svg.h"

enum {
    WIDTH = 900,
    HEIGHT = 720,
    LEFT = 30,
    TOP = 80,
    SIDE = 600,
    LEGEND_X = 665,
    LEGEND_STEP = 22,
    N_COLOURS = 10,
    NAMES_MAX = 60
};

static const double blend = 0.5; /* share of the rank */

/* Ten colours that colour-blind people tell apart pairwise with their marks; the last is for nodes without a group. */
static const char style[] =
    "text{font:14px sans-serif;fill:#222}.title{font-size:20px;font-weight:600}.sub{fill:#555}\n"
    ".name{font-size:11px;stroke:#fff;stroke-width:2.5;paint-order:stroke;stroke-linejoin:round}\n"
    ".links path{stroke:#77818f;fill:none}\n"
    ".few path{stroke-width:1.2;stroke-opacity:.75}.some path{stroke-width:.8;stroke-opacity:.55}\n"
    ".many path{stroke-width:.5;stroke-opacity:.35}\n"
    ".frame{fill:#fbfbfd;stroke:#d5d8de}\n"
    ".g0{fill:#0072b2}.g1{fill:#d55e00}.g2{fill:#009e73}.g3{fill:#cc79a7}.g4{fill:#e69f00}\n"
    ".g5{fill:#56b4e9}.g6{fill:#7a4fbf}.g7{fill:#8c5a2b}.g8{fill:#bdb300}.g9{fill:#444}\n"
    ".none{fill:none;stroke:#888}\n"
    ".marks{stroke:#fff;stroke-width:.7}\n";

typedef struct ranked {
    double value;
    uint32_t node;
} ranked_t;

static int compare(const void *left, const void *right)
{
    const ranked_t *p = left;
    const ranked_t *q = right;
    if (p->value < q->value || p->value > q->value) {
        return p->value < q->value ? -1 : 1;
    }
    return p->node < q->node ? -1 : 1;
}

/* Coordinates 0 to 1: half the value within its 1 % and 99 % quantiles, half the rank. */
static double *spread(const double *x, size_t n)
{
    ranked_t *order = memory_zeroed(n, sizeof *order);
    double *place = memory_zeroed(n, sizeof *place);
    for (uint32_t i = 0; i < n; i++) {
        order[i].value = x[i];
        order[i].node = i;
    }
    qsort(order, n, sizeof *order, compare);
    double low = order[n / 100].value;
    double high = order[n - 1 - n / 100].value;
    for (size_t i = 0; i < n; i++) {
        double value = high > low ? (order[i].value - low) / (high - low) : .5;
        value = value < 0 ? 0 : value > 1 ? 1 : value;
        place[order[i].node] = (1 - blend) * value + blend * (n > 1 ? (double)i / (double)(n - 1) : .5);
    }
    free(order);
    return place;
}

static void draw_mark(output_t *out, unsigned group, double x, double y, double radius, const char *tooltip)
{
    switch (group / N_COLOURS % 3) {
    case 0: svg_circle(out, x, y, radius, tooltip); break;
    case 1: svg_triangle(out, x, y, radius * 1.2, tooltip); break;
    default: svg_diamond(out, x, y, radius * 1.2, tooltip);
    }
}

static void begin_group(output_t *out, unsigned group, bool none)
{
    char name[16];
    snprintf(name, sizeof name, "g%u", group % N_COLOURS);
    svg_group_begin(out, none ? "none" : name, NULL);
}

static void draw_nodes(output_t *out, const group_scene_t *scene, const double *x, const double *y, double radius)
{
    size_t n = scene->links->nodes.ids.n_ids;
    for (unsigned c = 0; c <= scene->k; c++) {
        bool none = c == scene->k;
        begin_group(out, c, none);
        for (size_t i = 0; i < n; i++) {
            if (none ? scene->label[i] >= scene->k : scene->label[i] == c) {
                char tooltip[48];
                unsigned long id = scene->links->nodes.id[i];
                if (none) {
                    snprintf(tooltip, sizeof tooltip, "%lu: no group", id);
                } else {
                    snprintf(tooltip, sizeof tooltip, "%lu: group %u", id, c);
                }
                draw_mark(out, none ? 0 : c, LEFT + 15 + x[i] * (SIDE - 30), TOP + SIDE - 15 - y[i] * (SIDE - 30),
                          radius, tooltip);
            }
        }
        svg_group_end(out);
    }
}

static void draw_legend(output_t *out, const group_scene_t *scene)
{
    size_t n = scene->links->nodes.ids.n_ids;
    unsigned n_shown = scene->k < 24 ? scene->k : 24;
    for (unsigned c = 0; c <= n_shown; c++) {
        bool none = c == n_shown;
        char text[48];
        size_t n_members = 0;
        double y = TOP + 12 + c * (double)LEGEND_STEP;
        for (size_t i = 0; i < n; i++) {
            n_members += none ? scene->label[i] >= scene->k : scene->label[i] == c;
        }
        if (none && n_members == 0) {
            break;
        }
        begin_group(out, c, none);
        draw_mark(out, none ? 0 : c, LEGEND_X, y, 6, NULL);
        svg_group_end(out);
        if (!none && scene->name != NULL) {
            snprintf(text, sizeof text, "%.24s: %zu %s", scene->name[c], n_members, n_members == 1 ? "node" : "nodes");
        } else if (!none) {
            snprintf(text, sizeof text, "group %u: %zu %s", c, n_members, n_members == 1 ? "node" : "nodes");
        } else {
            snprintf(text, sizeof text, "no group: %zu %s", n_members, n_members == 1 ? "node" : "nodes");
        }
        svg_text(out, "legend", LEGEND_X + 14, y + 5, SVG_START, text);
    }
}

static void draw_names(output_t *out, const group_scene_t *scene, const double *x, const double *y)
{
    size_t n = scene->links->nodes.ids.n_ids;
    svg_group_begin(out, "names", NULL);
    for (size_t i = 0; i < n && n <= NAMES_MAX; i++) {
        char text[16];
        snprintf(text, sizeof text, "%lu", (unsigned long)scene->links->nodes.id[i]);
        svg_text(out, "name", LEFT + 15 + x[i] * (SIDE - 30) + 8, TOP + SIDE - 15 - y[i] * (SIDE - 30) - 6, SVG_START,
                 text);
    }
    svg_group_end(out);
}

/* Few links are to be seen one by one, many only as what they make together. */
static void draw_links(output_t *out, const link_table_t *links, const double *x, const double *y)
{
    size_t stride = links->n_rows / 20000 + 1; /* a drawing of millions of links shows nothing */
    svg_group_begin(out,
                    links->n_rows <= 500    ? "links few"
                    : links->n_rows <= 5000 ? "links some"
                                            : "links many",
                    NULL);
    svg_segments_begin(out);
    for (size_t e = 0; e < links->n_rows; e += stride) {
        const link_row_t *row = &links->row[e];
        svg_segment(out, LEFT + 15 + x[row->a] * (SIDE - 30), TOP + SIDE - 15 - y[row->a] * (SIDE - 30),
                    LEFT + 15 + x[row->b] * (SIDE - 30), TOP + SIDE - 15 - y[row->b] * (SIDE - 30));
    }
    svg_segments_end(out);
    svg_group_end(out);
}

void group_map_draw(output_t *out, const group_scene_t *scene)
{
    size_t n = scene->links->nodes.ids.n_ids;
    double *x = spread(scene->x, n);
    double *y = spread(scene->y, n);
    double radius = n <= 200 ? 6 : n <= 2000 ? 4 : 2.2;
    svg_begin(out, WIDTH, HEIGHT, style, scene->title);
    svg_text(out, "title", LEFT, 34, SVG_START, scene->title);
    svg_text(out, "sub", LEFT, 58, SVG_START, scene->subtitle);
    svg_rectangle(out, "frame", LEFT, TOP, SIDE, SIDE);
    draw_links(out, scene->links, x, y);
    svg_group_begin(out, "marks", NULL);
    draw_nodes(out, scene, x, y, radius);
    svg_group_end(out);
    draw_names(out, scene, x, y);
    draw_legend(out, scene);
    svg_text(out, "sub", LEFT, TOP + SIDE + 24, SVG_START,
             "first two coordinates of the walk, half by value, half by rank");
    svg_end(out);
    free(x);
    free(y);
}
