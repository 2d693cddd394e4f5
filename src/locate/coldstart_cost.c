/* SPDX-License-Identifier: MIT
 * Terms of the cost: ranges 1/2 w (d - D)^2, ranges longer than the radio range 1/2 p (d - R)^2, unmeasured pairs nearer
 * than it 1/2 p (R - d)^2 with a capped cost, starts 1/2 |x - x0|^2 / s^2. Gradient, diagonal blocks and products of a
 * Hessian that is positive by construction: along each pair its weight, across it a share `isotropy` of that. The
 * weights depend on the present distances and count as constants (iterative re-weighting): that is the gradient of
 * another cost, the quasi-likelihood (Wedderburn 1974), which a fine last stage takes; its own Hessian, of any sign, is for
 * the steps of Newton that end it. For the deviations the same passes draw made-up residuals. */
#include "locate/coldstart_internal.h"

#define LOSS_WEIGHT_MAX 10 /* of a singular loss, beside the weight at one deviation: rounds its kink */

/* As COLDSTART_BY_DIM, the copy for plain ranges only: no call in its loop. */
#define BY_KIND(function)                                                                                              \
    do {                                                                                                               \
        if (COLDSTART_FAST && coldstart_dim(self) == 2 && self->plain) {                                               \
            function(self, begin, end, 2, true);                                                                       \
        } else {                                                                                                       \
            function(self, begin, end, coldstart_dim(self), self->plain);                                              \
        }                                                                                                              \
    } while (0)

/* Small vectors written out: compilers that keep code small do not unroll their loops. */
COLDSTART_PASS cairn_real inner(const cairn_real *a, const cairn_real *b, size_t dim)
{
    cairn_real sum = a[0] * b[0];

    if (dim > 1) {
        sum += a[1] * b[1];
    }
    if (dim > 2) {
        sum += a[2] * b[2];
    }
    return sum;
}

COLDSTART_PASS cairn_real subtract(const cairn_real *a, const cairn_real *b, size_t dim, cairn_real *delta)
{
    delta[0] = a[0] - b[0];
    if (dim > 1) {
        delta[1] = a[1] - b[1];
    }
    if (dim > 2) {
        delta[2] = a[2] - b[2];
    }
    return inner(delta, delta, dim);
}

/* a += share b */
COLDSTART_PASS void add(cairn_real *a, const cairn_real *b, size_t dim, cairn_real share)
{
    a[0] += share * b[0];
    if (dim > 1) {
        a[1] += share * b[1];
    }
    if (dim > 2) {
        a[2] += share * b[2];
    }
}

/* a = share_a a + share_b b */
COLDSTART_PASS void combine(cairn_real share_a, cairn_real *a, cairn_real share_b, const cairn_real *b, size_t dim)
{
    a[0] = share_a * a[0] + share_b * b[0];
    if (dim > 1) {
        a[1] = share_a * a[1] + share_b * b[1];
    }
    if (dim > 2) {
        a[2] = share_a * a[2] + share_b * b[2];
    }
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

/* Deviations are found by probes: in place of its residual each term gets one deviation, of random sign. */
static bool probing(const cairn_coldstart_t *self) { return self->stage == CAIRN_COLDSTART_PROBES; }

static cairn_real draw_slope(cairn_coldstart_t *self, cairn_real weight)
{
    const cairn_real slope = cairn_sqrt(weight);

    return (cairn_rng_next(&self->rng) >> 31) != 0 ? slope : -slope;
}

COLDSTART_PASS void clear_of(cairn_coldstart_t *self, uint32_t begin, uint32_t end, size_t dim)
{
    const cairn_real damping = self->damping * self->unit_weight;
    const bool drawing = probing(self);

    for (uint32_t i = begin; i < end; ++i) {
        cairn_real *negative = cairn_coldstart_vector(self, 0) + dim * i;
        cairn_real *block = cairn_coldstart_vector(self, 4) + CAIRN_SYMMETRIC_REALS(dim) * i;
        const cairn_real prior = coldstart_has_prior(self, i) ? self->prior_weight : 0;
        const cairn_real fixed = damping + prior + (self->newton ? coldstart_damping(self, i) : 0);
        cairn_real off_m[CAIRN_LOCATE_DIM_MAX] = {0};
        if (prior > 0) {
            const cairn_real cost =
                subtract(coldstart_places(self) + dim * i, locate_start(&self->locate, i), dim, off_m);
            coldstart_add(&self->total, 0.5f * prior * cost);
        }
        COLDSTART_UNROLL
        for (size_t k = 0; k < dim; ++k) {
            negative[k] = drawing ? draw_slope(self, damping + prior) : -prior * off_m[k];
            COLDSTART_UNROLL
            for (size_t l = 0; l <= k; ++l) {
                *block++ = k == l ? fixed : 0;
            }
        }
    }
}

void cairn_coldstart_clear_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end) { COLDSTART_BY_DIM(clear_of); }

