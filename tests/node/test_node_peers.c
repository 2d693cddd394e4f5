/* SPDX-License-Identifier: MIT
 * Tests of what neighbours tell a node of others: places that are asked for and answered, that drift along while nobody
 * hears them, that push; and the way out of a false place that neighbours leave open. */
#include "node/node_internal.h"
#include "oracle/node.h"

enum {
    TELLER = 50,
    ASKER = 51,
    UNHEARD = 60, /* ranged only */
    DISTANT = 80, /* a far node */
    RANGE_CODE = 64
};

CAIRN_NODE_DEFINE(other, NEIGHBOURS, WAYS);

static cairn_node_cfg_t other_cfg;
static copy_t before;
static cairn_beacon_t said;
static const cairn_real teller_m[2] = {20, 10};
static const cairn_real asker_m[2] = {5, 15};

/* --- what is heard and said ---------------------------------------------------------------------------------------- */

/* A placed node says where it is, and that another one lies so many steps off; CAIRN_BEACON_ASKED: asks for it. */
static void hear_of(cairn_node_t *node, uint16_t from, const cairn_real *place_m, uint16_t id, int8_t x, int8_t y)
{
    cairn_beacon_t beacon;
    size_t length;
    memset(&beacon, 0, sizeof beacon);
    beacon.network = 1;
    beacon.id = from;
    beacon.sequence = ++sequence;
    beacon.stage = CAIRN_STAGE_PLACED;
    beacon.kind = CAIRN_BEACON_KIND_PEERS;
    beacon.deviation = 20;
    beacon.place[0] = (int16_t)(place_m[0] / cfg.grid_m);
    beacon.place[1] = (int16_t)(place_m[1] / cfg.grid_m);
    beacon.n_entries = 1;
    beacon.peer[0].id = id;
    beacon.peer[0].offset[0] = x;
    beacon.peer[0].offset[1] = y;
    beacon.peer[0].range = x == CAIRN_BEACON_ASKED ? 0 : RANGE_CODE;
    length = cairn_beacon_encode(&beacon, frame, sizeof frame);
    CHECK_EQ(cairn_node_on_range(node, from, cairn_distance(place_m, truth_m, 2), now_us), CAIRN_OK);
    CHECK_EQ(cairn_node_on_beacon(node, frame, length, now_us), CAIRN_OK);
}

static void hear_ask(uint16_t id) { hear_of(&tag, ASKER, asker_m, id, CAIRN_BEACON_ASKED, 0); }

/* The next beacon that carries neighbours; false: it is none of the next four. */
static bool say_peers(void)
{
    for (int i = 0; i < 4; ++i) {
        const size_t length = cairn_node_beacon(&tag, sent, sizeof sent, now_us);
        CHECK_EQ(cairn_beacon_decode(sent, length, &said), CAIRN_OK);
        if (said.kind == CAIRN_BEACON_KIND_PEERS) {
            return true;
        }
    }
    return false;
}

/* Whether the node asks for a place while it goes through its table, two neighbours a beacon. */
static bool asks_for(uint16_t id)
{
    bool asks = false;
    for (int i = 0; i < NEIGHBOURS / 2 && say_peers(); ++i) {
        for (size_t k = 0; k < said.n_entries; ++k) {
            asks = asks || (said.peer[k].id == id && said.peer[k].offset[0] == CAIRN_BEACON_ASKED);
        }
    }
    return asks;
}

/* Anchors are heard, time passes, nothing is said. */
static void listen(void)
{
    ++sequence;
    now_us += ROUND_US;
    for (int i = 0; i < ANCHORS; ++i) {
        hear((uint16_t)(i + 1), anchor_m[i], CAIRN_STAGE_ANCHOR, anchor_range(i));
    }
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
}

static void range_unheard(void)
{
    CHECK_EQ(cairn_node_on_range(&tag, UNHEARD, 15, now_us), CAIRN_OK);
    CHECK(cairn_node_find(&tag, UNHEARD) != NULL);
}

