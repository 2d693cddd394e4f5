/* SPDX-License-Identifier: MIT
 * A damping of its own for each node in the steps of Newton that end a fine last stage. Where few ranges hold a node, it
 * slides along walls and circles, the Hessian is not positive or holds for short steps only; one damping for all would make
 * the whole map wait for it. What is wrong with a direction or a step is told by what each node contributes to its form or
 * slope: those that spoil it are damped (Levenberg 1944, a node), just so much that they no longer would. */
#include "locate/coldstart_newton.h"

#define SPOILS       0.015625f /* of the sum below 0: nodes with less are left alone, but for the worst */
#define FORM_FACTOR  2
#define LONG_SHARE   0.25f /* of the square of the longest step */
#define LONG_FACTOR  4
#define EASE         0.25f
#define HOLD_LEAST   1e-3f /* of a range's weight: what at least is taken to hold a node beside its damping */
#define DAMPING_ZERO 1e-4f /* of a range's weight */

void cairn_coldstart_damp_begin(cairn_coldstart_t *self, coldstart_damp damp)
{
    self->damp = (uint8_t)damp;
    self->phase = PHASE_SHARES;
    self->cursor = 0;
    self->total = coldstart_zero();
    self->back = 0;
    self->worst = 0;
    self->longest2 = 0;
    self->moved2 = 0;
}

/* How long a node's step would be without its damping, a factor. */
static cairn_real undamped(const cairn_coldstart_t *self, uint32_t node)
{
    return 1 + coldstart_damping(self, node) / (HOLD_LEAST * self->unit_weight);
}

/* The direction or step, and what its product with tells of it. */
typedef struct parts {
    const cairn_real *way;
    const cairn_real *against;
} parts_t;

static parts_t parts_of(const cairn_coldstart_t *self, uint32_t node)
{
    const size_t at = coldstart_dim(self) * node;
    const bool form = self->damp == COLDSTART_DAMP_FORM;

    return (parts_t){cairn_coldstart_vector(self, form ? 1 : 3) + at, cairn_coldstart_vector(self, form ? 2 : 0) + at};
}

void cairn_coldstart_shares_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = begin; i < end; ++i) {
        const parts_t parts = parts_of(self, i);
        if (coldstart_is_free(self, i)) {
            const cairn_real share = cairn_dot(parts.way, parts.against, dim);
            coldstart_add(&self->total, share);
            self->back -= cairn_min(share, 0);
            self->worst = cairn_max(self->worst, -share);
            const cairn_real length2 = cairn_dot(parts.way, parts.way, dim);
            self->longest2 = cairn_max(self->longest2, length2);
            self->moved2 += length2 * undamped(self, i) * undamped(self, i);
        }
    }
}

static cairn_real damped(const cairn_coldstart_t *self, uint32_t node)
{
    const size_t dim = coldstart_dim(self);
    const parts_t parts = parts_of(self, node);
    const cairn_real before = coldstart_damping(self, node);
    const cairn_real spoils = -cairn_dot(parts.way, parts.against, dim);
    const cairn_real length2 = cairn_dot(parts.way, parts.way, dim);

    switch (self->damp) {
    case COLDSTART_DAMP_FORM:
    case COLDSTART_DAMP_BACK:
        if (length2 > 0 && spoils > 0 && spoils >= cairn_min(SPOILS * self->back, self->worst)) {
            return before + (self->damp == COLDSTART_DAMP_FORM ? FORM_FACTOR * spoils : spoils) / length2;
        }
        return before;
    case COLDSTART_DAMP_LONG:
        return length2 > LONG_SHARE * self->longest2
                   ? 2 * before + LONG_FACTOR * cairn_max(self->slope, 1) / self->longest2
                   : before;
    case COLDSTART_DAMP_EASE: return EASE * before > DAMPING_ZERO * self->unit_weight ? EASE * before : 0;
    default: return 0;
    }
}

void cairn_coldstart_damp_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        if (coldstart_is_free(self, i)) {
            coldstart_set_damping(self, i, damped(self, i));
        }
    }
}
