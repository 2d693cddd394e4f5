/* SPDX-License-Identifier: MIT
 * Tests of ids: capacity -1, exact, +1, collisions, refusals, canaries, against a plain list. */
#include "cairn/ids.h"
#include "cairn/rng.h"
#include "support/test.h"

#include <string.h>

enum { CAP_MAX = 100, SLOTS_MAX = 2 * CAP_MAX + 1, GUARD = 2 };
#define CANARY 0xC0FFEE55u

/* One set of guarded arrays for all cases. */
static uint32_t id_memory[GUARD + CAP_MAX + GUARD];
static uint32_t slot_memory[GUARD + SLOTS_MAX + GUARD];

static cairn_status begin(cairn_ids_t *table, size_t capacity, size_t n_slots, int fill)
{
    memset(id_memory, fill, sizeof id_memory);
    memset(slot_memory, fill, sizeof slot_memory);
    for (int i = 0; i < GUARD; ++i) {
        id_memory[i] = CANARY;
        id_memory[GUARD + capacity + (size_t)i] = CANARY;
        slot_memory[i] = CANARY;
        slot_memory[GUARD + n_slots + (size_t)i] = CANARY;
    }
    return cairn_ids_init(table, id_memory + GUARD, capacity, slot_memory + GUARD, n_slots);
}

static void check_canaries(size_t capacity, size_t n_slots)
{
    for (int i = 0; i < GUARD; ++i) {
        CHECK_EQ(id_memory[i], CANARY);
        CHECK_EQ(id_memory[GUARD + capacity + (size_t)i], CANARY);
        CHECK_EQ(slot_memory[i], CANARY);
        CHECK_EQ(slot_memory[GUARD + n_slots + (size_t)i], CANARY);
    }
}

static uint32_t pattern(int kind, uint32_t i)
{
    switch (kind) {
    case 0: return i;                       /* dense */
    case 1: return i * 0x10000u;            /* low bits all zero */
    case 2: return UINT32_MAX - i;          /* ends at the largest */
    case 3: return i * (2u * CAP_MAX + 1u); /* all equal modulo the number of slots */
    case 4: return i * 0x9E3779B1u;         /* inverse of common hash multipliers makes these collide or spread */
    default: return (i * 2654435761u) ^ (i << 7);
    }
}

TEST(test_ids_should_give_indices_in_order_of_arrival_when_ids_are_new)
{
    for (int kind = 0; kind < 6; ++kind) {
        cairn_ids_t table;
        test_context("pattern", (uint32_t)kind);
        REQUIRE(begin(&table, CAP_MAX, SLOTS_MAX, 0xA5) == CAIRN_OK);
        for (uint32_t i = 0; i < CAP_MAX; ++i) {
            uint32_t index = 12345u;
            CHECK_EQ(cairn_ids_find(&table, pattern(kind, i)), CAIRN_IDS_NONE);
            CHECK_EQ(cairn_ids_add(&table, pattern(kind, i), &index), CAIRN_OK);
            CHECK_EQ(index, i);
        }
        for (uint32_t i = 0; i < CAP_MAX; ++i) {
            uint32_t index = 12345u;
            CHECK_EQ(cairn_ids_find(&table, pattern(kind, i)), i);
            CHECK_EQ(cairn_ids_add(&table, pattern(kind, i), &index), CAIRN_OK);
            CHECK_EQ(index, i);
        }
        CHECK_EQ(table.n_ids, CAP_MAX);
        CHECK_EQ(cairn_ids_find(&table, 0xDEADBEEFu), CAIRN_IDS_NONE);
        check_canaries(CAP_MAX, SLOTS_MAX);
    }
}

