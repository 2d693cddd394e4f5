/* SPDX-License-Identifier: MIT
 * True places over time, `t_s,id,x_m,y_m[,z_m]`. */
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

#endif
