/* SPDX-License-Identifier: MIT
 * The descent of a node: Newton steps on its own ranges and on the push of far nodes, with momentum.
 * Weights 1/(variance at the estimated distance + share of the neighbour's variance), Cauchy loss, or Geman-McClure
 * once placed; Hessian of a range (1 - tau) u u' + tau I; a third coordinate, pressed flat in the first rounds, lets
 * folded parts pass each other. */
#include "node/node_internal.h"

#define DISTANCE_FLOOR    0.35f /* R: nearest distance at which noise is taken */
#define CAUCHY2           9.0f  /* squared deviations */
#define BOUNDED2          9.0f
#define HUBER             3.0f  /* deviations, of the cost that decides between places */
#define COST_MAX          40.0f /* of one range */
#define BOUND_LOW         2.0f  /* the estimated distance stays within range / (1 + sigma) and range / (1 - 2 sigma) */
#define PUSH_LIMIT        10.0f /* cost of one push, at most */
#define TRUST             2.0f
#define ISOTROPY_FIRST    0.5f
#define ISOTROPY          0.15f
#define RIDGE             0.01f
#define PRIOR_INFORMATION 0.25f /* of 1/R^2 */
#define FIRST_ROUNDS      4u
#define LIFT_ROUNDS       30u
#define LIFT_FIRST        0.01f
#define LIFT_GROWTH       1.3059f /* 3000^(1/30): from .01 to 30 over the rounds */
#define LIFT_STEP         0.3f    /* R */
#define STEP_MAX          0.5f    /* R */
#define MIXED_NEAR        0.3f    /* R between two broadcast places that are averaged */
#define MIXED_LOSS        0.17f
#define FAST_ROUNDS       40u
#define MOMENTUM_FIRST    0.7f
#define MOMENTUM          0.9f
#define STEP_FAST         0.6f
#define DOUBT_ROUNDS      16u
#define DOUBT_COST        2.5f    /* a node that settles no better than this ... */
#define DOUBT_STD         0.2f    /* R: ... does not pull those that have settled */
#define NEAR_DISTANCE     1.0e-4f /* R: nodes nearer than this have a made-up direction */

void cairn_node_terms(const cairn_node_t *self, node_terms_t *terms)
{
    const bool lifting = (self->cfg->options & CAIRN_NODE_LIFT) != 0 && self->rounds_loose < LIFT_ROUNDS;
    const bool placed = self->stage == CAIRN_STAGE_PLACED;

    terms->flip = NULL;
    terms->reflect = false;
    terms->skip_m = 0;
    terms->isotropy = self->rounds_loose < FIRST_ROUNDS ? ISOTROPY_FIRST : ISOTROPY;
    terms->push = self->rounds_loose < FIRST_ROUNDS || lifting ? 0 : NODE_PUSH;
    terms->trust = placed ? 0 : TRUST;
    terms->lift_m = lifting ? self->lift_m : 0;
    terms->bounded = !(self->cfg->move_m > 0) && placed && self->rounds_loose > SETTLED_ROUNDS;
    terms->mixed = self->loss < MIXED_LOSS && !(self->cfg->move_m > 0);
}

/* Place of a neighbour; the mean of the last two where that is asked for and possible. */
static void neighbour_place(const cairn_node_t *self, const cairn_node_neighbour_t *neighbour, bool mixed,
                            cairn_real *place_m)
{
    const cairn_real near = MIXED_NEAR * self->cfg->radius_m;
    cairn_real before_m[2];

    cairn_node_to_metres(self, neighbour->place, place_m);
    place_m[2] = self->cfg->radius_m * (cairn_real)(1.0f / LIFT_STEPS) * (cairn_real)neighbour->lift;
    if (!mixed || (neighbour->flags & NEIGHBOUR_TWO) == 0) {
        return;
    }
    cairn_node_to_metres(self, neighbour->before, before_m);
    if (cairn_abs(before_m[0] - place_m[0]) < near && cairn_abs(before_m[1] - place_m[1]) < near) {
        place_m[0] = 0.5f * (place_m[0] + before_m[0]);
        place_m[1] = 0.5f * (place_m[1] + before_m[1]);
        place_m[2] = 0.5f * (place_m[2] + self->cfg->radius_m * (cairn_real)(1.0f / LIFT_STEPS) *
                                              (cairn_real)neighbour->lift_before);
    }
}

