/* SPDX-License-Identifier: MIT
 * Clusters a table of links with the library: rows, work memory, labels and coordinates. */
#ifndef CLI_CLUSTER_JOB_H
#define CLI_CLUSTER_JOB_H

#include "cairn/pic.h"
#include "link_table.h"
#include "progress.h"

/* Links as half rows for the library; keep the table until it is freed. */
typedef struct link_rows {
    cairn_half_t half;
    cairn_walk_t walk;
    uint32_t *start;
    uint32_t *other;
    cairn_real *weight;
} link_rows_t;

void link_rows_build(link_rows_t *self, const link_table_t *links);
void link_rows_free(link_rows_t *self);

typedef struct cluster_answer {
    uint8_t *label; /* [n_nodes] */
    double *x;      /* [n_nodes] first coordinate */
    double *y;      /* second, or 0 */
    cairn_pic_result_t result;
    double seconds;
} cluster_answer_t;

/* Free with cluster_answer_free when the status is not an error. */
cairn_status cluster_job_run(const link_rows_t *rows, const cairn_pic_cfg_t *cfg, progress_t *progress,
                             cluster_answer_t *answer);
void cluster_answer_free(cluster_answer_t *self);

/* Labels and, when x is not NULL, the first two coordinates of a done job: [n_nodes] each. */
void cluster_take_places(const cairn_pic_t *pic, size_t n_nodes, uint8_t *label, double *x, double *y);

/* Print purity, nmi, rand_index, accuracy and macro_f1 of labels beside true ones as `key: value` lines. */
void print_agreement(const uint8_t *truth, const uint8_t *label, size_t n_nodes, unsigned k);

#endif
