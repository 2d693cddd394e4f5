/* SPDX-License-Identifier: MIT */
/* Non-volatile pages on a POSIX system: a file that behaves like flash. */
#define _POSIX_C_SOURCE 200809L

#include "port.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where nobody names a file: our own build keeps it with what it builds. */
#ifndef BUILD_FOLDER
#define BUILD_FOLDER "."
#endif

static const char default_path[] = BUILD_FOLDER "/pages.bin";

static int open_pages(void)
{
    const char *named = getenv("CAIRN_PAGES");
    return open(named != NULL ? named : default_path, O_RDWR | O_CREAT, 0666);
}

/* What was never written reads as erased flash does. */
static port_status_t read_page(int descriptor, unsigned page, uint8_t *bytes)
{
    memset(bytes, 0xFF, PORT_PAGE_BYTES);
    ssize_t n = pread(descriptor, bytes, PORT_PAGE_BYTES, (off_t)page * PORT_PAGE_BYTES);
    return n == 0 || n == PORT_PAGE_BYTES ? PORT_OK : PORT_ERR_IO;
}

static port_status_t write_page(int descriptor, unsigned page, const uint8_t *bytes)
{
    uint8_t erased[PORT_PAGE_BYTES];
    off_t end = lseek(descriptor, 0, SEEK_END);
    memset(erased, 0xFF, sizeof erased);
    /* pages between the end of the file and this one must read as erased, not as zeros */
    for (off_t at = end; at >= 0 && at < (off_t)page * PORT_PAGE_BYTES; at += PORT_PAGE_BYTES) {
        if (pwrite(descriptor, erased, sizeof erased, at) != PORT_PAGE_BYTES) {
            return PORT_ERR_IO;
        }
    }
    ssize_t n = pwrite(descriptor, bytes, PORT_PAGE_BYTES, (off_t)page * PORT_PAGE_BYTES);
    return end >= 0 && n == PORT_PAGE_BYTES ? PORT_OK : PORT_ERR_IO;
}

port_status_t port_page_read(unsigned page, uint8_t *bytes)
{
    if (page >= PORT_PAGES || bytes == NULL) {
        return PORT_ERR_ARG;
    }
    int descriptor = open_pages();
    if (descriptor < 0) {
        return PORT_ERR_IO;
    }
    port_status_t status = read_page(descriptor, page, bytes);
    (void)close(descriptor);
    return status;
}

port_status_t port_page_write(unsigned page, const uint8_t *bytes)
{
    uint8_t held[PORT_PAGE_BYTES];
    if (page >= PORT_PAGES || bytes == NULL) {
        return PORT_ERR_ARG;
    }
    int descriptor = open_pages();
    if (descriptor < 0) {
        return PORT_ERR_IO;
    }
    port_status_t status = read_page(descriptor, page, held);
    for (size_t i = 0; status == PORT_OK && i < sizeof held; ++i) {
        if (held[i] != 0xFFu) {
            status = PORT_ERR_NOT_ERASED;
        }
    }
    if (status == PORT_OK) {
        status = write_page(descriptor, page, bytes);
    }
    (void)close(descriptor);
    return status;
}

port_status_t port_page_erase(unsigned page)
{
    uint8_t erased[PORT_PAGE_BYTES];
    if (page >= PORT_PAGES) {
        return PORT_ERR_ARG;
    }
    int descriptor = open_pages();
    if (descriptor < 0) {
        return PORT_ERR_IO;
    }
    memset(erased, 0xFF, sizeof erased);
    port_status_t status = write_page(descriptor, page, erased);
    (void)close(descriptor);
    return status;
}
