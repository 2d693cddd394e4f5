/* SPDX-License-Identifier: MIT
 * Tests of the coarse level of the cold start's preconditioner; maps with one are large, which needs ram: 32768. */
#include "locate/coldstart_internal.h"

#define WORLD_NODES      64
#define WORLD_RANGES     200
#define WORLD_REALS      128
#define WORLD_WORK_WORDS (CAIRN_COLDSTART_WORDS(64, 2, 1) + COLD_CANARIES)
#include "oracle/cold.h"

enum { UNSTARTED = 4 };

/* As far as the matrix is summed and not yet factored. Returns false when the job has none. */
static bool assemble(void)
{
    cairn_status status = cold_init(&cold_cfg);
    while (status == CAIRN_MORE || status == CAIRN_OK) {
        if (cold_job.phase == PHASE_COARSE_FACTOR && cold_job.stage == CAIRN_COLDSTART_GLOBAL) {
            return true;
        }
        status = cold_job.stage == CAIRN_COLDSTART_DONE ? CAIRN_ERR_STATE : cairn_coldstart_step(&cold_job, 1u);
    }
    return false;
}

/* Coordinate `along` of a corner. */
static double corner_m(uint32_t corner, uint32_t along)
{
    const uint32_t at = corner / cold_job.coarse_stride[along] % (cold_job.coarse_cells + 1u);
    return (double)cold_job.coarse_low_m[along] + at * (double)cold_job.coarse_cell_m;
}

static double entry(uint32_t row, uint32_t column)
{
    const uint32_t high = row > column ? row : column;
    const uint32_t low = row > column ? column : row;
    const uint32_t last = cold_job.coarse_band - 1u;
    return high - low > last ? 0 : (double)coldstart_coarse(&cold_job)[high * (last + 1u) + last - high + low].real;
}

/* What is done against the matrix when all corners move alike by 1 along `axis`, and then each by its coordinate `along`,
 * or, when there is no such axis, by 1, along `axis_2`. */
static double work(uint32_t axis, uint32_t axis_2, uint32_t along)
{
    const uint32_t dim = world.dim;
    double sum = 0;
    for (uint32_t i = axis; i < cold_job.coarse_rows; i += dim) {
        for (uint32_t j = axis_2; j < cold_job.coarse_rows; j += dim) {
            sum += entry(i, j) * (along < dim ? corner_m(j / dim, along) : 1);
        }
    }
    return sum;
}

/* Ranges between sensors give way to a common motion: what is left are the starts, each at its node. */
static void check_starts_only(void)
{
    const uint32_t dim = world.dim;
    for (uint32_t along = 0; along <= dim; ++along) {
        double sum = 0;
        for (uint32_t i = UNSTARTED; i < world.n_nodes; ++i) {
            sum += along < dim ? (double)world_place[dim * i + along] : 1;
        }
        for (uint32_t pair = 0; pair < dim * dim; ++pair) {
            test_context("along", along);
            test_context("axes", pair);
            CHECK_NEAR(work(pair / dim, pair % dim, along) / (double)cold_job.prior_weight,
                       pair / dim == pair % dim ? sum : 0, 0.01);
        }
    }
}

TEST(test_coarse_level_should_hold_what_the_starts_hold_when_all_nodes_move_together)
{
    for (uint32_t dim = 1; dim <= 2u; ++dim) {
        test_context("dim", dim);
        draw(WORLD_NODES, 0u, dim, 2, (cairn_real)0.5, 3u);
        world_begin();
        world_add_ranges();
        for (uint32_t i = UNSTARTED; i < world.n_nodes; ++i) {
            CHECK_EQ(cairn_network_set_start(&world_net, i, world_truth(i)), CAIRN_OK);
        }
        cold_cfg.locate.start_std_m = (cairn_real)0.4;
        REQUIRE(assemble());
        CHECK(cold_job.prior_weight > 0);
        check_starts_only();
    }
}

TEST_MAIN(TEST_CASE(test_coarse_level_should_hold_what_the_starts_hold_when_all_nodes_move_together))
