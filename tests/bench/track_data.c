/* SPDX-License-Identifier: MIT
 * Recorded drives for the benches of track. */
#include "track_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "memory.h"
#include "places.h"
#include "real_data.h"

/* Where a file is, or would have to be. */
static const char *place_of(const char *folder, const char *file, bool *there)
{
    static char path[REAL_DATA_PATH_BYTES];
    char name[256];
    snprintf(name, sizeof name, "%s/%s", folder, file);
    *there = real_data_path(path, name);
    return path;
}

const char *track_data_path(const char *folder, const char *file)
{
    bool there;
    const char *path = place_of(folder, file, &there);
    return there ? path : NULL;
}

/* What is wrong with a file that has been read. */
static bool damaged(const char *folder, const char *file, const char *what)
{
    bool there;
    csv_error_at(place_of(folder, file, &there), 0, what, NULL, "bring the data again, as DATA.md says");
    return false;
}

/* All rows of a table of numbers, each into its own slot of `columns` doubles; NULL: the reason has been printed. */
static double *read_table(const char *folder, const char *file, const char *const *names, size_t n_columns,
                          size_t *n_rows)
{
    csv_column_t column[8];
    double *rows = NULL;
    size_t capacity = 0;
    *n_rows = 0;
    bool there;
    csv_reader_t *reader = csv_open(place_of(folder, file, &there));
    for (size_t i = 0; i < n_columns; i++) {
        column[i] = (csv_column_t){names[i], true, -1};
    }
    bool good = reader != NULL && csv_read_header(reader, column, n_columns);
    csv_result_t result = CSV_BAD;
    while (good && (result = csv_read_row(reader)) == CSV_ROW) {
        rows = memory_grow(rows, &capacity, (*n_rows + 1) * n_columns, sizeof *rows);
        for (size_t i = 0; i < n_columns; i++) {
            good = good && csv_get_real(reader, &column[i], &rows[*n_rows * n_columns + i]);
        }
        ++*n_rows;
    }
    csv_close(reader);
    good = good && result != CSV_BAD && (*n_rows > 0 || damaged(folder, file, "there are no rows"));
    if (!good) {
        free(rows);
        rows = NULL;
        *n_rows = 0;
    }
    return rows;
}

static bool read_anchors(track_drive_t *self, const char *folder)
{
    place_table_t table = {0};
    bool there;
    if (!places_read(&table, place_of(folder, "anchors.csv", &there), 2)) {
        places_free(&table);
        return false;
    }
    self->n_anchors = table.n_rows < TRACK_ANCHORS_MAX ? table.n_rows : TRACK_ANCHORS_MAX;
    for (size_t i = 0; i < self->n_anchors; i++) {
        self->anchor_id[i] = table.row[i].id;
        memcpy(self->anchor_m[i], table.row[i].place_m, sizeof self->anchor_m[i]);
    }
    places_free(&table);
    return self->n_anchors > 0 || damaged(folder, "anchors.csv", "there are no rows");
}

static size_t find_anchor(const track_drive_t *self, double id)
{
    size_t i = 0;
    while (i < self->n_anchors && (double)self->anchor_id[i] != id) {
        i++;
    }
    return i;
}

static bool read_ranges(track_drive_t *self, const char *folder)
{
    static const char *const names[] = {"t_s", "b", "range_m"};
    double *table = read_table(folder, "log.csv", names, 3, &self->n_ranges);
    self->range = memory_zeroed(self->n_ranges, sizeof *self->range);
    bool good = table != NULL;
    for (size_t i = 0; good && i < self->n_ranges; i++) {
        const double *row = &table[3 * i];
        self->range[i] = (track_range_row_t){row[0], find_anchor(self, row[1]), row[2]};
        good = self->range[i].anchor < self->n_anchors || damaged(folder, "log.csv", "a range to no anchor");
    }
    free(table);
    return good;
}

static bool read_odometry(track_drive_t *self, const char *folder)
{
    static const char *const names[] = {"t_s", "forward_m", "turn_rad"};
    double *table = read_table(folder, "odometry.csv", names, 3, &self->n_odometry);
    self->odometry = memory_zeroed(self->n_odometry, sizeof *self->odometry);
    for (size_t i = 0; i < self->n_odometry; i++) {
        self->odometry[i] = (track_odometry_row_t){table[3 * i], table[3 * i + 1], table[3 * i + 2]};
    }
    free(table);
    return self->n_odometry > 0;
}

