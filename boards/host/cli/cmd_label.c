/* SPDX-License-Identifier: MIT
 * cairn label: labels of all nodes of a graph, or of points, from a few that are known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cairn/spread.h"
#include "cluster_job.h"
#include "command.h"
#include "exit_code.h"
#include "group_map.h"
#include "label_window.h"
#include "link_source.h"
#include "memory.h"
#include "stopwatch.h"

static const char *const method_names[] = {"walk", "field", NULL};

static const args_help_t help = {
    "cairn label", "(--links FILE | --points FILE) --seeds FILE [OPTION...]",
    "Spreads the labels of a few nodes over a graph (MultiRankWalk, or harmonic fields).\n",
    "columns\n"
    "  links   a,b[,weight]; weight 1e-30 to 1e30, 1 where it is empty\n"
    "  points  c1,c2,... or x_m,y_m[,z_m], and id if wanted; else the row number, 0 first\n"
    "  seeds   id,label; labels are any text, at most 31 characters count\n"
    "  truth   id,label\n"
    "  out     id,label,margin in ascending order of id; label is empty where no seed reaches; margin is 1 - score of\n"
    "          the second best label / score of the best\n"
    "          with --window: links,id,label, after every --every links those that have changed\n"
    "treatment\n"
    "  as `cairn cluster`; seeds that are no nodes are counted: seeds_ignored\n"
    "summary (standard error stream)\n"
    "  nodes links labels seeds seeds_ignored reached rounds seconds; with --truth, over nodes that are no seeds,\n"
    "  compared accuracy\n"
    "example\n"
    "  printf 'id,label\\n1,red\\n6,blue\\n' > seeds.csv\n"
    "  printf 'a,b\\n1,2\\n2,3\\n3,1\\n3,4\\n4,5\\n5,6\\n6,4\\n' | cairn label --links - --seeds seeds.csv\n" CSV_HELP};

typedef struct label_arguments {
    link_arguments_t graph;
    const char *seeds;
    size_t method;
    double damping;
} label_arguments_t;

typedef struct label_job {
    cairn_spread_cfg_t cfg;
    cairn_spread_memory_t memory;
    cairn_spread_t spread;
    double seconds;
} label_job_t;

static cairn_spread_cfg_t make_cfg(const label_arguments_t *v)
{
    cairn_spread_cfg_t cfg = v->method == 0 ? cairn_spread_cfg_default : cairn_spread_cfg_harmonic;
    cfg.alpha = (cairn_real)(1 - v->damping);
    return cfg;
}

static cairn_status run_job(label_job_t *self, const link_rows_t *rows, const label_table_t *seeds,
                            const label_arguments_t *v)
{
    size_t n_nodes = rows->half.n_nodes;
    double begin_s = stopwatch_wall_s();
    self->cfg = make_cfg(v);
    self->cfg.n_classes = (uint8_t)seeds->n_names;
    self->memory.n_work = CAIRN_SPREAD_REALS(n_nodes, seeds->n_names, 0);
    self->memory.n_label = n_nodes;
    self->memory.work = memory_zeroed(self->memory.n_work, sizeof *self->memory.work);
    self->memory.label = memory_zeroed(n_nodes, 1);
    cairn_status status = cairn_spread_init(&self->spread, &self->cfg, &self->memory, n_nodes);
    status = status == CAIRN_OK ? cairn_spread_begin(&self->spread, &rows->walk, seeds->label, NULL, false) : status;
    while (status >= 0 && (status = cairn_spread_step(&self->spread, UINT32_MAX)) == CAIRN_MORE) {
    }
    self->seconds = stopwatch_wall_s() - begin_s;
    return status;
}

static output_result_t write_labels(const char *path, const label_job_t *job, const link_table_t *links,
                                    const label_table_t *seeds)
{
    output_t out;
    if (!output_open(&out, path)) {
        return OUTPUT_FAILED;
    }
    output_print(&out, "id,label,margin\n");
    for (uint32_t i = 0; i < links->nodes.ids.n_ids; i++) {
        uint8_t label = cairn_spread_get_label(&job->spread, i);
        const char *name = label < seeds->n_names ? seeds->name[label] : "";
        output_print(&out, "%lu,", (unsigned long)links->nodes.id[i]);
        output_field(&out, name);
        output_print(&out, ",%.4f\n", (double)cairn_spread_get_margin(&job->spread, i));
    }
    return output_close(&out);
}

/* Labels are compared by name: both files number them as they come. */
static void print_accuracy(const label_job_t *job, const link_table_t *links, const label_table_t *seeds,
                           const label_table_t *truth)
{
    size_t n_compared = 0;
    size_t n_right = 0;
    for (uint32_t i = 0; i < links->nodes.ids.n_ids; i++) {
        uint8_t label = cairn_spread_get_label(&job->spread, i);
        if (truth->label[i] < truth->n_names && seeds->label[i] >= seeds->n_names) {
            n_compared++;
            n_right += label < seeds->n_names && strcmp(seeds->name[label], truth->name[truth->label[i]]) == 0;
        }
    }
    fprintf(stderr, "compared: %zu\naccuracy: %.4f\n", n_compared,
            n_compared > 0 ? (double)n_right / (double)n_compared : 0);
}

