/* SPDX-License-Identifier: MIT */
/* Files of the host, as port/posix and port/semihosting offer them; port.h's files, pages and entropy are made of these. */
#ifndef CAIRN_PORT_HOSTFILE_H
#define CAIRN_PORT_HOSTFILE_H

#include <stddef.h>
#include <stdint.h>

/* fopen's "rb", "r+b", "wb" in the numbers of the semihosting specification */
enum { HOSTFILE_READ = 1, HOSTFILE_UPDATE = 3, HOSTFILE_WRITE = 5 };

/* A file's handle, -1 if it can't be opened. */
intptr_t hostfile_open(const char *path, int mode);
/* Bytes read, 0 at the end, -1 if it failed. */
intptr_t hostfile_read(intptr_t handle, void *bytes, size_t capacity);
/* The others: 0 if all was done. */
intptr_t hostfile_write(intptr_t handle, const void *bytes, size_t length);
intptr_t hostfile_seek(intptr_t handle, uintptr_t at);
intptr_t hostfile_close(intptr_t handle);

/* The file of the non-volatile pages that the user has named, NULL if none. */
const char *hostfile_pages_path(void);

#endif
