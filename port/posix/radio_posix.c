/* SPDX-License-Identifier: MIT */
/* Radio on a POSIX system: every process is a node, frames are datagrams between local sockets in one directory. */
#define _POSIX_C_SOURCE 200809L

#include "port.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Nodes in reach of each other share a directory: CAIRN_RADIO, or this one. */
static const char default_directory[] = "/tmp/cairn-radio";

static int radio_socket = -1;
static struct sockaddr_un own_address;

static const char *radio_directory(void)
{
    const char *named = getenv("CAIRN_RADIO");
    return named != NULL ? named : default_directory;
}

static void close_radio(void) { (void)unlink(own_address.sun_path); }

static int set_path(struct sockaddr_un *address, const char *name)
{
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    int n = snprintf(address->sun_path, sizeof address->sun_path, "%s/%s", radio_directory(), name);
    return n > 0 && (size_t)n < sizeof address->sun_path ? 0 : -1;
}

static port_status_t open_radio(void)
{
    char name[32];
    if (radio_socket >= 0) {
        return PORT_OK;
    }
    (void)mkdir(radio_directory(), 0700); /* may be there already; bind() tells if it is not usable */
    (void)snprintf(name, sizeof name, "%ld.node", (long)getpid());
    if (set_path(&own_address, name) != 0) {
        return PORT_ERR_IO;
    }
    int opened = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (opened < 0) {
        return PORT_ERR_IO;
    }
    (void)unlink(own_address.sun_path);
    if (bind(opened, (struct sockaddr *)&own_address, sizeof own_address) != 0 ||
        fcntl(opened, F_SETFL, O_NONBLOCK) != 0) {
        (void)close(opened);
        return PORT_ERR_IO;
    }
    radio_socket = opened;
    (void)atexit(close_radio);
    return PORT_OK;
}

port_status_t port_radio_send(const uint8_t *frame, size_t length)
{
    if (frame == NULL || length == 0u || length > PORT_FRAME_BYTES_MAX) {
        return PORT_ERR_ARG;
    }
    port_status_t status = open_radio();
    DIR *directory = status == PORT_OK ? opendir(radio_directory()) : NULL;
    if (directory == NULL) {
        return PORT_ERR_IO;
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        struct sockaddr_un peer;
        if (strstr(entry->d_name, ".node") == NULL || set_path(&peer, entry->d_name) != 0 ||
            strcmp(peer.sun_path, own_address.sun_path) == 0) {
            continue;
        }
        /* a full or dead peer loses the frame, as on air */
        (void)sendto(radio_socket, frame, length, 0, (struct sockaddr *)&peer, sizeof peer);
    }
    (void)closedir(directory);
    return PORT_OK;
}

port_status_t port_radio_receive(uint8_t *frame, size_t capacity, size_t *length)
{
    if (frame == NULL || length == NULL || capacity < PORT_FRAME_BYTES_MAX) {
        return PORT_ERR_ARG;
    }
    *length = 0u;
    if (open_radio() != PORT_OK) {
        return PORT_ERR_IO;
    }
    ssize_t n = recv(radio_socket, frame, capacity, 0);
    if (n < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? PORT_EMPTY : PORT_ERR_IO;
    }
    *length = (size_t)n;
    return PORT_OK;
}

void port_idle(void)
{
    const struct timespec moment = {0, 1000000};
    (void)nanosleep(&moment, NULL);
}
