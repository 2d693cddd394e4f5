/* SPDX-License-Identifier: MIT
 * Tables of benches: one line a figure with its limit and a verdict. */
#ifndef BENCH_VERDICT_H
#define BENCH_VERDICT_H

#include <stdbool.h>

#include "output.h"

typedef struct verdict {
    output_t *out;
    unsigned n_figures;
    unsigned n_short;
} verdict_t;

/* `name  value  limit  ok|falls short`: the value must not exceed the limit; one that is not a number falls short. */
void verdict_at_most(verdict_t *self, const char *name, double value, double limit, const char *unit);

/* A condition. */
void verdict_holds(verdict_t *self, const char *name, bool holds);

/* A figure without a limit. */
void verdict_note(verdict_t *self, const char *name, double value, const char *unit);

/* `n of m figures ok`, or that all was skipped; returns the exit code. */
int verdict_end(verdict_t *self);

#endif
