/* SPDX-License-Identifier: MIT
 * Nodes that few ranges hold come to rest slowly: they slide along walls and on circles, alone or as linkages of a few,
 * in curved valleys that a map takes many steps through. In the steps of Newton that end a fine last stage, loose nodes and
 * those that had to be damped are brought to their own least cost before the next step, all others held (nonlinear
 * elimination: Lanzkron, Rose and Wilkes 1996), a patch of neighbours at a time. */
#include "locate/coldstart_newton.h"

#define STEPS_MAX      60
#define STEP_MOST      0.5f  /* radio ranges */
#define STEP_LEAST     1e-5f /* radio ranges: at rest */
#define RISE_MOST      0.01f /* of the cost, what rounding may hide */
#define ROUNDING       (2 * FLT_EPSILON)
#define BACK_MOST      0.9f /* a step must not lead back as steeply as it led on */
#define DAMPING_GROWTH 4
#define DAMPING_LEAST  1e-4f /* of a range's weight */
#define DAMPING_ZERO   1e-5f
#define NEAR_NODES     16 /* operations to look at a place */

static uint32_t patch_most(const cairn_coldstart_t *self)
{
    return COLDSTART_PATCH_REALS / (uint32_t)coldstart_dim(self);
}

static bool is_damped(const cairn_coldstart_t *self, uint32_t node)
{
    return coldstart_damping(self, node) > 2 * COLDSTART_HIDDEN;
}

static bool is_slow(const cairn_coldstart_t *self, uint32_t node)
{
    return coldstart_is_free(self, node) && (coldstart_is_loose(self, node) || is_damped(self, node));
}

static void add_member(const cairn_coldstart_t *self, uint32_t node, coldstart_patch_t *patch)
{
    if (patch->n_members < patch_most(self) && coldstart_mark(self, node) != COLDSTART_IN) {
        coldstart_set_mark(self, node, COLDSTART_IN);
        coldstart_members(self)[patch->n_members++] = node;
    }
}

/* Those that the ranges of a member tie to it, then those that it touches: the slow ones, of a damped member all, as what
 * turns may be a few nodes that hold each other. */
static void add_neighbours(const cairn_coldstart_t *self, uint32_t node, coldstart_patch_t *patch)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real *place_m = network_place(self->network, node);
    const uint32_t degree = network_degree(self->network, node);
    const bool damped = is_damped(self, node);
    coldstart_box_t box;
    uint32_t cell;

    for (uint32_t j = 0; j < degree; ++j) {
        const uint32_t other = cairn_link_node(network_link(self->network, node, j));
        if (is_slow(self, other) || (damped && coldstart_is_free(self, other))) {
            add_member(self, other, patch);
        }
    }
    cairn_coldstart_box_begin(self, place_m, &box);
    while (self->push_weight > 0 && (cell = coldstart_box_next(self, &box)) != PATHS_NONE) {
        for (uint32_t j = cairn_coldstart_heads(self)[cell].index; j != PATHS_NONE; j = coldstart_next(self)[j].index) {
            if (is_slow(self, j) &&
                cairn_distance(place_m, network_place(self->network, j), dim) < self->radio_range_m) {
                add_member(self, j, patch);
            }
        }
    }
}

/* The slow nodes about one, as far as there is room. */
static void take_patch(const cairn_coldstart_t *self, uint32_t node, coldstart_patch_t *patch)
{
    add_member(self, node, patch);
    for (uint32_t at = 0; at < patch->n_members && patch->n_members < patch_most(self); ++at) {
        add_neighbours(self, patch->members[at], patch);
    }
}

/* Damped step; returns the square of the longest of a node, -1 when there is none: the Hessian is not positive. */
static cairn_real damped_step(const cairn_coldstart_t *self, const coldstart_patch_t *patch, cairn_real damping)
{
    const size_t dim = coldstart_dim(self);
    const size_t n = dim * patch->n_members;
    const cairn_real most_m = STEP_MOST * self->radio_range_m;
    cairn_real *step_m = patch->step_m;
    cairn_real longest2 = 0;

    for (size_t k = 0; k < n; ++k) {
        step_m[k] = -patch->gradient[k];
        patch->hessian[k * (k + 3u) / 2u] += damping;
    }
    if (!cairn_symmetric_solve(patch->hessian, step_m, n)) {
        return -1;
    }
    for (size_t k = 0; k < n; k += dim) {
        longest2 = cairn_max(longest2, cairn_dot(step_m + k, step_m + k, dim));
    }
    for (size_t k = 0; k < n && longest2 > most_m * most_m; ++k) {
        step_m[k] *= most_m / cairn_sqrt(longest2);
    }
    return longest2;
}

