/* SPDX-License-Identifier: MIT
 * Spreading a few known labels over a graph: MultiRankWalk and harmonic fields, one class at a time, in slices. */
#ifndef CAIRN_SPREAD_H
#define CAIRN_SPREAD_H

#include "cairn/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_SPREAD_UNKNOWN     255u /* label of a node that no walk reaches; class of a node that is no seed */
#define CAIRN_SPREAD_CLASSES_MAX 255u

/** How labels spread. */
typedef enum cairn_spread_method {
    CAIRN_SPREAD_MRW = 0, /* MultiRankWalk: a walk with restart at the seeds of each class; best with few seeds */
    CAIRN_SPREAD_HF = 1   /* harmonic field (wvRN): each node is the mean of its neighbours; best with many seeds */
} cairn_spread_method;

/** Settings; the caller keeps them alive and constant. */
typedef struct cairn_spread_cfg {
    cairn_spread_method method;
    uint8_t n_classes;    /* 1 to 255 */
    uint16_t rounds_max;  /* products a class, 1 to 65535; default 200; harmonic fields: 10, more does harm */
    cairn_real alpha;     /* MultiRankWalk: probability of going back to the seeds at each step, above 0, at most 1;
                             default .05; .25 where seeds may be wrong */
    cairn_real beta;      /* MultiRankWalk: probability of going anywhere, 0 to 1 - alpha; default 0; 1e-4 makes ratios
                             of scores usable */
    cairn_real tolerance; /* a class is done when the sum of changes of a round is at most this, >= 0; default 1e-4 */
    cairn_real seed_weight; /* harmonic fields: 0: seeds keep their class; > 0: a seed is pulled to its class with this
                               weight of links, and can be outvoted (adsorption) */
    bool mass;              /* harmonic fields: class mass normalisation: scores are weighed so that each class gets the
                               share of nodes that it has of the seeds; default true. False where seeds were not chosen
                               at random and alike for classes of very different sizes */
} cairn_spread_cfg_t;

/** Defaults as stated at each field: MultiRankWalk of two classes. */
extern const cairn_spread_cfg_t cairn_spread_cfg_default;

/** Defaults of harmonic fields: 10 rounds, class masses. */
extern const cairn_spread_cfg_t cairn_spread_cfg_harmonic;

/** Reals of work memory, a constant expression; kept: 1 to keep the scores of all classes for warm starts, else 0. */
#define CAIRN_SPREAD_REALS(nodes, classes, kept) ((size_t)(nodes) * ((kept) ? (size_t)(classes) + 4u : (size_t)5))

/** Caller arrays and their lengths. */
typedef struct cairn_spread_memory {
    cairn_real *work; /* [>= CAIRN_SPREAD_REALS(nodes, classes, 0)]; with those for kept scores, they are kept */
    size_t n_work;
    uint8_t *label; /* [>= nodes] */
    size_t n_label;
} cairn_spread_memory_t;

/** Declare, statically, a job `name`, its arrays and a `name_memory`. nodes, classes: constants; kept: 0 or 1. */
#define CAIRN_SPREAD_DEFINE(name, nodes, classes, kept)                                                                \
    static cairn_real name##_work[CAIRN_SPREAD_REALS(nodes, classes, kept)];                                           \
    static uint8_t name##_label[nodes];                                                                                \
    static const cairn_spread_memory_t name##_memory = {name##_work, CAIRN_SPREAD_REALS(nodes, classes, kept),         \
                                                        name##_label, (nodes)};                                        \
    static cairn_spread_t name

/** A job. Private, read by the functions below. */
typedef struct cairn_spread {
    const cairn_spread_cfg_t *cfg;
    cairn_spread_memory_t memory;
    cairn_walk_t walk;
    const uint8_t *seed;           /* [n_nodes] of the caller */
    const cairn_real *seed_weight; /* [n_nodes] of the caller, NULL: 1 each */
    uint32_t capacity;
    uint32_t cursor;
    uint8_t stage;
    uint8_t class_now;
    bool kept; /* scores of all classes are kept */
    bool warm; /* begin from them */
    bool converged;
    uint16_t round;
    uint16_t rounds_most;   /* of the classes so far */
    cairn_real seeds_total; /* weight of the seeds of the class */
    cairn_real seeds_all;   /* of all classes */
} cairn_spread_t;

