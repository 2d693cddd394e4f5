/* SPDX-License-Identifier: MIT
 * Tests of authentication: a node with a key among frames that are unsealed, sealed with another key, changed, spliced,
 * replayed, late; spoofed anchors; what it sends itself. What is refused changes nothing but a counter. */
#include "oracle/node.h"

enum { SEAL = CAIRN_BEACON_SEAL, WINDOW = 8 };

static copy_t before;
static uint32_t key = 7;
static uint32_t wrong_key = 8;
static const cairn_real here_m[2] = {3, 4};
static const cairn_real there_m[2] = {-20, 25};
static uint8_t old_frame[CAIRN_BEACON_BYTES_MAX];

/* A toy: 32 bits, not for use. */
static void toy_tag(void *ctx, const uint8_t *bytes, size_t length, uint8_t *code)
{
    uint32_t hash = *(const uint32_t *)ctx;
    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ bytes[i]) * 16777619u;
        hash ^= hash >> 15;
    }
    for (int i = 0; i < 6; ++i) {
        code[i] = (uint8_t)(hash >> (4 * i) & 0xFFu);
    }
}

static void begin_sealed(void)
{
    begin();
    cfg.tag = toy_tag;
    cfg.tag_ctx = &key;
}

static size_t seal_frame(uint16_t id, const cairn_real *place_m, uint32_t counter, uint32_t *with)
{
    const size_t length = make_frame(id, place_m, CAIRN_STAGE_ANCHOR);
    return cairn_beacon_seal(frame, length, sizeof frame, counter, toy_tag, with);
}

static cairn_status take(uint16_t id, const cairn_real *place_m, uint32_t counter)
{
    const size_t length = seal_frame(id, place_m, counter, &key);
    return cairn_node_on_beacon(&tag, frame, length, now_us);
}

/* An anchor that is known: ranged, heard, with a way to it. */
static void know_anchor(uint32_t counter)
{
    begin_sealed();
    CHECK_EQ(cairn_node_on_range(&tag, 1, 5, now_us), CAIRN_OK);
    CHECK_EQ(take(1, here_m, counter), CAIRN_OK);
    CHECK_EQ(tag_neighbours[0].stage, CAIRN_STAGE_ANCHOR);
}

static void check_forged(size_t length)
{
    keep(&before);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, length, now_us), CAIRN_ERR_FORMAT);
    CHECK_EQ(tag.counters.n_forged, before.node.counters.n_forged + 1);
    CHECK(is_kept(&before));
}

static void check_replayed(uint16_t id, uint32_t counter, cairn_status expected)
{
    const size_t length = seal_frame(id, here_m, counter, &key);
    cairn_status status;
    keep(&before);
    status = cairn_node_on_beacon(&tag, frame, length, now_us + 1000u); /* later: what is refused sets no time either */
    CHECK_EQ(status, expected);
    CHECK_EQ(tag.counters.n_replayed, before.node.counters.n_replayed + 1);
    if (status < 0) {
        CHECK(is_kept(&before));
    } else {
        CHECK_EQ(tag.t_us, now_us + 1000u);
    }
}

TEST(test_node_should_refuse_a_spoofed_anchor_when_its_frame_is_not_sealed_with_the_key)
{
    know_anchor(9);
    for (uint16_t id = 1; id <= 2; ++id) { /* one that is known, a new one */
        size_t length = make_frame(id, there_m, CAIRN_STAGE_ANCHOR);
        check_forged(length);
        length = seal_frame(id, there_m, 10, &wrong_key);
        check_forged(length);
    }
    CHECK_EQ(take(1, there_m, 10), CAIRN_OK);
}

TEST(test_node_should_refuse_a_frame_when_any_bit_of_it_is_changed_or_its_seal_is_anothers)
{
    size_t length;
    know_anchor(9);
    length = seal_frame(1, here_m, 10, &key);
    keep(&before);
    for (size_t bit = 0; bit < 8 * length; ++bit) {
        test_context("bit", (uint32_t)bit);
        frame[bit / 8] = (uint8_t)(frame[bit / 8] ^ 1u << bit % 8);
        CHECK(cairn_node_on_beacon(&tag, frame, length, now_us) < 0);
        frame[bit / 8] = (uint8_t)(frame[bit / 8] ^ 1u << bit % 8);
    }
    CHECK(is_kept(&before));
    /* the true seal under another place, another id and another stage; the check byte is right */
    memcpy(old_frame, frame, length);
    for (int change = 0; change < 3; ++change) {
        sequence = 10;
        length = make_frame(change == 1 ? 2 : 1, change == 0 ? there_m : here_m,
                            change == 2 ? CAIRN_STAGE_PLACED : CAIRN_STAGE_ANCHOR);
        length = cairn_beacon_seal(frame, length, sizeof frame, 10, toy_tag, &wrong_key);
        memcpy(frame + length - SEAL, old_frame + length - SEAL, SEAL);
        check_forged(length);
    }
}

TEST(test_node_should_not_call_itself_a_duplicate_when_a_forger_uses_its_id)
{
    begin_sealed();
    check_forged(make_frame(cfg.id, here_m, CAIRN_STAGE_PLACED));
    check_forged(seal_frame(cfg.id, here_m, 3, &wrong_key));
    CHECK_EQ(cairn_node_get_flags(&tag) & CAIRN_BEACON_DUPLICATE, 0);
    CHECK_EQ(take(cfg.id, here_m, 3), CAIRN_ERR_SELF);
    CHECK_EQ(cairn_node_get_flags(&tag) & CAIRN_BEACON_DUPLICATE, CAIRN_BEACON_DUPLICATE);
}

