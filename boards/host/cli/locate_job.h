/* SPDX-License-Identifier: MIT
 * One localization on the heap: a problem with dense node indices in double, solved by the library, with timing. */
#ifndef CLI_LOCATE_JOB_H
#define CLI_LOCATE_JOB_H

#include "cairn/locate.h"
#include "progress.h"
#include "range_table.h"

/* What is known of a node beforehand. */
typedef enum known_place { KNOWN_NOTHING = 0, KNOWN_START = 1, KNOWN_ANCHOR = 2 } known_place_t;

typedef struct locate_problem {
    size_t n_nodes;
    size_t dim;
    const range_row_t *range; /* [n_ranges] a and b are indices below n_nodes */
    size_t n_ranges;
    const uint8_t *known;   /* [n_nodes] known_place_t */
    const double *known_m;  /* [n_nodes x dim] anchor places and starts; otherwise not read */
    const double *origin_m; /* [dim] subtracted before the library sees a place, and added again */
} locate_problem_t;

typedef struct locate_options {
    double noise_rel;
    double noise_abs_m;
    double radius_m;    /* 0: estimated */
    double start_std_m; /* 0: estimated */
    const cairn_loss_t *loss;
} locate_options_t;

typedef struct locate_answer {
    double *place_m;      /* [n_nodes x dim], meaningful where has_place */
    double *std_m;        /* [n_nodes] */
    uint8_t *state;       /* [n_nodes] cairn_node_state */
    bool *has_place;      /* [n_nodes] */
    cairn_status outcome; /* CAIRN_OK or CAIRN_NOT_CONVERGED */
    uint32_t n_sweeps;
    uint32_t n_pairs; /* distinct pairs after folding */
    double cost;
    double start_std_m;
    double wall_s; /* of the library's work alone */
    double processor_s;
} locate_answer_t;

/* Solve. progress may be NULL. An error status of the library leaves nothing to free; else locate_answer_free. */
cairn_status locate_job_run(const locate_problem_t *problem, const locate_options_t *options, progress_t *progress,
                            locate_answer_t *answer);

void locate_answer_free(locate_answer_t *answer);

/* Errors of the answer against true places. */
typedef struct locate_error {
    size_t n_compared; /* sensors with a true place and a place */
    size_t n_placed;   /* of these, in state placed: no doubt about the side */
    double rmse_m;
    double max_m;
    double rmse_placed_m;
} locate_error_t;

/* truth_m [n_nodes x dim]; has_truth [n_nodes], NULL: all have. Anchors do not count. */
void locate_answer_compare(const locate_problem_t *problem, const locate_answer_t *answer, const double *truth_m,
                           const bool *has_truth, locate_error_t *error);

#endif
