/* SPDX-License-Identifier: MIT
 * Fold repair: parts of the map that lie mirrored. Nodes whose terms cost too much go first, worst first: they, then
 * they with their bad or with all their neighbours, are taken out and placed again one by one, or mirrored in the line
 * of the nodes around them; what lowers the cost of all terms concerned is kept. Then flaps at the rim, which fit well on
 * either side: a node with its neighbours, mirrored, where the nodes around them lie nearly on a line. Parts that hang on
 * one node are turned about that. */
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
#define TURNS            64u /* of a part about the one node it hangs on, to a full circle */
#define TURN_WORK        80  /* looks at links that a node takes at one of them, mirrored and not */
#define TURN_COSINE      0.99518473f
#define TURN_SINE        0.09801714f

static cairn_word_t *suspects(const cairn_coldstart_t *self) { return coldstart_words(self, 3); }

cairn_real cairn_coldstart_normalised_cost(const cairn_coldstart_t *self, uint32_t node)
{
    return 2 * cairn_coldstart_own_cost(self, node, 1) / (cairn_real)(network_degree(self->network, node) + 1u);
}

void cairn_coldstart_costs_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        coldstart_costs(self)[i].real = coldstart_is_free(self, i) ? cairn_coldstart_normalised_cost(self, i) : 0;
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
        n_placed += coldstart_mark(self, other) != COLDSTART_OUT ? 1u : 0u;
    }
    return n_placed;
}

/* Put a node that is out at the best of its candidates. */
static CAIRN_NOINLINE void place_member(cairn_coldstart_t *self, uint32_t node)
{
    /* behind the set, not on the stack: this is its deepest place */
    cairn_real(*candidates_m)[CAIRN_LOCATE_DIM_MAX] =
        (cairn_real(*)[CAIRN_LOCATE_DIM_MAX])(coldstart_saved_m(self) + coldstart_dim(self) * COLDSTART_SET_MAX);
    const size_t n_candidates = cairn_coldstart_candidates(self, node, candidates_m);
    size_t best = 0;
    cairn_real least = 0;
    cairn_real gain;

    for (size_t c = 0; c < n_candidates; ++c) {
        const cairn_real cost = cairn_coldstart_polish(self, node, STEPS_PLACE, candidates_m[c], &gain);
        if (c == 0 || cost < least) {
            least = cost;
            best = c;
        }
    }
    cairn_coldstart_grid_move(self, node, candidates_m[best]);
    coldstart_set_mark(self, node, COLDSTART_IN);
}

/* The member that is out with the most placed neighbours. */
static CAIRN_NOINLINE uint32_t next_member(const cairn_coldstart_t *self)
{
    uint32_t best = PATHS_NONE;
    uint32_t most = 0;

    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t node = coldstart_members(self)[i];
        const uint32_t n_placed = coldstart_mark(self, node) == COLDSTART_OUT ? count_placed(self, node) : 0;
        if (coldstart_mark(self, node) == COLDSTART_OUT && (best == PATHS_NONE || n_placed > most)) {
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
        coldstart_set_mark(self, coldstart_members(self)[i], COLDSTART_OUT);
    }
    for (uint32_t turn = 0; turn < self->n_members; ++turn) {
        place_member(self, next_member(self));
    }
}

