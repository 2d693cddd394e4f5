/* SPDX-License-Identifier: MIT
 * Runs README.md's program on any board: its main and printf are renamed to these, so that no stdio is linked. */
#include "port.h"

#include <stdarg.h>
#include <string.h>

int program_main(void);
int firmware_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void print_integer(int value)
{
    char digits[12];
    size_t at = sizeof digits;
    unsigned rest = value < 0 ? 0u - (unsigned)value : (unsigned)value;
    do {
        digits[--at] = (char)('0' + (int)(rest % 10u));
        rest /= 10u;
    } while (rest != 0u);
    if (value < 0) {
        digits[--at] = '-';
    }
    port_console_write(digits + at, sizeof digits - at);
}

/* %d and %s are all the program uses. */
int firmware_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *percent = strchr(format, '%'); percent != NULL; percent = strchr(format, '%')) {
        port_console_write(format, (size_t)(percent - format));
        if (percent[1] == 'd') {
            print_integer(va_arg(arguments, int));
        } else {
            const char *text = va_arg(arguments, const char *);
            port_console_write(text, strlen(text));
        }
        format = percent + 2;
    }
    va_end(arguments);
    port_console_write(format, strlen(format));
    return 0;
}

int port_main(void) { return program_main(); }
