/* SPDX-License-Identifier: MIT
 * Heap sort of numbers in place, for the exact one-dimensional splits: no stack, n log n in the worst case. */
#include "walk/sort_internal.h"

static void sift(cairn_real *x, size_t at, size_t n)
{
    for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        const cairn_real here = x[at];
        child += child + 1 < n && x[child + 1] > x[child] ? 1u : 0u;
        if (!(x[child] > here)) {
            break;
        }
        x[at] = x[child];
        x[child] = here;
        at = child;
    }
}

void cairn_walk_sort(cairn_real *x, size_t n)
{
    for (size_t i = n / 2; i-- > 0;) {
        sift(x, i, n);
    }
    for (size_t end = n; end-- > 1;) {
        const cairn_real largest = x[0];
        x[0] = x[end];
        x[end] = largest;
        sift(x, 0, end);
    }
}
