/* SPDX-License-Identifier: MIT
 * Walks over links, shared with the jobs that walk: one run, and what all jobs ask of their memory. */
#ifndef CAIRN_WALK_INTERNAL_H
#define CAIRN_WALK_INTERNAL_H

#include "cairn/walk.h"

#define WALK_CAPACITY_MAX 0x1000000u /* nodes of a job */

/* Whether a job's work memory and labels are aligned and long enough. */
static inline cairn_status walk_check_memory(const cairn_real *work, size_t n_work, size_t least_work, size_t n_label,
                                             size_t least_label)
{
    if (!cairn_aligned(work, sizeof(cairn_real))) {
        return CAIRN_ERR_ALIGN;
    }
    return n_work < least_work || n_label < least_label ? CAIRN_ERR_SIZE : CAIRN_OK;
}

/* A row whose links weigh 1 each. */
static inline bool cairn_run_is_plain(const cairn_run_t *run)
{
    return run->node16 == NULL && run->weight == NULL && (run->other16 != NULL || run->other32 != NULL);
}

/* Add the product of one run to y. */
void cairn_walk_multiply_run(const cairn_run_t *run, size_t n_columns, const cairn_real *x, cairn_real *y);

#endif
