/* SPDX-License-Identifier: MIT
 * Clustering of streams through a bounded graph of 256 nodes: bursts, groups that change, kernel weights, labels that
 * stay. All rows with the setting for small devices, whose cost the boards' workload `cluster` counts; float and double
 * have to give the same labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/graph.h"
#include "cairn/rng.h"
#include "memory.h"
#include "pic_bench.h"
#include "pic_run.h"
#include "stream_run.h"

enum { N_NODES = STREAM_NODES, N_LINKS_MAX = STREAM_LINKS_MAX, K = STREAM_GROUPS, N_SEEDS = 10 };

/* Queries of a row, and those whose labels in double are the same. */
typedef struct twins {
    unsigned n_queries;
    unsigned n_same;
} twins_t;

/* An empty graph of a policy with room for n_links, and a job without labels. */
static void begin(cairn_graph_policy policy, size_t n_links, uint64_t seed, double half_life, bool distinct)
{
    const stream_options_t options = {(int)policy, n_links, half_life, distinct, seed};
    stream_run_float.begin(&options);
    stream_run_double.begin(&options);
}

static void add(uint32_t a, uint32_t b, double weight)
{
    stream_run_float.add(a, b, (float)weight);
    stream_run_double.add(a, b, (float)weight);
}

static void cluster(twins_t *twins, uint64_t seed, uint8_t *label)
{
    uint8_t twin[N_NODES];
    stream_run_float.cluster(seed, label);
    stream_run_double.cluster(seed, twin);
    twins->n_queries++;
    twins->n_same += memcmp(label, twin, sizeof twin) == 0;
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

/* Ends a row: it also falls short when the labels of a query are others in double. */
static void report(pic_bench_t *bench, const char *name, size_t n_links, double value, double least, double bar,
                   bool good, const twins_t *twins)
{
    const bool all_same = twins->n_same == twins->n_queries;
    output_print(bench->out, "%-44s E %4zu  %.3f  worst %.3f  bar %.3f  same %3u/%-3u  %s\n", name, n_links, value,
                 least, bar, twins->n_same, twins->n_queries, good && all_same ? "ok" : "falls short");
    output_flush(bench->out);
    pic_bench_count(bench, good && all_same);
}

/* Distinct links of the planted graph, in bursts: each comes with the group of one of its ends. */
static void run_bursts(pic_bench_t *bench)
{
    twins_t twins = {0, 0};
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
        begin(CAIRN_GRAPH_ROWS_RANDOM, N_LINKS_MAX, seed, 0, false);
        for (unsigned group = 0; group < K; group++) {
            for (size_t e = 0; e < graph.n_links; e++) {
                if (burst[e] == group) {
                    add(graph.a[e], graph.b[e], 1);
                }
            }
        }
        cluster(&twins, seed, label);
        double nmi = nmi_of(graph.truth, label);
        mean += nmi / N_SEEDS;
        least = nmi < least ? nmi : least;
        if (seed == 1) {
            output_print(bench->out, "%zu distinct links\n", graph.n_links);
        }
        free(burst);
        graphset_free(&graph);
    }
    report(bench, "bursts, group after group", N_LINKS_MAX, mean, least, .99, mean >= .99, &twins);
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
    twins_t twins = {0, 0};
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
        begin(policy, N_LINKS_MAX, seed, half_life, false);
        for (int change = 0; change <= 4; change++) {
            for (uint32_t i = 0; i < N_NODES && change > 0; i++) {
                truth[i] = cairn_rng_below(&rng, 4) == 0 ? (uint8_t)cairn_rng_below(&rng, K) : truth[i];
            }
            for (int arrival = 1; arrival <= 6000; arrival++) {
                uint32_t a = 0;
                uint32_t b = 0;
                draw_link(&rng, truth, &a, &b);
                add(a, b, 1);
                if (arrival == 3000 && change > 0) {
                    cluster(&twins, seed, label);
                    double nmi = nmi_of(truth, label);
                    mean += nmi;
                    least = nmi < least ? nmi : least;
                    n++;
                }
            }
        }
    }
    if (judged) {
        report(bench, name, N_LINKS_MAX, mean / n, least, .98, mean / n >= .98, &twins);
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
    twins_t twins[3] = {{0, 0}, {0, 0}, {0, 0}};
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
                begin(CAIRN_GRAPH_PRIORITY, sizes[s], seed, 0, true);
                for (size_t e = 0; e < graph.n_links; e++) {
                    add(graph.a[e], graph.b[e], graph.weight[e]);
                }
                cluster(&twins[s], seed, label);
                nmi = nmi_of(graph.truth, label);
            }
            mean[s] += nmi / N_SEEDS;
            least[s] = nmi < least[s] ? nmi : least[s];
        }
        graphset_free(&graph);
    }
    output_print(bench->out, "kernel weights of all pairs, whole graph: %.3f\n", mean[3]);
    report(bench, "kernel weights, priority sample", 512, mean[0], least[0], .80, mean[0] >= .80, &twins[0]);
    report(bench, "kernel weights, priority sample", 1024, mean[1], least[1], .85, mean[1] >= .85, &twins[1]);
    report(bench, "kernel weights, priority sample", 2048, mean[2], least[2], mean[3] - .025, mean[2] >= mean[3] - .025,
           &twins[2]);
}

/* Groups stay; 200 new links between queries: how many nodes change their label from one query to the next. */
static void run_stable(pic_bench_t *bench)
{
    twins_t twins = {0, 0};
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
        begin(CAIRN_GRAPH_ROWS_RANDOM, 1536, seed, 0, false);
        for (int arrival = 1; arrival <= 10000; arrival++) {
            uint32_t a = 0;
            uint32_t b = 0;
            draw_link(&rng, truth, &a, &b);
            add(a, b, 1);
            if (arrival >= 4000 && arrival % 200 == 0) {
                memcpy(before, label, sizeof before);
                cluster(&twins, (uint64_t)arrival, label); /* another start each time */
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
    report(bench, "labels that change between queries, share", 1536, mean / n, worst, .01, mean / n <= .01, &twins);
}

/* Streams as the boards' workload has them. */
static void run_plain(pic_bench_t *bench)
{
    twins_t twins = {0, 0};
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
        begin(CAIRN_GRAPH_ROWS_RANDOM, N_LINKS_MAX, seed, 0, false);
        for (int arrival = 0; arrival < 4 * N_LINKS_MAX; arrival++) {
            uint32_t a = 0;
            uint32_t b = 0;
            draw_link(&rng, truth, &a, &b);
            add(a, b, 1);
        }
        cluster(&twins, seed, label);
        double nmi = nmi_of(truth, label);
        mean += nmi / RUNS;
        least = nmi < least ? nmi : least;
    }
    report(bench, "four groups, random order, 50 streams", N_LINKS_MAX, mean, least, .99, mean >= .99, &twins);
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
