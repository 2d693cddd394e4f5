/* SPDX-License-Identifier: MIT
 * The arrays of a network on the heap. */
#ifndef CLI_NETWORK_ARRAYS_H
#define CLI_NETWORK_ARRAYS_H

#include "cairn/network.h"

/* Room for so many nodes and ranges (0 is allowed), all bits 0. Release it with network_arrays_free. */
void network_arrays_allocate(cairn_network_memory_t *self, size_t n_nodes, size_t n_ranges, size_t dim);
void network_arrays_free(cairn_network_memory_t *self);

#endif
