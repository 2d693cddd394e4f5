/* SPDX-License-Identifier: MIT
 * Small dense vectors and packed symmetric matrices. LDL^T: Golub and Van Loan, "Matrix Computations", 4.1.2. */
#include "cairn/vector.h"

#include "core/rows_internal.h"

#define PIVOT_FLOOR 8 /* machine epsilons per order below which a pivot counts as zero */

cairn_real cairn_dot(const cairn_real *a, const cairn_real *b, size_t n)
{
    cairn_real sum = 0;

    for (size_t i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

cairn_real cairn_distance(const cairn_real *a, const cairn_real *b, size_t n)
{
    cairn_real sum = 0;

    for (size_t i = 0; i < n; ++i) {
        const cairn_real difference = a[i] - b[i];
        sum += difference * difference;
    }
    return cairn_sqrt(sum);
}

bool cairn_all_finite(const cairn_real *a, size_t n)
{
    size_t i = 0;

#ifdef ROWS_SIDE_BY_SIDE
    uint32_t wrong[ROWS_LANES] = {0, 0, 0, 0};
    for (; n - i >= ROWS_LANES; i += ROWS_LANES) {
        EACH_LANE { wrong[lane] |= cairn_isfinite(a[i + lane]) ? 0u : 1u; }
    }
    if ((wrong[0] | wrong[1] | wrong[2] | wrong[3]) != 0) {
        return false;
    }
#endif
    for (; i < n; ++i) {
        if (!cairn_isfinite(a[i])) {
            return false;
        }
    }
    return true;
}

bool cairn_symmetric_solve(cairn_real *a, cairn_real *x, size_t n)
{
    const cairn_real floor = (cairn_real)PIVOT_FLOOR * (cairn_real)n * CAIRN_REAL_EPSILON;
    cairn_real *row_i = a; /* row i of the packed triangle starts at i (i + 1) / 2 */

    for (size_t i = 0; i < n; row_i += i + 1u, ++i) {
        const cairn_real diagonal = row_i[i];
        const cairn_real *row_j = a;
        cairn_real pivot = diagonal;

        /* row_i[j] becomes L_ij D_j, then L_ij */
        for (size_t j = 0; j < i; row_j += j + 1u, ++j) {
            row_i[j] -= cairn_dot(row_i, row_j, j);
        }
        row_j = a;
        for (size_t j = 0; j < i; row_j += j + 1u, ++j) {
            const cairn_real scaled = row_i[j];
            row_i[j] = scaled * row_j[j]; /* row_j[j] holds 1 / D_j */
            pivot -= scaled * row_i[j];
        }
        if (!(pivot > floor * diagonal) || !(diagonal > 0)) {
            return false;
        }
        row_i[i] = 1 / pivot;
        x[i] -= cairn_dot(row_i, x, i);
    }
    for (size_t i = n; i-- > 0;) {
        const cairn_real *row = a + i * (i + 1u) / 2u;
        x[i] *= row[i];
        /* columns below the diagonal are the already solved unknowns */
        for (size_t j = i + 1u; j < n; ++j) {
            x[i] -= a[j * (j + 1u) / 2u + i] * x[j];
        }
    }
    return true;
}
