/* SPDX-License-Identifier: MIT
 * Build-time settings of Cairn. Each has a default; replace any with -D or with -DCAIRN_CONFIG_FILE="\"file.h\"". */
#ifndef CAIRN_CONFIG_H
#define CAIRN_CONFIG_H

#ifdef CAIRN_CONFIG_FILE
#include CAIRN_CONFIG_FILE
#endif

/* Cairn tests numbers for NaN and infinity; a compiler told that they do not exist removes the tests. */
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ == 1 && !defined(CAIRN_ALLOW_FAST_MATH)
#error "Cairn refuses -ffast-math (-ffinite-math-only): its checks for NaN and infinity would be removed"
#endif

/* CAIRN_REAL_DOUBLE: define it to compute in double instead of float. Doubles every array of reals; only sensible
 * on a desktop. Default: not defined. */

/* CAIRN_LOCATE_DIM_MAX: the largest dimension of localization. Each +1 adds about 60 bytes of stack to locate.
 * Range 1 to 3; place and embed take any dimension and do not depend on it. */
#ifndef CAIRN_LOCATE_DIM_MAX
#define CAIRN_LOCATE_DIM_MAX 3
#endif
#if CAIRN_LOCATE_DIM_MAX < 1 || CAIRN_LOCATE_DIM_MAX > 3
#error "CAIRN_LOCATE_DIM_MAX must be 1, 2 or 3"
#endif

/* CAIRN_ASSERT(condition): for our own mistakes, never for what a caller or a sensor delivers. Default: empty. */
#ifndef CAIRN_ASSERT
#define CAIRN_ASSERT(condition) ((void)0)
#endif

/* CAIRN_NOINLINE: marks helpers whose locals must not lie on the stack under a deeper call. */
#ifndef CAIRN_NOINLINE
#if defined(__GNUC__)
#define CAIRN_NOINLINE __attribute__((noinline))
#else
#define CAIRN_NOINLINE
#endif
#endif

/* CAIRN_MUST_CHECK: marks functions whose result may not be dropped. */
#ifndef CAIRN_MUST_CHECK
#if defined(__GNUC__)
#define CAIRN_MUST_CHECK __attribute__((warn_unused_result))
#else
#define CAIRN_MUST_CHECK
#endif
#endif

#endif
