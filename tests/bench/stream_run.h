/* SPDX-License-Identifier: MIT
 * Streams of links through the library's bounded graph of 256 nodes and its clustering with the setting for small devices,
 * in float and, from a second copy of it, in double. */
#ifndef BENCH_STREAM_RUN_H
#define BENCH_STREAM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STREAM_NODES = 256, STREAM_LINKS_MAX = 2048, STREAM_GROUPS = 4 };

typedef struct stream_options {
    int policy; /* a cairn_graph_policy */
    size_t n_links;
    double half_life;
    bool distinct;
    uint64_t seed;
} stream_options_t;

/* One copy; there is one stream at a time. */
typedef struct stream_run {
    void (*begin)(const stream_options_t *options);    /* an empty graph, no labels */
    void (*add)(uint32_t a, uint32_t b, float weight); /* ids below STREAM_NODES */
    void (*cluster)(uint64_t seed, uint8_t *label);    /* [STREAM_NODES], by id */
} stream_run_t;

extern const stream_run_t stream_run_float;
extern const stream_run_t stream_run_double;

#endif
