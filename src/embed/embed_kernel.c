/* SPDX-License-Identifier: MIT
 * Loops of embed over the images. */
#include "embed/embed_internal.h"

/* A block of landmarks at a time, axis after axis, sums in registers. */
enum { PARTS = 4, BLOCK = PARTS * ROWS_ABREAST };
#define EACH_PART(step) step(0) step(1) step(2) step(3)

void cairn_embed_squares(const cairn_embed_t *self, const cairn_real *x, cairn_real *out)
{
    const size_t stride = self->padded;
    const size_t k = self->dim;

    for (size_t j = 0; j < stride; j += BLOCK) {
        const cairn_real *image = self->image + j;
        cairn_real sums[PARTS][ROWS_ABREAST];
#define CLEAR(part)                                                                                                    \
    EACH_LANE { sums[part][lane] = 0; }
        EACH_PART(CLEAR)
        for (size_t a = 0; a < k; ++a, image += stride) {
            const cairn_real x_a = x[a];
#define STEP(part)                                                                                                     \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        const cairn_real difference = image[(part)*ROWS_ABREAST + lane] - x_a;                                         \
        sums[part][lane] += difference * difference;                                                                   \
    }
            EACH_PART(STEP)
        }
#define STORE(part)                                                                                                    \
    EACH_LANE { out[j + (part)*ROWS_ABREAST + lane] = sums[part][lane]; }
        EACH_PART(STORE)
    }
}

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
