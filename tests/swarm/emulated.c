/* SPDX-License-Identifier: MIT
 * Nodes of a swarm that run under QEMU, one process each; their UART is a socket. The swarm is their clock: they act on
 * messages only, so a run is repeatable. */
#define _POSIX_C_SOURCE 200809L
#include "swarm/emulated.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/node/air.h"
#include "memory.h"
#include "port.h"

enum { REPLY_MS = 60000, PATH_MAX_BYTES = 512 };

typedef struct process {
    pid_t pid;
    int fd;
    const emulated_board_t *board;
    bool known; /* a place has been reported */
    int stage;
    double place_m[2];
    bool restored;
    float *told_m; /* [n_nodes] the range last told of each peer: a range that has not changed is told once */
} process_t;

typedef struct emulated {
    const emulated_cfg_t *cfg;
    process_t *process;
    uint32_t n_starts;
} emulated_t;

static emulated_t *of(swarm_t *swarm) { return swarm->agents_ctx; }

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++, value >>= 8) {
        at[i] = (uint8_t)(value & 0xFF);
    }
}

static void put_float(uint8_t *at, double real)
{
    float value = (float)real;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(at, bits);
}

static double get_float(const uint8_t *at)
{
    uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void write_all(int fd, const uint8_t *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno != EINTR) {
            fail("write to a node");
        }
        bytes += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
}

static void read_all(int fd, uint8_t *bytes, size_t length)
{
    while (length > 0) {
        struct pollfd ready = {fd, POLLIN, 0};
        ssize_t n = poll(&ready, 1, REPLY_MS) == 1 ? read(fd, bytes, length) : 0;
        if (n <= 0) {
            fail("a node does not answer");
        }
        bytes += n;
        length -= (size_t)n;
    }
}

static void tell(swarm_t *swarm, size_t node, const uint8_t *message, size_t length)
{
    uint8_t bytes[PORT_FRAME_BYTES_MAX + 1];
    bytes[0] = (uint8_t)length;
    memcpy(bytes + 1, message, length);
    write_all(of(swarm)->process[node].fd, bytes, length + 1);
}

static size_t listen_to(swarm_t *swarm, size_t node, uint8_t *message)
{
    uint8_t length;
    read_all(of(swarm)->process[node].fd, &length, 1);
    if (length == 0 || length > PORT_FRAME_BYTES_MAX) {
        fail("a node says nonsense");
    }
    read_all(of(swarm)->process[node].fd, message, length);
    return length;
}

/* The folder in which a node finds its pages, as its board's image expects them. */
static void pages_path(const emulated_t *self, size_t node, char *folder, char *path)
{
    const emulated_board_t *board = self->process[node].board;
    (void)snprintf(folder, PATH_MAX_BYTES, "%s/node%zu", self->cfg->folder, node);
    (void)snprintf(path, PATH_MAX_BYTES, "%s/node%zu/%s/pages.bin", self->cfg->folder, node, board->out);
}

static void make_folders(const char *path)
{
    char copy[PATH_MAX_BYTES];
    (void)snprintf(copy, sizeof copy, "%s", path);
    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(copy, 0777);
        *slash = '/';
    }
}

/* Write who the node is; its snapshots are kept or erased. */
static void write_pages(swarm_t *swarm, size_t node, const char *path, bool keep)
{
    uint8_t pages[PORT_PAGES][PORT_PAGE_BYTES];
    const cairn_node_cfg_t *cfg = &swarm->node_cfg[node];
    const double reals[] = {(double)cfg->grid_m,      (double)cfg->radius_m,    (double)cfg->noise_rel,
                            (double)cfg->noise_abs_m, (double)cfg->range_max_m, (double)cfg->move_m,
                            (double)cfg->move_keep,   (double)cfg->anchor_m[0], (double)cfg->anchor_m[1]};
    FILE *file = keep ? fopen(path, "rb") : NULL;
    memset(pages, 0xFF, sizeof pages);
    if (file != NULL) {
        size_t n = fread(pages, 1, sizeof pages, file);
        (void)n;
        (void)fclose(file);
    }
    put_u32(pages[PAGE_WHO], WHO_MAGIC);
    pages[PAGE_WHO][4] = (uint8_t)(cfg->id & 0xFF);
    pages[PAGE_WHO][5] = (uint8_t)(cfg->id >> 8);
    pages[PAGE_WHO][6] = cfg->network;
    pages[PAGE_WHO][7] = cfg->options;
    put_u32(pages[PAGE_WHO] + 8, cairn_rng_next(&swarm->rng));
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++) {
        put_float(pages[PAGE_WHO] + 12 + 4 * k, reals[k]);
    }
    make_folders(path);
    file = fopen(path, "wb");
    if (file == NULL || fwrite(pages, 1, sizeof pages, file) != sizeof pages || fclose(file) != 0) {
        fail(path);
    }
}

static void become_node(const emulated_board_t *board, const char *folder, int fd)
{
    char chardev[64];
    char semihosting[] = "enable=on,target=native,arg=node,arg=serve";
    char *arguments[] = {(char[]){"qemu-system-arm"},
                         (char[]){"-M"},
                         NULL,
                         (char[]){"-display"},
                         (char[]){"none"},
                         (char[]){"-monitor"},
                         (char[]){"none"},
                         (char[]){"-nodefaults"},
                         (char[]){"-chardev"},
                         chardev,
                         (char[]){"-serial"},
                         (char[]){"chardev:air"},
                         (char[]){"-semihosting-config"},
                         semihosting,
                         (char[]){"-kernel"},
                         NULL,
                         NULL};
    char machine[32];
    char image[PATH_MAX_BYTES];
    (void)snprintf(machine, sizeof machine, "%s", board->name);
    (void)snprintf(image, sizeof image, "%s", board->image);
    (void)snprintf(chardev, sizeof chardev, "socket,id=air,fd=%d", fd);
    arguments[2] = machine;
    arguments[15] = image;
    (void)fcntl(fd, F_SETFD, 0);
    if (chdir(folder) != 0 || freopen("/dev/null", "r", stdin) == NULL || freopen("qemu.log", "a", stderr) == NULL) {
        _exit(126);
    }
    execvp(arguments[0], arguments);
    _exit(127);
}

