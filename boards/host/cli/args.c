/* SPDX-License-Identifier: MIT
 * Options of a command: one table says what is accepted, where it goes and what --help prints. */
#include "args.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "exit_code.h"
#include "parse.h"

enum { HELP_COLUMN = 26 };

int args_usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; see %s --help\n", command);
    va_end(arguments);
    return CLI_USAGE;
}

args_option_t args_flag(const char *name, bool *target, const char *help)
{
    args_option_t option = {.name = name, .kind = ARGS_FLAG, .target = target, .help = help};
    return option;
}

args_option_t args_text(const char *name, const char **target, const char *value, const char *help)
{
    args_option_t option = {.name = name, .kind = ARGS_TEXT, .target = target, .value = value, .help = help};
    return option;
}

args_option_t args_real(const char *name, double *target, const char *value, double minimum, double maximum,
                        const char *help)
{
    args_option_t option = {.name = name, .kind = ARGS_REAL, .target = target, .value = value, .help = help};
    option.minimum = minimum;
    option.maximum = maximum;
    return option;
}

args_option_t args_count(const char *name, uint64_t *target, const char *value, uint64_t minimum, uint64_t maximum,
                         const char *help)
{
    args_option_t option = {.name = name, .kind = ARGS_COUNT, .target = target, .value = value, .help = help};
    option.count_minimum = minimum;
    option.count_maximum = maximum;
    return option;
}

args_option_t args_choice(const char *name, size_t *target, const char *const *choices, const char *help)
{
    args_option_t option = {.name = name, .kind = ARGS_CHOICE, .target = target, .choices = choices, .help = help};
    return option;
}

args_option_t args_required(args_option_t option)
{
    option.required = true;
    return option;
}

static void list_choices(const args_option_t *option, char *text, size_t text_bytes)
{
    text[0] = '\0';
    for (size_t i = 0; option->choices[i] != NULL; i++) {
        if (i > 0) {
            strncat(text, " ", text_bytes - strlen(text) - 1);
        }
        strncat(text, option->choices[i], text_bytes - strlen(text) - 1);
    }
}

static bool set_real(const args_option_t *option, const char *text)
{
    double value = 0;
    if (parse_real(text, &value) != PARSE_OK || !(value >= option->minimum) || !(value <= option->maximum)) {
        return false;
    }
    *(double *)option->target = value;
    return true;
}

static bool set_count(const args_option_t *option, const char *text)
{
    uint64_t value = 0;
    if (parse_count(text, option->count_maximum, &value) != PARSE_OK || value < option->count_minimum) {
        return false;
    }
    *(uint64_t *)option->target = value;
    return true;
}

static bool set_choice(const args_option_t *option, const char *text)
{
    for (size_t i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], text) == 0) {
            *(size_t *)option->target = i;
            return true;
        }
    }
    return false;
}

static bool set_value(const char *command, args_option_t *option, const char *text)
{
    char wanted[160] = "";
    bool fits = false;
    switch (option->kind) {
    case ARGS_REAL:
        fits = set_real(option, text);
        snprintf(wanted, sizeof wanted, "a number from %g to %g", option->minimum, option->maximum);
        break;
    case ARGS_COUNT:
        fits = set_count(option, text);
        snprintf(wanted, sizeof wanted, "an integer from %llu to %llu", (unsigned long long)option->count_minimum,
                 (unsigned long long)option->count_maximum);
        break;
    case ARGS_CHOICE:
        fits = set_choice(option, text);
        list_choices(option, wanted, sizeof wanted);
        break;
    case ARGS_TEXT:
        fits = text[0] != '\0';
        snprintf(wanted, sizeof wanted, "some text");
        *(const char **)option->target = text;
        break;
    case ARGS_FLAG: break;
    }
    if (!fits) {
        args_usage_error(command, "%s '%s': must be %s%s", option->name, text,
                         option->kind == ARGS_CHOICE ? "one of " : "", wanted);
    }
    return fits;
}

