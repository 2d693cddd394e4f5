/* SPDX-License-Identifier: MIT
 * Tests of the cold start that take more memory than the smallest board has: save and load at many steps. */
#include "oracle/cold.h"

/* All that a job is: itself, the network, its arrays, the work. */
static struct {
    cairn_coldstart_t job;
    cairn_network_t net;
    cairn_link_t links[2 * WORLD_RANGES];
    uint32_t rows[2 * (WORLD_NODES + 1)];
    cairn_real place[WORLD_REALS];
    cairn_real std[WORLD_NODES];
    uint8_t flags[WORLD_NODES];
    cairn_word_t work[WORLD_WORK_WORDS];
} saved;

#define COPY_ALL(copy)                                                                                                 \
    do {                                                                                                               \
        copy(saved.job, cold_job);                                                                                     \
        copy(saved.net, world_net);                                                                                    \
        copy(saved.links, world_links);                                                                                \
        copy(saved.rows, world_rows);                                                                                  \
        copy(saved.place, world_place);                                                                                \
        copy(saved.std, world_std);                                                                                    \
        copy(saved.flags, world_flags);                                                                                \
        copy(saved.work, world_work);                                                                                  \
    } while (0)
#define SAVE(image, live)  memcpy(&(image), &(live), sizeof(live))
#define LOAD(image, live)  memcpy(&(live), &(image), sizeof(live))
#define SPOIL(image, live) memset(&(live), 0x5A, sizeof(live))

static void build(bool anchors)
{
    draw(40u, anchors ? 6u : 0u, 2u, (cairn_real)3.6, (cairn_real)0.125, 4u);
    world_build();
}

TEST(test_coldstart_should_go_on_bit_for_bit_when_saved_and_loaded_at_any_slice)
{
    for (uint32_t kind = 0; kind < 2u; ++kind) {
        uint32_t n_slices = 0;
        cairn_status status = CAIRN_MORE;
        build(kind == 0);
        const uint32_t whole = cold_hash(cold_locate(&cold_cfg, 100000u));
        build(kind == 0);
        CHECK_EQ(cold_init(&cold_cfg), CAIRN_OK);
        for (; status == CAIRN_MORE; ++n_slices) { /* every slice is the first of another life */
            COPY_ALL(SAVE);
            COPY_ALL(SPOIL);
            COPY_ALL(LOAD);
            if (n_slices % 50u == 0) { /* an image taken at this slice, run to its end, and taken up again */
                CHECK_EQ(cold_hash(cold_finish(700u)), whole);
                COPY_ALL(SPOIL);
                COPY_ALL(LOAD);
            }
            status = cairn_coldstart_step(&cold_job, 100u);
        }
        CHECK_EQ(cold_hash(status), whole);
        CHECK(n_slices > 100u);
    }
}

TEST_MAIN(TEST_CASE(test_coldstart_should_go_on_bit_for_bit_when_saved_and_loaded_at_any_slice))
