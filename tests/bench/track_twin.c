/* SPDX-License-Identifier: MIT
 * Tracking of networks set by set, and descents of its last stage from other places. track_double.c compiles this file a
 * second time. */
#include "track_twin.h"

#include <stdlib.h>
#include <string.h>

#include "cairn/track_network.h"
#include "locate/coldstart_internal.h"
#include "memory.h"

#ifndef TRACK_TWIN
#define TRACK_TWIN track_twin_float
#endif

enum { DIM = 2, DESCENTS = 3 };

static const uint32_t slice_operations = 5000; /* little beside the deviations, which come before the states */

/* The job before its states are told: what a descent goes on from. */
typedef struct moment {
    cairn_coldstart_t job;
    cairn_word_t *work;
    unsigned char *flags;
} moment_t;

struct track_twin {
    cairn_network_cfg_t network_cfg;
    cairn_track_network_cfg_t cfg;
    cairn_network_t network;
    cairn_network_memory_t memory;
    cairn_track_network_t track;
    cairn_word_t *work;
    size_t n_words;
    moment_t moment;
    cairn_status status; /* of the last set */
};

/* The settings are those of the float one, rounding included. */
static void set_up(track_twin_t *self, const generator_t *world)
{
    self->network_cfg.dim = DIM;
    self->network_cfg.noise_rel = (float)world->cfg.noise_rel;
    self->network_cfg.noise_abs_m = 1e-5f;
    self->cfg.motion_m = (float)world->cfg.move_m;
    self->cfg.radio_range_m = (float)world->cfg.radius_m;
}

static bool give_places(track_twin_t *self, const generator_t *world)
{
    bool good = true;
    for (uint32_t i = 0; i < world->cfg.n_nodes && good; i++) {
        const cairn_real place_m[DIM] = {(float)world->place_m[DIM * i], (float)world->place_m[DIM * i + 1]};
        good = (i < world->cfg.n_anchors ? cairn_network_set_anchor(&self->network, i, place_m)
                                         : cairn_network_set_start(&self->network, i, place_m)) == CAIRN_OK;
    }
    return good;
}

static void allocate(cairn_network_memory_t *memory, size_t n, size_t n_links)
{
    const cairn_network_memory_t arrays = {memory_zeroed(n_links, sizeof(cairn_link_t)),
                                           n_links,
                                           memory_zeroed(2 * (n + 1), sizeof(uint32_t)),
                                           2 * (n + 1),
                                           memory_zeroed(n * DIM, sizeof(cairn_real)),
                                           n * DIM,
                                           memory_zeroed(n, sizeof(cairn_real)),
                                           n,
                                           memory_zeroed(n, 1),
                                           n};
    *memory = arrays;
}

static void end(track_twin_t *self)
{
    if (self == NULL) {
        return;
    }
    free(self->memory.links);
    free(self->memory.rows);
    free(self->memory.place_m);
    free(self->memory.std_m);
    free(self->memory.flags);
    free(self->work);
    free(self->moment.work);
    free(self->moment.flags);
    free(self);
}

static track_twin_t *begin(const generator_t *world, size_t n_ranges_most)
{
    const size_t n = world->cfg.n_nodes;
    track_twin_t *self = memory_zeroed(1, sizeof *self);
    allocate(&self->memory, n, 2 * n_ranges_most);
    self->n_words = CAIRN_TRACK_NETWORK_WORDS(n, DIM);
    self->work = memory_zeroed(self->n_words, sizeof *self->work);
    self->moment.work = memory_zeroed(self->n_words, sizeof *self->work);
    self->moment.flags = memory_zeroed(n, 1);
    set_up(self, world);
    if (cairn_network_init(&self->network, &self->network_cfg, &self->memory, n) != CAIRN_OK ||
        !give_places(self, world) ||
        cairn_track_network_init(&self->track, &self->cfg, &self->network, self->work, self->n_words) != CAIRN_OK) {
        end(self);
        return NULL;
    }
    return self;
}

