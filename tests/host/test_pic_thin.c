/* SPDX-License-Identifier: MIT
 * Clustering of a large graph with hundreds of links a node: first steps on a part of the links change neither labels nor
 * the rules of slices and forms. */
enum { FEW = 255, MANY = 260, CROSSING = 12 };

#define PLAIN_NODES 4200
#define PLAIN_LINKS (PLAIN_NODES * MANY)
#define PLAIN_K_MAX 4
#include "oracle/plain.h"
#include "walk/pic_internal.h"

static uint32_t a[PLAIN_LINKS];
static uint32_t b[PLAIN_LINKS];

/* Groups are i mod k; of the links drawn between groups one in CROSSING is taken. */
static void draw_rows(uint32_t k, uint32_t links_each)
{
    const uint32_t n_links = PLAIN_NODES * links_each;
    cairn_rng_t rng;
    cairn_rng_init(&rng, k, 12);
    for (uint32_t e = 0; e < n_links;) {
        a[e] = cairn_rng_below(&rng, PLAIN_NODES);
        b[e] = cairn_rng_below(&rng, PLAIN_NODES);
        e += a[e] != b[e] && (a[e] % k == b[e] % k || cairn_rng_below(&rng, CROSSING) == 0) ? 1u : 0u;
    }
    plain_fill(a, b, n_links);
}

static uint32_t count_wrong(const uint8_t *label, uint32_t k)
{
    uint32_t n_wrong = 0;
    for (uint32_t i = 0; i < PLAIN_NODES; ++i) {
        n_wrong += label[i] != label[i % k] ? 1u : 0u;
    }
    for (uint32_t c = 1; c < k; ++c) {
        n_wrong += label[c] == label[c - 1] ? 1u : 0u;
    }
    return n_wrong;
}

TEST(test_pic_should_end_earlier_with_the_same_labels_when_it_begins_on_a_part_of_many_links)
{
    static uint8_t whole[PLAIN_NODES];
    static uint8_t thin[PLAIN_NODES];
    for (uint32_t k = 2; k <= PLAIN_K_MAX; k += 2) {
        cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
        cfg.n_clusters = (uint8_t)k;
        test_context("clusters", k);
        draw_rows(k, FEW);
        CHECK(plain_cluster(PLAIN_16, &cfg, UINT32_MAX, whole).best_step != 4);
        draw_rows(k, MANY);
        CHECK_EQ(plain_cluster(PLAIN_16, &cfg, UINT32_MAX, thin).best_step, 4);
        CHECK_EQ(count_wrong(whole, k), 0);
        CHECK_EQ(count_wrong(thin, k), 0);
    }
}

TEST(test_pic_should_keep_its_labels_when_a_thin_walk_is_sliced_or_links_weigh_one)
{
    static uint8_t label[2][PLAIN_NODES];
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cfg.n_vectors = PLAIN_VECTORS;
    draw_rows(2, MANY);
    const cairn_pic_result_t first = plain_cluster(PLAIN_16, &cfg, UINT32_MAX, label[0]);
    for (uint32_t form = 0; form < PLAIN_FORMS; ++form) {
        const cairn_pic_result_t result = plain_cluster(form, &cfg, 99991, label[1]);
        test_context("form", form);
        CHECK_MEM(label[1], label[0], PLAIN_NODES);
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
    CHECK_EQ(cairn_half_walk(&plain_forms[PLAIN_16], &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_init(&plain_pic, &cfg, &plain_pic_memory, PLAIN_NODES), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&plain_pic, &walk), CAIRN_OK);
    cairn_pic_add_thin(&plain_pic, 0, walk.n_parts);
    cairn_pic_scale_thin(&plain_pic);
    for (uint32_t i = 0; i < PLAIN_NODES; ++i) {
        const uint32_t degree = (uint32_t)pic_scratch(&plain_pic)[i];
        sum += degree;
        n_odd += degree % PIC_THIN_SHARE != 0 ? 1u : 0u;
        n_none += degree == 0 ? 1u : 0u;
    }
    /* 64 links a block: 17,000 of them, of which 2,100 are taken, give or take 43, 2 % */
    CHECK_NEAR(sum / (2. * PLAIN_NODES * MANY), 1, .06);
    CHECK_EQ(n_odd, 0);
    CHECK_EQ(n_none, 0);
}

TEST_MAIN(TEST_CASE(test_pic_should_end_earlier_with_the_same_labels_when_it_begins_on_a_part_of_many_links),
          TEST_CASE(test_pic_should_keep_its_labels_when_a_thin_walk_is_sliced_or_links_weigh_one),
          TEST_CASE(test_pic_should_take_an_even_part_of_the_links_when_a_walk_begins_thin))
