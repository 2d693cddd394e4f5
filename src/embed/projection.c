/* SPDX-License-Identifier: MIT
 * Random projection onto a sphere. The matrix is one stream, row by row, 32 signs a draw, begun anew for each vector. The
 * scale of the signs does not matter, as places are brought to length 1; that of the vector is taken out first, so that
 * squares neither overflow nor vanish. */
#include "cairn/projection.h"

#define SIGNS 32

/* Largest magnitude; 0 for no direction. */
static cairn_real find_largest(const cairn_real *features, size_t d)
{
    cairn_real largest = 0;

    for (size_t i = 0; i < d; ++i) {
        largest = cairn_max(largest, cairn_abs(features[i]));
    }
    return largest;
}

/* One coordinate: sum of +-features / largest. */
static cairn_real project(const cairn_projection_t *self, const cairn_real *features, cairn_real largest,
                          cairn_rng_t *rng)
{
    uint32_t signs = 0;
    cairn_real sum = 0;

    for (size_t i = 0; i < self->n_features; ++i) {
        const cairn_real share = features[i] / largest;
        signs = i % SIGNS == 0 ? cairn_rng_next(rng) : signs >> 1;
        sum += (signs & 1u) != 0 ? share : -share;
    }
    return sum;
}

cairn_status cairn_projection_place(const cairn_projection_t *self, const cairn_real *features, cairn_real *place)
{
    cairn_rng_t rng;
    cairn_real largest;
    cairn_real square = 0;

    if (self == NULL || features == NULL || place == NULL || self->n_features == 0 || self->dim == 0 ||
        self->dim == UINT16_MAX) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_all_finite(features, self->n_features)) {
        return CAIRN_ERR_NONFINITE;
    }
    largest = find_largest(features, self->n_features);
    if (!(largest > 0)) {
        return CAIRN_ERR_RANGE;
    }
    cairn_rng_init(&rng, self->seed, 0);
    for (size_t a = 0; a <= self->dim; ++a) {
        place[a] = project(self, features, largest, &rng);
        square += place[a] * place[a];
    }
    if (!(square > 0)) { /* orthogonal to the whole subspace */
        place[0] = 1;
        square = 1;
    }
    square = cairn_sqrt(square);
    for (size_t a = 0; a <= self->dim; ++a) {
        place[a] /= square;
    }
    return CAIRN_OK;
}
