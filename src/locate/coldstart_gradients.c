/* SPDX-License-Identifier: MIT
 * Conjugate gradients for one outer step (Hestenes and Stiefel 1952), preconditioned by the inverse diagonal blocks plus,
 * additively, the coarse level (two-level Schwarz). Vectors: residual, direction, product (holds the preconditioned
 * residual in between), step. */
#include "locate/coldstart_internal.h"

#define BLOCK_FLOOR 1e-3f /* of a range's weight, on the diagonal of a block: nodes with too few links */

/* Invert the packed block of each node in place, and zero the step. */
static void blocks_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const size_t n_block = CAIRN_SYMMETRIC_REALS(dim);
    const cairn_real floor = BLOCK_FLOOR * self->unit_weight;

    for (uint32_t i = begin; i < end; ++i) {
        cairn_real *block = cairn_coldstart_vector(self, 4) + n_block * i;
        cairn_real inverse[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)] = {0};
        for (size_t l = 0; l < dim && coldstart_is_free(self, i); ++l) {
            cairn_real factors[CAIRN_SYMMETRIC_REALS(CAIRN_LOCATE_DIM_MAX)];
            cairn_real column[CAIRN_LOCATE_DIM_MAX] = {0};
            memcpy(factors, block, n_block * sizeof *factors);
            column[l] = 1;
            for (size_t k = 0; k < dim; ++k) {
                factors[k * (k + 3u) / 2u] += floor;
            }
            if (cairn_symmetric_solve(factors, column, dim)) {
                for (size_t k = l; k < dim; ++k) {
                    inverse[k * (k + 1u) / 2u + l] = column[k];
                }
            }
        }
        memcpy(block, inverse, n_block * sizeof *block);
        for (size_t k = 0; k < dim; ++k) {
            cairn_coldstart_vector(self, 3)[dim * i + k] = 0;
            cairn_coldstart_vector(self, 1)[dim * i + k] = 0;
        }
    }
}

static void precondition_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const size_t n_block = CAIRN_SYMMETRIC_REALS(dim);

    for (uint32_t i = begin; i < end; ++i) {
        cairn_real *residual = cairn_coldstart_vector(self, 0) + dim * i;
        cairn_real *result = cairn_coldstart_vector(self, 2) + dim * i;
        const cairn_real *inverse = cairn_coldstart_vector(self, 4) + n_block * i;
        const bool is_free = coldstart_is_free(self, i);
        cairn_real form = 0;
        for (size_t k = 0; k < dim; ++k) {
            residual[k] = is_free ? residual[k] : 0;
            result[k] = 0;
        }
        for (size_t k = 0; k < dim; ++k) {
            for (size_t l = 0; l < k; ++l) {
                result[k] += *inverse * residual[l];
                result[l] += *inverse++ * residual[k];
            }
            result[k] += *inverse++ * residual[k];
        }
        for (size_t k = 0; k < dim; ++k) {
            form += result[k] * residual[k];
        }
        coldstart_add(&self->total, form);
        if (self->coarse_ready && is_free) {
            cairn_coldstart_coarse_restrict(self, i, residual);
        }
    }
}

static void interpolate_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);

    for (uint32_t i = begin; i < end; ++i) {
        const cairn_real *residual = cairn_coldstart_vector(self, 0) + dim * i;
        cairn_real sum[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real form = 0;
        if (coldstart_is_free(self, i)) {
            cairn_coldstart_coarse_interpolate(self, i, sum);
        }
        for (size_t k = 0; k < dim; ++k) {
            cairn_coldstart_vector(self, 2)[dim * i + k] += sum[k];
            form += sum[k] * residual[k];
        }
        coldstart_add(&self->total, form);
    }
}

static void direction_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    cairn_real *direction = cairn_coldstart_vector(self, 1);
    cairn_real *product = cairn_coldstart_vector(self, 2);

    for (size_t k = dim * begin; k < dim * end; ++k) {
        direction[k] = product[k] + self->beta * direction[k];
        product[k] = 0;
    }
}

static void update_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    cairn_real *residual = cairn_coldstart_vector(self, 0);
    cairn_real *step = cairn_coldstart_vector(self, 3);
    const cairn_real *direction = cairn_coldstart_vector(self, 1);
    const cairn_real *product = cairn_coldstart_vector(self, 2);

    for (size_t k = dim * begin; k < dim * end; ++k) {
        step[k] += self->alpha * direction[k];
        residual[k] -= self->alpha * product[k];
    }
}

static void next_phase(cairn_coldstart_t *self, coldstart_phase phase)
{
    self->phase = phase;
    self->total = coldstart_zero();
    if (phase == PHASE_PRECONDITION && self->coarse_ready) {
        cairn_coldstart_coarse_zero(self);
    }
}

/* The preconditioned residual is complete: stop or go on along a new direction. */
static void choose_direction(cairn_coldstart_t *self)
{
    const coldstart_plan_t *plan = cairn_coldstart_plan(self);
    const cairn_real rho = self->total.sum;
    const cairn_real limit = plan->tolerance * plan->tolerance * self->rho_first;

    if (self->iteration == 0) {
        self->rho_first = rho;
    }
    self->beta = self->iteration > 0 ? rho / self->rho : 0;
    self->rho = rho;
    if (!(rho > 0) || self->iteration >= plan->iterations_max || (self->iteration > 0 && !(rho > limit))) {
        next_phase(self, PHASE_APPLY);
        return;
    }
    ++self->iteration;
    ++self->n_iterations;
    next_phase(self, PHASE_DIRECTION);
}

void cairn_coldstart_gradients(cairn_coldstart_t *self, int32_t *operations)
{
    switch (self->phase) {
    case PHASE_BLOCKS:
        if (cairn_coldstart_pass(self, operations, 2, blocks_run)) {
            self->iteration = 0;
            next_phase(self, PHASE_PRECONDITION);
        }
        break;
    case PHASE_PRECONDITION:
        if (cairn_coldstart_pass(self, operations, 1, precondition_run)) {
            if (self->coarse_ready) {
                self->phase = PHASE_COARSE_SOLVE;
            } else {
                choose_direction(self);
            }
        }
        break;
    case PHASE_COARSE_SOLVE:
        self->phase = cairn_coldstart_coarse_solve(self, operations) ? PHASE_COARSE_BACK : PHASE_COARSE_SOLVE;
        break;
    case PHASE_COARSE_BACK:
        if (cairn_coldstart_pass(self, operations, 1, interpolate_run)) {
            choose_direction(self);
        }
        break;
    case PHASE_DIRECTION:
        if (cairn_coldstart_pass(self, operations, 1, direction_run)) {
            next_phase(self, PHASE_PRODUCT);
        }
        break;
    case PHASE_PRODUCT:
        self->phase = cairn_coldstart_pass(self, operations, 1, cairn_coldstart_product_run) ? PHASE_PRODUCT_PUSHES : PHASE_PRODUCT;
        break;
    case PHASE_PRODUCT_PUSHES:
        if (cairn_coldstart_pairs_pass(self, operations, cairn_coldstart_product_pushes_run)) {
            self->alpha = self->total.sum > 0 ? self->rho / self->total.sum : 0;
            next_phase(self, PHASE_UPDATE);
        }
        break;
    default:
        if (cairn_coldstart_pass(self, operations, 1, update_run)) {
            next_phase(self, PHASE_PRECONDITION);
        }
        break;
    }
}
