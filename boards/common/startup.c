/* SPDX-License-Identifier: MIT */
/* Start-up in C, the same on every board: memory, the program, the stack's check. */
#include "common/startup.h"

#include "port.h"

#include <string.h>

void startup_print(const char *text) { port_console_write(text, strlen(text)); }

void startup_print_hex(const char *name, uint32_t value)
{
    char digits[9];
    for (int i = 7; i >= 0; --i, value >>= 4) {
        digits[i] = "0123456789abcdef"[value & 15u];
    }
    digits[8] = '\0';
    startup_print(name);
    startup_print(digits);
}

void startup_stack_overflow(uint32_t stack_pointer)
{
    startup_print("STACK OVERFLOW");
    startup_print_hex(" sp=", stack_pointer);
    startup_print_hex(" end=", (uint32_t)(uintptr_t)link_stack_low);
    startup_print("\n");
    port_exit(EXIT_STACK_OVERFLOW);
}

/* The guard's words can't be touched and may not be readable: painted stack begins above them. */
static const uint32_t *paint_low(void)
{
#if defined(BOARD_STACK_GUARD)
    return link_stack_low + STACK_GUARD_BYTES / sizeof(uint32_t);
#else
    return link_stack_low;
#endif
}

uint32_t port_stack_used(void)
{
    const uint32_t *word = paint_low();
    while (word < link_stack_top && *word == STACK_PAINT) {
        ++word;
    }
    return (uint32_t)((uintptr_t)link_stack_top - (uintptr_t)word);
}

void startup_run(void)
{
    const uint32_t *from = link_data_load;
    for (uint32_t *to = link_data_start; to < link_data_end; ++to, ++from) {
        *to = *from;
    }
    for (uint32_t *to = link_bss_start; to < link_bss_end; ++to) {
        *to = 0u;
    }
    int code = port_main();
    if (*paint_low() != STACK_PAINT) {
        startup_stack_overflow((uint32_t)(uintptr_t)paint_low());
    }
    port_exit(code);
}
