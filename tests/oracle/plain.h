/* SPDX-License-Identifier: MIT
 * Graphs of half rows whose links weigh 1: with weights of 1, and without, with ids of 16 and of 32 bits. What the tests of
 * clustering on them share. Before it is included, PLAIN_NODES, PLAIN_LINKS and PLAIN_K_MAX are defined. */
#ifndef CAIRN_ORACLE_PLAIN_H
#define CAIRN_ORACLE_PLAIN_H

#include "cairn/pic.h"
#include "support/test.h"

enum { PLAIN_VECTORS = 4, PLAIN_WEIGHTS = 0, PLAIN_16 = 1, PLAIN_FORMS = 3, PLAIN_DRAWS = 4 };

/* Boards make the last two of the draws only: a walk that is cut off, and a whole one. */
enum { PLAIN_FIRST = TEST_STRIDE == 1u ? 0 : 2 };

CAIRN_PIC_DEFINE(plain_pic, PLAIN_NODES, PLAIN_K_MAX, PLAIN_VECTORS);

static uint32_t plain_start[PLAIN_NODES + 1];
static uint16_t plain_other16[PLAIN_LINKS];
static uint32_t plain_other32[PLAIN_LINKS];
static cairn_real plain_ones[PLAIN_LINKS];
static const cairn_half_t plain_forms[PLAIN_FORMS] = {{PLAIN_NODES, plain_start, plain_other16, NULL, plain_ones},
                                                      {PLAIN_NODES, plain_start, plain_other16, NULL, NULL},
                                                      {PLAIN_NODES, plain_start, NULL, plain_other32, NULL}};

/* Set link e in all forms. */
static inline void plain_set(uint32_t e, uint32_t other)
{
    plain_other16[e] = (uint16_t)other;
    plain_other32[e] = other;
    plain_ones[e] = 1;
}

/* Rows of n_links links from a to b. */
static inline void plain_fill(const uint32_t *a, const uint32_t *b, uint32_t n_links)
{
    memset(plain_start, 0, sizeof plain_start);
    CHECK_EQ(cairn_half_count(plain_start, PLAIN_NODES, a, b, n_links), CAIRN_OK);
    cairn_half_starts(plain_start, PLAIN_NODES);
    cairn_half_fill(plain_start, a, b, n_links, plain_other16, NULL);
    for (uint32_t e = 0; e < n_links; ++e) {
        plain_set(e, plain_other16[e]);
    }
}

static inline cairn_pic_result_t plain_cluster(uint32_t form, const cairn_pic_cfg_t *cfg, uint32_t operations,
                                               uint8_t *label)
{
    cairn_pic_result_t result;
    cairn_walk_t walk;
    cairn_status status = CAIRN_MORE;
    CHECK_EQ(cairn_half_walk(&plain_forms[form], &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_init(&plain_pic, cfg, &plain_pic_memory, PLAIN_NODES), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&plain_pic, &walk), CAIRN_OK);
    while (status == CAIRN_MORE) {
        status = cairn_pic_step(&plain_pic, operations);
    }
    CHECK_EQ(status, CAIRN_OK);
    CHECK_EQ(cairn_pic_get_result(&plain_pic, &result), CAIRN_OK);
    for (uint32_t i = 0; i < PLAIN_NODES; ++i) {
        label[i] = cairn_pic_get_label(&plain_pic, i);
    }
    return result;
}

/* All forms of the rows agree. Returns how many rounds of moves there were. Walks of even draws are cut off and leave work
 * for them. */
static inline uint32_t plain_check_forms(uint32_t k, uint64_t draw)
{
    static uint8_t label[PLAIN_FORMS][PLAIN_NODES];
    cairn_pic_result_t result[PLAIN_FORMS];
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cfg.n_clusters = (uint8_t)k;
    cfg.seed = draw;
    cfg.n_vectors = draw % 2 == 0 ? 1 : PLAIN_VECTORS;
    cfg.doublings_max = draw % 2 == 0 ? 1 : 11;
    for (uint32_t form = 0; form < PLAIN_FORMS; ++form) {
        result[form] = plain_cluster(form, &cfg, UINT32_MAX, label[form]);
        CHECK_MEM(label[form], label[0], PLAIN_NODES);
        CHECK(result[form].score == result[0].score);
        CHECK_EQ(result[form].n_moves, result[0].n_moves);
    }
    return result[0].n_moves;
}

#endif
