/* SPDX-License-Identifier: MIT
 * Distance-vector start: the shortest sum of ranges to each anchor, flooded by the beacons (Niculescu and Nath 2003),
 * then a place from those lengths: Gauss-Newton from both sides, with a common scale, for paths are longer than
 * straight lines. Ages are renewed by the anchor alone, so the ways to a dead one cannot count to infinity. */
#include "node/node_internal.h"

#define SHORTER_BY    0.999f /* a way replaces another of the same anchor when shorter by this factor */
#define NEARER_ANCHOR 0.98f  /* an anchor replaces the farthest one when nearer by this factor */
#define WAY_OLDER     20u    /* rounds by which a held way must be older than an offered one to yield */
#define CHANGE_PART   0.02f  /* change of length or place that neighbours must hear of, of the length and of R */
#define SEED_ROUNDS   6
#define SEED_BASE     0.2f /* R: weight of a way 1/(length^2 + base^2) */
#define DETOUR        0.2f /* share of a way's length by which a place that is nearer halves the weight */
#define HOLD          4.0f /* weight that draws to the anchors, beside that of a way: / (ways, 4 at least)^3 */
#define SEED_STEP     3.0f /* R */
#define SCALE_PRIOR   0.97f
#define SCALE_WEIGHT  1.5f /* of the prior beside the data */
#define SCALE_WAYS    4u   /* fewer leave the scale alone */

cairn_real cairn_node_length(const cairn_node_t *self, const cairn_node_way_t *way, cairn_real shrink)
{
    return shrink * self->cfg->radius_m * (cairn_real)(1.0f / LENGTH_STEPS) * (cairn_real)way->length;
}

static void mark_dirty(cairn_node_t *self, cairn_node_way_t *way)
{
    way->dirty = (uint8_t)((way->dirty & WAY_PLACE) | DIRTY_SENDS);
    self->quiet = 0;
}

static bool has_changed(const cairn_node_t *self, const cairn_node_way_t *held, const cairn_node_way_t *offered)
{
    const cairn_real least = CHANGE_PART * LENGTH_STEPS;
    const cairn_real step = (cairn_real)((int32_t)offered->length - held->length);
    const cairn_real x = (cairn_real)((int32_t)offered->place[0] - held->place[0]);
    const cairn_real y = (cairn_real)((int32_t)offered->place[1] - held->place[1]);
    const cairn_real place = CHANGE_PART * self->cfg->radius_m / self->cfg->grid_m;

    if (((held->dirty ^ offered->dirty) & WAY_PLACE) != 0) {
        return true;
    }
    return cairn_abs(step) > CHANGE_PART * (cairn_real)held->length + least || x * x + y * y > place * place;
}

/* What a way is kept by, the lower the better: its length, or without anchors its id. */
static uint16_t rank_of(const cairn_node_t *self, const cairn_node_way_t *way)
{
    return (self->cfg->options & CAIRN_NODE_NO_ANCHORS) != 0 ? way->id : way->length;
}

/* Slot of an anchor; else a free one, else the worst if the offer is better; else NULL. Without anchors the lowest ids
 * stay. */
static cairn_node_way_t *find_slot(const cairn_node_t *self, const cairn_node_way_t *offered)
{
    const bool no_anchors = (self->cfg->options & CAIRN_NODE_NO_ANCHORS) != 0;
    cairn_node_way_t *worst = self->memory.ways;

    for (size_t i = 0; i < self->memory.n_ways && !(no_anchors && i >= FRAME_NODES); ++i) {
        cairn_node_way_t *way = &self->memory.ways[i];
        if (way->age != NODE_FREE && way->id == offered->id) {
            return way;
        }
        if (worst->age != NODE_FREE && (way->age == NODE_FREE || rank_of(self, way) > rank_of(self, worst))) {
            worst = way;
        }
    }
    if (worst->age == NODE_FREE ||
        (cairn_real)rank_of(self, offered) < (no_anchors ? 1 : NEARER_ANCHOR) * (cairn_real)rank_of(self, worst)) {
        return worst;
    }
    return NULL;
}

