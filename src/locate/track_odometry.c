/* SPDX-License-Identifier: MIT
 * Tracking: a piece of odometry. With the heading as a free vector h, p += forward R(turn / 2) h and h = R(turn) h are
 * linear in the state: no heading hypothesis, no linearisation. */
#include "locate/track_internal.h"

#define TURN_MAX_RAD 3.1415928f

void cairn_track_rotation(cairn_real angle_rad, cairn_real *cosine, cairn_real *sine)
{
    /* tangent of half the angle, within pi / 4, by a continued fraction (error 3e-7); any tangent gives a rotation */
    const cairn_real half = 0.5f * angle_rad;
    const cairn_real square = half * half;
    const cairn_real tangent = half * (945 + square * (square - 105)) / (945 + square * (15 * square - 420));
    const cairn_real scale = 1 / (1 + tangent * tangent);

    *cosine = (1 - tangent * tangent) * scale;
    *sine = 2 * tangent * scale;
}

/* The step as a matrix: place += step x heading, heading = turn x heading. */
typedef struct motion {
    cairn_real step_cosine, step_sine; /* forward x rotation by half the turn */
    cairn_real turn_cosine, turn_sine;
} motion_t;

static void turn_pair(cairn_real *x, cairn_real *y, cairn_real cosine, cairn_real sine)
{
    const cairn_real before = *x;

    *x = cosine * before - sine * *y;
    *y = sine * before + cosine * *y;
}

/* A column of the covariance outside of place and heading, or the state itself. */
static void move_column(cairn_real *px, cairn_real *py, cairn_real *hx, cairn_real *hy, const motion_t *motion)
{
    *px += motion->step_cosine * *hx - motion->step_sine * *hy;
    *py += motion->step_sine * *hx + motion->step_cosine * *hy;
    turn_pair(hx, hy, motion->turn_cosine, motion->turn_sine);
}

/* Blocks place-place, place-heading, heading-heading; hx and hy are the rows of the heading. */
static void move_blocks(cairn_real *covariance, cairn_real *hx, cairn_real *hy, size_t first, const motion_t *motion)
{
    const cairn_real c = motion->step_cosine, s = motion->step_sine;
    const cairn_real xx = hx[first], xy = hy[first], yy = hy[first + 1u];
    const cairn_real px_hx = hx[0] + c * xx - s * xy; /* place-heading after the step, before the turn */
    const cairn_real px_hy = hy[0] + c * xy - s * yy;
    const cairn_real py_hx = hx[1] + s * xx + c * xy;
    const cairn_real py_hy = hy[1] + s * xy + c * yy;

    covariance[0] += c * (hx[0] + px_hx) - s * (hy[0] + px_hy);
    covariance[1] += c * py_hx - s * py_hy + s * hx[0] + c * hy[0];
    covariance[2] += s * (hx[1] + py_hx) + c * (hy[1] + py_hy);
    hx[0] = px_hx;
    hy[0] = px_hy;
    hx[1] = py_hx;
    hy[1] = py_hy;
    turn_pair(&hx[0], &hy[0], motion->turn_cosine, motion->turn_sine);
    turn_pair(&hx[1], &hy[1], motion->turn_cosine, motion->turn_sine);
    const cairn_real tc = motion->turn_cosine, ts = motion->turn_sine;
    hx[first] = tc * (tc * xx - ts * xy) - ts * (tc * xy - ts * yy);
    hy[first] = ts * (tc * xx - ts * xy) + tc * (tc * xy - ts * yy);
    hy[first + 1u] = ts * (ts * xx + tc * xy) + tc * (ts * xy + tc * yy);
}

/* Plane and space. */
static void move_turning(cairn_track_t *self, const motion_t *motion)
{
    const size_t dim = self->cfg->dim, first = dim + 2u, n = first + 2u + self->cfg->n_link_biases;
    cairn_real *x = track_states(self);
    cairn_real *covariance = x + n;
    cairn_real *hx = covariance + track_row(first);
    cairn_real *hy = covariance + track_row(first + 1u);

    move_blocks(covariance, hx, hy, first, motion);
    for (size_t j = 2; j < first; ++j) {
        cairn_real *row = covariance + track_row(j);
        move_column(&row[0], &row[1], &hx[j], &hy[j], motion);
    }
    for (size_t j = first + 2u; j < n; ++j) {
        cairn_real *row = covariance + track_row(j);
        move_column(&row[0], &row[1], &row[first], &row[first + 1u], motion);
    }
    move_column(&x[0], &x[1], &x[first], &x[first + 1u], motion);
}

