/* SPDX-License-Identifier: MIT
 * Inner loops of embed over padded arrays, in blocks of constant length with sums of their own. */
#include "embed/embed_internal.h"

cairn_real cairn_embed_dot(const cairn_real *a, const cairn_real *b, size_t n)
{
    cairn_real lanes[EMBED_BLOCK] = {0};

    for (size_t j = 0; j < n; j += EMBED_BLOCK) {
        for (size_t l = 0; l < EMBED_BLOCK; ++l) {
            lanes[l] += a[j + l] * b[j + l];
        }
    }
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

void cairn_embed_squares(const cairn_embed_t *self, const cairn_real *x, cairn_real *out)
{
    const size_t stride = self->padded;

    for (size_t j = 0; j < stride; j += EMBED_BLOCK) {
        const cairn_real *image = self->image + j;
        cairn_real lanes[EMBED_BLOCK] = {0};
        for (size_t a = 0; a < self->cfg->dim; ++a, image += stride) {
            const cairn_real x_a = x[a];
            for (size_t l = 0; l < EMBED_BLOCK; ++l) {
                const cairn_real difference = x_a - image[l];
                lanes[l] += difference * difference;
            }
        }
        memcpy(out + j, lanes, sizeof lanes);
    }
}

void cairn_embed_along(const cairn_embed_t *self, const cairn_real *x, const cairn_real *p, cairn_real *out)
{
    const size_t stride = self->padded;

    for (size_t j = 0; j < stride; j += EMBED_BLOCK) {
        const cairn_real *image = self->image + j;
        cairn_real lanes[EMBED_BLOCK] = {0};
        for (size_t a = 0; a < self->cfg->dim; ++a, image += stride) {
            const cairn_real x_a = x[a];
            const cairn_real p_a = p[a];
            for (size_t l = 0; l < EMBED_BLOCK; ++l) {
                lanes[l] += (x_a - image[l]) * p_a;
            }
        }
        memcpy(out + j, lanes, sizeof lanes);
    }
}

void cairn_embed_precondition(const cairn_embed_t *self, const cairn_real *v, cairn_real *out)
{
    const size_t k = self->cfg->dim;

    for (size_t a = 0; a < k; ++a) {
        out[a] = cairn_dot(self->inverse + a * k, v, k);
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
            for (size_t b = 0; b < k; ++b) {
                m[a * k + b] -= factor * m[p * k + b];
            }
        }
    }
}
