/* SPDX-License-Identifier: MIT
 * Log and odometry as one stream of rows in the order in which they would have come; one row of each is held. */
#ifndef CLI_TRACK_STREAM_H
#define CLI_TRACK_STREAM_H

#include "csv.h"

typedef struct track_row {
    bool is_odometry;
    double t_s;
    uint32_t a; /* id of a row of odometry */
    uint32_t b;
    double range_m;
    double std_m; /* 0: not given */
    double forward_m;
    double turn_rad;
} track_row_t;

typedef struct track_stream {
    csv_reader_t *log;
    csv_reader_t *odometry; /* NULL: none */
    csv_column_t log_column[5];
    csv_column_t odometry_column[4];
    track_row_t next_range;
    track_row_t next_odometry;
    csv_result_t range_state;
    csv_result_t odometry_state;
} track_stream_t;

/* Open both; odometry_path may be NULL. False: the reason has been printed. Release with track_stream_close. */
bool track_stream_open(track_stream_t *self, const char *log_path, const char *odometry_path);

/* The next row: odometry up to the time of a range comes before it. CSV_BAD: the reason has been printed. */
csv_result_t track_stream_next(track_stream_t *self, track_row_t *row);

void track_stream_close(track_stream_t *self);

#endif
