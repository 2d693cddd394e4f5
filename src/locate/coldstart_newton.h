/* SPDX-License-Identifier: MIT
 * The steps of Newton that end a fine last stage of the cold start: dampings of nodes, and patches of slow nodes. Walls are
 * what the pairs that have no range put up: those nodes are no nearer than the radio range. */
#ifndef CAIRN_COLDSTART_NEWTON_H
#define CAIRN_COLDSTART_NEWTON_H

#include "locate/coldstart_internal.h"

/* What happens to the nodes' own dampings: they are cleared; they grow where a quadratic form is not positive, where a step
 * led back, or where steps are longest; or they go down. */
typedef enum coldstart_damp {
    COLDSTART_DAMP_CLEAR,
    COLDSTART_DAMP_FORM,
    COLDSTART_DAMP_BACK,
    COLDSTART_DAMP_LONG,
    COLDSTART_DAMP_EASE
} coldstart_damp;

/* Begin to sum up what the nodes contribute to the form, or to the slope (COLDSTART_DAMP_BACK), into total; the part that is
 * below 0 into back. */
void cairn_coldstart_damp_begin(cairn_coldstart_t *self, coldstart_damp damp);
void cairn_coldstart_shares_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);

/* Change the dampings as self->damp says. */
void cairn_coldstart_damp_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);

/* A patch: a few nodes that come to rest together, the members of a set, so many reals at most; all over the scratch words,
 * which the last stage leaves alone. */
#define COLDSTART_PATCH_REALS 26u
typedef struct coldstart_patch {
    uint32_t n_members;
    cairn_real cost;
    const uint32_t *members; /* marked COLDSTART_IN */
    cairn_real *gradient;
    cairn_real *step_m;
    cairn_real *before_m;
    cairn_real *hessian; /* packed, of any sign */
} coldstart_patch_t;

void cairn_coldstart_patch_begin(const cairn_coldstart_t *self, coldstart_patch_t *patch);

/* Cost, gradient and Hessian at the present places. Needs a grid. */
void cairn_coldstart_patch_look(const cairn_coldstart_t *self, coldstart_patch_t *patch);

/* Bring loose and damped nodes to their own least cost, and count the patches that moved; the step takes it in. Needs a
 * grid, which must be filled again. Returns true at the last node. */
bool cairn_coldstart_relax(cairn_coldstart_t *self, int32_t *operations);

#endif
