/* SPDX-License-Identifier: MIT
 * The coarse level of the preconditioner: displacements interpolated multilinearly from the corners of cells some four
 * radio ranges wide, their Galerkin matrix summed over ranges and starts, and its banded LDL^T factors. Long soft waves of a
 * large map, which a diagonal preconditioner passes on by one radio range a product, are corners here. A range that
 * leaves its cell is taken with the corners of the cell it begins in, extrapolated: uniform motion and strain stay
 * exact and the band stays narrow. */
#include "locate/coldstart_internal.h"

#define CORNERS_MAX    8u
#define CELLS_LEAST    2u
#define CELLS_MOST     32u
#define CELL_RANGES    4.0f  /* width of a cell, radio ranges */
#define DIAGONAL_SHARE 1e-4f /* added to the diagonal, of itself */
#define DIAGONAL_FLOOR 1e-6f /* added to the diagonal, of its largest entry */
#define PIVOT_FLOOR    1e-7f /* of the largest diagonal entry */
#define BEYOND         0.5f  /* cells that a node outside the grid is taken to be outside at most */

static cairn_real *matrix_row(const cairn_coldstart_t *self, uint32_t row)
{
    return &coldstart_coarse(self)[(size_t)row * self->coarse_band].real;
}

static cairn_real *right_side(const cairn_coldstart_t *self)
{
    return &coldstart_coarse(self)[(size_t)self->coarse_rows * self->coarse_band].real;
}

/* Rows, entries of a row with the diagonal the last, and how far apart the corners along each axis are. */
static void lay_out(cairn_coldstart_t *self)
{
    const uint32_t dim = (uint32_t)coldstart_dim(self);
    uint32_t n_corners = 1;
    uint32_t farthest = 0;

    for (uint32_t k = 0; k < dim; ++k) {
        self->coarse_stride[k] = n_corners;
        farthest += n_corners;
        n_corners *= self->coarse_cells + 1u;
    }
    self->coarse_rows = n_corners * dim;
    self->coarse_band = (farthest + 1u) * dim;
}

uint32_t cairn_coldstart_coarse_choose(cairn_coldstart_t *self)
{
    const size_t dim = coldstart_dim(self);
    cairn_real width_m = 0;

    for (size_t k = 0; k < dim; ++k) {
        self->coarse_low_m[k] = self->low_m[k];
        width_m = cairn_max(width_m, self->high_m[k] - self->low_m[k]);
    }
    self->coarse_cells = (uint32_t)cairn_min(width_m / (CELL_RANGES * self->radio_range_m), CELLS_MOST);
    self->coarse_cells = self->coarse_cells < CELLS_LEAST ? CELLS_LEAST : self->coarse_cells;
    lay_out(self);
    while (self->coarse_cells > 0 &&
           (size_t)self->coarse_rows * (self->coarse_band + 1u) > coldstart_coarse_words(self)) {
        --self->coarse_cells;
        lay_out(self);
    }
    self->coarse_cell_m = self->coarse_cells > 0 ? width_m / (cairn_real)self->coarse_cells : 0;
    if (!(self->coarse_cell_m > self->radio_range_m)) {
        self->coarse_cells = 0; /* a map so small needs none */
    }
    self->coarse_ready = self->coarse_cells > 0;
    return self->coarse_ready ? PHASE_COARSE_CLEAR : PHASE_BLOCKS;
}

bool cairn_coldstart_coarse_clear(cairn_coldstart_t *self, int32_t *operations)
{
    const uint32_t n_words = self->coarse_rows * (self->coarse_band + 1u);

    for (; *operations > 0 && self->cursor < n_words; ++self->cursor) {
        coldstart_coarse(self)[self->cursor].real = 0;
        *operations -= (self->cursor & 15u) == 0 ? 1 : 0;
    }
    if (self->cursor < n_words) {
        return false;
    }
    self->cursor = 0;
    return true;
}

/* The cells, out of reach of what is written to the corners. */
typedef struct cells {
    cairn_real low_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real inverse; /* of the width of a cell */
    cairn_real most;    /* beyond the last cell */
    uint32_t last;
    uint32_t stride[CAIRN_LOCATE_DIM_MAX];
} cells_t;

COLDSTART_PASS cells_t view_cells(const cairn_coldstart_t *self, size_t dim)
{
    cells_t cells;

    cells.inverse = 1 / self->coarse_cell_m;
    cells.most = (cairn_real)self->coarse_cells + BEYOND;
    cells.last = self->coarse_cells - 1u;
    COLDSTART_UNROLL
    for (size_t k = 0; k < dim; ++k) {
        cells.low_m[k] = self->coarse_low_m[k];
        cells.stride[k] = self->coarse_stride[k];
    }
    return cells;
}

