/* SPDX-License-Identifier: MIT
 * Clusters a table of links with the library. */
#include "cluster_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/agree.h"
#include "memory.h"
#include "stopwatch.h"

enum { SLICE = 2000000 };

void link_rows_build(link_rows_t *self, const link_table_t *links)
{
    size_t n_nodes = links->nodes.ids.n_ids;
    self->start = memory_zeroed(n_nodes + 1, sizeof *self->start);
    self->other = memory_zeroed(links->n_rows, sizeof *self->other);
    self->weight = memory_zeroed(links->n_rows, sizeof *self->weight);
    for (size_t e = 0; e < links->n_rows; e++) { /* sorted by (a, b): already in the order of the rows */
        self->start[links->row[e].a + 1]++;
        self->other[e] = links->row[e].b;
        self->weight[e] = (cairn_real)links->row[e].weight;
    }
    for (size_t i = 0; i < n_nodes; i++) {
        self->start[i + 1] += self->start[i];
    }
    self->half.n_nodes = (uint32_t)n_nodes;
    self->half.start = self->start;
    self->half.other16 = NULL;
    self->half.other32 = self->other;
    self->half.weight = self->weight;
    if (cairn_half_walk(&self->half, &self->walk) != CAIRN_OK) {
        abort();
    }
    self->walk.id = links->nodes.id;
}

void link_rows_free(link_rows_t *self)
{
    free(self->start);
    free(self->other);
    free(self->weight);
}

void cluster_take_places(const cairn_pic_t *pic, size_t n_nodes, uint8_t *label, double *x, double *y)
{
    cairn_pic_result_t result;
    bool has_second = cairn_pic_get_result(pic, &result) == CAIRN_OK && result.n_columns > 1;
    for (uint32_t i = 0; i < n_nodes; i++) {
        const cairn_real *place = cairn_pic_get_place(pic, i);
        label[i] = cairn_pic_get_label(pic, i);
        if (x != NULL) {
            x[i] = (double)place[0];
            y[i] = has_second ? (double)place[1] : 0;
        }
    }
}

cairn_status cluster_job_run(const link_rows_t *rows, const cairn_pic_cfg_t *cfg, progress_t *progress,
                             cluster_answer_t *answer)
{
    size_t n_nodes = rows->half.n_nodes;
    cairn_pic_t pic;
    cairn_pic_memory_t memory;
    double begin_s = stopwatch_wall_s();
    memory.n_work = CAIRN_PIC_REALS(n_nodes, cfg->n_clusters, cfg->n_vectors);
    memory.n_label = CAIRN_PIC_LABELS(n_nodes);
    memory.work = memory_zeroed(memory.n_work, sizeof *memory.work);
    memory.label = memory_zeroed(memory.n_label, 1);
    memset(answer, 0, sizeof *answer);
    cairn_status status = cairn_pic_init(&pic, cfg, &memory, n_nodes);
    status = status == CAIRN_OK ? cairn_pic_begin(&pic, &rows->walk) : status;
    while (status >= 0 && (status = cairn_pic_step(&pic, SLICE)) == CAIRN_MORE) {
        /* the number of steps is not known; half of those that may come, on a scale of doublings */
        double doublings = 0;
        for (uint32_t t = pic.t; t > 1; t /= 2) {
            doublings++;
        }
        progress_update(progress, doublings / (cfg->doublings_max + 1), "walk");
    }
    if (status >= 0) {
        status = cairn_pic_get_result(&pic, &answer->result);
        answer->label = memory_zeroed(n_nodes, 1);
        answer->x = memory_zeroed(n_nodes, sizeof *answer->x);
        answer->y = memory_zeroed(n_nodes, sizeof *answer->y);
        cluster_take_places(&pic, n_nodes, answer->label, answer->x, answer->y);
        answer->seconds = stopwatch_wall_s() - begin_s;
    }
    free(memory.work);
    free(memory.label);
    return status;
}

void cluster_answer_free(cluster_answer_t *self)
{
    free(self->label);
    free(self->x);
    free(self->y);
    memset(self, 0, sizeof *self);
}

void print_agreement(const uint8_t *truth, const uint8_t *label, size_t n_nodes, unsigned k)
{
    uint32_t *table = memory_zeroed((size_t)k * k, sizeof *table);
    cairn_real *work = memory_zeroed(CAIRN_AGREE_REALS(k), sizeof *work);
    uint8_t *align = memory_zeroed(k, 1);
    uint32_t n = cairn_agree_count(truth, label, n_nodes, k, table);
    double aligned = (double)cairn_agree_align(table, k, work, align);
    fprintf(stderr, "compared: %lu\n", (unsigned long)n);
    if (n > 0) { /* without a pair to compare there is nothing to agree on */
        fprintf(stderr, "purity: %.4f\nnmi: %.4f\nrand_index: %.4f\naccuracy: %.4f\nmacro_f1: %.4f\n",
                (double)cairn_agree_purity(table, k), (double)cairn_agree_nmi(table, k),
                (double)cairn_agree_rand(table, k), aligned, (double)cairn_agree_f1(table, k, align));
    }
    free(table);
    free(work);
    free(align);
}
