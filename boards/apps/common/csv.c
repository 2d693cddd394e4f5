/* SPDX-License-Identifier: MIT */
/* Comma-separated rows from a file or from text in the image, one bounded line at a time. */
#include "apps/common/csv.h"

#include <string.h>

enum { NO_MORE = -1, READ_FAILED = -2 };

static void open_any(csv_t *self, const char *name)
{
    memset(self, 0, sizeof *self);
    self->name = name;
}

csv_status_t csv_open_file(csv_t *self, const char *path)
{
    open_any(self, path);
    return port_file_open(&self->file, path, 0) == PORT_OK ? CSV_OK : CSV_ERR_OPEN;
}

void csv_open_text(csv_t *self, const char *const *pieces, const char *name)
{
    open_any(self, name);
    self->pieces = pieces;
}

void csv_close(csv_t *self)
{
    if (self->pieces == NULL) {
        (void)port_file_close(&self->file);
    }
}

/* Next byte of the text in the image. */
static int next_in_image(csv_t *self)
{
    while (*self->pieces != NULL) {
        char byte = (*self->pieces)[self->block_at];
        if (byte != '\0') {
            ++self->block_at;
            return (unsigned char)byte;
        }
        ++self->pieces;
        self->block_at = 0;
    }
    return NO_MORE;
}

/* Next byte, NO_MORE or READ_FAILED. */
static int next_byte(csv_t *self)
{
    if (self->pieces != NULL) {
        return next_in_image(self);
    }
    if (self->block_at == self->block_length) {
        port_status_t status = port_file_read(&self->file, self->block, sizeof self->block, &self->block_length);
        self->block_at = 0;
        if (status != PORT_OK || self->block_length == 0u) {
            self->block_length = 0;
            return status == PORT_OK || status == PORT_EMPTY ? NO_MORE : READ_FAILED;
        }
    }
    return (unsigned char)self->block[self->block_at++];
}

static bool has_mark(const csv_t *self) { return self->line == 1u && strncmp(self->row, "\xEF\xBB\xBF", 3) == 0; }

/* Whether the line whose beginning is in the row is a comment. */
static bool is_comment(const csv_t *self) { return self->row[has_mark(self) ? 3 : 0] == '#'; }

/* Read one line into the row without its end; a comment only as far as it fits. */
static csv_status_t read_line(csv_t *self)
{
    size_t length = 0;
    int byte = next_byte(self);
    if (byte == NO_MORE) {
        return CSV_END;
    }
    self->line = ++self->n_lines;
    for (; byte >= 0 && byte != '\n'; byte = next_byte(self)) {
        if (byte == '\0') {
            return CSV_ERR_BYTE;
        }
        if (length < CSV_LINE_BYTES - 1u) {
            self->row[length++] = (char)byte;
        } else if (!is_comment(self) && byte != '\r') {
            return CSV_ERR_LONG;
        }
    }
    self->row[length] = '\0';
    return byte == READ_FAILED ? CSV_ERR_READ : CSV_OK;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Cut the blanks off both ends. */
static char *trim(char *text)
{
    while (is_blank(*text)) {
        ++text;
    }
    size_t length = strlen(text);
    while (length > 0u && is_blank(text[length - 1u])) {
        text[--length] = '\0';
    }
    return text;
}

/* Cut the row at its commas; false when there are too many. */
static bool split(csv_t *self, char *row)
{
    self->n_fields = 0;
    for (char *from = row; from != NULL;) {
        char *comma = strchr(from, ',');
        if (self->n_fields == CSV_FIELDS_MAX) {
            return false;
        }
        if (comma != NULL) {
            *comma++ = '\0';
        }
        self->field[self->n_fields++] = trim(from);
        from = comma;
    }
    return true;
}

/* The next line that is neither blank nor a comment, cut into fields. */
static csv_status_t read_row(csv_t *self)
{
    for (;;) {
        csv_status_t status = read_line(self);
        if (status != CSV_OK) {
            return status;
        }
        char *row = trim(self->row + (has_mark(self) ? 3 : 0));
        if (!is_comment(self) && *row != '\0') {
            return split(self, row) ? CSV_OK : CSV_ERR_FIELDS;
        }
    }
}

csv_status_t csv_read_header(csv_t *self, const char *const *names, size_t n_names, size_t *columns)
{
    csv_status_t status = read_row(self);
    if (status == CSV_END || status == CSV_ERR_FIELDS) {
        return CSV_ERR_HEADER;
    }
    if (status != CSV_OK) {
        return status;
    }
    self->n_columns = self->n_fields;
    for (size_t i = 0; i < n_names; ++i) {
        columns[i] = CSV_NO_COLUMN;
        for (size_t j = self->n_fields; j-- > 0u;) {
            if (strcmp(self->field[j], names[i]) == 0) {
                columns[i] = j;
            }
        }
    }
    return CSV_OK;
}

csv_status_t csv_next(csv_t *self)
{
    csv_status_t status = read_row(self);
    if (status == CSV_OK && self->n_fields != self->n_columns) {
        return CSV_ERR_FIELDS;
    }
    return status;
}

const char *csv_reason(csv_status_t status)
{
    switch (status) {
    case CSV_OK: return "a row";
    case CSV_END: return "no more rows";
    case CSV_ERR_OPEN: return "cannot be opened";
    case CSV_ERR_READ: return "cannot be read on";
    case CSV_ERR_LONG: return "line too long, more than 127 characters";
    case CSV_ERR_BYTE: return "not a text, zero byte";
    case CSV_ERR_FIELDS: return "as many fields as the header needed";
    case CSV_ERR_HEADER: return "header needed, with at most 10 columns";
    default: return "unknown";
    }
}
