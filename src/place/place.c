/* SPDX-License-Identifier: MIT
 * PLACE. Source: thesis chapter 2; place-family sections 1-3. The thesis alternates projecting and recentring, which
 * is gradient descent with a fixed step and slow. Here each round first tries a Newton step from the same sums and
 * keeps the recentring step, which cannot raise the cost, for when Newton's would. */
#include "cairn/place.h"

#define NEWTON_DAMPING 1e-4f   /* of the mean weight, on the diagonal: keeps collinear neighbours solvable */

/* Steps tried in a round until one lowers the cost. Short ones are for kinks, where the full step overshoots along the
 * sphere, and for one-sided neighbours that spoil the recentring step. */
typedef struct trial {
    bool newton;
    cairn_real share;
} trial_t;
static const trial_t trials[] = {{true, 1}, {true, 0.25f}, {false, 1}, {false, 0.25f}};
#define N_TRIALS (sizeof trials / sizeof trials[0])

const cairn_place_cfg_t cairn_place_cfg_default = {NULL, NULL, CAIRN_PLACE_NEWTON, 20, 0, 1};

/* One placement in progress: what every round needs. The vectors live in the caller's work array. */
typedef struct placement {
    const cairn_place_cfg_t *cfg;
    const cairn_space_t *space;
    const cairn_loss_t *loss;
    cairn_neighbour_fn neighbours;
    const void *context;
    size_t n_neighbours;
    size_t dim;
    cairn_real *gradient;
    cairn_real *direction;
    cairn_real *mean_step;
    cairn_real *newton_step;
    cairn_real *step;
    cairn_real *candidate;
    cairn_real *hessian;
} placement_t;

static void fold(const placement_t *self, const cairn_real *x, bool with_hessian, cairn_recenter_t *sums)
{
    cairn_recenter_begin(sums, self->dim, self->gradient, with_hessian ? self->hessian : NULL, self->direction);
    for (size_t j = 0; j < self->n_neighbours; ++j) {
        cairn_neighbour_t neighbour;
        self->neighbours(self->context, j, &neighbour);
        cairn_recenter_add(sums, self->space, self->loss, x, self->dim, &neighbour);
    }
    for (size_t j = 0; j < self->n_neighbours && sums->stuck_weight > 0; ++j) {
        cairn_neighbour_t neighbour;
        self->neighbours(self->context, j, &neighbour);
        cairn_recenter_release(sums, self->space, self->loss, x, self->dim, &neighbour);
    }
}

/* Newton's step from the sums; false where there is none: the Hessian is not positive definite. */
static bool newton_step(const placement_t *self, const cairn_recenter_t *sums)
{
    size_t diagonal = 0;

    if (sums->hessian == NULL) {
        return false;
    }
    for (size_t i = 0; i < self->dim; ++i) {
        self->hessian[diagonal] += NEWTON_DAMPING * sums->weight;
        diagonal += i + 2u;
        self->newton_step[i] = -self->cfg->relaxation * self->gradient[i];
    }
    return cairn_symmetric_solve(self->hessian, self->newton_step, self->dim) &&
           cairn_all_finite(self->newton_step, self->dim);
}

/* Try steps from x until one lowers the cost; then x and sums are those of the new point. */
static bool advance(const placement_t *self, cairn_real *x, bool last, cairn_recenter_t *sums, cairn_real *length)
{
    const cairn_real cost = sums->cost;
    bool newton;

    if (!cairn_recenter_step(sums, self->dim, self->mean_step)) {
        return false;
    }
    newton = newton_step(self, sums);
    for (size_t t = newton ? 0 : 2; t < N_TRIALS; ++t) {
        const cairn_real *step = trials[t].newton ? self->newton_step : self->mean_step;
        for (size_t i = 0; i < self->dim; ++i) {
            self->step[i] = trials[t].share * step[i];
        }
        self->space->move(self->space, x, self->step, self->dim, self->candidate);
        fold(self, self->candidate, !last && self->cfg->method == CAIRN_PLACE_NEWTON, sums);
        if (sums->cost < cost) {
            *length = cairn_sqrt(cairn_dot(self->step, self->step, self->dim));
            memcpy(x, self->candidate, self->dim * sizeof *x);
            return true;
        }
    }
    sums->cost = cost;
    return false;
}

