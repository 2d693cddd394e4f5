/* SPDX-License-Identifier: MIT
 * Tables of links, of labels and of points, for the commands on graphs. */
#include "link_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { LABELS_MAX = 255, COLUMNS_MAX = 4096 };

bool link_reader_open(link_reader_t *self, const char *path)
{
    static const csv_column_t columns[3] = {{"a", true, -1}, {"b", true, -1}, {"weight", false, -1}};
    memcpy(self->columns, columns, sizeof columns);
    self->csv = csv_open(path);
    return self->csv != NULL && csv_read_header(self->csv, self->columns, 3);
}

link_result_t link_reader_next(link_reader_t *self, link_row_t *row)
{
    csv_result_t result = csv_read_row(self->csv);
    if (result != CSV_ROW) {
        return result == CSV_END ? LINK_END : LINK_BAD;
    }
    uint32_t a = 0;
    uint32_t b = 0;
    row->weight = 1;
    if (!csv_get_id(self->csv, &self->columns[0], &a) || !csv_get_id(self->csv, &self->columns[1], &b)) {
        return LINK_BAD;
    }
    if (csv_text(self->csv, &self->columns[2])[0] != '\0') {
        if (!csv_get_real(self->csv, &self->columns[2], &row->weight)) {
            return LINK_BAD;
        }
        if (!(row->weight >= 1e-30 && row->weight <= 1e30)) { /* squares of them are still numbers in float */
            csv_error(self->csv, "the weight is not within 1e-30 to 1e30", csv_text(self->csv, &self->columns[2]),
                      "leave out links that are none");
            return LINK_BAD;
        }
    }
    row->a = a < b ? a : b;
    row->b = a < b ? b : a;
    return LINK_ROW;
}

void link_reader_close(link_reader_t *self) { csv_close(self->csv); }

static void add_row(link_table_t *self, link_row_t row)
{
    self->row = memory_grow(self->row, &self->capacity, self->n_rows + 1, sizeof row);
    self->row[self->n_rows++] = row;
}

static int compare_rows(const void *left, const void *right)
{
    const link_row_t *p = left;
    const link_row_t *q = right;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return p->b < q->b ? -1 : p->b > q->b ? 1 : 0;
}

static void fold_rows(link_table_t *self)
{
    size_t kept = 0;
    qsort(self->row, self->n_rows, sizeof *self->row, compare_rows);
    for (size_t i = 0; i < self->n_rows; i++) {
        if (kept > 0 && compare_rows(&self->row[kept - 1], &self->row[i]) == 0) {
            self->row[kept - 1].weight += self->row[i].weight;
            self->n_folded++;
        } else {
            self->row[kept++] = self->row[i];
        }
    }
    self->n_rows = kept;
}

/* Replace ids by indices: ascending ids, so rows stay sorted. */
static void index_rows(link_table_t *self)
{
    node_table_sort(&self->nodes);
    for (size_t i = 0; i < self->n_rows; i++) {
        self->row[i].a = node_table_find(&self->nodes, self->row[i].a);
        self->row[i].b = node_table_find(&self->nodes, self->row[i].b);
    }
    fold_rows(self);
}

bool link_table_read(link_table_t *self, const char *path)
{
    link_reader_t reader;
    link_row_t row;
    link_result_t result = LINK_BAD;
    memset(self, 0, sizeof *self);
    node_table_init(&self->nodes);
    if (link_reader_open(&reader, path)) {
        while ((result = link_reader_next(&reader, &row)) == LINK_ROW) {
            if (!node_table_add(&self->nodes, row.a) || !node_table_add(&self->nodes, row.b)) {
                csv_error(reader.csv, "more than 16777216 nodes", NULL, "split the network");
                result = LINK_BAD;
                break;
            }
            if (row.a == row.b) {
                self->n_self++;
            } else {
                add_row(self, row);
            }
        }
        if (result == LINK_END && self->n_rows == 0) {
            csv_error(reader.csv, "there is no link in the file", NULL, "give at least one row a,b[,weight]");
            result = LINK_BAD;
        }
    }
    link_reader_close(&reader);
    if (result == LINK_END) {
        index_rows(self);
    }
    return result == LINK_END;
}

