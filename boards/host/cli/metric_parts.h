/* SPDX-License-Identifier: MIT
 * Reads the parts of a mixed distance from an option. */
#ifndef METRIC_PARTS_H
#define METRIC_PARTS_H

#include "cairn/metric.h"

enum { METRIC_PARTS_MAX = 64 };

/* "METRIC:FIRST-LAST[:WEIGHT],...", features counted from 1; names and metrics: NULL-terminated and parallel. Returns how
 * many parts; 0 and a message when the text is wrong or a part goes beyond d features. */
size_t metric_parts_read(const char *text, const char *const *names, const cairn_metric_t *const *metrics, size_t d,
                         cairn_metric_part_t parts[METRIC_PARTS_MAX]);

#endif
