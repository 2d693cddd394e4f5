/* SPDX-License-Identifier: MIT
 * The tables of a node: neighbours, nearest first when full, and the nodes that neighbours hear. */
#include "node/node_internal.h"

#define NEARER_BY 0.98f  /* a new neighbour replaces the farthest one when nearer by this factor */
#define FAR_OLD   40u    /* far nodes above this age make room first */
#define FAR_LEAST 1.0e6f /* R^2: rank of what is kept least */

void cairn_node_count(uint16_t *counter) { *counter = (uint16_t)(*counter + (*counter < UINT16_MAX)); }

cairn_node_neighbour_t *cairn_node_find(const cairn_node_t *self, uint16_t id)
{
    for (size_t i = 0; i < self->memory.n_neighbours; ++i) {
        cairn_node_neighbour_t *neighbour = &self->memory.neighbours[i];
        if (neighbour->used != 0 && neighbour->id == id) {
            return neighbour;
        }
    }
    return NULL;
}

bool cairn_node_usable(const cairn_node_neighbour_t *neighbour) { return node_usable(neighbour); }

/* Whether a trial builds on a neighbour. A node that has a place compares it with what it finds, so loose neighbours may
 * count, too: without them, those that it hears may be too few. */
bool cairn_node_supports(const cairn_node_t *self, const cairn_node_neighbour_t *neighbour)
{
    return cairn_node_usable(neighbour) &&
           (neighbour->stage >= CAIRN_STAGE_PLACED || self->stage >= CAIRN_STAGE_LOOSE) &&
           (neighbour->suspect & 0xFu) < SUSPECT_OUT;
}

static void forget_far(cairn_node_t *self, uint16_t id)
{
    for (size_t i = 0; i < self->memory.n_far; ++i) {
        if (self->memory.far[i].id == id) {
            self->memory.far[i].age = NODE_FREE;
        }
    }
}

/* How much a slot is worth keeping: 0 when free, nearest most; anchors never leave. A neighbour without a range goes
 * before any with one. */
static cairn_real distance_rank(const cairn_node_t *self, const cairn_node_neighbour_t *neighbour)
{
    if (neighbour->used == 0) {
        return CAIRN_REAL_MAX;
    }
    if (node_is_anchor(neighbour) && neighbour->age <= SILENT_ROUNDS) {
        return 0;
    }
    return node_has_range(neighbour) ? neighbour->range_m : 2 * self->cfg->range_max_m;
}

/* The slot of a neighbour, a new one's if need be, or NULL when all are nearer. range_m 0: not measured yet. */
static cairn_node_neighbour_t *admit(cairn_node_t *self, uint16_t id, cairn_real range_m)
{
    cairn_real farthest_m = -1;
    cairn_node_neighbour_t *neighbour = cairn_node_find(self, id);

    if (neighbour != NULL) {
        return neighbour;
    }
    neighbour = self->memory.neighbours;
    for (size_t i = 0; i < self->memory.n_neighbours; ++i) {
        const cairn_real rank = distance_rank(self, &self->memory.neighbours[i]);
        if (rank > farthest_m) {
            farthest_m = rank;
            neighbour = &self->memory.neighbours[i];
        }
    }
    if (neighbour->used != 0) {
        if (!(range_m > 0 && range_m < NEARER_BY * farthest_m)) {
            cairn_node_count(&self->counters.n_full);
            return NULL;
        }
        cairn_node_count(&self->counters.n_evicted);
    }
    memset(neighbour, 0, sizeof *neighbour);
    neighbour->id = id;
    neighbour->used = 1;
    neighbour->age = SILENT_ROUNDS; /* not heard yet */
    neighbour->range_age = SILENT_ROUNDS;
    forget_far(self, id);
    return neighbour;
}

static cairn_real far_rank(const cairn_node_t *self, const cairn_node_far_t *far)
{
    cairn_real offset_m[2];

    if (far->age == NODE_FREE) {
        return CAIRN_REAL_MAX;
    }
    if (far->length == 0 || far->age > FAR_OLD) {
        return FAR_LEAST * self->cfg->radius_m * self->cfg->radius_m;
    }
    cairn_node_to_metres(self, far->place, offset_m);
    cairn_node_subtract(offset_m, self->place_m);
    return cairn_dot(offset_m, offset_m, 2);
}