/* Located places, so that the ranges cleared after it make starts of them, as float's are. */
static void take_over(track_twin_t *self, const track_twin_node_t *from)
{
    for (uint32_t i = 0; i < self->network.n_nodes; i++) {
        for (size_t k = 0; k < DIM; k++) {
            self->memory.place_m[DIM * i + k] = (cairn_real)from[i].place_m[k];
        }
        self->memory.std_m[i] = (cairn_real)from[i].std_m;
        self->memory.flags[i] = from[i].flags;
    }
}

static void keep_moment(track_twin_t *self)
{
    const size_t n = self->network.n_nodes;
    self->moment.job = self->track.solver;
    memcpy(self->moment.work, self->work, self->n_words * sizeof *self->work);
    memcpy(self->moment.flags, self->memory.flags, n);
}

/* A set, slice by slice. False: refused, or no slice ended before the states were told. */
static bool solve(track_twin_t *self)
{
    cairn_status status = cairn_track_network_begin(&self->track);
    bool kept = false;
    status = status == CAIRN_OK ? CAIRN_MORE : status;
    while (status == CAIRN_MORE) {
        status = cairn_track_network_step(&self->track, slice_operations);
        if (!kept && self->track.solver.stage == CAIRN_COLDSTART_PROBES) {
            keep_moment(self);
            kept = true;
        }
    }
    self->status = status;
    return status >= 0 && kept;
}

static bool converged(const track_twin_t *self) { return self->status != CAIRN_NOT_CONVERGED; }

static bool run_set(track_twin_t *self, const generator_t *world, const track_twin_node_t *from, double shake,
                    uint64_t stream)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, world->cfg.seed, stream);
    if (from != NULL) {
        take_over(self, from);
    }
    bool good = cairn_network_clear_ranges(&self->network) == CAIRN_OK;
    for (size_t i = 0; i < world->ranges.n_rows && good; i++) {
        const range_row_t *row = &world->ranges.row[i];
        const double off = shake * (2 * (double)cairn_rng_uniform(&rng) - 1);
        const cairn_real range_m = (cairn_real)((double)(float)row->range_m * (1 + off));
        good = cairn_network_add_range(&self->network, row->a, row->b, range_m, 0) == CAIRN_OK;
    }
    return good && solve(self);
}

static void read_nodes(const track_twin_t *self, track_twin_node_t *node)
{
    for (uint32_t i = 0; i < self->network.n_nodes; i++) {
        for (size_t k = 0; k < DIM; k++) {
            node[i].place_m[k] = (double)self->memory.place_m[DIM * i + k];
        }
        node[i].std_m = (double)self->memory.std_m[i];
        node[i].flags = self->memory.flags[i];
        node[i].placed = cairn_network_get_state(&self->network, i) == CAIRN_NODE_PLACED;
    }
}

/* The stretch of the map belongs to the cost that is descended: that of the set stays. */
static void descend_once(cairn_coldstart_t *job)
{
    const cairn_real stretch = job->stretch;
    int32_t operations;
    cairn_coldstart_enter(job, CAIRN_COLDSTART_FINAL);
    job->stretch = stretch;
    do {
        operations = (int32_t)slice_operations;
    } while (!cairn_coldstart_solve(job, &operations));
}

static double descend(track_twin_t *self, track_twin_node_t *node)
{
    const size_t n = self->network.n_nodes;
    track_twin_node_t *kept = memory_zeroed(n, sizeof *kept);
    cairn_coldstart_t job = self->moment.job;
    read_nodes(self, kept);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < DIM; k++) {
            self->memory.place_m[DIM * i + k] = (cairn_real)node[i].place_m[k];
        }
    }
    memcpy(self->memory.flags, self->moment.flags, n);
    memcpy(self->work, self->moment.work, self->n_words * sizeof *self->work);
    for (int i = 0; i < DESCENTS; i++) {
        descend_once(&job);
    }
    read_nodes(self, node);
    take_over(self, kept);
    free(kept);
    return (double)job.cost;
}

const track_twin_kind_t TRACK_TWIN = {begin, run_set, converged, read_nodes, descend, end};
