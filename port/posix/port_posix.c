/* SPDX-License-Identifier: MIT */
/* Port to a POSIX system: console, time, the host's files, arguments, exit and main. */
#define _POSIX_C_SOURCE 200809L

#include "port.h"

#include "hostfile/hostfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char arguments[PORT_ARGUMENTS_BYTES_MAX];

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

intptr_t hostfile_open(const char *path, int mode)
{
    int flags = mode == HOSTFILE_WRITE ? O_WRONLY | O_CREAT | O_TRUNC : mode == HOSTFILE_UPDATE ? O_RDWR : O_RDONLY;
    return open(path, flags, 0666);
}

intptr_t hostfile_read(intptr_t handle, void *bytes, size_t capacity)
{
    ssize_t n;
    do {
        n = read((int)handle, bytes, capacity);
    } while (n < 0 && errno == EINTR);
    return n;
}

intptr_t hostfile_write(intptr_t handle, const void *bytes, size_t length)
{
    const char *next = bytes;
    while (length > 0u) {
        ssize_t n = write((int)handle, next, length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return -1;
        }
        next += n;
        length -= (size_t)n;
    }
    return 0;
}

intptr_t hostfile_seek(intptr_t handle, uintptr_t at) { return lseek((int)handle, (off_t)at, SEEK_SET) < 0 ? -1 : 0; }

intptr_t hostfile_close(intptr_t handle) { return close((int)handle); }

const char *hostfile_pages_path(void) { return getenv("CAIRN_PAGES"); }

void port_console_write(const char *text, size_t length) { (void)hostfile_write(STDOUT_FILENO, text, length); }

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
