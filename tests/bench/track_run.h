/* SPDX-License-Identifier: MIT
 * A recorded drive played to the library and, beside it, to the double reference; both are scored against the truth. */
#ifndef BENCH_TRACK_RUN_H
#define BENCH_TRACK_RUN_H

#include "cairn/rng.h"
#include "cairn/track.h"
#include "oracle/track.h"
#include "track_data.h"

typedef struct track_score {
    size_t n;
    size_t n_early;   /* instants before the first place; errors are over those with a place */
    size_t n_lost;    /* later ones without a place */
    double square_m2; /* sum of squared errors */
    double max_m;
    double nees;     /* sum of normalized squared errors per dimension */
    double std_m;    /* sum of stated deviations */
    double oracle_m; /* largest distance from the double reference */
} track_score_t;

double track_score_rmse(const track_score_t *score);
double track_score_nees(const track_score_t *score);

/* Share of the instants from the first place on that have none. */
double track_score_lost(const track_score_t *score);

/* A tracker and its reference on a drive. Do not move it: the table of links points into it. */
typedef struct track_run {
    const track_drive_t *drive;
    cairn_track_cfg_t cfg;
    cairn_track_2d_t tag;
    cairn_track_links_t links;
    cairn_track_link_t link[TRACK_ANCHORS_MAX];
    cairn_real anchor_m[TRACK_ANCHORS_MAX * 2];
    double oracle_anchor_m[TRACK_ANCHORS_MAX * 2];
    oracle_track_t oracle;
    size_t range_at, odometry_at; /* next rows */
    double shift_s;               /* added to the rows' times */
    double t_s;                   /* of the last event, in the drive's own time */
    double wild_share;            /* of the ranges get 2 m and an exponential of 15 m on top */
    bool ask;                     /* without odometry, predict and score at the rows of the odometry all the same */
    bool mute[TRACK_ANCHORS_MAX]; /* anchors whose ranges are left out */
    cairn_rng_t rng;
    track_score_t score;
    cairn_status last; /* of the last range */
} track_run_t;

typedef enum track_event { TRACK_EVENT_RANGE, TRACK_EVENT_ODOMETRY, TRACK_EVENT_END } track_event_t;

void track_run_init(track_run_t *self, const track_drive_t *drive, const cairn_track_cfg_t *cfg);

/* Start at the true place of the first row, heading unknown. */
void track_run_start_known(track_run_t *self, double std_m);

/* Play from this time of the drive on, as if it followed the last event at once. */
void track_run_jump(track_run_t *self, double t_s);

/* Play the next row; muted ranges are skipped. Scores it when placed: with odometry at every row, else at ranges. */
track_event_t track_run_next(track_run_t *self);

/* Distance from the truth now; negative without a place. */
double track_run_error(const track_run_t *self, double *std_m);

#endif
