/* SPDX-License-Identifier: MIT
 * Orthogonal Procrustes. The sum of y (rotation x) is largest for rotation = U V^T, U and V the singular vectors of
 * S = sum y x^T. Columns of S are turned in pairs until they are orthogonal: then they are U times the singular values, and
 * the product of the turns is V, which has no mirror image in it. */
#include "cairn/align.h"

#define SWEEPS_MAX 30

/* Columns as rows, so that they lie together. */
typedef struct pairs {
    cairn_real *left;   /* [k x k] of S, at the end of U */
    cairn_real *right;  /* [k x k] of V */
    cairn_real *length; /* [k] singular values */
    size_t k;
} pairs_t;

static void find_centre(const cairn_real *points, size_t n, size_t k, cairn_real *centre)
{
    memset(centre, 0, k * sizeof *centre);
    for (size_t i = 0; i < n; ++i) { /* a running mean: large coordinates keep their digits */
        for (size_t a = 0; a < k; ++a) {
            centre[a] += (points[i * k + a] - centre[a]) / (cairn_real)(i + 1u);
        }
    }
}

static void turn(cairn_real *a, cairn_real *b, size_t k, cairn_real cosine, cairn_real sine)
{
    for (size_t i = 0; i < k; ++i) {
        const cairn_real before = a[i];
        a[i] = cosine * before - sine * b[i];
        b[i] = sine * before + cosine * b[i];
    }
}

/* Make two columns orthogonal; false when they are already, up to rounding. */
static bool part(const pairs_t *self, size_t p, size_t q)
{
    const size_t k = self->k;
    cairn_real *a = self->left + p * k;
    cairn_real *b = self->left + q * k;
    const cairn_real aa = cairn_dot(a, a, k);
    const cairn_real bb = cairn_dot(b, b, k);
    const cairn_real ab = cairn_dot(a, b, k);
    cairn_real zeta;
    cairn_real tangent;
    cairn_real cosine;

    if (!(cairn_abs(ab) > CAIRN_REAL_EPSILON * cairn_sqrt(aa) * cairn_sqrt(bb))) {
        return false;
    }
    zeta = (bb - aa) / (2 * ab);
    tangent = (zeta < 0 ? (cairn_real)-1 : (cairn_real)1) / (cairn_abs(zeta) + cairn_sqrt(1 + zeta * zeta));
    cosine = 1 / cairn_sqrt(1 + tangent * tangent);
    turn(a, b, k, cosine, cosine * tangent);
    turn(self->right + p * k, self->right + q * k, k, cosine, cosine * tangent);
    return true;
}

static void part_all(const pairs_t *self)
{
    bool changed = true;

    for (int sweep = 0; sweep < SWEEPS_MAX && changed; ++sweep) {
        changed = false;
        for (size_t p = 0; p + 1u < self->k; ++p) {
            for (size_t q = p + 1u; q < self->k; ++q) {
                changed = part(self, p, q) || changed;
            }
        }
    }
}

/* Take what column c has along the others that have a length out of it, twice; returns the square of what is left. */
static cairn_real clear(const pairs_t *self, size_t c)
{
    const size_t k = self->k;
    cairn_real *column = self->left + c * k;

    for (size_t i = 0; i < 2 * k; ++i) {
        const size_t other = i % k;
        if (other != c && self->length[other] > 0) {
            const cairn_real along = cairn_dot(column, self->left + other * k, k);
            for (size_t a = 0; a < k; ++a) {
                column[a] -= along * self->left[other * k + a];
            }
        }
    }
    return cairn_dot(column, column, k);
}

/* A column without a length becomes the first axis that is enough of its own: with n of k missing, one in k has n / k. */
static void fill(const pairs_t *self, size_t c, size_t n_missing)
{
    const size_t k = self->k;
    cairn_real *column = self->left + c * k;
    cairn_real square = 0;

    for (size_t a = 0; a < k && !(2 * (cairn_real)k * square > (cairn_real)n_missing); ++a) {
        memset(column, 0, k * sizeof *column);
        column[a] = 1;
        square = clear(self, c);
    }
    for (size_t a = 0; a < k; ++a) {
        column[a] /= cairn_sqrt(square);
    }
    self->length[c] = 1;
}

/* Columns of length 1; the shortest, and how many had none. */
static size_t normalise(const pairs_t *self, size_t *shortest)
{
    const size_t k = self->k;
    cairn_real longest = 0;
    size_t n_missing = 0;

    *shortest = 0;
    for (size_t c = 0; c < k; ++c) {
        self->length[c] = cairn_sqrt(cairn_dot(self->left + c * k, self->left + c * k, k));
        longest = cairn_max(longest, self->length[c]);
        *shortest = self->length[c] < self->length[*shortest] ? c : *shortest;
    }
    for (size_t c = 0; c < k; ++c) {
        if (!(self->length[c] > 8 * (cairn_real)k * CAIRN_REAL_EPSILON * longest)) {
            self->length[c] = 0;
            ++n_missing;
        }
        for (size_t a = 0; a < k && self->length[c] > 0; ++a) {
            self->left[c * k + a] /= self->length[c];
        }
    }
    for (size_t c = 0, left = n_missing; c < k && left > 0; ++c) {
        if (!(self->length[c] > 0)) {
            fill(self, c, left--);
        }
    }
    return n_missing;
}

