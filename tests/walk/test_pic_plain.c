/* SPDX-License-Identifier: MIT
 * Tests of power iteration clustering on half rows without weights: their links are counted, several clusterings in a
 * word, and labels and cut have to be those of links that weigh 1. needs ram: 65536 */
#include "cairn/pic.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 96, LINKS = 900, K_MAX = 17, VECTORS = 4, FORMS = 3, N_DRAWS = 4, CROSSING = 12 };

CAIRN_PIC_DEFINE(pic, NODES, K_MAX, VECTORS);

static uint32_t start[NODES + 1];
static uint16_t other16[LINKS];
static uint32_t other32[LINKS];
static cairn_real ones[LINKS];
static const cairn_half_t forms[FORMS] = {
    {NODES, start, other16, NULL, ones}, {NODES, start, other16, NULL, NULL}, {NODES, start, NULL, other32, NULL}};

/* Groups are i mod k; one link in CROSSING crosses. */
static void draw_rows(uint64_t draw, uint32_t k)
{
    static uint32_t a[LINKS];
    static uint32_t b[LINKS];
    cairn_rng_t rng;
    cairn_rng_init(&rng, draw, 10);
    for (uint32_t e = 0; e < LINKS;) {
        a[e] = cairn_rng_below(&rng, NODES);
        b[e] = cairn_rng_below(&rng, NODES);
        e += a[e] != b[e] && (a[e] % k != b[e] % k) == (cairn_rng_below(&rng, CROSSING) == 0) ? 1u : 0u;
    }
    memset(start, 0, sizeof start);
    CHECK_EQ(cairn_half_count(start, NODES, a, b, LINKS), CAIRN_OK);
    cairn_half_starts(start, NODES);
    cairn_half_fill(start, a, b, LINKS, other16, NULL);
    for (uint32_t e = 0; e < LINKS; ++e) {
        other32[e] = other16[e];
        ones[e] = 1;
    }
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

/* Returns how many rounds of moves there were. A walk that is cut off leaves work for them. */
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

/* Labels of 1, 2, 2, 4 and 8 bits; ties of all nodes at once up to 5 clusters. */
TEST(test_pic_should_count_links_as_weights_of_one_when_they_have_none)
{
    static const uint32_t ks[] = {2, 3, 4, 5, 17};
    for (uint32_t i = 0; i < sizeof ks / sizeof ks[0]; ++i) {
        uint32_t n_moves = 0;
        test_context("clusters", ks[i]);
        for (uint64_t draw = 0; draw < N_DRAWS; ++draw) {
            n_moves += check_forms(ks[i], draw);
        }
        CHECK(n_moves > 0 || ks[i] == 17); /* the draws show moves */
    }
}

TEST_MAIN(TEST_CASE(test_pic_should_count_links_as_weights_of_one_when_they_have_none))
