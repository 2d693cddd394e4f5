/* SPDX-License-Identifier: MIT */
/* check_decimal [N]: compares decimal_parse with the C library's strtod over N random texts (3 million), each of them
 * also damaged. A host program; test_locate.py builds and runs it. */
#include "apps/common/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/rng.h"

enum { TEXT_BYTES = 96 };

static const char alphabet[] = "0123456789+-.eE x";

/* Digits, sometimes many, with zeros at the ends more often than chance has it. */
static size_t add_digits(cairn_rng_t *rng, char *text, size_t length, uint32_t n_max)
{
    uint32_t n = cairn_rng_below(rng, n_max + 1u);
    uint32_t zeros = cairn_rng_below(rng, 4u);
    for (uint32_t i = 0; i < n; ++i) {
        int zero = (zeros == 0u && i < n / 2u) || (zeros == 1u && i >= n / 2u);
        text[length++] = (char)('0' + (zero ? 0 : (int)cairn_rng_below(rng, 10u)));
    }
    return length;
}

static size_t make(cairn_rng_t *rng, char *text)
{
    size_t length = 0;
    uint32_t sign = cairn_rng_below(rng, 4u);
    if (sign < 2u) {
        text[length++] = sign == 0u ? '-' : '+';
    }
    length = add_digits(rng, text, length, cairn_rng_below(rng, 3u) == 0u ? 19u : 8u);
    if (cairn_rng_below(rng, 4u) != 0u) {
        text[length++] = '.';
        length = add_digits(rng, text, length, cairn_rng_below(rng, 3u) == 0u ? 19u : 8u);
    }
    if (cairn_rng_below(rng, 3u) == 0u) {
        length += (size_t)snprintf(text + length, 8u, "e%d", (int)cairn_rng_below(rng, 61u) - 30);
    }
    text[length] = '\0';
    return length;
}

/* Put a random character somewhere. */
static void damage(cairn_rng_t *rng, char *text, size_t length)
{
    if (length > 0u) {
        text[cairn_rng_below(rng, (uint32_t)length)] = alphabet[cairn_rng_below(rng, sizeof alphabet - 1u)];
    }
}

/* Syntax by strtod: all of it used, no blank, no word, no hexadecimal. */
static int is_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return text[0] != '\0' && *end == '\0' && strpbrk(text, " xXnNiI") == NULL;
}

static int agrees(const char *text, unsigned long *n_accepted)
{
    double expected, value = 0.0;
    int number = is_number(text, &expected);
    decimal_status_t status = decimal_parse(text, strlen(text), &value);
    if (status == DECIMAL_OK) {
        ++*n_accepted;
        return number && memcmp(&value, &expected, sizeof value) == 0;
    }
    return number ? status != DECIMAL_ERR_SYNTAX : status == DECIMAL_ERR_SYNTAX;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 3000000ul;
    unsigned long n_accepted = 0, n_wrong = 0;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 1u, 1u);
    for (unsigned long i = 0; i < n; ++i) {
        char text[TEXT_BYTES];
        size_t length = make(&rng, text);
        for (int damaged = 0; damaged < 2; ++damaged) {
            if (!agrees(text, &n_accepted) && n_wrong++ < 10u) {
                printf("differs from strtod: \"%s\"\n", text);
            }
            damage(&rng, text, length);
        }
    }
    printf("%lu texts, %lu accepted, %lu wrong\n", 2u * n, n_accepted, n_wrong);
    return n_wrong == 0u && n_accepted > n ? 0 : 1;
}