/* On a line: place, scale, bias, heading, links. */
static void move_along(cairn_track_t *self, cairn_real forward_m)
{
    const size_t n = 4u + self->cfg->n_link_biases;
    cairn_real *x = track_states(self);
    cairn_real *covariance = x + n;
    cairn_real *heading = covariance + track_row(3);

    covariance[0] += forward_m * (2 * heading[0] + forward_m * heading[3]);
    heading[0] += forward_m * heading[3];
    covariance[track_row(1)] += forward_m * heading[1];
    covariance[track_row(2)] += forward_m * heading[2];
    for (size_t j = 4; j < n; ++j) {
        covariance[track_row(j)] += forward_m * covariance[track_row(j) + 3u];
    }
    x[0] += forward_m * x[3];
}

/* Slip of the wheels along and drift of the heading, which turns h and so acts across it. */
static void add_noise(cairn_track_t *self, cairn_real forward_m, cairn_real dt_s)
{
    const cairn_track_cfg_t *cfg = self->cfg;
    const size_t first = cfg->dim + 2u;
    const cairn_real kappa = self->kappa;
    const cairn_real var_m2 = kappa * cfg->odometry_forward * cfg->odometry_forward * cairn_abs(forward_m);
    const cairn_real var_turn = kappa * (cfg->odometry_turn * cfg->odometry_turn * cairn_abs(forward_m) +
                                         cfg->odometry_drift * cfg->odometry_drift * dt_s);
    const cairn_real *x = track_states(self);
    cairn_real *covariance = track_states(self) + track_n_states(cfg);

    for (size_t i = 0; i < cfg->dim; ++i) {
        covariance[track_row(i) + i] += var_m2;
    }
    if (cfg->dim > 1u) {
        const cairn_real hx = x[first], hy = x[first + 1u];
        covariance[track_row(first) + first] += var_turn * hy * hy;
        covariance[track_row(first + 1u) + first] -= var_turn * hx * hy;
        covariance[track_row(first + 1u) + first + 1u] += var_turn * hx * hx;
    }
}

static cairn_status check_odometry(cairn_track_t *self, cairn_real forward_m, cairn_real turn_rad)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->cfg->motion != CAIRN_TRACK_ODOMETRY) {
        return CAIRN_ERR_STATE;
    }
    if (!cairn_isfinite(forward_m) || !cairn_isfinite(turn_rad)) {
        return cairn_track_refuse(self, CAIRN_ERR_NONFINITE);
    }
    if (cairn_abs(forward_m) > self->cfg->range_max_m ||
        cairn_abs(turn_rad) > (self->cfg->dim == 1u ? 0.0f : TURN_MAX_RAD)) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

cairn_status cairn_track_odometry(cairn_track_t *self, cairn_real forward_m, cairn_real turn_rad, uint32_t t_us)
{
    cairn_real dt_s = 0;
    cairn_status status = check_odometry(self, forward_m, turn_rad);

    if (status == CAIRN_OK) {
        status = cairn_track_check_time(self, t_us, &dt_s);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    cairn_track_advance(self, t_us, dt_s);
    if (self->cfg->dim == 1u) {
        move_along(self, forward_m);
    } else {
        motion_t motion;
        cairn_track_rotation(0.5f * turn_rad, &motion.step_cosine, &motion.step_sine);
        motion.turn_cosine = motion.step_cosine;
        motion.turn_sine = motion.step_sine;
        turn_pair(&motion.turn_cosine, &motion.turn_sine, motion.step_cosine, motion.step_sine);
        motion.step_cosine *= forward_m;
        motion.step_sine *= forward_m;
        move_turning(self, &motion);
    }
    add_noise(self, forward_m, cairn_max(dt_s, 0));
    return CAIRN_OK;
}
