/* SPDX-License-Identifier: MIT
 * Graphs with known groups: measured data sets. */
#include "graphset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "memory.h"
#include "real_data.h"

enum { CLASSES_MAX = 16, CLASS_BYTES = 32, COLUMNS_MAX = 17 };

/* Opens a table; NULL, silently, when the file is not there. */
static csv_reader_t *open_table(const char *name, const char *file, csv_column_t *columns, size_t n_columns)
{
    static char paths[4][REAL_DATA_PATH_BYTES]; /* the reader keeps its own for its messages */
    static int next;
    char *path = paths[next++ % 4];
    char below[CLASS_BYTES];
    snprintf(below, sizeof below, "%s/%s", name, file);
    if (!real_data_path(path, below)) {
        return NULL;
    }
    csv_reader_t *reader = csv_open(path);
    if (reader != NULL && !csv_read_header(reader, columns, n_columns)) {
        csv_close(reader);
        reader = NULL;
    }
    return reader;
}

/* Number of a class name, in order of appearance. */
static uint8_t class_number(char classes[CLASSES_MAX][CLASS_BYTES], unsigned *n_classes, const char *text)
{
    for (unsigned c = 0; c < *n_classes; c++) {
        if (strncmp(classes[c], text, CLASS_BYTES - 1) == 0) {
            return (uint8_t)c;
        }
    }
    strncpy(classes[*n_classes], text, CLASS_BYTES - 1);
    return (uint8_t)(*n_classes < CLASSES_MAX - 1 ? (*n_classes)++ : CLASSES_MAX - 1);
}

static void add_point(graphset_t *self, size_t *capacity, const double *x, uint8_t truth)
{
    size_t one = *capacity;
    self->truth = memory_grow(self->truth, &one, self->n_nodes + 1, sizeof *self->truth);
    self->point = memory_grow(self->point, capacity, self->n_nodes + 1, self->dim * sizeof *self->point);
    self->truth[self->n_nodes] = truth;
    memcpy(self->point + self->n_nodes * self->dim, x, self->dim * sizeof *x);
    self->n_nodes++;
}

bool graphset_points(graphset_t *self, const char *name)
{
    static const char *const iris[] = {"150", "4", "setosa", "versicolor", "virginica"};
    static const char *const pendigits[] = {"c1",  "c2",  "c3",  "c4",  "c5",  "c6",  "c7",  "c8",   "c9",
                                            "c10", "c11", "c12", "c13", "c14", "c15", "c16", "class"};
    bool is_iris = strcmp(name, "iris") == 0;
    size_t n_columns = is_iris ? 5 : 17;
    csv_column_t columns[COLUMNS_MAX];
    char file[CLASS_BYTES];
    for (size_t c = 0; c < n_columns; c++) {
        columns[c].name = is_iris ? iris[c] : pendigits[c];
        columns[c].required = true;
        columns[c].index = -1;
    }
    memset(self, 0, sizeof *self);
    snprintf(file, sizeof file, "%s.csv", name);
    csv_reader_t *reader = open_table(name, file, columns, n_columns);
    if (reader == NULL) {
        return false;
    }
    char classes[CLASSES_MAX][CLASS_BYTES] = {{0}};
    size_t capacity = 0;
    self->dim = n_columns - 1;
    while (csv_read_row(reader) == CSV_ROW) {
        double x[COLUMNS_MAX];
        for (size_t c = 0; c < n_columns; c++) {
            csv_get_real(reader, &columns[c], &x[c]);
        }
        char text[CLASS_BYTES];
        snprintf(text, sizeof text, "%g", x[n_columns - 1]);
        uint8_t truth = is_iris ? class_number(classes, &self->k, text) : (uint8_t)x[n_columns - 1];
        self->k = is_iris ? self->k : 10;
        add_point(self, &capacity, x, truth);
    }
    csv_close(reader);
    return self->n_nodes > 0;
}

static bool read_nodes(graphset_t *self, const char *name, uint32_t **index, size_t *n_ids)
{
    const char *label = strcmp(name, "karate") == 0 ? "club" : strcmp(name, "polblogs") == 0 ? "side" : "label";
    csv_column_t columns[] = {{"id", true, -1}, {label, true, -1}};
    char classes[CLASSES_MAX][CLASS_BYTES] = {{0}};
    csv_reader_t *reader = open_table(name, "nodes.csv", columns, 2);
    if (reader == NULL) {
        return false;
    }
    size_t capacity = 0;
    size_t index_capacity = 0;
    while (csv_read_row(reader) == CSV_ROW) {
        uint32_t id = 0;
        csv_get_id(reader, &columns[0], &id);
        *index = memory_grow(*index, &index_capacity, (size_t)id + 1, sizeof **index);
        (*index)[id] = (uint32_t)self->n_nodes;
        *n_ids = id >= *n_ids ? (size_t)id + 1 : *n_ids;
        self->truth = memory_grow(self->truth, &capacity, self->n_nodes + 1, sizeof *self->truth);
        self->truth[self->n_nodes++] = class_number(classes, &self->k, csv_text(reader, &columns[1]));
    }
    csv_close(reader);
    return true;
}

bool graphset_links(graphset_t *self, const char *name, bool weighted)
{
    csv_column_t columns[] = {{"source", true, -1}, {"target", true, -1}, {"weight", false, -1}};
    uint32_t *index = NULL;
    size_t n_ids = 0;
    memset(self, 0, sizeof *self);
    if (!read_nodes(self, name, &index, &n_ids)) {
        return false;
    }
    csv_reader_t *reader = open_table(name, "edges.csv", columns, 3);
    while (reader != NULL && csv_read_row(reader) == CSV_ROW) {
        uint32_t a = 0;
        uint32_t b = 0;
        double weight = -1;
        csv_get_id(reader, &columns[0], &a);
        csv_get_id(reader, &columns[1], &b);
        if (weighted) {
            csv_get_real(reader, &columns[2], &weight);
        }
        if (a != b && a < n_ids && b < n_ids) {
            graphset_add(self, index[a], index[b], weight);
        }
    }
    csv_close(reader);
    free(index);
    graphset_fold(self);
    return self->n_links > 0;
}
