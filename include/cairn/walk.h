/* SPDX-License-Identifier: MIT
 * Random walks: products with a symmetric matrix of weights that is seen as runs of links or as a product of factors. */
#ifndef CAIRN_WALK_H
#define CAIRN_WALK_H

#include "cairn/real.h"
#include "cairn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_WALK_COLUMNS_MAX 8u

/** A run of links: a row (one node to many) or a piece of a list. Each link stands for both directions. */
typedef struct cairn_run {
    uint32_t n;              /* links */
    uint32_t node;           /* row: the end that all share */
    uint32_t first;          /* row without other16 and other32: link e goes to node first + e */
    const uint16_t *node16;  /* list: [n] one end of each; NULL: a row */
    const uint16_t *other16; /* [n] the other end, NULL: other32 or first */
    const uint32_t *other32;
    const cairn_real *weight; /* [n] >= 0; NULL: 1 each */
    const cairn_real *degree; /* NULL, or [n_nodes]: of a priority sample; weights are then at least
                                  threshold / (1 / degree of one + 1 / degree of the other) */
    cairn_real threshold;
} cairn_run_t;

typedef struct cairn_walk cairn_walk_t;

/** Fill in run number `part` of a walk. */
typedef void (*cairn_walk_run_fn)(const cairn_walk_t *self, uint32_t part, cairn_run_t *run);

/** Add the product of parts [begin, end) with n_columns vectors, interleaved [n_nodes][n_columns], to y. */
typedef void (*cairn_walk_multiply_fn)(const cairn_walk_t *self, uint32_t begin, uint32_t end, size_t n_columns,
                                       const cairn_real *x, cairn_real *y);

/**
 * A symmetric non-negative matrix A. Fill it with cairn_graph_walk, cairn_half_walk or cairn_factor_walk; valid as long
 * as what it was made from does not change.
 */
struct cairn_walk {
    uint32_t n_nodes;
    uint32_t n_parts;                /* a pass is the parts 0 .. n_parts - 1, in this order */
    cairn_real n_links;              /* pairs, for the mean weight and the budget; may be estimated */
    const void *context;             /* of run or multiply */
    void *scratch;                   /* of multiply; NULL when there is none */
    const uint32_t *id;              /* [n_nodes] what start vectors are hashed from; NULL: the index */
    bool stochastic;                 /* products are steps already, see cairn_compose_walk: degrees count as 1 */
    cairn_walk_run_fn run;           /* NULL: no links to look at, only products */
    cairn_walk_multiply_fn multiply; /* never NULL */
};

/**
 * Add the product of some parts of a matrix of links to y: the multiply of every walk that has runs.
 *
 * self        walk with run
 * begin, end  parts, begin <= end <= n_parts
 * n_columns   1 to CAIRN_WALK_COLUMNS_MAX
 * x           [n_nodes][n_columns]
 * y           [n_nodes][n_columns] in and out; must not overlap x
 *
 * Work: 2 n_columns multiply-adds a link.
 */
void cairn_walk_multiply_runs(const cairn_walk_t *self, uint32_t begin, uint32_t end, size_t n_columns,
                              const cairn_real *x, cairn_real *y);

/**
 * Other end of a link of a run.
 *
 * run  of a walk
 * e    < run->n
 *
 * Returns the node. Work: O(1).
 */
static inline uint32_t cairn_run_other(const cairn_run_t *run, uint32_t e)
{
    return run->other16 != NULL ? run->other16[e] : run->other32 != NULL ? run->other32[e] : run->first + e;
}

/**
 * One end of a link of a run.
 *
 * run  of a walk
 * e    < run->n
 *
 * Returns the node. Work: O(1).
 */
static inline uint32_t cairn_run_node(const cairn_run_t *run, uint32_t e)
{
    return run->node16 != NULL ? run->node16[e] : run->node;
}

/**
 * Weight of a link of a run.
 *
 * run  of a walk
 * e    < run->n
 *
 * Returns the weight. Work: O(1).
 */
cairn_real cairn_run_weight(const cairn_run_t *run, uint32_t e);