/* Fix what the compiler cannot know to stay the same while results are written. */
typedef struct cost_view {
    const cairn_network_t *network;
    const cairn_real *places_m;
    const cairn_real *directions;
    cairn_real *negative;
    cairn_real *blocks;
    bool fine;
    bool probing;
    coldstart_noise_t noise;
    cairn_real stretch;
    cairn_real push_weight;
    cairn_real isotropy;
    cairn_real along; /* 1 - isotropy */
    cairn_real reach_m;
    cairn_real reach2;
    cairn_real near_m;
    cairn_real least2;
} cost_view_t;

COLDSTART_PASS cost_view_t view_cost(const cairn_coldstart_t *self)
{
    const cost_view_t view = {
        self->network,
        coldstart_places(self),
        cairn_coldstart_vector(self, 1),
        cairn_coldstart_vector(self, 0),
        cairn_coldstart_vector(self, 4),
        cairn_coldstart_ends_finely(self),
        probing(self),
        self->noise,
        self->stretch,
        self->push_weight,
        self->isotropy,
        1 - self->isotropy,
        coldstart_reach(self),
        coldstart_reach(self) * coldstart_reach(self),
        COLDSTART_NEAR * self->radio_range_m,
        least_distance2(self),
    };

    return view;
}

/* Slopes and blocks of one or both ends of a pair. */
typedef struct end {
    cairn_real *negative; /* gradient */
    cairn_real *block;
} end_t;

COLDSTART_PASS end_t end_at(const cost_view_t *view, size_t node, size_t dim)
{
    const end_t end = {view->negative + dim * node, view->blocks + CAIRN_SYMMETRIC_REALS(dim) * node};

    return end;
}

/* Add the slope along `delta`, of length 1 / `inverse`, to end a, its opposite to end b, and to both the block
 * along u u^T + across I, u of length 1. */
COLDSTART_PASS void add_to_ends(const end_t *a, const end_t *b, const cairn_real *delta, cairn_real inverse, size_t dim,
                                cairn_real slope, cairn_real along, cairn_real across)
{
    const cairn_real pull = slope * inverse;
    const cairn_real share = along * inverse * inverse;
    size_t element = 0;

    COLDSTART_UNROLL
    for (size_t k = 0; k < dim; ++k) {
        const cairn_real force = pull * delta[k];
        a->negative[k] -= force;
        b->negative[k] += force;
        COLDSTART_UNROLL
        for (size_t l = 0; l <= k; ++l) {
            const cairn_real value = share * delta[k] * delta[l] + (k == l ? across : 0);
            a->block[element] += value;
            b->block[element++] += value;
        }
    }
}

typedef struct curvature {
    cairn_real along; /* more than across */
    cairn_real across;
} curvature_t;

/* How a link holds its ends. In a fine last stage a range that is too short for its link pulls across it too, and one too
 * long is stiffer along it, for its weight grows as the link gets shorter: without these, steps of the few nodes that
 * little else holds go too far, and the damping that answers holds all others. */
COLDSTART_PASS curvature_t curve(const cost_view_t *view, cairn_real distance2, cairn_real range_m, cairn_real weight)
{
    const bool over = distance2 > view->reach2;
    cairn_real whole = weight + (over ? view->push_weight : 0);
    cairn_real across = whole * view->isotropy;

    if (!view->fine) {
        return (curvature_t){whole * view->along, across};
    }
    const cairn_real distance_m = cairn_sqrt(distance2);
    const cairn_real pull = weight * (distance_m - range_m);
    if (pull < 0) {
        const cairn_real relative = cairn_min(view->noise.rel2 * distance2 * weight, 1); /* of the variance */
        whole += 2 * relative * cairn_min(-pull / distance_m, weight);
    } else {
        across = cairn_max(across, (pull + (over ? view->push_weight * (distance_m - view->reach_m) : 0)) / distance_m);
    }
    return (curvature_t){whole - across, across};
}

/* The curvature itself: of any sign, and with what the slope owes to the weight's change with the distance. Of a robust loss
 * the weight is taken as constant. */
COLDSTART_PASS curvature_t curve_exactly(const cost_view_t *view, const cairn_link_t *link, bool plain,
                                         cairn_real distance2, cairn_real weight)
{
    const cairn_real range2 = link->range_m * link->range_m;
    const bool over = distance2 > view->reach2;
    const bool grows = (plain || link->node_and_std >> LINK_STD_SHIFT == 0) && distance2 > view->noise.floor2 &&
                       distance2 > range2 * view->noise.least2 && distance2 < range2 * view->noise.most2;
    const cairn_real distance_m = cairn_sqrt(distance2);
    const cairn_real pull = weight * (1 - view->stretch * link->range_m / distance_m);
    const cairn_real relative = grows ? view->noise.rel2 * distance2 * weight : 0; /* of the variance */
    const cairn_real across = pull + (over ? view->push_weight * (1 - view->reach_m / distance_m) : 0);

    return (curvature_t){weight - 2 * relative * pull + (over ? view->push_weight : 0) - across, across};
}

