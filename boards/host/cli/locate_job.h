/* SPDX-License-Identifier: MIT
 * One localization on the heap: a problem with dense node indices in double, solved by the library, with timing. */
#ifndef CLI_LOCATE_JOB_H
#define CLI_LOCATE_JOB_H

#include "cairn/flat.h"
#include "cairn/lift.h"
#include "cairn/locate.h"
#include "locate_check.h"
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

/* How to solve. */
typedef enum locate_method {
    LOCATE_AUTO = 0, /* lift where it serves better and can, else cold */
    LOCATE_LIGHT = 1,
    LOCATE_COLD = 2,
    LOCATE_LIFT = 3
} locate_method_t;

typedef enum locate_bias {
    LOCATE_BIAS_NONE = 0,
    LOCATE_BIAS_COMMON = 1,
    LOCATE_BIAS_SCALE = 2,
    LOCATE_BIAS_LINK = 3,
    LOCATE_BIAS_DEVICE = 4
} locate_bias_t;

#define LOCATE_NOISY_REL   0.2  /* relative noise from which devices are taken to err by a share, not a length */
#define LOCATE_DENSE_SHARE 0.99 /* of the pairs, from which a network is dense */

typedef struct locate_options {
    double noise_rel;
    double noise_abs_m;
    double radius_m;    /* 0: estimated */
    double start_std_m; /* 0: estimated */
    const cairn_loss_t *loss;
    locate_method_t method;
    locate_bias_t bias;
    double bias_mean;     /* metres, or natural logarithm of the factor */
    double bias_std;      /* 0: wide */
    const double *side_m; /* [dim] a place on the sensors' side of flat anchors; NULL: not given */
    uint64_t seed;        /* of the random starts of lift */
} locate_options_t;

typedef struct locate_answer {
    double *place_m;        /* [n_nodes x dim], meaningful where has_place */
    double *std_m;          /* [n_nodes] */
    uint8_t *state;         /* [n_nodes] cairn_node_state */
    bool *has_place;        /* [n_nodes] */
    cairn_status outcome;   /* CAIRN_OK, CAIRN_NOT_CONVERGED, CAIRN_HEIGHT_UNRESOLVED, CAIRN_RELATIVE */
    locate_method_t method; /* used: not LOCATE_AUTO */
    bool own_frame;         /* no known place was used: right up to a rigid motion and a reflection */
    uint32_t n_iterations;  /* sweeps, or of conjugate gradients */
    uint32_t n_pairs;       /* distinct pairs after folding */
    double cost;
    double start_std_m;
    double wall_s; /* of the library's work alone */
    double processor_s;
    bool has_bias;
    bool bias_is_factor; /* the two below are natural logarithms */
    double bias_mean;    /* over the values */
    double bias_rms;
    locate_check_t check;
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
