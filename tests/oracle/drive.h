/* SPDX-License-Identifier: MIT
 * A scripted drive for the tests of track: a sensor among anchors, odometry four times a second and one range after each,
 * made with + - * / and sqrt alone so that every target sees the same numbers. */
#ifndef CAIRN_ORACLE_DRIVE_H
#define CAIRN_ORACLE_DRIVE_H

#include <string.h>

#include "cairn/track.h"
#include "oracle/random.h"
#include "support/test.h"

enum { DRIVE_ANCHORS = 6, DRIVE_STEP_US = 250000 };

static const cairn_real drive_anchors_1d[DRIVE_ANCHORS] = {-20, 25, -30, 40, 15, -5};
static const cairn_real drive_anchors_2d[DRIVE_ANCHORS * 2] = {-20, -15, 22, -18, 18, 20, -24, 17, 1, 30, 3, -28};
static const cairn_real drive_anchors_3d[DRIVE_ANCHORS * 3] = {-20, -15, 0, 22, -18, 9,  18, 20,  1,
                                                               -24, 17,  8, 1,  30,  12, 3,  -28, -2};

typedef struct drive {
    cairn_rng_t rng;
    size_t dim;
    size_t n_anchors;
    const cairn_real *anchor_m;
    cairn_real place_m[3];
    cairn_real heading[2];
    cairn_real scale, bias_m, noise_m;
    cairn_real forward_m, turn_rad; /* of the last step */
    uint32_t t_us;
    uint32_t step;
} drive_t;

static inline void drive_init(drive_t *self, size_t dim, uint32_t seed)
{
    memset(self, 0, sizeof *self);
    cairn_rng_init(&self->rng, seed, 77u);
    self->dim = dim;
    self->n_anchors = DRIVE_ANCHORS;
    self->anchor_m = dim == 1u ? drive_anchors_1d : dim == 2u ? drive_anchors_2d : drive_anchors_3d;
    self->place_m[0] = -6, self->place_m[1] = dim > 1u ? 4 : 0, self->place_m[2] = dim > 2u ? 3 : 0;
    self->heading[0] = dim == 1u ? 1 : (cairn_real)0.6;
    self->heading[1] = dim == 1u ? 0 : (cairn_real)0.8;
    self->noise_m = (cairn_real)0.125;
    self->t_us = 5000000u;
}

/* Move by a quarter of a second: about 1 m/s, in bends; on a line back and forth. */
static inline void drive_step(drive_t *self)
{
    const uint32_t phase = self->step % 80u;
    ++self->step;
    self->t_us += DRIVE_STEP_US;
    self->forward_m = (cairn_real)0.25 + (cairn_real)0.05 * cairn_rng_uniform(&self->rng);
    if (self->dim == 1u) {
        self->forward_m = phase < 40u ? self->forward_m : -self->forward_m;
        self->turn_rad = 0;
        self->place_m[0] += self->forward_m;
        return;
    }
    self->turn_rad = phase < 10u ? 0 : phase < 50u ? (cairn_real)0.08 : (cairn_real)-0.06;
    /* rotation by half the turn, twice: tangent of a quarter to the third order */
    const cairn_real quarter = self->turn_rad / 4;
    const cairn_real t = quarter + quarter * quarter * quarter / 3;
    const cairn_real c = (1 - t * t) / (1 + t * t), s = 2 * t / (1 + t * t);
    for (int half = 0; half < 2; ++half) {
        const cairn_real x = self->heading[0], y = self->heading[1];
        self->heading[0] = c * x - s * y;
        self->heading[1] = s * x + c * y;
        if (half == 0) {
            self->place_m[0] += self->forward_m * self->heading[0];
            self->place_m[1] += self->forward_m * self->heading[1];
        }
    }
}

static inline size_t drive_link(const drive_t *self) { return self->step % self->n_anchors; }

/* Range to the anchor whose turn it is. */
static inline cairn_real drive_range(drive_t *self)
{
    const cairn_real d = cairn_distance(self->place_m, self->anchor_m + drive_link(self) * self->dim, self->dim);
    const cairn_real range_m = d * (1 + self->scale) + self->bias_m + self->noise_m * random_normal(&self->rng);
    return cairn_max(range_m, (cairn_real)0.05);
}

