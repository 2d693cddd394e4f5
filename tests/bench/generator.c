/* SPDX-License-Identifier: MIT
 * Made-up networks: uniform places in the unit square or cube, movement, disc graph, noisy ranges. */
#include "generator.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { STREAM_PLACES = 1, STREAM_MOVES = 2, STREAM_NOISE = 3, DIM_MAX = 3 };

#define CELL_NONE SIZE_MAX

static const double two_pi = 6.28318530717958647692;

/* Uniform in [0, 1) with 53 bits. */
static double draw_uniform(cairn_rng_t *rng)
{
    uint64_t high = cairn_rng_next(rng) >> 5;
    uint64_t low = cairn_rng_next(rng) >> 6;
    return (double)(high * 67108864u + low) / 9007199254740992.0;
}

/* Standard normal deviate (Box and Muller 1958; the second one of the pair is not used). */
static double draw_normal(cairn_rng_t *rng)
{
    double radius = sqrt(-2.0 * log(1.0 - draw_uniform(rng)));
    return radius * cos(two_pi * draw_uniform(rng));
}

void generator_init(generator_t *self, const generator_cfg_t *cfg)
{
    cairn_rng_t place_rng;
    memset(self, 0, sizeof *self);
    self->cfg = *cfg;
    cairn_rng_init(&place_rng, cfg->seed, STREAM_PLACES);
    cairn_rng_init(&self->move_rng, cfg->seed, STREAM_MOVES);
    cairn_rng_init(&self->noise_rng, cfg->seed, STREAM_NOISE);
    self->place_m = memory_zeroed(cfg->n_nodes * cfg->dim, sizeof *self->place_m);
    for (size_t i = 0; i < cfg->n_nodes * cfg->dim; i++) {
        self->place_m[i] = draw_uniform(&place_rng);
    }
}

/* Mirror a coordinate at 0 and 1 until it lies between them. */
static double reflect(double coordinate)
{
    double folded = fmod(fabs(coordinate), 2.0);
    return folded > 1.0 ? 2.0 - folded : folded;
}

void generator_move(generator_t *self)
{
    const generator_cfg_t *cfg = &self->cfg;
    for (size_t i = cfg->n_anchors * cfg->dim; i < cfg->n_nodes * cfg->dim; i++) {
        double moved = self->place_m[i] + cfg->move_m * draw_normal(&self->move_rng);
        self->place_m[i] = cfg->inside ? reflect(moved) : moved;
    }
}

/* Nodes by square cells not narrower than the radio range, so that only adjacent cells need a look. */
typedef struct grid {
    double low_m[DIM_MAX];
    double cell_m;
    size_t n_cells[DIM_MAX]; /* 1 for unused dimensions */
    size_t *head;            /* first node of a cell */
    size_t *next;            /* next node of the same cell */
} grid_t;

static size_t cell_along(const grid_t *grid, size_t k, double coordinate)
{
    double cell = floor((coordinate - grid->low_m[k]) / grid->cell_m);
    double last = (double)(grid->n_cells[k] - 1);
    return (size_t)(cell < 0 ? 0 : cell > last ? last : cell);
}

static void find_extent(const generator_t *self, grid_t *grid)
{
    double widest = 0;
    size_t dim = self->cfg.dim;
    double size_m[DIM_MAX] = {0, 0, 0};
    for (size_t k = 0; k < dim; k++) {
        double low = self->place_m[k];
        double high = low;
        for (size_t i = 1; i < self->cfg.n_nodes; i++) {
            double coordinate = self->place_m[i * dim + k];
            low = coordinate < low ? coordinate : low;
            high = coordinate > high ? coordinate : high;
        }
        grid->low_m[k] = low;
        size_m[k] = high - low;
        widest = size_m[k] > widest ? size_m[k] : widest;
    }
    double cells_along = ceil(pow((double)self->cfg.n_nodes, 1.0 / (double)dim));
    grid->cell_m = fmax(self->cfg.radius_m, widest / cells_along);
    for (size_t k = 0; k < DIM_MAX; k++) {
        grid->n_cells[k] = grid->cell_m > 0 ? (size_t)(size_m[k] / grid->cell_m) + 1 : 1;
    }
}

