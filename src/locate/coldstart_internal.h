/* SPDX-License-Identifier: MIT
 * Cold start, shared by its stages: layout of the work array, passes over nodes, weights of ranges and pairs.
 *
 * Work, in words, n nodes, d dimensions, S = d (d + 1) / 2: list of unmeasured pairs 7 n / 4, coarse level 5 n / 4,
 * starts and the map made without them d n each (only when there are any; the starts as in locate), then the vectors of
 * the conjugate gradients r, p, z and step (d n each) and the inverse diagonal blocks (S n; on a line 3 n:
 * costs and the queue of a search for chains, 3 n, lie over them). The paths, the grid, the repair and the deviations use
 * the same words at other times. */
#ifndef CAIRN_COLDSTART_INTERNAL_H
#define CAIRN_COLDSTART_INTERNAL_H

#include "cairn/coldstart.h"
#include "locate/locate_internal.h"

typedef cairn_coldstart_noise_t coldstart_noise_t;

#define COLDSTART_CHUNK      32u  /* nodes of a pass between two looks at the budget */
#define COLDSTART_SHORT      0.5f /* of the radio range: shorter ranges weigh no more (measured .35 to .7: flat) */
#define COLDSTART_SHORT_FINE 0.1f /* the same in a fine last stage (measured .03 to .1: flat, .2: 3 % worse) */
#define COLDSTART_WALL                                                                                                 \
    0.03f /* of the radio range: in a fine last stage, of a wall of push 1 at a loose node: its least deviation */
#define COLDSTART_SHARE_ALL         256u
#define COLDSTART_NEAR              0.7f /* of the radio range: pairs nearer than this should have a range */
#define COLDSTART_CLEANINGS         10u
#define COLDSTART_REPAIR_ROUNDS_MAX 100u
#define COLDSTART_STEP_MAX          0.5f   /* of the radio range, a node and step */
#define COLDSTART_TINY              1e-6f  /* of the radio range: nodes nearer than this are in one place */
#define COLDSTART_PARTS             16     /* of a range's cost, an integral; even */
#define COLDSTART_HIDDEN            1e-30f /* a damping that is none: of a node whose start is hidden */

/* Phases of the solver. */
typedef enum coldstart_phase {
    PHASE_GRID = 0,
    PHASE_LOOSE,
    PHASE_REFILL, /* the grid, as loose nodes have moved in it */
    PHASE_PAIRS,
    PHASE_CLEAR,
    PHASE_LINKS,
    PHASE_PUSHES,
    PHASE_SHARES,
    PHASE_DAMP,
    PHASE_UNDO,
    PHASE_COARSE_CLEAR,
    PHASE_COARSE_ADD,
    PHASE_COARSE_FACTOR,
    PHASE_BLOCKS,
    PHASE_PRECONDITION,
    PHASE_COARSE_SOLVE,
    PHASE_DIRECTION,
    PHASE_PRODUCT,
    PHASE_PRODUCT_PUSHES,
    PHASE_REST,
    PHASE_APPLY
} coldstart_phase;

/* Passes that take the dimension as their last argument; where speed counts more than size, each dimension gets a copy,
 * whose loops unroll. */
#if defined __GNUC__ && !defined __OPTIMIZE_SIZE__ && defined __OPTIMIZE__
#define COLDSTART_FAST 1
#define COLDSTART_PASS static inline __attribute__((always_inline))
#if defined __clang__
#define COLDSTART_UNROLL
#else
#define COLDSTART_UNROLL _Pragma("GCC unroll 8") /* at -O2 by request only */
#endif
#define COLDSTART_BY_DIM(function)                                                                                     \
    do {                                                                                                               \
        switch (coldstart_dim(self)) {                                                                                 \
        case 1: function(self, begin, end, 1); break;                                                                  \
        case 2: function(self, begin, end, 2); break;                                                                  \
        default: function(self, begin, end, 3); break;                                                                 \
        }                                                                                                              \
    } while (0)
#else
#define COLDSTART_FAST 0
#define COLDSTART_PASS static
#define COLDSTART_UNROLL
#define COLDSTART_BY_DIM(function) function(self, begin, end, coldstart_dim(self))
#endif

static inline size_t coldstart_dim(const cairn_coldstart_t *self) { return self->network->cfg->dim; }