bool cairn_coldstart_settle_set(cairn_coldstart_t *self, cairn_real cost_most)
{
    if (cairn_coldstart_sweep_set(self, SWEEPS, cost_most)) {
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
    self->alpha = cairn_coldstart_set_cost(self) - GAIN_LEAST; /* not on the stack: this is its deepest place */
    replace_set(self);
    if (cairn_coldstart_settle_set(self, self->alpha) ||
        (mirror_members(self) && cairn_coldstart_settle_set(self, self->alpha))) {
        return true;
    }
    cairn_coldstart_leave_set(self, true);
    return false;
}

/* Try a whole region of bad nodes and those about them placed again. */
static CAIRN_NOINLINE void try_region(cairn_coldstart_t *self, uint32_t node)
{
    cairn_coldstart_take_region(self, node, REGION_COST);
    self->alpha = cairn_coldstart_set_cost(self) - GAIN_LEAST;
    replace_set(self);
    if (!cairn_coldstart_settle_set(self, self->alpha)) {
        cairn_coldstart_leave_set(self, true);
    }
}

static void repair_suspect(cairn_coldstart_t *self)
{
    const uint32_t node = pop_suspect(self);

    if (!(cairn_coldstart_normalised_cost(self, node) > COLDSTART_MISFIT)) {
        return;
    }
    if (!try_set(self, node, CAIRN_REAL_MAX) && !try_set(self, node, BAD_COST)) {
        if (!try_set(self, node, 0) && coldstart_costs(self)[node].real > REGION_WORST) {
            try_region(self, node);
        }
    }
}

/* Whether a node has few ranges; apart, for its registers would lie under the deepest calls. */
static CAIRN_NOINLINE bool may_flap(const cairn_coldstart_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const cairn_real mean_degree = 2 * (cairn_real)network->n_ranges / (cairn_real)network->n_nodes;
    const uint32_t degree = network_degree(network, node);

    return coldstart_is_free(self, node) && degree <= FLAP_DEGREE_MOST &&
           !((cairn_real)degree > FLAP_DEGREE * mean_degree);
}

/* Mirror a node and its neighbours where they hang on a line. */
static void flap_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        cairn_real before;
        if (!may_flap(self, i)) {
            continue;
        }
        cairn_coldstart_take_set(self, i, 0);
        if (!cairn_coldstart_mirror_flap(self, COLLINEAR_RATIO, &before) ||
            !cairn_coldstart_settle_set(self, before - GAIN_LEAST)) {
            cairn_coldstart_leave_set(self, true);
        }
    }
}

/* The one node outside the set that it is linked to; PATHS_NONE: there are more, or none. */
static uint32_t only_hinge(const cairn_coldstart_t *self)
{
    const cairn_network_t *network = self->network;
    uint32_t hinge = PATHS_NONE;

    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t member = coldstart_members(self)[i];
        for (uint32_t j = 0; j < network_degree(network, member); ++j) {
            const uint32_t other = cairn_link_node(network_link(network, member, j));
            if (coldstart_mark(self, other) != 0 || other == hinge) {
                continue;
            }
            if (hinge != PATHS_NONE) {
                return PATHS_NONE;
            }
            hinge = other;
        }
    }
    return hinge;
}

/* Turn the set about a place by a step; the step that closes the circle mirrors it as well. */
static CAIRN_NOINLINE void turn_set(cairn_coldstart_t *self, const cairn_real *hinge_m, uint32_t turn)
{
    for (uint32_t i = 0; i < self->n_members; ++i) {
        const uint32_t member = coldstart_members(self)[i];
        const cairn_real *place_m = network_place(self->network, member);
        const cairn_real x_m = place_m[0] - hinge_m[0];
        const cairn_real y_m = turn == TURNS ? hinge_m[1] - place_m[1] : place_m[1] - hinge_m[1];
        const cairn_real turned_m[CAIRN_LOCATE_DIM_MAX] = {hinge_m[0] + TURN_COSINE * x_m - TURN_SINE * y_m,
                                                           hinge_m[1] + TURN_SINE * x_m + TURN_COSINE * y_m};
        cairn_coldstart_grid_move(self, member, turned_m);
    }
}

/* Turn a part in the plane that hangs on one node to where it costs least about that, mirrored or not; then `cost` is what
 * it was before. */
static CAIRN_NOINLINE bool turn_part(cairn_coldstart_t *self, cairn_real *cost, int32_t *operations)
{
    const uint32_t hinge = coldstart_dim(self) == 2 ? only_hinge(self) : PATHS_NONE;
    cairn_real least = CAIRN_REAL_MAX;
    uint32_t best = 0;

    if (hinge == PATHS_NONE) {
        return false;
    }
    const cairn_real *hinge_m = network_place(self->network, hinge);
    *operations -= (int32_t)(self->n_members * TURNS * TURN_WORK);
    *cost = cairn_coldstart_set_cost(self);
    for (uint32_t turn = 1; turn < 2u * TURNS; ++turn) {
        turn_set(self, hinge_m, turn);
        const cairn_real turned = cairn_coldstart_set_cost(self);
        if (turned < least) {
            least = turned;
            best = turn;
        }
    }
    cairn_coldstart_restore_set(self);
    for (uint32_t turn = 1; turn <= best; ++turn) {
        turn_set(self, hinge_m, turn);
    }
    return true;
}

