/* SPDX-License-Identifier: MIT
 * Networks in space whose anchors lie in one plane, of any size. */
#ifndef CLI_LOCATE_FLAT_H
#define CLI_LOCATE_FLAT_H

#include "locate_job.h"

/* A map without the anchors, laid upon them, on the side of options->side_m, and finished from there with them. Without a
 * side the map or its mirror image in the plane is right: CAIRN_HEIGHT_UNRESOLVED, and no sensor is said to be placed.
 * As locate_job_run. */
cairn_status locate_flat_run(const locate_problem_t *problem, const locate_options_t *options, progress_t *progress,
                             locate_answer_t *answer);

#endif
