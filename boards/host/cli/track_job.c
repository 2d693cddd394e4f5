/* SPDX-License-Identifier: MIT
 * Tracking of any number of sensors row by row. */
#include "track_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { LINKS_MAX = 255, STATE_LINKS_MAX = 4 };

static const double clear_s = 2000; /* less than half a round of a clock of 32 bits of microseconds */

void track_job_init(track_job_t *self, const cairn_track_cfg_t *cfg, bool link_biases, const place_table_t *anchors)
{
    memset(self, 0, sizeof *self);
    self->cfg = *cfg;
    self->anchors = anchors;
    if (link_biases && anchors->n_rows <= STATE_LINKS_MAX) {
        self->cfg.n_link_biases = (uint8_t)anchors->n_rows;
    } else {
        self->link_biases = link_biases;
    }
    self->anchor_m = memory_zeroed(anchors->n_rows * anchors->dim, sizeof *self->anchor_m);
    for (size_t k = 0; k < anchors->dim; k++) {
        self->origin_m[k] = anchors->n_rows > 0 ? anchors->row[0].place_m[k] : 0;
    }
    for (size_t i = 0; i < anchors->n_rows * anchors->dim; i++) {
        const size_t k = i % anchors->dim;
        self->anchor_m[i] = (cairn_real)(anchors->row[i / anchors->dim].place_m[k] - self->origin_m[k]);
    }
}

void track_job_free(track_job_t *self)
{
    for (size_t i = 0; i < self->n_sensors; i++) {
        free(self->sensor[i]->link);
        free(self->sensor[i]->bias);
        free(self->sensor[i]);
    }
    free(self->sensor);
    free(self->anchor_m);
    memset(self, 0, sizeof *self);
}

static size_t n_links(const track_job_t *self)
{
    return self->anchors->n_rows < LINKS_MAX ? self->anchors->n_rows : LINKS_MAX;
}

bool track_job_is_anchor(const track_job_t *self, uint32_t id) { return places_find(self->anchors, id) != NULL; }

track_sensor_t *track_job_sensor(track_job_t *self, uint32_t id)
{
    for (size_t i = 0; i < self->n_sensors; i++) {
        if (self->sensor[i]->id == id) {
            return self->sensor[i];
        }
    }
    track_sensor_t *sensor = memory_zeroed(1, sizeof *sensor);
    sensor->id = id;
    sensor->link = memory_zeroed(n_links(self), sizeof *sensor->link);
    sensor->bias = self->link_biases ? memory_zeroed(n_links(self), sizeof *sensor->bias) : NULL;
    self->sensor = memory_grow(self->sensor, &self->capacity, self->n_sensors + 1, sizeof *self->sensor);
    self->sensor[self->n_sensors++] = sensor;
    if (cairn_track_init(&sensor->object.track, sizeof sensor->object, &self->cfg) != CAIRN_OK ||
        cairn_track_links_init(&sensor->links, self->anchor_m, sensor->link, n_links(self)) != CAIRN_OK ||
        (self->link_biases && cairn_track_bias_init(sensor->bias, n_links(self), &self->cfg) != CAIRN_OK)) {
        return NULL;
    }
    return sensor;
}

/* Microseconds since the first row, round the clock; rows before it count down from its top. */
static uint32_t time_us(track_job_t *self, double t_s)
{
    if (!self->has_time) {
        self->first_s = t_s;
        self->has_time = true;
    }
    const double wrapped = fmod(floor((t_s - self->first_s) * 1e6 + 0.5), 4294967296.0);
    return (uint32_t)(wrapped < 0 ? wrapped + 4294967296.0 : wrapped);
}

/* Whether a time is so far from the sensor's own that its tracker takes it for that of another clock; within a millisecond
 * the tracker decides itself. */
static bool is_astray(const track_job_t *self, const track_sensor_t *sensor, double t_s)
{
    const double own_s = sensor->has_time ? sensor->t_s : self->first_s;
    return fabs(t_s - own_s) > (double)self->cfg.gap_s + 1e-3;
}

static bool has_place(const track_sensor_t *sensor)
{
    cairn_real place_m[PLACES_DIM_MAX];
    return cairn_track_get_place(&sensor->object.track, place_m, NULL) != CAIRN_UNPLACED;
}

