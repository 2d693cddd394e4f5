/* SPDX-License-Identifier: MIT
 * Logarithm and exponential from + - * / alone: the same bits on every target, and no libm. */
#ifndef CAIRN_SCALAR_H
#define CAIRN_SCALAR_H

#include "cairn/real.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Natural logarithm, within 4 units in the last place of the result or of 1, whichever is larger.
 *
 * x  a normal number > 0; anything else gives -CAIRN_REAL_MAX
 *
 * Returns ln x. Work: about 20 multiply-adds and a division.
 * Source: Abramowitz and Stegun, 4.1.27, on [1/sqrt 2, sqrt 2).
 */
cairn_real cairn_log(cairn_real x);

/**
 * Exponential, within 4 units in the last place for |x| <= 1, and 4 |x| beyond.
 *
 * x  finite; clamped to -80 .. 80
 *
 * Returns e^x. Work: about 12 multiply-adds, and up to 120 for large |x|.
 */
cairn_real cairn_exp(cairn_real x);

#ifdef __cplusplus
}
#endif
#endif
