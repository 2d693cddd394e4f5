/* SPDX-License-Identifier: MIT
 * Terms of the cost: ranges 1/2 w (d - D)^2, ranges longer than the radio range 1/2 p (d - R)^2, unmeasured pairs nearer
 * than it 1/2 p (R - d)^2 with a capped cost, starts 1/2 |x - x0|^2 / s^2. Gradient, diagonal blocks and products of a
 * Hessian that is positive by construction: along each pair its weight, across it a share `isotropy` of that. The
 * weights depend on the present distances and count as constants (iterative re-weighting). */
#include "locate/coldstart_internal.h"

#define LOSS_WEIGHT_MAX 10 /* of a singular loss, beside the weight at one deviation: rounds its kink */

/* The passes are written for a constant dimension, so that their loops unroll. */
#define BY_DIM(function)                                                                                               \
    do {                                                                                                               \
        for (uint32_t i = begin; i < end; ++i) {                                                                       \
            switch (coldstart_dim(self)) {                                                                             \
            case 1: function(self, i, 1); break;                                                                       \
            case 2: function(self, i, 2); break;                                                                       \
            default: function(self, i, 3); break;                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

static inline cairn_real subtract(const cairn_real *a, const cairn_real *b, size_t dim, cairn_real *delta)
{
    cairn_real sum = 0;

    for (size_t k = 0; k < dim; ++k) {
        delta[k] = a[k] - b[k];
        sum += delta[k] * delta[k];
    }
    return sum;
}

static inline cairn_real least_distance2(const cairn_coldstart_t *self)
{
    return COLDSTART_TINY * COLDSTART_TINY * self->radio_range_m * self->radio_range_m;
}

cairn_real cairn_coldstart_loss(const cairn_coldstart_t *self, cairn_real distance_m, cairn_real range_m,
                                cairn_real weight, cairn_real *cost)
{
    const cairn_loss_t *loss = self->cfg->locate.loss;
    const cairn_real residual_m = distance_m - range_m;
    cairn_real scale_m;
    cairn_loss_value_t value;

    if (loss == NULL || loss == &cairn_loss_squared) {
        *cost = 0.5f * weight * residual_m * residual_m;
        return weight;
    }
    scale_m = 1 / cairn_sqrt(weight);
    value = loss->evaluate(loss, distance_m, range_m, scale_m);
    if (loss->singular) {
        const cairn_real unit = 1 / loss->evaluate(loss, range_m + scale_m, range_m, scale_m).weight;
        value.weight = cairn_min(value.weight * unit, LOSS_WEIGHT_MAX);
        value.error *= unit;
    }
    *cost = 0.5f * weight * value.error;
    return weight * value.weight;
}

void cairn_coldstart_clear_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const size_t n_block = CAIRN_SYMMETRIC_REALS(dim);
    const cairn_real damping = self->damping * self->unit_weight;

    for (uint32_t i = begin; i < end; ++i) {
        cairn_real *negative = cairn_coldstart_vector(self, 0) + dim * i;
        cairn_real *block = cairn_coldstart_vector(self, 4) + n_block * i;
        const bool prior = coldstart_has_prior(self, i);
        const cairn_real *start_m = locate_start(&self->locate, i);
        const cairn_real *place_m = network_place(self->network, i);
        cairn_real cost = 0;
        for (size_t k = 0; k < dim; ++k) {
            const cairn_real off_m = prior ? place_m[k] - start_m[k] : 0;
            negative[k] = -self->prior_weight * off_m;
            cost += off_m * off_m;
            for (size_t l = 0; l <= k; ++l) {
                *block++ = k == l ? damping + (prior ? self->prior_weight : 0) : 0;
            }
        }
        coldstart_add(&self->total, 0.5f * self->prior_weight * cost);
    }
}

/* Add weight [(1 - isotropy) u u^T + isotropy I] to the blocks of both ends. */
static inline void add_block(cairn_real *a, cairn_real *b, const cairn_real *unit, size_t dim, cairn_real weight,
                             cairn_real isotropy)
{
    const cairn_real along = weight * (1 - isotropy);
    size_t element = 0;

    for (size_t k = 0; k < dim; ++k) {
        for (size_t l = 0; l <= k; ++l) {
            const cairn_real value = along * unit[k] * unit[l] + (k == l ? weight * isotropy : 0);
            a[element] += value;
            b[element++] += value;
        }
    }
}

static inline void links_of(cairn_coldstart_t *self, uint32_t node, size_t dim)
{
    const size_t n_block = CAIRN_SYMMETRIC_REALS(dim);
    const cairn_network_t *network = self->network;
    const cairn_real *places_m = coldstart_places(self);
    cairn_real *negative = cairn_coldstart_vector(self, 0);
    cairn_real *blocks = cairn_coldstart_vector(self, 4);
    const cairn_real least2 = least_distance2(self);
    const cairn_real reach_m = coldstart_reach(self);
    cairn_real sum = 0;

    if (!network_is_known(network, node)) {
        return;
    }
    for (uint32_t k = upper_rows(network)[node]; k < upper_rows(network)[node + 1u]; ++k) {
        const cairn_link_t *link = upper_links(network) + k;
        const uint32_t other = cairn_link_node(link);
        cairn_real delta[CAIRN_LOCATE_DIM_MAX];
        const cairn_real distance2 = subtract(places_m + dim * node, places_m + dim * other, dim, delta);
        const cairn_real distance_m = cairn_sqrt(cairn_max(distance2, least2));
        const cairn_real inverse = 1 / distance_m;
        cairn_real cost;
        cairn_real weight =
            cairn_coldstart_loss(self, distance_m, link->range_m, coldstart_weight(self, link, distance2), &cost);
        cairn_real slope = weight * (distance_m - link->range_m);
        if (distance_m > reach_m) {
            const cairn_real over_m = distance_m - reach_m;
            cost += 0.5f * self->push_weight * over_m * over_m;
            slope += self->push_weight * over_m;
            weight += self->push_weight;
        }
        sum += cost;
        self->n_changed += distance_m < COLDSTART_NEAR * self->radio_range_m ? 1u : 0u;
        for (size_t l = 0; l < dim; ++l) {
            delta[l] *= inverse;
            negative[dim * node + l] -= slope * delta[l];
            negative[dim * other + l] += slope * delta[l];
        }
        add_block(blocks + n_block * node, blocks + n_block * other, delta, dim, weight, self->isotropy);
    }
    coldstart_add(&self->total, sum);
}

void cairn_coldstart_links_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end) { BY_DIM(links_of); }

static inline void push_of(cairn_coldstart_t *self, uint32_t node, uint32_t other, size_t dim)
{
    const size_t n_block = CAIRN_SYMMETRIC_REALS(dim);
    const cairn_real *places_m = coldstart_places(self);
    cairn_real *negative = cairn_coldstart_vector(self, 0);
    cairn_real *blocks = cairn_coldstart_vector(self, 4);
    cairn_real delta[CAIRN_LOCATE_DIM_MAX];
    const cairn_real distance2 = subtract(places_m + dim * node, places_m + dim * other, dim, delta);
    const cairn_real distance_m = cairn_sqrt(cairn_max(distance2, least_distance2(self)));
    const cairn_real short_m = self->radio_range_m - distance_m;
    cairn_real weight = self->push_weight;
    cairn_real cost = 0.5f * weight * short_m * short_m;

    if (short_m <= 0) {
        return;
    }
    if (self->cap > 0) {
        weight *= coldstart_fade(cost, self->cap);
        cost = coldstart_capped(cost, self->cap);
    }
    coldstart_add(&self->total, cost);
    for (size_t k = 0; k < dim; ++k) {
        delta[k] /= distance_m;
        negative[dim * node + k] += weight * short_m * delta[k];
        negative[dim * other + k] -= weight * short_m * delta[k];
    }
    add_block(blocks + n_block * node, blocks + n_block * other, delta, dim, weight, 0);
}

/* Take the pair at a word of the list; returns the other node, PATHS_NONE when the word only advances. */
static inline uint32_t take_pair(cairn_coldstart_t *self, uint32_t word)
{
    const uint32_t code = coldstart_pairs(self)[word].index;
    const uint32_t advance = code >> PAIR_ADVANCE_SHIFT;

    if (advance == PAIR_ADVANCE_ONLY) {
        self->row += PAIR_ADVANCE_MAX;
        return PATHS_NONE;
    }
    self->row += advance;
    return code & LINK_NODE_MASK;
}

void cairn_coldstart_pushes_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t word = begin; word < end; ++word) {
        const uint32_t other = take_pair(self, word);
        if (other != PATHS_NONE) {
            push_of(self, self->row, other, coldstart_dim(self));
        }
    }
}

