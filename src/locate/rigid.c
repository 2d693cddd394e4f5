/* SPDX-License-Identifier: MIT
 * Rigid fit. The trace of turn^T S, S = sum w (x - from)(y - to)^T, is to be largest. 3-D: Horn 1987, the quaternion is
 * the eigenvector of the largest eigenvalue of a 4 x 4 matrix made of S; a reflection is -1 times a rotation, for which S
 * changes sign, so its quaternion is that of the smallest. 2-D: the same two in closed form. */
#include "cairn/rigid.h"

#include "locate/trilaterate_internal.h"

#define QUATERNION   4
#define TIE_EPSILONS 64 /* gains of both hands closer than this, relative: rounding of the sums decides nothing */

/* The set as sums. */
typedef struct sums {
    cairn_real weight;
    cairn_real cross[CAIRN_RIGID_DIM_MAX][CAIRN_RIGID_DIM_MAX]; /* S */
    cairn_real spread;                                          /* sum w |x - from| |y - to|: scale of S */
} sums_t;

/* How well each hand fits, and its turn. */
typedef struct hand {
    cairn_real gain;
    cairn_real turn[CAIRN_RIGID_DIM_MAX * CAIRN_RIGID_DIM_MAX];
} hand_t;

static cairn_real weight_of(const cairn_real *weight, size_t i) { return weight != NULL ? weight[i] : 1; }

static cairn_status check(const cairn_real *from, const cairn_real *to, const cairn_real *weight, size_t n, size_t dim)
{
    cairn_real sum = 0;

    if (from == NULL || to == NULL || n == 0 || dim == 0 || dim > CAIRN_RIGID_DIM_MAX) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_all_finite(from, n * dim) || !cairn_all_finite(to, n * dim) ||
        (weight != NULL && !cairn_all_finite(weight, n))) {
        return CAIRN_ERR_NONFINITE;
    }
    for (size_t i = 0; i < n; ++i) {
        if (weight_of(weight, i) < 0) {
            return CAIRN_ERR_ARG;
        }
        sum += weight_of(weight, i);
    }
    return sum > 0 ? CAIRN_OK : CAIRN_ERR_ARG;
}

/* Weighted centre, as a running mean: large coordinates keep their digits. */
static void find_centre(const cairn_real *points, const cairn_real *weight, size_t n, size_t dim, cairn_real *centre)
{
    cairn_real sum = 0;

    for (size_t k = 0; k < dim; ++k) {
        centre[k] = 0;
    }
    for (size_t i = 0; i < n; ++i) {
        sum += weight_of(weight, i);
        for (size_t k = 0; k < dim && sum > 0; ++k) {
            centre[k] += weight_of(weight, i) / sum * (points[i * dim + k] - centre[k]);
        }
    }
}

static void add_up(sums_t *self, const cairn_rigid_t *motion, const cairn_real *from, const cairn_real *to,
                   const cairn_real *weight, size_t n)
{
    const size_t dim = motion->dim;

    memset(self, 0, sizeof *self);
    for (size_t i = 0; i < n; ++i) {
        const cairn_real w = weight_of(weight, i);
        cairn_real x2 = 0;
        cairn_real y2 = 0;
        for (size_t k = 0; k < dim; ++k) {
            const cairn_real x = from[i * dim + k] - motion->from[k];
            x2 += x * x;
            y2 += (to[i * dim + k] - motion->to[k]) * (to[i * dim + k] - motion->to[k]);
            for (size_t l = 0; l < dim; ++l) {
                self->cross[k][l] += w * x * (to[i * dim + l] - motion->to[l]);
            }
        }
        self->weight += w;
        self->spread += w * cairn_sqrt(x2 * y2);
    }
}

/* Both hands in the plane: turns by an angle with cosine c and sine s, the second after the sign of y has changed. */
static void solve_plane(const sums_t *sums, hand_t *proper, hand_t *mirror)
{
    const cairn_real c = sums->cross[0][0] + sums->cross[1][1];
    const cairn_real s = sums->cross[0][1] - sums->cross[1][0];
    const cairn_real mirror_c = sums->cross[0][0] - sums->cross[1][1];
    const cairn_real mirror_s = sums->cross[0][1] + sums->cross[1][0];
    cairn_real *turn = proper->turn;

    proper->gain = cairn_sqrt(c * c + s * s);
    mirror->gain = cairn_sqrt(mirror_c * mirror_c + mirror_s * mirror_s);
    turn[0] = proper->gain > 0 ? c / proper->gain : 1;
    turn[2] = proper->gain > 0 ? s / proper->gain : 0;
    turn[1] = -turn[2];
    turn[3] = turn[0];
    turn = mirror->turn;
    turn[0] = mirror->gain > 0 ? mirror_c / mirror->gain : 1;
    turn[2] = mirror->gain > 0 ? mirror_s / mirror->gain : 0;
    turn[1] = turn[2];
    turn[3] = -turn[0];
}

