/* SPDX-License-Identifier: MIT
 * Recorded drives for the benches of track: the shared plaza1 and tiers-4robots folders, read where they are. */
#ifndef BENCH_TRACK_DATA_H
#define BENCH_TRACK_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACK_ANCHORS_MAX = 16, TRACK_ROBOTS = 4, TRACK_PAIRS = 6 };

typedef struct track_range_row {
    double t_s;
    size_t anchor; /* index */
    double range_m;
} track_range_row_t;

typedef struct track_odometry_row {
    double t_s;
    double forward_m;
    double turn_rad;
} track_odometry_row_t;

typedef struct track_truth_row {
    double t_s;
    double place_m[2];
} track_truth_row_t;

/* One vehicle among fixed beacons. */
typedef struct track_drive {
    size_t n_anchors;
    uint32_t anchor_id[TRACK_ANCHORS_MAX];
    double anchor_m[TRACK_ANCHORS_MAX][2];
    track_range_row_t *range;
    size_t n_ranges;
    track_odometry_row_t *odometry;
    size_t n_odometry;
    track_truth_row_t *truth;
    size_t n_truth;
} track_drive_t;

/* Robots that range each other, frame by frame. */
typedef struct track_frame {
    double t_s;
    double range_m[TRACK_ROBOTS][TRACK_ROBOTS]; /* 0: missing */
    double truth_m[TRACK_ROBOTS][2];
} track_frame_t;

typedef struct track_swarm {
    track_frame_t *frame;
    size_t n_frames;
} track_swarm_t;

/* Path of a shared data folder's file, or NULL when the shared data are not there. */
const char *track_data_path(const char *folder, const char *file);

/* False: a file is missing or damaged; which one has been printed. Nothing is to be freed. */
bool track_drive_read(track_drive_t *self, const char *folder);
void track_drive_free(track_drive_t *self);

/* True place at a time, between the rows around it. */
void track_drive_truth(const track_drive_t *self, double t_s, double *place_m);

/* False: as track_drive_read. */
bool track_swarm_read(track_swarm_t *self, const char *folder);
void track_swarm_free(track_swarm_t *self);

#endif
