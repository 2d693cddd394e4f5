/* SPDX-License-Identifier: MIT
 * Numbers from text, strictly: the whole text must be the number. */
#define _POSIX_C_SOURCE 200809L
#include "parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char blanks[] = " \t";

static const char *skip_blanks(const char *text) { return text + strspn(text, blanks); }

static int names_nonfinite(const char *text)
{
    static const char *const names[] = {"nan", "inf", "infinity"};
    if (*text == '+' || *text == '-') {
        text++;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if (strncasecmp(text, names[i], length) == 0 && *skip_blanks(text + length) == '\0') {
            return 1;
        }
    }
    return 0;
}

parse_result_t parse_real(const char *text, double *value)
{
    const char *begin = skip_blanks(text);
    if (*begin == '\0') {
        return PARSE_EMPTY;
    }
    if (names_nonfinite(begin)) {
        return PARSE_NONFINITE;
    }
    size_t length = strspn(begin, "0123456789+-.eE");
    if (*skip_blanks(begin + length) != '\0') {
        return PARSE_NOT_NUMBER;
    }
    char *end = NULL;
    double number = strtod(begin, &end);
    if (end != begin + length) {
        return PARSE_NOT_NUMBER;
    }
    if (!isfinite(number)) {
        return PARSE_NONFINITE;
    }
    *value = number;
    return PARSE_OK;
}

parse_result_t parse_count(const char *text, uint64_t maximum, uint64_t *value)
{
    const char *begin = skip_blanks(text);
    if (*begin == '\0') {
        return PARSE_EMPTY;
    }
    size_t length = strspn(begin, "0123456789");
    if (length == 0 || *skip_blanks(begin + length) != '\0') {
        double real = 0;
        return parse_real(begin, &real) == PARSE_OK ? PARSE_RANGE : PARSE_NOT_NUMBER;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(begin[i] - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return PARSE_RANGE;
        }
        number = number * 10 + digit;
    }
    if (number > maximum) {
        return PARSE_RANGE;
    }
    *value = number;
    return PARSE_OK;
}
