/* SPDX-License-Identifier: MIT
 * Tests of power iteration clustering with few and with many clusters: moves and votes after the walk, made again in
 * double, the plain way, from the labels that the walk left; the exact split of one column. needs ram: 65536 */
#include "cairn/graph.h"
#include "cairn/pic.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 128, LINKS = NODES * 12, K_MAX = 16, VECTORS = 4, ROUNDS = 10, FEW = 6, CROWD = 31 };

CAIRN_GRAPH_ROWS_DEFINE(graph, NODES, LINKS);
CAIRN_PIC_DEFINE(pic, NODES, K_MAX, VECTORS);
CAIRN_PIC_DEFINE(crowd, FEW, CROWD, VECTORS);

static cairn_graph_cfg_t graph_cfg;
static cairn_pic_cfg_t cfg;
static cairn_walk_t walk;
static uint32_t k_groups;
static bool unclear;         /* between two groups that are about as near, the numbering decides */
static uint8_t left[NODES];  /* by the walk alone */
static uint8_t found[NODES]; /* with moves */

/* Ties, masses and cut of labels, in double. */
typedef struct groups {
    double ties[NODES][K_MAX];
    double degree[NODES];
    double mass[K_MAX];
    double inner[K_MAX];
    double size[K_MAX];
    double tau;
    double cut;
} groups_t;

static groups_t groups;

static void measure(const uint8_t *label)
{
    cairn_run_t run;
    double volume = 0;
    memset(&groups, 0, sizeof groups);
    for (uint32_t part = 0; part < walk.n_parts; ++part) {
        walk.run(&walk, part, &run);
        for (uint32_t e = 0; e < run.n; ++e) {
            const uint32_t a = cairn_run_node(&run, e);
            const uint32_t b = cairn_run_other(&run, e);
            const double w = (double)cairn_run_weight(&run, e);
            groups.ties[a][label[b]] += w;
            groups.ties[b][label[a]] += w;
            groups.degree[a] += w;
            groups.degree[b] += w;
            volume += 2 * w;
        }
    }
    groups.tau = (double)cfg.tau * volume / (2.0 * cairn_graph_get_links(&graph));
    for (uint32_t i = 0; i < walk.n_nodes; ++i) {
        groups.mass[label[i]] += groups.degree[i] + groups.tau;
        groups.inner[label[i]] += groups.ties[i][label[i]];
        groups.size[label[i]] += 1;
    }
    for (uint32_t c = 0; c < k_groups; ++c) {
        const double all = groups.inner[c] + groups.tau * groups.size[c] * groups.size[c] / walk.n_nodes;
        groups.cut += groups.size[c] > 0 ? 1 - all / groups.mass[c] : 1;
    }
}

/* Squared distance of a node from a group under the walk, but for a part that all groups share. */
static double distance(uint32_t i, uint32_t c)
{
    const double share = groups.tau * groups.size[c] / walk.n_nodes;
    const double inside = groups.inner[c] + share * groups.size[c];
    const double mass = groups.degree[i] + groups.tau;
    return groups.size[c] > 0
               ? inside * mass / (groups.mass[c] * groups.mass[c]) - 2 * (groups.ties[i][c] + share) / groups.mass[c]
               : 1e30;
}

/* Labels after a round in which each node goes to its nearest group; returns how many went. */
static uint32_t move_all(const uint8_t *label, uint8_t *next)
{
    uint32_t n_movers = 0;
    for (uint32_t i = 0; i < walk.n_nodes; ++i) {
        const double share = 1e-4 * (groups.degree[i] + groups.tau) / groups.mass[label[i]];
        double away[K_MAX];
        for (uint32_t c = 0; c < k_groups; ++c) {
            away[c] = distance(i, c);
        }
        next[i] = label[i];
        for (uint32_t c = 0; c < k_groups; ++c) {
            /* ties of rounding leave a node where it is, as in the library: 1e-4 of its mass */
            if (away[c] < away[next[i]] - 2 * share) {
                next[i] = (uint8_t)c;
            }
        }
        n_movers += next[i] != label[i] ? 1u : 0u;
        for (uint32_t c = 0; c < k_groups && next[i] != label[i]; ++c) {
            unclear = unclear || (c != next[i] && c != label[i] && away[c] < away[next[i]] + 3 * share);
        }
    }
    return n_movers;
}

/* Labels after a vote of each node's links, where it has half the mean degree. */
static uint32_t vote_all(const uint8_t *label, uint8_t *next)
{
    double volume = 0;
    uint32_t n_movers = 0;
    for (uint32_t i = 0; i < walk.n_nodes; ++i) {
        volume += groups.degree[i];
    }
    for (uint32_t i = 0; i < walk.n_nodes; ++i) {
        next[i] = label[i];
        for (uint32_t c = 0; c < k_groups && groups.degree[i] >= 0.5 * volume / walk.n_nodes; ++c) {
            next[i] = groups.ties[i][c] > groups.ties[i][next[i]] + 1e-4 * groups.degree[i] ? (uint8_t)c : next[i];
        }
        n_movers += next[i] != label[i] ? 1u : 0u;
        for (uint32_t c = 0; c < k_groups && next[i] != label[i]; ++c) {
            unclear = unclear || (c != next[i] && groups.ties[i][c] > groups.ties[i][next[i]] - 0.5);
        }
    }
    return n_movers;
}

