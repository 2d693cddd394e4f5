/* SPDX-License-Identifier: MIT
 * Tables of places: anchors, starts and true places, `id,x_m,y_m[,z_m]`. */
#include "places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "memory.h"

enum { COLUMN_ID, COLUMN_X, COLUMN_Y, COLUMN_Z, COLUMN_HEADING, N_COLUMNS };

static bool has_no_coordinates(const csv_reader_t *reader, const csv_column_t *columns, size_t dim)
{
    for (size_t k = 0; k < dim; k++) {
        if (csv_text(reader, &columns[COLUMN_X + k])[0] != '\0') {
            return false;
        }
    }
    return true;
}

bool places_read_coordinates(const csv_reader_t *reader, const csv_column_t *columns, size_t dim, double *place_m)
{
    for (size_t k = 0; k < dim; k++) {
        if (!csv_get_real(reader, &columns[k], &place_m[k])) {
            return false;
        }
        if (!(fabs(place_m[k]) <= PLACES_COORDINATE_MAX_M)) {
            csv_error(reader, "a coordinate is beyond 1e12 m", csv_text(reader, &columns[k]), "give metres");
            return false;
        }
    }
    return true;
}

static bool read_rows(place_table_t *self, csv_reader_t *reader, const csv_column_t *columns)
{
    for (;;) {
        csv_result_t result = csv_read_row(reader);
        if (result != CSV_ROW) {
            return result == CSV_END;
        }
        place_row_t row = {0};
        row.line = csv_line(reader);
        if (!csv_get_id(reader, &columns[COLUMN_ID], &row.id)) {
            return false;
        }
        if (has_no_coordinates(reader, columns, self->dim)) {
            continue;
        }
        if (!places_read_coordinates(reader, columns + COLUMN_X, self->dim, row.place_m)) {
            return false;
        }
        row.heading_rad = (double)NAN;
        if (csv_text(reader, &columns[COLUMN_HEADING])[0] != '\0' &&
            !csv_get_real(reader, &columns[COLUMN_HEADING], &row.heading_rad)) {
            return false;
        }
        self->row = memory_grow(self->row, &self->capacity, self->n_rows + 1, sizeof row);
        self->row[self->n_rows] = row;
        self->n_rows++;
    }
}

static int compare_rows(const void *left, const void *right)
{
    const place_row_t *a = left;
    const place_row_t *b = right;
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return a->line < b->line ? -1 : a->line > b->line ? 1 : 0;
}

static bool refuse_repeated_ids(const place_table_t *self, const char *path)
{
    for (size_t i = 1; i < self->n_rows; i++) {
        if (self->row[i].id == self->row[i - 1].id) {
            char what[80];
            char value[16];
            snprintf(what, sizeof what, "the id has a place in line %llu already",
                     (unsigned long long)self->row[i - 1].line);
            snprintf(value, sizeof value, "%lu", (unsigned long)self->row[i].id);
            csv_error_at(path, self->row[i].line, what, value, "keep one of the two rows");
            return false;
        }
    }
    return true;
}

static bool read_table(place_table_t *self, const char *path, size_t dim, size_t n_columns)
{
    csv_column_t columns[N_COLUMNS] = {
        {"id", true, -1}, {"x_m", true, -1}, {"y_m", true, -1}, {"z_m", dim == 3, -1}, {"heading_rad", false, -1}};
    memset(self, 0, sizeof *self);
    csv_reader_t *reader = csv_open(path);
    if (reader == NULL) {
        return false;
    }
    bool done = csv_read_header(reader, columns, n_columns);
    self->dim = dim != 0 ? dim : columns[COLUMN_Z].index >= 0 ? 3 : 2;
    done = done && read_rows(self, reader, columns);
    csv_close(reader);
    if (!done) {
        return false;
    }
    if (self->n_rows > 0) {
        qsort(self->row, self->n_rows, sizeof *self->row, compare_rows);
    }
    return refuse_repeated_ids(self, path);
}

bool places_read(place_table_t *self, const char *path, size_t dim)
{
    return read_table(self, path, dim, COLUMN_HEADING);
}

bool places_read_headings(place_table_t *self, const char *path, size_t dim)
{
    return read_table(self, path, dim, N_COLUMNS);
}

const place_row_t *places_find(const place_table_t *self, uint32_t id)
{
    size_t low = 0;
    size_t high = self->n_rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (self->row[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < self->n_rows && self->row[low].id == id ? &self->row[low] : NULL;
}

void places_free(place_table_t *self)
{
    free(self->row);
    memset(self, 0, sizeof *self);
}
