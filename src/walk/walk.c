/* SPDX-License-Identifier: MIT
 * Walks over links: the product with a block of columns, one pass over the links. Each link is read once and gives both
 * directions: its row's end stays in registers, the other end is read and written. */
#include "walk/walk_internal.h"

#if defined(__GNUC__)
#define OWN_FUNCTION __attribute__((noinline))
#else
#define OWN_FUNCTION
#endif

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

/* A row without weights, one column; wide is a constant where it is called. */
static inline void plain_row1(const cairn_run_t *run, bool wide, const cairn_real *restrict x, cairn_real *restrict y)
{
    const cairn_real own = x[run->node];
    const uint16_t *other16 = run->other16; /* copies stay in registers */
    const uint32_t *other32 = run->other32;
    const uint32_t n = run->n;
    cairn_real sum = 0;

    for (uint32_t e = 0; e < n; ++e) {
        const uint32_t other = wide ? other32[e] : other16[e];
        sum += x[other];
        y[other] += own;
    }
    y[run->node] += sum;
}

/* Four columns, written out: compilers then use one vector register for them. */
static inline void plain_row4(const cairn_run_t *run, bool wide, const cairn_real *restrict x, cairn_real *restrict y)
{
    const size_t node = 4u * (size_t)run->node;
    const cairn_real own[4] = {x[node], x[node + 1u], x[node + 2u], x[node + 3u]};
    const uint16_t *other16 = run->other16;
    const uint32_t *other32 = run->other32;
    const uint32_t n = run->n;
    cairn_real sum[4] = {0, 0, 0, 0};
    cairn_real *mine = y + node;

    for (uint32_t e = 0; e < n; ++e) {
        const size_t at = 4u * (size_t)(wide ? other32[e] : other16[e]);
        const cairn_real *from = x + at;
        cairn_real *to = y + at;
        sum[0] += from[0];
        sum[1] += from[1];
        sum[2] += from[2];
        sum[3] += from[3];
        to[0] += own[0];
        to[1] += own[1];
        to[2] += own[2];
        to[3] += own[3];
    }
    mine[0] += sum[0];
    mine[1] += sum[1];
    mine[2] += sum[2];
    mine[3] += sum[3];
}

/* Functions of their own: where their ends are merged, gcc no longer keeps the sums in one register. */
static OWN_FUNCTION void plain_row4_wide(const cairn_run_t *run, const cairn_real *x, cairn_real *y)
{
    plain_row4(run, true, x, y);
}

static OWN_FUNCTION void plain_row4_narrow(const cairn_run_t *run, const cairn_real *x, cairn_real *y)
{
    plain_row4(run, false, x, y);
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

/* Runs other than rows with 16-bit ends and weights. */
static void multiply_other(const cairn_run_t *run, size_t n_columns, const cairn_real *x, cairn_real *y)
{
    if (!cairn_run_is_plain(run) || (n_columns != 1 && n_columns != 4)) {
        multiply_any(run, n_columns, x, y);
    } else if (n_columns == 1) {
        run->other16 == NULL ? plain_row1(run, true, x, y) : plain_row1(run, false, x, y);
    } else {
        run->other16 == NULL ? plain_row4_wide(run, x, y) : plain_row4_narrow(run, x, y);
    }
}

static inline void multiply_run(const cairn_run_t *run, size_t n_columns, const cairn_real *x, cairn_real *y)
{
    if (run->node16 != NULL || run->other16 == NULL || run->weight == NULL || n_columns == 2 || n_columns > 4) {
        multiply_other(run, n_columns, x, y);
    } else if (n_columns == 1) {
        multiply_row1(run, x, y);
    } else if (n_columns == 3) {
        multiply_row3(run, x, y);
    } else {
        multiply_row4(run, x, y);
    }
}

void cairn_walk_multiply_run(const cairn_run_t *run, size_t n_columns, const cairn_real *x, cairn_real *y)
{
    multiply_run(run, n_columns, x, y);
}

void cairn_walk_multiply_runs(const cairn_walk_t *self, uint32_t begin, uint32_t end, size_t n_columns,
                              const cairn_real *x, cairn_real *y)
{
    cairn_run_t run;

    for (uint32_t part = begin; part < end; ++part) {
        self->run(self, part, &run);
        multiply_run(&run, n_columns, x, y);
    }
}
