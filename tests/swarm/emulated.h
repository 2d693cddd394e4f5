/* SPDX-License-Identifier: MIT
 * Nodes of a swarm that run under QEMU. */
#ifndef SWARM_EMULATED_H
#define SWARM_EMULATED_H

#include "swarm/swarm.h"

typedef struct emulated_board {
    const char *name;  /* of QEMU's machine */
    const char *image; /* absolute path */
    const char *out;   /* where the image expects its pages, relative to its folder */
} emulated_board_t;

typedef struct emulated_cfg {
    const emulated_board_t *boards; /* nodes take them by turns */
    size_t n_boards;
    const char *folder; /* for the nodes' pages */
} emulated_cfg_t;

/* Start one emulator for each node of an initialised swarm; ends the program when that is impossible. */
void emulated_start(swarm_t *swarm, const emulated_cfg_t *cfg);

/* End them; returns how many did not exit with 0. */
size_t emulated_stop(swarm_t *swarm);

#endif
