/* SPDX-License-Identifier: MIT */
/* Port to a POSIX system: console, time, entropy, files, arguments, exit and main. */
#define _POSIX_C_SOURCE 200809L

#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char arguments[PORT_ARGUMENTS_BYTES_MAX];

static int write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0u) {
        ssize_t n = write(descriptor, bytes, length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return -1;
        }
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
}

void port_console_write(const char *text, size_t length) { (void)write_all(STDOUT_FILENO, text, length); }

static uint64_t now_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0u;
    }
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t port_time_us(void) { return now_ns() / 1000u; }

uint64_t port_counter(void) { return now_ns(); }

const char *port_counter_unit(void) { return "ns"; }

port_status_t port_entropy(uint32_t *word)
{
    uint32_t read_word;
    if (word == NULL) {
        return PORT_ERR_ARG;
    }
    int descriptor = open("/dev/urandom", O_RDONLY);
    if (descriptor < 0) {
        return PORT_ERR_IO;
    }
    ssize_t n = read(descriptor, &read_word, sizeof read_word);
    (void)close(descriptor);
    if (n != (ssize_t)sizeof read_word) {
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
    int descriptor = write_it ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : open(path, O_RDONLY);
    if (descriptor < 0) {
        return PORT_ERR_IO;
    }
    file->handle = descriptor;
    return PORT_OK;
}

port_status_t port_file_read(port_file_t *file, void *bytes, size_t capacity, size_t *length)
{
    if (file == NULL || bytes == NULL || capacity == 0u || length == NULL) {
        return PORT_ERR_ARG;
    }
    *length = 0u;
    ssize_t n;
    do {
        n = read((int)file->handle, bytes, capacity);
    } while (n < 0 && errno == EINTR);
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
    return write_all((int)file->handle, bytes, length) == 0 ? PORT_OK : PORT_ERR_IO;
}

port_status_t port_file_close(port_file_t *file)
{
    if (file == NULL) {
        return PORT_ERR_ARG;
    }
    return close((int)file->handle) == 0 ? PORT_OK : PORT_ERR_IO;
}

const char *port_arguments(void) { return arguments; }

uint32_t port_stack_used(void) { return 0u; }

void port_exit(int code) { exit(code); }

/* An application that has a main of its own doesn't link this one: it comes from an archive. */
int main(int argc, char **argv)
{
    size_t used = 0u;
    for (int i = 1; i < argc; ++i) {
        size_t length = strlen(argv[i]);
        size_t blank = used > 0u ? 1u : 0u;
        if (length + blank >= sizeof arguments - used) {
            break;
        }
        if (blank != 0u) {
            arguments[used++] = ' ';
        }
        memcpy(arguments + used, argv[i], length + 1u);
        used += length;
    }
    return port_main();
}