typedef enum refined { STAYED, MOVED, VOTED } refined_t;

/* What the library has to make of the walk's labels. */
static refined_t refine(uint8_t *label)
{
    uint8_t next[NODES];
    uint8_t voted[NODES];
    for (int round = 0; round < ROUNDS; ++round) {
        uint32_t n_voted = 0;
        double before = 0;
        measure(label);
        before = groups.cut;
        const uint32_t n_movers = move_all(label, next);
        if (n_movers == 0) {
            return round > 0 ? MOVED : STAYED;
        }
        if (round == 0 && n_movers <= walk.n_nodes / 64) {
            n_voted = vote_all(label, voted);
        }
        measure(next);
        if (!(groups.cut < (round == 0 ? before / 1.01 : before - 1e-6))) {
            if (n_voted > 0) {
                memcpy(label, voted, NODES);
            }
            return round > 0 ? MOVED : n_voted > 0 ? VOTED : STAYED;
        }
        memcpy(label, next, NODES);
    }
    return MOVED;
}

/* Groups are i mod k_groups; one link in `crossing` crosses. */
static void draw_graph(uint64_t draw, uint32_t n_links, uint32_t crossing)
{
    cairn_rng_t rng;
    memset(&graph_cfg, 0, sizeof graph_cfg);
    cairn_rng_init(&rng, draw, 9);
    CHECK_EQ(cairn_graph_init(&graph, &graph_cfg, &graph_memory), CAIRN_OK);
    for (uint32_t e = 0; e < n_links;) {
        const uint32_t a = cairn_rng_below(&rng, NODES);
        const uint32_t b = cairn_rng_below(&rng, NODES);
        if (a != b && (a % k_groups != b % k_groups) == (cairn_rng_below(&rng, crossing) == 0)) {
            CHECK(cairn_graph_add(&graph, a, b, 1) >= 0);
            ++e;
        }
    }
    CHECK_EQ(cairn_graph_walk(&graph, &walk), CAIRN_OK);
}

static double cluster(uint8_t moves_max, uint8_t *label)
{
    cairn_pic_result_t result;
    cfg.moves_max = moves_max;
    CHECK_EQ(cairn_pic_init(&pic, &cfg, &pic_memory, NODES), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&pic, &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_step(&pic, UINT32_MAX), CAIRN_OK);
    CHECK_EQ(cairn_pic_get_result(&pic, &result), CAIRN_OK);
    for (uint32_t i = 0; i < walk.n_nodes; ++i) {
        label[i] = cairn_pic_get_label(&pic, i);
    }
    return (double)result.score;
}

/* Labels may be numbered otherwise: the same pairs are together. */
static uint32_t count_differences(const uint8_t *one, const uint8_t *other)
{
    uint8_t number[K_MAX];
    uint32_t n = 0;
    memset(number, 255, sizeof number);
    for (uint32_t i = 0; i < walk.n_nodes; ++i) {
        number[one[i]] = number[one[i]] == 255 ? other[i] : number[one[i]];
        n += number[one[i]] != other[i] ? 1u : 0u;
    }
    return n;
}

/* Walks that are cut off too early leave work for moves, whole ones for votes. Every draw on the host, each fifth elsewhere. */
static void check_refined(uint32_t k, uint32_t crossing)
{
    uint32_t n[3] = {0, 0, 0};
    uint32_t n_unclear = 0;
    uint32_t n_draws = 0;
    const uint32_t each = TEST_STRIDE == 1u ? 1 : 5;
    k_groups = k;
    for (uint64_t draw = (k - 2) % each; draw < 24; draw += each) { /* which show all three */
        const bool cut_off = draw < 8;
        double score = 0;
        test_context("draw", (uint32_t)draw);
        cfg = cairn_pic_cfg_default;
        cfg.n_clusters = (uint8_t)k_groups;
        cfg.seed = draw;
        cfg.hysteresis = 0;
        cfg.n_vectors = cut_off ? 1 : VECTORS;
        cfg.doublings_max = cut_off ? 1 : 11;
        draw_graph(draw, 900, crossing);
        cluster(0, left);
        score = cluster(ROUNDS, found);
        unclear = false;
        ++n[refine(left)];
        n_unclear += unclear ? 1u : 0u;
        ++n_draws;
        CHECK(unclear || count_differences(left, found) == 0);
        measure(found);
        CHECK_NEAR(score, groups.cut, 1e-5); /* labels and score are of the same step */
    }
    CHECK(4u * n_unclear < n_draws);
    CHECK(n[MOVED] > 0 && n[VOTED] > 0 && n[STAYED] > 0); /* the draws show all three */
}

TEST(test_pic_should_move_and_vote_as_in_double_when_the_walk_has_ended) { check_refined(2, 4); }

