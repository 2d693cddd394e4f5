/* SPDX-License-Identifier: MIT
 * Parts that hang on too few nodes. By Menger's theorem no dim nodes cut a node off when dim + 1 chains of ranges that
 * share no node join it to others that are not cut off either; without them its part can be turned about, or mirrored
 * at, what it hangs on, whatever its ranges. Firm are the anchors, dim + 1 sensors with ranges to one another that as many
 * chains join to the anchors, and then whatever dim + 1 chains join to firm nodes: mostly links, else augmenting paths
 * (Ford and Fulkerson 1956) near the node. Nodes that do not fit their ranges join nothing: a part beyond them may lie
 * mirrored. Nor are chains enough that end at anchors in one plane: see coldstart_planes.c. */
#include "locate/coldstart_internal.h"

#define STATES_MOST 384u /* of a search for one chain; a node whose search ends there waits for more firm nodes */
#define ROUNDS_MOST 8u
#define SEEDS_MOST  32u /* tried as the first sensors */
#define LINKS_LEAST 3u  /* looks a pop takes besides its links */

/* Stages, in outer: of the planes, of the seed, then rounds over all nodes. */
enum { BEGIN, ANCHORS, SEED = COLDSTART_JOINTS_SEED, SEARCH, FORGET, JUDGE_FIRST, END = JUDGE_FIRST + ROUNDS_MOST };

/* Words, one a node: the chains found so far run from `previous` to `following`; a node is reached from `parent_in`, left
 * for others from `parent_out`, each itself where it is reached from its other side; links to firm nodes; firm nodes
 * whose neighbours have not been told. The queue lies behind the costs, two words a node: node and side, 1 out. */
static cairn_word_t *previous(const cairn_coldstart_t *self) { return self->work; }

static cairn_word_t *following(const cairn_coldstart_t *self) { return self->work + self->network->n_nodes; }

static cairn_word_t *parent_in(const cairn_coldstart_t *self)
{
    return self->work + 2u * (size_t)self->network->n_nodes;
}

/* On a line over the grid, elsewhere beside marks and grid. */
static cairn_word_t *parent_out(const cairn_coldstart_t *self)
{
    return coldstart_marks(self) + self->network->n_nodes;
}

static cairn_word_t *firm_links(const cairn_coldstart_t *self) { return coldstart_words(self, 2); }

static cairn_word_t *untold(const cairn_coldstart_t *self)
{
    return coldstart_dim(self) > 1 ? firm_links(self) + self->network->n_nodes : coldstart_marks(self);
}

static uint32_t *queue(const cairn_coldstart_t *self) { return &coldstart_costs(self)[self->network->n_nodes].index; }

static bool is_firm(const cairn_coldstart_t *self, uint32_t node)
{
    return coldstart_weak(self)[node].index == COLDSTART_JOINT_FIRM;
}

/* Nothing holds by a node that does not fit. */
static bool fits(const cairn_coldstart_t *self, uint32_t node)
{
    return coldstart_costs(self)[node].real <= COLDSTART_MISFIT;
}

bool cairn_coldstart_is_weak(const cairn_coldstart_t *self, uint32_t node) { return !is_firm(self, node); }

static void make_firm(cairn_coldstart_t *self, uint32_t node)
{
    if (!is_firm(self, node) && coldstart_weak(self)[node].index != COLDSTART_JOINT_TURNS) {
        coldstart_weak(self)[node].index = COLDSTART_JOINT_FIRM;
        untold(self)[self->n_suspects++].index = node;
        ++self->n_changed;
    }
}

