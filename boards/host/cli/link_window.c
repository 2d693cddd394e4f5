/* SPDX-License-Identifier: MIT
 * An endless stream of links through a bounded graph. A reader of the pipe always knows the present labels: after every
 * so many links those that have changed are printed, and the drawing, if there is one, is made anew. */
#include "link_window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/graph.h"
#include "csv.h"
#include "exit_code.h"
#include "memory.h"

static const char *const policies[] = {"random", "oldest", "sample", "reservoir", "window", "priority", NULL};

typedef struct stream {
    const link_window_task_t *task;
    const char *title;
    cairn_graph_cfg_t graph_cfg;
    cairn_graph_memory_t memory;
    cairn_graph_t graph;
    uint8_t *label;   /* of the last query */
    uint8_t *printed; /* label last printed of each index */
    uint32_t *owner;  /* the id it was printed for */
    double *x;        /* NULL: no drawing */
    double *y;
    output_t out;
    uint64_t n_read;
    uint64_t n_queries;
    uint64_t n_self;
} stream_t;

static void window_options(link_window_t *self, args_option_t options[LINK_WINDOW_OPTIONS])
{
    const args_option_t filled[LINK_WINDOW_OPTIONS] = {
        args_count("--window", &self->n_links, "N", 0, 10000000,
                   "stream the links through a bounded graph of N links and print\nlabels as they change; '-' may be "
                   "endless"),
        args_count("--nodes", &self->n_nodes, "N", 2, 65535, "nodes of the bounded graph, default a tenth of N"),
        args_count("--every", &self->every, "M", 1, 1000000000, "links between queries, default N / 4"),
        args_choice("--policy", &self->policy, policies,
                    "what makes room: random (default) or oldest of a node's links,\nsample, reservoir, window, "
                    "priority (weights)"),
    };
    memset(self, 0, sizeof *self);
    memcpy(options, filled, sizeof filled);
}

static const char *find_conflict(const link_arguments_t *self)
{
    if (self->window.n_links > 0 && (self->source.links == NULL || self->truth != NULL)) {
        return "--window goes with --links, without --truth";
    }
    if (self->window.n_links == 1) {
        return "--window has to be 2 at least, or 0 for all links at once";
    }
    if (self->svg != NULL && strcmp(self->svg, self->out) == 0) {
        return "--out and --svg are the same file";
    }
    return NULL;
}

bool link_arguments_parse(link_arguments_t *self, const args_help_t *help, int argc, char **argv,
                          const args_option_t *own, size_t n_own, int *code)
{
    const size_t n_options = LINK_OPTIONS + n_own;
    args_option_t *options = memory_zeroed(n_options, sizeof *options);
    args_option_t *next = options + LINK_SOURCE_OPTIONS + n_own;
    link_source_options(&self->source, options);
    memcpy(options + LINK_SOURCE_OPTIONS, own, n_own * sizeof *own);
    self->out = "-";
    *next++ = args_text("--out", &self->out, "FILE", "labels; default the standard output");
    *next++ = args_text("--svg", &self->svg, "FILE", "drawing; with --window made anew after every query");
    window_options(&self->window, next);
    bool parsed = args_parse(help, argc, argv, options, n_options, code);
    free(options);
    if (!parsed) {
        return false;
    }
    *code = CLI_USAGE;
    if (!link_source_check(&self->source, help->command)) {
        return false;
    }
    const char *conflict = find_conflict(self);
    if (conflict != NULL) {
        args_usage_error(help->command, "%s", conflict);
    }
    return conflict == NULL;
}

