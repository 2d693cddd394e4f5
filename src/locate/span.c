/* SPDX-License-Identifier: MIT
 * How far places span: principal axes of their scatter. */
#include "locate/span_internal.h"

#include "locate/covariance_internal.h"
#include "locate/network_internal.h"
#include "locate/trilaterate_internal.h"

#define FLAT_RATIO 1e-4f /* of the largest variance; an axis of less is not spanned */

static void add_share(span_t *self, const cairn_real *place_m, uint32_t n_places, size_t dim)
{
    for (size_t k = 0; k < dim; ++k) {
        self->centre_m[k] += place_m[k] / (cairn_real)n_places;
    }
}

static void add(span_t *self, const cairn_real *place_m, size_t dim)
{
    cairn_real away_m[CAIRN_LOCATE_DIM_MAX];

    for (size_t k = 0; k < dim; ++k) {
        away_m[k] = place_m[k] - self->centre_m[k];
    }
    cairn_covariance_add(self->scatter, away_m, dim, 1);
    self->extent_m = cairn_max(self->extent_m, cairn_sqrt(cairn_dot(away_m, away_m, dim)));
}

static void find_axes(span_t *self, size_t dim)
{
    const cairn_real *end = self->variances + dim;

    cairn_principal_axes(self->scatter, dim, self->variances, self->axes);
    if (self->extent_m >= CAIRN_NETWORK_LENGTH_LEAST) {
        const cairn_real least = FLAT_RATIO * end[-1];
        while (end > self->variances && end[-1] > least) {
            --end;
            ++self->n_axes;
        }
    }
}

CAIRN_NOINLINE void cairn_span_anchors(span_t *self, const cairn_network_t *network)
{
    const size_t dim = network->cfg->dim;

    memset(self, 0, sizeof *self);
    for (uint32_t i = 0; i < network->n_nodes; ++i) {
        if (network_is_anchor(network, i)) {
            add_share(self, network_place(network, i), network->n_anchors, dim);
        }
    }
    for (uint32_t i = 0; i < network->n_nodes; ++i) {
        if (network_is_anchor(network, i)) {
            add(self, network_place(network, i), dim);
        }
    }
    find_axes(self, dim);
}

CAIRN_NOINLINE void cairn_span_listed(span_t *self, const cairn_network_t *network, const cairn_word_t *nodes,
                                      uint32_t n_listed)
{
    const size_t dim = network->cfg->dim;

    memset(self, 0, sizeof *self);
    for (uint32_t k = 0; k < n_listed; ++k) {
        const cairn_real *place_m = network_place(network, nodes[k].index);
        for (size_t i = 0; i < dim; ++i) {
            self->centre_m[i] += place_m[i] / (cairn_real)n_listed;
        }
    }
    for (uint32_t k = 0; k < n_listed; ++k) {
        add(self, network_place(network, nodes[k].index), dim);
    }
    find_axes(self, dim);
}

CAIRN_NOINLINE void cairn_span_neighbours(span_t *self, const cairn_network_t *network, uint32_t node)
{
    const size_t dim = network->cfg->dim;
    const uint32_t degree = network_degree(network, node);

    memset(self, 0, sizeof *self);
    for (uint32_t j = 0; j < degree; ++j) {
        add_share(self, network_place(network, cairn_link_node(network_link(network, node, j))), degree, dim);
    }
    for (uint32_t j = 0; j < degree; ++j) {
        add(self, network_place(network, cairn_link_node(network_link(network, node, j))), dim);
    }
    find_axes(self, dim);
}

cairn_real cairn_span_height(const span_t *self, const cairn_real *place_m, size_t dim)
{
    cairn_real height_m = 0;

    for (size_t k = 0; k < dim; ++k) {
        height_m += (place_m[k] - self->centre_m[k]) * self->axes[k];
    }
    return height_m;
}
