/* SPDX-License-Identifier: MIT
 * Clustering links instead of nodes: each link belongs to one group, a node to all groups of its links. */
#ifndef CAIRN_EDGES_H
#define CAIRN_EDGES_H

#include "cairn/pic.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_EDGES_CLUSTERS_MAX 32u

/** Reals of work memory, a constant expression. */
#define CAIRN_EDGES_REALS(clusters, vectors) ((size_t)(clusters) * (2u * (size_t)(vectors) + 1u))

/** Counters of work memory, a constant expression. */
#define CAIRN_EDGES_COUNTS(nodes, clusters) ((size_t)(nodes) * (clusters))

/** A job. Private; holds pointers to the caller's clustering and arrays. */
typedef struct cairn_edges {
    const cairn_pic_t *pic;
    cairn_real *work;
    uint16_t *count; /* [nodes x clusters] links of a node in a group, at most 65535 */
    uint32_t cursor;
    uint32_t round;
    uint32_t rounds_max;
    uint8_t prefix; /* columns used */
    uint8_t stage;
    cairn_real spread; /* weighted sum of squares of the round */
    cairn_real spread_before;
} cairn_edges_t;

/**
 * Begin to cluster the links of a graph whose nodes have been clustered. A link lies half way between its ends, in the
 * columns that gave the nodes their labels: this is the walk of half speed over the links themselves, exactly.
 *
 * self        out, every field is written
 * pic         done job on a graph with links, at most 32 clusters, kept by self; it and the graph must not change until
 *             the groups have been read
 * rounds_max  of k-means, 1 to 65535; 20 is plenty
 * work        [n_work >= CAIRN_EDGES_REALS(clusters, vectors)] caller's, kept by self
 * n_work      its length
 * count       [n_count >= CAIRN_EDGES_COUNTS(nodes of the graph, clusters)] caller's, kept by self
 * n_count     its length
 *
 * CAIRN_OK         begun
 * CAIRN_ERR_ARG    NULL, too many clusters, rounds_max 0, or a walk without links
 * CAIRN_ERR_STATE  the job on the nodes is not done
 * CAIRN_ERR_SIZE   an array is too short
 *
 * Work: one write a node and cluster, and one look at each node.
 */
CAIRN_MUST_CHECK cairn_status cairn_edges_begin(cairn_edges_t *self, const cairn_pic_t *pic, uint16_t rounds_max,
                                                cairn_real *work, size_t n_work, uint16_t *count, size_t n_count);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self        begun job
 * operations  budget; one operation is one look at one link
 *
 * CAIRN_MORE     work is left
 * CAIRN_OK       done
 * CAIRN_ERR_ARG  self is NULL
 *
 * Work: operations + a part of the graph; clusters x columns multiply-adds an operation.
 */
CAIRN_MUST_CHECK cairn_status cairn_edges_step(cairn_edges_t *self, uint32_t operations);

/**
 * Group of a link.
 *
 * self  done job
 * a, b  indices of its ends in the graph
 *
 * Returns the group, 0 to n_clusters - 1; CAIRN_PIC_UNKNOWN when an index is not known. Work: clusters x columns.
 */
uint8_t cairn_edges_get_label(const cairn_edges_t *self, uint32_t a, uint32_t b);

/**
 * Groups of a node: those that hold at least a share of its links, or else the commonest.
 *
 * self   done job
 * node   index of the node
 * share  0 to 1; above 1: only the commonest (labeler Max); .2: labeler T@20, the one to take; 0: every group that holds
 *        a link (labeler All)
 *
 * Returns a bit for each group, 0 when the node has no links or the index is not known. Work: clusters.
 */
uint32_t cairn_edges_get_groups(const cairn_edges_t *self, uint32_t node, cairn_real share);

#ifdef __cplusplus
}
#endif
#endif
