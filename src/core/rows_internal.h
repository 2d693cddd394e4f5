/* SPDX-License-Identifier: MIT
 * Loops over long rows of numbers. Sums are taken in four lanes, number i in lane i mod 4, and the lanes are added as
 * (0 + 2) + (1 + 3): one order of additions for all targets, which vector units take four at a time. */
#ifndef CAIRN_ROWS_INTERNAL_H
#define CAIRN_ROWS_INTERNAL_H

#include "cairn/real.h"

enum { ROWS_LANES = 4 };

/* With a vector unit the four lanes are summed side by side, else one after another, each in a register: EACH_LANE runs over
 * those at work. EACH_IN_ROW is the head of a loop over j < n, n a multiple of four. */
#if (defined(__SSE2__) || defined(__ARM_NEON)) && !defined(__OPTIMIZE_SIZE__)
#define ROWS_SIDE_BY_SIDE
enum { ROWS_ABREAST = ROWS_LANES };
#define EACH_IN_ROW(n)                                                                                                 \
    for (size_t block = 0; block < (n); block += ROWS_LANES)                                                           \
        for (size_t lane = 0, j = block; lane < ROWS_LANES; ++lane, ++j)
#else
enum { ROWS_ABREAST = 1 };
#define EACH_IN_ROW(n) for (size_t j = 0; j < (n); ++j)
#endif
#define EACH_LANE for (size_t lane = 0; lane < ROWS_ABREAST; ++lane)

static inline cairn_real rows_sum_lanes(const cairn_real lanes[ROWS_LANES])
{
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

/* out[j] = sum_i p[i] row_j[i] for n rows of length d, `stride` apart; out overlaps neither. */
void cairn_rows_dot(const cairn_real *p, const cairn_real *rows, size_t n, size_t stride, size_t d, cairn_real *out);

/* out[j] = sum_i (p[i] - row_j[i])^2, direct differences, which lose nothing when p and the rows share a large offset. */
void cairn_rows_square(const cairn_real *p, const cairn_real *rows, size_t n, size_t stride, size_t d, cairn_real *out);

/* row[i] = its square root */
void cairn_rows_root(cairn_real *row, size_t d);

/* row[i] += factor other[i]; the two do not overlap. */
void cairn_rows_add(cairn_real *restrict row, cairn_real factor, const cairn_real *restrict other, size_t d);

#endif
