/* SPDX-License-Identifier: MIT
 * Power iteration clustering: which nodes of a graph belong together, in slices of bounded work. */
#ifndef CAIRN_PIC_H
#define CAIRN_PIC_H

#include "cairn/rng.h"
#include "cairn/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_PIC_CLUSTERS_MAX 255u
#define CAIRN_PIC_UNKNOWN      255u /* label of a node without links */

/** How candidate clusterings are judged. */
typedef enum cairn_pic_objective {
    CAIRN_PIC_NCUT = 0,      /* normalised cut of the regularised walk, the default */
    CAIRN_PIC_MODULARITY = 1 /* 1 - modularity */
} cairn_pic_objective;

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_pic_cfg {
    uint8_t n_clusters;      /* wanted, 1 to 255 */
    uint8_t n_vectors;       /* columns that walk together, 1 to 8; default 4; 8 from 8 clusters on, 3 to save memory */
    uint8_t doublings_max;   /* stop after 2^this steps at most, 1 to 20; default 11; 8 is enough for plain links */
    uint8_t doublings_first; /* the first checkpoint is at 2^this steps, 1 to doublings_max; default 1 */
    uint8_t patience;   /* stop when the best cut has not fallen for this many doublings, 0 to 20; default 3; 0: after
                              one, or as soon as at most a node in 64 would move (see moves_max), for a small device */
    uint8_t n_starts;   /* k-means starts of each candidate, 1 to 20; default 3 */
    uint8_t rounds_max; /* k-means rounds of a start, 1 to 255; default 50 */
    uint8_t moves_max;  /* rounds in which nodes move to the group that their links speak for, after the walk, 0 to 255;
                              default 10. The first round must lower the cut by 1 %, else the walk's labels stand but for
                              nodes that most of their own links speak against, when those are few. Only for walks with
                              links to look at, and with clusters for at least one node's ties: at most
                              capacity x the larger of n_vectors and CAIRN_PIC_SPLIT_REALS(capacity, n_clusters) */
    uint8_t n_walks;    /* walks from different starts, one after the other; the labels with the smallest cut of all are
                              kept; 1 to 20, default 1; 5 from 8 clusters on */
    cairn_pic_objective objective;
    bool warm; /* the first k-means start of a candidate goes on from the candidate with one column less; default false;
                              cheaper than one more drawn start and about as good */
    bool lazy; /* walk half as fast: only of use for graphs with two sides */
    cairn_real tau;        /* regularisation: weight of a link from each node to all others together, as a share of the
                              mean weight of a link, 0 to 1000; default 0.6. 0 lets outliers take a cluster */
    cairn_real hysteresis; /* a node changes its label from one query to the next only when its links to the new group
                              exceed this times those to the old, and half a mean link; 0: always; default 1.25 */
    uint64_t seed;         /* of start vectors and k-means */
} cairn_pic_cfg_t;

/** Defaults as stated at each field, 2 clusters. */
extern const cairn_pic_cfg_t cairn_pic_cfg_default;

/** For a small device, 2 clusters: 3 vectors, first checkpoint at 8 steps, no patience, two starts of 8 rounds, one of
 * them warm. On a bounded graph about as good as the default at a fifth of the work; on whole graphs with slow walks it
 * ends too early. */
extern const cairn_pic_cfg_t cairn_pic_cfg_small;

/** Why a job ended. */
typedef enum cairn_pic_reason {
    CAIRN_PIC_RUNNING = 0,
    CAIRN_PIC_PATIENCE = 1,  /* the cut has not fallen for cfg->patience doublings */
    CAIRN_PIC_LIMIT = 2,     /* 2^doublings_max steps */
    CAIRN_PIC_CONVERGED = 4, /* the columns that tell the clusters apart have outlived the others */
    CAIRN_PIC_SETTLED = 5,   /* no patience, and no move of a node would lower the cut */
    CAIRN_PIC_TRIVIAL = 3    /* fewer than two linked nodes, or one cluster: nothing to walk for */
} cairn_pic_reason;

/** Reals of work memory a node for one-dimensional k-means and for ties to clusters, a constant expression; used by
 * CAIRN_PIC_REALS. Many clusters are taken in parts, so that up to 65,535 nodes it is 5 at most. */
#define CAIRN_PIC_SPLIT_REALS(nodes, clusters)                                                                         \
    ((size_t)(clusters) < 3u    ? (size_t)3                                                                            \
     : (size_t)(nodes) > 65535u ? (size_t)(clusters) + 1u                                                              \
     : (size_t)(clusters) < 5u  ? (size_t)4                                                                            \
                                : (size_t)5)

