/* SPDX-License-Identifier: MIT
 * Placing one vector. Start: linear triangulation from squared distances (Torgerson's scaling of landmarks; de Silva and
 * Tenenbaum 2004), times a calibrated factor. Step: the gradient of sum (f - r)^2, preconditioned. The Gauss-Newton Hessian
 * is a sum of unit directions, about (l/k) I, which RECENTER takes for l I; with 1/f^2 averaged it is l / (t + |u|^2) times
 * (M + u u^T), M the covariance of the images, t its trace, u = x - c, which changes only when landmarks do. An exact line
 * search makes the step safe, RECENTER itself is what remains when it does not help. */
#include "embed/embed_internal.h"

#define NEAREST_SHARE 1e-4f /* of the images' extent: below it a direction to an image is not trusted */
#define HALVINGS      6

/* h_j = half of what |y_j - c|^2 exceeds the squared distance by; returns the weighted sum. */
static cairn_real find_excess(const cairn_embed_t *self, cairn_real *restrict h)
{
    const cairn_real *square = self->square;
    const cairn_real *range = self->range;
    const cairn_real *weight = self->weight;
    cairn_real lanes[ROWS_LANES];

    rows_clear_lanes(lanes);
    EACH_IN_LANES(self->padded)
    {
        const cairn_real excess = 0.5f * (square[j] - range[j] * range[j]);
        lanes[lane] += excess * weight[j];
        h[j] = excess;
    }
    return rows_sum_lanes(lanes);
}

static void centre_excess(const cairn_embed_t *self, cairn_real mean, cairn_real *restrict h)
{
    const cairn_real *weight = self->weight;

    EACH_IN_ROW(self->padded) { h[j] = weight[j] * (h[j] - mean); }
}

/* Mean of the images weighted by the excesses, times the inverse: linear triangulation. */
void cairn_embed_triangulate(cairn_embed_t *self, cairn_real scale, cairn_real *x)
{
    const size_t k = self->cfg->dim;
    const size_t n = self->padded;
    cairn_real *h = self->along;
    cairn_real *product = embed_vector(self, VECTOR_G);
    const cairn_real mean = find_excess(self, h) / self->weight_sum;
    cairn_real farthest;
    cairn_real length2;

    centre_excess(self, mean, h);
    cairn_rows_dot(h, self->image, k, n, n, product);
    cairn_rows_dot(product, self->inverse, k, k, k, x);
    /* The mean squared distance is |x - c|^2 and the landmarks' spread: thin axes must not carry x beyond it. */
    scale /= self->weight_sum;
    farthest = cairn_max(0, self->spread2 - 2 * mean);
    length2 = scale * scale * cairn_dot(x, x, k);
    scale *= length2 > farthest ? cairn_sqrt(farthest / length2) : 1;
    for (size_t a = 0; a < k; ++a) {
        x[a] = self->centre[a] + scale * x[a];
    }
}

/* c_j = w_j (f_j - r_j) / f_j, and their sum; returns the cost. */
static cairn_real find_pulls(const cairn_embed_t *self, cairn_real least, cairn_real *restrict c, cairn_real *sum)
{
    const cairn_real *distance2 = self->distance2;
    const cairn_real *range = self->range;
    const cairn_real *weight = self->weight;
    cairn_real costs[ROWS_LANES];
    cairn_real sums[ROWS_LANES];

    rows_clear_lanes(costs);
    rows_clear_lanes(sums);
    EACH_IN_LANES(self->padded)
    {
        const cairn_real f = cairn_sqrt(cairn_max(distance2[j], least));
        const cairn_real residual = f - range[j];
        const cairn_real weighted = weight[j] * residual;
        costs[lane] += weighted * residual;
        sums[lane] += weighted / f;
        c[j] = weighted / f;
    }
    *sum = rows_sum_lanes(sums);
    return rows_sum_lanes(costs);
}

