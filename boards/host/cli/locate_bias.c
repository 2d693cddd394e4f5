/* SPDX-License-Identifier: MIT
 * Localization of the tool with biases of the ranges: jointly in small networks, in turns with the map in large ones. */
#include "locate_bias.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static const int passes_a_round = 3; /* devices depend on each other */
static const double bend_std = 1.5;

cairn_bias_model_t locate_bias_model(const locate_options_t *options)
{
    switch (options->bias) {
    case LOCATE_BIAS_COMMON: return CAIRN_BIAS_COMMON;
    case LOCATE_BIAS_SCALE: return CAIRN_BIAS_SCALE;
    case LOCATE_BIAS_LINK: return CAIRN_BIAS_LINK;
    default:
        return options->loss == &cairn_loss_log || options->noise_rel >= LOCATE_NOISY_REL ? CAIRN_BIAS_GAIN
                                                                                          : CAIRN_BIAS_DEVICE;
    }
}

bool locate_bias_is_share(const locate_options_t *options)
{
    cairn_bias_model_t model = locate_bias_model(options);
    return options->bias != LOCATE_BIAS_NONE && (model == CAIRN_BIAS_SCALE || model == CAIRN_BIAS_GAIN);
}

/* How far values are expected to be from the mean, where nothing was said: wide, the ranges shall decide. */
static double default_std(cairn_bias_model_t model, const cairn_network_t *network)
{
    double mean_m = 0;
    for (size_t k = 0; k < network->n_ranges; k++) {
        mean_m += (double)network->memory.links[k].range_m / (double)network->n_ranges;
    }
    switch (model) {
    case CAIRN_BIAS_COMMON: return 0.5 * mean_m;
    case CAIRN_BIAS_SCALE: return 0.3;
    case CAIRN_BIAS_GAIN: return 0.2;
    default: return 0.1 * mean_m;
    }
}

cairn_status bias_estimate_begin(bias_estimate_t *self, const locate_options_t *options, const cairn_network_t *network)
{
    memset(self, 0, sizeof *self);
    self->cfg.model = locate_bias_model(options);
    self->cfg.mean = (cairn_real)options->bias_mean;
    self->cfg.std = (cairn_real)(options->bias_std > 0 ? options->bias_std : default_std(self->cfg.model, network));
    self->cfg.bend = (cairn_real)bend_std;
    size_t n_values = CAIRN_BIAS_VALUES(self->cfg.model, network->n_nodes, network->n_ranges);
    self->values = memory_zeroed(n_values, sizeof *self->values);
    size_t n_links = 2 * (size_t)network->n_ranges;
    self->raw = memory_zeroed(n_links, sizeof *self->raw);
    memcpy(self->raw, network->memory.links, n_links * sizeof *self->raw);
    return cairn_bias_init(&self->bias, &self->cfg, network, self->values, n_values);
}

void bias_estimate_apply(const bias_estimate_t *self, cairn_network_t *network)
{
    size_t n_links = 2 * (size_t)network->n_ranges;
    memcpy(network->memory.links, self->raw, n_links * sizeof *self->raw);
    for (uint32_t i = 0; i < network->n_nodes; i++) {
        for (uint32_t j = 0; j < cairn_network_degree(network, i); j++) {
            size_t k = (size_t)(cairn_network_link(network, i, j) - network->memory.links);
            network->memory.links[k].range_m = cairn_bias_correct(&self->bias, i, j);
        }
    }
}

double bias_estimate_update(bias_estimate_t *self, cairn_network_t *network)
{
    size_t n_links = 2 * (size_t)network->n_ranges;
    cairn_link_t *before = memory_zeroed(n_links, sizeof *before);
    double change_m = 0;
    memcpy(before, network->memory.links, n_links * sizeof *before);
    memcpy(network->memory.links, self->raw, n_links * sizeof *self->raw);
    for (int pass = 0; pass < passes_a_round; pass++) {
        for (uint32_t i = 0; i < network->n_nodes; i++) {
            cairn_bias_update(&self->bias, i);
        }
    }
    bias_estimate_apply(self, network);
    for (size_t k = 0; k < n_links; k++) {
        change_m = fmax(change_m, fabs((double)(network->memory.links[k].range_m - before[k].range_m)));
    }
    free(before);
    return change_m;
}

void bias_estimate_summary(const bias_estimate_t *self, locate_answer_t *answer)
{
    double sum = 0;
    double sum2 = 0;
    for (size_t k = 0; k < self->bias.n_values; k++) {
        double value = (double)cairn_bias_get(&self->bias, k);
        sum += value;
        sum2 += value * value;
    }
    answer->has_bias = self->bias.n_values > 0;
    answer->bias_is_factor = self->cfg.model == CAIRN_BIAS_SCALE || self->cfg.model == CAIRN_BIAS_GAIN;
    answer->bias_mean = answer->has_bias ? sum / (double)self->bias.n_values : 0;
    answer->bias_rms = answer->has_bias ? sqrt(sum2 / (double)self->bias.n_values) : 0;
}

void bias_estimate_free(bias_estimate_t *self)
{
    free(self->values);
    free(self->raw);
    memset(self, 0, sizeof *self);
}
