/* SPDX-License-Identifier: MIT */
/* Decimal text to numbers without strtod: the nearest double or a refusal, never something in between. */
#ifndef APPS_DECIMAL_H
#define APPS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    DECIMAL_OK = 0,
    DECIMAL_ERR_SYNTAX = -1, /* not a decimal number: empty, blanks, two points, nan, inf, hexadecimal */
    DECIMAL_ERR_DIGITS = -2, /* more significant digits than can be rounded correctly here */
    DECIMAL_ERR_RANGE = -3   /* a power of ten, or an integer, outside what is supported */
} decimal_status_t;

/**
 * Convert `[+-]digits[.digits][e[+-]digits]`; `1.` and `.5` are numbers, `.` is not. No blanks.
 *
 * text    [length] characters, no terminating zero needed
 * length  how many
 * value   out, the double nearest to the text, ties to even; written only with DECIMAL_OK
 *
 * With m the significant digits (zeros at both ends do not count) and the number written as m x 10^e:
 * up to 15 digits for -22 <= e <= 22; up to 19 digits for -18 <= e <= 0. Anything else is refused.
 * Work: length, and at most 64 shifts.
 */
decimal_status_t decimal_parse(const char *text, size_t length, double *value);

/**
 * Convert `digits` to an unsigned integer; no sign, no blanks.
 *
 * text    [length] characters
 * length  how many
 * value   out, 0 to 2^32 - 1; written only with DECIMAL_OK
 *
 * DECIMAL_OK, DECIMAL_ERR_SYNTAX, DECIMAL_ERR_RANGE. Work: length.
 */
decimal_status_t decimal_parse_unsigned(const char *text, size_t length, uint32_t *value);

#endif
