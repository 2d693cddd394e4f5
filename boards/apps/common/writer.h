/* SPDX-License-Identifier: MIT */
/* Text and numbers to the console or to a file without stdio, with columns to align tables by. */
#ifndef APPS_WRITER_H
#define APPS_WRITER_H

#include "port.h"

#include <stdbool.h>

enum { WRITER_BUFFER_BYTES = 96 };

/** Where text goes. Private. */
typedef struct {
    bool to_file;
    bool failed; /* a write failed; later ones are dropped */
    port_file_t file;
    size_t column; /* characters since the last line end */
    size_t length;
    char buffer[WRITER_BUFFER_BYTES];
} writer_t;

/* Write to the console. */
void writer_console(writer_t *self);
/* Create a file, or empty it, and write to it; false when that is impossible. One file at a time. */
bool writer_open(writer_t *self, const char *path);
/* Pass on what is held back. */
void writer_flush(writer_t *self);
/* Flush and close; false when something was not written. */
bool writer_close(writer_t *self);

/* Text, zero-terminated. */
void writer_text(writer_t *self, const char *text);
/* A character n times. */
void writer_repeat(writer_t *self, char character, size_t n);
/* Blanks up to a column, counted from 0; none when it is behind already. */
void writer_to_column(writer_t *self, size_t column);
/* Decimal digits, right-aligned in `width` characters (0: no padding). */
void writer_unsigned(writer_t *self, uint64_t value, size_t width);
/* Fixed point with 0 to 9 decimals, half away from zero, right-aligned; `-` for what is not finite or is 1e15 and
 * above in magnitude. A value that rounds to zero has no sign. */
void writer_real(writer_t *self, double value, unsigned n_decimals, size_t width);
/* Eight hexadecimal digits. */
void writer_hex(writer_t *self, uint32_t value);
/* Text right-aligned in `width` characters. */
void writer_right(writer_t *self, const char *text, size_t width);

#endif