static bool read_truth(track_drive_t *self, const char *folder)
{
    static const char *const names[] = {"t_s", "x_m", "y_m"};
    double *table = read_table(folder, "truth.csv", names, 3, &self->n_truth);
    self->truth = memory_zeroed(self->n_truth, sizeof *self->truth);
    for (size_t i = 0; i < self->n_truth; i++) {
        self->truth[i] = (track_truth_row_t){table[3 * i], {table[3 * i + 1], table[3 * i + 2]}};
    }
    free(table);
    return self->n_truth > 0;
}

bool track_drive_read(track_drive_t *self, const char *folder)
{
    memset(self, 0, sizeof *self);
    const bool good = read_anchors(self, folder) && read_ranges(self, folder) && read_odometry(self, folder) &&
                      read_truth(self, folder);
    if (!good) {
        track_drive_free(self);
    }
    return good;
}

void track_drive_free(track_drive_t *self)
{
    free(self->range);
    free(self->odometry);
    free(self->truth);
    memset(self, 0, sizeof *self);
}

void track_drive_truth(const track_drive_t *self, double t_s, double *place_m)
{
    size_t low = 0;
    size_t high = self->n_truth - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(self->truth[middle].t_s <= t_s ? &low : &high) = middle;
    }
    const track_truth_row_t *a = &self->truth[low];
    const track_truth_row_t *b = &self->truth[high];
    double share = b->t_s > a->t_s ? (t_s - a->t_s) / (b->t_s - a->t_s) : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    for (size_t k = 0; k < 2; k++) {
        place_m[k] = a->place_m[k] + share * (b->place_m[k] - a->place_m[k]);
    }
}

static size_t find_robot(double id)
{
    static const double ids[TRACK_ROBOTS] = {1, 3, 4, 5};
    size_t i = 0;
    while (i < TRACK_ROBOTS && ids[i] != id) {
        i++;
    }
    return i;
}

/* Tables that belong together: six ranges and four places a frame, of the robots that are known. */
static bool fill_frames(track_swarm_t *self, const char *folder, const double *range, const double *truth)
{
    for (size_t i = 0; i < self->n_frames * TRACK_PAIRS; i++) {
        track_frame_t *frame = &self->frame[i / TRACK_PAIRS];
        const size_t a = find_robot(range[4 * i + 1]), b = find_robot(range[4 * i + 2]);
        if (a == TRACK_ROBOTS || b == TRACK_ROBOTS) {
            return damaged(folder, "log.csv", "a robot other than 1, 3, 4, 5");
        }
        frame->t_s = range[4 * i];
        frame->range_m[a][b] = frame->range_m[b][a] = range[4 * i + 3];
    }
    for (size_t i = 0; i < self->n_frames * TRACK_ROBOTS; i++) {
        const size_t robot = find_robot(truth[4 * i + 1]);
        if (robot == TRACK_ROBOTS) {
            return damaged(folder, "truth.csv", "a robot other than 1, 3, 4, 5");
        }
        memcpy(self->frame[i / TRACK_ROBOTS].truth_m[robot], &truth[4 * i + 2], 2 * sizeof(double));
    }
    return true;
}

bool track_swarm_read(track_swarm_t *self, const char *folder)
{
    static const char *const range_names[] = {"t_s", "a", "b", "range_m"};
    static const char *const truth_names[] = {"t_s", "id", "x_m", "y_m"};
    size_t n_ranges = 0, n_truth = 0;
    memset(self, 0, sizeof *self);
    double *range = read_table(folder, "log.csv", range_names, 4, &n_ranges);
    double *truth = range != NULL ? read_table(folder, "truth.csv", truth_names, 4, &n_truth) : NULL;
    bool good = range != NULL && truth != NULL;
    self->n_frames = n_ranges / TRACK_PAIRS;
    if (good && (n_ranges % TRACK_PAIRS != 0 || n_truth != self->n_frames * TRACK_ROBOTS)) {
        good = damaged(folder, "truth.csv", "not four rows for each six of log.csv");
    }
    self->frame = memory_zeroed(self->n_frames, sizeof *self->frame);
    good = good && fill_frames(self, folder, range, truth);
    free(range);
    free(truth);
    if (!good) {
        track_swarm_free(self);
    }
    return good;
}

void track_swarm_free(track_swarm_t *self)
{
    free(self->frame);
    memset(self, 0, sizeof *self);
}
