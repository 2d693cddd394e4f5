/* SPDX-License-Identifier: MIT
 * Walks that listen: several kinds of links whose weights are learned from pairs that must or must not be together, and
 * nodes whose place somebody has fixed. */
#ifndef CAIRN_STEER_H
#define CAIRN_STEER_H

#include "cairn/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_STEER_KINDS_MAX 4u

/** A graph with several kinds of links: A = sum of exp(log_weight) times the matrix of a kind. */
typedef struct cairn_steer {
    const cairn_walk_t *kind[CAIRN_STEER_KINDS_MAX]; /* of the caller, all on the same nodes */
    cairn_real log_weight[CAIRN_STEER_KINDS_MAX];
    uint32_t n_kinds;
    uint32_t n_nodes;
    cairn_real *scratch; /* [n_nodes x 2 columns] of the caller */
    size_t n_scratch;
} cairn_steer_t;

/** Pairs of nodes that the caller knows about; the arrays may be NULL with length 0. */
typedef struct cairn_steer_pairs {
    const uint32_t *must_a; /* [n_must] ends that belong together */
    const uint32_t *must_b;
    size_t n_must;
    const uint32_t *cannot_a; /* [n_cannot] ends that do not */
    const uint32_t *cannot_b;
    size_t n_cannot;
} cairn_steer_pairs_t;

/** Reals of scratch for cairn_steer_walk, a constant expression; columns: of the widest product. */
#define CAIRN_STEER_REALS(nodes, columns) ((size_t)(nodes) * (size_t)(columns))

/** Reals of work memory for cairn_steer_learn, a constant expression. */
#define CAIRN_STEER_LEARN_REALS(nodes, kinds) ((size_t)(nodes) * (3u * ((size_t)(kinds) + 1u) + 1u + (size_t)(kinds)))

/**
 * Put kinds of links together, all with weight 1.
 *
 * self     out, kept by walks on it
 * kind     [n_kinds] walks on the same nodes, none of them composed or of kinds itself; kept by self
 * n_kinds  1 to CAIRN_STEER_KINDS_MAX
 *
 * CAIRN_OK       ready
 * CAIRN_ERR_ARG  NULL, too many kinds, or kinds on different nodes
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_steer_init(cairn_steer_t *self, const cairn_walk_t *const *kind, uint32_t n_kinds);

/**
 * See all kinds as one matrix to walk on, for cairn_pic_begin and cairn_spread_begin.
 *
 * self       initialised; its log weights are read at each product
 * scratch    [n_scratch] caller's, kept by self; one walk at a time uses it
 * n_scratch  >= CAIRN_STEER_REALS(n_nodes, columns of the widest product)
 * columns    1 to CAIRN_WALK_COLUMNS_MAX
 * walk       out
 *
 * CAIRN_OK        ready
 * CAIRN_ERR_ARG   NULL, or columns out of range
 * CAIRN_ERR_SIZE  scratch too short
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_steer_walk(cairn_steer_t *self, cairn_real *scratch, size_t n_scratch,
                                               size_t columns, cairn_walk_t *walk);

/**
 * One step of learning: how far pairs are apart after a few steps of the walk, must-pairs less cannot-pairs, over the
 * variance of all nodes, and its gradient; log weights go against it by `rate` and stay between -8 and 8.
 *
 * self      initialised
 * pairs     what is known; at least one pair
 * n_steps   of the walk from its hashed start, 1 to 64; 6 to 16: with more all pairs are close
 * seed      of the start
 * rate      length of the step in log weights, >= 0; 0: only look
 * work      [n_work] caller's
 * n_work    >= CAIRN_STEER_LEARN_REALS(n_nodes, n_kinds)
 * cost      out, nullable: the objective before the step
 * gradient  [n_kinds] out, nullable: its derivatives by the log weights
 *
 * CAIRN_OK              done
 * CAIRN_ERR_ARG         NULL, no pair, or a number out of range
 * CAIRN_ERR_NONFINITE   rate is NaN or infinite
 * CAIRN_ERR_SIZE        work too short
 * CAIRN_ERR_UNKNOWN_ID  a pair names a node that is not there
 * CAIRN_UNPLACED        all nodes are alike after the walk: nothing to learn from; nothing has changed
 *
 * Work: n_steps passes over the links of each kind with n_kinds + 1 columns.
 */
CAIRN_MUST_CHECK cairn_status cairn_steer_learn(cairn_steer_t *self, const cairn_steer_pairs_t *pairs, uint32_t n_steps,
                                                uint64_t seed, cairn_real rate, cairn_real *work, size_t n_work,
                                                cairn_real *cost, cairn_real *gradient);

/**
 * Let places settle around those that somebody has fixed: each free node goes to the mean of its neighbours, as often as
 * asked for. With many steps free nodes are where springs to the fixed ones would pull them.
 *
 * walk      the graph
 * pinned    [n_nodes] 1: stays where it is
 * n_steps   1 to 65535
 * n_columns coordinates, 1 to CAIRN_WALK_COLUMNS_MAX
 * place     [n_nodes x n_columns] in and out: of cairn_pic_get_place, with the dragged ones moved; finite
 * work      [n_nodes x (n_columns + 1)]
 * n_work    its length
 *
 * CAIRN_OK             done; nodes without links stay
 * CAIRN_ERR_ARG        NULL, or a number out of range
 * CAIRN_ERR_NONFINITE  a coordinate is NaN or infinite
 * CAIRN_ERR_SIZE       work too short
 *
 * Work: n_steps + 1 products.
 */
CAIRN_MUST_CHECK cairn_status cairn_steer_settle(const cairn_walk_t *walk, const uint8_t *pinned, uint32_t n_steps,
                                                 size_t n_columns, cairn_real *place, cairn_real *work, size_t n_work);

#ifdef __cplusplus
}
#endif
#endif
