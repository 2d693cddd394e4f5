/* SPDX-License-Identifier: MIT */
/* What the start-up codes share: symbols of the linker scripts, the stack's paint, the last steps. */
#ifndef CAIRN_BOARDS_STARTUP_H
#define CAIRN_BOARDS_STARTUP_H

#include <stdint.h>

#define STACK_PAINT 0xC5C5C5C5u
/* No-access region at the stack's end; a frame larger than this can jump over it, the paint is the second net. */
#define STACK_GUARD_BYTES 256u

/* Exit codes no program of ours uses */
enum { EXIT_STACK_OVERFLOW = 98, EXIT_FAULT = 99 };

extern uint32_t link_data_load[], link_data_start[], link_data_end[], link_bss_start[], link_bss_end[];
extern uint32_t link_stack_low[], link_stack_top[];

/* .data and .bss, port_main, the stack's check, exit. */
void startup_run(void) __attribute__((noreturn));
void startup_print(const char *text);
void startup_print_hex(const char *name, uint32_t value);
/* Prints the reason and exits with EXIT_STACK_OVERFLOW. */
void startup_stack_overflow(uint32_t stack_pointer) __attribute__((noreturn));

#endif
