/* SPDX-License-Identifier: MIT
 * Placing one vector. Start: linear triangulation from squared distances (Torgerson's scaling of landmarks; de Silva and
 * Tenenbaum 2004), times a calibrated factor. Step: the gradient of sum (f - r)^2, preconditioned. The Gauss-Newton Hessian
 * is a sum of unit directions, about (l/k) I, which RECENTER takes for l I; with 1/f^2 averaged it is l / (t + |u|^2) times
 * (M + u u^T), M the covariance of the images, t its trace, u = x - c, which changes only when landmarks do. Its length
 * is that of the lowest point of a parabola where it is far off; RECENTER itself is what remains when it does not help. */
#include "embed/embed_internal.h"

#define NEAREST2                                                                                                       \
    (CAIRN_REAL_EPSILON / 16) /* of the images' spread, added to squares: nearer, directions mean nothing */
#define NEAR_SHARE 0.25f      /* of the step: what the first try may be off the best */
#define SHARE_MOST 2
#define TRIES_MORE 6

/* Sum of the images weighted by h, times the inverse: linear triangulation. h_j = half of what |y_j - c|^2 exceeds the
 * squared distance by, less its mean, so that c may be the centre of images that have moved since. While landmarks are
 * triangulated they take the place of the ranges, for the next images lie where they lie otherwise. Weights must be 0 or
 * 1. */
void cairn_embed_triangulate(cairn_embed_t *self, cairn_real scale, cairn_real *x)
{
    const size_t k = self->dim;
    const size_t n = self->padded;
    const cairn_real *square = self->square;
    const cairn_real *range = self->range;
    const cairn_real *weight = self->weight;
    cairn_real *h = self->stage == CAIRN_EMBED_TRIANGULATE ? self->range : self->along;
    cairn_real *product = embed_vector(self, VECTOR_G);
    cairn_real mean;
    cairn_real farthest;
    cairn_real length2;

    EACH_IN_ROW(n) { h[j] = 0.5f * weight[j] * (square[j] - range[j] * range[j]); }
    cairn_rows_dot(h, weight, 1, n, n, &mean);
    mean /= self->weight_sum;
    cairn_rows_add(h, -mean, weight, n);
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
    if (!(self->spread2 > 0)) { /* with all landmarks in one place nothing says where to go: take the first axis */
        x[0] += cairn_sqrt(farthest);
    }
}

/* Squared distances become pulls; returns the cost. */
static cairn_real find_pulls(cairn_embed_t *self, cairn_real least, cairn_real *restrict pull)
{
    const size_t n = self->padded;
    cairn_real costs[ROWS_LANES];
    cairn_real sums[ROWS_LANES];

    for (size_t first = 0; first < ROWS_LANES; first += ROWS_ABREAST) {
        const cairn_real *range = self->range + first;
        const cairn_real *weight = self->weight + first;
        cairn_real *at = pull + first;
        cairn_real cost[ROWS_ABREAST];
        cairn_real sum[ROWS_ABREAST];
        EACH_LANE { cost[lane] = sum[lane] = 0; }
        for (size_t j = 0; j < n; j += ROWS_LANES) {
            EACH_LANE
            {
                const cairn_real f = cairn_sqrt(at[lane] + least);
                const cairn_real residual = f - range[lane];
                const cairn_real weighted = weight[lane] * residual;
                at[lane] = weighted / f;
                cost[lane] += weighted * residual;
                sum[lane] += weighted / f;
            }
            range += ROWS_LANES;
            weight += ROWS_LANES;
            at += ROWS_LANES;
        }
        EACH_LANE
        {
            costs[first + lane] = cost[lane];
            sums[first + lane] = sum[lane];
        }
    }
    self->pull_sum = rows_sum_lanes(sums);
    return rows_sum_lanes(costs);
}

cairn_real cairn_embed_find_cost(cairn_embed_t *self, const cairn_real *x)
{
    cairn_embed_squares(self, x, self->along);
    return find_pulls(self, NEAREST2 * self->spread2 + 1e-30f, self->along);
}

cairn_real cairn_embed_aim(cairn_embed_t *self, cairn_real *slope)
{
    const size_t k = self->dim;
    const cairn_real *x = embed_vector(self, VECTOR_X);
    const cairn_real cost = cairn_embed_find_cost(self, x);
    cairn_real *g = embed_vector(self, VECTOR_G);
    cairn_real *u = embed_vector(self, VECTOR_U);
    cairn_real *hu = embed_vector(self, VECTOR_HU);
    cairn_real *p = embed_vector(self, VECTOR_P);
    cairn_real share;
    cairn_real factor;

    cairn_rows_dot(self->along, self->image, k, self->padded, self->padded, g);
    for (size_t a = 0; a < k; ++a) {
        g[a] = x[a] * self->pull_sum - g[a];
        u[a] = x[a] - self->centre[a];
    }
    cairn_rows_dot(g, self->inverse, k, k, k, p);
    cairn_rows_dot(u, self->inverse, k, k, k, hu);
    share = cairn_dot(u, p, k) / (1 + cairn_max(0, cairn_dot(u, hu, k)));
    factor = -(self->spread2 + cairn_dot(u, u, k)) / self->weight_sum;
    for (size_t a = 0; a < k; ++a) {
        p[a] = factor * (p[a] - share * hu[a]);
    }
    *slope = cairn_dot(g, p, k);
    return cost;
}

cairn_real cairn_embed_best_share(cairn_real before, cairn_real slope, cairn_real cost, cairn_real share)
{
    const cairn_real bend = cost - before - 2 * slope * share;

    return bend > 0 ? cairn_min(-slope * share * share / bend, SHARE_MOST) : share;
}

cairn_real cairn_embed_try(cairn_embed_t *self, cairn_real share, const cairn_real *step)
{
    cairn_real *trial = embed_vector(self, VECTOR_TRIAL);

    memcpy(trial, embed_vector(self, VECTOR_X), self->dim * sizeof *trial);
    cairn_rows_add(trial, share, step, self->dim);
    return cairn_embed_find_cost(self, trial);
}

cairn_real cairn_embed_descend(cairn_embed_t *self)
{
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
    before = cairn_embed_aim(self, &slope);
    do {
        share = next;
        cost = cairn_embed_try(self, share, embed_vector(self, VECTOR_P));
        next = cairn_embed_best_share(before, slope, cost, share);
        again = !(cost <= before) || (n_tries == 0 && cairn_abs(next - share) > NEAR_SHARE);
    } while (again && n_tries++ < TRIES_MORE);
    self->tried_again = n_tries > 0;
    if (!(cost <= before)) {
        ++self->counters.n_plain_steps;
        cost = cairn_embed_try(self, -1 / self->weight_sum, embed_vector(self, VECTOR_G));
    }
    memcpy(embed_vector(self, VECTOR_X), embed_vector(self, VECTOR_TRIAL), self->dim * sizeof(cairn_real));
    return cost;
}
