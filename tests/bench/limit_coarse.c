/* SPDX-License-Identifier: MIT
 * Coarse level of the limit's preconditioner. */
#include "limit_coarse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum {
    DIM_MAX = 3,
    CORNERS_MAX = 8,
    CELLS_MOST = 64,
    SPREAD = 2 /* corners that a range joins are as far apart at most */
};

static const double floor_share = 1e-9; /* of the largest diagonal entry: corners without nodes */

/* Corners about a node and their shares. */
typedef struct corners {
    size_t row[CORNERS_MAX]; /* of the first coordinate */
    double share[CORNERS_MAX];
} corners_t;

void limit_coarse_init(limit_coarse_t *self, const generator_t *network)
{
    double extent_m = 0;
    memset(self, 0, sizeof *self);
    self->network = network;
    self->dim = network->cfg.dim;
    for (size_t k = 0; k < self->dim; k++) {
        double high_m = network->place_m[k];
        self->low_m[k] = high_m;
        for (size_t i = 1; i < network->cfg.n_nodes; i++) {
            self->low_m[k] = fmin(self->low_m[k], network->place_m[i * self->dim + k]);
            high_m = fmax(high_m, network->place_m[i * self->dim + k]);
        }
        extent_m = fmax(extent_m, high_m - self->low_m[k]);
    }
    self->n_cells = (size_t)fmax(1, fmin(CELLS_MOST, floor(extent_m / network->cfg.radius_m)));
    self->cell_m = extent_m / (double)self->n_cells;
    self->n_rows = self->dim;
    self->band = 1;
    for (size_t k = self->dim; k-- > 0;) {
        self->stride[k] = self->n_rows;
        self->band += SPREAD * self->n_rows;
        self->n_rows *= self->n_cells + 1;
    }
    self->band += self->dim - 1;
    self->matrix = memory_zeroed(self->n_rows * self->band, sizeof *self->matrix);
    self->vector = memory_zeroed(self->n_rows, sizeof *self->vector);
}

void limit_coarse_free(limit_coarse_t *self)
{
    free(self->matrix);
    free(self->vector);
}

/* The corners about a true place: the places found do not stray from it as far as cells are wide. Returns how many. */
static size_t find_corners(const limit_coarse_t *self, size_t node, corners_t *corners)
{
    size_t n_corners = 1;
    corners->row[0] = 0;
    corners->share[0] = 1;
    for (size_t k = 0; k < self->dim; k++) {
        double along = (self->network->place_m[node * self->dim + k] - self->low_m[k]) / self->cell_m;
        double cell = fmin(floor(along), (double)(self->n_cells - 1));
        for (size_t c = 0; c < n_corners; c++) {
            corners->row[n_corners + c] = corners->row[c] + ((size_t)cell + 1) * self->stride[k];
            corners->share[n_corners + c] = corners->share[c] * (along - cell);
            corners->row[c] += (size_t)cell * self->stride[k];
            corners->share[c] *= 1 - (along - cell);
        }
        n_corners *= 2;
    }
    return n_corners;
}

static double *entry(limit_coarse_t *self, size_t row, size_t column)
{
    return &self->matrix[row * self->band + column + self->band - 1 - row];
}

/* Entries of a range's gradient upon the corners, one end after the other. */
typedef struct entries {
    size_t n;
    size_t row[2 * CORNERS_MAX * DIM_MAX];
    double value[2 * CORNERS_MAX * DIM_MAX];
} entries_t;

static void add_end(const limit_coarse_t *self, size_t node, const double *unit, double sign, entries_t *entries)
{
    corners_t corners;
    if (node < self->network->cfg.n_anchors) {
        return;
    }
    size_t n_corners = find_corners(self, node, &corners);
    for (size_t c = 0; c < n_corners; c++) {
        for (size_t k = 0; k < self->dim; k++) {
            entries->row[entries->n] = corners.row[c] + k;
            entries->value[entries->n++] = sign * unit[k] * corners.share[c];
        }
    }
}

static void add_square(limit_coarse_t *self, const entries_t *entries, double weight)
{
    for (size_t i = 0; i < entries->n; i++) {
        for (size_t j = 0; j < entries->n; j++) {
            if (entries->row[j] <= entries->row[i]) {
                *entry(self, entries->row[i], entries->row[j]) += weight * entries->value[i] * entries->value[j];
            }
        }
    }
}

