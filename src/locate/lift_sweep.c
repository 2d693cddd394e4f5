/* SPDX-License-Identifier: MIT
 * Lift: the random start, a node's neighbours and its turns in a sweep. The raised turn is Newton's step of the fold of
 * PLACE with a limited length, not safeguarded: it must be able to climb. The flat turn is PLACE. */
#include "locate/lift_internal.h"

#include "cairn/place.h"
#include "locate/bias_internal.h"
#include "locate/span_internal.h"

#define SIDE_RATIO     1e-2f /* below this a given side is used: the ranges hardly tell it */
#define STEP_MAX       0.45f /* of the mean range */
#define HEIGHT_STD     0.45f /* of the random start, of the mean range */
#define ROOT_3         1.7320508f
#define BOX_LEAST      2    /* mean ranges that a box of the starts is wide at least, in a network with all ranges */
#define FAR            64   /* extents from the anchors to the far point: the sphere round it is a plane to 1/128 */
#define SIDE_WEIGHT    100  /* of the far point, in weights of a mean range */
#define DISTANCE_LEAST 0.1f /* of the mean range: shorter ranges weigh no more, or they become rigid sticks */
#define RAISED_ROUNDS  2
#define DAMPING        1e-4f /* of the mean weight, on the diagonal: keeps collinear neighbours solvable */

static void widen_box(cairn_lift_t *self, const cairn_real *place_m, bool first)
{
    for (size_t k = 0; k < self->network->cfg->dim; ++k) {
        self->low_m[k] = first ? place_m[k] : cairn_min(self->low_m[k], place_m[k]);
        self->high_m[k] = first ? place_m[k] : cairn_max(self->high_m[k], place_m[k]);
    }
}

/* Room for all: a sparse network is wider than its ranges. */
static void widen_to_ranges(cairn_lift_t *self)
{
    const cairn_network_t *network = self->network;
    const cairn_real n_nodes = (cairn_real)network->n_nodes;
    const cairn_real degree = 2 * (cairn_real)network->n_ranges / n_nodes;
    const cairn_real least_m =
        (cairn_real)BOX_LEAST * self->mean_range_m * cairn_sqrt(cairn_max(n_nodes / (degree + 1), 1));

    for (size_t k = 0; k < network->cfg->dim; ++k) {
        const cairn_real missing_m = cairn_max(least_m - (self->high_m[k] - self->low_m[k]), 0);
        self->low_m[k] -= 0.5f * missing_m;
        self->high_m[k] += 0.5f * missing_m;
    }
}

/* The far point lies opposite the given side of the anchors' plane. */
static void set_side(cairn_lift_t *self, const span_t *span)
{
    const cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    cairn_real side_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real height_m;

    for (size_t k = 0; k < dim; ++k) {
        side_m[k] = self->cfg->side_m[k] - network->origin_m[k];
    }
    height_m = cairn_span_height(span, side_m, dim);
    self->hinted = cairn_abs(height_m) > SPAN_SIDE_LEAST * span->extent_m;
    self->far_range_m = (cairn_real)FAR * cairn_max(span->extent_m, self->mean_range_m);
    for (size_t k = 0; k < dim; ++k) {
        self->far_m[k] = span->centre_m[k] - (height_m < 0 ? -self->far_range_m : self->far_range_m) * span->axes[k];
    }
}

void cairn_lift_survey(cairn_lift_t *self)
{
    const cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    span_t span;
    bool first = true;

    for (uint32_t k = 0; k < network->n_ranges; ++k) {
        self->mean_range_m += upper_links(network)[k].range_m / (cairn_real)network->n_ranges;
    }
    for (uint32_t i = 0; i < network->n_nodes; ++i) {
        if (network_is_anchor(network, i)) {
            widen_box(self, network_place(network, i), first);
            first = false;
        }
    }
    widen_to_ranges(self);
    cairn_span_anchors(&span, network);
    self->spanned = (uint8_t)span.n_axes;
    if (self->cfg->side_m != NULL && span.n_axes + 1u >= dim &&
        span.variances[0] < SIDE_RATIO * span.variances[dim - 1u]) {
        set_side(self, &span);
    }
}

/* To the given side. The wall of the far point alone would hold a node on its wrong side, where the ranges press it. */
static void go_to_side(const cairn_lift_t *self, cairn_real *place_m)
{
    const size_t dim = self->network->cfg->dim;
    const cairn_real distance_m = self->hinted ? cairn_distance(place_m, self->far_m, dim) : 0;
    const cairn_real missing_m = self->far_range_m - distance_m;

    if (self->hinted && missing_m > 0) {
        for (size_t k = 0; k < dim; ++k) {
            place_m[k] += 2 * missing_m / distance_m * (place_m[k] - self->far_m[k]);
        }
    }
}

