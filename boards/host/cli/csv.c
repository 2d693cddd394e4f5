/* SPDX-License-Identifier: MIT
 * Tables from CSV files: a header row names the columns, memory is bounded, every error names file and line. */
#define _POSIX_C_SOURCE 200809L
#include "csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "parse.h"

enum { BLOCK_BYTES = 65536, SHOWN_CHARACTERS = 40 };

struct csv_reader {
    const char *path;
    FILE *file;
    uint64_t line_number;
    size_t block_used; /* read position in block */
    size_t block_bytes;
    size_t n_header_fields;
    size_t n_fields;
    int read_error; /* errno, 0 */
    bool last_without_newline;
    char block[BLOCK_BYTES];
    char line[CSV_LINE_BYTES + 1];
    char *field[CSV_FIELDS_MAX];
};

typedef enum line_result { LINE_READ, LINE_END, LINE_BAD } line_result_t;

static const char *shown_path(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

/* A value as it may be printed: short, and without control characters that could upset a terminal. */
static void make_printable(const char *value, char *shown, size_t shown_bytes)
{
    size_t length = 0;
    while (value[length] != '\0' && length < SHOWN_CHARACTERS && length + 4 < shown_bytes) {
        unsigned char character = (unsigned char)value[length];
        shown[length] = character < 0x20 || character >= 0x7F ? '?' : (char)character;
        length++;
    }
    shown[length] = '\0';
    if (value[length] != '\0') {
        strcat(shown, "...");
    }
}

void csv_error_at(const char *path, uint64_t line, const char *what, const char *value, const char *remedy)
{
    char shown[SHOWN_CHARACTERS + 8];
    fprintf(stderr, "%s:", shown_path(path));
    if (line > 0) {
        fprintf(stderr, "%llu:", (unsigned long long)line);
    }
    fprintf(stderr, " %s", what);
    if (value != NULL) {
        make_printable(value, shown, sizeof shown);
        fprintf(stderr, ", '%s'", shown);
    }
    fprintf(stderr, ": %s\n", remedy);
}

void csv_error(const csv_reader_t *self, const char *what, const char *value, const char *remedy)
{
    csv_error_at(self->path, self->line_number, what, value, remedy);
}

csv_reader_t *csv_open(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        csv_error_at(path, 0, "cannot be opened", strerror(errno), "check the name and the permissions");
        return NULL;
    }
    csv_reader_t *self = memory_zeroed(1, sizeof *self);
    self->path = path;
    self->file = file;
    return self;
}

void csv_close(csv_reader_t *self)
{
    if (self != NULL && self->file != stdin) {
        fclose(self->file);
    }
    free(self);
}

uint64_t csv_line(const csv_reader_t *self) { return self->line_number; }

/* What there is, at least a byte: a pipe that stays open hands out its lines as they come. 0 at the end and on errors. */
static size_t read_block(csv_reader_t *self)
{
    ssize_t n_bytes;
    do {
        n_bytes = read(fileno(self->file), self->block, sizeof self->block);
    } while (n_bytes < 0 && errno == EINTR);
    self->read_error = n_bytes < 0 ? errno : 0;
    return n_bytes > 0 ? (size_t)n_bytes : 0;
}

/* Next byte, or -1 at the end of the file and on errors. */
static int next_byte(csv_reader_t *self)
{
    if (self->block_used == self->block_bytes) {
        self->block_used = 0;
        self->block_bytes = read_block(self);
        if (self->block_bytes == 0) {
            return -1;
        }
    }
    return (unsigned char)self->block[self->block_used++];
}

static void strip_line_end(csv_reader_t *self, size_t length)
{
    if (length > 0 && self->line[length - 1] == '\r') {
        length--;
    }
    self->line[length] = '\0';
    if (self->line_number == 1 && strncmp(self->line, "\xEF\xBB\xBF", 3) == 0) {
        memmove(self->line, self->line + 3, length - 2);
    }
}

static line_result_t end_of_file(csv_reader_t *self, size_t length)
{
    if (self->read_error != 0) {
        csv_error(self, "cannot be read", strerror(self->read_error), "check that it is a file and readable");
        return LINE_BAD;
    }
    if (length == 0) {
        return LINE_END;
    }
    self->last_without_newline = true;
    strip_line_end(self, length);
    return LINE_READ;
}

static line_result_t read_line(csv_reader_t *self)
{
    size_t length = 0;
    self->line_number++;
    for (;;) {
        int byte = next_byte(self);
        if (byte < 0) {
            return end_of_file(self, length);
        }
        if (byte == '\n') {
            strip_line_end(self, length);
            return LINE_READ;
        }
        if (byte == '\0') {
            csv_error(self, "not a text file, it contains a zero byte", NULL, "give a CSV file (UTF-8 or ASCII)");
            return LINE_BAD;
        }
        if (length == CSV_LINE_BYTES) {
            self->line[length] = '\0';
            csv_error(self, "the line is longer than 1 MiB", self->line, "give a CSV file with one record a line");
            return LINE_BAD;
        }
        self->line[length++] = (char)byte;
    }
}

static bool is_blank(char character) { return character == ' ' || character == '\t'; }

/* Cut one field off in place: trims blanks, removes quotes. `rest` is what follows its comma, or NULL at the end. Returns
 * false if a quote is left open or more than blanks follow a closed one: then it isn't known where the field ends. */
