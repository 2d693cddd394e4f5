/* SPDX-License-Identifier: MIT
 * Tests of beacon: every kind there and back, every length cut short or drawn out, bit flips, tags, replays. */
#include "cairn/beacon.h"
#include "cairn/rng.h"
#include "support/test.h"

enum { CAPACITY = 200, GUARD = 0xC3, CHECK_BYTE = 126 };

static uint8_t frame[CAPACITY];
static cairn_beacon_t beacon;
static cairn_beacon_t decoded;

/* SipHash-like toy tag for tests: 64-bit FNV over key and frame, finalised. Not for use. */
static void toy_tag(void *ctx, const uint8_t *bytes, size_t length, uint8_t *tag)
{
    const uint64_t *key = ctx;
    uint64_t hash = *key;
    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
        hash ^= hash >> 29;
    }
    for (size_t i = 0; i < CAIRN_BEACON_TAG; ++i) {
        tag[i] = (uint8_t)(hash >> (8 * i + 8) & 0xFFu);
    }
}

/* CRC-8, polynomial 7, start 255, of all bytes but the eleventh: by long division over a bit string. */
static uint8_t check_byte(const uint8_t *bytes, size_t length)
{
    unsigned rest = 0xFF;
    for (size_t bit = 0; bit < 8 * length; ++bit) {
        const unsigned next = bit / 8 == 11 ? 0 : (unsigned)bytes[bit / 8] >> (7 - bit % 8) & 1u;
        const unsigned top = (rest >> 7 & 1u) ^ next;
        rest = (rest << 1 & 0xFFu) ^ (top ? 7u : 0u);
    }
    return (uint8_t)rest;
}

static void random_beacon(cairn_rng_t *rng, uint8_t kind)
{
    static const uint8_t most[] = {CAIRN_BEACON_PATHS, CAIRN_BEACON_PEERS};
    memset(&beacon, 0, sizeof beacon);
    beacon.kind = kind;
    beacon.id = (uint16_t)cairn_rng_next(rng);
    beacon.network = (uint8_t)cairn_rng_next(rng);
    beacon.sequence = (uint8_t)cairn_rng_next(rng);
    beacon.stage = (uint8_t)cairn_rng_below(rng, CAIRN_STAGE_ANCHOR + 1u);
    beacon.flags = (uint8_t)cairn_rng_below(rng, CAIRN_BEACON_FLAGS + 1u);
    beacon.deviation = (uint8_t)cairn_rng_next(rng);
    beacon.place[0] = (int16_t)((int32_t)cairn_rng_below(rng, 65536) - 32768);
    beacon.place[1] = (int16_t)((int32_t)cairn_rng_below(rng, 65536) - 32768);
    beacon.n_entries = (uint8_t)cairn_rng_below(rng, most[kind] + 1u);
    for (size_t i = 0; i < beacon.n_entries && kind == CAIRN_BEACON_KIND_PATHS; ++i) {
        beacon.path[i].id = (uint16_t)cairn_rng_next(rng);
        beacon.path[i].place[0] = (int16_t)-32768;
        beacon.path[i].place[1] = (int16_t)i;
        beacon.path[i].length = (uint16_t)cairn_rng_next(rng);
        beacon.path[i].age = (uint8_t)cairn_rng_next(rng);
        beacon.path[i].flags = (uint8_t)cairn_rng_next(rng);
    }
    for (size_t i = 0; i < beacon.n_entries && kind == CAIRN_BEACON_KIND_PEERS; ++i) {
        beacon.peer[i].id = (uint16_t)cairn_rng_next(rng);
        beacon.peer[i].offset[0] = -128;
        beacon.peer[i].offset[1] = 127;
        beacon.peer[i].range = (uint8_t)cairn_rng_next(rng);
    }
}

TEST(test_beacon_should_be_the_same_when_encoded_and_decoded)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 1, 1);
    for (int i = 0; i < 500; ++i) {
        random_beacon(&rng, (uint8_t)(i % 2));
        memset(&decoded, 0, sizeof decoded);
        const size_t length = cairn_beacon_encode(&beacon, frame, sizeof frame);
        REQUIRE(length >= CAIRN_BEACON_HEADER);
        CHECK(length <= CAIRN_BEACON_BYTES || beacon.n_entries > (beacon.kind == CAIRN_BEACON_KIND_PATHS ? 1 : 2));
        REQUIRE(cairn_beacon_decode(frame, length, &decoded) == CAIRN_OK);
        CHECK_MEM(&decoded, &beacon, sizeof beacon);
    }
}

