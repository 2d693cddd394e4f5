/* SPDX-License-Identifier: MIT
 * Links for a command on graphs, from a file or from points. */
#include "link_source.h"

#include <string.h>

static const char *const similarity_names[] = {"cosine", "gaussian", "nearest", NULL};

void link_source_options(link_source_t *self, args_option_t options[LINK_SOURCE_OPTIONS])
{
    const args_option_t filled[LINK_SOURCE_OPTIONS] = {
        args_text("--links", &self->links, "FILE", "links of a graph"),
        args_text("--points", &self->points, "FILE", "points, linked by similarity"),
        args_choice("--similarity", &self->similarity, similarity_names,
                    "of points: cosine (default), gaussian, nearest (linked to the\n--nearest points, either way)"),
        args_real("--sigma", &self->sigma, "S", 1e-12, 1e12, "width of gaussian, default 1"),
        args_count("--nearest", &self->n_nearest, "N", 1, 1000, "default 10"),
    };
    memset(self, 0, sizeof *self);
    self->n_nearest = 10;
    self->sigma = 1;
    memcpy(options, filled, sizeof filled);
}

bool link_source_check(const link_source_t *self, const char *command)
{
    if ((self->links == NULL) == (self->points == NULL)) {
        args_usage_error(command, "give --links or --points, one of them");
        return false;
    }
    return true;
}

bool link_source_read(const link_source_t *self, link_table_t *links)
{
    return self->links != NULL ? link_table_read(links, self->links)
                               : link_table_from_points(links, self->points, (link_similarity_t)self->similarity,
                                                        self->sigma, (size_t)self->n_nearest);
}

const char *link_source_title(const link_source_t *self)
{
    const char *path = self->links != NULL ? self->links : self->points;
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash != NULL ? slash + 1 : path;
}
