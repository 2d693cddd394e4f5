/* SPDX-License-Identifier: MIT
 * The local cost of a node at a place: its own ranges, and nodes that only its neighbours hear. A range weighs
 * 1/(variance at the estimated distance + share of the neighbour's variance), with a loss that redescends; the cost that
 * decides between places is Huber's. Hessian (1 - tau) u u' + tau I. Far nodes push when nearer than R; in the first
 * rounds the paths to them, shrunk, are ranges too, which keeps parts of the map from folding over (where anchors hold
 * it: a frame that is only growing has no start that they could keep). */
#include "node/node_internal.h"

#define DISTANCE_FLOOR  0.35f /* R: nearest distance at which noise is taken */
#define HUBER           3.0f  /* deviations from which the cost is linear */
#define HUBER2          (HUBER * HUBER)
#define LOSS2           9.0f  /* deviations^2 at which a range weighs half */
#define LOSS4_SETTLED   56.0f /* deviations^4 at which it weighs a quarter once outliers are rogues */
#define FAR2_SETTLED    4.0f  /* deviations^2 at which a neighbour beyond R then pulls back by half */
#define COST_MAX        40.0f /* of one range, so that one liar cannot make a node lost */
#define BOUND           2.0f  /* the estimated distance stays within range / (1 + 2 sigma) and range (1 + 4 sigma) */
#define TRUST           2.0f  /* share of a neighbour's variance */
#define MOVED           0.2f  /* share of a movement's variance that the own velocity leaves open */
#define ISOTROPY_FIRST  0.5f
#define ISOTROPY        0.15f
#define RIDGE           0.01f /* with the push, a third of it while nodes move: it would hold them back */
#define FIRST_ROUNDS    4u
#define PUSH            3.0f /* lambda */
#define PUSH_MOVING     1.0f
#define PUSH_LIMIT      10.0f   /* cost of one push, at most */
#define LIMIT_SETTLED   1.0f    /* ... once a false place that neighbours tell is a rogue's */
#define PATH_SHRINK     0.95f   /* a path is longer than the straight line */
#define PATH_LEAST      1.02f   /* R: far nodes are not heard */
#define PATH_STD        0.07f   /* R */
#define NEAR_STEP       0.3f    /* R between two broadcast places of which one is reckoned on */
#define MIXED_LOSS      0.17f   /* share of lost beacons below which they come too regularly for the momentum */
#define SUSPECT_SIGMAS2 9.0f    /* a range contradicts a place beyond 3 deviations */
#define NEAR_DISTANCE   1.0e-4f /* R: nodes nearer than this have a made-up direction */

/* What holds for all terms of an evaluation. */
typedef struct terms {
    bool wide;    /* loss: Huber, which finds its way from afar */
    bool bounded; /* loss: flat near 0, so that good ranges keep their weight, and narrow; else Cauchy */
    bool moving;
    bool mixed; /* neighbours between their last two places */
    const cairn_real *at_m;
    int16_t at[2];  /* on the grid */
    int32_t reach;  /* R there, rounded up */
    cairn_real low; /* bounds of the distance at which noise is taken, of the range */
    cairn_real high;
    cairn_real least_m;
    cairn_real unit_m; /* of deviations */
    cairn_real move2;  /* variance that an age of one round adds */
    cairn_real own2;   /* of the own place */
    cairn_real trust;  /* share of a settled neighbour's variance in the weights */
    cairn_real far;    /* weight of a push */
    cairn_real limit;  /* cost of a push, at most */
    cairn_real path;   /* weight of a path, 0: none */
    cairn_real far2;   /* deviations^2 at which a neighbour beyond R pulls back by half */
} terms_t;

void cairn_node_subtract(cairn_real *from, const cairn_real *other)
{
    from[0] -= other[0];
    from[1] -= other[1];
}

void cairn_node_shift(cairn_real *place, cairn_real factor, const cairn_real *way)
{
    place[0] += factor * way[0];
    place[1] += factor * way[1];
}

