/* SPDX-License-Identifier: MIT
 * Random binning features. Source: Rahimi and Recht (2007), section 4. Widths of bins have the density of a Gamma
 * variable of shape 2, the sum of two exponential ones. */
#include "cairn/scalar.h"
#include "walk/kernel_internal.h"

#define CELL_MAX 1e9f /* coordinates beyond so many bins share the last one */

/* Cell of one coordinate in one grid, as a whole number. */
static int32_t cell_of(cairn_real x, cairn_real width, uint64_t seed, uint32_t grid, uint32_t axis)
{
    const cairn_real one = -cairn_log(kernel_uniform(kernel_mix(seed, grid, 3 * axis)));
    const cairn_real two = -cairn_log(kernel_uniform(kernel_mix(seed, grid, 3 * axis + 1)));
    const cairn_real pitch = cairn_max(width * (one + two), CAIRN_REAL_EPSILON * width);
    const cairn_real shift = pitch * kernel_uniform(kernel_mix(seed, grid, 3 * axis + 2));
    const cairn_real place = cairn_min(cairn_max((x - shift) / pitch, -CELL_MAX), CELL_MAX);
    const int32_t cut = (int32_t)place;

    return place < (cairn_real)cut ? cut - 1 : cut;
}

cairn_status cairn_kernel_bins(const cairn_real *x, uint32_t dim, cairn_real width, uint64_t seed, uint32_t n_grids,
                               uint32_t n_features, uint16_t *feature)
{
    cairn_status status = kernel_check(x, dim, width);

    if (feature == NULL || n_grids == 0 || n_features == 0 || n_features > UINT32_C(65536)) {
        return CAIRN_ERR_ARG;
    }
    if (status != CAIRN_OK) {
        return status;
    }
    for (uint32_t grid = 0; grid < n_grids; ++grid) {
        uint64_t mixed = kernel_mix(seed, grid, UINT32_MAX);
        for (uint32_t i = 0; i < dim; ++i) {
            mixed = kernel_mix(mixed, (uint32_t)cell_of(x[i], width, seed, grid, i), i);
        }
        feature[grid] = (uint16_t)((mixed >> 32) % n_features);
    }
    return CAIRN_OK;
}
