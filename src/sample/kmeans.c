/* SPDX-License-Identifier: MIT
 * K-means over a stream. Means are kept as running means, not sums, so that they lose no digits over long passes. */
#include "cairn/kmeans.h"

cairn_status cairn_kmeans_init(cairn_kmeans_t *self, cairn_kmeans_method_t method, size_t k, size_t d,
                               cairn_real *reals, size_t n_reals, uint32_t *count)
{
    if (self == NULL || reals == NULL || count == NULL || k == 0 || d == 0 || k > UINT16_MAX || d > UINT16_MAX ||
        (method != CAIRN_KMEANS_LLOYD && method != CAIRN_KMEANS_ONE_PASS)) {
        return CAIRN_ERR_ARG;
    }
    if ((n_reals - d) / 2u / d < k || n_reals < d) {
        return CAIRN_ERR_SIZE;
    }
    if (!cairn_aligned(reals, sizeof *reals) || !cairn_aligned(count, sizeof *count)) {
        return CAIRN_ERR_ALIGN;
    }
    memset(self, 0, sizeof *self);
    self->centre = reals;
    self->mean = reals + k * d;
    self->farthest = self->mean + k * d;
    self->count = count;
    self->method = method;
    self->k = (uint16_t)k;
    self->d = (uint16_t)d;
    for (size_t i = 0; i < CAIRN_KMEANS_REALS(k, d); ++i) {
        reals[i] = 0;
    }
    for (size_t i = 0; i < k; ++i) {
        count[i] = 0;
    }
    return CAIRN_OK;
}

static bool is_near_enough(const cairn_real *point, size_t d)
{
    for (size_t i = 0; i < d; ++i) {
        if (cairn_abs(point[i]) > CAIRN_KMEANS_COORDINATE_MAX) {
            return false;
        }
    }
    return true;
}

static cairn_real square_distance(const cairn_real *a, const cairn_real *b, size_t d)
{
    cairn_real sum = 0;

    for (size_t i = 0; i < d; ++i) {
        const cairn_real difference = a[i] - b[i];
        sum += difference * difference;
    }
    return sum;
}

static size_t find_nearest(const cairn_kmeans_t *self, const cairn_real *point, cairn_real *square)
{
    size_t nearest = 0;

    *square = CAIRN_REAL_MAX;
    for (size_t c = 0; c < self->n_centres; ++c) {
        const cairn_real candidate = square_distance(point, self->centre + c * self->d, self->d);
        if (candidate < *square) {
            *square = candidate;
            nearest = c;
        }
    }
    return nearest;
}

static void pull(cairn_real *mean, const cairn_real *point, size_t d, uint32_t count)
{
    const cairn_real share = 1 / (cairn_real)count;

    for (size_t i = 0; i < d; ++i) {
        mean[i] += share * (point[i] - mean[i]);
    }
}

cairn_status cairn_kmeans_add(cairn_kmeans_t *self, const cairn_real *point, uint32_t *cluster)
{
    cairn_real square;
    size_t nearest;

    if (self == NULL || point == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_all_finite(point, self->d)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!is_near_enough(point, self->d)) {
        return CAIRN_ERR_RANGE;
    }
    if (self->n_points >= UINT32_MAX) {
        return CAIRN_ERR_STATE;
    }
    nearest = find_nearest(self, point, &square);
    if (self->n_centres < self->k && (self->n_centres == 0 || square > 0)) {
        nearest = self->n_centres++;
        square = 0;
        memcpy(self->centre + nearest * self->d, point, self->d * sizeof *point);
    }
    ++self->n_points;
    self->inertia += (square - self->inertia) / (cairn_real)self->n_points;
    if (square > self->farthest_square) {
        self->farthest_square = square;
        memcpy(self->farthest, point, self->d * sizeof *point);
    }
    self->count[nearest] += self->count[nearest] < UINT32_MAX ? 1u : 0u;
    pull((self->method == CAIRN_KMEANS_LLOYD ? self->mean : self->centre) + nearest * self->d, point, self->d,
         self->count[nearest]);
    if (cluster != NULL) {
        *cluster = (uint32_t)nearest;
    }
    return CAIRN_OK;
}

static void end_lloyd(cairn_kmeans_t *self)
{
    const size_t d = self->d;

    for (size_t c = 0; c < self->n_centres; ++c) {
        const cairn_real *source = self->mean + c * d;
        if (self->count[c] == 0 && self->farthest_square > 0) {
            source = self->farthest;
            self->farthest_square = 0;
            ++self->n_moved_empty;
        } else if (self->count[c] == 0) {
            source = self->centre + c * d;
        }
        memmove(self->centre + c * d, source, d * sizeof *source);
        self->count[c] = 0;
    }
    for (size_t i = 0; i < (size_t)self->k * d; ++i) {
        self->mean[i] = 0;
    }
}

cairn_status cairn_kmeans_end_pass(cairn_kmeans_t *self, cairn_real *inertia)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->n_points == 0) {
        return CAIRN_ERR_STATE;
    }
    if (self->method == CAIRN_KMEANS_LLOYD) {
        end_lloyd(self);
    }
    self->inertia_passed = self->inertia;
    self->inertia = 0;
    self->farthest_square = 0;
    self->n_points = 0;
    ++self->n_passes;
    if (inertia != NULL) {
        *inertia = self->inertia_passed;
    }
    return CAIRN_OK;
}

const cairn_real *cairn_kmeans_get_centres(const cairn_kmeans_t *self) { return self->centre; }

uint32_t cairn_kmeans_get_count(const cairn_kmeans_t *self) { return self->n_centres; }
