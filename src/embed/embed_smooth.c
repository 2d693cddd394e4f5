/* SPDX-License-Identifier: MIT
 * The smoother: from the stream of pairs (place x, features p) learn the linear decoder p ~ mean + W (x - mean), least
 * squares, and its pseudo-inverse A = (W W^T)^-1 W, which with W = S^-1 C is S (C C^T)^-1 C. It knows all that has come,
 * where a place knows only its l distances; a free factor per vector keeps the length that the distances say. */
#include "embed/embed_internal.h"

#define LEARN_FIRST    400u /* vectors before the first map */
#define LEARN_INTERVAL 200u
#define LEARN_HALF     65536u /* then old sums count half: the map follows the stream, and sums keep their digits */
#define MAP_WEIGHT     1 /* of the map's place beside 1 of the distances': 3 is slightly better, leaves less of them */
enum { LANES = 8 };

#define RIDGE 1e-6f /* of the mean diagonal */

/* Where things are in self->learned. */
typedef struct parts {
    cairn_real *mean_p; /* [d] */
    cairn_real *mean_x; /* [k] */
    cairn_real *cross;  /* [k x d] */
    cairn_real *map;    /* [k x d] */
    cairn_real *square; /* [k x k] */
    cairn_real *work;   /* [k x k] */
    cairn_real *e;      /* [k] */
} parts_t;

static parts_t find_parts(const cairn_embed_t *self)
{
    const size_t d = self->cfg->n_features;
    const size_t k = self->dim;
    parts_t parts;

    parts.mean_p = self->learned;
    parts.mean_x = parts.mean_p + d;
    parts.cross = parts.mean_x + k;
    parts.map = parts.cross + k * d;
    parts.square = parts.map + k * d;
    parts.work = parts.square + k * k;
    parts.e = parts.work + k * k;
    return parts;
}

static void halve(cairn_embed_t *self, const parts_t *parts)
{
    const size_t k = self->dim;

    self->n_learned /= 2u;
    for (size_t i = 0; i < k * self->cfg->n_features; ++i) {
        parts->cross[i] *= 0.5f;
    }
    for (size_t i = 0; i < k * k; ++i) {
        parts->square[i] *= 0.5f;
    }
}

/* The pseudo-inverse from the sums; false where they have no full rank. */
static bool find_map(cairn_embed_t *self, const parts_t *parts)
{
    const size_t d = self->cfg->n_features;
    const size_t k = self->dim;
    cairn_real trace = 0;

    for (size_t a = 0; a < k; ++a) {
        for (size_t b = 0; b <= a; ++b) {
            parts->work[a * k + b] = cairn_dot(parts->cross + a * d, parts->cross + b * d, d);
            parts->work[b * k + a] = parts->work[a * k + b];
        }
        trace += parts->work[a * k + a];
    }
    if (!(trace > 0) || !cairn_isfinite((cairn_real)k / (RIDGE * trace)) || !cairn_isfinite(trace)) {
        return false;
    }
    for (size_t a = 0; a < k; ++a) {
        parts->work[a * k + a] += RIDGE * trace / (cairn_real)k;
    }
    cairn_embed_invert(parts->work, k);
    for (size_t a = 0; a < k; ++a) {
        cairn_real *row = parts->map + a * d;
        for (size_t b = 0; b < k; ++b) {
            parts->e[b] = cairn_dot(parts->square + a * k, parts->work + b * k, k);
        }
        memset(row, 0, d * sizeof *row);
        for (size_t b = 0; b < k; ++b) {
            for (size_t i = 0; i < d; ++i) {
                row[i] += parts->e[b] * parts->cross[b * d + i];
            }
        }
    }
    return cairn_all_finite(parts->map, k * d);
}

static void learn(cairn_embed_t *self, const cairn_real *features)
{
    const size_t d = self->cfg->n_features;
    const size_t k = self->dim;
    const parts_t parts = find_parts(self);
    const cairn_real *x = embed_vector(self, VECTOR_TRIAL);
    cairn_real share;

    if (self->n_learned >= LEARN_HALF) {
        halve(self, &parts);
    }
    share = 1 / (cairn_real)++self->n_learned;
    for (size_t i = 0; i < d; ++i) {
        parts.mean_p[i] += share * (features[i] - parts.mean_p[i]);
    }
    for (size_t a = 0; a < k; ++a) {
        parts.e[a] = x[a] - parts.mean_x[a];
        parts.mean_x[a] += share * parts.e[a];
    }
    for (size_t a = 0; a < k; ++a) {
        const cairn_real before = parts.e[a];
        cairn_real *row = parts.cross + a * d;
        for (size_t i = 0; i < d; ++i) {
            row[i] += before * (features[i] - parts.mean_p[i]);
        }
        for (size_t b = 0; b < k; ++b) {
            parts.square[a * k + b] += before * (x[b] - parts.mean_x[b]);
        }
    }
    if (self->n_learned >= LEARN_FIRST && self->n_learned % LEARN_INTERVAL == 0) {
        self->smoothing = find_map(self, &parts);
    }
}

static void apply(cairn_embed_t *self, const cairn_real *features)
{
    const size_t d = self->cfg->n_features;
    const size_t k = self->dim;
    const parts_t parts = find_parts(self);
    cairn_real *x = embed_vector(self, VECTOR_X);
    cairn_real along = 0;
    cairn_real square;

    for (size_t a = 0; a < k; ++a) {
        const cairn_real *row = parts.map + a * d;
        cairn_real lanes[LANES] = {0};
        size_t i = 0;
        for (; i + LANES <= d; i += LANES) {
            for (size_t l = 0; l < LANES; ++l) {
                lanes[l] += row[i + l] * (features[i + l] - parts.mean_p[i + l]);
            }
        }
        for (; i < d; ++i) {
            lanes[i % LANES] += row[i] * (features[i] - parts.mean_p[i]);
        }
        parts.e[a] = ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
        along += parts.e[a] * (x[a] - parts.mean_x[a]);
    }
    square = cairn_dot(parts.e, parts.e, k);
    along = square > 0 ? along / square : 0;
    if (!cairn_isfinite(along)) {
        return;
    }
    for (size_t a = 0; a < k; ++a) {
        const cairn_real mapped = parts.mean_x[a] + along * parts.e[a];
        x[a] = (x[a] + MAP_WEIGHT * mapped) / (1 + MAP_WEIGHT);
    }
}

static size_t count_reals(size_t d, size_t k) { return CAIRN_EMBED_SMOOTHER_REALS(d, k); }

const cairn_embed_smoother_t cairn_embed_smoother = {learn, apply, count_reals};