/* Add one range's cost, slopes and blocks; returns the cost. */
COLDSTART_PASS cairn_real add_link(cairn_coldstart_t *self, const cost_view_t *view, const cairn_real *place_m,
                                   const cairn_link_t *link, size_t dim, bool plain, const end_t *own)
{
    const end_t other = end_at(view, cairn_link_node(link), dim);
    cairn_real delta[CAIRN_LOCATE_DIM_MAX] = {0};
    const cairn_real distance2 = subtract(place_m, view->places_m + dim * cairn_link_node(link), dim, delta);
    const cairn_real distance_m = cairn_sqrt(cairn_max(distance2, view->least2));
    const cairn_real range_m = view->stretch * link->range_m;
    const cairn_real residual_m = distance_m - range_m;
    cairn_real weight = coldstart_weight(&view->noise, view->network, plain, link, distance2);
    cairn_real cost = 0.5f * weight * residual_m * residual_m;
    curvature_t curvature;
    cairn_real slope;

    if (!plain) {
        weight = cairn_coldstart_loss(self, distance_m, range_m, weight, &cost);
    }
    if (view->fine) {
        cost *= coldstart_integral(&view->noise, view->network, plain, link, distance_m, range_m);
    }
    curvature = curve(view, cairn_max(distance2, view->least2), range_m, weight);
    slope = view->probing ? draw_slope(self, weight) : weight * residual_m;
    if (distance_m > view->reach_m) {
        const cairn_real over_m = distance_m - view->reach_m;
        cost += 0.5f * view->push_weight * over_m * over_m;
        slope += view->push_weight * over_m;
    }
    self->n_changed += distance_m < view->near_m ? 1u : 0u;
    add_to_ends(own, &other, delta, 1 / distance_m, dim, slope, curvature.along, curvature.across);
    return cost;
}

COLDSTART_PASS void links_of(cairn_coldstart_t *self, uint32_t begin, uint32_t end, size_t dim, bool plain)
{
    const cost_view_t view = view_cost(self);
    const uint32_t *rows = upper_rows(view.network);

    for (uint32_t node = begin; node < end; ++node) {
        const cairn_link_t *link = upper_links(view.network) + rows[node];
        const cairn_link_t *last = upper_links(view.network) + rows[node + 1u];
        cairn_real place_m[CAIRN_LOCATE_DIM_MAX] = {0}; /* as in the products below */
        cairn_real negative[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real block[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)] = {0};
        const end_t own = {negative, block};
        cairn_real *blocks = view.blocks + CAIRN_SYMMETRIC_REALS(dim) * node;
        cairn_real sum = 0;
        if (!network_is_known(view.network, node)) {
            continue;
        }
        add(place_m, view.places_m + dim * node, dim, 1);
        for (; link < last; ++link) {
            sum += add_link(self, &view, place_m, link, dim, plain, &own);
        }
        add(view.negative + dim * node, negative, dim, 1);
        COLDSTART_UNROLL
        for (size_t element = 0; element < CAIRN_SYMMETRIC_REALS(dim); ++element) {
            blocks[element] += block[element];
        }
        coldstart_add(&self->total, sum);
    }
}

void cairn_coldstart_links_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end) { BY_KIND(links_of); }