static void offer(cairn_node_t *self, const cairn_node_way_t *offered)
{
    cairn_node_way_t *way = find_slot(self, offered);
    const cairn_node_way_t *held = way;
    uint8_t dirty;

    if (way == NULL || offered->id == self->id || offered->age >= WAY_ROUNDS) {
        return;
    }
    if (held->age == NODE_FREE || held->id != offered->id) {
        *way = *offered;
        mark_dirty(self, way);
        return;
    }
    if ((cairn_real)offered->length < SHORTER_BY * (cairn_real)held->length || offered->via == held->via ||
        held->age > offered->age + WAY_OLDER) {
        const bool changed = has_changed(self, held, offered);
        dirty = held->dirty & WAY_SENDS;
        *way = *offered;
        way->dirty |= dirty;
        if (changed) {
            mark_dirty(self, way);
        }
    } else if (offered->age < held->age && offered->length == held->length) {
        way->age = offered->age;
    }
}

/* Length of a path that is continued by a range; saturates. */
static uint16_t add_length(const cairn_node_t *self, uint16_t length, cairn_real range_m)
{
    const cairn_real steps = range_m / self->cfg->radius_m * LENGTH_STEPS + 0.5f;
    const cairn_real sum = (cairn_real)length + steps;

    return sum < (cairn_real)UINT16_MAX ? (uint16_t)sum : UINT16_MAX;
}

/* Whether a path tells another place of an anchor than that has told this node itself. */
static bool contradicts_anchor(const cairn_node_t *self, const cairn_beacon_path_t *path)
{
    const cairn_node_neighbour_t *anchor = cairn_node_find(self, path->id);

    return anchor != NULL && node_is_anchor(anchor) &&
           (anchor->flags & (NEIGHBOUR_PLACE | NEIGHBOUR_RELAYED)) == NEIGHBOUR_PLACE &&
           (anchor->place[0] != path->place[0] || anchor->place[1] != path->place[1]);
}

void cairn_node_learn_ways(cairn_node_t *self, const cairn_node_neighbour_t *neighbour, const cairn_beacon_t *beacon)
{
    cairn_node_way_t offered;

    memset(&offered, 0, sizeof offered);
    offered.via = neighbour->id;
    if (beacon->stage == CAIRN_STAGE_ANCHOR || (self->cfg->options & CAIRN_NODE_NO_ANCHORS) != 0) {
        offered.dirty = beacon->stage >= CAIRN_STAGE_LOOSE ? WAY_PLACE : 0;
        offered.id = beacon->id;
        offered.place[0] = beacon->place[0];
        offered.place[1] = beacon->place[1];
        offered.length = add_length(self, 0, neighbour->range_m);
        offer(self, &offered);
    }
    for (size_t i = 0; i < beacon->n_entries && beacon->kind == CAIRN_BEACON_KIND_PATHS; ++i) {
        const cairn_beacon_path_t *path = &beacon->path[i];
        if (contradicts_anchor(self, path)) {
            continue;
        }
        offered.id = path->id;
        offered.place[0] = path->place[0];
        offered.place[1] = path->place[1];
        offered.length = add_length(self, path->length, neighbour->range_m);
        offered.age = path->age;
        offered.dirty = (path->flags & 1u) != 0 ? WAY_PLACE : 0;
        offer(self, &offered);
        if (offered.dirty != 0 && (neighbour->suspect & 0xFu) < SUSPECT_OUT &&
            (self->cfg->options & CAIRN_NODE_NO_ANCHORS) == 0) {
            cairn_node_relay(self, beacon->id, path->id, path->place, CAIRN_STAGE_ANCHOR);
        }
    }
}

static cairn_real way_weight(const cairn_node_t *self, cairn_real p_m)
{
    const cairn_real base_m = SEED_BASE * self->cfg->radius_m;

    return 1 / (p_m * p_m + base_m * base_m);
}

/* Mean of the anchors with known places, the near ones before all. Returns how many there are. */
static uint8_t mean_anchor(const cairn_node_t *self, cairn_real *mean_m)
{
    cairn_real weights = 0;
    uint8_t n = 0;

    mean_m[0] = 0;
    mean_m[1] = 0;
    for (size_t i = 0; i < self->memory.n_ways; ++i) {
        const cairn_node_way_t *way = &self->memory.ways[i];
        if (node_has_place(way)) {
            const cairn_real weight = way_weight(self, cairn_node_length(self, way, 1));
            cairn_real at_m[2];
            cairn_node_to_metres(self, way->place, at_m);
            weights += weight;
            cairn_node_subtract(at_m, mean_m);
            cairn_node_shift(mean_m, weight / weights, at_m);
            ++n;
        }
    }
    return n;
}

