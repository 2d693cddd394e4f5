/* SPDX-License-Identifier: MIT
 * Jobs copied away after any slice and put back later continue to the same bits. */
#include "oracle/cold.h"

/* All that a job is: itself, the network, its arrays, the work. */
static struct {
    cairn_locate_t locate;
    cairn_coldstart_t coldstart;
    cairn_network_t net;
    cairn_link_t links[2 * WORLD_RANGES];
    uint32_t rows[2 * (WORLD_NODES + 1)];
    cairn_real place[WORLD_REALS], std[WORLD_NODES];
    uint8_t flags[WORLD_NODES];
    cairn_word_t work[WORLD_WORK_WORDS];
} image;

#define EACH_PART(do_with)                                                                                             \
    do_with(image.locate, world_job);                                                                                  \
    do_with(image.coldstart, cold_job);                                                                                \
    do_with(image.net, world_net);                                                                                     \
    do_with(image.links, world_links);                                                                                 \
    do_with(image.rows, world_rows);                                                                                   \
    do_with(image.place, world_place);                                                                                 \
    do_with(image.std, world_std);                                                                                     \
    do_with(image.flags, world_flags);                                                                                 \
    do_with(image.work, world_work)

#define SAVE(kept, live)  memcpy(&(kept), &(live), sizeof(live))
#define SPOIL(kept, live) memset(&(live), 0xA5, sizeof(live))
#define LOAD(kept, live)  memcpy(&(live), &(kept), sizeof(live))

static void build(uint32_t n_anchors)
{
    draw(40u, n_anchors, 2u, (cairn_real)3.6, (cairn_real)0.125, 4u);
    world_build();
}

/* Begin the forty-node network and do n slices; more work left? */
static bool begin_locate(uint32_t n_slices)
{
    bool more = true;
    build(6u);
    CHECK_EQ(cairn_locate_init(&world_job, &cairn_locate_cfg_default, &world_net, world_work,
                               CAIRN_LOCATE_WORDS(world.n_nodes, world.dim)),
             CAIRN_OK);
    for (uint32_t i = 0; i < n_slices && more; ++i) {
        more = cairn_locate_step(&world_job, 500u) == CAIRN_MORE;
    }
    return more;
}

static void finish_locate(void)
{
    while (cairn_locate_step(&world_job, 500u) == CAIRN_MORE) {
    }
}

TEST(test_locate_should_continue_to_the_same_bits_when_saved_and_loaded_after_any_slice)
{
    uint32_t n_slices = 0;
    (void)begin_locate(0u);
    finish_locate();
    const uint32_t whole = world_hash();
    for (bool more = true; more; ++n_slices) {
        test_context("slice", n_slices);
        more = begin_locate(n_slices);
        EACH_PART(SAVE);
        EACH_PART(SPOIL);
        EACH_PART(LOAD);
        finish_locate();
        CHECK_EQ(world_hash(), whole);
    }
    CHECK(n_slices > 10u);
}

TEST(test_coldstart_should_go_on_bit_for_bit_when_saved_and_loaded_at_any_slice)
{
    for (uint32_t kind = 0; kind < 2u; ++kind) {
        uint32_t n_slices = 0;
        cairn_status status = CAIRN_MORE;
        build(kind == 0 ? 6u : 0u);
        const uint32_t whole = cold_hash(cold_locate(&cold_cfg, 100000u));
        build(kind == 0 ? 6u : 0u);
        CHECK_EQ(cold_init(&cold_cfg), CAIRN_OK);
        for (; status == CAIRN_MORE; ++n_slices) { /* every slice is the first of another life */
            EACH_PART(SAVE);
            EACH_PART(SPOIL);
            EACH_PART(LOAD);
            if (n_slices % 50u == 0) { /* an image taken at this slice, run to its end, and taken up again */
                CHECK_EQ(cold_hash(cold_finish(700u)), whole);
                EACH_PART(SPOIL);
                EACH_PART(LOAD);
            }
            status = cairn_coldstart_step(&cold_job, 100u);
        }
        CHECK_EQ(cold_hash(status), whole);
        CHECK(n_slices > 100u);
    }
}

TEST_MAIN(TEST_CASE(test_locate_should_continue_to_the_same_bits_when_saved_and_loaded_after_any_slice),
          TEST_CASE(test_coldstart_should_go_on_bit_for_bit_when_saved_and_loaded_at_any_slice))
