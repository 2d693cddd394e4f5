/* SPDX-License-Identifier: MIT
 * Workloads: vectors of 12 features become 2 coordinates among 32 landmarks. Early in the stream a landmark is replaced every
 * few vectors, and each vector pays for a relax step as well; later few are. A lap is a vector. */
#include "apps/bench/bench.h"

#include "cairn/embed.h"

enum { L = 32, D = 12, K = 2, N_POINTS = 64, N_EARLY = 100, N_LATE = 2000 };

static cairn_embed_cfg_t cfg;
static cairn_embed_t embed;
static cairn_real reals[CAIRN_EMBED_REALS(L, D, K) + CAIRN_EMBED_STORED_REALS(L)];
static cairn_real points[N_POINTS][D];
static cairn_real place[K];
static int n_wrong;

/* A window as of an accelerometer: two hidden numbers and some noise. */
static void draw(cairn_rng_t *rng, cairn_real *features)
{
    const cairn_real u = cairn_rng_uniform(rng);
    const cairn_real v = cairn_rng_uniform(rng);
    for (int a = 0; a < D; ++a) {
        const cairn_real slope = (cairn_real)((a * 5) % 7 - 3);
        features[a] = slope * u + (cairn_real)(a % 3 - 1) * v + 0.1f * cairn_rng_uniform(rng);
    }
}

static void set_up(int n_before)
{
    const cairn_embed_memory_t memory = {reals, sizeof reals / sizeof reals[0], NULL, 0};
    cairn_rng_t rng;
    cfg = cairn_embed_cfg_default;
    cfg.n_features = D;
    cfg.dim = K;
    cfg.n_landmarks = L;
    cfg.store_distances = true;
    cairn_rng_init(&rng, 5, 5);
    n_wrong = cairn_embed_init(&embed, &cfg, &memory) != CAIRN_OK;
    for (int i = 0; i < n_before; ++i) {
        draw(&rng, points[0]);
        if (cairn_embed_push(&embed, points[0], place) == CAIRN_MORE) {
            while (cairn_embed_step(&embed, 1000) == CAIRN_MORE) {
            }
        }
    }
    for (int i = 0; i < N_POINTS; ++i) {
        draw(&rng, points[i]);
    }
}

static void set_up_early(void) { set_up(N_EARLY); }

static void set_up_late(void) { set_up(N_LATE); }

static void run(void)
{
    for (int i = 0; i < N_POINTS; ++i) {
        bench_lap();
        n_wrong += cairn_embed_push(&embed, points[i], place) != CAIRN_OK;
        bench_lap();
    }
}

/* Two hidden dimensions are found again, up to the noise. */
static int check(void) { return n_wrong != 0 || !(cairn_embed_get_residual(&embed) < 0.2f); }

extern const bench_workload_t workload_embed;
extern const bench_workload_t workload_embed_early;

const bench_workload_t workload_embed = {"embed", N_POINTS, "point", set_up_late, run, check};
const bench_workload_t workload_embed_early = {"embed_early", N_POINTS, "point", set_up_early, run, check};
