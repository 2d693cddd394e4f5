/* SPDX-License-Identifier: MIT
 * Results to a file or to the standard output, with every write checked. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#if defined(__GNUC__)
#define OUTPUT_FORMAT(text, arguments) __attribute__((format(printf, text, arguments)))
#else
#define OUTPUT_FORMAT(text, arguments)
#endif

typedef struct output {
    FILE *file;
    const char *path; /* "-" is the standard output */
    int error;        /* errno of the first failed write, 0 */
} output_t;

typedef enum output_result {
    OUTPUT_DONE,         /* everything is written */
    OUTPUT_CLOSED_EARLY, /* the reader of the pipe went away: stop quietly */
    OUTPUT_FAILED        /* the reason has been printed */
} output_result_t;

/* Open path, NULL and "-" meaning the standard output. False: the reason has been printed. */
bool output_open(output_t *self, const char *path);

/* Write text; a failure is remembered and reported by output_close. */
void output_print(output_t *self, const char *format, ...) OUTPUT_FORMAT(2, 3);

/* Write text as a field of a CSV row, quoted where it must be. */
void output_field(output_t *self, const char *text);

/* Hand what is written to the reader now. */
void output_flush(output_t *self);

/* Finish. A regular file that could not be written whole is removed. */
output_result_t output_close(output_t *self);

/* Finish without a result, for a reason that has been printed: a regular file is removed. */
void output_drop(output_t *self);

/* Remove what is there if it is a regular file. */
void output_remove(const char *path);

/* Whether two paths name one file, or both the standard stream; paths may be NULL. */
bool output_is_same(const char *path, const char *other);

/* The exit code that goes with a result. */
int output_exit_code(output_result_t result);

#endif
