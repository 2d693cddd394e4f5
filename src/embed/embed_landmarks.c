/* SPDX-License-Identifier: MIT
 * Landmarks of embed: which vectors they are, and their images' mean, covariance and its inverse. After a replacement,
 * old landmarks are placed again among the others one by one; without that, the noise of each newcomer adds up. */
#include "embed/embed_internal.h"

#define RIDGE      1e-2f /* of the mean variance; less amplifies axes without extent */
#define BARE_RIDGE 1e-4f /* of landmark MDS, which has none; keeps axes without extent finite */
#define FRESH_MAX  8     /* replacements between inversions: rank-one updates drift */
#define ROOMY      5     /* landmarks per dimension below which each replacement inverts anew */
#define UNEVEN                                                                                                         \
    3                  /* times k^2: trace of the covariance times that of its inverse, above which some axis is so thin
                              that each replacement inverts anew, as drift along it would build up */
#define SMALL_DIM    8 /* up to it an inversion costs no more than a step: each replacement has one */
#define RELAX_TRIES  3 /* of a relax step, ever shorter */
#define RELAX_WAITS  3 /* vectors in turn that need not pay for landmarks */
#define LEAST_FACTOR 0.05f /* of a rank-one update: nearer to singular is refused */

/* Mean of the images, and what depends on it alone. */
static void find_centre(cairn_embed_t *self)
{
    const size_t n = self->padded;

    self->spread2 = 0;
    for (size_t j = 0; j < n; ++j) {
        self->square[j] = 0;
    }
    for (size_t a = 0; a < self->dim; ++a) {
        const cairn_real *image = self->image + a * n;
        cairn_real mean = 0;
        for (size_t j = 0; j < self->n_held; ++j) {
            mean += image[j];
        }
        mean /= (cairn_real)self->n_held;
        self->centre[a] = mean;
        for (size_t j = 0; j < self->n_held; ++j) {
            self->square[j] += (image[j] - mean) * (image[j] - mean);
        }
    }
    for (size_t j = 0; j < self->n_held; ++j) {
        self->spread2 += self->square[j] / (cairn_real)self->n_held;
    }
}

void cairn_embed_renew(cairn_embed_t *self)
{
    const size_t k = self->dim;
    const size_t n = self->padded;
    const cairn_real *c = self->centre;
    const cairn_real ridge = self->cfg->rounds > 0 ? RIDGE : BARE_RIDGE;

    self->n_fresh = 0;
    find_centre(self);
    for (size_t a = 0; a < k; ++a) {
        cairn_real *row = self->inverse + a * k;
        cairn_rows_dot(self->image + a * n, self->image, a + 1u, n, n, row);
        for (size_t b = 0; b <= a; ++b) {
            row[b] = row[b] / (cairn_real)self->n_held - c[a] * c[b];
            self->inverse[b * k + a] = row[b];
        }
    }
    for (size_t a = 0; a < k; ++a) { /* rounding must not make a variance negative */
        cairn_real *diagonal = self->inverse + a * k + a;
        *diagonal = cairn_max(*diagonal, 0) + ridge * self->spread2 / (cairn_real)k;
    }
    self->uneven = false;
    if (self->spread2 > 0 && cairn_isfinite((cairn_real)k / (ridge * self->spread2))) {
        cairn_real trace = 0;
        cairn_embed_invert(self->inverse, k);
        for (size_t a = 0; a < k; ++a) {
            trace += self->inverse[a * k + a];
        }
        self->uneven = trace * self->spread2 > UNEVEN * (cairn_real)k * (cairn_real)k;
    } else {
        memset(self->inverse, 0, k * k * sizeof *self->inverse);
    }
}

/* The inverse after sign/l v v^T has been added to the covariance (Sherman and Morrison 1950). */
static void update_inverse(cairn_embed_t *self, const cairn_real *v, cairn_real sign)
{
    const size_t k = self->dim;
    const cairn_real share = sign / (cairn_real)self->n_held;
    cairn_real *hv = embed_vector(self, VECTOR_HU);
    cairn_real factor;

    cairn_rows_dot(v, self->inverse, k, k, k, hv);
    factor = 1 + share * cairn_dot(v, hv, k);
    factor = share / cairn_max(factor, LEAST_FACTOR);
    for (size_t a = 0; a < k; ++a) {
        cairn_rows_add(self->inverse + a * k, -factor * hv[a], hv, k);
    }
}