static args_option_t *find_option(args_option_t *options, size_t n_options, const char *argument, size_t length)
{
    for (size_t i = 0; i < n_options; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, argument, length) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

/* Take the option at argv[*position] and its value, and step over them. */
static bool take_option(const char *command, int argc, char **argv, int *position, args_option_t *options,
                        size_t n_options)
{
    const char *argument = argv[*position];
    const char *equals = strchr(argument, '=');
    size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    args_option_t *option = find_option(options, n_options, argument, length);
    if (option == NULL) {
        args_usage_error(command, "unknown argument '%s'", argument);
        return false;
    }
    if (option->given) {
        args_usage_error(command, "%s is given twice", option->name);
        return false;
    }
    option->given = true;
    *position += 1;
    if (option->kind == ARGS_FLAG) {
        *(bool *)option->target = true;
        if (equals != NULL) {
            args_usage_error(command, "%s takes no value", option->name);
        }
        return equals == NULL;
    }
    if (equals != NULL) {
        return set_value(command, option, equals + 1);
    }
    if (*position >= argc || strncmp(argv[*position], "--", 2) == 0) {
        args_usage_error(command, "%s needs a value, %s", option->name, option->value);
        return false;
    }
    *position += 1;
    return set_value(command, option, argv[*position - 1]);
}

static bool asks_for_help(int argc, char **argv)
{
    bool asks = false;
    for (int i = 0; i < argc; i++) {
        asks = asks || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
    }
    return asks;
}

static bool take_options(const char *command, int argc, char **argv, args_option_t *options, size_t n_options)
{
    int position = 0;
    while (position < argc) {
        if (!take_option(command, argc, argv, &position, options, n_options)) {
            return false;
        }
    }
    for (size_t i = 0; i < n_options; i++) {
        if (options[i].required && !options[i].given) {
            args_usage_error(command, "%s %s is missing", options[i].name, options[i].value);
            return false;
        }
    }
    return true;
}

static void print_option(output_t *out, const args_option_t *option)
{
    char head[160];
    char choices[120] = "";
    if (option->kind == ARGS_CHOICE) {
        list_choices(option, choices, sizeof choices);
        for (char *character = choices; *character != '\0'; character++) {
            *character = *character == ' ' ? '|' : *character;
        }
    }
    const char *value = option->kind == ARGS_CHOICE ? choices : option->value != NULL ? option->value : "";
    snprintf(head, sizeof head, "%s %s", option->name, value);
    bool fits = strlen(head) < HELP_COLUMN - 3;
    output_print(out, "  %-*s", fits ? HELP_COLUMN - 2 : 0, head);
    if (!fits) {
        output_print(out, "\n%*s", HELP_COLUMN, "");
    }
    for (const char *text = option->help; *text != '\0'; text++) {
        if (*text == '\n') {
            output_print(out, "\n%*s", HELP_COLUMN, "");
        } else {
            output_print(out, "%c", *text);
        }
    }
    output_print(out, "\n");
}

int args_print_help(const args_help_t *help, const args_option_t *options, size_t n_options)
{
    output_t out;
    if (!output_open(&out, "-")) {
        return CLI_BAD_DATA;
    }
    output_print(&out, "usage: %s %s\n\n%s", help->command, help->synopsis, help->description);
    if (n_options > 0) {
        output_print(&out, "\noptions\n");
    }
    for (size_t i = 0; i < n_options; i++) {
        print_option(&out, &options[i]);
    }
    if (help->notes != NULL) {
        output_print(&out, "\n%s", help->notes);
    }
    return output_exit_code(output_close(&out));
}

bool args_parse(const args_help_t *help, int argc, char **argv, args_option_t *options, size_t n_options,
                int *exit_code)
{
    if (asks_for_help(argc, argv)) {
        *exit_code = args_print_help(help, options, n_options);
        return false;
    }
    *exit_code = CLI_USAGE;
    return take_options(help->command, argc, argv, options, n_options);
}