/* The time to tell a sensor's tracker, whose clock goes round: one that is astray is half a round away, whatever the round;
 * ranges of another round would look fresh. */
static uint32_t tell_time(track_job_t *self, track_sensor_t *sensor, double t_s)
{
    const uint32_t t_us = time_us(self, t_s);
    if (is_astray(self, sensor, t_s) && has_place(sensor)) {
        return sensor->object.track.t_us + UINT32_C(0x80000000);
    }
    for (size_t i = 0; i < n_links(self) && fabs(t_s - sensor->range_s) > clear_s; i++) {
        sensor->link[i].range_m = 0;
    }
    return t_us;
}

/* A row was taken: a late one does not turn the clock back, unless there is no place. */
static void note_time(track_sensor_t *sensor, double t_s)
{
    if (!(sensor->has_time && has_place(sensor) && t_s < sensor->t_s)) {
        sensor->t_s = t_s;
        sensor->has_time = true;
    }
}

cairn_status track_job_start(track_job_t *self, uint32_t id, const double *place_m, double std_m, double heading_rad)
{
    cairn_real local_m[PLACES_DIM_MAX];
    track_sensor_t *sensor = track_job_sensor(self, id);
    if (sensor == NULL) {
        return CAIRN_ERR_ARG;
    }
    sensor->started = true;
    for (size_t k = 0; k < self->cfg.dim; k++) {
        local_m[k] = (cairn_real)(place_m[k] - self->origin_m[k]);
    }
    cairn_status status = CAIRN_OK;
    if (isfinite(heading_rad) && self->cfg.motion == CAIRN_TRACK_ODOMETRY) {
        const cairn_real direction[2] = {(cairn_real)cos(heading_rad), (cairn_real)sin(heading_rad)};
        status = cairn_track_set_heading(&sensor->object.track, direction, 0.05f);
    }
    return status != CAIRN_OK ? status
                              : cairn_track_set_place(&sensor->object.track, local_m, (cairn_real)std_m,
                                                      self->has_time ? time_us(self, self->first_s) : 0);
}

cairn_status track_job_odometry(track_job_t *self, uint32_t id, double t_s, double forward_m, double turn_rad)
{
    track_sensor_t *sensor = track_job_sensor(self, id);
    if (sensor == NULL) {
        return CAIRN_ERR_ARG;
    }
    const cairn_status status = cairn_track_odometry(&sensor->object.track, (cairn_real)forward_m, (cairn_real)turn_rad,
                                                     tell_time(self, sensor, t_s));
    if (status >= 0) {
        note_time(sensor, t_s);
    }
    return status;
}

static track_row_result_t name_result(cairn_status status)
{
    return status == CAIRN_OK         ? TRACK_ROW_USED
           : status == CAIRN_REJECTED ? TRACK_ROW_DISBELIEVED
           : status == CAIRN_UNPLACED ? TRACK_ROW_WAITING
                                      : TRACK_ROW_REFUSED;
}

static track_row_result_t to_anchor(track_job_t *self, track_sensor_t *sensor, uint32_t anchor, double range_m,
                                    double std_m, double t_s)
{
    const uint32_t t_us = tell_time(self, sensor, t_s);
    const size_t link = (size_t)(places_find(self->anchors, anchor) - self->anchors->row);
    cairn_track_t *track = &sensor->object.track;
    const cairn_status status =
        self->link_biases
            ? cairn_track_bias_range(sensor->bias, &sensor->links, track, link, (cairn_real)range_m, (cairn_real)std_m,
                                     t_us, NULL)
            : cairn_track_links_range(&sensor->links, track, link, (cairn_real)range_m, (cairn_real)std_m, t_us, NULL);
    if (status >= 0) {
        note_time(sensor, t_s);
        sensor->range_s = t_s;
    }
    return name_result(status);
}

/* What a sensor would broadcast. */
typedef struct cast {
    cairn_real place_m[PLACES_DIM_MAX];
    cairn_real cov_m2[6];
    bool placed;
} cast_t;

static void broadcast(const track_job_t *self, const track_sensor_t *sensor, double t_s, cast_t *cast)
{
    cast->placed = !is_astray(self, sensor, t_s) &&
                   cairn_track_get_place(&sensor->object.track, cast->place_m, NULL) == CAIRN_OK &&
                   cairn_track_get_covariance(&sensor->object.track, cast->cov_m2) == CAIRN_OK;
}

