/* SPDX-License-Identifier: MIT
 * Golden hashes of walks on features and kernels, composed and steered walks, walkers, k-walks and clustered links:
 * + - * / and the square root only. */
#include "cairn/compose.h"
#include "cairn/dual.h"
#include "cairn/edges.h"
#include "cairn/kernel.h"
#include "cairn/kwalks.h"
#include "cairn/pic.h"
#include "cairn/rng.h"
#include "cairn/steer.h"
#include "cairn/walkers.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 24, LINKS = 80, FEATURES = 6, K = 2, VECTORS = 3, SLOTS = 8 };

CAIRN_PIC_DEFINE(pic, NODES, K, VECTORS);
CAIRN_SPREAD_DEFINE(spread, NODES, K, 0);

typedef struct rows {
    uint32_t start[NODES + 1];
    uint16_t other[LINKS];
    cairn_real weight[LINKS];
    cairn_half_t half;
    cairn_walk_t walk;
} rows_t;

static rows_t rows[2];
static uint8_t seed[NODES];

/* Two groups, even and odd nodes; one link in `crossing` crosses. */
static bool build(rows_t *self, uint32_t crossing)
{
    cairn_rng_t rng;
    uint32_t a[LINKS];
    uint32_t b[LINKS];
    cairn_rng_init(&rng, 77u, crossing);
    memset(self, 0, sizeof *self);
    for (uint32_t e = 0; e < LINKS; ++e) {
        const uint32_t odd = cairn_rng_below(&rng, crossing) == 0 ? 1u : 0u;
        a[e] = e % NODES;
        do {
            b[e] = cairn_rng_below(&rng, NODES / 2) * 2u + (a[e] + odd) % 2u;
        } while (a[e] == b[e]);
        self->weight[e] = 1 + cairn_rng_uniform(&rng);
    }
    if (cairn_half_count(self->start, NODES, a, b, LINKS) != CAIRN_OK) {
        return false;
    }
    cairn_half_starts(self->start, NODES);
    cairn_half_fill(self->start, a, b, LINKS, self->other, NULL);
    self->half.n_nodes = NODES;
    self->half.start = self->start;
    self->half.other16 = self->other;
    self->half.weight = self->weight;
    return cairn_half_walk(&self->half, &self->walk) == CAIRN_OK;
}

static uint32_t hash_reals(uint32_t hash, const cairn_real *x, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        hash = hash_float(hash, (float)x[i]);
    }
    return hash;
}

static void draw_row(cairn_rng_t *rng, uint32_t i, cairn_real *row)
{
    for (uint32_t j = 0; j < FEATURES; ++j) {
        row[j] = (i % 2u == j % 2u ? 2 : 0.25f) * (0.5f + cairn_rng_uniform(rng));
    }
}

static uint32_t hash_dual(void)
{
    static cairn_real work[CAIRN_DUAL_REALS(FEATURES)];
    static cairn_real weight[CAIRN_DUAL_WEIGHTS(FEATURES)];
    uint32_t hash = HASH_START;
    for (int kind = 0; kind <= CAIRN_FACTOR_BIPARTITE; ++kind) {
        const cairn_dual_cfg_t cfg = {(cairn_factor_kind)kind, FEATURES, 40};
        cairn_dual_t dual;
        cairn_dual_walk_t memory;
        cairn_walk_t walk;
        cairn_rng_t rng;
        cairn_rng_init(&rng, 5u, 1u);
        (void)!(cairn_dual_init(&dual, &cfg, work, CAIRN_DUAL_REALS(FEATURES)) == CAIRN_OK);
        for (uint32_t i = 0; i < 200; ++i) {
            cairn_real row[FEATURES];
            draw_row(&rng, i, row);
            (void)!(cairn_dual_add(&dual, row) == CAIRN_OK);
            (void)!(i == 50 && cairn_dual_fix(&dual) == CAIRN_OK);
        }
        (void)!(cairn_dual_walk(&dual, &memory, weight, CAIRN_DUAL_WEIGHTS(FEATURES), &walk) == CAIRN_OK);
        hash = hash_reals(hash, weight, CAIRN_DUAL_WEIGHTS(FEATURES));
    }
    return hash;
}

static uint32_t hash_compose(void)
{
    static cairn_real scratch[CAIRN_COMPOSE_REALS(NODES, 1)];
    uint32_t hash = HASH_START;
    for (int way = 0; way <= CAIRN_COMPOSE_WALKERS; ++way) {
        cairn_compose_t compose;
        cairn_walk_t walk;
        const cairn_spread_cfg_t cfg = way == 0 ? cairn_spread_cfg_harmonic : cairn_spread_cfg_default;
        (void)!(cairn_compose_walk(&compose, &rows[0].walk, &rows[1].walk, (cairn_compose_way)way, scratch,
                                   CAIRN_COMPOSE_REALS(NODES, 1), 1, &walk) == CAIRN_OK);
        (void)!(cairn_spread_init(&spread, &cfg, &spread_memory, NODES) == CAIRN_OK);
        (void)!(cairn_spread_begin(&spread, &walk, seed, NULL, false) == CAIRN_OK);
        while (cairn_spread_step(&spread, 1000) == CAIRN_MORE) {
        }
        for (uint32_t i = 0; i < NODES; ++i) {
            hash = hash_u32(hash, cairn_spread_get_label(&spread, i));
            hash = hash_float(hash, (float)cairn_spread_get_margin(&spread, i));
        }
    }
    return hash;
}