/* Measured pairs farther apart are pulled together. */
static inline cairn_real coldstart_reach(const cairn_coldstart_t *self)
{
    return self->pulls ? self->radio_range_m : 4 * CAIRN_NETWORK_LENGTH_MOST;
}

static inline uint32_t coldstart_pairs_max(const cairn_coldstart_t *self)
{
    const uint32_t n_nodes = self->network->n_nodes;

    return n_nodes + n_nodes / 2u + n_nodes / 4u;
}

static inline cairn_word_t *coldstart_pairs(const cairn_coldstart_t *self) { return self->work; }

static inline size_t coldstart_coarse_words(const cairn_coldstart_t *self)
{
    return 3u * (size_t)self->network->n_nodes - coldstart_pairs_max(self);
}

static inline cairn_word_t *coldstart_coarse(const cairn_coldstart_t *self)
{
    return self->work + coldstart_pairs_max(self);
}

/* Vector number k: 0 residual, 1 direction, 2 product and preconditioned residual, 3 step, 4 blocks. */
static inline cairn_word_t *coldstart_words(const cairn_coldstart_t *self, size_t k)
{
    const size_t n_nodes = self->network->n_nodes;
    const size_t dim = coldstart_dim(self);

    return self->work + (3u + (self->has_starts ? 2u * dim : 0u) + dim * k) * n_nodes;
}

static inline cairn_real *cairn_coldstart_vector(const cairn_coldstart_t *self, size_t k)
{
    return &coldstart_words(self, k)->real;
}

static inline cairn_real *coldstart_places(const cairn_coldstart_t *self) { return self->network->memory.place_m; }

static inline bool coldstart_is_free(const cairn_coldstart_t *self, uint32_t node)
{
    return !network_is_anchor(self->network, node) && network_is_known(self->network, node);
}

/* The map made without starts, while there are two. */
static inline cairn_real *coldstart_other(const cairn_coldstart_t *self, uint32_t node)
{
    const size_t dim = coldstart_dim(self);

    return &self->work[(3u + dim) * (size_t)self->network->n_nodes + dim * node].real;
}

/* In the steps of Newton each node has a damping of its own, a weight. It lies where the deviation will, until the job is
 * done; its sign tells whether the node has a start that is hidden at present. */
static inline cairn_real coldstart_damping(const cairn_coldstart_t *self, uint32_t node)
{
    return cairn_abs(self->network->memory.std_m[node]);
}

static inline void coldstart_set_damping(const cairn_coldstart_t *self, uint32_t node, cairn_real damping)
{
    cairn_real *signed_damping = &self->network->memory.std_m[node];

    *signed_damping = *signed_damping < 0 ? -cairn_max(damping, COLDSTART_HIDDEN) : damping;
}

/* Nodes that the ranges do not hold. */
static inline bool coldstart_is_loose(const cairn_coldstart_t *self, uint32_t node)
{
    return network_degree(self->network, node) <= coldstart_dim(self);
}

/* Weight of the push between two nodes without a range. */
cairn_real cairn_coldstart_push_weight(const cairn_coldstart_t *self, uint32_t node, uint32_t other);

/* Whether a start pulls at its node. In the last stage far starts hold loose nodes only: what is not normal about them
 * (reflection at a wall) would bend the map as a whole, which is soft. */
static inline bool coldstart_has_prior(const cairn_coldstart_t *self, uint32_t node)
{
    return self->prior_weight > 0 && network_state(self->network, node) == CAIRN_NODE_STARTED &&
           (self->stage < CAIRN_COLDSTART_FINAL || !self->far_starts || coldstart_is_loose(self, node));
}

/* Sums of many terms in float: with a compensation (Kahan 1965), so that 10^6 terms lose no digits. */
static inline void coldstart_add(cairn_coldstart_sum_t *self, cairn_real value)
{
    const cairn_real term = value - self->rest;
    const cairn_real sum = self->sum + term;

    self->rest = (sum - self->sum) - term;
    self->sum = sum;
}

static inline cairn_coldstart_sum_t coldstart_zero(void)
{
    const cairn_coldstart_sum_t zero = {0, 0};

    return zero;
}

/* Weight of a range, 1 / variance, the noise judged at the present distance: kept within what the measured one allows,
 * and not so short that a few short ranges become rigid sticks. Distances squared; no root. `plain`: no range of the
 * network has a deviation of its own. */
