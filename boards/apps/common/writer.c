/* SPDX-License-Identifier: MIT */
/* Text and numbers to the console or to a file without stdio. */
#include "apps/common/writer.h"

#include <string.h>

enum { DIGITS_MAX = 20, DECIMALS_MAX = 9, NUMBER_BYTES = DIGITS_MAX + 3 };

#define REAL_LIMIT 1e15 /* below it, whole and fraction fit 64-bit integers for any number of decimals */

void writer_console(writer_t *self) { memset(self, 0, sizeof *self); }

bool writer_open(writer_t *self, const char *path)
{
    writer_console(self);
    self->to_file = true;
    return port_file_open(&self->file, path, 1) == PORT_OK;
}

void writer_flush(writer_t *self)
{
    if (self->length > 0u && !self->failed) {
        if (self->to_file) {
            self->failed = port_file_write(&self->file, self->buffer, self->length) != PORT_OK;
        } else {
            port_console_write(self->buffer, self->length);
        }
    }
    self->length = 0;
}

bool writer_close(writer_t *self)
{
    writer_flush(self);
    bool closed = !self->to_file || port_file_close(&self->file) == PORT_OK;
    return closed && !self->failed;
}

static void put(writer_t *self, char character)
{
    if (self->length == sizeof self->buffer) {
        writer_flush(self);
    }
    self->buffer[self->length++] = character;
    ++self->column;
    if (character == '\n') {
        self->column = 0;
        if (!self->to_file) {
            writer_flush(self);
        }
    }
}

void writer_text(writer_t *self, const char *text)
{
    for (; *text != '\0'; ++text) {
        put(self, *text);
    }
}

void writer_repeat(writer_t *self, char character, size_t n)
{
    for (; n > 0u; --n) {
        put(self, character);
    }
}

void writer_to_column(writer_t *self, size_t column)
{
    if (self->column < column) {
        writer_repeat(self, ' ', column - self->column);
    }
}

void writer_right(writer_t *self, const char *text, size_t width)
{
    size_t length = strlen(text);
    if (length < width) {
        writer_repeat(self, ' ', width - length);
    }
    writer_text(self, text);
}

/* Write digits backwards from `end`; at least n_min of them. Returns where they start. */
static char *digits_before(char *end, uint64_t value, unsigned n_min)
{
    unsigned n = 0;
    for (; value != 0u || n < n_min; value /= 10u, ++n) {
        *--end = (char)('0' + (int)(value % 10u));
    }
    return end;
}

void writer_unsigned(writer_t *self, uint64_t value, size_t width)
{
    char number[NUMBER_BYTES];
    char *end = number + sizeof number - 1;
    *end = '\0';
    writer_right(self, digits_before(end, value, 1u), width);
}

void writer_real(writer_t *self, double value, unsigned n_decimals, size_t width)
{
    char number[NUMBER_BYTES + DECIMALS_MAX];
    char *at = number + sizeof number - 1;
    double magnitude = value < 0.0 ? -value : value;
    if (!(magnitude < REAL_LIMIT)) { /* NaN too */
        writer_right(self, "-", width);
        return;
    }
    uint32_t scale = 1;
    n_decimals = n_decimals < DECIMALS_MAX ? n_decimals : DECIMALS_MAX;
    for (unsigned i = 0; i < n_decimals; ++i) {
        scale *= 10u;
    }
    uint64_t whole = (uint64_t)magnitude;
    uint64_t fraction = (uint64_t)((magnitude - (double)whole) * (double)scale + 0.5);
    if (fraction >= scale) {
        fraction -= scale;
        ++whole;
    }
    *at = '\0';
    if (n_decimals > 0u) {
        at = digits_before(at, fraction, n_decimals);
        *--at = '.';
    }
    at = digits_before(at, whole, 1u);
    if (value < 0.0 && (whole != 0u || fraction != 0u)) {
        *--at = '-';
    }
    writer_right(self, at, width);
}

void writer_hex(writer_t *self, uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4) {
        put(self, "0123456789abcdef"[(value >> shift) & 15u]);
    }
}
