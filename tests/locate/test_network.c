/* SPDX-License-Identifier: MIT
 * Tests of network: refusals and counters, capacities, order of arrival, folding, deviations, large coordinates. */
#include "cairn/network.h"
#include "oracle/random.h"
#include "oracle/solve.h"
#include "support/test.h"

enum { NODES = 8, RANGES = 24, DIM = 2, GUARD = 8 };

/* Arrays with guards on both ends; all lengths in elements of their type. */
static struct {
    uint8_t links[GUARD + 2 * RANGES * sizeof(cairn_link_t) + GUARD];
    uint8_t rows[GUARD + 2 * (NODES + 1) * sizeof(uint32_t) + GUARD];
    uint8_t place[GUARD + NODES * DIM * sizeof(cairn_real) + GUARD];
    uint8_t std[GUARD + NODES * sizeof(cairn_real) + GUARD];
    uint8_t flags[GUARD + NODES + GUARD];
    cairn_real align; /* of the struct */
} arena;

static struct {
    cairn_network_t network;
    uint8_t arena[sizeof arena];
} before;

static cairn_network_t net;
static const cairn_network_cfg_t plain_cfg = {DIM, (cairn_real)0.05, (cairn_real)0.1, 100};

static void guard(uint8_t *array, size_t bytes)
{
    memset(array, 0xC3, GUARD);
    memset(array + GUARD + bytes, 0xC3, GUARD);
}

static bool is_intact(const uint8_t *array, size_t bytes)
{
    bool intact = true;
    for (size_t i = 0; i < GUARD; ++i) {
        intact = intact && array[i] == 0xC3 && array[GUARD + bytes + i] == 0xC3;
    }
    return intact;
}

/* Guards stand right behind what a network of this size may use. */
static cairn_network_memory_t memory_for(size_t ranges, int fill)
{
    cairn_network_memory_t memory;
    memset(&arena, fill, sizeof arena);
    guard(arena.links, 2u * ranges * sizeof(cairn_link_t));
    guard(arena.rows, sizeof arena.rows - 2u * GUARD);
    guard(arena.place, sizeof arena.place - 2u * GUARD);
    guard(arena.std, sizeof arena.std - 2u * GUARD);
    guard(arena.flags, sizeof arena.flags - 2u * GUARD);
    memory.links = (cairn_link_t *)(void *)(arena.links + GUARD);
    memory.n_links = 2u * ranges;
    memory.rows = (uint32_t *)(void *)(arena.rows + GUARD);
    memory.n_rows = 2u * (NODES + 1u);
    memory.place_m = (cairn_real *)(void *)(arena.place + GUARD);
    memory.n_place = NODES * DIM;
    memory.std_m = (cairn_real *)(void *)(arena.std + GUARD);
    memory.n_std = NODES;
    memory.flags = arena.flags + GUARD;
    memory.n_flags = NODES;
    return memory;
}

static bool begin(size_t ranges, const cairn_network_cfg_t *cfg, int fill)
{
    cairn_network_memory_t memory = memory_for(ranges, fill);
    memset(&net, fill, sizeof net);
    return CHECK_EQ(cairn_network_init(&net, cfg, &memory, NODES), CAIRN_OK);
}

static void check_guards(size_t ranges)
{
    CHECK(is_intact(arena.links, 2u * ranges * sizeof(cairn_link_t)));
    CHECK(is_intact(arena.rows, sizeof arena.rows - 2u * GUARD));
    CHECK(is_intact(arena.place, sizeof arena.place - 2u * GUARD));
    CHECK(is_intact(arena.std, sizeof arena.std - 2u * GUARD));
    CHECK(is_intact(arena.flags, sizeof arena.flags - 2u * GUARD));
}

static void remember(void)
{
    memcpy(&before.network, &net, sizeof net);
    memcpy(before.arena, &arena, sizeof arena);
}

/* Nothing but the counters differs from what was remembered. */
static void check_unchanged(void)
{
    before.network.counters = net.counters;
    CHECK_MEM(&net, &before.network, sizeof net);
    CHECK_MEM(&arena, before.arena, sizeof arena);
}

