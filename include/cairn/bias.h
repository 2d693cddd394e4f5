/* SPDX-License-Identifier: MIT
 * Bias of ranges, estimated with the map: one for all, a scale error, one per link, one per device. */
#ifndef CAIRN_BIAS_H
#define CAIRN_BIAS_H

#include "cairn/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is wrong with the ranges beside noise: how a true distance d is read as a range r. */
typedef enum cairn_bias_model {
    CAIRN_BIAS_COMMON = 0, /* r = d + b: cables, antenna delay of one make */
    CAIRN_BIAS_SCALE = 1,  /* r = d / c: clock error, path loss exponent */
    CAIRN_BIAS_LINK = 2,   /* r = d + b_ij: a wall between two devices */
    CAIRN_BIAS_DEVICE = 3, /* r = d + b_i + b_j: antenna delay of each device */
    CAIRN_BIAS_GAIN = 4    /* r = d / (c_i c_j): transmit power and antenna of each device, in signal strength */
} cairn_bias_model_t;

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_bias_cfg {
    cairn_bias_model_t model;
    cairn_real mean; /* expected value: metres for offsets; ln c for SCALE and GAIN; -10 to 10 for those */
    cairn_real std;  /* how far a value may be from it, same unit, > 0. Typical: .3 m for UWB, .05 SCALE, .2 GAIN */
    cairn_real bend; /* residuals beyond this many deviations count less (Huber), >= 0, default 1.5; 0: squared */
} cairn_bias_cfg_t;

/** Values of a model: 1, or one per link or node. A constant expression. */
#define CAIRN_BIAS_VALUES(model, nodes, ranges)                                                                        \
    ((model) == CAIRN_BIAS_COMMON || (model) == CAIRN_BIAS_SCALE ? (size_t)1                                           \
     : (model) == CAIRN_BIAS_LINK                                ? (size_t)(ranges)                                    \
                                                                 : (size_t)(nodes))

/** An estimate in progress. Private, read by the functions below; 48 bytes with 32-bit pointers. */
typedef struct cairn_bias {
    const cairn_bias_cfg_t *cfg;
    const cairn_network_t *network;
    cairn_real *values; /* [n_values] metres, or factors c */
    size_t n_values;
    cairn_real pull; /* sums of a pass, for the models with one value */
    cairn_real weight;
} cairn_bias_t;

/**
 * Start with the expected values.
 *
 * self      out, every field is written
 * cfg       settings, kept by self
 * network   sealed, kept by self
 * values    [n_values] caller's, kept by self; need not be cleared
 * n_values  >= CAIRN_BIAS_VALUES(model, nodes, distinct ranges)
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL or a setting out of range
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       too few values
 * CAIRN_ERR_ALIGN      values misaligned
 * CAIRN_ERR_STATE      the network is open
 *
 * Work: O(n_values).
 */
CAIRN_MUST_CHECK cairn_status cairn_bias_init(cairn_bias_t *self, const cairn_bias_cfg_t *cfg,
                                              const cairn_network_t *network, cairn_real *values, size_t n_values);

/**
 * A range without its bias.
 *
 * self  started
 * node  < nodes of the network
 * j     < its degree
 *
 * Returns the estimated distance, metres, at least .001 of the range. Work: O(1); for LINK log2 of the degree.
 */
cairn_real cairn_bias_correct(const cairn_bias_t *self, uint32_t node, uint32_t j);

/**
 * Improve the values by the links of one node at the present places of the network; call it for node 0 to the last, in
 * order, which is one pass, and alternate passes with improvements of the map. Links to nodes without a place count
 * nothing. The values minimise the cost of the ranges and of their own deviation from the expectation, given the map:
 * LINK, DEVICE and GAIN move at once, COMMON and SCALE at the last node.
 *
 * self  started
 * node  < nodes of the network
 *
 * Work: O(degree). Source: rd-track sections 6 and 8; the models of one value are derived the same way.
 */
void cairn_bias_update(cairn_bias_t *self, uint32_t node);

/**
 * One value: offset in metres, or ln c.
 *
 * self  started
 * k     < n_values; LINK: the number of the link in the order of ascending pairs; DEVICE and GAIN: the node
 *
 * Returns the value; 0 when k is out of range. Work: O(1).
 */
cairn_real cairn_bias_get(const cairn_bias_t *self, size_t k);

/**
 * Cost of the values' own deviation: sum of ((value - mean) / std)^2, in the unit of a cost with weights 1/variance.
 *
 * self  started
 *
 * Returns the sum. Work: O(n_values).
 */
cairn_real cairn_bias_get_cost(const cairn_bias_t *self);

#ifdef __cplusplus
}
#endif
#endif