uint32_t cairn_lift_draw(cairn_lift_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    cairn_real *place_m = lift_place(self, node);
    const cairn_real height_m = ROOT_3 * HEIGHT_STD * self->mean_range_m;

    if (network_is_anchor(network, node)) {
        memcpy(place_m, network_place(network, node), dim * sizeof *place_m);
        place_m[dim] = 0;
        return 1;
    }
    for (size_t k = 0; k < dim; ++k) {
        place_m[k] = self->low_m[k] + (self->high_m[k] - self->low_m[k]) * cairn_rng_uniform(&self->rng);
    }
    place_m[dim] = height_m * (2 * cairn_rng_uniform(&self->rng) - 1);
    go_to_side(self, place_m);
    return 1;
}

size_t cairn_lift_neighbours_begin(lift_neighbours_t *self, const cairn_lift_t *lift, uint32_t node, size_t dim)
{
    self->lift = lift;
    self->node = node;
    self->degree = network_degree(lift->network, node);
    self->dim = dim;
    return (size_t)self->degree + (lift->hinted ? 1u : 0u);
}

/* The distance at which a range's noise is judged: the present one, kept within what the measured one allows. */
static cairn_real noise_distance_m(const cairn_lift_t *lift, cairn_real distance_m, cairn_real range_m)
{
    const cairn_real sigma = lift->network->cfg->noise_rel;
    const cairn_real least_m = range_m / (1 + 3 * sigma);
    const cairn_real most_m = range_m / cairn_max(1 - 2 * sigma, 0.5f);

    return cairn_max(cairn_min(cairn_max(distance_m, least_m), most_m), DISTANCE_LEAST * lift->mean_range_m);
}

/* Weight and scale of a range as the loss wants them. */
static void set_noise(const cairn_lift_t *lift, const cairn_link_t *link, cairn_real distance_m,
                      cairn_neighbour_t *neighbour)
{
    const cairn_loss_t *loss = lift->cfg->loss;
    cairn_real variance;

    neighbour->scale = 1;
    if (loss == &cairn_loss_log) {
        neighbour->weight = 1 / cairn_log_variance(lift->network, link, distance_m);
        return;
    }
    variance = cairn_network_variance(lift->network, link, noise_distance_m(lift, distance_m, neighbour->range));
    neighbour->weight = 1 / variance;
    if (loss != NULL && loss != &cairn_loss_squared) {
        neighbour->scale = cairn_sqrt(variance);
        neighbour->weight = loss->singular ? 1 / neighbour->scale : neighbour->weight;
    }
}

/* The far point, at least as far as its range; weighted by the node's first link. */
static void set_far(const lift_neighbours_t *self, cairn_neighbour_t *neighbour)
{
    const cairn_lift_t *lift = self->lift;
    const cairn_real ratio = lift->far_range_m / lift->mean_range_m;

    neighbour->range = lift->mean_range_m;
    set_noise(lift, network_link(lift->network, self->node, 0), lift->mean_range_m, neighbour);
    neighbour->weight *= SIDE_WEIGHT * (lift->cfg->loss == &cairn_loss_log ? ratio * ratio : 1);
    neighbour->scale = lift->far_range_m;
    neighbour->place = lift->far_m;
    neighbour->range = lift->far_range_m;
    neighbour->side = CAIRN_SIDE_AT_LEAST;
    neighbour->tie = self->node;
}

void cairn_lift_neighbour(const void *context, size_t j, cairn_neighbour_t *neighbour)
{
    const lift_neighbours_t *self = context;
    const cairn_lift_t *lift = self->lift;
    const cairn_link_t *link;
    uint32_t other;

    if (j >= self->degree) {
        set_far(self, neighbour);
        return;
    }
    link = network_link(lift->network, self->node, (uint32_t)j);
    other = cairn_link_node(link);
    neighbour->side = CAIRN_SIDE_BOTH;
    neighbour->place = lift_place(lift, other);
    neighbour->range = lift->bias != NULL ? cairn_bias_correct(lift->bias, self->node, (uint32_t)j) : link->range_m;
    neighbour->tie = 2 * other + (other < self->node ? 1u : 0u);
    set_noise(lift, link, cairn_distance(lift_place(lift, self->node), neighbour->place, self->dim), neighbour);
}

static bool is_free(const cairn_lift_t *self, uint32_t node)
{
    return !network_is_anchor(self->network, node) && lift_is_reached(self, node) &&
           network_degree(self->network, node) > 0;
}

