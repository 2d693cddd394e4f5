/* SPDX-License-Identifier: MIT
 * run_emulated NODES [NETWORKS [ROUNDS]]: swarms of emulated nodes on both boards with UART radios: rounds to 1.3 times
 * the reference, then a quarter restarts from snapshots, then a quarter with nothing. Exit code 1: a figure falls
 * short. */
#include "swarm/emulated.h"
#include "swarm/run_emulated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "swarm/rivals.h"

enum { N_BOARDS = 2, NETWORKS_MAX = 32, SPARE_SEEDS = 3, AFTER_SNAPSHOT = 5, AFTER_RESTART = 50 };

static const double within = 1.3;
static const double never = 1e9;

typedef struct outcome {
    double first;    /* round within 1.3 */
    double snapshot; /* rounds after the restart from snapshots */
    double restart;  /* rounds after the restart with nothing */
    double ratio;    /* at the end of the first part */
    bool ambiguous;  /* another map fits the ranges better: no figure */
} outcome_t;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double run_until(swarm_t *swarm, size_t n_rounds, double reference_m, double *ratio)
{
    double first = never;
    for (size_t round = 1; round <= n_rounds; round++) {
        swarm_round(swarm);
        *ratio = swarm_score(swarm).rmse_m / reference_m;
        if (*ratio <= within && first >= never) {
            first = (double)round;
        }
    }
    return first;
}

static void restart_quarter(swarm_t *swarm, bool snapshot)
{
    size_t count = (swarm->cfg.world.n_nodes - swarm->cfg.world.n_anchors + 3) / 4;
    size_t *chosen = memory_zeroed(count, sizeof *chosen);
    swarm_choose(swarm, count, chosen);
    for (size_t i = 0; i < count; i++) {
        swarm_restart(swarm, chosen[i], snapshot);
    }
    free(chosen);
}

static size_t run_network(const swarm_cfg_t *cfg, const emulated_cfg_t *emulated, size_t n_rounds, outcome_t *outcome)
{
    swarm_t swarm;
    limit_t limit;
    double ratio;
    swarm_init(&swarm, cfg);
    emulated_start(&swarm, emulated);
    limit_solve(&swarm.world, swarm.core, &limit);
    outcome->first = run_until(&swarm, n_rounds, limit.rmse_core_m, &outcome->ratio);
    outcome->ambiguous = rivals_find(&swarm, &limit).found;
    restart_quarter(&swarm, true);
    outcome->snapshot = run_until(&swarm, AFTER_SNAPSHOT, limit.rmse_core_m, &ratio);
    restart_quarter(&swarm, false);
    outcome->restart = run_until(&swarm, AFTER_RESTART, limit.rmse_core_m, &ratio);
    printf("%4llu  %8.5f  %6.3f  %6.0f  %8.0f  %7.0f  %5.1f%s\n", (unsigned long long)cfg->world.seed,
           limit.rmse_core_m, outcome->ratio, fmin(outcome->first, 9999), fmin(outcome->snapshot, 9999),
           fmin(outcome->restart, 9999), (double)swarm.n_bytes / (double)swarm.n_frames,
           outcome->ambiguous ? "  ambiguous" : "");
    fflush(stdout);
    size_t n_wrong = emulated_stop(&swarm);
    swarm_free(&swarm);
    return n_wrong;
}

static double median(const outcome_t *outcomes, size_t n, size_t offset)
{
    double sorted[NETWORKS_MAX];
    for (size_t i = 0; i < n; i++) {
        memcpy(&sorted[i], (const char *)&outcomes[i] + offset, sizeof *sorted);
    }
    qsort(sorted, n, sizeof *sorted, compare);
    return n == 0 ? never : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static int verdict(const char *what, double value, double limit)
{
    printf("%s: %.1f, at most %.0f: %s\n", what, fmin(value, 9999), limit, value <= limit ? "ok" : "falls short");
    return value <= limit ? 0 : 1;
}

int run_emulated(size_t n_nodes, size_t n_networks, size_t n_rounds)
{
    static const char *const names[N_BOARDS] = {"lm3s6965evb", "netduinoplus2"};
    static char image[N_BOARDS][512];
    static char out[N_BOARDS][128];
    char here[256];
    char folder[300];
    emulated_board_t boards[N_BOARDS];
    outcome_t outcomes[NETWORKS_MAX];
    size_t n_wrong = 0;
    size_t n_used = 0;
    size_t n_seeds = 0;
    if (getcwd(here, sizeof here) == NULL || n_networks > NETWORKS_MAX || n_nodes < 8) {
        return 2;
    }
    (void)snprintf(folder, sizeof folder, "%s/build/swarm/%ld", here, (long)getpid());
    for (size_t b = 0; b < N_BOARDS; b++) {
        (void)snprintf(out[b], sizeof out[b], "build/%s/gcc-Os", names[b]);
        (void)snprintf(image[b], sizeof image[b], "%s/%s/apps/node.elf", here, out[b]);
        boards[b].name = names[b];
        boards[b].image = image[b];
        boards[b].out = out[b];
    }
    const emulated_cfg_t emulated = {boards, N_BOARDS, folder};
    printf("%zu emulated nodes (%s, %s by turns), 4 anchors, 20 %% frame loss\n"
           "seed reference   ratio  rounds  snapshot  restart  bytes\n",
           n_nodes, names[0], names[1]);
    for (; n_used < n_networks && n_seeds < n_networks + SPARE_SEEDS; n_seeds++) {
        swarm_cfg_t cfg;
        memset(&cfg, 0, sizeof cfg);
        cfg.world.n_nodes = n_nodes;
        cfg.world.n_anchors = 4;
        cfg.world.dim = 2;
        cfg.world.radius_m = n_nodes >= 20 ? .45 : .7;
        cfg.world.noise_rel = .05;
        cfg.world.inside = true;
        cfg.world.seed = n_seeds + 1;
        cfg.corners = true;
        cfg.loss = .2;
        n_wrong += run_network(&cfg, &emulated, n_rounds, &outcomes[n_used]);
        n_used += !outcomes[n_used].ambiguous;
    }
    printf("%zu of %zu networks ambiguous, left out below%s\n", n_seeds - n_used, n_seeds,
           n_seeds > n_networks ? "; the next seeds took their places" : "");
    return (verdict("rounds to 1.3 x the reference, median", median(outcomes, n_used, offsetof(outcome_t, first)), 30) |
            verdict("rounds after a quarter restarts from snapshots",
                    median(outcomes, n_used, offsetof(outcome_t, snapshot)), 1) |
            verdict("rounds after a quarter restarts with nothing",
                    median(outcomes, n_used, offsetof(outcome_t, restart)), 50) |
            verdict("networks missing after all spare seeds", (double)(n_networks - n_used), 0) |
            verdict("nodes with a wrong exit code", (double)n_wrong, 0)) != 0;
}
