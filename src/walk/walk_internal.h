/* SPDX-License-Identifier: MIT
 * Walks over links, shared with clustering: one run. */
#ifndef CAIRN_WALK_INTERNAL_H
#define CAIRN_WALK_INTERNAL_H

#include "cairn/walk.h"

/* A row whose links weigh 1 each. */
static inline bool cairn_run_is_plain(const cairn_run_t *run)
{
    return run->node16 == NULL && run->weight == NULL && (run->other16 != NULL || run->other32 != NULL);
}

/* Add the product of one run to y. */
void cairn_walk_multiply_run(const cairn_run_t *run, size_t n_columns, const cairn_real *x, cairn_real *y);

#endif
