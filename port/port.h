/* SPDX-License-Identifier: MIT */
/* What an application needs from a target, and nothing more. The library itself (src/) never includes this. */
#ifndef CAIRN_PORT_H
#define CAIRN_PORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One folder per target implements these functions: port/posix, port/semihosting; what both make of a host's files is in
 * port/hostfile. Every function may be called from the one thread that runs port_main(); none is safe in an interrupt.
 * None allocates.
 *
 * A target without a facility still links: the call returns PORT_UNSUPPORTED and changes nothing.
 *
 *   facility        posix                                  semihosting
 *   console         standard output                        host console
 *   time            CLOCK_MONOTONIC                        SYS_ELAPSED (host time)
 *   counter         time in ns                             instructions, see port_counter()
 *   entropy         /dev/urandom                           /dev/urandom of the host
 *   radio           datagrams between processes            PORT_UNSUPPORTED; port/uart-radio: frames on a UART
 *   pages           file, CAIRN_PAGES or pages.bin         pages.bin on the host
 *   files           yes                                    yes, the host's
 */

#if defined(__GNUC__)
#define PORT_NORETURN __attribute__((noreturn))
#else
#define PORT_NORETURN
#endif

/* Results: 0 done, negative refused. */
typedef enum {
    PORT_OK = 0,
    PORT_EMPTY = 1,          /* nothing there yet (radio), end of the data (file) */
    PORT_ERR_ARG = -1,       /* NULL, or a value outside its range */
    PORT_UNSUPPORTED = -2,   /* this target has no such facility */
    PORT_ERR_IO = -3,        /* the facility failed; what was asked may be half done */
    PORT_ERR_NOT_ERASED = -4 /* page write: the page holds something, erase it first */
} port_status_t;

enum {
    PORT_FRAME_BYTES_MAX = 127,    /* longest radio frame: an IEEE 802.15.4 frame */
    PORT_PAGE_BYTES = 256,         /* non-volatile page */
    PORT_PAGES = 64,               /* pages 0 .. PORT_PAGES - 1 */
    PORT_ARGUMENTS_BYTES_MAX = 256 /* longest argument string, with its end */
};

/**
 * The application: the port calls it once after set-up and exits with its result.
 *
 * 0 .. 255, 0 meaning success.
 */
int port_main(void);

/**
 * Write text to the console.
 *
 * text    [length] bytes, no terminating zero needed, none inside; may be NULL if length is 0
 * length  bytes
 *
 * Nothing is returned: a console that fails is a console nobody reads. Work: length.
 */
void port_console_write(const char *text, size_t length);

/**
 * Microseconds since some fixed moment of this run; never goes back, wraps after 2^64.
 */
uint64_t port_time_us(void);

/**
 * A fast free-running counter for comparing pieces of code; use differences.
 *
 * What it counts depends on the target: see port_counter_unit(). Under QEMU it counts instructions if QEMU runs
 * with -icount shift=10 (Arm) or shift=0 (RISC-V), and host time otherwise. An emulator never gives cycles.
 */
uint64_t port_counter(void);

/**
 * The name of one count of port_counter(): "instructions" or "ns"; static text.
 */
const char *port_counter_unit(void);

/**
 * One word that an outsider can't guess.
 *
 * word  out; written only with PORT_OK
 *
 * PORT_OK, PORT_ERR_ARG (NULL), PORT_UNSUPPORTED, PORT_ERR_IO
 */
port_status_t port_entropy(uint32_t *word);

/**
 * Send one frame to every node in reach; no acknowledgement.
 *
 * frame   [length] bytes; copied before the call returns
 * length  1 .. PORT_FRAME_BYTES_MAX
 *
 * PORT_OK (sent, perhaps heard by nobody), PORT_ERR_ARG, PORT_UNSUPPORTED, PORT_ERR_IO
 */
port_status_t port_radio_send(const uint8_t *frame, size_t length);