TEST(test_beacon_should_be_these_bytes_when_the_format_is_version_1)
{
    static const uint8_t expected[] = {0x11,       7, 0x34, 0x12, 200,  0x0B, 0xFE, 0xFF, 0x30, 0x75, 17,
                                       CHECK_BYTE, 2, 1,    3,    0xFC, 128,  6,    5,    0x80, 127,  1};
    const cairn_beacon_t known = {.id = 0x1234,
                                  .network = 7,
                                  .sequence = 200,
                                  .kind = CAIRN_BEACON_KIND_PEERS,
                                  .stage = CAIRN_STAGE_PLACED,
                                  .flags = CAIRN_BEACON_RESTORED,
                                  .deviation = 17,
                                  .place = {-2, 30000},
                                  .n_entries = 2,
                                  .peer = {{0x0102, {3, -4}, 128}, {0x0506, {-128, 127}, 1}}};
    REQUIRE(cairn_beacon_encode(&known, frame, sizeof frame) == sizeof expected);
    CHECK_MEM(frame, expected, sizeof expected);
    CHECK(sizeof expected <= CAIRN_BEACON_BYTES);
}

TEST(test_beacon_should_be_refused_when_a_field_or_the_room_is_out_of_range)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 2, 1);
    for (uint8_t kind = 0; kind < 2; ++kind) {
        random_beacon(&rng, kind);
        const size_t length = cairn_beacon_encode(&beacon, frame, sizeof frame);
        for (size_t capacity = 0; capacity < length; ++capacity) {
            memset(frame, GUARD, sizeof frame);
            CHECK_EQ(cairn_beacon_encode(&beacon, frame, capacity), 0);
            CHECK_EQ(frame[0], GUARD);
        }
        CHECK_EQ(cairn_beacon_encode(&beacon, frame, length), length);
        CHECK_EQ(frame[length], GUARD);
    }
    CHECK_EQ(cairn_beacon_encode(NULL, frame, sizeof frame), 0);
    CHECK_EQ(cairn_beacon_encode(&beacon, NULL, sizeof frame), 0);
    beacon.n_entries = CAIRN_BEACON_PEERS + 1;
    CHECK_EQ(cairn_beacon_encode(&beacon, frame, sizeof frame), 0);
    beacon.n_entries = 0;
    beacon.kind = 2;
    CHECK_EQ(cairn_beacon_encode(&beacon, frame, sizeof frame), 0);
    beacon.kind = 0;
    beacon.stage = 5;
    CHECK_EQ(cairn_beacon_encode(&beacon, frame, sizeof frame), 0);
    beacon.stage = 4;
    beacon.flags = 32;
    CHECK_EQ(cairn_beacon_encode(&beacon, frame, sizeof frame), 0);
}

/* The copy ends where the frame ends: sanitizers see any read behind it. */
TEST(test_decode_should_give_a_code_and_write_nothing_when_a_frame_is_cut_or_drawn_out)
{
    static cairn_beacon_t untouched;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 3, 1);
    memset(&untouched, 0x5A, sizeof untouched);
    for (int i = 0; i < 50; ++i) {
        random_beacon(&rng, (uint8_t)(i % 2));
        const size_t length = cairn_beacon_encode(&beacon, frame, sizeof frame);
        for (size_t cut = 0; cut < CAPACITY; ++cut) {
            memset(&decoded, 0x5A, sizeof decoded);
            const cairn_status status = cairn_beacon_decode(frame + CAPACITY - cut, 0, &decoded);
            CHECK_EQ(status, CAIRN_ERR_SIZE);
            const cairn_status shorter = cairn_beacon_decode(frame, cut, &decoded);
            if (shorter == CAIRN_OK) {
                CHECK(cut == length || beacon.kind <= CAIRN_BEACON_KIND_PEERS);
            } else {
                CHECK_MEM(&decoded, &untouched, sizeof decoded);
            }
        }
    }
    CHECK_EQ(cairn_beacon_decode(NULL, 12, &decoded), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_beacon_decode(frame, 12, NULL), CAIRN_ERR_ARG);
}