TEST(test_ids_should_refuse_and_keep_every_byte_when_full)
{
    static const uint32_t capacities[] = {1u, 2u, 3u, 17u, CAP_MAX};
    static uint32_t id_before[sizeof id_memory / sizeof id_memory[0]];
    static uint32_t slot_before[sizeof slot_memory / sizeof slot_memory[0]];
    for (size_t c = 0; c < sizeof capacities / sizeof capacities[0]; ++c) {
        uint32_t capacity = capacities[c];
        cairn_ids_t table;
        test_context("capacity", capacity);
        REQUIRE(begin(&table, capacity, CAIRN_IDS_SLOTS(capacity), 0) == CAIRN_OK);
        for (uint32_t i = 0; i < capacity; ++i) {
            uint32_t index = 0;
            CHECK_EQ(cairn_ids_add(&table, 1000u + i, &index), CAIRN_OK);
        }
        cairn_ids_t before = table;
        memcpy(id_before, id_memory, sizeof id_memory);
        memcpy(slot_before, slot_memory, sizeof slot_memory);
        for (uint32_t i = 0; i < 2u * capacity; ++i) {
            uint32_t index = 54321u;
            CHECK_EQ(cairn_ids_add(&table, 5000u + i * 77u, &index), CAIRN_FULL);
            CHECK_EQ(index, 54321u);
            CHECK_EQ(cairn_ids_find(&table, 5000u + i * 77u), CAIRN_IDS_NONE);
        }
        CHECK_MEM(&table, &before, sizeof table);
        CHECK_MEM(id_memory, id_before, sizeof id_memory);
        CHECK_MEM(slot_memory, slot_before, sizeof slot_memory);
        uint32_t index = 0;
        CHECK_EQ(cairn_ids_add(&table, 1000u + capacity - 1u, &index), CAIRN_OK); /* known ones are still found */
        CHECK_EQ(index, capacity - 1u);
    }
}

TEST(test_ids_should_agree_with_a_plain_list_when_ids_are_random)
{
    uint32_t list[CAP_MAX];
    uint32_t n_list = 0;
    cairn_ids_t table;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 31u, 1u);
    REQUIRE(begin(&table, CAP_MAX, SLOTS_MAX, 0x00) == CAIRN_OK);
    for (int step = 0; step < 600; ++step) {
        uint32_t id = cairn_rng_below(&rng, 150u) * 0x01000193u; /* 150 ids for 100 places: some do not fit */
        uint32_t expected = 0;
        uint32_t index = 0;
        while (expected < n_list && list[expected] != id) {
            ++expected;
        }
        cairn_status status = cairn_ids_add(&table, id, &index);
        if (expected == n_list && n_list == CAP_MAX) {
            CHECK_EQ(status, CAIRN_FULL);
            continue;
        }
        if (expected == n_list) {
            list[n_list++] = id;
        }
        CHECK_EQ(status, CAIRN_OK);
        CHECK_EQ(index, expected);
        CHECK_EQ(cairn_ids_find(&table, id), expected);
    }
    CHECK_EQ(n_list, CAP_MAX);
}

TEST(test_ids_init_should_not_depend_on_old_bytes_when_repeated)
{
    static uint32_t slots_a[SLOTS_MAX];
    cairn_ids_t a;
    cairn_ids_t b;
    memset(&a, 0xA5, sizeof a);
    memset(&b, 0x00, sizeof b);
    REQUIRE(begin(&a, 10u, CAIRN_IDS_SLOTS(10), 0xA5) == CAIRN_OK);
    memcpy(slots_a, slot_memory + GUARD, sizeof slots_a[0] * CAIRN_IDS_SLOTS(10));
    REQUIRE(begin(&b, 10u, CAIRN_IDS_SLOTS(10), 0x00) == CAIRN_OK);
    CHECK_MEM(slots_a, slot_memory + GUARD, sizeof slots_a[0] * CAIRN_IDS_SLOTS(10));
    CHECK_EQ(a.n_ids, 0);
    CHECK(a.id == b.id && a.slot == b.slot && a.capacity == b.capacity && a.n_slots == b.n_slots);
}

static void check_refused(cairn_ids_t *table, uint32_t *id, size_t capacity, uint32_t *slot, size_t n_slots,
                          cairn_status expected)
{
    cairn_ids_t before;
    uint32_t slot_before[21];
    memset(table, 0xA5, sizeof *table);
    memcpy(&before, table, sizeof before);
    memset(slot_memory, 0x5A, sizeof slot_memory);
    memcpy(slot_before, slot_memory, sizeof slot_before);
    CHECK_EQ(cairn_ids_init(table, id, capacity, slot, n_slots), expected);
    CHECK_MEM(table, &before, sizeof before);
    CHECK_MEM(slot_memory, slot_before, sizeof slot_before);
}

