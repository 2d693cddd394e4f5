/* SPDX-License-Identifier: MIT
 * The ether: every node sends once a round at an instant of its own; frames are lost, late, doubled, damaged, collide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "swarm/swarm.h"

static const double airtime_us = 250; /* of a frame with its preamble, 6.8 Mbit/s */

static uint32_t sort_key(const swarm_t *self, uint32_t node) { return self->when_us[node]; }

/* Shell sort: deterministic without a context for qsort. */
static void sort_by_instant(swarm_t *self)
{
    size_t n_nodes = self->cfg.world.n_nodes;
    for (size_t gap = n_nodes / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (size_t i = gap; i < n_nodes; i++) {
            uint32_t node = self->order[i];
            size_t j = i;
            for (; j >= gap && sort_key(self, self->order[j - gap]) > sort_key(self, node); j -= gap) {
                self->order[j] = self->order[j - gap];
            }
            self->order[j] = node;
        }
    }
}

static bool overlaps(const swarm_t *self, uint32_t a, uint32_t b)
{
    return !self->dead[a] && !self->dead[b] && fabs((double)self->when_us[a] - (double)self->when_us[b]) < airtime_us;
}

/* Whether another frame is on air at the receiver while this one is. */
static bool collides(const swarm_t *self, uint32_t from, uint32_t to)
{
    if (overlaps(self, from, to)) {
        return true;
    }
    for (uint32_t k = self->row[to]; k < self->row[to + 1]; k++) {
        if (self->other[k] != from && overlaps(self, self->other[k], from)) {
            return true;
        }
    }
    return false;
}

static void put_off(swarm_t *self, uint32_t from, uint32_t to, const uint8_t *frame, size_t length)
{
    swarm_late_t *late;
    self->late = memory_grow(self->late, &self->late_capacity, self->n_late + 1, sizeof *self->late);
    late = &self->late[self->n_late++];
    late->due_us = self->t_us + cairn_rng_below(&self->rng, SWARM_ROUND_US);
    late->from = from;
    late->to = to;
    late->length = (uint8_t)length;
    memcpy(late->frame, frame, length);
}

static void deliver_late(swarm_t *self)
{
    for (size_t i = 0; i < self->n_late;) {
        swarm_late_t late = self->late[i];
        if (late.due_us - self->t_us < UINT32_MAX / 2) {
            i++;
            continue;
        }
        self->late[i] = self->late[--self->n_late];
        if (!self->dead[late.to]) {
            self->agents.hear(self, late.to, late.frame, late.length, self->t_us);
        }
    }
}

static double measured(swarm_t *self, uint32_t link, uint32_t from, uint32_t to)
{
    double range_m = (double)self->range_m[link];
    if (self->cfg.fresh_ranges) {
        double x = self->world.place_m[2 * from] - self->world.place_m[2 * to];
        double y = self->world.place_m[2 * from + 1] - self->world.place_m[2 * to + 1];
        range_m = sqrt(x * x + y * y) * (1 + self->cfg.world.noise_rel * swarm_normal(&self->rng));
    }
    return self->rogue[from] == SWARM_FALSE_RANGE ? 1.5 * range_m : range_m;
}

/* A range is an exchange: both ends learn it, whether or not the beacon gets through. */
static void exchange(swarm_t *self, uint32_t link, uint32_t from, uint32_t to)
{
    double range_m = measured(self, link, from, to);
    if (range_m > 0) {
        self->agents.range(self, to, (uint16_t)from, range_m, self->t_us);
        if (self->cfg.one_way > 0) {
            self->agents.range(self, from, (uint16_t)to, range_m, self->t_us);
        }
    }
}

