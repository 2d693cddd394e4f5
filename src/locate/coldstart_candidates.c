/* SPDX-License-Identifier: MIT
 * Where a node may be beside its present place, by its placed neighbours: mirrored in their line, where the circles about
 * the two that are farthest apart meet, or at its start. */
#include "locate/coldstart_internal.h"

/* The two placed neighbours that are farthest apart, as numbers of links; false when there are fewer than two. */
static bool find_widest(const cairn_coldstart_t *self, uint32_t node, uint32_t *a, uint32_t *b)
{
    const cairn_network_t *network = self->network;
    const uint32_t degree = network_degree(network, node);
    cairn_real widest_m = -1;

    for (uint32_t i = 0; i < degree; ++i) {
        const uint32_t first = cairn_link_node(network_link(network, node, i));
        for (uint32_t j = 0; j < i && coldstart_mark(self, first) != COLDSTART_OUT; ++j) {
            const uint32_t second = cairn_link_node(network_link(network, node, j));
            const cairn_real distance_m =
                cairn_distance(network_place(network, first), network_place(network, second), coldstart_dim(self));
            if (coldstart_mark(self, second) != COLDSTART_OUT && distance_m > widest_m) {
                widest_m = distance_m;
                *a = i;
                *b = j;
            }
        }
    }
    return widest_m > 0;
}

/* Intersections of the circles about two neighbours (in 3-D: the two points of their circle in the plane of the old
 * place). Circles that do not meet: the point between them. */
static void intersect(const cairn_coldstart_t *self, uint32_t node, uint32_t link_a, uint32_t link_b,
                      cairn_real *first_m, cairn_real *second_m)
{
    const size_t dim = coldstart_dim(self);
    const cairn_link_t *a = network_link(self->network, node, link_a);
    const cairn_link_t *b = network_link(self->network, node, link_b);
    const cairn_real *a_m = network_place(self->network, cairn_link_node(a));
    const cairn_real *b_m = network_place(self->network, cairn_link_node(b));
    const cairn_real *old_m = network_place(self->network, node);
    const cairn_real base_m = cairn_distance(a_m, b_m, dim);
    const cairn_real foot_m = (base_m + (a->range_m - b->range_m) * (a->range_m + b->range_m) / base_m) / 2;
    const cairn_real height_m = cairn_sqrt(cairn_max(a->range_m * a->range_m - foot_m * foot_m, 0));
    cairn_real across[CAIRN_LOCATE_DIM_MAX] = {0};
    cairn_real along = 0;
    cairn_real length_m;

    for (size_t k = 0; k < dim; ++k) {
        along += (old_m[k] - a_m[k]) * (b_m[k] - a_m[k]) / base_m;
    }
    for (size_t k = 0; k < dim; ++k) {
        across[k] = old_m[k] - a_m[k] - along * (b_m[k] - a_m[k]) / base_m;
    }
    length_m = cairn_sqrt(cairn_dot(across, across, dim));
    for (size_t k = 0; k < dim; ++k) {
        const cairn_real shift_m = length_m > 0 ? height_m * across[k] / length_m : 0;
        const cairn_real middle_m = a_m[k] + foot_m * (b_m[k] - a_m[k]) / base_m;
        first_m[k] = middle_m + shift_m;
        second_m[k] = middle_m - shift_m;
    }
}

/* Where a node that is out may be: its old place, its mirror image, the circles' intersections, its start. Returns how
 * many. */
CAIRN_NOINLINE size_t
cairn_coldstart_candidates(const cairn_coldstart_t *self, uint32_t node,
                           cairn_real candidates_m[COLDSTART_CANDIDATES_MAX][CAIRN_LOCATE_DIM_MAX])
{
    const size_t dim = coldstart_dim(self);
    size_t n_candidates = 1;
    coldstart_line_t line;
    uint32_t a = 0;
    uint32_t b = 0;

    memcpy(candidates_m[0], network_place(self->network, node), dim * sizeof(cairn_real));
    if (cairn_coldstart_line_of_neighbours(self, node, &line)) {
        cairn_coldstart_mirror(&line, dim, candidates_m[0], candidates_m[n_candidates++]);
    }
    if (find_widest(self, node, &a, &b)) {
        intersect(self, node, a, b, candidates_m[n_candidates], candidates_m[n_candidates + 1u]);
        n_candidates += 2;
    }
    if (coldstart_has_prior(self, node)) {
        memcpy(candidates_m[n_candidates++], locate_start(&self->locate, node), dim * sizeof(cairn_real));
    }
    return n_candidates;
}
