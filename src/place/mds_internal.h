/* SPDX-License-Identifier: MIT
 * What the files of mds share. */
#ifndef CAIRN_MDS_INTERNAL_H
#define CAIRN_MDS_INTERNAL_H

#include "cairn/mds.h"

static inline cairn_real *mds_place(const cairn_mds_t *self, size_t i) { return self->place + i * self->dim; }

static inline const cairn_space_t *mds_space(const cairn_mds_t *self)
{
    return self->cfg->space != NULL ? self->cfg->space : &cairn_space_euclidean;
}

/* sum += term, carrying what rounding loses (Kahan 1965). */
static inline void mds_add(cairn_real *sum, cairn_real *rest, cairn_real term)
{
    const cairn_real corrected = term - *rest;
    const cairn_real total = *sum + corrected;

    *rest = (total - *sum) - corrected;
    *sum = total;
}

/* Read row i: distances, and weights with 0 for the object itself. */
void cairn_mds_read_row(const cairn_mds_t *self, size_t i);

/* Begin a start: draw places, or vectors for the power iteration. */
void cairn_mds_begin_start(cairn_mds_t *self);
/* One row of a round of the power iteration; the end of a round. Returns whether it was the last one. */
void cairn_mds_power_row(cairn_mds_t *self, size_t i);
bool cairn_mds_power_end(cairn_mds_t *self);

#endif
