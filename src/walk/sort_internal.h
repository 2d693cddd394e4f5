/* SPDX-License-Identifier: MIT
 * Sorting of numbers, shared by the one-dimensional splits. */
#ifndef CAIRN_SORT_INTERNAL_H
#define CAIRN_SORT_INTERNAL_H

#include "cairn/real.h"

/* x [n] becomes rising. */
void cairn_walk_sort(cairn_real *x, size_t n);

#endif
