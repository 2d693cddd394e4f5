/* SPDX-License-Identifier: MIT
 * The cost as one node sees it: its ranges, its start, and the unmeasured nodes that the grid finds within the radio
 * range, with the weights of the measured ranges. Polish: safeguarded Newton steps of that node alone. */
#include "locate/coldstart_internal.h"

#define ACROSS_LEAST 0.02f /* curvature across a range, share of its weight, so that lines of neighbours have pivots */
#define HALVINGS_MAX 3
#define STEP_MAX     0.5f  /* radio ranges */
#define GAIN_LEAST   1e-3f /* of the cost: a step that gains less is the last one */

/* Add slope and curvatures along a direction of length `distance_m`. */
COLDSTART_PASS void add_slopes(coldstart_local_t *self, const cairn_real *delta, cairn_real distance_m, size_t dim,
                               cairn_real slope, cairn_real weight)
{
    const cairn_real inverse = 1 / distance_m;
    const cairn_real across = cairn_max(slope * inverse, ACROSS_LEAST * weight);
    const cairn_real along = (weight - across) * inverse * inverse;
    const cairn_real pull = slope * inverse;
    size_t element = 0;

    COLDSTART_UNROLL
    for (size_t k = 0; k < dim; ++k) {
        self->gradient[k] += pull * delta[k];
        COLDSTART_UNROLL
        for (size_t l = 0; l <= k; ++l) {
            self->hessian[element++] += along * delta[k] * delta[l] + (k == l ? across : 0);
        }
    }
}

/* Difference of two places and its square. */
COLDSTART_PASS cairn_real separate(const cairn_real *a, const cairn_real *b, size_t dim, cairn_real *delta)
{
    cairn_real sum = 0;

    COLDSTART_UNROLL
    for (size_t k = 0; k < dim; ++k) {
        delta[k] = a[k] - b[k];
        sum += delta[k] * delta[k];
    }
    return sum;
}

/* Distance that is not quite 0. */
static inline cairn_real distance_of(const cairn_coldstart_t *self, cairn_real distance2)
{
    const cairn_real least_m = COLDSTART_TINY * self->radio_range_m;

    return cairn_sqrt(cairn_max(distance2, least_m * least_m));
}

COLDSTART_PASS void add_link(const cairn_coldstart_t *self, const cairn_link_t *link, uint32_t mark,
                             const cairn_real *place_m, coldstart_local_t *local, size_t dim, bool plain)
{
    const cairn_real range_m = self->stretch * link->range_m;
    cairn_real delta[CAIRN_LOCATE_DIM_MAX];
    const cairn_real *other_m = coldstart_places(self) + dim * cairn_link_node(link);
    const cairn_real distance_m = distance_of(self, separate(place_m, other_m, dim, delta));
    const cairn_real residual_m = distance_m - range_m;
    cairn_real weight = coldstart_weight(&self->noise, self->network, plain, link, link->range_m * link->range_m);
    cairn_real cost = 0.5f * weight * residual_m * residual_m;
    cairn_real slope;

    if (!plain) {
        weight = cairn_coldstart_loss(self, distance_m, range_m, weight, &cost);
    }
    slope = weight * residual_m;
    if (distance_m > coldstart_reach(self)) {
        const cairn_real over_m = distance_m - coldstart_reach(self);
        cost += 0.5f * self->push_weight * over_m * over_m;
        slope += self->push_weight * over_m;
        weight += self->push_weight;
    }
    local->cost += mark == COLDSTART_IN ? local->member_share * cost : cost;
    if (local->with_slopes) {
        add_slopes(local, delta, distance_m, dim, slope, weight);
    }
}

