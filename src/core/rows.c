/* SPDX-License-Identifier: MIT
 * Rows. With a vector unit eight at a time, each with lanes of its own: a number of p is loaded once for all of them, and
 * there are always sums that do not wait for each other. The last eight overlap those before them. */
#include "core/rows_internal.h"

#ifdef ROWS_SIDE_BY_SIDE
enum { EIGHT = 8 };

#define EACH_ROW(step) step(0) step(1) step(2) step(3) step(4) step(5) step(6) step(7)
/* One by one: the compiler clears a whole table by a string instruction, which starts slowly. */
#define CLEAR(r)                                                                                                       \
    EACH_LANE { lanes[r][lane] = 0; }

static void dot_eight(const cairn_real *p, const cairn_real *rows, size_t stride, size_t d, cairn_real *out)
{
    cairn_real lanes[EIGHT][ROWS_LANES];
    const size_t whole = d - d % ROWS_LANES;

    EACH_ROW(CLEAR)
    for (size_t i = 0; i < whole; i += ROWS_LANES) {
#define STEP(r)                                                                                                        \
    EACH_LANE { lanes[r][lane] += p[i + lane] * rows[(r)*stride + i + lane]; }
        EACH_ROW(STEP)
#undef STEP
    }
    for (size_t r = 0; r < EIGHT; ++r) {
        for (size_t rest = whole; rest < d; ++rest) {
            lanes[r][rest - whole] += p[rest] * rows[r * stride + rest];
        }
        out[r] = rows_sum_lanes(lanes[r]);
    }
}

static void square_eight(const cairn_real *p, const cairn_real *rows, size_t stride, size_t d, cairn_real *out)
{
    cairn_real lanes[EIGHT][ROWS_LANES];
    const size_t whole = d - d % ROWS_LANES;

    EACH_ROW(CLEAR)
    for (size_t i = 0; i < whole; i += ROWS_LANES) {
#define STEP(r)                                                                                                        \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        const cairn_real difference = p[i + lane] - rows[(r)*stride + i + lane];                                       \
        lanes[r][lane] += difference * difference;                                                                     \
    }
        EACH_ROW(STEP)
#undef STEP
    }
    for (size_t r = 0; r < EIGHT; ++r) {
        for (size_t rest = whole; rest < d; ++rest) {
            const cairn_real difference = p[rest] - rows[r * stride + rest];
            lanes[r][rest - whole] += difference * difference;
        }
        out[r] = rows_sum_lanes(lanes[r]);
    }
}
#endif

static cairn_real dot_one(const cairn_real *p, const cairn_real *row, size_t d)
{
    cairn_real lane_0 = 0;
    cairn_real lane_1 = 0;
    cairn_real lane_2 = 0;
    cairn_real lane_3 = 0;

    for (; d >= ROWS_LANES; d -= ROWS_LANES, p += ROWS_LANES, row += ROWS_LANES) {
        lane_0 += p[0] * row[0];
        lane_1 += p[1] * row[1];
        lane_2 += p[2] * row[2];
        lane_3 += p[3] * row[3];
    }
    if (d > 0) {
        lane_0 += p[0] * row[0];
        lane_1 += d > 1 ? p[1] * row[1] : 0;
        lane_2 += d > 2 ? p[2] * row[2] : 0;
    }
    return (lane_0 + lane_2) + (lane_1 + lane_3);
}

static cairn_real square(cairn_real x) { return x * x; }

static cairn_real square_one(const cairn_real *p, const cairn_real *row, size_t d)
{
    cairn_real lane_0 = 0;
    cairn_real lane_1 = 0;
    cairn_real lane_2 = 0;
    cairn_real lane_3 = 0;

    for (; d >= ROWS_LANES; d -= ROWS_LANES, p += ROWS_LANES, row += ROWS_LANES) {
        lane_0 += square(p[0] - row[0]);
        lane_1 += square(p[1] - row[1]);
        lane_2 += square(p[2] - row[2]);
        lane_3 += square(p[3] - row[3]);
    }
    if (d > 0) {
        lane_0 += square(p[0] - row[0]);
        lane_1 += d > 1 ? square(p[1] - row[1]) : 0;
        lane_2 += d > 2 ? square(p[2] - row[2]) : 0;
    }
    return (lane_0 + lane_2) + (lane_1 + lane_3);
}

void cairn_rows_dot(const cairn_real *p, const cairn_real *rows, size_t n, size_t stride, size_t d, cairn_real *out)
{
    size_t j = 0;

#ifdef ROWS_SIDE_BY_SIDE
    for (; n >= EIGHT && j < n; j += EIGHT) {
        const size_t at = j < n - EIGHT ? j : n - EIGHT;
        dot_eight(p, rows + at * stride, stride, d, out + at);
    }
#endif
    for (; j < n; ++j) {
        out[j] = dot_one(p, rows + j * stride, d);
    }
}

void cairn_rows_square(const cairn_real *p, const cairn_real *rows, size_t n, size_t stride, size_t d, cairn_real *out)
{
    size_t j = 0;

#ifdef ROWS_SIDE_BY_SIDE
    for (; n >= EIGHT && j < n; j += EIGHT) {
        const size_t at = j < n - EIGHT ? j : n - EIGHT;
        square_eight(p, rows + at * stride, stride, d, out + at);
    }
#endif
    for (; j < n; ++j) {
        out[j] = square_one(p, rows + j * stride, d);
    }
}

void cairn_rows_root(cairn_real *row, size_t d)
{
    const size_t whole = d - d % ROWS_LANES;

    EACH_IN_ROW(whole) { row[j] = cairn_sqrt(row[j]); }
    for (size_t j = whole; j < d; ++j) {
        row[j] = cairn_sqrt(row[j]);
    }
}

void cairn_rows_add(cairn_real *restrict row, cairn_real factor, const cairn_real *restrict other, size_t d)
{
    const size_t whole = d - d % ROWS_LANES;

    EACH_IN_ROW(whole) { row[j] += factor * other[j]; }
    for (size_t i = whole; i < d; ++i) {
        row[i] += factor * other[i];
    }
}
