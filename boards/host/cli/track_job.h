/* SPDX-License-Identifier: MIT
 * Tracking of any number of sensors row by row: one tracker a sensor, ranges to anchors and between sensors. */
#ifndef CLI_TRACK_JOB_H
#define CLI_TRACK_JOB_H

#include "cairn/track.h"
#include "places.h"

/* What a row of the log did. */
typedef enum track_row_result {
    TRACK_ROW_USED,
    TRACK_ROW_DISBELIEVED, /* used with a small weight */
    TRACK_ROW_WAITING,     /* kept for the start */
    TRACK_ROW_REFUSED,     /* stale, of another clock, not above zero, too large */
    TRACK_ROW_NO_PEER      /* both ends are anchors, or the other end has no place yet */
} track_row_result_t;

/* A sensor. */
typedef struct track_sensor {
    uint32_t id;
    bool started; /* at a place that was given */
    bool ranged;  /* in a row of the log */
    bool has_time;
    double t_s;     /* of its tracker, from the first row that was taken on */
    double range_s; /* of the last range in its table */
    CAIRN_TRACK_OBJECT(CAIRN_TRACK_STATES_MAX) object;
    cairn_track_links_t links;
    cairn_track_link_t *link;
    cairn_track_bias_t *bias;
} track_sensor_t;

typedef struct track_job {
    cairn_track_cfg_t cfg;
    bool link_biases; /* beside the state */
    const place_table_t *anchors;
    double origin_m[PLACES_DIM_MAX]; /* subtracted before the library sees a place, and added again */
    cairn_real *anchor_m;            /* [n_anchors x dim] */
    track_sensor_t **sensor;
    size_t n_sensors;
    size_t capacity;
    double first_s; /* time of the first row */
    bool has_time;
} track_job_t;

/* Begin. cfg.dim is the anchors'. Biases of links: of up to four anchors in the state, of more beside it. */
void track_job_init(track_job_t *self, const cairn_track_cfg_t *cfg, bool link_biases, const place_table_t *anchors);
void track_job_free(track_job_t *self);

/* The sensor of an id, a new one when it is not known. Returns NULL when the library refuses the settings. */
track_sensor_t *track_job_sensor(track_job_t *self, uint32_t id);

bool track_job_is_anchor(const track_job_t *self, uint32_t id);

/* Start a sensor at a place; heading_rad NaN: unknown. */
cairn_status track_job_start(track_job_t *self, uint32_t id, const double *place_m, double std_m, double heading_rad);

cairn_status track_job_odometry(track_job_t *self, uint32_t id, double t_s, double forward_m, double turn_rad);

/* Fold a range into its sensor, or into both when neither end is an anchor. sensor: out, the (first) sensor. */
track_row_result_t track_job_range(track_job_t *self, double t_s, uint32_t a, uint32_t b, double range_m, double std_m,
                                   track_sensor_t **sensor);

/* Where a sensor is, in the caller's frame; false without a place, or where the time is of another clock. cov_m2 packed. */
bool track_job_place(const track_job_t *self, const track_sensor_t *sensor, double t_s, double *place_m, double *std_m,
                     cairn_real *cov_m2);

/* What an anchor's ranges to a sensor are too long by, as far as is known. link: the anchor's row. */
double track_job_link_bias(const track_sensor_t *sensor, size_t link);

const char *track_job_state(const track_job_t *self, const track_sensor_t *sensor, double t_s);

#endif