COLDSTART_PASS void add_links(const cairn_coldstart_t *self, uint32_t node, const cairn_real *place_m,
                              coldstart_local_t *local, size_t dim, bool plain)
{
    const cairn_network_t *network = self->network;
    const uint32_t degree = network_degree(network, node);
    cairn_word_t *marks = coldstart_marks(self);

    marks[node].index = coldstart_stamp(node) | coldstart_mark(self, node);
    for (uint32_t j = 0; j < degree; ++j) {
        const cairn_link_t *link = network_link(network, node, j);
        const uint32_t other = cairn_link_node(link);
        const uint32_t mark = marks[other].index & COLDSTART_MARK_MASK;
        marks[other].index = coldstart_stamp(node) | mark;
        if (mark != COLDSTART_OUT && network_is_known(network, other)) {
            add_link(self, link, mark, place_m, local, dim, plain);
        }
    }
}

COLDSTART_PASS void add_push(const cairn_coldstart_t *self, uint32_t node, uint32_t other, uint32_t mark,
                             const cairn_real *delta, cairn_real distance2, coldstart_local_t *local, size_t dim)
{
    const cairn_real distance_m = distance_of(self, distance2);
    const cairn_real short_m = self->radio_range_m - distance_m;
    cairn_real weight = cairn_coldstart_push_weight(self, node, other);
    cairn_real cost = 0.5f * weight * short_m * short_m;

    if (self->cap > 0) {
        weight *= coldstart_fade(cost, self->cap);
        cost = coldstart_capped(cost, self->cap);
    }
    local->cost += mark == COLDSTART_IN ? local->member_share * cost : cost;
    if (local->with_slopes) {
        add_slopes(local, delta, distance_m, dim, -weight * short_m, weight);
    }
}

/* The nodes of a cell that are near, but have no range to the node. */
COLDSTART_PASS void add_cell(const cairn_coldstart_t *self, uint32_t node, uint32_t cell, const cairn_real *place_m,
                             coldstart_local_t *local, size_t dim)
{
    const cairn_real *places_m = coldstart_places(self);

    for (uint32_t j = cairn_coldstart_heads(self)[cell].index; j != PATHS_NONE; j = coldstart_next(self)[j].index) {
        cairn_real delta[CAIRN_LOCATE_DIM_MAX];
        const cairn_real distance2 = separate(place_m, places_m + dim * j, dim, delta);
        const uint32_t mark = coldstart_mark(self, j);
        if (distance2 < self->radio_range_m * self->radio_range_m && mark != COLDSTART_OUT &&
            !coldstart_is_stamped(coldstart_marks(self)[j].index, node)) {
            add_push(self, node, j, mark, delta, distance2, local, dim);
        }
    }
}

COLDSTART_PASS void add_pushes(const cairn_coldstart_t *self, uint32_t node, const cairn_real *place_m,
                               coldstart_local_t *local, size_t dim)
{
    coldstart_box_t box;
    uint32_t cell;

    cairn_coldstart_box_begin(self, place_m, &box);
    while ((cell = coldstart_box_next(self, &box)) != PATHS_NONE) {
        add_cell(self, node, cell, place_m, local, dim);
    }
}

/* The box must not lie on the stack under the loss of a range. */
static CAIRN_NOINLINE void add_all_pushes(const cairn_coldstart_t *self, uint32_t node, const cairn_real *place_m,
                                          coldstart_local_t *local)
{
    if (COLDSTART_FAST && coldstart_dim(self) == 2) {
        add_pushes(self, node, place_m, local, 2);
    } else {
        add_pushes(self, node, place_m, local, coldstart_dim(self));
    }
}

