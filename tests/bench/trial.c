/* SPDX-License-Identifier: MIT
 * One cold start of a made-up network, measured against the truth. */
#include "trial.h"

#include <stdlib.h>
#include <string.h>

#include "coldstart_run.h"
#include "limit.h"
#include "memory.h"
#include "stopwatch.h"

enum { STREAM_FAULTS = 4, DIM_MAX = 3 };

static const double deviations_off = 4;

/* Leave out and triple ranges. */
static void spoil(generator_t *network, const trial_cfg_t *cfg)
{
    cairn_rng_t rng;
    size_t n_kept = 0;
    cairn_rng_init(&rng, network->cfg.seed, STREAM_FAULTS);
    for (size_t k = 0; k < network->ranges.n_rows; k++) {
        range_row_t row = network->ranges.row[k];
        double lot_missing = cairn_rng_next(&rng) / 4294967296.0;
        double lot_tripled = cairn_rng_next(&rng) / 4294967296.0;
        row.range_m *= lot_tripled < cfg->tripled ? 3 : 1;
        if (lot_missing >= cfg->missing) {
            network->ranges.row[n_kept++] = row;
        }
    }
    network->ranges.n_rows = n_kept;
}

static double square_between(const double *a_m, const double *b_m, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        sum += (a_m[k] - b_m[k]) * (a_m[k] - b_m[k]);
    }
    return sum;
}

static void compare(const coldstart_run_t *self, const generator_t *network, const bool *core, trial_t *result)
{
    size_t dim = network->cfg.dim;
    double sum = 0;
    double sum_core = 0;
    size_t n_found = 0;
    for (size_t i = network->cfg.n_anchors; i < network->cfg.n_nodes; i++) {
        double place_m[DIM_MAX];
        cairn_status status = coldstart_run_get_place(self, i, place_m);
        double std_m = (double)self->network.memory.std_m[i];
        if (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) {
            result->n_lost++;
            continue;
        }
        double error_m2 = square_between(place_m, &network->place_m[i * dim], dim);
        n_found++;
        sum += error_m2;
        sum_core += core[i] ? error_m2 : 0;
        result->n_core += core[i];
        if (status == CAIRN_OK) {
            double ratio = error_m2 / (double)dim / (std_m * std_m);
            result->n_placed++;
            result->nees += ratio;
            result->n_off += ratio > deviations_off * deviations_off;
        }
    }
    result->rmse_m = n_found > 0 ? sqrt(sum / (double)n_found) : 0;
    result->rmse_core_m = result->n_core > 0 ? sqrt(sum_core / (double)result->n_core) : 0;
    result->nees /= result->n_placed > 0 ? (double)result->n_placed : 1;
}

/* How well the map fits what could be known of it. */
static double misfit(const coldstart_run_t *self, const generator_t *network, const double *before_m)
{
    size_t dim = network->cfg.dim;
    double *map_m = memory_zeroed(network->cfg.n_nodes * dim, sizeof *map_m);
    double sum = 0;
    for (size_t i = 0; i < network->cfg.n_nodes; i++) {
        for (size_t k = 0; k < dim; k++) {
            map_m[i * dim + k] = (double)self->network.origin_m[k] + (double)self->memory.place_m[i * dim + k];
        }
        double away_m2 = square_between(&map_m[i * dim], &before_m[i * dim], dim);
        sum += i >= network->cfg.n_anchors ? away_m2 / (network->cfg.move_m * network->cfg.move_m) : 0;
    }
    for (size_t k = 0; k < network->ranges.n_rows; k++) {
        const range_row_t *row = &network->ranges.row[k];
        double true_m2 = square_between(&network->place_m[row->a * dim], &network->place_m[row->b * dim], dim);
        double off_m = sqrt(square_between(&map_m[row->a * dim], &map_m[row->b * dim], dim)) - row->range_m;
        sum += off_m * off_m / (network->cfg.noise_rel * network->cfg.noise_rel * true_m2);
    }
    free(map_m);
    return sum;
}

static void locate(const trial_cfg_t *cfg, const generator_t *network, const double *before_m, const bool *core,
                   trial_t *result)
{
    coldstart_run_t *self = memory_zeroed(1, sizeof *self);
    result->status = coldstart_run_init(self, network, cfg->give_starts ? before_m : NULL, cfg->loss);
    double begin_s = stopwatch_processor_s();
    if (result->status == CAIRN_OK) {
        result->status = coldstart_run_solve(self);
    }
    result->seconds = stopwatch_processor_s() - begin_s;
    if (result->status >= 0) {
        compare(self, network, core, result);
        result->misfit = misfit(self, network, before_m);
    }
    result->n_ranges = network->ranges.n_rows;
    result->bytes = coldstart_run_bytes(self);
    coldstart_run_free(self);
    free(self);
}

void trial_run(const trial_cfg_t *cfg, bool with_limit, trial_t *result)
{
    generator_t network;
    size_t place_bytes = cfg->network.n_nodes * cfg->network.dim * sizeof(double);
    double *before_m = memory_zeroed(1, place_bytes);
    bool *core = memory_zeroed(cfg->network.n_nodes, sizeof *core);
    memset(result, 0, sizeof *result);
    generator_init(&network, &cfg->network);
    memcpy(before_m, network.place_m, place_bytes);
    generator_move(&network);
    result->status = CAIRN_ERR_SIZE;
    if (generator_measure(&network)) {
        spoil(&network, cfg);
        (void)limit_find_core(&network, core);
        locate(cfg, &network, before_m, core, result);
        if (with_limit) {
            limit_t limit;
            limit_solve(&network, core, &limit);
            result->limit_m = limit.rmse_core_m;
            result->limit_converged = limit.converged;
        }
    }
    generator_free(&network);
    free(before_m);
    free(core);
}