static inline void push_of(cairn_coldstart_t *self, uint32_t node, uint32_t other, size_t dim)
{
    const cost_view_t view = view_cost(self);
    const end_t ends[2] = {end_at(&view, node, dim), end_at(&view, other, dim)};
    cairn_real delta[CAIRN_LOCATE_DIM_MAX] = {0};
    const cairn_real distance2 = subtract(view.places_m + dim * node, view.places_m + dim * other, dim, delta);
    const cairn_real distance_m = cairn_sqrt(cairn_max(distance2, view.least2));
    const cairn_real short_m = self->radio_range_m - distance_m;
    cairn_real weight = cairn_coldstart_push_weight(self, node, other);
    cairn_real cost = 0.5f * weight * short_m * short_m;

    if (self->cap > 0) {
        weight *= coldstart_fade(cost, self->cap);
        cost = coldstart_capped(cost, self->cap);
    }
    coldstart_add(&self->total, cost);
    add_to_ends(&ends[0], &ends[1], delta, 1 / distance_m, dim, -weight * short_m, weight, 0);
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

/* Add one range's share to the product of both ends; returns its share of the quadratic form. */
COLDSTART_PASS cairn_real product_of_link(const cairn_coldstart_t *self, const cost_view_t *view,
                                          const cairn_real *place_m, const cairn_real *direction,
                                          const cairn_link_t *link, size_t dim, bool plain, cairn_real *own,
                                          cairn_real *products)
{
    const size_t other = dim * cairn_link_node(link);
    cairn_real delta[CAIRN_LOCATE_DIM_MAX] = {0};
    cairn_real moved[CAIRN_LOCATE_DIM_MAX] = {0};
    const cairn_real distance2 = cairn_max(subtract(place_m, view->places_m + other, dim, delta), view->least2);
    cairn_real weight = coldstart_weight(&view->noise, view->network, plain, link, distance2);
    curvature_t curvature;
    cairn_real along;

    if (!plain) {
        cairn_real cost;
        weight = cairn_coldstart_loss(self, cairn_sqrt(distance2), view->stretch * link->range_m, weight, &cost);
    }
    curvature = self->newton ? curve_exactly(view, link, plain, distance2, weight)
                             : curve(view, distance2, view->stretch * link->range_m, weight);
    (void)subtract(direction, view->directions + other, dim, moved);
    along = inner(delta, moved, dim) * (curvature.along / distance2);
    combine(along, delta, curvature.across, moved, dim);
    add(products + other, delta, dim, -1);
    add(own, delta, dim, 1);
    return inner(delta, moved, dim);
}

COLDSTART_PASS void product_of(cairn_coldstart_t *self, uint32_t begin, uint32_t end, size_t dim, bool plain)
{
    const cost_view_t view = view_cost(self);
    cairn_real *products = cairn_coldstart_vector(self, 2);
    const uint32_t *rows = upper_rows(view.network);
    cairn_coldstart_sum_t total = self->total;

    for (uint32_t node = begin; node < end; ++node) {
        const cairn_real fixed = self->damping * self->unit_weight +
                                 (coldstart_has_prior(self, node) ? self->prior_weight : 0) +
                                 (self->newton ? coldstart_damping(self, node) : 0);
        const cairn_link_t *link = upper_links(view.network) + rows[node];
        const cairn_link_t *last = upper_links(view.network) + rows[node + 1u];
        cairn_real place_m[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real direction[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real own[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real form;
        if (!network_is_known(view.network, node)) {
            continue;
        }
        add(place_m, view.places_m + dim * node, dim, 1); /* copies, out of reach of what is written to the products */
        add(direction, view.directions + dim * node, dim, 1);
        add(own, direction, dim, fixed);
        form = inner(own, direction, dim);
        for (; link < last; ++link) {
            form += product_of_link(self, &view, place_m, direction, link, dim, plain, own, products);
        }
        add(products + dim * node, own, dim, 1);
        coldstart_add(&total, form);
    }
    self->total = total;
}

void cairn_coldstart_product_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end) { BY_KIND(product_of); }

/* How a pair without a range holds its ends, as a link does above. */
static inline curvature_t curve_push(const cairn_coldstart_t *self, cairn_real push_weight, cairn_real distance_m)
{
    const cairn_real short_m = self->radio_range_m - distance_m;
    const cairn_real cost = 0.5f * push_weight * short_m * short_m;
    const bool fades = self->cap > 0;
    const cairn_real weight = fades ? push_weight * coldstart_fade(cost, self->cap) : push_weight;
    cairn_real across;

    if (!self->newton) {
        return (curvature_t){weight, 0};
    }
    across = -weight * short_m / distance_m;
    return (curvature_t){(fades ? weight * (1 - 2.5f * cost / (self->cap + 0.25f * cost)) : weight) - across, across};
}

static inline void product_push_of(cairn_coldstart_t *self, uint32_t node, uint32_t other, size_t dim)
{
    const cairn_real *places_m = coldstart_places(self);
    const cairn_real *directions = cairn_coldstart_vector(self, 1);
    cairn_real *products = cairn_coldstart_vector(self, 2);
    cairn_real delta[CAIRN_LOCATE_DIM_MAX] = {0};
    const cairn_real distance2 =
        cairn_max(subtract(places_m + dim * node, places_m + dim * other, dim, delta), least_distance2(self));
    const curvature_t curvature =
        curve_push(self, cairn_coldstart_push_weight(self, node, other), cairn_sqrt(distance2));
    cairn_real moved[CAIRN_LOCATE_DIM_MAX] = {0};
    cairn_real along = 0;

    for (size_t k = 0; k < dim; ++k) {
        moved[k] = directions[dim * node + k] - directions[dim * other + k];
        along += delta[k] * moved[k];
    }
    along *= curvature.along / distance2;
    for (size_t k = 0; k < dim; ++k) {
        const cairn_real force = along * delta[k] + curvature.across * moved[k];
        products[dim * node + k] += force;
        products[dim * other + k] -= force;
        coldstart_add(&self->total, force * moved[k]);
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
