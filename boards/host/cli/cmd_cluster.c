/* SPDX-License-Identifier: MIT
 * cairn cluster: groups of nodes from links, or of points from their similarity. */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cluster_job.h"
#include "cluster_window.h"
#include "command.h"
#include "exit_code.h"
#include "group_map.h"
#include "link_source.h"

static const char *const reasons[] = {"running", "patience", "limit", "trivial", "converged", "settled"};

static const args_help_t help = {
    "cairn cluster", "(--links FILE | --points FILE) --k K [OPTION...]",
    "Finds which nodes of a graph, or which points, belong together (power iteration clustering).\n",
    "columns\n"
    "  links   a,b[,weight]; weight 1e-30 to 1e30, 1 where it is empty\n"
    "  points  c1,c2,... or x_m,y_m[,z_m], and id if wanted; else the row number, 0 first\n"
    "  truth   id,label; labels are any text\n"
    "  out     id,label in ascending order of id; label 0 to K-1, empty for a node without links\n"
    "          with --window: links,id,label, after every --every links those that have changed\n"
    "treatment\n"
    "  repeated, reversed pairs    one link, weights added up, counted: links_folded\n"
    "  a node linked to itself     left out, counted: links_self; the node has no group if it has no other link\n"
    "  true labels of other ids    ignored\n"
    "  fewer groups found than K   the others have no node, which is said after the summary\n"
    "summary (standard error stream)\n"
    "  nodes links links_folded links_self clusters (with a node) steps best_step vectors (used) cut reason\n"
    "  eigenvalue_2 seconds; with --truth compared (ids), if any purity nmi rand_index accuracy\n  macro_f1\n"
    "example\n"
    "  printf 'a,b\\n1,2\\n2,3\\n3,1\\n3,4\\n4,5\\n5,6\\n6,4\\n' | cairn cluster --links - --k 2 --svg "
    "groups.svg\n" CSV_HELP};

typedef struct cluster_arguments {
    link_arguments_t graph;
    uint64_t k;
    uint64_t n_vectors; /* 0: by k */
    uint64_t seed;
    double tau;
    bool quiet;
} cluster_arguments_t;

static cairn_pic_cfg_t make_cfg(const cluster_arguments_t *values)
{
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cfg.n_clusters = (uint8_t)values->k;
    cfg.n_vectors = (uint8_t)(values->n_vectors > 0 ? values->n_vectors : values->k >= 8 ? 8 : 4);
    cfg.n_walks = values->k >= 8 ? 5 : 1;
    cfg.tau = (cairn_real)values->tau;
    cfg.seed = values->seed;
    return cfg;
}

static output_result_t write_labels(const char *path, const link_table_t *links, const uint8_t *label, unsigned k)
{
    output_t out;
    if (!output_open(&out, path)) {
        return OUTPUT_FAILED;
    }
    output_print(&out, "id,label\n");
    for (size_t i = 0; i < links->nodes.ids.n_ids; i++) {
        if (label[i] < k) {
            output_print(&out, "%lu,%u\n", (unsigned long)links->nodes.id[i], label[i]);
        } else {
            output_print(&out, "%lu,\n", (unsigned long)links->nodes.id[i]);
        }
    }
    return output_close(&out);
}

static output_result_t write_map(const cluster_arguments_t *values, const link_table_t *links,
                                 const cluster_answer_t *answer)
{
    output_t out;
    char subtitle[160];
    group_scene_t scene = {
        links,    answer->label,       answer->x, answer->y, link_source_title(&values->graph.source),
        subtitle, (unsigned)values->k, NULL};
    snprintf(subtitle, sizeof subtitle, "%lu nodes, %zu links, %u groups, cut %.3f after %u steps",
             (unsigned long)links->nodes.ids.n_ids, links->n_rows, answer->result.n_clusters,
             (double)answer->result.score, answer->result.n_steps);
    if (!output_open(&out, values->graph.svg)) {
        return OUTPUT_FAILED;
    }
    group_map_draw(&out, &scene);
    return output_close(&out);
}

