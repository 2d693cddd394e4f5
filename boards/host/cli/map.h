/* SPDX-License-Identifier: MIT
 * Drawing of a located network: places, true places, errors, anchors, ranges, deviations, legend and scale. */
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "locate_job.h"
#include "output.h"

typedef struct map_scene {
    const locate_problem_t *problem;
    const locate_answer_t *answer;
    const uint32_t *id;    /* [n_nodes] */
    const double *truth_m; /* [n_nodes x dim] or NULL */
    const bool *has_truth; /* [n_nodes] or NULL: all have, when truth_m is given */
    const char *title;     /* first line */
    const char *subtitle;  /* second line: key numbers */
} map_scene_t;

/* Write the drawing as SVG. In 3-D it is seen from above. */
void map_draw(output_t *out, const map_scene_t *scene);

#endif
