/* SPDX-License-Identifier: MIT
 * Logarithm by the series of the inverse hyperbolic tangent, exponential by its Taylor series near 0; the power of two is
 * taken from and put into the bits. */
#include "cairn/scalar.h"

#ifdef CAIRN_REAL_DOUBLE
typedef uint64_t bits_t;
#define FRACTION_BITS 52
#define EXPONENT_BIAS 1023
#define LOG_TERMS     10
#define EXP_TERMS     14
#else
typedef uint32_t bits_t;
#define FRACTION_BITS 23
#define EXPONENT_BIAS 127
#define LOG_TERMS     5 /* 2 t^11 / 11 at t = .1716 is 7e-10 */
#define EXP_TERMS     7 /* .3466^8 / 8! is 5e-9 */
#endif
#define ROOT_2   ((cairn_real)1.41421356237309504880L)
#define LN_2_TOP 0.693359375f /* few bits: its multiples are exact */
#define LN_2_LOW ((cairn_real)-2.12194440054690582769e-4L)
#define EXP_MOST 80

cairn_real cairn_log(cairn_real x)
{
    const bits_t one = (bits_t)1 << FRACTION_BITS;
    bits_t bits;
    cairn_real t;
    cairn_real sum = 0;
    cairn_real exponent;

    memcpy(&bits, &x, sizeof bits);
    if (!(x > 0) || bits < one || !cairn_isfinite(x)) {
        return -CAIRN_REAL_MAX;
    }
    exponent = (cairn_real)((int)(bits >> FRACTION_BITS) - EXPONENT_BIAS);
    bits = (bits & (one - 1u)) | ((bits_t)EXPONENT_BIAS << FRACTION_BITS);
    memcpy(&x, &bits, sizeof x);
    if (x > ROOT_2) {
        x *= 0.5f;
        exponent += 1;
    }
    t = (x - 1) / (x + 1);
    for (int k = LOG_TERMS; k-- > 0;) {
        sum = sum * (t * t) + 2 / (cairn_real)(2 * k + 1);
    }
    return exponent * LN_2_TOP + (exponent * LN_2_LOW + sum * t);
}

cairn_real cairn_exp(cairn_real x)
{
    const cairn_real clamped = cairn_min(cairn_max(x, -EXP_MOST), EXP_MOST);
    const cairn_real scaled = clamped / (LN_2_TOP + LN_2_LOW);
    const int exponent = (int)(scaled + (scaled < 0 ? -0.5f : 0.5f));
    const cairn_real rest = (clamped - (cairn_real)exponent * LN_2_TOP) - (cairn_real)exponent * LN_2_LOW;
    const bits_t bits = (bits_t)(exponent + EXPONENT_BIAS) << FRACTION_BITS;
    cairn_real sum = 1;
    cairn_real power;

    for (int k = EXP_TERMS; k > 0; --k) {
        sum = 1 + sum * rest / (cairn_real)k;
    }
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}
