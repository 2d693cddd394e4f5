/* SPDX-License-Identifier: MIT
 * Faults of tracking, each at every step of a scripted run: the run, and what must hold after a fault. */
#ifndef CAIRN_ORACLE_FAULTS_H
#define CAIRN_ORACLE_FAULTS_H

#include "oracle/drive.h"

enum { STEPS = 48, SETTLED = 16, JUDGED = 8 };

/* Within 3 deviations; and the mean over all steps that a fault begins at. */
static const cairn_real explained = 9, honest = 3;

static tag_t tag, copy, before;
static drive_t drive, drive_copy;
static cairn_real wide = 1;

/* A form of tracker that faults are tried on. Boards, where each takes a hundred times the time and gives the same bits, try
 * some. */
typedef struct form {
    uint8_t dim;
    cairn_track_motion motion;
    uint8_t n_link_biases; /* in the state */
    bool biased;           /* beside it */
    bool on_boards;
    cairn_real wide; /* largest error of forty drives without a fault, as a multiple of 1 m, where it is near that */
} form_t;

enum { N_FORMS = 11 };

static const form_t forms[N_FORMS] = {
    {2, CAIRN_TRACK_ODOMETRY, 0, false, true, 1},  {2, CAIRN_TRACK_DECAY, 0, false, true, 1},
    {2, CAIRN_TRACK_STILL, 0, false, false, 1},    {2, CAIRN_TRACK_ODOMETRY, 3, false, false, 1},
    {2, CAIRN_TRACK_DECAY, 0, true, false, 1},     {3, CAIRN_TRACK_DECAY, 0, false, true, 1},
    {3, CAIRN_TRACK_ODOMETRY, 0, false, false, 2}, {3, CAIRN_TRACK_STILL, 0, true, false, 3},
    {1, CAIRN_TRACK_ODOMETRY, 0, false, false, 1}, {1, CAIRN_TRACK_DECAY, 3, false, false, 1},
    {1, CAIRN_TRACK_STILL, 0, false, false, 1}};

/* Sets of them: a bit each. */
enum {
    IN_PLANE = 0x01F,
    IN_SPACE = 0x0E0,
    ON_LINE = 0x700,
    ALL_FORMS = IN_PLANE | IN_SPACE | ON_LINE,
    STEERED = 0x149,         /* with odometry */
    STEERED_TURNING = 0x049, /* and turns */
    STEERED_IN_PLANE = 0x009
};

/* A kind of fault: what it does to the copy of the tracker and to the drive of the copy, from a step on; in how many good
 * ranges the tracker is back; and the largest error that it then has. */
typedef struct fault {
    void (*happen)(uint32_t step);
    uint32_t first_step;
    uint32_t n_back;
    cairn_real error_m;
} fault_t;

