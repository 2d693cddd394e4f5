/* SPDX-License-Identifier: MIT
 * Conjugate gradients for one outer step (Hestenes and Stiefel 1952), preconditioned by the inverse diagonal blocks plus,
 * additively, the coarse level (two-level Schwarz). Vectors: residual, direction, product (holds the
 * preconditioned residual in between), step. */
#include "locate/coldstart_newton.h"

#define BLOCK_FLOOR 1e-3f /* of a range's weight, on the diagonal of a block: nodes with too few links */
#define PIVOT_LEAST (8 * CAIRN_REAL_EPSILON)

/* Inverse pivot; 0 when a block has none to divide by. */
static inline cairn_real invert_pivot(cairn_real pivot, cairn_real diagonal)
{
    return pivot > PIVOT_LEAST * diagonal ? 1 / pivot : 0;
}

/* Invert a packed block in place: LDL^T written out, of three dimensions, those too many a unit block of their own. */
static void invert(cairn_real *block, size_t dim, cairn_real floor)
{
    const cairn_real diagonal[] = {block[0] + floor, dim > 1 ? block[2] + floor : 1, dim > 2 ? block[5] + floor : 1};
    const cairn_real b10 = dim > 1 ? block[1] : 0;
    const cairn_real b20 = dim > 2 ? block[3] : 0;
    const cairn_real d0 = invert_pivot(diagonal[0], diagonal[0]);
    const cairn_real l10 = b10 * d0;
    const cairn_real l20 = b20 * d0;
    const cairn_real d1 = invert_pivot(diagonal[1] - b10 * l10, diagonal[1]);
    const cairn_real b21 = (dim > 2 ? block[4] : 0) - b10 * l20;
    const cairn_real l21 = b21 * d1;
    const cairn_real d2 = invert_pivot(diagonal[2] - b20 * l20 - b21 * l21, diagonal[2]);
    const cairn_real m20 = l10 * l21 - l20; /* of the inverse of L, as -l10 and -l21 */
    const cairn_real inverse[] = {
        d0 + l10 * l10 * d1 + m20 * m20 * d2, -l10 * d1 - m20 * l21 * d2, d1 + l21 * l21 * d2, m20 * d2, -l21 * d2, d2};

    memcpy(block, inverse, CAIRN_SYMMETRIC_REALS(dim) * sizeof *block);
}

/* Invert the block of each node, and zero step, direction and product. */
static void blocks_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const size_t n_block = CAIRN_SYMMETRIC_REALS(dim);

    for (uint32_t i = begin; i < end; ++i) {
        cairn_real *block = cairn_coldstart_vector(self, 4) + n_block * i;
        if (coldstart_is_free(self, i)) {
            invert(block, dim, BLOCK_FLOOR * self->unit_weight);
        } else {
            memset(block, 0, n_block * sizeof *block);
        }
        for (size_t k = dim * i; k < dim * (i + 1u); ++k) {
            cairn_coldstart_vector(self, 1)[k] = 0;
            cairn_coldstart_vector(self, 2)[k] = 0;
            cairn_coldstart_vector(self, 3)[k] = 0;
        }
    }
}

/* Go along the direction; then the preconditioned residual in place of the product, but for the coarse level. */
COLDSTART_PASS void precondition_of(cairn_coldstart_t *self, uint32_t begin, uint32_t end, size_t dim)
{
    const size_t n_block = CAIRN_SYMMETRIC_REALS(dim);
    const cairn_real alpha = self->alpha;
    const cairn_real *direction = cairn_coldstart_vector(self, 1) + dim * begin;
    const cairn_real *inverse = cairn_coldstart_vector(self, 4) + n_block * begin;
    cairn_real *residual = cairn_coldstart_vector(self, 0) + dim * begin;
    cairn_real *product = cairn_coldstart_vector(self, 2) + dim * begin;
    cairn_real *step = cairn_coldstart_vector(self, 3) + dim * begin;
    cairn_coldstart_sum_t total = self->total;

    for (uint32_t i = begin; i < end; ++i) {
        const bool is_free = coldstart_is_free(self, i);
        cairn_real left[CAIRN_LOCATE_DIM_MAX];
        cairn_real result[CAIRN_LOCATE_DIM_MAX] = {0};
        cairn_real form = 0;
        COLDSTART_UNROLL
        for (size_t k = 0; k < dim; ++k) {
            left[k] = is_free ? residual[k] - alpha * product[k] : 0;
            residual[k] = left[k];
            step[k] += alpha * direction[k];
        }
        COLDSTART_UNROLL
        for (size_t k = 0; k < dim; ++k) {
            COLDSTART_UNROLL
            for (size_t l = 0; l < k; ++l) {
                result[k] += *inverse * left[l];
                result[l] += *inverse++ * left[k];
            }
            result[k] += *inverse++ * left[k];
        }
        COLDSTART_UNROLL
        for (size_t k = 0; k < dim; ++k) {
            form += result[k] * left[k];
            product[k] = result[k];
        }
        coldstart_add(&total, form);
        direction += dim;
        residual += dim;
        product += dim;
        step += dim;
    }
    self->total = total;
    if (self->coarse_ready) {
        cairn_coldstart_coarse_restrict_run(self, begin, end);
    }
}

