/* SPDX-License-Identifier: MIT
 * Landmarks among themselves, one row of distances at a time. From random images Y on, rounds of triangulation, each landmark
 * by the images of all, and half of the way there: Y -> (Y + B Y (Y^T Y)^-1) / 2, B the doubly centred squared distances. In
 * the leading eigenspace this is Newton's iteration for the root of the eigenvalues, so it ends in classical scaling; other
 * directions shrink, those of negative eigenvalues up to 3 times as large included, and axes without extent are left a trace
 * to grow from. Then Gauss-Seidel sweeps of the step that places vectors, and the factor by which triangulation falls short. */
#include "embed/embed_internal.h"

#define TRIANGULATIONS 10
#define SWEEPS         4
#define ROBUST_SWEEPS  20

void cairn_embed_read_row(cairn_embed_t *self, size_t i)
{
    const size_t n = self->n_held;
    const cairn_real *stored = self->stored; /* then row i of the triangle, then down column i */
    cairn_real *range = self->range;

    if (stored == NULL) {
        cairn_embed_measure(self, embed_source(self, i), 0, n, range);
        range[i] = 0;
        return;
    }
    stored += i * (i - 1u) / 2u;
    memcpy(range, stored, i * sizeof *range);
    range[i] = 0;
    stored += 2 * i;
    for (size_t j = i + 1u; j < n; ++j) {
        range[j] = *stored;
        stored += j;
    }
}

void cairn_embed_set_all(cairn_embed_t *self)
{
    const size_t n = self->n_held;

    for (cairn_real *weight = self->weight, *end = weight + n; weight < end; ++weight) {
        *weight = 1;
    }
    self->weight_sum = (cairn_real)n;
}

void cairn_embed_set_others(cairn_embed_t *self, size_t i, bool late)
{
    self->weight[i] = 0;
    self->weight_sum -= 1;
    if (self->cfg->robust != NULL) {
        self->cfg->robust->weigh(self, i, late);
    }
}

void cairn_embed_get_image(const cairn_embed_t *self, size_t i, cairn_real *x)
{
    for (size_t a = 0; a < self->dim; ++a) {
        x[a] = self->image[a * self->padded + i];
    }
}

void cairn_embed_put(const cairn_embed_t *self, const cairn_real *x, cairn_real *images, size_t i)
{
    for (size_t a = 0; a < self->dim; ++a) {
        images[a * self->padded + i] = x[a];
    }
}

/* Where triangulation puts a landmark; how far that is from the centre, beside where it is. */
static void triangulate_row(cairn_embed_t *self, size_t i)
{
    cairn_real *x = embed_vector(self, VECTOR_X);
    cairn_real *image = embed_vector(self, VECTOR_TRIAL);

    cairn_embed_get_image(self, i, image);
    if (self->cfg->robust != NULL) {
        cairn_embed_get_image(self, i, x);
        self->cfg->robust->retry(self, 1);
    } else {
        cairn_embed_triangulate(self, 1, x);
    }
    for (size_t a = 0; a < self->dim; ++a) {
        const cairn_real tried = x[a] - self->centre[a];
        self->ratio_num += tried * (image[a] - self->centre[a]);
        self->ratio_den += tried * tried;
        x[a] = 0.5f * (x[a] + image[a]);
    }
    if (self->stage == CAIRN_EMBED_TRIANGULATE) {
        cairn_embed_put(self, x, self->second, i);
    }
}

static void sweep_row(cairn_embed_t *self, size_t i)
{
    cairn_real *x = embed_vector(self, VECTOR_X);

    cairn_embed_get_image(self, i, x);
    cairn_embed_set_others(self, i, self->pass >= ROBUST_SWEEPS / 2);
    (void)cairn_embed_descend(self);
    cairn_embed_set_all(self);
    cairn_embed_put(self, x, self->image, i);
}

static void end_round(cairn_embed_t *self)
{
    ++self->pass;
    if (self->stage == CAIRN_EMBED_TRIAL) {
        cairn_embed_set_scale(self);
        self->stage = CAIRN_EMBED_READY;
        return;
    }
    if (self->stage == CAIRN_EMBED_TRIANGULATE) {
        memcpy(self->image, self->second, self->dim * (size_t)self->padded * sizeof *self->image);
        if (self->pass == TRIANGULATIONS) {
            self->pass = 0;
            self->stage = self->cfg->rounds > 0 ? CAIRN_EMBED_SWEEP : CAIRN_EMBED_READY;
        }
    } else if (self->pass == (self->cfg->robust != NULL ? ROBUST_SWEEPS : SWEEPS)) {
        self->stage = CAIRN_EMBED_TRIAL;
    }
    cairn_embed_renew(self);
    self->ratio_num = 0;
    self->ratio_den = 0;
}

void cairn_embed_begin_start(cairn_embed_t *self)
{
    cairn_embed_set_all(self);
    cairn_embed_renew(self);
    self->stage = CAIRN_EMBED_TRIANGULATE;
    self->cursor = 0;
    self->pass = 0;
}

void cairn_embed_start_row(cairn_embed_t *self)
{
    const size_t i = self->cursor;

    if (self->stage == CAIRN_EMBED_TRIANGULATE && self->pass == 0 && self->cfg->robust != NULL &&
        self->stored != NULL) {
        self->cfg->robust->repair(self, i);
    }
    cairn_embed_read_row(self, i);
    if (self->stage == CAIRN_EMBED_SWEEP) {
        sweep_row(self, i);
    } else {
        triangulate_row(self, i);
    }
    if (++self->cursor == self->n_held) {
        self->cursor = 0;
        end_round(self);
    }
}