void cairn_node_hold(cairn_node_sums_t *sums, cairn_real weight)
{
    sums->hessian[0] += weight;
    sums->hessian[2] += weight;
}

cairn_real cairn_node_direction(const cairn_node_t *self, uint16_t other, const cairn_real *at_m,
                                const cairn_real *place_m, cairn_real *u)
{
    cairn_real d_m;

    u[0] = at_m[0] - place_m[0];
    u[1] = at_m[1] - place_m[1];
    d_m = cairn_sqrt(u[0] * u[0] + u[1] * u[1]);
    if (!(d_m > NEAR_DISTANCE * self->cfg->radius_m)) {
        u[0] = self->id < other ? 0.8f : -0.8f;
        u[1] = self->id < other ? 0.6f : -0.6f;
        return d_m;
    }
    u[0] /= d_m;
    u[1] /= d_m;
    return d_m;
}

static void add_outer(cairn_real *matrix, const cairn_real *u, cairn_real weight)
{
    matrix[0] += weight * u[0] * u[0];
    matrix[1] += weight * u[0] * u[1];
    matrix[2] += weight * u[1] * u[1];
}

void cairn_node_add(cairn_node_sums_t *sums, const cairn_real *u, cairn_real pull, cairn_real weight)
{
    cairn_node_shift(sums->gradient, pull, u);
    add_outer(sums->hessian, u, weight);
}

cairn_real cairn_node_clamp(cairn_real value, cairn_real low, cairn_real high)
{
    return cairn_max(low, cairn_min(high, value));
}

/* Place of a neighbour as this node's own place is to be compared with. While nodes move: both as they were when the
 * frame came, this one by its velocity. Else, where beacons come too regularly: between the last two, for the last one
 * is newer than this node's own. */
static void neighbour_place(const cairn_node_t *self, const cairn_node_neighbour_t *neighbour, const terms_t *terms,
                            cairn_real *place_m)
{
    cairn_real before_m[2];

    cairn_node_to_metres(self, neighbour->place, place_m);
    if (terms->moving) {
        const cairn_real since = (cairn_real)neighbour->age - 0.5f;
        cairn_node_shift(place_m, since, self->velocity_m);
    } else if (terms->mixed && (neighbour->flags & NEIGHBOUR_TWO) != 0) {
        const cairn_real near = NEAR_STEP * self->cfg->radius_m;
        cairn_node_to_metres(self, neighbour->before, before_m);
        if (cairn_abs(before_m[0] - place_m[0]) < near && cairn_abs(before_m[1] - place_m[1]) < near) {
            place_m[0] = 0.5f * (place_m[0] + before_m[0]);
            place_m[1] = 0.5f * (place_m[1] + before_m[1]);
        }
    }
}

/* Add to the cost, linear beyond 3 deviations and bounded; returns the factor of the weight. */
static cairn_real robust(const terms_t *terms, cairn_real t2, cairn_node_sums_t *sums)
{
    cairn_real factor = 1;
    cairn_real cost = 0.5f * t2;

    if (t2 > HUBER2) {
        const cairn_real t = cairn_sqrt(t2);
        cost = cairn_min(COST_MAX, HUBER * t - 0.5f * HUBER2);
        factor = HUBER / t;
    }
    sums->cost += cost;
    if (terms->wide) {
        return factor;
    }
    if (terms->bounded) {
        factor = LOSS4_SETTLED / (LOSS4_SETTLED + t2 * t2);
        return factor * factor;
    }
    return LOSS2 / (LOSS2 + t2);
}

