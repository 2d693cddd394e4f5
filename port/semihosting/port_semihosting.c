/* SPDX-License-Identifier: MIT */
/* Port to the emulated boards: console, time, arguments and exit through semihosting. */
#include "port.h"

#include "semihosting/semihosting.h"

#include <string.h>

/* ADP_Stopped_ApplicationExit: the reason that carries an exit code */
#define EXIT_REASON 0x20026u

static char arguments[PORT_ARGUMENTS_BYTES_MAX];

void port_console_write(const char *text, size_t length)
{
    char piece[33]; /* WRITE0 wants a terminating zero, our text has none */
    while (length > 0u) {
        size_t n = length < sizeof piece - 1u ? length : sizeof piece - 1u;
        memcpy(piece, text, n);
        piece[n] = '\0';
        (void)semihosting_call(SEMIHOSTING_WRITE0, piece);
        text += n;
        length -= n;
    }
}

uint64_t port_time_us(void)
{
    uint32_t elapsed_ns[2] = {0u, 0u};
    (void)semihosting_call(SEMIHOSTING_ELAPSED, elapsed_ns);
    return (((uint64_t)elapsed_ns[1] << 32) | elapsed_ns[0]) / 1000u;
}

/* The first word is the program's name; fetched once, when first asked for. */
const char *port_arguments(void)
{
    if (arguments[0] == '\0') {
        const uintptr_t parameters[2] = {(uintptr_t)arguments, sizeof arguments};
        if (semihosting_call(SEMIHOSTING_GET_CMDLINE, parameters) != 0) {
            arguments[0] = '\0';
        }
        arguments[sizeof arguments - 1u] = '\0';
    }
    const char *blank = strchr(arguments, ' ');
    return blank != NULL ? blank + 1 : arguments + strlen(arguments);
}

void port_exit(int code)
{
    const uintptr_t parameters[2] = {EXIT_REASON, (uintptr_t)code};
    for (;;) {
        (void)semihosting_call(SEMIHOSTING_EXIT_EXTENDED, parameters);
    }
}
