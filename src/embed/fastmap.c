/* SPDX-License-Identifier: MIT
 * FastMap (Faloutsos and Lin 1995): each axis is the line between two far vectors; what the axes so far explain is taken
 * out of the squared distances. Those may become negative for noisy or non-Euclidean data, as published. */
#include "cairn/fastmap.h"

#include "embed/metric_internal.h"

#define JUMPS 5

/* Squared distance of a vector to a sample member, less what the first n_axes coordinates say. */
static cairn_real rest(const cairn_fastmap_t *self, const cairn_real *features, const cairn_real *place, size_t member,
                       size_t n_axes)
{
    const cairn_real *other = self->place + member * self->k;
    cairn_real distance;
    cairn_real square;

    self->metric->distances(self->metric, features, self->sample + member * self->d, 1, self->d, self->d, &distance);
    square =
        distance >= 0 ? distance * distance : (cairn_real)INFINITY; /* there is none: the place will not be finite */
    for (size_t a = 0; a < n_axes; ++a) {
        square -= (place[a] - other[a]) * (place[a] - other[a]);
    }
    return square;
}

static size_t find_farthest(cairn_fastmap_t *self, size_t from, size_t n_axes)
{
    size_t farthest = from;

    for (size_t i = 0; i < self->n; ++i) {
        self->square[i] = rest(self, self->sample + from * self->d, self->place + from * self->k, i, n_axes);
        farthest = self->square[i] > self->square[farthest] ? i : farthest;
    }
    return farthest;
}

static cairn_real project(const cairn_fastmap_t *self, const cairn_real *features, const cairn_real *place, size_t axis)
{
    const cairn_real length = self->length[axis];
    const cairn_real to_first = rest(self, features, place, self->pivot[2 * axis], axis);
    const cairn_real to_second = rest(self, features, place, self->pivot[2 * axis + 1u], axis);

    if (!(length > 0)) {
        return cairn_isfinite(to_first) ? 0 : to_first;
    }
    return (to_first + length * length - to_second) / (2 * length);
}

static void find_axis(cairn_fastmap_t *self, size_t axis, size_t from)
{
    size_t to = from;
    cairn_real square;

    for (int jump = 0; jump < JUMPS; ++jump) {
        from = to;
        to = find_farthest(self, from, axis);
    }
    square = rest(self, self->sample + from * self->d, self->place + from * self->k, to, axis);
    self->pivot[2 * axis] = (uint16_t)from;
    self->pivot[2 * axis + 1u] = (uint16_t)to;
    self->length[axis] = square > 0 ? cairn_sqrt(square) : 0;
    for (size_t i = 0; i < self->n; ++i) {
        cairn_real *place = self->place + i * self->k;
        place[axis] = project(self, self->sample + i * self->d, place, axis);
    }
}

cairn_status cairn_fastmap_init(cairn_fastmap_t *self, const cairn_metric_t *metric, const cairn_real *sample, size_t n,
                                size_t d, size_t k, cairn_real *reals, size_t n_reals, uint16_t *pivot, uint64_t seed)
{
    cairn_rng_t rng;

    if (self == NULL || sample == NULL || reals == NULL || pivot == NULL || n < 2 || n > UINT16_MAX || d == 0 ||
        d > UINT16_MAX || k == 0 || k > UINT16_MAX || (metric != NULL && metric->keep != NULL)) {
        return CAIRN_ERR_ARG;
    }
    if (n_reals < k || (n_reals - k) / (k + 1u) < n) {
        return CAIRN_ERR_SIZE;
    }
    if (!cairn_aligned(sample, sizeof *sample) || !cairn_aligned(reals, sizeof *reals) ||
        !cairn_aligned(pivot, sizeof *pivot)) {
        return CAIRN_ERR_ALIGN;
    }
    if (!cairn_all_finite(sample, n * d)) {
        return CAIRN_ERR_NONFINITE;
    }
    metric = metric != NULL ? metric : &cairn_metric_euclidean;
    for (size_t i = 0; i < n; ++i) {
        if (!metric_takes(metric, sample + i * d, d)) {
            return CAIRN_ERR_RANGE;
        }
    }
    memset(self, 0, sizeof *self);
    memset(reals, 0, CAIRN_FASTMAP_REALS(n, k) * sizeof *reals);
    self->metric = metric;
    self->sample = sample;
    self->place = reals;
    self->square = reals + n * k;
    self->length = self->square + n;
    self->pivot = pivot;
    self->n = (uint32_t)n;
    self->d = (uint16_t)d;
    self->k = (uint16_t)k;
    cairn_rng_init(&rng, seed, n);
    for (size_t a = 0; a < k; ++a) {
        find_axis(self, a, cairn_rng_below(&rng, (uint32_t)n));
    }
    return cairn_all_finite(self->place, n * k) ? CAIRN_OK : CAIRN_ERR_NONFINITE;
}

cairn_status cairn_fastmap_place(const cairn_fastmap_t *self, const cairn_real *features, cairn_real *place)
{
    if (self == NULL || features == NULL || place == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_all_finite(features, self->d)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (!metric_takes(self->metric, features, self->d)) {
        return CAIRN_ERR_RANGE;
    }
    for (size_t a = 0; a < self->k; ++a) {
        place[a] = project(self, features, place, a);
    }
    return cairn_all_finite(place, self->k) ? CAIRN_OK : CAIRN_ERR_NONFINITE;
}
