/* SPDX-License-Identifier: MIT
 * Studies of native swarms. A: 24 nodes with 4 anchors near the corners, R=.45, sigma .05. B: 100 with 8 anchors, R=.2,
 * sigma .1. C: 1000 with 20 anchors, R=.06, sigma .1. D: 10000 with 100 anchors, R=.02, sigma .1. */
#include "swarm/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "swarm/rivals.h"

static const double never = 1e9;

static swarm_cfg_t cfg_of(const study_t *study, uint64_t seed)
{
    static const struct {
        size_t n_nodes;
        size_t n_anchors;
        double radius_m;
        double sigma;
    } kinds[] = {{24, 4, .45, .05}, {100, 8, .2, .1}, {1000, 20, .06, .1}, {10000, 100, .02, .1}};
    swarm_cfg_t cfg;
    memset(&cfg, 0, sizeof cfg);
    cfg.world.n_nodes = kinds[study->kind].n_nodes;
    cfg.world.n_anchors = kinds[study->kind].n_anchors;
    cfg.world.radius_m = kinds[study->kind].radius_m;
    cfg.world.noise_rel = kinds[study->kind].sigma;
    cfg.world.dim = 2;
    cfg.world.inside = true;
    cfg.world.seed = seed;
    cfg.corners = study->kind == STUDY_A;
    cfg.options = study->no_anchors ? CAIRN_NODE_NO_ANCHORS : 0;
    cfg.loss = study->loss;
    cfg.one_way = study->one_way;
    cfg.move_m = study->move_m;
    cfg.move_memory = study->move_memory;
    cfg.fresh_ranges = study->move_m > 0;
    cfg.delay = study->rough ? .05 : 0;
    cfg.duplicate = study->rough ? .05 : 0;
    cfg.corrupt = study->rough ? .02 : 0;
    cfg.collide = study->rough;
    return cfg;
}

static void happen(swarm_t *swarm, const study_t *study)
{
    const generator_cfg_t *world = &swarm->cfg.world;
    bool restart = study->event == EVENT_RESTART || study->event == EVENT_SNAPSHOT;
    double share = restart ? .25 : study->event >= EVENT_PLACES ? study->share : 0;
    size_t count = (size_t)(share * (double)(restart ? world->n_nodes - world->n_anchors : world->n_nodes) + .5);
    size_t *chosen = memory_zeroed(count, sizeof *chosen);
    swarm_choose(swarm, count, chosen);
    for (size_t i = 0; i < count; i++) {
        if (restart) {
            swarm_restart(swarm, chosen[i], study->event == EVENT_SNAPSHOT);
        } else {
            swarm->rogue[chosen[i]] = study->event == EVENT_PLACES ? SWARM_FALSE_PLACE : SWARM_FALSE_RANGE;
        }
    }
    for (size_t i = 0; i < world->n_anchors / 2 && study->event == EVENT_ANCHORS; i++) {
        swarm->dead[i] = true;
    }
    free(chosen);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Of an even number the mean of the middle two, never if one of them is. */
static double median(const double *values, size_t n)
{
    double sorted[STUDY_NETWORKS_MAX];
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    if (n == 0 || sorted[n / 2] >= never) {
        return never;
    }
    return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Mean ratio of the last third of a moving run, beside static least squares on each round's ranges. */
typedef struct moving {
    double ratio_sum;
    size_t n;
} moving_t;

static double ratio_now(swarm_t *swarm, const study_t *study, double *reference_m, moving_t *moving)
{
    swarm_score_t score = study->no_anchors ? swarm_score_moved(swarm) : swarm_score(swarm);
    limit_t limit;
    if (study->move_m > 0) {
        if (swarm->round % 10 != 0 || swarm->round <= 2 * study->n_rounds / 3) {
            return never;
        }
        limit_solve(&swarm->world, swarm->core, &limit);
        *reference_m = limit.rmse_core_m;
        moving->ratio_sum += score.rmse_m / limit.rmse_core_m;
        moving->n++;
        return moving->ratio_sum / (double)moving->n;
    }
    return score.rmse_m / *reference_m;
}

static void run_network(const study_t *study, uint64_t seed, study_result_t *result)
{
    swarm_cfg_t cfg = cfg_of(study, seed);
    swarm_t swarm;
    limit_t limit = {0, 0, 0, 0, 0, false, 0};
    moving_t moving = {0, 0};
    double first = never;
    double ratio = never;
    double reference_m = NAN; /* none for kind D: least squares of so many takes too long */
    swarm_init(&swarm, &cfg);
    if (!(study->move_m > 0) && study->kind != STUDY_D) {
        limit_solve(&swarm.world, swarm.core, &limit);
        reference_m = limit.rmse_core_m;
    }
    for (size_t round = 1; round <= study->n_rounds; round++) {
        swarm_round(&swarm);
        if (study->event != EVENT_NONE && round == study->event_round) {
            happen(&swarm, study);
            first = never;
        }
        if (round % 5 == 0 || round <= 60 || study->event != EVENT_NONE) {
            double now = ratio_now(&swarm, study, &reference_m, &moving);
            ratio = now < never ? now : ratio;
            if (ratio <= 1.3 && first >= never) {
                first = (double)round - (study->event != EVENT_NONE ? (double)study->event_round : 0);
            }
        }
    }
    swarm_score_t score = study->no_anchors ? swarm_score_moved(&swarm) : swarm_score(&swarm);
    result->node_rounds += (double)cfg.world.n_nodes * (double)study->n_rounds;
    result->bytes_per_frame += (double)swarm.n_bytes / (double)swarm.n_frames / (double)study->n_networks;
    /* nodes that move have other ranges every round */
    const bool asked = !(study->move_m > 0) && study->kind != STUDY_D;
    const rivals_t rivals = asked ? rivals_find(&swarm, &limit) : (rivals_t){false, false, never};
    result->n_asked += asked;
    if (rivals.found) {
        result->n_ambiguous++;
        result->n_by_swarm += rivals.by_swarm;
    } else {
        result->first_13[result->n_used] = first;
        result->last_ratio[result->n_used++] = ratio;
        result->n_reached += first < never;
        result->n_good += ratio <= 1.3;
        result->n_central += rivals.central <= 1.3;
        result->rmse_m += score.rmse_m * score.rmse_m;
        result->reference_m += reference_m * reference_m;
        result->placed_share += (double)score.n_core_placed / (double)score.n_core;
        result->wrong_share += score.n_placed > 0 ? (double)score.n_wrong / (double)score.n_placed : 0;
    }
    swarm_free(&swarm);
}

void study_run(const study_t *study, uint64_t first_seed, study_result_t *result)
{
    memset(result, 0, sizeof *result);
    result->n_networks = study->n_networks;
    for (size_t k = 0; k < study->n_networks; k++) {
        run_network(study, first_seed + k, result);
    }
    double n = result->n_used > 0 ? (double)result->n_used : 1;
    result->rmse_m = sqrt(result->rmse_m / n);
    result->reference_m = sqrt(result->reference_m / n);
    result->pooled = result->reference_m > 0 ? result->rmse_m / result->reference_m : 0;
    result->median_first_13 = median(result->first_13, result->n_used);
    result->median_last = median(result->last_ratio, result->n_used);
    result->placed_share /= n;
    result->wrong_share /= n;
}
