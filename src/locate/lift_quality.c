/* SPDX-License-Identifier: MIT
 * Lift: deviations by the recursion J = sum u u^T / (variance + u^T C u) over the neighbours with their own covariances C,
 * and states: whether a mirror image of a node among its neighbours fits as well. */
#include "locate/lift_internal.h"

#include "locate/bias_internal.h"
#include "locate/covariance_internal.h"

#define START_SPREAD 2    /* mean ranges: deviation assumed before the first round */
#define INFLATION    3    /* of the variance: what the recursion leaves out by taking neighbours as independent */
#define SAME_PLACE   0.5f /* mean ranges: the place among the neighbours is the one on the map */

static void begin_cover(cairn_lift_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;
    const cairn_real spread_m = (cairn_real)START_SPREAD * self->mean_range_m;
    cairn_real *covariance = lift_covariance(self, node);

    for (size_t k = 0; k < dim; ++k) {
        for (size_t l = 0; l <= k; ++l) {
            *covariance++ = k == l && !network_is_anchor(self->network, node) ? spread_m * spread_m : 0;
        }
    }
}

static cairn_real variance_of(const cairn_lift_t *self, const cairn_link_t *link, cairn_real distance_m)
{
    return self->cfg->loss == &cairn_loss_log
               ? distance_m * distance_m * cairn_log_variance(self->network, link, distance_m)
               : cairn_network_variance(self->network, link, distance_m);
}

uint32_t cairn_lift_cover(cairn_lift_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    const uint32_t degree = network_degree(network, node);
    const cairn_real spread_m = (cairn_real)START_SPREAD * self->mean_range_m;
    cairn_real information[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)] = {0};

    if (self->sweep == 0) {
        begin_cover(self, node);
        return 1;
    }
    if (network_is_anchor(network, node) || !lift_is_reached(self, node)) {
        return 1;
    }
    for (uint32_t j = 0; j < degree; ++j) {
        const cairn_link_t *link = network_link(network, node, j);
        const uint32_t other = cairn_link_node(link);
        cairn_real away[CAIRN_LOCATE_DIM_MAX];
        const cairn_space_metric_t metric = cairn_space_euclidean.metric(&cairn_space_euclidean, lift_place(self, node),
                                                                         lift_place(self, other), dim, node, away);
        const cairn_real variance =
            variance_of(self, link, metric.distance) + cairn_covariance_form(lift_covariance(self, other), away, dim);
        if (variance > 0) {
            cairn_covariance_add(information, away, dim, 1 / variance);
        }
    }
    cairn_covariance_invert(information, dim, 1 / (spread_m * spread_m), lift_covariance(self, node));
    return 2u * degree + 1u;
}

/* Whether the neighbours and the side fit this place only. */
static bool is_unique(const cairn_lift_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;
    cairn_anchors_result_t result = {0, 0};
    lift_neighbours_t context;
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
    const size_t n_neighbours = cairn_lift_neighbours_begin(&context, self, node, dim);
    cairn_status status;

    status = cairn_anchors_fix(&self->fix, cairn_lift_neighbour, &context, n_neighbours, dim, lift_scratch(self),
                               LIFT_SCRATCH_REALS, place_m, &result);
    if (status == CAIRN_FLIP_POSSIBLE && self->hinted && result.mirror_cost - result.cost >= self->fix.flip_cost) {
        status = CAIRN_OK; /* flat neighbours, but the image is on the wrong side */
    }
    return status == CAIRN_OK && cairn_distance(place_m, lift_place(self, node), dim) < SAME_PLACE * self->mean_range_m;
}

/* Anchors in the component of a node are enough, and span enough, to fix its map; a map without anchors has no side. */
static bool is_fixed(const cairn_lift_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const cairn_word_t *labels = lift_labels(self);
    const uint32_t needed = network->cfg->dim + (self->hinted ? 0u : 1u);
    uint32_t n_anchors = 0;

    if (network->n_anchors == 0) {
        return true;
    }
    for (uint32_t i = 0; i < network->n_nodes; ++i) {
        n_anchors += network_is_anchor(network, i) && labels[i].index == labels[node].index ? 1u : 0u;
    }
    return n_anchors >= needed && (self->spanned == network->cfg->dim || self->hinted);
}

/* The node's place and deviation go into the network. */
static CAIRN_NOINLINE void store(const cairn_lift_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;
    const cairn_real *covariance = lift_covariance(self, node);
    cairn_real trace = 0;

    for (size_t k = 0; k < dim; ++k) {
        trace += covariance[k * (k + 3u) / 2u];
    }
    memcpy(network_place(self->network, node), lift_place(self, node), dim * sizeof(cairn_real));
    self->network->memory.std_m[node] = cairn_sqrt((cairn_real)INFLATION * trace / (cairn_real)dim);
}

uint32_t cairn_lift_judge(cairn_lift_t *self, uint32_t node)
{
    cairn_network_t *network = self->network;

    if (network_is_anchor(network, node)) {
        return 1;
    }
    if (!lift_is_reached(self, node) || network_degree(network, node) == 0) {
        network_set_state(network, node, CAIRN_NODE_UNPLACED);
        return 1;
    }
    store(self, node);
    network_set_state(network, node,
                      is_fixed(self, node) && is_unique(self, node) ? CAIRN_NODE_PLACED : CAIRN_NODE_FLIP_POSSIBLE);
    return 24u * network_degree(network, node) + network->n_nodes / 8u + 1u;
}