static cairn_status begin(stream_t *self, const link_window_t *window)
{
    size_t n_links = (size_t)window->n_links;
    size_t n_nodes = (size_t)window->n_nodes;
    cairn_graph_memory_t *m = &self->memory;
    self->graph_cfg.policy = (cairn_graph_policy)window->policy;
    self->graph_cfg.seed = self->task->seed;
    self->graph_cfg.node_half_life = (cairn_real)(10 * n_nodes);
    m->n_nodes = n_nodes;
    m->n_links = n_links;
    m->n_slots = CAIRN_IDS_SLOTS(n_nodes);
    m->id = memory_zeroed(n_nodes, sizeof *m->id);
    m->slot = memory_zeroed(m->n_slots, sizeof *m->slot);
    m->seen = memory_zeroed(n_nodes, sizeof *m->seen);
    m->heard = memory_zeroed(n_nodes, sizeof *m->heard);
    m->fill = memory_zeroed(n_nodes, sizeof *m->fill);
    m->offers = memory_zeroed(n_nodes, sizeof *m->offers);
    m->one = memory_zeroed(n_links, sizeof *m->one);
    m->other = memory_zeroed(n_links, sizeof *m->other);
    m->weight = memory_zeroed(n_links, sizeof *m->weight);
    m->key = memory_zeroed(n_links, sizeof *m->key);
    self->label = memory_zeroed(n_nodes, 1);
    self->printed = memory_zeroed(n_nodes, 1);
    self->owner = memory_zeroed(n_nodes, sizeof *self->owner);
    memset(self->printed, LINK_WINDOW_NONE, n_nodes);
    if (self->task->svg != NULL) {
        self->x = memory_zeroed(n_nodes, sizeof *self->x);
        self->y = memory_zeroed(n_nodes, sizeof *self->y);
    }
    return cairn_graph_init(&self->graph, &self->graph_cfg, m);
}

static void end(stream_t *self)
{
    cairn_graph_memory_t *m = &self->memory;
    free(m->id);
    free(m->slot);
    free(m->seen);
    free(m->heard);
    free(m->fill);
    free(m->offers);
    free(m->one);
    free(m->other);
    free(m->weight);
    free(m->key);
    free(self->label);
    free(self->printed);
    free(self->owner);
    free(self->x);
    free(self->y);
}

static void print_changes(stream_t *self, const cairn_walk_t *walk)
{
    const link_window_task_t *task = self->task;
    for (uint32_t i = 0; i < walk->n_nodes; i++) {
        uint8_t label = self->label[i];
        if (label == self->printed[i] && walk->id[i] == self->owner[i]) {
            continue;
        }
        self->printed[i] = label;
        self->owner[i] = walk->id[i];
        output_print(&self->out, "%llu,%lu,", (unsigned long long)self->n_read, (unsigned long)walk->id[i]);
        if (label < task->k && task->name != NULL) {
            output_field(&self->out, task->name[label]);
        } else if (label < task->k) {
            output_print(&self->out, "%u", label);
        }
        output_print(&self->out, "\n");
    }
    output_flush(&self->out);
}

/* The graph kept, as a table for the drawing; it borrows the ids. */
static bool draw(const stream_t *self, const cairn_walk_t *walk)
{
    link_table_t links;
    output_t out;
    char subtitle[160];
    group_scene_t scene = {&links,      self->label, self->x,       self->y,
                           self->title, subtitle,    self->task->k, self->task->name};
    size_t n_rows = cairn_graph_get_links(&self->graph);
    memset(&links, 0, sizeof links);
    links.nodes.ids.n_ids = walk->n_nodes;
    links.nodes.id = self->memory.id;
    links.row = memory_zeroed(n_rows + 1, sizeof *links.row);
    for (uint32_t part = 0; part < walk->n_parts; part++) {
        cairn_run_t run;
        walk->run(walk, part, &run);
        for (uint32_t e = 0; e < run.n && links.n_rows < n_rows; e++) {
            link_row_t row = {cairn_run_node(&run, e), cairn_run_other(&run, e), (double)cairn_run_weight(&run, e)};
            links.row[links.n_rows++] = row;
        }
    }
    snprintf(subtitle, sizeof subtitle, "%lu nodes, %zu links kept of %llu", (unsigned long)walk->n_nodes, links.n_rows,
             (unsigned long long)self->n_read);
    bool drawn = output_open(&out, self->task->svg);
    if (drawn) {
        group_map_draw(&out, &scene);
        drawn = output_close(&out) == OUTPUT_DONE;
    }
    free(links.row);
    return drawn;
}

