/* SPDX-License-Identifier: MIT
 * An endless stream of links through a bounded graph: now and then every node gets a label anew, and those that have
 * changed are printed. What a label is, the command says. */
#ifndef CLI_LINK_WINDOW_H
#define CLI_LINK_WINDOW_H

#include "args.h"
#include "cairn/walk.h"
#include "group_map.h"
#include "link_source.h"

enum { LINK_WINDOW_OPTIONS = 4, LINK_WINDOW_NONE = 255 };

typedef struct link_window {
    uint64_t n_links; /* of the bounded graph; 0: no window */
    uint64_t n_nodes; /* 0: a tenth of n_links */
    uint64_t every;   /* links between queries, 0: a quarter of n_links */
    size_t policy;
} link_window_t;

/* What a command makes of the links kept. */
typedef struct link_window_task {
    const char *command; /* "cairn cluster" */
    void *context;
    bool (*begin)(void *context, size_t n_nodes); /* room for so many nodes; false: the reason has been printed */
    /* Labels [n_nodes], LINK_WINDOW_NONE where there is none, and, when x is not NULL, places; false: it failed. */
    bool (*query)(void *context, const cairn_walk_t *walk, uint8_t *label, double *x, double *y);
    unsigned k;
    char (*name)[32]; /* [k] of the labels; NULL: they have numbers */
    uint64_t seed;    /* of samples */
    const char *out;
    const char *svg; /* drawn anew after every query; NULL: none */
} link_window_task_t;

/* What commands on graphs have in common. */
typedef struct link_arguments {
    link_source_t source;
    link_window_t window;
    const char *truth;
    const char *out;
    const char *svg;
} link_arguments_t;

enum { LINK_OPTIONS = LINK_SOURCE_OPTIONS + 2 + LINK_WINDOW_OPTIONS };

/* Parse a command's own options and, round them, those that all such commands have. Returns false when the command is
 * done, with its exit code: wrong usage, which has been said, or help. */
bool link_arguments_parse(link_arguments_t *self, const args_help_t *help, int argc, char **argv,
                          const args_option_t *own, size_t n_own, int *code);

/* Read the stream to its end. Returns the exit code. */
int link_window_run(const link_window_t *self, const link_source_t *source, const link_window_task_t *task);

#endif
