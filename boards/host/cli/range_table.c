/* SPDX-License-Identifier: MIT
 * Tables of measured ranges, `a,b,range_m[,std_m]`. */
#include "range_table.h"

#include <stdlib.h>
#include <string.h>

#include "cairn/network.h"
#include "csv.h"
#include "memory.h"
#include "parse.h"

enum { COLUMN_A, COLUMN_B, COLUMN_RANGE, COLUMN_STD, N_COLUMNS };

static const double range_min_m = (double)CAIRN_NETWORK_LENGTH_LEAST; /* below it a range is zero for every purpose */

static const char remedy[] = "correct the row, or pass --skip-bad to leave such rows out";

typedef enum row_result { ROW_GOOD, ROW_SKIPPED, ROW_BAD } row_result_t;

void range_table_add(range_table_t *self, range_row_t row)
{
    self->row = memory_grow(self->row, &self->capacity, self->n_rows + 1, sizeof row);
    self->row[self->n_rows] = row;
    self->n_rows++;
}

/* What makes a range or its deviation unusable, or NULL. */
static const char *find_fault(const range_row_t *row, bool finite, const range_rules_t *rules)
{
    if (!finite) {
        return "the range or its std_m is not finite";
    }
    if (row->a == row->b) {
        return "a node has a range to itself";
    }
    if (!(row->range_m >= range_min_m)) {
        return row->range_m > 0 ? "the range is below a nanometre" : "the range is zero or negative";
    }
    if (!(row->range_m <= rules->range_max_m)) {
        return "the range is above --range-max (are these metres?)";
    }
    if (!(row->std_m >= 0) || !(row->std_m <= RANGE_LIMIT_M)) {
        return "std_m is negative or above 1e7 m";
    }
    return NULL;
}

/* A field that may be nan or inf, which *finite reports. False: it is no number, and the reason has been printed. */
static bool get_measured(const csv_reader_t *reader, const csv_column_t *column, double *value, bool *finite)
{
    if (parse_real(csv_text(reader, column), value) == PARSE_NONFINITE) {
        *finite = false;
        return true;
    }
    return csv_get_real(reader, column, value);
}

static row_result_t read_row(const csv_reader_t *reader, const csv_column_t *columns, const range_rules_t *rules,
                             range_row_t *row)
{
    bool finite = true;
    memset(row, 0, sizeof *row);
    if (!csv_get_id(reader, &columns[COLUMN_A], &row->a) || !csv_get_id(reader, &columns[COLUMN_B], &row->b) ||
        !get_measured(reader, &columns[COLUMN_RANGE], &row->range_m, &finite)) {
        return ROW_BAD;
    }
    bool has_std = csv_text(reader, &columns[COLUMN_STD])[0] != '\0';
    if (has_std && !get_measured(reader, &columns[COLUMN_STD], &row->std_m, &finite)) {
        return ROW_BAD;
    }
    const char *fault = find_fault(row, finite, rules);
    if (fault == NULL) {
        return ROW_GOOD;
    }
    if (rules->skip_bad) {
        return ROW_SKIPPED;
    }
    bool at_std = row->range_m > 0 && row->range_m <= rules->range_max_m && row->a != row->b && has_std;
    const csv_column_t *column = row->a == row->b ? &columns[COLUMN_A] : &columns[at_std ? COLUMN_STD : COLUMN_RANGE];
    csv_error(reader, fault, csv_text(reader, column), remedy);
    return ROW_BAD;
}

static bool read_rows(range_table_t *self, csv_reader_t *reader, const csv_column_t *columns,
                      const range_rules_t *rules)
{
    for (;;) {
        csv_result_t result = csv_read_row(reader);
        if (result != CSV_ROW) {
            return result == CSV_END;
        }
        range_row_t row;
        switch (read_row(reader, columns, rules, &row)) {
        case ROW_GOOD: range_table_add(self, row); break;
        case ROW_SKIPPED: self->n_skipped++; break;
        case ROW_BAD: return false;
        }
    }
}

bool range_table_read(range_table_t *self, const char *path, const range_rules_t *rules)
{
    csv_column_t columns[N_COLUMNS] = {{"a", true, -1}, {"b", true, -1}, {"range_m", true, -1}, {"std_m", false, -1}};
    memset(self, 0, sizeof *self);
    csv_reader_t *reader = csv_open(path);
    if (reader == NULL) {
        return false;
    }
    bool done = csv_read_header(reader, columns, N_COLUMNS) && read_rows(self, reader, columns, rules);
    if (done && self->n_rows == 0) {
        csv_error(reader, "there is no usable range in the file", NULL, "give at least one row a,b,range_m");
        done = false;
    }
    csv_close(reader);
    return done;
}

double range_table_mean_m(const range_table_t *self)
{
    double sum_m = 0;
    for (size_t i = 0; i < self->n_rows; i++) {
        sum_m += self->row[i].range_m;
    }
    return sum_m / (double)self->n_rows;
}

size_t range_table_count_plain(const range_table_t *self)
{
    size_t n_plain = 0;
    for (size_t i = 0; i < self->n_rows; i++) {
        n_plain += !(self->row[i].std_m > 0);
    }
    return n_plain;
}

void range_table_free(range_table_t *self)
{
    free(self->row);
    memset(self, 0, sizeof *self);
}
