/* SPDX-License-Identifier: MIT
 * Spreading of labels, shared by its methods: layout of the work memory. */
#ifndef CAIRN_SPREAD_INTERNAL_H
#define CAIRN_SPREAD_INTERNAL_H

#include "cairn/spread.h"

/* Work memory, [capacity] each: degrees, product, best and second best score, scores of the class (of all, if kept). */
static inline cairn_real *spread_degree(const cairn_spread_t *self) { return self->memory.work; }

static inline cairn_real *spread_product(const cairn_spread_t *self) { return self->memory.work + self->capacity; }

static inline cairn_real *spread_best(const cairn_spread_t *self)
{
    return self->memory.work + 2u * (size_t)self->capacity;
}

static inline cairn_real *spread_second(const cairn_spread_t *self)
{
    return self->memory.work + 3u * (size_t)self->capacity;
}

static inline cairn_real *spread_scores(const cairn_spread_t *self, size_t class_index)
{
    return self->memory.work + (4u + (self->kept ? class_index : 0u)) * (size_t)self->capacity;
}

static inline cairn_real spread_seed_weight(const cairn_spread_t *self, uint32_t node)
{
    return self->seed_weight != NULL ? self->seed_weight[node] : (cairn_real)1;
}

/* One method each. Before the rounds of a class; after a product, which returns the sum of changes; after the rounds:
 * what is stored in the scores is then the score. */
void cairn_spread_mrw_begin(cairn_spread_t *self);
cairn_real cairn_spread_mrw_round(cairn_spread_t *self);
void cairn_spread_mrw_end(cairn_spread_t *self);
void cairn_spread_hf_begin(cairn_spread_t *self);
cairn_real cairn_spread_hf_round(cairn_spread_t *self);
cairn_real cairn_spread_hf_factor(const cairn_spread_t *self);

#endif
