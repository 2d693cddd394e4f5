/* SPDX-License-Identifier: MIT
 * Clustering into as many groups as a label tells apart, next to the label that means unknown. */
#include "cairn/pic.h"
#include "support/test.h"

#include <string.h>

enum { K_MAX = CAIRN_PIC_CLUSTERS_MAX, SIZE = 5, NODES = K_MAX * SIZE + 1, VECTORS = 8 };
enum { LINKS = K_MAX * SIZE * (SIZE - 1) / 2 };

CAIRN_PIC_DEFINE(job, NODES, K_MAX, VECTORS);

static uint32_t start[NODES + 1];
static uint16_t other[LINKS];

/* Cliques of SIZE nodes each, and one node without links. */
static void make_cliques(void)
{
    uint32_t n_links = 0;
    for (uint32_t i = 0; i < NODES; ++i) {
        start[i] = n_links;
        for (uint32_t j = i + 1; j < NODES - 1 && j / SIZE == i / SIZE; ++j) {
            other[n_links++] = (uint16_t)j;
        }
    }
    start[NODES] = n_links;
    CHECK_EQ(n_links, LINKS);
}

/* Numbers of groups up to the largest: k-means of one column, which takes its layers in parts, and of several. */
TEST(test_pic_should_keep_cliques_whole_when_clusters_are_as_many_as_labels)
{
    static const cairn_half_t half = {NODES, start, other, NULL, NULL};
    make_cliques();
    for (uint32_t k = K_MAX - 1; k <= K_MAX; ++k) {
        bool used[K_MAX] = {false};
        uint32_t n_used = 0, n_split = 0, n_beyond = 0;
        cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
        cairn_pic_result_t result;
        cairn_walk_t walk;
        cfg.n_clusters = (uint8_t)k;
        cfg.n_vectors = VECTORS;
        test_context("clusters", k);
        CHECK_EQ(cairn_half_walk(&half, &walk), CAIRN_OK);
        CHECK_EQ(cairn_pic_init(&job, &cfg, &job_memory, NODES), CAIRN_OK);
        CHECK_EQ(cairn_pic_begin(&job, &walk), CAIRN_OK);
        CHECK_EQ(cairn_pic_step(&job, UINT32_MAX), CAIRN_OK);
        CHECK_EQ(cairn_pic_get_result(&job, &result), CAIRN_OK);
        for (uint32_t i = 0; i < NODES - 1; ++i) {
            const uint8_t label = cairn_pic_get_label(&job, i);
            n_beyond += label >= k ? 1u : 0u;
            n_split += label != cairn_pic_get_label(&job, i / SIZE * SIZE) ? 1u : 0u;
            n_used += label < k && !used[label] ? 1u : 0u;
            used[label < k ? label : 0] = true;
        }
        CHECK_EQ(n_beyond, 0);
        CHECK_EQ(n_split, 0);
        CHECK_EQ(result.n_clusters, n_used);
        CHECK(n_used >= k * 19 / 20); /* all but a few that k-means leaves empty */
        CHECK_EQ(cairn_pic_get_label(&job, NODES - 1), CAIRN_PIC_UNKNOWN);
    }
}

TEST_MAIN(TEST_CASE(test_pic_should_keep_cliques_whole_when_clusters_are_as_many_as_labels))