/* The press is a spring to height 0 beside the neighbours; returns the step in place of the gradient. */
static void press_and_solve(const cairn_lift_t *self, cairn_recenter_t *sums, cairn_real height_m)
{
    const size_t dim = sums->dim;
    const cairn_real press = self->press * sums->weight;
    size_t diagonal = 0;

    sums->gradient[dim - 1u] += press * height_m;
    for (size_t k = 0; k < dim; ++k) {
        sums->hessian[diagonal] += DAMPING * sums->weight + (k + 1u == dim ? press : 0);
        diagonal += k + 2u;
        sums->gradient[k] = -sums->gradient[k];
    }
    if (!cairn_symmetric_solve(sums->hessian, sums->gradient, dim)) {
        for (size_t k = 0; k < dim; ++k) {
            sums->gradient[k] = 0; /* nothing pulls */
        }
    }
}

/* Far from its place everything is an outlier to a loss that redescends, and nothing would pull: Huber's leads there. */
static const cairn_loss_t *raised_loss(const cairn_loss_t *loss)
{
    if (loss == NULL) {
        return &cairn_loss_squared;
    }
    return loss->evaluate == cairn_loss_redescend.evaluate ? &cairn_loss_huber : loss;
}

uint32_t cairn_lift_raised(cairn_lift_t *self, uint32_t node)
{
    const size_t dim = lift_stride(self);
    const cairn_loss_t *loss = raised_loss(self->cfg->loss);
    const cairn_real limit_m = STEP_MAX * self->mean_range_m;
    cairn_real *place_m = lift_place(self, node);
    lift_neighbours_t context;
    size_t n_neighbours;

    if (!is_free(self, node)) {
        return 1;
    }
    n_neighbours = cairn_lift_neighbours_begin(&context, self, node, dim);
    for (int round = 0; round < RAISED_ROUNDS; ++round) {
        cairn_recenter_t sums;
        cairn_real length_m;
        cairn_real share;
        cairn_recenter_begin(&sums, &cairn_space_euclidean, loss, place_m, dim, lift_scratch(self), true);
        for (size_t j = 0; j < n_neighbours; ++j) {
            cairn_neighbour_t neighbour;
            cairn_lift_neighbour(&context, j, &neighbour);
            cairn_recenter_add(&sums, &neighbour);
        }
        press_and_solve(self, &sums, place_m[dim - 1u]);
        length_m = cairn_sqrt(cairn_dot(sums.gradient, sums.gradient, dim));
        share = length_m > limit_m ? limit_m / length_m : 1;
        for (size_t k = 0; k < dim; ++k) {
            place_m[k] += share * sums.gradient[k];
        }
    }
    return 3u * (uint32_t)n_neighbours + 1u;
}

uint32_t cairn_lift_flat(cairn_lift_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
    lift_neighbours_t context;
    size_t n_neighbours;

    lift_place(self, node)[dim] = 0;
    if (!is_free(self, node)) {
        return 1;
    }
    if (self->sweep == 0) {
        go_to_side(self, lift_place(self, node));
    }
    n_neighbours = cairn_lift_neighbours_begin(&context, self, node, dim);
    memcpy(place_m, lift_place(self, node), dim * sizeof place_m[0]);
    if (cairn_place(&self->step, cairn_lift_neighbour, &context, n_neighbours, place_m, dim, lift_scratch(self),
                    LIFT_SCRATCH_REALS, NULL) >= 0) {
        const cairn_real step_m = cairn_distance(place_m, lift_place(self, node), dim);
        memcpy(lift_place(self, node), place_m, dim * sizeof place_m[0]);
        self->sum += step_m * step_m;
        ++self->n_changed;
    }
    return 3u * (uint32_t)n_neighbours + 1u;
}

uint32_t cairn_lift_cost(cairn_lift_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const cairn_loss_t *loss = self->cfg->loss != NULL ? self->cfg->loss : &cairn_loss_squared;
    const size_t dim = network->cfg->dim;
    const uint32_t n_lower = lower_rows(network)[node + 1u] - lower_rows(network)[node];
    lift_neighbours_t context;

    cairn_lift_neighbours_begin(&context, self, node, dim);
    for (uint32_t j = n_lower; j < context.degree && lift_is_reached(self, node); ++j) {
        cairn_neighbour_t neighbour;
        cairn_real distance_m;
        cairn_lift_neighbour(&context, j, &neighbour);
        distance_m = cairn_distance(lift_place(self, node), neighbour.place, dim);
        self->sum += neighbour.weight * loss->evaluate(loss, distance_m, neighbour.range, neighbour.scale).error;
    }
    return context.degree + 1u;
}
