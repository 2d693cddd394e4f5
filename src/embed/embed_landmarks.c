/* SPDX-License-Identifier: MIT
 * Landmarks of embed: which vectors they are, and their images' mean, covariance and its inverse. After a replacement,
 * old landmarks are placed again among the others one by one; without that, the noise of each newcomer adds up. */
#include "embed/embed_internal.h"

#define RIDGE       1e-2f /* of the mean variance; less amplifies axes without extent */
#define BARE_RIDGE  1e-4f /* of landmark MDS, which has none; keeps axes without extent finite */
#define SMALL_DIM   8     /* up to it the inverse is found anew at each replacement */
#define ROOMY       8     /* landmarks per dimension below which as well: one is much among few */
#define FRESH_MAX   6     /* replacements between inversions otherwise: they would take longer than all else */
#define RELAX_TRIES 3     /* of a relax step, ever shorter */
#define RELAX_WAITS 3     /* vectors in turn that need not pay for landmarks */

void cairn_embed_renew(cairn_embed_t *self)
{
    const size_t k = self->dim;
    const size_t n = self->padded;
    const cairn_real held = (cairn_real)self->n_held;
    const cairn_real *c = self->centre;
    cairn_real ridge;

    self->n_fresh = 0;
    cairn_rows_dot(self->weight, self->image, k, n, n, self->centre);
    for (size_t a = 0; a < k; ++a) {
        self->centre[a] /= held;
    }
    cairn_embed_squares(self, c, self->square);
    cairn_rows_dot(self->weight, self->square, 1, n, n, &self->spread2);
    self->spread2 /= held;
    ridge = (self->cfg->rounds > 0 ? RIDGE : BARE_RIDGE) * self->spread2 / (cairn_real)k;
    for (size_t a = 0; a < k; ++a) {
        cairn_real *row = self->inverse + a * k;
        cairn_rows_dot(self->image + a * n, self->image, a + 1u, n, n, row);
        for (size_t b = 0; b <= a; ++b) {
            row[b] = row[b] / held - c[a] * c[b];
            self->inverse[b * k + a] = row[b];
        }
        row[a] = cairn_max(row[a], 0) + ridge; /* rounding must not make a variance negative */
    }
    if (ridge > 0 && cairn_isfinite(1 / ridge)) {
        cairn_embed_invert(self->inverse, k);
    } else {
        memset(self->inverse, 0, k * k * sizeof *self->inverse);
    }
}

/* Keep a vector, whose ranges are at hand, as a landmark: there is room. */
cairn_status cairn_embed_collect(cairn_embed_t *self, const cairn_real *features)
{
    const size_t i = self->n_held;
    uint32_t slot = 0;

    if (self->cfg->policy != NULL) {
        (void)self->cfg->policy->choose(self, &slot);
    }
    cairn_embed_set_source(self, i, features);
    for (size_t a = 0; a < self->dim; ++a) { /* where the start begins: anywhere, at the scale of the distances */
        self->image[a * self->padded + i] = self->range[0] * (cairn_rng_uniform(&self->rng) - 0.5f);
    }
    if (self->stored != NULL) {
        memcpy(embed_stored(self, i, 0), self->range, i * sizeof *self->stored);
    }
    if (++self->n_held < self->cfg->n_landmarks) {
        return CAIRN_UNPLACED;
    }
    cairn_embed_begin_start(self);
    return CAIRN_MORE;
}

static bool is_landmark(const cairn_embed_t *self)
{
    const size_t n = self->n_held;
    const cairn_real *range = self->range;

    for (size_t j = 0; j < n; ++j) {
        if (!(range[j] > 0)) {
            return true;
        }
    }
    return false;
}

/* Landmark i lies at x now. What else depends on the images can wait for the next replacement. */
static void put_image(cairn_embed_t *self, const cairn_real *x, size_t i)
{
    const size_t k = self->dim;
    const cairn_real *centre = self->centre;
    cairn_real square = 0;

    for (size_t a = 0; a < k; ++a) {
        const cairn_real difference = x[a] - centre[a];
        square += difference * difference;
    }
    self->square[i] = square;
    cairn_embed_put(self, x, self->image, i);
}

/* The vector at hand, with its ranges and place x, becomes a landmark. */
static void replace(cairn_embed_t *self, size_t slot, const cairn_real *features)
{
    cairn_embed_set_source(self, slot, features);
    if (self->stored != NULL) { /* row of the triangle, then down the column */
        const cairn_real *range = self->range;
        cairn_real *entry = embed_stored(self, slot, 0);
        memcpy(entry, range, slot * sizeof *entry);
        entry += 2 * slot;
        for (size_t j = slot + 1u; j < self->n_held; ++j) {
            *entry = range[j];
            entry += j;
        }
    }
    put_image(self, embed_vector(self, VECTOR_X), slot);
    ++self->counters.n_replaced;
    self->relax_owed += self->cfg->relax;
    self->relax_tries = 0;
    if (self->dim <= SMALL_DIM || self->n_held < ROOMY * self->dim || ++self->n_fresh >= FRESH_MAX) {
        cairn_embed_renew(self);
    }
}

/* A landmark steps while one vector is placed, and the step is judged, and taken or shortened, with the next: no vector
 * pays for both. What the landmark and the others were like is the same both times, for a replacement aims again. */
static void relax(cairn_embed_t *self)
{
    const size_t i = self->relax_next;
    cairn_real *x = embed_vector(self, VECTOR_X);
    cairn_real *step = embed_vector(self, VECTOR_RELAX);

    cairn_embed_read_row(self, i);
    cairn_embed_get_image(self, i, x);
    cairn_embed_set_others(self, i, true);
    if (self->relax_tries++ == 0) {
        self->relax_cost = cairn_embed_aim(self, &self->relax_slope);
        memcpy(step, embed_vector(self, VECTOR_P), self->dim * sizeof *step);
    } else {
        const cairn_real cost = cairn_embed_try(self, 1, step);
        const cairn_real share = cairn_embed_best_share(self->relax_cost, self->relax_slope, cost, 1);
        const bool good = cost <= self->relax_cost;
        if (good) {
            put_image(self, embed_vector(self, VECTOR_TRIAL), i);
        }
        if (good || self->relax_tries > RELAX_TRIES) {
            self->relax_tries = 0;
            --self->relax_owed;
            self->relax_next = (uint16_t)(i + 1u < self->n_held ? i + 1u : 0);
        }
        self->relax_slope *= share;
        for (size_t a = 0; a < self->dim; ++a) {
            step[a] *= share;
        }
    }
    cairn_embed_set_all(self);
}

/* A vector that is a landmark already, in a second pass, would only take the place of another. */
void cairn_embed_offer(cairn_embed_t *self, const cairn_real *features)
{
    uint32_t slot = 0;

    if (self->cfg->policy->choose(self, &slot) && !is_landmark(self)) {
        replace(self, slot, features);
    } else if (self->relax_owed > 0) {
        if (self->tried_again && self->relax_waits < RELAX_WAITS) { /* it has been dear enough */
            ++self->relax_waits;
            return;
        }
        self->relax_waits = 0;
        relax(self);
    }
}
