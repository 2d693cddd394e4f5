/* SPDX-License-Identifier: MIT
 * Tables from CSV files: a header row names the columns, memory is bounded, every error names file and line. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CSV_LINE_BYTES ((size_t)1048576) /* longest line accepted */
#define CSV_FIELDS_MAX ((size_t)16384)   /* most columns accepted */

/* What is accepted, for the help of every command that reads tables. */
#define CSV_HELP                                                                                                       \
    "files\n"                                                                                                          \
    "  CSV, fields separated by commas. The first row names the columns, in any order; columns with other names are\n" \
    "  ignored. Blank lines and lines that begin with # are skipped. LF or CRLF, with or without a byte order mark;\n" \
    "  fields may be quoted. '-' is the standard input or output. Units are metres, seconds, radians. Ids are\n"       \
    "  integers from 0 to 4294967295.\n"                                                                               \
    "  Refused, with file and line: a file without rows of data where some are needed, missing or repeated columns,\n" \
    "  rows with more or fewer fields than the header (a truncated last line), text or nan or inf where a number\n"    \
    "  belongs, zero bytes (not a text file), lines over 1 MiB, more than 16384 columns.\n"

typedef struct csv_reader csv_reader_t;

typedef struct csv_column {
    const char *name;
    bool required;
    int index; /* out: which field of a row, -1 when the file has no such column */
} csv_column_t;

typedef enum csv_result {
    CSV_ROW,
    CSV_END,
    CSV_BAD /* the reason has been printed */
} csv_result_t;

/* Open a file, "-" being the standard input. NULL: the reason has been printed. */
csv_reader_t *csv_open(const char *path);

/* Read the header and find the columns. False: the reason has been printed. */
bool csv_read_header(csv_reader_t *self, csv_column_t *columns, size_t n_columns);

/* Read the next row that is neither blank nor a comment. */
csv_result_t csv_read_row(csv_reader_t *self);

/* Field of the present row, blanks trimmed; "" when the column is absent. */
const char *csv_text(const csv_reader_t *self, const csv_column_t *column);

/* Fields as numbers. False: the reason has been printed. */
bool csv_get_id(const csv_reader_t *self, const csv_column_t *column, uint32_t *id);
bool csv_get_real(const csv_reader_t *self, const csv_column_t *column, double *value);

/* Number of columns, after the header has been read. */
size_t csv_count_columns(const csv_reader_t *self);

/* Line of the present row, 1 being the first line of the file. */
uint64_t csv_line(const csv_reader_t *self);

/* Print `file:line: what 'value': remedy`; value may be NULL. Line 0 is left out. */
void csv_error_at(const char *path, uint64_t line, const char *what, const char *value, const char *remedy);

/* The same for the present row. */
void csv_error(const csv_reader_t *self, const char *what, const char *value, const char *remedy);

/* Close the file; NULL is allowed. */
void csv_close(csv_reader_t *self);

#endif