static bool has_place(uint16_t id)
{
    const cairn_node_neighbour_t *neighbour = cairn_node_find(&tag, id);
    return neighbour != NULL && (neighbour->flags & NEIGHBOUR_PLACE) != 0;
}

/* --- asks ---------------------------------------------------------------------------------------------------------- */

TEST(test_node_should_ask_for_the_place_of_a_neighbour_when_it_is_loose_for_40_rounds_and_nobody_has_told_it)
{
    unsigned n_silent = 0;
    unsigned n_asking = 0;
    begin();
    for (int round = 0; round < STEPS; ++round) {
        bool asks;
        play(0, ANCHORS);
        range_unheard();
        asks = asks_for(UNHEARD);
        CHECK_EQ(asks, tag.rounds_loose > 40);
        n_silent += !asks && say_peers();
        n_asking += asks;
    }
    CHECK(n_silent > 4 && n_asking > 4); /* both kinds of rounds were seen */
    hear_of(&tag, TELLER, teller_m, DISTANT, 20, 20);
    CHECK(asks_for(UNHEARD));
    hear_of(&tag, TELLER, teller_m, UNHEARD, 0, 14);
    CHECK(say_peers());
    for (int round = 0; round < STEPS; ++round) {
        play(0, ANCHORS);
        range_unheard();
        CHECK(!asks_for(UNHEARD));
    }
}

TEST(test_node_should_not_ask_for_a_neighbour_without_a_place_when_it_hears_it)
{
    unsigned n_said = 0;
    begin();
    for (int round = 0; round < 2 * STEPS; ++round) {
        play(0, ANCHORS);
        hear(UNHEARD, teller_m, CAIRN_STAGE_UNPLACED, cairn_distance(teller_m, truth_m, 2));
        CHECK(!asks_for(UNHEARD));
        CHECK(!has_place(UNHEARD));
        n_said += tag.rounds_loose > 40 && say_peers();
    }
    CHECK(n_said > STEPS);
}

/* --- answers ------------------------------------------------------------------------------------------------------- */

/* The next beacons with neighbours: whether each tells neighbours of this node alone. */
static void check_no_answer(void)
{
    for (int i = 0; i < NEIGHBOURS / 2; ++i) {
        CHECK(say_peers());
        for (size_t k = 0; k < said.n_entries; ++k) {
            CHECK(cairn_node_find(&tag, said.peer[k].id) != NULL);
        }
    }
}

TEST(test_node_should_answer_once_and_before_all_else_when_it_is_asked_for_a_far_node)
{
    settle();
    hear_of(&tag, TELLER, teller_m, DISTANT, 64, -30);
    check_no_answer(); /* nobody has asked */
    hear_ask(DISTANT);
    REQUIRE(say_peers());
    REQUIRE(said.n_entries > 0);
    CHECK_EQ(said.peer[0].id, DISTANT);
    for (int k = 0; k < 2; ++k) {
        const cairn_real step_m = cfg.radius_m / CAIRN_BEACON_OFFSET;
        const cairn_real expected_m = teller_m[k] + step_m * (cairn_real)(k == 0 ? 64 : -30);
        CHECK_NEAR(cfg.grid_m * (cairn_real)said.place[k] + step_m * (cairn_real)said.peer[0].offset[k], expected_m,
                   step_m);
    }
    CHECK_EQ(said.n_entries, 2);
    check_no_answer();
}

/* With a table of far nodes that has room, and with one that has none. */
TEST(test_node_should_not_answer_when_it_does_not_know_the_node)
{
    settle();
    for (int full = 0; full < 2; ++full) {
        for (uint16_t id = DISTANT; id < DISTANT + CAIRN_NODE_FAR(NEIGHBOURS) && full > 0; ++id) {
            hear_of(&tag, TELLER, teller_m, id, 64, -30);
        }
        hear_ask(DISTANT + 40);
        check_no_answer();
        hear_ask(UINT16_MAX);
        check_no_answer();
        hear_ask(cfg.id);
        check_no_answer();
    }
}

