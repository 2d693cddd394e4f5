/* SPDX-License-Identifier: MIT
 * Seconds: on the wall, and of this program on the processor. */
#define _POSIX_C_SOURCE 200809L
#include "stopwatch.h"

#include <time.h>

static double read_clock_s(clockid_t clock_id)
{
    struct timespec now;
    if (clock_gettime(clock_id, &now) != 0) {
        return 0;
    }
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double stopwatch_wall_s(void) { return read_clock_s(CLOCK_MONOTONIC); }

double stopwatch_processor_s(void) { return read_clock_s(CLOCK_PROCESS_CPUTIME_ID); }
