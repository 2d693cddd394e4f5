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

/* A row with 16-bit ends; n_columns and has_weight are constants where it is called, so that loops unroll. */
static inline void multiply_row16(const cairn_run_t *run, size_t n_columns, bool has_weight, const cairn_real *x,
                                  cairn_real *y)
{
    const cairn_real *own = x + (size_t)run->node * n_columns;
    const uint16_t *other = run->other16;
    const cairn_real *weight = run->weight;
    cairn_real sum[CAIRN_WALK_COLUMNS_MAX] = {0};

    for (uint32_t e = 0; e < run->n; ++e) {
        const size_t at = (size_t)other[e] * n_columns;
        const cairn_real w = has_weight ? weight[e] : (cairn_real)1;
        for (size_t c = 0; c < n_columns; ++c) {
            sum[c] += w * x[at + c];
            y[at + c] += w * own[c];
        }
    }
    for (size_t c = 0; c < n_columns; ++c) {
        y[(size_t)run->node * n_columns + c] += sum[c];
    }
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
        if (run.node16 != NULL || run.other16 == NULL || run.weight == NULL || n_columns > 4) {
            multiply_any(&run, n_columns, x, y);
        } else if (n_columns == 1) {
            multiply_row16(&run, 1, true, x, y);
        } else if (n_columns == 2) {
            multiply_row16(&run, 2, true, x, y);
        } else if (n_columns == 3) {
            multiply_row16(&run, 3, true, x, y);
        } else {
            multiply_row16(&run, 4, true, x, y);
        }
    }
}
