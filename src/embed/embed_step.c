/* SPDX-License-Identifier: MIT
 * Placing one vector. Start: linear triangulation from squared distances (Torgerson's scaling of landmarks; de Silva and
 * Tenenbaum 2004), times a calibrated factor. Step: the gradient of sum (f - r)^2, preconditioned. The Gauss-Newton Hessian
 * is a sum of unit directions, about (l/k) I, which RECENTER takes for l I; with 1/f^2 averaged it is l / (t + |u|^2) times
 * (M + u u^T), M the covariance of the images, t its trace, u = x - c, which changes only when landmarks do. An exact line
 * search makes the step safe, RECENTER itself is what remains when it does not help. */
#include "embed/embed_internal.h"

#define NEAREST_SHARE 1e-4f /* of the images' extent: below it a direction to an image is not trusted */
#define HALVINGS      6

/* Cost along the step, and its derivatives by half. */
typedef struct line {
    cairn_real cost;
    cairn_real slope;
    cairn_real curvature;
} line_t;

void cairn_embed_triangulate(cairn_embed_t *self, cairn_real scale, cairn_real *x)
{
    const size_t k = self->cfg->dim;
    const size_t n = self->padded;
    cairn_real *h = self->along;
    cairn_real *b = embed_vector(self, VECTOR_G);
    cairn_real mean;
    cairn_real farthest;
    cairn_real square;

    for (size_t j = 0; j < n; ++j) {
        h[j] = 0.5f * (self->square[j] - self->range[j] * self->range[j]);
    }
    mean = cairn_embed_dot(h, self->weight, n) / self->weight_sum;
    for (size_t j = 0; j < n; ++j) {
        h[j] = self->weight[j] * (h[j] - mean);
    }
    for (size_t a = 0; a < k; ++a) {
        b[a] = cairn_embed_dot(h, self->image + a * n, n) / self->weight_sum;
    }
    cairn_embed_precondition(self, b, x);
    /* The mean squared distance is |x - c|^2 and the landmarks' spread: thin axes must not carry x beyond it. */
    farthest = cairn_max(0, self->spread2 - 2 * mean);
    square = scale * scale * cairn_dot(x, x, k);
    scale *= square > farthest ? cairn_sqrt(farthest / square) : 1;
    for (size_t a = 0; a < k; ++a) {
        x[a] = self->centre[a] + scale * x[a];
    }
}

/* The cost at a share of the step; square is its squared length. */
static line_t look_along(const cairn_embed_t *self, cairn_real share, cairn_real square, cairn_real least)
{
    cairn_real lanes[3][EMBED_BLOCK] = {{0}};
    line_t line = {0, 0, 0};

    for (size_t j = 0; j < self->padded; j += EMBED_BLOCK) {
        for (size_t l = 0; l < EMBED_BLOCK; ++l) {
            const cairn_real q = self->along[j + l];
            const cairn_real f2 = self->distance2[j + l] + share * (2 * q + share * square);
            const cairn_real f = cairn_sqrt(f2 > least ? f2 : least);
            const cairn_real residual = f - self->range[j + l];
            const cairn_real slope = (q + share * square) / f;
            const cairn_real weighted = self->weight[j + l] * residual;
            lanes[0][l] += weighted * residual;
            lanes[1][l] += weighted * slope;
            lanes[2][l] += self->weight[j + l] * slope * slope + weighted * (square - slope * slope) / f;
        }
    }
    for (size_t l = 0; l < EMBED_BLOCK; ++l) {
        line.cost += lanes[0][l];
        line.slope += lanes[1][l];
        line.curvature += lanes[2][l];
    }
    return line;
}

