/* SPDX-License-Identifier: MIT
 * True places over time, `t_s,id,x_m,y_m[,z_m]`, and starts, `id,x_m,y_m[,z_m][,heading_rad]`. */
#ifndef CLI_TRACK_TRUTH_H
#define CLI_TRACK_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "places.h"

typedef struct track_truth_at {
    uint32_t id;
    double t_s;
    double place_m[PLACES_DIM_MAX];
} track_truth_at_t;

typedef struct track_truth {
    track_truth_at_t *row; /* by id, then by time */
    size_t n_rows;
    size_t capacity;
} track_truth_t;

/* False: the reason has been printed. Release with track_truth_free. */
bool track_truth_read(track_truth_t *self, const char *path, size_t dim);
void track_truth_free(track_truth_t *self);

/* Place of an id between the rows around a time; false when the time is outside of its rows by more than a second. */
bool track_truth_find(const track_truth_t *self, uint32_t id, double t_s, size_t dim, double *place_m);

/* Headings of a start file by id, NaN where there is none; in the order of its rows. */
typedef struct track_heading {
    uint32_t id;
    double heading_rad;
} track_heading_t;

bool track_headings_read(track_heading_t **heading, size_t *n_headings, const char *path);

#endif
