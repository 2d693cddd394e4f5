/* SPDX-License-Identifier: MIT
 * Random reals, points and rotations for tests, from the library's own seeded stream. */
#ifndef CAIRN_ORACLE_RANDOM_H
#define CAIRN_ORACLE_RANDOM_H

#include "cairn/rng.h"
#include "oracle/solve.h"

static inline cairn_real random_between(cairn_rng_t *rng, cairn_real low, cairn_real high)
{
    return low + (high - low) * cairn_rng_uniform(rng);
}

/* Normal deviate, deviation 1: the sum of 12 uniforms has variance 1 and needs no libm (Irwin-Hall). */
static inline cairn_real random_normal(cairn_rng_t *rng)
{
    cairn_real sum = -6;
    for (int i = 0; i < 12; ++i) {
        sum += cairn_rng_uniform(rng);
    }
    return sum;
}

/* Uniform in the cube of half side `size`, or, with a radius, uniform enough on the sphere, of length radius. */
static inline void random_point(cairn_rng_t *rng, size_t dim, cairn_real size, cairn_real radius, cairn_real *x)
{
    cairn_real square = 0;
    do {
        square = 0;
        for (size_t i = 0; i < dim; ++i) {
            x[i] = random_between(rng, -size, size);
            square += x[i] * x[i];
        }
    } while (radius > 0 && !(square > size * size / 16));
    for (size_t i = 0; radius > 0 && i < dim; ++i) {
        x[i] *= radius / cairn_sqrt(square);
    }
}

/* Orthogonal matrix [dim x dim]: rows are random vectors, orthonormalised in double. */
static inline void random_rotation(cairn_rng_t *rng, size_t dim, double *rotation)
{
    for (size_t i = 0; i < dim; ++i) {
        double *row = rotation + i * dim;
        double square = 0.0;
        while (!(square > 0.01)) {
            square = 0.0;
            for (size_t k = 0; k < dim; ++k) {
                row[k] = (double)random_between(rng, -1, 1);
            }
            for (size_t j = 0; j < i; ++j) {
                double dot = 0.0;
                for (size_t k = 0; k < dim; ++k) {
                    dot += row[k] * rotation[j * dim + k];
                }
                for (size_t k = 0; k < dim; ++k) {
                    row[k] -= dot * rotation[j * dim + k];
                }
            }
            for (size_t k = 0; k < dim; ++k) {
                square += row[k] * row[k];
            }
        }
        for (size_t k = 0; k < dim; ++k) {
            row[k] /= oracle_sqrt(square);
        }
    }
}

/* out = rotation x + shift, computed in double. */
static inline void random_apply(const double *rotation, const double *shift, size_t dim, const cairn_real *x,
                                cairn_real *out)
{
    for (size_t i = 0; i < dim; ++i) {
        double sum = shift != NULL ? shift[i] : 0.0;
        for (size_t k = 0; k < dim; ++k) {
            sum += rotation[i * dim + k] * (double)x[k];
        }
        out[i] = (cairn_real)sum;
    }
}

#endif