static void add_range(const cairn_node_t *self, uint8_t slot, const terms_t *terms, cairn_node_sums_t *sums)
{
    const cairn_node_neighbour_t *neighbour = &self->memory.neighbours[slot];
    const cairn_real std_m = terms->unit_m * cairn_beacon_deviation(neighbour->deviation);
    const cairn_real std2 = std_m * std_m;
    const bool loose = neighbour->stage < CAIRN_STAGE_PLACED && (neighbour->flags & NEIGHBOUR_RELAYED) == 0;
    cairn_real place_m[2];
    cairn_real u[2];
    cairn_real d_m;
    cairn_real variance;
    cairn_real residual2;
    cairn_real weight;
    cairn_real pull;

    neighbour_place(self, neighbour, terms, place_m);
    d_m = cairn_node_direction(self, neighbour->id, terms->at_m, place_m, u);
    residual2 = (d_m - neighbour->range_m) * (d_m - neighbour->range_m);
    /* at the estimated distance, kept near the measured one; and it has moved since */
    variance = cairn_node_clamp(d_m, terms->low * neighbour->range_m, terms->high * neighbour->range_m);
    variance = cairn_node_variance(self, cairn_max(terms->least_m, variance));
    variance += terms->move2 * (cairn_real)neighbour->age;
    if (residual2 > SUSPECT_SIGMAS2 * (variance + TRUST * std2 + terms->own2)) {
        sums->odd |= UINT32_C(1) << slot;
    } else {
        ++sums->n_agree;
    }
    if ((neighbour->suspect & 0xFu) >= SUSPECT_OUT) {
        return;
    }
    weight = 1 / (variance + (loose ? TRUST : terms->trust) * std2);
    weight *= robust(terms, residual2 * weight, sums);
    pull = weight * (d_m - neighbour->range_m);
    if (d_m > self->cfg->radius_m) { /* neighbours are never farther than R */
        const cairn_real far = terms->far * terms->far2 / (terms->far2 + residual2 / variance);
        pull += far * (d_m - self->cfg->radius_m);
        weight += far;
    }
    cairn_node_add(sums, u, pull, weight);
    if (!terms->wide) { /* a trial does without */
        add_outer(sums->information, u, 1 / (variance + std2));
        sums->told += std2 / (variance + std2);
    }
    ++sums->n_used;
    sums->n_free = (uint8_t)(sums->n_free + (!node_is_anchor(neighbour)));
}

/* Most far nodes are farther than R along one axis: these tell without roots and products. */
static bool is_beyond(const terms_t *terms, const cairn_node_far_t *far, size_t axis)
{
    const int32_t step = (int32_t)far->place[axis] - terms->at[axis];

    return step > terms->reach || step < -terms->reach;
}

/* A node that only neighbours hear is farther than R, and about as far as the path over them. */
static void add_far(const cairn_node_t *self, const cairn_node_far_t *far, const terms_t *terms,
                    cairn_node_sums_t *sums)
{
    const cairn_real radius_m = self->cfg->radius_m;
    const bool path = terms->path > 0;
    cairn_real rest_m = radius_m;
    cairn_real weight = terms->far;
    cairn_real place_m[2];
    cairn_real u[2];
    cairn_real residual_m;

    if (!path && (is_beyond(terms, far, 0) || is_beyond(terms, far, 1))) {
        return;
    }
    cairn_node_to_metres(self, far->place, place_m);
    if (path) {
        rest_m *= cairn_max(PATH_LEAST, PATH_SHRINK / FAR_STEPS * (cairn_real)far->length);
        weight = terms->path;
    }
    residual_m = cairn_node_direction(self, far->id, terms->at_m, place_m, u) - rest_m;
    if (!path) {
        const cairn_real cost = 0.5f * weight * residual_m * residual_m;
        const cairn_real factor = terms->limit / (terms->limit + cost);
        if (residual_m >= 0) {
            return;
        }
        sums->cost += cost * factor;
        weight *= factor * factor;
    }
    cairn_node_add(sums, u, weight * residual_m, weight);
}