/* Asked while it knew the node, and when it knew it no more. */
TEST(test_node_should_not_answer_when_what_it_knew_has_expired)
{
    settle();
    hear_of(&tag, TELLER, teller_m, DISTANT, 64, -30);
    hear_ask(DISTANT);
    for (unsigned round = 0; round <= FAR_ROUNDS; ++round) {
        listen();
    }
    check_no_answer();
    hear_ask(DISTANT);
    check_no_answer();
}

/* The first one is beyond all codes, the other at the one that asks. */
TEST(test_node_should_not_answer_when_the_place_is_beyond_what_an_offset_can_tell)
{
    static const cairn_real west_m[2] = {-10, 7};
    settle();
    hear_of(&tag, TELLER, teller_m, DISTANT, 120, 0);
    hear_ask(DISTANT);
    check_no_answer();
    hear_of(&tag, TELLER + 2, west_m, DISTANT + 1, -94, 0);
    hear_ask(DISTANT + 1);
    check_no_answer();
    CHECK(!asks_for(DISTANT + 1));
}

TEST(test_ask_should_make_no_far_node_and_move_no_neighbour_when_it_is_heard)
{
    static const uint16_t asked[] = {UNHEARD, 1, DISTANT, DISTANT + 1};
    settle();
    range_unheard();
    hear_of(&tag, TELLER, teller_m, UNHEARD, 0, 14);
    hear_of(&tag, TELLER, teller_m, DISTANT, 64, -30);
    hear_ask(DISTANT);
    CHECK(has_place(UNHEARD));
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; ++i) {
        keep(&before);
        hear_ask(asked[i]);
        CHECK_MEM(tag_far, before.far, sizeof tag_far);
        for (size_t k = 0; k < NEIGHBOURS; ++k) {
            CHECK_MEM(tag_neighbours[k].place, before.neighbours[k].place, sizeof tag_neighbours[k].place);
            CHECK(tag_neighbours[k].id == ASKER || tag_neighbours[k].flags == before.neighbours[k].flags);
        }
    }
}

/* --- there and back ------------------------------------------------------------------------------------------------ */

static void begin_other(void)
{
    begin();
    other_cfg = cfg;
    other_cfg.id = TELLER;
    CHECK_EQ(cairn_node_init(&other, &other_cfg, &other_memory, 1), CAIRN_OK);
}

static void pass(cairn_node_t *from, cairn_node_t *to, cairn_real range_m)
{
    const size_t length = cairn_node_beacon(from, sent, sizeof sent, now_us);
    CHECK_EQ(cairn_node_on_range(to, from->id, range_m, now_us), CAIRN_OK);
    CHECK_EQ(cairn_node_on_beacon(to, sent, length, now_us), CAIRN_OK);
}

/* A round of both: each hears the anchors and the other; the second one also a node that tells of the unheard one. */
static void play_both(const cairn_real *other_m)
{
    static const cairn_real third_m[2] = {(cairn_real)11.5, (cairn_real)20.5}; /* as far from one as from the other */
    const cairn_real apart_m = cairn_distance(truth_m, other_m, 2);
    ++sequence;
    now_us += ROUND_US;
    for (int i = 0; i < ANCHORS; ++i) {
        const size_t length = make_frame((uint16_t)(i + 1), anchor_m[i], CAIRN_STAGE_ANCHOR);
        const cairn_real range_m = cairn_distance(anchor_m[i], other_m, 2);
        CHECK_EQ(cairn_node_on_range(&other, (uint16_t)(i + 1), range_m, now_us), CAIRN_OK);
        CHECK_EQ(cairn_node_on_beacon(&other, frame, length, now_us), CAIRN_OK);
        hear((uint16_t)(i + 1), anchor_m[i], CAIRN_STAGE_ANCHOR, anchor_range(i));
    }
    --sequence; /* that of the third */
    hear_of(&other, ASKER, third_m, UNHEARD, 14, -2);
    range_unheard();
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
    CHECK_EQ(cairn_node_tick(&other, now_us), CAIRN_OK);
    pass(&tag, &other, apart_m);
    pass(&other, &tag, apart_m);
}

