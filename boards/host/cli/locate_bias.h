/* SPDX-License-Identifier: MIT
 * Localization of the tool with biases of the ranges: jointly in small networks, in turns with the map in large ones. */
#ifndef CLI_LOCATE_BIAS_H
#define CLI_LOCATE_BIAS_H

#include "locate_job.h"

/* Networks up to this many nodes can be solved by the sweeps through one extra dimension. */
#define LOCATE_LIFT_NODES_MAX 250

/* What the biases came to, for the summary. */
typedef struct bias_estimate {
    cairn_bias_t bias;
    cairn_bias_cfg_t cfg;
    cairn_real *values; /* NULL: no bias was asked for */
    cairn_link_t *raw;  /* ranges as measured, while the network holds corrected ones */
} bias_estimate_t;

/* The library's model for an option; device is a gain where the noise grows with the range, else an offset. */
cairn_bias_model_t locate_bias_model(const locate_options_t *options);

/* Whether the bias is a share of the range. */
bool locate_bias_is_share(const locate_options_t *options);

/* Begin on a sealed network whose links are `links`. */
cairn_status bias_estimate_begin(bias_estimate_t *self, const locate_options_t *options,
                                 const cairn_network_t *network);

/* Estimate at the network's places, as measured; the network gets the corrected ranges. Returns the largest change of a
 * range, metres. */
double bias_estimate_update(bias_estimate_t *self, cairn_network_t *network);

/* Give the network the corrected ranges at the present values. */
void bias_estimate_apply(const bias_estimate_t *self, cairn_network_t *network);

/* Mean and root mean square of the values: metres, or the natural logarithm of the factor. */
void bias_estimate_summary(const bias_estimate_t *self, locate_answer_t *answer);

void bias_estimate_free(bias_estimate_t *self);

#endif
