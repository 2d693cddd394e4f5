/* SPDX-License-Identifier: MIT
 * Bias. Each value is the weighted mean of what its links miss at the present map, with the expectation as one more
 * measurement: the exact minimum of the joint cost along that value, so that alternating with the map is coordinate
 * descent. Gains work on logarithms. */
#include "cairn/bias.h"

#include "cairn/scalar.h"
#include "cairn/vector.h"
#include "locate/bias_internal.h"
#include "locate/network_internal.h"

#define RANGE_LEAST    1e-3f /* of the range: what a bias leaves of it */
#define DISTANCE_LEAST 1e-3f /* of the range: nearer pairs say no more about a gain */
#define FACTOR_MOST    10    /* |ln c| */

static bool is_factor(cairn_bias_model_t model) { return model == CAIRN_BIAS_SCALE || model == CAIRN_BIAS_GAIN; }

static size_t n_needed(const cairn_bias_cfg_t *cfg, const cairn_network_t *network)
{
    return CAIRN_BIAS_VALUES(cfg->model, network->n_nodes, network->n_ranges);
}

static cairn_status check(const cairn_bias_cfg_t *cfg)
{
    if (!cairn_isfinite(cfg->mean) || !cairn_isfinite(cfg->std) || !cairn_isfinite(cfg->bend)) {
        return CAIRN_ERR_NONFINITE;
    }
    if ((unsigned)cfg->model > CAIRN_BIAS_GAIN || !(cfg->std > 0) || cfg->bend < 0 ||
        (is_factor(cfg->model) && cairn_abs(cfg->mean) > FACTOR_MOST)) {
        return CAIRN_ERR_ARG;
    }
    return CAIRN_OK;
}

void cairn_bias_restart(cairn_bias_t *self)
{
    const cairn_real mean = is_factor(self->cfg->model) ? cairn_exp(self->cfg->mean) : self->cfg->mean;

    for (size_t k = 0; k < self->n_values; ++k) {
        self->values[k] = mean;
    }
    self->pull = 0;
    self->weight = 0;
}

