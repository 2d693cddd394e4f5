/* SPDX-License-Identifier: MIT
 * The angle between vectors: twice the arc tangent of |p' - q'| over |p' + q'|, of unit vectors, keeps its digits near 0
 * and pi, where acos loses half of them (Kahan). Vectors whose squares would leave the range of a float are measured in
 * units of their largest component. */
#include "cairn/metric.h"

#include "cairn/scalar.h"

#define LENGTH_LEAST 1e-15f /* of what squares keep their digits */
#define LENGTH_MOST  1e15f

/* The length of a vector is `length` times `unit`; 0: it has no angle. */
typedef struct size_and_unit {
    cairn_real unit;
    cairn_real length;
} size_and_unit_t;

static CAIRN_NOINLINE size_and_unit_t extreme_size(const cairn_real *p, size_t d)
{
    size_and_unit_t size = {0, 0};

    for (size_t a = 0; a < d; ++a) {
        size.unit = cairn_max(size.unit, cairn_abs(p[a]));
    }
    for (size_t a = 0; a < d && size.unit > 0; ++a) {
        size.length += p[a] / size.unit * (p[a] / size.unit);
    }
    size.length = cairn_sqrt(size.length);
    return size;
}

static size_and_unit_t size_of(const cairn_real *p, size_t d)
{
    const size_and_unit_t size = {1, cairn_sqrt(cairn_dot(p, p, d))};

    return size.length >= LENGTH_LEAST && size.length <= LENGTH_MOST ? size : extreme_size(p, d);
}

static void angle(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n, size_t stride,
                  size_t d, cairn_real *out)
{
    const size_and_unit_t own = size_of(p, d);

    (void)metric;
    for (size_t j = 0; j < n; ++j) {
        const cairn_real *q = rows + j * stride;
        const size_and_unit_t other = size_of(q, d);
        cairn_real minus = 0;
        cairn_real plus = 0;
        for (size_t a = 0; a < d; ++a) {
            const cairn_real u = p[a] / own.unit / own.length;
            const cairn_real v = q[a] / other.unit / other.length;
            minus += (u - v) * (u - v);
            plus += (u + v) * (u + v);
        }
        out[j] = own.length > 0 && other.length > 0 ? 2 * cairn_arc_tangent(cairn_sqrt(minus), cairn_sqrt(plus)) : -1;
    }
}

const cairn_metric_t cairn_metric_angle = {angle, NULL, NULL, NULL, 0, false, NULL};