/* Tell the neighbours of new firm nodes: dim + 1 links to firm nodes are dim + 1 chains. Returns the looks at links. */
static int32_t spread_firmness(cairn_coldstart_t *self)
{
    const cairn_network_t *network = self->network;
    const uint32_t node = untold(self)[--self->n_suspects].index;
    const uint32_t degree = network_degree(network, node);

    for (uint32_t j = 0; j < degree; ++j) {
        const uint32_t other = cairn_link_node(network_link(network, node, j));
        if (++firm_links(self)[other].index > coldstart_dim(self) && network_is_known(network, other) &&
            fits(self, other)) {
            make_firm(self, other);
        }
    }
    return (int32_t)(degree + LINKS_LEAST);
}

/* The sensor with most links that may still be the first of a seed. */
static void seed_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const cairn_network_t *network = self->network;

    for (uint32_t i = begin; i < end; ++i) {
        if (coldstart_weak(self)[i].index == COLDSTART_JOINT_OPEN && coldstart_is_free(self, i) &&
            (self->row == PATHS_NONE || network_degree(network, i) > network_degree(network, self->row))) {
            self->row = i;
        }
    }
}

static void begin_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        previous(self)[i].index = PATHS_NONE;
        following(self)[i].index = PATHS_NONE;
        parent_in(self)[i].index = PATHS_NONE;
        parent_out(self)[i].index = PATHS_NONE;
        firm_links(self)[i].index = 0;
        coldstart_weak(self)[i].index = fits(self, i) ? COLDSTART_JOINT_OPEN : COLDSTART_JOINT_WEAK;
    }
}

static void anchors_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        if (network_is_anchor(self->network, i)) {
            make_firm(self, i);
        }
    }
}

/* A seed: in the words of a set. */
static bool is_seed(const cairn_coldstart_t *self, uint32_t node)
{
    for (size_t k = 0; k <= coldstart_dim(self); ++k) {
        if (coldstart_members(self)[k] == node) {
            return true;
        }
    }
    return false;
}

/* Whether chains begin at a node: at one, or, source PATHS_NONE, at the nodes of the seed, one at each. */
static bool is_source(const cairn_coldstart_t *self, uint32_t source, uint32_t node)
{
    return source != PATHS_NONE ? node == source : is_seed(self, node);
}

static uint32_t states_most(const cairn_coldstart_t *self)
{
    return self->outer == SEARCH ? 2u * self->network->n_nodes : STATES_MOST;
}

/* Reach a side of a node; returns the queue's new length. */
static uint32_t reach(cairn_coldstart_t *self, uint32_t node, uint32_t out, uint32_t from, uint32_t n_reached)
{
    cairn_word_t *parent = &(out != 0 ? parent_out(self) : parent_in(self))[node];

    if (parent->index != PATHS_NONE || n_reached == states_most(self)) {
        return n_reached;
    }
    parent->index = from;
    queue(self)[n_reached] = 2u * node + out;
    return n_reached + 1u;
}

/* Leave a node for its neighbours; *last becomes a firm one that ends no chain yet. Returns the queue's new length. */
static uint32_t leave(cairn_coldstart_t *self, uint32_t source, uint32_t node, uint32_t n_reached, uint32_t *last)
{
    const cairn_network_t *network = self->network;
    const uint32_t degree = network_degree(network, node);

    for (uint32_t j = 0; j < degree; ++j) {
        const uint32_t other = cairn_link_node(network_link(network, node, j));
        const bool chained = previous(self)[other].index != PATHS_NONE;
        if (is_source(self, source, other) || previous(self)[other].index == node || !fits(self, other)) {
            continue;
        }
        if (is_firm(self, other) && !chained) {
            *last = other;
            return n_reached;
        }
        n_reached = reach(self, other, 0, node, n_reached);
        if (!chained && parent_in(self)[other].index == node) {
            n_reached = reach(self, other, 1u, other, n_reached);
        }
    }
    return previous(self)[node].index != PATHS_NONE ? reach(self, node, 0, node, n_reached) : n_reached;
}

static void join(cairn_coldstart_t *self, uint32_t node, uint32_t next)
{
    previous(self)[next].index = node;
    following(self)[node].index = next;
}

