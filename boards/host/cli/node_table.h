/* SPDX-License-Identifier: MIT
 * The nodes of a job: ids of the files to dense indices and back, growing as needed. */
#ifndef CLI_NODE_TABLE_H
#define CLI_NODE_TABLE_H

#include <stdbool.h>

#include "cairn/ids.h"

typedef struct node_table {
    cairn_ids_t ids;
    uint32_t *id; /* [ids.n_ids] by index */
    uint32_t *slot;
} node_table_t;

void node_table_init(node_table_t *self);

/* Make sure that an id is in the table. False: there are more than 2^24 nodes. */
bool node_table_add(node_table_t *self, uint32_t id);

/* Number the nodes in ascending order of id, so that the order of rows in files does not matter. */
void node_table_sort(node_table_t *self);

/* Index of an id, or CAIRN_IDS_NONE. */
uint32_t node_table_find(const node_table_t *self, uint32_t id);

void node_table_free(node_table_t *self);

#endif