static uint32_t counted(void)
{
    const cairn_network_counters_t *c = &net.counters;
    return c->n_nonfinite + c->n_range + c->n_unknown_id + c->n_self + c->n_full + c->n_merged;
}

TEST(test_init_should_refuse_and_change_nothing_when_a_setting_is_bad)
{
    static const struct {
        cairn_network_cfg_t cfg;
        cairn_status status;
    } cases[] = {
        {{0, 0, 0, 0}, CAIRN_ERR_ARG},
        {{CAIRN_LOCATE_DIM_MAX + 1, 0, 0, 0}, CAIRN_ERR_ARG},
        {{2, -1, 0, 0}, CAIRN_ERR_ARG},
        {{2, (cairn_real)10.1, 0, 0}, CAIRN_ERR_ARG},
        {{2, 0, -1, 0}, CAIRN_ERR_ARG},
        {{2, 0, 0, -1}, CAIRN_ERR_ARG},
        {{2, (cairn_real)NAN, 0, 0}, CAIRN_ERR_NONFINITE},
        {{2, 0, (cairn_real)INFINITY, 0}, CAIRN_ERR_NONFINITE},
        {{2, 0, 0, (cairn_real)NAN}, CAIRN_ERR_NONFINITE},
        {{2, 0, 0, (cairn_real)-INFINITY}, CAIRN_ERR_NONFINITE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        cairn_network_memory_t memory = memory_for(RANGES, 0x77);
        test_context("case", (uint32_t)i);
        memset(&net, 0x77, sizeof net);
        remember();
        CHECK_EQ(cairn_network_init(&net, &cases[i].cfg, &memory, NODES), cases[i].status);
        check_unchanged();
    }
}

/* Spoils one thing at a time; the last spoiled thing is none. */
static cairn_status init_spoiled(int what)
{
    cairn_network_memory_t memory = memory_for(RANGES, 0x77);
    memset(&net, 0x77, sizeof net);
    switch (what) {
    case 0: memory.links = NULL; break;
    case 1: memory.rows = NULL; break;
    case 2: memory.place_m = NULL; break;
    case 3: memory.std_m = NULL; break;
    case 4: memory.flags = NULL; break;
    case 5: memory.n_links = 1u; break;
    case 6: memory.n_rows -= 1u; break;
    case 7: memory.n_place -= 1u; break;
    case 8: memory.n_std -= 1u; break;
    case 9: memory.n_flags -= 1u; break;
    case 10: memory.links = (cairn_link_t *)(void *)(arena.links + GUARD + 1); break;
    case 11: memory.rows = (uint32_t *)(void *)(arena.rows + GUARD + 2); break;
    case 12: memory.place_m = (cairn_real *)(void *)(arena.place + GUARD + 1); break;
    case 13: memory.std_m = (cairn_real *)(void *)(arena.std + GUARD + 2); break;
    default: break;
    }
    remember();
    return cairn_network_init(&net, &plain_cfg, &memory, NODES);
}

TEST(test_init_should_refuse_and_change_nothing_when_an_array_is_missing_short_or_misaligned)
{
    for (int what = 0; what < 14; ++what) {
        test_context("spoiled", (uint32_t)what);
        CHECK_EQ(init_spoiled(what), what < 5 ? CAIRN_ERR_ARG : what < 10 ? CAIRN_ERR_SIZE : CAIRN_ERR_ALIGN);
        check_unchanged();
    }
    CHECK_EQ(init_spoiled(14), CAIRN_OK);
}

TEST(test_init_should_refuse_when_a_pointer_is_null_or_the_number_of_nodes_is_out_of_range)
{
    cairn_network_memory_t memory = memory_for(RANGES, 0);
    CHECK_EQ(cairn_network_init(NULL, &plain_cfg, &memory, NODES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_init(&net, NULL, &memory, NODES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_init(&net, &plain_cfg, NULL, NODES), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_init(&net, &plain_cfg, &memory, 0u), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_init(&net, &plain_cfg, &memory, (size_t)CAIRN_NETWORK_NODES_MAX + 1u), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_init(&net, &plain_cfg, &memory, NODES + 1u), CAIRN_ERR_SIZE);
}

static uint32_t hash_links(uint32_t hash)
{
    for (uint32_t node = 0; node < NODES; ++node) {
        for (uint32_t j = 0; j < cairn_network_degree(&net, node); ++j) {
            const cairn_link_t *link = cairn_network_link(&net, node, j);
            hash = hash_u32(hash, link->node_and_std);
            hash = hash_bytes(hash, &link->range_m, sizeof link->range_m);
        }
    }
    return hash;
}

static void add_small_world(void)
{
    static const cairn_real place[2] = {3, 4};
    CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 5, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&net, 2u, 1u, 6, 1), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&net, 1u, 2u, 8, 1), CAIRN_OK);
    CHECK_EQ(cairn_network_set_anchor(&net, 3u, place), CAIRN_OK);
    CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
}

