/* SPDX-License-Identifier: MIT */
/* The counter of the emulated boards: minstret on RISC-V, SysTick with a wrap count on Cortex-M. */
#include "port.h"

#if defined(__riscv)

uint64_t port_counter(void)
{
    uint32_t high, low, again;
    do {
        __asm__ volatile("csrr %0, minstreth" : "=r"(high));
        __asm__ volatile("csrr %0, minstret" : "=r"(low));
        __asm__ volatile("csrr %0, minstreth" : "=r"(again));
    } while (high != again);
    return ((uint64_t)high << 32) | low;
}

#else

#ifndef BOARD_SYSTICK_HZ
#error "board.mk must define BOARD_SYSTICK_HZ"
#endif

/* SysTick is the only timer that every Cortex-M has; 24 bits, counting down. */
#define SYSTICK_CONTROL (*(volatile uint32_t *)0xE000E010u)
#define SYSTICK_RELOAD  (*(volatile uint32_t *)0xE000E014u)
#define SYSTICK_VALUE   (*(volatile uint32_t *)0xE000E018u)
#define SYSTICK_LAST    0xFFFFFFu

static volatile uint32_t n_wraps;

void systick_handler(void);
void systick_handler(void) { n_wraps = n_wraps + 1u; }

static uint64_t ticks(void)
{
    uint32_t wraps, value;
    if ((SYSTICK_CONTROL & 1u) == 0u) {
        SYSTICK_RELOAD = SYSTICK_LAST;
        SYSTICK_VALUE = 0u;
        SYSTICK_CONTROL = 7u; /* processor clock, interrupt, on */
    }
    do {
        wraps = n_wraps;
        value = SYSTICK_VALUE;
    } while (wraps != n_wraps);
    /* it counts down from 0: to the last value first, and interrupts when it comes to 0 again */
    return (uint64_t)wraps * (SYSTICK_LAST + 1u) + ((0u - value) & SYSTICK_LAST);
}

/* With -icount shift=10 an instruction takes 1024 ns of guest time. */
uint64_t port_counter(void)
{
    const uint64_t divisor = (uint64_t)(BOARD_SYSTICK_HZ / 1000u) * 1024u;
    return (ticks() * 1000000u + divisor / 2u) / divisor;
}

#endif

const char *port_counter_unit(void) { return "instructions"; }
