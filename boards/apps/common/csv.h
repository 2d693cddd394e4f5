/* SPDX-License-Identifier: MIT */
/* Comma-separated rows from a file or from text in the image, one bounded line at a time. */
#ifndef APPS_CSV_H
#define APPS_CSV_H

#include "port.h"

#include <stdbool.h>

/*
 * The first row names the columns; blank lines and lines whose first character is `#` are skipped; blanks around a
 * field do not count; lines end with LF or CR LF; a byte order mark at the start is skipped. No quotes.
 */
enum {
    CSV_LINE_BYTES = 128,  /* longest row, with its end; comments may be longer */
    CSV_BLOCK_BYTES = 128, /* read from the file at once */
    CSV_FIELDS_MAX = 10
};

#define CSV_NO_COLUMN CSV_FIELDS_MAX /* the file does not have this column */

typedef enum {
    CSV_OK = 0,          /* a row is there */
    CSV_END = 1,         /* no more rows */
    CSV_ERR_OPEN = -1,   /* no such file, or not allowed */
    CSV_ERR_READ = -2,   /* the file cannot be read on */
    CSV_ERR_LONG = -3,   /* a row of CSV_LINE_BYTES or more */
    CSV_ERR_BYTE = -4,   /* a zero byte: not a text */
    CSV_ERR_FIELDS = -5, /* a row with fewer or more fields than the header */
    CSV_ERR_HEADER = -6  /* no header, or more than CSV_FIELDS_MAX columns */
} csv_status_t;

/** An open text. Private but for name, line, field and n_fields. */
typedef struct {
    const char *name;                  /* for messages */
    uint32_t line;                     /* of the present row, from 1 */
    const char *field[CSV_FIELDS_MAX]; /* of the present row, zero-terminated */
    size_t n_fields;
    size_t n_columns;          /* of the header; 0 before it was read */
    const char *const *pieces; /* text in the image, ends with NULL; NULL: a file */
    port_file_t file;
    uint32_t n_lines; /* read so far */
    size_t block_at, block_length;
    char block[CSV_BLOCK_BYTES];
    char row[CSV_LINE_BYTES];
} csv_t;

/**
 * Open a file. It must be closed before another one is opened for reading.
 *
 * self  out, every field is written
 * path  zero-terminated, kept for messages
 *
 * CSV_OK, CSV_ERR_OPEN
 */
csv_status_t csv_open_file(csv_t *self, const char *path);

/**
 * Open a text in the image.
 *
 * self    out, every field is written
 * pieces  strings that make the text when joined, then NULL
 * name    for messages
 */
void csv_open_text(csv_t *self, const char *const *pieces, const char *name);

/**
 * Read the header and find columns in it.
 *
 * self     opened, nothing read yet
 * names    [n_names] wanted columns
 * n_names  how many
 * columns  [n_names] out: where each is, or CSV_NO_COLUMN
 *
 * CSV_OK, or an error
 */
csv_status_t csv_read_header(csv_t *self, const char *const *names, size_t n_names, size_t *columns);

/**
 * Read the next row.
 *
 * self  after csv_read_header
 *
 * CSV_OK: self->field holds it until the next call; CSV_END; or an error
 */
csv_status_t csv_next(csv_t *self);

/**
 * Close it; harmless on a text in the image.
 */
void csv_close(csv_t *self);

/**
 * What a status means, for messages. Static text.
 */
const char *csv_reason(csv_status_t status);

#endif
