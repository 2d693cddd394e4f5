/* SPDX-License-Identifier: MIT
 * Deviations and states. The information of a node is J = sum u u^T / (variance
 * + u^T C u) over its neighbours with their own covariances C (measured: five
 * Gauss-Seidel rounds converge, and it is too small by a constant, which
 * INFLATION takes back). A node is unique when its mirror image among its
 * neighbours fits clearly worse. */
#include "cairn/anchors.h"
#include "locate/covariance_internal.h"
#include "locate/locate_internal.h"

#define START_SPREAD 2.0f /* radio ranges: deviation assumed before the first round */
#define INFLATION                                                                                                      \
    3.0f /* of the variance: what the recursion leaves out by taking neighbours  \
          as independent */

static uint32_t begin_visit(cairn_locate_t *self, uint32_t node)
{
    const size_t dim = self->network->cfg->dim;
    const bool anchor = network_is_anchor(self->network, node);
    const cairn_real spread_m = START_SPREAD * self->radio_range_m;
    cairn_real *covariance = locate_sums(self, node);

    for (size_t k = 0; k < dim; ++k) {
        for (size_t l = 0; l <= k; ++l) {
            *covariance++ = k == l && !anchor ? spread_m * spread_m : 0;
        }
    }
    return 1;
}

static uint32_t covariance_visit(cairn_locate_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    const uint32_t degree = network_degree(network, node);
    const cairn_real spread_m = START_SPREAD * self->radio_range_m;
    cairn_real information[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)] = {0};
    cairn_real floor = 1 / (spread_m * spread_m);

    if (network_is_anchor(network, node) || !network_is_known(network, node)) {
        return 1;
    }
    for (uint32_t j = 0; j < degree; ++j) {
        const cairn_link_t *link = network_link(network, node, j);
        const uint32_t other = cairn_link_node(link);
        cairn_real away[CAIRN_LOCATE_DIM_MAX];
        if (network_is_known(network, other)) {
            const cairn_space_metric_t metric = cairn_space_euclidean.metric(
                &cairn_space_euclidean, network_place(network, node), network_place(network, other), dim, node, away);
            const cairn_real variance = cairn_network_variance(network, link, metric.distance) +
                                        cairn_covariance_form(locate_sums(self, other), away, dim);
            cairn_covariance_add(information, away, dim, 1 / variance);
        }
    }
    if (locate_has_start(self, node)) {
        floor += 1 / (self->start_std_m * self->start_std_m);
    }
    cairn_covariance_invert(information, dim, floor, locate_sums(self, node));
    return 2u * degree + 1u;
}

/* Whether the neighbours and the start fit this place only. */
static bool is_unique(const cairn_locate_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    locate_neighbours_t context;
    cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
    const size_t n_neighbours = cairn_locate_neighbours_begin(&context, self, node);

    if (locate_has_start(self, node) && self->starts_used) {
        return true; /* the start tells the sides apart */
    }
    return cairn_anchors_fix(&self->fix, cairn_locate_neighbour, &context, n_neighbours, dim, locate_scratch(self),
                             LOCATE_SCRATCH_REALS, place_m, NULL) == CAIRN_OK &&
           cairn_distance(place_m, network_place(network, node), dim) < 0.5f * self->radio_range_m;
}

static uint32_t state_visit(cairn_locate_t *self, uint32_t node)
{
    cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    const cairn_real *covariance = locate_sums(self, node);
    const cairn_node_state before = network_state(network, node);
    cairn_real trace = 0;

    if (before == CAIRN_NODE_ANCHOR || before == CAIRN_NODE_UNPLACED) {
        return 1;
    }
    for (size_t k = 0; k < dim; ++k) {
        trace += covariance[k * (k + 3u) / 2u];
    }
    network->memory.std_m[node] = cairn_sqrt(INFLATION * trace / (cairn_real)dim);
    if (before != CAIRN_NODE_FLIP_POSSIBLE) {
        /* the state of a started node is needed by is_unique, so it is set last */
        network_set_state(network, node, is_unique(self, node) ? CAIRN_NODE_PLACED : CAIRN_NODE_FLIP_POSSIBLE);
    }
    return 24u * network_degree(network, node) + 1u;
}

void cairn_locate_quality(cairn_locate_t *self, int32_t *operations)
{
    enum { BEGIN, COVARIANCE, STATE = LOCATE_QUALITY_STATE };

    switch (self->phase) {
    case BEGIN: self->phase = cairn_locate_pass(self, operations, begin_visit) ? COVARIANCE : BEGIN; break;
    case COVARIANCE:
        if (cairn_locate_pass(self, operations, covariance_visit)) {
            self->phase = ++self->pass == ROUNDS_OF_QUALITY ? STATE : COVARIANCE;
        }
        break;
    default:
        if (cairn_locate_pass(self, operations, state_visit)) {
            cairn_locate_enter(self, CAIRN_LOCATE_DONE);
        }
        break;
    }
}
