/* SPDX-License-Identifier: MIT
 * Fold repair: parts of the map that lie mirrored. Nodes whose terms cost too much go first, worst first: they, then
 * they with their bad or with all their neighbours, are taken out and placed again one by one, or mirrored in the line
 * of the nodes around them; what lowers the cost of all terms concerned is kept. Then flaps at the rim, which fit well on
 * either side: a node with its neighbours, mirrored, where the nodes around them lie nearly on a line. */
#include "locate/coldstart_internal.h"

#define BAD_COST         1.5f /* of neighbours that go with it */
#define GAIN_LEAST       2.0f /* of cost, to keep a change */
#define COLLINEAR_RATIO  0.1f /* smaller over larger variance of the nodes around a flap */
#define FLAP_DEGREE      0.8f /* of the mean degree: inside the map there are no flaps */
#define FLAP_DEGREE_MOST 12u
#define SUSPECT_WORK     2000 /* looks at links, per link of a node, that a suspect takes */
#define SWEEPS           6
#define REGION_COST      1.0f /* of the nodes of a region tried as a whole */
#define REGION_WORST     5.0f /* of the node it is taken about */
#define PART_RISE        6.0f /* of cost that smoothing may take back from a mirrored part */
#define PART_WORK        200  /* looks at links that a node of it takes */
#define STEPS_PLACE      4
#define CANDIDATES_MAX   4

static cairn_word_t *suspects(const cairn_coldstart_t *self) { return coldstart_words(self, 3); }

static cairn_real normalised_cost(const cairn_coldstart_t *self, uint32_t node)
{
    return 2 * cairn_coldstart_own_cost(self, node, 1) / (cairn_real)(network_degree(self->network, node) + 1u);
}

void cairn_coldstart_costs_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        coldstart_costs(self)[i].real = coldstart_is_free(self, i) ? normalised_cost(self, i) : 0;
    }
}

static void clear_marks_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        coldstart_marks(self)[i].index = 0;
    }
}

/* Whether node a is tried before node b. */
static bool is_worse(const cairn_coldstart_t *self, uint32_t a, uint32_t b)
{
    const cairn_real cost_a = coldstart_costs(self)[a].real;
    const cairn_real cost_b = coldstart_costs(self)[b].real;

    return cost_a > cost_b || (!(cost_a < cost_b) && a < b);
}

/* The suspects are a heap, the worst first. */
static void push_suspect(cairn_coldstart_t *self, uint32_t node)
{
    uint32_t hole = self->n_suspects++;

    for (; hole > 0 && is_worse(self, node, suspects(self)[(hole - 1u) / 2u].index); hole = (hole - 1u) / 2u) {
        suspects(self)[hole] = suspects(self)[(hole - 1u) / 2u];
    }
    suspects(self)[hole].index = node;
}

static CAIRN_NOINLINE uint32_t pop_suspect(cairn_coldstart_t *self)
{
    const uint32_t worst = suspects(self)[0].index;
    const uint32_t moved = suspects(self)[--self->n_suspects].index;
    uint32_t hole = 0;

    for (uint32_t child = 1; child < self->n_suspects; child = 2u * hole + 1u) {
        if (child + 1u < self->n_suspects &&
            is_worse(self, suspects(self)[child + 1u].index, suspects(self)[child].index)) {
            ++child;
        }
        if (!is_worse(self, suspects(self)[child].index, moved)) {
            break;
        }
        suspects(self)[hole] = suspects(self)[child];
        hole = child;
    }
    suspects(self)[hole].index = moved;
    return worst;
}

static void collect_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        if (coldstart_costs(self)[i].real > COLDSTART_MISFIT) {
            push_suspect(self, i);
        }
    }
}

static uint32_t count_placed(const cairn_coldstart_t *self, uint32_t node)
{
    const uint32_t degree = network_degree(self->network, node);
    uint32_t n_placed = 0;

    for (uint32_t j = 0; j < degree; ++j) {
        const uint32_t other = cairn_link_node(network_link(self->network, node, j));
        n_placed += coldstart_marks(self)[other].index != COLDSTART_OUT ? 1u : 0u;
    }
    return n_placed;
}

