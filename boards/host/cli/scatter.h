/* SPDX-License-Identifier: MIT
 * Drawing of points in the plane, coloured by a label. */
#ifndef CLI_SCATTER_H
#define CLI_SCATTER_H

#include <stddef.h>

#include "output.h"

typedef struct scatter {
    const float *place; /* [n x dim] the first two coordinates are drawn */
    size_t n;
    size_t dim;
    const char *const *label; /* [n] or NULL: one colour */
    const char *const *name;  /* [n] or NULL: tooltips, and texts beside few points */
    const char *title;
    const char *subtitle;
} scatter_t;

void scatter_draw(output_t *out, const scatter_t *scene);

#endif
