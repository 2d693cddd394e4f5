/* SPDX-License-Identifier: MIT
 * Distances that need no more than + - * / and the square root. Direct differences, which lose nothing when all vectors
 * share a large offset; four rows at once, so that sums do not wait for each other. */
#include "cairn/metric.h"

enum { LANES = 8, ROWS = 4 };

static cairn_real sum_lanes(const cairn_real lanes[LANES])
{
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/* Squared distances of p to four rows. */
static void square_four(const cairn_real *p, const cairn_real *const row[ROWS], size_t d, cairn_real *out)
{
    cairn_real lanes[ROWS][LANES] = {{0}};
    size_t a = 0;

    for (; a + LANES <= d; a += LANES) {
        for (size_t r = 0; r < ROWS; ++r) {
            const cairn_real *q = row[r] + a;
            for (size_t b = 0; b < LANES; ++b) {
                const cairn_real difference = p[a + b] - q[b];
                lanes[r][b] += difference * difference;
            }
        }
    }
    for (; a < d; ++a) {
        for (size_t r = 0; r < ROWS; ++r) {
            const cairn_real difference = p[a] - row[r][a];
            lanes[r][a % LANES] += difference * difference;
        }
    }
    for (size_t r = 0; r < ROWS; ++r) {
        out[r] = sum_lanes(lanes[r]);
    }
}

static void euclidean(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n,
                      size_t stride, size_t d, cairn_real *out)
{
    cairn_real squares[ROWS];

    (void)metric;
    for (size_t j = 0; j < n; j += ROWS) {
        const size_t n_here = n - j < ROWS ? n - j : ROWS;
        const cairn_real *row[ROWS];
        for (size_t r = 0; r < ROWS; ++r) { /* the last one stands in for those that are not there */
            row[r] = rows + (j + (r < n_here ? r : n_here - 1u)) * stride;
        }
        square_four(p, row, d, squares);
        for (size_t r = 0; r < n_here; ++r) {
            out[j + r] = cairn_sqrt(squares[r]);
        }
    }
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

static void mix(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n, size_t stride,
                size_t d, cairn_real *out)
{
    (void)d;
    for (size_t j = 0; j < n; ++j) {
        out[j] = 0;
        for (size_t i = 0; i < metric->n_parts; ++i) {
            const cairn_metric_part_t *part = &metric->parts[i];
            cairn_real distance;
            part->metric->distances(part->metric, p + part->first, rows + j * stride + part->first, 1, stride, part->n,
                                    &distance);
            out[j] += part->weight * distance;
        }
    }
}

const cairn_metric_t cairn_metric_euclidean = {euclidean, NULL, NULL, NULL, 0, false};
const cairn_metric_t cairn_metric_chi_square = {chi_square, NULL, NULL, NULL, 0, true};
const cairn_metric_t cairn_metric_hellinger = {hellinger, NULL, NULL, NULL, 0, true};

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
    if (part->metric == NULL || part->metric->n_parts > 0 || part->n == 0 || !(part->weight > 0)) {
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