static void print_summary(const link_table_t *links, const cluster_answer_t *answer)
{
    const cairn_pic_result_t *r = &answer->result;
    fprintf(stderr,
            "nodes: %lu\nlinks: %zu\nlinks_folded: %zu\nlinks_self: %zu\nclusters: %u\nsteps: %u\nbest_step: %u\n"
            "vectors: %u\ncut: %.6g\nreason: %s\neigenvalue_2: %.6g\nseconds: %.3f\n",
            (unsigned long)links->nodes.ids.n_ids, links->n_rows, links->n_folded, links->n_self, r->n_clusters,
            r->n_steps, r->best_step, r->prefix, (double)r->score, reasons[r->reason], (double)r->ritz[0],
            answer->seconds);
}

/* Fewer groups than were asked for are no error: the rest are empty. The reader is told why. */
static void print_shortage(const cairn_pic_result_t *result, const uint8_t *label, size_t n_nodes, unsigned k)
{
    size_t n_linked = 0;
    for (size_t i = 0; i < n_nodes; i++) {
        n_linked += label[i] != CAIRN_PIC_UNKNOWN;
    }
    if (result->n_clusters < k) {
        fprintf(stderr, "cairn cluster: %u of the %u groups have a node: %s\n", result->n_clusters, k,
                n_linked < k ? "there are fewer nodes with links than groups" : "more were not found in the links");
    }
}

static int report(const cluster_arguments_t *values, const link_table_t *links, const label_table_t *truth,
                  const cluster_answer_t *answer)
{
    output_result_t labels = write_labels(values->graph.out, links, answer->label, (unsigned)values->k);
    output_result_t map = OUTPUT_DONE;
    if (labels != OUTPUT_FAILED && values->graph.svg != NULL) {
        map = write_map(values, links, answer);
    }
    if (labels == OUTPUT_DONE && map == OUTPUT_DONE) {
        print_summary(links, answer);
        if (values->graph.truth != NULL) {
            unsigned k = truth->n_names > values->k ? truth->n_names : (unsigned)values->k;
            print_agreement(truth->label, answer->label, links->nodes.ids.n_ids, k);
        }
        print_shortage(&answer->result, answer->label, links->nodes.ids.n_ids, (unsigned)values->k);
    }
    return output_exit_code(map != OUTPUT_DONE ? map : labels);
}

static int cluster(const cluster_arguments_t *values)
{
    link_table_t links;
    label_table_t truth = {0};
    int code = CLI_BAD_DATA;
    bool read = link_source_read(&values->graph.source, &links);
    if (read && (values->graph.truth == NULL || label_table_read(&truth, values->graph.truth, &links.nodes))) {
        cairn_pic_cfg_t cfg = make_cfg(values);
        link_rows_t rows;
        cluster_answer_t answer;
        progress_t progress;
        link_rows_build(&rows, &links);
        progress_begin(&progress, !values->quiet);
        cairn_status status = cluster_job_run(&rows, &cfg, &progress, &answer);
        progress_end(&progress);
        if (status < 0) {
            fprintf(stderr, "cairn cluster: %s\n", cairn_status_name(status));
        } else {
            code = report(values, &links, &truth, &answer);
            cluster_answer_free(&answer);
        }
        link_rows_free(&rows);
    }
    label_table_free(&truth);
    link_table_free(&links);
    return code;
}

int command_cluster(int argc, char **argv)
{
    cluster_arguments_t v;
    memset(&v, 0, sizeof v);
    v.tau = .6;
    const args_option_t own[] = {
        args_required(args_count("--k", &v.k, "K", 1, CAIRN_PIC_CLUSTERS_MAX, "groups wanted")),
        args_text("--truth", &v.graph.truth, "FILE", "true labels: agreement is printed"),
        args_count("--vectors", &v.n_vectors, "R", 1, CAIRN_WALK_COLUMNS_MAX,
                   "columns that walk together; default 4, 8 from 8 groups on"),
        args_real("--tau", &v.tau, "SHARE", 0, 1000, "regularisation, as a share of a mean link; default 0.6"),
        args_count("--seed", &v.seed, "N", 0, UINT64_MAX, "of start vectors and samples, default 0"),
        args_flag("--quiet", &v.quiet, "no progress bar"),
    };
    int code;
    if (!link_arguments_parse(&v.graph, &help, argc, argv, own, sizeof own / sizeof own[0], &code)) {
        return code;
    }
    if (v.graph.window.n_links > 0) {
        cairn_pic_cfg_t cfg = make_cfg(&v);
        return cluster_window_run(&v.graph, &cfg);
    }
    return cluster(&v);
}
