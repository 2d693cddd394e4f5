/* SPDX-License-Identifier: MIT
 * Loops of embed over the images. */
#include "embed/embed_internal.h"

#ifdef ROWS_SIDE_BY_SIDE
/* With a vector unit: a block of landmarks at a time, axis after axis, sums in registers. */
#define EACH_PART(step) step(0) step(1) step(2) step(3)

void cairn_embed_squares(const cairn_embed_t *self, const cairn_real *x, cairn_real *out)
{
    const size_t stride = self->padded;

    for (size_t j = 0; j < stride; j += EMBED_BLOCK) {
        const cairn_real *image = self->image + j;
        cairn_real sums[EMBED_BLOCK / ROWS_LANES][ROWS_LANES] = {{0}};
        for (size_t a = 0; a < self->dim; ++a, image += stride) {
            const cairn_real x_a = x[a];
#define STEP(part)                                                                                                     \
    for (size_t lane = 0; lane < ROWS_LANES; ++lane) {                                                                 \
        const cairn_real difference = image[(part)*ROWS_LANES + lane] - x_a;                                           \
        sums[part][lane] += difference * difference;                                                                   \
    }
            EACH_PART(STEP)
#undef STEP
        }
        memcpy(out + j, sums, sizeof sums);
    }
}
#else
void cairn_embed_squares(const cairn_embed_t *self, const cairn_real *x, cairn_real *out)
{
    const size_t n = self->padded;
    const cairn_real *image = self->image;

    memset(out, 0, n * sizeof *out);
    for (size_t a = 0; a < self->dim; ++a) {
        const cairn_real x_a = x[a];
        for (size_t j = 0; j < n; ++j) {
            const cairn_real difference = x_a - *image++;
            out[j] += difference * difference;
        }
    }
}
#endif

void cairn_embed_measure(const cairn_embed_t *self, const cairn_real *p, size_t first, size_t n, cairn_real *out)
{
    const cairn_metric_t *metric = self->cfg->metric;

    metric->distances(metric, p, embed_source(self, first), n, embed_row(self->cfg), self->cfg->n_features, out);
}

void cairn_embed_set_source(cairn_embed_t *self, size_t i, const cairn_real *features)
{
    const size_t d = self->cfg->n_features;
    cairn_real *source = embed_source(self, i);

    memcpy(source, features, d * sizeof *features);
    if (self->cfg->metric->keep != NULL) {
        source[d] = self->cfg->metric->keep(features, d);
    }
}

/* In place inverse of a symmetric positive definite matrix by Gauss-Jordan without pivots. */
void cairn_embed_invert(cairn_real *m, size_t k)
{
    for (size_t p = 0; p < k; ++p) {
        const cairn_real pivot = 1 / m[p * k + p];
        m[p * k + p] = 1;
        for (size_t b = 0; b < k; ++b) {
            m[p * k + b] *= pivot;
        }
        for (size_t a = 0; a < k; ++a) {
            const cairn_real factor = m[a * k + p];
            if (a == p) {
                continue;
            }
            m[a * k + p] = 0;
            cairn_rows_add(m + a * k, -factor, m + p * k, k);
        }
    }
}
