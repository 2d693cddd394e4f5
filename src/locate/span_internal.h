/* SPDX-License-Identifier: MIT
 * How far places span: centre, axes, and along how many of them. */
#ifndef CAIRN_SPAN_INTERNAL_H
#define CAIRN_SPAN_INTERNAL_H

#include "cairn/locate.h"
#include "cairn/vector.h"

typedef struct span {
    cairn_real centre_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real extent_m; /* largest distance from the centre */
    cairn_real scatter[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)];
    cairn_real variances[CAIRN_LOCATE_DIM_MAX];                   /* sums along the axes, ascending */
    cairn_real axes[CAIRN_LOCATE_DIM_MAX * CAIRN_LOCATE_DIM_MAX]; /* [dim x dim], a row each; the first is the normal
                                                                     of places in a plane */
    uint32_t n_axes;                                              /* dimensions that are spanned */
} span_t;

#define SPAN_SIDE_LEAST 1e-3f /* of the extent: a place nearer to the plane than that tells no side */

/* Of the anchors. Work: two passes over the nodes. */
void cairn_span_anchors(span_t *self, const cairn_network_t *network);

/* Of listed nodes. Work: twice the list. */
void cairn_span_listed(span_t *self, const cairn_network_t *network, const cairn_word_t *nodes, uint32_t n_listed);

/* Of a node's neighbours. */
void cairn_span_neighbours(span_t *self, const cairn_network_t *network, uint32_t node);

/* Of a place above the plane (in 2-D: line), along axes[0]. */
cairn_real cairn_span_height(const span_t *self, const cairn_real *place_m, size_t dim);

#endif