/* Clear the chain that goes on from a node. */
static void clear_chain(cairn_coldstart_t *self, uint32_t node)
{
    while (node != PATHS_NONE && previous(self)[node].index != PATHS_NONE) {
        const uint32_t next = following(self)[node].index;
        previous(self)[node].index = PATHS_NONE;
        following(self)[node].index = PATHS_NONE;
        node = next;
    }
}

/* Where chains exchange their ends, nodes may stay behind that follow one another in a ring: no source leads to them, and
 * they would never be cleared. Returns the looks at nodes. */
static int32_t drop_ring(cairn_coldstart_t *self, uint32_t node)
{
    uint32_t next = following(self)[node].index;
    int32_t n_looks = 1;

    for (; next != PATHS_NONE && next != node; ++n_looks) {
        next = following(self)[next].index;
    }
    if (next == node) {
        clear_chain(self, node);
    }
    return n_looks;
}

/* One more chain, from a source to `last`, which was reached from `node`; chains it crosses exchange their ends. Returns the
 * looks at nodes of those. */
static int32_t add_chain(cairn_coldstart_t *self, uint32_t source, uint32_t node, uint32_t last)
{
    uint32_t at = node;
    int32_t n_looks = 0;

    join(self, node, last);
    while (!is_source(self, source, node) || parent_out(self)[node].index != node) {
        uint32_t next = parent_out(self)[node].index; /* itself, or the one whose link from it is given up */
        while (parent_in(self)[next].index == next) { /* it leaves the chains */
            const uint32_t after = parent_out(self)[next].index;
            previous(self)[next].index = PATHS_NONE;
            following(self)[next].index = PATHS_NONE;
            next = after;
        }
        node = parent_in(self)[next].index;
        join(self, node, next);
    }
    while (!is_source(self, source, at) || parent_out(self)[at].index != at) { /* the same way again */
        uint32_t next = parent_out(self)[at].index;
        const bool crosses = next != at;
        while (parent_in(self)[next].index == next) {
            next = parent_out(self)[next].index;
        }
        if (crosses) {
            n_looks += drop_ring(self, next);
        }
        at = parent_in(self)[next].index;
    }
    return n_looks;
}

/* The part that no further chain leaves: what can be left for others. */
static void take_reached(cairn_coldstart_t *self, uint32_t n_reached)
{
    self->n_members = 0;
    for (uint32_t k = 0; k < n_reached; ++k) {
        if ((queue(self)[k] & 1u) != 0) {
            cairn_coldstart_add_member(self, queue(self)[k] / 2u);
        }
    }
}

/* Whether anchors alone cut off what has been reached, and span their plane: what cuts is reached, but not left. */
static bool is_cut_by_anchors(const cairn_coldstart_t *self, uint32_t n_reached)
{
    coldstart_wedge_t wedge = {NULL, NULL, 0, 0};

    for (uint32_t k = 0; k < n_reached; ++k) {
        const uint32_t node = queue(self)[k] / 2u;
        if (parent_out(self)[node].index == PATHS_NONE) {
            if (!network_is_anchor(self->network, node)) {
                return false;
            }
            cairn_coldstart_widen(&wedge, network_place(self->network, node), coldstart_dim(self));
        }
    }
    return cairn_coldstart_is_wide(&wedge, coldstart_dim(self));
}

/* Go on with the search for one more chain. Returns the end of that which has been found, PATHS_NONE while there is none
 * and at the end of the search. */
static uint32_t search(cairn_coldstart_t *self, uint32_t source, uint32_t *head, uint32_t *n_reached,
                       int32_t *operations)
{
    const uint32_t node = queue(self)[*head] / 2u;
    const uint32_t before = previous(self)[node].index;
    uint32_t last = PATHS_NONE;

    if ((queue(self)[*head] & 1u) != 0) {
        *n_reached = leave(self, source, node, *n_reached, &last);
        *operations -= (int32_t)network_degree(self->network, node);
    } else if (before != PATHS_NONE) {
        *n_reached = reach(self, before, 1u, node, *n_reached);
    }
    if (last != PATHS_NONE) {
        *operations -= add_chain(self, source, node, last);
    }
    *operations -= (int32_t)LINKS_LEAST;
    ++*head;
    return last;
}

