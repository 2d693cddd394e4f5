/* SPDX-License-Identifier: MIT
 * Landmarks among themselves: classical scaling by orthogonal iteration (Golub and Van Loan, 8.2.4) with negative
 * eigenvalues shifted away, the best common factor, three Gauss-Seidel sweeps of the step that also places vectors, and
 * the factor by which triangulation falls short. One row of distances at a time. */
#include "embed/embed_internal.h"

#define POWER_ROUNDS  8
#define SWEEPS        3
#define ROBUST_SWEEPS 20
#define FLAT_SHARE    1e-3f /* deviation drawn for an axis without extent, of the mean axis's: it must be able to grow */

static cairn_real *axis(const cairn_embed_t *self, cairn_real *rows, size_t a) { return rows + a * self->padded; }

void cairn_embed_read_row(cairn_embed_t *self, size_t i)
{
    const cairn_real *stored = self->stored; /* then row i of the triangle, then down column i */

    if (self->stored == NULL) {
        cairn_embed_measure(self, embed_source(self, i), 0, self->n_held, self->range);
        self->range[i] = 0;
        return;
    }
    stored += i * (i - 1u) / 2u;
    for (size_t j = 0; j < i; ++j) {
        self->range[j] = stored[j];
    }
    self->range[i] = 0;
    stored += 2 * i;
    for (size_t j = i + 1u; j < self->n_held; ++j) {
        self->range[j] = *stored;
        stored += j;
    }
}

void cairn_embed_set_weights(cairn_embed_t *self, size_t without)
{
    for (size_t j = 0; j < self->padded; ++j) {
        self->weight[j] = j < self->n_held && j != without ? 1 : 0;
    }
    self->weight_sum = (cairn_real)(without < self->n_held ? self->n_held - 1u : self->n_held);
}

void cairn_embed_set_others(cairn_embed_t *self, size_t i, bool late)
{
    if (self->cfg->robust != NULL) {
        self->cfg->robust->weigh(self, i, late);
    } else {
        cairn_embed_set_weights(self, i);
    }
}

/* Mean out of a row, and its padding 0. */
static void centre_axis(const cairn_embed_t *self, cairn_real *row)
{
    cairn_real mean = 0;

    for (size_t j = 0; j < self->n_held; ++j) {
        mean += row[j];
    }
    mean /= (cairn_real)self->n_held;
    for (size_t j = 0; j < self->padded; ++j) {
        row[j] = j < self->n_held ? row[j] - mean : 0;
    }
}

/* Orthonormal rows, by Gram-Schmidt twice; a row without anything of its own becomes 0. */
static void orthonormalise(cairn_embed_t *self, cairn_real *rows)
{
    const size_t n = self->padded;
    cairn_real *shares = embed_vector(self, VECTOR_P);

    for (size_t a = 0; a < self->dim; ++a) {
        cairn_real *row = axis(self, rows, a);
        cairn_real before;
        cairn_real factor;
        cairn_rows_dot(row, row, 1, n, n, &before);
        for (int pass = 0; pass < 2; ++pass) {
            cairn_rows_dot(row, rows, a, n, n, shares);
            for (size_t b = 0; b < a; ++b) {
                cairn_rows_add(row, -shares[b], axis(self, rows, b), n);
            }
        }
        cairn_rows_dot(row, row, 1, n, n, &factor);
        factor = factor > 16 * CAIRN_REAL_EPSILON * CAIRN_REAL_EPSILON * before ? 1 / cairn_sqrt(factor) : 0;
        for (size_t j = 0; j < n; ++j) {
            row[j] *= cairn_isfinite(factor) ? factor : 0;
        }
    }
}

static void begin_power(cairn_embed_t *self)
{
    for (size_t a = 0; a < self->dim; ++a) {
        cairn_real *row = axis(self, self->image, a);
        for (size_t j = 0; j < self->n_held; ++j) {
            row[j] = cairn_rng_uniform(&self->rng) - 0.5f;
        }
        centre_axis(self, row);
    }
    orthonormalise(self, self->image);
    self->shift = 0;
}

static void power_row(cairn_embed_t *self, size_t i)
{
    cairn_real *products = embed_vector(self, VECTOR_P);

    for (size_t j = 0; j < self->padded; ++j) {
        self->along[j] = -0.5f * self->range[j] * self->range[j];
    }
    cairn_rows_dot(self->along, self->image, self->dim, self->padded, self->padded, products);
    for (size_t a = 0; a < self->dim; ++a) {
        axis(self, self->second, a)[i] = products[a];
    }
}

/* Vectors times the roots of their eigenvalues are coordinates. */
static void spread_axes(cairn_embed_t *self, const cairn_real *values)
{
    const size_t k = self->dim;
    cairn_real mean = 0;

    for (size_t a = 0; a < k; ++a) {
        mean += cairn_max(0, values[a]) / (cairn_real)k;
    }
    for (size_t a = 0; a < k; ++a) {
        const cairn_real length = cairn_sqrt(cairn_max(0, values[a]));
        const cairn_real least = FLAT_SHARE * cairn_sqrt(mean);
        cairn_real *row = axis(self, self->image, a);
        for (size_t j = 0; j < self->n_held; ++j) {
            const cairn_real drawn = least * 3.4f * (cairn_rng_uniform(&self->rng) - 0.5f);
            row[j] = length > least ? row[j] * length : drawn / cairn_sqrt((cairn_real)self->n_held);
        }
    }
}

