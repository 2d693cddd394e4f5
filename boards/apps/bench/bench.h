/* SPDX-License-Identifier: MIT */
/* Workloads whose instructions are counted: add a file workload_<name>.c, and its line to workloads.h. */
#ifndef CAIRN_BENCH_H
#define CAIRN_BENCH_H

#include <stdint.h>

/*
 * set_up is not counted and may be NULL; run is counted and must do the same work every time; check is not counted and
 * returns 0 if the result is right, so that nothing wrong is ever reported as fast.
 */
typedef struct {
    const char *name; /* one word */
    uint32_t n_units; /* what run does this many times: ranges, steps, points */
    const char *unit; /* one word; where a lap is something else: unit/lap */
    void (*set_up)(void);
    void (*run)(void);
    int (*check)(void);
} bench_workload_t;

/* What the counting plugin looks for: one instruction each. */
void bench_begin(void);
void bench_end(void);

/* Begins a lap of a workload, and ends it when called again: only laps count then, and the longest is told apart. */
void bench_lap(void);

#endif
