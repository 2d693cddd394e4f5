/* SPDX-License-Identifier: MIT
 * The thesis's moving networks, 20 sets of ranges each. */
#ifndef BENCH_TRACK_GRID_H
#define BENCH_TRACK_GRID_H

#include "verdict.h"

/* All 24 cells, mean of n_seeds networks; a table and three figures a cell. */
void track_grid_run(verdict_t *verdict, unsigned n_seeds);

#endif
