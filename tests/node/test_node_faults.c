/* SPDX-License-Identifier: MIT
 * Faults of node, each at every step of a scripted run: a tag among five anchors and a placed neighbour, which saves a
 * snapshot every round. After each: the tables are sound, what is said is finite, and the place is right again within the
 * rounds that stand beside the fault. */
#include "cairn/snapshot.h"
#include "cairn/vector.h"
#include "node/node_internal.h"
#include "oracle/node.h"
#include "support/flash.h"

enum { PAGE = 48, STRANGERS = 2 * NEIGHBOURS, AFTER = 10, SETTLED = 20 };

static copy_t before;
static const cairn_real peer_m[2] = {20, 10};
static const cairn_real good_m = (cairn_real)0.1;

static uint8_t pages[2][PAGE];
static flash_t flash;
static uint8_t scratch[PAGE];
static const cairn_snapshot_store_t store = {flash_read, flash_erase, flash_write, &flash, 0, PAGE, 1, 0};

/* --- the script ---------------------------------------------------------------------------------------------------- */

static void play_step(void)
{
    hear(50, peer_m, CAIRN_STAGE_PLACED, cairn_distance(peer_m, truth_m, 2));
    play(0, ANCHORS);
    CHECK_EQ(cairn_snapshot_save_node(&store, &tag, scratch), CAIRN_OK);
}

static cairn_status hear_only(uint16_t id, const cairn_real *place_m, uint8_t stage)
{
    const size_t length = make_frame(id, place_m, stage);
    return cairn_node_on_beacon(&tag, frame, length, now_us);
}

/* --- what must hold after each round ------------------------------------------------------------------------------- */

static void check_tables(void)
{
    for (int i = 0; i < NEIGHBOURS; ++i) {
        const cairn_node_neighbour_t *one = &tag_neighbours[i];
        CHECK(one->used <= 9);
        CHECK(one->used == 0 || one->id != cfg.id);
        CHECK(one->used == 0 || (one->range_m >= 0 && one->range_m <= cfg.range_max_m));
        for (int k = 0; k < i; ++k) {
            CHECK(one->used == 0 || tag_neighbours[k].used == 0 || one->id != tag_neighbours[k].id);
        }
    }
    for (int i = 0; i < WAYS; ++i) {
        for (int k = 0; k < i; ++k) {
            CHECK(tag_ways[i].age == UINT8_MAX || tag_ways[k].age == UINT8_MAX || tag_ways[i].id != tag_ways[k].id);
        }
    }
}

/* Place, deviation and cost are finite, and the beacon says the same place and stage. */
static void check_sound(void)
{
    cairn_real place_m[2] = {0, 0};
    cairn_real std_m = 0;
    cairn_beacon_t beacon;
    const cairn_status status = cairn_node_get_place(&tag, place_m, &std_m);
    const size_t length = cairn_node_beacon(&tag, sent, sizeof sent, now_us);
    CHECK(status >= 0);
    CHECK(cairn_all_finite(place_m, 2) && cairn_isfinite(std_m) && std_m >= 0);
    CHECK(cairn_isfinite(cairn_node_get_cost(&tag)));
    REQUIRE(cairn_beacon_decode(sent, length, &beacon) == CAIRN_OK);
    CHECK_EQ(beacon.stage, cairn_node_get_stage(&tag));
    CHECK_NEAR(beacon.place[0], place_m[0] * 100, 0.51);
    CHECK_NEAR(beacon.place[1], place_m[1] * 100, 0.51);
    check_tables();
}

/* --- faults -------------------------------------------------------------------------------------------------------- */

static void drop(void) { play(0, 0); }

static void duplicate(void)
{
    for (int twice = 0; twice < 2; ++twice) {
        play_step();
        --sequence;
    }
    ++sequence;
}

/* The frames of the last round come after those of this one. */
static void reorder(void)
{
    const cairn_real wrong_m[2] = {3, 3};
    play_step();
    --sequence;
    for (uint16_t i = 0; i < ANCHORS; ++i) {
        CHECK_EQ(hear_only((uint16_t)(i + 1u), wrong_m, CAIRN_STAGE_ANCHOR), CAIRN_REJECTED);
    }
    ++sequence;
}