/* The two placed neighbours that are farthest apart, as numbers of links; false when there are fewer than two. */
static bool find_widest(const cairn_coldstart_t *self, uint32_t node, uint32_t *a, uint32_t *b)
{
    const cairn_network_t *network = self->network;
    const uint32_t degree = network_degree(network, node);
    cairn_real widest_m = -1;

    for (uint32_t i = 0; i < degree; ++i) {
        const uint32_t first = cairn_link_node(network_link(network, node, i));
        for (uint32_t j = 0; j < i && coldstart_marks(self)[first].index != COLDSTART_OUT; ++j) {
            const uint32_t second = cairn_link_node(network_link(network, node, j));
            const cairn_real distance_m =
                cairn_distance(network_place(network, first), network_place(network, second), coldstart_dim(self));
            if (coldstart_marks(self)[second].index != COLDSTART_OUT && distance_m > widest_m) {
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

/* Where a node that is out may be: its old place, its mirror image, the circles' intersections. Returns how many. */
static CAIRN_NOINLINE size_t find_candidates(const cairn_coldstart_t *self, uint32_t node,
                                             cairn_real candidates_m[CANDIDATES_MAX][CAIRN_LOCATE_DIM_MAX])
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
    return n_candidates;
}

/* Put a node that is out at the best of its candidates. */
static CAIRN_NOINLINE void place_member(cairn_coldstart_t *self, uint32_t node)
{
    cairn_real candidates_m[CANDIDATES_MAX][CAIRN_LOCATE_DIM_MAX];
    const size_t n_candidates = find_candidates(self, node, candidates_m);
    size_t best = 0;
    cairn_real least = 0;

    for (size_t c = 0; c < n_candidates; ++c) {
        const cairn_real cost = cairn_coldstart_polish(self, node, STEPS_PLACE, candidates_m[c]);
        if (c == 0 || cost < least) {
            least = cost;
            best = c;
        }
    }
    cairn_coldstart_grid_move(self, node, candidates_m[best]);
    coldstart_marks(self)[node].index = COLDSTART_IN;
}

/* The member that is out with the most placed neighbours. */
static CAIRN_NOINLINE uint32_t next_member(const cairn_coldstart_t *self)
{
    uint32_t best = PATHS_NONE;
    uint32_t most = 0;

    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t node = coldstart_members(self)[i];
        const uint32_t n_placed = coldstart_marks(self)[node].index == COLDSTART_OUT ? count_placed(self, node) : 0;
        if (coldstart_marks(self)[node].index == COLDSTART_OUT && (best == PATHS_NONE || n_placed > most)) {
            best = node;
            most = n_placed;
        }
    }
    return best;
}

/* Take the set out and place its members again, the one with most placed neighbours first. */
static void replace_set(cairn_coldstart_t *self)
{
    for (uint32_t i = 0; i < self->n_members; ++i) {
        coldstart_marks(self)[coldstart_members(self)[i]].index = COLDSTART_OUT;
    }
    for (uint32_t turn = 0; turn < self->n_members; ++turn) {
        place_member(self, next_member(self));
    }
}

/* Smooth the changed set and keep it when it is cheaper by enough; else restore it. */
static bool settle_set(cairn_coldstart_t *self, cairn_real cost_before)
{
    cairn_coldstart_sweep_set(self, SWEEPS);
    if (cairn_coldstart_set_cost(self) < cost_before - GAIN_LEAST) {
        cairn_coldstart_leave_set(self, false);
        ++self->n_accepted;
        ++self->n_repairs;
        return true;
    }
    cairn_coldstart_restore_set(self);
    return false;
}

/* Reflect the set in the line of its surroundings; false when there is none. */
static CAIRN_NOINLINE bool mirror_members(cairn_coldstart_t *self)
{
    coldstart_line_t line;

    if (self->n_members <= 1 || !cairn_coldstart_line_around(self, &line)) {
        return false;
    }
    cairn_coldstart_mirror_set(self, &line);
    return true;
}

/* Try a set placed again and mirrored. */
static bool try_set(cairn_coldstart_t *self, uint32_t node, cairn_real cost)
{
    cairn_coldstart_take_set(self, node, cost);
    self->alpha = cairn_coldstart_set_cost(self); /* not on the stack: this is its deepest place */
    replace_set(self);
    if (settle_set(self, self->alpha) || (mirror_members(self) && settle_set(self, self->alpha))) {
        return true;
    }
    cairn_coldstart_leave_set(self, true);
    return false;
}

/* Try a whole region of bad nodes and those about them placed again. */
static CAIRN_NOINLINE void try_region(cairn_coldstart_t *self, uint32_t node)
{
    cairn_coldstart_take_region(self, node, REGION_COST);
    self->alpha = cairn_coldstart_set_cost(self);
    replace_set(self);
    if (!settle_set(self, self->alpha)) {
        cairn_coldstart_leave_set(self, true);
    }
}

static void repair_suspect(cairn_coldstart_t *self)
{
    const uint32_t node = pop_suspect(self);

    if (!(normalised_cost(self, node) > COLDSTART_MISFIT)) {
        return;
    }
    if (!try_set(self, node, CAIRN_REAL_MAX) && !try_set(self, node, BAD_COST)) {
        if (!try_set(self, node, 0) && coldstart_costs(self)[node].real > REGION_WORST) {
            try_region(self, node);
        }
    }
}

/* Mirror a node and its neighbours where they hang on a line. */
static void flap_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const cairn_network_t *network = self->network;
    const cairn_real mean_degree = 2 * (cairn_real)network->n_ranges / (cairn_real)network->n_nodes;

    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t degree = network_degree(network, i);
        cairn_real before;
        if (!coldstart_is_free(self, i) || degree > FLAP_DEGREE_MOST ||
            (cairn_real)degree > FLAP_DEGREE * mean_degree) {
            continue;
        }
        cairn_coldstart_take_set(self, i, 0);
        if (!cairn_coldstart_mirror_flap(self, COLLINEAR_RATIO, &before) || !settle_set(self, before)) {
            cairn_coldstart_leave_set(self, true);
        }
    }
}

