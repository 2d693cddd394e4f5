/* SPDX-License-Identifier: MIT
 * Golden hashes of embed, by policy and metric, and of mds, by loss. */
#include "cairn/embed.h"
#include "cairn/mds.h"
#include "oracle/random.h"
#include "support/test.h"

enum { L = 16, D = 6, K = 2, N_REALS = 900, N_POINTS = 60, N_OBJECTS = 10 };

static cairn_real reals[N_REALS];
static uint16_t nearest[L];
static cairn_embed_t embed;
static cairn_real table[N_OBJECTS * N_OBJECTS];

static void golden_policy(const char *name, const cairn_metric_t *metric, const cairn_embed_policy_t *policy,
                          bool options)
{
    const cairn_embed_memory_t memory = {reals, N_REALS, nearest, L};
    cairn_embed_cfg_t cfg = cairn_embed_cfg_default;
    uint32_t hash = HASH_START;
    cairn_rng_t rng;
    cfg.metric = metric;
    cfg.n_features = D;
    cfg.dim = K;
    cfg.n_landmarks = L;
    cfg.policy = policy;
    cfg.store_distances = options;
    cfg.robust = options ? &cairn_embed_robust : NULL;
    cairn_rng_init(&rng, 21, 6);
    hash = hash_u32(hash, (uint32_t)(int32_t)cairn_embed_init(&embed, &cfg, &memory));
    for (int i = 0; i < N_POINTS; ++i) {
        cairn_real features[D], place[K] = {0, 0};
        const cairn_real u = random_between(&rng, 0, 4), v = random_between(&rng, 0, 2);
        for (int a = 0; a < D; ++a) {
            features[a] = u * (cairn_real)(a % 3) + v * (cairn_real)(a % 2) + random_between(&rng, 0, 1);
        }
        cairn_status status = cairn_embed_push(&embed, features, place);
        while (status == CAIRN_MORE) {
            status = cairn_embed_step(&embed, 100);
        }
        hash = hash_u32(hash, (uint32_t)(int32_t)status);
        hash = hash_float(hash_float(hash, (float)place[0]), (float)place[1]);
    }
    golden_line(name, hash);
}

static void get_row(const void *context, size_t i, size_t n, cairn_real *distance, cairn_real *weight)
{
    (void)context;
    (void)weight;
    memcpy(distance, table + i * n, n * sizeof *distance);
}

static void golden_mds(const char *name, const cairn_loss_t *loss)
{
    static cairn_real place[N_OBJECTS * K];
    cairn_mds_cfg_t cfg = cairn_mds_cfg_default;
    uint32_t hash = HASH_START;
    cairn_mds_t mds;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 22, 6);
    for (int i = 0; i < N_OBJECTS; ++i) {
        for (int j = 0; j < i; ++j) {
            table[i * N_OBJECTS + j] = table[j * N_OBJECTS + i] = random_between(&rng, 1, 3);
        }
    }
    cfg.row = get_row;
    cfg.loss = loss;
    cfg.starts_max = 2;
    cairn_status status = cairn_mds_init(&mds, &cfg, N_OBJECTS, K, place, N_OBJECTS * K, reals, N_REALS);
    do {
        status = status < 0 ? status : cairn_mds_step(&mds, 37);
    } while (status == CAIRN_MORE);
    hash = hash_u32(hash, (uint32_t)(int32_t)status);
    for (int i = 0; i < N_OBJECTS * K; ++i) {
        hash = hash_float(hash, (float)place[i]);
    }
    golden_line(name, hash_float(hash, (float)cairn_mds_get_cost(&mds)));
}

int port_main(void)
{
    golden_policy("embed-fixed", &cairn_metric_euclidean, NULL, false);
    golden_policy("embed-random", &cairn_metric_euclidean, &cairn_embed_random, false);
    golden_policy("embed-maxmin", &cairn_metric_euclidean, &cairn_embed_maxmin, false);
    golden_policy("embed-robust", &cairn_metric_euclidean, &cairn_embed_random, true);
    golden_policy("embed-dot", &cairn_metric_euclidean_dot, &cairn_embed_random, false);
    golden_policy("embed-chi-square", &cairn_metric_chi_square, &cairn_embed_random, false);
    golden_policy("embed-hellinger", &cairn_metric_hellinger, &cairn_embed_random, false);
    golden_policy("embed-angle", &cairn_metric_angle, &cairn_embed_random, false);
    golden_mds("mds-squared", &cairn_loss_squared);
    golden_mds("mds-absolute", &cairn_loss_absolute);
    golden_mds("mds-squared-distances", &cairn_loss_squared_distances);
    return 0;
}