/* Gradient by half at x, from the squared distances; returns the cost. */
static cairn_real find_gradient(cairn_embed_t *self, cairn_real least)
{
    const cairn_real *x = embed_vector(self, VECTOR_X);
    cairn_real *g = embed_vector(self, VECTOR_G);
    cairn_real sum;
    const cairn_real cost = find_pulls(self, least, self->along, &sum);

    cairn_rows_dot(self->along, self->image, self->cfg->dim, self->padded, self->padded, g);
    for (size_t a = 0; a < self->cfg->dim; ++a) {
        g[a] = x[a] * sum - g[a];
    }
    return cost;
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
    cairn_rows_dot(embed_vector(self, VECTOR_G), self->inverse, k, k, k, embed_vector(self, VECTOR_HG));
    cairn_rows_dot(u, self->inverse, k, k, k, embed_vector(self, VECTOR_HU));
    share = cairn_dot(u, hg, k) / (1 + cairn_max(0, cairn_dot(u, hu, k)));
    factor = -(self->spread2 + cairn_dot(u, u, k)) / self->weight_sum;
    for (size_t a = 0; a < k; ++a) {
        p[a] = factor * (hg[a] - share * hu[a]);
    }
}

/* The cost at a share of the step; length2 is its squared length. */
static cairn_real cost_along(const cairn_embed_t *self, cairn_real share, cairn_real length2, cairn_real least)
{
    const cairn_real *along = self->along;
    const cairn_real *distance2 = self->distance2;
    const cairn_real *range = self->range;
    const cairn_real *weight = self->weight;
    const cairn_real twice = 2 * share;
    const cairn_real added = share * share * length2;
    cairn_real lanes[ROWS_LANES];

    rows_clear_lanes(lanes);
    EACH_IN_LANES(self->padded)
    {
        const cairn_real f2 = distance2[j] + (twice * along[j] + added);
        const cairn_real residual = cairn_sqrt(cairn_max(f2, least)) - range[j];
        lanes[lane] += weight[j] * residual * residual;
    }
    return rows_sum_lanes(lanes);
}

/* One Newton step on the share of the step, from 1. With c = w (f - r) / f the slope by half is sum c (q + p^2), and the
 * curvature sum c p^2 + (w - c) ((q + p^2) / f)^2. */
static cairn_real find_share(const cairn_embed_t *self, cairn_real length2, cairn_real least)
{
    const cairn_real *along = self->along;
    const cairn_real *distance2 = self->distance2;
    const cairn_real *range = self->range;
    const cairn_real *weight = self->weight;
    cairn_real slopes[ROWS_LANES];
    cairn_real curvatures[ROWS_LANES];
    cairn_real slope;
    cairn_real curvature;

    rows_clear_lanes(slopes);
    rows_clear_lanes(curvatures);
    EACH_IN_LANES(self->padded)
    {
        const cairn_real to = along[j] + length2;
        const cairn_real f2 = distance2[j] + (along[j] + to);
        const cairn_real inverse = 1 / cairn_sqrt(cairn_max(f2, least));
        const cairn_real pull = weight[j] * range[j] * inverse;
        slopes[lane] += (weight[j] - pull) * to;
        curvatures[lane] += (weight[j] - pull) * length2 + pull * (to * inverse) * (to * inverse);
    }
    slope = rows_sum_lanes(slopes);
    curvature = rows_sum_lanes(curvatures);
    return curvature > 0 ? 1 - slope / curvature : 1;
}

cairn_real cairn_embed_find_cost(cairn_embed_t *self, const cairn_real *x)
{
    cairn_embed_squares(self, x, self->distance2);
    return cost_along(self, 0, 0, 0);
}

cairn_real cairn_embed_descend(cairn_embed_t *self)
{
    const size_t k = self->cfg->dim;
    const cairn_real least = NEAREST_SHARE * NEAREST_SHARE * self->spread2 + 1e-30f;
    cairn_real *x = embed_vector(self, VECTOR_X);
    const cairn_real *g = embed_vector(self, VECTOR_G);
    const cairn_real *p = embed_vector(self, VECTOR_P);
    cairn_real length2;
    cairn_real share;
    cairn_real before;
    cairn_real cost;
    int n_tries = 0;

    if (!(self->weight_sum > 0)) {
        return 0;
    }
    cairn_embed_squares(self, x, self->distance2);
    before = find_gradient(self, least);
    find_step(self);
    cairn_embed_along(self, x, p, self->along);
    length2 = cairn_dot(p, p, k);
    share = find_share(self, length2, least);
    do {
        cost = cost_along(self, share, length2, least);
        share *= cost <= before ? 1 : 0.5f;
    } while (!(cost <= before) && n_tries++ < HALVINGS);
    for (size_t a = 0; a < k; ++a) {
        x[a] += cost <= before ? share * p[a] : -g[a] / self->weight_sum;
    }
    if (!(cost <= before)) {
        ++self->counters.n_plain_steps;
        cost = cairn_embed_find_cost(self, x);
    }
    return cost;
}
