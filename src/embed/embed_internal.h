/* SPDX-License-Identifier: MIT
 * What the files of embed share. Arrays over landmarks are padded to whole blocks, so that inner loops have a constant
 * length; the padding has weight 0 and image 0. */
#ifndef CAIRN_EMBED_INTERNAL_H
#define CAIRN_EMBED_INTERNAL_H

#include "cairn/embed.h"
#include "core/rows_internal.h"

/* No landmark; a macro, for an enumerator of 65535 would not fit in an int of 16 bits. */
#define EMBED_NOBODY UINT16_MAX

/* Vectors of k. */
enum { VECTOR_X, VECTOR_U, VECTOR_G, VECTOR_HU, VECTOR_P, VECTOR_TRIAL, VECTOR_FIRST, VECTOR_RELAX, N_VECTORS };

static inline cairn_real *embed_vector(const cairn_embed_t *self, size_t which)
{
    return self->vectors + which * self->dim;
}

/* Reals from one landmark's source to the next. */
static inline size_t embed_row(const cairn_embed_cfg_t *cfg)
{
    return cfg->metric->keep != NULL ? CAIRN_EMBED_KEPT(cfg->n_features) : cfg->n_features;
}

static inline cairn_real *embed_source(const cairn_embed_t *self, size_t i)
{
    return self->source + i * embed_row(self->cfg);
}

/* Distance of landmarks i and j < i in the packed store. */
static inline cairn_real *embed_stored(const cairn_embed_t *self, size_t i, size_t j)
{
    return self->stored + i * (i - 1u) / 2u + j;
}

/* embed_kernel: out_j = sum_a (x_a - image_aj)^2 */
void cairn_embed_squares(const cairn_embed_t *self, const cairn_real *x, cairn_real *out);
/* Distances of a vector to n landmarks from the first-th on. */
void cairn_embed_measure(const cairn_embed_t *self, const cairn_real *p, size_t first, size_t n, cairn_real *out);
/* The source of landmark i becomes a vector. */
void cairn_embed_set_source(cairn_embed_t *self, size_t i, const cairn_real *features);

/* m = m^-1 for a symmetric positive definite [k x k] matrix. */
void cairn_embed_invert(cairn_real *m, size_t k);

/* embed_step: x = start from ranges; one step from x, returns the cost it leads to; the step alone, into VECTOR_P, half the
 * slope of the cost along it, returns the cost at x; the cost at any x: weighted squared residuals, with the weights as they
 * are; the pulls of the landmarks, w_j (f_j - r_j) / f_j, go into self->along, and their sum. */
void cairn_embed_triangulate(cairn_embed_t *self, cairn_real scale, cairn_real *x);
cairn_real cairn_embed_descend(cairn_embed_t *self);
cairn_real cairn_embed_aim(cairn_embed_t *self, cairn_real *slope);
/* Lowest point of the parabola through a cost, half its slope, and the cost at a share of the step. */
cairn_real cairn_embed_best_share(cairn_real before, cairn_real slope, cairn_real cost, cairn_real share);
cairn_real cairn_embed_find_cost(cairn_embed_t *self, const cairn_real *x);
/* The same a share of a step away from VECTOR_X, which place goes into VECTOR_TRIAL. */
cairn_real cairn_embed_try(cairn_embed_t *self, cairn_real share, const cairn_real *step);

/* embed_start: begin; one row of the present stage. */
void cairn_embed_begin_start(cairn_embed_t *self);
void cairn_embed_start_row(cairn_embed_t *self);
/* Ranges of a landmark to all others, into self->range; its own is 0. */
void cairn_embed_read_row(cairn_embed_t *self, size_t i);
/* Weight 1 for every landmark. */
void cairn_embed_set_all(cairn_embed_t *self);
/* Weights of the others, whose ranges are at hand, as landmark i at x sees them; cairn_embed_set_all puts them back. */
void cairn_embed_set_others(cairn_embed_t *self, size_t i, bool late);
/* x = image of landmark i; column i of images [k x padded] = x */
void cairn_embed_get_image(const cairn_embed_t *self, size_t i, cairn_real *x);
void cairn_embed_put(const cairn_embed_t *self, const cairn_real *x, cairn_real *images, size_t i);
/* The factor of the triangulation, by the running ratio, which begins again. */
void cairn_embed_set_scale(cairn_embed_t *self);

/* embed_landmarks: centre, spread, squares and inverse anew; a vector becomes a landmark while there is room. */
void cairn_embed_renew(cairn_embed_t *self);
cairn_status cairn_embed_collect(cairn_embed_t *self, const cairn_real *features);
/* A later one is put where the policy says; when it is not wanted, half a relax step. */
void cairn_embed_offer(cairn_embed_t *self, const cairn_real *features);

#endif