/* sign times the rotation of a quaternion. */
static void turn_from_quaternion(const cairn_real *q, cairn_real sign, cairn_real *turn)
{
    const cairn_real length2 = cairn_dot(q, q, QUATERNION);
    const cairn_real w = q[0];
    const cairn_real x = q[1];
    const cairn_real y = q[2];
    const cairn_real z = q[3];

    turn[0] = w * w + x * x - y * y - z * z;
    turn[1] = 2 * (x * y - w * z);
    turn[2] = 2 * (x * z + w * y);
    turn[3] = 2 * (x * y + w * z);
    turn[4] = w * w - x * x + y * y - z * z;
    turn[5] = 2 * (y * z - w * x);
    turn[6] = 2 * (x * z - w * y);
    turn[7] = 2 * (y * z + w * x);
    turn[8] = w * w - x * x - y * y + z * z;
    for (size_t k = 0; k < 9; ++k) {
        turn[k] *= sign / length2;
    }
}

static void solve_space(const sums_t *sums, hand_t *proper, hand_t *mirror)
{
    const cairn_real(*s)[CAIRN_RIGID_DIM_MAX] = sums->cross;
    cairn_real horn[CAIRN_SYMMETRIC_REALS(QUATERNION)];
    cairn_real gains[QUATERNION];
    cairn_real axes[QUATERNION * QUATERNION];

    horn[0] = s[0][0] + s[1][1] + s[2][2];
    horn[1] = s[1][2] - s[2][1];
    horn[2] = s[0][0] - s[1][1] - s[2][2];
    horn[3] = s[2][0] - s[0][2];
    horn[4] = s[0][1] + s[1][0];
    horn[5] = s[1][1] - s[0][0] - s[2][2];
    horn[6] = s[0][1] - s[1][0];
    horn[7] = s[2][0] + s[0][2];
    horn[8] = s[1][2] + s[2][1];
    horn[9] = s[2][2] - s[0][0] - s[1][1];
    cairn_principal_axes(horn, QUATERNION, gains, axes);
    proper->gain = gains[QUATERNION - 1];
    mirror->gain = -gains[0];
    turn_from_quaternion(axes + (size_t)QUATERNION * (QUATERNION - 1), 1, proper->turn);
    turn_from_quaternion(axes, -1, mirror->turn);
}

static void solve_line(const sums_t *sums, hand_t *proper, hand_t *mirror)
{
    proper->gain = sums->cross[0][0];
    mirror->gain = -sums->cross[0][0];
    proper->turn[0] = 1;
    mirror->turn[0] = -1;
}

static cairn_real remaining_rms(const cairn_rigid_t *self, const cairn_real *from, const cairn_real *to,
                                const cairn_real *weight, size_t n, cairn_real sum)
{
    const size_t dim = self->dim;
    cairn_real mean2 = 0;

    for (size_t i = 0; i < n; ++i) {
        cairn_real moved[CAIRN_RIGID_DIM_MAX];
        cairn_real distance;
        cairn_rigid_apply(self, from + i * dim, moved);
        distance = cairn_distance(moved, to + i * dim, dim);
        mean2 += weight_of(weight, i) / sum * distance * distance;
    }
    return cairn_sqrt(mean2);
}

cairn_status cairn_rigid_fit(cairn_rigid_t *self, const cairn_real *from, const cairn_real *to,
                             const cairn_real *weight, size_t n, size_t dim, bool reflection, cairn_real *rms)
{
    sums_t sums;
    hand_t proper = {0, {0}};
    hand_t mirror = {0, {0}};
    cairn_real tie;
    cairn_rigid_t motion;
    cairn_status status = self != NULL ? check(from, to, weight, n, dim) : CAIRN_ERR_ARG;

    if (status != CAIRN_OK) {
        return status;
    }
    memset(&motion, 0, sizeof motion);
    motion.dim = (uint8_t)dim;
    find_centre(from, weight, n, dim, motion.from);
    find_centre(to, weight, n, dim, motion.to);
    add_up(&sums, &motion, from, to, weight, n);
    if (dim == 3) {
        solve_space(&sums, &proper, &mirror);
    } else if (dim == 2) {
        solve_plane(&sums, &proper, &mirror);
    } else {
        solve_line(&sums, &proper, &mirror);
    }
    tie = (cairn_real)TIE_EPSILONS * CAIRN_REAL_EPSILON * sums.spread;
    motion.mirrored = reflection && mirror.gain > proper.gain + tie;
    memcpy(motion.turn, motion.mirrored ? mirror.turn : proper.turn, dim * dim * sizeof motion.turn[0]);
    if (rms != NULL) {
        *rms = remaining_rms(&motion, from, to, weight, n, sums.weight);
    }
    *self = motion;
    return reflection && cairn_abs(mirror.gain - proper.gain) <= tie ? CAIRN_FLIP_POSSIBLE : CAIRN_OK;
}

void cairn_rigid_apply(const cairn_rigid_t *self, const cairn_real *x, cairn_real *y)
{
    const size_t dim = self->dim;
    cairn_real relative[CAIRN_RIGID_DIM_MAX];

    for (size_t k = 0; k < dim; ++k) {
        relative[k] = x[k] - self->from[k];
    }
    for (size_t k = 0; k < dim; ++k) {
        y[k] = self->to[k] + cairn_dot(self->turn + k * dim, relative, dim);
    }
}
