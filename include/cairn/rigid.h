/* SPDX-License-Identifier: MIT
 * Rigid fit: the rotation, shift and, if allowed, reflection that lays one set of points best on another. */
#ifndef CAIRN_RIGID_H
#define CAIRN_RIGID_H

#include "cairn/real.h"
#include "cairn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_RIGID_DIM_MAX 3

/** A rigid motion y = turn (x - from) + to. Plain data, filled in by cairn_rigid_fit; 64 bytes with float. */
typedef struct cairn_rigid {
    cairn_real turn[CAIRN_RIGID_DIM_MAX * CAIRN_RIGID_DIM_MAX]; /* [dim x dim] row-major, orthogonal */
    cairn_real from[CAIRN_RIGID_DIM_MAX];                       /* centre of the first set */
    cairn_real to[CAIRN_RIGID_DIM_MAX];                         /* centre of the second */
    uint8_t dim;                                                /* 1 to CAIRN_RIGID_DIM_MAX */
    bool mirrored;                                              /* turn contains a reflection */
} cairn_rigid_t;

/**
 * Least squares fit of a rigid motion that takes the points `from` to the points `to`.
 *
 * self        out; written only if the result is >= 0
 * from        [n x dim] row-major
 * to          [n x dim] row-major, in the same order; may equal from
 * weight      [n] weights >= 0, or NULL: all 1
 * n           number of points, >= 1
 * dim         1 to CAIRN_RIGID_DIM_MAX
 * reflection  whether a mirror image is allowed; a map made from ranges alone needs it, a body in space does not
 * rms         out, nullable: root of the weighted mean of the squared distances left; written only if the result is >= 0
 *
 * CAIRN_OK             fitted
 * CAIRN_FLIP_POSSIBLE  fitted, reflection is allowed, and the other hand fits as well: the points lie in one line (2-D)
 *                      or plane (3-D); the motion without reflection was taken
 * CAIRN_ERR_ARG        NULL, n or dim out of range, a negative weight, or no weight above 0
 * CAIRN_ERR_NONFINITE  a coordinate or weight is NaN or infinite
 *
 * What the points leave open (one point: the rotation) is fixed but arbitrary. Work: 3 n passes of dim^2, and in 3-D the
 * eigenvectors of a 4 x 4 matrix. No scratch. Only + - * / sqrt.
 * Source: Horn, J. Opt. Soc. Am. A 4 (1987) 629 (3-D); with a reflection the smallest eigenvalue takes the place of the
 * largest (derived).
 */
CAIRN_MUST_CHECK cairn_status cairn_rigid_fit(cairn_rigid_t *self, const cairn_real *from, const cairn_real *to,
                                              const cairn_real *weight, size_t n, size_t dim, bool reflection,
                                              cairn_real *rms);

/**
 * Move one point.
 *
 * self  a fitted motion
 * x     [dim] point
 * y     [dim] out; may equal x
 *
 * Work: dim^2 multiply-adds.
 */
void cairn_rigid_apply(const cairn_rigid_t *self, const cairn_real *x, cairn_real *y);

#ifdef __cplusplus
}
#endif
#endif
