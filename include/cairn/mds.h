/* SPDX-License-Identifier: MIT
 * Universal multidimensional scaling: places of n objects from their distances, for every loss and space of the PLACE
 * family, without ever holding the n x n distances; in slices of bounded work. */
#ifndef CAIRN_MDS_H
#define CAIRN_MDS_H

#include "cairn/place.h"
#include "cairn/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Supplies one row of the distances. Must give the same values each time, symmetric ones; the entry of an object to
 * itself is ignored.
 *
 * context   the caller's
 * i         which object
 * n         objects
 * distance  [n] out: wanted distances, 0 to CAIRN_MDS_DISTANCE_MAX; squares of some 1e-19 and less vanish in float
 * weight    [n] out: 0 to CAIRN_MDS_WEIGHT_MAX, 0 means missing; NULL when the job is not weighted
 */
typedef void (*cairn_mds_row_fn)(const void *context, size_t i, size_t n, cairn_real *distance, cairn_real *weight);

/** Where places begin. */
typedef enum cairn_mds_start {
    CAIRN_MDS_CLASSICAL = 0, /* classical scaling: leading eigenvectors by power iteration */
    CAIRN_MDS_GIVEN = 1,     /* as the caller has set them */
    CAIRN_MDS_RANDOM = 2     /* drawn */
} cairn_mds_start_t;

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_mds_cfg {
    const cairn_space_t *space; /* NULL: cairn_space_euclidean; on a sphere dim counts the k + 1 coordinates */
    const cairn_loss_t *loss;   /* NULL: cairn_loss_squared (fMDS); absolute: rMDS; squared_distances: r2MDS ... */
    cairn_mds_row_fn row;
    const void *context;     /* passed to `row` */
    bool weighted;           /* row delivers weights */
    cairn_mds_start_t start; /* of the first start */
    uint16_t starts_max;     /* starts, 1 to 65535, default 1: those after the first are random, the best is returned */
    uint16_t power_rounds;   /* of the classical start, 1 to 65535, default 30 */
    uint16_t sweeps_max;     /* a start, 1 to 65535, default 200 */
    uint16_t
        smooth_sweeps;     /* sweeps at most with squared loss before those of a singular loss, 0 to 65535, default 200;
                                 they leave fewer places stuck at kinks, and the end no worse than theirs */
    uint16_t place_rounds; /* rounds of PLACE for a point in a sweep, 1 to 65535, default 1 */
    cairn_place_method_t method; /* default CAIRN_PLACE_NEWTON */
    cairn_real relaxation;       /* of Newton's step, > 0, < 2, default 1 */
    cairn_real tolerance;        /* stop when a sweep lowers the cost by less than this share, >= 0, default 1e-5 */
    uint64_t seed;               /* of random starts */
} cairn_mds_cfg_t;

/** Defaults; set `row` and `context`. */
extern const cairn_mds_cfg_t cairn_mds_cfg_default;

/** Reals of work memory: a second set of places, one row with weights, scratch of PLACE. A constant expression. */
#define CAIRN_MDS_REALS(n, dim) ((size_t)(n) * ((size_t)(dim) + 2u) + CAIRN_PLACE_WORK_REALS(dim) + 3u * (size_t)(dim))

/** Largest distance and largest weight: the sum of weight x distance^2 over all pairs stays a float. */
#define CAIRN_MDS_DISTANCE_MAX 1e11f
#define CAIRN_MDS_WEIGHT_MAX   1e6f

/** What the job is doing. */
typedef enum cairn_mds_stage {
    CAIRN_MDS_MEASURE = 0, /* read all distances once: refuse bad ones, find their size */
    CAIRN_MDS_POWER = 1,   /* classical start */
    CAIRN_MDS_SCALE = 2,   /* size of the start */
    CAIRN_MDS_SWEEP = 3,
    CAIRN_MDS_SCORE = 4, /* cost and stress of the places as they are */
    CAIRN_MDS_DONE = 5
} cairn_mds_stage_t;