static bool cut_field(char *text, char **field, char **rest)
{
    bool complete = true;
    while (is_blank(*text)) {
        text++;
    }
    *field = text;
    char *end = text;
    if (*text == '"') {
        text++;
        while (*text != '\0' && !(text[0] == '"' && text[1] != '"')) {
            text += text[0] == '"' ? 1 : 0;
            *end++ = *text++;
        }
        complete = *text == '"';
        text += complete ? 1 : 0;
        complete = complete && strchr(",", text[strspn(text, " \t")]) != NULL;
    }
    while (*text != '\0' && *text != ',') {
        *end++ = *text++;
    }
    *rest = *text == ',' ? text + 1 : NULL;
    while (end > *field && is_blank(end[-1])) {
        end--;
    }
    *end = '\0';
    return complete;
}

static bool split_line(csv_reader_t *self)
{
    char *rest = self->line;
    self->n_fields = 0;
    while (rest != NULL) {
        if (self->n_fields == CSV_FIELDS_MAX) {
            csv_error(self, "more than 16384 columns", NULL, "give fewer columns");
            return false;
        }
        if (!cut_field(rest, &self->field[self->n_fields], &rest)) {
            csv_error(self, "a quote is not closed, or text follows it", self->field[self->n_fields],
                      "put the whole field into quotes, or none of it");
            return false;
        }
        self->n_fields++;
    }
    return true;
}

/* Next line that is neither blank nor a comment, split into fields. */
static line_result_t read_record(csv_reader_t *self)
{
    for (;;) {
        line_result_t result = read_line(self);
        if (result != LINE_READ) {
            return result;
        }
        char first = self->line[strspn(self->line, " \t")];
        if (first != '\0' && first != '#') {
            return split_line(self) ? LINE_READ : LINE_BAD;
        }
    }
}

static bool find_column(csv_reader_t *self, csv_column_t *column)
{
    column->index = -1;
    for (size_t i = 0; i < self->n_fields; i++) {
        if (strcmp(self->field[i], column->name) != 0) {
            continue;
        }
        if (column->index >= 0) {
            csv_error(self, "a column is named twice", column->name, "keep one of the two");
            return false;
        }
        column->index = (int)i;
    }
    return true;
}

bool csv_read_header(csv_reader_t *self, csv_column_t *columns, size_t n_columns)
{
    line_result_t result = read_record(self);
    if (result == LINE_END) {
        csv_error(self, "there is no header row, the file is empty", NULL, "name the columns in the first row");
    }
    if (result != LINE_READ) {
        return false;
    }
    self->n_header_fields = self->n_fields;
    for (size_t i = 0; i < n_columns; i++) {
        if (!find_column(self, &columns[i])) {
            return false;
        }
        if (columns[i].required && columns[i].index < 0) {
            char what[120];
            snprintf(what, sizeof what, "the header has no column %s, it begins with", columns[i].name);
            csv_error(self, what, self->field[0],
                      strchr(self->field[0], ';') != NULL ? "separate the fields by commas, not semicolons"
                                                          : "name the columns in the first row, separated by commas");
            return false;
        }
    }
    return true;
}

size_t csv_count_columns(const csv_reader_t *self) { return self->n_header_fields; }

csv_result_t csv_read_row(csv_reader_t *self)
{
    line_result_t result = read_record(self);
    if (result != LINE_READ) {
        return result == LINE_END ? CSV_END : CSV_BAD;
    }
    if (self->n_fields == self->n_header_fields) {
        return CSV_ROW;
    }
    char what[120];
    snprintf(what, sizeof what, "the row has %zu fields, the header %zu; it begins with", self->n_fields,
             self->n_header_fields);
    csv_error(self, what, self->field[0],
              self->last_without_newline && self->n_fields < self->n_header_fields
                  ? "the last line has no end, the file seems to be truncated: copy it again"
                  : "give each row one field per column");
    return CSV_BAD;
}

const char *csv_text(const csv_reader_t *self, const csv_column_t *column)
{
    return column->index < 0 ? "" : self->field[column->index];
}

bool csv_get_id(const csv_reader_t *self, const csv_column_t *column, uint32_t *id)
{
    char what[80];
    uint64_t value = 0;
    const char *text = csv_text(self, column);
    parse_result_t result = parse_count(text, UINT32_MAX, &value);
    if (result != PARSE_OK) {
        snprintf(what, sizeof what, "%s is %s", column->name,
                 result == PARSE_EMPTY        ? "empty"
                 : result == PARSE_NOT_NUMBER ? "not a number"
                                              : "not an id");
        csv_error(self, what, text, "give an integer from 0 to 4294967295");
        return false;
    }
    *id = (uint32_t)value;
    return true;
}

bool csv_get_real(const csv_reader_t *self, const csv_column_t *column, double *value)
{
    char what[80];
    const char *text = csv_text(self, column);
    parse_result_t result = parse_real(text, value);
    if (result != PARSE_OK) {
        snprintf(what, sizeof what, "%s is %s", column->name,
                 result == PARSE_EMPTY       ? "empty"
                 : result == PARSE_NONFINITE ? "not finite"
                                             : "not a number");
        csv_error(self, what, text, "give a decimal number, like 3.21, or leave the row out");
        return false;
    }
    return true;
}
