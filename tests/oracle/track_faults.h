/* SPDX-License-Identifier: MIT
 * Faults of tracking, each at every step of a scripted run: the run, and what must hold after a fault. */
#ifndef CAIRN_ORACLE_FAULTS_H
#define CAIRN_ORACLE_FAULTS_H

#include "oracle/drive.h"

enum { STEPS = 60, SETTLED = 16, RECOVERY = 40 };

static tag_t tag, copy, before;
static drive_t drive, drive_copy;

/* Runs the script; calls a fault after every step, on a copy. */
static inline void at_every_step(const cairn_track_cfg_t *cfg, void (*fault)(uint32_t step))
{
    drive_init(&drive, cfg->dim, 11u);
    tag_init(&tag, cfg, &drive, false);
    for (uint32_t k = 0; k < STEPS; ++k) {
        tag_step(&tag, &drive);
        tag_copy(&copy, &tag);
        drive_copy = drive;
        test_context("step", k);
        fault(k);
    }
}

static inline void at_every_step_of_all(void (*fault)(uint32_t step))
{
    cairn_track_cfg_t cfg = tag_cfg(2u, CAIRN_TRACK_ODOMETRY);
    at_every_step(&cfg, fault);
    cfg = tag_cfg(2u, CAIRN_TRACK_DECAY);
    at_every_step(&cfg, fault);
    cfg = tag_cfg(3u, CAIRN_TRACK_DECAY);
    at_every_step(&cfg, fault);
}

static inline bool is_placed(const tag_t *self)
{
    cairn_real place_m[3];
    return cairn_track_get_place(&self->object.track, place_m, NULL) != CAIRN_UNPLACED;
}

/* All bytes but the counters of refused calls and of other clocks are as before; n_refused has grown by 1. */
static inline void check_untouched(void)
{
    CHECK_EQ(cairn_track_get_refused(&copy.object.track), cairn_track_get_refused(&before.object.track) + 1);
    copy.object.track.n_refused = before.object.track.n_refused;
    copy.object.track.counts = before.object.track.counts;
    before.links.link = copy.links.link;
    CHECK_MEM(&copy, &before, sizeof copy);
}

static inline void check_refused(size_t link, cairn_real range_m, cairn_real std_m, uint32_t t_us,
                                 cairn_status expected)
{
    cairn_track_innovation_t innovation = {7, 7, 7, {7}};
    tag_copy(&before, &copy);
    CHECK_EQ(cairn_track_links_range(&copy.links, &copy.object.track, link, range_m, std_m, t_us, &innovation),
             expected);
    CHECK(innovation.weight == 7);
    check_untouched();
}

/* Every number of the state is finite and the variances are not negative. */
static inline void check_sound(const tag_t *self)
{
    const cairn_track_cfg_t *cfg = self->object.track.cfg;
    const size_t n = CAIRN_TRACK_STATES(cfg->dim, cfg->motion, cfg->n_link_biases);
    CHECK(cairn_all_finite(self->object.state, CAIRN_TRACK_REALS(n)));
    for (size_t i = 0; i < n; ++i) {
        CHECK(self->object.state[n + i * (i + 1u) / 2u + i] >= 0);
    }
}

/* Within n more steps the error is explained by the stated deviation, and small. */
static inline void check_recovery(uint32_t n_steps, cairn_real limit_m)
{
    cairn_real std_m = 0;
    for (uint32_t k = 0; k < n_steps; ++k) {
        tag_step(&copy, &drive_copy);
    }
    check_sound(&copy);
    const cairn_real error_m = tag_error(&copy, &drive_copy, &std_m);
    CHECK(error_m >= 0 && error_m < limit_m);
}

#endif
