/* SPDX-License-Identifier: MIT
 * A job copied away after any slice and put back later continues to the same bits. */
#include "oracle/world.h"

static struct {
    cairn_network_t net;
    cairn_locate_t job;
    cairn_link_t links[2 * WORLD_RANGES];
    uint32_t rows[2 * (WORLD_NODES + 1)];
    cairn_real place[WORLD_NODES * WORLD_DIM], std[WORLD_NODES];
    uint8_t flags[WORLD_NODES];
    cairn_word_t work[CAIRN_LOCATE_WORDS(WORLD_NODES, WORLD_DIM)];
} image;

#define EACH_PART(do_with)                                                                                             \
    do_with(image.net, world_net);                                                                                     \
    do_with(image.job, world_job);                                                                                     \
    do_with(image.links, world_links);                                                                                 \
    do_with(image.rows, world_rows);                                                                                   \
    do_with(image.place, world_place);                                                                                 \
    do_with(image.std, world_std);                                                                                     \
    do_with(image.flags, world_flags);                                                                                 \
    do_with(image.work, world_work)

#define SAVE(kept, live)  memcpy(&(kept), &(live), sizeof(live))
#define SPOIL(kept, live) memset(&(live), 0xA5, sizeof(live))
#define LOAD(kept, live)  memcpy(&(live), &(kept), sizeof(live))

/* Begin the forty-node network and do n slices; more work left? */
static bool begin(uint32_t n_slices)
{
    bool more = true;
    world_draw(40u, 6u, 2u, (cairn_real)3.6, (cairn_real)0.125, 4u);
    world_build();
    CHECK_EQ(cairn_locate_init(&world_job, &cairn_locate_cfg_default, &world_net, world_work,
                               sizeof world_work / sizeof world_work[0]),
             CAIRN_OK);
    for (uint32_t i = 0; i < n_slices && more; ++i) {
        more = cairn_locate_step(&world_job, 500u) == CAIRN_MORE;
    }
    return more;
}

static void finish(void)
{
    while (cairn_locate_step(&world_job, 500u) == CAIRN_MORE) {
    }
}

TEST(test_locate_should_continue_to_the_same_bits_when_saved_and_loaded_after_any_slice)
{
    uint32_t n_slices = 0;
    (void)begin(0u);
    finish();
    const uint32_t whole = world_hash();
    for (bool more = true; more; ++n_slices) {
        test_context("slice", n_slices);
        more = begin(n_slices);
        EACH_PART(SAVE);
        EACH_PART(SPOIL);
        EACH_PART(LOAD);
        finish();
        CHECK_EQ(world_hash(), whole);
    }
    CHECK(n_slices > 10u);
}

TEST_MAIN(TEST_CASE(test_locate_should_continue_to_the_same_bits_when_saved_and_loaded_after_any_slice))