TEST(test_init_should_lead_to_the_same_results_when_memory_held_other_bytes)
{
    static const int fills[3] = {0x00, 0xA5, 0xFF};
    uint32_t hash[3];
    for (int f = 0; f < 3; ++f) {
        REQUIRE(begin(RANGES, &plain_cfg, fills[f]));
        for (uint32_t node = 0; node < NODES; ++node) {
            cairn_real place[2];
            CHECK_EQ(cairn_network_get_place(&net, node, place, NULL), CAIRN_UNPLACED);
        }
        add_small_world();
        hash[f] = hash_links(HASH_START);
        CHECK_EQ(net.counters.n_merged, 1);
        CHECK_EQ(counted(), 1);
    }
    CHECK_EQ(hash[0], hash[1]);
    CHECK_EQ(hash[0], hash[2]);
}

TEST(test_add_range_should_refuse_count_and_keep_every_byte_when_the_range_is_bad)
{
    static const struct {
        uint32_t a, b;
        cairn_real range_m, std_m;
        cairn_status status;
    } cases[] = {
        {0, 1, 0, 0, CAIRN_ERR_RANGE},
        {0, 1, (cairn_real)-0.0, 0, CAIRN_ERR_RANGE},
        {0, 1, -5, 0, CAIRN_ERR_RANGE},
        {0, 1, (cairn_real)100.01, 0, CAIRN_ERR_RANGE},
        {0, 1, CAIRN_REAL_MAX, 0, CAIRN_ERR_RANGE},
        {0, 1, (cairn_real)NAN, 0, CAIRN_ERR_NONFINITE},
        {0, 1, (cairn_real)INFINITY, 0, CAIRN_ERR_NONFINITE},
        {0, 1, (cairn_real)-INFINITY, 0, CAIRN_ERR_NONFINITE},
        {0, 1, 5, (cairn_real)NAN, CAIRN_ERR_NONFINITE},
        {0, 1, 5, (cairn_real)INFINITY, CAIRN_ERR_NONFINITE},
        {NODES, 1, 5, 0, CAIRN_ERR_UNKNOWN_ID},
        {0, NODES, 5, 0, CAIRN_ERR_UNKNOWN_ID},
        {UINT32_MAX, 1, 5, 0, CAIRN_ERR_UNKNOWN_ID},
        {0, 0x1000001u, 5, 0, CAIRN_ERR_UNKNOWN_ID},
        {4, 4, 5, 0, CAIRN_ERR_SELF},
        {0, 1, 5, -1, CAIRN_ERR_ARG},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const cairn_network_counters_t *c = &net.counters;
        test_context("case", (uint32_t)i);
        REQUIRE(begin(RANGES, &plain_cfg, 0));
        CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 5, 0), CAIRN_OK);
        remember();
        CHECK_EQ(cairn_network_add_range(&net, cases[i].a, cases[i].b, cases[i].range_m, cases[i].std_m),
                 cases[i].status);
        check_unchanged();
        CHECK_EQ(counted(), cases[i].status == CAIRN_ERR_ARG ? 0 : 1);
        CHECK_EQ(c->n_range, cases[i].status == CAIRN_ERR_RANGE);
        CHECK_EQ(c->n_nonfinite, cases[i].status == CAIRN_ERR_NONFINITE);
        CHECK_EQ(c->n_unknown_id, cases[i].status == CAIRN_ERR_UNKNOWN_ID);
        CHECK_EQ(c->n_self, cases[i].status == CAIRN_ERR_SELF);
    }
    CHECK_EQ(cairn_network_add_range(NULL, 0u, 1u, 5, 0), CAIRN_ERR_ARG);
}