TEST(test_ids_init_should_refuse_and_change_nothing_when_an_argument_is_bad)
{
    cairn_ids_t table;
    CHECK_EQ(cairn_ids_init(NULL, id_memory, 10u, slot_memory, 21u), CAIRN_ERR_ARG);
    check_refused(&table, NULL, 10u, slot_memory, 21u, CAIRN_ERR_ARG);
    check_refused(&table, id_memory, 10u, NULL, 21u, CAIRN_ERR_ARG);
    check_refused(&table, id_memory, 0u, slot_memory, 21u, CAIRN_ERR_ARG);
    check_refused(&table, id_memory, 0x1000001u, slot_memory, 0x7FFFFFFFu, CAIRN_ERR_ARG);
    check_refused(&table, id_memory, SIZE_MAX, slot_memory, SIZE_MAX, CAIRN_ERR_ARG);
    check_refused(&table, id_memory, 10u, slot_memory, 20u, CAIRN_ERR_SIZE);
    check_refused(&table, id_memory, 10u, slot_memory, 0u, CAIRN_ERR_SIZE);
    check_refused(&table, id_memory, 0x1000000u, slot_memory, 201u, CAIRN_ERR_SIZE);
    for (size_t offset = 1; offset < sizeof(uint32_t); ++offset) {
        void *id = (unsigned char *)id_memory + offset;
        void *slot = (unsigned char *)slot_memory + offset;
        check_refused(&table, id, 10u, slot_memory, 21u, CAIRN_ERR_ALIGN);
        check_refused(&table, id_memory, 10u, slot, 21u, CAIRN_ERR_ALIGN);
    }
}

TEST(test_ids_add_should_refuse_when_a_pointer_is_null)
{
    cairn_ids_t table;
    uint32_t index = 9u;
    REQUIRE(begin(&table, 4u, CAIRN_IDS_SLOTS(4), 0) == CAIRN_OK);
    cairn_ids_t before = table;
    CHECK_EQ(cairn_ids_add(NULL, 1u, &index), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_ids_add(&table, 1u, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(index, 9u);
    CHECK_MEM(&table, &before, sizeof table);
    CHECK_EQ(cairn_ids_find(&table, 1u), CAIRN_IDS_NONE);
}

TEST(test_ids_replace_should_agree_with_a_plain_list_when_ids_come_and_go)
{
    uint32_t list[CAP_MAX];
    uint32_t n_list = 0;
    cairn_ids_t table;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 77u, 2u);
    REQUIRE(begin(&table, 20u, CAIRN_IDS_SLOTS(20), 0xA5) == CAIRN_OK);
    for (int step = 0; step < 5000; ++step) {
        uint32_t id = pattern((int)cairn_rng_below(&rng, 6u), cairn_rng_below(&rng, 40u));
        uint32_t index = cairn_rng_below(&rng, 20u);
        uint32_t held = 0;
        while (held < n_list && list[held] != id) {
            ++held;
        }
        if (index >= n_list) {
            index = n_list;
            if (held == n_list) {
                list[n_list++] = id;
                CHECK_EQ(cairn_ids_add(&table, id, &index), CAIRN_OK);
            }
            continue;
        }
        CHECK_EQ(cairn_ids_replace(&table, index, id), held < n_list && held != index ? CAIRN_ERR_ARG : CAIRN_OK);
        if (held == n_list) {
            list[index] = id;
        }
        for (uint32_t i = 0; i < n_list; ++i) {
            CHECK_EQ(cairn_ids_find(&table, list[i]), i);
        }
        CHECK_EQ(cairn_ids_find(&table, 0xDEADBEEFu), CAIRN_IDS_NONE);
    }
    CHECK_EQ(n_list, 20);
    CHECK_EQ(cairn_ids_replace(NULL, 0, 1u), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_ids_replace(&table, 20u, 0xDEADBEEFu), CAIRN_ERR_ARG);
    check_canaries(20u, CAIRN_IDS_SLOTS(20));
}

TEST_MAIN(TEST_CASE(test_ids_replace_should_agree_with_a_plain_list_when_ids_come_and_go),
          TEST_CASE(test_ids_should_give_indices_in_order_of_arrival_when_ids_are_new),
          TEST_CASE(test_ids_should_refuse_and_keep_every_byte_when_full),
          TEST_CASE(test_ids_should_agree_with_a_plain_list_when_ids_are_random),
          TEST_CASE(test_ids_init_should_not_depend_on_old_bytes_when_repeated),
          TEST_CASE(test_ids_init_should_refuse_and_change_nothing_when_an_argument_is_bad),
          TEST_CASE(test_ids_add_should_refuse_when_a_pointer_is_null))
