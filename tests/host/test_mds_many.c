/* SPDX-License-Identifier: MIT
 * Tests of mds with so many pairs that a plain sum over them in float stands still. */
#include "cairn/mds.h"
#include "oracle/random.h"
#include "support/test.h"

enum { N = 6000, DIM = 2 };

static cairn_real truth[N * DIM], place[N * DIM], work[CAIRN_MDS_REALS(N, DIM)];

static void get_row(const void *context, size_t i, size_t n, cairn_real *distance, cairn_real *weight)
{
    (void)context;
    (void)weight;
    for (size_t j = 0; j < n; ++j) {
        const cairn_real x = truth[i * DIM] - truth[j * DIM], y = truth[i * DIM + 1] - truth[j * DIM + 1];
        distance[j] = cairn_sqrt(x * x + y * y);
    }
}

/* Of distances of a plane the classical start leaves next to nothing, if its size is right; one sweep would not mend it. */
TEST(test_fault_10_mds_should_start_at_the_right_size_when_there_are_millions_of_pairs)
{
    cairn_mds_cfg_t cfg = cairn_mds_cfg_default;
    cairn_mds_t mds;
    cairn_rng_t rng;
    cairn_rng_init(&rng, 31, 4);
    for (size_t i = 0; i < N * DIM; ++i) {
        truth[i] = random_between(&rng, -1, 1);
    }
    cfg.row = get_row;
    cfg.power_rounds = 3;
    cfg.sweeps_max = 1;
    CHECK_EQ(cairn_mds_init(&mds, &cfg, N, DIM, place, N * DIM, work, CAIRN_MDS_REALS(N, DIM)), CAIRN_OK);
    while (cairn_mds_step(&mds, 1000000) == CAIRN_MORE) {
    }
    CHECK(cairn_mds_get_stress(&mds) < 1e-3f);
}

TEST_MAIN(TEST_CASE(test_fault_10_mds_should_start_at_the_right_size_when_there_are_millions_of_pairs))
