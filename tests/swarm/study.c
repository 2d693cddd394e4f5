/* SPDX-License-Identifier: MIT
 * Studies of native swarms. A: 24 nodes with 4 anchors near the corners, R=.45, sigma .05. B: 100 with 8 anchors, R=.2,
 * sigma .1. C: 1000 with 20 anchors, R=.06, sigma .1. D: 10000 with 100 anchors, R=.02, sigma .1. */
#include "swarm/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static const double never = 1e9;
static const double push_weight = 3;
static const double push_limit = 7;

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

static bool are_linked(const swarm_t *swarm, size_t a, size_t b)
{
    for (uint32_t k = swarm->row[a]; k < swarm->row[a + 1]; k++) {
        if (swarm->other[k] == b) {
            return true;
        }
    }
    return false;
}

/* What the nodes' own cost holds against pairs without a range that lie nearer than R; as the ranges' cost, twice. */
static double push_cost(const swarm_t *swarm, const double *place_m)
{
    double radius_m = swarm->cfg.world.radius_m;
    double weight = push_weight / pow(swarm->cfg.world.noise_rel * radius_m, 2);
    double cost = 0;
    for (size_t a = 0; a < swarm->cfg.world.n_nodes; a++) {
        for (size_t b = 0; b < a; b++) {
            double x = place_m[2 * a] - place_m[2 * b];
            double y = place_m[2 * a + 1] - place_m[2 * b + 1];
            if (x * x + y * y < radius_m * radius_m && !are_linked(swarm, a, b)) {
                double one = .5 * weight * pow(radius_m - sqrt(x * x + y * y), 2);
                cost += 2 * one / (1 + one / push_limit);
            }
        }
    }
    return cost;
}

/* Whether least squares from the swarm's own map ends below least squares from the truth, with and without the push,
 * and at another map: then no method that sees the ranges alone can choose the truth. */
bool study_is_ambiguous(swarm_t *swarm)
{
    size_t n_nodes = swarm->cfg.world.n_nodes;
    double *truth_m = memory_zeroed(2 * n_nodes, sizeof *truth_m);
    double *found_m = memory_zeroed(2 * n_nodes, sizeof *found_m);
    limit_t truth;
    limit_t found;
    bool ambiguous;
    memcpy(truth_m, swarm->world.place_m, 2 * n_nodes * sizeof *truth_m);
    memcpy(found_m, truth_m, 2 * n_nodes * sizeof *found_m);
    for (size_t i = swarm->cfg.world.n_anchors; i < n_nodes; i++) {
        int stage;
        (void)swarm->agents.place(swarm, i, found_m + 2 * i, &stage);
    }
    limit_solve_from(&swarm->world, swarm->core, truth_m, &truth);
    limit_solve_from(&swarm->world, swarm->core, found_m, &found);
    ambiguous = found.rmse_core_m > 1.3 * truth.rmse_core_m && found.cost < truth.cost &&
                found.cost + push_cost(swarm, found_m) < truth.cost + push_cost(swarm, truth_m);
    free(truth_m);
    free(found_m);
    return ambiguous;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(const double *values, size_t n)
{
    double sorted[STUDY_NETWORKS_MAX];
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    return n == 0 ? never : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
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
    bool checked = study->event == EVENT_NONE && !(study->move_m > 0) && !study->no_anchors && study->kind != STUDY_D;
    if (checked && ratio > 1.3 && study_is_ambiguous(&swarm)) {
        result->n_ambiguous++;
    } else {
        result->first_13[result->n_used] = first;
        result->last_ratio[result->n_used++] = ratio;
        result->n_reached += first < never;
        result->n_good += ratio <= 1.3;
        result->rmse_m += score.rmse_m * score.rmse_m;
        result->reference_m += reference_m * reference_m;
        result->placed_share += (double)score.n_placed / (double)score.n_core;
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