/** Reals of work memory, a constant expression. With float, 64 nodes, 4 clusters, 4 vectors: 2,752 bytes. */
#define CAIRN_PIC_REALS(nodes, clusters, vectors)                                                                      \
    ((size_t)(nodes) *                                                                                                 \
         ((size_t)(vectors) + 1u +                                                                                     \
          (CAIRN_PIC_SPLIT_REALS(nodes, clusters) > (size_t)(vectors) ? CAIRN_PIC_SPLIT_REALS(nodes, clusters)         \
                                                                      : (size_t)(vectors))) +                          \
     2u * (size_t)(vectors) * (vectors) + 3u * (size_t)(clusters) +                                                    \
     (size_t)(clusters) *                                                                                              \
         ((size_t)(clusters) > 3u * (size_t)(vectors) + 5u ? (size_t)(clusters) : 3u * (size_t)(vectors) + 5u))

/** Labels of work memory, a constant expression. */
#define CAIRN_PIC_LABELS(nodes) ((size_t)(nodes)*3u)

/** Caller arrays and their lengths. */
typedef struct cairn_pic_memory {
    cairn_real *work; /* [>= CAIRN_PIC_REALS(nodes, clusters, vectors)] */
    size_t n_work;
    uint8_t *label; /* [>= CAIRN_PIC_LABELS(nodes)] */
    size_t n_label;
} cairn_pic_memory_t;

/** Declare, statically, a job `name`, its arrays and a `name_memory`. nodes, clusters, vectors: constants. */
#define CAIRN_PIC_DEFINE(name, nodes, clusters, vectors)                                                               \
    static cairn_real name##_work[CAIRN_PIC_REALS(nodes, clusters, vectors)];                                          \
    static uint8_t name##_label[CAIRN_PIC_LABELS(nodes)];                                                              \
    static const cairn_pic_memory_t name##_memory = {name##_work, CAIRN_PIC_REALS(nodes, clusters, vectors),           \
                                                     name##_label, CAIRN_PIC_LABELS(nodes)};                           \
    static cairn_pic_t name

/** A job. Private, read by the functions below. */
typedef struct cairn_pic {
    const cairn_pic_cfg_t *cfg;
    cairn_pic_memory_t memory;
    uint32_t capacity; /* nodes */
    cairn_walk_t walk; /* of the present query */
    uint8_t stage;
    uint8_t prefix;   /* candidate: columns clustered, 0: none yet */
    uint8_t lane;     /* candidates waiting for their cut */
    uint8_t start;    /* of k-means */
    uint8_t block;    /* of nodes whose ties are summed up */
    bool voting;      /* what for: their links decide, or how near they are to a group */
    uint8_t round;    /* of the start */
    uint8_t moves;    /* rounds of moves that were good */
    uint8_t thin;     /* steps on a part of the links that are left to go */
    uint8_t n_walked; /* walks that have ended */
    uint8_t n_columns;
    uint8_t best_prefix;
    cairn_pic_reason reason;
    uint32_t cursor;   /* next part of the pass */
    uint32_t t;        /* steps walked */
    uint32_t t_best;   /* step at which the cut was last lowered */
    uint32_t t_kept;   /* step of the labels kept */
    uint32_t n_active; /* nodes with links */
    uint32_t n_movers; /* of the blocks so far */
    cairn_real volume;
    cairn_real tau;          /* in units of weight */
    cairn_real score_before; /* the best of earlier walks */
    cairn_real score_least;
    cairn_real score_here; /* of the present checkpoint */
    cairn_real score_kept;
    cairn_real spread; /* of k-means: sum of squares of the present start */
    cairn_real spread_least;
    cairn_real rest; /* how fast the columns shrink that clusters do not need */
    cairn_real ritz[CAIRN_WALK_COLUMNS_MAX];
    cairn_rng_t rng;
} cairn_pic_t;

/**
 * Set up a job; no node has a label yet.
 *
 * self      out, every field is written
 * cfg       settings, kept by self
 * memory    caller's arrays, kept by self until it is dropped; need not be cleared
 * capacity  nodes that fit, 1 to 2^24
 *
 * CAIRN_OK             ready for cairn_pic_begin
 * CAIRN_ERR_ARG        NULL, or a setting out of range
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       an array is too short
 * CAIRN_ERR_ALIGN      work is misaligned
 *
 * Work: capacity writes.
 */
CAIRN_MUST_CHECK cairn_status cairn_pic_init(cairn_pic_t *self, const cairn_pic_cfg_t *cfg,
                                             const cairn_pic_memory_t *memory, size_t capacity);

