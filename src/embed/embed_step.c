/* SPDX-License-Identifier: MIT
 * Placing one vector. Start: linear triangulation from squared distances (Torgerson's scaling of landmarks; de Silva and
 * Tenenbaum 2004), times a calibrated factor. Step: the gradient of sum (f - r)^2, preconditioned. The Gauss-Newton Hessian
 * is a sum of unit directions, about (l/k) I, which RECENTER takes for l I; with 1/f^2 averaged it is l / (t + |u|^2) times
 * (M + u u^T), M the covariance of the images, t its trace, u = x - c, which changes only when landmarks do. Its length
 * is that of the lowest point of a parabola where it is far off; RECENTER itself is what remains when it does not help. */
#include "embed/embed_internal.h"

#define NEAREST_SHARE 1e-4f /* of the images' extent: below it a direction to an image is not trusted */
#define NEAR_SHARE    0.25f /* of the step: what the first try may be off the best */
#define SHARE_MOST    2
#define TRIES_MORE    6

/* h_j = half of what |y_j - c|^2 exceeds the squared distance by; returns the weighted mean. */
static cairn_real find_excess(const cairn_embed_t *self, cairn_real *restrict h)
{
    const cairn_real *square = self->square;
    const cairn_real *range = self->range;
    cairn_real sum;

    EACH_IN_ROW(self->padded) { h[j] = 0.5f * (square[j] - range[j] * range[j]); }
    cairn_rows_dot(h, self->weight, 1, self->padded, self->padded, &sum);
    return sum / self->weight_sum;
}

static void centre_excess(const cairn_embed_t *self, cairn_real mean, cairn_real *restrict h)
{
    const cairn_real *weight = self->weight;

    EACH_IN_ROW(self->padded) { h[j] = weight[j] * (h[j] - mean); }
}

/* Mean of the images weighted by the excesses, times the inverse: linear triangulation. */
void cairn_embed_triangulate(cairn_embed_t *self, cairn_real scale, cairn_real *x)
{
    const size_t k = self->dim;
    const size_t n = self->padded;
    cairn_real *h = self->along;
    cairn_real *product = embed_vector(self, VECTOR_G);
    const cairn_real mean = find_excess(self, h);
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

    cairn_rows_dot(self->along, self->image, self->dim, self->padded, self->padded, g);
    for (size_t a = 0; a < self->dim; ++a) {
        g[a] = x[a] * sum - g[a];
    }
    return cost;
}

/* The preconditioned step from the gradient. */
static void find_step(cairn_embed_t *self)
{
    const size_t k = self->dim;
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

/* Least squared distance that has a direction. */
static cairn_real find_least(const cairn_embed_t *self)
{
    return NEAREST_SHARE * NEAREST_SHARE * self->spread2 + 1e-30f;
}

cairn_real cairn_embed_find_cost(cairn_embed_t *self, const cairn_real *x)
{
    cairn_embed_squares(self, x, self->distance2);
    return cost_along(self, 0, 0, find_least(self));
}

cairn_real cairn_embed_aim(cairn_embed_t *self)
{
    cairn_real cost;

    cairn_embed_squares(self, embed_vector(self, VECTOR_X), self->distance2);
    cost = find_gradient(self, find_least(self));
    find_step(self);
    return cost;
}

cairn_real cairn_embed_best_share(cairn_real before, cairn_real slope, cairn_real cost, cairn_real share)
{
    const cairn_real bend = cost - before - 2 * slope * share;

    return bend > 0 ? cairn_min(-slope * share * share / bend, SHARE_MOST) : share;
}

cairn_real cairn_embed_descend(cairn_embed_t *self)
{
    const size_t k = self->dim;
    const cairn_real least = find_least(self);
    cairn_real *x = embed_vector(self, VECTOR_X);
    const cairn_real *g = embed_vector(self, VECTOR_G);
    const cairn_real *p = embed_vector(self, VECTOR_P);
    cairn_real length2;
    cairn_real slope;
    cairn_real share;
    cairn_real next = 1;
    cairn_real before;
    cairn_real cost;
    int n_tries = 0;
    bool again;

    if (!(self->weight_sum > 0)) {
        return 0;
    }
    before = cairn_embed_aim(self);
    cairn_embed_along(self, x, p, self->along);
    length2 = cairn_dot(p, p, k);
    slope = cairn_dot(g, p, k);
    do {
        share = next;
        cost = cost_along(self, share, length2, least);
        next = cairn_embed_best_share(before, slope, cost, share);
        again = !(cost <= before) || (n_tries == 0 && cairn_abs(next - share) > NEAR_SHARE);
    } while (again && n_tries++ < TRIES_MORE);
    self->tried_again = n_tries > 0;
    for (size_t a = 0; a < k; ++a) {
        x[a] += cost <= before ? share * p[a] : -g[a] / self->weight_sum;
    }
    if (!(cost <= before)) {
        ++self->counters.n_plain_steps;
        cost = cairn_embed_find_cost(self, x);
    }
    return cost;
}
