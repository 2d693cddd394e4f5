/* SPDX-License-Identifier: MIT
 * Tracking: the passes over state and packed covariance that everything else is made of. A measurement is a product and an
 * application of one row (Kalman 1960); a motion is a step of two states at a time, congruent on the covariance. A variance
 * that rounding has made negative is known to be no larger than that: it becomes as large, positive. */
#include "locate/track_internal.h"

cairn_real cairn_track_trace(const cairn_real *packed, size_t n)
{
    cairn_real trace = *packed;

    for (size_t row = 2; row <= n; ++row) { /* the diagonal is at the end of a row */
        packed += row;
        trace += *packed;
    }
    return trace;
}

cairn_real cairn_track_product(const cairn_real *packed, size_t n, const cairn_real *vector, size_t n_vector,
                               cairn_real *out)
{
    const cairn_real *end = vector;
    cairn_real total = 0;
    size_t i = 0;

    do { /* each element serves its mirror image as well */
        const cairn_real own = i < n_vector ? *end++ : 0;
        const cairn_real *row = packed, *other = vector;
        cairn_real *image = out;
        cairn_real sum = 0, element;
        out[i] = 0;
        do {
            element = *row++;
            sum += element * *other++;
            *image++ += element * own;
        } while (other != end);
        total += own * (sum + sum - element * own); /* the last one of a row, on the diagonal, counts once */
        out[i] = sum;
        packed += ++i;
    } while (i < n);
    return cairn_abs(total);
}

void cairn_track_apply(cairn_real *x, cairn_real *packed, size_t n, const cairn_real *column, cairn_real gain,
                       cairn_real difference)
{
    const cairn_real *end = column;

    do {
        const cairn_real scaled = gain * *end++;
        const cairn_real *other = column;
        *x++ += scaled * difference;
        cairn_real element;
        do {
            element = *packed - scaled * *other++;
            *packed++ = element;
        } while (other != end);
        packed[-1] = cairn_abs(element);
    } while (--n > 0);
}

void cairn_track_flow(cairn_track_t *self, size_t to, size_t from, const track_flow_t *flow)
{
    const size_t n = track_n_states(self);
    const cairn_real gain = flow->gain, keep = flow->keep;
    cairn_real *x = track_states(self);
    cairn_real *a = x + n + track_row(to), *b = x + n + track_row(from);
    cairn_real *own_a = a + to, *own_b = b + from, *cross = to < from ? b + to : a + from;
    const cairn_real var_b = *own_b, both = *cross + gain * var_b;
    const cairn_real var_a = *own_a + gain * (*cross + both);
    size_t j = 0, step_a = 1, step_b = 1; /* along the row up to the diagonal, then down */

    const cairn_real moved = x[from];
    x[to] += gain * moved;
    x[from] = keep * moved;
    do {
        const cairn_real element = *b;
        *a += gain * element;
        *b = keep * element;
        ++j;
        step_a = j > to ? j : step_a;
        step_b = j > from ? j : step_b;
        a += step_a;
        b += step_b;
    } while (j < n);
    *own_a = cairn_abs(var_a) + flow->var_to; /* the three that both walks have met */
    *cross = keep * both + flow->var_both;
    *own_b = keep * keep * var_b + flow->var_from;
}

void cairn_track_set_state(cairn_track_t *self, size_t state, cairn_real value, cairn_real variance)
{
    const track_flow_t flow = {0, 0, 0, 0, variance}; /* a step in which nothing moves on and nothing is kept */

    cairn_track_flow(self, state == 0, state, &flow);
    track_states(self)[state] = value;
}

void cairn_track_add_noise(cairn_real *packed, size_t first, size_t n, cairn_real var)
{
    packed += track_row(first) + first;
    do {
        *packed++ += var;
        packed += ++first;
    } while (--n > 0);
}
