/* SPDX-License-Identifier: MIT
 * The number type of Cairn and the few operations whose spelling depends on it. */
#ifndef CAIRN_REAL_H
#define CAIRN_REAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cairn/config.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CAIRN_REAL_DOUBLE
typedef double cairn_real;
#define CAIRN_REAL_C(digits) ((cairn_real)digits##l)
#define CAIRN_REAL_EPSILON   DBL_EPSILON
#define CAIRN_REAL_MAX       DBL_MAX
#define CAIRN_REAL_LEAST     DBL_MIN /* the smallest normal number */
#else
typedef float cairn_real;
#define CAIRN_REAL_C(digits) digits##f /* a constant whose digits matter, in the type's precision */
#define CAIRN_REAL_EPSILON   FLT_EPSILON
#define CAIRN_REAL_MAX       FLT_MAX
#define CAIRN_REAL_LEAST     FLT_MIN /* the smallest normal number */
#endif

/**
 * Whether a number is neither NaN nor infinite, decided from its bits so that no compiler flag can remove the test.
 *
 * x  any value
 *
 * Returns true when finite. Work: O(1).
 */
static inline bool cairn_isfinite(cairn_real x)
{
#ifdef CAIRN_REAL_DOUBLE
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & UINT64_C(0x7FF0000000000000)) != UINT64_C(0x7FF0000000000000);
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & UINT32_C(0x7F800000)) != UINT32_C(0x7F800000);
#endif
}

/**
 * Square root, correctly rounded on every supported target.
 *
 * x  >= 0
 *
 * Returns the root. Work: O(1).
 */
static inline cairn_real cairn_sqrt(cairn_real x)
{
#ifdef CAIRN_REAL_DOUBLE
    return sqrt(x);
#else
    return sqrtf(x);
#endif
}

/**
 * Magnitude.
 *
 * x  any value
 *
 * Returns |x|. Work: O(1).
 */
static inline cairn_real cairn_abs(cairn_real x)
{
#ifdef CAIRN_REAL_DOUBLE
    return fabs(x);
#else
    return fabsf(x); /* one instruction of a floating-point unit, and one bit without */
#endif
}

/**
 * Smaller of two finite numbers.
 *
 * a, b  finite
 *
 * Returns the smaller. Work: O(1).
 */
static inline cairn_real cairn_min(cairn_real a, cairn_real b) { return a < b ? a : b; }

/**
 * Larger of two finite numbers.
 *
 * a, b  finite
 *
 * Returns the larger. Work: O(1).
 */
static inline cairn_real cairn_max(cairn_real a, cairn_real b) { return a > b ? a : b; }

/**
 * Whether a pointer is aligned for elements of a power-of-two size.
 *
 * pointer  any
 * size     element size, a power of two
 *
 * Returns true when aligned. Work: O(1).
 */
static inline bool cairn_aligned(const void *pointer, size_t size) { return ((uintptr_t)pointer & (size - 1u)) == 0; }

#ifdef __cplusplus
}
#endif
#endif
