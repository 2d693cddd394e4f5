/* SPDX-License-Identifier: MIT
 * A patch of nodes that come to rest together: its cost with all other nodes held and the gradient, as the steps of Newton
 * that end a fine last stage count them, and the Hessian, of any sign, weights taken as constant. */
#include "locate/coldstart_newton.h"

/* A term that a member shares with another node. */
typedef struct term {
    cairn_real delta[CAIRN_LOCATE_DIM_MAX];
    cairn_real distance_m;
    cairn_real cost;
    cairn_real slope;
    cairn_real weight; /* curvature along it */
} term_t;

void cairn_coldstart_patch_begin(const cairn_coldstart_t *self, coldstart_patch_t *patch)
{
    cairn_word_t *words = coldstart_scratch(self);

    patch->n_members = 0;
    patch->cost = 0;
    patch->members = coldstart_members(self);
    patch->gradient = &words[COLDSTART_PATCH_REALS].real;
    patch->step_m = &words[2u * COLDSTART_PATCH_REALS].real;
    patch->before_m = &words[3u * COLDSTART_PATCH_REALS].real;
    patch->hessian = &words[4u * COLDSTART_PATCH_REALS].real;
}

typedef char patch_fits
    [4u * COLDSTART_PATCH_REALS + CAIRN_SYMMETRIC_REALS(COLDSTART_PATCH_REALS) <= CAIRN_COLDSTART_FIXED(1) ? 1 : -1];

static void measure(const cairn_coldstart_t *self, const cairn_real *place_m, uint32_t other, term_t *term)
{
    const cairn_real least_m = COLDSTART_TINY * self->radio_range_m;
    const cairn_real *other_m = network_place(self->network, other);
    cairn_real distance2 = 0;

    for (size_t k = 0; k < coldstart_dim(self); ++k) {
        term->delta[k] = place_m[k] - other_m[k];
        distance2 += term->delta[k] * term->delta[k];
    }
    term->distance_m = cairn_sqrt(cairn_max(distance2, least_m * least_m));
}

/* Add the curvatures of a term to a block of the Hessian: to the diagonal one, or, with sign -1, to one below it. */
static void add_block(coldstart_patch_t *patch, size_t dim, size_t row, size_t column, const term_t *term,
                      cairn_real sign)
{
    const cairn_real inverse = 1 / term->distance_m;
    const cairn_real across = term->slope * inverse;
    const cairn_real along = (term->weight - across) * inverse * inverse;

    for (size_t k = 0; k < dim; ++k, ++row) {
        cairn_real *element = patch->hessian + row * (row + 1u) / 2u + column;
        for (size_t l = 0; l < dim && column + l <= row; ++l) {
            element[l] += sign * (along * term->delta[k] * term->delta[l] + (k == l ? across : 0));
        }
    }
}

/* Add a term of member number `at`; what two members share comes once from either of them. Returns its cost. */
static cairn_real add_term(const cairn_coldstart_t *self, coldstart_patch_t *patch, uint32_t at, uint32_t other,
                           const term_t *term)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real pull = term->slope / term->distance_m;
    const bool shared = coldstart_mark(self, other) == COLDSTART_IN;

    for (size_t k = 0; k < dim; ++k) {
        patch->gradient[dim * at + k] += pull * term->delta[k];
    }
    add_block(patch, dim, dim * at, dim * at, term, 1);
    for (uint32_t j = 0; j < at && shared; ++j) {
        if (patch->members[j] == other) {
            add_block(patch, dim, dim * at, dim * j, term, -1);
        }
    }
    return shared ? 0.5f * term->cost : term->cost;
}

/* A range, as its links are counted in the cost of the whole map. */
static void count_range(const cairn_coldstart_t *self, const cairn_link_t *link, term_t *term)
{
    const cairn_real range_m = self->stretch * link->range_m;
    const cairn_real residual_m = term->distance_m - range_m;
    const cairn_real over_m = term->distance_m - coldstart_reach(self);

    term->weight =
        coldstart_weight(&self->noise, self->network, self->plain, link, term->distance_m * term->distance_m);
    term->cost = 0.5f * term->weight * residual_m * residual_m;
    if (!self->plain) {
        term->weight = cairn_coldstart_loss(self, term->distance_m, range_m, term->weight, &term->cost);
    }
    term->cost *= coldstart_integral(&self->noise, self->network, self->plain, link, term->distance_m, range_m);
    term->slope = term->weight * residual_m;
    if (over_m > 0) {
        term->cost += 0.5f * self->push_weight * over_m * over_m;
        term->slope += self->push_weight * over_m;
        term->weight += self->push_weight;
    }
}

