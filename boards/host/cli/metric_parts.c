/* SPDX-License-Identifier: MIT
 * Parts of a mixed distance. */
#include "metric_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cairn_metric_t *find_metric(const char **text, const char *const *names,
                                         const cairn_metric_t *const *metrics)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(*text, names[i], length) == 0 && (*text)[length] == ':') {
            *text += length + 1;
            return metrics[i];
        }
    }
    return NULL;
}

/* A number, and the character that must follow it. */
static bool read_count(const char **text, char then, unsigned long *count)
{
    char *end = NULL;
    bool digit = **text >= '0' && **text <= '9';
    *count = strtoul(*text, &end, 10);
    if (!digit || (then != '\0' && *end != then)) {
        return false;
    }
    *text = then != '\0' ? end + 1 : end;
    return true;
}

static bool read_part(const char **text, const char *const *names, const cairn_metric_t *const *metrics, size_t d,
                      cairn_metric_part_t *part)
{
    unsigned long first;
    unsigned long last;
    part->metric = find_metric(text, names, metrics);
    if (part->metric == NULL || !read_count(text, '-', &first) || !read_count(text, '\0', &last) || first == 0 ||
        last < first || last > d) {
        return false;
    }
    part->first = (uint16_t)(first - 1);
    part->n = (uint16_t)(last - first + 1);
    part->weight = 1;
    if (**text == ':') {
        char *end = NULL;
        part->weight = (cairn_real)strtod(*text + 1, &end);
        *text = end;
    }
    return (**text == ',' || **text == '\0') && part->weight > 0 && cairn_isfinite(part->weight);
}

size_t metric_parts_read(const char *text, const char *const *names, const cairn_metric_t *const *metrics, size_t d,
                         cairn_metric_part_t parts[METRIC_PARTS_MAX])
{
    const char *at = text;
    size_t n = 0;
    while (n < METRIC_PARTS_MAX && read_part(&at, names, metrics, d, &parts[n])) {
        n++;
        if (*at++ == '\0') {
            return n;
        }
    }
    fprintf(
        stderr,
        "--parts %s: wrong at part %zu: give METRIC:FIRST-LAST[:WEIGHT],... with features 1 to %zu and weights above "
        "0\n",
        text, n + 1, d);
    return 0;
}