static void carry(swarm_t *self, uint32_t link, uint32_t from, uint32_t to, const uint8_t *frame, size_t length)
{
    uint8_t copy[CAIRN_BEACON_BYTES_MAX];
    if (self->dead[to] || swarm_uniform(&self->rng) < self->cfg.loss ||
        (self->cfg.collide && collides(self, from, to))) {
        return;
    }
    if (!self->deaf[link] || self->cfg.one_way > 0) {
        exchange(self, link, from, to);
    }
    if (self->deaf[link]) {
        return;
    }
    memcpy(copy, frame, length);
    if (self->cfg.corrupt > 0 && swarm_uniform(&self->rng) < self->cfg.corrupt) {
        uint32_t bit = cairn_rng_below(&self->rng, (uint32_t)(8 * length));
        copy[bit / 8] = (uint8_t)(copy[bit / 8] ^ 1u << bit % 8);
    }
    if (self->cfg.delay > 0 && swarm_uniform(&self->rng) < self->cfg.delay) {
        put_off(self, from, to, copy, length);
        return;
    }
    self->agents.hear(self, to, copy, length, self->t_us);
    if (self->cfg.duplicate > 0 && swarm_uniform(&self->rng) < self->cfg.duplicate) {
        put_off(self, from, to, copy, length);
    }
}

/* A rogue claims a certain place 1.1 R off. */
static size_t falsify(const swarm_t *self, uint32_t node, uint8_t *frame, size_t length)
{
    cairn_beacon_t beacon;
    double angle = 2.399963 * node;
    double off_m = 1.1 * self->cfg.world.radius_m;
    if (self->rogue[node] != SWARM_FALSE_PLACE || cairn_beacon_decode(frame, length, &beacon) != CAIRN_OK) {
        return length;
    }
    beacon.place[0] = (int16_t)((self->world.place_m[2 * node] + off_m * cos(angle)) * 30000);
    beacon.place[1] = (int16_t)((self->world.place_m[2 * node + 1] + off_m * sin(angle)) * 30000);
    beacon.stage = CAIRN_STAGE_PLACED;
    beacon.deviation = 30;
    return cairn_beacon_encode(&beacon, frame, CAIRN_BEACON_BYTES_MAX);
}

static void send(swarm_t *self, uint32_t node)
{
    uint8_t frame[CAIRN_BEACON_BYTES_MAX];
    size_t length = self->agents.speak(self, node, self->t_us, frame);
    if (length == 0) {
        return;
    }
    length = falsify(self, node, frame, length);
    self->n_frames++;
    self->n_bytes += length;
    self->n_longest = length > self->n_longest ? length : self->n_longest;
    for (uint32_t k = self->row[node]; k < self->row[node + 1]; k++) {
        uint32_t to = self->other[k];
        uint32_t link = self->row[to];
        while (self->other[link] != node) {
            link++;
        }
        carry(self, link, node, to, frame, length);
    }
}

static void move(swarm_t *self)
{
    double memory = self->cfg.move_memory;
    double fresh = self->cfg.move_m * sqrt(1 - memory * memory);
    for (size_t k = 2 * self->cfg.world.n_anchors; k < 2 * self->cfg.world.n_nodes; k++) {
        double *at = &self->world.place_m[k];
        self->velocity_m[k] = memory * self->velocity_m[k] + fresh * swarm_normal(&self->rng);
        *at += self->velocity_m[k];
        if (*at < 0 || *at > 1) {
            *at = *at < 0 ? -*at : 2 - *at;
            self->velocity_m[k] = -self->velocity_m[k];
        }
    }
    swarm_measure(self);
    (void)limit_find_core(&self->world, self->core);
}

void swarm_round(swarm_t *self)
{
    size_t n_nodes = self->cfg.world.n_nodes;
    if (self->cfg.move_m > 0) {
        move(self);
    }
    for (size_t i = 0; i < n_nodes; i++) {
        self->order[i] = (uint32_t)i;
        self->when_us[i] = cairn_rng_below(&self->rng, SWARM_ROUND_US);
    }
    sort_by_instant(self);
    for (size_t i = 0; i < n_nodes; i++) {
        uint32_t node = self->order[i];
        self->t_us = self->round * SWARM_ROUND_US + self->when_us[node];
        deliver_late(self);
        if (!self->dead[node]) {
            send(self, node);
        }
    }
    self->round++;
}

void swarm_run(swarm_t *self, size_t n_rounds)
{
    for (size_t i = 0; i < n_rounds; i++) {
        swarm_round(self);
    }
}
