/* SPDX-License-Identifier: MIT
 * Clustering of a large graph with hundreds of links a node: first steps on a part of the links change neither labels nor
 * the rules of slices and forms. */
#include "cairn/pic.h"
#include "support/test.h"
#include "walk/pic_internal.h"

#include <string.h>

enum {
    NODES = 4200,
    FEW = 255,
    MANY = 260,
    LINKS_MAX = NODES * MANY,
    K_MAX = 4,
    VECTORS = 4,
    FORMS = 3,
    CROSSING = 12
};

CAIRN_PIC_DEFINE(job, NODES, K_MAX, VECTORS);

static uint32_t start[NODES + 1];
static uint32_t a[LINKS_MAX];
static uint32_t b[LINKS_MAX];
static uint16_t other16[LINKS_MAX];
static uint32_t other32[LINKS_MAX];
static cairn_real ones[LINKS_MAX];
static const cairn_half_t forms[FORMS] = {
    {NODES, start, other16, NULL, NULL}, {NODES, start, NULL, other32, NULL}, {NODES, start, other16, NULL, ones}};

/* Groups are i mod k; of the links drawn between groups one in CROSSING is taken. */
static void draw_rows(uint32_t k, uint32_t links_each)
{
    const uint32_t n_links = NODES * links_each;
    cairn_rng_t rng;
    cairn_rng_init(&rng, k, 12);
    for (uint32_t e = 0; e < n_links;) {
        a[e] = cairn_rng_below(&rng, NODES);
        b[e] = cairn_rng_below(&rng, NODES);
        e += a[e] != b[e] && (a[e] % k == b[e] % k || cairn_rng_below(&rng, CROSSING) == 0) ? 1u : 0u;
    }
    memset(start, 0, sizeof start);
    CHECK_EQ(cairn_half_count(start, NODES, a, b, n_links), CAIRN_OK);
    cairn_half_starts(start, NODES);
    cairn_half_fill(start, a, b, n_links, other16, NULL);
    for (uint32_t e = 0; e < n_links; ++e) {
        other32[e] = other16[e];
        ones[e] = 1;
    }
}

static cairn_pic_result_t cluster(uint32_t form, const cairn_pic_cfg_t *cfg, uint32_t operations, uint8_t *label)
{
    cairn_pic_result_t result;
    cairn_walk_t walk;
    CHECK_EQ(cairn_half_walk(&forms[form], &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_init(&job, cfg, &job_memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&job, &walk), CAIRN_OK);
    while (cairn_pic_step(&job, operations) == CAIRN_MORE) {
    }
    CHECK_EQ(cairn_pic_get_result(&job, &result), CAIRN_OK);
    for (uint32_t i = 0; i < NODES; ++i) {
        label[i] = cairn_pic_get_label(&job, i);
    }
    return result;
}

static uint32_t count_wrong(const uint8_t *label, uint32_t k)
{
    uint32_t n_wrong = 0;
    for (uint32_t i = 0; i < NODES; ++i) {
        n_wrong += label[i] != label[i % k] ? 1u : 0u;
    }
    for (uint32_t c = 1; c < k; ++c) {
        n_wrong += label[c] == label[c - 1] ? 1u : 0u;
    }
    return n_wrong;
}

TEST(test_pic_should_end_earlier_with_the_same_labels_when_it_begins_on_a_part_of_many_links)
{
    static uint8_t whole[NODES];
    static uint8_t thin[NODES];
    for (uint32_t k = 2; k <= K_MAX; k += 2) {
        cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
        cfg.n_clusters = (uint8_t)k;
        test_context("clusters", k);
        draw_rows(k, FEW);
        CHECK(cluster(0, &cfg, UINT32_MAX, whole).best_step != 4);
        draw_rows(k, MANY);
        CHECK_EQ(cluster(0, &cfg, UINT32_MAX, thin).best_step, 4);
        CHECK_EQ(count_wrong(whole, k), 0);
        CHECK_EQ(count_wrong(thin, k), 0);
    }
}

TEST(test_pic_should_keep_its_labels_when_a_thin_walk_is_sliced_or_links_weigh_one)
{
    static uint8_t label[2][NODES];
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cfg.n_vectors = VECTORS;
    draw_rows(2, MANY);
    const cairn_pic_result_t first = cluster(0, &cfg, UINT32_MAX, label[0]);
    for (uint32_t form = 0; form < FORMS; ++form) {
        const cairn_pic_result_t result = cluster(form, &cfg, 99991, label[1]);
        test_context("form", form);
        CHECK_MEM(label[1], label[0], NODES);
        CHECK(result.score == first.score);
        CHECK(result.ritz[0] == first.ritz[0]);
        CHECK_EQ(result.n_steps, first.n_steps);
    }
}

/* With a column of ones the product is the degrees: that of the part of the links, scaled, has their sum but for chance,
 * and each node counts links by eights. */
TEST(test_pic_should_take_an_even_part_of_the_links_when_a_walk_begins_thin)
{
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cairn_walk_t walk;
    double sum = 0;
    uint32_t n_odd = 0, n_none = 0;
    draw_rows(2, MANY);
    CHECK_EQ(cairn_half_walk(&forms[0], &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_init(&job, &cfg, &job_memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&job, &walk), CAIRN_OK);
    cairn_pic_add_thin(&job, 0, walk.n_parts);
    cairn_pic_scale_thin(&job);
    for (uint32_t i = 0; i < NODES; ++i) {
        const uint32_t degree = (uint32_t)pic_scratch(&job)[i];
        sum += degree;
        n_odd += degree % PIC_THIN_SHARE != 0 ? 1u : 0u;
        n_none += degree == 0 ? 1u : 0u;
    }
    /* 64 links a block: 17,000 of them, of which 2,100 are taken, give or take 43, 2 % */
    CHECK_NEAR(sum / (2. * NODES * MANY), 1, .06);
    CHECK_EQ(n_odd, 0);
    CHECK_EQ(n_none, 0);
}

TEST_MAIN(TEST_CASE(test_pic_should_end_earlier_with_the_same_labels_when_it_begins_on_a_part_of_many_links),
          TEST_CASE(test_pic_should_keep_its_labels_when_a_thin_walk_is_sliced_or_links_weigh_one),
          TEST_CASE(test_pic_should_take_an_even_part_of_the_links_when_a_walk_begins_thin))