/** A large batch graph: each link once, in rows; 2 bytes a link up to 65,536 nodes. */
typedef struct cairn_half {
    uint32_t n_nodes;
    const uint32_t *start;    /* [n_nodes + 1] */
    const uint16_t *other16;  /* [start[n_nodes]], NULL: other32 */
    const uint32_t *other32;  /* the same for more nodes */
    const cairn_real *weight; /* the same length, NULL: 1 each */
} cairn_half_t;

/**
 * See half rows as a matrix to walk on.
 *
 * self  rows; start not falling, ends below n_nodes, no link from a node to itself. The caller's data: not checked
 * walk  out, every field is written
 *
 * CAIRN_OK       ready
 * CAIRN_ERR_ARG  NULL, or no other end is given
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_half_walk(const cairn_half_t *self, cairn_walk_t *walk);

/**
 * First half of building half rows: count the links of each row; each link goes to the row of its lower end.
 *
 * start    [n_nodes + 1] in and out; cleared by the caller before the first call
 * n_nodes  at least 1
 * a, b     [n_links] ends, < n_nodes, different
 * n_links  any
 *
 * CAIRN_OK              counted
 * CAIRN_ERR_ARG         NULL
 * CAIRN_ERR_UNKNOWN_ID  an end is not below n_nodes; links before it are counted
 * CAIRN_ERR_SELF        a link from a node to itself; links before it are counted
 *
 * Work: one pass.
 */
CAIRN_MUST_CHECK cairn_status cairn_half_count(uint32_t *start, uint32_t n_nodes, const uint32_t *a, const uint32_t *b,
                                               size_t n_links);

/**
 * Between the halves: turn counts into starts. Call once, after all links have been counted.
 *
 * start    [n_nodes + 1] in: counts; out: where each row will end as it is filled from its end
 * n_nodes  as before
 *
 * Work: one pass over the nodes.
 */
void cairn_half_starts(uint32_t *start, uint32_t n_nodes);

/**
 * Second half: put the same links into their rows. After all of them start holds the starts of the rows.
 *
 * start    [n_nodes + 1] of cairn_half_starts, updated
 * a, b     [n_links] the links, as counted
 * n_links  any
 * other16  [all links] out, or NULL
 * other32  [all links] out, or NULL; exactly one of the two is given
 *
 * Work: one pass.
 */
void cairn_half_fill(uint32_t *start, const uint32_t *a, const uint32_t *b, size_t n_links, uint16_t *other16,
                     uint32_t *other32);

/**
 * Fewest words of work memory for cairn_half_fill_blocks.
 *
 * n_nodes  1 to 2^24
 *
 * Returns the words, 512 at most up to 2^20 nodes; 0 for another n_nodes. Work: O(1).
 */
size_t cairn_half_blocks_words(uint32_t n_nodes);

/**
 * The same as cairn_half_fill, for rows much larger than the caches: two to three times as fast for 100 million links in
 * 400 MB, no faster for 25 million in 50 MB.
 *
 * start    [n_nodes + 1] of cairn_half_starts, updated
 * n_nodes  as before, at most 2^24
 * a, b     [n_links] the links, as counted; so many links go at a time as there is work memory for
 * n_links  any
 * work     [n_work] scratch, must not overlap another array
 * n_work   at least cairn_half_blocks_words(n_nodes); a word for one link in eight is a good measure
 * other16  [all links] out, or NULL; for 65,536 nodes at most
 * other32  [all links] out, or NULL; exactly one of the two is given
 *
 * CAIRN_OK        filled in
 * CAIRN_ERR_ARG   NULL (a and b may be without links), both of other16 and other32, or n_nodes out of range
 * CAIRN_ERR_SIZE  work is too short
 *
 * Work: three passes over the links, and one over 256 blocks (more above 2^20 nodes) each time work is full.
 */
CAIRN_MUST_CHECK cairn_status cairn_half_fill_blocks(uint32_t *start, uint32_t n_nodes, const uint32_t *a,
                                                     const uint32_t *b, size_t n_links, uint32_t *work, size_t n_work,
                                                     uint16_t *other16, uint32_t *other32);

#ifdef __cplusplus
}
#endif
#endif
