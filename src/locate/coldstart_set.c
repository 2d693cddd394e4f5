/* SPDX-License-Identifier: MIT
 * Sets of nodes that are tried elsewhere together: taken, mirrored in the line of the nodes around them, smoothed,
 * restored. Their numbers and old places lie in the scratch words. */
#include "locate/coldstart_internal.h"

#include "locate/trilaterate_internal.h"

#define STEPS_SWEEP 2
#define SWEEPS_PACE 2 /* sweeps gain less and less: what the last of these gained, the next ones gain at most */

/* Add a free node that is not in the set yet while there is room: its place is saved. */
void cairn_coldstart_add_member(cairn_coldstart_t *self, uint32_t node)
{
    const size_t dim = coldstart_dim(self);

    if (coldstart_is_free(self, node) && coldstart_mark(self, node) == 0 && self->n_members < COLDSTART_SET_MAX) {
        coldstart_members(self)[self->n_members] = node;
        memcpy(coldstart_saved_m(self) + dim * self->n_members, network_place(self->network, node),
               dim * sizeof(cairn_real));
        coldstart_set_mark(self, node, COLDSTART_IN);
        ++self->n_members;
    }
}

/* Add the neighbours of a node whose cost is at least `cost`. */
static void add_neighbours(cairn_coldstart_t *self, uint32_t node, cairn_real cost)
{
    const cairn_network_t *network = self->network;
    const uint32_t degree = network_degree(network, node);

    for (uint32_t j = 0; j < degree; ++j) {
        const uint32_t other = cairn_link_node(network_link(network, node, j));
        if (coldstart_costs(self)[other].real >= cost) {
            cairn_coldstart_add_member(self, other);
        }
    }
}

void cairn_coldstart_take_set(cairn_coldstart_t *self, uint32_t node, cairn_real cost)
{
    self->n_members = 0;
    cairn_coldstart_add_member(self, node);
    add_neighbours(self, node, cost);
}

void cairn_coldstart_take_region(cairn_coldstart_t *self, uint32_t node, cairn_real cost)
{
    uint32_t n_bad;

    self->n_members = 0;
    cairn_coldstart_add_member(self, node);
    for (uint32_t i = 0; i < self->n_members; ++i) {
        add_neighbours(self, coldstart_members(self)[i], cost);
    }
    n_bad = self->n_members;
    for (uint32_t i = 0; i < n_bad; ++i) {
        add_neighbours(self, coldstart_members(self)[i], 0);
    }
}

void cairn_coldstart_leave_set(cairn_coldstart_t *self, bool restore)
{
    for (uint32_t i = 0; i < self->n_members; ++i) {
        coldstart_set_mark(self, coldstart_members(self)[i], 0);
        if (restore) {
            cairn_coldstart_grid_move(self, coldstart_members(self)[i],
                                      coldstart_saved_m(self) + coldstart_dim(self) * i);
        }
    }
}

void cairn_coldstart_restore_set(cairn_coldstart_t *self)
{
    for (uint32_t i = 0; i < self->n_members; ++i) {
        cairn_coldstart_grid_move(self, coldstart_members(self)[i], coldstart_saved_m(self) + coldstart_dim(self) * i);
    }
}

/* Cost of all terms that touch the set. */
cairn_real cairn_coldstart_set_cost(const cairn_coldstart_t *self)
{
    cairn_real sum = 0;

    for (uint32_t i = 0; i < self->n_members; ++i) {
        sum += cairn_coldstart_own_cost(self, coldstart_members(self)[i], 0.5f);
    }
    return sum;
}

/* Places gathered one by one. */
typedef struct gathering {
    cairn_real centre[CAIRN_LOCATE_DIM_MAX];
    cairn_real scatter[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)];
    cairn_real n_places;
} gathering_t;

static void gather(gathering_t *self, const cairn_real *place_m, size_t dim)
{
    cairn_real before[CAIRN_LOCATE_DIM_MAX];
    size_t element = 0;

    self->n_places += 1;
    for (size_t k = 0; k < dim; ++k) {
        before[k] = place_m[k] - self->centre[k];
        self->centre[k] += before[k] / self->n_places;
    }
    for (size_t k = 0; k < dim; ++k) {
        for (size_t l = 0; l <= k; ++l) {
            self->scatter[element++] += before[k] * (place_m[l] - self->centre[l]);
        }
    }
}

/* Returns false when the places do not span a line (in 3-D, a plane). */
static CAIRN_NOINLINE bool fit_line(gathering_t *self, size_t dim, coldstart_line_t *line)
{
    cairn_real variances[CAIRN_LOCATE_DIM_MAX];
    cairn_real axes[CAIRN_LOCATE_DIM_MAX * CAIRN_LOCATE_DIM_MAX];

    cairn_principal_axes(self->scatter, dim, variances, axes);
    if (self->n_places < (cairn_real)dim || (dim > 1 && !(variances[dim - 1u] > 0))) {
        return false;
    }
    memcpy(line->centre, self->centre, sizeof line->centre);
    memcpy(line->normal, axes, dim * sizeof *axes);
    line->flatness = dim > 1 ? cairn_max(variances[0], 0) / variances[dim - 1u] : 0;
    return true;
}

