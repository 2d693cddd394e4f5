/* SPDX-License-Identifier: MIT
 * Clustering of half rows with more plain links than a field of 16 bits counts: fields are emptied in time, so labels and
 * cut are those of links that weigh 1. */
#include "cairn/pic.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 16, LONG_ROWS = 3, LONG = 131069, SHORT = 25000, K_MAX = 4, VECTORS = 4, FORMS = 3, N_DRAWS = 4 };
enum { LINKS_MAX = LONG_ROWS * (LONG + LONG_ROWS) + NODES * SHORT, CROSSING = 3 };

CAIRN_PIC_DEFINE(pic, NODES, K_MAX, VECTORS);

static uint32_t start[NODES + 1];
static uint16_t other16[LINKS_MAX];
static uint32_t other32[LINKS_MAX];
static cairn_real ones[LINKS_MAX];
static const cairn_half_t forms[FORMS] = {
    {NODES, start, other16, NULL, ones}, {NODES, start, other16, NULL, NULL}, {NODES, start, NULL, other32, NULL}};

/* Groups are i mod k; one link in CROSSING crosses. The long rows have two full fields less a link, two, and two and a
 * link. The last nodes have no one of their group above them. */
static void draw_rows(uint64_t draw, uint32_t k)
{
    uint32_t n_links = 0;
    cairn_rng_t rng;
    cairn_rng_init(&rng, draw, 11);
    for (uint32_t i = 0; i < NODES; ++i) {
        const uint32_t n = i < LONG_ROWS ? LONG + i : i + k < NODES ? (uint32_t)SHORT : 0u;
        start[i] = n_links;
        while (n_links < start[i] + n) {
            const uint32_t other = i + 1u + cairn_rng_below(&rng, NODES - 1u - i);
            if ((other % k != i % k) == (cairn_rng_below(&rng, CROSSING) == 0)) {
                other16[n_links] = (uint16_t)other;
                other32[n_links] = other;
                ones[n_links++] = 1;
            }
        }
    }
    start[NODES] = n_links;
}

static cairn_pic_result_t cluster(const cairn_half_t *half, const cairn_pic_cfg_t *cfg, uint8_t *label)
{
    cairn_pic_result_t result;
    cairn_walk_t walk;
    CHECK_EQ(cairn_half_walk(half, &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_init(&pic, cfg, &pic_memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&pic, &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_step(&pic, UINT32_MAX), CAIRN_OK);
    CHECK_EQ(cairn_pic_get_result(&pic, &result), CAIRN_OK);
    for (uint32_t i = 0; i < NODES; ++i) {
        label[i] = cairn_pic_get_label(&pic, i);
    }
    return result;
}

/* Returns how many rounds of moves there were. Walks of even draws are cut off and leave work for them. */
static uint32_t check_forms(uint32_t k, uint64_t draw)
{
    uint8_t label[FORMS][NODES];
    cairn_pic_result_t result[FORMS];
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cfg.n_clusters = (uint8_t)k;
    cfg.seed = draw;
    cfg.n_vectors = draw % 2 == 0 ? 1 : VECTORS;
    cfg.doublings_max = draw % 2 == 0 ? 1 : 11;
    draw_rows(draw, k);
    for (uint32_t form = 0; form < FORMS; ++form) {
        result[form] = cluster(&forms[form], &cfg, label[form]);
        CHECK_MEM(label[form], label[0], NODES);
        CHECK(result[form].score == result[0].score);
        CHECK_EQ(result[form].n_moves, result[0].n_moves);
    }
    return result[0].n_moves;
}

TEST(test_pic_should_count_links_as_weights_of_one_when_a_row_has_more_than_a_field_holds)
{
    for (uint32_t k = 2; k <= K_MAX; ++k) {
        uint32_t n_moves = 0;
        test_context("clusters", k);
        for (uint64_t draw = 0; draw < N_DRAWS; ++draw) {
            n_moves += check_forms(k, draw);
        }
        CHECK(n_moves > 0); /* the draws show moves */
    }
}

TEST_MAIN(TEST_CASE(test_pic_should_count_links_as_weights_of_one_when_a_row_has_more_than_a_field_holds))