/* Slot of a far node, or the one that is least worth keeping. */
static cairn_node_far_t *far_slot(const cairn_node_t *self, uint16_t id)
{
    cairn_real worst = -1;
    cairn_node_far_t *slot = self->memory.far;

    for (size_t i = 0; i < self->memory.n_far; ++i) {
        cairn_node_far_t *far = &self->memory.far[i];
        const cairn_real rank = far_rank(self, far);
        if (far->age != NODE_FREE && far->id == id) {
            return far;
        }
        if (rank > worst) {
            worst = rank;
            slot = far;
        }
    }
    return slot;
}

/* length 0: this node hears it itself. The shortest of the paths that are told is kept. */
static void keep_far(cairn_node_t *self, uint16_t id, const int16_t *place, uint8_t length)
{
    cairn_node_far_t *far = far_slot(self, id);
    cairn_node_far_t fresh;
    const bool known = far->age != NODE_FREE && far->id == id;

    fresh.id = id;
    fresh.place[0] = place[0];
    fresh.place[1] = place[1];
    fresh.age = 0;
    fresh.length = known && far->length < length ? far->length : length;
    if (known || far_rank(self, &fresh) < far_rank(self, far)) {
        *far = fresh;
    }
}

/* Fold a range into the held one. Nodes that stay: mean of up to RANGES_MAX, and a range far from it must come three
 * times before it is believed. */
static cairn_status hold_range(cairn_node_t *self, cairn_node_neighbour_t *neighbour, cairn_real range_m)
{
    const cairn_real odd_m = range_m - neighbour->range_m;
    const cairn_real variance = cairn_node_variance(self, neighbour->range_m) + self->cfg->move_m * self->cfg->move_m;
    uint8_t odd = (uint8_t)((neighbour->flags & NEIGHBOUR_ODD_MASK) / NEIGHBOUR_ODD);

    neighbour->range_age = 0;
    if (node_has_range(neighbour) && odd_m * odd_m > ODD_SIGMAS2 * variance && ++odd < ODD_MAX) {
        neighbour->flags = (uint8_t)((neighbour->flags & (0xFFu - NEIGHBOUR_ODD_MASK)) | odd * NEIGHBOUR_ODD);
        cairn_node_count(&self->counters.n_outliers);
        return CAIRN_REJECTED;
    }
    if (!node_has_range(neighbour) || odd >= ODD_MAX || cairn_node_moves(self)) {
        neighbour->used = 1;
        neighbour->range_m = 0;
    }
    neighbour->flags &= (uint8_t)(0xFFu - NEIGHBOUR_ODD_MASK);
    neighbour->used = (uint8_t)(neighbour->used + (neighbour->used <= RANGES_MAX));
    neighbour->range_m += (range_m - neighbour->range_m) / (cairn_real)(neighbour->used - 1);
    return CAIRN_OK;
}

/* While nodes move, a range and a beacon of a round belong together: the second of them is followed. `age`: of the other
 * one. */
static void join(cairn_node_t *self, cairn_node_neighbour_t *neighbour, uint8_t age)
{
    const bool both = age == 0 && (neighbour->flags & NEIGHBOUR_HALF) != 0;

    neighbour->flags = (uint8_t)(both ? neighbour->flags & ~NEIGHBOUR_HALF : neighbour->flags | NEIGHBOUR_HALF);
    if (both) {
        cairn_node_follow(self, neighbour);
    }
}

cairn_status cairn_node_on_range(cairn_node_t *self, uint16_t peer, cairn_real range_m, uint32_t t_us)
{
    cairn_status status;
    cairn_node_neighbour_t *neighbour;

    if (self == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_isfinite(range_m)) {
        cairn_node_count(&self->counters.n_nonfinite);
        return CAIRN_ERR_NONFINITE;
    }
    if (!(range_m > 0 && range_m <= self->cfg->range_max_m)) {
        cairn_node_count(&self->counters.n_range);
        return CAIRN_ERR_RANGE;
    }
    if (peer == self->id) {
        return CAIRN_ERR_SELF;
    }
    if (cairn_node_is_stale(self, t_us)) {
        return CAIRN_ERR_STALE;
    }
    self->t_us = t_us;
    neighbour = admit(self, peer, range_m);
    if (neighbour == NULL) {
        return CAIRN_FULL;
    }
    status = hold_range(self, neighbour, range_m);
    if (status == CAIRN_OK) {
        join(self, neighbour, neighbour->age);
    }
    return status;
}