static inline cairn_real coldstart_weight(const coldstart_noise_t *noise, const cairn_network_t *network, bool plain,
                                          const cairn_link_t *link, cairn_real distance2)
{
    const cairn_real range2 = link->range_m * link->range_m;
    cairn_real noise2 = distance2;
    cairn_real variance;

    noise2 = cairn_max(noise2, range2 * noise->least2);
    noise2 = cairn_min(noise2, range2 * noise->most2);
    noise2 = cairn_max(noise2, noise->floor2);
    if (plain || (link->node_and_std >> LINK_STD_SHIFT) == 0) {
        variance = noise->abs2 + noise->rel2 * noise2;
    } else {
        variance = cairn_network_variance(network, link, 0);
        variance = cairn_max(variance, noise->soft2 * noise2);
    }
    return 1 / variance;
}

/* Factor to the cost of a range whose slope is w(d) (d - D), the integral from D, by Simpson's rule. With the other cost
 * good steps near the end seem to lead uphill; with few parts the least cost of a range that is far off is not where its
 * slope ends. */
static inline cairn_real coldstart_integral(const coldstart_noise_t *noise, const cairn_network_t *network, bool plain,
                                            const cairn_link_t *link, cairn_real distance_m, cairn_real range_m)
{
    const cairn_real part_m = (distance_m - range_m) * (1.0f / COLDSTART_PARTS);
    cairn_real sum = 0;

    for (int k = 1; k < COLDSTART_PARTS; ++k) {
        const cairn_real at_m = range_m + (cairn_real)k * part_m;
        sum += (cairn_real)(k % 2 == 1 ? 4 * k : 2 * k) * coldstart_weight(noise, network, plain, link, at_m * at_m);
    }
    sum /= coldstart_weight(noise, network, plain, link, distance_m * distance_m);
    return (COLDSTART_PARTS + sum) * CAIRN_REAL_C(0.66666666666666667) / (COLDSTART_PARTS * COLDSTART_PARTS);
}

/* Share of a push that is left when its cost is `cost` and a missing range costs `cap`: the slope of the capped cost
 * cap (1 - (1 + u/4)^-4), u = cost / cap, a rational stand-in for cap (1 - exp(-u)). */
static inline cairn_real coldstart_fade(cairn_real cost, cairn_real cap)
{
    const cairn_real base = 1 / (1 + 0.25f * cost / cap);
    const cairn_real base2 = base * base;

    return base2 * base2 * base;
}

static inline cairn_real coldstart_capped(cairn_real cost, cairn_real cap)
{
    const cairn_real base = 1 / (1 + 0.25f * cost / cap);
    const cairn_real base2 = base * base;

    return cap * (1 - base2 * base2);
}

/* What cairn_coldstart_init refuses before it looks at the network's contents. */
cairn_status cairn_coldstart_check(const cairn_coldstart_t *self, const cairn_coldstart_cfg_t *cfg,
                                   const cairn_network_t *network, const cairn_word_t *work, size_t work_len);

/* Begin in a frame of its own with a sealed network that has ranges; all has been checked. */
void cairn_coldstart_begin_loose(cairn_coldstart_t *self, const cairn_coldstart_cfg_t *cfg, cairn_network_t *network,
                                 cairn_word_t *work);

/* Go on at the beginning of a stage, with the places and anchors that the network has now. */
void cairn_coldstart_enter(cairn_coldstart_t *self, cairn_coldstart_stage stage);

/* Work on nodes begin to end - 1. */
typedef void (*coldstart_run_fn)(cairn_coldstart_t *self, uint32_t begin, uint32_t end);

/* Go on with a pass over all nodes. `per_node`: operations a node beside its links to nodes above. Returns true when the
 * pass is complete; the cursor is then back at the first node. */
bool cairn_coldstart_pass(cairn_coldstart_t *self, int32_t *operations, int32_t per_node, coldstart_run_fn run);

/* Go on with a pass over the list of pairs, in pieces of COLDSTART_CHUNK words. */
bool cairn_coldstart_pairs_pass(cairn_coldstart_t *self, int32_t *operations, coldstart_run_fn run);

/* The list: a word holds the other node in bits 0-23 and, in bits 24-31, how many nodes the first node of the pair is
 * beyond that of the word before; ADVANCE_ONLY words hold no pair. */
#define PAIR_ADVANCE_SHIFT 24
#define PAIR_ADVANCE_MAX   UINT32_C(254)
#define PAIR_ADVANCE_ONLY  UINT32_C(255)