/* Sums of (|x - A| - scale p)^2 / (p^2 + base^2) over the ways; returns the scale that would suit the place best. A path
 * around a hole is much longer than the straight line and never much shorter, so a place that is too near to an anchor
 * loosens the way to it, unless that is one range. Where few ways leave the side open, a node is rather among the
 * anchors than beyond them. The lowest ids of a frame without anchors are anywhere, and their places rough: neither
 * holds there, and far ways weigh more, 1/(p + base). */
static cairn_real sum_ways(const cairn_node_t *self, uint8_t n_ways, cairn_real scale, const cairn_real *place_m,
                           cairn_node_sums_t *sums)
{
    const cairn_real n = (cairn_real)(n_ways > SCALE_WAYS ? n_ways : SCALE_WAYS);
    const cairn_real share = (self->cfg->options & CAIRN_NODE_NO_ANCHORS) != 0 ? 0 : HOLD / (n * n * n);
    cairn_real distances = 0;
    cairn_real lengths = 0;

    memset(sums, 0, sizeof *sums);
    for (size_t i = 0; i < self->memory.n_ways; ++i) {
        const cairn_node_way_t *way = &self->memory.ways[i];
        if (node_has_place(way)) {
            const cairn_real p_m = cairn_node_length(self, way, 1);
            cairn_real weight = share > 0 ? way_weight(self, p_m) : 1 / (p_m + SEED_BASE * self->cfg->radius_m);
            const cairn_real hold = share * weight;
            cairn_real at_m[2];
            cairn_real u[2];
            cairn_real d_m;
            cairn_real residual_m;
            cairn_node_to_metres(self, way->place, at_m);
            d_m = cairn_node_direction(self, way->id, place_m, at_m, u);
            residual_m = d_m - scale * p_m;
            if (residual_m < 0 && share > 0 && way->via != way->id) {
                const cairn_real detour = residual_m / (DETOUR * p_m);
                weight /= 1 + detour * detour;
            }
            cairn_node_add(sums, u, weight * residual_m + hold * d_m, weight);
            cairn_node_hold(sums, hold);
            sums->cost += weight * residual_m * residual_m + hold * d_m * d_m;
            distances += d_m;
            lengths += p_m;
        }
    }
    return (distances + SCALE_PRIOR * SCALE_WEIGHT * lengths) / (lengths * (1 + SCALE_WEIGHT));
}

/* Gauss-Newton rounds from a place; returns the cost before the last one. */
static cairn_real refine(const cairn_node_t *self, uint8_t n_ways, cairn_real *place_m)
{
    cairn_real scale = SCALE_PRIOR;
    cairn_node_sums_t sums;

    for (int round = 0; round < SEED_ROUNDS; ++round) {
        const cairn_real next = sum_ways(self, n_ways, scale, place_m, &sums);
        cairn_real step_m[2];
        scale = n_ways >= SCALE_WAYS ? next : scale;
        cairn_node_newton(self, &sums, SEED_STEP * self->cfg->radius_m, step_m);
        if (!cairn_all_finite(step_m, 2)) {
            break;
        }
        cairn_node_shift(place_m, 1, step_m);
    }
    return sums.cost;
}

/* From the present place, and from the anchors' mean or the other side of it by turns: the cheaper one stays. */
bool cairn_node_seed(cairn_node_t *self)
{
    const bool again = self->stage == CAIRN_STAGE_SEED;
    cairn_real place_m[2];
    const uint8_t n_ways = mean_anchor(self, place_m);
    cairn_real cost;

    if (n_ways < 3) {
        return false;
    }
    if (again && self->rounds % 2 == 0) {
        place_m[0] += place_m[0] - self->place_m[0];
        place_m[1] += place_m[1] - self->place_m[1];
    }
    cost = refine(self, n_ways, place_m);
    if (!again || cost < refine(self, n_ways, self->place_m)) {
        self->place_m[0] = place_m[0];
        self->place_m[1] = place_m[1];
    }
    return true;
}
