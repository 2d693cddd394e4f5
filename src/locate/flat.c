/* SPDX-License-Identifier: MIT
 * Flat: anchors in one plane tell paths nothing of the height above it. They are put aside, the cold start makes a map in a
 * frame of its own up to its last stage, a rigid motion (Horn 1987) lays it upon them, and the cold start goes on from
 * there with them. A soft map may be bent through the plane by that: its side is chosen again before it is judged. */
#include "cairn/flat.h"

#include "locate/coldstart_internal.h"
#include "locate/span_internal.h"

const cairn_flat_cfg_t cairn_flat_cfg_default = {{{NULL, 60, 10, 1e-3f, 0, 0}, 10, 4, 0}, NULL};

/* The anchors put aside: places [n_anchors x dim], then numbers. */
static cairn_real *kept_places(const cairn_network_t *before, cairn_word_t *work)
{
    return &work[CAIRN_COLDSTART_WORDS(before->n_nodes, before->cfg->dim, 0)].real;
}

static cairn_word_t *kept_numbers(const cairn_network_t *before, cairn_word_t *work)
{
    return work + CAIRN_COLDSTART_WORDS(before->n_nodes, before->cfg->dim, 0) +
           (size_t)before->n_anchors * before->cfg->dim;
}

/* For the fit, where the cold start needs nothing of its work between two stages: the anchors on the map
 * [n_anchors x dim], and their weights. */
static cairn_real *mapped_places(const cairn_flat_t *self) { return &self->work[0].real; }

static cairn_real *mapped_weights(const cairn_flat_t *self)
{
    return &self->work[(size_t)self->before.n_anchors * self->before.cfg->dim].real;
}

/* A network without known places and origin is left. */
static void put_aside(cairn_network_t *network, cairn_word_t *work)
{
    const size_t dim = network->cfg->dim;
    cairn_real *place_m = kept_places(network, work);
    cairn_word_t *number = kept_numbers(network, work);

    for (uint32_t i = 0; i < network->n_nodes; ++i) {
        if (network_is_anchor(network, i)) {
            memcpy(place_m, network_place(network, i), dim * sizeof *place_m);
            place_m += dim;
            number++->index = i;
            network->memory.flags[i] = CAIRN_NODE_UNPLACED;
        }
    }
    network->n_anchors = 0;
    network->origin_set = false;
}

static void put_back(cairn_network_t *network, const cairn_network_t *before, cairn_word_t *work)
{
    const size_t dim = before->cfg->dim;

    *network = *before;
    for (uint32_t k = 0; k < before->n_anchors; ++k) {
        const uint32_t node = kept_numbers(before, work)[k].index;
        network->memory.flags[node] = CAIRN_NODE_ANCHOR;
        memcpy(network_place(network, node), kept_places(before, work) + dim * k, dim * sizeof(cairn_real));
    }
}

static cairn_status check(const cairn_flat_cfg_t *cfg, const cairn_network_t *network, const cairn_word_t *work,
                          size_t work_len)
{
    const size_t dim = network->cfg->dim;

    if (cfg->side_m != NULL && !cairn_all_finite(cfg->side_m, dim)) {
        return CAIRN_ERR_NONFINITE;
    }
    if (network->n_ranges == 0 || network->n_starts > 0) {
        return CAIRN_ERR_STATE;
    }
    if (!cairn_aligned(work, sizeof(cairn_real))) {
        return CAIRN_ERR_ALIGN;
    }
    if (work_len < CAIRN_FLAT_WORDS(network->n_nodes, dim, network->n_anchors)) {
        return CAIRN_ERR_SIZE;
    }
    return network->n_anchors < dim ? CAIRN_ERR_ANCHORS : CAIRN_OK;
}

/* On which side of the plane the given place lies. */
static int8_t given_side(const cairn_flat_cfg_t *cfg, const cairn_network_t *network, const span_t *span)
{
    cairn_real side_m[CAIRN_LOCATE_DIM_MAX];
    cairn_real height_m;

    if (cfg->side_m == NULL) {
        return 0;
    }
    for (size_t k = 0; k < network->cfg->dim; ++k) {
        side_m[k] = cfg->side_m[k] - network->origin_m[k];
    }
    height_m = cairn_span_height(span, side_m, network->cfg->dim);
    return (int8_t)((height_m > SPAN_SIDE_LEAST * span->extent_m) - (height_m < -SPAN_SIDE_LEAST * span->extent_m));
}

