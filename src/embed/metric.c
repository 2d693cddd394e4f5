/* SPDX-License-Identifier: MIT
 * Distances that need no more than + - * / and the square root. */
#include "cairn/metric.h"

#include "core/rows_internal.h"
#include "embed/metric_internal.h"

static void euclidean(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n,
                      size_t stride, size_t d, cairn_real *out)
{
    (void)metric;
    cairn_rows_square(p, rows, n, stride, d, out);
    cairn_rows_root(out, n);
}

static void chi_square(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n,
                       size_t stride, size_t d, cairn_real *out)
{
    (void)metric;
    for (size_t j = 0; j < n; ++j) {
        const cairn_real *q = rows + j * stride;
        out[j] = 0;
        for (size_t a = 0; a < d; ++a) {
            const cairn_real difference = p[a] - q[a];
            const cairn_real sum = p[a] + q[a];
            out[j] += sum > 0 ? 2 * difference * (difference / sum) : 0;
        }
    }
}

static void hellinger(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n,
                      size_t stride, size_t d, cairn_real *out)
{
    (void)metric;
    for (size_t j = 0; j < n; ++j) {
        const cairn_real *q = rows + j * stride;
        cairn_real sum = 0;
        for (size_t a = 0; a < d; ++a) {
            const cairn_real difference = cairn_sqrt(p[a]) - cairn_sqrt(q[a]);
            sum += difference * difference;
        }
        out[j] = cairn_sqrt(0.5f * sum);
    }
}

static void own(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n, size_t stride,
                size_t d, cairn_real *out)
{
    for (size_t j = 0; j < n; ++j) {
        out[j] = metric->between(metric->context, p, rows + j * stride, d);
    }
}

/* Whether no part of p is negative that must not be. */
static bool is_placeable(const cairn_metric_t *metric, const cairn_real *p)
{
    for (size_t i = 0; i < metric->n_parts; ++i) {
        const cairn_metric_part_t *part = &metric->parts[i];
        if (!metric_takes(part->metric, p + part->first, part->n)) {
            return false;
        }
    }
    return true;
}

/* Where a part has no distance the whole has none. */
static void mix(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n, size_t stride,
                size_t d, cairn_real *out)
{
    const bool placeable = is_placeable(metric, p);

    (void)d;
    for (size_t j = 0; j < n; ++j) {
        out[j] = placeable ? 0 : -1;
        for (size_t i = 0; i < metric->n_parts && out[j] >= 0; ++i) {
            const cairn_metric_part_t *part = &metric->parts[i];
            cairn_real distance;
            part->metric->distances(part->metric, p + part->first, rows + j * stride + part->first, 1, stride, part->n,
                                    &distance);
            out[j] = distance >= 0 ? out[j] + part->weight * distance : -1;
        }
    }
}

const cairn_metric_t cairn_metric_euclidean = {euclidean, NULL, NULL, NULL, 0, false, NULL};
const cairn_metric_t cairn_metric_chi_square = {chi_square, NULL, NULL, NULL, 0, true, NULL};
const cairn_metric_t cairn_metric_hellinger = {hellinger, NULL, NULL, NULL, 0, true, NULL};

cairn_status cairn_metric_own(cairn_metric_t *self, cairn_metric_fn between, const void *context)
{
    if (self == NULL || between == NULL) {
        return CAIRN_ERR_ARG;
    }
    memset(self, 0, sizeof *self);
    self->distances = own;
    self->between = between;
    self->context = context;
    return CAIRN_OK;
}

static cairn_status check_part(const cairn_metric_part_t *part, size_t d)
{
    if (!cairn_isfinite(part->weight)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (part->metric == NULL || part->metric->n_parts > 0 || part->metric->keep != NULL || part->n == 0 ||
        !(part->weight > 0)) {
        return CAIRN_ERR_ARG;
    }
    return part->first <= d && part->n <= d - part->first ? CAIRN_OK : CAIRN_ERR_SIZE;
}

cairn_status cairn_metric_mix(cairn_metric_t *self, const cairn_metric_part_t *parts, size_t n_parts, size_t d)
{
    cairn_status status = CAIRN_OK;

    if (self == NULL || parts == NULL || n_parts == 0 || n_parts > UINT16_MAX) {
        return CAIRN_ERR_ARG;
    }
    for (size_t i = 0; i < n_parts && status == CAIRN_OK; ++i) {
        status = check_part(&parts[i], d);
    }
    if (status == CAIRN_OK) {
        memset(self, 0, sizeof *self);
        self->distances = mix;
        self->parts = parts;
        self->n_parts = (uint16_t)n_parts;
    }
    return status;
}
