/* SPDX-License-Identifier: MIT
 * Clustering of streams through a bounded graph of 256 nodes: bursts, groups that change, kernel weights, labels that
 * stay. All rows with the setting for small devices, whose cost the boards' workload `cluster` counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/graph.h"
#include "cairn/pic.h"
#include "memory.h"
#include "pic_bench.h"
#include "pic_run.h"

enum { N_NODES = 256, N_LINKS_MAX = 2048, K = 4, VECTORS = 3, N_SEEDS = 10 };

CAIRN_GRAPH_ROWS_DEFINE(rows, N_NODES, N_LINKS_MAX);
CAIRN_GRAPH_LIST_DEFINE(list, N_NODES, N_LINKS_MAX);
CAIRN_PIC_DEFINE(pic, N_NODES, K, VECTORS);

static cairn_graph_cfg_t graph_cfg;
static cairn_pic_cfg_t pic_cfg;

/* An empty graph of a policy with room for n_links, and a job without labels. */
static cairn_graph_t *begin(cairn_graph_policy policy, size_t n_links, uint64_t seed)
{
    bool is_list = policy >= CAIRN_GRAPH_RESERVOIR;
    cairn_graph_t *graph = is_list ? &list : &rows;
    cairn_graph_memory_t memory = is_list ? list_memory : rows_memory;
    memset(&graph_cfg, 0, sizeof graph_cfg);
    graph_cfg.policy = policy;
    graph_cfg.seed = seed;
    memory.n_links = n_links;
    pic_cfg = cairn_pic_cfg_small;
    pic_cfg.n_clusters = K;
    pic_cfg.seed = seed;
    if (cairn_graph_init(graph, &graph_cfg, &memory) != CAIRN_OK ||
        cairn_pic_init(&pic, &pic_cfg, &pic_memory, N_NODES) != CAIRN_OK) {
        abort();
    }
    return graph;
}

static void add(cairn_graph_t *graph, uint32_t a, uint32_t b, double weight)
{
    if (cairn_graph_add(graph, a, b, (cairn_real)weight) < 0) {
        abort();
    }
}

/* Labels by id; ids are 0 to N_NODES - 1. */
static void cluster(const cairn_graph_t *graph, uint8_t *label)
{
    cairn_walk_t walk;
    if (cairn_graph_walk(graph, &walk) != CAIRN_OK || cairn_pic_begin(&pic, &walk) != CAIRN_OK) {
        abort();
    }
    while (cairn_pic_step(&pic, UINT32_MAX) == CAIRN_MORE) {
    }
    for (uint32_t id = 0; id < N_NODES; id++) {
        label[id] = cairn_pic_get_label(&pic, cairn_graph_find(graph, id));
    }
}

static double nmi_of(const uint8_t *truth, const uint8_t *label)
{
    uint8_t copy[N_NODES];
    graphset_t graph = {0};
    agreement_t agreement;
    memcpy(copy, truth, sizeof copy);
    graph.n_nodes = N_NODES;
    graph.truth = copy;
    agreement_measure(&graph, label, &agreement);
    return agreement.nmi;
}

static void report(pic_bench_t *bench, const char *name, size_t n_links, double value, double least, double bar,
                   bool good)
{
    output_print(bench->out, "%-44s E %4zu  %.3f  worst %.3f  bar %.3f  %s\n", name, n_links, value, least, bar,
                 good ? "ok" : "falls short");
    output_flush(bench->out);
    pic_bench_count(bench, good);
}

/* Distinct links of the planted graph, in bursts: each comes with the group of one of its ends. */
static void run_bursts(pic_bench_t *bench)
{
    double mean = 0;
    double least = 1;
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        graphset_t graph;
        uint8_t label[N_NODES];
        cairn_rng_t rng;
        graphset_planted(&graph, N_NODES, K, 10350, .2, seed); /* 7.3 thousand distinct ones */
        uint8_t *burst = memory_zeroed(graph.n_links, 1);
        cairn_rng_init(&rng, seed, 61);
        for (size_t e = 0; e < graph.n_links; e++) { /* a shuffled order inside each burst */
            size_t j = e + cairn_rng_below(&rng, (uint32_t)(graph.n_links - e));
            uint32_t a = graph.a[e];
            uint32_t b = graph.b[e];
            graph.a[e] = graph.a[j];
            graph.b[e] = graph.b[j];
            graph.a[j] = a;
            graph.b[j] = b;
            burst[e] = graph.truth[cairn_rng_below(&rng, 2) ? graph.a[e] : graph.b[e]];
        }
        cairn_graph_t *kept = begin(CAIRN_GRAPH_ROWS_RANDOM, N_LINKS_MAX, seed);
        for (unsigned group = 0; group < K; group++) {
            for (size_t e = 0; e < graph.n_links; e++) {
                if (burst[e] == group) {
                    add(kept, graph.a[e], graph.b[e], 1);
                }
            }
        }
        cluster(kept, label);
        double nmi = nmi_of(graph.truth, label);
        mean += nmi / N_SEEDS;
        least = nmi < least ? nmi : least;
        if (seed == 1) {
            output_print(bench->out, "%zu distinct links\n", graph.n_links);
        }
        free(burst);
        graphset_free(&graph);
    }
    report(bench, "bursts, group after group", N_LINKS_MAX, mean, least, .99, mean >= .99);
}

