/* SPDX-License-Identifier: MIT */
/* Start-up for any Cortex-M: vectors, paint, FPU, stack guard, faults. */
#include "common/startup.h"

#include "port.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

void fault_report(const uint32_t *frame, uint32_t exception) __attribute__((noreturn, used));
void fault_handler(void);
void systick_handler(void);
void startup_c(void) __attribute__((noreturn, used));
void reset_handler(void);

void fault_report(const uint32_t *frame, uint32_t exception)
{
    const uint32_t *lowest = link_stack_low + STACK_GUARD_BYTES / sizeof(uint32_t);
#if !defined(__ARM_ARCH_6M__)
    REGISTER(0xE000ED94u) = 0u; /* the guard off: the report itself must not meet it */
#endif
    if (frame < lowest || frame + 8 > link_stack_top) {
        startup_stack_overflow((uint32_t)(uintptr_t)frame);
    }
    startup_print_hex("FAULT exception=", exception & 0x1FFu);
    startup_print_hex(" pc=", frame[6]);
    startup_print_hex(" lr=", frame[5]);
#if !defined(__ARM_ARCH_6M__)
    startup_print_hex(" cfsr=", REGISTER(0xE000ED28u));
    if ((REGISTER(0xE000ED28u) & 0x80u) != 0u) { /* MMFARVALID: which address the guard stopped */
        uint32_t address = REGISTER(0xE000ED34u);
        if (address - (uint32_t)(uintptr_t)link_stack_low < STACK_GUARD_BYTES) {
            startup_print("\n");
            startup_stack_overflow(address);
        }
    }
#endif
    startup_print("\n");
    port_exit(EXIT_FAULT);
}

/* Every vector without a handler of its own. With less than 1 KB of stack left it reports on a fresh one; else it must
   not, for the frame with the processor's registers would be overwritten. */
__attribute__((naked)) void fault_handler(void)
{
    __asm__ volatile(".syntax unified\n mrs r0, msp\n mrs r1, ipsr\n"
                     "ldr r2, =link_stack_low + 1024\n cmp r0, r2\n bhs 1f\n"
                     "ldr r2, =link_stack_top\n mov sp, r2\n"
                     "1: ldr r2, =fault_report\n bx r2\n .ltorg");
}

__attribute__((weak)) void systick_handler(void) { fault_handler(); }

#if defined(BOARD_STACK_GUARD)
static void set_guard(void)
{
#if defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)
    /* Armv8-M has a register for it, and another kind of MPU */
    __asm__ volatile("msr msplim, %0" ::"r"(link_stack_low));
#else
    REGISTER(0xE000ED98u) = 0u;
    REGISTER(0xE000ED9Cu) = (uint32_t)(uintptr_t)link_stack_low;
    REGISTER(0xE000EDA0u) = (1u << 28) | (7u << 1) | 1u; /* execute never, no access, 2^(7+1) bytes, on */
    REGISTER(0xE000ED94u) = 5u;                          /* MPU on, default map elsewhere */
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
}
#endif

void startup_c(void)
{
#if !defined(__ARM_ARCH_6M__)
    REGISTER(0xE000ED14u) |= 1u << 4; /* a division by zero faults */
#endif
#if defined(__ARM_FP)
    REGISTER(0xE000ED88u) |= 0xFu << 20; /* the FPU: full access */
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
#if defined(BOARD_STACK_GUARD)
    set_guard();
#endif
    startup_run();
}

/* Paints before C runs, so that the first frame counts too; sets the stack for loaders that start at the entry. */
__attribute__((naked, used)) void reset_handler(void)
{
    __asm__ volatile(".syntax unified\n ldr r0, =link_stack_top\n mov sp, r0\n"
                     "ldr r1, =link_stack_low\n ldr r2, =0xC5C5C5C5\n"
                     "b 2f\n"
                     "1: str r2, [r1]\n adds r1, r1, #4\n"
                     "2: cmp r1, r0\n blo 1b\n"
                     "bl startup_c\n"
                     ".ltorg");
}

typedef void (*vector_t)(void);

/* The boards' peripherals interrupt nobody: the sixteen vectors of the core are all there is. */
/* clang-format off */
__attribute__((section(".vectors"), used)) static const vector_t vectors[16] = {
    (vector_t)(uintptr_t)link_stack_top,
    reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler,
    0, 0, 0, fault_handler, fault_handler, 0, fault_handler, systick_handler
};
/* clang-format on */
