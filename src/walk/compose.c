/* SPDX-License-Identifier: MIT
 * Composed walks. Source: Lin (2012), 8.5: W = D2^-1 A2 D1^-1 A1. A pass is a pass over the one matrix and one over the
 * other; in between, and before or after, values are divided by degrees. */
#include "cairn/compose.h"

/* y = x times the diagonal, all columns. */
static void scale(cairn_real *y, const cairn_real *x, const cairn_real *diagonal, uint32_t n_nodes, size_t n_columns)
{
    for (uint32_t i = 0; i < n_nodes; ++i) {
        for (size_t c = 0; c < n_columns; ++c) {
            y[i * n_columns + c] = x[i * n_columns + c] * diagonal[i];
        }
    }
}

/* Masses step by the second walk first: from where values would be taken. */
static const cairn_walk_t *opening(const cairn_compose_t *self)
{
    return self->way == CAIRN_COMPOSE_SCORES ? &self->first : &self->second;
}

static const cairn_walk_t *closing(const cairn_compose_t *self)
{
    return self->way == CAIRN_COMPOSE_SCORES ? &self->second : &self->first;
}

static void begin_pass(const cairn_compose_t *self, size_t n_columns, const cairn_real *x)
{
    const uint32_t n = self->first.n_nodes;
    const size_t bytes = (size_t)n * n_columns * sizeof *x;

    memset(self->between, 0, bytes);
    if (self->way == CAIRN_COMPOSE_WALKERS) {
        scale(self->before, x, self->inverse_second, n, n_columns);
    } else {
        memcpy(self->before, x, bytes);
    }
}

/* Between the two: what has arrived is divided by the degrees of the first walk; the other buffer is free again. */
static void turn(const cairn_compose_t *self, size_t n_columns)
{
    const uint32_t n = self->first.n_nodes;

    scale(self->between, self->between, self->inverse_first, n, n_columns);
    memset(self->before, 0, (size_t)n * n_columns * sizeof *self->before);
}

static void end_pass(const cairn_compose_t *self, size_t n_columns, cairn_real *y)
{
    const uint32_t n = self->first.n_nodes;

    for (uint32_t i = 0; i < n; ++i) {
        const cairn_real factor = self->way == CAIRN_COMPOSE_SCORES ? self->inverse_second[i] : (cairn_real)1;
        for (size_t c = 0; c < n_columns; ++c) {
            y[i * n_columns + c] += self->before[i * n_columns + c] * factor;
        }
    }
}

static void multiply_composed(const cairn_walk_t *walk, uint32_t begin, uint32_t end, size_t n_columns,
                              const cairn_real *x, cairn_real *y)
{
    const cairn_compose_t *self = walk->context;
    const uint32_t middle = opening(self)->n_parts;

    if (begin == 0 && end > 0) {
        begin_pass(self, n_columns, x);
    }
    if (begin < middle) {
        const uint32_t stop = end < middle ? end : middle;
        opening(self)->multiply(opening(self), begin, stop, n_columns, self->before, self->between);
        begin = stop;
    }
    if (begin == middle && end > middle) {
        turn(self, n_columns);
    }
    if (end > middle) {
        closing(self)->multiply(closing(self), begin - middle, end - middle, n_columns, self->between, self->before);
    }
    if (end == walk->n_parts) {
        end_pass(self, n_columns, y);
    }
}

/* 1 / degree of each node, 0 where it has no links. */
static void invert_degrees(const cairn_walk_t *walk, cairn_real *ones, cairn_real *inverse)
{
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        ones[i] = 1;
        inverse[i] = 0;
    }
    walk->multiply(walk, 0, walk->n_parts, 1, ones, inverse);
    for (uint32_t i = 0; i < walk->n_nodes; ++i) {
        inverse[i] = inverse[i] > 0 ? 1 / inverse[i] : (cairn_real)0;
    }
}

cairn_status cairn_compose_walk(cairn_compose_t *self, const cairn_walk_t *first, const cairn_walk_t *second,
                                cairn_compose_way way, cairn_real *scratch, size_t n_scratch, size_t columns,
                                cairn_walk_t *walk)
{
    if (self == NULL || first == NULL || second == NULL || scratch == NULL || walk == NULL ||
        (unsigned)way > CAIRN_COMPOSE_WALKERS || first->multiply == NULL || second->multiply == NULL ||
        first->n_nodes != second->n_nodes || first->stochastic || second->stochastic || columns < 1 ||
        columns > CAIRN_WALK_COLUMNS_MAX || first->n_parts == 0 || second->n_parts == 0) {
        return CAIRN_ERR_ARG;
    }
    if (n_scratch < CAIRN_COMPOSE_REALS(first->n_nodes, columns)) {
        return CAIRN_ERR_SIZE;
    }
    self->first = *first;
    self->second = *second;
    self->way = way;
    self->inverse_first = scratch;
    self->inverse_second = scratch + first->n_nodes;
    self->before = scratch + 2u * (size_t)first->n_nodes;
    self->between = self->before + (size_t)first->n_nodes * columns;
    invert_degrees(&self->first, self->before, self->inverse_first);
    invert_degrees(&self->second, self->before, self->inverse_second);
    memset(walk, 0, sizeof *walk);
    walk->n_nodes = first->n_nodes;
    walk->n_parts = first->n_parts + second->n_parts;
    walk->n_links = first->n_links + second->n_links;
    walk->context = self;
    walk->multiply = multiply_composed;
    walk->stochastic = true;
    return CAIRN_OK;
}