TEST(test_decode_should_give_back_the_frame_when_any_bytes_are_accepted)
{
    cairn_rng_t rng;
    uint8_t again[CAPACITY];
    int n_accepted = 0;
    cairn_rng_init(&rng, 4, 1);
    for (int i = 0; i < 20000; ++i) {
        const size_t length = cairn_rng_below(&rng, CAIRN_BEACON_BYTES_MAX + 3u);
        for (size_t k = 0; k < length; ++k) {
            frame[k] = (uint8_t)cairn_rng_next(&rng);
        }
        frame[0] = i % 2 == 0 ? (uint8_t)(0x10u | cairn_rng_below(&rng, 2)) : frame[0];
        const size_t seal = (frame[0] & 8u) != 0 ? CAIRN_BEACON_SEAL : 0;
        if (i % 4 != 1 && length >= CAIRN_BEACON_HEADER + seal) {
            frame[11] = check_byte(frame, length - seal);
        }
        if (cairn_beacon_decode(frame, length, &decoded) == CAIRN_OK) {
            n_accepted++;
            REQUIRE(cairn_beacon_encode(&decoded, again, sizeof again) + seal == length);
            frame[0] &= 0xF7u;
            frame[11] = check_byte(frame, length - seal);
            CHECK_MEM(again, frame, length - seal);
        }
    }
    CHECK(n_accepted > 100);
}

static size_t sealed_frame(uint32_t counter, uint64_t *key)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 5, 1);
    random_beacon(&rng, CAIRN_BEACON_KIND_PEERS);
    beacon.n_entries = 2;
    memset(beacon.peer + 2, 0, sizeof beacon.peer - 2 * sizeof beacon.peer[0]);
    return cairn_beacon_seal(frame, cairn_beacon_encode(&beacon, frame, sizeof frame), sizeof frame, counter, toy_tag,
                             key);
}

TEST(test_sealed_beacon_should_fit_32_bytes_and_be_authentic_when_the_key_is_right)
{
    uint64_t key = 99;
    uint32_t counter = 0;
    const size_t length = sealed_frame(0xABCDEF, &key);
    CHECK_EQ(length, 30);
    CHECK_EQ(cairn_beacon_check(frame, length, toy_tag, &key, &counter), CAIRN_OK);
    CHECK_EQ(counter, 0xABCDEF);
    REQUIRE(cairn_beacon_decode(frame, length, &decoded) == CAIRN_OK);
    beacon.sequence = 0xEF;
    CHECK_MEM(&decoded, &beacon, sizeof beacon);
}

TEST(test_sealed_beacon_should_be_refused_when_the_key_is_wrong_or_any_bit_differs)
{
    uint64_t key = 99;
    uint64_t wrong = 98;
    uint32_t counter = 12;
    const size_t length = sealed_frame(5, &key);
    CHECK_EQ(cairn_beacon_check(frame, length, toy_tag, &wrong, &counter), CAIRN_ERR_FORMAT);
    for (size_t bit = 0; bit < 8 * length; ++bit) {
        test_context("bit", (uint32_t)bit);
        frame[bit / 8] = (uint8_t)(frame[bit / 8] ^ 1u << bit % 8);
        CHECK_EQ(cairn_beacon_check(frame, length, toy_tag, &key, &counter), CAIRN_ERR_FORMAT);
        frame[bit / 8] = (uint8_t)(frame[bit / 8] ^ 1u << bit % 8);
    }
    for (size_t cut = 0; cut < length; ++cut) {
        CHECK(cairn_beacon_check(frame, cut, toy_tag, &key, &counter) < 0);
    }
    frame[0] ^= 8u; /* the tag is right, but the frame does not say that it is sealed */
    toy_tag(&key, frame, length - CAIRN_BEACON_TAG, frame + length - CAIRN_BEACON_TAG);
    CHECK_EQ(cairn_beacon_check(frame, length, toy_tag, &key, &counter), CAIRN_ERR_FORMAT);
    CHECK_EQ(cairn_beacon_check(frame, 128, toy_tag, &key, &counter), CAIRN_ERR_SIZE);
    CHECK_EQ(counter, 12);
    CHECK_EQ(cairn_beacon_check(NULL, length, toy_tag, &key, &counter), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_beacon_check(frame, length, NULL, &key, &counter), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_beacon_check(frame, length, toy_tag, &key, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_beacon_seal(frame, 24, 31, 1, toy_tag, &key), 0);
    CHECK_EQ(cairn_beacon_seal(NULL, 24, 32, 1, toy_tag, &key), 0);
    CHECK_EQ(cairn_beacon_seal(frame, 24, 32, 1, NULL, &key), 0);
    CHECK_EQ(cairn_beacon_seal(frame, 120, 200, 1, toy_tag, &key), 0);
}

TEST(test_seal_should_leave_the_frame_alone_when_it_is_sealed_or_the_counter_is_out_of_range)
{
    static const uint32_t wrong[] = {0, 0x1000000, 0x1000005, UINT32_MAX};
    static uint8_t before[sizeof frame];
    uint64_t key = 99;
    uint32_t counter = 0;
    size_t length = sealed_frame(0xFFFFFF, &key);
    CHECK_EQ(cairn_beacon_check(frame, length, toy_tag, &key, &counter), CAIRN_OK);
    CHECK_EQ(counter, CAIRN_BEACON_COUNTER_MAX);
    memcpy(before, frame, sizeof frame);
    CHECK_EQ(cairn_beacon_seal(frame, length, sizeof frame, 7, toy_tag, &key), 0);
    CHECK_MEM(frame, before, sizeof frame);
    length = cairn_beacon_encode(&beacon, frame, sizeof frame);
    memcpy(before, frame, sizeof frame);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        CHECK_EQ(cairn_beacon_seal(frame, length, sizeof frame, wrong[i], toy_tag, &key), 0);
        CHECK_MEM(frame, before, sizeof frame);
    }
    CHECK_EQ(cairn_beacon_seal(frame, length, sizeof frame, 1, toy_tag, &key), length + CAIRN_BEACON_SEAL);
}