static void set_image(cairn_embed_t *self, size_t i, const cairn_real *x)
{
    const size_t k = self->dim;
    cairn_real *u = embed_vector(self, VECTOR_U);
    const cairn_real before = self->square[i];

    for (size_t a = 0; a < k; ++a) {
        cairn_real *image = self->image + a * self->padded + i;
        u[a] = *image - self->centre[a];
        *image = x[a];
    }
    update_inverse(self, u, -1);
    for (size_t a = 0; a < k; ++a) {
        u[a] = x[a] - self->centre[a];
    }
    update_inverse(self, u, 1);
    self->square[i] = cairn_dot(u, u, k);
    self->spread2 = cairn_max(0, self->spread2 + (self->square[i] - before) / (cairn_real)self->n_held);
}

/* Keep a vector, whose ranges are at hand, as a landmark: there is room. */
cairn_status cairn_embed_collect(cairn_embed_t *self, const cairn_real *features)
{
    uint32_t slot = 0;

    if (self->cfg->policy != NULL) {
        (void)self->cfg->policy->choose(self, &slot);
    }
    cairn_embed_set_source(self, self->n_held, features);
    for (size_t j = 0; j < self->n_held && self->stored != NULL; ++j) {
        *embed_stored(self, self->n_held, j) = self->range[j];
    }
    if (++self->n_held < self->cfg->n_landmarks) {
        return CAIRN_UNPLACED;
    }
    cairn_embed_begin_start(self);
    return CAIRN_MORE;
}

static bool is_landmark(const cairn_embed_t *self)
{
    for (size_t j = 0; j < self->n_held; ++j) {
        if (!(self->range[j] > 0)) {
            return true;
        }
    }
    return false;
}

/* The vector at hand, with its ranges and place x, becomes a landmark. */
static void replace(cairn_embed_t *self, size_t slot, const cairn_real *features)
{
    cairn_embed_set_source(self, slot, features);
    for (size_t j = 0; j < self->n_held && self->stored != NULL; ++j) {
        if (j != slot) {
            *(j < slot ? embed_stored(self, slot, j) : embed_stored(self, j, slot)) = self->range[j];
        }
    }
    set_image(self, slot, embed_vector(self, VECTOR_X));
    ++self->counters.n_replaced;
    self->relax_owed += self->cfg->relax;
    self->relax_tries = 0;
    if (++self->n_fresh >= FRESH_MAX || self->n_held < ROOMY * self->dim || self->uneven || self->dim <= SMALL_DIM ||
        !(self->spread2 > 0)) {
        cairn_embed_renew(self);
    }
}

static void aim_landmark(cairn_embed_t *self, const cairn_real *x, cairn_real *moved)
{
    const cairn_real *p = embed_vector(self, VECTOR_P);

    self->relax_cost = cairn_embed_aim(self);
    self->relax_slope = cairn_dot(embed_vector(self, VECTOR_G), p, self->dim);
    self->relax_tries = 1;
    for (size_t a = 0; a < self->dim; ++a) {
        moved[a] = x[a] + p[a];
    }
}

/* Take the step, or shorten it for the next try. */
static void judge_landmark(cairn_embed_t *self, size_t i, const cairn_real *x, cairn_real *moved)
{
    const cairn_real cost = cairn_embed_find_cost(self, moved);
    const bool good = cost <= self->relax_cost;
    const cairn_real share = cairn_embed_best_share(self->relax_cost, self->relax_slope, cost, 1);

    if (good) {
        set_image(self, i, moved);
    } else if (self->relax_tries++ < RELAX_TRIES) {
        self->relax_slope *= share;
        for (size_t a = 0; a < self->dim; ++a) {
            moved[a] = x[a] + share * (moved[a] - x[a]);
        }
        return;
    }
    self->relax_tries = 0;
    --self->relax_owed;
    self->relax_next = (uint16_t)(i + 1u < self->n_held ? i + 1u : 0);
}

/* A landmark steps while one vector is placed, and the step is judged, and taken or not, with the next: no vector pays for
 * both. What the landmark and the others were like is the same both times, for a replacement aims again. */
static void relax(cairn_embed_t *self)
{
    const size_t i = self->relax_next;
    cairn_real *x = embed_vector(self, VECTOR_X);
    cairn_real *moved = embed_vector(self, VECTOR_MOVED);

    cairn_embed_read_row(self, i);
    cairn_embed_get_image(self, i, x);
    cairn_embed_set_others(self, i, true);
    if (self->relax_tries == 0) {
        aim_landmark(self, x, moved);
    } else {
        judge_landmark(self, i, x, moved);
    }
    cairn_embed_set_weights(self, EMBED_NOBODY);
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