static inline void product_of(cairn_coldstart_t *self, uint32_t node, size_t dim)
{
    const cairn_network_t *network = self->network;
    const cairn_real *places_m = coldstart_places(self);
    const cairn_real *directions = cairn_coldstart_vector(self, 1);
    cairn_real *products = cairn_coldstart_vector(self, 2);
    const bool robust = self->cfg->locate.loss != NULL && self->cfg->locate.loss != &cairn_loss_squared;
    const cairn_real reach2 = coldstart_reach(self) * coldstart_reach(self);
    const cairn_real least2 = least_distance2(self);
    const cairn_real fixed =
        self->damping * self->unit_weight + (coldstart_has_prior(self, node) ? self->prior_weight : 0);
    cairn_real own[CAIRN_LOCATE_DIM_MAX];
    cairn_real form = 0;

    if (!network_is_known(network, node)) {
        return;
    }
    for (size_t l = 0; l < dim; ++l) {
        own[l] = fixed * directions[dim * node + l];
        form += own[l] * directions[dim * node + l];
    }
    for (uint32_t k = upper_rows(network)[node]; k < upper_rows(network)[node + 1u]; ++k) {
        const cairn_link_t *link = upper_links(network) + k;
        const uint32_t other = cairn_link_node(link);
        cairn_real delta[CAIRN_LOCATE_DIM_MAX];
        cairn_real moved[CAIRN_LOCATE_DIM_MAX];
        const cairn_real distance2 =
            cairn_max(subtract(places_m + dim * node, places_m + dim * other, dim, delta), least2);
        cairn_real weight = coldstart_weight(self, link, distance2);
        cairn_real along = 0;
        if (robust) {
            cairn_real cost;
            weight = cairn_coldstart_loss(self, cairn_sqrt(distance2), link->range_m, weight, &cost);
        }
        weight += distance2 > reach2 ? self->push_weight : 0;
        for (size_t l = 0; l < dim; ++l) {
            moved[l] = directions[dim * node + l] - directions[dim * other + l];
            along += delta[l] * moved[l];
        }
        along *= weight * (1 - self->isotropy) / distance2;
        for (size_t l = 0; l < dim; ++l) {
            const cairn_real force = along * delta[l] + weight * self->isotropy * moved[l];
            own[l] += force;
            products[dim * other + l] -= force;
            form += force * moved[l];
        }
    }
    for (size_t l = 0; l < dim; ++l) {
        products[dim * node + l] += own[l];
    }
    coldstart_add(&self->total, form);
}

