/* SPDX-License-Identifier: MIT
 * A node that moves: its place goes on with time and follows each range when it comes, as a Kalman filter does; a tick fits
 * it once more to all ranges and far nodes. So it knows all that was heard when it is asked, and ranges are compared with
 * places of their own instant. The velocity takes a fixed share of each correction. What neighbours tell is no independent
 * knowledge: errors that they share have no time to die away while nodes move. So the mean of their variances is added to
 * the broadcast deviation (who is near an anchor pulls the others), and corrections are made longer than a filter's, for
 * neighbours lag behind, too. */
#include "node/node_internal.h"

#define OVER          1.1f  /* of a correction, into the place ... */
#define OVER_KEPT     0.6f  /* ... and of a movement that goes on */
#define VELOCITY_GAIN 0.4f  /* of a correction, into the velocity */
#define DRIFT         2.0f  /* of a movement's variance, into that of the place each round */
#define JUMP          0.35f /* of a movement's variance, of each of two that moves: anchors do not */
#define NEAREST       0.35f /* R: nearest distance at which noise is taken */
#define LOSS2         9.0f  /* deviations^2 at which a range weighs half */
#define ROUNDS_MEAN   16u   /* in the length of a round */

bool cairn_node_follows(const cairn_node_t *self)
{
    return cairn_node_moves(self) && self->rounds_loose >= SPRING_ROUNDS && self->stage >= CAIRN_STAGE_LOOSE &&
           self->stage <= CAIRN_STAGE_PLACED;
}

/* Time passes, a round at most at once: a clock that stands counts a round each time. */
static void go_on(cairn_node_t *self)
{
    const uint32_t since_us = self->t_us - self->moved_us;
    cairn_real rounds = 1;
    cairn_real drift_m2;

    self->moved_us = self->t_us;
    if (since_us < self->round_us) {
        rounds = (cairn_real)since_us / (cairn_real)self->round_us;
    }
    cairn_node_shift(self->place_m, rounds, self->velocity_m);
    if (!(self->covariance_m2[0] > 0)) {
        self->covariance_m2[0] = self->std_m * self->std_m;
        self->covariance_m2[1] = 0;
        self->covariance_m2[2] = self->covariance_m2[0];
    }
    drift_m2 = DRIFT * rounds * self->cfg->move_m * self->cfg->move_m;
    self->covariance_m2[0] += drift_m2;
    self->covariance_m2[2] += drift_m2;
}

/* The mean of the first rounds, then one that forgets. */
static void measure_round(cairn_node_t *self)
{
    const uint32_t since_us = self->t_us - self->ticked_us;

    self->ticked_us = self->t_us;
    if (self->rounds > 1) {
        const uint32_t n = self->rounds > ROUNDS_MEAN ? ROUNDS_MEAN : self->rounds - 1u;
        self->round_us += since_us / n - self->round_us / n;
    }
}

void cairn_node_begin_round(cairn_node_t *self)
{
    measure_round(self);
    if (cairn_node_follows(self)) {
        go_on(self);
        cairn_node_shift(self->velocity_m, self->cfg->move_keep - 1, self->velocity_m);
    }
}

void cairn_node_follow(cairn_node_t *self, const cairn_node_neighbour_t *neighbour)
{
    const cairn_real std_m = DEVIATION_UNIT * self->cfg->radius_m * cairn_beacon_deviation(neighbour->deviation);
    cairn_real *p = self->covariance_m2;
    cairn_real place_m[2];
    cairn_real u[2];
    cairn_real toward[2];
    cairn_real distance_m;
    cairn_real residual_m;
    cairn_real own2;
    cairn_real variance;
    cairn_real gain;

    if (!cairn_node_follows(self) || !cairn_node_usable(neighbour)) {
        return;
    }
    go_on(self);
    cairn_node_to_metres(self, neighbour->place, place_m);
    distance_m = cairn_node_direction(self, neighbour->id, self->place_m, place_m, u);
    variance = cairn_node_variance(self, cairn_max(NEAREST * self->cfg->radius_m, distance_m));
    variance += std_m * std_m + (node_is_anchor(neighbour) ? JUMP : 2 * JUMP) * self->cfg->move_m * self->cfg->move_m;
    residual_m = neighbour->range_m - distance_m;
    toward[0] = p[0] * u[0] + p[1] * u[1];
    toward[1] = p[1] * u[0] + p[2] * u[1];
    own2 = toward[0] * u[0] + toward[1] * u[1];
    variance += variance * residual_m * residual_m / (LOSS2 * (own2 + variance)) + own2;
    p[0] -= toward[0] * toward[0] / variance;
    p[1] -= toward[0] * toward[1] / variance;
    p[2] -= toward[1] * toward[1] / variance;
    gain = residual_m / variance;
    cairn_node_shift(self->place_m, (OVER + OVER_KEPT * self->cfg->move_keep) * gain, toward);
    cairn_node_shift(self->velocity_m, VELOCITY_GAIN * self->cfg->move_keep * gain, toward);
    if (self->axis) {
        self->place_m[1] = 0;
        self->velocity_m[1] = 0;
    }
}