/* A tracker with its links, room for every form the tests use. */
typedef struct tag {
    CAIRN_TRACK_OBJECT(9) object;
    cairn_track_links_t links;
    cairn_track_link_t link[DRIVE_ANCHORS];
    cairn_track_bias_t bias[DRIVE_ANCHORS];
    bool biased;
} tag_t;

static inline cairn_track_cfg_t tag_cfg(size_t dim, cairn_track_motion motion)
{
    cairn_track_cfg_t cfg = cairn_track_cfg_default;
    cfg.dim = (uint8_t)dim;
    cfg.motion = (uint8_t)motion;
    cfg.noise_m = (cairn_real)0.15;
    cfg.scale_std = (cairn_real)0.02;
    cfg.bias_std_m = dim == 3u ? 0 : (cairn_real)0.25;
    cfg.noise_motion = motion == CAIRN_TRACK_STILL ? 1 : cfg.noise_motion;
    return cfg;
}

static inline void tag_init(tag_t *self, const cairn_track_cfg_t *cfg, const drive_t *drive, bool biases)
{
    memset(self, 0, sizeof *self);
    CHECK_EQ(cairn_track_init(&self->object.track, sizeof self->object, cfg), CAIRN_OK);
    CHECK_EQ(cairn_track_links_init(&self->links, drive->anchor_m, self->link, drive->n_anchors), CAIRN_OK);
    CHECK_EQ(cairn_track_bias_init(self->bias, drive->n_anchors, cfg), CAIRN_OK);
    self->biased = biases;
}

/* The links point into the tag: a copy must point into itself. */
static inline void tag_copy(tag_t *self, const tag_t *from)
{
    memcpy(self, from, sizeof *self);
    self->links.link = self->link;
}

static inline cairn_status tag_range(tag_t *self, size_t link, cairn_real range_m, uint32_t t_us)
{
    return self->biased
               ? cairn_track_bias_range(self->bias, &self->links, &self->object.track, link, range_m, 0, t_us, NULL)
               : cairn_track_links_range(&self->links, &self->object.track, link, range_m, 0, t_us, NULL);
}

/* One step of a drive without its range: the odometry, where there is some. */
static inline void tag_move(tag_t *self, drive_t *drive)
{
    drive_step(drive);
    if (self->object.track.cfg->motion == CAIRN_TRACK_ODOMETRY) {
        CHECK_EQ(cairn_track_odometry(&self->object.track, drive->forward_m, drive->turn_rad, drive->t_us), CAIRN_OK);
    }
}

/* One step of a drive into a tag. */
static inline void tag_step(tag_t *self, drive_t *drive)
{
    tag_move(self, drive);
    CHECK(tag_range(self, drive_link(drive), drive_range(drive), drive->t_us) >= 0);
}

/* Distance from the truth; -1 without a place. */
static inline cairn_real tag_error(const tag_t *self, const drive_t *drive, cairn_real *std_m)
{
    cairn_real place_m[3] = {0};
    const cairn_status status = cairn_track_get_place(&self->object.track, place_m, std_m);
    if (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) {
        return -1;
    }
    return cairn_distance(place_m, drive->place_m, drive->dim);
}

static inline uint32_t tag_hash(const tag_t *self)
{
    const cairn_track_t *track = &self->object.track;
    const size_t n = CAIRN_TRACK_STATES(track->cfg->dim, track->cfg->motion, track->cfg->n_link_biases);
    uint32_t hash = hash_u32(HASH_START, track->t_us);
    hash = hash_float(hash_u32(hash, track->counts), (float)track->kappa);
    hash = hash_u32(hash, self->links.n_found[0] + 256u * self->links.n_found[1] + 65536u * track->flags);
    for (size_t i = 0; i < CAIRN_TRACK_REALS(n); ++i) {
        hash = hash_float(hash, (float)self->object.state[i]);
    }
    return hash;
}

#endif
