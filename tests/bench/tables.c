/* SPDX-License-Identifier: MIT
 * Measured distance tables for benches. */
#include "tables.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "real_data.h"

enum { LINE_BYTES = 65536, COLUMNS_MAX = 512 };

typedef struct rows {
    double *value; /* [n x n_columns] */
    size_t n;
    size_t n_columns;
} rows_t;

/* The numbers of a line; a field that is none, such as a name, is left out. */
static size_t read_numbers(char *line, double *value)
{
    size_t n = 0;
    for (char *field = strtok(line, ",\r\n"); field != NULL && n < COLUMNS_MAX; field = strtok(NULL, ",\r\n")) {
        char *end;
        double number = field[0] == '"' ? 0 : strtod(field, &end);
        if (field[0] != '"' && *end == '\0') {
            value[n] = number;
            n++;
        }
    }
    return n;
}

/* All rows after the first line. */
static bool read_rows(const char *file, rows_t *rows)
{
    static char line[LINE_BYTES];
    double value[COLUMNS_MAX];
    size_t capacity = 0;
    char path[REAL_DATA_PATH_BYTES];
    FILE *stream = real_data_path(path, file) ? fopen(path, "r") : NULL;
    memset(rows, 0, sizeof *rows);
    if (stream == NULL || fgets(line, sizeof line, stream) == NULL) {
        return false;
    }
    while (fgets(line, sizeof line, stream) != NULL) {
        size_t n = read_numbers(line, value);
        if (n > 0 && (rows->n == 0 || n >= rows->n_columns)) {
            rows->n_columns = rows->n == 0 ? n : rows->n_columns;
            rows->value = memory_grow(rows->value, &capacity, (rows->n + 1) * rows->n_columns, sizeof *rows->value);
            memcpy(rows->value + rows->n * rows->n_columns, value, rows->n_columns * sizeof *value);
            rows->n++;
        }
    }
    fclose(stream);
    return rows->n > 0;
}

/* Squared Euclidean distance; the last column is a label. */
static double square_between(const rows_t *rows, size_t i, size_t j)
{
    double sum = 0;
    for (size_t a = 0; a + 1 < rows->n_columns; a++) {
        double difference = rows->value[i * rows->n_columns + a] - rows->value[j * rows->n_columns + a];
        sum += difference * difference;
    }
    return sum;
}

static void fill_points(table_t *self, const rows_t *rows)
{
    for (size_t i = 0; i < self->n * self->n; i++) {
        self->distance[i] = (float)sqrt(square_between(rows, i / self->n, i % self->n));
    }
}

/* Shortest paths by relaxing through every node (Floyd 1962); ids count from the smallest. */
static void fill_links(table_t *self, const rows_t *rows, size_t first)
{
    size_t n = self->n;
    for (size_t i = 0; i < n * n; i++) {
        self->distance[i] = i % (n + 1) == 0 ? 0.0f : (float)n;
    }
    for (size_t r = 0; r < rows->n; r++) {
        size_t a = (size_t)rows->value[r * rows->n_columns] - first;
        size_t b = (size_t)rows->value[r * rows->n_columns + 1] - first;
        self->distance[a * n + b] = self->distance[b * n + a] = a == b ? 0.0f : 1.0f;
    }
    for (size_t via = 0; via < n; via++) {
        for (size_t i = 0; i < n * n; i++) {
            float path = self->distance[i / n * n + via] + self->distance[via * n + i % n];
            self->distance[i] = fminf(self->distance[i], path);
        }
    }
}

static size_t count_nodes(const rows_t *rows, size_t *first)
{
    size_t most = 0;
    *first = SIZE_MAX;
    for (size_t r = 0; r < rows->n; r++) {
        for (size_t c = 0; c < 2; c++) {
            size_t id = (size_t)rows->value[r * rows->n_columns + c];
            most = id > most ? id : most;
            *first = id < *first ? id : *first;
        }
    }
    return most + 1 - *first;
}

bool table_read(table_t *self, const char *file, table_kind_t kind, double offset)
{
    rows_t rows;
    size_t first = 0;
    if (!read_rows(file, &rows)) {
        return false;
    }
    self->n = kind == TABLE_LINKS ? count_nodes(&rows, &first) : rows.n;
    self->distance = memory_zeroed(self->n * self->n, sizeof *self->distance);
    if (kind == TABLE_POINTS) {
        fill_points(self, &rows);
    } else if (kind == TABLE_LINKS) {
        fill_links(self, &rows, first);
    } else {
        for (size_t i = 0; i < self->n * self->n; i++) {
            double value = rows.value[i / self->n * rows.n_columns + i % self->n];
            self->distance[i] = (float)(i % (self->n + 1) == 0 ? 0 : kind == TABLE_DISTANCES ? value : offset - value);
        }
    }
    free(rows.value);
    return true;
}
