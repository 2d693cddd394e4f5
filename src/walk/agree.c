/* SPDX-License-Identifier: MIT
 * Agreement of two labellings, from their table of counts. */
#include "cairn/agree.h"

#include "cairn/scalar.h"

uint32_t cairn_agree_count(const uint8_t *truth, const uint8_t *label, size_t n, size_t k, uint32_t *table)
{
    uint32_t n_counted = 0;

    memset(table, 0, k * k * sizeof *table);
    for (size_t i = 0; i < n; ++i) {
        if (truth[i] < k && label[i] < k) {
            ++table[truth[i] * k + label[i]];
            ++n_counted;
        }
    }
    return n_counted;
}

static uint32_t sum_row(const uint32_t *table, size_t k, size_t row)
{
    uint32_t sum = 0;

    for (size_t c = 0; c < k; ++c) {
        sum += table[row * k + c];
    }
    return sum;
}

static uint32_t sum_column(const uint32_t *table, size_t k, size_t column)
{
    uint32_t sum = 0;

    for (size_t c = 0; c < k; ++c) {
        sum += table[c * k + column];
    }
    return sum;
}

static uint32_t sum_all(const uint32_t *table, size_t k)
{
    uint32_t sum = 0;

    for (size_t c = 0; c < k; ++c) {
        sum += sum_row(table, k, c);
    }
    return sum;
}

cairn_real cairn_agree_purity(const uint32_t *table, size_t k)
{
    const uint32_t all = sum_all(table, k);
    uint32_t agreed = 0;

    for (size_t c = 0; c < k; ++c) {
        uint32_t most = 0;
        for (size_t t = 0; t < k; ++t) {
            most = table[t * k + c] > most ? table[t * k + c] : most;
        }
        agreed += most;
    }
    return all > 0 ? (cairn_real)agreed / (cairn_real)all : (cairn_real)0;
}

static uint64_t pairs(uint64_t n) { return n > 0 ? n * (n - 1) / 2 : 0; }

cairn_real cairn_agree_rand(const uint32_t *table, size_t k)
{
    const uint64_t all = pairs(sum_all(table, k));
    uint64_t together = 0;
    uint64_t in_one = 0;

    for (size_t c = 0; c < k; ++c) {
        in_one += pairs(sum_row(table, k, c)) + pairs(sum_column(table, k, c));
        for (size_t t = 0; t < k; ++t) {
            together += pairs(table[t * k + c]);
        }
    }
    return all > 0 ? (cairn_real)(all + 2 * together - in_one) / (cairn_real)all : (cairn_real)1;
}

/* The arrays of the Hungarian method, 1-based; indices are small whole reals. */
typedef struct matcher {
    const uint32_t *table;
    size_t k;
    cairn_real *row_price;
    cairn_real *column_price;
    cairn_real *row_of; /* row matched to a column, 0: none */
    cairn_real *came_from;
    cairn_real *slack;
    cairn_real *visited;
} matcher_t;

static cairn_real cost(const matcher_t *self, size_t row, size_t column)
{
    return -(cairn_real)self->table[(row - 1) * self->k + column - 1];
}

/* One step of the search: relax the columns from the last row and return the nearest one outside the tree. */
static size_t grow_tree(matcher_t *self, size_t column)
{
    const size_t row = (size_t)self->row_of[column];
    cairn_real delta = CAIRN_REAL_MAX;
    size_t next = 0;

    self->visited[column] = 1;
    for (size_t j = 1; j <= self->k; ++j) {
        const cairn_real reduced = cost(self, row, j) - self->row_price[row] - self->column_price[j];
        if (self->visited[j] > 0) {
            continue;
        }
        if (reduced < self->slack[j]) {
            self->slack[j] = reduced;
            self->came_from[j] = (cairn_real)column;
        }
        if (self->slack[j] < delta) {
            delta = self->slack[j];
            next = j;
        }
    }
    for (size_t j = 0; j <= self->k; ++j) {
        if (self->visited[j] > 0) {
            self->row_price[(size_t)self->row_of[j]] += delta;
            self->column_price[j] -= delta;
        } else {
            self->slack[j] -= delta;
        }
    }
    return next;
}

static void match_row(matcher_t *self, size_t row)
{
    size_t column = 0;

    self->row_of[0] = (cairn_real)row;
    for (size_t j = 0; j <= self->k; ++j) {
        self->slack[j] = CAIRN_REAL_MAX;
        self->visited[j] = 0;
    }
    do {
        column = grow_tree(self, column);
    } while (self->row_of[column] > 0);
    while (column > 0) { /* turn the path round */
        const size_t before = (size_t)self->came_from[column];
        self->row_of[column] = self->row_of[before];
        column = before;
    }
}

cairn_real cairn_agree_align(const uint32_t *table, size_t k, cairn_real *work, uint8_t *truth)
{
    matcher_t self = {
        table, k, work, work + (k + 1), work + 2 * (k + 1), work + 3 * (k + 1), work + 4 * (k + 1), work + 5 * (k + 1)};
    const uint32_t all = sum_all(table, k);
    uint32_t agreed = 0;

    memset(work, 0, CAIRN_AGREE_REALS(k) * sizeof *work);
    for (size_t row = 1; row <= k; ++row) {
        match_row(&self, row);
    }
    for (size_t c = 0; c < k; ++c) {
        truth[c] = (uint8_t)(self.row_of[c + 1] - 1);
        agreed += table[truth[c] * k + c];
    }
    return all > 0 ? (cairn_real)agreed / (cairn_real)all : (cairn_real)0;
}

cairn_real cairn_agree_f1(const uint32_t *table, size_t k, const uint8_t *truth)
{
    cairn_real sum = 0;
    uint32_t n_classes = 0;

    for (size_t c = 0; c < k; ++c) {
        const uint32_t in_class = sum_row(table, k, truth[c]);
        const uint32_t both = in_class + sum_column(table, k, c);
        n_classes += in_class > 0 ? 1u : 0u;
        /* 2 P R / (P + R) */
        sum += in_class > 0 ? 2 * (cairn_real)table[truth[c] * k + c] / (cairn_real)both : (cairn_real)0;
    }
    return n_classes > 0 ? sum / (cairn_real)n_classes : (cairn_real)0;
}

static cairn_real entropy_term(uint32_t count, cairn_real all)
{
    const cairn_real share = (cairn_real)count / all;

    return count > 0 ? -share * cairn_log(share) : (cairn_real)0;
}

cairn_real cairn_agree_nmi(const uint32_t *table, size_t k)
{
    cairn_real all = 0;
    cairn_real apart = 0; /* H(T) + H(C) */
    cairn_real joint = 0; /* H(T, C) = H(T) + H(C) - I(T, C) */

    for (size_t i = 0; i < k * k; ++i) {
        all += (cairn_real)table[i];
    }
    for (size_t c = 0; c < k && all > 0; ++c) {
        uint32_t row = 0;
        uint32_t column = 0;
        for (size_t t = 0; t < k; ++t) {
            row += table[c * k + t];
            column += table[t * k + c];
            joint += entropy_term(table[c * k + t], all);
        }
        apart += entropy_term(row, all) + entropy_term(column, all);
    }
    return apart > 0 ? cairn_max(2 * (apart - joint) / apart, 0) : (cairn_real)1;
}
