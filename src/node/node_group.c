/* SPDX-License-Identifier: MIT
 * Group mirror test: a part of the map that lies mirrored cannot be turned by one node, since its neighbours hold it.
 * A node proposes an axis; the nodes near it on its side each tell what their mirror image would cost; if the sum is
 * below what it is now, they all go there. Members follow from geometry: no list is sent. A vote that does not arrive
 * cancels the test. */
#include "node/node_internal.h"

enum {
    FLIP_IDLE = 0,
    FLIP_TRY = 1,
    FLIP_PROPOSED = 2,
    FLIP_MEMBER = 3,
    FLIP_VOTED = 4,
    FLIP_COMMIT = 5,
    FLIP_JUMP = 6
};

#define TEST_EVERY      8u /* rounds between a node's own tests */
#define TRY_ROUNDS      4u /* evaluations of a vote, one a round */
#define PROPOSE_SAYS    2u
#define VOTE_SAYS       3u
#define COMMIT_SAYS     3u
#define PROPOSE_WAIT    12u /* rounds until all votes must be there */
#define VOTED_WAIT      14u
#define JUMP_ROUNDS     2u
#define ELONGATED       0.3f /* eigenvalues of the points outside: above this ratio they give no axis */
#define OWN_LIMIT       0.5f /* a node whose own difference is above does not propose */
#define SUM_LIMIT       (-2.0f)
#define VOTE_STEPS      16    /* of the difference on air */
#define VOTE_MAX        50.0f /* one vote cannot force a flip that costs the others more */
#define DIRECTION_STEPS 127
#define STEP_MAX        0.5f /* R */

/* Whether a place lies in the group: near its centre, on its side of the axis. */
bool cairn_node_is_member(const cairn_node_t *self, const cairn_node_flip_t *flip, const cairn_real *at_m)
{
    const cairn_real radius_m = 0.25f * (cairn_real)flip->radius * self->cfg->radius_m;
    const cairn_real x = at_m[0] - flip->centre_m[0];
    const cairn_real y = at_m[1] - flip->centre_m[1];
    const cairn_real side =
        flip->direction[0] * (at_m[1] - flip->axis_m[1]) - flip->direction[1] * (at_m[0] - flip->axis_m[0]);

    return x * x + y * y <= radius_m * radius_m && (side > 0) == (flip->left != 0);
}

static bool is_member_neighbour(const cairn_node_t *self, const cairn_node_neighbour_t *neighbour)
{
    cairn_real at_m[2];

    cairn_node_to_metres(self, neighbour->place, at_m);
    return cairn_node_usable(neighbour) && neighbour->stage != CAIRN_STAGE_ANCHOR &&
           cairn_node_is_member(self, &self->flip, at_m);
}

static void enter(cairn_node_t *self, uint8_t phase)
{
    self->flip.phase = phase;
    self->flip.rounds = 0;
    self->flip.said = 0;
}

/* Points outside the group and near it: what the axis must leave in place. */
static void scatter_outside(const cairn_node_t *self, cairn_real *sums)
{
    const cairn_real inner_m = 0.25f * (cairn_real)self->flip.radius * self->cfg->radius_m;
    const cairn_real outer_m = inner_m + self->cfg->radius_m;
    const uint8_t n_neighbours = self->memory.n_neighbours;

    for (uint8_t i = 0; i < n_neighbours + self->memory.n_far; ++i) {
        const bool near = i < n_neighbours;
        const cairn_node_far_t *far = &self->memory.far[near ? 0 : i - n_neighbours];
        const bool known = near ? cairn_node_usable(&self->memory.neighbours[i]) : far->age != NODE_FREE;
        cairn_real at_m[2];
        cairn_real x;
        cairn_real y;
        cairn_node_to_metres(self, near ? self->memory.neighbours[i].place : far->place, at_m);
        x = at_m[0] - self->place_m[0];
        y = at_m[1] - self->place_m[1];
        if (known && x * x + y * y > inner_m * inner_m && x * x + y * y < outer_m * outer_m) {
            cairn_node_scatter(self, at_m, sums);
        }
    }
}

/* The axis as it goes on air, so that all reckon with the same. */
static void set_axis(cairn_node_t *self, const int16_t *axis, const int8_t *direction)
{
    cairn_node_flip_t *flip = &self->flip;
    const cairn_real x = (cairn_real)direction[0];
    const cairn_real y = (cairn_real)direction[1];
    const cairn_real length = cairn_sqrt(x * x + y * y) + 1.0e-6f;

    cairn_node_to_metres(self, axis, flip->axis_m);
    flip->direction[0] = x / length;
    flip->direction[1] = y / length;
}

