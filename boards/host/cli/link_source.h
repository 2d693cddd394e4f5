/* SPDX-License-Identifier: MIT
 * Where a command on graphs takes its links from: a file of links, or points and their similarity. */
#ifndef CLI_LINK_SOURCE_H
#define CLI_LINK_SOURCE_H

#include "args.h"
#include "link_table.h"

enum { LINK_SOURCE_OPTIONS = 5 };

typedef struct link_source {
    const char *links;
    const char *points;
    uint64_t n_nearest;
    size_t similarity;
    double sigma;
} link_source_t;

/* Set the defaults and fill in the options that all such commands have. */
void link_source_options(link_source_t *self, args_option_t options[LINK_SOURCE_OPTIONS]);

/* False: not exactly one of the two files was given, which has been said. */
bool link_source_check(const link_source_t *self, const char *command);

/* False: bad data, the reason has been printed. */
bool link_source_read(const link_source_t *self, link_table_t *links);

/* The file's name without its folder, for a drawing. */
const char *link_source_title(const link_source_t *self);

#endif
