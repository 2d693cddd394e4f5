/* SPDX-License-Identifier: MIT
 * Fuzz entry of beacon and node: bytes are frames, ranges and rounds. With libFuzzer (-DFUZZ_LIBFUZZER) an entry; else a
 * program of its own: fuzz_node [INPUTS [SEED]], self-seeding, mutations of frames that a node has sent. */
#include "cairn/node.h"
#include "cairn/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { HEADER = 5 }; /* bytes before the frame: flags, peer, range, the range's end, node */

/* One node of each kind; each hears the inputs that name it. */
CAIRN_NODE_DEFINE(plain, 4, 3);
CAIRN_NODE_DEFINE(monotone, 4, 3);
CAIRN_NODE_DEFINE(moving, 4, 3);
CAIRN_NODE_DEFINE(tagged, 4, 3);
CAIRN_NODE_DEFINE(anchor, 4, 3);
CAIRN_NODE_DEFINE(agreed, 4, 3);
CAIRN_NODE_DEFINE(origin, 4, 3);
static const struct {
    cairn_node_t *node;
    const cairn_node_memory_t *memory;
    uint8_t id;
    uint8_t options;
    bool moves;
    bool is_tagged;
} kinds[] = {
    {&plain, &plain_memory, 3, 0, false, false},
    {&monotone, &monotone_memory, 3, CAIRN_NODE_MONOTONE, false, false},
    {&moving, &moving_memory, 3, 0, true, false},
    {&tagged, &tagged_memory, 3, 0, true, true},
    {&anchor, &anchor_memory, 3, CAIRN_NODE_IS_ANCHOR, false, false},
    {&agreed, &agreed_memory, 3, CAIRN_NODE_NO_ANCHORS, false, false},
    {&origin, &origin_memory, 0, CAIRN_NODE_NO_ANCHORS, true, false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
static cairn_node_cfg_t cfgs[KINDS];
static uint32_t t_us;
static uint32_t counter; /* of sealed frames */
static bool started;

static void require(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

/* The check byte is set right in half of the inputs: else hardly any would pass it. */
static void mend(uint8_t *frame, size_t length)
{
    const size_t seal = length > 0 && (frame[0] & 8u) != 0 ? CAIRN_BEACON_SEAL : 0;
    unsigned rest = 0xFF;
    if (length < CAIRN_BEACON_HEADER + seal) {
        return;
    }
    for (size_t i = 0; i < length - seal; i++) {
        rest ^= i == 11 ? 0u : frame[i];
        for (int bit = 0; bit < 8; bit++) {
            rest = (rest << 1 ^ ((rest & 0x80u) != 0 ? 7u : 0u)) & 0xFFu;
        }
    }
    frame[11] = (uint8_t)rest;
}

/* A tag that depends on every byte, as a real one. */
static void toy_tag(void *ctx, const uint8_t *bytes, size_t length, uint8_t *tag)
{
    uint64_t hash = 99;
    (void)ctx;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
        hash ^= hash >> 29;
    }
    for (size_t i = 0; i < CAIRN_BEACON_TAG; i++) {
        tag[i] = (uint8_t)(hash >> (8 * i) & 0xFFu);
    }
}

static void start(void)
{
    for (size_t k = 0; k < KINDS; k++) {
        cfgs[k].id = kinds[k].id;
        cfgs[k].network = 1;
        cfgs[k].options = kinds[k].options;
        cfgs[k].grid_m = (cairn_real)0.01;
        cfgs[k].radius_m = 20;
        cfgs[k].noise_rel = (cairn_real)0.05;
        cfgs[k].range_max_m = 100;
        cfgs[k].move_m = kinds[k].moves ? (cairn_real)0.5 : 0;
        cfgs[k].move_keep = kinds[k].moves ? (cairn_real)0.5 : 0;
        cfgs[k].tag = kinds[k].is_tagged ? toy_tag : NULL;
        if (cairn_node_init(kinds[k].node, &cfgs[k], kinds[k].memory, 1) != CAIRN_OK) {
            abort();
        }
    }
    started = true;
}

static void check_decode(const uint8_t *frame, size_t n)
{
    uint8_t again[CAIRN_BEACON_BYTES_MAX];
    cairn_beacon_t beacon;
    const cairn_status status = cairn_beacon_decode(frame, n, &beacon);
    require(status <= 0, "decode gives a beacon or an error");
    if (status == CAIRN_OK) {
        const size_t seal = (frame[0] & 8u) != 0 ? CAIRN_BEACON_SEAL : 0;
        const size_t same = cairn_beacon_encode(&beacon, again, sizeof again);
        require(same + seal == n, "encoding gives the length back");
        require(seal > 0 || memcmp(again, frame, n) == 0, "encoding gives the bytes back");
    }
}

static void check_node(const cairn_node_t *node)
{
    cairn_real place_m[2] = {0, 0};
    cairn_real std_m = 0;
    const cairn_status status = cairn_node_get_place(node, place_m, &std_m);
    require(status == CAIRN_UNPLACED || (cairn_isfinite(place_m[0]) && cairn_isfinite(place_m[1])), "place is finite");
    require(status == CAIRN_UNPLACED || (cairn_isfinite(std_m) && std_m >= 0), "deviation is finite");
    require(cairn_isfinite(cairn_node_get_cost(node)), "cost is finite");
}

/* The next round; one in 64 comes half an hour late. */
static void do_round(cairn_node_t *node, bool is_late)
{
    uint8_t frame[CAIRN_BEACON_BYTES_MAX];
    size_t n;
    t_us += UINT32_C(1000000);
    if (is_late) { /* for all of them, or the others would be later still */
        t_us += UINT32_C(1800000000);
        for (size_t k = 0; k < KINDS; k++) {
            require(cairn_node_tick(kinds[k].node, t_us) == CAIRN_OK, "time goes on after a pause");
        }
    }
    require(cairn_node_tick(node, t_us) == CAIRN_OK, "time goes on");
    n = cairn_node_beacon(node, frame, sizeof frame, t_us);
    require(n > 0, "a node always has something to say");
    check_decode(frame, n);
    check_node(node);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    cairn_real range_m = 1;
    uint8_t room[CAIRN_BEACON_BYTES_MAX + CAIRN_BEACON_SEAL];
    uint8_t copy[sizeof room];
    size_t n = length > HEADER ? length - HEADER : 0;
    uint8_t *frame = NULL;
    cairn_node_t *node = NULL;
    cairn_status status = CAIRN_OK;
    if (!started) {
        start();
    }
    if (length < HEADER || n > sizeof room) {
        return 0;
    }
    node = kinds[bytes[4] % KINDS].node;
    memcpy(copy, bytes + HEADER, n);
    if (bytes[0] & 1u) {
        mend(copy, n);
    }
    if (kinds[bytes[4] % KINDS].is_tagged && (bytes[0] & 32u) != 0 && n >= CAIRN_BEACON_HEADER) {
        counter = counter < CAIRN_BEACON_COUNTER_MAX ? counter + 1 : 1;
        const size_t sealed = cairn_beacon_seal(copy, n, sizeof copy, counter, toy_tag, NULL);
        n = sealed > 0 ? sealed : n;
    }
    frame = room + sizeof room - n; /* so that a sanitizer sees any read behind its end */
    memcpy(frame, copy, n);
    check_decode(frame, n);
    memcpy(&range_m, bytes, sizeof(float) <= sizeof range_m ? sizeof(float) : sizeof range_m);
    status = cairn_node_on_range(node, bytes[1], (bytes[0] & 2u) != 0 ? range_m : (cairn_real)bytes[2] / 2, t_us);
    status = cairn_node_on_beacon(node, frame, n, t_us);
    (void)status; /* any is right: what must hold is checked after the round */
    if ((bytes[0] & 0x1Cu) == 0) {
        do_round(node, bytes[2] >= 252);
    }
    return 0;
}

#ifndef FUZZ_LIBFUZZER
/* Half of the inputs are honest: sender and range are those of a world of 12 nodes that stand still. */
static void make_honest(uint8_t *bytes, cairn_beacon_t *beacon)
{
    const int east = (int)(beacon->id * 911u % 1600u) - 800; /* of the node, grid steps */
    const int north = (int)(beacon->id * 577u % 1600u) - 800;
    double half_m = 0;
    while (half_m * half_m < 4e-4 * (east * east + north * north)) {
        half_m += 1;
    }
    beacon->place[0] = (int16_t)(2000 + east);
    beacon->place[1] = (int16_t)(2000 + north);
    beacon->stage = CAIRN_STAGE_PLACED;
    beacon->deviation = 60;
    if (beacon->id < 5 && (kinds[bytes[4] % KINDS].options & CAIRN_NODE_NO_ANCHORS) == 0) {
        beacon->stage = CAIRN_STAGE_ANCHOR;
        beacon->deviation = 0;
    }
    bytes[0] &= (uint8_t)~2u;
    bytes[1] = (uint8_t)beacon->id;
    bytes[2] = (uint8_t)half_m;
}

/* A beacon to start from, then a few changed bits, bytes and lengths. */
static size_t make_input(cairn_rng_t *rng, uint8_t *bytes)
{
    cairn_beacon_t beacon;
    size_t length;
    memset(&beacon, 0, sizeof beacon);
    beacon.network = 1;
    beacon.kind = (uint8_t)cairn_rng_below(rng, 2);
    beacon.id = (uint16_t)cairn_rng_below(rng, 12);
    beacon.sequence = (uint8_t)cairn_rng_next(rng);
    beacon.stage = (uint8_t)cairn_rng_below(rng, 5);
    beacon.place[0] = (int16_t)cairn_rng_below(rng, 4000);
    beacon.place[1] = (int16_t)cairn_rng_below(rng, 4000);
    beacon.deviation = (uint8_t)cairn_rng_next(rng);
    for (size_t i = 0; i < CAIRN_BEACON_PATHS; i++) {
        beacon.path[i].id = (uint16_t)cairn_rng_below(rng, 12);
        beacon.path[i].length = (uint16_t)cairn_rng_next(rng);
        beacon.path[i].flags = 1;
        beacon.peer[i].id = (uint16_t)cairn_rng_below(rng, 12);
        beacon.peer[i].range = (uint8_t)cairn_rng_next(rng);
        beacon.peer[i].offset[0] = (int8_t)cairn_rng_next(rng);
        beacon.peer[i].offset[1] = (int8_t)cairn_rng_next(rng);
    }
    beacon.n_entries = (uint8_t)cairn_rng_below(rng, 3);
    for (size_t i = 0; i < HEADER; i++) {
        bytes[i] = (uint8_t)cairn_rng_next(rng);
    }
    if (cairn_rng_below(rng, 2) != 0) {
        make_honest(bytes, &beacon);
    }
    length = HEADER + cairn_beacon_encode(&beacon, bytes + HEADER, CAIRN_BEACON_BYTES_MAX);
    for (uint32_t k = cairn_rng_below(rng, 2) * cairn_rng_below(rng, 6); k > 0; k--) {
        bytes[HEADER + cairn_rng_below(rng, (uint32_t)(length - HEADER))] = (uint8_t)cairn_rng_next(rng);
    }
    if (cairn_rng_below(rng, 8) == 0) {
        length = cairn_rng_below(rng, CAIRN_BEACON_BYTES_MAX + 8);
    }
    return length;
}

int main(int argc, char **argv)
{
    const unsigned long n_inputs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    cairn_rng_t rng;
    cairn_rng_init(&rng, argc > 2 ? strtoul(argv[2], NULL, 10) : 1, 1);
    for (unsigned long i = 0; i < n_inputs; i++) {
        uint8_t bytes[CAIRN_BEACON_BYTES_MAX + 16] = {0};
        const size_t length = make_input(&rng, bytes);
        (void)LLVMFuzzerTestOneInput(bytes, length);
    }
    printf("%lu inputs, no finding\n1 passed, 0 failed\n", n_inputs);
    return 0;
}
#endif