TEST(test_add_range_should_accept_the_limits_themselves_when_nothing_is_beyond_them)
{
    static const cairn_network_cfg_t no_limit = {DIM, 0, 1, 0};
    REQUIRE(begin(RANGES, &plain_cfg, 0));
    CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 100, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, CAIRN_NETWORK_LENGTH_LEAST, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, CAIRN_NETWORK_LENGTH_LEAST / 2, 0), CAIRN_ERR_RANGE);
    REQUIRE(begin(RANGES, &no_limit, 0));
    CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, CAIRN_NETWORK_LENGTH_MOST, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 2 * CAIRN_NETWORK_LENGTH_MOST, 0), CAIRN_ERR_RANGE);
}

TEST(test_add_range_should_be_full_count_and_keep_every_byte_when_beyond_capacity)
{
    for (uint32_t capacity = 1; capacity <= RANGES; capacity += capacity < 3u ? 1u : 7u) {
        test_context("capacity", capacity);
        REQUIRE(begin(capacity, &plain_cfg, 0));
        for (uint32_t i = 0; i < capacity; ++i) {
            CHECK_EQ(cairn_network_add_range(&net, i % 7u, 7u, 1, 0), CAIRN_OK);
        }
        remember();
        CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 1, 0), CAIRN_FULL);
        CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 1, 0), CAIRN_FULL);
        check_unchanged();
        CHECK_EQ(net.counters.n_full, 2);
        CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
        check_guards(capacity);
    }
}

