/* SPDX-License-Identifier: MIT
 * Suspect: two hypotheses on a located network held against the ranges: ids exchanged, and one id on two devices. */
#ifndef CAIRN_SUSPECT_H
#define CAIRN_SUSPECT_H

#include "cairn/anchors.h"
#include "cairn/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Scratch reals of the functions below, a constant expression. */
#define CAIRN_SUSPECT_WORK_REALS(dim) (CAIRN_ANCHORS_WORK_REALS(dim) + 2u * (size_t)(dim))

/** Costs of the ranges in question, sum of residual^2 / variance, without and with the hypothesis. */
typedef struct cairn_suspect {
    uint32_t n_links;     /* ranges in question */
    cairn_real as_is;     /* cost as the network stands */
    cairn_real otherwise; /* cost if the hypothesis is true */
} cairn_suspect_t;

/**
 * Whether two anchors carry each other's place: every sensor that hears one of them is placed anew among the anchors it
 * hears (all its neighbours, where those are too few), with both as stated and exchanged.
 *
 * network     sealed and located
 * a, b        two anchors
 * work        [work_reals] scratch
 * work_reals  >= CAIRN_SUSPECT_WORK_REALS(dim)
 * result      out; written only when the result is >= 0
 *
 * CAIRN_OK              as stated: exchanging does not fit clearly better
 * CAIRN_REJECTED        the statement is rejected: exchanged, the ranges cost less than a quarter, and 9 less
 * CAIRN_ERR_ARG         NULL, a equals b, or one is no anchor
 * CAIRN_ERR_STATE       the network is open
 * CAIRN_ERR_UNKNOWN_ID  a or b not below the number of nodes
 * CAIRN_ERR_SIZE, CAIRN_ERR_ALIGN  work too short or misaligned
 *
 * Work: two fixes (cairn_anchors_fix) of every sensor that hears a or b.
 */
CAIRN_MUST_CHECK cairn_status cairn_suspect_swap(const cairn_network_t *network, uint32_t a, uint32_t b,
                                                 cairn_real *work, size_t work_reals, cairn_suspect_t *result);

/**
 * The next pair of anchors that can be told apart, because one node ranges to both: the pairs to try with
 * cairn_suspect_swap. Begin with both 0.
 *
 * network  sealed
 * a, b     in: the pair before; out: the next, a < b
 *
 * Returns false after the last pair, and for NULL or an open network. Work: for every pair passed over, the links of a
 * and of its neighbours.
 */
bool cairn_suspect_next_pair(const cairn_network_t *network, uint32_t *a, uint32_t *b);

/**
 * Whether one id stands for two devices: the ranges of the node are split between two places.
 *
 * network     sealed and located
 * node        any node with a place; of an anchor the stated place is left aside
 * work        [work_reals] scratch
 * work_reals  >= CAIRN_SUSPECT_WORK_REALS(dim)
 * place_m     [2 x dim] out: both places in the caller's frame; written only when CAIRN_REJECTED is returned
 * result      out; written only when the result is >= 0
 *
 * CAIRN_OK              one device: its ranges fit one place, or no two
 * CAIRN_REJECTED        two devices: dim + 2 ranges or more fit each of two places, and one place costs four times as
 *                       much as both
 * CAIRN_ERR_ARG         NULL, or the node has no place
 * others                as cairn_suspect_swap
 *
 * Work: 40 dim + 10 placements of the node, and one fix.
 */
CAIRN_MUST_CHECK cairn_status cairn_suspect_double(const cairn_network_t *network, uint32_t node, cairn_real *work,
                                                   size_t work_reals, cairn_real *place_m, cairn_suspect_t *result);

#ifdef __cplusplus
}
#endif
#endif
