/* SPDX-License-Identifier: MIT
 * The nodes of a job: ids of the files to dense indices and back, growing as needed. */
#include "node_table.h"

#include <stdlib.h>
#include <string.h>

#include "cairn/network.h"
#include "memory.h"

static const size_t capacity_first = 1024;

/* A fresh table of the given capacity that holds ids[0 .. n_ids - 1] in this order. */
static void build(node_table_t *self, size_t capacity, const uint32_t *ids, size_t n_ids)
{
    self->id = memory_zeroed(capacity, sizeof *self->id);
    self->slot = memory_zeroed(CAIRN_IDS_SLOTS(capacity), sizeof *self->slot);
    if (cairn_ids_init(&self->ids, self->id, capacity, self->slot, CAIRN_IDS_SLOTS(capacity)) != CAIRN_OK) {
        abort();
    }
    for (size_t i = 0; i < n_ids; i++) {
        uint32_t index = 0;
        if (cairn_ids_add(&self->ids, ids[i], &index) != CAIRN_OK) {
            abort();
        }
    }
}

void node_table_init(node_table_t *self) { build(self, capacity_first, NULL, 0); }

static void rebuild(node_table_t *self, size_t capacity)
{
    node_table_t old = *self;
    build(self, capacity, old.id, old.ids.n_ids);
    node_table_free(&old);
}

bool node_table_add(node_table_t *self, uint32_t id)
{
    uint32_t index = 0;
    if (cairn_ids_add(&self->ids, id, &index) == CAIRN_OK) {
        return true;
    }
    if (self->ids.capacity >= CAIRN_NETWORK_NODES_MAX) {
        return false;
    }
    rebuild(self, (size_t)self->ids.capacity * 2);
    return cairn_ids_add(&self->ids, id, &index) == CAIRN_OK;
}

static int compare_ids(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b ? 1 : 0;
}

void node_table_sort(node_table_t *self)
{
    qsort(self->id, self->ids.n_ids, sizeof *self->id, compare_ids);
    rebuild(self, self->ids.capacity);
}

uint32_t node_table_find(const node_table_t *self, uint32_t id) { return cairn_ids_find(&self->ids, id); }

void node_table_free(node_table_t *self)
{
    free(self->id);
    free(self->slot);
    memset(self, 0, sizeof *self);
}