/* The grid of cells over the present places: heads and next lie over the vectors 1 and 2. The marks are cleared. */
void cairn_coldstart_grid_begin(cairn_coldstart_t *self);
bool cairn_coldstart_grid_fill(cairn_coldstart_t *self, int32_t *operations);
uint32_t cairn_coldstart_cell_of(const cairn_coldstart_t *self, const cairn_real *place_m);

/* Marks of the nodes, in bits 0-1 of a word each, over vector 0. */
#define COLDSTART_IN          1u
#define COLDSTART_OUT         2u
#define COLDSTART_DONE        3u /* has had its turn */
#define COLDSTART_MARK_MASK   3u
#define COLDSTART_STAMP_SHIFT 2

static inline cairn_word_t *coldstart_marks(const cairn_coldstart_t *self) { return coldstart_words(self, 0); }

static inline uint32_t coldstart_mark(const cairn_coldstart_t *self, uint32_t node)
{
    return coldstart_marks(self)[node].index & COLDSTART_MARK_MASK;
}

static inline void coldstart_set_mark(const cairn_coldstart_t *self, uint32_t node, uint32_t mark)
{
    coldstart_marks(self)[node].index = mark;
}

/* Above the mark: a stamp on the nodes that `node` is linked to, so that they are not taken for pairs with it. One left
 * over from before says no less, since links do not change. */
static inline uint32_t coldstart_stamp(uint32_t node) { return (node + 1u) << COLDSTART_STAMP_SHIFT; }

static inline bool coldstart_is_stamped(uint32_t word, uint32_t node)
{
    return word >> COLDSTART_STAMP_SHIFT == node + 1u;
}

/* First node of each cell and the next one in the same cell, in descending order after filling; PATHS_NONE at the end. */
static inline cairn_word_t *cairn_coldstart_heads(const cairn_coldstart_t *self) { return coldstart_words(self, 1); }

static inline cairn_word_t *coldstart_next(const cairn_coldstart_t *self)
{
    return cairn_coldstart_heads(self) + self->network->n_nodes;
}

/* The cells that may hold places nearer than the radio range, in runs along the last axis. */
typedef struct coldstart_box {
    uint32_t low[CAIRN_LOCATE_DIM_MAX];
    uint32_t high[CAIRN_LOCATE_DIM_MAX];
    uint32_t at[CAIRN_LOCATE_DIM_MAX]; /* of the run after the present one */
    uint32_t cell;                     /* what is left of the present run: from here */
    uint32_t end;                      /* to here */
    bool last;                         /* no run follows */
} coldstart_box_t;

void cairn_coldstart_box_begin(const cairn_coldstart_t *self, const cairn_real *place_m, coldstart_box_t *box);
bool cairn_coldstart_box_run(const cairn_coldstart_t *self, coldstart_box_t *box); /* false: all have been seen */

/* The next cell of a box; PATHS_NONE when all have been seen. */
static inline uint32_t coldstart_box_next(const cairn_coldstart_t *self, coldstart_box_t *box)
{
    return box->cell < box->end || cairn_coldstart_box_run(self, box) ? box->cell++ : PATHS_NONE;
}

/* Whether a thinned list keeps a pair: told by its nodes, whichever comes first, so that no step makes it come and go. */
static inline bool coldstart_keeps_pair(const cairn_coldstart_t *self, uint32_t node, uint32_t other)
{
    const uint32_t low = node < other ? node : other;
    const uint32_t high = node < other ? other : node;

    return ((low * UINT32_C(0x9E3779B1)) ^ (high * UINT32_C(0x85EBCA6B))) >> 24 < self->pair_share;
}

/* List the unmeasured pairs nearer than the radio range, from a filled grid. */
void cairn_coldstart_pairs_begin(cairn_coldstart_t *self);
bool cairn_coldstart_list_pairs(cairn_coldstart_t *self, int32_t *operations);

/* Cost, gradient (its negative into vector 0) and diagonal blocks at the present places. */
void cairn_coldstart_clear_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);
void cairn_coldstart_links_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);
void cairn_coldstart_pushes_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);

/* Weight of a range with what a robust loss leaves of it, and its cost. */
cairn_real cairn_coldstart_loss(const cairn_coldstart_t *self, cairn_real distance_m, cairn_real range_m,
                                cairn_real weight, cairn_real *cost);

/* Product of the Hessian with vector 1, into vector 2, and the quadratic form, into total. */
void cairn_coldstart_product_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);
void cairn_coldstart_product_pushes_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);

