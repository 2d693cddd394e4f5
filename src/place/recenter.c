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

/* One neighbour as seen from x: residual, direction (in self->direction), weight of its loss. */
typedef struct pull {
    cairn_real residual;
    cairn_real weight;
    cairn_real across; /* of the Hessian */
    cairn_real error;
    bool active;
    bool stuck;
    cairn_real kink; /* half the jump of the slope at a stuck neighbour */
} pull_t;

static pull_t look(const cairn_recenter_t *self, const cairn_space_t *space, const cairn_loss_t *loss,
                   const cairn_real *x, size_t dim, const cairn_neighbour_t *neighbour)
{
    const cairn_real range = cairn_min(neighbour->range, space->distance_max);
    const cairn_space_metric_t metric =
        space->metric(space, x, neighbour->place, dim, neighbour->tie, self->direction);
    const cairn_real floor = residual_floor(metric.distance, range);
    pull_t pull = {0, 0, 0, 0, false, false, 0};
    cairn_loss_value_t value;

    pull.residual = metric.distance - range;
    pull.active = neighbour->side == CAIRN_SIDE_BOTH || (neighbour->side == CAIRN_SIDE_AT_LEAST && pull.residual < 0) ||
                  (neighbour->side == CAIRN_SIDE_AT_MOST && pull.residual > 0);
    if (pull.active) {
        value = loss->evaluate(loss, metric.distance, range, neighbour->scale);
        pull.error = neighbour->weight * value.error;
        pull.weight = neighbour->weight * value.weight;
        pull.across = pull.weight * cairn_max(0, pull.residual * metric.curvature);
        pull.stuck = loss->singular && cairn_abs(pull.residual) <= floor;
        pull.kink = pull.weight * floor;
    }
    return pull;
}

void cairn_recenter_add(cairn_recenter_t *self, const cairn_space_t *space, const cairn_loss_t *loss,
                        const cairn_real *x, size_t dim, const cairn_neighbour_t *neighbour)
{
    pull_t pull;

    if (!(neighbour->weight > 0)) {
        return;
    }
    ++self->n_weighted;
    self->n_clamped += neighbour->range > space->distance_max ? 1u : 0u;
    pull = look(self, space, loss, x, dim, neighbour);
    self->cost += pull.error;
    if (pull.stuck) {
        self->stuck_weight += pull.kink;
        return;
    }
    self->weight += pull.weight;
    for (size_t i = 0; i < dim && pull.active; ++i) {
        self->gradient[i] += pull.weight * pull.residual * self->direction[i];
    }
    if (self->hessian != NULL && pull.active) {
        add_hessian(self->hessian, self->direction, dim, pull.weight, pull.across);
    }
}

void cairn_recenter_release(cairn_recenter_t *self, const cairn_space_t *space, const cairn_loss_t *loss,
                            const cairn_real *x, size_t dim, const cairn_neighbour_t *neighbour)
{
    pull_t pull;
    cairn_real along;

    if (!(neighbour->weight > 0)) {
        return;
    }
    pull = look(self, space, loss, x, dim, neighbour);
    if (!pull.stuck) {
        return;
    }
    along = cairn_dot(self->gradient, self->direction, dim);
    if (cairn_abs(along) <= pull.kink) { /* held: the point may only slide along this sphere */
        if (self->hessian != NULL) {
            add_hessian(self->hessian, self->direction, dim, cairn_min(pull.weight, HOLD * self->weight), 0);
        }
    } else {
        along = along < 0 ? -pull.kink : pull.kink;
    }
    for (size_t i = 0; i < dim; ++i) {
        self->gradient[i] -= along * self->direction[i];
    }
}

bool cairn_recenter_step(const cairn_recenter_t *self, size_t dim, cairn_real *step)
{
    const cairn_real factor = self->weight > 0 ? -1 / self->weight : 0;

    for (size_t i = 0; i < dim; ++i) {
        step[i] = factor * self->gradient[i];
    }
    return factor < 0;
}