/* Mirror parts that hang on too few nodes at the line of those, or turn them. */
static CAIRN_NOINLINE bool mirror_parts(cairn_coldstart_t *self, int32_t *operations)
{
    for (; *operations > 0 && self->cursor < self->network->n_nodes; ++self->cursor) {
        cairn_real before;
        --*operations;
        if (!cairn_coldstart_take_part(self, self->cursor, operations)) {
            continue;
        }
        *operations -= (int32_t)self->n_members * PART_WORK;
        if (!(turn_part(self, &before, operations) || cairn_coldstart_mirror_flap(self, COLLINEAR_RATIO, &before)) ||
            cairn_coldstart_set_cost(self) > before + PART_RISE ||
            !cairn_coldstart_settle_set(self, before - GAIN_LEAST)) {
            cairn_coldstart_leave_set(self, true);
        }
    }
    return self->cursor == self->network->n_nodes;
}

static int32_t links_per_node(const cairn_coldstart_t *self)
{
    return (int32_t)(2u * self->network->n_ranges / self->network->n_nodes) + 1;
}

static CAIRN_NOINLINE bool repair_suspects(cairn_coldstart_t *self, int32_t *operations)
{
    for (; self->n_suspects > 0 && *operations > 0; *operations -= SUSPECT_WORK * links_per_node(self)) {
        repair_suspect(self);
    }
    return self->n_suspects == 0;
}

/* Phases of a round. */
enum {
    REPAIR_GRID,
    REPAIR_COSTS,
    REPAIR_COLLECT,
    REPAIR_SUSPECTS,
    REPAIR_FLAPS,
    REPAIR_JOINTS,
    REPAIR_PARTS,
    REPAIR_MISFIT,
    REPAIR_SHIFT,
    REPAIR_REGRID
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

static void begin_phase(cairn_coldstart_t *self, uint32_t phase)
{
    self->phase = phase;
    if (phase == REPAIR_JOINTS) {
        cairn_coldstart_joints_begin(self);
    } else if (phase == REPAIR_MISFIT) {
        self->cursor = 0;
    }
}

/* Anchors that do not fit, one after another: the grid is made anew after each shift. Returns true at the last node. */
static bool repair_anchors(cairn_coldstart_t *self, int32_t *operations)
{
    if (self->phase == REPAIR_MISFIT) {
        if (cairn_coldstart_next_misfit(self, operations)) {
            self->row = self->cursor;
            self->cursor = 0;
            self->phase = REPAIR_SHIFT;
            return false;
        }
        return self->cursor == self->network->n_nodes;
    }
    if (self->phase == REPAIR_SHIFT) {
        if (cairn_coldstart_pass(self, operations, 1, cairn_coldstart_shift_run)) {
            self->n_accepted += self->network->n_nodes; /* it touches many */
            ++self->n_repairs;
            self->phase = REPAIR_REGRID;
            cairn_coldstart_grid_begin(self);
        }
    } else if (cairn_coldstart_grid_fill(self, operations)) {
        self->cursor = self->row;
        self->phase = REPAIR_MISFIT;
    }
    return false;
}

/* In one dimension joints would lie over the grid. */
static uint32_t last_phase(const cairn_coldstart_t *self)
{
    if (self->n_finals > 0) {
        return coldstart_dim(self) == 1 ? REPAIR_FLAPS : REPAIR_PARTS;
    }
    if (self->round > 0) {
        return REPAIR_SUSPECTS;
    }
    return coldstart_dim(self) == 1 ? REPAIR_FLAPS : REPAIR_MISFIT;
}

bool cairn_coldstart_repair(cairn_coldstart_t *self, int32_t *operations)
{
    const int32_t degree = links_per_node(self);
    bool complete = false;

    if (self->phase >= REPAIR_MISFIT) {
        return repair_anchors(self, operations);
    }
    switch (self->phase) {
    case REPAIR_GRID:
        complete = cairn_coldstart_grid_fill(self, operations);
        self->n_suspects = 0;
        break;
    case REPAIR_COSTS: complete = cairn_coldstart_pass(self, operations, 2 * degree, cairn_coldstart_costs_run); break;
    case REPAIR_COLLECT: complete = cairn_coldstart_pass(self, operations, 1, collect_run); break;
    case REPAIR_SUSPECTS: complete = repair_suspects(self, operations); break;
    default: complete = repair_hinges(self, operations, degree); break;
    }
    if (complete) {
        begin_phase(self, self->phase + 1u);
    }
    return self->phase > last_phase(self);
}
