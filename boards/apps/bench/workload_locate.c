/* SPDX-License-Identifier: MIT */
/* A network that fits 16 KB, located by the light form; and by the cold start in the smallest slices: a lap is a slice, so
 * that the longest one tells what a call takes beyond its budget. And one fix of a node among four anchors. */
#include "apps/bench/bench.h"

#include "cairn/coldstart.h"
#include "cairn/locate.h"
#include "cairn/rng.h"
#include "cairn/vector.h"

enum { NODES = 40, RANGES = 250, ANCHORS = 6, DIM = 2, FIXES = 100, FIX_ANCHORS = 4 };

CAIRN_NETWORK_DEFINE(net, NODES, RANGES, DIM);
static cairn_word_t work[CAIRN_COLDSTART_WORDS(NODES, DIM, 0)]; /* more than the light form needs */
static cairn_locate_t job;
static cairn_coldstart_t cold_job;
static cairn_real truth_m[NODES][DIM];
static cairn_status outcome;
static const cairn_network_cfg_t cfg = {DIM, 0, (cairn_real)0.1, 0};

static const cairn_real side_m = 10, radio_range_m = (cairn_real)3.6;

static cairn_real noise(cairn_rng_t *rng)
{
    return (cairn_rng_uniform(rng) + cairn_rng_uniform(rng) - 1) * cfg.noise_abs_m * (cairn_real)2.4;
}

/* Nodes anywhere in a square, anchors in its corners and in two more places. */
static void set_up_locate(void)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 4u, 1u);
    outcome = cairn_network_init(&net, &cfg, &net_memory, NODES);
    for (uint32_t i = 0; i < NODES; ++i) {
        truth_m[i][0] = i < 4u ? side_m * (cairn_real)(i % 2u) : side_m * cairn_rng_uniform(&rng);
        truth_m[i][1] = i < 4u ? side_m * (cairn_real)(i / 2u) : side_m * cairn_rng_uniform(&rng);
        if (i < ANCHORS && cairn_network_set_anchor(&net, i, truth_m[i]) < 0) {
            outcome = CAIRN_ERR_STATE;
        }
    }
    for (uint32_t a = 0; a < NODES; ++a) {
        for (uint32_t b = 0; b < a; ++b) {
            const cairn_real distance_m = cairn_distance(truth_m[a], truth_m[b], DIM);
            if (distance_m < radio_range_m &&
                cairn_network_add_range(&net, a, b, cairn_max(distance_m + noise(&rng), cfg.noise_abs_m), 0) !=
                    CAIRN_OK) {
                outcome = CAIRN_FULL;
            }
        }
    }
}

static void run_locate(void)
{
    if (outcome != CAIRN_OK) {
        return;
    }
    outcome = cairn_locate_init(&job, &cairn_locate_cfg_default, &net, work, sizeof work / sizeof work[0]);
    while (outcome >= 0) {
        outcome = cairn_locate_step(&job, 20000u);
        if (outcome != CAIRN_MORE) {
            return;
        }
    }
}

static void run_coldstart(void)
{
    if (outcome != CAIRN_OK) {
        return;
    }
    outcome = cairn_coldstart_init(&cold_job, &cairn_coldstart_cfg_default, &net, work, sizeof work / sizeof work[0]);
    if (outcome < 0) {
        return;
    }
    do {
        bench_lap();
        outcome = cairn_coldstart_step(&cold_job, 1u);
        bench_lap();
    } while (outcome == CAIRN_MORE);
}

/* Well connected on the whole, so most are placed, to about the accuracy of a range. */
static int check_locate(void)
{
    cairn_real sum = 0;
    uint32_t n_placed = 0;
    for (uint32_t i = ANCHORS; i < NODES; ++i) {
        cairn_real place_m[DIM];
        if (cairn_network_get_place(&net, i, place_m, NULL) == CAIRN_OK) {
            const cairn_real error_m = cairn_distance(place_m, truth_m[i], DIM);
            sum += error_m * error_m;
            ++n_placed;
        }
    }
    const cairn_real bound_m = 2 * cfg.noise_abs_m;
    return outcome >= 0 && n_placed >= 28u && sum < (cairn_real)n_placed * bound_m * bound_m ? 0 : 1;
}

static cairn_real fix_place_m[DIM];

static void run_fix(void)
{
    static const cairn_real anchors_m[FIX_ANCHORS][DIM] = {{0, 0}, {10, 0}, {0, 10}, {10, 10}};
    static const cairn_real ranges_m[FIX_ANCHORS] = {5, (cairn_real)6.7082039, (cairn_real)8.0622577,
                                                     (cairn_real)9.2195445};
    const cairn_neighbour_arrays_t arrays = {anchors_m[0], ranges_m, NULL, NULL, DIM};
    cairn_real scratch[CAIRN_ANCHORS_WORK_REALS(DIM)];
    outcome = CAIRN_OK;
    for (uint32_t i = 0; i < FIXES && outcome == CAIRN_OK; ++i) {
        outcome = cairn_anchors_fix(&cairn_anchors_cfg_default, cairn_neighbour_from_arrays, &arrays, FIX_ANCHORS, DIM,
                                    scratch, sizeof scratch / sizeof scratch[0], fix_place_m, NULL);
    }
}

static int check_fix(void)
{
    const cairn_real truth[DIM] = {4, 3};
    return outcome == CAIRN_OK && cairn_distance(fix_place_m, truth, DIM) < (cairn_real)1e-4 ? 0 : 1;
}

extern const bench_workload_t workload_locate, workload_coldstart, workload_fix;

const bench_workload_t workload_locate = {"locate_40", 1u, "network", set_up_locate, run_locate, check_locate};
const bench_workload_t workload_coldstart = {"coldstart_40", 1u,          "network/slice", set_up_locate,
                                             run_coldstart,  check_locate};
const bench_workload_t workload_fix = {"fix_4", FIXES, "fix", NULL, run_fix, check_fix};
