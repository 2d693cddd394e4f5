/* SPDX-License-Identifier: MIT
 * Swarms of emulated nodes, with verdicts. */
#ifndef SWARM_RUN_EMULATED_H
#define SWARM_RUN_EMULATED_H

#include <stddef.h>

/* Exit code: 1 if a figure falls short. */
int run_emulated(size_t n_nodes, size_t n_networks, size_t n_rounds);

#endif
