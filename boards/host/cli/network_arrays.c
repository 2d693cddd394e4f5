/* SPDX-License-Identifier: MIT
 * The arrays of a network on the heap. */
#include "network_arrays.h"

#include <stdlib.h>

#include "memory.h"

void network_arrays_allocate(cairn_network_memory_t *self, size_t n_nodes, size_t n_ranges, size_t dim)
{
    self->n_links = 2 * (n_ranges > 0 ? n_ranges : 1);
    self->links = memory_zeroed(self->n_links, sizeof *self->links);
    self->n_rows = 2 * (n_nodes + 1);
    self->rows = memory_zeroed(self->n_rows, sizeof *self->rows);
    self->n_place = n_nodes * dim;
    self->place_m = memory_zeroed(self->n_place, sizeof *self->place_m);
    self->n_std = n_nodes;
    self->std_m = memory_zeroed(self->n_std, sizeof *self->std_m);
    self->n_flags = n_nodes;
    self->flags = memory_zeroed(self->n_flags, sizeof *self->flags);
}

void network_arrays_free(cairn_network_memory_t *self)
{
    free(self->links);
    free(self->rows);
    free(self->place_m);
    free(self->std_m);
    free(self->flags);
}
