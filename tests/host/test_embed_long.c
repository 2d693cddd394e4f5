/* SPDX-License-Identifier: MIT
 * Ten million vectors to embed: the same bytes, at most so many distances a vector, and places as good as at the beginning. */
#include "cairn/embed.h"
#include "oracle/random.h"
#include "support/test.h"

enum { N = 10000000, L = 8, D = 2, K = 1, GUARD = 4, N_REALS = CAIRN_EMBED_REALS(L, D, K) };

static cairn_real reals[N_REALS + GUARD];
static cairn_embed_t embed;
static uint32_t n_distances;

/* Euclidean, and counts. */
static cairn_real counted(const void *context, const cairn_real *p, const cairn_real *q, size_t d)
{
    (void)context;
    (void)d;
    ++n_distances;
    return cairn_sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]));
}

TEST(test_fault_18_embed_should_take_constant_work_when_ten_million_vectors_come)
{
    const cairn_embed_memory_t memory = {reals, N_REALS, NULL, 0};
    cairn_embed_cfg_t cfg = cairn_embed_cfg_default;
    cairn_metric_t metric;
    cairn_rng_t rng;
    uint32_t worst = 0, n_bad = 0;
    cairn_real least = CAIRN_REAL_MAX, most = -CAIRN_REAL_MAX;
    CHECK_EQ(cairn_metric_own(&metric, counted, NULL), CAIRN_OK);
    cfg.metric = &metric;
    cfg.n_features = D;
    cfg.dim = K;
    cfg.n_landmarks = L;
    for (int i = 0; i < GUARD; ++i) {
        reals[N_REALS + i] = (cairn_real)(i + 1);
    }
    CHECK_EQ(cairn_embed_init(&embed, &cfg, &memory), CAIRN_OK);
    cairn_rng_init(&rng, 9, 9);
    for (uint32_t i = 0; i < N; ++i) {
        const cairn_real u = random_between(&rng, -1, 1);
        const cairn_real features[D] = {u, u + random_between(&rng, (cairn_real)-0.05, (cairn_real)0.05)};
        cairn_real place[K] = {0};
        n_distances = 0;
        const cairn_status status = cairn_embed_push(&embed, features, place);
        worst = n_distances > worst ? n_distances : worst;
        n_bad += status != (i < L - 1 ? CAIRN_UNPLACED : i < L ? CAIRN_MORE : CAIRN_OK) ? 1u : 0u;
        for (; status == CAIRN_MORE && cairn_embed_step(&embed, 1000) == CAIRN_MORE;) {
        }
        if (i >= N - 1000) {
            least = cairn_min(least, place[0]);
            most = cairn_max(most, place[0]);
        }
    }
    CHECK_EQ(n_bad, 0);
    CHECK(worst <= 2 * L); /* to the landmarks, and from the one that is relaxed */
    /* the line from -1 to 1 in both features is 2 sqrt 2 long */
    CHECK_NEAR(most - least, 2.83, 0.1);
    for (int i = 0; i < GUARD; ++i) {
        CHECK_NEAR(reals[N_REALS + i], i + 1, 0);
    }
}

TEST_MAIN(TEST_CASE(test_fault_18_embed_should_take_constant_work_when_ten_million_vectors_come))