/**
 * Take one received frame, if there is one; never waits.
 *
 * frame   [capacity] out
 * capacity  at least PORT_FRAME_BYTES_MAX
 * length  out: bytes of the frame; 0 unless PORT_OK
 *
 * PORT_OK, PORT_EMPTY, PORT_ERR_ARG, PORT_UNSUPPORTED, PORT_ERR_IO
 */
port_status_t port_radio_receive(uint8_t *frame, size_t capacity, size_t *length);

/**
 * Save power until something may have happened: a byte of a frame has arrived, or about a millisecond is over. May
 * return at once.
 */
void port_idle(void);

/**
 * Read one non-volatile page.
 *
 * page   0 .. PORT_PAGES - 1
 * bytes  [PORT_PAGE_BYTES] out; 0xFF where nothing was written since the last erase
 *
 * PORT_OK, PORT_ERR_ARG, PORT_UNSUPPORTED, PORT_ERR_IO
 */
port_status_t port_page_read(unsigned page, uint8_t *bytes);

/**
 * Write one erased non-volatile page.
 *
 * page   0 .. PORT_PAGES - 1
 * bytes  [PORT_PAGE_BYTES]
 *
 * PORT_OK, PORT_ERR_ARG, PORT_ERR_NOT_ERASED (nothing has changed), PORT_UNSUPPORTED, PORT_ERR_IO
 */
port_status_t port_page_write(unsigned page, const uint8_t *bytes);

/**
 * Erase one non-volatile page to 0xFF.
 *
 * page   0 .. PORT_PAGES - 1
 *
 * PORT_OK, PORT_ERR_ARG, PORT_UNSUPPORTED, PORT_ERR_IO
 */
port_status_t port_page_erase(unsigned page);

/* An open file. At most one file is open for reading and one for writing at a time. */
typedef struct {
    intptr_t handle; /* the target's own number; private */
} port_file_t;

/**
 * Open a file of the machine the program runs on (posix) or of the emulator's host (semihosting).
 *
 * file   out; written only with PORT_OK
 * path   zero-terminated
 * write  0: read an existing file; 1: create it, or empty it, and write
 *
 * PORT_OK, PORT_ERR_ARG, PORT_UNSUPPORTED, PORT_ERR_IO (not there, not allowed)
 */
port_status_t port_file_open(port_file_t *file, const char *path, int write);

/**
 * Read the next bytes.
 *
 * file      open for reading
 * bytes     [capacity] out
 * capacity  > 0
 * length    out: bytes read, less than capacity only near the end; 0 unless PORT_OK
 *
 * PORT_OK, PORT_EMPTY (end of file), PORT_ERR_ARG, PORT_ERR_IO
 */
port_status_t port_file_read(port_file_t *file, void *bytes, size_t capacity, size_t *length);

/**
 * Append bytes.
 *
 * file    open for writing
 * bytes   [length]
 * length  bytes
 *
 * PORT_OK (all written), PORT_ERR_ARG, PORT_ERR_IO
 */
port_status_t port_file_write(port_file_t *file, const void *bytes, size_t length);

/**
 * Close a file; its handle is invalid afterwards whatever the result.
 *
 * PORT_OK, PORT_ERR_ARG, PORT_ERR_IO (what was written may be lost)
 */
port_status_t port_file_close(port_file_t *file);

/**
 * The program's arguments, joined by single blanks, without the program's name; "" if there are none.
 *
 * Static text, shortened to PORT_ARGUMENTS_BYTES_MAX - 1.
 */
const char *port_arguments(void);

/**
 * The most stack used so far in bytes, to one word; 0 where the target can't tell (posix).
 */
uint32_t port_stack_used(void);

/**
 * Leave the program.
 *
 * code  0 .. 255, 0 meaning success
 */
PORT_NORETURN void port_exit(int code);

#ifdef __cplusplus
}
#endif

#endif