TEST(test_node_should_have_the_place_of_a_neighbour_when_it_has_asked_one_that_knows_it_as_a_far_node)
{
    int n_rounds = 0;
    begin_other();
    while (tag.rounds_loose <= 40 && n_rounds < STEPS) {
        CHECK(!has_place(UNHEARD));
        play_both(teller_m);
        ++n_rounds;
    }
    REQUIRE(n_rounds < STEPS);
    for (int round = 0; round < 10; ++round) {
        play_both(teller_m);
    }
    REQUIRE(has_place(UNHEARD));
    CHECK_NEAR(cfg.grid_m * (cairn_real)cairn_node_find(&tag, UNHEARD)->place[0], 11.5 + 14 * 0.625, 0.625);
    CHECK_NEAR(cfg.grid_m * (cairn_real)cairn_node_find(&tag, UNHEARD)->place[1], 20.5 - 2 * 0.625, 0.625);
    CHECK(cairn_node_find(&tag, UNHEARD)->flags & NEIGHBOUR_RELAYED);
}

/* --- drift --------------------------------------------------------------------------------------------------------- */

/* A settled node with a neighbour that is told but not heard, an anchor that two tell, and one that is heard. */
static void begin_drift(cairn_real x_m, cairn_real y_m)
{
    static const int16_t place[2] = {2300, 700};
    settle();
    range_unheard();
    CHECK_EQ(cairn_node_on_range(&tag, UNHEARD + 1, 12, now_us), CAIRN_OK);
    hear_of(&tag, TELLER, teller_m, UNHEARD, 0, 14);
    cairn_node_relay(&tag, TELLER, UNHEARD + 1, place, CAIRN_STAGE_ANCHOR);
    cairn_node_relay(&tag, ASKER, UNHEARD + 1, place, CAIRN_STAGE_ANCHOR);
    CHECK_EQ(cairn_node_find(&tag, UNHEARD + 1)->stage, CAIRN_STAGE_ANCHOR);
    tag.drift_m[0] = x_m;
    tag.drift_m[1] = y_m;
}

/* fault: a frame longer than the air has room for. A sensor and an anchor among more neighbours than a beacon tells. */
TEST(test_beacon_should_be_short_when_a_node_is_in_operation)
{
    static const cairn_real here_m[2] = {0, 0};
    for (int anchor = 0; anchor < 2; ++anchor) {
        test_context("anchor", (uint32_t)anchor);
        begin();
        cfg.options = anchor ? CAIRN_NODE_IS_ANCHOR : 0;
        CHECK_EQ(cairn_node_init(&tag, &cfg, &tag_memory, 1), CAIRN_OK);
        for (int round = 0; round < STEPS; ++round) {
            size_t length = 0;
            for (uint16_t i = 0; i < NEIGHBOURS; ++i) {
                const cairn_real at_m[2] = {(cairn_real)(3 * i + 1), (cairn_real)(i % 3)};
                hear((uint16_t)(200u + i), at_m, CAIRN_STAGE_PLACED, cairn_distance(at_m, here_m, 2));
            }
            ++sequence;
            now_us += ROUND_US;
            CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
            length = cairn_node_beacon(&tag, sent, sizeof sent, now_us);
            CHECK(length >= CAIRN_BEACON_HEADER);
            CHECK(length <= CAIRN_BEACON_BYTES || round < STEPS / 2);
        }
    }
}

TEST(test_places_should_drift_with_the_node_when_they_were_told_and_are_no_anchors)
{
    begin_drift((cairn_real)0.034, (cairn_real)-0.056);
    for (int round = 1; round < 4; ++round) {
        keep(&before);
        cairn_node_age(&tag);
        for (size_t i = 0; i < NEIGHBOURS; ++i) {
            const bool drifts = tag_neighbours[i].id == UNHEARD;
            CHECK_EQ(tag_neighbours[i].place[0], before.neighbours[i].place[0] + (drifts ? 3 : 0));
            CHECK_EQ(tag_neighbours[i].place[1], before.neighbours[i].place[1] + (drifts ? -6 : 0));
        }
    }
}

