/* SPDX-License-Identifier: MIT
 * All benches of the command line tool. */
#include "bench.h"

#include <stddef.h>

const bench_t *const bench_table[] = {&bench_limit, &bench_locate,      &bench_scale, &bench_mds,
                                      &bench_embed, &bench_real_static, &bench_real,  &bench_pic,
                                      &bench_track, &bench_walk,        NULL};
