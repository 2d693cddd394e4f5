/* SPDX-License-Identifier: MIT
 * Dual form of the implicit manifolds. Source: Lin (2012), chapter 6, turned from rows to features: with F the rows, d
 * their similarities with all rows and s the column sums, z = F^T v obeys z = G z with G = F^T D^-1 F. What we changed: G
 * is written as the random walk of a graph of features (bipartite: weights G, degrees the column sums; inner product:
 * weights s_j G_jk s_k), so that clustering and spreading need no code of their own. Means, not sums, are kept: they do
 * not grow with the stream. */
#include "cairn/dual.h"

#define LOG_TWO 0.693147181f

/* Work: weights [m (m + 1) / 2], mean row [m], the present row [m]. */
static cairn_real *mean_row(const cairn_dual_t *self) { return self->work + CAIRN_DUAL_WEIGHTS(self->cfg->n_features); }

static cairn_real *scratch(const cairn_dual_t *self) { return mean_row(self) + self->cfg->n_features; }

cairn_status cairn_dual_init(cairn_dual_t *self, const cairn_dual_cfg_t *cfg, cairn_real *work, size_t n_work)
{
    if (self == NULL || cfg == NULL || work == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(cfg->half_life)) {
        return CAIRN_ERR_NONFINITE;
    }
    if ((unsigned)cfg->kind > CAIRN_FACTOR_BIPARTITE || cfg->n_features < 1 ||
        cfg->n_features > CAIRN_DUAL_FEATURES_MAX || (cfg->half_life != 0 && !(cfg->half_life >= 1))) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_aligned(work, sizeof(cairn_real))) {
        return CAIRN_ERR_ALIGN;
    }
    if (n_work < CAIRN_DUAL_REALS(cfg->n_features)) {
        return CAIRN_ERR_SIZE;
    }
    memset(self, 0, sizeof *self);
    self->cfg = cfg;
    self->work = work;
    memset(work, 0, CAIRN_DUAL_REALS(cfg->n_features) * sizeof *work);
    return CAIRN_OK;
}

static cairn_status check_row(const cairn_real *row, uint32_t n)
{
    for (uint32_t j = 0; j < n; ++j) {
        if (!cairn_isfinite(row[j])) {
            return CAIRN_ERR_NONFINITE;
        }
        if (row[j] < 0) {
            return CAIRN_ERR_RANGE;
        }
    }
    return CAIRN_OK;
}

/* The row as it counts; its largest value goes out first, so that no square overflows. */
static bool take_row(const cairn_dual_t *self, const cairn_real *row, cairn_real *taken)
{
    const uint32_t n = self->cfg->n_features;
    cairn_real largest = 0;
    cairn_real square = 0;

    for (uint32_t j = 0; j < n; ++j) {
        largest = cairn_max(largest, row[j]);
    }
    for (uint32_t j = 0; j < n && largest > 0; ++j) {
        taken[j] = row[j] / largest;
        square += taken[j] * taken[j];
    }
    for (uint32_t j = 0; j < n && largest > 0; ++j) {
        taken[j] = self->cfg->kind == CAIRN_FACTOR_COSINE ? taken[j] / cairn_sqrt(square) : row[j];
    }
    return largest > 0;
}

/* Similarity of the row with all rows, over their number; bipartite: its sum. */
static cairn_real degree_of(const cairn_dual_t *self, const cairn_real *row)
{
    cairn_real degree = 0;

    for (uint32_t j = 0; j < self->cfg->n_features; ++j) {
        degree += self->cfg->kind == CAIRN_FACTOR_BIPARTITE ? row[j] : row[j] * mean_row(self)[j];
    }
    return degree;
}

/* Share of the next row in the means: 1 - 2^(-1 / half_life) in four terms, off by 2e-3 of it at a half life of 1, by a
 * rounding from 10 on. */
static cairn_real next_gain(cairn_dual_t *self)
{
    const cairn_real x = self->cfg->half_life > 0 ? LOG_TWO / self->cfg->half_life : (cairn_real)0;
    const cairn_real share = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4)));

    self->n_rows += self->n_rows < UINT32_MAX ? 1u : 0u;
    return cairn_max(1 / (cairn_real)self->n_rows, share);
}