/* In a group mirror test: take a member at its mirror image; its pair counts half, for its own vote has the other half. */
static cairn_real share_of(const cairn_node_t *self, const node_terms_t *terms, cairn_real *place_m)
{
    if (terms->flip == NULL || !cairn_node_is_member(self, terms->flip, place_m)) {
        return 1;
    }
    if (terms->reflect) {
        cairn_node_reflect(terms->flip->axis_m, terms->flip->direction, place_m);
    }
    return 0.5f;
}

/* Vector from b to a, and its length; a made-up direction where they coincide. */
static cairn_real direction(const cairn_node_t *self, uint16_t other, const cairn_real *a, const cairn_real *b,
                            cairn_real *u)
{
    cairn_real d_m;

    u[0] = a[0] - b[0];
    u[1] = a[1] - b[1];
    u[2] = a[2] - b[2];
    d_m = cairn_sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    if (!(d_m > NEAR_DISTANCE * self->cfg->radius_m)) {
        u[0] = self->id < other ? 0.8f : -0.8f;
        u[1] = self->id < other ? 0.6f : -0.6f;
        u[2] = 0;
        return d_m;
    }
    u[0] /= d_m;
    u[1] /= d_m;
    u[2] /= d_m;
    return d_m;
}

static void add_outer(cairn_real *matrix, const cairn_real *u, cairn_real weight, cairn_real isotropic)
{
    matrix[0] += weight * u[0] * u[0] + isotropic;
    matrix[1] += weight * u[0] * u[1];
    matrix[2] += weight * u[1] * u[1] + isotropic;
}

/* Distance at which the noise of a range is taken: the estimated one, kept near the measured one. */
static cairn_real noise_distance(const cairn_node_t *self, cairn_real d_m, cairn_real range_m)
{
    const cairn_real sigma = self->cfg->noise_rel + self->cfg->noise_abs_m / self->cfg->radius_m;
    const cairn_real low = range_m / (1 + BOUND_LOW * sigma);
    const cairn_real high = range_m * (1 + 2 * BOUND_LOW * sigma);

    return cairn_max(DISTANCE_FLOOR * self->cfg->radius_m, cairn_max(low, cairn_min(high, d_m)));
}

/* Cost that decides between places: linear beyond 3 deviations, and bounded, so that one liar cannot make a node lost. */
static cairn_real huber(cairn_real t2)
{
    if (t2 > HUBER * HUBER) {
        return cairn_min(COST_MAX, HUBER * cairn_sqrt(t2) - 0.5f * HUBER * HUBER);
    }
    return 0.5f * t2;
}

static cairn_real robust(const node_terms_t *terms, cairn_real t2)
{
    const cairn_real factor = 1 / (1 + t2 * (1 / (terms->bounded ? BOUNDED2 : CAUCHY2)));

    return terms->bounded ? factor * factor : factor;
}