static void forget(cairn_coldstart_t *self, uint32_t state)
{
    parent_in(self)[queue(self)[state] / 2u].index = PATHS_NONE;
    parent_out(self)[queue(self)[state] / 2u].index = PATHS_NONE;
}

/* Look for one more chain. Returns 1 found, 0 there is none (then the part is taken when asked for), -1 the search has
 * become too long. */
static int find_chain(cairn_coldstart_t *self, uint32_t source, bool take, int32_t *operations)
{
    uint32_t n_reached = reach(self, source, 1u, source, 0);
    uint32_t last = PATHS_NONE;
    int found = 0;

    for (uint32_t head = 0; head < n_reached && last == PATHS_NONE;) {
        last = search(self, source, &head, &n_reached, operations);
    }
    found = last != PATHS_NONE ? 1 : n_reached == STATES_MOST ? -1 : 0;
    if (found == 0 && take) {
        take_reached(self, n_reached);
    }
    for (uint32_t k = 0; k < n_reached; ++k) {
        forget(self, k);
    }
    return found;
}

static void clear_chains(cairn_coldstart_t *self, uint32_t source)
{
    const cairn_network_t *network = self->network;

    for (uint32_t j = 0; j < network_degree(network, source); ++j) {
        clear_chain(self, cairn_link_node(network_link(network, source, j)));
    }
    following(self)[source].index = PATHS_NONE;
}

/* Look for dim + 1 chains; returns as find_chain of the last one. */
static int find_chains(cairn_coldstart_t *self, uint32_t node, bool take, int32_t *operations)
{
    size_t n_chains = 0;
    int found = 1;

    while (n_chains <= coldstart_dim(self) && found == 1) {
        found = find_chain(self, node, take, operations);
        n_chains += found == 1 ? 1u : 0u;
    }
    clear_chains(self, node);
    return found;
}

/* Count a new node of the seed at its neighbours that are linked to all nodes of the seed before it. */
static void count_seed(cairn_coldstart_t *self, uint32_t node, uint32_t n_before)
{
    const cairn_network_t *network = self->network;

    for (uint32_t j = 0; j < network_degree(network, node); ++j) {
        cairn_word_t *count = &firm_links(self)[cairn_link_node(network_link(network, node, j))];
        count->index += count->index == n_before ? 1u : 0u;
    }
}

/* Neighbours of a node that are linked to all nodes of the seed so far. */
static uint32_t count_common(const cairn_coldstart_t *self, uint32_t node, uint32_t n_seed)
{
    const cairn_network_t *network = self->network;
    uint32_t n_common = 0;

    for (uint32_t j = 0; j < network_degree(network, node); ++j) {
        const uint32_t other = cairn_link_node(network_link(network, node, j));
        n_common += firm_links(self)[other].index == n_seed && coldstart_is_free(self, other) ? 1u : 0u;
    }
    return n_common;
}

/* The sensor to join a seed: that with most neighbours which might join it too. */
static uint32_t next_of_seed(const cairn_coldstart_t *self, uint32_t n_seed)
{
    const cairn_network_t *network = self->network;
    uint32_t best = PATHS_NONE;
    uint32_t most = 0;

    for (uint32_t j = 0; j < network_degree(network, self->row); ++j) {
        const uint32_t other = cairn_link_node(network_link(network, self->row, j));
        if (firm_links(self)[other].index == n_seed && coldstart_is_free(self, other) &&
            coldstart_weak(self)[other].index < COLDSTART_JOINT_WEAK) {
            const uint32_t n_common = count_common(self, other, n_seed);
            if (best == PATHS_NONE || n_common > most) {
                best = other;
                most = n_common;
            }
        }
    }
    return best;
}