/* Cell and position in it, in cell widths, of a place. */
typedef struct spot {
    uint32_t corner; /* number of the cell's low corner */
    cairn_real share[CAIRN_LOCATE_DIM_MAX];
} spot_t;

COLDSTART_PASS spot_t find_spot(const cells_t *cells, const cairn_real *place_m, size_t dim)
{
    spot_t spot;

    spot.corner = 0;
    COLDSTART_UNROLL
    for (size_t k = 0; k < dim; ++k) {
        const cairn_real at = (place_m[k] - cells->low_m[k]) * cells->inverse;
        const cairn_real kept = cairn_min(cairn_max(at, -BEYOND), cells->most);
        const uint32_t inside = (uint32_t)(int32_t)cairn_max(kept, 0);
        const uint32_t cell = inside < cells->last ? inside : cells->last;
        spot.share[k] = kept - (cairn_real)(int32_t)cell;
        spot.corner += cell * cells->stride[k];
    }
    return spot;
}

/* Weights of the corners of a spot's cell: corner c lies on the high side along axis k when bit k of c is set. */
COLDSTART_PASS void corner_weights(const cairn_real *share, size_t dim, cairn_real *weights)
{
    weights[0] = 1;
    COLDSTART_UNROLL
    for (size_t k = 0; k < dim; ++k) {
        const size_t half = (size_t)1 << k;
        COLDSTART_UNROLL
        for (size_t c = 0; c < half; ++c) {
            weights[c + half] = weights[c] * share[k];
            weights[c] *= 1 - share[k];
        }
    }
}

COLDSTART_PASS uint32_t corner_of(const cells_t *cells, const spot_t *spot, size_t c, size_t dim)
{
    uint32_t corner = spot->corner;

    COLDSTART_UNROLL
    for (size_t k = 0; k < dim; ++k) {
        corner += (c >> k & 1u) != 0 ? cells->stride[k] : 0;
    }
    return corner;
}

/* Add share H to the block of two corners, rows `stride` apart. On the diagonal, the lower half only. */
COLDSTART_PASS void add_block(cairn_real *entries, size_t stride, const cairn_real *hessian, cairn_real share,
                              bool diagonal, size_t dim)
{
    COLDSTART_UNROLL
    for (size_t k = 0; k < dim; ++k) {
        const size_t end = diagonal ? k + 1u : dim;
        COLDSTART_UNROLL
        for (size_t l = 0; l < end; ++l) {
            entries[l] += share * hessian[k * dim + l];
        }
        entries += stride;
    }
}

/* Add shares_a shares_b H for every two corners; their rows ascend. */
COLDSTART_PASS void add_link(const cairn_coldstart_t *self, const uint32_t *rows, const cairn_real *shares,
                             const cairn_real *hessian, size_t dim)
{
    const size_t stride = self->coarse_band - 1u; /* along a column */

    COLDSTART_UNROLL
    for (size_t a = 0; a < (size_t)1 << dim; ++a) {
        cairn_real *entries = matrix_row(self, 0) + stride * (rows[a] + 1u);
        COLDSTART_UNROLL
        for (size_t b = 0; b < a; ++b) {
            add_block(entries + rows[b], stride, hessian, shares[a] * shares[b], false, dim);
        }
        add_block(entries + rows[a], stride, hessian, shares[a] * shares[a], true, dim);
    }
}

/* A start pulls at the corners about its node. Without that, long waves would seem softer by orders of magnitude than they
 * are: more iterations, and in float their share of a step would be rounding. */
COLDSTART_PASS void add_start(const cairn_coldstart_t *self, uint32_t node, const uint32_t *rows,
                              const cairn_real *shares, size_t dim)
{
    cairn_real hessian[CAIRN_LOCATE_DIM_MAX * CAIRN_LOCATE_DIM_MAX] = {0};

    if (!coldstart_has_prior(self, node)) {
        return;
    }
    for (size_t k = 0; k < dim; ++k) {
        hessian[k * dim + k] = self->prior_weight;
    }
    add_link(self, rows, shares, hessian, dim);
}

