/* SPDX-License-Identifier: MIT
 * Tests of snapshot: saves and loads, power cut at every byte written or erased, damage, foreign and older images. */
#include "cairn/snapshot.h"
#include "cairn/rng.h"
#include "support/flash.h"
#include "support/test.h"

enum { PAGE = 32, PER_SLOT = 3, PAGES = 2 * PER_SLOT, LENGTH = 70, GUARD = 4 };

static uint8_t pages[PAGES + 1][PAGE];
static flash_t flash;
static uint8_t scratch[PAGE + GUARD];
static uint8_t content[LENGTH];
static uint8_t loaded[LENGTH];

static const cairn_snapshot_store_t store = {flash_read, flash_erase, flash_write, &flash, 0, PAGE, PER_SLOT, 9};

static void fresh_flash(uint8_t fill)
{
    flash_init(&flash, pages[0], PAGES + 1, PAGE, fill);
    memset(scratch, 0xC3, sizeof scratch);
}

static void fill_content(uint8_t start)
{
    for (size_t i = 0; i < LENGTH; ++i) {
        content[i] = (uint8_t)(start + 7 * i);
    }
}

static cairn_status save(uint8_t start)
{
    fill_content(start);
    return cairn_snapshot_save(&store, CAIRN_SNAPSHOT_TRACK, content, LENGTH, scratch);
}

static cairn_status load(uint32_t *generation)
{
    return cairn_snapshot_load(&store, CAIRN_SNAPSHOT_TRACK, loaded, LENGTH, scratch, generation);
}

TEST(test_load_should_give_the_last_content_when_saved_many_times)
{
    uint32_t generation = 0;
    fresh_flash(0xA5);
    CHECK_EQ(load(NULL), CAIRN_ERR_FORMAT);
    for (uint32_t i = 1; i < 600; ++i) {
        REQUIRE(save((uint8_t)i) == CAIRN_OK);
        REQUIRE(load(&generation) == CAIRN_OK);
        CHECK_EQ(generation, i - 1);
        CHECK_MEM(loaded, content, LENGTH);
    }
    CHECK_EQ(scratch[PAGE], 0xC3);
    CHECK_EQ(pages[PAGES][0], 0xA5);
    CHECK_EQ(pages[PER_SLOT - 1][PAGE - 1], 0xFF); /* what is not used is erased */
}

/* Enough saves to pass 2^16. */
TEST(test_load_should_give_the_newest_when_the_generation_wraps)
{
    uint32_t generation = 0;
    fresh_flash(0xFF);
    for (uint32_t i = 1; i < 65600; ++i) {
        REQUIRE(cairn_snapshot_save(&store, CAIRN_SNAPSHOT_OTHER, content, 1, scratch) == CAIRN_OK);
        if (i > 65530 || i < 5) {
            REQUIRE(cairn_snapshot_load(&store, CAIRN_SNAPSHOT_OTHER, loaded, 1, scratch, &generation) == CAIRN_OK);
            CHECK_EQ(generation, (i - 1) % 65536);
        }
    }
}

/* fault: power cut in every flash write. Before, the old content; from some byte on, the new one; never anything else. */
TEST(test_load_should_give_old_or_new_content_when_power_fails_at_any_byte)
{
    static uint8_t old_content[LENGTH];
    const long most = 2 * PER_SLOT * PAGE;
    for (uint8_t rounds = 1; rounds <= 2; ++rounds) {
        bool was_new = false;
        for (long power = 0; power <= most; ++power) {
            test_context("byte", (uint32_t)power);
            fresh_flash(0xFF);
            for (uint8_t k = 0; k < rounds; ++k) {
                REQUIRE(save((uint8_t)(40 + k)) == CAIRN_OK);
            }
            memcpy(old_content, content, LENGTH);
            flash.power = power;
            const cairn_status status = save(200);
            flash.power = -1;
            REQUIRE(load(NULL) == CAIRN_OK);
            const bool is_new = memcmp(loaded, content, LENGTH) == 0;
            CHECK(is_new || memcmp(loaded, old_content, LENGTH) == 0);
            CHECK(!was_new || is_new);
            CHECK(status != CAIRN_OK || is_new);
            was_new = is_new;
            /* and the memory is usable again */
            CHECK_EQ(save(77), CAIRN_OK);
            CHECK_EQ(load(NULL), CAIRN_OK);
            CHECK_MEM(loaded, content, LENGTH);
        }
        CHECK(was_new);
    }
}

