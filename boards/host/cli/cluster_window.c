/* SPDX-License-Identifier: MIT
 * Clusters an endless stream of links through a bounded graph. */
#include "cluster_window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster_job.h"
#include "memory.h"

typedef struct window_job {
    const cairn_pic_cfg_t *cfg;
    cairn_pic_memory_t memory;
    cairn_pic_t pic;
} window_job_t;

static bool begin(void *context, size_t n_nodes)
{
    window_job_t *self = context;
    self->memory.n_work = CAIRN_PIC_REALS(n_nodes, self->cfg->n_clusters, self->cfg->n_vectors);
    self->memory.n_label = CAIRN_PIC_LABELS(n_nodes);
    self->memory.work = memory_zeroed(self->memory.n_work, sizeof(cairn_real));
    self->memory.label = memory_zeroed(self->memory.n_label, 1);
    cairn_status status = cairn_pic_init(&self->pic, self->cfg, &self->memory, n_nodes);
    if (status < 0) {
        fprintf(stderr, "cairn cluster: %s\n", cairn_status_name(status));
    }
    return status >= 0;
}

static bool query(void *context, const cairn_walk_t *walk, uint8_t *label, double *x, double *y)
{
    window_job_t *self = context;
    if (cairn_pic_begin(&self->pic, walk) != CAIRN_OK) {
        return false;
    }
    while (cairn_pic_step(&self->pic, UINT32_MAX) == CAIRN_MORE) {
    }
    cluster_take_places(&self->pic, walk->n_nodes, label, x, y);
    return true;
}

int cluster_window_run(const link_arguments_t *self, const cairn_pic_cfg_t *cfg)
{
    window_job_t job;
    link_window_task_t task = {"cairn cluster", &job,      begin,    query, cfg->n_clusters, NULL,
                               cfg->seed,       self->out, self->svg};
    memset(&job, 0, sizeof job);
    job.cfg = cfg;
    int code = link_window_run(&self->window, &self->source, &task);
    free(job.memory.work);
    free(job.memory.label);
    return code;
}