static void grid_build(grid_t *grid, const generator_t *self)
{
    size_t dim = self->cfg.dim;
    memset(grid, 0, sizeof *grid);
    find_extent(self, grid);
    size_t n_all = grid->n_cells[0] * grid->n_cells[1] * grid->n_cells[2];
    grid->head = memory_zeroed(n_all, sizeof *grid->head);
    grid->next = memory_zeroed(self->cfg.n_nodes, sizeof *grid->next);
    for (size_t cell = 0; cell < n_all; cell++) {
        grid->head[cell] = CELL_NONE;
    }
    for (size_t i = self->cfg.n_nodes; i-- > 0;) {
        size_t cell = 0;
        for (size_t k = 0; k < dim; k++) {
            cell = cell * grid->n_cells[k] + cell_along(grid, k, self->place_m[i * dim + k]);
        }
        grid->next[i] = grid->head[cell];
        grid->head[cell] = i;
    }
}

static double distance_between(const generator_t *self, size_t a, size_t b)
{
    double sum = 0;
    for (size_t k = 0; k < self->cfg.dim; k++) {
        double difference = self->place_m[a * self->cfg.dim + k] - self->place_m[b * self->cfg.dim + k];
        sum += difference * difference;
    }
    return sqrt(sum);
}

static void measure_pair(generator_t *self, size_t a, size_t b)
{
    double distance_m = distance_between(self, a, b);
    if (distance_m > self->cfg.radius_m) {
        return;
    }
    range_row_t row = {(uint32_t)a, (uint32_t)b, 0, 0};
    row.range_m = distance_m * (1.0 + self->cfg.noise_rel * draw_normal(&self->noise_rng));
    if (row.range_m > 0) {
        range_table_add(&self->ranges, row);
    } else {
        self->n_lost++;
    }
}

static void measure_with_cell(generator_t *self, const grid_t *grid, size_t a, size_t cell)
{
    for (size_t b = grid->head[cell]; b != CELL_NONE; b = grid->next[b]) {
        if (b > a) {
            measure_pair(self, a, b);
        }
    }
}

/* All pairs of node a with a later node, cell by cell. */
static void measure_node(generator_t *self, const grid_t *grid, size_t a)
{
    size_t low[DIM_MAX] = {0, 0, 0};
    size_t high[DIM_MAX] = {0, 0, 0};
    for (size_t k = 0; k < self->cfg.dim; k++) {
        size_t cell = cell_along(grid, k, self->place_m[a * self->cfg.dim + k]);
        low[k] = cell > 0 ? cell - 1 : 0;
        high[k] = cell + 1 < grid->n_cells[k] ? cell + 1 : cell;
    }
    for (size_t x = low[0]; x <= high[0]; x++) {
        for (size_t y = low[1]; y <= high[1]; y++) {
            for (size_t z = low[2]; z <= high[2]; z++) {
                measure_with_cell(self, grid, a, (x * grid->n_cells[1] + y) * grid->n_cells[2] + z);
            }
        }
    }
}

bool generator_measure(generator_t *self)
{
    grid_t grid;
    self->ranges.n_rows = 0;
    self->n_lost = 0;
    grid_build(&grid, self);
    for (size_t a = 0; a < self->cfg.n_nodes && self->ranges.n_rows <= GENERATOR_RANGES_MAX; a++) {
        measure_node(self, &grid, a);
    }
    free(grid.head);
    free(grid.next);
    return self->ranges.n_rows <= GENERATOR_RANGES_MAX;
}

void generator_free(generator_t *self)
{
    free(self->place_m);
    range_table_free(&self->ranges);
    memset(self, 0, sizeof *self);
}