/* Mirror parts that hang on too few nodes at the line of those. */
static CAIRN_NOINLINE bool mirror_parts(cairn_coldstart_t *self, int32_t *operations)
{
    for (; self->cursor<self->network->n_nodes && * operations> 0; ++self->cursor) {
        cairn_real before;
        --*operations;
        if (!cairn_coldstart_take_part(self, self->cursor, operations)) {
            continue;
        }
        *operations -= (int32_t)self->n_members * PART_WORK;
        if (!cairn_coldstart_mirror_flap(self, COLLINEAR_RATIO, &before) ||
            cairn_coldstart_set_cost(self) > before + PART_RISE || !settle_set(self, before)) {
            cairn_coldstart_leave_set(self, true);
        }
    }
    return self->cursor == self->network->n_nodes;
}

static CAIRN_NOINLINE bool repair_suspects(cairn_coldstart_t *self, int32_t *operations, int32_t degree)
{
    for (; self->n_suspects > 0 && *operations > 0; *operations -= SUSPECT_WORK * degree) {
        repair_suspect(self);
    }
    return self->n_suspects == 0;
}

/* Phases of a round. */
enum {
    REPAIR_GRID,
    REPAIR_CLEAR,
    REPAIR_COSTS,
    REPAIR_COLLECT,
    REPAIR_SUSPECTS,
    REPAIR_FLAPS,
    REPAIR_JOINTS,
    REPAIR_PARTS
};

/* What looks for folds that fit: in the first round before the last stage and in the one after it. Returns true when the
 * phase is complete. */
static bool repair_hinges(cairn_coldstart_t *self, int32_t *operations, int32_t degree)
{
    if (self->phase == REPAIR_FLAPS) {
        return cairn_coldstart_pass(self, operations, degree * degree, flap_run);
    }
    return self->phase == REPAIR_JOINTS ? cairn_coldstart_joints(self, operations) : mirror_parts(self, operations);
}

bool cairn_coldstart_repair(cairn_coldstart_t *self, int32_t *operations)
{
    const int32_t degree = (int32_t)(2u * self->network->n_ranges / self->network->n_nodes) + 1;
    const bool hinges = self->round == 0 || self->n_finals > 0;
    const uint32_t last = !hinges                    ? (uint32_t)REPAIR_SUSPECTS
                          : coldstart_dim(self) == 1 ? (uint32_t)REPAIR_FLAPS /* on a line joints lie over the grid */
                                                     : (uint32_t)REPAIR_PARTS;
    bool complete = false;

    switch (self->phase) {
    case REPAIR_GRID:
        complete = cairn_coldstart_grid_fill(self, operations);
        self->n_suspects = 0;
        break;
    case REPAIR_CLEAR: complete = cairn_coldstart_pass(self, operations, 1, clear_marks_run); break;
    case REPAIR_COSTS: complete = cairn_coldstart_pass(self, operations, 2 * degree, cairn_coldstart_costs_run); break;
    case REPAIR_COLLECT: complete = cairn_coldstart_pass(self, operations, 1, collect_run); break;
    case REPAIR_SUSPECTS: complete = repair_suspects(self, operations, degree); break;
    default: complete = repair_hinges(self, operations, degree); break;
    }
    if (complete && ++self->phase == REPAIR_JOINTS) {
        cairn_coldstart_joints_begin(self);
    }
    return self->phase > last;
}
