/* SPDX-License-Identifier: MIT
 * Robots that range each other. Each keeps its place and the bias of each of its links; every frame all of them work from
 * what the others broadcast after the frame before. */
#include "track_swarm.h"

#include <math.h>
#include <string.h>

#include "cairn/track.h"
#include "oracle/track.h"

enum { N = TRACK_ROBOTS, N_STARTS = 5, STATES = CAIRN_TRACK_STATES(2, CAIRN_TRACK_STILL, N - 1) };

static const size_t start_frames[N_STARTS] = {1, 250, 500, 750, 1000};
static const double start_std_m = 0.5;

/* Ultra-wideband indoors, robots at walking speed: ranges as delivered are .3 m too long, give or take .15 m. */
static cairn_track_cfg_t make_cfg(void)
{
    cairn_track_cfg_t cfg = cairn_track_cfg_default;
    cfg.motion = CAIRN_TRACK_STILL;
    cfg.n_link_biases = N - 1;
    cfg.noise_m = 0.2f;
    cfg.noise_motion = 0.3f;
    cfg.scale_std = 0;
    cfg.bias_std_m = 0;
    cfg.link_m = 0.3f;
    cfg.link_std_m = 0.15f;
    cfg.link_walk = 0.01f;
    return cfg;
}

typedef struct robots {
    cairn_track_cfg_t cfg;
    CAIRN_TRACK_OBJECT(STATES) tag[N];
    oracle_track_t oracle[N];
    bool is_known[N];
    double place_m[N][2];    /* estimate; of a known robot the truth */
    cairn_real cast_m[N][2]; /* last broadcast */
    cairn_real cast_m2[N][3];
    double oracle_cast_m[N][2];
    double oracle_cast_m2[N][3];
} robots_t;

/* Point at two distances from two others, on a side of the line from a to b. */
static void meet(const double *a_m, double range_a_m, const double *b_m, double range_b_m, double side, double *out_m)
{
    const double x = b_m[0] - a_m[0], y = b_m[1] - a_m[1], d = hypot(x, y);
    const double along = (d * d + range_a_m * range_a_m - range_b_m * range_b_m) / (2 * d);
    const double rest = range_a_m * range_a_m - along * along;
    const double across = side * (rest > 0 ? sqrt(rest) : 0.05);
    out_m[0] = a_m[0] + (along * x - across * y) / d;
    out_m[1] = a_m[1] + (along * y + across * x) / d;
}

static double side_of(const double *a_m, const double *b_m, const double *c_m)
{
    return (b_m[0] - a_m[0]) * (c_m[1] - a_m[1]) - (b_m[1] - a_m[1]) * (c_m[0] - a_m[0]) > 0 ? 1 : -1;
}

static void start(robots_t *self, const track_frame_t *frame, bool known)
{
    const double bias_m = (double)self->cfg.link_m;
    const double *a_m = frame->truth_m[0], *b_m = frame->truth_m[N - 1];
    memcpy(self->place_m[0], a_m, sizeof self->place_m[0]);
    memcpy(self->place_m[N - 1], b_m, sizeof self->place_m[0]);
    if (!known) { /* direction is free: it is taken from the truth so that sides mean the same */
        const double d = hypot(b_m[0] - a_m[0], b_m[1] - a_m[1]);
        for (size_t k = 0; k < 2; k++) {
            self->place_m[N - 1][k] = a_m[k] + (b_m[k] - a_m[k]) / d * (frame->range_m[0][N - 1] - bias_m);
        }
    }
    for (size_t i = 1; i + 1 < N; i++) {
        meet(self->place_m[0], frame->range_m[0][i] - bias_m, self->place_m[N - 1], frame->range_m[N - 1][i] - bias_m,
             side_of(a_m, b_m, frame->truth_m[i]), self->place_m[i]);
    }
    for (size_t i = 0; i < N; i++) {
        const cairn_real place_m[2] = {(cairn_real)self->place_m[i][0], (cairn_real)self->place_m[i][1]};
        const double oracle_m[3] = {(double)place_m[0], (double)place_m[1], 0};
        const uint32_t t_us = (uint32_t)(frame->t_s * 1e6);
        self->is_known[i] = known && (i == 0 || i == N - 1);
        cairn_status status = cairn_track_init(&self->tag[i].track, sizeof self->tag[i], &self->cfg);
        oracle_track_init(&self->oracle[i], &self->cfg, NULL, 0);
        if (status == CAIRN_OK) {
            status = cairn_track_set_place(&self->tag[i].track, place_m, (cairn_real)start_std_m, t_us);
        }
        oracle_track_set_place(&self->oracle[i], oracle_m, start_std_m, t_us * 1e-6);
        self->place_m[i][0] = status == CAIRN_OK ? self->place_m[i][0] : (double)NAN;
    }
}

static void broadcast(robots_t *self, const track_frame_t *frame)
{
    for (size_t i = 0; i < N; i++) {
        const oracle_track_t *oracle = &self->oracle[i];
        if (self->is_known[i] || cairn_track_get_place(&self->tag[i].track, self->cast_m[i], NULL) != CAIRN_OK ||
            cairn_track_get_covariance(&self->tag[i].track, self->cast_m2[i]) != CAIRN_OK) {
            self->cast_m[i][0] = (cairn_real)frame->truth_m[i][0];
            self->cast_m[i][1] = (cairn_real)frame->truth_m[i][1];
            self->oracle_cast_m[i][0] = (double)self->cast_m[i][0];
            self->oracle_cast_m[i][1] = (double)self->cast_m[i][1];
        } else {
            memcpy(self->oracle_cast_m[i], oracle->x, sizeof self->oracle_cast_m[i]);
            self->oracle_cast_m2[i][0] = oracle->p[0][0];
            self->oracle_cast_m2[i][1] = oracle->p[1][0];
            self->oracle_cast_m2[i][2] = oracle->p[1][1];
        }
    }
}