cairn_status cairn_flat_init(cairn_flat_t *self, const cairn_flat_cfg_t *cfg, cairn_network_t *network,
                             cairn_word_t *work, size_t work_len)
{
    cairn_network_t before;
    span_t span;
    cairn_status status = self == NULL || cfg == NULL || network == NULL || work == NULL
                              ? CAIRN_ERR_ARG
                              : check(cfg, network, work, work_len);

    if (status == CAIRN_OK) {
        status = cairn_coldstart_check(&self->cold, &cfg->cold, network, work, work_len);
    }
    if (status != CAIRN_OK) {
        return status;
    }
    cairn_span_anchors(&span, network);
    status = span.n_axes + 1u == network->cfg->dim ? cairn_network_seal(network) : CAIRN_ERR_GEOMETRY;
    if (status != CAIRN_OK) {
        return status;
    }
    before = *network;
    put_aside(network, work);
    cairn_coldstart_begin_loose(&self->cold, &cfg->cold, network, work);
    self->cold.end = CAIRN_COLDSTART_FINAL;
    memset(self, 0, offsetof(cairn_flat_t, cold));
    self->cfg = cfg;
    self->network = network;
    self->work = work;
    self->before = before;
    self->side = given_side(cfg, &before, &span);
    self->plane_m = cairn_dot(span.centre_m, span.axes, network->cfg->dim);
    memcpy(self->normal, span.axes, sizeof self->normal);
    return CAIRN_OK;
}

static void enter(cairn_flat_t *self, cairn_flat_stage stage)
{
    self->stage = stage;
    self->cursor = 0;
}

/* What the anchors of a weight span. */
static void span_weighted(const cairn_flat_t *self, const cairn_real *weight, span_t *span)
{
    cairn_network_t *network = self->network;

    for (uint32_t k = 0; k < self->before.n_anchors; ++k) {
        if (!(weight[k] > 0)) {
            network->memory.flags[kept_numbers(&self->before, self->work)[k].index] = CAIRN_NODE_UNPLACED;
            --network->n_anchors;
        }
    }
    cairn_span_anchors(span, network);
    put_back(network, &self->before, self->work);
}

/* Whether the anchors that the map holds, those of a weight, span the plane. */
static CAIRN_NOINLINE bool holds_enough(const cairn_flat_t *self, const cairn_real *weight)
{
    span_t span;

    span_weighted(self, weight, &span);
    return span.n_axes + 1u >= self->network->cfg->dim;
}

/* The anchors are put back; the motion that lays the map on them. False when it holds too few. */
static CAIRN_NOINLINE bool fit(cairn_flat_t *self)
{
    const cairn_network_t *before = &self->before;
    const size_t dim = before->cfg->dim;
    cairn_real *from_m = mapped_places(self);
    cairn_real *weight = mapped_weights(self);

    for (uint32_t k = 0; k < before->n_anchors; ++k) {
        const uint32_t node = kept_numbers(before, self->work)[k].index;
        weight[k] = network_is_known(self->network, node) ? 1 : 0;
        memcpy(from_m + dim * k, network_place(self->network, node), dim * sizeof *from_m);
    }
    put_back(self->network, before, self->work);
    return holds_enough(self, weight) && cairn_rigid_fit(&self->motion, from_m, kept_places(before, self->work), weight,
                                                         before->n_anchors, dim, true, NULL) >= 0;
}

typedef void (*visit_fn)(cairn_flat_t *self, uint32_t node);

/* Go on with a pass over the sensors that have a place; returns true when it is complete. */
static bool visit_sensors(cairn_flat_t *self, int32_t *operations, visit_fn visit)
{
    const uint32_t n_nodes = self->network->n_nodes;

    for (; *operations > 0 && self->cursor < n_nodes; ++self->cursor) {
        *operations -= (int32_t)network_degree(self->network, self->cursor) + 1;
        if (coldstart_is_free(&self->cold, self->cursor)) {
            visit(self, self->cursor);
        }
    }
    return self->cursor == self->network->n_nodes;
}

/* Above the anchors' plane. */
static cairn_real height_of(const cairn_flat_t *self, const cairn_real *place_m)
{
    return cairn_dot(place_m, self->normal, self->network->cfg->dim) - self->plane_m;
}

/* Sensors of the part whose side is found, and whether a sensor belongs to one already. */
static cairn_word_t *members(const cairn_flat_t *self) { return self->work; }

static cairn_word_t *marks(const cairn_flat_t *self) { return self->work + self->network->n_nodes; }

static void lay_visit(cairn_flat_t *self, uint32_t node)
{
    cairn_rigid_apply(&self->motion, network_place(self->network, node), network_place(self->network, node));
    marks(self)[node].index = 0;
}