static uint32_t hash_walkers(void)
{
    static uint32_t start[NODES + 1];
    static uint32_t other[2 * LINKS];
    static cairn_real sum[2 * LINKS];
    static uint32_t visits[NODES];
    static uint8_t slot[NODES * SLOTS];
    const cairn_walkers_memory_t memory = {start, other, sum, visits, slot, NODES, 2 * LINKS};
    const cairn_walkers_cfg_t cfg = {SLOTS, 0.15f, 3};
    cairn_walkers_t walkers;
    uint32_t hash = HASH_START;
    (void)!(cairn_walkers_begin(&walkers, &cfg, &memory, &rows[0].walk, seed, K) == CAIRN_OK);
    (void)!(cairn_walkers_step(&walkers, 5000) == CAIRN_OK);
    for (uint32_t i = 0; i < NODES; ++i) {
        hash = hash_u32(hash_u32(hash, cairn_walkers_get_label(&walkers, i)), visits[i]);
    }
    return hash;
}

static uint32_t hash_steer(void)
{
    static cairn_real work[CAIRN_STEER_LEARN_REALS(NODES, 2)];
    static const uint32_t must_a[] = {0, 1, 4};
    static const uint32_t must_b[] = {2, 3, 6};
    static const uint32_t cannot_a[] = {0, 2};
    static const uint32_t cannot_b[] = {1, 5};
    const cairn_steer_pairs_t pairs = {must_a, must_b, 3, cannot_a, cannot_b, 2};
    const cairn_walk_t *const kinds[] = {&rows[0].walk, &rows[1].walk};
    uint8_t pinned[NODES] = {1, 1};
    cairn_real place[NODES] = {-1, 1};
    cairn_steer_t steer;
    (void)!(cairn_steer_init(&steer, kinds, 2) == CAIRN_OK);
    for (int round = 0; round < 10; ++round) {
        (void)!(cairn_steer_learn(&steer, &pairs, 8, 1, 0.1f, work, CAIRN_STEER_LEARN_REALS(NODES, 2), NULL, NULL) ==
                CAIRN_OK);
    }
    (void)!(cairn_steer_settle(&rows[0].walk, pinned, 50, 1, place, work, CAIRN_STEER_LEARN_REALS(NODES, 2)) ==
            CAIRN_OK);
    return hash_reals(hash_reals(HASH_START, steer.log_weight, 2), place, NODES);
}

static uint32_t hash_features(bool taylor)
{
    uint32_t hash = HASH_START;
    for (int i = 0; i < 40; ++i) {
        cairn_real features[15];
        const cairn_real x[2] = {(cairn_real)i * 0.07f - 1, 1 - (cairn_real)(i * i) * 0.001f};
        const cairn_status status =
            taylor ? cairn_kernel_taylor(x, 2, 4, 1.5f, features) : cairn_kernel_fourier(x, 2, 0.4f, 9, features, 15);
        hash = hash_reals(hash_u32(hash, (uint32_t)status), features, 15);
    }
    return hash;
}

static uint32_t hash_kwalks(void)
{
    static cairn_real work[CAIRN_KWALKS_REALS(NODES)];
    static uint8_t label[CAIRN_KWALKS_LABELS(NODES)];
    const cairn_spread_memory_t memory = {work, CAIRN_KWALKS_REALS(NODES), label, CAIRN_KWALKS_LABELS(NODES)};
    cairn_kwalks_t job;
    uint32_t hash = HASH_START;
    (void)!(cairn_kwalks_init(&job, &cairn_spread_cfg_default, 0.15f, 20, &memory, NODES) == CAIRN_OK);
    (void)!(cairn_kwalks_begin(&job, &rows[0].walk, seed) == CAIRN_OK);
    while (cairn_kwalks_step(&job, 1000) == CAIRN_MORE) {
    }
    for (uint32_t i = 0; i < NODES; ++i) {
        hash = hash_u32(hash, cairn_kwalks_get_label(&job, i));
    }
    return hash_reals(hash, work, NODES);
}

static uint32_t hash_edges(void)
{
    static cairn_real work[CAIRN_EDGES_REALS(K, VECTORS)];
    static uint16_t count[CAIRN_EDGES_COUNTS(NODES, K)];
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cairn_edges_t edges;
    uint32_t hash = HASH_START;
    cfg.n_vectors = VECTORS;
    (void)!(cairn_pic_init(&pic, &cfg, &pic_memory, NODES) == CAIRN_OK);
    (void)!(cairn_pic_begin(&pic, &rows[0].walk) == CAIRN_OK);
    while (cairn_pic_step(&pic, 1000) == CAIRN_MORE) {
    }
    (void)!(cairn_edges_begin(&edges, &pic, 20, work, CAIRN_EDGES_REALS(K, VECTORS), count,
                              CAIRN_EDGES_COUNTS(NODES, K)) == CAIRN_OK);
    while (cairn_edges_step(&edges, 1000) == CAIRN_MORE) {
    }
    for (uint32_t i = 0; i < NODES; ++i) {
        hash = hash_u32(hash, cairn_edges_get_groups(&edges, i, 0.2f));
    }
    return hash_reals(hash, work, K * VECTORS);
}

int port_main(void)
{
    if (!build(&rows[0], 6) || !build(&rows[1], 3)) {
        return 1;
    }
    memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
    seed[0] = 0;
    seed[1] = 1;
    golden_line("dual", hash_dual());
    golden_line("compose", hash_compose());
    golden_line("walkers", hash_walkers());
    golden_line("steer", hash_steer());
    golden_line("kernel-taylor", hash_features(true));
    golden_line("kernel-fourier", hash_features(false));
    golden_line("kwalks", hash_kwalks());
    golden_line("edges", hash_edges());
    return 0;
}
