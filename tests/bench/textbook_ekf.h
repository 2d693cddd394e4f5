/* SPDX-License-Identifier: MIT
 * A plain textbook extended Kalman filter for the comparison: constant velocity in the plane, full matrices, generic matrix
 * routines, no weight, no scale or bias, no start of its own (Kalman 1960; any textbook's predict and update). */
#ifndef BENCH_TEXTBOOK_EKF_H
#define BENCH_TEXTBOOK_EKF_H

#include <math.h>
#include <stddef.h>

enum { TEXTBOOK_N = 4 };

typedef float textbook_matrix_t[TEXTBOOK_N][TEXTBOOK_N];

typedef struct textbook_ekf {
    float x[TEXTBOOK_N]; /* place, velocity */
    textbook_matrix_t p;
} textbook_ekf_t;

static inline void textbook_multiply(textbook_matrix_t a, textbook_matrix_t b, textbook_matrix_t out)
{
    for (size_t i = 0; i < TEXTBOOK_N; ++i) {
        for (size_t j = 0; j < TEXTBOOK_N; ++j) {
            out[i][j] = 0.0f;
            for (size_t k = 0; k < TEXTBOOK_N; ++k) {
                out[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

static inline void textbook_transpose(textbook_matrix_t a, textbook_matrix_t out)
{
    for (size_t i = 0; i < TEXTBOOK_N; ++i) {
        for (size_t j = 0; j < TEXTBOOK_N; ++j) {
            out[j][i] = a[i][j];
        }
    }
}

static inline void textbook_ekf_init(textbook_ekf_t *self, const float place_m[2], float std_m)
{
    for (size_t i = 0; i < TEXTBOOK_N; ++i) {
        self->x[i] = i < 2u ? place_m[i] : 0.0f;
        for (size_t j = 0; j < TEXTBOOK_N; ++j) {
            self->p[i][j] = i == j ? std_m * std_m : 0.0f;
        }
    }
}

/* x = F x, P = F P F' + Q of a white acceleration. */
static inline void textbook_ekf_predict(textbook_ekf_t *self, float dt_s, float q)
{
    textbook_matrix_t f = {
        {1.0f, 0.0f, dt_s, 0.0f}, {0.0f, 1.0f, 0.0f, dt_s}, {0.0f, 0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    textbook_matrix_t fp, ft;
    const float q2 = q * q;
    self->x[0] += dt_s * self->x[2];
    self->x[1] += dt_s * self->x[3];
    textbook_multiply(f, self->p, fp);
    textbook_transpose(f, ft);
    textbook_multiply(fp, ft, self->p);
    for (size_t i = 0; i < 2u; ++i) {
        self->p[i][i] += q2 * dt_s * dt_s * dt_s / 3.0f;
        self->p[i][i + 2u] += q2 * dt_s * dt_s / 2.0f;
        self->p[i + 2u][i] += q2 * dt_s * dt_s / 2.0f;
        self->p[i + 2u][i + 2u] += q2 * dt_s;
    }
}

/* K = P H' / S, x += K nu, P = (I - K H) P. */
static inline void textbook_ekf_range(textbook_ekf_t *self, const float anchor_m[2], float range_m, float std_m)
{
    const float ux = self->x[0] - anchor_m[0], uy = self->x[1] - anchor_m[1], d = sqrtf(ux * ux + uy * uy);
    const float h[TEXTBOOK_N] = {ux / d, uy / d, 0.0f, 0.0f};
    float ph[TEXTBOOK_N], s = std_m * std_m;
    textbook_matrix_t keep, kept;
    for (size_t i = 0; i < TEXTBOOK_N; ++i) {
        ph[i] = 0.0f;
        for (size_t j = 0; j < TEXTBOOK_N; ++j) {
            ph[i] += self->p[i][j] * h[j];
        }
        s += h[i] * ph[i];
    }
    for (size_t i = 0; i < TEXTBOOK_N; ++i) {
        self->x[i] += ph[i] / s * (range_m - d);
        for (size_t j = 0; j < TEXTBOOK_N; ++j) {
            keep[i][j] = (i == j ? 1.0f : 0.0f) - ph[i] / s * h[j];
        }
    }
    textbook_multiply(keep, self->p, kept);
    for (size_t i = 0; i < TEXTBOOK_N; ++i) {
        for (size_t j = 0; j < TEXTBOOK_N; ++j) {
            self->p[i][j] = kept[i][j];
        }
    }
}

#endif