/**
 * Begin to cluster a graph. Labels of the last query stay readable until the job is done, and the new ones are numbered
 * to agree with them as far as possible. The answer does not depend on earlier queries but for that.
 *
 * A graph of links, not of factors, with more than 4,096 nodes and 256 links or more for each node that has any is first
 * walked on an eighth of them for 4 steps, which n_steps does not count; its first checkpoint is at 4 steps or later.
 *
 * self  set up job
 * walk  the graph, copied; what it refers to must not change until the job is done
 *
 * CAIRN_OK        begun
 * CAIRN_ERR_ARG   NULL, or a composed walk
 * CAIRN_ERR_SIZE  the graph has more nodes than the capacity
 *
 * Work: 2 writes a node and column.
 */
CAIRN_MUST_CHECK cairn_status cairn_pic_begin(cairn_pic_t *self, const cairn_walk_t *walk);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self        begun job
 * operations  budget; one operation is one look at one link for all columns. A slice ends after the part of the graph,
 *             or the step over all nodes, that reaches it
 *
 * CAIRN_MORE       work is left
 * CAIRN_OK         done
 * CAIRN_ERR_ARG    self is NULL
 * CAIRN_ERR_STATE  nothing was begun
 *
 * Work: operations + one of: a part of the graph; vectors^2 multiply-adds a node; a round of k-means (nodes x clusters x
 * vectors; 6 times that to choose its centres); the exact one-dimensional split (4 nodes log2 nodes x clusters; with
 * more than 6 clusters and fewer than 6 vectors at most clusters / 8 + 1 times that).
 */
CAIRN_MUST_CHECK cairn_status cairn_pic_step(cairn_pic_t *self, uint32_t operations);

/**
 * Label of a node: 0 to n_clusters - 1, or CAIRN_PIC_UNKNOWN when it has no links or the index is not known.
 *
 * self  job; until the first query is done no node has a label
 * node  index of the node in the graph
 *
 * Returns the label. Work: O(1).
 */
uint8_t cairn_pic_get_label(const cairn_pic_t *self, uint32_t node);

/**
 * Coordinates of a node: the columns at the last step, best separating first, unit variance under the walk.
 *
 * self  done job
 * node  index of the node
 *
 * Returns [n_columns] reals inside the work memory, NULL for an unknown node. Work: O(1).
 */
const cairn_real *cairn_pic_get_place(const cairn_pic_t *self, uint32_t node);

/**
 * Label and coordinates of a node that was not in the graph, from its links to nodes that were: the coordinates are one
 * step of the walk, the label is that of most of its links.
 *
 * self      done job
 * nodes     [n_links] indices of nodes of the graph
 * weights   [n_links] > 0; NULL: 1 each
 * n_links   any
 * label     out; CAIRN_PIC_UNKNOWN when no link goes to a node with a label
 * place     [n_columns] out, nullable
 *
 * CAIRN_OK              done
 * CAIRN_UNPLACED        no link goes to a node with a label; place is not written
 * CAIRN_ERR_ARG         NULL, or a weight not above 0
 * CAIRN_ERR_STATE       the job is not done
 * CAIRN_ERR_NONFINITE   a weight is NaN or infinite
 * CAIRN_ERR_UNKNOWN_ID  a node is not in the graph
 *
 * Work: n_links x (clusters + vectors).
 */
CAIRN_MUST_CHECK cairn_status cairn_pic_extend(const cairn_pic_t *self, const uint32_t *nodes,
                                               const cairn_real *weights, size_t n_links, uint8_t *label,
                                               cairn_real *place);

/** What a query found. */
typedef struct cairn_pic_result {
    cairn_pic_reason reason;
    uint32_t n_steps;                        /* walked */
    uint32_t best_step;                      /* of the labels kept */
    uint8_t n_columns;                       /* at most n_vectors, fewer for tiny graphs */
    uint8_t prefix;                          /* columns that the labels kept were made from */
    uint8_t n_clusters;                      /* clusters that have a node */
    uint8_t n_moves;                         /* rounds of moves that lowered the cut */
    cairn_real score;                        /* the objective of the labels kept, before hysteresis */
    cairn_real ritz[CAIRN_WALK_COLUMNS_MAX]; /* eigenvalues of the walk, estimated, falling */
} cairn_pic_result_t;

/**
 * What the last query found.
 *
 * self    job
 * result  out
 *
 * CAIRN_OK         written
 * CAIRN_ERR_ARG    NULL
 * CAIRN_ERR_STATE  the job is not done
 *
 * Work: one look at each node.
 */
CAIRN_MUST_CHECK cairn_status cairn_pic_get_result(const cairn_pic_t *self, cairn_pic_result_t *result);

#ifdef __cplusplus
}
#endif
#endif
