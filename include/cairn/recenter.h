/* SPDX-License-Identifier: MIT
 * RECENTER: losses as data, and the fold over neighbours that yields cost, mean displacement and Newton system. */
#ifndef CAIRN_RECENTER_H
#define CAIRN_RECENTER_H

#include "cairn/space.h"
#include "cairn/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_loss cairn_loss_t;

/** Value of a loss at one residual. */
typedef struct cairn_loss_value {
    cairn_real error;  /* Err >= 0 */
    cairn_real weight; /* w with Err(d') <= w d'^2 + constant for all d', touching at d: Err'(d) / (2 d) */
} cairn_loss_value_t;

/**
 * A loss, as data. Weighted least squares with the weight of the present residual lowers the loss, so one step serves
 * all of them (iterative re-weighting; place-family section 3).
 */
struct cairn_loss {
    /**
     * Evaluate the loss.
     *
     * loss      this object
     * distance  present distance f, >= 0
     * range     wanted distance r, >= 0; the residual is f - r
     * scale     the neighbour's own scale (its deviation; 1 where there is none), > 0; times `parameter` for losses
     *           that have a bend
     *
     * Returns error and weight, both finite. Work: O(1).
     */
    cairn_loss_value_t (*evaluate)(const cairn_loss_t *loss, cairn_real distance, cairn_real range, cairn_real scale);
    cairn_real parameter; /* bend, in scales, of Huber and redescending; p of L_p; otherwise unused */
    bool singular;        /* the weight is unbounded at residual 0, where Err has a kink: see cairn_recenter_release */
};

extern const cairn_loss_t cairn_loss_squared;           /* d^2: fMDS, least squares */
extern const cairn_loss_t cairn_loss_absolute;          /* |d|: rMDS, robust */
extern const cairn_loss_t cairn_loss_squared_distances; /* |f^2 - r^2|: r2MDS */
extern const cairn_loss_t cairn_loss_huber;             /* d^2 up to 1.345 scales, then linear */
extern const cairn_loss_t cairn_loss_log;               /* (ln d/r)^2: ranges made from signal strength */
extern const cairn_loss_t cairn_loss_redescend;         /* d^2 c^2/(c^2 + d^2), c = 3 scales (Geman and McClure 1985) */

/**
 * The loss |d|^p.
 *
 * self  out, every field is written
 * p     1 <= p <= 2
 *
 * CAIRN_OK            written
 * CAIRN_ERR_ARG       self is NULL or p outside its range
 * CAIRN_ERR_NONFINITE p is NaN or infinite
 *
 * Work: O(1).
 */
CAIRN_MUST_CHECK cairn_status cairn_loss_power(cairn_loss_t *self, cairn_real p);

/** Which residuals of a neighbour count. */
typedef enum cairn_side {
    CAIRN_SIDE_BOTH = 0,     /* a measured range */
    CAIRN_SIDE_AT_LEAST = 1, /* only when nearer than range: a pair that should have heard each other did not */
    CAIRN_SIDE_AT_MOST = 2   /* only when farther than range: heard, but not measured */
} cairn_side_t;

/** One neighbour as the step sees it. A prior is a neighbour at range 0 with weight 1 / deviation^2. */
typedef struct cairn_neighbour {
    const cairn_real *place; /* [dim]; read only during the call that received it */
    cairn_real range;        /* wanted distance, >= 0 */
    cairn_real weight;       /* >= 0; 0 means missing */
    cairn_real scale;        /* > 0; deviation of the range, or 1 */
    uint32_t tie;            /* any value; differs between the two ends of a pair so that coincident points part */
    cairn_side_t side;
} cairn_neighbour_t;

/** Reals that a fold needs: gradient, direction, Hessian. */
#define CAIRN_RECENTER_WORK_REALS(dim) (2u * (size_t)(dim) + CAIRN_SYMMETRIC_REALS(dim))

/** Sums over the neighbours of one point x. Gradient, Hessian and the scalars may be read when all have been added. */
typedef struct cairn_recenter {
    const cairn_space_t *space;
    const cairn_loss_t *loss;
    const cairn_real *x;
    size_t dim;
    cairn_real *gradient;    /* [dim] half gradient of the cost: sum w d u */
    cairn_real *hessian;     /* [CAIRN_SYMMETRIC_REALS(dim)] half Hessian, positive semidefinite; NULL: not wanted */
    cairn_real cost;         /* sum of weight x Err */
    cairn_real weight;       /* sum of w */
    cairn_real stuck_weight; /* sum of half slopes of singular losses whose residual is 0 */
    uint32_t n_weighted;     /* neighbours with a weight above 0 */
    uint32_t n_clamped;      /* wanted distances above the space's largest */
    bool releasing;          /* second look */
} cairn_recenter_t;

/**
 * Start a fold: zero the sums.
 *
 * self          out, every field is written
 * space         the space, kept by self
 * loss          the loss, kept by self
 * x             [dim] the point at which all neighbours of this fold are added, kept by self
 * dim           number of coordinates, >= 1
 * work          [CAIRN_RECENTER_WORK_REALS(dim)] caller's, kept by self; must not overlap x. Without a Hessian the first
 *               2 dim reals are enough
 * with_hessian  false: only the mean displacement is wanted
 *
 * Work: O(dim^2) with, O(dim) without the Hessian.
 */
void cairn_recenter_begin(cairn_recenter_t *self, const cairn_space_t *space, const cairn_loss_t *loss,
                          const cairn_real *x, size_t dim, cairn_real *work, bool with_hessian);

/**
 * Project x onto one neighbour's sphere and add the displacement to the sums.
 *
 * self       a begun fold
 * neighbour  finite values, as described there
 *
 * Work: one metric, one loss, dim^2/2 multiply-adds with the Hessian, dim without.
 * Source: thesis chapter 2 (PLACE, RECENTER); the Hessian is derived: w [u u^T + max(0, d c)(I - u u^T)].
 */
void cairn_recenter_add(cairn_recenter_t *self, const cairn_neighbour_t *neighbour);

/**
 * Begin the second look that singular losses need: after all neighbours have been added, and only if stuck_weight > 0,
 * call this and add every neighbour once more. A neighbour on whose sphere the point sits holds it, along its own
 * direction, against at most half the jump of its slope: that much is taken out of the gradient, and where it holds, the
 * Hessian becomes stiff that way. The others, and the cost, are left as they are.
 *
 * self  a fold with all neighbours added
 *
 * Work: O(1). Source: Vardi and Zhang 2000 for the kink at a point, extended to that of a sphere.
 */
void cairn_recenter_release(cairn_recenter_t *self);

/**
 * The recentring displacement: mean of the projections seen from x, - gradient / weight. For squared loss in R^k, x +
 * step is the mean itself; on the sphere it is one step of the Karcher mean. A step of it does not raise the cost of
 * two-sided neighbours.
 *
 * self  a fold with all neighbours added (and released)
 * step  [dim] out; may equal self->gradient
 *
 * Returns false, and a zero step, when no neighbour pulls. Work: O(dim).
 */
bool cairn_recenter_step(const cairn_recenter_t *self, cairn_real *step);

#ifdef __cplusplus
}
#endif
#endif
