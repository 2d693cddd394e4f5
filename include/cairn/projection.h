/* SPDX-License-Identifier: MIT
 * Projection: vectors of any length become points of a sphere of fewer dimensions, by a random matrix of signs that is drawn
 * anew for each vector and never stored. Nothing is learned and nothing is kept: 16 bytes for any number of features. */
#ifndef CAIRN_PROJECTION_H
#define CAIRN_PROJECTION_H

#include "cairn/rng.h"
#include "cairn/status.h"
#include "cairn/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A projection. Plain data; equal values give the same matrix on every target. */
typedef struct cairn_projection {
    uint64_t seed;       /* of the matrix */
    uint16_t n_features; /* d, 1 to 65535 */
    uint16_t dim;        /* k of the sphere's surface, 1 to 65534; places have k + 1 coordinates */
} cairn_projection_t;

/**
 * Place a vector on the sphere of radius 1 in k + 1 coordinates.
 *
 * With probability 1 - delta the angles between n vectors stay within 1 +- eps of what they were, for k of the order of
 * log(n / delta) / eps^2, eps <= 1/4: this needs tens to hundreds of coordinates; for two or three use cairn_embed_push.
 *
 * self      settings
 * features  [n_features]; only its direction counts
 * place     [dim + 1] out, of length 1; written only with CAIRN_OK; overlaps no input
 *
 * CAIRN_OK             placed
 * CAIRN_ERR_ARG        NULL, or a setting out of range
 * CAIRN_ERR_NONFINITE  a feature is NaN or infinite
 * CAIRN_ERR_RANGE      the vector has no direction: all 0
 *
 * A vector whose sums are all exactly 0 comes to (1, 0, ...). Work: d (k + 1) additions and d (k + 1) / 32 draws. No
 * scratch. Only + - * / and the square root.
 * Source: thesis chapter 5, bounded error by projection; signs in place of normal numbers: Achlioptas, J. Computer and
 * System Sciences 66 (2003) 671.
 */
CAIRN_MUST_CHECK cairn_status cairn_projection_place(const cairn_projection_t *self, const cairn_real *features,
                                                     cairn_real *place);

#ifdef __cplusplus
}
#endif
#endif
