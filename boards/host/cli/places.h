/* SPDX-License-Identifier: MIT
 * Tables of places: anchors, starts and true places, `id,x_m,y_m[,z_m][,heading_rad]`. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csv.h"

enum { PLACES_DIM_MAX = 3 };

#define PLACES_COORDINATE_MAX_M 1e12

typedef struct place_row {
    uint32_t id;
    uint64_t line;
    double place_m[PLACES_DIM_MAX];
    double heading_rad; /* NaN: not given */
} place_row_t;

typedef struct place_table {
    place_row_t *row; /* in ascending order of id, each id once */
    size_t n_rows;
    size_t capacity;
    size_t dim;
} place_table_t;

/*
 * Read a table. dim 2 or 3; 0: 3 when the file has a column z_m, else 2. Rows whose coordinates are all empty (unplaced
 * nodes of an earlier result) are left out; an id given twice is an error. False: the reason has been printed.
 * Release with places_free.
 */
bool places_read(place_table_t *self, const char *path, size_t dim);

/* The same with a column heading_rad, which may be missing or empty. */
bool places_read_headings(place_table_t *self, const char *path, size_t dim);

/* The coordinates of the present row; columns [dim]. False: the reason has been printed. */
bool places_read_coordinates(const csv_reader_t *reader, const csv_column_t *columns, size_t dim, double *place_m);

/* The row of an id, or NULL. */
const place_row_t *places_find(const place_table_t *self, uint32_t id);

void places_free(place_table_t *self);

#endif