/* A robot takes its ranges of a frame. */
static void listen(robots_t *self, size_t i, const track_frame_t *frame)
{
    const uint32_t t_us = (uint32_t)(frame->t_s * 1e6);
    uint8_t link = 0;
    for (size_t j = 0; j < N; j++) {
        if (j == i) {
            continue;
        }
        const bool known = self->is_known[j];
        const cairn_track_peer_t peer = {self->cast_m[j], known ? NULL : self->cast_m2[j], link, (uint8_t)j};
        const cairn_real range_m = (cairn_real)frame->range_m[i][j];
        if (cairn_track_range(&self->tag[i].track, &peer, range_m, 0, t_us, NULL) >= 0) {
            (void)oracle_track_predict(&self->oracle[i], t_us * 1e-6);
            (void)oracle_track_fold(&self->oracle[i], self->oracle_cast_m[j], known ? NULL : self->oracle_cast_m2[j],
                                    link, (double)range_m, 0, NULL);
        }
        link++;
    }
}

typedef struct sums {
    double square_m2, nees, rigid_m2;
    size_t n, n_rigid;
} sums_t;

static void score_robot(robots_t *self, size_t i, const track_frame_t *frame, sums_t *sums, double *oracle_m)
{
    cairn_real place_m[2] = {0, 0}, c[3] = {0, 0, 0};
    if (cairn_track_get_place(&self->tag[i].track, place_m, NULL) != CAIRN_OK ||
        cairn_track_get_covariance(&self->tag[i].track, c) != CAIRN_OK) {
        sums->square_m2 = (double)NAN;
        return;
    }
    self->place_m[i][0] = (double)place_m[0];
    self->place_m[i][1] = (double)place_m[1];
    const double x = self->place_m[i][0] - frame->truth_m[i][0], y = self->place_m[i][1] - frame->truth_m[i][1];
    const double xx = (double)c[0], xy = (double)c[1], yy = (double)c[2];
    sums->square_m2 += x * x + y * y;
    sums->nees += (yy * x * x - 2 * xy * x * y + xx * y * y) / (xx * yy - xy * xy) / 2;
    sums->n++;
    const double apart_m =
        hypot(self->place_m[i][0] - self->oracle[i].x[0], self->place_m[i][1] - self->oracle[i].x[1]);
    *oracle_m = apart_m > *oracle_m ? apart_m : *oracle_m;
}

/* Sum of squared errors after the best rotation and shift, without reflection. */
static double rigid_square(double place_m[N][2], double truth_m[N][2])
{
    double centre[4] = {0, 0, 0, 0}, cosine = 0, sine = 0, sum = 0;
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < 2; k++) {
            centre[k] += place_m[i][k] / N;
            centre[2 + k] += truth_m[i][k] / N;
        }
    }
    for (size_t i = 0; i < N; i++) {
        const double x = place_m[i][0] - centre[0], y = place_m[i][1] - centre[1];
        const double u = truth_m[i][0] - centre[2], v = truth_m[i][1] - centre[3];
        cosine += x * u + y * v;
        sine += x * v - y * u;
    }
    const double length = hypot(cosine, sine);
    for (size_t i = 0; i < N; i++) {
        const double x = place_m[i][0] - centre[0], y = place_m[i][1] - centre[1];
        const double u = (cosine * x - sine * y) / length - (truth_m[i][0] - centre[2]);
        const double v = (sine * x + cosine * y) / length - (truth_m[i][1] - centre[3]);
        sum += u * u + v * v;
    }
    return sum;
}

static void run_start(const track_swarm_t *swarm, bool known, size_t first, track_swarm_score_t *score)
{
    static robots_t robots;
    sums_t sums = {0, 0, 0, 0, 0};
    memset(&robots, 0, sizeof robots);
    robots.cfg = make_cfg();
    start(&robots, &swarm->frame[first], known);
    for (size_t f = first; f < swarm->n_frames; f++) {
        track_frame_t *frame = &swarm->frame[f];
        broadcast(&robots, frame);
        for (size_t i = 0; i < N; i++) {
            if (robots.is_known[i]) {
                memcpy(robots.place_m[i], frame->truth_m[i], sizeof robots.place_m[i]);
            } else {
                listen(&robots, i, frame);
                score_robot(&robots, i, frame, &sums, &score->oracle_m);
            }
        }
        sums.rigid_m2 += rigid_square(robots.place_m, frame->truth_m);
        sums.n_rigid += N;
    }
    const double rmse_m = sqrt(sums.square_m2 / (double)sums.n);
    score->rmse_m += rmse_m / N_STARTS;
    score->worst_m = rmse_m > score->worst_m ? rmse_m : score->worst_m;
    score->nees += sums.nees / (double)sums.n / N_STARTS;
    score->rigid_rmse_m += sqrt(sums.rigid_m2 / (double)sums.n_rigid) / N_STARTS;
}

void track_swarm_run(const track_swarm_t *swarm, bool known, track_swarm_score_t *score)
{
    memset(score, 0, sizeof *score);
    for (size_t i = 0; i < N_STARTS; i++) {
        run_start(swarm, known, start_frames[i], score);
    }
}
