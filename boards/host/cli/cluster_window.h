/* SPDX-License-Identifier: MIT
 * Clusters an endless stream of links through a bounded graph. */
#ifndef CLI_CLUSTER_WINDOW_H
#define CLI_CLUSTER_WINDOW_H

#include "cairn/pic.h"

extern const char *const cluster_window_policies[];

typedef struct cluster_window {
    uint64_t n_links; /* of the bounded graph; 0: no window */
    uint64_t n_nodes; /* 0: a tenth of n_links */
    uint64_t every;   /* 0: a quarter of n_links */
    size_t policy;    /* index into cluster_window_policies */
} cluster_window_t;

/* Returns the exit code. */
int cluster_window_run(const cluster_window_t *self, const cairn_pic_cfg_t *cfg, const char *links, const char *out);

#endif
