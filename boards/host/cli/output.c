/* SPDX-License-Identifier: MIT
 * Results to a file or to the standard output, with every write checked. */
#define _POSIX_C_SOURCE 200809L
#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "exit_code.h"

static bool is_standard(const output_t *self) { return strcmp(self->path, "-") == 0; }

static const char *shown_path(const output_t *self) { return is_standard(self) ? "standard output" : self->path; }

bool output_open(output_t *self, const char *path)
{
    self->path = path == NULL ? "-" : path;
    self->error = 0;
    self->file = is_standard(self) ? stdout : fopen(self->path, "w");
    if (self->file == NULL) {
        fprintf(stderr, "%s: cannot be written, %s: choose another place\n", self->path, strerror(errno));
        return false;
    }
    return true;
}

void output_print(output_t *self, const char *format, ...)
{
    if (self->error != 0) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    errno = 0;
    if (vfprintf(self->file, format, arguments) < 0) {
        self->error = errno != 0 ? errno : EIO;
    }
    va_end(arguments);
}

void output_field(output_t *self, const char *text)
{
    if (strpbrk(text, ",\"\r\n#") == NULL) {
        output_print(self, "%s", text);
        return;
    }
    output_print(self, "\"");
    for (const char *at = text; *at != '\0'; at++) {
        output_print(self, *at == '"' ? "\"\"" : "%c", *at);
    }
    output_print(self, "\"");
}

void output_remove(const char *path)
{
    struct stat status;
    if (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        (void)remove(path);
    }
}

void output_flush(output_t *self)
{
    errno = 0;
    if (fflush(self->file) != 0 && self->error == 0) {
        self->error = errno != 0 ? errno : EIO;
    }
}

void output_drop(output_t *self)
{
    output_flush(self);
    if (!is_standard(self)) {
        (void)fclose(self->file);
        output_remove(self->path);
    }
    self->file = NULL;
}

output_result_t output_close(output_t *self)
{
    output_flush(self);
    if (!is_standard(self) && fclose(self->file) != 0 && self->error == 0) {
        self->error = errno != 0 ? errno : EIO;
    }
    self->file = NULL;
    if (self->error == 0) {
        return OUTPUT_DONE;
    }
    output_remove(self->path);
    if (self->error == EPIPE) {
        return OUTPUT_CLOSED_EARLY;
    }
    fprintf(stderr, "%s: cannot be written whole, %s: make room or choose another place\n", shown_path(self),
            strerror(self->error));
    return OUTPUT_FAILED;
}

bool output_is_same(const char *path, const char *other)
{
    struct stat status, other_status;
    if (path == NULL || other == NULL) {
        return false;
    }
    if (strcmp(path, other) == 0) {
        return true;
    }
    return stat(path, &status) == 0 && stat(other, &other_status) == 0 && S_ISREG(status.st_mode) &&
           status.st_dev == other_status.st_dev && status.st_ino == other_status.st_ino;
}

int output_exit_code(output_result_t result) { return result == OUTPUT_FAILED ? CLI_BAD_DATA : CLI_DONE; }
