/* SPDX-License-Identifier: MIT
 * How far two labellings agree: purity, Rand index, normalised mutual information, alignment, F1. */
#ifndef CAIRN_AGREE_H
#define CAIRN_AGREE_H

#include "cairn/real.h"
#include "cairn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Count how often each pair of labels occurs.
 *
 * truth, label  [n] labels; an element is left out when one of them is not below k
 * n             any
 * k             1 to 255
 * table         [k x k] out: rows are truths, columns labels
 *
 * Returns the elements counted. Work: n + k^2.
 */
uint32_t cairn_agree_count(const uint8_t *truth, const uint8_t *label, size_t n, size_t k, uint32_t *table);

/**
 * Share of elements that have the commonest truth of their cluster.
 *
 * table  [k x k] of cairn_agree_count
 * k      as there
 *
 * Returns 0 to 1; 0 for an empty table. Work: k^2.
 */
cairn_real cairn_agree_purity(const uint32_t *table, size_t k);

/**
 * Share of pairs of elements on which both labellings agree (together or apart).
 *
 * table  [k x k]
 * k      as there
 *
 * Returns 0 to 1; 1 for fewer than two elements. Work: k^2.
 */
cairn_real cairn_agree_rand(const uint32_t *table, size_t k);

/**
 * Mutual information over the mean of both entropies.
 *
 * table  [k x k]
 * k      as there
 *
 * Returns 0 to 1; 1 when both labellings have one cluster. Work: k^2 logarithms.
 */
cairn_real cairn_agree_nmi(const uint32_t *table, size_t k);

/** Reals of work memory of cairn_agree_align, a constant expression. */
#define CAIRN_AGREE_REALS(k) (6u * ((size_t)(k) + 1u))

/**
 * Match labels to truths, one to one, so that most elements agree (Hungarian method; Kuhn 1955).
 *
 * table  [k x k]
 * k      as there
 * work   [CAIRN_AGREE_REALS(k)] scratch
 * truth  [k] out: the truth that each label stands for
 *
 * Returns the share of elements that agree. Work: k^3. Exact up to 2^24 elements.
 */
cairn_real cairn_agree_align(const uint32_t *table, size_t k, cairn_real *work, uint8_t *truth);

/**
 * F1 of each class under an alignment, mean over the classes that occur (macro-F1).
 *
 * table  [k x k]
 * k      as there
 * truth  [k] the truth that each label stands for, a permutation
 *
 * Returns 0 to 1. Work: k^2.
 */
cairn_real cairn_agree_f1(const uint32_t *table, size_t k, const uint8_t *truth);

#ifdef __cplusplus
}
#endif
#endif
