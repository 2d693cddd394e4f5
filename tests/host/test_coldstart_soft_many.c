/* SPDX-License-Identifier: MIT
 * Cold starts of soft maps, which waves through all of the map bend at little cost: a long line, a body on a line of
 * sensors. Their errors are those of the waves, which the places must have settled in and the deviations tell. */
#define WORLD_NODES      1000
#define WORLD_RANGES     4500
#define WORLD_REALS      1200
#define WORLD_WORK_WORDS (CAIRN_COLDSTART_WORDS(WORLD_NODES, 2, 0) + COLD_CANARIES)
#include "oracle/cold.h"
#include "oracle/random.h"

enum { SEEDS = 4, LINE = 1000, BODY = 60, BELOW = 33, BELOW_ANCHORS = 5, CUTS = 3 };

static const double square_most =
    2; /* mean normalised error squared a dimension: 1 is expected, all nodes err as one */
static const double beyond_most = .02;

typedef struct tally {
    double square;
    double n_beyond;
    double n_nodes;
} tally_t;

/* A range with a normal error; none where that leaves no length. */
static void add_range(cairn_rng_t *rng, uint32_t a, uint32_t b)
{
    const cairn_real range_m =
        cairn_distance(world_truth(a), world_truth(b), world.dim) + world.noise * random_normal(rng);
    if (range_m > 0) {
        CHECK_EQ(cairn_network_add_range(&world_net, a, b, range_m, 0), CAIRN_OK);
    }
}

static void add_to(tally_t *tally)
{
    CHECK(cold_locate(&cold_cfg, 100000u) >= 0);
    for (uint32_t i = world.n_anchors; i < world.n_nodes; ++i) {
        const double error = (double)world_error(i);
        const double std = (double)world_std[i];
        CHECK(std > 0);
        tally->square += error * error / (std * std * (double)world.dim);
        tally->n_beyond += error > 4 * std ? 1 : 0;
        tally->n_nodes += 1;
    }
}

static void check_told(const tally_t *tally)
{
    CHECK(tally->square < square_most * tally->n_nodes);
    CHECK(tally->n_beyond <= beyond_most * tally->n_nodes);
}

TEST(test_deviations_should_tell_the_errors_when_a_line_is_long)
{
    tally_t tally = {0, 0, 0};
    for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
        cairn_rng_t rng;
        test_context("seed", seed);
        cairn_rng_init(&rng, seed, 11);
        draw(LINE, 2u, 1u, (cairn_real)3.5, (cairn_real)0.0625, seed);
        for (uint32_t i = 0; i < LINE; ++i) {
            world.truth[i] = (cairn_real)i + random_between(&rng, 0, (cairn_real)0.25);
        }
        world.truth[1] = LINE; /* behind the last one */
        world_begin();
        world_add_anchors();
        for (uint32_t b = 2; b < LINE; ++b) {
            if (b <= 3u) {
                add_range(&rng, 0, b);
            }
            for (uint32_t a = b > 5u ? b - 3u : 2u; a < b; ++a) {
                add_range(&rng, a, b);
            }
            if (b + 3u >= LINE) {
                add_range(&rng, 1, b);
            }
        }
        add_to(&tally);
    }
    check_told(&tally);
}

/* Above, a body; below, anchors and sensors; three of these, on a line, hear both. */
TEST(test_deviations_should_tell_the_errors_when_a_body_hangs_on_a_line_of_sensors)
{
    tally_t tally = {0, 0, 0};
    for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
        cairn_rng_t rng;
        test_context("seed", seed);
        cairn_rng_init(&rng, seed, 13);
        draw(BELOW + BODY, BELOW_ANCHORS, 2u, 10, (cairn_real)0.03125, seed);
        cold_cfg.push = 0;
        for (uint32_t i = 0; i < BELOW + BODY; ++i) {
            world.truth[2u * i] = random_between(&rng, 0, 10);
            world.truth[2u * i + 1u] = i < BELOW ? random_between(&rng, -8, 0) : random_between(&rng, 1, 9);
        }
        for (uint32_t k = 0; k < CUTS; ++k) {
            world.truth[2u * (BELOW_ANCHORS + k)] = (cairn_real)(1u + 4u * k);
            world.truth[2u * (BELOW_ANCHORS + k) + 1u] = 0;
        }
        world_begin();
        world_add_anchors();
        for (uint32_t b = BELOW_ANCHORS; b < BELOW + BODY; ++b) {
            for (uint32_t a = 0; a < b; ++a) {
                const bool cut = a >= BELOW_ANCHORS && a < BELOW_ANCHORS + CUTS;
                if ((b < BELOW || a >= BELOW || cut) && cairn_distance(world_truth(a), world_truth(b), 2u) < 10) {
                    add_range(&rng, a, b);
                }
            }
        }
        add_to(&tally);
    }
    check_told(&tally);
}

TEST_MAIN(TEST_CASE(test_deviations_should_tell_the_errors_when_a_line_is_long),
          TEST_CASE(test_deviations_should_tell_the_errors_when_a_body_hangs_on_a_line_of_sensors))
