/* SPDX-License-Identifier: MIT */
/* Goes wrong on purpose, to prove that a board reports it: see tests/tools/faults.py. */
#include "port.h"

#include <string.h>

static volatile uint32_t depth_limit = 1000000u;
static volatile uint32_t zero;

/* Deep, not endless: a board without a guard must come back to be judged by the stack's paint. */
static uint32_t use_stack(uint32_t depth)
{
    volatile uint32_t frame[16];
    frame[depth & 15u] = depth;
    uint32_t below = depth < depth_limit ? use_stack(depth + 1u) : 0u;
    return below + frame[depth & 15u];
}

int port_main(void)
{
    const char *what = port_arguments();
    if (strcmp(what, "stack") == 0) {
        return (int)(use_stack(0u) & 1u);
    }
    if (strcmp(what, "stack-by-a-little") == 0) {
        depth_limit = 70u; /* some 5 KB: over the micro:bit's 4 KB, into RAM that nobody uses */
        return (int)(use_stack(0u) & 1u);
    }
    if (strcmp(what, "instruction") == 0) {
#if defined(__arm__)
        __asm__ volatile(".short 0xde00");
#elif defined(__riscv)
        __asm__ volatile(".short 0");
#endif
    }
    if (strcmp(what, "unaligned") == 0) {
        static volatile uint8_t bytes[8];
        volatile uint8_t *at = bytes + 1 + zero;
        return (int)*(volatile uint32_t *)(uintptr_t)at;
    }
    if (strcmp(what, "seven, eight") == 0) { /* a comma and a blank survive the emulator's options */
        return 7;
    }
    return 0;
}
