/* SPDX-License-Identifier: MIT
 * Implicit manifolds. Source: Lin (2012), chapter 6. A pass has two halves: parts [0, rows) scatter F^T x into the
 * features, parts [rows, 2 rows) gather F z into the rows. */
#include "cairn/factor.h"

/* Where a row's values lie, and how many there are. */
static size_t row_begin(const cairn_factor_t *factor, uint32_t row, uint32_t *n)
{
    if (factor->start == NULL) {
        *n = factor->n_features;
        return (size_t)row * factor->n_features;
    }
    *n = factor->start[row + 1u] - factor->start[row];
    return factor->start[row];
}

static uint32_t feature_at(const cairn_factor_t *factor, size_t begin, uint32_t e)
{
    return factor->start == NULL ? e : factor->feature[begin + e];
}

static void scatter(const cairn_factor_walk_t *self, uint32_t row, size_t n_columns, const cairn_real *x)
{
    uint32_t n;
    const size_t begin = row_begin(self->factor, row, &n);
    const cairn_real *from = x + (size_t)row * n_columns;

    for (uint32_t e = 0; e < n; ++e) {
        const cairn_real value = self->factor->value[begin + e] * self->scale[row];
        cairn_real *z = self->z + (size_t)feature_at(self->factor, begin, e) * n_columns;
        for (size_t c = 0; c < n_columns; ++c) {
            z[c] += value * from[c];
        }
    }
}

static void gather(const cairn_factor_walk_t *self, uint32_t row, size_t n_columns, const cairn_real *x, cairn_real *y)
{
    uint32_t n;
    const size_t begin = row_begin(self->factor, row, &n);
    cairn_real sum[CAIRN_WALK_COLUMNS_MAX] = {0};

    for (uint32_t e = 0; e < n; ++e) {
        const uint32_t feature = feature_at(self->factor, begin, e);
        const cairn_real value = self->factor->value[begin + e] * self->scale[row] * self->inverse[feature];
        const cairn_real *z = self->z + (size_t)feature * n_columns;
        for (size_t c = 0; c < n_columns; ++c) {
            sum[c] += value * z[c];
        }
    }
    for (size_t c = 0; c < n_columns; ++c) {
        const cairn_real own =
            self->factor->keep_self ? (cairn_real)0 : self->self[row] * x[(size_t)row * n_columns + c];
        y[(size_t)row * n_columns + c] += sum[c] - own;
    }
}

static void multiply(const cairn_walk_t *walk, uint32_t begin, uint32_t end, size_t n_columns, const cairn_real *x,
                     cairn_real *y)
{
    const cairn_factor_walk_t *self = walk->context;
    const uint32_t n_rows = self->factor->n_rows;

    for (uint32_t part = begin; part < end; ++part) {
        if (part == 0) {
            memset(self->z, 0, (size_t)self->factor->n_features * n_columns * sizeof *self->z);
        }
        if (part < n_rows) {
            scatter(self, part, n_columns, x);
        } else {
            gather(self, part - n_rows, n_columns, x, y);
        }
    }
}

static cairn_status check_values(const cairn_factor_t *factor)
{
    const size_t n_values =
        factor->start != NULL ? factor->start[factor->n_rows] : (size_t)factor->n_rows * factor->n_features;

    for (size_t e = 0; e < n_values; ++e) {
        if (!cairn_isfinite(factor->value[e])) {
            return CAIRN_ERR_NONFINITE;
        }
        if ((factor->kind == CAIRN_FACTOR_BIPARTITE && factor->value[e] < 0) ||
            (factor->start != NULL && factor->feature[e] >= factor->n_features)) {
            return CAIRN_ERR_ARG;
        }
    }
    return CAIRN_OK;
}

/* 1 / column sums where a walk steps to features, else 1. */
static void sum_features(cairn_factor_walk_t *self)
{
    const cairn_factor_t *factor = self->factor;
    const bool bipartite = factor->kind == CAIRN_FACTOR_BIPARTITE;

    for (uint32_t j = 0; j < factor->n_features; ++j) {
        self->inverse[j] = bipartite ? (cairn_real)0 : (cairn_real)1;
    }
    for (uint32_t i = 0; i < factor->n_rows && bipartite; ++i) {
        uint32_t n;
        const size_t begin = row_begin(factor, i, &n);
        for (uint32_t e = 0; e < n; ++e) {
            self->inverse[feature_at(factor, begin, e)] += factor->value[begin + e];
        }
    }
    for (uint32_t j = 0; j < factor->n_features && bipartite; ++j) {
        self->inverse[j] = self->inverse[j] > 0 ? 1 / self->inverse[j] : (cairn_real)0;
    }
}

/* Row lengths and similarities with itself. */
static void measure(cairn_factor_walk_t *self)
{
    const cairn_factor_t *factor = self->factor;

    for (uint32_t i = 0; i < factor->n_rows; ++i) {
        uint32_t n;
        const size_t begin = row_begin(factor, i, &n);
        cairn_real square = 0;
        for (uint32_t e = 0; e < n; ++e) {
            square += factor->value[begin + e] * factor->value[begin + e] * self->inverse[feature_at(factor, begin, e)];
        }
        self->scale[i] = factor->kind != CAIRN_FACTOR_COSINE ? (cairn_real)1
                         : square > 0                        ? 1 / cairn_sqrt(square)
                                                             : (cairn_real)0;
        self->self[i] = square * self->scale[i] * self->scale[i];
    }
}

cairn_status cairn_factor_walk(cairn_factor_walk_t *self, const cairn_factor_t *factor, cairn_real *scratch,
                               size_t n_scratch, size_t columns, cairn_walk_t *walk)
{
    cairn_status status;

    if (self == NULL || factor == NULL || scratch == NULL || walk == NULL || factor->value == NULL ||
        factor->n_rows == 0 || factor->n_features == 0 || (unsigned)factor->kind > CAIRN_FACTOR_BIPARTITE ||
        columns < 1 || columns > CAIRN_WALK_COLUMNS_MAX || (factor->start != NULL && factor->feature == NULL)) {
        return CAIRN_ERR_ARG;
    }
    if (n_scratch < CAIRN_FACTOR_REALS(factor->n_rows, factor->n_features, columns)) {
        return CAIRN_ERR_SIZE;
    }
    status = check_values(factor);
    if (status != CAIRN_OK) {
        return status;
    }
    self->factor = factor;
    self->scale = scratch;
    self->self = scratch + factor->n_rows;
    self->inverse = scratch + 2u * (size_t)factor->n_rows;
    self->z = self->inverse + factor->n_features;
    sum_features(self);
    measure(self);
    memset(walk, 0, sizeof *walk);
    walk->n_nodes = factor->n_rows;
    walk->n_parts = 2u * factor->n_rows;
    walk->n_links = 0.5f * (cairn_real)factor->n_rows * (cairn_real)factor->n_rows;
    walk->context = self;
    walk->multiply = multiply;
    return CAIRN_OK;
}
