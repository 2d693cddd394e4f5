/* SPDX-License-Identifier: MIT
 * What those who take a metric's distances ask first. */
#ifndef CAIRN_METRIC_INTERNAL_H
#define CAIRN_METRIC_INTERNAL_H

#include "cairn/metric.h"

/* Whether no feature is negative that must not be. */
static inline bool metric_takes(const cairn_metric_t *metric, const cairn_real *features, size_t d)
{
    for (size_t a = 0; a < d && metric->nonnegative; ++a) {
        if (features[a] < 0) {
            return false;
        }
    }
    return true;
}

#endif