static void swap_anchors(cairn_real *a, cairn_real *b)
{
    for (int k = 0; k < 2; ++k) {
        const cairn_real kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

/* Two anchors' places swapped for a round, their ranges not. */
static void swap(void)
{
    swap_anchors(anchor_m[0], anchor_m[3]);
    for (uint16_t i = 0; i < ANCHORS; ++i) {
        (void)(hear_only((uint16_t)(i + 1u), anchor_m[i], CAIRN_STAGE_ANCHOR) == CAIRN_OK);
    }
    swap_anchors(anchor_m[0], anchor_m[3]);
    play(0, 0);
}

static void corrupt(void)
{
    const size_t length = make_frame(1, peer_m, CAIRN_STAGE_ANCHOR);
    keep(&before);
    for (size_t bit = 0; bit < 8 * length; ++bit) {
        frame[bit / 8] = (uint8_t)(frame[bit / 8] ^ 1u << bit % 8);
        CHECK(cairn_node_on_beacon(&tag, frame, length, now_us) < 0);
        frame[bit / 8] = (uint8_t)(frame[bit / 8] ^ 1u << bit % 8);
    }
    for (size_t cut = 0; cut < length; ++cut) {
        CHECK(cairn_node_on_beacon(&tag, frame, cut, now_us) < 0);
    }
    CHECK_EQ(tag.counters.n_damaged, before.node.counters.n_damaged + 9u * length);
    CHECK(is_kept(&before));
}

static void stale(void)
{
    const size_t length = make_frame(1, peer_m, CAIRN_STAGE_ANCHOR);
    keep(&before);
    if (tag.rounds > 0) {
        CHECK_EQ(cairn_node_on_range(&tag, 1, 5, now_us - 1u), CAIRN_ERR_STALE);
        CHECK_EQ(cairn_node_on_beacon(&tag, frame, length, now_us - 1u), CAIRN_ERR_STALE);
        CHECK_EQ(cairn_node_tick(&tag, now_us - UINT32_MAX / 2u), CAIRN_ERR_STALE);
        CHECK_EQ(tag.counters.n_stale, before.node.counters.n_stale + 3);
    }
    CHECK(is_kept(&before));
}

/* A long silence of the clock, so that it wraps in the next round. */
static void wrap(void)
{
    now_us = UINT32_MAX / 2u - ROUND_US;
    play(0, 0);
    now_us = UINT32_MAX - ROUND_US - 5u;
    play(0, 0);
}

static void check_refused(cairn_real range_m, cairn_status expected)
{
    keep(&before);
    CHECK_EQ(cairn_node_on_range(&tag, 1, range_m, now_us), expected);
    CHECK_EQ(tag.counters.n_nonfinite + tag.counters.n_range,
             before.node.counters.n_nonfinite + before.node.counters.n_range + 1);
    CHECK(is_kept(&before));
}

static void not_finite(void)
{
    check_refused((cairn_real)NAN, CAIRN_ERR_NONFINITE);
    check_refused((cairn_real)INFINITY, CAIRN_ERR_NONFINITE);
    check_refused((cairn_real)-INFINITY, CAIRN_ERR_NONFINITE);
}

static void zero(void)
{
    check_refused(0, CAIRN_ERR_RANGE);
    check_refused(-1, CAIRN_ERR_RANGE);
}

static void huge(void) { check_refused((cairn_real)100.01, CAIRN_ERR_RANGE); }

/* As far as is plausible: once it is an outlier, three times in a row it is believed. */
static void far_off(void)
{
    for (int i = 0; i < 3; ++i) {
        (void)(cairn_node_on_range(&tag, 1, 100, now_us) == CAIRN_OK);
        (void)(cairn_node_on_range(&tag, 2, 100, now_us) == CAIRN_OK);
    }
    play(0, 0);
}

/* A range to somebody who never speaks, the beacon of one who is not ranged, and one of another network. */
static void unknown(void)
{
    const cairn_real far_m[2] = {-60, 10};
    cairn_beacon_t beacon;
    CHECK(cairn_node_on_range(&tag, 4711, 12, now_us) >= 0);
    CHECK(hear_only(4712, far_m, CAIRN_STAGE_ANCHOR) >= 0);
    REQUIRE(cairn_beacon_decode(frame, make_frame(1, far_m, CAIRN_STAGE_ANCHOR), &beacon) == CAIRN_OK);
    beacon.network = 2;
    keep(&before);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, cairn_beacon_encode(&beacon, frame, sizeof frame), now_us),
             CAIRN_REJECTED);
    CHECK_EQ(tag.counters.n_foreign, before.node.counters.n_foreign + 1);
    CHECK(is_kept(&before));
}