/* The coarse level: displacements interpolated from the corners of wide cells. */
uint32_t cairn_coldstart_coarse_choose(cairn_coldstart_t *self); /* returns the phase that follows */
bool cairn_coldstart_coarse_clear(cairn_coldstart_t *self, int32_t *operations);
void cairn_coldstart_coarse_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);
bool cairn_coldstart_coarse_factor(cairn_coldstart_t *self, int32_t *operations);
void cairn_coldstart_assemble(cairn_coldstart_t *self, int32_t *operations); /* the phases of the three above */
void cairn_coldstart_coarse_zero(cairn_coldstart_t *self);
bool cairn_coldstart_coarse_solve(cairn_coldstart_t *self, int32_t *operations);
/* From vector 0 to the corners, whose quadratic form the solution adds to total, and from the corners on to vector 2. */
void cairn_coldstart_coarse_restrict_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);
void cairn_coldstart_coarse_interpolate_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);

/* A node's own cost. `member_share` of the terms shared with nodes marked COLDSTART_IN counts; those marked
 * COLDSTART_OUT do not exist. Needs a filled grid. */
typedef struct cairn_coldstart_local {
    cairn_real member_share;
    bool with_slopes;
    cairn_real cost;
    cairn_real gradient[CAIRN_LOCATE_DIM_MAX];
    cairn_real hessian[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)]; /* positive definite part */
} coldstart_local_t;

#define COLDSTART_AWAY    0.35f /* radio ranges; a nearer mirror image is the same place */
#define COLDSTART_MISFIT  2.5f  /* normalised cost, expected .6, of a node that does not fit */
#define COLDSTART_SET_MAX 64u   /* nodes of a set tried at once */

/* Words behind everything that grows with the nodes: a set and its places, then what is tried for them. */
static inline cairn_word_t *coldstart_scratch(const cairn_coldstart_t *self)
{
    return self->work + (CAIRN_COLDSTART_WORDS(self->network->n_nodes, coldstart_dim(self), self->has_starts) -
                         CAIRN_COLDSTART_FIXED(coldstart_dim(self)));
}

void cairn_coldstart_local(const cairn_coldstart_t *self, uint32_t node, const cairn_real *place_m,
                           coldstart_local_t *local);

/* Cost of a node where it is; the share as in coldstart_local_t. */
cairn_real cairn_coldstart_own_cost(const cairn_coldstart_t *self, uint32_t node, cairn_real member_share);

/* Improve a place of a node by a few Newton steps; returns its cost there, and what was gained. The network is not
 * changed. */
cairn_real cairn_coldstart_polish(const cairn_coldstart_t *self, uint32_t node, int steps_max, cairn_real *place_m,
                                  cairn_real *gain);

/* Move a node of the network and of the grid. */
void cairn_coldstart_grid_move(const cairn_coldstart_t *self, uint32_t node, const cairn_real *place_m);

/* Sets. `cost`: neighbours of the node from this normalised cost (coldstart_costs) on belong to the set. */
static inline uint32_t *coldstart_members(const cairn_coldstart_t *self) { return &coldstart_scratch(self)->index; }

static inline cairn_real *coldstart_saved_m(const cairn_coldstart_t *self)
{
    return &coldstart_scratch(self)[COLDSTART_SET_MAX].real;
}

static inline cairn_word_t *coldstart_costs(const cairn_coldstart_t *self) { return coldstart_words(self, 4); }

/* Centre and normal (axis of least variance) of a set of places. */
typedef struct line {
    cairn_real centre[CAIRN_LOCATE_DIM_MAX];
    cairn_real normal[CAIRN_LOCATE_DIM_MAX];
    cairn_real flatness; /* least over largest variance; 1 when there are too few */
} coldstart_line_t;

/* Anchors whose width is less than this of their length: what hangs on them turns nearly freely. */
#define COLDSTART_NARROW 0.2f

/* How far anchors that hold a set spread, taken one after the other: from the first, the farthest, and the largest height
 * over the line to it. A span would need two passes, and more stack than is left where this is asked. */
typedef struct coldstart_wedge {
    const cairn_real *first_m;
    const cairn_real *farthest_m;
    cairn_real length2;
    cairn_real height2;
} coldstart_wedge_t;