static inline bool is_placed(const tag_t *self)
{
    cairn_real place_m[3];
    return cairn_track_get_place(&self->object.track, place_m, NULL) != CAIRN_UNPLACED;
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

/* e' C^-1 e per dimension, by the square root of C; -1 without a place. */
static inline cairn_real tag_normalized(const tag_t *self, const drive_t *from)
{
    const size_t dim = from->dim;
    cairn_real error_m[3], root[6];
    cairn_real sum = 0;
    if (cairn_track_get_covariance(&self->object.track, root) != CAIRN_OK ||
        cairn_track_get_place(&self->object.track, error_m, NULL) < 0) {
        return -1;
    }
    for (size_t i = 0; i < dim; ++i) {
        cairn_real *row = root + i * (i + 1u) / 2u;
        error_m[i] -= from->place_m[i];
        for (size_t j = 0; j <= i; ++j) {
            const cairn_real *other = root + j * (j + 1u) / 2u;
            for (size_t k = 0; k < j; ++k) {
                row[j] -= row[k] * other[k];
            }
            row[j] = j < i ? row[j] / other[j] : cairn_sqrt(row[j]);
        }
        for (size_t j = 0; j < i; ++j) {
            error_m[i] -= row[j] * error_m[j];
        }
        error_m[i] /= row[i];
        sum += error_m[i] * error_m[i];
    }
    return sum / (cairn_real)dim;
}

/* Good ranges until the tracker should be back: then its error is small, and what it says it is. */
static inline cairn_real come_back(const fault_t *fault)
{
    cairn_real normalized = 0, error_m = 0;
    for (uint32_t k = 0; k < fault->n_back + JUDGED; ++k) {
        tag_step(&copy, &drive_copy);
        if (k >= fault->n_back) {
            error_m = cairn_max(error_m, tag_error(&copy, &drive_copy, NULL));
            normalized += tag_normalized(&copy, &drive_copy) / JUDGED;
        }
    }
    check_sound(&copy);
    CHECK(is_placed(&copy));
    CHECK(error_m < fault->error_m * wide);
    CHECK(normalized < explained);
    return normalized;
}

/* Runs the script; from every step on, a copy meets the fault. */
static inline void check_form(const fault_t *fault, const cairn_track_cfg_t *cfg, uint32_t form)
{
    cairn_real normalized = 0;
    drive_init(&drive, cfg->dim, 11u);
    tag_init(&tag, cfg, &drive, forms[form].biased);
    uint32_t n_faults = 0;
    for (uint32_t step = 0; step < STEPS; ++step) {
        tag_step(&tag, &drive);
        tag_copy(&copy, &tag);
        drive_copy = drive;
        test_context("form and step", form * 100u + step);
        if (step >= fault->first_step && step % TEST_STRIDE == 0) {
            fault->happen(step);
            check_sound(&copy);
            normalized += fault->n_back > 0 ? come_back(fault) : 0;
            ++n_faults;
        }
    }
    CHECK(normalized < honest * (cairn_real)n_faults);
}

static inline void check_fault(const fault_t *fault, uint32_t set)
{
    for (uint32_t i = 0; i < N_FORMS; ++i) {
        const form_t *form = &forms[i];
        cairn_track_cfg_t cfg = tag_cfg(form->dim, form->motion);
        cfg.n_link_biases = form->n_link_biases;
        if (form->dim == 1u && form->motion == CAIRN_TRACK_DECAY) {
            cfg.noise_motion = 2; /* it turns round on the spot */
        }
        if ((set >> i & 1u) != 0 && (form->on_boards || BOARD_RAM_BYTES >= 1048576)) {
            wide = form->wide;
            check_form(fault, &cfg, i);
        }
    }
    wide = 1;
}

/* All bytes are as before, but that one more call was refused, and n_clocks more in a row for another clock. */
static inline void check_refused_only(uint8_t n_clocks)
{
    before.object.track.n_refused = (uint8_t)(before.object.track.n_refused + 1u);
    before.object.track.counts = (uint8_t)(before.object.track.counts + 16u * n_clocks);
    before.links.link = copy.links.link;
    CHECK_MEM(&copy, &before, sizeof copy);
}

static inline void check_untouched(void) { check_refused_only(0); }

/* A range that is refused, n_clocks: because of another clock. */
static inline void check_refused_for(uint8_t n_clocks, size_t link, cairn_real range_m, cairn_real std_m, uint32_t t_us,
                                     cairn_status expected)
{
    cairn_track_innovation_t innovation = {7, 7, 7, {7}};
    tag_copy(&before, &copy);
    CHECK_EQ(cairn_track_links_range(&copy.links, &copy.object.track, link, range_m, std_m, t_us, &innovation),
             expected);
    CHECK(innovation.weight == 7);
    check_refused_only(n_clocks);
}

static inline void check_refused(size_t link, cairn_real range_m, cairn_real std_m, uint32_t t_us,
                                 cairn_status expected)
{
    check_refused_for(0, link, range_m, std_m, t_us, expected);
}

/* A step whose range is another one, or said to be of another link. */
static inline void step_oddly(size_t link, cairn_real factor, cairn_real more_m)
{
    tag_move(&copy, &drive_copy);
    CHECK(tag_range(&copy, link, factor * drive_range(&drive_copy) + more_m, drive_copy.t_us) >= 0);
}

/* Ranges a hundred times too long. */
static inline void wild_fifty(uint32_t step)
{
    for (uint32_t k = 0; k < 50u; ++k) {
        step_oddly((step + k) % drive.n_anchors, 100, 0);
    }
}

/* Steps in which only the first anchors are heard; without a range, time passes. */
static inline void step_hearing(uint32_t n_steps, size_t n_heard)
{
    for (uint32_t k = 0; k < n_steps; ++k) {
        tag_move(&copy, &drive_copy);
        if (drive_link(&drive_copy) < n_heard) {
            CHECK(tag_range(&copy, drive_link(&drive_copy), drive_range(&drive_copy), drive_copy.t_us) >= 0);
        } else {
            CHECK_EQ(cairn_track_predict(&copy.object.track, drive_copy.t_us), CAIRN_OK);
        }
    }
}

#endif
