/* SPDX-License-Identifier: MIT
 * Harmonic fields, as wvRN computes them: f = D^-1 A f, seeds reset each round (or pulled to their class: adsorption).
 * Source: Lin (2012), 4.4.2 and algorithm 5; class mass normalisation: Zhu, Ghahramani, Lafferty (2003), section 4. On a
 * bipartite factor walk this is co-EM (Lin, appendix C). */
#include "walk/spread_internal.h"

#define SCORE_LEAST 1e-30f

static cairn_real target(const cairn_spread_t *self, uint32_t node)
{
    return self->seed[node] == self->class_now ? (cairn_real)1 : (cairn_real)0;
}

void cairn_spread_hf_begin(cairn_spread_t *self)
{
    cairn_real *f = spread_scores(self, self->class_now);

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        f[i] = self->warm && self->seed[i] == CAIRN_SPREAD_UNKNOWN ? f[i] : target(self, i);
        spread_product(self)[i] = 0;
    }
}

cairn_real cairn_spread_hf_round(cairn_spread_t *self)
{
    const cairn_real pull = self->cfg->seed_weight;
    cairn_real *f = spread_scores(self, self->class_now);
    cairn_real *product = spread_product(self);
    cairn_real change = 0;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        const cairn_real degree = spread_degree(self)[i];
        const bool is_seed = self->seed[i] != CAIRN_SPREAD_UNKNOWN;
        cairn_real value = degree > 0 ? product[i] / degree : (cairn_real)0;
        if (is_seed) {
            value = pull > 0 ? (product[i] + pull * target(self, i)) / (degree + pull) : target(self, i);
        }
        value = value > SCORE_LEAST ? value : (cairn_real)0;
        change += cairn_abs(value - f[i]);
        f[i] = value;
        product[i] = 0;
    }
    return change;
}

cairn_real cairn_spread_hf_factor(const cairn_spread_t *self)
{
    const cairn_real *f = spread_scores(self, self->class_now);
    cairn_real sum = 0;

    for (uint32_t i = 0; i < self->walk.n_nodes; ++i) {
        sum += f[i];
    }
    return sum > 0 ? self->seeds_total / self->seeds_all * (cairn_real)self->walk.n_nodes / sum : (cairn_real)0;
}
