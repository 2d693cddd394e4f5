/* SPDX-License-Identifier: MIT
 * Parts that hear anchors in one plane only (2-D: on one line), however many: as a whole such a part fits its ranges as well
 * on the other side, or turned about the line. Where all anchors lie so, there is no frame, and others judge. */
#include "locate/coldstart_internal.h"

#include "locate/span_internal.h"

#define LINKS_LEAST 3 /* looks a node takes besides its links */

/* Words, one a node: the first sensor of the part by which a node has been reached. */
static cairn_word_t *reached_by(const cairn_coldstart_t *self) { return self->work; }

/* Sensors of the part from the front; its anchors from the back. */
static cairn_word_t *part(const cairn_coldstart_t *self) { return coldstart_costs(self) + self->network->n_nodes; }

static cairn_word_t *part_anchors(const cairn_coldstart_t *self, uint32_t n_anchors)
{
    return part(self) + (2u * (size_t)self->network->n_nodes - n_anchors);
}

/* [dim] normal of the plane, and how far it is from the origin, in the words of a set. */
static cairn_real *plane(const cairn_coldstart_t *self) { return coldstart_saved_m(self); }

/* Whether anchors lie in a plane, which is kept. From less than a plane every place is far. */
static CAIRN_NOINLINE bool find_plane(cairn_coldstart_t *self, const cairn_word_t *anchors, uint32_t n_anchors,
                                      int32_t *operations)
{
    const size_t dim = coldstart_dim(self);
    span_t span;

    *operations -= (int32_t)n_anchors;
    cairn_span_listed(&span, self->network, anchors, n_anchors);
    memset(plane(self), 0, dim * sizeof(cairn_real));
    plane(self)[dim] = -self->radio_range_m;
    if (span.n_axes + 1u == dim) {
        memcpy(plane(self), span.axes, dim * sizeof(cairn_real));
        plane(self)[dim] = cairn_dot(span.centre_m, span.axes, dim);
    }
    return span.n_axes < dim;
}

/* Whether the mirror image of a sensor is another place. */
static bool is_away(const cairn_coldstart_t *self, uint32_t node)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real height_m = cairn_dot(network_place(self->network, node), plane(self), dim) - plane(self)[dim];

    return 2 * cairn_abs(height_m) > COLDSTART_AWAY * self->radio_range_m;
}

static void add(cairn_coldstart_t *self, uint32_t node)
{
    if (reached_by(self)[node].index == self->row || coldstart_weak(self)[node].index == COLDSTART_JOINT_WEAK) {
        return;
    }
    if (network_is_anchor(self->network, node)) {
        part_anchors(self, ++self->halvings)->index = node;
    } else if (coldstart_is_free(self, node)) {
        part(self)[self->n_members++].index = node;
    }
    reached_by(self)[node].index = self->row;
}

/* The part of the sensor at the row, unless an earlier one holds it. */
static void begin_part(cairn_coldstart_t *self)
{
    self->cursor = 0;
    self->n_members = 0;
    self->halvings = 0;
    if (coldstart_is_free(self, self->row) && reached_by(self)[self->row].index == PATHS_NONE) {
        add(self, self->row);
    }
}

static void grow(cairn_coldstart_t *self, int32_t *operations)
{
    const cairn_network_t *network = self->network;
    const uint32_t node = part(self)[self->cursor++].index;
    const uint32_t degree = network_degree(network, node);

    for (uint32_t j = 0; j < degree; ++j) {
        add(self, cairn_link_node(network_link(network, node, j)));
    }
    *operations -= (int32_t)degree;
}

/* Go on with the present part, then with the next. On dim anchors or fewer it has too few chains anyway. */
static void flood(cairn_coldstart_t *self, int32_t *operations)
{
    if (self->cursor < self->n_members) {
        grow(self, operations);
    } else if (self->halvings > coldstart_dim(self) &&
               find_plane(self, part_anchors(self, self->halvings), self->halvings, operations)) {
        self->outer = COLDSTART_JOINTS_TELL;
    } else if (++self->row < self->network->n_nodes) {
        begin_part(self);
    } else {
        self->outer = COLDSTART_JOINTS_CLEAR;
        self->cursor = 0;
    }
}

/* From the back: whether the image of any sensor is another place; if so all turn, since they do so together. */
static void tell(cairn_coldstart_t *self)
{
    if (self->halvings > 0 && self->cursor > 0) {
        --self->cursor;
        self->halvings = is_away(self, part(self)[self->cursor].index) ? 0 : self->halvings;
    } else if (self->halvings == 0 && self->n_members > 0) {
        --self->n_members;
        coldstart_weak(self)[part(self)[self->n_members].index].index = COLDSTART_JOINT_TURNS;
    } else {
        self->outer = COLDSTART_JOINTS_FLOOD;
        self->cursor = 0;
        self->n_members = 0;
        self->halvings = 0;
    }
}

static void clear_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        reached_by(self)[i].index = PATHS_NONE;
    }
}

void cairn_coldstart_planes_begin(cairn_coldstart_t *self, const cairn_word_t *anchors, int32_t *operations)
{
    const bool framed = self->network->n_anchors > coldstart_dim(self) &&
                        !find_plane(self, anchors, self->network->n_anchors, operations);

    self->outer = framed ? COLDSTART_JOINTS_FLOOD : COLDSTART_JOINTS_CLEAR;
    self->row = 0;
    self->cursor = 0;
    if (framed) {
        begin_part(self);
    }
}

bool cairn_coldstart_planes(cairn_coldstart_t *self, int32_t *operations)
{
    for (; *operations > 0 && self->outer != COLDSTART_JOINTS_CLEAR; *operations -= LINKS_LEAST) {
        if (self->outer == COLDSTART_JOINTS_FLOOD) {
            flood(self, operations);
        } else {
            tell(self);
        }
    }
    if (self->outer != COLDSTART_JOINTS_CLEAR || !cairn_coldstart_pass(self, operations, 1, clear_run)) {
        return false;
    }
    self->row = PATHS_NONE;
    self->halvings = 0;
    self->n_members = 0;
    return true;
}
