/* SPDX-License-Identifier: MIT
 * Clusters an endless stream of links through a bounded graph: labels that have changed are printed after every so many
 * links, so a reader of the pipe always knows the present groups. */
#include "cluster_window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/graph.h"
#include "exit_code.h"
#include "link_table.h"
#include "memory.h"
#include "output.h"

const char *const cluster_window_policies[] = {"random", "oldest", "sample", "reservoir", "window", "priority", NULL};

typedef struct stream {
    cairn_graph_cfg_t graph_cfg;
    cairn_graph_memory_t memory;
    cairn_graph_t graph;
    cairn_pic_memory_t pic_memory;
    cairn_pic_t pic;
    uint8_t *printed; /* label last printed of each index */
    uint32_t *owner;  /* the id it was printed for */
    output_t out;
    uint64_t n_read;
    uint64_t n_queries;
    uint64_t n_self;
} stream_t;

static cairn_status begin(stream_t *self, const cluster_window_t *window, const cairn_pic_cfg_t *cfg)
{
    size_t n_links = (size_t)window->n_links;
    size_t n_nodes = (size_t)window->n_nodes;
    cairn_graph_memory_t *m = &self->memory;
    self->graph_cfg.policy = (cairn_graph_policy)window->policy;
    self->graph_cfg.seed = cfg->seed;
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
    self->pic_memory.n_work = CAIRN_PIC_REALS(n_nodes, cfg->n_clusters, cfg->n_vectors);
    self->pic_memory.n_label = CAIRN_PIC_LABELS(n_nodes);
    self->pic_memory.work = memory_zeroed(self->pic_memory.n_work, sizeof(cairn_real));
    self->pic_memory.label = memory_zeroed(self->pic_memory.n_label, 1);
    self->printed = memory_zeroed(n_nodes, 1);
    self->owner = memory_zeroed(n_nodes, sizeof *self->owner);
    memset(self->printed, CAIRN_PIC_UNKNOWN, n_nodes);
    cairn_status status = cairn_graph_init(&self->graph, &self->graph_cfg, m);
    return status == CAIRN_OK ? cairn_pic_init(&self->pic, cfg, &self->pic_memory, n_nodes) : status;
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
    free(self->pic_memory.work);
    free(self->pic_memory.label);
    free(self->printed);
    free(self->owner);
}

/* Cluster what is kept now and print what has changed. */
static bool query(stream_t *self)
{
    cairn_walk_t walk;
    if (cairn_graph_walk(&self->graph, &walk) != CAIRN_OK || cairn_pic_begin(&self->pic, &walk) != CAIRN_OK) {
        return false;
    }
    while (cairn_pic_step(&self->pic, UINT32_MAX) == CAIRN_MORE) {
    }
    self->n_queries++;
    for (uint32_t i = 0; i < walk.n_nodes; i++) {
        uint8_t label = cairn_pic_get_label(&self->pic, i);
        if (label != self->printed[i] || walk.id[i] != self->owner[i]) {
            self->printed[i] = label;
            self->owner[i] = walk.id[i];
            output_print(&self->out, "%llu,%lu,", (unsigned long long)self->n_read, (unsigned long)walk.id[i]);
            if (label != CAIRN_PIC_UNKNOWN) {
                output_print(&self->out, "%u", label);
            }
            output_print(&self->out, "\n");
        }
    }
    output_flush(&self->out);
    return self->out.error == 0;
}

/* False: bad data; the reason has been printed. */
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
    if (result == LINK_END && self->n_read % every != 0) {
        (void)query(self);
    }
    return result != LINK_BAD;
}

int cluster_window_run(const cluster_window_t *self, const cairn_pic_cfg_t *cfg, const char *links, const char *out)
{
    cluster_window_t window = *self;
    stream_t *stream = memory_zeroed(1, sizeof *stream);
    window.n_nodes = window.n_nodes > 0 ? window.n_nodes : window.n_links / 10;
    window.n_nodes = window.n_nodes > 65535 ? 65535 : window.n_nodes < 2 ? 2 : window.n_nodes;
    window.every = window.every > 0 ? window.every : window.n_links / 4 + 1;
    int code = CLI_BAD_DATA;
    cairn_status status = begin(stream, &window, cfg);
    if (status < 0) {
        fprintf(stderr, "cairn cluster: --window %llu with %llu nodes: %s\n", (unsigned long long)window.n_links,
                (unsigned long long)window.n_nodes, cairn_status_name(status));
    } else if (output_open(&stream->out, out)) {
        output_print(&stream->out, "links,id,label\n");
        bool good = read_stream(stream, links, window.every);
        output_result_t written = output_close(&stream->out);
        code = good ? output_exit_code(written) : CLI_BAD_DATA;
        if (good && written == OUTPUT_DONE) {
            fprintf(stderr,
                    "links_read: %llu\nlinks_self: %llu\nlinks_kept: %lu\nnodes: %lu\nnodes_evicted: %lu\n"
                    "queries: %llu\n",
                    (unsigned long long)stream->n_read, (unsigned long long)stream->n_self,
                    (unsigned long)cairn_graph_get_links(&stream->graph),
                    (unsigned long)cairn_graph_get_nodes(&stream->graph),
                    (unsigned long)stream->graph.counters.n_evicted, (unsigned long long)stream->n_queries);
        }
    }
    end(stream);
    free(stream);
    return code;
}