/* Gradient by half at x, from the squared distances. */
static void find_gradient(cairn_embed_t *self, cairn_real least)
{
    const cairn_real *x = embed_vector(self, VECTOR_X);
    cairn_real *g = embed_vector(self, VECTOR_G);
    cairn_real *c = self->along;
    cairn_real sum;

    for (size_t j = 0; j < self->padded; j += EMBED_BLOCK) {
        for (size_t l = 0; l < EMBED_BLOCK; ++l) {
            const cairn_real f2 = self->distance2[j + l];
            c[j + l] = self->weight[j + l] * (1 - self->range[j + l] / cairn_sqrt(f2 > least ? f2 : least));
        }
    }
    sum = 0;
    for (size_t j = 0; j < self->padded; ++j) {
        sum += c[j];
    }
    for (size_t a = 0; a < self->cfg->dim; ++a) {
        g[a] = x[a] * sum - cairn_embed_dot(c, self->image + a * (size_t)self->padded, self->padded);
    }
}

/* The preconditioned step from the gradient. */
static void find_step(cairn_embed_t *self)
{
    const size_t k = self->cfg->dim;
    const cairn_real *x = embed_vector(self, VECTOR_X);
    const cairn_real *hg = embed_vector(self, VECTOR_HG);
    const cairn_real *hu = embed_vector(self, VECTOR_HU);
    cairn_real *u = embed_vector(self, VECTOR_U);
    cairn_real *p = embed_vector(self, VECTOR_P);
    cairn_real share;
    cairn_real factor;

    for (size_t a = 0; a < k; ++a) {
        u[a] = x[a] - self->centre[a];
    }
    cairn_embed_precondition(self, embed_vector(self, VECTOR_G), embed_vector(self, VECTOR_HG));
    cairn_embed_precondition(self, u, embed_vector(self, VECTOR_HU));
    share = cairn_dot(u, hg, k) / (1 + cairn_max(0, cairn_dot(u, hu, k)));
    factor = -(self->spread2 + cairn_dot(u, u, k)) / self->weight_sum;
    for (size_t a = 0; a < k; ++a) {
        p[a] = factor * (hg[a] - share * hu[a]);
    }
}

/* The share of the step to go, by one Newton step on it from 1; 0 when it does not lower the cost. */
static cairn_real search(const cairn_embed_t *self, cairn_real square, cairn_real least)
{
    const cairn_real before = look_along(self, 0, 0, least).cost;
    const line_t line = look_along(self, 1, square, least);
    cairn_real share = line.curvature > 0 ? 1 - line.slope / line.curvature : 1;

    for (int i = 0; i <= HALVINGS; ++i) {
        if (look_along(self, share, square, least).cost <= before) {
            return share;
        }
        share *= 0.5f;
    }
    return 0;
}

void cairn_embed_descend(cairn_embed_t *self)
{
    const size_t k = self->cfg->dim;
    const cairn_real least = NEAREST_SHARE * NEAREST_SHARE * self->spread2 + 1e-30f;
    cairn_real *x = embed_vector(self, VECTOR_X);
    const cairn_real *g = embed_vector(self, VECTOR_G);
    const cairn_real *p = embed_vector(self, VECTOR_P);
    cairn_real share;

    if (!(self->weight_sum > 0)) {
        return;
    }
    cairn_embed_squares(self, x, self->distance2);
    find_gradient(self, least);
    find_step(self);
    cairn_embed_along(self, x, p, self->along);
    share = search(self, cairn_dot(p, p, k), least);
    for (size_t a = 0; a < k; ++a) {
        x[a] += share > 0 ? share * p[a] : -g[a] / self->weight_sum;
    }
    self->counters.n_plain_steps += share > 0 ? 0u : 1u;
}

void cairn_embed_find_residual(cairn_embed_t *self)
{
    cairn_real sum = 0;

    cairn_embed_squares(self, embed_vector(self, VECTOR_X), self->distance2);
    for (size_t j = 0; j < self->n_held; ++j) {
        const cairn_real residual = cairn_sqrt(self->distance2[j]) - self->range[j];
        sum += self->weight[j] * residual * residual;
    }
    self->residual = cairn_sqrt(sum / cairn_max(self->weight_sum, 1));
}