TEST(test_places_should_stop_at_the_end_of_the_grid_when_they_drift)
{
    cairn_node_neighbour_t *unheard;
    begin_drift(3, -3);
    unheard = cairn_node_find(&tag, UNHEARD);
    unheard->place[0] = GRID_MAX - 2;
    unheard->place[1] = 300 - GRID_MAX;
    cairn_node_age(&tag);
    CHECK_EQ(unheard->place[0], GRID_MAX);
    CHECK_EQ(unheard->place[1], -GRID_MAX);
    cairn_node_age(&tag);
    CHECK_EQ(unheard->place[0], GRID_MAX);
    CHECK_EQ(unheard->place[1], -GRID_MAX);
}

TEST(test_drift_should_be_a_part_of_the_slow_mean_of_the_velocity_when_a_node_descends)
{
    cairn_real mean_m[2] = {0, 0};
    begin();
    cfg.noise_abs_m = 2;
    CHECK_EQ(cairn_node_set_place(&tag, teller_m, 0), CAIRN_OK);
    for (int round = 0; round < 20; ++round) {
        listen();
        for (size_t k = 0; k < 2; ++k) {
            mean_m[k] += (tag.velocity_m[k] - mean_m[k]) / 10;
            CHECK_NEAR(tag.drift_m[k], mean_m[k] * 7 / 10, 1e-5);
        }
        CHECK(round > 4 || cairn_dot(mean_m, mean_m, 2) > 0);
    }
}

TEST(test_places_should_not_drift_when_nodes_move)
{
    begin_drift(1, 1);
    cfg.move_m = 1;
    keep(&before);
    cairn_node_age(&tag);
    for (size_t i = 0; i < NEIGHBOURS; ++i) {
        CHECK_MEM(tag_neighbours[i].place, before.neighbours[i].place, sizeof tag_neighbours[i].place);
    }
}

TEST(test_node_should_have_no_drift_when_it_gives_its_place_up_or_is_told_another_one)
{
    for (int told = 0; told < 2; ++told) {
        begin_drift(1, -1);
        if (told) {
            CHECK_EQ(cairn_node_set_place(&tag, teller_m, 0), CAIRN_OK);
        } else {
            cairn_node_lose(&tag);
        }
        CHECK(!(cairn_dot(tag.drift_m, tag.drift_m, 2) > 0));
    }
}

TEST(test_drift_should_be_along_the_axis_when_a_node_stays_on_it)
{
    begin();
    truth_m[1] = 0;
    CHECK_EQ(cairn_node_set_place(&tag, teller_m, 0), CAIRN_OK);
    tag.axis = true;
    for (int round = 0; round < 4; ++round) {
        listen();
    }
    CHECK(tag.drift_m[0] < 0);
    CHECK(!(tag.drift_m[1] > 0 || tag.drift_m[1] < 0));
}

/* --- the right side ------------------------------------------------------------------------------------------------ */

enum { NEAR = 6, SPRING = 12, TRIAL = 24 /* rounds from one trial to the next */ };

/* A round in which the first `n` places are heard as those of placed nodes. */
static void play_near(const cairn_real (*near_m)[2], uint16_t n)
{
    ++sequence;
    now_us += ROUND_US;
    for (uint16_t i = 0; i < n; ++i) {
        hear((uint16_t)(i + 1), near_m[i], CAIRN_STAGE_PLACED, cairn_distance(near_m[i], truth_m, 2));
    }
    CHECK_EQ(cairn_node_tick(&tag, now_us), CAIRN_OK);
}

/* From where the node begins, neither the mean of its neighbours nor the mirror image in the axis of their scatter leads to
 * where it is: the first trial fails. Each neighbour is once the centre of a reflection in as many trials. */
