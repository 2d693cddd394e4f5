/* SPDX-License-Identifier: MIT
 * What the residuals of a located network point at, in words. */
#ifndef CLI_LOCATE_CHECK_H
#define CLI_LOCATE_CHECK_H

#include "cairn/residual.h"
#include "cairn/suspect.h"

enum { LOCATE_DOUBLES_MAX = 3 };

typedef struct locate_check {
    cairn_residual_t residual;
    cairn_triangles_t triangles;
    uint32_t suspicion; /* bits of cairn_suspicion_t */
    bool swapped;       /* two anchors */
    uint32_t swap_a;
    uint32_t swap_b;
    cairn_suspect_t swap_costs;
    uint32_t n_doubles; /* ids that stand for two devices */
    uint32_t double_node[LOCATE_DOUBLES_MAX];
    cairn_real double_m[LOCATE_DOUBLES_MAX][2 * CAIRN_LOCATE_DIM_MAX];
} locate_check_t;

/* Look at a located network. Only where residuals are too large is anything searched for. */
void locate_check_run(locate_check_t *self, const cairn_network_t *network);

/* Print a line beginning with `suspect:` for each finding on the standard error stream; id [nodes] names them;
 * origin_m [dim] is added to places. */
void locate_check_print(const locate_check_t *self, const uint32_t *id, const double *origin_m, size_t dim);

#endif