void cairn_coldstart_widen(coldstart_wedge_t *self, const cairn_real *place_m, size_t dim);
/* Whether the only other place of what hangs on them is the mirror image in their plane (2-D: line). */
bool cairn_coldstart_is_wide(const coldstart_wedge_t *self, size_t dim);

void cairn_coldstart_add_member(cairn_coldstart_t *self, uint32_t node);
void cairn_coldstart_take_region(cairn_coldstart_t *self, uint32_t node, cairn_real cost);
void cairn_coldstart_take_set(cairn_coldstart_t *self, uint32_t node, cairn_real cost);
void cairn_coldstart_leave_set(cairn_coldstart_t *self, bool restore);
void cairn_coldstart_restore_set(cairn_coldstart_t *self);
cairn_real cairn_coldstart_set_cost(const cairn_coldstart_t *self);
void cairn_coldstart_mirror(const coldstart_line_t *line, size_t dim, const cairn_real *place_m, cairn_real *image_m);
bool cairn_coldstart_line_of_neighbours(const cairn_coldstart_t *self, uint32_t node, coldstart_line_t *line);
bool cairn_coldstart_line_around(const cairn_coldstart_t *self, coldstart_line_t *line);
void cairn_coldstart_mirror_set(cairn_coldstart_t *self, const coldstart_line_t *line);
bool cairn_coldstart_mirror_flap(cairn_coldstart_t *self, cairn_real flatness_most, cairn_real *cost);
/* Smooth the set; whether it then costs less than that. Not to the end when that is out of reach. */
bool cairn_coldstart_sweep_set(cairn_coldstart_t *self, int n_sweeps, cairn_real cost_most);

/* Where a node may be, its present place first; returns how many. */
#define COLDSTART_CANDIDATES_MAX 5
size_t cairn_coldstart_candidates(const cairn_coldstart_t *self, uint32_t node,
                                  cairn_real candidates_m[COLDSTART_CANDIDATES_MAX][CAIRN_LOCATE_DIM_MAX]);

/* Smooth the changed set and keep it when it then costs less; else restore it. */
bool cairn_coldstart_settle_set(cairn_coldstart_t *self, cairn_real cost_most);

/* From the cursor on, the next anchor that does not fit; false: none is left, or the operations are spent. Then the shift
 * that brings it home. */
bool cairn_coldstart_next_misfit(cairn_coldstart_t *self, int32_t *operations);
void cairn_coldstart_shift_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);

/* Normalised costs of a node, of all nodes; needs a grid. */
cairn_real cairn_coldstart_normalised_cost(const cairn_coldstart_t *self, uint32_t node);
void cairn_coldstart_costs_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);

/* A round of repair: begin with a grid; returns true when it is done. */
bool cairn_coldstart_repair(cairn_coldstart_t *self, int32_t *operations);

#define COLDSTART_START_RANGES 16.0f /* radio ranges: starts farther off are worth nothing */

/* Starts: how they are used, once it is known how far they are off; whether the first map begins at them; then the stage,
 * which is entered once for far starts, twice where there are two maps. */
void cairn_coldstart_choose_starts(cairn_coldstart_t *self);
bool cairn_coldstart_begins_at_starts(const cairn_coldstart_t *self);
void cairn_coldstart_set_prior(cairn_coldstart_t *self, cairn_real std_m);
void cairn_coldstart_hide_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);
void cairn_coldstart_starts_begin(cairn_coldstart_t *self);
bool cairn_coldstart_starts(cairn_coldstart_t *self, int32_t *operations);

/* Try regions elsewhere, from the cursor on: where the other map has them, or, while there is none, shifted upon their
 * starts; then loose nodes at theirs. Needs a grid. Returns true at the last node. */
bool cairn_coldstart_try_regions(cairn_coldstart_t *self, int32_t *operations);
void cairn_coldstart_loose_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end);

/* A frame for networks without any known place; then, once there are first places, freed, or, when it is none, dropped:
 * nobody has a place again. */
#define COLDSTART_LANDMARKS 16u
bool cairn_coldstart_gauge(cairn_coldstart_t *self, int32_t *operations);
void cairn_coldstart_free_landmarks(cairn_coldstart_t *self);
void cairn_coldstart_drop_landmarks(cairn_coldstart_t *self);

/* Cleaning; returns true when it is done. */
bool cairn_coldstart_clean(cairn_coldstart_t *self, int32_t *operations);