static void count_push(const cairn_coldstart_t *self, cairn_real weight, term_t *term)
{
    const cairn_real short_m = self->radio_range_m - term->distance_m;

    term->weight = weight;
    term->cost = 0.5f * term->weight * short_m * short_m;
    if (self->cap > 0) {
        term->weight *= coldstart_fade(term->cost, self->cap);
        term->cost = coldstart_capped(term->cost, self->cap);
    }
    term->slope = -term->weight * short_m;
}

/* What a member's ranges cost; its neighbours are stamped. */
static cairn_real add_ranges(const cairn_coldstart_t *self, coldstart_patch_t *patch, uint32_t at)
{
    const uint32_t node = patch->members[at];
    const uint32_t degree = network_degree(self->network, node);
    cairn_word_t *marks = coldstart_marks(self);
    cairn_real cost = 0;

    marks[node].index = coldstart_stamp(node) | coldstart_mark(self, node);
    for (uint32_t j = 0; j < degree; ++j) {
        const cairn_link_t *link = network_link(self->network, node, j);
        const uint32_t other = cairn_link_node(link);
        term_t term;
        marks[other].index = coldstart_stamp(node) | coldstart_mark(self, other);
        if (network_is_known(self->network, other)) {
            measure(self, network_place(self->network, node), other, &term);
            count_range(self, link, &term);
            cost += add_term(self, patch, at, other, &term);
        }
    }
    return cost;
}

/* What the nodes of a cell that are near, but have no range to the member, cost, as far as the list of pairs holds them. */
static cairn_real add_pushes(const cairn_coldstart_t *self, coldstart_patch_t *patch, uint32_t at, uint32_t cell)
{
    const uint32_t node = patch->members[at];
    cairn_real cost = 0;

    for (uint32_t j = cairn_coldstart_heads(self)[cell].index; j != PATHS_NONE; j = coldstart_next(self)[j].index) {
        term_t term;
        measure(self, network_place(self->network, node), j, &term);
        if (term.distance_m < self->radio_range_m && !coldstart_is_stamped(coldstart_marks(self)[j].index, node) &&
            coldstart_keeps_pair(self, node, j)) {
            count_push(self, cairn_coldstart_push_weight(self, node, j), &term);
            cost += add_term(self, patch, at, j, &term);
        }
    }
    return cost;
}

static cairn_real add_start(const cairn_coldstart_t *self, coldstart_patch_t *patch, uint32_t at)
{
    const uint32_t node = patch->members[at];
    const size_t dim = coldstart_dim(self);
    cairn_real cost = 0;

    for (size_t k = 0; k < dim && coldstart_has_prior(self, node); ++k) {
        const size_t row = dim * at + k;
        const cairn_real off_m = network_place(self->network, node)[k] - locate_start(&self->locate, node)[k];
        cost += 0.5f * self->prior_weight * off_m * off_m;
        patch->gradient[row] += self->prior_weight * off_m;
        patch->hessian[row * (row + 3u) / 2u] += self->prior_weight;
    }
    return cost;
}

void cairn_coldstart_patch_look(const cairn_coldstart_t *self, coldstart_patch_t *patch)
{
    const size_t n = coldstart_dim(self) * patch->n_members;

    memset(patch->gradient, 0, n * sizeof *patch->gradient);
    memset(patch->hessian, 0, CAIRN_SYMMETRIC_REALS(n) * sizeof *patch->hessian);
    patch->cost = 0;
    for (uint32_t i = 0; i < patch->n_members; ++i) {
        coldstart_box_t box;
        uint32_t cell;
        patch->cost += add_start(self, patch, i);
        patch->cost += add_ranges(self, patch, i);
        cairn_coldstart_box_begin(self, network_place(self->network, patch->members[i]), &box);
        while (self->push_weight > 0 && (cell = coldstart_box_next(self, &box)) != PATHS_NONE) {
            patch->cost += add_pushes(self, patch, i, cell);
        }
    }
}
