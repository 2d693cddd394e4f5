/* SPDX-License-Identifier: MIT
 * k-walks: k-means with random walks for distances. */
#ifndef CAIRN_KWALKS_H
#define CAIRN_KWALKS_H

#include "cairn/spread.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reals of work memory, a constant expression. */
#define CAIRN_KWALKS_REALS(nodes) (CAIRN_SPREAD_REALS(nodes, 1, 0) + (size_t)(nodes))

/** Labels of work memory, a constant expression. */
#define CAIRN_KWALKS_LABELS(nodes) ((size_t)(nodes)*2u)

/** A job. Private. */
typedef struct cairn_kwalks {
    cairn_spread_t spread; /* its memory is the first part of ours */
    cairn_real teleport;
    uint16_t rounds_max;
    uint16_t round;
    uint16_t page_round;
    uint8_t stage;
    bool converged;
    uint32_t cursor;
} cairn_kwalks_t;

/**
 * Set up a job: walks spread from each group's own distribution, nodes join the group that reaches them most, and the
 * PageRank inside each group is its new distribution.
 *
 * self        out, every field is written
 * cfg         of the walks: method CAIRN_SPREAD_MRW, n_classes groups, alpha .05; kept by self
 * teleport    of PageRank, above 0, at most 1; .15 is usual
 * rounds_max  of the whole, 1 to 65535; 2 to 6 are needed
 * memory      work [>= CAIRN_KWALKS_REALS(nodes)], label [>= CAIRN_KWALKS_LABELS(nodes)]
 * capacity    nodes that fit
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL, or a setting out of range
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       an array is too short
 * CAIRN_ERR_ALIGN      work is misaligned
 *
 * Work: one write a node.
 */
CAIRN_MUST_CHECK cairn_status cairn_kwalks_init(cairn_kwalks_t *self, const cairn_spread_cfg_t *cfg,
                                                cairn_real teleport, uint16_t rounds_max,
                                                const cairn_spread_memory_t *memory, size_t capacity);

/**
 * Begin from seeds: k nodes drawn by the caller, one a group, or the labels of another clustering, or a few known ones.
 *
 * self  set up job
 * walk  a graph with links (not of factors), copied
 * seed  [walk->n_nodes] group of each seed, CAIRN_SPREAD_UNKNOWN elsewhere; copied
 *
 * CAIRN_OK        begun
 * CAIRN_ERR_ARG   NULL, a walk without links, a group not below n_classes
 * CAIRN_ERR_SIZE  the graph has more nodes than the capacity
 *
 * Work: three writes a node.
 */
CAIRN_MUST_CHECK cairn_status cairn_kwalks_begin(cairn_kwalks_t *self, const cairn_walk_t *walk, const uint8_t *seed);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self        begun job
 * operations  budget, as cairn_spread_step
 *
 * CAIRN_MORE           work is left
 * CAIRN_OK             done: no node changed its group in the last round
 * CAIRN_NOT_CONVERGED  done: rounds_max was reached
 * CAIRN_ERR_ARG        self is NULL
 * CAIRN_ERR_STATE      nothing was begun
 *
 * Work: as cairn_spread_step.
 */
CAIRN_MUST_CHECK cairn_status cairn_kwalks_step(cairn_kwalks_t *self, uint32_t operations);

/**
 * Group of a node.
 *
 * self  done job
 * node  index of the node
 *
 * Returns its group; CAIRN_SPREAD_UNKNOWN when no walk reaches it or the index is not known. Work: O(1).
 */
uint8_t cairn_kwalks_get_label(const cairn_kwalks_t *self, uint32_t node);

#ifdef __cplusplus
}
#endif
#endif
