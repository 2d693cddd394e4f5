/* SPDX-License-Identifier: MIT
 * Parts that hang on too few nodes. By Menger's theorem no dim nodes cut a node off when dim + 1 chains of ranges that
 * share no node join it to others that are not cut off either; without them its part can be turned about, or mirrored
 * at, what it hangs on, whatever its ranges. Firm are the anchors, the node with most links and its neighbours, and then
 * whatever dim + 1 chains join to firm nodes: mostly links, else augmenting paths (Ford and Fulkerson 1956) near the
 * node. Nodes that do not fit their ranges join nothing: a part beyond them may lie mirrored. */
#include "locate/coldstart_internal.h"

#define STATES_MOST 384u /* of a search for one chain; a node whose search ends there waits for more firm nodes */
#define ROUNDS_MOST 8u
#define LINKS_LEAST 3u /* looks a pop takes besides its links */

enum { JOINT_OPEN, JOINT_WEAK, JOINT_FIRM };

/* Words, one a node: the chains found so far run from `previous` to `following`; a node is reached from `parent_in`, left
 * for others from `parent_out`, each itself where it is reached from its other side; links to firm nodes; firm nodes
 * whose neighbours have not been told. The queue lies in the scratch words: node and side, 1 out. */
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

static uint32_t *queue(const cairn_coldstart_t *self)
{
    return &coldstart_scratch(self)[CAIRN_COLDSTART_FIXED(coldstart_dim(self)) - STATES_MOST].index; /* behind a set */
}

static bool is_firm(const cairn_coldstart_t *self, uint32_t node)
{
    return coldstart_weak(self)[node].index == JOINT_FIRM;
}

/* Nothing holds by a node that does not fit. */
static bool fits(const cairn_coldstart_t *self, uint32_t node)
{
    return coldstart_costs(self)[node].real <= COLDSTART_MISFIT;
}

bool cairn_coldstart_is_weak(const cairn_coldstart_t *self, uint32_t node) { return !is_firm(self, node); }

