/* SPDX-License-Identifier: MIT
 * The fold over neighbours. With u the gradient of the distance f at x and d = f - r, the projection of x on a
 * neighbour's sphere is the geodesic step -d u from x (place-family section 2), so the centre of the projections, the
 * gradient of the cost and its Hessian are all sums of w d u and w u u^T: one pass serves the plain alternation and
 * Newton's method. Weiszfeld's iteration and its repair at a kink: Vardi and Zhang, PNAS 97 (2000) 1423. */
#include "cairn/recenter.h"

#include "cairn/vector.h"
#include "place/recenter_internal.h"

void cairn_recenter_begin(cairn_recenter_t *self, size_t dim, cairn_real *gradient, cairn_real *hessian,
                          cairn_real *direction)
{
    self->gradient = gradient;
    self->hessian = hessian;
    self->direction = direction;
    self->cost = 0;
    self->weight = 0;
    self->stuck_weight = 0;
    self->n_clamped = 0;
    self->n_weighted = 0;
    for (size_t i = 0; i < dim; ++i) {
        gradient[i] = 0;
    }
    if (hessian != NULL) {
        for (size_t i = 0; i < CAIRN_SYMMETRIC_REALS(dim); ++i) {
            hessian[i] = 0;
        }
    }
}

/* hessian += along u u^T + across (I - u u^T) */
static void add_hessian(cairn_real *hessian, const cairn_real *direction, size_t dim, cairn_real along,
                        cairn_real across)
{
    for (size_t i = 0; i < dim; ++i) {
        const cairn_real scaled = (along - across) * direction[i];
        for (size_t j = 0; j <= i; ++j) {
            hessian[j] += scaled * direction[j];
        }
        hessian[i] += across;
        hessian += i + 1u;
    }
}

void cairn_recenter_add(cairn_recenter_t *self, const cairn_space_t *space, const cairn_loss_t *loss,
                        const cairn_real *x, size_t dim, const cairn_neighbour_t *neighbour)
{
    const cairn_real range = cairn_min(neighbour->range, space->distance_max);
    cairn_space_metric_t metric;
    cairn_loss_value_t value;
    cairn_real residual;
    cairn_real floor;
    cairn_real weight;

    if (!(neighbour->weight > 0)) {
        return;
    }
    ++self->n_weighted;
    self->n_clamped += neighbour->range > space->distance_max ? 1u : 0u;
    metric = space->metric(space, x, neighbour->place, dim, neighbour->tie, self->direction);
    residual = metric.distance - range;
    if ((neighbour->side == CAIRN_SIDE_AT_LEAST && !(residual < 0)) ||
        (neighbour->side == CAIRN_SIDE_AT_MOST && !(residual > 0))) {
        return;
    }
    value = loss->evaluate(loss, metric.distance, range, neighbour->scale);
    self->cost += neighbour->weight * value.error;
    weight = neighbour->weight * value.weight;
    floor = residual_floor(metric.distance, range);
    if (loss->singular && cairn_abs(residual) <= floor) {
        self->stuck_weight += weight * floor; /* half the slope of the kink */
        return;
    }
    self->weight += weight;
    for (size_t i = 0; i < dim; ++i) {
        self->gradient[i] += weight * residual * self->direction[i];
    }
    if (self->hessian != NULL) {
        add_hessian(self->hessian, self->direction, dim, weight,
                    weight * cairn_max(0, residual * metric.curvature));
    }
}

bool cairn_recenter_step(const cairn_recenter_t *self, size_t dim, cairn_real *step)
{
    cairn_real factor = 0;

    if (self->weight > 0) {
        factor = -1 / self->weight;
        if (self->stuck_weight > 0) {
            const cairn_real pull = cairn_sqrt(cairn_dot(self->gradient, self->gradient, dim));
            factor = pull > self->stuck_weight ? factor * (1 - self->stuck_weight / pull) : 0;
        }
    }
    for (size_t i = 0; i < dim; ++i) {
        step[i] = factor * self->gradient[i];
    }
    return factor < 0;
}
