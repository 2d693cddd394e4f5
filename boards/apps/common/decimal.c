/* SPDX-License-Identifier: MIT */
/* Decimal text to numbers without strtod. */
#include "apps/common/decimal.h"

#include <stdbool.h>

/* Up to 15 digits m and powers to 10^22 are exact doubles, so that m * 10^e and m / 10^e are rounded once, by the
 * machine (Clinger 1990). Up to 19 digits m / 10^k with k <= 18 fit 64-bit integers: divided bit by bit, rounded once.
 * The powers are made by multiplying: every product up to 10^22 is exact. */
enum { DIGITS_MACHINE = 15, DIGITS_DIVIDED = 19, POWER_MACHINE = 22, POWER_DIVIDED = 18, EXPONENT_MAX = 1000 };

#define QUOTIENT_ENOUGH (UINT64_C(1) << 54) /* 53 bits of a double, one to round by, one that holds the rest */

/* A number as read: (negative) mantissa * 10^exponent. */
typedef struct {
    uint64_t mantissa;
    int n_digits; /* of the mantissa; more than DIGITS_DIVIDED: too many, the mantissa is not valid */
    int exponent;
    bool negative;
} parts_t;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Append a digit after `n_zeros` zeros that turned out to be inside the number. */
static void append(parts_t *parts, int n_zeros, char digit)
{
    parts->n_digits += n_zeros + 1;
    if (parts->n_digits > DIGITS_DIVIDED) {
        parts->n_digits = DIGITS_DIVIDED + 1;
        return;
    }
    for (int i = 0; i < n_zeros; ++i) {
        parts->mantissa *= 10u;
    }
    parts->mantissa = parts->mantissa * 10u + (uint64_t)(digit - '0');
}

/* Read the digits and the point; returns how many characters, 0 when there is no digit. */
static size_t read_mantissa(const char *text, size_t length, parts_t *parts)
{
    int n_zeros = 0;
    size_t n_seen = 0;
    bool after_point = false;
    size_t at = 0;
    for (; at < length && (is_digit(text[at]) || (text[at] == '.' && !after_point)); ++at) {
        if (text[at] == '.') {
            after_point = true;
            continue;
        }
        ++n_seen;
        parts->exponent -= after_point ? 1 : 0;
        if (text[at] != '0') {
            append(parts, n_zeros, text[at]);
            n_zeros = 0;
        } else if (parts->n_digits > 0) {
            ++n_zeros;
        }
    }
    parts->exponent += n_zeros;
    return n_seen > 0u ? at : 0u;
}

/* Read what follows the `e`; false when it is not an integer. */
static bool read_exponent(const char *text, size_t length, parts_t *parts)
{
    size_t at = 0;
    bool negative = false;
    int exponent = 0;
    if (at < length && (text[at] == '+' || text[at] == '-')) {
        negative = text[at++] == '-';
    }
    if (at == length) {
        return false;
    }
    for (; at < length; ++at) {
        if (!is_digit(text[at])) {
            return false;
        }
        exponent = exponent < EXPONENT_MAX ? exponent * 10 + (text[at] - '0') : exponent;
    }
    parts->exponent += negative ? -exponent : exponent;
    return true;
}

/* mantissa / 10^power, rounded once: the quotient gets enough bits, its lowest also stands for the remainder. */
static double divide(uint64_t mantissa, int power)
{
    uint64_t divisor = 1;
    for (int i = 0; i < power; ++i) {
        divisor *= 10u;
    }
    uint64_t quotient = mantissa / divisor;
    uint64_t remainder = mantissa % divisor;
    int n_shifts = 0;
    for (; quotient < QUOTIENT_ENOUGH; ++n_shifts) {
        remainder *= 2u;
        quotient *= 2u;
        if (remainder >= divisor) {
            remainder -= divisor;
            quotient |= 1u;
        }
    }
    double value = (double)(quotient | (remainder != 0u ? 1u : 0u));
    for (; n_shifts > 0; --n_shifts) {
        value *= 0.5;
    }
    return value;
}

static decimal_status_t convert(const parts_t *parts, double *magnitude)
{
    int power = parts->exponent < 0 ? -parts->exponent : parts->exponent;
    if (parts->n_digits == 0) {
        *magnitude = 0.0;
        return DECIMAL_OK;
    }
    if (parts->n_digits > DIGITS_DIVIDED) {
        return DECIMAL_ERR_DIGITS;
    }
    if (parts->n_digits > DIGITS_MACHINE) {
        if (parts->exponent > 0 || power > POWER_DIVIDED) {
            return DECIMAL_ERR_DIGITS;
        }
        *magnitude = divide(parts->mantissa, power);
        return DECIMAL_OK;
    }
    if (power > POWER_MACHINE) {
        return DECIMAL_ERR_RANGE;
    }
    double scale = 1.0;
    for (int i = 0; i < power; ++i) {
        scale *= 10.0;
    }
    *magnitude = parts->exponent < 0 ? (double)parts->mantissa / scale : (double)parts->mantissa * scale;
    return DECIMAL_OK;
}

decimal_status_t decimal_parse(const char *text, size_t length, double *value)
{
    parts_t parts = {0u, 0, 0, false};
    double magnitude = 0.0;
    size_t at = 0;
    if (length > 0u && (text[0] == '+' || text[0] == '-')) {
        parts.negative = text[0] == '-';
        at = 1;
    }
    size_t n_read = read_mantissa(text + at, length - at, &parts);
    at += n_read;
    if (n_read == 0u) {
        return DECIMAL_ERR_SYNTAX;
    }
    if (at < length) {
        if ((text[at] != 'e' && text[at] != 'E') || !read_exponent(text + at + 1u, length - at - 1u, &parts)) {
            return DECIMAL_ERR_SYNTAX;
        }
    }
    decimal_status_t status = convert(&parts, &magnitude);
    if (status == DECIMAL_OK) {
        *value = parts.negative ? -magnitude : magnitude;
    }
    return status;
}

decimal_status_t decimal_parse_unsigned(const char *text, size_t length, uint32_t *value)
{
    uint32_t sum = 0;
    if (length == 0u) {
        return DECIMAL_ERR_SYNTAX;
    }
    bool fits = true;
    for (size_t at = 0; at < length; ++at) {
        if (!is_digit(text[at])) {
            return DECIMAL_ERR_SYNTAX;
        }
        uint32_t digit = (uint32_t)(text[at] - '0');
        fits = fits && (sum < UINT32_MAX / 10u || (sum == UINT32_MAX / 10u && digit <= UINT32_MAX % 10u));
        sum = fits ? sum * 10u + digit : sum;
    }
    if (!fits) {
        return DECIMAL_ERR_RANGE;
    }
    *value = sum;
    return DECIMAL_OK;
}
