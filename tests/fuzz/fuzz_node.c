/* SPDX-License-Identifier: MIT
 * Fuzz entry of beacon and node: bytes are frames, ranges and rounds. With libFuzzer (-DFUZZ_LIBFUZZER) an entry; else a
 * program of its own: fuzz_node [INPUTS [SEED]], self-seeding, mutations of frames that a node has sent. */
#include "cairn/node.h"
#include "cairn/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

CAIRN_NODE_DEFINE(node, 4, 3);
static const cairn_node_cfg_t cfg = {.id = 3,
                                     .network = 1,
                                     .grid_m = (cairn_real)0.01,
                                     .radius_m = 20,
                                     .noise_rel = (cairn_real)0.05,
                                     .range_max_m = 100};
static uint32_t t_us;
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

static void check_node(void)
{
    cairn_real place_m[2] = {0, 0};
    cairn_real std_m = 0;
    const cairn_status status = cairn_node_get_place(&node, place_m, &std_m);
    require(status == CAIRN_UNPLACED || (cairn_isfinite(place_m[0]) && cairn_isfinite(place_m[1])), "place is finite");
    require(status == CAIRN_UNPLACED || (cairn_isfinite(std_m) && std_m >= 0), "deviation is finite");
    require(cairn_isfinite(cairn_node_get_cost(&node)), "cost is finite");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    cairn_beacon_t beacon;
    cairn_real range_m = 1;
    uint8_t room[CAIRN_BEACON_BYTES_MAX + 8];
    uint8_t again[CAIRN_BEACON_BYTES_MAX];
    const size_t n = length > 4 ? length - 4 : 0;
    uint8_t *frame = NULL;
    cairn_status status = CAIRN_OK;
    if (!started && cairn_node_init(&node, &cfg, &node_memory, 1) != CAIRN_OK) {
        abort();
    }
    started = true;
    if (length < 4 || n > sizeof room) {
        return 0;
    }
    frame = room + sizeof room - n; /* so that a sanitizer sees any read behind its end */
    memcpy(frame, bytes + 4, n);
    if (bytes[0] & 1u) {
        mend(frame, n);
    }
    status = cairn_beacon_decode(frame, n, &beacon);
    require(status <= 0, "decode gives a beacon or an error");
    if (status == CAIRN_OK) {
        const size_t seal = (frame[0] & 8u) != 0 ? CAIRN_BEACON_SEAL : 0;
        const size_t same = cairn_beacon_encode(&beacon, again, sizeof again);
        require(same + seal == n, "encoding gives the length back");
        require(seal > 0 || memcmp(again, frame, n) == 0, "encoding gives the bytes back");
    }
    memcpy(&range_m, bytes, sizeof(float) <= sizeof range_m ? sizeof(float) : sizeof range_m);
    status = cairn_node_on_range(&node, bytes[1], (bytes[0] & 2u) != 0 ? range_m : (cairn_real)bytes[2] / 2, t_us);
    status = cairn_node_on_beacon(&node, frame, n, t_us);
    if ((bytes[0] & 0x1Cu) == 0) {
        t_us += UINT32_C(1000000);
        status = cairn_node_tick(&node, t_us);
        require(status == CAIRN_OK, "time goes on");
        require(cairn_node_beacon(&node, again, sizeof again, t_us) > 0, "a node always has something to say");
        check_node();
    }
    return 0;
}

#ifndef FUZZ_LIBFUZZER
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
    }
    beacon.n_entries = (uint8_t)cairn_rng_below(rng, 3);
    for (size_t i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)cairn_rng_next(rng);
    }
    length = 4 + cairn_beacon_encode(&beacon, bytes + 4, CAIRN_BEACON_BYTES_MAX);
    for (uint32_t k = cairn_rng_below(rng, 6); k > 0; k--) {
        bytes[4 + cairn_rng_below(rng, (uint32_t)length)] = (uint8_t)cairn_rng_next(rng);
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
