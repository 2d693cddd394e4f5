/* SPDX-License-Identifier: MIT */
/* QEMU plugin (API version 1): counts guest instructions from bench_begin to bench_end. A test tool only: it is loaded
   into QEMU, and no part of the library. One line `instructions N LAPS WORST` per pair: LAPS instructions of them lie
   between one bench_lap and the next, WORST in the longest lap. `total N` at exit. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Debian ships no qemu-plugin.h: what is used of the interface is declared here. */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    struct {
        int smp_vcpus, max_vcpus;
    } system;
} qemu_info_t;
enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_INLINE_ADD_U64 = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int, void *, uint64_t);

#define EXPORT __attribute__((visibility("default")))
EXPORT extern int qemu_plugin_version;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

int qemu_plugin_version = 1;

static uint64_t count, count_at_begin, count_at_lap, laps, worst_lap;
static bool in_lap;
static FILE *out;

static void on_begin(unsigned cpu, void *context)
{
    (void)cpu;
    (void)context;
    count_at_begin = count;
    laps = worst_lap = 0;
    in_lap = false;
}

static void on_lap(unsigned cpu, void *context)
{
    (void)cpu;
    (void)context;
    in_lap = !in_lap;
    if (in_lap) {
        count_at_lap = count;
    } else {
        laps += count - count_at_lap;
        worst_lap = count - count_at_lap > worst_lap ? count - count_at_lap : worst_lap;
    }
}

static void on_end(unsigned cpu, void *context)
{
    (void)cpu;
    (void)context;
    fprintf(out, "instructions %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", count - count_at_begin, laps, worst_lap);
}

static void on_exit_of_emulator(qemu_plugin_id_t id, void *context)
{
    (void)id;
    (void)context;
    fprintf(out, "total %" PRIu64 "\n", count);
    fflush(out);
}

static void on_block(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    for (size_t i = 0, n = qemu_plugin_tb_n_insns(block); i < n; ++i) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
        const char *symbol = qemu_plugin_insn_symbol(instruction);
        qemu_plugin_register_vcpu_insn_exec_inline(instruction, QEMU_PLUGIN_INLINE_ADD_U64, &count, 1);
        if (symbol != NULL && strcmp(symbol, "bench_begin") == 0) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
        }
        if (symbol != NULL && strcmp(symbol, "bench_lap") == 0) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_lap, QEMU_PLUGIN_CB_NO_REGS, NULL);
        }
        if (symbol != NULL && strcmp(symbol, "bench_end") == 0) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
        }
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    out = stderr;
    for (int i = 0; i < argc; ++i) {
        if (strncmp(argv[i], "out=", 4) == 0 && (out = fopen(argv[i] + 4, "w")) == NULL) {
            return -1;
        }
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
    qemu_plugin_register_atexit_cb(id, on_exit_of_emulator, NULL);
    return 0;
}