/* Their ties are summed up for a block of nodes after the other. */
TEST(test_pic_should_move_and_vote_as_in_double_when_clusters_are_many) { check_refined(6, 12); }

/* Sum of squares of sorted numbers [from, to). */
static double squares(const double *x, uint32_t from, uint32_t to)
{
    double mean = 0;
    double sum = 0;
    for (uint32_t i = from; i < to; ++i) {
        mean += x[i] / (to - from);
    }
    for (uint32_t i = from; i < to; ++i) {
        sum += (x[i] - mean) * (x[i] - mean);
    }
    return sum;
}

/* The least that k intervals of sorted numbers can have, by trying all begins. */
static double least_squares(const double *x, uint32_t n, uint32_t k)
{
    double least[NODES + 1];
    for (uint32_t j = 1; j <= n; ++j) {
        least[j] = squares(x, 0, j);
    }
    for (uint32_t c = 1; c < k; ++c) {
        for (uint32_t j = n; j > c; --j) { /* down: what is left of j still has an interval less */
            double mean = 0;
            double last = 0; /* of [i, j), a number more each time: doubles are software on the boards */
            least[j] = 1e30;
            for (uint32_t i = j; i-- > c;) {
                const double off = x[i] - mean;
                mean += off / (j - i);
                last += off * (x[i] - mean);
                least[j] = least[i] + last < least[j] ? least[i] + last : least[j];
            }
        }
    }
    return least[n];
}

/* One column and one checkpoint, so labels and places are of the same step. */
TEST(test_pic_should_split_a_column_best_when_clusters_are_few_or_many)
{
    for (k_groups = 2; k_groups <= K_MAX; k_groups += 2u * TEST_STRIDE) {
        double x[NODES];
        double sum = 0;
        uint32_t n = 0;
        test_context("clusters", k_groups);
        cfg = cairn_pic_cfg_default;
        cfg.n_clusters = (uint8_t)k_groups;
        cfg.n_vectors = 1;
        cfg.doublings_first = cfg.doublings_max = 3;
        draw_graph(k_groups, 900, 4);
        cluster(0, found);
        for (uint8_t c = 0; c < k_groups; ++c) {
            double own[NODES];
            uint32_t n_own = 0;
            for (uint32_t i = 0; i < walk.n_nodes; ++i) {
                if (found[i] == c) {
                    own[n_own++] = (double)cairn_pic_get_place(&pic, i)[0];
                }
            }
            sum += n_own > 0 ? squares(own, 0, n_own) : 0;
            for (uint32_t i = 0; i < n_own; ++i) { /* into the sorted ones */
                uint32_t at = n++;
                for (; at > 0 && x[at - 1] > own[i]; --at) {
                    x[at] = x[at - 1];
                }
                x[at] = own[i];
            }
        }
        const double least = least_squares(x, n, k_groups);
        CHECK_EQ(n, walk.n_nodes);
        CHECK(least > 0 && sum < least * (1 + 1e-4));
    }
}

/* Where there is no room for the ties of one node, nothing asks whether nodes would move: the walk goes on until the cut
 * no longer falls. */
TEST(test_pic_should_end_by_patience_when_there_is_no_room_for_ties)
{
    cairn_pic_result_t result;
    CHECK(FEW * CAIRN_PIC_SPLIT_REALS(FEW, CROWD) < CROWD);
    memset(&graph_cfg, 0, sizeof graph_cfg);
    CHECK_EQ(cairn_graph_init(&graph, &graph_cfg, &graph_memory), CAIRN_OK);
    for (uint32_t a = 0; a < FEW; ++a) {
        CHECK(cairn_graph_add(&graph, a, (a + 1) % FEW, 1) >= 0);
    }
    CHECK_EQ(cairn_graph_walk(&graph, &walk), CAIRN_OK);
    cfg = cairn_pic_cfg_default;
    cfg.n_clusters = CROWD;
    cfg.doublings_first = 3; /* the first checkpoint would ask */
    cfg.patience = 0;
    CHECK_EQ(cairn_pic_init(&crowd, &cfg, &crowd_memory, FEW), CAIRN_OK);
    CHECK_EQ(cairn_pic_begin(&crowd, &walk), CAIRN_OK);
    CHECK_EQ(cairn_pic_step(&crowd, UINT32_MAX), CAIRN_OK);
    CHECK_EQ(cairn_pic_get_result(&crowd, &result), CAIRN_OK);
    CHECK_EQ(result.reason, CAIRN_PIC_PATIENCE);
    CHECK_EQ(result.n_clusters, FEW);
    CHECK_EQ(result.n_moves, 0);
}

TEST_MAIN(TEST_CASE(test_pic_should_move_and_vote_as_in_double_when_the_walk_has_ended),
          TEST_CASE(test_pic_should_move_and_vote_as_in_double_when_clusters_are_many),
          TEST_CASE(test_pic_should_split_a_column_best_when_clusters_are_few_or_many),
          TEST_CASE(test_pic_should_end_by_patience_when_there_is_no_room_for_ties))
