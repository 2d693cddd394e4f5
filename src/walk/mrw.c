/* SPDX-License-Identifier: MIT
 * MultiRankWalk: v = (1 - alpha - beta) A D^-1 v + alpha r + beta / n for each class. Source: Lin (2012), 4.2 and 6.5.3.
 * Between rounds v / degree is stored, which is what the next product needs. */
#include "walk/spread_internal.h"

#define SCORE_LEAST 1e-30f /* less is nothing: keeps slow subnormal numbers out */

static cairn_real restart(const cairn_spread_t *self, uint32_t node)
{
    return self->seed[node] == self->class_now ? spread_seed_weight(self, node) / self->seeds_total : (cairn_real)0;
}

/* Nodes without links keep what they are given; they stand with degree 1 to themselves alone. */
static cairn_real divisor(const cairn_spread_t *self, uint32_t node)
{
    const cairn_real degree = spread_degree(self)[node];

    return degree > 0 ? degree : (cairn_real)1;
}

void cairn_spread_mrw_begin(cairn_spread_t *self)
{
    cairn_real *v = spread_scores(self, self->class_now);

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        v[i] = (self->warm ? v[i] : restart(self, i)) / divisor(self, i);
        spread_product(self)[i] = 0;
    }
}

cairn_real cairn_spread_mrw_round(cairn_spread_t *self)
{
    cairn_real *v = spread_scores(self, self->class_now);
    cairn_real *product = spread_product(self);
    const cairn_real follow = 1 - self->cfg->alpha - self->cfg->beta;
    const cairn_real anywhere = self->cfg->beta / (cairn_real)self->walk.n_nodes;
    cairn_real change = 0;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        const cairn_real mass = follow * product[i] + self->cfg->alpha * restart(self, i) + anywhere;
        const cairn_real kept = mass > SCORE_LEAST ? mass : (cairn_real)0;
        change += cairn_abs(kept - v[i] * divisor(self, i));
        v[i] = kept / divisor(self, i);
        product[i] = 0;
    }
    return change;
}

void cairn_spread_mrw_end(cairn_spread_t *self)
{
    cairn_real *v = spread_scores(self, self->class_now);

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        v[i] *= divisor(self, i);
    }
}