/** A job. Private, read by the functions below; holds pointers to caller objects only. */
typedef struct cairn_mds {
    const cairn_mds_cfg_t *cfg;
    cairn_place_cfg_t sweep;
    cairn_real *place;  /* [n x dim] the caller's */
    cairn_real *second; /* [n x dim] product of the power iteration; then the best places so far */
    cairn_real *distance;
    cairn_real *weight;
    cairn_real *scratch; /* of PLACE */
    cairn_real *axes;    /* [3 x dim] */
    cairn_rng_t rng;
    cairn_mds_stage_t stage;
    uint32_t n;
    uint32_t cursor; /* next row of the pass */
    uint32_t pass;   /* pass of the stage */
    uint16_t dim;
    uint16_t n_started;
    uint16_t n_begun;  /* starts whose sweeps have begun */
    uint32_t n_sweeps; /* of all starts */
    uint32_t n_clamped;
    bool smooth;    /* sweeping with squared loss, before a singular one */
    bool converged; /* the present start */
    bool best_converged;
    cairn_real sum; /* accumulators of the pass, compensated */
    cairn_real sum_rest;
    cairn_real squares; /* sum of w d^2, of pairs */
    cairn_real squares_rest;
    cairn_real weights; /* sum of w, of pairs */
    cairn_real cross;
    cairn_real shift; /* what rounding took of it; of the matrix in the power iteration */
    cairn_real last;  /* cost seen by the last sweep */
    cairn_real cost;  /* of the best places so far */
    cairn_real stress;
} cairn_mds_t;

/**
 * Begin.
 *
 * self       out, every field is written
 * cfg        settings, kept
 * n          objects, 1 to 2^32 - 2
 * dim        coordinates, 1 to 65535; at least 2 on a sphere
 * place      [n x dim] caller's, kept: the start when it is given, the places at the end
 * n_place    >= n dim
 * work       [n_work] caller's, kept; need not be cleared
 * n_work     >= CAIRN_MDS_REALS(n, dim)
 *
 * CAIRN_OK             begun
 * CAIRN_ERR_ARG        NULL, or a setting out of range
 * CAIRN_ERR_SIZE       an array is too short, or its size overflows
 * CAIRN_ERR_ALIGN      an array is misaligned
 * CAIRN_ERR_NONFINITE  a setting or a given place is not finite
 * CAIRN_ERR_RANGE      a coordinate of a given place is beyond +-CAIRN_MDS_DISTANCE_MAX
 *
 * Work: O(n dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_mds_init(cairn_mds_t *self, const cairn_mds_cfg_t *cfg, size_t n, size_t dim,
                                             cairn_real *place, size_t n_place, cairn_real *work, size_t n_work);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self   begun job
 * pairs  budget; one is one look at one distance. The slice ends at the first row at or after it
 *
 * CAIRN_MORE           work is left
 * CAIRN_OK             done: the tolerance was reached by the start that is returned
 * CAIRN_NOT_CONVERGED  done: sweeps_max was reached by it
 * CAIRN_ERR_ARG        self is NULL
 * CAIRN_ERR_NONFINITE  a distance or weight of the row at hand is NaN or infinite; the job stays before that row
 * CAIRN_ERR_RANGE      one of it is negative, or above CAIRN_MDS_DISTANCE_MAX or CAIRN_MDS_WEIGHT_MAX; the same
 *
 * Work: pairs + n looks; a look costs O(dim^2) in a sweep and O(dim) elsewhere; once in each round of the power iteration
 * O(n dim^2) on top. The cost of the places never rises over sweeps (thesis, PLACECENTER).
 */
CAIRN_MUST_CHECK cairn_status cairn_mds_step(cairn_mds_t *self, uint32_t pairs);

/**
 * Cost of the places, sum over pairs of weight x Err. Belongs to the places as they are when the job is done.
 *
 * self  finished job
 *
 * Returns the cost; 0 before. Work: O(1).
 */
cairn_real cairn_mds_get_cost(const cairn_mds_t *self);

/**
 * Stress-1 of the places: root of sum w (f - d)^2 / sum w d^2, whatever the loss. Belongs to the places as they are.
 *
 * self  finished job
 *
 * Returns the stress; 0 before, and when all distances are 0. Work: O(1).
 */
cairn_real cairn_mds_get_stress(const cairn_mds_t *self);

/**
 * Sweeps done, over all starts.
 *
 * self  begun job
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_mds_get_sweeps(const cairn_mds_t *self);

/**
 * Wanted distances that were larger than any the space has, in the last sweep (each pair counts twice).
 *
 * self  begun job
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_mds_get_clamped(const cairn_mds_t *self);

/**
 * Rough share of the job that is done, for a progress bar.
 *
 * self  begun job
 *
 * Returns 0 to 1. Work: O(1).
 */
cairn_real cairn_mds_get_progress(const cairn_mds_t *self);

#ifdef __cplusplus
}
#endif
#endif
