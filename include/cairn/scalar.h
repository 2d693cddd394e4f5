/* SPDX-License-Identifier: MIT
 * Logarithm, exponential, power and angles from + - * / and the square root: the same bits on every target, no libm. */
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

/**
 * Power with an exponent of size 1 at most, within 4 units in the last place.
 *
 * x  a normal number > 0, at most half of CAIRN_REAL_MAX; 0, less or NaN gives 0
 * p  -1 to 1; anything else gives 0
 *
 * Returns x^p. Work: about 25 multiply-adds and 15 divisions.
 */
cairn_real cairn_power(cairn_real x, cairn_real p);

/**
 * Sine and cosine, within 2 units in the last place of 1.
 *
 * x       radians, at most 65536 in size; larger angles, whose last place is a hundredth or more, count as 0
 * sine    out
 * cosine  out
 *
 * Work: about 20 multiply-adds and 10 divisions.
 * Source: Taylor series after reduction by multiples of pi/2 (Cody and Waite, 1980).
 */
void cairn_sine_cosine(cairn_real x, cairn_real *sine, cairn_real *cosine);

/**
 * Angle of a point above the x axis, within 4 units in the last place where it is below pi/4, and 4 of 1 beyond.
 *
 * y  finite, >= 0
 * x  finite
 *
 * Returns the angle between the x axis and (x, y), 0 to pi; 0 for (0, 0). Work: 2 roots, about 10 divisions.
 */
cairn_real cairn_arc_tangent(cairn_real y, cairn_real x);

#ifdef __cplusplus
}
#endif
#endif