static void unmark_visit(cairn_flat_t *self, uint32_t node) { marks(self)[node].index = 0; }

static void drop_visit(cairn_flat_t *self, uint32_t node)
{
    network_set_state(self->network, node, CAIRN_NODE_UNPLACED);
}

static void add_member(cairn_flat_t *self, uint32_t node)
{
    if (coldstart_is_free(&self->cold, node) && marks(self)[node].index == 0) {
        marks(self)[node].index = 1;
        members(self)[self->n_members++].index = node;
        self->sum_m += height_of(self, network_place(self->network, node));
    }
}

/* Add the neighbours of the next member; returns the operations it took. */
static int32_t grow(cairn_flat_t *self)
{
    const uint32_t node = members(self)[self->n_grown++].index;
    const uint32_t degree = network_degree(self->network, node);

    for (uint32_t j = 0; j < degree; ++j) {
        add_member(self, cairn_link_node(network_link(self->network, node, j)));
    }
    return (int32_t)degree + 1;
}

static void mirror(cairn_flat_t *self, cairn_real *place_m)
{
    const cairn_real height_m = height_of(self, place_m);

    for (size_t k = 0; k < self->network->cfg->dim; ++k) {
        place_m[k] -= 2 * height_m * self->normal[k];
    }
}

/* Sensors that hang together without the anchors are a part: it may be mirrored whatever the others do, and is, when most
 * of its height lies on the wrong side. Returns true when all parts are done. */
static bool choose_sides(cairn_flat_t *self, int32_t *operations)
{
    for (; *operations > 0; --*operations) {
        if (self->n_grown < self->n_members) {
            *operations -= grow(self);
        } else if (self->n_mirrored < self->n_members && self->sum_m * (cairn_real)self->side < 0) {
            mirror(self, network_place(self->network, members(self)[self->n_mirrored++].index));
            self->returned = self->stage == CAIRN_FLAT_RETURN;
        } else if (self->cursor < self->network->n_nodes) {
            self->n_members = 0;
            self->n_grown = 0;
            self->n_mirrored = 0;
            self->sum_m = 0;
            add_member(self, self->cursor++);
        } else {
            return true;
        }
    }
    return false;
}

/* Whether the only other place that fits a sensor is its mirror image in the plane: all its neighbours are anchors, which
 * span it. */
static CAIRN_NOINLINE bool hangs_on_plane(const cairn_flat_t *self, uint32_t node)
{
    const cairn_network_t *network = self->network;
    const uint32_t degree = network_degree(network, node);
    span_t span;

    for (uint32_t j = 0; j < degree; ++j) {
        if (!network_is_anchor(network, cairn_link_node(network_link(network, node, j)))) {
            return false;
        }
    }
    cairn_span_neighbours(&span, network, node);
    return span.n_axes + 1u >= network->cfg->dim;
}

static void state_visit(cairn_flat_t *self, uint32_t node)
{
    if (self->side == 0) {
        network_set_state(self->network, node, CAIRN_NODE_FLIP_POSSIBLE);
    } else if (hangs_on_plane(self, node)) {
        network_set_state(self->network, node, CAIRN_NODE_PLACED);
    }
}

static void lay(cairn_flat_t *self, int32_t *operations)
{
    if (visit_sensors(self, operations, self->laid ? lay_visit : drop_visit)) {
        enter(self, self->laid ? CAIRN_FLAT_SIDES : CAIRN_FLAT_DONE);
    }
}

/* Go on with the cold start from one of its stages up to another. */
static void go_on(cairn_flat_t *self, cairn_flat_stage stage, cairn_coldstart_stage from, cairn_coldstart_stage end)
{
    enter(self, stage);
    self->cold.end = end;
    cairn_coldstart_enter(&self->cold, from);
}

static void sides(cairn_flat_t *self, int32_t *operations)
{
    if (self->side == 0 || choose_sides(self, operations)) {
        self->cold.progress = 0;
        go_on(self, CAIRN_FLAT_FINISH, CAIRN_COLDSTART_GLOBAL, CAIRN_COLDSTART_PROBES);
    }
}

/* Whether the mirror image in their plane is all that the anchors leave open: enough of them, not nearly on a line, have
 * links that hold them fast to the sensors. One on dim links or fewer may itself be mirrored, and the map turned by that. */
