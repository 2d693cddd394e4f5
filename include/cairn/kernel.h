/* SPDX-License-Identifier: MIT
 * Features whose inner products are Gaussian similarities, for walks on factors: Taylor, random Fourier, random bins. */
#ifndef CAIRN_KERNEL_H
#define CAIRN_KERNEL_H

#include "cairn/real.h"
#include "cairn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_KERNEL_DIM_MAX    8u
#define CAIRN_KERNEL_DEGREE_MAX 8u

/**
 * Number of Taylor features: monomials of up to `degree` in `dim` coordinates.
 *
 * dim     1 to CAIRN_KERNEL_DIM_MAX
 * degree  0 to CAIRN_KERNEL_DEGREE_MAX, even: then all similarities are above 0
 *
 * Returns (dim + degree)! / (dim! degree!), 0 when out of range. Work: degree.
 */
uint32_t cairn_kernel_taylor_count(uint32_t dim, uint32_t degree);

/**
 * Taylor features of a point. Their inner product approaches exp(-|x - y|^2 / (2 sigma^2)); the error is below
 * (|x| |y| / sigma^2)^(degree + 1) / (degree + 1)!, so centre the data.
 *
 * x         [dim] finite
 * dim       as above
 * degree    as above
 * sigma     width of the kernel, > 0
 * features  [cairn_kernel_taylor_count(dim, degree)] out
 *
 * CAIRN_OK             written
 * CAIRN_ERR_ARG        NULL, or out of range
 * CAIRN_ERR_NONFINITE  a coordinate or sigma is NaN or infinite
 *
 * Work: features x dim multiply-adds, one exponential.
 */
CAIRN_MUST_CHECK cairn_status cairn_kernel_taylor(const cairn_real *x, uint32_t dim, uint32_t degree, cairn_real sigma,
                                                  cairn_real *features);

/**
 * Random Fourier features of a point: unbiased, but products can be negative. Frequencies come from a hash,
 * nothing is stored. A feature whose phase exceeds 65536, where floats tell no angles apart, is 0.
 *
 * x           [dim] finite
 * dim         >= 1
 * sigma       width of the kernel, > 0
 * seed        of the frequencies
 * features    [n_features] out
 * n_features  >= 1
 *
 * CAIRN_OK             written
 * CAIRN_ERR_ARG        NULL, or out of range
 * CAIRN_ERR_NONFINITE  a coordinate or sigma is NaN or infinite
 *
 * Work: n_features x dim hashes, n_features cosines.
 */
CAIRN_MUST_CHECK cairn_status cairn_kernel_fourier(const cairn_real *x, uint32_t dim, cairn_real sigma, uint64_t seed,
                                                   cairn_real *features, uint32_t n_features);

/**
 * Random bins of a point (Rahimi, Recht 2007): one feature of value 1 in each of n_grids grids; similarities are near
 * prod exp(-|x - y| / width), never negative. The best features on small devices.
 *
 * x           [dim] finite
 * dim         >= 1
 * width       of the kernel, > 0
 * seed        of the grids
 * n_grids     >= 1
 * n_features  features that cells are hashed to, 1 to 65536; take a third of the cells in use, or more
 * feature     [n_grids] out: the feature of each grid, for the sparse rows of cairn_factor_t
 *
 * CAIRN_OK             written
 * CAIRN_ERR_ARG        NULL, or out of range
 * CAIRN_ERR_NONFINITE  a coordinate or width is NaN or infinite
 *
 * Work: n_grids x dim hashes.
 */
CAIRN_MUST_CHECK cairn_status cairn_kernel_bins(const cairn_real *x, uint32_t dim, cairn_real width, uint64_t seed,
                                                uint32_t n_grids, uint32_t n_features, uint16_t *feature);

#ifdef __cplusplus
}
#endif
#endif