static cairn_status to_sensor(track_job_t *self, track_sensor_t *sensor, const cast_t *other, uint8_t tie,
                              double range_m, double std_m, double t_s)
{
    const cairn_track_peer_t peer = {other->place_m, other->cov_m2, LINKS_MAX, tie};
    if (!other->placed) {
        return CAIRN_UNPLACED;
    }
    const cairn_status status = cairn_track_range(&sensor->object.track, &peer, (cairn_real)range_m, (cairn_real)std_m,
                                                  tell_time(self, sensor, t_s), NULL);
    if (status >= 0) {
        note_time(sensor, t_s);
    }
    return status;
}

static track_row_result_t between(track_job_t *self, track_sensor_t *a, track_sensor_t *b, double range_m, double std_m,
                                  double t_s)
{
    cast_t from_a, from_b;
    broadcast(self, a, t_s, &from_a);
    broadcast(self, b, t_s, &from_b);
    const uint8_t tie_a = a->id > b->id; /* in one place they part */
    const cairn_status status_a = to_sensor(self, a, &from_b, tie_a, range_m, std_m, t_s);
    const cairn_status status_b = to_sensor(self, b, &from_a, !tie_a, range_m, std_m, t_s);
    return status_a == CAIRN_REJECTED || status_b == CAIRN_REJECTED ? TRACK_ROW_DISBELIEVED
           : status_a == CAIRN_OK || status_b == CAIRN_OK           ? TRACK_ROW_USED
           : status_a < 0 || status_b < 0                           ? TRACK_ROW_REFUSED
                                                                    : TRACK_ROW_NO_PEER;
}

track_row_result_t track_job_range(track_job_t *self, double t_s, uint32_t a, uint32_t b, double range_m, double std_m,
                                   track_sensor_t **sensor)
{
    (void)time_us(self, t_s); /* the first one begins the clock */
    const bool a_known = track_job_is_anchor(self, a), b_known = track_job_is_anchor(self, b);
    *sensor = NULL;
    if ((a_known && b_known) || a == b) {
        return TRACK_ROW_NO_PEER;
    }
    *sensor = track_job_sensor(self, a_known ? b : a);
    if (*sensor == NULL) {
        return TRACK_ROW_REFUSED;
    }
    (*sensor)->ranged = true;
    if (a_known || b_known) {
        return to_anchor(self, *sensor, a_known ? a : b, range_m, std_m, t_s);
    }
    track_sensor_t *other = track_job_sensor(self, b);
    if (other == NULL) {
        return TRACK_ROW_REFUSED;
    }
    other->ranged = true;
    return between(self, *sensor, other, range_m, std_m, t_s);
}

bool track_job_place(const track_job_t *self, const track_sensor_t *sensor, double t_s, double *place_m, double *std_m,
                     cairn_real *cov_m2)
{
    cairn_real local_m[PLACES_DIM_MAX] = {0}, std = 0;
    const cairn_status status = cairn_track_get_place(&sensor->object.track, local_m, &std);
    if ((status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) || is_astray(self, sensor, t_s) ||
        cairn_track_get_covariance(&sensor->object.track, cov_m2) != CAIRN_OK) {
        return false;
    }
    for (size_t k = 0; k < self->cfg.dim; k++) {
        place_m[k] = (double)local_m[k] + self->origin_m[k];
    }
    *std_m = (double)std;
    return true;
}

double track_job_link_bias(const track_sensor_t *sensor, size_t link)
{
    return (double)(sensor->bias != NULL ? sensor->bias[link].bias_m
                                         : cairn_track_get_link_bias(&sensor->object.track, (uint8_t)link, NULL));
}

const char *track_job_state(const track_job_t *self, const track_sensor_t *sensor, double t_s)
{
    static const char *const names[] = {"unplaced", "placed", "doubtful", "starved", "flip_possible", "height"};
    track_job_t clock = *self;
    const uint32_t t_us = time_us(&clock, t_s);
    return names[is_astray(&clock, sensor, t_s) ? CAIRN_TRACK_UNPLACED
                                                : cairn_track_get_state(&sensor->object.track, &sensor->links, t_us)];
}