TEST(test_load_should_fall_back_or_refuse_when_any_bit_is_damaged)
{
    static uint8_t old_content[LENGTH];
    fresh_flash(0xFF);
    REQUIRE(save(1) == CAIRN_OK);
    memcpy(old_content, content, LENGTH);
    REQUIRE(save(2) == CAIRN_OK);
    for (size_t bit = 0; bit < 8 * (CAIRN_SNAPSHOT_HEADER + LENGTH); ++bit) {
        uint8_t *at = &pages[PER_SLOT + bit / 8 / PAGE][bit / 8 % PAGE];
        uint8_t *first = &pages[bit / 8 / PAGE][bit / 8 % PAGE];
        const uint8_t mask = (uint8_t)(1u << bit % 8);
        test_context("bit", (uint32_t)bit);
        *at = (uint8_t)(*at ^ mask);
        REQUIRE(load(NULL) == CAIRN_OK);
        CHECK_MEM(loaded, old_content, LENGTH);
        *first = (uint8_t)(*first ^ mask);
        CHECK_EQ(load(NULL), CAIRN_ERR_FORMAT);
        *first = (uint8_t)(*first ^ mask);
        *at = (uint8_t)(*at ^ mask);
    }
    CHECK_EQ(load(NULL), CAIRN_OK);
    CHECK_MEM(loaded, content, LENGTH);
}

/* IEEE 802.3, by long division: the highest power first, each byte's lowest bit first. */
static uint32_t crc_of(uint32_t rest, const uint8_t *bytes, size_t length)
{
    for (size_t bit = 0; bit < 8 * length; ++bit) {
        const uint32_t top = (rest ^ (uint32_t)bytes[bit / 8] >> bit % 8) & 1u;
        rest = (rest >> 1) ^ (top != 0 ? UINT32_C(0xEDB88320) : 0u);
    }
    return rest;
}

/* An image whose checksum is right, but not every byte of its header is ours: older and newer versions, other kinds,
 * owners, lengths. Only the generation may be any. */
TEST(test_load_should_refuse_when_any_byte_of_the_header_is_not_ours)
{
    fresh_flash(0xFF);
    REQUIRE(save(1) == CAIRN_OK);
    for (unsigned at = 0; at < 12; ++at) {
        for (unsigned change = 1; change < 256; ++change) {
            uint32_t crc;
            test_context("byte x 1000 + change", 1000 * at + change);
            pages[0][at] = (uint8_t)(pages[0][at] ^ change);
            crc = crc_of(crc_of(UINT32_MAX, pages[0], 12), content, LENGTH);
            for (size_t k = 0; k < 4; ++k) {
                pages[0][12 + k] = (uint8_t)(crc >> 8 * k & 0xFFu);
            }
            CHECK_EQ(load(NULL), at == 8 || at == 9 ? CAIRN_OK : CAIRN_ERR_FORMAT);
            pages[0][at] = (uint8_t)(pages[0][at] ^ change);
        }
    }
}

TEST(test_load_should_refuse_when_the_image_is_foreign)
{
    cairn_snapshot_store_t other = store;
    fresh_flash(0xFF);
    REQUIRE(save(1) == CAIRN_OK);
    CHECK_EQ(cairn_snapshot_load(&store, CAIRN_SNAPSHOT_NETWORK, loaded, LENGTH, scratch, NULL), CAIRN_ERR_FORMAT);
    CHECK_EQ(cairn_snapshot_load(&store, CAIRN_SNAPSHOT_TRACK, loaded, LENGTH - 1, scratch, NULL), CAIRN_ERR_FORMAT);
    other.owner = 8;
    CHECK_EQ(cairn_snapshot_load(&other, CAIRN_SNAPSHOT_TRACK, loaded, LENGTH, scratch, NULL), CAIRN_ERR_FORMAT);
    flash.failed = true;
    CHECK_EQ(load(NULL), CAIRN_ERR_FORMAT);
}