static void start(swarm_t *swarm, size_t node, bool keep)
{
    emulated_t *self = of(swarm);
    process_t *process = &self->process[node];
    char folder[PATH_MAX_BYTES];
    char path[PATH_MAX_BYTES];
    int ends[2];
    process->board = &self->cfg->boards[node % self->cfg->n_boards];
    pages_path(self, node, folder, path);
    write_pages(swarm, node, path, keep);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        fail("socketpair");
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    process->pid = fork();
    if (process->pid == 0) {
        become_node(process->board, folder, ends[1]);
    }
    (void)close(ends[1]);
    process->fd = ends[0];
    process->known = false;
    free(process->told_m);
    process->told_m = memory_zeroed(swarm->cfg.world.n_nodes, sizeof *process->told_m);
    process->stage = 0;
    self->n_starts++;
}

static void await_ready(swarm_t *swarm, size_t node)
{
    uint8_t message[PORT_FRAME_BYTES_MAX];
    if (listen_to(swarm, node, message) != 2 || message[0] != AIR_READY) {
        fail("a node is not ready");
    }
    of(swarm)->process[node].restored = message[1] != 0;
}

static void switch_off(process_t *process)
{
    (void)kill(process->pid, SIGKILL);
    (void)waitpid(process->pid, NULL, 0);
    (void)close(process->fd);
}

static size_t speak(swarm_t *swarm, size_t node, uint32_t t_us, uint8_t *frame)
{
    process_t *process = &of(swarm)->process[node];
    uint8_t message[PORT_FRAME_BYTES_MAX];
    uint8_t round[5] = {AIR_ROUND};
    put_u32(round + 1, t_us);
    tell(swarm, node, round, sizeof round);
    size_t length = listen_to(swarm, node, message);
    if (message[0] != AIR_BEACON) {
        fail("a node sends no beacon");
    }
    memcpy(frame, message + 1, length - 1);
    if (listen_to(swarm, node, message) != 14 || message[0] != AIR_PLACE) {
        fail("a node reports no place");
    }
    process->stage = message[1];
    process->known = process->stage > CAIRN_STAGE_UNPLACED;
    process->place_m[0] = get_float(message + 2);
    process->place_m[1] = get_float(message + 6);
    return length - 1;
}

static void hear(swarm_t *swarm, size_t node, const uint8_t *frame, size_t length, uint32_t t_us)
{
    uint8_t message[PORT_FRAME_BYTES_MAX];
    (void)t_us;
    message[0] = AIR_BEACON;
    memcpy(message + 1, frame, length);
    tell(swarm, node, message, length + 1);
}

static void range(swarm_t *swarm, size_t node, uint16_t peer, double range_m, uint32_t t_us)
{
    float *told_m = &of(swarm)->process[node].told_m[peer];
    uint8_t message[11] = {AIR_RANGE, (uint8_t)(peer & 0xFF), (uint8_t)(peer >> 8)};
    if (*told_m == (float)range_m) {
        return;
    }
    *told_m = (float)range_m;
    put_float(message + 3, range_m);
    put_u32(message + 7, t_us);
    tell(swarm, node, message, sizeof message);
}

static bool place(swarm_t *swarm, size_t node, double *place_m, int *stage)
{
    const process_t *process = &of(swarm)->process[node];
    *stage = process->stage;
    if (process->known) {
        memcpy(place_m, process->place_m, sizeof process->place_m);
    }
    return process->known;
}

static void restart(swarm_t *swarm, size_t node, bool snapshot)
{
    switch_off(&of(swarm)->process[node]);
    start(swarm, node, snapshot);
    await_ready(swarm, node);
}

void emulated_start(swarm_t *swarm, const emulated_cfg_t *cfg)
{
    static const swarm_agents_t agents = {speak, hear, range, place, restart};
    emulated_t *self = memory_zeroed(1, sizeof *self);
    self->cfg = cfg;
    self->process = memory_zeroed(swarm->cfg.world.n_nodes, sizeof *self->process);
    swarm->agents = agents;
    swarm->agents_ctx = self;
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < swarm->cfg.world.n_nodes; i++) {
        start(swarm, i, false);
    }
    for (size_t i = 0; i < swarm->cfg.world.n_nodes; i++) {
        await_ready(swarm, i);
    }
}

size_t emulated_stop(swarm_t *swarm)
{
    emulated_t *self = of(swarm);
    static const uint8_t stop[1] = {AIR_STOP};
    size_t n_wrong = 0;
    for (size_t i = 0; i < swarm->cfg.world.n_nodes; i++) {
        int status = 0;
        tell(swarm, i, stop, sizeof stop);
        (void)waitpid(self->process[i].pid, &status, 0);
        (void)close(self->process[i].fd);
        n_wrong += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    for (size_t i = 0; i < swarm->cfg.world.n_nodes; i++) {
        free(self->process[i].told_m);
    }
    free(self->process);
    free(self);
    return n_wrong;
}
