/* SPDX-License-Identifier: MIT
 * Linear trilateration with the squared norm as an unknown of its own (Smith and Abel 1987), z eliminated, as a
 * triangle updated row by row with Givens rotations: weights that span six digits would ruin normal equations in float.
 * Jacobi's eigenvalue method. Both: Golub and Van Loan, 5.2 and 8.5. */
#include "locate/trilaterate_internal.h"

#define JACOBI_SWEEPS 8 /* 3 x 3 converges in 4 to 5 */

void cairn_trilaterate_add(cairn_real *sums, size_t dim, const cairn_real *anchor, cairn_real range, cairn_real weight)
{
    cairn_real *right = sums + CAIRN_SYMMETRIC_REALS(dim + 1u);
    const cairn_real root = cairn_sqrt(weight);
    cairn_real value = root * (range * range - cairn_dot(anchor, anchor, dim));
    cairn_real row[TRILATERATE_DIM_MAX + 1];

    row[0] = root;
    for (size_t i = 0; i < dim; ++i) {
        row[i + 1u] = -2 * root * anchor[i];
    }
    for (size_t i = 0; i <= dim; ++i) { /* rotate the row into row i of the triangle, columns i to dim */
        const cairn_real length = cairn_sqrt(sums[0] * sums[0] + row[i] * row[i]);
        if (length > 0) {
            const cairn_real cosine = sums[0] / length;
            const cairn_real sine = row[i] / length;
            const cairn_real before = right[i];
            for (size_t k = i; k <= dim; ++k) {
                const cairn_real element = sums[k - i];
                sums[k - i] = cosine * element + sine * row[k];
                row[k] = cosine * row[k] - sine * element;
            }
            right[i] = cosine * before + sine * value;
            value = cosine * value - sine * before;
        }
        sums += dim + 1u - i;
    }
}

bool cairn_trilaterate_solve(const cairn_real *sums, size_t dim, cairn_real ridge, cairn_real *x)
{
    cairn_real normal[CAIRN_SYMMETRIC_REALS(TRILATERATE_DIM_MAX)] = {0};
    const cairn_real *right = sums + CAIRN_SYMMETRIC_REALS(dim + 1u);
    cairn_real trace = 0;
    size_t diagonal = 0;

    for (size_t k = 0; k < dim; ++k) {
        x[k] = 0;
    }
    sums += dim + 1u; /* the first row is that of z: the rows below it do not contain z any more */
    for (size_t i = 0; i < dim; ++i) {
        for (size_t k = i; k < dim; ++k) {
            size_t element = k * (k + 1u) / 2u + i;
            for (size_t l = i; l <= k; ++l) {
                normal[element++] += sums[k - i] * sums[l - i];
            }
            x[k] += sums[k - i] * right[i + 1u];
        }
        sums += dim - i;
    }
    for (size_t k = 0; k < dim; ++k) {
        trace += normal[diagonal];
        diagonal += k + 2u;
    }
    diagonal = 0;
    for (size_t k = 0; k < dim; ++k) {
        normal[diagonal] += ridge * trace;
        diagonal += k + 2u;
    }
    return trace > 0 && cairn_symmetric_solve(normal, x, dim) && cairn_all_finite(x, dim);
}

static size_t packed(size_t i, size_t j) { return i > j ? i * (i + 1u) / 2u + j : j * (j + 1u) / 2u + i; }

/* Rotate rows p and q so that the element between them vanishes. */
static void rotate(cairn_real *matrix, size_t dim, size_t p, size_t q, cairn_real *axes)
{
    const cairn_real off = matrix[packed(p, q)];
    const cairn_real theta = (matrix[packed(q, q)] - matrix[packed(p, p)]) / (2 * off);
    const cairn_real tangent = (theta < 0 ? -1.0f : 1.0f) / (cairn_abs(theta) + cairn_sqrt(theta * theta + 1));
    const cairn_real cosine = 1 / cairn_sqrt(tangent * tangent + 1);
    const cairn_real sine = tangent * cosine;

    if (!cairn_isfinite(theta) || !cairn_isfinite(theta * theta)) {
        return; /* the element is negligible beside the diagonal */
    }
    matrix[packed(p, p)] -= tangent * off;
    matrix[packed(q, q)] += tangent * off;
    matrix[packed(p, q)] = 0;
    for (size_t k = 0; k < dim; ++k) {
        const cairn_real axis_p = axes[p * dim + k];
        const cairn_real axis_q = axes[q * dim + k];
        axes[p * dim + k] = cosine * axis_p - sine * axis_q;
        axes[q * dim + k] = sine * axis_p + cosine * axis_q;
        if (k != p && k != q) {
            const cairn_real row_p = matrix[packed(k, p)];
            const cairn_real row_q = matrix[packed(k, q)];
            matrix[packed(k, p)] = cosine * row_p - sine * row_q;
            matrix[packed(k, q)] = sine * row_p + cosine * row_q;
        }
    }
}

static void swap_rows(cairn_real *values, cairn_real *axes, size_t dim, size_t a, size_t b)
{
    const cairn_real value = values[a];

    values[a] = values[b];
    values[b] = value;
    for (size_t k = 0; k < dim; ++k) {
        const cairn_real axis = axes[a * dim + k];
        axes[a * dim + k] = axes[b * dim + k];
        axes[b * dim + k] = axis;
    }
}

/* At most three rows: exchange sort. */
static void sort_axes(cairn_real *values, cairn_real *axes, size_t dim)
{
    for (size_t i = 0; i + 1u < dim; ++i) {
        for (size_t j = i + 1u; j < dim; ++j) {
            if (values[j] < values[i]) {
                swap_rows(values, axes, dim, i, j);
            }
        }
    }
}

static void jacobi_sweep(cairn_real *matrix, size_t dim, cairn_real *axes)
{
    for (size_t q = 1; q < dim; ++q) {
        for (size_t p = 0; p < q; ++p) {
            if (cairn_abs(matrix[packed(p, q)]) > 0) {
                rotate(matrix, dim, p, q, axes);
            }
        }
    }
}

void cairn_principal_axes(cairn_real *matrix, size_t dim, cairn_real *values, cairn_real *axes)
{
    for (size_t i = 0; i < dim * dim; ++i) {
        axes[i] = i % (dim + 1u) == 0 ? 1.0f : 0.0f;
    }
    for (int sweep = 0; sweep < JACOBI_SWEEPS; ++sweep) {
        jacobi_sweep(matrix, dim, axes);
    }
    for (size_t i = 0; i < dim; ++i) {
        values[i] = matrix[packed(i, i)];
    }
    sort_axes(values, axes, dim);
}
