/* SPDX-License-Identifier: MIT
 * The angle between vectors: twice the arc tangent of |p' - q'| over |p' + q'|, of unit vectors, keeps its digits near 0
 * and pi, where acos loses half of them (Kahan). */
#include "cairn/metric.h"

#include "cairn/scalar.h"

static void angle(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n, size_t stride,
                  size_t d, cairn_real *out)
{
    const cairn_real length = cairn_sqrt(cairn_dot(p, p, d));

    (void)metric;
    for (size_t j = 0; j < n; ++j) {
        const cairn_real *q = rows + j * stride;
        const cairn_real other = cairn_sqrt(cairn_dot(q, q, d));
        cairn_real minus = 0;
        cairn_real plus = 0;
        for (size_t a = 0; a < d; ++a) {
            const cairn_real u = p[a] / length;
            const cairn_real v = q[a] / other;
            minus += (u - v) * (u - v);
            plus += (u + v) * (u + v);
        }
        out[j] = length > 0 && other > 0 ? 2 * cairn_arc_tangent(cairn_sqrt(minus), cairn_sqrt(plus)) : -1;
    }
}

const cairn_metric_t cairn_metric_angle = {angle, NULL, NULL, NULL, 0, false, NULL};
