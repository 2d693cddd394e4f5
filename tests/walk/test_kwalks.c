/* SPDX-License-Identifier: MIT
 * Tests of k-walks and of clustering of links: made again in double, the plain way, from a matrix of weights. */
#include "cairn/edges.h"
#include "cairn/kwalks.h"
#include "cairn/rng.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 24, LINKS = 70, GROUPS = 2, ROUNDS = 4, N_DRAWS = TEST_SEEDS(6), COLUMNS = 4 };

CAIRN_PIC_DEFINE(pic, NODES, GROUPS, COLUMNS);

static uint32_t start[NODES + 1];
static uint16_t other[LINKS];
static cairn_real weights[LINKS];
static const cairn_half_t half = {NODES, start, other, NULL, weights};
static cairn_walk_t walk;
static double matrix[NODES][NODES];

/* Groups are the even and the odd nodes. Some links weigh nothing. */
static void draw_links(uint64_t draw)
{
    cairn_rng_t rng;
    uint32_t a[LINKS];
    uint32_t b[LINKS];
    cairn_rng_init(&rng, draw, 12);
    for (uint32_t e = 0; e < LINKS;) {
        a[e] = e < NODES ? e : cairn_rng_below(&rng, NODES);
        b[e] = cairn_rng_below(&rng, NODES);
        e += a[e] != b[e] && ((a[e] + b[e]) % 2 == 0 || cairn_rng_below(&rng, 3) == 0) ? 1u : 0u;
    }
    memset(start, 0, sizeof start);
    CHECK_EQ(cairn_half_count(start, NODES, a, b, LINKS), CAIRN_OK);
    cairn_half_starts(start, NODES);
    cairn_half_fill(start, a, b, LINKS, other, NULL);
    memset(matrix, 0, sizeof matrix);
    for (uint32_t i = 0; i < NODES; ++i) {
        for (uint32_t e = start[i]; e < start[i + 1]; ++e) {
            weights[e] = e % 5 == 4 ? 0 : 0.5f + cairn_rng_uniform(&rng);
            matrix[i][other[e]] += (double)weights[e];
            matrix[other[e]][i] += (double)weights[e];
        }
    }
    CHECK_EQ(cairn_half_walk(&half, &walk), CAIRN_OK);
}

/* v = (1 - alpha) A D^-1 v + alpha restart, `rounds` times; links between groups count only where group is NULL. */
static void walk_on(const double *restart, double alpha, int rounds, const uint8_t *group, double *v)
{
    double degree[NODES] = {0};
    for (int j = 0; j < NODES; ++j) {
        for (int i = 0; i < NODES; ++i) {
            degree[j] += group == NULL || group[i] == group[j] ? matrix[i][j] : 0;
        }
    }
    for (int round = 0; round < rounds; ++round) {
        double next[NODES];
        for (int i = 0; i < NODES; ++i) {
            next[i] = alpha * restart[i];
        }
        for (int j = 0; j < NODES; ++j) {
            const double each = degree[j] > 0 ? (1 - alpha) * v[j] / degree[j] : 0;
            for (int i = 0; i < NODES; ++i) {
                next[i] += matrix[i][j] > 0 && (group == NULL || group[i] == group[j]) ? matrix[i][j] * each : 0;
            }
        }
        memcpy(v, next, sizeof next);
    }
}

/* Labels of the restarts: the largest score. Returns the least share by which one is larger than the other. */
static double spread(uint8_t *group, const double *mass, double alpha)
{
    double score[GROUPS][NODES];
    double least = 1;
    for (uint8_t c = 0; c < GROUPS; ++c) {
        double restart[NODES];
        double sum = 0;
        for (int i = 0; i < NODES; ++i) {
            sum += group[i] == c ? mass[i] : 0;
        }
        for (int i = 0; i < NODES; ++i) {
            restart[i] = group[i] == c ? mass[i] / sum : 0;
            score[c][i] = restart[i];
        }
        walk_on(restart, alpha, 60, NULL, score[c]); /* .8^60 = 2e-6 */
    }
    for (int i = 0; i < NODES; ++i) {
        double margin = (score[1][i] - score[0][i]) / (score[1][i] + score[0][i]);
        group[i] = margin > 0 ? 1 : 0;
        margin = margin > 0 ? margin : -margin;
        least = margin < least ? margin : least;
    }
    return least;
}

/* From two centres, `rounds` times. */
static double walk_groups(uint8_t *group, double alpha, double teleport, uint32_t rounds)
{
    double mass[NODES];
    double ones[NODES];
    double margin = 1;
    for (int i = 0; i < NODES; ++i) {
        mass[i] = 1;
        ones[i] = 1;
    }
    for (uint32_t round = 0; round < rounds; ++round) {
        double least = spread(group, mass, alpha);
        margin = least < margin ? least : margin;
        memcpy(mass, ones, sizeof mass);
        walk_on(ones, teleport, 30, group, mass);
    }
    return margin;
}

