/* SPDX-License-Identifier: MIT
 * Clustering of streams through a bounded graph. */
#include "pic_bench.h"

void pic_bench_stream(pic_bench_t *bench) { (void)bench; }
