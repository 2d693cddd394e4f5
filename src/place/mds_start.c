/* SPDX-License-Identifier: MIT
 * Starts of mds. Classical scaling (Torgerson 1952): leading eigenvectors of B = -1/2 J D^2 J, here by orthogonal
 * iteration over rows of D (Golub and Van Loan, 8.2.4). Distances that no R^k has make eigenvalues negative; where one is
 * met, B is shifted by it, so that large negative ones do not displace the positive ones. On a sphere of radius z, the
 * inner products z^2 cos(angle) take the place of B. */
#include "place/mds_internal.h"

#define FLAT_AXIS_SHARE                                                                                                \
    1e-3f              /* deviation drawn for an axis without extent, of the distances': it must be able to grow */
#define CHORD_MAX 2.5f /* distance_max / radius: 2 where distances are chords, pi where they are angles */

/* Roughly normal: sum of four uniform numbers, variance 1. */
static cairn_real draw_normal(cairn_rng_t *rng)
{
    cairn_real sum = -2;

    for (int i = 0; i < 4; ++i) {
        sum += cairn_rng_uniform(rng);
    }
    return sum * 1.7320508f;
}

/* Put a point onto the sphere, if there is one. */
static void normalise(const cairn_mds_t *self, cairn_real *x)
{
    const cairn_real radius = mds_space(self)->radius;
    const cairn_real length = cairn_sqrt(cairn_dot(x, x, self->dim));

    if (!(radius > 0)) {
        return;
    }
    if (!(length > CAIRN_REAL_EPSILON * radius)) {
        x[0] = radius;
        return;
    }
    for (size_t a = 0; a < self->dim; ++a) {
        x[a] *= radius / length;
    }
}

/* Root of the mean squared distance, each axis's share of it. */
static cairn_real axis_deviation(const cairn_mds_t *self)
{
    return self->weights > 0 ? cairn_sqrt(self->squares / self->weights / (2 * (cairn_real)self->dim)) : 0;
}

/* Entry of the matrix whose eigenvectors are wanted, from a distance. */
static cairn_real entry(const cairn_space_t *space, cairn_real distance)
{
    const cairn_real z = space->radius;
    cairn_real point[2];
    cairn_real step[2] = {0, 0};

    if (!(z > 0)) {
        return -0.5f * distance * distance;
    }
    distance = cairn_min(distance, space->distance_max);
    if (space->distance_max < CHORD_MAX * z) {
        return z * z - 0.5f * distance * distance;
    }
    point[0] = z;
    point[1] = 0;
    step[1] = distance;
    space->move(space, point, step, 2, point);
    return z * point[0];
}

void cairn_mds_power_row(cairn_mds_t *self, size_t i)
{
    const cairn_space_t *space = mds_space(self);
    cairn_real *product = self->second + i * self->dim;
    cairn_real known = 0;
    cairn_real mean = 0;

    for (size_t j = 0; j < self->n; ++j) { /* a missing entry counts as the mean of the row's known ones */
        if (self->weight[j] > 0) {
            self->distance[j] = entry(space, self->distance[j]);
            known += 1;
            mean += (self->distance[j] - mean) / known;
        }
    }
    for (size_t a = 0; a < self->dim; ++a) {
        product[a] = 0;
    }
    for (size_t j = 0; j < self->n; ++j) {
        const cairn_real *vector = mds_place(self, j);
        const cairn_real value = j == i ? entry(space, 0) : self->weight[j] > 0 ? self->distance[j] : mean;
        for (size_t a = 0; a < self->dim; ++a) {
            product[a] += value * vector[a];
        }
    }
}

/* Take the mean out of each column; not on a sphere, whose centre is given. */
static void centre(const cairn_mds_t *self, cairn_real *vectors)
{
    for (size_t a = 0; a < self->dim && !(mds_space(self)->radius > 0); ++a) {
        cairn_real mean = 0;
        for (size_t i = 0; i < self->n; ++i) {
            mean += (vectors[i * self->dim + a] - mean) / (cairn_real)(i + 1u);
        }
        for (size_t i = 0; i < self->n; ++i) {
            vectors[i * self->dim + a] -= mean;
        }
    }
}

static cairn_real column_dot(const cairn_mds_t *self, const cairn_real *v, size_t a, const cairn_real *w, size_t b)
{
    cairn_real sum = 0;

    for (size_t i = 0; i < self->n; ++i) {
        sum += v[i * self->dim + a] * w[i * self->dim + b];
    }
    return sum;
}