static cairn_status check(const cairn_place_cfg_t *cfg, cairn_neighbour_fn neighbours, const cairn_real *x, size_t dim,
                          const cairn_real *work, size_t work_reals)
{
    if (cfg == NULL || neighbours == NULL || x == NULL || work == NULL || dim == 0 || cfg->rounds_max == 0 ||
        (cfg->method != CAIRN_PLACE_NEWTON && cfg->method != CAIRN_PLACE_ALTERNATE)) {
        return CAIRN_ERR_ARG;
    }
    if (!cairn_aligned(x, sizeof *x) || !cairn_aligned(work, sizeof *work)) {
        return CAIRN_ERR_ALIGN;
    }
    if (dim > UINT16_MAX || work_reals < CAIRN_PLACE_WORK_REALS(dim)) {
        return CAIRN_ERR_SIZE;
    }
    if (!cairn_isfinite(cfg->tolerance) || !cairn_isfinite(cfg->relaxation) || !cairn_all_finite(x, dim)) {
        return CAIRN_ERR_NONFINITE;
    }
    return cfg->tolerance >= 0 && cfg->relaxation > 0 && cfg->relaxation < 2 ? CAIRN_OK : CAIRN_ERR_ARG;
}

cairn_status cairn_place(const cairn_place_cfg_t *cfg, cairn_neighbour_fn neighbours, const void *context,
                         size_t n_neighbours, cairn_real *x, size_t dim, cairn_real *work, size_t work_reals,
                         cairn_place_result_t *result)
{
    placement_t self;
    cairn_recenter_t sums;
    cairn_real length = 0;
    uint16_t round = 0;
    cairn_status status = check(cfg, neighbours, x, dim, work, work_reals);

    if (status != CAIRN_OK) {
        return status;
    }
    self.cfg = cfg;
    self.space = cfg->space != NULL ? cfg->space : &cairn_space_euclidean;
    self.loss = cfg->loss != NULL ? cfg->loss : &cairn_loss_squared;
    self.neighbours = neighbours;
    self.context = context;
    self.n_neighbours = n_neighbours;
    self.dim = dim;
    self.gradient = work;
    self.direction = work + dim;
    self.mean_step = work + 2 * dim;
    self.newton_step = work + 3 * dim;
    self.step = work + 4 * dim;
    self.candidate = work + 5 * dim;
    self.hessian = work + 6 * dim;

    fold(&self, x, cfg->method == CAIRN_PLACE_NEWTON, &sums);
    if (!cairn_isfinite(sums.cost)) {
        return CAIRN_ERR_NONFINITE;
    }
    status = sums.n_weighted > 0 ? CAIRN_NOT_CONVERGED : CAIRN_UNPLACED;
    while (status == CAIRN_NOT_CONVERGED && round < cfg->rounds_max) {
        ++round;
        if (!advance(&self, x, round == cfg->rounds_max, &sums, &length) || length < cfg->tolerance) {
            status = CAIRN_OK;
        }
    }
    if (result != NULL) {
        result->cost = sums.cost;
        result->n_rounds = round;
        result->n_clamped = sums.n_clamped;
    }
    return status;
}

void cairn_neighbour_from_arrays(const void *context, size_t j, cairn_neighbour_t *neighbour)
{
    const cairn_neighbour_arrays_t *arrays = context;

    neighbour->place = arrays->place + j * arrays->dim;
    neighbour->range = arrays->range[j];
    neighbour->weight = arrays->weight != NULL ? arrays->weight[j] : 1;
    neighbour->scale = arrays->scale != NULL ? arrays->scale[j] : 1;
    neighbour->tie = (uint32_t)j;
    neighbour->side = CAIRN_SIDE_BOTH;
}
