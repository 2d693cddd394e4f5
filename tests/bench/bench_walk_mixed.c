/* SPDX-License-Identifier: MIT
 * Mixed membership (Lin 2012, 7.3): a share of the nodes is merged into others, labels and links together; links are
 * clustered and give their nodes several groups, beside nodes that are clustered and get one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/agree.h"
#include "cairn/edges.h"
#include "cairn/rng.h"
#include "memory.h"
#include "walk_rows.h"

enum { N_DRAWS = 50, K_MAX = 16 };

/* A network after merging; groups is a bit mask for each node. */
typedef struct mixed {
    graphset_t graph;
    uint32_t *groups;
} mixed_t;

static void merge_nodes(mixed_t *self, const graphset_t *base, unsigned percent, uint64_t draw)
{
    size_t n = base->n_nodes;
    size_t n_gone = n * percent / 100;
    size_t n_kept = n - n_gone;
    uint32_t *place = memory_zeroed(n, sizeof *place); /* shuffled: the first n_kept stay */
    uint32_t *index = memory_zeroed(n, sizeof *index);
    cairn_rng_t rng;
    cairn_rng_init(&rng, draw, 53);
    memset(self, 0, sizeof *self);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = cairn_rng_below(&rng, i + 1);
        place[i] = place[j];
        place[j] = i;
    }
    self->graph.n_nodes = n_kept;
    self->graph.k = base->k;
    self->graph.truth = memory_zeroed(n_kept, 1);
    self->groups = memory_zeroed(n_kept, sizeof *self->groups);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i < n_kept ? i : cairn_rng_below(&rng, (uint32_t)n_kept);
        index[place[i]] = at;
        self->groups[at] |= UINT32_C(1) << base->truth[place[i]];
        self->graph.truth[at] = i < n_kept ? base->truth[place[i]] : self->graph.truth[at];
    }
    for (size_t e = 0; e < base->n_links; e++) {
        if (index[base->a[e]] != index[base->b[e]]) {
            graphset_add(&self->graph, index[base->a[e]], index[base->b[e]], -1);
        }
    }
    graphset_fold(&self->graph);
    free(place);
    free(index);
}

/* Macro-F1 of sets of groups, after the best alignment of found to true groups by the nodes they share. */
static double sets_f1(const mixed_t *mixed, const uint32_t *found)
{
    uint32_t table[K_MAX * K_MAX];
    cairn_real work[CAIRN_AGREE_REALS(K_MAX)];
    uint8_t truth[K_MAX];
    unsigned k = mixed->graph.k;
    double sum = 0;
    memset(table, 0, sizeof table);
    for (size_t i = 0; i < mixed->graph.n_nodes; i++) {
        for (unsigned t = 0; t < k; t++) {
            for (unsigned c = 0; c < k; c++) {
                table[t * k + c] += (mixed->groups[i] >> t & found[i] >> c & 1u) != 0;
            }
        }
    }
    (void)cairn_agree_align(table, k, work, truth);
    for (unsigned c = 0; c < k; c++) {
        double all = 0;
        for (size_t i = 0; i < mixed->graph.n_nodes; i++) {
            all += (double)((mixed->groups[i] >> truth[c] & 1u) + (found[i] >> c & 1u));
        }
        sum += all > 0 ? 2.0 * table[truth[c] * k + c] / all : 0;
    }
    return sum / k;
}

typedef enum labeler { NODE, MAX, T20, ALL, N_LABELERS } labeler_t;

static void run_draw(const mixed_t *mixed, uint64_t draw, double f1[N_LABELERS])
{
    static const cairn_real shares[] = {0, 2, .2f, 0};
    walk_rows_t rows;
    cairn_pic_t pic;
    cairn_edges_t edges;
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    size_t n = mixed->graph.n_nodes;
    unsigned k = mixed->graph.k;
    cairn_real work[CAIRN_EDGES_REALS(K_MAX, 4)];
    cfg.n_clusters = (uint8_t)k;
    cfg.seed = draw;
    cairn_pic_memory_t memory = {memory_zeroed(CAIRN_PIC_REALS(n, k, 4), sizeof(cairn_real)), CAIRN_PIC_REALS(n, k, 4),
                                 memory_zeroed(CAIRN_PIC_LABELS(n), 1), CAIRN_PIC_LABELS(n)};
    uint16_t *count = memory_zeroed(CAIRN_EDGES_COUNTS(n, k), sizeof *count);
    uint32_t *found = memory_zeroed(n, sizeof *found);
    walk_rows_build(&rows, &mixed->graph);
    if (cairn_pic_init(&pic, &cfg, &memory, n) != CAIRN_OK || cairn_pic_begin(&pic, &rows.walk) != CAIRN_OK) {
        abort();
    }
    while (cairn_pic_step(&pic, UINT32_MAX) == CAIRN_MORE) {
    }
    if (cairn_edges_begin(&edges, &pic, 20, work, sizeof work / sizeof work[0], count, CAIRN_EDGES_COUNTS(n, k)) !=
        CAIRN_OK) {
        abort();
    }
    while (cairn_edges_step(&edges, UINT32_MAX) == CAIRN_MORE) {
    }
    for (int labeler = NODE; labeler < N_LABELERS; labeler++) {
        for (uint32_t i = 0; i < n; i++) {
            uint8_t label = cairn_pic_get_label(&pic, i);
            found[i] = labeler != NODE ? cairn_edges_get_groups(&edges, i, shares[labeler])
                       : label < k     ? UINT32_C(1) << label
                                       : 0;
        }
        f1[labeler] += sets_f1(mixed, found) / N_DRAWS;
    }
    walk_rows_free(&rows);
    free(memory.work);
    free(memory.label);
    free(count);
    free(found);
}

void walk_bench_mixed(pic_bench_t *bench)
{
    static const char *const names[] = {"karate", "polbooks"};
    static const unsigned percents[] = {0, 20, 40, 60, 80};
    for (size_t s = 0; s < 2; s++) {
        graphset_t base;
        if (!graphset_links(&base, names[s], false)) {
            output_print(bench->out, "%s: skipped, the data set is not there\n", names[s]);
            continue;
        }
        for (size_t p = 0; p < sizeof percents / sizeof percents[0]; p++) {
            double f1[N_LABELERS] = {0, 0, 0, 0};
            for (uint64_t draw = 0; draw < N_DRAWS; draw++) {
                mixed_t mixed;
                merge_nodes(&mixed, &base, percents[p], draw);
                run_draw(&mixed, draw, f1);
                graphset_free(&mixed.graph);
                free(mixed.groups);
            }
            bool judged = percents[p] > 0;
            bool good = f1[T20] > f1[NODE];
            output_print(bench->out, "links of %-8s mixed %2u %%: node %.3f  max %.3f  t@20 %.3f  all %.3f  %s\n",
                         names[s], percents[p], f1[NODE], f1[MAX], f1[T20], f1[ALL],
                         !judged ? "-"
                         : good  ? "ok"
                                 : "falls short");
            output_flush(bench->out);
            if (judged) {
                pic_bench_count(bench, good);
            }
        }
        graphset_free(&base);
    }
}