COLDSTART_PASS void add_links_of_node(cairn_coldstart_t *self, uint32_t node, size_t dim)
{
    const cairn_network_t *network = self->network;
    const size_t n_corners = (size_t)1 << dim;
    const cairn_real *place_m = network_place(network, node);
    const cells_t cells = view_cells(self, dim);
    const spot_t spot = find_spot(&cells, place_m, dim);
    uint32_t rows[CORNERS_MAX];
    cairn_real own[CORNERS_MAX];

    corner_weights(spot.share, dim, own);
    for (size_t c = 0; c < n_corners; ++c) {
        rows[c] = corner_of(&cells, &spot, c, dim) * (uint32_t)dim;
        own[c] = coldstart_is_free(self, node) ? own[c] : 0;
    }
    add_start(self, node, rows, own, dim);
    for (uint32_t k = upper_rows(network)[node]; k < upper_rows(network)[node + 1u]; ++k) {
        const cairn_link_t *link = upper_links(network) + k;
        const uint32_t other = cairn_link_node(link);
        cairn_real delta[CAIRN_LOCATE_DIM_MAX];
        cairn_real share[CAIRN_LOCATE_DIM_MAX];
        cairn_real shares[CORNERS_MAX];
        cairn_real hessian[CAIRN_LOCATE_DIM_MAX * CAIRN_LOCATE_DIM_MAX]; /* of the range */
        cairn_real distance2 = 0;
        cairn_real weight;
        cairn_real along;
        for (size_t l = 0; l < dim; ++l) {
            delta[l] = place_m[l] - network_place(network, other)[l];
            share[l] = spot.share[l] - delta[l] * cells.inverse;
            share[l] = cairn_min(cairn_max(share[l], -1), 2);
            distance2 += delta[l] * delta[l];
        }
        corner_weights(share, dim, shares);
        for (size_t c = 0; c < n_corners; ++c) {
            shares[c] = own[c] - (coldstart_is_free(self, other) ? shares[c] : 0);
        }
        distance2 = cairn_max(distance2, COLDSTART_TINY * self->radio_range_m * self->radio_range_m);
        weight = coldstart_weight(&self->noise, self->network, self->plain, link, distance2);
        along = weight * (1 - self->isotropy) / distance2;
        for (size_t l = 0; l < dim; ++l) {
            for (size_t m = 0; m < dim; ++m) {
                hessian[l * dim + m] = along * delta[l] * delta[m];
            }
            hessian[l * dim + l] += weight * self->isotropy;
        }
        add_link(self, rows, shares, hessian, dim);
    }
}

COLDSTART_PASS void add_links_of(cairn_coldstart_t *self, uint32_t begin, uint32_t end, size_t dim)
{
    for (uint32_t i = begin; i < end; ++i) {
        if (network_is_known(self->network, i)) {
            add_links_of_node(self, i, dim);
        }
    }
}

void cairn_coldstart_coarse_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    COLDSTART_BY_DIM(add_links_of);
}

/* Lift the diagonal, so that corners without nodes, and floating maps, have pivots; returns its largest entry. */
static cairn_real lift_diagonal(const cairn_coldstart_t *self)
{
    const uint32_t last = self->coarse_band - 1u;
    cairn_real largest = 0;

    for (uint32_t row = 0; row < self->coarse_rows; ++row) {
        largest = cairn_max(largest, matrix_row(self, row)[last]);
    }
    for (uint32_t row = 0; row < self->coarse_rows; ++row) {
        matrix_row(self, row)[last] += DIAGONAL_SHARE * matrix_row(self, row)[last] + DIAGONAL_FLOOR * largest;
    }
    return largest;
}