TEST(test_node_should_refuse_each_frame_when_it_is_replayed)
{
    know_anchor(1000);
    for (uint32_t counter = 1001; counter < 1400; counter += counter % 7 + 1) { /* past a turn of the sequence */
        CHECK_EQ(take(1, here_m, counter), CAIRN_OK);
        for (uint32_t back = 0; back < 300; back += back < 2 * WINDOW ? 1 : 29) {
            test_context("1000 x counter + back", 1000 * counter + back);
            if (back == 0 || back > WINDOW) { /* what came, or would be too old */
                check_replayed(1, counter - back, CAIRN_ERR_STALE);
            }
        }
    }
}

TEST(test_node_should_let_late_frames_pass_once_and_keep_the_newer_place_when_they_are_reordered)
{
    know_anchor(100);
    CHECK_EQ(take(1, there_m, 109), CAIRN_OK);
    keep(&before);
    for (uint32_t back = 1; back <= WINDOW; ++back) {
        check_replayed(1, 109 - back, CAIRN_REJECTED); /* late: counted, not used */
        CHECK_EQ(tag_neighbours[0].place[0], (int16_t)(there_m[0] * 100));
        CHECK_EQ(tag_neighbours[0].sequence, 109);
        check_replayed(1, 109 - back, CAIRN_ERR_STALE);
    }
    check_replayed(1, 109 - WINDOW - 1, CAIRN_ERR_STALE);
    CHECK(take(1, here_m, 110) >= 0); /* so many late ones look like two nodes with one id */
    CHECK_EQ(tag_neighbours[0].place[0], (int16_t)(here_m[0] * 100));
}

TEST(test_node_should_hold_a_window_for_each_neighbour_when_their_counters_are_the_same)
{
    begin_sealed();
    for (uint16_t id = 1; id <= 3; ++id) {
        CHECK_EQ(take(id, here_m, 50), CAIRN_OK);
    }
    for (uint16_t id = 1; id <= 3; ++id) {
        check_replayed(id, 50, CAIRN_ERR_STALE);
        CHECK_EQ(take(id, here_m, 51), CAIRN_OK);
    }
}

TEST(test_node_should_seal_what_it_says_with_a_new_counter_when_it_has_a_key)
{
    uint32_t counter = 0;
    uint32_t last = 0;
    begin_sealed();
    for (int round = 0; round < 600; ++round) {
        const size_t length = cairn_node_beacon(&tag, sent, sizeof sent, now_us);
        CHECK_EQ(cairn_beacon_check(sent, length, toy_tag, &wrong_key, &counter), CAIRN_ERR_FORMAT);
        REQUIRE(cairn_beacon_check(sent, length, toy_tag, &key, &counter) == CAIRN_OK);
        CHECK(round == 0 || counter == last + 1);
        last = counter;
    }
}

TEST(test_node_should_fall_silent_and_count_when_its_key_has_no_counter_left)
{
    uint32_t counter = 0;
    begin_sealed();
    tag.sent = CAIRN_BEACON_COUNTER_MAX - 2;
    for (uint32_t expected = CAIRN_BEACON_COUNTER_MAX - 1; expected <= CAIRN_BEACON_COUNTER_MAX; ++expected) {
        const size_t length = cairn_node_beacon(&tag, sent, sizeof sent, now_us);
        REQUIRE(cairn_beacon_check(sent, length, toy_tag, &key, &counter) == CAIRN_OK);
        CHECK_EQ(counter, expected);
    }
    CHECK_EQ(cairn_node_get_counters(&tag)->n_mute, 0);
    keep(&before);
    for (uint16_t n = 1; n < 5; ++n) {
        CHECK_EQ(cairn_node_beacon(&tag, sent, sizeof sent, now_us), 0);
        CHECK_EQ(cairn_node_get_counters(&tag)->n_mute, n);
        CHECK(is_kept(&before));
    }
    /* it still hears, and ticks */
    CHECK_EQ(take(1, here_m, 9), CAIRN_OK);
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
    /* without a key a counter may come again */
    cfg.tag = NULL;
    CHECK(cairn_node_beacon(&tag, sent, sizeof sent, now_us) > 0);
    CHECK_EQ(sent[4], 0);
}

TEST(test_node_should_count_no_forgery_when_a_frame_is_of_another_network)
{
    size_t length;
    begin_sealed();
    cfg.network = 2;
    length = make_frame(1, here_m, CAIRN_STAGE_ANCHOR);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, length, now_us), CAIRN_REJECTED);
    CHECK_EQ(tag.counters.n_foreign, 1);
    CHECK_EQ(tag.counters.n_forged, 0);
}

TEST_MAIN(TEST_CASE(test_node_should_refuse_a_spoofed_anchor_when_its_frame_is_not_sealed_with_the_key),
          TEST_CASE(test_node_should_refuse_a_frame_when_any_bit_of_it_is_changed_or_its_seal_is_anothers),
          TEST_CASE(test_node_should_not_call_itself_a_duplicate_when_a_forger_uses_its_id),
          TEST_CASE(test_node_should_refuse_each_frame_when_it_is_replayed),
          TEST_CASE(test_node_should_let_late_frames_pass_once_and_keep_the_newer_place_when_they_are_reordered),
          TEST_CASE(test_node_should_hold_a_window_for_each_neighbour_when_their_counters_are_the_same),
          TEST_CASE(test_node_should_seal_what_it_says_with_a_new_counter_when_it_has_a_key),
          TEST_CASE(test_node_should_fall_silent_and_count_when_its_key_has_no_counter_left),
          TEST_CASE(test_node_should_count_no_forgery_when_a_frame_is_of_another_network))
