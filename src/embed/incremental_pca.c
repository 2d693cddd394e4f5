/* SPDX-License-Identifier: MIT
 * Incremental PCA after Ross, Lim, Lin and Yang (2008): the old directions times their singular values, the centred batch
 * and a row for the move of the mean are decomposed together. */
#include "cairn/incremental_pca.h"

#include "embed/eigen_internal.h"

#define LEAST_SHARE 8 /* times rounding of the largest singular value: shorter axes are not known */

static size_t count_rows(const cairn_incremental_pca_t *self)
{
    return CAIRN_INCREMENTAL_PCA_ROWS(self->k, self->n_batch);
}

cairn_status cairn_incremental_pca_init(cairn_incremental_pca_t *self, size_t d, size_t k, size_t n_batch,
                                        cairn_real *reals, size_t n_reals)
{
    size_t rows;

    if (self == NULL || reals == NULL || d == 0 || d > UINT16_MAX || k == 0 || k > d || n_batch < k ||
        n_batch > UINT16_MAX || n_batch + k >= UINT16_MAX) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_aligned(reals, sizeof *reals)) {
        return CAIRN_ERR_ALIGN;
    }
    rows = CAIRN_INCREMENTAL_PCA_ROWS(k, n_batch);
    if (d > SIZE_MAX / 8u / (rows + k + 2u) || rows > SIZE_MAX / 16u / (2u * rows + 3u) ||
        n_reals < CAIRN_INCREMENTAL_PCA_REALS(d, k, n_batch)) {
        return CAIRN_ERR_SIZE;
    }
    memset(self, 0, sizeof *self);
    memset(reals, 0, CAIRN_INCREMENTAL_PCA_REALS(d, k, n_batch) * sizeof *reals);
    self->rows = reals;
    self->axes = self->rows + rows * d;
    self->mean = self->axes + k * d;
    self->batch = self->mean + d;
    self->gram = self->batch + d;
    self->vectors = self->gram + rows * rows;
    self->values = self->vectors + rows * rows;
    self->singular = self->values + 3 * rows;
    self->d = (uint16_t)d;
    self->k = (uint16_t)k;
    self->n_batch = (uint16_t)n_batch;
    return CAIRN_OK;
}

/* Eight partial sums: the Gram matrix is most of the work. */
static cairn_real dot(const cairn_real *a, const cairn_real *b, size_t n)
{
    enum { LANES = 8 };
    cairn_real lanes[LANES] = {0};
    size_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; ++l) {
            lanes[l] += a[i + l] * b[i + l];
        }
    }
    for (; i < n; ++i) {
        lanes[0] += a[i] * b[i];
    }
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/* Centre the batch on its own mean, write the row of the mean's move, and the mean of all. */
static void centre_batch(cairn_incremental_pca_t *self)
{
    const size_t d = self->d;
    const cairn_real n_old = (cairn_real)self->n_seen;
    const cairn_real n_new = (cairn_real)self->n_batch;
    cairn_real *first = self->rows + self->k * d;
    cairn_real *move = first + self->n_batch * d;
    const cairn_real factor = cairn_sqrt(n_old * (n_new / (n_old + n_new)));

    for (size_t a = 0; a < d; ++a) {
        cairn_real mean = 0;
        for (size_t i = 0; i < self->n_batch; ++i) {
            mean += first[i * d + a];
        }
        mean /= n_new;
        for (size_t i = 0; i < self->n_batch; ++i) {
            first[i * d + a] -= mean;
        }
        move[a] = factor * (mean - self->mean[a]);
        self->batch[a] = self->mean[a] + (mean - self->mean[a]) * (n_new / (n_old + n_new));
    }
}

/* The first of the largest values. */
static size_t find_largest(const cairn_real *values, size_t n)
{
    size_t largest = 0;

    for (size_t i = 1; i < n; ++i) {
        largest = values[i] > values[largest] ? i : largest;
    }
    return largest;
}

/* axes = the k leading right singular vectors of the rows; then the rows of the directions anew. The length of an axis before
 * it is normalised is its singular value, exact to rounding of the largest one, where the root of the eigenvalue is exact to
 * the root of that; an axis that is all rounding would be a mixture of the others, and is 0 instead. */
static void take_axes(cairn_incremental_pca_t *self)
{
    const size_t d = self->d;
    const size_t n = count_rows(self);

    for (size_t a = 0; a < self->k; ++a) {
        const size_t which = find_largest(self->values, n);
        cairn_real *axis = self->axes + a * d;
        memset(axis, 0, d * sizeof *axis);
        for (size_t i = 0; i < n; ++i) {
            const cairn_real share = self->vectors[which * n + i];
            for (size_t b = 0; b < d; ++b) {
                axis[b] += share * self->rows[i * d + b];
            }
        }
        self->values[which] = -CAIRN_REAL_MAX; /* taken */
        self->singular[a] = cairn_sqrt(dot(axis, axis, d));
        if (!(self->singular[a] > LEAST_SHARE * (cairn_real)n * CAIRN_REAL_EPSILON * self->singular[0])) {
            self->singular[a] = 0;
        }
        for (size_t b = 0; b < d; ++b) {
            axis[b] = self->singular[a] > 0 ? axis[b] / self->singular[a] : 0;
        }
    }
    for (size_t i = 0; i < (size_t)self->k * d; ++i) {
        self->rows[i] = self->axes[i] * self->singular[i / d];
    }
}

/* Where the mean is on each axis; the eigenvalues are used up. */
static void find_offsets(cairn_incremental_pca_t *self)
{
    for (size_t a = 0; a < self->k; ++a) {
        self->values[a] = dot(self->axes + a * self->d, self->mean, self->d);
    }
}

static cairn_status update(cairn_incremental_pca_t *self)
{
    const size_t d = self->d;
    const size_t n = count_rows(self);

    self->n_waiting = 0;
    centre_batch(self);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            self->gram[i * n + j] = dot(self->rows + i * d, self->rows + j * d, d);
            self->gram[j * n + i] = self->gram[i * n + j];
        }
    }
    if (!cairn_eigen_symmetric(self->gram, n, self->vectors, self->values, self->values + n) ||
        !cairn_all_finite(self->values, n)) {
        find_offsets(self);
        return CAIRN_NOT_CONVERGED;
    }
    take_axes(self);
    memcpy(self->mean, self->batch, d * sizeof *self->mean);
    find_offsets(self);
    self->n_seen += self->n_batch;
    self->n_axes = self->k;
    return CAIRN_OK;
}

cairn_status cairn_incremental_pca_add(cairn_incremental_pca_t *self, const cairn_real *features)
{
    if (self == NULL || features == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_all_finite(features, self->d)) {
        return CAIRN_ERR_NONFINITE;
    }
    memcpy(self->rows + ((size_t)self->k + self->n_waiting) * self->d, features, self->d * sizeof *features);
    return ++self->n_waiting == self->n_batch ? update(self) : CAIRN_OK;
}

cairn_status cairn_incremental_pca_place(const cairn_incremental_pca_t *self, const cairn_real *features,
                                         cairn_real *place)
{
    if (self == NULL || features == NULL || place == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_all_finite(features, self->d)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (self->n_axes == 0) {
        return CAIRN_ERR_STATE;
    }
    for (size_t a = 0; a < self->k; ++a) {
        const cairn_real *axis = self->axes + a * self->d;
        place[a] = dot(axis, features, self->d) - self->values[a];
    }
    return cairn_all_finite(place, self->k) ? CAIRN_OK : CAIRN_ERR_NONFINITE;
}