/* Places come from a walk of their own: as many groups as labels. */
static output_result_t write_map(const label_arguments_t *values, const label_job_t *job, const link_rows_t *rows,
                                 const link_table_t *links, const label_table_t *seeds)
{
    output_t out;
    cluster_answer_t places;
    progress_t progress;
    char subtitle[160];
    unsigned n_labels = seeds->n_names;
    cairn_pic_cfg_t cfg = cairn_pic_cfg_default;
    cfg.n_clusters = (uint8_t)(n_labels > 2 ? n_labels : 2);
    progress_begin(&progress, false);
    cairn_status status = cluster_job_run(rows, &cfg, &progress, &places);
    progress_end(&progress);
    if (status < 0) {
        fprintf(stderr, "cairn label: %s\n", cairn_status_name(status));
        return OUTPUT_FAILED;
    }
    group_scene_t scene = {links,    job->memory.label, places.x,   places.y, link_source_title(&values->graph.source),
                           subtitle, n_labels,          seeds->name};
    snprintf(subtitle, sizeof subtitle, "%lu nodes, %zu links, %u labels spread by %s",
             (unsigned long)links->nodes.ids.n_ids, links->n_rows, n_labels, method_names[values->method]);
    if (!output_open(&out, values->graph.svg)) {
        cluster_answer_free(&places);
        return OUTPUT_FAILED;
    }
    group_map_draw(&out, &scene);
    cluster_answer_free(&places);
    return output_close(&out);
}

static int report(const label_arguments_t *values, const label_job_t *job, const link_rows_t *rows,
                  const link_table_t *links, const label_table_t *seeds, const label_table_t *truth)
{
    size_t n_reached = 0;
    size_t n_seeds = 0;
    output_result_t written = write_labels(values->graph.out, job, links, seeds);
    for (uint32_t i = 0; i < links->nodes.ids.n_ids; i++) {
        n_reached += cairn_spread_get_label(&job->spread, i) < seeds->n_names;
        n_seeds += seeds->label[i] < seeds->n_names;
    }
    if (written == OUTPUT_DONE && values->graph.svg != NULL) {
        written = write_map(values, job, rows, links, seeds);
    }
    if (written == OUTPUT_DONE) {
        fprintf(stderr,
                "nodes: %lu\nlinks: %zu\nlabels: %u\nseeds: %zu\nseeds_ignored: %zu\nreached: %zu\nrounds: %u\n"
                "seconds: %.3f\n",
                (unsigned long)links->nodes.ids.n_ids, links->n_rows, seeds->n_names, n_seeds, seeds->n_ignored,
                n_reached, cairn_spread_get_rounds(&job->spread), job->seconds);
        if (values->graph.truth != NULL) {
            print_accuracy(job, links, seeds, truth);
        }
    }
    return output_exit_code(written);
}

/* Says what is wrong with the seeds, if anything. */
static bool check_seeds(const char *path, const label_table_t *seeds, size_t n_nodes)
{
    size_t n_seeds = 0;
    for (size_t i = 0; i < n_nodes; i++) {
        n_seeds += seeds->label[i] < seeds->n_names;
    }
    if (seeds->n_names == 0) {
        csv_error_at(path, 0, "there is no seed in the file", NULL, "give at least one row id,label");
    } else if (n_seeds == 0) {
        csv_error_at(path, 0, "no seed is a node of the graph", NULL, "give ids that the links or points have");
    }
    return n_seeds > 0;
}

static int label(const label_arguments_t *values)
{
    link_table_t links;
    label_table_t seeds = {0};
    label_table_t truth = {0};
    int code = CLI_BAD_DATA;
    bool read = link_source_read(&values->graph.source, &links);
    read = read && label_table_read(&seeds, values->seeds, &links.nodes);
    read = read && (values->graph.truth == NULL || label_table_read(&truth, values->graph.truth, &links.nodes));
    if (read && check_seeds(values->seeds, &seeds, links.nodes.ids.n_ids)) {
        link_rows_t rows;
        label_job_t job;
        link_rows_build(&rows, &links);
        cairn_status status = run_job(&job, &rows, &seeds, values);
        if (status < 0) {
            fprintf(stderr, "cairn label: %s\n", cairn_status_name(status));
        } else {
            code = report(values, &job, &rows, &links, &seeds, &truth);
        }
        free(job.memory.work);
        free(job.memory.label);
        link_rows_free(&rows);
    }
    label_table_free(&seeds);
    label_table_free(&truth);
    link_table_free(&links);
    return code;
}

int command_label(int argc, char **argv)
{
    label_arguments_t v;
    memset(&v, 0, sizeof v);
    v.damping = .95;
    const args_option_t own[] = {
        args_required(args_text("--seeds", &v.seeds, "FILE", "known labels")),
        args_text("--truth", &v.graph.truth, "FILE", "true labels: accuracy is printed"),
        args_choice("--method", &v.method, method_names,
                    "walk (default), with restart at the seeds; field: each node is the\nmean of its neighbours, 10 "
                    "rounds"),
        args_real("--damping", &v.damping, "D", 0, .999,
                  "of the walk: probability of going on, default 0.95; 0.75 where seeds\nmay be wrong"),
    };
    int code;
    if (!link_arguments_parse(&v.graph, &help, argc, argv, own, sizeof own / sizeof own[0], &code)) {
        return code;
    }
    if (v.graph.window.n_links > 0) {
        cairn_spread_cfg_t cfg = make_cfg(&v);
        return label_window_run(&v.graph, &cfg, v.seeds);
    }
    return label(&v);
}