cairn_status cairn_dual_add(cairn_dual_t *self, const cairn_real *row)
{
    cairn_status status;
    cairn_real *x;
    cairn_real *weight;
    cairn_real gain;
    cairn_real inverse;

    if (self == NULL || row == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = check_row(row, self->cfg->n_features);
    if (status != CAIRN_OK) {
        self->n_refused += self->n_refused < UINT32_MAX ? 1u : 0u;
        return status;
    }
    x = scratch(self);
    weight = self->work;
    if (!take_row(self, row, x)) {
        return CAIRN_REJECTED;
    }
    gain = next_gain(self);
    for (uint32_t j = 0; j < self->cfg->n_features && !self->fixed; ++j) {
        mean_row(self)[j] += gain * (x[j] - mean_row(self)[j]);
    }
    inverse = degree_of(self, x);
    inverse = inverse > 0 ? 1 / inverse : (cairn_real)0;
    for (uint32_t j = 0; j < self->cfg->n_features; ++j) {
        const cairn_real mine = x[j] * inverse;
        *weight += gain * (0.5f * mine * x[j] - *weight); /* a link to itself is walked both ways */
        ++weight;
        for (uint32_t k = j + 1u; k < self->cfg->n_features; ++k, ++weight) {
            *weight += gain * (mine * x[k] - *weight);
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_dual_fix(cairn_dual_t *self)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (self->n_rows == 0) {
        return CAIRN_ERR_STATE;
    }
    memset(self->work, 0, CAIRN_DUAL_WEIGHTS(self->cfg->n_features) * sizeof *self->work);
    self->n_rows = 0;
    self->fixed = true;
    return CAIRN_OK;
}

static void dual_run(const cairn_walk_t *walk, uint32_t part, cairn_run_t *out)
{
    const cairn_dual_walk_t *self = walk->context;
    const size_t n = self->n_features;

    memset(out, 0, sizeof *out);
    out->n = self->n_features - part;
    out->node = part;
    out->first = part;
    out->weight = self->weight + (part * (2 * n + 1 - part)) / 2;
}

cairn_status cairn_dual_walk(const cairn_dual_t *self, cairn_dual_walk_t *memory, cairn_real *weight, size_t n_weight,
                             cairn_walk_t *walk)
{
    uint32_t n;
    size_t at = 0;

    if (self == NULL || memory == NULL || weight == NULL || walk == NULL) {
        return CAIRN_ERR_ARG;
    }
    n = self->cfg->n_features;
    if (n_weight < CAIRN_DUAL_WEIGHTS(n)) {
        return CAIRN_ERR_SIZE;
    }
    for (uint32_t j = 0; j < n; ++j) {
        for (uint32_t k = j; k < n; ++k, ++at) {
            const bool bipartite = self->cfg->kind == CAIRN_FACTOR_BIPARTITE;
            weight[at] = bipartite ? self->work[at] : mean_row(self)[j] * self->work[at] * mean_row(self)[k];
        }
    }
    memory->weight = weight;
    memory->n_features = n;
    memset(walk, 0, sizeof *walk);
    walk->n_nodes = n;
    walk->n_parts = n;
    walk->n_links = (cairn_real)at;
    walk->context = memory;
    walk->run = dual_run;
    walk->multiply = cairn_walk_multiply_runs;
    return CAIRN_OK;
}

cairn_status cairn_dual_links(const cairn_dual_t *self, const cairn_real *row, uint32_t *nodes, cairn_real *weights,
                              size_t *n_links)
{
    cairn_status status;

    if (self == NULL || row == NULL || nodes == NULL || weights == NULL || n_links == NULL) {
        return CAIRN_ERR_ARG;
    }
    status = check_row(row, self->cfg->n_features);
    if (status != CAIRN_OK) {
        return status;
    }
    *n_links = 0;
    for (uint32_t j = 0; j < self->cfg->n_features; ++j) {
        const cairn_real factor = self->cfg->kind == CAIRN_FACTOR_BIPARTITE ? (cairn_real)1 : mean_row(self)[j];
        if (row[j] * factor > 0) {
            nodes[*n_links] = j;
            weights[(*n_links)++] = cairn_min(row[j] * factor, CAIRN_REAL_MAX);
        }
    }
    return CAIRN_OK;
}
