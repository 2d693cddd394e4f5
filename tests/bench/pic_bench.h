/* SPDX-License-Identifier: MIT
 * Shared by the benches of clustering: counting verdicts, agreement, the parts that are files of their own. */
#ifndef BENCH_PIC_BENCH_H
#define BENCH_PIC_BENCH_H

#include "graphset.h"
#include "output.h"

typedef struct pic_bench {
    output_t *out;
    unsigned n_rows;
    unsigned n_short;
    uint64_t draw; /* the only one of the graphs that are drawn; 0: the bench's own */
} pic_bench_t;

typedef struct agreement {
    double purity;
    double nmi;
    double rand;
    double accuracy; /* under the best alignment; nodes without a label count as wrong */
    double f1;       /* macro, under the same */
} agreement_t;

void agreement_measure(const graphset_t *graph, const uint8_t *label, agreement_t *agreement);

/* Count a verdict. */
void pic_bench_count(pic_bench_t *self, bool good);

void pic_bench_speed(pic_bench_t *bench);
void pic_bench_stream(pic_bench_t *bench);

/* Full spectral clustering (normalised cuts, k eigenvectors, 10 k-means starts) in double: its NMI. */
double spectral_nmi(const graphset_t *graph, uint64_t seed);

#endif
