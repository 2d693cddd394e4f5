/* SPDX-License-Identifier: MIT
 * One cold start of a made-up network, measured against the truth. */
#include "trial.h"

#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "memory.h"
#include "network_arrays.h"
#include "stopwatch.h"

enum { STREAM_FAULTS = 4, DIM_MAX = 3 };

static const uint32_t slice_operations = 1000000;
static const double deviations_off = 4;

typedef struct workspace {
    cairn_network_cfg_t network_cfg;
    cairn_coldstart_cfg_t cfg;
    cairn_network_memory_t memory;
    cairn_network_t network;
    cairn_coldstart_t job;
    cairn_word_t *work;
    size_t work_len;
} workspace_t;

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

static void allocate(workspace_t *self, const generator_t *network, bool starts)
{
    size_t n_nodes = network->cfg.n_nodes;
    network_arrays_allocate(&self->memory, n_nodes, network->ranges.n_rows, network->cfg.dim);
    self->work_len = CAIRN_COLDSTART_WORDS(n_nodes, network->cfg.dim, starts);
    self->work = memory_zeroed(self->work_len, sizeof *self->work);
}

static void release(workspace_t *self)
{
    network_arrays_free(&self->memory);
    free(self->work);
    free(self);
}

static cairn_status fill(workspace_t *self, const generator_t *network, const double *before_m, bool starts)
{
    size_t dim = network->cfg.dim;
    cairn_status status = cairn_network_init(&self->network, &self->network_cfg, &self->memory, network->cfg.n_nodes);
    for (size_t i = 0; i < network->cfg.n_nodes && status == CAIRN_OK; i++) {
        cairn_real place_m[DIM_MAX];
        for (size_t k = 0; k < dim; k++) {
            place_m[k] = (cairn_real)before_m[i * dim + k]; /* anchors do not move */
        }
        if (i < network->cfg.n_anchors) {
            status = cairn_network_set_anchor(&self->network, (uint32_t)i, place_m);
        } else if (starts) {
            status = cairn_network_set_start(&self->network, (uint32_t)i, place_m);
        }
    }
    for (size_t k = 0; k < network->ranges.n_rows && status == CAIRN_OK; k++) {
        const range_row_t *row = &network->ranges.row[k];
        status = cairn_network_add_range(&self->network, row->a, row->b, (cairn_real)row->range_m, 0);
    }
    return status;
}

static void compare(const workspace_t *self, const generator_t *network, const bool *core, trial_t *result)
{
    size_t dim = network->cfg.dim;
    double sum = 0;
    double sum_core = 0;
    size_t n_found = 0;
    for (size_t i = network->cfg.n_anchors; i < network->cfg.n_nodes; i++) {
        cairn_real local_m[DIM_MAX] = {0};
        cairn_real origin_m[DIM_MAX] = {0};
        cairn_status status = cairn_network_get_local(&self->network, (uint32_t)i, local_m, origin_m);
        double std_m = (double)self->network.memory.std_m[i];
        double error_m2 = 0;
        for (size_t k = 0; k < dim; k++) {
            double error_m = (double)origin_m[k] + (double)local_m[k] - network->place_m[i * dim + k];
            error_m2 += error_m * error_m;
        }
        if (status != CAIRN_OK && status != CAIRN_FLIP_POSSIBLE) {
            result->n_lost++;
            continue;
        }
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

static double square_between(const double *a_m, const double *b_m, size_t dim)
{
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        sum += (a_m[k] - b_m[k]) * (a_m[k] - b_m[k]);
    }
    return sum;
}

/* How well the map fits what could be known of it. */
static double misfit(const workspace_t *self, const generator_t *network, const double *before_m)
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
    workspace_t *self = memory_zeroed(1, sizeof *self);
    allocate(self, network, cfg->give_starts);
    self->network_cfg.dim = (uint8_t)network->cfg.dim;
    self->network_cfg.noise_rel = (cairn_real)network->cfg.noise_rel;
    self->cfg = cairn_coldstart_cfg_default;
    self->cfg.locate.radio_range_m = (cairn_real)network->cfg.radius_m;
    self->cfg.locate.loss = cfg->loss;
    result->status = fill(self, network, before_m, cfg->give_starts);
    double begin_s = stopwatch_processor_s();
    if (result->status == CAIRN_OK) {
        result->status = cairn_coldstart_init(&self->job, &self->cfg, &self->network, self->work, self->work_len);
    }
    if (result->status == CAIRN_OK) {
        do {
            result->status = cairn_coldstart_step(&self->job, slice_operations);
        } while (result->status == CAIRN_MORE);
    }
    result->seconds = stopwatch_processor_s() - begin_s;
    if (result->status >= 0) {
        compare(self, network, core, result);
        result->misfit = misfit(self, network, before_m);
    }
    result->n_ranges = network->ranges.n_rows;
    result->bytes = CAIRN_NETWORK_BYTES(network->cfg.n_nodes, network->ranges.n_rows, network->cfg.dim) +
                    self->work_len * sizeof *self->work + sizeof self->network + sizeof self->job;
    release(self);
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