/* Whether a beacon is newer than what is held; judges the stream of sequence numbers. Two nodes with one id jump to and
 * fro; a node that restarts jumps once. */
static bool is_news(cairn_node_t *self, cairn_node_neighbour_t *neighbour, uint8_t sequence)
{
    const uint8_t step = (uint8_t)(sequence - neighbour->sequence);
    uint8_t jumps = neighbour->suspect >> 4;
    const bool late = step == 0 || step > 255u - LATE_FRAMES;

    if (neighbour->age >= SILENT_ROUNDS) {
        return true; /* nothing to compare with */
    }
    if (step != 0 && step < JUMP_FRAMES) {
        jumps = (uint8_t)(jumps - (jumps > 0));
        /* mean of lost (1) and arrived (0) frames, one after the other */
        for (uint8_t k = 1; k < step && k < LOSS_RUN; ++k) {
            self->loss += LOSS_RATE * (1 - self->loss);
        }
        self->loss -= LOSS_RATE * self->loss;
    } else if (step != 0) {
        jumps = (uint8_t)(jumps + (late ? 2u : 4u) < 15u ? jumps + (late ? 2u : 4u) : 15u);
    }
    if (jumps >= JUMPS_DOUBLE) {
        cairn_node_count(&self->counters.n_duplicates);
        neighbour->flags |= NEIGHBOUR_DOUBLE;
    } else if (jumps == 0) {
        neighbour->flags &= (uint8_t)~NEIGHBOUR_DOUBLE;
    }
    neighbour->suspect = (uint8_t)((neighbour->suspect & 0xFu) | (unsigned)jumps << 4);
    return !(late && neighbour->age < LATE_ROUNDS);
}

static void take_place(cairn_node_neighbour_t *neighbour, const cairn_beacon_t *beacon)
{
    const bool successive = (neighbour->flags & NEIGHBOUR_PLACE) != 0 && neighbour->age < SILENT_ROUNDS &&
                            (uint8_t)(beacon->sequence - neighbour->sequence) == 1;

    neighbour->before[0] = neighbour->place[0];
    neighbour->before[1] = neighbour->place[1];
    neighbour->place[0] = beacon->place[0];
    neighbour->place[1] = beacon->place[1];
    neighbour->flags &= (uint8_t)(0xFFu - NEIGHBOUR_PLACE - NEIGHBOUR_TWO - NEIGHBOUR_RELAYED - NEIGHBOUR_TOLD);
    if (beacon->stage >= CAIRN_STAGE_SEED) {
        neighbour->flags |= (uint8_t)(NEIGHBOUR_PLACE | (successive ? NEIGHBOUR_TWO : 0));
    }
    neighbour->stage = beacon->stage;
    neighbour->deviation = beacon->stage == CAIRN_STAGE_ANCHOR ? 0 : beacon->deviation;
    neighbour->sequence = beacon->sequence;
    neighbour->age = 0;
}

/* Whether another one has told the same place of an anchor; remembers who tells it now. */
static bool is_confirmed(cairn_node_neighbour_t *neighbour, uint16_t teller, const int16_t *place)
{
    const bool same = (neighbour->flags & NEIGHBOUR_TOLD) != 0 && neighbour->teller != teller &&
                      neighbour->before[0] == place[0] && neighbour->before[1] == place[1];

    neighbour->before[0] = place[0];
    neighbour->before[1] = place[1];
    neighbour->teller = teller;
    neighbour->flags = (uint8_t)((neighbour->flags & ~NEIGHBOUR_TWO) | NEIGHBOUR_TOLD);
    return same;
}

/* Take others' word about a neighbour that this node ranges but does not hear. An anchor's place is exact when two tell
 * the same one after the other, and that of any node until then, so that one liar that is heard makes no anchor and moves
 * none (what it has made two others believe counts); and nobody is made an anchor by others who has told a place of its
 * own. */
