/* SPDX-License-Identifier: MIT
 * Drawing of a clustered graph: nodes at their first two coordinates, a colour and a mark for each group, links behind. */
#ifndef CLI_GROUP_MAP_H
#define CLI_GROUP_MAP_H

#include "link_table.h"
#include "output.h"

typedef struct group_scene {
    const link_table_t *links;
    const uint8_t *label; /* [n_nodes] 255: none */
    const double *x;      /* [n_nodes] */
    const double *y;
    const char *title;
    const char *subtitle;
    unsigned k;
    char (*name)[32]; /* [k] of the groups; NULL: they have numbers */
} group_scene_t;

void group_map_draw(output_t *out, const group_scene_t *scene);

#endif