static void power_end(cairn_embed_t *self)
{
    cairn_real *values = embed_vector(self, VECTOR_X);

    for (size_t a = 0; a < self->dim; ++a) {
        cairn_real *row = axis(self, self->second, a);
        centre_axis(self, row);
        cairn_rows_dot(row, axis(self, self->image, a), 1, self->padded, self->padded, &values[a]);
        self->shift = cairn_max(self->shift, -values[a]);
    }
    if (++self->pass == POWER_ROUNDS) {
        spread_axes(self, values);
        self->stage = CAIRN_EMBED_SCALE;
        self->ratio_num = 0;
        self->ratio_den = 0;
        if (self->cfg->rounds == 0) { /* landmark MDS ends here */
            cairn_embed_renew(self);
            self->stage = CAIRN_EMBED_READY;
        }
        return;
    }
    for (size_t j = 0; j < (size_t)self->dim * self->padded; ++j) {
        self->image[j] = self->second[j] + self->shift * self->image[j];
    }
    orthonormalise(self, self->image);
}

void cairn_embed_get_image(const cairn_embed_t *self, size_t i, cairn_real *x)
{
    for (size_t a = 0; a < self->dim; ++a) {
        x[a] = self->image[a * self->padded + i];
    }
}

static void scale_row(cairn_embed_t *self, size_t i)
{
    cairn_embed_get_image(self, i, embed_vector(self, VECTOR_X));
    cairn_embed_squares(self, embed_vector(self, VECTOR_X), self->distance2);
    for (size_t j = 0; j < i; ++j) {
        self->ratio_num += cairn_sqrt(self->distance2[j]) * self->range[j];
        self->ratio_den += self->distance2[j];
    }
}

static void scale_end(cairn_embed_t *self)
{
    const cairn_real factor = self->ratio_den > 0 ? self->ratio_num / self->ratio_den : 0;

    for (size_t j = 0; j < (size_t)self->dim * self->padded; ++j) {
        self->image[j] *= cairn_isfinite(factor) ? factor : 0;
    }
    cairn_embed_renew(self);
    self->pass = 0;
    self->stage = CAIRN_EMBED_SWEEP;
}

static void sweep_row(cairn_embed_t *self, size_t i)
{
    cairn_real *x = embed_vector(self, VECTOR_X);

    cairn_embed_get_image(self, i, x);
    cairn_embed_set_others(self, i, self->pass >= ROBUST_SWEEPS / 2);
    (void)cairn_embed_descend(self);
    cairn_embed_set_weights(self, EMBED_NOBODY);
    for (size_t a = 0; a < self->dim; ++a) {
        self->image[a * self->padded + i] = x[a];
    }
}

static void sweep_end(cairn_embed_t *self)
{
    cairn_embed_renew(self);
    self->ratio_num = 0;
    self->ratio_den = 0;
    if (++self->pass == (self->cfg->robust != NULL ? ROBUST_SWEEPS : SWEEPS)) {
        self->stage = CAIRN_EMBED_TRIAL;
    }
}

/* How far triangulation puts a landmark from the centre, beside where it is. */
static void trial_row(cairn_embed_t *self, size_t i)
{
    cairn_real *x = embed_vector(self, VECTOR_X);

    if (self->cfg->robust != NULL) {
        cairn_embed_get_image(self, i, x);
        self->cfg->robust->retry(self, 1);
    } else {
        cairn_embed_triangulate(self, 1, x);
    }
    for (size_t a = 0; a < self->dim; ++a) {
        const cairn_real tried = x[a] - self->centre[a];
        self->ratio_num += tried * (self->image[a * self->padded + i] - self->centre[a]);
        self->ratio_den += tried * tried;
    }
}

static void trial_end(cairn_embed_t *self)
{
    cairn_embed_set_scale(self);
    self->stage = CAIRN_EMBED_READY;
}

static void end_round(cairn_embed_t *self)
{
    switch (self->stage) {
    case CAIRN_EMBED_POWER: power_end(self); break;
    case CAIRN_EMBED_SCALE: scale_end(self); break;
    case CAIRN_EMBED_SWEEP: sweep_end(self); break;
    default: trial_end(self); break;
    }
}

void cairn_embed_begin_start(cairn_embed_t *self)
{
    cairn_embed_set_weights(self, EMBED_NOBODY);
    self->stage = CAIRN_EMBED_POWER;
    self->cursor = 0;
    self->pass = 0;
}

void cairn_embed_start_row(cairn_embed_t *self)
{
    const size_t i = self->cursor;

    if (self->stage == CAIRN_EMBED_POWER && self->pass == 0 && i == 0) {
        begin_power(self);
    }
    if (self->stage == CAIRN_EMBED_POWER && self->pass == 0 && self->cfg->robust != NULL && self->stored != NULL) {
        self->cfg->robust->repair(self, i);
    }
    cairn_embed_read_row(self, i);
    switch (self->stage) {
    case CAIRN_EMBED_POWER: power_row(self, i); break;
    case CAIRN_EMBED_SCALE: scale_row(self, i); break;
    case CAIRN_EMBED_SWEEP: sweep_row(self, i); break;
    default: trial_row(self, i); break;
    }
    if (++self->cursor == self->n_held) {
        self->cursor = 0;
        end_round(self);
    }
}