static void add_range(const cairn_node_t *self, const cairn_node_neighbour_t *neighbour, const cairn_real *at,
                      const node_terms_t *terms, node_sums_t *sums)
{
    const cairn_real radius_m = self->cfg->radius_m;
    const cairn_real std_m = radius_m * DEVIATION_UNIT * cairn_beacon_deviation(neighbour->deviation);
    cairn_real place_m[3];
    cairn_real u[3];
    cairn_real d_m;
    cairn_real variance;
    cairn_real weight;
    cairn_real pull;
    cairn_real residual_m;
    cairn_real share;
    bool loose;

    neighbour_place(self, neighbour, terms->mixed, place_m);
    share = neighbour->stage == CAIRN_STAGE_ANCHOR ? 1 : share_of(self, terms, place_m);
    place_m[2] = terms->lift_m > 0 || terms->lift_m < 0 ? place_m[2] : 0;
    d_m = direction(self, neighbour->id, at, place_m, u);
    residual_m = d_m - neighbour->range_m;
    variance = cairn_node_variance(self, noise_distance(self, d_m, neighbour->range_m));
    variance += self->cfg->move_m * self->cfg->move_m * (cairn_real)(1u + neighbour->age); /* it has moved since */
    loose = neighbour->stage < CAIRN_STAGE_PLACED && (neighbour->flags & NEIGHBOUR_RELAYED) == 0;
    weight = 1 / (variance + (loose ? TRUST : terms->trust) * std_m * std_m);
    sums->cost += share * huber(residual_m * residual_m * weight);
    weight *= robust(terms, residual_m * residual_m * weight);
    pull = weight * residual_m;
    if (d_m > radius_m) { /* neighbours are never farther than R */
        const cairn_real far_weight =
            terms->push / cairn_node_variance(self, radius_m) * robust(terms, residual_m * residual_m / variance);
        pull += far_weight * (d_m - radius_m);
        weight += far_weight;
    }
    sums->gradient[0] += pull * u[0];
    sums->gradient[1] += pull * u[1];
    sums->lift_gradient += pull * u[2];
    sums->lift_hessian += weight * ((1 - terms->isotropy) * u[2] * u[2] + terms->isotropy);
    add_outer(sums->hessian, u, weight * (1 - terms->isotropy), weight * terms->isotropy);
    add_outer(sums->information, u, 1 / (variance + std_m * std_m), 0);
    ++sums->n_used;
}

/* A node that only neighbours hear is probably farther than R. */
static void add_push(const cairn_node_t *self, const cairn_node_far_t *far, const cairn_real *at,
                     const node_terms_t *terms, node_sums_t *sums)
{
    const cairn_real radius_m = self->cfg->radius_m;
    cairn_real place_m[3];
    cairn_real u[3];
    cairn_real d_m;
    cairn_real cost;
    cairn_real share;
    cairn_real counted;
    cairn_real push = terms->push / cairn_node_variance(self, radius_m);

    cairn_node_to_metres(self, far->place, place_m);
    place_m[2] = 0;
    counted = share_of(self, terms, place_m);
    if (cairn_abs(at[0] - place_m[0]) >= radius_m || cairn_abs(at[1] - place_m[1]) >= radius_m) {
        return;
    }
    d_m = direction(self, far->id, at, place_m, u);
    if (d_m >= radius_m) {
        return;
    }
    cost = 0.5f * push * (radius_m - d_m) * (radius_m - d_m);
    share = 1 / (1 + cost * (1 / PUSH_LIMIT));
    sums->cost += counted * cost * share;
    push *= share * share;
    sums->gradient[0] += push * (d_m - radius_m) * u[0];
    sums->gradient[1] += push * (d_m - radius_m) * u[1];
    add_outer(sums->hessian, u, push, 0);
}

void cairn_node_evaluate(const cairn_node_t *self, const cairn_real *at_m, const node_terms_t *terms, node_sums_t *sums)
{
    const cairn_real flat = 1 / cairn_node_variance(self, self->cfg->radius_m);
    const cairn_real at[3] = {at_m[0], at_m[1], terms->lift_m};

    memset(sums, 0, sizeof *sums);
    for (uint8_t i = 0; i < self->memory.n_neighbours; ++i) {
        if (cairn_node_usable(&self->memory.neighbours[i]) && self->memory.neighbours[i].range_m >= terms->skip_m) {
            add_range(self, &self->memory.neighbours[i], at, terms, sums);
        }
    }
    for (uint8_t i = 0; i < self->memory.n_far && terms->push > 0; ++i) {
        const cairn_node_far_t *far = &self->memory.far[i];
        if (far->age != NODE_FREE && (far->flags & FAR_HEARD) == 0) {
            add_push(self, far, at, terms, sums);
        }
    }
    sums->hessian[0] += RIDGE * flat;
    sums->hessian[2] += RIDGE * flat;
}

static void clip(cairn_real *step_m, cairn_real limit_m)
{
    const cairn_real length2 = step_m[0] * step_m[0] + step_m[1] * step_m[1];

    if (length2 > limit_m * limit_m) {
        const cairn_real part = limit_m / cairn_sqrt(length2);
        step_m[0] *= part;
        step_m[1] *= part;
    }
}