void cairn_coldstart_mirror(const coldstart_line_t *line, size_t dim, const cairn_real *place_m, cairn_real *image_m)
{
    cairn_real height = 0;

    for (size_t k = 0; k < dim; ++k) {
        height += (place_m[k] - line->centre[k]) * line->normal[k];
    }
    for (size_t k = 0; k < dim; ++k) {
        image_m[k] = place_m[k] - 2 * height * line->normal[k];
    }
}

/* The neighbours of a node that are not out. */
CAIRN_NOINLINE bool cairn_coldstart_line_of_neighbours(const cairn_coldstart_t *self, uint32_t node,
                                                       coldstart_line_t *line)
{
    const cairn_network_t *network = self->network;
    gathering_t places = {{0}, {0}, 0};
    const uint32_t degree = network_degree(network, node);

    for (uint32_t j = 0; j < degree; ++j) {
        const uint32_t other = cairn_link_node(network_link(network, node, j));
        if (coldstart_mark(self, other) != COLDSTART_OUT && network_is_known(network, other)) {
            gather(&places, network_place(network, other), coldstart_dim(self));
        }
    }
    return fit_line(&places, coldstart_dim(self), line);
}

/* The nodes linked to the set from outside. */
CAIRN_NOINLINE bool cairn_coldstart_line_around(const cairn_coldstart_t *self, coldstart_line_t *line)
{
    const cairn_network_t *network = self->network;
    gathering_t places = {{0}, {0}, 0};

    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t degree = network_degree(network, coldstart_members(self)[i]);
        for (uint32_t j = 0; j < degree; ++j) {
            const uint32_t other = cairn_link_node(network_link(network, coldstart_members(self)[i], j));
            if (coldstart_mark(self, other) == 0 && network_is_known(network, other)) {
                gather(&places, network_place(network, other), coldstart_dim(self));
            }
        }
    }
    return fit_line(&places, coldstart_dim(self), line);
}

void cairn_coldstart_widen(coldstart_wedge_t *self, const cairn_real *place_m, size_t dim)
{
    cairn_real other_m[CAIRN_LOCATE_DIM_MAX]; /* to the farthest so far */
    cairn_real side_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real along;
    cairn_real length2;

    if (self->first_m == NULL) {
        self->first_m = place_m;
        self->farthest_m = place_m;
        return;
    }
    for (size_t k = 0; k < dim; ++k) {
        other_m[k] = self->farthest_m[k] - self->first_m[k];
        side_m[k] = place_m[k] - self->first_m[k];
    }
    along = cairn_dot(side_m, other_m, dim);
    length2 = cairn_dot(side_m, side_m, dim);
    if (length2 > 0 && self->length2 > 0) {
        const cairn_real least2 = cairn_min(length2, self->length2);
        self->height2 = cairn_max(self->height2, least2 - along / cairn_max(length2, self->length2) * along);
    }
    if (length2 > self->length2) {
        self->length2 = length2;
        self->farthest_m = place_m;
    }
}

bool cairn_coldstart_is_wide(const coldstart_wedge_t *self, size_t dim)
{
    return self->first_m != NULL && (dim < 2u || self->length2 > 0) &&
           (dim < 3u || self->height2 > COLDSTART_NARROW * COLDSTART_NARROW * self->length2);
}

void cairn_coldstart_mirror_set(cairn_coldstart_t *self, const coldstart_line_t *line)
{
    for (uint32_t i = 0; i < self->n_members; ++i) {
        cairn_real image_m[CAIRN_LOCATE_DIM_MAX];
        cairn_coldstart_mirror(line, coldstart_dim(self), network_place(self->network, coldstart_members(self)[i]),
                               image_m);
        cairn_coldstart_grid_move(self, coldstart_members(self)[i], image_m);
    }
}

/* Mirror the set where the nodes around it lie flat enough; then `cost` is what it was before. */
bool cairn_coldstart_mirror_flap(cairn_coldstart_t *self, cairn_real flatness_most, cairn_real *cost)
{
    coldstart_line_t line;

    if (!cairn_coldstart_line_around(self, &line) || !(line.flatness < flatness_most)) {
        return false;
    }
    *cost = cairn_coldstart_set_cost(self);
    cairn_coldstart_mirror_set(self, &line);
    return true;
}

/* Improve the places of the members one by one; returns what that saves. */
static inline cairn_real sweep(cairn_coldstart_t *self)
{
    const size_t dim = coldstart_dim(self);
    cairn_real gains = 0;

    for (uint32_t i = 0; i < self->n_members; ++i) {
        cairn_real place_m[CAIRN_LOCATE_DIM_MAX];
        cairn_real gain;
        memcpy(place_m, network_place(self->network, coldstart_members(self)[i]), dim * sizeof *place_m);
        (void)cairn_coldstart_polish(self, coldstart_members(self)[i], STEPS_SWEEP, place_m, &gain);
        cairn_coldstart_grid_move(self, coldstart_members(self)[i], place_m);
        gains += gain;
    }
    return gains;
}

bool cairn_coldstart_sweep_set(cairn_coldstart_t *self, int n_sweeps, cairn_real cost_most)
{
    cairn_real gain = 0;

    for (int n_left = n_sweeps; n_left > 0; --n_left) {
        if (n_left == n_sweeps - SWEEPS_PACE &&
            !(cairn_coldstart_set_cost(self) - (cairn_real)n_left * gain < cost_most)) {
            return false;
        }
        gain = sweep(self);
    }
    return cairn_coldstart_set_cost(self) < cost_most;
}
