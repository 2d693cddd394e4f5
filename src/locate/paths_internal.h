/* SPDX-License-Identifier: MIT
 * Shortest paths over the measured ranges from one source, in slices. */
#ifndef CAIRN_PATHS_INTERNAL_H
#define CAIRN_PATHS_INTERNAL_H

#include "cairn/locate.h"

#define PATHS_BUCKETS 64u
#define PATHS_NONE    UINT32_MAX /* end of a list; also: not queued */

/* Words of a node, side by side for the cache: the length of its path, and its neighbours in its bucket. */
#define PATHS_WORDS    3u
#define PATHS_LENGTH   0u /* metres; negative: not reached */
#define PATHS_NEXT     1u
#define PATHS_PREVIOUS 2u

/* A search. The arrays are the caller's: nodes [PATHS_WORDS n_nodes], heads [PATHS_BUCKETS]. */
typedef struct paths {
    const cairn_network_t *network;
    cairn_word_t *nodes;
    cairn_word_t *heads;
    cairn_real inverse; /* of the width of a bucket */
    uint32_t bucket;    /* the nearest bucket that may hold nodes */
    uint32_t n_queued;
    uint32_t pops_left;
} paths_t;

/* Attach to a network and to arrays, with the longest range of the network, > 0. The queue's state (bucket, n_queued,
 * pops_left) is the caller's to keep between slices. */
void cairn_paths_resume(paths_t *self, const cairn_network_t *network, cairn_word_t *words, cairn_word_t *heads,
                        cairn_real longest_m);

/* Start a search from a node. Work: O(n_nodes). */
void cairn_paths_begin(paths_t *self, uint32_t source);

/* Settle nodes until about `operations` links have been looked at; returns what is left of the budget (may be below 0).
 * The distances are final once n_queued is 0. */
int32_t cairn_paths_step(paths_t *self, int32_t operations);

static inline cairn_real paths_length_m(const cairn_word_t *words, uint32_t node)
{
    return words[PATHS_WORDS * (size_t)node + PATHS_LENGTH].real;
}

#endif