TEST(test_add_range_should_be_refused_when_sealed_until_cleared)
{
    REQUIRE(begin(RANGES, &plain_cfg, 0));
    add_small_world();
    remember();
    CHECK_EQ(cairn_network_add_range(&net, 0u, 4u, 1, 0), CAIRN_ERR_STATE);
    check_unchanged();
    CHECK_EQ(cairn_network_seal(&net), CAIRN_OK); /* sealing twice changes nothing */
    check_unchanged();
    CHECK_EQ(cairn_network_clear_ranges(&net), CAIRN_OK);
    CHECK_EQ(cairn_network_degree(&net, 1u), 0);
    CHECK_EQ(cairn_network_add_range(&net, 0u, 4u, 1, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_get_state(&net, 3u), CAIRN_NODE_ANCHOR);
    CHECK_EQ(cairn_network_seal(NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_clear_ranges(NULL), CAIRN_ERR_ARG);
}

/* Pairs of a small graph with repeats and reversals; order is a permutation of them. */
static void add_permuted(cairn_rng_t *rng)
{
    static const uint8_t pairs[][2] = {{0, 1}, {1, 0}, {5, 2}, {2, 5}, {2, 5}, {7, 6}, {3, 4},
                                       {4, 3}, {6, 0}, {7, 0}, {1, 7}, {0, 1}, {6, 5}, {2, 3}};
    enum { N_PAIRS = sizeof pairs / sizeof pairs[0] };
    uint8_t order[N_PAIRS];
    for (uint32_t i = 0; i < N_PAIRS; ++i) {
        order[i] = (uint8_t)i;
    }
    for (uint32_t i = N_PAIRS; rng != NULL && i-- > 1u;) {
        uint32_t j = cairn_rng_below(rng, i + 1u);
        uint8_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (uint32_t i = 0; i < N_PAIRS; ++i) {
        uint32_t k = order[i];
        cairn_real std = k % 3u == 0 ? 0 : (cairn_real)k / 4;
        CHECK_EQ(cairn_network_add_range(&net, pairs[k][0], pairs[k][1], 1 + (cairn_real)(k * k % 17u) / 8, std),
                 CAIRN_OK);
    }
}

TEST(test_seal_should_give_the_same_bytes_when_ranges_come_in_another_order)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 5u, 1u);
    REQUIRE(begin(RANGES, &plain_cfg, 0));
    add_permuted(NULL);
    CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
    remember();
    uint32_t hash = hash_links(HASH_START);
    for (uint32_t run = 0; run < 20u; ++run) {
        test_context("permutation", run);
        REQUIRE(begin(RANGES, &plain_cfg, 0));
        add_permuted(&rng);
        CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
        CHECK_MEM(&net, &before.network, sizeof net);
        CHECK_EQ(hash_links(HASH_START), hash);
        if (sizeof(cairn_link_t) == sizeof(uint32_t) + sizeof(cairn_real)) { /* no padding, whose bytes mean nothing */
            CHECK_MEM(&arena, before.arena, sizeof arena);
        }
    }
}

TEST(test_seal_should_give_symmetric_ascending_rows_when_pairs_repeat_and_reverse)
{
    uint32_t n_links = 0;
    REQUIRE(begin(RANGES, &plain_cfg, 0xA5));
    add_permuted(NULL);
    CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
    for (uint32_t node = 0; node < NODES; ++node) {
        for (uint32_t j = 0; j < cairn_network_degree(&net, node); ++j, ++n_links) {
            const cairn_link_t *link = cairn_network_link(&net, node, j);
            uint32_t other = cairn_link_node(link);
            bool mirrored = false;
            CHECK(other < NODES && other != node);
            CHECK(j == 0 || cairn_link_node(cairn_network_link(&net, node, j - 1u)) < other);
            for (uint32_t k = 0; k < cairn_network_degree(&net, other); ++k) {
                const cairn_link_t *back = cairn_network_link(&net, other, k);
                mirrored = mirrored || (cairn_link_node(back) == node && back->range_m == link->range_m &&
                                        back->node_and_std >> 24 == link->node_and_std >> 24);
            }
            CHECK(mirrored);
        }
        CHECK(cairn_network_link(&net, node, cairn_network_degree(&net, node)) == NULL);
    }
    CHECK_EQ(n_links, 2u * net.n_ranges);
    CHECK_EQ(net.n_ranges, 9);
    CHECK_EQ(net.counters.n_merged, 5);
    CHECK_EQ(cairn_network_degree(&net, NODES), 0);
    CHECK(cairn_network_link(&net, NODES, 0u) == NULL);
    check_guards(RANGES);
}

TEST(test_seal_should_fold_repeats_into_the_mean_weighted_by_inverse_variance_when_deviations_are_given)
{
    static const double ranges[3] = {5.0, 6.0, 9.0};
    static const double stds[3] = {0.5, 1.0, 2.0}; /* powers of two: kept exactly */
    double sum = 0.0, weights = 0.0;
    REQUIRE(begin(RANGES, &plain_cfg, 0));
    for (int i = 0; i < 3; ++i) {
        uint32_t a = i == 1 ? 6u : 2u;
        CHECK_EQ(cairn_network_add_range(&net, a, 8u - a, (cairn_real)ranges[i], (cairn_real)stds[i]), CAIRN_OK);
        sum += ranges[i] / (stds[i] * stds[i]);
        weights += 1.0 / (stds[i] * stds[i]);
    }
    CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
    CHECK_EQ(cairn_network_degree(&net, 2u), 1);
    const cairn_link_t *link = cairn_network_link(&net, 2u, 0u);
    REQUIRE(link != NULL);
    CHECK_NEAR(link->range_m, sum / weights, 8.0 * (double)CAIRN_REAL_EPSILON * 9.0);
    double std = oracle_sqrt((double)cairn_network_variance(&net, link, 5));
    CHECK_NEAR(std, 1.0 / oracle_sqrt(weights), 0.07 / oracle_sqrt(weights)); /* 3 significant bits */
}

TEST(test_seal_should_weigh_repeats_by_the_noise_of_cfg_when_no_deviation_is_given)
{
    static const double ranges[2] = {10.0, 12.0};
    double sum = 0.0, weights = 0.0;
    REQUIRE(begin(RANGES, &plain_cfg, 0));
    for (int i = 0; i < 2; ++i) {
        double variance = 0.05 * 0.05 * ranges[i] * ranges[i] + 0.1 * 0.1;
        CHECK_EQ(cairn_network_add_range(&net, 0u, 7u, (cairn_real)ranges[i], 0), CAIRN_OK);
        sum += ranges[i] / variance;
        weights += 1.0 / variance;
    }
    CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
    CHECK_NEAR(cairn_network_link(&net, 7u, 0u)->range_m, sum / weights, 16.0 * (double)CAIRN_REAL_EPSILON * 12.0);
}

TEST(test_variance_should_keep_a_deviation_within_7_percent_when_between_its_limits)
{
    cairn_rng_t rng;
    cairn_rng_init(&rng, 6u, 1u);
    for (int run = 0; run < 300; ++run) {
        cairn_real std = (cairn_real)2e-5;
        for (uint32_t i = cairn_rng_below(&rng, 31u); i-- > 0u;) {
            std *= 2;
        }
        std *= 1 + random_between(&rng, 0, (cairn_real)0.4);
        REQUIRE(begin(RANGES, &plain_cfg, 0));
        CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 1, std), CAIRN_OK);
        CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
        /* at distance 0 the floor does not act */
        double kept = oracle_sqrt((double)cairn_network_variance(&net, cairn_network_link(&net, 0u, 0u), 0));
        CHECK_NEAR(kept, std, 0.07 * (double)std);
    }
}

