/* SPDX-License-Identifier: MIT */
/* Reference workloads: the cost of counting itself, and a float loop to compare processors by. */
#include "apps/bench/bench.h"

#include <math.h>
#include <stddef.h>

static volatile float sum;

static void run_empty(void) {}

static int check_empty(void) { return 0; }

static void run_sqrt_sum(void)
{
    float total = 0.0f;
    for (uint32_t i = 1u; i <= 1000u; ++i) {
        total += sqrtf((float)i);
    }
    sum = total;
}

/* The sum of the roots to n is 2/3 n^1.5 + n^0.5 / 2 + zeta(-1/2), to a part in a million here. */
static int check_sqrt_sum(void) { return sum > 21096.9f && sum < 21098.0f ? 0 : 1; }

extern const bench_workload_t workload_empty, workload_sqrt_sum;

const bench_workload_t workload_empty = {"empty", 1u, "call", NULL, run_empty, check_empty};
const bench_workload_t workload_sqrt_sum = {"sqrt_sum", 1000u, "root", NULL, run_sqrt_sum, check_sqrt_sum};
