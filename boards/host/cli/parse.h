/* SPDX-License-Identifier: MIT
 * Numbers from text, strictly: the whole text must be the number. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <stdint.h>

typedef enum parse_result {
    PARSE_OK,
    PARSE_EMPTY,      /* nothing but blanks */
    PARSE_NOT_NUMBER, /* other text */
    PARSE_NONFINITE,  /* nan, inf or infinity, or a decimal number beyond double */
    PARSE_RANGE       /* a number, but not in the range of the type */
} parse_result_t;

/* A decimal number, with sign and exponent if wanted; blanks around it are allowed, hexadecimal is not. */
parse_result_t parse_real(const char *text, double *value);

/* A non-negative decimal integer up to maximum, digits only; blanks around it are allowed. */
parse_result_t parse_count(const char *text, uint64_t maximum, uint64_t *value);

#endif