/* Label what is kept now and print what has changed. False: stop. */
static bool query(stream_t *self)
{
    cairn_walk_t walk;
    if (cairn_graph_walk(&self->graph, &walk) != CAIRN_OK ||
        !self->task->query(self->task->context, &walk, self->label, self->x, self->y)) {
        return false;
    }
    self->n_queries++;
    print_changes(self, &walk);
    return self->out.error == 0 && (self->x == NULL || walk.n_nodes == 0 || draw(self, &walk));
}

/* False: bad data, or a drawing that could not be written; the reason has been printed. */
static bool read_stream(stream_t *self, const char *path, uint64_t every)
{
    link_reader_t reader;
    link_row_t row;
    link_result_t result = LINK_BAD;
    bool goes_on = true;
    if (link_reader_open(&reader, path)) {
        while (goes_on && (result = link_reader_next(&reader, &row)) == LINK_ROW) {
            self->n_read++;
            cairn_status status = cairn_graph_add(&self->graph, row.a, row.b, (cairn_real)row.weight);
            self->n_self += status == CAIRN_ERR_SELF;
            if (self->n_read % every == 0) {
                goes_on = query(self);
            }
        }
    }
    link_reader_close(&reader);
    if (result == LINK_END && self->n_read == 0) {
        csv_error_at(path, 0, "there are no links", NULL, "give a row each, behind a header");
        return false;
    }
    if (result == LINK_END && self->n_read % every != 0) {
        goes_on = query(self);
    }
    return result != LINK_BAD && (goes_on || self->out.error != 0);
}

static void print_summary(const stream_t *self)
{
    fprintf(stderr,
            "links_read: %llu\nlinks_self: %llu\nlinks_kept: %lu\nnodes: %lu\nnodes_evicted: %lu\nqueries: %llu\n",
            (unsigned long long)self->n_read, (unsigned long long)self->n_self,
            (unsigned long)cairn_graph_get_links(&self->graph), (unsigned long)cairn_graph_get_nodes(&self->graph),
            (unsigned long)self->graph.counters.n_evicted, (unsigned long long)self->n_queries);
}

int link_window_run(const link_window_t *self, const link_source_t *source, const link_window_task_t *task)
{
    link_window_t window = *self;
    stream_t *stream = memory_zeroed(1, sizeof *stream);
    window.n_nodes = window.n_nodes > 0 ? window.n_nodes : window.n_links / 10;
    window.n_nodes = window.n_nodes > 65535 ? 65535 : window.n_nodes < 2 ? 2 : window.n_nodes;
    window.every = window.every > 0 ? window.every : window.n_links / 4 + 1;
    stream->task = task;
    stream->title = link_source_title(source);
    int code = CLI_BAD_DATA;
    cairn_status status = begin(stream, &window);
    if (status < 0) {
        fprintf(stderr, "%s: --window %llu with %llu nodes: %s\n", task->command, (unsigned long long)window.n_links,
                (unsigned long long)window.n_nodes, cairn_status_name(status));
    } else if (task->begin(task->context, (size_t)window.n_nodes) && output_open(&stream->out, task->out)) {
        output_print(&stream->out, "links,id,label\n");
        bool good = read_stream(stream, source->links, window.every);
        if (good) {
            output_result_t written = output_close(&stream->out);
            code = output_exit_code(written);
            if (written == OUTPUT_DONE) {
                print_summary(stream);
            }
        } else { /* and what was drawn of the rows before */
            output_drop(&stream->out);
            if (task->svg != NULL) {
                output_remove(task->svg);
            }
        }
    }
    end(stream);
    free(stream);
    return code;
}
