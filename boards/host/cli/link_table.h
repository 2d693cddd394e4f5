/* SPDX-License-Identifier: MIT
 * Tables of links `a,b[,weight]`, of labels `id,label` and of points, for the commands on graphs. */
#ifndef CLI_LINK_TABLE_H
#define CLI_LINK_TABLE_H

#include "csv.h"
#include "node_table.h"

typedef struct link_row {
    uint32_t a;
    uint32_t b;
    double weight;
} link_row_t;

typedef struct link_table {
    link_row_t *row; /* a < b; ids of the file, or indices after link_table_index */
    size_t n_rows;
    size_t capacity;
    size_t n_self;   /* links from a node to itself, left out */
    size_t n_folded; /* repeated pairs, their weights added up */
    node_table_t nodes;
} link_table_t;

/* Columns of a table of links: the first two of a, b or source, target; weight may be missing. */
typedef struct link_reader {
    csv_reader_t *csv;
    csv_column_t columns[3];
} link_reader_t;

typedef enum link_result { LINK_ROW, LINK_END, LINK_BAD } link_result_t;

bool link_reader_open(link_reader_t *self, const char *path);
link_result_t link_reader_next(link_reader_t *self, link_row_t *row);
void link_reader_close(link_reader_t *self);

/* Read a whole table, find its nodes, fold repeated pairs. False: the reason has been printed. */
bool link_table_read(link_table_t *self, const char *path);

/* Links from points: cosine of all pairs, Gaussian of all pairs, or the n nearest of each point either way. */
typedef enum link_similarity { LINKS_COSINE, LINKS_GAUSSIAN, LINKS_NEAREST } link_similarity_t;
bool link_table_from_points(link_table_t *self, const char *path, link_similarity_t similarity, double sigma,
                            size_t n_nearest);

void link_table_free(link_table_t *self);

/* Labels of nodes by index, NULL where there is none; names are numbered in order of appearance. */
typedef struct label_table {
    uint8_t *label; /* [n_nodes] 255: none */
    char (*name)[32];
    unsigned n_names;
    size_t n_ignored; /* ids that are no nodes */
} label_table_t;

/* Read `id,label` for the nodes of a table. False: the reason has been printed. */
bool label_table_read(label_table_t *self, const char *path, const node_table_t *nodes);
void label_table_free(label_table_t *self);

#endif