TEST(test_snapshot_should_refuse_when_arguments_make_no_sense)
{
    cairn_snapshot_store_t bad = store;
    static uint8_t big[PAGE * PER_SLOT];
    fresh_flash(0xFF);
    CHECK_EQ(cairn_snapshot_save(NULL, 1, content, LENGTH, scratch), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_snapshot_save(&store, 1, NULL, LENGTH, scratch), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_snapshot_save(&store, 1, content, LENGTH, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_snapshot_load(&store, 1, NULL, LENGTH, scratch, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_snapshot_save(&store, 1, big, sizeof big - CAIRN_SNAPSHOT_HEADER + 1, scratch), CAIRN_ERR_SIZE);
    CHECK_EQ(cairn_snapshot_save(&store, 1, big, sizeof big - CAIRN_SNAPSHOT_HEADER, scratch), CAIRN_OK);
    for (uint32_t length = 65520; length <= 65535; ++length) { /* with its header past 2^16 */
        CHECK_EQ(cairn_snapshot_save(&store, 1, big, (size_t)length, scratch), CAIRN_ERR_SIZE);
        CHECK_EQ(cairn_snapshot_load(&store, 1, big, (size_t)length, scratch, NULL), CAIRN_ERR_SIZE);
    }
    CHECK_EQ(CAIRN_SNAPSHOT_CAPACITY(65535, 255), 65535l * 255 - 16);
    bad.page_bytes = 40000;
    CHECK_EQ(cairn_snapshot_save(&bad, 1, content, UINT32_C(65536), scratch), CAIRN_ERR_SIZE);
    bad.page_bytes = CAIRN_SNAPSHOT_HEADER;
    CHECK_EQ(cairn_snapshot_save(&bad, 1, content, 0, scratch), CAIRN_ERR_ARG);
    bad = store;
    bad.pages_per_slot = 0;
    CHECK_EQ(cairn_snapshot_save(&bad, 1, content, 0, scratch), CAIRN_ERR_ARG);
    bad = store;
    bad.write = NULL;
    CHECK_EQ(cairn_snapshot_save(&bad, 1, content, 0, scratch), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_snapshot_save_node(&store, NULL, scratch), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_snapshot_load_node(&store, NULL, scratch), CAIRN_ERR_ARG);
}

CAIRN_NODE_DEFINE(tag, 4, 3);
static cairn_node_cfg_t tag_cfg = {.id = 5,
                                   .network = 1,
                                   .grid_m = (cairn_real)0.01,
                                   .radius_m = 20,
                                   .noise_abs_m = (cairn_real)0.1,
                                   .range_max_m = 100};

TEST(test_node_should_be_back_at_its_place_when_its_snapshot_is_loaded)
{
    const cairn_real place_m[2] = {12, -34};
    cairn_real back_m[2];
    cairn_real std_m = 0;
    static uint8_t before[sizeof tag];
    fresh_flash(0xFF);
    REQUIRE(cairn_node_init(&tag, &tag_cfg, &tag_memory, 1) == CAIRN_OK);
    memcpy(before, &tag, sizeof tag);
    CHECK_EQ(cairn_snapshot_load_node(&store, &tag, scratch), CAIRN_ERR_FORMAT);
    CHECK_MEM(before, &tag, sizeof tag);
    CHECK_EQ(cairn_snapshot_save_node(&store, &tag, scratch), CAIRN_OK);
    CHECK_EQ(cairn_snapshot_load_node(&store, &tag, scratch), CAIRN_UNPLACED);
    REQUIRE(cairn_node_set_place(&tag, place_m, 5) == CAIRN_OK);
    CHECK_EQ(cairn_snapshot_save_node(&store, &tag, scratch), CAIRN_OK);

    REQUIRE(cairn_node_init(&tag, &tag_cfg, &tag_memory, 2) == CAIRN_OK);
    CHECK_EQ(cairn_snapshot_load_node(&store, &tag, scratch), CAIRN_OK);
    CHECK_EQ(cairn_node_get_place(&tag, back_m, &std_m), CAIRN_NOT_CONVERGED);
    CHECK_NEAR(back_m[0], 12, 0.006);
    CHECK_NEAR(back_m[1], -34, 0.006);
    CHECK(std_m > 16); /* 5 doubled by each of two starts, less the bounds of rounding */
    CHECK(cairn_node_get_flags(&tag) & CAIRN_BEACON_RESTORED);
}

static void check_not_loaded(const cairn_node_cfg_t *cfg)
{
    static cairn_node_t before;
    REQUIRE(cairn_node_init(&tag, cfg, &tag_memory, 2) == CAIRN_OK);
    before = tag;
    CHECK_EQ(cairn_snapshot_load_node(&store, &tag, scratch), CAIRN_ERR_FORMAT);
    CHECK_MEM(&tag, &before, sizeof tag);
}

TEST(test_node_should_be_unchanged_when_the_snapshot_is_another_nodes)
{
    const cairn_real place_m[2] = {12, -34};
    cairn_node_cfg_t other = tag_cfg;
    fresh_flash(0xFF);
    REQUIRE(cairn_node_init(&tag, &tag_cfg, &tag_memory, 1) == CAIRN_OK);
    REQUIRE(cairn_node_set_place(&tag, place_m, 5) == CAIRN_OK);
    REQUIRE(cairn_snapshot_save_node(&store, &tag, scratch) == CAIRN_OK);
    for (unsigned bit = 0; bit < 16; ++bit) {
        other.id = (uint16_t)(tag_cfg.id ^ 1u << bit);
        check_not_loaded(&other);
    }
    other = tag_cfg;
    other.network = 2;
    check_not_loaded(&other);
    other = tag_cfg;
    other.grid_m = (cairn_real)0.02;
    check_not_loaded(&other);
}

TEST(test_node_should_be_unchanged_when_the_deviation_of_its_snapshot_is_none)
{
    static const float none[] = {-1, NAN, INFINITY};
    uint8_t image[CAIRN_SNAPSHOT_NODE_BYTES] = {5, 0, 1, CAIRN_STAGE_PLACED};
    const float grid_m = (float)tag_cfg.grid_m;
    memcpy(image + 4, &grid_m, sizeof grid_m);
    for (size_t i = 0; i < 3; ++i) {
        memcpy(image + 12, &none[i], sizeof none[i]);
        fresh_flash(0xFF);
        REQUIRE(cairn_snapshot_save(&store, CAIRN_SNAPSHOT_NODE, image, sizeof image, scratch) == CAIRN_OK);
        check_not_loaded(&tag_cfg);
    }
}

/* A node that has become an anchor, or was one, has no place to go on from; its frames are counted on. */
TEST(test_node_should_take_only_the_counter_when_it_is_or_was_an_anchor)
{
    const cairn_real place_m[2] = {12, -34};
    cairn_node_cfg_t anchor = tag_cfg;
    cairn_real back_m[2];
    anchor.options = CAIRN_NODE_IS_ANCHOR;
    for (int was = 0; was < 2; ++was) {
        fresh_flash(0xFF);
        REQUIRE(cairn_node_init(&tag, was ? &anchor : &tag_cfg, &tag_memory, 1) == CAIRN_OK);
        CHECK_EQ(cairn_node_set_place(&tag, place_m, 1), was ? CAIRN_ERR_STATE : CAIRN_OK);
        tag.sent = 0xFFFFFF - 100;
        REQUIRE(cairn_snapshot_save_node(&store, &tag, scratch) == CAIRN_OK);
        REQUIRE(cairn_node_init(&tag, was ? &tag_cfg : &anchor, &tag_memory, 2) == CAIRN_OK);
        CHECK_EQ(cairn_snapshot_load_node(&store, &tag, scratch), CAIRN_UNPLACED);
        CHECK_EQ(tag.sent, 0xFFFFFF - 100 + 4096);
        CHECK_EQ(cairn_node_get_stage(&tag), was ? CAIRN_STAGE_UNPLACED : CAIRN_STAGE_ANCHOR);
        CHECK_EQ(cairn_node_get_place(&tag, back_m, NULL), was ? CAIRN_UNPLACED : CAIRN_OK);
        CHECK(was || (back_m[0] == 0 && back_m[1] == 0));
    }
}

static void no_tag(void *ctx, const uint8_t *bytes, size_t length, uint8_t *code)
{
    (void)ctx;
    (void)bytes;
    (void)length;
    memset(code, 0, CAIRN_BEACON_TAG);
}

TEST(test_counter_should_not_wrap_when_a_node_whose_key_is_used_up_starts_again_and_again)
{
    fresh_flash(0xFF);
    REQUIRE(cairn_node_init(&tag, &tag_cfg, &tag_memory, 1) == CAIRN_OK);
    tag.sent = UINT32_MAX - 4196;
    for (int restart = 0; restart < 3; ++restart) {
        REQUIRE(cairn_snapshot_save_node(&store, &tag, scratch) == CAIRN_OK);
        CHECK_EQ(cairn_snapshot_load_node(&store, &tag, scratch), CAIRN_UNPLACED);
        CHECK_EQ(tag.sent, UINT32_MAX - 100);
    }
}

/* The counters of all frames of a node that restarts every 4096 frames, as late as it may. */
TEST(test_node_should_use_no_counter_twice_when_it_restarts_until_its_key_is_used_up)
{
    static uint8_t frame[CAIRN_BEACON_BYTES_MAX];
    cairn_node_cfg_t sealed = tag_cfg;
    uint32_t last = 0;
    size_t length = 1;
    fresh_flash(0xFF);
    sealed.tag = no_tag;
    REQUIRE(cairn_node_init(&tag, &sealed, &tag_memory, 1) == CAIRN_OK);
    tag.sent = 0xFFFFFF - 3 * 4096;
    for (int restart = 0; restart < 4; ++restart) {
        REQUIRE(cairn_snapshot_save_node(&store, &tag, scratch) == CAIRN_OK);
        for (int k = 0; k < 4096; ++k) {
            uint32_t counter = 0;
            length = cairn_node_beacon(&tag, frame, sizeof frame, 0);
            if (length > 0) {
                REQUIRE(cairn_beacon_check(frame, length, no_tag, NULL, &counter) == CAIRN_OK);
                CHECK(counter > last);
                last = counter;
            }
        }
        REQUIRE(cairn_node_init(&tag, &sealed, &tag_memory, 1) == CAIRN_OK);
        CHECK_EQ(cairn_snapshot_load_node(&store, &tag, scratch), CAIRN_UNPLACED);
    }
    CHECK_EQ(length, 0);
    CHECK_EQ(last, 0xFFFFFF);
}

TEST_MAIN(TEST_CASE(test_load_should_give_the_last_content_when_saved_many_times),
          TEST_CASE(test_load_should_give_the_newest_when_the_generation_wraps),
          TEST_CASE(test_load_should_give_old_or_new_content_when_power_fails_at_any_byte),
          TEST_CASE(test_load_should_fall_back_or_refuse_when_any_bit_is_damaged),
          TEST_CASE(test_load_should_refuse_when_any_byte_of_the_header_is_not_ours),
          TEST_CASE(test_load_should_refuse_when_the_image_is_foreign),
          TEST_CASE(test_snapshot_should_refuse_when_arguments_make_no_sense),
          TEST_CASE(test_node_should_be_back_at_its_place_when_its_snapshot_is_loaded),
          TEST_CASE(test_node_should_be_unchanged_when_the_snapshot_is_another_nodes),
          TEST_CASE(test_node_should_be_unchanged_when_the_deviation_of_its_snapshot_is_none),
          TEST_CASE(test_node_should_take_only_the_counter_when_it_is_or_was_an_anchor),
          TEST_CASE(test_counter_should_not_wrap_when_a_node_whose_key_is_used_up_starts_again_and_again),
          TEST_CASE(test_node_should_use_no_counter_twice_when_it_restarts_until_its_key_is_used_up))
