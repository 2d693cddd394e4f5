/* SPDX-License-Identifier: MIT
 * Tests of maxmin against all pairs, fairness of ties, refusals. */
#include "cairn/maxmin.h"
#include "cairn/vector.h"
#include "oracle/random.h"
#include "support/test.h"

enum { SIZE = 8, DIM = 2 };

static cairn_real kept[SIZE * DIM];
static cairn_real distance[SIZE];
static uint16_t nearest[SIZE];

static cairn_real between(const void *context, size_t i, size_t j)
{
    const cairn_real *points = context;
    return cairn_distance(points + i * DIM, points + j * DIM, DIM);
}

static cairn_status offer(cairn_maxmin_t *sample, const cairn_real *point, uint32_t *slot)
{
    cairn_real to_held[SIZE];
    for (size_t i = 0; i < sample->n_held; ++i) {
        to_held[i] = cairn_distance(kept + i * DIM, point, DIM);
    }
    cairn_status status = cairn_maxmin_offer(sample, to_held, between, kept, slot);
    if (status == CAIRN_OK) {
        memcpy(kept + *slot * DIM, point, DIM * sizeof *point);
    }
    return status;
}

static cairn_real closest_of_all(size_t n)
{
    cairn_real closest = CAIRN_REAL_MAX;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            closest = cairn_min(closest, between(kept, i, j));
        }
    }
    return closest;
}

TEST(test_maxmin_should_know_the_closest_pair_when_points_stream_in)
{
    cairn_maxmin_t sample;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 5, 1);
    CHECK_EQ(cairn_maxmin_init(&sample, distance, nearest, SIZE, 1), CAIRN_OK);
    CHECK(!(cairn_maxmin_get_closest(&sample) > 0));
    cairn_real last = 0;
    for (int i = 0; i < 500; ++i) {
        cairn_real point[DIM];
        uint32_t slot = 0;
        point[0] = cairn_rng_uniform(&rng), point[1] = cairn_rng_uniform(&rng);
        cairn_real closest = sample.n_held > 1 ? closest_of_all(sample.n_held) : 0;
        cairn_real least = CAIRN_REAL_MAX;
        for (size_t j = 0; j < sample.n_held; ++j) {
            least = cairn_min(least, cairn_distance(kept + j * DIM, point, DIM));
        }
        bool filling = sample.n_held < SIZE;
        CHECK_EQ(offer(&sample, point, &slot), filling || least > closest ? CAIRN_OK : CAIRN_REJECTED);
        if (sample.n_held > 1) {
            CHECK(!(cairn_maxmin_get_closest(&sample) < closest_of_all(sample.n_held)) &&
                  !(cairn_maxmin_get_closest(&sample) > closest_of_all(sample.n_held)));
        }
        if (!filling) {
            CHECK(cairn_maxmin_get_closest(&sample) >= last); /* the sample only spreads */
            last = cairn_maxmin_get_closest(&sample);
        }
    }
    CHECK_EQ(cairn_maxmin_refresh(&sample, between, kept), CAIRN_OK);
    CHECK_NEAR(cairn_maxmin_get_closest(&sample), last, 0);
}

TEST(test_maxmin_should_let_each_end_go_equally_often_when_pairs_tie)
{
    /* corners of a square: four closest pairs, each corner in two of them */
    static const cairn_real corners[] = {0, 0, 1, 0, 0, 1, 1, 1};
    static const cairn_real far_point[] = {50, 50};
    uint32_t gone[4] = {0, 0, 0, 0};
    for (uint32_t seed = 0; seed < 800u; ++seed) {
        cairn_maxmin_t sample;
        uint32_t slot = 9;
        CHECK_EQ(cairn_maxmin_init(&sample, distance, nearest, 4, seed), CAIRN_OK);
        for (uint32_t i = 0; i < 4u; ++i) {
            CHECK_EQ(offer(&sample, corners + i * DIM, &slot), CAIRN_OK);
            CHECK_EQ(slot, i);
        }
        CHECK_EQ(offer(&sample, far_point, &slot), CAIRN_OK);
        REQUIRE(slot < 4u);
        ++gone[slot];
    }
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(gone[i], 200, 62); /* binomial: 5 deviations of 12.2 */
    }
}

TEST(test_fault_4_maxmin_should_keep_the_first_when_all_points_are_equal)
{
    cairn_maxmin_t sample;
    static const cairn_real point[] = {3, 3};
    uint32_t slot = 0;
    CHECK_EQ(cairn_maxmin_init(&sample, distance, nearest, SIZE, 1), CAIRN_OK);
    for (int i = 0; i < 50; ++i) {
        CHECK_EQ(offer(&sample, point, &slot), i < SIZE ? CAIRN_OK : CAIRN_REJECTED);
    }
    CHECK_NEAR(cairn_maxmin_get_closest(&sample), 0, 0);
}

TEST(test_fault_5_maxmin_should_refuse_and_stay_when_a_distance_is_bad)
{
    cairn_maxmin_t sample, before;
    cairn_real to_held[2] = {1, 1};
    uint32_t slot = 7;
    CHECK_EQ(cairn_maxmin_init(NULL, distance, nearest, SIZE, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_maxmin_init(&sample, distance, nearest, 1, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_maxmin_init(&sample, distance, nearest, 65536, 1), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_maxmin_init(&sample, (cairn_real *)(void *)((char *)distance + 1), nearest, 4, 1), CAIRN_ERR_ALIGN);
    CHECK_EQ(cairn_maxmin_init(&sample, distance, nearest, 2, 1), CAIRN_OK);
    CHECK_EQ(cairn_maxmin_offer(&sample, to_held, between, kept, &slot), CAIRN_OK);
    CHECK_EQ(cairn_maxmin_offer(&sample, to_held, between, kept, &slot), CAIRN_OK);
    before = sample;
    for (int i = 0; i < 2; ++i) {
        to_held[i] = (cairn_real)NAN;
        CHECK_EQ(cairn_maxmin_offer(&sample, to_held, between, kept, &slot), CAIRN_ERR_NONFINITE);
        to_held[i] = (cairn_real)INFINITY;
        CHECK_EQ(cairn_maxmin_offer(&sample, to_held, between, kept, &slot), CAIRN_ERR_NONFINITE);
        to_held[i] = -1;
        CHECK_EQ(cairn_maxmin_offer(&sample, to_held, between, kept, &slot), CAIRN_ERR_ARG);
        to_held[i] = 1;
    }
    CHECK_EQ(cairn_maxmin_offer(&sample, NULL, between, kept, &slot), CAIRN_ERR_ARG);
    CHECK_EQ(cairn_maxmin_refresh(&sample, NULL, kept), CAIRN_ERR_ARG);
    CHECK_MEM(&sample, &before, sizeof before);
}

TEST_MAIN(TEST_CASE(test_maxmin_should_know_the_closest_pair_when_points_stream_in),
          TEST_CASE(test_maxmin_should_let_each_end_go_equally_often_when_pairs_tie),
          TEST_CASE(test_fault_4_maxmin_should_keep_the_first_when_all_points_are_equal),
          TEST_CASE(test_fault_5_maxmin_should_refuse_and_stay_when_a_distance_is_bad))
