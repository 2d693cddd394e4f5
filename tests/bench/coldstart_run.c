/* SPDX-License-Identifier: MIT
 * A cold start of a made-up network by the library. */
#include "coldstart_run.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "network_arrays.h"

enum { DIM_MAX = 3 };

static const uint32_t slice_operations = 1000000;

static cairn_status enter(coldstart_run_t *self, const generator_t *world, const double *start_m)
{
    size_t dim = world->cfg.dim;
    cairn_status status = cairn_network_init(&self->network, &self->network_cfg, &self->memory, world->cfg.n_nodes);
    for (size_t i = 0; i < world->cfg.n_nodes && status == CAIRN_OK; i++) {
        const bool is_anchor = i < world->cfg.n_anchors;
        const double *from_m = is_anchor ? world->place_m : start_m;
        cairn_real place_m[DIM_MAX];
        for (size_t k = 0; k < dim && from_m != NULL; k++) {
            place_m[k] = (cairn_real)from_m[i * dim + k];
        }
        if (is_anchor) {
            status = cairn_network_set_anchor(&self->network, (uint32_t)i, place_m);
        } else if (from_m != NULL) {
            status = cairn_network_set_start(&self->network, (uint32_t)i, place_m);
        }
    }
    for (size_t k = 0; k < world->ranges.n_rows && status == CAIRN_OK; k++) {
        const range_row_t *row = &world->ranges.row[k];
        status = cairn_network_add_range(&self->network, row->a, row->b, (cairn_real)row->range_m, 0);
    }
    return status;
}

cairn_status coldstart_run_init(coldstart_run_t *self, const generator_t *world, const double *start_m,
                                const cairn_loss_t *loss)
{
    size_t n_nodes = world->cfg.n_nodes;
    memset(self, 0, sizeof *self);
    network_arrays_allocate(&self->memory, n_nodes, world->ranges.n_rows, world->cfg.dim);
    self->work_len = CAIRN_COLDSTART_WORDS(n_nodes, world->cfg.dim, start_m != NULL);
    self->work = memory_zeroed(self->work_len, sizeof *self->work);
    self->network_cfg.dim = (uint8_t)world->cfg.dim;
    self->network_cfg.noise_rel = (cairn_real)world->cfg.noise_rel;
    self->cfg = cairn_coldstart_cfg_default;
    self->cfg.locate.radio_range_m = (cairn_real)world->cfg.radius_m;
    self->cfg.locate.loss = loss;
    return enter(self, world, start_m);
}

cairn_status coldstart_run_solve(coldstart_run_t *self)
{
    cairn_status status = cairn_coldstart_init(&self->job, &self->cfg, &self->network, self->work, self->work_len);
    if (status != CAIRN_OK) {
        return status;
    }
    do {
        status = cairn_coldstart_step(&self->job, slice_operations);
    } while (status == CAIRN_MORE);
    return status;
}

cairn_status coldstart_run_get_place(const coldstart_run_t *self, size_t node, double *place_m)
{
    cairn_real local_m[DIM_MAX] = {0};
    cairn_real origin_m[DIM_MAX] = {0};
    cairn_status status = cairn_network_get_local(&self->network, (uint32_t)node, local_m, origin_m);
    for (size_t k = 0; k < self->network_cfg.dim && status >= 0 && status != CAIRN_UNPLACED; k++) {
        place_m[k] = (double)origin_m[k] + (double)local_m[k];
    }
    return status;
}

size_t coldstart_run_bytes(const coldstart_run_t *self)
{
    return CAIRN_NETWORK_BYTES(self->network.n_nodes, self->memory.n_links / 2, self->network_cfg.dim) +
           self->work_len * sizeof *self->work + sizeof self->network + sizeof self->job;
}

void coldstart_run_free(coldstart_run_t *self)
{
    network_arrays_free(&self->memory);
    free(self->work);
}