TEST(test_variance_should_clamp_a_deviation_when_beyond_its_limits)
{
    static const double given[4] = {1e-30, 1e-6, 1e6, 1e30};
    static const double kept[4] = {17e-6, 17e-6, 61e3, 61e3};
    for (int i = 0; i < 4; ++i) {
        REQUIRE(begin(RANGES, &plain_cfg, 0));
        CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 1, (cairn_real)given[i]), CAIRN_OK);
        CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
        double std = oracle_sqrt((double)cairn_network_variance(&net, cairn_network_link(&net, 0u, 0u), 0));
        CHECK_NEAR(std, kept[i], 0.02 * kept[i]); /* the header's limits have two digits */
    }
}

TEST(test_variance_should_grow_with_the_estimated_distance_when_no_deviation_was_given)
{
    static const cairn_network_cfg_t exact = {DIM, 0, 0, 0};
    REQUIRE(begin(RANGES, &plain_cfg, 0));
    CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 1, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
    const cairn_link_t *link = cairn_network_link(&net, 0u, 0u);
    CHECK_NEAR(cairn_network_variance(&net, link, 20), 1.01, 8.0 * (double)CAIRN_REAL_EPSILON);
    CHECK_NEAR(cairn_network_variance(&net, link, 0), 0.01, 0.08 * (double)CAIRN_REAL_EPSILON);
    REQUIRE(begin(RANGES, &exact, 0));
    CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, 1, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
    link = cairn_network_link(&net, 0u, 0u);
    CHECK_NEAR(cairn_network_variance(&net, link, 100), 1e-4, 1e-6); /* the floor: (1e-4 x 100)^2 */
    CHECK(cairn_network_variance(&net, link, 0) > 0);
}