/* Settings of a stage of the solver. */
typedef struct cairn_coldstart_plan {
    cairn_real push; /* as cfg->push */
    cairn_real isotropy;
    cairn_real damping;
    cairn_real soft; /* least relative deviation */
    cairn_real stop; /* root mean square step at which the stage ends, share of the radio range */
    cairn_real gain; /* a step that lowers the cost by less is the last, 0: none: 1 is a likelihood e times as high */
    cairn_real tolerance; /* of the conjugate gradients */
    uint16_t iterations_max;
    uint8_t outer_max;
    bool coarse;
} coldstart_plan_t;

const coldstart_plan_t *cairn_coldstart_plan(const cairn_coldstart_t *self);
bool cairn_coldstart_is_fine(const cairn_coldstart_t *self);     /* cfg->fine, or a map from starts */
bool cairn_coldstart_ends_finely(const cairn_coldstart_t *self); /* the same, in the last stage */

/* Deviations; returns true when they are done. */
void cairn_coldstart_probes_begin(cairn_coldstart_t *self);
bool cairn_coldstart_probes(cairn_coldstart_t *self, int32_t *operations);

/* In the gradients: whether those of a probe are to go on though the residual is small, and whether it is time to look how
 * its moves grow. */
bool cairn_coldstart_probes_wait(const cairn_coldstart_t *self);
bool cairn_coldstart_probes_look(const cairn_coldstart_t *self);

/* States; returns true when they are done. Weak nodes are counted over the list of suspects. */
bool cairn_coldstart_states(cairn_coldstart_t *self, int32_t *operations);

/* Of a node: open; open, and no seed is begun there; on too few others; on anchors of a plane; firm. */
typedef enum coldstart_joint {
    COLDSTART_JOINT_OPEN,
    COLDSTART_JOINT_PASSED,
    COLDSTART_JOINT_WEAK,
    COLDSTART_JOINT_TURNS,
    COLDSTART_JOINT_FIRM
} coldstart_joint_t;

/* Stages of the joints, in outer: those of the planes, and the next one. */
enum { COLDSTART_JOINTS_FLOOD = 2, COLDSTART_JOINTS_TELL, COLDSTART_JOINTS_CLEAR, COLDSTART_JOINTS_SEED };

/* Go on to tell what hears anchors in one plane only; returns true when it is done. Before: a list of all anchors. */
void cairn_coldstart_planes_begin(cairn_coldstart_t *self, const cairn_word_t *anchors, int32_t *operations);
bool cairn_coldstart_planes(cairn_coldstart_t *self, int32_t *operations);

/* Mark as weak what hangs on too few nodes; returns true when it is done. */
void cairn_coldstart_joints_begin(cairn_coldstart_t *self);
bool cairn_coldstart_joints(cairn_coldstart_t *self, int32_t *operations);

/* Afterwards: whether a node is weak, as long as coldstart_weak is left alone. */
bool cairn_coldstart_is_weak(const cairn_coldstart_t *self, uint32_t node);

/* Take the part that a weak node hangs in as the set; false when it is too large for one. */
bool cairn_coldstart_take_part(cairn_coldstart_t *self, uint32_t node, int32_t *operations);

/* After the joints: what the starts cost more with the map mirrored, into alpha, where it is they that tell its side. */
void cairn_coldstart_side_begin(cairn_coldstart_t *self);
bool cairn_coldstart_side(cairn_coldstart_t *self, int32_t *operations);

static inline cairn_word_t *coldstart_weak(const cairn_coldstart_t *self) { return coldstart_words(self, 3); }

/* - log x for 0 < x <= 1. */
cairn_real cairn_coldstart_minus_log(cairn_real x);

/* Strength of the pushes, relative to a range, and cap of their cost in the present stage. */
cairn_real cairn_coldstart_push(const cairn_coldstart_t *self);
cairn_real cairn_coldstart_cap(const cairn_coldstart_t *self);
void cairn_coldstart_set_noise(cairn_coldstart_t *self, cairn_real soft, cairn_real push);

/* Outer steps of a stage: begin, then go on until true. */
void cairn_coldstart_solve_begin(cairn_coldstart_t *self);
bool cairn_coldstart_solve(cairn_coldstart_t *self, int32_t *operations);

/* Conjugate gradients of one outer step, phases PHASE_BLOCKS to PHASE_PRODUCT_PUSHES. */
void cairn_coldstart_gradients(cairn_coldstart_t *self, int32_t *operations);

#endif