static void set_terms(const cairn_node_t *self, const cairn_real *at_m, bool wide, terms_t *terms)
{
    const cairn_real sigma = self->cfg->noise_rel + self->cfg->noise_abs_m / self->cfg->radius_m;
    const bool placed = self->stage == CAIRN_STAGE_PLACED;
    const cairn_real path_m = PATH_STD * self->cfg->radius_m;

    terms->at_m = at_m;
    cairn_node_to_grid(self, at_m, terms->at);
    terms->reach = (int32_t)cairn_min(self->cfg->radius_m / self->cfg->grid_m, 2.0f * GRID_MAX) + 2;
    terms->wide = wide;
    terms->low = 1 / (1 + BOUND * sigma);
    terms->high = 1 + 2 * BOUND * sigma;
    terms->least_m = DISTANCE_FLOOR * self->cfg->radius_m;
    terms->unit_m = DEVIATION_UNIT * self->cfg->radius_m;
    terms->move2 = MOVED * self->cfg->move_m * self->cfg->move_m;
    terms->own2 = self->std_m * self->std_m;
    terms->moving = cairn_node_moves(self);
    terms->mixed = self->loss < MIXED_LOSS;
    terms->trust = terms->moving ? 1 : placed ? 0 : TRUST;
    terms->far = (terms->moving ? PUSH_MOVING : PUSH) / cairn_node_variance(self, self->cfg->radius_m);
    terms->path = 0;
    if (self->rounds_loose < SPRING_ROUNDS && (self->cfg->options & CAIRN_NODE_NO_ANCHORS) == 0) {
        terms->path = (1 - (cairn_real)self->rounds_loose * (1.0f / SPRING_ROUNDS)) / (path_m * path_m);
    }
    terms->bounded = !terms->moving && placed && self->rounds_loose > SETTLED_ROUNDS;
    terms->limit =
        terms->bounded && !wide ? LIMIT_SETTLED : PUSH_LIMIT; /* where a trial leads it will not be settled */
    terms->far2 = terms->bounded ? FAR2_SETTLED : LOSS2;
}

void cairn_node_evaluate(const cairn_node_t *self, const cairn_real *at_m, unsigned part, cairn_node_sums_t *sums)
{
    const uint8_t step = part == PART_ALL ? 1 : 2;
    const uint8_t first = part == PART_SECOND ? 1 : 0;
    terms_t terms;

    set_terms(self, at_m, part != PART_ALL, &terms);
    if (part != PART_SECOND) {
        memset(sums, 0, sizeof *sums);
        cairn_node_hold(sums, RIDGE / PUSH * terms.far);
    }
    for (uint8_t i = first; i < self->memory.n_neighbours; i = (uint8_t)(i + step)) {
        if (node_usable(&self->memory.neighbours[i])) {
            add_range(self, i, &terms, sums);
        }
    }
    for (uint8_t i = first; i < self->memory.n_far; i = (uint8_t)(i + step)) {
        const cairn_node_far_t *far = &self->memory.far[i];
        if (far->age != NODE_FREE && far->length != 0) {
            add_far(self, far, &terms, sums);
        }
    }
}

void cairn_node_clip(cairn_real *step_m, cairn_real limit_m)
{
    const cairn_real length2 = cairn_dot(step_m, step_m, 2);

    if (length2 > limit_m * limit_m) {
        const cairn_real part = limit_m / cairn_sqrt(length2);
        step_m[0] *= part;
        step_m[1] *= part;
    }
}

/* A share of the Hessian holds in every direction; the trace of u u' is 1. */
void cairn_node_newton(const cairn_node_t *self, const cairn_node_sums_t *sums, cairn_real limit_m, cairn_real *step_m)
{
    const cairn_real isotropy = self->rounds_loose < FIRST_ROUNDS ? ISOTROPY_FIRST : ISOTROPY;
    const cairn_real xx = sums->hessian[0] + isotropy * sums->hessian[2];
    const cairn_real yy = sums->hessian[2] + isotropy * sums->hessian[0];
    const cairn_real xy = sums->hessian[1] * (1 - isotropy);
    const cairn_real det = xx * yy - xy * xy;

    step_m[0] = (xy * sums->gradient[1] - yy * sums->gradient[0]) / det;
    step_m[1] = (xy * sums->gradient[0] - xx * sums->gradient[1]) / det;
    cairn_node_clip(step_m, limit_m);
}