static CAIRN_NOINLINE bool leaves_the_side_only(const cairn_flat_t *self)
{
    const cairn_network_t *network = self->network;
    const size_t dim = network->cfg->dim;
    cairn_real *weight = mapped_weights(self);
    span_t span;

    for (uint32_t k = 0; k < self->before.n_anchors; ++k) {
        const uint32_t node = kept_numbers(&self->before, self->work)[k].index;
        size_t n_sensors = 0;
        for (uint32_t j = 0; j < network_degree(network, node); ++j) {
            n_sensors += coldstart_is_free(&self->cold, cairn_link_node(network_link(network, node, j))) ? 1u : 0u;
        }
        weight[k] = n_sensors > dim ? 1 : 0;
    }
    span_weighted(self, weight, &span);
    return span.n_axes + 1u >= dim &&
           (dim < 3u || span.variances[1] > COLDSTART_NARROW * COLDSTART_NARROW * span.variances[2]);
}

/* The image of a minimum is one, but for anchors that are not quite in the plane. */
static void bring_back(cairn_flat_t *self, int32_t *operations)
{
    if (!self->unmarked) {
        self->unmarked = visit_sensors(self, operations, unmark_visit);
        self->cursor = self->unmarked ? 0 : self->cursor;
    } else if (self->side == 0 || choose_sides(self, operations)) {
        self->cold.sided = self->side != 0 && leaves_the_side_only(self);
        go_on(self, CAIRN_FLAT_JUDGE, self->returned ? CAIRN_COLDSTART_FINAL : CAIRN_COLDSTART_PROBES,
              CAIRN_COLDSTART_DONE);
    }
}

/* Work on the present stage until it ends or the budget is spent. */
static void work_on_stage(cairn_flat_t *self, int32_t *operations)
{
    switch (self->stage) {
    case CAIRN_FLAT_LAY: lay(self, operations); break;
    case CAIRN_FLAT_SIDES: sides(self, operations); break;
    case CAIRN_FLAT_RETURN: bring_back(self, operations); break;
    default:
        if (visit_sensors(self, operations, state_visit)) {
            enter(self, CAIRN_FLAT_DONE);
        }
        break;
    }
}

/* Whether the cold start is at work. */
static bool is_mapping(const cairn_flat_t *self)
{
    return self->stage == CAIRN_FLAT_LOOSE || self->stage == CAIRN_FLAT_FINISH || self->stage == CAIRN_FLAT_JUDGE;
}

/* The loose map is made as far as it needs no anchors: what comes last waits for them. */
static CAIRN_NOINLINE cairn_status make_map(cairn_flat_t *self, uint32_t operations)
{
    if (cairn_coldstart_step(&self->cold, operations) == CAIRN_MORE) {
        return CAIRN_MORE;
    }
    if (self->stage == CAIRN_FLAT_LOOSE) {
        self->laid = fit(self);
        enter(self, CAIRN_FLAT_LAY);
    } else {
        enter(self, (cairn_flat_stage)(self->stage + 1));
    }
    return CAIRN_MORE;
}

static CAIRN_NOINLINE cairn_status use_map(cairn_flat_t *self, uint32_t operations)
{
    int32_t left = network_budget(operations);

    while (left > 0 && !is_mapping(self) && self->stage != CAIRN_FLAT_DONE) {
        work_on_stage(self, &left);
    }
    if (self->stage != CAIRN_FLAT_DONE) {
        return CAIRN_MORE;
    }
    if (self->laid && self->side == 0) {
        return CAIRN_HEIGHT_UNRESOLVED;
    }
    return self->laid && self->cold.converged ? CAIRN_OK : CAIRN_NOT_CONVERGED;
}

cairn_status cairn_flat_step(cairn_flat_t *self, uint32_t operations)
{
    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    return is_mapping(self) ? make_map(self, operations) : use_map(self, operations);
}

cairn_flat_stage cairn_flat_get_stage(const cairn_flat_t *self) { return self->stage; }

const cairn_coldstart_t *cairn_flat_get_cold(const cairn_flat_t *self) { return &self->cold; }

/* The map is made one and a half times. */
cairn_real cairn_flat_get_progress(const cairn_flat_t *self)
{
    const cairn_real cold = cairn_coldstart_get_progress(&self->cold);

    switch (self->stage) {
    case CAIRN_FLAT_LOOSE: return 0.5f * cold;
    case CAIRN_FLAT_LAY:
    case CAIRN_FLAT_SIDES: return 0.5f;
    case CAIRN_FLAT_FINISH:
    case CAIRN_FLAT_RETURN:
    case CAIRN_FLAT_JUDGE: return 0.5f + 0.5f * cold;
    default: return 1;
    }
}