cairn_status cairn_bias_init(cairn_bias_t *self, const cairn_bias_cfg_t *cfg, const cairn_network_t *network,
                             cairn_real *values, size_t n_values)
{
    cairn_status status;

    if (self == NULL || cfg == NULL || network == NULL || values == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = check(cfg);
    if (status != CAIRN_OK) {
        return status;
    }
    if (!network->sealed) {
        return CAIRN_ERR_STATE;
    }
    if (!cairn_aligned(values, sizeof *values)) {
        return CAIRN_ERR_ALIGN;
    }
    if (n_values < n_needed(cfg, network)) {
        return CAIRN_ERR_SIZE;
    }
    self->cfg = cfg;
    self->network = network;
    self->values = values;
    self->n_values = n_needed(cfg, network);
    cairn_bias_restart(self);
    return CAIRN_OK;
}

/* Number of a node's j-th link among all pairs, which is its place in the upper rows. */
static size_t link_number(const cairn_network_t *network, uint32_t node, uint32_t j)
{
    const uint32_t n_lower = lower_rows(network)[node + 1u] - lower_rows(network)[node];
    uint32_t other;
    size_t low;
    size_t high;

    if (j >= n_lower) {
        return (size_t)upper_rows(network)[node] + (j - n_lower);
    }
    other = cairn_link_node(network_link(network, node, j));
    low = upper_rows(network)[other];
    high = (size_t)upper_rows(network)[other + 1u] - 1u;
    while (low < high) { /* rows are in ascending order of the other node */
        const size_t middle = low + (high - low) / 2;
        if (cairn_link_node(upper_links(network) + middle) < node) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

cairn_real cairn_bias_correct(const cairn_bias_t *self, uint32_t node, uint32_t j)
{
    const cairn_link_t *link = network_link(self->network, node, j);
    const cairn_real range_m = link->range_m;
    const cairn_real *values = self->values;
    cairn_real corrected_m;

    switch (self->cfg->model) {
    case CAIRN_BIAS_COMMON: corrected_m = range_m - values[0]; break;
    case CAIRN_BIAS_SCALE: corrected_m = range_m * values[0]; break;
    case CAIRN_BIAS_LINK: corrected_m = range_m - values[link_number(self->network, node, j)]; break;
    case CAIRN_BIAS_DEVICE: corrected_m = range_m - values[node] - values[cairn_link_node(link)]; break;
    default: corrected_m = range_m * values[node] * values[cairn_link_node(link)]; break;
    }
    return cairn_max(corrected_m, RANGE_LEAST * range_m);
}

cairn_real cairn_log_variance(const cairn_network_t *network, const cairn_link_t *link, cairn_real distance_m)
{
    const cairn_real at_m = link->node_and_std >> LINK_STD_SHIFT != 0
                                ? link->range_m
                                : cairn_max(distance_m, DISTANCE_LEAST * link->range_m);

    return cairn_network_variance(network, link, at_m) / (at_m * at_m);
}

/* What one link says about the value that `others` of its biases leave, and how much that weighs. */
static void add_link(const cairn_bias_t *self, const cairn_link_t *link, cairn_real distance_m, cairn_real others,
                     cairn_real value, cairn_real *pull, cairn_real *weight)
{
    const cairn_bias_cfg_t *cfg = self->cfg;
    const bool factor = is_factor(cfg->model);
    const cairn_real floored_m = cairn_max(distance_m, DISTANCE_LEAST * link->range_m);
    const cairn_real variance = factor ? cairn_log_variance(self->network, link, distance_m)
                                       : cairn_network_variance(self->network, link, distance_m);
    const cairn_real seen =
        factor ? cairn_log(floored_m / (link->range_m * others)) : link->range_m - others - distance_m;
    const cairn_real size = cairn_abs(seen - value);
    const cairn_real bend = cfg->bend * cairn_sqrt(variance);
    const cairn_real w = (cfg->bend > 0 && size > bend ? bend / size : 1) / variance;

    *pull += w * (seen - cfg->mean);
    *weight += w;
}

/* The expectation counts as one measurement more. */
static cairn_real settle(const cairn_bias_cfg_t *cfg, cairn_real pull, cairn_real weight)
{
    const cairn_real value = cfg->mean + pull / (weight + 1 / (cfg->std * cfg->std));

    return is_factor(cfg->model) ? cairn_exp(value) : value;
}

static cairn_real value_of(const cairn_bias_t *self, size_t k)
{
    return is_factor(self->cfg->model) ? cairn_log(self->values[k]) : self->values[k];
}

/* Links of one node, as the model groups them. */
static void update_node(cairn_bias_t *self, uint32_t node, const cairn_real *places, size_t stride, size_t dim,
                        bool known_only)
{
    const cairn_network_t *network = self->network;
    const cairn_bias_model_t model = self->cfg->model;
    const bool per_node = model == CAIRN_BIAS_DEVICE || model == CAIRN_BIAS_GAIN;
    const uint32_t degree = network_degree(network, node);
    const uint32_t n_lower = lower_rows(network)[node + 1u] - lower_rows(network)[node];
    cairn_real pull = 0;
    cairn_real weight = 0;

    for (uint32_t j = per_node ? 0 : n_lower; j < degree; ++j) {
        const cairn_link_t *link = network_link(network, node, j);
        const uint32_t other = cairn_link_node(link);
        const size_t k = per_node ? node : model == CAIRN_BIAS_LINK ? link_number(network, node, j) : 0;
        const cairn_real none = is_factor(model) ? 1.0f : 0.0f;
        if (!known_only || (network_is_known(network, node) && network_is_known(network, other))) {
            add_link(self, link, cairn_distance(places + node * stride, places + other * stride, dim),
                     per_node ? self->values[other] : none, value_of(self, k), &pull, &weight);
        }
        if (model == CAIRN_BIAS_LINK) {
            self->values[k] = settle(self->cfg, pull, weight);
            pull = 0;
            weight = 0;
        }
    }
    if (per_node) {
        self->values[node] = settle(self->cfg, pull, weight);
    }
    self->pull += pull;
    self->weight += weight;
}

static void begin_pass(cairn_bias_t *self, uint32_t node)
{
    if (node == 0) {
        self->pull = 0;
        self->weight = 0;
    }
}

static void end_pass(cairn_bias_t *self, uint32_t node)
{
    const bool one_value = self->cfg->model == CAIRN_BIAS_COMMON || self->cfg->model == CAIRN_BIAS_SCALE;

    if (one_value && node + 1u == self->network->n_nodes) {
        self->values[0] = settle(self->cfg, self->pull, self->weight);
    }
}

void cairn_bias_update_at(cairn_bias_t *self, uint32_t node, const cairn_real *places, size_t stride, size_t dim,
                          bool counts)
{
    begin_pass(self, node);
    if (counts) {
        update_node(self, node, places, stride, dim, false);
    }
    end_pass(self, node);
}

void cairn_bias_update(cairn_bias_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;

    if (node < network->n_nodes) {
        begin_pass(self, node);
        update_node(self, node, network->memory.place_m, network->cfg->dim, network->cfg->dim, true);
        end_pass(self, node);
    }
}

cairn_real cairn_bias_get(const cairn_bias_t *self, size_t k) { return k < self->n_values ? value_of(self, k) : 0; }

cairn_real cairn_bias_get_cost(const cairn_bias_t *self)
{
    cairn_real sum = 0;

    for (size_t k = 0; k < self->n_values; ++k) {
        const cairn_real deviation = (value_of(self, k) - self->cfg->mean) / self->cfg->std;
        sum += deviation * deviation;
    }
    return sum;
}
