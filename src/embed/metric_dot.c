/* SPDX-License-Identifier: MIT
 * Euclidean distances as |p|^2 + |q|^2 - 2 p q, the squares of rows kept. The error of the sum is that of its largest term:
 * where little is left of it, direct differences are taken, so at most three binary digits are lost. */
#include "cairn/metric.h"

#include "core/rows_internal.h"

#define LEAST_SHARE 0.125f /* of |p|^2 + |q|^2 */

static void euclidean_dot(const cairn_metric_t *metric, const cairn_real *p, const cairn_real *rows, size_t n,
                          size_t stride, size_t d, cairn_real *out)
{
    cairn_real own;

    (void)metric;
    cairn_rows_dot(p, p, 1, d, d, &own);
    cairn_rows_dot(p, rows, n, stride, d, out);
    for (size_t j = 0; j < n; ++j) {
        const cairn_real both = own + rows[j * stride + d];
        cairn_real square = both - 2 * out[j];
        if (!(square > LEAST_SHARE * both)) {
            cairn_rows_square(p, rows + j * stride, 1, stride, d, &square);
        }
        out[j] = square;
    }
    cairn_rows_root(out, n);
}

static cairn_real keep_square(const cairn_real *row, size_t d)
{
    cairn_real square;

    cairn_rows_dot(row, row, 1, d, d, &square);
    return square;
}

const cairn_metric_t cairn_metric_euclidean_dot = {euclidean_dot, NULL, NULL, NULL, 0, false, keep_square};
