/* SPDX-License-Identifier: MIT
 * Measured distance tables for benches. */
#ifndef BENCH_TABLES_H
#define BENCH_TABLES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum table_kind {
    TABLE_DISTANCES,    /* a square table with names */
    TABLE_SIMILARITIES, /* the same; the distance is the offset minus the entry */
    TABLE_POINTS,       /* rows of numbers after one line of counts; Euclidean distances */
    TABLE_LINKS         /* source,target rows: distances in hops */
} table_kind_t;

typedef struct table {
    size_t n;
    float *distance; /* [n x n] */
} table_t;

/* Read a file of the measured data. False: it is not there. Release with free(table->distance). */
bool table_read(table_t *self, const char *file, table_kind_t kind, double offset);

#endif
