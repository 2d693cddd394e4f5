/* SPDX-License-Identifier: MIT
 * Options of a command: one table says what is accepted, where it goes and what --help prints. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output.h"

typedef enum args_kind {
    ARGS_FLAG,  /* bool: true when present */
    ARGS_TEXT,  /* const char *: the value as it is */
    ARGS_REAL,  /* double: minimum <= value <= maximum */
    ARGS_COUNT, /* uint64_t: minimum <= value <= maximum */
    ARGS_CHOICE /* size_t: index into choices */
} args_kind_t;

typedef struct args_option {
    const char *name; /* with its dashes */
    args_kind_t kind;
    void *target;      /* of the type named at args_kind; holds the default before parsing */
    const char *value; /* what --help calls the value; NULL for a flag */
    const char *help;
    double minimum; /* of a real */
    double maximum;
    uint64_t count_minimum; /* of a count */
    uint64_t count_maximum;
    const char *const *choices; /* ended by NULL */
    bool required;
    bool given; /* out: the option was present */
} args_option_t;

/* Rows of an options table. A default is what target holds; a required option wraps another row. */
args_option_t args_flag(const char *name, bool *target, const char *help);
args_option_t args_text(const char *name, const char **target, const char *value, const char *help);
args_option_t args_real(const char *name, double *target, const char *value, double minimum, double maximum,
                        const char *help);
args_option_t args_count(const char *name, uint64_t *target, const char *value, uint64_t minimum, uint64_t maximum,
                         const char *help);
args_option_t args_choice(const char *name, size_t *target, const char *const *choices, const char *help);
args_option_t args_required(args_option_t option);

/* Texts of a command's help, besides its options. */
typedef struct args_help {
    const char *command;     /* "cairn locate" */
    const char *synopsis;    /* what follows it on the command line */
    const char *description; /* paragraphs, ended by a newline */
    const char *notes;       /* what follows the options; may be NULL */
} args_help_t;

/* Parse `--name value`, `--name=value` and flags. Each option at most once; nothing else is accepted. --help anywhere
 * prints the help. True: go on; false: the command is over with *exit_code, and why has been printed. */
bool args_parse(const args_help_t *help, int argc, char **argv, args_option_t *options, size_t n_options,
                int *exit_code);

/* Print the help of a command. Returns the exit code. */
int args_print_help(const args_help_t *help, const args_option_t *options, size_t n_options);

/* Print `command: text; see command --help` on the standard error stream. Returns CLI_USAGE. */
int args_usage_error(const char *command, const char *format, ...) OUTPUT_FORMAT(2, 3);

#endif
