/* SPDX-License-Identifier: MIT
 * True places over time. */
#include "track_truth.h"

#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "memory.h"

enum { COLUMN_T, COLUMN_ID, COLUMN_X, COLUMN_Y, COLUMN_Z, N_COLUMNS };

static int compare_rows(const void *left, const void *right)
{
    const track_truth_at_t *a = left;
    const track_truth_at_t *b = right;
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return (a->t_s > b->t_s) - (a->t_s < b->t_s);
}

static bool read_row(const csv_reader_t *reader, const csv_column_t *columns, size_t dim, track_truth_at_t *row)
{
    return csv_get_real(reader, &columns[COLUMN_T], &row->t_s) && csv_get_id(reader, &columns[COLUMN_ID], &row->id) &&
           places_read_coordinates(reader, &columns[COLUMN_X], dim, row->place_m);
}

bool track_truth_read(track_truth_t *self, const char *path, size_t dim)
{
    csv_column_t columns[N_COLUMNS] = {
        {"t_s", true, -1}, {"id", true, -1}, {"x_m", true, -1}, {"y_m", true, -1}, {"z_m", dim == 3, -1}};
    memset(self, 0, sizeof *self);
    csv_reader_t *reader = csv_open(path);
    bool good = reader != NULL && csv_read_header(reader, columns, N_COLUMNS);
    csv_result_t result = CSV_END;
    while (good && (result = csv_read_row(reader)) == CSV_ROW) {
        track_truth_at_t row = {0};
        good = read_row(reader, columns, dim, &row);
        self->row = memory_grow(self->row, &self->capacity, self->n_rows + 1, sizeof row);
        self->row[self->n_rows++] = row;
    }
    csv_close(reader);
    if (self->n_rows > 0) {
        qsort(self->row, self->n_rows, sizeof *self->row, compare_rows);
    }
    return good && result == CSV_END;
}

void track_truth_free(track_truth_t *self)
{
    free(self->row);
    memset(self, 0, sizeof *self);
}

bool track_truth_find(const track_truth_t *self, uint32_t id, double t_s, size_t dim, double *place_m)
{
    const track_truth_at_t wanted = {id, t_s, {0}};
    size_t low = 0, high = self->n_rows; /* first row behind the wanted one */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_rows(&self->row[middle], &wanted) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const track_truth_at_t *after = low < self->n_rows && self->row[low].id == id ? &self->row[low] : NULL;
    const track_truth_at_t *before = low > 0 && self->row[low - 1].id == id ? &self->row[low - 1] : NULL;
    before = before != NULL ? before : after;
    after = after != NULL ? after : before;
    if (before == NULL || t_s < before->t_s - 1 || t_s > after->t_s + 1) {
        return false;
    }
    double share = after->t_s > before->t_s ? (t_s - before->t_s) / (after->t_s - before->t_s) : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    for (size_t k = 0; k < dim; k++) {
        place_m[k] = before->place_m[k] + share * (after->place_m[k] - before->place_m[k]);
    }
    return true;
}