/**
 * Set up a job.
 *
 * self      out, every field is written
 * cfg       settings, kept by self
 * memory    caller's arrays, kept by self until it is dropped; need not be cleared
 * capacity  nodes that fit, 1 to 2^24
 *
 * CAIRN_OK             ready for cairn_spread_begin
 * CAIRN_ERR_ARG        NULL, or a setting out of range
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       an array is too short
 * CAIRN_ERR_ALIGN      work is misaligned
 *
 * Work: one write a node; with kept scores one a node and class.
 */
CAIRN_MUST_CHECK cairn_status cairn_spread_init(cairn_spread_t *self, const cairn_spread_cfg_t *cfg,
                                                const cairn_spread_memory_t *memory, size_t capacity);

/**
 * Begin to spread.
 *
 * self         set up job
 * walk         the graph, copied; what it refers to must not change until the job is done
 * seed         [walk->n_nodes] class of each node, or CAIRN_SPREAD_UNKNOWN; kept by self until the job is done
 * seed_weight  [walk->n_nodes] share of a seed in its class, > 0 at seeds; NULL: all alike; kept as seed
 * warm         go on from the scores of the last job (only with kept scores): after up to 5 % new links three rounds
 *              (cfg->rounds_max = 3) are enough. The fixed point does not depend on where it begins
 *
 * CAIRN_OK             begun
 * CAIRN_ERR_ARG        NULL, a class not below n_classes, a seed's weight not above 0, or warm without kept scores
 * CAIRN_ERR_NONFINITE  a seed's weight is NaN or infinite
 * CAIRN_ERR_SIZE       the graph has more nodes than the capacity
 *
 * Work: one look and two writes a node.
 */
CAIRN_MUST_CHECK cairn_status cairn_spread_begin(cairn_spread_t *self, const cairn_walk_t *walk, const uint8_t *seed,
                                                 const cairn_real *seed_weight, bool warm);

/**
 * Do a slice of the job. Slicing does not change the result by a bit.
 *
 * self        begun job
 * operations  budget; one operation is one look at one link. A slice ends after the part of the graph, or the step over
 *             all nodes, that reaches it
 *
 * CAIRN_MORE           work is left
 * CAIRN_OK             done: every class reached the tolerance, or harmonic fields made their rounds
 * CAIRN_NOT_CONVERGED  done: a class of MultiRankWalk used up its rounds; labels are the best so far
 * CAIRN_ERR_ARG        self is NULL
 * CAIRN_ERR_STATE      nothing was begun
 *
 * Work: operations + a part of the graph or 4 multiply-adds a node.
 */
CAIRN_MUST_CHECK cairn_status cairn_spread_step(cairn_spread_t *self, uint32_t operations);

/**
 * Label of a node.
 *
 * self  done job
 * node  index of the node
 *
 * Returns its class; CAIRN_SPREAD_UNKNOWN when no walk reaches it or the index is not known. Work: O(1).
 */
uint8_t cairn_spread_get_label(const cairn_spread_t *self, uint32_t node);

/**
 * How clear the label of a node is: 1 - second best score / best score.
 *
 * self  done job
 * node  index of the node
 *
 * Returns 0 (a tie, or unknown) to 1 (no other class reaches the node). Work: O(1).
 */
cairn_real cairn_spread_get_margin(const cairn_spread_t *self, uint32_t node);

/**
 * Score of a node in a class. MultiRankWalk with one class, every node a seed: its PageRank.
 *
 * self   done job
 * node   index of the node
 * class_index  with kept scores any class; else only the last one
 *
 * Returns the score, 0 for an unknown node or class. Work: O(1).
 */
cairn_real cairn_spread_get_score(const cairn_spread_t *self, uint32_t node, uint8_t class_index);

/**
 * Rounds of the class that took most.
 *
 * self  done job
 *
 * Returns the number. Work: O(1).
 */
uint32_t cairn_spread_get_rounds(const cairn_spread_t *self);

#ifdef __cplusplus
}
#endif
#endif