TEST(test_node_should_find_its_place_when_the_other_side_of_some_neighbours_alone_leads_there)
{
    static const cairn_real near_m[2][NEAR][2] = {{{48, 17}, {69, 33}, {73, 37}, {13, 58}, {11, 59}, {49, 43}},
                                                  {{83, 31}, {59, 89}, {54, 78}, {88, 35}, {62, 53}, {56, 87}}};
    static const cairn_real wrong_m[2][2] = {{44, 39}, {81, 42}};
    for (uint32_t shape = 0; shape < 2; ++shape) {
        test_context("shape", shape);
        begin();
        cfg.radius_m = 45;
        cfg.noise_abs_m = (cairn_real)1.5;
        truth_m[0] = 50;
        truth_m[1] = 50;
        CHECK_EQ(cairn_node_set_place(&tag, wrong_m[shape], 0), CAIRN_OK);
        for (int round = 1; round <= SPRING + NEAR * TRIAL; ++round) {
            play_near(near_m[shape], NEAR);
            CHECK(round < SPRING || round > SPRING + TRIAL || error_m() > 8);
        }
        CHECK(error_m() < (cairn_real)0.1);
        CHECK_EQ(cairn_node_get_counters(&tag)->n_mirrors, 1);
        CHECK_EQ(cairn_node_get_counters(&tag)->n_relocks, 0);
    }
}

/* Neighbours nearly on a line show two places. The node is at one of them; the other one fits its ranges better, but there
 * a far node pushes, so hard that it costs more once the node has gone there and is settled no longer. */
TEST(test_node_should_stay_when_it_is_settled_and_far_nodes_push_where_its_ranges_fit_better)
{
    static const cairn_real near_m[4][2] = {{0, 1}, {10, -1}, {20, 2}, {30, 0}};
    static const cairn_real image_m[2] = {11, -5};
    uint16_t n_settled = 0;
    begin();
    cfg.noise_abs_m = (cairn_real)1.4;
    CHECK_EQ(cairn_node_set_place(&tag, image_m, 0), CAIRN_OK);
    for (int round = 0; round < 200; ++round) {
        hear_of(&tag, 4, near_m[3], DISTANT, -30, 60);
        play_near(near_m, 3);
        n_settled = (uint16_t)(n_settled + (tag.stage == CAIRN_STAGE_PLACED && tag.rounds_loose > SETTLED_ROUNDS));
    }
    CHECK(n_settled > 100);
    CHECK_EQ(cairn_node_get_counters(&tag)->n_mirrors, 0);
}

TEST_MAIN(
    TEST_CASE(test_node_should_ask_for_the_place_of_a_neighbour_when_it_is_loose_for_40_rounds_and_nobody_has_told_it),
    TEST_CASE(test_node_should_not_ask_for_a_neighbour_without_a_place_when_it_hears_it),
    TEST_CASE(test_node_should_answer_once_and_before_all_else_when_it_is_asked_for_a_far_node),
    TEST_CASE(test_node_should_not_answer_when_it_does_not_know_the_node),
    TEST_CASE(test_node_should_not_answer_when_what_it_knew_has_expired),
    TEST_CASE(test_node_should_not_answer_when_the_place_is_beyond_what_an_offset_can_tell),
    TEST_CASE(test_ask_should_make_no_far_node_and_move_no_neighbour_when_it_is_heard),
    TEST_CASE(test_node_should_have_the_place_of_a_neighbour_when_it_has_asked_one_that_knows_it_as_a_far_node),
    TEST_CASE(test_beacon_should_be_short_when_a_node_is_in_operation),
    TEST_CASE(test_places_should_drift_with_the_node_when_they_were_told_and_are_no_anchors),
    TEST_CASE(test_places_should_stop_at_the_end_of_the_grid_when_they_drift),
    TEST_CASE(test_drift_should_be_a_part_of_the_slow_mean_of_the_velocity_when_a_node_descends),
    TEST_CASE(test_places_should_not_drift_when_nodes_move),
    TEST_CASE(test_node_should_have_no_drift_when_it_gives_its_place_up_or_is_told_another_one),
    TEST_CASE(test_drift_should_be_along_the_axis_when_a_node_stays_on_it),
    TEST_CASE(test_node_should_find_its_place_when_the_other_side_of_some_neighbours_alone_leads_there),
    TEST_CASE(test_node_should_stay_when_it_is_settled_and_far_nodes_push_where_its_ranges_fit_better))
