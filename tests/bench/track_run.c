/* SPDX-License-Identifier: MIT
 * A recorded drive played to the library and to the double reference. */
#include "track_run.h"

#include <math.h>
#include <string.h>

#include "memory.h"

enum { SEED = 7 };

static const double lead_s = 1; /* times of the tracker begin this long before the drive */

double track_score_rmse(const track_score_t *score) { return sqrt(score->square_m2 / (double)score->n); }

double track_score_nees(const track_score_t *score) { return score->nees / (double)score->n; }

double track_score_lost(const track_score_t *score)
{
    return (double)score->n_lost / (double)(score->n + score->n_lost);
}

void track_run_init(track_run_t *self, const track_drive_t *drive, const cairn_track_cfg_t *cfg)
{
    memset(self, 0, sizeof *self);
    self->drive = drive;
    self->cfg = *cfg;
    self->shift_s =
        lead_s - (drive->odometry[0].t_s < drive->range[0].t_s ? drive->odometry[0].t_s : drive->range[0].t_s);
    self->t_s = drive->odometry[0].t_s;
    cairn_rng_init(&self->rng, SEED, 1);
    for (size_t i = 0; i < drive->n_anchors * 2; i++) {
        self->anchor_m[i] = (cairn_real)drive->anchor_m[i / 2][i % 2];
        self->oracle_anchor_m[i] = (double)self->anchor_m[i];
    }
    self->last = cairn_track_init(&self->tag.track, sizeof self->tag, &self->cfg);
    if (self->last == CAIRN_OK) {
        self->last = cairn_track_links_init(&self->links, self->anchor_m, self->link, drive->n_anchors);
    }
    oracle_track_init(&self->oracle, &self->cfg, self->oracle_anchor_m, drive->n_anchors);
}

static uint32_t time_us(const track_run_t *self, double t_s) { return (uint32_t)((t_s + self->shift_s) * 1e6); }

void track_run_start_known(track_run_t *self, double std_m)
{
    const double *truth_m = self->drive->truth[0].place_m;
    const cairn_real place_m[2] = {(cairn_real)truth_m[0], (cairn_real)truth_m[1]};
    const double oracle_m[3] = {(double)place_m[0], (double)place_m[1], 0};
    const uint32_t t_us = time_us(self, self->t_s);
    self->last = cairn_track_set_place(&self->tag.track, place_m, (cairn_real)std_m, t_us);
    oracle_track_set_place(&self->oracle, oracle_m, (double)(cairn_real)std_m, t_us * 1e-6);
}

void track_run_jump(track_run_t *self, double t_s)
{
    self->shift_s -= t_s - self->t_s;
    while (self->range_at < self->drive->n_ranges && self->drive->range[self->range_at].t_s < t_s) {
        self->range_at++;
    }
    while (self->odometry_at < self->drive->n_odometry && self->drive->odometry[self->odometry_at].t_s < t_s) {
        self->odometry_at++;
    }
    self->t_s = t_s;
}

double track_run_error(const track_run_t *self, double *std_m)
{
    cairn_real place_m[2], std = 0;
    double truth_m[2];
    const cairn_status status = cairn_track_get_place(&self->tag.track, place_m, &std);
    if (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) {
        return -1;
    }
    track_drive_truth(self->drive, self->t_s, truth_m);
    if (std_m != NULL) {
        *std_m = (double)std;
    }
    return hypot((double)place_m[0] - truth_m[0], (double)place_m[1] - truth_m[1]);
}

static void add_score(track_run_t *self)
{
    cairn_real place_m[2], cov_m2[3];
    double truth_m[2], std_m;
    const double error_m = track_run_error(self, &std_m);
    if (error_m < 0 || cairn_track_get_covariance(&self->tag.track, cov_m2) != CAIRN_OK) {
        *(self->score.n > 0 ? &self->score.n_lost : &self->score.n_early) += 1;
        return;
    }
    const cairn_status status = cairn_track_get_place(&self->tag.track, place_m, NULL);
    track_drive_truth(self->drive, self->t_s, truth_m);
    const double x = (double)place_m[0] - truth_m[0], y = (double)place_m[1] - truth_m[1];
    const double xx = (double)cov_m2[0], xy = (double)cov_m2[1], yy = (double)cov_m2[2];
    track_score_t *score = &self->score;
    score->n += status >= 0;
    score->square_m2 += error_m * error_m;
    score->max_m = error_m > score->max_m ? error_m : score->max_m;
    score->nees += (yy * x * x - 2 * xy * x * y + xx * y * y) / (xx * yy - xy * xy) / 2;
    score->std_m += std_m;
    const double apart_m = self->oracle.placed
                               ? hypot((double)place_m[0] - self->oracle.x[0], (double)place_m[1] - self->oracle.x[1])
                               : 1e9;
    score->oracle_m = apart_m > score->oracle_m ? apart_m : score->oracle_m;
}

static track_event_t play_odometry(track_run_t *self)
{
    const track_odometry_row_t *row = &self->drive->odometry[self->odometry_at++];
    self->t_s = row->t_s;
    if (self->cfg.motion == CAIRN_TRACK_ODOMETRY) {
        const cairn_real forward_m = (cairn_real)row->forward_m, turn_rad = (cairn_real)row->turn_rad;
        const uint32_t t_us = time_us(self, row->t_s);
        self->last = cairn_track_odometry(&self->tag.track, forward_m, turn_rad, t_us);
        (void)oracle_track_odometry(&self->oracle, (double)forward_m, (double)turn_rad, t_us * 1e-6);
        add_score(self);
    } else if (self->ask) {
        const uint32_t t_us = time_us(self, row->t_s);
        self->last = cairn_track_predict(&self->tag.track, t_us);
        (void)oracle_track_predict(&self->oracle, t_us * 1e-6);
        add_score(self);
    }
    return TRACK_EVENT_ODOMETRY;
}

static track_event_t play_range(track_run_t *self)
{
    const track_range_row_t *row = &self->drive->range[self->range_at++];
    double range_m = row->range_m;
    if ((double)cairn_rng_uniform(&self->rng) < self->wild_share) {
        range_m += 2 - 15 * log(1 - (double)cairn_rng_uniform(&self->rng));
    }
    const cairn_real given_m = (cairn_real)range_m;
    const uint32_t t_us = time_us(self, row->t_s);
    self->last = cairn_track_links_range(&self->links, &self->tag.track, row->anchor, given_m, 0, t_us, NULL);
    (void)oracle_track_range(&self->oracle, row->anchor, (double)given_m, 0, t_us * 1e-6);
    if (self->last >= 0) {
        self->t_s = row->t_s > self->t_s || self->cfg.motion != CAIRN_TRACK_ODOMETRY ? row->t_s : self->t_s;
        add_score(self);
    }
    return TRACK_EVENT_RANGE;
}

track_event_t track_run_next(track_run_t *self)
{
    const track_drive_t *drive = self->drive;
    for (;;) {
        const bool ranges = self->range_at < drive->n_ranges, odometry = self->odometry_at < drive->n_odometry;
        if (odometry && (!ranges || drive->odometry[self->odometry_at].t_s <= drive->range[self->range_at].t_s)) {
            return play_odometry(self);
        }
        if (!ranges) {
            return TRACK_EVENT_END;
        }
        if (!self->mute[drive->range[self->range_at].anchor]) {
            return play_range(self);
        }
        self->range_at++;
    }
}
