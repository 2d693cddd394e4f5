/* SPDX-License-Identifier: MIT */
/* Port to the emulated boards: console, time, counter, entropy, files, arguments and exit through semihosting. */
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

port_status_t port_entropy(uint32_t *word)
{
    uint32_t read_word;
    if (word == NULL) {
        return PORT_ERR_ARG;
    }
    intptr_t handle = semihosting_open("/dev/urandom", SEMIHOSTING_MODE_READ);
    if (handle < 0) {
        return PORT_UNSUPPORTED;
    }
    intptr_t n = semihosting_read(handle, &read_word, sizeof read_word);
    (void)semihosting_close(handle);
    if (n != (intptr_t)sizeof read_word) {
        return PORT_ERR_IO;
    }
    *word = read_word;
    return PORT_OK;
}

port_status_t port_file_open(port_file_t *file, const char *path, int write_it)
{
    if (file == NULL || path == NULL) {
        return PORT_ERR_ARG;
    }
    intptr_t handle = semihosting_open(path, write_it ? SEMIHOSTING_MODE_WRITE : SEMIHOSTING_MODE_READ);
    if (handle < 0) {
        return PORT_ERR_IO;
    }
    file->handle = handle;
    return PORT_OK;
}

port_status_t port_file_read(port_file_t *file, void *bytes, size_t capacity, size_t *length)
{
    if (file == NULL || bytes == NULL || capacity == 0u || length == NULL) {
        return PORT_ERR_ARG;
    }
    *length = 0u;
    intptr_t n = semihosting_read(file->handle, bytes, capacity);
    if (n < 0) {
        return PORT_ERR_IO;
    }
    *length = (size_t)n;
    return n == 0 ? PORT_EMPTY : PORT_OK;
}

port_status_t port_file_write(port_file_t *file, const void *bytes, size_t length)
{
    if (file == NULL || (bytes == NULL && length > 0u)) {
        return PORT_ERR_ARG;
    }
    return semihosting_write(file->handle, bytes, length) == 0 ? PORT_OK : PORT_ERR_IO;
}

port_status_t port_file_close(port_file_t *file)
{
    if (file == NULL) {
        return PORT_ERR_ARG;
    }
    return semihosting_close(file->handle) == 0 ? PORT_OK : PORT_ERR_IO;
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
