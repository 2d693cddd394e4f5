/* SPDX-License-Identifier: MIT
 * Walks over links: the product with a block of columns, one pass over the links. Each link is read once and gives both
 * directions: its row's end stays in registers, the other end is read and written. */
#include "cairn/walk.h"

cairn_real cairn_run_weight(const cairn_run_t *run, uint32_t e)
{
    const cairn_real weight = run->weight != NULL ? run->weight[e] : (cairn_real)1;

    if (run->degree != NULL) {
        /* weight / min(1, worth / threshold) with worth = weight (1 / d + 1 / d') */
        const cairn_real factor = 1 / run->degree[cairn_run_node(run, e)] + 1 / run->degree[cairn_run_other(run, e)];
        return cairn_max(weight, run->threshold / factor);
    }
    return weight;
}

/* A row with 16-bit ends and weights, one to four columns. Written out: compilers then keep the row's end in registers at
 * any optimization. */
static void multiply_row1(const cairn_run_t *run, const cairn_real *restrict x, cairn_real *restrict y)
{
    const cairn_real own = x[run->node];
    cairn_real sum = 0;

    for (uint32_t e = 0; e < run->n; ++e) {
        const uint32_t at = run->other16[e];
        sum += run->weight[e] * x[at];
        y[at] += run->weight[e] * own;
    }
    y[run->node] += sum;
}

static void multiply_row3(const cairn_run_t *run, const cairn_real *restrict x, cairn_real *restrict y)
{
    const uint16_t *other = run->other16;
    const cairn_real *weight = run->weight;
    const cairn_real *end = weight + run->n;
    const cairn_real own0 = x[3u * (size_t)run->node];
    const cairn_real own1 = x[3u * (size_t)run->node + 1u];
    const cairn_real own2 = x[3u * (size_t)run->node + 2u];
    cairn_real *mine = y + 3u * (size_t)run->node;
    cairn_real sum0 = 0;
    cairn_real sum1 = 0;
    cairn_real sum2 = 0;

    while (weight < end) {
        const size_t at = 3u * (size_t)*other++;
        const cairn_real w = *weight++;
        const cairn_real *from = x + at;
        cairn_real *to = y + at;
        sum0 += w * from[0];
        sum1 += w * from[1];
        sum2 += w * from[2];
        to[0] += w * own0;
        to[1] += w * own1;
        to[2] += w * own2;
    }
    mine[0] += sum0;
    mine[1] += sum1;
    mine[2] += sum2;
}

static void multiply_row4(const cairn_run_t *run, const cairn_real *restrict x, cairn_real *restrict y)
{
    const uint16_t *other = run->other16;
    const cairn_real *weight = run->weight;
    const cairn_real *end = weight + run->n;
    const cairn_real *own = x + 4u * (size_t)run->node;
    cairn_real *mine = y + 4u * (size_t)run->node;
    cairn_real sum0 = 0;
    cairn_real sum1 = 0;
    cairn_real sum2 = 0;
    cairn_real sum3 = 0;

    while (weight < end) {
        const size_t at = 4u * (size_t)*other++;
        const cairn_real w = *weight++;
        const cairn_real *from = x + at;
        cairn_real *to = y + at;
        sum0 += w * from[0];
        sum1 += w * from[1];
        sum2 += w * from[2];
        sum3 += w * from[3];
        to[0] += w * own[0];
        to[1] += w * own[1];
        to[2] += w * own[2];
        to[3] += w * own[3];
    }
    mine[0] += sum0;
    mine[1] += sum1;
    mine[2] += sum2;
    mine[3] += sum3;
}

/* Any run, any number of columns. */
static void multiply_any(const cairn_run_t *run, size_t n_columns, const cairn_real *x, cairn_real *y)
{
    for (uint32_t e = 0; e < run->n; ++e) {
        const size_t a = (size_t)cairn_run_node(run, e) * n_columns;
        const size_t b = (size_t)cairn_run_other(run, e) * n_columns;
        const cairn_real w = cairn_run_weight(run, e);
        for (size_t c = 0; c < n_columns; ++c) {
            y[a + c] += w * x[b + c];
            y[b + c] += w * x[a + c];
        }
    }
}

void cairn_walk_multiply_runs(const cairn_walk_t *self, uint32_t begin, uint32_t end, size_t n_columns,
                              const cairn_real *x, cairn_real *y)
{
    cairn_run_t run;

    for (uint32_t part = begin; part < end; ++part) {
        self->run(self, part, &run);
        if (run.node16 != NULL || run.other16 == NULL || run.weight == NULL || n_columns == 2 || n_columns > 4) {
            multiply_any(&run, n_columns, x, y);
        } else if (n_columns == 1) {
            multiply_row1(&run, x, y);
        } else if (n_columns == 3) {
            multiply_row3(&run, x, y);
        } else {
            multiply_row4(&run, x, y);
        }
    }
}