TEST(test_places_should_be_refused_counted_and_change_nothing_when_bad)
{
    cairn_real place[2] = {1, 2};
    cairn_real bad[2] = {1, (cairn_real)NAN};
    REQUIRE(begin(RANGES, &plain_cfg, 0));
    CHECK_EQ(cairn_network_set_anchor(&net, 0u, place), CAIRN_OK);
    remember();
    CHECK_EQ(cairn_network_set_anchor(&net, NODES, place), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(cairn_network_set_start(&net, UINT32_MAX, place), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(net.counters.n_unknown_id, 2);
    CHECK_EQ(cairn_network_set_anchor(&net, 1u, bad), CAIRN_ERR_NONFINITE);
    bad[1] = (cairn_real)INFINITY;
    CHECK_EQ(cairn_network_set_start(&net, 1u, bad), CAIRN_ERR_NONFINITE);
    CHECK_EQ(cairn_network_set_anchor(&net, 0u, bad), CAIRN_ERR_NONFINITE);
    CHECK_EQ(net.counters.n_nonfinite, 3);
    bad[1] = -2 * CAIRN_NETWORK_LENGTH_MOST;
    CHECK_EQ(cairn_network_set_anchor(&net, 1u, bad), CAIRN_ERR_RANGE);
    CHECK_EQ(cairn_network_set_start(&net, 1u, bad), CAIRN_ERR_RANGE);
    CHECK_EQ(net.counters.n_range, 2);
    CHECK_EQ(cairn_network_set_start(&net, 0u, place), CAIRN_REJECTED); /* an anchor stays one */
    CHECK_EQ(cairn_network_set_anchor(&net, 1u, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_set_anchor(NULL, 1u, place), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_set_start(&net, 1u, NULL), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_set_start(NULL, 1u, place), CAIRN_ERR_ARG);
    check_unchanged();
}

TEST(test_places_should_be_read_back_with_their_state_when_set)
{
    static const cairn_real anchor[2] = {-3, 4}, start[2] = {5, -6};
    cairn_real place[2] = {77, 78}, std = 79;
    REQUIRE(begin(RANGES, &plain_cfg, 0xA5));
    CHECK_EQ(cairn_network_get_place(&net, 0u, place, &std), CAIRN_UNPLACED);
    CHECK_EQ(cairn_network_get_place(&net, NODES, place, &std), CAIRN_ERR_UNKNOWN_ID);
    CHECK_EQ(cairn_network_get_place(NULL, 0u, place, &std), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_network_get_place(&net, 0u, NULL, &std), CAIRN_ERR_ARG);
    CHECK(place[0] == 77 && place[1] == 78 && std == 79);
    CHECK_EQ(cairn_network_get_state(&net, 1u), CAIRN_NODE_UNPLACED);
    CHECK_EQ(cairn_network_get_state(&net, NODES), CAIRN_NODE_UNPLACED);
    CHECK_EQ(cairn_network_set_start(&net, 1u, start), CAIRN_OK);
    CHECK_EQ(cairn_network_get_state(&net, 1u), CAIRN_NODE_STARTED);
    CHECK_EQ(cairn_network_set_anchor(&net, 1u, anchor), CAIRN_OK); /* replaces the start */
    CHECK_EQ(cairn_network_get_state(&net, 1u), CAIRN_NODE_ANCHOR);
    CHECK_EQ(net.n_anchors, 1);
    CHECK_EQ(net.n_starts, 0);
    CHECK_EQ(cairn_network_get_place(&net, 1u, place, &std), CAIRN_OK);
    CHECK(place[0] == -3 && place[1] == 4 && std == 0);
    CHECK_EQ(cairn_network_set_anchor(&net, 1u, start), CAIRN_OK); /* moves the anchor */
    CHECK_EQ(cairn_network_get_place(&net, 1u, place, NULL), CAIRN_OK);
    CHECK(place[0] == 5 && place[1] == -6);
    CHECK_EQ(net.n_anchors, 1);
}

TEST(test_local_should_keep_the_resolution_of_differences_when_coordinates_are_large)
{
    static const cairn_real offsets[] = {(cairn_real)1e5, (cairn_real)-1e6, (cairn_real)1e7};
    for (int i = 0; i < 3; ++i) {
        cairn_real origin[2], local[2];
        cairn_real first[2], second[2];
        first[0] = offsets[i] + 1, first[1] = -offsets[i];
        second[0] = offsets[i] + 4, second[1] = -offsets[i] - 8;
        REQUIRE(begin(RANGES, &plain_cfg, 0));
        CHECK_EQ(cairn_network_set_anchor(&net, 0u, first), CAIRN_OK);
        CHECK_EQ(cairn_network_set_anchor(&net, 1u, second), CAIRN_OK);
        CHECK_EQ(cairn_network_get_local(&net, 1u, local, origin), CAIRN_OK);
        CHECK(local[0] == 3 && local[1] == -8);
        CHECK(origin[0] == first[0] && origin[1] == first[1]);
        CHECK_EQ(cairn_network_get_local(&net, 0u, local, NULL), CAIRN_OK);
        CHECK(local[0] == 0 && local[1] == 0);
        CHECK_EQ(cairn_network_get_local(&net, 2u, local, NULL), CAIRN_UNPLACED);
    }
}

TEST(test_seal_should_refuse_and_stay_open_when_coordinates_cannot_resolve_the_ranges)
{
    const cairn_real place[2] = {0, -(cairn_real)1e6};
    const cairn_real range_m = -place[1] * CAIRN_REAL_EPSILON / (cairn_real)0.011; /* the spacing is 1.1 % of it */
    REQUIRE(begin(RANGES, &plain_cfg, 0));
    CHECK_EQ(cairn_network_add_range(&net, 0u, 1u, range_m, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_set_anchor(&net, 0u, place), CAIRN_OK);
    remember();
    CHECK_EQ(cairn_network_seal(&net), CAIRN_ERR_RESOLUTION);
    check_unchanged();
    CHECK_EQ(cairn_network_add_range(&net, 0u, 2u, 2 * range_m, 0), CAIRN_OK); /* half as long again: resolved */
    CHECK_EQ(cairn_network_seal(&net), CAIRN_OK);
}

TEST(test_define_should_declare_a_network_that_can_be_started_when_used)
{
    CAIRN_NETWORK_DEFINE(small, 3, 2, 2);
    CHECK_EQ(cairn_network_init(&small, &plain_cfg, &small_memory, 3u), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&small, 0u, 1u, 1, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&small, 0u, 2u, 1, 0), CAIRN_OK);
    CHECK_EQ(cairn_network_add_range(&small, 1u, 2u, 1, 0), CAIRN_FULL);
    CHECK_EQ(sizeof small_links + sizeof small_rows + sizeof small_place_m + sizeof small_std_m + sizeof small_flags,
             CAIRN_NETWORK_BYTES(3, 2, 2));
}

TEST_MAIN(TEST_CASE(test_init_should_refuse_and_change_nothing_when_a_setting_is_bad),
          TEST_CASE(test_init_should_refuse_and_change_nothing_when_an_array_is_missing_short_or_misaligned),
          TEST_CASE(test_init_should_refuse_when_a_pointer_is_null_or_the_number_of_nodes_is_out_of_range),
          TEST_CASE(test_init_should_lead_to_the_same_results_when_memory_held_other_bytes),
          TEST_CASE(test_add_range_should_refuse_count_and_keep_every_byte_when_the_range_is_bad),
          TEST_CASE(test_add_range_should_accept_the_limits_themselves_when_nothing_is_beyond_them),
          TEST_CASE(test_add_range_should_be_full_count_and_keep_every_byte_when_beyond_capacity),
          TEST_CASE(test_add_range_should_be_refused_when_sealed_until_cleared),
          TEST_CASE(test_seal_should_give_the_same_bytes_when_ranges_come_in_another_order),
          TEST_CASE(test_seal_should_give_symmetric_ascending_rows_when_pairs_repeat_and_reverse),
          TEST_CASE(test_seal_should_fold_repeats_into_the_mean_weighted_by_inverse_variance_when_deviations_are_given),
          TEST_CASE(test_seal_should_weigh_repeats_by_the_noise_of_cfg_when_no_deviation_is_given),
          TEST_CASE(test_variance_should_keep_a_deviation_within_7_percent_when_between_its_limits),
          TEST_CASE(test_variance_should_clamp_a_deviation_when_beyond_its_limits),
          TEST_CASE(test_variance_should_grow_with_the_estimated_distance_when_no_deviation_was_given),
          TEST_CASE(test_places_should_be_refused_counted_and_change_nothing_when_bad),
          TEST_CASE(test_places_should_be_read_back_with_their_state_when_set),
          TEST_CASE(test_local_should_keep_the_resolution_of_differences_when_coordinates_are_large),
          TEST_CASE(test_seal_should_refuse_and_stay_open_when_coordinates_cannot_resolve_the_ranges),
          TEST_CASE(test_define_should_declare_a_network_that_can_be_started_when_used))
