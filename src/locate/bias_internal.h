/* SPDX-License-Identifier: MIT
 * Bias, for solvers that hold the places in arrays of their own; and the variance of a range's logarithm. */
#ifndef CAIRN_BIAS_INTERNAL_H
#define CAIRN_BIAS_INTERNAL_H

#include "cairn/bias.h"

/* Back to the expected values. */
void cairn_bias_restart(cairn_bias_t *self);

/* cairn_bias_update at places [nodes x stride], of which the first dim coordinates count, whatever the states say; a node
 * that does not count is passed over. */
void cairn_bias_update_at(cairn_bias_t *self, uint32_t node, const cairn_real *places, size_t stride, size_t dim,
                          bool counts);

/* Variance of ln range: a deviation of the range's own was stated at the range, the noise of cfg grows with distance. */
cairn_real cairn_log_variance(const cairn_network_t *network, const cairn_link_t *link, cairn_real distance_m);

#endif