void cairn_node_newton(const cairn_node_t *self, const node_sums_t *sums, cairn_real limit_m, cairn_real *step_m)
{
    const cairn_real *h = sums->hessian;
    const cairn_real det = h[0] * h[2] - h[1] * h[1];

    (void)self;
    step_m[0] = (h[1] * sums->gradient[1] - h[2] * sums->gradient[0]) / det;
    step_m[1] = (h[1] * sums->gradient[0] - h[0] * sums->gradient[1]) / det;
    clip(step_m, limit_m);
}

/* Deviation per coordinate, and the variance along the worst axis: what the neighbours' own deviations allow. A bound
 * that ignores correlation; each neighbour enters once a round with its present value, never summed over rounds. */
static void find_deviation(cairn_node_t *self, const node_sums_t *sums)
{
    const cairn_real prior = PRIOR_INFORMATION / (self->cfg->radius_m * self->cfg->radius_m);
    const cairn_real xx = sums->information[0] + prior;
    const cairn_real yy = sums->information[2] + prior;
    const cairn_real xy = sums->information[1];
    const cairn_real det = xx * yy - xy * xy;
    const cairn_real half = 0.5f * (xx + yy);
    const cairn_real spread = cairn_sqrt(0.25f * (xx - yy) * (xx - yy) + xy * xy);

    self->std_m = cairn_sqrt(half / det);
    self->spread_m2 = (half + spread) / det; /* 1 / smaller eigenvalue */
}

static void descend_lift(cairn_node_t *self, const node_sums_t *sums)
{
    cairn_real press = LIFT_FIRST / cairn_node_variance(self, self->cfg->radius_m);
    cairn_real step_m;

    for (uint16_t k = 0; k < self->rounds_loose; ++k) {
        press *= LIFT_GROWTH;
    }
    step_m = (sums->lift_gradient + press * self->lift_m) / (sums->lift_hessian + press);
    step_m = cairn_max(-LIFT_STEP * self->cfg->radius_m, cairn_min(LIFT_STEP * self->cfg->radius_m, step_m));
    self->lift_m -= step_m;
}

void cairn_node_descend(cairn_node_t *self)
{
    const cairn_real limit_m = STEP_MAX * self->cfg->radius_m;
    const bool plain = (self->cfg->options & CAIRN_NODE_MONOTONE) != 0;
    const bool fast = self->rounds_loose > FAST_ROUNDS;
    const bool coasting = self->rounds_loose >= FIRST_ROUNDS && !plain && !(self->cfg->move_m > 0);
    const cairn_real momentum = !coasting ? 0 : fast ? MOMENTUM : MOMENTUM_FIRST;
    const cairn_real share = plain ? 0.5f : fast && coasting ? STEP_FAST : 1;
    node_terms_t terms;
    node_sums_t sums;
    cairn_real step_m[2];

    cairn_node_terms(self, &terms);
    cairn_node_evaluate(self, self->place_m, &terms, &sums);
    cairn_node_newton(self, &sums, limit_m, step_m);
    if (sums.n_used > 0 && cairn_all_finite(step_m, 2)) {
        self->velocity_m[0] = momentum * self->velocity_m[0] + share * step_m[0];
        self->velocity_m[1] = momentum * self->velocity_m[1] + share * step_m[1];
        clip(self->velocity_m, limit_m);
        self->place_m[0] += self->velocity_m[0];
        self->place_m[1] += self->velocity_m[1];
        if (self->axis) { /* the second node of an agreed frame stays on its axis */
            self->place_m[1] = 0;
            self->velocity_m[1] = 0;
        }
    }
    if (terms.lift_m > 0 || terms.lift_m < 0) {
        descend_lift(self, &sums);
    }
    find_deviation(self, &sums);
    self->cost = 2 * sums.cost / (cairn_real)(sums.n_used + 1);
    if (self->rounds_loose > DOUBT_ROUNDS && self->stage == CAIRN_STAGE_LOOSE && self->cost > DOUBT_COST) {
        self->std_m = cairn_max(self->std_m, DOUBT_STD * self->cfg->radius_m);
    }
    cairn_node_judge(self, &sums, step_m);
}