/* Move the members by their step, or back to where they were before; the step of the whole map takes it in. */
static void move(const cairn_coldstart_t *self, const coldstart_patch_t *patch, bool back)
{
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = 0; i < patch->n_members; ++i) {
        const uint32_t node = patch->members[i];
        const cairn_real *step_m = patch->step_m + dim * i;
        cairn_real *before_m = patch->before_m + dim * i;
        cairn_real *whole_m = cairn_coldstart_vector(self, 3) + dim * node;
        cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
        for (size_t k = 0; k < dim; ++k) {
            before_m[k] = back ? before_m[k] : network_place(self->network, node)[k];
            place_m[k] = before_m[k] + (back ? 0 : step_m[k]);
            whole_m[k] += back ? -step_m[k] : step_m[k];
        }
        cairn_coldstart_grid_move(self, node, place_m);
    }
}

/* Returns how many places were looked at, and counts the steps that were good. */
static uint32_t descend(const cairn_coldstart_t *self, coldstart_patch_t *patch, uint32_t *n_good)
{
    const size_t n = coldstart_dim(self) * patch->n_members;
    const cairn_real least_m = STEP_LEAST * self->radio_range_m;
    cairn_real damping = 0;
    uint32_t n_looks = 1;

    cairn_coldstart_patch_look(self, patch);
    for (int n_steps = 0; n_steps < STEPS_MAX; ++n_steps) {
        const cairn_real cost = patch->cost;
        const cairn_real longest2 = damped_step(self, patch, damping);
        cairn_real slope = 0;
        const bool solved = longest2 >= 0;
        if (solved) {
            if (!(longest2 > least_m * least_m)) {
                break;
            }
            slope = cairn_dot(patch->gradient, patch->step_m, n);
            move(self, patch, false);
        }
        cairn_coldstart_patch_look(self, patch);
        ++n_looks;
        if (solved && patch->cost <= cost + RISE_MOST + ROUNDING * cost &&
            cairn_dot(patch->gradient, patch->step_m, n) < -BACK_MOST * slope) {
            damping = damping > DAMPING_ZERO * self->unit_weight ? damping / DAMPING_GROWTH : 0;
            ++*n_good;
            continue;
        }
        damping = DAMPING_GROWTH * damping + DAMPING_LEAST * self->unit_weight;
        if (solved) {
            move(self, patch, true);
            cairn_coldstart_patch_look(self, patch);
            ++n_looks;
        }
    }
    return n_looks;
}

static void relax_patch(cairn_coldstart_t *self, uint32_t node, int32_t *operations)
{
    coldstart_patch_t patch;
    uint32_t n_good = 0;
    uint32_t n_looks;

    cairn_coldstart_patch_begin(self, &patch);
    take_patch(self, node, &patch);
    n_looks = descend(self, &patch, &n_good);
    *operations -= (int32_t)(NEAR_NODES * n_looks * patch.n_members);
    self->n_changed += n_good > 0 ? 1u : 0u;
    for (uint32_t i = 0; i < patch.n_members; ++i) {
        coldstart_set_mark(self, patch.members[i], COLDSTART_DONE);
    }
}

bool cairn_coldstart_relax(cairn_coldstart_t *self, int32_t *operations)
{
    const uint32_t n_nodes = self->network->n_nodes;

    while (*operations > 0 && self->cursor < n_nodes) {
        --*operations;
        if (is_slow(self, self->cursor) && coldstart_mark(self, self->cursor) == 0) {
            relax_patch(self, self->cursor, operations);
        }
        ++self->cursor;
    }
    if (self->cursor < n_nodes) {
        return false;
    }
    self->cursor = 0;
    return true;
}