static void precondition_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    COLDSTART_BY_DIM(precondition_of);
}

static void direction_run(cairn_coldstart_t *self, uint32_t begin, uint32_t end)
{
    const size_t dim = coldstart_dim(self);
    const cairn_real beta = self->beta;
    cairn_real *direction = cairn_coldstart_vector(self, 1);
    cairn_real *product = cairn_coldstart_vector(self, 2);

    if (self->coarse_ready) {
        cairn_coldstart_coarse_interpolate_run(self, begin, end);
    }
    for (size_t k = dim * begin; k < dim * end; ++k) {
        direction[k] = product[k] + beta * direction[k];
        product[k] = 0;
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
    if (!(rho > 0) || self->iteration >= plan->iterations_max ||
        (self->iteration > 0 && !(rho > limit) && !cairn_coldstart_probes_wait(self))) {
        next_phase(self, PHASE_APPLY);
        return;
    }
    ++self->iteration;
    ++self->n_iterations;
    next_phase(self, cairn_coldstart_probes_look(self) ? PHASE_REST : PHASE_DIRECTION);
}

/* The quadratic form along the direction is complete. Where a step of Newton meets one that is not positive, it is solved
 * again with more damping. */
static void choose_length(cairn_coldstart_t *self)
{
    const cairn_real form = self->total.sum;

    if (self->newton && !(form > 0)) {
        cairn_coldstart_damp_begin(self, COLDSTART_DAMP_FORM);
        return;
    }
    self->alpha = form > 0 ? self->rho / form : 0;
    self->slope += self->alpha * self->rho;
    next_phase(self, PHASE_PRECONDITION);
}

/* Returns true when the residual is preconditioned, and not to go through the coarse level yet. */
static bool precondition(cairn_coldstart_t *self, int32_t *operations)
{
    if (!cairn_coldstart_pass(self, operations, 2, precondition_run)) {
        return false;
    }
    self->phase = self->coarse_ready ? PHASE_COARSE_SOLVE : self->phase;
    return !self->coarse_ready;
}

void cairn_coldstart_gradients(cairn_coldstart_t *self, int32_t *operations)
{
    bool complete = false;

    switch (self->phase) {
    case PHASE_BLOCKS:
        self->iteration = 0;
        self->alpha = 0;
        self->slope = 0;
        if (cairn_coldstart_pass(self, operations, 2, blocks_run)) {
            next_phase(self, PHASE_PRECONDITION);
        }
        break;
    case PHASE_PRECONDITION: complete = precondition(self, operations); break;
    case PHASE_COARSE_SOLVE: complete = cairn_coldstart_coarse_solve(self, operations); break;
    case PHASE_DIRECTION:
        if (cairn_coldstart_pass(self, operations, 2, direction_run)) {
            next_phase(self, PHASE_PRODUCT);
        }
        break;
    case PHASE_PRODUCT:
        self->phase += (uint32_t)cairn_coldstart_pass(self, operations, 1, cairn_coldstart_product_run);
        break;
    default:
        if (cairn_coldstart_pairs_pass(self, operations, cairn_coldstart_product_pushes_run)) {
            choose_length(self);
        }
        break;
    }
    if (complete) {
        choose_direction(self);
    }
}
