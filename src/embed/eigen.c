/* SPDX-License-Identifier: MIT
 * Symmetric eigenvalue problem. Source: Golub and Van Loan, 8.3: Householder tridiagonalisation and implicit symmetric QL. */
#include "embed/eigen_internal.h"

#include "cairn/vector.h"

#define ROUNDS_MAX 30

/* The reflection that zeroes column c below its subdiagonal, into v [n - c - 1], of length 1; the subdiagonal it leaves. */
static cairn_real find_reflection(const cairn_real *matrix, size_t n, size_t c, cairn_real *v)
{
    const size_t m = n - c - 1u;
    cairn_real length;
    cairn_real alpha;

    for (size_t i = 0; i < m; ++i) {
        v[i] = matrix[(c + 1u + i) * n + c];
    }
    length = cairn_sqrt(cairn_dot(v, v, m));
    alpha = v[0] > 0 ? -length : length;
    v[0] -= alpha;
    length = cairn_sqrt(cairn_dot(v, v, m));
    for (size_t i = 0; i < m; ++i) {
        v[i] = length > 0 ? v[i] / length : 0;
    }
    return alpha;
}

/* row -= 2 s v, which the compiler keeps in one loop. */
static void subtract(cairn_real *row, cairn_real s, const cairn_real *v, size_t m)
{
    for (size_t i = 0; i < m; ++i) {
        row[i] -= 2 * s * v[i];
    }
}

/* Apply the reflection on both sides of the lower right block, and to the vectors. */
static void reflect(cairn_real *matrix, size_t n, size_t c, const cairn_real *v, cairn_real *w, cairn_real *vectors)
{
    const size_t m = n - c - 1u;
    cairn_real *block = matrix + (c + 1u) * n + c + 1u;
    cairn_real half = 0;

    for (size_t i = 0; i < m; ++i) {
        w[i] = cairn_dot(block + i * n, v, m);
        half += w[i] * v[i];
    }
    for (size_t i = 0; i < m; ++i) {
        w[i] -= half * v[i];
    }
    for (size_t i = 0; i < m; ++i) {
        subtract(block + i * n, v[i], w, m);
        subtract(block + i * n, w[i], v, m);
    }
    for (size_t j = 0; j < n; ++j) { /* row i of the vectors is column c + 1 + i of the product of reflections */
        w[j] = 0;
    }
    for (size_t i = 0; i < m; ++i) {
        const cairn_real *row = vectors + (c + 1u + i) * n;
        for (size_t j = 0; j < n; ++j) {
            w[j] += v[i] * row[j];
        }
    }
    for (size_t i = 0; i < m; ++i) {
        subtract(vectors + (c + 1u + i) * n, v[i], w, n);
    }
}

/* Rotate rows i and i + 1 of the vectors. */
static void rotate(cairn_real *vectors, size_t n, size_t i, cairn_real sine, cairn_real cosine)
{
    cairn_real *low = vectors + i * n;
    cairn_real *high = low + n;

    for (size_t j = 0; j < n; ++j) {
        const cairn_real before = high[j];
        high[j] = sine * low[j] + cosine * before;
        low[j] = cosine * low[j] - sine * before;
    }
}

/* One implicit QL sweep from m down to l. */
static void sweep(cairn_real *d, cairn_real *e, size_t l, size_t m, cairn_real *vectors, size_t n)
{
    cairn_real g = (d[l + 1u] - d[l]) / (2 * e[l]);
    cairn_real r = cairn_sqrt(g * g + 1);
    cairn_real sine = 1;
    cairn_real cosine = 1;
    cairn_real p = 0;

    g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
    for (size_t i = m; i-- > l;) {
        const cairn_real f = sine * e[i];
        const cairn_real b = cosine * e[i];
        r = cairn_sqrt(f * f + g * g);
        e[i + 1u] = r;
        if (!(r > 0)) { /* it has come apart in the middle */
            d[i + 1u] -= p;
            e[m] = 0;
            return;
        }
        sine = f / r;
        cosine = g / r;
        g = d[i + 1u] - p;
        r = (d[i] - g) * sine + 2 * cosine * b;
        p = sine * r;
        d[i + 1u] = g + p;
        g = cosine * r - b;
        rotate(vectors, n, i, sine, cosine);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/* End of the unreduced block that begins at l. What is rounding beside the whole matrix counts as 0: beside its own small
 * neighbours it might never. */
static size_t find_end(const cairn_real *e, cairn_real rounding, size_t l, size_t n)
{
    size_t m = l;

    while (m + 1u < n && cairn_abs(e[m]) > rounding) {
        ++m;
    }
    return m;
}

/* Rounding of the largest sum of entries. */
static cairn_real find_rounding(const cairn_real *d, const cairn_real *e, size_t n)
{
    cairn_real largest = 0;

    for (size_t i = 0; i < n; ++i) {
        largest = cairn_max(largest, cairn_abs(d[i]) + cairn_abs(e[i]));
    }
    return CAIRN_REAL_EPSILON * largest;
}

bool cairn_eigen_symmetric(cairn_real *matrix, size_t n, cairn_real *vectors, cairn_real *values, cairn_real *work)
{
    cairn_real *e = work;
    cairn_real *w = work + n;
    cairn_real rounding;

    for (size_t i = 0; i < n * n; ++i) {
        vectors[i] = i % (n + 1u) == 0 ? 1 : 0;
    }
    for (size_t c = 0; c + 2u < n; ++c) { /* values serves as v until the end of the loop */
        const cairn_real alpha = find_reflection(matrix, n, c, values);
        e[c] = alpha;
        reflect(matrix, n, c, values, w, vectors);
    }
    if (n > 1) {
        e[n - 2u] = matrix[(n - 1u) * n + n - 2u];
    }
    e[n - 1u] = 0;
    for (size_t i = 0; i < n; ++i) {
        values[i] = matrix[i * n + i];
    }
    rounding = find_rounding(values, e, n);
    for (size_t l = 0; l < n; ++l) {
        size_t m = find_end(e, rounding, l, n);
        for (int round = 0; m != l; ++round) {
            if (round == ROUNDS_MAX) {
                return false;
            }
            sweep(values, e, l, m, vectors, n);
            m = find_end(e, rounding, l, n);
        }
    }
    return true;
}