static cairn_real dot(const cairn_real *a, const cairn_real *b, uint32_t n)
{
    cairn_real sums[4] = {0, 0, 0, 0};
    uint32_t i = 0;

    for (; i + 4u <= n; i += 4u) {
        sums[0] += a[i] * b[i];
        sums[1] += a[i + 1u] * b[i + 1u];
        sums[2] += a[i + 2u] * b[i + 2u];
        sums[3] += a[i + 3u] * b[i + 3u];
    }
    for (; i < n; ++i) {
        sums[0] += a[i] * b[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Row `row` of L, with the inverse pivot on the diagonal. Columns: entries [last - row + j] belongs to column j. */
static void factor_row(const cairn_coldstart_t *self, uint32_t row, cairn_real floor)
{
    const uint32_t last = self->coarse_band - 1u;
    const uint32_t first = row > last ? row - last : 0;
    cairn_real *entries = matrix_row(self, row) + last - row;
    cairn_real pivot = entries[row];

    for (uint32_t j = first; j < row; ++j) {
        const cairn_real *other = matrix_row(self, j) + last - j;
        const uint32_t begin = j > last && j - last > first ? j - last : first;
        entries[j] -= dot(entries + begin, other + begin, j - begin); /* becomes L_rj D_j */
    }
    for (uint32_t j = first; j < row; ++j) {
        const cairn_real scaled = entries[j];
        entries[j] = scaled * (matrix_row(self, j) + last - j)[j];
        pivot -= scaled * entries[j];
    }
    entries[row] = 1 / cairn_max(pivot, floor);
}

bool cairn_coldstart_coarse_factor(cairn_coldstart_t *self, int32_t *operations)
{
    const uint32_t rows = self->coarse_rows;
    const uint32_t width = self->coarse_band;

    if (self->cursor == 0) {
        self->alpha = PIVOT_FLOOR * cairn_max(lift_diagonal(self), CAIRN_REAL_EPSILON * self->unit_weight);
    }
    for (; *operations > 0 && self->cursor < rows; ++self->cursor) {
        factor_row(self, self->cursor, self->alpha);
        *operations -= (int32_t)(width * (width / 32u + 1u));
    }
    if (self->cursor < rows) {
        return false;
    }
    self->cursor = 0;
    return true;
}

void cairn_coldstart_coarse_zero(cairn_coldstart_t *self)
{
    cairn_real *right = right_side(self);

    for (uint32_t row = 0; row < self->coarse_rows; ++row) {
        right[row] = 0;
    }
}

/* Forward, then backward, one row an iteration of the cursor. */
bool cairn_coldstart_coarse_solve(cairn_coldstart_t *self, int32_t *operations)
{
    const uint32_t rows = self->coarse_rows;
    const uint32_t last = self->coarse_band - 1u;
    cairn_real *right = right_side(self);

    for (; self->cursor<2u * rows && * operations> 0; ++self->cursor) {
        const uint32_t row = self->cursor < rows ? self->cursor : 2u * rows - 1u - self->cursor;
        const uint32_t first = row > last ? row - last : 0;
        const cairn_real *entries = matrix_row(self, row) + last - row;
        if (self->cursor < rows) {
            right[row] -= dot(entries + first, right + first, row - first);
        } else {
            const cairn_real value = right[row];
            for (uint32_t j = first; j < row; ++j) {
                right[j] -= entries[j] * value;
            }
        }
        if (self->cursor == rows - 1u) { /* between the two: the diagonal */
            for (uint32_t j = 0; j < rows; ++j) {
                const cairn_real scaled = right[j] * matrix_row(self, j)[last];
                coldstart_add(&self->total, right[j] * scaled);
                right[j] = scaled;
            }
        }
        *operations -= (int32_t)(last / 16u + 1u);
    }
    if (self->cursor < 2u * rows) {
        return false;
    }
    self->cursor = 0;
    return true;
}

COLDSTART_PASS void restrict_of(cairn_coldstart_t *self, uint32_t begin, uint32_t end, size_t dim)
{
    const cells_t cells = view_cells(self, dim);
    cairn_real *right = right_side(self);

    for (uint32_t i = begin; i < end; ++i) {
        const cairn_real *residual = cairn_coldstart_vector(self, 0) + dim * i;
        const spot_t spot = find_spot(&cells, coldstart_places(self) + dim * i, dim);
        cairn_real weights[CORNERS_MAX];
        corner_weights(spot.share, dim, weights);
        COLDSTART_UNROLL
        for (size_t c = 0; c < (size_t)1 << dim; ++c) {
            cairn_real *corner = right + (size_t)corner_of(&cells, &spot, c, dim) * dim;
            COLDSTART_UNROLL
            for (size_t k = 0; k < dim; ++k) {
                corner[k] += weights[c] * residual[k];
            }
        }
    }
}

void cairn_coldstart_coarse_restrict_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    COLDSTART_BY_DIM(restrict_of);
}

COLDSTART_PASS void interpolate_of(cairn_coldstart_t *self, uint32_t begin, uint32_t end, size_t dim)
{
    const cells_t cells = view_cells(self, dim);
    const cairn_real *right = right_side(self);

    for (uint32_t i = begin; i < end; ++i) {
        const spot_t spot = find_spot(&cells, coldstart_places(self) + dim * i, dim);
        cairn_real *result = cairn_coldstart_vector(self, 2) + dim * i;
        cairn_real weights[CORNERS_MAX];
        cairn_real sum[CAIRN_LOCATE_DIM_MAX] = {0};
        if (!coldstart_is_free(self, i)) {
            continue;
        }
        corner_weights(spot.share, dim, weights);
        COLDSTART_UNROLL
        for (size_t c = 0; c < (size_t)1 << dim; ++c) {
            const cairn_real *corner = right + (size_t)corner_of(&cells, &spot, c, dim) * dim;
            COLDSTART_UNROLL
            for (size_t k = 0; k < dim; ++k) {
                sum[k] += weights[c] * corner[k];
            }
        }
        COLDSTART_UNROLL
        for (size_t k = 0; k < dim; ++k) {
            result[k] += sum[k];
        }
    }
}

void cairn_coldstart_coarse_interpolate_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    COLDSTART_BY_DIM(interpolate_of);
}
