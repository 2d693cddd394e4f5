/* SPDX-License-Identifier: MIT
 * A bounded buffer of weighted links between nodes with arbitrary ids, fed by an endless stream. */
#ifndef CAIRN_GRAPH_H
#define CAIRN_GRAPH_H

#include "cairn/ids.h"
#include "cairn/rng.h"
#include "cairn/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_GRAPH_NODES_MAX       65535u /* nodes are 16-bit indices */
#define CAIRN_GRAPH_DENSE_NODES_MAX 4096u

/**
 * What is kept when there are more links than room. The ROWS policies give each node links / nodes slots; a link is
 * kept by that of its two ends whose row has been offered fewer. The others keep one list.
 */
typedef enum cairn_graph_policy {
    CAIRN_GRAPH_ROWS_RANDOM = 0, /* replace the older of two random slots of the row: for links that count alike */
    CAIRN_GRAPH_ROWS_OLDEST = 1, /* replace the row's oldest: forgets fast; not for long bursts */
    CAIRN_GRAPH_ROWS_SAMPLE = 2, /* keep the links with the smallest hash: a uniform sample of the distinct links of a
                                    row, the same on every device; never forgets */
    CAIRN_GRAPH_RESERVOIR = 3,   /* uniform sample of all distinct arrivals; never forgets */
    CAIRN_GRAPH_WINDOW = 4,      /* the last links */
    CAIRN_GRAPH_PRIORITY = 5,    /* kernel weights: priority sampling, unbiased sums, favours links of quiet nodes;
                                    with half_life > 0 the sample forgets */
    CAIRN_GRAPH_DENSE = 6        /* every pair has its place: nodes (nodes - 1) / 2 weights, nothing is ever lost */
} cairn_graph_policy;

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_graph_cfg {
    cairn_graph_policy policy;
    cairn_real repeat_gain;    /* a repeated link: 0: its weights add up; > 0 to 1: the weight moves by this share to
                                  the new one (1: the last one counts); with half_life only 0 */
    cairn_real half_life;      /* arrivals after which a weight counts half, >= 1; 0: for ever */
    cairn_real node_half_life; /* arrivals after which having been heard counts half, >= 1: the node that counts
                                  least makes room for a new one; about 10 x the arrivals in which all nodes are
                                  heard; 0: a full table refuses new nodes */
    bool distinct;             /* no link ever repeats: the search for it (a row; all links in a list) is left out */
    uint64_t seed;             /* of the random choices */
} cairn_graph_cfg_t;

/** Caller arrays; those that a policy does not need may be NULL with length 0. See CAIRN_GRAPH_ROWS_DEFINE. */
typedef struct cairn_graph_memory {
    uint32_t *id; /* [n_nodes] */
    size_t n_nodes;
    uint32_t *slot; /* [n_slots >= CAIRN_IDS_SLOTS(n_nodes)] */
    size_t n_slots;
    cairn_real *seen;   /* [n_nodes] links heard of each node, decaying; PRIORITY: their weights */
    uint32_t *heard;    /* [n_nodes]; only with node_half_life > 0 */
    uint16_t *fill;     /* [n_nodes]; only ROWS */
    uint16_t *offers;   /* [n_nodes]; only ROWS */
    uint16_t *one;      /* [n_links]; only lists: RESERVOIR, WINDOW, PRIORITY */
    uint16_t *other;    /* [n_links]; all but DENSE */
    cairn_real *weight; /* [n_links] */
    cairn_real *key;    /* [n_links]; only PRIORITY */
    size_t n_links;     /* ROWS: >= n_nodes; DENSE: >= n_nodes (n_nodes - 1) / 2 */
} cairn_graph_memory_t;

/** What has happened since init. */
typedef struct cairn_graph_counters {
    uint32_t n_nonfinite; /* refused: weight NaN or infinite */
    uint32_t n_range;     /* refused: weight not above 0 */
    uint32_t n_self;      /* refused: link from a node to itself */
    uint32_t n_node_full; /* refused: no room for a new node */
    uint32_t n_repeated;  /* links that were there already */
    uint32_t n_replaced;  /* links that made room for another, or were not taken by a full sample */
    uint32_t n_evicted;   /* nodes that made room for another */
} cairn_graph_counters_t;

/** A buffer. Private, read by the functions below; holds pointers to the caller's cfg and arrays only. */
typedef struct cairn_graph {
    const cairn_graph_cfg_t *cfg;
    cairn_graph_memory_t memory;
    cairn_ids_t ids;
    cairn_rng_t rng;
    uint32_t n_links;     /* stored */
    uint32_t row_slots;   /* ROWS: slots of a row */
    uint32_t n_distinct;  /* RESERVOIR: arrivals that drew, saturates */
    uint32_t cursor;      /* WINDOW: next to be overwritten */
    uint32_t arrivals;    /* good links so far, wraps */
    uint32_t phase;       /* arrivals in the present half life */
    cairn_real octave;    /* 2^(half lives so far), brought back now and then: new weights are multiplied by it */
    cairn_real threshold; /* PRIORITY: the largest key that was ever dropped */
    cairn_real total;     /* PRIORITY: sum of all weights heard, for the mean degree */
    cairn_graph_counters_t counters;
} cairn_graph_t;

/**
 * Declare, statically, a graph `name` with rows, its arrays and a `name_memory` to pass to cairn_graph_init:
 * 26 bytes a node and 6 a link with float. nodes, links: constants >= 1, links >= nodes.
 */
