/* SPDX-License-Identifier: MIT
 * Speed of clustering on the thesis's planted partitions (Lin 2012, table 2.5), with the default setting. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pic_bench.h"
#include "pic_run.h"
#include "stopwatch.h"

enum { N_STARTS = 3, N_DRAWS = 20 };

static const double accuracy_bar = .999;
static const double spectral_factor = 10; /* so many times faster than full spectral clustering */

/* Accuracy of the likeliest groups that lie next to the true ones: nodes change sides, one after the other, while most of
 * their links go to the other one; one with as many links to both counts half. No method that sees only links does better
 * but by luck. */
static double ceiling_of(const graphset_t *graph)
{
    enum { ROUNDS_MAX = 50 };
    size_t n = graph->n_nodes;
    int8_t *side = memory_zeroed(n, 1);
    size_t *start = memory_zeroed(n + 1, sizeof *start);
    uint32_t *other = memory_zeroed(2 * graph->n_links, sizeof *other);
    double sum = 0;
    for (size_t e = 0; e < graph->n_links; e++) {
        start[graph->a[e]]++;
        start[graph->b[e]]++;
    }
    for (size_t i = 1; i <= n; i++) {
        start[i] += start[i - 1];
    }
    for (size_t e = 0; e < graph->n_links; e++) {
        other[--start[graph->a[e]]] = graph->b[e];
        other[--start[graph->b[e]]] = graph->a[e];
    }
    for (size_t i = 0; i < n; i++) {
        side[i] = graph->truth[i] == 0 ? 1 : -1;
    }
    bool moves = true;
    for (int round = 0; round < ROUNDS_MAX && moves; round++) {
        moves = false;
        sum = 0;
        for (size_t i = 0; i < n; i++) {
            int balance = 0;
            for (size_t e = start[i]; e < start[i + 1]; e++) {
                balance += side[other[e]];
            }
            if (balance * side[i] < 0) {
                side[i] = (int8_t)-side[i];
                moves = true;
            }
            sum += balance == 0 ? .5 : side[i] == (graph->truth[i] == 0 ? 1 : -1) ? 1 : 0;
        }
    }
    free(side);
    free(start);
    free(other);
    return sum / (double)n;
}

typedef struct speed {
    double accuracy; /* worst start */
    double mean;     /* of all */
    double seconds;  /* best start */
    bool same;       /* labels of the first start are those in double */
    pic_run_result_t result;
} speed_t;

static speed_t run_starts(const graphset_t *graph)
{
    speed_t speed = {1, 0, 1e9, false, {0, 0, 0, 0, 0, 0, 0}};
    uint8_t *label = memory_zeroed(graph->n_nodes, 1);
    for (unsigned start = 0; start < N_STARTS; start++) {
        pic_run_options_t options = {4, 11, 3, start};
        pic_run_result_t result = {0, 0, 0, 0, 0, 0, 0};
        agreement_t agreement = {0, 0, 0, 0, 0};
        if (pic_run_float(graph, &options, label, &result)) {
            agreement_measure(graph, label, &agreement);
        }
        if (start == 0) {
            uint8_t *twin = memory_zeroed(graph->n_nodes, 1);
            pic_run_result_t twin_result;
            speed.same =
                pic_run_double(graph, &options, twin, &twin_result) && memcmp(label, twin, graph->n_nodes) == 0;
            free(twin);
        }
        speed.mean += agreement.accuracy / N_STARTS;
        speed.accuracy = agreement.accuracy < speed.accuracy ? agreement.accuracy : speed.accuracy;
        if (result.build_s + result.cluster_s < speed.seconds) {
            speed.seconds = result.build_s + result.cluster_s;
            speed.result = result;
        }
    }
    free(label);
    return speed;
}

/* Small graphs: the mean of many, since on each a node or two have more links to the other group. These alone keep all
 * methods from the bar, which is that of all sizes: what the likeliest groups reach is printed beside it. On 2,000 draws
 * they reach .9975, with links that repeat or without; the thesis itself states "above .99". */
static void run_small(pic_bench_t *bench)
{
    double mean = 0;
    double ceiling = 0;
    double seconds = 0;
    unsigned n_same = 0;
    for (uint64_t draw = 1; draw <= N_DRAWS; draw++) {
        graphset_t graph;
        graphset_planted_fast(&graph, 1000, 10000, .2, draw);
        speed_t speed = run_starts(&graph);
        mean += speed.mean / N_DRAWS;
        seconds += speed.seconds / N_DRAWS;
        ceiling += ceiling_of(&graph) / N_DRAWS;
        n_same += speed.same;
        graphset_free(&graph);
    }
    bool good = n_same == N_DRAWS && mean >= accuracy_bar;
    output_print(
        bench->out,
        "  1000 nodes     10000 links  %d graphs, %.3f s each, accuracy %.5f, bar %.3f, likeliest groups %.5f  "
        "same %u/%d  %s\n",
        N_DRAWS, seconds, mean, accuracy_bar, ceiling, n_same, N_DRAWS, good ? "ok" : "falls short");
    output_flush(bench->out);
    pic_bench_count(bench, good);
}

void pic_bench_speed(pic_bench_t *bench)
{
    static const struct {
        size_t n_nodes;
        size_t n_links;
        double limit_s; /* 0: a tenth of full spectral clustering */
    } sets[] = {{5000, 250000, 0}, {10000, 1000000, 0}, {50000, 25000000, .6}, {100000, 100000000, 4}};
    run_small(bench);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        graphset_t graph;
        graphset_planted_fast(&graph, sets[i].n_nodes, sets[i].n_links, .2, 1);
        double limit_s = sets[i].limit_s;
        if (!(limit_s > 0)) {
            double begin_s = stopwatch_processor_s();
            (void)spectral_nmi(&graph, 1);
            limit_s = (stopwatch_processor_s() - begin_s) / spectral_factor;
        }
        speed_t speed = run_starts(&graph);
        bool good = speed.same && speed.accuracy >= accuracy_bar && speed.seconds <= limit_s;
        output_print(bench->out,
                     "%6zu nodes %9zu links  build %.3f + cluster %.3f = %.3f s, limit %.3f  steps %u  accuracy %.4f  "
                     "same %d/1  "
                     "%s\n",
                     sets[i].n_nodes, sets[i].n_links, speed.result.build_s, speed.result.cluster_s, speed.seconds,
                     limit_s, speed.result.n_steps, speed.accuracy, speed.same, good ? "ok" : "falls short");
        output_flush(bench->out);
        pic_bench_count(bench, good);
        graphset_free(&graph);
    }
}