static void start_try(cairn_node_t *self, uint8_t phase)
{
    cairn_node_flip_t *flip = &self->flip;

    flip->trial_m[0] = self->place_m[0];
    flip->trial_m[1] = self->place_m[1];
    cairn_node_reflect(flip->axis_m, flip->direction, flip->trial_m);
    flip->image_m[0] = flip->trial_m[0];
    flip->image_m[1] = flip->trial_m[1];
    flip->cost = CAIRN_REAL_MAX;
    enter(self, phase);
}

static int8_t on_air(cairn_real part) { return (int8_t)(part * DIRECTION_STEPS + (part < 0 ? -0.5f : 0.5f)); }

static void propose(cairn_node_t *self)
{
    cairn_node_flip_t *flip = &self->flip;
    cairn_real sums[6] = {0, 0, 0, 0, 0, 0};
    cairn_real axis[2];
    int16_t point[2];
    int8_t direction[2];

    flip->radius = (uint8_t)(flip->radius < 2 || flip->radius >= 4 ? 2 : flip->radius + 1u);
    scatter_outside(self, sums);
    if (!cairn_node_axis(sums, ELONGATED, axis)) {
        return;
    }
    sums[0] += self->place_m[0];
    sums[1] += self->place_m[1];
    cairn_node_to_grid(self, sums, point);
    direction[0] = on_air(axis[0]);
    direction[1] = on_air(axis[1]);
    set_axis(self, point, direction);
    flip->proposer = self->id;
    ++flip->number;
    flip->votes = 0;
    flip->left = flip->direction[0] * (self->place_m[1] - flip->axis_m[1]) -
                     flip->direction[1] * (self->place_m[0] - flip->axis_m[0]) >
                 0;
    flip->centre_m[0] = self->place_m[0];
    flip->centre_m[1] = self->place_m[1];
    start_try(self, FLIP_TRY);
}

/* One evaluation of a vote; at the end, the difference between the best place found and the present one. */
static void step_try(cairn_node_t *self)
{
    cairn_node_flip_t *flip = &self->flip;
    node_terms_t terms;
    node_sums_t sums;
    cairn_real step_m[2];

    cairn_node_terms(self, &terms);
    terms.push = NODE_PUSH;
    terms.trust = 0;
    terms.lift_m = 0;
    terms.flip = flip;
    if (flip->rounds < TRY_ROUNDS - 1u) {
        terms.reflect = true;
        cairn_node_evaluate(self, flip->trial_m, &terms, &sums);
        if (sums.cost < flip->cost) {
            flip->cost = sums.cost;
            flip->image_m[0] = flip->trial_m[0];
            flip->image_m[1] = flip->trial_m[1];
            cairn_node_newton(self, &sums, STEP_MAX * self->cfg->radius_m, step_m);
            flip->trial_m[0] += step_m[0];
            flip->trial_m[1] += step_m[1];
        }
        ++flip->rounds;
        return;
    }
    cairn_node_evaluate(self, self->place_m, &terms, &sums);
    flip->sum = flip->cost - sums.cost;
    if (flip->phase == FLIP_MEMBER) {
        enter(self, FLIP_VOTED);
    } else {
        enter(self, flip->sum < OWN_LIMIT ? FLIP_PROPOSED : FLIP_IDLE);
    }
}

/* Whether every member that this node knows has voted. */
static bool all_voted(const cairn_node_t *self)
{
    for (uint8_t i = 0; i < self->memory.n_neighbours; ++i) {
        if (is_member_neighbour(self, &self->memory.neighbours[i]) && (self->flip.votes >> i & 1u) == 0) {
            return false;
        }
    }
    return true;
}

static void reflect_place(const cairn_node_t *self, int16_t *place)
{
    cairn_real at_m[2];

    cairn_node_to_metres(self, place, at_m);
    if (cairn_node_is_member(self, &self->flip, at_m)) {
        cairn_node_reflect(self->flip.axis_m, self->flip.direction, at_m);
        cairn_node_to_grid(self, at_m, place);
    }
}

static void jump(cairn_node_t *self)
{
    for (uint8_t i = 0; i < self->memory.n_neighbours; ++i) {
        if (is_member_neighbour(self, &self->memory.neighbours[i])) {
            reflect_place(self, self->memory.neighbours[i].place);
            self->memory.neighbours[i].flags &= (uint8_t)(0xFFu - NEIGHBOUR_TWO);
        }
    }
    for (uint8_t i = 0; i < self->memory.n_far; ++i) {
        reflect_place(self, self->memory.far[i].place);
    }
    node_count(&self->counters.n_groups);
    self->trial.kind = TRIAL_NONE;
    cairn_node_land(self, self->flip.image_m);
    enter(self, FLIP_IDLE);
}