/* A seed about a node: sensors linked to one another; the links are counted over those to firm nodes. False when the
 * node has no such neighbours. */
static bool take_seed(cairn_coldstart_t *self)
{
    const cairn_network_t *network = self->network;
    uint32_t n_seed = 0;

    for (uint32_t next = self->row; next != PATHS_NONE; next = next_of_seed(self, n_seed)) {
        coldstart_members(self)[n_seed] = next;
        count_seed(self, next, n_seed);
        if (++n_seed > coldstart_dim(self)) {
            break;
        }
    }
    for (uint32_t k = 0; k < n_seed; ++k) {
        const uint32_t node = coldstart_members(self)[k];
        for (uint32_t j = 0; j < network_degree(network, node); ++j) {
            firm_links(self)[cairn_link_node(network_link(network, node, j))].index = 0;
        }
    }
    return n_seed > coldstart_dim(self);
}

/* Search for chains from the nodes of the seed where none begins yet. */
static void begin_search(cairn_coldstart_t *self)
{
    self->outer = SEARCH;
    self->cursor = 0;
    self->n_members = 0;
    for (size_t k = 0; k <= coldstart_dim(self); ++k) {
        const uint32_t node = coldstart_members(self)[k];
        if (following(self)[node].index == PATHS_NONE) {
            self->n_members = reach(self, node, 1u, node, self->n_members);
        }
    }
}

static uint32_t count_chains(const cairn_coldstart_t *self)
{
    uint32_t n_chains = 0;

    for (size_t k = 0; k <= coldstart_dim(self); ++k) {
        n_chains += following(self)[coldstart_members(self)[k]].index != PATHS_NONE ? 1u : 0u;
    }
    return n_chains;
}

static void end_seed(cairn_coldstart_t *self, bool firm)
{
    for (size_t k = 0; k <= coldstart_dim(self); ++k) {
        const uint32_t node = coldstart_members(self)[k];
        if (firm) {
            make_firm(self, node);
        }
        clear_chain(self, following(self)[node].index);
        following(self)[node].index = PATHS_NONE;
    }
    self->row = firm ? self->row : PATHS_NONE;
}

/* Go on with the search from the seed to the anchors. What hangs on dim anchors only, their side known, cannot be mirrored,
 * though there are no more chains. */
static void search_seed(cairn_coldstart_t *self, int32_t *operations)
{
    uint32_t last = PATHS_NONE;

    while (*operations > 0 && self->cursor < self->n_members && last == PATHS_NONE) {
        last = search(self, PATHS_NONE, &self->cursor, &self->n_members, operations);
    }
    if (last != PATHS_NONE) {
        self->outer = FORGET;
        if (count_chains(self) > coldstart_dim(self)) {
            end_seed(self, true);
        }
    } else if (self->cursor == self->n_members) {
        self->outer = FORGET;
        end_seed(self,
                 self->sided && count_chains(self) == coldstart_dim(self) && is_cut_by_anchors(self, self->n_members));
    }
}

/* Forget what a search has reached; when the seed hangs on too few nodes, so does all of it that can be left. */
static void forget_search(cairn_coldstart_t *self, int32_t *operations)
{
    for (; *operations > 0 && self->n_members > 0; --*operations) {
        const uint32_t state = queue(self)[--self->n_members];
        if (self->row == PATHS_NONE && (state & 1u) != 0 &&
            coldstart_weak(self)[state / 2u].index < COLDSTART_JOINT_WEAK) {
            coldstart_weak(self)[state / 2u].index = COLDSTART_JOINT_WEAK;
        }
        forget(self, self->n_members);
    }
    if (self->n_members == 0) {
        self->cursor = 0;
        if (self->row == PATHS_NONE) {
            self->outer = SEED;
        } else if (is_firm(self, coldstart_members(self)[0])) {
            self->outer = JUDGE_FIRST;
        } else {
            begin_search(self);
        }
    }
}