static void make_firm(cairn_coldstart_t *self, uint32_t node)
{
    if (!is_firm(self, node)) {
        coldstart_weak(self)[node].index = JOINT_FIRM;
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

/* Whether a body is better begun at a node than at the one found so far; not at an anchor, whose neighbours may hang on
 * nothing else. */
static bool is_better_begin(const cairn_coldstart_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;

    if (network_is_anchor(network, node) != network_is_anchor(network, self->row)) {
        return network_is_anchor(network, self->row);
    }
    return network_degree(network, node) > network_degree(network, self->row);
}

static void begin_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        previous(self)[i].index = PATHS_NONE;
        following(self)[i].index = PATHS_NONE;
        parent_in(self)[i].index = PATHS_NONE;
        parent_out(self)[i].index = PATHS_NONE;
        firm_links(self)[i].index = 0;
        coldstart_weak(self)[i].index = fits(self, i) ? JOINT_OPEN : JOINT_WEAK;
        self->row = is_better_begin(self, i) ? i : self->row;
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

/* Reach a side of a node; returns the queue's new length. */
static uint32_t reach(cairn_coldstart_t *self, uint32_t node, uint32_t out, uint32_t from, uint32_t n_reached)
{
    cairn_word_t *parent = &(out != 0 ? parent_out(self) : parent_in(self))[node];

    if (parent->index != PATHS_NONE || n_reached == STATES_MOST) {
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
        if (other == source || previous(self)[other].index == node || !fits(self, other)) {
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
    return node != source && previous(self)[node].index != PATHS_NONE ? reach(self, node, 0, node, n_reached)
                                                                      : n_reached;
}

static void join(cairn_coldstart_t *self, uint32_t source, uint32_t node, uint32_t next)
{
    previous(self)[next].index = node;
    if (node != source) {
        following(self)[node].index = next;
    }
}

/* One more chain, from the source to `last`, which was reached from `node`; chains it crosses exchange their ends. */
static void add_chain(cairn_coldstart_t *self, uint32_t source, uint32_t node, uint32_t last)
{
    join(self, source, node, last);
    while (node != source) {
        uint32_t next = parent_out(self)[node].index; /* itself, or the one whose link from it is given up */
        while (parent_in(self)[next].index == next) { /* it leaves the chains */
            const uint32_t after = parent_out(self)[next].index;
            previous(self)[next].index = PATHS_NONE;
            following(self)[next].index = PATHS_NONE;
            next = after;
        }
        node = parent_in(self)[next].index;
        join(self, source, node, next);
    }
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

/* Look for one more chain. Returns 1 found, 0 there is none (then the part is taken when asked for), -1 the search has
 * become too long. by_anchors: out, nullable, when there is none: whether anchors alone are in the way. */
static int find_chain(cairn_coldstart_t *self, uint32_t source, bool take, bool *by_anchors, int32_t *operations)
{
    uint32_t n_reached = reach(self, source, 1u, source, 0);
    uint32_t last = PATHS_NONE;
    int found = 0;

    for (uint32_t head = 0; head < n_reached && last == PATHS_NONE; ++head) {
        const uint32_t node = queue(self)[head] / 2u;
        const uint32_t before = previous(self)[node].index;
        if ((queue(self)[head] & 1u) != 0) {
            n_reached = leave(self, source, node, n_reached, &last);
            *operations -= (int32_t)network_degree(self->network, node);
        } else if (before != PATHS_NONE && before != source) {
            n_reached = reach(self, before, 1u, node, n_reached);
        }
        if (last != PATHS_NONE) {
            add_chain(self, source, node, last);
        }
        *operations -= (int32_t)LINKS_LEAST;
    }
    found = last != PATHS_NONE ? 1 : n_reached == STATES_MOST ? -1 : 0;
    if (found == 0 && take) {
        take_reached(self, n_reached);
    }
    if (found == 0 && by_anchors != NULL) {
        *by_anchors = is_cut_by_anchors(self, n_reached);
    }
    for (uint32_t k = 0; k < n_reached; ++k) {
        parent_in(self)[queue(self)[k] / 2u].index = PATHS_NONE;
        parent_out(self)[queue(self)[k] / 2u].index = PATHS_NONE;
    }
    return found;
}

static void clear_chains(cairn_coldstart_t *self, uint32_t source)
{
    const cairn_network_t *network = self->network;

    for (uint32_t j = 0; j < network_degree(network, source); ++j) {
        uint32_t node = cairn_link_node(network_link(network, source, j));
        while (node != PATHS_NONE && previous(self)[node].index != PATHS_NONE) {
            const uint32_t next = following(self)[node].index;
            previous(self)[node].index = PATHS_NONE;
            following(self)[node].index = PATHS_NONE;
            node = next;
        }
    }
}

/* Look for dim + 1 chains; returns as find_chain of the last one. */
static int find_chains(cairn_coldstart_t *self, uint32_t node, bool take, bool *by_anchors, int32_t *operations)
{
    size_t n_chains = 0;
    int found = 1;

    while (n_chains <= coldstart_dim(self) && found == 1) {
        found = find_chain(self, node, take, by_anchors, operations);
        n_chains += found == 1 ? 1u : 0u;
    }
    clear_chains(self, node);
    return found;
}

/* The node with most links and its neighbours hold one another, unless the anchors show that they hang on too few. Where
 * dim anchors are all they hang on, and the side is known, they cannot be mirrored; other nodes span another plane. */
static void begin_body(cairn_coldstart_t *self, int32_t *operations)
{
    const cairn_network_t *network = self->network;
    bool by_anchors = false;

    if (network->n_anchors > 0 && find_chains(self, self->row, false, &by_anchors, operations) == 0 &&
        !(self->sided && by_anchors)) {
        return;
    }
    for (uint32_t j = 0; j < network_degree(network, self->row) && network_is_known(network, self->row); ++j) {
        make_firm(self, self->row);
        make_firm(self, cairn_link_node(network_link(network, self->row, j)));
    }
}

bool cairn_coldstart_take_part(cairn_coldstart_t *self, uint32_t node, int32_t *operations)
{
    if (coldstart_weak(self)[node].index == JOINT_FIRM || !coldstart_is_free(self, node) ||
        find_chains(self, node, true, NULL, operations) != 0) {
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
    const int found = find_chains(self, node, false, NULL, operations);

    if (found == 1) {
        make_firm(self, node);
    } else if (found == 0) {
        coldstart_weak(self)[node].index = JOINT_WEAK;
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
        if (coldstart_weak(self)[self->cursor].index == JOINT_OPEN) {
            judge_node(self, self->cursor, operations);
        }
        ++self->cursor;
        --*operations;
    }
    return self->n_suspects == 0 && self->cursor == n_nodes;
}

void cairn_coldstart_joints_begin(cairn_coldstart_t *self)
{
    self->outer = 0;
    self->row = 0;
    self->n_suspects = 0;
    self->n_changed = 0;
    self->cursor = 0;
}

bool cairn_coldstart_joints(cairn_coldstart_t *self, int32_t *operations)
{
    enum { BEGIN, ANCHORS, JUDGE_FIRST, END = JUDGE_FIRST + ROUNDS_MOST };

    if (self->outer == BEGIN) {
        self->outer += cairn_coldstart_pass(self, operations, 1, begin_run) ? 1u : 0u;
    } else if (self->outer == ANCHORS) {
        if (cairn_coldstart_pass(self, operations, 1, anchors_run)) {
            begin_body(self, operations);
            self->outer = JUDGE_FIRST;
        }
    } else if (judge_nodes(self, operations)) {
        const bool changed = self->n_changed > 0;
        self->n_changed = 0;
        self->cursor = 0;
        return !changed || ++self->outer == END;
    }
    return false;
}
