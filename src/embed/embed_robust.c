/* SPDX-License-Identifier: MIT
 * Robust placing: median and median deviation of the residuals say which distances to distrust. Distances between
 * landmarks are first cut to the shortest way over a third landmark, which no true distance exceeds. */
#include "embed/embed_internal.h"

#define DEVIATIONS   1.4826f /* of normal noise, in median absolute deviations */
#define CUT          3.5f    /* deviations beyond which a distance is replaced for the start */
#define HUBER_BEND   1.5f    /* deviations */
#define TUKEY_END    5       /* deviations beyond which a distance has no weight */
#define LEAST_SHARE  1e-4f   /* least deviation, of the images' extent */
#define STARTS       3       /* of a vector */
#define ROUNDS_LEAST 3

static cairn_real *get_residuals(const cairn_embed_t *self) { return self->sorting + self->padded; }

/* The k-th smallest of n numbers, which are reordered (Hoare, Algorithm 65: FIND). At most n^2/2 steps, about 3 n. */
static cairn_real find_kth(cairn_real *v, size_t n, size_t k)
{
    size_t low = 0;
    size_t high = n - 1u;

    while (low < high) {
        const cairn_real pivot = v[k];
        size_t i = low;
        size_t j = high + 1u; /* one above the right cursor, which may pass below 0 */
        while (i < j) {
            while (v[i] < pivot) {
                ++i;
            }
            while (pivot < v[j - 1u]) {
                --j;
            }
            if (i < j) {
                const cairn_real swapped = v[i];
                v[i++] = v[j - 1u];
                v[--j] = swapped;
            }
        }
        if (j <= k) {
            low = i;
        }
        if (k < i) {
            high = j > 0 ? j - 1u : 0;
        }
    }
    return v[k];
}

/* Residuals at x; their median, and deviation from the median's, without one landmark. */
static cairn_real find_deviation(cairn_embed_t *self, size_t without, cairn_real *median)
{
    cairn_real *sorted = self->sorting;
    cairn_real *residual = get_residuals(self);
    size_t n = 0;

    *median = 0;
    cairn_embed_squares(self, embed_vector(self, VECTOR_X), residual);
    for (size_t j = 0; j < self->n_held; ++j) {
        residual[j] = cairn_sqrt(residual[j]) - self->range[j];
        if (j != without) {
            sorted[n++] = residual[j];
        }
    }
    if (n > 0) {
        *median = find_kth(sorted, n, n / 2u);
        for (size_t j = 0; j < n; ++j) {
            sorted[j] = cairn_abs(sorted[j] - *median);
        }
    }
    return cairn_max(n > 0 ? DEVIATIONS * find_kth(sorted, n, n / 2u) : 0,
                     LEAST_SHARE * cairn_sqrt(self->spread2) + 1e-20f);
}

static void weigh(cairn_embed_t *self, size_t without, bool late)
{
    const cairn_real *residual = get_residuals(self);
    cairn_real median;
    const cairn_real deviation = find_deviation(self, without, &median);

    self->weight_sum = 0;
    for (size_t j = 0; j < self->n_held; ++j) {
        const cairn_real size = cairn_abs(residual[j]) / deviation;
        const cairn_real ratio = size / TUKEY_END;
        cairn_real weight = size > HUBER_BEND ? HUBER_BEND / size : 1;
        if (late) {
            weight = ratio < 1 ? (1 - ratio * ratio) * (1 - ratio * ratio) : 0;
        }
        self->weight[j] = j != without ? weight : 0;
        self->weight_sum += self->weight[j];
    }
    if (!(self->weight_sum > 1)) { /* all are far off: none can be told from the others */
        cairn_embed_set_all(self);
        if (without != EMBED_NOBODY) {
            self->weight[without] = 0;
            self->weight_sum -= 1;
        }
    }
}

/* Triangulate without the distances that do not fit the place as it is. */
static void retry(cairn_embed_t *self, cairn_real scale)
{
    const cairn_real *residual = get_residuals(self);
    cairn_real *given = self->sorting + 2 * self->padded;
    cairn_real median;
    const cairn_real deviation = find_deviation(self, EMBED_NOBODY, &median);

    memcpy(given, self->range, self->padded * sizeof *given);
    for (size_t j = 0; j < self->n_held; ++j) {
        if (cairn_abs(residual[j] - median) > CUT * deviation) {
            self->range[j] = cairn_max(0, given[j] + residual[j] - median);
        }
    }
    cairn_embed_triangulate(self, scale, embed_vector(self, VECTOR_X));
    memcpy(self->range, given, self->padded * sizeof *given);
}

/* Place the vector whose ranges are at hand; returns the cost. The weights stay as they are. */
static cairn_real settle_robust(cairn_embed_t *self)
{
    cairn_real cost = 0;

    memcpy(embed_vector(self, VECTOR_X), self->centre, self->dim * sizeof *self->centre);
    for (int start = 0; start < STARTS; ++start) {
        retry(self, self->scale);
    }
    for (uint16_t round = 0; round < ROUNDS_LEAST || round < self->cfg->rounds; ++round) {
        weigh(self, EMBED_NOBODY, true);
        cost = cairn_embed_descend(self);
    }
    return cost;
}

/* Cut the distances of landmark i to those before it. */
static void repair(cairn_embed_t *self, size_t i)
{
    const size_t n = self->n_held;

    cairn_embed_read_row(self, i);
    for (size_t j = 0; j < i; ++j) {
        cairn_real *entry = embed_stored(self, i, j);
        for (size_t m = 0; m < n; ++m) {
            if (m != i && m != j) {
                const cairn_real other = m < j ? *embed_stored(self, j, m) : *embed_stored(self, m, j);
                *entry = cairn_min(*entry, self->range[m] + other);
            }
        }
    }
}

static size_t count_reals(size_t l) { return CAIRN_EMBED_ROBUST_REALS(l); }

const cairn_embed_robust_t cairn_embed_robust = {repair, weigh, retry, settle_robust, count_reals};
