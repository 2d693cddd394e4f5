/* SPDX-License-Identifier: MIT
 * The files of a localization, read and turned into a problem with dense node indices. */
#ifndef CLI_LOCATE_FILES_H
#define CLI_LOCATE_FILES_H

#include "locate_job.h"
#include "node_table.h"
#include "places.h"

typedef struct locate_paths {
    const char *ranges;
    const char *anchors; /* NULL: none */
    const char *start;   /* NULL: none */
    const char *truth;   /* NULL: none */
} locate_paths_t;

typedef struct locate_files {
    node_table_t nodes;
    range_table_t ranges; /* a and b are node indices */
    size_t dim;
    size_t n_anchors;
    size_t n_starts;         /* used */
    size_t n_starts_ignored; /* for anchors */
    size_t n_starts_alone;   /* of sensors without a range, among those used */
    uint8_t *known;
    double *known_m;
    double *truth_m; /* NULL: no file */
    bool *has_truth; /* NULL: no file */
    double origin_m[PLACES_DIM_MAX];
} locate_files_t;

/* Read the files; dim 0: as many coordinates as the anchors have, without anchors the starts, without both 2.
 * False: the reason has been printed. */
bool locate_files_read(locate_files_t *self, const locate_paths_t *paths, size_t dim, const range_rules_t *rules);

/* The problem over the files' arrays. */
locate_problem_t locate_files_problem(const locate_files_t *self);

/* Turn, shift and perhaps mirror the true places as they fit a map in a frame of its own best. Only with truth_m. */
void locate_files_lay_truth(locate_files_t *self, const locate_answer_t *answer);

void locate_files_free(locate_files_t *self);

#endif