void cairn_coldstart_local(const cairn_coldstart_t *self, uint32_t node, const cairn_real *place_m,
                           coldstart_local_t *local)
{
    const size_t dim = coldstart_dim(self);

    local->cost = 0;
    memset(local->gradient, 0, sizeof local->gradient);
    memset(local->hessian, 0, sizeof local->hessian);
    for (size_t k = 0; k < dim && coldstart_has_prior(self, node); ++k) {
        const cairn_real off_m = place_m[k] - locate_start(&self->locate, node)[k];
        local->cost += 0.5f * self->prior_weight * off_m * off_m;
        local->gradient[k] += self->prior_weight * off_m;
        local->hessian[k * (k + 3u) / 2u] += self->prior_weight;
    }
    if (COLDSTART_FAST && dim == 2 && self->plain) {
        add_links(self, node, place_m, local, 2, true);
    } else {
        add_links(self, node, place_m, local, dim, self->plain);
    }
    if (self->push_weight > 0) {
        add_all_pushes(self, node, place_m, local);
    }
}

cairn_real cairn_coldstart_own_cost(const cairn_coldstart_t *self, uint32_t node, cairn_real member_share)
{
    coldstart_local_t local;

    local.member_share = member_share;
    local.with_slopes = false;
    cairn_coldstart_local(self, node, network_place(self->network, node), &local);
    return local.cost;
}

/* Newton step at a place with its slopes; false when there is none. */
static CAIRN_NOINLINE bool newton_step(const cairn_coldstart_t *self, const coldstart_local_t *local,
                                       cairn_real *step_m)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real most_m = STEP_MAX * self->radio_range_m;
    cairn_real factors[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)];
    cairn_real length_m;

    memcpy(factors, local->hessian, sizeof factors);
    for (size_t k = 0; k < dim; ++k) {
        step_m[k] = -local->gradient[k];
    }
    if (!cairn_symmetric_solve(factors, step_m, dim)) {
        return false;
    }
    length_m = cairn_sqrt(cairn_dot(step_m, step_m, dim));
    for (size_t k = 0; k < dim && length_m > most_m; ++k) {
        step_m[k] *= most_m / length_m;
    }
    return true;
}

cairn_real cairn_coldstart_polish(const cairn_coldstart_t *self, uint32_t node, int steps_max, cairn_real *place_m,
                                  cairn_real *gain)
{
    const size_t dim = coldstart_dim(self);
    coldstart_local_t local;
    cairn_real step_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real cost;

    local.member_share = 1;
    local.with_slopes = true;
    cairn_coldstart_local(self, node, place_m, &local);
    cost = local.cost;
    *gain = cost;
    for (int steps_left = steps_max; steps_left > 0 && newton_step(self, &local, step_m); --steps_left) {
        cairn_real trial_m[CAIRN_LOCATE_DIM_MAX];
        bool is_last;
        for (int halving = 0; halving < HALVINGS_MAX; ++halving) {
            for (size_t k = 0; k < dim; ++k) {
                trial_m[k] = place_m[k] + step_m[k];
                step_m[k] *= 0.5f;
            }
            cairn_coldstart_local(self, node, trial_m, &local);
            if (local.cost < cost) {
                break;
            }
        }
        if (!(local.cost < cost)) {
            break;
        }
        is_last = cost - local.cost < GAIN_LEAST * cost;
        cost = local.cost;
        memcpy(place_m, trial_m, dim * sizeof *place_m);
        if (is_last) {
            break;
        }
    }
    *gain -= cost;
    return cost;
}

void cairn_coldstart_grid_move(const cairn_coldstart_t *self, uint32_t node, const cairn_real *place_m)
{
    cairn_word_t *next = coldstart_next(self);
    cairn_real *own_m = network_place(self->network, node);
    const uint32_t before = cairn_coldstart_cell_of(self, own_m);
    const uint32_t after = cairn_coldstart_cell_of(self, place_m);
    uint32_t *slot = &cairn_coldstart_heads(self)[before].index;

    memmove(own_m, place_m, coldstart_dim(self) * sizeof *own_m);
    if (before == after) {
        return;
    }
    while (*slot != node) { /* the node is in the list of its cell */
        slot = &next[*slot].index;
    }
    *slot = next[node].index;
    next[node].index = cairn_coldstart_heads(self)[after].index;
    cairn_coldstart_heads(self)[after].index = node;
}