void cairn_node_relay(cairn_node_t *self, uint16_t teller, uint16_t id, const int16_t *place, uint8_t stage)
{
    cairn_node_neighbour_t *neighbour = cairn_node_find(self, id);
    bool anchor = stage == CAIRN_STAGE_ANCHOR;

    if (neighbour == NULL || neighbour->age < RELAY_ROUNDS ||
        (anchor && (neighbour->flags & (NEIGHBOUR_PLACE | NEIGHBOUR_RELAYED)) == NEIGHBOUR_PLACE)) {
        return;
    }
    anchor = anchor && is_confirmed(neighbour, teller, place);
    if (anchor || !node_is_anchor(neighbour)) {
        neighbour->place[0] = place[0];
        neighbour->place[1] = place[1];
        neighbour->flags = (uint8_t)((neighbour->flags & ~NEIGHBOUR_TWO) | NEIGHBOUR_PLACE | NEIGHBOUR_RELAYED);
        neighbour->stage = anchor ? CAIRN_STAGE_ANCHOR : CAIRN_STAGE_LOOSE;
        neighbour->deviation = anchor ? 0 : cairn_beacon_deviation_code(RELAYED_DEVIATION / DEVIATION_UNIT);
    }
}

/* A neighbour asks for the place of a node that it ranges, but does not hear; whose neighbour it is tells it anyway. */
static void answer(cairn_node_t *self, uint16_t id)
{
    const cairn_node_far_t *far = far_slot(self, id);

    if (far->id == id) {
        self->asked = (uint8_t)(far - self->memory.far + 1);
    }
}

/* Neighbours of a neighbour: far nodes, or the place of one that this node ranges but does not hear. */
static void take_peers(cairn_node_t *self, const cairn_node_neighbour_t *teller, const cairn_beacon_t *beacon)
{
    const cairn_real steps = self->cfg->radius_m / (CAIRN_BEACON_OFFSET * self->cfg->grid_m);

    for (size_t i = 0; i < beacon->n_entries && beacon->kind == CAIRN_BEACON_KIND_PEERS; ++i) {
        const cairn_beacon_peer_t *peer = &beacon->peer[i];
        int16_t place[2];
        if (peer->offset[0] == CAIRN_BEACON_ASKED) {
            answer(self, peer->id);
            continue;
        }
        place[0] = cairn_node_grid_step((cairn_real)beacon->place[0] + steps * (cairn_real)peer->offset[0]);
        place[1] = cairn_node_grid_step((cairn_real)beacon->place[1] + steps * (cairn_real)peer->offset[1]);
        if (cairn_node_find(self, peer->id) == NULL && peer->id != self->id) {
            const cairn_real length = FAR_STEPS * (teller->range_m / self->cfg->radius_m +
                                                   (cairn_real)peer->range * (1.0f / CAIRN_BEACON_RANGE));
            keep_far(self, peer->id, place, (uint8_t)cairn_node_clamp(length, 1, UINT8_MAX));
        } else {
            cairn_node_relay(self, teller->id, peer->id, place, CAIRN_STAGE_LOOSE);
        }
    }
}

/* Authentication, network, own id: what must hold before a beacon is looked at. */
static cairn_status open_frame(cairn_node_t *self, const uint8_t *frame, size_t length, cairn_beacon_t *beacon,
                               uint32_t *counter)
{
    cairn_status status = cairn_beacon_decode(frame, length, beacon);

    *counter = 0;
    if (status != CAIRN_OK) {
        cairn_node_count(&self->counters.n_damaged);
        return status;
    }
    if (beacon->network != self->cfg->network) {
        cairn_node_count(&self->counters.n_foreign);
        return CAIRN_REJECTED;
    }
    if (self->cfg->tag != NULL) {
        status = cairn_beacon_check(frame, length, self->cfg->tag, self->cfg->tag_ctx, counter);
    }
    if (status != CAIRN_OK) {
        cairn_node_count(&self->counters.n_forged);
        return CAIRN_ERR_FORMAT;
    }
    if (beacon->id == self->id) {
        cairn_node_count(&self->counters.n_duplicates);
        self->flags |= CAIRN_BEACON_DUPLICATE;
        return CAIRN_ERR_SELF;
    }
    return CAIRN_OK;
}