/* Twice as many strangers as there is room for, all near. */
static void fill(void)
{
    for (uint16_t i = 0; i < STRANGERS; ++i) {
        const cairn_real place_m[2] = {(cairn_real)i, -50};
        CHECK(cairn_node_on_range(&tag, (uint16_t)(300 + i), (cairn_real)(STRANGERS - i), now_us) >= 0);
        CHECK(hear_only((uint16_t)(300 + i), place_m, CAIRN_STAGE_LOOSE) >= 0);
    }
}

/* The others start anew: their numbers jump. */
static void others_reset(void) { sequence = (uint8_t)(sequence + 131u); }

static void reset(void)
{
    memset(&tag, 0xA5, sizeof tag);
    CHECK_EQ(cairn_node_init(&tag, &cfg, &tag_memory, 5), CAIRN_OK);
    check_tables();
}

typedef struct fault {
    const char *name;
    void (*inject)(void);
    int rounds; /* from it until the place is right again, at most */
} fault_t;

static const fault_t faults[] = {{"drop", drop, 10},       {"duplicate", duplicate, 10},
                                 {"reorder", reorder, 10}, {"swap", swap, 10},
                                 {"corrupt", corrupt, 10}, {"stale", stale, 10},
                                 {"clock wrap", wrap, 10}, {"NaN", not_finite, 10},
                                 {"zero", zero, 10},       {"huge", huge, 10},
                                 {"far off", far_off, 10}, {"unknown", unknown, 10},
                                 {"full", fill, 25},       {"others reset", others_reset, 10},
                                 {"reset", reset, 10}};

enum { N_FAULTS = sizeof faults / sizeof faults[0] };

/* The script up to a step; begins with an empty memory. */
static void play_until(int step)
{
    flash_init(&flash, pages[0], 2, PAGE, 0xFF);
    begin();
    for (int round = 0; round < step; ++round) {
        play_step();
    }
}

TEST(test_node_should_recover_within_the_stated_rounds_when_any_fault_comes_at_any_step)
{
    for (int fault = 0; fault < N_FAULTS; ++fault) {
        for (int step = 0; step < STEPS; step += STEPS / (int)TEST_SEEDS(STEPS)) {
            test_context(faults[fault].name, (uint32_t)step);
            play_until(step);
            faults[fault].inject();
            for (int round = 1; round <= faults[fault].rounds + AFTER; ++round) {
                play_step();
                check_sound();
                CHECK(round < faults[fault].rounds || error_m() < good_m);
            }
        }
    }
}

static bool is_near(const cairn_real *a, const cairn_real *b) { return cairn_distance(a, b, 2) < cfg.grid_m; }

/* A save in which the power fails, and a start from what the memory holds then. */
static void cut_power(int after, const cairn_node_t *older)
{
    const cairn_node_t newer = tag;
    const bool had_place = older->stage >= CAIRN_STAGE_LOOSE && newer.stage >= CAIRN_STAGE_LOOSE;
    cairn_real place_m[2] = {1000, 1000};
    cairn_status status;
    flash.power = after;
    CHECK_EQ(cairn_snapshot_save_node(&store, &tag, scratch), after < 2 * PAGE ? CAIRN_ERR_STATE : CAIRN_OK);
    flash.power = -1;
    CHECK_EQ(cairn_node_init(&tag, &cfg, &tag_memory, 6), CAIRN_OK);
    status = cairn_snapshot_load_node(&store, &tag, scratch);
    if (newer.rounds == 1 && status == CAIRN_ERR_FORMAT) {
        return; /* nothing was saved before */
    }
    CHECK(status == CAIRN_OK || (status == CAIRN_UNPLACED && !had_place));
    CHECK(status == CAIRN_OK || after < 2 * PAGE || newer.stage < CAIRN_STAGE_LOOSE);
    CHECK(tag.sent > newer.sent);
    CHECK((cairn_node_get_place(&tag, place_m, NULL) == CAIRN_UNPLACED) == (status == CAIRN_UNPLACED));
    CHECK(status == CAIRN_UNPLACED || is_near(place_m, newer.place_m) || is_near(place_m, older->place_m));
}

/* fault: power cut in every flash write, after any of its bytes. What is loaded is the place of this round or of the one
 * before, no number of a frame comes twice, and a node that was settled is right again in the first round. */
