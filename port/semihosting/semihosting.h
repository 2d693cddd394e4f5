/* SPDX-License-Identifier: MIT */
/* Semihosting calls: Cortex-M (bkpt 0xab) and RV32 (the slli/ebreak/srai triple). */
#ifndef CAIRN_PORT_SEMIHOSTING_H
#define CAIRN_PORT_SEMIHOSTING_H

#include <stdint.h>

enum {
    SEMIHOSTING_OPEN = 0x01,
    SEMIHOSTING_CLOSE = 0x02,
    SEMIHOSTING_WRITE0 = 0x04,
    SEMIHOSTING_WRITE = 0x05,
    SEMIHOSTING_READ = 0x06,
    SEMIHOSTING_SEEK = 0x0a,
    SEMIHOSTING_FLEN = 0x0c,
    SEMIHOSTING_GET_CMDLINE = 0x15,
    SEMIHOSTING_EXIT_EXTENDED = 0x20,
    SEMIHOSTING_ELAPSED = 0x30
};

/* One call; argument points at its parameters, or is the text itself for WRITE0. The result is the call's own. */
intptr_t semihosting_call(intptr_t operation, const void *argument);

#endif