/* One link of the planted model with the present groups: e crossing. */
static void draw_link(cairn_rng_t *rng, const uint8_t *truth, uint32_t *a, uint32_t *b)
{
    bool crosses = cairn_rng_below(rng, 5) == 0;
    do {
        *a = cairn_rng_below(rng, N_NODES);
        *b = cairn_rng_below(rng, N_NODES);
    } while (*a == *b || (truth[*a] != truth[*b]) != crosses);
}

static void run_drift(pic_bench_t *bench, cairn_graph_policy policy, const char *name, double half_life, bool judged)
{
    double mean = 0;
    double least = 1;
    unsigned n = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint8_t truth[N_NODES];
        uint8_t label[N_NODES];
        cairn_rng_t rng;
        cairn_rng_init(&rng, seed, 67);
        for (uint32_t i = 0; i < N_NODES; i++) {
            truth[i] = (uint8_t)(i % K);
        }
        cairn_graph_t *graph = begin(policy, N_LINKS_MAX, seed);
        graph_cfg.half_life = (cairn_real)half_life;
        for (int change = 0; change <= 4; change++) {
            for (uint32_t i = 0; i < N_NODES && change > 0; i++) {
                truth[i] = cairn_rng_below(&rng, 4) == 0 ? (uint8_t)cairn_rng_below(&rng, K) : truth[i];
            }
            for (int arrival = 1; arrival <= 6000; arrival++) {
                uint32_t a = 0;
                uint32_t b = 0;
                draw_link(&rng, truth, &a, &b);
                add(graph, a, b, 1);
                if (arrival == 3000 && change > 0) {
                    cluster(graph, label);
                    double nmi = nmi_of(truth, label);
                    mean += nmi;
                    least = nmi < least ? nmi : least;
                    n++;
                }
            }
        }
    }
    if (judged) {
        report(bench, name, N_LINKS_MAX, mean / n, least, .98, mean / n >= .98);
    } else {
        output_print(bench->out, "%-44s E %4d  %.3f  worst %.3f\n", name, N_LINKS_MAX, mean / n, least);
    }
}

static double full_nmi(const graphset_t *graph, uint64_t seed)
{
    uint8_t label[N_NODES];
    pic_run_options_t options = {4, 11, 3, seed};
    pic_run_result_t result;
    agreement_t agreement = {0, 0, 0, 0, 0};
    if (pic_run_float(graph, &options, label, &result)) {
        agreement_measure(graph, label, &agreement);
    }
    return agreement.nmi;
}

static void link_swap(graphset_t *graph, size_t i, size_t j)
{
    uint32_t a = graph->a[i];
    uint32_t b = graph->b[i];
    double weight = graph->weight[i];
    graph->a[i] = graph->a[j];
    graph->b[i] = graph->b[j];
    graph->weight[i] = graph->weight[j];
    graph->a[j] = a;
    graph->b[j] = b;
    graph->weight[j] = weight;
}