static cairn_status take_beacon(cairn_node_t *self, const cairn_beacon_t *beacon, uint32_t counter, uint32_t t_us)
{
    cairn_node_neighbour_t *neighbour = admit(self, beacon->id, 0);

    if (neighbour != NULL && self->cfg->tag != NULL && cairn_beacon_accept(&neighbour->window, counter) != CAIRN_OK) {
        cairn_node_count(&self->counters.n_replayed);
        return CAIRN_ERR_STALE;
    }
    self->t_us = t_us;
    if (neighbour == NULL) {
        if (beacon->stage >= CAIRN_STAGE_SEED) {
            keep_far(self, beacon->id, beacon->place, 0);
        }
        return CAIRN_FULL;
    }
    if (!is_news(self, neighbour, beacon->sequence)) {
        cairn_node_count(&self->counters.n_replayed);
        return CAIRN_REJECTED;
    }
    take_place(neighbour, beacon);
    join(self, neighbour, neighbour->range_age);
    if (node_has_range(neighbour)) {
        cairn_node_learn_ways(self, neighbour, beacon);
    }
    if ((neighbour->suspect & 0xFu) < SUSPECT_OUT) {
        take_peers(self, neighbour, beacon);
    }
    return (neighbour->flags & NEIGHBOUR_DOUBLE) != 0 ? CAIRN_REJECTED : CAIRN_OK;
}

cairn_status cairn_node_on_beacon(cairn_node_t *self, const uint8_t *frame, size_t length, uint32_t t_us)
{
    cairn_beacon_t beacon;
    uint32_t counter;
    cairn_status status;

    if (self == NULL || frame == NULL) {
        return CAIRN_ERR_ARG;
    }
    if (cairn_node_is_stale(self, t_us)) {
        return CAIRN_ERR_STALE;
    }
    status = open_frame(self, frame, length, &beacon, &counter);
    if (status != CAIRN_OK) {
        return status;
    }
    return take_beacon(self, &beacon, counter, t_us);
}

/* What a silent anchor has said and what was measured to it stays true as long as this node stays where it is. */
static bool is_lasting(const cairn_node_t *self, const cairn_node_neighbour_t *neighbour)
{
    return node_is_anchor(neighbour) && node_has_range(neighbour) && !cairn_node_moves(self) &&
           self->stage >= CAIRN_STAGE_LOOSE;
}

/* Neighbours that neither speak nor are ranged leave; so do far nodes and ways that nobody renews. Those that are not
 * heard are where others last saw them: a map that settles moves in waves, slowly and alike over many nodes, and places
 * that stay behind would brake them. */
void cairn_node_age(cairn_node_t *self)
{
    int16_t drift[2];
    const bool moving = cairn_node_moves(self);
    const uint8_t silent = moving ? SILENT_MOVING : SILENT_ROUNDS;
    const uint8_t far_rounds = moving ? FAR_MOVING : FAR_ROUNDS;

    cairn_node_to_grid(self, self->drift_m, drift);
    for (size_t i = 0; i < self->memory.n_neighbours; ++i) {
        cairn_node_neighbour_t *neighbour = &self->memory.neighbours[i];
        const bool drifts = !moving && (neighbour->flags & NEIGHBOUR_RELAYED) != 0 && !node_is_anchor(neighbour);
        for (size_t k = 0; k < 2 && drifts; ++k) {
            neighbour->place[k] = cairn_node_grid_step((cairn_real)((int32_t)neighbour->place[k] + drift[k]));
        }
        neighbour->age = node_older(neighbour->age);
        neighbour->range_age = node_older(neighbour->range_age);
        if (neighbour->used != 0 && neighbour->age > silent && neighbour->range_age > silent &&
            !is_lasting(self, neighbour)) {
            neighbour->used = 0;
            cairn_node_count(&self->counters.n_evicted);
        }
    }
    for (size_t i = 0; i < self->memory.n_far; ++i) {
        cairn_node_far_t *far = &self->memory.far[i];
        far->age = (uint8_t)(far->age < far_rounds ? far->age + 1u : NODE_FREE);
    }
    for (size_t i = 0; i < self->memory.n_ways; ++i) {
        cairn_node_way_t *way = &self->memory.ways[i];
        way->age = (uint8_t)(way->age < WAY_ROUNDS ? way->age + 1u : NODE_FREE);
    }
}