/* Oracle: the set of all counters seen. */
TEST(test_window_should_pass_each_counter_once_when_they_come_out_of_order)
{
    static uint8_t seen[400];
    cairn_rng_t rng;
    uint32_t window = 0;
    uint32_t highest = 0;
    cairn_rng_init(&rng, 6, 1);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < 3000; ++i) {
        const uint32_t at = 1u + i / 9u + cairn_rng_below(&rng, 14);
        const uint32_t before = window;
        const cairn_status status = cairn_beacon_accept(&window, at);
        const bool expected = !seen[at] && at + 8 >= highest;
        CHECK_EQ(status, expected ? CAIRN_OK : CAIRN_ERR_STALE);
        CHECK(status == CAIRN_OK || window == before);
        seen[at] = status == CAIRN_OK ? 1 : seen[at];
        highest = at > highest && status == CAIRN_OK ? at : highest;
    }
    CHECK_EQ(window >> 8, highest);
}

TEST(test_window_should_refuse_when_the_counter_is_zero_or_too_large)
{
    uint32_t window = 0;
    CHECK_EQ(cairn_beacon_accept(&window, 0), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_beacon_accept(&window, 0x1000000), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_beacon_accept(NULL, 1), CAIRN_ERR_ARG);
    CHECK_EQ(window, 0);
    CHECK_EQ(cairn_beacon_accept(&window, 0xFFFFFF), CAIRN_OK);
    CHECK_EQ(cairn_beacon_accept(&window, 0xFFFFFF), CAIRN_ERR_STALE);
    CHECK_EQ(cairn_beacon_accept(&window, 1), CAIRN_ERR_STALE);
}

TEST(test_deviation_code_should_be_nearest_from_above_when_decoded)
{
    CHECK_EQ(cairn_beacon_deviation(0), 0);
    for (unsigned code = 1; code < 256; ++code) {
        const cairn_real factor = cairn_beacon_deviation((uint8_t)code);
        test_context("code", code);
        CHECK_EQ(cairn_beacon_deviation_code(factor), code);
        CHECK_EQ(cairn_beacon_deviation_code(factor * (cairn_real)1.01), code < 255 ? code + 1 : 255);
    }
    CHECK_EQ(cairn_beacon_deviation_code(0), 1);
    CHECK_EQ(cairn_beacon_deviation_code((cairn_real)-0.0), 1);
    CHECK_EQ(cairn_beacon_deviation_code((cairn_real)1e30), 255);
}

TEST_MAIN(TEST_CASE(test_beacon_should_be_the_same_when_encoded_and_decoded),
          TEST_CASE(test_beacon_should_be_these_bytes_when_the_format_is_version_1),
          TEST_CASE(test_beacon_should_be_refused_when_a_field_or_the_room_is_out_of_range),
          TEST_CASE(test_decode_should_give_a_code_and_write_nothing_when_a_frame_is_cut_or_drawn_out),
          TEST_CASE(test_decode_should_give_back_the_frame_when_any_bytes_are_accepted),
          TEST_CASE(test_sealed_beacon_should_fit_32_bytes_and_be_authentic_when_the_key_is_right),
          TEST_CASE(test_sealed_beacon_should_be_refused_when_the_key_is_wrong_or_any_bit_differs),
          TEST_CASE(test_seal_should_leave_the_frame_alone_when_it_is_sealed_or_the_counter_is_out_of_range),
          TEST_CASE(test_window_should_pass_each_counter_once_when_they_come_out_of_order),
          TEST_CASE(test_window_should_refuse_when_the_counter_is_zero_or_too_large),
          TEST_CASE(test_deviation_code_should_be_nearest_from_above_when_decoded))
