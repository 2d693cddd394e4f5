/* SPDX-License-Identifier: MIT
 * What a node says: at start-up all its ways to anchors, later the changed ones, and in rotation ways and neighbours. */
#include "node/node_internal.h"

#define TELL_ROUNDS 4u  /* what fell silent is not told: it would push those that know it no more */
#define PEERS_LATER 2u  /* neighbours in a beacon once the map stands */
#define WAY_EVERY   4u  /* beacons: one carries a way, the others neighbours */
#define ANSWER_AGE  16u /* rounds: what nobody has told for so long is not told as if it were new */
#define ASK_ROUNDS  40u /* rounds_loose from which places that nobody has told are asked for */

static cairn_node_way_t *shortest_dirty(const cairn_node_t *self)
{
    cairn_node_way_t *shortest = NULL;

    for (size_t i = 0; i < self->memory.n_ways; ++i) {
        cairn_node_way_t *way = &self->memory.ways[i];
        if (way->age != NODE_FREE && (way->dirty & WAY_SENDS) > 0 &&
            (shortest == NULL || way->length < shortest->length)) {
            shortest = way;
        }
    }
    return shortest;
}

static cairn_node_way_t *next_way(cairn_node_t *self)
{
    for (size_t i = 0; i < self->memory.n_ways; ++i) {
        self->next_way = cairn_node_turn(self->next_way, self->memory.n_ways);
        if (self->memory.ways[self->next_way].age != NODE_FREE) {
            return &self->memory.ways[self->next_way];
        }
    }
    return NULL;
}

static void say_way(cairn_beacon_t *beacon, cairn_node_way_t *way)
{
    cairn_beacon_path_t *path = &beacon->path[beacon->n_entries];

    beacon->kind = CAIRN_BEACON_KIND_PATHS;
    path->id = way->id;
    path->place[0] = way->place[0];
    path->place[1] = way->place[1];
    path->length = way->length;
    path->age = way->age;
    path->flags = (uint8_t)((way->dirty & WAY_PLACE) != 0);
    way->dirty = (uint8_t)(way->dirty - ((way->dirty & WAY_SENDS) > 0));
    ++beacon->n_entries;
}

static bool is_said(const cairn_beacon_t *beacon, uint16_t id)
{
    for (size_t i = 0; i < beacon->n_entries; ++i) {
        if (beacon->path[i].id == id) {
            return true;
        }
    }
    return false;
}

/* While ways spread: as many as fit, changed ones first, shortest first. */
static void say_all_ways(cairn_node_t *self, cairn_beacon_t *beacon)
{
    for (size_t i = 0; i < CAIRN_BEACON_PATHS; ++i) {
        cairn_node_way_t *way = shortest_dirty(self);
        if (way == NULL) {
            break;
        }
        say_way(beacon, way);
        way->dirty &= WAY_PLACE;
    }
    for (size_t i = 0; i < self->memory.n_ways && beacon->n_entries < CAIRN_BEACON_PATHS; ++i) {
        cairn_node_way_t *way = next_way(self);
        if (way != NULL && !is_said(beacon, way->id)) {
            say_way(beacon, way);
        }
    }
}

/* Add a node's place to the beacon, unless it is too far off. */
static void say_place(const cairn_node_t *self, uint16_t id, const int16_t *place, uint8_t range,
                      cairn_beacon_t *beacon)
{
    const cairn_real steps = CAIRN_BEACON_OFFSET * self->cfg->grid_m / self->cfg->radius_m;
    cairn_beacon_peer_t *peer = &beacon->peer[beacon->n_entries];

    for (size_t k = 0; k < 2; ++k) {
        const int16_t step = cairn_node_grid_step(steps * (cairn_real)((int32_t)place[k] - beacon->place[k]));
        if (step > INT8_MAX || step < -INT8_MAX) {
            return;
        }
        peer->offset[k] = (int8_t)step;
    }
    peer->id = id;
    peer->range = range;
    ++beacon->n_entries;
}

/* Add a neighbour to the beacon, unless it is silent: it would push those that know it no more. One that is ranged, but
 * whose place nobody has told so far, is asked for: the range that they share would pull at the other one alone, and with
 * it at all around it. */
