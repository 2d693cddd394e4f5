/* SPDX-License-Identifier: MIT
 * Tables of measured ranges, `a,b,range_m[,std_m]`. */
#ifndef CLI_RANGE_TABLE_H
#define CLI_RANGE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANGE_LIMIT_M 1e7

/* One measured range; a and b are ids of a file or indices of a problem. */
typedef struct range_row {
    uint32_t a;
    uint32_t b;
    double range_m;
    double std_m; /* 0: not given */
} range_row_t;

typedef struct range_table {
    range_row_t *row;
    size_t n_rows;
    size_t capacity;
    size_t n_skipped; /* rows left out */
} range_table_t;

typedef struct range_rules {
    double range_max_m; /* larger ranges are implausible */
    bool skip_bad;      /* leave unusable rows out instead of refusing the file */
} range_rules_t;

/* Add one range to the table. */
void range_table_add(range_table_t *self, range_row_t row);

/* Read a table. False: the reason has been printed. Release with range_table_free. */
bool range_table_read(range_table_t *self, const char *path, const range_rules_t *rules);

/* Mean of the ranges of a table that has some. */
double range_table_mean_m(const range_table_t *self);

/* How many rows have no deviation of their own. */
size_t range_table_count_plain(const range_table_t *self);

void range_table_free(range_table_t *self);

#endif
