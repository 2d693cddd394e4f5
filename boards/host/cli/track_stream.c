/* SPDX-License-Identifier: MIT
 * Log and odometry as one stream. A row of the log is read when the one before has been handed out, not earlier: an endless
 * log answers line by line. */
#include "track_stream.h"

#include <math.h>
#include <string.h>

static const double t_most_s = 1e15; /* microseconds still differ in double */

static bool good_time(const csv_reader_t *reader, const csv_column_t *column, double t_s)
{
    if (fabs(t_s) <= t_most_s) {
        return true;
    }
    csv_error(reader, "a time beyond 1e15 s", csv_text(reader, column), "give seconds");
    return false;
}

static csv_result_t read_range(track_stream_t *self)
{
    const csv_column_t *column = self->log_column;
    track_row_t *row = &self->next_range;
    const csv_result_t result = csv_read_row(self->log);
    if (result != CSV_ROW) {
        return result;
    }
    memset(row, 0, sizeof *row);
    bool good = csv_get_real(self->log, &column[0], &row->t_s) && good_time(self->log, &column[0], row->t_s) &&
                csv_get_id(self->log, &column[1], &row->a) && csv_get_id(self->log, &column[2], &row->b) &&
                csv_get_real(self->log, &column[3], &row->range_m);
    if (good && csv_text(self->log, &column[4])[0] != '\0') {
        good = csv_get_real(self->log, &column[4], &row->std_m);
        if (good && row->std_m < 0) {
            csv_error(self->log, "std_m is negative", csv_text(self->log, &column[4]),
                      "give a deviation, or leave it empty");
            good = false;
        }
    }
    return good ? CSV_ROW : CSV_BAD;
}

static csv_result_t read_odometry(track_stream_t *self)
{
    const csv_column_t *column = self->odometry_column;
    track_row_t *row = &self->next_odometry;
    const csv_result_t result = self->odometry != NULL ? csv_read_row(self->odometry) : CSV_END;
    if (result != CSV_ROW) {
        return result;
    }
    memset(row, 0, sizeof *row);
    row->is_odometry = true;
    return csv_get_real(self->odometry, &column[0], &row->t_s) && good_time(self->odometry, &column[0], row->t_s) &&
                   csv_get_id(self->odometry, &column[1], &row->a) &&
                   csv_get_real(self->odometry, &column[2], &row->forward_m) &&
                   csv_get_real(self->odometry, &column[3], &row->turn_rad)
               ? CSV_ROW
               : CSV_BAD;
}

bool track_stream_open(track_stream_t *self, const char *log_path, const char *odometry_path)
{
    static const csv_column_t log_column[5] = {
        {"t_s", true, -1}, {"a", true, -1}, {"b", true, -1}, {"range_m", true, -1}, {"std_m", false, -1}};
    static const csv_column_t odometry_column[4] = {
        {"t_s", true, -1}, {"id", true, -1}, {"forward_m", true, -1}, {"turn_rad", true, -1}};
    memset(self, 0, sizeof *self);
    memcpy(self->log_column, log_column, sizeof log_column);
    memcpy(self->odometry_column, odometry_column, sizeof odometry_column);
    self->log = csv_open(log_path);
    if (self->log == NULL || !csv_read_header(self->log, self->log_column, 5)) {
        return false;
    }
    if (odometry_path != NULL) {
        self->odometry = csv_open(odometry_path);
        if (self->odometry == NULL || !csv_read_header(self->odometry, self->odometry_column, 4)) {
            return false;
        }
    }
    self->odometry_state = read_odometry(self);
    self->range_state = CSV_ROW;
    self->next_range.t_s = (double)NAN; /* nothing read yet */
    return self->odometry_state != CSV_BAD;
}

csv_result_t track_stream_next(track_stream_t *self, track_row_t *row)
{
    if (self->range_state == CSV_ROW && isnan(self->next_range.t_s)) {
        self->range_state = read_range(self);
    }
    if (self->range_state == CSV_BAD || self->odometry_state == CSV_BAD) {
        return CSV_BAD;
    }
    const bool ranges = self->range_state == CSV_ROW, odometry = self->odometry_state == CSV_ROW;
    if (odometry && (!ranges || self->next_odometry.t_s <= self->next_range.t_s)) {
        *row = self->next_odometry;
        self->odometry_state = read_odometry(self);
        return CSV_ROW;
    }
    if (ranges) {
        *row = self->next_range;
        self->next_range.t_s = (double)NAN; /* taken: the next one is read when it is asked for */
        return CSV_ROW;
    }
    return CSV_END;
}

void track_stream_close(track_stream_t *self)
{
    csv_close(self->log);
    csv_close(self->odometry);
    memset(self, 0, sizeof *self);
}