/* Whether the determinant is negative; by elimination with row pivots, m is destroyed. */
static bool is_mirrored(cairn_real *m, size_t k)
{
    bool negative = false;

    for (size_t c = 0; c < k; ++c) {
        size_t best = c;
        for (size_t r = c + 1u; r < k; ++r) {
            best = cairn_abs(m[r * k + c]) > cairn_abs(m[best * k + c]) ? r : best;
        }
        negative = negative != ((m[best * k + c] < 0) != (best != c));
        for (size_t a = c; a < k; ++a) {
            const cairn_real swapped = m[c * k + a];
            m[c * k + a] = m[best * k + a];
            m[best * k + a] = swapped;
        }
        for (size_t r = c + 1u; r < k; ++r) {
            const cairn_real factor = m[r * k + c] / m[c * k + c];
            for (size_t a = c; a < k; ++a) {
                m[r * k + a] -= factor * m[c * k + a];
            }
        }
    }
    return negative;
}

/* Columns of sum y x^T, and the identity. */
static void add_up(const pairs_t *self, const cairn_real *from, const cairn_real *to, size_t n,
                   const cairn_real *centres)
{
    const size_t k = self->k;
    cairn_real largest = 0;

    memset(self->left, 0, k * k * sizeof *self->left);
    for (size_t i = 0; i < n; ++i) {
        for (size_t c = 0; c < k; ++c) {
            const cairn_real x = from[i * k + c] - centres[c];
            for (size_t a = 0; a < k; ++a) {
                self->left[c * k + a] += x * (to[i * k + a] - centres[k + a]);
            }
        }
    }
    for (size_t i = 0; i < k * k; ++i) {
        largest = cairn_max(largest, cairn_abs(self->left[i]));
    }
    for (size_t i = 0; i < k * k; ++i) { /* squares must not overflow, and only directions count */
        self->left[i] = largest > 0 ? self->left[i] / largest : 0;
        self->right[i] = i % (k + 1u) == 0 ? 1 : 0;
    }
}

/* rotation = U V^T, and the shift that takes one centre to the other. */
static void compose(const pairs_t *self, const cairn_real *centres, cairn_real *rotation, cairn_real *shift)
{
    const size_t k = self->k;

    memset(rotation, 0, k * k * sizeof *rotation);
    for (size_t c = 0; c < k; ++c) {
        for (size_t i = 0; i < k * k; ++i) {
            rotation[i] += self->left[c * k + i / k] * self->right[c * k + i % k];
        }
    }
    for (size_t a = 0; a < k; ++a) {
        shift[a] = centres[k + a] - cairn_dot(rotation + a * k, centres, k);
    }
}

cairn_status cairn_align_fit(const cairn_real *from, const cairn_real *to, size_t n, size_t k, bool mirror,
                             cairn_real *rotation, cairn_real *shift, cairn_real *work, size_t n_work)
{
    pairs_t pairs;
    cairn_real *centres;
    cairn_real *copy;
    size_t shortest;
    size_t n_missing;

    if (from == NULL || to == NULL || rotation == NULL || shift == NULL || work == NULL || n == 0 || k == 0 ||
        k > CAIRN_ALIGN_DIM_MAX) {
        return CAIRN_ERR_ARG;
    }
    if (n_work < CAIRN_ALIGN_REALS(k)) {
        return CAIRN_ERR_SIZE;
    }
    if (!cairn_aligned(from, sizeof *from) || !cairn_aligned(to, sizeof *to) ||
        !cairn_aligned(rotation, sizeof *rotation) || !cairn_aligned(shift, sizeof *shift) ||
        !cairn_aligned(work, sizeof *work)) {
        return CAIRN_ERR_ALIGN;
    }
    if (!cairn_all_finite(from, n * k) || !cairn_all_finite(to, n * k)) {
        return CAIRN_ERR_NONFINITE;
    }
    pairs.left = work;
    pairs.right = work + k * k;
    copy = pairs.right + k * k;
    pairs.length = copy + k * k;
    pairs.k = k;
    centres = pairs.length + k;
    find_centre(from, n, k, centres);
    find_centre(to, n, k, centres + k);
    add_up(&pairs, from, to, n, centres);
    if (!cairn_all_finite(centres, 2 * k) || !cairn_all_finite(pairs.left, k * k)) {
        return CAIRN_ERR_NONFINITE;
    }
    part_all(&pairs);
    n_missing = normalise(&pairs, &shortest);
    memcpy(copy, pairs.left, k * k * sizeof *copy);
    if ((!mirror || n_missing > 0) && is_mirrored(copy, k)) {
        for (size_t a = 0; a < k; ++a) {
            pairs.left[shortest * k + a] = -pairs.left[shortest * k + a];
        }
    }
    compose(&pairs, centres, rotation, shift);
    return n_missing > 0 ? CAIRN_FLIP_POSSIBLE : CAIRN_OK;
}
