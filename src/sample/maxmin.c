/* SPDX-License-Identifier: MIT
 * Max-min sampling with O(size) state: each item knows its nearest, so the closest pair is one scan away. */
#include "cairn/maxmin.h"

cairn_status cairn_maxmin_init(cairn_maxmin_t *self, cairn_real *distance, uint16_t *nearest, size_t size,
                               uint64_t seed)
{
    if (self == NULL || distance == NULL || nearest == NULL || size < 2 || size > UINT16_MAX) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_aligned(distance, sizeof *distance) || !cairn_aligned(nearest, sizeof *nearest)) {
        return CAIRN_ERR_ALIGN;
    }
    memset(self, 0, sizeof *self);
    cairn_rng_init(&self->rng, seed, size);
    self->distance = distance;
    self->nearest = nearest;
    self->size = (uint16_t)size;
    for (size_t i = 0; i < size; ++i) {
        distance[i] = CAIRN_REAL_MAX;
        nearest[i] = 0;
    }
    return CAIRN_OK;
}

static cairn_status check_distances(const cairn_real *to_held, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (!cairn_isfinite(to_held[i])) {
            return CAIRN_ERR_NONFINITE;
        }
        if (to_held[i] < 0) {
            return CAIRN_ERR_ARG;
        }
    }
    return CAIRN_OK;
}

static void set_nearest(cairn_maxmin_t *self, size_t i, size_t j, cairn_real distance)
{
    if (distance < self->distance[i]) {
        self->distance[i] = distance;
        self->nearest[i] = (uint16_t)j;
    }
}

static void find_nearest(cairn_maxmin_t *self, size_t i, size_t without, cairn_maxmin_fn between, const void *context)
{
    self->distance[i] = CAIRN_REAL_MAX;
    for (size_t j = 0; j < self->n_held; ++j) {
        if (j != i && j != without) {
            set_nearest(self, i, j, between(context, i, j));
        }
    }
}

/* One item of the closest pairs, each end equally likely: every end of a pair carries the pair's distance. */
static size_t choose_victim(cairn_maxmin_t *self)
{
    size_t victim = 0;
    uint32_t n_tied = 0;

    for (size_t i = 0; i < self->n_held; ++i) {
        if (n_tied == 0 || self->distance[i] < self->distance[victim]) {
            victim = i;
            n_tied = 1;
        } else if (!(self->distance[i] > self->distance[victim])) {
            ++n_tied;
            victim = cairn_rng_below(&self->rng, n_tied) == 0 ? i : victim;
        }
    }
    return victim;
}

/* Put an item with the distances to_held into a slot. */
static void enter(cairn_maxmin_t *self, size_t slot, const cairn_real *to_held)
{
    self->distance[slot] = CAIRN_REAL_MAX;
    for (size_t i = 0; i < self->n_held; ++i) {
        if (i != slot) {
            set_nearest(self, slot, i, to_held[i]);
            set_nearest(self, i, slot, to_held[i]);
        }
    }
}

cairn_status cairn_maxmin_offer(cairn_maxmin_t *self, const cairn_real *to_held, cairn_maxmin_fn between,
                                const void *context, uint32_t *slot)
{
    cairn_status status;
    cairn_real least = CAIRN_REAL_MAX;
    size_t victim;

    if (self == NULL || to_held == NULL || between == NULL || slot == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = check_distances(to_held, self->n_held);
    if (status != CAIRN_OK) {
        return status;
    }
    if (self->n_held < self->size) {
        *slot = self->n_held;
        enter(self, self->n_held, to_held);
        ++self->n_held;
        return CAIRN_OK;
    }
    for (size_t i = 0; i < self->n_held; ++i) {
        least = cairn_min(least, to_held[i]);
    }
    if (!(least > cairn_maxmin_get_closest(self))) {
        return CAIRN_REJECTED;
    }
    victim = choose_victim(self);
    for (size_t i = 0; i < self->n_held; ++i) {
        if (i != victim && self->nearest[i] == victim) {
            find_nearest(self, i, victim, between, context);
        }
    }
    enter(self, victim, to_held);
    *slot = (uint32_t)victim;
    return CAIRN_OK;
}

cairn_status cairn_maxmin_refresh(cairn_maxmin_t *self, cairn_maxmin_fn between, const void *context)
{
    if (self == NULL || between == NULL) {
        return CAIRN_ERR_ARG;
    }
    for (size_t i = 0; i < self->n_held; ++i) {
        find_nearest(self, i, self->n_held, between, context);
    }
    return CAIRN_OK;
}

cairn_real cairn_maxmin_get_closest(const cairn_maxmin_t *self)
{
    cairn_real closest = CAIRN_REAL_MAX;

    for (size_t i = 0; i < self->n_held; ++i) {
        closest = cairn_min(closest, self->distance[i]);
    }
    return self->n_held < 2 ? 0 : closest;
}
