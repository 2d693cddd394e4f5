/* SPDX-License-Identifier: MIT
 * Spreads known labels over an endless stream of links. A seed counts whenever its node is among those kept. Places for
 * the drawing come from a walk of their own, with as many groups as labels. */
#include "label_window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster_job.h"
#include "csv.h"
#include "exit_code.h"
#include "memory.h"

typedef struct window_job {
    cairn_spread_cfg_t cfg;
    cairn_spread_memory_t memory;
    cairn_spread_t spread;
    node_table_t nodes;  /* that have a seed */
    label_table_t known; /* by index of nodes */
    uint8_t *seed;       /* [capacity] of the links kept */
    bool draws;
    cairn_pic_cfg_t pic_cfg;
    cairn_pic_memory_t pic_memory;
    cairn_pic_t pic;
} window_job_t;

static bool begin(void *context, size_t n_nodes)
{
    window_job_t *self = context;
    self->memory.n_work = CAIRN_SPREAD_REALS(n_nodes, self->cfg.n_classes, 0);
    self->memory.n_label = n_nodes;
    self->memory.work = memory_zeroed(self->memory.n_work, sizeof(cairn_real));
    self->memory.label = memory_zeroed(n_nodes, 1);
    self->seed = memory_zeroed(n_nodes, 1);
    cairn_status status = cairn_spread_init(&self->spread, &self->cfg, &self->memory, n_nodes);
    if (status >= 0 && self->draws) {
        self->pic_memory.n_work = CAIRN_PIC_REALS(n_nodes, self->pic_cfg.n_clusters, self->pic_cfg.n_vectors);
        self->pic_memory.n_label = CAIRN_PIC_LABELS(n_nodes);
        self->pic_memory.work = memory_zeroed(self->pic_memory.n_work, sizeof(cairn_real));
        self->pic_memory.label = memory_zeroed(self->pic_memory.n_label, 1);
        status = cairn_pic_init(&self->pic, &self->pic_cfg, &self->pic_memory, n_nodes);
    }
    if (status < 0) {
        fprintf(stderr, "cairn label: %s\n", cairn_status_name(status));
    }
    return status >= 0;
}

static bool find_places(window_job_t *self, const cairn_walk_t *walk, uint8_t *label, double *x, double *y)
{
    if (cairn_pic_begin(&self->pic, walk) != CAIRN_OK) {
        return false;
    }
    while (cairn_pic_step(&self->pic, UINT32_MAX) == CAIRN_MORE) {
    }
    cluster_take_places(&self->pic, walk->n_nodes, label, x, y);
    return true;
}

static bool query(void *context, const cairn_walk_t *walk, uint8_t *label, double *x, double *y)
{
    window_job_t *self = context;
    cairn_status status;
    if (x != NULL && !find_places(self, walk, label, x, y)) {
        return false;
    }
    for (uint32_t i = 0; i < walk->n_nodes; i++) {
        uint32_t at = node_table_find(&self->nodes, walk->id[i]);
        self->seed[i] = at < self->nodes.ids.n_ids ? self->known.label[at] : (uint8_t)CAIRN_SPREAD_UNKNOWN;
    }
    status = cairn_spread_begin(&self->spread, walk, self->seed, NULL, false);
    while (status >= 0 && (status = cairn_spread_step(&self->spread, UINT32_MAX)) == CAIRN_MORE) {
    }
    for (uint32_t i = 0; i < walk->n_nodes; i++) {
        label[i] = cairn_spread_get_label(&self->spread, i);
    }
    return status >= 0;
}

/* False: the reason has been printed. */
static bool read_seeds(window_job_t *self, const char *path)
{
    csv_column_t columns[] = {{"id", true, -1}, {"label", true, -1}};
    csv_reader_t *csv = csv_open(path);
    csv_result_t result = CSV_BAD;
    bool good = csv != NULL && csv_read_header(csv, columns, 2);
    node_table_init(&self->nodes);
    while (good && (result = csv_read_row(csv)) == CSV_ROW) {
        uint32_t id = 0;
        good = csv_get_id(csv, &columns[0], &id) && node_table_add(&self->nodes, id);
    }
    csv_close(csv);
    good = good && result == CSV_END && label_table_read(&self->known, path, &self->nodes);
    if (good && self->known.n_names == 0) {
        csv_error_at(path, 0, "there is no seed in the file", NULL, "give at least one row id,label");
        return false;
    }
    return good;
}

int label_window_run(const link_arguments_t *self, const cairn_spread_cfg_t *cfg, const char *seeds)
{
    window_job_t *job = memory_zeroed(1, sizeof *job);
    int code = CLI_BAD_DATA;
    if (read_seeds(job, seeds)) {
        unsigned n_labels = job->known.n_names;
        link_window_task_t task = {"cairn label",   job, begin,     query,    n_labels,
                                   job->known.name, 0,   self->out, self->svg};
        job->cfg = *cfg;
        job->cfg.n_classes = (uint8_t)n_labels;
        job->draws = self->svg != NULL;
        job->pic_cfg = cairn_pic_cfg_default;
        job->pic_cfg.n_clusters = (uint8_t)(n_labels > 2 ? n_labels : 2);
        code = link_window_run(&self->window, &self->source, &task);
    }
    node_table_free(&job->nodes);
    label_table_free(&job->known);
    free(job->memory.work);
    free(job->memory.label);
    free(job->seed);
    free(job->pic_memory.work);
    free(job->pic_memory.label);
    free(job);
    return code;
}