static void say_peer(const cairn_node_t *self, const cairn_node_neighbour_t *neighbour, cairn_beacon_t *beacon)
{
    const cairn_real range = CAIRN_BEACON_RANGE * neighbour->range_m / self->cfg->radius_m + 0.5f;

    if (cairn_node_supports(self, neighbour) && neighbour->age < TELL_ROUNDS && neighbour->stage >= CAIRN_STAGE_LOOSE) {
        say_place(self, neighbour->id, neighbour->place, (uint8_t)cairn_min(UINT8_MAX, range), beacon);
    } else if (self->rounds_loose > ASK_ROUNDS && node_has_range(neighbour) && neighbour->age >= RELAY_ROUNDS &&
               (neighbour->flags & NEIGHBOUR_PLACE) == 0) {
        cairn_beacon_peer_t *peer = &beacon->peer[beacon->n_entries++];
        peer->id = neighbour->id;
        peer->offset[0] = CAIRN_BEACON_ASKED;
    }
}

static void say_peers(cairn_node_t *self, cairn_beacon_t *beacon)
{
    const uint8_t most = self->rounds_loose < SPRING_ROUNDS + 4u ? CAIRN_BEACON_PEERS : PEERS_LATER;

    beacon->kind = CAIRN_BEACON_KIND_PEERS;
    if (self->asked > 0) {
        const cairn_node_far_t *far = &self->memory.far[self->asked - 1u];
        self->asked = 0;
        if (far->age < ANSWER_AGE) {
            say_place(self, far->id, far->place, UINT8_MAX, beacon);
        }
    }
    for (size_t i = 0; i < self->memory.n_neighbours && beacon->n_entries < most; ++i) {
        self->next_peer = cairn_node_turn(self->next_peer, self->memory.n_neighbours);
        say_peer(self, &self->memory.neighbours[self->next_peer], beacon);
    }
}

/* Ways spread while this node or one that it hears still needs them. */
static bool is_spreading(const cairn_node_t *self)
{
    if (self->stage < CAIRN_STAGE_LOOSE) {
        return true;
    }
    for (size_t i = 0; i < self->memory.n_neighbours && self->quiet < QUIET_ROUNDS; ++i) {
        const cairn_node_neighbour_t *neighbour = &self->memory.neighbours[i];
        if (neighbour->used != 0 && neighbour->stage < CAIRN_STAGE_LOOSE) {
            return true;
        }
    }
    return false;
}

static void say_payload(cairn_node_t *self, cairn_beacon_t *beacon)
{
    const bool spreading = is_spreading(self);
    cairn_node_way_t *way = shortest_dirty(self);

    if (spreading) {
        say_all_ways(self, beacon);
    } else if (way != NULL) {
        say_way(beacon, way);
    } else if (self->sent % WAY_EVERY == 0 && (way = next_way(self)) != NULL) {
        say_way(beacon, way);
    } else {
        say_peers(self, beacon);
    }
}

static void say_self(const cairn_node_t *self, cairn_beacon_t *beacon)
{
    memset(beacon, 0, sizeof *beacon);
    beacon->network = self->cfg->network;
    beacon->id = self->id;
    beacon->sequence = (uint8_t)(self->sent & 0xFFu);
    beacon->stage = self->stage;
    beacon->flags = (uint8_t)(self->flags | (cairn_node_moves(self) ? CAIRN_BEACON_MOVING : 0));
    if (self->stage == CAIRN_STAGE_UNPLACED) {
        return;
    }
    cairn_node_to_grid(self, self->place_m, beacon->place);
    if (self->stage != CAIRN_STAGE_ANCHOR) {
        beacon->deviation = cairn_beacon_deviation_code(self->std_m / (DEVIATION_UNIT * self->cfg->radius_m));
    }
}

size_t cairn_node_beacon(cairn_node_t *self, uint8_t *frame, size_t capacity, uint32_t t_us)
{
    cairn_beacon_t beacon;
    size_t length;

    if (self == NULL || frame == NULL || capacity < CAIRN_BEACON_BYTES_MAX) {
        return 0;
    }
    (void)t_us;
    if (self->cfg->tag != NULL && self->sent >= CAIRN_BEACON_COUNTER_MAX) {
        cairn_node_count(&self->counters.n_mute);
        return 0;
    }
    ++self->sent;
    say_self(self, &beacon);
    say_payload(self, &beacon);
    length = cairn_beacon_encode(&beacon, frame, capacity);
    if (self->cfg->tag != NULL) {
        length = cairn_beacon_seal(frame, length, capacity, self->sent, self->cfg->tag, self->cfg->tag_ctx);
    }
    return length;
}
