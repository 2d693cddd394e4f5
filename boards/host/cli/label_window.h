/* SPDX-License-Identifier: MIT
 * Spreads known labels over an endless stream of links through a bounded graph. */
#ifndef CLI_LABEL_WINDOW_H
#define CLI_LABEL_WINDOW_H

#include "cairn/spread.h"
#include "link_window.h"

/* Labels of the nodes that the file of seeds names. Returns the exit code. */
int label_window_run(const link_arguments_t *self, const cairn_spread_cfg_t *cfg, const char *seeds);

#endif
