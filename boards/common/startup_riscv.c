/* SPDX-License-Identifier: MIT */
/* Start-up for RV32 in machine mode: gp, sp, paint, FPU, stack guard, traps. */
#include "common/startup.h"

#include "port.h"

void trap_report(uint32_t stack_pointer) __attribute__((noreturn, used));
void trap_handler(void);
void startup_c(void) __attribute__((noreturn, used));
void _start(void); /* the name every debugger and linker expects */

void trap_report(uint32_t stack_pointer)
{
    uint32_t cause, at, value;
    __asm__ volatile("csrr %0, mcause\n csrr %1, mepc\n csrr %2, mtval" : "=r"(cause), "=r"(at), "=r"(value));
    uint32_t low = (uint32_t)(uintptr_t)link_stack_low;
    if (value - low < STACK_GUARD_BYTES || stack_pointer - low > (uint32_t)(uintptr_t)link_stack_top - low) {
        startup_stack_overflow(stack_pointer);
    }
    startup_print_hex("TRAP mcause=", cause);
    startup_print_hex(" mepc=", at);
    startup_print_hex(" mtval=", value);
    startup_print("\n");
    port_exit(EXIT_FAULT);
}

/* Naked, not interrupt("machine"): that one saves F registers and traps again where there are none. */
__attribute__((aligned(4), used, naked)) void trap_handler(void)
{
    __asm__ volatile("mv a0, sp\n la sp, link_stack_top\n j trap_report");
}

/* A locked PMP entry binds machine mode too. The report runs on a fresh stack and stays clear of it. */
static void set_guard(void)
{
    uint32_t region = ((uint32_t)(uintptr_t)link_stack_low >> 2) | (STACK_GUARD_BYTES / 8u - 1u);
    __asm__ volatile("csrw pmpaddr0, %0\n csrw pmpcfg0, %1" ::"r"(region), "r"(0x98u)); /* locked, NAPOT, no access */
}

void startup_c(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(trap_handler));
#if defined(__riscv_flen)
    __asm__ volatile("csrs mstatus, %0" ::"r"(0x2000u)); /* FS = initial */
    __asm__ volatile("csrw fcsr, x0");
#endif
    set_guard();
    startup_run();
}

__attribute__((naked, section(".reset"), used)) void _start(void)
{
    __asm__ volatile(".option push\n .option norelax\n la gp, __global_pointer$\n .option pop\n"
                     "csrr t0, mhartid\n 0: bnez t0, 0b\n" /* other harts stay here */
                     "la sp, link_stack_top\n la t1, link_stack_low\n li t2, 0xC5C5C5C5\n"
                     "1: bgeu t1, sp, 2f\n sw t2, 0(t1)\n addi t1, t1, 4\n j 1b\n"
                     "2: call startup_c");
}