typedef struct points {
    double *x;
    size_t n;
    size_t dim;
} points_t;

/* Every column but id and label is a coordinate: c1, c2 ... or x_m, y_m, z_m. */
static size_t find_columns(csv_reader_t *csv, csv_column_t *columns, char names[][8])
{
    static const char *const places[] = {"x_m", "y_m", "z_m"};
    size_t n = 0;
    for (size_t c = 0; c < COLUMNS_MAX; c++) {
        snprintf(names[c], 8, "c%u", (unsigned)(c + 1));
        columns[c].name = names[c];
        columns[c].required = false;
        columns[c].index = -1;
    }
    for (size_t c = 0; c < 3; c++) {
        columns[COLUMNS_MAX + c].name = places[c];
        columns[COLUMNS_MAX + c].required = false;
        columns[COLUMNS_MAX + c].index = -1;
    }
    columns[COLUMNS_MAX + 3].name = "id";
    columns[COLUMNS_MAX + 3].required = false;
    columns[COLUMNS_MAX + 3].index = -1;
    if (!csv_read_header(csv, columns, COLUMNS_MAX + 4)) {
        return 0;
    }
    for (size_t c = 0; c < COLUMNS_MAX + 3; c++) {
        if (columns[c].index >= 0) {
            csv_column_t found = columns[c];
            columns[c] = columns[n];
            columns[n++] = found;
        }
    }
    if (n == 0) {
        csv_error(csv, "there are no coordinates", NULL, "name columns c1,c2,... or x_m,y_m[,z_m]");
    }
    return n;
}

static bool read_points(points_t *points, link_table_t *table, const char *path)
{
    csv_column_t *columns = memory_zeroed(COLUMNS_MAX + 4, sizeof *columns);
    char(*names)[8] = memory_zeroed(COLUMNS_MAX, sizeof *names);
    csv_reader_t *csv = csv_open(path);
    size_t capacity = 0;
    csv_result_t result = CSV_BAD;
    bool good = csv != NULL && (points->dim = find_columns(csv, columns, names)) > 0;
    while (good && (result = csv_read_row(csv)) == CSV_ROW) {
        uint32_t id = (uint32_t)points->n;
        points->x = memory_grow(points->x, &capacity, points->n + 1, points->dim * sizeof *points->x);
        good = columns[COLUMNS_MAX + 3].index < 0 || csv_get_id(csv, &columns[COLUMNS_MAX + 3], &id);
        for (size_t c = 0; c < points->dim && good; c++) {
            good = csv_get_real(csv, &columns[c], &points->x[points->n * points->dim + c]);
        }
        if (good && node_table_find(&table->nodes, id) != CAIRN_IDS_NONE) {
            csv_error(csv, "an id comes twice", NULL, "give each point its own");
            good = false;
        }
        good = good && node_table_add(&table->nodes, id);
        points->n++;
    }
    if (good && result == CSV_END && points->n < 2) {
        csv_error(csv, "there are fewer than two points", NULL, "give at least two rows");
        good = false;
    }
    csv_close(csv);
    free(columns);
    free(names);
    return good && result == CSV_END;
}

static double similarity_of(const points_t *points, size_t i, size_t j, link_similarity_t similarity, double sigma)
{
    double dot = 0;
    double own = 0;
    double other = 0;
    double square = 0;
    for (size_t c = 0; c < points->dim; c++) {
        double p = points->x[i * points->dim + c];
        double q = points->x[j * points->dim + c];
        dot += p * q;
        own += p * p;
        other += q * q;
        square += (p - q) * (p - q);
    }
    return similarity == LINKS_COSINE     ? (own > 0 && other > 0 ? dot / sqrt(own * other) : 0)
           : similarity == LINKS_GAUSSIAN ? exp(-square / (2 * sigma * sigma))
                                          : -square;
}

