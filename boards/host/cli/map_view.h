/* SPDX-License-Identifier: MIT
 * The view of a drawing: which part of the plane it shows, with equal axes, and the frame, grid and scale bar. */
#ifndef CLI_MAP_VIEW_H
#define CLI_MAP_VIEW_H

#include <stdbool.h>

#include "output.h"

typedef struct map_view {
    double low_m[2]; /* what is shown, metres */
    double high_m[2];
    double px_per_m;
    double left_px; /* of the plot */
    double top_px;
    double width_px;
    double height_px;
    bool plain_units; /* set it after map_view_fit: coordinates are not metres */
} map_view_t;

/* Show at least the rectangle low to high, within width_max x height_max pixels; fills every field. */
void map_view_fit(map_view_t *self, const double low_m[2], const double high_m[2], double left_px, double top_px,
                  double width_max_px, double height_max_px);

double map_view_x_px(const map_view_t *self, double x_m);
double map_view_y_px(const map_view_t *self, double y_m);
bool map_view_contains(const map_view_t *self, const double *place_m);

/* Grid lines with their coordinates, and the frame. Classes grid, frame, tick. */
void map_view_draw_grid(output_t *out, const map_view_t *self);

/* A bar of a round length whose left end is at x, y. Classes scale, label. */
void map_view_draw_scale(output_t *out, const map_view_t *self, double x_px, double y_px, double width_max_px);

#endif