/* Take a seed at the node found for it, or pass on to the next one. Where anchors tell no frame, or less than
 * starts do, any seed will do; whether starts tell its side is seen afterwards. */
static void begin_seed(cairn_coldstart_t *self)
{
    if (self->row == PATHS_NONE || self->halvings == SEEDS_MOST) {
        self->outer = JUDGE_FIRST;
        return;
    }
    ++self->halvings;
    if (!take_seed(self)) {
        coldstart_weak(self)[self->row].index = COLDSTART_JOINT_PASSED;
        self->row = PATHS_NONE;
    } else if (self->network->n_anchors > (self->has_starts ? coldstart_dim(self) : 0)) {
        begin_search(self);
    } else {
        end_seed(self, true);
        self->outer = JUDGE_FIRST;
    }
}

bool cairn_coldstart_take_part(cairn_coldstart_t *self, uint32_t node, int32_t *operations)
{
    if (is_firm(self, node) || !coldstart_is_free(self, node) || find_chains(self, node, true, operations) != 0) {
        return false;
    }
    if (self->n_members < COLDSTART_SET_MAX) {
        return true;
    }
    cairn_coldstart_leave_set(self, false);
    return false;
}

static void judge_node(cairn_coldstart_t *self, uint32_t node, int32_t *operations)
{
    const int found = find_chains(self, node, false, operations);

    if (found == 1) {
        make_firm(self, node);
    } else if (found == 0) {
        coldstart_weak(self)[node].index = COLDSTART_JOINT_WEAK;
    }
}

/* Go on through the nodes; returns true when all have been looked at. */
static bool judge_nodes(cairn_coldstart_t *self, int32_t *operations)
{
    const uint32_t n_nodes = self->network->n_nodes;

    while (*operations > 0 && (self->n_suspects > 0 || self->cursor < n_nodes)) {
        if (self->n_suspects > 0) {
            *operations -= spread_firmness(self);
            continue;
        }
        if (coldstart_weak(self)[self->cursor].index < COLDSTART_JOINT_WEAK) {
            judge_node(self, self->cursor, operations);
        }
        ++self->cursor;
        --*operations;
    }
    return self->n_suspects == 0 && self->cursor == n_nodes;
}

void cairn_coldstart_joints_begin(cairn_coldstart_t *self)
{
    self->outer = BEGIN;
    self->row = PATHS_NONE;
    self->halvings = 0;
    self->n_members = 0;
    self->n_suspects = 0;
    self->n_changed = 0;
    self->cursor = 0;
}

/* Go on with the first firm nodes. */
static void begin_body(cairn_coldstart_t *self, int32_t *operations)
{
    switch (self->outer) {
    case BEGIN: self->outer += cairn_coldstart_pass(self, operations, 1, begin_run) ? 1u : 0u; break;
    case ANCHORS:
        if (cairn_coldstart_pass(self, operations, 1, anchors_run)) {
            cairn_coldstart_planes_begin(self, untold(self), operations);
        }
        break;
    case SEED:
        if (cairn_coldstart_pass(self, operations, 1, seed_run)) {
            begin_seed(self);
        }
        break;
    case SEARCH: search_seed(self, operations); break;
    case FORGET: forget_search(self, operations); break;
    default: self->outer = cairn_coldstart_planes(self, operations) ? SEED : self->outer; break;
    }
}

bool cairn_coldstart_joints(cairn_coldstart_t *self, int32_t *operations)
{
    if (self->outer < JUDGE_FIRST) {
        begin_body(self, operations);
    } else if (judge_nodes(self, operations)) {
        const bool changed = self->n_changed > 0;
        self->n_changed = 0;
        self->cursor = 0;
        return !changed || ++self->outer == END;
    }
    return false;
}