/* Orthonormal columns, by Gram-Schmidt twice; a column without anything of its own becomes 0. */
static void orthonormalise(const cairn_mds_t *self, cairn_real *vectors)
{
    const size_t dim = self->dim;

    for (size_t a = 0; a < dim; ++a) {
        cairn_real before = column_dot(self, vectors, a, vectors, a);
        cairn_real square;
        for (size_t b = 0; b < 2 * a; ++b) {
            const size_t other = b < a ? b : b - a;
            const cairn_real along = column_dot(self, vectors, a, vectors, other);
            for (size_t i = 0; i < self->n; ++i) {
                vectors[i * dim + a] -= along * vectors[i * dim + other];
            }
        }
        square = column_dot(self, vectors, a, vectors, a);
        before = square > 16 * CAIRN_REAL_EPSILON * CAIRN_REAL_EPSILON * before ? 1 / cairn_sqrt(square) : 0;
        for (size_t i = 0; i < self->n; ++i) {
            vectors[i * dim + a] *= cairn_isfinite(before) ? before : 0;
        }
    }
}

/* Times the power of two that brings the largest number to between 1 and 2, so that squares neither overflow nor vanish. */
static void bring_to_size(cairn_real *v, size_t n)
{
    cairn_real largest = 0;
    cairn_real factor = 1;

    for (size_t i = 0; i < n; ++i) {
        largest = cairn_max(largest, cairn_abs(v[i]));
    }
    for (int halving = 0; halving < 100 && largest * factor >= 2; ++halving) {
        factor *= 0.5f;
    }
    for (int doubling = 0; doubling < 100 && largest * factor < 1; ++doubling) {
        factor *= 2;
    }
    for (size_t i = 0; i < n; ++i) {
        v[i] *= factor;
    }
}

void cairn_mds_begin_start(cairn_mds_t *self)
{
    const cairn_mds_start_t start = self->n_started == 0 ? self->cfg->start : CAIRN_MDS_RANDOM;
    const cairn_real deviation = start == CAIRN_MDS_CLASSICAL ? 1 : axis_deviation(self);

    self->pass = 0;
    self->shift = 0;
    self->stage = start == CAIRN_MDS_CLASSICAL ? CAIRN_MDS_POWER
                  : start == CAIRN_MDS_RANDOM  ? CAIRN_MDS_SCALE
                                               : CAIRN_MDS_SWEEP;
    for (size_t i = 0; i < (size_t)self->n * self->dim && start != CAIRN_MDS_GIVEN; ++i) {
        self->place[i] = deviation * draw_normal(&self->rng);
    }
    for (size_t i = 0; i < self->n && start != CAIRN_MDS_CLASSICAL; ++i) {
        normalise(self, mds_place(self, i));
    }
    if (start == CAIRN_MDS_CLASSICAL) {
        centre(self, self->place);
        orthonormalise(self, self->place);
    }
    ++self->n_started;
}

/* Vectors become coordinates: times the root of their eigenvalue. */
static void spread(cairn_mds_t *self)
{
    const cairn_real least = FLAT_AXIS_SHARE * axis_deviation(self);

    for (size_t a = 0; a < self->dim; ++a) {
        const cairn_real value = self->axes[a];
        const cairn_real length = value > 0 ? cairn_sqrt(value) : 0;
        const bool flat = length * length < least * least * (cairn_real)self->n;
        for (size_t i = 0; i < self->n; ++i) {
            cairn_real *x = mds_place(self, i) + a;
            *x = flat ? least * draw_normal(&self->rng) : *x * length;
        }
    }
    for (size_t i = 0; i < self->n; ++i) {
        normalise(self, mds_place(self, i));
    }
}

bool cairn_mds_power_end(cairn_mds_t *self)
{
    const size_t n_reals = (size_t)self->n * self->dim;
    const bool last = ++self->pass >= self->cfg->power_rounds;

    centre(self, self->second);
    for (size_t a = 0; a < self->dim; ++a) {
        self->axes[a] = column_dot(self, self->place, a, self->second, a);
        self->shift = cairn_max(self->shift, -self->axes[a]);
    }
    if (last) {
        spread(self);
        return true;
    }
    for (size_t i = 0; i < n_reals; ++i) {
        self->place[i] = self->second[i] + self->shift * self->place[i];
    }
    bring_to_size(self->place, n_reals);
    orthonormalise(self, self->place);
    return false;
}