#define CAIRN_GRAPH_ROWS_DEFINE(name, nodes, links)                                                                    \
    static uint32_t name##_id[nodes];                                                                                  \
    static uint32_t name##_slot[CAIRN_IDS_SLOTS(nodes)];                                                               \
    static cairn_real name##_seen[nodes];                                                                              \
    static uint32_t name##_heard[nodes];                                                                               \
    static uint16_t name##_fill[nodes];                                                                                \
    static uint16_t name##_offers[nodes];                                                                              \
    static uint16_t name##_other[links];                                                                               \
    static cairn_real name##_weight[links];                                                                            \
    static const cairn_graph_memory_t name##_memory = {                                                                \
        name##_id,     (nodes), name##_slot,  CAIRN_IDS_SLOTS(nodes), name##_seen, name##_heard, name##_fill,          \
        name##_offers, NULL,    name##_other, name##_weight,          NULL,        (links)};                           \
    static cairn_graph_t name

/**
 * The same with a list for RESERVOIR, WINDOW or PRIORITY: 20 bytes a node and 12 a link with float.
 * nodes, links: constants >= 1.
 */
#define CAIRN_GRAPH_LIST_DEFINE(name, nodes, links)                                                                    \
    static uint32_t name##_id[nodes];                                                                                  \
    static uint32_t name##_slot[CAIRN_IDS_SLOTS(nodes)];                                                               \
    static cairn_real name##_seen[nodes];                                                                              \
    static uint32_t name##_heard[nodes];                                                                               \
    static uint16_t name##_one[links];                                                                                 \
    static uint16_t name##_other[links];                                                                               \
    static cairn_real name##_weight[links];                                                                            \
    static cairn_real name##_key[links];                                                                               \
    static const cairn_graph_memory_t name##_memory = {                                                                \
        name##_id, (nodes),    name##_slot,  CAIRN_IDS_SLOTS(nodes), name##_seen, name##_heard, NULL,                  \
        NULL,      name##_one, name##_other, name##_weight,          name##_key,  (links)};                            \
    static cairn_graph_t name

/**
 * Start an empty buffer.
 *
 * self    out, every field is written
 * cfg     settings, kept by self
 * memory  caller's arrays, kept by self until it is dropped; need not be cleared
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL where the policy needs an array, no or too many nodes, a setting out of range
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       an array is too short
 * CAIRN_ERR_ALIGN      an array is misaligned
 *
 * Work: nodes x 5 writes; DENSE: one write a pair.
 */
CAIRN_MUST_CHECK cairn_status cairn_graph_init(cairn_graph_t *self, const cairn_graph_cfg_t *cfg,
                                               const cairn_graph_memory_t *memory);

/**
 * Take one link of the stream.
 *
 * self    initialised buffer
 * a, b    ids of its ends, any values, different
 * weight  > 0; 1 for plain links
 *
 * CAIRN_OK             stored, or a stored one was updated
 * CAIRN_REJECTED       valid, but the sample has no place for it: its nodes are known now, the link is not kept
 * CAIRN_FULL           the table of nodes is full and cfg->node_half_life is 0; only a counter moved
 * CAIRN_ERR_ARG        self is NULL
 * CAIRN_ERR_SELF       a equals b
 * CAIRN_ERR_NONFINITE  weight is NaN or infinite
 * CAIRN_ERR_RANGE      weight is not above 0
 *
 * Work: two looks into the table of nodes and 2 links / nodes slots (ROWS), 1 (DENSE), all links (lists, unless
 * distinct) and log2 links moves (PRIORITY). A new node in a full table: nodes + links looks more. Once in 40 half
 * lives, and once in 2^23 links of a node, one pass over all.
 */
CAIRN_MUST_CHECK cairn_status cairn_graph_add(cairn_graph_t *self, uint32_t a, uint32_t b, cairn_real weight);

/**
 * Take over the links of another buffer, as if its stream had come here. RESERVOIR and PRIORITY samples merge to a
 * sample of both streams; other policies take the links one after the other.
 *
 * self   initialised buffer
 * other  another one; with the same policy when it is RESERVOIR or PRIORITY; not changed
 *
 * CAIRN_OK        merged; links of nodes that did not fit are counted in n_node_full
 * CAIRN_ERR_ARG   NULL, self equals other, or the policies do not go together
 *
 * Work: links of other x cairn_graph_add.
 */
CAIRN_MUST_CHECK cairn_status cairn_graph_merge(cairn_graph_t *self, const cairn_graph_t *other);

/**
 * Forget a node's links; its id keeps its place in the table.
 *
 * self  initialised buffer
 * id    any value
 *
 * CAIRN_OK              done
 * CAIRN_ERR_ARG         self is NULL
 * CAIRN_ERR_UNKNOWN_ID  not in the table; nothing has changed
 *
 * Work: one look at each link.
 */
CAIRN_MUST_CHECK cairn_status cairn_graph_clear_node(cairn_graph_t *self, uint32_t id);

/**
 * See the links as a matrix to walk on. Valid until the next change of the graph.
 *
 * self  initialised buffer
 * walk  out, every field is written
 *
 * CAIRN_OK       ready
 * CAIRN_ERR_ARG  NULL
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_graph_walk(const cairn_graph_t *self, cairn_walk_t *walk);

/**
 * Index of a node, in [0, cairn_graph_get_nodes): its row in arrays of labels and scores.
 *
 * self  initialised buffer
 * id    any value
 *
 * Returns the index, or CAIRN_IDS_NONE. Work: as cairn_ids_find.
 */
uint32_t cairn_graph_find(const cairn_graph_t *self, uint32_t id);

/**
 * Number of nodes in the table.
 *
 * self  initialised buffer
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_graph_get_nodes(const cairn_graph_t *self);

/**
 * Number of links kept.
 *
 * self  initialised buffer
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_graph_get_links(const cairn_graph_t *self);

#ifdef __cplusplus
}
#endif
#endif