static void add_range(limit_coarse_t *self, const range_row_t *row, const double *place_m, double weight)
{
    double unit[DIM_MAX] = {0};
    double length2 = 0;
    entries_t entries = {.n = 0};
    for (size_t k = 0; k < self->dim; k++) {
        unit[k] = place_m[row->a * self->dim + k] - place_m[row->b * self->dim + k];
        length2 += unit[k] * unit[k];
    }
    add_end(self, row->a, unit, 1, &entries);
    add_end(self, row->b, unit, -1, &entries);
    add_square(self, &entries, length2 > 0 ? weight / length2 : 0);
}

/* What damping adds to one coordinate of a node. */
static void add_damping(limit_coarse_t *self, size_t node, size_t k, double weight)
{
    double unit[DIM_MAX] = {0};
    entries_t entries = {.n = 0};
    unit[k] = 1;
    add_end(self, node, unit, 1, &entries);
    add_square(self, &entries, weight);
}

/* Cholesky's factor within the band. */
static void factor(limit_coarse_t *self)
{
    size_t band = self->band;
    double largest = 0;
    for (size_t i = 0; i < self->n_rows; i++) {
        largest = fmax(largest, *entry(self, i, i));
    }
    for (size_t i = 0; i < self->n_rows; i++) {
        size_t first = i < band ? 0 : i - band + 1;
        for (size_t j = first; j < i; j++) {
            size_t from = j < band ? 0 : j - band + 1;
            const double *row_i = entry(self, i, 0);
            const double *row_j = entry(self, j, 0);
            double sum = row_i[j];
            for (size_t k = from > first ? from : first; k < j; k++) {
                sum -= row_i[k] * row_j[k];
            }
            *entry(self, i, j) = sum / row_j[j];
        }
        double pivot = *entry(self, i, i) + floor_share * largest;
        for (size_t k = first; k < i; k++) {
            pivot -= *entry(self, i, k) * *entry(self, i, k);
        }
        *entry(self, i, i) = sqrt(fmax(pivot, floor_share * largest));
    }
}

void limit_coarse_factor(limit_coarse_t *self, const double *place_m, const double *weight, const double *diagonal,
                         double damping)
{
    memset(self->matrix, 0, self->n_rows * self->band * sizeof *self->matrix);
    for (size_t r = 0; r < self->network->ranges.n_rows; r++) {
        add_range(self, &self->network->ranges.row[r], place_m, weight[r]);
    }
    for (size_t i = self->network->cfg.n_anchors; i < self->network->cfg.n_nodes; i++) {
        for (size_t k = 0; k < self->dim; k++) {
            add_damping(self, i, k, damping * diagonal[i * self->dim + k]);
        }
    }
    factor(self);
}

static void solve(limit_coarse_t *self)
{
    double *x = self->vector;
    for (size_t i = 0; i < self->n_rows; i++) {
        for (size_t k = i < self->band ? 0 : i - self->band + 1; k < i; k++) {
            x[i] -= *entry(self, i, k) * x[k];
        }
        x[i] /= *entry(self, i, i);
    }
    for (size_t i = self->n_rows; i-- > 0;) {
        x[i] /= *entry(self, i, i);
        for (size_t k = i < self->band ? 0 : i - self->band + 1; k < i; k++) {
            x[k] -= *entry(self, i, k) * x[i];
        }
    }
}

void limit_coarse_add(limit_coarse_t *self, const double *residual, double *result)
{
    corners_t corners;
    size_t n_nodes = self->network->cfg.n_nodes;
    memset(self->vector, 0, self->n_rows * sizeof *self->vector);
    for (size_t i = self->network->cfg.n_anchors; i < n_nodes; i++) {
        size_t n_corners = find_corners(self, i, &corners);
        for (size_t c = 0; c < n_corners; c++) {
            for (size_t k = 0; k < self->dim; k++) {
                self->vector[corners.row[c] + k] += corners.share[c] * residual[i * self->dim + k];
            }
        }
    }
    solve(self);
    for (size_t i = self->network->cfg.n_anchors; i < n_nodes; i++) {
        size_t n_corners = find_corners(self, i, &corners);
        for (size_t c = 0; c < n_corners; c++) {
            for (size_t k = 0; k < self->dim; k++) {
                result[i * self->dim + k] += corners.share[c] * self->vector[corners.row[c] + k];
            }
        }
    }
}
