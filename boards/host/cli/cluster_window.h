/* SPDX-License-Identifier: MIT
 * Clusters an endless stream of links through a bounded graph. */
#ifndef CLI_CLUSTER_WINDOW_H
#define CLI_CLUSTER_WINDOW_H

#include "cairn/pic.h"
#include "link_window.h"

/* Returns the exit code. */
int cluster_window_run(const link_arguments_t *self, const cairn_pic_cfg_t *cfg);

#endif