/* With 1 to ROUNDS rounds; groups whose scores are too near for float are passed over. */
TEST(test_kwalks_should_agree_with_double_when_rounds_are_few_or_many)
{
    static cairn_real work[CAIRN_KWALKS_REALS(NODES)];
    static uint8_t label[CAIRN_KWALKS_LABELS(NODES)];
    const cairn_spread_memory_t memory = {work, CAIRN_KWALKS_REALS(NODES), label, CAIRN_KWALKS_LABELS(NODES)};
    uint32_t n_compared = 0;
    uint32_t n_apart = 0; /* where the teleport decides */
    for (uint32_t trial = 0; trial < N_DRAWS * ROUNDS; ++trial) {
        const uint16_t rounds = (uint16_t)(trial % ROUNDS + 1);
        cairn_spread_cfg_t cfg = cairn_spread_cfg_default;
        cairn_kwalks_t job;
        uint8_t group[NODES];
        uint8_t often[NODES];
        uint8_t seed[NODES];
        test_context("trial", trial);
        draw_links(trial / ROUNDS);
        memset(seed, CAIRN_SPREAD_UNKNOWN, sizeof seed);
        seed[0] = 0;
        seed[2] = 1; /* both in one group: the others have to come over */
        cfg.alpha = 0.2f;
        cfg.tolerance = 0;
        memcpy(group, seed, sizeof group);
        memcpy(often, seed, sizeof often);
        if (walk_groups(group, 0.2, 0.05, rounds) < 1e-3) {
            continue;
        }
        (void)walk_groups(often, 0.2, 0.9, rounds);
        n_apart += memcmp(group, often, sizeof group) != 0 ? 1u : 0u;
        ++n_compared;
        REQUIRE(cairn_kwalks_init(&job, &cfg, 0.05f, rounds, &memory, NODES) == CAIRN_OK);
        REQUIRE(cairn_kwalks_begin(&job, &walk, seed) == CAIRN_OK);
        CHECK(cairn_kwalks_step(&job, UINT32_MAX) >= 0);
        for (uint32_t i = 0; i < NODES; ++i) {
            CHECK_EQ(cairn_kwalks_get_label(&job, i), group[i]);
        }
    }
    CHECK(n_compared > N_DRAWS * ROUNDS / 2);
    CHECK(n_apart > 0);
}

/* Nearest of the centres to the point half way between two nodes. */
static uint8_t nearest(double centre[GROUPS][COLUMNS], uint32_t a, uint32_t b, uint8_t prefix)
{
    double square[GROUPS] = {0};
    for (int c = 0; c < GROUPS; ++c) {
        for (uint8_t q = 0; q < prefix; ++q) {
            double apart = (double)cairn_pic_get_place(&pic, a)[q] + (double)cairn_pic_get_place(&pic, b)[q];
            apart = 0.5 * apart - centre[c][q];
            square[c] += apart * apart;
        }
    }
    return square[1] < square[0] ? 1 : 0;
}

/* One round of k-means over the links, after the centres of the nodes' groups; then what each node's links belong to. */
static void cluster_links(uint8_t prefix, uint32_t count[NODES][GROUPS])
{
    double centre[GROUPS][COLUMNS] = {{0}};
    double sum[GROUPS][COLUMNS] = {{0}};
    double n[GROUPS] = {0};
    double total[GROUPS] = {0};
    for (uint32_t i = 0; i < NODES; ++i) {
        uint8_t c = cairn_pic_get_label(&pic, i);
        n[c] += 1;
        for (uint8_t q = 0; q < prefix; ++q) {
            centre[c][q] += (double)cairn_pic_get_place(&pic, i)[q];
        }
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int c = 0; c < GROUPS; ++c) {
            for (uint8_t q = 0; q < prefix; ++q) {
                centre[c][q] = pass == 0 ? centre[c][q] / n[c] : sum[c][q] / total[c];
            }
        }
        memset(count, 0, NODES * sizeof *count);
        for (uint32_t a = 0; a < NODES; ++a) {
            for (uint32_t e = start[a]; e < start[a + 1]; ++e) {
                uint8_t c = nearest(centre, a, other[e], prefix);
                count[a][c] += weights[e] > 0 ? 1u : 0u;
                count[other[e]][c] += weights[e] > 0 ? 1u : 0u;
                total[c] += pass == 0 ? (double)weights[e] : 0;
                for (uint8_t q = 0; q < prefix && pass == 0; ++q) {
                    sum[c][q] +=
                        (double)weights[e] * 0.5 *
                        ((double)cairn_pic_get_place(&pic, a)[q] + (double)cairn_pic_get_place(&pic, other[e])[q]);
                }
            }
        }
    }
}

TEST(test_edges_should_agree_with_double_when_some_links_weigh_nothing)
{
    static cairn_real work[CAIRN_EDGES_REALS(GROUPS, COLUMNS)];
    static uint16_t count[CAIRN_EDGES_COUNTS(NODES, GROUPS)];
    for (uint64_t draw = 0; draw < N_DRAWS; ++draw) {
        uint32_t wanted[NODES][GROUPS];
        cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
        cairn_pic_result_t result;
        cairn_edges_t edges;
        test_context("draw", (uint32_t)draw);
        draw_links(draw);
        cfg.seed = draw;
        REQUIRE(cairn_pic_init(&pic, &cfg, &pic_memory, NODES) == CAIRN_OK);
        REQUIRE(cairn_pic_begin(&pic, &walk) == CAIRN_OK);
        CHECK_EQ(cairn_pic_step(&pic, UINT32_MAX), CAIRN_OK);
        CHECK_EQ(cairn_pic_get_result(&pic, &result), CAIRN_OK);
        REQUIRE(cairn_edges_begin(&edges, &pic, 1, work, sizeof work / sizeof work[0], count,
                                  sizeof count / sizeof count[0]) == CAIRN_OK);
        CHECK_EQ(cairn_edges_step(&edges, UINT32_MAX), CAIRN_OK);
        cluster_links(result.prefix, wanted);
        for (uint32_t i = 0; i < NODES; ++i) {
            const uint32_t groups = (wanted[i][0] > 0 ? 1u : 0u) | (wanted[i][1] > 0 ? 2u : 0u);
            CHECK_EQ(cairn_edges_get_groups(&edges, i, 0), groups);
        }
    }
}

TEST_MAIN(TEST_CASE(test_kwalks_should_agree_with_double_when_rounds_are_few_or_many),
          TEST_CASE(test_edges_should_agree_with_double_when_some_links_weigh_nothing))
