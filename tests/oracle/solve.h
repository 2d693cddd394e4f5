/* SPDX-License-Identifier: MIT
 * Double-precision references: dense elimination with pivoting and the condition number it finds. */
#ifndef CAIRN_ORACLE_SOLVE_H
#define CAIRN_ORACLE_SOLVE_H

#include "cairn/real.h"

enum { ORACLE_SOLVE_MAX = 8 };

static inline double oracle_sqrt(double x) { return sqrt(x); }

static inline double oracle_abs(double x) { return x < 0.0 ? -x : x; }

/* Gauss-Jordan on [A | B] with B of n_right columns; row-major, width n + n_right. Returns false when singular. */
static inline bool oracle_gauss_jordan(double *m, size_t n, size_t n_right)
{
    size_t width = n + n_right;
    for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1u; i < n; ++i) {
            pivot = oracle_abs(m[i * width + k]) > oracle_abs(m[pivot * width + k]) ? i : pivot;
        }
        if (!(oracle_abs(m[pivot * width + k]) > 0.0)) {
            return false;
        }
        for (size_t j = 0; j < width; ++j) {
            double swap = m[k * width + j];
            m[k * width + j] = m[pivot * width + j];
            m[pivot * width + j] = swap;
        }
        double inverse = 1.0 / m[k * width + k];
        for (size_t j = 0; j < width; ++j) {
            m[k * width + j] *= inverse;
        }
        for (size_t i = 0; i < n; ++i) {
            double factor = m[i * width + k];
            for (size_t j = 0; i != k && j < width; ++j) {
                m[i * width + j] -= factor * m[k * width + j];
            }
        }
    }
    return true;
}

/*
 * Solves A x = b in double for a packed lower triangle of cairn_real. x: in b, out the solution. condition: out, in the
 * infinity norm. n at most ORACLE_SOLVE_MAX - 2.
 */
static inline bool oracle_solve_packed(const cairn_real *packed, double *x, size_t n, double *condition)
{
    double m[ORACLE_SOLVE_MAX * (2 * ORACLE_SOLVE_MAX)];
    size_t width = 2u * n + 1u;
    double norm = 0.0;
    double norm_inverse = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double row = 0.0;
        for (size_t j = 0; j < n; ++j) {
            size_t at = i >= j ? i * (i + 1u) / 2u + j : j * (j + 1u) / 2u + i;
            m[i * width + j] = (double)packed[at];
            m[i * width + n + j] = i == j ? 1.0 : 0.0;
            row += oracle_abs((double)packed[at]);
        }
        m[i * width + 2u * n] = x[i];
        norm = row > norm ? row : norm;
    }
    if (!oracle_gauss_jordan(m, n, n + 1u)) {
        return false;
    }
    for (size_t i = 0; i < n; ++i) {
        double row = 0.0;
        for (size_t j = 0; j < n; ++j) {
            row += oracle_abs(m[i * width + n + j]);
        }
        norm_inverse = row > norm_inverse ? row : norm_inverse;
        x[i] = m[i * width + 2u * n];
    }
    *condition = norm * norm_inverse;
    return true;
}

#endif