void cairn_coldstart_product_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end) { BY_DIM(product_of); }

static inline void product_push_of(cairn_coldstart_t *self, uint32_t node, uint32_t other, size_t dim)
{
    const cairn_real *places_m = coldstart_places(self);
    const cairn_real *directions = cairn_coldstart_vector(self, 1);
    cairn_real *products = cairn_coldstart_vector(self, 2);
    cairn_real delta[CAIRN_LOCATE_DIM_MAX];
    const cairn_real distance2 =
        cairn_max(subtract(places_m + dim * node, places_m + dim * other, dim, delta), least_distance2(self));
    cairn_real weight = self->push_weight;
    cairn_real along = 0;

    if (self->cap > 0) {
        const cairn_real short_m = self->radio_range_m - cairn_sqrt(distance2);
        weight *= coldstart_fade(0.5f * weight * short_m * short_m, self->cap);
    }
    for (size_t k = 0; k < dim; ++k) {
        along += delta[k] * (directions[dim * node + k] - directions[dim * other + k]);
    }
    along *= weight / distance2;
    for (size_t k = 0; k < dim; ++k) {
        const cairn_real force = along * delta[k];
        products[dim * node + k] += force;
        products[dim * other + k] -= force;
        coldstart_add(&self->total, force * (directions[dim * node + k] - directions[dim * other + k]));
    }
}

void cairn_coldstart_product_pushes_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t word = begin; word < end; ++word) {
        const uint32_t other = take_pair(self, word);
        if (other != PATHS_NONE) {
            product_push_of(self, self->row, other, coldstart_dim(self));
        }
    }
}
