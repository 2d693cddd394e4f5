/* SPDX-License-Identifier: MIT
 * Policies of embed: which vectors become landmarks, and in whose place. */
#include "embed/embed_internal.h"

static cairn_status check_nothing(const cairn_embed_cfg_t *cfg, const cairn_embed_memory_t *memory)
{
    (void)cfg;
    (void)memory;
    return CAIRN_OK;
}

static void begin_random(cairn_embed_t *self, const cairn_embed_memory_t *rest)
{
    (void)rest;
    (void)!cairn_reservoir_init(&self->sample.random, self->cfg->n_landmarks, self->cfg->seed);
}

/* A stream that was closed early may be offered slots beyond those held. */
static bool choose_random(cairn_embed_t *self, uint32_t *slot)
{
    return cairn_reservoir_offer(&self->sample.random, slot) == CAIRN_OK && *slot < self->n_held;
}

static cairn_status check_maxmin(const cairn_embed_cfg_t *cfg, const cairn_embed_memory_t *memory)
{
    if (memory->nearest == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (memory->n_nearest < cfg->n_landmarks) {
        return CAIRN_ERR_SIZE;
    }
    return cairn_aligned(memory->nearest, sizeof *memory->nearest) ? CAIRN_OK : CAIRN_ERR_ALIGN;
}

static void begin_maxmin(cairn_embed_t *self, const cairn_embed_memory_t *rest)
{
    (void)!cairn_maxmin_init(&self->sample.maxmin, rest->reals, rest->nearest, self->cfg->n_landmarks, self->cfg->seed);
}

static void attach_maxmin(cairn_embed_t *self, const cairn_embed_memory_t *rest)
{
    self->sample.maxmin.distance = rest->reals;
    self->sample.maxmin.nearest = rest->nearest;
}

static cairn_real distance_between(const void *context, size_t i, size_t j)
{
    const cairn_embed_t *self = context;
    cairn_real distance;

    if (self->stored != NULL) {
        return i > j ? *embed_stored(self, i, j) : *embed_stored(self, j, i);
    }
    cairn_embed_measure(self, embed_source(self, i), j, 1, &distance);
    return distance;
}

/* A stream that was closed early has a smaller sample from then on. */
static bool choose_maxmin(cairn_embed_t *self, uint32_t *slot)
{
    if (self->stage == CAIRN_EMBED_READY) {
        self->sample.maxmin.size = self->n_held;
    }
    return cairn_maxmin_offer(&self->sample.maxmin, self->range, distance_between, self, slot) == CAIRN_OK;
}

const cairn_embed_policy_t cairn_embed_random = {check_nothing, begin_random,      NULL,
                                                 choose_random, cairn_embed_offer, 0};
const cairn_embed_policy_t cairn_embed_maxmin = {check_maxmin,  begin_maxmin,      attach_maxmin,
                                                 choose_maxmin, cairn_embed_offer, 1};
