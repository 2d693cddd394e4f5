/* SPDX-License-Identifier: MIT
 * The fold over neighbours. With u the gradient of the distance f at x and d = f - r, the projection of x on a
 * neighbour's sphere is the geodesic step -d u from x (place-family section 2), so the centre of the projections, the
 * gradient of the cost and its Hessian are all sums of w d u and w u u^T: one pass serves the plain alternation and
 * Newton's method. Weiszfeld's iteration stops at a kink (Vardi and Zhang, PNAS 97 (2000) 1423); here the kink of a range
 * is a whole sphere, so its neighbour holds the point against pulls along its own direction only. */
#include "cairn/recenter.h"

#include "cairn/vector.h"
#include "place/recenter_internal.h"

#define HOLD 1000 /* mean weights that hold a point on the sphere of a stuck neighbour: stiff, and solvable in float */

void cairn_recenter_begin(cairn_recenter_t *self, const cairn_space_t *space, const cairn_loss_t *loss,
                          const cairn_real *x, size_t dim, cairn_real *work, bool with_hessian)
{
    const size_t n_sums = with_hessian ? CAIRN_RECENTER_WORK_REALS(dim) : dim;

    self->space = space;
    self->loss = loss;
    self->x = x;
    self->dim = dim;
    self->gradient = work;
    self->hessian = with_hessian ? work + 2 * dim : NULL;
    self->cost = 0;
    self->weight = 0;
    self->stuck_weight = 0;
    self->n_weighted = 0;
    self->n_clamped = 0;
    self->releasing = false;
    for (size_t i = 0; i < n_sums; ++i) {
        work[i] = 0;
    }
}

/* hessian += along u u^T + across (I - u u^T) */
static void add_hessian(cairn_recenter_t *self, const cairn_real *direction, cairn_real along, cairn_real across)
{
    cairn_real *hessian = self->hessian;

    if (hessian == NULL) {
        return;
    }
    for (size_t i = 0; i < self->dim; ++i) {
        const cairn_real scaled = (along - across) * direction[i];
        for (size_t j = 0; j <= i; ++j) {
            hessian[j] += scaled * direction[j];
        }
        hessian[i] += across;
        hessian += i + 1u;
    }
}

/* Second look at a neighbour on whose sphere the point sits, with the weight of its floored loss and half the jump of
 * its slope. */
static void hold(cairn_recenter_t *self, const cairn_real *direction, cairn_real weight, cairn_real kink)
{
    cairn_real along = cairn_dot(self->gradient, direction, self->dim);

    if (cairn_abs(along) <= kink) { /* it may only slide along the sphere */
        add_hessian(self, direction, cairn_min(weight, HOLD * self->weight), 0);
    } else {
        along = along < 0 ? -kink : kink; /* the others pull it off */
    }
    for (size_t i = 0; i < self->dim; ++i) {
        self->gradient[i] -= along * direction[i];
    }
}

static bool counts(cairn_side_t side, cairn_real residual)
{
    return side == CAIRN_SIDE_BOTH || (side == CAIRN_SIDE_AT_LEAST && residual < 0) ||
           (side == CAIRN_SIDE_AT_MOST && residual > 0);
}

void cairn_recenter_add(cairn_recenter_t *self, const cairn_neighbour_t *neighbour)
{
    const cairn_space_t *space = self->space;
    const cairn_real range = cairn_min(neighbour->range, space->distance_max);
    cairn_real *direction = self->gradient + self->dim;
    cairn_space_metric_t metric;
    cairn_loss_value_t value;
    cairn_real residual;
    cairn_real floor;
    bool stuck;

    if (!(neighbour->weight > 0)) {
        return;
    }
    metric = space->metric(space, self->x, neighbour->place, self->dim, neighbour->tie, direction);
    residual = metric.distance - range;
    if (!self->releasing) {
        ++self->n_weighted;
        self->n_clamped += neighbour->range > space->distance_max ? 1u : 0u;
    }
    if (!counts(neighbour->side, residual)) {
        return;
    }
    value = self->loss->evaluate(self->loss, metric.distance, range, neighbour->scale);
    value.weight *= neighbour->weight;
    floor = residual_floor(metric.distance, range);
    stuck = self->loss->singular && cairn_abs(residual) <= floor;
    if (self->releasing) {
        if (stuck) {
            hold(self, direction, value.weight, value.weight * floor);
        }
        return;
    }
    self->cost += neighbour->weight * value.error;
    if (stuck) {
        self->stuck_weight += value.weight * floor;
        return;
    }
    self->weight += value.weight;
    for (size_t i = 0; i < self->dim; ++i) {
        self->gradient[i] += value.weight * residual * direction[i];
    }
    add_hessian(self, direction, value.weight, value.weight * cairn_max(0, residual * metric.curvature));
}

void cairn_recenter_release(cairn_recenter_t *self) { self->releasing = true; }

bool cairn_recenter_step(const cairn_recenter_t *self, cairn_real *step)
{
    const cairn_real factor = self->weight > 0 ? -1 / self->weight : 0;

    for (size_t i = 0; i < self->dim; ++i) {
        step[i] = factor * self->gradient[i];
    }
    return factor < 0;
}
