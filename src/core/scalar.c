/* SPDX-License-Identifier: MIT
 * Logarithm by the series of the inverse hyperbolic tangent, exponential, sine and cosine by their Taylor series near 0,
 * arc tangent by its series after two halvings of the angle; powers of two are taken from and put into the bits. */
#include "cairn/scalar.h"

#ifdef CAIRN_REAL_DOUBLE
typedef uint64_t bits_t;
#define FRACTION_BITS 52
#define EXPONENT_BIAS 1023
#define LOG_TERMS     10
#define EXP_TERMS     14
#define TURN_TERMS    9  /* .7854^20 / 20! is 3e-21 */
#define ANGLE_TERMS   12 /* .1989^24 / 25 is 6e-19 */
#else
typedef uint32_t bits_t;
#define FRACTION_BITS 23
#define EXPONENT_BIAS 127
#define LOG_TERMS     5 /* 2 t^11 / 11 at t = .1716 is 7e-10 */
#define EXP_TERMS     7 /* .3466^8 / 8! is 5e-9 */
#define TURN_TERMS    5 /* .7854^12 / 12! is 1e-10 */
#define ANGLE_TERMS   6 /* .1989^12 / 13 is 3e-10 */
#endif
#define ROOT_2   ((cairn_real)1.41421356237309504880L)
#define LN_2_TOP 0.693359375f /* few bits: its multiples are exact */
#define LN_2_LOW ((cairn_real)-2.12194440054690582769e-4L)
#define EXP_MOST 80
#define PI       ((cairn_real)3.14159265358979323846L)
/* pi / 2 in three parts; the multiples of the first two are exact up to ANGLE_MOST. */
#define QUARTER_TOP     1.5703125f
#define QUARTER_MID     4.825592041015625e-4f
#define QUARTER_LOW     ((cairn_real)1.26759079505673132169e-6L)
#define ANGLE_MOST      65536.0f
#define POWER_FRACTIONS 4096 /* of p: its multiples by an exponent are exact */

/* A normal number > 0 as mantissa, from 1/sqrt 2 to sqrt 2, and power of two. */
static cairn_real split(cairn_real x, cairn_real *exponent)
{
    const bits_t one = (bits_t)1 << FRACTION_BITS;
    bits_t bits;

    memcpy(&bits, &x, sizeof bits);
    *exponent = (cairn_real)((int)(bits >> FRACTION_BITS) - EXPONENT_BIAS);
    bits = (bits & (one - 1u)) | ((bits_t)EXPONENT_BIAS << FRACTION_BITS);
    memcpy(&x, &bits, sizeof x);
    if (x > ROOT_2) {
        x *= 0.5f;
        *exponent += 1;
    }
    return x;
}

static cairn_real log_of_mantissa(cairn_real x)
{
    const cairn_real t = (x - 1) / (x + 1);
    cairn_real sum = 0;

    for (int k = LOG_TERMS; k-- > 0;) {
        sum = sum * (t * t) + 2 / (cairn_real)(2 * k + 1);
    }
    return sum * t;
}

static bool is_normal_positive(cairn_real x) { return x >= CAIRN_REAL_LEAST && cairn_isfinite(x); }

/* The nearest whole number, |x| far below 2^31. */
static int32_t nearest(cairn_real x) { return (int32_t)(x + (x < 0 ? -0.5f : 0.5f)); }

static cairn_real power_of_2(int32_t exponent)
{
    const bits_t bits = (bits_t)(exponent + EXPONENT_BIAS) << FRACTION_BITS;
    cairn_real power;

    memcpy(&power, &bits, sizeof power);
    return power;
}

/* e^x 2^doublings, in two steps because 2^128 alone is no number */
static cairn_real exp_of(cairn_real x, int32_t doublings)
{
    const int32_t exponent = nearest(x / (LN_2_TOP + LN_2_LOW));
    const cairn_real rest = (x - (cairn_real)exponent * LN_2_TOP) - (cairn_real)exponent * LN_2_LOW;
    const int32_t half = (exponent + doublings) / 2;
    cairn_real sum = 1;

    for (int k = EXP_TERMS; k > 0; --k) {
        sum = 1 + sum * rest / (cairn_real)k;
    }
    return sum * power_of_2(half) * power_of_2(exponent + doublings - half);
}

cairn_real cairn_log(cairn_real x)
{
    cairn_real exponent;
    cairn_real mantissa;

    if (!is_normal_positive(x)) {
        return -CAIRN_REAL_MAX;
    }
    mantissa = split(x, &exponent);
    return exponent * LN_2_TOP + (exponent * LN_2_LOW + log_of_mantissa(mantissa));
}

cairn_real cairn_exp(cairn_real x) { return exp_of(cairn_min(cairn_max(x, -EXP_MOST), EXP_MOST), 0); }

/* With x = m 2^e: the whole part of e p goes to the bits, so that the exponential sees at most ln 2 in size. */
cairn_real cairn_power(cairn_real x, cairn_real p)
{
    cairn_real exponent;
    cairn_real log_m;
    cairn_real p_top;
    int32_t doublings;

    if (!is_normal_positive(x) || !(p >= -1 && p <= 1)) {
        return 0;
    }
    log_m = log_of_mantissa(split(x, &exponent));
    p_top = (cairn_real)(int)(p * POWER_FRACTIONS) / POWER_FRACTIONS;
    doublings = nearest(exponent * p_top);
    exponent = (exponent * p_top - (cairn_real)doublings) + exponent * (p - p_top);
    return exp_of(exponent * (LN_2_TOP + LN_2_LOW) + p * log_m, doublings);
}

void cairn_sine_cosine(cairn_real x, cairn_real *sine, cairn_real *cosine)
{
    const cairn_real angle = cairn_abs(x) <= ANGLE_MOST ? x : 0;
    const int32_t quarters = nearest(angle * (2 / PI));
    const cairn_real turns = (cairn_real)quarters;
    const cairn_real rest = ((angle - turns * QUARTER_TOP) - turns * QUARTER_MID) - turns * QUARTER_LOW;
    cairn_real values[2] = {1, 1}; /* of the sine over the rest, of the cosine */

    for (int k = TURN_TERMS; k > 0; --k) {
        values[0] = 1 - values[0] * (rest * rest) / (cairn_real)(2 * k * (2 * k + 1));
        values[1] = 1 - values[1] * (rest * rest) / (cairn_real)(2 * k * (2 * k - 1));
    }
    values[0] *= rest;
    *sine = values[quarters & 1];
    *cosine = values[1 - (quarters & 1)];
    if ((quarters & 2) != 0) {
        *sine = -*sine;
    }
    if (((quarters + 1) & 2) != 0) {
        *cosine = -*cosine;
    }
}

/* The tangent of half an angle. */
static cairn_real halve(cairn_real tangent) { return tangent / (1 + cairn_sqrt(1 + tangent * tangent)); }

cairn_real cairn_arc_tangent(cairn_real y, cairn_real x)
{
    const cairn_real width = cairn_abs(x);
    const cairn_real most = cairn_max(width, y);
    const cairn_real t = most > 0 ? halve(halve(cairn_min(width, y) / most)) : 0;
    cairn_real sum = 0;

    for (int k = ANGLE_TERMS; k-- > 0;) {
        sum = 1 / (cairn_real)(2 * k + 1) - sum * (t * t);
    }
    sum *= 4 * t;
    sum = y > width ? PI / 2 - sum : sum;
    return x < 0 ? PI - sum : sum;
}
