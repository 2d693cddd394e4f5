/* SPDX-License-Identifier: MIT
 * Drawing of a track: path with deviation band over a map, and errors and deviations over time below it. */
#ifndef CLI_TRACK_CHART_H
#define CLI_TRACK_CHART_H

#include "output.h"
#include "places.h"

typedef struct track_point {
    uint32_t id;
    double t_s;
    double place_m[PLACES_DIM_MAX];
    double std_m;
    double truth_m[PLACES_DIM_MAX];
    double error_m;   /* negative: no truth */
    bool disbelieved; /* the range of this row */
} track_point_t;

typedef struct track_path {
    track_point_t *point; /* in the order of the log */
    size_t n_points;
    size_t capacity;
    size_t stride; /* of the points offered, every stride-th is kept */
    size_t n_offered;
} track_path_t;

/* Keep a point; of long logs fewer and fewer are. */
void track_path_add(track_path_t *self, const track_point_t *point);
void track_path_free(track_path_t *self);

void track_chart_draw(output_t *out, const track_path_t *path, const place_table_t *anchors, const char *title,
                      const char *subtitle);

#endif
