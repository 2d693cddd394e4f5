/* SPDX-License-Identifier: MIT */
/* Non-volatile pages: a file of the host that behaves like flash and outlives the run. */
#include "port.h"

#include "hostfile/hostfile.h"

#include <stdbool.h>
#include <string.h>

/* Where nobody names a file: our own build keeps it with what it builds. */
#ifndef BUILD_FOLDER
#define BUILD_FOLDER "."
#endif

static const char default_path[] = BUILD_FOLDER "/pages.bin";

/* Erased where a file ends too early: a new one, or one whose first fill was cut short. False if it can't be. */
static bool complete(intptr_t handle)
{
    uint8_t erased[32];
    uint8_t piece[sizeof erased];
    memset(erased, 0xFF, sizeof erased);
    for (uintptr_t at = 0; at < PORT_PAGES * (uintptr_t)PORT_PAGE_BYTES; at += sizeof piece) {
        intptr_t n = hostfile_read(handle, piece, sizeof piece);
        if (n == (intptr_t)sizeof piece) {
            continue;
        }
        if (n < 0 || hostfile_seek(handle, at + (uintptr_t)n) != 0 ||
            hostfile_write(handle, erased, sizeof erased - (size_t)n) != 0 ||
            hostfile_seek(handle, at + sizeof piece) != 0) {
            return false;
        }
    }
    return true;
}

static bool is_whole(intptr_t handle)
{
    uint8_t last;
    return hostfile_seek(handle, PORT_PAGES * (uintptr_t)PORT_PAGE_BYTES - 1u) == 0 &&
           hostfile_read(handle, &last, 1) == 1;
}

static intptr_t open_pages(void)
{
    const char *named = hostfile_pages_path();
    const char *path = named != NULL ? named : default_path;
    intptr_t handle = hostfile_open(path, HOSTFILE_UPDATE);
    if (handle < 0) {
        handle = hostfile_open(path, HOSTFILE_WRITE);
        if (handle < 0 || hostfile_close(handle) != 0) {
            return -1;
        }
        handle = hostfile_open(path, HOSTFILE_UPDATE);
    }
    if (handle >= 0 && !is_whole(handle) && (hostfile_seek(handle, 0) != 0 || !complete(handle))) {
        (void)hostfile_close(handle);
        handle = -1;
    }
    return handle;
}

static intptr_t open_page(unsigned page)
{
    intptr_t handle = open_pages();
    if (handle >= 0 && hostfile_seek(handle, page * (uintptr_t)PORT_PAGE_BYTES) != 0) {
        (void)hostfile_close(handle);
        handle = -1;
    }
    return handle;
}

port_status_t port_page_read(unsigned page, uint8_t *bytes)
{
    if (page >= PORT_PAGES || bytes == NULL) {
        return PORT_ERR_ARG;
    }
    intptr_t handle = open_page(page);
    if (handle < 0) {
        return PORT_ERR_IO;
    }
    intptr_t n = hostfile_read(handle, bytes, PORT_PAGE_BYTES);
    (void)hostfile_close(handle);
    return n == PORT_PAGE_BYTES ? PORT_OK : PORT_ERR_IO;
}

/* Read in small pieces: a board with 16 KB has no page to spare. */
static port_status_t check_erased(intptr_t handle)
{
    uint8_t piece[32];
    for (unsigned at = 0; at < PORT_PAGE_BYTES; at += (unsigned)sizeof piece) {
        if (hostfile_read(handle, piece, sizeof piece) != (intptr_t)sizeof piece) {
            return PORT_ERR_IO;
        }
        for (size_t i = 0; i < sizeof piece; ++i) {
            if (piece[i] != 0xFFu) {
                return PORT_ERR_NOT_ERASED;
            }
        }
    }
    return PORT_OK;
}

port_status_t port_page_write(unsigned page, const uint8_t *bytes)
{
    if (page >= PORT_PAGES || bytes == NULL) {
        return PORT_ERR_ARG;
    }
    intptr_t handle = open_page(page);
    if (handle < 0) {
        return PORT_ERR_IO;
    }
    port_status_t status = check_erased(handle);
    if (status == PORT_OK && (hostfile_seek(handle, page * (uintptr_t)PORT_PAGE_BYTES) != 0 ||
                              hostfile_write(handle, bytes, PORT_PAGE_BYTES) != 0)) {
        status = PORT_ERR_IO;
    }
    (void)hostfile_close(handle);
    return status;
}

port_status_t port_page_erase(unsigned page)
{
    uint8_t erased[32];
    port_status_t status = PORT_OK;
    if (page >= PORT_PAGES) {
        return PORT_ERR_ARG;
    }
    intptr_t handle = open_page(page);
    if (handle < 0) {
        return PORT_ERR_IO;
    }
    memset(erased, 0xFF, sizeof erased);
    for (unsigned at = 0; status == PORT_OK && at < PORT_PAGE_BYTES; at += (unsigned)sizeof erased) {
        status = hostfile_write(handle, erased, sizeof erased) == 0 ? PORT_OK : PORT_ERR_IO;
    }
    (void)hostfile_close(handle);
    return status;
}
