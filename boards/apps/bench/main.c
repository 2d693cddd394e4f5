/* SPDX-License-Identifier: MIT */
/* Runs the workloads between the markers the counting plugin looks for; prints one line for each, in order. */
#include "apps/bench/bench.h"

#include "port.h"

#include <string.h>

#define BENCH_WORKLOAD(name) extern const bench_workload_t name;
#include "apps/bench/workloads.h"
#undef BENCH_WORKLOAD

#define BENCH_WORKLOAD(name) &name,
static const bench_workload_t *const workloads[] = {
#include "apps/bench/workloads.h"
};
#undef BENCH_WORKLOAD

#if defined(__arm__)
__attribute__((naked, noinline)) void bench_begin(void) { __asm__ volatile("bx lr"); }
__attribute__((naked, noinline)) void bench_end(void) { __asm__ volatile("bx lr"); }
__attribute__((naked, noinline)) void bench_lap(void) { __asm__ volatile("bx lr"); }
#elif defined(__riscv)
__attribute__((naked, noinline)) void bench_begin(void) { __asm__ volatile("jr ra"); }
__attribute__((naked, noinline)) void bench_end(void) { __asm__ volatile("jr ra"); }
__attribute__((naked, noinline)) void bench_lap(void) { __asm__ volatile("jr ra"); }
#else
void bench_begin(void) {}
void bench_end(void) {}
void bench_lap(void) {}
#endif

static void print(const char *text) { port_console_write(text, strlen(text)); }

static void print_number(uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + (int)(value % 10u));
        value /= 10u;
    } while (value != 0u);
    port_console_write(digits + at, sizeof digits - at);
}

/* One line: name, units, unit, whether the result is right. The count comes from the plugin, not from the board. */
static int run(const bench_workload_t *workload)
{
    void (*volatile function)(void) = workload->run; /* volatile: nothing moves out from between the markers */
    if (workload->set_up != NULL) {
        workload->set_up();
    }
    bench_begin();
    function();
    bench_end();
    print("bench ");
    print(workload->name);
    print(" ");
    print_number(workload->n_units);
    print(" ");
    print(workload->unit);
    int wrong = workload->check != NULL ? workload->check() : 0;
    print(wrong != 0 ? " WRONG\n" : " ok\n");
    return wrong;
}

int port_main(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; ++i) {
        wrong |= run(workloads[i]);
    }
    print("stack ");
    print_number(port_stack_used());
    print(" bytes\n");
    return wrong != 0 ? 1 : 0;
}