static void add_nearest(link_table_t *self, const points_t *points, uint32_t i, size_t n_nearest)
{
    double *best = memory_zeroed(n_nearest, sizeof *best);
    uint32_t *who = memory_zeroed(n_nearest, sizeof *who);
    size_t n = 0;
    for (uint32_t j = 0; j < points->n; j++) {
        double s = similarity_of(points, i, j, LINKS_NEAREST, 1);
        if (j == i || (n == n_nearest && !(s > best[n - 1]))) {
            continue;
        }
        size_t at = n < n_nearest ? n++ : n - 1;
        for (; at > 0 && best[at - 1] < s; at--) {
            best[at] = best[at - 1];
            who[at] = who[at - 1];
        }
        best[at] = s;
        who[at] = j;
    }
    for (size_t c = 0; c < n; c++) {
        link_row_t row = {i < who[c] ? i : who[c], i < who[c] ? who[c] : i, 1};
        add_row(self, row);
    }
    free(best);
    free(who);
}

bool link_table_from_points(link_table_t *self, const char *path, link_similarity_t similarity, double sigma,
                            size_t n_nearest)
{
    points_t points = {NULL, 0, 0};
    memset(self, 0, sizeof *self);
    node_table_init(&self->nodes);
    bool good = read_points(&points, self, path);
    for (uint32_t i = 0; i < points.n && good; i++) {
        for (uint32_t j = i + 1; j < points.n && similarity != LINKS_NEAREST; j++) {
            link_row_t row = {i, j, similarity_of(&points, i, j, similarity, sigma)};
            if (row.weight > 1e-12) {
                add_row(self, row);
            }
        }
        if (similarity == LINKS_NEAREST) {
            add_nearest(self, &points, i, n_nearest);
        }
    }
    free(points.x);
    if (good && similarity == LINKS_NEAREST) { /* a pair found from both sides counts once */
        fold_rows(self);
        self->n_folded = 0;
        for (size_t e = 0; e < self->n_rows; e++) {
            self->row[e].weight = 1;
        }
    }
    return good;
}

void link_table_free(link_table_t *self)
{
    free(self->row);
    node_table_free(&self->nodes);
    memset(self, 0, sizeof *self);
}

static bool take_label(label_table_t *self, csv_reader_t *csv, const csv_column_t *columns, const node_table_t *nodes)
{
    uint32_t id = 0;
    unsigned c = 0;
    const char *text = csv_text(csv, &columns[1]);
    if (!csv_get_id(csv, &columns[0], &id)) {
        return false;
    }
    if (text[0] == '\0') {
        return true;
    }
    while (c < self->n_names && strncmp(self->name[c], text, sizeof *self->name - 1) != 0) {
        c++;
    }
    if (c == LABELS_MAX) {
        csv_error(csv, "more than 255 different labels", text, "merge some");
        return false;
    }
    if (c == self->n_names) {
        snprintf(self->name[self->n_names++], sizeof *self->name, "%s", text);
    }
    uint32_t node = node_table_find(nodes, id);
    if (node == CAIRN_IDS_NONE) {
        self->n_ignored++;
    } else {
        self->label[node] = (uint8_t)c;
    }
    return true;
}

bool label_table_read(label_table_t *self, const char *path, const node_table_t *nodes)
{
    csv_column_t columns[] = {{"id", true, -1}, {"label", true, -1}};
    csv_reader_t *csv = csv_open(path);
    csv_result_t result = CSV_BAD;
    memset(self, 0, sizeof *self);
    self->label = memory_zeroed(nodes->ids.n_ids, 1);
    memset(self->label, LABELS_MAX, nodes->ids.n_ids);
    self->name = memory_zeroed(LABELS_MAX, sizeof *self->name);
    bool good = csv != NULL && csv_read_header(csv, columns, 2);
    while (good && (result = csv_read_row(csv)) == CSV_ROW) {
        good = take_label(self, csv, columns, nodes);
    }
    csv_close(csv);
    return good && result == CSV_END;
}

void label_table_free(label_table_t *self)
{
    free(self->label);
    free(self->name);
    memset(self, 0, sizeof *self);
}
