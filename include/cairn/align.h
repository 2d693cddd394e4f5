/* SPDX-License-Identifier: MIT
 * Align: the turn, shift and, if allowed, mirror image that lays one map best on another, in any number of dimensions, so
 * that axes stay as they were from one set of landmarks to the next. */
#ifndef CAIRN_ALIGN_H
#define CAIRN_ALIGN_H

#include "cairn/status.h"
#include "cairn/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_ALIGN_DIM_MAX 1024

/** Reals of scratch, a constant expression. */
#define CAIRN_ALIGN_REALS(k) (3u * (size_t)(k) * (size_t)(k) + 3u * (size_t)(k))

/**
 * Least squares fit: to_i ~ rotation from_i + shift (orthogonal Procrustes). With the places of the same vectors in two
 * embeddings, cairn_embed_move takes the result and lays the later one on the earlier.
 *
 * from      [n x k] row-major
 * to        [n x k] row-major, in the same order; may equal from
 * n         points, >= 1
 * k         1 to CAIRN_ALIGN_DIM_MAX
 * mirror    whether a mirror image is allowed. Between maps made from distances alone it must be: each comes in either hand,
 *           and the picture keeps its hand only so. Within one map that has only drifted, false locks the hand
 * rotation  [k x k] row-major out, orthogonal; overlaps no input
 * shift     [k] out
 * work      [n_work] scratch
 * n_work    >= CAIRN_ALIGN_REALS(k)
 *
 * CAIRN_OK             fitted
 * CAIRN_FLIP_POSSIBLE  fitted, but the points span fewer than k dimensions: a mirror image fits as well. What they leave
 *                      open is fixed but arbitrary, and without a mirror image
 * CAIRN_ERR_ARG        NULL, n or k out of range
 * CAIRN_ERR_SIZE       work is too short
 * CAIRN_ERR_ALIGN      an array is misaligned
 * CAIRN_ERR_NONFINITE  a coordinate is not finite, or their products overflow
 *
 * rotation and shift are written only with CAIRN_OK and CAIRN_FLIP_POSSIBLE. Work: n k^2 + at most 30 sweeps of 3 k^3, about
 * 6 in practice. Only + - * / and the square root.
 * Source: Schoenemann, Psychometrika 31 (1966) 1; singular vectors by one-sided rotations (Hestenes, J. SIAM 6 (1958) 51).
 */
CAIRN_MUST_CHECK cairn_status cairn_align_fit(const cairn_real *from, const cairn_real *to, size_t n, size_t k,
                                              bool mirror, cairn_real *rotation, cairn_real *shift, cairn_real *work,
                                              size_t n_work);

#ifdef __cplusplus
}
#endif
#endif
