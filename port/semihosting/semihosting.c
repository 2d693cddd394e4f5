/* SPDX-License-Identifier: MIT */
/* The semihosting call itself, and the host's files through it. */
#include "semihosting/semihosting.h"

#include "hostfile/hostfile.h"

#include <string.h>

/* Operation and argument are already in r0, r1 / a0, a1, and the result comes back in r0 / a0. */
#if defined(__arm__)
__asm__(".section .text.semihosting_call,\"ax\",%progbits\n .thumb\n .balign 4\n"
        ".globl semihosting_call\n .type semihosting_call,%function\n .thumb_func\n"
        "semihosting_call: bkpt 0xab\n bx lr\n .size semihosting_call, . - semihosting_call\n .previous");
#elif defined(__riscv)
/* The three instructions must be 32-bit encodings within one page. Inlined with an alignment of 16 they don't link
   under relaxation ("can't relax section"), so this is one function out of line. */
__asm__(".section .text.semihosting_call,\"ax\",%progbits\n .option push\n .option norelax\n .option norvc\n"
        ".balign 16\n .globl semihosting_call\n .type semihosting_call,%function\n"
        "semihosting_call: slli x0, x0, 0x1f\n ebreak\n srai x0, x0, 7\n ret\n"
        ".size semihosting_call, . - semihosting_call\n .option pop\n .previous");
#else
#error "no semihosting on this processor"
#endif

intptr_t hostfile_open(const char *path, int mode)
{
    const uintptr_t parameters[3] = {(uintptr_t)path, (uintptr_t)mode, strlen(path)};
    return semihosting_call(SEMIHOSTING_OPEN, parameters);
}

intptr_t hostfile_read(intptr_t handle, void *bytes, size_t capacity)
{
    const uintptr_t parameters[3] = {(uintptr_t)handle, (uintptr_t)bytes, capacity};
    intptr_t left = semihosting_call(SEMIHOSTING_READ, parameters); /* bytes NOT read */
    return left < 0 || (uintptr_t)left > capacity ? -1 : (intptr_t)(capacity - (uintptr_t)left);
}

intptr_t hostfile_write(intptr_t handle, const void *bytes, size_t length)
{
    const uintptr_t parameters[3] = {(uintptr_t)handle, (uintptr_t)bytes, length};
    return length == 0u ? 0 : semihosting_call(SEMIHOSTING_WRITE, parameters);
}

intptr_t hostfile_seek(intptr_t handle, uintptr_t at)
{
    const uintptr_t parameters[2] = {(uintptr_t)handle, at};
    return semihosting_call(SEMIHOSTING_SEEK, parameters);
}

intptr_t hostfile_close(intptr_t handle)
{
    const uintptr_t parameters[1] = {(uintptr_t)handle};
    return semihosting_call(SEMIHOSTING_CLOSE, parameters);
}

const char *hostfile_pages_path(void) { return NULL; }
