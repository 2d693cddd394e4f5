/* SPDX-License-Identifier: MIT
 * PLACE: the best place of one point among neighbours at wanted distances; the cost never rises. */
#ifndef CAIRN_PLACE_H
#define CAIRN_PLACE_H

#include "cairn/recenter.h"
#include "cairn/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a round moves the point. */
typedef enum cairn_place_method {
    CAIRN_PLACE_NEWTON = 0,   /* safeguarded Newton step, the recentring step where it would raise the cost */
    CAIRN_PLACE_ALTERNATE = 1 /* the thesis's plain alternation of project and recentre: slow, the reference */
} cairn_place_method_t;

/** Settings. `cairn_place_cfg_default` is a good start. */
typedef struct cairn_place_cfg {
    const cairn_space_t *space;  /* NULL: cairn_space_euclidean */
    const cairn_loss_t *loss;    /* NULL: cairn_loss_squared */
    cairn_place_method_t method; /* default CAIRN_PLACE_NEWTON */
    uint16_t rounds_max;         /* 1 to 65535, default 20; bounds the work */
    cairn_real tolerance; /* stop when a step is not longer, in units of the space, >= 0, default 0: no progress left */
    cairn_real relaxation; /* share of Newton's step that is tried first, > 0, < 2, default 1. Above 1, sweeps over
                                    many points that hang together converge faster (successive over-relaxation) */
} cairn_place_cfg_t;

/** Defaults: R^k, squared loss, Newton, 20 rounds, tolerance 0, relaxation 1. */
extern const cairn_place_cfg_t cairn_place_cfg_default;

/** Scratch reals for `cairn_place` in dim coordinates: gradient, direction, three steps, candidate, Hessian. */
#define CAIRN_PLACE_WORK_REALS(dim) ((size_t)(dim)*6u + CAIRN_SYMMETRIC_REALS(dim))

/**
 * Supplies neighbour j of a point: called for j = 0 .. n_neighbours-1, in order, 2 (4 rounds_max + 1) times at most.
 * Must give the same values each time within one call of `cairn_place`, finite, weight >= 0, range >= 0, scale > 0.
 *
 * context    the caller's
 * j          which neighbour
 * neighbour  out, every field is written
 */
typedef void (*cairn_neighbour_fn)(const void *context, size_t j, cairn_neighbour_t *neighbour);

/** Context of `cairn_neighbour_from_arrays`: neighbours in plain arrays. */
typedef struct cairn_neighbour_arrays {
    const cairn_real *place;  /* [n x dim] row-major */
    const cairn_real *range;  /* [n] wanted distances, >= 0 */
    const cairn_real *weight; /* [n] or NULL: all 1; 0 means missing */
    const cairn_real *scale;  /* [n] or NULL: all 1 */
    size_t dim;
} cairn_neighbour_arrays_t;

/**
 * A `cairn_neighbour_fn` over plain arrays.
 *
 * context    a `cairn_neighbour_arrays_t`
 * j          row
 * neighbour  out
 *
 * Work: O(1).
 */
void cairn_neighbour_from_arrays(const void *context, size_t j, cairn_neighbour_t *neighbour);

/** What a placement came to. */
typedef struct cairn_place_result {
    cairn_real cost;    /* sum of weight x Err at the returned point */
    uint16_t n_rounds;  /* rounds used */
    uint32_t n_clamped; /* wanted distances above the space's largest, in the last round */
} cairn_place_result_t;

/**
 * Move a point to a minimum of its cost g(x) = sum_j w_j Err(f(x, x_j) - r_j).
 *
 * cfg           settings
 * neighbours    supplies them
 * context       passed to `neighbours`
 * n_neighbours  how many; 0 leaves the point
 * x             [dim] in: the start; out: the place; unchanged on error
 * dim           number of coordinates, 1 to 65535
 * work          [work_reals] scratch, must not overlap x
 * work_reals    >= CAIRN_PLACE_WORK_REALS(dim)
 * result        out, nullable; written only if the result is >= 0
 *
 * CAIRN_OK             at a minimum: the step fell below the tolerance, or no step lowers the cost any more
 * CAIRN_NOT_CONVERGED  rounds_max reached; x is the best so far
 * CAIRN_UNPLACED       no neighbour with a weight above 0; x unchanged
 * CAIRN_ERR_ARG        NULL, dim 0, a setting out of range
 * CAIRN_ERR_SIZE       work too short
 * CAIRN_ERR_ALIGN      x or work misaligned
 * CAIRN_ERR_NONFINITE  x, the tolerance or a cost at the start is not finite
 *
 * The cost never rises from round to round (thesis chapter 2, theorem on PLACE; the Newton step is accepted only
 * when it does not raise the cost). Work: at most 4 rounds_max + 1 passes over the neighbours of O(dim^2) each
 * (twice that for singular losses), typically rounds_max + 1, and rounds_max solves of dim^3/6. No other scratch.
 */
CAIRN_MUST_CHECK cairn_status cairn_place(const cairn_place_cfg_t *cfg, cairn_neighbour_fn neighbours,
                                          const void *context, size_t n_neighbours, cairn_real *x, size_t dim,
                                          cairn_real *work, size_t work_reals, cairn_place_result_t *result);

#ifdef __cplusplus
}
#endif
#endif