/* All pairs of 256 points of four blobs, in random order, through priority sampling. */
static void run_kernel(pic_bench_t *bench)
{
    static const size_t sizes[] = {512, 1024, 2048};
    double mean[4] = {0, 0, 0, 0};
    double least[4] = {1, 1, 1, 1};
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        graphset_t graph;
        uint8_t label[N_NODES];
        cairn_rng_t rng;
        graphset_blobs(&graph, N_NODES, K, .33, seed);
        graphset_gaussian(&graph, .3, 0);
        double full = full_nmi(&graph, seed);
        cairn_rng_init(&rng, seed, 71);
        for (size_t e = graph.n_links; e-- > 1;) {
            size_t j = cairn_rng_below(&rng, (uint32_t)(e + 1));
            link_swap(&graph, e, j);
        }
        for (size_t s = 0; s < 4; s++) {
            double nmi = full;
            if (s < 3) {
                cairn_graph_t *kept = begin(CAIRN_GRAPH_PRIORITY, sizes[s], seed);
                graph_cfg.distinct = true;
                for (size_t e = 0; e < graph.n_links; e++) {
                    add(kept, graph.a[e], graph.b[e], graph.weight[e]);
                }
                cluster(kept, label);
                nmi = nmi_of(graph.truth, label);
            }
            mean[s] += nmi / N_SEEDS;
            least[s] = nmi < least[s] ? nmi : least[s];
        }
        graphset_free(&graph);
    }
    output_print(bench->out, "kernel weights of all pairs, whole graph: %.3f\n", mean[3]);
    report(bench, "kernel weights, priority sample", 512, mean[0], least[0], .80, mean[0] >= .80);
    report(bench, "kernel weights, priority sample", 1024, mean[1], least[1], .85, mean[1] >= .85);
    report(bench, "kernel weights, priority sample", 2048, mean[2], least[2], mean[3] - .025,
           mean[2] >= mean[3] - .025);
}

/* Groups stay; 200 new links between queries: how many nodes change their label from one query to the next. */
static void run_stable(pic_bench_t *bench)
{
    double mean = 0;
    double worst = 0;
    unsigned n = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint8_t truth[N_NODES];
        uint8_t label[N_NODES];
        uint8_t before[N_NODES];
        cairn_rng_t rng;
        cairn_rng_init(&rng, seed, 73);
        for (uint32_t i = 0; i < N_NODES; i++) {
            truth[i] = (uint8_t)(i % K);
        }
        cairn_graph_t *graph = begin(CAIRN_GRAPH_ROWS_RANDOM, 1536, seed);
        for (int arrival = 1; arrival <= 10000; arrival++) {
            uint32_t a = 0;
            uint32_t b = 0;
            draw_link(&rng, truth, &a, &b);
            add(graph, a, b, 1);
            if (arrival >= 4000 && arrival % 200 == 0) {
                memcpy(before, label, sizeof before);
                pic_cfg.seed = (uint64_t)arrival; /* another start each time */
                cluster(graph, label);
                size_t changed = 0;
                for (uint32_t i = 0; i < N_NODES && arrival > 4000; i++) {
                    changed += label[i] != before[i];
                }
                mean += (double)changed / N_NODES;
                worst = (double)changed / N_NODES > worst ? (double)changed / N_NODES : worst;
                n += arrival > 4000;
            }
        }
    }
    report(bench, "labels that change between queries, share", 1536, mean / n, worst, .01, mean / n <= .01);
}

/* Streams as the boards' workload has them. */
static void run_plain(pic_bench_t *bench)
{
    double mean = 0;
    double least = 1;
    enum { RUNS = 50 };
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        uint8_t truth[N_NODES];
        uint8_t label[N_NODES];
        cairn_rng_t rng;
        cairn_rng_init(&rng, seed, 79);
        for (uint32_t i = 0; i < N_NODES; i++) {
            truth[i] = (uint8_t)(i % K);
        }
        cairn_graph_t *graph = begin(CAIRN_GRAPH_ROWS_RANDOM, N_LINKS_MAX, seed);
        for (int arrival = 0; arrival < 4 * N_LINKS_MAX; arrival++) {
            uint32_t a = 0;
            uint32_t b = 0;
            draw_link(&rng, truth, &a, &b);
            add(graph, a, b, 1);
        }
        cluster(graph, label);
        double nmi = nmi_of(truth, label);
        mean += nmi / RUNS;
        least = nmi < least ? nmi : least;
    }
    report(bench, "four groups, random order, 50 streams", N_LINKS_MAX, mean, least, .99, mean >= .99);
}

void pic_bench_stream(pic_bench_t *bench)
{
    run_bursts(bench);
    run_drift(bench, CAIRN_GRAPH_ROWS_RANDOM, "groups change, 3000 links later, random slot", 0, true);
    run_drift(bench, CAIRN_GRAPH_ROWS_OLDEST, "  the same, oldest slot", 0, false);
    run_drift(bench, CAIRN_GRAPH_ROWS_RANDOM, "  the same, random slot, half life 1000", 1000, false);
    run_drift(bench, CAIRN_GRAPH_RESERVOIR, "  the same, uniform reservoir", 0, false);
    run_kernel(bench);
    run_stable(bench);
    run_plain(bench);
}