TEST(test_node_should_be_back_when_power_fails_at_any_byte_of_a_snapshot)
{
    static copy_t start;
    uint8_t held[2][PAGE];
    for (int step = 0; step < STEPS; step += STEPS / (int)TEST_SEEDS(STEPS)) {
        play_until(step);
        keep(&start);
        memcpy(held, pages, sizeof held);
        hear(50, peer_m, CAIRN_STAGE_PLACED, cairn_distance(peer_m, truth_m, 2));
        play(0, ANCHORS);
        keep(&before);
        for (int after = 0; after <= 2 * PAGE; ++after) {
            test_context("1000 x step + byte", (uint32_t)(1000 * step + after));
            memcpy(pages, held, sizeof pages);
            restore(&before);
            cut_power(after, &start.node);
            if (step >= SETTLED) {
                play_step();
                CHECK(error_m() < good_m);
                --sequence;
                now_us -= ROUND_US;
            }
        }
    }
}

/* fault: gate locks out the truth; the node that holds the axis of a frame without anchors is carried off it. */
TEST(test_node_should_lock_again_off_the_axis_when_it_held_it_and_is_carried_off)
{
    int round = 0;
    begin();
    truth_m[1] = 0;
    for (int k = 0; k < STEPS; ++k) {
        play(0, ANCHORS);
        tag.axis = tag.stage >= CAIRN_STAGE_LOOSE;
    }
    CHECK(error_m() < good_m);
    truth_m[0] = 25;
    truth_m[1] = 28;
    for (; round < 30 && error_m() > good_m; ++round) {
        play(0, ANCHORS);
    }
    CHECK(error_m() < good_m);
    CHECK(tag.counters.n_relocks > 0);
}

/* fault: singular geometry. Eight anchors on a slanting line, ranges without noise: what is known across the line is lost in
 * the rounding of what is known along it. */
TEST(test_deviation_should_be_finite_when_all_neighbours_lie_on_a_line_and_ranges_are_exact)
{
    static const cairn_real steps_m[][2] = {
        {5, (cairn_real)4.98}, {5, (cairn_real)4.87}, {5, (cairn_real)4.65}, {5, 5}};
    for (size_t k = 0; k < sizeof steps_m / sizeof steps_m[0]; ++k) {
        test_context("line", (uint32_t)k);
        begin();
        cfg.noise_abs_m = 0;
        truth_m[0] = (cairn_real)21.05;
        truth_m[1] = 21;
        for (int round = 0; round < STEPS; ++round) {
            for (int i = 0; i < NEIGHBOURS; ++i) {
                const cairn_real at_m[2] = {(cairn_real)i * steps_m[k][0], (cairn_real)i * steps_m[k][1]};
                hear((uint16_t)(i + 1), at_m, CAIRN_STAGE_ANCHOR, cairn_distance(at_m, truth_m, 2));
            }
            play(0, 0);
            check_sound();
        }
        CHECK(error_m() < 2); /* either side of the line */
    }
}

/* --- two liars ------------------------------------------------------------------------------------------------------ */

enum { SILENT = 60, SILENT_X_M = 25, SILENT_Y_M = -6, FALSE_X_M = 29 };

static void lie(uint16_t teller, const cairn_real *teller_m)
{
    cairn_beacon_t beacon = {.network = 1, .id = teller, .sequence = sequence, .stage = CAIRN_STAGE_PLACED};
    beacon.kind = CAIRN_BEACON_KIND_PATHS;
    beacon.n_entries = 1;
    beacon.deviation = 20;
    beacon.place[0] = (int16_t)(teller_m[0] * 100);
    beacon.place[1] = (int16_t)(teller_m[1] * 100);
    beacon.path[0].id = SILENT;
    beacon.path[0].place[0] = FALSE_X_M * 100;
    beacon.path[0].place[1] = SILENT_Y_M * 100;
    beacon.path[0].length = 256;
    beacon.path[0].flags = 1;
    CHECK_EQ(cairn_node_on_range(&tag, teller, cairn_distance(teller_m, truth_m, 2), now_us), CAIRN_OK);
    CHECK_EQ(cairn_node_on_beacon(&tag, frame, cairn_beacon_encode(&beacon, frame, sizeof frame), now_us), CAIRN_OK);
}

/* fault: two rogue neighbours that tell a settled node one false place of an anchor which it ranges and does not hear. They
 * make it one, and it is ignored; what it says itself is taken. */
