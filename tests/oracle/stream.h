/* SPDX-License-Identifier: MIT
 * An embed object in memory of its own, with guards around what it asked for, and streams of vectors near a plane. */
#ifndef CAIRN_ORACLE_STREAM_H
#define CAIRN_ORACLE_STREAM_H

#include "cairn/embed.h"
#include "oracle/random.h"
#include "support/test.h"

enum { L = 16, D = 6, K = 2, GUARD = 4 };

/* What all options together need. */
enum {
    N_REALS = CAIRN_EMBED_REALS(L, CAIRN_EMBED_KEPT(D), K) + CAIRN_EMBED_STORED_REALS(L) + CAIRN_EMBED_MAXMIN_REALS(L) +
              CAIRN_EMBED_ROBUST_REALS(L) + CAIRN_EMBED_SMOOTHER_REALS(D, K)
};

enum { N_POLICIES = 3 };
static const cairn_embed_policy_t *const policies[N_POLICIES] = {NULL, &cairn_embed_random, &cairn_embed_maxmin};

typedef struct world {
    cairn_real reals[N_REALS + 2 * GUARD];
    uint16_t nearest[L + 2 * GUARD];
    cairn_embed_t embed;
} world_t;

static world_t world;
static cairn_embed_cfg_t cfg;
static cairn_rng_t rng;

static inline void set_cfg(const cairn_embed_policy_t *policy)
{
    cfg = cairn_embed_cfg_default;
    cfg.n_features = D;
    cfg.dim = K;
    cfg.n_landmarks = L;
    cfg.policy = policy;
    cairn_rng_init(&rng, 17, 3);
}

static inline cairn_embed_memory_t get_memory(world_t *self)
{
    const cairn_embed_memory_t memory = {self->reals + GUARD, cairn_embed_reals(&cfg), self->nearest + GUARD, L};
    return memory;
}

/* Guards and memory are numbered, so that neither zeros nor what was there before are relied upon. */
static inline cairn_status begin(void)
{
    const cairn_embed_memory_t memory = get_memory(&world);
    for (size_t i = 0; i < N_REALS + 2 * GUARD; ++i) {
        world.reals[i] = (cairn_real)(i + 1);
    }
    for (size_t i = 0; i < L + 2 * GUARD; ++i) {
        world.nearest[i] = (uint16_t)(i + 1);
    }
    CHECK(memory.n_reals > 0 && memory.n_reals <= N_REALS);
    return cairn_embed_init(&world.embed, &cfg, &memory);
}

/* Nothing was written but what was asked for. */
static inline void check_guards(void)
{
    const size_t end = GUARD + cairn_embed_reals(&cfg);
    for (size_t i = 0; i < N_REALS + 2 * GUARD; ++i) {
        CHECK((i >= GUARD && i < end) ||
              !(world.reals[i] > (cairn_real)(i + 1) || world.reals[i] < (cairn_real)(i + 1)));
    }
    for (size_t i = 0; i < GUARD; ++i) {
        CHECK_EQ(world.nearest[i], i + 1);
        CHECK_EQ(world.nearest[GUARD + L + i], GUARD + L + i + 1);
    }
}

/* A point of the plane in D features, turned and shifted, with noise. */
static inline void draw(cairn_real *features, cairn_real noise)
{
    const cairn_real u = random_between(&rng, -4, 4), v = random_between(&rng, -2, 2);
    for (int a = 0; a < D; ++a) {
        const cairn_real slope = (cairn_real)0.3 * (cairn_real)(a - 2),
                         other = (cairn_real)0.4 * (cairn_real)((a * a) % 5 - 2);
        features[a] = 1 + slope * u + other * v + random_between(&rng, -noise, noise);
    }
}

/* The last landmark is followed by the whole start. */
static inline cairn_status push(cairn_embed_t *embed, const cairn_real *features, cairn_real *place)
{
    const cairn_status status = cairn_embed_push(embed, features, place);
    while (status == CAIRN_MORE && cairn_embed_step(embed, 100) == CAIRN_MORE) {
    }
    return status;
}

/* Pushes n drawn vectors into the world; all must be taken. */
static inline void push_drawn(int n, cairn_real noise)
{
    cairn_real features[D], place[K];
    for (int i = 0; i < n; ++i) {
        draw(features, noise);
        CHECK(push(&world.embed, features, place) >= 0);
    }
}

#endif