static void await(cairn_node_t *self)
{
    cairn_node_flip_t *flip = &self->flip;
    const uint8_t limit = flip->phase == FLIP_PROPOSED ? PROPOSE_WAIT
                          : flip->phase == FLIP_VOTED  ? VOTED_WAIT
                                                       : JUMP_ROUNDS;

    if (flip->phase == FLIP_PROPOSED && flip->said >= PROPOSE_SAYS && all_voted(self)) {
        enter(self, flip->sum < SUM_LIMIT ? FLIP_COMMIT : FLIP_IDLE);
        return;
    }
    if (++flip->rounds > limit) {
        if (flip->phase == FLIP_JUMP) {
            jump(self);
        } else {
            enter(self, FLIP_IDLE);
        }
    }
}

void cairn_node_step_group(cairn_node_t *self)
{
    const bool able = (self->stage == CAIRN_STAGE_LOOSE || self->stage == CAIRN_STAGE_PLACED) &&
                      self->rounds_loose >= FLAT_ROUNDS && !(self->cfg->move_m > 0);

    if (!able) {
        self->flip.phase = FLIP_IDLE;
        return;
    }
    switch (self->flip.phase) {
    case FLIP_IDLE:
        if ((self->rounds + self->id) % TEST_EVERY == 0) {
            propose(self);
        }
        break;
    case FLIP_TRY:
    case FLIP_MEMBER: step_try(self); break;
    case FLIP_COMMIT:
        if (self->flip.said >= COMMIT_SAYS) {
            jump(self);
        }
        break;
    default: await(self); break;
    }
}

static void take_proposal(cairn_node_t *self, const cairn_beacon_t *beacon)
{
    cairn_node_flip_t *flip = &self->flip;
    const bool busy = flip->phase != FLIP_IDLE && flip->phase != FLIP_TRY;

    if (busy || self->stage < CAIRN_STAGE_LOOSE || self->stage == CAIRN_STAGE_ANCHOR ||
        self->rounds_loose < FLAT_ROUNDS) {
        return;
    }
    set_axis(self, beacon->group.axis, beacon->group.direction);
    cairn_node_to_metres(self, beacon->place, flip->centre_m);
    flip->radius = beacon->group.radius;
    flip->left = beacon->group.left;
    flip->proposer = beacon->id;
    flip->number = beacon->group.number;
    enter(self, FLIP_IDLE);
    if (cairn_node_is_member(self, flip, self->place_m)) {
        start_try(self, FLIP_MEMBER);
    }
}

static void take_vote(cairn_node_t *self, uint8_t slot, const cairn_beacon_group_t *vote)
{
    cairn_node_flip_t *flip = &self->flip;

    if (flip->phase == FLIP_PROPOSED && vote->proposer == self->id && vote->number == flip->number &&
        (flip->votes >> slot & 1u) == 0) {
        flip->votes |= UINT32_C(1) << slot;
        flip->sum += (cairn_real)vote->difference * (cairn_real)(1.0f / VOTE_STEPS);
    }
}

void cairn_node_take_group(cairn_node_t *self, uint8_t slot, const cairn_beacon_t *beacon)
{
    if (beacon->kind == CAIRN_BEACON_KIND_PROPOSE) {
        take_proposal(self, beacon);
    } else if (beacon->kind == CAIRN_BEACON_KIND_VOTE) {
        take_vote(self, slot, &beacon->group);
    } else if (beacon->kind == CAIRN_BEACON_KIND_COMMIT && self->flip.phase == FLIP_VOTED &&
               self->flip.proposer == beacon->id && self->flip.number == beacon->group.number) {
        enter(self, FLIP_JUMP);
    }
}

bool cairn_node_say_group(cairn_node_t *self, cairn_beacon_t *beacon)
{
    cairn_node_flip_t *flip = &self->flip;
    const cairn_real vote = cairn_max(-VOTE_MAX, cairn_min(VOTE_MAX, flip->sum));

    beacon->group.number = flip->number;
    if (flip->phase == FLIP_PROPOSED && flip->said < PROPOSE_SAYS) {
        beacon->kind = CAIRN_BEACON_KIND_PROPOSE;
        cairn_node_to_grid(self, flip->axis_m, beacon->group.axis);
        cairn_node_to_grid(self, flip->centre_m, beacon->place);
        beacon->group.direction[0] = on_air(flip->direction[0]);
        beacon->group.direction[1] = on_air(flip->direction[1]);
        beacon->group.radius = flip->radius;
        beacon->group.left = flip->left;
    } else if (flip->phase == FLIP_VOTED && flip->said < VOTE_SAYS) {
        beacon->kind = CAIRN_BEACON_KIND_VOTE;
        beacon->group.proposer = flip->proposer;
        beacon->group.difference = (int16_t)(vote * VOTE_STEPS);
    } else if (flip->phase == FLIP_COMMIT) {
        beacon->kind = CAIRN_BEACON_KIND_COMMIT;
    } else {
        memset(&beacon->group, 0, sizeof beacon->group);
        return false;
    }
    ++flip->said;
    return true;
}