TEST(test_silent_anchor_should_be_outvoted_and_believed_again_when_two_tell_a_false_place_of_it)
{
    static const cairn_real silent_m[2] = {SILENT_X_M, SILENT_Y_M};
    static const cairn_real other_m[2] = {3, 16};
    const cairn_node_neighbour_t *silent;
    begin();
    for (uint32_t round = 0; round < SETTLED_ROUNDS + STEPS; ++round) {
        play(0, ANCHORS);
        if (round < SETTLED_ROUNDS + AFTER) {
            continue;
        }
        CHECK_EQ(cairn_node_on_range(&tag, SILENT, cairn_distance(silent_m, truth_m, 2), now_us), CAIRN_OK);
        lie(50, peer_m);
        lie(51, other_m);
    }
    silent = cairn_node_find(&tag, SILENT);
    CHECK(silent != NULL);
    CHECK_EQ(silent->stage, CAIRN_STAGE_ANCHOR);
    CHECK_EQ(silent->place[0], FALSE_X_M * 100);
    CHECK((silent->suspect & 0xFu) >= SUSPECT_OUT);
    CHECK(error_m() < good_m);
    for (int round = 0; round < AFTER; ++round) {
        play(0, ANCHORS);
        hear(SILENT, silent_m, CAIRN_STAGE_ANCHOR, cairn_distance(silent_m, truth_m, 2));
    }
    CHECK_EQ(silent->place[0], SILENT_X_M * 100);
    CHECK((silent->suspect & 0xFu) < SUSPECT_OUT);
    CHECK(error_m() < good_m);
}

static bool is_finite(void)
{
    cairn_real place_m[2] = {0, 0}, std_m = 0; /* UNPLACED writes none */
    return cairn_node_get_place(&tag, place_m, &std_m) >= 0 && cairn_all_finite(place_m, 2) && cairn_isfinite(std_m) &&
           cairn_isfinite(cairn_node_get_cost(&tag)) && cairn_all_finite(tag.velocity_m, 2);
}

/* Beyond that, squares would be infinite, and the place no number, for good. */
TEST(test_set_place_should_refuse_when_the_place_is_off_the_grid_or_its_deviation_too_large)
{
    const cairn_real radius_m[2] = {(cairn_real)1e-6, 40};
    for (uint32_t i = 0; i < 2; ++i) {
        test_context("radius", i);
        begin();
        cfg.radius_m = radius_m[i];
        cfg.grid_m = radius_m[i] / 8;
        cfg.noise_abs_m = 0;
        CHECK_EQ(cairn_node_init(&tag, &cfg, &tag_memory, 1), CAIRN_OK);
        const cairn_real reach_m = 32767 * cfg.grid_m;
        const cairn_real edge_m[2] = {reach_m, -reach_m}, far_m[2] = {0, cfg.grid_m * 32768};
        const cairn_real wild_m[2] = {(cairn_real)1e20, 0};
        CHECK_EQ(cairn_node_set_place(&tag, edge_m, (cairn_real)1e6), CAIRN_OK);
        keep(&before);
        CHECK_EQ(cairn_node_set_place(&tag, far_m, 1), CAIRN_ERR_ARG);
        CHECK_EQ(cairn_node_set_place(&tag, wild_m, 1), CAIRN_ERR_ARG);
        CHECK_EQ(cairn_node_set_place(&tag, edge_m, (cairn_real)1.1e6), CAIRN_ERR_ARG);
        CHECK_EQ(cairn_node_set_place(&tag, edge_m, (cairn_real)1e20), CAIRN_ERR_ARG);
        CHECK(is_kept(&before));
        for (int round = 0; round < 20; ++round) {
            play(0, ANCHORS);
            CHECK(is_finite());
        }
    }
}

TEST_MAIN(TEST_CASE(test_set_place_should_refuse_when_the_place_is_off_the_grid_or_its_deviation_too_large),
          TEST_CASE(test_node_should_recover_within_the_stated_rounds_when_any_fault_comes_at_any_step),
          TEST_CASE(test_node_should_be_back_when_power_fails_at_any_byte_of_a_snapshot),
          TEST_CASE(test_node_should_lock_again_off_the_axis_when_it_held_it_and_is_carried_off),
          TEST_CASE(test_deviation_should_be_finite_when_all_neighbours_lie_on_a_line_and_ranges_are_exact),
          TEST_CASE(test_silent_anchor_should_be_outvoted_and_believed_again_when_two_tell_a_false_place_of_it))
