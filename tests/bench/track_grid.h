/* SPDX-License-Identifier: MIT
 * The thesis's moving networks, 20 sets of ranges each. */
#ifndef BENCH_TRACK_GRID_H
#define BENCH_TRACK_GRID_H

#include <stdint.h>

#include "verdict.h"

enum { TRACK_GRID_CELLS = 48 };

/* All cells, or only one (1 to TRACK_GRID_CELLS; 0: all); mean of n_seeds networks, the seeds of which begin at first_seed.
 * A table, and three to five figures a cell. */
void track_grid_run(verdict_t *verdict, unsigned n_seeds, uint64_t first_seed, unsigned only_cell);

/* Of the same cells only how far float is from double, on one network a cell; a figure each. */
void track_grid_run_double(verdict_t *verdict, uint64_t seed, unsigned only_cell);

#endif
