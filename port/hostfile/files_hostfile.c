/* SPDX-License-Identifier: MIT */
/* Files and entropy of the host. */
#include "port.h"

#include "hostfile/hostfile.h"

port_status_t port_entropy(uint32_t *word)
{
    uint32_t read_word;
    if (word == NULL) {
        return PORT_ERR_ARG;
    }
    intptr_t handle = hostfile_open("/dev/urandom", HOSTFILE_READ);
    if (handle < 0) {
        return PORT_UNSUPPORTED;
    }
    intptr_t n = hostfile_read(handle, &read_word, sizeof read_word);
    (void)hostfile_close(handle);
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
    intptr_t handle = hostfile_open(path, write_it ? HOSTFILE_WRITE : HOSTFILE_READ);
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
    intptr_t n = hostfile_read(file->handle, bytes, capacity);
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
    return hostfile_write(file->handle, bytes, length) == 0 ? PORT_OK : PORT_ERR_IO;
}

port_status_t port_file_close(port_file_t *file)
{
    if (file == NULL) {
        return PORT_ERR_ARG;
    }
    return hostfile_close(file->handle) == 0 ? PORT_OK : PORT_ERR_IO;
}
