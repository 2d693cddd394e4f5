/* SPDX-License-Identifier: MIT
 * PLACE. Source: thesis chapter 2; place-family sections 1-3. The thesis alternates projecting and recentring, which
 * is gradient descent with a fixed step and slow. Here each round first tries a Newton step from the same sums and
 * keeps the recentring step, which cannot raise the cost, for when Newton's would. */
#include "cairn/place.h"

#define NEWTON_DAMPING 1e-4f /* of the mean weight, on the diagonal: keeps collinear neighbours solvable */

/* Steps tried in a round until one lowers the cost. Short ones are for kinks, where the full step overshoots along the
 * sphere, and for one-sided neighbours that spoil the recentring step. */
typedef struct trial {
    bool newton;
    cairn_real share;
} trial_t;
static const trial_t trials[] = {{true, 1}, {true, 0.25f}, {false, 1}, {false, 0.25f}};
#define N_TRIALS (sizeof trials / sizeof trials[0])

const cairn_place_cfg_t cairn_place_cfg_default = {NULL, NULL, CAIRN_PLACE_NEWTON, 20, 0, 1};

/* One placement in progress. */
typedef struct placement {
    const cairn_place_cfg_t *cfg;
    cairn_neighbour_fn neighbours;
    const void *context;
    size_t n_neighbours;
    cairn_real *steps; /* [4 x dim] caller's: recentring step, Newton step, step tried, candidate */
    cairn_recenter_t sums;
} placement_t;

/* Once over the neighbours; and once more where some are stuck. */
static void fold(placement_t *self, const cairn_real *x, bool with_hessian)
{
    cairn_recenter_t *sums = &self->sums;
    bool again;

    cairn_recenter_begin(sums, sums->space, sums->loss, x, sums->dim, sums->gradient, with_hessian);
    do {
        for (size_t j = 0; j < self->n_neighbours; ++j) {
            cairn_neighbour_t neighbour;
            self->neighbours(self->context, j, &neighbour);
            cairn_recenter_add(sums, &neighbour);
        }
        again = sums->stuck_weight > 0 && !sums->releasing;
        if (again) {
            cairn_recenter_release(sums);
        }
    } while (again);
}

/* Newton's step from the sums; false where there is none: the Hessian is not positive definite. */
static bool newton_step(placement_t *self, cairn_real *step)
{
    const cairn_recenter_t *sums = &self->sums;
    size_t diagonal = 0;

    if (sums->hessian == NULL) {
        return false;
    }
    for (size_t i = 0; i < sums->dim; ++i) {
        sums->hessian[diagonal] += NEWTON_DAMPING * sums->weight;
        diagonal += i + 2u;
        step[i] = -self->cfg->relaxation * sums->gradient[i];
    }
    return cairn_symmetric_solve(sums->hessian, step, sums->dim) && cairn_all_finite(step, sums->dim);
}

/* Try steps from x until one lowers the cost; then x and the sums are those of the new point. Returns the length of
 * the step, 0 when no step lowers the cost. */
static cairn_real advance(placement_t *self, cairn_real *x, bool last)
{
    cairn_recenter_t *sums = &self->sums;
    const size_t dim = sums->dim;
    const cairn_real cost = sums->cost;
    cairn_real *step = self->steps + 2 * dim;
    cairn_real *candidate = step + dim;
    bool newton;

    if (!cairn_recenter_step(sums, self->steps)) {
        return 0;
    }
    newton = newton_step(self, self->steps + dim);
    for (size_t t = newton ? 0 : 2; t < N_TRIALS; ++t) {
        const cairn_real *whole = self->steps + (trials[t].newton ? dim : 0);
        for (size_t i = 0; i < dim; ++i) {
            step[i] = trials[t].share * whole[i];
        }
        sums->space->move(sums->space, x, step, dim, candidate);
        fold(self, candidate, !last && self->cfg->method == CAIRN_PLACE_NEWTON);
        if (sums->cost < cost) {
            memcpy(x, candidate, dim * sizeof *x);
            return cairn_sqrt(cairn_dot(step, step, dim));
        }
    }
    sums->cost = cost;
    return 0;
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
    uint16_t round = 0;
    cairn_status status = check(cfg, neighbours, x, dim, work, work_reals);

    if (status != CAIRN_OK) {
        return status;
    }
    self.cfg = cfg;
    self.neighbours = neighbours;
    self.context = context;
    self.n_neighbours = n_neighbours;
    self.steps = work + CAIRN_RECENTER_WORK_REALS(dim);
    self.sums.space = cfg->space != NULL ? cfg->space : &cairn_space_euclidean;
    self.sums.loss = cfg->loss != NULL ? cfg->loss : &cairn_loss_squared;
    self.sums.dim = dim;
    self.sums.gradient = work;

    fold(&self, x, cfg->method == CAIRN_PLACE_NEWTON);
    if (!cairn_isfinite(self.sums.cost)) {
        return CAIRN_ERR_NONFINITE;
    }
    status = self.sums.n_weighted > 0 ? CAIRN_NOT_CONVERGED : CAIRN_UNPLACED;
    while (status == CAIRN_NOT_CONVERGED && round < cfg->rounds_max) {
        const cairn_real length = advance(&self, x, ++round == cfg->rounds_max);
        if (!(length > cfg->tolerance)) {
            status = CAIRN_OK;
        }
    }
    if (result != NULL) {
        result->cost = self.sums.cost;
        result->n_rounds = round;
        result->n_clamped = self.sums.n_clamped;
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
